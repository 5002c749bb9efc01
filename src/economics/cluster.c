/* cluster.c -- plans every kind and size, then compares. */
#include "economics/cluster.h"

#include <math.h>

static void fill(const clg_offer *offer, const clg_operations *operations, double tokens,
                 clg_cluster *c) {
    const clg_evaluation *e = &c->plan;
    double gpus = (double)c->gpus;
    c->goodput = clg_goodput_of(operations, gpus, (double)offer->scenario.model.parameters);
    c->seconds = tokens / e->tokens_per_s / c->goodput.share;
    c->usd = c->seconds * gpus * offer->scenario.price.usd_per_s;
    c->power_w = e->cluster_w * operations->pue;
    c->joules = c->power_w * c->seconds;
}

/* How far beyond its worst limit: at most 1 meets them all. */
static double worst_ratio(const clg_limits *limits, const clg_cluster *c) {
    double worst = 0;
    if (limits->deadline_s > 0) worst = fmax(worst, c->seconds / limits->deadline_s);
    if (limits->power_w > 0) worst = fmax(worst, c->power_w / limits->power_w);
    if (limits->budget_usd > 0)
        worst = fmax(worst, c->usd > 0 ? c->usd / limits->budget_usd : INFINITY);
    return worst;
}

/* Within a deadline money decides, without prices energy; without a deadline time does: a limit of
 * money or power asks what can be had for it. */
static bool better(const clg_limits *limits, const clg_cluster *a, const clg_cluster *b) {
    if (limits->deadline_s <= 0) return a->seconds < b->seconds;
    bool priced = a->usd > 0 && b->usd > 0;
    if (priced) return a->usd < b->usd;
    if (a->usd > 0 || b->usd > 0) return a->usd > 0;
    return a->joules < b->joules;
}

static void choose(const clg_limits *limits, clg_clusters *all) {
    all->best = all->nearest = -1;
    all->missed_factor = INFINITY;
    for (int i = 0; i < all->count; i++) {
        clg_cluster *c = &all->cluster[i];
        double ratio = worst_ratio(limits, c);
        c->meets = ratio <= 1;
        if (c->meets && (all->best < 0 || better(limits, c, &all->cluster[all->best])))
            all->best = i;
        if (ratio < all->missed_factor) {
            all->missed_factor = ratio;
            all->nearest = i;
        }
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

/* One kind at one size; false when nothing runs there. */
static bool plan(clg_arena *arena, const clg_offer *offer, const clg_space *space, int64_t gpus,
                 clg_cluster *c) {
    clg_scenario here = offer->scenario;
    clg_space at = *space;
    clg_found found;
    clg_error none = {0};
    here.machine.gpus = (int)gpus;
    at.gpus = gpus;
    at.keep = 1;
    if (clg_search(arena, &here, &at, (clg_progress){0}, &found, &none) != CLG_OK ||
        found.count == 0)
        return false;
    *c = (clg_cluster){.offer = offer, .gpus = gpus, .plan = found.best[0]};
    return true;
}

/* Plans one kind at one size, if there is room and it runs and is not there yet. */
static void add(clg_arena *arena, const clg_offer *offer, const clg_space *space,
                const clg_operations *operations, double tokens, int64_t gpus, clg_clusters *all) {
    for (int i = 0; i < all->count; i++)
        if (all->cluster[i].offer == offer && all->cluster[i].gpus == gpus) return;
    if (all->count == CLG_CLUSTERS) return;
    clg_cluster *c = &all->cluster[all->count];
    if (!plan(arena, offer, space, gpus, c)) return;
    fill(offer, operations, tokens, c);
    all->count++;
}

/* The fewest GPUs of a kind that take no longer. */
static int fewest_of(const clg_clusters *all, const clg_offer *offer) {
    int found = -1;
    for (int i = 0; i < all->count; i++) {
        const clg_cluster *c = &all->cluster[i];
        if (c->offer == offer && c->seconds <= all->equal_seconds * (1 + 1e-9) &&
            (found < 0 || c->gpus < all->cluster[found].gpus))
            found = i;
    }
    return found;
}

/* One kind at eighths of a size, in whole nodes: a limit is seldom met by a power of two. */
static void add_eighths(clg_arena *arena, const clg_offer *offer, const clg_space *space,
                        const clg_operations *operations, double tokens, int64_t size,
                        int64_t most_gpus, int last, clg_clusters *all) {
    int64_t node = offer->scenario.machine.node.gpus;
    for (int64_t eighths = 5; eighths <= last; eighths++) {
        int64_t gpus = size * eighths / 8 / node * node;
        if (gpus >= node && gpus <= most_gpus)
            add(arena, offer, space, operations, tokens, gpus, all);
    }
}

static void find_equal_time(const clg_limits *limits, clg_clusters *all) {
    all->equal_seconds = limits->deadline_s;
    if (all->equal_seconds <= 0 && all->best >= 0)
        all->equal_seconds = all->cluster[all->best].seconds;
}

/* The best kind from half its size to its double, the others below the size that is fast enough. */
static void refine(clg_arena *arena, const clg_offer *offers, int count, const clg_space *space,
                   const clg_operations *operations, const clg_limits *limits, double tokens,
                   int64_t most_gpus, clg_clusters *all) {
    enum { ALMOST = 7, DOUBLE = 15 };
    if (all->best < 0) return;
    const clg_cluster *best = &all->cluster[all->best];
    const clg_offer *kind = best->offer;
    add_eighths(arena, kind, space, operations, tokens, best->gpus, most_gpus, DOUBLE, all);
    choose(limits, all);
    find_equal_time(limits, all);
    for (int k = 0; k < count; k++) {
        int at = fewest_of(all, &offers[k]);
        if (at >= 0 && &offers[k] != kind)
            add_eighths(arena, &offers[k], space, operations, tokens, all->cluster[at].gpus,
                        most_gpus, ALMOST, all);
    }
}

static void match_times(const clg_offer *offers, int count, const clg_limits *limits,
                        clg_clusters *all) {
    all->equal_count = 0;
    find_equal_time(limits, all);
    for (int k = 0; k < count && all->equal_count < CLG_KINDS; k++) {
        int at = fewest_of(all, &offers[k]), place = all->equal_count;
        if (at < 0) continue;
        for (; place > 0 && all->cluster[all->equal[place - 1]].gpus > all->cluster[at].gpus;
             place--)
            all->equal[place] = all->equal[place - 1];
        all->equal[place] = at;
        all->equal_count++;
    }
}

clg_status clg_size(clg_arena *arena, const clg_offer *offers, int count, const clg_space *space,
                    const clg_operations *operations, const clg_limits *limits, double tokens,
                    int64_t most_gpus, clg_progress progress, clg_clusters *clusters,
                    clg_error *error) {
    clusters->count = 0;
    const char *why =
        count == 1 ? clg_scenario_refuses(arena, &offers[0].scenario, space->precision) : NULL;
    if (why) return clg_fail(error, CLG_BAD_INPUT, NULL, "%s", why);
    for (int i = 0; i < count; i++) {
        int64_t start = offers[i].scenario.machine.node.gpus;
        for (int64_t gpus = start; gpus <= most_gpus && clusters->count < CLG_CLUSTERS; gpus *= 2) {
            if (progress.tell && !progress.tell(progress.context, (double)i / count)) break;
            add(arena, &offers[i], space, operations, tokens, gpus, clusters);
        }
    }
    choose(limits, clusters);
    refine(arena, offers, count, space, operations, limits, tokens, most_gpus, clusters);
    choose(limits, clusters);
    match_times(offers, count, limits, clusters);
    mark_front(clusters);
    if (clusters->count > 0) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "a smaller model, shorter sequences, or a larger batch",
                    "no cluster of up to %lld GPUs of these kinds runs this job",
                    (long long)most_gpus);
}
