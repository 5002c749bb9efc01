/* joblist.h -- a list of jobs: what a team will train, or what a cluster's log says it ran.
 *
 * A list has a header and the columns of docs/portfolio.md in any order. An export of a scheduler
 * (sacct -P, or a public trace of a GPU cluster) is recognised by its columns: its jobs are so many
 * hours of so many GPUs, and what they waited is kept to be held against the simulation. Where an
 * export names virtual clusters, the quota of each is taken to be the most GPUs it ever held: the
 * least it can have been. */
#ifndef CLG_PORTFOLIO_JOBLIST_H
#define CLG_PORTFOLIO_JOBLIST_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLG_LISTED_JOBS = 1 << 20 }; /* most of one list */

typedef struct clg_listed_job {
    const char *name, *model;       /* model "": hours of GPUs, whatever they do */
    int line;                       /* of the file */
    double tokens, steps, gpu_s;    /* one of them above 0: what there is to do */
    const char *seq, *global_batch; /* as flags take them; "": those of the request */
    double arrival_s;
    double deadline_s;             /* on the same clock; INFINITY: none */
    double priority;               /* higher first */
    int64_t least_gpus, most_gpus; /* 0: as few as it runs on, as many as there are */
    const char *team;              /* "": none */
    int quota;                     /* of its team, among those of the list; -1: none */
    double limit_s;                /* what the queue is told it takes; 0: what it does */
    double recorded_wait_s;        /* of a log; below 0: not known */
} clg_listed_job;

/* A team that may hold so many GPUs at once, and no more: a virtual cluster. */
typedef struct clg_quota {
    const char *team;
    int64_t gpus;
} clg_quota;

typedef struct clg_job_list {
    clg_listed_job *job; /* [count], in order of arrival */
    int count;
    clg_quota *quota; /* [quotas] */
    int quotas;
    double horizon_s;             /* to which what repeats was made; 0: nothing does */
    bool recorded;                /* an export of a scheduler */
    bool deadlines_after_arrival; /* deadline_h was read as hours after arrival_h */
    const char *ignored;          /* columns that mean nothing here; NULL: none */
    int left_out;                 /* rows of an export without GPUs, time or start */
} clg_job_list;

/* Reads a list. `horizon_s` ends what repeats (every_h); 0: a year. */
clg_status clg_job_list_read(clg_arena *arena, const char *name, const char *text, size_t size,
                             double horizon_s, clg_job_list *jobs, clg_error *error);

#endif
