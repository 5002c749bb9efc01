/* share.c -- who takes part, and what each gets. */
#include "cli/share.h"

#include "api/answer_trace.h"
#include "base/version.h"

#include <stdlib.h>
#include <string.h>

/* What launchers tell their processes: Open MPI's mpirun, those that speak PMI (MPICH, Intel MPI),
 * MVAPICH2, and srun with PMIx. */
static const struct {
    const char *needed, *count, *index;
} launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                 {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                 {"PMI_SIZE", "PMI_SIZE", "PMI_RANK"},
                 {"PMIX_RANK", "SLURM_STEP_NUM_TASKS", "PMIX_RANK"}};

static int number_of(const char *name) {
    const char *text = getenv(name);
    return text ? atoi(text) : 0;
}

int clg_share_launched(int *index) {
    *index = 0;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        int count = getenv(launchers[i].needed) ? number_of(launchers[i].count) : 0;
        if (count < 2) continue;
        *index = number_of(launchers[i].index);
        return count;
    }
    return 1;
}

/* ---- beginning and end ---- */

static void walk_hello(clg_parcel *p, const char **version, int64_t *form) {
    *version = clg_parcel_text(p, *version);
    *form = clg_parcel_integer(p, *form, 0, INT32_MAX);
}

static void send_hello(void) {
    clg_arena arena = {0};
    clg_text text = {.arena = &arena};
    clg_parcel p = clg_parcel_to(&text);
    const char *version = CLG_VERSION;
    int64_t form = CLG_RECORDING_FORM;
    walk_hello(&p, &version, &form);
    clg_share_send(0, text.data, text.size);
    clg_arena_clear(&arena);
}

static bool hear_hello(int from) {
    clg_arena arena = {0};
    size_t size;
    const char *bytes = clg_share_receive(&arena, from, &size), *version = NULL;
    clg_parcel p = clg_parcel_from(&arena, bytes, size);
    int64_t form = 0;
    walk_hello(&p, &version, &form);
    bool same =
        clg_parcel_ended(&p) && form == CLG_RECORDING_FORM && strcmp(version, CLG_VERSION) == 0;
    clg_arena_clear(&arena);
    return same;
}

clg_status clg_share_begin(clg_share *share, clg_error *error) {
    clg_status status = clg_share_join(share, error);
    if (status != CLG_OK || share->count < 2) return status;
    if (share->index > 0) send_hello();
    for (int i = 1; share->index == 0 && i < share->count; i++)
        if (!hear_hello(i) && status == CLG_OK)
            status = clg_fail(error, CLG_BAD_USAGE, "install the same on all machines",
                              "process %d is of another build of ceiling than process 0", i);
    return status;
}

void clg_share_finish(const clg_share *share) {
    if (share->count < 2) return;
    for (int i = 1; share->index == 0 && i < share->count; i++) clg_share_send(i, "", 0);
    clg_share_leave();
}

/* ---- the split ---- */

typedef struct portion {
    int64_t bytes;
    int file;
} portion;

static int largest_first(const void *a, const void *b) {
    const portion *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->file - y->file;
}

/* Longest processing time first (Graham 1969): within 4/3 of the best split. */
void clg_share_split(const int64_t *bytes, int count, int processes, int *owner) {
    clg_arena scratch = {0};
    portion *sorted = clg_take(&scratch, (size_t)count + 1, portion);
    int64_t *given = clg_take(&scratch, (size_t)processes, int64_t);
    for (int i = 0; i < count; i++) sorted[i] = (portion){bytes[i], i};
    if (count > 1) qsort(sorted, (size_t)count, sizeof *sorted, largest_first);
    for (int i = 0; i < count; i++) {
        int least = 0;
        for (int k = 1; k < processes; k++)
            if (given[k] < given[least]) least = k;
        given[least] += sorted[i].bytes + 1; /* an empty file is work too */
        owner[sorted[i].file] = least;
    }
    clg_arena_clear(&scratch);
}
