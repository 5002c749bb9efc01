/* goodput.c -- Young's interval, and what owning costs. */
#include "economics/goodput.h"

#include "base/real.h"
#include "dataset/open.h"
#include "units/units.h"

#include <math.h>

clg_status clg_operations_default(clg_arena *arena, clg_operations *o, clg_error *error) {
    const clg_value_field rows[] = {
        {"failures", CLG_HERTZ, &o->failures_per_gpu_s},
        {"restart", CLG_SECONDS, &o->restart_s},
        {"swap", CLG_SECONDS, &o->swap_s},
        {"short_rent", CLG_SECONDS, &o->short_rent_s},
        {"short_nodes", CLG_COUNT, &o->short_nodes},
        {"dear", CLG_FRACTION, &o->dear_share},
        {"repair", CLG_SECONDS, &o->repair_s},
        {"node_share", CLG_FRACTION, &o->node_share},
        {"checkpoint_rate", CLG_BYTES_PER_S, &o->checkpoint_bytes_per_s},
        {"checkpoint_per_parameter", CLG_BYTES, &o->checkpoint_parameter_bytes},
        {"token", CLG_BYTES, &o->token_bytes},
        {"pue", CLG_COUNT, &o->pue},
        {"electricity", CLG_USD_PER_JOULE, &o->usd_per_joule}};
    return CLG_DATASET_NUMBERS(arena, "operations", "defaults", rows, error);
}

double clg_down_s(const clg_operations *o) { return o->restart_s + o->node_share * o->swap_s; }

clg_goodput clg_goodput_of(const clg_operations *o, double gpus, double parameters) {
    clg_goodput g = {.share = 1, .mean_time_between_failures_s = INFINITY};
    g.checkpoint_s =
        parameters * o->checkpoint_parameter_bytes / (o->checkpoint_bytes_per_s * gpus);
    double rate = o->failures_per_gpu_s * gpus;
    if (rate <= 0) return g;
    g.mean_time_between_failures_s = 1 / rate;
    g.interval_s = sqrt(2 * g.checkpoint_s / rate);
    double lost = g.checkpoint_s / g.interval_s + rate * g.interval_s / 2 + rate * clg_down_s(o);
    g.share = 1 / (1 + lost);
    return g;
}

double clg_capital_usd_per_s(const clg_owning *own) {
    double sale_usd = own->capex_usd * own->residual_share;
    double rate = log(1 + own->interest) / CLG_YEAR_S, later = clg_exp(-rate * own->life_s);
    if (!(rate > 0)) return (own->capex_usd - sale_usd) / own->life_s;
    return (own->capex_usd - sale_usd * later) * rate / (1 - later);
}

double clg_owned_usd_per_s(const clg_operations *o, const clg_owning *own, double gpu_w) {
    return clg_capital_usd_per_s(own) / own->utilization + gpu_w * o->pue * o->usd_per_joule;
}
