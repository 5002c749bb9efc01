/* request.c -- knobs into numbers, machine, software and price; all of it into a scenario. */
#include "api/request.h"

#include "api/request_parts.h"
#include "dataset/dataset.h"
#include "model/preset.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

clg_status clg_request_at_flag(clg_status status, clg_param param, clg_error *error) {
    if (status != CLG_OK && error->file[0] == '\0') {
        char flag[64];
        snprintf(flag, sizeof flag, "--%s", clg_param_row_of(param).flag);
        clg_error_at(error, NULL, 0, 0, flag);
    }
    return status;
}

clg_status clg_request_count(const char *text, double *number, clg_error *error) {
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

/* Of what is read: none is below 0. */
static clg_status check_sign(const char *text, double number, clg_param param, clg_error *error) {
    if (number >= 0 && number <= 1e30) return CLG_OK;
    return clg_request_at_flag(clg_fail(error, CLG_BAD_INPUT,
                                        "give 0 or more, and no more than 1e30",
                                        "'%.32s' is out of range", text),
                               param, error);
}

/* A number without a unit means the one its knob is in, where there is no other to be meant. */
static bool bare_quantity(const char *text, clg_param param, clg_dimension dimension,
                          double *number) {
    char spelt[96];
    clg_error none = {0};
    if (strspn(text, "0123456789.eE+-") != strlen(text)) return false;
    const char *unit = clg_param_row_of(param).argument;
    snprintf(spelt, sizeof spelt, "%.48s%.*s", text, (int)strcspn(unit, "|"), unit);
    return clg_quantity(spelt, dimension, number, &none) == CLG_OK;
}

/* What a flag of words takes when it is no name. */
static clg_status read_quantity(const clg_request *request, clg_param param,
                                clg_dimension dimension, double *number, clg_error *error) {
    const char *text = request->value[param];
    *number = 0;
    if (strcmp(text, "0") == 0) return CLG_OK; /* in any unit */
    if (!bare_quantity(text, param, dimension, number) &&
        clg_request_at_flag(clg_quantity(text, dimension, number, error), param, error) != CLG_OK)
        return CLG_BAD_INPUT;
    return check_sign(text, *number, param, error);
}

/* Tokens of a sequence. Context lengths are powers of two: their k is 1,024. */
static clg_status read_length(const char *text, double *number, clg_error *error) {
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{"", 1},        {"tok", 1},     {"k", 1024},    {"K", 1024},
                 {"M", 1048576}, {"ktok", 1024}, {"Ktok", 1024}, {"Mtok", 1048576}};
    size_t digits = strspn(text, "0123456789.");
    char plain[32];
    snprintf(plain, sizeof plain, "%.*s", (int)(digits < 31 ? digits : 31), text);
    for (size_t i = 0; i < sizeof units / sizeof units[0] && digits > 0; i++) {
        if (strcmp(text + digits, units[i].unit) != 0) continue;
        if (clg_quantity(plain, CLG_COUNT, number, error) != CLG_OK) return CLG_BAD_INPUT;
        *number *= units[i].factor;
        if (*number == floor(*number) && *number <= 1e12) return CLG_OK;
        break;
    }
    return clg_request_count(text, number, error) == CLG_OK
               ? CLG_OK
               : clg_fail(error, CLG_BAD_INPUT, "give tokens, like 8192 or 128k",
                          "'%.32s' is no length of a sequence", text);
}

clg_status clg_request_number(const clg_request *request, clg_param param, double otherwise,
                              double *number, clg_error *error) {
    const char *text = request->value[param];
    clg_param_row row = clg_param_row_of(param);
    *number = otherwise;
    if (!text) return CLG_OK;
    if (row.kind == CLG_KIND_QUANTITY)
        return read_quantity(request, param, row.dimension, number, error);
    clg_status status = row.kind == CLG_KIND_LENGTH ? read_length(text, number, error)
                                                    : clg_request_count(text, number, error);
    if (clg_request_at_flag(status, param, error) != CLG_OK) return CLG_BAD_INPUT;
    return check_sign(text, *number, param, error);
}

clg_status clg_request_within(const clg_request *request, clg_param param, double otherwise,
                              double least, double most, double *number, clg_error *error) {
    if (clg_request_number(request, param, otherwise, number, error) != CLG_OK)
        return error->status;
    if (!request->value[param] || (*number >= least && *number <= most)) return CLG_OK;
    char mend[64];
    snprintf(mend, sizeof mend, "give %.10g to %.10g", least, most);
    clg_fail(error, CLG_BAD_INPUT, mend, "'%.32s' is out of range", request->value[param]);
    return clg_request_at_flag(CLG_BAD_INPUT, param, error);
}

clg_status clg_request_numbers(const clg_request *request, const clg_wanted_number *row,
                               size_t count, clg_error *error) {
    for (size_t i = 0; i < count; i++)
        if (clg_request_number(request, row[i].param, row[i].otherwise, row[i].into, error) !=
            CLG_OK)
            return error->status;
    return CLG_OK;
}

/* Of a name as on Hugging Face what the architecture has: neither owner nor kind of tuning. */
static const char *bare_name(clg_arena *arena, const char *word) {
    static const char *const tuned[] = {"-instruct", "-chat", "-base", "-hf", "-it"};
    const char *slash = strrchr(word, '/');
    char *name = clg_arena_copy(arena, slash ? slash + 1 : word, strlen(slash ? slash + 1 : word));
    for (size_t i = 0; i < sizeof tuned / sizeof tuned[0]; i++) {
        size_t size = strlen(name), ending = strlen(tuned[i]);
        if (size <= ending || name[size - ending] != '-') continue;
        if (!clg_name_same(&tuned[i], 1, name + size - ending)) continue;
        name[size - ending] = '\0';
        i = (size_t)-1; /* "-chat-hf": what is left may end in another */
    }
    return name;
}

const char *clg_request_preset(clg_arena *arena, const char *word) {
    int count;
    const char *const *names = clg_model_names(arena, &count);
    return clg_name_same(names, count, bare_name(arena, word));
}

static clg_status read_model(clg_arena *arena, const clg_request *request, clg_model *model,
                             clg_error *error) {
    const clg_attachment *file = &request->model_file;
    if (file->text) return clg_model_read(arena, file->name, file->text, file->size, model, error);
    const char *preset = clg_request_preset(arena, request->model);
    return clg_model_find(arena, preset ? preset : request->model, model, error);
}

static clg_status read_gpu(clg_arena *arena, const clg_request *request, const char *otherwise,
                           clg_gpu *gpu, clg_error *error) {
    const clg_attachment *file = &request->file[CLG_PARAM_GPU];
    const char *name = request->value[CLG_PARAM_GPU];
    if (file->text) return clg_gpu_read(arena, file->name, file->text, file->size, gpu, error);
    return clg_request_at_flag(clg_gpu_find(arena, name ? name : otherwise, gpu, error),
                               CLG_PARAM_GPU, error);
}

static clg_status read_node(clg_arena *arena, const clg_request *request, clg_node *node,
                            clg_error *error) {
    const clg_attachment *file = &request->file[CLG_PARAM_NODE];
    const char *name = request->value[CLG_PARAM_NODE];
    if (file->text) return clg_node_read(arena, file->name, file->text, file->size, node, error);
    return clg_request_at_flag(clg_node_find(arena, name, node, error), CLG_PARAM_NODE, error);
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
    return clg_request_at_flag(CLG_BAD_INPUT, CLG_PARAM_NODE, error);
}

/* Of GPU and node each implies the other. */
static clg_status read_box(clg_arena *arena, const clg_request *request, clg_machine *machine,
                           clg_error *error) {
    const char *usual = clg_param_row_of(CLG_PARAM_GPU).fallback;
    if (!request->value[CLG_PARAM_NODE])
        return read_gpu(arena, request, usual, &machine->gpu, error) == CLG_OK
                   ? clg_request_at_flag(
                         clg_node_default(arena, &machine->gpu, &machine->node, error),
                         CLG_PARAM_GPU, error)
                   : error->status;
    if (read_node(arena, request, &machine->node, error) != CLG_OK ||
        read_gpu(arena, request, machine->node.gpu, &machine->gpu, error) != CLG_OK)
        return error->status;
    return check_pair(arena, request, machine, error);
}

/* A name, a file, or a rate per GPU that goes before what ports and NICs of the node give. */
static clg_status read_fabric(clg_arena *arena, const clg_request *request, const clg_node *node,
                              clg_fabric *fabric, clg_error *error) {
    const clg_attachment *file = &request->file[CLG_PARAM_FABRIC];
    const char *name = request->value[CLG_PARAM_FABRIC];
    if (file->text)
        return clg_fabric_read(arena, file->name, file->text, file->size, fabric, error);
    bool rate = name && name[0] >= '0' && name[0] <= '9';
    const char *found = name && !rate ? name : node->fabric;
    if (clg_request_at_flag(clg_fabric_find(arena, found, fabric, error), CLG_PARAM_FABRIC,
                            error) != CLG_OK)
        return error->status;
    fabric->assumed = !name && !request->value[CLG_PARAM_NODE] &&
                      !request->file[CLG_PARAM_NODE].text && !request->value[CLG_PARAM_NICS] &&
                      !request->file[CLG_PARAM_NETWORK].text;
    if (!rate) return CLG_OK;
    double *share = &fabric->gpu_bytes_per_s;
    if (clg_quantity(name, CLG_BYTES_PER_S, share, error) == CLG_OK &&
        !(*share >= 1e3 && *share <= 1e15))
        clg_fail(error, CLG_BAD_INPUT, "give 1kB/s to 1000TB/s", "'%.32s' is out of range", name);
    fabric->title = clg_arena_print(arena, "otherwise as %s", fabric->title);
    return clg_request_at_flag(error->status, CLG_PARAM_FABRIC, error);
}

/* As many NICs as are said, a port for each. */
static clg_status read_nics(const clg_request *request, clg_machine *machine, clg_error *error) {
    const char *word = request->value[CLG_PARAM_NICS];
    double nics = machine->node.nics;
    if (!word) return CLG_OK;
    if (machine->fabric.gpu_bytes_per_s > 0)
        clg_fail(error, CLG_BAD_INPUT, "leave one of them out, or name the fabric: ethernet-100",
                 "a rate given to --fabric is per GPU already");
    else if (clg_quantity(word, CLG_COUNT, &nics, error) == CLG_OK &&
             (nics < 1 || nics > 1024 || nics != (double)(int)nics))
        clg_fail(error, CLG_BAD_INPUT, "give 1 to 1024", "'%.32s' is no number of NICs", word);
    machine->node.nics = (int)nics;
    machine->fabric.ports = nics / machine->node.gpus;
    return clg_request_at_flag(error->status, CLG_PARAM_NICS, error);
}

clg_status clg_request_machine(clg_arena *arena, const clg_request *request, clg_machine *machine,
                               clg_error *error) {
    if (read_box(arena, request, machine, error) != CLG_OK) return error->status;
    if (read_fabric(arena, request, &machine->node, &machine->fabric, error) != CLG_OK)
        return error->status;
    return read_nics(request, machine, error);
}

/* "built-in", or a file the caller read. */
static clg_status read_curve_file(const clg_request *request, clg_param param, clg_file *file,
                                  clg_error *error) {
    const clg_attachment *given = &request->file[param];
    const char *word = request->value[param];
    *file = (clg_file){given->name, given->text, given->size};
    if (!word || given->text || strcmp(word, "built-in") == 0) return CLG_OK;
    return clg_request_at_flag(clg_fail(error, CLG_BAD_INPUT,
                                        "give a path with a slash or that ends in .json",
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
    if (clg_request_at_flag(read_loss(v[CLG_PARAM_LOSS], stack, error), CLG_PARAM_LOSS, error) !=
            CLG_OK ||
        clg_request_at_flag(read_master(v[CLG_PARAM_MASTER], stack, error), CLG_PARAM_MASTER,
                            error) != CLG_OK ||
        clg_request_at_flag(
            read_stored(v[CLG_PARAM_GRADIENT], "precision", &stack->gradient, error),
            CLG_PARAM_GRADIENT, error) != CLG_OK ||
        clg_request_at_flag(read_stored(v[CLG_PARAM_MOMENTS], "precision", &stack->moments, error),
                            CLG_PARAM_MOMENTS, error) != CLG_OK)
        return error->status;
    return clg_request_at_flag(clg_stack_set_all(stack, v[CLG_PARAM_TERM], error), CLG_PARAM_TERM,
                               error);
}

clg_status clg_request_stack(clg_arena *arena, const clg_request *request, const char *model,
                             const clg_gpu *gpu, clg_stack *stack, clg_error *error) {
    const clg_attachment *file = &request->file[CLG_PARAM_STACK];
    const char *name = request->value[CLG_PARAM_STACK];
    clg_status status =
        file->text ? clg_stack_read(arena, file->name, file->text, file->size, stack, error)
        : name     ? clg_stack_find(arena, name, stack, error)
                   : clg_stack_current(arena, gpu->vendor, stack, error);
    if (!file->text) status = clg_request_at_flag(status, CLG_PARAM_STACK, error);
    if (status == CLG_OK)
        status = clg_request_at_flag(clg_stack_recipe(arena, stack, model, gpu->name, error),
                                     CLG_PARAM_STACK, error);
    return status == CLG_OK ? read_software(request, stack, error) : status;
}

clg_status clg_request_price(clg_arena *arena, const clg_request *request, const clg_gpu *gpu,
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
        return clg_request_at_flag(error->status, CLG_PARAM_PRICE, error);
    }
    *price = (clg_price){.name = "given",
                         .provider = "given by you",
                         .term = "given",
                         .source = "--price",
                         .gpu = gpu->name};
    return read_quantity(request, CLG_PARAM_PRICE, CLG_USD_PER_S, &price->usd_per_s, error);
}

/* Where nobody named software, and the current one has not the schedule that was asked for: the
 * trainer of this model on this GPU, if one is known that has it. */
static clg_status take_trainer(clg_arena *arena, const clg_request *request, bool gpus_needed,
                               clg_scenario *s, clg_space *space, clg_error *error) {
    clg_stack own;
    const clg_axis_values *asked = &space->schedule;
    if (!s->stack.chosen || asked->count != 1 || asked->except ||
        clg_stack_has(s->stack.schedules, asked->value[0]))
        return CLG_OK;
    if (clg_stack_trainer(arena, s->model.name, s->machine.gpu.name, &own, error) != CLG_OK)
        return error->status;
    if (!own.known || !clg_stack_has(own.schedules, asked->value[0])) return CLG_OK;
    s->stack = own;
    *space = (clg_space){0};
    if (read_software(request, &s->stack, error) != CLG_OK) return error->status;
    return clg_request_space(arena, request, gpus_needed, s, space, error);
}

clg_status clg_request_read(clg_arena *arena, const clg_request *request, bool gpus_needed,
                            clg_scenario *scenario, clg_space *space, clg_error *error) {
    *scenario = (clg_scenario){0};
    *space = (clg_space){0};
    clg_machine *machine = &scenario->machine;
    if (read_model(arena, request, &scenario->model, error) != CLG_OK ||
        clg_request_machine(arena, request, machine, error) != CLG_OK ||
        clg_request_stack(arena, request, scenario->model.name, &machine->gpu, &scenario->stack,
                          error) != CLG_OK ||
        clg_request_curves(request, scenario, error) != CLG_OK ||
        clg_request_price(arena, request, &machine->gpu, &scenario->price, error) != CLG_OK ||
        clg_request_within(request, CLG_PARAM_IMBALANCE, 1, 1, 1e3, &scenario->expert_imbalance,
                           error) != CLG_OK ||
        clg_request_number(request, CLG_PARAM_DATA_LOADING, 0, &scenario->data_loading_s, error) !=
            CLG_OK ||
        clg_request_space(arena, request, gpus_needed, scenario, space, error) != CLG_OK ||
        take_trainer(arena, request, gpus_needed, scenario, space, error) != CLG_OK)
        return error->status;
    machine->gpus = (int)space->gpus;
    return clg_scenario_prepare(arena, scenario, error);
}
