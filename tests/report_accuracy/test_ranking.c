/* The ranking table, on a job of four layouts made up. */
#include "report_accuracy/accuracy.h"
#include "test.h"

static clg_run run(const char *id, int64_t gpus, double measured_s, double predicted_s) {
    clg_run r = {.id = id,
                 .source = "made-up",
                 .group = "h100 bf16 dense",
                 .model_flop = 1e18,
                 .gpus = gpus,
                 .measured_step_s = measured_s};
    r.predicted.step_s = predicted_s;
    return r;
}

int main(void) {
    clg_arena arena = {0};
    clg_text text = {.arena = &arena};
    /* b is predicted the fastest and takes 5 s; c took 4. e runs on other GPUs, f out of memory. */
    clg_run runs[] = {run("a", 8, 7, 6),   run("b", 8, 5, 4.5), run("c", 8, 4, 4.75),
                      run("d", 8, 9, 4.9), run("e", 16, 1, 1),  run("f", 8, 0, 2)};
    clg_validation v = {.run = runs, .runs = 6};
    CASE("the pick is the one predicted fastest, and costs what it costs over the fastest");
    clg_report_ranking(&text, &v);
    CHECK(strstr(text.data, "| b | 8 | 4 | 5.000 | 4.000 | 25.0 |"));
    CHECK(strstr(text.data, "0 of 1 picks within 3 % of the fastest, 25.0 % slower on average."));
    CASE("three layouts are no ranking");
    clg_text none = {.arena = &arena};
    v.runs = 3;
    clg_report_ranking(&none, &v);
    CHECK(none.size == 0);
    clg_arena_clear(&arena);
    return DONE;
}
