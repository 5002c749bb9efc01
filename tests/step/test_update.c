/* What an update moves once a step, by hand, for a billion parameters over 16 ranks. */
#include "cost/price.h"
#include "step/step.h"

#include "plan.h"

static clg_arena arena;
static clg_scenario base;
static clg_step step;
static clg_updates updates;

static const clg_op *of(const clg_scenario *s, clg_layout l, const char *name) {
    CHECK(clg_layout_refuses(&arena, &s->model, &l) == NULL);
    clg_step_build(&s->model, &s->machine, &s->stack, &l, &step);
    clg_step_updates(&s->model, &s->stack, &l, &step, (clg_held){.dense = 1e9}, &updates);
    for (int i = 0; i < updates.count; i++)
        if (strcmp(updates.update[i].op.name, name) == 0) return &updates.update[i].op;
    static const clg_op none;
    return &none;
}

static clg_layout sixteen(int zero) {
    clg_layout l = plan_layout(4096);
    l.dp = 16, l.zero = zero, l.accumulation = 2, l.global_batch = 32;
    return l;
}

static void cleared(void) {
    CASE("every rank clears whole gradients of 4 bytes; its own sixteenth where it scatters");
    clg_scenario s = base;
    s.stack.traffic.scatters = CLG_SCATTERS_ONCE;
    CHECK_NEAR(of(&s, sixteen(1), "clear gradients")->hbm_bytes, 4e9, 1e-14);
    CHECK_NEAR(of(&s, sixteen(3), "clear gradients")->hbm_bytes, 4e9, 1e-14);
    clg_layout l = sixteen(3);
    l.accumulation = 1, l.global_batch = 16;
    CHECK_NEAR(of(&s, l, "clear gradients")->hbm_bytes, 0.25e9, 1e-14);
    s.stack.traffic.scatters = CLG_SCATTERS_EACH;
    CHECK_NEAR(of(&s, sixteen(3), "clear gradients")->hbm_bytes, 0.25e9, 1e-14);
    CASE("kept over two micro-batches gradients are scattered once, after the last");
    CHECK(!clg_gradients_whole(&l, &s.stack));
    s.stack.traffic.scatters = CLG_SCATTERS_ONCE;
    CHECK(!clg_gradients_whole(&l, &s.stack));
    l.accumulation = 2;
    CHECK(clg_gradients_whole(&l, &s.stack));
}

/* Of 16-bit weights without masters that ranks copy autograd's own gradients are reduced. */
static void plain(void) {
    CASE("copies of 16-bit weights alone reduce and clear 2 bytes; with masters, or sharded, 4");
    clg_scenario s = base;
    clg_layout copies = sixteen(0), sharded = sixteen(1);
    CHECK_NEAR(of(&s, copies, "clear gradients")->hbm_bytes, 4e9, 1e-14);
    s.stack.precision.master_weights = false;
    CHECK_NEAR(of(&s, copies, "clear gradients")->hbm_bytes, 2e9, 1e-14);
    CHECK(clg_gradient_bytes(&copies, &s.stack) == 2 &&
          clg_gradient_bytes(&sharded, &s.stack) == 4);
}

/* ZeRO-Offload, table 4: 28 bytes of 1e10 parameters in 2.57 s, wherever the ranks are. */
static void on_the_host(void) {
    CASE("offloaded: 8 bytes scaled, 28 of Adam, 6 of the narrowed weight, by eight ranks at once");
    clg_scenario s = base;
    clg_layout l = sixteen(1);
    l.offload = true;
    const clg_op *host = of(&s, l, "update on the host");
    CHECK(host->kind == CLG_OP_HOST);
    CHECK_NEAR(host->bytes, 42e9 / 16 * 8, 1e-14);
    CHECK(of(&s, l, "optimizer")->hbm_bytes == 0);
    CASE("without masters moments are of 16 bits: 8 + 4 + 8, and the weight read and written");
    s.stack.precision.master_weights = false, s.stack.moments = CLG_BF16;
    CHECK_NEAR(of(&s, l, "update on the host")->bytes, 24e9 / 16 * 8, 1e-14);
    CASE("gradients of 16 bits: 4 + 2 + 8 + 4");
    s.stack.gradient = CLG_BF16;
    CHECK_NEAR(of(&s, l, "update on the host")->bytes, 18e9 / 16 * 8, 1e-14);
    CASE("weights there too, PyTorch's kernel: gradient, weight and moments of 16 bits, in place");
    s.stack.memory.weights_on_host = true, s.stack.traffic.scatters = CLG_SCATTERS_ANYWHERE,
    l.zero = 3;
    CHECK_NEAR(of(&s, l, "update on the host")->bytes, 14e9 / 16 * 8, 1e-14);
    CASE("a DGX-2 takes 2.57 s for Adam of 1e10 parameters, as published");
    clg_pricing p = {.gpu = &base.machine.gpu, .stack = &base.stack};
    clg_op op = {.kind = CLG_OP_HOST, .count = 1, .bytes = 28e10};
    CHECK_NEAR(clg_op_s(&p, &op), 2.57, 0.01);
}

static void adam(void) {
    CASE("Adam: gradient 4, weight 2, states 12 read and written: 30 bytes of a sixteenth");
    clg_scenario s = base;
    CHECK_NEAR(of(&s, sixteen(1), "optimizer")->hbm_bytes, 30e9 / 16, 1e-14);
    CASE("unfused: 20 reads and writes of 4 bytes, 7 of them fused ones: 52 bytes more");
    s.stack.fused.optimizer = false;
    CHECK_NEAR(of(&s, sixteen(1), "optimizer")->hbm_bytes, (30 + 80 - 28) * 1e9 / 16, 1e-14);
    CASE("all in 16 bits: half, and the one kernel reads 2 and 4, writes 2 and 4");
    s.stack.precision.master_weights = false, s.stack.gradient = CLG_BF16;
    CHECK_NEAR(of(&s, sixteen(1), "optimizer")->hbm_bytes, (12 + 26) * 1e9 / 16, 1e-14);
    CASE("8-bit moments have a kernel of their own");
    clg_layout narrow = sixteen(1);
    narrow.optimizer = CLG_ADAM_8BIT;
    double bytes = of(&s, narrow, "optimizer")->hbm_bytes;
    s.stack.fused.optimizer = true;
    CHECK(of(&s, narrow, "optimizer")->hbm_bytes == bytes);
    s = base;
    CASE("on the host: 4 bytes of a gradient go, 2 of a weight come");
    clg_layout l = sixteen(1);
    l.offload = true;
    CHECK_NEAR(of(&s, l, "states on the host")->bytes, 6e9 / 16, 1e-14);
    CHECK(of(&s, l, "optimizer")->hbm_bytes == 0 && of(&s, l, "widen gradients")->hbm_bytes == 0);
    s.stack.gradient = CLG_BF16;
    CHECK(of(&s, l, "widen gradients")->hbm_bytes == 0);
    CHECK_NEAR(of(&s, sixteen(1), "widen gradients")->hbm_bytes, 6e9 / 16, 1e-14);
}

static void muon(void) {
    CASE("Muon: 5 iterations of 3 products of 4,096 x 4,096, 2 x 4,096 flop of each parameter");
    clg_layout l = sixteen(1);
    l.optimizer = CLG_MUON;
    const clg_op *op = of(&base, l, "Newton-Schulz iterations");
    CHECK_NEAR(op->flop, 15 * 2 * 4096.0 * 1e9 / 16, 1e-14);
    CHECK_NEAR(op->batch * 4096 * 4096, 15e9 / 16, 1e-14);
}

static void parts(void) {
    CASE("shards of eight: each is scattered there, and its eighth summed with the other eight");
    clg_layout l = sixteen(1);
    l.hsdp = 8;
    clg_scenario s = base;
    s.stack.overlap.bucket_parameters = s.stack.overlap.bucket_parameters_per_rank = 0;
    CHECK_NEAR(of(&s, l, "reduce-scatter gradients")->bytes, 4e9, 1e-14);
    CHECK_NEAR(of(&s, l, "all-reduce gradient shards")->bytes, 4e9 / 8, 1e-14);
    CHECK(of(&s, l, "all-reduce gradient shards")->group.ranks == 2);
    l.zero = 3;
    CHECK_NEAR(of(&s, l, "all-reduce gradient shards")->bytes, 4e9 / 8, 1e-14);
}

/* A billion weights of 2 bytes read and written; gradients of 2 read, and written in 4. */
static void copied(void) {
    CASE("sharded weights are copied out of their buffer twice, gradients into theirs once");
    clg_scenario s = base;
    clg_layout l = sixteen(3);
    CHECK_NEAR(of(&s, l, "copy gathered weights")->hbm_bytes, 4e9, 1e-14);
    CHECK_NEAR(of(&s, l, "copy gradients to scatter")->hbm_bytes, 6e9, 1e-14);
    int out = 0;
    for (int i = 0; i < updates.count; i++)
        out += strcmp(updates.update[i].op.name, "copy gathered weights") == 0;
    CHECK(out == 2);
    CASE("in 16 bit 2 are written; whole gradients of 4 bytes are copied after the last backward");
    s.stack.traffic.narrow_reductions = true;
    CHECK_NEAR(of(&s, l, "copy gradients to scatter")->hbm_bytes, 4e9, 1e-14);
    s.stack.traffic.narrow_reductions = false, s.stack.traffic.scatters = CLG_SCATTERS_ONCE;
    CHECK_NEAR(of(&s, l, "copy gradients to scatter")->hbm_bytes, 8e9, 1e-14);
    CASE("views of the buffers, ZeRO-1 and a single rank copy nothing");
    s.stack.traffic.shard_copies = false;
    CHECK(of(&s, l, "copy gathered weights")->hbm_bytes == 0);
    CHECK(of(&base, sixteen(1), "copy gathered weights")->hbm_bytes == 0);
    l.dp = 1, l.global_batch = 2;
    CHECK(of(&base, l, "copy gathered weights")->hbm_bytes == 0);
}

/* A billion gradients of 2 bytes: into the bucket 2 + 2, divided 2 + 2, flattened 2 + 2. */
static void summed(void) {
    CASE("stage 2 by whole sums: all-reduced in every backward, weights gathered after the update");
    clg_scenario s = base;
    s.stack.traffic.scatters = CLG_SCATTERS_SUMS, s.stack.gradient = CLG_BF16;
    clg_layout l = sixteen(2);
    const clg_op *op = of(&s, l, "all-reduce gradients");
    CHECK(op->collective == CLG_ALL_REDUCE && op->group.ranks == 16 && op->overlap == 0);
    CHECK_NEAR(op->bytes, 2e9, 1e-14);
    CHECK_NEAR(of(&s, l, "gather updated weights")->bytes, 2e9, 1e-14);
    CHECK_NEAR(of(&s, l, "copy gradients to sum")->hbm_bytes, 12e9, 1e-14);
    CHECK(of(&s, l, "gather layer weights")->bytes == 0);
    for (int i = 0; i < updates.count; i++)
        if (updates.update[i].op.collective == CLG_ALL_REDUCE && updates.update[i].op.bytes > 0)
            CHECK(updates.update[i].when == CLG_UPDATE_BACKWARD);
    CHECK(!clg_gradients_whole(&l, &s.stack));
    CASE("stage 3 scatters all the same");
    CHECK_NEAR(of(&s, sixteen(3), "reduce-scatter gradients")->bytes, 2e9, 1e-14);
}

/* Tensor traffic of a backward hides as much as that of a forward at least. */
static void beside(void) {
    CASE("tensor traffic: a stack's share of the backward, or of all where that is more");
    static const double rows[][3] = {{0.3, 0.6, 0.6}, {0.5, 0.2, 0.5}};
    for (int i = 0; i < 2; i++) {
        clg_scenario s = base;
        clg_layout l = sixteen(0);
        int found = 0;
        l.tp = 2, l.dp = 8, l.global_batch = 16;
        s.stack.overlap.tensor = rows[i][0], s.stack.overlap.tensor_backward = rows[i][1];
        clg_step_build(&s.model, &s.machine, &s.stack, &l, &step);
        for (int k = 0; k < step.kind[0].ops; k++) {
            const clg_op *op = &step.kind[0].op[k];
            if (op->kind != CLG_OP_COLLECTIVE || op->axis != CLG_AXIS_TP) continue;
            CHECK(op->overlap == (op->pass == CLG_PASS_FORWARD ? rows[i][0] : rows[i][2]));
            found++;
        }
        CHECK(found == 4);
    }
}

int main(void) {
    base = plan_scenario(&arena, "llama-3.1-8b", "h100-sxm", "megatron-2024", 16);
    cleared();
    plain();
    adam();
    on_the_host();
    muon();
    parts();
    copied();
    summed();
    beside();
    clg_arena_clear(&arena);
    return DONE;
}
