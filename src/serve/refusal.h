/* refusal.h -- internal to serve/: a target that no fleet meets, and the nearest one that is met.
 */
#ifndef CLG_SERVE_REFUSAL_H
#define CLG_SERVE_REFUSAL_H

#include "serve/serve_answer.h"

/* A request that is late with nobody else there is late in any fleet. Fills *error with the shares
 * that are, and returns its status. */
clg_status clg_refuse_target(clg_arena *arena, const clg_serve_question *question,
                             clg_error *error);

#endif
