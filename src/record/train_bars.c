/* train_bars.c -- the progress bars that tqdm and rich draw: of the run, not of its evaluations,
 * and what a step took, not the mean over the last ones that a bar shows. Lightning's bars (NeMo's,
 * too) show the mean since they began (tqdm's `smoothing` is 0): their clock tells the steps
 * between. */
#include "base/letters.h"
#include "record/train_reading.h"

#include <string.h>

/* tqdm's default `smoothing` (tqdm/std.py, class EMA): the weight of the newest step. */
static const double SMOOTHING = 0.3;

/* Lightning's clock shows whole seconds: so many between two reports err by a sixtieth at most. */
static const double APART_S = 60;

/* Lengths of bars that are told apart. */
enum { LENGTHS = 32 };

/* Digits that end before `end`; NULL: none. */
static const char *digits_before(const char *start, const char *end) {
    const char *p = end;
    while (p > start && clg_is_digit(p[-1])) p--;
    return p < end ? p : NULL;
}

/* Of a bar without the run's length before it, one that names nothing ("Map: 3%") is the run's. */
static bool is_named(const char *line) {
    const char *percent = strchr(line, '%'), *colon = strchr(line, ':');
    return !percent || (colon && colon < percent);
}

/* "1:02:03", "02:03" that ends before `end`; -1: none. */
static double clock_before(const char *start, const char *end) {
    double seconds = 0, unit = 1;
    for (;;) {
        const char *digits = digits_before(start, end);
        if (!digits) return -1;
        seconds += unit * clg_number_at(digits);
        unit *= 60;
        if (digits == start || digits[-1] != ':' || unit > 3600) return seconds;
        end = digits - 1;
    }
}

/* The bar counts the run's steps, as far as its name and length tell. */
static bool is_of_run(const clg_log_reading *r, const char *line, double length) {
    double all = r->setting[CLG_SAID_TOTAL];
    if (all > 0) return length == all;
    if (r->lightning && !r->nemo && !r->hf) return strncmp(line, "Epoch ", 6) == 0;
    return !is_named(line) || r->nemo;
}

/* "120/1000" that ends before `end`. */
static bool take_count(const clg_log_reading *r, const char *line, const char *end,
                       clg_step_sample *s) {
    const char *total = digits_before(line, end);
    const char *step =
        total && total - line > 1 && total[-1] == '/' ? digits_before(line, total - 1) : NULL;
    if (!step || !is_of_run(r, line, clg_number_at(total))) return false;
    s->value[CLG_SAID_STEP] = clg_number_at(step);
    s->value[CLG_SAID_TOTAL] = clg_number_at(total);
    return true;
}

static const char *before_blanks(const char *start, const char *end) {
    while (end > start && end[-1] == ' ') end--;
    return end;
}

/* Rich: "Epoch 0/9 ------ 120/1000 0:02:03 * 0:15:01 0.98it/s". */
static bool rich_take(const clg_log_reading *r, const char *line, clg_step_sample *s) {
    const char *bullet = r->lightning ? strstr(line, "\xe2\x80\xa2") : NULL;
    if (!bullet) return false;
    const char *end = before_blanks(line, bullet);
    s->value[CLG_SAID_ELAPSED] = clock_before(line, end);
    while (end > line && end[-1] != ' ') end--;
    return s->value[CLG_SAID_ELAPSED] > 0 && take_count(r, line, before_blanks(line, end), s);
}

bool clg_bar_take(const clg_log_reading *r, const char *line, clg_step_sample *s) {
    while (*line == ' ') line++;
    const char *less = r->lightning ? strrchr(line, '<') : strchr(line, '<'); /* bars are glued */
    const char *open = less;
    while (open && open > line && *open != '[') open--;
    if (!open || open == line) return rich_take(r, line, s);
    const char *rate = strchr(less, ',');
    if (!rate || !take_count(r, line, open[-1] == ' ' ? open - 1 : open, s)) return false;
    double per = clg_value_behind(rate + 1);
    const char *unit = rate + 1;
    while (*unit == ' ' || *unit == '.' || clg_is_digit(*unit)) unit++;
    bool seconds = strncmp(unit, "s/it", 4) == 0;
    s->value[CLG_SAID_ELAPSED] = clock_before(open + 1, less);
    bool clocked = per == 0 && r->lightning && s->value[CLG_SAID_ELAPSED] > 0; /* "0.00it/s" */
    if ((per <= 0 && !clocked) || (!seconds && strncmp(unit, "it/s", 4) != 0)) return false;
    if (per > 0) s->value[CLG_SAID_TIME] = seconds ? per : 1 / per;
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

/* Steps between two readings of a bar's clock; a bar that begins again is another epoch's. Where
 * none are far enough apart, the last mean. */
static size_t settle_clocks(clg_log_reading *r, size_t own) {
    size_t kept = 0;
    clg_step_sample last = r->samples[own - 1], from = r->samples[0];
    for (size_t i = 1; i < own; i++) {
        clg_step_sample s = r->samples[i];
        double steps = s.value[CLG_SAID_STEP] - from.value[CLG_SAID_STEP];
        double seconds = s.value[CLG_SAID_ELAPSED] - from.value[CLG_SAID_ELAPSED];
        if (steps < 0 || seconds < 0) from = s;
        if (steps < 1 || seconds < APART_S) continue;
        from = s;
        s.value[CLG_SAID_TIME] = seconds / steps;
        r->samples[kept++] = s;
    }
    if (kept > 0) return kept;
    bool clocked = last.value[CLG_SAID_TIME] < 0 || last.value[CLG_SAID_ELAPSED] >= APART_S;
    if (clocked && r->lightning && last.value[CLG_SAID_STEP] > 0)
        last.value[CLG_SAID_TIME] = last.value[CLG_SAID_ELAPSED] / last.value[CLG_SAID_STEP];
    r->samples[0] = last;
    return 1;
}

size_t clg_bars_settle(clg_log_reading *r, size_t count) {
    double length = length_of(r, count), before_s = -1;
    size_t own = 0, kept = 0;
    bool means = (r->lightning || r->nemo) && !r->hf && !r->axolotl;
    for (size_t i = 0; i < count; i++)
        if (r->samples[i].value[CLG_SAID_TOTAL] == length) r->samples[own++] = r->samples[i];
    if (length >= 0 && means && own > 0) return settle_clocks(r, own);
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
