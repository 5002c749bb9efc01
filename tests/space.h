/* space.h -- what tests of the search share. */
#ifndef CLG_TESTS_SPACE_H
#define CLG_TESTS_SPACE_H

#include "plan.h"
#include "search/search.h"

#include <string.h>

static inline clg_space space_of(int64_t gpus, int64_t seq, int64_t batch, int keep) {
    return (clg_space){.gpus = gpus,
                       .seq = seq,
                       .global_batch = batch,
                       .precision = CLG_BF16,
                       .attention = {.count = 1, .value = {CLG_FLASH2}},
                       .keep = keep};
}

static inline bool same_split(const clg_layout *a, const clg_layout *b) {
    if (!a->split || !b->split) return a->split == b->split;
    return a->split_count == b->split_count &&
           memcmp(a->split, b->split, (size_t)a->split_count * sizeof *a->split) == 0;
}

#endif
