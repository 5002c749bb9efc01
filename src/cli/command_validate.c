/* command_validate.c -- predicted against measured, run by run. */
#include "cli/tool.h"

#include "report_accuracy/accuracy.h"
#include "report_accuracy/leave_out_report.h"
#include "report_accuracy/looks.h"
#include "report_accuracy/serving_accuracy.h"
#include "report_accuracy/validation.h"
#include "validate/run_columns.h"
#include "validate/validate.h"

#include <stdio.h>
#include <time.h>

enum { TABLE_BYTES = 256 << 20, TABLES = 256 };

/* What headings were taken for, beside the answer and not in it. */
static void tell_columns(clg_session *session, clg_csv *table) {
    const char *said = clg_columns_rename(session->arena, table);
    if (!said) return;
    clg_text note = {.arena = session->arena};
    clg_text_print(&note, "%s: taken %s\n", table->name, said);
    clg_text_fold(&note, 0, 2);
    fputs(note.data, stderr);
}

static clg_status read_tables(clg_session *session, clg_csv *tables, clg_error *error) {
    for (int i = 0; i < session->operands; i++) {
        const char *text;
        size_t size;
        if (clg_file_read(session->arena, session->operand[i], TABLE_BYTES, &text, &size, error) !=
                CLG_OK ||
            clg_csv_parse(session->arena, session->operand[i], text, size, &tables[i], error) !=
                CLG_OK)
            return error->status;
        if (!clg_session_has(session, CLG_PARAM_SERVING)) tell_columns(session, &tables[i]);
    }
    return CLG_OK;
}

/* One kind of folds, or for the page all of them. */
typedef struct left_out {
    clg_leave_out kind[CLG_FOLD_KINDS];
    const clg_leave_out *asked; /* NULL: none by name */
} left_out;

static clg_status leave_out(clg_session *session, const clg_csv *tables,
                            const clg_validation *validation, left_out *l, clg_error *error) {
    const char *word = session->request.value[CLG_PARAM_LEAVE_OUT];
    bool page = clg_session_has(session, CLG_PARAM_MARKDOWN);
    clg_leave_out_rows *rows;
    int asked = 0;
    *l = (left_out){.asked = NULL};
    if (!word && !page) return CLG_OK;
    if (word && clg_name_value(clg_fold_names, "--leave-out", word, &asked, error) != CLG_OK)
        return error->status;
    if (clg_leave_out_begin(session->arena, tables, session->operands, validation,
                            clg_progress_of(session, "leaving out"), &rows, error) != CLG_OK)
        return error->status;
    for (int kind = 0; kind < CLG_FOLD_KINDS; kind++)
        if (page || kind == asked)
            clg_leave_out_score(session->arena, rows, (clg_fold_kind)kind,
                                clg_progress_of(session, "leaving out"), &l->kind[kind]);
    clg_progress_end(session);
    if (word) l->asked = &l->kind[asked];
    return CLG_OK;
}

/* The ledger of --ledger, else the one built in; `text` is what the file holds. */
static clg_status read_looks(clg_session *session, clg_text *text, clg_looks *looks,
                             clg_error *error) {
    const char *path = session->request.value[CLG_PARAM_LEDGER], *read;
    size_t size;
    if (!path) return clg_looks_built_in(session->arena, looks, error);
    if (clg_file_read(session->arena, path, TABLE_BYTES, &read, &size, error) != CLG_OK)
        return error->status;
    clg_text_add(text, read, size);
    return clg_looks_read(session->arena, path, read, size, looks, error);
}

/* The day in UTC, and the commit that was named. */
static clg_status first_look(clg_session *session, const clg_validation *validation,
                             clg_error *error) {
    const char *path = session->request.value[CLG_PARAM_LEDGER];
    const char *commit = session->request.value[CLG_PARAM_COMMIT];
    clg_text ledger = {.arena = session->arena};
    clg_looks looks;
    struct tm day;
    char date[16] = "";
    time_t now = time(NULL);
    if (read_looks(session, &ledger, &looks, error) != CLG_OK) return error->status;
    clg_report_first_look(&session->out, validation, &looks);
    if (!path) return CLG_OK;
    if (gmtime_r(&now, &day)) strftime(date, sizeof date, "%Y-%m-%d", &day);
    int added = clg_looks_append(&ledger, &looks, validation, date, commit ? commit : "");
    clg_text_print(&session->out, "\n%d source%s appended to %s\n", added, added == 1 ? "" : "s",
                   path);
    return added > 0 ? clg_file_write(path, &ledger, error) : CLG_OK;
}

static void pairs(clg_session *session, const clg_csv *tables, const clg_validation *validation) {
    clg_pairs found;
    clg_pairs_find(session->arena, tables, session->operands, validation, &found);
    if (clg_session_has(session, CLG_PARAM_CSV))
        clg_report_pair_rows(&session->out, validation, &found);
    else
        clg_report_pairs(&session->out, validation, &found);
}

static clg_status print(clg_session *session, const clg_csv *tables,
                        const clg_validation *validation, const left_out *l, clg_error *error) {
    clg_text *out = &session->out;
    const char *picture = session->request.value[CLG_PARAM_SVG];
    clg_validation rows = *validation;
    if (l->asked) rows.run = l->asked->run;
    if (picture) {
        clg_text svg = {.arena = session->arena};
        clg_picture_validation(&svg, &rows);
        if (clg_file_write(picture, &svg, error) != CLG_OK) return error->status;
    }
    if (clg_session_has(session, CLG_PARAM_JSON)) {
        clg_json_writer writer = {.text = out, .pretty = true};
        clg_json_validation(&writer, validation, l->asked);
        clg_text_print(out, "\n");
    } else if (clg_session_has(session, CLG_PARAM_MARKDOWN)) {
        clg_own_steps own[2];
        for (int one_model = 0; one_model < 2; one_model++)
            clg_own_steps_score(session->arena, tables, session->operands, validation,
                                one_model == 1, clg_progress_of(session, "fitting own steps"),
                                &own[one_model]);
        clg_progress_end(session);
        clg_report_accuracy(out, validation, l->kind, own);
    } else if (clg_session_has(session, CLG_PARAM_CSV))
        clg_report_validation_rows(out, &rows);
    else if (l->asked)
        clg_report_leave_out(out, l->asked);
    else
        clg_report_validation(out, validation);
    return CLG_OK;
}

static clg_status run_serving(clg_session *session, const clg_csv *tables, clg_error *error) {
    clg_measured_table table;
    if (clg_measured_score_all(session->arena, tables, session->operands,
                               clg_progress_of(session, "predicting"), &table, error) != CLG_OK)
        return error->status;
    clg_progress_end(session);
    if (clg_session_has(session, CLG_PARAM_JSON)) {
        clg_json_writer writer = {.text = &session->out, .pretty = true};
        clg_json_measured(&writer, &table);
        clg_text_print(&session->out, "\n");
    } else if (clg_session_has(session, CLG_PARAM_CSV))
        clg_report_measured_rows(&session->out, &table);
    else if (clg_session_has(session, CLG_PARAM_MARKDOWN))
        clg_report_measured_page(&session->out, &table);
    else
        clg_report_measured(&session->out, &table, clg_session_has(session, CLG_PARAM_GROUPS));
    return CLG_OK;
}

/* Flags of the other kind of tables would change nothing. */
static clg_status check_flags(const clg_session *session, clg_error *error) {
    static const clg_param of_runs[] = {CLG_PARAM_LEAVE_OUT, CLG_PARAM_SVG, CLG_PARAM_FIRST_LOOK,
                                        CLG_PARAM_PAIRS};
    if (!clg_session_has(session, CLG_PARAM_SERVING)) {
        if (!clg_session_has(session, CLG_PARAM_GROUPS)) return CLG_OK;
        return clg_fail(error, CLG_BAD_USAGE, "leave it out, or give --serving too",
                        "--groups is of tables of serving");
    }
    for (size_t i = 0; i < sizeof of_runs / sizeof *of_runs; i++)
        if (clg_session_has(session, of_runs[i]))
            return clg_fail(error, CLG_BAD_USAGE, "leave it out, or leave out --serving",
                            "--%s is of tables of training runs",
                            clg_param_row_of(of_runs[i]).flag);
    return CLG_OK;
}

static clg_status run(clg_session *session, clg_error *error) {
    if (check_flags(session, error) != CLG_OK) return error->status;
    clg_csv *tables = clg_take(session->arena, (size_t)session->operands, clg_csv);
    clg_validation validation;
    left_out *left = clg_take(session->arena, 1, left_out);
    if (clg_session_has(session, CLG_PARAM_SERVING)) {
        if (read_tables(session, tables, error) != CLG_OK) return error->status;
        return run_serving(session, tables, error);
    }
    if (read_tables(session, tables, error) != CLG_OK ||
        clg_validate(session->arena, tables, session->operands,
                     clg_progress_of(session, "predicting"), &validation, error) != CLG_OK)
        return error->status;
    clg_progress_end(session);
    if (clg_session_has(session, CLG_PARAM_FIRST_LOOK))
        return first_look(session, &validation, error);
    if (clg_session_has(session, CLG_PARAM_PAIRS)) {
        pairs(session, tables, &validation);
        return CLG_OK;
    }
    if (leave_out(session, tables, &validation, left, error) != CLG_OK) return error->status;
    return print(session, tables, &validation, left, error);
}

static const clg_param knobs[] = {
    CLG_PARAM_SERVING, CLG_PARAM_GROUPS,   CLG_PARAM_LEAVE_OUT, CLG_PARAM_FIRST_LOOK,
    CLG_PARAM_LEDGER,  CLG_PARAM_COMMIT,   CLG_PARAM_PAIRS,     CLG_PARAM_JSON,
    CLG_PARAM_CSV,     CLG_PARAM_MARKDOWN, CLG_PARAM_SVG,       CLG_PARAM_COLOR,
    CLG_PARAMS};

const clg_tool clg_tool_validate = {
    .about =
        &(const clg_command){
            .name = "validate",
            .operands = "FILE...",
            .summary = "predicted against measured, run by run, and how well one constant would do",
            .details =
                "Reads tables of training runs (docs/formats.md). Each row is predicted from its "
                "plan columns alone; what was measured is only compared. With --leave-out the "
                "terms of the software are fitted anew without each source, model or GPU "
                "generation, and the runs left out predicted with them, their intervals too. With "
                "--first-look each source weighs the same; with --ledger what was never seen "
                "before is appended to it and never changed. With --pairs rows that differ in one "
                "thing are set against each other. With --serving, tables of serving "
                "measurements: time to the first token, per token, throughput.",
            .example = "ceiling validate data/runs/*.csv",
            .knobs = knobs,
            .least = 1,
            .most = TABLES},
    .run = run};
