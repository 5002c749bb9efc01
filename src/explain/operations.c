/* operations.c -- walks the blocks and updates of one stage and prices each operation again. */
#include "explain/operations.h"

#include <assert.h>

enum { MOST_ROWS = (CLG_LAYER_KINDS + 2) * CLG_BLOCK_OPS + 3 * CLG_UPDATE_OPS };

typedef struct walk {
    clg_arena *arena;
    const clg_scenario *scenario;
    const clg_layout *layout;
    const clg_stage_report *stage;
    clg_pricing pricing;
    clg_priced *priced;
    clg_priced_operation *row;
    int count;
} walk;

static void add(walk *w, const char *block, const clg_op *op, double times) {
    assert(w->count < MOST_ROWS);
    clg_priced_operation row = {.block = block, .op = op, .times = times};
    row.seconds = clg_op_s(&w->pricing, op);
    if (clg_op_is_traffic(op) && op->group.ranks > 1) {
        double seconds;
        row.algorithm =
            clg_collective_best(w->pricing.network, op->collective, op->group, op->bytes, &seconds);
        row.protocol =
            clg_collective_protocol(w->pricing.network, row.algorithm, op->group, op->bytes);
    }
    if (times > 0 && (row.seconds > 0 || !clg_op_is_traffic(op))) w->row[w->count++] = row;
}

/* Recomputed layers are the first of each chunk; chunks are taken as equal. */
static double again_of(const walk *w) {
    const clg_stage_load *load = &w->stage->load;
    int layers = 0;
    for (int kind = 0; kind < w->priced->step.kinds; kind++) layers += load->layers[kind];
    double of_chunk = (double)layers / load->chunks;
    if (w->layout->recompute_layers == 0 || of_chunk <= w->layout->recompute_layers) return 1;
    return w->layout->recompute_layers / of_chunk;
}

static void add_block(walk *w, const char *name, const clg_block *block, double times) {
    double again = again_of(w);
    for (int i = 0; i < block->ops; i++)
        add(w, name, &block->op[i], times * (block->op[i].pass == CLG_PASS_RECOMPUTE ? again : 1));
}

/* How often a step an update of a stage's parameters happens, done `batches` times where it goes
 * with every micro-batch. */
static double update_times(clg_update_when when, double batches) {
    return when == CLG_UPDATE_FORWARD || when == CLG_UPDATE_BACKWARD ? batches : 1;
}

/* `part`: how many such messages make the stage; the parameters are those of one. Only what goes
 * with passes (`by_pass`), or only the rest. */
static void add_updates(walk *w, clg_held held, double part, bool by_pass) {
    clg_updates *updates = clg_take(w->arena, 1, clg_updates);
    clg_step_updates(&w->scenario->model, &w->scenario->stack, w->layout, &w->priced->step, held,
                     updates);
    for (int i = 0; i < updates->count; i++) {
        clg_update_when when = updates->update[i].when;
        bool passes =
            when == CLG_UPDATE_FIRST || when == CLG_UPDATE_FORWARD || when == CLG_UPDATE_BACKWARD;
        if (passes == by_pass)
            add(w, "update", &updates->update[i].op,
                part * update_times(when, (double)w->layout->accumulation));
    }
}

/* Sharded weights travel layer by layer, embedding and head together. */
static void add_messages(walk *w) {
    const clg_step *step = &w->priced->step;
    const clg_stage_load *load = &w->stage->load;
    double dense = 0, expert = 0, layers = 0, edges = 0;
    for (int kind = 0; kind < step->kinds; kind++) {
        dense += load->layers[kind] * step->kind[kind].dense_parameters;
        expert += load->layers[kind] * step->kind[kind].expert_parameters;
        layers += load->layers[kind];
    }
    if (load->embedding) edges += step->embedding.dense_parameters;
    if (load->head) edges += step->head.dense_parameters;
    if (layers > 0)
        add_updates(w, (clg_held){.dense = dense / layers, .expert = expert / layers}, layers,
                    true);
    if (edges > 0) add_updates(w, (clg_held){.dense = edges}, 1, true);
}

clg_operations_table clg_explain_operations(clg_arena *arena, const clg_scenario *scenario,
                                            const clg_evaluation *evaluation) {
    const clg_layout *layout = &evaluation->layout;
    const clg_stage_report *stage = &evaluation->stages[evaluation->busiest_stage];
    walk w = {.arena = arena, .scenario = scenario, .layout = layout, .stage = stage};
    w.pricing = clg_pricing_of(scenario, layout);
    w.priced = clg_arena_room(arena, 1, sizeof *w.priced);
    w.row = clg_take(arena, MOST_ROWS, clg_priced_operation);
    clg_price_blocks(scenario, layout, NULL, w.priced);
    clg_step_groups(&scenario->machine, layout, &w.priced->step);
    const clg_step *step = &w.priced->step;
    /* Where micro-batches enter from both ends, each of a stage's two halves sees half of them. */
    double batches = (double)layout->accumulation / clg_layout_copies(layout);
    for (int kind = 0; kind < step->kinds; kind++)
        add_block(&w, step->kind[kind].name, &step->kind[kind], batches * stage->load.layers[kind]);
    if (stage->load.embedding) add_block(&w, "embedding", &step->embedding, batches);
    if (stage->load.head) add_block(&w, "head", &step->head, batches);
    if (layout->zero >= 2) add_messages(&w);
    clg_held held = {stage->dense, stage->expert, stage->tied,
                     clg_stage_tables(&scenario->model, &w.priced->step, &stage->load)};
    add_updates(&w, held, 1, false);
    return (clg_operations_table){evaluation->busiest_stage, w.count, w.row};
}
