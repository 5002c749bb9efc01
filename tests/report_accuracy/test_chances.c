/* The table of stated chances, on made-up runs. */
#include "report_accuracy/accuracy.h"
#include "test.h"

/* Needs `share` of the capacity; P90 of memory is a quarter above the total. */
static clg_run run(const char *source, double share, int fits) {
    clg_run r = {.source = source, .measured_fits = fits};
    r.predicted.capacity_bytes = 80;
    r.predicted.memory.needed_bytes = r.predicted.memory.total_bytes = 80 * share;
    r.predicted.memory_p90_bytes = 100 * share;
    return r;
}

int main(void) {
    clg_arena arena = {0};
    clg_text text = {.arena = &arena};
    clg_run runs[91];
    for (int i = 0; i < 80; i++) runs[i] = run("grid", 1.0, 0); /* a chance of one half */
    runs[80] = run("grid", 1.0, 1);
    runs[81] = run("thread", 1.0, 0);
    runs[82] = run("thread", 1.0, 1);
    runs[83] = run("thread", 0.5, 1);
    for (int i = 84; i < 88; i++) runs[i] = run("table", 1.0, 1);
    runs[88] = run("table", 1.0, -1); /* not known */
    runs[89] = run("table", 1.0, 0);
    runs[89].reason = "skipped";
    runs[90] = run("thread", 1.0, 0);
    runs[90].plan_open = true; /* what fits was taken */
    runs[83].measured_memory_bytes = runs[84].measured_memory_bytes = 40;
    runs[84].memory_open = true;
    double none = (double)NAN;
    clg_score scores[] = {{.source = "grid", .memory_mape = none},
                          {.source = "thread", .memory_mape = 0.2},
                          {.source = "table", .memory_mape = none},
                          {.source = "all", .memory_mape = 0.2}};
    clg_validation v = {.run = runs, .runs = 91, .score = scores, .scores = 4};
    clg_report_chances(&text, &v);
    CASE("grids apart; sources that record no failure are no measure of it");
    CHECK(strstr(text.data, "How many of 88 runs"));
    CHECK(strstr(text.data, "| 50-90 | 81 | 99 % | 6 | 17 % | 1 | 50 % |"));
    CHECK(strstr(text.data, "| 0-2 | 0 | - | 1 | 0 % | 1 | 0 % |"));
    CASE("readings that measure no need are counted apart");
    CHECK(strstr(text.data, "off by 20.0 % on 1 runs, 20.0 % where each of 1 sources"));
    CHECK(strstr(text.data, "1 more measure no need"));
    clg_arena_clear(&arena);
    return DONE;
}
