/* simulate.c -- one pass over the slots in dependency order.
 *
 * Every stage has a cursor into its slots; a worklist of stages advances cursors while what the
 * next slot waits for is placed. Each slot is placed once: O(slots).
 *
 * send_exposed: the same placement with free sends ends earlier; the difference is what sends cost
 * the step, charged to every stage alike. */
#include "simulate/simulate.h"

#include <assert.h>
#include <string.h>

typedef struct placement {
    clg_pipeline p;
    const clg_schedule *schedule;
    const clg_pipeline_times *times;
    double send_s;
    const clg_slots *stages;
    int depths;
    int *stage_of;       /* [direction][depth]: stage that works on it */
    double *forward_end; /* [depth * m + micro-batch]; negative: not placed */
    double *input_end;
    int *cursor; /* [stage] */
    double *now; /* [stage] */
    clg_pipeline_result *result;
    clg_timeline *timeline;
    uint16_t *track;
    uint32_t *name;
} placement;

static int direction_of(const placement *w, int micro_batch) {
    return w->schedule->weight_copies == 2 ? micro_batch % 2 : 0;
}

static int stage_of(const placement *w, int depth, int micro_batch) {
    return w->stage_of[direction_of(w, micro_batch) * w->depths + depth];
}

/* When the slot's inputs are there; negative if something it waits for is not placed yet. */
static double ready_at(const placement *w, int stage, const clg_slot *slot) {
    int m = w->p.micro_batches, mb = slot->micro_batch;
    int depth = w->schedule->depth(w->p, stage, slot->chunk);
    if (slot->kind == CLG_SLOT_BACKWARD_WEIGHT) return 0; /* after its input pass, same stage */
    if (slot->kind == CLG_SLOT_FORWARD) {
        if (depth == 0) return 0;
        double end = w->forward_end[(depth - 1) * m + mb];
        return end < 0 ? end : end + (stage_of(w, depth - 1, mb) != stage ? w->send_s : 0);
    }
    if (w->forward_end[depth * m + mb] < 0) return -1;
    if (depth == w->depths - 1) return w->forward_end[depth * m + mb];
    double end = w->input_end[(depth + 1) * m + mb];
    return end < 0 ? end : end + (stage_of(w, depth + 1, mb) != stage ? w->send_s : 0);
}

static double duration_s(const placement *w, int depth, int kind) {
    const clg_pipeline_times *t = w->times;
    switch (kind) {
    case CLG_SLOT_FORWARD:
        return t->forward_s[depth];
    case CLG_SLOT_BACKWARD:
        return t->backward_input_s[depth] + t->backward_weight_s[depth];
    case CLG_SLOT_BACKWARD_INPUT:
        return t->backward_input_s[depth];
    default:
        return t->backward_weight_s[depth];
    }
}

/* Whether the slot's result goes to another stage, which a blocking send waits for. */
static bool sends(const placement *w, int stage, int depth, const clg_slot *slot) {
    int next = slot->kind == CLG_SLOT_FORWARD ? depth + 1 : depth - 1;
    if (slot->kind == CLG_SLOT_BACKWARD_WEIGHT || next < 0 || next >= w->depths) return false;
    return stage_of(w, next, slot->micro_batch) != stage;
}

static void draw(placement *w, int stage, const clg_slot *slot, double start, double end) {
    static const uint8_t pass_of[] = {0, 2, 2, 3}; /* clg_pass of each slot kind */
    clg_event event = {.start_ns = (int64_t)(start * 1e9 + 0.5),
                       .name = w->name[slot->kind],
                       .track = w->track[stage],
                       .work = CLG_WORK_COMPUTE,
                       .pass = pass_of[slot->kind],
                       .micro_batch = slot->micro_batch,
                       .detail = slot->chunk};
    event.duration_ns = (int64_t)(end * 1e9 + 0.5) - event.start_ns;
    clg_timeline_add(w->timeline, event);
}

static void place(placement *w, int stage, const clg_slot *slot, double ready) {
    int depth = w->schedule->depth(w->p, stage, slot->chunk);
    size_t cell = (size_t)depth * (size_t)w->p.micro_batches + (size_t)slot->micro_batch;
    double start = w->now[stage] > ready ? w->now[stage] : ready;
    double seconds = duration_s(w, depth, slot->kind), end = start + seconds;
    if (slot->kind == CLG_SLOT_FORWARD)
        w->forward_end[cell] = end;
    else if (slot->kind != CLG_SLOT_BACKWARD_WEIGHT)
        w->input_end[cell] = end;
    w->now[stage] = end;
    if (w->times->send_blocks && sends(w, stage, depth, slot)) w->now[stage] += w->send_s;
    if (w->cursor[stage] == 0) w->result->start_s[stage] = start;
    w->result->busy_s[stage] += seconds;
    w->result->end_s[stage] = end;
    if (w->timeline) draw(w, stage, slot, start, end);
}

/* Advances one stage as far as it goes; true if it moved. */
static bool advance(placement *w, int stage) {
    const clg_slots *slots = &w->stages[stage];
    int from = w->cursor[stage];
    while (w->cursor[stage] < slots->count) {
        const clg_slot *slot = &slots->slot[w->cursor[stage]];
        double ready = ready_at(w, stage, slot);
        if (ready < 0) break;
        place(w, stage, slot, ready);
        w->cursor[stage]++;
    }
    return w->cursor[stage] > from;
}

static void reset(placement *w) {
    size_t cells = (size_t)w->depths * (size_t)w->p.micro_batches, p = (size_t)w->p.stages;
    for (size_t i = 0; i < cells; i++) w->forward_end[i] = w->input_end[i] = -1;
    memset(w->cursor, 0, p * sizeof *w->cursor);
    memset(w->now, 0, p * sizeof *w->now);
    memset(w->result->busy_s, 0, p * sizeof(double));
}

/* Sweeps down and up until nothing moves: a sweep carries work through all stages both ways. */
static double run(placement *w) {
    reset(w);
    bool moved = true;
    while (moved) {
        moved = false;
        for (int i = 0; i < w->p.stages; i++) moved |= advance(w, i);
        for (int i = w->p.stages - 1; i >= 0; i--) moved |= advance(w, i);
    }
    double end = 0;
    for (int i = 0; i < w->p.stages; i++) {
        assert(w->cursor[i] == w->stages[i].count); /* else the schedule deadlocks: a bug */
        if (w->result->end_s[i] > end) end = w->result->end_s[i];
    }
    return end;
}

static void prepare(placement *w, clg_arena *arena) {
    int directions = w->schedule->weight_copies == 2 ? 2 : 1;
    int chunks = directions == 2 ? 2 : w->p.chunks;
    w->stage_of = clg_take(arena, (size_t)(directions * w->depths), int);
    for (int s = 0; s < w->p.stages; s++)
        for (int c = 0; c < chunks; c++) {
            int direction = directions == 2 ? c : 0;
            w->stage_of[direction * w->depths + w->schedule->depth(w->p, s, c)] = s;
        }
    size_t cells = (size_t)w->depths * (size_t)w->p.micro_batches;
    w->forward_end = clg_take(arena, cells, double);
    w->input_end = clg_take(arena, cells, double);
    w->cursor = clg_take(arena, (size_t)w->p.stages, int);
    w->now = clg_take(arena, (size_t)w->p.stages, double);
}

static void name_tracks(placement *w, clg_arena *arena) {
    static const char *const names[] = {"forward", "backward", "backward input", "backward weight"};
    w->track = clg_take(arena, (size_t)w->p.stages, uint16_t);
    w->name = clg_take(arena, 4, uint32_t);
    for (int i = 0; i < 4; i++) w->name[i] = clg_timeline_name(w->timeline, names[i]);
    for (int i = 0; i < w->p.stages; i++)
        w->track[i] = clg_timeline_track(w->timeline, clg_arena_print(arena, "stage %d", i), i);
}

static double mean(const double *seconds, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += seconds[i];
    return sum / count;
}

static int busiest(const placement *w) {
    int most = 0;
    for (int i = 1; i < w->p.stages; i++)
        if (w->result->busy_s[i] > w->result->busy_s[most]) most = i;
    return most;
}

clg_status clg_simulate_pipeline(clg_arena *arena, clg_pipeline pipeline,
                                 const clg_pipeline_times *times, clg_timeline *timeline,
                                 clg_pipeline_result *result, clg_error *error) {
    const clg_schedule *schedule = clg_schedule_of(pipeline.kind);
    const char *why = schedule->refuses(pipeline);
    if (why) return clg_fail(error, CLG_BAD_INPUT, NULL, "%s", why);
    size_t p = (size_t)pipeline.stages;
    int depths = pipeline.stages * pipeline.chunks;
    pipeline.forward_s = mean(times->forward_s, depths);
    pipeline.backward_input_s = mean(times->backward_input_s, depths);
    pipeline.backward_weight_s = mean(times->backward_weight_s, depths);
    clg_slots *stages = clg_take(arena, p, clg_slots);
    schedule->slots(arena, pipeline, stages);
    result->busy_s = clg_take(arena, p, double);
    result->start_s = clg_take(arena, p, double);
    result->end_s = clg_take(arena, p, double);
    placement w = {.p = pipeline,
                   .schedule = schedule,
                   .times = times,
                   .stages = stages,
                   .depths = depths,
                   .result = result};
    prepare(&w, arena);
    bool split = times->split_sends && times->send_s > 0;
    double free_sends = split ? run(&w) : 0;
    w.send_s = times->send_s;
    w.timeline = timeline;
    if (timeline) name_tracks(&w, arena);
    result->makespan_s = run(&w);
    result->critical_stage = busiest(&w);
    result->send_exposed_s = split ? result->makespan_s - free_sends : 0;
    if (result->send_exposed_s < 0) result->send_exposed_s = 0;
    return CLG_OK;
}
