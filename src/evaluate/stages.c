/* stages.c -- what each stage of a layout holds, and the seconds of its passes. */
#include "evaluate/composition.h"

#include <string.h>

/* Layers of the chunk at a depth, and embedding or head where they are; `of_kind` of this one. */
static void hold_chunk(composition *c, stage *s, int depth, int of_kind[CLG_LAYER_KINDS]) {
    const clg_model *model = &c->scenario->model;
    bool last = depth == c->layout->pp * c->layout->vpp - 1;
    for (int kind = 0; kind < CLG_LAYER_KINDS; kind++) of_kind[kind] = 0;
    for (int i = 0; i < c->layers_of[depth]; i++)
        of_kind[model->layer_kind[c->first_of[depth] + i]]++;
    if (last) of_kind[model->layer_kind[model->layers - 1]] += model->prediction_layers;
    for (int kind = 0; kind < model->kinds; kind++) s->load.layers[kind] += of_kind[kind];
    s->load.embedding |= depth == 0;
    s->load.head |= last;
}

/* One chunk's passes. */
static void add_chunk(const composition *c, int depth, const int of_kind[CLG_LAYER_KINDS],
                      clg_pass_cost pass[CLG_PASSES]) {
    double again = clg_recomputed_share(c->layout, c->layers_of[depth]);
    for (int kind = 0; kind < c->scenario->model.kinds; kind++) {
        if (of_kind[kind] == 0) continue;
        for (int p = 0; p < CLG_PASSES; p++)
            clg_pass_add(&pass[p], &c->priced->layer[kind][p],
                         of_kind[kind] * (p == CLG_PASS_RECOMPUTE ? again : 1));
    }
    for (int p = 0; p < CLG_PASSES; p++) {
        if (depth == 0) clg_pass_add(&pass[p], &c->priced->embedding[p], 1);
        if (depth == c->layout->pp * c->layout->vpp - 1)
            clg_pass_add(&pass[p], &c->priced->head[p], 1);
    }
}

/* Pipelines of two directions hold a second depth on every stage; each sees half the batches.
 * Sharded weights are gathered layer by layer under the compute of the layer before. */
static void fill_stage(composition *c, int index) {
    int directions = clg_layout_copies(c->layout);
    stage *here = &c->stages[index];
    int of_kind[CLG_LAYER_KINDS];
    for (int v = 0; v < here->load.chunks; v++) {
        clg_pass_cost pass[CLG_PASSES] = {0};
        int depth = c->schedule->depth(c->pipeline, index, v);
        hold_chunk(c, here, depth, of_kind);
        add_chunk(c, depth, of_kind, pass);
        clg_sharded_traffic(c, here, depth, of_kind, pass);
        c->forward_s[depth] = clg_pass_s(&pass[CLG_PASS_FORWARD]);
        c->backward_input_s[depth] =
            clg_pass_s(&pass[CLG_PASS_BACKWARD_INPUT]) + clg_pass_s(&pass[CLG_PASS_RECOMPUTE]);
        c->backward_weight_s[depth] = clg_pass_s(&pass[CLG_PASS_BACKWARD_WEIGHT]);
        for (int p = 0; p < CLG_PASSES; p++)
            clg_pass_add(&here->pass[p], &pass[p], 1.0 / directions);
    }
}

static void cut_layers(composition *c) {
    const clg_layout *layout = c->layout;
    int chunks = layout->pp * layout->vpp;
    c->layers_of = clg_arena_room(c->arena, (size_t)chunks, sizeof *c->layers_of);
    c->first_of = clg_arena_room(c->arena, (size_t)chunks + 1, sizeof *c->first_of);
    c->first_of[0] = 0;
    if (c->scenario->stack.stages.by_cost && !layout->split)
        clg_layout_layers_by_cost(&c->scenario->model, layout, c->layers_of);
    else
        clg_layout_layers(&c->scenario->model, layout, c->layers_of);
    for (int d = 0; d < chunks; d++) c->first_of[d + 1] = c->first_of[d] + c->layers_of[d];
}

static stage empty_stage(const composition *c) {
    return (stage){.load.chunks = c->layout->vpp * clg_layout_copies(c->layout)};
}

void clg_stages_load(composition *c) {
    int of_kind[CLG_LAYER_KINDS];
    cut_layers(c);
    for (int s = 0; s < c->layout->pp; s++) {
        c->stages[s] = empty_stage(c);
        for (int v = 0; v < c->stages[s].load.chunks; v++)
            hold_chunk(c, &c->stages[s], c->schedule->depth(c->pipeline, s, v), of_kind);
    }
}

/* Chunks of the same layers, without embedding or head. */
static bool alike(const composition *c, int depth, int other) {
    int last = c->layout->pp * c->layout->vpp - 1, layers = c->layers_of[depth];
    const uint8_t *kind = c->scenario->model.layer_kind;
    return depth > 0 && other > 0 && depth < last && other < last &&
           c->layers_of[other] == layers &&
           memcmp(&kind[c->first_of[depth]], &kind[c->first_of[other]],
                  (size_t)layers * sizeof *kind) == 0;
}

/* Most stages of a pipeline do what the one before does. */
static bool repeats(composition *c, int index) {
    int chunks = c->stages[index - 1].load.chunks;
    for (int v = 0; v < chunks; v++)
        if (!alike(c, c->schedule->depth(c->pipeline, index, v),
                   c->schedule->depth(c->pipeline, index - 1, v)))
            return false;
    c->stages[index] = c->stages[index - 1];
    for (int v = 0; v < chunks; v++) {
        int depth = c->schedule->depth(c->pipeline, index, v);
        int before = c->schedule->depth(c->pipeline, index - 1, v);
        c->forward_s[depth] = c->forward_s[before];
        c->backward_input_s[depth] = c->backward_input_s[before];
        c->backward_weight_s[depth] = c->backward_weight_s[before];
    }
    return true;
}

/* The stage to begin with: where a step too slow shows soonest. Mostly that is the head's; where
 * shards are gathered any is, and one without tables is priced sooner. */
static int telling(const composition *c) {
    return c->layout->zero >= 2 ? c->layout->pp / 2 : c->layout->pp - 1;
}

double clg_stages_fill(composition *c, double cutoff_s) {
    int first = telling(c);
    cut_layers(c);
    for (int i = 0; i < c->layout->pp; i++) {
        int s = i == 0 ? first : i <= first ? i - 1 : i;
        if (i > 0 && s > 0 && repeats(c, s)) continue;
        c->stages[s] = empty_stage(c);
        fill_stage(c, s);
        double seconds = clg_least_of_stage_s(c, &c->stages[s]);
        if (cutoff_s > 0 && seconds > cutoff_s) return seconds;
    }
    return 0;
}
