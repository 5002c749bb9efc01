/* export.c -- rows of sacct and of public traces: submitted when, how many GPUs, how long.
 *
 * Times lose their zone (one file has one). What a job was, and what it did with its GPUs, such
 * files do not say. */
#include "portfolio/export.h"

#include "portfolio/quotas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ID,
    NAME,
    SUBMIT,
    ELIGIBLE,
    START,
    END,
    SECONDS,
    ELAPSED,
    WAIT,
    GPUS,
    TRES,
    GRES,
    NODES,
    LIMIT,
    LIMIT_MIN,
    PRIORITY,
    TEAM,
    MEANINGS
};

/* What columns are called, without case: Slurm's sacct, then public traces of GPU clusters. */
static const struct {
    const char *name;
    int meaning;
} names[] = {{"jobid", ID},
             {"job_id", ID},
             {"jobname", NAME},
             {"submit", SUBMIT},
             {"submit_time", SUBMIT},
             {"submitted_time", SUBMIT},
             {"timestamp", SUBMIT},
             {"eligible", ELIGIBLE},
             {"start", START},
             {"start_time", START},
             {"end", END},
             {"end_time", END},
             {"elapsedraw", SECONDS},
             {"duration", SECONDS},
             {"run_time", SECONDS},
             {"elapsed", ELAPSED},
             {"queue", WAIT},
             {"wait_time", WAIT},
             {"gpu_num", GPUS},
             {"num_gpus", GPUS},
             {"num_gpu", GPUS},
             {"gpus", GPUS},
             {"ngpus", GPUS},
             {"alloctres", TRES},
             {"reqtres", TRES},
             {"allocgres", GRES},
             {"reqgres", GRES},
             {"nnodes", NODES},
             {"allocnodes", NODES},
             {"timelimit", LIMIT},
             {"timelimitraw", LIMIT_MIN},
             {"priority", PRIORITY},
             {"vc", TEAM},
             {"virtual_cluster", TEAM}};

static bool same_word(const char *a, const char *b) {
    for (; *a && *b; a++, b++)
        if ((*a | 32) != (*b | 32) && *a != *b) return false;
    return *a == *b;
}

/* The first column of each meaning; -1 where there is none. */
static void find(const clg_csv *csv, int at[MEANINGS]) {
    for (int m = 0; m < MEANINGS; m++) at[m] = -1;
    for (int i = 0; i < csv->columns; i++)
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
            if (same_word(names[n].name, csv->column[i]) && at[names[n].meaning] < 0)
                at[names[n].meaning] = i;
}

static const char *lacks(const int at[MEANINGS]) {
    bool sized = at[GPUS] >= 0 || at[TRES] >= 0 || at[GRES] >= 0;
    bool timed = at[SECONDS] >= 0 || at[ELAPSED] >= 0 || (at[START] >= 0 && at[END] >= 0);
    return at[SUBMIT] < 0 ? "Submit" : !sized ? "AllocTRES" : !timed ? "ElapsedRaw" : NULL;
}

bool clg_export_is(const clg_csv *csv) {
    int at[MEANINGS];
    find(csv, at);
    return !lacks(at);
}

const char *clg_export_lacks(const clg_csv *csv) {
    int at[MEANINGS];
    find(csv, at);
    return at[SUBMIT] >= 0 || (at[START] >= 0 && at[END] >= 0) ? lacks(at) : NULL;
}

/* Days from 1970-01-01 of a date of the Gregorian calendar, counted in years that begin in March,
 * so that the leap day is the last. */
static double days_of(int year, int month, int day) {
    int from_march = (month + 9) % 12;
    int64_t y = year - (month < 3);
    int64_t era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
    int64_t of_year = (153 * from_march + 2) / 5 + day - 1;
    return (double)(era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468);
}

/* "2017-10-09 07:01:55+08:00", "2024-03-01T12:00:00", "2024-03-01 12:00", or seconds; NAN for
 * anything else. */
static double moment(const char *text) {
    int year, month, day, hour, minute, used = 0;
    double second;
    char mark;
    if (sscanf(text, "%4d-%2d-%2d%c%2d:%2d%n", &year, &month, &day, &mark, &hour, &minute, &used) ==
            6 &&
        used > 0) {
        second = text[used] == ':' ? strtod(text + used + 1, NULL) : 0;
        bool dated =
            month >= 1 && month <= 12 && day >= 1 && day <= 31 && second >= 0 && second < 62;
        return dated ? days_of(year, month, day) * 86400 + hour * 3600 + minute * 60 + second
                     : (double)NAN;
    }
    char *end;
    second = strtod(text, &end);
    return end != text && *end == '\0' && fabs(second) < 1e12 ? second : (double)NAN;
}

/* "1-02:03:04", "02:03:04", "03:04"; NAN for anything else ("UNLIMITED"). */
static double clock_time(const char *text) {
    int days = 0, a, b, c, used = 0;
    if (sscanf(text, "%9d-%n", &days, &used) != 1 || used == 0) days = used = 0;
    int parts = sscanf(text + used, "%9d:%9d:%9d", &a, &b, &c);
    if (parts == 3) return days * 86400.0 + a * 3600.0 + b * 60.0 + c;
    return parts == 2 && days == 0 ? a * 60.0 + b : (double)NAN;
}

/* GPUs in "billing=8,gres/gpu=8,gres/gpu:h100=8,node=1": the total, or the sum of kinds. */
static double tres_gpus(const char *text) {
    double kinds = 0;
    for (const char *at = strstr(text, "gres/gpu"); at; at = strstr(at + 1, "gres/gpu")) {
        const char *equals = at + strcspn(at, "=,");
        double count = *equals == '=' ? strtod(equals + 1, NULL) : 0;
        char after = at[strlen("gres/gpu")];
        if (after == '=') return count;
        if (after == ':') kinds += count; /* no "gres/gpumem" */
    }
    return kinds;
}

/* GPUs of one node in "gpu:8", "gres:gpu:a100:8(S:0-1)". */
static double gres_gpus(const char *text) {
    const char *at = strstr(text, "gpu");
    if (!at) return 0;
    size_t size = strcspn(at, ",("), last = size;
    while (last > 0 && at[last - 1] != ':') last--;
    return last > 0 ? strtod(at + last, NULL) : 1;
}

typedef struct row {
    const clg_csv *csv;
    const int *at;
    int row;
} row;

static const char *cell(const row *r, int meaning) {
    return r->at[meaning] < 0 ? "" : r->csv->row[r->row].field[r->at[meaning]];
}

static double plain(const char *text) {
    char *end;
    double value = strtod(text, &end);
    return end != text && *end == '\0' ? value : (double)NAN;
}

static double gpus_of(const row *r) {
    if (*cell(r, GPUS)) return plain(cell(r, GPUS));
    if (*cell(r, TRES)) return tres_gpus(cell(r, TRES));
    double nodes = plain(cell(r, NODES));
    return gres_gpus(cell(r, GRES)) * (nodes >= 1 ? nodes : 1);
}

static double seconds_of(const row *r) {
    double seconds = plain(cell(r, SECONDS));
    if (isnan(seconds)) seconds = clock_time(cell(r, ELAPSED));
    if (isnan(seconds)) seconds = moment(cell(r, END)) - moment(cell(r, START));
    return seconds;
}

static double limit_of(const row *r) {
    double limit = plain(cell(r, LIMIT_MIN)) * 60;
    if (isnan(limit)) limit = clock_time(cell(r, LIMIT));
    return limit > 0 && limit < 1e9 ? limit : 0;
}

/* When it first could start: not before the jobs it depends on have ended. */
static double arrival_of(const row *r) {
    double submit = moment(cell(r, SUBMIT)), eligible = moment(cell(r, ELIGIBLE));
    return eligible > submit ? eligible : submit;
}

static double wait_of(const row *r, double arrival_s) {
    double wait = plain(cell(r, WAIT));
    if (isnan(wait)) wait = moment(cell(r, START)) - arrival_s;
    return wait >= 0 ? wait : -1;
}

/* False where the row is no job that ran on GPUs. */
static bool read_row(const row *r, clg_listed_job *job) {
    double arrival = arrival_of(r), seconds = seconds_of(r), gpus = gpus_of(r);
    double priority = plain(cell(r, PRIORITY));
    if (strchr(cell(r, ID), '.')) return false;
    if (isnan(arrival) || !(seconds > 0) || !(gpus >= 1) || seconds > 1e9 || gpus > 1e6)
        return false;
    int64_t whole = (int64_t)gpus;
    *job = (clg_listed_job){.name = *cell(r, NAME) ? cell(r, NAME) : cell(r, ID),
                            .model = "",
                            .seq = "",
                            .global_batch = "",
                            .team = cell(r, TEAM),
                            .quota = -1,
                            .line = r->csv->row[r->row].line,
                            .gpu_s = seconds * (double)whole,
                            .arrival_s = arrival,
                            .deadline_s = INFINITY,
                            .priority = isnan(priority) ? 0 : priority,
                            .least_gpus = whole,
                            .most_gpus = whole,
                            .limit_s = limit_of(r),
                            .recorded_wait_s = wait_of(r, arrival)};
    return true;
}

clg_status clg_export_read(clg_arena *arena, const clg_csv *csv, clg_job_list *jobs,
                           clg_error *error) {
    int at[MEANINGS];
    find(csv, at);
    row r = {.csv = csv, .at = at};
    double first = INFINITY;
    if (csv->rows > CLG_LISTED_JOBS)
        return clg_fail(error, CLG_BAD_INPUT, "give a part of it", "more than %d jobs",
                        CLG_LISTED_JOBS);
    jobs->job = clg_take(arena, (size_t)csv->rows + 1, clg_listed_job);
    for (r.row = 0; r.row < csv->rows; r.row++) {
        clg_listed_job *job = &jobs->job[jobs->count];
        if (!read_row(&r, job)) {
            jobs->left_out++;
            continue;
        }
        first = fmin(first, job->arrival_s);
        jobs->count++;
    }
    for (int i = 0; i < jobs->count; i++) jobs->job[i].arrival_s -= first;
    clg_quotas_of_export(arena, jobs);
    return CLG_OK;
}
