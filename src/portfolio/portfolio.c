/* portfolio.c -- the same jobs on clusters of several sizes, many times. */
#include "portfolio/portfolio.h"

#include "base/normal.h"
#include "base/quantile.h"
#include "demand/random.h"

#include <math.h>

/* Sums over the lives of one size. */
typedef struct tally {
    double *wait_s; /* of every job that ran, life by life */
    int waits;
    double *missed; /* [draws] */
    double *needed; /* [gpus] seconds in which more than so many GPUs were taken */
    int in_time;    /* lives without a missed deadline */
    int in_budget, in_budget_at_price;
    double period_s, paid_gpu_s, busy_gpu_s, useful_gpu_s;
    double serving_gpu_s, short_gpu_s, preempted, repair_gpu_s, breaks, stops;
} tally;

static clg_life_rules rules_of(const clg_portfolio_request *request, int64_t gpus, int draw) {
    clg_random random = {request->seed * 1000003 + (uint64_t)draw};
    double steps_z = clg_normal_quantile(clg_random_unit(&random));
    double often_z = clg_normal_quantile(clg_random_unit(&random));
    double often = request->doubts.failure_sigma;
    return (clg_life_rules){.gpus = gpus,
                            .quota = request->quota,
                            .quotas = request->quotas,
                            .serving = request->serving,
                            .horizon_s = request->horizon_s,
                            .node_gpus = request->node_gpus,
                            .seed = request->seed * 1000003 + (uint64_t)draw,
                            .node_share = request->operations.node_share,
                            .repair_s = request->operations.repair_s,
                            .factor_z = steps_z,
                            .common_share = request->doubts.common_share,
                            .failure_factor = clg_factor_at((clg_sides){often, often}, often_z)};
}

/* USD a GPU and second of one life. */
static double price_of(const clg_portfolio_request *request, int draw) {
    clg_random random = {~request->seed * 1000003 + (uint64_t)draw};
    const clg_doubts *d = &request->doubts;
    return d->price_low + (d->price_high - d->price_low) * clg_random_unit(&random);
}

static bool is_late(const clg_task *task, const clg_job_run *run) {
    return run->end_s > task->job->deadline_s;
}

static void count_jobs(const clg_task *tasks, int count, const clg_job_run *run, tally *t,
                       int draw) {
    for (int i = 0; i < count; i++) {
        t->missed[draw] += is_late(&tasks[i], &run[i]);
        if (isfinite(run[i].end_s))
            t->wait_s[t->waits++] = run[i].start_s - tasks[i].job->arrival_s;
    }
    t->in_time += t->missed[draw] == 0;
}

static void count_money(const clg_portfolio_request *request, const clg_life *life, int64_t gpus,
                        tally *t, int draw) {
    double period_s = fmax(life->end_s, request->horizon_s);
    double paid_gpu_s = period_s * (double)gpus;
    t->period_s += period_s;
    t->paid_gpu_s += paid_gpu_s;
    t->busy_gpu_s += life->busy_gpu_s;
    t->useful_gpu_s += life->useful_gpu_s;
    t->serving_gpu_s += life->serving_gpu_s;
    t->short_gpu_s += life->short_gpu_s;
    t->preempted += life->preempted;
    t->repair_gpu_s += life->repair_gpu_s;
    t->breaks += life->breaks;
    t->stops += life->stops;
    t->in_budget_at_price += request->doubts.price_low * paid_gpu_s <= request->budget_usd;
    t->in_budget += price_of(request, draw) * paid_gpu_s <= request->budget_usd;
    for (int64_t n = 0; n < gpus; n++) t->needed[n] += life->at_least[n];
}

static double flop_of(const clg_task *tasks, int count, const clg_job_run *run,
                      double *known_gpu_s) {
    double flop = 0;
    *known_gpu_s = 0;
    for (int i = 0; i < count; i++) {
        if (!(tasks[i].flop > 0) || !isfinite(run[i].end_s)) continue;
        flop += tasks[i].flop;
        *known_gpu_s += run[i].held_gpu_s;
    }
    return flop;
}

/* Of the GPUs between two sizes, the share of the time in which they are taken. */
static double fill_between(const double *needed_s, int64_t from, int64_t to, double period_s) {
    double sum = 0;
    for (int64_t n = from; n < to; n++) sum += needed_s[n];
    return sum / ((double)(to - from) * period_s);
}

static clg_waiting waiting_of(double *wait_s, int count) {
    clg_waiting w = {NAN, NAN, NAN};
    if (count == 0) return w;
    w.mean_s = 0;
    for (int i = 0; i < count; i++) w.mean_s += wait_s[i] / count;
    clg_sort(wait_s, (size_t)count);
    w.p50_s = clg_quantile(wait_s, count, 0.5);
    w.p90_s = clg_quantile(wait_s, count, 0.9);
    return w;
}

/* All that is paid is for the work whose flop are known in proportion to the GPU time it took. */
static void fill_money(const clg_portfolio *p, const tally *t, double draws,
                       clg_portfolio_point *point) {
    double known_gpu_s, flop = flop_of(p->task, p->count, p->run, &known_gpu_s);
    double usd_per_s = p->request.terms.hourly->usd_per_s;
    bool priced = clg_price_known(p->request.terms.hourly);
    point->usd = priced ? usd_per_s * t->paid_gpu_s / draws : (double)NAN;
    point->usd_per_useful_eflop =
        flop > 0 && t->busy_gpu_s > 0
            ? point->usd * fmin(1, known_gpu_s * draws / t->busy_gpu_s) / (flop / 1e18)
            : (double)NAN;
}

static void fill_point(clg_portfolio *p, tally *t, int64_t before, clg_portfolio_point *point) {
    double draws = p->draws;
    point->period_s = t->period_s / draws;
    point->utilization = t->busy_gpu_s / t->paid_gpu_s;
    point->useful_share = t->useful_gpu_s / t->paid_gpu_s;
    point->serving_share = t->serving_gpu_s / t->paid_gpu_s;
    double wanted_gpu_s = t->serving_gpu_s + t->short_gpu_s;
    point->serving_short = wanted_gpu_s > 0 ? t->short_gpu_s / wanted_gpu_s : 0;
    point->preempted = t->preempted / draws;
    point->repair_share = t->repair_gpu_s / t->paid_gpu_s;
    point->breaks = t->breaks / draws;
    point->stops = t->stops / draws;
    point->waiting = waiting_of(t->wait_s, t->waits);
    point->marginal_fill = fill_between(t->needed, before, point->gpus, t->period_s);
    for (int i = 0; i < p->count; i++) point->with_deadline += isfinite(p->task[i].job->deadline_s);
    clg_sort(t->missed, (size_t)p->draws);
    point->missed_deadlines = t->missed[p->draws / 2];
    fill_money(p, t, draws, point);
    bool limited = p->request.budget_usd > 0 && clg_price_known(p->request.terms.hourly);
    point->odds = (clg_odds){point->with_deadline > 0 ? t->in_time / draws : (double)NAN,
                             limited ? t->in_budget / draws : (double)NAN,
                             limited ? t->in_budget_at_price / draws : (double)NAN};
    for (int64_t n = 0; n < point->gpus; n++) t->needed[n] /= t->period_s;
    point->mix = clg_mix_of(&p->request.terms, t->needed, point->gpus);
}

static void live(clg_arena *arena, clg_portfolio *p, int64_t gpus, int64_t before,
                 clg_portfolio_point *point) {
    clg_arena_mark mark = clg_arena_here(arena);
    tally t = {.wait_s = clg_take(arena, (size_t)p->count * (size_t)p->draws, double),
               .missed = clg_take(arena, (size_t)p->draws, double),
               .needed = clg_take(arena, (size_t)gpus, double)};
    *point = (clg_portfolio_point){.gpus = gpus};
    for (int draw = p->draws - 1; draw >= 0; draw--) { /* the first is kept in p->run */
        clg_life life;
        clg_arena_mark one = clg_arena_here(arena);
        clg_life_rules rules = rules_of(&p->request, gpus, draw);
        clg_life_run(arena, p->task, p->count, &rules, p->run, &life);
        count_jobs(p->task, p->count, p->run, &t, draw);
        count_money(&p->request, &life, gpus, &t, draw);
        for (int i = 0; i < p->count; i++) p->late[i] += is_late(&p->task[i], &p->run[i]);
        point->impossible = life.impossible;
        clg_arena_back_to(arena, one);
    }
    for (int i = 0; i < p->count; i++) p->late[i] /= p->draws;
    fill_point(p, &t, before, point);
    clg_arena_back_to(arena, mark);
}

/* The smallest size that runs as many of the jobs as any does. */
static int first_that_runs_them(const clg_portfolio *p) {
    int first = 0;
    for (int i = 1; i < p->points; i++)
        if (p->point[i].impossible < p->point[first].impossible) first = i;
    return first;
}

/* The last size whose added GPUs are needed often enough; -1 where all are, or not even the first
 * ones. No size that some jobs never run on, where they do on a larger one. */
static int knee_of(const clg_portfolio *p) {
    int first = first_that_runs_them(p);
    for (int i = first > 0 ? first + 1 : 0; i < p->points; i++)
        if (p->point[i].marginal_fill < p->request.knee_share) return i - 1;
    return -1;
}

/* Whether one life differs from the next at all. */
static bool is_drawn(const clg_portfolio_request *request, const clg_task *tasks, int count) {
    if (request->budget_usd > 0) return true;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < tasks[i].sizes; k++)
            if (tasks[i].size[k].sides.late > 0 || tasks[i].size[k].failures_per_s > 0) return true;
    return false;
}

/* Lives per size: what 40,000 jobs take, and at least ten so that a median is one. */
static int draws_of(const clg_portfolio_request *request, const clg_task *tasks, int count) {
    enum { JOBS = 40000, LEAST = 10, MOST = 200 };
    if (request->draws > 0) return request->draws;
    if (!is_drawn(request, tasks, count)) return 1;
    int draws = JOBS / (count > 0 ? count : 1);
    return draws < LEAST ? LEAST : draws > MOST ? MOST : draws;
}

/* Each job keeps its tokens and checkpoints while it runs, and moves its own once. */
static void fill_storage(clg_portfolio *p) {
    const clg_portfolio_request *r = &p->request;
    p->storage = (clg_storage_bill){.checkpoints = r->storage.checkpoints};
    for (int i = 0; i < p->count; i++) {
        const clg_task *task = &p->task[i];
        if (!(task->tokens > 0) || !isfinite(p->run[i].end_s)) continue;
        clg_storage_bill one =
            clg_storage_bill_of(&r->storage, &r->operations, task->tokens, task->parameters,
                                p->run[i].end_s - p->run[i].start_s);
        p->storage.data_bytes += one.data_bytes;
        p->storage.low_usd += one.low_usd;
        p->storage.high_usd += one.high_usd;
        p->storage.out_low_usd += one.out_low_usd;
        p->storage.out_high_usd += one.out_high_usd;
    }
}

static void live_at(clg_arena *arena, clg_portfolio *p, int at) {
    for (int i = 0; i < p->count; i++) p->late[i] = 0;
    live(arena, p, p->request.gpus[at], at > 0 ? p->request.gpus[at - 1] : 0, &p->point[at]);
    p->shown = at;
}

void clg_portfolio_run(clg_arena *arena, const clg_task *tasks, int count,
                       const clg_portfolio_request *request, clg_portfolio *p) {
    *p = (clg_portfolio){.request = *request,
                         .task = tasks,
                         .count = count,
                         .points = request->count,
                         .draws = draws_of(request, tasks, count),
                         .run = clg_take(arena, (size_t)count, clg_job_run),
                         .late = clg_take(arena, (size_t)count, double)};
    for (int i = 0; i < p->points; i++) live_at(arena, p, i);
    p->knee = knee_of(p);
    if (p->knee >= 0 && p->knee != p->shown) live_at(arena, p, p->knee);
    fill_storage(p);
}

bool clg_waiting_recorded(clg_arena *arena, const clg_job_list *jobs, clg_waiting *waiting) {
    double *wait_s = clg_take(arena, (size_t)jobs->count + 1, double);
    int known = 0;
    for (int i = 0; i < jobs->count; i++)
        if (jobs->job[i].recorded_wait_s >= 0) wait_s[known++] = jobs->job[i].recorded_wait_s;
    *waiting = waiting_of(wait_s, known);
    return known > 0;
}
