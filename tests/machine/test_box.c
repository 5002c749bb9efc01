/* Boxes of another size than the maker's reference. */
#include "machine/machine.h"
#include "test.h"

static clg_arena arena;

static clg_node box(const char *gpu, int gpus) {
    clg_error error = {0};
    clg_machine m = {0};
    CHECK(clg_gpu_find(&arena, gpu, &m.gpu, &error) == CLG_OK);
    CHECK(clg_node_default(&arena, &m.gpu, &m.node, &error) == CLG_OK);
    CHECK(clg_node_of_size(&arena, &m.gpu, gpus, &m.node, &error) == CLG_OK);
    clg_node_resize(&m.node, gpus);
    return m.node;
}

int main(void) {
    CASE("sixteen V100 have switches, eight are a mesh of 25 GB/s a pair, four of 150 / 3");
    CHECK(box("v100-sxm-32gb", 16).link_pair_bytes_per_s == 0);
    CHECK_NEAR(box("v100-sxm-32gb", 8).link_pair_bytes_per_s, 25e9, 1e-12);
    CHECK_NEAR(box("v100-sxm-32gb", 4).link_pair_bytes_per_s, 50e9, 1e-12);
    CASE("four A100 on a board have a third of their links to each other, and no switch");
    clg_node four = box("a100-sxm-80gb", 4), eight = box("a100-sxm-80gb", 8);
    CHECK(four.gpus == 4 && four.domain == 4 && !four.link_switched && !four.link_reduces);
    CHECK_NEAR(four.link_pair_bytes_per_s, four.link_bytes_per_s / 3, 1e-12);
    CHECK(eight.link_pair_bytes_per_s == 0);
    CASE("72 that NVLink reaches are no box: cards stay those of 18 boxes");
    clg_node rack = box("gb200", 72);
    CHECK(rack.domain == 72 && rack.gpus < 72 && rack.link_pair_bytes_per_s == 0);
    CASE("a GH200 is one of four in a box, each limited to 680 W less 100; alone it has its "
         "board's");
    CHECK(box("gh200-96gb", 4).gpu_limit_w == 580 && box("gh200-96gb", 1).gpu_limit_w == 0);
    CHECK(box("gh200-96gb", 1).gpus == 1 && box("gh200-96gb", 4).nics == 4);
    clg_arena_clear(&arena);
    return DONE;
}
