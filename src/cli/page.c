/* page.c -- finds the page, puts question and answer into it, writes it whole. */
#include "cli/page.h"

#include "base/letters.h"
#include "base/version.h"
#include "report/svg.h"

#include <string.h>
#include <unistd.h>

enum { PAGE_BYTES = 64 << 20, PATH_BYTES = 4096, KEPT_BYTES = 4 << 20 };

static const char place[] = "<script type=\"application/json\" id=\"report\">\n";
static const char stored_place[] = "<article id=\"stored\">\n";

/* The directory of the running program; "" where the system does not tell. */
static const char *own_directory(clg_arena *arena) {
    char path[PATH_BYTES];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    if (size < 0) return "";
    path[size] = '\0';
    char *slash = strrchr(path, '/');
    return clg_arena_copy(arena, path, slash ? (size_t)(slash - path) : 0);
}

static const char *find_page(clg_arena *arena) {
    const char *directory = own_directory(arena);
    const char *beside = clg_arena_print(arena, "%s/ceiling.html", directory);
    const char *shared = clg_arena_print(arena, "%s/../share/ceiling/ceiling.html", directory);
    if (access(beside, R_OK) == 0) return beside;
    return access(shared, R_OK) == 0 ? shared : NULL;
}

static clg_status no_page(clg_error *error) {
    clg_error_at(error, "ceiling.html", 0, 0, NULL);
    return clg_fail(error, CLG_BAD_INPUT, "'make web' builds it and says what it needs",
                    "the page is neither beside this program nor installed");
}

clg_status clg_page_read(clg_arena *arena, const char **text, size_t *size, clg_error *error) {
    const char *path = find_page(arena);
    return path ? clg_file_read(arena, path, PAGE_BYTES, text, size, error) : no_page(error);
}

bool clg_page_asked(const clg_session *session) {
    const char *path = session->request.value[CLG_PARAM_OUT];
    return path && (clg_ends(path, ".html") || clg_ends(path, ".htm"));
}

/* With --launch it may name a directory. */
static bool is_for_page(const clg_session *session) {
    return clg_session_has(session, CLG_PARAM_OUT) &&
           (!clg_session_has(session, CLG_PARAM_LAUNCH) || clg_page_asked(session));
}

clg_status clg_page_check(const clg_session *session, clg_error *error) {
    const char *path = session->request.value[CLG_PARAM_OUT];
    if (!is_for_page(session)) return CLG_OK;
    if (!clg_page_asked(session)) {
        clg_error_at(error, path, 0, 0, "--out");
        return clg_fail(error, CLG_BAD_USAGE, "give report.html; --help lists what else it writes",
                        "a report is a page");
    }
    return find_page(session->arena) ? CLG_OK : no_page(error);
}

static void add_file(clg_json_writer *w, const char *key, const clg_attachment *file) {
    clg_json_open(w, key, '{');
    clg_json_add_string(w, "name", file->name);
    clg_json_add_string(w, "text", file->text);
    clg_json_close(w, '}');
}

static void add_list(clg_json_writer *w, const char *key, const char *const *word, int count) {
    if (count == 0) return;
    clg_json_open(w, key, '[');
    for (int i = 0; i < count; i++) clg_json_add_string(w, NULL, word[i]);
    clg_json_close(w, ']');
}

static void add_knob(clg_json_writer *w, const clg_request *r, clg_param param) {
    clg_param_row row = clg_param_row_of(param);
    const clg_attachment *file = &r->file[param];
    if (!r->value[param]) return;
    if (file->text && file->size <= KEPT_BYTES)
        add_file(w, row.flag, file);
    else if (row.kind == CLG_KIND_SWITCH)
        clg_json_add_bool(w, row.flag, true);
    else
        clg_json_add_string(w, row.flag, r->value[param]);
}

/* The request as the door takes it. A long file is only named: the answer is here. */
static void add_request(clg_json_writer *w, const clg_session *session) {
    const clg_request *r = &session->request;
    const clg_command *command = session->command;
    clg_json_open(w, "request", '{');
    clg_json_add_string(w, "command", command->name);
    if (clg_command_has_model(command)) {
        clg_json_add_string(w, "model", r->model);
        if (r->model_file.text) clg_json_add_string(w, "config", r->model_file.text);
        for (int p = 0; p < CLG_PARAMS; p++)
            if (clg_command_asks(command, (clg_param)p)) add_knob(w, r, (clg_param)p);
        add_list(w, "fix", r->fix, r->fixes);
        add_list(w, "not", r->forbid, r->forbids);
    } else
        add_list(w, "files", session->operand, session->operands);
    clg_json_close(w, '}');
}

/* JSON inside HTML: no '<' that could end the element it stands in. */
static void add_escaped(clg_text *out, const clg_text *json) {
    for (size_t at = 0; at < json->size;) {
        const char *next = memchr(json->data + at, '<', json->size - at);
        size_t size = next ? (size_t)(next - json->data) - at : json->size - at;
        clg_text_add(out, json->data + at, size);
        if (next) clg_text_add(out, "\\u003c", 6);
        at += size + (next != NULL);
    }
}

static void add_words(clg_text *out, const char *flag, const char *value) {
    if (!value) return;
    clg_text_print(out, flag[0] ? " --%s" : " %s", flag[0] ? flag : value);
    if (flag[0] && *value) clg_text_print(out, " %s", value);
}

/* The command line that asks this. */
static const char *question_of(const clg_session *session) {
    const clg_request *r = &session->request;
    const clg_command *command = session->command;
    clg_text out = {.arena = session->arena};
    clg_text_print(&out, "ceiling %s", command->name);
    for (int i = 0; i < session->operands; i++) add_words(&out, "", session->operand[i]);
    if (!clg_command_has_model(command)) return out.data;
    for (int p = 0; p < CLG_PARAMS; p++)
        if (clg_command_asks(command, (clg_param)p))
            add_words(&out, clg_param_row_of((clg_param)p).flag, r->value[p]);
    for (int i = 0; i < r->fixes; i++) add_words(&out, "fix", r->fix[i]);
    for (int i = 0; i < r->forbids; i++) add_words(&out, "not", r->forbid[i]);
    return out.data;
}

/* Question, picture and what was printed, as plain HTML. */
static void add_stored(clg_text *out, const clg_session *session, const clg_text *picture) {
    clg_text_print(out, "<h2>");
    clg_svg_escape(out, question_of(session));
    clg_text_print(out,
                   "</h2>\n<p class=\"what\">The answer as it was given, by ceiling %s. <span "
                   "class=\"live\">What stands below it can be changed.</span></p>\n",
                   CLG_VERSION);
    if (picture) {
        clg_text_print(out, "<figure tabindex=\"0\">\n");
        clg_text_add(out, picture->data, picture->size);
        clg_text_print(out, "</figure>\n");
    }
    clg_text_print(out, "<pre tabindex=\"0\">");
    if (session->out.size > 0) clg_svg_escape(out, session->out.data);
    clg_text_print(out, "</pre>\n");
}

/* Appends the page up to behind `mark`; NULL: the page has none. */
static const char *add_until(clg_text *out, const char *from, const char *mark) {
    const char *found = strstr(from, mark);
    if (!found) return NULL;
    found += strlen(mark);
    clg_text_add(out, from, (size_t)(found - from));
    return found;
}

clg_status clg_page_report(clg_session *session, const clg_text *answer, const clg_text *picture,
                           clg_error *error) {
    const char *path = session->request.value[CLG_PARAM_OUT], *page;
    size_t size;
    clg_text json = {.arena = session->arena}, out = {.arena = session->arena};
    clg_json_writer writer = {.text = &json}, *w = &writer;
    if (!is_for_page(session)) return CLG_OK;
    if (clg_page_read(session->arena, &page, &size, error) != CLG_OK) return error->status;
    const char *end = page + size, *at = add_until(&out, page, stored_place);
    if (!at) return no_page(error);
    add_stored(&out, session, picture);
    if (!(at = add_until(&out, at, place))) return no_page(error);
    clg_json_open(w, NULL, '{');
    add_request(w, session);
    clg_json_add_string(w, "answer", answer->data);
    clg_json_close(w, '}');
    add_escaped(&out, &json);
    clg_text_add(&out, "\n", 1);
    clg_text_add(&out, at, (size_t)(end - at));
    if (clg_file_write(path, &out, error) != CLG_OK) return error->status;
    if (!clg_session_has(session, CLG_PARAM_JSON) && !clg_session_has(session, CLG_PARAM_CSV))
        clg_text_print(&session->out, "\nreport   %s\n", path);
    return CLG_OK;
}
