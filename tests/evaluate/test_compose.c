/* A step composed of layers of whole seconds, worked by hand: what hides under which pass, what
 * sends cost, and the bound that knows the stages. Layers take 1 s forward and 2 s back. */
#include "evaluate/compose.h"

#include "plan.h"

static clg_arena arena;
static clg_scenario base;
static clg_priced priced;

static void fill(clg_pass_cost pass[CLG_PASSES], double seconds, bool again) {
    for (int p = 0; p < CLG_PASSES; p++) pass[p] = (clg_pass_cost){.matrix_s = seconds};
    if (!again) pass[CLG_PASS_RECOMPUTE].matrix_s = 0;
}

static clg_evaluation composed(const clg_scenario *s, clg_layout l, clg_wanted wanted) {
    clg_evaluation e = {0};
    clg_error error = {0};
    clg_price_blocks(s, &l, NULL, &priced);
    fill(priced.layer[0], 1, l.recompute == CLG_RECOMPUTE_FULL);
    fill(priced.embedding, 0, false);
    fill(priced.head, 0, false);
    CHECK(clg_compose(&arena, s, &l, &priced, wanted, &e, &error) == CLG_OK);
    return e;
}

static clg_evaluation whole(const clg_scenario *s, clg_layout l) {
    return composed(s, l, (clg_wanted){.detail = true});
}

/* The bound that all stages together give: the highest cutoff that cuts. One stage alone may be
 * enough for a lower one. */
static double least_s(const clg_scenario *s, clg_layout l) {
    double bound_s = 1e-9;
    clg_evaluation e = composed(s, l, (clg_wanted){.cutoff_s = bound_s});
    for (int i = 0; i < 100 && e.memory.total_bytes == 0; i++) {
        CHECK(e.step_s > bound_s);
        bound_s = e.step_s;
        e = composed(s, l, (clg_wanted){.cutoff_s = bound_s});
    }
    return bound_s;
}

/* The bound of a step that is cut off, without its optimizer. */
static double cut_s(const clg_scenario *s, clg_layout l) {
    clg_evaluation placed = whole(s, l);
    double bound_s = least_s(s, l);
    CHECK(bound_s <= placed.step_s * (1 + 1e-12));
    return bound_s - placed.time.optimizer_s;
}

/* No latency, no host, nobody late; a network of so many seconds for a parameter's byte. */
static clg_scenario plain(double s_per_byte) {
    clg_scenario s = base;
    s.network = (clg_network){.fast = {.bytes_per_s = 1e30}, .slow = {.bytes_per_s = 1e30}};
    if (s_per_byte > 0) s.network.slow.bytes_per_s = 63.0 / 64 / 8 / s_per_byte;
    s.stack.sigma.jitter = s.stack.sigma.shard_jitter = 0;
    s.stack.host.launch_s = s.stack.host.step_s = s.stack.host.micro_batch_s = 0;
    s.stack.overlap.bucket_parameters = s.stack.overlap.bucket_parameters_per_rank = 0;
    s.stack.overlap.gradient = 0.8, s.stack.overlap.parameter = 0.5;
    s.stack.overlap.slowdown = 1.1, s.stack.overlap.traffic_slowdown = 1.25;
    s.stack.overlap.send = s.stack.traffic.scatter_gather = s.stack.stages.by_cost = false;
    s.stack.traffic.shard_copies = false;
    return s;
}

static const double all = 8030261248.0; /* parameters */

/* Gradients of 4 bytes take 40 s, or 400, weights half of it. */
static void windows(void) {
    clg_layout l = plan_layout(4096);
    l.dp = 64, l.zero = 1, l.global_batch = 64;
    CASE("room enough: 8 of 40 s and 10 of 20 are waited for, and a tenth of what hides");
    clg_scenario s = plain(40 / (4 * all));
    CHECK_NEAR(whole(&s, l).time.dp_exposed_s, 8 + 3.2 + 10 + 1, 1e-9);
    CASE("31 of 32 layers hide a reduction, 62 s / 1.25, and a gather, 31 s / 1.25");
    s = plain(400 / (4 * all));
    double gather = 200 - 24.8 + 2.48;
    CHECK_NEAR(whole(&s, l).time.dp_exposed_s, 400 - 49.6 + 4.96 + gather, 1e-9);
    CASE("what is done again hides a reduction too: 93 s / 1.25");
    l.recompute = CLG_RECOMPUTE_FULL;
    CHECK_NEAR(whole(&s, l).time.dp_exposed_s, 400 - 74.4 + 7.44 + gather, 1e-9);
}

/* Stages of 4 and 28 layers, one micro-batch, no overlap: the second starts 4 s later, ends 8 s
 * before the first. */
static void late_and_early(void) {
    static const int split[] = {4, 28};
    clg_layout l = plan_layout(4096);
    l.pp = 2, l.dp = 64, l.zero = 1, l.global_batch = 64, l.split = split, l.split_count = 2;
    CASE("a stage that ends early waits less for its reduction, one that starts late for weights");
    clg_scenario s = plain(40 / (4 * all));
    s.stack.overlap.gradient = s.stack.overlap.parameter = 0;
    clg_evaluation e = whole(&s, l);
    double first = e.stages[0].dense / all * 40, last = e.stages[1].dense / all * 40;
    double send = 4096 * 4096 * 2 / s.network.slow.bytes_per_s;
    CHECK(last - 8 - send > first && last / 2 - 4 - send > first / 2);
    CHECK_NEAR(e.time.dp_exposed_s, last - 8 - send + last / 2 - 4 - send, 1e-9);
    CASE("tied ends: each rank sums its part of the embedding, stages between nothing");
    s.model.tied = true;
    l.split = NULL, l.split_count = 0, l.pp = 4, l.tp = 2, l.dp = 8, l.global_batch = 8;
    e = whole(&s, l);
    CHECK(e.stages[0].tied == 128256.0 * 4096 / 2 && e.stages[3].tied == 128256.0 * 4096 / 2);
    CHECK(e.stages[1].tied == 0);
    l.pp = 1, l.dp = 32, l.global_batch = 32;
    CHECK(whole(&s, l).stages[0].tied == 0);
}

/* A layer's gather takes `layer`, that of embedding and head `edge`; scatters twice that. */
static void shards(void) {
    clg_layout l = plan_layout(4096);
    l.dp = 64, l.zero = 3, l.global_batch = 64;
    clg_scenario s = plain(1e-10);
    s.stack.overlap.slowdown = s.stack.overlap.traffic_slowdown = 1;
    clg_evaluation e = whole(&s, l);
    double layer = 218112000 * 2e-10, edge = (2 * 128256.0 * 4096 + 4096) * 2e-10;
    double forward = layer + 31 * layer / 2 + edge;
    double backward = (32 * layer + edge) * (0.5 + 2 * 0.2);
    CASE("ZeRO-3: first gathers and the last scatter bare, of the others what does not overlap");
    CHECK_NEAR(e.time.dp_exposed_s, forward + backward + 2 * edge, 1e-9);
    CASE("a module that predicts further is gathered and scattered as the layers are");
    s.model.prediction_layers = 1;
    double more = layer / 2 + layer * (0.5 + 2 * 0.2);
    double beside = (2 * 4096.0 * 4096 + 3 * 4096) * 2e-10; /* projection, norms: with the head */
    more += beside + beside * (0.5 + 2 * 0.2) + 2 * beside;
    CHECK_NEAR(whole(&s, l).time.dp_exposed_s, forward + backward + 2 * edge + more, 1e-9);
    s.model.prediction_layers = 0;
    CASE("weights in fp8: layers gather half as much where they are cast first, the ends do not");
    l.precision = CLG_FP8, s.stack.traffic.narrow_gathers = true;
    forward = layer / 2 + 31 * layer / 4 + edge;
    backward = 32 * layer * (0.25 + 0.4) + edge * 0.9;
    CHECK_NEAR(whole(&s, l).time.dp_exposed_s, forward + backward + 2 * edge, 1e-9);
    CASE("what is cast anew in both orders is gathered in 16 bit");
    l.precision = CLG_MXFP8, s.stack.precision.cast_orders = true;
    forward = layer + 31 * layer / 2 + edge;
    backward = 32 * layer * (0.5 + 0.4) + edge * 0.9;
    CHECK_NEAR(whole(&s, l).time.dp_exposed_s, forward + backward + 2 * edge, 1e-9);
    s.stack.precision.cast_orders = false;
    CASE("ZeRO-2, four micro-batches: gathered in the first, scattered in the last");
    l.precision = CLG_BF16, s.stack.traffic.narrow_gathers = false;
    l.zero = 2, l.accumulation = 4, l.global_batch = 256;
    s.stack.traffic.scatters = CLG_SCATTERS_ONCE;
    forward = layer + 31 * layer / 2 + edge;
    CHECK_NEAR(whole(&s, l).time.dp_exposed_s, forward + (32 * layer + edge) * 2 * 0.2, 1e-9);
}

/* Whole gradients take as long to sum as those of ZeRO-1 after the backward. */
static void sums(void) {
    clg_layout l = plan_layout(4096);
    l.dp = 64, l.zero = 1, l.global_batch = 64;
    clg_scenario s = plain(1e-10);
    s.stack.traffic.zero_one = CLG_ZERO_ONE_SUMS_AFTER,
    s.stack.traffic.scatters = CLG_SCATTERS_SUMS;
    s.stack.overlap.parameter = 0;
    double gather = all * 2e-10, once = whole(&s, l).time.dp_exposed_s;
    CASE("ZeRO-2 by whole sums: one bare in each of four micro-batches, weights gathered once");
    l.zero = 2, l.accumulation = 4, l.global_batch = 256;
    s.stack.overlap.parameter = 0.5;
    CHECK(once > 3 * gather);
    CHECK_NEAR(whole(&s, l).time.dp_exposed_s, 4 * (once - gather) + gather, 1e-9);
}

/* 8.03 billion parameters at 10 bytes/s of memory a parameter: 0.4 s forward, 1 s back. */
static void buffers(void) {
    clg_layout l = plan_layout(4096);
    l.dp = 64, l.zero = 3, l.global_batch = 128, l.accumulation = 2;
    clg_scenario s = plain(0);
    s.stack.overlap.slowdown = s.stack.overlap.traffic_slowdown = 1;
    s.stack.traffic.shard_copies = true;
    s.kernels.memory.efficiency = 10 * all / s.machine.gpu.hbm_bytes_per_s;
    s.kernels.memory.launch_s = s.kernels.memory.bytes_half = 0;
    CASE("copies of sharded weights and gradients are compute of every micro-batch");
    double with = whole(&s, l).time.compute_s;
    s.stack.traffic.shard_copies = false;
    CHECK_NEAR(with - whole(&s, l).time.compute_s, 2 * (0.4 + 1.0), 1e-9);
    CASE("weights that ZeRO-2 gathers once are copied once");
    s.stack.traffic.shard_copies = true, l.zero = 2;
    CHECK_NEAR(whole(&s, l).time.compute_s - (with - 2 * 1.4), 0.4 + 2 * 0.6, 1e-9);
}

/* 32 layers of 7 matrices, 1 s each; the GPU has 1 s a layer and pass to do. */
static void hooks(void) {
    clg_layout l = plan_layout(4096);
    l.dp = 64, l.zero = 3, l.global_batch = 64;
    clg_scenario s = plain(0);
    double least = whole(&s, l).time.host_s;
    s.stack.host.gather_s = 1;
    clg_evaluation e = whole(&s, l);
    CASE("hooks fetch every matrix forward and backward, beside the GPU");
    CHECK_NEAR(e.time.host_s + e.time.compute_s, 2 * 7 * 32, 1e-9);
    CASE("where the GPU has more to do, nothing is waited for");
    s.stack.host.gather_s = 1.0 / 7;
    CHECK(whole(&s, l).time.host_s == least);
    CASE("8 of 32 layers recomputed: a quarter of the forward once more");
    s.stack.host.gather_s = 1;
    l.recompute = CLG_RECOMPUTE_FULL, l.recompute_layers = 8;
    e = whole(&s, l);
    CHECK_NEAR(e.time.host_s + e.time.compute_s, 2.25 * 7 * 32, 1e-9);
    CASE("weights that ZeRO-2 keeps whole are not fetched");
    l.zero = 2;
    CHECK(whole(&s, l).time.host_s <= least);
}

/* 4 matrices of a layer, 64 ranks, 10 us each. */
static void copies(void) {
    clg_layout l = plan_layout(4096);
    l.dp = 64, l.zero = 3, l.global_batch = 64;
    clg_scenario s = plain(0);
    s.stack.host.copy_s = 1e-5;
    double once = 1e-5 * 64 * 4 * 32;
    CASE("the host copies each rank's part after a gather and before a scatter: three times");
    CHECK_NEAR(whole(&s, l).time.host_s, 3 * once, 1e-9);
    CASE("8 of 32 layers recomputed: a quarter once more");
    l.recompute = CLG_RECOMPUTE_FULL, l.recompute_layers = 8;
    CHECK_NEAR(whole(&s, l).time.host_s, 3.25 * once, 1e-9);
    CASE("two ranks copy, one has nothing to copy, nor has ZeRO-2");
    l.recompute = CLG_RECOMPUTE_NONE, l.recompute_layers = 0, l.dp = 2, l.global_batch = 2;
    CHECK_NEAR(whole(&s, l).time.host_s, 3 * once / 32, 1e-9);
    l.zero = 2;
    CHECK(whole(&s, l).time.host_s == 0);
}

static clg_layout four(clg_schedule_kind schedule, int accumulation) {
    clg_layout l = plan_layout(4096);
    l.tp = 8, l.pp = 4, l.schedule = schedule;
    l.accumulation = accumulation, l.global_batch = accumulation;
    return l;
}

/* Activations of 4096 x 4096 x 2 bytes, 8 tensor ranks. */
static void sends(void) {
    clg_scenario s = plain(0);
    s.network.slow.bytes_per_s = 4096 * 4096 * 2 / 20.0;
    s.network.fast.bytes_per_s = 4096 * 4096 * 2 * 7 / 8.0 / 2;
    CASE("one micro-batch passes 6 boundaries of 20 s");
    CHECK_NEAR(whole(&s, four(CLG_1F1B, 1)).time.pp_exposed_s, 120, 1e-9);
    CASE("in parts: 20 / 8 s each, and gathered inside the box in 2 s");
    s.stack.traffic.scatter_gather = true;
    CHECK_NEAR(whole(&s, four(CLG_1F1B, 1)).time.pp_exposed_s, 6 * 4.5, 1e-9);
    CASE("sequence parallel ranks hold a part each anyway");
    clg_layout l = four(CLG_1F1B, 1);
    l.sp = true;
    double once = whole(&s, l).time.pp_exposed_s;
    CHECK_NEAR(once, 120.0 * priced.step.boundary_bytes / (4096 * 4096 * 2), 1e-9);
}

/* Stages of 8 layers: 8 s down, 16 s up. A send takes 20 s and holds its stage. */
static void cut(void) {
    clg_scenario s = plain(0);
    s.network.slow.bytes_per_s = 4096 * 4096 * 2 / 20.0;
    CASE("the bound of a step cut off, 1f1b: 2 x 28 down, 4 x 24, 7 sends of stage 2, 2 x 36 up");
    CHECK_NEAR(cut_s(&s, four(CLG_1F1B, 4)), 56 + 96 + 140 + 72, 1e-9);
    CASE("sends that hold nobody: 3 x 28 + 4 x 24 + 3 x 36, the last stage's");
    s.stack.overlap.send = true;
    CHECK_NEAR(cut_s(&s, four(CLG_1F1B, 4)), 84 + 96 + 108, 1e-9);
    CASE("one micro-batch: the bound is the step");
    CHECK_NEAR(cut_s(&s, four(CLG_1F1B, 1)), 6 * 20 + 4 * 24, 1e-9);
    s.stack.overlap.send = false;
    CASE("weight gradients fill the way up: only the way down is sure");
    CHECK_NEAR(cut_s(&s, four(CLG_ZB_H1, 4)), 56 + 96 + 140, 1e-9);
    CASE("from both ends: the work alone");
    clg_scenario fast = plain(0);
    CHECK_NEAR(cut_s(&fast, four(CLG_DUALPIPE, 8)), 8 * 24, 1e-9);
    CASE("two chunks of 8 layers on two stages: ends send twice a micro-batch");
    clg_layout l = four(CLG_INTERLEAVED, 2);
    l.pp = 2, l.vpp = 2;
    CHECK_NEAR(cut_s(&s, l), 28 + 2 * 48 + 60 + 36, 1e-9);
}

/* Eight nodes: sqrt(2 ln 8) = 2.039334, ln 8 = 2.079442. */
static void waits(void) {
    clg_layout l = plan_layout(4096);
    l.dp = 64, l.zero = 3, l.global_batch = 128, l.accumulation = 2;
    clg_scenario s = plain(1e-10);
    s.stack.sigma.jitter = 0.01, s.stack.sigma.shard_jitter = 0.02;
    s.stack.host.step_s = 0.5, s.stack.host.micro_batch_s = 0.25, s.data_loading_s = 3;
    clg_evaluation e = whole(&s, l);
    double all_s = 0.01 * 2.0393339803376178, shards_s = 0.02 * 2.0794415416798357;
    CASE("all of a step waits for the slowest node, all but its exposed traffic for shards");
    CHECK_NEAR(e.time.host_s, 1, 1e-12);
    double busy = e.step_s - e.time.straggler_s;
    CHECK(e.time.dp_exposed_s > 1);
    CHECK_NEAR(e.time.straggler_s, busy * all_s + (busy - e.time.dp_exposed_s) * shards_s, 1e-12);
    CASE("the bound waits for what is sure: work, the end of the step, and host");
    s = plain(0);
    s.stack.sigma.jitter = 0.01, s.stack.sigma.shard_jitter = 0.02, s.data_loading_s = 3;
    e = whole(&s, l);
    double bound_s = least_s(&s, l);
    double sure = 195 + e.time.optimizer_s;
    CHECK_NEAR(bound_s, sure * (1 + all_s) + 195 * shards_s, 1e-9);
}

/* What a search may price once for two layouts, and what not. */
static void shared(void) {
    clg_layout l = four(CLG_1F1B, 4), other;
    l.zero = 1, other = l;
    CASE("layouts share prices where copies, stages and micro-batches differ");
    other.dp = 8, other.zero = 3, other.hsdp = 4, other.pp = 2, other.accumulation = 9;
    other.global_batch = 72, other.schedule = CLG_ZB_H1;
    CHECK(clg_priced_same(&l, &other) && clg_priced_same(&other, &l));
    CASE("and not where an operation does");
    enum { UNLIKE = 15 };
    clg_layout unlike[UNLIKE];
    for (int i = 0; i < UNLIKE; i++) unlike[i] = l;
    unlike[0].tp = 4, unlike[1].sp = true, unlike[2].cp = 2,
    unlike[3].cp_kind = CLG_CONTEXT_ULYSSES;
    unlike[4].ep = 2, unlike[5].etp = 2, unlike[6].micro_batch = 2, unlike[7].recompute = 2;
    unlike[8].attention = CLG_UNFUSED, unlike[9].precision = CLG_FP8, unlike[10].seq = 8192;
    unlike[11].order = 3, unlike[12].schedule = CLG_DUALPIPE, unlike[13].accumulation = 1;
    unlike[14].zero = 0; /* autocast */
    for (int i = 0; i < UNLIKE; i++)
        CHECK(!clg_priced_same(&l, &unlike[i]) && !clg_priced_same(&unlike[i], &l));
}

/* Which stage holds what. */
static void layers(void) {
    static const int split[] = {4, 28};
    clg_scenario s = plain(0);
    clg_layout l = plan_layout(4096);
    l.pp = 2;
    CASE("modules that predict further are layers more of the last stage");
    s.model.prediction_layers = 1;
    clg_evaluation e = whole(&s, l);
    CHECK(e.stages[0].layers == 16 && e.stages[1].layers == 17);
    CASE("stages by cost: the head counts; layers given by hand stay");
    s.model.prediction_layers = 0, s.stack.stages.by_cost = true;
    e = whole(&s, l);
    CHECK(e.stages[0].layers > e.stages[1].layers && e.stages[0].layers < 20);
    l.split = split, l.split_count = 2;
    e = whole(&s, l);
    CHECK(e.stages[0].layers == 4 && e.stages[1].layers == 28);
}

/* Two directions: 16 layers in two chunks, and two last micro-batches to hide under. */
static void both_ways(void) {
    clg_layout l = four(CLG_DUALPIPE, 8);
    clg_scenario s = plain(0);
    s.network.slow.bytes_per_s = 1e7; /* copies are on two stages, so in two boxes */
    double exposed_s[2];
    for (int i = 0; i < 2; i++) {
        s.stack.overlap.gradient = i;
        exposed_s[i] = whole(&s, l).time.dp_exposed_s;
    }
    CASE("both directions hide a reduction: 2 x 15/16 x 16 s / 1.25, a tenth of it lost");
    CHECK_NEAR(exposed_s[0] - exposed_s[1], 0.9 * 24, 1e-9);
}

static void limits(void) {
    clg_layout l = plan_layout(4096);
    clg_error error = {0};
    clg_scenario s = plain(0);
    clg_evaluation e = whole(&s, l);
    CASE("what a GPU has is without context and communicators; memory is as far below as above");
    CHECK(s.stack.memory.context_bytes > 0);
    CHECK_NEAR(e.capacity_bytes + clg_memory_outside_bytes(&s.stack, &l),
               s.machine.gpu.memory_usable_bytes, 1e-12);
    CHECK(e.memory_p90_bytes > e.memory.total_bytes);
    CHECK_NEAR(e.memory_p90_bytes * e.memory_p10_bytes, e.memory.total_bytes * e.memory.total_bytes,
               1e-12);
    CASE("a plan larger than asked for is not placed: its step is the bound");
    clg_evaluation large = composed(&s, l, (clg_wanted){.most_bytes = 1});
    CHECK(large.time.compute_s == 0 && large.step_s > 0 && large.step_s <= e.step_s);
    clg_evaluation small = composed(&s, l, (clg_wanted){.most_bytes = 1e15});
    CHECK(small.step_s == e.step_s && small.time.compute_s > 0);
    CASE("executed: 10 flop a layer in each of three passes, on all of 2 x 4 x 8 ranks, 3 times");
    l.tp = 2, l.cp = 4, l.dp = 8, l.accumulation = 3, l.global_batch = 24;
    clg_price_blocks(&s, &l, NULL, &priced);
    for (int p = 0; p < CLG_PASSES; p++) {
        priced.embedding[p] = priced.head[p] = (clg_pass_cost){0};
        priced.layer[0][p] = (clg_pass_cost){.matrix_s = 1};
        if (p != CLG_PASS_RECOMPUTE) priced.layer[0][p].flop = 10;
    }
    CHECK(clg_compose(&arena, &s, &l, &priced, (clg_wanted){0}, &e, &error) == CLG_OK);
    CHECK_NEAR(e.executed_flop, 32 * 30 * 3 * 64.0, 1e-12);
}

/* Without a pipeline nothing is left to chance but the order of sums. */
static void one_stage(void) {
    clg_layout l = plan_layout(4096);
    l.dp = 64, l.global_batch = 64;
    CASE("memory alone: as in the whole answer, nothing of time");
    clg_scenario own = plain(0);
    clg_evaluation alone = composed(&own, l, (clg_wanted){.memory_alone = true});
    CHECK(alone.memory.total_bytes == whole(&own, l).memory.total_bytes && alone.step_s == 0);
    CASE("one stage: the bound of a step cut off is the step");
    clg_scenario s = plain(40 / (4 * all));
    for (l.zero = 0; l.zero <= 3; l.zero++) {
        clg_evaluation e = whole(&s, l);
        CHECK(e.time.dp_exposed_s > 1);
        CHECK_NEAR(cut_s(&s, l), e.step_s - e.time.optimizer_s, 1e-12);
    }
    CASE("three stages of 10, 11, 11: the middle one's 7 sends are more than the way to the last");
    static const int split[] = {10, 11, 11};
    s = plain(0);
    s.network.slow.bytes_per_s = 4096 * 4096 * 2 / 20.0;
    l = four(CLG_1F1B, 4);
    l.pp = 3, l.split = split, l.split_count = 3;
    CHECK_NEAR(cut_s(&s, l), 30 + 132 + 140 + 40, 1e-9);
}

/* Stages of 8 layers, those of one stage of a kind of their own; a rank's parameters of a layer of
 * that kind, of the others', and of the head are as given. */
static clg_evaluation held(const clg_scenario *s, int own, double dense, double expert,
                           double others, double head) {
    uint8_t kinds[32] = {0};
    clg_scenario two = *s;
    clg_evaluation e = {0};
    clg_error error = {0};
    clg_layout l = four(CLG_1F1B, 4);
    for (int i = 0; i < 8; i++) kinds[8 * own + i] = 1;
    two.model.kinds = 2, two.model.kind[1] = two.model.kind[0], two.model.layer_kind = kinds;
    clg_price_blocks(&two, &l, NULL, &priced);
    priced.step.kind[0].dense_parameters = others, priced.step.kind[0].expert_parameters = 0;
    priced.step.kind[1].dense_parameters = dense, priced.step.kind[1].expert_parameters = expert;
    priced.step.embedding.dense_parameters = 0, priced.step.head.dense_parameters = head;
    CHECK(clg_compose(&arena, &two, &l, &priced, (clg_wanted){.detail = true}, &e, &error) ==
          CLG_OK);
    return e;
}

/* A stage is priced like the one before only where it holds as much of everything. */
static void held_alike(void) {
    clg_scenario s = plain(0);
    CASE("as many parameters, more of them experts': updated like any others");
    double dense_s = held(&s, 2, 3e8, 0, 1e8, 0).time.optimizer_s;
    CHECK_NEAR(held(&s, 2, 1e8, 2e8, 1e8, 0).time.optimizer_s, dense_s, 1e-12);
    CHECK(dense_s > 2 * held(&s, 2, 1e8, 0, 1e8, 0).time.optimizer_s);
    CASE("the last of stages that hold as much sums the embedding: V h / 8 x 4 bytes, 2 ranks");
    s.network.slow.bytes_per_s = 1e8;
    double apart_s = held(&s, 0, 1e6, 0, 1e8, 0).time.optimizer_s;
    s.model.tied = true, s.model.final_parameters = 0;
    clg_evaluation e = held(&s, 0, 1e6, 0, 1e8, 0);
    CHECK(e.stages[2].dense == e.stages[3].dense && e.stages[3].tied > e.stages[2].tied);
    CHECK_NEAR(e.time.optimizer_s - apart_s, 128256.0 * 4096 / 8 * 4 / 1e8, 1e-9);
}

/* Seconds that stage 1 of 4 is busy beside compute, from both ends: it holds depths 1 and 2, whose
 * layers have so many parameters. */
static double sharded_s(const clg_scenario *s, int zero, double first, double second) {
    uint8_t kinds[32] = {0};
    clg_scenario two = *s;
    clg_evaluation e = {0};
    clg_error error = {0};
    clg_layout l = plan_layout(4096);
    l.pp = 4, l.dp = 16, l.schedule = CLG_DUALPIPE, l.zero = zero;
    l.accumulation = 8, l.global_batch = 128;
    memset(&kinds[16], 1, 16);
    two.model.kinds = 2, two.model.kind[1] = two.model.kind[0], two.model.layer_kind = kinds;
    clg_price_blocks(&two, &l, NULL, &priced);
    fill(priced.layer[0], 1, false), fill(priced.layer[1], 1, false);
    priced.step.kind[0].dense_parameters = first, priced.step.kind[1].dense_parameters = second;
    CHECK(clg_compose(&arena, &two, &l, &priced, (clg_wanted){.detail = true}, &e, &error) ==
          CLG_OK);
    CHECK_NEAR(e.stages[1].busy_s, e.stages[2].busy_s, 1e-9);
    return e.stages[1].busy_s - 8 * 8 * 3;
}

/* A chunk's traffic is of its own layers, whichever of its two stages is filled last. */
static void sharded_both_ways(void) {
    clg_scenario s = plain(1e-10);
    s.stack.overlap.gradient = s.stack.overlap.parameter = 0;
    CASE("two directions, layers of two kinds, sharded: either half of the batches costs its own");
    for (int zero = 2; zero <= 3; zero++) {
        double alike_s = sharded_s(&s, zero, 1e8, 1e8);
        CHECK(alike_s > 0.1);
        CHECK_NEAR(sharded_s(&s, zero, 3e8, 1e8), 2 * alike_s, 1e-9);
        CHECK_NEAR(sharded_s(&s, zero, 1e8, 3e8), 2 * alike_s, 1e-9);
    }
}

/* Experts are chosen with a deviation of 0.7 of the mean; a rank has 128 / 16 = 8 of them, so its
 * rows deviate by 0.7 / sqrt 8 = 0.2475 and, 32,768 rows by chance, 1 / sqrt 32768 = 0.0055:
 * 0.2476. The largest of 16 normals is 1.766 of that above the mean. */
static void learned(void) {
    clg_scenario s = plan_scenario(&arena, "qwen3-30b-a3b", "h100-sxm", "megatron-2026", 16);
    clg_layout l = plan_layout(4096);
    l.dp = l.ep = 16, l.global_batch = 16;
    CASE("experts of a learned router: all wait for the fullest of 16 ranks");
    CHECK_NEAR(clg_learned_imbalance(&s, &l), 1 + 1.766 * 0.2476, 1e-4);
    s.stack.experts.learned_routing = true;
    CHECK_NEAR(clg_pricing_of(&s, &l).imbalance, 1.4372, 1e-4);
    clg_evaluation late = plan_evaluation(&arena, &s, l);
    s.stack.experts.learned_routing = false;
    clg_evaluation even = plan_evaluation(&arena, &s, l);
    CHECK(late.step_s > 1.05 * even.step_s);
    CASE("forced evenly there is none but what was asked for; one rank has all experts");
    CHECK(clg_pricing_of(&s, &l).imbalance == 1);
    s.expert_imbalance = 1.6, s.stack.experts.learned_routing = true;
    CHECK(clg_pricing_of(&s, &l).imbalance == 1.6);
    CASE("nor where experts have so many places and no more");
    s.expert_imbalance = 1, s.stack.experts.capacity = 1.25;
    CHECK(clg_pricing_of(&s, &l).imbalance == 1);
    l.ep = 1;
    CHECK(clg_learned_imbalance(&s, &l) == 1);
    CASE("padded, all 128 are as long as the busiest: of 256 rows each 2.5942 x 0.7028 above");
    s.stack.experts.rows = CLG_ROWS_PADDED;
    CHECK_NEAR(clg_learned_imbalance(&s, &l), 1 + 2.5942 * 0.70278, 1e-4);
    l.ep = 16;
    CHECK_NEAR(clg_learned_imbalance(&s, &l), 1 + 2.5942 * 0.70005, 1e-2);
}

/* The module of one more token: a layer, a projection and another pass of the head. */
static void further_tokens(void) {
    CASE("modules for further tokens are trained where the software builds them");
    clg_scenario without = plan_scenario(&arena, "qwen3.5-9b", "h100-sxm", "transformers-fsdp", 8);
    clg_scenario with = plan_scenario(&arena, "qwen3.5-9b", "h100-sxm", "megatron-2026", 8);
    CHECK(without.model.prediction_layers == 0);
    CHECK(with.model.prediction_layers == 1);
}

int main(void) {
    learned();
    further_tokens();
    base = plan_scenario(&arena, "llama-3.1-8b", "h100-sxm", "megatron-2024", 64);
    windows();
    late_and_early();
    shards();
    sums();
    buffers();
    copies();
    hooks();
    sends();
    cut();
    waits();
    shared();
    layers();
    both_ways();
    limits();
    one_stage();
    held_alike();
    sharded_both_ways();
    clg_arena_clear(&arena);
    return DONE;
}
