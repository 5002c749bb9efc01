/* json.c -- the tree reader: recursive descent, one node per value. */
#include "base/json.h"

#include "base/letters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    clg_arena *arena;
    clg_error *error;
    const char *name, *start, *at, *end;
    int depth;
} reader;

/* Line and column of a place, counted only when something is wrong or a node is made. */
typedef struct place {
    int line;
    const char *line_start;
} place;

static clg_status fault(reader *r, const char *where, const char *mend, const char *message) {
    int line = 1;
    const char *line_start = r->start;
    for (const char *c = r->start; c < where; c++)
        if (*c == '\n') {
            line++;
            line_start = c + 1;
        }
    clg_error_at(r->error, r->name, line, (int)(where - line_start) + 1, NULL);
    return clg_fail(r->error, CLG_BAD_INPUT, mend, "%s", message);
}

static void skip_blanks(reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r'))
        r->at++;
}

static bool starts(reader *r, const char *word) {
    size_t size = strlen(word);
    return (size_t)(r->end - r->at) >= size && memcmp(r->at, word, size) == 0;
}

static int hex_digit(char c) {
    if (clg_is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* Four hexadecimal digits, or -1. */
static int hex4(const char *at, const char *end) {
    if (end - at < 4) return -1;
    int value = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(at[i]);
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

static char *put_utf8(char *out, unsigned code) {
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xC0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *out++ = (char)(0xE0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    } else {
        *out++ = (char)(0xF0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3F));
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    }
    return out;
}

/* After "\u": one code point, surrogate pairs joined; a lone surrogate is an error. */
static clg_status read_unicode(reader *r, char **out) {
    const char *where = r->at - 2;
    int code = hex4(r->at, r->end);
    if (code < 0) return fault(r, where, "write four hexadecimal digits", "a broken \\u escape");
    r->at += 4;
    unsigned point = (unsigned)code;
    if (code >= 0xD800 && code < 0xDC00) {
        int low = r->end - r->at >= 6 && r->at[0] == '\\' && r->at[1] == 'u'
                      ? hex4(r->at + 2, r->end)
                      : -1;
        if (low < 0xDC00 || low > 0xDFFF)
            return fault(r, where, "write the pair", "half of a surrogate pair");
        point = 0x10000 + ((unsigned)(code - 0xD800) << 10) + (unsigned)(low - 0xDC00);
        r->at += 6;
    } else if (code >= 0xDC00 && code <= 0xDFFF) {
        return fault(r, where, "write the pair", "half of a surrogate pair");
    }
    *out = put_utf8(*out, point);
    return CLG_OK;
}

static clg_status read_escape(reader *r, char **out) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (r->at >= r->end) return fault(r, r->at, "close the string", "the text ends in a string");
    char c = *r->at++;
    if (c == 'u') return read_unicode(r, out);
    const char *found = c ? strchr(from, c) : NULL;
    if (!found)
        return fault(r, r->at - 2, "escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX",
                     "an unknown escape");
    *(*out)++ = to[found - from];
    return CLG_OK;
}

/* Decodes a string; the result is never longer than its source. */
static clg_status read_string(reader *r, const char **text, size_t *size) {
    const char *open = r->at++, *close = r->at;
    while (close < r->end && *close != '"') close += *close == '\\' ? 2 : 1;
    if (close >= r->end) return fault(r, open, "close it with \"", "a string without an end");
    char *decoded = clg_arena_take(r->arena, (size_t)(close - r->at) + 1, 1), *out = decoded;
    while (*r->at != '"') {
        unsigned char c = (unsigned char)*r->at++;
        if (c < 0x20)
            return fault(r, r->at - 1, "escape it as \\u00XX", "a control character in a string");
        if (c != '\\')
            *out++ = (char)c;
        else if (read_escape(r, &out) != CLG_OK)
            return CLG_BAD_INPUT;
    }
    r->at++;
    *text = decoded;
    *size = (size_t)(out - decoded);
    return CLG_OK;
}

static const char *skip_digits(const char *at, const char *end) {
    while (at < end && clg_is_digit(*at)) at++;
    return at;
}

/* End of a number by RFC 8259's grammar, or NULL. */
static const char *number_end(const char *at, const char *end) {
    if (at < end && *at == '-') at++;
    const char *digits = at;
    at = skip_digits(at, end);
    if (at == digits || (*digits == '0' && at - digits > 1)) return NULL;
    if (at < end && *at == '.') {
        const char *fraction = ++at;
        at = skip_digits(at, end);
        if (at == fraction) return NULL;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '+' || *at == '-')) at++;
        const char *exponent = at;
        at = skip_digits(at, end);
        if (at == exponent) return NULL;
    }
    return at;
}

/* strtod is correctly rounded; its decimal point follows the locale, which is "C" here (text.c). */
static clg_status read_number(reader *r, clg_json *node) {
    const char *end = number_end(r->at, r->end);
    bool number = r->at < r->end && (*r->at == '-' || clg_is_digit(*r->at));
    if (!end && !number)
        return fault(r, r->at, "a value is a number, true, false, null, or in \"\", [] or {}",
                     "no value of JSON");
    if (!end) return fault(r, r->at, "write it like -12.5e3", "a broken number");
    node->kind = CLG_JSON_NUMBER;
    node->text_size = (size_t)(end - r->at);
    node->text = clg_arena_copy(r->arena, r->at, node->text_size);
    node->number = strtod(node->text, NULL);
    if (!isfinite(node->number)) return fault(r, r->at, "use a number below 1e308", "too large");
    r->at = end;
    return CLG_OK;
}

/* Python writes what is no number, or no end, as words that JSON does not have: nothing stated. */
static bool read_no_number(reader *r, clg_json *node) {
    static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t size = strlen(words[i]);
        if ((size_t)(r->end - r->at) < size || memcmp(r->at, words[i], size) != 0) continue;
        node->kind = CLG_JSON_NULL;
        r->at += size;
        return true;
    }
    return false;
}

static clg_status read_value(reader *r, clg_json *node);

static clg_json *new_node(clg_arena *arena) {
    typedef struct used_node {
        clg_json node;
        unsigned char seen;
    } used_node;
    used_node *fresh = clg_take(arena, 1, used_node);
    fresh->node.seen = &fresh->seen;
    return &fresh->node;
}

static clg_json *new_child(reader *r, clg_json *parent, clg_json **last) {
    clg_json *child = new_node(r->arena);
    if (*last)
        (*last)->next = child;
    else
        parent->first = child;
    *last = child;
    parent->count++;
    return child;
}

/* Small objects are compared pairwise; large ones are maps of data, where the check would be
 * quadratic, so only neighbours are compared there. */
static bool has_key(const clg_json *object, const clg_json *but, const char *key) {
    if (object->count > 256) return false;
    for (const clg_json *c = object->first; c; c = c->next)
        if (c != but && c->key && strcmp(c->key, key) == 0) return true;
    return false;
}

static clg_status read_key(reader *r, clg_json *object, clg_json *child) {
    skip_blanks(r);
    const char *where = r->at;
    size_t size;
    if (object->first != child && r->at < r->end && *r->at == '}')
        return fault(r, r->at, "take the comma away", "a comma before the closing bracket");
    if (r->at >= r->end || *r->at != '"')
        return fault(r, r->at, "write \"name\": value", "a member name is expected");
    if (read_string(r, &child->key, &size) != CLG_OK) return CLG_BAD_INPUT;
    if (has_key(object, child, child->key))
        return fault(r, where, "keep one of them", "a member name occurs twice");
    skip_blanks(r);
    if (r->at >= r->end || *r->at != ':')
        return fault(r, r->at, "put a colon after the name", "no colon");
    r->at++;
    return CLG_OK;
}

static clg_status read_children(reader *r, clg_json *node, char close) {
    clg_json *last = NULL;
    r->at++;
    if (++r->depth > CLG_JSON_DEPTH) return fault(r, r->at, "nest less", "nested too deeply");
    skip_blanks(r);
    if (r->at < r->end && *r->at == close) {
        r->at++;
        r->depth--;
        return CLG_OK;
    }
    for (;;) {
        clg_json *child = new_child(r, node, &last);
        if (close == '}' && read_key(r, node, child) != CLG_OK) return CLG_BAD_INPUT;
        if (read_value(r, child) != CLG_OK) return CLG_BAD_INPUT;
        skip_blanks(r);
        if (r->at < r->end && *r->at == close) break;
        if (r->at >= r->end || *r->at != ',')
            return fault(r, r->at, close == '}' ? "put a comma or }" : "put a comma or ]",
                         "no comma between values");
        r->at++;
    }
    r->at++;
    r->depth--;
    return CLG_OK;
}

static clg_status read_word(reader *r, clg_json *node) {
    if (starts(r, "true") || starts(r, "false")) {
        node->kind = CLG_JSON_BOOL;
        node->truth = *r->at == 't';
        r->at += node->truth ? 4 : 5;
        return CLG_OK;
    }
    if (starts(r, "null")) {
        node->kind = CLG_JSON_NULL;
        r->at += 4;
        return CLG_OK;
    }
    return read_no_number(r, node) ? CLG_OK : read_number(r, node);
}

static clg_status read_value(reader *r, clg_json *node) {
    skip_blanks(r);
    if (r->at >= r->end) return fault(r, r->at, "finish it", "the text ends too early");
    node->column = (int)(r->at - r->start); /* an offset until set_places */
    switch (*r->at) {
    case '{':
        node->kind = CLG_JSON_OBJECT;
        return read_children(r, node, '}');
    case '[':
        node->kind = CLG_JSON_ARRAY;
        return read_children(r, node, ']');
    case '"':
        node->kind = CLG_JSON_STRING;
        return read_string(r, &node->text, &node->text_size);
    default:
        return read_word(r, node);
    }
}

/* Nodes come in file order, so one walk over the text turns offsets into lines and columns. */
static void set_places(const char *text, clg_json *node, int *offset, place *now) {
    for (; *offset < node->column; (*offset)++)
        if (text[*offset] == '\n') {
            now->line++;
            now->line_start = text + *offset + 1;
        }
    node->line = now->line;
    node->column = (int)(text + node->column - now->line_start) + 1;
    for (clg_json *child = node->first; child; child = child->next)
        set_places(text, child, offset, now);
}

clg_status clg_json_parse(clg_arena *arena, const char *name, const char *text, size_t size,
                          clg_json **root, clg_error *error) {
    reader r = {arena, error, name, text, text, text + size, 0};
    /* Editors on Windows put a byte order mark in front (RFC 8259, section 8.1: may be ignored). */
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) r.at += 3;
    if (size > (size_t)1 << 30) return fault(&r, text, "split it", "a text of more than 1 GiB");
    skip_blanks(&r);
    if (r.at >= r.end) return fault(&r, text, "name another file", "it is empty");
    clg_json *node = new_node(arena);
    if (read_value(&r, node) != CLG_OK) return CLG_BAD_INPUT;
    skip_blanks(&r);
    if (r.at < r.end) return fault(&r, r.at, "remove it", "something after the value");
    int offset = 0;
    place now = {1, text};
    set_places(text, node, &offset, &now);
    *root = node;
    return CLG_OK;
}
