/* answer_trace.c -- the job of many files, and its answer. */
#include "api/answer_trace.h"

#include "api/answer.h"

#include <string.h>

enum { HEAD_BYTES = 1 << 14 };

/* All that files held, in their order. */
typedef struct found {
    clg_trace *traces;
    size_t count, capacity;
    clg_nccl_rows rows;
    clg_train_logs logs;
    clg_stages_list stages;
    clg_executions executions;
} found;

static void add_recording(clg_arena *arena, found *f, const clg_recording *one) {
    for (int k = 0; k < one->count; k++)
        CLG_TRACE_ADD(arena, f->traces, f->count, f->capacity, one->traces[k]);
    for (size_t k = 0; k < one->benchmarks.count; k++)
        CLG_TRACE_ADD(arena, f->rows.row, f->rows.count, f->rows.capacity, one->benchmarks.row[k]);
    for (size_t k = 0; k < one->logs.count; k++)
        CLG_TRACE_ADD(arena, f->logs.log, f->logs.count, f->logs.capacity, one->logs.log[k]);
    for (size_t k = 0; k < one->stages.count; k++)
        CLG_TRACE_ADD(arena, f->stages.file, f->stages.count, f->stages.capacity,
                      one->stages.file[k]);
    for (size_t k = 0; k < one->executions.count; k++)
        CLG_TRACE_ADD(arena, f->executions.file, f->executions.count, f->executions.capacity,
                      one->executions.file[k]);
}

/* Graphs of operators help the traces of their ranks; one that tells no rank helps the only one. */
static void lend_all(found *f) {
    for (size_t i = 0; i < f->executions.count; i++) {
        clg_execution *x = &f->executions.file[i];
        for (size_t k = 0; k < f->count; k++)
            if (x->rank == f->traces[k].rank || (x->rank < 0 && f->count == 1))
                x->lent += clg_execution_lend(x, &f->traces[k]);
    }
}

clg_status clg_recordings_join(clg_arena *arena, const clg_recording *recordings, int count,
                               clg_recorded_job *job, clg_trace_skips *skips, clg_error *error) {
    found f = {0};
    *skips = (clg_trace_skips){clg_take(arena, (size_t)count, clg_trace_skipped), 0};
    for (int i = 0; i < count; i++) {
        const clg_recording *one = &recordings[i];
        add_recording(arena, &f, one);
        if (one->status == CLG_OK) continue;
        if (skips->count == 0) *error = one->error;
        skips->row[skips->count++] = (clg_trace_skipped){one->file, one->error.message};
    }
    if (f.count + f.rows.count + f.logs.count + f.stages.count + f.executions.count == 0)
        return error->status;
    *error = (clg_error){0};
    lend_all(&f);
    clg_job_match(arena, f.traces, (int)f.count, job);
    job->benchmarks = f.rows;
    job->logs = f.logs;
    job->stages = f.stages;
    job->executions = f.executions;
    return CLG_OK;
}

clg_status clg_answer_trace_plan(clg_arena *arena, const clg_attachment *file,
                                 clg_trace_answer *answer, clg_error *error) {
    clg_trace_plan plan;
    if (!file->text) return CLG_OK;
    if (clg_trace_plan_read(arena, file->name, file->text, file->size, &plan, error) != CLG_OK)
        return error->status;
    clg_job_split(answer->job, &plan.degrees);
    clg_plan_comparison *c = clg_take(arena, 1, clg_plan_comparison);
    *c = clg_trace_plan_compare(&plan, answer->job);
    answer->plan = c;
    return CLG_OK;
}

/* ---- files of a host without a file system ---- */

/* One of them, whose first bytes are read ahead of the rest and given again. */
typedef struct opened {
    const clg_files *files;
    int file;
    char head[HEAD_BYTES];
    size_t at, size;
} opened;

static size_t fill(void *context, char *to, size_t capacity) {
    opened *o = context;
    size_t size = o->size - o->at;
    if (size == 0) return o->files->read(o->files->context, o->file, to, capacity);
    if (size > capacity) size = capacity;
    memcpy(to, o->head + o->at, size);
    o->at += size;
    return size;
}

static void read_file(clg_arena *arena, const clg_files *files, int file, const clg_csv *table,
                      clg_recording *into) {
    opened *o = clg_take(arena, 1, opened);
    size_t got;
    o->files = files;
    o->file = file;
    while (o->size < HEAD_BYTES &&
           (got = files->read(files->context, file, o->head + o->size, HEAD_BYTES - o->size)) > 0)
        o->size += got;
    clg_recording_read(files->name[file], (clg_slice){o->head, o->size},
                       (clg_trace_source){fill, o}, table, into);
}

/* The recordings of this run, then those of the other. */
static clg_status answer(clg_arena *arena, const clg_request *request, const clg_files *files,
                         const clg_recording *recordings, bool picture, clg_text *text,
                         clg_error *error) {
    clg_recorded_job job, other;
    clg_trace_skips skips, ignored;
    clg_trace_answer a = {.job = &job};
    int own = files->count - files->others;
    clg_against against;
    if (clg_recordings_join(arena, recordings, own, &job, &skips, error) != CLG_OK ||
        clg_answer_trace_plan(arena, &request->file[CLG_PARAM_PLAN], &a, error) != CLG_OK ||
        (files->others > 0 && clg_recordings_join(arena, recordings + own, files->others, &other,
                                                  &ignored, error) != CLG_OK))
        return error->status;
    if (picture) {
        clg_text svg = {.arena = arena};
        clg_picture_trace(&svg, &job);
        clg_answer_picture_json(text, &svg);
        return CLG_OK;
    }
    if (files->others > 0) {
        against = clg_job_against(arena, &other, &job);
        a.against = &against;
    }
    a.skipped = skips.row;
    a.skipped_count = skips.count;
    a.roots = clg_job_roots(arena, &job);
    a.slow_groups = clg_job_slow_groups(arena, &job);
    a.what_if = clg_job_replay(&job);
    clg_json_writer writer = {.text = text, .pretty = true};
    clg_json_trace(&writer, &a);
    clg_text_print(text, "\n");
    return CLG_OK;
}

clg_status clg_answer_trace_json(clg_arena *arena, const clg_request *request,
                                 const clg_files *files, bool picture, clg_progress progress,
                                 clg_text *text, clg_error *error) {
    clg_csv table;
    if (files->count - files->others < 1 || !files->read)
        return clg_fail(error, CLG_BAD_USAGE, "name some under 'files', to a host that reads them",
                        "no recordings are given");
    if (clg_trace_kernels_read(arena, &table, error) != CLG_OK) return error->status;
    clg_recording *recordings = clg_take(arena, (size_t)files->count, clg_recording);
    for (int i = 0; i < files->count; i++) {
        read_file(arena, files, i, &table, &recordings[i]);
        if (progress.tell) progress.tell(progress.context, (i + 1.0) / files->count);
    }
    clg_status status = answer(arena, request, files, recordings, picture, text, error);
    for (int i = 0; i < files->count; i++) clg_recording_end(&recordings[i]);
    return status;
}
