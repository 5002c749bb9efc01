/* The table of aims, on made-up runs of known errors. */
#include "report_accuracy/accuracy.h"
#include "test.h"

static clg_run run(const char *source, const char *group, double error) {
    return (clg_run){
        .source = source, .group = group, .measured_step_s = 1, .measured_fits = 1, .error = error};
}

int main(void) {
    clg_arena arena = {0};
    clg_text text = {.arena = &arena};
    clg_run runs[] = {run("korthikanti2022-t5", "a100 fp16 dense", -0.02),
                      run("korthikanti2022-t5", "a100 fp16 dense", 0.052),
                      run("megatron-bridge-models", "gb200 fp8 dense", 0.05),
                      run("megatron-bridge-models", "gb200 fp8 moe", -0.21),
                      run("korthikanti2022-t5", "a100 fp16 dense", 0.9)};
    runs[1].measured_memory_bytes = 1;
    runs[4].reason = "skipped"; /* counts nowhere */
    clg_score all = {.memory_mape = 0.051, .fits_accuracy = 0.95};
    clg_validation v = {.run = runs, .runs = 5, .score = &all, .scores = 1};
    clg_report_aims(&text, &v);
    CASE("mean of absolute errors: (2.0 + 5.2) / 2 is 3.6");
    CHECK(strstr(text.data, "table 5 | 2 | at most 3.6 % | 3.6 % | met |"));
    CASE("dense and mixtures apart");
    CHECK(strstr(text.data, "dense | 1 | at most 12 % | 5.0 % | met |"));
    CHECK(strstr(text.data, "mixtures | 1 | at most 15 % | 21.0 % | missed |"));
    CASE("memory and what fits, of all; no line where there are no runs");
    CHECK(strstr(text.data, "| memory | 1 | at most 5 % | 5.1 % | missed |"));
    CHECK(strstr(text.data, "right | 4 | at least 95 % | 95.0 % | met |"));
    CHECK(!strstr(text.data, "FSDP"));
    clg_arena_clear(&arena);
    return DONE;
}
