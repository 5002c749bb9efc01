/* sacct_json.c -- `sacct --json`, made into the columns of `sacct -P`.
 *
 * Members as mila-iqia/SARC reads them (sarc/jobs/sacct.py): times in seconds since 1970, limits in
 * minutes; newer Slurm wraps numbers that may be infinite in an object. Steps are left out, as
 * their jobs are there. */
#include "portfolio/table.h"

#include "base/json.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* A number as it is written; "" where there is none, or it is not set. */
static const char *number_of(const clg_json *node) {
    if (node && node->kind == CLG_JSON_OBJECT) {
        const clg_json *set = clg_json_member(node, "set");
        node = set && !set->truth ? NULL : clg_json_member(node, "number");
    }
    return node && node->kind == CLG_JSON_NUMBER ? node->text : "";
}

/* Its end less what it took: "start" is not always when a job started, says SARC. Of one that was
 * suspended it errs late. */
static const char *start_of(clg_arena *arena, const clg_json *time) {
    double end_s = strtod(number_of(clg_json_member(time, "end")), NULL);
    double elapsed_s = strtod(number_of(clg_json_member(time, "elapsed")), NULL);
    bool known = elapsed_s > 0 && end_s > elapsed_s && end_s < 1e12;
    return known ? clg_arena_print(arena, "%.0f", end_s - elapsed_s)
                 : number_of(clg_json_member(time, "start"));
}

static double count_of(const clg_json *record) {
    const clg_json *count = clg_json_member(record, "count");
    return count && count->kind == CLG_JSON_NUMBER ? count->number : 0;
}

static bool says(const clg_json *record, const char *key, const char *word, size_t size) {
    const clg_json *text = clg_json_member(record, key);
    return text && text->kind == CLG_JSON_STRING && strncmp(text->text, word, size) == 0;
}

/* The total, or the sum of kinds; 0: none. */
static double gpus_in(const clg_json *records) {
    double kinds = 0;
    if (!records || records->kind != CLG_JSON_ARRAY) return 0;
    for (const clg_json *r = records->first; r; r = r->next) {
        if (!says(r, "type", "gres", sizeof "gres")) continue;
        if (says(r, "name", "gpu", sizeof "gpu")) return count_of(r);
        if (says(r, "name", "gpu:", strlen("gpu:"))) kinds += count_of(r);
    }
    return kinds;
}

static void add_gpus(clg_text *out, const clg_json *job) {
    const clg_json *tres = clg_json_member(job, "tres");
    double gpus = gpus_in(clg_json_member(tres, "allocated"));
    if (gpus <= 0) gpus = gpus_in(clg_json_member(tres, "requested"));
    clg_text_print(out, ",gres/gpu=%.0f\n", gpus);
}

static void add_job(clg_text *out, const clg_json *job) {
    static const char *const times[] = {"submission", "eligible", "start",
                                        "end",        "elapsed",  "limit"};
    const clg_json *name = clg_json_member(job, "name"), *time = clg_json_member(job, "time");
    clg_csv_add(out, number_of(clg_json_member(job, "job_id")));
    clg_text_add(out, ",", 1);
    clg_csv_add(out, name && name->kind == CLG_JSON_STRING ? name->text : "");
    clg_text_add(out, ",", 1);
    clg_csv_add(out, number_of(clg_json_member(job, "priority")));
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        clg_text_add(out, ",", 1);
        bool start = strcmp(times[i], "start") == 0;
        clg_csv_add(out, start ? start_of(out->arena, time)
                               : number_of(clg_json_member(time, times[i])));
    }
    add_gpus(out, job);
}

bool clg_sacct_json_is(const char *text, size_t size) {
    size_t blank = 0;
    while (blank < size && text[blank] && strchr(" \t\r\n", text[blank])) blank++;
    return blank < size && text[blank] == '{';
}

clg_status clg_sacct_json_read(clg_arena *arena, const char *name, const char *text, size_t size,
                               clg_csv *csv, clg_error *error) {
    clg_json *root;
    clg_text rows = {.arena = arena};
    if (clg_json_parse(arena, name, text, size, &root, error) != CLG_OK) return error->status;
    const clg_json *jobs = clg_json_member(root, "jobs");
    if (!jobs || jobs->kind != CLG_JSON_ARRAY) {
        clg_error_at(error, name, root->line, root->column, NULL);
        return clg_fail(error, CLG_BAD_INPUT, "write it with sacct --json, or sacct -P",
                        "it has no list \"jobs\"");
    }
    clg_text_print(&rows,
                   "JobID,JobName,Priority,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,"
                   "AllocTRES\n");
    for (const clg_json *job = jobs->first; job; job = job->next) add_job(&rows, job);
    return clg_csv_parse(arena, name, rows.data, rows.size, csv, error);
}
