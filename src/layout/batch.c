/* batch.c -- tokens of a step into sequences that divide well. */
#include "layout/batch.h"

#include <math.h>
#include <stdbool.h>

const double CLG_BATCH_TOLERANCE = 0.05;

/* Data-parallel ranks are factors of the GPUs: what is odd in these (24: 3) should divide too,
 * where a multiple is near enough. */
static int64_t odd_part(int64_t gpus) { return gpus > 0 ? gpus / clg_twos_of(gpus) : 1; }

/* Of the multiples of `odd` from `low` to `high` the one that the largest power of two divides, of
 * two alike the one nearer to `asked`; 0: there is none. */
static int64_t most_divisible(double low, double high, int64_t odd, double asked) {
    for (int64_t power = (int64_t)1 << 40; power >= 1; power /= 2) {
        int64_t unit = power * odd, below = (int64_t)(asked / (double)unit) * unit;
        bool has_below = below > 0 && (double)below >= low;
        bool has_above = (double)(below + unit) <= high;
        if (!has_below && !has_above) continue;
        if (!has_above) return below;
        if (!has_below) return below + unit;
        return asked - (double)below <= (double)(below + unit) - asked ? below : below + unit;
    }
    return 0;
}

int64_t clg_batch_of_tokens(double tokens, int64_t seq, int64_t gpus) {
    double asked = tokens / (double)seq;
    double low = asked * (1 - CLG_BATCH_TOLERANCE), high = asked * (1 + CLG_BATCH_TOLERANCE);
    int64_t found = most_divisible(low, high, odd_part(gpus), asked);
    if (found == 0) found = most_divisible(low, high, 1, asked);
    return found > 0 ? found : (int64_t)fmax(1, floor(asked + 0.5));
}
