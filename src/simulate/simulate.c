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

/* One chunk of one stage: what its slots wait for, how long they take, where their ends are kept.
 * Ends are by micro-batch; negative: not placed. NULL: nothing before it. */
typedef struct lane {
    const double *forward_in, *input_in;
    double *forward_out, *input_out;
    double forward_delay_s, input_delay_s; /* the send that brings it, 0 within the stage */
    double seconds[CLG_SLOT_BACKWARD_WEIGHT + 1], blocks[CLG_SLOT_BACKWARD_WEIGHT + 1];
} lane;

typedef struct placement {
    clg_pipeline p;
    const clg_schedule *schedule;
    const clg_pipeline_times *times;
    bool free; /* sends take no time */
    const clg_slots *stages;
    int depths, lanes;   /* lanes of a stage: chunks, or directions */
    int *stage_of;       /* [direction][depth]: stage that works on it */
    lane *lane;          /* [stage * lanes + chunk] */
    double *forward_end; /* [depth * m + micro-batch] */
    double *input_end;
    int *cursor; /* [stage] */
    double *now; /* [stage] */
    clg_pipeline_result *result;
    clg_timeline *timeline;
    uint16_t *track;
    uint32_t *name;
} placement;

/* When the slot's inputs are there; negative if something it waits for is not placed yet. */
static double ready_at(const lane *l, const clg_slot *slot) {
    int mb = slot->micro_batch;
    if (slot->kind == CLG_SLOT_BACKWARD_WEIGHT) return 0; /* after its input pass, same stage */
    if (slot->kind == CLG_SLOT_FORWARD) {
        if (!l->forward_in) return 0;
        double end = l->forward_in[mb];
        return end < 0 ? end : end + l->forward_delay_s;
    }
    if (l->forward_out[mb] < 0 || !l->input_in) return l->forward_out[mb];
    double end = l->input_in[mb];
    return end < 0 ? end : end + l->input_delay_s;
}

static void draw(placement *w, int stage, const clg_slot *slot, double start, double end) {
    clg_event event = {.start_ns = (int64_t)(start * 1e9 + 0.5),
                       .name = w->name[slot->kind],
                       .track = w->track[stage],
                       .work = CLG_WORK_COMPUTE,
                       .micro_batch = slot->micro_batch,
                       .detail = slot->chunk};
    event.duration_ns = (int64_t)(end * 1e9 + 0.5) - event.start_ns;
    clg_timeline_add(w->timeline, event);
}

/* Advances one stage as far as it goes; true if it moved. */
static bool advance(placement *w, int stage) {
    const clg_slots *slots = &w->stages[stage];
    const lane *lanes = &w->lane[stage * w->lanes];
    int from = w->cursor[stage], at = from;
    double now = w->now[stage], busy = w->result->busy_s[stage], end = w->result->end_s[stage];
    for (; at < slots->count; at++) {
        const clg_slot *slot = &slots->slot[at];
        const lane *l = &lanes[slot->chunk];
        double ready = ready_at(l, slot);
        if (ready < 0) break;
        double start = now > ready ? now : ready;
        if (at == 0) w->result->start_s[stage] = start;
        end = start + l->seconds[slot->kind];
        busy += l->seconds[slot->kind];
        now = end + l->blocks[slot->kind];
        if (slot->kind == CLG_SLOT_FORWARD)
            l->forward_out[slot->micro_batch] = end;
        else if (slot->kind != CLG_SLOT_BACKWARD_WEIGHT)
            l->input_out[slot->micro_batch] = end;
        if (w->timeline) draw(w, stage, slot, start, end);
    }
    w->cursor[stage] = at;
    w->now[stage] = now;
    w->result->busy_s[stage] = busy;
    w->result->end_s[stage] = end;
    return at > from;
}

/* The send between this stage and that of the chunk at `depth`, in the same direction. */
static double send_s(const placement *w, int direction, int depth, int stage) {
    const clg_pipeline_times *t = w->times;
    if (w->free || depth < 0 || depth >= w->depths) return 0;
    int other = w->stage_of[direction * w->depths + depth];
    if (other == stage) return 0;
    return t->together > 1 && other / t->together == stage / t->together ? t->inside_s : t->send_s;
}

static lane lane_of(const placement *w, int stage, int chunk) {
    const clg_pipeline_times *t = w->times;
    int direction = w->schedule->weight_copies == 2 ? chunk : 0, m = w->p.micro_batches;
    int depth = w->schedule->depth(w->p, stage, chunk);
    double input_s = t->backward_input_s[depth], weight_s = t->backward_weight_s[depth];
    lane l = {.forward_out = w->forward_end + (size_t)depth * (size_t)m,
              .input_out = w->input_end + (size_t)depth * (size_t)m,
              .seconds = {t->forward_s[depth], input_s + weight_s, input_s, weight_s}};
    double down_s = send_s(w, direction, depth + 1, stage);
    double up_s = send_s(w, direction, depth - 1, stage);
    if (depth > 0) l.forward_in = l.forward_out - m;
    if (depth < w->depths - 1) l.input_in = l.input_out + m;
    l.forward_delay_s = up_s;
    l.input_delay_s = down_s;
    if (!t->send_blocks) return l;
    l.blocks[CLG_SLOT_FORWARD] = down_s;
    l.blocks[CLG_SLOT_BACKWARD] = l.blocks[CLG_SLOT_BACKWARD_INPUT] = up_s;
    return l;
}

static void reset(placement *w) {
    size_t cells = (size_t)w->depths * (size_t)w->p.micro_batches, p = (size_t)w->p.stages;
    for (size_t i = 0; i < cells; i++) w->forward_end[i] = w->input_end[i] = -1;
    memset(w->cursor, 0, p * sizeof *w->cursor);
    memset(w->now, 0, p * sizeof *w->now);
    memset(w->result->busy_s, 0, p * sizeof(double));
    for (int i = 0; i < w->p.stages; i++)
        for (int c = 0; c < w->lanes; c++) w->lane[i * w->lanes + c] = lane_of(w, i, c);
}

/* A stage that goes on with the next step as soon as it is done: its step lasts from its own first
 * pass to its own last one, and those of all stages follow one another like tiles. */
static void own_clock(clg_pipeline_result *result, int stage) {
    result->end_s[stage] -= result->start_s[stage];
    result->start_s[stage] = 0;
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
        if (w->schedule->crosses_steps) own_clock(w->result, i);
        assert(w->cursor[i] == w->stages[i].count); /* else the schedule deadlocks: a bug */
        if (w->result->end_s[i] > end) end = w->result->end_s[i];
    }
    return end;
}

static void prepare(placement *w, clg_arena *arena) {
    int directions = w->schedule->weight_copies == 2 ? 2 : 1;
    w->lanes = directions == 2 ? 2 : w->p.chunks;
    w->stage_of = clg_take(arena, (size_t)(directions * w->depths), int);
    w->lane = clg_take(arena, (size_t)(w->p.stages * w->lanes), lane);
    for (int s = 0; s < w->p.stages; s++)
        for (int c = 0; c < w->lanes; c++) {
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
    clg_schedule_slots(arena, pipeline, stages);
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
    w.free = split;
    double free_sends = split ? run(&w) : 0;
    w.free = false;
    w.timeline = timeline;
    if (timeline) name_tracks(&w, arena);
    result->makespan_s = run(&w);
    result->critical_stage = busiest(&w);
    result->send_exposed_s = split ? result->makespan_s - free_sends : 0;
    if (result->send_exposed_s < 0) result->send_exposed_s = 0;
    return CLG_OK;
}
