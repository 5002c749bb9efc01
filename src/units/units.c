/* units.c -- the table of units, and parsing and printing by it. */
#include "units/units.h"

#include "base/letters.h"
#include "base/real.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNIT_SIZE = 64 };

typedef struct clg_unit {
    const char *name;
    clg_dimension dimension;
    double factor; /* SI value of one */
} clg_unit;

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
                                 {"B/s", CLG_BYTES_PER_S, 1},
                                 {"kB/s", CLG_BYTES_PER_S, 1e3},
                                 {"MB/s", CLG_BYTES_PER_S, 1e6},
                                 {"GB/s", CLG_BYTES_PER_S, 1e9},
                                 {"TB/s", CLG_BYTES_PER_S, 1e12},
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
                                 {"USD", CLG_USD, 1},
                                 {"kUSD", CLG_USD, 1e3},
                                 {"MUSD", CLG_USD, 1e6},
                                 {"GUSD", CLG_USD, 1e9},
                                 {"USD/h", CLG_USD_PER_S, 1 / 3600.0},
                                 {"USD/kWh", CLG_USD_PER_JOULE, 1 / 3.6e6},
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
                                 {"USD/Mtok", CLG_USD_PER_TOKEN, 1e-6},
                                 {"%", CLG_FRACTION, 0.01},
                                 {"gCO2/kWh", CLG_GRAMS_PER_JOULE, 1 / 3.6e6},
                                 {NULL, CLG_COUNT, 0}};

/* Units that people write and no answer prints: binary and bit units, spelled-out times. */
static const clg_unit read_units[] = {{"KiB", CLG_BYTES, 1024.0},
                                      {"MiB", CLG_BYTES, 1048576.0},
                                      {"GiB", CLG_BYTES, 1073741824.0},
                                      {"TiB", CLG_BYTES, 1099511627776.0},
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
                                      {"Gb", CLG_BYTES_PER_S, 1e9 / 8}, /* "100Gb", of a network */
                                      {"Tb", CLG_BYTES_PER_S, 1e12 / 8},
                                      {"k", CLG_USD, 1e3}, /* "100k" */
                                      {"M", CLG_USD, 1e6},
                                      {"million", CLG_TOKENS, 1e6},
                                      {"billion", CLG_TOKENS, 1e9},
                                      {"trillion", CLG_TOKENS, 1e12},
                                      {"kWh", CLG_JOULES, 3.6e6},
                                      {"MWh", CLG_JOULES, 3.6e9},
                                      {"GWh", CLG_JOULES, 3.6e12},
                                      {"USD/MWh", CLG_USD_PER_JOULE, 1 / 3.6e9},
                                      {"1", CLG_FRACTION, 1},
                                      {"percent", CLG_FRACTION, 0.01},
                                      {"B/flop", CLG_BYTES_PER_FLOP, 1},
                                      {"sec", CLG_SECONDS, 1},
                                      {"second", CLG_SECONDS, 1},
                                      {"minute", CLG_SECONDS, 60},
                                      {"hr", CLG_SECONDS, 3600},
                                      {"hour", CLG_SECONDS, 3600},
                                      {"day", CLG_SECONDS, 86400},
                                      {"w", CLG_SECONDS, 7 * 86400.0},
                                      {"week", CLG_SECONDS, 7 * 86400.0},
                                      {"month", CLG_SECONDS, CLG_MONTH_S},
                                      {"y", CLG_SECONDS, CLG_YEAR_S},
                                      {"year", CLG_SECONDS, CLG_YEAR_S},
                                      {NULL, CLG_COUNT, 0}};

static const char *const examples[] = {[CLG_COUNT] = "1024 or 15T",
                                       [CLG_SECONDS] = "2us, 30min, 60d or 2w",
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
                                       [CLG_HERTZ] = "5req/s, 20000req/day or 1.98GHz",
                                       [CLG_FRACTION] = "0.25 or 25%",
                                       [CLG_GRAMS_PER_JOULE] = "350gCO2/kWh",
                                       [CLG_BYTES_PER_FLOP] = "0.3B/flop",
                                       [CLG_USD_PER_TOKEN] = "0.6USD/Mtok",
                                       [CLG_GROWTH] = "10%, 10%/month or 200%/year"};

static const clg_unit *find_in(const clg_unit *unit, const char *name, clg_dimension dimension) {
    for (; unit->name; unit++)
        if (unit->dimension == dimension && strcmp(unit->name, name) == 0) return unit;
    return NULL;
}

/* SI value of one of this unit as it is written; 0 for none. */
static double factor_of(const char *name, clg_dimension dimension) {
    const clg_unit *unit = find_in(units, name, dimension);
    if (!unit) unit = find_in(read_units, name, dimension);
    return unit ? unit->factor : 0;
}

/* `text` behind `start`; NULL where it begins otherwise. */
static const char *behind(const char *text, const char *start) {
    size_t size = strlen(start);
    return strncmp(text, start, size) == 0 ? text + size : NULL;
}

/* `name` without `ending` and the blanks before it, in `out` of UNIT_SIZE; `name` where it ends
 * otherwise. */
static const char *without(const char *name, const char *ending, char *out) {
    size_t size = strlen(name), tail = strlen(ending);
    if (size < tail || size >= UNIT_SIZE || strcmp(name + size - tail, ending) != 0) return name;
    for (size -= tail; size > 0 && name[size - 1] == ' ';) size--;
    snprintf(out, UNIT_SIZE, "%.*s", (int)size, name);
    return out;
}

/* "weeks" are of a week; "ms" and "s" stay. */
static double time_factor(const char *name) {
    char one[UNIT_SIZE];
    double factor = factor_of(name, CLG_SECONDS);
    return factor > 0 || strlen(name) < 3 ? factor
                                          : factor_of(without(name, "s", one), CLG_SECONDS);
}

/* "5qps", "300rpm". */
static double rate_word(const char *name) {
    if (strcmp(name, "rpm") == 0) return 1.0 / 60;
    return strcmp(name, "qps") == 0 || strcmp(name, "rps") == 0 ? 1 : 0;
}

/* "req/day", "requests/min", "1/h" and "/s": so many in a time; "M req/day" a million as many. */
static double rate_factor(const char *name) {
    static const char *const counted[] = {"requests/", "request/", "req/", "1/", "/"};
    double factor = factor_of(name, CLG_HERTZ), time_s = 0;
    double many = *name == 'k' ? 1e3 : *name == 'M' ? 1e6 : 1;
    if (many > 1) name += 1 + strspn(name + 1, " ");
    for (size_t i = 0; i < sizeof counted / sizeof counted[0] && factor <= 0 && time_s <= 0; i++)
        if (behind(name, counted[i])) time_s = time_factor(behind(name, counted[i]));
    if (time_s <= 0 && factor <= 0) return many * rate_word(name);
    return time_s > 0 ? many / time_s : factor;
}

/* "2T tokens" are 2T, "1,000 tokens" 1,000tok. */
static double token_factor(const char *name) {
    char one[UNIT_SIZE], bare[UNIT_SIZE];
    name = without(name, "tokens", bare);
    name = without(name, "token", one);
    return *name ? factor_of(name, CLG_TOKENS) : 1;
}

static double factor_as_written(const char *name, clg_dimension dimension) {
    if (dimension == CLG_SECONDS) return time_factor(name);
    if (dimension == CLG_HERTZ) return rate_factor(name);
    if (dimension == CLG_TOKENS) return token_factor(name);
    if (dimension == CLG_USD_PER_S && behind(name, "USD/")) {
        const char *time = behind(name, "USD/GPU-");
        double time_s = time_factor(time ? time : behind(name, "USD/"));
        return time_s > 0 ? 1 / time_s : 0;
    }
    return factor_of(name, dimension);
}

/* Mean months of "month", "year", "weeks"; 0: no time. */
static double months_of(const char *time) {
    return strcmp(time, "month") == 0 || strcmp(time, "mo") == 0
               ? 1
               : time_factor(time) / CLG_MEAN_MONTH_S;
}

/* The share that is added each month where so much is in the time of its unit; NAN: it is none. */
static double growth_of(double value, const char *unit) {
    static const char *const by[] = {"/", " a ", " per "};
    char share[UNIT_SIZE];
    const char *time = "month";
    snprintf(share, sizeof share, "%.*s", UNIT_SIZE - 1, unit);
    for (size_t i = 0; i < sizeof by / sizeof by[0]; i++) {
        char *at = strstr(share, by[i]);
        if (!at) continue;
        time = at + strlen(by[i]);
        *at = '\0';
        break;
    }
    double factor = *share ? factor_of(share, CLG_FRACTION) : 1, months = months_of(time);
    double grown = value * factor;
    if (factor <= 0 || months <= 0) return NAN;
    return months == 1.0 || grown <= -1 ? grown : clg_pow(1 + grown, 1 / months) - 1;
}

/* A bare number is a count, a fraction, or an error; tokens may be counted too ("15T"). */
static bool bare_allowed(clg_dimension dimension) {
    return dimension == CLG_COUNT || dimension == CLG_FRACTION;
}

/* `text` is what was written; NULL: the fault says all. */
static clg_status refuse(clg_dimension dimension, const char *text, const char *fault,
                         clg_error *error) {
    char mend[128];
    snprintf(mend, sizeof mend, "write it like %s", examples[dimension]);
    clg_status status = text ? clg_fail(error, CLG_BAD_INPUT, mend, "'%.32s' %s", text, fault)
                             : clg_fail(error, CLG_BAD_INPUT, mend, "%s", fault);
    if (error) error->example = true;
    return status;
}

clg_status clg_quantity_of(double value, const char *unit_name, clg_dimension dimension, double *si,
                           clg_error *error) {
    bool bare = !unit_name[0];
    if (dimension == CLG_GROWTH) {
        *si = growth_of(value, unit_name);
        return isnan(*si) ? refuse(dimension, unit_name, "is no growth", error) : CLG_OK;
    }
    double factor = bare ? bare_allowed(dimension) : factor_as_written(unit_name, dimension);
    if (factor > 0) {
        *si = value * factor;
        return CLG_OK;
    }
    bool pace = strcmp(unit_name, "tok/s") == 0 || strcmp(unit_name, "tokens/s") == 0;
    if (pace && dimension == CLG_SECONDS && value > 0) {
        char mend[64];
        snprintf(mend, sizeof mend, "give the time of one: %.4gms", 1e3 / value);
        return clg_fail(error, CLG_BAD_INPUT, mend, "'%.32s' is a rate", unit_name);
    }
    return bare ? refuse(dimension, NULL, "a number without a unit", error)
                : refuse(dimension, unit_name, "is no unit of this quantity", error);
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

/* `text` with the commas of its thousands taken out, "1,024" and "50,000.5", in `out`. Others stay:
 * what follows them is no unit. */
static void without_thousands(const char *text, char *out, size_t size) {
    size_t first = strspn(text, "0123456789"), at = first;
    bool grouped = first >= 1 && first <= 3 && text[0] != '0';
    while (grouped && text[at] == ',' && strspn(text + at + 1, "0123456789") == 3) at += 4;
    if (text[at] == ',') at = first;
    size_t used = 0;
    for (size_t i = 0; text[i] && used + 1 < size; i++)
        if (i >= at || text[i] != ',') out[used++] = text[i];
    out[used] = '\0';
}

/* The unit of "$3", "$2.5/h" and "$2M": USD, USD/h and MUSD. */
static void dollar_unit(const char *unit, char *out) {
    if (*unit == 'B')
        snprintf(out, UNIT_SIZE, "GUSD%.48s", unit + 1);
    else if (*unit && strchr("kMG", *unit))
        snprintf(out, UNIT_SIZE, "%cUSD%.48s", *unit, unit + 1);
    else
        snprintf(out, UNIT_SIZE, "USD%.48s", unit);
}

enum { LONGEST = 127 }; /* characters */

clg_status clg_quantity(const char *written, clg_dimension dimension, double *si,
                        clg_error *error) {
    char plain[LONGEST + 1], number[64], spelt[UNIT_SIZE];
    while (*written == ' ') written++;
    if (memchr(written, '\0', LONGEST + 1) == NULL)
        return refuse(dimension, written, "... is longer than any quantity", error);
    bool dollars = *written == '$' && clg_is_digit(written[1]);
    without_thousands(written + dollars, plain, sizeof plain);
    const char *text = plain;
    size_t length = number_length(text);
    if (length == 0 || length > 60) return refuse(dimension, written, "is no number", error);
    memcpy(number, text, length);
    number[length] = '\0';
    double value = strtod(number, NULL);
    const char *unit = text + length;
    if (*unit == ',' && clg_is_digit(unit[1]))
        return refuse(dimension, written, "has a comma: decimals take a point", error);
    while (*unit == ' ') unit++;
    if (!isfinite(value)) return refuse(dimension, written, "is out of range", error);
    if (dollars) dollar_unit(unit, spelt);
    return clg_quantity_of(value, dollars ? spelt : unit, dimension, si, error);
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
        if (unit->dimension != dimension) continue;
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
