/* wall.c -- how long a job takes when failures strike it. */
#include "demand/random.h"
#include "portfolio/life.h"

#include <math.h>

/* Checkpoints stretch work evenly, so that a stretch of wall time is a share of work. A failure
 * throws back to the last one written. Failures during a restart are left out. */
double clg_life_wall_s(const clg_job_size *size, double factor, double failure_factor,
                       uint64_t seed) {
    enum { FAILURES = 100000 };
    clg_random random = {seed};
    double left_s = size->useful_s * factor, wall_s = 0;
    double stretch = size->interval_s > 0 ? 1 + size->checkpoint_s / size->interval_s : 1;
    double rate = size->failures_per_s * failure_factor;
    for (int i = 0; i < FAILURES && rate > 0; i++) {
        double until_s = -log(clg_random_unit(&random)) / rate;
        if (until_s >= left_s * stretch) break;
        double done_s = until_s / stretch;
        if (size->interval_s > 0) left_s -= floor(done_s / size->interval_s) * size->interval_s;
        wall_s += until_s + size->restart_s;
    }
    return wall_s + left_s * stretch;
}
