/* trace_export.c -- runs `nsys export`; its words go nowhere. */
#include "cli/trace_export.h"

#include "base/letters.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char file_name[] = "/report.sqlite";

static bool is_report(const char *path) {
    return clg_ends(path, ".nsys-rep") || clg_ends(path, ".qdrep");
}

static bool run(char *const *arguments) {
    posix_spawn_file_actions_t quiet;
    pid_t child;
    int status = 1;
    if (posix_spawn_file_actions_init(&quiet) != 0) return false;
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    bool ran = posix_spawnp(&child, arguments[0], &quiet, NULL, arguments, environ) == 0 &&
               waitpid(child, &status, 0) == child;
    posix_spawn_file_actions_destroy(&quiet);
    return ran && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

const char *clg_trace_export(clg_arena *arena, const char *path) {
    if (!is_report(path)) return NULL;
    const char *root = getenv("TMPDIR");
    char *folder = clg_arena_print(arena, "%s/ceiling-XXXXXX", root && *root ? root : "/tmp");
    if (!mkdtemp(folder)) return NULL;
    char *made = clg_arena_print(arena, "%s%s", folder, file_name);
    /* A path may begin with a dash, which nsys would take for a flag. */
    char *report = clg_arena_print(arena, "%s%s", path[0] == '-' ? "./" : "", path);
    char *arguments[] = {clg_arena_print(arena, "nsys"),
                         clg_arena_print(arena, "export"),
                         clg_arena_print(arena, "--type=sqlite"),
                         clg_arena_print(arena, "--force-overwrite=true"),
                         clg_arena_print(arena, "--output=%s", made),
                         report,
                         NULL};
    if (run(arguments) && access(made, R_OK) == 0) return made;
    clg_trace_export_end(arena, made);
    return NULL;
}

void clg_trace_export_end(clg_arena *arena, const char *exported) {
    if (!exported) return;
    char *folder = clg_arena_copy(arena, exported, strlen(exported) - (sizeof file_name - 1));
    unlink(exported);
    rmdir(folder);
}
