/* interleaved.c -- 1F1B over v chunks per stage, in groups of p micro-batches (Narayanan et al.
 * 2021, arXiv:2104.04473, section 2.2; order as Megatron-LM's schedules). */
#include "schedule/list.h"

static const char *refuses(clg_pipeline p) {
    if (p.chunks < 2) return "interleaved needs at least 2 chunks per stage: raise vpp or use 1f1b";
    if (p.stages < 2) return "interleaved needs at least 2 stages: raise pp or use 1f1b";
    if (p.micro_batches % p.stages != 0)
        return "interleaved needs micro-batches per step divisible by pp";
    return NULL;
}

/* The i-th forward of a stage: groups of p micro-batches pass chunk after chunk. */
static void nth(clg_pipeline p, int i, bool backward, int *chunk, int *micro_batch) {
    int in_group = i % (p.stages * p.chunks), group = i / (p.stages * p.chunks);
    *chunk = in_group / p.stages;
    if (backward) *chunk = p.chunks - 1 - *chunk;
    *micro_batch = group * p.stages + in_group % p.stages;
}

static int warm_up(clg_pipeline p, int stage) {
    int total = p.micro_batches * p.chunks;
    if (p.micro_batches == p.stages) return total;
    int ahead = (p.stages - stage - 1) * 2 + (p.chunks - 1) * p.stages;
    return ahead < total ? ahead : total;
}

static clg_slots slots(clg_arena *arena, clg_pipeline p, int stage) {
    int total = p.micro_batches * p.chunks, ahead = warm_up(p, stage), chunk, micro_batch;
    clg_slots list = clg_slots_begin(arena, 2 * total);
    for (int i = 0; i < total + ahead; i++) {
        if (i < total) {
            nth(p, i, false, &chunk, &micro_batch);
            clg_slots_add(&list, CLG_SLOT_FORWARD, chunk, micro_batch);
        }
        if (i >= ahead) {
            nth(p, i - ahead, true, &chunk, &micro_batch);
            clg_slots_add(&list, CLG_SLOT_BACKWARD, chunk, micro_batch);
        }
    }
    return list;
}

static double alive(clg_pipeline p, int stage) {
    int total = p.micro_batches * p.chunks, most = warm_up(p, stage) + 1;
    return most < total ? most : total;
}

const clg_schedule clg_schedule_interleaved = {.weight_copies = 1,
                                               .refuses = refuses,
                                               .depth = clg_depth_round,
                                               .slots = slots,
                                               .alive = alive};
