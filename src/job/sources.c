/* sources.c -- the files of a job as trees of keys, whatever each is written in. */
#include "base/letters.h"
#include "base/text.h"
#include "job/reading.h"
#include "job/yaml.h"

#include <string.h>

static void add(clg_reading *r, const char *name, const clg_json *root, bool command) {
    if (r->sources == CLG_JOB_SOURCES || root->kind != CLG_JSON_OBJECT || !root->first) return;
    r->source[r->sources++] = (clg_job_source){.name = name, .root = root, .command = command};
}

/* A config.json of a model: no trainer's file. */
static bool is_model(const clg_json *root) {
    return clg_json_member(root, "model_type") &&
           (clg_json_member(root, "architectures") || clg_json_member(root, "num_hidden_layers") ||
            clg_json_member(root, "text_config"));
}

/* The recipe that the command asks for; NULL: none. */
static const char *wanted_recipe(const clg_reading *r) {
    static const char *const keys[] = {"arguments.config", "arguments.recipe",
                                       "arguments.recipe_name", "variables.CONFIG"};
    for (size_t i = 0; r->scripts && i < sizeof keys / sizeof keys[0]; i++) {
        const clg_json *node = clg_tree_find(r->scripts, keys[i]);
        if (node && node->kind == CLG_JSON_STRING) return node->text;
    }
    return NULL;
}

/* A manifest of Kubernetes: what starts the job, no trainer's file. */
/* What a template fills in ("{{ x }}" of Jinja, Helm and dstack) stands as one character of the
 * private plane, which YAML lets pass, and as what is not known afterwards. */
#define FILLED_IN "\xee\x80\x80"

/* Lines that are but the template's own ("{% if x %}", "{{- end }}") go; lines stay lines. */
static const char *without_templates(clg_reading *r, const char *text, size_t size,
                                     size_t *written) {
    clg_text out = {.arena = r->arena};
    bool begun = false; /* something stands before it in the line */
    for (const char *at = text, *end = text + size; at < end;) {
        bool value = end - at > 3 && at[0] == '{' && at[1] == '{';
        bool statement = end - at > 3 && at[0] == '{' && at[1] == '%';
        const char *stop = at;
        while ((value || statement) && stop + 1 < end && *stop != '\n' &&
               !(stop[0] == (value ? '}' : '%') && stop[1] == '}'))
            stop++;
        bool closed = stop > at && stop + 1 < end && *stop != '\n';
        if (closed && value && begun) clg_text_print(&out, FILLED_IN);
        if (!closed) clg_text_add(&out, at, 1);
        begun = *at != '\n' && (begun || (!closed && *at != ' '));
        at = closed ? stop + 2 : at + 1;
    }
    *written = out.size;
    return out.data ? out.data : "";
}

static void not_known(clg_reading *r, clg_json *node) {
    if (node->kind == CLG_JSON_STRING && strstr(node->text, FILLED_IN)) {
        clg_text out = {.arena = r->arena};
        for (const char *at = node->text, *mark; *at; at = mark + 3) {
            mark = strstr(at, FILLED_IN);
            clg_text_add(&out, at, mark ? (size_t)(mark - at) : strlen(at));
            if (!mark) break;
            clg_text_add(&out, &(char){CLG_TREE_UNKNOWN}, 1);
        }
        node->text = clg_arena_copy(r->arena, out.data, out.size);
        node->text_size = out.size;
    }
    for (clg_json *child = node->first; child; child = child->next) not_known(r, child);
}

clg_status clg_job_yaml(clg_reading *r, const char *name, const char *text, size_t size,
                        clg_json **root) {
    bool plain = true;
    for (size_t i = 0; i + 1 < size && plain; i++)
        plain = text[i] != '{' || (text[i + 1] != '{' && text[i + 1] != '%');
    const char *clean = plain ? text : without_templates(r, text, size, &size);
    clg_status status = clg_yaml_parse(r->arena, name, clean, size, root, r->error);
    if (status == CLG_OK && !plain) not_known(r, *root);
    return status;
}

static clg_status parse(clg_reading *r, const char *name, const char *text, size_t size,
                        clg_json **root) {
    *root = NULL;
    if (clg_ends(name, ".toml")) return clg_toml_parse(r->arena, name, text, size, root, r->error);
    if (clg_ends(name, ".json")) return clg_json_parse(r->arena, name, text, size, root, r->error);
    if (clg_ends(name, ".py") || clg_ends(name, ".ipynb")) {
        *root = clg_python_tree(r->arena, text, size, wanted_recipe(r));
        return CLG_OK;
    }
    bool yaml = clg_ends(name, ".yaml") || clg_ends(name, ".yml");
    return yaml ? clg_job_yaml(r, name, text, size, root) : CLG_OK;
}

/* Files that a script writes before it starts the trainer. One that cannot be read as what its name
 * says (a template) is no fault of the job. */
static void add_written(clg_reading *r, const clg_json *written) {
    for (const clg_json *file = written ? written->first : NULL; file; file = file->next) {
        clg_json *root;
        clg_error none = {0}, *held = r->error;
        int which = file->column - 1;
        r->error = &none;
        clg_status status = parse(r, file->key, file->text, file->text_size, &root);
        r->error = held;
        if (status != CLG_OK || !root || which < 0 || which >= r->file_count) continue;
        clg_tree_shift_lines(root, file->line - 1);
        add(r, r->files[which].name, root, false);
    }
}

/* "--deepspeed '{...}'" and lists in JSON stay texts; only files become sources. */
static clg_status add_scripts(clg_reading *r) {
    clg_json *root;
    if (clg_script_tree(r, &root) != CLG_OK) return CLG_BAD_INPUT;
    r->scripts = root;
    if (!root) return CLG_OK;
    const clg_json *program = clg_tree_find(root, "program");
    const clg_json *arguments = clg_tree_find(root, "arguments");
    r->program = program ? program->text : NULL;
    const clg_json *launch = clg_tree_find(root, "launch");
    const clg_json *starter = clg_tree_find(root, "starter");
    if (arguments) add(r, NULL, arguments, true);
    if (launch && starter && clg_job_is(starter->text, "accelerate")) {
        add(r, NULL, launch, true);
        r->source[r->sources - 1].launcher = r->source[r->sources - 1].root == launch;
    }
    add_written(r, clg_tree_find(root, "written"));
    return CLG_OK;
}

clg_status clg_job_sources(clg_reading *r) {
    if (clg_job_launchers(r) != CLG_OK || add_scripts(r) != CLG_OK) return CLG_BAD_INPUT;
    for (int i = 0; i < r->file_count; i++) {
        clg_json *root;
        const clg_job_file *file = &r->files[i];
        if (clg_was_task(file)) continue;
        if (parse(r, file->name, file->text, file->size, &root) != CLG_OK) return CLG_BAD_INPUT;
        if (root && clg_ends(file->name, ".json") && is_model(root))
            r->config = file;
        else if (root && !clg_is_manifest(r, root))
            add(r, file->name, root, false);
    }
    return CLG_OK;
}
