/* asked.c -- operands and files become a request, its answer what was asked for. */
#include "cli/asked.h"

#include "cli/page.h"
#include "cli/planning.h"

#include <stdio.h>
#include <string.h>

static const size_t table_bytes = (size_t)512 << 20, trace_bytes = (size_t)8 << 30;

static clg_status read_config(void *context, const char *path, clg_attachment *file,
                              clg_error *error) {
    clg_session *session = context;
    return clg_file_attach(session->arena, path, CLG_CONFIG_BYTES, file, error);
}

/* Reads the file a knob names, where it was given. */
static clg_status attach(clg_session *session, clg_param param, size_t most, clg_error *error) {
    const char *path = session->request.value[param];
    if (!path) return CLG_OK;
    return clg_file_attach(session->arena, path, most, &session->request.file[param], error);
}

/* No file of that name: the table may not be known to be one. */
static clg_status read_table(clg_session *session, clg_error *error) {
    const char *path = session->request.model = session->operand[0];
    clg_status status =
        clg_file_attach(session->arena, path, table_bytes, &session->request.model_file, error);
    const char *meant = clg_command_instead(session->arena, session->command->name);
    if (status != CLG_OK && meant && !strstr(path, ".csv") && clg_file_absent(path))
        snprintf(error->mend, sizeof error->mend, "%s", meant);
    return status;
}

/* Files of a job, and logs, whole. */
static clg_status read_files(clg_session *session, clg_error *error) {
    clg_attachment *file = clg_take(session->arena, (size_t)session->operands, clg_attachment);
    session->request.job_file = file;
    for (int i = 0; i < session->operands; i++) {
        if (clg_file_attach(session->arena, session->operand[i], CLG_LOG_BYTES, &file[i], error) !=
            CLG_OK)
            return error->status;
        session->request.job_files++;
    }
    return CLG_OK;
}

/* What the operands are, into the request. */
static clg_status read_subject(clg_session *session, clg_error *error) {
    switch (session->command->subject) {
    case CLG_SUBJECT_MODEL:
        return clg_planning_request(session, false, error);
    case CLG_SUBJECT_JOB:
        return clg_planning_request(session, true, error);
    case CLG_SUBJECT_TABLE:
        return read_table(session, error);
    case CLG_SUBJECT_WORDS:
        session->request.model = session->operand[0];
        break;
    case CLG_SUBJECT_FILES:
        return read_files(session, error);
    case CLG_SUBJECT_NONE:
    case CLG_SUBJECT_RECORDINGS:
        break;
    }
    return CLG_OK;
}

static clg_status read_request(clg_session *session, clg_error *error) {
    if (clg_page_check(session, error) != CLG_OK ||
        attach(session, CLG_PARAM_TRACE, trace_bytes, error) != CLG_OK ||
        attach(session, CLG_PARAM_PROFILE, CLG_CONFIG_BYTES, error) != CLG_OK)
        return error->status;
    return read_subject(session, error);
}

static bool wants(const clg_session *session, clg_form form) {
    clg_param flag = clg_form_flag(form);
    return flag != CLG_PARAMS && clg_command_writes(session->command, form) &&
           clg_session_has(session, flag);
}

/* The one that is printed; others go into files. */
static clg_form printed(const clg_session *session) {
    static const clg_form forms[] = {CLG_FORM_METRICS, CLG_FORM_CSV, CLG_FORM_JSON,
                                     CLG_FORM_NUMBER};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (wants(session, forms[i])) return forms[i];
    return clg_command_writes(session->command, CLG_FORM_TEXT) ? CLG_FORM_TEXT : CLG_FORM_JSON;
}

static unsigned forms_of(const clg_session *session) {
    unsigned forms = 1u << printed(session);
    for (int form = 0; form < CLG_FORMS; form++)
        if (wants(session, (clg_form)form)) forms |= 1u << form;
    return forms;
}

clg_status clg_asked_file(clg_session *session, const void *answer, clg_form form,
                          clg_error *error) {
    clg_text text = {.arena = session->arena};
    if (!wants(session, form)) return CLG_OK;
    clg_command_write(session->command, form, answer, &text);
    return clg_file_write(session->request.value[clg_form_flag(form)], &text, error);
}

void clg_asked_print(clg_session *session, const void *answer) {
    clg_command_write(session->command, printed(session), answer, &session->out);
}

/* The files that start what was chosen. */
static clg_status launch(clg_session *session, int trainer, const void *answer, clg_error *error) {
    const clg_scenario *scenario;
    const clg_command *command = session->command;
    clg_launch files;
    if (trainer < 0 || (!command->chosen && !command->started)) return CLG_OK;
    if (command->started) {
        files = command->started(answer, session->arena, trainer);
        return clg_planning_launch(session, trainer, &files, error);
    }
    const clg_layout *layout = command->chosen(answer, &scenario);
    if (!layout) return CLG_OK;
    files = clg_launch_of(session->arena, trainer, scenario, layout);
    return clg_planning_launch(session, trainer, &files, error);
}

clg_status clg_asked_page(clg_session *session, const void *answer, clg_error *error) {
    clg_text json = {.arena = session->arena}, svg = json;
    bool drawn = clg_command_writes(session->command, CLG_FORM_SVG);
    if (!clg_session_has(session, CLG_PARAM_OUT)) return CLG_OK;
    clg_command_write(session->command, CLG_FORM_JSON, answer, &json);
    if (drawn) clg_command_write(session->command, CLG_FORM_SVG, answer, &svg);
    return clg_page_report(session, &json, drawn ? &svg : NULL, error);
}

static clg_status show(clg_session *session, const void *answer, int trainer, clg_error *error) {
    if (clg_asked_file(session, answer, CLG_FORM_SVG, error) != CLG_OK ||
        clg_asked_file(session, answer, CLG_FORM_TIMELINE, error) != CLG_OK)
        return error->status;
    clg_asked_print(session, answer);
    if (wants(session, CLG_FORM_NUMBER)) return CLG_OK; /* that and nothing else */
    if (launch(session, trainer, answer, error) != CLG_OK) return error->status;
    return clg_asked_page(session, answer, error);
}

clg_question clg_asked_question(clg_session *session) {
    return (clg_question){.arena = session->arena,
                          .request = &session->request,
                          .progress = clg_progress_of(session, session->command->busy),
                          .models = {read_config, session},
                          .forms = forms_of(session),
                          .clock_s = clg_clock_s};
}

clg_status clg_asked_run(clg_session *session, clg_error *error) {
    int trainer;
    const clg_command *command = session->command;
    void *answer = clg_arena_take(session->arena, 1, command->bytes + 1);
    clg_question question = clg_asked_question(session);
    if (clg_planning_trainer(session, &trainer, error) != CLG_OK ||
        read_request(session, error) != CLG_OK ||
        clg_command_lone(command, &session->request, error) != CLG_OK)
        return error->status;
    clg_status status = command->answer(&question, answer, error);
    clg_progress_end(session);
    if (status == CLG_OK) status = show(session, answer, trainer, error);
    if (command->end) command->end(answer);
    return status;
}
