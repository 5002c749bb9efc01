/* guess.c -- a small part of the space, searched first: the more is ruled out before it is bounded.
 *
 * Only how long the search takes depends on which part that is, never what it finds: plans of the
 * part are plans of the whole, so the last of them that would be kept is a promise. */
#include "search/searcher.h"

#include <string.h>

/* Of an axis left open, every value but those from `from` on that are powers of two. */
static bool without_powers(clg_axis_values *axis, int from, int until) {
    if (axis->count > 0) return false;
    axis->except = true;
    for (int value = from; value <= until && axis->count < CLG_SEARCH_VALUES; value *= 2)
        axis->value[axis->count++] = value;
    return true;
}

static bool without_range(clg_axis_values *axis, int from, int until) {
    if (axis->count > 0) return false;
    axis->except = true;
    for (int value = from; value <= until; value++) axis->value[axis->count++] = value;
    return true;
}

/* Tensor ranks inside a node, the fewest context ranks that leave 16,384 tokens each, one sequence,
 * whole experts, at most two chunks: where the best plans mostly are. False: nothing is left out.
 */
static bool narrow(const clg_scenario *scenario, clg_space *space) {
    int context = 1;
    while (space->seq / context > 16384) context *= 2;
    bool less = without_powers(&space->tp, 2 * scenario->machine.node.gpus, 1024);
    less |= without_powers(&space->cp, 2 * context, 1 << 20);
    less |= without_powers(&space->etp, 2, 1024);
    less |= without_range(&space->micro_batch, 2, 16);
    less |= without_range(&space->vpp, 3, 16);
    return less;
}

void clg_searcher_guess(clg_searcher *s) {
    const clg_space *whole = s->space;
    clg_space part = *whole;
    if (!narrow(s->scenario, &part)) return;
    clg_found *found = s->found,
              some = {.best = clg_take(s->arena, (size_t)s->keep, clg_evaluation)};
    clg_progress progress = s->progress;
    s->space = &part, s->found = &some, s->progress = (clg_progress){0};
    bool all = clg_searcher_walks(s);
    if (all && some.count == s->keep) s->promised_s = some.best[s->keep - 1].step_s * (1 + 1e-12);
    s->space = whole, s->found = found, s->progress = progress;
    memset(s->page, 0, sizeof s->page); /* what is known of visits is known of that walk's */
    s->set_count = s->branch_count = 0;
}
