/* repair.c -- a failure takes a node out until it is repaired. */
#include "portfolio/simulation.h"

#include <math.h>

static const clg_job_size *size_of(const clg_task *t, int64_t gpus) {
    for (int i = 0; i < t->sizes; i++)
        if (t->size[i].gpus == gpus) return &t->size[i];
    return &t->size[0];
}

/* GPUs that the job gave back: which node is the same to all. */
static void send_off(simulation *s, int task, int64_t gpus) {
    double repair_s = s->rules->repair_s;
    clg_simulation_hold(
        s, (running){.started_s = s->now_s,
                     .end_s = s->now_s - log(clg_random_unit(&s->failing[task])) * repair_s,
                     .expected_end_s = s->now_s + repair_s,
                     .gpus = gpus,
                     .task = REPAIR,
                     .hold = clg_pool_take(s->pool, gpus)});
    s->broken += gpus;
    s->repairs++;
}

void clg_simulation_break(simulation *s, const running *gone) {
    int64_t node = s->rules->node_gpus;
    clg_simulation_stop(s, gone->task, gone->done, BROKE);
    send_off(s, gone->task, gone->gpus < node ? gone->gpus : node);
    s->life->breaks++;
    s->run[gone->task].breaks++;
    if (clg_pool_fits(s->pool, gone->gpus)) {
        clg_simulation_start(s, gone->task, size_of(&s->task[gone->task], gone->gpus));
        return;
    }
    s->life->stops++;
    clg_simulation_enqueue(s, gone->task);
}
