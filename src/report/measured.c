/* measured.c -- scores per source and group, rows, and why rows were skipped. */
#include "report/measured.h"

#include "base/csv.h"
#include "base/version.h"

#include <math.h>
#include <string.h>

static const char *per_cent(clg_text *t, double share) {
    const char *form = fabs(share) < 10 ? "%.1f" : "%.0f";
    return isfinite(share) ? clg_arena_print(t->arena, form, 100 * share) : "-";
}

static void print_score(clg_text *t, const clg_measured_score *s) {
    bool whole = strcmp(s->group, "all") == 0;
    clg_text_print(
        t, "%-45s %-10s%5d%7d%6s%7s%6s%6s%7s\n",
        clg_arena_print(t->arena, "%s%.43s", whole ? "" : "  ", whole ? s->source : s->group),
        clg_name_of(clg_measure_names, (int)s->measure), s->rows, s->scored, per_cent(t, s->mape),
        per_cent(t, s->median_ape), per_cent(t, s->p90_ape), per_cent(t, s->bias),
        per_cent(t, s->coverage));
}

/* Reasons with how many rows they took, in order of appearance. */
static void print_reasons(clg_text *t, const clg_measured_table *m) {
    int skipped = 0;
    for (int i = 0; i < m->rows; i++) skipped += m->row[i].reason != NULL;
    if (skipped == 0) return;
    clg_text_print(t, "\n%d rows skipped\n", skipped);
    for (int i = 0; i < m->rows; i++) {
        int same = 0;
        bool first = true;
        if (!m->row[i].reason) continue;
        for (int j = 0; j < m->rows; j++) {
            if (!m->row[j].reason || strcmp(m->row[i].reason, m->row[j].reason) != 0) continue;
            if (j < i) first = false;
            same++;
        }
        if (first) clg_text_print(t, "  %5d  %.110s\n", same, m->row[i].reason);
    }
}

void clg_report_measured(clg_text *t, const clg_measured_table *m) {
    clg_text_print(t, "error of serving predictions in %%; bias is the median signed error\n");
    clg_text_print(t, "%-45s %-10s%5s%7s%6s%7s%6s%6s%7s\n", "source", "of", "rows", "scored",
                   "mean", "median", "P90", "bias", "inside");
    for (int i = 0; i < m->scores; i++) print_score(t, &m->score[i]);
    print_reasons(t, m);
}

static void print_value(clg_text *t, double value) {
    if (isfinite(value))
        clg_text_print(t, ",%.6g", value);
    else
        clg_text_print(t, ",");
}

void clg_report_measured_rows(clg_text *t, const clg_measured_table *m) {
    clg_text_print(t, "id,source,group,verdict,reason");
    for (int k = 0; k < CLG_MEASURES; k++) {
        const char *name = clg_name_of(clg_measure_names, k);
        clg_text_print(t, ",measured_%s,predicted_%s,p10_%s,p90_%s", name, name, name, name);
    }
    clg_text_print(t, "\n");
    for (int i = 0; i < m->rows; i++) {
        const clg_measured *r = &m->row[i];
        const char *words[] = {r->id, r->source, r->group, r->reason ? "skipped" : "scored",
                               r->reason ? r->reason : ""};
        for (int k = 0; k < 5; k++) {
            if (k > 0) clg_text_print(t, ",");
            clg_csv_add(t, words[k]);
        }
        for (int k = 0; k < CLG_MEASURES; k++) {
            print_value(t, r->measured[k]);
            print_value(t, r->predicted[k]);
            print_value(t, r->low[k]);
            print_value(t, r->high[k]);
        }
        clg_text_print(t, "\n");
    }
}

static void json_row(clg_json_writer *w, const clg_measured *r) {
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "id", r->id);
    clg_json_add_string(w, "source", r->source);
    clg_json_add_string(w, "group", r->group);
    clg_json_add_bool(w, "held_out", r->held_out);
    clg_json_add_string(w, "verdict", r->reason ? "skipped" : "scored");
    if (r->reason) clg_json_add_string(w, "reason", r->reason);
    for (int k = 0; k < CLG_MEASURES && !r->reason; k++) {
        clg_json_open(w, clg_name_of(clg_measure_names, k), '{');
        clg_json_add_number(w, "measured", r->measured[k]);
        clg_json_add_number(w, "predicted", r->predicted[k]);
        clg_json_add_number(w, "p10", r->low[k]);
        clg_json_add_number(w, "p90", r->high[k]);
        clg_json_close(w, '}');
    }
    clg_json_close(w, '}');
}

static void json_score(clg_json_writer *w, const clg_measured_score *s) {
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "source", s->source);
    clg_json_add_string(w, "group", s->group);
    clg_json_add_string(w, "measure", clg_name_of(clg_measure_names, (int)s->measure));
    clg_json_errors(w,
                    (clg_errors){s->rows, s->scored, s->mape, s->median_ape, s->p90_ape, s->bias});
    clg_json_add_number(w, "coverage", s->coverage);
    clg_json_add_number(w, "roofline_mape", s->roofline_mape);
    clg_json_add_number(w, "constant_mape", s->constant_mape);
    clg_json_add_number(w, "beside_mape", s->beside_mape);
    clg_json_add_bool(w, "held_out", s->held_out);
    clg_json_close(w, '}');
}

void clg_json_measured(clg_json_writer *w, const clg_measured_table *m) {
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "kind", "validate-serving");
    clg_json_add_string(w, "ceiling", CLG_VERSION);
    clg_json_open(w, "rows", '[');
    for (int i = 0; i < m->rows; i++) json_row(w, &m->row[i]);
    clg_json_close(w, ']');
    clg_json_open(w, "summary", '[');
    for (int i = 0; i < m->scores; i++) json_score(w, &m->score[i]);
    clg_json_close(w, ']');
    clg_json_close(w, '}');
}
