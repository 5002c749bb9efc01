/* train_timers.c -- what trainers time inside a step: DeepSpeed's wall_clock_breakdown
 * ("time (ms) | fwd: 3.10 | ... | step: 2.00", utils/timer.py) and Megatron-LM's timers
 * ("    optimizer ....: (40.10, 41.20)", or the greatest alone, core/timers.py), of all ranks the
 * greatest. Of all reports the middle one is taken. */
#include "base/quantile.h"
#include "record/train_reading.h"

#include <string.h>

enum { LONGEST_LINE = 1024, MOST_REPORTS = 512 };

typedef struct timer {
    const char *line, *word; /* the line has both; the number stands behind the word */
    bool data;               /* of data, else of the optimizer */
} timer;

static const timer timers[] = {{"time (ms) |", "| step: ", false},
                               {"", "    optimizer .", false},
                               {"", "    batch-generator .", true}};

typedef struct reports {
    double ms[MOST_REPORTS];
    size_t count;
} reports;

/* ".....: (40.10, 41.20)" and " 2.00": the last of one or two numbers; below 0: none. */
static double greatest_of(const char *at) {
    at += strspn(at, ".: (");
    double least = clg_number_at(at);
    at += strcspn(at, ",|");
    double greatest = *at == ',' ? clg_value_behind(at + 1) : -1;
    return greatest > least ? greatest : least;
}

static void take_line(const char *line, reports of[2]) {
    for (size_t i = 0; i < sizeof timers / sizeof timers[0]; i++) {
        const char *at = strstr(line, timers[i].line) ? strstr(line, timers[i].word) : NULL;
        double ms = at ? greatest_of(at + strlen(timers[i].word)) : -1;
        reports *r = &of[timers[i].data];
        if (ms >= 0 && ms < 1e9 && r->count < MOST_REPORTS) r->ms[r->count++] = ms;
    }
}

static double middle_s(reports *r) {
    return r->count > 0 ? clg_select(r->ms, (int64_t)r->count, (int64_t)(r->count / 2)) / 1e3 : -1;
}

clg_train_timers clg_train_timers_read(clg_slice text) {
    char line[LONGEST_LINE];
    reports of[2];
    of[0].count = of[1].count = 0;
    for (const char *at = text.text, *end = at + text.size; at && at < end;) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        size_t size = (size_t)((next ? next : end) - at);
        if (size >= sizeof line) size = sizeof line - 1;
        memcpy(line, at, size);
        line[size] = '\0';
        take_line(line, of);
        at = next ? next + 1 : NULL;
    }
    return (clg_train_timers){middle_s(&of[0]), middle_s(&of[1])};
}
