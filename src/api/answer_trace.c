/* answer_trace.c -- the job of many files, and its answer. */
#include "api/answer_trace.h"

#include "api/command.h"
#include "record/captured.h"
#include "timeline/perfetto.h"
#include "trace/merge.h"
#include "trace/runs.h"

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
    clg_memory_uses memory;
} found;

static void add_recording(clg_arena *arena, found *f, const clg_recording *one) {
    for (int k = 0; k < one->count; k++)
        CLG_APPEND(arena, f->traces, f->count, f->capacity, one->traces[k]);
    for (size_t k = 0; k < one->benchmarks.count; k++)
        CLG_APPEND(arena, f->rows.row, f->rows.count, f->rows.capacity, one->benchmarks.row[k]);
    for (size_t k = 0; k < one->logs.count; k++)
        CLG_APPEND(arena, f->logs.log, f->logs.count, f->logs.capacity, one->logs.log[k]);
    for (size_t k = 0; k < one->stages.count; k++)
        CLG_APPEND(arena, f->stages.file, f->stages.count, f->stages.capacity, one->stages.file[k]);
    for (size_t k = 0; k < one->executions.count; k++)
        CLG_APPEND(arena, f->executions.file, f->executions.count, f->executions.capacity,
                   one->executions.file[k]);
    for (size_t k = 0; k < one->memory.count; k++)
        CLG_APPEND(arena, f->memory.use, f->memory.count, f->memory.capacity, one->memory.use[k]);
}

/* What a rank captured, in this recording or another, is what its graphs replay. */
static void lend_captured(found *f) {
    for (size_t i = 0; i < f->count; i++)
        for (size_t k = 0; f->traces[i].captured.product_count > 0 && k < f->count; k++)
            if (f->traces[i].rank == f->traces[k].rank)
                clg_captured_lend(&f->traces[i], &f->traces[k]);
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

/* Leaves out what was recorded in another run; how many traces are left. */
static size_t one_run(clg_arena *arena, found *f, clg_trace_skips *skips) {
    const char **why = clg_take(arena, f->count + 1, const char *);
    size_t kept = clg_trace_runs_apart(arena, f->traces, f->count, why), count = f->count - kept;
    size_t before = (size_t)skips->count;
    clg_trace_skipped *row = clg_take(arena, before + count + 1, clg_trace_skipped);
    if (before) memcpy(row, skips->row, before * sizeof *row);
    for (size_t i = 0; i < count; i++)
        row[before + i] = (clg_trace_skipped){f->traces[kept + i].file, why[i]};
    *skips = (clg_trace_skips){row, skips->count + (int)count};
    return kept;
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
    size_t files = f.rows.count + f.logs.count + f.stages.count + f.executions.count;
    if (f.count + files + f.memory.count == 0) return error->status;
    *error = (clg_error){0};
    lend_all(&f);
    lend_captured(&f);
    clg_trace_number_hosts(f.traces, f.count);
    clg_job_match(arena, f.traces, (int)one_run(arena, &f, skips), job);
    job->benchmarks = f.rows;
    job->logs = f.logs;
    job->stages = f.stages;
    job->executions = f.executions;
    job->memory = f.memory;
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
                       (clg_trace_source){.fill = fill, .context = o}, table, into);
}

/* What a host's recordings say; what is shown comes first, so that it is written alike wherever
 * they were read. */
typedef struct heard {
    clg_trace_answer shown;
    clg_recorded_job job, other;
    clg_against against;
    clg_recording *recordings;
    int count;
} heard;

void clg_answer_trace_reasons(clg_arena *arena, clg_trace_answer *answer) {
    answer->roots = clg_job_roots(arena, answer->job);
    answer->slow_groups = clg_job_slow_groups(arena, answer->job);
    answer->what_if = clg_job_replay(answer->job);
}

/* The recordings of this run, then those of the other. */
static clg_status join(const clg_question *q, heard *h, clg_error *error) {
    clg_trace_skips skips, ignored;
    int own = q->files.count - q->files.others;
    h->shown.job = &h->job;
    if (clg_recordings_join(q->arena, h->recordings, own, &h->job, &skips, error) != CLG_OK ||
        clg_answer_trace_plan(q->arena, &q->request->file[CLG_PARAM_PLAN], &h->shown, error) !=
            CLG_OK)
        return error->status;
    h->shown.skipped = skips.row;
    h->shown.skipped_count = skips.count;
    clg_answer_trace_reasons(q->arena, &h->shown);
    if (q->files.others == 0) return CLG_OK;
    if (clg_recordings_join(q->arena, h->recordings + own, q->files.others, &h->other, &ignored,
                            error) != CLG_OK)
        return error->status;
    h->against = clg_job_against(q->arena, &h->other, &h->job);
    h->shown.against = &h->against;
    return CLG_OK;
}

static void end(void *answer) {
    heard *h = answer;
    for (int i = 0; i < h->count; i++) clg_recording_end(&h->recordings[i]);
}

/* Reads all files, one after the other. */
static clg_status answer(const clg_question *q, void *to, clg_error *error) {
    clg_csv table = clg_trace_kernels(q->arena);
    double top;
    heard *h = to;
    *h = (heard){0};
    if (q->files.count - q->files.others < 1 || !q->files.read)
        return clg_fail(error, CLG_BAD_USAGE, "name some under 'files', to a host that reads them",
                        "no recordings are given");
    if (clg_request_number(q->request, CLG_PARAM_TOP, &top, error) != CLG_OK) return error->status;
    h->shown.top = (int)top;
    h->recordings = clg_take(q->arena, (size_t)q->files.count, clg_recording);
    for (; h->count < q->files.count; h->count++) {
        read_file(q->arena, &q->files, h->count, &table, &h->recordings[h->count]);
        if (q->progress.tell)
            q->progress.tell(q->progress.context, (h->count + 1.0) / q->files.count);
    }
    return join(q, h, error);
}

static void write_text(clg_text *out, const void *from) { clg_report_trace(out, from); }

static void write_json(clg_json_writer *w, const void *from) { clg_json_trace(w, from); }

static void write_csv(clg_text *out, const void *from) {
    clg_report_trace_rows(out, ((const clg_trace_answer *)from)->job);
}

static void write_svg(clg_text *out, const void *from) {
    clg_picture_trace(out, ((const clg_trace_answer *)from)->job);
}

static void write_timeline(clg_text *out, const void *from) {
    clg_timeline merged;
    clg_job_timeline(out->arena, ((const clg_trace_answer *)from)->job, &merged);
    clg_timeline_perfetto(out, &merged, "rank");
}

static const clg_param knobs[] = {CLG_PARAM_PLAN, CLG_PARAMS};
static const clg_param local[] = {CLG_PARAM_AGAINST, CLG_PARAM_FAIL_ABOVE, CLG_PARAM_THREADS,
                                  CLG_PARAM_TOP,     CLG_PARAM_OUT,        CLG_PARAMS};

const clg_command clg_command_trace = {
    .name = "trace",
    .operands = "FILE|DIRECTORY...",
    .summary = "where the time of a recorded job went, and who waited for whom",
    .details = "Reads PyTorch profiler traces (JSON, also gzip or zip), one file per rank, "
               "SQLite exports of Nsight Systems, profiles of XLA and of rocprofv3, logs of "
               "nccl-tests and of training programs; a directory stands for the files in it. "
               "Splits every rank's time exactly into "
               "compute, exposed communication, exposed copies and idle; matches collectives over "
               "ranks and tells waiting from transfer; replays the job without its stragglers. "
               "Damaged files are read as far as they go. Under mpirun every process reads its "
               "share of the files; the answer is the same.",
    .example = "ceiling trace traces/",
    .knobs = knobs,
    .local = local,
    .least = 1,
    .most = CLG_FILE_OPERANDS,
    .subject = CLG_SUBJECT_RECORDINGS,
    .bytes = sizeof(heard),
    .answer = answer,
    .end = end,
    .json = write_json,
    .form = {[CLG_FORM_TEXT] = write_text,
             [CLG_FORM_CSV] = write_csv,
             [CLG_FORM_SVG] = write_svg,
             [CLG_FORM_TIMELINE] = write_timeline}};
