/* error_class.c -- see the header. */
#include "report_accuracy/error_class.h"

#include "dataset/kept.h"

#include <math.h>
#include <stdlib.h>

bool clg_error_class_at(clg_arena *arena, int i, clg_error_class *c) {
    clg_csv table = clg_dataset_csv(arena, "accuracy/error-classes.csv");
    if (i >= table.rows) return false;
    const char *below = clg_csv_field(&table, i, "below_percent");
    c->from = i > 0 ? strtod(clg_csv_field(&table, i - 1, "below_percent"), NULL) / 100 : 0;
    c->below = *below ? strtod(below, NULL) / 100 : (double)INFINITY;
    c->words = clg_csv_field(&table, i, "words");
    return true;
}
