/* doubt.c -- see the header. */
#include "serve/doubt.h"

#include "base/normal.h"
#include "base/real.h"
#include "dataset/open.h"

#include <math.h>

/* What a model is like, the least sure last. */
typedef enum kind { DENSE, MIXTURE, LATENT, KINDS } kind;

/* Keys and values kept as latents, or chosen by an indexer: kernels of one model each. */
static kind kind_of(const clg_model *m) {
    kind found = DENSE;
    for (int k = 0; k < m->kinds; k++) {
        const clg_attention *a = &m->kind[k].attention;
        if (a->kind == CLG_ATTENTION_LATENT || a->indexer.heads > 0) return LATENT;
        if (m->kind[k].mlp.kind == CLG_MLP_MOE) found = MIXTURE;
    }
    return found;
}

/* Of two that know nothing of each other. */
static double both(double a, double b) { return sqrt(a * a + b * b); }

clg_status clg_serve_sigma_of(clg_arena *arena, const clg_model *model, double borrowed,
                              clg_serve_sigma *sigma, clg_error *error) {
    clg_serve_sigma of[KINDS];
    double experts;
    const clg_value_field fields[] = {{"dense_first", CLG_COUNT, &of[DENSE].first},
                                      {"dense_token", CLG_COUNT, &of[DENSE].token},
                                      {"dense_rate", CLG_COUNT, &of[DENSE].rate},
                                      {"mixture_first", CLG_COUNT, &of[MIXTURE].first},
                                      {"mixture_token", CLG_COUNT, &of[MIXTURE].token},
                                      {"mixture_rate", CLG_COUNT, &of[MIXTURE].rate},
                                      {"latent_first", CLG_COUNT, &of[LATENT].first},
                                      {"latent_token", CLG_COUNT, &of[LATENT].token},
                                      {"latent_rate", CLG_COUNT, &of[LATENT].rate},
                                      {"borrowed_experts", CLG_COUNT, &experts}};
    if (CLG_DATASET_NUMBERS(arena, "operations", "serving-doubts", fields, error) != CLG_OK)
        return error->status;
    kind like = kind_of(model);
    double more = borrowed > 0 && like != DENSE ? experts : borrowed;
    *sigma = (clg_serve_sigma){both(of[like].first, more), both(of[like].token, more),
                               both(of[like].rate, more)};
    return CLG_OK;
}

/* A deviation as a factor from the middle to P90. */
static double tenth_of(double sigma) { return clg_exp(clg_normal_quantile(0.9) * sigma); }

clg_serve_doubt clg_serve_doubt_of(const clg_serve_sigma *s) {
    return (clg_serve_doubt){tenth_of(s->first), tenth_of(s->token), tenth_of(s->rate)};
}
