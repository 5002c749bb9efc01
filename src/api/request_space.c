/* request_space.c -- knobs into the sizes of a curve and the layouts of a search. */
#include "api/request_parts.h"

#include "base/word_list.h"
#include "schedule/schedule.h"

#include <stdlib.h>
#include <string.h>

static clg_status one_size(const char *word, int64_t *gpus, clg_error *error) {
    double number;
    size_t size = strlen(word);
    if (word[0] == '0' && size == 3)
        return clg_fail(error, CLG_BAD_INPUT, "write 1024 for 1,024",
                        "',%s' looks like thousands; commas part sizes", word);
    bool product = strchr(word, 'x');
    if (size >= 32 || (!product && clg_quantity(word, CLG_COUNT, &number, error) != CLG_OK))
        return clg_fail(error, CLG_BAD_INPUT, "write 8..65536, which doubles, or 8,16,24",
                        "'%.32s' is no number of GPUs", word);
    if (clg_request_gpus(word, &number, error) != CLG_OK) return CLG_BAD_INPUT;
    *gpus = (int64_t)number;
    return CLG_OK;
}

static clg_status doubling_sizes(clg_arena *arena, const char *text, const char *dots,
                                 int64_t *sizes, int most, int *count, clg_error *error) {
    int64_t from, to;
    if (one_size(clg_arena_copy(arena, text, (size_t)(dots - text)), &from, error) != CLG_OK ||
        one_size(dots + 2, &to, error) != CLG_OK)
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

clg_status clg_request_sizes(clg_arena *arena, const clg_request *request, int64_t *sizes, int most,
                             int *count, clg_error *error) {
    const char *text = request->value[CLG_PARAM_GPUS];
    *count = 0;
    if (!text)
        return clg_fail(error, CLG_BAD_USAGE, "say which sizes: --gpus 8..4096",
                        "--gpus is missing");
    const char *dots = strstr(text, "..");
    if (dots)
        return clg_request_at_flag(doubling_sizes(arena, text, dots, sizes, most, count, error),
                                   CLG_PARAM_GPUS, error);
    for (const char *word; (word = clg_list_next(arena, &text, ',')) != NULL;) {
        if (*count == most)
            return clg_request_at_flag(
                clg_fail(error, CLG_BAD_INPUT, "give fewer", "too many sizes"), CLG_PARAM_GPUS,
                error);
        if (one_size(word, &sizes[(*count)++], error) != CLG_OK)
            return clg_request_at_flag(error->status, CLG_PARAM_GPUS, error);
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
    if (names)
        return clg_request_named(param, names, clg_param_row_of(param).flag, text, value, error);
    double number;
    if (clg_request_parse(clg_param_row_of(param), text, &number, error) != CLG_OK)
        return CLG_BAD_INPUT;
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
static clg_status add_values(clg_arena *arena, clg_param param, const char *text,
                             clg_axis_values *axis, clg_error *error) {
    const char *left = text;
    for (const char *word; (word = clg_list_next(arena, &left, ',')) != NULL; axis->count++) {
        if (!*word || axis->count == CLG_SEARCH_VALUES)
            return clg_fail(error, CLG_BAD_INPUT, "write AXIS=V,V", "'%.32s' is no list", text);
        if (axis_value(param, word, &axis->value[axis->count], error) != CLG_OK)
            return CLG_BAD_INPUT;
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
    *param = clg_param_find(axis);
    if (*param < 0 || !axis_of(space, (clg_param)*param))
        return clg_fail(error, CLG_BAD_INPUT,
                        "axes are dp zero hsdp tp sp cp cp-kind ep etp pp vpp schedule "
                        "micro-batch recompute attention order",
                        "'%.32s' is no axis of a layout", axis);
    *values = equal + 1;
    return CLG_OK;
}

/* Strikes values out: of those given by name, or of all that are legal. */
static clg_status strike(clg_arena *arena, clg_param param, const char *values,
                         clg_axis_values *axis, clg_error *error) {
    clg_axis_values struck = {.except = true};
    if (axis->count == 0 || axis->except) {
        axis->except = true;
        return add_values(arena, param, values, axis, error);
    }
    if (add_values(arena, param, values, &struck, error) != CLG_OK) return CLG_BAD_INPUT;
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

static clg_status read_axes(clg_arena *arena, const clg_request *request, clg_space *space,
                            clg_error *error) {
    for (int p = 0; p < CLG_PARAMS; p++) {
        clg_axis_values *axis = axis_of(space, (clg_param)p);
        if (!axis || !request->value[p]) continue;
        if (clg_request_at_flag(add_values(arena, (clg_param)p, request->value[p], axis, error),
                                (clg_param)p, error) != CLG_OK)
            return error->status;
    }
    int param;
    const char *values;
    for (int i = 0; i < request->fixes; i++)
        if (split_axis(request->fix[i], space, &param, &values, error) != CLG_OK ||
            said_once(request, (clg_param)param, error) != CLG_OK ||
            add_values(arena, (clg_param)param, values, axis_of(space, (clg_param)param), error) !=
                CLG_OK)
            return clg_request_at_flag(error->status, CLG_PARAM_FIX, error);
    for (int i = 0; i < request->forbids; i++)
        if (split_axis(request->forbid[i], space, &param, &values, error) != CLG_OK ||
            strike(arena, (clg_param)param, values, axis_of(space, (clg_param)param), error) !=
                CLG_OK)
            return clg_request_at_flag(error->status, CLG_PARAM_NOT, error);
    return CLG_OK;
}

/* What PyTorch trains in where nobody says: a GPU that has no bf16 takes fp16. */
static clg_precision usual_precision(const clg_request *request, const clg_gpu *gpu, int asked) {
    bool open = !request->value[CLG_PARAM_PRECISION] && gpu->peak_flop_per_s[asked] <= 0;
    return open && gpu->peak_flop_per_s[CLG_FP16] > 0 ? CLG_FP16 : (clg_precision)asked;
}

static clg_status read_words(const clg_request *request, clg_space *space, clg_error *error) {
    int precision, optimizer, reference;
    if (clg_request_name(request, CLG_PARAM_PRECISION, clg_precision_names, "precision", &precision,
                         error) != CLG_OK ||
        clg_request_name(request, CLG_PARAM_OPTIMIZER, clg_optimizer_names, "optimizer", &optimizer,
                         error) != CLG_OK ||
        clg_request_name(request, CLG_PARAM_REFERENCE, clg_reference_names, "reference", &reference,
                         error) != CLG_OK)
        return error->status;
    space->reference = (clg_reference)reference;
    space->precision = (clg_precision)precision;
    space->optimizer = (clg_optimizer)optimizer;
    space->offload = request->value[CLG_PARAM_OFFLOAD] != NULL;
    return CLG_OK;
}

clg_status clg_request_adapter(const clg_request *request, clg_adapter *adapter, clg_error *error) {
    double rank;
    if (clg_request_number(request, CLG_PARAM_ADAPTER_RANK, &rank, error) != CLG_OK)
        return error->status;
    return clg_request_at_flag(
        clg_adapter_read(clg_request_word(request, CLG_PARAM_ADAPTER), rank,
                         clg_request_word(request, CLG_PARAM_ADAPTER_TARGETS),
                         clg_request_word(request, CLG_PARAM_BASE), adapter, error),
        CLG_PARAM_ADAPTER, error);
}

/* "even", "balanced", or "9,10,10,3": layers of each chunk. */
static clg_status read_split(clg_arena *arena, const clg_request *request, clg_space *space,
                             clg_error *error) {
    enum { MOST = 4096 };
    const char *text = request->value[CLG_PARAM_STAGE_LAYERS];
    if (!text) return CLG_OK;
    for (const clg_name *name = clg_placing_names; name->name; name++)
        if (strcmp(text, name->name) == 0) {
            space->placing = (clg_axis_values){.count = 1, .value = {name->value}};
            return CLG_OK;
        }
    int *split = clg_take(arena, MOST, int);
    for (const char *word; (word = clg_list_next(arena, &text, ',')) != NULL;) {
        double layers;
        if (clg_request_count(word, &layers, error) != CLG_OK || layers > 1e4 ||
            space->split_count == MOST) {
            if (error->status == CLG_OK)
                clg_fail(error, CLG_BAD_INPUT, "give the layers of each chunk",
                         "'%.16s' is out of range", word);
            return clg_request_at_flag(CLG_BAD_INPUT, CLG_PARAM_STAGE_LAYERS, error);
        }
        split[space->split_count++] = (int)layers;
    }
    space->split = split;
    return CLG_OK;
}

/* Rows of plans: a search keeps no more. Tables of recordings take more of the same knob. */
static clg_status read_top(const clg_request *request, double *top, clg_error *error) {
    clg_param_row row = clg_param_row_of(CLG_PARAM_TOP);
    row.range = "1..64";
    return clg_request_at_flag(
        clg_request_parse(row, clg_request_word(request, CLG_PARAM_TOP), top, error), CLG_PARAM_TOP,
        error);
}

/* "4x4" are 16 GPUs, but no two nodes of eight. */
static clg_status check_nodes(const char *gpus, const clg_node *node, clg_error *error) {
    const char *product = gpus ? strchr(gpus, 'x') : NULL;
    int each = product ? (int)strtol(product + 1, NULL, 10) : node->gpus;
    if (each == node->gpus || (each < node->gpus && strncmp(gpus, "1x", 2) == 0)) return CLG_OK;
    return clg_request_at_flag(
        clg_fail(error, CLG_BAD_INPUT, "give all GPUs in one number; --node names other nodes",
                 "'%.24s', but a node of %.24s has %d GPUs", gpus, node->name, node->gpus),
        CLG_PARAM_GPUS, error);
}

clg_status clg_request_space(clg_arena *arena, const clg_request *request, bool gpus_needed,
                             const clg_scenario *scenario, clg_space *space, clg_error *error) {
    double gpus, seq, top, recomputed;
    const clg_wanted_number rows[] = {{CLG_PARAM_RISK, &space->risk},
                                      {CLG_PARAM_GPUS, &gpus},
                                      {CLG_PARAM_SEQ, &seq},
                                      {CLG_PARAM_RECOMPUTE_LAYERS, &recomputed}};
    if (CLG_REQUEST_NUMBERS(request, rows, error) != CLG_OK ||
        read_top(request, &top, error) != CLG_OK || read_words(request, space, error) != CLG_OK ||
        clg_request_adapter(request, &space->adapter, error) != CLG_OK)
        return error->status;
    if (gpus_needed && gpus < 1)
        return clg_fail(error, CLG_BAD_USAGE, "say how many: --gpus 512", "--gpus is missing");
    space->precision = usual_precision(request, &scenario->machine.gpu, (int)space->precision);
    if (check_nodes(request->value[CLG_PARAM_GPUS], &scenario->machine.node, error) != CLG_OK)
        return error->status;
    space->gpus = (int64_t)gpus;
    space->seq = (int64_t)seq;
    const char *length = request->value[CLG_PARAM_SEQ];
    if (length && length[strspn(length, "0123456789")]) space->seq_asked = length;
    space->recompute_layers = (int)recomputed;
    space->keep = (int)top;
    if (clg_request_batch(arena, request, &scenario->model, space, error) != CLG_OK ||
        read_axes(arena, request, space, error) != CLG_OK ||
        read_split(arena, request, space, error) != CLG_OK)
        return error->status;
    if (space->attention.count == 0) {
        int kernel = (int)clg_scenario_attention(scenario);
        space->attention = (clg_axis_values){.count = 1, .value = {kernel}};
    }
    return CLG_OK;
}
