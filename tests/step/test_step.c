/* What a step executes and sends, against sums written out by hand from the papers.
 *
 * Arithmetic of attention: unfused kernels (Megatron 2021, 2022) compute the whole square of
 * scores, as Narayanan et al. 2021 count it. Fused causal kernels do the half they need: forward
 * 2 s^2 h, backward 2.5 times that because scores are done again, 7 s^2 h in all against 12. */
#include "step/step.h"

#include "plan.h"

static clg_arena arena;
static clg_step step;

static const clg_step *built(const clg_scenario *s, const clg_layout *l) {
    return plan_step(&arena, s, l, &step);
}

/* Flop of the passes in `mask` (bit per pass). */
static double flop(const clg_block *block, unsigned mask) {
    double all = 0;
    for (int i = 0; i < block->ops; i++)
        if (mask >> block->op[i].pass & 1) all += block->op[i].flop * block->op[i].count;
    return all;
}

/* Flop all ranks execute in one step. */
static double executed(const clg_scenario *s, const clg_layout *l) {
    const clg_step *of = built(s, l);
    double all = flop(&of->embedding, ~0u) + flop(&of->head, ~0u);
    for (int i = 0; i < s->model.layers; i++) all += flop(&of->kind[s->model.layer_kind[i]], ~0u);
    return all * (double)l->accumulation * l->dp * l->tp * l->cp;
}

/* Collectives of an axis: how many, and their buffers. */
typedef struct traffic {
    int count;
    double bytes;
} traffic;

static traffic traffic_of(const clg_block *block, clg_axis axis, clg_collective kind,
                          unsigned mask) {
    traffic t = {0};
    for (int i = 0; i < block->ops; i++) {
        const clg_op *op = &block->op[i];
        if (op->kind != CLG_OP_COLLECTIVE || op->axis != axis || op->collective != kind) continue;
        if (!(mask >> op->pass & 1)) continue;
        t.count += op->count;
        t.bytes += op->bytes * op->count;
    }
    return t;
}

static int ops_of(const clg_block *block, clg_axis axis) {
    int count = 0;
    for (int i = 0; i < block->ops; i++)
        count += block->op[i].kind == CLG_OP_COLLECTIVE && block->op[i].axis == axis;
    return count;
}

enum {
    FORWARD = 1 << CLG_PASS_FORWARD,
    AGAIN = 1 << CLG_PASS_RECOMPUTE,
    INPUT = 1 << CLG_PASS_BACKWARD_INPUT,
    WEIGHT = 1 << CLG_PASS_BACKWARD_WEIGHT,
    ALL = FORWARD | AGAIN | INPUT | WEIGHT
};

/* Narayanan et al. 2021, arXiv:2104.04473, section 5.1 and appendix. Per layer and sequence, in
 * units of s h^2 multiply-adds: query, key, value 3, output 1, MLP 4 + 4: 12, times 2 flop = 24;
 * scores and values 2 s^2 h each = 4 s^2 h; the head 2 s h V. Backward: twice the forward. */
static void narayanan(const char *model) {
    clg_scenario s = plan_scenario(&arena, model, "a100-sxm-80gb", "megatron-2021", 1024);
    clg_layout l = plan_layout(2048);
    l.attention = CLG_UNFUSED;
    l.micro_batch = 2, l.accumulation = 3, l.dp = 2, l.global_batch = 12;
    double B = 12, n = 2048, L = s.model.layers, h = (double)s.model.hidden;
    double V = (double)s.model.vocab;
    double plain = 72 * B * n * L * h * h * (1 + n / (6 * h) + V / (12 * L * h));
    double full = 96 * B * n * L * h * h * (1 + n / (6 * h) + V / (16 * L * h));
    double core = 4 * B * n * n * h * L; /* the forward of scores and values */
    for (int tp = 1; tp <= 8; tp *= 2)
        for (int sp = 0; sp <= (tp > 1); sp++)
            for (int cp = 1; cp <= 4; cp *= 2) {
                l.tp = tp, l.sp = sp, l.cp = cp;
                l.recompute = CLG_RECOMPUTE_NONE;
                CHECK_NEAR(executed(&s, &l), plain, 1e-12);
                l.recompute = CLG_RECOMPUTE_FULL;
                CHECK_NEAR(executed(&s, &l), full, 1e-12);
                l.recompute = CLG_RECOMPUTE_SELECTIVE;
                CHECK_NEAR(executed(&s, &l), plain + core, 1e-12);
            }
    /* Fused and causal: 12 B s^2 h L becomes 7 B s^2 h L. */
    l.attention = CLG_FLASH2, l.recompute = CLG_RECOMPUTE_NONE;
    CHECK_NEAR(executed(&s, &l), plain - 5 * B * n * n * h * L, 1e-12);
    /* Fused under a mask: nothing is skipped, 4 forward and 10 backward. */
    l.attention = CLG_MASKED;
    CHECK_NEAR(executed(&s, &l), plain + 2 * B * n * n * h * L, 1e-12);
}

/* Llama 3 8B, 4,096 tokens in blocks of 1,024: 10 of 16 blocks, 32 heads of 128. */
static void blockwise(void) {
    CASE("attention in loops over blocks: those on the diagonal whole, scores in memory");
    clg_scenario s = plan_scenario(&arena, "llama-3-8b", "h100-sxm", "maxtext-2024", 8);
    clg_layout l = plan_layout(4096);
    l.attention = CLG_BLOCKWISE;
    const clg_block *layer = &built(&s, &l)->kind[0];
    int seen = 0;
    for (int i = 0; i < layer->ops; i++) {
        const clg_op *op = &layer->op[i];
        if (op->kind != CLG_OP_ATTENTION) continue;
        bool backward = op->pass != CLG_PASS_FORWARD;
        double scores = 32.0 * 10 * 1024 * 1024;
        seen++;
        CHECK_NEAR(op->attention.blocks, 10, 1e-14);
        CHECK_NEAR(op->attention.block, 1024, 1e-14);
        CHECK_NEAR(op->flop, scores * 2 * 128 * (backward ? 5 : 2), 1e-14);
        /* 6 and 14 x 128 / 1,024; 8 and 26 x 128 / 1,024 */
        CHECK_NEAR(op->hbm_bytes, scores * (backward ? 11.25 : 7.75), 1e-14);
    }
    CHECK(seen == 2);
    CHECK_NEAR(layer->transient_bytes, 32.0 * 1024 * 1024 * 8, 1e-14);
    CASE("no more keys than a block: one block, whole");
    l.seq = 512;
    CHECK_NEAR(flop(&built(&s, &l)->kind[0], FORWARD) -
                   2 * 512 * 4096.0 * (4096 * 2 + 1024 * 2 + 3 * 14336),
               32 * 512.0 * 512 * 4 * 128, 1e-12);
}

static void gpt(void) {
    CASE("GPT: 72 B s L h^2 (1 + s/6h + V/12Lh), 96 (... V/16Lh) with full recompute");
    static const char *const models[] = {"megatron-1.7b",  "megatron-18.4b",  "megatron-145.6b",
                                         "megatron-1008b", "megatron-529.6b", "gpt3-175b"};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) narayanan(models[i]);
    CASE("GPT-3 175B by the number: 96 layers of 12,288, 50,257 words, one sequence of 2,048");
    /* matrices: 24 s h^2 = 24 x 2048 x 150994944 = 7421703487488, x 96 = 712483534798848
     * attention: 4 s^2 h = 4 x 4194304 x 12288 = 206158430208, x 96 = 19791209299968
     * head: 2 s h V = 2 x 2048 x 12288 x 50257 = 2529517633536
     * forward 734804261732352, step three times that */
    clg_scenario s = plan_scenario(&arena, "gpt3-175b", "a100-sxm-80gb", "megatron-2021", 8);
    clg_layout l = plan_layout(2048);
    l.attention = CLG_UNFUSED;
    CHECK_NEAR(executed(&s, &l), 3 * 734804261732352.0, 1e-14);
    CASE("passes of a dense layer: input and weight gradients cost a forward each");
    const clg_block *layer = &built(&s, &l)->kind[0];
    CHECK_NEAR(flop(layer, FORWARD), 7421703487488.0 + 206158430208.0, 1e-14);
    /* both operands of the attention core get their gradient in the input pass */
    CHECK_NEAR(flop(layer, INPUT), 7421703487488.0 + 2 * 206158430208.0, 1e-14);
    CHECK_NEAR(flop(layer, WEIGHT), 7421703487488.0, 1e-14);
    CASE("full recompute does the forward of layers again, not the head's");
    l.recompute = CLG_RECOMPUTE_FULL;
    layer = &built(&s, &l)->kind[0];
    CHECK_NEAR(flop(layer, AGAIN), flop(layer, FORWARD), 1e-15);
    CHECK(flop(&step.head, AGAIN) == 0);
}

/* Matrix products by hand: 6 flop per parameter a token meets. Causal fused attention: per token,
 * forward s/2 keys x 2 flop x (d + v) per head; backward five products, of which three have the
 * width d of queries and keys (scores again, dQ, dK) and two the width v of values (dP, dV). */
static double by_hand(double matrices, double layers, double heads, double d, double v, double s) {
    double forward = s / 2 * 2 * (d + v), backward = s / 2 * 2 * (3 * d + 2 * v);
    return s * (6 * matrices + layers * heads * (forward + backward));
}

static void families(void) {
    clg_layout l = plan_layout(4096);
    CASE("Llama-2 70B: grouped queries, gated MLP");
    /* one layer: q 8192 x 8192 = 67108864, k and v 2 x 8192 x 1024 = 16777216, o 67108864,
     * MLP 3 x 8192 x 28672 = 704643072: 855638016; 80 of them 68451041280; head 32000 x 8192 =
     * 262144000; a token meets 68713185280 */
    clg_scenario s = plan_scenario(&arena, "llama-2-70b", "h100-sxm", "megatron-2024", 64);
    double hand = by_hand(68713185280.0, 80, 64, 128, 128, 4096);
    CHECK_NEAR(executed(&s, &l), hand, 1e-13);
    l.tp = 8, l.sp = true, l.cp = 2;
    CHECK_NEAR(executed(&s, &l), hand, 1e-13);
    CASE("Mixtral 8x7B: two of eight experts");
    /* attention 2 x 16777216 + 8388608 = 41943040, router 4096 x 8 = 32768, two experts of
     * 3 x 4096 x 14336 = 176160768: 394297344; 32 of them 12617515008; head 131072000 */
    s = plan_scenario(&arena, "mixtral-8x7b", "h100-sxm", "megatron-2024", 64);
    hand = by_hand(12748587008.0, 32, 32, 128, 128, 4096);
    l = plan_layout(4096);
    CHECK_NEAR(executed(&s, &l), hand, 1e-13);
    l.tp = 4, l.sp = true, l.dp = 2, l.ep = 8, l.global_batch = 2;
    CHECK_NEAR(executed(&s, &l), 2 * hand, 1e-13);
    l.etp = 4, l.ep = 2; /* experts split over ranks: the same work */
    CHECK_NEAR(executed(&s, &l), 2 * hand, 1e-13);
    l.sp = false; /* every tensor rank routes all tokens: 3 more routers of 32768 in 32 layers */
    CHECK_NEAR(executed(&s, &l), 2 * (hand + 4096.0 * 6 * 3 * 32768 * 32), 1e-13);
    CASE("DeepSeek-V3: latent attention, 8 of 256 experts and a shared one");
    /* attention: query down 7168 x 1536 = 11010048 and up 1536 x 128 x 192 = 37748736, key-value
     * down 7168 x 576 = 4128768 and up 512 x 128 x 256 = 16777216, output 16384 x 7168 =
     * 117440512: 187105280, x 61 = 11413422080
     * 3 dense MLPs of 3 x 7168 x 18432 = 396361728: 1189085184
     * 58 MoE: router 7168 x 256 = 1835008, 9 experts of 3 x 7168 x 2048 = 44040192: 398196736 each,
     * 23095410688 in all; head 129280 x 7168 = 926679040. Sum 36624596992.
     * The multi-token-prediction module is switched off (the published total leaves it out too). */
    s = plan_scenario(&arena, "deepseek-v3", "h100-sxm", "megatron-2024", 64);
    s.model.prediction_layers = 0;
    l = plan_layout(4096);
    hand = by_hand(36624596992.0, 61, 128, 192, 128, 4096);
    CHECK_NEAR(executed(&s, &l), hand, 1e-13);
    l.dp = 8, l.ep = 8, l.global_batch = 8;
    CHECK_NEAR(executed(&s, &l), 8 * hand, 1e-13);
    CASE("DeepSeek-V3: tensor ranks repeat the down projections");
    /* 11010048 + 4128768 = 15138816 per layer, on 7 more ranks */
    l = plan_layout(4096);
    l.tp = 8, l.sp = true;
    CHECK_NEAR(executed(&s, &l), hand + 4096.0 * 6 * 7 * 15138816 * 61, 1e-13);
    CASE("a window: w s - w^2/2 pairs of query and key");
    /* Mistral 7B, 4,096 tokens back, 16,384 tokens: 58720256 pairs against 134217728 */
    s = plan_scenario(&arena, "mistral-7b", "h100-sxm", "megatron-2024", 8);
    l = plan_layout(16384);
    double core = 0;
    for (int i = 0; i < built(&s, &l)->kind[0].ops; i++)
        if (step.kind[0].op[i].kind == CLG_OP_ATTENTION) core += step.kind[0].op[i].flop;
    CHECK_NEAR(core, 58720256.0 * 32 * (4 * 128 + 10 * 128), 1e-13);
    CASE("chunks of 4,096 that do not slide: half of 4,096 x 16,384");
    s.model.kind[0].attention.chunked = true, core = 0;
    for (int i = 0; i < built(&s, &l)->kind[0].ops; i++)
        if (step.kind[0].op[i].kind == CLG_OP_ATTENTION) core += step.kind[0].op[i].flop;
    CHECK_NEAR(core, 33554432.0 * 32 * (4 * 128 + 10 * 128), 1e-13);
}

static void tensor_traffic(void) {
    clg_scenario s = plan_scenario(&arena, "gpt3-175b", "a100-sxm-80gb", "megatron-2022", 64);
    clg_layout l = plan_layout(2048);
    l.attention = CLG_UNFUSED;
    l.micro_batch = 4, l.global_batch = 4;
    l.tp = 8;
    /* b s h x 2 bytes: 4 x 2048 x 12288 x 2 */
    double buffer = 201326592;
    CASE("tensor parallel: four all-reduces a layer (arXiv:1909.08053, section 3)");
    const clg_block *layer = &built(&s, &l)->kind[0];
    traffic forward = traffic_of(layer, CLG_AXIS_TP, CLG_ALL_REDUCE, FORWARD);
    traffic all = traffic_of(layer, CLG_AXIS_TP, CLG_ALL_REDUCE, ALL);
    CHECK(forward.count == 2 && all.count == 4 && ops_of(layer, CLG_AXIS_TP) == 4);
    CHECK_NEAR(forward.bytes, 2 * buffer, 1e-14);
    CHECK_NEAR(all.bytes, 4 * buffer, 1e-14);
    CASE("full recompute: six (the forward's two again)");
    l.recompute = CLG_RECOMPUTE_FULL;
    layer = &built(&s, &l)->kind[0];
    CHECK(traffic_of(layer, CLG_AXIS_TP, CLG_ALL_REDUCE, ALL).count == 6);
    CASE("sequence parallel: four gathers and four scatters (arXiv:2205.05198, section 4.2.2)");
    /* and the gather of the paper's last paragraph there: each of the two regions keeps a shard of
     * its input and gathers it again for the weight gradient, beside the input gradient */
    l.recompute = CLG_RECOMPUTE_NONE;
    l.sp = true;
    layer = &built(&s, &l)->kind[0];
    traffic gather = traffic_of(layer, CLG_AXIS_TP, CLG_ALL_GATHER, ALL);
    traffic scatter = traffic_of(layer, CLG_AXIS_TP, CLG_REDUCE_SCATTER, ALL);
    CHECK(gather.count == 4 + 2 && scatter.count == 4);
    CHECK(traffic_of(layer, CLG_AXIS_TP, CLG_ALL_REDUCE, ALL).count == 0);
    CHECK_NEAR(gather.bytes, 6 * buffer, 1e-14);
    CHECK_NEAR(scatter.bytes, 4 * buffer, 1e-14);
    CHECK(traffic_of(layer, CLG_AXIS_TP, CLG_ALL_GATHER, FORWARD).count == 2);
    CHECK(traffic_of(layer, CLG_AXIS_TP, CLG_REDUCE_SCATTER, FORWARD).count == 2);
    CASE("experts split like the MLP need its all-reduces too");
    /* Without sequence parallelism all tensor ranks hold all tokens, each a part of every expert:
     * the outputs are sums over ranks, as after a dense MLP. */
    s = plan_scenario(&arena, "mixtral-8x7b", "h100-sxm", "megatron-2024", 64);
    l = plan_layout(4096);
    l.tp = l.etp = 4;
    layer = &built(&s, &l)->kind[0];
    all = traffic_of(layer, CLG_AXIS_TP, CLG_ALL_REDUCE, ALL);
    CHECK(all.count == 4);
    CHECK_NEAR(all.bytes, 4 * (4096.0 * 4096 * 2), 1e-14);
    CASE("with sequence parallelism they gather tokens and scatter outputs");
    l.sp = true; /* own tokens 1024, two copies each, gathered from four ranks */
    layer = &built(&s, &l)->kind[0];
    gather = traffic_of(layer, CLG_AXIS_TP, CLG_ALL_GATHER, FORWARD);
    CHECK(gather.count == 2); /* attention input; expert tokens */
    CHECK_NEAR(gather.bytes, 4096.0 * 4096 * 2 + 1024.0 * 2 * 4 * 4096 * 2, 1e-14);
}

/* Words of `when`-updates: an all-reduce moves twice its buffer (Rajbhandari et al. 2019,
 * arXiv:1910.02054, section 7: reduce-scatter and gather, each P). */
static double words(const clg_scenario *s, const clg_layout *l, double parameters, bool per_pass) {
    clg_updates updates;
    built(s, l);
    clg_step_updates(&s->model, &s->stack, l, &step, (clg_held){.dense = parameters}, &updates);
    double all = 0;
    for (int i = 0; i < updates.count; i++) {
        const clg_update *u = &updates.update[i];
        if (u->op.kind != CLG_OP_COLLECTIVE) continue;
        bool pass = u->when == CLG_UPDATE_FORWARD || u->when == CLG_UPDATE_BACKWARD;
        if (per_pass && !pass) continue;
        bool gather = u->op.collective == CLG_ALL_GATHER;
        double each = gather ? clg_weight_bytes(l) : clg_precision_bytes(s->stack.gradient);
        double copies = u->op.count * (u->op.collective == CLG_ALL_REDUCE ? 2 : 1);
        all += u->op.bytes / each * copies;
        CHECK(u->op.axis == CLG_AXIS_DP && u->op.group.ranks == l->dp);
    }
    return all;
}

static void data_traffic(void) {
    clg_scenario s = plan_scenario(&arena, "llama-2-7b", "h100-sxm", "megatron-2024", 64);
    clg_layout l = plan_layout(4096);
    l.dp = 64, l.global_batch = 64;
    double parameters = 1e9;
    CASE("ZeRO 0, 1, 2, 3 move 2P, 2P, 2P, 3P words (arXiv:1910.02054, section 7)");
    static const double want[] = {2, 2, 2, 3};
    for (l.zero = 0; l.zero <= 3; l.zero++)
        CHECK_NEAR(words(&s, &l, parameters, false), want[l.zero] * parameters, 1e-14);
    CASE("what ZeRO 2 and 3 repeat in every micro-batch: P and 3P");
    /* The paper's step is one backward. With accumulation, stage 2 reduces in every backward, since
     * no rank keeps all gradients; stage 3 gathers in every pass as well. */
    static const double again[] = {0, 0, 1, 3};
    for (l.zero = 0; l.zero <= 3; l.zero++)
        CHECK_NEAR(words(&s, &l, parameters, true), again[l.zero] * parameters, 1e-14);
    CASE("gradients kept whole are scattered once: 0 and 2P are repeated, whole P in pipelines "
         "only");
    s.stack.traffic.scatters = CLG_SCATTERS_ONCE, l.accumulation = 4, l.global_batch = 256;
    static const double whole[] = {0, 0, 0, 2};
    for (l.zero = 0; l.zero <= 3; l.zero++) {
        CHECK_NEAR(words(&s, &l, parameters, true), whole[l.zero] * parameters, 1e-14);
        CHECK_NEAR(words(&s, &l, parameters, false), want[l.zero] * parameters, 1e-14);
    }
    s.stack.traffic.scatters = CLG_SCATTERS_EACH, l.zero = 3;
    CHECK(!clg_gradients_whole(&l, &s.stack));
    l.pp = 2;
    CHECK(clg_gradients_whole(&l, &s.stack));
    s.stack.traffic.scatters = CLG_SCATTERS_ANYWHERE;
    CHECK(!clg_gradients_whole(&l, &s.stack));
    s.stack.traffic.scatters = CLG_SCATTERS_EACH;
    l.pp = 1, l.accumulation = 1, s.stack.traffic.scatters = CLG_SCATTERS_ONCE;
    CHECK(!clg_gradients_whole(&l, &s.stack));
    s.stack.traffic.scatters = CLG_SCATTERS_EACH;
    l.accumulation = 1, l.global_batch = 64;
    CASE("one data rank sends nothing");
    l.dp = 1, l.global_batch = 1;
    for (l.zero = 0; l.zero <= 3; l.zero++) CHECK(words(&s, &l, parameters, false) == 0);
    CASE("HSDP: shards of a node in every pass, a reduction of a shard between nodes once");
    l.dp = 64, l.global_batch = 64, l.hsdp = 8, l.zero = 3;
    clg_updates updates;
    built(&s, &l);
    clg_step_updates(&s.model, &s.stack, &l, &step, (clg_held){.dense = parameters}, &updates);
    for (int i = 0; i < updates.count; i++) {
        const clg_update *u = &updates.update[i];
        if (u->op.kind != CLG_OP_COLLECTIVE) continue;
        bool across = u->op.collective == CLG_ALL_REDUCE;
        CHECK(u->op.group.ranks == 8 && u->op.group.per_domain == (across ? 1 : 8));
        if (across) CHECK_NEAR(u->op.bytes, parameters / 8 * 4, 1e-14);
        CHECK(across == (u->when == CLG_UPDATE_GRADIENT));
    }
}

static void expert_traffic(void) {
    CASE("experts: tokens x k x h x 2 bytes out and back, forward and backward");
    clg_scenario s = plan_scenario(&arena, "mixtral-8x7b", "h100-sxm", "megatron-2024", 64);
    clg_layout l = plan_layout(4096);
    l.dp = 8, l.ep = 8, l.global_batch = 8;
    const clg_block *layer = &built(&s, &l)->kind[0];
    /* 4096 x 2 x 4096 x 2 */
    double out = 67108864;
    CHECK(traffic_of(layer, CLG_AXIS_EP, CLG_ALL_TO_ALL, FORWARD).count == 2);
    CHECK_NEAR(traffic_of(layer, CLG_AXIS_EP, CLG_ALL_TO_ALL, FORWARD).bytes, 2 * out, 1e-14);
    CHECK_NEAR(traffic_of(layer, CLG_AXIS_EP, CLG_ALL_TO_ALL, INPUT).bytes, 2 * out, 1e-14);
    CHECK(ops_of(layer, CLG_AXIS_EP) == 4);
    CASE("sequence parallel ranks send their own tokens only");
    l.tp = 2, l.sp = true, l.dp = 4, l.global_batch = 4;
    layer = &built(&s, &l)->kind[0];
    CHECK_NEAR(traffic_of(layer, CLG_AXIS_EP, CLG_ALL_TO_ALL, FORWARD).bytes, out, 1e-14);
    CASE("a token is sent once per rank and crosses once per node: 8 of 256 experts, 64 ranks");
    /* its router takes them from 4 of 8 groups: 32 ranks, 4 nodes. 32 (1 - (31/32)^8) = 7.17760
     * ranks are met, 4 (1 - (3/4)^8) = 3.59955 nodes: .501497 of what is sent crosses; 7.17760 x
     * 4096 tokens x 7168 x 2 bytes are sent */
    s = plan_scenario(&arena, "deepseek-v3", "h100-sxm", "megatron-2024", 64);
    s.stack.experts.dedup = true;
    l = plan_layout(4096);
    l.dp = 64, l.ep = 64, l.global_batch = 64;
    layer = &built(&s, &l)->kind[s.model.layer_kind[60]];
    for (int i = 0; i < layer->ops; i++)
        if (layer->op[i].axis == CLG_AXIS_EP)
            CHECK_NEAR(layer->op[i].slow_share, .501497214940563, 1e-12),
                CHECK_NEAR(layer->op[i].bytes, 421470735.435791, 1e-12);
}

/* Share of what is sent that crosses, and bytes sent, of a model's dispatch. */
static void check_rows(const char *model, int ep, double slow_share, double bytes) {
    clg_scenario s = plan_scenario(&arena, model, "h100-sxm", "megatron-2024", 64);
    clg_layout l = plan_layout(4096);
    s.stack.experts.dedup = s.stack.experts.in_rows = true;
    l.dp = 64, l.ep = ep, l.global_batch = 64;
    const clg_block *layer = &built(&s, &l)->kind[s.model.layer_kind[s.model.layers - 1]];
    int found = 0;
    for (int i = 0; i < layer->ops; i++)
        if (layer->op[i].axis == CLG_AXIS_EP) {
            CHECK_NEAR(layer->op[i].slow_share, slow_share, 1e-12);
            CHECK_NEAR(layer->op[i].bytes, bytes, 1e-12);
            found++;
        }
    CHECK(found == 4);
}

static void experts_in_rows(void) {
    CASE("gates that count: experts 0 to 7, 8 to 15, ... of 256. On 64 ranks 4 each, so 2 of them; "
         "on 8 nodes 32 each, so 1");
    check_rows("deepseek-v3", 64, 1.0 / 2, 2 * 4096.0 * 7168 * 2);
    CASE("of 384 on 32 ranks 12 each: 0 to 7 meet one, 8 to 15 two, 16 to 23 one: 4/3; 96 a node");
    check_rows("kimi-k2", 32, 3.0 / 4, 4.0 / 3 * 4096 * 7168 * 2);
    CASE("in one node: 128 on 8 ranks, 16 each, all in one");
    check_rows("qwen3-30b-a3b", 8, 0, 4096.0 * 2048 * 2);
}

/* Experts' products of a precision, and casts, in a block of Mixtral in fp8. */
static void count_experts(bool wide, int *narrow, int *whole, int *casts) {
    clg_scenario s = plan_scenario(&arena, "mixtral-8x7b", "h100-sxm", "megatron-2024", 8);
    clg_layout l = plan_layout(4096);
    l.dp = 8, l.ep = 8, l.global_batch = 8, l.precision = CLG_FP8;
    s.stack.experts.wide = wide;
    const clg_block *layer = &built(&s, &l)->kind[0];
    *narrow = *whole = *casts = 0;
    for (int i = 0; i < layer->ops; i++) {
        const clg_op *op = &layer->op[i];
        *casts += strcmp(op->name, "cast to narrow precision") == 0;
        if (op->kind != CLG_OP_GROUPED) continue;
        *narrow += op->precision == CLG_FP8;
        *whole += op->precision == CLG_BF16;
    }
}

static void wide_experts(void) {
    CASE("experts in 16 bit beside fp8: 2 matrices x 3 passes, and none of their 4 casts");
    int narrow, whole, casts, rest;
    count_experts(false, &narrow, &whole, &casts);
    CHECK(narrow == 6 && whole == 0 && casts > 4);
    count_experts(true, &narrow, &whole, &rest);
    CHECK(narrow == 0 && whole == 6 && rest == casts - 4);
}

static void rows_that_arrived(void) {
    CASE("the fullest expert rank has more rows in memory too: sorted, activated, unsorted; not "
         "those of tokens before they are sent, nor the router's");
    clg_scenario s = plan_scenario(&arena, "qwen3-30b-a3b", "h100-sxm", "megatron-2024", 8);
    clg_layout l = plan_layout(4096);
    l.dp = 8, l.ep = 8, l.global_batch = 8;
    const clg_block *layer = &built(&s, &l)->kind[0];
    int marked = 0;
    for (int i = 0; i < layer->ops; i++) {
        const clg_op *op = &layer->op[i];
        bool rows = strcmp(op->name, "sort by local expert") == 0 ||
                    strcmp(op->name, "unsort local experts") == 0 ||
                    strcmp(op->name, "activation") == 0;
        CHECK(op->arrived == rows);
        marked += op->arrived;
    }
    CHECK(marked == 6); /* forward and backward of each */
}

static const clg_op *op_named(const clg_block *block, const char *name, clg_pass pass) {
    for (int i = 0; i < block->ops; i++)
        if (strcmp(block->op[i].name, name) == 0 && block->op[i].pass == pass) return &block->op[i];
    return NULL;
}

static void padded_experts(void) {
    CASE("a batch of 128 experts' rows: 32,768 x 2048 x 2 bytes, written into and read out of; "
         "backward 2 copies a write, and 4 passes over zeros a read, for each expert");
    clg_scenario s = plan_scenario(&arena, "qwen3-30b-a3b", "h200-sxm", "fsdp2-2026", 8);
    clg_layout l = plan_layout(4096);
    l.dp = 8, l.zero = 3, l.global_batch = 8;
    const clg_block *layer = &built(&s, &l)->kind[0];
    const clg_op *forth = op_named(layer, "pad experts' rows", CLG_PASS_FORWARD);
    const clg_op *back = op_named(layer, "pad experts' rows", CLG_PASS_BACKWARD_INPUT);
    CHECK(forth && back && forth->arrived && back->arrived);
    CHECK_NEAR(forth->hbm_bytes * forth->count, 4 * 134217728.0, 1e-12);
    CHECK_NEAR(back->hbm_bytes * back->count, 12 * 128 * 134217728.0, 1e-12);
    CASE("and picked by index before, weighed and added after: 7 passes, 4 of them counted apart");
    const clg_op *moved = op_named(layer, "move rows by index", CLG_PASS_FORWARD);
    CHECK(moved && fabs(moved->hbm_bytes * moved->count / (3 * 134217728.0) - 1) < 1e-12);
}

static void context_traffic(void) {
    clg_scenario s = plan_scenario(&arena, "llama-3.1-8b", "h100-sxm", "megatron-2024", 64);
    clg_layout l = plan_layout(8192);
    l.cp = 4;
    CASE("context ring: keys and values of the other ranks, and their gradients back");
    /* one rank's: 2048 tokens x 8 heads x (128 + 128) x 2 bytes = 8388608. A ring of 4 sends 3 such
     * pieces forward (Liu et al. 2023, arXiv:2310.01889), and in the backward 3 of them again and 3
     * of their gradients. A gather of the buffer of all 4 puts the same 3 on a rank's wire. */
    const clg_block *ring = &built(&s, &l)->kind[0];
    traffic forward = traffic_of(ring, CLG_AXIS_CP, CLG_SEND_RECEIVE, FORWARD);
    traffic back = traffic_of(ring, CLG_AXIS_CP, CLG_SEND_RECEIVE, INPUT);
    CHECK(forward.count == 3 && back.count == 6);
    CHECK_NEAR(forward.bytes, 3 * 8388608.0, 1e-14);
    CHECK_NEAR(back.bytes, 6 * 8388608.0, 1e-14);
    l.cp_kind = CLG_CONTEXT_GATHER;
    const clg_block *gathers = &built(&s, &l)->kind[0];
    traffic gather = traffic_of(gathers, CLG_AXIS_CP, CLG_ALL_GATHER, ALL);
    traffic scatter = traffic_of(gathers, CLG_AXIS_CP, CLG_REDUCE_SCATTER, INPUT);
    CHECK(gather.count == 2 && scatter.count == 1);
    CHECK_NEAR(gather.bytes * 3 / 4, 2 * 3 * 8388608.0, 1e-14);
    CHECK_NEAR(scatter.bytes * 3 / 4, 3 * 8388608.0, 1e-14);
    CASE("Ulysses: queries, keys, values and outputs change places (arXiv:2309.14509, section 3)");
    /* 2048 tokens x (32 + 8 + 8 + 32) heads x 128 x 2 bytes, each pass */
    l.cp_kind = CLG_CONTEXT_ULYSSES;
    const clg_block *layer = &built(&s, &l)->kind[0];
    CHECK_NEAR(traffic_of(layer, CLG_AXIS_CP, CLG_ALL_TO_ALL, FORWARD).bytes, 41943040.0, 1e-14);
    CHECK_NEAR(traffic_of(layer, CLG_AXIS_CP, CLG_ALL_TO_ALL, INPUT).bytes, 41943040.0, 1e-14);
    CASE("Ulysses of latent attention: values and outputs are narrower than queries");
    /* 1024 tokens x 128 heads x (192 + 192 + 128 + 128) x 2 bytes */
    s = plan_scenario(&arena, "deepseek-v3", "h100-sxm", "megatron-2024", 64);
    l.seq = 4096;
    layer = &built(&s, &l)->kind[0];
    CHECK_NEAR(traffic_of(layer, CLG_AXIS_CP, CLG_ALL_TO_ALL, FORWARD).bytes, 167772160.0, 1e-14);
}

static void edges(void) {
    CASE("pipeline boundary: b s h x 2 bytes, over tp with sequence parallelism");
    /* 4 x 2048 x 12288 x 2 = 201326592. Without sp Narayanan et al. (section 4.1) can scatter the
     * copies over the node's NICs and gather behind them; here each rank sends its own. */
    clg_scenario s = plan_scenario(&arena, "gpt3-175b", "a100-sxm-80gb", "megatron-2022", 64);
    clg_layout l = plan_layout(2048);
    l.micro_batch = 4, l.global_batch = 4;
    l.tp = 8, l.pp = 8;
    CHECK_NEAR(built(&s, &l)->boundary_bytes, 201326592.0, 1e-15);
    CHECK(step.send_group.ranks == 2 && step.send_group.per_domain == 1);
    CASE("stages of 2 ranks, four of eight in a box: the border between boxes is a slow one");
    l.tp = 2;
    built(&s, &l);
    CHECK(step.stages_together == 4 && step.send_group.per_domain == 1);
    s.machine.gpus = 8, l.pp = 4;
    built(&s, &l);
    CHECK(step.stages_together == 4 && step.send_group.per_domain == 2);
    s.machine.gpus = 64, l.tp = 8, l.pp = 8;
    l.sp = true;
    CHECK_NEAR(built(&s, &l)->boundary_bytes, 201326592.0 / 8, 1e-15);
    l.cp = 2;
    CHECK_NEAR(built(&s, &l)->boundary_bytes, 201326592.0 / 16, 1e-15);
    CASE("the loss over vocabulary shards: three fp32 values a token");
    l.cp = 1;
    const clg_block *head = &built(&s, &l)->head;
    traffic loss = traffic_of(head, CLG_AXIS_TP, CLG_ALL_REDUCE, FORWARD);
    CHECK(loss.count == 3);
    CHECK_NEAR(loss.bytes, 3 * 4 * 2048 * 4.0, 1e-15);
}

/* No op of an axis of degree one, anywhere. */
static void absent(void) {
    CASE("degree one: no ops of the axis");
    static const char *const models[] = {"gpt3-175b", "llama-3.1-8b", "mixtral-8x7b",
                                         "deepseek-v3"};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        clg_scenario s = plan_scenario(&arena, models[i], "h100-sxm", "megatron-2024", 64);
        bool moe = s.model.active_parameters < s.model.parameters;
        for (int mask = 0; mask < 16; mask++) {
            clg_layout l = plan_layout(4096);
            l.tp = mask & 1 ? 4 : 1, l.sp = l.tp > 1;
            l.cp = mask & 2 ? 2 : 1;
            l.dp = mask & 4 ? 8 : 1;
            l.ep = moe && mask & 8 && l.dp > 1 ? 8 : 1;
            l.global_batch = l.dp;
            built(&s, &l);
            for (int kind = 0; kind < step.kinds; kind++) {
                const clg_block *layer = &step.kind[kind];
                bool experts = s.model.kind[kind].mlp.kind == CLG_MLP_MOE;
                CHECK((ops_of(layer, CLG_AXIS_TP) > 0) == (l.tp > 1));
                CHECK((ops_of(layer, CLG_AXIS_CP) > 0) == (l.cp > 1));
                CHECK((ops_of(layer, CLG_AXIS_EP) > 0) == (l.ep > 1 && experts));
                CHECK(ops_of(layer, CLG_AXIS_DP) == 0 && ops_of(layer, CLG_AXIS_PP) == 0);
            }
            CHECK((ops_of(&step.embedding, CLG_AXIS_TP) > 0) == (l.tp > 1));
            CHECK((ops_of(&step.head, CLG_AXIS_TP) > 0) == (l.tp > 1));
            CHECK((step.dense_group.ranks > 1) == (l.dp * l.cp > 1));
            CHECK(step.send_group.ranks == 1);
        }
    }
}

static void counts(void) {
    CASE("the number of ops does not depend on the micro-batch; the work is in proportion");
    static const char *const models[] = {"gpt3-175b", "llama-3.1-8b", "mixtral-8x7b"};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        clg_scenario s = plan_scenario(&arena, models[i], "h100-sxm", "megatron-2024", 64);
        for (int recompute = CLG_RECOMPUTE_NONE; recompute <= CLG_RECOMPUTE_FULL; recompute++) {
            clg_layout l = plan_layout(2048);
            l.tp = 2, l.sp = true, l.accumulation = 4, l.global_batch = 4;
            l.recompute = (clg_recompute)recompute;
            int ops = built(&s, &l)->kind[0].ops, head = step.head.ops;
            double one = flop(&step.kind[0], ALL), boundary = step.boundary_bytes;
            for (int b = 2; b <= 16; b *= 2) {
                l.micro_batch = b, l.global_batch = 4 * b;
                CHECK(built(&s, &l)->kind[0].ops == ops && step.head.ops == head);
                CHECK_NEAR(flop(&step.kind[0], ALL), b * one, 1e-13);
                CHECK_NEAR(step.boundary_bytes, b * boundary, 1e-15);
            }
        }
    }
    CASE("a single micro-batch has no gradient to add to");
    /* the products write the gradient; only later ones read and add */
    clg_scenario s = plan_scenario(&arena, "gpt3-175b", "h100-sxm", "megatron-2024", 64);
    clg_layout l = plan_layout(2048);
    int one = built(&s, &l)->kind[0].ops;
    l.accumulation = l.global_batch = 2;
    CHECK(built(&s, &l)->kind[0].ops == one + 4); /* four matrices */
}

static bool is(clg_group g, int ranks, int per_domain) {
    return g.ranks == ranks && g.per_domain == per_domain;
}

static void groups(void) {
    CASE("who talks to whom: tp fastest, then cp, dp, pp; boxes of eight");
    /* 4 x 2 x 8 x 2 = 128 ranks. Neighbours in dp and cp are 4 apart: two of 16 in a box. A shard
     * set of 4 (dp 2 x cp 2) covers 16 ranks, its replicas are 16 apart; stages are 64 apart. */
    clg_scenario s = plan_scenario(&arena, "mixtral-8x7b", "h100-sxm", "megatron-2024", 128);
    clg_layout l = plan_layout(4096);
    l.tp = 4, l.sp = true, l.cp = 2, l.dp = 8, l.pp = 2, l.global_batch = 8;
    l.hsdp = 4, l.zero = 3;
    built(&s, &l);
    CHECK(is(step.dense_group, 16, 2) && is(step.shard_group, 4, 2));
    CHECK(is(step.replica_group, 4, 1) && is(step.send_group, 2, 1));
    CASE("experts: ep x etp ranks in order hold all, the others are copies");
    l.ep = 4, l.etp = 2; /* 8 ranks, one box; the 8 copies of an expert are in 8 boxes */
    built(&s, &l);
    CHECK(is(step.expert_group, 8, 1));
    l.etp = 1; /* 4 ranks: two copies in a box */
    built(&s, &l);
    CHECK(is(step.expert_group, 16, 2));
    for (int i = 0; i < step.kind[0].ops; i++) {
        const clg_op *op = &step.kind[0].op[i];
        if (op->axis == CLG_AXIS_TP) CHECK(is(op->group, 4, 4));
        if (op->axis == CLG_AXIS_CP) CHECK(is(op->group, 2, 2));
        if (op->axis == CLG_AXIS_EP) CHECK(is(op->group, 4, 4));
    }
}

/* Every preset in every combination of what adds ops. */
static void latent(void) {
    CASE("latent heads, recomputed selectively: expanded again, the core is not done again");
    clg_scenario s = plan_scenario(&arena, "deepseek-v3", "h100-sxm", "megatron-2024", 1);
    clg_layout l = plan_layout(4096);
    double saved = built(&s, &l)->kind[0].saved_bytes, flop = 0;
    l.recompute = CLG_RECOMPUTE_SELECTIVE;
    const clg_block *layer = &built(&s, &l)->kind[0];
    for (int i = 0; i < layer->ops; i++)
        if (layer->op[i].pass == CLG_PASS_RECOMPUTE) flop += layer->op[i].flop;
    /* 2 x 4096 x (1536 x 128 x 192 + 512 x 128 x (128 + 128)); 4096 x 128 x (2 x 192 + 128) x 2 */
    CHECK_NEAR(flop, 446676598784.0, 1e-12);
    CHECK_NEAR(saved - layer->saved_bytes, 536870912.0, 1e-12);
    CHECK_NEAR(layer->rebuilt_bytes, 536870912.0, 1e-12);
    CASE("experts keep their inputs as their products read them: a byte each in fp8, not two");
    l.recompute = CLG_RECOMPUTE_NONE;
    double bytes[2];
    for (int narrow = 0; narrow < 2; narrow++) {
        s.model.kind[0].mlp.kind = CLG_MLP_NONE;
        l.precision = narrow ? CLG_FP8 : CLG_BF16;
        bytes[narrow] = built(&s, &l)->kind[1].saved_bytes - built(&s, &l)->kind[0].saved_bytes;
    }
    /* beside them: shared expert and activations, (32768 + 4096) x 2048 x (4 + 2 or 1) */
    CHECK_NEAR(bytes[0] - bytes[1], 32768.0 * 7168 + 36864.0 * 2048, 1e-12);
}

/* DeepSeek V2 Lite: 16 heads of 128 + 64, values of 128, 4,096 tokens of 2 bytes. Forward: turned
 * 14 x 17 x 64; copies of queries and keys 2 x 16 x 192 each, of values 2 x 16 x 128. Backward: 24
 * x 17 x 64, queries 2 x 16 x 192, keys with values 2 x 16 x 256, the repeated part 16 x 64, and
 * what went in, 2 x 576. */
static void turned_latent(void) {
    CASE("latent heads put together by elementary operations, or in the kernel that turns them");
    clg_scenario s = plan_scenario(&arena, "deepseek-v2-lite", "h100-sxm", "megatron-2024", 1);
    clg_layout l = plan_layout(4096);
    for (int fused = 0; fused < 2; fused++) {
        double bytes[2] = {0}, kernels[2] = {0};
        s.stack.fused.latent_rotary = fused;
        const clg_block *layer = &built(&s, &l)->kind[0];
        for (int i = 0; i < layer->ops; i++) {
            const clg_op *op = &layer->op[i];
            if (strcmp(op->name, "put latent heads together") != 0) continue;
            bytes[op->pass != CLG_PASS_FORWARD] += op->hbm_bytes * op->count;
            kernels[op->pass != CLG_PASS_FORWARD] += op->count;
        }
        CHECK_NEAR(bytes[0], fused ? 0 : 258998272.0, 1e-12);
        CHECK_NEAR(bytes[1], fused ? 0 : 349175808.0, 1e-12);
        CHECK(kernels[0] == (fused ? 0 : 29) && kernels[1] == (fused ? 0 : 32));
    }
}

static void room(void) {
    CASE("no layer has more ops than a block holds, with room for a model that has everything");
    int names, most = 0;
    const char *const *name = clg_model_names(&arena, &names);
    for (int i = 0; i < names; i++) {
        clg_scenario s = plan_scenario(&arena, name[i], "h100-sxm", "unknown", 64);
        for (int mask = 0; mask < 128; mask++) {
            clg_layout l = plan_layout(4096);
            l.dp = 16, l.accumulation = 2, l.global_batch = 32;
            l.tp = mask & 1 ? 4 : 1, l.sp = l.tp > 1 && mask & 2;
            l.cp = mask & 4 ? 2 : 1;
            l.ep = mask & 8 ? 8 : 1;
            l.etp = mask & 16 ? 2 : 1;
            l.precision = mask & 32 ? CLG_FP8 : CLG_BF16;
            l.recompute = mask & 64 ? CLG_RECOMPUTE_FULL : CLG_RECOMPUTE_NONE;
            if (clg_layout_refuses(NULL, &s.model, &l)) continue;
            clg_step_build(&s.model, &s.machine, &s.stack, &l, &step);
            for (int kind = 0; kind < step.kinds; kind++)
                if (step.kind[kind].ops > most) most = step.kind[kind].ops;
        }
    }
    CHECK(most > 100 && most <= CLG_BLOCK_OPS - 32);
}

int main(void) {
    latent();
    turned_latent();
    gpt();
    blockwise();
    families();
    tensor_traffic();
    data_traffic();
    expert_traffic();
    experts_in_rows();
    wide_experts();
    rows_that_arrived();
    padded_experts();
    context_traffic();
    edges();
    absent();
    counts();
    groups();
    room();
    clg_arena_clear(&arena);
    return DONE;
}
