/* test_lengths.c -- lengths drawn from a published histogram: its shares, its ends, what is
 * refused, and that a row's means stay what its table prints. */
#include "measured/lengths.h"

#include "measured/measured.h"
#include "test.h"

static void test_curve(void) {
    CASE("between two ends a length is even in its logarithm: by hand");
    const clg_length_ends e = {{4, 16, 64, 1024}, {0, 10, 10.5, 20}, 4};
    CHECK_NEAR(clg_length_at(&e, 0), 4, 1e-12);
    CHECK_NEAR(clg_length_at(&e, 0.25), 8, 1e-12); /* 5 of 20: half way from 4 to 16 */
    CHECK_NEAR(clg_length_at(&e, 0.5), 16, 1e-12);
    CHECK_NEAR(clg_length_at(&e, 0.5125), 32, 1e-9);
    CHECK_NEAR(clg_length_at(&e, 1), 1024, 1e-9);
}

static void test_published(clg_arena *arena) {
    clg_lengths l;
    clg_error error = {0};
    CASE("ShareGPT: two fifths of the answers have 50 tokens or fewer; the mean is that printed");
    CHECK(clg_lengths_find(arena, "sharegpt", &l, &error) == CLG_OK);
    CHECK_NEAR(clg_length_at(&l.output, 814.0 / 2104), 50, 1e-9);
    CHECK_NEAR(clg_length_at(&l.prompt, 1748.0 / 2104), 500, 1e-9);
    double prompts = 0, outputs = 0;
    for (int i = 0; i < 10000; i++) {
        prompts += clg_length_at(&l.prompt, (i + 0.5) / 10000) / 10000;
        outputs += clg_length_at(&l.output, (i + 0.5) / 10000) / 10000;
    }
    CHECK_NEAR(prompts, 500552.0 / 2104, 0.04 * prompts);
    CHECK_NEAR(outputs, 424529.0 / 2104, 0.04 * outputs);
    CHECK(clg_lengths_find(arena, "sharegtp", &l, &error) == CLG_BAD_INPUT);
}

static const char *read_row(clg_arena *arena, const char *text, clg_measured *row) {
    clg_csv table = {0};
    clg_error error = {0};
    CHECK(clg_csv_parse(arena, "rows.csv", text, strlen(text), &table, &error) == CLG_OK);
    return clg_measured_read(arena, &table, 0, row);
}

#define COLUMNS                                                                                    \
    "model,gpu,prompt_tokens,output_tokens,output_tokens_per_s,requests,lengths,spread\n"

static void test_row(clg_arena *arena) {
    clg_measured row;
    CASE("a row names lengths, or a spread, not both");
    CHECK(!read_row(arena, COLUMNS "llama-3.1-8b,h100-sxm,217,201,1,200,sharegpt,\n", &row));
    CHECK(row.plan.load.lengths && row.plan.load.spread == 0);
    CHECK_NEAR(row.plan.load.output_tokens, 201, 1e-12);
    const char *both =
        read_row(arena, COLUMNS "llama-3.1-8b,h100-sxm,217,201,1,200,sharegpt,1\n", &row);
    CHECK(both && strstr(both, "spread"));
    const char *none =
        read_row(arena, COLUMNS "llama-3.1-8b,h100-sxm,217,201,1,200,novels,\n", &row);
    CHECK(none && strstr(none, "novels"));
}

/* Seconds until all are answered. */
static double seconds_of(clg_arena *arena, const char *text) {
    clg_csv table = {0};
    clg_error error = {0};
    clg_measured_table t;
    CHECK(clg_csv_parse(arena, "rows.csv", text, strlen(text), &table, &error) == CLG_OK);
    CHECK(clg_measured_score_all(arena, &table, 1, (clg_progress){0}, &t, &error) == CLG_OK);
    CHECK(t.rows == 1 && !t.row[0].reason);
    return (double)t.row[0].plan.load.requests * 201 / t.row[0].predicted[CLG_MEASURE_RATE];
}

static void test_tail(clg_arena *arena) {
    CASE("all at once, the longest answer decides: texts end sooner than a log-normal's tail");
    double texts = seconds_of(arena, COLUMNS "llama-3.1-8b,h100-sxm,217,201,1,200,sharegpt,\n");
    double tail = seconds_of(arena, COLUMNS "llama-3.1-8b,h100-sxm,217,201,1,200,,1\n");
    CHECK(texts < 0.9 * tail && texts > 0.4 * tail);
    CASE("of a table as many of each part: the longest of 100 has 980 tokens, of 200 1,330");
    double few = seconds_of(arena, COLUMNS "llama-3.1-8b,h100-sxm,217,201,1,100,sharegpt,\n");
    CHECK(few < 0.8 * texts && few > 0.6 * texts);
}

int main(void) {
    clg_arena arena = {0};
    test_curve();
    test_published(&arena);
    test_row(&arena);
    test_tail(&arena);
    clg_arena_clear(&arena);
    return DONE;
}
