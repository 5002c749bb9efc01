/* outcome.c -- what a ledger of seconds comes to: rates, watts, dollars, the wall, the interval. */
#include "evaluate/composition.h"

#include "evaluate/interval.h"

/* A frozen weight asks for no gradient: two of six operations less; its adapters', whole. */
static double flop_per_token(const clg_model *model, int64_t seq, double frozen) {
    double flop = clg_model_flop_per_token(model, seq);
    if (frozen == 0) return flop;
    double adapters = (1 - frozen) * (double)model->parameters;
    return flop - 2.0 * (double)model->active_parameters + 6 * adapters;
}

static void fill_rates(const clg_scenario *scenario, double frozen, clg_evaluation *e) {
    const clg_layout *layout = &e->layout;
    const clg_gpu *gpu = &scenario->machine.gpu;
    double gpus = (double)clg_layout_gpus(layout);
    double tokens = clg_layout_tokens(layout);
    double peak = gpu->peak_flop_per_s[layout->precision];
    e->tokens_per_s = tokens / e->step_s;
    e->tokens_per_s_per_gpu = e->tokens_per_s / gpus;
    e->model_flop = tokens * flop_per_token(&scenario->model, layout->seq, frozen);
    e->model_flop_per_s_per_gpu = e->model_flop / e->step_s / gpus;
    e->mfu = e->model_flop_per_s_per_gpu / peak;
    e->hfu = e->executed_flop / e->step_s / gpus / peak;
}

static void fill_power_and_cost(const clg_scenario *scenario, clg_evaluation *e) {
    const clg_time_ledger *t = &e->time;
    double kernels = e->matrix_s + e->attention_s + e->memory_bound_s;
    clg_activity activity = {.matrix_s = e->matrix_s,
                             .attention_s = e->attention_s,
                             .memory_s =
                                 e->memory_bound_s + (t->compute_s - kernels) + t->optimizer_s,
                             .waiting_s = clg_ledger_traffic_s(t) + t->straggler_s,
                             .idle_s = t->bubble_s + t->host_s + t->data_loading_s};
    e->gpu_w = clg_power_gpu_w(&scenario->power, &scenario->machine.gpu, &activity);
    clg_machine machine = scenario->machine;
    machine.gpus = (int)clg_layout_gpus(&e->layout);
    e->cluster_w = clg_power_cluster_w(&machine, e->gpu_w);
    e->step_j = e->cluster_w * e->step_s;
    e->tokens_per_j = e->tokens_per_s / e->cluster_w;
    double usd_per_s = scenario->price.usd_per_s * machine.gpus;
    e->usd_per_h = usd_per_s * 3600;
    e->usd_per_million_tokens = usd_per_s / e->tokens_per_s * 1e6;
}

typedef struct wall_term {
    double seconds;
    clg_wall wall;
} wall_term;

static wall_term largest(const wall_term *terms, size_t count) {
    wall_term most = terms[0];
    for (size_t i = 1; i < count; i++)
        if (terms[i].seconds > most.seconds) most = terms[i];
    return most;
}

/* The largest part of the step. All traffic is one part, and goes by the name of its largest kind.
 */
static clg_wall wall_of(const clg_evaluation *e) {
    if (!e->fits) return CLG_WALL_MEMORY;
    const clg_time_ledger *t = &e->time;
    const wall_term traffic[] = {{t->tp_exposed_s, CLG_WALL_TP},
                                 {t->cp_exposed_s, CLG_WALL_CP},
                                 {t->ep_exposed_s, CLG_WALL_EP},
                                 {t->dp_exposed_s, CLG_WALL_DP},
                                 {t->pp_exposed_s, CLG_WALL_SENDS}};
    wall_term most = largest(traffic, sizeof traffic / sizeof traffic[0]);
    const wall_term terms[] = {{e->matrix_s + e->attention_s, CLG_WALL_COMPUTE},
                               {e->memory_bound_s + t->optimizer_s, CLG_WALL_MEMORY_BANDWIDTH},
                               {clg_ledger_traffic_s(t), most.wall},
                               {t->bubble_s, CLG_WALL_BUBBLE},
                               {t->host_s + t->data_loading_s, CLG_WALL_HOST},
                               {t->straggler_s, CLG_WALL_STRAGGLER}};
    return largest(terms, sizeof terms / sizeof terms[0]).wall;
}

static void fill_interval(const clg_scenario *scenario, clg_evaluation *e) {
    e->doubt = clg_doubt_of(scenario, e);
    clg_evaluation_widen(e, clg_doubt_sides(&e->doubt, &scenario->stack));
}

void clg_outcome(const clg_scenario *scenario, double frozen_share, clg_evaluation *e) {
    fill_rates(scenario, frozen_share, e);
    e->trained_parameters = (double)scenario->model.parameters * (1 - frozen_share);
    fill_power_and_cost(scenario, e);
    fill_interval(scenario, e);
    e->bound_by = wall_of(e);
}
