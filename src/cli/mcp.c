/* mcp.c -- JSON-RPC around the library: what a tool is asked becomes a request to the door. An
 * answer that is an error is one of the tool (isError), so that who asked can mend the question. */
#include "cli/mcp.h"

#include "base/json.h"
#include "base/version.h"
#include "cli/schema.h"

#include <string.h>

enum { NOT_JSON = -32700, NOT_A_REQUEST = -32600, NO_SUCH_METHOD = -32601, BAD_PARAMS = -32602 };

static const char *const revisions[] = {"2025-06-18", "2025-03-26", "2024-11-05"};
enum { REVISIONS = sizeof revisions / sizeof revisions[0] };

static void open_reply(clg_text *out, const clg_json *id) {
    clg_text_print(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    clg_json_writer w = {.text = out};
    if (id && id->kind == CLG_JSON_NUMBER)
        clg_text_add(out, id->text, id->text_size);
    else
        clg_json_add_string(&w, NULL, id && id->kind == CLG_JSON_STRING ? id->text : NULL);
}

static void refuse(clg_text *out, const clg_json *id, int code, const char *message) {
    clg_json_writer writer = {.text = out}, *w = &writer;
    open_reply(out, id);
    clg_text_print(out, ",\"error\":");
    clg_json_open(w, NULL, '{');
    clg_json_add_integer(w, "code", code);
    clg_json_add_string(w, "message", message);
    clg_json_close(w, '}');
    clg_text_print(out, "}\n");
}

void clg_mcp_refuse_length(clg_text *out) {
    refuse(out, NULL, NOT_A_REQUEST, "the message is longer than 16 MiB");
}

/* The client's revision where it is one of ours, else the newest. */
static void initialize(clg_json_writer *w, const clg_json *params) {
    const char *asked = clg_json_text(params, "protocolVersion", NULL), *spoken = revisions[0];
    for (int i = 0; asked && i < REVISIONS; i++)
        if (strcmp(asked, revisions[i]) == 0) spoken = revisions[i];
    clg_json_add_string(w, "protocolVersion", spoken);
    clg_json_open(w, "capabilities", '{');
    clg_json_open(w, "tools", '{');
    clg_json_close(w, '}');
    clg_json_close(w, '}');
    clg_json_open(w, "serverInfo", '{');
    clg_json_add_string(w, "name", "ceiling");
    clg_json_add_string(w, "version", CLG_VERSION);
    clg_json_close(w, '}');
    clg_json_add_string(w, "instructions",
                        "Predicts steps, memory and cost of training and serving language models. "
                        "Values are written as after the flag of the command line, with units: "
                        "\"16Mtok\", \"400Gbit/s\". Answers hold P10 and P90 beside what is "
                        "predicted; say them too.");
}

/* A value of the question, numbers as they were written. */
static void copy_value(clg_json_writer *w, const clg_json *value) {
    switch (value->kind) {
    case CLG_JSON_NULL:
        clg_json_add_null(w, value->key);
        return;
    case CLG_JSON_BOOL:
        clg_json_add_bool(w, value->key, value->truth);
        return;
    case CLG_JSON_NUMBER:
    case CLG_JSON_STRING:
        clg_json_add_string(w, value->key, value->text);
        return;
    case CLG_JSON_ARRAY:
    case CLG_JSON_OBJECT:
        break;
    }
    char bracket = value->kind == CLG_JSON_ARRAY ? '[' : '{';
    char end = value->kind == CLG_JSON_ARRAY ? ']' : '}';
    clg_json_open(w, value->key, bracket);
    for (const clg_json *one = value->first; one; one = one->next) copy_value(w, one);
    clg_json_close(w, end);
}

/* Deeper than any question is, and than the writer writes. */
static bool too_deep(const clg_json *value, int left) {
    if (left == 0) return true;
    for (const clg_json *one = value->first; one; one = one->next)
        if (too_deep(one, left - 1)) return true;
    return false;
}

static void write_request(clg_text *request, const char *command, const clg_json *arguments) {
    clg_json_writer writer = {.text = request}, *w = &writer;
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "command", command);
    for (const clg_json *one = arguments ? arguments->first : NULL; one; one = one->next)
        if (strcmp(one->key, "command") != 0) copy_value(w, one);
    clg_json_close(w, '}');
}

static void add_answer(clg_json_writer *w, const ceiling_answer *answer) {
    clg_json_open(w, "content", '[');
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "type", "text");
    clg_json_add_string(w, "text", answer->text);
    clg_json_close(w, '}');
    clg_json_close(w, ']');
    clg_json_add_bool(w, "isError", !answer->answered);
}

/* NULL, or what is wrong with the call. */
static const char *call_tool(clg_arena *arena, clg_json_writer *w, const clg_json *params,
                             ceiling_progress *tell) {
    const char *name = clg_json_text(params, "name", NULL);
    const clg_json *arguments = clg_json_member(params, "arguments");
    if (!name || !clg_schema_has(name)) return "there is no such tool; tools/list names them";
    if (arguments && (arguments->kind != CLG_JSON_OBJECT || too_deep(arguments, 8)))
        return "'arguments' is not an object of flags";
    clg_text request = {.arena = arena};
    write_request(&request, name, arguments);
    ceiling_answer answer = ceiling_ask_in(arena->kept, request.data, request.size, tell, NULL);
    add_answer(w, &answer);
    ceiling_release(&answer);
    return NULL;
}

/* Writes members of "result", 0; or a code, and what is wrong. */
static int act(clg_arena *arena, clg_json_writer *w, const char *method, const clg_json *params,
               ceiling_progress *tell, const char **wrong) {
    if (strcmp(method, "initialize") == 0)
        initialize(w, params);
    else if (strcmp(method, "tools/list") == 0)
        clg_schema_tools(w);
    else if (strcmp(method, "tools/call") == 0)
        return (*wrong = call_tool(arena, w, params, tell)) ? BAD_PARAMS : 0;
    else if (strcmp(method, "ping") != 0) {
        *wrong = "initialize, ping, tools/list and tools/call are answered";
        return NO_SUCH_METHOD;
    }
    return 0;
}

void clg_mcp_answer(clg_arena *arena, const char *message, size_t size, ceiling_progress *tell,
                    clg_text *out) {
    clg_json *root;
    clg_error error = {0};
    if (clg_json_parse(arena, "message", message, size, &root, &error) != CLG_OK) {
        refuse(out, NULL, NOT_JSON, error.message);
        return;
    }
    const clg_json *id = clg_json_member(root, "id");
    const char *method = clg_json_text(root, "method", NULL), *wrong = NULL;
    if (!method) { /* a reply to us, who ask nothing, is passed over */
        if (!clg_json_member(root, "result") && !clg_json_member(root, "error"))
            refuse(out, id, NOT_A_REQUEST, "a message has a method, and there are no batches");
        return;
    }
    if (!id) return; /* a notification */
    clg_text result = {.arena = arena};
    clg_json_writer writer = {.text = &result}, *w = &writer;
    clg_json_open(w, NULL, '{');
    int code = act(arena, w, method, clg_json_member(root, "params"), tell, &wrong);
    clg_json_close(w, '}');
    if (code != 0) {
        refuse(out, id, code, wrong);
        return;
    }
    open_reply(out, id);
    clg_text_print(out, ",\"result\":");
    clg_text_add(out, result.data, result.size);
    clg_text_print(out, "}\n");
}
