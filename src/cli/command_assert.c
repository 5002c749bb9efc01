/* command_assert.c -- command lines, and what their answers must hold: a gate for CI. */
#include "cli/arguments.h"
#include "cli/expectation.h"
#include "cli/tool.h"
#include "job/yaml.h"

#include <stdio.h>
#include <string.h>

enum { FILE_BYTES = 1 << 20, WORDS = 128 };

/* What one scenario file came to. */
typedef struct tally {
    clg_session *session;
    clg_json_writer *json; /* NULL: in words */
    const char *file;
    int held, failed;
} tally;

static clg_status at_node(const tally *t, const clg_json *node, const char *mend, const char *what,
                          clg_error *error) {
    clg_error_at(error, t->file, node->line, node->column, node->key);
    return clg_fail(error, CLG_BAD_INPUT, mend, "%s", what);
}

/* Words of a command line: blanks part them, quotes hold them together. Nothing is expanded. */
static int split(clg_arena *arena, const char *line, char **words) {
    int count = 0;
    for (const char *at = line; *at && count < WORDS;) {
        at += strspn(at, " \t\n");
        if (!*at) break;
        char *word = clg_arena_copy(arena, at, strlen(at)), *to = word;
        for (char quote = 0; *at && (quote || !strchr(" \t\n", *at)); at++)
            if (quote ? *at == quote : *at == '"' || *at == '\'')
                quote = quote ? 0 : *at;
            else
                *to++ = *at;
        *to = 0;
        words[count++] = word;
    }
    return count;
}

/* Runs a command line for its JSON. */
static clg_status ask(const tally *t, const clg_json *line, clg_session *session, clg_json **root,
                      clg_error *error) {
    char *words[WORDS + 1];
    int count = line->kind == CLG_JSON_STRING ? split(session->arena, line->text, words) : 0;
    int first = count > 0 && strcmp(words[0], "ceiling") == 0;
    if (count <= first || count == WORDS)
        return at_node(t, line, "as in: plan llama-3-8b --gpus 64", "this is no command line",
                       error);
    const clg_tool *tool = clg_tool_find(words[first], error);
    if (!tool) return error->status;
    if (tool->about == t->session->command) /* a file that asks for itself has no end */
        return at_node(t, line, "put its entries into this list",
                       "a scenario cannot ask for scenarios", error);
    if (!clg_command_takes(tool->about, CLG_PARAM_JSON) || tool->serve)
        return at_node(t, line, "plan, explain, scale, size, demand and expect are some that do",
                       "this command gives no JSON to look at", error);
    static char json[] = "--json";
    if (strcmp(words[count - 1], json) != 0) words[count++] = json;
    if (clg_arguments_run(session, tool, words + first + 1, count - first - 1, error) != CLG_OK)
        return error->status;
    clg_progress_end(session);
    return clg_json_parse(session->arena, "the answer", session->out.data, session->out.size, root,
                          error);
}

static void print_value(char *to, size_t size, const clg_json *value, const char *path,
                        size_t known) {
    if (!value)
        snprintf(to, size, known ? "not there: '%.*s' is" : "not there", (int)known, path);
    else if (value->kind == CLG_JSON_OBJECT || value->kind == CLG_JSON_ARRAY)
        snprintf(to, size, "%zu members", value->count);
    else
        snprintf(to, size, "%.60s",
                 value->kind == CLG_JSON_BOOL ? value->truth ? "true" : "false"
                 : value->text                ? value->text
                                              : "null");
}

static void tell(tally *t, const char *path, const char *found, const char *expected, bool holds) {
    holds ? t->held++ : t->failed++;
    if (!t->json) {
        clg_text_print(&t->session->out, "  %-4s %-32s %s, expected %s\n", holds ? "ok" : "FAIL",
                       path, found, expected);
        return;
    }
    clg_json_open(t->json, NULL, '{');
    clg_json_add_string(t->json, "path", path);
    clg_json_add_string(t->json, "found", found);
    clg_json_add_string(t->json, "expected", expected);
    clg_json_add_bool(t->json, "holds", holds);
    clg_json_close(t->json, '}');
}

static clg_status check_one(tally *t, const clg_json *root, const clg_json *expected,
                            clg_error *error) {
    clg_expectation e;
    char found[96];
    size_t known;
    const char *words =
        expected->kind == CLG_JSON_BOOL ? expected->truth ? "true" : "false" : expected->text;
    if (!words) return at_node(t, expected, "write '<= 8s'", "this is no expectation", error);
    if (clg_expectation_read(t->session->arena, words, &e, error) != CLG_OK) {
        clg_error_at(error, t->file, expected->line, expected->column, expected->key);
        return error->status;
    }
    const clg_json *value = clg_expectation_find(root, expected->key, &known);
    print_value(found, sizeof found, value, expected->key, known);
    tell(t, expected->key, found, words, clg_expectation_holds(&e, value));
    return CLG_OK;
}

static void open_entry(tally *t, const char *name) {
    if (!t->json) {
        clg_text_print(&t->session->out, "%s\n", name);
        return;
    }
    clg_json_open(t->json, NULL, '{');
    clg_json_add_string(t->json, "name", name);
    clg_json_open(t->json, "checks", '[');
}

static void close_entry(tally *t) {
    if (!t->json) return;
    clg_json_close(t->json, ']');
    clg_json_close(t->json, '}');
}

/* A command that fails is a failed check; what is wrong with the scenario itself is an error. */
static clg_status check_entry(tally *t, const clg_json *entry, clg_error *error) {
    const clg_json *line = clg_json_member(entry, "ask"),
                   *expect = clg_json_member(entry, "expect");
    const clg_json *name = clg_json_member(entry, "name");
    if (!line || !expect || expect->kind != CLG_JSON_OBJECT || expect->count == 0)
        return at_node(t, entry, "give 'ask: COMMAND LINE' and 'expect: {PATH: VALUE}'",
                       "an entry without a question or what is expected of it", error);
    clg_arena arena = {0};
    clg_session *session = clg_take(&arena, 1, clg_session);
    *session = (clg_session){.arena = &arena, .out = {.arena = &arena}};
    session->started_s = clg_clock_s();
    clg_json *root = NULL;
    open_entry(t, name && name->text ? name->text : line->text ? line->text : "?");
    clg_error trouble = {0};
    clg_status status = CLG_OK;
    if (ask(t, line, session, &root, &trouble) != CLG_OK) {
        char sentence[1024];
        clg_error_sentence(&trouble, sentence, sizeof sentence);
        tell(t, "ask", sentence, "an answer", false);
    } else if (session->failed)
        tell(t, "ask", "the command says no", "yes", false);
    for (const clg_json *one = expect->first; root && one && status == CLG_OK; one = one->next)
        status = check_one(t, root, one, error);
    close_entry(t);
    clg_arena_clear(&arena);
    return status;
}

static clg_status check_file(tally *t, clg_error *error) {
    const char *text;
    size_t size;
    clg_json *root;
    if (clg_file_read(t->session->arena, t->file, FILE_BYTES, &text, &size, error) != CLG_OK ||
        clg_yaml_parse(t->session->arena, t->file, text, size, &root, error) != CLG_OK)
        return error->status;
    if (root->kind != CLG_JSON_ARRAY || root->count == 0)
        return at_node(t, root, "start each entry with '- ask: ...'", "this is no list", error);
    clg_status status = CLG_OK;
    for (const clg_json *entry = root->first; entry && status == CLG_OK; entry = entry->next)
        status = check_entry(t, entry, error);
    return status;
}

static clg_status run(clg_session *session, clg_error *error) {
    bool json = clg_session_has(session, CLG_PARAM_JSON);
    clg_json_writer writer = {.text = &session->out, .pretty = true};
    tally t = {.session = session, .json = json ? &writer : NULL};
    if (json) {
        clg_json_open(&writer, NULL, '{');
        clg_json_add_string(&writer, "kind", "assert");
        clg_json_open(&writer, "entries", '[');
    }
    for (int i = 0; i < session->operands; i++) {
        t.file = session->operand[i];
        if (check_file(&t, error) != CLG_OK) return error->status;
    }
    session->failed = t.failed > 0;
    if (!json) {
        clg_text_print(&session->out, "%d hold, %d fail\n", t.held, t.failed);
        return CLG_OK;
    }
    clg_json_close(&writer, ']');
    clg_json_add_integer(&writer, "held", t.held);
    clg_json_add_integer(&writer, "failed", t.failed);
    clg_json_close(&writer, '}');
    clg_text_print(&session->out, "\n");
    return CLG_OK;
}

static const clg_param knobs[] = {CLG_PARAM_JSON, CLG_PARAM_COLOR, CLG_PARAMS};

const clg_tool clg_tool_assert = {
    .about =
        &(const clg_command){
            .name = "assert",
            .operands = "SCENARIO.yaml...",
            .summary = "holds answers against what is expected of them; status 3 where one fails",
            .details =
                "A scenario is a list. Each entry has 'ask', a command line of ceiling as one "
                "would type it, and 'expect': paths into its --json, and what must be there: 4, "
                "ring, '!= ring', '<= 8s', '> 40%', '7s .. 8s', '7.5s +- 5%'. Units are taken "
                "off: members of answers are in SI. 'name' says what it is about.",
            .example = "ceiling assert scenarios.yaml",
            .knobs = knobs,
            .least = 1,
            .most = CLG_FILE_OPERANDS},
    .run = run};
