/* The classes of errors, from runs made by hand. */
#include "report_accuracy/accuracy.h"
#include "test.h"

#include <string.h>

static clg_arena arena;

static clg_run run(double measured_s, double predicted_s, bool experts, bool held) {
    clg_run r = {.id = "r", .source = "s", .group = "g", .stack = "t", .held_out = held};
    r.predicted.step_s = predicted_s;
    r.predicted.step_p10_s = predicted_s / 1.1, r.predicted.step_p90_s = predicted_s * 1.1;
    r.predicted.doubt.experts = experts;
    r.measured_step_s = measured_s, r.measured_fits = 1;
    r.error = predicted_s / measured_s - 1;
    return r;
}

static void classes(void) {
    CASE("dense 7 and 31 % of two held out at 1 s and more; a short mixture; one that is left out");
    clg_run runs[] = {run(1, 1.07, false, true), run(2, 2.62, false, true),
                      run(0.9, 0.99, true, true), run(0.4, 0.3, false, false),
                      run(3, 3.3, true, true)};
    runs[4].reason = "skipped";
    clg_run unseen[sizeof runs / sizeof *runs];
    memcpy(unseen, runs, sizeof runs);
    unseen[3] = run(0.4, 0.42, false, false); /* 5 % and inside, not 25 % */
    clg_validation v = {.run = runs, .runs = 5};
    clg_leave_out sources = {.run = unseen};
    clg_text t = {.arena = &arena};
    clg_report_classes(&t, &v, &sources);
    const char *page = t.data;
    CHECK(strstr(page, "| dense, 1 s or more | 2 | 19.0 | 19.0 | 50.0 | 0 | - | - | - |\n"));
    CHECK(strstr(page, "| dense, below 1 s | 0 | - | - | - | 1 | 5.0 | 5.0 | 100.0 |\n"));
    CHECK(strstr(page, "| mixtures, 1 s or more | 0 | - | - | - | 0 | - | - | - |\n"));
    CHECK(strstr(page, "| mixtures, below 1 s | 1 | 10.0 | 10.0 | 100.0 | 0 | - | - | - |\n"));
}

int main(void) {
    classes();
    clg_arena_clear(&arena);
    return DONE;
}
