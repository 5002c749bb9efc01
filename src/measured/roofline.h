/* roofline.h -- what a plan would take if nothing but peaks counted: the model a prediction has to
 * beat. Bytes of weights and cache over HBM, products over the peak of their format, whichever is
 * longer; no launches, exchange, host or queue, and no constant of ours.
 *
 * `sequences` B decode at the mean context C, and per iteration B / output prompts are computed
 * beside them, so that prompts keep pace:
 *
 *     bytes      weights read + B (C cache + 2 states)
 *     flop       2 active parameters (B + B prompt / output)
 *     iteration  max(bytes / HBM, flop / peak)
 *     tokens/s   B gained / iteration
 *     answer     prompt's time + (output - 1) iteration / gained
 *
 * A prompt alone takes max(2 active parameters x prompt / peak, weights / HBM). Everything is per
 * GPU; of experts those are read that even routing reaches. B is the clients' number, the batch, or
 * what arrives while an answer takes, at most what fits in the cache and the engine's limit. */
#ifndef CLG_MEASURED_ROOFLINE_H
#define CLG_MEASURED_ROOFLINE_H

#include "serve/replica.h"

typedef struct clg_serve_roofline {
    double ttft_s, tpot_s, answer_s, batch_s, tokens_per_s;
} clg_serve_roofline;

/* Sequences that the cache of a replica holds at these lengths, at most the limit of the engine; of
 * the decoding part where it is disaggregated. */
double clg_serve_room(const clg_replica *replica, const clg_demand_means *means);

/* `clients` > 0: a closed loop; else `requests_per_s` > 0: one by one; else all `requests` at once.
 */
clg_serve_roofline clg_serve_roofline_of(const clg_replica *replica, const clg_demand_means *means,
                                         double clients, double requests_per_s, double requests);

#endif
