/* greedy.c -- orders for schedules that are defined by a rule rather than a formula.
 *
 * Time advances in units; in each unit every stage takes the best ready slot. O(total slots) units
 * times stages. Ties: deeper chunk first (it frees memory sooner), then lower micro-batch. */
#include "schedule/list.h"

#include <stddef.h>

typedef struct greedy {
    const clg_schedule *schedule;
    clg_pipeline p;
    bool two_way;
    int chunks; /* slot chunks of a stage: pipeline chunks, or 2 directions */
    int depths, most_alive;
    int *forward_at, *input_at; /* [depth * m + micro-batch] unit it ended, 0: not yet */
    int *next_forward, *next_input, *next_weight; /* [stage * chunks + chunk] */
    int *alive;                                   /* [stage] */
} greedy;

/* The i-th micro-batch a chunk sees: in two-way pipelines only every other one. */
static int micro_batch_of(const greedy *g, int chunk, int i) {
    return g->two_way ? 2 * i + chunk : i;
}

static int count_of(const greedy *g, int chunk) {
    if (!g->two_way) return g->p.micro_batches;
    return (g->p.micro_batches + 1 - chunk) / 2;
}

static bool forward_ready(const greedy *g, int stage, int chunk, int now) {
    int i = g->next_forward[stage * g->chunks + chunk];
    if (i >= count_of(g, chunk) || g->alive[stage] >= g->most_alive) return false;
    int depth = g->schedule->depth(g->p, stage, chunk), mb = micro_batch_of(g, chunk, i);
    if (depth == 0) return true;
    int before = g->forward_at[(depth - 1) * g->p.micro_batches + mb];
    return before > 0 && before <= now;
}

static bool input_ready(const greedy *g, int stage, int chunk, int now) {
    int i = g->next_input[stage * g->chunks + chunk];
    if (i >= count_of(g, chunk)) return false;
    int depth = g->schedule->depth(g->p, stage, chunk), mb = micro_batch_of(g, chunk, i);
    int own = g->forward_at[depth * g->p.micro_batches + mb];
    if (own == 0 || own > now) return false;
    if (depth == g->depths - 1) return true;
    int after = g->input_at[(depth + 1) * g->p.micro_batches + mb];
    return after > 0 && after <= now;
}

static bool weight_ready(const greedy *g, int stage, int chunk) {
    int at = stage * g->chunks + chunk;
    return g->next_weight[at] < g->next_input[at];
}

/* Deepest ready chunk, or -1. */
static int best(const greedy *g, int stage, int now,
                bool (*ready)(const greedy *g, int stage, int chunk, int now)) {
    int chosen = -1, deepest = -1;
    for (int chunk = 0; chunk < g->chunks; chunk++) {
        int depth = g->schedule->depth(g->p, stage, chunk);
        if (ready(g, stage, chunk, now) && depth > deepest) {
            deepest = depth;
            chosen = chunk;
        }
    }
    return chosen;
}

static void take(greedy *g, int stage, int chunk, clg_slot_kind kind, int now, clg_slots *out) {
    int at = stage * g->chunks + chunk, depth = g->schedule->depth(g->p, stage, chunk);
    int *next = kind == CLG_SLOT_FORWARD          ? g->next_forward
                : kind == CLG_SLOT_BACKWARD_INPUT ? g->next_input
                                                  : g->next_weight;
    int mb = micro_batch_of(g, chunk, next[at]++), cell = depth * g->p.micro_batches + mb;
    if (kind == CLG_SLOT_FORWARD) {
        g->forward_at[cell] = now + 1;
        g->alive[stage]++;
    } else if (kind == CLG_SLOT_BACKWARD_INPUT) {
        g->input_at[cell] = now + 1;
    } else {
        g->alive[stage]--;
    }
    clg_slots_add(out, kind, chunk, mb);
}

static void advance(greedy *g, int stage, int now, clg_slots *out) {
    int chunk = best(g, stage, now, input_ready);
    if (chunk >= 0) {
        take(g, stage, chunk, CLG_SLOT_BACKWARD_INPUT, now, out);
        return;
    }
    chunk = best(g, stage, now, forward_ready);
    if (chunk >= 0) {
        take(g, stage, chunk, CLG_SLOT_FORWARD, now, out);
        return;
    }
    for (chunk = g->chunks - 1; chunk >= 0; chunk--)
        if (weight_ready(g, stage, chunk)) {
            take(g, stage, chunk, CLG_SLOT_BACKWARD_WEIGHT, now, out);
            return;
        }
}

void clg_slots_greedy(clg_arena *arena, const clg_schedule *schedule, clg_pipeline p, bool two_way,
                      int most_alive, clg_slots *stages) {
    greedy g = {.schedule = schedule, .p = p, .two_way = two_way, .most_alive = most_alive};
    g.chunks = two_way ? 2 : p.chunks;
    g.depths = p.stages * p.chunks;
    size_t cells = (size_t)g.depths * (size_t)p.micro_batches;
    size_t lanes = (size_t)p.stages * (size_t)g.chunks;
    g.forward_at = clg_take(arena, cells, int);
    g.input_at = clg_take(arena, cells, int);
    g.next_forward = clg_take(arena, lanes, int);
    g.next_input = clg_take(arena, lanes, int);
    g.next_weight = clg_take(arena, lanes, int);
    g.alive = clg_take(arena, (size_t)p.stages, int);
    int each = 3 * p.micro_batches * p.chunks, left = p.stages * each;
    for (int i = 0; i < p.stages; i++) stages[i] = clg_slots_begin(arena, each);
    for (int now = 1; left > 0; now++)
        for (int i = 0; i < p.stages; i++) {
            int before = stages[i].count;
            advance(&g, i, now, &stages[i]);
            left -= stages[i].count - before;
        }
}
