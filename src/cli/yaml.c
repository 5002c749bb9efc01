/* yaml.c -- libyaml's events into a tree.
 *
 * An alias becomes a copy, so that its nodes can say their own line; copies count against the same
 * bound as nodes, which ends expansions that double at every level. An alias inside its own anchor
 * is a fault. Tags are not followed, but quoted scalars stay strings. */
#include "cli/yaml.h"

#include "job/tree.h"

#include <string.h>

#ifdef __has_include
#if !__has_include(<yaml.h>)
#error "libyaml is not here: apt-get install libyaml-dev (./bootstrap does)"
#endif
#endif
#include <yaml.h>

enum { MOST_NODES = 20000, DEEPEST = 64, MOST_ANCHORS = 256 };

typedef struct reader {
    clg_arena *arena;
    clg_error *error;
    const char *name;
    yaml_parser_t parser;
    yaml_event_t event;
    int nodes, depth, anchors;
    struct {
        char *name;
        const clg_json *node; /* NULL: still open */
    } anchor[MOST_ANCHORS];
} reader;

static clg_status fault(reader *r, size_t line, size_t column, const char *mend, const char *what) {
    clg_error_at(r->error, r->name, (int)line + 1, (int)column + 1, NULL);
    return clg_fail(r->error, CLG_BAD_INPUT, mend, "%s", what);
}

static clg_status fault_here(reader *r, const char *mend, const char *what) {
    return fault(r, r->event.start_mark.line, r->event.start_mark.column, mend, what);
}

static clg_status next(reader *r) {
    yaml_event_delete(&r->event);
    if (yaml_parser_parse(&r->parser, &r->event)) return CLG_OK;
    memset(&r->event, 0, sizeof r->event);
    return fault(r, r->parser.problem_mark.line, r->parser.problem_mark.column,
                 "mend the YAML there", r->parser.problem ? r->parser.problem : "this is no YAML");
}

static clg_status count(reader *r) {
    if (++r->nodes <= MOST_NODES) return CLG_OK;
    return fault_here(r, "write out what aliases stand for", "this makes more than 20,000 values");
}

static int line(const reader *r) { return (int)r->event.start_mark.line + 1; }
static int column(const reader *r) { return (int)r->event.start_mark.column + 1; }

static clg_status copy(reader *r, const clg_json *from, clg_json **to) {
    if (count(r) != CLG_OK) return CLG_BAD_INPUT;
    if (r->depth >= DEEPEST)
        return fault_here(r, "write out what aliases stand for", "deeper than 64 levels");
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

static clg_status alias(reader *r, clg_json **node) {
    const char *name = (const char *)r->event.data.alias.anchor;
    for (int i = r->anchors; i-- > 0;) {
        if (strcmp(r->anchor[i].name, name) != 0) continue;
        if (!r->anchor[i].node)
            return fault_here(r, "write the value out", "this alias stands inside its own anchor");
        return copy(r, r->anchor[i].node, node);
    }
    return fault_here(r, "define it above with &", "this alias has no anchor");
}

/* -1: no anchor. */
static int open_anchor(reader *r, const yaml_char_t *name) {
    if (!name || r->anchors == MOST_ANCHORS) return -1;
    const char *word = (const char *)name;
    r->anchor[r->anchors].name = clg_arena_copy(r->arena, word, strlen(word));
    r->anchor[r->anchors].node = NULL;
    return r->anchors++;
}

static clg_status value(reader *r, clg_json **node);

static clg_status sequence(reader *r, clg_json *array) {
    clg_json **at = &array->first;
    while (next(r) == CLG_OK && r->event.type != YAML_SEQUENCE_END_EVENT) {
        if (value(r, at) != CLG_OK) return CLG_BAD_INPUT;
        at = &(*at)->next;
        array->count++;
    }
    return r->error->status;
}

/* "<<": members of a map, or of several, that the map does not have itself. */
static void merge(reader *r, clg_json *object, clg_json *from) {
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

static clg_status mapping(reader *r, clg_json *object) {
    clg_json *merged = NULL;
    while (next(r) == CLG_OK && r->event.type != YAML_MAPPING_END_EVENT) {
        clg_json *key, *held = NULL;
        if (value(r, &key) != CLG_OK) return CLG_BAD_INPUT;
        const char *word =
            key->kind == CLG_JSON_ARRAY || key->kind == CLG_JSON_OBJECT ? "" : key->text;
        if (next(r) != CLG_OK || value(r, &held) != CLG_OK) return CLG_BAD_INPUT;
        if (strcmp(word, "<<") == 0)
            merged = held;
        else
            clg_tree_set(r->arena, object, word, held);
    }
    if (merged) merge(r, object, merged);
    return r->error->status;
}

static clg_json *scalar(reader *r) {
    const char *text = (const char *)r->event.data.scalar.value;
    size_t size = r->event.data.scalar.length;
    return r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE
               ? clg_tree_scalar(r->arena, text, size, line(r), column(r))
               : clg_tree_string(r->arena, text, size, line(r), column(r));
}

static clg_status branch(reader *r, clg_json **node) {
    bool map = r->event.type == YAML_MAPPING_START_EVENT;
    int anchor = open_anchor(r, map ? r->event.data.mapping_start.anchor
                                    : r->event.data.sequence_start.anchor);
    if (++r->depth > DEEPEST) return fault_here(r, "flatten it", "deeper than 64 levels");
    *node = clg_tree_make(r->arena, map ? CLG_JSON_OBJECT : CLG_JSON_ARRAY, line(r), column(r));
    clg_status status = map ? mapping(r, *node) : sequence(r, *node);
    r->depth--;
    if (anchor >= 0) r->anchor[anchor].node = *node;
    return status;
}

static clg_status value(reader *r, clg_json **node) {
    if (count(r) != CLG_OK) return CLG_BAD_INPUT;
    if (r->event.type == YAML_ALIAS_EVENT) return alias(r, node);
    if (r->event.type != YAML_SCALAR_EVENT) return branch(r, node);
    int anchor = open_anchor(r, r->event.data.scalar.anchor);
    *node = scalar(r);
    if (anchor >= 0) r->anchor[anchor].node = *node;
    return CLG_OK;
}

static clg_status document(reader *r, clg_json **root) {
    *root = clg_tree_make(r->arena, CLG_JSON_OBJECT, 1, 1);
    while (next(r) == CLG_OK && r->event.type != YAML_STREAM_END_EVENT)
        if (r->event.type == YAML_DOCUMENT_START_EVENT)
            return next(r) == CLG_OK ? value(r, root) : CLG_BAD_INPUT;
    return r->error->status;
}

clg_status clg_yaml_parse(clg_arena *arena, const char *name, const char *text, size_t size,
                          clg_json **root, clg_error *error) {
    reader *r = clg_take(arena, 1, reader);
    r->arena = arena, r->error = error, r->name = name;
    if (!yaml_parser_initialize(&r->parser))
        return clg_fail(error, CLG_BAD_INPUT, "free some", "no memory for reading YAML");
    yaml_parser_set_input_string(&r->parser, (const unsigned char *)text, size);
    clg_status status = document(r, root);
    yaml_event_delete(&r->event);
    yaml_parser_delete(&r->parser);
    return status;
}
