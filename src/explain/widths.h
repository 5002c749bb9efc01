/* widths.h -- a layout with tensor parallelism narrower and wider, and whom its groups talk to.
 *
 * The rule of the field (tensor parallel inside the fast domain, pipeline across nodes, data
 * parallel outermost) is not written down anywhere: it has to come out of these numbers. */
#ifndef CLG_EXPLAIN_WIDTHS_H
#define CLG_EXPLAIN_WIDTHS_H

#include "evaluate/evaluate.h"

/* One group of ranks of a layout. */
typedef struct clg_group_row {
    const char *name;
    clg_group group;
    double bus_bytes_per_s; /* of a collective of 64 MiB in it, as nccl-tests counts */
    double exposed_s;       /* of the step, over all its collectives */
    bool fast_link_limits;  /* that collective: by links inside a domain, not by the fabric */
} clg_group_row;

enum { CLG_GROUP_ROWS = 6, CLG_WIDTHS = 8 };

/* Groups of more than one rank; `plan` is the evaluated layout. Returns how many. */
int clg_group_rows(clg_arena *arena, const clg_scenario *scenario, const clg_evaluation *plan,
                   clg_group_row into[CLG_GROUP_ROWS]);

typedef struct clg_width {
    clg_group group; /* the tensor group */
    double bus_bytes_per_s;
    clg_evaluation plan;
} clg_width;

/* The layout at tp 1, 2, 4, ...: what is free is data-parallel, micro-batch and pipeline stay.
 * Degrees that are not legal are left out. Returns how many. */
int clg_rank_widths(clg_arena *arena, const clg_scenario *scenario, const clg_layout *layout,
                    clg_width into[CLG_WIDTHS]);

#endif
