/* yaml_reader.h -- internal to job/: a place in a YAML text, and its scalars (yaml_scalar.c). */
#ifndef CLG_JOB_YAML_READER_H
#define CLG_JOB_YAML_READER_H

#include "job/tree.h"

enum { CLG_YAML_ANCHORS = 256 };

typedef struct clg_yaml_reader {
    clg_arena *arena;
    clg_error *error;
    const char *name;
    const char *at, *end, *line_start;
    int line;
    int nodes, depth, anchors;
    struct {
        const char *name;
        const clg_json *node; /* NULL: still open */
    } anchor[CLG_YAML_ANCHORS];
} clg_yaml_reader;

clg_status clg_yaml_fault(clg_yaml_reader *reader, const char *mend, const char *what);

/* Past spaces and tabs of the line; past lines that are empty or comments as well. */
void clg_yaml_spaces(clg_yaml_reader *reader);
void clg_yaml_blank(clg_yaml_reader *reader);
/* At "---" or "..." of a line's own. */
bool clg_yaml_document_end(const clg_yaml_reader *reader);

/* Without quotes: lines further in than `indent` go on with it, in flow any. NULL: nothing may
 * begin so. */
clg_json *clg_yaml_plain(clg_yaml_reader *reader, int indent, bool in_flow);
clg_status clg_yaml_quoted(clg_yaml_reader *reader, clg_json **node);
/* "|" and ">" with what stands behind them. */
clg_status clg_yaml_block_scalar(clg_yaml_reader *reader, int indent, clg_json **node);

/* What stands behind a key, on its line: any scalar, an alias, or flow style. */
clg_status clg_yaml_scalar_or_flow(clg_yaml_reader *reader, int indent, clg_json **node);

#endif
