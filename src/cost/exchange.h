/* exchange.h -- tokens to the ranks that hold their experts, and sums back, by kernels that send a
 * token once for each of its experts, over the network even inside a box: fp8 there, 16 bit back.
 */
#ifndef CLG_COST_EXCHANGE_H
#define CLG_COST_EXCHANGE_H

#include "cost/collective.h"

enum { CLG_EXCHANGE_POINTS = 12 };
typedef struct clg_exchange_curve {
    double tokens, hidden, experts, line_bytes_per_s; /* as timed */
    int points, ranks[CLG_EXCHANGE_POINTS];           /* that rise */
    double there_s[CLG_EXCHANGE_POINTS], back_s[CLG_EXCHANGE_POINTS];
    double multiprocessors; /* that the kernels for prompts take */
} clg_exchange_curve;

/* data/exchange/sent-tokens.json */
clg_status clg_exchange_find(clg_arena *arena, clg_exchange_curve *curve, clg_error *error);

/* Seconds there and back of `tokens` of each rank, each to so many experts, with the kernels for
 * decoding, between boxes whose GPUs have a line of so many bytes/s. Time is a hop and then in
 * proportion to bytes; straight lines over the logarithm of ranks. */
double clg_exchange_decode_s(const clg_exchange_curve *curve, const clg_network *network,
                             double line_bytes_per_s, int ranks, double experts, double hidden,
                             double tokens);

#endif
