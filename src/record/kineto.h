/* kineto.h -- internal to kineto.c, which reads the text, and kineto_event.c, which says what its
 * events mean: what is known of a recording while it is read. */
#ifndef CLG_RECORD_KINETO_H
#define CLG_RECORD_KINETO_H

#include "record/event.h"
#include "record/launches.h"
#include "record/ranges.h"

/* A process group that the header describes. */
typedef struct clg_kineto_group {
    clg_slice name, ranks, description;
    int64_t size;
} clg_kineto_group;

typedef struct clg_kineto {
    clg_arena *arena;  /* what lives on */
    clg_arena scratch; /* what does not */
    clg_window window;
    const clg_csv *table;
    clg_trace *trace;
    clg_intern names;
    size_t kernel_capacity;
    clg_map tracks;
    int64_t *device; /* [tracks] of their events */
    size_t device_count, device_capacity;
    clg_launches launches;
    clg_ranges ranges;
    clg_slice devices; /* deviceProperties as written */
    clg_kineto_group *group;
    size_t group_count, group_capacity;
    int64_t base_ns;
    int64_t rescanned;             /* bytes read again after damage */
    bool events_seen, closed, cut; /* closed: the text came to its end; cut: within an event */
} clg_kineto;

/* Counts events that were lost at a byte, and why. */
void clg_kineto_lose(clg_kineto *reader, int64_t byte, int64_t lost, const char *reason);

/* Takes an event that was read whole into the trace: GPU work, launch, call, step or product; or
 * counts it as lost. */
void clg_kineto_take(clg_kineto *reader, const clg_trace_event *event, int64_t byte);

/* A trace for each GPU on which kernels ran, from the one that has all of them. */
void clg_kineto_split(clg_kineto *reader, clg_trace **traces, int *count);

/* The number of a group by name and ranks as written; made when it is new. */
uint32_t clg_kineto_group_of(clg_kineto *reader, clg_slice name, clg_slice ranks);

#endif
