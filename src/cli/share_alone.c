/* share_alone.c -- one process: what a build without MPI has. */
#include "cli/share.h"

#include <stdlib.h>

clg_status clg_share_join(clg_share *share, clg_error *error) {
    int index, launched = clg_share_launched(&index);
    *share = (clg_share){.index = index, .count = 1, .on_host = 1};
    if (launched < 2) return CLG_OK;
    return clg_fail(
        error, CLG_BAD_USAGE, "start one, or build ceiling where mpicc is found (ceiling version)",
        "%d processes were started, and this build has no MPI to share work with", launched);
}

const char *clg_share_library(clg_arena *arena) {
    (void)arena;
    return NULL;
}

/* Nobody is there: to get here is a bug. */
void clg_share_send(int to, const char *bytes, size_t size) {
    (void)to, (void)bytes, (void)size;
    abort();
}

const char *clg_share_receive(clg_arena *arena, int from, size_t *size) {
    (void)arena, (void)from, (void)size;
    abort();
}

void clg_share_leave(void) {}
