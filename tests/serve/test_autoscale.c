/* test_autoscale.c -- fleets that follow their load, by hand. */
#include "demand.h"
#include "plan.h"
#include "serve/autoscale.h"
#include "serve/route.h"

/* Requests `apart_s` from each other from `begin_s` up to `end_s`, of 500 and 100 tokens. */
static void add(clg_demand *d, double begin_s, double end_s, double apart_s) {
    for (int64_t i = 0; begin_s + apart_s * (double)i < end_s; i++)
        d->request[d->count++] = (clg_arrival){begin_s + apart_s * (double)i, 500, 100, 0, 0};
}

typedef struct world {
    clg_arena arena;
    clg_scenario scenario;
    clg_engine engine;
    clg_replica replica;
    clg_demand demand;
    clg_serve_question question;
} world;

static void build(world *w, double span_s) {
    clg_error error = {0};
    w->scenario = plan_scenario(&w->arena, "llama-3.1-8b", "h100-sxm", NULL, 0);
    CHECK(clg_engine_find(&w->arena, "vllm", &w->engine, &error) == CLG_OK);
    clg_replica_choice c = {.tp = 1, .weights = CLG_BF16, .compute = CLG_BF16, .cache = CLG_BF16};
    w->demand.span_s = span_s;
    clg_demand_finish(&w->arena, &w->demand);
    CHECK(clg_replica_prepare(&w->arena, &w->scenario, &w->engine, &c, &w->demand, &w->replica,
                              &error) == CLG_OK);
    w->question = (clg_serve_question){.replica = &w->replica,
                                       .demand = &w->demand,
                                       .target = {2, 0.2, 0.99},
                                       .cold_start_s = 100,
                                       .autoscaler = {1, 60, 300, 1}};
}

/* As of a replica that serves one request a second at the target. */
static clg_serve_answer scaled(world *w, int64_t fleet) {
    clg_serve_answer a = {.attainable = true, .target_tokens_per_s = 100};
    a.fleet.replicas = fleet;
    clg_autoscale(&w->arena, &w->question, &a);
    return a;
}

static void open_demand(world *w) {
    clg_arena_clear(&w->arena);
    *w = (world){0};
    w->demand.request = clg_take(&w->arena, 500000, clg_arrival);
}

static void steady(world *w) {
    CASE("2.5 requests a second on replicas of one: three, all the time, and nobody waits");
    open_demand(w);
    add(&w->demand, 0.2, 4000, 0.4);
    build(w, 4000);
    clg_serve_answer a = scaled(w, 5);
    CHECK(a.scaled_count == 1 && a.scaled[0].starts == 3 && a.scaled[0].most == 3);
    CHECK_NEAR(a.scaled[0].replicas_mean, 3, 1e-9);
    CHECK_NEAR(a.scaled[0].well_served, 1, 1e-9);
    CASE("no more than the fleet that needs no scaling");
    CHECK(scaled(w, 2).scaled[0].most == 2);
    CASE("nothing to scale where one does");
    CHECK(scaled(w, 1).scaled_count == 0);
}

static void step(world *w) {
    CASE("one a second, three from 1,000 s to 2,000 s: ordered when seen, kept for 300 s");
    open_demand(w);
    add(&w->demand, 0.5, 1000, 1);
    add(&w->demand, 1000, 2000, 1 / 3.0);
    add(&w->demand, 2000.5, 4000, 1);
    build(w, 4000);
    clg_serve_answer a = scaled(w, 3);
    CHECK(a.scaled[0].starts == 3);
    /* Wanted at looks of 15 s. 1,005: 15 of them in 5 s and 55 before, 70/60: two. 1,035: 105 and
     * 25: 130/60, three. 2,025: 25 and 105, three; 2,040: 40 and 60, two; 2,055: 55 and 15: two;
     * 2,070: one. Kept 300 s: the third goes at 2,340, the second at 2,370 (+ 15 each, for a look
     * 300 s before still counts). */
    CHECK_NEAR(a.scaled[0].replicas_mean * 4000, 4000 + (2370 - 1005) + (2340 - 1035), 0.01);
    CASE("starts that are never through help nobody; at half of the rate two are there before");
    w->question.cold_start_s = 1e6;
    w->replica.cost.sequence_s = 0.004; /* 250 tokens a second at most: not three answers */
    clg_serve_answer late = scaled(w, 4);
    CHECK(late.scaled[0].well_served < 0.9);
    CHECK(late.scaled_count == 2 && late.scaled[1].share > 0.4 && late.scaled[1].share < 1);
    CHECK(late.scaled[1].well_served >= 0.99);
}

static void nobody(world *w) {
    CASE("none at night: two of a morning wait for look and start, ten of the evening did not");
    open_demand(w);
    add(&w->demand, 0.5, 10, 1);
    add(&w->demand, 5000, 5001, 0.5);
    build(w, 6000);
    w->question.autoscaler.least = 0;
    clg_serve_answer a = scaled(w, 1);
    CHECK(a.scaled[0].starts == 2);
    CHECK_NEAR(a.scaled[0].well_served, 10.0 / 12, 1e-9);
    CHECK_NEAR(a.scaled[0].late_first, 2.0 / 12, 1e-9);
    /* Wanted up to 60 s, so kept to 375; then ordered at 5,010, wanted to 5,055, kept to 5,370. */
    CHECK_NEAR(a.scaled[0].replicas_mean * 6000, 375 + 5370 - 5010, 0.05);
}

static void sampled(world *w) {
    CASE("a sample of 400,000 stands for all: as many replicas, and as many late");
    open_demand(w);
    add(&w->demand, 0, 39999.95, 0.1);
    build(w, 40000);
    clg_serve_answer a = {.attainable = true, .target_tokens_per_s = 250};
    a.fleet.replicas = 8;
    clg_autoscale(&w->arena, &w->question, &a);
    CHECK(a.scaled[0].most == 5 || a.scaled[0].most == 4);
    CHECK_NEAR(a.scaled[0].well_served, 1, 1e-9);
}

static void restless(world *w) {
    CASE("a thousand wanted for a second, and none the next: starts end at half a million");
    open_demand(w);
    add(&w->demand, 0.5, 4000, 4);
    build(w, 4000);
    w->question.autoscaler = (clg_autoscaler){1, 1, 0, 0};
    w->question.cold_start_s = 0;
    clg_serve_answer a = {.attainable = true, .target_tokens_per_s = 0.01};
    a.fleet.replicas = 1000;
    clg_autoscale(&w->arena, &w->question, &a);
    CHECK(a.scaled[0].most == 1000 && a.scaled[0].starts >= 1 << 19);
    CHECK(a.scaled[0].starts <= (1 << 19) + 1000);
}

/* The share late to the first token where 1,000 s of few and of ten a second follow each other. */
static double late_of(world *w, int rounds, double few_apart_s, double tokens_per_s) {
    open_demand(w);
    for (int i = 0; i < rounds; i++) {
        add(&w->demand, 2000.0 * i, 2000.0 * i + 1000, few_apart_s);
        add(&w->demand, 2000.0 * i + 1000, 2000.0 * i + 2000, 0.1);
    }
    build(w, 2000.0 * rounds);
    w->replica.cost.sequence_s = 0.002; /* 500 tokens a second at most: five answers */
    clg_serve_answer a = {.attainable = true, .target_tokens_per_s = tokens_per_s};
    a.fleet.replicas = 30;
    clg_autoscale(&w->arena, &w->question, &a);
    return a.scaled[0].late_first;
}

static void weighted(world *w) {
    CASE("a sample of 384,000 has as many late starts as a whole of 48,000 alike");
    double all = late_of(w, 4, 0.5, 250);
    CHECK(all > 0.05 && all < 0.5);
    CHECK_NEAR(late_of(w, 32, 0.5, 250), all, 0.35); /* 24 stretches: by chance */
    CASE("so has one of some replicas: one that serves alone stands for itself, of twenty for two");
    all = late_of(w, 8, 2.5, 50);
    CHECK(all > 0.05 && all < 0.5);
    CHECK_NEAR(late_of(w, 40, 2.5, 50), all, 0.35);
}

static void drained(world *w) {
    CASE("who is told to go is paid until its last answer");
    open_demand(w);
    w->demand.request[w->demand.count++] = (clg_arrival){0.5, 500, 20000, 0, 0};
    build(w, 6000);
    w->question.autoscaler.least = 0;
    w->question.autoscaler.keep_s = 0;
    clg_serve_answer a = scaled(w, 1);
    CHECK(a.scaled[0].replicas_mean * 6000 > 20000 * 0.0045); /* weights read once a token */
}

static void routes(world *w) {
    CASE("who comes where nobody serves goes to the next that begins; who ended gets nobody");
    open_demand(w);
    add(&w->demand, 0, 10, 1);
    const clg_shift shift[] = {{3, 0, true}, {5, 1, true}, {7, 0, false}};
    int32_t *to = clg_route_shifts(&w->arena, NULL, &w->demand, shift, 3, 2);
    static const int32_t want[] = {0, 0, 0, 0, 0, 1, 0, 1, 1, 1};
    for (int i = 0; i < 10; i++) CHECK(to[i] == want[i]);
}

int main(void) {
    static world w;
    steady(&w);
    step(&w);
    nobody(&w);
    sampled(&w);
    restless(&w);
    weighted(&w);
    drained(&w);
    routes(&w);
    clg_arena_clear(&w.arena);
    return DONE;
}
