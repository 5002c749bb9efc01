/* answer_measure.h -- what to measure before deciding, for who also writes its scripts. */
#ifndef CLG_API_ANSWER_MEASURE_H
#define CLG_API_ANSWER_MEASURE_H

#include "api/answer.h"
#include "report_recorded/measure_report.h"

/* Must not be copied: `ask` points into `plan`. */
typedef struct clg_measure_answer {
    clg_answer plan;
    clg_measure_ask ask;
    clg_agenda agenda;
} clg_measure_answer;

#endif
