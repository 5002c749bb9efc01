/* Series of runs that differ in data parallelism alone, by hand. */
#include "report_accuracy/accuracy.h"

#include "test.h"

static clg_arena arena;

#define HEAD                                                                                       \
    "id,source,kind,layers,hidden,ffn,gated,heads,kv_heads,vocab,tied,seq,gpu,gpus,stack,"         \
    "precision,recompute,zero,tp,micro_batch,global_batch,status,step_s,date\n"
#define MODEL ",dense,22,2048,5632,1,32,4,32000,0,2048,h100-sxm,"
#define SPLIT ",fsdp-2024,bf16,full,3,"

static const char *page(const char *rows) {
    clg_validation v;
    clg_csv table;
    clg_error error = {0};
    clg_text text = {.arena = &arena};
    const char *csv = clg_arena_print(&arena, "%s%s", HEAD, rows);
    CHECK(clg_csv_parse(&arena, "runs.csv", csv, strlen(csv), &table, &error) == CLG_OK);
    CHECK(clg_validate(&arena, &table, 1, (clg_progress){0}, &v, &error) == CLG_OK);
    for (int i = 0; i < v.runs; i++) CHECK(v.run[i].reason == NULL);
    clg_report_slopes(&text, &v);
    return clg_arena_copy(&arena, text.data, text.size);
}

static void series(void) {
    CASE("strong: 16 to 48 GPUs, 2.5 s to 1.3 s: 2.5 / 1.3 / 3 = 0.641");
    const char *text = page("a-1,a" MODEL "32" SPLIT "1,1,96,ok,1.55,\n"
                            "a-2,a" MODEL "16" SPLIT "1,1,96,ok,2.5,\n"
                            "a-3,a" MODEL "48" SPLIT "1,1,96,ok,1.3,\n");
    CHECK(strstr(text, "| a-2 | 16 to 48 | 0.641 |") != NULL);
    CHECK(strstr(text, "strong scaling, the others: 1 series") != NULL);
    CHECK(strstr(text, "weak scaling, the") == NULL);
    CASE("weak: 16 to 48 GPUs, 2.5 s to 2.7 s: 0.926");
    text = page("a-1,a" MODEL "16" SPLIT "1,1,96,ok,2.5,\n"
                "a-2,a" MODEL "48" SPLIT "1,1,288,ok,2.7,\n");
    CHECK(strstr(text, "| a-1 | 16 to 48 | 0.926 |") != NULL);
    CHECK(strstr(text, "strong scaling, the") == NULL);
}

static void wild_one(void) {
    CASE("the middle of three series is not moved by the one that is far off, as their mean is");
    const char *text = page("a-1,a" MODEL "16" SPLIT "1,1,96,ok,2.5,\n"
                            "a-2,a" MODEL "48" SPLIT "1,1,96,ok,1.3,\n"
                            "b-1,b" MODEL "16" SPLIT "1,1,96,ok,2.5,\n"
                            "b-2,b" MODEL "48" SPLIT "1,1,96,ok,1.3,\n"
                            "c-1,c" MODEL "16" SPLIT "1,1,96,ok,2.5,\n"
                            "c-2,c" MODEL "48" SPLIT "1,1,96,ok,130,\n");
    double off = NAN, wild = NAN, mean = NAN, middle = NAN;
    const char *near = strstr(text, "| a-1 |"), *far = strstr(text, "| c-1 |");
    const char *sum = strstr(text, "3 series, off by");
    CHECK(near && sscanf(near, "| a-1 | 16 to 48 | 0.641 | %*f | %lf", &off) == 1);
    CHECK(far && sscanf(far, "| c-1 | 16 to 48 | 0.006 | %*f | %lf", &wild) == 1);
    CHECK(sum && sscanf(sum, "3 series, off by %lf on average (%*f), half of them by at most %lf",
                        &mean, &middle) == 2);
    CHECK_NEAR(middle, fabs(off), 1e-9);
    CHECK_NEAR(mean, (2 * fabs(off) + fabs(wild)) / 3, 1e-2);
    CHECK(mean > middle);
}

static void no_series(void) {
    CASE("another tensor degree, micro-batch or source is no series");
    const char *text = page("a-1,a" MODEL "16" SPLIT "1,1,96,ok,2.5,\n"
                            "a-2,a" MODEL "48" SPLIT "2,1,96,ok,1.3,\n"
                            "a-3,a" MODEL "32" SPLIT "1,3,96,ok,1.3,\n"
                            "b-1,b" MODEL "48" SPLIT "1,1,96,ok,1.3,\n");
    CHECK(strstr(text, " to ") == NULL);
    CASE("nor is other software, or another month of it");
    text = page("a-1,a" MODEL "16" SPLIT "1,1,96,ok,2.5,2026-04\n"
                "a-2,a" MODEL "48" SPLIT "1,1,96,ok,1.3,2026-06\n"
                "a-3,a" MODEL "32,torchtitan-2025,bf16,full,3,1,1,96,ok,1.3,2026-04\n");
    CHECK(strstr(text, " to ") == NULL);
}

int main(void) {
    series();
    wild_one();
    no_series();
    clg_arena_clear(&arena);
    return DONE;
}
