/* own_steps_report.c -- the part of `validate --markdown` about fitting to some of one's own steps.
 */
#include "report_accuracy/accuracy.h"

static void print_row(clg_text *t, const clg_own_source *s) {
    clg_text_print(t, " | %d | %.1f |", s->runs, 100 * s->before);
    for (int k = 0; k < CLG_OWN_STEPS; k++) clg_text_print(t, " %.1f |", 100 * s->after[k]);
    clg_text_print(t, " %.1f |\n", 100 * s->constant);
}

static void print_sources(clg_text *t, const clg_own_steps *own) {
    for (int i = 0; i < own->sources; i++) {
        const clg_own_source *s = &own->source[i];
        clg_text_print(t, "| %s%s", s->source, s->held_out ? " (never fitted on)" : "");
        print_row(t, s);
    }
}

/* Each source once. */
static void print_means(clg_text *t, const clg_own_steps *own, const char *name) {
    clg_own_source mean = {0};
    for (int i = 0; i < own->sources; i++) {
        const clg_own_source *s = &own->source[i];
        mean.runs += s->runs;
        mean.before += s->before / own->sources;
        mean.constant += s->constant / own->sources;
        for (int k = 0; k < CLG_OWN_STEPS; k++) mean.after[k] += s->after[k] / own->sources;
    }
    if (own->sources == 0) return;
    clg_text_print(t, "| %s, %d sources, each once", name, own->sources);
    print_row(t, &mean);
}

static void print_verdict(clg_text *t, const clg_own_steps *own) {
    int better = 0, worse = 0;
    for (int i = 0; i < own->sources; i++) {
        double moved = own->source[i].after[CLG_OWN_STEPS - 1] - own->source[i].before;
        better += moved < -0.005;
        worse += moved > 0.005;
    }
    clg_text_print(t,
                   "\nWith three steps of the model %d sources are off by less than before, %d by "
                   "more, %d by as much to half a percent. Steps of other models are worth less: "
                   "what they have in common is not all of the error.\n",
                   better, worse, own->sources - better - worse);
}

void clg_report_own_steps(clg_text *t, const clg_own_steps *one_model,
                          const clg_own_steps *any_model) {
    if (one_model->sources == 0) return;
    clg_text_print(
        t, "\n## With your own steps\n\n"
           "What `ceiling fit` makes of a few steps ([fit.md](fit.md)): of each source, one "
           "stack, GPU kind, precision, model and sequence length at a time, the terms are "
           "fitted to the one, two or three runs on the fewest GPUs, and all runs but "
           "those three predicted; mean error in %%. *One constant* is fitted to the "
           "three, too. Groups of six runs or more; nothing of these fits is kept.\n\n"
           "| source | runs | as built in | 1 step | 2 steps | 3 steps | one constant |\n"
           "|---|---|---|---|---|---|---|\n");
    print_sources(t, one_model);
    print_means(t, one_model, "steps of the model");
    print_means(t, any_model, "steps of any model of the source");
    print_verdict(t, one_model);
}
