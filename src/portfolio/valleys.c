/* valleys.c -- GPUs for serving by the hour; training in the valleys. */
#include "portfolio/simulation.h"

/* Who gives way: the lowest priority, of those who started last; -1: no job is left. */
static int victim(const simulation *s) {
    int chosen = -1;
    for (int i = 0; i < s->actives; i++) {
        const running *a = &s->active[i], *b = &s->active[chosen < 0 ? i : chosen];
        if (a->task == REPAIR) continue;
        if (chosen < 0) chosen = i;
        double x = s->task[a->task].job->priority, y = s->task[b->task].job->priority;
        bool later = a->started_s != b->started_s ? a->started_s > b->started_s : a->task > b->task;
        if (x != y ? x < y : later) chosen = i;
    }
    return chosen;
}

/* A checkpoint at once: what it did stays done. */
static void preempt(simulation *s, int at) {
    running gone = clg_simulation_remove(s, at);
    double passed = (s->now_s - gone.started_s) / (gone.end_s - gone.started_s);
    clg_simulation_stop(s, gone.task, gone.done * passed, GAVE_WAY);
    s->life->preempted++;
    clg_simulation_enqueue(s, gone.task);
}

void clg_simulation_serve(simulation *s) {
    const clg_tide *serving = &s->rules->serving;
    int64_t asked = serving->gpus[s->windows++ % serving->windows];
    int64_t gpus = asked < s->rules->gpus ? asked : s->rules->gpus;
    clg_pool_give(s->pool, s->serving_hold);
    while (!clg_pool_fits(s->pool, gpus)) {
        int who = victim(s);
        if (who >= 0)
            preempt(s, who);
        else
            gpus--; /* the rest is in repair */
    }
    s->serving_hold = clg_pool_take(s->pool, gpus);
    s->busy += gpus - s->serving_gpus;
    s->serving_gpus = gpus;
    s->short_gpus = asked - gpus;
}
