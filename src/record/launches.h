/* launches.h -- from a kernel to its launch and to the operator around it. */
#ifndef CLG_RECORD_LAUNCHES_H
#define CLG_RECORD_LAUNCHES_H

#include "record/product.h"
#include "record/trace.h"
#include "timeline/sweeping.h"

/* A call of the runtime that put work on the GPU. */
typedef struct clg_recorded_launch {
    uint64_t thread;
    int64_t start_ns;
    uint32_t kernel; /* number in `kernels`, and one; 0: not told */
} clg_recorded_launch;

/* A CPU operator that describes a collective: nccl:all_reduce, record_param_comms. */
typedef struct clg_recorded {
    uint64_t thread;
    int64_t start_ns, end_ns;
    clg_trace_description what;
} clg_recorded;

/* What no launch of work has for its place. */
#define CLG_NO_LAUNCH UINT32_MAX

typedef struct clg_launches {
    clg_arena *arena;
    clg_map by_correlation;
    clg_intern kernels;
    uint32_t *of; /* [events] of the trace in hand: places in `launch` */
    clg_recorded_launch *launch;
    size_t count, capacity;
    clg_recorded *recorded;
    size_t recorded_count, recorded_capacity;
    clg_product *product;
    size_t product_count, product_capacity;
} clg_launches;

/* Finds the launches of the work of a trace: all that follows is about that one. */
void clg_launches_find(clg_launches *launches, const clg_trace *trace);

/* Fills what kernels do not say about their collectives from the operators that launched them. */
void clg_launches_describe(clg_launches *launches, clg_trace *trace);

/* Gives every product the kernels launched inside its operator, and the trace its products, their
 * FLOPs, and how much of its products' time they explain. */
void clg_launches_multiply(clg_launches *launches, clg_trace *trace);

/* The product in whose operator a launch lies, or NULL; once they are multiplied. */
const clg_product *clg_launches_product(const clg_launches *launches,
                                        const clg_recorded_launch *launch);

/* Gives an event that does work of a product its share of the FLOPs, by its time. */
void clg_launches_price(clg_trace *trace, size_t at, const clg_product *product);

/* Keeps when the work of a trace was launched. */
void clg_launches_keep(const clg_launches *launches, clg_trace *trace);

/* Splits the idle time of a trace whose ledger is done and whose launches are kept. */
void clg_trace_split_idle(clg_arena *scratch, clg_trace *trace);

/* What held the GPU up, for a sweep: stretches of host work as class `first` and following, in the
 * order of clg_host_work; after them, as the next class, from when the GPU fell idle until the
 * launch of the work that it did next began. */
enum { CLG_HOLDUPS = CLG_HOST_ALLOCATOR + 2 };
clg_sweep_part *clg_trace_holdups(clg_arena *arena, const clg_trace *trace, int first,
                                  size_t *count);

#endif
