/* serving_accuracy_page.c -- all errors of serving as a page. Tables are scores; what is said of
 * causes stands in data/accuracy. */
#include "dataset/dataset.h"
#include "dataset/kept.h"
#include "measured/scores.h"
#include "report/number_words.h"
#include "report_accuracy/error_class.h"
#include "report_accuracy/serving_accuracy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 4 }; /* rows of which a constant is one */

static const char *const measures[] = {"first token", "per token", "whole answer", "throughput"};

/* ---- which rows */

typedef struct asked {
    bool held, calm; /* calm: below what there is room for, not all at once */
    const char *model, *gpu, *engine, *year; /* NULL: any */
} asked;

static bool same(const char *wanted, const char *name) {
    return !wanted || (name && strcmp(wanted, name) == 0);
}

static bool is_calm(const clg_measured *row) {
    bool once = row->plan.load.clients <= 0 && row->plan.load.requests_per_s <= 0;
    return !once && row->rho < 0.95;
}

static bool keep(const clg_measured *row, const void *context) {
    const asked *a = context;
    return row->held_out == a->held && (!a->calm || is_calm(row)) &&
           same(a->model, row->plan.model) && same(a->gpu, row->plan.gpu) &&
           same(a->engine, row->plan.engine) && same(a->year, row->year);
}

static bool any(const clg_measured_table *m, bool held) {
    for (int i = 0; i < m->rows; i++)
        if (m->row[i].held_out == held) return true;
    return false;
}

/* ---- per source */

static void print_score(clg_text *t, const clg_measured_score *s) {
    clg_text_print(t, "| %s | %s | %d | %d | %s | %s | %s | %s | %s | %s | %s |\n", s->source,
                   measures[s->measure], s->rows, s->scored, clg_words_share(t, s->mape),
                   clg_words_share(t, s->median_ape), clg_words_share(t, s->p90_ape),
                   clg_words_share(t, s->bias), clg_words_share(t, s->coverage),
                   clg_words_share(t, s->roofline_mape), clg_words_share(t, s->constant_mape));
}

static bool of_source(const clg_measured_score *s, bool held) {
    return strcmp(s->group, "all") == 0 && strcmp(s->source, "all") != 0 && s->held_out == held &&
           s->scored > 0;
}

/* The mean of the lines of a measure, however many rows each has: what a source nobody has seen is
 * likely to be. */
static void print_mean_source(clg_text *t, const clg_measured_table *m, bool held, int measure) {
    double none = (double)NAN;
    clg_measured_score all = {.source = "each source once",
                              .measure = (clg_measure)measure,
                              .p90_ape = none,
                              .roofline_mape = none,
                              .constant_mape = none};
    int sources = 0;
    for (int i = 0; i < m->scores; i++) {
        const clg_measured_score *s = &m->score[i];
        if (!of_source(s, held) || (int)s->measure != measure) continue;
        sources++;
        all.rows += s->rows;
        all.scored += s->scored;
        all.mape += s->mape;
        all.median_ape += s->median_ape;
        all.bias += s->bias;
        all.coverage += s->coverage;
    }
    if (sources < 2) return;
    all.mape /= sources;
    all.median_ape /= sources;
    all.bias /= sources;
    all.coverage /= sources;
    print_score(t, &all);
}

static void print_scores(clg_text *t, const clg_measured_table *m, bool held) {
    asked a = {.held = held};
    clg_text_print(t,
                   "| source | of | rows | scored | mean | median | P90 | bias | inside P10-P90 "
                   "| roofline | one constant |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < m->scores; i++)
        if (of_source(&m->score[i], held)) print_score(t, &m->score[i]);
    for (int k = 0; k < CLG_MEASURES; k++) {
        clg_measured_score s = clg_measured_score_rows(m, keep, &a, (clg_measure)k);
        s.source = "all of these";
        if (s.scored > 0) print_score(t, &s);
        print_mean_source(t, m, held, k);
    }
}

static void print_class(clg_text *t, const clg_measured_table *m, bool held,
                        const clg_error_class *c) {
    const char *begin = clg_arena_print(t->arena, "- %s: ", c->words);
    bool begun = false;
    for (int i = 0; i < m->scores; i++) {
        const clg_measured_score *s = &m->score[i];
        if (!of_source(s, held) || s->mape < c->from || s->mape >= c->below) continue;
        clg_text_print(t, "%s%s %s (%.0f %%)", begun ? ", " : begin, s->source,
                       measures[s->measure], 100 * s->mape);
        begun = true;
    }
    if (begun) clg_text_print(t, "\n");
}

/* Rows with a roofline only; of fewer than four a constant is one of them. */
static void print_against(clg_text *t, const clg_measured_table *m, bool held) {
    int all = 0, roofline = 0, constant = 0;
    for (int i = 0; i < m->scores; i++) {
        const clg_measured_score *s = &m->score[i];
        if (!of_source(s, held) || s->scored < FEW || !isfinite(s->roofline_mape)) continue;
        all++;
        roofline += s->beside_mape < s->roofline_mape;
        constant += s->beside_mape < s->constant_mape;
    }
    clg_text_print(t,
                   "\nOf the %d lines above with four rows or more, %d are predicted better than "
                   "by the roofline, %d better than by the roofline times the one constant that "
                   "fits their rows best, which knows their answers.\n",
                   all, roofline, constant);
}

static void print_part(clg_text *t, const clg_measured_table *m, bool held) {
    print_scores(t, m, held);
    clg_text_print(t, "\n");
    clg_error_class c;
    for (int i = 0; clg_error_class_at(t->arena, i, &c); i++) print_class(t, m, held, &c);
    print_against(t, m, held);
}

/* ---- aims */

static void print_aim(clg_text *t, const clg_measured_table *m, const char *of, clg_measure measure,
                      bool calm, double aim) {
    asked held = {.held = true, .calm = calm}, others = {.held = false, .calm = calm};
    clg_measured_score h = clg_measured_score_rows(m, keep, &held, measure);
    clg_measured_score o = clg_measured_score_rows(m, keep, &others, measure);
    bool met = h.mape <= aim;
    clg_text_print(t, "| %s | at most %g %% | %d | %s | %s | %s | %s | %d | %s | %s |\n", of,
                   100 * aim, h.scored, clg_words_share(t, h.mape),
                   clg_words_share(t, h.median_ape), clg_words_share(t, h.constant_mape),
                   met ? "met" : "missed", o.scored, clg_words_share(t, o.mape),
                   clg_words_share(t, o.median_ape));
}

/* A line of data/accuracy/serving-aims.csv. */
static void print_line(clg_text *t, const clg_measured_table *m, const clg_csv *aims, int line) {
    clg_error error = {0};
    int measure;
    if (clg_name_value(clg_measure_names, "measure", clg_csv_field(aims, line, "measure"), &measure,
                       &error) != CLG_OK)
        return;
    print_aim(t, m, clg_csv_field(aims, line, "of"), (clg_measure)measure,
              strcmp(clg_csv_field(aims, line, "unsaturated"), "1") == 0,
              strtod(clg_csv_field(aims, line, "percent"), NULL) / 100);
}

static void print_aims(clg_text *t, const clg_measured_table *m) {
    clg_text_print(
        t, "\n## Aims\n\nMean errors in %%, of rows never fitted on, and of the others. "
           "*Unsaturated*: fewer sequences than there is room for, not all at once.\n\n"
           "| of | aim | never fitted on | mean | median | one constant | | others | mean | "
           "median |\n|---|---|---|---|---|---|---|---|---|---|\n");
    clg_csv table = clg_dataset_csv(t->arena, "accuracy/serving-aims.csv");
    for (int i = 0; i < table.rows; i++) print_line(t, m, &table, i);
}

/* ---- by what was served */

enum { BY_MODEL, BY_GPU, BY_ENGINE, BY_YEAR };

static const char *name_by(const clg_measured *row, int by) {
    if (by == BY_YEAR) return row->year;
    return by == BY_MODEL ? row->plan.model : by == BY_GPU ? row->plan.gpu : row->plan.engine;
}

static bool named_before(const clg_measured_table *m, int row, int by) {
    const char *name = name_by(&m->row[row], by);
    for (int i = 0; i < row; i++) {
        const char *other = name_by(&m->row[i], by);
        if (m->row[i].held_out && other && strcmp(other, name) == 0) return true;
    }
    return false;
}

static void print_by(clg_text *t, const clg_measured_table *m, int by, const char *title) {
    clg_text_print(t,
                   "\n| %s | throughput, rows | mean | median | bias | per token, rows | mean | "
                   "median | bias |\n|---|---|---|---|---|---|---|---|---|\n",
                   title);
    for (int i = 0; i < m->rows; i++) {
        const char *name = name_by(&m->row[i], by);
        if (!m->row[i].held_out || m->row[i].reason || !name || named_before(m, i, by)) continue;
        asked a = {.held = true};
        *(by == BY_MODEL    ? &a.model
          : by == BY_GPU    ? &a.gpu
          : by == BY_ENGINE ? &a.engine
                            : &a.year) = name;
        clg_measured_score rate = clg_measured_score_rows(m, keep, &a, CLG_MEASURE_RATE);
        clg_measured_score token = clg_measured_score_rows(m, keep, &a, CLG_MEASURE_TPOT);
        clg_text_print(t, "| %s | %d | %s | %s | %s | %d | %s | %s | %s |\n", name, rate.scored,
                       clg_words_share(t, rate.mape), clg_words_share(t, rate.median_ape),
                       clg_words_share(t, rate.bias), token.scored, clg_words_share(t, token.mape),
                       clg_words_share(t, token.median_ape), clg_words_share(t, token.bias));
    }
}

/* ---- words */

static void print_blind(clg_text *t) {
    clg_text_print(
        t,
        "## Never fitted on\n\n"
        "Rows written down from published texts, all of a table or a page that could be expressed, "
        "before they were predicted. No constant was set by them, and none may be. What a text "
        "does not say is left to the engine. How they were predicted the first time, and which "
        "terms were written when their errors were known: [below](#first-looks).\n\n");
}

/* A text of data/accuracy, after an empty line. */
static void print_text(clg_text *t, const char *path) {
    clg_text_print(t, "\n%s", clg_dataset_find(path)->text);
}

static void print_skipped(clg_text *t, const clg_measured_table *m) {
    int skipped = 0;
    for (int i = 0; i < m->rows; i++) skipped += m->row[i].reason != NULL;
    if (skipped == 0) return;
    clg_text_print(t, "\n## Rows not scored\n\n");
    for (int i = 0; i < m->rows; i++)
        if (m->row[i].reason) clg_text_print(t, "- %s: %.200s\n", m->row[i].id, m->row[i].reason);
}

void clg_report_measured_page(clg_text *t, const clg_measured_table *m) {
    clg_text_print(
        t,
        "# How far to trust serving\n\n"
        "Each row of the tables is a published measurement with its citation "
        "([formats.md](formats.md#serving-measurements)), predicted from its plan alone.\n\n"
        "Errors are in %%; bias is the median signed error, positive where more is predicted: of "
        "times too slow, of throughput too fast. It is compared with two models. *Roofline*: "
        "bytes of weights and cache over the bandwidth of HBM, or products over the peak, no "
        "constants ([roofline.h](../src/measured/roofline.h)). *One constant*: that, times the "
        "one factor per source, GPU and measure that fits its rows best.\n\n");
    if (any(m, true)) {
        print_blind(t);
        print_part(t, m, true);
        print_aims(t, m);
        clg_text_print(t, "\n## By what was served\n\nOf rows never fitted on.\n");
        print_by(t, m, BY_MODEL, "model");
        print_by(t, m, BY_GPU, "GPU");
        print_by(t, m, BY_ENGINE, "engine");
        print_by(t, m, BY_YEAR, "software of");
        clg_report_measured_peers(t, m);
        print_text(t, "accuracy/serving-first-looks.md");
        print_text(t, "accuracy/serving-causes.md");
    }
    if (any(m, false)) {
        clg_text_print(t,
                       "\n## Known while the model was made\n\n"
                       "Of tables that were known while the model was made, four rows or fewer of "
                       "each model, GPU and engine, evenly spaced. Which constants were fitted on "
                       "which: [serving.md](serving.md#fitted-on-what). The whole of a table: "
                       "`ceiling validate --serving FILE`.\n\n");
        print_part(t, m, false);
    }
    print_skipped(t, m);
}
