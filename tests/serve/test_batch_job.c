/* test_batch_job.c -- a job with a deadline, by hand. */
#include "plan.h"
#include "serve/batch_job.h"

#include <math.h>

static clg_arena arena;

static void some_nights(const clg_serve_question *q, const clg_serve_answer *a) {
    clg_batch_job j;
    clg_error error = {0};
    CASE("three nights of an hour: each starts anew and ends with its last answers");
    clg_batch_limits nights = {2 * 86400 + 7200, 3600};
    CHECK(clg_batch_job_of(&arena, q, a, 1e6, nights, &j, &error) == CLG_OK);
    /* 150e6 / (1,000 x 3 x 3,410 s) = 14.66; a half longer 225e6 / (1,000 x 3 x 3,405) = 22.03 */
    CHECK(j.replicas == 15 && j.sure_replicas == 23);
    CHECK_NEAR(j.run_s, 10000 + 3 * 190, 1e-12);
    CHECK_NEAR(j.done_s, 2 * 86400 + 180 + (10000 - 2 * 3410) + 10, 1e-12);
    CHECK(j.done_s <= nights.deadline_s && j.late_done_s > nights.deadline_s);
    CHECK_NEAR(j.row[0].usd, 0.001 * 23 * j.sure_run_s, 1e-12);
    CASE("a night that is no shorter than the deadline changes nothing; one too short is refused");
    clg_batch_job whole, night;
    clg_batch_limits day = {36000, 0}, held_to = {36000, 36000}, brief = {10 * 86400, 190};
    CHECK(clg_batch_job_of(&arena, q, a, 1e6, day, &whole, &error) == CLG_OK);
    CHECK(clg_batch_job_of(&arena, q, a, 1e6, held_to, &night, &error) == CLG_OK);
    CHECK(whole.replicas == night.replicas && whole.run_s == night.run_s);
    CHECK(clg_batch_job_of(&arena, q, a, 1e6, brief, &j, &error) == CLG_BAD_INPUT);
}

/* Answers of 100 and 200 tokens, 50 at a time at 1,000 a second: the last of them takes 10 s. */
int main(void) {
    clg_scenario s = plan_scenario(&arena, "llama-3.1-8b", "h100-sxm", NULL, 0);
    s.price.usd_per_s = 0.001;
    s.price.term = "on-demand";
    clg_replica r = {.scenario = &s, .layout = {.tp = 1, .pp = 1, .dp = 1, .ep = 1}};
    clg_arrival ask[2] = {{.prompt_tokens = 10, .output_tokens = 100},
                          {.prompt_tokens = 30, .output_tokens = 200}};
    clg_demand d = {.request = ask,
                    .count = 2,
                    .prompt_tokens = 40,
                    .output_tokens = 300,
                    .longest_tokens = 230};
    clg_serve_question q = {.replica = &r, .demand = &d, .cold_start_s = 180};
    clg_serve_answer a = {.offline_tokens_per_s = 1000, .steady_batch = 50, .doubt = {2, 2, 1.5}};
    clg_batch_job j;
    clg_error error = {0};
    CASE("a million requests in ten hours");
    CHECK(clg_batch_job_of(&arena, &q, &a, 1e6, (clg_batch_limits){36000, 0}, &j, &error) ==
          CLG_OK);
    CHECK_NEAR(j.prompt_tokens, 20e6, 1e-12);
    CHECK_NEAR(j.output_tokens, 150e6, 1e-12);
    CHECK_NEAR(j.drain_s, 10, 1e-12);
    /* 150e6 / (1,000 x 35,810 s) = 4.19; a half longer 225e6 / (1,000 x 35,805) = 6.28 */
    CHECK(j.replicas == 5 && j.sure_replicas == 7);
    CHECK_NEAR(j.run_s, 180 + 30000 + 10, 1e-12);
    CHECK_NEAR(j.late_run_s, 180 + 1.5 * 30010, 1e-12);
    CHECK_NEAR(j.sure_run_s, 180 + 150e6 / 7000 + 10, 1e-12);
    CASE("by the hour, and a year's rate that pays above its share of a day");
    CHECK_NEAR(j.row[0].usd, 0.001 * 7 * j.sure_run_s, 1e-12);
    bool held = false;
    for (int i = 0; i < j.rows; i++)
        if (j.row[i].pays_above_s > 0) {
            held = true;
            CHECK_NEAR(j.row[i].pays_above_s, 86400 * j.row[i].price.usd_per_s / 0.001, 1e-12);
            CHECK_NEAR(j.row[i].usd, j.row[i].price.usd_per_s * 7 * 86400, 1e-12);
        }
    CHECK(held);
    CASE("no time left beside the start and the longest answer; a given fleet is late and says so");
    CHECK(clg_batch_job_of(&arena, &q, &a, 1e6, (clg_batch_limits){190, 0}, &j, &error) ==
          CLG_BAD_INPUT);
    q.replicas = 2;
    CHECK(clg_batch_job_of(&arena, &q, &a, 1e6, (clg_batch_limits){36000, 0}, &j, &error) ==
          CLG_OK);
    CHECK(j.replicas == 2 && j.sure_replicas == 2 && j.run_s > j.limits.deadline_s);
    q.replicas = 0;
    some_nights(&q, &a);
    clg_arena_clear(&arena);
    return DONE;
}
