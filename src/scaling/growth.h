/* growth.h -- what grows when the cluster does: the model, its tokens, its batch.
 *
 * A ladder says how parameters and batch go with the GPUs; tokens go with the parameters (a fixed
 * number a parameter). Parameters go as GPUs^exponent; with the root of the GPUs, 6 x parameters x
 * tokens goes as the GPUs, and training time stays (Hoffmann et al. 2022, arXiv:2203.15556). */
#ifndef CLG_SCALING_GROWTH_H
#define CLG_SCALING_GROWTH_H

#include "base/name.h"
#include "scaling/laws.h"

enum { CLG_LADDER_MODELS = 64 };

/* How the batch goes with the GPUs. */
typedef enum clg_growth_batch {
    CLG_BATCH_CRITICAL, /* it keeps its share of the critical batch, by the mean of the laws */
    CLG_BATCH_WORK,     /* parameters x batch per GPU stay: work per GPU and step does */
    CLG_BATCH_PER_GPU,  /* sequences per GPU stay */
    CLG_GROWTH_BATCHES
} clg_growth_batch;

typedef struct clg_growth {
    clg_growth_batch batch;
    double exponent;                /* of the parameters; 0: the root of the GPUs */
    const clg_model *const *models; /* [count] one per size instead; NULL: by the exponent */
    const int64_t *batches;         /* [count] of those, in sequences; 0: work per GPU stays */
    int count;
} clg_growth;

/* The words of a ladder that need no number and no models. */
extern const clg_name clg_growth_names[];

/* What is trained at one size. */
typedef struct clg_grown {
    const clg_model *model;
    double train_tokens, critical_tokens;
    double batch_growth; /* over the batch of the first size */
    int64_t batch;       /* sequences, as the ladder says; 0: it does not */
} clg_grown;

/* At the i-th size, `ratio` times the first. `critical_tokens`: of the first size. */
clg_status clg_grow(clg_arena *arena, const clg_growth *growth, const clg_model *first, int i,
                    double ratio, double train_tokens, double critical_tokens, clg_grown *grown,
                    clg_error *error);

#endif
