/* cluster.c -- plans every kind and size, then compares. */
#include "economics/cluster.h"

#include <math.h>

static void fill(const clg_sizing *ask, const clg_clusters *all, clg_cluster *c) {
    clg_operations lost = ask->operations;
    const clg_scenario *scenario = &c->offer->scenario;
    const clg_evaluation *e = &c->plan;
    double gpus = (double)c->gpus;
    if (clg_price_spot(&scenario->price)) lost.failures_per_gpu_s += ask->taken_back_per_gpu_s;
    c->goodput = clg_goodput_of(&lost, gpus, e->trained_parameters);
    c->seconds = all->tokens_needed / e->tokens_per_s / c->goodput.share;
    c->usd = c->seconds * gpus * scenario->price.usd_per_s;
    c->late = e->step_p90_s / e->step_s;
    c->power_w = e->cluster_w * ask->operations.pue;
    c->joules = c->power_w * c->seconds;
}

/* How far beyond its worst limit: at most 1 meets them all. */
static double worst_ratio(const clg_limits *limits, const clg_cluster *c) {
    double worst = 0;
    if (limits->deadline_s > 0) worst = fmax(worst, c->seconds * c->late / limits->deadline_s);
    if (limits->power_w > 0) worst = fmax(worst, c->power_w / limits->power_w);
    if (limits->budget_usd > 0)
        worst = fmax(worst, c->usd > 0 ? c->usd * c->late / limits->budget_usd : INFINITY);
    return worst;
}

/* The largest cluster of the same kind with at most half the GPUs; NULL: none. */
static clg_cluster *half_of(clg_clusters *all, const clg_cluster *c) {
    clg_cluster *half = NULL;
    for (int i = 0; i < all->count; i++) {
        clg_cluster *d = &all->cluster[i];
        if (d->offer != c->offer || 2 * d->gpus > c->gpus) continue;
        if (!half || d->gpus > half->gpus) half = d;
    }
    return half;
}

static double cheapest_usd(const clg_clusters *all, const clg_offer *offer) {
    double least = INFINITY;
    for (int i = 0; i < all->count; i++)
        if (all->cluster[i].offer == offer) least = fmin(least, all->cluster[i].usd);
    return least;
}

/* The same two knees as of a curve: in time, and in dollars. */
static bool is_past_knee(const clg_sizing *ask, clg_clusters *all, const clg_cluster *c) {
    const clg_cluster *half = half_of(all, c);
    if (c->usd * ask->knee_share > cheapest_usd(all, c->offer)) return true;
    if (!half) return false;
    double added = (double)c->gpus / (double)half->gpus - 1;
    return half->past_knee || half->seconds / c->seconds - 1 < ask->knee_share * added;
}

static void mark_knees(const clg_sizing *ask, clg_clusters *all) {
    for (int64_t gpus = 0; gpus < INT64_MAX;) { /* smaller ones first */
        int64_t next = INT64_MAX;
        for (int i = 0; i < all->count; i++) {
            clg_cluster *c = &all->cluster[i];
            if (c->gpus == gpus) c->past_knee = is_past_knee(ask, all, c);
            if (c->gpus > gpus && c->gpus < next) next = c->gpus;
        }
        gpus = next;
    }
}

bool clg_cluster_is_brief(const clg_operations *o, const clg_cluster *c) {
    return c->seconds < o->short_rent_s &&
           (double)c->gpus > o->short_nodes * c->offer->scenario.machine.node.gpus;
}

bool clg_cluster_is_dear(const clg_sizing *ask, const clg_clusters *all, const clg_cluster *c) {
    if (ask->limits.deadline_s > 0 || ask->limits.budget_usd <= 0 || all->cheapest < 0)
        return false;
    return c->usd > all->cluster[all->cheapest].usd * (1 + ask->operations.dear_share);
}

/* Within a deadline money decides, without prices energy. Without one time does, as far as it costs
 * little: a limit of money or power asks what can be had for it, and thousands for an hour cannot.
 */
static bool better(const clg_sizing *ask, const clg_clusters *all, const clg_cluster *a,
                   const clg_cluster *b) {
    bool brief = clg_cluster_is_brief(&ask->operations, a);
    bool dear = clg_cluster_is_dear(ask, all, a);
    if (dear != clg_cluster_is_dear(ask, all, b)) return !dear;
    if (dear) return a->usd < b->usd;
    if (ask->limits.deadline_s <= 0)
        return brief != clg_cluster_is_brief(&ask->operations, b) ? !brief
                                                                  : a->seconds < b->seconds;
    bool priced = a->usd > 0 && b->usd > 0;
    if (priced) return a->usd < b->usd;
    if (a->usd > 0 || b->usd > 0) return a->usd > 0;
    return a->joules < b->joules;
}

static void mark_limits(const clg_sizing *ask, clg_clusters *all) {
    all->nearest = all->cheapest = -1;
    all->missed_factor = INFINITY;
    for (int i = 0; i < all->count; i++) {
        clg_cluster *c = &all->cluster[i];
        double ratio = worst_ratio(&ask->limits, c);
        c->meets = ratio <= 1;
        if (c->meets && !c->past_knee && c->usd > 0 &&
            (all->cheapest < 0 || c->usd < all->cluster[all->cheapest].usd))
            all->cheapest = i;
        if (ratio < all->missed_factor) {
            all->missed_factor = ratio;
            all->nearest = i;
        }
    }
}

static void choose(const clg_sizing *ask, clg_clusters *all) {
    all->best = -1;
    mark_knees(ask, all);
    mark_limits(ask, all);
    for (int i = 0; i < all->count; i++) {
        const clg_cluster *c = &all->cluster[i];
        const clg_cluster *best = all->best < 0 ? NULL : &all->cluster[all->best];
        bool sooner = best && c->past_knee != best->past_knee && !c->past_knee;
        bool same = best && c->past_knee == best->past_knee;
        if (c->meets && (!best || sooner || (same && better(ask, all, c, best)))) all->best = i;
    }
}

/* Money against time; energy against time where nothing has a price. */
static void mark_front(clg_clusters *all) {
    bool priced = false;
    for (int i = 0; i < all->count; i++) priced |= all->cluster[i].usd > 0;
    for (int i = 0; i < all->count; i++) {
        clg_cluster *c = &all->cluster[i];
        double cost = priced ? c->usd : c->joules;
        c->on_front = cost > 0;
        for (int j = 0; j < all->count && c->on_front; j++) {
            const clg_cluster *d = &all->cluster[j];
            double other = priced ? d->usd : d->joules;
            bool beats = other > 0 && other <= cost && d->seconds <= c->seconds &&
                         (other < cost || d->seconds < c->seconds);
            if (beats) c->on_front = false;
        }
    }
}

/* One kind at one size, to be planned. */
typedef struct job {
    const clg_offer *offer;
    int64_t gpus;
    bool runs;
    clg_evaluation plan;
} job;

typedef struct jobs {
    const clg_sizing *ask;
    clg_clusters *all;
    clg_progress progress;
    job *list; /* [CLG_CLUSTERS] */
    int count;
    double told; /* share of the work that is said to be done; rounds to come are not counted yet */
} jobs;

static const double round_share = 0.75; /* of what is left: a first round, then sizes between */

static bool tell_round(void *context, double share) {
    const jobs *j = context;
    return j->progress.tell(j->progress.context, j->told + share * round_share * (1 - j->told));
}

static void plan(void *context, int index, clg_arena *arena) {
    const jobs *j = context;
    job *one = &j->list[index];
    clg_scenario here = one->offer->scenario;
    clg_space at = one->offer->space;
    here.machine.gpus = (int)one->gpus;
    here.machine.fabric.assumed = false; /* who rents says what network, so the answer names it */
    at.gpus = one->gpus;
    one->runs = clg_search_fastest(arena, &here, &at, &one->plan);
}

bool clg_cluster_plan(clg_arena *arena, const clg_sizing *ask, const clg_clusters *all,
                      const clg_offer *offer, int64_t gpus, clg_cluster *c) {
    job one = {.offer = offer, .gpus = gpus};
    jobs j = {.ask = ask, .list = &one};
    plan(&j, 0, arena);
    *c = (clg_cluster){.offer = offer, .gpus = gpus, .plan = one.plan};
    if (one.runs) fill(ask, all, c);
    return one.runs;
}

static bool is_planned(const jobs *j, const clg_offer *offer, int64_t gpus) {
    for (int i = 0; i < j->all->count; i++)
        if (j->all->cluster[i].offer == offer && j->all->cluster[i].gpus == gpus) return true;
    for (int i = 0; i < j->count; i++)
        if (j->list[i].offer == offer && j->list[i].gpus == gpus) return true;
    return false;
}

/* Late though its GPUs did nothing but the forward pass, a third of the operations, at their peak:
 * half of what could be in time, which its knee is read from, is never among these. */
static bool is_hopeless(const jobs *j, const clg_offer *offer, int64_t gpus) {
    const clg_scenario *s = &offer->scenario;
    double peak = s->machine.gpu.peak_flop_per_s[offer->space.precision];
    double forward_flop = clg_model_flop_per_token(&s->model, 0) / 3 * j->all->tokens_needed;
    return j->ask->limits.deadline_s > 0 && peak > 0 &&
           forward_flop > (double)gpus * peak * j->ask->limits.deadline_s;
}

/* To be planned, if there is room and it is not yet. */
static void add(jobs *j, const clg_offer *offer, int64_t gpus) {
    if (j->all->count + j->count >= CLG_CLUSTERS || is_planned(j, offer, gpus)) return;
    j->list[j->count++] = (job){.offer = offer, .gpus = gpus};
}

/* Plans what was added; what runs becomes clusters, in the order it was added. */
static void plan_added(clg_arena *arena, jobs *j) {
    clg_progress round = {j->progress.tell ? tell_round : NULL, j, j->progress.cores};
    clg_cores_each(round, arena, j->count, plan, j);
    j->told += round_share * (1 - j->told);
    for (int i = 0; i < j->count; i++) {
        if (!j->list[i].runs) continue;
        clg_cluster *c = &j->all->cluster[j->all->count++];
        *c = (clg_cluster){
            .offer = j->list[i].offer, .gpus = j->list[i].gpus, .plan = j->list[i].plan};
        fill(j->ask, j->all, c);
    }
    j->count = 0;
}

/* Every kind from one node up: those that have no hope, or the others. */
static void plan_doubling(clg_arena *arena, jobs *j, bool hopeless) {
    const clg_sizing *ask = j->ask;
    for (int i = 0; i < ask->offers; i++) {
        int64_t gpus = ask->offer[i].scenario.machine.node.gpus;
        for (; gpus <= ask->most_gpus; gpus *= 2)
            if (is_hopeless(j, &ask->offer[i], gpus) == hopeless) add(j, &ask->offer[i], gpus);
    }
    plan_added(arena, j);
    choose(ask, j->all);
}

/* The fewest GPUs of a kind that take no longer; at P90 where a deadline says how long. */
static int fewest_of(const clg_clusters *all, const clg_offer *offer, bool by_deadline) {
    int found = -1;
    for (int i = 0; i < all->count; i++) {
        const clg_cluster *c = &all->cluster[i];
        double late = by_deadline ? c->late : 1;
        if (c->offer == offer && c->seconds * late <= all->equal_seconds * (1 + 1e-9) &&
            (found < 0 || c->gpus < all->cluster[found].gpus))
            found = i;
    }
    return found;
}

/* One kind at eighths of a size, in whole nodes: a limit is seldom met by a power of two. */
static void add_eighths(jobs *j, const clg_offer *offer, int64_t size, int last) {
    int64_t node = offer->scenario.machine.node.gpus;
    for (int64_t eighths = 5; eighths <= last; eighths++) {
        int64_t gpus = size * eighths / 8 / node * node;
        if (gpus >= node && gpus <= j->ask->most_gpus) add(j, offer, gpus);
    }
}

static void find_equal_time(const clg_limits *limits, clg_clusters *all) {
    all->equal_seconds = limits->deadline_s;
    if (all->equal_seconds <= 0 && all->best >= 0)
        all->equal_seconds = all->cluster[all->best].seconds;
}

/* The best kind from half its size to its double, the others below the size that is fast enough. */
static void refine(clg_arena *arena, jobs *j) {
    enum { ALMOST = 7, DOUBLE = 15 };
    const clg_sizing *ask = j->ask;
    clg_clusters *all = j->all;
    if (all->best < 0) return;
    const clg_offer *kind = all->cluster[all->best].offer;
    add_eighths(j, kind, all->cluster[all->best].gpus, DOUBLE);
    plan_added(arena, j);
    choose(ask, all);
    find_equal_time(&ask->limits, all);
    for (int k = 0; k < ask->offers; k++) {
        int at = fewest_of(all, &ask->offer[k], ask->limits.deadline_s > 0);
        if (at >= 0 && &ask->offer[k] != kind)
            add_eighths(j, &ask->offer[k], all->cluster[at].gpus, ALMOST);
    }
    plan_added(arena, j);
}

static void match_times(const clg_sizing *ask, clg_clusters *all) {
    all->equal_count = 0;
    find_equal_time(&ask->limits, all);
    for (int k = 0; k < ask->offers && all->equal_count < CLG_KINDS; k++) {
        int at = fewest_of(all, &ask->offer[k], ask->limits.deadline_s > 0),
            place = all->equal_count;
        if (at < 0) continue;
        for (; place > 0 && all->cluster[all->equal[place - 1]].gpus > all->cluster[at].gpus;
             place--)
            all->equal[place] = all->equal[place - 1];
        all->equal[place] = at;
        all->equal_count++;
    }
}

static clg_status find_target(clg_arena *arena, const clg_sizing *ask, clg_clusters *all,
                              clg_error *error) {
    const clg_model *model = &ask->offer[0].scenario.model;
    if (clg_critical_batch_find(arena, model, ask->tokens, ask->critical_tokens, &all->critical,
                                error) != CLG_OK)
        return error->status;
    const clg_space *space = &ask->offer[0].space;
    all->batch_tokens = (double)space->global_batch * (double)space->seq;
    all->tokens_needed = clg_tokens_needed(ask->tokens, all->batch_tokens, all->critical.tokens);
    return CLG_OK;
}

clg_status clg_size(clg_arena *arena, const clg_sizing *ask, clg_progress progress,
                    clg_clusters *all, clg_error *error) {
    jobs j = {ask, all, progress, clg_take(arena, CLG_CLUSTERS, job), 0, 0};
    all->count = 0;
    const char *why = ask->offers == 1 ? clg_scenario_refuses(arena, &ask->offer[0].scenario,
                                                              ask->offer[0].space.precision)
                                       : NULL;
    if (why) return clg_fail(error, CLG_BAD_INPUT, NULL, "%s", why);
    if (find_target(arena, ask, all, error) != CLG_OK) return error->status;
    plan_doubling(arena, &j, false);
    if (all->best < 0) plan_doubling(arena, &j, true); /* the nearest may be any */
    refine(arena, &j);
    choose(ask, all);
    match_times(ask, all);
    mark_front(all);
    if (all->count > 0) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "a smaller model, shorter sequences, or a larger batch",
                    "no cluster of up to %lld GPUs of these kinds runs this job",
                    (long long)ask->most_gpus);
}
