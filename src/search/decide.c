/* decide.c -- one visit of the walk: bounded, then priced in full or cut. */
#include "evaluate/advice.h"
#include "evaluate/interval.h"
#include "search/searcher.h"

#include <math.h>

/* Which block set of its degrees a layout has. */
int clg_searcher_set_of(const clg_layout *layout) {
    return (layout->schedule == CLG_DUALPIPE ? 4 : 0) + (layout->zero == 0 ? 2 : 0) +
           (layout->accumulation > 1);
}

clg_priced *clg_searcher_price(clg_searcher *s, const clg_layout *layout) {
    clg_priced_set **place = &s->priced[clg_searcher_set_of(layout)], *set = *place;
    if (!set) {
        *place = set = clg_arena_room(&s->memory, 1, sizeof *set);
        set->valid = false;
        set->cuts = (clg_arena){0};
        set->cut = NULL;
    }
    if (!set->valid || !clg_priced_same(layout, &set->of)) {
        clg_price_blocks(s->scenario, layout, s->known, &set->blocks);
        set->of = *layout;
        clg_searcher_forget_cuts(set);
        set->valid = true;
    }
    return &set->blocks;
}

static bool same_but_for_recompute(const clg_layout *a, const clg_layout *b) {
    return a->tp == b->tp && a->sp == b->sp && a->cp == b->cp && a->cp_kind == b->cp_kind &&
           a->ep == b->ep && a->etp == b->etp && a->attention == b->attention &&
           a->order == b->order;
}

static double shared_bound_s(clg_searcher *s, const clg_layout *layout) {
    return clg_compose_shared_bound_s(s->scenario, layout, clg_searcher_price(s, layout));
}

double clg_searcher_shared_s(clg_searcher *s, const clg_layout *layout) {
    if (layout->micro_batch > CLG_RULED_BATCHES) return shared_bound_s(s, layout);
    if (!same_but_for_recompute(&s->ruled.of, layout))
        s->ruled = (clg_ruled_degrees){.of = *layout};
    double *seconds = &s->ruled.seconds[layout->micro_batch - 1][clg_searcher_set_of(layout)];
    if (*seconds == 0) *seconds = shared_bound_s(s, layout);
    return *seconds;
}

double clg_searcher_threshold_s(const clg_searcher *s) {
    const clg_found *f = s->found;
    if (s->space->exhaustive) return INFINITY;
    return f->count < s->keep ? s->promised_s : fmin(s->promised_s, f->best[f->count - 1].step_s);
}

double clg_searcher_crowded(const clg_searcher *s, const clg_evaluation *e) {
    return e->memory.needed_bytes * clg_crowding(s->scenario, &e->layout);
}

static void note_nearest(clg_searcher *s, const clg_evaluation *e) {
    double missing = clg_searcher_crowded(s, e) - s->limit_bytes;
    if (s->found->has_nearest && missing >= s->least_missing_bytes) return;
    s->least_missing_bytes = missing;
    s->found->nearest = *e;
    clg_searcher_own_split(s, &s->found->nearest.layout);
    s->found->has_nearest = true;
}

/* Where the visit at `index` is remembered; NULL past the last page. */
clg_known_visit *clg_searcher_known(clg_searcher *s, int64_t index) {
    int64_t page = index / CLG_VISITS_OF_PAGE;
    if (page >= CLG_VISIT_PAGES) return NULL;
    if (!s->page[page]) s->page[page] = clg_take(&s->memory, CLG_VISITS_OF_PAGE, clg_known_visit);
    return &s->page[page][index % CLG_VISITS_OF_PAGE];
}

static void note_fitting(clg_searcher *s, const clg_evaluation *e) {
    clg_fitting one = {e->step_s, clg_searcher_crowded(s, e)};
    CLG_APPEND(&s->memory, s->fits, s->fit_count, s->fit_room, one);
}

/* Composes a layout; *seconds is its step, or less when it is too slow. */
clg_decided clg_searcher_evaluate(clg_searcher *s, const clg_layout *layout, double *seconds) {
    clg_evaluation e;
    clg_arena_mark mark = clg_arena_here(&s->scratch);
    clg_priced *priced = clg_searcher_price(s, layout);
    double cutoff_s = clg_searcher_threshold_s(s);
    clg_wanted wanted = {.cutoff_s = isinf(cutoff_s) ? 0 : cutoff_s,
                         .most_bytes = s->limit_bytes / clg_crowding(s->scenario, layout)};
    clg_status status = clg_compose(&s->scratch, s->scenario, layout, priced, wanted, &e, s->error);
    clg_arena_back_to(&s->scratch, mark);
    if (status != CLG_OK) return CLG_FAILED;
    *seconds = e.step_s;
    if (e.memory.total_bytes <= 0) { /* cut off */
        s->found->cut[CLG_CUT_TIME]++;
        return CLG_TOO_SLOW;
    }
    s->found->priced++;
    if (clg_searcher_crowded(s, &e) <= s->limit_bytes) {
        clg_searcher_keep(s, &e);
        note_fitting(s, &e);
        return CLG_KEPT;
    }
    s->found->cut[CLG_CUT_NO_FIT]++;
    note_nearest(s, &e);
    return CLG_TOO_LARGE;
}

clg_bytes_bound clg_searcher_bytes(clg_searcher *s, const clg_layout *layout) {
    if (s->space->exhaustive) return (clg_bytes_bound){0};
    return clg_compose_bytes_bound(s->scenario, layout, clg_searcher_price(s, layout));
}

double clg_searcher_bound_s(clg_searcher *s, const clg_layout *layout) {
    return s->space->exhaustive
               ? 0
               : clg_compose_bound_s(s->scenario, layout, clg_searcher_price(s, layout));
}

/* The one of `layers` layouts that recomputes n layers of a chunk, 1..layers. */
clg_layout clg_searcher_with_layers(const clg_layout *layout, int n, int layers) {
    clg_layout each = *layout;
    if (n < layers) each.recompute_layers = n;
    return each;
}

/* The fewest layers to recompute for the memory bound to pass: it falls with their number.
 * layers + 1: not even all of them. */
int clg_searcher_fewest(const clg_searcher *s, const clg_bytes_bound *bound,
                        const clg_layout *layout, int layers) {
    int low = 1, high = layers + 1;
    while (low < high) {
        int n = (low + high) / 2;
        double bytes = clg_bytes_bound_at(bound, n < layers ? n : layout->recompute_layers);
        if (bytes <= s->limit_bytes)
            high = n;
        else
            low = n + 1;
    }
    return low;
}

/* Rounds down: a bound must stay one. */
static float lowered(double bytes) { return (float)(bytes * (1 - 1e-6)); }

clg_known_visit clg_searcher_bound(clg_searcher *s, const clg_layout *layout, int layers) {
    clg_bytes_bound bytes = clg_searcher_bytes(s, layout);
    int n = clg_searcher_fewest(s, &bytes, layout, layers);
    double least = clg_bytes_bound_at(&bytes, layout->recompute_layers);
    clg_known_visit k = {.bytes = lowered(least), .fewest = (short)n};
    clg_layout first = clg_searcher_with_layers(layout, n, layers);
    k.least = n == 1;
    if (n <= layers) k.seconds = clg_searcher_bound_s(s, &first);
    return k;
}

/* Recomputing more is slower and smaller: what comes after a plan that fits, or is too slow, cannot
 * be better. What the certificate counts is counted here, each layout once. */
bool clg_searcher_decide(clg_searcher *s, const clg_layout *layout, int layers,
                         clg_known_visit *k) {
    int n = s->space->exhaustive ? 1 : k->fewest;
    clg_decided so_far = CLG_TOO_LARGE;
    s->found->cut[CLG_CUT_MEMORY] += n - 1;
    for (; n <= layers && (so_far == CLG_TOO_LARGE || s->space->exhaustive); n++) {
        clg_layout each = clg_searcher_with_layers(layout, n, layers);
        double seconds = n == k->fewest ? k->seconds : clg_searcher_bound_s(s, &each);
        if (seconds <= clg_searcher_threshold_s(s)) {
            so_far = clg_searcher_evaluate(s, &each, &seconds);
            if (so_far == CLG_FAILED) return false;
        } else {
            s->found->cut[CLG_CUT_TIME]++;
            so_far = CLG_TOO_SLOW;
        }
        if (so_far == CLG_TOO_LARGE) continue;
        k->seconds = seconds;
        k->least = n == 1;
    }
    s->found->cut[CLG_CUT_LAZIER] += layers + 1 - n;
    s->found->bounded += layers;
    k->decided = true;
    return true;
}

/* What was kept is priced once more in full: sends told from bubbles. */
void clg_searcher_finish(clg_searcher *s, clg_evaluation *kept, int count) {
    for (int i = 0; i < count; i++) {
        clg_arena_mark mark = clg_arena_here(&s->scratch);
        clg_compose(&s->scratch, s->scenario, &kept[i].layout,
                    clg_searcher_price(s, &kept[i].layout), (clg_wanted){.detail = true}, &kept[i],
                    s->error);
        kept[i].stages = NULL;
        kept[i].caveats = clg_evaluate_caveats(s->arena, s->scenario, &kept[i].layout);
        clg_evaluate_networks(s->arena, s->scenario, &kept[i]);
        clg_arena_back_to(&s->scratch, mark);
    }
}
