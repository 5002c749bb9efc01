/* fewest.c -- the search again on more GPUs, until something fits. */
#include "scaling/fewest.h"

enum { MOST_TIMES = 64, MOST_GPUS = 1 << 20 };

const clg_evaluation *clg_fewest_gpus(clg_arena *arena, const clg_scenario *scenario,
                                      const clg_space *space) {
    for (int times = 2; times <= MOST_TIMES && space->gpus * times <= MOST_GPUS; times *= 2) {
        clg_scenario larger = *scenario;
        clg_space more = *space;
        clg_evaluation plan;
        more.gpus = space->gpus * times;
        larger.machine.gpus = (int)more.gpus;
        if (!clg_search_fastest(arena, &larger, &more, &plan))
            continue; /* the fixed axes may divide the next size */
        clg_evaluation *kept = clg_take(arena, 1, clg_evaluation);
        *kept = plan;
        return kept;
    }
    return NULL;
}
