/* contracts.c -- terms of one GPU kind, and the cheapest mix of two of them. */
#include "economics/contracts.h"

#include "dataset/open.h"
#include "units/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void keep(clg_terms *t, const clg_price *price) {
    for (int i = 0; i < t->helds; i++) {
        if (strcmp(t->held[i].term, price->term) != 0) continue;
        if (price->usd_per_s < t->held[i].usd_per_s) t->held[i] = *price;
        return;
    }
    if (t->helds < CLG_TERMS) t->held[t->helds++] = *price;
}

static void choose(clg_terms *t) {
    t->cheapest = -1;
    for (int i = 0; i < t->helds; i++)
        if (t->cheapest < 0 || t->held[i].usd_per_s < t->held[t->cheapest].usd_per_s)
            t->cheapest = i;
}

void clg_terms_find(clg_arena *arena, const clg_price *hourly, clg_terms *t) {
    int count = 0;
    *t = (clg_terms){.hourly = hourly, .cheapest = -1};
    if (!clg_price_known(hourly)) return;
    const clg_price *prices = clg_prices_of(arena, hourly->gpu, &count);
    const clg_price *spot = clg_price_cheapest(prices, count, "spot");
    if (spot) t->spot = *spot;
    for (int i = 0; i < count; i++)
        if (clg_price_held(&prices[i])) keep(t, clg_price_cheapest(prices, count, prices[i].term));
    choose(t);
}

void clg_terms_own(clg_terms *t, const clg_price *owned) {
    keep(t, owned);
    choose(t);
}

clg_price clg_price_owned(clg_arena *arena, const clg_gpu *gpu, const clg_operations *o,
                          const clg_owning *owning, double gpu_w) {
    clg_owning always = *owning;
    always.utilization = 1;
    return (clg_price){.name = "owned",
                       .provider = "your own",
                       .gpu = gpu->name,
                       .term =
                           clg_arena_print(arena, "owned, %.3g years", owning->life_s / CLG_YEAR_S),
                       .date = "--capex",
                       .usd_per_s = clg_owned_usd_per_s(o, &always, gpu_w)};
}

clg_mix clg_mix_of(const clg_terms *t, const double *needed, int64_t gpus) {
    clg_mix mix = {.usd_per_s = NAN, .hourly_usd_per_s = NAN};
    if (!(t->hourly->usd_per_s > 0)) return mix;
    double hourly = t->hourly->usd_per_s,
           held = t->cheapest < 0 ? (double)INFINITY : t->held[t->cheapest].usd_per_s;
    double all = 0, mixed = 0;
    for (int64_t n = 0; n < gpus && needed[n] > 0; n++) {
        bool hold = needed[n] * hourly > held;
        mix.held_gpus += hold;
        mix.most_gpus += !hold;
        mixed += hold ? held : needed[n] * hourly;
        all += needed[n] * hourly;
    }
    mix.usd_per_s = mixed;
    mix.hourly_usd_per_s = all;
    return mix;
}

/* Years in "reserved, 3 years". */
static double term_s(const clg_price *price) {
    const char *digit = price->term + strcspn(price->term, "123456789");
    return strtod(digit, NULL) * CLG_YEAR_S;
}

static clg_term_row row_of(const clg_price *price, const clg_operations *o, double gpus,
                           double parameters, double useful_s) {
    clg_goodput g = clg_goodput_of(o, gpus, parameters);
    double seconds = useful_s / g.share;
    return (clg_term_row){.price = price,
                          .seconds = seconds,
                          .usd = seconds * gpus * price->usd_per_s,
                          .share = g.share};
}

clg_status clg_spot_interruptions(clg_arena *arena, double *per_gpu_s, clg_error *error) {
    const clg_value_field fields[] = {{"interruptions", CLG_HERTZ, per_gpu_s}};
    return CLG_DATASET_NUMBERS(arena, "operations", "spot", fields, error);
}

clg_status clg_terms_rows(clg_arena *arena, const clg_terms *t, const clg_operations *o,
                          double gpus, double parameters, double useful_s,
                          clg_term_row rows[CLG_TERM_ROWS], int *filled, clg_error *error) {
    int count = 0;
    rows[count++] = row_of(t->hourly, o, gpus, parameters, useful_s);
    for (int i = 0; i < t->helds; i++) {
        clg_term_row *row = &rows[count++];
        *row = row_of(&t->held[i], o, gpus, parameters, useful_s);
        row->committed_usd = t->held[i].usd_per_s * gpus * term_s(&t->held[i]);
        if (t->hourly->usd_per_s > 0) row->pays_above = t->held[i].usd_per_s / t->hourly->usd_per_s;
    }
    *filled = count;
    if (!t->spot.term) return CLG_OK;
    clg_operations both = *o; /* failures and what is taken back, together */
    double taken_back;
    if (clg_spot_interruptions(arena, &taken_back, error) != CLG_OK) return error->status;
    both.failures_per_gpu_s += taken_back;
    rows[count++] = row_of(&t->spot, &both, gpus, parameters, useful_s);
    *filled = count;
    return CLG_OK;
}
