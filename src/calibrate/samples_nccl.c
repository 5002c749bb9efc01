/* samples_nccl.c -- logs of nccl-tests (all_reduce_perf and its siblings).
 *
 * A row of results is a size and, at its end, time, algorithm and bus bandwidth and errors, out of
 * place and in place; "# Rank" lines name every GPU and its host. Launchers put prefixes before
 * lines ("[1,0]<stdout>:"). Format: https://github.com/NVIDIA/nccl-tests, src/common.cu. */
#include "calibrate/samples.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 24, HOSTS = 8192, LINE = 512 };

typedef struct log_state {
    clg_sample sample;
    const char *host[HOSTS];
    int hosts;
} log_state;

static int split(char *text, char *word[WORDS]) {
    int words = 0;
    char *rest;
    for (char *w = strtok_r(text, " \t\r", &rest); w && words < WORDS;
         w = strtok_r(NULL, " \t\r", &rest))
        word[words++] = w;
    return words;
}

/* "#  Rank  0 Group  0 Pid 34 on  node-1 device  0 [0x10] NVIDIA H100 80GB HBM3" */
static void take_rank(clg_arena *arena, char *text, log_state *log) {
    char *on = strstr(text, " on "), *device = strstr(text, " device "), *bus = strchr(text, ']');
    log->sample.ranks++;
    if (bus && !*log->sample.gpu) log->sample.gpu = clg_arena_copy(arena, bus + 1, strlen(bus + 1));
    if (!on || !device || device < on + 4) return;
    on += 4 + strspn(on + 4, " ");
    if (on >= device) return;
    const char *host = clg_arena_copy(arena, on, (size_t)(device - on));
    for (int i = 0; i < log->hosts; i++)
        if (strcmp(log->host[i], host) == 0) return;
    if (log->hosts < HOSTS) log->host[log->hosts++] = host;
    log->sample.nodes = log->hosts;
}

/* The operation as a log or its file's name spells it. */
static int operation(const char *text) {
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

static void take_row(clg_arena *arena, char *text, log_state *log, clg_samples *samples) {
    char *word[WORDS], *end;
    int words = split(text, word);
    if (words < 11) return; /* size, count, type, then twice four numbers */
    double size = strtod(word[0], &end);
    if (*end || !(size >= 1) || size > 1e15) return;
    double microseconds = strtod(word[words - 8], &end);
    if (*end) return;
    double wrong = strtod(word[words - 5], &end); /* "N/A" where results were not looked at */
    if (!*end && wrong > 0) {
        samples->wrong++;
        clg_samples_leave_out(samples,
                              "a row whose results were wrong (#wrong): look at that link");
        return;
    }
    if (!log->sample.hosts) name_hosts(arena, log);
    log->sample.bytes = size;
    log->sample.seconds = microseconds * 1e-6;
    clg_samples_add(arena, samples, &log->sample);
}

static void take_line(clg_arena *arena, char *text, log_state *log, clg_samples *samples) {
    char *prefix = strstr(text, "<stdout>:");
    if (prefix) text = prefix + strlen("<stdout>:");
    text += strspn(text, " \t");
    int named = operation(text);
    if (named >= 0) log->sample.collective = (clg_collective)named;
    if (*text == '#' && strstr(text, " Rank ") && strstr(text, " device "))
        take_rank(arena, text, log);
    else if (*text >= '0' && *text <= '9' && log->sample.ranks > 1)
        take_row(arena, text, log, samples);
}

clg_status clg_samples_read_nccl(clg_arena *arena, const char *file, const char *text, size_t size,
                                 clg_samples *samples, clg_error *error) {
    log_state *log = clg_take(arena, 1, log_state);
    const char *end = text + size;
    int before = samples->count + samples->wrong, named = operation(file);
    log->sample = (clg_sample){.kind = CLG_SAMPLE_COLLECTIVE, .gpu = "", .source = ""};
    log->sample.collective = named >= 0 ? (clg_collective)named : CLG_ALL_REDUCE;
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
    if (samples->count + samples->wrong > before) return CLG_OK;
    clg_error_at(error, file, 0, 0, NULL);
    return clg_fail(error, CLG_BAD_INPUT, "keep its '# Rank' lines, which say who took part",
                    "no results of two ranks or more in this nccl-tests log");
}
