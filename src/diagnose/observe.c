/* observe.c -- quantities of a step, or of a collective, into seconds and rates. */
#include "diagnose/observe.h"

#include "base/letters.h"
#include "units/units.h"

#include <stdio.h>
#include <string.h>

static const clg_name sign_names[] = {
    {"util", CLG_SIGN_BUSY, NULL},           {"data", CLG_SIGN_DATA, NULL},
    {"optimizer", CLG_SIGN_OPTIMIZER, NULL}, {"communication", CLG_SIGN_COMMUNICATION, NULL},
    {"memory", CLG_SIGN_MEMORY, NULL},       {NULL, 0, NULL}};

static clg_status refuse(const char *written, clg_error *error) {
    return clg_fail(error, CLG_BAD_INPUT,
                    "write 12.5s, 1.6it/s, 200tok/s/GPU, 6400tok/s, 24samples/s, "
                    "230Tflop/s/GPU, 13%MFU, 40GB/s:all-reduce:6, 15%:util, 3s:data, 2s:optimizer, "
                    "60%:communication, 79GB:memory, 10s:before",
                    "'%.48s' is no measurement", written);
}

/* `word` without `ending`, in `out`; false where it ends otherwise. Capitals do not matter. */
static bool without(const char *word, const char *ending, char *out, size_t size) {
    size_t all = strlen(word), tail = strlen(ending);
    if (all <= tail || all - tail >= size) return false;
    for (size_t i = 0; i < tail; i++)
        if (clg_lower(word[all - tail + i]) != clg_lower(ending[i])) return false;
    snprintf(out, size, "%.*s", (int)(all - tail), word);
    return true;
}

static bool number(const char *word, clg_dimension dimension, double *si) {
    clg_error none = {0};
    return clg_quantity(word, dimension, si, &none) == CLG_OK && *si > 0;
}

/* "2.1it/s": the seconds of one; 0 where it is none. */
static double each_of(const char *word) {
    static const char *const steps[] = {"it/s", "steps/s", "step/s", "iterations/s", "batches/s"};
    char rate[64];
    double value;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (without(word, steps[i], rate, sizeof rate) && number(rate, CLG_COUNT, &value))
            return 1 / value;
    return 0;
}

/* Trainers write "/sec" too, and blanks: "64.1 samples/sec". */
static void as_usual(const char *written, char *out, size_t size) {
    size_t used = 0;
    for (const char *at = written; *at && used + 1 < size; at++) {
        if (*at == ' ') continue;
        out[used++] = *at;
        if (used < 4 || strncmp(out + used - 4, "/sec", 4) != 0) continue;
        used -= 2;
        if (strncmp(at + 1, "ond", 3) == 0) at += 3;
    }
    out[used] = '\0';
}

/* Seconds of a step from any of the ways to say its speed; 0 where it is none of them. */
static double step_of(const clg_evaluation *plan, const clg_machine *machine, const char *as_given,
                      clg_count *count) {
    static const char *const per_gpu[] = {"/gpu", "/device", "/card"};
    double gpus = (double)clg_layout_gpus(&plan->layout), value;
    double peak = machine->gpu.peak_flop_per_s[plan->layout.precision];
    char written[64], word[64], rate[64];
    *count = CLG_BY_CLOCK;
    as_usual(as_given, written, sizeof written);
    if (each_of(written) > 0) return each_of(written);
    static const char *const each_step[] = {"/it", "/step", "/iteration", ""};
    for (size_t i = 0; i < sizeof each_step / sizeof each_step[0]; i++)
        if (without(written, each_step[i], word, sizeof word) && number(word, CLG_SECONDS, &value))
            return value;
    *count = CLG_BY_TOKENS;
    bool each = false;
    snprintf(word, sizeof word, "%.63s", written);
    for (size_t i = 0; i < sizeof per_gpu / sizeof per_gpu[0] && !each; i++)
        each = without(written, per_gpu[i], word, sizeof word);
    if (without(word, "/s", rate, sizeof rate) && number(rate, CLG_TOKENS, &value) &&
        strstr(rate, "tok"))
        return clg_layout_tokens(&plan->layout) / (each ? value * gpus : value);
    static const char *const sequences[] = {"samples/s", "sequences/s", "seq/s"};
    for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++)
        if (without(word, sequences[i], rate, sizeof rate) && number(rate, CLG_COUNT, &value))
            return (double)plan->layout.global_batch / (each ? value * gpus : value);
    *count = CLG_BY_FLOP;
    if (number(word, CLG_FLOP_PER_S, &value))
        return plan->model_flop / (each ? value * gpus : value);
    *count = CLG_BY_MFU; /* above 1 it is no share, but some trainers print it */
    if (without(written, "MFU", word, sizeof word) && number(word, CLG_FRACTION, &value))
        return plan->model_flop / (value * gpus * peak);
    return 0;
}

/* "15%:util", "3s:data", "79GB:memory", ... */
static clg_status sign_of(const char *written, const char *colon, clg_observations *o,
                          clg_error *error) {
    static const clg_dimension dimension[CLG_SIGNS] = {CLG_FRACTION, CLG_SECONDS, CLG_SECONDS,
                                                       CLG_FRACTION, CLG_BYTES};
    char word[64];
    int sign;
    double value;
    clg_error none = {0};
    if (clg_name_value(sign_names, "sign", colon + 1, &sign, &none) != CLG_OK ||
        (size_t)(colon - written) >= sizeof word)
        return refuse(written, error);
    snprintf(word, sizeof word, "%.*s", (int)(colon - written), written);
    if (clg_quantity(word, dimension[sign], &value, &none) != CLG_OK || value < 0 ||
        (dimension[sign] == CLG_FRACTION && value > 1))
        return refuse(written, error);
    if (o->sign[sign].seen)
        return clg_fail(error, CLG_BAD_INPUT, "keep one of them", "'%.24s' and '%.24s' are of one",
                        o->sign[sign].written, written);
    o->sign[sign] = (clg_observed_sign){true, value, written};
    return CLG_OK;
}

/* "40GB/s:all-reduce:6", and a fourth part for the buffer: ":1GiB". */
static clg_status bus_of(const char *written, clg_observations *o, clg_error *error) {
    char word[96], *part[4] = {NULL};
    int parts = 0, collective;
    double nodes;
    if (strlen(written) >= sizeof word || o->buses == CLG_OBSERVATIONS)
        return refuse(written, error);
    snprintf(word, sizeof word, "%s", written);
    for (char *at = word; at && parts < 4; parts++) {
        part[parts] = at;
        at = strchr(at, ':');
        if (at) *at++ = '\0';
    }
    clg_observed_bus *bus = &o->bus[o->buses];
    *bus = (clg_observed_bus){0};
    if (parts < 3 || !number(part[0], CLG_BYTES_PER_S, &bus->bus_bytes_per_s) ||
        !number(part[2], CLG_COUNT, &nodes) || nodes > 1e5 ||
        (part[3] && !number(part[3], CLG_BYTES, &bus->bytes)))
        return refuse(written, error);
    if (clg_name_value(clg_collective_names, "collective", part[1], &collective, error) != CLG_OK)
        return CLG_BAD_INPUT;
    bus->collective = (clg_collective)collective;
    bus->nodes = (int)nodes;
    o->buses++;
    return CLG_OK;
}

/* The more direct number says how long a step is, the other how it was counted. */
static void set_beside(clg_observations *o, double step_s, clg_count count, const char *written) {
    bool closer = count < o->count;
    o->count_s = closer ? o->step_s : step_s;
    o->count_written = closer ? o->written : written;
    if (!closer) return;
    o->step_s = step_s;
    o->written = written;
    o->count = count;
}

/* "19.5samples/s:before". */
static clg_status before_of(const clg_evaluation *plan, const clg_machine *machine,
                            const char *written, const char *colon, clg_observations *o,
                            clg_error *error) {
    char word[64];
    clg_count count;
    if ((size_t)(colon - written) >= sizeof word) return refuse(written, error);
    snprintf(word, sizeof word, "%.*s", (int)(colon - written), written);
    double step_s = step_of(plan, machine, word, &count);
    if (step_s <= 0) return refuse(written, error);
    if (o->before_s > 0)
        return clg_fail(error, CLG_BAD_INPUT, "keep one of them", "'%.24s' and '%.24s' are of one",
                        o->before_written, written);
    o->before_s = step_s;
    o->before_written = written;
    return CLG_OK;
}

clg_status clg_observe(const clg_evaluation *plan, const clg_machine *machine, const char *written,
                       clg_observations *o, clg_error *error) {
    const char *colon = strchr(written, ':');
    if (colon && strcmp(colon + 1, "before") == 0)
        return before_of(plan, machine, written, colon, o, error);
    if (colon)
        return strchr(colon + 1, ':') ? bus_of(written, o, error)
                                      : sign_of(written, colon, o, error);
    clg_count count;
    double step_s = step_of(plan, machine, written, &count);
    if (step_s <= 0) return refuse(written, error);
    if (o->step_s > 0 && (o->count_s > 0 || count == o->count))
        return clg_fail(error, CLG_BAD_INPUT, "keep one of them",
                        "'%.24s' and '%.24s' both say how long a step takes", o->written, written);
    if (o->step_s > 0) {
        set_beside(o, step_s, count, written);
    } else {
        o->step_s = step_s;
        o->count = count;
        o->written = written;
    }
    o->counted = o->count >= CLG_BY_FLOP;
    return CLG_OK;
}
