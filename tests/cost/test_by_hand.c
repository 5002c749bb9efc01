/* Formulas of cost/ with awkward numbers, worked on paper: round ones would let a wrong factor by.
 */
#include "cost/price.h"

#include "test.h"

static clg_network network(void) {
    return (clg_network){.fast = {3e-6, 130e9, false},
                         .slow = {11e-6, 37e9, false},
                         .base_s = 7e-6,
                         .base_slow_s = 19e-6,
                         .ramp_bytes = 2e6,
                         .ramp_slow_bytes = 5e6,
                         .tail = 0.04};
}

static const clg_algorithm *row_of(clg_collective kind, const char *name) {
    int count;
    const clg_algorithm *row = clg_algorithms(&count);
    for (int i = 0; i < count; i++)
        if (row[i].collective == kind && strcmp(row[i].name, name) == 0) return &row[i];
    return NULL;
}

static double by_name(const clg_network *w, clg_collective kind, const char *name, clg_group group,
                      double bytes) {
    const clg_algorithm *row = row_of(kind, name);
    return row ? row->time_s(w, group, bytes) : -2;
}

static void inside_a_domain(const clg_network *w) {
    clg_group g = {5, 8};
    /* ramp: 2e6 x 3e6 / 5e6 = 1.2e6 bytes for a buffer of 3e6, in proportion to the wire's bytes */
    CASE("ring all-reduce of 3 MB on 5 ranks: 7 + 2 x 4 x 3 us + (4.8e6 + 1.6 x 1.2e6) / 130e9");
    CHECK_NEAR(by_name(w, CLG_ALL_REDUCE, "ring", g, 3e6), 31e-6 + 6.72e6 / 130e9, 1e-12);
    CASE("ring all-gather: 7 + 4 x 3 us + (2.4e6 + .8 x 1.2e6) / 130e9");
    CHECK_NEAR(by_name(w, CLG_ALL_GATHER, "ring", g, 3e6), 19e-6 + 3.36e6 / 130e9, 1e-12);
    CASE("broadcast: 7 + 4 x 3 us + (3e6 + 1.2e6) / 130e9");
    CHECK_NEAR(by_name(w, CLG_BROADCAST, "ring", g, 3e6), 19e-6 + 4.2e6 / 130e9, 1e-12);
    CASE("send: 7 + 3 us + 3e6 / 130e9");
    CHECK_NEAR(by_name(w, CLG_SEND_RECEIVE, "direct", (clg_group){2, 8}, 3e6), 10e-6 + 3e6 / 130e9,
               1e-12);
}

static void between_domains(const clg_network *w) {
    /* 12 ranks, 4 a domain: 3 domains, log2 rounds up to 2, tail 1 + .04 x (2 - 1) = 1.04. A
     * ring's rate is 4 NICs x 37 = 148 GB/s, held down by the link's 130. Ramp of 6e6 bytes: 5e6 x
     * 6e6 / 11e6 = 30e6 / 11. */
    clg_group g = {12, 4};
    double ramp = 30e6 / 11;
    CASE("double tree: 19 + 2 (3 x 3 + 2 x 11) us + 1.04 x (12e6 + 2 ramp) / 130e9");
    CHECK_NEAR(by_name(w, CLG_ALL_REDUCE, "double-tree", g, 6e6),
               81e-6 + 1.04 * (12e6 + 2 * ramp) / 130e9, 1e-12);
    CASE("ring: 11 steps, 3 of them between: 19 + 2 (8 x 3 + 3 x 11) us + 1.04 x 11/6 (...) / "
         "130e9");
    CHECK_NEAR(by_name(w, CLG_ALL_REDUCE, "ring", g, 6e6),
               133e-6 + 1.04 * 11 / 6 * (6e6 + ramp) / 130e9, 1e-12);
    CASE("broadcast: a ring for each NIC of a domain, 19 + 8 x 3 + 3 x 11 us + 1.04 (6e6 + ramp) / "
         "130e9");
    CHECK_NEAR(by_name(w, CLG_BROADCAST, "ring", g, 6e6), 76e-6 + 1.04 * (6e6 + ramp) / 130e9,
               1e-12);
    CASE("all-to-all: 8/12 of the buffer through the own NIC, hops 3 + 2 x 11 us");
    CHECK_NEAR(by_name(w, CLG_ALL_TO_ALL, "direct", g, 6e6),
               44e-6 + 1.04 * 2 / 3 * (6e6 + ramp) / 37e9, 1e-12);
    CASE("or 8 ranks elsewhere, a message of 7 us each: 56 us are more than 22");
    clg_network apart = *w;
    apart.peer_s = 7e-6;
    apart.half_ranks = 5; /* nothing is passed on: not slower for being many */
    CHECK_NEAR(by_name(&apart, CLG_ALL_TO_ALL, "direct", g, 6e6),
               78e-6 + 1.04 * 2 / 3 * (6e6 + ramp) / 37e9, 1e-12);
    CASE("two domains are near: no tail; a rank alone in its domain sends over its own NIC");
    CHECK_NEAR(by_name(w, CLG_SEND_RECEIVE, "direct", (clg_group){2, 1}, 6e6), 30e-6 + 6e6 / 37e9,
               1e-12);
    CHECK_NEAR(by_name(w, CLG_BROADCAST, "ring", (clg_group){8, 4}, 6e6),
               19e-6 + 5 * 3e-6 + 2 * 11e-6 + (6e6 + ramp) / 130e9, 1e-12);
    CHECK_NEAR(by_name(w, CLG_BROADCAST, "ring", (clg_group){2, 1}, 6e6),
               19e-6 + 11e-6 + (6e6 + ramp) / 37e9, 1e-12);
}

static void long_groups(clg_network w) {
    w.half_ranks = 36; /* 12 ranks: 1 + 12/36 = 4/3 of the time on the wire, after the tail */
    double ramp = 30e6 / 11;
    CASE("long groups are slower between domains: 76 us + 1.04 x 4/3 (6e6 + ramp) / 130e9");
    CHECK_NEAR(by_name(&w, CLG_BROADCAST, "ring", (clg_group){12, 4}, 6e6),
               76e-6 + 1.04 * 4 / 3 * (6e6 + ramp) / 130e9, 1e-12);
    CASE("36 ranks have half the rate of few, on two domains too");
    CHECK_NEAR(by_name(&w, CLG_BROADCAST, "ring", (clg_group){36, 18}, 6e6),
               19e-6 + 33 * 3e-6 + 2 * 11e-6 + 2 * (6e6 + ramp) / 130e9, 1e-12);
    CASE("not inside one");
    CHECK_NEAR(by_name(&w, CLG_BROADCAST, "ring", (clg_group){5, 8}, 3e6), 19e-6 + 4.2e6 / 130e9,
               1e-12);
}

static void without_a_switch(clg_network w) {
    w.pair_bytes_per_s = 23e9; /* of 130e9: less than six neighbours' worth */
    double few = 30e6 / 11;
    CASE("a mesh: of five ranks four links carry, 7 + 4 x 3 us + (3e6 + 1.2e6) / 92e9");
    CHECK_NEAR(by_name(&w, CLG_BROADCAST, "ring", (clg_group){5, 8}, 3e6), 19e-6 + 4.2e6 / 92e9,
               1e-12);
    CASE("of two one, of eight all they have: 7 x 23 is more than 130");
    CHECK_NEAR(by_name(&w, CLG_BROADCAST, "ring", (clg_group){2, 8}, 3e6), 10e-6 + 4.2e6 / 23e9,
               1e-12);
    CHECK_NEAR(by_name(&w, CLG_BROADCAST, "ring", (clg_group){8, 8}, 3e6), 28e-6 + 4.2e6 / 130e9,
               1e-12);
    CASE("two neighbours in each of two domains: their pair, not 2 x 37e9 of NICs");
    CHECK_NEAR(by_name(&w, CLG_BROADCAST, "ring", (clg_group){4, 2}, 6e6),
               19e-6 + 3e-6 + 2 * 11e-6 + (6e6 + few) / 23e9, 1e-12);
}

static void in_the_switch(clg_network w) {
    clg_group g = {5, 8};
    CASE("a switch that adds: 7 + 2 x 3 us + (3e6 + 1.2e6) / 210e9; not for two ranks");
    CHECK(by_name(&w, CLG_ALL_REDUCE, "in-switch", g, 3e6) == -1);
    w.fast.reduces = true, w.in_switch_bytes_per_s = 210e9;
    CHECK_NEAR(by_name(&w, CLG_ALL_REDUCE, "in-switch", g, 3e6), 13e-6 + 4.2e6 / 210e9, 1e-12);
    CHECK(by_name(&w, CLG_ALL_REDUCE, "in-switch", (clg_group){2, 2}, 3e6) == -1);
    double ramp = 30e6 / 11;
    CASE("two domains: the buffer once over 4 NICs, 19 + 2 x 3 + 2 x 11 us + (6e6 + ramp) / 148e9");
    CHECK_NEAR(by_name(&w, CLG_ALL_REDUCE, "in-switch", (clg_group){8, 4}, 6e6),
               47e-6 + (6e6 + ramp) / 148e9, 1e-12);
    CASE("more: twice, 19 + 2 x 3 + 4 x 11 us + 1.04 x 2 (...) / 148e9");
    CHECK_NEAR(by_name(&w, CLG_ALL_REDUCE, "in-switch", (clg_group){12, 4}, 6e6),
               69e-6 + 1.04 * 2 * (6e6 + ramp) / 148e9, 1e-12);
}

static void protocols(clg_network w) {
    CASE("long rings of thin slices: the protocol with the cheaper hops wins, though it carries "
         "less");
    /* ranks of 64 domains alone: 63 slow steps a trip; all-gather of 640 kB: wire 630 kB, ramp 5e6
     * x .64e6 / 5.64e6, log2 64 = 6: tail 1.2 */
    clg_group g = {64, 1};
    double wire = 63.0 / 64 * (640e3 + 5e6 * 640e3 / 5.64e6) / 37e9 * 1.2;
    w.protocol[0] = (clg_protocol){.payload = .5};
    w.protocol[1] = (clg_protocol){1, 1e-6, 2e-6, 0, 0};
    double little = 19e-6 + 63 * 11e-6;
    CHECK_NEAR(by_name(&w, CLG_ALL_GATHER, "ring", g, 640e3), little + wire / .5, 1e-12);
    w.protocol[0].payload = .01;
    CHECK_NEAR(by_name(&w, CLG_ALL_GATHER, "ring", g, 640e3), little + 63 * 2e-6 + wire, 1e-12);
    CASE("a protocol that carries 5 GB/s at most: 630 kB take 126 us, more than 2 x wire");
    w.protocol[0] = (clg_protocol){.5, 0, 0, 5e9, 0};
    w.protocol[1].payload = 0;
    CHECK(2 * wire < 126e-6);
    CHECK_NEAR(by_name(&w, CLG_ALL_GATHER, "ring", g, 640e3), little + 126e-6, 1e-12);
    CASE("over two domains it carries what the links do");
    double two = 1.0 / 2 * (640e3 + 5e6 * 640e3 / 5.64e6) / 37e9;
    CHECK_NEAR(by_name(&w, CLG_ALL_GATHER, "ring", (clg_group){2, 1}, 640e3),
               19e-6 + 11e-6 + two / .5, 1e-12);
}

/* 12 ranks, 4 a domain: chains of 3, two levels between 3 domains; 4 NICs carry 148 GB/s. */
static void trees(clg_network w) {
    clg_group g = {12, 4};
    double ramp = 30e6 / 11, carried = 1.04 * (12e6 + 2 * ramp) / 130e9;
    CASE("a tree hands on blocks of 1.3 MB: 10 us a rank of the chain, 1.3e6 / 148e9 a level");
    w.tree[0] = (clg_protocol){.8, 1.5e-6, 4.5e-6, 0, 1.3e6};
    double hops = 19e-6 + 6 * 14.5e-6 + 4 * (15.5e-6 + 1.3e6 / 148e9);
    CHECK_NEAR(by_name(&w, CLG_ALL_REDUCE, "double-tree", g, 6e6), hops + carried / .8, 1e-12);
    CASE("the other carries all, in blocks five times as long: which is faster, goes by size");
    w.tree[2] = (clg_protocol){1, 1.5e-6, 4.5e-6, 0, 6.5e6};
    double large = 600e6 + 5e6 * 600e6 / 605e6;
    CHECK_NEAR(by_name(&w, CLG_ALL_REDUCE, "double-tree", g, 6e6), hops + carried / .8, 1e-12);
    CHECK_NEAR(by_name(&w, CLG_ALL_REDUCE, "double-tree", g, 600e6),
               19e-6 + 6 * 54.5e-6 + 4 * (15.5e-6 + 6.5e6 / 148e9) + 1.04 * 2 * large / 130e9,
               1e-12);
    const clg_algorithm *tree = row_of(CLG_ALL_REDUCE, "double-tree");
    CHECK_TEXT(clg_collective_protocol(&w, tree, g, 6e6), "ll");
    CHECK_TEXT(clg_collective_protocol(&w, tree, g, 600e6), "simple");
    CHECK(clg_collective_protocol(&w, tree, (clg_group){4, 4}, 6e6) == NULL);
    CASE("a message shorter than a block is handed on whole: 130 kB, 1 us a rank");
    w.tree[2].payload = 0;
    double little = 130e3 + 5e6 * 130e3 / 5.13e6;
    CHECK_NEAR(by_name(&w, CLG_ALL_REDUCE, "double-tree", g, 130e3),
               19e-6 + 6 * 5.5e-6 + 4 * (15.5e-6 + 130e3 / 148e9) + 1.04 * 2 * little / 130e9 / .8,
               1e-12);
    CASE("inside a domain the curve was measured over all of them");
    CHECK_NEAR(by_name(&w, CLG_ALL_REDUCE, "double-tree", (clg_group){4, 4}, 3e6),
               7e-6 + 6 * 3e-6 + (6e6 + 2 * 1.2e6) / 130e9, 1e-12);
    CASE("above switches that add: 25 us once, and blocks of 1.48 MB, 10 us a level");
    w.fast.reduces = true, w.in_switch_bytes_per_s = 210e9;
    w.switch_tree = (clg_protocol){1, 25e-6, 15e-6, 0, 1.48e6};
    CHECK_NEAR(by_name(&w, CLG_ALL_REDUCE, "in-switch", g, 6e6),
               19e-6 + 31e-6 + 4 * 36e-6 + 1.04 * 2 * (6e6 + ramp) / 148e9, 1e-12);
}

/* 12 ranks, 4 a domain: of 11 steps 3 are between domains, twice round; tail 1.04. */
static void framed(clg_network w) {
    clg_group g = {12, 4};
    double ramp = 30e6 / 11, carried = 1.04 * 11 / 6 * (6e6 + ramp) / 130e9;
    CASE("a protocol's hops: 2 (8 x 1.3 + 3 x 1.7) us more, and 1 / .96 of the wire's time");
    w.protocol[0] = (clg_protocol){.96, 1.3e-6, 1.7e-6, 0, 0};
    CHECK_NEAR(by_name(&w, CLG_ALL_REDUCE, "ring", g, 6e6), 133e-6 + 31e-6 + carried / .96, 1e-12);
    CASE("three domains: 11 MB at 5 GB/s are 2.2 ms, more than the links take");
    w.protocol[0].most_bytes_per_s = 5e9;
    CHECK_NEAR(by_name(&w, CLG_ALL_REDUCE, "ring", g, 6e6), 133e-6 + 31e-6 + 2.2e-3, 1e-12);
    CASE("faster than the links it does not speed them up");
    w.protocol[0].most_bytes_per_s = 500e9;
    CHECK_NEAR(by_name(&w, CLG_ALL_REDUCE, "ring", g, 6e6), 133e-6 + 31e-6 + carried / .96, 1e-12);
}

static void unfused_attention(void) {
    CASE("unfused attention: products by the curve of batched ones, passes over scores by memory");
    clg_gpu gpu = {.hbm_bytes_per_s = 1.7e12, .multiprocessors = 97};
    clg_kernels k = {.memory = {.efficiency = .8, .bytes_half = 3e6, .launch_s = 2e-6}};
    gpu.peak_flop_per_s[CLG_BF16] = 250e12;
    k.gemm[CLG_BF16] = (clg_gemm_curve){.efficiency = .9,
                                        .k_overhead = 100,
                                        .tail_share = .7,
                                        .launch_s = 1e-6,
                                        .medium_tile = .8,
                                        .small_tile = .6,
                                        .hbm_efficiency = .7,
                                        .sustained = 1};
    clg_kernels batched = k;
    batched.gemm[CLG_BF16].efficiency = .9 * .77;
    batched.gemm[CLG_BF16].hbm_efficiency = .55;
    k.batched.efficiency = .77, k.batched.hbm_efficiency = .55;
    clg_op op = {.attention = {.batch = 3,
                               .heads = 7,
                               .query_tokens = 1100,
                               .key_tokens = 1300,
                               .head_dim = 96,
                               .value_head_dim = 80}};
    double scores = 21.0 * 1100 * 1300; /* 30.03e6; two passes of half the bytes each */
    op.hbm_bytes = scores * 9;
    double passes = 2 * (2e-6 + (scores * 9 / 2 + 3e6) / 1.36e12);
    double products = clg_gemm_s(&gpu, &batched, CLG_BF16, 1100, 1300, 96, 21) +
                      clg_gemm_s(&gpu, &batched, CLG_BF16, 1100, 80, 1300, 21);
    CHECK_NEAR(clg_attention_s(&gpu, &k, CLG_UNFUSED, CLG_BF16, &op), products + passes, 1e-12);
    op.attention.backward = true;
    op.hbm_bytes = scores * 11;
    passes = 2 * (2e-6 + (scores * 11 / 2 + 3e6) / 1.36e12);
    products += clg_gemm_s(&gpu, &batched, CLG_BF16, 1100, 96, 1300, 21) +
                clg_gemm_s(&gpu, &batched, CLG_BF16, 1300, 80, 1100, 21);
    CHECK_NEAR(clg_attention_s(&gpu, &k, CLG_UNFUSED, CLG_BF16, &op), products + passes, 1e-12);
    CASE("blockwise: ten blocks of 1,024, five products each in the backward, three passes");
    op.attention.block = 1024, op.attention.blocks = 10, op.attention.fused = true;
    op.hbm_bytes = 21.0 * 10 * 1024 * 1024 * 11;
    passes = 3 * (2e-6 + (21.0 * 1024 * 1024 * 11 / 3 + 3e6) / 1.36e12);
    products = clg_gemm_s(&gpu, &batched, CLG_BF16, 1024, 1024, 96, 21) +
               clg_gemm_s(&gpu, &batched, CLG_BF16, 1024, 1024, 80, 21) +
               clg_gemm_s(&gpu, &batched, CLG_BF16, 1024, 80, 1024, 21) +
               2 * clg_gemm_s(&gpu, &batched, CLG_BF16, 1024, 96, 1024, 21);
    CHECK_NEAR(clg_attention_s(&gpu, &k, CLG_BLOCKWISE, CLG_BF16, &op), 10 * (products + passes),
               1e-12);
    CASE("heads 108 wide (216 bytes) miss the tensor cores, 104 wide (208 = 13 x 16) do not");
    gpu.peak_flop_per_s[CLG_FP32] = 19.5e12;
    CHECK_NEAR(clg_batched_gemm_s(&gpu, &k, CLG_BF16, 108, 1100, 1300, 108, 21),
               2 * 21.0 * 1100 * 1300 * 108 / (19.5e12 * .9) + 1e-6, 1e-12);
    CHECK_NEAR(clg_batched_gemm_s(&gpu, &k, CLG_BF16, 104, 1100, 1300, 104, 21),
               clg_gemm_s(&gpu, &batched, CLG_BF16, 1100, 1300, 104, 21), 1e-12);
}

static void passes(void) {
    CASE("the host: 170 launches of 9 us behind 1.1 ms of GPU work leave 430 us exposed");
    clg_pass_cost c = {.matrix_s = 700e-6, .attention_s = 100e-6, .memory_s = 300e-6};
    clg_stack nine = {.host.launch_s = 9e-6, .host.expert_s = 5e-6, .host.experts_s = 250e-6};
    clg_pricing host = {.stack = &nine};
    c.launches = 170;
    clg_pass_host(&c, &host);
    CHECK_NEAR(c.host_s, 430e-6, 1e-12);
    CHECK_NEAR(clg_pass_s(&c), 1530e-6, 1e-12);
    CASE("fewer launches: none of it is seen");
    c.launches = 110;
    clg_pass_host(&c, &host);
    CHECK(c.host_s == 0);
    CASE("a host that takes 2.5 times as long: 2.475 ms, 1.375 exposed");
    host.host_time = 2.5;
    clg_pass_host(&c, &host);
    CHECK_NEAR(c.host_s, 1375e-6, 1e-12);
    CASE("an expert layer's routing, 250 us, was timed as a whole: 2.725 ms, 1.625 exposed");
    c.routed = 1;
    clg_pass_host(&c, &host);
    CHECK_NEAR(c.host_s, 1625e-6, 1e-12);
    c.routed = host.host_time = 0;
    CASE("109 GB of updates on a host of 9.2 ms a GB: 1 s; one whose memory is 2.4 times as fast");
    const clg_op updates = {.kind = CLG_OP_HOST, .count = 1, .bytes = 108.7e9};
    nine.host.gigabyte_s = 9.2e-3;
    CHECK_NEAR(clg_op_s(&host, &updates), 1.00004, 1e-9);
    host.update_time = 0.417;
    CHECK_NEAR(clg_op_s(&host, &updates), 0.41701668, 1e-9);
    CASE("of two ranks, whose launcher leaves each one thread of 75 ms a GB: 4.07625 s");
    nine.host.thread_gigabyte_s = 75e-3;
    CHECK_NEAR(clg_op_s(&host, &updates), 0.41701668, 1e-9);
    clg_op shared = updates;
    shared.group = (clg_group){2, 2};
    CHECK_NEAR(clg_op_s(&host, &shared), 4.07625, 1e-9);
    host.update_time = 0;
    CASE("an expert layer adds its routing, 250 us, and 32 calls of 5 us: 1.4 ms, 300 us exposed");
    c.routed = 1, c.expert_calls = 32;
    clg_pass_host(&c, &host);
    CHECK_NEAR(c.host_s, 300e-6, 1e-12);
    c.routed = c.expert_calls = c.host_s = 0;
    CASE("traffic hides up to its share, and up to the compute that is left");
    clg_stack beside = {.overlap.slowdown = 1.05, .overlap.traffic_slowdown = 1};
    clg_pass_communicate(&c, CLG_AXIS_TP, 500e-6, 0.6, &beside);
    CHECK_NEAR(c.hidden_s[CLG_AXIS_TP], 300e-6, 1e-12);
    CHECK_NEAR(c.exposed_s[CLG_AXIS_TP], 200e-6, 1e-12);
    CHECK_NEAR(c.slowdown_s, 15e-6, 1e-12);
    beside.overlap.slowdown = 1;
    clg_pass_communicate(&c, CLG_AXIS_DP, 900e-6, 1, &beside);
    CHECK_NEAR(c.hidden_s[CLG_AXIS_DP], 800e-6, 1e-12);
    CHECK_NEAR(c.exposed_s[CLG_AXIS_DP], 100e-6, 1e-12);
    CHECK_NEAR(clg_pass_s(&c), 1100e-6 + 15e-6 + 300e-6, 1e-12);
}

static void called_one_by_one(void) {
    CASE("three kernels called one by one: 2 + (1.7 + 1.7) MB / 1.7 TB/s = 4 us each, but 5 us to "
         "call; one launch beside");
    clg_gpu gpu = {.hbm_bytes_per_s = 2e12};
    clg_kernels kernels = {.memory = {.efficiency = .85, .bytes_half = 1.7e6, .launch_s = 2e-6}};
    clg_stack stack = {.host.expert_s = 5e-6};
    clg_pricing pricing = {.gpu = &gpu, .kernels = &kernels, .stack = &stack, .imbalance = 1};
    clg_pass_cost cost[CLG_PASSES];
    static clg_block block = {.ops = 1};
    block.op[0] = (clg_op){
        .kind = CLG_OP_MEMORY, .count = 3, .expert_calls = 1, .hbm_bytes = 1.7e6, .group = {1, 1}};
    clg_block_price(&pricing, &block, cost);
    CHECK_NEAR(cost[CLG_PASS_FORWARD].memory_s, 15e-6, 1e-12);
    CHECK_NEAR(cost[CLG_PASS_FORWARD].launches, 1, 0);
    CHECK_NEAR(cost[CLG_PASS_FORWARD].expert_calls, 3, 0);
    CHECK(cost[CLG_PASS_FORWARD].host_s == 0);
    CASE("kernels that are not are launched three times, in the GPU's own time");
    block.op[0].expert_calls = 0;
    clg_block_price(&pricing, &block, cost);
    CHECK_NEAR(cost[CLG_PASS_FORWARD].memory_s, 12e-6, 1e-12);
    CHECK_NEAR(cost[CLG_PASS_FORWARD].launches, 3, 0);
    CASE("where the host awaits what they leave, no faster than it launches them: 3 x 20 us");
    block.op[0].awaited = true;
    stack.host.launch_s = 20e-6;
    clg_block_price(&pricing, &block, cost);
    CHECK_NEAR(cost[CLG_PASS_FORWARD].memory_s, 60e-6, 1e-12);
    CHECK(cost[CLG_PASS_FORWARD].host_s == 0); /* not once more */
}

int main(void) {
    called_one_by_one();
    clg_network w = network();
    inside_a_domain(&w);
    between_domains(&w);
    long_groups(w);
    without_a_switch(w);
    in_the_switch(w);
    protocols(w);
    trees(w);
    framed(w);
    unfused_attention();
    passes();
    return DONE;
}
