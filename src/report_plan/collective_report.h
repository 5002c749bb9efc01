/* collective_report.h -- a sweep of collectives as text, CSV, JSON and picture. */
#ifndef CLG_REPORT_PLAN_COLLECTIVE_REPORT_H
#define CLG_REPORT_PLAN_COLLECTIVE_REPORT_H

#include "base/text.h"
#include "cost/sweep.h"

typedef struct clg_sweep {
    const char *collectives; /* as asked: "all-reduce,all-gather" */
    const clg_machine *machine;
    const clg_network *network;
    const clg_sweep_point *point; /* by collective, then by bytes, then by ranks */
    int count;
} clg_sweep;

void clg_report_sweep(clg_text *text, const clg_sweep *sweep);
void clg_report_sweep_rows(clg_text *text, const clg_sweep *sweep);

/* Newline included. */
void clg_json_sweep(clg_json_writer *writer, const clg_sweep *sweep);

/* Bus bandwidth over ranks, a line for each collective and size of buffer. */
void clg_picture_sweep(clg_text *svg, const clg_sweep *sweep);

#endif
