/* simulation.h -- internal to portfolio/: the state of one life, and what its parts do with it. */
#ifndef CLG_PORTFOLIO_SIMULATION_H
#define CLG_PORTFOLIO_SIMULATION_H

#include "portfolio/life.h"
#include "portfolio/pool.h"

/* What holds GPUs: a job since it started or went on, or a repair of what broke. */
typedef struct running {
    double started_s, end_s, expected_end_s;
    double done; /* of the work that was left, the share that is kept at end_s */
    int64_t gpus;
    bool breaks; /* end_s is a failure that takes a node out */
    int task;    /* REPAIR: none */
    int32_t hold;
} running;

enum { REPAIR = -1 };

/* Why a task is not new: what going on takes first. */
typedef enum stop { NOT_STOPPED, GAVE_WAY, BROKE } stop;

/* An end as the queue expects it, and the GPUs free from then on. */
typedef struct promise {
    double end_s;
    int task;
    int64_t gpus, free;
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
    stop *stopped;           /* of each task */
    clg_random *failing;     /* of each task: where its failures come from */
    double now_s, started_s; /* started_s: when a job last did */
    int64_t *held;           /* of each quota: GPUs in use */
    bool *full;              /* of each quota: its first that waits does not fit into it */
    int64_t busy, broken;    /* GPUs that jobs and serving hold, and that are in repair */
    int repairs;
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
void clg_simulation_promise(simulation *s, const running *r);
void clg_simulation_forget(simulation *s, const running *r);

/* Adds to what holds GPUs. */
void clg_simulation_hold(simulation *s, running r);

/* What is left to do of a task that stopped when so much of it was kept. */
void clg_simulation_stop(simulation *s, int task, double done, stop why);

/* A job whose node broke: the node goes into repair, the job on or into the queue. */
void clg_simulation_break(simulation *s, const running *gone);

/* How many jobs run. */
int clg_simulation_jobs(const simulation *s);

/* Takes the i-th of the running out, its GPUs given back; the time does not move. */
running clg_simulation_remove(simulation *s, int at);

/* The least speed per GPU that is worth taking, of every task. */
double *clg_simulation_floors(clg_arena *arena, const clg_task *tasks, int count);

/* What the queue is told that a task takes at a size. */
double clg_simulation_expected_s(const simulation *s, int task, const clg_job_size *size);

/* Begins the next window of serving: its GPUs first, jobs give way. */
void clg_simulation_serve(simulation *s);

#endif
