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

#include <limits.h>
#include <math.h>
#include <string.h>

const clg_name clg_cut_names[] = {
    {"memory_bound", CLG_CUT_MEMORY, "even a lower bound of its memory is above capacity"},
    {"time_bound", CLG_CUT_TIME, "even a lower bound of its step is above the plans kept"},
    {"does_not_fit", CLG_CUT_NO_FIT, "priced, and does not fit"},
    {"recomputes_more", CLG_CUT_LAZIER, "recomputes more layers than a plan that fits, or is cut"},
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
    int64_t next_tell;  /* layouts decided by then */
    double promising_s; /* first walk: lowest bound in this block set, and its layout */
    clg_layout promising;
    bool has_promising;
} searcher;

/* Layers of a chunk that are recomputed: 0 in a layout means all. */
static int redone(const clg_layout *l) {
    return l->recompute_layers > 0 ? l->recompute_layers : INT_MAX;
}

/* Deterministic order: faster first, then the simpler layout. */
static bool simpler_but_for_layers(const clg_layout *a, const clg_layout *b) {
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

/* The same but for how many layers are recomputed, if any are. */
static bool same_but_for_layers(const clg_layout *a, const clg_layout *b) {
    return !simpler_but_for_layers(a, b) && !simpler_but_for_layers(b, a);
}

static bool simpler(const clg_layout *a, const clg_layout *b) {
    return same_but_for_layers(a, b) ? redone(a) < redone(b) : simpler_but_for_layers(a, b);
}

static bool better(const clg_evaluation *a, const clg_evaluation *b) {
    if (a->step_s != b->step_s) return a->step_s < b->step_s;
    return simpler(&a->layout, &b->layout);
}

static void take_out(clg_found *f, int at) {
    f->count--;
    for (int i = at; i < f->count; i++) f->best[i] = f->best[i + 1];
}

/* Inserts into the sorted list of the best; the last one falls out. */
static void keep(searcher *s, const clg_evaluation *e) {
    clg_found *f = s->found;
    for (int i = 0; i < f->count; i++) {
        if (!same_but_for_layers(&f->best[i].layout, &e->layout)) continue;
        if (!better(e, &f->best[i])) return;
        take_out(f, i);
        break;
    }
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

/* What became of a layout. Recomputing more of its layers mends TOO_LARGE, and nothing else. */
typedef enum verdict { TOO_LARGE, TOO_SLOW, KEPT, FAILED } verdict;

static verdict evaluate(searcher *s, const clg_layout *layout) {
    clg_evaluation e;
    clg_arena_mark mark = clg_arena_here(&s->scratch);
    clg_priced *priced = price(s, layout);
    double cutoff_s = threshold_s(s);
    clg_wanted wanted = {.cutoff_s = isinf(cutoff_s) ? 0 : cutoff_s, .skip_misfits = true};
    clg_status status = clg_compose(&s->scratch, s->scenario, layout, priced, wanted, &e, s->error);
    clg_arena_back_to(&s->scratch, mark);
    if (status != CLG_OK) return FAILED;
    if (wanted.cutoff_s > 0 && !e.fits && e.memory.total_bytes <= 0) {
        s->found->cut[CLG_CUT_TIME]++;
        return TOO_SLOW;
    }
    s->found->priced++;
    if (e.memory.total_bytes <= s->capacity_bytes) {
        keep(s, &e);
        return KEPT;
    }
    s->found->cut[CLG_CUT_NO_FIT]++;
    note_nearest(s, &e);
    return TOO_LARGE;
}

static bool may_fit(searcher *s, const clg_layout *layout) {
    return s->space->exhaustive ||
           clg_compose_bound_bytes(s->scenario, layout, price(s, layout)) <= s->capacity_bytes;
}

static double bound_s(searcher *s, const clg_layout *layout) {
    return s->space->exhaustive ? 0 : clg_compose_bound_s(s->scenario, layout, price(s, layout));
}

/* The one of `layers` layouts that recomputes n layers of a chunk, 1..layers. */
static clg_layout with_layers(const clg_layout *layout, int n, int layers) {
    clg_layout each = *layout;
    if (n < layers) each.recompute_layers = n;
    return each;
}

/* The fewest layers to recompute for the memory bound to pass: it falls with their number.
 * layers + 1: not even all of them. */
static int fewest_layers(searcher *s, const clg_layout *layout, int layers) {
    int low = 1, high = layers + 1;
    while (low < high) {
        int n = (low + high) / 2;
        clg_layout each = with_layers(layout, n, layers);
        if (may_fit(s, &each))
            high = n;
        else
            low = n + 1;
    }
    return low;
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

static bool first_visit(void *context, const clg_layout *layout, int layers) {
    searcher *s = context;
    s->found->layouts += layers;
    if (s->has_promising && !same_degrees(layout, &s->promising)) finish_set(s);
    int fewest = fewest_layers(s, layout, layers);
    if (fewest > layers) return true;
    clg_layout first = with_layers(layout, fewest, layers);
    double bound = bound_s(s, &first);
    if (bound > threshold_s(s) || (s->has_promising && bound >= s->promising_s)) return true;
    s->promising = first;
    s->promising_s = bound;
    s->has_promising = true;
    return true;
}

static bool tell(searcher *s) {
    enum { EVERY = 1 << 14 };
    if (!s->progress.tell || s->found->bounded < s->next_tell) return true;
    s->next_tell = s->found->bounded + EVERY;
    double all = s->found->layouts > 0 ? (double)s->found->layouts : 1;
    return s->progress.tell(s->progress.context, (double)s->found->bounded / all);
}

static verdict decide(searcher *s, const clg_layout *layout) {
    if (bound_s(s, layout) <= threshold_s(s)) return evaluate(s, layout);
    s->found->cut[CLG_CUT_TIME]++;
    return TOO_SLOW;
}

/* Recomputing more is slower and smaller: what comes after a plan that fits, or is too slow, cannot
 * be better. */
static bool second_visit(void *context, const clg_layout *layout, int layers) {
    searcher *s = context;
    if (!tell(s)) return false;
    int n = fewest_layers(s, layout, layers);
    verdict so_far = TOO_LARGE;
    s->found->cut[CLG_CUT_MEMORY] += n - 1;
    for (; n <= layers && (so_far == TOO_LARGE || s->space->exhaustive); n++) {
        clg_layout each = with_layers(layout, n, layers);
        so_far = decide(s, &each);
        if (so_far == FAILED) return false;
    }
    s->found->cut[CLG_CUT_LAZIER] += layers + 1 - n;
    s->found->bounded += layers;
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

static bool least_memory_visit(void *context, const clg_layout *layout, int layers) {
    least_memory *least = context;
    (void)layers; /* recomputing all takes least */
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
    if (!least.any || evaluate(s, &least.layout) == FAILED) return;
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
    clg_walk(scenario, space, first_visit, &s);
    finish_set(&s);

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
