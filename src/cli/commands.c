/* commands.c -- the list of subcommands. */
#include "cli/command.h"

#include "base/name.h"

#include <stdio.h>
#include <string.h>

#define COMMANDS(X)                                                                                \
    X(plan)                                                                                        \
    X(explain)                                                                                     \
    X(scale)                                                                                       \
    X(size)                                                                                        \
    X(improve)                                                                                     \
    X(diagnose)                                                                                    \
    X(collective)                                                                                  \
    X(expect)                                                                                      \
    X(portfolio)                                                                                   \
    X(read)                                                                                        \
    X(show)                                                                                        \
    X(validate)                                                                                    \
    X(trace)                                                                                       \
    X(demand)                                                                                      \
    X(serve)                                                                                       \
    X(schema)                                                                                      \
    X(web)                                                                                         \
    X(params)                                                                                      \
    X(fit)                                                                                         \
    X(check)                                                                                       \
    X(help)                                                                                        \
    X(version)                                                                                     \
    X(man)                                                                                         \
    X(completion)

#define DECLARE(name) extern const clg_command clg_command_##name;
COMMANDS(DECLARE)

#define ADDRESS(name) &clg_command_##name,
static const clg_command *const commands[] = {COMMANDS(ADDRESS) NULL};

const clg_command *const *clg_commands(void) { return commands; }

const clg_command *clg_command_find(const char *name, clg_error *error) {
    const char *names[64];
    int count = 0;
    for (; commands[count]; count++) {
        if (strcmp(commands[count]->name, name) == 0) return commands[count];
        names[count] = commands[count]->name;
    }
    const char *nearest = clg_name_nearest(names, count, name);
    char mend[96];
    snprintf(mend, sizeof mend, nearest ? "did you mean '%s'?" : "see 'ceiling help'%s",
             nearest ? nearest : "");
    clg_fail(error, CLG_BAD_USAGE, mend, "there is no command '%.64s'", name);
    return NULL;
}

bool clg_command_takes(const clg_command *command, clg_param param) {
    if (command->groups & (1u << clg_param_row_of(param).group)) return true;
    for (const clg_param *knob = command->knobs; knob && *knob != CLG_PARAMS; knob++)
        if (*knob == param) return true;
    return false;
}

bool clg_session_has(const clg_session *session, clg_param param) {
    return session->request.value[param] != NULL;
}
