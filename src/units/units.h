/* units.h -- quantities with units, at the border.
 *
 * Inside everything is SI in double with the unit in the name. Outside a number without a unit is
 * an error, except counts. One table knows names, factor and dimension; it parses and prints. */
#ifndef CLG_UNITS_UNITS_H
#define CLG_UNITS_UNITS_H

#include "base/error.h"

#include <stddef.h>

#define CLG_DAY_S 86400.0

/* Seconds of a year of 365.25 days, as terms and lives are counted. */
#define CLG_YEAR_S (365.25 * CLG_DAY_S)

/* Of a month of 30 days, as bills are. */
#define CLG_MONTH_S (30 * CLG_DAY_S)

/* Of a mean month, as storage is charged for and growth is told. */
#define CLG_MEAN_MONTH_S (CLG_YEAR_S / 12)

typedef enum clg_dimension {
    CLG_COUNT,           /* no unit; 15T, 4k, 1.5M accepted */
    CLG_SECONDS,         /* ns us ms s min h d w y; weeks, months, years */
    CLG_BYTES,           /* B kB MB GB TB KiB MiB GiB TiB */
    CLG_BYTES_PER_S,     /* GB/s GiB/s Gbit/s Tbit/s ... */
    CLG_FLOP,            /* flop Gflop Tflop ... */
    CLG_FLOP_PER_S,      /* Tflop/s Pflop/s ... */
    CLG_WATTS,           /* W kW MW */
    CLG_JOULES,          /* J kJ MJ kWh MWh */
    CLG_USD,             /* USD kUSD MUSD */
    CLG_USD_PER_S,       /* USD/h, USD/day (per GPU unless the name says otherwise) */
    CLG_USD_PER_JOULE,   /* USD/kWh */
    CLG_TOKENS,          /* tok ktok Mtok Gtok Ttok */
    CLG_HERTZ,           /* Hz MHz GHz; also 1/s, req/s, req/day, any time */
    CLG_FRACTION,        /* 0.25 or 25% */
    CLG_GRAMS_PER_JOULE, /* gCO2/kWh */
    CLG_BYTES_PER_FLOP,  /* unused in data; for output */
    CLG_USD_PER_TOKEN,   /* USD/Mtok */
    CLG_GROWTH           /* 10% or 10%/month, in a month; 200%/year, the month that makes it */
} clg_dimension;

/* Parses "400Gbit/s", "80 GB", "2 weeks", "$2.5/h", "1,024", "15T" (count) as the given dimension.
 * A missing or foreign unit is CLG_BAD_INPUT whose mend gives an example. Locale-free. */
clg_status clg_quantity(const char *text, clg_dimension dimension, double *si, clg_error *error);

/* Value and unit apart, as data files have them: {"value": 80, "unit": "GB"}. */
clg_status clg_quantity_of(double value, const char *unit, clg_dimension dimension, double *si,
                           clg_error *error);

/* Prints `si` with the unit that gives 1 <= |number| < 1000 and `digits` significant digits:
 * "3.35 TB/s", "12.4 ms". Returns out. */
char *clg_quantity_print(double si, clg_dimension dimension, int digits, char *out, size_t size);

#endif
