/* answer_collective.h -- what a collective should take on a machine, behind every door. */
#ifndef CLG_API_ANSWER_COLLECTIVE_H
#define CLG_API_ANSWER_COLLECTIVE_H

#include "api/request.h"
#include "report/collective_report.h"

/* `request->model` is the collective's name, or several with commas. Everything the answer points
 * to lives in `arena`. */
clg_status clg_answer_collective(clg_arena *arena, const clg_request *request, clg_sweep *sweep,
                                 clg_error *error);

#endif
