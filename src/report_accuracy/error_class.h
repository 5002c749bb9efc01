/* error_class.h -- what a source's mean error is called (data/accuracy/error-classes.csv). */
#ifndef CLG_REPORT_ACCURACY_ERROR_CLASS_H
#define CLG_REPORT_ACCURACY_ERROR_CLASS_H

#include "base/arena.h"

typedef struct clg_error_class {
    double from, below; /* mean absolute error */
    const char *words;
} clg_error_class;

/* Class `i` of them, the best first; false: there are fewer. */
bool clg_error_class_at(clg_arena *arena, int i, clg_error_class *error_class);

#endif
