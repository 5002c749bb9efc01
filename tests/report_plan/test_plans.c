/* test_plans.c -- plans beside one another in words. */
#include "report_plan/plan_text.h"
#include "test.h"

#include "evaluate/interval.h"

static clg_arena arena;

/* Needs so much of 80 GB where P90 is a fifth above what is predicted. */
static clg_evaluation needing(double share, double step_s, int pp) {
    clg_evaluation e = {.capacity_bytes = 80e9, .step_s = step_s};
    e.memory.needed_bytes = e.memory.total_bytes = share * 80e9;
    e.memory_p90_bytes = 1.2 * e.memory.total_bytes;
    e.layout = (clg_layout){.tp = 1, .cp = 1, .ep = 1, .etp = 1, .pp = pp, .dp = 1, .vpp = 1};
    e.layout.micro_batch = 1;
    return e;
}

static const char *said(const clg_evaluation *front, int count, clg_evaluation best) {
    clg_found found = {.best = &best, .count = 1, .front = (clg_evaluation *)front};
    clg_text t = {.arena = &arena};
    found.front_count = count;
    clg_report_safer(&t, &found);
    return t.size > 0 ? t.data : "";
}

static void safer_plans(void) {
    /* ln(0.85) and ln(0.7) are 0.89 and 1.96 times ln(1.2), which is 1.2816 sigma: 12.7 and 0.6 %
     */
    clg_evaluation front[] = {needing(0.85, 10, 1), needing(0.8, 10.5, 2), needing(0.7, 11, 4),
                              needing(0.5, 20, 8)};
    CHECK_NEAR(clg_evaluation_chance_out(&front[0]), 0.1267, 1e-3);
    CASE("beside a plan that may run out the first of the front that hardly does");
    CHECK_TEXT(said(front, 4, front[0]),
               "\nsafer    tp1 pp4 gpipe dp1 zero0 mb1\n"
               "         step 11.0 s (+10.0 %), out of memory with a chance of 1 %, not 13\n");
    CASE("none where none is on the front, and beside one that is safe");
    CHECK_TEXT(said(front, 2, front[0]), "");
    CHECK_TEXT(said(front + 2, 2, front[2]), "");
}

int main(void) {
    safer_plans();
    clg_arena_clear(&arena);
    return DONE;
}
