/* offline.h -- the most a replica makes, all requests at once, and what it draws at most. */
#ifndef CLG_SERVE_OFFLINE_H
#define CLG_SERVE_OFFLINE_H

#include "serve/serve_answer.h"

/* With the places it has or, where those are more than the cache holds and sequences are preempted,
 * with as many as it holds to their ends. `found` of every prompt is in the cache. */
void clg_serve_offline(clg_arena *arena, const clg_replica *replica, const clg_demand *demand,
                       clg_reuse found, clg_serve_answer *answer);

/* The same with what a fleet of about the demand's size finds of its prompts; needs the above. */
void clg_serve_reuse(clg_arena *arena, const clg_serve_question *question,
                     clg_serve_answer *answer);

/* Requests a second, at most `most`, at which a replica meets the question's target with what one
 * of about as many as the demand needs is given; 0: at none. Needs the above. */
double clg_serve_rate_at_target(clg_arena *arena, const clg_serve_question *question,
                                const clg_replica *replica, const clg_serve_answer *answer,
                                double most);

/* Whether a replica does no more because requests wait to be taken in, or tokens to be handed on.
 */
bool clg_serve_front_binds(const clg_serve_question *question, const clg_serve_answer *answer);

/* The most that a GPU draws with its part of the host and cooling. */
double clg_serve_gpu_w(const clg_serve_question *question);

#endif
