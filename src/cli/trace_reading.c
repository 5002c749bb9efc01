/* trace_reading.c -- one file a thread at a time; the order of the answer is that of the files. */
#include "cli/trace_reading.h"

#include "api/answer_trace.h"
#include "cli/read_ahead.h"

#include <pthread.h>
#include <unistd.h>

enum { MOST_THREADS = 256 };

struct clg_trace_reading {
    clg_session *session;
    clg_csv table; /* communication kernels */
    const char **paths;
    int count, next, done, cores;
    clg_recording *recordings;
    pthread_mutex_t lock;
    clg_trace_skips skips;
};

/* With cores to spare, one inflates while another parses. */
static void read_one(const clg_trace_reading *r, const char *path, clg_recording *into) {
    clg_arena scratch = {0};
    clg_trace_file *file;
    clg_slice head;
    into->file = path;
    into->status = clg_trace_open(&scratch, path, &file, &head, &into->error);
    if (into->status == CLG_OK) {
        clg_trace_source source = clg_trace_file_source(file);
        bool spare = clg_trace_file_compressed(file) && r->cores > r->count;
        clg_read_ahead *ahead = spare ? clg_read_ahead_start(&scratch, source) : NULL;
        clg_recording_read(path, head, ahead ? clg_read_ahead_source(ahead) : source, &r->table,
                           into);
        if (ahead) clg_read_ahead_stop(ahead);
        clg_trace_close(file);
    }
    clg_arena_clear(&scratch);
}

/* The next file to read, or -1. */
static int take_next(clg_trace_reading *r, int finished, bool tells) {
    pthread_mutex_lock(&r->lock);
    r->done += finished;
    int at = r->next < r->count ? r->next++ : -1;
    double share = (double)r->done / r->count;
    pthread_mutex_unlock(&r->lock);
    if (tells) clg_progress_tell(r->session, "reading", share);
    return at;
}

static void read_files(clg_trace_reading *r, bool tells) {
    for (int at = take_next(r, 0, tells); at >= 0; at = take_next(r, 1, tells))
        read_one(r, r->paths[at], &r->recordings[at]);
}

static void *work(void *context) {
    read_files(context, false);
    return NULL;
}

static void read_all(clg_trace_reading *r) {
    pthread_t helpers[MOST_THREADS];
    int most = r->cores < r->count ? r->cores : r->count, started = 0;
    pthread_mutex_init(&r->lock, NULL);
    while (started + 1 < most && started < MOST_THREADS &&
           pthread_create(&helpers[started], NULL, work, r) == 0)
        started++;
    read_files(r, true);
    for (int i = 0; i < started; i++) pthread_join(helpers[i], NULL);
    pthread_mutex_destroy(&r->lock);
    clg_progress_end(r->session);
}

clg_status clg_trace_reading_do(clg_session *session, const char *const *operands, int count,
                                int threads, clg_trace_reading **reading, clg_job *job,
                                clg_error *error) {
    clg_trace_reading *r = *reading = clg_take(session->arena, 1, clg_trace_reading);
    long cores = threads > 0 ? threads : sysconf(_SC_NPROCESSORS_ONLN);
    r->session = session;
    r->cores = cores > 0 && cores < MOST_THREADS ? (int)cores : 1;
    if (clg_trace_kernels_read(session->arena, &r->table, error) != CLG_OK ||
        clg_trace_list(session->arena, operands, count, &r->paths, &r->count, error) != CLG_OK)
        return error->status;
    if (r->count == 0)
        return clg_fail(error, CLG_BAD_INPUT, "give one with traces", "no files are in it");
    r->recordings = clg_take(session->arena, (size_t)r->count, clg_recording);
    read_all(r);
    return clg_recordings_join(session->arena, r->recordings, r->count, job, &r->skips, error);
}

const clg_trace_skipped *clg_trace_reading_skipped(const clg_trace_reading *r, int *count) {
    *count = r->skips.count;
    return r->skips.row;
}

void clg_trace_reading_end(clg_trace_reading *r) {
    for (int i = 0; r && r->recordings && i < r->count; i++) clg_recording_end(&r->recordings[i]);
}
