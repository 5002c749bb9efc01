/* yaml_scalar.c -- spaces, comments and the scalars of YAML. */
#include "base/text.h"
#include "job/yaml_reader.h"

#include <string.h>

static void next_line(clg_yaml_reader *r) {
    r->at++;
    r->line++;
    r->line_start = r->at;
}

void clg_yaml_spaces(clg_yaml_reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t')) r->at++;
}

void clg_yaml_blank(clg_yaml_reader *r) {
    while (r->at < r->end) {
        clg_yaml_spaces(r);
        bool comment =
            r->at < r->end && *r->at == '#' && (r->at == r->line_start || strchr(" \t", r->at[-1]));
        while (comment && r->at < r->end && *r->at != '\n') r->at++;
        if (r->at < r->end && *r->at == '\r') r->at++;
        if (r->at < r->end && *r->at == '\n')
            next_line(r);
        else
            return;
    }
}

bool clg_yaml_document_end(const clg_yaml_reader *r) {
    return r->at == r->line_start && r->end - r->at >= 3 &&
           (memcmp(r->at, "---", 3) == 0 || memcmp(r->at, "...", 3) == 0) &&
           (r->end - r->at == 3 || strchr(" \t\r\n", r->at[3]));
}

/* Line breaks inside a scalar: one is a space, more are so many less one. At a '\n' or '\r'. */
static void fold(clg_yaml_reader *r, clg_text *out) {
    int breaks = 0;
    while (r->at < r->end && strchr(" \t\r\n", *r->at)) {
        if (*r->at == '\n') {
            breaks++;
            next_line(r);
        } else
            r->at++;
    }
    for (int i = 1; i < breaks; i++) clg_text_add(out, "\n", 1);
    if (breaks == 1) clg_text_add(out, " ", 1);
}

/* ---- plain ---- */

static bool may_begin(const clg_yaml_reader *r, bool in_flow) {
    char c = *r->at;
    bool alone = r->at + 1 == r->end || strchr(" \t\r\n", r->at[1]);
    if (strchr("-?:", c)) return !alone && !(in_flow && strchr(",[]{}", r->at[1]));
    return !strchr(",[]{}#&*!|>'\"%@`\r\n", c);
}

/* To the end of what belongs to it in this line. */
static const char *plain_end(const clg_yaml_reader *r, const char *at, bool in_flow) {
    const char *last = at;
    for (; at < r->end && *at != '\n' && *at != '\r'; at++) {
        bool before_space = at + 1 == r->end || strchr(" \t\r\n", at[1]);
        if (*at == ':' && (before_space || (in_flow && strchr(",[]{}", at[1])))) break;
        if (in_flow && strchr(",[]{}", *at)) break;
        if (*at == '#' && at > r->line_start && (at[-1] == ' ' || at[-1] == '\t')) break;
        if (*at != ' ' && *at != '\t') last = at + 1;
    }
    return last;
}

/* Whether the next line that is not empty goes on with it; if so the place is there. */
static bool goes_on(clg_yaml_reader *r, int indent, bool in_flow, int *breaks) {
    const char *at = r->at, *start = r->line_start;
    int lines = 0;
    while (at < r->end && (*at == ' ' || *at == '\t')) at++;
    if (at >= r->end || (*at != '\n' && *at != '\r')) return false;
    while (at < r->end && strchr(" \t\r\n", *at)) {
        if (*at == '\n') lines++, start = at + 1;
        at++;
    }
    clg_yaml_reader there = *r;
    there.at = at, there.line_start = start;
    bool dash = !in_flow && (int)(at - start) <= indent;
    if (at >= r->end || *at == '#' || dash || (in_flow && strchr(",[]{}", *at))) return false;
    there.at = start;
    if (clg_yaml_document_end(&there)) return false;
    r->at = at, r->line_start = start, r->line += lines;
    *breaks = lines;
    return true;
}

clg_json *clg_yaml_plain(clg_yaml_reader *r, int indent, bool in_flow) {
    clg_text out = {.arena = r->arena};
    int line = r->line, column = (int)(r->at - r->line_start) + 1, breaks;
    if (r->at >= r->end || !may_begin(r, in_flow)) return NULL;
    for (;;) {
        const char *stop = plain_end(r, r->at, in_flow);
        clg_text_add(&out, r->at, (size_t)(stop - r->at));
        r->at = stop;
        if (stop < r->end && *stop == ':') break;
        if (!goes_on(r, indent, in_flow, &breaks)) break;
        for (int i = 1; i < breaks; i++) clg_text_add(&out, "\n", 1);
        if (breaks == 1) clg_text_add(&out, " ", 1);
    }
    return clg_tree_scalar(r->arena, out.data ? out.data : "", out.size, line, column);
}

/* ---- quoted ---- */

static void add_utf8(clg_text *out, unsigned long code) {
    char bytes[4];
    size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (code > 0x10ffff) return;
    for (size_t i = size; i-- > 1; code >>= 6) bytes[i] = (char)(0x80 | (code & 0x3f));
    static const unsigned lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    bytes[0] = (char)(lead[size] | code);
    clg_text_add(out, bytes, size);
}

/* Behind a backslash. */
static void escape(clg_yaml_reader *r, clg_text *out) {
    static const char letters[] = "abtnvfre0 \"\\/N_LP";
    static const unsigned codes[] = {7,   8,   9,    10,  11,   12,   13,     27,    0,
                                     ' ', '"', '\\', '/', 0x85, 0xa0, 0x2028, 0x2029};
    char c = *r->at++;
    const char *known = c ? strchr(letters, c) : NULL;
    int digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (known) add_utf8(out, codes[known - letters]);
    unsigned long code = 0;
    for (int i = 0; i < digits && r->at < r->end; i++, r->at++) {
        const char *hex = "0123456789abcdef0123456789ABCDEF", *digit = strchr(hex, *r->at);
        if (!digit || !*digit) return;
        code = code * 16 + (unsigned long)((digit - hex) % 16);
    }
    if (digits) add_utf8(out, code);
}

clg_status clg_yaml_quoted(clg_yaml_reader *r, clg_json **node) {
    clg_text out = {.arena = r->arena};
    int line = r->line, column = (int)(r->at - r->line_start) + 1;
    const char *opened = r->at, *line_start = r->line_start;
    char quote = *r->at++;
    while (r->at < r->end) {
        char c = *r->at;
        bool twice = c == '\'' && quote == '\'' && r->at + 1 < r->end && r->at[1] == '\'';
        if (c == quote && !twice) break;
        if (twice) {
            clg_text_add(&out, "'", 1);
            r->at += 2;
        } else if (c == '\\' && quote == '"' && r->at + 1 < r->end) {
            r->at++;
            if (*r->at == '\r') r->at++;
            if (r->at < r->end && *r->at == '\n') {
                next_line(r);
                clg_yaml_spaces(r);
            } else if (r->at < r->end)
                escape(r, &out);
        } else if (c == '\n' || c == '\r') {
            while (out.size > 0 && strchr(" \t", out.data[out.size - 1])) out.size--;
            fold(r, &out);
        } else
            clg_text_add(&out, r->at++, 1);
    }
    if (r->at >= r->end) {
        r->line = line, r->at = opened, r->line_start = line_start;
        return clg_yaml_fault(r, "close it", "a quote is not closed");
    }
    r->at++;
    *node = clg_tree_string(r->arena, out.data ? out.data : "", out.size, line, column);
    return CLG_OK;
}

/* ---- block ---- */

/* Spaces before the first line that is not empty, at least so many. */
static int found_indent(const clg_yaml_reader *r, int least) {
    const char *at = r->at;
    int spaces = 0;
    for (; at < r->end; at++) {
        if (*at == ' ')
            spaces++;
        else if (*at == '\n')
            spaces = 0;
        else if (*at != '\r')
            break;
    }
    return at < r->end && spaces > least ? spaces : least;
}

/* A line of it, the newline included; false: it is over. */
static bool block_line(clg_yaml_reader *r, int indent, const char **line, size_t *size) {
    const char *at = r->at, *stop;
    if (r->at >= r->end) return false;
    while (at < r->end && at - r->at < indent && *at == ' ') at++;
    bool empty = at >= r->end || *at == '\n' || (*at == '\r' && at + 1 < r->end && at[1] == '\n');
    if (!empty && at - r->at < indent) return false;
    if (!empty && clg_yaml_document_end(r)) return false;
    stop = memchr(at, '\n', (size_t)(r->end - at));
    if (!stop) stop = r->end;
    *line = at, *size = (size_t)(stop - at);
    if (*size > 0 && at[*size - 1] == '\r') --*size;
    r->at = stop;
    if (stop < r->end) next_line(r);
    return true;
}

clg_status clg_yaml_block_scalar(clg_yaml_reader *r, int parent, clg_json **node) {
    clg_text out = {.arena = r->arena};
    int line_number = r->line, column = (int)(r->at - r->line_start) + 1, more = 0;
    bool folded = *r->at == '>', keep = false, strip = false, was_text = false;
    for (r->at++; r->at < r->end && !strchr(" \t\r\n", *r->at); r->at++) {
        keep = keep || *r->at == '+';
        strip = strip || *r->at == '-';
        if (*r->at >= '1' && *r->at <= '9') more = *r->at - '0';
    }
    while (r->at < r->end && *r->at != '\n') r->at++;
    if (r->at < r->end) next_line(r);
    int base = parent < 0 ? 0 : parent;
    int indent = more ? base + more : found_indent(r, parent + 1);
    const char *line;
    size_t size, text = 0;
    while (block_line(r, indent, &line, &size)) {
        bool deeper = size > 0 && (*line == ' ' || *line == '\t');
        bool join = folded && was_text && size > 0 && !deeper && out.size > 0;
        if (join && out.data[out.size - 1] == '\n' &&
            (out.size < 2 || out.data[out.size - 2] != '\n'))
            out.data[out.size - 1] = ' ';
        else if (join && out.data[out.size - 1] == '\n')
            out.size--;
        clg_text_add(&out, line, size);
        if (r->at[-1] == '\n') clg_text_add(&out, "\n", 1);
        if (size > 0) text = out.size, was_text = !deeper;
    }
    bool ended = text > 0 && out.data[text - 1] == '\n';
    if (!keep) out.size = strip && ended ? text - 1 : text;
    *node = clg_tree_string(r->arena, out.data ? out.data : "", out.size, line_number, column);
    return CLG_OK;
}
