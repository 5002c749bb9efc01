/* cells.c -- rows of tables of serving measurements: cells, names and the row itself. What a row
 * plans is columns.c. */
#include "measured/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const clg_name clg_measure_names[] = {{"ttft", CLG_MEASURE_TTFT, "to the first token"},
                                      {"tpot", CLG_MEASURE_TPOT, "per output token"},
                                      {"answer", CLG_MEASURE_ANSWER, "whole answer"},
                                      {"throughput", CLG_MEASURE_RATE, "output tokens/s"},
                                      {NULL, 0, NULL}};

const char *clg_cell_word(const clg_cell_reader *r, const char *column) {
    const char *field = clg_csv_field(r->table, r->row, column);
    return field ? field : "";
}

double clg_cell_number(const clg_cell_reader *r, const char *column, double otherwise) {
    const char *field = clg_cell_word(r, column);
    char *end;
    if (!*field) return otherwise;
    double value = strtod(field, &end);
    return *end || !isfinite(value) || fabs(value) > 1e12 ? otherwise : value;
}

int clg_cell_degree(const clg_cell_reader *r, const char *column) {
    double value = clg_cell_number(r, column, 1);
    if (value == 0) return 1;
    return value >= 1 && value <= 4096 ? (int)value : -1;
}

void clg_cell_measure(clg_cell_reader *r, clg_measure what, double value) {
    if (value > 0) r->into->measured[what] = value;
}

const char *clg_check_lengths(const clg_serve_plan *p) {
    if (!(p->load.prompt_tokens >= 1) || !(p->load.output_tokens >= 1))
        return "lengths are not given";
    if (p->load.prompt_tokens > 1e6 || p->load.output_tokens > 1e6) return "lengths are absurd";
    if (p->load.clients < 0 || p->load.clients > 1 << 20 || p->load.requests < 1 ||
        p->load.requests > 1 << 24)
        return "clients are not given, or absurd";
    return NULL;
}

const char *clg_check_part(const clg_part *p) {
    if (p->tp < 0 || p->pp < 0 || p->dp < 0 || p->ep < 0 || p->copies < 0)
        return "a degree is absurd";
    if (p->tp > 16) return "tp over 16: GPUs of a whole system, its degrees are not given";
    if (p->tp * p->dp % p->ep != 0) return "expert groups do not divide the GPUs";
    return NULL;
}

bool clg_measured_recognised(const clg_csv *table) {
    return clg_csv_has(table, "prompt_tokens") && clg_csv_has(table, "output_tokens_per_s");
}

static const char *or_unknown(const char *name) { return name && *name ? name : "?"; }

static const char *group_of(clg_arena *arena, const clg_serve_plan *p) {
    if (p->box.workload)
        return clg_arena_print(arena, "%s %s %s %s", p->box.workload, or_unknown(p->gpu), p->engine,
                               p->box.timed ? "server" : "offline");
    return clg_arena_print(arena, "%s %s %s %s%s", or_unknown(p->model), or_unknown(p->gpu),
                           p->engine, clg_name_of(clg_precision_names, (int)p->weights),
                           p->prefill.copies > 0 ? " disaggregated" : "");
}

/* The name of the file alone. */
static const char *source_of(clg_arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path, *dot = strstr(name, ".csv");
    return clg_arena_copy(arena, name, dot ? (size_t)(dot - name) : strlen(name));
}

const char *clg_measured_read(clg_arena *arena, const clg_csv *table, int row, clg_measured *into) {
    clg_cell_reader r = {arena, table, row, into};
    *into = (clg_measured){.source = source_of(arena, table->name)};
    into->plan.load.shortest = 1;
    into->plan.weights = into->plan.cache = CLG_BF16;
    into->plan.part = (clg_part){1, 1, 1, 1, 1};
    for (int i = 0; i < CLG_MEASURES; i++)
        into->measured[i] = into->predicted[i] = into->low[i] = into->high[i] = into->roofline[i] =
            into->constant[i] = (double)NAN;
    into->rho = (double)NAN;
    const char *id = clg_cell_word(&r, "id"), *given = clg_cell_word(&r, "reason");
    into->id = *id ? id : clg_arena_print(arena, "%s:%d", into->source, table->row[row].line);
    const char *reason =
        clg_measured_recognised(table) ? clg_measured_plain(&r) : "no known form of serving table";
    into->group = group_of(arena, &into->plan);
    if (*given) return given;
    bool any = false;
    for (int i = 0; i < CLG_MEASURES; i++) any = any || isfinite(into->measured[i]);
    return reason ? reason : any ? NULL : "nothing is measured";
}
