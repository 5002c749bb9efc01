/* leave_out_report.c -- errors of runs left out of the fit, and with them in it. */
#include "report_accuracy/leave_out_report.h"

#include "report/number_words.h"

static const char *word_of(const clg_leave_out *l) {
    return clg_name_of(clg_fold_names, (int)l->kind);
}

static void print_fold(clg_text *t, const clg_fold *f, bool generation) {
    clg_text_pad(t, f->name, 27, false);
    clg_text_print(t, " %5d %4d", f->unseen.scored, f->new_stack);
    clg_words_share_column(t, f->in_sight.mape, 8);
    clg_words_share_column(t, f->unseen.mape, 8);
    clg_words_share_column(t, f->unseen.median_ape, 7);
    clg_words_share_column(t, f->unseen.p90_ape, 7);
    clg_words_share_column(t, f->unseen.bias, 7);
    clg_words_share_column(t, f->unseen.coverage, 8);
    clg_words_share_column(t, f->unseen.baseline_mape, 9);
    clg_words_share_column(t, f->beside_constant, 7);
    if (generation) clg_words_share_column(t, f->generic.mape, 8);
    if (generation) clg_words_share_column(t, f->generic.coverage, 7);
    clg_text_print(t, "\n");
}

static const char *unit_of(const clg_fit_term *t) { return t->unit_si == 1 ? "" : t->unit; }

static void print_stack(clg_text *t, const clg_stack_terms *s) {
    for (int i = 0; i < s->terms; i++) {
        const clg_stack_term *term = &s->term[i];
        const clg_fit_term *k = &term->term;
        if (i == 0) {
            clg_text_pad(t, s->stack, 25, false);
            clg_text_print(t, "%5d %7d  ", s->runs, s->sources);
        } else
            clg_text_print(t, "%40s", "");
        clg_text_pad(t, k->name, 18, false);
        clg_text_print(t, "%9.4g %9.4g %s", term->built_in / k->unit_si, k->to / k->unit_si,
                       unit_of(k));
        if (k->held) clg_text_print(t, "  held: %s", k->held);
        clg_text_print(t, "\n");
    }
}

static void print_stacks(clg_text *t, const clg_leave_out *l) {
    clg_text_print(t, "\nfitted to all of these but the held-out ones\n"
                      "stack                     runs sources  term               built in    "
                      "fitted\n");
    for (int i = 0; i < l->stacks.count; i++)
        if (l->stacks.stack[i].runs > 0) print_stack(t, &l->stacks.stack[i]);
    clg_text_print(t, "%-40s%-18s%9s %9.4g\n", "a stack without runs", "kernel_slowdown", "",
                   l->stacks.kernel_slowdown);
    clg_text_print(t,
                   "\nwidths that hold 80 %% of the runs left out: sigma %.3f, experts %.3f, "
                   "traffic %.3f, step %.0f ms\n",
                   l->widths.sigma, l->widths.sigma_experts, l->widths.sigma_traffic,
                   1e3 * l->widths.sigma_step_s);
    for (int i = 0; i < l->widths.stacks; i++)
        clg_text_print(t, "  %-26s sigma %.3f of %d sources\n", l->widths.stack[i].stack,
                       l->widths.stack[i].sigma, l->widths.stack[i].sources);
}

void clg_report_leave_out(clg_text *t, const clg_leave_out *l) {
    bool generation = l->kind == CLG_FOLD_GENERATION;
    clg_text_print(t,
                   "error of step time in %%, each %s predicted by terms fitted to the others\n"
                   "new: runs of a stack that has no others; one constant: fitted to the others as "
                   "well%s\n",
                   word_of(l), generation ? "; generic: with the curves of another" : "");
    clg_text_pad(t, word_of(l), 27, false);
    clg_text_print(t,
                   "  runs  new      in    left median    P90   bias  inside      one beside%s\n",
                   generation ? " generic inside" : "");
    clg_text_print(t, "%27s            sight     out%31s constant     it\n", "", "P10-P90");
    for (int i = 0; i < l->folds; i++) print_fold(t, &l->fold[i], generation);
    print_fold(t, &l->all, generation);
    clg_text_print(t, "each %s once: %.1f %% with it in the fit, %.1f %% left out\n", word_of(l),
                   100 * l->folds_in_sight, 100 * l->folds_unseen);
    if (l->held_out.unseen.scored > 0) {
        clg_text_print(t, "in no fit, by the built-in terms and by those fitted to all others:\n");
        print_fold(t, &l->held_out, false);
    }
    print_stacks(t, l);
}

/* Rows of the page. */
static void print_row(clg_text *t, const clg_fold *f, const char *name, bool generation) {
    clg_text_print(
        t, "| %s | %d | %d | %s | %s | %s | %s | %s | %s | %s | %s |", name, f->unseen.scored,
        f->new_stack, clg_words_share(t, f->in_sight.mape), clg_words_share(t, f->unseen.mape),
        clg_words_share(t, f->unseen.median_ape), clg_words_share(t, f->unseen.p90_ape),
        clg_words_share(t, f->unseen.bias), clg_words_share(t, f->unseen.coverage),
        clg_words_share(t, f->unseen.baseline_mape), clg_words_share(t, f->beside_constant));
    if (generation)
        clg_text_print(t, " %s | %s |", clg_words_share(t, f->generic.mape),
                       clg_words_share(t, f->generic.coverage));
    clg_text_print(t, "\n");
}

static void print_kind(clg_text *t, const clg_leave_out *l, int fewest) {
    bool generation = l->kind == CLG_FOLD_GENERATION;
    int few = 0;
    clg_text_print(
        t,
        "\n| %s left out | runs | new stack | in the fit | left out | median | P90 | bias "
        "| inside P10-P90 | one constant | ours there |%s\n"
        "|---|---|---|---|---|---|---|---|---|---|---|%s\n",
        word_of(l), generation ? " generic curves | inside |" : "", generation ? "---|---|" : "");
    for (int i = 0; i < l->folds; i++)
        if (l->fold[i].unseen.scored >= fewest)
            print_row(t, &l->fold[i], l->fold[i].name, generation);
        else
            few++;
    print_row(t, &l->all,
              few ? clg_arena_print(t->arena, "all, with %d of fewer than %d runs", few, fewest)
                  : "all",
              generation);
    clg_text_print(t, "\nEach %s once: %s %% with it in the fit, %s %% left out.\n", word_of(l),
                   clg_words_share(t, l->folds_in_sight), clg_words_share(t, l->folds_unseen));
}

static void print_terms(clg_text *t, const clg_leave_out *l) {
    clg_text_print(t, "\nFitted to all runs of this page that are not held out, beside what is "
                      "built in, which is fitted to more:\n\n"
                      "| stack | runs | sources | term | built in | fitted |\n"
                      "|---|---|---|---|---|---|\n");
    for (int i = 0; i < l->stacks.count; i++) {
        const clg_stack_terms *s = &l->stacks.stack[i];
        for (int j = 0; s->runs > 0 && j < s->terms; j++) {
            const clg_fit_term *k = &s->term[j].term;
            if (k->held) continue;
            clg_text_print(t, "| %s | %d | %d | `%s` | %.4g %s | %.4g %s |\n", s->stack, s->runs,
                           s->sources, k->name, s->term[j].built_in / k->unit_si, unit_of(k),
                           k->to / k->unit_si, unit_of(k));
        }
    }
}

void clg_report_leave_out_page(clg_text *t, const clg_leave_out *kinds) {
    const clg_leave_out *first = &kinds[CLG_FOLD_SOURCE];
    clg_text_print(
        t, "\n## Left out of the fit\n\n"
           "The terms behind the tables above were set with the errors of these runs known. Here "
           "the terms of the stacks are fitted anew without a source, a model or a GPU generation, "
           "and the runs left out are predicted with them ([fit.md](fit.md#the-values-built-in)): "
           "*in the fit* is the error with the built-in terms, *left out* that with terms, and "
           "intervals, of the others. *New stack*: runs of a stack that has no runs elsewhere; its "
           "slowdown is that of its family, or the mean of all. *One constant* is fitted to the "
           "others too; *ours there* is our error on the runs for which the others have one. The "
           "curves of kernels and collectives stay; *generic curves* are those of another "
           "generation, which a GPU has of which nothing was timed.\n");
    for (int kind = 0; kind < CLG_FOLD_KINDS; kind++)
        print_kind(t, &kinds[kind], kind == CLG_FOLD_MODEL ? 3 : 1);
    const clg_fold *h = &first->held_out;
    if (h->unseen.scored > 0)
        clg_text_print(t,
                       "\nThe %d runs that nothing may be fitted on: %s %% with the built-in terms "
                       "(%s %% inside), %s %% with those fitted to all others on this page "
                       "(%s %% inside).\n",
                       h->unseen.scored, clg_words_share(t, h->in_sight.mape),
                       clg_words_share(t, h->in_sight.coverage), clg_words_share(t, h->unseen.mape),
                       clg_words_share(t, h->unseen.coverage));
    print_terms(t, first);
}

static void add_fold(clg_json_writer *w, const char *key, const clg_fold *f, bool generation) {
    clg_json_open(w, key, '{');
    clg_json_add_string(w, "name", f->name);
    clg_json_add_integer(w, "scored", f->unseen.scored);
    clg_json_add_integer(w, "new_stack", f->new_stack);
    clg_json_add_number(w, "in_sight_mape", f->in_sight.mape);
    clg_json_add_number(w, "in_sight_coverage", f->in_sight.coverage);
    clg_json_add_number(w, "mape", f->unseen.mape);
    clg_json_add_number(w, "median_ape", f->unseen.median_ape);
    clg_json_add_number(w, "p90_ape", f->unseen.p90_ape);
    clg_json_add_number(w, "bias", f->unseen.bias);
    clg_json_add_number(w, "coverage", f->unseen.coverage);
    clg_json_add_number(w, "constant_mape", f->unseen.baseline_mape);
    clg_json_add_number(w, "beside_constant_mape", f->beside_constant);
    if (generation) {
        clg_json_add_number(w, "generic_mape", f->generic.mape);
        clg_json_add_number(w, "generic_coverage", f->generic.coverage);
    }
    clg_json_close(w, '}');
}

static void add_terms(clg_json_writer *w, const clg_stacks *stacks) {
    clg_json_open(w, "terms", '[');
    for (int i = 0; i < stacks->count; i++) {
        const clg_stack_terms *s = &stacks->stack[i];
        for (int j = 0; s->runs > 0 && j < s->terms; j++) {
            const clg_fit_term *k = &s->term[j].term;
            clg_json_open(w, NULL, '{');
            clg_json_add_string(w, "stack", s->stack);
            clg_json_add_integer(w, "runs", s->runs);
            clg_json_add_integer(w, "sources", s->sources);
            clg_json_add_string(w, "name", k->name);
            clg_json_add_string(w, "unit", k->unit);
            clg_json_add_number(w, "built_in", s->term[j].built_in / k->unit_si);
            clg_json_add_number(w, "fitted", k->to / k->unit_si);
            clg_json_add_string(w, "held", k->held);
            clg_json_close(w, '}');
        }
    }
    clg_json_close(w, ']');
    clg_json_add_number(w, "kernel_slowdown", stacks->kernel_slowdown);
}

static void add_widths(clg_json_writer *w, const clg_interval_widths *widths) {
    clg_json_open(w, "widths", '{');
    clg_json_add_number(w, "sigma", widths->sigma);
    clg_json_add_number(w, "sigma_experts", widths->sigma_experts);
    clg_json_add_number(w, "sigma_traffic", widths->sigma_traffic);
    clg_json_add_number(w, "sigma_step_s", widths->sigma_step_s);
    clg_json_open(w, "stacks", '[');
    for (int i = 0; i < widths->stacks; i++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "stack", widths->stack[i].stack);
        clg_json_add_integer(w, "sources", widths->stack[i].sources);
        clg_json_add_number(w, "sigma", widths->stack[i].sigma);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
    clg_json_close(w, '}');
}

void clg_json_leave_out(clg_json_writer *w, const clg_leave_out *l) {
    bool generation = l->kind == CLG_FOLD_GENERATION;
    clg_json_add_string(w, "by", word_of(l));
    clg_json_open(w, "folds", '[');
    for (int i = 0; i < l->folds; i++) add_fold(w, NULL, &l->fold[i], generation);
    clg_json_close(w, ']');
    add_fold(w, "all", &l->all, generation);
    if (l->held_out.unseen.scored > 0) add_fold(w, "held_out", &l->held_out, false);
    clg_json_add_number(w, "each_fold_once_in_sight_mape", l->folds_in_sight);
    clg_json_add_number(w, "each_fold_once_mape", l->folds_unseen);
    add_terms(w, &l->stacks);
    add_widths(w, &l->widths);
}
