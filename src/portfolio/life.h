/* life.h -- one life of a cluster: jobs come, wait, run, fail, end.
 *
 * An event simulation. The queue is in order of priority, then arrival, with EASY backfill (Lifka
 * 1995): the first that does not fit is promised the earliest time at which it will, by what the
 * running jobs are expected to take; others may pass it if they do not delay it. A job that may run
 * at several sizes takes the one at which it is expected to end first, counting the wait, within
 * its equal share of the cluster, or the smallest that meets its deadline where that needs more;
 * none whose speed per GPU is below half of its best. A size is kept to the end.
 *
 * Jobs of a team whose quota is used up wait for its own to end, in their order; those of others
 * pass them.
 *
 * Failures strike running jobs at a rate per GPU; the work since the last checkpoint is done again,
 * after a restart. Some take the job's node out (a job smaller than a node: as many GPUs as it has)
 * until it is repaired, after a time that is drawn from an exponential. Where free GPUs replace
 * them the job goes on at once, at its size; else it gives the others back and waits in its place
 * in the queue, for a size to be chosen anew. Where the cluster also serves,
 * serving has its GPUs first: jobs of the lowest priority that started last write a checkpoint,
 * give way and go on later. Left out: preemption by other jobs, resizing while running, fair shares
 * between users, maintenance, failures of nodes that no job is on. */
#ifndef CLG_PORTFOLIO_LIFE_H
#define CLG_PORTFOLIO_LIFE_H

#include "base/normal.h"
#include "demand/random.h"
#include "portfolio/joblist.h"

/* A job at one of the sizes it may take. */
typedef struct clg_job_size {
    int64_t gpus;
    double useful_s;   /* of training, without losses */
    double expected_s; /* with checkpoints, failures and restarts */
    double interval_s, checkpoint_s, restart_s, failures_per_s; /* 0: none of it */
    clg_sides sides;                                            /* of the error of useful_s */
} clg_job_size;

/* A job as the simulation takes it. */
typedef struct clg_task {
    const clg_listed_job *job;
    const clg_job_size *size; /* [sizes], fewest GPUs first; none: it runs on no size */
    int sizes;
    double flop;               /* of the model, all of the work; 0: not known */
    double tokens, parameters; /* that it trains on, and how large it is; 0: not known */
} clg_task;

/* How it went. */
typedef struct clg_job_run {
    double start_s, end_s; /* INFINITY: it runs on no size that the cluster has */
    double expected_end_s; /* as the queue took it when it started */
    int64_t gpus;
    double useful_gpu_s; /* of training, since it last started */
    double held_gpu_s;   /* of all its stretches */
    int breaks;          /* times that a node of it broke */
} clg_job_run;

/* GPUs that serving holds before any job, window after window, round after round. */
typedef struct clg_tide {
    double window_s;
    const int64_t *gpus; /* [windows] */
    int windows;         /* 0: no serving */
} clg_tide;

typedef struct clg_life_rules {
    int64_t gpus;
    const clg_quota *quota; /* [quotas]: what teams may hold at once */
    int quotas;
    int node_gpus;
    uint64_t seed;
    double factor_z;       /* error common to all steps, in sigmas */
    double common_share;   /* of the variance of a step's error that is common to all jobs */
    double failure_factor; /* times the failures expected */
    clg_tide serving;
    double horizon_s;  /* serving goes on at least so long */
    double node_share; /* of failures, those that take a node out */
    double repair_s;   /* until it is back, mean; 0: at once */
    bool certain;      /* steps and failures as expected, nothing is drawn */
} clg_life_rules;

typedef struct clg_life {
    double end_s;         /* of the last job */
    double busy_gpu_s;    /* GPUs taken by jobs */
    double useful_gpu_s;  /* of it training that was kept */
    double *at_least;     /* [gpus]: seconds in which more than so many GPUs were taken */
    double serving_gpu_s; /* of the busy: held for serving */
    double short_gpu_s;   /* that serving wanted and the cluster did not have */
    int preempted;        /* times that a job gave way to serving */
    double repair_gpu_s;  /* GPUs out of order */
    int breaks, stops;    /* failures that took a node out, and of them those after which the job
                             had to wait */
    int impossible;       /* jobs that no size of this cluster runs */
} clg_life;

/* `tasks` in order of arrival; fills `run` [count]. */
void clg_life_run(clg_arena *arena, const clg_task *tasks, int count, const clg_life_rules *rules,
                  clg_job_run *run, clg_life *life);

/* Work until its end or until a failure takes a node out. */
typedef struct clg_job_stretch {
    double wall_s;
    double done; /* share of the work that is kept */
    bool breaks; /* ended by such a failure; `wall_s` is without the restart from it */
} clg_job_stretch;

clg_job_stretch clg_life_stretch(const clg_job_size *size, double factor, double failure_factor,
                                 double node_share, clg_random *random);

#endif
