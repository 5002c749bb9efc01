/* Pairs of made-up rows whose gaps are known. */
#include "test.h"
#include "validate/pairs.h"

static clg_arena arena;

static clg_run run(double measured, double compute, double tp) {
    clg_run r = {.source = "s", .gpus = 8, .measured_step_s = measured};
    r.predicted.layout.global_batch = 64;
    r.predicted.layout.seq = 1024;
    r.predicted.time.compute_s = compute;
    r.predicted.time.tp_exposed_s = tp;
    r.predicted.step_s = compute + tp;
    return r;
}

int main(void) {
    static const char text[] = "id,source,gpus,tp,dp,micro_batch,hidden\n"
                               "a,s,8,2,4,1,4096\n"
                               "b,s,8,4,2,1,4096\n"
                               "c,s,8,8,1,2,4096\n"
                               "d,s,8,8,1,1,4096\n";
    clg_run runs[] = {run(11, 10, 0.5), run(12, 10, 1), run(14, 10, 2), run(14, 10, 2)};
    clg_validation v = {.run = runs, .runs = 4};
    clg_pairs pairs;
    clg_pair_sum *sums;
    clg_csv csv;
    clg_error error = {0};
    CHECK(clg_csv_parse(&arena, "r.csv", text, sizeof text - 1, &csv, &error) == CLG_OK);
    clg_pairs_find(&arena, &csv, 1, &v, &pairs);
    CASE("tp 2 to 4, 4 to 8 at one micro-batch, and micro-batch 1 to 2; dp follows");
    CHECK(pairs.count == 3);
    CHECK(strcmp(pairs.pair[0].column, "tp") == 0 && pairs.pair[0].to == 1);
    CHECK(strcmp(pairs.pair[1].column, "tp") == 0 && pairs.pair[1].to == 3);
    CHECK(strcmp(pairs.pair[2].column, "micro_batch") == 0 && pairs.pair[2].from == 3);
    CASE("10 + 2 x 0.5, 10 + 2 x 1, 10 + 2 x 2 were measured: the traffic counts twice");
    CHECK_NEAR(pairs.pair[0].measured, 12.0 / 11, 1e-12);
    CHECK_NEAR(pairs.pair[0].predicted, 11.0 / 10.5, 1e-12);
    CHECK(strcmp(pairs.pair[0].term, "tp_exposed_s") == 0);
    CHECK_NEAR(pairs.pair[0].factor, 2, 1e-9);
    CHECK_NEAR(pairs.pair[1].factor, 2, 1e-9);
    CASE("by column");
    CHECK(clg_pairs_sum(&arena, &v, &pairs, &sums) == 2);
    CHECK(sums[0].pairs == 2 && sums[0].closed == 2);
    CHECK_NEAR(sums[0].factor, 2, 1e-9);
    CHECK(sums[0].mean < 0);
    CASE("rows of another source are no pair");
    runs[1].source = "t";
    clg_pairs_find(&arena, &csv, 1, &v, &pairs);
    CHECK(pairs.count == 2);
    clg_arena_clear(&arena);
    return DONE;
}
