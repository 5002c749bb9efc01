/* search.c -- walks the whole space twice: once for bounds, once for prices.
 *
 * Layouts that share everything but dp, pp, vpp, schedule and zero share their priced blocks, which
 * are made once. The first walk bounds every layout and prices the most promising one of each
 * block set, so that the second walk, which prices whatever its bound does not rule out, starts
 * with a good plan in hand. Both bounds are lower bounds of what clg_compose returns, so no layout
 * that is cut can be among the best. */
#include "search/search.h"

#include "evaluate/compose.h"
#include "schedule/schedule.h"
#include "search/walk.h"

#include <math.h>
#include <string.h>

const clg_name clg_cut_names[] = {
    {"memory_bound", CLG_CUT_MEMORY, "even a lower bound of its memory is above capacity"},
    {"time_bound", CLG_CUT_TIME, "even a lower bound of its step is above the plans kept"},
    {"does_not_fit", CLG_CUT_NO_FIT, "priced, and does not fit"},
    {NULL, 0, NULL}};

typedef struct searcher {
    clg_arena *arena;
    const clg_scenario *scenario;
    const clg_space *space;
    clg_found *found;
    clg_error *error;
    clg_arena scratch;
    /* Block sets of the current degrees: schedule and accumulation change fastest and switch
     * between four of them. */
    struct {
        clg_priced blocks;
        clg_layout of;
        bool valid;
    } * priced;
    double capacity_bytes;
    double least_missing_bytes;
    clg_progress progress;
    bool first_walk;
    double promising_s; /* first walk: lowest bound in this block set, and its layout */
    clg_layout promising;
    bool has_promising;
} searcher;

/* Deterministic order: faster first, then the simpler layout. */
static bool simpler(const clg_layout *a, const clg_layout *b) {
    const int rows[][2] = {{a->tp, b->tp},
                           {a->pp, b->pp},
                           {a->cp, b->cp},
                           {(int)a->cp_kind, (int)b->cp_kind},
                           {a->ep, b->ep},
                           {a->zero, b->zero},
                           {(int)a->recompute, (int)b->recompute},
                           {-a->micro_batch, -b->micro_batch},
                           {a->vpp, b->vpp},
                           {(int)a->schedule, (int)b->schedule},
                           {a->etp, b->etp},
                           {a->hsdp, b->hsdp},
                           {b->sp, a->sp},
                           {a->attention, b->attention}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i][0] != rows[i][1]) return rows[i][0] < rows[i][1];
    return false;
}

static bool same(const clg_layout *a, const clg_layout *b) {
    return !simpler(a, b) && !simpler(b, a);
}

static bool better(const clg_evaluation *a, const clg_evaluation *b) {
    if (a->step_s != b->step_s) return a->step_s < b->step_s;
    return simpler(&a->layout, &b->layout);
}

/* Inserts into the sorted list of the best; the last one falls out. */
static void keep(searcher *s, const clg_evaluation *e) {
    clg_found *f = s->found;
    for (int i = 0; i < f->count; i++)
        if (same(&f->best[i].layout, &e->layout)) return;
    int at = f->count;
    while (at > 0 && better(e, &f->best[at - 1])) at--;
    if (at >= s->space->keep) return;
    int last = f->count < s->space->keep ? f->count++ : f->count - 1;
    for (int i = last; i > at; i--) f->best[i] = f->best[i - 1];
    f->best[at] = *e;
}

static clg_priced *price(searcher *s, const clg_layout *layout) {
    int slot = (layout->schedule == CLG_DUALPIPE ? 2 : 0) + (layout->accumulation > 1);
    if (!s->priced[slot].valid || !clg_priced_same(layout, &s->priced[slot].of)) {
        clg_price_blocks(s->scenario, layout, &s->priced[slot].blocks);
        s->priced[slot].of = *layout;
        s->priced[slot].valid = true;
    }
    return &s->priced[slot].blocks;
}

static double threshold_s(const searcher *s) {
    const clg_found *f = s->found;
    if (s->space->exhaustive || f->count < s->space->keep) return INFINITY;
    return f->best[f->count - 1].step_s;
}

static void note_nearest(searcher *s, const clg_evaluation *e) {
    double missing = e->memory.total_bytes - e->capacity_bytes;
    if (s->found->has_nearest && missing >= s->least_missing_bytes) return;
    s->least_missing_bytes = missing;
    s->found->nearest = *e;
    s->found->has_nearest = true;
}

static bool evaluate(searcher *s, const clg_layout *layout) {
    clg_evaluation e;
    clg_arena_mark mark = clg_arena_here(&s->scratch);
    clg_priced *priced = price(s, layout);
    double cutoff_s = threshold_s(s);
    clg_wanted wanted = {.cutoff_s = isinf(cutoff_s) ? 0 : cutoff_s, .skip_misfits = true};
    clg_status status = clg_compose(&s->scratch, s->scenario, layout, priced, wanted, &e, s->error);
    clg_arena_back_to(&s->scratch, mark);
    if (status != CLG_OK) return false;
    if (wanted.cutoff_s > 0 && !e.fits && e.memory.total_bytes <= 0) {
        s->found->cut[CLG_CUT_TIME]++;
        return true;
    }
    s->found->priced++;
    if (e.memory.total_bytes <= s->capacity_bytes) {
        keep(s, &e);
    } else {
        s->found->cut[CLG_CUT_NO_FIT]++;
        note_nearest(s, &e);
    }
    return true;
}

/* Both bounds; true when the layout survives. Counts cuts on the second walk only. */
static bool survives(searcher *s, const clg_layout *layout, double *bound_s) {
    *bound_s = 0;
    if (s->space->exhaustive) return true;
    double bytes = clg_compose_bound_bytes(s->scenario, layout, price(s, layout));
    if (bytes > s->capacity_bytes) {
        if (!s->first_walk) s->found->cut[CLG_CUT_MEMORY]++;
        return false;
    }
    *bound_s = clg_compose_bound_s(s->scenario, layout, price(s, layout));
    if (*bound_s > threshold_s(s)) {
        if (!s->first_walk) s->found->cut[CLG_CUT_TIME]++;
        return false;
    }
    return true;
}

/* A new block set begins: the last one's most promising layout is priced. */
static void finish_set(searcher *s) {
    if (s->has_promising) evaluate(s, &s->promising);
    s->has_promising = false;
}

/* Degrees that the outer loops of the walk set. */
static bool same_degrees(const clg_layout *a, const clg_layout *b) {
    return a->tp == b->tp && a->sp == b->sp && a->cp == b->cp && a->ep == b->ep &&
           a->etp == b->etp && a->recompute == b->recompute && a->attention == b->attention &&
           a->micro_batch == b->micro_batch;
}

static bool first_visit(void *context, const clg_layout *layout) {
    searcher *s = context;
    double bound_s;
    s->found->layouts++;
    if (s->has_promising && !same_degrees(layout, &s->promising)) finish_set(s);
    if (!survives(s, layout, &bound_s)) return true;
    if (s->has_promising && bound_s >= s->promising_s) return true;
    s->promising = *layout;
    s->promising_s = bound_s;
    s->has_promising = true;
    return true;
}

static bool tell(searcher *s) {
    enum { EVERY = 1 << 14 };
    if (!s->progress.tell || s->found->bounded % EVERY != 0) return true;
    double all = s->found->layouts > 0 ? (double)s->found->layouts : 1;
    return s->progress.tell(s->progress.context, (double)s->found->bounded / all);
}

static bool second_visit(void *context, const clg_layout *layout) {
    searcher *s = context;
    double bound_s;
    if (!tell(s)) return false;
    if (survives(s, layout, &bound_s) && !evaluate(s, layout)) return false;
    s->found->bounded++;
    return true;
}

/* What was kept is priced once more in full: sends told from bubbles. */
static void finish_evaluations(searcher *s, clg_evaluation *kept, int count) {
    for (int i = 0; i < count; i++) {
        clg_arena_mark mark = clg_arena_here(&s->scratch);
        clg_compose(&s->scratch, s->scenario, &kept[i].layout, price(s, &kept[i].layout),
                    (clg_wanted){.detail = true}, &kept[i], s->error);
        kept[i].stages = NULL;
        kept[i].caveats = clg_evaluate_caveats(s->arena, s->scenario, &kept[i].layout);
        clg_arena_back_to(&s->scratch, mark);
    }
}

/* When every layout was cut by the memory bound, the nearest miss has to be looked for. */
typedef struct least_memory {
    searcher *s;
    double bytes;
    clg_layout layout;
    bool any;
} least_memory;

static bool least_memory_visit(void *context, const clg_layout *layout) {
    least_memory *least = context;
    double bytes = clg_compose_bound_bytes(least->s->scenario, layout, price(least->s, layout));
    if (least->any && bytes >= least->bytes) return true;
    least->bytes = bytes;
    least->layout = *layout;
    least->any = true;
    return true;
}

static void find_nearest(searcher *s) {
    least_memory least = {.s = s};
    clg_walk(s->scenario, s->space, least_memory_visit, &least);
    if (!least.any || !evaluate(s, &least.layout)) return;
    s->found->priced--; /* it was counted when the bound cut it */
    s->found->cut[CLG_CUT_NO_FIT]--;
}

clg_status clg_search(clg_arena *arena, const clg_scenario *scenario, const clg_space *space,
                      clg_progress progress, clg_found *found, clg_error *error) {
    clg_found f = {0};
    const char *why = clg_scenario_refuses(arena, scenario, space->precision);
    if (why) return clg_fail(error, CLG_BAD_INPUT, NULL, "%s", why);
    searcher s = {.arena = arena,
                  .scenario = scenario,
                  .space = space,
                  .found = &f,
                  .error = error,
                  .progress = progress};
    f.best = clg_take(arena, (size_t)space->keep, clg_evaluation);
    s.priced = clg_arena_take(arena, 4, sizeof *s.priced);
    s.capacity_bytes = scenario->machine.gpu.memory_usable_bytes - scenario->stack.context_bytes;
    if (space->memory_bytes > 0 && space->memory_bytes < s.capacity_bytes)
        s.capacity_bytes = space->memory_bytes;
    s.first_walk = true;
    clg_walk(scenario, space, first_visit, &s);
    finish_set(&s);
    s.first_walk = false;
    f.priced = 0;
    memset(f.cut, 0, sizeof f.cut);
    if (f.layouts == 0) {
        why = clg_walk_refused(arena, scenario, space);
        clg_arena_clear(&s.scratch);
        return clg_fail(error, CLG_BAD_INPUT, NULL, "no layout is legal: %s", why);
    }
    f.complete = clg_walk(scenario, space, second_visit, &s);
    if (f.count == 0 && !f.has_nearest && f.complete) find_nearest(&s);
    finish_evaluations(&s, f.best, f.count);
    finish_evaluations(&s, &f.nearest, f.has_nearest);
    clg_arena_clear(&s.scratch);
    if (error->status != CLG_OK) return error->status;
    *found = f;
    return CLG_OK;
}

void clg_search_front(clg_arena *arena, const clg_scenario *scenario, const clg_space *space,
                      int most, clg_found *found) {
    clg_space tighter = *space;
    clg_found next = *found;
    tighter.keep = 1;
    found->front = clg_take(arena, (size_t)most, clg_evaluation);
    found->front_count = 0;
    while (next.count > 0) {
        clg_error error = {0};
        found->front[found->front_count++] = next.best[0];
        tighter.memory_bytes = 0.9 * next.best[0].memory.total_bytes;
        if (found->front_count == most) return;
        if (clg_search(arena, scenario, &tighter, (clg_progress){0}, &next, &error) != CLG_OK)
            return;
    }
}
