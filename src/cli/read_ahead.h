/* read_ahead.h -- a source filled by a thread of its own: inflating runs beside parsing. */
#ifndef CLG_CLI_READ_AHEAD_H
#define CLG_CLI_READ_AHEAD_H

#include "record/window.h"

typedef struct clg_read_ahead clg_read_ahead;

/* Starts reading `inner`; NULL when no thread could be had. */
clg_read_ahead *clg_read_ahead_start(clg_arena *arena, clg_trace_source inner);
clg_trace_source clg_read_ahead_source(clg_read_ahead *ahead);

/* Stops the thread, also before the end. */
void clg_read_ahead_stop(clg_read_ahead *ahead);

#endif
