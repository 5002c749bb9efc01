/* op.c -- the name tables of op.h. */
#include "op/op.h"

#include <stddef.h>

const clg_name clg_precision_names[] = {
    {"fp32", CLG_FP32, "single precision, no tensor cores"},
    {"tf32", CLG_TF32, "single precision inputs rounded for tensor cores"},
    {"fp16", CLG_FP16, "half precision with loss scaling"},
    {"bf16", CLG_BF16, "bfloat16"},
    {"fp8", CLG_FP8, "8-bit matrix products, scaled per tensor or block"},
    {"mxfp8", CLG_MXFP8, "8-bit matrix products, one scale per 32 values"},
    {"nvfp4", CLG_NVFP4, "4-bit matrix products, one scale per 16 values"},
    {"mxfp4", CLG_MXFP4,
     "4-bit weights, one 8-bit scale per 32 values; few GPUs multiply them as they are"},
    {"int4", CLG_INT4, "4-bit weights in groups of 128 (GPTQ, AWQ), multiplied in 16 bit"},
    {NULL, 0, NULL}};

const clg_name clg_axis_names[] = {{"none", CLG_AXIS_NONE, NULL},
                                   {"tp", CLG_AXIS_TP, "tensor parallel"},
                                   {"cp", CLG_AXIS_CP, "context parallel"},
                                   {"ep", CLG_AXIS_EP, "expert parallel"},
                                   {"dp", CLG_AXIS_DP, "data parallel"},
                                   {"pp", CLG_AXIS_PP, "pipeline parallel"},
                                   {NULL, 0, NULL}};

const clg_name clg_collective_names[] = {{"all-reduce", CLG_ALL_REDUCE, NULL},
                                         {"all-gather", CLG_ALL_GATHER, NULL},
                                         {"reduce-scatter", CLG_REDUCE_SCATTER, NULL},
                                         {"all-to-all", CLG_ALL_TO_ALL, NULL},
                                         {"send-receive", CLG_SEND_RECEIVE, NULL},
                                         {"broadcast", CLG_BROADCAST, NULL},
                                         {NULL, 0, NULL}};

bool clg_precision_is_single(clg_precision precision) {
    return precision == CLG_FP32 || precision == CLG_TF32;
}

double clg_precision_bytes(clg_precision precision) {
    static const double bytes[CLG_PRECISIONS] = {
        [CLG_FP32] = 4,    [CLG_TF32] = 4,         [CLG_FP16] = 2,
        [CLG_BF16] = 2,    [CLG_FP8] = 1,          [CLG_MXFP8] = 1,
        [CLG_NVFP4] = 0.5, [CLG_MXFP4] = 4.25 / 8, [CLG_INT4] = (4 + (16 + 4) / 128.0) / 8};
    return bytes[precision];
}
