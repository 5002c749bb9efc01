/* again.c -- walks over what is known, with another limit of memory. */
#include "evaluate/interval.h"
#include "search/searcher.h"

#include <math.h>

/* When every layout was cut by the memory bound, the nearest miss has to be looked for. The bound
 * knows little of activations, so it only rules out: what is left is placed. */
typedef struct least_memory {
    clg_searcher *s;
    double bytes; /* least so far, of `layout` */
    clg_layout layout;
    bool any, failed;
} least_memory;

/* Bytes of the fullest rank; negative when the layout cannot be placed. */
static double whole_bytes(clg_searcher *s, const clg_layout *layout) {
    clg_evaluation e;
    clg_arena_mark mark = clg_arena_here(&s->scratch);
    clg_status status = clg_compose(&s->scratch, s->scenario, layout, clg_searcher_price(s, layout),
                                    (clg_wanted){.memory_alone = true}, &e, s->error);
    clg_arena_back_to(&s->scratch, mark);
    return status == CLG_OK ? e.memory.needed_bytes : -1;
}

static bool least_memory_visit(void *context, const clg_layout *layout, int layers, bool balanced) {
    least_memory *least = context;
    clg_searcher *s = least->s;
    clg_layout placed;
    const clg_known_visit *k = clg_searcher_known(s, s->index++);
    (void)layers; /* recomputing all takes least */
    if (k && least->any && k->bytes >= least->bytes) return true;
    if (!clg_searcher_place(s, layout, balanced, &placed)) return true;
    clg_bytes_bound bound = clg_searcher_bytes(s, &placed);
    double bytes = clg_bytes_bound_at(&bound, placed.recompute_layers);
    if (least->any && bytes >= least->bytes) return true;
    bytes = whole_bytes(s, &placed);
    least->failed = bytes < 0;
    if (least->failed || (least->any && bytes >= least->bytes)) return !least->failed;
    least->bytes = bytes;
    least->layout = placed;
    clg_searcher_own_split(s, &least->layout);
    least->any = true;
    return true;
}

void clg_searcher_nearest(clg_searcher *s) {
    least_memory least = {.s = s};
    double seconds;
    s->index = 0;
    clg_walk(s->scenario, s->space, NULL, least_memory_visit, &least);
    if (!least.any || least.failed ||
        clg_searcher_evaluate(s, &least.layout, &seconds) == CLG_FAILED)
        return;
    s->found->priced--; /* it was counted when the bound cut it */
    s->found->cut[CLG_CUT_NO_FIT]--;
}

/* The fewest layers to recompute that fit within the limit of now. */
static bool decide_again(clg_searcher *s, const clg_layout *layout, int layers, bool balanced,
                         double *seconds) {
    clg_decided so_far = CLG_TOO_LARGE;
    clg_layout placed;
    if (!clg_searcher_place(s, layout, balanced, &placed)) return true;
    clg_bytes_bound bytes = clg_searcher_bytes(s, &placed);
    for (int n = clg_searcher_fewest(s, &bytes, &placed, layers);
         n <= layers && so_far == CLG_TOO_LARGE; n++) {
        clg_layout each = clg_searcher_with_layers(&placed, n, layers);
        so_far = clg_searcher_bound_s(s, &each) > clg_searcher_threshold_s(s)
                     ? CLG_TOO_SLOW
                     : clg_searcher_evaluate(s, &each, seconds);
    }
    return so_far != CLG_FAILED;
}

/* Another walk over what is known, with less memory: more layers are recomputed, no plan is faster
 * than it was. */
static bool tighter_visit(void *context, const clg_layout *layout, int layers, bool balanced) {
    clg_searcher *s = context;
    clg_known_visit unknown = {0}, *k = clg_searcher_known(s, s->index++);
    if (!k) k = &unknown;
    if (k->bytes > s->limit_bytes || k->seconds > clg_searcher_threshold_s(s)) return true;
    return decide_again(s, layout, layers, balanced, &k->seconds);
}

/* And one with more, before the others: what was too large may fit now, and fewer layers may have
 * to be recomputed than what is known of its time takes for granted. */
static bool looser_visit(void *context, const clg_layout *layout, int layers, bool balanced) {
    clg_searcher *s = context;
    double seconds;
    const clg_known_visit *k = clg_searcher_known(s, s->index++);
    if (k && (k->bytes > s->limit_bytes || (k->least && k->seconds > clg_searcher_threshold_s(s))))
        return true;
    return decide_again(s, layout, layers, balanced, &seconds);
}

/* Of the plans priced before, the fastest within capacity; a little more, for a bound of that very
 * plan may be above its step by what sums are rounded. */
static double fastest_known_s(const clg_searcher *s) {
    double least = INFINITY;
    for (int64_t i = 0; i < s->fit_count; i++)
        if (s->fits[i].bytes <= s->limit_bytes && s->fits[i].seconds < least)
            least = s->fits[i].seconds;
    return least * (1 + 1e-12);
}

/* The fastest plan within another limit, into *one; false: there is none, or none faster than what
 * was promised. */
static bool search_again(clg_searcher *s, clg_walk_enter *enter, clg_walk_visit *visit,
                         clg_evaluation *one) {
    clg_found *found = s->found, next = {.best = one};
    s->found = &next;
    s->keep = 1;
    bool whole = clg_searcher_walk(s, enter, visit);
    if (whole && next.count > 0) clg_searcher_finish(s, one, 1);
    s->found = found;
    return whole && next.count > 0;
}

void clg_searcher_front(clg_searcher *s, int most) {
    clg_found *found = s->found;
    found->front = clg_take(s->arena, (size_t)most, clg_evaluation);
    if (found->count == 0) return;
    clg_evaluation next = found->best[0];
    do {
        found->front[found->front_count++] = next;
        s->limit_bytes = 0.9 * clg_searcher_crowded(s, &next);
        s->promised_s = fastest_known_s(s);
    } while (found->front_count < most &&
             search_again(s, clg_searcher_enter_tighter, tighter_visit, &next));
}

/* Where the gamble is so much faster that people weigh one against the other: what is in between.
 */
static const double WIDE_GAP = 0.8;

static void fill_gap(clg_searcher *s, clg_found *found) {
    const clg_evaluation *last = &found->gamble;
    for (found->between_count = 0; found->between_count < CLG_STEPS_BETWEEN;
         found->between_count++) {
        clg_evaluation *next = &found->between[found->between_count];
        s->limit_bytes = 0.95 * clg_searcher_crowded(s, last);
        if (s->limit_bytes <= found->limit_bytes ||
            !search_again(s, clg_searcher_enter_looser, looser_visit, next) ||
            next->step_s >= found->best[0].step_s)
            return;
        last = next;
    }
}

void clg_searcher_gamble(clg_searcher *s) {
    clg_found *found = s->found;
    clg_evaluation one;
    s->limit_bytes = s->capacity_bytes;
    s->promised_s = found->count > 0 ? found->best[0].step_s : INFINITY;
    if (!search_again(s, clg_searcher_enter_looser, looser_visit, &one)) return;
    found->has_gamble = found->count == 0 || one.step_s < found->best[0].step_s;
    if (!found->has_gamble) return;
    found->gamble = one;
    if (found->count > 0 && one.step_s < WIDE_GAP * found->best[0].step_s) fill_gap(s, found);
}
