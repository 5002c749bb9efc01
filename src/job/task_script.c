/* task_script.c -- a SkyPilot task as the script that it runs, at the task's lines.
 *
 * What it asks of the machine stands as Slurm's header does, its variables as assignments, `run` as
 * commands; all else is empty lines. Left out: `setup`, and machines to choose among but the first.
 */
#include "base/letters.h"
#include "base/text.h"
#include "job/reading.h"

#include <string.h>

static const char marker[] = "#!task"; /* its first line, by which it is known afterwards */

static bool key_is(const char *at, const char *end, const char *key) {
    size_t size = strlen(key);
    return (size_t)(end - at) > size && memcmp(at, key, size) == 0 && at[size] == ':';
}

static const char *end_of(const char *at, const char *end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    return stop ? stop : end;
}

static bool has_key(const clg_job_file *file, const char *key) {
    const char *end = file->text + file->size;
    for (const char *at = file->text; at < end; at = end_of(at, end) + 1)
        if (key_is(at, end, key)) return true;
    return false;
}

bool clg_is_task(const clg_job_file *file) {
    if (!clg_ends(file->name, ".yaml") && !clg_ends(file->name, ".yml")) return false;
    return has_key(file, "run") && has_key(file, "resources");
}

bool clg_was_task(const clg_job_file *file) {
    return file->size >= sizeof marker - 1 && memcmp(file->text, marker, sizeof marker - 1) == 0;
}

/* "KEY: value  # why" as the two; false where there is no value. */
static bool pair(clg_arena *arena, const char *at, const char *end, const char **key,
                 const char **value) {
    const char *colon = memchr(at, ':', (size_t)(end - at));
    if (!colon || colon == at) return false;
    *key = clg_arena_copy(arena, at, (size_t)(colon - at));
    for (const char *c = *key; *c; c++)
        if (!clg_in_name(*c)) return false;
    for (at = colon + 1; at < end && strchr(" \t\"'", *at);) at++;
    for (const char *mark = at; mark + 1 < end; mark++)
        if (mark[0] == ' ' && mark[1] == '#') end = mark;
    while (end > at && strchr(" \t\r\"'", end[-1])) end--;
    *value = clg_arena_copy(arena, at, (size_t)(end - at));
    return end > at && !strpbrk(*value, "'\"$`");
}

/* "{A100:8, H100:8}", "H200": the first, with its count. SkyPilot calls the larger A100 so. */
static const char *accelerators(clg_arena *arena, const char *value) {
    clg_text out = {.arena = arena};
    for (value += strspn(value, "{[ "); *value && !strchr(",}]", *value); value++)
        if (!strchr(" \"'", *value)) clg_text_add(&out, value, 1);
    const char *one = out.data ? clg_arena_copy(arena, out.data, out.size) : "";
    const char *colon = strchr(one, ':');
    size_t name = colon ? (size_t)(colon - one) : strlen(one);
    bool small = name == 4 && memcmp(one, "A100", 4) == 0;
    return clg_arena_print(arena, "%.*s%s%s", (int)name, one, small ? "-40GB" : "",
                           colon ? colon : ":1");
}

/* A line that is none of `run`; "" where the script has none of it. */
static const char *said(clg_arena *arena, const char *section, const char *at, const char *end,
                        bool one_node) {
    const char *key, *value;
    bool top = at < end && *at != ' ';
    while (at < end && *at == ' ') at++;
    if (top && one_node && strcmp(section, "resources") == 0) return "#SBATCH --nodes=1";
    if (!pair(arena, at, end, &key, &value)) return "";
    if (top && strcmp(key, "num_nodes") == 0)
        return clg_arena_print(arena, "#SBATCH --nodes=%s", value);
    if (!top && strcmp(section, "resources") == 0 && strcmp(key, "accelerators") == 0)
        return clg_arena_print(arena, "#SBATCH --gpus-per-node=%s", accelerators(arena, value));
    if (!top && strcmp(section, "envs") == 0) return clg_arena_print(arena, "%s='%s'", key, value);
    return "";
}

/* A command as it stands under `run`, or behind it. */
static void add_command(clg_text *out, const char *at, const char *end, bool first) {
    if (first) at += strlen("run:");
    while (at < end && *at == ' ') at++;
    if (!first || (at < end && !strchr("|>\"'&\r", *at))) clg_text_add(out, at, (size_t)(end - at));
}

clg_job_file clg_task_script(clg_arena *arena, const clg_job_file *task) {
    clg_text out = {.arena = arena};
    const char *at = task->text, *end = at + task->size, *held = "", *section = "";
    bool one_node = !has_key(task, "num_nodes");
    for (bool first = true; at < end; first = false) {
        const char *stop = end_of(at, end);
        bool top = at < stop && (clg_is_letter(*at) || *at == '_');
        const char *colon = top ? memchr(at, ':', (size_t)(stop - at)) : NULL;
        if (colon) section = clg_arena_copy(arena, at, (size_t)(colon - at));
        bool runs = strcmp(section, "run") == 0;
        const char *line = runs ? "" : said(arena, section, at, stop, one_node);
        if (first) {
            clg_text_print(&out, "%s", marker);
            held = line;
        } else if (runs) {
            add_command(&out, at, stop, colon != NULL);
        } else {
            clg_text_print(&out, "%s", *line ? line : held);
            if (!*line) held = "";
        }
        if (stop < end) clg_text_add(&out, "\n", 1);
        at = stop < end ? stop + 1 : end;
    }
    if (*held) clg_text_print(&out, "\n%s\n", held);
    return (clg_job_file){task->name, out.data ? out.data : "", out.size};
}
