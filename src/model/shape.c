/* shape.c -- a model from plain dimensions, as tables of runs give them. */
#include "model/model.h"

#include <stddef.h>

static clg_status check(const clg_model_shape *s, clg_error *error) {
    const struct {
        const char *field;
        int64_t value, most;
    } fields[] = {{"layers", s->layers, 10000},
                  {"hidden", s->hidden, 1 << 20},
                  {"heads", s->heads, 1 << 16},
                  {"vocab", s->vocab, 1 << 28}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (fields[i].value < 1 || fields[i].value > fields[i].most) {
            clg_error_at(error, s->name, 0, 0, fields[i].field);
            return clg_fail(error, CLG_BAD_INPUT, "give a whole number above zero",
                            "%lld is missing or out of range", (long long)fields[i].value);
        }
    return CLG_OK;
}

static clg_layer_kind kind_of(const clg_model_shape *s, bool moe) {
    clg_layer_kind kind = {.norms = 2, .layer_norm = !s->gated, .norm_values = s->gated ? 1 : 2};
    clg_attention *a = &kind.attention;
    a->kind = CLG_ATTENTION_GROUPED;
    a->heads = s->heads;
    a->kv_heads = s->kv_heads > 0 ? s->kv_heads : s->heads;
    a->head_dim = s->head_dim > 0 ? s->head_dim : (int)(s->hidden / s->heads);
    a->value_head_dim = a->head_dim;
    a->rotary = s->gated;
    clg_mlp *mlp = &kind.mlp;
    mlp->gated = s->gated;
    mlp->kind = moe ? CLG_MLP_MOE : CLG_MLP_DENSE;
    mlp->ffn = s->ffn > 0 ? s->ffn : 4 * s->hidden;
    if (!moe) return kind;
    mlp->experts = s->experts;
    mlp->experts_per_token = s->experts_per_token;
    mlp->expert_ffn = s->expert_ffn > 0 ? s->expert_ffn : mlp->ffn;
    mlp->latent = s->latent > 0 ? s->latent : 0;
    mlp->shared_ffn = s->shared_experts > 0 ? s->shared_experts * mlp->expert_ffn : 0;
    return kind;
}

clg_status clg_model_from_shape(clg_arena *arena, const clg_model_shape *s, clg_model *model,
                                clg_error *error) {
    if (check(s, error) != CLG_OK) return CLG_BAD_INPUT;
    clg_model m = {.name = s->name,
                   .title = s->name,
                   .layers = s->layers,
                   .hidden = s->hidden,
                   .vocab = s->vocab,
                   .tied = s->tied,
                   .biases = !s->gated,
                   .stored = CLG_BF16,
                   .stored_beside = CLG_BF16};
    bool moe = s->experts > 1;
    int dense = moe ? s->dense_layers > 0 ? s->dense_layers : 0 : s->layers;
    if (dense > 0) m.kind[m.kinds++] = kind_of(s, false);
    if (moe && dense < s->layers) m.kind[m.kinds++] = kind_of(s, true);
    uint8_t *layer_kind = clg_take(arena, (size_t)s->layers, uint8_t);
    for (int i = 0; i < s->layers; i++) layer_kind[i] = (uint8_t)(i < dense ? 0 : m.kinds - 1);
    m.layer_kind = layer_kind;
    m.embedding_parameters = s->vocab * s->hidden;
    m.head_parameters = s->tied ? 0 : s->vocab * s->hidden;
    m.final_parameters = s->hidden * (s->gated ? 1 : 2);
    if (!clg_model_countable(&m))
        return clg_fail(error, CLG_BAD_INPUT, "check the sizes", "more than 10^16 parameters");
    clg_model_count(&m);
    *model = m;
    return CLG_OK;
}
