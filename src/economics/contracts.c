/* contracts.c -- terms of one GPU kind, and the cheapest mix of two of them. */
#include "economics/contracts.h"

#include "dataset/dataset.h"

#include <math.h>
#include <string.h>

static void keep(clg_terms *t, const clg_price *price) {
    for (int i = 0; i < t->helds; i++) {
        if (strcmp(t->held[i].term, price->term) != 0) continue;
        if (price->usd_per_s < t->held[i].usd_per_s) t->held[i] = *price;
        return;
    }
    if (t->helds < CLG_TERMS) t->held[t->helds++] = *price;
}

static bool is_held(const clg_price *price) { return strncmp(price->term, "reserved", 8) == 0; }

void clg_terms_find(clg_arena *arena, const clg_price *hourly, clg_terms *t) {
    int files;
    const clg_file *file = clg_dataset_folder("price/", &files);
    *t = (clg_terms){.hourly = hourly, .cheapest = -1};
    for (int i = 0; i < files && clg_price_known(hourly); i++) {
        clg_price price;
        clg_error none = {0};
        if (clg_price_read(arena, file[i].path, file[i].text, file[i].size, &price, &none) ==
                CLG_OK &&
            strcmp(price.gpu, hourly->gpu) == 0 && is_held(&price))
            keep(t, &price);
    }
    for (int i = 0; i < t->helds; i++)
        if (t->cheapest < 0 || t->held[i].usd_per_s < t->held[t->cheapest].usd_per_s)
            t->cheapest = i;
}

clg_mix clg_mix_of(const clg_terms *t, const double *needed, int64_t gpus) {
    clg_mix mix = {.usd_per_s = NAN, .hourly_usd_per_s = NAN, .held_usd_per_s = NAN};
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
    if (t->cheapest >= 0) mix.held_usd_per_s = held * (double)(mix.held_gpus + mix.most_gpus);
    return mix;
}
