/* json.h -- the one JSON reader.
 *
 * Two faces on one scanner. The pull scanner walks a text token by token, allocates nothing and
 * reads gigabyte traces; the tree is built from it for configs, data files and requests. Numbers
 * keep their text (integers exact to 64 bits, doubles by a locale-free conversion). Depth is
 * bounded (CLG_JSON_DEPTH), memory by the size of the text. A tree notes what its readers look up,
 * so it is one thread's, until clg_json_share. Strict RFC 8259: NaN, comments and trailing commas
 * are errors with a position. */
#ifndef CLG_BASE_JSON_H
#define CLG_BASE_JSON_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLG_JSON_DEPTH = 128 };

typedef enum clg_json_kind {
    CLG_JSON_NULL,
    CLG_JSON_BOOL,
    CLG_JSON_NUMBER,
    CLG_JSON_STRING,
    CLG_JSON_ARRAY,
    CLG_JSON_OBJECT
} clg_json_kind;

/* A node of the tree. Members and elements are a linked list in file order. */
typedef struct clg_json clg_json;
struct clg_json {
    clg_json_kind kind;
    bool truth;       /* CLG_JSON_BOOL */
    double number;    /* CLG_JSON_NUMBER */
    const char *text; /* decoded string (UTF-8, NUL-terminated), or the number as written */
    size_t text_size; /* bytes in text; a string may hold NUL */
    const char *key;  /* member name when the parent is an object, else NULL */
    clg_json *first;  /* first child */
    clg_json *next;   /* next sibling */
    size_t count;     /* children */
    int line, column; /* where the value starts, from 1 */
    /* What readers did with it, see clg_json_unread; NULL: nobody notes it. */
    unsigned char *seen;
};

/* Parses exactly one value. On failure fills error (file is `name`, line, column) and leaves *root
 * untouched. Duplicate keys in one object are an error. */
clg_status clg_json_parse(clg_arena *arena, const char *name, const char *text, size_t size,
                          clg_json **root, clg_error *error);

/* The member called key, or NULL (also when node is NULL or no object). */
const clg_json *clg_json_member(const clg_json *node, const char *key);

/* The first member of an object whose names the reader goes through by itself; NULL: none. */
const clg_json *clg_json_entries(const clg_json *object);

/* A member that no reader looked up, of an object that one looked into; NULL: none. What is for
 * people (name, title, date, source, notes, released, unit, kind) is not missed. */
const clg_json *clg_json_unread(const clg_json *root);

/* Nothing is noted of the tree any more: any number of threads may read it, and none of its members
 * is unread. */
void clg_json_share(clg_json *root);

/* The text of a member that is a string; `otherwise` of any other, or none. */
const char *clg_json_text(const clg_json *object, const char *key, const char *otherwise);

/* Typed access; `fallback`, 0 or false when the member is absent or null. A member of another kind
 * is a CLG_BAD_INPUT naming file, line, column and field. */
clg_status clg_json_number(const clg_json *object, const char *key, double *out, const char *file,
                           clg_error *error);
clg_status clg_json_integer(const clg_json *object, const char *key, int64_t fallback, int64_t *out,
                            const char *file, clg_error *error);
clg_status clg_json_bool(const clg_json *object, const char *key, bool *out, const char *file,
                         clg_error *error);
clg_status clg_json_string(const clg_json *object, const char *key, const char *fallback,
                           const char **out, const char *file, clg_error *error);

#endif
