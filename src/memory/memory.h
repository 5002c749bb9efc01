/* memory.h -- bytes of each stage's fullest rank, by walking the step's blocks.
 *
 * `total_bytes` is what torch.cuda.max_memory_reserved would show: everything in the allocator at
 * the peak plus what the allocator keeps. What lives outside the allocator (context, communicator
 * internals) is taken from the capacity instead. `needed_bytes`: what must be there, for a full GPU
 * has the allocator let go of what it only caches. */
#ifndef CLG_MEMORY_MEMORY_H
#define CLG_MEMORY_MEMORY_H

#include "schedule/schedule.h"
#include "step/step.h"

enum { CLG_MEMORY_PARTS = 6 };
typedef struct clg_memory_ledger {
    union {
        struct {
            double weights_bytes, gradients_bytes, optimizer_bytes, activations_bytes,
                buffers_bytes, reserved_bytes;
        };
        double part_bytes[CLG_MEMORY_PARTS];
    };
    double total_bytes, needed_bytes;
} clg_memory_ledger;

/* What its parts are called, in their order: in JSON and tables (as the member), and in words. */
typedef struct clg_memory_part {
    const char *key, *words;
} clg_memory_part;
extern const clg_memory_part clg_memory_parts[CLG_MEMORY_PARTS];

/* What one stage holds. `layers[kind]` counts layers of each kind over all its chunks. */
typedef struct clg_stage_load {
    int layers[CLG_LAYER_KINDS];
    bool embedding, head;
    int chunks;
    double alive;      /* chunk activations alive at the peak, over all chunks of the stage */
    double head_alive; /* micro-batches of the head alive at once */
} clg_stage_load;

/* Parameters a rank of this stage holds before ZeRO; a tied head adds none when the embedding is
 * on the same stage. */
void clg_stage_parameters(const clg_model *model, const clg_step *step, const clg_stage_load *load,
                          double *dense, double *expert);

/* Of the dense ones, those of embedding and head. */
double clg_stage_tables(const clg_model *model, const clg_step *step, const clg_stage_load *load);

clg_memory_ledger clg_memory_of_stage(const clg_model *model, const clg_stack *stack,
                                      const clg_layout *layout, const clg_step *step,
                                      const clg_stage_load *load);

/* What a rank has outside the allocator: context, communicators, connections between experts. */
double clg_memory_outside_bytes(const clg_stack *stack, const clg_layout *layout);

/* Bytes of a parameter that are there at the fullest moment whatever it is, adapters apart: of what
 * the layout shards, before it is shared out. */
typedef struct clg_state_bytes {
    double weight, gradient, optimizer;
} clg_state_bytes;
clg_state_bytes clg_memory_sure(const clg_stack *stack, const clg_layout *layout);

/* A lower bound of needed_bytes in constant time: states of the mean stage, no activations.
 * `experts`: how many of the model's parameters are in experts. */
double clg_memory_bound(const clg_model *model, double experts, const clg_stack *stack,
                        const clg_layout *layout);

#endif
