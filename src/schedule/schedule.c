/* schedule.c -- the list of schedules and what they share. */
#include "schedule/schedule.h"

#include "schedule/list.h"

#include <assert.h>
#include <stddef.h>

static const clg_schedule *const schedules[CLG_SCHEDULES] = {
    [CLG_GPIPE] = &clg_schedule_gpipe,
    [CLG_1F1B] = &clg_schedule_1f1b,
    [CLG_INTERLEAVED] = &clg_schedule_interleaved,
    [CLG_ZB_H1] = &clg_schedule_zb_h1,
    [CLG_ZB_H2] = &clg_schedule_zb_h2,
    [CLG_ZB_V] = &clg_schedule_zb_v,
    [CLG_DUALPIPE] = &clg_schedule_dualpipe};

const clg_schedule *clg_schedule_of(clg_schedule_kind kind) {
    assert(kind >= 0 && kind < CLG_SCHEDULES);
    return schedules[kind];
}

void clg_schedule_slots(clg_arena *arena, clg_pipeline p, clg_slots *stages) {
    const clg_schedule *schedule = clg_schedule_of(p.kind);
    if (!schedule->slots) clg_slots_greedy(arena, schedule, p, stages);
    for (int i = 0; schedule->slots && i < p.stages; i++) stages[i] = schedule->slots(arena, p, i);
}

clg_pipeline clg_pipeline_of(const clg_layout *layout) {
    return (clg_pipeline){.kind = layout->schedule,
                          .stages = layout->pp,
                          .chunks = layout->vpp,
                          .micro_batches = (int)layout->accumulation};
}

clg_slots clg_slots_begin(clg_arena *arena, int capacity) {
    return (clg_slots){clg_take(arena, (size_t)capacity, clg_slot), 0};
}

void clg_slots_add(clg_slots *slots, clg_slot_kind kind, int chunk, int micro_batch) {
    slots->slot[slots->count++] = (clg_slot){(unsigned char)kind, (short)chunk, micro_batch};
}

int clg_depth_round(clg_pipeline pipeline, int stage, int chunk) {
    return chunk * pipeline.stages + stage;
}

int clg_depth_v(clg_pipeline pipeline, int stage, int chunk) {
    return chunk == 0 ? stage : 2 * pipeline.stages - 1 - stage;
}

const char *clg_refuses_chunks(clg_pipeline pipeline) {
    return pipeline.chunks == 1 ? NULL : "this schedule has one chunk per stage: set vpp to 1";
}
