/* keep.c -- which plans are kept: the faster, then the simpler; of plans that differ by nothing but
 * layers recomputed or on their stages, one. */
#include "evaluate/interval.h"
#include "search/searcher.h"

#include <limits.h>

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
                           {a->order, b->order},
                           {a->attention, b->attention}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i][0] != rows[i][1]) return rows[i][0] < rows[i][1];
    return false;
}

/* The same but for how many layers are recomputed, if any are, and how they fall on stages. */
static bool same_but_for_layers(const clg_layout *a, const clg_layout *b) {
    return !simpler_but_for_layers(a, b) && !simpler_but_for_layers(b, a);
}

static bool simpler(const clg_layout *a, const clg_layout *b) {
    if (!same_but_for_layers(a, b)) return simpler_but_for_layers(a, b);
    return redone(a) != redone(b) ? redone(a) < redone(b) : !a->split && b->split;
}

static bool better(const clg_evaluation *a, const clg_evaluation *b) {
    if (a->step_s != b->step_s) return a->step_s < b->step_s;
    return simpler(&a->layout, &b->layout);
}

/* Selective recomputing that needs no less memory is nobody's choice: with an attention kernel that
 * keeps no scores there may be nothing to recompute. */
static bool same_but_for_nothing(const clg_evaluation *a, const clg_evaluation *b) {
    const clg_evaluation *none = a->layout.recompute == CLG_RECOMPUTE_NONE ? a : b;
    const clg_evaluation *some = none == a ? b : a;
    clg_layout without = some->layout;
    if (none->layout.recompute != CLG_RECOMPUTE_NONE ||
        some->layout.recompute != CLG_RECOMPUTE_SELECTIVE)
        return false;
    without.recompute = CLG_RECOMPUTE_NONE;
    return some->memory.total_bytes >= none->memory.total_bytes &&
           same_but_for_layers(&none->layout, &without);
}

static void take_out(clg_found *f, int at) {
    f->count--;
    for (int i = at; i < f->count; i++) f->best[i] = f->best[i + 1];
}

/* Inserts into the sorted list of the best; the last one falls out. */
void clg_searcher_keep(clg_searcher *s, const clg_evaluation *e) {
    clg_found *f = s->found;
    for (int i = 0; i < f->count; i++) {
        if (!same_but_for_layers(&f->best[i].layout, &e->layout) &&
            !same_but_for_nothing(&f->best[i], e))
            continue;
        if (!better(e, &f->best[i])) return;
        take_out(f, i);
        break;
    }
    int at = f->count;
    while (at > 0 && better(e, &f->best[at - 1])) at--;
    if (at >= s->keep) return;
    int last = f->count < s->keep ? f->count++ : f->count - 1;
    for (int i = last; i > at; i--) f->best[i] = f->best[i - 1];
    f->best[at] = *e;
    clg_searcher_own_split(s, &f->best[at].layout);
}

int64_t clg_found_split_ranks(const clg_layout *l) { return (int64_t)l->tp * l->cp * l->pp; }

static bool rather(const clg_evaluation *a, const clg_evaluation *b) {
    bool safe = clg_evaluation_is_safe(a);
    if (safe != clg_evaluation_is_safe(b)) return safe;
    return clg_found_split_ranks(&a->layout) < clg_found_split_ranks(&b->layout);
}

void clg_found_choose_of_tie(clg_found *f) {
    int first = 0;
    for (int i = 1; i < f->count && i < CLG_TIE_PLANS; i++)
        if (f->best[i].step_s <= f->best[0].step_s * (1 + CLG_TIE_SHARE) &&
            rather(&f->best[i], &f->best[first]))
            first = i;
    f->of_tie = first > 0;
    if (!f->of_tie) return;
    clg_evaluation chosen = f->best[first];
    for (int i = first; i > 0; i--) f->best[i] = f->best[i - 1];
    f->best[0] = chosen;
}
