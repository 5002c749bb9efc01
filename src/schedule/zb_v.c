/* zb_v.c -- two chunks in a V: the last stage turns round at once, and weight gradients fill what
 * is left (Qi et al. 2024, arXiv:2405.15362). Memory of 1F1B: 2p half-stage activations. */
#include "schedule/list.h"

#include <stddef.h>

static const char *refuses(clg_pipeline p) {
    if (p.stages < 2) return "zb-v needs at least 2 stages: raise pp";
    if (p.chunks != 2) return "zb-v has two chunks per stage: set vpp to 2";
    return NULL;
}

static double alive(clg_pipeline p, int stage) {
    (void)stage;
    int most = 2 * p.stages, total = 2 * p.micro_batches;
    return most < total ? most : total;
}

const clg_schedule clg_schedule_zb_v = {.splits_backward = true,
                                        .weight_copies = 1,
                                        .refuses = refuses,
                                        .depth = clg_depth_v,
                                        .alive = alive};
