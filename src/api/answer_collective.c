/* answer_collective.c -- what a collective should take, by size and by ranks. */
#include "api/command.h"
#include "api/request_parts.h"
#include "base/word_list.h"
#include "report_plan/collective_report.h"

#include <string.h>

enum { NAMES = 8, SIZES = 64, GROUPS = 64 };

/* "allreduce", "all_reduce", "AllReduce": as libraries write it. */
static clg_status read_name(const char *word, clg_collective *collective, clg_error *error) {
    const char *names[NAMES];
    int count = 0, value;
    while (clg_collective_names[count].name) {
        names[count] = clg_collective_names[count].name;
        count++;
    }
    const char *same = clg_name_same(names, count, word);
    if (clg_name_value(clg_collective_names, "collective", same ? same : word, &value, error) !=
        CLG_OK)
        return CLG_BAD_INPUT;
    *collective = (clg_collective)value;
    return CLG_OK;
}

/* The words of a list with commas; NULL-free, at most `most`. */
static clg_status split(clg_arena *arena, const char *text, const char **word, int most, int *count,
                        clg_error *error) {
    *count = 0;
    for (const char *next; (next = clg_list_next(arena, &text, ',')) != NULL;) {
        if (*count == most)
            return clg_fail(error, CLG_BAD_INPUT, "give fewer", "more than %d in the list", most);
        if (*next) word[(*count)++] = next;
    }
    if (*count > 0) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "write one, or several with commas", "an empty list");
}

static clg_status one_buffer(const char *word, double *bytes, clg_error *error) {
    if (clg_quantity(word, CLG_BYTES, bytes, error) != CLG_OK) return CLG_BAD_INPUT;
    if (*bytes >= 1 && *bytes <= 1e15) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "from 1B to 1000TB", "%.32s is out of range", word);
}

/* "64MiB", "1MiB,64MiB", or "1KiB..1GiB", which doubles. */
static clg_status read_buffers(clg_arena *arena, const char *text, double *bytes, int *count,
                               clg_error *error) {
    const char *dots = strstr(text, ".."), *word[SIZES];
    if (!dots) {
        if (split(arena, text, word, SIZES, count, error) != CLG_OK) return CLG_BAD_INPUT;
        for (int i = 0; i < *count; i++)
            if (one_buffer(word[i], &bytes[i], error) != CLG_OK) return CLG_BAD_INPUT;
        return CLG_OK;
    }
    double from, to;
    if (one_buffer(clg_arena_copy(arena, text, (size_t)(dots - text)), &from, error) != CLG_OK ||
        one_buffer(dots + 2, &to, error) != CLG_OK)
        return CLG_BAD_INPUT;
    for (*count = 0; from <= to && *count < SIZES; from *= 2) bytes[(*count)++] = from;
    if (*count > 0) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "write the smaller one first", "an empty range");
}

static clg_status read_groups(clg_arena *arena, const clg_request *request, int64_t *gpus,
                              int *count, clg_error *error) {
    if (clg_request_sizes(arena, request, gpus, GROUPS, count, error) != CLG_OK)
        return error->status;
    for (int i = 0; i < *count; i++)
        if (gpus[i] < 2)
            return clg_request_at_flag(
                clg_fail(error, CLG_BAD_INPUT, "give 2 or more", "a collective needs two GPUs"),
                CLG_PARAM_GPUS, error);
    return CLG_OK;
}

/* The machine, its curves and the user's own over them. */
static clg_status read_network(clg_arena *arena, const clg_request *request, clg_sweep *sweep,
                               clg_error *error) {
    clg_machine *machine = clg_take(arena, 1, clg_machine);
    clg_network *network = clg_take(arena, 1, clg_network);
    clg_scenario own = {0};
    if (clg_request_machine(arena, request, machine, error) != CLG_OK ||
        clg_request_curves(request, &own, error) != CLG_OK ||
        clg_network_find(arena, machine, network, error) != CLG_OK)
        return error->status;
    sweep->machine = machine;
    sweep->network = network;
    return own.network_file.text
               ? clg_network_overlay(arena, &own.network_file, machine, network, error)
               : CLG_OK;
}

/* The request's model is the collective's name, or several with commas. */
static clg_status answer(const clg_question *q, void *to, clg_error *error) {
    clg_sweep *sweep = to;
    clg_arena *arena = q->arena;
    const clg_request *request = q->request;
    const char *name[NAMES], *buffers = clg_request_word(request, CLG_PARAM_BYTES);
    double bytes[SIZES];
    int64_t gpus[GROUPS];
    int names, sizes, groups;
    *sweep = (clg_sweep){.collectives = request->model};
    if (split(arena, request->model, name, NAMES, &names, error) != CLG_OK ||
        clg_request_at_flag(read_buffers(arena, buffers, bytes, &sizes, error), CLG_PARAM_BYTES,
                            error) != CLG_OK ||
        read_groups(q->arena, request, gpus, &groups, error) != CLG_OK ||
        read_network(arena, request, sweep, error) != CLG_OK)
        return error->status;
    clg_sweep_point *point = clg_take(arena, (size_t)(names * sizes * groups), clg_sweep_point);
    sweep->point = point;
    for (int n = 0; n < names; n++) {
        clg_collective collective;
        if (read_name(name[n], &collective, error) != CLG_OK) return CLG_BAD_INPUT;
        for (int b = 0; b < sizes; b++)
            for (int g = 0; g < groups; g++)
                point[sweep->count++] = clg_sweep_at(sweep->network, sweep->machine, collective,
                                                     (int)gpus[g], bytes[b]);
    }
    return CLG_OK;
}

static void write_text(clg_text *out, const void *from) { clg_report_sweep(out, from); }

static void write_json(clg_json_writer *w, const void *from) { clg_json_sweep(w, from); }

static void write_csv(clg_text *out, const void *from) { clg_report_sweep_rows(out, from); }

static void write_svg(clg_text *out, const void *from) { clg_picture_sweep(out, from); }

static const clg_param knobs[] = {CLG_PARAM_GPU,    CLG_PARAM_GPUS,    CLG_PARAM_NODE,
                                  CLG_PARAM_FABRIC, CLG_PARAM_NETWORK, CLG_PARAM_BYTES,
                                  CLG_PARAMS};

static void names(clg_text *text) {
    for (const clg_name *row = clg_collective_names; row->name; row++)
        clg_text_print(text, "%s ", row->name);
}

const clg_command clg_command_collective = {
    .name = "collective",
    .operands = "NAME[,NAME..]",
    .summary = "time and bus bandwidth a collective should show, by ranks and buffer",
    .details = "The fastest algorithm and protocol at each size, as the library would choose, on "
               "a network the job has to itself. Bus bandwidth as nccl-tests defines it, so that a "
               "log compares with it. --gpus and --bytes take 8..2048 (doubling) or a list.",
    .example = "ceiling collective all-reduce,all-gather --gpus 8..2048 --bytes 64MiB",
    .knobs = knobs,
    .least = 1,
    .most = 1,
    .first_words = names,
    .subject = CLG_SUBJECT_WORDS,
    .bytes = sizeof(clg_sweep),
    .answer = answer,
    .json = write_json,
    .form = {[CLG_FORM_TEXT] = write_text, [CLG_FORM_CSV] = write_csv, [CLG_FORM_SVG] = write_svg}};
