/* profile_read.c -- tables of rates, by the hour or by windows of any length. */
#include "demand/demand.h"

#include "base/csv.h"
#include "base/name.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns of a table of rates; NULL where it has none. */
typedef struct rate_columns {
    const char *rate, *start, *service;
    double seconds; /* the rate is per so many */
} rate_columns;

static clg_status choose_rates(const clg_csv *csv, rate_columns *c, clg_error *error) {
    static const struct {
        const char *column;
        double seconds;
    } units[] = {{"req_per_min_mid", 60}, {"req_per_min", 60},     {"req_per_s", 1},
                 {"req_per_hour", 3600},  {"total_rate_req_s", 1}, {NULL, 0}};
    *c = (rate_columns){0};
    for (int i = 0; units[i].column && !c->rate; i++)
        if (clg_csv_has(csv, units[i].column)) {
            c->rate = units[i].column;
            c->seconds = units[i].seconds;
        }
    c->start = clg_csv_has(csv, "window_start_s") ? "window_start_s" : NULL;
    c->service = clg_csv_has(csv, "service") ? "service"
                 : clg_csv_has(csv, "model") ? "model"
                                             : NULL;
    clg_error_at(error, csv->name, 1, 0, NULL);
    if (c->rate) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "name one req_per_s, req_per_min or req_per_hour",
                    "no column of rates in the header");
}

static bool number_in(const clg_csv *csv, int row, const char *column, double *value) {
    const char *field = clg_csv_field(csv, row, column);
    char *end;
    if (!field || !*field) return false;
    *value = strtod(field, &end);
    return !*end && isfinite(*value) && *value >= 0;
}

/* The first service of a table, or the one that was asked for. */
static clg_status choose_service(clg_arena *arena, const clg_csv *csv, const rate_columns *c,
                                 const char *asked, const char **service, clg_error *error) {
    *service = NULL;
    if (asked && !c->service)
        return clg_fail(error, CLG_BAD_INPUT, "leave --service out",
                        "no column of services in the header");
    if (!c->service || csv->rows == 0) return CLG_OK;
    const char **names = clg_take(arena, (size_t)csv->rows, const char *);
    for (int row = 0; row < csv->rows; row++) {
        names[row] = clg_csv_field(csv, row, c->service);
        if (!names[row]) names[row] = "";
        if (!*service && (!asked || strcmp(names[row], asked) == 0)) *service = names[row];
    }
    if (*service) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT,
                    clg_arena_print(arena, "did you mean %.40s?",
                                    clg_name_nearest(names, csv->rows, asked)
                                        ? clg_name_nearest(names, csv->rows, asked)
                                        : names[0]),
                    "no service '%.40s' in it", asked);
}

/* Rows hold until the next one starts, the last as long as the one before it. */
static clg_status settle_starts(const clg_csv *csv, const int *line, const double *start_s,
                                clg_rate_profile *p, clg_error *error) {
    for (int64_t i = 0; i + 1 < p->steps; i++) {
        p->step[i].seconds = start_s[i + 1] - start_s[i];
        clg_error_at(error, csv->name, line[i + 1], 0, "window_start_s");
        if (!(p->step[i].seconds > 0))
            return clg_fail(error, CLG_BAD_INPUT, "sort the rows of a service by time",
                            "a window that does not start after the one before it");
    }
    if (p->steps > 1) p->step[p->steps - 1].seconds = p->step[p->steps - 2].seconds;
    return CLG_OK;
}

static clg_status read_rates(clg_arena *arena, const clg_csv *csv, const rate_columns *c,
                             clg_rate_profile *p, clg_error *error) {
    int *line = clg_take(arena, (size_t)csv->rows + 1, int);
    double *start_s = clg_take(arena, (size_t)csv->rows + 1, double), rate;
    for (int row = 0; row < csv->rows; row++) {
        const char *whose = c->service ? clg_csv_field(csv, row, c->service) : NULL;
        if (p->service && (!whose || strcmp(whose, p->service) != 0)) {
            p->others++;
            continue;
        }
        clg_error_at(error, csv->name, csv->row[row].line, 0, c->rate);
        if (!number_in(csv, row, c->rate, &rate))
            return clg_fail(error, CLG_BAD_INPUT, "give 0 or more, or take the row out",
                            "no rate of 0 or more");
        line[p->steps] = csv->row[row].line;
        if (c->start && !number_in(csv, row, c->start, &start_s[p->steps]))
            return clg_fail(error, CLG_BAD_INPUT, "give seconds from the first row",
                            "no time of 0 or more in window_start_s");
        p->step[p->steps++] = (clg_rate_step){3600, rate / c->seconds};
    }
    if (c->start && settle_starts(csv, line, start_s, p, error) != CLG_OK) return error->status;
    if (error) *error = (clg_error){0}; /* what comes after is not about a row */
    return CLG_OK;
}

clg_status clg_rate_profile_read(clg_arena *arena, const char *name, const char *text, size_t size,
                                 const char *service, clg_rate_profile *profile, clg_error *error) {
    clg_csv csv;
    rate_columns columns;
    if (clg_csv_parse(arena, name, text, size, &csv, error) != CLG_OK) return error->status;
    *profile = (clg_rate_profile){.step = clg_take(arena, (size_t)csv.rows + 1, clg_rate_step)};
    if (choose_rates(&csv, &columns, error) != CLG_OK ||
        choose_service(arena, &csv, &columns, service, &profile->service, error) != CLG_OK)
        return error->status;
    return read_rates(arena, &csv, &columns, profile, error);
}
