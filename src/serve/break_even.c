/* break_even.c -- see the header. */
#include "serve/break_even.h"

#include <math.h>

void clg_serve_break_even(const clg_serve_question *q, const clg_demand_means *means,
                          clg_serve_answer *a) {
    const clg_api_price *api = q->api;
    a->break_even_share = a->break_even_per_s = NAN;
    if (!api || !api->name) return;
    double cached =
        api->usd_per_cached_token >= 0 ? a->fleet.found.cached * means->prompt_tokens : 0;
    double per_request = api->usd_per_input_token * (means->prompt_tokens - cached) +
                         api->usd_per_cached_token * cached +
                         api->usd_per_output_token * means->output_tokens;
    a->api_usd_per_million = 1e6 * per_request / means->output_tokens;
    if (per_request <= 0 || a->usd_per_s <= 0) return;
    a->break_even_per_s = a->usd_per_s / per_request;
    a->break_even_share = a->break_even_per_s * means->output_tokens / a->offline_tokens_per_s;
}
