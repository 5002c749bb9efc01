/* diagnose.h -- the model run backwards: which cause, at what strength, explains a measurement.
 *
 *   P(cause | measured)  ~  prior(cause) x mean over strengths of L(measured | step priced so)
 *
 * L is a density of the log of the step with the P10 and P90 of the plan's own interval, each on
 * its side: normal where nothing is wrong, for that is what the interval states (beyond P90 it
 * falls as beyond P10); Student's t with three degrees of freedom where something is, for how
 * strong a cause is says no interval. Strengths are taken as equally likely on a log scale between
 * the mildest and the worst of data/cause/. One cause at a time: two at once are told as the
 * stronger. What a healthy job waits for already is told by its own ledger, weighted with the
 * chance that the job is healthy. */
#ifndef CLG_DIAGNOSE_DIAGNOSE_H
#define CLG_DIAGNOSE_DIAGNOSE_H

#include "diagnose/cause.h"
#include "diagnose/evidence.h"
#include "diagnose/observe.h"
#include "diagnose/signs.h"

typedef enum clg_verdict { CLG_HEALTHY, CLG_SLOW, CLG_FAST } clg_verdict;
extern const clg_name clg_verdict_names[];

typedef struct clg_suspect {
    const char *name;
    clg_job_cause_facts facts;
    double probability;
    double strength;   /* the likeliest */
    double step_s;     /* as priced at that strength */
    double explains_s; /* of the measured step, what mending it would save */
    const char *line;  /* of the job's log, that speaks for it; NULL */
    double busy;       /* share of that step with a kernel running; below 0: not known */
    bool planned;      /* mostly what the plan itself waits for, not something wrong with it */
    bool tells_bus;    /* changes the bus bandwidth of an all-reduce over all nodes */
    bool bus_inside;   /* of one box, not over all nodes */
    double bus_bytes_per_s, planned_bus_bytes_per_s; /* 1 GiB; 0: one GPU */
} clg_suspect;

enum { CLG_SUSPECTS = 24 };

struct clg_diagnosis {
    clg_verdict verdict;
    clg_signs planned;                 /* of the job as planned */
    double healthy;                    /* chance that nothing is wrong with the job as planned */
    clg_suspect suspect[CLG_SUSPECTS]; /* by falling probability */
    int suspects;
    int next;       /* suspect whose measurement tells most; -1: none does, or the job is well */
    bool next_busy; /* first how busy GPUs are, which costs nothing */
};

/* The plan on other GPUs: as many micro-batches a rank, fewer or more data-parallel ranks. */
clg_status clg_diagnose_size(clg_arena *arena, const clg_scenario *scenario,
                             const clg_evaluation *plan, int64_t gpus, clg_evaluation *other,
                             clg_error *error);

/* `plan` in detail, of this scenario. */
clg_status clg_diagnose(clg_arena *arena, const clg_scenario *scenario, const clg_evaluation *plan,
                        const clg_observations *observations, clg_diagnosis *diagnosis,
                        clg_error *error);

#endif
