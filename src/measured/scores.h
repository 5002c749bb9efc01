/* scores.h -- errors of predicted serving rows, beside two models that a planner has at
 * hand: a roofline, and the same times one constant. */
#ifndef CLG_MEASURED_SCORES_H
#define CLG_MEASURED_SCORES_H

#include "measured/measured.h"

/* Whether a row is asked for. */
typedef bool (*clg_measured_keep)(const clg_measured *row, const void *context);

/* One measure of the rows kept; its source, group and held_out are left as 0. */
clg_measured_score clg_measured_score_rows(const clg_measured_table *table, clg_measured_keep keep,
                                           const void *context, clg_measure measure);

/* Fills constants of rows, and scores: per source its groups, then the whole; then all. A constant
 * is the factor on rooflines that makes the mean error of a source, measure and GPU least: it knows
 * the answers. */
void clg_measured_score_table(clg_arena *arena, clg_measured_table *table);

#endif
