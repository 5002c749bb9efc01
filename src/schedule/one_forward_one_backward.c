/* one_forward_one_backward.c -- 1F1B (PipeDream-Flush; Narayanan et al. 2021, arXiv:2104.04473). */
#include "schedule/list.h"

static int warm_up(clg_pipeline p, int stage) {
    int forwards = p.stages - stage - 1;
    return forwards < p.micro_batches ? forwards : p.micro_batches;
}

static clg_slots slots(clg_arena *arena, clg_pipeline p, int stage) {
    int ahead = warm_up(p, stage), m = p.micro_batches;
    clg_slots list = clg_slots_begin(arena, 2 * m);
    for (int i = 0; i < ahead; i++) clg_slots_add(&list, CLG_SLOT_FORWARD, 0, i);
    for (int i = ahead; i < m; i++) {
        clg_slots_add(&list, CLG_SLOT_FORWARD, 0, i);
        clg_slots_add(&list, CLG_SLOT_BACKWARD, 0, i - ahead);
    }
    for (int i = m - ahead; i < m; i++) clg_slots_add(&list, CLG_SLOT_BACKWARD, 0, i);
    return list;
}

static double alive(clg_pipeline p, int stage) {
    int most = p.stages - stage;
    return most < p.micro_batches ? most : p.micro_batches;
}

const clg_schedule clg_schedule_1f1b = {.weight_copies = 1,
                                        .refuses = clg_refuses_chunks,
                                        .depth = clg_depth_round,
                                        .slots = slots,
                                        .alive = alive};
