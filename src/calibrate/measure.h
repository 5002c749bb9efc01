/* measure.h -- which measurements to make before deciding, the most telling per GPU-hour first.
 *
 * The decision is one plan, where its interval should be narrow, or which of a few plans to take,
 * where the right one should be found. Every measurement is readings of the terms of doubts.h; its
 * worth is what the belief in the decision gains by it after those already chosen, over its
 * GPU-hours. Greedy, twice: by worth per GPU-hour and by worth alone, the better of the two
 * (Leskovec et al. 2007, KDD, 3.2). Left out: attention kernels and host launches alone, which the
 * probe does not time. What things cost and tell is data/accuracy/measurements.json. */
#ifndef CLG_CALIBRATE_MEASURE_H
#define CLG_CALIBRATE_MEASURE_H

#include "calibrate/doubts.h"
#include "explain/operations.h"

enum { CLG_MEASURE_PLANS = 4, CLG_MEASUREMENTS = 64, CLG_MEASUREMENT_READINGS = 3 };

typedef enum clg_measurement_kind {
    CLG_MEASURE_PRODUCTS,    /* this plan's shapes, on one GPU */
    CLG_MEASURE_STREAMS,     /* this plan's memory-bound kernels, on one GPU */
    CLG_MEASURE_COLLECTIVES, /* of one group of the plan */
    CLG_MEASURE_LAYER,       /* the operations of a model-parallel group, one by one */
    CLG_MEASURE_STEP         /* whole steps */
} clg_measurement_kind;

typedef struct clg_measurement {
    clg_measurement_kind kind;
    int plan;                         /* which of the plans */
    int gpus, nodes;                  /* taking part */
    clg_group group;                  /* of collectives */
    bool collective[CLG_COLLECTIVES]; /* which of them */
    double least_bytes, most_bytes;   /* of their messages */
    clg_layout layout;                /* of steps, and what they should take */
    double step_s;
    double seconds, gpu_s;                                /* of the measuring */
    clg_belief_reading reading[CLG_MEASUREMENT_READINGS]; /* what it will say */
    int readings;
} clg_measurement;

/* What is known at some point. */
typedef struct clg_known {
    double p10_s, p90_s; /* of the first plan's step, around today's prediction */
    double log_sigma;    /* mean of its two sides */
    /* of several plans; 1 and 0 of one: */
    double right;  /* chance that the better of the first and its closest rival is taken */
    double regret; /* expected loss of speed, as a share, against knowing the better one */
    int rival;     /* which */
} clg_known;

typedef struct clg_measure_ask {
    const clg_scenario *scenario;
    const clg_evaluation *plan; /* fastest first; of this scenario */
    int plans;                  /* 1: the interval of one; more: which of them */
    double budget_s;            /* of measuring, one after the other */
    int most_gpus;              /* there are to measure on */
} clg_measure_ask;

typedef struct clg_agenda {
    clg_doubt_shares doubts;
    double share[CLG_DOUBT_TERMS]; /* of the first plan's variance */
    double own_share;
    clg_known now, after[CLG_MEASUREMENTS]; /* after each that was chosen */
    clg_measurement chosen[CLG_MEASUREMENTS];
    int count;
    clg_measurement all[CLG_MEASUREMENTS]; /* that could be made */
    clg_known alone[CLG_MEASUREMENTS];     /* with nothing but that one */
    int candidates;
    int not_fitting; /* steps on fewer nodes that do not fit, or cannot be split so */
    clg_operations_table operations; /* of the first plan */
    double probe_s;                  /* as the data have it */
    int steps;
} clg_agenda;

clg_status clg_measure(clg_arena *arena, const clg_measure_ask *ask, clg_agenda *agenda,
                       clg_error *error);

/* What a measurement costs, and how well it tells: data/accuracy/measurements.json. */
typedef struct clg_measuring {
    double kernel_noise, link_noise, step_noise, beyond, growth, full_pool, probe_s, group_setup_s,
        step_setup_s, steps;
} clg_measuring;

clg_status clg_measuring_find(clg_arena *arena, clg_measuring *measuring, clg_error *error);

/* Internal to measure*.c: fills agenda->all. `weight` of each plan. */
clg_status clg_measure_candidates(clg_arena *arena, const clg_measure_ask *ask,
                                  const clg_measuring *measuring,
                                  const double (*weight)[CLG_DOUBT_TERMS], clg_agenda *agenda,
                                  clg_error *error);

#endif
