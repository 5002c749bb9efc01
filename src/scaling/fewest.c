/* fewest.c -- the search again on more GPUs, until something fits. */
#include "scaling/fewest.h"

enum { MOST_TIMES = 64, MOST_GPUS = 1 << 20 };

const clg_evaluation *clg_fewest_gpus(clg_arena *arena, const clg_scenario *scenario,
                                      const clg_space *space) {
    for (int times = 2; times <= MOST_TIMES && space->gpus * times <= MOST_GPUS; times *= 2) {
        clg_scenario larger = *scenario;
        clg_space more = *space;
        clg_found found = {0};
        clg_error illegal = {0}; /* a size the fixed axes do not divide: the next one may do */
        more.gpus = space->gpus * times;
        more.keep = 1;
        more.front = 0;
        larger.machine.gpus = (int)more.gpus;
        if (clg_search(arena, &larger, &more, (clg_progress){0}, &found, &illegal) != CLG_OK ||
            found.count == 0)
            continue;
        return &found.best[0];
    }
    return NULL;
}
