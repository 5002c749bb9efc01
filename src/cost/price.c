/* price.c -- seconds of ops and of a block's passes. */
#include "cost/price.h"

#include <string.h>

/* Of an exchange of experts: bytes that cross over those counted, and how much slower they do. */
static double crossing(const clg_pricing *p, const clg_op *op) {
    double share = op->slow_share > 0 && op->slow_share < 1 ? op->slow_share : 1;
    bool slower = op->axis == CLG_AXIS_EP && p->network->exchange > 0;
    return share * (slower ? p->network->exchange : 1);
}

static double collective_s(const clg_pricing *p, const clg_op *op) {
    double seconds = 0, bytes = op->bytes;
    if (op->group.ranks <= 1) return 0;
    if (op->axis == CLG_AXIS_EP) bytes *= p->imbalance; /* the fullest rank decides */
    clg_network network = *p->network;
    network.slow.bytes_per_s /= crossing(p, op);
    clg_collective_best(&network, op->collective, op->group, bytes, &seconds);
    return seconds;
}

/* Products as this stack runs them; what it loses is tensor cores', so fp32 ones, which run
 * without, have none of it. An attention kernel is one program: stacks choose it, not how it is
 * tiled, so what they lose in products does not slow it. */
static double slowed_s(const clg_pricing *p, const clg_op *op, double seconds) {
    double lost = op->precision == CLG_FP32 ? 0 : p->stack->kernels.slowdown - 1;
    return seconds * (1 + lost * p->kernels->slowdown_felt);
}

static double grouped_s(const clg_pricing *p, const clg_op *op) {
    if (op->pass == CLG_PASS_BACKWARD_WEIGHT)
        return clg_grouped_weight_s(p->gpu, p->kernels, op->precision, op->m, op->n, op->k,
                                    op->batch, p->imbalance);
    return clg_grouped_gemm_s(p->gpu, p->kernels, op->precision, op->m, op->n, op->k, op->batch,
                              p->imbalance);
}

/* Rows in memory are as wide as features are many, not tokens, of which only a weight gradient's
 * sum runs. */
static double product_s(const clg_pricing *p, const clg_op *op) {
    double one = op->pass == CLG_PASS_BACKWARD_WEIGHT ? op->m : op->k;
    double flop_per_clock = p->stack->kernels.odd_flop_per_clock;
    bool odd =
        !clg_gemm_is_aligned(op->precision, one) || !clg_gemm_is_aligned(op->precision, op->n);
    if (flop_per_clock > 0 && odd && op->batch == 1 && clg_precision_bytes(op->precision) == 2)
        return clg_gemm_odd_s(p->gpu, p->kernels, op->precision, flop_per_clock, op->m, op->n,
                              op->k);
    return clg_gemm_s(p->gpu, p->kernels, op->precision, op->m, op->n, op->k, op->batch);
}

/* Experts one by one run no faster than the host calls them: after the token counts were read
 * nothing is queued that could hide it. Nor is between kernels whose results the host awaits. */
static double called_s(const clg_pricing *p, const clg_op *op, double seconds) {
    double calls_s =
        op->awaited ? p->stack->host.launch_s : op->expert_calls * p->stack->host.expert_s;
    return calls_s > seconds ? calls_s : seconds;
}

/* Of all ranks by the host's memory, or of one by its one thread, whichever takes longer. */
static double host_s(const clg_pricing *p, const clg_op *op) {
    double gigabytes = op->bytes / 1e9, time = p->update_time > 0 ? p->update_time : 1;
    double all = gigabytes * p->stack->host.gigabyte_s * time;
    double one =
        op->group.ranks > 1 ? gigabytes / op->group.ranks * p->stack->host.thread_gigabyte_s : 0;
    return all > one ? all : one;
}

/* Of one count, calls of the host left out. */
static double once_s(const clg_pricing *p, const clg_op *op) {
    double seconds = 0;
    switch (op->kind) {
    case CLG_OP_GEMM:
        seconds = slowed_s(p, op, product_s(p, op));
        break;
    case CLG_OP_GROUPED:
        seconds = slowed_s(p, op, grouped_s(p, op));
        break;
    case CLG_OP_ATTENTION:
        seconds = clg_attention_s(p->gpu, p->kernels, p->attention, op->precision, op);
        break;
    case CLG_OP_MEMORY:
        seconds = clg_memory_bound_s(p->gpu, p->kernels,
                                     op->hbm_bytes * (op->arrived ? p->imbalance : 1));
        break;
    case CLG_OP_OPTIMIZER:
        seconds = clg_optimizer_s(p->gpu, p->kernels, op->hbm_bytes);
        break;
    case CLG_OP_COPY:
        seconds = p->gpu->pcie_bytes_per_s > 0 ? op->bytes / p->gpu->pcie_bytes_per_s : 0;
        break;
    case CLG_OP_HOST:
        seconds = host_s(p, op);
        break;
    case CLG_OP_COLLECTIVE:
    case CLG_OP_SEND:
        seconds = collective_s(p, op);
        break;
    }
    return seconds;
}

double clg_op_s(const clg_pricing *p, const clg_op *op) {
    bool found;
    clg_known_op *known = clg_known_place(p->known, op, p->imbalance, &found);
    double seconds = found ? known->seconds : once_s(p, op);
    if (known) known->seconds = seconds;
    return called_s(p, op, seconds) * op->count;
}

double clg_pass_compute_s(const clg_pass_cost *c) {
    return c->matrix_s + c->attention_s + c->memory_s + c->slowdown_s;
}

double clg_pass_s(const clg_pass_cost *c) {
    double seconds = clg_pass_compute_s(c) + c->host_s;
    for (int axis = 0; axis < CLG_AXES; axis++) seconds += c->exposed_s[axis];
    return seconds;
}

void clg_pass_add(clg_pass_cost *into, const clg_pass_cost *from, double times) {
    into->matrix_s += from->matrix_s * times;
    into->attention_s += from->attention_s * times;
    into->memory_s += from->memory_s * times;
    into->slowdown_s += from->slowdown_s * times;
    into->host_s += from->host_s * times;
    into->flop += from->flop * times;
    into->hbm_bytes += from->hbm_bytes * times;
    into->launches += from->launches * times;
    into->expert_calls += from->expert_calls * times;
    into->routed += from->routed * times;
    into->casts += from->casts * times;
    into->gathers += from->gathers * times;
    for (int axis = 0; axis < CLG_AXES; axis++) {
        into->exposed_s[axis] += from->exposed_s[axis] * times;
        into->hidden_s[axis] += from->hidden_s[axis] * times;
    }
}

/* Compute of the pass, and waiting for the host, that no communication runs beside yet. */
static double free_compute_s(const clg_pass_cost *c) {
    double used = 0;
    for (int axis = 0; axis < CLG_AXES; axis++) used += c->hidden_s[axis];
    double left = c->matrix_s + c->attention_s + c->memory_s + c->host_s - used;
    return left > 0 ? left : 0;
}

/* Both lose beside each other: what would take `hidden` alone occupies traffic_slowdown times that;
 * what compute loses is counted by the time the traffic takes alone. */
double clg_pass_hide(clg_pass_cost *c, clg_axis axis, double seconds, const clg_stack *stack) {
    double room = free_compute_s(c) / stack->overlap.traffic_slowdown;
    double hidden = seconds < room ? seconds : room;
    c->hidden_s[axis] += hidden * stack->overlap.traffic_slowdown;
    c->slowdown_s += hidden * (stack->overlap.slowdown - 1);
    return hidden;
}

void clg_pass_communicate(clg_pass_cost *c, clg_axis axis, double seconds, double share,
                          const clg_stack *stack) {
    c->exposed_s[axis] += seconds - clg_pass_hide(c, axis, seconds * share, stack);
}

/* Exchanges of experts hide under another micro-batch (DeepSeek-V3, arXiv:2412.19437, section
 * 3.2.1; Megatron-Core pipeline_parallel/combined_1f1b.py): of a forward under a backward and the
 * other way round. `wanted_s` of each pass: what its own compute had no room for. */
static void hide_across(clg_pass_cost cost[CLG_PASSES], const double wanted_s[CLG_PASSES],
                        const clg_stack *stack) {
    static const clg_pass under[][2] = {{CLG_PASS_FORWARD, CLG_PASS_BACKWARD_WEIGHT},
                                        {CLG_PASS_FORWARD, CLG_PASS_BACKWARD_INPUT},
                                        {CLG_PASS_BACKWARD_INPUT, CLG_PASS_BACKWARD_WEIGHT},
                                        {CLG_PASS_BACKWARD_INPUT, CLG_PASS_FORWARD}};
    double left[CLG_PASSES];
    memcpy(left, wanted_s, sizeof left);
    for (int i = 0; i < 4; i++) {
        clg_pass pass = under[i][0];
        double hidden = clg_pass_hide(&cost[under[i][1]], CLG_AXIS_EP, left[pass], stack);
        left[pass] -= hidden;
        cost[pass].exposed_s[CLG_AXIS_EP] -= hidden;
    }
}

/* Modules called from Python take a slower host longer. What the host does around routed experts
 * was timed as a whole on one host (host_experts_s), reads of counts in it: it stays as it is. */
void clg_pass_host(clg_pass_cost *c, const clg_pricing *p) {
    const clg_stack *stack = p->stack;
    double gpu_s = clg_pass_s(c) - c->host_s;
    double time = p->host_time > 0 ? p->host_time : 1;
    double calls_s = c->launches * stack->host.launch_s + c->casts * stack->host.cast_s +
                     c->gathers * stack->host.gather_s;
    double experts_s = c->expert_calls * stack->host.expert_s + c->routed * stack->host.experts_s;
    double host_s = time * calls_s + experts_s;
    c->host_s = host_s > gpu_s ? host_s - gpu_s : 0;
}

double clg_update_s(const clg_pricing *pricing, const clg_op *op) {
    const clg_stack *stack = pricing->stack;
    double ranks = op->over_nodes ? op->count * (double)op->group.ranks : 0;
    return clg_op_s(pricing, op) + ranks * stack->host.rank_launches * stack->host.launch_s;
}

static void add_compute(const clg_pricing *pricing, const clg_op *op, clg_pass_cost *cost) {
    double seconds = clg_op_s(pricing, op);
    cost->launches += op->expert_calls > 0 ? 1 : op->count;
    cost->expert_calls += op->expert_calls * op->count;
    cost->routed += op->routes ? 1 : 0;
    cost->casts += op->casts ? 1 : 0;
    cost->flop += op->flop * op->count;
    cost->hbm_bytes += op->hbm_bytes * op->count;
    if (clg_op_is_product(op))
        cost->matrix_s += seconds;
    else if (op->kind == CLG_OP_ATTENTION)
        cost->attention_s += seconds;
    else
        cost->memory_s += seconds;
}

void clg_block_price(const clg_pricing *pricing, const clg_block *block,
                     clg_pass_cost cost[CLG_PASSES]) {
    memset(cost, 0, CLG_PASSES * sizeof *cost);
    for (int i = 0; i < block->ops; i++)
        if (block->op[i].kind != CLG_OP_COLLECTIVE)
            add_compute(pricing, &block->op[i], &cost[block->op[i].pass]);
    double left_s[CLG_PASSES] = {0};
    for (int i = 0; i < block->ops; i++) {
        const clg_op *op = &block->op[i];
        if (op->kind != CLG_OP_COLLECTIVE) continue;
        clg_pass_cost *pass = &cost[op->pass];
        double seconds = clg_op_s(pricing, op), before = pass->exposed_s[op->axis];
        pass->launches += op->count;
        if (op->over_nodes)
            pass->launches += op->count * op->group.ranks * pricing->stack->host.rank_launches;
        clg_pass_communicate(pass, op->axis, seconds, op->overlap, pricing->stack);
        if (op->axis == CLG_AXIS_EP)
            left_s[op->pass] += pass->exposed_s[op->axis] - before - seconds * (1 - op->overlap);
    }
    hide_across(cost, left_s, pricing->stack);
    for (int pass = 0; pass < CLG_PASSES; pass++) clg_pass_host(&cost[pass], pricing);
}
