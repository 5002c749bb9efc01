/* Rows that nothing was fitted on: their totals, and the constant that has not seen them. */
#include "validate/validate.h"

#include "test.h"

static clg_arena arena;

/* The same plan throughout, so a constant predicts the same time for each: its own. */
#define PLAN                                                                                       \
    ",dense,22,2048,5632,1,32,4,32000,0,2048,h100-sxm,16,fsdp-2024,bf16,full,16,3,8,128,ok,"
#define HEAD                                                                                       \
    "id,source,kind,layers,hidden,ffn,gated,heads,kv_heads,vocab,tied,seq,gpu,gpus,stack,"         \
    "precision,recompute,dp,zero,micro_batch,global_batch,status,step_s,held_out\n"

static clg_validation validated(const char *text) {
    clg_validation v = {0};
    clg_csv table;
    clg_error error = {0};
    CHECK(clg_csv_parse(&arena, "runs.csv", text, strlen(text), &table, &error) == CLG_OK);
    CHECK(clg_validate(&arena, &table, 1, (clg_progress){0}, &v, &error) == CLG_OK);
    return v;
}

static void totals(void) {
    CASE("the constant of the others: of 2 s and 3 s, 2 s is off by less");
    /* Of rates 1/2 and 1/3: |2/3 - 1| = 0.333 against |3/2 - 1| = 0.5, so 2 s for each. On held-out
     * rows of 2.5 s and 4 s it is off by 0.2 and 0.5; fitted on these rows themselves it would be
     * 2.5 s, off by 0 and 0.375. */
    clg_validation v = validated(HEAD "a-1,a" PLAN "2.0,\na-2,a" PLAN "3.0,0\nb-1,b" PLAN
                                      "2.5,1\nb-2,b" PLAN "4.0,1\n");
    CHECK(v.runs == 4 && !v.run[0].reason && !v.run[1].held_out && v.run[2].held_out);
    CHECK_NEAR(v.run[2].elsewhere_step_s, 2.0, 1e-12);
    CHECK(v.run[0].elsewhere_step_s <= 0);
    CHECK(v.held_out.known == 2);
    CHECK_NEAR(v.held_out.elsewhere_mape, 0.35, 1e-12);
    CHECK_NEAR(v.held_out.held.baseline_mape, 0.1875, 1e-12);
    double step = v.run[0].predicted.step_s;
    CHECK_NEAR(v.held_out.mape, (fabs(step / 2.5 - 1) + fabs(step / 4 - 1)) / 2, 1e-12);
    CHECK_NEAR(v.held_out.held.mape, v.held_out.mape, 1e-12);
    CHECK_NEAR(v.held_out.others.mape, (fabs(step / 2 - 1) + fabs(step / 3 - 1)) / 2, 1e-12);
    CHECK(v.held_out.held.scored == 2 && v.held_out.others.scored == 2);
    CHECK(v.scores == 3 && !v.score[0].held_out && v.score[1].held_out && !v.score[2].held_out);
}

static void without(void) {
    CASE("no others: no constant for what is held out");
    clg_validation v = validated(HEAD "b-1,b" PLAN "2.5,1\n");
    CHECK(v.held_out.known == 0 && v.held_out.held.scored == 1 && v.held_out.others.rows == 0);
    CASE("nothing held out");
    v = validated(HEAD "a-1,a" PLAN "2.5,\n");
    CHECK(v.held_out.held.rows == 0 && v.held_out.others.scored == 1 && !v.score[0].held_out);
}

int main(void) {
    totals();
    without();
    clg_arena_clear(&arena);
    return DONE;
}
