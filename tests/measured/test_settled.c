/* test_settled.c -- a load that has settled: the window by hand, and what of a client's first round
 * a row's prediction loses. */
#include "measured/settled.h"

#include "measured/measured.h"
#include "test.h"

static clg_demand answers_of(clg_arena *arena, const int32_t *tokens, int64_t count) {
    clg_demand d = {.count = count};
    d.request = clg_take(arena, (size_t)count, clg_arrival);
    for (int64_t i = 0; i < count; i++) d.request[i].output_tokens = tokens[i];
    return d;
}

/* Two clients: their first round ends at 3 s, the last request is asked at 5 s; the third and the
 * fourth end between, after 0.5 and 1 s, 1.5 s of 10 and 1 s of 20 more tokens. */
static void test_window(clg_arena *arena) {
    CASE("requests that end between the first round's end and the last that is asked");
    static const int32_t tokens[] = {5, 5, 11, 21, 9, 9};
    static const clg_served served[] = {{0, 1, 2}, {0, 1.5, 3}, {2, 2.5, 4},
                                        {3, 4, 5}, {4, 4.5, 6}, {5, 6, 7}};
    clg_demand d = answers_of(arena, tokens, 6);
    clg_settled s = clg_settled_among(served, &d, 2);
    CHECK(s.requests == 2);
    CHECK_NEAR(s.ttft_s, 0.75, 1e-12);
    CHECK_NEAR(s.tpot_s, 0.1, 1e-12);
    CHECK_NEAR(s.answer_s, 2, 1e-12);
    CHECK_NEAR(s.tokens_per_s, 16, 1e-12);
    CASE("one round is no settled load");
    d.count = 2;
    CHECK(clg_settled_among(served, &d, 2).requests == 0);
}

static clg_measured row_of(clg_arena *arena, const char *cells) {
    static const char columns[] = "model,gpu,prompt_tokens,output_tokens,output_tokens_per_s,"
                                  "clients,requests,client,statistic";
    clg_csv table = {0};
    clg_error error = {0};
    clg_measured_table t;
    const char *text = clg_arena_print(arena, "%s\n%s\n", columns, cells);
    CHECK(clg_csv_parse(arena, "rows.csv", text, strlen(text), &table, &error) == CLG_OK);
    CHECK(clg_measured_score_all(arena, &table, 1, (clg_progress){0}, &t, &error) == CLG_OK);
    return t.row[0];
}

static void test_rows(clg_arena *arena) {
    CASE("the first round, asked at once, waits longest and is not measured");
    clg_measured all = row_of(arena, "llama-3.1-8b,h100-sxm,5000,500,1,20,60,server,");
    clg_measured later = row_of(arena, "llama-3.1-8b,h100-sxm,5000,500,1,20,60,genai-perf,");
    CHECK(!all.reason && !later.reason);
    CHECK(later.predicted[CLG_MEASURE_TTFT] < 0.95 * all.predicted[CLG_MEASURE_TTFT]);
    CHECK_NEAR(later.predicted[CLG_MEASURE_RATE], all.predicted[CLG_MEASURE_RATE],
               0.1 * all.predicted[CLG_MEASURE_RATE]);
    CASE("it has clients, prints means, and needs more than one round");
    CHECK(row_of(arena, "llama-3.1-8b,h100-sxm,5000,500,1,,200,genai-perf,").reason);
    CHECK(row_of(arena, "llama-3.1-8b,h100-sxm,5000,500,1,20,200,genai-perf,median").reason);
    CHECK(row_of(arena, "llama-3.1-8b,h100-sxm,5000,500,1,20,20,genai-perf,").reason);
}

int main(void) {
    clg_arena arena = {0};
    test_window(&arena);
    test_rows(&arena);
    clg_arena_clear(&arena);
    return DONE;
}
