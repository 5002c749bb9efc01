/* electricity.c -- reads data/electricity.csv. */
#include "economics/electricity.h"

#include "dataset/kept.h"
#include "units/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static clg_csv read(clg_arena *arena) { return clg_dataset_csv(arena, "electricity.csv"); }

static double price_of(const clg_csv *csv, int row) {
    double price = strtod(clg_csv_field(csv, row, "usd_per_kwh"), NULL), si = 0;
    clg_error none;
    clg_quantity_of(price, "USD/kWh", CLG_USD_PER_JOULE, &si, &none);
    return si;
}

clg_status clg_electricity_find(clg_arena *arena, const char *region, double *usd_per_joule,
                                clg_error *error) {
    clg_csv csv = read(arena);
    const char *known = "";
    for (int i = 0; i < csv.rows; i++) {
        const char *name = clg_csv_field(&csv, i, "region");
        *usd_per_joule = price_of(&csv, i);
        if (strcmp(name, region) == 0) return CLG_OK;
        known = clg_arena_print(arena, "%s%s%s", known, i > 0 ? " " : "", name);
    }
    return clg_fail(error, CLG_BAD_INPUT,
                    clg_arena_print(arena, "give 0.08USD/kWh, or one of: %s", known),
                    "no price of electricity is known for '%.32s'", region);
}

void clg_electricity_band(clg_arena *arena, double *low, double *high) {
    clg_csv csv = read(arena);
    *low = INFINITY, *high = 0;
    for (int i = 0; i < csv.rows; i++) {
        *low = fmin(*low, price_of(&csv, i));
        *high = fmax(*high, price_of(&csv, i));
    }
}
