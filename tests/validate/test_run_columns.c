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

/* A cell of a column as it is read; `seq` 2048 beside it. */
static const char *spelled(const char *column, const char *cell) {
    clg_csv csv = table_of(clg_arena_print(&arena, "gpus,seq,%s\n8,2k,\"%s\"\n", column, cell));
    clg_columns_rename(&arena, &csv);
    return clg_csv_field(&csv, 0, column);
}

static void cells(void) {
    static const struct {
        const char *column, *cell, *read;
    } rows[] = {{"tp", "-", ""},
                {"micro_batch", "n/a", ""},
                {"recompute", "unknown", ""},
                {"recompute", "none", "none"},
                {"recompute", "Full (24 layers)", "full"},
                {"recompute", "activation checkpointing", "full"},
                {"recompute", "triton", "triton"},
                {"precision", "BF16-mixed", "bf16"},
                {"precision", "FP8 (delayed)", "fp8"},
                {"attention", "FlashAttention-2", "flash2"},
                {"schedule", "Interleaved 1F1B", "interleaved"},
                {"sp", "yes", "1"},
                {"zero", "ZeRO-3", "3"},
                {"zero", "none", "0"},
                {"hidden", "12,288", "12288"},
                {"step_s", "1,234.5 ms", "1234.5 ms"},
                {"gpu", "8 x H100", "H100"},
                {"inter_gbit_per_s_per_gpu", "400 Gb/s", "400"},
                {"inter_gbit_per_s_per_gpu", "50 GB/s", "400"},
                {"date", "June 2024", "2024-06"},
                {"date", "2024/11", "2024-11"},
                {"date", "2024", "2024-06"},
                {"date", "20240615", "20240615"},
                {"date", "2024-06-15", "2024-06-15"},
                {"global_batch", "1,024 sequences", "1024"},
                {"global_batch", "1k", "1024"},
                {"global_batch", "2^22 tokens", "2048"},
                {"global_batch", "4M tokens", "2048"}, /* 4,000,000 are 1,953.1 of 2,048 */
                {"global_batch", "1024k tokens", "512"},
                {"global_batch", "2.048M tokens", "1000"},
                {"global_batch", "4 things", "4 things"},
                {"notes", "none, 1,024", "none, 1,024"}};
    CASE("cells as people write them; what says nothing is blank, what is not known stays");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_TEXT(spelled(rows[i].column, rows[i].cell), rows[i].read);
}

int main(void) {
    cells();
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

    CASE("whose sharding it is stays beside its number");
    csv = table_of("gpus,zero,notes\n8,FSDP2,a\n8,2,b\n");
    CHECK(!clg_columns_rename(&arena, &csv));
    CHECK_TEXT(clg_csv_field(&csv, 0, "zero"), "3");
    CHECK_TEXT(clg_csv_field(&csv, 0, "zero_written"), "FSDP2");
    CHECK_TEXT(clg_csv_field(&csv, 1, "zero_written"), "2");

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
