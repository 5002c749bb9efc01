/* frontier.c -- see the header. */
#include "serve/frontier.h"

#include "serve/crowd.h"
#include "serve/sizing.h"

#include <math.h>

static const double cliff_ratio = 1.8; /* "almost half" */

/* The replica is the slowed one that fleets are sized for. */
static int64_t sized(clg_arena *arena, const clg_serve_question *q, const clg_serve_target *target,
                     int64_t guess, double alone_share) {
    if (alone_share < target->share) return 0;
    int64_t n = clg_fleet_needed(arena, q->replica, q->demand, target, (double)guess, 0);
    bool none = n >= q->demand->count && !clg_fleet_meets(arena, q->replica, q->demand, n, target);
    return none ? 0 : n;
}

static void add_point(const clg_serve_question *q, clg_frontier_axis axis, clg_serve_target target,
                      clg_frontier *f) {
    clg_frontier_point *p = &f->point[f->count++];
    *p = (clg_frontier_point){.axis = axis, .target = target};
    p->asked = target.share == q->target.share && target.ttft_s == q->target.ttft_s &&
               target.tpot_s == q->target.tpot_s;
}

/* The usual shares, and the asked one among them. */
static void add_shares(const clg_serve_question *q, clg_frontier *f) {
    static const double shares[] = {0.9, 0.95, 0.99, 0.995, 0.999, 2};
    bool done = false;
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        clg_serve_target target = q->target;
        if (!done && q->target.share <= shares[i] + 1e-9) {
            add_point(q, CLG_FRONTIER_WITHIN, target, f);
            done = true;
        }
        target.share = shares[i];
        if (shares[i] <= 1 && fabs(shares[i] - q->target.share) > 1e-9)
            add_point(q, CLG_FRONTIER_WITHIN, target, f);
    }
}

static void add_times(const clg_serve_question *q, clg_frontier *f) {
    static const double times[] = {2, 1.5, 1, 0.75, 0.5};
    for (int axis = CLG_FRONTIER_FIRST; axis <= CLG_FRONTIER_TOKEN; axis++)
        for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
            clg_serve_target target = q->target;
            *(axis == CLG_FRONTIER_FIRST ? &target.ttft_s : &target.tpot_s) *= times[i];
            add_point(q, (clg_frontier_axis)axis, target, f);
        }
}

typedef struct points {
    const clg_serve_question *question;
    clg_frontier *frontier;
    int64_t guess; /* and what the asked target takes, where all requests are looked at */
} points;

static void size_point(void *context, int index, clg_arena *arena) {
    const points *all = context;
    clg_frontier_point *p = &all->frontier->point[index];
    const clg_serve_question *q = all->question;
    p->alone_share = clg_share_alone(arena, q->replica, q->demand, &p->target);
    bool known = p->asked && all->frontier->busiest_s <= 0;
    p->replicas = known ? all->guess : sized(arena, q, &p->target, all->guess, p->alone_share);
    clg_arena_clear(arena);
}

static int64_t asked_of(const clg_frontier *f) {
    for (int i = 0; i < f->count; i++)
        if (f->point[i].asked) return f->point[i].replicas;
    return 0;
}

/* What the asked share costs beside one that lets twice as many be late. */
static void settle_cliff(clg_arena *arena, const clg_serve_question *q, int64_t asked,
                         clg_frontier *f) {
    clg_serve_target loose = q->target;
    loose.share = f->loose_share = fmax(0, 1 - 2 * (1 - q->target.share));
    double alone = clg_share_alone(arena, q->replica, q->demand, &loose);
    f->loose_replicas = loose.share > 0 ? sized(arena, q, &loose, asked, alone) : 1;
    f->cliff = (double)asked >= cliff_ratio * (double)f->loose_replicas;
}

/* The fleet is sized by all requests, other points by a part: a looser target takes no more than
 * the fleet, a tighter one no fewer. */
static void keep_order(clg_frontier *f, int64_t fleet) {
    bool tighter = false;
    for (int i = 0; i < f->count; i++) {
        clg_frontier_point *p = &f->point[i];
        if (i > 0 && p->axis != f->point[i - 1].axis) tighter = false;
        tighter |= p->asked;
        if (p->replicas > 0 && (tighter ? p->replicas < fleet : p->replicas > fleet))
            p->replicas = fleet;
    }
}

void clg_serve_frontier(clg_arena *arena, const clg_serve_question *asked,
                        const clg_serve_answer *a, clg_frontier *f) {
    *f = (clg_frontier){0};
    if (asked->replicas > 0 || !clg_has_target(asked)) return;
    clg_arena_mark mark = clg_arena_here(arena);
    clg_replica slow = clg_replica_slowed(arena, asked->replica, 1 + asked->margin);
    clg_serve_question q = *asked;
    int64_t n = a->fleet.replicas;
    clg_demand d = *asked->demand;
    if (!d.apart) d = clg_demand_for_sizing(&d, CLG_FRONTIER_REQUESTS, (double)n);
    f->busiest_s = d.count < asked->demand->count ? d.span_s : 0;
    q.replica = &slow;
    q.demand = &d;
    add_shares(&q, f);
    add_times(&q, f);
    points all = {&q, f, n};
    clg_cores_each((clg_progress){.cores = q.cores}, arena, f->count, size_point, &all);
    n = f->asked = asked_of(f);
    if (n > 0) keep_order(f, n);
    if (n > 0) settle_cliff(arena, &q, n, f);
    f->late_alone = 1 - a->alone_share;
    if (n > 1) {
        clg_fleet fewer;
        clg_fleet_run(arena, &slow, f->busiest_s > 0 ? &d : asked->demand, n - 1, &q.target,
                      &fewer);
        f->late_first = fewer.late_first;
        f->late_token = fewer.late_token;
    }
    clg_arena_back_to(arena, mark);
}
