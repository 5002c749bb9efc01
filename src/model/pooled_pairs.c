/* pooled_pairs.c -- how many keys attention over pooled entries sees.
 *
 * A query sees at most `reach` tokens back: of S keys S^2 / 2 x (2 - x) pairs, x = reach / S, at
 * most 1. Entries stand for `every` tokens each, so that a choice of k reaches k x every. */
#include "model/model.h"

#include <math.h>

static double pairs_within(double reach, double keys) {
    double share = fmin(1, reach / keys);
    return keys * keys / 2 * share * (2 - share);
}

static double reach_of_entries(const clg_attention *a, double keys) {
    return a->indexer.heads > 0 ? (double)a->indexer.top_k * a->pooling.every : keys;
}

static double window_of(const clg_attention *a, double keys) {
    return a->window > 0 ? (double)a->window : keys;
}

double clg_pooled_entry_pairs(const clg_attention *a, double keys) {
    if (a->pooling.every == 0) return 0;
    return pairs_within(reach_of_entries(a, keys), keys) / a->pooling.every;
}

double clg_pooled_pairs(const clg_attention *a, double keys) {
    return pairs_within(window_of(a, keys), keys) + clg_pooled_entry_pairs(a, keys);
}

double clg_pooled_seen(const clg_attention *a, double keys) {
    double seen = fmin(window_of(a, keys), keys);
    if (a->pooling.every == 0) return seen;
    return seen + fmin(reach_of_entries(a, keys), keys) / a->pooling.every;
}

double clg_pooled_kept(const clg_attention *a, double keys) {
    double entries = a->pooling.every > 0 ? keys / a->pooling.every : 0;
    return fmin(window_of(a, keys), keys) + entries;
}

bool clg_model_pools(const clg_model *model) {
    for (int i = 0; i < model->kinds; i++)
        if (model->kind[i].attention.shared_values) return true;
    return false;
}
