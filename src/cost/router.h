/* router.h -- what a router in fp32 takes while serving, from data/operations/router.json.
 *
 * Engines leave TF32 off, so that products of fp32 run on the plain units: PyTorch's default
 * (torch.backends.cuda.matmul.allow_tf32). */
#ifndef CLG_COST_ROUTER_H
#define CLG_COST_ROUTER_H

#include "base/arena.h"
#include "base/error.h"
#include "machine/machine.h"

enum { CLG_ROUTER_POINTS = 16 };

typedef struct clg_router_curve {
    int points;
    double tokens[CLG_ROUTER_POINTS], seconds[CLG_ROUTER_POINTS];
    double hidden;          /* values of a token, as timed */
    double unit_flop_per_s; /* of a multiprocessor of the GPU that was timed */
    double flop_share;      /* of the peak, where rows fill the GPU */
} clg_router_curve;

clg_status clg_router_find(clg_arena *arena, clg_router_curve *curve, clg_error *error);

/* The product of so many tokens with the router. What one token takes stays; the rest goes along
 * the values of a token, one tile a multiprocessor, so experts count where tiles fill the GPU. */
double clg_router_s(const clg_router_curve *curve, const clg_gpu *gpu, double tokens,
                    double experts, double hidden);

#endif
