/* autoscale.h -- a fleet that follows its load: replicas are ordered when it is felt, and cold
 * starts are waited for. */
#ifndef CLG_SERVE_AUTOSCALE_H
#define CLG_SERVE_AUTOSCALE_H

#include "serve/serve_answer.h"

/* Runs the autoscaler on the demand where more than one replica is needed, or none may be there at
 * times; fills `scaled` of the answer, whose other numbers are read. */
void clg_autoscale(clg_arena *arena, const clg_serve_question *question, clg_serve_answer *answer);

clg_status clg_autoscaler_check(const clg_serve_question *question, clg_error *error);

#endif
