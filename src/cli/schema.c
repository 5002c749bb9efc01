/* schema.c -- JSON Schema (2020-12) of requests. A flag's words become an enum only where nothing
 * else may be written; quantities stay texts, as units are part of them. */
#include "cli/schema.h"

#include "api/command.h"
#include "api/knobs.h"

#include <string.h>

/* Recordings are not sent as text. */
static bool is_tool(const clg_command *command) {
    return clg_command_has_model(command) || clg_command_has_files(command);
}

bool clg_schema_has(const char *name) {
    for (const clg_command *const *c = clg_commands_answered(); *c; c++)
        if (is_tool(*c) && strcmp((*c)->name, name) == 0) return true;
    return false;
}

static void add_types(clg_json_writer *w, const char *one, const char *other) {
    if (!other) {
        clg_json_add_string(w, "type", one);
        return;
    }
    clg_json_open(w, "type", '[');
    clg_json_add_string(w, NULL, one);
    clg_json_add_string(w, NULL, other);
    clg_json_close(w, ']');
}

/* One of the names and nothing else: no file, no rate, no list of axes. */
static bool is_closed(clg_param_row row) { return strcmp(row.argument, "NAME") == 0; }

static void add_choices(clg_json_writer *w, clg_param param) {
    int count;
    const clg_choice *choice = clg_knob_choices(w->text->arena, param, &count);
    if (count == 0) return;
    clg_json_open(w, is_closed(clg_param_row_of(param)) ? "enum" : "examples", '[');
    for (int i = 0; i < count; i++) clg_json_add_string(w, NULL, choice[i].name);
    clg_json_close(w, ']');
}

static void add_list(clg_json_writer *w) {
    add_types(w, "array", NULL);
    clg_json_open(w, "items", '{');
    add_types(w, "string", NULL);
    clg_json_close(w, '}');
}

static void add_knob(clg_json_writer *w, const clg_command *command, clg_param param) {
    clg_param_row row = clg_command_row(command, param);
    clg_json_open(w, row.flag, '{');
    if (param == CLG_PARAM_FIX || param == CLG_PARAM_NOT)
        add_list(w);
    else if (row.kind == CLG_KIND_SWITCH)
        add_types(w, "boolean", NULL);
    else if (strstr(row.argument, "FILE") || strstr(row.argument, "CSV"))
        add_types(w, "string", "object"); /* {"name","text"} */
    else
        add_types(w, "string", row.kind == CLG_KIND_WORD ? NULL : "number");
    clg_json_add_string(w, "description",
                        clg_arena_print(w->text->arena, "%s%s%s", row.argument,
                                        row.argument[0] ? ": " : "", row.help));
    /* Words where a name is meant ("the stack's"): what happens, rather than what to write. */
    if (row.fallback[0]) clg_json_add_string(w, "x-default", row.fallback);
    if (row.range[0]) clg_json_add_string(w, "x-range", row.range);
    add_choices(w, param);
    clg_json_close(w, '}');
}

static void add_model(clg_json_writer *w) {
    clg_json_open(w, "model", '{');
    add_types(w, "string", NULL);
    clg_json_add_string(w, "description",
                        "a preset, or the name of the config.json given as 'config'");
    clg_json_close(w, '}');
    clg_json_open(w, "config", '{');
    add_types(w, "string", NULL);
    clg_json_add_string(w, "description", "text of a Hugging Face config.json");
    clg_json_close(w, '}');
}

/* Of a job: in the model's place, or alone. */
static void add_files(clg_json_writer *w) {
    clg_json_open(w, "files", '{');
    add_types(w, "array", NULL);
    clg_json_add_string(w, "description",
                        "the files of a training job in the model's place: launch script, "
                        "configurations, each with its name and whole text");
    clg_json_open(w, "items", '{');
    add_types(w, "object", NULL);
    clg_json_open(w, "properties", '{');
    static const char *const members[] = {"name", "text"};
    for (int i = 0; i < 2; i++) {
        clg_json_open(w, members[i], '{');
        add_types(w, "string", NULL);
        clg_json_close(w, '}');
    }
    clg_json_close(w, '}');
    clg_json_open(w, "required", '[');
    for (int i = 0; i < 2; i++) clg_json_add_string(w, NULL, members[i]);
    clg_json_close(w, ']');
    clg_json_close(w, '}');
    clg_json_close(w, '}');
}

/* Where files may stand for a model, neither has to be there. */
static const char *needed(const clg_command *command) {
    if (command->subject == CLG_SUBJECT_FILES) return "files";
    return clg_command_has_files(command) ? NULL : "model";
}

static void add_tool(clg_json_writer *w, const clg_command *command) {
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "name", command->name);
    clg_json_add_string(w, "description", command->summary);
    clg_json_open(w, "inputSchema", '{');
    add_types(w, "object", NULL);
    clg_json_open(w, "properties", '{');
    if (clg_command_has_model(command)) add_model(w);
    if (clg_command_has_files(command)) add_files(w);
    for (int p = 0; p < CLG_PARAMS; p++)
        if (clg_command_asks(command, (clg_param)p)) add_knob(w, command, (clg_param)p);
    clg_json_close(w, '}');
    clg_json_open(w, "required", '[');
    if (needed(command)) clg_json_add_string(w, NULL, needed(command));
    clg_json_close(w, ']');
    clg_json_add_bool(w, "additionalProperties", false);
    clg_json_close(w, '}');
    clg_json_close(w, '}');
}

void clg_schema_tools(clg_json_writer *w) {
    clg_json_open(w, "tools", '[');
    for (const clg_command *const *c = clg_commands_answered(); *c; c++)
        if (is_tool(*c)) add_tool(w, *c);
    clg_json_close(w, ']');
}
