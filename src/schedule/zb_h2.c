/* zb_h2.c -- zero bubble at twice the memory of 1F1B (Qi et al. 2023, arXiv:2401.10241: ZB-H2 by
 * hand, ZB-2p by search under a limit of 2 p activations).
 *
 * Stages run ahead as far as 2 p activations let them and fill what is left with weight gradients.
 * They do not wait for one another between steps: the optimizer steps at once, and the check of the
 * gradient norm, which needs all stages, comes later and undoes the step where it must (section 4,
 * "post-validation"). Undone steps are not modelled. */
#include "schedule/list.h"

static double alive(clg_pipeline p, int stage) {
    (void)stage;
    int most = 2 * p.stages;
    return most < p.micro_batches ? most : p.micro_batches;
}

const clg_schedule clg_schedule_zb_h2 = {.splits_backward = true,
                                         .crosses_steps = true,
                                         .weight_copies = 1,
                                         .refuses = clg_refuses_chunks,
                                         .depth = clg_depth_round,
                                         .alive = alive};
