/* evaluate.c -- the front door: checks, then price and compose. */
#include "evaluate/evaluate.h"

#include "base/normal.h"
#include "evaluate/compose.h"
#include "schedule/schedule.h"
#include "step/routing.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const clg_name clg_wall_names[] = {
    {"compute", CLG_WALL_COMPUTE, "matrix products and attention"},
    {"memory bandwidth", CLG_WALL_MEMORY_BANDWIDTH, "kernels that stream HBM, optimizer"},
    {"tensor-parallel communication", CLG_WALL_TP, NULL},
    {"context-parallel communication", CLG_WALL_CP, NULL},
    {"expert-parallel communication", CLG_WALL_EP, NULL},
    {"data-parallel communication", CLG_WALL_DP, NULL},
    {"pipeline sends", CLG_WALL_SENDS, NULL},
    {"pipeline bubble", CLG_WALL_BUBBLE, NULL},
    {"host", CLG_WALL_HOST, "kernel launches, per-step work on the CPU, data loading"},
    {"stragglers", CLG_WALL_STRAGGLER, "waiting for the slowest part"},
    {"memory", CLG_WALL_MEMORY, "the plan does not fit"},
    {NULL, 0, NULL}};

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

clg_status clg_scenario_prepare(clg_arena *arena, clg_scenario *scenario, clg_error *error) {
    if (known_attention(&scenario->stack, error) != CLG_OK) return CLG_BAD_INPUT;
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
    bool half = gpu->peak_flop_per_s[CLG_FP16] > 0;
    return clg_arena_print(arena, "%s does not multiply in %s, but in%s%s", gpu->name,
                           clg_name_of(clg_precision_names, (int)precision), has,
                           half ? ": --precision fp16" : "");
}

/* What layout rules cannot know: the schedule's own, and the GPU's. */
static const char *refuses(clg_arena *arena, const clg_scenario *scenario,
                           const clg_layout *layout) {
    const char *why = clg_layout_refuses(arena, &scenario->model, layout);
    if (why) return why;
    why = clg_schedule_of(layout->schedule)->refuses(clg_pipeline_of(layout));
    if (why) return why;
    return clg_scenario_refuses(arena, scenario, layout->precision);
}

clg_status clg_evaluate(clg_arena *arena, const clg_scenario *scenario, const clg_layout *layout,
                        bool detail, clg_timeline *timeline, clg_evaluation *evaluation,
                        clg_error *error) {
    const char *why = refuses(arena, scenario, layout);
    if (why) return clg_fail(error, CLG_BAD_INPUT, NULL, "%s", why);
    clg_priced *priced = clg_arena_room(arena, 1, sizeof *priced);
    clg_price_blocks(scenario, layout, NULL, priced);
    clg_wanted wanted = {.detail = detail, .timeline = timeline};
    if (clg_compose(arena, scenario, layout, priced, wanted, evaluation, error) != CLG_OK)
        return error->status;
    if (!detail) return CLG_OK;
    evaluation->caveats = clg_evaluate_caveats(arena, scenario, layout);
    clg_evaluate_networks(arena, scenario, evaluation);
    return CLG_OK;
}

double clg_ledger_traffic_s(const clg_time_ledger *t) {
    return t->tp_exposed_s + t->cp_exposed_s + t->ep_exposed_s + t->dp_exposed_s + t->pp_exposed_s;
}

double clg_executed_flop_per_s_per_gpu(const clg_evaluation *e) {
    return e->executed_flop / e->step_s / (double)clg_layout_gpus(&e->layout);
}

/* 1.2816 sigma of a log-normal error, to first order so that every machine prints the same digits
 * (no exp in answers). */
void clg_evaluation_widen(clg_evaluation *e, clg_sides sides) {
    e->log_sigma = (sides.early + sides.late) / 2;
    e->step_p90_s = e->step_s * (1 + CLG_SIGMAS_TO_TENTH * sides.late);
    e->step_p10_s = e->step_s / (1 + CLG_SIGMAS_TO_TENTH * sides.early);
}

/* `wide`: P90 over the prediction. */
static double chance_above(double needed_bytes, double wide, double capacity_bytes) {
    if (!(wide > 1)) return needed_bytes > capacity_bytes ? 1 : 0;
    return clg_normal_below(log(needed_bytes / capacity_bytes) / log(wide) * CLG_SIGMAS_TO_TENTH);
}

double clg_evaluation_overflow(const clg_evaluation *e, double capacity_bytes) {
    double wide = e->memory_p90_bytes / e->memory.total_bytes;
    return chance_above(e->memory.needed_bytes, wide, capacity_bytes);
}

double clg_evaluation_chance_out(const clg_evaluation *e) {
    return clg_evaluation_overflow(e, e->capacity_bytes);
}

double clg_memory_limit_bytes(const clg_scenario *scenario, double capacity_bytes, double risk) {
    double wide = clg_memory_wide(scenario), low = 0, high = capacity_bytes;
    double needed_share = clg_memory_needed_share(&scenario->stack);
    if (chance_above(high, wide, capacity_bytes) <= risk) return high / needed_share;
    for (int i = 0; i < 64; i++) { /* halves until no double is left between */
        double middle = low + (high - low) / 2;
        if (chance_above(middle, wide, capacity_bytes) <= risk)
            low = middle;
        else
            high = middle;
    }
    return low / needed_share;
}

double clg_memory_wide(const clg_scenario *scenario) {
    return 1 + CLG_SIGMAS_TO_TENTH * scenario->stack.sigma.memory;
}

/* One change of a layout and how people say it. */
typedef struct change {
    const char *say;
    bool (*apply)(clg_layout *layout);
} change;

static bool selective(clg_layout *l) {
    if (l->recompute != CLG_RECOMPUTE_NONE) return false;
    l->recompute = CLG_RECOMPUTE_SELECTIVE;
    return true;
}

static bool full(clg_layout *l) {
    if (l->recompute == CLG_RECOMPUTE_FULL && l->recompute_layers == 0) return false;
    l->recompute = CLG_RECOMPUTE_FULL;
    l->recompute_layers = 0;
    return true;
}

static bool more_zero(clg_layout *l) {
    if (l->zero >= 3) return false;
    l->zero = l->zero == 0 ? 1 : 3;
    return true;
}

static bool halve_micro_batch(clg_layout *l) {
    if (l->micro_batch % 2 != 0) return false;
    l->micro_batch /= 2;
    l->accumulation *= 2;
    return true;
}

static bool sequence_parallel(clg_layout *l) {
    if (l->sp || l->tp == 1) return false;
    l->sp = true;
    return true;
}

static bool double_tp(clg_layout *l) {
    if (l->dp % 2 != 0) return false;
    l->tp *= 2;
    l->dp /= 2;
    l->accumulation *= 2;
    return true;
}

static bool double_pp(clg_layout *l) {
    if (l->dp % 2 != 0) return false;
    l->pp *= 2;
    l->split = NULL;
    l->dp /= 2;
    l->accumulation *= 2;
    return true;
}

const char *clg_evaluate_mend(clg_arena *arena, const clg_scenario *scenario,
                              const clg_layout *layout) {
    static const change changes[] = {{"switch sequence parallel on", sequence_parallel},
                                     {"raise the ZeRO stage", more_zero},
                                     {"recompute selectively", selective},
                                     {"halve the micro-batch", halve_micro_batch},
                                     {"recompute whole layers", full},
                                     {"double tp and halve dp", double_tp},
                                     {"double pp and halve dp", double_pp}};
    clg_error error = {0};
    clg_evaluation now;
    if (clg_evaluate(arena, scenario, layout, false, NULL, &now, &error) != CLG_OK || now.fits)
        return NULL;
    for (unsigned i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        clg_layout changed = *layout;
        clg_evaluation then;
        if (!changes[i].apply(&changed) || clg_stack_lacks(&scenario->stack, &changed)) continue;
        error = (clg_error){0};
        if (clg_evaluate(arena, scenario, &changed, false, NULL, &then, &error) != CLG_OK ||
            !then.fits)
            continue;
        char words[160];
        clg_layout_print(&changed, words, sizeof words);
        return clg_arena_print(arena, "%s (%s): %.1f GB, step %.2f s", changes[i].say, words,
                               then.memory.total_bytes / 1e9, then.step_s);
    }
    return NULL;
}
