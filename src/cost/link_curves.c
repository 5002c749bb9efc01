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

/* One level of links, as data/collective and overlays state it. */
typedef struct level {
    double base_s, hop_s, ramp_bytes, sigma, efficiency, in_switch; /* shares of the links' rate */
    double peer_s, exchange, tail;
} level;

enum { OF_EVERY = 4, OF_LINKS = 6, OF_OVERLAYS = 7, LEVEL_FIELDS = 9 };

static void fields_of(level *l, clg_value_field into[LEVEL_FIELDS]) {
    const clg_value_field fields[LEVEL_FIELDS] = {
        {"base", CLG_SECONDS, &l->base_s},
        {"hop", CLG_SECONDS, &l->hop_s},
        {"ramp", CLG_BYTES, &l->ramp_bytes},
        {"sigma", CLG_COUNT, &l->sigma},
        {"efficiency", CLG_FRACTION, &l->efficiency},
        {"in_switch_efficiency", CLG_FRACTION, &l->in_switch},
        {"tail", CLG_COUNT, &l->tail},
        {"peer", CLG_SECONDS, &l->peer_s},
        {"exchange", CLG_COUNT, &l->exchange}};
    memcpy(into, fields, sizeof fields);
}

static clg_status read_curve(clg_arena *arena, const char *path, bool link, level *l,
                             clg_error *error) {
    clg_value_field field[LEVEL_FIELDS];
    const clg_file *file = clg_dataset_find(path);
    const clg_json *root;
    fields_of(l, field);
    if (!file) return clg_fail(error, CLG_BAD_INPUT, NULL, "%s is not built in", path);
    if (clg_dataset_parse(arena, path, file->text, file->size, &root, error) != CLG_OK ||
        clg_value_fields(root, path, field, link ? OF_LINKS : OF_EVERY, error) != CLG_OK ||
        clg_value_optional(root, path, field + OF_OVERLAYS, LEVEL_FIELDS - OF_OVERLAYS, error) !=
            CLG_OK)
        return CLG_BAD_INPUT;
    return clg_value_done(root, path, error);
}

/* What a row of the table says of rings, or of trees. */
static clg_status read_protocol(const clg_json *row, const char *file, const char *const keys[5],
                                clg_protocol *p, clg_error *error) {
    const clg_value_field fields[] = {{keys[0], CLG_FRACTION, &p->payload},
                                      {keys[1], CLG_SECONDS, &p->fast_extra_s},
                                      {keys[2], CLG_SECONDS, &p->slow_extra_s},
                                      {keys[4], CLG_BYTES, &p->block_bytes}};
    const clg_value_field most = {keys[3], CLG_BYTES_PER_S, &p->most_bytes_per_s};
    if (clg_value_fields(row, file, fields, keys[4] ? 4 : 3, error) != CLG_OK) return CLG_BAD_INPUT;
    return clg_value_optional(row, file, &most, 1, error);
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

/* A job inside one box whose boards are bridged in pairs: between pairs it is PCIe, not the
 * network. Left out: groups inside a box of jobs of several, which errs high. */
static bool crosses_pcie(const clg_machine *machine) {
    const clg_node *node = &machine->node;
    return machine->gpus <= node->gpus && node->domain < node->gpus &&
           machine->gpu.pcie_bytes_per_s > 0;
}

clg_status clg_network_find(clg_arena *arena, const clg_machine *machine, clg_network *network,
                            clg_error *error) {
    level fast = {0}, slow = {0};
    const clg_node *node = &machine->node;
    bool borrowed, pcie = crosses_pcie(machine);
    const char *path =
        pcie ? "collective/pcie.json"
             : clg_arena_print(arena, "collective/%s.json", machine->fabric.technology);
    const char *fast_path = link_file(arena, node, &machine->gpu, &borrowed);
    if (read_curve(arena, fast_path, true, &fast, error) != CLG_OK ||
        read_curve(arena, path, pcie, &slow, error) != CLG_OK)
        return CLG_BAD_INPUT;
    clg_network w = {.base_s = fast.base_s,
                     .ramp_bytes = fast.ramp_bytes,
                     .sigma_fast = fast.sigma,
                     .base_slow_s = slow.base_s,
                     .ramp_slow_bytes = slow.ramp_bytes,
                     .sigma_slow = slow.sigma,
                     .peer_s = slow.peer_s,
                     .exchange = slow.exchange,
                     .tail = pcie ? 0 : machine->fabric.tail,
                     .half_ranks = pcie ? 0 : machine->fabric.half_ranks,
                     .borrowed = borrowed};
    double fast_hop_s = node->link_latency_s > 0 ? node->link_latency_s : fast.hop_s;
    double slow_hop_s = machine->fabric.latency_s > 0 ? machine->fabric.latency_s : slow.hop_s;
    w.fast = (clg_link){fast_hop_s, node->link_bytes_per_s * fast.efficiency, node->link_reduces};
    w.pair_bytes_per_s = node->link_pair_bytes_per_s * fast.efficiency;
    w.in_switch_bytes_per_s = node->link_bytes_per_s * fast.in_switch;
    w.fast.reduces = node->link_reduces && w.in_switch_bytes_per_s > 0;
    w.slow = (clg_link){slow_hop_s, clg_machine_inter_bytes_per_s(machine), false};
    if (pcie)
        w.slow = (clg_link){slow.hop_s, machine->gpu.pcie_bytes_per_s * slow.efficiency, false};
    if (read_protocols(arena, &w, error) != CLG_OK) return CLG_BAD_INPUT;
    *network = w;
    return CLG_OK;
}

/* What an overlay may state of a level; negative: not stated. */
static clg_status read_level(const clg_json *object, const char *file, level *l, clg_error *error) {
    clg_value_field field[LEVEL_FIELDS];
    const char *keys[OF_OVERLAYS];
    fields_of(l, field);
    for (int i = 0; i < OF_OVERLAYS; i++) keys[i] = field[i].key, *field[i].into = -1;
    if (!object) return CLG_OK;
    if (clg_value_keys(object, keys, OF_OVERLAYS, file, error) != CLG_OK) return CLG_BAD_INPUT;
    return clg_value_optional(object, file, field, OF_OVERLAYS, error);
}

static void put(double *into, double number) {
    if (number >= 0) *into = number;
}

static void put_fast(const level *l, const clg_machine *machine, clg_network *w) {
    put(&w->base_s, l->base_s);
    put(&w->fast.latency_s, l->hop_s);
    put(&w->ramp_bytes, l->ramp_bytes);
    put(&w->sigma_fast, l->sigma);
    put(&w->fast.bytes_per_s, l->efficiency * machine->node.link_bytes_per_s);
    put(&w->pair_bytes_per_s, l->efficiency * machine->node.link_pair_bytes_per_s);
    put(&w->in_switch_bytes_per_s, l->in_switch * machine->node.link_bytes_per_s);
    w->fast.reduces = machine->node.link_reduces && w->in_switch_bytes_per_s > 0;
}

static void put_slow(const level *l, const clg_machine *machine, clg_network *w) {
    clg_machine own = *machine;
    put(&w->base_slow_s, l->base_s);
    put(&w->slow.latency_s, l->hop_s);
    put(&w->ramp_slow_bytes, l->ramp_bytes);
    put(&w->sigma_slow, l->sigma);
    put(&own.fabric.efficiency, l->efficiency);
    w->slow.bytes_per_s = clg_machine_inter_bytes_per_s(&own);
    put(&w->tail, l->tail);
}

clg_status clg_network_overlay(clg_arena *arena, const clg_file *file, const clg_machine *machine,
                               clg_network *network, clg_error *error) {
    static const char *const keys[] = {"name", "title", "notes", "gpu", "fabric", "fast", "slow"};
    level fast, slow;
    const clg_json *root;
    if (clg_dataset_parse(arena, file->path, file->text, file->size, &root, error) != CLG_OK ||
        clg_value_keys(root, keys, sizeof keys / sizeof keys[0], file->path, error) != CLG_OK ||
        clg_machine_owns(machine, root, file->path, error) != CLG_OK ||
        read_level(clg_json_member(root, "fast"), file->path, &fast, error) != CLG_OK ||
        read_level(clg_json_member(root, "slow"), file->path, &slow, error) != CLG_OK)
        return CLG_BAD_INPUT;
    clg_network own = *network;
    put_fast(&fast, machine, &own);
    put_slow(&slow, machine, &own);
    if (fast.efficiency == 0 || slow.efficiency == 0) {
        clg_error_at(error, file->path, root->line, root->column, "efficiency");
        return clg_fail(error, CLG_BAD_INPUT, "give a share above 0", "a link without bandwidth");
    }
    *network = own;
    return CLG_OK;
}
