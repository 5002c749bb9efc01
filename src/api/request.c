/* request.c -- knobs into scenario and space. */
#include "api/request.h"

#include "dataset/dataset.h"
#include "model/preset.h"
#include "schedule/schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SWITCH = -1, COUNT = -2, BATCH = -3, WORD = -4 };

/* The group of a row is that of the last GROUP line above it: rows and groups are counted in one
 * enumeration, in file order. */
typedef struct mixed_row {
    const char *title; /* of a group; NULL: a knob */
    clg_param_row row;
} mixed_row;

#define GROUP(id, title) {title, {NULL, NULL, NULL, NULL, CLG_KIND_SWITCH, CLG_COUNT, 0}},
#define PARAM(id, flag_, kind_, argument_, fallback_, help_)                                       \
    {NULL,                                                                                         \
     {flag_, argument_, fallback_, help_,                                                          \
      (int)(kind_) == SWITCH  ? CLG_KIND_SWITCH                                                    \
      : (int)(kind_) == COUNT ? CLG_KIND_COUNT                                                     \
      : (int)(kind_) == BATCH ? CLG_KIND_BATCH                                                     \
      : (int)(kind_) == WORD  ? CLG_KIND_WORD                                                      \
                              : CLG_KIND_QUANTITY,                                                  \
      (int)(kind_) < 0 ? CLG_COUNT : (clg_dimension)(kind_), 0}},
static const mixed_row mixed[] = {
#include "api/params.def"
};

clg_param_row clg_param_row_of(clg_param param) {
    int knob = 0, group = -1;
    for (size_t i = 0; i < sizeof mixed / sizeof mixed[0]; i++) {
        if (mixed[i].title) {
            group++;
            continue;
        }
        if (knob++ != (int)param) continue;
        clg_param_row row = mixed[i].row;
        row.group = (clg_param_group)group;
        return row;
    }
    return (clg_param_row){0};
}

const char *clg_param_group_title(clg_param_group group) {
    int at = 0;
    for (size_t i = 0; i < sizeof mixed / sizeof mixed[0]; i++)
        if (mixed[i].title && at++ == (int)group) return mixed[i].title;
    return NULL;
}

bool clg_param_is_file(clg_param param, const char *value) {
    size_t size = strlen(value);
    if (!strstr(clg_param_row_of(param).argument, "|FILE")) return false;
    /* "400Gb/s" is a rate with a wrong unit, not a path. */
    bool rate =
        value[0] >= '0' && value[0] <= '9' && size > 2 && strcmp(value + size - 2, "/s") == 0;
    return strchr(value, '/') ? !rate : size > 5 && strcmp(value + size - 5, ".json") == 0;
}

/* Flags whose help begins with its first part: "pipeline-model-parallel-size" is --pp. */
static int near_in_help(const char *word, const char **near, int most) {
    int found = 0;
    size_t size = strcspn(word, "-_");
    for (int i = 0; i < CLG_PARAMS && found < most && size >= 4; i++)
        if (strncmp(clg_param_row_of((clg_param)i).help, word, size) == 0)
            near[found++] = clg_param_row_of((clg_param)i).flag;
    return found;
}

int clg_param_find(const char *flag, clg_error *error) {
    const char *names[CLG_PARAMS];
    for (int i = 0; i < CLG_PARAMS; i++) {
        if (strcmp(clg_param_row_of((clg_param)i).flag, flag) == 0) return i;
        names[i] = clg_param_row_of((clg_param)i).flag;
    }
    const char *near[3];
    int found = near_in_help(flag, near, 3);
    if (found == 0) found = clg_name_near(names, CLG_PARAMS, flag, near, 3);
    char mend[160];
    clg_name_ask(near, found, "--", mend, sizeof mend);
    clg_fail(error, CLG_BAD_USAGE, found > 0 ? mend : "see --help", "there is no flag --%.64s",
             flag);
    return -1;
}

/* Names the flag in an error that a lower layer filled. */
static clg_status at_flag(clg_status status, clg_param param, clg_error *error) {
    if (status != CLG_OK && error->file[0] == '\0') {
        char flag[64];
        snprintf(flag, sizeof flag, "--%s", clg_param_row_of(param).flag);
        clg_error_at(error, NULL, 0, 0, flag);
    }
    return status;
}

static clg_status read_count(const char *text, double *number, clg_error *error) {
    if (clg_quantity(text, CLG_COUNT, number, error) != CLG_OK)
        return clg_fail(error, CLG_BAD_INPUT, "give a whole number, like 8", "'%.32s' is no number",
                        text);
    if (*number != floor(*number))
        return clg_fail(error, CLG_BAD_INPUT, "give a whole number, like 8",
                        "'%.32s' is no whole number", text);
    if (*number >= 0 && *number <= 1e12) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "give a whole number from 0 to 1e12",
                    "'%.32s' is out of range", text);
}

/* Sequences as a count; tokens need the sequence length. */
static clg_status read_batch(const clg_request *request, const char *text, double *number,
                             clg_error *error) {
    double seq;
    size_t size = strlen(text);
    if (size < 3 || strcmp(text + size - 3, "tok") != 0) {
        if (read_count(text, number, error) == CLG_OK) return CLG_OK;
        snprintf(error->mend, sizeof error->mend, "give sequences (1024) or tokens (4Mtok)");
        return CLG_BAD_INPUT;
    }
    if (clg_quantity(text, CLG_TOKENS, number, error) != CLG_OK ||
        clg_request_number(request, CLG_PARAM_SEQ, 4096, &seq, error) != CLG_OK)
        return CLG_BAD_INPUT;
    /* 16 Mtok means 2,048 sequences of 8,192 to everybody who says it: the nearest power of two
     * when it is within 5 %, else the nearest whole number. */
    double sequences = *number / seq, power = 1;
    while (power * 1.5 < sequences) power *= 2;
    *number = fabs(power / sequences - 1) < 0.05 ? power : floor(sequences + 0.5);
    if (*number >= 1) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "raise it", "less than one sequence of %.0f tokens", seq);
}

/* Of what is read: none is below 0. */
static clg_status check_sign(const char *text, double number, clg_param param, clg_error *error) {
    if (number >= 0 && number <= 1e30) return CLG_OK;
    return at_flag(clg_fail(error, CLG_BAD_INPUT, "give 0 or more, and no more than 1e30",
                            "'%.32s' is out of range", text),
                   param, error);
}

/* What a flag of words takes when it is no name. */
static clg_status read_quantity(const clg_request *request, clg_param param,
                                clg_dimension dimension, double *number, clg_error *error) {
    const char *text = request->value[param];
    if (at_flag(clg_quantity(text, dimension, number, error), param, error) != CLG_OK)
        return CLG_BAD_INPUT;
    return check_sign(text, *number, param, error);
}

clg_status clg_request_number(const clg_request *request, clg_param param, double otherwise,
                              double *number, clg_error *error) {
    const char *text = request->value[param];
    clg_param_row row = clg_param_row_of(param);
    *number = otherwise;
    if (!text) return CLG_OK;
    if (row.kind == CLG_KIND_QUANTITY)
        return read_quantity(request, param, row.dimension, number, error);
    clg_status status = row.kind == CLG_KIND_BATCH ? read_batch(request, text, number, error)
                                                   : read_count(text, number, error);
    if (at_flag(status, param, error) != CLG_OK) return CLG_BAD_INPUT;
    return check_sign(text, *number, param, error);
}

/* A number that has to lie between two others. */
static clg_status read_within(const clg_request *request, clg_param param, double otherwise,
                              double least, double most, double *number, clg_error *error) {
    if (clg_request_number(request, param, otherwise, number, error) != CLG_OK)
        return error->status;
    if (!request->value[param] || (*number >= least && *number <= most)) return CLG_OK;
    char mend[64];
    snprintf(mend, sizeof mend, "give %.10g to %.10g", least, most);
    clg_fail(error, CLG_BAD_INPUT, mend, "'%.32s' is out of range", request->value[param]);
    return at_flag(CLG_BAD_INPUT, param, error);
}

static clg_status read_model(clg_arena *arena, const clg_request *request, clg_model *model,
                             clg_error *error) {
    const clg_attachment *file = &request->model_file;
    if (file->text) return clg_model_read(arena, file->name, file->text, file->size, model, error);
    return clg_model_find(arena, request->model, model, error);
}

static clg_status read_gpu(clg_arena *arena, const clg_request *request, const char *otherwise,
                           clg_gpu *gpu, clg_error *error) {
    const clg_attachment *file = &request->file[CLG_PARAM_GPU];
    const char *name = request->value[CLG_PARAM_GPU];
    if (file->text) return clg_gpu_read(arena, file->name, file->text, file->size, gpu, error);
    return at_flag(clg_gpu_find(arena, name ? name : otherwise, gpu, error), CLG_PARAM_GPU, error);
}

static clg_status read_node(clg_arena *arena, const clg_request *request, clg_node *node,
                            clg_error *error) {
    const clg_attachment *file = &request->file[CLG_PARAM_NODE];
    const char *name = request->value[CLG_PARAM_NODE];
    if (file->text) return clg_node_read(arena, file->name, file->text, file->size, node, error);
    return at_flag(clg_node_find(arena, name, node, error), CLG_PARAM_NODE, error);
}

/* Built-in boxes take the GPU they are known with, or one of its generation whose links are as
 * fast. Files say what they like. */
static clg_status check_pair(clg_arena *arena, const clg_request *request,
                             const clg_machine *machine, clg_error *error) {
    const clg_gpu *gpu = &machine->gpu;
    const clg_node *node = &machine->node;
    clg_gpu own;
    if (request->file[CLG_PARAM_GPU].text || request->file[CLG_PARAM_NODE].text ||
        strcmp(node->gpu, gpu->name) == 0 || strcmp(gpu->node, node->name) == 0)
        return CLG_OK;
    if (clg_gpu_find(arena, node->gpu, &own, error) != CLG_OK) return CLG_BAD_INPUT;
    if (strcmp(own.generation, gpu->generation) == 0 &&
        gpu->fast_link_bytes_per_s >= own.fast_link_bytes_per_s)
        return CLG_OK;
    clg_fail(error, CLG_BAD_INPUT, "leave --gpu or --node out, or describe the node in a file",
             "%s holds %s, not %s", node->name, node->gpu, gpu->name);
    return at_flag(CLG_BAD_INPUT, CLG_PARAM_NODE, error);
}

/* Of GPU and node each implies the other. */
static clg_status read_box(clg_arena *arena, const clg_request *request, clg_machine *machine,
                           clg_error *error) {
    const char *usual = clg_param_row_of(CLG_PARAM_GPU).fallback;
    if (!request->value[CLG_PARAM_NODE])
        return read_gpu(arena, request, usual, &machine->gpu, error) == CLG_OK
                   ? at_flag(clg_node_default(arena, &machine->gpu, &machine->node, error),
                             CLG_PARAM_GPU, error)
                   : error->status;
    if (read_node(arena, request, &machine->node, error) != CLG_OK ||
        read_gpu(arena, request, machine->node.gpu, &machine->gpu, error) != CLG_OK)
        return error->status;
    return check_pair(arena, request, machine, error);
}

/* A name, a file, or a rate that overrides the line rate of the node's own fabric. */
static clg_status read_fabric(clg_arena *arena, const clg_request *request, const clg_node *node,
                              clg_fabric *fabric, clg_error *error) {
    const clg_attachment *file = &request->file[CLG_PARAM_FABRIC];
    const char *name = request->value[CLG_PARAM_FABRIC];
    if (file->text)
        return clg_fabric_read(arena, file->name, file->text, file->size, fabric, error);
    bool rate = name && name[0] >= '0' && name[0] <= '9';
    const char *found = name && !rate ? name : node->fabric;
    if (at_flag(clg_fabric_find(arena, found, fabric, error), CLG_PARAM_FABRIC, error) != CLG_OK)
        return error->status;
    if (!rate) return CLG_OK;
    if (clg_quantity(name, CLG_BYTES_PER_S, &fabric->bytes_per_s, error) == CLG_OK &&
        !(fabric->bytes_per_s >= 1e3 && fabric->bytes_per_s <= 1e15))
        clg_fail(error, CLG_BAD_INPUT, "give 1kB/s to 1000TB/s", "'%.32s' is out of range", name);
    fabric->title = clg_arena_print(arena, "otherwise as %s", fabric->title);
    return at_flag(error->status, CLG_PARAM_FABRIC, error);
}

clg_status clg_request_machine(clg_arena *arena, const clg_request *request, clg_machine *machine,
                               clg_error *error) {
    if (read_box(arena, request, machine, error) != CLG_OK) return error->status;
    return read_fabric(arena, request, &machine->node, &machine->fabric, error);
}

/* "built-in", or a file the caller read. */
static clg_status read_curve_file(const clg_request *request, clg_param param, clg_file *file,
                                  clg_error *error) {
    const clg_attachment *given = &request->file[param];
    const char *word = request->value[param];
    *file = (clg_file){given->name, given->text, given->size};
    if (!word || given->text || strcmp(word, "built-in") == 0) return CLG_OK;
    return at_flag(clg_fail(error, CLG_BAD_INPUT, "give a path with a slash or that ends in .json",
                            "'%.64s' is no file", word),
                   param, error);
}

clg_status clg_request_curves(const clg_request *request, clg_scenario *scenario,
                              clg_error *error) {
    clg_status status = read_curve_file(request, CLG_PARAM_KERNELS, &scenario->kernel_file, error);
    if (status != CLG_OK) return status;
    return read_curve_file(request, CLG_PARAM_NETWORK, &scenario->network_file, error);
}

const clg_name clg_loss_names[] = {{"fused", 1, NULL}, {"unfused", 0, NULL}, {NULL, 0, NULL}};
const clg_name clg_master_names[] = {{"fp32", 1, NULL}, {"none", 0, NULL}, {NULL, 0, NULL}};

static clg_status read_loss(const char *word, clg_stack *stack, clg_error *error) {
    int fused = stack->fused_cross_entropy;
    if (word && clg_name_value(clg_loss_names, "cross-entropy", word, &fused, error) != CLG_OK)
        return CLG_BAD_INPUT;
    stack->fused_cross_entropy = fused != 0;
    return CLG_OK;
}

static clg_status read_master(const char *word, clg_stack *stack, clg_error *error) {
    int kept = stack->master_weights;
    if (word && clg_name_value(clg_master_names, "master weights", word, &kept, error) != CLG_OK)
        return CLG_BAD_INPUT;
    stack->master_weights = kept != 0;
    return CLG_OK;
}

static clg_status read_stored(const char *word, const char *what, clg_precision *precision,
                              clg_error *error) {
    int value = (int)*precision;
    if (word && clg_name_value(clg_precision_names, what, word, &value, error) != CLG_OK)
        return CLG_BAD_INPUT;
    *precision = (clg_precision)value;
    return CLG_OK;
}

/* What the command line says of the software, over its file. */
static clg_status read_software(const clg_request *request, clg_stack *stack, clg_error *error) {
    const char *const *v = request->value;
    if (at_flag(read_loss(v[CLG_PARAM_LOSS], stack, error), CLG_PARAM_LOSS, error) != CLG_OK ||
        at_flag(read_master(v[CLG_PARAM_MASTER], stack, error), CLG_PARAM_MASTER, error) !=
            CLG_OK ||
        at_flag(read_stored(v[CLG_PARAM_GRADIENT], "precision", &stack->gradient, error),
                CLG_PARAM_GRADIENT, error) != CLG_OK ||
        at_flag(read_stored(v[CLG_PARAM_MOMENTS], "precision", &stack->moments, error),
                CLG_PARAM_MOMENTS, error) != CLG_OK)
        return error->status;
    return at_flag(clg_stack_set_all(stack, v[CLG_PARAM_TERM], error), CLG_PARAM_TERM, error);
}

clg_status clg_request_stack(clg_arena *arena, const clg_request *request, const char *model,
                             const char *gpu, clg_stack *stack, clg_error *error) {
    const clg_attachment *file = &request->file[CLG_PARAM_STACK];
    const char *name = request->value[CLG_PARAM_STACK];
    clg_status status =
        file->text ? clg_stack_read(arena, file->name, file->text, file->size, stack, error)
                   : at_flag(clg_stack_find(arena, name ? name : "megatron-2024", stack, error),
                             CLG_PARAM_STACK, error);
    if (status == CLG_OK)
        status = at_flag(clg_stack_recipe(stack, model, gpu, error), CLG_PARAM_STACK, error);
    return status == CLG_OK ? read_software(request, stack, error) : status;
}

/* A rate, or the name of a price in the data that is one of this GPU. */
static clg_status read_price(clg_arena *arena, const clg_request *request, const clg_gpu *gpu,
                             clg_price *price, clg_error *error) {
    clg_error none = {0};
    const char *word = request->value[CLG_PARAM_PRICE];
    if (!word) {
        if (clg_price_default(arena, gpu, price, &none) != CLG_OK) *price = (clg_price){0};
        return CLG_OK;
    }
    if (word[0] >= 'a' && word[0] <= 'z') {
        if (clg_price_find(arena, word, price, error) == CLG_OK &&
            strcmp(price->gpu, gpu->name) != 0)
            clg_fail(error, CLG_BAD_INPUT, "take one of its own: 'ceiling show prices'",
                     "%s is a price of %s, not of %s", price->name, price->gpu, gpu->name);
        return at_flag(error->status, CLG_PARAM_PRICE, error);
    }
    *price = (clg_price){.name = "given",
                         .provider = "given by you",
                         .term = "given",
                         .source = "--price",
                         .gpu = gpu->name};
    return read_quantity(request, CLG_PARAM_PRICE, CLG_USD_PER_S, &price->usd_per_s, error);
}

static clg_status one_size(const char *text, size_t size, int64_t *gpus, clg_error *error) {
    char word[32];
    double number;
    if (size == 0 || size >= sizeof word)
        return clg_fail(error, CLG_BAD_INPUT, "write 8..65536 or 8,16,24", "no number of GPUs");
    memcpy(word, text, size);
    word[size] = '\0';
    if (read_count(word, &number, error) != CLG_OK) return CLG_BAD_INPUT;
    if (number < 1 || number > 1e6)
        return clg_fail(error, CLG_BAD_INPUT, "from 1 to 1,000,000", "%s GPUs", word);
    *gpus = (int64_t)number;
    return CLG_OK;
}

static clg_status doubling_sizes(const char *text, const char *dots, int64_t *sizes, int most,
                                 int *count, clg_error *error) {
    int64_t from, to;
    if (one_size(text, (size_t)(dots - text), &from, error) != CLG_OK ||
        one_size(dots + 2, strlen(dots + 2), &to, error) != CLG_OK)
        return CLG_BAD_INPUT;
    for (int64_t size = from; size <= to && *count < most; size *= 2) sizes[(*count)++] = size;
    if (*count > 0) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "write the smaller one first", "an empty range");
}

/* A curve goes from small to large and has each size once. */
static void sort_sizes(int64_t *sizes, int *count) {
    int kept = 0;
    for (int i = 0; i < *count; i++) {
        int64_t size = sizes[i];
        int at = kept;
        while (at > 0 && sizes[at - 1] > size) at--;
        if (at > 0 && sizes[at - 1] == size) continue;
        for (int k = kept; k > at; k--) sizes[k] = sizes[k - 1];
        sizes[at] = size;
        kept++;
    }
    *count = kept;
}

clg_status clg_request_sizes(const clg_request *request, int64_t *sizes, int most, int *count,
                             clg_error *error) {
    const char *text = request->value[CLG_PARAM_GPUS];
    *count = 0;
    if (!text)
        return clg_fail(error, CLG_BAD_USAGE, "say which sizes: --gpus 8..4096",
                        "--gpus is missing");
    const char *dots = strstr(text, "..");
    if (dots)
        return at_flag(doubling_sizes(text, dots, sizes, most, count, error), CLG_PARAM_GPUS,
                       error);
    while (*text) {
        size_t size = strcspn(text, ",");
        if (*count == most)
            return at_flag(clg_fail(error, CLG_BAD_INPUT, "give fewer", "too many sizes"),
                           CLG_PARAM_GPUS, error);
        if (one_size(text, size, &sizes[(*count)++], error) != CLG_OK)
            return at_flag(error->status, CLG_PARAM_GPUS, error);
        text += size + (text[size] == ',');
    }
    sort_sizes(sizes, count);
    return *count > 0 ? CLG_OK
                      : clg_fail(error, CLG_BAD_INPUT, "write 8..65536", "--gpus is empty");
}

/* One value of an axis: a number, or a name of its table. */
static clg_status axis_value(clg_param param, const char *text, int *value, clg_error *error) {
    const clg_name *names = param == CLG_PARAM_SCHEDULE    ? clg_schedule_names
                            : param == CLG_PARAM_RECOMPUTE ? clg_recompute_names
                            : param == CLG_PARAM_CP_KIND   ? clg_context_names
                            : param == CLG_PARAM_ATTENTION ? clg_attention_kernel_names
                            : param == CLG_PARAM_ORDER     ? clg_order_names
                                                           : NULL;
    if (names) return clg_name_value(names, clg_param_row_of(param).flag, text, value, error);
    double number;
    if (read_count(text, &number, error) != CLG_OK) return CLG_BAD_INPUT;
    bool zero_allowed = param == CLG_PARAM_ZERO || param == CLG_PARAM_SP || param == CLG_PARAM_HSDP;
    double most = param == CLG_PARAM_ZERO ? 3 : param == CLG_PARAM_SP ? 1 : 1e6;
    if (number > most || (number < 1 && !zero_allowed)) {
        char mend[64];
        snprintf(mend, sizeof mend, "give %d to %.0f", zero_allowed ? 0 : 1, most);
        return clg_fail(error, CLG_BAD_INPUT, mend, "%.16s is out of range", text);
    }
    *value = (int)number;
    return CLG_OK;
}

static clg_axis_values *axis_of(clg_space *space, clg_param param) {
    switch ((int)param) {
    case CLG_PARAM_DP:
        return &space->dp;
    case CLG_PARAM_ZERO:
        return &space->zero;
    case CLG_PARAM_HSDP:
        return &space->hsdp;
    case CLG_PARAM_TP:
        return &space->tp;
    case CLG_PARAM_SP:
        return &space->sp;
    case CLG_PARAM_CP:
        return &space->cp;
    case CLG_PARAM_CP_KIND:
        return &space->cp_kind;
    case CLG_PARAM_EP:
        return &space->ep;
    case CLG_PARAM_ETP:
        return &space->etp;
    case CLG_PARAM_PP:
        return &space->pp;
    case CLG_PARAM_VPP:
        return &space->vpp;
    case CLG_PARAM_SCHEDULE:
        return &space->schedule;
    case CLG_PARAM_MICRO_BATCH:
        return &space->micro_batch;
    case CLG_PARAM_RECOMPUTE:
        return &space->recompute;
    case CLG_PARAM_ATTENTION:
        return &space->attention;
    case CLG_PARAM_ORDER:
        return &space->order;
    default:
        return NULL;
    }
}

/* Adds the comma-separated values of `text` to an axis. */
static clg_status add_values(clg_param param, const char *text, clg_axis_values *axis,
                             clg_error *error) {
    while (*text) {
        char word[64];
        size_t size = strcspn(text, ",");
        if (size == 0 || size >= sizeof word || axis->count == CLG_SEARCH_VALUES)
            return clg_fail(error, CLG_BAD_INPUT, "write AXIS=V,V", "'%.32s' is no list", text);
        memcpy(word, text, size);
        word[size] = '\0';
        if (axis_value(param, word, &axis->value[axis->count], error) != CLG_OK)
            return CLG_BAD_INPUT;
        axis->count++;
        text += size + (text[size] == ',');
    }
    return CLG_OK;
}

/* Splits "tp=4,8" into its axis and values. */
static clg_status split_axis(const char *text, clg_space *space, int *param, const char **values,
                             clg_error *error) {
    char axis[64];
    const char *equal = strchr(text, '=');
    size_t size = equal ? (size_t)(equal - text) : 0;
    if (size == 0 || size >= sizeof axis || !equal[1])
        return clg_fail(error, CLG_BAD_INPUT, "write it like tp=4,8", "'%.32s' is no AXIS=VALUES",
                        text);
    memcpy(axis, text, size);
    axis[size] = '\0';
    *param = clg_param_find(axis, error);
    if (*param < 0 || !axis_of(space, (clg_param)*param))
        return clg_fail(error, CLG_BAD_INPUT,
                        "axes are dp zero hsdp tp sp cp cp-kind ep etp pp vpp schedule "
                        "micro-batch recompute attention order",
                        "'%.32s' is no axis of a layout", axis);
    *values = equal + 1;
    return CLG_OK;
}

/* Strikes values out: of those given by name, or of all that are legal. */
static clg_status strike(clg_param param, const char *values, clg_axis_values *axis,
                         clg_error *error) {
    clg_axis_values struck = {.except = true};
    if (axis->count == 0 || axis->except) {
        axis->except = true;
        return add_values(param, values, axis, error);
    }
    if (add_values(param, values, &struck, error) != CLG_OK) return CLG_BAD_INPUT;
    int kept = 0;
    for (int i = 0; i < axis->count; i++)
        if (clg_axis_allows(&struck, axis->value[i])) axis->value[kept++] = axis->value[i];
    axis->count = kept;
    if (kept > 0) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "leave one", "no value of %s is left",
                    clg_param_row_of(param).flag);
}

/* "--tp 2 --fix tp=4": which of the two? */
static clg_status said_once(const clg_request *request, clg_param param, clg_error *error) {
    const char *flag = clg_param_row_of(param).flag;
    if (!request->value[param]) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "drop one of the two", "--%s %.32s already says %s", flag,
                    request->value[param], flag);
}

static clg_status read_axes(const clg_request *request, clg_space *space, clg_error *error) {
    for (int p = 0; p < CLG_PARAMS; p++) {
        clg_axis_values *axis = axis_of(space, (clg_param)p);
        if (!axis || !request->value[p]) continue;
        if (at_flag(add_values((clg_param)p, request->value[p], axis, error), (clg_param)p,
                    error) != CLG_OK)
            return error->status;
    }
    int param;
    const char *values;
    for (int i = 0; i < request->fixes; i++)
        if (split_axis(request->fix[i], space, &param, &values, error) != CLG_OK ||
            said_once(request, (clg_param)param, error) != CLG_OK ||
            add_values((clg_param)param, values, axis_of(space, (clg_param)param), error) != CLG_OK)
            return at_flag(error->status, CLG_PARAM_FIX, error);
    for (int i = 0; i < request->forbids; i++)
        if (split_axis(request->forbid[i], space, &param, &values, error) != CLG_OK ||
            strike((clg_param)param, values, axis_of(space, (clg_param)param), error) != CLG_OK)
            return at_flag(error->status, CLG_PARAM_NOT, error);
    return CLG_OK;
}

static clg_status read_words(const clg_request *request, clg_space *space, clg_error *error) {
    int precision = CLG_BF16, optimizer = CLG_ADAM;
    const char *word = request->value[CLG_PARAM_PRECISION];
    if (word && at_flag(clg_name_value(clg_precision_names, "precision", word, &precision, error),
                        CLG_PARAM_PRECISION, error) != CLG_OK)
        return error->status;
    word = request->value[CLG_PARAM_OPTIMIZER];
    if (word && at_flag(clg_name_value(clg_optimizer_names, "optimizer", word, &optimizer, error),
                        CLG_PARAM_OPTIMIZER, error) != CLG_OK)
        return error->status;
    space->precision = (clg_precision)precision;
    space->optimizer = (clg_optimizer)optimizer;
    space->offload = request->value[CLG_PARAM_OFFLOAD] != NULL;
    return CLG_OK;
}

/* "9,10,10,3": layers of each chunk. */
static clg_status read_split(clg_arena *arena, const clg_request *request, clg_space *space,
                             clg_error *error) {
    enum { MOST = 4096 };
    const char *text = request->value[CLG_PARAM_STAGE_LAYERS];
    int *split = text ? clg_take(arena, MOST, int) : NULL;
    for (; text && *text; text += strcspn(text, ","), text += *text == ',') {
        char word[16];
        double layers;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(text, ","), text);
        if (read_count(word, &layers, error) != CLG_OK || layers > 1e4 ||
            space->split_count == MOST) {
            if (error->status == CLG_OK)
                clg_fail(error, CLG_BAD_INPUT, "give the layers of each chunk",
                         "'%.16s' is out of range", word);
            return at_flag(CLG_BAD_INPUT, CLG_PARAM_STAGE_LAYERS, error);
        }
        split[space->split_count++] = (int)layers;
    }
    space->split = split;
    return CLG_OK;
}

static clg_status read_space(clg_arena *arena, const clg_request *request, bool gpus_needed,
                             const clg_scenario *scenario, clg_space *space, clg_error *error) {
    double gpus, seq, batch, top, recomputed;
    if (read_within(request, CLG_PARAM_GPUS, 0, 1, 1e6, &gpus, error) != CLG_OK ||
        read_within(request, CLG_PARAM_SEQ, 4096, 1, 1e8, &seq, error) != CLG_OK ||
        read_within(request, CLG_PARAM_GLOBAL_BATCH, 0, 1, 1e9, &batch, error) != CLG_OK ||
        read_within(request, CLG_PARAM_TOP, 8, 1, 64, &top, error) != CLG_OK ||
        read_within(request, CLG_PARAM_RECOMPUTE_LAYERS, 0, 1, 1e4, &recomputed, error) != CLG_OK ||
        read_words(request, space, error) != CLG_OK)
        return error->status;
    if (gpus_needed && gpus < 1)
        return clg_fail(error, CLG_BAD_USAGE, "say how many: --gpus 512", "--gpus is missing");
    space->gpus = (int64_t)gpus;
    space->seq = (int64_t)seq;
    space->recompute_layers = (int)recomputed;
    space->global_batch = batch > 0 ? (int64_t)batch : (int64_t)fmax(1, floor(4194304 / seq));
    space->keep = (int)top;
    if (read_axes(request, space, error) != CLG_OK ||
        read_split(arena, request, space, error) != CLG_OK)
        return error->status;
    if (space->attention.count == 0) {
        int kernel = (int)clg_scenario_attention(scenario);
        space->attention = (clg_axis_values){.count = 1, .value = {kernel}};
    }
    return CLG_OK;
}

clg_status clg_request_read(clg_arena *arena, const clg_request *request, bool gpus_needed,
                            clg_scenario *scenario, clg_space *space, clg_error *error) {
    *scenario = (clg_scenario){0};
    *space = (clg_space){0};
    clg_machine *machine = &scenario->machine;
    if (read_model(arena, request, &scenario->model, error) != CLG_OK ||
        clg_request_machine(arena, request, machine, error) != CLG_OK ||
        clg_request_stack(arena, request, scenario->model.name, machine->gpu.name, &scenario->stack,
                          error) != CLG_OK ||
        clg_request_curves(request, scenario, error) != CLG_OK ||
        read_price(arena, request, &machine->gpu, &scenario->price, error) != CLG_OK ||
        read_within(request, CLG_PARAM_IMBALANCE, 1, 1, 1e3, &scenario->expert_imbalance, error) !=
            CLG_OK ||
        clg_request_number(request, CLG_PARAM_DATA_LOADING, 0, &scenario->data_loading_s, error) !=
            CLG_OK ||
        read_space(arena, request, gpus_needed, scenario, space, error) != CLG_OK)
        return error->status;
    machine->gpus = (int)space->gpus;
    return clg_scenario_prepare(arena, scenario, error);
}
