/* page.h -- the page of `make web`, written by commands: as it is, or opened on an answer. */
#ifndef CLG_CLI_PAGE_H
#define CLG_CLI_PAGE_H

#include "cli/tool.h"

/* The page's text, from beside the program or from where it is installed. */
clg_status clg_page_read(clg_arena *arena, const char **text, size_t *size, clg_error *error);

/* Before the work of a command: whether what -o asks for can be had. Nothing without -o. */
clg_status clg_page_check(const clg_session *session, clg_error *error);

/* After it: writes the page opened on this answer, which is what `command --json` prints. What the
 * command printed stands in it too, and a picture (NULL: none), for readers without scripts and on
 * paper. Nothing without -o. */
clg_status clg_page_report(clg_session *session, const clg_text *answer, const clg_text *picture,
                           clg_error *error);

/* Whether --out names a page; with --launch it may name a directory. */
bool clg_page_asked(const clg_session *session);

#endif
