/* train_end.c -- how a training log ends, where that is no end: by the words that PyTorch, JAX,
 * NCCL and Slurm print. Only its last lines are looked at: what a restart mended stands before. */
#include "record/train_log.h"

enum { LAST_BYTES = 64 << 10 };

const char *clg_train_log_end(clg_slice text) {
    static const char *const ends[][2] = {
        {"OutOfMemoryError", "it ran out of GPU memory"},
        {"CUDA out of memory", "it ran out of GPU memory"},
        {"HIP out of memory", "it ran out of GPU memory"},
        {"RESOURCE_EXHAUSTED", "it ran out of GPU memory"},
        {"Watchdog caught collective operation timeout",
         "a collective met its time limit: some rank did not come"},
        {"DUE TO TIME LIMIT", "its time was up"},
        {"oom-kill", "the node ran out of memory"},
        {"Traceback (most recent call last)", "it ended with an error"}};
    if (text.size > LAST_BYTES) text.text += text.size - LAST_BYTES, text.size = LAST_BYTES;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (clg_slice_has(text, ends[i][0])) return ends[i][1];
    return NULL;
}
