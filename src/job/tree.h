/* tree.h -- internal to job/: every file becomes a tree of keys, whatever it was written in.
 *
 * The tree is that of base/json.h: it has kinds, lines and columns. Keys are looked up by dotted
 * path, '-' and '_' being one; a member whose own name has dots ("training.seq_len") is found too.
 */
#ifndef CLG_JOB_TREE_H
#define CLG_JOB_TREE_H

#include "base/json.h"

/* In a text: what only running would tell. */
#define CLG_TREE_UNKNOWN '\x01'
/* The same of a variable that nothing sets: empty where a script tests it. */
#define CLG_TREE_UNSET '\x02'

clg_json *clg_tree_make(clg_arena *arena, clg_json_kind kind, int line, int column);

/* A scalar as written without quotes: null, switch, number or string. */
clg_json *clg_tree_scalar(clg_arena *arena, const char *text, size_t size, int line, int column);
clg_json *clg_tree_string(clg_arena *arena, const char *text, size_t size, int line, int column);

/* Adds a member, or puts it in the place of the one of that name. */
void clg_tree_set(clg_arena *arena, clg_json *object, const char *key, clg_json *value);
void clg_tree_append(clg_json *array, clg_json *value);

/* A text that stood in another one was read as if it began at line 1. */
void clg_tree_shift_lines(clg_json *node, int by);

/* The value at a path; NULL: none. "**.name": the first so called, wherever. */
const clg_json *clg_tree_find(const clg_json *root, const char *path);

/* Whether a text, or that of a node, holds what only running would tell. */
bool clg_tree_unknown(const clg_json *node);
bool clg_tree_unknown_text(const char *text);

/* Reads TOML 1.0 but for dates (kept as strings). */
clg_status clg_toml_parse(clg_arena *arena, const char *name, const char *text, size_t size,
                          clg_json **root, clg_error *error);

#endif
