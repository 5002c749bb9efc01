/* scenario.c -- makes a scenario's derived parts, and says what its GPU cannot do. */
#include "evaluate/scenario.h"

#include "step/routing.h"

#include <math.h>

clg_attention_kernel clg_scenario_attention(const clg_scenario *scenario) {
    const clg_stack *stack = &scenario->stack;
    clg_error error = {0};
    int kernel;
    if (stack->attention_final && clg_name_value(clg_attention_kernel_names, "attention",
                                                 stack->attention, &kernel, &error) == CLG_OK)
        return (clg_attention_kernel)kernel;
    return clg_attention_default(&scenario->machine.gpu, stack->attention, stack->attention_older);
}

/* Kernels are named above stacks: a file's word for one is looked at here. */
static clg_status known_attention(const clg_stack *stack, clg_error *error) {
    const char *const members[] = {"attention", "attention_older"};
    const char *const words[] = {stack->attention, stack->attention_older};
    for (int i = 0; i < 2; i++) {
        int kernel;
        if (!words[i] || clg_name_value(clg_attention_kernel_names, "attention", words[i], &kernel,
                                        error) == CLG_OK)
            continue; /* an engine has none */
        clg_error_at(error, stack->file, 0, 0, members[i]);
        return CLG_BAD_INPUT;
    }
    return CLG_OK;
}

static void note_sigmas(clg_scenario *s) {
    for (int p = 0; p < CLG_PRECISIONS; p++) s->built_in.gemm[p] = s->kernels.gemm[p].sigma;
    s->built_in.memory = s->kernels.memory.sigma;
    s->built_in.fast = s->network.sigma_fast;
    s->built_in.slow = s->network.sigma_slow;
}

/* What a trainer does not build is neither computed nor kept. */
static void leave_out_modules(clg_scenario *s) {
    if (s->stack.loss.further || s->model.prediction_layers == 0) return;
    s->model.prediction_layers = 0;
    clg_model_count(&s->model);
}

clg_status clg_scenario_prepare(clg_arena *arena, clg_scenario *scenario, clg_error *error) {
    if (known_attention(&scenario->stack, error) != CLG_OK) return CLG_BAD_INPUT;
    leave_out_modules(scenario);
    if (scenario->expert_imbalance < 1) scenario->expert_imbalance = 1;
    double limit_w = scenario->machine.node.gpu_limit_w;
    if (limit_w > 0 && limit_w < scenario->machine.gpu.tdp_w) scenario->machine.gpu.tdp_w = limit_w;
    clg_status status = clg_kernels_find(arena, &scenario->machine.gpu, &scenario->kernels, error);
    if (status == CLG_OK) status = clg_routing_spread(arena, &scenario->expert_spread, error);
    if (status == CLG_OK)
        status = clg_network_find(arena, &scenario->machine, &scenario->network, error);
    if (status == CLG_OK) note_sigmas(scenario);
    if (status == CLG_OK && scenario->kernel_file.text)
        status = clg_kernels_overlay(arena, &scenario->kernel_file, &scenario->machine.gpu,
                                     &scenario->kernels, error);
    if (status == CLG_OK && scenario->network_file.text)
        status = clg_network_overlay(arena, &scenario->network_file, &scenario->machine,
                                     &scenario->network, error);
    if (status == CLG_OK) status = clg_power_find(arena, &scenario->power, error);
    return status;
}

const char *clg_scenario_refuses(clg_arena *arena, const clg_scenario *scenario,
                                 clg_precision precision) {
    const clg_gpu *gpu = &scenario->machine.gpu;
    if (gpu->peak_flop_per_s[precision] > 0) return NULL;
    const char *has = "";
    for (int p = 0; p < CLG_PRECISIONS; p++)
        if (gpu->peak_flop_per_s[p] > 0)
            has = clg_arena_print(arena, "%s %s", has, clg_name_of(clg_precision_names, p));
    const char *half = gpu->peak_flop_per_s[CLG_BF16] > 0   ? ": --precision bf16"
                       : gpu->peak_flop_per_s[CLG_FP16] > 0 ? ": --precision fp16"
                                                            : "";
    return clg_arena_print(arena, "%s does not multiply in %s, but in%s%s", gpu->name,
                           clg_name_of(clg_precision_names, (int)precision), has, half);
}

/* Padded, every expert's rows are as many as the busiest's, whose rank is the fullest. */
double clg_learned_imbalance(const clg_scenario *scenario, const clg_layout *layout) {
    const clg_model *model = &scenario->model;
    bool padded = scenario->stack.experts.rows == CLG_ROWS_PADDED;
    double tokens = (double)layout->micro_batch * (double)layout->seq / layout->cp, fullest = 1;
    if (layout->sp) tokens /= layout->tp;
    for (int i = 0; i < model->kinds; i++) {
        const clg_mlp *mlp = &model->kind[i].mlp;
        int parts = padded ? (int)mlp->experts : layout->ep;
        double rows = tokens * mlp->experts_per_token * layout->ep / parts;
        if (mlp->experts > 1)
            fullest =
                fmax(fullest, clg_fullest_rank(scenario->expert_spread, parts, mlp->experts, rows));
    }
    return fullest;
}
