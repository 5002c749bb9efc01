/* window.h -- the part of a trace that is in memory.
 *
 * A source fills it on demand, so that a compressed or huge file costs the size of its longest
 * event and not its own. */
#ifndef CLG_RECORD_WINDOW_H
#define CLG_RECORD_WINDOW_H

#include "base/arena.h"
#include "record/scan.h"

/* A text in memory, and how much of it has been handed out. */
typedef struct clg_trace_memory {
    const char *text;
    size_t size, at;
} clg_trace_memory;

/* Where text comes from: up to `capacity` bytes into `to`; 0 at the end, or when the rest cannot be
 * had (`cut` is then set by the source). */
typedef struct clg_trace_source {
    size_t (*fill)(void *context, char *to, size_t capacity);
    void *context;
    clg_trace_memory *memory; /* where all of it lies in memory already, so that nobody need copy
                                 it; else NULL */
} clg_trace_source;

/* A source that hands out a text in memory; both live as long as what is read. */
clg_trace_source clg_trace_from_memory(clg_trace_memory *memory);

typedef struct clg_window {
    clg_arena *arena;
    clg_trace_source source;
    const char *data; /* in `room`, or in the text that is in memory */
    char *room;
    size_t at, size, capacity;
    int64_t offset; /* of data[0] in the text, bytes */
    bool final;     /* the source is empty */
} clg_window;

/* Drops what lies before `at` and fetches more; false when nothing more came, because the text is
 * over or because one value is longer than any should be. */
bool clg_window_more(clg_window *window);

/* The next byte that is neither blank nor comma, or 0 at the end. */
char clg_window_next(clg_window *window);

clg_scan clg_window_scan(const clg_window *window);

#endif
