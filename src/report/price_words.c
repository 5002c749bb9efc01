/* price_words.c -- whose price, and what others ask for the same GPU. */
#include "report/price_words.h"

#include <string.h>

static bool is_given(const clg_price *price) { return strcmp(price->term, "given") == 0; }

const char *clg_words_price(clg_arena *arena, const clg_price *price) {
    if (is_given(price)) return price->provider;
    return clg_arena_print(arena, "%s, %s%s%s", price->provider, price->term,
                           price->date ? ", " : "", price->date ? price->date : "");
}

static const char *with_band(clg_arena *arena, const clg_price *price) {
    double low = 0, high = 0;
    const char *whose = clg_words_price(arena, price);
    if (is_given(price)) return whose;
    int known = clg_price_band(arena, price->gpu, &low, &high);
    if (known == 0) return clg_arena_print(arena, "%s; none on demand known", whose);
    if (known == 1 && clg_price_on_demand(price))
        return clg_arena_print(arena, "%s; no other known", whose);
    if (price->usd_per_s <= low)
        return clg_arena_print(arena, "%s; others to %.2f", whose, 3600 * high);
    return clg_arena_print(arena, "%s; others %.2f to %.2f", whose, 3600 * low, 3600 * high);
}

const char *clg_words_price_band(clg_arena *arena, const clg_price *price) {
    const char *band = with_band(arena, price);
    return price->lone ? clg_arena_print(arena, "%s; %s", band, price->lone) : band;
}
