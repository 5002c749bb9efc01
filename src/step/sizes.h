/* sizes.h -- how wide a layer's attention is on one of `tp` tensor ranks: the shapes that training
 * steps and serving iterations are both written from. */
#ifndef CLG_STEP_SIZES_H
#define CLG_STEP_SIZES_H

#include "model/model.h"

typedef struct clg_widths {
    double heads, kv_heads; /* of a rank; key-value heads (of a state: key-query groups) that fewer
                               share than there are ranks are on several: at least one */
    double queries, keys, values, results; /* of a token: q, k, v, and what attention gives; of a
                                              state keys are those of keys and queries */
    double columns;       /* of the product that makes all of them, and a gate, of the hidden width;
                             not of latent attention */
    double made, gates;   /* of them: those of keys and values, and of the output's gate */
    double latent, plain; /* LATENT: a key's and value's latent with its rotated part; what is not
                             rotated of a head */
    double pooled, output; /* pooled values and their weights, on every rank; what groups of heads
                              are multiplied to before the hidden width */
    double channels, rank; /* LINEAR: that are convolved; low rank of further gates */
    int low_gates;         /* how many of those there are */
} clg_widths;

clg_widths clg_widths_of(const clg_attention *attention, double tp);

/* Matrices of a hidden-to-width product and back: up (and gate), down. */
static inline double clg_up_matrices(const clg_mlp *mlp) { return mlp->gated ? 2 : 1; }

#endif
