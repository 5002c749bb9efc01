/* test_measured.c -- the page of serving scores: width, order, reasons once each. */
#include "report_accuracy/serving_accuracy.h"
#include "test.h"

#include <math.h>

enum { ROWS = 40 };

static clg_measured_score score_of(const char *group, double error) {
    return (clg_measured_score){.source = "s",
                                .group = group,
                                .measure = CLG_MEASURE_TTFT,
                                .rows = 10,
                                .scored = 10,
                                .mape = error,
                                .median_ape = error,
                                .p90_ape = 0.2,
                                .bias = -0.1,
                                .coverage = 0.5};
}

/* Groups 0 to 3 of ten rows each; group g is off by (g + 1) x 10 %. */
static clg_measured_table invented(clg_arena *arena) {
    static const char *const groups[] = {
        "a-model-of-a-name-that-is-long gb200 sglang nvfp4 xxxxxxx", "b gpu vllm fp8",
        "c gpu vllm fp8", "d gpu vllm fp8"};
    clg_measured_table t = {.row = clg_take(arena, ROWS + 6, clg_measured),
                            .score = clg_take(arena, 8, clg_measured_score)};
    static const char *const reasons[] = {
        "model 'p' is not built in",         "model 'q' is not built in",
        "model 'q' is not built in",         "x does not fit: 12 GB are missing",
        "x does not fit: 13 GB are missing", "a GPU's secret"};
    for (int i = 0; i < 6; i++)
        t.row[t.rows++] =
            (clg_measured){.id = "r", .source = "s", .group = "g", .reason = reasons[i]};
    for (int g = 0; g < 4; g++) t.score[t.scores++] = score_of(groups[g], 0.1 * (g + 1));
    t.score[t.scores++] = score_of("all", 0.25);
    return t;
}

static int lines_with(const char *text, const char *what) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, what)); at++) count++;
    return count;
}

static void check_width(const char *text) {
    for (const char *at = text, *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, "\n");
        CHECK(end - at <= 100);
    }
}

int main(void) {
    clg_arena arena = {0};
    clg_measured_table t = invented(&arena);
    clg_text brief = {.arena = &arena}, full = {.arena = &arena};
    CASE("no line is wider than 100 columns");
    clg_report_measured(&brief, &t, false);
    clg_report_measured(&full, &t, true);
    check_width(brief.data);
    check_width(full.data);
    CASE("groups furthest off come first; with groups, in the order of the table");
    CHECK(strstr(brief.data, "\nd gpu") < strstr(brief.data, "\nc gpu"));
    CHECK(strstr(brief.data, "\nc gpu") < strstr(brief.data, "\nb gpu"));
    CHECK(strstr(full.data, "\nb gpu") < strstr(full.data, "\nc gpu"));
    CASE("a reason once, with what it is about");
    CHECK(lines_with(brief.data, "is not built in") == 1 && strstr(brief.data, "q 2, p 1"));
    CHECK(lines_with(brief.data, "does not fit") == 1 && lines_with(brief.data, "missing") == 0);
    CHECK(strstr(brief.data, "a GPU's secret") && strstr(brief.data, "\n6 rows not scored\n"));
    CASE("a table in which nothing is measured");
    clg_measured_table none = {0};
    clg_text empty = {.arena = &arena};
    clg_report_measured(&empty, &none, false);
    CHECK(strstr(empty.data, "source") && !strstr(empty.data, "scored\n\n"));
    clg_arena_clear(&arena);
    return DONE;
}
