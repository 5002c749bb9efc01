/* slurm.c -- what a script's header asks of Slurm or PBS, and what Slurm sets in the job's
 * environment. */
#include "job/reading.h"

#include <stdlib.h>
#include <string.h>

/* A copy: a node is in one object at a time. */
void clg_job_set_once(clg_reading *r, clg_json *object, const char *key, const clg_json *value) {
    if (clg_tree_find(object, key)) return;
    clg_json *copy = clg_tree_make(r->arena, value->kind, value->line, value->column);
    *copy = *value;
    clg_tree_set(r->arena, object, key, copy);
}

static const char *long_name(const char *flag, size_t size) {
    static const char *const names[][2] = {
        {"N", "nodes"}, {"n", "ntasks"}, {"G", "gpus"}, {"C", "constraint"}, {"p", "partition"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (size == 1 && flag[0] == names[i][0][0]) return names[i][1];
    return NULL;
}

/* "--nodes=4", "-N 4"; returns what stands behind it. */
static const char *slurm_option(clg_reading *r, clg_json *slurm, const char *at, const char *end,
                                int line, int file) {
    while (at < end && *at == '-') at++;
    const char *key = at;
    while (at < end && !strchr("= \t\r", *at)) at++;
    size_t size = (size_t)(at - key);
    while (at < end && strchr("= \t", *at)) at++;
    const char *value = at;
    if (at < end && *at == '-') value = at = at - 1; /* a switch: the next option follows */
    while (at < end && !strchr(" \t\r#", *at)) at++;
    const char *full = long_name(key, size);
    clg_json *node = clg_tree_scalar(r->arena, value, (size_t)(at - value), line, file);
    clg_job_set_once(r, slurm, full ? full : clg_arena_copy(r->arena, key, size), node);
    return at;
}

/* "#SBATCH --nodes=4 --exclusive" */
static void slurm_line(clg_reading *r, clg_json *slurm, const char *at, const char *end, int line,
                       int file) {
    while (at < end) {
        while (at < end && (*at == ' ' || *at == '\t')) at++;
        if (at < end && *at == '<') { /* a template's "<SLURM OPTIONS> --nodes=8" */
            while (at < end && *at != '>') at++;
            at += at < end;
            continue;
        }
        if (at >= end || *at != '-') return;
        at = slurm_option(r, slurm, at, end, line, file);
    }
}

/* "#PBS -l select=4:ngpus=8", and the older "nodes=4:ppn=8" */
static void pbs_line(clg_reading *r, clg_json *header, const char *at, const char *end, int line,
                     int file) {
    static const char *const names[][2] = {
        {"select=", "nodes"}, {"nodes=", "nodes"}, {"ngpus=", "gpus-per-node"}};
    const char *text = clg_arena_copy(r->arena, at, (size_t)(end - at));
    for (size_t i = 0; i < sizeof names / sizeof names[0] && strstr(text, "-l "); i++) {
        const char *found = strstr(text, names[i][0]);
        const char *value = found ? found + strlen(names[i][0]) : "";
        size_t size = strspn(value, "0123456789");
        if (size > 0)
            clg_job_set_once(r, header, names[i][1],
                             clg_tree_scalar(r->arena, value, size, line, file));
    }
}

void clg_slurm_header(clg_reading *r, clg_json *into, const char *text, size_t size, int which,
                      int line) {
    const char *at = text, *end = at + size;
    for (; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        if (stop - at > 8 && memcmp(at, "#SBATCH", 7) == 0)
            slurm_line(r, into, at + 7, stop, line, which + 1);
        if (stop - at > 5 && memcmp(at, "#PBS", 4) == 0)
            pbs_line(r, into, at + 4, stop, line, which + 1);
        at = stop < end ? stop + 1 : end;
    }
}

/* GPUs of a node in "gpu:a100:8", "gpu:8", "8", "a100:8"; kind: what stands before the count. */
static double gres(const char *text, const char **kind, clg_arena *arena) {
    const char *at = strncmp(text, "gpu:", 4) == 0 ? text + 4 : text;
    const char *colon = strrchr(at, ':');
    if (colon) *kind = clg_arena_copy(arena, at, (size_t)(colon - at));
    return atof(colon ? colon + 1 : at);
}

static void name_variable(clg_shell *s, const char *name, const char *value) {
    clg_rich word = {0};
    clg_rich_add(s, &word, value, strlen(value), 0);
    clg_shell_set(s, name, strlen(name), &word, 1, false);
}

/* What Slurm and SkyPilot set in a job's environment, from its header. */
void clg_slurm_environment(clg_reading *r, clg_shell *s, const clg_json *header) {
    const clg_json *nodes = clg_tree_find(header, "nodes");
    const clg_json *per_node = clg_tree_find(header, "gpus-per-node");
    const clg_json *tasks = clg_tree_find(header, "ntasks");
    const clg_json *tasks_per_node = clg_tree_find(header, "ntasks-per-node");
    if (!per_node) per_node = clg_tree_find(header, "gres");
    if (nodes) {
        name_variable(s, "SLURM_NNODES", nodes->text);
        name_variable(s, "SLURM_JOB_NUM_NODES", nodes->text);
        name_variable(s, "SKYPILOT_NUM_NODES", nodes->text);
        name_variable(s, "SKYPILOT_NODE_RANK", "0");
    }
    if (tasks_per_node) name_variable(s, "SLURM_NTASKS_PER_NODE", tasks_per_node->text);
    if (tasks)
        name_variable(s, "SLURM_NTASKS", tasks->text);
    else if (nodes && tasks_per_node) {
        const char *all = clg_arena_print(r->arena, "%.0f", nodes->number * tasks_per_node->number);
        name_variable(s, "SLURM_NTASKS", all);
        name_variable(s, "SLURM_NPROCS", all);
    }
    if (!per_node) return;
    const char *kind = NULL;
    double gpus = gres(per_node->text, &kind, r->arena);
    if (gpus >= 1) {
        const char *count = clg_arena_print(r->arena, "%.0f", gpus);
        name_variable(s, "SLURM_GPUS_PER_NODE", count);
        name_variable(s, "SLURM_GPUS_ON_NODE", count);
        name_variable(s, "SKYPILOT_NUM_GPUS_PER_NODE", count);
    }
}
