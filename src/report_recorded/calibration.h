/* calibration.h -- what a fit moved, as text and as JSON. */
#ifndef CLG_REPORT_RECORDED_CALIBRATION_H
#define CLG_REPORT_RECORDED_CALIBRATION_H

#include "base/text.h"
#include "calibrate/learn.h"

/* The answer of `ceiling fit`. */
typedef struct clg_calibrated {
    const clg_calibration *list;
    int count;
    const clg_left_out *left_out;
    int reasons;
    const char *gpu;
    const clg_learned *job;        /* NULL: there were no logs of one */
    const char *file[3], *knob[3]; /* overlays written, and the knobs that take them */
    int files;
} clg_calibrated;

void clg_report_calibrated(clg_text *text, const clg_calibrated *calibrated);
void clg_json_calibrated(clg_json_writer *writer, const clg_calibrated *calibrated);

#endif
