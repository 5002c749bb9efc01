/* classes.c -- errors and intervals by kind of model and length of step: a total hides which of
 * them an interval does not hold. */
#include "report/number_words.h"
#include "report_accuracy/accuracy.h"
#include "validate/score.h"

static const double SHORT_S = 1;

typedef struct run_class {
    const char *words;
    bool experts, brief;
} run_class;

static const run_class CLASSES[] = {{"dense, 1 s or more", false, false},
                                    {"dense, below 1 s", false, true},
                                    {"mixtures, 1 s or more", true, false},
                                    {"mixtures, below 1 s", true, true}};

static bool belongs(const clg_run *r, const run_class *c) {
    return clg_run_timed(r) && r->predicted.doubt.experts == c->experts &&
           (r->measured_step_s < SHORT_S) == c->brief;
}

/* `runs` are those of the validation, as they are or as predicted without their fold. */
static void print_cells(clg_text *t, const clg_validation *v, const clg_run *runs, bool held,
                        const run_class *c) {
    bool *counts = clg_take(t->arena, (size_t)v->runs + 1, bool);
    for (int i = 0; i < v->runs; i++) counts[i] = runs[i].held_out == held && belongs(&runs[i], c);
    clg_score s = clg_score_runs(t->arena, runs, counts, v->runs, c->words);
    if (s.scored == 0)
        clg_text_print(t, " 0 | - | - | - |");
    else
        clg_text_print(t, " %d | %s | %s | %s |", s.scored, clg_words_share(t, s.mape),
                       clg_words_share(t, s.median_ape), clg_words_share(t, s.coverage));
}

void clg_report_classes(clg_text *t, const clg_validation *v, const clg_leave_out *sources) {
    clg_text_print(t, "\n## By class\n\n"
                      "What P10 to P90 should hold is 80 %% of each line, not of their sum.\n\n"
                      "| class | never fitted on | mean | median | inside | source left out | mean "
                      "| median | inside |\n|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof CLASSES / sizeof *CLASSES; i++) {
        clg_text_print(t, "| %s |", CLASSES[i].words);
        print_cells(t, v, v->run, true, &CLASSES[i]);
        print_cells(t, v, sources->run, false, &CLASSES[i]);
        clg_text_print(t, "\n");
    }
}
