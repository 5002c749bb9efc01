/* stages_replay.c -- one step of a pipeline job replayed, over and over, with other durations.
 *
 * What waits for what (Lin et al. 2025, section 3.2, arXiv 2505.05713, and their published model):
 *
 *   gather parameters -> first forward; passes of a worker one after another;
 *   receive k -> pass k; pass k-1 -> receive k; pass k -> send k; sends and receives of one kind
 * one after another; the first backward send and receive wait for the second last pass before them;
 *   last pass -> collect -> norms -> embeddings -> reductions -> clip -> optimizer, or, where
 *   reductions overlap passes, last backward -> reductions -> norms -> ... -> separate -> clip.
 *
 * A transfer starts when all its parties have come: a send and its receive, all replicas of a
 * stage, the first and the last stage (embeddings), all workers (clip). It then takes every party
 * its own duration. */
#include "record/stages.h"

#include "base/quantile.h"

#include <stdlib.h>
#include <string.h>

const clg_name clg_stage_kind_names[] = {
    {"forward-compute", CLG_STAGE_FORWARD, NULL},
    {"backward-compute", CLG_STAGE_BACKWARD, NULL},
    {"forward-send", CLG_STAGE_FORWARD_SEND, NULL},
    {"forward-recv", CLG_STAGE_FORWARD_RECEIVE, NULL},
    {"backward-send", CLG_STAGE_BACKWARD_SEND, NULL},
    {"backward-recv", CLG_STAGE_BACKWARD_RECEIVE, NULL},
    {"params-all-gather", CLG_STAGE_GATHER_PARAMETERS, NULL},
    {"grads-reduce-scatter", CLG_STAGE_REDUCE_GRADIENTS, NULL},
    {"separate-grads-all-reduce", CLG_STAGE_REDUCE_SEPARATE, NULL},
    {"layernorm-grads-all-reduce", CLG_STAGE_REDUCE_NORMS, NULL},
    {"embedding-grads-all-reduce", CLG_STAGE_REDUCE_EMBEDDINGS, NULL},
    {"optimizer-clip-main-grad", CLG_STAGE_CLIP, NULL},
    {"optimizer", CLG_STAGE_OPTIMIZER, NULL},
    {"gc", CLG_STAGE_COLLECT, NULL},
    {NULL, 0, NULL}};

enum { MOST_BEFORE = 4 };
static const size_t MOST_REPLAYED = (size_t)1 << 31; /* operations, one replica after another */

/* Operations of one worker in one step: kind k is op[first[k]] to op[first[k + 1] - 1]. */
typedef struct worker {
    int first[CLG_STAGE_KINDS + 1];
} worker;

typedef struct node {
    int before[MOST_BEFORE], befores;
    int party, next_of_party; /* -1: alone; a list of those that start together */
} node;

typedef struct party {
    int members, arrived, newest;
    int64_t latest_ns;
} party;

/* One step. */
typedef struct graph {
    clg_arena *scratch;
    const clg_stages *all;
    const clg_stage_op *op;
    int count;
    worker *workers; /* [replicas x stages] */
    node *nodes;
    party *parties;
    int party_count;
    int *order; /* every operation behind all it waits for */
    int64_t *end_ns;
} graph;

/* Which durations are those of a job without stragglers. */
typedef struct variant {
    bool even_chosen;         /* those of the chosen operations, else those of all others */
    int replica, stage, kind; /* chosen; -1: any; replica -2: none is */
} variant;

static worker *worker_at(const graph *g, int replica, int stage) {
    return &g->workers[replica * g->all->stages + stage];
}

static int count_of(const worker *w, int kind) { return w->first[kind + 1] - w->first[kind]; }

/* ---- the graph ---- */

static void wait_for(graph *g, int later, int earlier) {
    node *n = &g->nodes[later];
    if (n->befores < MOST_BEFORE) n->before[n->befores++] = earlier;
}

static int new_party(graph *g) {
    g->parties[g->party_count] = (party){.newest = -1};
    return g->party_count++;
}

static void join(graph *g, int at, int number) {
    g->nodes[at].party = number;
    g->nodes[at].next_of_party = g->parties[number].newest;
    g->parties[number].newest = at;
    g->parties[number].members++;
}

static void chain_kind(graph *g, const worker *w, int kind) {
    for (int i = w->first[kind] + 1; i < w->first[kind + 1]; i++) wait_for(g, i, i - 1);
}

typedef struct pass {
    int64_t start_ns, end_ns;
    int at;
} pass;

static int by_start(const void *a, const void *b) {
    const pass *x = a, *y = b;
    if (x->start_ns != y->start_ns) return x->start_ns < y->start_ns ? -1 : 1;
    return x->at - y->at;
}

static int passes_of(graph *g, const worker *w, pass *out) {
    int count = 0;
    for (int i = w->first[CLG_STAGE_FORWARD]; i < w->first[CLG_STAGE_BACKWARD + 1]; i++)
        out[count++] = (pass){g->op[i].start_ns, g->op[i].start_ns + g->op[i].duration_ns, i};
    if (count) qsort(out, (size_t)count, sizeof *out, by_start);
    for (int i = 1; i < count; i++) wait_for(g, out[i].at, out[i - 1].at);
    return count;
}

/* Sends and receives of one direction beside its passes. */
static void add_transfers(graph *g, const worker *w, int pass_kind, int send, int receive) {
    int passes = count_of(w, pass_kind), first = w->first[pass_kind];
    chain_kind(g, w, send);
    chain_kind(g, w, receive);
    for (int i = 0; i < passes; i++) {
        if (i < count_of(w, send)) wait_for(g, w->first[send] + i, first + i);
        if (i >= count_of(w, receive)) continue;
        wait_for(g, first + i, w->first[receive] + i);
        if (i > 0) wait_for(g, w->first[receive] + i, first + i - 1);
    }
}

static void add_first_backward(graph *g, const worker *w, const pass *passes, int count) {
    int at = 0;
    while (at < count && g->op[passes[at].at].kind != CLG_STAGE_BACKWARD) at++;
    if (at < 2 || at == count) return;
    static const int kinds[] = {CLG_STAGE_BACKWARD_SEND, CLG_STAGE_BACKWARD_RECEIVE};
    for (int i = 0; i < 2; i++)
        if (count_of(w, kinds[i])) wait_for(g, w->first[kinds[i]], passes[at - 2].at);
}

/* What follows the passes, each after the one before. */
static void add_tail(graph *g, const worker *w, const pass *passes, int count, bool overlapped) {
    static const int plain[] = {
        CLG_STAGE_COLLECT,          CLG_STAGE_REDUCE_NORMS, CLG_STAGE_REDUCE_EMBEDDINGS,
        CLG_STAGE_REDUCE_GRADIENTS, CLG_STAGE_CLIP,         CLG_STAGE_OPTIMIZER};
    static const int beside[] = {
        CLG_STAGE_COLLECT,         CLG_STAGE_REDUCE_NORMS, CLG_STAGE_REDUCE_EMBEDDINGS,
        CLG_STAGE_REDUCE_SEPARATE, CLG_STAGE_CLIP,         CLG_STAGE_OPTIMIZER};
    int last = -1, last_backward = -1;
    for (int i = 0; i < count; i++) {
        if (last < 0 || passes[i].end_ns > passes[last].end_ns) last = i;
        if (g->op[passes[i].at].kind == CLG_STAGE_BACKWARD) last_backward = passes[i].at;
    }
    last = last < 0 ? -1 : passes[last].at;
    int scatters = count_of(w, CLG_STAGE_REDUCE_GRADIENTS);
    int scatter = w->first[CLG_STAGE_REDUCE_GRADIENTS];
    if (overlapped && scatters) {
        chain_kind(g, w, CLG_STAGE_REDUCE_GRADIENTS);
        if (last_backward >= 0) wait_for(g, scatter, last_backward);
    }
    for (int i = 0; i < (int)(sizeof plain / sizeof *plain); i++) {
        int kind = overlapped ? beside[i] : plain[i];
        for (int at = w->first[kind]; at < w->first[kind + 1]; at++) {
            if (last >= 0) wait_for(g, at, last);
            if (overlapped && scatters && kind == CLG_STAGE_REDUCE_NORMS)
                wait_for(g, at, scatter + scatters - 1);
            last = at;
        }
    }
}

static void add_worker(graph *g, const worker *w, pass *room, bool overlapped) {
    int count = passes_of(g, w, room);
    add_transfers(g, w, CLG_STAGE_FORWARD, CLG_STAGE_FORWARD_SEND, CLG_STAGE_FORWARD_RECEIVE);
    add_transfers(g, w, CLG_STAGE_BACKWARD, CLG_STAGE_BACKWARD_SEND, CLG_STAGE_BACKWARD_RECEIVE);
    add_first_backward(g, w, room, count);
    int gathers = count_of(w, CLG_STAGE_GATHER_PARAMETERS);
    chain_kind(g, w, CLG_STAGE_GATHER_PARAMETERS);
    if (gathers && count_of(w, CLG_STAGE_FORWARD))
        wait_for(g, w->first[CLG_STAGE_FORWARD],
                 w->first[CLG_STAGE_GATHER_PARAMETERS] + gathers - 1);
    add_tail(g, w, room, count, overlapped);
}

/* The n-th operation of `kind` of each worker of a list starts with the n-th of the others. */
static void synchronize(graph *g, worker *const *list, const int *kinds, int count) {
    int most = 0;
    for (int i = 0; i < count; i++)
        if (count_of(list[i], kinds[i]) > most) most = count_of(list[i], kinds[i]);
    for (int n = 0; n < most; n++) {
        int number = new_party(g);
        for (int i = 0; i < count; i++)
            if (n < count_of(list[i], kinds[i])) join(g, list[i]->first[kinds[i]] + n, number);
    }
}

static void synchronize_replicas(graph *g, int stage, int kind) {
    clg_arena_mark mark = clg_arena_here(g->scratch);
    int count = g->all->replicas;
    worker **list = clg_take(g->scratch, (size_t)count, worker *);
    int *kinds = clg_take(g->scratch, (size_t)count, int);
    for (int i = 0; i < count; i++) {
        list[i] = worker_at(g, i, stage);
        kinds[i] = kind;
    }
    synchronize(g, list, kinds, count);
    clg_arena_back_to(g->scratch, mark);
}

static void add_neighbours(graph *g, int replica, int stage) {
    worker *pair[] = {worker_at(g, replica, stage), worker_at(g, replica, stage + 1)};
    synchronize(g, pair, (const int[]){CLG_STAGE_FORWARD_SEND, CLG_STAGE_FORWARD_RECEIVE}, 2);
    synchronize(g, pair, (const int[]){CLG_STAGE_BACKWARD_RECEIVE, CLG_STAGE_BACKWARD_SEND}, 2);
}

static void add_clip(graph *g) {
    clg_arena_mark mark = clg_arena_here(g->scratch);
    int count = g->all->replicas * g->all->stages;
    worker **list = clg_take(g->scratch, (size_t)count, worker *);
    int *kinds = clg_take(g->scratch, (size_t)count, int);
    for (int i = 0; i < count; i++) {
        list[i] = &g->workers[i];
        kinds[i] = CLG_STAGE_CLIP;
    }
    synchronize(g, list, kinds, count);
    clg_arena_back_to(g->scratch, mark);
}

static void add_parties(graph *g) {
    static const int of_replicas[] = {CLG_STAGE_GATHER_PARAMETERS, CLG_STAGE_REDUCE_GRADIENTS,
                                      CLG_STAGE_REDUCE_SEPARATE};
    int last = g->all->stages - 1;
    for (int s = 0; s <= last; s++)
        for (int i = 0; i < 3; i++) synchronize_replicas(g, s, of_replicas[i]);
    for (int r = 0; r < g->all->replicas; r++) {
        for (int s = 0; s < last; s++) add_neighbours(g, r, s);
        worker *ends[] = {worker_at(g, r, 0), worker_at(g, r, last)};
        const int kinds[] = {CLG_STAGE_REDUCE_EMBEDDINGS, CLG_STAGE_REDUCE_EMBEDDINGS};
        synchronize(g, ends, kinds, last > 0 ? 2 : 1);
    }
    add_clip(g);
}

/* Where the operations of each worker begin; they are sorted. */
static void index_workers(graph *g) {
    int workers = g->all->replicas * g->all->stages, at = 0;
    g->workers = clg_take(g->scratch, (size_t)workers, worker);
    for (int w = 0; w < workers; w++)
        for (int k = 0; k <= CLG_STAGE_KINDS; k++) {
            g->workers[w].first[k] = at;
            while (k < CLG_STAGE_KINDS && at < g->count &&
                   g->op[at].replica * g->all->stages + g->op[at].stage == w && g->op[at].kind == k)
                at++;
        }
}

/* Kahn's order; false when operations wait for each other. */
static bool sort_graph(graph *g) {
    clg_arena *a = g->scratch;
    size_t count = (size_t)g->count;
    int *first = clg_take(a, count + 2, int), *later = clg_take(a, count * MOST_BEFORE + 1, int);
    int *missing = clg_take(a, count + 1, int), sorted = 0, ready = 0;
    for (int i = 0; i < g->count; i++)
        for (int k = 0; k < g->nodes[i].befores; k++) first[g->nodes[i].before[k] + 2]++;
    for (size_t i = 1; i <= count; i++) first[i + 1] += first[i];
    for (int i = 0; i < g->count; i++)
        for (int k = 0; k < g->nodes[i].befores; k++) later[first[g->nodes[i].before[k] + 1]++] = i;
    g->order = clg_take(a, count + 1, int);
    for (int i = 0; i < g->count; i++) {
        missing[i] = g->nodes[i].befores;
        if (missing[i] == 0) g->order[ready++] = i;
    }
    while (sorted < ready) {
        int at = g->order[sorted++], number = g->nodes[at].party;
        int done = number < 0 ? at : -1;
        if (number >= 0 && ++g->parties[number].arrived == g->parties[number].members)
            done = g->parties[number].newest;
        for (; done >= 0; done = g->nodes[done].next_of_party) {
            for (int i = first[done]; i < first[done + 1]; i++)
                if (--missing[later[i]] == 0) g->order[ready++] = later[i];
            if (number < 0) break;
        }
    }
    return sorted == g->count;
}

static bool build(graph *g) {
    index_workers(g);
    g->nodes = clg_take(g->scratch, (size_t)g->count + 1, node);
    g->parties = clg_take(g->scratch, (size_t)g->count + 1, party);
    g->end_ns = clg_take(g->scratch, (size_t)g->count + 1, int64_t);
    pass *room = clg_take(g->scratch, (size_t)g->count + 1, pass);
    bool overlapped = false;
    for (int i = 0; i < g->count; i++) {
        g->nodes[i].party = g->nodes[i].next_of_party = -1;
        overlapped = overlapped || g->op[i].kind == CLG_STAGE_REDUCE_SEPARATE;
    }
    for (int w = 0; w < g->all->replicas * g->all->stages; w++)
        add_worker(g, &g->workers[w], room, overlapped);
    add_parties(g);
    return sort_graph(g);
}

/* ---- one replay ---- */

static bool chosen(const clg_stage_op *op, const variant *v) {
    return v->replica != -2 && (v->replica < 0 || op->replica == v->replica) &&
           (v->stage < 0 || op->stage == v->stage) && (v->kind < 0 || op->kind == v->kind);
}

static int64_t duration(const graph *g, int at, const variant *v, const int64_t *even_ns) {
    const clg_stage_op *op = &g->op[at];
    return chosen(op, v) == v->even_chosen ? even_ns[op->kind] : op->duration_ns;
}

static int64_t start_of(const graph *g, int at) {
    int64_t start_ns = 0;
    for (int k = 0; k < g->nodes[at].befores; k++)
        if (g->end_ns[g->nodes[at].before[k]] > start_ns)
            start_ns = g->end_ns[g->nodes[at].before[k]];
    return start_ns;
}

static int64_t replay(graph *g, variant v, const int64_t *even_ns) {
    int64_t end_ns = 0;
    for (int i = 0; i < g->party_count; i++) g->parties[i].arrived = 0;
    for (int i = 0; i < g->count; i++) {
        int at = g->order[i];
        node *n = &g->nodes[at];
        int64_t start_ns = start_of(g, at);
        if (n->party < 0)
            g->end_ns[at] = start_ns + duration(g, at, &v, even_ns);
        else {
            party *p = &g->parties[n->party];
            if (p->arrived++ == 0 || start_ns > p->latest_ns) p->latest_ns = start_ns;
            for (int k = p->arrived == p->members ? p->newest : -1; k >= 0;
                 k = g->nodes[k].next_of_party)
                g->end_ns[k] = p->latest_ns + duration(g, k, &v, even_ns);
        }
    }
    for (int i = 0; i < g->count; i++)
        if (g->end_ns[i] > end_ns) end_ns = g->end_ns[i];
    return end_ns;
}

/* ---- over all steps ---- */

static bool is_pass(int kind) {
    return kind == CLG_STAGE_FORWARD || kind == CLG_STAGE_BACKWARD || kind == CLG_STAGE_OPTIMIZER ||
           kind == CLG_STAGE_COLLECT;
}

/* Mean of what computes, median of what communicates (section 3.3 there). */
static void even_durations(clg_arena *scratch, const clg_stages *s, int64_t *even_ns) {
    int64_t *list = clg_take(scratch, s->count + 1, int64_t);
    for (int kind = 0; kind < CLG_STAGE_KINDS; kind++) {
        size_t count = 0;
        double sum = 0;
        for (size_t i = 0; i < s->count; i++)
            if (s->op[i].kind == kind) {
                sum += (double)s->op[i].duration_ns;
                list[count++] = s->op[i].duration_ns;
            }
        even_ns[kind] = 0;
        if (count == 0) continue;
        clg_sort_integers(list, count);
        int64_t middle = list[(count - 1) / 2];
        even_ns[kind] = is_pass(kind) ? (int64_t)(sum / (double)count + 0.5)
                                      : middle + (list[count / 2] - middle) / 2;
    }
}

static const variant nothing_even = {true, -2, -1, -1}, all_even = {true, -1, -1, -1};

static void add_step(graph *g, clg_stages *s, const int64_t *even_ns, const bool *kinds) {
    double scale = 1e-9 / s->steps;
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
    for (int i = 0; i < g->count; i++) {
        int64_t end_ns = g->op[i].start_ns + g->op[i].duration_ns;
        if (g->op[i].start_ns < first_ns) first_ns = g->op[i].start_ns;
        if (end_ns > last_ns) last_ns = end_ns;
    }
    s->recorded_s += (double)(last_ns - first_ns) * scale;
    s->prompt_s += (double)replay(g, nothing_even, even_ns) * scale;
    s->even_s += (double)replay(g, all_even, even_ns) * scale;
    for (int i = 0; s->replica_s && i < s->replicas; i++)
        s->replica_s[i] += (double)replay(g, (variant){false, i, -1, -1}, even_ns) * scale;
    for (int i = 0; i < s->stages; i++) {
        s->stage_s[i] += (double)replay(g, (variant){false, -1, i, -1}, even_ns) * scale;
        s->without_stage_s[i] += (double)replay(g, (variant){true, -1, i, -1}, even_ns) * scale;
    }
    for (int i = 0; i < CLG_STAGE_KINDS; i++)
        if (kinds[i])
            s->kind_s[i] += (double)replay(g, (variant){false, -1, -1, i}, even_ns) * scale;
}

static int largest(const double *list, int count) {
    int at = 0;
    for (int i = 1; i < count; i++)
        if (list[i] > list[at]) at = i;
    return at;
}

/* Steps of a file one after another; `worst` for the second round. */
static bool each_step(clg_arena *scratch, clg_stages *s, const int64_t *even_ns, const bool *kinds,
                      bool worst) {
    for (size_t at = 0, next; at < s->count; at = next) {
        clg_arena_mark mark = clg_arena_here(scratch);
        for (next = at; next < s->count && s->op[next].step == s->op[at].step;) next++;
        graph g = {.scratch = scratch, .all = s, .op = s->op + at, .count = (int)(next - at)};
        if (!build(&g)) return false;
        variant repaired = {true, s->worst_replica, s->worst_stage, -1};
        if (worst)
            s->without_worst_s += (double)replay(&g, repaired, even_ns) * 1e-9 / s->steps;
        else
            add_step(&g, s, even_ns, kinds);
        clg_arena_back_to(scratch, mark);
    }
    return true;
}

static void measure_shape(clg_stages *s, bool *kinds) {
    for (size_t i = 0; i < s->count; i++) {
        const clg_stage_op *op = &s->op[i];
        if (op->replica >= s->replicas) s->replicas = op->replica + 1;
        if (op->stage >= s->stages) s->stages = op->stage + 1;
        s->steps += i == 0 || op->step != s->op[i - 1].step;
        kinds[op->kind] = true;
    }
}

void clg_stages_replay(clg_arena *arena, clg_stages *s) {
    bool kinds[CLG_STAGE_KINDS] = {0};
    int64_t even_ns[CLG_STAGE_KINDS];
    measure_shape(s, kinds);
    if (s->unknown) return;
    size_t workers = (size_t)s->replicas * (size_t)s->stages;
    if (s->count > CLG_STAGES_MOST) s->unknown = "more than 4 million operations";
    if (workers * (size_t)s->steps > s->count) s->unknown = "workers without operations";
    if (s->unknown) return;
    if (s->count * (size_t)s->replicas <= MOST_REPLAYED)
        s->replica_s = clg_take(arena, (size_t)s->replicas, double);
    s->stage_s = clg_take(arena, (size_t)s->stages, double);
    s->without_stage_s = clg_take(arena, (size_t)s->stages, double);
    clg_arena scratch = {0};
    even_durations(&scratch, s, even_ns);
    if (each_step(&scratch, s, even_ns, kinds, false)) {
        s->worst_replica = s->replica_s ? largest(s->replica_s, s->replicas) : -1;
        s->worst_stage = largest(s->stage_s, s->stages);
        each_step(&scratch, s, even_ns, kinds, true);
    } else
        s->unknown = "operations wait for each other";
    clg_arena_clear(&scratch);
}
