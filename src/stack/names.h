/* names.h -- stacks as people name them. */
#ifndef CLG_STACK_NAMES_H
#define CLG_STACK_NAMES_H

#include "base/arena.h"

/* The built-in stack that stands for a trainer's or library's name in a month ("2024-06"; NULL: the
 * newest), by data/stack-names.csv; case and marks do not matter. NULL: nobody's name. */
const char *clg_stack_named(clg_arena *arena, const char *name, const char *month);

/* The same with what follows the last mark left out as often as that makes a name: "deepspeed-0.14"
 * is deepspeed. */
const char *clg_stack_named_like(clg_arena *arena, const char *name, const char *month);

#endif
