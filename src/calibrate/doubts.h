/* doubts.h -- the interval of a plan as terms that can be measured one by one.
 *
 * The width of the interval is not decided here: it is that of evaluate/. Here it is shared out.
 * What kernels and links are known to be off by (the sigma of their curves) times how much the step
 * hangs on them (priced again, a little slower) is theirs, as far as the interval has room for it;
 * the rest is software, how much traffic hides, the host, experts, and what no plan says,
 * which only whole steps show. What differs between two plans of one job beyond that is each
 * plan's own (difference.h). Errs: terms count as independent. */
#ifndef CLG_CALIBRATE_DOUBTS_H
#define CLG_CALIBRATE_DOUBTS_H

#include "calibrate/beliefs.h"
#include "evaluate/difference.h"
#include "evaluate/scenario.h"

typedef enum clg_doubt_term {
    CLG_DOUBT_PRODUCTS,
    CLG_DOUBT_ATTENTION,
    CLG_DOUBT_STREAMS, /* kernels bound by memory, the optimizer */
    CLG_DOUBT_INSIDE,  /* links inside a node */
    CLG_DOUBT_BETWEEN, /* and between nodes */
    CLG_DOUBT_OVERLAP, /* how much traffic hides */
    CLG_DOUBT_HOST,    /* seconds a step, weighed by its length */
    CLG_DOUBT_SOFTWARE,
    CLG_DOUBT_EXPERTS, /* these two make the late side of an interval wider, not the early one */
    CLG_DOUBT_LATE,    /* what no plan says */
    CLG_DOUBT_TERMS
} clg_doubt_term;
extern const clg_name clg_doubt_names[];

typedef struct clg_doubt_shares {
    clg_difference difference;
    double sigma[CLG_DOUBT_TERMS]; /* of each term; of the host in seconds */
    double own;                    /* variance of what is a plan's own, at least */
} clg_doubt_shares;

/* ln(step) by term of a plan as derivatives; `evaluation` must be of this scenario. */
clg_status clg_doubts_weights(clg_arena *arena, const clg_scenario *scenario,
                              const clg_evaluation *evaluation, double weight[CLG_DOUBT_TERMS],
                              clg_error *error);

/* The doubts behind one plan's interval: its variance is the sum of (weight x sigma)^2 and own. */
clg_status clg_doubts_of(clg_arena *arena, const clg_scenario *scenario,
                         const clg_evaluation *evaluation, const double weight[CLG_DOUBT_TERMS],
                         clg_doubt_shares *doubts, clg_error *error);

/* A reading of the early side of an interval, from that of the late one. */
clg_belief_reading clg_doubts_early(const clg_belief_reading *late);

/* Beliefs of the terms; what is plans' own has variance 0. */
clg_beliefs clg_doubts_beliefs(const clg_doubt_shares *doubts);

/* Variance of ln(a/b) that the terms tell apart. */
double clg_doubts_apart(const clg_doubt_shares *doubts, const double a[CLG_DOUBT_TERMS],
                        const double b[CLG_DOUBT_TERMS]);

#endif
