/* validation.c -- predicted against measured runs: the table, and a row for each. */
#include "report_accuracy/validation.h"

#include "base/csv.h"
#include "evaluate/interval.h"
#include "report/number_words.h"
#include "validate/first_look.h"

#include <string.h>

static void print_held_out(clg_text *t, const clg_held_out *h) {
    const clg_score *s = &h->held;
    if (s->scored == 0) return;
    clg_text_print(t,
                   "\nheld out, nothing was fitted on them: %d rows, mean %.1f %%, median %.1f %%, "
                   "inside P10-P90 %.1f %%\n",
                   s->scored, 100 * s->mape, 100 * s->median_ape, 100 * s->coverage);
    if (h->known > 0)
        clg_text_print(
            t,
            "  where others have a constant for GPU and precision: %d rows, mean %.1f %%, that "
            "constant %.1f %%\n",
            h->known, 100 * h->mape, 100 * h->elsewhere_mape);
}

/* What a source is off by before anybody has learned from it. */
static void print_looks(clg_text *t) {
    clg_looks looks;
    clg_error error = {0};
    if (clg_looks_built_in(t->arena, &looks, &error) != CLG_OK) return;
    clg_sources first = clg_looks_score(&looks);
    clg_text_print(t,
                   "of strangers' runs at their first look, %d sources of data/first-looks.csv, "
                   "each once:\n  %.1f %% off, %.1f %% inside P10-P90\n",
                   first.sources, 100 * first.mape, 100 * first.coverage);
}

void clg_report_unknown_stacks(clg_text *t, const clg_validation *v) {
    bool any = false;
    for (int i = 0; i < v->runs; i++) {
        const char *name = v->run[i].unknown_stack;
        bool first = name != NULL;
        for (int j = 0; j < i && first; j++)
            first = !v->run[j].unknown_stack || strcmp(v->run[j].unknown_stack, name) != 0;
        if (!first) continue;
        int rows = 0;
        for (int j = i; j < v->runs; j++)
            rows += v->run[j].unknown_stack && strcmp(v->run[j].unknown_stack, name) == 0;
        if (!any) clg_text_print(t, "\nstacks nobody here knows, predicted as 'unknown':\n");
        any = true;
        clg_text_print(t, "  %.60s: %d row%s\n", *name ? name : "(none stated)", rows,
                       rows == 1 ? "" : "s");
    }
    if (any)
        clg_text_print(t, "  known names: ceiling show stacks; more names: data/stack-names.csv\n");
}

/* Predicted, and held against nothing. */
static void print_unmeasured(clg_text *t, const clg_validation *v) {
    int rows = 0;
    for (int i = 0; i < v->runs; i++) rows += !v->run[i].reason && !(v->run[i].measured_step_s > 0);
    if (rows > 0)
        clg_text_print(
            t,
            "\n%d row%s predicted, not scored: step_s and tokens_per_s_per_gpu are blank "
            "or no number\n",
            rows, rows == 1 ? "" : "s");
}

void clg_report_validation(clg_text *t, const clg_validation *v) {
    clg_text_print(t, "error of step time in %%; 'one constant': one flop/s per GPU kind and "
                      "precision, fitted here\n");
    clg_text_print(t, "source                       rows scored  mean median    P90   bias    one  "
                      "inside memory fits\n");
    clg_text_print(t, "                                                               constant  "
                      "P10-P90        right\n");
    for (int i = 0; i < v->scores; i++) {
        const clg_score *s = &v->score[i];
        clg_text_pad(t, s->source, 27, false);
        clg_text_print(t, " %5d  %5d", s->rows, s->scored);
        clg_words_share_column(t, s->mape, 6);
        clg_words_share_column(t, s->median_ape, 7);
        clg_words_share_column(t, s->p90_ape, 7);
        clg_words_share_column(t, s->bias, 7);
        clg_words_share_column(t, s->baseline_mape, 7);
        clg_words_share_column(t, s->coverage, 8);
        clg_words_share_column(t, s->memory_mape, 7);
        clg_words_share_column(t, s->fits_accuracy, 7);
        clg_text_print(t, "\n");
    }
    print_held_out(t, &v->held_out);
    clg_sources once = clg_sources_score(t->arena, v, NULL);
    if (once.sources > 1)
        clg_text_print(t,
                       "\neach source once: %.1f %% off (median source %.1f), %.1f %% inside "
                       "P10-P90\n",
                       100 * once.mape, 100 * once.median_ape, 100 * once.coverage);
    if (once.sources > 1) print_looks(t);
    clg_report_unknown_stacks(t, v);
    print_unmeasured(t, v);
    int skipped = 0;
    for (int i = 0; i < v->runs; i++) skipped += v->run[i].reason != NULL;
    if (skipped == 0) return;
    clg_text_print(t, "\n%d row%s skipped\n", skipped, skipped == 1 ? "" : "s");
    for (int i = 0, shown = 0; i < v->runs && shown < 10; i++) {
        if (!v->run[i].reason) continue;
        size_t from = t->size;
        const char *id = v->run[i].id;
        clg_text_print(t, "  %s: %s\n", id && *id ? id : clg_arena_print(t->arena, "row %d", i + 1),
                       v->run[i].reason);
        clg_text_fold(t, from, 4);
        shown++;
    }
}

/* A number of a table, blank where it was not measured. */
static void print_known(clg_text *t, double number, bool known, const char *end) {
    if (known) clg_text_print(t, "%.9g", number);
    clg_text_print(t, "%s", end);
}

static void print_all(clg_text *t, const double *numbers, int count, bool known) {
    for (int i = 0; i < count; i++) {
        clg_text_print(t, ",");
        print_known(t, numbers[i], known, "");
    }
}

/* Which reading of memory was measured and predicted; "open": none that is scored. Whether it ran,
 * the chance that it would not, and what the fullest rank holds. */
static void print_memory(clg_text *t, const clg_run *r, bool known) {
    const clg_evaluation *e = &r->predicted;
    const char *kind = clg_name_of(clg_memory_names, (int)r->memory_kind);
    clg_text_print(t, "%s,", !known ? "" : r->memory_open ? "open" : kind);
    print_known(t, r->measured_fits, r->measured_fits >= 0, ",");
    print_known(t, e->fits, known, ",");
    print_known(t, known ? clg_evaluation_chance_out(e) : 0, known, "");
    print_all(t, e->memory.part_bytes, CLG_MEMORY_PARTS, known);
    print_all(t, &e->capacity_bytes, 1, known);
}

void clg_report_validation_rows(clg_text *t, const clg_validation *v) {
    clg_text_print(t, "id,source,verdict,reason,measured_step_s,predicted_step_s,predicted_p10_s,"
                      "predicted_p90_s,error,measured_memory_bytes,predicted_memory_bytes,"
                      "log_sigma");
    for (int i = 0; i < CLG_LEDGER_TERMS; i++) clg_text_print(t, ",%s", clg_ledger_terms[i].column);
    clg_text_print(t, ",stack,memory_kind,measured_fits,predicted_fits,chance_out");
    for (int i = 0; i < CLG_MEMORY_PARTS; i++) clg_text_print(t, ",%s", clg_memory_parts[i].key);
    clg_text_print(t, ",capacity_bytes\n");
    for (int i = 0; i < v->runs; i++) {
        const clg_run *r = &v->run[i];
        const clg_evaluation *e = &r->predicted;
        bool predicted = !r->reason, timed = r->measured_step_s > 0;
        clg_csv_add(t, r->id);
        clg_text_print(t, ",");
        clg_csv_add(t, r->source);
        clg_text_print(t, predicted ? ",scored," : ",skipped,");
        clg_csv_add(t, r->reason ? r->reason : "");
        clg_text_print(t, ",");
        print_known(t, r->measured_step_s, timed, ",");
        print_known(t, e->step_s, predicted, ",");
        print_known(t, e->step_p10_s, predicted, ",");
        print_known(t, e->step_p90_s, predicted, ",");
        print_known(t, r->error, predicted && timed, ",");
        print_known(t, r->measured_memory_bytes, r->measured_memory_bytes > 0, ",");
        print_known(t, r->predicted_memory_bytes, predicted, ",");
        print_known(t, e->log_sigma, predicted, "");
        print_all(t, e->time.term_s, CLG_LEDGER_TERMS, predicted);
        clg_text_print(t, ",%s,", predicted ? r->stack : "");
        print_memory(t, r, predicted);
        clg_text_print(t, "\n");
    }
}
