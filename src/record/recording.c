/* recording.c -- what one file held, to travel between processes. */
#include "record/recording.h"

#include "record/travel.h"

#include <stdio.h>

static void walk_words(clg_parcel *p, char *words, size_t size) {
    const char *read = clg_parcel_text(p, words);
    if (!p->out) snprintf(words, size, "%s", read);
}

static void walk_error(clg_parcel *p, clg_error *e) {
    e->status = (clg_status)clg_parcel_integer(p, e->status, CLG_OK, CLG_BAD_USAGE);
    walk_words(p, e->file, sizeof e->file);
    e->line = (int)clg_parcel_integer(p, e->line, 0, INT32_MAX);
    e->column = (int)clg_parcel_integer(p, e->column, 0, INT32_MAX);
    walk_words(p, e->field, sizeof e->field);
    walk_words(p, e->message, sizeof e->message);
    walk_words(p, e->mend, sizeof e->mend);
}

static void walk_traces(clg_parcel *p, clg_recording *r) {
    size_t count = (size_t)r->count;
    r->traces = clg_parcel_array(p, r->traces, &count, sizeof *r->traces, 40);
    r->count = (int)count;
    for (size_t i = 0; i < count; i++) clg_walk_trace(p, r->file, &r->traces[i]);
}

void clg_recording_walk(clg_parcel *p, clg_recording *r) {
    if (clg_parcel_integer(p, CLG_RECORDING_FORM, 0, INT32_MAX) != CLG_RECORDING_FORM)
        clg_parcel_break(p, "another form");
    if (!p->out) r->benchmarks.arena = r->logs.arena = p->arena;
    if (!p->out) r->stages.arena = r->executions.arena = p->arena;
    r->status = (clg_status)clg_parcel_integer(p, r->status, CLG_OK, CLG_BAD_USAGE);
    walk_error(p, &r->error);
    walk_traces(p, r);
    clg_walk_nccl_rows(p, r->file, &r->benchmarks);
    clg_walk_train_logs(p, r->file, &r->logs);
    clg_walk_stages(p, r->file, &r->stages);
    clg_walk_executions(p, r->file, &r->executions);
    clg_walk_memory(p, r->file, &r->memory);
}

#define APPEND(list, items)                                                                        \
    for (size_t i = 0; i < one->list.count; i++)                                                   \
    CLG_APPEND(&all->arena, all->list.items, all->list.count, all->list.capacity,                  \
               one->list.items[i])

void clg_recording_append(clg_recording *all, clg_recording *one) {
    all->arena = one->arena;
    size_t count = (size_t)all->count, capacity = count;
    for (int i = 0; i < one->count; i++)
        CLG_APPEND(&all->arena, all->traces, count, capacity, one->traces[i]);
    all->count = (int)count;
    /* What grows later, grows in the memory that is left. */
    for (int i = 0; i < all->count; i++)
        all->traces[i].timeline.arena = all->traces[i].groups.arena =
            all->traces[i].groups.map.arena = &all->arena;
    APPEND(benchmarks, row);
    APPEND(logs, log);
    APPEND(stages, file);
    APPEND(executions, file);
    APPEND(memory, use);
}

#undef APPEND
