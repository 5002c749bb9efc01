/* Sweeps of collectives: by hand on round numbers, and what rings and trees do as ranks grow. */
#include "cost/sweep.h"
#include "test.h"

#include <string.h>

static clg_machine machine(void) {
    clg_machine m = {.gpus = 2};
    m.node.gpus = m.node.domain = 8;
    return m;
}

static clg_network network(void) {
    clg_network n = {.fast = {1e-6, 100e9, false}, .slow = {5e-6, 25e9, false}};
    n.sigma_fast = 0.1;
    n.sigma_slow = 0.2;
    return n;
}

static void by_hand(void) {
    clg_machine m = machine();
    clg_network n = network();
    CASE("8 ranks in a box, 80 MB: 7 hops of 1 us and 70 MB at 100 GB/s = 707 us");
    clg_sweep_point p = clg_sweep_at(&n, &m, CLG_ALL_GATHER, 8, 80e6);
    CHECK_NEAR(p.seconds, 707e-6, 1e-9);
    CHECK(p.nodes == 1 && p.protocol == NULL);
    CHECK_NEAR(p.bus_bytes_per_s, 80e6 / 707e-6 * 7 / 8, 1e-9);
    CASE("its interval is the fast link's: 1.2816 x 0.1 either way");
    CHECK_NEAR(p.p90_s, p.seconds * 1.12816, 1e-9);
    CHECK_NEAR(p.p10_s, p.seconds / 1.12816, 1e-9);
    CASE("over two boxes it is the network's");
    p = clg_sweep_at(&n, &m, CLG_ALL_GATHER, 16, 80e6);
    CHECK(p.nodes == 2);
    CHECK_NEAR(p.p90_s, p.seconds * (1 + 1.2816 * 0.2), 1e-9);
    CASE("a group that fills its last box by half still counts the box");
    CHECK(clg_sweep_at(&n, &m, CLG_ALL_GATHER, 12, 80e6).nodes == 2);
}

static void framed(void) {
    clg_machine m = machine();
    clg_network n = network();
    n.protocol[0] = (clg_protocol){.payload = 0.5};
    n.protocol[2] = (clg_protocol){.payload = 1, .slow_extra_s = 50e-6};
    CASE("small messages over many boxes take the protocol of few microseconds, large ones the "
         "one of much payload");
    CHECK(strcmp(clg_sweep_at(&n, &m, CLG_ALL_GATHER, 64, 1e3).protocol, "ll") == 0);
    CHECK(strcmp(clg_sweep_at(&n, &m, CLG_ALL_GATHER, 64, 1e9).protocol, "simple") == 0);
}

/* Fernandez et al. 2024, arXiv:2411.13055, figure 2. */
static void grows(void) {
    clg_machine m = machine();
    clg_network n = network();
    CASE("64 MiB from 8 to 256 boxes: rings fall with the ranks, trees hardly");
    double tree[2], ring[2];
    for (int i = 0; i < 2; i++) {
        int ranks = i ? 2048 : 64;
        tree[i] = clg_sweep_at(&n, &m, CLG_ALL_REDUCE, ranks, 64 * 1048576.0).bus_bytes_per_s;
        ring[i] = clg_sweep_at(&n, &m, CLG_ALL_GATHER, ranks, 64 * 1048576.0).bus_bytes_per_s;
    }
    CHECK(tree[1] > 0.8 * tree[0]);
    CHECK(ring[1] < 0.4 * ring[0]);
}

int main(void) {
    by_hand();
    framed();
    grows();
    return DONE;
}
