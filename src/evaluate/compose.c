/* compose.c -- places a priced layout in time and memory.
 *
 *   step = pipeline of passes (simulated) + exposed gradient reduction and parameter gathers +
 *          optimizer + host per step + stragglers
 *
 * The ledger is that of the busiest stage: what it computes, what it waits for inside passes, and
 * idle time as bubble. All terms are read off the same priced ops; nothing is estimated twice. */
#include "evaluate/compose.h"

#include "evaluate/bound.h"
#include "evaluate/composition.h"
#include "evaluate/interval.h"
#include "schedule/schedule.h"
#include "simulate/simulate.h"

#include <math.h>

/* Experts of a fixed capacity multiply as many rows whatever tokens choose. */
static double imbalance(const clg_scenario *scenario, const clg_layout *layout) {
    bool learned = scenario->stack.experts.learned_routing && scenario->stack.experts.capacity == 0;
    return fmax(scenario->expert_imbalance, learned ? clg_learned_imbalance(scenario, layout) : 1);
}

clg_pricing clg_pricing_of(const clg_scenario *scenario, const clg_layout *layout) {
    return (clg_pricing){.gpu = &scenario->machine.gpu,
                         .kernels = &scenario->kernels,
                         .network = &scenario->network,
                         .stack = &scenario->stack,
                         .attention = (clg_attention_kernel)layout->attention,
                         .imbalance = imbalance(scenario, layout),
                         .host_time = scenario->machine.node.host_time,
                         .update_time = scenario->machine.node.update_time};
}

void clg_price_blocks(const clg_scenario *scenario, const clg_layout *layout, clg_known_ops *known,
                      clg_priced *priced) {
    clg_pricing pricing = clg_pricing_of(scenario, layout);
    pricing.known = priced->known = known;
    clg_step_build(&scenario->model, &scenario->machine, &scenario->stack, layout, &priced->step);
    clg_step_fill_rank(&priced->step, layout, pricing.imbalance);
    for (int i = 0; i < priced->step.kinds; i++)
        clg_block_price(&pricing, &priced->step.kind[i], priced->layer[i]);
    for (int i = 0; i < CLG_LAYER_KINDS; i++) priced->layers_of_kind[i] = 0;
    priced->expert_parameters = 0;
    for (int i = 0; i < scenario->model.layers; i++) {
        int kind = scenario->model.layer_kind[i];
        priced->layers_of_kind[kind]++;
        priced->expert_parameters += (double)scenario->model.kind[kind].parameters.experts;
    }
    clg_block_price(&pricing, &priced->step.embedding, priced->embedding);
    clg_block_price(&pricing, &priced->step.head, priced->head);
    clg_priced_sum(&scenario->model, priced);
}

bool clg_priced_same(const clg_layout *a, const clg_layout *b) {
    return a->tp == b->tp && a->sp == b->sp && a->cp == b->cp && a->cp_kind == b->cp_kind &&
           a->ep == b->ep && a->etp == b->etp && a->micro_batch == b->micro_batch &&
           a->recompute == b->recompute && a->attention == b->attention &&
           a->precision == b->precision && a->seq == b->seq && a->order == b->order &&
           (a->schedule == CLG_DUALPIPE) == (b->schedule == CLG_DUALPIPE) &&
           (a->zero == 0) == (b->zero == 0) && /* autocast, fp32 adapters */
           (a->accumulation > 1) == (b->accumulation > 1);
}

/* Seconds of updates of one kind, and the share that may hide. */
static double updates_s(const clg_pricing *pricing, const clg_updates *updates,
                        clg_update_when when, double *share) {
    double seconds = 0;
    for (int i = 0; i < updates->count; i++) {
        const clg_update *update = &updates->update[i];
        if (update->when != when) continue;
        seconds += clg_update_s(pricing, &update->op);
        if (share) *share = update->op.overlap;
    }
    return seconds;
}

static void price_updates(composition *c, stage *s) {
    clg_updates updates;
    const clg_model *model = &c->scenario->model;
    const clg_step *step = &c->priced->step;
    clg_held held = {s->dense, s->expert, s->tied, clg_stage_tables(model, step, &s->load)};
    clg_step_updates(model, &c->scenario->stack, c->layout, step, held, &updates);
    s->gradient_s = updates_s(&c->pricing, &updates, CLG_UPDATE_GRADIENT, &s->gradient_share);
    s->parameter_s = updates_s(&c->pricing, &updates, CLG_UPDATE_PARAMETER, &s->parameter_share);
    s->optimizer_s = updates_s(&c->pricing, &updates, CLG_UPDATE_OPTIMIZER, NULL);
}

/* Most stages of a pipeline hold as much as the one before and are not priced again. */
static void fill_updates(composition *c, stage *s, const stage *before) {
    const clg_model *model = &c->scenario->model;
    const clg_step *step = &c->priced->step;
    clg_stage_parameters(model, step, &s->load, &s->dense, &s->expert);
    if (model->tied && s->load.embedding != s->load.head)
        s->tied = (double)(model->vocab * model->hidden) / c->layout->tp;
    if (before && before->dense == s->dense && before->expert == s->expert &&
        before->tied == s->tied) {
        s->gradient_s = before->gradient_s;
        s->gradient_share = before->gradient_share;
        s->parameter_s = before->parameter_s;
        s->parameter_share = before->parameter_share;
        s->optimizer_s = before->optimizer_s;
    } else {
        price_updates(c, s);
    }
    /* What may hide the reduction: the last micro-batch's backward, less the first layer's share of
     * it, whose gradients come last. */
    int layers = 0;
    for (int kind = 0; kind < step->kinds; kind++) layers += s->load.layers[kind];
    double inner = layers > 0 ? 1 - 1.0 / layers : 0;
    inner *= clg_layout_copies(c->layout); /* both directions end with a micro-batch */
    s->gradient_window_s = inner * (clg_pass_s(&s->pass[CLG_PASS_BACKWARD_INPUT]) +
                                    clg_pass_s(&s->pass[CLG_PASS_BACKWARD_WEIGHT]) +
                                    clg_pass_s(&s->pass[CLG_PASS_RECOMPUTE]));
    s->parameter_window_s = inner * clg_pass_s(&s->pass[CLG_PASS_FORWARD]);
}

/* From a stage to the next. Tensor ranks that hold the same activations may send a part each and
 * gather on the other side (Narayanan et al. 2021, arXiv:2104.04473, section 4.1). */
static double boundary_s(const composition *c, clg_group pair) {
    const clg_network *network = &c->scenario->network;
    const clg_step *step = &c->priced->step;
    bool parts = c->scenario->stack.traffic.scatter_gather && !c->layout->sp && c->layout->tp > 1;
    double bytes = step->boundary_bytes, send_s = 0, gather_s = 0;
    clg_collective_best(network, CLG_SEND_RECEIVE, pair, parts ? bytes / c->layout->tp : bytes,
                        &send_s);
    if (parts)
        clg_collective_best(network, CLG_ALL_GATHER,
                            clg_machine_group(&c->scenario->machine, c->layout->tp, 1), bytes,
                            &gather_s);
    return send_s + gather_s;
}

/* Stages fill domains in order, so some borders may be inside one. */
static void price_sends(composition *c) {
    const clg_step *step = &c->priced->step;
    c->send_s = c->inside_s = boundary_s(c, step->send_group);
    if (step->stages_together > 1 && step->stages_together < c->layout->pp)
        c->inside_s = fmin(c->send_s, boundary_s(c, (clg_group){2, 2}));
}

static clg_status simulate(composition *c, clg_wanted wanted, clg_pipeline_result *result,
                           clg_error *error) {
    clg_pipeline_times times = {.forward_s = c->forward_s,
                                .backward_input_s = c->backward_input_s,
                                .backward_weight_s = c->backward_weight_s,
                                .send_s = c->send_s,
                                .inside_s = c->inside_s,
                                .together = c->priced->step.stages_together,
                                .send_blocks = !c->scenario->stack.overlap.send,
                                .split_sends = wanted.detail};
    return clg_simulate_pipeline(c->arena, c->pipeline, &times, wanted.timeline, result, error);
}

/* How much later the step ends, and starts, because of reductions and gathers. */
static double exposed_updates_s(const composition *c, const clg_pipeline_result *run) {
    const clg_stack *stack = &c->scenario->stack;
    double late = 0, early = 0;
    for (int i = 0; i < c->layout->pp; i++) {
        const stage *s = &c->stages[i];
        double gradient =
            clg_update_exposed_s(s->gradient_s, s->gradient_share, s->gradient_window_s, stack);
        double after = run->end_s[i] + gradient + s->scatter_tail_s - run->makespan_s;
        double parameter =
            clg_update_exposed_s(s->parameter_s, s->parameter_share, s->parameter_window_s, stack);
        double before = parameter - run->start_s[i];
        if (after > late) late = after;
        if (before > early) early = before;
    }
    return late + early;
}

static void fill_time(const composition *c, const clg_pipeline_result *run, clg_evaluation *e) {
    const stage *s = &c->stages[run->critical_stage];
    double m = (double)c->layout->accumulation;
    clg_pass_cost all = {0};
    for (int p = 0; p < CLG_PASSES; p++) clg_pass_add(&all, &s->pass[p], m);
    const clg_stack *stack = &c->scenario->stack;
    clg_time_ledger *t = &e->time;
    t->compute_s = clg_pass_compute_s(&all);
    t->tp_exposed_s = all.exposed_s[CLG_AXIS_TP];
    t->cp_exposed_s = all.exposed_s[CLG_AXIS_CP];
    t->ep_exposed_s = all.exposed_s[CLG_AXIS_EP];
    t->dp_exposed_s = all.exposed_s[CLG_AXIS_DP] + exposed_updates_s(c, run);
    double idle = run->makespan_s - clg_pass_s(&all);
    if (idle < 0) idle = 0; /* rounding of the last bit */
    t->pp_exposed_s = run->send_exposed_s;
    if (t->pp_exposed_s > idle) t->pp_exposed_s = idle;
    t->bubble_s = idle - t->pp_exposed_s;
    t->optimizer_s = clg_largest_optimizer_s(c);
    t->host_s = all.host_s + stack->host.step_s + m * c->layout->vpp * stack->host.micro_batch_s;
    t->data_loading_s = c->scenario->data_loading_s;
    double busy = t->compute_s + clg_ledger_traffic_s(t) + t->bubble_s + t->optimizer_s +
                  t->host_s + t->data_loading_s;
    t->straggler_s = busy * clg_straggler_share(c->scenario, c->layout) +
                     (busy - t->dp_exposed_s) * clg_shard_wait_share(c->scenario, c->layout);
    e->step_s = busy + t->straggler_s;
    e->busiest_stage = run->critical_stage;
    e->matrix_s = all.matrix_s;
    e->attention_s = all.attention_s;
    e->memory_bound_s = all.memory_s;
}

static void fill_memory(composition *c, bool detail, clg_evaluation *e) {
    const clg_layout *layout = c->layout;
    if (detail) e->stages = clg_take(c->arena, (size_t)layout->pp, clg_stage_report);
    for (int i = 0; i < layout->pp; i++) {
        stage *s = &c->stages[i];
        s->load.alive = c->schedule->alive(c->pipeline, i);
        s->load.head_alive = layout->schedule == CLG_GPIPE ? (double)layout->accumulation : 1;
        clg_memory_ledger m = clg_memory_of_stage(&c->scenario->model, &c->scenario->stack, layout,
                                                  &c->priced->step, &s->load);
        if (i == 0) e->first_memory = m;
        if (i == 0 || m.needed_bytes > e->memory.needed_bytes) {
            e->memory = m;
            e->fullest_stage = i;
        }
        if (!detail) continue;
        clg_stage_report *report = &e->stages[i];
        for (int kind = 0; kind < c->priced->step.kinds; kind++)
            report->layers += s->load.layers[kind];
        report->alive = s->load.alive;
        report->memory = m;
        report->load = s->load;
        report->dense = s->dense;
        report->expert = s->expert;
        report->tied = s->tied;
    }
    e->capacity_bytes = clg_capacity_bytes(c->scenario, layout);
    e->fits = e->memory.needed_bytes <= e->capacity_bytes;
    double wide = clg_memory_wide(c->scenario);
    e->memory_p10_bytes = e->memory.total_bytes / wide;
    e->memory_p90_bytes = e->memory.total_bytes * wide;
}

/* What the hardware executes on all GPUs: every stage's ops, every micro-batch. */
static double executed_flop(const composition *c) {
    double flop = 0;
    for (int i = 0; i < c->layout->pp; i++)
        for (int p = 0; p < CLG_PASSES; p++) flop += c->stages[i].pass[p].flop;
    return flop * (double)c->layout->accumulation * c->layout->tp * c->layout->cp * c->layout->dp;
}

static composition begin(clg_arena *arena, const clg_scenario *scenario, const clg_layout *layout,
                         clg_priced *priced) {
    composition c = {.arena = arena, .scenario = scenario, .layout = layout, .priced = priced};
    size_t stages = (size_t)layout->pp, chunks = stages * (size_t)layout->vpp;
    c.pricing = clg_pricing_of(scenario, layout);
    c.pricing.known = priced->known;
    c.pipeline = clg_pipeline_of(layout);
    c.schedule = clg_schedule_of(c.pipeline.kind);
    c.stages = clg_arena_room(arena, stages, sizeof *c.stages); /* begun one by one */
    c.forward_s = clg_arena_room(arena, chunks, sizeof *c.forward_s);
    c.backward_input_s = clg_arena_room(arena, chunks, sizeof *c.backward_input_s);
    c.backward_weight_s = clg_arena_room(arena, chunks, sizeof *c.backward_weight_s);
    return c;
}

/* Fills stages, updates and memory. A bound of the step where that is enough: the layout is slower
 * than the cutoff, or needs more memory than is wanted; 0: it is neither. */
static double ruled_out_s(composition *c, clg_wanted wanted, clg_evaluation *e) {
    double bound_s = clg_stages_fill(c, wanted.cutoff_s);
    if (bound_s > 0) return bound_s;
    if (c->layout->pp > 1) price_sends(c);
    for (int i = 0; i < c->layout->pp; i++)
        fill_updates(c, &c->stages[i], i > 0 ? &c->stages[i - 1] : NULL);
    double least_s = wanted.cutoff_s > 0 ? clg_least_step_s(c) : 0;
    if (least_s > wanted.cutoff_s) return least_s;
    fill_memory(c, wanted.detail, e);
    bool too_large = wanted.most_bytes > 0 && e->memory.needed_bytes > wanted.most_bytes;
    return too_large ? clg_least_step_s(c) : 0;
}

/* What placing the passes in time tells. */
static clg_status place(composition *c, clg_wanted wanted, clg_evaluation *e, clg_error *error) {
    clg_pipeline_result run;
    if (simulate(c, wanted, &run, error) != CLG_OK) return error->status;
    fill_time(c, &run, e);
    for (int i = 0; e->stages && i < c->layout->pp; i++) e->stages[i].busy_s = run.busy_s[i];
    e->executed_flop = executed_flop(c);
    clg_outcome(c->scenario, c->priced->step.frozen_share, e);
    return CLG_OK;
}

clg_status clg_compose(clg_arena *arena, const clg_scenario *scenario, const clg_layout *layout,
                       clg_priced *priced, clg_wanted wanted, clg_evaluation *evaluation,
                       clg_error *error) {
    clg_step_groups(&scenario->machine, layout, &priced->step);
    composition c = begin(arena, scenario, layout, priced);
    clg_evaluation e = {.layout = *layout};
    if (wanted.memory_alone) {
        clg_stages_load(&c);
        fill_memory(&c, false, &e);
    } else {
        e.step_s = ruled_out_s(&c, wanted, &e);
        if (e.step_s == 0 && place(&c, wanted, &e, error) != CLG_OK) return error->status;
    }
    *evaluation = e;
    return CLG_OK;
}
