/* branch.c -- branches of the walk: what the first walk found in each, so that later ones need not
 * visit again what is slower anyway. */
#include "search/searcher.h"

#include <math.h>

bool clg_searcher_begin_branch(void *searcher, const clg_layout *layout) {
    clg_searcher *s = searcher;
    clg_branch begun = {.least_s = INFINITY, .always_s = INFINITY};
    (void)layout;
    clg_searcher_end_branches(s);
    CLG_APPEND(&s->memory, s->branches, s->branch_count, s->branch_room, begun);
    return true;
}

void clg_searcher_end_branches(clg_searcher *s) {
    if (s->branch_count > 0) s->branches[s->branch_count - 1].until = s->index;
}

static void note_seconds(clg_branch *b, double within_limit, double always) {
    b->least_s = fmin(b->least_s, within_limit);
    b->always_s = fmin(b->always_s, always);
}

static void count(clg_branch *b, const clg_known_visit *k, int layers, int visits) {
    b->visits += visits;
    b->too_large += visits * (k->fewest - 1);
    b->lazier += visits * (layers - k->fewest);
}

void clg_searcher_note_visit(clg_searcher *s, const clg_known_visit *k, int layers) {
    clg_branch *b = &s->branches[s->branch_count - 1];
    if (k->fewest > layers) { /* too large, and perhaps for any limit */
        note_seconds(b, INFINITY, k->bytes > s->capacity_bytes ? INFINITY : 0);
        return;
    }
    note_seconds(b, k->seconds, k->least ? k->seconds : 0);
    if (!k->decided) count(b, k, layers, 1);
}

void clg_searcher_note_unknown(clg_searcher *s) {
    clg_branch *b = &s->branches[s->branch_count - 1];
    note_seconds(b, 0, 0);
    b->visits++;
}

void clg_searcher_take_visit(clg_searcher *s, int64_t branch, const clg_known_visit *k,
                             int layers) {
    count(&s->branches[branch], k, layers, -1);
}

/* Goes on after the branch. */
static bool pass(clg_searcher *s, const clg_branch *b) {
    s->index = b->until;
    return false;
}

bool clg_searcher_enter_second(void *searcher, const clg_layout *layout) {
    clg_searcher *s = searcher;
    const clg_branch *b = &s->branches[s->branch++];
    (void)layout;
    if (b->visits > 0 && b->least_s <= clg_searcher_threshold_s(s)) return true;
    s->found->cut[CLG_CUT_MEMORY] += b->too_large;
    s->found->cut[CLG_CUT_TIME] += b->visits;
    s->found->cut[CLG_CUT_LAZIER] += b->lazier;
    s->found->bounded += b->too_large + b->visits + b->lazier;
    return pass(s, b);
}

bool clg_searcher_enter_tighter(void *searcher, const clg_layout *layout) {
    clg_searcher *s = searcher;
    const clg_branch *b = &s->branches[s->branch++];
    (void)layout;
    return b->least_s <= clg_searcher_threshold_s(s) || pass(s, b);
}

bool clg_searcher_enter_looser(void *searcher, const clg_layout *layout) {
    clg_searcher *s = searcher;
    const clg_branch *b = &s->branches[s->branch++];
    (void)layout;
    return b->always_s <= clg_searcher_threshold_s(s) || pass(s, b);
}

bool clg_searcher_walk(clg_searcher *s, clg_walk_enter *enter, clg_walk_visit *visit) {
    s->index = s->branch = 0;
    return clg_walk(s->scenario, s->space, s->space->exhaustive ? NULL : enter, visit, s);
}
