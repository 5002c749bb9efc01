/* What a GPU of a node sends to other nodes: every node file that ships, and the rule by hand. */
#include "cost/kernel.h"
#include "dataset/dataset.h"
#include "machine/machine.h"

#include "plan.h"

static clg_arena arena;

static bool whole(const char *node, clg_machine *m) {
    clg_error e = {0};
    *m = (clg_machine){.gpus = 64};
    bool found = clg_node_find(&arena, node, &m->node, &e) == CLG_OK &&
                 clg_gpu_find(&arena, m->node.gpu, &m->gpu, &e) == CLG_OK &&
                 clg_fabric_find(&arena, m->node.fabric, &m->fabric, &e) == CLG_OK;
    if (!found) printf("  %s: %s\n", node, e.message);
    return found;
}

static double gbit_per_s(const clg_machine *m) { return clg_machine_line_bytes_per_s(m) * 8e-9; }

static void all_of_them(void) {
    CASE("every node that ships: no contradiction, and no GPU has more than its part of the NICs");
    int count;
    const clg_file *files = clg_dataset_folder("node/", &count);
    CHECK(count >= 69);
    for (int i = 0; i < count; i++) {
        char name[64];
        clg_machine m;
        clg_error e = {0};
        snprintf(name, sizeof name, "%.*s", (int)strlen(files[i].path) - 10, files[i].path + 5);
        CHECK(whole(name, &m));
        bool sound = clg_machine_check(&arena, &m, &e) == CLG_OK;
        if (!sound) printf("  %s: %s: %s\n", name, e.field, e.message);
        CHECK(sound);
        double part = m.node.nics * m.node.nic_bytes_per_s / m.node.gpus;
        CHECK_NEAR(clg_machine_line_bytes_per_s(&m), part, 1e-12);
    }
}

/* Of a whole node in Gbit/s, as its maker or its landlord says. */
static void as_sold(void) {
    CASE("nodes: what a GPU has of the bandwidth that is sold");
    static const struct {
        const char *node;
        double node_gbit_per_s;
        int gpus;
    } sold[] = {{"aws-p3dn", 100, 8},
                {"aws-p4d", 400, 8},
                {"aws-p5", 3200, 8},
                {"aws-p5en", 3200, 8},
                {"aws-p6-b200", 3200, 8},
                {"aws-p6-b300", 6400, 8},
                {"gcp-a2-ultra", 100, 8},
                {"gcp-a3-high", 800, 8},
                {"gcp-a3-mega", 1600, 8},
                {"gcp-a3-ultra", 3200, 8},
                {"gcp-a4", 3200, 8},
                {"azure-nd-h100-v5", 3200, 8},
                {"azure-ndm-a100-v4", 1600, 8},
                {"oci-a100", 1600, 8},
                {"oci-h100", 3200, 8},
                {"dgx-1", 400, 8},
                {"dgx-2", 800, 16},
                {"dgx-a100", 1600, 8},
                {"dgx-h100", 3200, 8},
                {"dgx-b300", 6400, 8},
                {"frontier", 800, 8},
                {"gb200-nvl72", 1600, 4},
                {"gb300-nvl72", 3200, 4}};
    for (size_t i = 0; i < sizeof sold / sizeof sold[0]; i++) {
        clg_machine m;
        CHECK(whole(sold[i].node, &m));
        CHECK_NEAR(gbit_per_s(&m), sold[i].node_gbit_per_s / sold[i].gpus, 1e-12);
    }
}

static double on(const char *node, const char *fabric) {
    clg_machine m;
    clg_error e = {0};
    CHECK(whole(node, &m) && clg_fabric_find(&arena, fabric, &m.fabric, &e) == CLG_OK);
    return gbit_per_s(&m);
}

static void beside_another_fabric(void) {
    CASE("a node on another fabric: NICs or ports, whichever carry less");
    CHECK_NEAR(on("dgx-h100", "ethernet-100"), 12.5, 1e-12); /* the host's port for 8 GPUs */
    CHECK_NEAR(on("dgx-h100", "ib-xdr"), 400, 1e-12);        /* its NICs stay what they are */
    CHECK_NEAR(on("h100-nvl-8", "ethernet-25"), 25.0 / 8, 1e-12);
    CHECK_NEAR(on("h100-nvl-8", "ib-edr"), 25, 1e-12); /* 2 ports of 100 for 8 GPUs */
    CHECK_NEAR(on("dgx-1", "ib-hdr"), 50, 1e-12);      /* 4 NICs of 100 for 8 GPUs */
    CHECK_NEAR(on("dgx-h100", "efa-v2"), 400, 1e-12);  /* 4 ports of 100 per GPU */
    CHECK_NEAR(on("aws-p4d", "efa-v2"), 50, 1e-12);
    CHECK_NEAR(on("aws-p5", "ib-hdr"), 200, 1e-12); /* a port per GPU, not one per NIC */
    CASE("a rate that is stated per GPU goes before both; efficiency and oversubscription after");
    clg_machine m;
    CHECK(whole("gcp-a2-ultra", &m));
    m.fabric.gpu_bytes_per_s = 25e9, m.fabric.efficiency = 0.8, m.fabric.oversubscription = 2;
    CHECK_NEAR(clg_machine_inter_bytes_per_s(&m), 10e9, 1e-12);
}

/* Cards as people write them, and whose kernel times stand in for each: of a board whose
 * multiprocessors do as many operations a clock (512 where sums in fp32 run at half rate, 1,024),
 * else of one as short of watts. */
static void as_written(void) {
    CASE("cards by their number, their marketing name, or as drivers print them");
    static const struct {
        const char *written, *gpu, *kernels;
    } cards[] = {{"3090", "rtx-3090", "kernel/rtx-4090.json"},
                 {"4090", "rtx-4090", "kernel/rtx-4090.json"},
                 {"GeForce RTX 4090", "rtx-4090", "kernel/rtx-4090.json"},
                 {"V100-32GB", "v100-sxm-32gb", "kernel/v100-sxm-32gb.json"},
                 {"RTX3080", "rtx-3080", "kernel/rtx-4090.json"},
                 {"NVIDIA GeForce RTX 4080", "rtx-4080", "kernel/rtx-4090.json"},
                 {"5090", "rtx-5090", "kernel/rtx-5090.json"},
                 {"a6000", "rtx-a6000", "kernel/a40.json"},
                 {"RTX 6000 Ada", "rtx-6000-ada", "kernel/l40s.json"},
                 {"l40", "l40", "kernel/rtx-4090.json"},
                 {"A10G", "a10g", "kernel/rtx-4090.json"},
                 {"a10", "a10", "kernel/a40.json"},
                 {"Tesla T4", "t4", "kernel/l4.json"},
                 {"2080ti", "rtx-2080-ti", "kernel/rtx-4090.json"},
                 {"3090 Ti", "rtx-3090-ti", "kernel/rtx-4090.json"},
                 {"A6000 Ada", "rtx-6000-ada", "kernel/l40s.json"},
                 {"TITAN RTX", "titan-rtx", "kernel/a40.json"},
                 {"NVIDIA TITAN RTX", "titan-rtx", "kernel/a40.json"},
                 {"RTX 8000", "quadro-rtx-8000", "kernel/a40.json"},
                 {"Tesla V100-PCIE-32GB", "v100-pcie-32gb", "kernel/v100-sxm-32gb.json"},
                 {"MI210", "mi210", "kernel/mi300x.json"},
                 {"MI100", "mi100", "kernel/mi300x.json"},
                 {"Tesla P100-SXM2-16GB", "p100-sxm-16gb", "kernel/v100-sxm-32gb.json"},
                 {"Tesla P100-PCIE-16GB", "p100-pcie-16gb", "kernel/v100-sxm-32gb.json"},
                 {"P100", "p100-pcie-16gb", "kernel/v100-sxm-32gb.json"},
                 {"RTX 5060 Ti", "rtx-5060-ti", "kernel/rtx-5090.json"},
                 {"RTX 4090D", "rtx-4090-d", "kernel/rtx-4090.json"},
                 {"4070 Ti", "rtx-4070-ti", "kernel/rtx-4090.json"},
                 {"RTX 3060", "rtx-3060", "kernel/rtx-4090.json"},
                 {"L20", "l20", "kernel/rtx-4090.json"},
                 {"a100-pcie", "a100-pcie-80gb", "kernel/a100-sxm-80gb.json"},
                 {"a800", "a800-sxm-80gb", "kernel/a100-sxm-80gb.json"},
                 {"h20", "h20-sxm", "kernel/h100-sxm.json"},
                 {"NVIDIA A100-SXM4-80GB", "a100-sxm-80gb", "kernel/a100-sxm-80gb.json"}};
    for (size_t i = 0; i < sizeof cards / sizeof cards[0]; i++) {
        clg_gpu gpu;
        clg_error e = {0};
        bool borrowed;
        CHECK(clg_gpu_find(&arena, cards[i].written, &gpu, &e) == CLG_OK);
        CHECK(strcmp(gpu.name, cards[i].gpu) == 0);
        CHECK(strcmp(clg_kernels_file(&arena, &gpu, &borrowed)->path, cards[i].kernels) == 0);
    }
}

/* The words of a title, whatever other boards there are: one more must not make them mean two. */
static void as_titled(void) {
    CASE("every GPU by its title");
    int count;
    const clg_file *files = clg_dataset_folder("gpu/", &count);
    CHECK(count > 40);
    for (int i = 0; i < count; i++) {
        clg_gpu gpu, found;
        clg_error e = {0};
        CHECK(clg_gpu_read(&arena, files[i].path, files[i].text, files[i].size, &gpu, &e) ==
              CLG_OK);
        const char *words = strcmp(gpu.name, "titan-rtx") == 0 ? gpu.reported_as : gpu.title;
        CHECK(clg_gpu_find(&arena, words, &found, &e) == CLG_OK);
        CHECK_TEXT(found.name, gpu.name);
    }
}

static bool refused(clg_machine m, const char *field) {
    clg_error e = {0};
    bool alone = clg_node_check(&arena, &m.node, &e) == CLG_OK;
    return (!alone || clg_machine_check(&arena, &m, &e) != CLG_OK) && e.mend[0] &&
           strcmp(e.field, field) == 0;
}

static void contradictions(void) {
    CASE("contradictions are refused at their member");
    clg_machine sound, m;
    CHECK(whole("dgx-h100", &sound));
    m = sound, m.fabric.bytes_per_s /= 2;
    CHECK(refused(m, "nic"));
    m = sound, m.node.domain = 12;
    CHECK(refused(m, "domain"));
    m = sound, m.node.link_bytes_per_s = 900e9; /* both directions */
    CHECK(refused(m, "link"));
    m = sound, m.node.link_switched = false;
    CHECK(refused(m, "link_reduces"));
    m = sound, m.node.link_pair_bytes_per_s = 500e9;
    CHECK(refused(m, "link_pair"));
    m = sound, m.node.rated_w = 5000;
    CHECK(refused(m, "rated"));
}

int main(void) {
    all_of_them();
    as_sold();
    beside_another_fabric();
    as_written();
    as_titled();
    contradictions();
    clg_arena_clear(&arena);
    return DONE;
}
