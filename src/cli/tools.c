/* tools.c -- commands.def at the command line. */
#include "cli/asked.h"
#include "cli/tool.h"

#include "base/name.h"

#include <stdio.h>
#include <string.h>

#define ASKED(name) extern const clg_command clg_command_##name;
#define READ(name) extern const clg_tool clg_tool_##name;
#define LOCAL(name) READ(name)
#include "api/commands.def"

#define ASKED(name) &(const clg_tool){&clg_command_##name, clg_asked_run, NULL},
#define READ(name) &clg_tool_##name,
#define LOCAL(name) READ(name)
static const clg_tool *const tools[] = {
#include "api/commands.def"
    NULL};

const clg_tool *const *clg_tools(void) { return tools; }

const clg_tool *clg_tool_find(const char *name, clg_error *error) {
    const char *names[64];
    int count = 0;
    for (; tools[count]; count++) {
        if (strcmp(tools[count]->about->name, name) == 0) return tools[count];
        names[count] = tools[count]->about->name;
    }
    const char *nearest = clg_name_nearest(names, count, name);
    char mend[96];
    snprintf(mend, sizeof mend, nearest ? "did you mean '%s'?" : "see 'ceiling help'%s",
             nearest ? nearest : "");
    clg_arena arena = {0};
    const char *word = clg_command_instead(&arena, name);
    clg_fail(error, CLG_BAD_USAGE, word ? word : mend, "there is no command '%.64s'", name);
    clg_arena_clear(&arena);
    return NULL;
}

bool clg_session_has(const clg_session *session, clg_param param) {
    return session->request.value[param] != NULL;
}
