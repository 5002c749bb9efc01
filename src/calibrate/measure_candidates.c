/* measure_candidates.c -- what could be measured of a plan, what it costs and what it tells. */
#include "base/real.h"
#include "calibrate/measure.h"
#include "evaluate/evaluate.h"

#include <math.h>

/* Of nccl-tests: once to warm up and 20 times timed, out of place and in place. */
static const double TURNS = 42;

typedef struct listing {
    clg_arena *arena;
    const clg_measure_ask *ask;
    const clg_measuring *measuring;
    const double (*weight)[CLG_DOUBT_TERMS];
    clg_agenda *agenda;
} listing;

static clg_measurement *add(listing *l, clg_measurement_kind kind, int gpus, double seconds) {
    clg_agenda *a = l->agenda;
    if (a->candidates == CLG_MEASUREMENTS || gpus > l->ask->most_gpus) return NULL;
    int box = l->ask->scenario->machine.node.gpus;
    clg_measurement *m = &a->all[a->candidates++];
    *m = (clg_measurement){.kind = kind,
                           .gpus = gpus,
                           .nodes = (gpus + box - 1) / box,
                           .seconds = seconds,
                           .gpu_s = seconds * gpus};
    return m;
}

static void read_term(clg_measurement *m, clg_doubt_term term, double noise) {
    if (!m) return;
    clg_belief_reading *r = &m->reading[m->readings++];
    *r = (clg_belief_reading){.noise = noise};
    r->weight[term] = 1;
}

static void add_kernels(listing *l) {
    const clg_measuring *c = l->measuring;
    double seconds = c->probe_s + c->group_setup_s, noise = clg_square(c->kernel_noise);
    read_term(add(l, CLG_MEASURE_PRODUCTS, 1, seconds), CLG_DOUBT_PRODUCTS, noise);
    read_term(add(l, CLG_MEASURE_STREAMS, 1, seconds), CLG_DOUBT_STREAMS, noise);
}

/* Groups that the plan's traffic goes through, each once. */
typedef struct traffic {
    clg_group group;
    bool collective[CLG_COLLECTIVES];
    double seconds, least_bytes, most_bytes;
} traffic;

enum { GROUPS = 12 };

static bool crosses(clg_group g) { return g.per_domain < g.ranks; }

static traffic *traffic_of(traffic *list, int *count, clg_group group) {
    for (int i = 0; i < *count; i++)
        if (list[i].group.ranks == group.ranks && list[i].group.per_domain == group.per_domain)
            return &list[i];
    if (*count == GROUPS) return NULL;
    list[*count] = (traffic){.group = group, .least_bytes = INFINITY};
    return &list[(*count)++];
}

static int gather(const clg_operations_table *table, traffic *list) {
    int count = 0;
    for (int i = 0; i < table->count; i++) {
        const clg_priced_operation *row = &table->row[i];
        const clg_op *op = row->op;
        if (op->kind != CLG_OP_COLLECTIVE && op->kind != CLG_OP_SEND) continue;
        traffic *t = op->group.ranks > 1 ? traffic_of(list, &count, op->group) : NULL;
        if (!t) continue;
        t->collective[op->collective] = true;
        t->seconds += row->seconds * row->times;
        t->least_bytes = fmin(t->least_bytes, op->bytes);
        t->most_bytes = fmax(t->most_bytes, op->bytes);
    }
    return count;
}

/* Share of its level's seconds that a group has. */
static double share_of(const traffic *list, int count, const traffic *t) {
    double level = 0;
    for (int i = 0; i < count; i++)
        if (crosses(list[i].group) == crosses(t->group)) level += list[i].seconds;
    return level > 0 ? t->seconds / level : 0;
}

/* Of links; what other groups of the level do is known half as well as what was measured. */
static double link_noise(const listing *l, clg_doubt_term term, double share) {
    return clg_square(l->measuring->link_noise) +
           (1 - share) * clg_square(l->agenda->doubts.sigma[term]);
}

/* Messages from the least to the most by doubling, every collective of the group. */
static double sweep_s(const listing *l, const clg_measurement *m) {
    double sum = 0, seconds;
    for (int what = 0; what < CLG_COLLECTIVES; what++)
        for (double bytes = m->least_bytes; m->collective[what] && bytes <= m->most_bytes;
             bytes *= 2) {
            clg_collective_best(&l->ask->scenario->network, (clg_collective)what, m->group, bytes,
                                &seconds);
            sum += TURNS * seconds;
        }
    return sum;
}

/* Sizes from a sixteenth of the plan's on, so that the fit sees where the curve bends: whole powers
 * of two, 64 KiB to 8 GiB. */
static void range_of(const traffic *t, clg_measurement *m) {
    double least = 65536, most = 65536;
    while (least * 32 <= t->least_bytes && least < 4294967296) least *= 2;
    while (most < t->most_bytes && most < 8589934592) most *= 2;
    m->least_bytes = least;
    m->most_bytes = fmax(most, least);
}

/* A group, whole or as much of it as lies in so many domains; all GPUs of those at once, as in the
 * plan. */
static void add_group(listing *l, const traffic *list, int count, const traffic *t, int domains) {
    const clg_machine *machine = &l->ask->scenario->machine;
    int all = t->group.ranks / t->group.per_domain;
    int each = machine->node.domain < machine->gpus ? machine->node.domain : machine->gpus;
    clg_doubt_term term = crosses(t->group) ? CLG_DOUBT_BETWEEN : CLG_DOUBT_INSIDE;
    clg_measurement *m = add(l, CLG_MEASURE_COLLECTIVES, domains * each, 0);
    if (!m) return;
    m->group = (clg_group){t->group.per_domain * domains, t->group.per_domain};
    for (int i = 0; i < CLG_COLLECTIVES; i++) m->collective[i] = t->collective[i];
    range_of(t, m);
    m->seconds = l->measuring->group_setup_s + sweep_s(l, m);
    m->gpu_s = m->seconds * m->gpus;
    double fewer = log((double)all / domains) / log(2);
    read_term(m, term,
              link_noise(l, term, share_of(list, count, t)) +
                  clg_square(l->measuring->growth * fewer));
}

static void add_groups(listing *l) {
    static const int domains[] = {2, 8};
    traffic list[GROUPS];
    int count = gather(&l->agenda->operations, list);
    for (int i = 0; i < count; i++) {
        int all = list[i].group.ranks / list[i].group.per_domain;
        for (size_t d = 0; d < sizeof domains / sizeof domains[0]; d++)
            if (domains[d] < all) add_group(l, list, count, &list[i], domains[d]);
        add_group(l, list, count, &list[i], all);
    }
}

/* Kernels of a layer, and the traffic of its tensor group, in one start of the probe. */
static void add_layer(listing *l) {
    const clg_measuring *c = l->measuring;
    const clg_machine *machine = &l->ask->scenario->machine;
    traffic list[GROUPS];
    int count = gather(&l->agenda->operations, list), tp = l->ask->plan[0].layout.tp;
    if (tp > machine->node.gpus) return;
    clg_measurement *m = add(l, CLG_MEASURE_LAYER, tp, c->probe_s + c->group_setup_s);
    read_term(m, CLG_DOUBT_PRODUCTS, clg_square(c->kernel_noise));
    read_term(m, CLG_DOUBT_STREAMS, clg_square(c->kernel_noise));
    for (int i = 0; i < count && m; i++)
        if (tp > 1 && list[i].group.ranks == tp && !crosses(list[i].group))
            read_term(m, CLG_DOUBT_INSIDE,
                      link_noise(l, CLG_DOUBT_INSIDE, share_of(list, count, &list[i])));
}

/* The plan with fewer copies of the model, the same work for each. */
static bool shrink(const clg_layout *plan, int gpus, clg_layout *small) {
    int copy = plan->tp * plan->cp * plan->pp;
    *small = *plan;
    if (gpus % copy != 0 || plan->dp % (gpus / copy) != 0) return false;
    small->dp = gpus / copy;
    if (small->hsdp > small->dp * small->cp) small->hsdp = 0;
    small->global_batch = plan->global_batch / plan->dp * small->dp;
    return true;
}

/* What a run says: all of its terms, and what is its own; at the plan's own size, the plan's. */
static void read_step(const listing *l, const clg_evaluation *run, const double *weight,
                      clg_measurement *m) {
    const clg_evaluation *plan = &l->ask->plan[m->plan];
    const clg_doubt_shares *d = &l->agenda->doubts;
    clg_belief_reading *r = &m->reading[m->readings++];
    *r = (clg_belief_reading){.noise = clg_square(l->measuring->step_noise)};
    for (int i = 0; i < CLG_DOUBT_TERMS; i++) r->weight[i] = weight[i];
    if (clg_layout_gpus(&run->layout) == clg_layout_gpus(&plan->layout))
        r->weight[CLG_DOUBT_TERMS + m->plan] = 1;
    else
        r->noise += fmax(d->own, clg_square(clg_difference_sigma(&d->difference, plan, run)) -
                                     d->own - clg_doubts_apart(d, weight, l->weight[m->plan]));
}

static clg_status add_step(listing *l, int plan, int nodes, clg_error *error) {
    const clg_measuring *c = l->measuring;
    const clg_layout *whole = &l->ask->plan[plan].layout;
    clg_scenario *scenario = clg_take(l->arena, 1, clg_scenario);
    clg_layout layout;
    clg_evaluation run = {0};
    clg_error refused = {0};
    *scenario = *l->ask->scenario;
    int gpus = nodes * scenario->machine.node.gpus;
    if (gpus > clg_layout_gpus(whole)) gpus = (int)clg_layout_gpus(whole);
    if (gpus > l->ask->most_gpus) return CLG_OK;
    scenario->machine.gpus = gpus;
    double weight[CLG_DOUBT_TERMS];
    if (!shrink(whole, gpus, &layout) ||
        clg_evaluate(l->arena, scenario, &layout, false, NULL, &run, &refused) != CLG_OK ||
        !run.fits) {
        l->agenda->not_fitting++;
        return CLG_OK;
    }
    if (clg_doubts_weights(l->arena, scenario, &run, weight, error) != CLG_OK) return error->status;
    clg_measurement *m = add(l, CLG_MEASURE_STEP, gpus, c->step_setup_s + c->steps * run.step_s);
    if (!m) return CLG_OK;
    m->plan = plan;
    m->layout = layout;
    m->step_s = run.step_s;
    read_step(l, &run, weight, m);
    return CLG_OK;
}

static clg_status add_steps(listing *l, clg_error *error) {
    static const int nodes[] = {1, 2, 8};
    int box = l->ask->scenario->machine.node.gpus;
    for (int plan = 0; plan < l->ask->plans; plan++) {
        int all = (int)((clg_layout_gpus(&l->ask->plan[plan].layout) + box - 1) / box);
        for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++)
            if (nodes[i] < all && add_step(l, plan, nodes[i], error) != CLG_OK)
                return error->status;
        if (add_step(l, plan, all, error) != CLG_OK) return error->status;
    }
    return CLG_OK;
}

clg_status clg_measure_candidates(clg_arena *arena, const clg_measure_ask *ask,
                                  const clg_measuring *measuring,
                                  const double (*weight)[CLG_DOUBT_TERMS], clg_agenda *agenda,
                                  clg_error *error) {
    listing l = {arena, ask, measuring, weight, agenda};
    add_kernels(&l);
    add_layer(&l);
    add_groups(&l);
    return add_steps(&l, error);
}
