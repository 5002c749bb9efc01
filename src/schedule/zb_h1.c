/* zb_h1.c -- 1F1B with the weight gradient split off and moved into the cool-down bubble (Qi et al.
 * 2023, arXiv:2401.10241, schedule ZB-H1). Memory as 1F1B: a weight pass is never more than
 * stage passes behind its input pass. */
#include "schedule/list.h"

static clg_slots slots(clg_arena *arena, clg_pipeline p, int stage) {
    int m = p.micro_batches, ahead = p.stages - stage - 1;
    if (ahead > m) ahead = m;
    clg_slots list = clg_slots_begin(arena, 3 * m);
    int forward = 0, input = 0, weight = 0;
    while (forward < ahead) clg_slots_add(&list, CLG_SLOT_FORWARD, 0, forward++);
    while (forward < m) {
        clg_slots_add(&list, CLG_SLOT_FORWARD, 0, forward++);
        clg_slots_add(&list, CLG_SLOT_BACKWARD_INPUT, 0, input++);
        if (input - weight > stage) clg_slots_add(&list, CLG_SLOT_BACKWARD_WEIGHT, 0, weight++);
    }
    while (input < m) {
        clg_slots_add(&list, CLG_SLOT_BACKWARD_INPUT, 0, input++);
        if (weight < input) clg_slots_add(&list, CLG_SLOT_BACKWARD_WEIGHT, 0, weight++);
    }
    while (weight < m) clg_slots_add(&list, CLG_SLOT_BACKWARD_WEIGHT, 0, weight++);
    return list;
}

static double alive(clg_pipeline p, int stage) {
    (void)stage;
    return p.stages < p.micro_batches ? p.stages : p.micro_batches;
}

const clg_schedule clg_schedule_zb_h1 = {.splits_backward = true,
                                         .weight_copies = 1,
                                         .refuses = clg_refuses_chunks,
                                         .depth = clg_depth_round,
                                         .slots = slots,
                                         .alive = alive};
