/* cliff.c -- see the header. Left out: that other settings of the replica may stand off the cliff
 * (search/ and degree.c look for those). */
#include "serve/cliff.h"

#include "base/normal.h"
#include "base/real.h"
#include "serve/headroom.h"
#include "serve/sizing.h"

#include <math.h>

/* How much longer a target a buyer may bear; an assumption of taste. */
static const double longer[CLG_SLACKS] = {1.5, 2, 3};

/* Times what iterations are predicted to take, below which such a share of the odds lies. */
static double scale_at(double chance, double tenth) {
    return clg_exp(log(tenth) / CLG_SIGMAS_TO_TENTH * clg_normal_quantile(chance));
}

/* Which of the two times is missed more often by the slow replicas, in the largest fleet. */
static bool first_binds(clg_arena *arena, const clg_serve_question *q, int64_t most) {
    clg_fleet fleet;
    clg_fleet_run(arena, q->replica, q->demand, most, &q->target, &fleet);
    return fleet.late_first > fleet.late_token;
}

static int64_t sized(clg_arena *arena, const clg_serve_question *q, const clg_serve_target *target,
                     double guess, int64_t most) {
    if (clg_share_alone(arena, q->replica, q->demand, target) < target->share ||
        !clg_fleet_meets(arena, q->replica, q->demand, most, target))
        return 0;
    return clg_fleet_needed(arena, q->replica, q->demand, target, guess, most);
}

static void find_slack(clg_arena *arena, const clg_serve_question *q, const clg_serve_answer *a,
                       clg_serve_cliff *c) {
    int64_t most = CLG_HEADROOM_WORTH * a->fleet.replicas;
    c->by_first = first_binds(arena, q, most);
    for (int i = 0; i < CLG_SLACKS; i++) {
        clg_slack *s = &c->slack[i];
        s->target = q->target;
        *(c->by_first ? &s->target.ttft_s : &s->target.tpot_s) *= longer[i];
        s->replicas = sized(arena, q, &s->target, (double)a->fleet.replicas * a->doubt.rate, most);
    }
}

static void find_larger(clg_arena *arena, const clg_serve_question *q, const clg_serve_answer *a,
                        clg_serve_cliff *c) {
    static const double times[CLG_LARGER] = {1, 1.5, 2, CLG_HEADROOM_WORTH};
    for (int i = 0; i < CLG_LARGER; i++) {
        int64_t n = (int64_t)ceil(times[i] * (double)a->fleet.replicas);
        double chance = clg_fleet_chance(arena, q, n, a->doubt.rate);
        c->larger[i] = (clg_larger){n, chance, scale_at(chance, a->doubt.rate)};
    }
}

void clg_serve_cliff_of(clg_arena *arena, const clg_serve_question *asked,
                        const clg_serve_answer *a, clg_serve_cliff *c) {
    *c = (clg_serve_cliff){.known = true};
    clg_arena_mark mark = clg_arena_here(arena);
    clg_replica slow =
        clg_replica_slowed(arena, asked->replica, a->doubt.rate * (1 + asked->margin));
    clg_serve_question q = *asked;
    q.replica = &slow;
    find_slack(arena, &q, a, c);
    find_larger(arena, asked, a, c);
    clg_fleet alone = clg_fleet_alone(arena, asked->replica, asked->demand, &asked->target);
    c->alone_s = c->by_first ? alone.ttft_s.p50 : alone.tpot_s.p50;
    clg_arena_back_to(arena, mark);
}
