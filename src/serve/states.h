/* states.h -- internal to serve/: layers that keep a state, in memory and in an iteration. */
#ifndef CLG_SERVE_STATES_H
#define CLG_SERVE_STATES_H

#include "serve/replica.h"

/* Bytes of one GPU for the states of a sequence, with what its convolutions still see. */
double clg_states_bytes(const clg_replica *replica);

/* Seconds a decoding sequence adds to an iteration: its states are read and written; with tokens
 * proposed, written once for each of them too. */
double clg_states_decode_s(const clg_replica *replica, int drafted);

/* Seconds a token of the mean prompt adds to an iteration, beside products. */
double clg_states_prompt_token_s(const clg_replica *replica);

/* Shares `room_bytes` of all ranks out between cache and states as the engine does: blocks, their
 * tokens, blocks of a sequence, and how many sequences there may be. `token_bytes`: of the cache,
 * of one GPU. For models with states; rules hold the engine's limits before. */
void clg_states_place(clg_replica *replica, double room_bytes, double token_bytes, int drafted);

#endif
