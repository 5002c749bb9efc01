/* train_steps.c -- reports of steps into one step: how long, how steady, how fast. A report of
 * several steps is one sample. */
#include "record/train_reading.h"

#include "base/quantile.h"

#include <string.h>

/* Blocks that a long log is looked at in; least of them on either side of a change. */
enum { BLOCKS = 64, SIDE = 3 };

/* Nearest rank; -1 without values. Sorts. */
static double quantile(double *values, size_t count, double share) {
    if (count == 0) return -1;
    clg_sort(values, count);
    return values[(size_t)((double)(count - 1) * share + 0.5)];
}

static double known(const clg_log_reading *r, const clg_step_sample *s, clg_said what) {
    return s->value[what] >= 0 ? s->value[what] : r->setting[what];
}

/* ---- which reports ---- */

/* Only the mean of the whole run is said, at its end. */
static void take_mean(clg_log_reading *r) {
    if (r->count > 0 || !r->hf || r->setting[CLG_SAID_RATE] <= 0) return;
    clg_step_sample s = clg_sample_empty(CLG_DIALECT_BAR);
    s.value[CLG_SAID_TIME] = 1 / r->setting[CLG_SAID_RATE];
    clg_sample_add(r, s);
}

/* Samples of the first dialect that has any. Bars count where Hugging Face's words are. */
static size_t select_samples(clg_log_reading *r, clg_train_log *log) {
    int best = CLG_DIALECTS;
    for (size_t i = 0; i < r->count; i++)
        if (r->samples[i].dialect < best &&
            (r->hf || r->nemo || r->lightning || r->samples[i].dialect != CLG_DIALECT_BAR))
            best = r->samples[i].dialect;
    if (best == CLG_DIALECTS) return 0;
    const char *bars = r->axolotl               ? "axolotl"
                       : r->nemo                ? "nemo"
                       : r->lightning && !r->hf ? "lightning"
                                                : NULL;
    bool bar = best == CLG_DIALECT_BAR && bars;
    log->trainer = bar ? bars : clg_dialects[best].trainer;
    log->format = bar ? bars : clg_dialects[best].format;
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++)
        if (r->samples[i].dialect == best) r->samples[count++] = r->samples[i];
    return best == CLG_DIALECT_BAR ? clg_bars_settle(r, count) : clg_repeats_drop(r, count);
}

/* ---- seconds ---- */

static double seconds_between(const clg_step_sample *a, const clg_step_sample *b) {
    double steps = b->value[CLG_SAID_STEP] - a->value[CLG_SAID_STEP];
    if (a->clock_ms < 0 || b->clock_ms <= a->clock_ms || a->value[CLG_SAID_STEP] < 0 || steps < 1)
        return -1;
    return (double)(b->clock_ms - a->clock_ms) * 1e-3 / steps;
}

/* The mean step since the start; -1: not said. */
static double mean_s(const clg_step_sample *s) {
    if (s->value[CLG_SAID_MEAN_TIME] > 0) return s->value[CLG_SAID_MEAN_TIME];
    return s->value[CLG_SAID_MEAN_RATE] > 0 ? 1 / s->value[CLG_SAID_MEAN_RATE] : -1;
}

/* A step between two means since the start: what their sums differ by. Where they do not tell, the
 * later mean. */
static double between_means(const clg_step_sample *before, const clg_step_sample *s) {
    double mean = mean_s(s), first = before ? before->value[CLG_SAID_STEP] : -1;
    double last = s->value[CLG_SAID_STEP];
    if (!before || first < 0 || last <= first || mean_s(before) <= 0) return mean;
    double one = (mean * last - mean_s(before) * first) / (last - first);
    return one > 0 ? one : mean;
}

/* From rates that the report says itself. */
static double seconds_said(const clg_log_reading *r, const clg_step_sample *s) {
    double batch = known(r, s, CLG_SAID_BATCH), seq = known(r, s, CLG_SAID_SEQ);
    double gpus = known(r, s, CLG_SAID_GPUS), tokens = s->value[CLG_SAID_TOKENS];
    if (s->value[CLG_SAID_RATE] > 0) return 1 / s->value[CLG_SAID_RATE];
    if (s->value[CLG_SAID_SAMPLES] > 0 && batch > 0) return batch / s->value[CLG_SAID_SAMPLES];
    if (tokens <= 0 && gpus > 0) tokens = s->value[CLG_SAID_TOKENS_PER_GPU] * gpus;
    return tokens > 0 && batch > 0 && seq > 0 ? batch * seq / tokens : -1;
}

static void time_samples(clg_log_reading *r, size_t count, clg_train_log *log) {
    for (size_t i = count; i-- > 0;) {
        clg_step_sample *s = &r->samples[i];
        double *time = &s->value[CLG_SAID_TIME], said = seconds_said(r, s);
        if (*time >= 0) continue;
        if (mean_s(s) > 0) *time = between_means(i > 0 && !s->restart ? s - 1 : NULL, s);
        if (*time >= 0) continue;
        if (s->value[CLG_SAID_SAMPLES] > 0 || s->value[CLG_SAID_RATE] > 0) *time = said;
        if (*time >= 0) continue;
        double between = i > 0 && !s->restart ? seconds_between(&r->samples[i - 1], s) : -1;
        bool clocked = s->clock_ms >= 0 && count > 1;
        log->by_clock = log->by_clock || clocked;
        *time = clocked ? between : said;
    }
}

/* Warm-up: the first report, and those after it that are slower than the second half's median by
 * more than a tenth; at most half. How many there are. */
static size_t warm_up(clg_log_reading *r, size_t count) {
    double *late = clg_take(&r->scratch, count + 1, double);
    size_t n = 0, skip = count > 1;
    for (size_t i = count / 2; i < count; i++)
        if (r->samples[i].value[CLG_SAID_TIME] >= 0) late[n++] = r->samples[i].value[CLG_SAID_TIME];
    double usual = quantile(late, n, 0.5);
    while (skip < count / 2 && (r->samples[skip].value[CLG_SAID_TIME] < 0 ||
                                r->samples[skip].value[CLG_SAID_TIME] > 1.1 * usual))
        skip++;
    return skip;
}

/* ---- rates ---- */

/* nanotron's batch is in tokens since 2024, in sequences before: its tokens per second tell. */
static double sequences(const clg_log_reading *r, const clg_step_sample *s) {
    double batch = known(r, s, CLG_SAID_BATCH), seq = known(r, s, CLG_SAID_SEQ);
    double ratio = s->value[CLG_SAID_TOKENS] * s->value[CLG_SAID_TIME] / batch;
    bool in_tokens = s->value[CLG_SAID_TOKENS] > 0 && batch > 0 && ratio > 0.9 && ratio < 1.1;
    if (!in_tokens) return batch;
    return seq > 0 ? batch / seq : -1;
}

static double tokens_of(const clg_log_reading *r, const clg_step_sample *s, bool per_gpu) {
    double gpus = known(r, s, CLG_SAID_GPUS), all = known(r, s, CLG_SAID_TOKENS);
    double one = known(r, s, CLG_SAID_TOKENS_PER_GPU), time = s->value[CLG_SAID_TIME];
    double batch = sequences(r, s), seq = known(r, s, CLG_SAID_SEQ);
    if (all < 0 && one >= 0 && gpus > 0) all = one * gpus;
    if (all < 0 && batch > 0 && seq > 0 && time > 0) all = batch * seq / time;
    if (one < 0 && all >= 0 && gpus > 0) one = all / gpus;
    return per_gpu ? one : all;
}

static double median_of(clg_log_reading *r, size_t first, size_t count,
                        double (*of)(const clg_log_reading *, const clg_step_sample *)) {
    double *values = clg_take(&r->scratch, count + 1, double);
    size_t n = 0;
    for (size_t i = first; i < count; i++) {
        double value = r->samples[i].restart ? -1 : of(r, &r->samples[i]);
        if (value >= 0) values[n++] = value;
    }
    return quantile(values, n, 0.5);
}

static double all_tokens(const clg_log_reading *r, const clg_step_sample *s) {
    return tokens_of(r, s, false);
}
static double gpu_tokens(const clg_log_reading *r, const clg_step_sample *s) {
    return tokens_of(r, s, true);
}
static double flop_rate(const clg_log_reading *r, const clg_step_sample *s) {
    (void)r;
    return s->value[CLG_SAID_FLOP_PER_GPU];
}

/* ---- sudden changes and drift ---- */

typedef struct blocks {
    double value[BLOCKS];
    int64_t step[BLOCKS]; /* the first of each */
    int count;
} blocks;

static blocks blocks_of(const clg_log_reading *r, const size_t *used, size_t n) {
    blocks b = {.count = n < BLOCKS ? (int)n : BLOCKS};
    clg_arena arena = {0};
    double *values = clg_take(&arena, n + 1, double);
    for (int i = 0; i < b.count; i++) {
        size_t from = n * (size_t)i / (size_t)b.count, to = n * ((size_t)i + 1) / (size_t)b.count;
        for (size_t k = from; k < to; k++)
            values[k - from] = r->samples[used[k]].value[CLG_SAID_TIME];
        b.value[i] = quantile(values, to - from, 0.5);
        double step = r->samples[used[from]].value[CLG_SAID_STEP];
        b.step[i] = step >= 0 && step < 9e15 ? (int64_t)step : -1;
    }
    clg_arena_clear(&arena);
    return b;
}

static double middle(const blocks *b, int from, int to) {
    double values[BLOCKS];
    memcpy(values, b->value + from, (size_t)(to - from) * sizeof *values);
    return quantile(values, (size_t)(to - from), 0.5);
}

static double spread(const blocks *b, int from, int to) {
    double centre = middle(b, from, to), sum = 0;
    for (int i = from; i < to; i++)
        sum += b->value[i] > centre ? b->value[i] - centre : centre - b->value[i];
    return sum;
}

/* One level before and another after leave little spread about them: a ramp would leave half. */
static void find_change(const blocks *b, clg_train_log *log) {
    double least = spread(b, 0, b->count);
    double most = 0.4 * least;
    for (int i = SIDE; i + SIDE <= b->count; i++) {
        double left = spread(b, 0, i) + spread(b, i, b->count);
        if (left > most || left >= least) continue;
        double before = middle(b, 0, i), after = middle(b, i, b->count);
        if (after < 1.05 * before && before < 1.05 * after) continue;
        least = left;
        log->change_step = b->step[i];
        log->before_s = before;
        log->after_s = after;
    }
}

/* Theil and Sen's slope over the log, as a share of its median step. */
static double drift_of(const blocks *b) {
    double slopes[BLOCKS * BLOCKS / 2];
    size_t n = 0;
    for (int i = 0; i < b->count; i++)
        for (int k = i + 1; k < b->count; k++) slopes[n++] = (b->value[k] - b->value[i]) / (k - i);
    double usual = middle(b, 0, b->count);
    return usual > 0 ? quantile(slopes, n, 0.5) * (b->count - 1) / usual : 0;
}

static void steadiness(const clg_log_reading *r, const size_t *used, size_t n, clg_train_log *log) {
    log->change_step = -1, log->before_s = log->after_s = -1;
    if (n < 2 * SIDE) return;
    blocks b = blocks_of(r, used, n);
    find_change(&b, log);
    if (log->before_s < 0) log->drift = drift_of(&b);
}

/* ---- all together ---- */

static int64_t whole(double value) { return value > 0 && value < 9e15 ? (int64_t)value : -1; }

static void take_times(clg_log_reading *r, size_t first, size_t count, clg_train_log *log) {
    double *times = clg_take(&r->scratch, count + 1, double);
    size_t *used = clg_take(&r->scratch, count + 1, size_t), n = 0;
    for (size_t i = first; i < count; i++)
        if (r->samples[i].value[CLG_SAID_TIME] >= 0 && !r->samples[i].restart) {
            used[n] = i;
            times[n++] = r->samples[i].value[CLG_SAID_TIME];
        }
    steadiness(r, used, n, log);
    log->step_p10_s = quantile(times, n, 0.1);
    log->step_median_s = quantile(times, n, 0.5);
    log->step_p90_s = quantile(times, n, 0.9);
}

static void summarize(clg_log_reading *r, size_t count, clg_train_log *log) {
    const clg_step_sample *last = &r->samples[count - 1];
    time_samples(r, count, log);
    size_t first = warm_up(r, count);
    take_times(r, first, count, log);
    log->steps = (int)count;
    log->discarded = (int)first;
    for (size_t i = 0; i < count; i++) log->restarts += r->samples[i].restart;
    log->first_step = whole(r->samples[0].value[CLG_SAID_STEP]);
    log->last_step = whole(last->value[CLG_SAID_STEP]);
    log->tokens_per_s = median_of(r, first, count, all_tokens);
    log->tokens_per_s_per_gpu = median_of(r, first, count, gpu_tokens);
    log->flop_per_s_per_gpu = median_of(r, first, count, flop_rate);
    double reserved = known(r, last, CLG_SAID_RESERVED);
    log->memory_reserved = reserved > 0;
    log->memory_bytes = reserved > 0 ? reserved : known(r, last, CLG_SAID_ALLOCATED);
    log->gpus = whole(known(r, last, CLG_SAID_GPUS));
    log->batch = whole(sequences(r, last));
    log->seq = whole(known(r, last, CLG_SAID_SEQ));
}

bool clg_train_summarize(clg_log_reading *r, clg_train_log *log) {
    take_mean(r);
    size_t count = select_samples(r, log);
    if (count > 0) summarize(r, count, log);
    return count > 0;
}
