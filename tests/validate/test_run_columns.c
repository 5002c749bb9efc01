/* Tables of somebody's own runs: headings, units and lengths as people write them. */
#include "test.h"
#include "validate/run_columns.h"
#include "validate/validate.h"

#include <string.h>

static clg_arena arena;

static clg_csv table_of(const char *text) {
    clg_csv csv;
    clg_error e = {0};
    CHECK(clg_csv_parse(&arena, "t.csv", text, strlen(text), &csv, &e) == CLG_OK);
    return csv;
}

static double measured_s(const char *text) {
    clg_csv csv = table_of(text);
    clg_validation v;
    clg_error e = {0};
    clg_columns_rename(&arena, &csv);
    CHECK(clg_validate(&arena, &csv, 1, (clg_progress){0}, &v, &e) == CLG_OK);
    return v.run[0].measured_step_s;
}

int main(void) {
    CASE("headings as people write them are the columns meant, and said");
    clg_csv csv = table_of("Model,#GPUs,MBS,SeqLen,Step time (ms),Lust\nx,\"1,024\",2,4k,1500,1\n");
    const char *said = clg_columns_rename(&arena, &csv);
    CHECK(said && strstr(said, "MBS as micro_batch") && strstr(said, "Step time (ms) as step_s"));
    CHECK_TEXT(clg_csv_field(&csv, 0, "model"), "x");
    CHECK_TEXT(clg_csv_field(&csv, 0, "gpus"), "1024");
    CHECK_TEXT(clg_csv_field(&csv, 0, "micro_batch"), "2");
    CHECK_TEXT(clg_csv_field(&csv, 0, "seq"), "4096");
    CHECK_TEXT(clg_csv_field(&csv, 0, "step_s"), "1500ms");

    CASE("a table named as the documentation has it stays as it is");
    csv = table_of("id,gpus,step_s,notes\na,8,1.5,\"1,2\"\n");
    CHECK(!clg_columns_rename(&arena, &csv));
    CHECK_TEXT(clg_csv_field(&csv, 0, "notes"), "1,2");

    CASE("two headings of one column: the first counts");
    csv = table_of("gpus,world size\n8,16\n");
    CHECK(!clg_columns_rename(&arena, &csv));
    CHECK_TEXT(clg_csv_field(&csv, 0, "gpus"), "8");

    CASE("a step with its unit; of tokens a second: 256 x 4096 / 64 / 16384 = 1 s");
    const char plan[] = "model,gpu,gpus,tp,pp,micro_batch,global_batch,seq,";
    const char row[] = "llama-2-7b,h100-sxm,64,1,1,2,256,4096,";
    CHECK_NEAR(measured_s(clg_arena_print(&arena, "%sstep_s\n%s1500 ms\n", plan, row)), 1.5, 1e-12);
    CHECK_NEAR(measured_s(clg_arena_print(&arena, "%sstep time (ms)\n%s1500\n", plan, row)), 1.5,
               1e-12);
    CHECK_NEAR(measured_s(clg_arena_print(&arena, "%stok/s/gpu\n%s16384\n", plan, row)), 1, 1e-12);
    CHECK(measured_s(clg_arena_print(&arena, "%sstep_s\n%sfast\n", plan, row)) == 0);

    CASE("a model and a GPU as people spell them");
    const char people[] = "Llama 2 7B,NVIDIA H100 80GB HBM3,64,1,1,2,256,4k,";
    CHECK_NEAR(measured_s(clg_arena_print(&arena, "%stok/s/gpu\n%s16384\n", plan, people)), 1,
               1e-12);

    clg_arena_clear(&arena);
    return DONE;
}
