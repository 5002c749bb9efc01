/* What trainers free, move or keep, term by term, on numbers worked by hand. */
#include "memory/memory.h"

#include "plan.h"

static clg_arena arena;
static clg_step step;

/* Llama-2 7B: a layer is 4 x 4096^2 + 3 x 4096 x 11008 + 2 x 4096, a table 32000 x 4096. */
static const double LAYER = 202383360.0, LAYERS = 32, TABLE = 131072000.0;

typedef struct planned {
    clg_scenario s;
    clg_layout l;
    clg_stage_load load;
} planned;

static planned layers_on(int ranks, int zero) {
    planned plan = {.s = plan_scenario(&arena, "llama-2-7b", "h100-sxm", "megatron-2024", 16),
                    .l = plan_layout(4096),
                    .load = {.layers = {32}, .chunks = 1, .alive = 1}};
    plan.l.dp = ranks, plan.l.global_batch = ranks, plan.l.zero = zero;
    plan.s.stack.memory.reserve_share = plan.s.stack.memory.split_share = 0;
    return plan;
}

static clg_memory_ledger of(planned *plan) {
    clg_step_build(&plan->s.model, &plan->s.machine, &plan->s.stack, &plan->l, &step);
    return clg_memory_of_stage(&plan->s.model, &plan->s.stack, &plan->l, &step, &plan->load);
}

static double kept(void) { return LAYERS * step.kind[0].saved_bytes; }

static void gradients_that_wait(void) {
    CASE("summed by each rank, not scattered: 2 bytes of all, not 4 of a shard");
    planned plan = layers_on(8, 3);
    plan.s.stack.gradient = CLG_FP32;
    plan.s.stack.traffic.scatters = CLG_SCATTERS_ONCE;
    plan.s.stack.traffic.narrow_reductions = true;
    plan.l.accumulation = 2, plan.l.global_batch = 16;
    CHECK_NEAR(of(&plan).gradients_bytes, 2 * LAYERS * LAYER, 1e-14);
    CASE("of one micro-batch the shard");
    plan.l.accumulation = 1, plan.l.global_batch = 8;
    CHECK_NEAR(of(&plan).gradients_bytes, 4 * LAYERS * LAYER / 8, 1e-14);
    CASE("reduced in fp32, they wait in fp32");
    plan.s.stack.traffic.narrow_reductions = false;
    plan.l.accumulation = 2, plan.l.global_batch = 16;
    CHECK_NEAR(of(&plan).gradients_bytes, 4 * LAYERS * LAYER, 1e-14);
}

static void gradients_that_come_late(void) {
    CASE("gradients let go after a step: the first backward has activations, the last gradients");
    double all = 4 * LAYERS * LAYER; /* 25.9 GB in fp32 */
    planned plan = layers_on(1, 0);
    plan.l.seq = 1024;
    double before = of(&plan).total_bytes;
    plan.s.stack.memory.fresh_gradients = true;
    clg_memory_ledger m = of(&plan);
    CHECK(kept() < all);
    CHECK_NEAR(before - m.total_bytes, kept(), 1e-12);
    CHECK_NEAR(m.gradients_bytes, all, 1e-14);
    plan.l.seq = 32768;
    plan.s.stack.memory.fresh_gradients = false;
    before = of(&plan).total_bytes;
    plan.s.stack.memory.fresh_gradients = true;
    m = of(&plan);
    CHECK(kept() > all);
    CHECK_NEAR(before - m.total_bytes, all, 1e-12);
    CHECK(m.gradients_bytes < 1);
    CASE("the second micro-batch finds those of the first");
    plan.l.accumulation = 2, plan.l.global_batch = 2;
    CHECK_NEAR(of(&plan).total_bytes, before, 1e-14);
}

static void gradients_used_at_once(void) {
    CASE("updated in the backward: one layer's gradient, 4 bytes");
    planned plan = layers_on(1, 0);
    plan.l.seq = 32768;
    double buffers = of(&plan).buffers_bytes;
    plan.s.stack.memory.updates_in_backward = true;
    clg_memory_ledger m = of(&plan);
    CHECK(m.gradients_bytes == 0);
    CHECK_NEAR(m.buffers_bytes - buffers, 4 * LAYER, 1e-12);
}

static void updates_all_at_once(void) {
    CASE("a foreach update: the roots of all second moments, 2 bytes each of 16-bit states");
    planned plan = layers_on(1, 0);
    plan.l.seq = 128; /* so few activations that the update is the fullest moment */
    plan.s.stack.precision.master_weights = false, plan.s.stack.fused.optimizer = false;
    double before = of(&plan).total_bytes;
    plan.s.stack.kernels.foreach_update = true;
    clg_memory_ledger m = of(&plan);
    CHECK_NEAR(m.buffers_bytes, 2 * LAYERS * LAYER + plan.s.stack.memory.workspace_bytes, 1e-14);
    CHECK(m.total_bytes > before);
    CASE("fused, and of other optimizers, none");
    plan.s.stack.fused.optimizer = true;
    CHECK_NEAR(of(&plan).total_bytes, before, 1e-14);
    plan.s.stack.fused.optimizer = false, plan.l.optimizer = CLG_ADAM_8BIT;
    CHECK(of(&plan).buffers_bytes < m.buffers_bytes);
}

static void gaps_between_pieces(void) {
    CASE("the reserve: a sixth of what comes and goes, and no less than what cannot be let go of");
    planned plan = layers_on(1, 0);
    clg_memory_ledger without = of(&plan);
    double moving = without.activations_bytes + without.buffers_bytes;
    plan.s.stack.memory.reserve_share = 1.0 / 6, plan.s.stack.memory.split_share = 0.01;
    clg_memory_ledger m = of(&plan);
    CHECK_NEAR(m.reserved_bytes, moving / 6, 1e-12);
    CHECK_NEAR(m.needed_bytes, 1.01 * without.total_bytes, 1e-12);
    CASE("states alone leave no gaps: a hundredth of 18 bytes a parameter decides");
    plan.l.seq = 16;
    m = of(&plan);
    moving = m.activations_bytes + m.buffers_bytes;
    CHECK_NEAR(m.total_bytes, 1.01 * (18 * LAYERS * LAYER + moving), 1e-12);
    CHECK(m.needed_bytes == m.total_bytes);
}

static void copies_of_replicas(void) {
    CASE("replicas that reduce buckets hold gradients twice; one rank and shards do not");
    for (int ranks = 1; ranks <= 2; ranks++)
        for (int zero = 0; zero <= 1; zero++) {
            planned plan = layers_on(ranks, zero);
            plan.s.stack.memory.gradient_buckets = true;
            double bytes = ranks == 2 && zero == 0 ? 8 : 4;
            CHECK_NEAR(of(&plan).gradients_bytes, bytes * LAYERS * LAYER, 1e-14);
        }
}

static void on_the_host(void) {
    CASE("shards on the host: nothing but what is gathered and the gradient on its way there");
    planned plan = layers_on(16, 3);
    plan.s.stack.memory.weights_on_host = true;
    clg_memory_ledger m = of(&plan);
    CHECK(m.weights_bytes == 0 && m.gradients_bytes == 0 && m.optimizer_bytes == 0);
    CHECK_NEAR(m.buffers_bytes, (2 * 2 + 4) * LAYER + plan.s.stack.memory.workspace_bytes, 1e-14);
    CASE("unsharded weights stay");
    plan.l.zero = 1;
    CHECK_NEAR(of(&plan).weights_bytes, 2 * LAYERS * LAYER, 1e-14);
    CASE("paged states give way");
    plan.s.stack.memory.paged_states = true;
    CHECK(of(&plan).optimizer_bytes == 0);
    CASE("activations on the host: inputs of two layers of 32, 4096 x 4096 x 2 bytes each");
    plan = layers_on(1, 0);
    plan.l.recompute = CLG_RECOMPUTE_FULL;
    double here = of(&plan).activations_bytes;
    plan.s.stack.memory.activations_on_host = true;
    CHECK_NEAR(here - of(&plan).activations_bytes, 30 * 33554432.0, 1e-12);
}

static void losses_in_parts(void) {
    CASE("a loss in eight parts: 6 bytes a logit of an eighth, and the norm's 2 t h w");
    planned plan = layers_on(1, 0);
    plan.s.stack.fused.cross_entropy = false, plan.s.stack.loss.peak_bytes = 6;
    plan.s.stack.loss.chunks = 8;
    of(&plan);
    CHECK_NEAR(step.head.saved_bytes, 2 * 4096.0 * 4096 * 2, 1e-14);
    CHECK_NEAR(step.head.transient_bytes, 4096.0 * 32000 * 6 / 8, 1e-14);
    CASE("of an fp32 copy of the head, 4 bytes, which has an fp32 gradient, 4");
    plan.s.stack.loss.wide_head = true;
    of(&plan);
    CHECK_NEAR(step.head.transient_bytes, 4096.0 * 32000 * 6 / 8 + 8 * TABLE, 1e-14);
    CASE("none beside adapters");
    plan.l.adapter = (clg_adapter){.kind = CLG_ADAPTER_LORA, .base = CLG_BASE_BF16, .rank = 8};
    of(&plan);
    CHECK_NEAR(step.head.transient_bytes, 4096.0 * 32000 * 6 / 8 + 4 * TABLE, 1e-14);
}

static void what_is_frozen(void) {
    CASE("beside nf4 layers: tables and what layers pass on are fp32; not of shards, nor of GPTQ");
    const struct {
        clg_base_format base;
        int zero;
        double wide;
    } rows[] = {
        {CLG_BASE_NF4, 0, 4}, {CLG_BASE_INT4, 0, 2}, {CLG_BASE_BF16, 0, 2}, {CLG_BASE_NF4, 3, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        planned plan = layers_on(2, rows[i].zero);
        plan.l.adapter.kind = CLG_ADAPTER_LORA, plan.l.adapter.base = rows[i].base;
        plan.l.adapter.rank = 8, plan.l.recompute = CLG_RECOMPUTE_FULL;
        plan.s.stack.precision.widens_rest = true;
        clg_memory_ledger layers = of(&plan);
        CHECK_NEAR(step.kind[0].saved_bytes, 4096.0 * 4096 * rows[i].wide, 1e-14);
        plan.load.embedding = true;
        double share = rows[i].zero == 3 ? 0.5 : 1;
        double more = of(&plan).weights_bytes - layers.weights_bytes;
        /* to within what the share of trained parameters moves by */
        CHECK_NEAR(more, share * TABLE * rows[i].wide, 0.01);
    }
}

static void scales_beside_parameters(void) {
    CASE("scales of nf4, 0.127 bit each, whole on both ranks; of shards half is counted already");
    const double scales = LAYERS * LAYER * 0.127 / 8; /* 103 MB */
    planned plan = layers_on(2, 3);
    plan.l.adapter = (clg_adapter){.kind = CLG_ADAPTER_LORA, .base = CLG_BASE_NF4, .rank = 8};
    plan.s.stack.memory.whole_scales = false;
    double sharded = of(&plan).weights_bytes;
    plan.s.stack.memory.whole_scales = true;
    CHECK_NEAR(of(&plan).weights_bytes - sharded, scales / 2, 1e-9);
    CASE("parameters on the host leave them on the GPU");
    plan.s.stack.memory.weights_on_host = true;
    CHECK_NEAR(of(&plan).weights_bytes, scales, 1e-12);
    CASE("other bases have none");
    plan.l.adapter.base = CLG_BASE_BF16;
    CHECK(of(&plan).weights_bytes == 0);
}

static void widened_beside_a_product(void) {
    CASE("a product finds its 4-bit weight widened: the largest matrix in 16 bit, 90 MB");
    planned plan = layers_on(1, 0);
    plan.l.adapter = (clg_adapter){.kind = CLG_ADAPTER_LORA, .base = CLG_BASE_BF16, .rank = 8};
    of(&plan);
    double beside = step.kind[0].transient_bytes;
    plan.l.adapter.base = CLG_BASE_NF4;
    of(&plan);
    CHECK_NEAR(step.kind[0].transient_bytes - beside, 2 * 4096.0 * 11008, 1e-9);
}

static void heads_beside_nf4(void) {
    CASE("ungated models leave 16-bit logits, 2 bytes kept, but of a head cast to fp32, 4");
    planned plan = layers_on(1, 0);
    plan.s = plan_scenario(&arena, "opt-1.3b", "h100-sxm", "transformers@2024-03", 1);
    plan.l.adapter = (clg_adapter){.kind = CLG_ADAPTER_LORA, .base = CLG_BASE_NF4, .rank = 8};
    plan.s.stack.loss.kept_bytes = 4, plan.s.stack.precision.widens_rest = false;
    of(&plan);
    double kept = step.head.saved_bytes;
    plan.s.stack.precision.widens_rest = true;
    of(&plan);
    CHECK_NEAR(step.head.saved_bytes - kept, 2 * 4096.0 * 50272, 1e-9);
}

static void scores_of_elementary_operations(void) {
    CASE("a softmax of its own keeps fp32 and 16 bit of every score: 4 more than a fused one");
    planned plan = layers_on(1, 0);
    plan.l.attention = CLG_UNFUSED;
    double bytes[2], scores = 32 * 4096.0 * 4096;
    for (int dropout = 0; dropout <= 1; dropout++) {
        plan.s.stack.kernels.dropout = dropout;
        for (int fused = 0; fused <= 1; fused++) {
            plan.s.stack.fused.softmax = fused;
            of(&plan);
            bytes[fused] = step.kind[0].saved_bytes;
        }
        CHECK_NEAR(bytes[0] - bytes[1], (dropout ? 2 : 4) * scores, 1e-12);
    }
    CASE("where the model decides: without gates 2 + 2 + 1 kept and 4 beside, of 7 and 8");
    plan.s.stack.fused.softmax = false;
    plan.s.model.kind[0].mlp.gated = false;
    of(&plan);
    double kept_before = step.kind[0].saved_bytes, beside = step.kind[0].transient_bytes;
    plan.s.stack.kernels.softmax_by_model = true;
    of(&plan);
    CHECK_NEAR(kept_before - step.kind[0].saved_bytes, 2 * scores, 1e-12);
    CHECK_NEAR(beside - step.kind[0].transient_bytes, 4 * scores, 1e-12);
    plan.s.model.kind[0].mlp.gated = true;
    of(&plan);
    CHECK_NEAR(beside, step.kind[0].transient_bytes, 1e-12);
}

static void sums_that_are_held(void) {
    CASE("after a warm-up of 7 micro-batches: two outputs, 4096 x 4096 x 2 bytes, of 4 layers of "
         "each");
    planned plan = layers_on(1, 0);
    plan.l.tp = 8, plan.l.sp = true, plan.l.pp = 8, plan.l.accumulation = 16;
    plan.l.global_batch = 16;
    plan.load = (clg_stage_load){.layers = {4}, .chunks = 1, .alive = 8};
    double output = 4096.0 * 4096 * 2, before = of(&plan).total_bytes;
    plan.s.stack.memory.held_layers = 34;
    clg_memory_ledger m = of(&plan);
    double kept_one = 4 * step.kind[0].saved_bytes, boundary = output / 8;
    CHECK_NEAR(m.activations_bytes, 7 * kept_one + 2 * output * 28 + 2 * boundary, 1e-12);
    CASE("no more layers than launches wait in line");
    plan.s.stack.memory.held_layers = 10;
    CHECK_NEAR(of(&plan).activations_bytes, 7 * kept_one + 20 * output + 2 * boundary, 1e-12);
    CASE("the last stage warms up with none");
    plan.load.alive = 1;
    m = of(&plan);
    plan.s.stack.memory.held_layers = 0;
    CHECK_NEAR(of(&plan).total_bytes, m.total_bytes, 1e-14);
    plan.load.alive = 8;
    CHECK_NEAR(of(&plan).total_bytes, before, 1e-14);
}

int main(void) {
    sums_that_are_held();
    scores_of_elementary_operations();
    gradients_that_wait();
    gradients_that_come_late();
    gradients_used_at_once();
    updates_all_at_once();
    gaps_between_pieces();
    copies_of_replicas();
    on_the_host();
    losses_in_parts();
    what_is_frozen();
    scales_beside_parameters();
    heads_beside_nf4();
    widened_beside_a_product();
    clg_arena_clear(&arena);
    return DONE;
}
