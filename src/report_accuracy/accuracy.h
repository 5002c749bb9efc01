/* accuracy.h -- all errors of training as a page: where to trust the numbers, and where not. */
#ifndef CLG_REPORT_ACCURACY_ACCURACY_H
#define CLG_REPORT_ACCURACY_ACCURACY_H

#include "base/text.h"
#include "validate/leave_out.h"
#include "validate/own_steps.h"

/* A page of Markdown about these runs, made by 'ceiling validate --markdown'. `kinds`: of what is
 * left out, [CLG_FOLD_KINDS]; `own`: by steps of any model, and of one model at a time. */
void clg_report_accuracy(clg_text *text, const clg_validation *validation,
                         const clg_leave_out *kinds, const clg_own_steps own[2]);

/* What fitting to the first steps of a source does to its others, by steps of the same model and of
 * any. */
void clg_report_own_steps(clg_text *text, const clg_own_steps *one_model,
                          const clg_own_steps *any_model);

/* Errors and intervals of dense models and mixtures, of long and short steps: of rows never fitted
 * on, and of the others with their source left out of the fit. */
void clg_report_classes(clg_text *text, const clg_validation *validation,
                        const clg_leave_out *sources);

/* What was to be reached, and what is, of the sources on the page. */
void clg_report_aims(clg_text *text, const clg_validation *validation);

/* What following the predicted order of a job's layouts would have cost. */
void clg_report_ranking(clg_text *text, const clg_validation *validation);

/* How many ran out of memory of those that were stated to by some chance, and how far off memory
 * is. */
void clg_report_chances(clg_text *text, const clg_validation *validation);

/* Its part about scaling: series of runs that differ in dp alone. */
void clg_report_slopes(clg_text *text, const clg_validation *validation);

#endif
