/* storage.h -- what a plan asks of storage: samples read, checkpoints written.
 *
 * Left out: reading what was written after a failure (in `restart_s`), files that are decoded on
 * the way (images, video: many times as many bytes), checkpoints that are written behind the step,
 * which take less, and adapters, whose checkpoints are small. */
#ifndef CLG_ECONOMICS_STORAGE_H
#define CLG_ECONOMICS_STORAGE_H

#include "economics/goodput.h"
#include "evaluate/evaluate.h"

typedef struct clg_storage {
    double samples_per_s, read_bytes_per_s; /* of the whole job; as token ids */
    double bytes_per_s;                     /* storage as assumed, of the whole job */
    double checkpoint_bytes, node_bytes;    /* of one, of all ranks and of one node's */
    double checkpoint_s, interval_s; /* one write, and from one to the next; 0: no failures */
    double share;                    /* of the time that writing takes */
    double one_percent_bytes_per_s;  /* storage with which writing takes one per cent of the time;
                                        narrower, it becomes a wall; 0: no failures */
} clg_storage;

clg_storage clg_storage_of(const clg_operations *operations, const clg_scenario *scenario,
                           const clg_evaluation *evaluation);

#endif
