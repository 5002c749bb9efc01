/* test_workload.c -- workloads of benchmarks, and what a submitter gets out of a box. */
#include "measured/measured.h"
#include "measured/workload.h"
#include "plan.h"

static clg_workload workload(clg_arena *arena, const char *name) {
    clg_workload w = {0};
    clg_error error = {0};
    CHECK(clg_workload_find(arena, name, &w, &error) == CLG_OK);
    return w;
}

static double best_rate(clg_arena *arena, const char *name, const char *gpu, int gpus, bool timed,
                        int *tp) {
    clg_workload w = workload(arena, name);
    clg_scenario s = plan_scenario(arena, w.model, gpu, NULL, 0);
    clg_engine e = {0};
    clg_error error = {0};
    CHECK(clg_engine_find(arena, "trtllm", &e, &error) == CLG_OK);
    clg_workload_best best =
        clg_workload_serve(arena, &w, &s, &e, clg_narrowest(&s.machine.gpu), gpus, timed);
    *tp = best.tp;
    return best.tokens_per_s_per_gpu;
}

static void test_search(clg_arena *arena) {
    int one, two, eight;
    CASE("138 GB of weights: one A100 is too small; 69 GB: two H100 serve, eight choose");
    CHECK(best_rate(arena, "mlperf-llama2-70b", "a100-sxm-80gb", 1, false, &one) <= 0 && one == 0);
    double small = best_rate(arena, "mlperf-llama2-70b", "h100-sxm", 2, false, &two);
    double large = best_rate(arena, "mlperf-llama2-70b", "h100-sxm", 8, false, &eight);
    CHECK(two == 2 && eight >= 2 && small > 0 && large >= small);
    CASE("what is published for the GPU is taken where it fits: four L40S a copy, one H200");
    int four, own;
    CHECK(best_rate(arena, "mlperf-llama2-70b", "l40s", 8, false, &four) > 0 && four == 4);
    CHECK(best_rate(arena, "mlperf-llama2-70b", "h200-sxm", 8, false, &own) > 0 && own == 1);
    CHECK(best_rate(arena, "mlperf-llama2-70b", "l40s", 2, false, &four) > 0 && four == 2);
    CASE("who submits takes a limit that graphs are kept for: 7,100 tokens/s, padded 6,600");
    CHECK(best_rate(arena, "mlperf-deepseek-r1", "b300-sxm", 8, false, &eight) > 6900);
    CASE("a rule on latency costs, a stricter one more");
    double timed = best_rate(arena, "mlperf-llama2-70b", "h200-sxm", 8, true, &eight);
    double chat = best_rate(arena, "mlperf-llama2-70b-interactive", "h200-sxm", 8, true, &eight);
    double all = best_rate(arena, "mlperf-llama2-70b", "h200-sxm", 8, false, &eight);
    CHECK(all >= timed && timed > chat && chat > 0);
    CASE("no faster than products alone: 2 flop a weight and token, prompts as long as answers");
    CHECK(all < 1979e12 / (2 * 69e9) / 2);
    /* MLPerf Inference v4.1, closed: 3,882 to 4,016 tokens/s an H200, 3,654 to 3,805 in time */
    CHECK_NEAR(all, 3950, 0.15);
    CHECK_NEAR(timed, 3730, 0.15);
}

static const char rows[] =
    "engine,gpu,workload,scenario,gpus,boxes,prompt_tokens,output_tokens_per_s,weights\n"
    "trtllm-0.17,h200-sxm,mlperf-llama2-70b,offline,8,1,,31000,\n"
    "trtllm-0.17,h200-sxm,mlperf-llama2-70b,offline,8,3,,93000,\n"
    "vllm,mi300x,mlperf-mixtral-8x7b,server,8,1,,40000,\n"
    "trtllm-0.17,h200-sxm,mlperf-llama2-70b,Offline,8,1,,31000,\n"
    "trtllm-0.17,t4,mlperf-llama2-70b,offline,8,1,,31000,\n"
    "trtllm-0.17,h200-sxm,mlperf-bert,offline,8,1,,31000,\n"
    "trtllm,h200-sxm,mlperf-llama2-70b-interactive,server,8,1,,9000,\n"
    "trtllm-0.17,h200-sxm,mlperf-llama2-70b,offline,8,1,,31000,bf16\n"
    "trtllm-0.17,h200-sxm,mlperf-llama2-70b,offline,8,1,,31000,fp3\n";

static void test_rows(clg_arena *arena) {
    clg_csv table;
    clg_error error = {0};
    clg_measured_table t;
    CASE("rows of MLPerf: what is predicted, what is skipped and why");
    CHECK(clg_csv_parse(arena, "mlperf.csv", rows, sizeof rows - 1, &table, &error) == CLG_OK);
    CHECK(clg_measured_score_all(arena, &table, 1, (clg_progress){0}, &t, &error) == CLG_OK);
    CHECK(t.rows == 9);
    const clg_measure rate = CLG_MEASURE_RATE;
    CHECK(!t.row[0].reason && t.row[0].plan.weights == CLG_FP8 && !t.row[0].plan.box.timed);
    CHECK_NEAR(t.row[1].predicted[rate], 3 * t.row[0].predicted[rate], 1e-12);
    CHECK_NEAR(t.row[1].high[rate], 3 * t.row[0].high[rate], 1e-12);
    CHECK(!t.row[2].reason && strcmp(t.row[2].plan.engine, "vllm") == 0 && t.row[2].plan.box.timed);
    for (int i = 3; i < 6; i++) CHECK(t.row[i].reason != NULL);
    CHECK(strcmp(t.row[6].plan.box.workload, "mlperf-llama2-70b-interactive") == 0);
    CHECK(t.row[6].predicted[rate] < t.row[0].predicted[rate]);
    CASE("weights that a row names are not chosen: in 16 bit half as fast, not more");
    CHECK(t.row[7].plan.weights == CLG_BF16 && t.row[8].reason != NULL);
    CHECK(t.row[7].predicted[rate] < 0.6 * t.row[0].predicted[rate]);
}

/* "mlperf-llama2-70b" of workload/mlperf-llama2-70b.json. */
static const char *name_of(clg_arena *arena, const clg_file *file) {
    const char *name = strchr(file->path, '/') + 1;
    return clg_arena_copy(arena, name, strlen(name) - strlen(".json"));
}

int main(void) {
    clg_arena arena = {0};
    int count;
    const clg_file *files = clg_dataset_folder("workload/", &count);
    CHECK(count > 0);
    CASE("submitters run another program than the server");
    clg_workload built = workload(&arena, "mlperf-llama2-70b");
    CHECK(strcmp(clg_workload_runtime(&built, "trtllm"), "trtllm-0.17") == 0);
    CHECK(strcmp(clg_workload_runtime(&built, "vllm"), "vllm") == 0);
    clg_workload own = workload(&arena, "mlperf-deepseek-r1");
    CHECK(strcmp(clg_workload_runtime(&own, "trtllm"), "trtllm") == 0);
    for (int i = 0; i < count; i++) {
        clg_workload each = workload(&arena, name_of(&arena, &files[i]));
        clg_engine runtime;
        clg_error none = {0};
        CHECK(clg_engine_find(&arena, clg_workload_runtime(&each, "trtllm"), &runtime, &none) ==
              CLG_OK);
    }

    CASE("workloads are read, unknown ones named");
    clg_workload w = workload(&arena, "mlperf-llama2-70b");
    CHECK_NEAR(w.output_tokens, 294.45, 1e-12);
    CHECK_NEAR(w.target.tpot_s, 0.2, 1e-12);
    clg_error error = {0};
    CHECK(clg_workload_find(&arena, "mlperf-llama2-7b", &w, &error) == CLG_BAD_INPUT);
    clg_model model;
    for (int i = 0; i < count; i++) {
        w = workload(&arena, name_of(&arena, &files[i]));
        CHECK_TEXT(w.name, name_of(&arena, &files[i]));
        CHECK(clg_model_find(&arena, w.model, &model, &error) == CLG_OK);
        CHECK(w.prompt_tokens >= 1 && w.output_tokens >= 1 && w.target.share > 0.5);
    }
    test_search(&arena);
    test_rows(&arena);
    clg_arena_clear(&arena);
    return DONE;
}
