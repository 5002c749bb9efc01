/* yaml.c -- YAML 1.2 as people write it, into a tree: block and flow style, all five scalars,
 * anchors, merge keys, the first document.
 *
 * Not read, and refused: keys that are collections ("? [a, b]"). Tags are passed over, but quoted
 * scalars stay strings. An alias becomes a copy, so that its nodes count against the same bound as
 * written ones, which ends expansions that double at every level. */
#include "job/yaml.h"
#include "job/yaml_reader.h"

#include <string.h>

enum { MOST_NODES = 20000, DEEPEST = 64 };

clg_status clg_yaml_fault(clg_yaml_reader *r, const char *mend, const char *what) {
    clg_error_at(r->error, r->name, r->line, (int)(r->at - r->line_start) + 1, NULL);
    return clg_fail(r->error, CLG_BAD_INPUT, mend, "%s", what);
}

static clg_status count(clg_yaml_reader *r) {
    if (++r->nodes <= MOST_NODES) return CLG_OK;
    return clg_yaml_fault(r, "write out what aliases stand for",
                          "this makes more than 20,000 values");
}

static int column(const clg_yaml_reader *r) { return (int)(r->at - r->line_start); }

/* ---- anchors ---- */

static clg_status copy(clg_yaml_reader *r, const clg_json *from, clg_json **to) {
    if (count(r) != CLG_OK) return CLG_BAD_INPUT;
    if (r->depth >= DEEPEST)
        return clg_yaml_fault(r, "write out what aliases stand for", "deeper than 64 levels");
    r->depth++;
    *to = clg_tree_make(r->arena, from->kind, from->line, from->column);
    **to = *from;
    (*to)->first = (*to)->next = NULL;
    clg_json **at = &(*to)->first;
    for (const clg_json *child = from->first; child; child = child->next) {
        if (copy(r, child, at) != CLG_OK) return CLG_BAD_INPUT;
        at = &(*at)->next;
    }
    r->depth--;
    return CLG_OK;
}

/* Up to what cannot be in the name of an anchor, an alias or a tag. */
static const char *take_name(clg_yaml_reader *r) {
    const char *start = ++r->at;
    while (r->at < r->end && !strchr(" \t\r\n,[]{}", *r->at)) r->at++;
    return clg_arena_copy(r->arena, start, (size_t)(r->at - start));
}

static clg_status alias(clg_yaml_reader *r, clg_json **node) {
    const char *name = take_name(r);
    for (int i = r->anchors; i-- > 0;) {
        if (strcmp(r->anchor[i].name, name) != 0) continue;
        if (!r->anchor[i].node)
            return clg_yaml_fault(r, "write the value out",
                                  "this alias stands inside its own anchor");
        if (copy(r, r->anchor[i].node, node) != CLG_OK) return CLG_BAD_INPUT;
        (*node)->key = NULL; /* it may stand in a list */
        return CLG_OK;
    }
    return clg_yaml_fault(r, "define it above with &", "this alias has no anchor");
}

/* "&name" and "!tag" before a node; the place of the anchor, -1: none. */
static int properties(clg_yaml_reader *r) {
    int anchor = -1;
    while (r->at < r->end && (*r->at == '&' || *r->at == '!')) {
        bool named = *r->at == '&';
        const char *name = take_name(r);
        if (named && r->anchors < CLG_YAML_ANCHORS) {
            r->anchor[r->anchors].name = name, r->anchor[r->anchors].node = NULL;
            anchor = r->anchors++;
        }
        clg_yaml_spaces(r);
    }
    return anchor;
}

/* "<<": members of a map, or of several, that the map does not have itself. */
static void merge(clg_yaml_reader *r, clg_json *object, clg_json *from) {
    if (from->kind == CLG_JSON_ARRAY) {
        for (clg_json *child = from->first, *after; child; child = after)
            after = child->next, merge(r, object, child);
        return;
    }
    if (from->kind != CLG_JSON_OBJECT) return;
    for (clg_json *child = from->first, *after; child; child = after) {
        after = child->next;
        if (!clg_json_member(object, child->key)) clg_tree_set(r->arena, object, child->key, child);
    }
}

/* ---- flow style ---- */

static clg_status flow(clg_yaml_reader *r, clg_json **node);

static clg_status flow_plain(clg_yaml_reader *r, clg_json **node) {
    *node = clg_yaml_plain(r, 0, true);
    return *node ? CLG_OK : clg_yaml_fault(r, "mend the YAML there", "a value cannot begin so");
}

/* Whether a ':' here ends a key: before a space or a bracket, or right behind a quoted one. */
static bool ends_key(const clg_yaml_reader *r, bool quoted) {
    return r->at < r->end && *r->at == ':' &&
           (quoted || r->at + 1 == r->end || strchr(" \t\r\n,[]{}", r->at[1]));
}

/* "key: value", or a key alone. */
static clg_status flow_pair(clg_yaml_reader *r, clg_json *object, clg_json *key, bool quoted) {
    clg_json *held;
    clg_yaml_blank(r);
    if (ends_key(r, quoted)) {
        r->at++;
        clg_yaml_blank(r);
        if (r->at < r->end && strchr(",]}", *r->at))
            held = clg_tree_make(r->arena, CLG_JSON_NULL, r->line, column(r) + 1);
        else if (flow(r, &held) != CLG_OK)
            return CLG_BAD_INPUT;
    } else
        held = clg_tree_make(r->arena, CLG_JSON_NULL, r->line, column(r) + 1);
    bool plain = key->kind != CLG_JSON_ARRAY && key->kind != CLG_JSON_OBJECT;
    clg_tree_set(r->arena, object, plain ? key->text : "", held);
    return CLG_OK;
}

static clg_status flow_item(clg_yaml_reader *r, clg_json *into, clg_json ***last) {
    clg_json *node;
    bool quoted = *r->at == '"' || *r->at == '\'';
    if (flow(r, &node) != CLG_OK) return CLG_BAD_INPUT;
    clg_yaml_blank(r);
    if (into->kind == CLG_JSON_OBJECT) return flow_pair(r, into, node, quoted);
    if (ends_key(r, quoted)) {
        clg_json *single = clg_tree_make(r->arena, CLG_JSON_OBJECT, node->line, node->column);
        if (flow_pair(r, single, node, quoted) != CLG_OK) return CLG_BAD_INPUT;
        node = single;
    }
    **last = node;
    *last = &node->next;
    into->count++;
    return CLG_OK;
}

static clg_status flow_collection(clg_yaml_reader *r, clg_json **node) {
    char close = *r->at == '[' ? ']' : '}';
    *node = clg_tree_make(r->arena, close == ']' ? CLG_JSON_ARRAY : CLG_JSON_OBJECT, r->line,
                          column(r) + 1);
    clg_json **last = &(*node)->first;
    for (r->at++;;) {
        clg_yaml_blank(r);
        if (r->at >= r->end) return clg_yaml_fault(r, "close it", "a bracket is not closed");
        if (*r->at == close) break;
        if (*r->at == ',') {
            r->at++;
            continue;
        }
        if (flow_item(r, *node, &last) != CLG_OK) return CLG_BAD_INPUT;
        clg_yaml_blank(r);
        if (r->at < r->end && *r->at != ',' && *r->at != close)
            return clg_yaml_fault(r, "mend the YAML there", "did not find expected ',' or bracket");
    }
    r->at++;
    return CLG_OK;
}

static clg_status flow(clg_yaml_reader *r, clg_json **node) {
    if (count(r) != CLG_OK) return CLG_BAD_INPUT;
    if (r->depth >= DEEPEST) return clg_yaml_fault(r, "flatten it", "deeper than 64 levels");
    int anchor = properties(r);
    clg_status status = CLG_OK;
    r->depth++;
    if (r->at < r->end && *r->at == '*')
        status = alias(r, node);
    else if (r->at < r->end && (*r->at == '[' || *r->at == '{'))
        status = flow_collection(r, node);
    else if (r->at < r->end && (*r->at == '"' || *r->at == '\''))
        status = clg_yaml_quoted(r, node);
    else
        status = flow_plain(r, node);
    r->depth--;
    if (anchor >= 0) r->anchor[anchor].node = *node;
    return status;
}

/* ---- block style ---- */

static clg_status block(clg_yaml_reader *r, int least, clg_json **node);

static bool is_dash(const clg_yaml_reader *r) {
    return r->at < r->end && *r->at == '-' && (r->at + 1 == r->end || strchr(" \t\r\n", r->at[1]));
}

/* Past "&name" and "!tag" before a node; only looks. */
static const char *behind_properties(const char *at, const char *end) {
    while (at < end && (*at == '&' || *at == '!')) {
        while (at < end && !strchr(" \t\r\n", *at)) at++;
        while (at < end && (*at == ' ' || *at == '\t')) at++;
    }
    return at;
}

/* Whether the line goes on with "key:"; only looks. */
static bool is_key(const clg_yaml_reader *r) {
    const char *end = r->end, *at = behind_properties(r->at, end);
    char quote = at < end && (*at == '"' || *at == '\'') ? *at : 0;
    if (at < end && strchr("[{#|>@`%", *at)) return false;
    for (at += quote != 0; quote && at < end && *at != '\n' && *at != quote; at++)
        at += *at == '\\' && quote == '"' && at + 1 < end;
    for (at += quote != 0; at < end && *at != '\n'; at++) {
        if (*at == ':' && (at + 1 == end || strchr(" \t\r\n", at[1]))) return true;
        if (*at == '#' && at > r->at && (at[-1] == ' ' || at[-1] == '\t')) return false;
        if (quote && *at != ' ' && *at != '\t') return false;
    }
    return false;
}

/* Whether properties, if any, are all that stands on the rest of the line: then past them, with the
 * place of their anchor (-1: none). Where more follows nothing is taken. */
static bool only_properties(clg_yaml_reader *r, int *anchor) {
    const char *rest = r->at;
    int anchors = r->anchors;
    *anchor = properties(r);
    if (r->at >= r->end || strchr("\r\n#", *r->at)) return true;
    r->at = rest, r->anchors = anchors;
    return false;
}

/* The node in the next lines, behind what stood alone on `line`; nothing: null. */
static clg_status below(clg_yaml_reader *r, int least, int anchor, int line, clg_json **node) {
    clg_status status = CLG_OK;
    clg_yaml_blank(r);
    if (r->at < r->end && column(r) >= least && !clg_yaml_document_end(r))
        status = block(r, least, node);
    else {
        *node = clg_tree_make(r->arena, CLG_JSON_NULL, line, 1);
        status = count(r);
    }
    if (anchor >= 0) r->anchor[anchor].node = *node;
    return status;
}

/* What stands behind "key:" or "-": on this line, or in lines further in than `indent`; a list
 * under a key may stand at the key's own indent. */
static clg_status inner(clg_yaml_reader *r, int indent, bool of_key, clg_json **node) {
    int anchor, line = r->line;
    clg_yaml_spaces(r);
    if (!only_properties(r, &anchor))
        return of_key ? clg_yaml_scalar_or_flow(r, indent, node) : block(r, indent + 1, node);
    clg_yaml_blank(r);
    bool list = of_key && is_dash(r) && column(r) == indent;
    return below(r, list ? indent : indent + 1, anchor, line, node);
}

static clg_status sequence(clg_yaml_reader *r, int indent, clg_json *array) {
    clg_json **last = &array->first;
    while (r->at < r->end && column(r) == indent && is_dash(r) && !clg_yaml_document_end(r)) {
        r->at++;
        if (inner(r, indent, false, last) != CLG_OK) return CLG_BAD_INPUT;
        last = &(*last)->next;
        array->count++;
        clg_yaml_blank(r);
    }
    return CLG_OK;
}

static clg_status key_of(clg_yaml_reader *r, const char **key) {
    clg_json *node;
    properties(r);
    if (*r->at == '"' || *r->at == '\'') {
        if (clg_yaml_quoted(r, &node) != CLG_OK) return CLG_BAD_INPUT;
        *key = node->text;
        clg_yaml_spaces(r);
    } else {
        const char *start = r->at, *stop;
        while (!(*r->at == ':' && (r->at + 1 == r->end || strchr(" \t\r\n", r->at[1])))) r->at++;
        for (stop = r->at; stop > start && (stop[-1] == ' ' || stop[-1] == '\t');) stop--;
        *key = clg_arena_copy(r->arena, start, (size_t)(stop - start));
    }
    r->at++;
    return CLG_OK;
}

static clg_status mapping(clg_yaml_reader *r, int indent, clg_json *object) {
    clg_json *merged = NULL;
    while (r->at < r->end && column(r) == indent && !clg_yaml_document_end(r)) {
        const char *key;
        clg_json *held = NULL;
        if (is_dash(r) || !is_key(r))
            return clg_yaml_fault(r, "mend the YAML there", "could not find expected ':'");
        if (count(r) != CLG_OK || key_of(r, &key) != CLG_OK ||
            inner(r, indent, true, &held) != CLG_OK)
            return CLG_BAD_INPUT;
        if (strcmp(key, "<<") == 0)
            merged = held;
        else
            clg_tree_set(r->arena, object, key, held);
        clg_yaml_blank(r);
    }
    if (merged) merge(r, object, merged);
    return CLG_OK;
}

/* What has no place there: a tab before it is the likely cause, and hard to see. */
static clg_status stray(clg_yaml_reader *r, const char *mend, const char *fault) {
    const char *at = r->line_start;
    while (at < r->end && *at == ' ') at++;
    if (at == r->end || *at != '\t') return clg_yaml_fault(r, mend, fault);
    r->at = at;
    return clg_yaml_fault(r, "write spaces", "a tab indents the line");
}

/* A node whose first character is at the reader's place: its column is the indent. */
static clg_status branch(clg_yaml_reader *r, int least, clg_json **node) {
    int indent = column(r), anchor;
    bool dash = is_dash(r), properties_first = r->at < r->end && (*r->at == '&' || *r->at == '!');
    if (properties_first && only_properties(r, &anchor))
        return below(r, least, anchor, r->line, node);
    if (!dash && !is_key(r)) return clg_yaml_scalar_or_flow(r, least - 1, node);
    *node = clg_tree_make(r->arena, dash ? CLG_JSON_ARRAY : CLG_JSON_OBJECT, r->line, indent + 1);
    if (count(r) != CLG_OK) return CLG_BAD_INPUT;
    clg_status status = dash ? sequence(r, indent, *node) : mapping(r, indent, *node);
    if (status == CLG_OK && r->at < r->end && column(r) > indent)
        return stray(r, "mend its indent", "did not find expected key");
    return status;
}

static clg_status block(clg_yaml_reader *r, int least, clg_json **node) {
    if (r->depth >= DEEPEST) return clg_yaml_fault(r, "flatten it", "deeper than 64 levels");
    r->depth++;
    clg_status status = branch(r, least, node);
    r->depth--;
    return status;
}

clg_status clg_yaml_scalar_or_flow(clg_yaml_reader *r, int indent, clg_json **node) {
    int anchor = properties(r);
    clg_status status;
    if (r->at < r->end && (*r->at == '|' || *r->at == '>'))
        status = clg_yaml_block_scalar(r, indent, node);
    else if (r->at < r->end && strchr("[{\"'*", *r->at))
        status = flow(r, node);
    else {
        *node = clg_yaml_plain(r, indent, false);
        status =
            *node ? count(r)
                  : stray(r, "mend the YAML there", "found character that cannot start any token");
    }
    if (anchor >= 0) r->anchor[anchor].node = *node;
    if (status != CLG_OK || r->at == r->line_start) return status; /* behind a block scalar */
    clg_yaml_spaces(r);
    if (r->at < r->end && !strchr("\r\n#", *r->at) && column(r) > 0)
        return stray(r, "mend the YAML there", "did not find expected key");
    return CLG_OK;
}

clg_status clg_yaml_parse(clg_arena *arena, const char *name, const char *text, size_t size,
                          clg_json **root, clg_error *error) {
    clg_yaml_reader *r = clg_take(arena, 1, clg_yaml_reader);
    *r = (clg_yaml_reader){.arena = arena, .error = error, .name = name, .line = 1};
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3, size -= 3;
    r->at = r->line_start = text, r->end = text + size;
    *root = clg_tree_make(arena, CLG_JSON_OBJECT, 1, 1);
    if (memchr(text, 0, size)) return clg_yaml_fault(r, "save it as text", "zero bytes are in it");
    clg_yaml_blank(r);
    while (r->at < r->end && *r->at == '%' && column(r) == 0) {
        while (r->at < r->end && *r->at != '\n') r->at++;
        clg_yaml_blank(r);
    }
    if (clg_yaml_document_end(r)) {
        r->at += 3;
        clg_yaml_blank(r);
    }
    if (r->error->status != CLG_OK) return r->error->status;
    if (r->at >= r->end || clg_yaml_document_end(r)) return CLG_OK;
    int anchor = properties(r);
    clg_yaml_blank(r);
    if (block(r, 0, root) != CLG_OK) return error->status;
    if (anchor >= 0) r->anchor[anchor].node = *root;
    clg_yaml_blank(r);
    if (r->error->status != CLG_OK) return r->error->status;
    if (r->at < r->end && !clg_yaml_document_end(r))
        return clg_yaml_fault(r, "mend the YAML there", "did not find expected <document start>");
    return CLG_OK;
}
