/* test_sizing.c -- fleets near the share that no fleet exceeds: finite, monotonic, said. */
#include "demand.h"
#include "plan.h"
#include "serve/crowd.h"
#include "serve/degree.h"
#include "serve/frontier.h"
#include "serve/replica_search.h"
#include "serve/sizing.h"

#include <math.h>
#include <stdlib.h>

typedef struct world {
    clg_arena arena;
    clg_scenario scenario;
    clg_engine engine;
    clg_demand demand;
    clg_replica replica;
} world;

/* Long prompts of spread lengths: the longest are late even alone. */
static void build(world *w) {
    clg_error error = {0};
    w->scenario = plan_scenario(&w->arena, "llama-3.1-8b", "h100-sxm", NULL, 0);
    w->scenario.price.usd_per_s = 3.0 / 3600;
    CHECK(clg_engine_find(&w->arena, "vllm", &w->engine, &error) == CLG_OK);
    w->demand = demand_at_rate(&w->arena, 4, 1200, 12000, 200, 0.4, 1);
    clg_replica_choice c = {.tp = 1, .weights = CLG_BF16, .compute = CLG_BF16, .cache = CLG_BF16};
    CHECK(clg_replica_prepare(&w->arena, &w->scenario, &w->engine, &c, &w->demand, &w->replica,
                              &error) == CLG_OK);
}

static clg_serve_question question_of(world *w, double ttft_s, double share) {
    return (clg_serve_question){.replica = &w->replica,
                                .demand = &w->demand,
                                .target = {ttft_s, 0.2, share},
                                .cold_start_s = 60,
                                .full_share = 0.5};
}

/* A time to the first token that so many requests alone on a replica miss. */
static double missed_by(world *w, double share) {
    double low = 0, high = 60;
    for (int i = 0; i < 40; i++) {
        clg_serve_target t = {(low + high) / 2, 0.2, 0.99};
        clg_fleet f = clg_fleet_alone(&w->arena, &w->replica, &w->demand, &t);
        *(f.late_first > share ? &low : &high) = t.ttft_s;
    }
    return high;
}

static void cliff(world *w) {
    CASE("0.8 % are late alone and 1 % may be: a few replicas, in every window, not one a request");
    double ttft_s = missed_by(w, 0.008);
    clg_serve_question q = question_of(w, ttft_s, 0.99);
    clg_serve_answer a;
    clg_error error = {0};
    CHECK(clg_serve_answer_make(&w->arena, &q, (clg_serve_progress){0}, &a, &error) == CLG_OK);
    CHECK_NEAR(a.alone_share, 0.992, 6e-4);
    CHECK(a.meets && a.fleet.replicas < 60 && a.windows_most < 3.0 * (double)a.fleet.replicas);
    CASE("the fleet one smaller does not do, and what is late is told apart");
    CHECK(clg_fleet_well_served(&w->arena, &w->replica, &w->demand, a.fleet.replicas - 1,
                                &q.target) < 0.99);
    clg_frontier f;
    clg_serve_frontier(&w->arena, &q, &a, &f);
    CHECK(f.late_first + f.late_token > 0.01 && f.late_first > 10 * f.late_token);
    CHECK_NEAR(f.late_alone, 0.008, 0.05);
    CASE("tighter targets never take fewer; beyond the share alone there is no fleet");
    int64_t last = 0;
    for (int i = 0; i < f.count; i++) {
        const clg_frontier_point *p = &f.point[i];
        if (i > 0 && p->axis != f.point[i - 1].axis) last = 0;
        if (p->replicas > 0) CHECK(p->replicas >= last);
        CHECK((p->replicas > 0) == (p->asked || p->alone_share >= p->target.share));
        last = p->replicas > 0 ? p->replicas : INT64_MAX;
    }
    CASE("of a fleet that all requests size larger, a tighter target takes no fewer");
    clg_serve_answer larger = a;
    larger.fleet.replicas = 2 * a.fleet.replicas;
    clg_frontier g;
    clg_serve_frontier(&w->arena, &q, &larger, &g);
    CHECK(g.asked == larger.fleet.replicas);
    bool tighter = false;
    for (int i = 0; i < g.count; i++) {
        if (i > 0 && g.point[i].axis != g.point[i - 1].axis) tighter = false;
        tighter |= g.point[i].asked;
        if (tighter && g.point[i].replicas > 0) CHECK(g.point[i].replicas >= larger.fleet.replicas);
    }
    CASE("where twice as many late ones would take about half, that is a cliff");
    CHECK(f.cliff == ((double)a.fleet.replicas >= 1.8 * (double)f.loose_replicas));
    CHECK_NEAR(f.loose_share, 0.98, 1e-12);
}

/* What a sentence says after a word. */
static double number_after(const char *text, const char *word) {
    const char *at = strstr(text, word);
    CHECK(at != NULL);
    return at ? strtod(at + strlen(word), NULL) : 0;
}

static void refusal(world *w) {
    CASE("a target that no fleet meets is refused with one that a fleet does");
    clg_serve_question q = question_of(w, missed_by(w, 0.03), 0.99);
    clg_serve_answer a;
    clg_error error = {0};
    CHECK(clg_serve_answer_make(&w->arena, &q, (clg_serve_progress){0}, &a, &error) ==
          CLG_BAD_INPUT);
    CHECK(number_after(error.message, "so: ") > 1);
    double within = number_after(error.mend, "--within ") / 100, share = q.target.share;
    CHECK(within > 0.96 && within < 0.971);
    q.target.share = within;
    CHECK(clg_serve_answer_make(&w->arena, &q, (clg_serve_progress){0}, &a, &error) == CLG_OK);
    CHECK(a.meets);
    q.target = (clg_serve_target){number_after(error.mend, "--ttft "), 0.2, share};
    CHECK(clg_serve_answer_make(&w->arena, &q, (clg_serve_progress){0}, &a, &error) == CLG_OK);
    CHECK(a.meets);
}

static void samples(world *w) {
    CASE("of a fleet with a request or two each, enough replicas are simulated to tell 1 in 100");
    clg_serve_target t = {missed_by(w, 0.03), 0.2, 0.99};
    clg_fleet f;
    clg_fleet_run(&w->arena, &w->replica, &w->demand, 2000, &t, &f);
    CHECK(f.simulated == 2000 && f.requests == w->demand.count);
    CHECK_NEAR(f.well_served, 0.97, 0.004);
}

/* Of answers alike: closed loops stay in step, and sized by them one user more or less takes or
 * spares half a fleet. */
static void users(world *w) {
    CASE("users at the rate that is their number over the time of an answer (Little)");
    clg_demand d = demand_at_rate(&w->arena, 4, 600, 4000, 300, 0, 1);
    clg_serve_target t = {0.5, 0.03, 0.95};
    clg_fleet f;
    d.clients = 200, d.apart = true;
    for (int64_t n = 4; n <= 16; n *= 2) {
        clg_demand asked = clg_crowd_on(&w->arena, &w->replica, &d, n);
        clg_fleet_run(&w->arena, &w->replica, &d, n, &t, &f);
        double rate = (double)asked.count / asked.span_s;
        CHECK_NEAR(rate * f.e2e_s.mean, d.clients, 0.05);
    }
    CASE("their fleet is that of the rate, and grows with them");
    int64_t n = clg_fleet_needed(&w->arena, &w->replica, &d, &t, 8, 0), last = n;
    clg_demand asked = clg_crowd_on(&w->arena, &w->replica, &d, n);
    CHECK(llabs(clg_fleet_needed(&w->arena, &w->replica, &asked, &t, 8, 0) - n) <= 1);
    for (double ratio = 1.25; ratio <= 2; ratio += 0.25) {
        clg_demand more = clg_crowd_grown(&w->arena, &d, ratio);
        int64_t grown = clg_fleet_needed(&w->arena, &w->replica, &more, &t, 8, 0);
        CHECK(grown >= last && (double)grown <= ceil((double)n * ratio * 1.1));
        last = grown;
    }
}

/* Rows of 4, 8 and 16 GPUs. */
static void search_at_a_cliff(void) {
    clg_serve_candidate row[3] = {0};
    for (int i = 0; i < 3; i++) row[i].worth.gpus_fleet = row[i].worth.gpus_all = 4 << i;
    CASE("a search takes the fewest GPUs; where they stand at a cliff what holds when slow on "
         "fewest");
    CHECK(clg_search_best(row, 3) == &row[0]);
    row[0].worth.cliff = row[1].worth.cliff = true;
    row[1].worth.gpus_if_slow = 12, row[2].worth.gpus_if_slow = 20;
    CHECK(clg_search_best(row, 3) == &row[2]);
    row[1].worth.cliff = false;
    CHECK(clg_search_best(row, 3) == &row[1]);
    row[1].worth.loss = 0.1;
    CHECK(clg_search_best(row, 3) == &row[2]);
    row[2].worth.gpus_if_slow = 0;
    CHECK(clg_search_best(row, 3) == &row[0]);
    CASE("none, or over thrice as many, is a cliff");
    CHECK(clg_is_past_cliff(8, 0) && clg_is_past_cliff(8, 25) && !clg_is_past_cliff(8, 24));
}

int main(void) {
    static world w;
    build(&w);
    cliff(&w);
    refusal(&w);
    samples(&w);
    users(&w);
    search_at_a_cliff();
    clg_arena_clear(&w.arena);
    return DONE;
}
