/* portfolio.h -- jobs over the life of clusters of several sizes: how full, how late, how dear.
 *
 * Every size lives the same list of jobs many times: with errors of the planner, failures and
 * prices drawn from what is known of them. A GPU is a fixed cost: what counts is the share of its
 * paid time in which somebody needs it. */
#ifndef CLG_PORTFOLIO_PORTFOLIO_H
#define CLG_PORTFOLIO_PORTFOLIO_H

#include "economics/contracts.h"
#include "economics/odds.h"
#include "economics/storage.h"
#include "portfolio/life.h"

enum { CLG_PORTFOLIO_POINTS = 64 };

typedef struct clg_portfolio_request {
    int64_t gpus[CLG_PORTFOLIO_POINTS];
    int count;
    int node_gpus;
    int draws; /* lives of each size; 0: as many as 40,000 jobs take, 10 to 200; 1 where nothing is
                  drawn */
    uint64_t seed;
    clg_tide serving;       /* what is served beside the jobs */
    const clg_quota *quota; /* [quotas]: what teams may hold at once */
    int quotas;
    double horizon_s;  /* paid at least so long; 0: until the last job ends */
    double budget_usd; /* 0: none */
    double knee_share; /* the knee: where GPUs added are needed less than this share of the time */
    clg_doubts doubts;
    clg_operations operations; /* how nodes break */
    clg_storage_prices storage;
    clg_terms terms; /* what GPUs cost */
} clg_portfolio_request;

typedef struct clg_waiting {
    double mean_s, p50_s, p90_s;
} clg_waiting;

typedef struct clg_portfolio_point {
    int64_t gpus;
    double period_s;      /* paid: to the horizon, or the end of the last job; mean of the lives */
    double utilization;   /* share of paid GPU time taken by jobs */
    double useful_share;  /* of it in training that was kept: no losses to checkpoints, failures */
    clg_waiting waiting;  /* of jobs that ran */
    int impossible;       /* jobs that no size of this cluster runs */
    double serving_share; /* of paid GPU time: held for serving */
    double serving_short; /* share of what serving wanted that the cluster did not have */
    double repair_share;  /* of paid GPU time: in repair */
    double breaks, stops; /* nodes that broke, and times that a job had to wait for one, mean */
    double preempted;     /* times that jobs gave way to it, mean of the lives */
    double missed_deadlines; /* median of the lives */
    int with_deadline;
    double usd;                  /* all paid; NAN without a price */
    double usd_per_useful_eflop; /* 10^18 model flop; NAN where not known */
    double marginal_fill; /* of the GPUs beyond the size before: share of time they are taken */
    clg_odds odds;
    clg_mix mix; /* the cheapest of reserved, on demand and spot for this demand */
} clg_portfolio_point;

typedef struct clg_portfolio {
    clg_portfolio_request request;
    const clg_task *task;
    int count;
    clg_portfolio_point point[CLG_PORTFOLIO_POINTS];
    int points, draws;
    int knee;                 /* index; -1: none */
    clg_job_run *run;         /* [count] the first life at the knee, or at the last size */
    double *late;             /* [count] share of lives in which a job misses its deadline there */
    int shown;                /* which point these are of */
    clg_storage_bill storage; /* of all jobs together in that life */
} clg_portfolio;

/* `tasks` in order of arrival. */
void clg_portfolio_run(clg_arena *arena, const clg_task *tasks, int count,
                       const clg_portfolio_request *request, clg_portfolio *portfolio);

/* Of jobs whose log says what they waited; false: it does not say. */
bool clg_waiting_recorded(clg_arena *arena, const clg_job_list *jobs, clg_waiting *waiting);

#endif
