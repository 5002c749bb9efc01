/* demand_parts.h -- internal to report_serving/: what the texts on serving share. */
#ifndef CLG_REPORT_SERVING_DEMAND_PARTS_H
#define CLG_REPORT_SERVING_DEMAND_PARTS_H

#include "report_serving/demand_report.h"

/* Where no fleet meets the target. */
extern const char clg_words_no_fleet[];

/* "$0.0123", "$1.234", "$123"; "-" where there is none. */
const char *clg_words_usd(clg_text *t, double value);

/* "$15.40", "$11,088": dollars of a bill. */
const char *clg_words_bill(clg_text *t, double dollars);

/* Whether every answer is one token, as of classifiers and rerankers. */
bool clg_answers_of_one(const clg_serve_question *question);

/* What serves: GPUs, degrees, formats, memory. */
void clg_report_replica(clg_text *t, const clg_replica *r);

/* A note where the longest request is longer than what the model is published for. */
void clg_report_context(clg_text *t, const clg_replica *r);

/* That more processes in front of the engine would do more, where they would. */
void clg_report_front_ends(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a);

/* Of a fleet that stays, what an autoscaled one takes at most that saves anything. */
#define CLG_SCALED_MOST 0.995

/* The autoscaled fleet that meets the target; NULL: none does. */
const clg_scaled_fleet *clg_scaled_in_time(const clg_serve_question *s, const clg_serve_answer *a);

void clg_report_scaling(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a);

void clg_report_money(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a);

#endif
