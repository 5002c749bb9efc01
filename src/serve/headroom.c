/* headroom.c -- see the header. Left out: that errors of latency and of throughput differ, and that
 * a lost node's requests must be begun again. */
#include "serve/headroom.h"

#include "base/normal.h"
#include "base/real.h"
#include "serve/crowd.h"
#include "serve/sizing.h"
#include "units/units.h"

#include <math.h>

enum { HALVINGS = 7 };

/* The chance that a fleet to buy aims at: one time in ten it is too small, as P10 and P90 are read.
 */
static const double sure = 0.9;

static bool meets_slowed(clg_arena *arena, const clg_serve_question *q, int64_t n, double scale) {
    clg_arena_mark mark = clg_arena_here(arena);
    clg_replica r = clg_replica_slowed(arena, q->replica, scale);
    bool meets = clg_fleet_meets(arena, &r, q->demand, n, &q->target);
    clg_arena_back_to(arena, mark);
    return meets;
}

double clg_fleet_chance(clg_arena *arena, const clg_serve_question *q, int64_t n, double tenth) {
    double sigma = log(tenth) / CLG_SIGMAS_TO_TENTH, low = -3, high = 3;
    for (int i = 0; i < HALVINGS; i++) {
        double z = (low + high) / 2;
        if (meets_slowed(arena, q, n, clg_exp(z * sigma)))
            low = z;
        else
            high = z;
    }
    return clg_normal_below((low + high) / 2);
}

/* The same requests, so many times as fast. */
static clg_demand hurried(clg_arena *arena, const clg_demand *d, double ratio) {
    clg_demand fast = *d;
    fast.request = clg_take(arena, (size_t)d->count + 1, clg_arrival);
    for (int64_t i = 0; i < d->count; i++) {
        fast.request[i] = d->request[i];
        fast.request[i].arrival_s /= ratio;
    }
    fast.span_s /= ratio;
    return fast;
}

clg_demand clg_demand_grown(clg_arena *arena, const clg_demand *d, double ratio) {
    return d->apart ? clg_crowd_grown(arena, d, ratio) : hurried(arena, d, ratio);
}

static bool meets_grown(clg_arena *arena, const clg_serve_question *q, int64_t n, double ratio) {
    clg_arena_mark mark = clg_arena_here(arena);
    clg_demand more = clg_demand_grown(arena, q->demand, ratio);
    bool meets = clg_fleet_meets(arena, q->replica, &more, n, &q->target);
    clg_arena_back_to(arena, mark);
    return meets;
}

/* Sized as fleets are, with the margin; of a fleet that is too small what it holds of the demand.
 */
static double next_ratio(clg_arena *arena, const clg_serve_question *asked, int64_t n) {
    clg_arena_mark mark = clg_arena_here(arena);
    clg_serve_question q = *asked;
    clg_replica slow = clg_replica_slowed(arena, asked->replica, 1 + asked->margin);
    double low = 1, high = 1;
    q.replica = &slow;
    bool meets = meets_grown(arena, &q, n, 1);
    if (!meets) low = 0;
    while (meets && high < CLG_HEADROOM_MOST && meets_grown(arena, &q, n, high *= 2)) low = high;
    for (int i = 0; high > low && i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (meets_grown(arena, &q, n, middle))
            low = middle;
        else
            high = middle;
    }
    clg_arena_back_to(arena, mark);
    return low;
}

const int clg_grown_months[CLG_GROWN] = {3, 6, 12};

/* Sized as fleets are, with the margin, for the same requests as much faster as growth makes them.
 */
static void grow(clg_arena *arena, const clg_serve_question *q, int64_t n, clg_serve_headroom *h) {
    clg_replica slow = clg_replica_slowed(arena, q->replica, 1 + q->margin);
    if (q->growth == 0.0 || q->replicas > 0) return;
    for (int i = 0; i < CLG_GROWN; i++) {
        double ratio = 1;
        for (int month = 0; month < clg_grown_months[i]; month++) ratio *= 1 + q->growth;
        clg_arena_mark mark = clg_arena_here(arena);
        clg_demand more = clg_demand_grown(arena, q->demand, ratio);
        h->grown_replicas[i] =
            clg_fleet_needed(arena, &slow, &more, &q->target, (double)n * ratio, 0);
        clg_arena_back_to(arena, mark);
    }
}

/* What to order for the demand that meets it: what holds it at P90 of the iterations, no fewer than
 * what the margin asks for. */
static void order(clg_arena *arena, const clg_serve_question *q, const clg_serve_answer *a,
                  clg_serve_headroom *h) {
    if (q->lead_s <= 0 || q->growth == 0.0 || q->replicas > 0) return;
    h->lead_ratio = clg_pow(1 + q->growth, q->lead_s / CLG_MEAN_MONTH_S);
    if (!a->slow.attainable) return;
    double guess = (double)a->fleet.replicas * h->lead_ratio;
    clg_demand more = clg_demand_grown(arena, q->demand, h->lead_ratio);
    clg_replica slow = clg_replica_slowed(arena, q->replica, 1 + q->margin);
    clg_replica slowest = clg_replica_slowed(arena, q->replica, a->doubt.rate);
    int64_t n = clg_fleet_needed(arena, &slow, &more, &q->target, guess, 0);
    int64_t sure_n = clg_fleet_needed(arena, &slowest, &more, &q->target, guess * a->doubt.rate, 0);
    if (sure_n < n) sure_n = n;
    h->lead_replicas = (double)sure_n <= CLG_HEADROOM_WORTH * guess ? sure_n : 0;
}

static void lose_node(clg_arena *arena, const clg_serve_question *q, int64_t n,
                      clg_serve_headroom *h) {
    int each = clg_replica_gpus(q->replica), node = q->replica->scenario->machine.node.gpus;
    h->lost_replicas = node > each ? node / each : 1;
    if (h->lost_replicas >= n) {
        h->lost_replicas = n;
        return;
    }
    clg_fleet left;
    clg_fleet_run(arena, q->replica, q->demand, n - h->lost_replicas, &q->target, &left);
    h->lost_share = left.well_served;
    h->lost_ttft_s = left.ttft_s.p90;
    h->lost_tpot_s = left.tpot_s.p90;
}

/* What does not wait for each other. */
typedef struct chains {
    const clg_serve_question *question;
    const clg_serve_answer *answer;
    clg_serve_headroom *headroom;
} chains;

static void follow(void *context, int index, clg_arena *arena) {
    const chains *c = context;
    const clg_serve_question *q = c->question;
    clg_serve_headroom *h = c->headroom;
    int64_t n = c->answer->fleet.replicas;
    if (index == 0)
        h->chance = clg_fleet_chance(arena, q, n, c->answer->doubt.rate);
    else if (index == 1)
        h->next_ratio = next_ratio(arena, q, n);
    else if (index == 2)
        grow(arena, q, n, h);
    else if (index == 3)
        order(arena, q, c->answer, h);
    else
        lose_node(arena, q, n, h);
    clg_arena_clear(arena);
}

void clg_serve_headroom_of(clg_arena *arena, const clg_serve_question *asked,
                           const clg_serve_answer *a, clg_serve_headroom *h) {
    int64_t n = a->fleet.replicas;
    *h = (clg_serve_headroom){0};
    if (!clg_has_target(asked)) return;
    h->known = true;
    clg_demand d = *asked->demand;
    if (!d.apart) d = clg_demand_for_sizing(&d, CLG_HEADROOM_REQUESTS, (double)n);
    clg_serve_question own = *asked, *q = &own;
    own.demand = &d;
    h->busiest_s = d.count < asked->demand->count ? d.span_s : 0;
    chains all = {q, a, h};
    clg_cores_each((clg_progress){.cores = q->cores}, arena, 5, follow, &all);
    h->next_months =
        q->growth > 0 && h->next_ratio >= 1 ? log(h->next_ratio) / log(1 + q->growth) : INFINITY;
    if (q->replicas == 0 && a->slow.attainable && a->slow.replicas <= CLG_HEADROOM_WORTH * n)
        h->buy_replicas = a->slow.replicas;
    if (h->chance >= sure) h->buy_replicas = n;
    h->buy_chance = h->chance;
    if (h->buy_replicas > n)
        h->buy_chance = clg_fleet_chance(arena, q, h->buy_replicas, a->doubt.rate);
    if (q->replicas == 0 && h->buy_replicas == 0) clg_serve_cliff_of(arena, q, a, &h->cliff);
}
