/* arguments.c -- the words after a command's name: flags into the request, operands beside it. */
#include "cli/arguments.h"

#include "base/letters.h"

#include <stdio.h>
#include <string.h>

static clg_status take_list(const char **list, int *count, const char *value, clg_error *error) {
    if (*count == CLG_REQUEST_LISTS)
        return clg_fail(error, CLG_BAD_USAGE, "put values in one: tp=1,2,4", "too many of these");
    list[(*count)++] = value;
    return CLG_OK;
}

static clg_status take_value(clg_session *session, clg_param param, const char *value,
                             clg_error *error) {
    clg_request *request = &session->request;
    if (param == CLG_PARAM_FIX) return take_list(request->fix, &request->fixes, value, error);
    if (param == CLG_PARAM_NOT) return take_list(request->forbid, &request->forbids, value, error);
    if (param == CLG_PARAM_MEASURED && request->value[param])
        value = clg_arena_print(session->arena, "%s,%s", request->value[param], value);
    else if (request->value[param]) {
        return clg_fail(error, CLG_BAD_USAGE, "give it once", "--%s was given twice",
                        clg_param_row_of(param).flag);
    }
    if (param == CLG_PARAM_COLOR && strcmp(value, "auto") != 0 && strcmp(value, "always") != 0 &&
        strcmp(value, "never") != 0)
        return clg_fail(error, CLG_BAD_USAGE, "it may be auto, always, never",
                        "unknown --color '%.32s'", value);
    request->value[param] = value;
    if (!clg_param_is_file(param, value)) return CLG_OK;
    return clg_file_attach(session->arena, value,
                           param == CLG_PARAM_LOG ? CLG_LOG_BYTES : CLG_CONFIG_BYTES,
                           &request->file[param], error);
}

/* "--flag value", "--flag=value" or "--switch". Advances *at past what it took. */
static clg_status take_flag(clg_session *session, const clg_command *command, char **arguments,
                            int count, int *at, clg_error *error) {
    char flag[64];
    const char *written = arguments[(*at)++];
    const char *word = strcmp(written, "-o") == 0 ? "out" : written + 2;
    const char *equal = strchr(word, '=');
    snprintf(flag, sizeof flag, "%.*s", (int)(equal ? equal - word : (long)strlen(word)), word);
    int param = clg_command_param(command, flag, true, error);
    if (param < 0) return CLG_BAD_USAGE;
    clg_param_row row = clg_param_row_of((clg_param)param);
    if (row.kind == CLG_KIND_SWITCH) {
        if (equal) return clg_fail(error, CLG_BAD_USAGE, "drop the value", "--%s takes none", flag);
        return take_value(session, (clg_param)param, "", error);
    }
    const char *value = equal ? equal + 1 : *at < count ? arguments[(*at)++] : NULL;
    if (!value || !*value)
        return clg_fail(error, CLG_BAD_USAGE, row.help, "--%s needs a value (%s)", flag,
                        row.argument);
    return take_value(session, (clg_param)param, value, error);
}

static clg_status take_operand(clg_session *session, const clg_command *command, const char *word,
                               clg_error *error) {
    if (word[0] == '-' && clg_is_letter(word[1]))
        return clg_fail(error, CLG_BAD_USAGE, "flags start with --", "'%.64s' is no flag", word);
    if (session->operands < clg_command_most(command) && session->operands < CLG_FILE_OPERANDS) {
        session->operand[session->operands++] = word;
        return CLG_OK;
    }
    const char *meant = clg_command_instead(session->arena, command->name);
    return clg_fail(error, CLG_BAD_USAGE, meant ? meant : "flags start with --",
                    "'%.64s' is one argument too many", word);
}

/* One answer goes to standard output, in one form. */
static clg_status check_form(const clg_session *session, clg_error *error) {
    static const clg_param forms[] = {CLG_PARAM_JSON, CLG_PARAM_CSV, CLG_PARAM_MARKDOWN,
                                      CLG_PARAM_METRICS, CLG_PARAM_WHY};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        const char *flag = clg_param_row_of(forms[i]).flag;
        if (!clg_session_has(session, forms[i])) continue;
        if (first)
            return clg_fail(error, CLG_BAD_USAGE, "drop one of them",
                            "--%s and --%s are two forms of one answer", first, flag);
        first = flag;
    }
    return CLG_OK;
}

bool clg_arguments_ask_help(const char *word) {
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

clg_status clg_arguments_run(clg_session *session, const clg_tool *tool, char **arguments,
                             int count, clg_error *error) {
    const clg_command *command = session->command = tool->about;
    for (int i = 0; i < count; i++)
        if (clg_arguments_ask_help(arguments[i])) {
            clg_help_command(&session->out, command);
            return CLG_OK;
        }
    for (int at = 0; at < count;) {
        bool flag = (strncmp(arguments[at], "--", 2) == 0 && arguments[at][2]) ||
                    strcmp(arguments[at], "-o") == 0;
        clg_status status = flag ? take_flag(session, command, arguments, count, &at, error)
                                 : take_operand(session, command, arguments[at++], error);
        if (status != CLG_OK) return status;
    }
    if (session->operands < clg_command_least(command)) {
        char mend[200] = "see --help";
        if (command->example) snprintf(mend, sizeof mend, "for example: %s", command->example);
        return clg_fail(error, CLG_BAD_USAGE, mend, "'%s' needs %s", command->name,
                        command->operands);
    }
    if (check_form(session, error) != CLG_OK) return error->status;
    return tool->run(session, error);
}
