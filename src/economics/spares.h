/* spares.h -- what one more node of spares is worth.
 *
 * A failure takes its node out until it is repaired. So many are out at a time as a Poisson
 * distribution with mean failures x repair says (Palm's theorem: whatever the spread of repairs).
 * With k spares the job stands still while more than k are out. Taken wide: all nodes are taken to
 * have run for long when the job starts, and it is not resized meanwhile. */
#ifndef CLG_ECONOMICS_SPARES_H
#define CLG_ECONOMICS_SPARES_H

#include "economics/goodput.h"

typedef struct clg_spares {
    double nodes_out; /* at a time, mean */
    int nodes;        /* beyond which one more costs more than it saves; without a price, with which
                         less than 1 % of the time is lost */
    double still_without, still_with; /* share of the time the job stands still: none, so many */
    double node_usd;                  /* what one spare node costs over the run; 0: no price */
    double first_usd, next_usd;       /* what the first saves; and the one after the last */
} clg_spares;

/* How often and how long a job stands still for want of a node. */
typedef struct clg_stops {
    double share;                /* of the time, 0..1 */
    double per_s, mean_length_s; /* of time in which it does not stand still */
} clg_stops;

/* With so many spare nodes, failures coming `often` times as often as expected. None where no node
 * fails. */
clg_stops clg_stops_of(const clg_operations *operations, double gpus, int spares, double often);

/* The chance that more than `most` events come where `mean` are expected (Poisson). */
double clg_poisson_above(double mean, int most);

/* All 0 without failures or repairs, and where over 500 nodes were out at a time. Of a run of
 * `seconds` on so many GPUs, `node_gpus` to a node, at `usd_per_s` per GPU. */
clg_spares clg_spares_of(const clg_operations *operations, double gpus, double node_gpus,
                         double seconds, double usd_per_s);

#endif
