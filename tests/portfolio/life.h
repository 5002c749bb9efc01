/* life.h -- for tests: jobs of one size each, without a planner. */
#ifndef CLG_TESTS_PORTFOLIO_LIFE_H
#define CLG_TESTS_PORTFOLIO_LIFE_H

#include "portfolio/life.h"

#include <math.h>

enum { MOST = 200000 };

/* A list that grows; arrivals in the order they are added. */
typedef struct list {
    clg_arena *arena;
    clg_task *task;
    clg_job_run *run;
    int count;
} list;

static inline list list_of(clg_arena *arena, int most) {
    return (list){arena, clg_take(arena, (size_t)most, clg_task),
                  clg_take(arena, (size_t)most, clg_job_run), 0};
}

static inline clg_listed_job *add_sizes(list *l, double arrival_s, const clg_job_size *size,
                                        int sizes) {
    clg_listed_job *job = clg_take(l->arena, 1, clg_listed_job);
    *job = (clg_listed_job){.name = "job",
                            .model = "",
                            .team = "",
                            .quota = -1,
                            .arrival_s = arrival_s,
                            .deadline_s = INFINITY};
    l->task[l->count++] = (clg_task){.job = job, .size = size, .sizes = sizes};
    return job;
}

static inline clg_listed_job *add(list *l, double arrival_s, int64_t gpus, double seconds) {
    clg_job_size *size = clg_take(l->arena, 1, clg_job_size);
    *size = (clg_job_size){.gpus = gpus, .useful_s = seconds, .expected_s = seconds};
    return add_sizes(l, arrival_s, size, 1);
}

static inline clg_life live_within(list *l, int64_t gpus, int node, const clg_quota *quota,
                                   int quotas) {
    clg_life life;
    clg_life_rules rules = {
        .gpus = gpus, .node_gpus = node, .certain = true, .quota = quota, .quotas = quotas};
    clg_life_run(l->arena, l->task, l->count, &rules, l->run, &life);
    return life;
}

static inline clg_life live(list *l, int64_t gpus, int node) {
    return live_within(l, gpus, node, NULL, 0);
}

#endif
