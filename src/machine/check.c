/* check.c -- what a node file says of itself, of its GPU and of its fabric may not contradict.
 *
 * Left out: whether any of it is true. */
#include "machine/machine.h"

#include <string.h>

static clg_status contradiction(const clg_node *node, const char *key, const char *mend,
                                clg_error *error, const char *what) {
    const clg_json *at = clg_json_member(node->data, key);
    clg_error_at(error, node->file, at ? at->line : 0, at ? at->column : 0, key);
    return clg_fail(error, CLG_BAD_INPUT, mend, "%s", what);
}

clg_status clg_node_check(clg_arena *arena, const clg_node *n, clg_error *error) {
    if (n->domain % n->gpus != 0 && n->gpus % n->domain != 0)
        return contradiction(
            n, "domain", "give a multiple or a divisor of gpus", error,
            clg_arena_print(arena, "%d GPUs share a fast link in boxes of %d", n->domain, n->gpus));
    if (n->link_reduces && !n->link_switched)
        return contradiction(n, "link_reduces", "write false, or link_switched true", error,
                             "only a switch can reduce, and this box has none");
    if (n->link_pair_bytes_per_s > n->link_bytes_per_s)
        return contradiction(n, "link_pair", "give at most what link says", error,
                             "one pair of GPUs would have more than all of a GPU's links");
    return CLG_OK;
}

clg_status clg_machine_check(clg_arena *arena, const clg_machine *m, clg_error *error) {
    const clg_node *n = &m->node;
    double links = m->gpu.fast_link_bytes_per_s > m->gpu.pcie_bytes_per_s
                       ? m->gpu.fast_link_bytes_per_s
                       : m->gpu.pcie_bytes_per_s;
    double cards = n->nics * n->nic_bytes_per_s;
    double ports = clg_machine_ports(m) * m->fabric.bytes_per_s;
    if (n->link_bytes_per_s > links)
        return contradiction(n, "link", "give one direction, per GPU", error,
                             clg_arena_print(arena, "%.4g GB/s, and %s has links of %.4g GB/s",
                                             n->link_bytes_per_s / 1e9, m->gpu.name, links / 1e9));
    if (m->fabric.bytes_per_s > 0 && cards > ports * (1 + 1e-9))
        return contradiction(
            n, "nic", "name a fabric with faster ports, or correct nics and nic", error,
            clg_arena_print(arena, "%d NICs carry %.4g Gbit/s, the ports of %s only %.4g", n->nics,
                            cards * 8e-9, m->fabric.name, ports * 8e-9));
    if (n->rated_w > 0 && n->rated_w < n->gpus * m->gpu.tdp_w)
        return contradiction(n, "rated", "give the rating of the whole box", error,
                             clg_arena_print(arena, "%.4g kW, and its %d GPUs alone draw %.4g kW",
                                             n->rated_w / 1e3, n->gpus,
                                             n->gpus * m->gpu.tdp_w / 1e3));
    return CLG_OK;
}

static clg_status same(const char *mine, const clg_json *root, const char *key, const char *file,
                       clg_error *error) {
    const char *named;
    if (clg_json_string(root, key, "", &named, file, error) != CLG_OK) return CLG_BAD_INPUT;
    if (!*named || !mine || strcmp(named, mine) == 0) return CLG_OK;
    clg_error_at(error, file, root->line, root->column, key);
    return clg_fail(error, CLG_BAD_INPUT, "fit collectives of this one", "links of '%.64s', not %s",
                    named, mine);
}

clg_status clg_machine_owns(const clg_machine *machine, const clg_json *root, const char *file,
                            clg_error *error) {
    if (same(machine->gpu.name, root, "gpu", file, error) != CLG_OK) return CLG_BAD_INPUT;
    return same(machine->fabric.name, root, "fabric", file, error);
}
