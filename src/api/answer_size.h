/* answer_size.h -- which cluster meets a deadline, a budget or a power limit, behind every door. */
#ifndef CLG_API_ANSWER_SIZE_H
#define CLG_API_ANSWER_SIZE_H

#include "api/request.h"
#include "base/text.h"
#include "report/cluster_report.h"

typedef struct clg_size_answer {
    clg_sizing sizing;
    clg_doubts doubts; /* of the last offer weighed */
    clg_owning owning;
    clg_clusters clusters;
    double grams_per_joule;
} clg_size_answer;

/* Everything the answer points to lives in `arena`. */
clg_status clg_answer_size(clg_arena *arena, const clg_request *request, clg_progress progress,
                           clg_size_answer *answer, clg_error *error);

/* Newline included. */
void clg_answer_size_json(clg_text *text, const clg_size_answer *answer);

#endif
