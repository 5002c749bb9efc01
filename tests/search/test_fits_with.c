/* What fits where the job does not: each by its own search, and priced as if it had been asked. */
#include "evaluate/interval.h"
#include "plan.h"
#include "search/fits_with.h"

static clg_arena arena;

static clg_space space_of(int gpus) {
    clg_space s = {.gpus = gpus,
                   .seq = 2048,
                   .global_batch = 16,
                   .precision = CLG_BF16,
                   .keep = 1,
                   .risk = 0.1};
    s.attention = (clg_axis_values){.count = 1, .value = {CLG_FLASH2}};
    s.order = (clg_axis_values){.count = 1, .value = {0}};
    return s;
}

static const clg_fits_with *of(const clg_fits_with *list, int count, const char *flags) {
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].flags, flags) == 0) return &list[i];
    return NULL;
}

/* 8.03 G parameters: bf16 alone is 16 B of weights, 16 of gradients and 32 of moments for each of
 * 10^9; no board of 24 GB holds the weights and their gradients, whatever the optimizer. */
static void one_small_board(void) {
    CASE("8 G parameters on 24 GB: adapters beside 4 bits; nothing that trains all of it");
    clg_fits_with fits[CLG_FITS_WITH];
    clg_scenario s = plan_scenario(&arena, "llama-3-8b", "rtx-4090", "pytorch", 1);
    clg_space space = space_of(1);
    int count = clg_fit_with(&arena, &s, NULL, &space, fits);
    const clg_fits_with *narrow = of(fits, count, "--adapter qlora");
    CHECK(narrow && !of(fits, count, "--optimizer adam8bit") && !of(fits, count, "--offload"));
    if (!narrow) return;
    CHECK(narrow->plan.fits && clg_evaluation_chance_out(&narrow->plan) <= 0.1);
    CASE("priced as if it had been asked for");
    clg_found found = {0};
    clg_error error = {0};
    CHECK(clg_adapter_read("qlora", 0, NULL, NULL, &space.adapter, &error) == CLG_OK);
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &found, &error) == CLG_OK);
    CHECK(found.count == 1 && found.best[0].step_s == narrow->plan.step_s);
    CASE("what is asked already is not offered");
    CHECK(clg_fit_with(&arena, &s, NULL, &space, fits) == 0);
}

static void one_middling_board(void) {
    CASE("3.2 G parameters on 48 GB: 16 B each and more do not fit; 8 B, fewer on the board, do");
    clg_fits_with fits[CLG_FITS_WITH];
    clg_scenario s = plan_scenario(&arena, "llama-3.2-3b", "rtx-a6000", "pytorch", 1);
    clg_space space = space_of(1);
    int count = clg_fit_with(&arena, &s, NULL, &space, fits);
    CHECK(of(fits, count, "--master none --gradient bf16") && of(fits, count, "--offload"));
    CHECK(of(fits, count, "--adapter lora") && of(fits, count, "--adapter qlora"));
    CASE("fp16 weights alone are not offered");
    space.precision = CLG_FP16;
    count = clg_fit_with(&arena, &s, NULL, &space, fits);
    CHECK(count > 0 && !of(fits, count, "--master none --gradient bf16"));
}

static void many_boards(void) {
    CASE("more than a box: nothing is offered");
    clg_fits_with fits[CLG_FITS_WITH];
    clg_scenario s = plan_scenario(&arena, "llama-3.1-405b", "h100-sxm", "pytorch", 16);
    clg_space space = space_of(16);
    CHECK(clg_fit_with(&arena, &s, NULL, &space, fits) == 0);
}

int main(void) {
    one_small_board();
    one_middling_board();
    many_boards();
    clg_arena_clear(&arena);
    return DONE;
}
