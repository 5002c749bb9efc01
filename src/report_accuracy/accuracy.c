/* accuracy.c -- the scoreboard as a page. Thresholds are words, not marks: what is good is said in
 * the table of each source, beside the one-constant model. */
#include "report_accuracy/accuracy.h"

#include "dataset/dataset.h"
#include "dataset/kept.h"
#include "report/number_words.h"
#include "report_accuracy/error_class.h"
#include "report_accuracy/leave_out_report.h"
#include "validate/first_look.h"
#include <string.h>

static void print_score(clg_text *t, const clg_score *s) {
    clg_text_print(t, "| %s | %d | %d | %s | %s | %s | %s | %s | %s | %s | %s |\n", s->source,
                   s->rows, s->scored, clg_words_share(t, s->mape),
                   clg_words_share(t, s->median_ape), clg_words_share(t, s->p90_ape),
                   clg_words_share(t, s->bias), clg_words_share(t, s->baseline_mape),
                   clg_words_share(t, s->coverage), clg_words_share(t, s->memory_mape),
                   clg_words_share(t, s->fits_accuracy));
}

/* Of the sources that are held out, or of the others; then their total. */
static void print_scores(clg_text *t, const clg_validation *v, bool held) {
    clg_text_print(t,
                   "| source | rows | scored | mean | median | P90 | bias | one constant | inside "
                   "P10-P90 | memory | fits right |\n|---|---|---|---|---|---|---|---|---|---|---|"
                   "\n");
    for (int i = 0; i < v->scores; i++)
        if (!clg_score_is_all(&v->score[i]) && v->score[i].held_out == held)
            print_score(t, &v->score[i]);
    clg_score total = held ? v->held_out.held : v->held_out.others;
    total.source = "all of these";
    print_score(t, &total);
}

static void print_class(clg_text *t, const clg_validation *v, bool held, const clg_error_class *c) {
    const char *begin = clg_arena_print(t->arena, "- %s: ", c->words);
    bool any = false;
    for (int i = 0; i < v->scores; i++) {
        const clg_score *s = &v->score[i];
        if (clg_score_is_all(s) || s->held_out != held || s->scored == 0) continue;
        if (s->mape < c->from || s->mape >= c->below) continue;
        clg_text_print(t, "%s%s (%.0f %%)", any ? ", " : begin, s->source, 100 * s->mape);
        any = true;
    }
    if (any) clg_text_print(t, "\n");
}

/* Sources of one run have no constant to lose to: a constant fitted on one row is that row. */
static void print_against_constant(clg_text *t, const clg_validation *v, bool held) {
    int won = 0, lost = 0;
    for (int i = 0; i < v->scores; i++) {
        const clg_score *s = &v->score[i];
        if (clg_score_is_all(s) || s->held_out != held || s->scored < 4) continue;
        if (s->mape < s->baseline_mape)
            won++;
        else
            lost++;
    }
    clg_text_print(t,
                   "\nOf the sources with four rows or more, %d are predicted better than by the "
                   "one constant that fits them best, %d worse. That constant knows the answers "
                   "of the source it is scored on; the prediction does not.\n",
                   won, lost);
    for (int i = 0; i < v->scores; i++) {
        const clg_score *s = &v->score[i];
        if (clg_score_is_all(s) || s->held_out != held || s->scored < 4) continue;
        if (s->mape < s->baseline_mape) continue;
        clg_text_print(t, "- worse on %s: %.1f %% against %.1f %%\n", s->source, 100 * s->mape,
                       100 * s->baseline_mape);
    }
}

static void print_in_words(clg_text *t, const clg_validation *v, bool held) {
    clg_error_class c;
    for (int i = 0; clg_error_class_at(t->arena, i, &c); i++) print_class(t, v, held, &c);
    print_against_constant(t, v, held);
}

static void print_total(clg_text *t, const char *words, const clg_score *s) {
    clg_text_print(t, "| %s | %d | %s | %s | %s | %s | %s | %s |\n", words, s->scored,
                   clg_words_share(t, s->mape), clg_words_share(t, s->median_ape),
                   clg_words_share(t, s->p90_ape), clg_words_share(t, s->bias),
                   clg_words_share(t, s->baseline_mape), clg_words_share(t, s->coverage));
}

/* A text of data/accuracy, where `{source}` stands for its name and how far off it is predicted. */
static void print_text(clg_text *t, const clg_validation *v, const char *path) {
    const char *words = clg_dataset_find(path)->text;
    for (const char *open; (open = strchr(words, '{')) != NULL;) {
        size_t length = strcspn(open, "}") - 1;
        const char *name = clg_arena_print(t->arena, "%.*s", (int)length, open + 1);
        clg_text_print(t, "%.*s%s", (int)(open - words), words, name);
        for (int i = 0; i < v->scores; i++) {
            const clg_score *s = &v->score[i];
            if (strcmp(s->source, name) == 0 && s->scored > 0)
                clg_text_print(t, " (%.0f %% off on %d run%s)", 100 * s->mape, s->scored,
                               s->scored == 1 ? "" : "s");
        }
        words = open + length + 2;
    }
    clg_text_print(t, "%s", words);
}

static void print_held_out(clg_text *t, const clg_validation *v) {
    const clg_held_out *h = &v->held_out;
    if (h->held.scored == 0) return;
    clg_text_print(
        t,
        "\n## Never fitted on\n\n"
        "The rows whose column `held_out` is set were written down from published texts after the "
        "program stood. No constant was set by them, and none may be. Software is named by the "
        "stack that fits its description and date, not its speed. What a text does not say is "
        "left blank.\n\n"
        "Once their first errors were known, these were mended or written. No number is from "
        "the rows, but of these terms the rows named are no test any more:\n\n");
    print_text(t, v, "accuracy/mended-after.md");
    clg_text_print(t, "\n");
    print_scores(t, v, true);
    clg_text_print(t, "\n");
    print_in_words(t, v, true);
    clg_text_print(t, "\n| | rows | mean | median | P90 | bias | one constant | inside P10-P90 |\n"
                      "|---|---|---|---|---|---|---|---|\n");
    print_total(t, "never fitted on", &h->held);
    print_total(t, "the others, in the first table", &h->others);
    if (h->known == 0) return;
    clg_text_print(
        t,
        "\nA constant that has not seen these rows either, the one that fits the first "
        "table best for the GPU, precision and dense or MoE, is off by %.1f %% on the %d "
        "rows for which there is one. On the same rows the prediction is off by %.1f "
        "%%.\n",
        100 * h->elsewhere_mape, h->known, 100 * h->mape);
}

/* Tflop/s per GPU by the source's own count, which our time divides as its time does; MFU by ours.
 */
static void print_rates(clg_text *t, const clg_run *r) {
    double slower = r->predicted.step_s / r->measured_step_s, mfu = r->predicted.mfu;
    if (r->published_flop_per_s > 0)
        clg_text_print(t, " %.0f | %.0f |", r->published_flop_per_s / 1e12,
                       r->published_flop_per_s / slower / 1e12);
    else
        clg_text_print(t, " - | - |");
    clg_text_print(t, " %.1f | %.1f |\n", 100 * mfu * slower, 100 * mfu);
}

static void print_rows(clg_text *t, const clg_validation *v, const char *source,
                       const char *title) {
    bool any = false;
    for (int i = 0; i < v->runs; i++) {
        const clg_run *r = &v->run[i];
        if (r->reason || r->measured_step_s <= 0 || strcmp(r->source, source) != 0) continue;
        if (!any)
            clg_text_print(t,
                           "\n## %s\n\n| run | GPUs | measured s | predicted s | P10 | P90 | "
                           "error %% | Tflop/s published | predicted | MFU %% | predicted |\n"
                           "|---|---|---|---|---|---|---|---|---|---|---|\n",
                           title);
        any = true;
        clg_text_print(t, "| %s | %lld | %.3f | %.3f | %.3f | %.3f | %+.1f |", r->id,
                       (long long)r->gpus, r->measured_step_s, r->predicted.step_s,
                       r->predicted.step_p10_s, r->predicted.step_p90_s, 100 * r->error);
        print_rates(t, r);
    }
}

/* Row by row, the sources that data/accuracy/tables.csv names. */
static void print_tables(clg_text *t, const clg_validation *v) {
    clg_csv csv = clg_dataset_csv(t->arena, "accuracy/tables.csv");
    for (int i = 0; i < csv.rows; i++)
        print_rows(t, v, clg_csv_field(&csv, i, "source"), clg_csv_field(&csv, i, "title"));
}

static bool is_held(const clg_score *s) { return s->held_out; }
static bool is_other(const clg_score *s) { return !s->held_out; }

static void print_headline(clg_text *t, const clg_validation *v, const char *words,
                           bool (*counts)(const clg_score *)) {
    clg_sources s = clg_sources_score(t->arena, v, counts);
    if (s.sources == 0) return;
    clg_text_print(t, "| %s | %d | %s | %s | %s | %s | %s |\n", words, s.sources,
                   clg_words_share(t, s.mape), clg_words_share(t, s.median_ape),
                   clg_words_share(t, s.bias), clg_words_share(t, s.coverage),
                   clg_words_share(t, s.fits_accuracy));
}

/* What was predicted of sources when nobody here had seen them: the ledger's dated lines. */
static void print_looks(clg_text *t) {
    clg_looks looks;
    clg_error error = {0};
    if (clg_looks_built_in(t->arena, &looks, &error) != CLG_OK) return;
    clg_text_print(t,
                   "\n## First looks\n\nWhat strangers' runs were off by when they were seen for "
                   "the first time, as the ledger `data/first-looks.csv` has it. It is appended "
                   "to (`ceiling validate --first-look --ledger`), never edited. A source seen "
                   "once is one to develop on.\n\n"
                   "| date | source | timed rows | off %% | median %% | inside %% | |\n"
                   "|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < looks.count; i++) {
        const clg_look *l = &looks.look[i];
        if (*l->date)
            clg_text_print(t, "| %s | %s | %s | %s | %s | %s | %s |\n", l->date, l->source,
                           l->timed, l->error, l->median, l->inside, l->remark);
    }
}

void clg_report_accuracy(clg_text *t, const clg_validation *v, const clg_leave_out *kinds,
                         const clg_own_steps own[2]) {
    clg_text_print(t,
                   "# How far to trust it\n\n"
                   "Each row of the tables is a published, measured run with its citation. It is "
                   "predicted from its plan alone.\n\n"
                   "Errors are of step time, in %%. *One constant* is the model a planner has to "
                   "beat: one rate per GPU kind, precision and dense or MoE, the one that fits the "
                   "rows of that source best.\n\n");
    clg_text_print(t, "Each source counts once:\n\n"
                      "| | sources | mean | median source | bias | inside P10-P90 | fits right |\n"
                      "|---|---|---|---|---|---|---|\n");
    print_headline(t, v, "in no fit", is_held);
    print_headline(t, v, "the others", is_other);
    print_looks(t);
    clg_text_print(t, "\n## By source\n\n");
    print_scores(t, v, false);
    clg_text_print(t, "\n## In words\n\n");
    print_in_words(t, v, false);
    clg_report_aims(t, v);
    print_held_out(t, v);
    clg_report_leave_out_page(t, kinds);
    clg_report_classes(t, v, &kinds[CLG_FOLD_SOURCE]);
    clg_report_own_steps(t, &own[1], &own[0]);
    clg_report_ranking(t, v);
    clg_report_slopes(t, v);
    clg_report_chances(t, v);
    clg_text_print(t, "\n");
    print_text(t, v, "accuracy/fitted.md");
    clg_text_print(t, "\n## Known causes of the large errors\n\n");
    print_text(t, v, "accuracy/causes.md");
    clg_text_print(t, "\n");
    print_text(t, v, "accuracy/statements.md");
    print_tables(t, v);
}
