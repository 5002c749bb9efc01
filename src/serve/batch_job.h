/* batch_job.h -- so many requests by a deadline: the fleet, how long it runs, what it costs on each
 * term of price. */
#ifndef CLG_SERVE_BATCH_JOB_H
#define CLG_SERVE_BATCH_JOB_H

#include "serve/serve_answer.h"

/* When a job is over, and how long it may run of each day, the first time from now; 0: always. */
typedef struct clg_batch_limits {
    double deadline_s, night_s;
} clg_batch_limits;

/* The job on one term of price. */
typedef struct clg_batch_row {
    clg_price price;
    double run_s;         /* with what interruptions lose */
    double usd;           /* of the run; of a held term all days until it is done, one at least */
    double pays_above_s;  /* of a held term: a day's use above which it is cheaper than by the hour;
                             0: no matter */
    double interruptions; /* expected of the fleet; 0 but on spot */
} clg_batch_row;

enum { CLG_BATCH_ROWS = 4 };

typedef struct clg_batch_job {
    double requests, prompt_tokens, output_tokens; /* all of them */
    clg_batch_limits limits;
    double tokens_per_s;                   /* output, one replica as full as it gets */
    double start_s, drain_s;               /* until replicas serve; until the last answer ends */
    int64_t replicas, sure_replicas;       /* as predicted, and with tokens/s at P90 of errors */
    double run_s, early_run_s, late_run_s; /* of `replicas`, at P10 and P90: time at work, each
                                              night with its start and its last answers, */
    double done_s, late_done_s;            /* and from now, with the days between */
    double sure_run_s, sure_done_s;        /* of sure_replicas, as predicted */
    clg_batch_row row[CLG_BATCH_ROWS];     /* of sure_replicas */
    int rows;
} clg_batch_job;

/* `answer`: that of a sample of the requests, all at once. CLG_BAD_INPUT where even a replica for
 * each request is late: loading alone, or the longest answer, takes longer. */
clg_status clg_batch_job_of(clg_arena *arena, const clg_serve_question *question,
                            const clg_serve_answer *answer, double requests,
                            clg_batch_limits limits, clg_batch_job *job, clg_error *error);

#endif
