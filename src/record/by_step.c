/* by_step.c -- steps of a trace. */
#include "record/by_step.h"

#include "base/first.h"
#include "base/order.h"

/* Events by step: those of step s are order[first[s]] to order[first[s + 1] - 1]. A trace without
 * steps is one step; events of no step are left out. */
typedef struct step_order {
    size_t steps;
    uint32_t *order;
    size_t *first;
} step_order;

static int by_start(const void *a, const void *b) {
    const clg_trace_step *x = a, *y = b;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* The step whose annotation holds a time, or -1. */
static int32_t step_at(const clg_trace *t, int64_t at_ns) {
    size_t later;
    CLG_FIRST(later, 0, t->step_count, t->step[later].start_ns > at_ns);
    if (later == 0) return -1;
    const clg_trace_step *s = &t->step[later - 1];
    return at_ns - s->start_ns < s->duration_ns ? (int32_t)(later - 1) : -1;
}

static int32_t step_of(clg_trace *t, size_t event) {
    bool launched = t->launch_ns && t->launch_ns[event] != INT64_MIN;
    int32_t step = step_at(t, launched ? t->launch_ns[event] : t->timeline.events[event].start_ns);
    if (step >= 0) {
        t->step[step].events++;
        t->step[step].unlaunched += !launched;
    }
    return step;
}

static step_order order_of_steps(clg_arena *scratch, const clg_trace *t) {
    size_t count = t->timeline.count, steps = t->event_step ? t->step_count : 1;
    step_order o = {steps, clg_take(scratch, count + 1, uint32_t),
                    clg_take(scratch, steps + 2, size_t)};
    for (size_t i = 0; i < count; i++) {
        int32_t step = t->event_step ? t->event_step[i] : 0;
        if (step >= 0) o.first[step + 2]++;
    }
    for (size_t s = 1; s <= steps; s++) o.first[s + 1] += o.first[s];
    for (size_t i = 0; i < count; i++) {
        int32_t step = t->event_step ? t->event_step[i] : 0;
        if (step >= 0) o.order[o.first[step + 1]++] = (uint32_t)i;
    }
    return o;
}

static void make_ledgers(clg_arena *scratch, clg_trace *t) {
    step_order o = order_of_steps(scratch, t);
    clg_event *events = clg_take(scratch, t->timeline.count + 1, clg_event);
    for (size_t s = 0; s < o.steps; s++) {
        clg_arena_mark mark = clg_arena_here(scratch);
        clg_timeline part = t->timeline;
        part.events = events;
        part.count = o.first[s + 1] - o.first[s];
        for (size_t i = 0; i < part.count; i++)
            events[i] = t->timeline.events[o.order[o.first[s] + i]];
        t->step[s].ledger = clg_timeline_ledger(scratch, &part, t->rank);
        clg_arena_back_to(scratch, mark);
    }
}

void clg_steps_assign(clg_arena *scratch, clg_trace *t) {
    if (t->step_count == 0 || t->timeline.count == 0) return;
    clg_order(scratch, t->step, t->step_count, sizeof *t->step, by_start);
    t->event_step = clg_take(t->timeline.arena, t->timeline.count, int32_t);
    for (size_t i = 0; i < t->timeline.count; i++) t->event_step[i] = step_of(t, i);
    make_ledgers(scratch, t);
}
