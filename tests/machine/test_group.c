/* Groups of ranks over fast domains, against a simulator that lists every rank.
 *
 * The simulator numbers the GPUs of a job, fills domains in order, and forms all groups of `ranks`
 * members `stride` apart. A group's share of a domain is the number of its members there; what
 * collectives see is the smallest share of any group, which the slowest link decides. */
#include "machine/machine.h"

#include "plan.h"

static clg_arena arena;

static int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }

/* Smallest share any group has in any domain it touches. */
static int smallest_share(int gpus, int domain, int ranks, int stride) {
    int least = ranks, block = ranks * stride;
    for (int first = 0; first + block <= gpus; first += block)
        for (int offset = 0; offset < stride; offset++)
            for (int i = 0; i < ranks; i++) {
                int home = (first + offset + i * stride) / domain, share = 0;
                for (int j = 0; j < ranks; j++)
                    share += (first + offset + j * stride) / domain == home;
                if (share < least) least = share;
            }
    return least;
}

static clg_machine machine(int box, int domain, int gpus) {
    return (clg_machine){.node = {.gpus = box, .domain = domain}, .gpus = gpus};
}

static void as_listed(void) {
    CASE("powers of two in boxes of eight: as the simulator lists them");
    for (int gpus = 8; gpus <= 512; gpus *= 2)
        for (int stride = 1; stride <= gpus; stride *= 2)
            for (int ranks = 2; ranks * stride <= gpus; ranks *= 2) {
                clg_machine m = machine(8, 8, gpus);
                clg_group g = clg_machine_group(&m, ranks, stride);
                CHECK(g.ranks == ranks);
                CHECK(g.per_domain == smallest_share(gpus, 8, ranks, stride));
            }
    CASE("odd sizes: never more than the smallest share");
    int groups = 0, exact = 0;
    for (int domain = 1; domain <= 16; domain++)
        for (int nodes = 1; nodes <= 12; nodes++)
            for (int ranks = 2; ranks <= 24; ranks++)
                for (int stride = 1; stride <= 12; stride++) {
                    int gpus = domain * nodes;
                    if (gpus % (ranks * stride) != 0) continue;
                    clg_machine m = machine(domain, domain, gpus);
                    clg_group g = clg_machine_group(&m, ranks, stride);
                    int least = smallest_share(gpus, domain, ranks, stride);
                    CHECK(g.per_domain >= 1 && g.per_domain <= least);
                    CHECK(g.ranks == ranks && ranks % g.per_domain == 0);
                    groups++;
                    exact += g.per_domain == least;
                }
    /* the rest are strides that do not divide the domain, rounded the slow way */
    CHECK(groups > 1000 && exact > 0.9 * groups);
    CASE("strides that divide the domain: gcd(ranks, domain / stride) of a long job");
    for (int domain = 2; domain <= 16; domain++)
        for (int stride = 1; stride < domain; stride++)
            for (int ranks = 2; ranks <= 40; ranks++) {
                if (domain % stride != 0) continue;
                clg_machine m = machine(domain, domain, domain * ranks * stride);
                int want = gcd(ranks, domain / stride);
                CHECK(clg_machine_group(&m, ranks, stride).per_domain == want);
                CHECK(smallest_share(m.gpus, domain, ranks, stride) == want);
            }
    CASE("a job inside one domain: every group is together");
    for (int gpus = 1; gpus <= 72; gpus++)
        for (int ranks = 2; ranks <= gpus; ranks++)
            for (int stride = 1; ranks * stride <= gpus; stride++) {
                clg_machine m = machine(4, 72, gpus);
                CHECK(clg_machine_group(&m, ranks, stride).per_domain == ranks);
            }
}

static void racks(void) {
    CASE("NVL72: a job of 256 takes 64 of 72 in each of four racks");
    clg_scenario s = plan_scenario(&arena, "llama-2-7b", "gb200", "megatron-2024", 256);
    CHECK(s.machine.node.gpus == 4 && s.machine.node.domain == 72);
    for (int stride = 1; stride <= 256; stride *= 2)
        for (int ranks = 2; ranks * stride <= 256; ranks *= 2)
            CHECK(clg_machine_group(&s.machine, ranks, stride).per_domain ==
                  smallest_share(256, 64, ranks, stride));
    CHECK(clg_machine_group(&s.machine, 64, 1).per_domain == 64);
    CHECK(clg_machine_group(&s.machine, 4, 64).per_domain == 1);
    CASE("NVL72: a job of 288 takes all 72 of four racks, and tensor groups of 8 fit");
    s.machine.gpus = 288;
    for (int ranks = 2; ranks <= 72; ranks++)
        if (288 % ranks == 0)
            CHECK(clg_machine_group(&s.machine, ranks, 1).per_domain ==
                  smallest_share(288, 72, ranks, 1));
    CHECK(clg_machine_group(&s.machine, 8, 1).per_domain == 8);
    CHECK(clg_machine_group(&s.machine, 36, 8).per_domain == 9);
    CASE("one rank is no group");
    for (int stride = 1; stride <= 64; stride++) {
        clg_group g = clg_machine_group(&s.machine, 1, stride);
        CHECK(g.ranks == 1 && g.per_domain == 1);
    }
}

static void neighbours(void) {
    CASE("a group of neighbours never shares less than one spread out");
    for (int gpus = 16; gpus <= 128; gpus *= 2)
        for (int ranks = 2; ranks <= 8; ranks *= 2)
            for (int stride = 1; ranks * stride * 2 <= gpus; stride *= 2) {
                clg_machine m = machine(8, 8, gpus);
                CHECK(clg_machine_group(&m, ranks, stride).per_domain >=
                      clg_machine_group(&m, ranks, 2 * stride).per_domain);
            }
}

static void to_other_nodes(void) {
    CASE("bytes a GPU sends to other nodes: NICs shared by GPUs, times what the fabric gives");
    /* 8 NICs of 50 GB/s for 8 GPUs, 92 % of it, two to one oversubscribed: 23 GB/s */
    clg_machine m = machine(8, 8, 64);
    m.node.nics = 8, m.node.nic_bytes_per_s = 50e9;
    m.fabric.efficiency = 0.92, m.fabric.oversubscription = 2;
    CHECK_NEAR(clg_machine_inter_bytes_per_s(&m), 23e9, 1e-14);
    m.node.nics = 4;
    CHECK_NEAR(clg_machine_inter_bytes_per_s(&m), 11.5e9, 1e-14);
    m.fabric.bytes_per_s = 12.5e9; /* four ports of a quarter of a NIC's rate */
    CHECK_NEAR(clg_machine_inter_bytes_per_s(&m), 2.875e9, 1e-14);
}

int main(void) {
    as_listed();
    racks();
    neighbours();
    to_other_nodes();
    clg_arena_clear(&arena);
    return DONE;
}
