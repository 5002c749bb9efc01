/* crowd.h -- users who each ask again when answered: so many at work at once, whatever the fleet.
 *
 * Clients of a benchmark begin together and, with answers alike, stay in step. Users do not, and a
 * fleet deals them anew each time, so what they ask is a random stream whose rate is their number
 * over the time of an answer (Little 1961); both are found together. Left out: that fewer than all
 * of them can ask while others wait, by which fleets of a few users come out large. */
#ifndef CLG_SERVE_CROWD_H
#define CLG_SERVE_CROWD_H

#include "serve/serve_answer.h"

/* What they ask of a fleet of so many replicas. */
clg_demand clg_crowd_on(clg_arena *arena, const clg_replica *replica, const clg_demand *demand,
                        int64_t replicas);

/* `ratio` times as many users who ask alike. */
clg_demand clg_crowd_grown(clg_arena *arena, const clg_demand *demand, double ratio);

/* Replicas for them, and what they make: from `rate`, tokens/s of one at the target. */
int64_t clg_crowd_needed(clg_arena *arena, const clg_replica *replica, const clg_demand *crowd,
                         const clg_serve_target *target, double answer_s, double rate);

/* Whether a fleet can be sized for the question: requests come in time, or are users'. */
bool clg_has_target(const clg_serve_question *question);

/* As much of a demand as fleets of about so many replicas are compared on: seconds. */
clg_demand clg_demand_for_fleets(const clg_demand *demand, double replicas);

/* GPUs of the smallest fleet that meets the target, with iterations longer by the margin as the
 * answer has them; on a part of a demand no fewer than what the mean takes (`gpus_all`); 0: no
 * fleet meets it. */
double clg_gpus_of_fleet(clg_arena *arena, const clg_serve_question *question,
                         const clg_replica *replica, double gpus_all);

#endif
