/* memory_use.h -- GPU memory over a recording: what was held throughout, the peak, and what it
 * consisted of where the recording tells. Bytes are those that tensors take (allocated), not what
 * the allocator holds from the driver (reserved). */
#ifndef CLG_RECORD_MEMORY_USE_H
#define CLG_RECORD_MEMORY_USE_H

#include "base/arena.h"
#include "base/name.h"

#include <stdbool.h>
#include <stdint.h>

/* As torch.profiler's memory profile tells them apart, in its order. */
typedef enum clg_held_kind {
    CLG_HELD_PARAMETER,
    CLG_HELD_OPTIMIZER,
    CLG_HELD_INPUT,
    CLG_HELD_TEMPORARY,
    CLG_HELD_ACTIVATION,
    CLG_HELD_GRADIENT,
    CLG_HELD_AUTOGRAD,
    CLG_HELD_UNKNOWN,
    CLG_HELD_KINDS
} clg_held_kind;
extern const clg_name clg_held_kind_names[];

enum { CLG_MEMORY_BINS = 32, CLG_MEMORY_SITES = 4 };

/* A place in a program, and what it had allocated at the peak. */
typedef struct clg_memory_site {
    const char *where;
    int64_t bytes;
} clg_memory_site;

typedef struct clg_memory_use {
    const char *file;                /* NULL: nothing is known */
    int32_t rank;                    /* -1: not said */
    int64_t changes;                 /* allocations and frees */
    int64_t least_bytes, peak_bytes; /* allocated; least: held throughout */
    int64_t reserved_bytes;          /* at most; -1: not said */
    int64_t span_ns, peak_ns;        /* of the recording; the peak, from its start; -1: no times */
    bool kinds;                      /* `at_peak` is known */
    int64_t at_peak[CLG_HELD_KINDS]; /* bytes; they add up to the peak */
    int64_t bin[CLG_MEMORY_BINS];    /* the most in each equal part of the span */
    clg_memory_site site[CLG_MEMORY_SITES]; /* who holds most at the peak */
    int sites;
    int64_t refused_bytes, free_bytes; /* memory ran out when so much was asked for, and so much was
                                          free; -1: it did not */
    int64_t left_out;                  /* segments of the file that no GPU of it was seen to hold */
} clg_memory_use;

typedef struct clg_memory_uses {
    clg_memory_use *use;
    size_t count, capacity;
} clg_memory_uses;

/* What was allocated from a moment on. */
typedef struct clg_memory_point {
    int64_t at_ns, allocated_bytes;
} clg_memory_point;

/* All but file, rank, reserved bytes and kinds; puts the points in order of time. At least one. */
clg_memory_use clg_memory_use_of(clg_memory_point *points, size_t count);

#endif
