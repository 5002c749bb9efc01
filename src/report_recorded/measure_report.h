/* measure_report.h -- which measurements to make: text, JSON, and the scripts that make them. */
#ifndef CLG_REPORT_RECORDED_MEASURE_REPORT_H
#define CLG_REPORT_RECORDED_MEASURE_REPORT_H

#include "base/text.h"
#include "calibrate/measure.h"

void clg_report_agenda(clg_text *text, const clg_measure_ask *ask, const clg_agenda *agenda);
void clg_json_agenda(clg_json_writer *writer, const clg_measure_ask *ask, const clg_agenda *agenda);

enum { CLG_MEASURE_FILES = CLG_MEASUREMENTS + 2 };

/* Files of one directory. */
typedef struct clg_measure_files {
    const char *name[CLG_MEASURE_FILES];
    clg_text text[CLG_MEASURE_FILES];
    int count;
    const char *fit; /* the line that reads the results back */
} clg_measure_files;

/* `flags`: of the machine, as `ceiling fit` takes them, a blank before each. */
clg_measure_files clg_measure_files_of(clg_arena *arena, const clg_measure_ask *ask,
                                       const clg_agenda *agenda, const char *flags);

/* "step-2-1": where the trainer's files of a run go; "of the first plan on two nodes". */
const char *clg_measure_folder(clg_arena *arena, const clg_measurement *measurement);

#endif
