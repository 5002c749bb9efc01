/* refusal.c -- see the header. */
#include "serve/refusal.h"

#include "serve/sizing.h"
#include "units/units.h"

#include <math.h>
#include <string.h>

static const char *seconds_of(clg_arena *arena, double seconds) {
    char text[48];
    clg_quantity_print(seconds, CLG_SECONDS, 3, text, sizeof text);
    return clg_arena_copy(arena, text, strlen(text));
}

/* The least both targets must give way, the one that more are beyond first, until requests alone
 * on a replica meet them; by tenths. */
static clg_serve_target nearest_target(clg_arena *arena, const clg_serve_question *q) {
    enum { TENTHS = 120 };
    clg_serve_target near = q->target;
    for (int i = 0; i < TENTHS; i++) {
        clg_fleet f = clg_fleet_alone(arena, q->replica, q->demand, &near);
        if (f.well_served >= near.share) break;
        if (f.late_first >= f.late_token)
            near.ttft_s *= 1.1;
        else
            near.tpot_s *= 1.1;
    }
    return near;
}

/* "39.3ms", "5s". */
static const char *as_flag(clg_arena *arena, double seconds) {
    return seconds < 1 ? clg_arena_print(arena, "%.3gms", 1e3 * seconds)
                       : clg_arena_print(arena, "%.3gs", seconds);
}

/* Where more than may be late can never fit in the cache. */
static clg_status refuse_long(clg_arena *arena, const clg_serve_question *q, const clg_fleet *f,
                              clg_error *error) {
    double within = floor(1000 * f->well_served) / 10;
    return clg_fail(
        error, CLG_BAD_INPUT,
        within > 0 ? clg_arena_print(arena, "raise --tp, or give --within %.4g%%", within)
                   : "raise --tp, or store weights in fewer bits",
        "no fleet serves %.4g%% of requests: %lld of %lld are longer than the cache of a "
        "replica, %lld tokens",
        100 * q->target.share, (long long)f->refused, (long long)f->requests,
        (long long)q->replica->rules.blocks * q->replica->rules.block_tokens);
}

clg_status clg_refuse_target(clg_arena *arena, const clg_serve_question *q, clg_error *error) {
    clg_fleet f = clg_fleet_alone(arena, q->replica, q->demand, &q->target);
    if ((double)f.refused > (1 - q->target.share) * (double)f.requests)
        return refuse_long(arena, q, &f, error);
    clg_serve_target near = nearest_target(arena, q);
    double within = floor(1000 * f.well_served) / 10;
    const char *fewer = within > 0 ? clg_arena_print(arena, ", or --within %.4g%%", within) : "";
    return clg_fail(
        error, CLG_BAD_INPUT,
        clg_arena_print(arena, "the nearest met: --ttft %s --tpot %s%s; or raise --tp",
                        as_flag(arena, near.ttft_s), as_flag(arena, near.tpot_s), fewer),
        "no fleet meets %s to the first token and %s each for %.4g%% of requests; "
        "alone on a replica %.4g%% are served so: %.3g%% are late to the first token, "
        "%.3g%% by the tokens after, p99 %s and %s",
        seconds_of(arena, q->target.ttft_s), seconds_of(arena, q->target.tpot_s),
        100 * q->target.share, 100 * f.well_served, 100 * f.late_first, 100 * f.late_token,
        seconds_of(arena, f.ttft_s.p99), seconds_of(arena, f.tpot_s.p99));
}
