/* engine.h -- what a serving engine does to the same plan on the same GPUs, from data/engine: the
 * stack of an iteration. */
#ifndef CLG_STACK_ENGINE_H
#define CLG_STACK_ENGINE_H

#include "base/arena.h"
#include "base/json.h"
#include "machine/machine.h"
#include "stack/front_end.h"

/* Batches that CUDA graphs are kept for: up to `to`, every `step` from the stretch before it on. */
enum { CLG_GRAPH_STRETCHES = 16 };
typedef struct clg_graph_sizes {
    int count;
    int to[CLG_GRAPH_STRETCHES], step[CLG_GRAPH_STRETCHES];
} clg_graph_sizes;

/* Reads {"value": [[to, step], ...]}, ends that rise; an absent one is none. */
clg_status clg_graph_sizes_read(const clg_json *object, const char *file, clg_graph_sizes *sizes,
                                clg_error *error);

/* The smallest kept batch of so many sequences and more; 0: none is, kernels are launched singly.
 */
int clg_graph_padded(const clg_graph_sizes *sizes, int sequences);

/* Rules and host terms of an engine: the numbers of engine.def, and the words beside them. */
typedef struct clg_engine {
    const char *name, *title;
    /* clang-format off */
#define NEEDED(member, key, dimension, meaning) double member;
#define OPTIONAL(member, key, dimension, meaning) double member;
#include "stack/engine.def"
    /* clang-format on */
    const char *large_except; /* GPUs whose names begin so have no larger limits; "": all have */
    const char *newer_generation; /* of GPUs, that the engine's newest kernels are for */
    const char *graphs_except;    /* generations whose names begin so; "": none */
    const char *attention_except; /* those without one_attention */
    clg_graph_sizes graphs;       /* of batches that only decode */
    clg_front_end front;
} clg_engine;

/* The engine as it starts on a GPU: limits by the size of its memory, kernels of its generation. */
clg_engine clg_engine_on(const clg_engine *engine, const clg_gpu *gpu);

/* Whether a GPU is of the generation that the engine's newest kernels are for. */
bool clg_engine_is_newer(const clg_engine *engine, const clg_gpu *gpu);

/* Whether graphs for prompts are kept on a GPU. */
bool clg_engine_graphs_prompts(const clg_engine *engine, const clg_gpu *gpu);

/* The largest batch a CUDA graph is kept for on so many GPUs; 0: as `graphs` says. */
double clg_engine_graph_most(const clg_engine *engine, int gpus);

/* No name, or an empty one: the default. "NAME@2025-06": its release of that month, by `release_of`
 * and `until` of the files; the oldest known before, NAME itself after. */
clg_status clg_engine_find(clg_arena *arena, const char *name, clg_engine *engine,
                           clg_error *error);

#endif
