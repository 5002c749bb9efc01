/* Bytes of a rank, against the tables of the papers and published parameter counts. */
#include "memory/memory.h"

#include "plan.h"
#include "schedule/schedule.h"

static clg_arena arena;
static clg_step step;

static const clg_step *built(const clg_scenario *s, const clg_layout *l) {
    return plan_step(&arena, s, l, &step);
}

/* Korthikanti et al. 2022, arXiv:2205.05198, table 2: bytes of one layer and micro-batch. */
static void table_2(const char *model, int heads, double h, int micro_batch) {
    clg_scenario sc = plan_scenario(&arena, model, "a100-sxm-80gb", "megatron-2022", 512);
    clg_layout l = plan_layout(2048);
    l.attention = CLG_UNFUSED;
    l.micro_batch = micro_batch, l.global_batch = micro_batch;
    CHECK(sc.model.kind[0].attention.heads == heads && (double)sc.model.hidden == h);
    double s = 2048, a = heads, sbh = s * micro_batch * h, scores = 5 * a * s / h;
    for (int tp = 1; tp <= 8; tp *= 2) {
        l.tp = tp, l.sp = false, l.recompute = CLG_RECOMPUTE_NONE;
        /* no parallelism, and tensor parallel alone: 10 of the 34 stay on every rank */
        CHECK_NEAR(built(&sc, &l)->kind[0].saved_bytes, sbh * (10 + (24 + scores) / tp), 1e-13);
        l.recompute = CLG_RECOMPUTE_FULL;
        CHECK_NEAR(built(&sc, &l)->kind[0].saved_bytes, 2 * sbh, 1e-13);
        CHECK_NEAR(step.kind[0].rebuilt_bytes, sbh * (10 + (24 + scores) / tp), 1e-13);
        if (tp == 1) continue;
        l.sp = true, l.recompute = CLG_RECOMPUTE_NONE;
        CHECK_NEAR(built(&sc, &l)->kind[0].saved_bytes, sbh * (34 + scores) / tp, 1e-13);
        l.recompute = CLG_RECOMPUTE_SELECTIVE;
        CHECK_NEAR(built(&sc, &l)->kind[0].saved_bytes, sbh * 34 / tp, 1e-13);
        CHECK_NEAR(step.kind[0].rebuilt_bytes, sbh * scores / tp, 1e-13);
        /* The table's 2 sbh is without sequence parallelism. With it a layer's input is already
         * split over the ranks and its gather is part of the forward done again. */
        l.recompute = CLG_RECOMPUTE_FULL;
        CHECK_NEAR(built(&sc, &l)->kind[0].saved_bytes, 2 * sbh / tp, 1e-13);
    }
}

static void layers(void) {
    CASE("activations of a layer: Korthikanti et al. 2022, table 2, all rows");
    table_2("gpt3-175b", 96, 12288, 1);
    table_2("megatron-529.6b", 128, 20480, 1);
    table_2("megatron-1008b", 160, 25600, 1);
    table_2("megatron-18.4b", 48, 6144, 4);
    CASE("GPT-3 by the number: 114 sbh, of which scores are 80");
    /* sbh = 2048 x 12288 = 25165824; 5 a s / h = 5 x 96 x 2048 / 12288 = 80 */
    clg_scenario s = plan_scenario(&arena, "gpt3-175b", "a100-sxm-80gb", "megatron-2022", 512);
    clg_layout l = plan_layout(2048);
    l.attention = CLG_UNFUSED;
    CHECK_NEAR(built(&s, &l)->kind[0].saved_bytes, 2868903936.0, 1e-14);
    CASE("fused attention keeps one fp32 statistic per row and head instead of scores");
    l.attention = CLG_FLASH2; /* 34 sbh + 4 a s */
    CHECK_NEAR(built(&s, &l)->kind[0].saved_bytes, 34 * 25165824.0 + 4 * 96 * 2048, 1e-14);
    CASE("Llama 3.1 8B: 139,392 bytes a token and layer");
    /* norms: inputs and outputs 4 x 2 x 4096 = 32768; q, k, v 2 x (4096 + 2 x 1024) = 12288;
     * attention output 2 x 4096 = 8192; gate, up and their product 3 x 2 x 14336 = 86016;
     * statistics 4 x 32 = 128; no dropout */
    s = plan_scenario(&arena, "llama-3.1-8b", "h100-sxm", "megatron-2024", 64);
    l = plan_layout(8192);
    CHECK_NEAR(built(&s, &l)->kind[0].saved_bytes, 8192.0 * 139392, 1e-14);
    l.tp = 8, l.sp = true;
    CHECK_NEAR(built(&s, &l)->kind[0].saved_bytes, 1024.0 * 139392, 1e-14);
    l.tp = 1, l.sp = false, l.cp = 8;
    CHECK_NEAR(built(&s, &l)->kind[0].saved_bytes, 1024.0 * 139392, 1e-14);
    CASE("Mixtral: every token's two copies are kept, and the experts' inner values of both");
    /* 32768 + 12288 + 8192 + 128 as above; copies 2 x 2 x 4096 = 16384; 2 x 86016 = 172032 */
    s = plan_scenario(&arena, "mixtral-8x7b", "h100-sxm", "megatron-2024", 64);
    l = plan_layout(4096);
    CHECK_NEAR(built(&s, &l)->kind[0].saved_bytes, 4096.0 * 241792, 1e-14);
    l.dp = 8, l.ep = 8, l.global_batch = 8;
    CHECK_NEAR(built(&s, &l)->kind[0].saved_bytes, 4096.0 * 241792, 1e-14);
    CASE("a rank with half more rows: half more beside the layer, and of what it rebuilds");
    /* of the above 16384 + 172032 kept; beside, rows in and out 2 x 16384, and of gate and up the
     * gradients, 2 x 2 x 2 x 14336, as their product gives way to its own */
    double beside = built(&s, &l)->kind[0].transient_bytes;
    clg_step_fill_rank(&step, &l, 1.5);
    CHECK_NEAR(step.kind[0].transient_bytes - beside, 0.5 * 4096 * (32768 + 114688.0), 1e-12);
    l.recompute = CLG_RECOMPUTE_FULL;
    beside = built(&s, &l)->kind[0].transient_bytes;
    clg_step_fill_rank(&step, &l, 1.5);
    double rows = 4096 * (188416 + 32768 + 114688.0);
    CHECK_NEAR(step.kind[0].transient_bytes - beside, 0.5 * rows, 1e-12);
    CASE("evenly routed nothing changes");
    beside = step.kind[0].transient_bytes;
    clg_step_fill_rank(&step, &l, 1);
    CHECK(step.kind[0].transient_bytes == beside);
}

/* Parameters of all stages, from what each says it holds. */
static double all_stages(const clg_scenario *s, const clg_layout *l) {
    int chunks = l->pp * l->vpp, layers_of[256], next = 0;
    double sum = 0, dense, expert;
    built(s, l);
    clg_layout_layers(&s->model, l, layers_of);
    for (int d = 0; d < chunks; d++) {
        clg_stage_load load = {.embedding = d == 0, .head = d == chunks - 1, .chunks = 1};
        for (int i = 0; i < layers_of[d]; i++) load.layers[s->model.layer_kind[next++]]++;
        clg_stage_parameters(&s->model, &step, &load, &dense, &expert);
        sum += dense + expert * l->ep * l->etp / l->tp;
    }
    return sum;
}

/* Weights of the products a rank does in the forward. */
static double matrices(const clg_block *block, clg_op_kind kind) {
    double sum = 0;
    for (int i = 0; i < block->ops; i++) {
        const clg_op *op = &block->op[i];
        if (op->kind != kind || op->pass != CLG_PASS_FORWARD) continue;
        sum += op->n * op->k * op->batch;
    }
    return sum;
}

static void parameters(void) {
    CASE("stages hold the published parameters between them");
    static const struct {
        const char *model;
        double published, twice; /* a tied table is on the first and the last stage */
    } models[] = {{"llama-2-7b", 6738415616, 0},
                  {"mixtral-8x7b", 46702792704, 0},
                  {"deepseek-v3", 671026419200, 0},
                  {"gpt2", 124439808, 50257 * 768}};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        clg_scenario s = plan_scenario(&arena, models[i].model, "h100-sxm", "megatron-2024", 64);
        s.model.prediction_layers = 0; /* the published total leaves them out */
        for (int pp = 1; pp <= 8; pp++) {
            clg_layout l = plan_layout(1024);
            l.pp = pp;
            CHECK_NEAR(all_stages(&s, &l), models[i].published + (pp > 1 ? models[i].twice : 0),
                       1e-14);
        }
    }
    CASE("a rank holds the weights it multiplies with, at every tensor degree");
    /* Few key-value heads are repeated on ranks, and so are the down projections of latent
     * attention: their products are done there, so their weights are held there. What is left over
     * are norms: 2 h; DeepSeek-V3 has one on each latent (1536 + 512), and 256 router biases. */
    static const struct {
        const char *model;
        int kind;
        double norms;
    } rows[] = {{"llama-2-70b", 0, 2 * 8192},
                {"llama-3.1-8b", 0, 2 * 4096},
                {"mixtral-8x7b", 0, 2 * 4096},
                {"deepseek-v3", 0, 2 * 7168 + 2048},
                {"deepseek-v3", 1, 2 * 7168 + 2048 + 256}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        clg_scenario s = plan_scenario(&arena, rows[i].model, "h100-sxm", "megatron-2024", 64);
        for (int tp = 1; tp <= 32; tp *= 2) {
            clg_layout l = plan_layout(4096);
            l.tp = tp, l.sp = tp > 1;
            const clg_block *layer = &built(&s, &l)->kind[rows[i].kind];
            CHECK_NEAR(layer->dense_parameters, matrices(layer, CLG_OP_GEMM) + rows[i].norms,
                       1e-13);
            CHECK_NEAR(layer->expert_parameters, matrices(layer, CLG_OP_GROUPED), 1e-13);
        }
    }
}

static clg_memory_ledger ledger(const clg_scenario *s, const clg_layout *l, clg_stage_load load) {
    clg_memory_ledger m = clg_memory_of_stage(&s->model, &s->stack, l, built(s, l), &load);
    double allocated = m.weights_bytes + m.gradients_bytes + m.optimizer_bytes +
                       m.activations_bytes + m.buffers_bytes;
    double moving = m.activations_bytes + m.buffers_bytes;
    double split = allocated * s->stack.memory.split_share;
    CHECK_NEAR(m.reserved_bytes, fmax(moving * s->stack.memory.reserve_share, split), 1e-12);
    CHECK_NEAR(m.total_bytes, allocated + m.reserved_bytes, 1e-14);
    CHECK_NEAR(m.needed_bytes, allocated + split, 1e-13);
    CHECK(m.needed_bytes <= m.total_bytes);
    CHECK(m.activations_bytes >= 0 && m.buffers_bytes >= 0);
    return m;
}

static double states(clg_memory_ledger m) {
    return m.weights_bytes + m.gradients_bytes + m.optimizer_bytes;
}

/* A plan whose ledger is asked for: scenario, layout and what a stage holds. */
typedef struct planned {
    clg_scenario s;
    clg_layout l;
    clg_stage_load load;
} planned;

static clg_memory_ledger of(planned *plan) { return ledger(&plan->s, &plan->l, plan->load); }

/* 12 layers of GPT-3 over 16 replicas: 12 h^2 + 13 h = 1812099072 each, 21745188864 in all. 16-bit
 * gradients, as the papers have them. */
static const double P = 21745188864.0, D = 16;

static planned gpt3(int zero) {
    planned plan = {.s = plan_scenario(&arena, "gpt3-175b", "a100-sxm-80gb", "megatron-2022", 512),
                    .l = plan_layout(2048),
                    .load = {.layers = {12}, .chunks = 1, .alive = 1}};
    plan.s.stack.gradient = CLG_BF16;
    plan.s.stack.precision.sharded_masters = false;
    plan.l.dp = 16, plan.l.global_batch = 16, plan.l.pp = 8, plan.l.zero = zero;
    return plan;
}

/* The same with the masters as the shards. */
static planned fsdp(void) {
    planned plan = gpt3(3);
    plan.s.stack.precision.sharded_masters = true;
    return plan;
}

static void accumulate(planned *plan, int micro_batches) {
    plan->l.accumulation = micro_batches;
    plan->l.global_batch = plan->l.dp * micro_batches;
}

static void zero_stages(void) {
    planned plan = gpt3(0);
    CASE("mixed-precision Adam: 2 + 4 + 12 bytes a parameter, 16 with 16-bit gradients");
    CHECK_NEAR(states(of(&plan)), 16 * P, 1e-14);
    plan.s.stack.gradient = CLG_FP32;
    clg_memory_ledger m = of(&plan);
    CHECK_NEAR(m.weights_bytes, 2 * P, 1e-14);
    CHECK_NEAR(m.gradients_bytes, 4 * P, 1e-14);
    CHECK_NEAR(m.optimizer_bytes, 12 * P, 1e-14);
    CASE("ZeRO 1, 2, 3 divide states, gradients, weights (arXiv:1910.02054, figure 1)");
    /* the paper's K = 12 with 16-bit gradients: 4P + 12P/d, 2P + 14P/d, 16P/d */
    const double bytes[] = {16 * P, 4 * P + 12 * P / D, 2 * P + 14 * P / D, 16 * P / D};
    for (int zero = 0; zero <= 3; zero++) {
        plan = gpt3(zero);
        CHECK_NEAR(states(of(&plan)), bytes[zero], 1e-14);
    }
    CASE("ZeRO 3 that keeps gradients whole over micro-batches: 2P + 14P/d");
    plan.s.stack.traffic.scatters = CLG_SCATTERS_ONCE;
    accumulate(&plan, 2);
    CHECK_NEAR(states(of(&plan)), 2 * P + 14 * P / D, 1e-14);
    CASE("ZeRO spans context ranks too, and stops at a shard group");
    plan = gpt3(3);
    plan.l.cp = 2;
    CHECK_NEAR(states(of(&plan)), 16 * P / (D * 2), 1e-14);
    plan.l.cp = 1, plan.l.hsdp = 4;
    CHECK_NEAR(states(of(&plan)), 16 * P / 4, 1e-14);
}

static void fully_sharded(void) {
    planned plan = fsdp();
    CASE("FSDP: the shard is the fp32 weight, 16 bit exist while gathered: 4 + 2 + 8 of P/d");
    clg_memory_ledger m = of(&plan);
    CHECK_NEAR(m.weights_bytes, 4 * P / D, 1e-14);
    CHECK_NEAR(m.gradients_bytes, 2 * P / D, 1e-14);
    CHECK_NEAR(m.optimizer_bytes, 8 * P / D, 1e-14);
    CASE("states and masters on the host: a 16-bit shard stays, its gradient goes with them");
    plan.l.offload = true;
    CHECK_NEAR(states(of(&plan)), 2 * P / D, 1e-14);
    CASE("FSDP of 16-bit weights: 2 + 2 + 4 of P/d, reduced in fp32 or not");
    plan = fsdp();
    plan.s.stack.precision.master_weights = false;
    CHECK_NEAR(states(of(&plan)), 8 * P / D, 1e-14);
    plan.s.stack.gradient = CLG_FP32;
    CHECK_NEAR(states(of(&plan)), 8 * P / D, 1e-14);
    plan.s.stack.traffic.scatters = CLG_SCATTERS_ONCE;
    accumulate(&plan, 2);
    CHECK_NEAR(states(of(&plan)), 4 * P + 6 * P / D, 1e-14);
    CASE("16-bit weights that nothing shards: gradients are autograd's own, 2 + 2 + 4 of P");
    plan.l.dp = 1;
    accumulate(&plan, 2);
    m = of(&plan);
    CHECK_NEAR(states(m), 8 * P, 1e-14);
    CHECK_NEAR(m.buffers_bytes, plan.s.stack.memory.workspace_bytes, 1e-14);
}

static void optimizers(void) {
    planned plan = gpt3(0);
    CASE("other optimizers: 8-bit Adam takes 4 + two bytes and their block scales, SGD 8");
    plan.l.optimizer = CLG_ADAM_8BIT;
    CHECK_NEAR(of(&plan).optimizer_bytes, (4 + 2 * (1 + 4.0 / 256)) * P, 1e-14);
    plan.l.optimizer = CLG_SGD;
    CHECK_NEAR(of(&plan).optimizer_bytes, 8 * P, 1e-14);
    CASE("Lion has one moment, Adafactor none of a weight's size: 8, 4 + 1.016 and 4");
    plan.l.optimizer = CLG_LION;
    CHECK_NEAR(of(&plan).optimizer_bytes, 8 * P, 1e-14);
    plan.l.optimizer = CLG_LION_8BIT;
    CHECK_NEAR(of(&plan).optimizer_bytes, 5.015625 * P, 1e-14);
    plan.l.optimizer = CLG_ADAFACTOR;
    CHECK_NEAR(of(&plan).optimizer_bytes, 4 * P, 1e-14);
    CASE("a frozen model beside: 2 more bytes a weight, sharded with the weights");
    planned beside = gpt3(0);
    beside.l.reference = CLG_REFERENCE_MODEL;
    CHECK_NEAR(of(&beside).weights_bytes, 4 * P, 1e-14);
    beside = gpt3(3);
    double alone = of(&beside).weights_bytes;
    beside.l.reference = CLG_REFERENCE_MODEL;
    CHECK_NEAR(of(&beside).weights_bytes - alone, 2 * P / D, 1e-14);
    CASE("states in host memory take none here");
    plan = gpt3(0);
    plan.l.offload = true;
    CHECK(of(&plan).optimizer_bytes == 0);
    CASE("all in bf16: 2 + 2 + 4; all in fp32: 4 + 4 + 8");
    plan = gpt3(0);
    plan.s.stack.precision.master_weights = false;
    CHECK_NEAR(states(of(&plan)), 8 * P, 1e-14);
    plan.s.stack.gradient = CLG_FP32, plan.l.precision = CLG_FP32;
    CHECK_NEAR(states(of(&plan)), 16 * P, 1e-14);
}

static planned on_16(const char *model, int zero, clg_stage_load load) {
    planned plan = {.s = plan_scenario(&arena, model, "h100-sxm", "megatron-2024", 16),
                    .l = plan_layout(4096),
                    .load = load};
    plan.l.dp = 16, plan.l.global_batch = 16, plan.l.zero = zero;
    return plan;
}

static void sharded_experts(void) {
    CASE("experts are divided by ep and sharded over the ranks that hold the same ones");
    /* Mixtral, one layer: 8 x 176160768 experts; attention 41943040 + router 32768 + norms 8192 =
     * 41984000. ep 8 of 16 ranks: one expert each, on two ranks. */
    planned plan =
        on_16("mixtral-8x7b", 1, (clg_stage_load){.layers = {1}, .chunks = 1, .alive = 1});
    plan.l.ep = 8;
    clg_memory_ledger m = of(&plan);
    CHECK_NEAR(m.weights_bytes, 2 * (176160768.0 + 41984000), 1e-14);
    CHECK_NEAR(m.optimizer_bytes, 12 * (176160768.0 / 2 + 41984000.0 / 16), 1e-14);
}

/* Llama-2 7B, 32 layers of 4 x 4096^2 + 3 x 4096 x 11008 + 2 x 4096 = 202383360. */
static planned llama_2(int zero) {
    return on_16("llama-2-7b", zero, (clg_stage_load){.layers = {32}, .chunks = 1, .alive = 1});
}

static void gathered_layers(void) {
    CASE("fully sharded: two gathered layers and one layer's gradient are whole, 2 x 2 + 4 bytes");
    const double bytes_of_a_layer[] = {0, 0, 4, 8};
    for (int zero = 1; zero <= 3; zero++) {
        planned plan = llama_2(zero);
        CHECK_NEAR(of(&plan).buffers_bytes,
                   bytes_of_a_layer[zero] * 202383360.0 + plan.s.stack.memory.workspace_bytes,
                   1e-14);
    }
}

static void copies_for_the_update(void) {
    planned plan = llama_2(0);
    double workspace = plan.s.stack.memory.workspace_bytes;
    plan.s.stack.gradient = CLG_BF16;
    CASE("16-bit gradients: fp32 copies for the update, once activations are gone");
    /* 4 x 32 x 202383360 = 25.9 GB, more than they keep of 1,024 tokens */
    plan.l.seq = 1024;
    clg_memory_ledger m = of(&plan);
    CHECK_NEAR(m.buffers_bytes, 128 * 202383360.0 + workspace, 1e-14);
    CHECK_NEAR(m.activations_bytes, 2 * step.boundary_bytes, 1e-14);
    CASE("they find room among 32,768 tokens; DeepSpeed's flat buffer does not");
    plan.l.seq = 32768;
    m = of(&plan);
    CHECK_NEAR(m.buffers_bytes, workspace, 1e-14);
    CHECK(m.activations_bytes > 128 * 202383360.0);
    plan.s.stack.memory.flat_update = true;
    CHECK_NEAR(of(&plan).buffers_bytes, 128 * 202383360.0 + workspace, 1e-14);
    CHECK_NEAR(of(&plan).activations_bytes, m.activations_bytes, 1e-14);
    CASE("ZeRO-3: one sub-group of 1e8 after the other; ZeRO-2 has one group");
    for (int zero = 2; zero <= 3; zero++) {
        plan.l.zero = zero, plan.s.stack.memory.flat_update_most = 0;
        double all = of(&plan).buffers_bytes;
        plan.s.stack.memory.flat_update_most = 1e8;
        double owned = 32 * 202383360.0 / 16, less = zero == 3 ? 4 * (owned - 1e8) : 0;
        CHECK_NEAR(all - of(&plan).buffers_bytes, less, 1e-9);
    }
}

/* Llama 3.1 8B: 128256 x 4096 = 525336576, a layer 218112000; the head adds the last norm. */
static const double TABLE = 525336576.0, LAYER = 218112000.0;
static const clg_stage_load first_stage = {
    .layers = {16}, .chunks = 1, .alive = 1, .embedding = true};
static const clg_stage_load last_stage = {
    .layers = {16}, .chunks = 1, .alive = 1, .head = true, .head_alive = 1};

static void gathered_tables(void) {
    CASE("tables stay gathered, and their gradients leave last");
    /* A table and two layers of 2 bytes: what 16 layers keep makes a layer's backward the fullest
     * moment. */
    planned plan = on_16("llama-3.1-8b", 3, first_stage);
    double workspace = plan.s.stack.memory.workspace_bytes;
    CHECK_NEAR(of(&plan).buffers_bytes, 2 * (TABLE + 2 * LAYER) + 4 * LAYER + workspace, 1e-14);
    CASE("hardly any activations: the fullest moment is the end, 4 bytes of the table's gradient");
    plan.l.seq = 128, plan.load.layers[0] = 1;
    clg_memory_ledger m = of(&plan);
    CHECK_NEAR(m.buffers_bytes, 2 * (TABLE + 2 * LAYER) + 4 * TABLE + workspace, 1e-14);
    CHECK_NEAR(m.activations_bytes, 2 * step.boundary_bytes, 1e-14);
    CASE("the loss of 131,072 tokens: nothing is on its way into shards");
    plan = on_16("llama-3.1-8b", 3, last_stage);
    plan.l.seq = 32768, plan.l.micro_batch = 4, plan.l.global_batch = 64;
    m = of(&plan);
    CHECK_NEAR(m.buffers_bytes, 2 * (TABLE + 4096 + 2 * LAYER) + workspace, 1e-14);
    CASE("a root that is resharded: the loss finds nothing gathered, a layer's backward does");
    double lasting = m.activations_bytes;
    plan.s.stack.memory.resharded_root = true;
    m = of(&plan);
    CHECK_NEAR(m.buffers_bytes, workspace, 1e-14);
    CHECK_NEAR(m.activations_bytes, lasting, 1e-14);
    plan = on_16("llama-3.1-8b", 3, first_stage);
    plan.s.stack.memory.resharded_root = true;
    CHECK_NEAR(of(&plan).buffers_bytes, 2 * (TABLE + 2 * LAYER) + 4 * LAYER + workspace, 1e-14);
}

static void sharding(void) {
    zero_stages();
    fully_sharded();
    optimizers();
    sharded_experts();
    gathered_layers();
    copies_for_the_update();
    gathered_tables();
}

/* Forwards minus freeing passes, counted over the slots: the most at once. */
static int counted(clg_pipeline p, int stage) {
    const clg_schedule *s = clg_schedule_of(p.kind);
    clg_slots stages[16];
    clg_schedule_slots(&arena, p, stages);
    int alive = 0, most = 0;
    for (int i = 0; i < stages[stage].count; i++) {
        int kind = stages[stage].slot[i].kind;
        alive += kind == CLG_SLOT_FORWARD;
        if (alive > most) most = alive;
        alive -= kind == (s->splits_backward ? CLG_SLOT_BACKWARD_WEIGHT : CLG_SLOT_BACKWARD);
    }
    return most;
}

static void stages_of_a_pipeline(void) {
    CASE("stages of GPT-3: layers x 34 sbh / t x min(p - i, m)");
    clg_scenario s = plan_scenario(&arena, "gpt3-175b", "a100-sxm-80gb", "megatron-2022", 64);
    clg_layout l = plan_layout(2048);
    l.tp = 8, l.sp = true, l.pp = 8;
    l.attention = CLG_UNFUSED, l.recompute = CLG_RECOMPUTE_SELECTIVE;
    clg_error error = {0};
    clg_evaluation e;
    double layer = 34 * 25165824.0 / 8;
    built(&s, &l);
    double beside =
        step.kind[0].rebuilt_bytes + step.kind[0].transient_bytes + 2 * step.boundary_bytes;
    for (int m = 1; m <= 16; m *= 4) {
        l.accumulation = m, l.global_batch = m;
        CHECK(clg_evaluate(&arena, &s, &l, true, NULL, &e, &error) == CLG_OK);
        for (int i = 0; i < 8; i++) {
            int alive = 8 - i < m ? 8 - i : m;
            /* inner stages: 12 layers; the rest is rebuilt scores and two layers' transients */
            double kept = 12 * layer * alive, all = e.stages[i].memory.activations_bytes;
            CHECK(e.stages[i].alive == alive && e.stages[i].layers == 12);
            if (i > 0 && i < 7) CHECK_NEAR(all, kept + beside, 1e-13);
            /* dropout's mask of the embedding goes with every micro-batch: s b h, over t with sp */
            if (i == 0) CHECK(all > (12 * layer + 25165824.0 / 8) * alive);
        }
    }
    CASE("GPT-3's first stage against Korthikanti et al. 2022, equation 5");
    /* s b h L / t (34 + 5 a s / h) for p micro-batches of L/p layers, whatever p is; the extra
     * scores of the layer at work are not in the equation. 12 x 8 x 34 sbh / 8 = 10.3 GB */
    CHECK_NEAR(e.stages[0].memory.activations_bytes, 25165824.0 * 96 / 8 * 34, 0.12);
}

static void chunks_of_a_pipeline(void) {
    CASE("interleaved GPT-3: L/p layers, 1 + (p-1)/(pv) times the activations of 1f1b");
    /* 4 stages of 24 layers in 2 chunks, first stage: 11 chunks of 12 layers against 4 x 24 */
    clg_scenario two = plan_scenario(&arena, "gpt3-175b", "a100-sxm-80gb", "megatron-2022", 64);
    clg_layout v = plan_layout(2048);
    v.tp = 8, v.sp = true, v.pp = 4, v.accumulation = 16, v.global_batch = 16;
    clg_stage_load load = {.layers = {24}, .chunks = 2, .alive = 11};
    double some = ledger(&two, &v, load).activations_bytes;
    load.alive = 0;
    double none = ledger(&two, &v, load).activations_bytes;
    CHECK_NEAR(some - none, 11 * 12 * step.kind[0].saved_bytes, 1e-13);
    CHECK_NEAR(11 * 12 / (4.0 * 24), 1 + 3 / (4.0 * 2), 1e-14);
}

static void pipelines(void) {
    CASE("1f1b: stage i of p holds min(p - i, m) micro-batches (arXiv:2104.04473)");
    for (int p = 1; p <= 16; p++)
        for (int m = 1; m <= 20; m++)
            for (int i = 0; i < p; i++) {
                clg_pipeline one = {.kind = CLG_1F1B, .stages = p, .chunks = 1, .micro_batches = m};
                int want = p - i < m ? p - i : m;
                CHECK(clg_schedule_of(CLG_1F1B)->alive(one, i) == want);
                CHECK(counted(one, i) == want);
            }
    CASE("interleaved: the first stage holds p (1 + (p-1)/(pv)) micro-batches");
    /* arXiv:2205.05198, section 4.2.3, in chunks: p v + p - 1 */
    for (int p = 2; p <= 8; p++)
        for (int v = 2; v <= 4; v++)
            CHECK(clg_schedule_of(CLG_INTERLEAVED)
                      ->alive((clg_pipeline){.kind = CLG_INTERLEAVED,
                                             .stages = p,
                                             .chunks = v,
                                             .micro_batches = 4 * p},
                              0) == p * v + p - 1);
    CASE("no schedule holds more than it says");
    for (int kind = 0; kind < CLG_SCHEDULES; kind++)
        for (int p = 2; p <= 8; p++)
            for (int v = 1; v <= 3; v++)
                for (int m = 1; m <= 24; m++) {
                    clg_pipeline one = {.kind = (clg_schedule_kind)kind,
                                        .stages = p,
                                        .chunks = v,
                                        .micro_batches = m};
                    const clg_schedule *s = clg_schedule_of(one.kind);
                    if (s->refuses(one)) continue;
                    for (int i = 0; i < p; i++) CHECK(counted(one, i) <= s->alive(one, i));
                }
    chunks_of_a_pipeline();
    stages_of_a_pipeline();
}

static void ends(void) {
    CASE("the head keeps its input, the norm's input and the logits");
    /* Korthikanti et al. 2022, section 4.3: 4 sbh + 4 sbv, fp32 logits. A fused loss keeps the
     * 16-bit ones alone (2 sbv). */
    clg_scenario s = plan_scenario(&arena, "gpt3-175b", "a100-sxm-80gb", "megatron-2022", 64);
    clg_layout l = plan_layout(2048);
    double sbh = 25165824, sbv = 2048.0 * 50257;
    CHECK_NEAR(built(&s, &l)->head.saved_bytes, 4 * sbh + 4 * sbv, 1e-14);
    CHECK_NEAR(step.head.transient_bytes, 2 * sbv, 1e-14); /* 16-bit logits beside */
    s.stack.fused.cross_entropy = true;
    CHECK_NEAR(built(&s, &l)->head.saved_bytes, 4 * sbh + 2 * sbv, 1e-14);
    s.stack.fused.cross_entropy = false;
    l.tp = 8, l.sp = true;
    CHECK_NEAR(built(&s, &l)->head.saved_bytes, (4 * sbh + 4 * sbv) / 8, 1e-14);
    CASE("logits of one micro-batch only, but of all of them under gpipe");
    l.pp = 2;
    clg_stage_load load = {.layers = {48}, .chunks = 1, .alive = 4, .head = true, .head_alive = 1};
    double one = ledger(&s, &l, load).activations_bytes;
    load.head_alive = 4;
    double four = ledger(&s, &l, load).activations_bytes;
    CHECK_NEAR(four - one, 3 * (4 * sbh + 4 * sbv) / 8, 1e-13);
    CASE("a stack that keeps what a stage sent: one boundary more for each alive micro-batch");
    load = (clg_stage_load){.layers = {48}, .chunks = 1, .alive = 3.5};
    double freed = ledger(&s, &l, load).activations_bytes;
    s.stack.memory.kept_outputs = true;
    CHECK_NEAR(ledger(&s, &l, load).activations_bytes - freed, 3.5 * 2 * sbh / 8, 1e-12);
    load.head = true; /* the last stage sends nothing */
    double with = ledger(&s, &l, load).activations_bytes;
    s.stack.memory.kept_outputs = false;
    CHECK(ledger(&s, &l, load).activations_bytes == with);
    CASE("beside unfused scores: their gradient in place, or four by elementary operations");
    /* 96 heads, 2048^2 scores: 402653184; the MLP's gradient 4 h x 2 bytes a token, half of it */
    l = plan_layout(2048);
    l.attention = CLG_UNFUSED;
    CHECK_NEAR(built(&s, &l)->kind[0].transient_bytes, 2 * 402653184.0, 1e-14);
    s.stack.fused.softmax = false;
    CHECK_NEAR(built(&s, &l)->kind[0].transient_bytes, 8 * 402653184.0, 1e-14);
    l.attention = CLG_FLASH2;
    CHECK_NEAR(built(&s, &l)->kind[0].transient_bytes, 2048.0 * 4 * 12288 * 2, 1e-14);
    s.stack.fused.softmax = true, l.pp = 2, l.tp = 8, l.sp = true;
    CASE("the embedding keeps its dropout mask, one byte an element");
    CHECK_NEAR(built(&s, &l)->embedding.saved_bytes, sbh / 8, 1e-14);
    s.stack.kernels.dropout = false;
    CHECK(built(&s, &l)->embedding.saved_bytes == 0);
    CASE("the first n layers of a chunk recomputed: n x 2 sbh, the others whole");
    s = plan_scenario(&arena, "gpt3-175b", "a100-sxm-80gb", "megatron-2022", 64);
    l = plan_layout(2048);
    l.attention = CLG_UNFUSED, l.recompute = CLG_RECOMPUTE_FULL, l.pp = 2;
    load = (clg_stage_load){.layers = {48}, .chunks = 1, .alive = 1};
    double all = ledger(&s, &l, load).activations_bytes;
    l.recompute_layers = 40;
    double some = ledger(&s, &l, load).activations_bytes;
    CHECK_NEAR(some - all, 8 * (114 - 2) * sbh, 1e-13);
}

int main(void) {
    layers();
    parameters();
    sharding();
    pipelines();
    ends();
    clg_arena_clear(&arena);
    return DONE;
}
