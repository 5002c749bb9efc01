/* State layers: chunked kernels do what token by token does, and the flop counted here are those a
 * slow, obvious one makes; a layer by hand with awkward sizes; what tensor and context ranks hold
 * and send. */
#include "plan.h"
#include "step/step.h"

#include <math.h>

enum { K = 5, V = 3, C = 4, CHUNKS = 3, T = C * CHUNKS };

static clg_arena arena;
static double counted; /* two per multiply-add of a product */

static double made_up(int i, int j) { return ((i * 7 + j * 13) % 11 - 5) / 7.0; }

/* out[n][m] += a b over `r`, each matrix by its own strides: every product below is this. */
static void product(int n, int m, int r, const double *a, int an, int ar, const double *b, int br,
                    int bm, double sign, double *out) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int x = 0; x < r; x++) {
                out[i * m + j] += sign * a[i * an + x * ar] * b[x * br + j * bm];
                counted += 2;
            }
}

typedef struct tokens {
    double k[T][K], q[T][K], v[T][V], beta[T];
} tokens;

static tokens inputs(void) {
    tokens t;
    for (int i = 0; i < T; i++) {
        for (int j = 0; j < K; j++) t.k[i][j] = made_up(i, j) / 2, t.q[i][j] = made_up(j, i + 3);
        for (int j = 0; j < V; j++) t.v[i][j] = made_up(i + 5, j);
        t.beta[i] = 0.3 + 0.05 * i;
    }
    return t;
}

/* S = S + b k (v - S' k)', o = S' q: the delta rule; without the look-up it is a sum (Mamba-2 and
 * lightning attention). Decays, which are no products, are 1. */
static void token_by_token(const tokens *t, bool delta, double out[T][V]) {
    double s[K][V] = {{0}};
    for (int i = 0; i < T; i++)
        for (int j = 0; j < V; j++) {
            double seen = 0, answer = 0;
            for (int x = 0; x < K; x++) seen += s[x][j] * t->k[i][x];
            double change = delta ? t->beta[i] * (t->v[i][j] - seen) : t->v[i][j];
            for (int x = 0; x < K; x++) s[x][j] += t->k[i][x] * change;
            for (int x = 0; x < K; x++) answer += s[x][j] * t->q[i][x];
            out[i][j] = answer;
        }
}

/* Rows of (1 + A)^-1 from the top, A strictly lower: counted apart. */
static double inverse(double a[C][C], double inv[C][C]) {
    double flop = 0;
    for (int i = 0; i < C; i++)
        for (int j = 0; j < C; j++) {
            inv[i][j] = i == j;
            for (int x = 0; x < i; x++) {
                inv[i][j] -= a[i][x] * inv[x][j];
                flop += 2;
            }
        }
    return flop;
}

/* The delta rule by chunks: w = inv b k, u = inv b v, then changes u - w S, answers from the state
 * and from earlier tokens of the chunk (arXiv:2406.06484, equations 7 to 11). */
static double delta_by_chunks(const tokens *t, double out[T][V]) {
    double s[K * V] = {0}, solved = 0;
    for (int from = 0; from < T; from += C) {
        const double *k = t->k[from], *q = t->q[from], *v = t->v[from];
        double scores[C * C] = {0}, a[C][C], inv[C][C], w[C * K] = {0}, u[C * V] = {0};
        double near[C * C] = {0}, answer[C * V] = {0};
        product(C, C, K, k, K, 1, k, 1, K, 1, scores);
        for (int i = 0; i < C; i++)
            for (int j = 0; j < C; j++) a[i][j] = j < i ? t->beta[from + i] * scores[i * C + j] : 0;
        solved += inverse(a, inv);
        for (int i = 0; i < C; i++)
            for (int j = 0; j < C; j++) inv[i][j] *= t->beta[from + j];
        product(C, K, C, inv[0], C, 1, k, K, 1, 1, w);
        product(C, V, C, inv[0], C, 1, v, V, 1, 1, u);
        product(C, V, K, w, K, 1, s, V, 1, -1, u);
        product(C, V, K, q, K, 1, s, V, 1, 1, answer);
        product(C, C, K, q, K, 1, k, 1, K, 1, near);
        for (int i = 0; i < C; i++)
            for (int j = i + 1; j < C; j++) near[i * C + j] = 0;
        product(C, V, C, near, C, 1, u, V, 1, 1, answer);
        product(K, V, C, k, 1, K, u, V, 1, 1, s);
        for (int i = 0; i < C * V; i++) out[from + i / V][i % V] = answer[i];
    }
    return solved;
}

/* Sums by chunks; scores of `shared` heads are made once. */
static void sums_by_chunks(const tokens *t, double shared, double out[T][V]) {
    double s[K * V] = {0};
    for (int from = 0; from < T; from += C) {
        const double *k = t->k[from], *q = t->q[from], *v = t->v[from];
        double near[C * C] = {0}, answer[C * V] = {0}, before = counted;
        product(C, C, K, q, K, 1, k, 1, K, 1, near);
        counted = before + (counted - before) * shared;
        for (int i = 0; i < C; i++)
            for (int j = i + 1; j < C; j++) near[i * C + j] = 0;
        product(C, V, K, q, K, 1, s, V, 1, 1, answer);
        product(C, V, C, near, C, 1, v, V, 1, 1, answer);
        product(K, V, C, k, 1, K, v, V, 1, 1, s);
        for (int i = 0; i < C * V; i++) out[from + i / V][i % V] = answer[i];
    }
}

static clg_op core_of(clg_state_rule rule, int heads, int shared, int chunk, bool backward) {
    clg_attention a = {.kind = CLG_ATTENTION_LINEAR,
                       .state = rule,
                       .heads = heads,
                       .kv_heads = heads / shared,
                       .head_dim = K,
                       .value_head_dim = V,
                       .chunk = chunk};
    clg_op op = {.kind = CLG_OP_ATTENTION, .precision = CLG_BF16, .count = 1};
    clg_state_core(&a, heads, T, T, backward, &op);
    return op;
}

static void same(double a[T][V], double b[T][V]) {
    for (int i = 0; i < T; i++)
        for (int j = 0; j < V; j++) CHECK(fabs(a[i][j] - b[i][j]) < 1e-12);
}

static void oracle(void) {
    tokens t = inputs();
    double slow[T][V], fast[T][V];
    CASE("the delta rule by chunks gives what token by token does, in as many flop as counted");
    token_by_token(&t, true, slow);
    counted = 0;
    double solved = delta_by_chunks(&t, fast);
    same(slow, fast);
    double inverses = (double)CHUNKS * C * C * C; /* counted as C^2 a token */
    clg_op op = core_of(CLG_STATE_GATED_DELTA, 1, 1, C, false);
    CHECK_NEAR(op.flop, counted + inverses, 1e-15);
    CHECK(solved > inverses / 3 && solved < inverses);
    CHECK_NEAR(op.attention.chunks, CHUNKS, 0);
    CHECK_NEAR(op.attention.serial_share * op.flop, T * 4.0 * K * V, 1e-12);
    CASE("sums by chunks too, with scores of a head's own and shared by four");
    token_by_token(&t, false, slow);
    counted = 0;
    sums_by_chunks(&t, 1, fast);
    same(slow, fast);
    CHECK_NEAR(core_of(CLG_STATE_LIGHTNING, 1, 1, C, false).flop, counted, 1e-15);
    counted = 0;
    sums_by_chunks(&t, 0.25, fast);
    CHECK_NEAR(core_of(CLG_STATE_SPACE, 4, 4, C, false).flop, 4 * counted, 1e-15);
    CASE("the backward of sums: two products for each of the forward's, and states once more");
    counted = 0;
    sums_by_chunks(&t, 1, fast);
    double again = T * 2.0 * K * V, scores = T * 2.0 * C * K;
    CHECK_NEAR(core_of(CLG_STATE_LIGHTNING, 1, 1, C, true).flop, 2 * counted + again + scores,
               1e-15);
    CHECK_NEAR(core_of(CLG_STATE_SPACE, 1, 1, C, true).flop, 2 * counted + again + scores, 1e-15);
    CASE("of the delta rule more than twice, less than four times");
    double forward = core_of(CLG_STATE_GATED_DELTA, 1, 1, C, false).flop;
    double backward = core_of(CLG_STATE_GATED_DELTA, 1, 1, C, true).flop;
    CHECK(backward > 2 * forward && backward < 4 * forward);
}

/* One token of a head of 128 x 128 in chunks of 64, kernel by kernel:
 * flop 6 x 16,384 + 128 x 640 + 4,096 = 184,320; bytes 2 (7 + 6) 128 + 2 x 2 x 64 + 2 x 2 x 256 +
 * 8 x 64 = 3,328 + 256 + 1,024 + 512 = 5,120. Backward 16 x 16,384 + 128 x 1,792 + 16,384 =
 * 507,904 and 2 (17 + 15) 128 + 256 + 4 x 512 = 10,496 bytes. */
static void by_hand(void) {
    CASE("a token of a Gated DeltaNet head by hand");
    clg_attention a = {.kind = CLG_ATTENTION_LINEAR,
                       .state = CLG_STATE_GATED_DELTA,
                       .heads = 32,
                       .kv_heads = 16,
                       .head_dim = 128,
                       .value_head_dim = 128,
                       .convolution = 4,
                       .chunk = 64};
    clg_op op = {.kind = CLG_OP_ATTENTION, .precision = CLG_BF16, .count = 1};
    clg_state_core(&a, 1, 1, 64, false, &op);
    CHECK_NEAR(op.flop, 184320, 0);
    CHECK_NEAR(op.hbm_bytes, 5120, 0);
    clg_state_core(&a, 1, 1, 64, true, &op);
    CHECK_NEAR(op.flop, 507904, 0);
    CHECK_NEAR(op.hbm_bytes, 10496, 0);
    CASE("a decay per row: 2 x (4 x 128 + 128) + 16 x 128 bytes more");
    a.state = CLG_STATE_CHANNEL_DELTA;
    clg_state_core(&a, 1, 1, 64, false, &op);
    CHECK_NEAR(op.hbm_bytes, 5120 + 1280 + 2048, 0);
    CHECK_NEAR(op.flop, 184320, 0);
}

static const clg_op *find_op(const clg_block *block, clg_pass pass, const char *name) {
    for (int i = 0; i < block->ops; i++)
        if (block->op[i].pass == pass && strcmp(block->op[i].name, name) == 0) return &block->op[i];
    CHECK(false);
    return &block->op[0];
}

static clg_step step;

static const clg_block *layer(const clg_scenario *s, const clg_layout *l, int at) {
    const char *why = clg_layout_refuses(&arena, &s->model, l);
    if (why) printf("  %s\n", why);
    CHECK(why == NULL);
    clg_step_build(&s->model, &s->machine, &s->stack, l, &step);
    return &step.kind[s->model.layer_kind[at]];
}

/* Qwen3.5 35B-A3B, 3 sequences of 5,120 tokens, tp 2: 16 of 32 heads, (8,192 + 4,096 + 64) / 2 =
 * 6,176 columns of 2,048, 4,096 channels, 2,048 values. */
static void split(void) {
    CASE("Qwen3.5 35B-A3B's state layer on two tensor ranks by hand");
    clg_scenario s = plan_scenario(&arena, "qwen3.5-35b-a3b", "h200-sxm", "megatron-2026", 8);
    clg_layout l = plan_layout(5120);
    l.tp = 2;
    l.micro_batch = 3;
    l.global_batch = 3;
    const clg_block *b = layer(&s, &l, 0);
    double t = 3 * 5120;
    const clg_op *in = find_op(b, CLG_PASS_FORWARD, "state input projection");
    CHECK_NEAR(in->flop, 2 * t * 2048 * 6176, 0);
    const clg_op *core = find_op(b, CLG_PASS_FORWARD, "state of chunks");
    CHECK_NEAR(core->flop, t * 16 * 184320, 0);
    CHECK_NEAR(core->hbm_bytes, t * 16 * 5120, 0);
    CHECK_NEAR(core->attention.chunks, 80, 0);
    CHECK_NEAR(find_op(b, CLG_PASS_FORWARD, "causal convolution")->hbm_bytes, t * 4096 * 4, 0);
    double attention = (8192 + 4096 + 64) * 2048.0 + 8192 * 4 + 64 + 2048 * 4096.0;
    double shared = 3 * 2048.0 * 512, repeated = 128 + 2 * 2048 + 256 * 2048 + 2048;
    CHECK_NEAR(b->dense_parameters, (attention + shared) / 2 + repeated, 1e-15);
    CASE("and its context ranks: a quarter of the tokens, all chunks, four exchanges");
    l.tp = 1;
    l.cp = 4;
    l.micro_batch = 1;
    l.global_batch = 1;
    b = layer(&s, &l, 0);
    core = find_op(b, CLG_PASS_FORWARD, "state of chunks");
    CHECK_NEAR(core->flop, 1280 * 32.0 * 184320, 0);
    CHECK_NEAR(core->attention.chunks, 80, 0);
    const clg_op *there = find_op(b, CLG_PASS_FORWARD, "state heads for tokens");
    const clg_op *back = find_op(b, CLG_PASS_BACKWARD_INPUT, "state tokens for heads");
    CHECK(there->collective == CLG_ALL_TO_ALL && there->axis == CLG_AXIS_CP);
    CHECK_NEAR(there->bytes, 1280 * 12352.0 * 2, 0);
    CHECK_NEAR(back->bytes, 1280 * 4096.0 * 2, 0);
    CASE("more ranks than heads are refused");
    l.cp = 64;
    l.seq = 8192;
    CHECK(clg_layout_refuses(&arena, &s.model, &l) != NULL);
}

/* 16 tensor ranks share 8 groups of B and C: each rank has one whole group, 128 + 128 columns of
 * 8,192 and as many channels of 4 taps, where a sixteenth of 8 groups would be half of it. */
static void groups(void) {
    CASE("groups of Mamba-2 on more ranks than there are, one part a layer");
    clg_scenario s = plan_scenario(&arena, "nemotron-h-56b", "h200-sxm", "megatron-2026", 16);
    clg_layout l = plan_layout(4096);
    l.tp = 16;
    const clg_block *b = layer(&s, &l, 0);
    const clg_attention *a = &s.model.kind[s.model.layer_kind[0]].attention;
    double columns = 2 * 256 * 64 + 2 * 8 * 256 + 256;
    const clg_op *in = find_op(b, CLG_PASS_FORWARD, "state input projection");
    CHECK_NEAR(in->n, columns / 16 + 2 * 0.5 * 256, 1e-15);
    double whole = columns * 8192 + 4.0 * (16384 + 4096) + 16384 * 8192.0 + 3 * 256 + 16384 + 20480;
    CHECK_NEAR(b->dense_parameters, whole / 16 + 256 * (8192.0 + 4) + 8192, 1e-15);
    CHECK(a->chunk == 128);
    int residuals = 0;
    for (int i = 0; i < b->ops; i++)
        residuals += b->op[i].pass == CLG_PASS_FORWARD && strcmp(b->op[i].name, "residual") == 0;
    CHECK(residuals == 1);
    b = layer(&s, &l, 1); /* an MLP alone */
    CHECK(find_op(b, CLG_PASS_FORWARD, "MLP up projection")->n == 32768.0 / 16);
}

/* What a layer without keys keeps does not depend on how its tokens are cut into sequences. */
static void memory(void) {
    CASE("activations of a state layer are those of its tokens; of values kept, by hand");
    clg_scenario s = plan_scenario(&arena, "qwen3-next-80b-a3b", "h200-sxm", "megatron-2026", 8);
    clg_layout l = plan_layout(8192);
    double one = layer(&s, &l, 0)->saved_bytes;
    l.seq = 2048;
    l.micro_batch = 4;
    l.global_batch = 4;
    CHECK_NEAR(layer(&s, &l, 0)->saved_bytes, one, 1e-12);
    /* Against the same layer without a convolution: 8,192 channels of 16 bits a token less. */
    s.model.kind[0].attention.convolution = 0;
    CHECK_NEAR(one - layer(&s, &l, 0)->saved_bytes, 8192 * 8192.0 * 2, 1e-12);
}

int main(void) {
    oracle();
    by_hand();
    split();
    groups();
    memory();
    clg_arena_clear(&arena);
    return DONE;
}
