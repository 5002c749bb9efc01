/* batch.h -- a batch in tokens is approximate by nature: which number of sequences is meant.
 *
 * "4 Mtok" is 512 sequences of 8,192 tokens to everybody who says it, though 488 are nearer: 61 is
 * a factor that no layout has. Left out: what a layout's micro-batch would divide. */
#ifndef CLG_LAYOUT_BATCH_H
#define CLG_LAYOUT_BATCH_H

#include <stdint.h>

/* How far the sequences may be from the tokens asked for, as a share. */
extern const double CLG_BATCH_TOLERANCE;

/* The largest power of two that divides a number. */
static inline int64_t clg_twos_of(int64_t number) { return number & -number; }

/* Within the tolerance the number of sequences that the largest power of two divides, and with it
 * what is odd in the number of GPUs (24: 3), where there is one; the nearest of those alike. Where
 * none is so near, the nearest whole number. `gpus` 0: not known. */
int64_t clg_batch_of_tokens(double tokens, int64_t seq, int64_t gpus);

#endif
