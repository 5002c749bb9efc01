/* serving_accuracy.c -- scores per source and group, rows, and why rows were skipped. */
#include "report_accuracy/serving_accuracy.h"

#include "base/csv.h"

#include <math.h>
#include <string.h>

static const char *per_cent(clg_text *t, double share) {
    const char *form = fabs(share) < 10 ? "%.1f" : "%.0f";
    return isfinite(share) ? clg_arena_print(t->arena, form, 100 * share) : "-";
}

static bool whole(const clg_measured_score *s) { return strcmp(s->group, "all") == 0; }

static void print_score(clg_text *t, const char *name, const clg_measured_score *s) {
    const char *of = clg_arena_print(t->arena, "%d of %d", s->scored, s->rows);
    clg_text_print(t, "%-43.43s %-10s %12s%6s%7s%6s%7s%7s\n", name,
                   clg_name_of(clg_measure_names, (int)s->measure), of, per_cent(t, s->mape),
                   per_cent(t, s->median_ape), per_cent(t, s->p90_ape), per_cent(t, s->bias),
                   per_cent(t, s->coverage));
}

static void print_head(clg_text *t, const char *what) {
    clg_text_print(t, "%-43s %-10s %12s%6s%7s%6s%7s%7s\n", what, "measure", "scored", "mean",
                   "median", "P90", "bias", "inside");
}

/* ---- groups */

enum { WORST = 8, FEWEST = 5 };

static bool worse(const clg_measured_score *a, const clg_measured_score *b) {
    return !b || a->median_ape > b->median_ape;
}

/* The group of FEWEST rows and more whose median error is the largest below that of `above`, the
 * first of the table where they tie. */
static const clg_measured_score *next_worst(const clg_measured_table *m,
                                            const clg_measured_score *above) {
    const clg_measured_score *worst = NULL;
    for (int i = 0; i < m->scores; i++) {
        const clg_measured_score *s = &m->score[i];
        if (whole(s) || s->scored < FEWEST) continue;
        bool left = !above || s->median_ape < above->median_ape ||
                    (s->median_ape <= above->median_ape && s > above);
        if (left && worse(s, worst)) worst = s;
    }
    return worst;
}

static void print_worst(clg_text *t, const clg_measured_table *m) {
    const clg_measured_score *s = next_worst(m, NULL);
    if (!s) return;
    clg_text_print(t, "\n");
    print_head(t, "furthest off (all of them: --groups)");
    for (int i = 0; i < WORST && s; i++, s = next_worst(m, s)) print_score(t, s->group, s);
}

static void print_groups(clg_text *t, const clg_measured_table *m) {
    const char *source = NULL;
    for (int i = 0; i < m->scores; i++) {
        const clg_measured_score *s = &m->score[i];
        if (whole(s)) continue;
        if (!source || strcmp(source, s->source) != 0) {
            clg_text_print(t, "\n");
            print_head(t, s->source);
        }
        source = s->source;
        print_score(t, s->group, s);
    }
}

/* ---- reasons */

/* Where a quoted name begins, and one past its last letter; NULL when there is none. */
static const char *quote_in(const char *reason, const char **end) {
    const char *begin = strstr(reason, " '");
    *end = begin ? strchr(begin + 2, '\'') : NULL;
    return *end ? begin + 2 : NULL;
}

/* A reason without what differs from row to row: what is quoted, and the numbers after a colon. */
static const char *kind_of(clg_arena *arena, const char *reason) {
    const char *end, *begin = quote_in(reason, &end), *colon = strstr(reason, ": ");
    if (begin) return clg_arena_print(arena, "%.*s%s", (int)(begin - 2 - reason), reason, end + 1);
    if (colon && colon[strcspn(colon, "0123456789")])
        return clg_arena_copy(arena, reason, (size_t)(colon - reason));
    return clg_arena_copy(arena, reason, strlen(reason));
}

/* What is quoted in it; "" when nothing is. */
static const char *quoted_in(clg_arena *arena, const char *reason) {
    const char *end, *begin = quote_in(reason, &end);
    return begin ? clg_arena_copy(arena, begin, (size_t)(end - begin)) : "";
}

typedef struct reason {
    const char *kind, *detail;
    int rows;
} reason;

/* Rows left out by kind of reason, or by detail within one. */
static int count_reasons(clg_arena *arena, const clg_measured_table *m, const char *kind,
                         reason *into) {
    int count = 0;
    for (int i = 0; i < m->rows; i++) {
        const clg_measured *row = &m->row[i];
        if (!row->reason) continue;
        reason r = {kind_of(arena, row->reason), kind ? quoted_in(arena, row->reason) : "", 1};
        if (kind && (strcmp(r.kind, kind) != 0 || !*r.detail)) continue;
        int at = 0;
        while (at < count &&
               (strcmp(into[at].kind, r.kind) != 0 || strcmp(into[at].detail, r.detail) != 0))
            at++;
        if (at == count)
            into[count++] = r;
        else
            into[at].rows++;
    }
    return count;
}

/* The most first; as they came where they tie. */
static void sort_reasons(reason *list, int count) {
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && list[j].rows > list[j - 1].rows; j--) {
            reason other = list[j];
            list[j] = list[j - 1];
            list[j - 1] = other;
        }
}

enum { WIDTH = 100, INDENT = 9, MOST_DETAILS = 12 };

/* Names with how many rows each took, wrapped. */
static void print_details(clg_text *t, const reason *list, int count) {
    int column = WIDTH;
    for (int i = 0; i < count && i < MOST_DETAILS; i++) {
        bool last = i + 1 == count;
        const char *one =
            clg_arena_print(t->arena, "%.60s %d%s", list[i].detail, list[i].rows, last ? "" : ",");
        if (i + 1 == MOST_DETAILS && !last) one = clg_arena_print(t->arena, "%d more", count - i);
        int width = (int)strlen(one) + 1;
        if (column + width > WIDTH) {
            clg_text_print(t, "%s%*s", i > 0 ? "\n" : "", INDENT, "");
            column = INDENT;
        }
        clg_text_print(t, "%s%s", column > INDENT ? " " : "", one);
        column += width;
    }
    clg_text_print(t, "\n");
}

static void print_reasons(clg_text *t, const clg_measured_table *m) {
    reason *list = clg_take(t->arena, (size_t)m->rows + 1, reason);
    reason *within = clg_take(t->arena, (size_t)m->rows + 1, reason);
    int count = count_reasons(t->arena, m, NULL, list), rows = 0;
    for (int i = 0; i < count; i++) rows += list[i].rows;
    if (rows == 0) return;
    clg_text_print(t, "\n%d row%s not scored\n", rows, rows == 1 ? "" : "s");
    sort_reasons(list, count);
    for (int i = 0; i < count; i++) {
        clg_text_print(t, "%7d  %.90s\n", list[i].rows, list[i].kind);
        int details = count_reasons(t->arena, m, list[i].kind, within);
        sort_reasons(within, details);
        if (details > 0) print_details(t, within, details);
    }
}

void clg_report_measured(clg_text *t, const clg_measured_table *m, bool groups) {
    clg_text_print(t, "serving, predicted / measured - 1 in %%: mean, median and P90 without sign; "
                      "bias is the median\nwith it; inside: measured between P10 and P90\n\n");
    print_head(t, "source");
    for (int i = 0; i < m->scores; i++)
        if (whole(&m->score[i])) print_score(t, m->score[i].source, &m->score[i]);
    if (groups)
        print_groups(t, m);
    else
        print_worst(t, m);
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
    clg_json_open_answer(w, NULL, "validate-serving");
    clg_json_open(w, "rows", '[');
    for (int i = 0; i < m->rows; i++) json_row(w, &m->row[i]);
    clg_json_close(w, ']');
    clg_json_open(w, "summary", '[');
    for (int i = 0; i < m->scores; i++) json_score(w, &m->score[i]);
    clg_json_close(w, ']');
    clg_json_close(w, '}');
}
