/* aims.c -- what the numbers were to reach on runs of others, beside what they reach. */
#include "report_accuracy/accuracy.h"

#include "dataset/kept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A line of data/accuracy/aims.csv. */
typedef struct aim {
    const char *of;
    const char *measure; /* step and memory: mean absolute error at most; fits: right at least */
    const char *kind;    /* of steps: in the group of the one-constant model; "": all */
    const char *sources; /* of steps: names with blanks between */
    double percent;
} aim;

static bool names(const char *sources, const char *source) {
    size_t length = strlen(source);
    for (const char *at = sources; (at = strstr(at, source)) != NULL; at += length)
        if ((at == sources || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
    return false;
}

static bool belongs(const aim *a, const clg_run *r) {
    return clg_run_timed(r) && (!*a->kind || strstr(r->group, a->kind)) &&
           names(a->sources, r->source);
}

static void print_row(clg_text *t, const aim *a, int runs, double percent) {
    bool least = strcmp(a->measure, "fits") == 0;
    bool met = least ? percent >= a->percent : percent <= a->percent + 1e-9;
    clg_text_print(t, "| %s | %d | at %s %g %% | %.1f %% | %s |\n", a->of, runs,
                   least ? "least" : "most", a->percent, percent, met ? "met" : "missed");
}

static void print_steps(clg_text *t, const clg_validation *v, const aim *a) {
    double sum = 0;
    int runs = 0;
    for (int i = 0; i < v->runs; i++) {
        if (!belongs(a, &v->run[i])) continue;
        sum += fabs(v->run[i].error);
        runs++;
    }
    if (runs > 0) print_row(t, a, runs, 100 * sum / runs);
}

static void print_aim(clg_text *t, const clg_validation *v, const aim *a) {
    const clg_score *all = v->scores > 0 ? &v->score[v->scores - 1] : NULL;
    int memory = 0, fits = 0;
    for (int i = 0; i < v->runs; i++) {
        memory += clg_run_weighed(&v->run[i]);
        fits += !v->run[i].reason && v->run[i].measured_fits >= 0;
    }
    if (strcmp(a->measure, "step") == 0)
        print_steps(t, v, a);
    else if (strcmp(a->measure, "memory") == 0 && all && memory > 0)
        print_row(t, a, memory, 100 * all->memory_mape);
    else if (strcmp(a->measure, "fits") == 0 && all && fits > 0)
        print_row(t, a, fits, 100 * all->fits_accuracy);
}

void clg_report_aims(clg_text *t, const clg_validation *v) {
    clg_csv csv = clg_dataset_csv(t->arena, "accuracy/aims.csv");
    clg_text_print(t, "\n## Aims\n\nMean errors, fitted on or not; slopes and ranking have "
                      "sections of their own.\n\n| of | runs | aim | reached | |\n"
                      "|---|---|---|---|---|\n");
    for (int i = 0; i < csv.rows; i++) {
        aim a = {clg_csv_field(&csv, i, "of"), clg_csv_field(&csv, i, "measure"),
                 clg_csv_field(&csv, i, "kind"), clg_csv_field(&csv, i, "sources"),
                 strtod(clg_csv_field(&csv, i, "percent"), NULL)};
        print_aim(t, v, &a);
    }
}
