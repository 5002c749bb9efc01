/* queue.c -- who may start, on how many GPUs, and whom that must not delay. */
#include "portfolio/simulation.h"

#include "base/first.h"

#include <math.h>
#include <string.h>

/* Jobs looked at behind the first that waits: as many as Slurm's bf_max_job_test (500). */
enum { DEPTH = 500 };

/* A size is worth taking while its speed per GPU is at least this share of the best one's. */
static const double WORTH = 0.5;

/* The first promise of at least that end. */
static int promise_at(const simulation *s, double end_s) {
    size_t at;
    CLG_FIRST(at, 0, (size_t)s->actives, !(s->promised[at].end_s < end_s));
    return (int)at;
}

void clg_simulation_promise(simulation *s, const running *r) {
    int at = promise_at(s, r->expected_end_s);
    memmove(&s->promised[at + 1], &s->promised[at],
            (size_t)(s->actives - at) * sizeof *s->promised);
    s->promised[at] = (promise){.end_s = r->expected_end_s, .task = r->task, .gpus = r->gpus};
}

void clg_simulation_forget(simulation *s, const running *r) {
    int at = promise_at(s, r->expected_end_s);
    while (s->promised[at].task != r->task || s->promised[at].gpus != r->gpus) at++;
    memmove(&s->promised[at], &s->promised[at + 1],
            (size_t)(s->actives - at - 1) * sizeof *s->promised);
}

/* Before whom a task stands: higher priority, then earlier. */
static bool before(const simulation *s, int a, int b) {
    double x = s->task[a].job->priority, y = s->task[b].job->priority;
    return x != y ? x > y : a < b;
}

void clg_simulation_enqueue(simulation *s, int task) {
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
    size_t at;
    CLG_FIRST(at, 0, (size_t)s->actives, s->promised[at].free >= gpus);
    return (int)at < s->actives ? fmax(s->promised[at].end_s, s->now_s) : INFINITY;
}

static void count_promises(simulation *s) {
    int64_t free = clg_pool_free(s->pool);
    for (int i = 0; i < s->actives; i++) s->promised[i].free = free += s->promised[i].gpus;
}

/* The equal share of every job there is. */
static int64_t share_of(const simulation *s) {
    int jobs = s->waiting + clg_simulation_jobs(s);
    return (s->rules->gpus - s->serving_gpus - s->broken) / (jobs > 0 ? jobs : 1);
}

static double speed_per_gpu(const clg_job_size *size) {
    return 1 / (size->expected_s * (double)size->gpus);
}

double *clg_simulation_floors(clg_arena *arena, const clg_task *tasks, int count) {
    double *least = clg_take(arena, (size_t)count + 1, double);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < tasks[i].sizes; k++)
            least[i] = fmax(least[i], WORTH * speed_per_gpu(&tasks[i].size[k]));
    return least;
}

/* What is left of its team's quota. */
static int64_t quota_left(const simulation *s, int task) {
    int quota = s->task[task].job->quota;
    return quota < 0 ? s->rules->gpus : s->rules->quota[quota].gpus - s->held[quota];
}

/* Whether a task waits for its own team: those of it behind wait too. */
static bool waits_for_team(simulation *s, int task) {
    int quota = s->task[task].job->quota;
    if (quota < 0) return false;
    if (s->task[task].size[0].gpus > quota_left(s, task)) s->full[quota] = true;
    return s->full[quota];
}

/* The size at which a task is expected to end first; the smallest where serving leaves none. */
static const clg_job_size *choose(const simulation *s, int task) {
    const clg_task *t = &s->task[task];
    const clg_job_size *chosen = NULL;
    double ends_s = INFINITY, due_s = t->job->deadline_s;
    int64_t share = share_of(s), left = quota_left(s, task);
    int64_t most = left < s->rules->gpus ? left : s->rules->gpus;
    for (int i = 0; i < t->sizes && t->size[i].gpus <= most; i++) {
        const clg_job_size *size = &t->size[i];
        double end_s = when(s, size->gpus) + size->expected_s * s->left[task];
        bool within =
            i == 0 || (size->gpus <= share && speed_per_gpu(size) >= s->least_speed[task]);
        bool urgent = ends_s > due_s;
        if ((chosen && end_s >= ends_s) || !(within || urgent)) continue;
        chosen = size;
        ends_s = end_s;
    }
    return chosen;
}

/* Starts those at the front while they fit, but for those that wait for their team; the size the
 * next one waits for, and where it stands in the queue; NULL: nobody. */
static const clg_job_size *serve_front(simulation *s, int *first) {
    for (*first = 0; *first < s->waiting;) {
        int task = s->queue[*first];
        if (waits_for_team(s, task)) {
            ++*first;
            continue;
        }
        count_promises(s);
        const clg_job_size *size = choose(s, task);
        if (!clg_pool_fits(s->pool, size->gpus)) return size;
        dequeue(s, *first);
        clg_simulation_start(s, task, size);
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
static void backfill(simulation *s, const clg_job_size *first, int behind) {
    double shadow_s = when(s, first->gpus);
    if (shadow_s <= s->now_s && s->actives > 0) shadow_s = fmax(s->promised[0].end_s, s->now_s);
    int64_t spare = beyond(s, shadow_s, first->gpus);
    for (int at = behind + 1, seen = 0;
         at < s->waiting && seen < DEPTH && clg_pool_free(s->pool) > 0; seen++) {
        int task = s->queue[at];
        if (s->task[task].size[0].gpus > clg_pool_free(s->pool) || waits_for_team(s, task)) {
            at++;
            continue;
        }
        const clg_job_size *size = choose(s, task);
        bool early = s->now_s + clg_simulation_expected_s(s, task, size) <= shadow_s;
        if (!clg_pool_fits(s->pool, size->gpus) || (!early && size->gpus > spare)) {
            at++;
            continue;
        }
        if (!early) spare -= size->gpus;
        dequeue(s, at);
        clg_simulation_start(s, task, size);
        count_promises(s);
    }
}

void clg_simulation_schedule(simulation *s) {
    if (clg_pool_free(s->pool) == 0) return;
    if (s->rules->quotas > 0) memset(s->full, 0, (size_t)s->rules->quotas * sizeof *s->full);
    int at;
    const clg_job_size *first = serve_front(s, &at);
    if (first) backfill(s, first, at);
}
