/* Sources weigh the same, and the ledger only grows. */
#include "test.h"
#include "validate/first_look.h"

#include <math.h>

static clg_arena arena;

static clg_score score(const char *source, int rows, double mape, double inside) {
    return (clg_score){.source = source,
                       .rows = rows,
                       .scored = rows,
                       .mape = mape,
                       .bias = -mape,
                       .coverage = inside,
                       .memory_mape = (double)NAN,
                       .fits_accuracy = 1};
}

static void means(const clg_validation *v) {
    clg_sources s = clg_sources_score(&arena, v, NULL);
    CASE("three sources of 1, 98 and 1 rows: (40 + 10 + 10) / 3 is 20, the median 10");
    CHECK(s.sources == 3);
    CHECK_NEAR(s.mape, 0.2, 1e-12);
    CHECK_NEAR(s.median_ape, 0.1, 1e-12);
    CHECK_NEAR(s.coverage, (0 + 1 + 0.5) / 3, 1e-12);
    CASE("rows set aside are counted");
    CHECK(s.set_aside == 1);
}

static void ledger(const clg_validation *v) {
    static const char head[] = "date,commit,source,rows,timed,error,median,inside,remark\n2026-01-"
                               "02,abc,b,98,98,31.0,,,\n";
    clg_text text = {.arena = &arena};
    clg_looks looks;
    clg_error error = {0};
    CASE("a source that is in it stays as it was; others are appended");
    clg_text_print(&text, "%s", head);
    CHECK(clg_looks_read(&arena, "l.csv", head, strlen(head), &looks, &error) == CLG_OK);
    CHECK(clg_looks_append(&text, &looks, v, "2026-11-22", "def") == 2);
    CHECK(strncmp(text.data, head, strlen(head)) == 0);
    CHECK(strstr(text.data, "2026-11-22,def,a,1,1,40.0,0.0,0.0,fits right in 100.0 %\n"));
    CASE("memory and fits stand in its remark");
    CHECK(strstr(text.data, ",c,1,1,10.0,0.0,50.0,memory 30.0 % off; fits right in 75.0 %\n"));
    CASE("a second time nothing is appended");
    CHECK(clg_looks_read(&arena, "l.csv", text.data, text.size, &looks, &error) == CLG_OK);
    CHECK(clg_looks_append(&text, &looks, v, "2026-11-23", "") == 0);
    CASE("of those with a line of their own: (40.0 + 10.0) / 2; the sum of many is left out");
    static const char mixed[] = "date,commit,source,rows,timed,error,median,inside,remark\n"
                                "d,,many sources,9,9,15.0,,63,\nd,,a,1,1,40.0,40.0,0.0,\n"
                                "d,,b,2,2,10.0,9.0,100.0,\n,,c,,,,,,\n";
    CHECK(clg_looks_read(&arena, "l.csv", mixed, strlen(mixed), &looks, &error) == CLG_OK);
    clg_sources first = clg_looks_score(&looks);
    CHECK(first.sources == 2);
    CHECK_NEAR(first.mape, 0.25, 1e-12);
    CHECK_NEAR(first.coverage, 0.5, 1e-12);
    CASE("another table is refused");
    CHECK(clg_looks_read(&arena, "l.csv", "a,b\n1,2\n", 8, &looks, &error) == CLG_BAD_INPUT);
    CASE("the built-in one reads");
    CHECK(clg_looks_built_in(&arena, &looks, &error) == CLG_OK);
    CHECK(clg_looks_find(&looks, "yafsdp") && !clg_looks_find(&looks, "of tomorrow"));
}

int main(void) {
    clg_score scores[] = {score("a", 1, 0.4, 0), score("b", 98, 0.1, 1), score("c", 1, 0.1, 0.5),
                          score("all", 100, 0.103, 0.9)};
    scores[2].memory_mape = 0.3, scores[2].fits_accuracy = 0.75;
    clg_run runs[] = {{.id = "a-1", .reason = "not expressed"}};
    clg_validation v = {.run = runs, .runs = 1, .score = scores, .scores = 4};
    means(&v);
    ledger(&v);
    clg_arena_clear(&arena);
    return DONE;
}
