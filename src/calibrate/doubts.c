/* doubts.c -- shares of an interval's variance. */
#include "calibrate/doubts.h"
#include "base/real.h"

#include "evaluate/compose.h"
#include "evaluate/evaluate.h"
#include "evaluate/interval.h"

#include <math.h>

const clg_name clg_doubt_names[] = {{"products", CLG_DOUBT_PRODUCTS, NULL},
                                    {"attention kernels", CLG_DOUBT_ATTENTION, NULL},
                                    {"memory-bound kernels", CLG_DOUBT_STREAMS, NULL},
                                    {"links inside a node", CLG_DOUBT_INSIDE, NULL},
                                    {"links between nodes", CLG_DOUBT_BETWEEN, NULL},
                                    {"how much traffic hides", CLG_DOUBT_OVERLAP, NULL},
                                    {"host", CLG_DOUBT_HOST, NULL},
                                    {"software", CLG_DOUBT_SOFTWARE, NULL},
                                    {"experts", CLG_DOUBT_EXPERTS, NULL},
                                    {"what no plan says", CLG_DOUBT_LATE, NULL},
                                    {NULL, 0, NULL}};

/* Derivatives are taken over so much more time, and as much less. */
static const double STEP = 1.05;

static void slower_products(clg_scenario *s, double by) {
    for (int p = 0; p < CLG_PRECISIONS; p++) {
        clg_gemm_curve *curves[] = {&s->kernels.gemm[p], &s->kernels.grouped[p]};
        for (int i = 0; i < 2; i++) {
            curves[i]->efficiency /= by;
            curves[i]->hbm_efficiency /= by;
            curves[i]->launch_s *= by;
        }
    }
}

static void slower_attention(clg_scenario *s, double by) {
    for (int i = 0; i < CLG_ATTENTION_KERNELS; i++) {
        s->kernels.attention[i].forward_efficiency /= by;
        s->kernels.attention[i].backward_efficiency /= by;
        s->kernels.attention[i].launch_s *= by;
    }
    s->kernels.batched.efficiency /= by;
}

static void slower_streams(clg_scenario *s, double by) {
    s->kernels.memory.efficiency /= by;
    s->kernels.memory.launch_s *= by;
    s->kernels.optimizer_efficiency /= by;
}

static void slower_inside(clg_scenario *s, double by) {
    clg_network *n = &s->network;
    n->fast.latency_s *= by;
    n->base_s *= by;
    n->fast.bytes_per_s /= by;
    n->pair_bytes_per_s /= by;
    n->in_switch_bytes_per_s /= by;
}

static void slower_between(clg_scenario *s, double by) {
    clg_network *n = &s->network;
    n->slow.latency_s *= by;
    n->base_slow_s *= by;
    n->peer_s *= by;
    n->slow.bytes_per_s /= by;
    for (int i = 0; i < CLG_PROTOCOLS; i++) {
        n->protocol[i].most_bytes_per_s /= by;
        n->tree[i].most_bytes_per_s /= by;
    }
}

static void (*const slower[])(clg_scenario *, double) = {
    [CLG_DOUBT_PRODUCTS] = slower_products, [CLG_DOUBT_ATTENTION] = slower_attention,
    [CLG_DOUBT_STREAMS] = slower_streams,   [CLG_DOUBT_INSIDE] = slower_inside,
    [CLG_DOUBT_BETWEEN] = slower_between,
};
enum { PRICED = sizeof slower / sizeof slower[0] };

static clg_status step_with(clg_arena *arena, const clg_scenario *scenario,
                            const clg_layout *layout, int term, double by, double *step_s,
                            clg_error *error) {
    clg_arena_mark here = clg_arena_here(arena);
    clg_scenario *other = clg_take(arena, 1, clg_scenario);
    clg_evaluation evaluation;
    *other = *scenario;
    slower[term](other, by);
    clg_status status = clg_evaluate(arena, other, layout, false, NULL, &evaluation, error);
    *step_s = evaluation.step_s;
    clg_arena_back_to(arena, here);
    return status;
}

clg_status clg_doubts_weights(clg_arena *arena, const clg_scenario *scenario,
                              const clg_evaluation *e, double weight[CLG_DOUBT_TERMS],
                              clg_error *error) {
    double up, down;
    for (int i = 0; i < PRICED; i++) {
        if (step_with(arena, scenario, &e->layout, i, STEP, &up, error) != CLG_OK ||
            step_with(arena, scenario, &e->layout, i, 1 / STEP, &down, error) != CLG_OK)
            return error->status;
        weight[i] = log(up / down) / (2 * log(STEP));
    }
    weight[CLG_DOUBT_OVERLAP] = clg_doubt_of(scenario, e).traffic;
    weight[CLG_DOUBT_HOST] = 1 / e->step_s;
    weight[CLG_DOUBT_EXPERTS] = clg_model_experts(&scenario->model) != NULL;
    weight[CLG_DOUBT_SOFTWARE] = 1;
    weight[CLG_DOUBT_LATE] = 1;
    return CLG_OK;
}

/* (weight x sigma)^2 of terms from..to. */
static double variance(const clg_doubt_shares *d, const double *weight, int from, int to) {
    double sum = 0;
    for (int i = from; i <= to; i++) sum += clg_square(weight[i] * d->sigma[i]);
    return sum;
}

/* No more than the interval has room for. */
static double make_room(clg_doubt_shares *d, const double *weight, int from, int to, double room) {
    double wanted = variance(d, weight, from, to);
    if (wanted <= room) return wanted;
    for (int i = from; i <= to; i++) d->sigma[i] *= sqrt(room / wanted);
    return room;
}

/* Of borrowed curves all kernels are as doubtful, as much as makes the whole; the user's own are
 * not. Returns what none of them can take. */
static double widen_borrowed(clg_doubt_shares *d, const clg_scenario *s, const clg_evaluation *e,
                             const double *weight) {
    const bool own[] = {[CLG_DOUBT_PRODUCTS] = s->built_in.gemm[e->layout.precision] !=
                                               s->kernels.gemm[e->layout.precision].sigma,
                        [CLG_DOUBT_ATTENTION] = false,
                        [CLG_DOUBT_STREAMS] = s->built_in.memory != s->kernels.memory.sigma};
    double sum = 0, borrowed = clg_square(s->stack.sigma.borrowed) - e->doubt.measured_borrowed;
    for (int i = CLG_DOUBT_PRODUCTS; i <= CLG_DOUBT_STREAMS; i++)
        if (!own[i]) sum += clg_square(weight[i]);
    for (int i = CLG_DOUBT_PRODUCTS; i <= CLG_DOUBT_STREAMS && sum > 0; i++)
        if (!own[i]) d->sigma[i] = sqrt(clg_square(d->sigma[i]) + borrowed / sum);
    return sum > 0 ? 0 : borrowed;
}

static void share_kernels(clg_doubt_shares *d, const clg_scenario *s, const clg_evaluation *e,
                          const double *weight) {
    const clg_kernels *k = &s->kernels;
    d->sigma[CLG_DOUBT_PRODUCTS] = k->gemm[e->layout.precision].sigma;
    d->sigma[CLG_DOUBT_ATTENTION] = k->attention[e->layout.attention].sigma;
    d->sigma[CLG_DOUBT_STREAMS] = k->memory.sigma;
    double whole = clg_square(s->stack.sigma.step) - e->doubt.measured_kernels;
    d->own = fmin(clg_square(d->difference.sigma) / 2, whole);
    double rest = whole - d->own;
    rest -= make_room(d, weight, CLG_DOUBT_PRODUCTS, CLG_DOUBT_STREAMS, rest);
    if (e->doubt.borrowed) rest += widen_borrowed(d, s, e, weight);
    if (e->doubt.aged) rest += clg_square(s->stack.sigma.age);
    if (e->doubt.unnamed) rest += clg_square(s->stack.sigma.unnamed);
    d->sigma[CLG_DOUBT_SOFTWARE] = sqrt(rest);
}

/* A network that nobody named is doubt of links between nodes. */
static void share_traffic(clg_doubt_shares *d, const clg_scenario *s, const clg_evaluation *e,
                          const double *weight) {
    double traffic = e->doubt.traffic;
    double whole = clg_square(traffic * s->stack.sigma.traffic) - e->doubt.measured_links;
    double between = weight[CLG_DOUBT_BETWEEN];
    d->sigma[CLG_DOUBT_INSIDE] = s->network.sigma_fast;
    d->sigma[CLG_DOUBT_BETWEEN] = s->network.sigma_slow;
    double rest = whole - make_room(d, weight, CLG_DOUBT_INSIDE, CLG_DOUBT_BETWEEN, whole);
    d->sigma[CLG_DOUBT_OVERLAP] = traffic > 0 ? sqrt(rest) / traffic : 0;
    double *rates = &d->sigma[CLG_DOUBT_BETWEEN], *software = &d->sigma[CLG_DOUBT_SOFTWARE];
    if (between > 0)
        *rates = sqrt(clg_square(*rates) + clg_square(e->doubt.open / between));
    else
        *software = sqrt(clg_square(*software) + clg_square(e->doubt.open));
}

clg_status clg_doubts_of(clg_arena *arena, const clg_scenario *scenario, const clg_evaluation *e,
                         const double weight[CLG_DOUBT_TERMS], clg_doubt_shares *d,
                         clg_error *error) {
    *d = (clg_doubt_shares){0};
    if (clg_difference_find(arena, &d->difference, error) != CLG_OK) return error->status;
    share_kernels(d, scenario, e, weight);
    share_traffic(d, scenario, e, weight);
    d->sigma[CLG_DOUBT_HOST] = scenario->stack.sigma.step_s;
    d->sigma[CLG_DOUBT_EXPERTS] = scenario->stack.sigma.experts;
    d->sigma[CLG_DOUBT_LATE] = scenario->stack.sigma.late;
    return CLG_OK;
}

clg_belief_reading clg_doubts_early(const clg_belief_reading *late) {
    clg_belief_reading early = *late;
    for (int i = CLG_DOUBT_EXPERTS; i <= CLG_DOUBT_LATE; i++) early.weight[i] = 0;
    return early;
}

clg_beliefs clg_doubts_beliefs(const clg_doubt_shares *d) {
    clg_beliefs beliefs = {{{0}}};
    for (int i = 0; i < CLG_DOUBT_TERMS; i++) beliefs.covariance[i][i] = clg_square(d->sigma[i]);
    return beliefs;
}

double clg_doubts_apart(const clg_doubt_shares *d, const double a[CLG_DOUBT_TERMS],
                        const double b[CLG_DOUBT_TERMS]) {
    double sum = 0;
    for (int i = 0; i < CLG_DOUBT_TERMS; i++) sum += clg_square((a[i] - b[i]) * d->sigma[i]);
    return sum;
}
