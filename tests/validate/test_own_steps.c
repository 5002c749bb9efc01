/* Runs predicted by the first few of their own source. */
#include "validate/own_steps.h"

#include "report_accuracy/accuracy.h"
#include "test.h"

static clg_arena arena;

enum { TEXT = 1 << 16, RUNS = 7 };
#define HEAD                                                                                       \
    "id,source,kind,layers,hidden,ffn,gated,heads,kv_heads,vocab,tied,seq,gpu,gpus,stack,"         \
    "precision,recompute,dp,tp,pp,zero,micro_batch,global_batch,status,step_s\n"

/* One model on 8 to 56 GPUs, largest job first; `other`: the four smallest jobs are of a narrower
 * one. */
static void print_run(char *text, int run, bool other, double step_s) {
    int dp = RUNS - run, narrow = other && dp <= 4;
    snprintf(text, 512,
             "r-%d,made-up,dense,24,%d,%d,1,%d,%d,32000,0,4096,h100-sxm,%d,megatron-2024,bf16,"
             "full,%d,8,1,1,1,%d,ok,%.17g\n",
             run, narrow ? 6144 : 8192, narrow ? 16384 : 22016, narrow ? 48 : 64, narrow ? 48 : 64,
             8 * dp, dp, 32 * dp, step_s);
}

static clg_csv parsed(const char *text) {
    clg_csv csv = {0};
    clg_error e = {0};
    CHECK(clg_csv_parse(&arena, "runs.csv", text, strlen(text), &csv, &e) == CLG_OK);
    return csv;
}

/* Seconds under kernels slower than the stack's by `factor`. */
static double slowed_s(int run, bool other, double factor) {
    char line[512], text[1024];
    clg_error e = {0};
    clg_scenario *s = clg_take(&arena, 1, clg_scenario);
    clg_evaluation v = {0};
    print_run(line, run, other, 1);
    snprintf(text, sizeof text, "%s%s", HEAD, line);
    clg_csv csv = parsed(clg_arena_copy(&arena, text, strlen(text)));
    CHECK(!clg_validate_row(&arena, &csv, 0, s, &v));
    s->stack.kernels.slowdown *= factor;
    CHECK(clg_evaluate(&arena, s, &v.layout, false, NULL, &v, &e) == CLG_OK);
    return v.step_s;
}

/* The three smallest jobs, which are the last rows, are slowed by `first`, the others by `rest`. */
static clg_own_steps scored(double first, double rest, bool other, bool one_model) {
    char *text = clg_take(&arena, TEXT, char);
    size_t used = (size_t)snprintf(text, TEXT, "%s", HEAD);
    for (int run = 0; run < RUNS; run++) {
        double factor = RUNS - run <= CLG_OWN_STEPS ? first : rest;
        print_run(text + used, run, other, slowed_s(run, other, factor));
        used += strlen(text + used);
    }
    clg_csv csv = parsed(text);
    clg_validation *v = clg_take(&arena, 1, clg_validation);
    clg_own_steps own = {0};
    clg_error e = {0};
    CHECK(clg_validate(&arena, &csv, 1, (clg_progress){0}, v, &e) == CLG_OK);
    clg_own_steps_score(&arena, &csv, 1, v, one_model, (clg_progress){0}, &own);
    return own;
}

int main(void) {
    CASE("a job that is 1.2 times slower throughout: its smallest steps tell the largest");
    clg_own_steps own = scored(1.2, 1.2, false, true);
    CHECK(own.sources == 1 && own.source[0].runs == RUNS - CLG_OWN_STEPS);
    CHECK(own.source[0].before > 0.1 && own.source[0].after[0] < own.source[0].before / 2);
    CHECK(own.source[0].after[2] < 0.02 && own.source[0].after[2] < own.source[0].after[0]);
    CASE("it is the smallest jobs that are fitted, and the others that are scored");
    own = scored(1.25, 1, false, true);
    CHECK(own.source[0].before < 1e-9 && own.source[0].after[2] > 0.1);
    CASE("the one constant of three steps that are 1.25 times slower is as wrong");
    CHECK(own.source[0].constant > 0.1);
    CASE("one model at a time: four and three of a kind are too few");
    CHECK(scored(1.2, 1.2, true, true).sources == 0);
    CHECK(scored(1.2, 1.2, true, false).sources == 1);
    CASE("the section has a line of the source and the means");
    clg_text text = {.arena = &arena};
    clg_own_steps any = scored(1.2, 1.2, true, false);
    own = scored(1.2, 1.2, false, true);
    clg_report_own_steps(&text, &own, &any);
    CHECK(strstr(text.data, "| made-up | 4 | ") && strstr(text.data, "1 sources are off by less"));
    clg_text none = {.arena = &arena};
    clg_report_own_steps(&none, &(clg_own_steps){0}, &any);
    CHECK(none.size == 0);
    clg_arena_clear(&arena);
    return DONE;
}
