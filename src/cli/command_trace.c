/* command_trace.c -- profiler recordings of a job: where the time went and who waited for whom. */
#include "cli/trace_files.h"

#include "report/trace.h"
#include "trace/job.h"
#include "trace/kind.h"

#include <stdlib.h>

typedef struct reading {
    clg_session *session;
    clg_csv table; /* communication kernels */
    clg_trace *traces;
    int count;
    clg_trace_skipped *skipped;
    int skipped_count;
} reading;

/* What cannot be read yet is said, not guessed at. */
static const char *not_read(clg_trace_kind kind) {
    if (kind == CLG_KIND_NSYS) return "exports of Nsight Systems are not read yet";
    if (kind == CLG_KIND_NCCL_TESTS) return "logs of nccl-tests are not read yet";
    return kind == CLG_KIND_UNKNOWN ? "no profiler recording" : NULL;
}

static clg_status read_one(reading *r, const char *path, clg_error *error) {
    clg_arena scratch = {0};
    clg_trace_file *file;
    clg_slice head;
    clg_status status = clg_trace_open(&scratch, path, &file, &head, error);
    if (status == CLG_OK) {
        const char *unread = not_read(clg_trace_kind_of(head));
        clg_error_at(error, path, 0, 0, NULL);
        status = unread ? clg_fail(error, CLG_BAD_INPUT, "give traces that torch.profiler exported",
                                   "%s", unread)
                        : clg_trace_read(r->session->arena, path, clg_trace_file_source(file),
                                         &r->table, &r->traces[r->count], error);
        clg_trace_close(file);
    }
    clg_arena_clear(&scratch);
    return status;
}

static void read_all(reading *r, const char *const *paths, int count, clg_error *first) {
    for (int i = 0; i < count; i++) {
        clg_progress_tell(r->session, "reading", (double)i / count);
        clg_error error = {0};
        if (read_one(r, paths[i], &error) == CLG_OK) {
            r->count++;
            continue;
        }
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
    reading r = {.session = session};
    const char **paths;
    int count;
    if (clg_trace_kernels_read(session->arena, &r.table, error) != CLG_OK ||
        clg_trace_list(session->arena, session->operand, session->operands, &paths, &count,
                       error) != CLG_OK)
        return error->status;
    if (count == 0)
        return clg_fail(error, CLG_BAD_INPUT, "give one with traces", "no files are in it");
    r.traces = clg_take(session->arena, (size_t)count, clg_trace);
    r.skipped = clg_take(session->arena, (size_t)count, clg_trace_skipped);
    read_all(&r, paths, count, error);
    if (r.count == 0) return error->status;
    *error = (clg_error){0};
    clg_job job;
    clg_job_match(session->arena, r.traces, r.count, &job);
    print(&r, &job);
    return CLG_OK;
}

static const clg_param knobs[] = {CLG_PARAM_JSON, CLG_PARAM_TOP, CLG_PARAM_COLOR, CLG_PARAMS};

const clg_command clg_command_trace = {
    .name = "trace",
    .operands = "FILE|DIRECTORY...",
    .summary = "where the time of a recorded job went, and who waited for whom",
    .details = "Reads PyTorch profiler traces (JSON, also gzip or zip), one file per rank; a "
               "directory stands for the files in it. Splits every rank's time exactly into "
               "compute, exposed communication, exposed copies and idle; matches collectives over "
               "ranks and tells waiting from transfer. Damaged files are read as far as they go.",
    .example = "ceiling trace traces/",
    .knobs = knobs,
    .least = 1,
    .most = CLG_OPERANDS,
    .run = run};
