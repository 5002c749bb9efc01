/* notebook.c -- the code of a Jupyter notebook (nbformat 4) as Python at the notebook's lines.
 * Commands ("!", "%") and what cells printed are left out. */
#include "base/letters.h"
#include "base/text.h"
#include "job/reading.h"

#include <string.h>

bool clg_is_notebook(const char *name) { return clg_ends(name, ".ipynb"); }

/* A line of a cell, below as many line ends as bring it to its place. */
static void add_line(clg_text *out, int *line, const clg_json *source) {
    while (*line < source->line) {
        clg_text_add(out, "\n", 1);
        ++*line;
    }
    bool command = *source->text == '!' || *source->text == '%';
    for (const char *at = source->text; *at; at++) {
        if (!command || *at == '\n') clg_text_add(out, at, 1);
        *line += *at == '\n';
    }
}

clg_job_file clg_notebook_code(clg_arena *arena, const clg_job_file *notebook) {
    clg_json *root;
    clg_error none = {0};
    clg_text out = {.arena = arena};
    int line = 1;
    if (clg_json_parse(arena, notebook->name, notebook->text, notebook->size, &root, &none) !=
        CLG_OK)
        return *notebook;
    const clg_json *cells = clg_json_member(root, "cells");
    for (const clg_json *cell = cells ? cells->first : NULL; cell; cell = cell->next) {
        const clg_json *source = clg_json_member(cell, "source");
        if (strcmp(clg_json_text(cell, "cell_type", ""), "code") != 0 || !source) continue;
        if (source->kind == CLG_JSON_STRING) add_line(&out, &line, source);
        for (const clg_json *one = source->first; one; one = one->next)
            if (one->kind == CLG_JSON_STRING) add_line(&out, &line, one);
        clg_text_add(&out, "\n", 1);
        line++;
    }
    return (clg_job_file){notebook->name, out.data ? out.data : "", out.size};
}
