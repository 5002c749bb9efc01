/* command_validate.c -- predicted against measured, run by run. */
#include "cli/command.h"

#include "report/accuracy.h"
#include "report/json.h"
#include "report/measured.h"
#include "report/picture.h"
#include "report/text.h"
#include "validate/validate.h"

enum { TABLE_BYTES = 256 << 20, TABLES = 256 };

static clg_status read_tables(clg_session *session, clg_csv *tables, clg_error *error) {
    for (int i = 0; i < session->operands; i++) {
        const char *text;
        size_t size;
        if (clg_file_read(session->arena, session->operand[i], TABLE_BYTES, &text, &size, error) !=
                CLG_OK ||
            clg_csv_parse(session->arena, session->operand[i], text, size, &tables[i], error) !=
                CLG_OK)
            return error->status;
    }
    return CLG_OK;
}

static void tell(void *context, int row, int rows) {
    clg_progress_tell(context, "predicting", rows > 0 ? (double)row / rows : 1);
}

static clg_status print(clg_session *session, const clg_validation *validation, clg_error *error) {
    clg_text *out = &session->out;
    const char *picture = session->request.value[CLG_PARAM_SVG];
    if (picture) {
        clg_text svg = {.arena = session->arena};
        clg_picture_validation(&svg, validation);
        if (clg_file_write(picture, &svg, error) != CLG_OK) return error->status;
    }
    if (clg_session_has(session, CLG_PARAM_JSON)) {
        clg_json_writer writer = {.text = out, .pretty = true};
        clg_json_validation(&writer, validation);
        clg_text_print(out, "\n");
    } else if (clg_session_has(session, CLG_PARAM_MARKDOWN))
        clg_report_accuracy(out, validation);
    else if (clg_session_has(session, CLG_PARAM_CSV))
        clg_report_validation_rows(out, validation);
    else
        clg_report_validation(out, validation);
    return CLG_OK;
}

static clg_status run_serving(clg_session *session, const clg_csv *tables, clg_error *error) {
    clg_measured_table table;
    if (clg_measured_score_all(session->arena, tables, session->operands, tell, session, &table,
                               error) != CLG_OK)
        return error->status;
    clg_progress_end(session);
    if (clg_session_has(session, CLG_PARAM_JSON)) {
        clg_json_writer writer = {.text = &session->out, .pretty = true};
        clg_json_measured(&writer, &table);
        clg_text_print(&session->out, "\n");
    } else if (clg_session_has(session, CLG_PARAM_CSV))
        clg_report_measured_rows(&session->out, &table);
    else
        clg_report_measured(&session->out, &table);
    return CLG_OK;
}

static clg_status run(clg_session *session, clg_error *error) {
    clg_csv *tables = clg_take(session->arena, (size_t)session->operands, clg_csv);
    clg_validation validation;
    if (clg_session_has(session, CLG_PARAM_SERVING)) {
        if (read_tables(session, tables, error) != CLG_OK) return error->status;
        return run_serving(session, tables, error);
    }
    if (read_tables(session, tables, error) != CLG_OK ||
        clg_validate(session->arena, tables, session->operands, tell, session, &validation,
                     error) != CLG_OK)
        return error->status;
    clg_progress_end(session);
    return print(session, &validation, error);
}

static const clg_param knobs[] = {CLG_PARAM_SERVING,  CLG_PARAM_JSON, CLG_PARAM_CSV,
                                  CLG_PARAM_MARKDOWN, CLG_PARAM_SVG,  CLG_PARAM_COLOR,
                                  CLG_PARAMS};

const clg_command clg_command_validate = {
    .name = "validate",
    .operands = "FILE...",
    .summary = "predicted against measured, run by run, beside a one-constant model",
    .details = "Reads tables of training runs (docs/formats.md). Each row is predicted from its "
               "plan columns alone; what was measured is only compared. With --serving, tables of "
               "serving measurements: time to the first token, per token, throughput.",
    .example = "ceiling validate data/runs/*.csv",
    .knobs = knobs,
    .least = 1,
    .most = TABLES,
    .run = run};
