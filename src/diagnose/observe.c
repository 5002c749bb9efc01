/* observe.c -- quantities of a step, or of a collective, into seconds and rates. */
#include "diagnose/observe.h"

#include "units/units.h"

#include <stdio.h>
#include <string.h>

static clg_status refuse(const char *written, clg_error *error) {
    return clg_fail(error, CLG_BAD_INPUT,
                    "write 12.5s, 200tok/s/GPU, 6400tok/s, 24samples/s, 230Tflop/s/GPU, "
                    "13%MFU or 40GB/s:all-reduce:6",
                    "'%.48s' is no measurement", written);
}

/* `word` without `ending`, in `out`; false where it ends otherwise. Capitals do not matter. */
static bool without(const char *word, const char *ending, char *out, size_t size) {
    size_t all = strlen(word), tail = strlen(ending);
    if (all <= tail || all - tail >= size) return false;
    for (size_t i = 0; i < tail; i++) {
        char a = word[all - tail + i], b = ending[i];
        if (a >= 'A' && a <= 'Z') a = (char)(a - 'A' + 'a');
        if (b >= 'A' && b <= 'Z') b = (char)(b - 'A' + 'a');
        if (a != b) return false;
    }
    snprintf(out, size, "%.*s", (int)(all - tail), word);
    return true;
}

static bool number(const char *word, clg_dimension dimension, double *si) {
    clg_error none = {0};
    return clg_quantity(word, dimension, si, &none) == CLG_OK && *si > 0;
}

static double tokens_of(const clg_evaluation *plan) {
    return (double)plan->layout.global_batch * (double)plan->layout.seq;
}

/* Seconds of a step from any of the ways to say its speed; 0 where it is none of them. */
static double step_of(const clg_evaluation *plan, const clg_machine *machine, const char *written,
                      bool *counted) {
    static const char *const per_gpu[] = {"/gpu", "/device", "/card"};
    double gpus = (double)clg_layout_gpus(&plan->layout), value;
    double peak = machine->gpu.peak_flop_per_s[plan->layout.precision];
    char word[64], rate[64];
    *counted = false;
    static const char *const each_step[] = {"/it", "/step", "/iteration", ""};
    for (size_t i = 0; i < sizeof each_step / sizeof each_step[0]; i++)
        if (without(written, each_step[i], word, sizeof word) && number(word, CLG_SECONDS, &value))
            return value;
    bool each = false;
    snprintf(word, sizeof word, "%.63s", written);
    for (size_t i = 0; i < sizeof per_gpu / sizeof per_gpu[0] && !each; i++)
        each = without(written, per_gpu[i], word, sizeof word);
    if (without(word, "/s", rate, sizeof rate) && number(rate, CLG_TOKENS, &value) &&
        strstr(rate, "tok"))
        return tokens_of(plan) / (each ? value * gpus : value);
    static const char *const sequences[] = {"samples/s", "sequences/s", "seq/s"};
    for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++)
        if (without(word, sequences[i], rate, sizeof rate) && number(rate, CLG_COUNT, &value))
            return (double)plan->layout.global_batch / (each ? value * gpus : value);
    *counted = true;
    if (number(word, CLG_FLOP_PER_S, &value))
        return plan->model_flop / (each ? value * gpus : value);
    if (without(written, "MFU", word, sizeof word) && number(word, CLG_FRACTION, &value) &&
        value <= 1)
        return plan->model_flop / (value * gpus * peak);
    return 0;
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

/* The clock says how long a step is, operations beside it how they were counted. */
static void set_beside(clg_observations *o, double step_s, bool counted, const char *written) {
    o->count_s = counted ? step_s : o->step_s;
    o->count_written = counted ? written : o->written;
    if (!counted) o->step_s = step_s;
    if (!counted) o->written = written;
    o->counted = false;
}

clg_status clg_observe(const clg_evaluation *plan, const clg_machine *machine, const char *written,
                       clg_observations *o, clg_error *error) {
    if (strchr(written, ':')) return bus_of(written, o, error);
    bool counted;
    double step_s = step_of(plan, machine, written, &counted);
    if (step_s <= 0) return refuse(written, error);
    if (o->step_s > 0 && o->count_s <= 0 && counted != o->counted) {
        set_beside(o, step_s, counted, written);
        return CLG_OK;
    }
    if (o->step_s > 0)
        return clg_fail(error, CLG_BAD_INPUT, "keep one of them",
                        "'%.24s' and '%.24s' both say how long a step takes", o->written, written);
    o->step_s = step_s;
    o->counted = counted;
    o->written = written;
    return CLG_OK;
}
