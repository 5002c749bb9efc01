/* test_peers.c -- other tools' predictions: which are read, of which rows, and how they are scored
 * beside ours. */
#include "measured/peers.h"

#include "report_accuracy/serving_accuracy.h"
#include "test.h"

static clg_csv table_of(clg_arena *arena, const char *text) {
    clg_csv table = {0};
    clg_error error = {0};
    CHECK(clg_csv_parse(arena, "folder/rows.csv", text, strlen(text), &table, &error) == CLG_OK);
    return table;
}

static const char rows[] = "id,model,gpu,prompt_tokens,output_tokens,requests,requests_per_s,"
                           "answer_s,output_tokens_per_s\n"
                           "a,llama-3.1-8b,h100-sxm,570,37,20,3,0.3,\n";

static const char told[] = "id,by,cite,ttft_ms,itl_ms,answer_ms\n"
                           "a,measured,paper,41.5,7.25,300\n"
                           "a,oracle,paper,,0,345\n"
                           "b,oracle,paper,-3,words,1e13\n";

static void test_read(clg_arena *arena) {
    CASE("milliseconds become seconds; blanks, zeros, words and absurd numbers are no prediction");
    clg_csv tables[] = {table_of(arena, rows), table_of(arena, told)};
    int count;
    CHECK(!clg_peers_recognised(&tables[0]) && clg_peers_recognised(&tables[1]));
    const clg_peer *peer = clg_peers_read(arena, tables, 2, &count);
    CHECK(count == 3);
    CHECK_TEXT(peer[0].id, "a");
    CHECK_TEXT(peer[0].by, clg_peer_measured);
    CHECK_NEAR(peer[0].value[CLG_MEASURE_TTFT], 0.0415, 1e-12);
    CHECK_NEAR(peer[0].value[CLG_MEASURE_TPOT], 0.00725, 1e-12);
    CHECK_NEAR(peer[1].value[CLG_MEASURE_ANSWER], 0.345, 1e-12);
    CHECK(isnan(peer[1].value[CLG_MEASURE_TTFT]) && isnan(peer[1].value[CLG_MEASURE_TPOT]));
    for (int m = 0; m < CLG_MEASURES; m++) CHECK(isnan(peer[2].value[m]));
}

static void test_beside(clg_arena *arena) {
    CASE("such a table is no row of ours, wherever it stands; alone it is no measurement");
    clg_csv tables[] = {table_of(arena, told), table_of(arena, rows)};
    clg_measured_table t;
    clg_error error = {0};
    CHECK(clg_measured_score_all(arena, tables, 2, (clg_progress){0}, &t, &error) == CLG_OK);
    CHECK(t.rows == 1 && t.peers == 3 && !t.row[0].reason);
    CHECK(clg_measured_score_all(arena, tables, 1, (clg_progress){0}, &t, &error) == CLG_BAD_INPUT);
}

/* Ours miss answers by 25, 10 and 40 %; `c` was not predicted by us, `d` not measured by them. */
static clg_measured_table invented(clg_arena *arena) {
    static const clg_peer peer[] = {
        {"a", "measured", {0.080, NAN, 2.0, NAN}}, {"b", "measured", {0.100, NAN, 4.0, NAN}},
        {"c", "measured", {0.100, NAN, 1.0, NAN}}, {"e", "measured", {0.050, NAN, 5.0, NAN}},
        {"a", "oracle", {0.100, 0.01, 3.0, NAN}},  {"b", "oracle", {0.093, NAN, 5.0, NAN}},
        {"c", "oracle", {0.100, NAN, 9.0, NAN}},   {"d", "oracle", {0.100, NAN, 9.0, NAN}},
        {"e", "augur", {NAN, NAN, 4.0, NAN}},      {"nobody", "stars", {0.1, 0.1, 0.1, NAN}}};
    clg_measured_table t = {.peer = peer, .peers = sizeof peer / sizeof *peer};
    t.row = clg_take(arena, 5, clg_measured);
    t.rows = 5;
    const double measured[] = {2, 4, 1, 1, 5}, predicted[] = {1.5, 4.4, 1, 1, 7};
    for (int i = 0; i < 5; i++) {
        clg_measured *row = &t.row[i];
        *row = (clg_measured){.id = clg_arena_print(arena, "%c", 'a' + i), .source = "s"};
        for (int m = 0; m < CLG_MEASURES; m++) row->measured[m] = row->roofline[m] = NAN;
        row->measured[CLG_MEASURE_ANSWER] = measured[i];
        row->predicted[CLG_MEASURE_ANSWER] = predicted[i];
    }
    t.row[2].reason = "not predicted";
    return t;
}

static void test_rows(clg_arena *arena) {
    CASE("a tool has the rows that it, its authors and we have");
    clg_measured_table t = invented(arena);
    clg_measured_table of = clg_peers_table(arena, &t, "oracle");
    CHECK(of.rows == 2);
    CHECK_TEXT(of.row[0].id, "a");
    CHECK_TEXT(of.row[1].id, "b");
    CHECK_NEAR(of.row[1].predicted[CLG_MEASURE_TTFT], 0.093, 1e-12);
    CHECK(isnan(of.row[0].measured[CLG_MEASURE_TPOT]));
    CHECK(clg_peer_find(&t, "e", "oracle") == NULL);
    CHECK(clg_peers_table(arena, &t, "stars").rows == 0);
}

static void test_page(clg_arena *arena) {
    clg_text page = {.arena = arena}, none = {.arena = arena};
    clg_measured_table t = invented(arena), empty = {0};
    clg_report_measured_peers(&page, &t);
    clg_report_measured_peers(&none, &empty);
    CASE("errors by hand: 50 and 25 %, 25 and 7 %; ours on the same rows and no others");
    CHECK(strstr(page.data, "| oracle | 2 | 37.5 | 37.5 | - | - | 16.0 | 16.0 |\n"
                            "| *ceiling* | 2 | 17.5 | 17.5 | - | - | - | - |\n"));
    CHECK(strstr(page.data, "| augur | 1 | 20.0 | 20.0 | - | - | - | - |\n"
                            "| *ceiling* | 1 | 40.0 | 40.0 | - | - | - | - |\n"));
    CASE("what was measured is no tool; one without rows has no line");
    CHECK(!strstr(page.data, "| measured |") && !strstr(page.data, "| stars |"));
    CASE("without such tables nothing is said");
    CHECK(none.data == NULL);
}

int main(void) {
    clg_arena arena = {0};
    test_read(&arena);
    test_beside(&arena);
    test_rows(&arena);
    test_page(&arena);
    clg_arena_clear(&arena);
    return DONE;
}
