/* train_repeats.c -- several ranks in one log: what a rank says again is no step of its own, and no
 * restart.
 *
 * The number of the step goes back where a rank repeats what another has said, and where the
 * program began again. A repeat has the time stamp of the first; without stamps, it took as long
 * and its rank comes no further than the others. */
#include "record/train_reading.h"

/* Ranks print within so many milliseconds of each other, and their times differ by so much. */
enum { NEAR_MS = 2000 };
static const double NEAR_SHARE = 0.01;

/* Of samples from..count, with steps in order, the one of this step; count: none. */
static size_t find(const clg_step_sample *sample, size_t from, size_t count, double step) {
    size_t low = from, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sample[middle].value[CLG_SAID_STEP] < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && sample[low].value[CLG_SAID_STEP] == step ? low : count;
}

static bool is_near(double a, double b) {
    double apart = a > b ? a - b : b - a;
    return a > 0 && b > 0 && apart <= NEAR_SHARE * a;
}

/* 1: said again, 0: another step, -1: neither has a time stamp. */
static int by_clock(const clg_step_sample *a, const clg_step_sample *b) {
    if (a->clock_ms < 0 || b->clock_ms < 0) return -1;
    int64_t apart =
        a->clock_ms > b->clock_ms ? a->clock_ms - b->clock_ms : b->clock_ms - a->clock_ms;
    return apart <= NEAR_MS;
}

/* The last step before the number goes back again. */
static double last_of_run(const clg_log_reading *r, size_t at, size_t count) {
    while (at + 1 < count &&
           r->samples[at + 1].value[CLG_SAID_STEP] >= r->samples[at].value[CLG_SAID_STEP])
        at++;
    return r->samples[at].value[CLG_SAID_STEP];
}

size_t clg_repeats_drop(clg_log_reading *r, size_t count) {
    clg_step_sample *all = r->samples;
    size_t kept = 0, begun = 0; /* where the run began that is held */
    bool said_again = false;
    for (size_t i = 0; i < count; i++) {
        clg_step_sample s = all[i];
        double step = s.value[CLG_SAID_STEP];
        double newest = kept > begun ? all[kept - 1].value[CLG_SAID_STEP] : -1;
        if (step >= 0 && step <= newest) {
            size_t at = find(all, begun, kept, step);
            int clock = at < kept ? by_clock(&all[at], &s) : -1;
            bool goes_back = i > 0 && step < all[i - 1].value[CLG_SAID_STEP];
            if (goes_back && clock < 0)
                said_again = at < kept && last_of_run(r, i, count) <= newest + 1 &&
                             is_near(all[at].value[CLG_SAID_TIME], s.value[CLG_SAID_TIME]);
            if (clock > 0 || (clock < 0 && said_again) || step == newest) continue;
            begun = kept;
        }
        s.restart = step >= 0 && step < newest;
        all[kept++] = s;
    }
    return kept;
}
