/* network.c -- latency, bandwidth and ramp of the two link levels from timed collectives. */
#include "calibrate/calibrate.h"

#include "units/units.h"

#include <math.h>
#include <string.h>

typedef struct timed {
    clg_collective collective;
    clg_group group;
    double bytes;
} timed;

typedef struct level {
    const clg_machine *machine;
    const clg_network *start;
    bool slow;
    timed *timed;
    double *measured_s;
    int count;
} level;

/* In order of importance: with few samples the later ones stay. */
enum { BASE, HOP, EFFICIENCY, EXTRA, RAMP, LEVEL_TERMS };

static double line_rate(const clg_machine *m, bool slow) {
    if (!slow) return m->node.link_bytes_per_s;
    return clg_machine_inter_bytes_per_s(m) / m->fabric.efficiency;
}

static void put_fast(clg_network *n, const double *v, double rate) {
    n->base_s = v[BASE];
    n->fast.latency_s = v[HOP];
    n->ramp_bytes = v[RAMP];
    if (n->fast.bytes_per_s > 0) n->pair_bytes_per_s *= v[EFFICIENCY] * rate / n->fast.bytes_per_s;
    n->fast.bytes_per_s = v[EFFICIENCY] * rate;
    n->in_switch_bytes_per_s = v[EXTRA] * rate;
}

static void put_slow(clg_network *n, const double *v, double rate) {
    n->base_slow_s = v[BASE];
    n->slow.latency_s = v[HOP];
    n->ramp_slow_bytes = v[RAMP];
    n->slow.bytes_per_s = v[EFFICIENCY] * rate;
    n->tail = v[EXTRA];
}

static void put(const level *l, clg_network *n, const double *values) {
    double rate = line_rate(l->machine, l->slow);
    if (l->slow)
        put_slow(n, values, rate);
    else
        put_fast(n, values, rate);
}

static double predict(const void *context, const double *values, int sample) {
    const level *l = context;
    const timed *t = &l->timed[sample];
    clg_network network = *l->start;
    double seconds;
    put(l, &network, values);
    clg_collective_best(&network, t->collective, t->group, t->bytes, &seconds);
    return seconds;
}

/* Nodes not stated are full ones. */
clg_group clg_calibrate_group(const clg_machine *m, const clg_sample *s) {
    int box = m->node.gpus > 0 ? m->node.gpus : 1;
    int nodes = s->nodes > 0 ? s->nodes : (s->ranks + box - 1) / box;
    int per_node = (s->ranks + nodes - 1) / nodes;
    if (m->node.domain > box && per_node == box) per_node = m->node.domain;
    if (per_node > s->ranks) per_node = s->ranks;
    return (clg_group){s->ranks, per_node};
}

static void gather(clg_arena *arena, const clg_samples *samples, level *l) {
    l->timed = clg_take(arena, (size_t)samples->count + 1, timed);
    l->measured_s = clg_take(arena, (size_t)samples->count + 1, double);
    for (int i = 0; i < samples->count; i++) {
        const clg_sample *s = &samples->sample[i];
        if (s->kind != CLG_SAMPLE_COLLECTIVE) continue;
        clg_group group = clg_calibrate_group(l->machine, s);
        if ((group.per_domain < group.ranks) != l->slow) continue;
        l->measured_s[l->count] = s->seconds;
        l->timed[l->count++] = (timed){s->collective, group, s->bytes};
    }
}

static const char *range_of(clg_arena *arena, const level *l) {
    double least = INFINITY, most = 0;
    int few = 1 << 30, many = 0;
    char from[32], to[32];
    for (int i = 0; i < l->count; i++) {
        least = fmin(least, l->timed[i].bytes);
        most = fmax(most, l->timed[i].bytes);
        if (l->timed[i].group.ranks < few) few = l->timed[i].group.ranks;
        if (l->timed[i].group.ranks > many) many = l->timed[i].group.ranks;
    }
    return clg_arena_print(arena, few == many ? "%s to %s, %d ranks" : "%s to %s, %d to %d ranks",
                           clg_quantity_print(least, CLG_BYTES, 3, from, sizeof from),
                           clg_quantity_print(most, CLG_BYTES, 3, to, sizeof to), few, many);
}

/* Bounds: a tenth of a microsecond to 10 ms a hop, any message as ramp, 1 % to 115 % of the line
 * (a curve read through noise may pass it a little). */
static void fill_terms(const level *l, clg_fit_term *terms) {
    const clg_network *n = l->start;
    double rate = line_rate(l->machine, l->slow);
    const clg_link *link = l->slow ? &n->slow : &n->fast;
    terms[BASE] = (clg_fit_term){.name = "base",
                                 .unit = "us",
                                 .unit_si = 1e-6,
                                 .least = 1e-7,
                                 .most = 1e-2,
                                 .needs = 0.15,
                                 .from = l->slow ? n->base_slow_s : n->base_s};
    terms[HOP] = (clg_fit_term){.name = "hop",
                                .unit = "us",
                                .unit_si = 1e-6,
                                .least = 1e-8,
                                .most = 1e-2,
                                .needs = 0.1,
                                .from = link->latency_s,
                                .tie = "base"};
    terms[RAMP] = (clg_fit_term){.name = "ramp",
                                 .unit = "MB",
                                 .unit_si = 1e6,
                                 .least = 1e3,
                                 .most = 1e10,
                                 .from = l->slow ? n->ramp_slow_bytes : n->ramp_bytes};
    terms[EFFICIENCY] = (clg_fit_term){.name = "efficiency",
                                       .unit = "1",
                                       .unit_si = 1,
                                       .least = 0.01,
                                       .most = 1.15,
                                       .needs = 0.5,
                                       .from = link->bytes_per_s / rate};
    terms[EXTRA] = (clg_fit_term){.name = "tail",
                                  .unit = "",
                                  .unit_si = 1,
                                  .least = 1e-3,
                                  .most = 1,
                                  .from = n->tail,
                                  .start = fmax(n->tail, 0.05)};
    if (l->slow) return;
    terms[EXTRA] = (clg_fit_term){.name = "in_switch_efficiency",
                                  .unit = "1",
                                  .unit_si = 1,
                                  .least = 0.01,
                                  .most = 1.15,
                                  .needs = 0.5,
                                  .from = n->in_switch_bytes_per_s / rate};
    if (!n->fast.reduces) terms[EXTRA].held = "the switch does not reduce";
}

/* What no link does, or few: to look into before it is used. */
static const char *finding(clg_arena *arena, const clg_fit_term *term) {
    const clg_fit_term *efficiency = &term[EFFICIENCY], *tail = &term[EXTRA];
    if (!efficiency->held && efficiency->to > 1)
        return clg_arena_print(arena,
                               "a finding: %.2f of the line rate; no link carries more than all of "
                               "it, so this is another machine: see --node, --fabric and --nics",
                               efficiency->to);
    if (tail->held || strcmp(tail->name, "tail") != 0 || tail->to < 4 * fmax(tail->from, 0.02))
        return NULL;
    return clg_arena_print(
        arena,
        "a finding: time grows by %.0f %% with every doubling of nodes, %.0f %% "
        "on others: look for a slow node (ceiling expect) before planning with it",
        100 * tail->to, 100 * tail->from);
}

static void fit_level(clg_arena *arena, level *l, clg_network *network, clg_calibration *c) {
    double values[LEVEL_TERMS];
    clg_problem problem = {.predict = predict,
                           .context = l,
                           .measured_s = l->measured_s,
                           .samples = l->count,
                           .samples_per_term = 3,
                           CLG_FIT_OF_SAMPLES};
    *c = (clg_calibration){.knob = "network",
                           .part = l->slow ? "slow" : "fast",
                           .title = l->slow ? "links between nodes" : "links inside a node",
                           .base = l->slow ? l->machine->fabric.name : l->machine->gpu.name,
                           .terms = LEVEL_TERMS,
                           .range = range_of(arena, l),
                           .sigma_from = l->slow ? network->sigma_slow : network->sigma_fast};
    fill_terms(l, c->term);
    clg_terms_solve(arena, &problem, c->term, c->terms, &c->fit);
    c->sigma_to = clg_calibrate_sigma(c);
    c->notes = finding(arena, c->term);
    for (int i = 0; i < LEVEL_TERMS; i++) values[i] = c->term[i].to;
    put(l, network, values);
}

void clg_calibrate_network(clg_arena *arena, const clg_machine *machine, clg_network *network,
                           const clg_samples *samples, clg_calibration *list, int *count) {
    for (int slow = 0; slow < 2; slow++) {
        clg_network start = *network;
        level l = {.machine = machine, .start = &start, .slow = slow == 1};
        gather(arena, samples, &l);
        if (l.count > 0) fit_level(arena, &l, network, &list[(*count)++]);
    }
}
