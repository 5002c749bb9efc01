/* share.h -- one command asked of several processes, as `mpirun` starts them.
 *
 * Process 0 does all that one process would do: it takes the command line, answers, writes files
 * and decides how it ends. The others wait for what it gives them to read, send back what they
 * found, say nothing and end when it does; so they cannot disagree, and none waits for one that
 * has left. Two files implement what is declared under "implemented twice": share_alone.c, and
 * share_mpi.c, which the build takes where it finds MPI and which alone knows it. */
#ifndef CLG_CLI_SHARE_H
#define CLG_CLI_SHARE_H

#include "base/error.h"
#include "base/parcel.h"

typedef struct clg_share {
    int index, count; /* this process, of how many; all zero: alone */
    int on_host;      /* how many of them run on this machine */
} clg_share;

/* Joins the others where there are any, and makes sure that all are of one build. Until it ends,
 * process 0 must end the share and the others must serve. */
clg_status clg_share_begin(clg_share *share, clg_error *error);

/* From process 0, once it has said all: the others may leave. From others: they leave. */
void clg_share_finish(const clg_share *share);

/* Gives files to processes so that all get about the same number of bytes: largest first, each to
 * the process that has least. Pure; owner[count] is the answer. */
void clg_share_split(const int64_t *bytes, int count, int processes, int *owner);

/* How many processes a launcher says that it started, and which this one is; 1 without one. */
int clg_share_launched(int *index);

/* ---- implemented twice ---- */

clg_status clg_share_join(clg_share *share, clg_error *error);

/* The library in use, "Open MPI v4.1.4"; NULL: built without. */
const char *clg_share_library(clg_arena *arena);

/* Whole messages, in order between any two processes. An empty one from process 0 means: leave. */
void clg_share_send(int to, const char *bytes, size_t size);
const char *clg_share_receive(clg_arena *arena, int from, size_t *size);
void clg_share_leave(void);

#endif
