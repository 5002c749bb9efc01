/* iterate.h -- seconds of the operations of a serving iteration: where step/iteration.h meets the
 * curves. */
#ifndef CLG_COST_ITERATE_H
#define CLG_COST_ITERATE_H

#include "cost/exchange.h"
#include "cost/indexer.h"
#include "cost/kernel.h"
#include "cost/router.h"
#include "cost/skinny.h"
#include "step/iteration.h"

/* What pricing an iteration depends on. */
typedef struct clg_iteration_pricing {
    const clg_serving *serving;
    const clg_kernels *kernels;
    const clg_network *network;
    const clg_serve_curves *curves;
    const clg_sparse_kernels *sparse;
    const clg_exchange_curve *exchange;
    const clg_router_curve *router;
    clg_attention_kernel attention;
} clg_iteration_pricing;

/* Seconds of an operation, all its repetitions; of context lists per token, pair or sequence. */
double clg_iteration_op_s(const clg_iteration_pricing *p, const clg_iteration_op *op);

/* Of a list. */
double clg_iteration_ops_s(const clg_iteration_pricing *p, const clg_iteration_ops *ops);

/* Adds `times` of a list by part. */
void clg_iteration_ops_add(const clg_iteration_pricing *p, const clg_iteration_ops *ops,
                           double times, double part[CLG_ITERATION_PARTS]);

/* Whether decode attention takes as long as its arithmetic, not as its reads. */
bool clg_latent_bound(const clg_iteration_pricing *p, const clg_iteration_op *op);

/* The format that latents are multiplied in. */
clg_precision clg_latent_format(const clg_serve_curves *curves, clg_precision cache);

/* Kernels of the experts, as the layout and the engine have them. */
const clg_expert_curve *clg_expert_curve_of(const clg_serve_curves *curves,
                                            const clg_serving_layout *layout);

/* What products of weights stored in a format run in: the format where the GPU multiplies it; mxfp4
 * times mxfp8 activations where there is mxfp8; else 16 bit, weights widened on the way. */
clg_precision clg_serve_arithmetic(const clg_gpu *gpu, clg_precision weights);

/* Kernels that only read HBM at a share of its rate. */
double clg_read_s(const clg_gpu *gpu, double bytes, double share);

#endif
