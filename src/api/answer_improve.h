/* answer_improve.h -- a job becomes the way to better ones, behind every door. */
#ifndef CLG_API_ANSWER_IMPROVE_H
#define CLG_API_ANSWER_IMPROVE_H

#include "api/answer.h"
#include "report/improve_report.h"

typedef struct clg_improve_answer {
    clg_answer job;
    clg_improvements improvements;
} clg_improve_answer;

/* Layout flags say how the job runs today; --not says what must not change or be used. */
clg_status clg_answer_improve(clg_arena *arena, const clg_request *request, clg_progress progress,
                              clg_improve_answer *answer, clg_error *error);

#endif
