/* link_curves.c -- the links of a machine as collectives see them: curves of data/collective, and
 * what the user lays over them. */
#include "cost/collective.h"

#include "dataset/dataset.h"
#include "dataset/kept.h"
#include "dataset/value.h"

#include <string.h>

/* Curve files by what the box says of its links, else what its GPU does, else one that stands in.
 */
static const char *link_file(clg_arena *arena, const clg_node *node, const clg_gpu *gpu,
                             bool *borrowed) {
    const char *own = node->link_curve ? node->link_curve : gpu->link_curve;
    const char *other = gpu->link_lender ? gpu->link_lender : "nvlink4";
    *borrowed = !own;
    return clg_arena_print(arena, "collective/%.64s.json", own ? own : other);
}

enum { CURVE_KEYS = 8 };

static clg_status read_curve(clg_arena *arena, const char *path, bool link,
                             double numbers[CURVE_KEYS], clg_error *error) {
    static const struct {
        const char *key;
        clg_dimension dimension;
        bool link_only, optional;
    } rows[CURVE_KEYS] = {{"base", CLG_SECONDS, false, false},
                          {"hop", CLG_SECONDS, false, false},
                          {"ramp", CLG_BYTES, false, false},
                          {"sigma", CLG_COUNT, false, false},
                          {"efficiency", CLG_FRACTION, true, false},
                          {"in_switch_efficiency", CLG_FRACTION, true, false},
                          {"peer", CLG_SECONDS, false, true},
                          {"exchange", CLG_COUNT, false, true}};
    const clg_file *file = clg_dataset_find(path);
    const clg_json *root;
    if (!file) return clg_fail(error, CLG_BAD_INPUT, NULL, "%s is not built in", path);
    if (clg_dataset_parse(arena, path, file->text, file->size, &root, error) != CLG_OK)
        return CLG_BAD_INPUT;
    for (int i = 0; i < CURVE_KEYS; i++)
        if ((link || !rows[i].link_only) &&
            clg_value_read(root, rows[i].key, rows[i].dimension, !rows[i].optional, path,
                           &numbers[i], error) != CLG_OK)
            return CLG_BAD_INPUT;
    return clg_value_done(root, path, error);
}

/* What a row of the table says of rings, or of trees. */
static clg_status read_protocol(const clg_json *row, const char *file, const char *const keys[5],
                                clg_protocol *p, clg_error *error) {
    bool ok =
        clg_value_read(row, keys[0], CLG_FRACTION, true, file, &p->payload, error) == CLG_OK &&
        clg_value_read(row, keys[1], CLG_SECONDS, true, file, &p->fast_extra_s, error) == CLG_OK &&
        clg_value_read(row, keys[2], CLG_SECONDS, true, file, &p->slow_extra_s, error) == CLG_OK &&
        clg_value_read(row, keys[3], CLG_BYTES_PER_S, false, file, &p->most_bytes_per_s, error) ==
            CLG_OK &&
        (!keys[4] ||
         clg_value_read(row, keys[4], CLG_BYTES, true, file, &p->block_bytes, error) == CLG_OK);
    return ok ? CLG_OK : CLG_BAD_INPUT;
}

static clg_status read_protocols(clg_arena *arena, clg_network *w, clg_error *error) {
    static const char *const ring[] = {"payload", "fast_extra", "slow_extra", "most", NULL};
    static const char *const tree[] = {"tree_payload", "tree_fast_extra", "tree_slow_extra", "most",
                                       "tree_block"};
    static const char *const in_switch[] = {"payload", "fast_extra", "slow_extra", "most", "block"};
    const clg_file *file = clg_dataset_find("collective/protocols.json");
    const clg_json *root;
    if (!file) return clg_fail(error, CLG_BAD_INPUT, NULL, "protocols are not built in");
    if (clg_dataset_parse(arena, file->path, file->text, file->size, &root, error) != CLG_OK)
        return CLG_BAD_INPUT;
    for (int i = 0; i < CLG_PROTOCOLS; i++) {
        const clg_json *row = clg_json_member(root, clg_protocol_names[i]);
        if (read_protocol(row, file->path, ring, &w->protocol[i], error) != CLG_OK ||
            read_protocol(row, file->path, tree, &w->tree[i], error) != CLG_OK)
            return CLG_BAD_INPUT;
    }
    if (read_protocol(clg_json_member(root, "in_switch"), file->path, in_switch, &w->switch_tree,
                      error) != CLG_OK)
        return CLG_BAD_INPUT;
    return clg_value_done(root, file->path, error);
}

clg_status clg_network_find(clg_arena *arena, const clg_machine *machine, clg_network *network,
                            clg_error *error) {
    double fast[CURVE_KEYS] = {0}, slow[CURVE_KEYS] = {0};
    const clg_node *node = &machine->node;
    const char *path = clg_arena_print(arena, "collective/%s.json", machine->fabric.technology);
    bool borrowed;
    const char *fast_path = link_file(arena, node, &machine->gpu, &borrowed);
    if (read_curve(arena, fast_path, true, fast, error) != CLG_OK ||
        read_curve(arena, path, false, slow, error) != CLG_OK)
        return CLG_BAD_INPUT;
    clg_network w = {.base_s = fast[0],
                     .ramp_bytes = fast[2],
                     .sigma_fast = fast[3],
                     .base_slow_s = slow[0],
                     .ramp_slow_bytes = slow[2],
                     .sigma_slow = slow[3],
                     .peer_s = slow[6],
                     .exchange = slow[7],
                     .tail = machine->fabric.tail,
                     .half_ranks = machine->fabric.half_ranks,
                     .borrowed = borrowed};
    double fast_hop_s = node->link_latency_s > 0 ? node->link_latency_s : fast[1];
    double slow_hop_s = machine->fabric.latency_s > 0 ? machine->fabric.latency_s : slow[1];
    w.fast = (clg_link){fast_hop_s, node->link_bytes_per_s * fast[4], node->link_reduces};
    w.pair_bytes_per_s = node->link_pair_bytes_per_s * fast[4];
    w.in_switch_bytes_per_s = node->link_bytes_per_s * fast[5];
    w.fast.reduces = node->link_reduces && w.in_switch_bytes_per_s > 0;
    w.slow = (clg_link){slow_hop_s, clg_machine_inter_bytes_per_s(machine), false};
    if (read_protocols(arena, &w, error) != CLG_OK) return CLG_BAD_INPUT;
    *network = w;
    return CLG_OK;
}

/* What an overlay may state of a level: `numbers` in the order of the keys, negative: not stated.
 */
enum { LEVEL_KEYS = 7 };

static clg_status read_level(const clg_json *level, const char *file, double numbers[LEVEL_KEYS],
                             clg_error *error) {
    static const char *const keys[LEVEL_KEYS] = {
        "base", "hop", "ramp", "sigma", "efficiency", "in_switch_efficiency", "tail"};
    static const clg_dimension dimensions[LEVEL_KEYS] = {
        CLG_SECONDS, CLG_SECONDS, CLG_BYTES, CLG_COUNT, CLG_FRACTION, CLG_FRACTION, CLG_COUNT};
    for (int i = 0; i < LEVEL_KEYS; i++) numbers[i] = -1;
    if (level && clg_value_keys(level, keys, LEVEL_KEYS, file, error) != CLG_OK)
        return CLG_BAD_INPUT;
    for (int i = 0; level && i < LEVEL_KEYS; i++)
        if (clg_value_read(level, keys[i], dimensions[i], false, file, &numbers[i], error) !=
            CLG_OK)
            return CLG_BAD_INPUT;
    return CLG_OK;
}

static void put(double *into, double number) {
    if (number >= 0) *into = number;
}

static void put_fast(const double n[LEVEL_KEYS], const clg_machine *machine, clg_network *w) {
    put(&w->base_s, n[0]);
    put(&w->fast.latency_s, n[1]);
    put(&w->ramp_bytes, n[2]);
    put(&w->sigma_fast, n[3]);
    put(&w->fast.bytes_per_s, n[4] * machine->node.link_bytes_per_s);
    put(&w->pair_bytes_per_s, n[4] * machine->node.link_pair_bytes_per_s);
    put(&w->in_switch_bytes_per_s, n[5] * machine->node.link_bytes_per_s);
    w->fast.reduces = machine->node.link_reduces && w->in_switch_bytes_per_s > 0;
}

static void put_slow(const double n[LEVEL_KEYS], const clg_machine *machine, clg_network *w) {
    clg_machine own = *machine;
    put(&w->base_slow_s, n[0]);
    put(&w->slow.latency_s, n[1]);
    put(&w->ramp_slow_bytes, n[2]);
    put(&w->sigma_slow, n[3]);
    put(&own.fabric.efficiency, n[4]);
    w->slow.bytes_per_s = clg_machine_inter_bytes_per_s(&own);
    put(&w->tail, n[6]);
}

clg_status clg_network_overlay(clg_arena *arena, const clg_file *file, const clg_machine *machine,
                               clg_network *network, clg_error *error) {
    static const char *const keys[] = {"name", "title", "notes", "gpu", "fabric", "fast", "slow"};
    double fast[LEVEL_KEYS], slow[LEVEL_KEYS];
    const clg_json *root;
    if (clg_dataset_parse(arena, file->path, file->text, file->size, &root, error) != CLG_OK ||
        clg_value_keys(root, keys, sizeof keys / sizeof keys[0], file->path, error) != CLG_OK ||
        clg_machine_owns(machine, root, file->path, error) != CLG_OK ||
        read_level(clg_json_member(root, "fast"), file->path, fast, error) != CLG_OK ||
        read_level(clg_json_member(root, "slow"), file->path, slow, error) != CLG_OK)
        return CLG_BAD_INPUT;
    clg_network own = *network;
    put_fast(fast, machine, &own);
    put_slow(slow, machine, &own);
    if (fast[4] == 0 || slow[4] == 0) {
        clg_error_at(error, file->path, root->line, root->column, "efficiency");
        return clg_fail(error, CLG_BAD_INPUT, "give a share above 0", "a link without bandwidth");
    }
    *network = own;
    return CLG_OK;
}
