/* share_mpi.c -- the processes of an MPI job (MPI 3.0): the only file that knows MPI.
 *
 * Faults of MPI itself end all processes, as is its default. Waiting sleeps between looks: MPI
 * would spin, on a core that another process reads with. Only the first thread comes here. */
#include "cli/share.h"

#include <mpi.h>
#include <string.h>
#include <time.h>

enum { TAG = 1, PIECE = 1 << 26 /* counts are int in MPI 3 */, EAGER_LOOKS = 1000 };

static void rest(int looks) {
    struct timespec pause = {0, looks < 2 * EAGER_LOOKS ? 50000 : 1000000};
    if (looks > EAGER_LOOKS) nanosleep(&pause, NULL);
}

static void finish(MPI_Request *request) {
    int done = 0;
    for (int looks = 0; !done; looks++) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done) rest(looks);
    }
}

static void send_piece(int to, const void *bytes, size_t size) {
    MPI_Request request;
    MPI_Isend(bytes, (int)size, MPI_BYTE, to, TAG, MPI_COMM_WORLD, &request);
    finish(&request);
}

static void receive_piece(int from, void *bytes, size_t size) {
    MPI_Request request;
    MPI_Irecv(bytes, (int)size, MPI_BYTE, from, TAG, MPI_COMM_WORLD, &request);
    finish(&request);
}

clg_status clg_share_join(clg_share *share, clg_error *error) {
    int index, got;
    (void)error;
    *share = (clg_share){.count = 1, .on_host = 1};
    if (clg_share_launched(&index) < 2) return CLG_OK;
    MPI_Comm host;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &got);
    MPI_Comm_rank(MPI_COMM_WORLD, &share->index);
    MPI_Comm_size(MPI_COMM_WORLD, &share->count);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &share->on_host);
    MPI_Comm_free(&host);
    return CLG_OK;
}

/* Up to the first comma or end of line; MPICH puts a tab. */
const char *clg_share_library(clg_arena *arena) {
    char words[MPI_MAX_LIBRARY_VERSION_STRING];
    int size;
    MPI_Get_library_version(words, &size);
    words[strcspn(words, ",\n")] = '\0';
    for (char *at = words; (at = strchr(at, '\t')) != NULL;) *at = ' ';
    return clg_arena_copy(arena, words, strlen(words));
}

/* Its size, then its bytes. */
void clg_share_send(int to, const char *bytes, size_t size) {
    uint64_t whole = size;
    MPI_Send(&whole, 1, MPI_UINT64_T, to, TAG, MPI_COMM_WORLD);
    for (size_t at = 0; at < size; at += PIECE)
        send_piece(to, bytes + at, size - at < PIECE ? size - at : PIECE);
}

const char *clg_share_receive(clg_arena *arena, int from, size_t *size) {
    uint64_t whole = 0;
    MPI_Request request;
    MPI_Irecv(&whole, 1, MPI_UINT64_T, from, TAG, MPI_COMM_WORLD, &request);
    finish(&request);
    *size = (size_t)whole;
    char *bytes = clg_arena_take(arena, *size + 1, 1);
    for (size_t at = 0; at < *size; at += PIECE)
        receive_piece(from, bytes + at, *size - at < PIECE ? *size - at : PIECE);
    return bytes;
}

void clg_share_leave(void) { MPI_Finalize(); }
