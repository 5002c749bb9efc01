/* dualpipe.c -- micro-batches enter from both ends; each stage holds two depths, so the model is
 * held twice (DeepSeek-V3 report, arXiv:2412.19437, section 3.2.1). Activations: p + 1. The fusing
 * of a forward with a backward to hide all-to-all traffic is the stack's expert overlap. */
#include "schedule/list.h"

#include <stddef.h>

static const char *refuses(clg_pipeline p) {
    if (p.chunks != 1) return "dualpipe takes vpp 1: its two directions are implied";
    if (p.stages % 2 != 0) return "dualpipe needs an even pp";
    if (p.micro_batches < 2 * p.stages || p.micro_batches % 2 != 0)
        return "dualpipe needs an even number of micro-batches, at least twice pp";
    return NULL;
}

static int depth(clg_pipeline p, int stage, int chunk) {
    return chunk == 0 ? stage : p.stages - 1 - stage;
}

static double alive(clg_pipeline p, int stage) {
    (void)stage;
    return p.stages + 1;
}

const clg_schedule clg_schedule_dualpipe = {.splits_backward = true,
                                            .weight_copies = 2,
                                            .refuses = refuses,
                                            .depth = depth,
                                            .alive = alive};
