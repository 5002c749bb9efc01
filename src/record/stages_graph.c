/* stages_graph.c -- what waits for what in one step: stages_replay.c says it in words. */
#include "record/stages_graph.h"

#include <stdlib.h>

static clg_stage_worker *worker_at(const clg_stage_graph *g, int replica, int stage) {
    return &g->workers[replica * g->all->stages + stage];
}

static int count_of(const clg_stage_worker *w, int kind) {
    return w->first[kind + 1] - w->first[kind];
}

static void wait_for(clg_stage_graph *g, int later, int earlier) {
    clg_stage_node *n = &g->nodes[later];
    if (n->befores < CLG_STAGE_MOST_BEFORE) n->before[n->befores++] = earlier;
}

static int new_party(clg_stage_graph *g) {
    g->parties[g->party_count] = (clg_stage_party){.newest = -1};
    return g->party_count++;
}

static void join(clg_stage_graph *g, int at, int number) {
    g->nodes[at].party = number;
    g->nodes[at].next_of_party = g->parties[number].newest;
    g->parties[number].newest = at;
    g->parties[number].members++;
}

static void chain_kind(clg_stage_graph *g, const clg_stage_worker *w, int kind) {
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

static int passes_of(clg_stage_graph *g, const clg_stage_worker *w, pass *out) {
    int count = 0;
    for (int i = w->first[CLG_STAGE_FORWARD]; i < w->first[CLG_STAGE_BACKWARD + 1]; i++)
        out[count++] = (pass){g->op[i].start_ns, g->op[i].start_ns + g->op[i].duration_ns, i};
    if (count) qsort(out, (size_t)count, sizeof *out, by_start);
    for (int i = 1; i < count; i++) wait_for(g, out[i].at, out[i - 1].at);
    return count;
}

/* Sends and receives of one direction beside its passes. */
static void add_transfers(clg_stage_graph *g, const clg_stage_worker *w, int pass_kind, int send,
                          int receive) {
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

static void add_first_backward(clg_stage_graph *g, const clg_stage_worker *w, const pass *passes,
                               int count) {
    int at = 0;
    while (at < count && g->op[passes[at].at].kind != CLG_STAGE_BACKWARD) at++;
    if (at < 2 || at == count) return;
    static const int kinds[] = {CLG_STAGE_BACKWARD_SEND, CLG_STAGE_BACKWARD_RECEIVE};
    for (int i = 0; i < 2; i++)
        if (count_of(w, kinds[i])) wait_for(g, w->first[kinds[i]], passes[at - 2].at);
}

/* What follows the passes, each after the one before. */
static void add_tail(clg_stage_graph *g, const clg_stage_worker *w, const pass *passes, int count,
                     bool overlapped) {
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

static void add_worker(clg_stage_graph *g, const clg_stage_worker *w, pass *room, bool overlapped) {
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
static void synchronize(clg_stage_graph *g, clg_stage_worker *const *list, const int *kinds,
                        int count) {
    int most = 0;
    for (int i = 0; i < count; i++)
        if (count_of(list[i], kinds[i]) > most) most = count_of(list[i], kinds[i]);
    for (int n = 0; n < most; n++) {
        int number = new_party(g);
        for (int i = 0; i < count; i++)
            if (n < count_of(list[i], kinds[i])) join(g, list[i]->first[kinds[i]] + n, number);
    }
}

static void synchronize_replicas(clg_stage_graph *g, int stage, int kind) {
    clg_arena_mark mark = clg_arena_here(g->scratch);
    int count = g->all->replicas;
    clg_stage_worker **list = clg_take(g->scratch, (size_t)count, clg_stage_worker *);
    int *kinds = clg_take(g->scratch, (size_t)count, int);
    for (int i = 0; i < count; i++) {
        list[i] = worker_at(g, i, stage);
        kinds[i] = kind;
    }
    synchronize(g, list, kinds, count);
    clg_arena_back_to(g->scratch, mark);
}

static void add_neighbours(clg_stage_graph *g, int replica, int stage) {
    clg_stage_worker *pair[] = {worker_at(g, replica, stage), worker_at(g, replica, stage + 1)};
    synchronize(g, pair, (const int[]){CLG_STAGE_FORWARD_SEND, CLG_STAGE_FORWARD_RECEIVE}, 2);
    synchronize(g, pair, (const int[]){CLG_STAGE_BACKWARD_RECEIVE, CLG_STAGE_BACKWARD_SEND}, 2);
}

static void add_clip(clg_stage_graph *g) {
    clg_arena_mark mark = clg_arena_here(g->scratch);
    int count = g->all->replicas * g->all->stages;
    clg_stage_worker **list = clg_take(g->scratch, (size_t)count, clg_stage_worker *);
    int *kinds = clg_take(g->scratch, (size_t)count, int);
    for (int i = 0; i < count; i++) {
        list[i] = &g->workers[i];
        kinds[i] = CLG_STAGE_CLIP;
    }
    synchronize(g, list, kinds, count);
    clg_arena_back_to(g->scratch, mark);
}

static void add_parties(clg_stage_graph *g) {
    static const int of_replicas[] = {CLG_STAGE_GATHER_PARAMETERS, CLG_STAGE_REDUCE_GRADIENTS,
                                      CLG_STAGE_REDUCE_SEPARATE};
    int last = g->all->stages - 1;
    for (int s = 0; s <= last; s++)
        for (int i = 0; i < 3; i++) synchronize_replicas(g, s, of_replicas[i]);
    for (int r = 0; r < g->all->replicas; r++) {
        for (int s = 0; s < last; s++) add_neighbours(g, r, s);
        clg_stage_worker *ends[] = {worker_at(g, r, 0), worker_at(g, r, last)};
        const int kinds[] = {CLG_STAGE_REDUCE_EMBEDDINGS, CLG_STAGE_REDUCE_EMBEDDINGS};
        synchronize(g, ends, kinds, last > 0 ? 2 : 1);
    }
    add_clip(g);
}

/* Where the operations of each worker begin; they are sorted. */
static void index_workers(clg_stage_graph *g) {
    int workers = g->all->replicas * g->all->stages, at = 0;
    g->workers = clg_take(g->scratch, (size_t)workers, clg_stage_worker);
    for (int w = 0; w < workers; w++)
        for (int k = 0; k <= CLG_STAGE_KINDS; k++) {
            g->workers[w].first[k] = at;
            while (k < CLG_STAGE_KINDS && at < g->count &&
                   g->op[at].replica * g->all->stages + g->op[at].stage == w && g->op[at].kind == k)
                at++;
        }
}

/* Kahn's order; false when operations wait for each other. */
static bool sort_graph(clg_stage_graph *g) {
    clg_arena *a = g->scratch;
    size_t count = (size_t)g->count;
    int *first = clg_take(a, count + 2, int),
        *later = clg_take(a, count * CLG_STAGE_MOST_BEFORE + 1, int);
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

bool clg_stage_graph_build(clg_stage_graph *g) {
    index_workers(g);
    g->nodes = clg_take(g->scratch, (size_t)g->count + 1, clg_stage_node);
    g->parties = clg_take(g->scratch, (size_t)g->count + 1, clg_stage_party);
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
