/* degree.h -- over how many GPUs a copy of the model is split where nobody says. */
#ifndef CLG_SERVE_DEGREE_H
#define CLG_SERVE_DEGREE_H

#include "serve/serve_answer.h"

/* Prepares the replica that serves the demand within the target on the fewest GPUs: with the
 * choice's tp, or the best power of two inside a domain. Of several that take as many, the one of
 * which the fewest hold the target at P90 of the iterations, then the narrowest; of all that one,
 * where the fewest stand at a cliff: at P90 none hold the target, or more than CLG_HEADROOM_WORTH
 * times as many. `question->replica` is not read. */
clg_status clg_replica_choose(clg_arena *arena, const clg_serve_question *question,
                              const clg_scenario *scenario, const clg_engine *engine,
                              const clg_replica_choice *choice, clg_replica *replica,
                              clg_error *error);

/* GPUs that meet the target with iterations as long as one time in ten; 0: no number does. `guess`:
 * what the mean takes. */
double clg_gpus_if_slow(clg_arena *arena, const clg_serve_question *question,
                        const clg_replica *replica, double guess);

/* Of a bound over the best so far: fleets differ from what the mean takes by bursts, whole replicas
 * and the tails of the target; by more than half they do not differ more than other degrees' do. */
#define CLG_HOPELESS_RATIO 1.5

/* Whether nobody should buy so many: see CLG_HEADROOM_WORTH. */
bool clg_is_past_cliff(double gpus, double gpus_if_slow);

#endif
