/* exchange.c -- a table of timed kernels. */
#include "cost/exchange.h"

#include "base/real.h"
#include "dataset/dataset.h"
#include "dataset/kept.h"
#include "dataset/value.h"

#include <math.h>

static clg_status read_points(const clg_json *list, const char *file, clg_exchange_curve *c,
                              clg_error *error) {
    for (const clg_json *row = list ? list->first : NULL; row; row = row->next, c->points++) {
        const clg_json *ranks = clg_json_member(row, "ranks");
        int at = c->points;
        if (at == CLG_EXCHANGE_POINTS || !ranks || ranks->kind != CLG_JSON_NUMBER) {
            clg_error_at(error, file, row->line, row->column, "low_latency");
            return clg_fail(error, CLG_BAD_INPUT, "give ranks, there and back",
                            "a point that cannot be read");
        }
        c->ranks[at] = (int)ranks->number;
        if (clg_value_read(row, "there", CLG_SECONDS, true, file, &c->there_s[at], error) !=
                CLG_OK ||
            clg_value_read(row, "back", CLG_SECONDS, true, file, &c->back_s[at], error) != CLG_OK)
            return error->status;
    }
    return CLG_OK;
}

clg_status clg_exchange_find(clg_arena *arena, clg_exchange_curve *c, clg_error *error) {
    const clg_file *file = clg_dataset_find("exchange/sent-tokens.json");
    const clg_json *root;
    *c = (clg_exchange_curve){0};
    if (!file) return clg_fail(error, CLG_BAD_INPUT, NULL, "exchange of tokens is not built in");
    if (clg_dataset_parse(arena, file->path, file->text, file->size, &root, error) != CLG_OK)
        return error->status;
    const clg_value_field fields[] = {{"tokens", CLG_COUNT, &c->tokens},
                                      {"hidden", CLG_COUNT, &c->hidden},
                                      {"experts", CLG_COUNT, &c->experts},
                                      {"line", CLG_BYTES_PER_S, &c->line_bytes_per_s},
                                      {"multiprocessors", CLG_COUNT, &c->multiprocessors}};
    if (clg_value_fields(root, file->path, fields, sizeof fields / sizeof fields[0], error) !=
        CLG_OK)
        return error->status;
    if (read_points(clg_json_member(root, "low_latency"), file->path, c, error) != CLG_OK)
        return error->status;
    return clg_value_done(root, file->path, error);
}

static double at_ranks(const clg_exchange_curve *c, const double *seconds, int ranks) {
    if (ranks <= c->ranks[0]) return seconds[0];
    int i = 1;
    while (i + 1 < c->points && c->ranks[i] < ranks) i++;
    double below = clg_log2((double)c->ranks[i - 1]), above = clg_log2((double)c->ranks[i]);
    double share = fmin(1, (clg_log2((double)ranks) - below) / (above - below));
    return seconds[i - 1] + share * (seconds[i] - seconds[i - 1]);
}

double clg_exchange_decode_s(const clg_exchange_curve *c, const clg_network *network,
                             double line_bytes_per_s, int ranks, double experts, double hidden,
                             double tokens) {
    double hop = network->slow.latency_s;
    double bytes = tokens / c->tokens * hidden / c->hidden * experts / c->experts;
    double each = bytes * c->line_bytes_per_s / line_bytes_per_s;
    return 2 * hop +
           (at_ranks(c, c->there_s, ranks) + at_ranks(c, c->back_s, ranks) - 2 * hop) * each;
}
