/* command_fit.c -- own measurements into an overlay of the data files. */
#include "cli/tool.h"

#include "calibrate/overlay.h"
#include "cli/fit_job.h"
#include "cli/readings.h"
#include "cli/trace_reading.h"
#include "record/recording.h"
#include "report_recorded/calibration.h"
#include "trace/job_samples.h"
#include "validate/validate.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLE_BYTES = 256 << 20, FILES = 256, MOST_LIST = 2 + CLG_PRECISIONS + 3 };

/* What the files held, and what became of it. */
typedef struct fitting {
    clg_samples samples;
    clg_csv *runs;
    int tables;
    clg_measured_step *steps;
    int count;
    clg_calibration list[MOST_LIST];
    int calibrations;
    clg_trace_reading *reading; /* of recordings; NULL: none */
    clg_fit_job job;
} fitting;

/* A directory, a compressed file or database, or JSON that begins like a profiler's trace. */
static bool is_recording(const char *path) {
    static const char *const words[] = {"\"traceEvents\"", "\"schemaVersion\"",
                                        "\"deviceProperties\"", "\"ph\""};
    clg_arena scratch = {0};
    clg_trace_file *file;
    clg_slice head;
    clg_error ignored = {0};
    bool found = clg_trace_is_directory(path);
    if (!found && clg_trace_open(&scratch, path, &file, &head, &ignored) == CLG_OK) {
        const char *format = clg_reader_of(head)->name;
        const char *text = clg_arena_copy(&scratch, head.text, head.size);
        bool trace = strcmp(format, "kineto") == 0;
        for (size_t i = 0; trace && i < sizeof words / sizeof words[0]; i++)
            found = found || strstr(text, words[i]);
        found = found || strcmp(format, "nsys") == 0;
        clg_trace_close(file);
    }
    clg_arena_clear(&scratch);
    return found;
}

/* All recordings among the operands are one job. */
static clg_status read_recordings(clg_session *session, fitting *f, const char *const *paths,
                                  int count, clg_error *error) {
    clg_recorded_job job;
    if (count == 0) return CLG_OK;
    if (clg_trace_reading_do(session, paths, count, 0, &f->reading, &job, error) != CLG_OK)
        return error->status;
    clg_job_samples(session->arena, &job, &f->samples);
    return CLG_OK;
}

static clg_status read_samples(clg_session *session, fitting *f, const char *path,
                               clg_error *error) {
    const char *text;
    size_t size;
    clg_samples_form form;
    if (clg_file_read(session->arena, path, SAMPLE_BYTES, &text, &size, error) != CLG_OK ||
        clg_samples_read(session->arena, path, text, size, &f->samples, &form, &f->runs[f->tables],
                         error) != CLG_OK)
        return error->status;
    f->tables += form == CLG_FORM_RUNS;
    return CLG_OK;
}

/* Samples, or beside the log of a job what it is. */
static clg_status read_others(clg_session *session, fitting *f, const char *const *paths, int count,
                              clg_error *error) {
    for (int i = 0; i < count; i++) {
        if (f->job.logs.count > 0 && clg_fit_job_word(session, &f->job, paths[i])) continue;
        if (read_samples(session, f, paths[i], error) != CLG_OK) return error->status;
    }
    return CLG_OK;
}

static clg_status read_files(clg_session *session, fitting *f, clg_error *error) {
    const char **recordings = clg_take(session->arena, (size_t)session->operands, const char *);
    const char **others = clg_take(session->arena, (size_t)session->operands, const char *);
    int recorded = 0, count = 0;
    f->runs = clg_take(session->arena, (size_t)session->operands, clg_csv);
    if (clg_fit_job_asked(session, &f->job, error) != CLG_OK) return error->status;
    for (int i = 0; i < session->operands; i++) {
        const char *path = session->operand[i];
        if (strcmp(path, "-") == 0) /* samples: to look into it would take it away */
            others[count++] = path;
        else if (is_recording(path))
            recordings[recorded++] = path;
        else if (!clg_fit_job_log(session, &f->job, path))
            others[count++] = path;
    }
    if (read_others(session, f, others, count, error) != CLG_OK ||
        clg_fit_job_read(session, &f->job, error) != CLG_OK)
        return error->status;
    return read_recordings(session, f, recordings, recorded, error);
}

/* The one GPU of all samples that say theirs; NULL when they disagree, "" when none does. */
static const char *only_gpu(const clg_samples *samples) {
    const char *only = "";
    for (int i = 0; i < samples->count; i++) {
        const char *name = samples->sample[i].gpu;
        if (!*name || strcmp(name, only) == 0) continue;
        if (*only) return NULL;
        only = name;
    }
    return only;
}

static void keep_gpu(clg_samples *samples, const char *gpu) {
    int kept = 0;
    for (int i = 0; i < samples->count; i++)
        if (strcmp(samples->sample[i].gpu, gpu) == 0)
            samples->sample[kept++] = samples->sample[i];
        else
            clg_samples_leave_out(samples, "of another GPU");
    samples->count = kept;
}

/* --gpu, or what the samples say. */
static clg_status choose_gpu(clg_session *session, clg_samples *samples, clg_error *error) {
    const char *only = only_gpu(samples), **value = &session->request.value[CLG_PARAM_GPU];
    const char *known = only && !*value ? clg_gpu_name(session->arena, only) : NULL;
    if (known) *value = known;
    if (only && *value) return CLG_OK;
    if (!only && *value) {
        keep_gpu(samples, *value);
        if (samples->count > 0) return CLG_OK;
        return clg_fail(error, CLG_BAD_INPUT, "keep those of one kind in the file",
                        "the samples are of several GPUs, none of them '%.64s'", *value);
    }
    return clg_fail(error, CLG_BAD_USAGE, "say which: --gpu a100-sxm-80gb",
                    only ? "the samples do not say which GPU they are of"
                         : "the samples are of several GPUs");
}

static clg_status fit_samples(clg_session *session, fitting *f, clg_error *error) {
    clg_scenario *s = clg_take(session->arena, 1, clg_scenario);
    if (choose_gpu(session, &f->samples, error) != CLG_OK ||
        clg_request_machine(session->arena, &session->request, &s->machine, error) != CLG_OK ||
        clg_request_curves(&session->request, s, error) != CLG_OK ||
        clg_scenario_prepare(session->arena, s, error) != CLG_OK)
        return error->status;
    clg_calibrate_network(session->arena, &s->machine, &s->network, &f->samples, f->list,
                          &f->calibrations);
    clg_calibrate_gemm(session->arena, &s->machine.gpu, &s->kernels, &f->samples, f->list,
                       &f->calibrations);
    clg_calibrate_copies(session->arena, &s->machine.gpu, &s->kernels, &f->samples, f->list,
                         &f->calibrations);
    return CLG_OK;
}

/* Seconds of a row's step; 0 when it has none. */
static double measured_s(const clg_csv *csv, int row) {
    const char *text = clg_csv_field(csv, row, "step_s");
    char *end;
    double seconds = strtod(text, &end);
    return *text && !*end && seconds > 0 && seconds < 1e6 ? seconds : 0;
}

/* The row's scenario with what the flags put over it. */
static const char *scenario_of(clg_session *session, const clg_csv *csv, int row,
                               clg_measured_step *step, clg_error *error) {
    clg_scenario *s = clg_take(session->arena, 1, clg_scenario);
    clg_evaluation evaluation;
    const char *why = clg_validate_row(session->arena, csv, row, s, &evaluation);
    if (why) return why;
    if (session->request.value[CLG_PARAM_STACK] &&
        clg_request_stack(session->arena, &session->request, s->model.name, &s->machine.gpu,
                          &s->stack, error) != CLG_OK)
        return NULL;
    if (clg_request_curves(&session->request, s, error) == CLG_OK)
        clg_scenario_prepare(session->arena, s, error);
    step->scenario = s;
    step->layout = evaluation.layout;
    return NULL;
}

static clg_status take_row(clg_session *session, const clg_csv *csv, int row, fitting *f,
                           clg_error *error) {
    clg_measured_step *step = &f->steps[f->count];
    step->step_s = measured_s(csv, row);
    if (step->step_s <= 0) {
        clg_samples_leave_out(&f->samples, "a run without a step time");
        return CLG_OK;
    }
    const char *why = scenario_of(session, csv, row, step, error);
    if (error->status != CLG_OK) return error->status;
    if (why) {
        clg_samples_leave_out(&f->samples, why);
        return CLG_OK;
    }
    f->count++;
    const char *stack = step->scenario->stack.name, *first = f->steps[0].scenario->stack.name;
    if (strcmp(stack, first) == 0) return CLG_OK;
    clg_error_at(error, csv->name, csv->row[row].line, 0, "stack");
    return clg_fail(error, CLG_BAD_INPUT, "fit one stack at a time, or give --stack",
                    "'%.64s' after '%.64s'", stack, first);
}

static clg_status fit_runs(clg_session *session, fitting *f, clg_error *error) {
    int rows = 0;
    for (int i = 0; i < f->tables; i++) rows += f->runs[i].rows;
    f->steps = clg_take(session->arena, (size_t)rows + 1, clg_measured_step);
    for (int i = 0; i < f->tables; i++)
        for (int row = 0; row < f->runs[i].rows; row++)
            if (take_row(session, &f->runs[i], row, f, error) != CLG_OK) return error->status;
    if (f->count > 0)
        clg_calibrate_steps(session->arena, f->steps, f->count, &f->list[f->calibrations++]);
    return CLG_OK;
}

/* The stack once: by a job and its log, or by a table of runs. */
static clg_status fit_job(clg_session *session, fitting *f, clg_error *error) {
    if (f->job.logs.count == 0) return CLG_OK;
    if (f->count > 0)
        return clg_fail(error, CLG_BAD_USAGE, "fit one of them at a time",
                        "a log of a job beside a table of runs");
    return clg_fit_job_learn(session, &f->job, &f->list[f->calibrations++], error);
}

/* Names of the inputs without their folders, as sources cite them. */
static const char *inputs(clg_session *session) {
    clg_text names = {.arena = session->arena};
    for (int i = 0; i < session->operands && i < 3; i++) {
        const char *slash = strrchr(session->operand[i], '/');
        clg_text_print(&names, "%s%s", i > 0 ? ", " : "", slash ? slash + 1 : session->operand[i]);
    }
    if (session->operands > 3) clg_text_print(&names, " and %d more", session->operands - 3);
    return names.data;
}

/* mine.json, or mine-network.json beside mine-kernels.json when there are several. */
static const char *path_of(clg_session *session, const char *knob, bool several) {
    const char *out = session->request.value[CLG_PARAM_OUT], *dot = strrchr(out, '.');
    if (!several) return out;
    if (!dot || strchr(dot, '/')) dot = out + strlen(out);
    return clg_arena_print(session->arena, "%.*s-%s%s", (int)(dot - out), out, knob, dot);
}

static clg_status write_overlays(clg_session *session, const fitting *f, clg_calibrated *c,
                                 clg_error *error) {
    static const char *const knobs[] = {"network", "kernels", "stack"};
    clg_text text[3];
    int found = 0;
    for (int i = 0; i < 3; i++) {
        text[found] = (clg_text){.arena = session->arena};
        if (clg_overlay_print(&text[found], f->list, f->calibrations, knobs[i], inputs(session)))
            c->knob[found++] = knobs[i];
    }
    for (int i = 0; i < found; i++) {
        c->file[i] = path_of(session, c->knob[i], found > 1);
        if (clg_file_write(c->file[i], &text[i], error) != CLG_OK) return error->status;
        c->files++;
    }
    return CLG_OK;
}

static clg_status print(clg_session *session, const fitting *f, clg_error *error) {
    clg_calibrated c = {.list = f->list,
                        .count = f->calibrations,
                        .left_out = f->samples.left_out,
                        .reasons = f->samples.reasons};
    c.gpu = f->count > 0 ? f->steps[0].scenario->machine.gpu.name
                         : session->request.value[CLG_PARAM_GPU];
    if (f->job.logs.count > 0) {
        c.gpu = f->job.plan.scenario.machine.gpu.name;
        c.job = &f->job.learned;
    }
    if (session->request.value[CLG_PARAM_OUT] && write_overlays(session, f, &c, error) != CLG_OK)
        return error->status;
    if (clg_session_has(session, CLG_PARAM_JSON)) {
        clg_json_writer writer = {.text = &session->out, .pretty = true};
        clg_json_calibrated(&writer, &c);
        clg_text_print(&session->out, "\n");
    } else
        clg_report_calibrated(&session->out, &c);
    return CLG_OK;
}

static clg_status fit(clg_session *session, fitting *f, clg_error *error) {
    if (clg_readings_asked(session, &f->samples, error) != CLG_OK ||
        read_files(session, f, error) != CLG_OK ||
        (f->samples.count > 0 && fit_samples(session, f, error) != CLG_OK) ||
        fit_runs(session, f, error) != CLG_OK || fit_job(session, f, error) != CLG_OK)
        return error->status;
    if (f->calibrations > 0) return print(session, f, error);
    clg_error_at(error, session->operand[0], 0, 0, NULL);
    return clg_fail(error, CLG_BAD_INPUT,
                    f->samples.reasons > 0 ? f->samples.left_out[0].why : "see docs/fit.md",
                    "nothing in it can be fitted");
}

static clg_status run(clg_session *session, clg_error *error) {
    fitting *f = clg_take(session->arena, 1, fitting);
    clg_status status = fit(session, f, error);
    clg_trace_reading_end(f->reading);
    return status;
}

static const clg_param knobs[] = {CLG_PARAM_LOG,  CLG_PARAM_RANKS, CLG_PARAM_NODES, CLG_PARAM_OUT,
                                  CLG_PARAM_JSON, CLG_PARAM_COLOR, CLG_PARAMS};

const clg_tool clg_tool_fit = {
    .about =
        &(const clg_command){
            .name = "fit",
            .operands = "FILE...",
            .summary = "your own measurements into an overlay of the built-in values",
            .details =
                "Reads samples (JSON Lines, tables, logs of nccl-tests), profiler traces of a "
                "job (or their directory: collectives and matrix products in them), measured steps "
                "(a table of runs, docs/formats.md), or a job (its files or a model with flags) "
                "and its trainer's log, and fits the terms that they determine. Samples that do "
                "not name their GPU need --gpu. --out keeps them as a file for --network, "
                "--kernels or --stack.",
            .example = "ceiling fit all_reduce.log --gpu h100-sxm --node dgx-h100 -o network.json",
            .groups = CLG_TAKES_PLANNING,
            .knobs = knobs,
            .least = 1,
            .most = FILES},
    .run = run,
    .serve = clg_trace_reading_serve};
