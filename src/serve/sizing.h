/* sizing.h -- how many replicas meet a target, and how near a target is to one that none meets. */
#ifndef CLG_SERVE_SIZING_H
#define CLG_SERVE_SIZING_H

#include "serve/serve_answer.h"

/* Requests with nobody beside them, of a sample of 20,000. Who is late so is late in any fleet, so
 * that no fleet serves a larger share. What prompts begin with is found where it came before; in
 * disaggregated replicas it is not counted on. */
clg_fleet clg_fleet_alone(clg_arena *arena, const clg_replica *replica, const clg_demand *demand,
                          const clg_serve_target *target);

/* The share of them within the target, sooner. */
double clg_share_alone(clg_arena *arena, const clg_replica *replica, const clg_demand *demand,
                       const clg_serve_target *target);

/* Some requests are late with nobody beside them, `alone_share` are not, and chance puts more of
 * them in one part of a demand than in another: a part is asked for the share of the others that
 * the whole is. */
clg_serve_target clg_target_of_part(clg_arena *arena, const clg_replica *replica,
                                    const clg_demand *part, const clg_serve_target *target,
                                    double alone_share);

/* The highest steady rate, up to `most`, that one replica serves within the target; 0: none. Its
 * requests are those of a Poisson stream that is dealt in turn to so many. */
double clg_steady_rate_per_s(clg_arena *arena, const clg_replica *replica, const clg_demand *demand,
                             const clg_serve_target *target, double most, double dealt);

/* The busiest part of a demand of more requests than so many: a third of that for each of about so
 * many replicas, of which few are then simulated. What holds there holds at other times. */
clg_demand clg_demand_for_sizing(const clg_demand *demand, double count, double replicas);

/* The smallest fleet that meets the target, from a guess; at most a replica for each request.
 * `meets`: one that is known to, as a slower one of its size does; 0: none is. */
int64_t clg_fleet_needed(clg_arena *arena, const clg_replica *replica, const clg_demand *demand,
                         const clg_serve_target *target, double guess, int64_t meets);

#endif
