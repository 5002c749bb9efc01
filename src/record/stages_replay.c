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
#include "record/stages_graph.h"

#include "base/quantile.h"

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

static const size_t MOST_REPLAYED = (size_t)1 << 31; /* operations, one replica after another */

/* Which durations are those of a job without stragglers. */
typedef struct variant {
    bool even_chosen;         /* those of the chosen operations, else those of all others */
    int replica, stage, kind; /* chosen; -1: any; replica -2: none is */
} variant;

/* ---- one replay ---- */

static bool chosen(const clg_stage_op *op, const variant *v) {
    return v->replica != -2 && (v->replica < 0 || op->replica == v->replica) &&
           (v->stage < 0 || op->stage == v->stage) && (v->kind < 0 || op->kind == v->kind);
}

static int64_t duration(const clg_stage_graph *g, int at, const variant *v,
                        const int64_t *even_ns) {
    const clg_stage_op *op = &g->op[at];
    return chosen(op, v) == v->even_chosen ? even_ns[op->kind] : op->duration_ns;
}

static int64_t start_of(const clg_stage_graph *g, int at) {
    int64_t start_ns = 0;
    for (int k = 0; k < g->nodes[at].befores; k++)
        if (g->end_ns[g->nodes[at].before[k]] > start_ns)
            start_ns = g->end_ns[g->nodes[at].before[k]];
    return start_ns;
}

static int64_t replay(clg_stage_graph *g, variant v, const int64_t *even_ns) {
    int64_t end_ns = 0;
    for (int i = 0; i < g->party_count; i++) g->parties[i].arrived = 0;
    for (int i = 0; i < g->count; i++) {
        int at = g->order[i];
        clg_stage_node *n = &g->nodes[at];
        int64_t start_ns = start_of(g, at);
        if (n->party < 0)
            g->end_ns[at] = start_ns + duration(g, at, &v, even_ns);
        else {
            clg_stage_party *p = &g->parties[n->party];
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

static void add_step(clg_stage_graph *g, clg_stages *s, const int64_t *even_ns, const bool *kinds) {
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
        clg_stage_graph g = {
            .scratch = scratch, .all = s, .op = s->op + at, .count = (int)(next - at)};
        if (!clg_stage_graph_build(&g)) return false;
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
    uint64_t count = s->count, replicas = (uint64_t)s->replicas; /* products run over 32 bits */
    if (count > CLG_STAGES_MOST)
        s->unknown = "more than 4 million operations";
    else if (replicas * (uint64_t)s->stages * (uint64_t)s->steps > count)
        s->unknown = "workers without operations";
    if (s->unknown) return;
    if (count * replicas <= MOST_REPLAYED)
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
