/* doubt.c -- see the header. */
#include "serve/doubt.h"

#include "base/real.h"

#include <math.h>

/* Of two independent deviations, as a factor. */
static double tenth_of(double sigma, double more) {
    static const double tenth = 1.2815515655446004; /* from the middle to P90 of a normal */
    return clg_exp(tenth * sqrt(sigma * sigma + more * more));
}

clg_serve_doubt clg_serve_doubt_of(const clg_engine *e, double more) {
    return (clg_serve_doubt){tenth_of(e->sigma_first, more), tenth_of(e->sigma_token, more),
                             tenth_of(e->sigma_rate, more)};
}
