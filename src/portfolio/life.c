/* life.c -- arrivals and ends in order of time; after each, who may start. */
#include "portfolio/life.h"

#include "base/normal.h"
#include "portfolio/pool.h"
#include "serve/random.h"

#include <math.h>
#include <string.h>

/* Jobs looked at behind the first that waits: as many as Slurm's bf_max_job_test (500). */
enum { DEPTH = 500 };

/* A size is worth taking while its speed per GPU is at least this share of the best one's. */
static const double WORTH = 0.5;

typedef struct running {
    double end_s;
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
    clg_run *run;
    clg_life *life;
    clg_pool *pool;
    running *active; /* heap by end_s */
    int actives;
    promise *promised; /* [actives], earliest end first */
    int *queue, waiting;
    double *least_speed; /* of each task: per GPU, below it a size is not worth taking */
    double now_s;
    int64_t busy;
} simulation;

/* A number of its own for each task of each draw, whatever the order they start in. */
static uint64_t seed_of(const simulation *s, int task, uint64_t purpose) {
    clg_random mixed = {s->rules->seed * 0x9E3779B97F4A7C15u + (uint64_t)task * 4 + purpose};
    return (uint64_t)(clg_random_unit(&mixed) * 9007199254740992.0) + mixed.state;
}

static double factor_of(const simulation *s, int task, double sigma) {
    clg_random random = {seed_of(s, task, 1)};
    double common = s->rules->common_share, own = clg_normal_quantile(clg_random_unit(&random));
    return clg_factor_at(sigma, sqrt(common) * s->rules->factor_z + sqrt(1 - common) * own);
}

static double wall_of(const simulation *s, int task, const clg_job_size *size) {
    if (s->rules->certain) return size->expected_s;
    return clg_life_wall_s(size, factor_of(s, task, size->sigma), s->rules->failure_factor,
                           seed_of(s, task, 2));
}

static double expected_of(const clg_task *task, const clg_job_size *size) {
    return task->job->limit_s > 0 ? task->job->limit_s : size->expected_s;
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
    s->now_s = until_s;
}

/* The first promise of at least that end. */
static int promise_at(const simulation *s, double end_s) {
    int low = 0, high = s->actives;
    while (low < high) {
        int middle = (low + high) / 2;
        if (s->promised[middle].end_s < end_s)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_promise(simulation *s, int task, double end_s) {
    int at = promise_at(s, end_s);
    memmove(&s->promised[at + 1], &s->promised[at],
            (size_t)(s->actives - at) * sizeof *s->promised);
    s->promised[at] = (promise){.end_s = end_s, .task = task};
}

/* Before its end is popped. */
static void drop_promise(simulation *s, int task, double end_s) {
    int at = promise_at(s, end_s);
    while (s->promised[at].task != task) at++;
    memmove(&s->promised[at], &s->promised[at + 1],
            (size_t)(s->actives - at - 1) * sizeof *s->promised);
}

static void start(simulation *s, int task, const clg_job_size *size) {
    double wall_s = wall_of(s, task, size);
    s->run[task] = (clg_run){.start_s = s->now_s,
                             .end_s = s->now_s + wall_s,
                             .expected_end_s = s->now_s + expected_of(&s->task[task], size),
                             .gpus = size->gpus};
    add_promise(s, task, s->run[task].expected_end_s);
    s->active[s->actives] = (running){s->run[task].end_s, task, clg_pool_take(s->pool, size->gpus)};
    sift_up(s, s->actives++);
    s->busy += size->gpus;
    s->life->useful_gpu_s += (double)size->gpus * size->useful_s *
                             (s->rules->certain ? 1 : factor_of(s, task, size->sigma));
}

/* Before whom a task stands: higher priority, then earlier. */
static bool before(const simulation *s, int a, int b) {
    double x = s->task[a].job->priority, y = s->task[b].job->priority;
    return x != y ? x > y : a < b;
}

static void enqueue(simulation *s, int task) {
    int at = s->waiting++;
    for (; at > 0 && before(s, task, s->queue[at - 1]); at--) s->queue[at] = s->queue[at - 1];
    s->queue[at] = task;
}

static void dequeue(simulation *s, int at) {
    s->waiting--;
    memmove(&s->queue[at], &s->queue[at + 1], (size_t)(s->waiting - at) * sizeof *s->queue);
}

/* When so many GPUs are expected to be free, counted and not placed: scattered free GPUs make a
 * promise that is early. What is late ends any moment. */
static double when(const simulation *s, int64_t gpus) {
    if (gpus <= clg_pool_free(s->pool)) return s->now_s;
    int low = 0, high = s->actives;
    while (low < high) {
        int middle = (low + high) / 2;
        if (s->promised[middle].free >= gpus)
            high = middle;
        else
            low = middle + 1;
    }
    return low < s->actives ? fmax(s->promised[low].end_s, s->now_s) : INFINITY;
}

static void count_promises(simulation *s) {
    int64_t free = clg_pool_free(s->pool);
    for (int i = 0; i < s->actives; i++)
        s->promised[i].free = free += s->run[s->promised[i].task].gpus;
}

/* The equal share of every job there is. */
static int64_t share_of(const simulation *s) {
    return s->rules->gpus / (s->waiting + s->actives > 0 ? s->waiting + s->actives : 1);
}

static double speed_per_gpu(const clg_job_size *size) {
    return 1 / (size->expected_s * (double)size->gpus);
}

/* The least speed per GPU that is worth it, of every task. */
static double *floors_of(clg_arena *arena, const clg_task *tasks, int count) {
    double *least = clg_take(arena, (size_t)count + 1, double);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < tasks[i].sizes; k++)
            least[i] = fmax(least[i], WORTH * speed_per_gpu(&tasks[i].size[k]));
    return least;
}

/* The size at which a task is expected to end first. */
static const clg_job_size *choose(const simulation *s, int task) {
    const clg_task *t = &s->task[task];
    const clg_job_size *chosen = NULL;
    double ends_s = INFINITY, due_s = t->job->deadline_s;
    int64_t share = share_of(s);
    for (int i = 0; i < t->sizes && t->size[i].gpus <= s->rules->gpus; i++) {
        const clg_job_size *size = &t->size[i];
        double end_s = when(s, size->gpus) + size->expected_s;
        bool within =
            i == 0 || (size->gpus <= share && speed_per_gpu(size) >= s->least_speed[task]);
        bool urgent = ends_s > due_s;
        if (end_s >= ends_s || !(within || urgent)) continue;
        chosen = size;
        ends_s = end_s;
    }
    return chosen;
}

/* Starts those at the front while they fit; the size the next one waits for, NULL: nobody. */
static const clg_job_size *serve_front(simulation *s) {
    while (s->waiting > 0) {
        int task = s->queue[0];
        count_promises(s);
        const clg_job_size *size = choose(s, task);
        if (!clg_pool_fits(s->pool, size->gpus)) return size;
        dequeue(s, 0);
        start(s, task, size);
    }
    return NULL;
}

/* GPUs that will be free at that time beyond those promised to the first. */
static int64_t beyond(const simulation *s, double shadow_s, int64_t taken) {
    int64_t free = clg_pool_free(s->pool);
    for (int i = 0; i < s->actives && s->promised[i].end_s <= shadow_s; i++)
        free = s->promised[i].free;
    return free - taken;
}

/* Those behind pass the first where they end before its time or leave it its GPUs. Where only their
 * places keep it waiting, its time is the next end. */
static void backfill(simulation *s, const clg_job_size *first) {
    double shadow_s = when(s, first->gpus);
    if (shadow_s <= s->now_s && s->actives > 0) shadow_s = fmax(s->promised[0].end_s, s->now_s);
    int64_t spare = beyond(s, shadow_s, first->gpus);
    for (int at = 1, seen = 0; at < s->waiting && seen < DEPTH && clg_pool_free(s->pool) > 0;
         seen++) {
        int task = s->queue[at];
        if (s->task[task].size[0].gpus > clg_pool_free(s->pool)) {
            at++;
            continue;
        }
        const clg_job_size *size = choose(s, task);
        bool early = s->now_s + expected_of(&s->task[task], size) <= shadow_s;
        if (!clg_pool_fits(s->pool, size->gpus) || (!early && size->gpus > spare)) {
            at++;
            continue;
        }
        if (!early) spare -= size->gpus;
        dequeue(s, at);
        start(s, task, size);
        count_promises(s);
    }
}

static void schedule(simulation *s) {
    if (clg_pool_free(s->pool) == 0) return;
    const clg_job_size *first = serve_front(s);
    if (first) backfill(s, first);
}

static void end_first(simulation *s) {
    int first = s->active[0].task;
    drop_promise(s, first, s->run[first].expected_end_s);
    running ended = pop(s);
    pass(s, ended.end_s);
    clg_pool_give(s->pool, ended.hold);
    s->busy -= s->run[ended.task].gpus;
}

/* A job that no size of the cluster runs never starts. */
static void arrive(simulation *s, int task) {
    const clg_task *t = &s->task[task];
    s->run[task] = (clg_run){.start_s = INFINITY, .end_s = INFINITY};
    if (t->sizes > 0 && t->size[0].gpus <= s->rules->gpus)
        enqueue(s, task);
    else
        s->life->impossible++;
}

/* From "exactly so many" to "more than so many". */
static void add_up(clg_life *life, int64_t gpus) {
    for (int64_t i = gpus - 1; i-- > 0;) life->at_least[i] += life->at_least[i + 1];
}

void clg_life_run(clg_arena *arena, const clg_task *tasks, int count, const clg_life_rules *rules,
                  clg_run *run, clg_life *life) {
    size_t most = (size_t)(rules->gpus < count ? rules->gpus : count) + 1;
    *life = (clg_life){.at_least = clg_take(arena, (size_t)rules->gpus, double)};
    simulation s = {.task = tasks,
                    .rules = rules,
                    .run = run,
                    .life = life,
                    .pool = clg_pool_make(arena, rules->gpus, rules->node_gpus),
                    .active = clg_take(arena, most, running),
                    .promised = clg_take(arena, most, promise),
                    .least_speed = floors_of(arena, tasks, count),
                    .queue = clg_take(arena, (size_t)count + 1, int)};
    for (int next = 0; next < count || s.actives > 0;) {
        double ends_s = s.actives > 0 ? s.active[0].end_s : INFINITY;
        double comes_s = next < count ? tasks[next].job->arrival_s : INFINITY;
        double at_s = fmin(ends_s, comes_s);
        while (s.actives > 0 && s.active[0].end_s <= at_s) end_first(&s);
        if (at_s > s.now_s) pass(&s, at_s);
        for (; next < count && tasks[next].job->arrival_s <= at_s; next++) arrive(&s, next);
        schedule(&s);
    }
    life->end_s = s.now_s;
    add_up(life, rules->gpus);
}
