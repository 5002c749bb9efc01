/* measured_peers.c -- other tools on the same rows. Figures are scores; which comparisons are fair
 * is kept here by hand, beside them. */
#include "report/measured.h"
#include "serve/measured_score.h"
#include "serve/peers.h"

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

/* Of inference-sim/sim-to-real-accuracy-validation: results/figure_captions.md (0205ebd1),
 * docs/simulator-limitations.md (180bc9e8), docs/plans/2026-03-10-aiconfigurator-evaluation-
 * methodology.md (42f5f318) sections 5.3 and 10; of inference-sim/inference-sim:
 * training/trainval_data/README.md (1b4bbe11). */
static void print_fairness(clg_text *t) {
    clg_text_print(
        t,
        "\nNot all of these are fair:\n\n"
        "- The tools (BLIS b05154c, AIConfigurator 0.8.0, LLM-Optimizer bb82d22, Vidur 8383d29) "
        "were "
        "run by the authors of BLIS, who chose what each is told. We ran none.\n"
        "- AIConfigurator and LLM-Optimizer have no queue and no batches: they are asked for a "
        "number of sequences that is the measured time of an answer times the rate, so they know "
        "part of the answer. Nearly all prompts here are cached, which AIConfigurator does not "
        "have, nor, by their first tokens, have the others but BLIS's trained model. Compare time "
        "per token.\n"
        "- LLM-Optimizer takes mixtures for dense models (9 of its stages). AIConfigurator is run "
        "for dense models on H100 alone. Vidur has profiles of two of the models, and a queue that "
        "grows to the end in three of its eight stages: its means are of those.\n"
        "- BLIS's trained model was fitted on 15 experiments of the same laboratory, engine and "
        "kinds of load on H100, none of them among these stages: Llama 2 7B, Llama 3.1 70B, Llama "
        "4 "
        "Scout, Qwen2.5 7B, Mistral Nemo, Yi 34B. Several of its fits were compared on these "
        "stages. It is the fairest line.\n"
        "- Ours are not blind: four host times of the engine are BLIS's own fit, what top-k "
        "sampling takes was added with these errors in sight, and what the engine does is read in "
        "its code, of later versions too. Predicted the first time, all 51 stages were off by 5.4 "
        "%% in whole answers (median 2.7), 4.7 %% per token (2.8) and 10 %% in the first token "
        "(9).\n"
        "- Per token, tools are scored against the mean time between tokens that the authors "
        "print, "
        "ours against what an answer takes after its first token; the two differ by 4 %% at "
        "most.\n");
}

void clg_report_measured_peers(clg_text *t, const clg_measured_table *m) {
    if (m->peers == 0) return;
    clg_text_print(
        t, "\n## Beside other tools, on the same stages\n\n"
           "What other tools predicted for rows above was published with the measurements "
           "([peers.csv](../data/serving-runs/peers.csv), a citation a line): for 41 of the 51 "
           "stages of `held-out-open-loop.csv`. Errors in %%, without sign; *ceiling* on the "
           "stages of the line above it.\n\n"
           "| tool | stages | whole answer, mean | median | per token, mean | median | first "
           "token, mean | median |\n|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < m->peers; i++)
        if (strcmp(m->peer[i].by, clg_peer_measured) != 0 && !named_before(m, i))
            print_tool(t, m, m->peer[i].by);
    print_fairness(t);
}
