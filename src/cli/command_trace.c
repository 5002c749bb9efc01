/* command_trace.c -- profiler recordings of a job: where the time went and who waited for whom. */
#include "cli/asked.h"
#include "cli/page.h"
#include "cli/trace_reading.h"
#include "cli/trace_tar.h"

#include "api/answer_trace.h"
#include "base/letters.h"

static const char *value(const clg_session *session, clg_param param) {
    return session->request.value[param];
}

/* What is asked of how to read and print is checked before the recordings are read. */
static clg_status read_asked(const clg_session *session, int *threads, int *rows,
                             clg_error *error) {
    double count, top;
    if (clg_request_number(&session->request, CLG_PARAM_THREADS, &count, error) != CLG_OK ||
        clg_request_number(&session->request, CLG_PARAM_TOP, &top, error) != CLG_OK)
        return error->status;
    *threads = (int)count;
    *rows = (int)top;
    return CLG_OK;
}

static clg_status compare_plan(clg_session *session, clg_trace_answer *answer, clg_error *error) {
    clg_attachment *file = &session->request.file[CLG_PARAM_PLAN];
    const char *path = value(session, CLG_PARAM_PLAN);
    if (path && clg_file_attach(session->arena, path, CLG_CONFIG_BYTES, file, error) != CLG_OK)
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
    if (a->before.steps == 0 || a->after.steps == 0)
        return clg_fail(error, CLG_BAD_INPUT, "give profiler recordings of both runs",
                        "nothing to compare: no GPU work was read of %.200s",
                        a->before.steps == 0 ? path : session->operand[0]);
    if (!clg_session_has(session, CLG_PARAM_FAIL_ABOVE)) return CLG_OK;
    if (clg_request_number(&session->request, CLG_PARAM_FAIL_ABOVE, &a->fail_above, error) !=
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

/* What only GPU work can answer must not pass for an answer where there is none. */
static clg_status check_work(const clg_session *session, const clg_trace_answer *answer,
                             clg_error *error) {
    static const clg_param asked[] = {CLG_PARAM_SVG, CLG_PARAM_TIMELINE, CLG_PARAM_CSV,
                                      CLG_PARAM_AGAINST};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (answer->job->count == 0 && clg_session_has(session, asked[i]))
            return clg_fail(error, CLG_BAD_INPUT, "give profiler recordings",
                            "no GPU work was read, which --%s needs",
                            clg_param_row_of(asked[i]).flag);
    return CLG_OK;
}

/* A timeline of many ranks is as many files: one each in a .tar. */
static clg_status write_files(clg_session *session, const clg_trace_answer *answer,
                              clg_error *error) {
    const char *timeline = value(session, CLG_PARAM_TIMELINE);
    if (clg_asked_file(session, answer, CLG_FORM_SVG, error) != CLG_OK) return error->status;
    if (timeline && clg_ends(timeline, ".tar"))
        return clg_trace_tar_write(timeline, answer->job, error);
    return clg_asked_file(session, answer, CLG_FORM_TIMELINE, error);
}

static clg_status answer_with(clg_session *session, clg_trace_reading **reading,
                              clg_trace_reading **other, clg_error *error) {
    clg_recorded_job job;
    clg_trace_answer answer = {.job = &job};
    int threads = 0;
    if (clg_page_check(session, error) != CLG_OK || check_gate(session, error) != CLG_OK ||
        read_asked(session, &threads, &answer.top, error) != CLG_OK ||
        clg_trace_reading_do(session, session->operand, session->operands, threads, reading, &job,
                             error) != CLG_OK ||
        check_work(session, &answer, error) != CLG_OK ||
        compare_plan(session, &answer, error) != CLG_OK ||
        compare_run(session, threads, &answer, other, error) != CLG_OK ||
        check_outputs(session, *reading, *other, error) != CLG_OK ||
        write_files(session, &answer, error) != CLG_OK)
        return error->status;
    answer.skipped = clg_trace_reading_skipped(*reading, &answer.skipped_count);
    if (!clg_session_has(session, CLG_PARAM_CSV) || clg_session_has(session, CLG_PARAM_OUT))
        clg_answer_trace_reasons(session->arena, &answer);
    clg_asked_print(session, &answer);
    return clg_asked_page(session, &answer, error);
}

static clg_status run(clg_session *session, clg_error *error) {
    clg_trace_reading *reading = NULL, *other = NULL;
    clg_status status = answer_with(session, &reading, &other, error);
    clg_trace_reading_end(reading);
    clg_trace_reading_end(other);
    return status;
}

extern const clg_command clg_command_trace;

const clg_tool clg_tool_trace = {
    .about = &clg_command_trace, .run = run, .serve = clg_trace_reading_serve};
