/* search.c -- bounds every layout, prices what the bounds do not rule out.
 *
 * Layouts that share everything but dp, pp, vpp, schedule and zero share their priced blocks, which
 * are made once. A small part of the space is searched first: what is slower than its plans by what
 * a block set takes alone is not looked at further. The first walk bounds every layout and
 * remembers the bounds. Then the most promising layout of each block set is priced, the best bound
 * first, until a bound is above the plans kept: good plans are known now. The second walk prices
 * whatever is not ruled out. Bounds are lower bounds of what clg_compose returns, so no layout that
 * is cut can be among the best. */
#include "evaluate/interval.h"
#include "search/searcher.h"

#include <math.h>
#include <stdlib.h>

const clg_name clg_cut_names[] = {
    {"memory_bound", CLG_CUT_MEMORY,
     "even a lower bound of its memory is more than the risk allows"},
    {"time_bound", CLG_CUT_TIME, "even a lower bound of its step is above the plans kept"},
    {"does_not_fit", CLG_CUT_NO_FIT, "priced, and needs more memory than the risk allows"},
    {"recomputes_more", CLG_CUT_LAZIER, "recomputes more layers than a plan that fits, or is cut"},
    {"balanced_as_even", CLG_CUT_SAME, "no uneven split of its layers makes its stages shorter"},
    {NULL, 0, NULL}};

static void note_promising(clg_searcher *s, clg_promising found) {
    clg_promising *last = s->set_count > 0 ? &s->sets[s->set_count - 1] : NULL;
    if (!last || found.branch != last->branch)
        CLG_APPEND(&s->memory, s->sets, s->set_count, s->set_room, found);
    else if (found.seconds < last->seconds)
        *last = found;
}

/* Whether what their blocks take alone rules layouts out. With another limit of memory too, as long
 * as no slower plan is asked for. */
static bool rules_out(clg_searcher *s, const clg_layout *layout, int layers, clg_known_visit *k) {
    double threshold_s = clg_searcher_threshold_s(s);
    if (isinf(threshold_s)) return false;
    double seconds = clg_searcher_shared_s(s, layout);
    if (seconds <= threshold_s) return false;
    *k = (clg_known_visit){.seconds = seconds, .fewest = 1, .decided = true, .least = true};
    s->found->cut[CLG_CUT_TIME] += layers;
    s->found->bounded += layers;
    return true;
}

/* Bounds a visit; where even all layers recomputed are too large it is decided. */
static clg_known_visit bound(clg_searcher *s, const clg_layout *layout, int layers) {
    clg_known_visit k = clg_searcher_bound(s, layout, layers);
    if (k.fewest <= layers) return k;
    s->found->cut[CLG_CUT_MEMORY] += layers;
    s->found->bounded += layers;
    k.decided = true;
    return k;
}

static bool first_visit(void *context, const clg_layout *layout, int layers, bool balanced) {
    clg_searcher *s = context;
    int64_t index = s->index++;
    s->found->layouts += layers;
    if (s->space->exhaustive) return true;
    clg_known_visit *k = clg_searcher_known(s, index);
    if (!k) {
        clg_searcher_note_unknown(s);
        return true;
    }
    clg_layout placed;
    if (!rules_out(s, layout, layers, k)) {
        if (clg_searcher_place(s, layout, balanced, &placed))
            *k = bound(s, &placed, layers);
        else
            clg_searcher_same(s, layers, k);
    }
    clg_searcher_note_visit(s, k, layers);
    if (!k->decided)
        note_promising(
            s, (clg_promising){k->seconds, index, s->branch_count - 1, *layout, layers, balanced});
    return true;
}

static bool tell(clg_searcher *s) {
    enum { EVERY = 1 << 14 };
    if (!s->progress.tell || s->found->bounded < s->next_tell) return true;
    s->next_tell = s->found->bounded + EVERY;
    double all = s->found->layouts > 0 ? (double)s->found->layouts : 1;
    return s->progress.tell(s->progress.context, (double)s->found->bounded / all);
}

static int by_promise(const void *a, const void *b) {
    const clg_promising *x = a, *y = b;
    if (x->seconds != y->seconds) return x->seconds < y->seconds ? -1 : 1;
    return x->index < y->index ? -1 : 1; /* a total order: the same in every C library */
}

/* The best bound first, so that few are priced before the rest is ruled out. */
static bool decide_promising(clg_searcher *s) {
    if (s->set_count == 0) return true;
    qsort(s->sets, (size_t)s->set_count, sizeof *s->sets, by_promise);
    for (int64_t i = 0; i < s->set_count && s->sets[i].seconds <= clg_searcher_threshold_s(s);
         i++) {
        const clg_promising *set = &s->sets[i];
        clg_known_visit *k = clg_searcher_known(s, set->index);
        clg_layout placed;
        clg_searcher_take_visit(s, set->branch, k, set->layers);
        clg_searcher_place(s, &set->layout, set->balanced, &placed);
        if (!clg_searcher_decide(s, &placed, set->layers, k)) return false;
    }
    return true;
}

static bool second_visit(void *context, const clg_layout *layout, int layers, bool balanced) {
    clg_searcher *s = context;
    clg_known_visit unknown, *k = clg_searcher_known(s, s->index++);
    clg_layout placed;
    if (!tell(s)) return false;
    if (k && k->decided) return true;
    if (!clg_searcher_place(s, layout, balanced, &placed))
        return clg_searcher_same(s, layers, k ? k : &unknown);
    if (!k) {
        unknown = clg_searcher_bound(s, &placed, layers);
        k = &unknown;
    }
    return clg_searcher_decide(s, &placed, layers, k);
}

bool clg_searcher_walks(clg_searcher *s) {
    clg_searcher_walk(s, clg_searcher_begin_branch, first_visit);
    clg_searcher_end_branches(s);
    return decide_promising(s) && clg_searcher_walk(s, clg_searcher_enter_second, second_visit);
}

static void search(clg_searcher *s) {
    clg_found *f = s->found;
    if (!s->space->exhaustive) clg_searcher_guess(s);
    f->complete = clg_searcher_walks(s);
    if (f->count == 0 && f->complete && !s->space->plans_alone) clg_searcher_nearest(s);
    clg_searcher_finish(s, f->best, f->count);
    clg_searcher_finish(s, &f->nearest, f->has_nearest);
    if (f->complete && s->space->gamble && f->limit_bytes < s->capacity_bytes)
        clg_searcher_gamble(s);
    if (f->complete && s->space->front > 0) clg_searcher_front(s, s->space->front);
}

static void set_limit(clg_searcher *s) {
    const clg_scenario *scenario = s->scenario;
    const clg_space *space = s->space;
    double capacity =
        scenario->machine.gpu.memory_usable_bytes - scenario->stack.memory.context_bytes;
    s->capacity_bytes = clg_memory_limit_bytes(scenario, capacity, 0.5);
    s->limit_bytes =
        clg_memory_limit_bytes(scenario, capacity, space->risk > 0 ? space->risk : 0.5);
    if (space->memory_bytes > 0) s->limit_bytes = fmin(s->limit_bytes, space->memory_bytes);
    s->found->limit_bytes = s->limit_bytes;
}

clg_status clg_search(clg_arena *arena, const clg_scenario *scenario, const clg_space *space,
                      clg_progress progress, clg_found *found, clg_error *error) {
    clg_found f = {0};
    const char *why = clg_scenario_refuses(arena, scenario, space->precision);
    if (why) return clg_fail(error, CLG_BAD_INPUT, NULL, "%s", why);
    clg_searcher s = {.arena = arena,
                      .scenario = scenario,
                      .space = space,
                      .found = &f,
                      .error = error,
                      .keep = space->keep,
                      .promised_s = INFINITY,
                      .progress = progress};
    f.best = clg_take(arena, (size_t)space->keep, clg_evaluation);
    s.known = clg_take(&s.memory, 1, clg_known_ops);
    set_limit(&s);
    search(&s);
    for (int i = 0; i < CLG_PRICED_SETS; i++)
        if (s.priced[i]) clg_searcher_forget_cuts(s.priced[i]);
    clg_arena_clear(&s.scratch);
    clg_arena_clear(&s.memory);
    if (error->status != CLG_OK) return error->status;
    if (f.layouts == 0) {
        why = clg_walk_refused(arena, scenario, space);
        return clg_fail(error, CLG_BAD_INPUT, NULL, "no layout is legal: %s", why);
    }
    *found = f;
    return CLG_OK;
}

bool clg_search_fastest(clg_arena *arena, const clg_scenario *scenario, const clg_space *space,
                        clg_evaluation *best) {
    clg_space alone = *space;
    clg_found found;
    clg_error none = {0};
    alone.keep = 1, alone.front = 0, alone.gamble = false, alone.plans_alone = true;
    if (clg_search(arena, scenario, &alone, (clg_progress){0}, &found, &none) != CLG_OK ||
        found.count == 0)
        return false;
    *best = found.best[0];
    return true;
}
