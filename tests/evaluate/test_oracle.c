/* An answer built another way, and what must hold for any plan.
 *
 * The slow estimate writes a Llama step down kernel by kernel from its dimensions, in the order a
 * GPU runs it, and adds. It shares with the program only the seconds of single kernels and
 * collectives; blocks, passes, ledgers, schedules and overlap are not used. */
#include "evaluate/bound.h"
#include "evaluate/compose.h"
#include "evaluate/interval.h"
#include "plan.h"
#include "schedule/schedule.h"

static clg_arena arena, scratch;

static double sum(const clg_time_ledger *t) {
    double all = 0;
    for (int i = 0; i < CLG_LEDGER_TERMS; i++) all += t->term_s[i];
    return all;
}

/* ---- the slow estimate ---- */

typedef struct slow {
    const clg_scenario *s;
    const clg_layout *l;
    double seconds, backward_s; /* of the step so far; of backwards of layers */
} slow;

static void product(slow *w, double m, double n, double k) {
    w->seconds += clg_gemm_s(&w->s->machine.gpu, &w->s->kernels, CLG_BF16, m, n, k, 1) *
                  w->s->stack.kernels.slowdown;
}

static void stream(slow *w, double bytes, int kernels) {
    for (int i = 0; i < kernels; i++)
        w->seconds += clg_memory_bound_s(&w->s->machine.gpu, &w->s->kernels, bytes / kernels);
}

/* Causal: half of q x k scores, two products forward and five backward, of 2 flop each. */
static void attend(slow *w, double tokens, double heads, double width, bool backward) {
    clg_op op = {.kind = CLG_OP_ATTENTION, .precision = CLG_BF16, .count = 1};
    op.attention.batch = 1;
    op.attention.heads = heads;
    op.attention.head_dim = op.attention.value_head_dim = width;
    op.attention.query_tokens = op.attention.key_tokens = tokens;
    op.attention.fused = true;
    op.attention.backward = backward;
    op.flop = heads * tokens * tokens / 2 * width * 2 * (backward ? 5 : 2);
    w->seconds += clg_attention_s(&w->s->machine.gpu, &w->s->kernels, CLG_FLASH2, CLG_BF16, &op);
}

/* Both gradients of a product, and the sum with the micro-batches before: fp32, read and written by
 * the product itself instead of 16 bit written. */
static void gradients(slow *w, double tokens, double in, double out) {
    product(w, tokens, in, out);
    product(w, in, out, tokens);
    if (w->l->accumulation > 1) stream(w, in * out * 6, 1);
}

/* Llama 3.1 8B: hidden 4096, 32 heads and 8 key-value heads of 128, MLP 14336. Bytes of small
 * kernels, 16 bit: RMSNorm 2.5 passes forward and 5 in two kernels back; rotation reads and writes
 * q and k; the residual reads two and writes one; SiLU times up reads two and writes one forward,
 * reads three and writes two back. */
static void layer_forward(slow *w, double t) {
    stream(w, t * 4096 * 2 * 2.5, 1);
    product(w, t, 6144, 4096);
    stream(w, t * 5120 * 2 * 2, 1);
    attend(w, t, 32, 128, false);
    product(w, t, 4096, 4096);
    stream(w, t * 4096 * 2 * 3, 1);
    stream(w, t * 4096 * 2 * 2.5, 1);
    product(w, t, 28672, 4096);
    stream(w, t * 14336 * 2 * 3, 1);
    product(w, t, 4096, 14336);
    stream(w, t * 4096 * 2 * 3, 1);
}

static void layer_backward(slow *w, double t) {
    double before = w->seconds;
    stream(w, t * 4096 * 2 * 3, 1);
    gradients(w, t, 14336, 4096);
    stream(w, t * 14336 * 2 * 5, 1);
    gradients(w, t, 4096, 28672);
    stream(w, t * 4096 * 2 * 5, 2);
    stream(w, t * 4096 * 2 * 3, 1);
    gradients(w, t, 4096, 4096);
    attend(w, t, 32, 128, true);
    stream(w, t * 5120 * 2 * 2, 1);
    gradients(w, t, 4096, 6144);
    stream(w, t * 4096 * 2 * 5, 2);
    w->backward_s += w->seconds - before;
}

/* The loss in fp32: 38 bytes a logit in six kernels; back 14 in three. */
static void head(slow *w, double t) {
    stream(w, t * 4096 * 2 * 2.5, 1);
    product(w, t, 128256, 4096);
    stream(w, t * 128256 * 38, 6);
    stream(w, t * 128256 * 14, 3);
    gradients(w, t, 4096, 128256);
    stream(w, t * 4096 * 2 * 5, 2);
}

static double slow_step_s(const clg_scenario *s, const clg_layout *l) {
    slow w = {.s = s, .l = l};
    const clg_stack *stack = &s->stack;
    double t = (double)l->seq, parameters = 8030261248.0; /* as published */
    for (int m = 0; m < l->accumulation; m++) {
        w.backward_s = 0;
        stream(&w, t * 4096 * 2 * 2, 2);
        for (int i = 0; i < 32; i++) layer_forward(&w, t);
        if (l->recompute == CLG_RECOMPUTE_FULL)
            for (int i = 0; i < 32; i++) layer_forward(&w, t);
        head(&w, t);
        for (int i = 0; i < 32; i++) layer_backward(&w, t);
        stream(&w, t * 4096 * (2 + 8), 2);
        w.seconds += stack->host.micro_batch_s;
    }
    /* fp32 gradients are scattered and 16-bit weights gathered over all nodes, in buckets of 40
     * million parameters or one million a rank. Each ends with a matrix: those of a layer, last
     * first, are 59, 117, 17 and 25 million and end 3, of 128 million (4 + 42 / 128) / 4; two
     * tables besides. Most of it hides, if the backward of the last micro-batch and the first
     * forward are long enough (they are), and lengthens what it hides under */
    double buckets = l->dp == 16 ? 32 * 3 + 2 : 37;
    double scatter_s, gather_s;
    clg_group all = {l->dp, 8};
    clg_collective_best(&s->network, CLG_REDUCE_SCATTER, all, parameters * 4 / buckets, &scatter_s);
    clg_collective_best(&s->network, CLG_ALL_GATHER, all, parameters * 2 / buckets, &gather_s);
    scatter_s *= buckets, gather_s *= buckets;
    CHECK(scatter_s * stack->overlap.gradient < w.backward_s);
    CHECK(gather_s * stack->overlap.parameter < w.backward_s / 3);
    double hidden = scatter_s * stack->overlap.gradient + gather_s * stack->overlap.parameter;
    w.seconds += scatter_s + gather_s - hidden;
    w.seconds += hidden * (stack->overlap.slowdown - 1);
    /* norm of the own gradients, clipping reads and writes them, all cleared, Adam: reads gradient,
     * weight and 12 bytes of states, writes the states again: 4 + 2 + 24 */
    double own = parameters / l->dp;
    stream(&w, own * 4, 1);
    stream(&w, own * 8, 1);
    stream(&w, parameters * 4, 1);
    w.seconds += clg_optimizer_s(&s->machine.gpu, &s->kernels, own * 30);
    w.seconds += stack->host.step_s;
    /* the slowest of N nodes */
    return w.seconds * (1 + stack->sigma.jitter * sqrt(2 * log(l->dp / 8.0)));
}

static void oracle(void) {
    CASE("a dense step, kernel by kernel");
    static const char *const gpus[] = {"a100-sxm-80gb", "h100-sxm", "b200-sxm", "mi300x"};
    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++) {
        clg_scenario s = plan_scenario(&arena, "llama-3.1-8b", gpus[i], "megatron-2024", 128);
        s.stack.host.launch_s = 0; /* of the GPU; tests/cost has the host */
        for (int dp = 16; dp <= 128; dp *= 8)
            for (int m = 1; m <= 16; m *= 4)
                for (int full = 0; full <= 1; full++) {
                    clg_layout l = plan_layout(8192);
                    l.dp = dp, l.zero = 1, l.accumulation = m, l.global_batch = dp * m;
                    l.recompute = full ? CLG_RECOMPUTE_FULL : CLG_RECOMPUTE_NONE;
                    clg_evaluation e;
                    clg_error error = {0};
                    CHECK(clg_evaluate(&arena, &s, &l, false, NULL, &e, &error) == CLG_OK);
                    CHECK_NEAR(e.step_s, slow_step_s(&s, &l), 1e-9);
                }
    }
}

/* Both of a step's collectives in their buckets: 8,030,261,248 parameters in 64 of 64 million and
 * more. */
static double update_traffic_s(const clg_scenario *s) {
    double scatter_s, gather_s, bucket = 8030261248.0 / 64;
    clg_group all = {64, 8};
    clg_collective_best(&s->network, CLG_REDUCE_SCATTER, all, bucket * 4, &scatter_s);
    clg_collective_best(&s->network, CLG_ALL_GATHER, all, bucket * 2, &gather_s);
    return 64 * (scatter_s + gather_s);
}

/* Under one forward and one backward hides what they have time for, slowed traffic counted; all the
 * rest of a network too thin for that is waited for. */
static void thin(void) {
    CASE("once a step's pass is full, every further second of traffic is one of the step");
    clg_scenario s = plan_scenario(&arena, "llama-3.1-8b", "h100-sxm", "megatron-2024", 64);
    s.stack.sigma.jitter = 0;
    clg_layout l = plan_layout(8192);
    l.dp = 64, l.global_batch = 64, l.zero = 1;
    clg_evaluation e;
    clg_error error = {0};
    double step_s[2], traffic_s[2];
    for (int i = 0; i < 2; i++) {
        s.network.slow.bytes_per_s /= i == 0 ? 40 : 1.7;
        CHECK(clg_evaluate(&arena, &s, &l, false, NULL, &e, &error) == CLG_OK);
        step_s[i] = e.step_s, traffic_s[i] = update_traffic_s(&s);
    }
    CHECK(traffic_s[0] > step_s[0] / 2 && traffic_s[1] > 1.2 * traffic_s[0]);
    CHECK_NEAR(step_s[1] - step_s[0], traffic_s[1] - traffic_s[0], 1e-9);
}

/* Uneven stages: (m - 1) of the slowest and one of each, 1f1b with free sends. */
static void uneven(void) {
    CASE("a pipeline of uneven stages: (m - 1) max + sum");
    clg_scenario s = plan_scenario(&arena, "llama-3-70b", "h100-sxm", "megatron-2024", 64);
    s.stack.overlap.send = true;
    s.network.slow.bytes_per_s = 1e15;
    s.network.slow.latency_s = s.network.base_slow_s = 0;
    for (int pp = 2; pp <= 8; pp *= 2)
        for (int m = 8; m <= 64; m *= 2) {
            clg_layout l = plan_layout(4096);
            l.tp = 8, l.sp = true, l.pp = pp, l.dp = 8 / pp;
            l.accumulation = m, l.global_batch = m * l.dp;
            clg_evaluation e;
            clg_error error = {0};
            CHECK(clg_evaluate(&arena, &s, &l, true, NULL, &e, &error) == CLG_OK);
            double most = 0, all = 0;
            for (int i = 0; i < pp; i++) {
                double one = e.stages[i].busy_s / m;
                most = one > most ? one : most;
                all += one;
            }
            const clg_time_ledger *t = &e.time;
            double host = s.stack.host.step_s + m * s.stack.host.micro_batch_s;
            double pipeline = e.step_s - t->straggler_s - t->optimizer_s - t->dp_exposed_s - host;
            CHECK_NEAR(pipeline, (m - 1) * most + all, 1e-6);
        }
}

/* ---- what holds for any plan ---- */

/* xorshift64*: the same layouts on every machine. */
static uint64_t state = 88172645463325252u;

static int below(int n) {
    state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
    return (int)(state * 2685821657736338717u >> 40) % n;
}

static int one_of(const int *values, int count) { return values[below(count)]; }
#define ONE_OF(...)                                                                                \
    one_of((const int[]){__VA_ARGS__}, (int)(sizeof(int[]){__VA_ARGS__} / sizeof(int)))

static clg_layout any_layout(int gpus, bool moe) {
    clg_layout l = plan_layout(ONE_OF(1024, 2048, 4096, 8192));
    l.tp = ONE_OF(1, 1, 2, 4, 8, 16);
    l.sp = l.tp > 1 && below(3) > 0;
    l.cp = ONE_OF(1, 1, 1, 2, 4);
    l.cp_kind = (clg_context_kind)below(3);
    l.pp = ONE_OF(1, 1, 2, 3, 4, 6, 8);
    l.dp = gpus / (l.tp * l.cp * l.pp);
    l.zero = below(4);
    l.hsdp = below(4) == 0 ? ONE_OF(2, 4, 8) : 0;
    l.ep = moe ? ONE_OF(1, 2, 4, 8) : 1;
    l.etp = moe ? ONE_OF(1, 1, 2, l.tp) : 1;
    l.schedule = (clg_schedule_kind)below(CLG_SCHEDULES);
    l.vpp = l.schedule == CLG_INTERLEAVED ? ONE_OF(2, 3, 4) : l.schedule == CLG_ZB_V ? 2 : 1;
    l.micro_batch = ONE_OF(1, 1, 2, 4);
    l.accumulation = ONE_OF(1, 2, 4, 8, 16, 24);
    l.global_batch = (int64_t)l.dp * l.micro_batch * l.accumulation;
    l.recompute = (clg_recompute)below(3);
    l.recompute_layers = l.recompute == CLG_RECOMPUTE_FULL && below(2) ? 1 + below(4) : 0;
    l.precision = below(4) == 0 ? CLG_FP8 : CLG_BF16;
    l.attention = below(4) == 0 ? CLG_UNFUSED : CLG_FLASH2;
    l.optimizer = (clg_optimizer)below(4);
    l.offload = below(8) == 0;
    l.order = below(3) == 0 ? below(24) : 0;
    return l;
}

static bool evaluated(const clg_scenario *s, const clg_layout *l, clg_evaluation *e) {
    clg_error error = {0};
    return clg_evaluate(&scratch, s, l, true, NULL, e, &error) == CLG_OK;
}

static bool add_up(const clg_evaluation *e) {
    const clg_time_ledger *t = &e->time;
    bool ok = fabs(sum(t) - e->step_s) <= 1e-9 * e->step_s;
    for (int i = 0; i < CLG_LEDGER_TERMS; i++) ok &= t->term_s[i] >= 0;
    ok &= e->step_p10_s < e->step_s && e->step_s < e->step_p90_s;
    ok &= e->mfu > 0 && e->mfu < 1 && e->hfu > 0 && e->hfu < 1;
    ok &= e->matrix_s + e->attention_s + e->memory_bound_s <= t->compute_s * (1 + 1e-9);
    for (int i = 0; i < e->layout.pp; i++) {
        const clg_memory_ledger *m = &e->stages[i].memory;
        double all = 0;
        for (int k = 0; k < CLG_MEMORY_PARTS; k++) {
            ok &= m->part_bytes[k] >= 0;
            all += m->part_bytes[k];
        }
        ok &= fabs(all - m->total_bytes) <= 1e-9 * all;
        ok &= m->total_bytes <= e->memory.total_bytes;
        ok &= e->stages[i].busy_s <= e->step_s * (1 + 1e-9);
    }
    return ok;
}

/* What the search cuts by: never above the step and the bytes that come out. */
static bool bounded(const clg_scenario *s, const clg_layout *l, const clg_evaluation *e) {
    static clg_priced priced;
    clg_price_blocks(s, l, NULL, &priced);
    clg_step_groups(&s->machine, l, &priced.step);
    clg_bytes_bound bytes = clg_compose_bytes_bound(s, l, &priced);
    double bound_s = clg_compose_bound_s(s, l, &priced);
    return bound_s <= e->step_s * (1 + 1e-12) &&
           clg_compose_shared_bound_s(s, l, &priced) <= bound_s &&
           clg_bytes_bound_at(&bytes, l->recompute_layers) <=
               e->memory.total_bytes * clg_crowding(s, l) * (1 + 1e-12);
}

/* The bound of a composed step, which the search asks for with a cutoff, likewise. */
static bool cut_rightly(const clg_scenario *s, const clg_layout *l, const clg_evaluation *e) {
    static clg_priced priced;
    clg_evaluation cut;
    clg_error error = {0};
    bool ok = true;
    clg_price_blocks(s, l, NULL, &priced);
    for (int i = 0; i < 2; i++) { /* by one stage, or by none or all of them */
        clg_wanted wanted = {.cutoff_s = i == 0 ? 1e-9 : 0.95 * e->step_s};
        ok &= clg_compose(&scratch, s, l, &priced, wanted, &cut, &error) == CLG_OK &&
              cut.step_s <= e->step_s * (1 + 1e-12);
    }
    return ok;
}

/* Same ranks, everything a little better: bandwidths before the network is made from them, its
 * latencies after. */
static void fabric(clg_scenario *s) {
    s->machine.fabric.bytes_per_s *= 1.5;
    s->machine.fabric.gpu_bytes_per_s *= 1.5;
    s->machine.node.nic_bytes_per_s *= 1.5;
}
static void memory(clg_scenario *s) { s->machine.gpu.hbm_bytes_per_s *= 1.5; }
static void link(clg_scenario *s) { s->machine.node.link_bytes_per_s *= 1.5; }
static void tensor(clg_scenario *s) {
    for (int p = 0; p < CLG_PRECISIONS; p++) s->machine.gpu.peak_flop_per_s[p] *= 1.5;
}
static void latency(clg_scenario *s) {
    s->network.base_s /= 3, s->network.base_slow_s /= 3;
    s->network.fast.latency_s /= 3, s->network.slow.latency_s /= 3;
}
static void host(clg_scenario *s) {
    s->stack.host.launch_s /= 3, s->stack.host.step_s /= 3, s->stack.host.micro_batch_s /= 3;
}

static const struct {
    const char *name;
    void (*before)(clg_scenario *s), (*after)(clg_scenario *s);
} better[] = {{"a faster fabric", fabric, NULL}, {"faster HBM", memory, NULL},
              {"a faster link", link, NULL},     {"faster tensor cores", tensor, NULL},
              {"lower latency", NULL, latency},  {"a faster host", host, NULL}};
enum { BETTER = sizeof better / sizeof better[0], PLANS = 500 };

static void say(const clg_layout *l, const char *model, const char *what) {
    char text[160];
    clg_layout_print(l, text, sizeof text);
    printf("  %s: %s: %s m%lld cp-kind %d opt %d att %d\n", what, model, text,
           (long long)l->accumulation, (int)l->cp_kind, (int)l->optimizer, l->attention);
}

static const struct {
    const char *model, *gpu, *stack;
    int gpus;
} rows[] = {{"llama-2-7b", "h100-sxm", "megatron-2024", 32},
            {"llama-3-70b", "h100-sxm", "unknown", 256},
            {"gpt3-13b", "a100-sxm-80gb", "megatron-2021", 48},
            {"mixtral-8x7b", "h100-sxm", "megatron-2026", 128},
            {"qwen3-30b-a3b", "b200-sxm", "megatron-2026", 64},
            {"llama-3.1-8b", "gb200", "torchtitan-2025", 144},
            {"gemma-2-9b", "h100-sxm", "fsdp-2024", 96},
            {"deepseek-v2-lite", "mi300x", "unknown", 64}};
enum { ROWS = sizeof rows / sizeof rows[0] };
static clg_scenario base[ROWS], improved[ROWS][BETTER];
static clg_layout layouts[PLANS];
static clg_evaluation plans[PLANS];
static int row[PLANS];

static void scenarios(void) {
    clg_error error = {0};
    CASE("scenarios");
    for (int r = 0; r < ROWS; r++) {
        base[r] = plan_scenario(&arena, rows[r].model, rows[r].gpu, rows[r].stack, rows[r].gpus);
        for (int i = 0; i < BETTER; i++) {
            improved[r][i] = base[r];
            if (better[i].before) better[i].before(&improved[r][i]);
            CHECK(clg_scenario_prepare(&arena, &improved[r][i], &error) == CLG_OK);
            if (better[i].after) better[i].after(&improved[r][i]);
        }
    }
}

static void improved_ones(void) {
    /* The orders of zb-v and dualpipe are made greedily from the lengths of passes, and a list
     * schedule may get longer when a job gets shorter (Graham 1969, SIAM J. Appl. Math. 17:2). A
     * stage of zb-h2 counts from its own first pass: the sooner that one is, the longer it waits.
     */
    for (int k = 0; k < BETTER; k++) {
        CASE(better[k].name);
        for (int i = 0; i < PLANS; i++) {
            clg_evaluation e;
            CHECK(evaluated(&improved[row[i]][k], &layouts[i], &e));
            bool greedy = layouts[i].schedule == CLG_ZB_V || layouts[i].schedule == CLG_DUALPIPE;
            double more = layouts[i].schedule == CLG_ZB_H2 ? 1e-5 : 1e-9;
            bool ok = e.step_s <= plans[i].step_s * (1 + (greedy ? 0.08 : more));
            if (!ok) {
                say(&layouts[i], rows[row[i]].model, better[k].name);
                printf("    %.9g -> %.9g\n", plans[i].step_s, e.step_s);
            }
            CHECK(ok);
            CHECK(e.memory.total_bytes == plans[i].memory.total_bytes);
            clg_arena_clear(&scratch);
        }
    }
}

static void any(void) {
    scenarios();
    int of_schedule[CLG_SCHEDULES] = {0}, of_zero[4] = {0}, found = 0;
    CASE("500 random plans: ledgers add up, P10 < step < P90, the search's bounds hold");
    while (found < PLANS) {
        int r = below(ROWS);
        bool moe = base[r].model.active_parameters < base[r].model.parameters;
        clg_layout l = any_layout(rows[r].gpus, moe);
        if (clg_layout_gpus(&l) != rows[r].gpus) continue;
        if (!evaluated(&base[r], &l, &plans[found])) continue;
        bool ok = add_up(&plans[found]);
        if (!ok) say(&l, rows[r].model, "ledger");
        CHECK(ok);
        ok = bounded(&base[r], &l, &plans[found]) && cut_rightly(&base[r], &l, &plans[found]);
        if (!ok) say(&l, rows[r].model, "bound");
        CHECK(ok);
        plans[found].stages = NULL;
        layouts[found] = l, row[found++] = r;
        of_schedule[l.schedule]++, of_zero[l.zero]++;
        clg_arena_clear(&scratch);
    }
    CASE("the random plans meet every schedule and ZeRO stage");
    for (int i = 0; i < CLG_SCHEDULES; i++) CHECK(of_schedule[i] >= 5);
    for (int i = 0; i < 4; i++) CHECK(of_zero[i] >= 50);
    improved_ones();
}

int main(void) {
    oracle();
    thin();
    uneven();
    any();
    clg_arena_clear(&scratch);
    clg_arena_clear(&arena);
    return DONE;
}
