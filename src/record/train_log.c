/* train_log.c -- numbers behind the words that training programs print.
 *
 * Words as in Megatron-LM training_log, Megatron-DeepSpeed, GPT-NeoX training_log, torchtitan
 * MetricsProcessor, DeepSpeed ThroughputTimer and PipelineEngine, nanotron train_step_logs, NeMo's
 * progress bar and printer. A report of several steps is one sample. */
#include "record/train_log.h"

#include "base/quantile.h"

#include <stdlib.h>
#include <string.h>

typedef enum quantity {
    STEP,
    TIME,           /* seconds of a step */
    TOKENS,         /* per second, whole job */
    TOKENS_PER_GPU, /* per second */
    FLOP_PER_GPU,   /* Tflop/s */
    SAMPLES,        /* per second */
    BATCH,          /* sequences of a step */
    SEQ,
    GPUS,
    QUANTITIES
} quantity;

typedef struct word {
    quantity what;
    const char *key;
    double scale;
} word;

static const word words[] = {
    {STEP, "iteration:", 1},
    {STEP, "iteration ", 1},
    {STEP, "step:", 1},
    {STEP, "global_step=", 1},
    {STEP, "global_step:", 1},
    {STEP, "steps:", 1},
    {STEP, "stop] 0/", 1},
    {TIME, "elapsed time per iteration (ms):", 1e-3},
    {TIME, "elapsed_time_per_iteration_ms:", 1e-3},
    {TIME, "time_per_iteration_ms:", 1e-3},
    {TIME, "train_step_timing in s=", 1},
    {TIME, "train_step_timing in s:", 1},
    {TIME, "iter time (s):", 1},
    {TOKENS, "tokens_per_sec:", 1},
    {TOKENS_PER_GPU, "tokens_per_sec_per_gpu:", 1},
    {TOKENS_PER_GPU, "tokens per gpu per second (tgs):", 1},
    {TOKENS_PER_GPU, "tokens per GPU (tokens/s/GPU):", 1},
    {TOKENS_PER_GPU, "Tokens per second per GPU (Tok/s/GPU):", 1},
    {TOKENS_PER_GPU, "tokens/s/GPU inst/harmonic mean:", 1},
    {TOKENS_PER_GPU, "tps:", 1},
    {TOKENS_PER_GPU, "wps:", 1},
    {FLOP_PER_GPU, "throughput per GPU (TFLOP/s/GPU):", 1},
    {FLOP_PER_GPU, "compute per GPU (TFLOP/s/GPU):", 1},
    {FLOP_PER_GPU, "model_tflops_per_gpu:", 1},
    {FLOP_PER_GPU, "approx flops per GPU:", 1},
    {FLOP_PER_GPU, "TFLOPS_per_GPU:", 1},
    {FLOP_PER_GPU, "TFLOPs:", 1},
    {FLOP_PER_GPU, "tflops:", 1},
    {SAMPLES, "samples per second:", 1},
    {SAMPLES, "CurrSamplesPerSec=", 1},
    {SAMPLES, "samples/sec:", 1},
    {BATCH, "global batch size:", 1},
    {BATCH, "global_batch_size:", 1},
    {SEQ, "actual seqlen:", 1},
};

/* What programs print about themselves before they start: "seq_length ........ 4096". */
static const word settings[] = {
    {SEQ, "seq_length", 1},         {SEQ, "seq_len", 1},      {SEQ, "encoder_seq_length", 1},
    {GPUS, "world_size", 1},        {GPUS, "world size:", 1}, {BATCH, "global_batch_size", 1},
    {BATCH, "train_batch_size", 1},
};

/* Which program writes lines with this word; the first that has any in a log is taken, for several
 * may report: DeepSpeed's timer under Megatron. */
typedef struct dialect {
    const char *trainer, *marker, *also; /* also: another word of such lines, or NULL */
} dialect;

static const dialect dialects[] = {
    {"gpt-neox", "approx flops per GPU:", "elapsed time per iteration (ms):"},
    {"megatron-deepspeed", "tokens per gpu per second (tgs):", "elapsed time per iteration (ms):"},
    {"megatron-lm", "elapsed time per iteration (ms):", NULL},
    {"nanotron", "elapsed_time_per_iteration_ms:", NULL},
    {"nanotron", "time_per_iteration_ms:", "tokens_per_sec"},
    {"nemo", "train_step_timing in s", NULL},
    {"deepspeed", "iter time (s):", NULL},
    {"deepspeed", "CurrSamplesPerSec=", NULL},
    {"torchtitan", "tps:", "memory:"},
    {"torchtitan", "wps:", "memory:"},
};
enum {
    WORDS = sizeof words / sizeof words[0],
    SETTINGS = sizeof settings / sizeof settings[0],
    DIALECTS = sizeof dialects / sizeof dialects[0],
    LONGEST_LINE = 4096
};

typedef struct sample {
    double value[QUANTITIES]; /* -1: not said */
    int64_t clock_ms;         /* -1: no time stamp */
    int dialect;
} sample;

typedef struct reading {
    clg_arena scratch;
    sample *samples;
    size_t count, capacity;
    double setting[QUANTITIES]; /* -1: not said */
    int64_t newest[DIALECTS];   /* last step seen: ranks repeat each other */
} reading;

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* After the word `key` in a line; NULL when it is not there as a word. */
static const char *behind(const char *line, const char *key) {
    for (const char *p = line; (p = strstr(p, key)) != NULL; p++)
        if (p == line || !is_letter(p[-1]) || !is_letter(*key)) return p + strlen(key);
    return NULL;
}

static double suffix(const char *p) {
    static const struct {
        char letter;
        double factor;
    } suffixes[] = {{'K', 1e3}, {'M', 1e6}, {'B', 1e9}, {'T', 1e12}};
    for (size_t i = 0; *p && i < sizeof suffixes / sizeof suffixes[0]; i++)
        if (*p == suffixes[i].letter && !is_letter(p[1])) return suffixes[i].factor;
    return 1;
}

/* "7,254", "2.45K", "1.6E+05"; -1 when no number follows. */
static double number_at(const char *p) {
    char digits[40];
    size_t size = 0;
    const char *start = p;
    for (; size + 1 < sizeof digits; p++) {
        bool sign = p > start && (*p == '+' || *p == '-') && (p[-1] == 'E' || p[-1] == 'e');
        bool exponent = (*p == 'E' || *p == 'e') && (p[1] == '+' || p[1] == '-');
        if (*p == ',' && p > start && p[1] >= '0' && p[1] <= '9') continue;
        if (!(*p >= '0' && *p <= '9') && *p != '.' && !sign && !exponent) break;
        digits[size++] = *p;
    }
    int64_t micro;
    if (!clg_scan_decimal((clg_slice){digits, size}, 6, &micro)) return -1;
    return (double)micro * 1e-6 * suffix(p);
}

static double value_behind(const char *p) {
    while (*p == ' ' || *p == '\t') p++;
    return number_at(p);
}

/* "seq_length ........ 4096", "seq_length: 4096", "seq_length=4096". */
static double setting_behind(const char *p) {
    while (*p == ' ' || *p == '.' || *p == ':' || *p == '=') p++;
    return number_at(p);
}

/* Days since 1970 of a date of the Gregorian calendar (Hinnant, chrono-compatible low-level date
 * algorithms, 2013). */
static int64_t days(int64_t y, int64_t m, int64_t d) {
    y -= m <= 2;
    int64_t era = y / 400, of_era = y - era * 400;
    int64_t of_year = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* "2024-08-01 11:00:00,123" anywhere; -1: none. */
static int64_t clock_of(const char *line) {
    static const char shape[] = "dddd-dd-dd dd:dd:dd";
    for (const char *p = line; *p; p++) {
        int64_t field[7] = {0};
        int at = 0, i = 0;
        for (; shape[i]; i++) {
            bool digit = p[i] >= '0' && p[i] <= '9';
            if (shape[i] == 'd' ? !digit : p[i] != shape[i] && !(shape[i] == ' ' && p[i] == 'T'))
                break;
            if (digit)
                field[at] = field[at] * 10 + (p[i] - '0');
            else
                at++;
        }
        if (shape[i]) continue;
        if (p[i] == ',' || p[i] == '.')
            for (int64_t unit = 100; unit && p[++i] >= '0' && p[i] <= '9'; unit /= 10)
                field[6] += unit * (p[i] - '0');
        int64_t minutes = (days(field[0], field[1], field[2]) * 24 + field[3]) * 60 + field[4];
        return (minutes * 60 + field[5]) * 1000 + field[6];
    }
    return -1;
}

static int dialect_of(const char *line) {
    for (int i = 0; i < DIALECTS; i++)
        if (behind(line, dialects[i].marker) &&
            (!dialects[i].also || strstr(line, dialects[i].also)))
            return i;
    return -1;
}

static void take_sample(reading *r, const char *line, int which) {
    sample s = {.clock_ms = clock_of(line), .dialect = which};
    for (int i = 0; i < QUANTITIES; i++) s.value[i] = -1;
    for (int i = 0; i < WORDS; i++) {
        const char *p = s.value[words[i].what] < 0 ? behind(line, words[i].key) : NULL;
        double value = p ? value_behind(p) : -1;
        if (value >= 0) s.value[words[i].what] = value * words[i].scale;
    }
    if (s.value[STEP] >= 0 && s.value[STEP] < 9e15) {
        int64_t step = (int64_t)s.value[STEP];
        if (step == r->newest[which]) return;
        r->newest[which] = step;
    }
    CLG_TRACE_ADD(&r->scratch, r->samples, r->count, r->capacity, s);
}

/* torchtitan: "device mesh with ['dp_shard', 'tp'], [4, 2]". */
static void take_mesh(reading *r, const char *line) {
    const char *p = strstr(line, "device mesh with");
    p = p ? strstr(p, "], [") : NULL;
    double product = 1;
    for (p = p ? p + 4 : NULL; p && *p && *p != ']'; p++)
        if (*p >= '0' && *p <= '9') {
            double value = number_at(p);
            product *= value > 0 ? value : 1;
            while (p[1] >= '0' && p[1] <= '9') p++;
        }
    if (product > 1 && product < 1e9) r->setting[GPUS] = product;
}

static void take_line(reading *r, const char *line) {
    int which = dialect_of(line);
    if (which >= 0) {
        take_sample(r, line, which);
        return;
    }
    for (int i = 0; i < SETTINGS; i++) {
        const char *p = behind(line, settings[i].key);
        double value = p && !is_letter(*p) ? setting_behind(p) : -1;
        if (value > 0 && value < 1e12) r->setting[settings[i].what] = value;
    }
    take_mesh(r, line);
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

static void read_lines(reading *r, clg_slice text) {
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

/* ---- from samples to a step ---- */

/* Nearest rank; -1 without values. Sorts. */
static double quantile(double *values, size_t count, double share) {
    if (count == 0) return -1;
    clg_sort(values, count);
    return values[(size_t)((double)(count - 1) * share + 0.5)];
}

static double known(const reading *r, const sample *s, quantity what) {
    return s->value[what] >= 0 ? s->value[what] : r->setting[what];
}

/* Samples of the first dialect that has any, each with its step time. */
static size_t select_samples(reading *r, clg_train_log *log) {
    int best = DIALECTS;
    for (size_t i = 0; i < r->count; i++)
        if (r->samples[i].dialect < best) best = r->samples[i].dialect;
    if (best == DIALECTS) return 0;
    log->trainer = dialects[best].trainer;
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++)
        if (r->samples[i].dialect == best) r->samples[count++] = r->samples[i];
    return count;
}

static double seconds_between(const sample *a, const sample *b) {
    double steps = b->value[STEP] - a->value[STEP];
    if (a->clock_ms < 0 || b->clock_ms <= a->clock_ms || a->value[STEP] < 0 || steps < 1) return -1;
    return (double)(b->clock_ms - a->clock_ms) * 1e-3 / steps;
}

static void time_samples(reading *r, size_t count, clg_train_log *log) {
    for (size_t i = count; i-- > 0;) {
        sample *s = &r->samples[i];
        double batch = known(r, s, BATCH);
        if (s->value[TIME] < 0 && s->value[SAMPLES] > 0 && batch > 0)
            s->value[TIME] = batch / s->value[SAMPLES];
        if (s->value[TIME] >= 0) continue;
        log->by_clock = true;
        if (i > 0) s->value[TIME] = seconds_between(&r->samples[i - 1], s);
    }
}

/* Warm-up: the first report, and those after it that are slower than the second half's median by
 * more than a tenth; at most half. */
static size_t warm_up(reading *r, size_t count) {
    double *late = clg_take(&r->scratch, count + 1, double);
    size_t n = 0, skip = count > 1;
    for (size_t i = count / 2; i < count; i++)
        if (r->samples[i].value[TIME] >= 0) late[n++] = r->samples[i].value[TIME];
    double usual = quantile(late, n, 0.5);
    while (skip < count / 2 &&
           (r->samples[skip].value[TIME] < 0 || r->samples[skip].value[TIME] > 1.1 * usual))
        skip++;
    return skip;
}

static double tokens_of(const reading *r, const sample *s, bool per_gpu) {
    double gpus = known(r, s, GPUS), all = s->value[TOKENS], one = s->value[TOKENS_PER_GPU];
    double batch = known(r, s, BATCH), seq = known(r, s, SEQ), time = s->value[TIME];
    if (all < 0 && one >= 0 && gpus > 0) all = one * gpus;
    if (all < 0 && batch > 0 && seq > 0 && time > 0) all = batch * seq / time;
    if (one < 0 && all >= 0 && gpus > 0) one = all / gpus;
    return per_gpu ? one : all;
}

static double median_of(reading *r, size_t first, size_t count,
                        double (*of)(const reading *, const sample *)) {
    double *values = clg_take(&r->scratch, count + 1, double);
    size_t n = 0;
    for (size_t i = first; i < count; i++) {
        double value = of(r, &r->samples[i]);
        if (value >= 0) values[n++] = value;
    }
    return quantile(values, n, 0.5);
}

static double all_tokens(const reading *r, const sample *s) { return tokens_of(r, s, false); }
static double gpu_tokens(const reading *r, const sample *s) { return tokens_of(r, s, true); }

static double flop_rate(const reading *r, const sample *s) {
    (void)r;
    return s->value[FLOP_PER_GPU] >= 0 ? s->value[FLOP_PER_GPU] * 1e12 : -1;
}

static int64_t whole(double value) { return value > 0 && value < 9e15 ? (int64_t)value : -1; }

static void summarize(reading *r, size_t count, clg_train_log *log) {
    time_samples(r, count, log);
    size_t first = warm_up(r, count), n = 0;
    double *times = clg_take(&r->scratch, count + 1, double);
    for (size_t i = first; i < count; i++)
        if (r->samples[i].value[TIME] >= 0) times[n++] = r->samples[i].value[TIME];
    log->steps = (int)count;
    log->discarded = (int)first;
    log->first_step = whole(r->samples[0].value[STEP]);
    log->last_step = whole(r->samples[count - 1].value[STEP]);
    log->step_p10_s = quantile(times, n, 0.1);
    log->step_median_s = quantile(times, n, 0.5);
    log->step_p90_s = quantile(times, n, 0.9);
    log->tokens_per_s = median_of(r, first, count, all_tokens);
    log->tokens_per_s_per_gpu = median_of(r, first, count, gpu_tokens);
    log->flop_per_s_per_gpu = median_of(r, first, count, flop_rate);
    const sample *last = &r->samples[count - 1];
    log->gpus = whole(known(r, last, GPUS));
    log->batch = whole(known(r, last, BATCH));
    log->seq = whole(known(r, last, SEQ));
}

bool clg_train_log_read(clg_train_logs *logs, const char *file, clg_slice text) {
    reading r = {0};
    clg_train_log log = {.file = file};
    for (int i = 0; i < QUANTITIES; i++) r.setting[i] = -1;
    for (int i = 0; i < DIALECTS; i++) r.newest[i] = -1;
    read_lines(&r, text);
    size_t count = select_samples(&r, &log);
    if (count > 0) {
        summarize(&r, count, &log);
        CLG_TRACE_ADD(logs->arena, logs->log, logs->count, logs->capacity, log);
    }
    clg_arena_clear(&r.scratch);
    return count > 0;
}
