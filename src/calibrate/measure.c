/* measure.c -- chooses measurements one after the other by what the decision gains. */
#include "calibrate/measure.h"

#include "base/normal.h"
#include "base/real.h"
#include "dataset/open.h"
#include "evaluate/evaluate.h"

#include <math.h>

/* What takes less than this share of the doubt away is not proposed. */
static const double WORTH = 0.02;

typedef struct deciding {
    const clg_measure_ask *ask;
    clg_agenda *agenda;
    clg_belief_reading plan[CLG_MEASURE_PLANS]; /* ln(step) of each, waits included */
    clg_beliefs before;
} deciding;

clg_status clg_measuring_find(clg_arena *arena, clg_measuring *m, clg_error *error) {
    const clg_value_field fields[] = {{"kernel_noise", CLG_COUNT, &m->kernel_noise},
                                      {"link_noise", CLG_COUNT, &m->link_noise},
                                      {"step_noise", CLG_COUNT, &m->step_noise},
                                      {"beyond", CLG_COUNT, &m->beyond},
                                      {"growth", CLG_COUNT, &m->growth},
                                      {"full_pool", CLG_FRACTION, &m->full_pool},
                                      {"probe_s", CLG_SECONDS, &m->probe_s},
                                      {"group_setup_s", CLG_SECONDS, &m->group_setup_s},
                                      {"step_setup_s", CLG_SECONDS, &m->step_setup_s},
                                      {"steps", CLG_COUNT, &m->steps}};
    return CLG_DATASET_NUMBERS(arena, "accuracy", "measurements", fields, error);
}

/* Of ln(a/b). */
static double sigma_between(const clg_beliefs *b, const clg_belief_reading *x,
                            const clg_belief_reading *y) {
    double variance = clg_beliefs_covariance(b, x, x) + clg_beliefs_covariance(b, y, y) -
                      2 * clg_beliefs_covariance(b, x, y);
    return sqrt(fmax(variance, 0));
}

/* The first plan's interval. */
static void know_interval(const deciding *d, const clg_beliefs *b, clg_known *k) {
    clg_belief_reading early = clg_doubts_early(&d->plan[0]);
    double step_s = d->ask->plan[0].step_s;
    double below = sqrt(fmax(clg_beliefs_covariance(b, &early, &early), 0));
    double above = sqrt(fmax(clg_beliefs_covariance(b, &d->plan[0], &d->plan[0]), 0));
    k->p10_s = step_s / (1 + CLG_SIGMAS_TO_TENTH * below);
    k->p90_s = step_s * (1 + CLG_SIGMAS_TO_TENTH * above);
    k->log_sigma = (below + above) / 2;
}

/* The rival is the one that costs most when it is the better one and was not taken. */
static void know_choice(const deciding *d, const clg_beliefs *b, clg_known *k) {
    double lost = -1;
    for (int i = 1; i < d->ask->plans; i++) {
        double ahead = log(d->ask->plan[0].tokens_per_s / d->ask->plan[i].tokens_per_s);
        double before = sigma_between(&d->before, &d->plan[0], &d->plan[i]);
        double after = fmin(before, sigma_between(b, &d->plan[0], &d->plan[i]));
        double moves = sqrt(clg_square(before) - clg_square(after));
        double left = clg_beliefs_excess(-ahead, before) - clg_beliefs_excess(-ahead, moves);
        if (left <= lost) continue;
        lost = left;
        k->regret = left;
        k->rival = i;
        k->right = clg_beliefs_right(ahead, before, after);
    }
}

static clg_known known(const deciding *d, const clg_beliefs *b) {
    clg_known k = {.right = 1};
    know_interval(d, b, &k);
    know_choice(d, b, &k);
    return k;
}

/* What is to become small. */
static double badness(const deciding *d, const clg_known *k) {
    return d->ask->plans > 1 ? k->regret : k->log_sigma;
}

static clg_beliefs believe(const clg_beliefs *before, const clg_measurement *m) {
    clg_beliefs after = *before;
    for (int i = 0; i < m->readings; i++) clg_beliefs_observe(&after, &m->reading[i]);
    return after;
}

static bool alone(const clg_measurement *m) {
    return m->kind == CLG_MEASURE_PRODUCTS || m->kind == CLG_MEASURE_STREAMS;
}

/* A layer has the kernels that are timed alone: once more they say the same. */
static bool repeats(const deciding *d, const bool *taken, int i) {
    const clg_measurement *all = d->agenda->all;
    bool layer = all[i].kind == CLG_MEASURE_LAYER;
    for (int k = 0; k < d->agenda->candidates; k++)
        if (taken[k] &&
            ((layer && alone(&all[k])) || (alone(&all[i]) && all[k].kind == CLG_MEASURE_LAYER)))
            return true;
    return false;
}

/* A choice of candidates on the way. */
typedef struct path {
    const deciding *deciding;
    clg_beliefs beliefs;
    bool taken[CLG_MEASUREMENTS];
    int order[CLG_MEASUREMENTS];
    int count;
    double left_s;
    bool per_hour; /* what gains most per GPU-hour, or at all */
} path;

static bool possible(const path *p, int i) {
    return !p->taken[i] && p->deciding->agenda->all[i].seconds <= p->left_s &&
           !repeats(p->deciding, p->taken, i);
}

static double gain_of(const path *p, const clg_beliefs *then) {
    clg_known now = known(p->deciding, &p->beliefs), k = known(p->deciding, then);
    return badness(p->deciding, &now) - badness(p->deciding, &k);
}

static bool worth_it(const path *p, double gain) {
    return gain > 0 && gain >= WORTH * badness(p->deciding, &p->deciding->agenda->now);
}

static void take(path *p, int i) {
    const clg_measurement *m = &p->deciding->agenda->all[i];
    p->taken[i] = true;
    p->order[p->count++] = i;
    p->left_s -= m->seconds;
    p->beliefs = believe(&p->beliefs, m);
}

/* The candidate that gains most within what is left; false: none is worth it. */
static bool take_one(path *p) {
    const clg_agenda *a = p->deciding->agenda;
    double most = 0;
    int best = -1;
    for (int i = 0; i < a->candidates; i++) {
        if (!possible(p, i)) continue;
        clg_beliefs then = believe(&p->beliefs, &a->all[i]);
        double gain = gain_of(p, &then);
        if (!worth_it(p, gain)) continue;
        if (p->per_hour) gain /= a->all[i].gpu_s;
        if (gain > most) most = gain, best = i;
    }
    if (best >= 0) take(p, best);
    return best >= 0;
}

/* Two plans may be told apart only by running both: one run says nothing of which is faster. */
static bool take_two(path *p) {
    const clg_agenda *a = p->deciding->agenda;
    double most = 0;
    int first = -1, second = -1;
    for (int i = 0; i < a->candidates; i++)
        for (int k = i + 1; k < a->candidates; k++) {
            const clg_measurement *x = &a->all[i], *y = &a->all[k];
            if (x->plan == y->plan || !possible(p, i) || !possible(p, k)) continue;
            if (x->seconds + y->seconds > p->left_s) continue;
            clg_beliefs then = believe(&p->beliefs, x);
            then = believe(&then, y);
            double gain = gain_of(p, &then);
            if (!worth_it(p, gain)) continue;
            if (p->per_hour) gain /= x->gpu_s + y->gpu_s;
            if (gain > most) most = gain, first = i, second = k;
        }
    if (first < 0) return false;
    take(p, first);
    take(p, second);
    return true;
}

/* What is left to doubt at the end of the path. */
static double walk(const deciding *d, bool per_hour, path *p) {
    *p = (path){
        .deciding = d, .beliefs = d->before, .left_s = d->ask->budget_s, .per_hour = per_hour};
    while (take_one(p) || take_two(p)) continue;
    clg_known k = known(d, &p->beliefs);
    return badness(d, &k);
}

/* What is left to doubt without one of the path; skip < 0: with all of it. */
static double without(const path *p, int skip) {
    const deciding *d = p->deciding;
    clg_beliefs b = d->before;
    for (int i = 0; i < p->count; i++)
        if (i != skip) b = believe(&b, &d->agenda->all[p->order[i]]);
    clg_known k = known(d, &b);
    return badness(d, &k);
}

/* To tell plans apart: without what later runs made needless, from the first on. An interval's list
 * may be ended anywhere, and stays. */
static void prune(path *p) {
    double worth = WORTH * badness(p->deciding, &p->deciding->agenda->now);
    for (int i = 0; i < p->count && p->deciding->ask->plans > 1;) {
        if (without(p, i) - without(p, -1) >= worth) {
            i++;
            continue;
        }
        p->count--;
        for (int k = i; k < p->count; k++) p->order[k] = p->order[k + 1];
    }
}

static void fill(clg_arena *arena, const deciding *d) {
    clg_agenda *a = d->agenda;
    path *by_hour = clg_take(arena, 2, path), *by_gain = by_hour + 1, *chosen = by_hour;
    double hour_end = walk(d, true, by_hour), gain_end = walk(d, false, by_gain);
    /* As good within a tenth: the one that costs less. */
    if (gain_end < 0.9 * hour_end) chosen = by_gain;
    prune(chosen);
    clg_beliefs b = d->before;
    for (int i = 0; i < chosen->count; i++) {
        a->chosen[i] = a->all[chosen->order[i]];
        b = believe(&b, &a->chosen[i]);
        a->after[i] = known(d, &b);
    }
    a->count = chosen->count;
    for (int i = 0; i < a->candidates; i++) {
        clg_beliefs only = believe(&d->before, &a->all[i]);
        a->alone[i] = known(d, &only);
    }
}

/* What plans have of their own, so that any differs from the first by what difference.h says. */
static void fill_own(deciding *d) {
    const clg_doubt_shares *doubts = &d->agenda->doubts;
    const clg_measure_ask *ask = d->ask;
    for (int i = 0; i < ask->plans; i++) {
        double own = doubts->own;
        if (i > 0) {
            double apart =
                clg_doubts_apart(doubts, d->plan[0].weight, d->plan[i].weight) + doubts->own;
            own = fmax(own, clg_square(clg_difference_sigma(&doubts->difference, &ask->plan[0],
                                                            &ask->plan[i])) -
                                apart);
        }
        d->before.covariance[CLG_DOUBT_TERMS + i][CLG_DOUBT_TERMS + i] = own;
        d->plan[i].weight[CLG_DOUBT_TERMS + i] = 1;
    }
}

static void fill_shares(deciding *d) {
    clg_agenda *a = d->agenda;
    double whole = clg_beliefs_covariance(&d->before, &d->plan[0], &d->plan[0]);
    for (int i = 0; i < CLG_DOUBT_TERMS && whole > 0; i++)
        a->share[i] = clg_square(d->plan[0].weight[i] * a->doubts.sigma[i]) / whole;
    a->own_share = whole > 0 ? a->doubts.own / whole : 0;
}

/* The operations of the first plan, which measurements are made of. */
static clg_status list_operations(clg_arena *arena, const clg_measure_ask *ask, clg_agenda *agenda,
                                  clg_error *error) {
    clg_evaluation *detail = clg_take(arena, 1, clg_evaluation);
    if (clg_evaluate(arena, ask->scenario, &ask->plan[0].layout, true, NULL, detail, error) !=
        CLG_OK)
        return error->status;
    agenda->operations = clg_explain_operations(arena, ask->scenario, detail);
    return CLG_OK;
}

clg_status clg_measure(clg_arena *arena, const clg_measure_ask *ask, clg_agenda *agenda,
                       clg_error *error) {
    deciding d = {.ask = ask, .agenda = agenda};
    double weight[CLG_MEASURE_PLANS][CLG_DOUBT_TERMS] = {{0}};
    clg_measuring measuring;
    *agenda = (clg_agenda){.now = {.right = 1}};
    for (int i = 0; i < ask->plans; i++) {
        if (clg_doubts_weights(arena, ask->scenario, &ask->plan[i], weight[i], error) != CLG_OK)
            return error->status;
        for (int t = 0; t < CLG_DOUBT_TERMS; t++) d.plan[i].weight[t] = weight[i][t];
    }
    if (clg_doubts_of(arena, ask->scenario, &ask->plan[0], weight[0], &agenda->doubts, error) !=
            CLG_OK ||
        clg_measuring_find(arena, &measuring, error) != CLG_OK ||
        list_operations(arena, ask, agenda, error) != CLG_OK)
        return error->status;
    agenda->probe_s = measuring.probe_s;
    agenda->steps = (int)measuring.steps;
    d.before = clg_doubts_beliefs(&agenda->doubts);
    fill_own(&d);
    if (clg_measure_candidates(arena, ask, &measuring, (const double(*)[CLG_DOUBT_TERMS])weight,
                               agenda, error) != CLG_OK)
        return error->status;
    agenda->now = known(&d, &d.before);
    fill_shares(&d);
    fill(arena, &d);
    return CLG_OK;
}
