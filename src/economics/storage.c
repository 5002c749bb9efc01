/* storage.c -- rates from the step, checkpoints by Young's interval. */
#include "economics/storage.h"

#include "dataset/open.h"
#include "units/units.h"

/* At Young's interval sqrt(2 d M) writing for d seconds takes d / interval = sqrt(d / (2 M)) of the
 * time: a share s at d = 2 M s^2. */
static double rate_of_share(const clg_storage *s, double between_failures_s, double share) {
    return s->checkpoint_bytes / (2 * between_failures_s * share * share);
}

clg_storage clg_storage_of(const clg_operations *o, const clg_scenario *scenario,
                           const clg_evaluation *e) {
    const clg_layout *l = &e->layout;
    double gpus = (double)clg_layout_gpus(l), parameters = e->trained_parameters;
    double nodes = gpus / scenario->machine.node.gpus;
    clg_goodput g = clg_goodput_of(o, gpus, parameters);
    clg_storage s = {.samples_per_s = (double)l->global_batch / e->step_s,
                     .read_bytes_per_s = e->tokens_per_s * o->token_bytes,
                     .bytes_per_s = o->checkpoint_bytes_per_s * gpus,
                     .checkpoint_bytes = parameters * o->checkpoint_parameter_bytes,
                     .checkpoint_s = g.checkpoint_s,
                     .interval_s = g.interval_s};
    s.node_bytes = s.checkpoint_bytes / (nodes > 1 ? nodes : 1);
    if (!(g.interval_s > 0)) return s;
    s.share = g.checkpoint_s / g.interval_s;
    s.one_percent_bytes_per_s = rate_of_share(&s, g.mean_time_between_failures_s, 0.01);
    return s;
}

clg_status clg_storage_prices_read(clg_arena *arena, clg_storage_prices *p, clg_error *error) {
    const clg_value_field fields[] = {{"tb_month_low", CLG_USD, &p->tb_month_low_usd},
                                      {"tb_month_high", CLG_USD, &p->tb_month_high_usd},
                                      {"tb_out_low", CLG_USD, &p->tb_out_low_usd},
                                      {"tb_out_high", CLG_USD, &p->tb_out_high_usd},
                                      {"checkpoints_kept", CLG_COUNT, &p->checkpoints}};
    return CLG_DATASET_NUMBERS(arena, "operations", "storage", fields, error);
}

clg_storage_bill clg_storage_bill_of(const clg_storage_prices *p, const clg_operations *o,
                                     double tokens, double parameters, double seconds) {
    static const double TB = 1e12;
    double weight_bytes = clg_precision_bytes(CLG_BF16); /* as models are published */
    clg_storage_bill b = {.data_bytes = tokens * o->token_bytes,
                          .checkpoint_bytes = parameters * o->checkpoint_parameter_bytes,
                          .checkpoints = p->checkpoints};
    double months = seconds / CLG_MEAN_MONTH_S;
    double kept_tb = (b.data_bytes + b.checkpoints * b.checkpoint_bytes) / TB;
    double moved_tb = (b.data_bytes + parameters * weight_bytes) / TB;
    b.low_usd = p->tb_month_low_usd * kept_tb * months;
    b.high_usd = p->tb_month_high_usd * kept_tb * months;
    b.out_low_usd = p->tb_out_low_usd * moved_tb;
    b.out_high_usd = p->tb_out_high_usd * moved_tb;
    return b;
}
