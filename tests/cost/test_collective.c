/* Collectives against the textbook: a ring moves 2 (n-1)/n of the buffer, one rank moves nothing.
 */
#include "cost/collective.h"
#include "test.h"

static clg_arena arena;

static clg_network plain(void) {
    return (clg_network){.fast = {1e-6, 100e9, false}, .slow = {5e-6, 25e9, false}};
}

static double best(const clg_network *n, clg_collective c, int ranks, int per_domain,
                   double bytes) {
    double seconds = -1;
    clg_collective_best(n, c, (clg_group){ranks, per_domain}, bytes, &seconds);
    return seconds;
}

/* Bus bandwidth of all-reduces over whole boxes, in GB/s. */
static double bus(const char *node, const char *fabric, int ranks, double bytes) {
    clg_machine m = {.gpus = ranks};
    clg_network n;
    clg_error e = {0};
    CHECK(clg_gpu_find(&arena, "h100-sxm", &m.gpu, &e) == CLG_OK &&
          clg_node_find(&arena, node, &m.node, &e) == CLG_OK &&
          clg_fabric_find(&arena, fabric, &m.fabric, &e) == CLG_OK &&
          clg_network_find(&arena, &m, &n, &e) == CLG_OK);
    return clg_bus_bytes_per_s(CLG_ALL_REDUCE, ranks, bytes,
                               best(&n, CLG_ALL_REDUCE, ranks, 8, bytes)) /
           1e9;
}

static void published(void) {
    CASE("H100 with InfiniBand: 471 and 478 GB/s on two nodes (OCI, Nebius, 16 GB), 387 on eight "
         "(CoreWeave, 8 GB), 332 on 256 (Fernandez et al. 2024)");
    CHECK_NEAR(bus("dgx-h100", "ib-ndr", 16, 17.2e9), 474, 0.05);
    CHECK_NEAR(bus("dgx-h100", "ib-ndr", 64, 8.6e9), 387, 0.1);
    CHECK_NEAR(bus("dgx-h100", "ib-ndr", 2048, 8.6e9), 332, 0.05);
    CASE("p5 in 2025: 479, 355, 333, 329 GB/s on 2, 4, 8, 16 nodes (Smol Training Playbook)");
    CHECK_NEAR(bus("aws-p5", "efa-v2", 16, 8.6e9), 479, 0.05);
    CHECK_NEAR(bus("aws-p5", "efa-v2", 32, 8.6e9), 355, 0.1);
    CHECK_NEAR(bus("aws-p5", "efa-v2", 64, 8.6e9), 333, 0.1);
    CHECK_NEAR(bus("aws-p5", "efa-v2", 128, 8.6e9), 329, 0.15);
    CASE("p5 in 2024, fitted to training steps alone: 85, 65, 33 on average on 128, 256, 512 GPUs "
         "(Ultra-Scale Playbook)");
    CHECK_NEAR(bus("aws-p5", "efa-v2-2024", 128, 4e9), 84.7, 0.3);
    CHECK_NEAR(bus("aws-p5", "efa-v2-2024", 256, 4e9), 64.9, 0.3);
    CHECK_NEAR(bus("aws-p5", "efa-v2-2024", 512, 4e9), 32.9, 0.3);
}

/* Bus bandwidth of an all-reduce over four A40 of a job of so many, in GB/s. */
static double bridged_bus(int gpus) {
    clg_machine m = {.gpus = gpus};
    clg_network n;
    clg_error e = {0};
    double seconds;
    CHECK(clg_gpu_find(&arena, "a40", &m.gpu, &e) == CLG_OK &&
          clg_node_default(&arena, &m.gpu, &m.node, &e) == CLG_OK &&
          clg_fabric_find(&arena, m.node.fabric, &m.fabric, &e) == CLG_OK &&
          clg_network_find(&arena, &m, &n, &e) == CLG_OK);
    clg_group four = clg_machine_group(&m, 4, 1);
    CHECK(four.per_domain == 2);
    clg_collective_best(&n, CLG_ALL_REDUCE, four, 1e9, &seconds);
    return clg_bus_bytes_per_s(CLG_ALL_REDUCE, 4, 1e9, seconds) / 1e9;
}

static void bridged_pairs(void) {
    CASE("boards bridged in pairs: two rings over PCIe at .63 of 32 GB/s, not the network's 3");
    CHECK_NEAR(bridged_bus(8), 2 * 0.63 * 32, 0.1);
    CHECK(bridged_bus(16) < 10);
}

static double boards_s(const char *gpu, int ranks, double bytes) {
    clg_machine m = {.gpus = 8};
    clg_network n;
    clg_error e = {0};
    CHECK(clg_gpu_find(&arena, gpu, &m.gpu, &e) == CLG_OK &&
          clg_node_default(&arena, &m.gpu, &m.node, &e) == CLG_OK &&
          clg_fabric_find(&arena, m.node.fabric, &m.fabric, &e) == CLG_OK &&
          clg_network_find(&arena, &m, &n, &e) == CLG_OK);
    return best(&n, CLG_ALL_REDUCE, ranks, 8, bytes);
}

static double boards_bus(const char *gpu, int ranks, double bytes) {
    return clg_bus_bytes_per_s(CLG_ALL_REDUCE, ranks, bytes, boards_s(gpu, ranks, bytes)) / 1e9;
}

static void over_pcie(void) {
    CASE("the curve of a box goes before that of the generation; 3.5 us + 2 (p - 1) 1.4 us");
    CHECK_NEAR(boards_s("l40s", 2, 8), 6.3e-6, 0.001);
    CHECK_NEAR(boards_s("rtx-pro-6000", 8, 8), 23.1e-6, 0.001);
    CASE("8 RTX PRO 6000: 37.6 to 41.1 GB/s; 4 A100 on PCIe 4.0, as L40S are: 20.8");
    CHECK_NEAR(boards_bus("rtx-pro-6000", 8, 1e9), 39.4, 0.05);
    CHECK_NEAR(boards_bus("l40s", 4, 1e9), 20.8, 0.05);
    CASE("through the host 10 GB/s of two L40S, as of RTX 4090; a bridge is what it is");
    CHECK_NEAR(boards_bus("rtx-4090", 2, 268e6), 10.05, 0.03);
    CHECK(boards_bus("h100-nvl", 2, 1e9) > 200);
}

int main(void) {
    clg_network n = plain();
    CASE("one rank: no traffic");
    for (int c = 0; c < CLG_COLLECTIVES; c++) CHECK(best(&n, (clg_collective)c, 1, 1, 1e9) == 0);
    CASE("large all-reduce in a domain: bus bandwidth is the link");
    double s = best(&n, CLG_ALL_REDUCE, 8, 8, 8e9);
    CHECK_NEAR(s, 2.0 * 7 / 8 * 8e9 / 100e9, 0.01);
    CHECK_NEAR(clg_bus_bytes_per_s(CLG_ALL_REDUCE, 8, 8e9, s), 100e9, 0.01);
    CASE("all-gather and reduce-scatter: half of that");
    CHECK_NEAR(best(&n, CLG_ALL_GATHER, 8, 8, 8e9), 7.0 / 8 * 8e9 / 100e9, 0.01);
    CHECK_NEAR(best(&n, CLG_REDUCE_SCATTER, 8, 8, 8e9), 7.0 / 8 * 8e9 / 100e9, 0.01);
    CASE("one rank per domain: the slow link");
    CHECK_NEAR(best(&n, CLG_ALL_REDUCE, 4, 1, 4e9), 2.0 * 3 / 4 * 4e9 / 25e9, 0.01);
    CASE("small messages cost latency, not bytes");
    CHECK(best(&n, CLG_ALL_REDUCE, 8, 8, 8) >= 3e-6);
    CHECK(best(&n, CLG_ALL_REDUCE, 1024, 8, 8) < 1e-3);
    CASE("more bytes never take less time");
    for (int c = 0; c < CLG_COLLECTIVES; c++)
        for (int per = 1; per <= 8; per *= 2) {
            double before = 0;
            for (double bytes = 1; bytes < 1e11; bytes *= 3) {
                double now = best(&n, (clg_collective)c, 32, per, bytes);
                CHECK(now >= before * (1 - 1e-12));
                before = now;
            }
        }
    CASE("a faster link never takes more time");
    clg_network faster = plain();
    faster.slow.bytes_per_s *= 2;
    faster.fast.bytes_per_s *= 2;
    for (int c = 0; c < CLG_COLLECTIVES; c++)
        for (double bytes = 1; bytes < 1e11; bytes *= 7)
            CHECK(best(&faster, (clg_collective)c, 32, 4, bytes) <=
                  best(&n, (clg_collective)c, 32, 4, bytes) * (1 + 1e-12));
    over_pcie();
    bridged_pairs();
    CASE("every algorithm names its formula and source");
    int count;
    const clg_algorithm *a = clg_algorithms(&count);
    for (int i = 0; i < count; i++) CHECK(a[i].name && a[i].formula && a[i].source);
    published();
    clg_arena_clear(&arena);
    return DONE;
}
