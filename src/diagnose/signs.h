/* signs.h -- what people read off a running job beside its speed: how busy its GPUs are, how long
 * it waits for data and for the optimizer, and what share collectives have.
 *
 * A kernel that waits for other ranks is busy, as nvidia-smi counts; a GPU that waits for its host
 * is not. So a slow network and slow data differ where their steps do not. Receives of a pipeline
 * poll: its bubble counts as busy, and among the collectives, as does who waits for a late rank.
 * Traffic that hides under compute is not counted, which profiles do: errs low. Left out: watts,
 * for what a waiting GPU draws is known for fast networks only (data/power/phases.json), and
 * threads tell of half of that on slow ones. */
#ifndef CLG_DIAGNOSE_SIGNS_H
#define CLG_DIAGNOSE_SIGNS_H

#include "diagnose/cause.h"
#include "diagnose/observe.h"

/* The same in a world, of which memory is none; `silent` where the cause does not say what GPUs do
 * meanwhile. */
typedef struct clg_signs {
    double value[CLG_SIGNS];
    bool silent;
} clg_signs;

/* `e` priced in the world `w`. */
clg_signs clg_signs_of(const clg_world *w, const clg_evaluation *e);

/* How well they agree with what was seen in a step of `step_s`: product of `density` (of a
 * deviation, and its sigma); 1 where nothing was seen. */
double clg_signs_agree(const clg_diagnosis_rules *rules, const clg_observations *seen,
                       const clg_signs *signs, double step_s, double (*density)(double, double));

#endif
