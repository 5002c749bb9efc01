/* request.c -- knobs into machine, software and price; all of it into a scenario. */
#include "api/request.h"

#include "api/request_parts.h"
#include "base/letters.h"
#include "dataset/dataset.h"
#include "economics/contracts.h"
#include "economics/electricity.h"
#include "model/preset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "train.sh" and "job.toml" end as files do, "llama-3.1" and "qwen2.5-7b" as releases. */
bool clg_request_is_path(const char *word) {
    const char *dot = strrchr(word, '.');
    size_t letters = 0;
    while (dot && clg_is_letter(dot[letters + 1])) letters++;
    return strchr(word, '/') || (letters > 0 && dot[letters + 1] == '\0');
}

clg_status clg_request_model(clg_arena *arena, const clg_request *request, clg_model *model,
                             clg_error *error) {
    const clg_attachment *file = &request->model_file;
    if (file->text) return clg_model_read(arena, file->name, file->text, file->size, model, error);
    return clg_model_asked(arena, request->model, model, error);
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

/* "16x1": nodes of fewer GPUs than the maker's box has, as clouds rent them; of what is built in
 * the nearest from above, cut down. A node that is named is taken as it is, and so is the box that
 * one node alone has some of ("1x4"). */
static clg_status cut_box(clg_arena *arena, const clg_request *request, clg_machine *machine,
                          clg_error *error) {
    const char *gpus = request->value[CLG_PARAM_GPUS], *product = gpus ? strchr(gpus, 'x') : NULL;
    int each = product ? (int)strtol(product + 1, NULL, 10) : 0;
    if (each < 1 || each >= machine->node.gpus || strncmp(gpus, "1x", 2) == 0) return CLG_OK;
    if (clg_node_of_size(arena, &machine->gpu, each, &machine->node, error) != CLG_OK)
        return error->status;
    double share = (double)each / machine->node.gpus;
    machine->node.host_w *= share; /* a slice of a host */
    machine->node.rated_w *= share;
    clg_node_resize(&machine->node, each);
    return CLG_OK;
}

/* Of GPU and node each implies the other. */
static clg_status read_box(clg_arena *arena, const clg_request *request, clg_machine *machine,
                           clg_error *error) {
    if (!request->value[CLG_PARAM_NODE])
        return read_gpu(arena, request, clg_request_word(request, CLG_PARAM_GPU), &machine->gpu,
                        error) == CLG_OK &&
                       clg_request_at_flag(
                           clg_node_default(arena, &machine->gpu, &machine->node, error),
                           CLG_PARAM_GPU, error) == CLG_OK
                   ? cut_box(arena, request, machine, error)
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
    if (clg_request_at_flag(clg_request_meant(arena, CLG_PARAM_FABRIC, &name, error),
                            CLG_PARAM_FABRIC, error) != CLG_OK)
        return error->status;
    bool rate = name && clg_is_digit(name[0]);
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
    double nics;
    if (!request->value[CLG_PARAM_NICS]) return CLG_OK;
    if (machine->fabric.gpu_bytes_per_s > 0) {
        clg_fail(error, CLG_BAD_INPUT, "leave one of them out, or name the fabric: ethernet-100",
                 "a rate given to --fabric is per GPU already");
        return clg_request_at_flag(CLG_BAD_INPUT, CLG_PARAM_NICS, error);
    }
    if (clg_request_number(request, CLG_PARAM_NICS, &nics, error) != CLG_OK) return error->status;
    machine->node.nics = (int)nics;
    machine->fabric.ports = nics / machine->node.gpus;
    machine->fabric.box_ports = 0;
    return CLG_OK;
}

clg_status clg_request_machine(clg_arena *arena, const clg_request *request, clg_machine *machine,
                               clg_error *error) {
    if (read_box(arena, request, machine, error) != CLG_OK) return error->status;
    if (read_fabric(arena, request, &machine->node, &machine->fabric, error) != CLG_OK)
        return error->status;
    return read_nics(request, machine, error);
}

clg_request *clg_request_on_gpu(clg_arena *arena, const clg_request *request, const char *gpu) {
    static const clg_param machine[] = {CLG_PARAM_GPU, CLG_PARAM_NODE, CLG_PARAM_FABRIC,
                                        CLG_PARAM_NICS, CLG_PARAM_PRICE};
    clg_request *other = clg_take(arena, 1, clg_request);
    *other = *request;
    for (size_t i = 0; i < sizeof machine / sizeof machine[0]; i++) {
        other->value[machine[i]] = NULL;
        other->file[machine[i]] = (clg_attachment){0};
    }
    other->value[CLG_PARAM_GPU] = gpu;
    return other;
}

/* "built-in", or a file the caller read. */
static clg_status read_curve_file(const clg_request *request, clg_param param, clg_file *file,
                                  clg_error *error) {
    const clg_attachment *given = &request->file[param];
    const char *word = clg_request_word(request, param);
    *file = (clg_file){given->name, given->text, given->size};
    if (given->text || strcmp(word, clg_param_row_of(param).fallback) == 0) return CLG_OK;
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

static clg_status read_switch(const clg_request *request, clg_param param, const clg_name *names,
                              const char *what, bool *on, clg_error *error) {
    int value = *on;
    if (clg_request_name(request, param, names, what, &value, error) != CLG_OK)
        return error->status;
    *on = value != 0;
    return CLG_OK;
}

/* What the command line says of the software, over its file. */
static clg_status read_software(const clg_request *r, clg_stack *stack, clg_error *error) {
    if (read_switch(r, CLG_PARAM_LOSS, clg_loss_names, "cross-entropy", &stack->fused.cross_entropy,
                    error) != CLG_OK ||
        read_switch(r, CLG_PARAM_MASTER, clg_master_names, "master weights",
                    &stack->precision.master_weights, error) != CLG_OK ||
        clg_request_precision(r, CLG_PARAM_GRADIENT, &stack->gradient, error) != CLG_OK ||
        clg_request_precision(r, CLG_PARAM_MOMENTS, &stack->moments, error) != CLG_OK)
        return error->status;
    return clg_request_at_flag(clg_stack_set_all(stack, r->value[CLG_PARAM_TERM], error),
                               CLG_PARAM_TERM, error);
}

/* Whether adapters are trained beside a model that is kept in 4 or 8 bits. */
static bool has_narrow_base(const clg_request *request) {
    clg_adapter adapter;
    clg_error said_later = {0};
    return clg_request_adapter(request, &adapter, &said_later) == CLG_OK &&
           adapter.kind != CLG_ADAPTER_NONE && adapter.base != CLG_BASE_BF16;
}

clg_status clg_request_stack(clg_arena *arena, const clg_request *request, const char *model,
                             const clg_gpu *gpu, clg_stack *stack, clg_error *error) {
    const clg_attachment *file = &request->file[CLG_PARAM_STACK];
    const char *name = request->value[CLG_PARAM_STACK];
    clg_status status =
        file->text ? clg_stack_read(arena, file->name, file->text, file->size, stack, error)
        : name     ? clg_stack_find(arena, name, stack, error)
                   : clg_stack_current(arena, gpu->vendor, has_narrow_base(request), stack, error);
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
    for (int i = 0; clg_price_terms[i].name; i++) {
        if (strcmp(word, clg_price_terms[i].name) != 0) continue;
        if (clg_price_of_term(arena, gpu, clg_price_terms[i].value, price)) return CLG_OK;
        return clg_request_at_flag(clg_fail(error, CLG_BAD_INPUT, "give 2.5USD/h",
                                            "no %s price of %s is known", word, gpu->name),
                                   CLG_PARAM_PRICE, error);
    }
    if (word[0] >= 'a' && word[0] <= 'z') {
        if (clg_price_find(arena, word, price, error) == CLG_OK &&
            strcmp(price->gpu, gpu->name) != 0)
            clg_fail(error, CLG_BAD_INPUT, "take one of its own: 'ceiling show prices'",
                     "%s is a price of %s, not of %s", price->name, price->gpu, gpu->name);
        return clg_request_at_flag(error->status, CLG_PARAM_PRICE, error);
    }
    clg_param_row row = clg_param_row_of(CLG_PARAM_PRICE); /* a word, unless it is a quantity */
    row.kind = CLG_KIND_QUANTITY;
    row.dimension = CLG_USD_PER_S;
    *price =
        (clg_price){.name = "given", .provider = "given by you", .term = "given", .gpu = gpu->name};
    return clg_request_at_flag(clg_request_parse(row, word, &price->usd_per_s, error),
                               CLG_PARAM_PRICE, error);
}

clg_status clg_request_operations(clg_arena *arena, const clg_request *r, clg_operations *o,
                                  clg_error *error) {
    const clg_wanted_number rows[] = {{CLG_PARAM_FAILURES, &o->failures_per_gpu_s},
                                      {CLG_PARAM_RESTART, &o->restart_s},
                                      {CLG_PARAM_SWAP, &o->swap_s},
                                      {CLG_PARAM_REPAIR, &o->repair_s},
                                      {CLG_PARAM_PUE, &o->pue}};
    if (clg_operations_default(arena, o, error) != CLG_OK) return error->status;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (clg_request_number_or(r, rows[i].param, *rows[i].into, rows[i].into, error) != CLG_OK)
            return error->status;
    const char *electricity = r->value[CLG_PARAM_ELECTRICITY];
    if (electricity && clg_is_letter(electricity[0]))
        return clg_request_at_flag(
            clg_electricity_find(arena, electricity, &o->usd_per_joule, error),
            CLG_PARAM_ELECTRICITY, error);
    return clg_request_number_or(r, CLG_PARAM_ELECTRICITY, o->usd_per_joule, &o->usd_per_joule,
                                 error);
}

clg_status clg_request_owning(const clg_request *r, clg_owning *own, clg_error *error) {
    const clg_wanted_number rows[] = {{CLG_PARAM_CAPEX, &own->capex_usd},
                                      {CLG_PARAM_LIFE, &own->life_s},
                                      {CLG_PARAM_UTILIZATION, &own->utilization},
                                      {CLG_PARAM_RESIDUAL, &own->residual_share},
                                      {CLG_PARAM_INTEREST, &own->interest}};
    return CLG_REQUEST_NUMBERS(r, rows, error);
}

clg_status clg_request_owned(clg_arena *arena, const clg_request *r, const clg_machine *machine,
                             const clg_operations *o, clg_price *price, clg_error *error) {
    clg_owning owning;
    if (clg_request_owning(r, &owning, error) != CLG_OK) return error->status;
    if (owning.capex_usd <= 0) return CLG_OK;
    double watts = machine->gpu.tdp_w + machine->node.host_w / machine->node.gpus;
    *price = clg_price_owned(arena, &machine->gpu, o, &owning, watts);
    return CLG_OK;
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

/* "0.5%:10%" */
static clg_status read_slow_nodes(const clg_request *request, clg_scenario *scenario,
                                  clg_error *error) {
    const char *word = request->value[CLG_PARAM_SLOW_NODES],
               *colon = word ? strchr(word, ':') : word;
    char share[32];
    if (!word) return CLG_OK;
    snprintf(share, sizeof share, "%.*s", colon ? (int)(colon - word) : 0, word);
    bool read = colon && colon - word < (int)sizeof share &&
                clg_quantity(share, CLG_FRACTION, &scenario->slow_nodes, error) == CLG_OK &&
                clg_quantity(colon + 1, CLG_FRACTION, &scenario->slow_by, error) == CLG_OK;
    if (read && scenario->slow_nodes <= 1 && scenario->slow_by <= 100) return CLG_OK;
    *error = (clg_error){0};
    clg_fail(error, CLG_BAD_INPUT,
             "give the share of nodes and how much longer they take: 0.5%:10%",
             "'%.32s' is no share of slow nodes", word);
    return clg_request_at_flag(CLG_BAD_INPUT, CLG_PARAM_SLOW_NODES, error);
}

clg_status clg_request_read(clg_arena *arena, const clg_request *request, bool gpus_needed,
                            clg_scenario *scenario, clg_space *space, clg_error *error) {
    *scenario = (clg_scenario){0};
    *space = (clg_space){0};
    clg_machine *machine = &scenario->machine;
    if (clg_request_model(arena, request, &scenario->model, error) != CLG_OK ||
        clg_request_machine(arena, request, machine, error) != CLG_OK ||
        clg_request_stack(arena, request, scenario->model.name, &machine->gpu, &scenario->stack,
                          error) != CLG_OK ||
        clg_request_curves(request, scenario, error) != CLG_OK ||
        clg_request_price(arena, request, &machine->gpu, &scenario->price, error) != CLG_OK ||
        clg_request_number(request, CLG_PARAM_IMBALANCE, &scenario->expert_imbalance, error) !=
            CLG_OK ||
        clg_request_number(request, CLG_PARAM_DATA_LOADING, &scenario->data_loading_s, error) !=
            CLG_OK ||
        read_slow_nodes(request, scenario, error) != CLG_OK ||
        clg_request_space(arena, request, gpus_needed, scenario, space, error) != CLG_OK ||
        take_trainer(arena, request, gpus_needed, scenario, space, error) != CLG_OK)
        return error->status;
    machine->gpus = (int)space->gpus;
    return clg_scenario_prepare(arena, scenario, error);
}
