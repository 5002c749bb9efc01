/* causes.c -- the causes: each a change to the world a step is priced in.
 *
 * To add one: a function, a row of causes[], a file in data/cause/. */
#include "diagnose/cause.h"

#include "explain/operations.h"

#include <string.h>

static int nodes_of(const clg_world *w) {
    int per_node = w->scenario->machine.node.gpus;
    return (int)((clg_layout_gpus(&w->layout) + per_node - 1) / per_node);
}

/* --- links --- */

static bool slow_network(clg_world *w, double strength) {
    w->scenario->network.slow.bytes_per_s /= strength;
    return nodes_of(w) > 1;
}

static bool late_network(clg_world *w, double strength) {
    w->scenario->network.slow.latency_s *= strength;
    w->scenario->network.base_slow_s *= strength;
    return nodes_of(w) > 1;
}

/* Wire time grows with every doubling of domains beyond two: with two there is nothing to grow. */
static bool crowded_network(clg_world *w, double strength) {
    w->scenario->network.tail += strength;
    return clg_layout_gpus(&w->layout) > 2 * w->scenario->machine.node.domain;
}

static bool slow_links(clg_world *w, double strength) {
    clg_network *n = &w->scenario->network;
    n->fast.bytes_per_s /= strength;
    n->pair_bytes_per_s /= strength;
    n->fast.reduces = false; /* boards that talk through the host have no switch that adds */
    return w->scenario->machine.node.gpus > 1;
}

static bool split_tensor(clg_world *w, double strength) {
    (void)strength;
    if (w->layout.tp < 2 || nodes_of(w) < 2) return false;
    w->scenario->machine.node.domain = w->layout.tp > 2 ? w->layout.tp / 2 : 1;
    return true;
}

/* Of what shards wait, what they would not if no rank came late: the rest is the network's. */
static double shards_s(clg_arena *arena, const clg_scenario *s, const clg_evaluation *e) {
    if (clg_layout_gpus(&e->layout) <= s->machine.node.gpus || e->layout.zero < 2) return 0;
    clg_scenario *even = clg_take(arena, 1, clg_scenario);
    clg_evaluation other;
    clg_error none = {0};
    *even = *s;
    even->stack.sigma.shard_jitter = 0;
    if (clg_evaluate(arena, even, &e->layout, false, NULL, &other, &none) != CLG_OK) return 0;
    double late = e->time.dp_exposed_s - other.time.dp_exposed_s;
    return late > 0 ? late : 0;
}

static double network_s(clg_arena *arena, const clg_scenario *s, const clg_evaluation *e) {
    if (clg_layout_gpus(&e->layout) <= s->machine.node.gpus) return 0;
    return e->time.dp_exposed_s - shards_s(arena, s, e) + e->time.pp_exposed_s +
           e->time.cp_exposed_s;
}

static double tensor_s(clg_arena *arena, const clg_scenario *s, const clg_evaluation *e) {
    (void)arena;
    return e->layout.tp <= s->machine.node.domain ? e->time.tp_exposed_s : 0;
}

static double far_tensor_s(clg_arena *arena, const clg_scenario *s, const clg_evaluation *e) {
    (void)arena;
    return e->layout.tp > s->machine.node.domain ? e->time.tp_exposed_s : 0;
}

/* --- GPUs and hosts --- */

static bool slow_gpu(clg_world *w, double strength) {
    w->more_s = w->plan->time.compute_s * (strength - 1);
    w->meets = true;
    return clg_layout_gpus(&w->layout) > 1;
}

static double straggler_s(clg_arena *arena, const clg_scenario *s, const clg_evaluation *e) {
    (void)arena;
    (void)s;
    return e->time.straggler_s;
}

/* 1: attention through memory; 2: and norms, activations, residuals and loss; 3: and sums of
 * gradients, with twice the host's work a kernel. */
static bool unfused(clg_world *w, double level) {
    clg_stack *s = &w->scenario->stack;
    w->layout.attention = CLG_UNFUSED;
    s->fused.softmax = false;
    if (level >= 2)
        s->fused.norm = s->fused.elementwise = s->fused.rotary = s->fused.cross_entropy = false;
    if (level >= 3) {
        s->fused.accumulation = false;
        s->host.launch_s *= 2;
    }
    return true;
}

static bool slow_host(clg_world *w, double strength) {
    clg_stack *s = &w->scenario->stack;
    s->host.launch_s *= strength;
    s->host.step_s *= strength;
    s->host.micro_batch_s *= strength;
    w->idles = true;
    return true;
}

/* What a step has less with its experts in one call. Calls that gather parameters are taken as the
 * experts', who have nearly all of a mixture's. */
typedef struct one_by_one {
    double host_s, kernels_s;
} one_by_one;

static one_by_one experts_one_by_one(clg_arena *arena, const clg_scenario *s,
                                     const clg_evaluation *e) {
    if (!clg_model_experts(&s->model)) return (one_by_one){0};
    clg_scenario *without = clg_take(arena, 1, clg_scenario);
    clg_evaluation other;
    clg_error none = {0};
    *without = *s;
    clg_stack *stack = &without->stack;
    stack->host.expert_s = stack->host.experts_s = stack->host.gather_s = 0;
    if (stack->experts.rows == CLG_ROWS_LOOPED) stack->experts.rows = CLG_ROWS_INDEXED;
    if (clg_evaluate(arena, without, &e->layout, false, NULL, &other, &none) != CLG_OK)
        return (one_by_one){0};
    double kernels_s = e->memory_bound_s - other.memory_bound_s;
    return (one_by_one){e->time.host_s - other.time.host_s, kernels_s > 0 ? kernels_s : 0};
}

static double memory_bound_s(clg_arena *arena, const clg_scenario *s, const clg_evaluation *e) {
    double kernels_s = e->memory_bound_s - experts_one_by_one(arena, s, e).kernels_s;
    return e->layout.offload ? kernels_s : kernels_s + e->time.optimizer_s;
}

/* The host updates what it keeps. */
static double kept_s(clg_arena *arena, const clg_scenario *s, const clg_evaluation *e) {
    (void)arena;
    (void)s;
    return e->layout.offload ? e->time.optimizer_s : 0;
}

static double host_s(clg_arena *arena, const clg_scenario *s, const clg_evaluation *e) {
    return e->time.host_s - s->data_loading_s - experts_one_by_one(arena, s, e).host_s;
}

/* 1: 32-bit inputs rounded to TF32; 2: products in full 32 bits, outside of tensor cores. */
static bool wide_numbers(clg_world *w, double level) {
    clg_precision precision = level < 2 ? CLG_TF32 : CLG_FP32;
    if (w->layout.precision == CLG_FP32 || w->layout.precision == precision) return false;
    w->layout.precision = precision;
    return w->scenario->machine.gpu.peak_flop_per_s[precision] > 0;
}

/* States of the optimizer, and under ZeRO-3, as the common files have it (DeepSpeed offload_param,
 * FSDP CPUOffload), shards of weights too, which come over PCIe in every forward and backward,
 * nothing of it hidden: errs high. A host of few threads is slower; of pageable memory, which makes
 * PCIe slower too: left out. */
static bool offloads(clg_world *w, double strength) {
    const clg_layout *l = &w->layout;
    const clg_scenario *s = w->scenario;
    double shard = (double)s->model.parameters * clg_weight_bytes(l) / (double)clg_layout_gpus(l);
    double pcie = s->machine.gpu.pcie_bytes_per_s;
    w->scenario->stack.host.gigabyte_s *= strength;
    w->layout.offload = w->idles = true;
    if (l->zero == 3 && pcie > 0) w->more_s = 2 * (double)l->accumulation * shard / pcie;
    return true;
}

static bool waits(clg_world *w, double steps) {
    w->more_s = steps * w->plan->step_s;
    w->idles = true;
    return true;
}

static bool waits_for_data(clg_world *w, double steps) {
    w->more_s = w->data_s = steps * w->plan->step_s;
    w->idles = true;
    return true;
}

/* A compiler takes as long whatever the step. */
static bool compiles(clg_world *w, double seconds) {
    w->more_s = seconds;
    w->idles = true;
    return true;
}

static double loading_s(clg_arena *arena, const clg_scenario *s, const clg_evaluation *e) {
    (void)arena;
    (void)e;
    return s->data_loading_s;
}

/* Allocators only free and ask again where memory is nearly full. */
static bool pressed(clg_world *w, double steps) {
    w->more_s = steps * w->plan->step_s;
    w->idles = true;
    return w->plan->memory.total_bytes > w->memory_from * w->plan->capacity_bytes;
}

/* --- the plan --- */

static bool recomputes(clg_world *w, double level) {
    if (w->layout.recompute == CLG_RECOMPUTE_FULL) return false;
    if (level < 2 && w->layout.recompute != CLG_RECOMPUTE_NONE) return false;
    w->layout.recompute = level < 2 ? CLG_RECOMPUTE_SELECTIVE : CLG_RECOMPUTE_FULL;
    w->layout.recompute_layers = 0;
    return true;
}

static double recomputed_s(clg_arena *arena, const clg_scenario *s, const clg_evaluation *e) {
    clg_operations_table t = clg_explain_operations(arena, s, e);
    double seconds = 0;
    for (int i = 0; i < t.count; i++)
        if (strcmp(t.row[i].block, "update") != 0 && t.row[i].op->pass == CLG_PASS_RECOMPUTE)
            seconds += t.row[i].seconds * t.row[i].times;
    return seconds;
}

/* Fixed costs of kernels weigh more: short or padded sequences, small micro-batches. */
static bool small_work(clg_world *w, double strength) {
    clg_kernels *k = &w->scenario->kernels;
    for (int p = 0; p < CLG_PRECISIONS; p++) {
        k->gemm[p].launch_s *= strength;
        k->gemm[p].k_overhead *= strength;
        k->grouped[p].launch_s *= strength;
    }
    for (int a = 0; a < CLG_ATTENTION_KERNELS; a++) {
        k->attention[a].launch_s *= strength;
        k->attention[a].tokens_half *= strength;
    }
    k->memory.launch_s *= strength;
    k->memory.bytes_half *= strength;
    return true;
}

/* What products and attention take beyond long, full waves of the largest tile. */
static double small_s(clg_arena *arena, const clg_scenario *s, const clg_evaluation *e) {
    (void)arena;
    const clg_gemm_curve *c = &s->kernels.gemm[e->layout.precision];
    double peak = s->machine.gpu.peak_flop_per_s[e->layout.precision];
    double best = e->executed_flop / (double)clg_layout_gpus(&e->layout) /
                  (peak * c->efficiency * c->sustained);
    double over = e->matrix_s + e->attention_s - best;
    return over > 0 ? over : 0;
}

/* 1: without chunks; 2: and with half the micro-batches; 3: with a quarter. */
static bool wider_bubble(clg_world *w, double level) {
    clg_layout *l = &w->layout;
    if (l->pp < 2) return false;
    if (level < 2 && l->vpp < 2) return false;
    l->schedule = CLG_1F1B;
    l->vpp = 1;
    l->split = NULL;
    l->split_count = 0;
    for (int halving = 1; halving < (int)level; halving++) {
        if (l->accumulation % 2 != 0) return false;
        l->accumulation /= 2;
        l->micro_batch *= 2;
    }
    return true;
}

static double bubble_s(clg_arena *arena, const clg_scenario *s, const clg_evaluation *e) {
    (void)arena;
    (void)s;
    return e->time.bubble_s;
}

static bool wide_shards(clg_world *w, double strength) {
    w->scenario->stack.sigma.shard_jitter += strength;
    return w->layout.zero >= 2 && nodes_of(w) > 1;
}

/* Reductions beside each micro-batch instead of once: as often as there are micro-batches. A
 * pipeline's engine reduces once a step by itself (Megatron-LM core/pipeline_parallel/schedules.py,
 * no_sync_func; DeepSpeed runtime/pipe/schedule.py, ReduceGrads). */
static bool syncs_each(clg_world *w, double strength) {
    (void)strength;
    clg_stack *s = &w->scenario->stack;
    if (w->layout.accumulation < 2 || w->layout.dp * w->layout.cp < 2 || w->layout.pp > 1)
        return false;
    if (w->layout.zero >= 2) {
        bool whole = clg_gradients_whole(&w->layout, s);
        s->traffic.scatters = CLG_SCATTERS_ANYWHERE;
        return whole;
    }
    clg_operations_table t = clg_explain_operations(w->arena, w->scenario, w->plan);
    for (int i = 0; i < t.count; i++)
        if (t.row[i].op->kind == CLG_OP_COLLECTIVE && t.row[i].op->axis == CLG_AXIS_DP &&
            t.row[i].op->collective != CLG_ALL_GATHER)
            w->more_s += t.row[i].seconds * (1 - t.row[i].op->overlap) *
                         (double)(w->layout.accumulation - 1);
    return w->more_s > 0;
}

/* --- experts --- */

static bool imbalanced(clg_world *w, double strength) {
    w->scenario->expert_imbalance *= strength;
    return clg_model_experts(&w->scenario->model) != NULL;
}

static bool dispatched(clg_world *w, double strength) {
    clg_stack *s = &w->scenario->stack;
    s->overlap.expert = 0;
    s->host.expert_s *= strength;
    s->host.experts_s *= strength;
    w->idles =
        true; /* experts one by one wait for the host, also where that is priced as compute */
    return clg_model_experts(&w->scenario->model) != NULL;
}

static double experts_s(clg_arena *arena, const clg_scenario *s, const clg_evaluation *e) {
    one_by_one experts = experts_one_by_one(arena, s, e);
    return e->time.ep_exposed_s + experts.host_s + experts.kernels_s;
}

/* --- the number --- */

/* Of what is not modelled no more is known than how much it weighs; the GPUs' peak holds for it. */
static bool unknown(clg_world *w, double factor) {
    w->more_s = (factor - 1) * w->plan->step_s;
    w->silent = true;
    return true;
}

static bool counted_so(clg_world *w, double factor) {
    w->counted = factor;
    return true;
}

static const clg_job_cause causes[] = {{"network_bandwidth", slow_network, network_s},
                                       {"network_latency", late_network, NULL},
                                       {"network_congestion", crowded_network, NULL},
                                       {"links_inside_node", slow_links, tensor_s},
                                       {"slow_gpu", slow_gpu, straggler_s},
                                       {"kernels_unfused", unfused, memory_bound_s},
                                       {"host_bound", slow_host, host_s},
                                       {"wide_numbers", wide_numbers, NULL},
                                       {"offload", offloads, kept_s},
                                       {"data_loading", waits_for_data, loading_s},
                                       {"recompiling", compiles, NULL},
                                       {"recompute", recomputes, recomputed_s},
                                       {"small_work", small_work, small_s},
                                       {"pipeline_bubble", wider_bubble, bubble_s},
                                       {"sharding_too_wide", wide_shards, shards_s},
                                       {"gradient_sync_each_micro_batch", syncs_each, NULL},
                                       {"expert_imbalance", imbalanced, NULL},
                                       {"expert_dispatch", dispatched, experts_s},
                                       {"memory_pressure", pressed, NULL},
                                       {"logging_or_checkpointing", waits, NULL},
                                       {"tp_across_nodes", split_tensor, far_tensor_s},
                                       {"miscounted", counted_so, NULL},
                                       {"other", unknown, NULL}};

const clg_job_cause *clg_job_causes(int *count) {
    *count = sizeof causes / sizeof causes[0];
    return causes;
}
