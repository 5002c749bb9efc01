/* joblist.c -- a list of jobs as people write it. */
#include "portfolio/joblist.h"

#include "base/csv.h"
#include "base/letters.h"
#include "base/name.h"
#include "portfolio/export.h"
#include "portfolio/quotas.h"
#include "portfolio/table.h"
#include "units/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double HOUR_S = 3600, YEAR_S = 365 * 86400;

enum {
    NAME,
    MODEL,
    TOKENS,
    STEPS,
    GPU_HOURS,
    ARRIVAL,
    DEADLINE,
    EVERY,
    PRIORITY,
    LEAST,
    MOST,
    GPUS,
    SEQ,
    BATCH,
    TEAM,
    QUOTA,
    COLUMNS
};
static const char *const columns[COLUMNS] = {
    "name",       "model",        "tokens",   "steps",     "gpu_hours", "arrival_h",
    "deadline_h", "every_h",      "priority", "min_gpus",  "max_gpus",  "gpus",
    "seq",        "global_batch", "team",     "quota_gpus"};

/* One row, and where its cells are. */
typedef struct reader {
    const clg_csv *csv;
    int at[COLUMNS], row; /* at: the column, -1 where there is none */
    clg_error *error;
} reader;

static const char *cell(const reader *r, int column) {
    return r->at[column] < 0 ? "" : r->csv->row[r->row].field[r->at[column]];
}

static clg_status fault(const reader *r, int column, const char *mend, const char *message) {
    int at = column < 0 ? 0 : r->at[column] < 0 ? 0 : r->at[column];
    clg_error_at(r->error, r->csv->name, r->csv->row[r->row].line, at + 1,
                 column < 0 ? NULL : columns[column]);
    return clg_fail(r->error, CLG_BAD_INPUT, mend, "%s", message);
}

/* A number of a column, `otherwise` where it is blank; 15T and 2k are numbers too. */
static clg_status number(const reader *r, int column, double otherwise, double *value) {
    const char *text = cell(r, column);
    clg_error none = {0};
    *value = otherwise;
    if (!*text) return CLG_OK;
    bool read = clg_quantity(text, CLG_COUNT, value, &none) == CLG_OK ||
                (column == TOKENS && clg_quantity(text, CLG_TOKENS, value, &none) == CLG_OK);
    if (read && *value >= 0 && *value <= 1e18) return CLG_OK;
    return fault(r, column, "write it as 24, 1.5 or 15T", "this is no number of 0 or more");
}

static clg_status read_work(const reader *r, clg_listed_job *job) {
    double hours;
    if (number(r, TOKENS, 0, &job->tokens) != CLG_OK ||
        number(r, STEPS, 0, &job->steps) != CLG_OK || number(r, GPU_HOURS, 0, &hours) != CLG_OK)
        return r->error->status;
    job->gpu_s = hours * HOUR_S;
    int given = (job->tokens > 0) + (job->steps > 0) + (job->gpu_s > 0);
    if (given != 1)
        return fault(r, -1, "give one of tokens, steps and gpu_hours, above 0",
                     given ? "a job with two sizes" : "a job with nothing to do");
    if (*job->model || job->gpu_s > 0) return CLG_OK;
    return fault(r, MODEL, "name a model, or give gpu_hours",
                 "tokens and steps take as long as their model does");
}

static clg_status read_gpus(const reader *r, clg_listed_job *job) {
    double least, most, just;
    if (number(r, GPUS, 0, &just) != CLG_OK || number(r, LEAST, just, &least) != CLG_OK ||
        number(r, MOST, just, &most) != CLG_OK)
        return r->error->status;
    if (least > 1e6 || most > 1e6) return fault(r, MOST, "up to 1,000,000", "too many GPUs");
    if (least != floor(least)) return fault(r, LEAST, "give whole GPUs", "a part of a GPU");
    if (most != floor(most)) return fault(r, MOST, "give whole GPUs", "a part of a GPU");
    job->least_gpus = (int64_t)least;
    job->most_gpus = (int64_t)most;
    if (most > 0 && least > most)
        return fault(r, MOST, "max_gpus is min_gpus or more", "the range of GPUs is empty");
    if (job->gpu_s > 0 && least == 0 && most > 0) job->least_gpus = job->most_gpus;
    return CLG_OK;
}

static clg_status read_job(const reader *r, clg_listed_job *job, double *every_s) {
    double arrival, deadline, every;
    *job = (clg_listed_job){.name = cell(r, NAME),
                            .model = cell(r, MODEL),
                            .line = r->csv->row[r->row].line,
                            .seq = cell(r, SEQ),
                            .global_batch = cell(r, BATCH),
                            .team = cell(r, TEAM),
                            .quota = -1,
                            .recorded_wait_s = -1};
    if (read_work(r, job) != CLG_OK || read_gpus(r, job) != CLG_OK ||
        number(r, ARRIVAL, 0, &arrival) != CLG_OK ||
        number(r, DEADLINE, INFINITY, &deadline) != CLG_OK ||
        number(r, EVERY, 0, &every) != CLG_OK || number(r, PRIORITY, 0, &job->priority) != CLG_OK)
        return r->error->status;
    if (arrival > 1e7) return fault(r, ARRIVAL, "hours, up to 1e7", "a thousand years from now");
    job->arrival_s = arrival * HOUR_S;
    job->deadline_s = deadline * HOUR_S;
    *every_s = every * HOUR_S;
    return CLG_OK;
}

/* The quota of a row's team: what one row of it says holds for all. */
static clg_status read_quota(const reader *r, clg_quotas *quotas) {
    double gpus;
    if (number(r, QUOTA, 0, &gpus) != CLG_OK) return r->error->status;
    if (!*cell(r, QUOTA)) return CLG_OK;
    if (!*cell(r, TEAM)) return fault(r, TEAM, "name the team", "a quota of nobody");
    if (!(gpus >= 1 && gpus <= 1e6))
        return fault(r, QUOTA, "give GPUs, 1 to 1,000,000", "no quota of GPUs");
    clg_quota *quota = clg_quotas_take(quotas, cell(r, TEAM));
    if (!quota) return fault(r, QUOTA, "up to 1,024", "too many teams with a quota");
    if (quota->gpus > 0 && quota->gpus != (int64_t)gpus)
        return fault(r, QUOTA, "give one, or leave the others blank", "a team with two quotas");
    quota->gpus = (int64_t)gpus;
    return CLG_OK;
}

/* "Min GPUs" is min_gpus: people write headers as headings. */
static bool is_column(const char *known, const char *word) {
    for (; *known && *word; known++, word++) {
        char c = *word == ' ' || *word == '-' ? '_' : *word;
        c = clg_lower(c);
        if (c != *known) return false;
    }
    return !*known && !*word;
}

/* A column that is near a known one is that one misspelt; others are for somebody else. */
static clg_status find_columns(reader *r, clg_arena *arena, clg_job_list *jobs) {
    for (int c = 0; c < COLUMNS; c++) r->at[c] = -1;
    for (int i = 0; i < r->csv->columns; i++) {
        int found = -1;
        const char *word = r->csv->column[i];
        for (int c = 0; c < COLUMNS; c++)
            if (is_column(columns[c], word)) found = c;
        if (found >= 0)
            r->at[found] = i;
        else if (clg_name_nearest(columns, COLUMNS, word))
            return clg_table_unknown(r->csv, i, columns, COLUMNS, r->error);
        else
            jobs->ignored = jobs->ignored ? clg_arena_print(arena, "%s, %.40s", jobs->ignored, word)
                                          : clg_arena_print(arena, "%.40s", word);
    }
    return CLG_OK;
}

/* Deadlines stand on the clock of the arrivals; where one lies before its arrival they cannot, and
 * all are hours after it. */
static void place_deadlines(clg_job_list *jobs) {
    for (int i = 0; i < jobs->count; i++)
        if (jobs->job[i].deadline_s < jobs->job[i].arrival_s) jobs->deadlines_after_arrival = true;
    for (int i = 0; i < jobs->count && jobs->deadlines_after_arrival; i++)
        jobs->job[i].deadline_s += jobs->job[i].arrival_s;
}

static int repeats(const clg_listed_job *job, double every_s, double horizon_s) {
    if (every_s <= 0 || horizon_s <= job->arrival_s) return 0;
    return (int)fmin(CLG_LISTED_JOBS, ceil((horizon_s - job->arrival_s) / every_s) - 1);
}

/* What comes again and again, each with its own deadline. */
static clg_status repeat(clg_arena *arena, const reader *r, const double *every_s, double horizon_s,
                         clg_job_list *jobs) {
    int64_t count = jobs->count;
    for (int i = 0; i < jobs->count; i++)
        if (every_s[i] > 0) jobs->horizon_s = horizon_s > 0 ? horizon_s : YEAR_S;
    horizon_s = jobs->horizon_s;
    for (int i = 0; i < jobs->count; i++) count += repeats(&jobs->job[i], every_s[i], horizon_s);
    if (count > CLG_LISTED_JOBS)
        return clg_fail(r->error, CLG_BAD_INPUT, "a shorter --horizon, or larger every_h",
                        "more than %d jobs", CLG_LISTED_JOBS);
    if (count == jobs->count) return CLG_OK;
    clg_listed_job *all = clg_take(arena, (size_t)count, clg_listed_job);
    int at = 0;
    for (int i = 0; i < jobs->count; i++)
        for (int k = 0; k <= repeats(&jobs->job[i], every_s[i], horizon_s); k++) {
            all[at] = jobs->job[i];
            all[at].arrival_s += k * every_s[i];
            all[at++].deadline_s += k * every_s[i];
        }
    jobs->job = all;
    jobs->count = at;
    return CLG_OK;
}

static int by_arrival(const void *a, const void *b) {
    const clg_listed_job *x = a, *y = b;
    if (x->arrival_s != y->arrival_s) return x->arrival_s < y->arrival_s ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* Spreadsheets end in rows of commas. */
static bool is_blank(const clg_csv *csv, int row) {
    for (int i = 0; i < csv->columns; i++)
        if (csv->row[row].field[i][strspn(csv->row[row].field[i], " ")] != '\0') return false;
    return true;
}

/* "JobID     Submit": one column that nobody knows is a table in columns of spaces. */
static clg_status check_separated(const reader *r) {
    bool known = false;
    for (int c = 0; c < COLUMNS; c++) known = known || r->at[c] >= 0;
    if (known) return CLG_OK;
    clg_error_at(r->error, r->csv->name, 1, 1, NULL);
    return clg_fail(r->error, CLG_BAD_INPUT,
                    "separate columns with commas, as sacct -P does with bars; docs/portfolio.md "
                    "lists them",
                    "none of its columns is known");
}

/* An export that lacks a column is no list of jobs. */
static clg_status check_whole(const reader *r) {
    const char *lacks = clg_export_lacks(r->csv);
    if (!lacks) return CLG_OK;
    clg_error_at(r->error, r->csv->name, 1, 1, NULL);
    return clg_fail(r->error, CLG_BAD_INPUT, "docs/portfolio.md has the whole command",
                    "an export of a scheduler without the column %s", lacks);
}

static clg_status read_list(clg_arena *arena, const clg_csv *csv, double horizon_s,
                            clg_job_list *jobs, clg_error *error) {
    reader r = {.csv = csv, .error = error};
    clg_quotas quotas = {.arena = arena, .list = jobs};
    double *every_s = clg_take(arena, (size_t)csv->rows + 1, double);
    if (check_whole(&r) != CLG_OK || find_columns(&r, arena, jobs) != CLG_OK ||
        check_separated(&r) != CLG_OK)
        return error->status;
    jobs->job = clg_take(arena, (size_t)csv->rows + 1, clg_listed_job);
    for (r.row = 0; r.row < csv->rows; r.row++) {
        if (is_blank(csv, r.row)) continue;
        if (read_job(&r, &jobs->job[jobs->count], &every_s[jobs->count]) != CLG_OK ||
            read_quota(&r, &quotas) != CLG_OK)
            return error->status;
        jobs->count++;
    }
    clg_quotas_join(jobs);
    place_deadlines(jobs);
    return repeat(arena, &r, every_s, horizon_s, jobs);
}

clg_status clg_job_list_read(clg_arena *arena, const char *name, const char *text, size_t size,
                             double horizon_s, clg_job_list *jobs, clg_error *error) {
    clg_csv csv;
    *jobs = (clg_job_list){0};
    bool object = clg_sacct_json_is(text, size);
    if ((object ? clg_sacct_json_read : clg_table_read)(arena, name, text, size, &csv, error) !=
        CLG_OK)
        return error->status;
    jobs->recorded = clg_export_is(&csv);
    clg_status status = jobs->recorded ? clg_export_read(arena, &csv, jobs, error)
                                       : read_list(arena, &csv, horizon_s, jobs, error);
    if (status != CLG_OK) return status;
    if (jobs->count == 0) {
        clg_error_at(error, name, 0, 0, NULL);
        if (jobs->left_out > 0)
            return clg_fail(
                error, CLG_BAD_INPUT, "see docs/portfolio.md for what is read",
                "none of its %d rows is a job on GPUs that came and ended at known times",
                jobs->left_out);
        return clg_fail(error, CLG_BAD_INPUT, "give it rows below its header", "no job is in it");
    }
    qsort(jobs->job, (size_t)jobs->count, sizeof *jobs->job, by_arrival);
    return CLG_OK;
}
