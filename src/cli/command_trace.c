/* command_trace.c -- profiler recordings of a job: where the time went and who waited for whom. */
#include "cli/page.h"
#include "cli/trace_reading.h"
#include "cli/trace_tar.h"

#include "api/answer_trace.h"
#include "timeline/perfetto.h"
#include "trace/merge.h"

#include <stdio.h>
#include <string.h>

enum { PLAN_BYTES = 16 << 20 };

static const char *value(const clg_session *session, clg_param param) {
    return session->request.value[param];
}

enum { MOST_THREADS = 4096, MOST_SHOWN = 1 << 20 };

/* What is asked of how to read and print, beside the recordings. */
typedef struct asked {
    int threads; /* 0: one a core */
    int top;     /* rows of a table */
} asked;

static clg_status read_count(const clg_session *session, clg_param param, int most, int *count,
                             clg_error *error) {
    double number;
    if (clg_request_number(&session->request, param, *count, &number, error) != CLG_OK)
        return error->status;
    if (!clg_session_has(session, param) || (number >= 1 && number <= most)) {
        *count = (int)number;
        return CLG_OK;
    }
    char mend[48];
    snprintf(mend, sizeof mend, "give 1 to %d", most);
    return clg_fail(error, CLG_BAD_INPUT, mend, "--%s: '%.32s' is out of range",
                    clg_param_row_of(param).flag, value(session, param));
}

static clg_status read_asked(const clg_session *session, asked *a, clg_error *error) {
    *a = (asked){.threads = 0, .top = 8};
    if (read_count(session, CLG_PARAM_THREADS, MOST_THREADS, &a->threads, error) != CLG_OK)
        return error->status;
    return read_count(session, CLG_PARAM_TOP, MOST_SHOWN, &a->top, error);
}

static clg_status compare_plan(clg_session *session, clg_trace_answer *answer, clg_error *error) {
    clg_attachment *file = &session->request.file[CLG_PARAM_PLAN];
    file->name = value(session, CLG_PARAM_PLAN);
    if (file->name && clg_file_read(session->arena, file->name, PLAN_BYTES, &file->text,
                                    &file->size, error) != CLG_OK)
        return error->status;
    return clg_answer_trace_plan(session->arena, file, answer, error);
}

static clg_status compare_run(clg_session *session, int threads, clg_trace_answer *answer,
                              clg_trace_reading **other, clg_error *error) {
    const char *path = value(session, CLG_PARAM_AGAINST);
    clg_recorded_job job;
    if (!path) return CLG_OK;
    if (clg_trace_reading_do(session, &path, 1, threads, other, &job, error) != CLG_OK)
        return error->status;
    clg_against *a = clg_take(session->arena, 1, clg_against);
    *a = clg_job_against(session->arena, &job, answer->job);
    answer->against = a;
    if (!clg_session_has(session, CLG_PARAM_FAIL_ABOVE)) return CLG_OK;
    if (clg_request_number(&session->request, CLG_PARAM_FAIL_ABOVE, 0, &a->fail_above, error) !=
        CLG_OK)
        return error->status;
    session->failed = clg_against_fails(a);
    return CLG_OK;
}

/* A recording cannot be had again. */
static clg_status check_outputs(const clg_session *session, const clg_trace_reading *reading,
                                const clg_trace_reading *other, clg_error *error) {
    static const clg_param outputs[] = {CLG_PARAM_SVG, CLG_PARAM_TIMELINE, CLG_PARAM_OUT};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        const char *path = value(session, outputs[i]);
        if (!path || (!clg_trace_reading_has(reading, path) && !clg_trace_reading_has(other, path)))
            continue;
        clg_error_at(error, path, 0, 0, NULL);
        return clg_fail(error, CLG_BAD_USAGE, "name another file",
                        "--%s would replace a recording that was read",
                        clg_param_row_of(outputs[i]).flag);
    }
    return CLG_OK;
}

static clg_status check_gate(const clg_session *session, clg_error *error) {
    if (!clg_session_has(session, CLG_PARAM_FAIL_ABOVE) ||
        clg_session_has(session, CLG_PARAM_AGAINST))
        return CLG_OK;
    return clg_fail(error, CLG_BAD_USAGE, "name the run to compare with: --against DIRECTORY",
                    "--fail-above has nothing to compare with");
}

static clg_status write_files(clg_session *session, const clg_recorded_job *job, clg_error *error) {
    const char *picture = value(session, CLG_PARAM_SVG);
    const char *timeline = value(session, CLG_PARAM_TIMELINE);
    clg_text svg = {.arena = session->arena}, trace = {.arena = session->arena};
    if (picture) clg_picture_trace(&svg, job);
    if (picture && clg_file_write(picture, &svg, error) != CLG_OK) return error->status;
    if (!timeline) return CLG_OK;
    const char *ending = strrchr(timeline, '.');
    if (ending && strcmp(ending, ".tar") == 0) return clg_trace_tar_write(timeline, job, error);
    clg_timeline merged;
    clg_job_timeline(session->arena, job, &merged);
    clg_timeline_perfetto(&trace, &merged, "rank");
    return clg_file_write(timeline, &trace, error);
}

static void print(clg_session *session, const clg_trace_answer *answer, int top) {
    if (clg_session_has(session, CLG_PARAM_JSON)) {
        clg_json_writer writer = {.text = &session->out, .pretty = true};
        clg_json_trace(&writer, answer);
        clg_text_print(&session->out, "\n");
    } else if (clg_session_has(session, CLG_PARAM_CSV))
        clg_report_trace_rows(&session->out, answer->job);
    else
        clg_report_trace(&session->out, answer, top);
}

static clg_status report(clg_session *session, const clg_trace_answer *answer, clg_error *error) {
    clg_text json = {.arena = session->arena}, svg = {.arena = session->arena};
    clg_json_writer writer = {.text = &json, .pretty = true};
    if (!clg_session_has(session, CLG_PARAM_OUT)) return CLG_OK;
    clg_json_trace(&writer, answer);
    clg_text_print(&json, "\n");
    clg_picture_trace(&svg, answer->job);
    return clg_page_report(session, "trace", &json, &svg, error);
}

static clg_status answer_with(clg_session *session, clg_trace_reading **reading,
                              clg_trace_reading **other, clg_error *error) {
    clg_recorded_job job;
    clg_trace_answer answer = {.job = &job};
    asked a;
    if (clg_page_check(session, error) != CLG_OK || check_gate(session, error) != CLG_OK ||
        read_asked(session, &a, error) != CLG_OK ||
        clg_trace_reading_do(session, session->operand, session->operands, a.threads, reading, &job,
                             error) != CLG_OK ||
        compare_plan(session, &answer, error) != CLG_OK ||
        compare_run(session, a.threads, &answer, other, error) != CLG_OK ||
        check_outputs(session, *reading, *other, error) != CLG_OK ||
        write_files(session, &job, error) != CLG_OK)
        return error->status;
    answer.skipped = clg_trace_reading_skipped(*reading, &answer.skipped_count);
    if (!clg_session_has(session, CLG_PARAM_CSV) || clg_session_has(session, CLG_PARAM_OUT)) {
        answer.roots = clg_job_roots(session->arena, &job);
        answer.slow_groups = clg_job_slow_groups(session->arena, &job);
        answer.what_if = clg_job_replay(&job);
    }
    print(session, &answer, a.top);
    return report(session, &answer, error);
}

static clg_status run(clg_session *session, clg_error *error) {
    clg_trace_reading *reading = NULL, *other = NULL;
    clg_status status = answer_with(session, &reading, &other, error);
    clg_trace_reading_end(reading);
    clg_trace_reading_end(other);
    return status;
}

static const clg_param knobs[] = {CLG_PARAM_PLAN,    CLG_PARAM_AGAINST,  CLG_PARAM_FAIL_ABOVE,
                                  CLG_PARAM_THREADS, CLG_PARAM_JSON,     CLG_PARAM_CSV,
                                  CLG_PARAM_SVG,     CLG_PARAM_TIMELINE, CLG_PARAM_TOP,
                                  CLG_PARAM_OUT,     CLG_PARAM_COLOR,    CLG_PARAMS};

const clg_command clg_command_trace = {
    .name = "trace",
    .operands = "FILE|DIRECTORY...",
    .summary = "where the time of a recorded job went, and who waited for whom",
    .details = "Reads PyTorch profiler traces (JSON, also gzip or zip), one file per rank, "
               "SQLite exports of Nsight Systems, logs of nccl-tests and of training programs; a "
               "directory stands for the files in it. Splits every rank's time exactly into "
               "compute, exposed communication, exposed copies and idle; matches collectives over "
               "ranks and tells waiting from transfer; replays the job without its stragglers. "
               "Damaged files are read as far as they go. Under mpirun every process reads its "
               "share of the files; the answer is the same.",
    .example = "ceiling trace traces/",
    .knobs = knobs,
    .least = 1,
    .most = CLG_OPERANDS,
    .run = run,
    .serve = clg_trace_reading_serve};
