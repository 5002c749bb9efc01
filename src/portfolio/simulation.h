/* simulation.h -- internal to portfolio/: the state of one life, and what its parts do with it. */
#ifndef CLG_PORTFOLIO_SIMULATION_H
#define CLG_PORTFOLIO_SIMULATION_H

#include "portfolio/life.h"
#include "portfolio/pool.h"

/* A job at work since it started or went on. */
typedef struct running {
    double started_s, end_s;
    int task;
    int32_t hold;
} running;

/* An end as the queue expects it, and the GPUs free from then on. */
typedef struct promise {
    double end_s;
    int task;
    int64_t free;
} promise;

typedef struct simulation {
    const clg_task *task;
    const clg_life_rules *rules;
    clg_job_run *run;
    clg_life *life;
    clg_pool *pool;
    running *active; /* heap by end_s */
    int actives;
    promise *promised; /* [actives], earliest end first */
    int *queue, waiting;
    double *least_speed;     /* of each task: per GPU, below it a size is not worth taking */
    double *left;            /* of each task: share of its work that is to do */
    double now_s, started_s; /* started_s: when a job last did */
    int64_t *held;           /* of each quota: GPUs in use */
    bool *full;              /* of each quota: its first that waits does not fit into it */
    int64_t busy;
    int64_t windows;      /* of serving that have begun */
    int64_t serving_gpus; /* held for serving */
    int64_t short_gpus;   /* that it wants beside them */
    int32_t serving_hold;
} simulation;

/* Starts a task on free GPUs; it leaves no queue by that. */
void clg_simulation_start(simulation *s, int task, const clg_job_size *size);

/* Puts it where its priority and arrival say. */
void clg_simulation_enqueue(simulation *s, int task);

/* Starts whoever may, and keeps the promises to those who may not. */
void clg_simulation_schedule(simulation *s);

/* The expected end of a task is added to those the queue counts on, or dropped before its task is
 * popped. */
void clg_simulation_promise(simulation *s, int task, double end_s);
void clg_simulation_forget(simulation *s, int task, double end_s);

/* Takes the i-th of the running out, its GPUs given back; the time does not move. */
running clg_simulation_remove(simulation *s, int at);

/* The least speed per GPU that is worth taking, of every task. */
double *clg_simulation_floors(clg_arena *arena, const clg_task *tasks, int count);

/* What the queue is told that a task takes at a size. */
double clg_simulation_expected_s(const simulation *s, int task, const clg_job_size *size);

/* Begins the next window of serving: its GPUs first, jobs give way. */
void clg_simulation_serve(simulation *s);

#endif
