/* mend.c -- what would make a plan fit: another layout, or the software of others. */
#include "evaluate/advice.h"

#include "dataset/dataset.h"
#include "evaluate/evaluate.h"

#include <string.h>

/* One change of a layout and how people say it. */
typedef struct change {
    const char *say;
    bool (*apply)(clg_layout *layout);
} change;

static bool selective(clg_layout *l) {
    if (l->recompute != CLG_RECOMPUTE_NONE) return false;
    l->recompute = CLG_RECOMPUTE_SELECTIVE;
    return true;
}

static bool full(clg_layout *l) {
    if (l->recompute == CLG_RECOMPUTE_FULL && l->recompute_layers == 0) return false;
    l->recompute = CLG_RECOMPUTE_FULL;
    l->recompute_layers = 0;
    return true;
}

static bool more_zero(clg_layout *l) {
    if (l->zero >= 3) return false;
    l->zero = l->zero == 0 ? 1 : 3;
    return true;
}

static bool halve_micro_batch(clg_layout *l) {
    if (l->micro_batch % 2 != 0) return false;
    l->micro_batch /= 2;
    l->accumulation *= 2;
    return true;
}

static bool sequence_parallel(clg_layout *l) {
    if (l->sp || l->tp == 1) return false;
    l->sp = true;
    return true;
}

static bool double_tp(clg_layout *l) {
    if (l->dp % 2 != 0) return false;
    l->tp *= 2;
    l->dp /= 2;
    l->accumulation *= 2;
    return true;
}

static bool double_pp(clg_layout *l) {
    if (l->dp % 2 != 0) return false;
    l->pp *= 2;
    l->split = NULL;
    l->dp /= 2;
    l->accumulation *= 2;
    return true;
}

const char *clg_evaluate_mend(clg_arena *arena, const clg_scenario *scenario,
                              const clg_layout *layout) {
    static const change changes[] = {{"switch sequence parallel on", sequence_parallel},
                                     {"raise the ZeRO stage", more_zero},
                                     {"recompute selectively", selective},
                                     {"halve the micro-batch", halve_micro_batch},
                                     {"recompute whole layers", full},
                                     {"double tp and halve dp", double_tp},
                                     {"double pp and halve dp", double_pp}};
    clg_error error = {0};
    clg_evaluation now;
    if (clg_evaluate(arena, scenario, layout, false, NULL, &now, &error) != CLG_OK || now.fits)
        return NULL;
    for (unsigned i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        clg_layout changed = *layout;
        clg_evaluation then;
        if (!changes[i].apply(&changed) || clg_stack_lacks(&scenario->stack, &changed)) continue;
        error = (clg_error){0};
        if (clg_evaluate(arena, scenario, &changed, false, NULL, &then, &error) != CLG_OK ||
            !then.fits)
            continue;
        char words[160];
        clg_layout_print(&changed, words, sizeof words);
        return clg_arena_print(arena, "%s (%s): %.1f GB, step %.2f s", changes[i].say, words,
                               then.memory.total_bytes / 1e9, then.step_s);
    }
    return NULL;
}

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
