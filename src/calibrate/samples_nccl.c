/* samples_nccl.c -- logs of nccl-tests (all_reduce_perf and its siblings).
 *
 * A row of results is a size and what the head of its table says, out of place and in place: time,
 * algorithm and bus bandwidth, "#wrong" (older: "error", the largest difference, which is no
 * count), by option more. "# Rank" lines name every GPU, its host and its group, of which the first
 * counts: groups that NCCL_TESTS_SPLIT makes work side by side. Launchers put prefixes before lines
 * ("[1,0]<stdout>:", "3: "). Format: https://github.com/NVIDIA/nccl-tests, src/util.cu. */
#include "base/letters.h"
#include "calibrate/samples.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 24, HOSTS = 8192, LINE = 512 };

typedef struct log_state {
    clg_sample sample;
    const char *host[HOSTS];
    bool in_group[HOSTS]; /* of the first group */
    int hosts;
    long group; /* of the first "# Rank" line; -1: none yet */
    int after;  /* words of a row from its time on */
    bool counts_wrong;
    bool failed; /* the run ended with an error */
} log_state;

static int split(char *text, char *word[WORDS]) {
    int words = 0;
    char *rest;
    for (char *w = strtok_r(text, " \t\r", &rest); w && words < WORDS;
         w = strtok_r(NULL, " \t\r", &rest))
        word[words++] = w;
    return words;
}

/* Its place among the hosts; -1: there are too many. */
static int host_of(clg_arena *arena, log_state *log, const char *name, size_t size) {
    for (int i = 0; i < log->hosts; i++)
        if (strlen(log->host[i]) == size && memcmp(log->host[i], name, size) == 0) return i;
    if (log->hosts == HOSTS) return -1;
    log->host[log->hosts] = clg_arena_copy(arena, name, size);
    return log->hosts++;
}

/* "#  Rank  0 Group  0 Pid 34 on  node-1 device  0 [0x10] NVIDIA H100 80GB HBM3" */
static void take_rank(clg_arena *arena, const char *text, log_state *log) {
    const char *on = strstr(text, " on "), *device = strstr(text, " device ");
    const char *bus = strchr(text, ']'), *group = strstr(text, " Group ");
    long number = group ? strtol(group + strlen(" Group "), NULL, 10) : 0;
    if (log->group < 0) log->group = number;
    bool first = number == log->group;
    log->sample.ranks += first;
    if (bus && !*log->sample.gpu) log->sample.gpu = clg_arena_copy(arena, bus + 1, strlen(bus + 1));
    if (!on || !device || device < on + 4) return;
    on += 4 + strspn(on + 4, " ");
    if (on >= device) return;
    int host = host_of(arena, log, on, (size_t)(device - on));
    if (host < 0 || !first || log->in_group[host]) return;
    log->in_group[host] = true;
    log->sample.nodes++;
}

static bool is_time(const char *word) {
    return strcmp(word, "time") == 0 || strcmp(word, "cputime") == 0;
}

/* "# size count type redop root time algbw busbw #wrong time ...": out of place, then in place. A
 * head that names one of the two is of rows that have both. */
static void take_head(char *text, log_state *log) {
    char *word[WORDS];
    int words = split(text, word), time = 0, times = 0;
    bool stamped = words > 0 && strcmp(word[words - 1], "timestamp") == 0;
    while (time < words && !is_time(word[time])) time++;
    for (int i = time; i < words; i++) times += is_time(word[i]);
    int after = words - time - stamped;
    if (after < 4) return;
    log->after = (times == 1 ? 2 * after : after) + (stamped ? 2 : 0); /* date and hour */
    log->counts_wrong = strcmp(word[time + 3], "#wrong") == 0;
}

/* The operation as a log or its file's name spells it. */
int clg_samples_operation(const char *text) {
    static const char *const spellings[] = {"all_reduce", "all_gather", "reduce_scatter",
                                            "alltoall",   "sendrecv",   "broadcast"};
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++)
        if (strstr(text, spellings[i])) return clg_samples_collective(spellings[i]);
    return -1;
}

/* The hosts so far, with commas: once a log, for all of them stand before its first row. */
static void name_hosts(clg_arena *arena, log_state *log) {
    size_t size = 1, used = 0;
    for (int i = 0; i < log->hosts; i++) size += strlen(log->host[i]) + 1;
    char *text = clg_take(arena, size, char);
    for (int i = 0; i < log->hosts; i++) {
        size_t length = strlen(log->host[i]);
        if (i > 0) text[used++] = ',';
        memcpy(text + used, log->host[i], length);
        used += length;
    }
    log->sample.hosts = text;
}

const char clg_samples_wrong[] = "a row whose results were wrong (#wrong): look at that link";
static const char FAILED[] = "a row of a run that ended with an error";

static void take_row(clg_arena *arena, char *text, log_state *log, clg_samples *samples) {
    char *word[WORDS], *end;
    int words = split(text, word);
    if (words < log->after + 3) return; /* size, count, type, then what the head says */
    double size = strtod(word[0], &end);
    if (*end || !(size >= 1) || size > 1e15) return;
    double microseconds = strtod(word[words - log->after], &end);
    if (*end) return;
    double wrong = strtod(word[words - log->after + 3], &end); /* "N/A": not looked at */
    if (!*end && wrong > 0 && log->counts_wrong) {
        samples->wrong++;
        clg_samples_leave_out(samples, clg_samples_wrong);
        return;
    }
    if (!log->sample.hosts) name_hosts(arena, log);
    log->sample.bytes = size;
    log->sample.seconds = microseconds * 1e-6;
    clg_samples_add(arena, samples, &log->sample);
}

/* What launchers put before a line, and blanks. */
static char *without_prefix(char *text) {
    char *prefix = strstr(text, "<stdout>:");
    if (prefix) text = prefix + strlen("<stdout>:");
    text += strspn(text, " \t");
    size_t digits = strspn(text, "0123456789");
    if (digits > 0 && text[digits] == ':') text += digits + 1;
    return text + strspn(text, " \t");
}

static bool says_failed(const char *text) {
    static const char *const words[] = {"Test NCCL failure", "Test CUDA failure", "Test timeout",
                                        ": Test failure "};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(text, words[i])) return true;
    return false;
}

static void take_line(clg_arena *arena, char *text, log_state *log, clg_samples *samples) {
    text = without_prefix(text);
    int named = clg_samples_operation(text);
    if (named >= 0) log->sample.collective = (clg_collective)named;
    log->failed = log->failed || says_failed(text);
    if (*text == '#' && strstr(text, " Rank ") && strstr(text, " device "))
        take_rank(arena, text, log);
    else if (*text == '#' && strstr(text, " size ") && strstr(text, "busbw"))
        take_head(text + 1, log);
    else if (clg_is_digit(*text) && log->sample.ranks > 1)
        take_row(arena, text, log, samples);
}

/* A run that failed shows in what it printed before, or does not: nothing of it is taken. */
static void drop(clg_samples *samples, int before) {
    for (; samples->count > before; samples->count--) clg_samples_leave_out(samples, FAILED);
}

clg_status clg_samples_read_nccl(clg_arena *arena, const char *file, const char *text, size_t size,
                                 clg_samples *samples, clg_error *error) {
    log_state *log = clg_take(arena, 1, log_state);
    const char *end = text + size;
    int before = samples->count, wrong = samples->wrong, named = clg_samples_operation(file);
    log->sample = (clg_sample){.kind = CLG_SAMPLE_COLLECTIVE, .gpu = ""};
    log->sample.collective = named >= 0 ? (clg_collective)named : CLG_ALL_REDUCE;
    log->after = 8;
    log->counts_wrong = true;
    log->group = -1;
    if (!strstr(text, "# Rank ") && !strstr(text, "#  Rank ")) { /* the flags say who took part */
        log->sample.ranks = samples->ranks;
        log->sample.nodes = samples->nodes;
    }
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((stop ? stop : end) - text);
        char copy[LINE];
        size_t kept = length < LINE - 1 ? length : LINE - 1;
        memcpy(copy, text, kept);
        copy[kept] = '\0';
        take_line(arena, copy, log, samples);
        text += length + 1;
    }
    bool any = samples->count > before || samples->wrong > wrong;
    if (log->failed) drop(samples, before);
    if (any) return CLG_OK;
    clg_error_at(error, file, 0, 0, NULL);
    return clg_fail(error, CLG_BAD_INPUT,
                    "keep its '# Rank' lines, which say who took part, or give --ranks and --nodes",
                    "no results of two ranks or more in this nccl-tests log");
}
