/* test_reuse.c -- conversations, who gets them, and what capacity is with what is found of them. */
#include "demand.h"
#include "plan.h"
#include "serve/route.h"
#include "serve/serve_answer.h"

static clg_synthetic talk(double rate, double span_s, int turns) {
    clg_synthetic s = demand_steady(rate, span_s, 100, 10, 0, 1);
    s.shared_tokens = 32;
    s.turns = turns;
    s.turn_gap_s = 10;
    return s;
}

static void lengths(clg_arena *arena) {
    CASE("three turns of 100 and 10 tokens after 32 shared: prompts of 132, 242, 352");
    clg_demand d = demand_made(arena, talk(3, 1000, 3));
    CHECK(d.count % 3 == 0 && d.count > 2700 && d.count < 3300);
    CHECK(d.prompt_tokens == d.count / 3 * (132 + 242 + 352) && d.output_tokens == d.count * 10);
    CASE("their blocks of 16 are those of prompt and answer: 8, 15, 22; the shared ones two");
    int64_t seen[3] = {0};
    for (int64_t i = 0; i < d.count; i++) {
        const clg_arrival *q = &d.request[i];
        int turn = (q->prompt_tokens - 132) / 110;
        seen[turn]++;
        CHECK(q->blocks == 8 + 7 * turn);
        CHECK(d.prefix[q->block] == 0 && d.prefix[q->block + 1] == 1);
        CHECK(q->arrival_s >= 0 && q->arrival_s < 1000);
    }
    CHECK(seen[0] == seen[1] && seen[1] == seen[2]);
    CASE("who is not through at the end goes on at the beginning, with blocks of its own: 6 or 13 "
         "of "
         "them came up before");
    int64_t goes_on[2] = {0};
    for (int64_t i = 0; i < d.count; i++) {
        const clg_arrival *q = &d.request[i];
        int32_t before = clg_demand_said_before(&d, q);
        CHECK(before == 2 || before == 8 || before == 15);
        bool first = before > 2 && q->blocks == before + 7;
        if (first) goes_on[before == 15]++;
    }
    CHECK(goes_on[0] > 0 && goes_on[0] + goes_on[1] < d.count / 50);
    CHECK(d.prefixes == 2 + d.count / 3 * 20 + goes_on[0] * 6 + goes_on[1] * 13);
    CASE("a week in, hundredths of a second still tell before from after");
    double said[] = {604800.01, 604800.03};
    uint32_t both[] = {0, 1};
    clg_arrival two = {.blocks = 2};
    clg_demand late = {.prefix = both, .said_s = said, .since_s = 604800.02};
    CHECK(clg_demand_said_before(&late, &two) == 1);
    CASE("a part finds what came up before it");
    clg_demand part = clg_demand_slice(&d, 500, 600);
    int64_t found = 0;
    for (int64_t i = 0; i < part.count; i++)
        found += clg_demand_said_before(&part, &part.request[i]) > 2;
    CHECK(found > part.count / 20 && found < part.count / 4);
    CASE("one turn: the shared beginning alone is listed");
    clg_demand one = demand_made(arena, talk(3, 1000, 1));
    CHECK(one.prefixes == 2 && one.request[7].blocks == 2 && one.request[7].prompt_tokens == 132);
}

static void routes(clg_arena *arena) {
    CASE("a conversation stays where it was, and nobody gets much more than the others");
    clg_demand d = demand_made(arena, talk(20, 1000, 5));
    clg_engine e;
    clg_error error = {0};
    CHECK(clg_engine_find(arena, "vllm", &e, &error) == CLG_OK);
    int32_t *route = clg_route_requests(arena, &e, &d, 4);
    int32_t *last = clg_take(arena, (size_t)d.prefixes, int32_t);
    int64_t given[4] = {0}, kept = 0, later = 0;
    for (int64_t i = 0; i < d.count; i++) {
        uint32_t own = d.prefix[d.request[i].block + 2];
        if (last[own] > 0) {
            later++;
            kept += last[own] == route[i] + 1;
        }
        last[own] = route[i] + 1;
        given[route[i]]++;
    }
    CHECK(kept > later * 8 / 10);
    for (int i = 0; i < 4; i++) CHECK_NEAR((double)given[i], (double)d.count / 4, 0.1);
    CASE("parts are all of it, in order");
    int64_t all = 0;
    for (int i = 0; i < 4; i++) {
        clg_demand part = clg_route_part(arena, &d, route, i);
        CHECK(part.count == given[i]);
        for (int64_t k = 1; k < part.count; k++)
            CHECK(part.request[k].arrival_s >= part.request[k - 1].arrival_s);
        all += part.count;
    }
    CHECK(all == d.count);
    CASE("what all begin with is nobody's: dealt to who has least");
    clg_synthetic alike = talk(20, 1000, 1);
    alike.shared_tokens = 2000;
    d = demand_made(arena, alike);
    route = clg_route_requests(arena, &e, &d, 4);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR((double)clg_route_part(arena, &d, route, i).count, (double)d.count / 4, 0.1);
}

static clg_serve_answer answer(clg_arena *arena, const clg_demand *d, bool blind, bool in_turn) {
    static clg_scenario scenario;
    clg_engine engine;
    clg_error error = {0};
    scenario = plan_scenario(arena, "llama-3.1-8b", "h100-sxm", NULL, 0);
    scenario.price.usd_per_s = 3.0 / 3600;
    CHECK(clg_engine_find(arena, "vllm", &engine, &error) == CLG_OK);
    clg_replica_choice c = {.tp = 1,
                            .weights = CLG_BF16,
                            .compute = CLG_BF16,
                            .cache = CLG_BF16,
                            .no_prefix_cache = blind,
                            .in_turn = in_turn};
    clg_replica r;
    CHECK(clg_replica_prepare(arena, &scenario, &engine, &c, d, &r, &error) == CLG_OK);
    const clg_api_price api = {
        .name = "x", .title = "x", .date = "x", .usd_per_output_token = 6e-6};
    clg_serve_question q = {.replica = &r,
                            .demand = d,
                            .target = {2, 0.2, 0.99},
                            .replicas = 3,
                            .api = &api,
                            .full_share = 0.5};
    clg_serve_answer a;
    CHECK(clg_serve_answer_make(arena, &q, (clg_serve_progress){0}, &a, &error) == CLG_OK);
    return a;
}

static void capacity(clg_arena *arena) {
    CASE("7,500 of 8,000 prompt tokens are found: capacity, break-even and load are with them");
    clg_synthetic s = demand_steady(6, 600, 500, 200, 0, 1);
    s.shared_tokens = 7500;
    clg_demand d = demand_made(arena, s);
    clg_serve_answer with = answer(arena, &d, false, false), none = answer(arena, &d, true, false);
    CHECK_NEAR(with.fleet.found.cached, 7488.0 / 8000, 2e-3); /* whole blocks of 16 */
    CHECK(none.fleet.found.cached == 0);
    CHECK(with.offline_tokens_per_s > 2 * none.offline_tokens_per_s);
    CHECK_NEAR(with.rho * with.offline_tokens_per_s, none.rho * none.offline_tokens_per_s, 1e-9);
    CHECK_NEAR(with.break_even_share * with.offline_tokens_per_s,
               none.break_even_share * none.offline_tokens_per_s, 1e-9);
    CHECK(with.mfu < none.mfu); /* what is found is not computed */
    CASE("talks that began before are in the cache: the first minute finds what the others do");
    clg_synthetic long_ago = demand_steady(2, 600, 500, 50, 0, 1);
    long_ago.turns = 40;
    long_ago.turn_gap_s = 10;
    d = demand_made(arena, long_ago);
    clg_demand minute = clg_demand_slice(&d, 0, 60);
    clg_serve_answer whole = answer(arena, &d, false, false);
    clg_serve_answer first = answer(arena, &minute, false, false);
    CHECK(whole.fleet.found.cached > 0.93);
    CHECK_NEAR(first.fleet.found.cached, whole.fleet.found.cached, 0.02);
    CASE("conversations: more is found by who has them than in turn");
    clg_synthetic turns = demand_steady(6, 900, 600, 200, 0.3, 1);
    turns.turns = 6;
    turns.turn_gap_s = 20;
    d = demand_made(arena, turns);
    clg_serve_answer kept = answer(arena, &d, false, false), dealt = answer(arena, &d, false, true);
    CHECK(kept.fleet.found.cached > dealt.fleet.found.cached + 0.2);
    CHECK(kept.rho < dealt.rho && kept.fleet.requests == d.count);
}

int main(void) {
    clg_arena arena = {0};
    lengths(&arena);
    routes(&arena);
    capacity(&arena);
    clg_arena_clear(&arena);
    return DONE;
}
