/* ladder.c -- hidden by the cube root, then layers to the parameters wanted. */
#include "scaling/ladder.h"

#include "base/real.h"

#include <math.h>

static clg_status can_grow(const clg_model *m, clg_error *error) {
    const clg_layer_kind *kind = &m->kind[0];
    bool plain =
        m->kinds == 1 && kind->attention.kind == CLG_ATTENTION_GROUPED && m->prediction_layers == 0;
    if (plain) return CLG_OK;
    return clg_fail(
        error, CLG_BAD_INPUT, "give a model with one kind of layer and grouped attention",
        "no ladder is made from a model of several kinds of layers or latent attention");
}

/* x scaled with the hidden width, in steps of `step`. */
static int64_t scaled(int64_t x, double ratio, int64_t step) {
    return (int64_t)fmax(1, floor((double)x * ratio / (double)step + 0.5)) * step;
}

static clg_model_shape widened(const clg_model *m, double width) {
    const clg_attention *a = &m->kind[0].attention;
    const clg_mlp *mlp = &m->kind[0].mlp;
    enum { TENSOR_RANKS = 8, MLP_STEP = 256 };
    int64_t heads = scaled(a->heads, width, TENSOR_RANKS);
    double real = (double)heads / a->heads;
    bool all = a->kv_heads == a->heads;
    return (clg_model_shape){.name = m->name,
                             .layers = m->layers,
                             .heads = (int)heads,
                             .kv_heads = all ? (int)heads : a->kv_heads,
                             .head_dim = a->head_dim,
                             .hidden = (int64_t)floor((double)m->hidden * real + 0.5),
                             .ffn = mlp->ffn > 0 ? scaled(mlp->ffn, real, MLP_STEP) : 0,
                             .vocab = m->vocab,
                             .gated = mlp->gated,
                             .tied = m->tied,
                             .experts = mlp->kind == CLG_MLP_MOE ? mlp->experts : 0,
                             .experts_per_token = mlp->experts_per_token,
                             .shared_experts = mlp->shared_ffn > 0 && mlp->expert_ffn > 0
                                                   ? (int)(mlp->shared_ffn / mlp->expert_ffn)
                                                   : 0,
                             .latent = mlp->latent > 0 ? scaled(mlp->latent, real, MLP_STEP) : 0,
                             .expert_ffn =
                                 mlp->expert_ffn > 0 ? scaled(mlp->expert_ffn, real, MLP_STEP) : 0};
}

clg_status clg_ladder_model(clg_arena *arena, const clg_model *model, double parameters,
                            clg_model *relative, clg_error *error) {
    if (can_grow(model, error) != CLG_OK) return error->status;
    double ratio = parameters / (double)model->active_parameters;
    if (fabs(ratio - 1) < 1e-9) {
        *relative = *model;
        return CLG_OK;
    }
    clg_model_shape shape = widened(model, clg_pow(ratio, 1.0 / 3));
    clg_model probe;
    enum { STEP = 4 }; /* so that pipeline stages divide them */
    shape.layers = STEP;
    if (clg_model_from_shape(arena, &shape, &probe, error) != CLG_OK) return error->status;
    double one = (double)probe.active_parameters;
    shape.layers = 2 * STEP;
    if (clg_model_from_shape(arena, &shape, &probe, error) != CLG_OK) return error->status;
    double more = (double)probe.active_parameters - one;
    shape.layers = STEP * (int)fmax(1, floor((parameters - one) / more + 1.5));
    if (clg_model_from_shape(arena, &shape, relative, error) != CLG_OK) return error->status;
    relative->title = model->title;
    return CLG_OK;
}
