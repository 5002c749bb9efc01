/* first_look.c -- scores by source, and lines of the ledger. */
#include "validate/first_look.h"

#include "base/quantile.h"
#include "dataset/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_source(clg_sources *sum, const clg_score *s, double *means, int *with_fits) {
    if (!isnan(s->fits_accuracy)) {
        sum->fits_accuracy += s->fits_accuracy;
        ++*with_fits;
    }
    if (s->scored == 0) return;
    means[sum->sources++] = s->mape;
    sum->mape += s->mape;
    sum->bias += s->bias;
    sum->coverage += s->coverage;
}

clg_sources clg_sources_score(clg_arena *arena, const clg_validation *v,
                              bool (*counts)(const clg_score *)) {
    clg_sources sum = {0};
    int with_fits = 0;
    double *means = clg_take(arena, (size_t)v->scores + 1, double);
    for (int i = 0; i < v->scores; i++)
        if (!clg_score_is_all(&v->score[i]) && (!counts || counts(&v->score[i])))
            add_source(&sum, &v->score[i], means, &with_fits);
    for (int i = 0; i < v->runs; i++) sum.set_aside += v->run[i].reason != NULL;
    double n = sum.sources > 0 ? sum.sources : (double)NAN;
    clg_sort(means, (size_t)sum.sources);
    sum.median_ape = clg_quantile(means, sum.sources, 0.5);
    sum.mape /= n;
    sum.bias /= n;
    sum.coverage /= n;
    sum.fits_accuracy /= with_fits > 0 ? with_fits : (double)NAN;
    return sum;
}

clg_status clg_looks_read(clg_arena *arena, const char *name, const char *text, size_t size,
                          clg_looks *looks, clg_error *error) {
    static const char *const columns[] = {"date",  "commit", "source", "rows",  "timed",
                                          "error", "median", "inside", "remark"};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    clg_csv csv;
    if (clg_csv_parse(arena, name, text, size, &csv, error) != CLG_OK) return error->status;
    for (int i = 0; i < COLUMNS; i++)
        if (i >= csv.columns || strcmp(csv.column[i], columns[i]) != 0) {
            clg_error_at(error, name, 1, 1, columns[i]);
            return clg_fail(error, CLG_BAD_INPUT,
                            "its columns are date,commit,source,rows,timed,error,median,inside,"
                            "remark",
                            "not a ledger of first looks");
        }
    *looks = (clg_looks){.look = clg_take(arena, (size_t)csv.rows + 1, clg_look)};
    for (int i = 0; i < csv.rows; i++) {
        const char **f = csv.row[i].field;
        looks->look[looks->count++] =
            (clg_look){f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8]};
    }
    return CLG_OK;
}

clg_status clg_looks_built_in(clg_arena *arena, clg_looks *looks, clg_error *error) {
    const clg_file *file = clg_dataset_find("first-looks.csv");
    return clg_looks_read(arena, file->path, file->text, file->size, looks, error);
}

const clg_look *clg_looks_find(const clg_looks *looks, const char *source) {
    for (int i = 0; i < looks->count; i++)
        if (strcmp(looks->look[i].source, source) == 0) return &looks->look[i];
    return NULL;
}

/* A line that sums up several sources has no median, and is left out. */
clg_sources clg_looks_score(const clg_looks *looks) {
    clg_sources sum = {0};
    for (int i = 0; i < looks->count; i++) {
        const clg_look *l = &looks->look[i];
        if (!*l->error || !*l->median) continue;
        sum.sources++;
        sum.mape += strtod(l->error, NULL) / 100;
        sum.coverage += strtod(l->inside, NULL) / 100;
    }
    sum.mape /= sum.sources > 0 ? sum.sources : (double)NAN;
    sum.coverage /= sum.sources > 0 ? sum.sources : (double)NAN;
    return sum;
}

static void add_share(clg_text *t, double share) {
    if (isnan(share))
        clg_text_print(t, ",");
    else
        clg_text_print(t, ",%.1f", 100 * share);
}

/* What the columns have no place for: memory, and whether it fits. */
static void add_memory(clg_text *t, const clg_score *s) {
    const char *between = "";
    if (!isnan(s->memory_mape)) {
        clg_text_print(t, "memory %.1f %% off", 100 * s->memory_mape);
        between = "; ";
    }
    if (!isnan(s->fits_accuracy))
        clg_text_print(t, "%sfits right in %.1f %%", between, 100 * s->fits_accuracy);
}

int clg_looks_append(clg_text *t, const clg_looks *looks, const clg_validation *v, const char *date,
                     const char *commit) {
    int added = 0;
    for (int i = 0; i < v->scores; i++) {
        const clg_score *s = &v->score[i];
        if (clg_score_is_all(s) || clg_looks_find(looks, s->source)) continue;
        clg_text_print(t, "%s,", date);
        clg_csv_add(t, commit);
        clg_text_print(t, ",");
        clg_csv_add(t, s->source);
        clg_text_print(t, ",%d,%d", s->rows, s->scored);
        add_share(t, s->mape);
        add_share(t, s->median_ape);
        add_share(t, s->coverage);
        clg_text_print(t, ",");
        add_memory(t, s);
        clg_text_print(t, "\n");
        added++;
    }
    return added;
}
