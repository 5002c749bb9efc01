/* storage.c -- rates from the step, checkpoints by Young's interval. */
#include "economics/storage.h"

/* At Young's interval sqrt(2 d M) writing for d seconds takes d / interval = sqrt(d / (2 M)) of the
 * time: a share s at d = 2 M s^2. */
static double rate_of_share(const clg_storage *s, double between_failures_s, double share) {
    return s->checkpoint_bytes / (2 * between_failures_s * share * share);
}

clg_storage clg_storage_of(const clg_operations *o, const clg_scenario *scenario,
                           const clg_evaluation *e) {
    const clg_layout *l = &e->layout;
    double gpus = (double)clg_layout_gpus(l), parameters = (double)scenario->model.parameters;
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
