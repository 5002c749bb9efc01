/* elsewhere.c -- a plan that does not fit, under the software of others. */
#include "evaluate/evaluate.h"

#include "dataset/dataset.h"

#include <string.h>

/* Whether the layout fits under a stack, and how much it takes. */
static bool fits_under(clg_arena *arena, const clg_scenario *scenario, const clg_layout *layout,
                       const char *name, double *bytes) {
    clg_scenario other = *scenario;
    clg_error error = {0};
    clg_evaluation e;
    if (clg_stack_find(arena, name, &other.stack, &error) != CLG_OK ||
        !clg_stack_runs_on(&other.stack, other.machine.gpu.vendor) ||
        clg_stack_lacks(&other.stack, layout) ||
        clg_evaluate(arena, &other, layout, false, NULL, &e, &error) != CLG_OK || !e.fits)
        return false;
    *bytes = e.memory.total_bytes;
    return true;
}

const char *clg_evaluate_elsewhere(clg_arena *arena, const clg_scenario *scenario,
                                   const clg_layout *layout) {
    enum { NAMED = 3, EXTENSION = 5, FOLDER = 6 };
    int count, named = 0;
    const char *words = NULL;
    const clg_file *files = clg_dataset_folder("stack/", &count);
    for (int i = 0; i < count && named < NAMED; i++) {
        const char *name = clg_arena_copy(arena, files[i].path + FOLDER,
                                          strlen(files[i].path) - FOLDER - EXTENSION);
        double bytes;
        if (strcmp(name, "unknown") == 0 || strcmp(name, scenario->stack.name) == 0 ||
            !fits_under(arena, scenario, layout, name, &bytes))
            continue;
        words = clg_arena_print(arena, "%s%s%s (%.1f GB)", words ? words : "", words ? ", " : "",
                                name, bytes / 1e9);
        named++;
    }
    return words;
}
