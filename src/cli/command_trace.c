/* command_trace.c -- profiler recordings of a job: where the time went and who waited for whom. */
#include "cli/trace_files.h"

#include "report/trace.h"
#include "trace/job.h"
#include "trace/kind.h"
#include "trace/nsys.h"

#include <stdlib.h>

typedef struct reading {
    clg_session *session;
    clg_csv table; /* communication kernels */
    clg_trace *traces;
    size_t count, capacity;
    clg_nccl_rows benchmarks;
    clg_train_logs logs;
    clg_trace_skipped *skipped;
    int skipped_count;
} reading;

enum { WHOLE_BYTES = 1 << 30 }; /* databases and logs are read as a whole */

static void keep(reading *r, clg_trace trace) {
    CLG_TRACE_ADD(r->session->arena, r->traces, r->count, r->capacity, trace);
}

static clg_status read_kineto(reading *r, const char *path, clg_trace_file *file,
                              clg_error *error) {
    clg_trace trace;
    clg_status status = clg_trace_read(r->session->arena, path, clg_trace_file_source(file),
                                       &r->table, &trace, error);
    if (status == CLG_OK) keep(r, trace);
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

static clg_status read_nsys(reading *r, const char *path, clg_slice data, clg_error *error) {
    clg_trace *traces;
    int count;
    clg_status status =
        clg_nsys_read(r->session->arena, path, data, &r->table, &traces, &count, error);
    for (int i = 0; status == CLG_OK && i < count; i++) keep(r, traces[i]);
    return status;
}

static clg_status read_log(reading *r, const char *path, clg_slice text, clg_error *error) {
    bool benchmark = clg_nccl_log_read(&r->benchmarks, path, text) > 0;
    bool training = clg_train_log_read(&r->logs, path, text);
    if (benchmark || training) return CLG_OK;
    clg_error_at(error, path, 0, 0, NULL);
    return clg_fail(
        error, CLG_BAD_INPUT,
        "give traces of torch.profiler, exports of Nsight Systems, logs of training or nccl-tests",
        "no profiler recording");
}

static clg_status read_one(reading *r, const char *path, clg_error *error) {
    clg_arena scratch = {0};
    clg_trace_file *file;
    clg_slice head;
    clg_status status = clg_trace_open(&scratch, path, &file, &head, error);
    if (status == CLG_OK) {
        clg_trace_kind kind = clg_trace_kind_of(head);
        if (kind == CLG_KIND_NSYS)
            status = read_nsys(r, path, read_whole(&scratch, file), error);
        else if (kind == CLG_KIND_TEXT)
            status = read_log(r, path, read_whole(&scratch, file), error);
        else
            status = read_kineto(r, path, file, error);
        clg_trace_close(file);
    }
    clg_arena_clear(&scratch);
    return status;
}

static void read_all(reading *r, const char *const *paths, int count, clg_error *first) {
    for (int i = 0; i < count; i++) {
        clg_progress_tell(r->session, "reading", (double)i / count);
        clg_error error = {0};
        if (read_one(r, paths[i], &error) == CLG_OK) continue;
        if (r->skipped_count == 0) *first = error;
        const char *reason = clg_arena_print(r->session->arena, "%s", error.message);
        r->skipped[r->skipped_count++] = (clg_trace_skipped){paths[i], reason};
    }
    clg_progress_end(r->session);
}

static void print(reading *r, const clg_job *job) {
    clg_session *session = r->session;
    if (clg_session_has(session, CLG_PARAM_JSON)) {
        clg_json_writer writer = {.text = &session->out, .pretty = true};
        clg_json_trace(&writer, job, r->skipped, r->skipped_count);
        clg_text_print(&session->out, "\n");
        return;
    }
    const char *top = session->request.value[CLG_PARAM_TOP];
    int rows = top ? atoi(top) : 8;
    clg_report_trace(&session->out, job, r->skipped, r->skipped_count, rows > 0 ? rows : 8);
}

static clg_status run(clg_session *session, clg_error *error) {
    reading r = {.session = session,
                 .benchmarks = {.arena = session->arena},
                 .logs = {.arena = session->arena}};
    const char **paths;
    int count;
    if (clg_trace_kernels_read(session->arena, &r.table, error) != CLG_OK ||
        clg_trace_list(session->arena, session->operand, session->operands, &paths, &count,
                       error) != CLG_OK)
        return error->status;
    if (count == 0)
        return clg_fail(error, CLG_BAD_INPUT, "give one with traces", "no files are in it");
    r.skipped = clg_take(session->arena, (size_t)count, clg_trace_skipped);
    read_all(&r, paths, count, error);
    if (r.count == 0 && r.benchmarks.count == 0 && r.logs.count == 0) return error->status;
    *error = (clg_error){0};
    clg_job job;
    clg_job_match(session->arena, r.traces, (int)r.count, &job);
    job.benchmarks = r.benchmarks;
    job.logs = r.logs;
    print(&r, &job);
    return CLG_OK;
}

static const clg_param knobs[] = {CLG_PARAM_JSON, CLG_PARAM_TOP, CLG_PARAM_COLOR, CLG_PARAMS};

const clg_command clg_command_trace = {
    .name = "trace",
    .operands = "FILE|DIRECTORY...",
    .summary = "where the time of a recorded job went, and who waited for whom",
    .details = "Reads PyTorch profiler traces (JSON, also gzip or zip), one file per rank, "
               "SQLite exports of Nsight Systems, and logs of nccl-tests; a directory stands for "
               "the files in it. Splits every rank's time exactly into "
               "compute, exposed communication, exposed copies and idle; matches collectives over "
               "ranks and tells waiting from transfer. Damaged files are read as far as they go.",
    .example = "ceiling trace traces/",
    .knobs = knobs,
    .least = 1,
    .most = CLG_OPERANDS,
    .run = run};
