/* trace_reading.c -- one file a thread at a time; the order of the answer is that of the files. */
#include "cli/trace_reading.h"

#include "cli/read_ahead.h"
#include "trace/kind.h"
#include "trace/nsys.h"

#include <pthread.h>
#include <unistd.h>

enum { WHOLE_BYTES = 1 << 30 /* databases and logs are read as a whole */, MOST_THREADS = 256 };

/* What one file held, with memory of its own: arenas are not shared between threads. */
typedef struct result {
    clg_arena arena;
    clg_trace *traces;
    int count;
    clg_nccl_rows benchmarks;
    clg_train_logs logs;
    clg_status status;
    clg_error error;
} result;

struct clg_trace_reading {
    clg_session *session;
    clg_csv table; /* communication kernels */
    const char **paths;
    int count, next, done, cores;
    result *results;
    pthread_mutex_t lock;
    clg_trace_skipped *skipped;
    int skipped_count;
};

/* With cores to spare, one inflates while another parses. */
static clg_status read_kineto(const clg_trace_reading *r, result *into, const char *path,
                              clg_trace_file *file, clg_arena *scratch) {
    clg_trace_source source = clg_trace_file_source(file);
    bool spare = clg_trace_file_compressed(file) && r->cores > r->count;
    clg_read_ahead *ahead = spare ? clg_read_ahead_start(scratch, source) : NULL;
    into->traces = clg_take(&into->arena, 1, clg_trace);
    clg_status status =
        clg_trace_read(&into->arena, path, ahead ? clg_read_ahead_source(ahead) : source, &r->table,
                       into->traces, &into->error);
    if (ahead) clg_read_ahead_stop(ahead);
    into->count = status == CLG_OK;
    return status;
}

static clg_slice read_whole(clg_arena *scratch, clg_trace_file *file) {
    clg_text all = {.arena = scratch};
    clg_trace_source source = clg_trace_file_source(file);
    enum { BLOCK = 1 << 16 };
    char *block = clg_arena_take(scratch, BLOCK, 1);
    size_t got;
    while (all.size < WHOLE_BYTES && (got = source.fill(source.context, block, BLOCK)) > 0)
        clg_text_add(&all, block, got);
    return (clg_slice){all.data ? all.data : "", all.size};
}

static clg_status read_log(result *into, const char *path, clg_slice text) {
    into->benchmarks.arena = into->logs.arena = &into->arena;
    bool benchmark = clg_nccl_log_read(&into->benchmarks, path, text) > 0;
    bool training = clg_train_log_read(&into->logs, path, text);
    if (benchmark || training) return CLG_OK;
    clg_error_at(&into->error, path, 0, 0, NULL);
    return clg_fail(
        &into->error, CLG_BAD_INPUT,
        "give traces of torch.profiler, exports of Nsight Systems, logs of training or nccl-tests",
        "no profiler recording");
}

static clg_status read_one(const clg_trace_reading *r, const char *path, result *into) {
    clg_arena scratch = {0};
    clg_trace_file *file;
    clg_slice head;
    clg_status status = clg_trace_open(&scratch, path, &file, &head, &into->error);
    if (status == CLG_OK) {
        clg_trace_kind kind = clg_trace_kind_of(head);
        if (kind == CLG_KIND_NSYS)
            status = clg_nsys_read(&into->arena, path, read_whole(&scratch, file), &r->table,
                                   &into->traces, &into->count, &into->error);
        else if (kind == CLG_KIND_TEXT)
            status = read_log(into, path, read_whole(&scratch, file));
        else
            status = read_kineto(r, into, path, file, &scratch);
        clg_trace_close(file);
    }
    clg_arena_clear(&scratch);
    return status;
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
        r->results[at].status = read_one(r, r->paths[at], &r->results[at]);
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

/* What the files held, in their order; the first error where there is nothing. */
static clg_status gather(clg_trace_reading *r, clg_job *job, clg_error *error) {
    clg_arena *arena = r->session->arena;
    clg_trace *traces = NULL;
    size_t count = 0, capacity = 0;
    clg_nccl_rows rows = {.arena = arena};
    clg_train_logs logs = {.arena = arena};
    for (int i = 0; i < r->count; i++) {
        const result *one = &r->results[i];
        for (int k = 0; k < one->count; k++)
            CLG_TRACE_ADD(arena, traces, count, capacity, one->traces[k]);
        for (size_t k = 0; k < one->benchmarks.count; k++)
            CLG_TRACE_ADD(arena, rows.row, rows.count, rows.capacity, one->benchmarks.row[k]);
        for (size_t k = 0; k < one->logs.count; k++)
            CLG_TRACE_ADD(arena, logs.log, logs.count, logs.capacity, one->logs.log[k]);
        if (one->status == CLG_OK) continue;
        if (r->skipped_count == 0) *error = one->error;
        r->skipped[r->skipped_count++] = (clg_trace_skipped){r->paths[i], one->error.message};
    }
    if (count == 0 && rows.count == 0 && logs.count == 0) return error->status;
    *error = (clg_error){0};
    clg_job_match(arena, traces, (int)count, job);
    job->benchmarks = rows;
    job->logs = logs;
    return CLG_OK;
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
    r->results = clg_take(session->arena, (size_t)r->count, result);
    r->skipped = clg_take(session->arena, (size_t)r->count, clg_trace_skipped);
    read_all(r);
    return gather(r, job, error);
}

const clg_trace_skipped *clg_trace_reading_skipped(const clg_trace_reading *r, int *count) {
    *count = r->skipped_count;
    return r->skipped;
}

void clg_trace_reading_end(clg_trace_reading *r) {
    for (int i = 0; r && r->results && i < r->count; i++) clg_arena_clear(&r->results[i].arena);
}
