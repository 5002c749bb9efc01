/* demand.h -- made-up requests that serving tests start from. */
#ifndef CLG_TESTS_DEMAND_H
#define CLG_TESTS_DEMAND_H

#include "demand/demand.h"
#include "test.h"

/* Poisson arrivals all day long, lengths log-normal around their means. */
static inline clg_synthetic demand_steady(double rate, double span_s, double prompt, double output,
                                          double spread, uint64_t seed) {
    return (clg_synthetic){.requests_per_s = rate,
                           .span_s = span_s,
                           .burstiness = 1,
                           .peak_over_mean = 1,
                           .duty = 1,
                           .prompt_tokens = prompt,
                           .output_tokens = output,
                           .spread = spread,
                           .seed = seed};
}

static inline clg_demand demand_made(clg_arena *arena, clg_synthetic s) {
    clg_demand d;
    clg_error error = {0};
    CHECK(clg_demand_make(arena, &s, &d, &error) == CLG_OK);
    return d;
}

static inline clg_demand demand_at_rate(clg_arena *arena, double rate, double span_s, double prompt,
                                        double output, double spread, uint64_t seed) {
    return demand_made(arena, demand_steady(rate, span_s, prompt, output, spread, seed));
}

#endif
