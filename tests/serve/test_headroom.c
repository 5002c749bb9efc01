/* test_headroom.c -- chance of a fleet, the rate to which it holds, a node lost; and that fleets
 * which are given up early answer as those that are simulated to their end. */
#include "demand.h"
#include "plan.h"
#include "serve/headroom.h"
#include "serve/sizing.h"

#include "base/normal.h"

#include <math.h>

static clg_arena arena;
static clg_scenario scenario;
static clg_engine engine;
static clg_demand demand;
static clg_replica replica;

static void build_with(double per_s, double span_s, int drafted) {
    clg_error error = {0};
    scenario = plan_scenario(&arena, "llama-3.1-8b", "h100-sxm", NULL, 0);
    CHECK(clg_engine_find(&arena, "vllm", &engine, &error) == CLG_OK);
    demand = demand_at_rate(&arena, per_s, span_s, 4000, 100, 0, 1);
    clg_replica_choice c = {.tp = 1, .weights = CLG_BF16, .compute = CLG_BF16, .cache = CLG_BF16};
    c.drafted = drafted;
    c.accepted = 0.7;
    CHECK(clg_replica_prepare(&arena, &scenario, &engine, &c, &demand, &replica, &error) == CLG_OK);
}

static void build(double per_s, double span_s) { build_with(per_s, span_s, 0); }

static clg_serve_question question(double ttft_s) {
    return (clg_serve_question){
        .replica = &replica, .demand = &demand, .target = {ttft_s, 1, 0.99}, .full_share = 0.5};
}

/* What requests alone take to the first token where iterations take so many times as long. */
static double first_token_at(double times) {
    clg_serve_target any = {1, 1, 0.99};
    clg_replica slow = clg_replica_slowed(&arena, &replica, 2);
    double one = clg_fleet_alone(&arena, &replica, &demand, &any).ttft_s.p50;
    double two = clg_fleet_alone(&arena, &slow, &demand, &any).ttft_s.p50;
    return one + (times - 1) * (two - one);
}

/* Requests alone take c + k s to the first token where iterations take s times as long. With a
 * target of c + 1.3 k they hold to s = 1.3: the chance is that of a normal below ln 1.3 / sigma. */
static void chance(void) {
    CASE("the chance of requests alone, by hand; halved to a hundredth");
    build(0.01, 30000);
    clg_serve_question q = question(first_token_at(1.3));
    double tenth = 1.5, sigma = log(tenth) / CLG_SIGMAS_TO_TENTH;
    CHECK_NEAR(clg_fleet_chance(&arena, &q, 1000, tenth), clg_normal_below(log(1.3) / sigma), 0.02);
}

/* The same requests: no fleet bears more than 1.3 times, and P90 with the margin takes c + 1.575 k,
 * which 1.5 times the target, 1.5 c + 1.95 k, allows to one replica. */
static void cliff(void) {
    CASE(
        "past a cliff: what iterations may take, a target that one replica holds, what to measure");
    build(0.01, 30000);
    clg_serve_question q = question(first_token_at(1.3));
    q.margin = 0.05;
    clg_serve_answer a = {.fleet = {.replicas = 1}, .doubt = {.rate = 1.5}};
    clg_serve_headroom h;
    clg_serve_headroom_of(&arena, &q, &a, &h);
    CHECK(h.cliff.known && h.cliff.by_first && h.buy_replicas == 0);
    CHECK_NEAR(h.cliff.alone_s, first_token_at(1), 1e-9);
    CHECK(h.cliff.larger[0].replicas == 1 && h.cliff.larger[3].replicas == 3);
    CHECK_NEAR(h.cliff.larger[3].bears, 1.3, 0.02);
    CHECK_NEAR(h.cliff.slack[0].target.ttft_s, 1.5 * q.target.ttft_s, 1e-9);
    CHECK(h.cliff.slack[0].replicas == 1);
}

static void rate(void) {
    CASE("the fleet holds the rate that is said, and not a tenth more");
    build(6, 600);
    clg_serve_question q = question(2);
    clg_serve_answer a;
    clg_error error = {0};
    clg_serve_headroom h;
    CHECK(clg_serve_answer_make(&arena, &q, (clg_serve_progress){0}, &a, &error) == CLG_OK);
    clg_serve_headroom_of(&arena, &q, &a, &h);
    CHECK(h.known && h.next_ratio >= 1 && h.next_ratio < 3);
    clg_demand more = demand;
    more.request = clg_take(&arena, (size_t)demand.count, clg_arrival);
    for (int64_t i = 0; i < demand.count; i++) {
        more.request[i] = demand.request[i];
        more.request[i].arrival_s /= 1.1 * h.next_ratio;
    }
    more.span_s /= 1.1 * h.next_ratio;
    CHECK(!clg_fleet_meets(&arena, &replica, &more, a.fleet.replicas, &q.target));
    CASE("doubling each month: due when the rate it holds is reached; eight times it in three");
    q.growth = 1;
    clg_serve_headroom_of(&arena, &q, &a, &h);
    CHECK_NEAR(exp2(h.next_months), h.next_ratio, 1e-9);
    for (int64_t i = 0; i < demand.count; i++)
        more.request[i].arrival_s = demand.request[i].arrival_s / 8;
    more.span_s = demand.span_s / 8;
    clg_replica slow = clg_replica_slowed(&arena, &replica, 1 + q.margin);
    int64_t eight = h.grown_replicas[0];
    CHECK(eight > 3 * a.fleet.replicas && h.grown_replicas[2] > h.grown_replicas[1]);
    CHECK(clg_fleet_meets(&arena, &slow, &more, eight, &q.target));
    CHECK(!clg_fleet_meets(&arena, &slow, &more, eight - 1, &q.target));
    CASE("P90's fleet is bought up to three times as many, not beyond");
    int64_t n = a.fleet.replicas;
    a.doubt.rate = 100; /* hardly better than even that n do */
    a.slow.attainable = true;
    a.slow.replicas = 3 * n;
    clg_serve_headroom_of(&arena, &q, &a, &h);
    CHECK(h.chance < 0.9 && h.buy_replicas == 3 * n && h.buy_chance >= h.chance);
    a.slow.replicas = 3 * n + 1;
    clg_serve_headroom_of(&arena, &q, &a, &h);
    CHECK(h.buy_replicas == 0 && h.buy_chance == h.chance);
    CASE("a fleet on one node is lost with it; of two nodes half is left");
    CHECK(a.fleet.replicas <= 8 && h.lost_replicas == a.fleet.replicas && h.lost_share == 0);
    a.fleet.replicas = 16;
    clg_serve_headroom_of(&arena, &q, &a, &h);
    CHECK(h.lost_replicas == 8 && h.lost_share > 0.99);
}

static void given_up(int drafted) {
    CASE(drafted ? "and with speculation, where lengths are counted otherwise"
                 : "given up or simulated to the end: the same answer, fleet by fleet");
    build_with(20, 200, drafted);
    int met = 0;
    for (int64_t n = 1; n <= 12; n++)
        for (double share = 0.5; share < 1; share += 0.1) {
            clg_serve_target t = {0.4, 0.012, share};
            bool whole = clg_fleet_well_served(&arena, &replica, &demand, n, &t) >= share;
            CHECK(clg_fleet_meets(&arena, &replica, &demand, n, &t) == whole);
            met += whole;
        }
    CHECK(met > 5 && met < 60);
}

int main(void) {
    chance();
    cliff();
    rate();
    given_up(0);
    given_up(3);
    clg_arena_clear(&arena);
    return DONE;
}
