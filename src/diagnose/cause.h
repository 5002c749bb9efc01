/* cause.h -- what can make a step slower than its plan, each as a change to the scenario.
 *
 * A cause of strength `strength` is the same step priced in a world where it holds: nobody adds a
 * formula of its own. How common a cause is, and how strong it gets, is in data/cause/. */
#ifndef CLG_DIAGNOSE_CAUSE_H
#define CLG_DIAGNOSE_CAUSE_H

#include "evaluate/evaluate.h"

/* The world where a cause holds: scenario and layout to price, and what comes on top of a step. */
typedef struct clg_world {
    clg_arena *arena;
    clg_scenario *scenario;
    clg_layout layout;
    const clg_evaluation *plan; /* as planned */
    double more_s;              /* seconds on top of a step */
    double data_s;              /* of those: waiting for data */
    bool idles;         /* what it adds to the step, GPUs spend idle: not waiting for ranks */
    bool meets;         /* what comes on top, they wait in collectives */
    bool silent;        /* what GPUs do meanwhile is not known */
    double counted;     /* what was measured is so many steps; 1 */
    double memory_from; /* of the cause's facts */
} clg_world;

typedef struct clg_job_cause {
    const char *name; /* as in data/cause/ and the contract's list */
    /* Puts the cause into the world; false where it cannot be: one node, no experts, ... */
    bool (*holds)(clg_world *world, double strength);
    /* Seconds of the planned step that are due to it already; NULL: none can be told. */
    double (*planned_s)(clg_arena *arena, const clg_scenario *scenario, const clg_evaluation *plan);
} clg_job_cause;

/* All of them, in the order of the contract. */
const clg_job_cause *clg_job_causes(int *count);

enum { CLG_CAUSE_FACTORS = 32, CLG_CAUSE_LINES = 8, CLG_CAUSE_LEVELS = 3 };

/* How often it is, how strong it gets, what it looks like, how to find out. */
typedef struct clg_job_cause_facts {
    double prior;    /* weight, among all jobs */
    double possible; /* share of jobs where it can be at all; 1 where nothing bars it */
    double mildest, worst;
    double worst_said;                /* where the job's own settings have it; 0: no other */
    double factor[CLG_CAUSE_FACTORS]; /* strengths of form "count" */
    int factors;
    double counted;     /* how much likelier it is where operations were counted; 1: no more */
    double memory_from; /* it can be only where the plan fills so much of its memory; 0: always */
    bool comes;         /* it can come over a job whose settings stay as they are */
    const char *line[CLG_CAUSE_LINES]; /* of logs, that speak for it */
    int lines;
    const char *level[CLG_CAUSE_LEVELS]; /* strengths 1, 2, ... of form "level" in words */
    int levels;
    const char *form;    /* of the strength in words: share times excess either growth level steps
                            seconds flag count */
    const char *says;    /* a clause; {} stands for the strength */
    const char *measure; /* the cheapest measurement that shows it */
    const char *command; /* GPUS and PER_NODE stand for numbers of the job */
} clg_job_cause_facts;

clg_status clg_job_cause_facts_find(clg_arena *arena, const char *name, clg_job_cause_facts *facts,
                                    clg_error *error);

/* data/operations/diagnosis.json. */
typedef struct clg_diagnosis_rules {
    double measured_sigma, counts_sigma; /* of logarithms: how exact measurements are */
    double signs_sigma;                  /* of how busy GPUs are */
    double pair_sigma;   /* what is left of the interval between two sizes of one job */
    double felt;         /* share by which a world moves the step to be another than the planned */
    double told;         /* share by which a bus bandwidth must fall to tell a cause */
    double before_sigma; /* between two runs of one job whose settings stay */
    double line_odds;    /* how much likelier a cause is whose line the log has */
    double memory_full, memory_odds; /* share in use from where it is full; what that is worth */
    double large_bytes;              /* buffer of the collective that is to be measured */
    double beyond; /* sigmas beyond all that causes do, from where nothing is said */
    int strengths; /* tried of a cause; at most 64 */
} clg_diagnosis_rules;

clg_status clg_diagnosis_rules_find(clg_arena *arena, clg_diagnosis_rules *rules, clg_error *error);

#endif
