/* answer_diagnose.h -- a job and what was measured of it become a diagnosis, behind every door. */
#ifndef CLG_API_ANSWER_DIAGNOSE_H
#define CLG_API_ANSWER_DIAGNOSE_H

#include "api/answer.h"
#include "report/diagnose_report.h"

typedef struct clg_diagnose_answer {
    clg_answer plan; /* the job as it should run */
    clg_observations seen;
    clg_diagnosis diagnosis;
} clg_diagnose_answer;

/* Measurements come with --measured (several with commas), --log and --nccl, whose texts are
 * attached. Layout flags left out are chosen, as explain does. */
clg_status clg_answer_diagnose(clg_arena *arena, const clg_request *request, clg_progress progress,
                               clg_diagnose_answer *answer, clg_error *error);

#endif
