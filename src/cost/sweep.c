/* sweep.c -- a collective at one size of group and buffer, with its interval. */
#include "cost/sweep.h"

#include "base/normal.h"

clg_sweep_point clg_sweep_at(const clg_network *network, const clg_machine *machine,
                             clg_collective collective, int ranks, double bytes) {
    clg_machine whole = *machine;
    whole.gpus = ranks;
    clg_group group = clg_machine_group(&whole, ranks, 1);
    clg_sweep_point p = {.collective = collective, .ranks = ranks, .bytes = bytes};
    const clg_algorithm *best = clg_collective_best(network, collective, group, bytes, &p.seconds);
    bool crosses = group.per_domain < ranks;
    double sigma = crosses ? network->sigma_slow : network->sigma_fast;
    p.nodes = (ranks + whole.node.gpus - 1) / whole.node.gpus;
    p.p10_s = p.seconds / (1 + CLG_SIGMAS_TO_TENTH * sigma);
    p.p90_s = p.seconds * (1 + CLG_SIGMAS_TO_TENTH * sigma);
    p.bus_bytes_per_s = clg_bus_bytes_per_s(collective, ranks, bytes, p.seconds);
    p.algorithm = best;
    p.protocol = clg_collective_protocol(network, best, group, bytes);
    return p;
}
