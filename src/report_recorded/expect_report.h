/* expect_report.h -- an acceptance sheet as text, CSV and JSON. */
#ifndef CLG_REPORT_RECORDED_EXPECT_REPORT_H
#define CLG_REPORT_RECORDED_EXPECT_REPORT_H

#include "base/text.h"
#include "calibrate/expect.h"

typedef struct clg_acceptance {
    const clg_machine *machine;
    int gpus;
    const clg_expected *row;
    int count, rejected;
    int wrong; /* readings left out because their results were */
    clg_suspects suspects;
    const clg_left_out *left_out;
    int reasons;
} clg_acceptance;

void clg_report_acceptance(clg_text *text, const clg_acceptance *acceptance);
void clg_report_acceptance_rows(clg_text *text, const clg_acceptance *acceptance);
void clg_json_acceptance(clg_json_writer *writer, const clg_acceptance *acceptance);

#endif
