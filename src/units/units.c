/* units.c -- the table of units, and parsing and printing by it. */
#include "units/units.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const clg_unit units[] = {{"k", CLG_COUNT, 1e3},
                                 {"M", CLG_COUNT, 1e6},
                                 {"B", CLG_COUNT, 1e9},
                                 {"T", CLG_COUNT, 1e12},
                                 {"s", CLG_SECONDS, 1},
                                 {"ns", CLG_SECONDS, 1e-9},
                                 {"us", CLG_SECONDS, 1e-6},
                                 {"ms", CLG_SECONDS, 1e-3},
                                 {"min", CLG_SECONDS, 60},
                                 {"h", CLG_SECONDS, 3600},
                                 {"d", CLG_SECONDS, 86400},
                                 {"B", CLG_BYTES, 1},
                                 {"kB", CLG_BYTES, 1e3},
                                 {"MB", CLG_BYTES, 1e6},
                                 {"GB", CLG_BYTES, 1e9},
                                 {"TB", CLG_BYTES, 1e12},
                                 {"KiB", CLG_BYTES, 1024.0},
                                 {"MiB", CLG_BYTES, 1048576.0},
                                 {"GiB", CLG_BYTES, 1073741824.0},
                                 {"TiB", CLG_BYTES, 1099511627776.0},
                                 {"B/s", CLG_BYTES_PER_S, 1},
                                 {"kB/s", CLG_BYTES_PER_S, 1e3},
                                 {"MB/s", CLG_BYTES_PER_S, 1e6},
                                 {"GB/s", CLG_BYTES_PER_S, 1e9},
                                 {"TB/s", CLG_BYTES_PER_S, 1e12},
                                 {"GiB/s", CLG_BYTES_PER_S, 1073741824.0},
                                 {"Mbit/s", CLG_BYTES_PER_S, 1e6 / 8},
                                 {"Gbit/s", CLG_BYTES_PER_S, 1e9 / 8},
                                 {"Tbit/s", CLG_BYTES_PER_S, 1e12 / 8},
                                 {"Mb/s", CLG_BYTES_PER_S, 1e6 / 8},
                                 {"Gb/s", CLG_BYTES_PER_S, 1e9 / 8},
                                 {"Tb/s", CLG_BYTES_PER_S, 1e12 / 8},
                                 {"Mbps", CLG_BYTES_PER_S, 1e6 / 8},
                                 {"Gbps", CLG_BYTES_PER_S, 1e9 / 8},
                                 {"Tbps", CLG_BYTES_PER_S, 1e12 / 8},
                                 {"flop", CLG_FLOP, 1},
                                 {"Gflop", CLG_FLOP, 1e9},
                                 {"Tflop", CLG_FLOP, 1e12},
                                 {"Pflop", CLG_FLOP, 1e15},
                                 {"Eflop", CLG_FLOP, 1e18},
                                 {"Zflop", CLG_FLOP, 1e21},
                                 {"flop/s", CLG_FLOP_PER_S, 1},
                                 {"Gflop/s", CLG_FLOP_PER_S, 1e9},
                                 {"Tflop/s", CLG_FLOP_PER_S, 1e12},
                                 {"Pflop/s", CLG_FLOP_PER_S, 1e15},
                                 {"Eflop/s", CLG_FLOP_PER_S, 1e18},
                                 {"W", CLG_WATTS, 1},
                                 {"kW", CLG_WATTS, 1e3},
                                 {"MW", CLG_WATTS, 1e6},
                                 {"GW", CLG_WATTS, 1e9},
                                 {"J", CLG_JOULES, 1},
                                 {"kJ", CLG_JOULES, 1e3},
                                 {"MJ", CLG_JOULES, 1e6},
                                 {"GJ", CLG_JOULES, 1e9},
                                 {"kWh", CLG_JOULES, 3.6e6},
                                 {"MWh", CLG_JOULES, 3.6e9},
                                 {"GWh", CLG_JOULES, 3.6e12},
                                 {"USD", CLG_USD, 1},
                                 {"kUSD", CLG_USD, 1e3},
                                 {"MUSD", CLG_USD, 1e6},
                                 {"GUSD", CLG_USD, 1e9},
                                 {"USD/h", CLG_USD_PER_S, 1 / 3600.0},
                                 {"USD/s", CLG_USD_PER_S, 1},
                                 {"USD/kWh", CLG_USD_PER_JOULE, 1 / 3.6e6},
                                 {"USD/MWh", CLG_USD_PER_JOULE, 1 / 3.6e9},
                                 {"tok", CLG_TOKENS, 1},
                                 {"ktok", CLG_TOKENS, 1e3},
                                 {"Mtok", CLG_TOKENS, 1e6},
                                 {"Gtok", CLG_TOKENS, 1e9},
                                 {"Ttok", CLG_TOKENS, 1e12},
                                 {"k", CLG_TOKENS, 1e3},
                                 {"M", CLG_TOKENS, 1e6},
                                 {"G", CLG_TOKENS, 1e9},
                                 {"B", CLG_TOKENS, 1e9},
                                 {"T", CLG_TOKENS, 1e12},
                                 {"Hz", CLG_HERTZ, 1},
                                 {"kHz", CLG_HERTZ, 1e3},
                                 {"MHz", CLG_HERTZ, 1e6},
                                 {"GHz", CLG_HERTZ, 1e9},
                                 {"1/s", CLG_HERTZ, 1},
                                 {"1/h", CLG_HERTZ, 1 / 3600.0},
                                 {"req/s", CLG_HERTZ, 1},
                                 {"req/min", CLG_HERTZ, 1 / 60.0},
                                 {"req/h", CLG_HERTZ, 1 / 3600.0},
                                 {"USD/Mtok", CLG_USD_PER_TOKEN, 1e-6},
                                 {"%", CLG_FRACTION, 0.01},
                                 {"1", CLG_FRACTION, 1},
                                 {"gCO2/kWh", CLG_GRAMS_PER_JOULE, 1 / 3.6e6},
                                 {"B/flop", CLG_BYTES_PER_FLOP, 1},
                                 {NULL, CLG_COUNT, 0}};

static const char *const examples[] = {[CLG_COUNT] = "1024 or 15T",
                                       [CLG_SECONDS] = "2us, 30min or 60d",
                                       [CLG_BYTES] = "80GB or 64MiB",
                                       [CLG_BYTES_PER_S] = "400Gbit/s or 3.35TB/s",
                                       [CLG_FLOP] = "3e24flop",
                                       [CLG_FLOP_PER_S] = "989Tflop/s",
                                       [CLG_WATTS] = "700W or 5MW",
                                       [CLG_JOULES] = "12MWh",
                                       [CLG_USD] = "20MUSD",
                                       [CLG_USD_PER_S] = "2.5USD/h",
                                       [CLG_USD_PER_JOULE] = "0.08USD/kWh",
                                       [CLG_TOKENS] = "16Mtok",
                                       [CLG_HERTZ] = "5req/s or 1.98GHz",
                                       [CLG_FRACTION] = "0.25 or 25%",
                                       [CLG_GRAMS_PER_JOULE] = "350gCO2/kWh",
                                       [CLG_BYTES_PER_FLOP] = "0.3B/flop",
                                       [CLG_USD_PER_TOKEN] = "0.6USD/Mtok"};

const clg_unit *clg_units(void) { return units; }

static const clg_unit *find(const char *name, clg_dimension dimension) {
    for (const clg_unit *unit = units; unit->name; unit++)
        if (unit->dimension == dimension && strcmp(unit->name, name) == 0) return unit;
    return NULL;
}

/* A bare number is a count, a fraction, or an error; tokens may be counted too ("15T"). */
static bool bare_allowed(clg_dimension dimension) {
    return dimension == CLG_COUNT || dimension == CLG_FRACTION;
}

clg_status clg_quantity_of(double value, const char *unit_name, clg_dimension dimension, double *si,
                           clg_error *error) {
    char mend[128];
    snprintf(mend, sizeof mend, "write it like %s", examples[dimension]);
    if (!unit_name[0] && bare_allowed(dimension)) {
        *si = value;
        return CLG_OK;
    }
    if (!unit_name[0]) return clg_fail(error, CLG_BAD_INPUT, mend, "a number without a unit");
    const clg_unit *unit = find(unit_name, dimension);
    if (!unit)
        return clg_fail(error, CLG_BAD_INPUT, mend, "'%.32s' is no unit of this quantity",
                        unit_name);
    *si = value * unit->factor;
    return CLG_OK;
}

/* Characters a decimal number is written with; hexadecimal and words like "inf" are not numbers
 * here. */
static size_t number_length(const char *text) {
    size_t i = strspn(text, "+-"), digits = strspn(text + i, "0123456789");
    i += digits;
    if (text[i] == '.') {
        size_t more = strspn(text + i + 1, "0123456789");
        digits += more;
        i += 1 + more;
    }
    if (digits == 0) return 0;
    if (text[i] != 'e' && text[i] != 'E') return i;
    size_t sign = strspn(text + i + 1, "+-");
    size_t exponent = sign <= 1 ? strspn(text + i + 1 + sign, "0123456789") : 0;
    return exponent ? i + 1 + sign + exponent : i;
}

clg_status clg_quantity(const char *text, clg_dimension dimension, double *si, clg_error *error) {
    char mend[128];
    snprintf(mend, sizeof mend, "write it like %s", examples[dimension]);
    while (*text == ' ') text++;
    bool dollars = *text == '$' && text[1] >= '0' && text[1] <= '9';
    text += dollars;
    size_t length = number_length(text);
    if (length == 0 || length > 60)
        return clg_fail(error, CLG_BAD_INPUT, mend, "'%.32s' is no number", text);
    char number[64];
    memcpy(number, text, length);
    number[length] = '\0';
    double value = strtod(number, NULL);
    const char *unit = text + length;
    while (*unit == ' ') unit++;
    if (!isfinite(value))
        return clg_fail(error, CLG_BAD_INPUT, mend, "'%.32s' is out of range", text);
    char spelt[64];
    if (dollars) snprintf(spelt, sizeof spelt, "USD%.48s", unit); /* "$2.5/h" is 2.5USD/h */
    return clg_quantity_of(value, dollars ? spelt : unit, dimension, si, error);
}

/* Whether people expect this unit in output: binary and bit units are for input. */
static bool printable(const clg_unit *unit) {
    static const char *const input_only[] = {
        "KiB",     "MiB",   "GiB",  "TiB",   "GiB/s",   "Mbit/s", "Gbit/s", "Tbit/s", "kWh",
        "MWh",     "1/h",   "GWh",  "USD/s", "USD/MWh", "1/s",    "1",      "B/flop", "req/s",
        "req/min", "req/h", "Mb/s", "Gb/s",  "Tb/s",    "Mbps",   "Gbps",   "Tbps"};
    for (size_t i = 0; i < sizeof input_only / sizeof input_only[0]; i++)
        if (strcmp(unit->name, input_only[i]) == 0) return false;
    return true;
}

/* Digits behind the point so that `digits` are shown in all; 9.996 becomes 10.0, not 10.00. */
static int decimals_of(double shown, int digits) {
    int before = 1;
    double half = 0.5; /* of the last place shown */
    for (int i = 1; i < digits; i++) half /= 10;
    for (double rest = shown; rest + half >= 10 && isfinite(rest); rest /= 10) before++;
    return digits > before ? digits - before : 0;
}

/* "0 s": nothing has no size to choose a unit by. */
static char *print_nothing(clg_dimension dimension, char *out, size_t size) {
    const clg_unit *unit = units;
    while (unit->name && !(unit->dimension == dimension && unit->factor == 1)) unit++;
    snprintf(out, size, "0%s%s", unit->name ? " " : "", unit->name ? unit->name : "");
    return out;
}

char *clg_quantity_print(double si, clg_dimension dimension, int digits, char *out, size_t size) {
    const clg_unit *best = NULL;
    double magnitude = fabs(si);
    if (magnitude <= 0 && dimension != CLG_COUNT && dimension != CLG_FRACTION)
        return print_nothing(dimension, out, size);
    for (const clg_unit *unit = units; unit->name; unit++) {
        if (unit->dimension != dimension || !printable(unit)) continue;
        if (!best || (unit->factor <= magnitude && unit->factor > best->factor) ||
            (best->factor > magnitude && unit->factor < best->factor))
            best = unit;
    }
    double shown =
        best && !(dimension == CLG_COUNT && magnitude < best->factor) ? si / best->factor : si;
    const char *name = best && shown != si ? best->name : "";
    if (best && best->factor == 1) name = best->name;
    if (dimension == CLG_FRACTION) shown = si * 100, name = "%";
    int after = decimals_of(fabs(shown), digits);
    snprintf(out, size, "%.*f%s%s", after, shown,
             *name && dimension != CLG_COUNT && dimension != CLG_FRACTION ? " " : "", name);
    return out;
}
