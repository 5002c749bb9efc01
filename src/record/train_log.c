/* train_log.c -- the lines of a log as reports of steps. */
#include "base/letters.h"
#include "record/train_reading.h"

#include <string.h>

enum { LONGEST_LINE = 4096 };

/* "[rank3]:", "[default3]:", "rank3: " as launchers put them before lines; -1: none. */
static int speaker_of(const char *line) {
    static const char *const prefixes[] = {"[rank", "[default", "rank", "RANK"};
    const char *end = NULL;
    while (*line == ' ') line++;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0] && !end; i++)
        if (strncmp(line, prefixes[i], strlen(prefixes[i])) == 0) end = line + strlen(prefixes[i]);
    if (!end || *end < '0' || *end > '9') return -1;
    int rank = 0;
    while (clg_is_digit(*end) && rank < 100000000) rank = rank * 10 + (*end++ - '0');
    return *end == ']' || *end == ':' ? rank : -1;
}

void clg_sample_add(clg_log_reading *r, clg_step_sample s) {
    int64_t *newest = &r->newest[s.dialect];
    bool bar = s.value[CLG_SAID_TOTAL] > 0; /* of several programs: sorted later */
    if (!bar && s.value[CLG_SAID_STEP] >= 0 && s.value[CLG_SAID_STEP] < 9e15) {
        int64_t step = (int64_t)s.value[CLG_SAID_STEP];
        if (step == *newest) return;
        s.restart = *newest >= 0 && step < *newest;
        *newest = step;
    }
    CLG_APPEND(&r->scratch, r->samples, r->count, r->capacity, s);
    r->open = clg_dialects[s.dialect].opens ? r->count : 0;
}

/* Ranks repeat each other: the first that reports is heard. */
static bool is_heard(clg_log_reading *r, const char *line) {
    int speaker = speaker_of(line);
    if (speaker < 0) return true;
    if (r->speaker < 0) r->speaker = speaker;
    return speaker == r->speaker;
}

static void take_record(clg_log_reading *r, const char *record, int which, int64_t clock_ms) {
    clg_step_sample s = clg_sample_empty(which);
    s.clock_ms = clock_ms;
    clg_words_take(&s, record);
    clg_sample_add(r, s);
}

static void take_records(clg_log_reading *r, char *line, int which) {
    int64_t clock_ms = clg_clock_of(line);
    while (which >= 0) {
        char *next = (char *)(uintptr_t)clg_record_next(line, which), held = next ? *next : '\0';
        if (next) *next = '\0';
        take_record(r, line, which, clock_ms);
        if (!next) return;
        *next = held;
        line = next;
        which = clg_dialect_of(line);
    }
}

static void take_line(clg_log_reading *r, char *line) {
    int which = clg_dialect_of(line);
    clg_step_sample bar = clg_sample_empty(CLG_DIALECT_BAR);
    bool first = r->count == 0;
    clg_settings_take(r, line);
    if (which >= 0 && is_heard(r, line))
        take_records(r, line, which);
    else if (which < 0 && r->open > 0)
        clg_words_take(&r->samples[r->open - 1], line);
    else if (which < 0 && clg_bar_take(r, line, &bar) && is_heard(r, line))
        clg_sample_add(r, bar);
    if (!first || r->count == 0) return;
    r->setting[CLG_SAID_RESERVED] = r->setting[CLG_SAID_ALLOCATED] = -1; /* of building the model */
    clg_settings_take(r, line);
}

/* Colours ("\x1b[31m") and control bytes go. Progress bars end their lines with \r. */
static size_t clean(const char *text, size_t size, char *line) {
    size_t out = 0;
    for (size_t i = 0; i < size && out + 1 < LONGEST_LINE; i++) {
        if (text[i] == '\x1b' && i + 1 < size && text[i + 1] == '[') {
            for (i += 2; i < size && (text[i] < '@' || text[i] > '~');) i++;
            continue;
        }
        line[out++] = (unsigned char)text[i] < ' ' ? ' ' : text[i];
    }
    line[out] = '\0';
    return out;
}

static void read_lines(clg_log_reading *r, clg_slice text) {
    char line[LONGEST_LINE];
    for (size_t at = 0; at < text.size;) {
        size_t size = 0;
        while (at + size < text.size && text.text[at + size] != '\n' &&
               text.text[at + size] != '\r')
            size++;
        if (clean(text.text + at, size, line) > 0) take_line(r, line);
        at += size + 1;
    }
}

bool clg_train_log_read(clg_train_logs *logs, const char *file, clg_slice text) {
    clg_log_reading r = {.speaker = -1};
    clg_train_log log = {.file = file, .ended = clg_train_log_end(text)};
    for (int i = 0; i < CLG_SAIDS; i++) r.setting[i] = -1;
    for (int i = 0; i < CLG_DIALECTS; i++) r.newest[i] = -1;
    if (!clg_train_export_read(&r, file, text)) read_lines(&r, text);
    bool found = clg_train_summarize(&r, &log);
    if (found) CLG_APPEND(logs->arena, logs->log, logs->count, logs->capacity, log);
    clg_arena_clear(&r.scratch);
    return found;
}
