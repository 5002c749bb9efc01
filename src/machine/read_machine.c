/* read_machine.c -- machine files into plain structs. One table of fields per kind of file. */
#include "dataset/kept.h"
#include "dataset/value.h"
#include "machine/machine.h"

#include <string.h>

/* A field of a file: a value with unit (above zero: POSITIVE), a switch, or a word. */
typedef enum field_kind { NUMBER, POSITIVE, COUNT, SWITCH, WORD } field_kind;

typedef struct field {
    const char *key;
    field_kind kind;
    clg_dimension dimension;
    bool required;
    size_t offset;
} field;

typedef struct file_kind {
    const field *fields;
    int count;
} file_kind;

#define AT(type, member) offsetof(type, member)

static const field gpu_fields[] = {
    {"name", WORD, CLG_COUNT, true, AT(clg_gpu, name)},
    {"title", WORD, CLG_COUNT, true, AT(clg_gpu, title)},
    {"vendor", WORD, CLG_COUNT, true, AT(clg_gpu, vendor)},
    {"generation", WORD, CLG_COUNT, true, AT(clg_gpu, generation)},
    {"reported_as", WORD, CLG_COUNT, false, AT(clg_gpu, reported_as)},
    {"usual_for", WORD, CLG_COUNT, false, AT(clg_gpu, usual_for)},
    {"attention", WORD, CLG_COUNT, false, AT(clg_gpu, attention)},
    {"attention_newest", WORD, CLG_COUNT, false, AT(clg_gpu, attention_newest)},
    {"lender", WORD, CLG_COUNT, false, AT(clg_gpu, lender)},
    {"link_curve", WORD, CLG_COUNT, false, AT(clg_gpu, link_curve)},
    {"link_lender", WORD, CLG_COUNT, false, AT(clg_gpu, link_lender)},
    {"node", WORD, CLG_COUNT, true, AT(clg_gpu, node)},
    {"memory", POSITIVE, CLG_BYTES, true, AT(clg_gpu, memory_bytes)},
    {"memory_usable", POSITIVE, CLG_BYTES, true, AT(clg_gpu, memory_usable_bytes)},
    {"hbm", POSITIVE, CLG_BYTES_PER_S, true, AT(clg_gpu, hbm_bytes_per_s)},
    {"multiprocessors", COUNT, CLG_COUNT, true, AT(clg_gpu, multiprocessors)},
    {"clock", POSITIVE, CLG_HERTZ, true, AT(clg_gpu, clock_hz)},
    {"fast_link", NUMBER, CLG_BYTES_PER_S, true, AT(clg_gpu, fast_link_bytes_per_s)},
    {"pcie", NUMBER, CLG_BYTES_PER_S, true, AT(clg_gpu, pcie_bytes_per_s)},
    {"tdp", POSITIVE, CLG_WATTS, true, AT(clg_gpu, tdp_w)},
    {"idle", NUMBER, CLG_WATTS, true, AT(clg_gpu, idle_w)}};

static const field node_fields[] = {
    {"name", WORD, CLG_COUNT, true, AT(clg_node, name)},
    {"title", WORD, CLG_COUNT, true, AT(clg_node, title)},
    {"gpu", WORD, CLG_COUNT, true, AT(clg_node, gpu)},
    {"fabric", WORD, CLG_COUNT, true, AT(clg_node, fabric)},
    {"gpus", COUNT, CLG_COUNT, true, AT(clg_node, gpus)},
    {"domain", COUNT, CLG_COUNT, true, AT(clg_node, domain)},
    {"link", NUMBER, CLG_BYTES_PER_S, true, AT(clg_node, link_bytes_per_s)},
    {"link_curve", WORD, CLG_COUNT, false, AT(clg_node, link_curve)},
    {"link_latency", NUMBER, CLG_SECONDS, false, AT(clg_node, link_latency_s)},
    {"link_pair", NUMBER, CLG_BYTES_PER_S, false, AT(clg_node, link_pair_bytes_per_s)},
    {"link_switched", SWITCH, CLG_COUNT, true, AT(clg_node, link_switched)},
    {"link_reduces", SWITCH, CLG_COUNT, true, AT(clg_node, link_reduces)},
    {"nics", COUNT, CLG_COUNT, true, AT(clg_node, nics)},
    {"nic", POSITIVE, CLG_BYTES_PER_S, true, AT(clg_node, nic_bytes_per_s)},
    {"host", NUMBER, CLG_WATTS, true, AT(clg_node, host_w)},
    {"rated", NUMBER, CLG_WATTS, false, AT(clg_node, rated_w)},
    {"host_time", NUMBER, CLG_COUNT, false, AT(clg_node, host_time)},
    {"update_time", NUMBER, CLG_COUNT, false, AT(clg_node, update_time)},
    {"gpu_limit", NUMBER, CLG_WATTS, false, AT(clg_node, gpu_limit_w)}};

static const field fabric_fields[] = {
    {"name", WORD, CLG_COUNT, true, AT(clg_fabric, name)},
    {"title", WORD, CLG_COUNT, true, AT(clg_fabric, title)},
    {"technology", WORD, CLG_COUNT, true, AT(clg_fabric, technology)},
    {"rate", NUMBER, CLG_BYTES_PER_S, true, AT(clg_fabric, bytes_per_s)},
    {"ports", NUMBER, CLG_COUNT, false, AT(clg_fabric, ports)},
    {"box_ports", NUMBER, CLG_COUNT, false, AT(clg_fabric, box_ports)},
    {"efficiency", POSITIVE, CLG_FRACTION, true, AT(clg_fabric, efficiency)},
    {"latency", NUMBER, CLG_SECONDS, false, AT(clg_fabric, latency_s)},
    {"oversubscription", NUMBER, CLG_COUNT, true, AT(clg_fabric, oversubscription)},
    {"tail", NUMBER, CLG_COUNT, false, AT(clg_fabric, tail)},
    {"half_ranks", NUMBER, CLG_COUNT, false, AT(clg_fabric, half_ranks)}};

static const field price_fields[] = {
    {"name", WORD, CLG_COUNT, true, AT(clg_price, name)},
    {"title", WORD, CLG_COUNT, true, AT(clg_price, title)},
    {"provider", WORD, CLG_COUNT, true, AT(clg_price, provider)},
    {"gpu", WORD, CLG_COUNT, true, AT(clg_price, gpu)},
    {"term", WORD, CLG_COUNT, true, AT(clg_price, term)},
    {"date", WORD, CLG_COUNT, true, AT(clg_price, date)},
    {"lone", WORD, CLG_COUNT, false, AT(clg_price, lone)},
    {"price", NUMBER, CLG_USD_PER_S, true, AT(clg_price, usd_per_s)}};

static const file_kind gpu_kind = {gpu_fields, sizeof gpu_fields / sizeof gpu_fields[0]};
static const file_kind node_kind = {node_fields, sizeof node_fields / sizeof node_fields[0]};
static const file_kind fabric_kind = {fabric_fields,
                                      sizeof fabric_fields / sizeof fabric_fields[0]};
static const file_kind price_kind = {price_fields, sizeof price_fields / sizeof price_fields[0]};

static clg_status read_word(const clg_json *root, const field *f, const char *file, char *into,
                            clg_error *error) {
    const char *word;
    if (clg_json_string(root, f->key, NULL, &word, file, error) != CLG_OK) return CLG_BAD_INPUT;
    if (!word && f->required) {
        clg_error_at(error, file, root->line, root->column, f->key);
        return clg_fail(error, CLG_BAD_INPUT, "add it as a string", "this member is missing");
    }
    memcpy(into, &word, sizeof word);
    return CLG_OK;
}

static clg_status read_count(const clg_json *root, const field *f, const char *file, char *into,
                             clg_error *error) {
    double number = 0;
    if (clg_value_read(root, f->key, CLG_COUNT, f->required, file, &number, error) != CLG_OK)
        return CLG_BAD_INPUT;
    if (number < 1 || number > 1e6 || number != (double)(int)number) {
        const clg_json *at = clg_json_member(root, f->key);
        clg_error_at(error, file, at ? at->line : 0, at ? at->column : 0, f->key);
        return clg_fail(error, CLG_BAD_INPUT, "give a whole number of 1 or more", "out of range");
    }
    int count = (int)number;
    memcpy(into, &count, sizeof count);
    return CLG_OK;
}

static clg_status read_number(const clg_json *root, const field *f, const char *file, double *into,
                              clg_error *error) {
    if (clg_value_read(root, f->key, f->dimension, f->required, file, into, error) != CLG_OK)
        return CLG_BAD_INPUT;
    if (f->kind == NUMBER || *into > 0) return CLG_OK;
    const clg_json *at = clg_json_member(root, f->key);
    clg_error_at(error, file, at ? at->line : 0, at ? at->column : 0, f->key);
    return clg_fail(error, CLG_BAD_INPUT, "give a number above zero", "out of range");
}

static clg_status read_field(const clg_json *root, const field *f, const char *file, char *into,
                             clg_error *error) {
    switch (f->kind) {
    case WORD:
        return read_word(root, f, file, into, error);
    case COUNT:
        return read_count(root, f, file, into, error);
    case SWITCH:
        return clg_value_flag(root, f->key, f->required, file, (bool *)(void *)into, error);
    case NUMBER:
    case POSITIVE:
        break;
    }
    return read_number(root, f, file, (double *)(void *)into, error);
}

static clg_status refuse_unknown(const file_kind *kind, const clg_json *root, const char *file,
                                 clg_error *error) {
    static const char *const always[] = {"peak", "source", "notes", "released", "l2"};
    const char *names[32];
    int count = 0;
    for (int i = 0; i < kind->count; i++) names[count++] = kind->fields[i].key;
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) names[count++] = always[i];
    return clg_value_keys(root, names, count, file, error);
}

static clg_status read_file(clg_arena *arena, const file_kind *kind, const char *file,
                            const char *text, size_t size, void *into, const clg_json **root,
                            clg_error *error) {
    if (clg_dataset_parse(arena, file, text, size, root, error) != CLG_OK) return CLG_BAD_INPUT;
    if ((*root)->kind != CLG_JSON_OBJECT) {
        clg_error_at(error, file, 1, 1, NULL);
        return clg_fail(error, CLG_BAD_INPUT, "write { ... }", "not a JSON object");
    }
    if (refuse_unknown(kind, *root, file, error) != CLG_OK) return CLG_BAD_INPUT;
    for (int i = 0; i < kind->count; i++)
        if (read_field(*root, &kind->fields[i], file, (char *)into + kind->fields[i].offset,
                       error) != CLG_OK)
            return CLG_BAD_INPUT;
    return CLG_OK;
}

/* Dense matrix rates by precision, in a member object of their own. */
static clg_status read_peaks(const clg_json *root, const char *file, clg_gpu *gpu,
                             clg_error *error) {
    const clg_json *peaks = clg_json_member(root, "peak");
    if (!peaks) {
        clg_error_at(error, file, root->line, root->column, "peak");
        return clg_fail(error, CLG_BAD_INPUT, "add \"peak\": {\"bf16\": {...}}", "missing");
    }
    for (const clg_json *c = peaks->first; c; c = c->next) {
        int precision;
        if (clg_name_value(clg_precision_names, "precision", c->key, &precision, error) != CLG_OK) {
            clg_error_at(error, file, c->line, c->column, c->key);
            return CLG_BAD_INPUT;
        }
        if (clg_value_read(peaks, c->key, CLG_FLOP_PER_S, true, file,
                           &gpu->peak_flop_per_s[precision], error) != CLG_OK)
            return CLG_BAD_INPUT;
    }
    return CLG_OK;
}

/* No answer is made of it: it may be left out, not written wrong. */
static clg_status check_cache(const clg_json *root, const char *file, clg_error *error) {
    double bytes;
    return clg_value_read(root, "l2", CLG_BYTES, false, file, &bytes, error);
}

clg_status clg_gpu_read(clg_arena *arena, const char *file, const char *text, size_t size,
                        clg_gpu *gpu, clg_error *error) {
    const clg_json *root;
    clg_gpu read = {0};
    if (read_file(arena, &gpu_kind, file, text, size, &read, &root, error) != CLG_OK ||
        check_cache(root, file, error) != CLG_OK || read_peaks(root, file, &read, error) != CLG_OK)
        return CLG_BAD_INPUT;
    read.data = root;
    *gpu = read;
    return CLG_OK;
}

clg_status clg_node_read(clg_arena *arena, const char *file, const char *text, size_t size,
                         clg_node *node, clg_error *error) {
    const clg_json *root;
    clg_node read = {0};
    if (read_file(arena, &node_kind, file, text, size, &read, &root, error) != CLG_OK)
        return CLG_BAD_INPUT;
    read.data = root;
    read.file = file;
    if (clg_node_check(arena, &read, error) != CLG_OK) return CLG_BAD_INPUT;
    *node = read;
    return CLG_OK;
}

clg_status clg_fabric_read(clg_arena *arena, const char *file, const char *text, size_t size,
                           clg_fabric *fabric, clg_error *error) {
    const clg_json *root;
    clg_fabric read = {0};
    if (read_file(arena, &fabric_kind, file, text, size, &read, &root, error) != CLG_OK)
        return CLG_BAD_INPUT;
    read.data = root;
    *fabric = read;
    return CLG_OK;
}

clg_status clg_price_read(clg_arena *arena, const char *file, const char *text, size_t size,
                          clg_price *price, clg_error *error) {
    const clg_json *root;
    clg_price read = {0};
    if (read_file(arena, &price_kind, file, text, size, &read, &root, error) != CLG_OK)
        return CLG_BAD_INPUT;
    read.data = root;
    *price = read;
    return CLG_OK;
}
