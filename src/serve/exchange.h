/* exchange.h -- tokens to the ranks that hold their experts, and sums back: DeepEP.
 *
 * Kernels for prompts send a token once to each rank that it meets, and once over the network to
 * each box, which hands it on. Kernels for decoding send it once for each of its experts, over the
 * network even inside a box. fp8 there, 16 bit back. */
#ifndef CLG_SERVE_EXCHANGE_H
#define CLG_SERVE_EXCHANGE_H

#include "cost/collective.h"
#include "model/model.h"

enum { CLG_EXCHANGE_POINTS = 12 };
typedef struct clg_exchange_curve {
    double tokens, hidden, experts, line_bytes_per_s; /* as timed */
    int points, ranks[CLG_EXCHANGE_POINTS];           /* that rise */
    double there_s[CLG_EXCHANGE_POINTS], back_s[CLG_EXCHANGE_POINTS];
    double multiprocessors; /* that the kernels for prompts take */
} clg_exchange_curve;

/* data/exchange/deepep.json */
clg_status clg_exchange_find(clg_arena *arena, clg_exchange_curve *curve, clg_error *error);

/* Seconds there and back of `tokens` of each rank of a group with the kernels for prompts. */
double clg_exchange_prompt_s(const clg_network *network, clg_group group, const clg_mlp *mlp,
                             double hidden, double tokens);

/* The same with the kernels for decoding, between boxes whose GPUs have a line of so many bytes/s.
 * Time is a hop and then in proportion to bytes; straight lines over the logarithm of ranks. */
double clg_exchange_decode_s(const clg_exchange_curve *curve, const clg_network *network,
                             double line_bytes_per_s, int ranks, const clg_mlp *mlp, double hidden,
                             double tokens);

#endif
