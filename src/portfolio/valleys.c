/* valleys.c -- GPUs for serving by the hour; training in the valleys. */
#include "portfolio/simulation.h"

#include <math.h>

/* Who gives way: the lowest priority, of those who started last. */
static int victim(const simulation *s) {
    int chosen = 0;
    for (int i = 1; i < s->actives; i++) {
        const running *a = &s->active[i], *b = &s->active[chosen];
        double x = s->task[a->task].job->priority, y = s->task[b->task].job->priority;
        bool later = a->started_s != b->started_s ? a->started_s > b->started_s : a->task > b->task;
        if (x != y ? x < y : later) chosen = i;
    }
    return chosen;
}

/* A checkpoint at once: what it did stays done. */
static void preempt(simulation *s, int at) {
    running gone = clg_simulation_remove(s, at);
    clg_job_run *run = &s->run[gone.task];
    double done = (s->now_s - gone.started_s) / (gone.end_s - gone.started_s);
    s->life->useful_gpu_s -= run->useful_gpu_s * (1 - done);
    s->life->preempted++;
    s->left[gone.task] *= 1 - done;
    run->end_s = INFINITY;
    clg_simulation_enqueue(s, gone.task);
}

void clg_simulation_serve(simulation *s) {
    const clg_tide *serving = &s->rules->serving;
    int64_t asked = serving->gpus[s->windows++ % serving->windows];
    int64_t gpus = asked < s->rules->gpus ? asked : s->rules->gpus;
    clg_pool_give(s->pool, s->serving_hold);
    while (!clg_pool_fits(s->pool, gpus)) preempt(s, victim(s));
    s->serving_hold = clg_pool_take(s->pool, gpus);
    s->busy += gpus - s->serving_gpus;
    s->serving_gpus = gpus;
    s->short_gpus = asked - gpus;
}
