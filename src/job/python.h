/* python.h -- internal to job/: the functions of a Python file. */
#ifndef CLG_JOB_PYTHON_H
#define CLG_JOB_PYTHON_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

enum { CLG_PYTHON_FUNCTIONS = 256 };

/* "def NAME(" at the start of a line, and what is indented below. */
typedef struct clg_python_function {
    const char *name, *from, *end;
    size_t size;
    int line;
    bool recipe;
} clg_python_function;

/* The functions of a file, each up to the next line that is not part of it; how many. */
int clg_python_functions(clg_arena *arena, const char *text, const char *end,
                         clg_python_function *all);
/* The recipe that is asked for; else the first, before those the first that is no test's. */
const clg_python_function *clg_python_recipe(const clg_python_function *all, int count,
                                             const char *wanted);

#endif
