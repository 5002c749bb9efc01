/* recipe.h -- public launch recipes of a benchmark: what rows of its results leave out.
 *
 * data/recipe/inferencex.csv has a line per recipe: model, GPU, engine and format, the months it
 * held, the lengths and numbers of clients it was run with, copies and degrees of the parts that
 * make first tokens and the others, and limits: tokens of an iteration per rank where prompts are
 * computed, sequences per rank where answers are and the largest with a graph, share of memory,
 * tokens proposed per iteration (0: none); blank: not read. A row is one of a recipe's when
 * everything it says agrees. */
#ifndef CLG_SERVE_RECIPE_H
#define CLG_SERVE_RECIPE_H

#include "serve/measured.h"

/* What a row says. */
typedef struct clg_recipe_row {
    const char *model, *gpu, *engine;
    clg_precision weights;
    double prompt_tokens, output_tokens;
    int64_t clients;
    const char *date;       /* begins with year and month: 2026-02 */
    clg_part prefill, part; /* GPUs of a copy are tp x dp. Copies 0: not given. Exports of 2025 have
                               the GPUs of all copies of both parts in both; or 1, nothing */
} clg_recipe_row;

typedef struct clg_recipe {
    clg_part prefill, part;
    int prefill_tokens, batch; /* per rank; 0: not known */
    int graph_most;            /* largest batch of a decoding rank with a graph; 0: not known */
    double memory_share;       /* of both parts; 0: not known */
    int drafted;
    const char *cite;
    int line; /* of the file, from 1 */
} clg_recipe;

/* How many recipes agree with a row, and the first `room` of them. Where the row gives copies only
 * recipes without speculation do: exports that give them leave speculation out. */
clg_status clg_recipes_find(clg_arena *arena, const clg_recipe_row *row, int room,
                            clg_recipe *found, int *count, clg_error *error);

/* Tokens an iteration gives of so many proposed, data/operations/speculation.json. */
clg_status clg_recipe_gained(clg_arena *arena, int drafted, double *gained, clg_error *error);

#endif
