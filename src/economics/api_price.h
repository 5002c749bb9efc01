/* api_price.h -- what others ask for tokens, from data/api-price. */
#ifndef CLG_ECONOMICS_API_PRICE_H
#define CLG_ECONOMICS_API_PRICE_H

#include "base/arena.h"
#include "base/error.h"

/* What an API asks per token. */
typedef struct clg_api_price {
    const char *name, *title, *model, *date; /* model: presets, spaces between them */
    double usd_per_input_token, usd_per_output_token;
    double usd_per_cached_token; /* input found in the API's cache; below 0: as other input */
} clg_api_price;

/* By name; or the latest dated one for a model, of several the cheapest; name NULL when there is
 * none. */
clg_status clg_api_price_find(clg_arena *arena, const char *name, clg_api_price *price,
                              clg_error *error);
clg_status clg_api_price_default(clg_arena *arena, const char *model, clg_api_price *price,
                                 clg_error *error);

#endif
