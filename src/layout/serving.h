/* serving.h -- how one copy of the weights that serves is split over GPUs and stored. */
#ifndef CLG_LAYOUT_SERVING_H
#define CLG_LAYOUT_SERVING_H

#include "layout/adapter.h"
#include "op/op.h"

/* What computes the experts: what the engine takes by itself, as timed in data/kernel; kernels that
 * write and sum the rows of all experts, also of those on other ranks; grouped products. */
typedef enum clg_expert_kernels {
    CLG_EXPERTS_TIMED,
    CLG_EXPERTS_WHOLE,
    CLG_EXPERTS_GROUPED
} clg_expert_kernels;
extern const clg_name clg_expert_kernel_names[];

typedef struct clg_serving_layout {
    int tp, pp; /* of attention; stages */
    int dp, ep; /* ranks that share out sequences; groups that share out experts, of tp x dp */
    clg_precision compute, weights, cache;
    clg_precision attention_weights; /* 4-bit checkpoints of expert models narrow experts only */
    clg_expert_kernels expert_kernels;
    bool two_batches;    /* halves of a batch take turns: one's exchange runs under the other */
    bool balanced;       /* experts are placed, and popular ones copied, by load */
    clg_adapter adapter; /* of a rank for all, beside the same modules */
    int adapters;        /* held on each GPU; 0: none are served */
    bool filtered;       /* tokens are sampled from the likeliest: top-k, top-p */
} clg_serving_layout;

/* GPUs of one copy. */
static inline int clg_serving_gpus(const clg_serving_layout *l) { return l->tp * l->dp * l->pp; }

#endif
