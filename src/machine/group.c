/* group.c -- which ranks of a group share a fast domain, and what leaves the node. */
#include "machine/machine.h"

double clg_machine_inter_bytes_per_s(const clg_machine *machine) {
    double line = machine->fabric.bytes_per_s;
    if (line <= 0) line = machine->node.nics * machine->node.nic_bytes_per_s / machine->node.gpus;
    double over = machine->fabric.oversubscription > 1 ? machine->fabric.oversubscription : 1;
    return line * machine->fabric.efficiency / over;
}

/* Ranks fill domains in order, so a group whose neighbours are `stride` apart has domain/stride of
 * them in a domain. Where that does not divide, the emptiest domain decides: it is the slowest. */
clg_group clg_machine_group(const clg_machine *machine, int ranks, int stride) {
    int domain = machine->node.domain < machine->gpus ? machine->node.domain : machine->gpus;
    if (ranks <= 1) return (clg_group){1, 1};
    if ((long long)ranks * stride <= domain && domain % stride == 0)
        return (clg_group){ranks,
                           domain % (ranks * stride) == 0 || ranks * stride == domain ? ranks : 1};
    int per_domain = stride < domain ? domain / stride : 1;
    if (per_domain > ranks) per_domain = ranks;
    while (per_domain > 1 && (ranks % per_domain != 0 || domain % (per_domain * stride) != 0))
        per_domain--;
    return (clg_group){ranks, per_domain};
}
