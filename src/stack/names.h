/* names.h -- stacks as people name them. */
#ifndef CLG_STACK_NAMES_H
#define CLG_STACK_NAMES_H

#include "base/arena.h"

#include <stdbool.h>

/* The built-in stack that stands for a trainer's or library's name in a month ("2024-06"; NULL: the
 * newest), by data/stack-names.csv, as clg_stack_find takes it: "megatron-2024@2024-06". A row may
 * name the month of its release. Case and marks do not matter. NULL: nobody's name. */
const char *clg_stack_named(clg_arena *arena, const char *name, const char *month);

/* The same for a name among other words, the longest first: "NVIDIA NeMo Framework 25.04" is nemo
 * of that month, also where a later one is given: what runs is old by then. Words end at spaces and
 * at / + ( ) , : and lose the version that ends them ("deepspeed-0.14"); `loosely` they end at - _
 * . too. Built-in stacks are names. */
const char *clg_stack_named_like(clg_arena *arena, const char *name, const char *month,
                                 bool loosely);

/* All names, for suggestions. */
int clg_stack_names(clg_arena *arena, const char ***names);

#endif
