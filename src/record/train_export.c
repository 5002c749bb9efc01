/* train_export.c -- tables of a run as W&B and TensorBoard hand them out.
 *
 * W&B: CSV with "Step" and "RUN - metric" columns, a run's history as CSV, JSON or JSON Lines
 * (_step, _runtime, _timestamp). TensorBoard: CSV "Wall time,Step,Value" or JSON rows of the same
 * three of one scalar, which its file's name tells. LLaMA-Factory's trainer_log.jsonl too. */
#include "record/train_reading.h"

#include "base/csv.h"
#include "base/json.h"
#include "base/letters.h"

#include <string.h>

typedef struct column {
    const char *name;
    clg_said what;
    double scale;
} column;

/* Metrics as Megatron-LM, torchtitan, nanotron, Composer, NeMo, Hugging Face and axolotl log them.
 */
static const column columns[] = {
    {"_step", CLG_SAID_STEP, 1},
    {"step", CLG_SAID_STEP, 1},
    {"train/global_step", CLG_SAID_STEP, 1},
    {"trainer/global_step", CLG_SAID_STEP, 1},
    {"global_step", CLG_SAID_STEP, 1},
    {"current_steps", CLG_SAID_STEP, 1},
    {"iteration-time", CLG_SAID_TIME, 1},
    {"iteration_time", CLG_SAID_TIME, 1},
    {"train_step_timing in s", CLG_SAID_TIME, 1},
    {"time_metrics/end_to_end(s)", CLG_SAID_TIME, 1},
    {"time_per_iteration_ms", CLG_SAID_TIME, 1e-3},
    {"elapsed_time_per_iteration_ms", CLG_SAID_TIME, 1e-3},
    {"throughput/batches_per_sec", CLG_SAID_RATE, 1},
    {"train/train_steps_per_second", CLG_SAID_RATE, 1},
    {"throughput(tps)", CLG_SAID_TOKENS_PER_GPU, 1},
    {"tokens_per_sec_per_gpu", CLG_SAID_TOKENS_PER_GPU, 1},
    {"throughput/device/tokens_per_sec", CLG_SAID_TOKENS_PER_GPU, 1},
    {"throughput/device/TPS", CLG_SAID_TOKENS_PER_GPU, 1},
    {"tokens_per_sec", CLG_SAID_TOKENS, 1},
    {"throughput/tokens_per_sec", CLG_SAID_TOKENS, 1},
    {"tflops", CLG_SAID_FLOP_PER_GPU, 1e12},
    {"model_tflops_per_gpu", CLG_SAID_FLOP_PER_GPU, 1e12},
    {"TFLOPS_per_GPU", CLG_SAID_FLOP_PER_GPU, 1e12},
    {"throughput", CLG_SAID_FLOP_PER_GPU, 1e12},
    {"throughput/device/flops_per_sec", CLG_SAID_FLOP_PER_GPU, 1},
    {"memory/max_reserved(GiB)", CLG_SAID_RESERVED, 1024.0 * 1024.0 * 1024.0},
    {"memory/peak_reserved_mem", CLG_SAID_RESERVED, 1e9},
    {"mem-reserved-bytes", CLG_SAID_RESERVED, 1},
    {"mem-max-allocated-bytes", CLG_SAID_ALLOCATED, 1},
    {"batch-size", CLG_SAID_BATCH, 1},
    {"global_batch_size", CLG_SAID_BATCH, 1},
};

static const char *const clocks[] = {
    "_timestamp",           "_runtime",    "Wall time", "Relative Time (Process)",
    "Relative Time (Wall)", "elapsed_time"};

static bool same(const char *a, const char *b) {
    for (; *a && *b; a++, b++)
        if (clg_lower(*a) != clg_lower(*b)) return false;
    return *a == *b;
}

/* "run-7 - iteration-time" is the metric of one of several runs. */
static const char *metric_of(const char *name) {
    const char *dash = strstr(name, " - ");
    return dash ? dash + 3 : name;
}

static const column *column_named(const char *name) {
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        if (same(columns[i].name, metric_of(name))) return &columns[i];
    return NULL;
}

static bool is_clock(const char *name) {
    for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++)
        if (same(clocks[i], name)) return true;
    return false;
}

/* "1:02:03" or seconds; milliseconds, -1: neither. */
static int64_t clock_of(const char *text) {
    double seconds = 0, part = clg_number_at(text);
    if (part < 0) return -1;
    for (const char *p = text; p; p = strchr(p, ':') ? strchr(p, ':') + 1 : NULL)
        seconds = seconds * 60 + (clg_number_at(p) > 0 ? clg_number_at(p) : 0);
    return seconds < 9e12 ? (int64_t)(seconds * 1e3 + 0.5) : -1;
}

static void take_field(clg_step_sample *s, const char *name, const char *text) {
    const column *c = column_named(name);
    double value = clg_number_at(text);
    if (is_clock(name) && s->clock_ms < 0) s->clock_ms = clock_of(text);
    if (c && value >= 0 && s->value[c->what] < 0) s->value[c->what] = value * c->scale;
}

/* W&B's rows may hold one metric each: only those that say a step and something of it count. */
static void take_row(clg_log_reading *r, clg_step_sample s) {
    bool rate = false;
    for (int i = CLG_SAID_TIME; i <= CLG_SAID_SAMPLES; i++) rate = rate || s.value[i] > 0;
    for (int i = CLG_SAID_RESERVED; i <= CLG_SAID_ALLOCATED; i++)
        if (s.value[i] > r->setting[i]) r->setting[i] = s.value[i];
    if (s.value[CLG_SAID_STEP] >= 0 && (rate || s.clock_ms >= 0)) clg_sample_add(r, s);
}

/* ---- the scalar of a TensorBoard file ---- */

static clg_said scalar_of(const char *file, double *scale) {
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        if (columns[i].what != CLG_SAID_STEP && strstr(file, columns[i].name)) {
            *scale = columns[i].scale;
            return columns[i].what;
        }
    return CLG_SAID_STEP;
}

static void take_scalar(clg_log_reading *r, const char *file, const char *wall, const char *step,
                        const char *value) {
    clg_step_sample s = clg_sample_empty(CLG_DIALECT_EXPORT + 1);
    double scale = 1, number = clg_number_at(value);
    clg_said what = scalar_of(file, &scale);
    s.clock_ms = clock_of(wall);
    s.value[CLG_SAID_STEP] = clg_number_at(step);
    if (what != CLG_SAID_STEP && number >= 0) s.value[what] = number * scale;
    take_row(r, s);
}

/* ---- forms ---- */

static bool read_csv(clg_log_reading *r, const char *file, clg_slice text) {
    clg_csv csv;
    clg_error none = {0};
    if (clg_csv_parse(&r->scratch, file, text.text, text.size, &csv, &none) != CLG_OK) return false;
    bool scalar = csv.columns == 3 && same(csv.column[0], "Wall time");
    for (int row = 0; row < csv.rows; row++) {
        const char *const *field = csv.row[row].field;
        clg_step_sample s = clg_sample_empty(CLG_DIALECT_EXPORT);
        if (scalar) {
            take_scalar(r, file, field[0], field[1], field[2]);
            continue;
        }
        for (int i = 0; i < csv.columns; i++) take_field(&s, csv.column[i], field[i]);
        take_row(r, s);
    }
    return r->count > 0;
}

static const char *word_of(const clg_json *node) {
    bool said = node->kind == CLG_JSON_NUMBER || node->kind == CLG_JSON_STRING;
    return said ? node->text : "";
}

static void take_node(clg_log_reading *r, const char *file, const clg_json *node) {
    bool own = clg_json_member(node, "current_steps") != NULL;
    if (node->kind == CLG_JSON_ARRAY && node->count == 3) {
        const clg_json *step = node->first->next;
        take_scalar(r, file, word_of(node->first), word_of(step), word_of(step->next));
        return;
    }
    if (node->kind != CLG_JSON_OBJECT) return;
    clg_step_sample s = clg_sample_empty(own ? CLG_DIALECT_BAR : CLG_DIALECT_EXPORT);
    for (const clg_json *one = node->first; one; one = one->next) {
        bool tokens = own && strcmp(one->key, "throughput") == 0;
        if (!tokens)
            take_field(&s, one->key, word_of(one));
        else if (one->kind == CLG_JSON_NUMBER)
            s.value[CLG_SAID_TOKENS] = one->number;
    }
    r->hf = r->hf || own;
    take_row(r, s);
}

/* One JSON text, or one on each line. */
static bool read_json(clg_log_reading *r, const char *file, clg_slice text) {
    clg_json *root;
    clg_error none = {0};
    if (clg_json_parse(&r->scratch, file, text.text, text.size, &root, &none) == CLG_OK) {
        if (root->kind == CLG_JSON_OBJECT) take_node(r, file, root);
        for (const clg_json *one = root->kind == CLG_JSON_ARRAY ? root->first : NULL; one;
             one = one->next)
            take_node(r, file, one);
        return r->count > 0;
    }
    for (size_t at = 0; at < text.size;) {
        const char *end = memchr(text.text + at, '\n', text.size - at);
        size_t size = end ? (size_t)(end - text.text) - at : text.size - at;
        if (clg_json_parse(&r->scratch, file, text.text + at, size, &root, &none) == CLG_OK)
            take_node(r, file, root);
        at += size + 1;
    }
    return r->count > 0;
}

/* What a table of steps cannot be without, in its first lines. */
static bool is_export(clg_slice text) {
    static const char *const words[] = {
        "Wall time,Step,Value", "\"_step\"",         "_step,", "\"Step\"", "_runtime",
        "_timestamp",           "\"current_steps\"", "Step,"};
    char head[2048];
    size_t size = text.size < sizeof head - 1 ? text.size : sizeof head - 1;
    memcpy(head, text.text, size);
    head[size] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(head, words[i])) return true;
    return size > 2 && head[0] == '[' && head[1] == '[';
}

bool clg_train_export_read(clg_log_reading *r, const char *file, clg_slice text) {
    if (text.size == 0 || !is_export(text)) return false;
    bool json = text.text[0] == '{' || text.text[0] == '[';
    return json ? read_json(r, file, text) : read_csv(r, file, text);
}
