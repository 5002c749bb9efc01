/* sizes.c -- see the header. */
#include "step/sizes.h"

#include <math.h>

static void widen_state(clg_widths *w, const clg_attention *a, double tp) {
    double repeated = w->kv_heads - a->kv_heads / tp;
    w->keys = 2 * w->kv_heads * a->head_dim;
    w->channels = w->keys + w->results;
    w->columns = (double)clg_state_columns(a) / tp + 2 * repeated * a->head_dim;
    w->rank = (double)clg_state_gate_rank(a);
    w->low_gates = clg_state_low_gates(a);
}

clg_widths clg_widths_of(const clg_attention *a, double tp) {
    bool latent = a->kind == CLG_ATTENTION_LATENT;
    clg_widths w = {.heads = a->heads / tp};
    w.kv_heads = latent ? w.heads : fmax(1, a->kv_heads / tp);
    w.queries = w.heads * a->head_dim;
    w.keys = w.kv_heads * a->head_dim;
    w.values = a->shared_values ? 0 : w.kv_heads * a->value_head_dim;
    w.results = w.heads * a->value_head_dim;
    w.made = a->borrows ? 0 : w.keys + (a->keys_serve ? 0 : w.values);
    w.gates = w.heads * a->gate_dim;
    w.columns = w.queries + w.made + w.gates;
    w.latent = a->kv_rank + a->rope_dim;
    w.plain = a->head_dim - a->rope_dim;
    w.pooled = a->pooling.every > 0 ? 2.0 * a->pooling.series * a->head_dim : 0;
    w.output = a->output_groups / tp * a->output_rank;
    if (a->kind == CLG_ATTENTION_LINEAR) widen_state(&w, a, tp);
    return w;
}
