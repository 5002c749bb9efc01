/* deadline_report.h -- a job with a deadline, as text and JSON. */
#ifndef CLG_REPORT_SERVING_DEADLINE_REPORT_H
#define CLG_REPORT_SERVING_DEADLINE_REPORT_H

#include "base/text.h"
#include "serve/batch_job.h"

void clg_report_deadline(clg_text *text, const clg_serve_question *question,
                         const clg_serve_answer *answer, const clg_batch_job *job);
void clg_json_deadline(clg_json_writer *writer, const clg_serve_question *question,
                       const clg_batch_job *job);

#endif
