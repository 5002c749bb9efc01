/* life.c -- arrivals and ends in order of time; after each, who may start. */
#include "portfolio/simulation.h"

#include "demand/random.h"
#include "portfolio/pool.h"

#include <math.h>

/* A number of its own for each task of each draw, whatever the order they start in. */
static uint64_t seed_of(const simulation *s, int task, uint64_t purpose) {
    clg_random mixed = {s->rules->seed * 0x9E3779B97F4A7C15u + (uint64_t)task * 4 + purpose};
    return (uint64_t)(clg_random_unit(&mixed) * 9007199254740992.0) + mixed.state;
}

static double factor_of(const simulation *s, int task, clg_sides sides) {
    clg_random random = {seed_of(s, task, 1)};
    double common = s->rules->common_share, own = clg_normal_quantile(clg_random_unit(&random));
    return clg_factor_at(sides, sqrt(common) * s->rules->factor_z + sqrt(1 - common) * own);
}

/* A job that breaks so often goes on where it is from then on: one that never gets far between two
 * failures would not end. Its failures err short, as those of clg_life_stretch. */
enum { MOST_BREAKS = 20000 };

/* Of what is left of a task; going on takes a restart more, and giving way a checkpoint. */
static clg_job_stretch stretch_of(const simulation *s, int task, const clg_job_size *size) {
    clg_job_size left = *size;
    double again_s = s->stopped[task] == NOT_STOPPED ? 0 : size->restart_s;
    if (s->stopped[task] == GAVE_WAY) again_s += size->checkpoint_s;
    bool breaks = s->rules->repair_s > 0 && s->run[task].breaks < MOST_BREAKS;
    left.useful_s *= s->left[task];
    if (s->rules->certain)
        return (clg_job_stretch){size->expected_s * s->left[task] + again_s, 1, false};
    clg_job_stretch stretch =
        clg_life_stretch(&left, factor_of(s, task, size->sides), s->rules->failure_factor,
                         breaks ? s->rules->node_share : 0, &s->failing[task]);
    stretch.wall_s += again_s;
    return stretch;
}

double clg_simulation_expected_s(const simulation *s, int task, const clg_job_size *size) {
    double limit_s = s->task[task].job->limit_s;
    return (limit_s > 0 ? limit_s : size->expected_s) * s->left[task];
}

static void sift_up(simulation *s, int at) {
    running moved = s->active[at];
    for (; at > 0 && s->active[(at - 1) / 2].end_s > moved.end_s; at = (at - 1) / 2)
        s->active[at] = s->active[(at - 1) / 2];
    s->active[at] = moved;
}

static running pop(simulation *s) {
    running first = s->active[0], moved = s->active[--s->actives];
    int at = 0;
    for (int child; (child = 2 * at + 1) < s->actives; at = child) {
        if (child + 1 < s->actives && s->active[child + 1].end_s < s->active[child].end_s) child++;
        if (s->active[child].end_s >= moved.end_s) break;
        s->active[at] = s->active[child];
    }
    s->active[at] = moved;
    return first;
}

/* The time up to `until_s` with as many GPUs taken as now; at_least holds plain times until the
 * end. */
static void pass(simulation *s, double until_s) {
    double seconds = until_s - s->now_s;
    if (s->busy > 0) s->life->at_least[s->busy - 1] += seconds;
    s->life->busy_gpu_s += (double)s->busy * seconds;
    s->life->serving_gpu_s += (double)s->serving_gpus * seconds;
    s->life->repair_gpu_s += (double)s->broken * seconds;
    s->life->short_gpu_s += (double)s->short_gpus * seconds;
    s->now_s = until_s;
}

/* GPU seconds of training in what is left of a task. */
static double useful_of(const simulation *s, int task, const clg_job_size *size) {
    double factor = s->rules->certain ? 1 : factor_of(s, task, size->sides);
    return (double)size->gpus * size->useful_s * factor * s->left[task];
}

void clg_simulation_hold(simulation *s, running r) {
    clg_simulation_promise(s, &r);
    s->active[s->actives] = r;
    sift_up(s, s->actives++);
}

int clg_simulation_jobs(const simulation *s) { return s->actives - s->repairs; }

void clg_simulation_stop(simulation *s, int task, double done, stop why) {
    s->life->useful_gpu_s -= s->run[task].useful_gpu_s * (1 - done);
    s->left[task] *= 1 - done;
    s->stopped[task] = why;
    s->run[task].end_s = INFINITY;
}

void clg_simulation_start(simulation *s, int task, const clg_job_size *size) {
    clg_job_run *run = &s->run[task];
    clg_job_stretch stretch = stretch_of(s, task, size);
    if (!isfinite(run->start_s)) run->start_s = s->now_s;
    run->end_s = s->now_s + stretch.wall_s;
    run->expected_end_s = s->now_s + clg_simulation_expected_s(s, task, size);
    run->gpus = size->gpus;
    run->useful_gpu_s = useful_of(s, task, size);
    clg_simulation_hold(s, (running){.started_s = s->now_s,
                                     .end_s = run->end_s,
                                     .expected_end_s = run->expected_end_s,
                                     .done = stretch.done,
                                     .breaks = stretch.breaks,
                                     .gpus = size->gpus,
                                     .task = task,
                                     .hold = clg_pool_take(s->pool, size->gpus)});
    s->busy += size->gpus;
    if (s->task[task].job->quota >= 0) s->held[s->task[task].job->quota] += size->gpus;
    s->started_s = s->now_s;
    s->life->useful_gpu_s += run->useful_gpu_s;
}

running clg_simulation_remove(simulation *s, int at) {
    clg_simulation_forget(s, &s->active[at]);
    double end_s = s->active[at].end_s;
    s->active[at].end_s = -INFINITY;
    sift_up(s, at);
    running gone = pop(s);
    gone.end_s = end_s;
    clg_pool_give(s->pool, gone.hold);
    if (gone.task == REPAIR) {
        s->broken -= gone.gpus;
        s->repairs--;
        return gone;
    }
    int quota = s->task[gone.task].job->quota;
    s->run[gone.task].held_gpu_s += (double)gone.gpus * (s->now_s - gone.started_s);
    s->busy -= gone.gpus;
    if (quota >= 0) s->held[quota] -= gone.gpus;
    return gone;
}

/* The most GPUs that a job may have at once. */
static int64_t ceiling_of(const simulation *s, const clg_listed_job *job) {
    int64_t quota = job->quota >= 0 ? s->rules->quota[job->quota].gpus : s->rules->gpus;
    return quota < s->rules->gpus ? quota : s->rules->gpus;
}

/* A job that no size of the cluster, or of its team's quota, runs never starts. */
static void arrive(simulation *s, int task) {
    const clg_task *t = &s->task[task];
    s->run[task] = (clg_job_run){.start_s = INFINITY, .end_s = INFINITY};
    s->left[task] = 1;
    s->failing[task] = (clg_random){seed_of(s, task, 2)};
    if (t->sizes > 0 && t->size[0].gpus <= ceiling_of(s, t->job))
        clg_simulation_enqueue(s, task);
    else
        s->life->impossible++;
}

/* From "exactly so many" to "more than so many". */
static void add_up(clg_life *life, int64_t gpus) {
    for (int64_t i = gpus - 1; i-- > 0;) life->at_least[i] += life->at_least[i + 1];
}

/* When serving next changes; INFINITY: never. */
static double serving_changes_s(const simulation *s) {
    const clg_tide *serving = &s->rules->serving;
    return serving->windows > 0 ? (double)s->windows * serving->window_s : (double)INFINITY;
}

/* Whether those that wait never will start: a whole round of serving passed and nobody did. */
static bool is_stuck(const simulation *s, int next, int count) {
    const clg_tide *serving = &s->rules->serving;
    return next == count && s->actives == 0 && s->waiting > 0 &&
           s->now_s - s->started_s > serving->window_s * (serving->windows + 1) &&
           s->now_s >= s->rules->horizon_s;
}

static void end_first(simulation *s) {
    running gone = clg_simulation_remove(s, 0);
    if (gone.breaks) clg_simulation_break(s, &gone);
}

/* Everything that happens at the next moment at which anything does. */
static void happen(simulation *s, int *next, int count) {
    double ends_s = s->actives > 0 ? s->active[0].end_s : INFINITY;
    double comes_s = *next < count ? s->task[*next].job->arrival_s : INFINITY;
    double at_s = fmin(fmin(ends_s, comes_s), serving_changes_s(s));
    if (at_s > s->now_s) pass(s, at_s);
    while (s->actives > 0 && s->active[0].end_s <= at_s) end_first(s);
    if (serving_changes_s(s) <= at_s) clg_simulation_serve(s);
    for (; *next < count && s->task[*next].job->arrival_s <= at_s; ++*next) arrive(s, *next);
    clg_simulation_schedule(s);
}

/* A cluster that serves goes on doing so to the horizon; jobs go on to their end. */
static bool goes_on(const simulation *s, int next, int count) {
    if (is_stuck(s, next, count)) return false;
    if (next < count || clg_simulation_jobs(s) > 0) return true;
    if (s->waiting > 0 && s->repairs > 0) return true;
    return s->rules->serving.windows > 0 && (s->waiting > 0 || s->now_s < s->rules->horizon_s);
}

void clg_life_run(clg_arena *arena, const clg_task *tasks, int count, const clg_life_rules *rules,
                  clg_job_run *run, clg_life *life) {
    bool breaks = rules->repair_s > 0 && !rules->certain;
    size_t most = (size_t)(rules->gpus < count || breaks ? rules->gpus : count) + 1;
    *life = (clg_life){.at_least = clg_take(arena, (size_t)rules->gpus, double)};
    simulation s = {.task = tasks,
                    .rules = rules,
                    .run = run,
                    .life = life,
                    .pool = clg_pool_make(arena, rules->gpus, rules->node_gpus),
                    .active = clg_take(arena, most, running),
                    .promised = clg_take(arena, most, promise),
                    .least_speed = clg_simulation_floors(arena, tasks, count),
                    .left = clg_take(arena, (size_t)count + 1, double),
                    .stopped = clg_take(arena, (size_t)count + 1, stop),
                    .failing = clg_take(arena, (size_t)count + 1, clg_random),
                    .held = clg_take(arena, (size_t)rules->quotas + 1, int64_t),
                    .full = clg_take(arena, (size_t)rules->quotas + 1, bool),
                    .serving_hold = clg_pool_take(NULL, 0),
                    .queue = clg_take(arena, (size_t)count + 1, int)};
    for (int next = 0; goes_on(&s, next, count);) happen(&s, &next, count);
    life->impossible += s.waiting;
    life->end_s = s.now_s;
    add_up(life, rules->gpus);
}
