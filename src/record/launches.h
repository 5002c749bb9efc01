/* launches.h -- from a kernel to its launch and to the operator around it. */
#ifndef CLG_RECORD_LAUNCHES_H
#define CLG_RECORD_LAUNCHES_H

#include "record/product.h"
#include "record/trace.h"

/* A call of the runtime that put work on the GPU. */
typedef struct clg_launch {
    uint64_t thread;
    int64_t start_ns;
} clg_launch;

/* A CPU operator that describes a collective: nccl:all_reduce, record_param_comms. */
typedef struct clg_recorded {
    uint64_t thread;
    int64_t start_ns, end_ns;
    clg_trace_description what;
} clg_recorded;

/* A stretch of time on the CPU. */
typedef struct clg_stretch {
    int64_t start_ns, duration_ns;
} clg_stretch;

typedef struct clg_launches {
    clg_arena *arena;
    clg_map by_correlation;
    clg_launch *launch;
    size_t count, capacity;
    clg_recorded *recorded;
    size_t recorded_count, recorded_capacity;
    clg_product *product;
    size_t product_count, product_capacity;
    clg_stretch *loading; /* waiting for the data loader */
    size_t loading_count, loading_capacity;
} clg_launches;

/* Fills what kernels do not say about their collectives from the operators that launched them. */
void clg_launches_describe(clg_launches *launches, clg_trace *trace);

/* Gives every product the longest of the kernels launched inside its operator, and the trace its
 * products and their FLOPs. */
void clg_launches_multiply(clg_launches *launches, clg_trace *trace);

/* Keeps when the work of a trace was launched. */
void clg_launches_keep(const clg_launches *launches, clg_trace *trace);

/* Splits the idle time of a trace whose ledger is done. */
void clg_launches_split_idle(clg_launches *launches, clg_trace *trace);

#endif
