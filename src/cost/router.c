/* router.c -- a table of timed products, and the peak beyond it. */
#include "cost/router.h"

#include "dataset/dataset.h"
#include "dataset/kept.h"
#include "dataset/value.h"

#include <math.h>

static clg_status read_points(const clg_json *root, const char *file, clg_router_curve *c,
                              clg_error *error) {
    const clg_json *object = clg_json_member(root, "time");
    const clg_json *list = object ? clg_json_member(object, "value") : NULL;
    for (const clg_json *pair = list ? list->first : NULL; pair; pair = pair->next, c->points++) {
        const clg_json *tokens = pair->first, *us = tokens ? tokens->next : NULL;
        int at = c->points;
        bool good = at < CLG_ROUTER_POINTS && us && tokens->kind == CLG_JSON_NUMBER &&
                    us->kind == CLG_JSON_NUMBER && us->number > 0 &&
                    tokens->number > (at > 0 ? c->tokens[at - 1] : 0);
        if (!good) {
            clg_error_at(error, file, pair->line, pair->column, "time");
            return clg_fail(error, CLG_BAD_INPUT, "give pairs [tokens, us] whose tokens rise",
                            "times that cannot be read");
        }
        c->tokens[at] = tokens->number;
        c->seconds[at] = us->number * 1e-6;
    }
    if (c->points > 1) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, NULL, "%s: times of routers are missing", file);
}

clg_status clg_router_find(clg_arena *arena, clg_router_curve *c, clg_error *error) {
    const clg_file *file = clg_dataset_find("operations/router.json");
    const clg_json *root;
    *c = (clg_router_curve){0};
    if (!file) return clg_fail(error, CLG_BAD_INPUT, NULL, "routers in fp32 are not built in");
    if (clg_dataset_parse(arena, file->path, file->text, file->size, &root, error) != CLG_OK)
        return error->status;
    const clg_value_field fields[] = {{"hidden", CLG_COUNT, &c->hidden},
                                      {"unit", CLG_FLOP_PER_S, &c->unit_flop_per_s},
                                      {"flop_share", CLG_FRACTION, &c->flop_share}};
    if (clg_value_fields(root, file->path, fields, sizeof fields / sizeof fields[0], error) !=
            CLG_OK ||
        read_points(root, file->path, c, error) != CLG_OK)
        return error->status;
    return clg_value_done(root, file->path, error);
}

static double timed_s(const clg_router_curve *c, double tokens) {
    if (tokens <= c->tokens[0]) return c->seconds[0];
    if (tokens >= c->tokens[c->points - 1]) return c->seconds[c->points - 1];
    int at = 1;
    while (c->tokens[at] < tokens) at++;
    double share = (tokens - c->tokens[at - 1]) / (c->tokens[at] - c->tokens[at - 1]);
    return c->seconds[at - 1] + share * (c->seconds[at] - c->seconds[at - 1]);
}

double clg_router_s(const clg_router_curve *c, const clg_gpu *gpu, double tokens, double experts,
                    double hidden) {
    double peak = gpu->peak_flop_per_s[CLG_FP32], units = gpu->multiprocessors;
    if (peak <= 0 || units <= 0) return timed_s(c, tokens);
    double slower = c->unit_flop_per_s / (peak / units) * hidden / c->hidden;
    double along = c->seconds[0] + (timed_s(c, tokens) - c->seconds[0]) * slower;
    return fmax(along, 2 * tokens * experts * hidden / (peak * c->flop_share));
}
