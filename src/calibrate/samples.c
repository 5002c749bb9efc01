/* samples.c -- which form a text has; JSON Lines; names. */
#include "calibrate/samples.h"

#include "base/json.h"
#include "base/name.h"
#include "calibrate/fit_terms.h"
#include "machine/machine.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { MOST_SAMPLES = 2000000 };

/* Letters and digits in lower case: "All_Reduce" and "allreduce" are one word. */
static void squeeze(const char *word, char *out, size_t size) {
    size_t used = 0;
    for (; *word && used + 1 < size; word++)
        if (isalnum((unsigned char)*word)) out[used++] = (char)tolower((unsigned char)*word);
    out[used] = '\0';
}

static int look_up(const clg_name *names, const char *word) {
    char plain[32];
    squeeze(word, plain, sizeof plain);
    for (; names->name; names++)
        if (strcmp(names->name, plain) == 0) return names->value;
    return -1;
}

int clg_samples_collective(const char *word) {
    static const clg_name names[] = {{"allreduce", CLG_ALL_REDUCE, NULL},
                                     {"allgather", CLG_ALL_GATHER, NULL},
                                     {"reducescatter", CLG_REDUCE_SCATTER, NULL},
                                     {"alltoall", CLG_ALL_TO_ALL, NULL},
                                     {"all2all", CLG_ALL_TO_ALL, NULL},
                                     {"sendrecv", CLG_SEND_RECEIVE, NULL},
                                     {"sendreceive", CLG_SEND_RECEIVE, NULL},
                                     {"broadcast", CLG_BROADCAST, NULL},
                                     {NULL, 0, NULL}};
    return look_up(names, word);
}

int clg_samples_precision(const char *word) {
    static const clg_name names[] = {
        {"fp32", CLG_FP32, NULL},        {"float32", CLG_FP32, NULL}, {"float", CLG_FP32, NULL},
        {"tf32", CLG_TF32, NULL},        {"fp16", CLG_FP16, NULL},    {"float16", CLG_FP16, NULL},
        {"half", CLG_FP16, NULL},        {"bf16", CLG_BF16, NULL},    {"bfloat16", CLG_BF16, NULL},
        {"fp8", CLG_FP8, NULL},          {"fp8e4m3", CLG_FP8, NULL},  {"float8", CLG_FP8, NULL},
        {"float8e4m3fn", CLG_FP8, NULL}, {"fp8block", CLG_FP8, NULL}, {"mxfp8", CLG_MXFP8, NULL},
        {"nvfp4", CLG_NVFP4, NULL},      {"mxfp4", CLG_MXFP4, NULL},  {NULL, 0, NULL}};
    return look_up(names, word);
}

/* The built-in name of a GPU, or NULL. The first kinds of a text are looked up; whoever prints more
 * keeps his own words, so that a long text takes no long time. */
static const char *named(clg_arena *arena, clg_samples *samples, const char *printed) {
    for (int i = 0; i < samples->gpus; i++)
        if (strcmp(samples->gpu[i].printed, printed) == 0) return samples->gpu[i].name;
    if (samples->gpus == CLG_SAMPLE_GPUS) return NULL;
    const char *name = clg_gpu_name(arena, printed);
    samples->gpu[samples->gpus].printed = printed;
    samples->gpu[samples->gpus++].name = name;
    return name;
}

static void name_gpu(clg_arena *arena, clg_samples *samples, clg_sample *sample) {
    if (!sample->gpu) sample->gpu = "";
    const char *name = *sample->gpu ? named(arena, samples, sample->gpu) : NULL;
    sample->known_gpu = name != NULL;
    if (name) sample->gpu = name;
}

void clg_samples_add(clg_arena *arena, clg_samples *samples, const clg_sample *sample) {
    if (!(sample->seconds > 0) || !isfinite(sample->seconds)) {
        clg_samples_leave_out(samples, "no time above 0");
        return;
    }
    CLG_APPEND(arena, samples->sample, samples->count, samples->capacity, *sample);
    clg_sample *added = &samples->sample[samples->count - 1];
    name_gpu(arena, samples, added);
    if (!added->hosts) added->hosts = "";
}

void clg_samples_leave_out(clg_samples *samples, const char *why) {
    for (int i = 0; i < samples->reasons; i++)
        if (strcmp(samples->left_out[i].why, why) == 0) {
            samples->left_out[i].count++;
            return;
        }
    if (samples->reasons == CLG_LEFT_OUT) return;
    samples->left_out[samples->reasons++] = (clg_left_out){why, 1};
}

/* The median of "seconds", a number or a list of them; 0 when there is none. */
static double median_s(clg_arena *arena, const clg_json *seconds) {
    if (!seconds) return 0;
    if (seconds->kind == CLG_JSON_NUMBER) return seconds->number;
    double *readings = clg_take(arena, seconds->count + 1, double);
    int count = 0;
    for (const clg_json *r = seconds->first; r; r = r->next)
        if (r->kind == CLG_JSON_NUMBER && r->number > 0) readings[count++] = r->number;
    return count > 0 ? clg_terms_quantile(readings, count, 0.5) : 0;
}

/* A number that may be null, or not there: 0. */
static double number_or_none(const clg_json *root, const char *key) {
    const clg_json *member = clg_json_member(root, key);
    return member && member->kind == CLG_JSON_NUMBER && member->number > 0 ? member->number : 0;
}

/* Of "slowed": ["power cap", "heat", "power brake"]; a power cap is how a GPU is sold. */
static bool was_hot(const clg_json *root) {
    const clg_json *slowed = clg_json_member(root, "slowed");
    for (const clg_json *why = slowed ? slowed->first : NULL; why; why = why->next)
        if (why->kind == CLG_JSON_STRING &&
            (strcmp(why->text, "heat") == 0 || strcmp(why->text, "power brake") == 0))
            return true;
    return false;
}

typedef struct line {
    const char *what, *dtype;
    double ranks, nodes;
    clg_sample sample;
} line;

static clg_status read_members(clg_arena *arena, const clg_json *root, const char *file, line *l,
                               clg_error *error) {
    const clg_json *where = clg_json_member(root, "where");
    clg_sample *s = &l->sample;
    if (clg_json_string(root, "what", "", &l->what, file, error) != CLG_OK ||
        clg_json_string(root, "dtype", "", &l->dtype, file, error) != CLG_OK ||
        clg_json_number(root, "ranks", &l->ranks, file, error) != CLG_OK ||
        clg_json_number(root, "nodes", &l->nodes, file, error) != CLG_OK ||
        clg_json_number(root, "bytes", &s->bytes, file, error) != CLG_OK ||
        clg_json_number(root, "m", &s->m, file, error) != CLG_OK ||
        clg_json_number(root, "n", &s->n, file, error) != CLG_OK ||
        clg_json_number(root, "k", &s->k, file, error) != CLG_OK ||
        clg_json_string(where, "gpu", "", &s->gpu, file, error) != CLG_OK ||
        clg_json_string(where, "host", "", &s->hosts, file, error) != CLG_OK)
        return CLG_BAD_INPUT;
    s->seconds = median_s(arena, clg_json_member(root, "seconds"));
    s->expected_s = number_or_none(root, "expected_step_s");
    s->watts = number_or_none(root, "watts");
    s->hot = was_hot(root);
    return CLG_OK;
}

static bool sane(double number, double least) { return number >= least && number <= 1e15; }

/* Adds what is timed on one GPU alone. */
static void take_alone(clg_arena *arena, const line *l, clg_samples *samples) {
    clg_sample s = l->sample;
    int precision = clg_samples_precision(l->dtype);
    bool copy = strcmp(l->what, "copy") == 0;
    if (copy && !sane(s.bytes, 1))
        clg_samples_leave_out(samples, "a copy without bytes");
    else if (!copy && (!sane(s.m, 1) || !sane(s.n, 1) || !sane(s.k, 1)))
        clg_samples_leave_out(samples, "a matrix product without m, n and k");
    else if (!copy && precision < 0)
        clg_samples_leave_out(samples, "a dtype that fit does not know");
    else {
        s.kind = copy ? CLG_SAMPLE_COPY : CLG_SAMPLE_GEMM;
        s.precision = copy ? CLG_BF16 : (clg_precision)precision;
        s.ranks = 1;
        clg_samples_add(arena, samples, &s);
    }
}

/* Adds the sample, or says why it is left out. */
static void take(clg_arena *arena, line *l, clg_samples *samples) {
    clg_sample *s = &l->sample;
    int collective = clg_samples_collective(l->what);
    bool step = strcmp(l->what, "step") == 0;
    if (step && samples->replays && s->expected_s > 0 && sane(l->ranks, 1) && l->ranks <= 1e6) {
        s->kind = CLG_SAMPLE_STEP;
        s->ranks = (int)l->ranks;
        s->nodes = sane(l->nodes, 1) && l->nodes <= l->ranks ? (int)l->nodes : 0;
        clg_samples_add(arena, samples, s);
    } else if (step)
        clg_samples_leave_out(samples, "a step needs its plan: give a table of runs");
    else if (strcmp(l->what, "gemm") == 0 || strcmp(l->what, "copy") == 0)
        take_alone(arena, l, samples);
    else if (collective < 0)
        clg_samples_leave_out(samples, "an operation that fit does not know");
    else if (!sane(l->ranks, 2) || l->ranks > 1e6 || !sane(s->bytes, 1))
        clg_samples_leave_out(samples, "a collective without bytes and two ranks or more");
    else {
        s->kind = CLG_SAMPLE_COLLECTIVE;
        s->collective = (clg_collective)collective;
        s->precision = CLG_BF16;
        s->ranks = (int)l->ranks;
        s->nodes = sane(l->nodes, 1) && l->nodes <= l->ranks ? (int)l->nodes : 0;
        clg_samples_add(arena, samples, s);
    }
}

static clg_status read_json_lines(clg_arena *arena, const char *file, const char *text, size_t size,
                                  clg_samples *samples, clg_error *error) {
    const char *end = text + size;
    for (int number = 1; text < end; number++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((stop ? stop : end) - text);
        clg_json *root;
        line l = {0};
        if (strspn(text, " \t\r") < length) {
            if (clg_json_parse(arena, file, text, length, &root, error) != CLG_OK ||
                read_members(arena, root, file, &l, error) != CLG_OK) {
                error->line = number;
                return CLG_BAD_INPUT;
            }
            take(arena, &l, samples);
        }
        if (samples->count > MOST_SAMPLES)
            return clg_fail(error, CLG_BAD_INPUT, "give fewer", "more than two million samples");
        text += length + 1;
    }
    return CLG_OK;
}

clg_status clg_samples_read(clg_arena *arena, const char *file, const char *text, size_t size,
                            clg_samples *samples, clg_samples_form *form, clg_csv *runs,
                            clg_error *error) {
    size_t blank = strspn(text, " \t\r\n");
    if (blank < size && text[blank] == '{' && strstr(text, "\"results\"") &&
        strstr(text, "\"nccl_version\"")) {
        clg_json *root;
        *form = CLG_FORM_NCCL_LOG;
        if (clg_json_parse(arena, file, text, size, &root, error) != CLG_OK) return error->status;
        return clg_samples_read_nccl_json(arena, file, root, samples, error);
    }
    if (blank < size && text[blank] == '{') {
        *form = CLG_FORM_JSON_LINES;
        return read_json_lines(arena, file, text, size, samples, error);
    }
    if (strstr(text, "busbw") && strstr(text, "# ")) {
        *form = CLG_FORM_NCCL_LOG;
        return clg_samples_read_nccl(arena, file, text, size, samples, error);
    }
    if (clg_csv_parse(arena, file, text, size, runs, error) != CLG_OK) return CLG_BAD_INPUT;
    *form = clg_csv_has(runs, "step_s") ? CLG_FORM_RUNS : CLG_FORM_TABLE;
    return *form == CLG_FORM_RUNS ? CLG_OK : clg_samples_read_table(arena, runs, samples, error);
}
