/* kineto.h -- internal to kineto.c, which reads the text, and kineto_event.c, which says what its
 * events mean: what is known of a recording while it is read. */
#ifndef CLG_RECORD_KINETO_H
#define CLG_RECORD_KINETO_H

#include "base/cores.h"
#include "record/event.h"
#include "record/launches.h"
#include "record/ranges.h"

/* A process group that the header describes. */
typedef struct clg_kineto_group {
    clg_slice name, ranks, description;
    int64_t size;
} clg_kineto_group;

/* What PyTorch's allocator had given out on a GPU. */
typedef struct clg_kineto_memory {
    clg_memory_point point;
    int64_t reserved_bytes, device;
} clg_kineto_memory;

typedef struct clg_kineto {
    clg_arena *arena;  /* what lives on */
    clg_arena scratch; /* what does not */
    clg_window window;
    const clg_csv *table;
    const clg_cores *cores; /* that may help; NULL: none */
    clg_trace *trace;
    clg_intern names;
    size_t kernel_capacity;
    clg_map tracks;
    int64_t *device; /* [tracks] of their events */
    size_t device_count, device_capacity;
    clg_kineto_memory *memory;
    size_t memory_count, memory_capacity;
    int ranks; /* traces it becomes */
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

/* What an event is, seen by itself. */
typedef struct clg_kineto_verdict {
    bool counted;      /* it has a phase */
    const char *fault; /* why it is lost; NULL: it is not */
    int64_t start_ns, duration_ns;
} clg_kineto_verdict;

/* False where the event has to be counted as read and is of no further use. Knows of no other
 * event: threads may ask at once. */
bool clg_kineto_judge(const clg_trace_event *event, clg_kineto_verdict *verdict);

/* Takes an event that was read whole into the trace: GPU work, launch, call, step or product; or
 * counts it as lost. */
void clg_kineto_take(clg_kineto *reader, const clg_trace_event *event,
                     const clg_kineto_verdict *verdict, int64_t byte);

/* Keeps what the allocator says of a GPU, where totals are said (torch 1.12 and later). */
void clg_kineto_take_memory(clg_kineto *reader, const clg_trace_event *event, int64_t at_ns);

/* Gives a trace the memory of its GPU. */
void clg_kineto_sum_memory(clg_kineto *reader, clg_trace *trace);

/* From the first event on that the window stands at: reads events on several cores as long as
 * nothing but events comes, and leaves the window at what does. What is read is what is read
 * without. */
void clg_kineto_read_ahead(clg_kineto *reader);

/* A trace for each GPU on which kernels ran, from the one that has all of them. */
void clg_kineto_split(clg_kineto *reader, clg_trace **traces, int *count);

/* The number of a group by name and ranks as written; made when it is new. */
uint32_t clg_kineto_group_of(clg_kineto *reader, clg_slice name, clg_slice ranks);

#endif
