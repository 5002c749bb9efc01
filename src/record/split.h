/* split.h -- which split of the model a group of processes serves. */
#ifndef CLG_RECORD_SPLIT_H
#define CLG_RECORD_SPLIT_H

#include "record/kernels.h"

typedef enum clg_split {
    CLG_SPLIT_UNKNOWN,
    CLG_SPLIT_TP,
    CLG_SPLIT_CP,
    CLG_SPLIT_EP,
    CLG_SPLIT_DP,
    CLG_SPLIT_PP,
    CLG_SPLITS
} clg_split;
extern const clg_name clg_split_names[];

/* From a group's description: "TENSOR_MODEL_PARALLEL_GROUP", "mesh_dp_shard". */
clg_split clg_split_of_words(clg_slice description);

/* Degrees of a layout, by axis; 0 when unknown. */
typedef struct clg_degrees {
    int64_t of[CLG_SPLITS];
} clg_degrees;

/* From the operation, where only one axis uses it, and else from the size of the group, where only
 * one degree is that, and from how far its ranks lie apart ("2 [0, 8, 16]"; "" when not said),
 * where two are: tensor parallel ranks are neighbours, then context, data and pipeline, as
 * Megatron-LM numbers them. `degrees` may be NULL. */
clg_split clg_split_of_call(clg_operation operation, int64_t group_size, const char *ranks,
                            const clg_degrees *degrees);

#endif
