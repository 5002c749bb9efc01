/* gpipe.c -- all forwards, then all backwards (Huang et al. 2019, arXiv:1811.06965). */
#include "schedule/list.h"

static clg_slots slots(clg_arena *arena, clg_pipeline p, int stage) {
    (void)stage;
    clg_slots list = clg_slots_begin(arena, 2 * p.micro_batches);
    for (int i = 0; i < p.micro_batches; i++) clg_slots_add(&list, CLG_SLOT_FORWARD, 0, i);
    for (int i = p.micro_batches - 1; i >= 0; i--) clg_slots_add(&list, CLG_SLOT_BACKWARD, 0, i);
    return list;
}

static double alive(clg_pipeline p, int stage) {
    (void)stage;
    return p.micro_batches;
}

const clg_schedule clg_schedule_gpipe = {.weight_copies = 1,
                                         .refuses = clg_refuses_chunks,
                                         .depth = clg_depth_round,
                                         .slots = slots,
                                         .alive = alive};
