/* train_words.c -- the words that training programs print, one row each, and the numbers behind.
 *
 * Words as in Megatron-LM training_log and report_memory, Megatron-Bridge train_utils,
 * Megatron-DeepSpeed, GPT-NeoX logging, torchtitan MetricsProcessor, DeepSpeed ThroughputTimer and
 * PipelineEngine, nanotron train_step_logs, NeMo's progress bar and printer, Composer's
 * SpeedMonitor and MemoryMonitor (llm-foundry), OLMo-core SpeedMonitor, MaxText metric_logger,
 * Hugging Face speed_metrics, axolotl's trainer, ms-swift's log (GiB reserved; its speed is the
 * mean since the start), torchtune's file (GiB), nanochat, nanoGPT's train.py and its speedrun's
 * (means, too), OLMo's peak_gpu_memory (10^6 bytes). DeepSpeed and axolotl's "GB" are 2^30 bytes
 * in their code, Megatron's "MB" 2^20, Composer's 10^9. */
#include "base/letters.h"
#include "record/train_reading.h"

#include <string.h>

#define GIB (1024.0 * 1024.0 * 1024.0)

typedef struct word {
    clg_said what;
    const char *key;
    double scale;
} word;

static const word words[] = {
    {CLG_SAID_STEP, "iteration:", 1},
    {CLG_SAID_STEP, "iteration ", 1},
    {CLG_SAID_STEP, "iter ", 1},
    {CLG_SAID_STEP, "step:", 1},
    {CLG_SAID_STEP, "global_step=", 1},
    {CLG_SAID_STEP, "/global_step=", 1},
    {CLG_SAID_STEP, "global_step:", 1},
    {CLG_SAID_STEP, "steps:", 1},
    {CLG_SAID_STEP, "global_step/max_steps:", 1},
    {CLG_SAID_STEP, "step ", 1},
    {CLG_SAID_STEP, "Step ", 1},
    {CLG_SAID_STEP, "stop] 0/", 1},
    {CLG_SAID_STEP, "] 0/", 1},
    {CLG_SAID_STEP, "[batch=", 1},
    {CLG_SAID_STEP, "[step=", 1},
    {CLG_SAID_TIME, "elapsed time per iteration (ms):", 1e-3},
    {CLG_SAID_TIME, "elapsed_time_per_iteration_ms:", 1e-3},
    {CLG_SAID_TIME, "time_per_iteration_ms:", 1e-3},
    {CLG_SAID_TIME, "train_step_timing in s=", 1},
    {CLG_SAID_TIME, "train_step_timing in s:", 1},
    {CLG_SAID_TIME, "iter time (s):", 1},
    {CLG_SAID_TIME, "Step Time :", 1},
    {CLG_SAID_TIME, "seconds:", 1},
    {CLG_SAID_MEAN_TIME, "train_speed(s/it):", 1},
    {CLG_SAID_MEAN_TIME, "step_avg:", 1e-3},
    {CLG_SAID_TIME, "dt:", 1e-3},
    {CLG_SAID_TIME, ", time ", 1e-3},
    {CLG_SAID_RATE, "throughput/batches_per_sec:", 1},
    {CLG_SAID_RATE, "throughput/device/BPS=", 1},
    {CLG_SAID_RATE, "throughput/device/batches_per_second=", 1},
    {CLG_SAID_MEAN_RATE, "train_speed(iter/s):", 1},
    {CLG_SAID_TOKENS, "tokens_per_sec:", 1},
    {CLG_SAID_TOKENS, "tok/sec:", 1},
    {CLG_SAID_TOKENS, "throughput/tokens_per_sec:", 1},
    {CLG_SAID_TOKENS_PER_GPU, "tokens_per_sec_per_gpu:", 1},
    {CLG_SAID_TOKENS_PER_GPU, "tokens per gpu per second (tgs):", 1},
    {CLG_SAID_TOKENS_PER_GPU, "tokens per GPU (tokens/s/GPU):", 1},
    {CLG_SAID_TOKENS_PER_GPU, "Tokens per second per GPU (Tok/s/GPU):", 1},
    {CLG_SAID_TOKENS_PER_GPU, "tokens/s/GPU inst/harmonic mean:", 1},
    {CLG_SAID_TOKENS_PER_GPU, "Tokens/s/device:", 1},
    {CLG_SAID_TOKENS_PER_GPU, "throughput/device/tokens_per_sec:", 1},
    {CLG_SAID_TOKENS_PER_GPU, "throughput/device/TPS=", 1},
    {CLG_SAID_TOKENS_PER_GPU, "throughput/device/tokens_per_second=", 1},
    {CLG_SAID_TOKENS_PER_GPU, "tokens_per_second_per_gpu:", 1},
    {CLG_SAID_TOKENS_PER_GPU, "tps:", 1},
    {CLG_SAID_TOKENS_PER_GPU, "wps:", 1},
    {CLG_SAID_FLOP_PER_GPU, "throughput per GPU (TFLOP/s/GPU):", 1e12},
    {CLG_SAID_FLOP_PER_GPU, "compute per GPU (TFLOP/s/GPU):", 1e12},
    {CLG_SAID_FLOP_PER_GPU, "model_tflops_per_gpu:", 1e12},
    {CLG_SAID_FLOP_PER_GPU, "approx flops per GPU:", 1e12},
    {CLG_SAID_FLOP_PER_GPU, "TFLOPS_per_GPU:", 1e12},
    {CLG_SAID_FLOP_PER_GPU, "TFLOP/s/device:", 1e12},
    {CLG_SAID_FLOP_PER_GPU, "TFLOP/s:", 1e12},
    {CLG_SAID_FLOP_PER_GPU, "GPU utilization:", 1e12},
    {CLG_SAID_FLOP_PER_GPU, "throughput/device/flops_per_sec:", 1},
    {CLG_SAID_FLOP_PER_GPU, "TFLOPs:", 1e12},
    {CLG_SAID_FLOP_PER_GPU, "tflops:", 1e12},
    {CLG_SAID_SAMPLES, "samples per second:", 1},
    {CLG_SAID_SAMPLES, "CurrSamplesPerSec=", 1},
    {CLG_SAID_SAMPLES, "SamplesPerSec=", 1},
    {CLG_SAID_SAMPLES, "samples/sec:", 1},
    {CLG_SAID_SAMPLES, "throughput/samples_per_sec:", 1},
    {CLG_SAID_BATCH, "global batch size:", 1},
    {CLG_SAID_BATCH, "global_batch_size:", 1},
    {CLG_SAID_SEQ, "actual seqlen:", 1},
    {CLG_SAID_SEQ, "actual_seqlen:", 1},
};

/* Peaks, on any line. */
static const word peaks[] = {
    {CLG_SAID_RESERVED, "max reserved:", 1024.0 * 1024.0},
    {CLG_SAID_RESERVED, "Max_CA", GIB},
    {CLG_SAID_RESERVED, "memory/peak_reserved_mem:", 1e9},
    {CLG_SAID_RESERVED, "memory/device_reserved (GiB)", GIB},
    {CLG_SAID_RESERVED, "memory/device_mem_reserved(gib)", GIB},
    {CLG_SAID_RESERVED, "memory(GiB):", GIB},
    {CLG_SAID_RESERVED, "peak_memory_reserved:", GIB},
    {CLG_SAID_RESERVED, "max_memory_reserved:", 1},
    {CLG_SAID_RESERVED, "cuda_max_memory_reserved:", 1},
    {CLG_SAID_ALLOCATED, "max allocated:", 1024.0 * 1024.0},
    {CLG_SAID_ALLOCATED, "Max_MA", GIB},
    {CLG_SAID_ALLOCATED, "MaxMemAllocated=", GIB},
    {CLG_SAID_ALLOCATED, "memory/peak_allocated_mem:", 1e9},
    {CLG_SAID_ALLOCATED, "memory/max_allocated (GiB)", GIB},
    {CLG_SAID_ALLOCATED, "memory/max_mem_allocated(gib)", GIB},
    {CLG_SAID_ALLOCATED, "memory/max_memory_allocated", GIB},
    {CLG_SAID_ALLOCATED, "System/Peak GPU Memory (MB)=", 1e6},
    {CLG_SAID_ALLOCATED, "peak_memory_usage:", 1},
    {CLG_SAID_ALLOCATED, "GPU memory usage while training:", GIB},
};

/* What programs print about themselves: "seq_length ........ 4096". */
static const word settings[] = {
    {CLG_SAID_SEQ, "seq_length", 1},
    {CLG_SAID_SEQ, "seq_len", 1},
    {CLG_SAID_SEQ, "encoder_seq_length", 1},
    {CLG_SAID_SEQ, "sequence length", 1},
    {CLG_SAID_SEQ, "sequence_length", 1},
    {CLG_SAID_SEQ, "max_seq_len", 1},
    {CLG_SAID_GPUS, "world_size", 1},
    {CLG_SAID_GPUS, "world size:", 1},
    {CLG_SAID_BATCH, "global_batch_size", 1},
    {CLG_SAID_BATCH, "global_train_batch_size", 1},
    {CLG_SAID_BATCH, "global batch size", 1},
    {CLG_SAID_BATCH, "train_batch_size", 1},
    {CLG_SAID_BATCH, "(w. parallel, distributed & accumulation)", 1},
    {CLG_SAID_TOTAL, "Total optimization steps", 1},
    {CLG_SAID_RATE, "train_steps_per_second", 1},
    {CLG_SAID_TOKENS, "train_tokens_per_second", 1},
    {CLG_SAID_TOKENS_PER_GPU, "tokens_per_second_per_gpu", 1},
};

const clg_dialect clg_dialects[CLG_DIALECTS] = {
    {"gpt-neox", "gpt-neox", "approx flops per GPU:", "elapsed time per iteration (ms):", false},
    {"megatron-deepspeed", "megatron-deepspeed",
     "tokens per gpu per second (tgs):", "elapsed time per iteration (ms):", false},
    {"megatron", "megatron-lm", "elapsed time per iteration (ms):", NULL, false},
    {"megatron-deepspeed", "megatron-deepspeed",
     "elapsed_time_per_iteration_ms:", "consumed_samples", false},
    {"nanotron", "nanotron", "elapsed_time_per_iteration_ms:", NULL, false},
    {"nanotron", "nanotron", "time_per_iteration_ms:", "tokens_per_sec", false},
    {"nemo", "nemo", "train_step_timing in s", NULL, false},
    {"torchtitan", "torchtitan", "tps:", "memory:", false},
    {"torchtitan", "torchtitan", "wps:", "memory:", false},
    [CLG_DIALECT_BAR] = {"hf", "hugging face", "it/s]it/s]", NULL, false},
    {"deepspeed", "deepspeed", "iter time (s):", NULL, false},
    {"deepspeed", "deepspeed", "CurrSamplesPerSec=", NULL, false},
    {"deepspeed", "deepspeed", "SamplesPerSec=", "/", false},
    {"llm-foundry", "llm-foundry", "[batch=", "]:", true},
    {"olmo-core", "olmo", "[step=", "]", true},
    {"nanogpt", "nanogpt", "iter ", ": loss ", false},
    {"nanogpt", "nanogpt", "step_avg:", "train_time:", false},
    {"maxtext", "maxtext", "completed step:", "seconds:", false},
    {"nanogpt", "nanochat", "tok/sec:", "dt:", false},
    {"torchtune", "torchtune", "tokens_per_second_per_gpu:", "loss:", false},
    {"ms-swift", "ms-swift", "train_speed(", "loss", false},
    {"bridge", "megatron-bridge", "Step Time :", "GPU utilization:", false},
    {"hf", "hugging face", "train_steps_per_second.", NULL, false},
    [CLG_DIALECT_EXPORT] = {"wandb", "w&b", "wandb export", NULL, false},
    {"tensorboard", "tensorboard", "tensorboard export", NULL, false},
};
enum {
    WORDS = sizeof words / sizeof words[0],
    PEAKS = sizeof peaks / sizeof peaks[0],
    SETTINGS = sizeof settings / sizeof settings[0]
};

/* Behind `key` where it begins at p, else NULL. Its colon may be written "=", and stand behind the
 * quote that ends a name: loggers differ in that from one fork to the next. */
static const char *behind(const char *p, const char *key) {
    size_t size = strlen(key);
    bool colon = key[size - 1] == ':';
    if (strncmp(p, key, size - colon) != 0) return NULL;
    p += size - colon;
    if (!colon) return p;
    if (*p == '"' || *p == '\'') p++;
    return *p == ':' || *p == '=' ? p + 1 : NULL;
}

/* After the word `key` in a line; NULL when it is not there as a word. */
static const char *word_behind(const char *line, const char *key) {
    for (const char *p = line; (p = strchr(p, *key)) != NULL; p++) {
        bool whole = p == line || (!clg_in_name(p[-1]) && p[-1] != '/') || !clg_in_name(*key);
        const char *end = whole ? behind(p, key) : NULL;
        if (end) return end;
    }
    return NULL;
}

static double suffix(const char *p) {
    static const struct {
        char letter;
        double factor;
    } suffixes[] = {{'K', 1e3}, {'M', 1e6}, {'B', 1e9}, {'T', 1e12}};
    for (size_t i = 0; *p && i < sizeof suffixes / sizeof suffixes[0]; i++)
        if (*p == suffixes[i].letter && !clg_in_name(p[1])) return suffixes[i].factor;
    return 1;
}

/* "7,254", "2.45K", "1.6E+05"; -1 when no number follows. */
double clg_number_at(const char *p) {
    char digits[40];
    size_t size = 0;
    const char *start = p;
    for (; size + 1 < sizeof digits; p++) {
        bool sign = p > start && (*p == '+' || *p == '-') && (p[-1] == 'E' || p[-1] == 'e');
        bool exponent = (*p == 'E' || *p == 'e') && (p[1] == '+' || p[1] == '-');
        if (*p == ',' && p > start && clg_is_digit(p[1])) continue;
        if (!clg_is_digit(*p) && *p != '.' && !sign && !exponent) break;
        digits[size++] = *p;
    }
    int64_t scaled;
    if (clg_scan_decimal((clg_slice){digits, size}, 6, &scaled))
        return (double)scaled * 1e-6 * suffix(p);
    if (clg_scan_decimal((clg_slice){digits, size}, 0, &scaled)) return (double)scaled * suffix(p);
    return -1;
}

double clg_value_behind(const char *p) {
    while (*p == ' ' || *p == '\t' || *p == '\'' || *p == '"') p++;
    return clg_number_at(p);
}

/* "seq_length ........ 4096", "seq_length: 4096", "seq_length=4096". */
static double setting_behind(const char *p) {
    while (*p && strchr(" .:='\"", *p)) p++;
    return clg_number_at(p);
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
int64_t clg_clock_of(const char *line) {
    static const char shape[] = "dddd-dd-dd dd:dd:dd";
    for (const char *p = line; *p; p++) {
        int64_t field[7] = {0};
        int at = 0, i = 0;
        for (; shape[i]; i++) {
            bool digit = clg_is_digit(p[i]);
            if (shape[i] == 'd' ? !digit : p[i] != shape[i] && !(shape[i] == ' ' && p[i] == 'T'))
                break;
            if (digit)
                field[at] = field[at] * 10 + (p[i] - '0');
            else
                at++;
        }
        if (shape[i]) continue;
        if (p[i] == ',' || p[i] == '.')
            for (int64_t unit = 100; unit && clg_is_digit(p[++i]); unit /= 10)
                field[6] += unit * (p[i] - '0');
        int64_t minutes = (days(field[0], field[1], field[2]) * 24 + field[3]) * 60 + field[4];
        return (minutes * 60 + field[5]) * 1000 + field[6];
    }
    return -1;
}

clg_step_sample clg_sample_empty(int dialect) {
    clg_step_sample s = {.clock_ms = -1, .dialect = dialect};
    for (int i = 0; i < CLG_SAIDS; i++) s.value[i] = -1;
    return s;
}

int clg_dialect_of(const char *line) {
    for (int i = 0; i < CLG_DIALECTS; i++)
        if (word_behind(line, clg_dialects[i].marker) &&
            (!clg_dialects[i].also || strstr(line, clg_dialects[i].also)))
            return i;
    return -1;
}

const char *clg_record_next(const char *line, int dialect) {
    const char *marker = clg_dialects[dialect].marker, *first = word_behind(line, marker);
    const char *again = first ? word_behind(first, marker) : NULL, *next = NULL;
    if (!again) return NULL;
    for (int i = 0; i < WORDS && words[i].what == CLG_SAID_STEP; i++) {
        const char *p = word_behind(first, words[i].key);
        if (p && p - strlen(words[i].key) < again && (!next || p < next))
            next = p - strlen(words[i].key);
    }
    return next && next > line ? next : NULL;
}

void clg_words_take(clg_step_sample *s, const char *line) {
    for (int i = 0; i < WORDS; i++) {
        const char *p = s->value[words[i].what] < 0 ? word_behind(line, words[i].key) : NULL;
        double value = p ? clg_value_behind(p) : -1;
        if (value >= 0) s->value[words[i].what] = value * words[i].scale;
    }
}

static void take_peaks(clg_log_reading *r, const char *line) {
    for (int i = 0; i < PEAKS; i++) {
        const char *p = word_behind(line, peaks[i].key);
        bool whole = p && (!clg_in_name(*p) || !clg_in_name(p[-1])); /* the word ends there */
        double bytes = whole ? setting_behind(p) * peaks[i].scale : -1;
        if (bytes > r->setting[peaks[i].what] && bytes < 1e15) r->setting[peaks[i].what] = bytes;
    }
    const char *p = word_behind(line, "memory:"); /* torchtitan: what is reserved */
    const char *unit = p ? strstr(p, "GiB(") : NULL;
    double bytes = unit && unit - p < 12 ? clg_value_behind(p) * GIB : -1;
    if (bytes > r->setting[CLG_SAID_RESERVED] && bytes < 1e15)
        r->setting[CLG_SAID_RESERVED] = bytes;
}

/* torchtitan: "device mesh with ['dp_shard', 'tp'], [4, 2]". */
static double old_mesh(const char *p) {
    double product = 1;
    p = strstr(p, "], [");
    for (p = p ? p + 4 : NULL; p && *p && *p != ']'; p++)
        if (clg_is_digit(*p)) {
            double value = clg_number_at(p);
            product *= value > 0 ? value : 1;
            while (clg_is_digit(p[1])) p++;
        }
    return product;
}

/* "device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=8, cp=1, tp=2, ep=1": experts live
 * inside the others. */
static double new_mesh(const char *p) {
    static const char *const axes[] = {"pp=", "dp_replicate=", "dp_shard=", "cp=", "tp="};
    double product = 1;
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
        const char *at = word_behind(p, axes[i]);
        double value = at ? clg_number_at(at) : -1;
        product *= value > 0 ? value : 1;
    }
    return product;
}

static void take_mesh(clg_log_reading *r, const char *line) {
    const char *p = strstr(line, "device mesh with");
    if (!p) return;
    double product = strstr(p, "parallelism:") ? new_mesh(p) : old_mesh(p);
    if (product > 1 && product < 1e9) r->setting[CLG_SAID_GPUS] = product;
}

void clg_settings_take(clg_log_reading *r, const char *line) {
    take_peaks(r, line);
    r->hf = r->hf || strstr(line, "{'loss'") || strstr(line, "train_runtime") ||
            strstr(line, "***** Running training");
    r->axolotl = r->axolotl || strstr(line, "axolotl");
    r->nemo = r->nemo || strstr(line, "reduced_train_loss");
    r->lightning = r->lightning || strstr(line, "v_num=") || strstr(line, "GPU available: True") ||
                   strstr(line, "lightning");
    if (clg_dialect_of(line) >= 0) return;
    for (int i = 0; i < SETTINGS; i++) {
        const char *p = word_behind(line, settings[i].key);
        double value = p && !clg_in_name(*p) ? setting_behind(p) : -1;
        bool ranks =
            settings[i].what == CLG_SAID_GPUS; /* a part of the program may count its own */
        double *setting = &r->setting[settings[i].what];
        if (value > 0 && value < 1e12 && !(ranks && value < *setting)) *setting = value;
    }
    take_mesh(r, line);
}
