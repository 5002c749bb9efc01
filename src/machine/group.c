/* group.c -- which ranks of a group share a fast domain, and what leaves the node. */
#include "machine/machine.h"

#include <string.h>

/* A node's NICs are those of the fabric it is sold with. */
static bool is_own(const clg_machine *machine) {
    const char *own = machine->node.fabric, *name = machine->fabric.name;
    return own && name && strcmp(own, name) == 0;
}

double clg_machine_ports(const clg_machine *machine) {
    const clg_node *node = &machine->node;
    if (machine->fabric.box_ports > 0 && !is_own(machine)) return machine->fabric.box_ports;
    if (machine->fabric.ports > 0) return machine->fabric.ports * node->gpus;
    return node->nics > 0 && node->nics < node->gpus ? node->nics : node->gpus;
}

double clg_machine_line_bytes_per_s(const clg_machine *machine) {
    const clg_node *node = &machine->node;
    if (machine->fabric.gpu_bytes_per_s > 0) return machine->fabric.gpu_bytes_per_s;
    double cards = node->nics * node->nic_bytes_per_s;
    double ports = clg_machine_ports(machine) * machine->fabric.bytes_per_s;
    double node_bytes_per_s = ports <= 0 || (cards > 0 && cards < ports) ? cards : ports;
    return node_bytes_per_s / node->gpus;
}

double clg_machine_inter_bytes_per_s(const clg_machine *machine) {
    double over = machine->fabric.oversubscription > 1 ? machine->fabric.oversubscription : 1;
    return clg_machine_line_bytes_per_s(machine) * machine->fabric.efficiency / over;
}

/* GPUs of one domain a job uses: schedulers place whole groups in a domain, so of 72 a job of 256
 * takes 64 in each of four. */
static int domain_in_use(const clg_machine *machine) {
    int domain = machine->node.domain;
    if (machine->gpus <= domain) return machine->gpus;
    int box = machine->node.gpus;
    for (int used = domain - domain % box; used > box; used -= box)
        if (machine->gpus % used == 0) return used;
    return box < domain ? box : domain;
}

/* Ranks fill domains in order, so a group whose neighbours are `stride` apart has up to
 * domain/stride of them in a domain. Where degrees do not divide the domain, groups straddle its
 * edge unevenly; the emptiest share decides, because it is the slowest. */
clg_group clg_machine_group(const clg_machine *machine, int ranks, int stride) {
    if (ranks <= 1) return (clg_group){1, 1};
    if (machine->gpus <= machine->node.domain && (int64_t)ranks * stride <= machine->gpus)
        return (clg_group){ranks, ranks};
    int domain = domain_in_use(machine);
    int per_domain = stride < domain ? domain / stride : 1;
    if (per_domain > ranks) per_domain = ranks;
    while (per_domain > 1 && (ranks % per_domain != 0 || domain % (per_domain * stride) != 0))
        per_domain--;
    return (clg_group){ranks, per_domain};
}
