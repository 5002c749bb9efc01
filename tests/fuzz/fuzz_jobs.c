/* Lists of jobs and logs of schedulers: any bytes are jobs or a sentence, and whatever could be
 * read and needs no model lives to its end on a cluster. */
#include "portfolio/joblist.h"
#include "portfolio/portfolio.h"
#include "portfolio/task.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

enum { GPUS = 24, NODE = 8, MOST_JOBS = 400 };

static void check(const clg_job_list *jobs) {
    for (int i = 0; i < jobs->count; i++) {
        const clg_listed_job *job = &jobs->job[i];
        if (!(job->arrival_s >= 0) || isnan(job->deadline_s) || job->least_gpus < 0) abort();
        if (i > 0 && job->arrival_s < jobs->job[i - 1].arrival_s) abort();
        if ((job->tokens > 0) + (job->steps > 0) + (job->gpu_s > 0) != 1) abort();
    }
}

static void live(clg_arena *arena, const clg_job_list *jobs) {
    clg_operations operations = {0};
    clg_planning planning = {.arena = arena, .operations = &operations, .most_gpus = GPUS};
    clg_task *tasks = clg_take(arena, MOST_JOBS, clg_task);
    clg_job_run *run = clg_take(arena, MOST_JOBS, clg_job_run);
    clg_life life;
    clg_life_rules rules = {.gpus = GPUS,
                            .node_gpus = NODE,
                            .certain = true,
                            .quota = jobs->quota,
                            .quotas = jobs->quotas};
    int count = 0;
    for (int i = 0; i < jobs->count && count < MOST_JOBS; i++)
        if (jobs->job[i].gpu_s > 0) tasks[count++] = clg_task_make(&planning, &jobs->job[i], NULL);
    clg_life_run(arena, tasks, count, &rules, run, &life);
    double busy = 0;
    for (int i = 0; i < count; i++) {
        if (!isfinite(run[i].end_s)) continue;
        if (run[i].start_s < tasks[i].job->arrival_s) abort();
        busy += (double)run[i].gpus * (run[i].end_s - run[i].start_s);
    }
    if (fabs(busy - life.busy_gpu_s) > 1e-6 * (busy + 1)) abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    clg_arena arena = {0};
    clg_error error = {0};
    clg_job_list jobs;
    if (size > 4096) return 0;
    if (clg_job_list_read(&arena, "fuzz", (const char *)data, size, 1e6, &jobs, &error) == CLG_OK) {
        check(&jobs);
        live(&arena, &jobs);
    }
    clg_arena_clear(&arena);
    return 0;
}
