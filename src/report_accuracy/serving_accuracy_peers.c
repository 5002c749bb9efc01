/* serving_accuracy_peers.c -- other tools on the same rows. Figures are scores; which comparisons
 * are fair stands in data/accuracy. */
#include "dataset/dataset.h"
#include "measured/peers.h"
#include "measured/scores.h"
#include "report_accuracy/serving_accuracy.h"

#include <string.h>

static bool listed(const clg_measured *row, const void *context) {
    const clg_measured_table *of = context;
    for (int i = 0; i < of->rows; i++)
        if (row->id && strcmp(row->id, of->row[i].id) == 0) return true;
    return false;
}

static void print_errors(clg_text *t, const clg_measured_table *m, const clg_measured_table *of) {
    static const clg_measure asked[] = {CLG_MEASURE_ANSWER, CLG_MEASURE_TPOT, CLG_MEASURE_TTFT};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        clg_measured_score s = clg_measured_score_rows(m, listed, of, asked[i]);
        if (s.scored > 0)
            clg_text_print(t, " %.1f | %.1f |", 100 * s.mape, 100 * s.median_ape);
        else
            clg_text_print(t, " - | - |");
    }
    clg_text_print(t, "\n");
}

static bool named_before(const clg_measured_table *m, int peer) {
    for (int i = 0; i < peer; i++)
        if (strcmp(m->peer[i].by, m->peer[peer].by) == 0) return true;
    return false;
}

static void print_tool(clg_text *t, const clg_measured_table *m, const char *by) {
    clg_arena scratch = {0};
    clg_measured_table of = clg_peers_table(&scratch, m, by);
    if (of.rows > 0) {
        clg_text_print(t, "| %s | %d |", by, of.rows);
        print_errors(t, &of, &of);
        clg_text_print(t, "| *ceiling* | %d |", of.rows);
        print_errors(t, m, &of);
    }
    clg_arena_clear(&scratch);
}

void clg_report_measured_peers(clg_text *t, const clg_measured_table *m) {
    if (m->peers == 0) return;
    clg_text_print(
        t, "\n## Beside other tools, on the same stages\n\n"
           "What other tools predicted for rows above was published with the measurements "
           "([peers.csv](../data/serving-runs/peers.csv), a citation a line). Errors in %%, "
           "without sign; *ceiling* on the "
           "stages of the line above it.\n\n"
           "| tool | stages | whole answer, mean | median | per token, mean | median | first "
           "token, mean | median |\n|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < m->peers; i++)
        if (strcmp(m->peer[i].by, clg_peer_measured) != 0 && !named_before(m, i))
            print_tool(t, m, m->peer[i].by);
    clg_text_print(t, "\n%s", clg_dataset_find("accuracy/serving-peers.md")->text);
}
