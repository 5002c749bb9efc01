/* door.c -- a JSON request becomes a question, its answer text. */
#include "api/door.h"

#include "api/command.h"
#include "api/jobs.h"
#include "base/json.h"

#include <string.h>

/* A request as it is read. */
typedef struct caller {
    clg_arena *arena;
    clg_question question;
    clg_request *request;
    const clg_command *command;
    clg_form form;
    clg_text *out;
} caller;

enum { NAMES = 64 };

/* A command, or a view of one. */
static clg_status find_command(caller *c, const char *name, clg_error *error) {
    const char *names[NAMES];
    int count = 0;
    c->form = CLG_FORM_JSON;
    for (const clg_command *const *each = clg_commands_answered(); *each; each++) {
        c->command = *each;
        if (name && strcmp((*each)->name, name) == 0) return CLG_OK;
        if (count < NAMES) names[count++] = (*each)->name;
    }
    for (const clg_view *view = clg_views(); view->name; view++) {
        c->command = view->command;
        c->form = view->form;
        if (name && strcmp(view->name, name) == 0) return CLG_OK;
        if (count < NAMES) names[count++] = view->name;
    }
    const char *nearest = name ? clg_name_nearest(names, count, name) : NULL;
    clg_error_at(error, NULL, 0, 0, "command");
    return clg_fail(error, CLG_BAD_USAGE,
                    nearest ? nearest : "plan, explain, scale, size, demand and trace are some",
                    "there is no command '%.64s'", name ? name : "");
}

static clg_status no_value(const clg_json *value, clg_error *error) {
    clg_error_at(error, "request", value->line, value->column, value->key);
    return clg_fail(error, CLG_BAD_USAGE, "write it as text, the way the flag takes it",
                    "this value cannot be read");
}

/* Appends the texts of a list, or of one text, to the list of a request. */
static clg_status take_list(const clg_json *value, const char **list, int *count,
                            clg_error *error) {
    const clg_json *one = value->kind == CLG_JSON_ARRAY ? value->first : value;
    for (; one; one = one == value ? NULL : one->next) {
        if (one->kind != CLG_JSON_STRING || *count == CLG_REQUEST_LISTS)
            return no_value(value, error);
        list[(*count)++] = one->text;
    }
    return CLG_OK;
}

/* {"name","text"}: a file that the host has read. */
static clg_status take_file(const clg_json *value, clg_param param, clg_request *request,
                            clg_error *error) {
    const clg_json *text = clg_json_member(value, "text");
    clg_attachment *file = &request->file[param];
    if (clg_json_string(value, "name", value->key, &file->name, "request", error) != CLG_OK ||
        clg_json_string(value, "text", NULL, &file->text, "request", error) != CLG_OK)
        return error->status;
    if (!file->text) return no_value(value, error);
    file->size = text->text_size;
    request->value[param] = file->name;
    return CLG_OK;
}

/* Files of a job come with their text. */
static clg_status take_job(caller *c, const clg_json *root, clg_error *error) {
    const clg_json *list = clg_json_member(root, "files");
    if (!list || !clg_command_has_files(c->command)) return CLG_OK;
    clg_attachment *file = clg_take(c->arena, list->count + 1, clg_attachment);
    c->request->job_file = file;
    for (const clg_json *one = list->first; one; one = one->next, file++) {
        const clg_json *text = clg_json_member(one, "text");
        if (clg_json_string(one, "name", "files", &file->name, "request", error) != CLG_OK ||
            clg_json_string(one, "text", NULL, &file->text, "request", error) != CLG_OK)
            return error->status;
        if (!file->text || c->request->job_files == CLG_JOB_OPERANDS) return no_value(one, error);
        file->size = text->text_size;
        c->request->job_files++;
    }
    return CLG_OK;
}

/* Names of files that the host reads on demand. */
static clg_status take_names(const clg_json *root, const char *key, const char **name, int *count,
                             clg_error *error) {
    const clg_json *list = clg_json_member(root, key);
    for (const clg_json *one = list ? list->first : NULL; one; one = one->next) {
        if (one->kind != CLG_JSON_STRING) return no_value(one, error);
        name[(*count)++] = one->text;
    }
    return CLG_OK;
}

static clg_status take_files(clg_arena *arena, const clg_json *root, clg_files *files,
                             clg_error *error) {
    const clg_json *own = clg_json_member(root, "files");
    const clg_json *other = clg_json_member(root, "other_files");
    files->name =
        clg_take(arena, (own ? own->count : 0) + (other ? other->count : 0) + 1, const char *);
    files->count = 0;
    if (take_names(root, "files", files->name, &files->count, error) != CLG_OK)
        return error->status;
    int first = files->count;
    if (take_names(root, "other_files", files->name, &files->count, error) != CLG_OK)
        return error->status;
    files->others = files->count - first;
    return CLG_OK;
}

static clg_status take_knob(const clg_command *c, const clg_json *value, clg_request *request,
                            clg_error *error) {
    int param = clg_command_param(c, value->key, false, error);
    if (param < 0) return CLG_BAD_USAGE;
    if (param == CLG_PARAM_FIX) return take_list(value, request->fix, &request->fixes, error);
    if (param == CLG_PARAM_NOT) return take_list(value, request->forbid, &request->forbids, error);
    bool is_switch = clg_param_row_of((clg_param)param).kind == CLG_KIND_SWITCH;
    if (is_switch && value->kind == CLG_JSON_BOOL) {
        request->value[param] = value->truth ? "" : NULL;
        return CLG_OK;
    }
    if (value->kind == CLG_JSON_OBJECT) return take_file(value, (clg_param)param, request, error);
    if (value->kind != CLG_JSON_STRING && value->kind != CLG_JSON_NUMBER)
        return no_value(value, error);
    request->value[param] = value->text;
    return CLG_OK;
}

/* What stands beside the knobs: the command, the model and its file, recordings. */
static bool is_head(const char *key) {
    static const char *const heads[] = {"command",     "model",   "config",   "files",
                                        "other_files", "picture", "timeline", "text"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        if (strcmp(key, heads[i]) == 0) return true;
    return false;
}

static clg_status take_model(const clg_json *root, bool needed, clg_request *request,
                             clg_error *error) {
    clg_attachment *file = &request->model_file;
    if (clg_json_string(root, "model", NULL, &request->model, "request", error) != CLG_OK ||
        clg_json_string(root, "config", NULL, &file->text, "request", error) != CLG_OK)
        return error->status;
    if (file->text) {
        file->size = clg_json_member(root, "config")->text_size;
        file->name = request->model ? request->model : "config.json";
        request->model = file->name;
    }
    if (request->model || !needed) return CLG_OK;
    clg_error_at(error, NULL, 0, 0, "model");
    return clg_fail(error, CLG_BAD_USAGE, "name a preset or give a config", "no model is named");
}

/* The names of those that can be had in a form, with commas. */
static const char *names_with(clg_arena *arena, clg_form form) {
    const char *all = "";
    for (const clg_command *const *c = clg_commands_answered(); *c; c++)
        if (clg_command_writes(*c, form))
            all = clg_arena_print(arena, "%s%s%s", all, all[0] ? ", " : "", (*c)->name);
    return all;
}

/* A form that is asked for by a member of the request. */
static clg_status take_form(caller *c, const clg_json *root, const char *member, clg_form form,
                            clg_error *error) {
    bool asked;
    if (clg_json_bool(root, member, &asked, "request", error) != CLG_OK || !asked)
        return error->status;
    c->form = form;
    if (clg_command_writes(c->command, form)) return CLG_OK;
    return clg_fail(error, CLG_BAD_USAGE,
                    clg_arena_print(c->arena, "%s are", names_with(c->arena, form)),
                    "'%s' is not drawn", c->command->name);
}

static clg_status take(caller *c, const char *text, size_t size, clg_error *error) {
    clg_json *root;
    const char *name;
    if (clg_json_parse(c->arena, "request", text, size, &root, error) != CLG_OK ||
        clg_json_string(root, "command", NULL, &name, "request", error) != CLG_OK ||
        find_command(c, name, error) != CLG_OK || take_job(c, root, error) != CLG_OK ||
        take_model(root, clg_command_has_model(c->command) && c->request->job_files == 0,
                   c->request, error) != CLG_OK ||
        (!clg_command_has_files(c->command) &&
         take_files(c->arena, root, &c->question.files, error) != CLG_OK) ||
        take_form(c, root, "picture", CLG_FORM_SVG, error) != CLG_OK ||
        take_form(c, root, "timeline", CLG_FORM_TIMELINE, error) != CLG_OK ||
        take_form(c, root, "text", CLG_FORM_TEXT, error) != CLG_OK)
        return error->status;
    for (const clg_json *value = root->first; value; value = value->next)
        if (!is_head(value->key) && value->kind != CLG_JSON_NULL &&
            take_knob(c->command, value, c->request, error) != CLG_OK)
            return error->status;
    return CLG_OK;
}

/* What is no JSON itself, newline included. */
static void print_within(clg_text *out, const char *kind, const char *member,
                         const clg_text *words) {
    clg_json_writer writer = {.text = out, .pretty = true}, *w = &writer;
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "kind", kind);
    clg_json_add_string(w, member, words->data);
    clg_json_close(w, '}');
    clg_text_print(out, "\n");
}

static void write_form(const caller *c, const void *answer) {
    clg_text words = {.arena = c->arena};
    bool drawn = c->form == CLG_FORM_SVG;
    bool within = drawn || c->form == CLG_FORM_TEXT;
    clg_command_write(c->command, c->form, answer, within ? &words : c->out);
    if (within) print_within(c->out, drawn ? "picture" : "text", drawn ? "svg" : "text", &words);
}

static clg_status answer(caller *c, const char *text, size_t size, clg_error *error) {
    c->request = clg_take(c->arena, 1, clg_request);
    if (take(c, text, size, error) != CLG_OK) return error->status;
    const clg_command *command = c->command;
    bool layout = command->subject == CLG_SUBJECT_JOB;
    if (command->subject != CLG_SUBJECT_FILES &&
        clg_request_files(c->arena, c->request, layout,
                          clg_command_takes(command, CLG_PARAM_ENGINE), error) != CLG_OK)
        return error->status;
    if (clg_command_lone(c->command, c->request, error) != CLG_OK) return error->status;
    void *found = clg_arena_take(c->arena, 1, command->bytes + 1);
    c->question.request = c->request;
    c->question.forms = 1u << c->form;
    clg_status status = command->answer(&c->question, found, error);
    if (status == CLG_OK) write_form(c, found);
    if (command->end) command->end(found);
    return status;
}

static void print_error(clg_text *out, const clg_error *error) {
    char sentence[2048];
    clg_json_writer writer = {.text = out, .pretty = true}, *w = &writer;
    clg_error_sentence(error, sentence, sizeof sentence);
    clg_json_open(w, NULL, '{');
    clg_json_open(w, "error", '{');
    clg_json_add_integer(w, "status", (int64_t)error->status);
    clg_json_add_string(w, "file", error->file);
    clg_json_add_integer(w, "line", error->line);
    clg_json_add_integer(w, "column", error->column);
    clg_json_add_string(w, "field", error->field);
    clg_json_add_string(w, "message", error->message);
    clg_json_add_string(w, "mend", error->mend);
    clg_json_add_string(w, "sentence", sentence);
    clg_json_close(w, '}');
    clg_json_close(w, '}');
    clg_text_print(out, "\n");
}

clg_status clg_door_call(clg_arena *arena, const char *text, size_t size, clg_door_host host,
                         clg_text *out) {
    clg_error error = {0};
    caller c = {.arena = arena,
                .question = {.arena = arena,
                             .progress = host.progress,
                             .files = {.read = host.read, .context = host.context}},
                .out = out};
    clg_status status = answer(&c, text, size, &error);
    if (status != CLG_OK) print_error(out, &error);
    return status;
}
