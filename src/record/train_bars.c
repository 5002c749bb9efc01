/* train_bars.c -- the progress bars that tqdm draws: of the run, not of its evaluations, and what a
 * step took, not the mean over the last ones that a bar shows. */
#include "record/train_reading.h"

#include "base/real.h"

#include <string.h>

/* tqdm's default `smoothing` (tqdm/std.py, class EMA): the weight of the newest step. */
static const double SMOOTHING = 0.3;

/* Lengths of bars that are told apart. */
enum { LENGTHS = 32 };

/* Digits that end before `end`; NULL: none. */
static const char *digits_before(const char *start, const char *end) {
    const char *p = end;
    while (p > start && p[-1] >= '0' && p[-1] <= '9') p--;
    return p < end ? p : NULL;
}

/* Of a bar without the run's length before it, one that names nothing ("Map: 3%") is the run's. */
static bool is_named(const char *line) {
    const char *percent = strchr(line, '%'), *colon = strchr(line, ':');
    return !percent || (colon && colon < percent);
}

bool clg_bar_take(const clg_log_reading *r, const char *line, clg_step_sample *s) {
    const char *less = strchr(line, '<'), *open = less;
    while (open && open > line && *open != '[') open--;
    if (!open || open == line) return false;
    const char *end = open[-1] == ' ' ? open - 1 : open;
    const char *total = digits_before(line, end);
    const char *step =
        total && total - line > 1 && total[-1] == '/' ? digits_before(line, total - 1) : NULL;
    const char *rate = strchr(less, ',');
    if (!step || !rate) return false;
    double all = r->setting[CLG_SAID_TOTAL], per = clg_value_behind(rate + 1);
    if (all > 0 ? clg_number_at(total) != all : is_named(line) && !r->nemo) return false;
    const char *unit = rate + 1;
    while (*unit == ' ' || *unit == '.' || (*unit >= '0' && *unit <= '9')) unit++;
    bool seconds = strncmp(unit, "s/it", 4) == 0;
    if (per <= 0 || (!seconds && strncmp(unit, "it/s", 4) != 0)) return false;
    s->value[CLG_SAID_STEP] = clg_number_at(step);
    s->value[CLG_SAID_TIME] = seconds ? per : 1 / per;
    s->value[CLG_SAID_TOTAL] = clg_number_at(total);
    return true;
}

/* ---- which bars ---- */

/* The length that most bars have: an evaluation's are fewer. Of equals the later run's. */
static double length_of(const clg_log_reading *r, size_t count) {
    double length[LENGTHS], best = -1;
    size_t seen[LENGTHS] = {0}, most = 0;
    int lengths = 0;
    for (size_t i = 0; i < count; i++) {
        double total = r->samples[i].value[CLG_SAID_TOTAL];
        int at = 0;
        while (at < lengths && length[at] != total) at++;
        if (at == LENGTHS) continue;
        if (at == lengths) length[lengths++] = total;
        if (++seen[at] >= most) most = seen[at], best = total;
    }
    return best;
}

/* The newest of smoothed times s(n): (s(n) (1 - b^n) - b s(n-1) (1 - b^(n-1))) / (1 - b), with
 * b = 1 - SMOOTHING, of the n-th update; s(n) itself where a step is missing between the two. */
static double newest(double step, double now_s, double before_s) {
    double kept = 1 - SMOOTHING, faded = 1;
    for (double n = 1; n < step && faded > 1e-9; n++) faded *= kept; /* b^(n-1) */
    double time = (now_s * (1 - faded * kept) - kept * before_s * (1 - faded)) / SMOOTHING;
    return time > 0 ? time : now_s;
}

size_t clg_bars_settle(clg_log_reading *r, size_t count) {
    double length = length_of(r, count), before_s = -1;
    size_t own = 0, kept = 0;
    for (size_t i = 0; i < count; i++)
        if (r->samples[i].value[CLG_SAID_TOTAL] == length) r->samples[own++] = r->samples[i];
    if (length >= 0) own = clg_repeats_drop(r, own);
    for (size_t i = 0; i < own; i++) {
        clg_step_sample s = r->samples[i];
        double step = s.value[CLG_SAID_STEP], shown_s = s.value[CLG_SAID_TIME];
        double last = kept > 0 ? r->samples[kept - 1].value[CLG_SAID_STEP] : -1;
        if (length >= 0) {
            if (step == last) continue;
            s.restart = step < last;
            if (step == last + 1 && before_s > 0)
                s.value[CLG_SAID_TIME] = newest(step, shown_s, before_s);
            before_s = shown_s;
        }
        r->samples[kept++] = s;
    }
    return kept;
}
