/* break_even.h -- internal to serve/: from how many requests on a replica is cheaper than what
 * others ask for its tokens. */
#ifndef CLG_SERVE_BREAK_EVEN_H
#define CLG_SERVE_BREAK_EVEN_H

#include "serve/serve_answer.h"

/* Fills api_usd_per_million, break_even_per_s and break_even_share; NaN without a price. */
void clg_serve_break_even(const clg_serve_question *q, const clg_demand_means *means,
                          clg_serve_answer *a);

#endif
