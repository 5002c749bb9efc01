/* Which of two plans is faster, and when nobody can say. */
#include "evaluate/difference.h"
#include "test.h"

static clg_evaluation plan(double compute, double tp, double bubble) {
    clg_evaluation e = {.step_s = compute + tp + bubble};
    e.time.compute_s = compute;
    e.time.tp_exposed_s = tp;
    e.time.bubble_s = bubble;
    e.tokens_per_s = 1e6 / e.step_s;
    return e;
}

int main(void) {
    clg_arena arena = {0};
    clg_error error = {0};
    clg_difference d = {.sigma = 0.04, .sigma_share = 0.5}, built_in;
    clg_evaluation a = plan(8, 2, 0), same = plan(8, 2, 0), b = plan(8.8, 2.2, 0);
    clg_evaluation other = plan(8.8, 0, 2.2);
    CASE("the same plan: even, and a tie");
    CHECK_NEAR(clg_difference_faster(&d, &a, &same), 0.5, 1e-12);
    CHECK(clg_difference_tie(&d, &a, &same));
    CASE("10 % more of everything: ln 1.1 / 0.04 is 2.383 sigmas, 0.9914");
    CHECK_NEAR(clg_difference_share(&a, &b), 0, 1e-12);
    CHECK_NEAR(clg_difference_faster(&d, &a, &b), 0.9914, 1e-4);
    CHECK(!clg_difference_tie(&d, &a, &b) && !clg_difference_tie(&d, &b, &a));
    CASE("a fifth of the step is elsewhere: sqrt(0.04^2 + 0.1^2) is 0.1077, 0.885 sigmas, 0.8119");
    CHECK_NEAR(clg_difference_share(&a, &other), 0.2, 1e-12);
    CHECK_NEAR(clg_difference_faster(&d, &a, &other), 0.8119, 1e-4);
    CASE("waiting for data is elsewhere too");
    clg_evaluation loads = plan(8.8, 0, 0);
    loads.time.data_loading_s = 2.2, loads.step_s = 11;
    CHECK_NEAR(clg_difference_share(&a, &loads), 0.2, 1e-12);
    CASE("one's chance is what the other's leaves");
    CHECK_NEAR(clg_difference_faster(&d, &other, &a) + clg_difference_faster(&d, &a, &other), 1,
               1e-12);
    CASE("5 % with a fifth elsewhere is a tie");
    other = plan(8.4, 0, 2.1);
    CHECK(clg_difference_tie(&d, &a, &other));
    CASE("the built-in widths read");
    CHECK(clg_difference_find(&arena, &built_in, &error) == CLG_OK);
    CHECK(built_in.sigma > 0 && built_in.sigma_share > 0);
    clg_arena_clear(&arena);
    return DONE;
}
