/* laws.h -- the wall that is not hardware: batches beyond which more samples buy few steps.
 *
 * Steps to a target fall as S = S_min (1 + B_crit / B), samples rise as E = E_min (1 + B / B_crit)
 * (McCandlish et al. 2018, arXiv:1812.06162, section 2.3). Published laws disagree on B_crit by
 * several times outside the sizes they were fitted on: all are given, and the band between them. */
#ifndef CLG_SCALING_LAWS_H
#define CLG_SCALING_LAWS_H

#include "layout/layout.h"
#include "model/model.h"

#include "base/arena.h"

enum { CLG_BATCH_LAWS = 8 };

typedef struct clg_batch_law {
    const char *name, *title;
    double tokens; /* critical batch of this model and token count */
} clg_batch_law;

typedef struct clg_critical_batch {
    int count;
    clg_batch_law law[CLG_BATCH_LAWS];
    double low_tokens, tokens, high_tokens; /* band, and its geometric mean; or what was measured */
    const char *name; /* which law `tokens` is: "measured" or "mean of laws" */
} clg_critical_batch;

/* Loss of a model trained on so many tokens (Hoffmann et al. 2022, equation 10). */
clg_status clg_expected_loss(clg_arena *arena, double parameters, double tokens, double *loss,
                             clg_error *error);

/* Tokens a parameter where parameters and data are in balance (Hoffmann et al. 2022, section 3.4),
 * and the parameters of the model for which so much computing, 6 x parameters x tokens, is that. */
#define CLG_BALANCED_TOKENS 20.0
double clg_balanced_parameters(double parameters, double tokens);

/* Every law of data/critical-batch at this model and token count. `measured_tokens` > 0 replaces
 * their mean (INFINITY: no wall). */
clg_status clg_critical_batch_find(clg_arena *arena, const clg_model *model, double train_tokens,
                                   double measured_tokens, clg_critical_batch *critical,
                                   clg_error *error);

/* Samples needed at a batch over those needed at a tiny one: 1 + B / B_crit. */
double clg_samples_ratio(double batch_tokens, double critical_tokens);

/* Tokens that bring a model as far as `train_tokens` do, at this batch. Up to the critical batch as
 * asked: laws of it are fitted so that little is lost there (Zhang et al. 2024, arXiv:2410.21676:
 * a fifth more steps than at perfect scaling; DeepSeek LLM 2024, arXiv:2401.02954, equation 1: the
 * best batch). Beyond it as many more as the samples of McCandlish et al. are. Left out: that a
 * batch far below it would do with fewer. */
double clg_tokens_needed(double train_tokens, double batch_tokens, double critical_tokens);

/* The same where nothing was measured; of a frozen model as asked. */
double clg_tokens_as_good(clg_arena *arena, const clg_model *model, double train_tokens,
                          const clg_layout *layout, clg_critical_batch *critical);

#endif
