/* runs.h -- recordings of several runs that lie together. */
#ifndef CLG_TRACE_RUNS_H
#define CLG_TRACE_RUNS_H

#include "record/trace.h"

/* Numbers the GPUs of several hosts on, file by file, where each file numbers its own from 0, tells
 * no world size, and two worked at once (XLA). */
void clg_trace_number_hosts(clg_trace *traces, size_t count);

/* Puts the traces of one run first, in the order they had, and says how many they are; `why`
 * [count] has a sentence for each of the others. A run has one world size and each rank once: where
 * a rank comes again later, by clocks that tell the day, the next one has begun. The run with most
 * ranks is taken, of several the last. Where nothing can tell runs apart, all are one. */
size_t clg_trace_runs_apart(clg_arena *arena, clg_trace *traces, size_t count, const char **why);

#endif
