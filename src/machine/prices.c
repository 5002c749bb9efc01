/* prices.c -- the built-in prices of a GPU: by term, the cheapest, from least to most. */
#include "dataset/dataset.h"
#include "machine/machine.h"

#include <string.h>

bool clg_price_known(const clg_price *price) { return price->term != NULL; }

bool clg_price_on_demand(const clg_price *price) { return strcmp(price->term, "on-demand") == 0; }

bool clg_price_spot(const clg_price *price) {
    return price->term && strcmp(price->term, "spot") == 0;
}

bool clg_price_held(const clg_price *price) { return strncmp(price->term, "reserved", 8) == 0; }

const clg_price *clg_prices_of(clg_arena *arena, const char *gpu, int *count) {
    int files;
    const clg_file *file = clg_dataset_folder("price/", &files);
    clg_price *prices = clg_take(arena, (size_t)files + 1, clg_price);
    *count = 0;
    for (int i = 0; i < files; i++) {
        clg_error none = {0};
        clg_price *next = &prices[*count];
        if (!strstr(file[i].text, gpu)) continue; /* spares reading all of them */
        if (clg_price_read(arena, file[i].path, file[i].text, file[i].size, next, &none) ==
                CLG_OK &&
            strcmp(next->gpu, gpu) == 0)
            ++*count;
    }
    return prices;
}

/* Boxes that make a cluster go before those that do not; then the cheaper. */
static bool is_cheaper(const clg_price *a, const clg_price *b) {
    return !a->lone != !b->lone ? !a->lone : a->usd_per_s < b->usd_per_s;
}

const clg_price *clg_price_cheapest(const clg_price *prices, int count, const char *term) {
    const clg_price *least = NULL;
    for (int i = 0; i < count; i++)
        if (strcmp(prices[i].term, term) == 0 && (!least || is_cheaper(&prices[i], least)))
            least = &prices[i];
    return least;
}

int clg_price_band(clg_arena *arena, const char *gpu, double *low_usd_per_s,
                   double *high_usd_per_s) {
    int count, known = 0;
    const clg_price *p = clg_prices_of(arena, gpu, &count);
    for (int i = 0; i < count; i++) {
        if (!clg_price_on_demand(&p[i])) continue;
        if (known == 0 || p[i].usd_per_s < *low_usd_per_s) *low_usd_per_s = p[i].usd_per_s;
        if (known == 0 || p[i].usd_per_s > *high_usd_per_s) *high_usd_per_s = p[i].usd_per_s;
        known++;
    }
    return known;
}

const clg_name clg_price_terms[] = {{"on-demand", 0, "on-demand"},
                                    {"spot", 1, "spot"},
                                    {"reserved-1-year", 2, "reserved, 1 year"},
                                    {"reserved-3-years", 3, "reserved, 3 years"},
                                    {NULL, 0, NULL}};

bool clg_price_of_term(clg_arena *arena, const clg_gpu *gpu, int term, clg_price *price) {
    int count;
    const clg_price *prices = clg_prices_of(arena, gpu->name, &count);
    const clg_price *least = clg_price_cheapest(prices, count, clg_price_terms[term].help);
    if (least) *price = *least;
    return least != NULL;
}

/* What can be had today goes before what has to be signed for. */
static bool preferred(const clg_price *a, const clg_price *b) {
    bool now = clg_price_on_demand(a), later = clg_price_on_demand(b);
    return now != later ? now : is_cheaper(a, b);
}

clg_status clg_price_default(clg_arena *arena, const clg_gpu *gpu, clg_price *price,
                             clg_error *error) {
    int count;
    const clg_price *prices = clg_prices_of(arena, gpu->name, &count), *best = prices;
    for (int i = 1; i < count; i++)
        if (preferred(&prices[i], best)) best = &prices[i];
    if (count == 0)
        return clg_fail(error, CLG_BAD_INPUT, "give one: --price 2.5USD/h", "no price known for %s",
                        gpu->name);
    *price = *best;
    return CLG_OK;
}
