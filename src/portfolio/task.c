/* task.c -- sizes of a job, each planned once. */
#include "portfolio/task.h"

#include "evaluate/interval.h"

#include <string.h>

enum { SIZES = 24 };

typedef struct clg_sized {
    int64_t gpus;
    bool runs;
    clg_evaluation plan;
    struct clg_sized *next;
} clg_sized;

static const clg_sized *plan_at(clg_planning *p, clg_trained *trained, int64_t gpus) {
    for (clg_sized *s = trained->sized; s; s = s->next)
        if (s->gpus == gpus) return s;
    clg_sized *made = clg_take(p->arena, 1, clg_sized);
    clg_scenario here = trained->scenario;
    clg_space at = trained->space;
    here.machine.gpus = (int)gpus;
    at.gpus = gpus;
    *made = (clg_sized){.gpus = gpus, .next = trained->sized};
    trained->sized = made;
    p->plans++;
    if (p->progress.tell) p->progress.tell(p->progress.context, p->share);
    made->runs = clg_search_fastest(p->arena, &here, &at, &made->plan);
    return made;
}

static double steps_of(const clg_listed_job *job, const clg_evaluation *e) {
    return job->steps > 0 ? job->steps : job->tokens / clg_layout_tokens(&e->layout);
}

static clg_job_size trained_size(const clg_planning *p, const clg_listed_job *job,
                                 const clg_evaluation *e, int64_t gpus) {
    clg_goodput g = clg_goodput_of(p->operations, (double)gpus, e->trained_parameters);
    double useful_s = steps_of(job, e) * e->step_s;
    return (clg_job_size){.gpus = gpus,
                          .useful_s = useful_s,
                          .expected_s = useful_s / g.share,
                          .interval_s = g.interval_s,
                          .checkpoint_s = g.checkpoint_s,
                          .restart_s = clg_down_s(p->operations),
                          .failures_per_s = p->operations->failures_per_gpu_s * (double)gpus,
                          .sides = clg_evaluation_sides(e)};
}

/* Hours of GPUs are as booked: what failures cost is in them, and more GPUs take less time in
 * proportion. */
static clg_job_size booked_size(const clg_listed_job *job, int64_t gpus) {
    double seconds = job->gpu_s / (double)gpus;
    return (clg_job_size){.gpus = gpus, .useful_s = seconds, .expected_s = seconds};
}

/* Adds a size where the job runs; flop are those of the last one, as all train the same. Hours of a
 * named model are as many flop as it does in them. */
static void add(clg_planning *p, clg_task *task, clg_trained *trained, int64_t gpus,
                clg_job_size *into) {
    const clg_listed_job *job = task->job;
    const clg_sized *sized = trained ? plan_at(p, trained, gpus) : NULL;
    if (job->gpu_s > 0) {
        into[task->sizes++] = booked_size(job, gpus);
        if (sized && sized->runs && !(task->flop > 0))
            task->flop = job->gpu_s * sized->plan.model_flop_per_s_per_gpu;
        return;
    }
    if (!sized || !sized->runs) return;
    into[task->sizes++] = trained_size(p, job, &sized->plan, gpus);
    task->flop = steps_of(job, &sized->plan) * sized->plan.model_flop;
    task->tokens = steps_of(job, &sized->plan) * clg_layout_tokens(&sized->plan.layout);
    task->parameters = sized->plan.trained_parameters;
}

clg_task clg_task_make(clg_planning *p, const clg_listed_job *job, clg_trained *trained) {
    clg_job_size sizes[SIZES], *kept;
    clg_task task = {.job = job};
    int64_t least = job->least_gpus > 0 ? job->least_gpus : 1;
    int64_t most = job->most_gpus > 0 ? job->most_gpus : p->most_gpus, last = 0;
    if (most > p->most_gpus) most = p->most_gpus;
    for (int64_t gpus = least; gpus <= most && task.sizes < SIZES - 1; last = gpus, gpus *= 2)
        add(p, &task, trained, gpus, sizes);
    if (last > 0 && last < most) add(p, &task, trained, most, sizes);
    task.size = kept = clg_take(p->arena, (size_t)task.sizes, clg_job_size);
    memcpy(kept, sizes, (size_t)task.sizes * sizeof *kept);
    return task;
}
