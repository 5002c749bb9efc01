/* waits.c -- what the slowest of many parts costs the others. */
#include "evaluate/compose.h"

#include "base/real.h"

#include <math.h>

/* A synchronous step waits for the slowest of its parts: mean + sigma sqrt(2 ln N) for Gaussian
 * parts (the leading term of the expected maximum). Nodes of which a share p is slower by d: with
 * the chance 1 - (1 - p)^N there is one among N, and the step is as late as it is. Drawn anew for
 * every job, and the mean over jobs: a job that has no slow node is faster, one that has is slower.
 */
double clg_straggler_share(const clg_scenario *scenario, const clg_layout *layout) {
    double parts = (double)clg_layout_gpus(layout) / scenario->machine.node.gpus;
    double share = parts <= 1 ? 0 : scenario->stack.sigma.jitter * sqrt(2 * log(parts));
    if (!(scenario->slow_nodes > 0)) return share;
    double nodes = ceil(parts);
    double none = scenario->slow_nodes < 1 ? clg_exp(nodes * clg_log1p(-scenario->slow_nodes)) : 0;
    return none * share + (1 - none) * fmax(share, scenario->slow_by);
}

/* Sharded weights make every layer wait for all: over so short a time delays are rare and long, and
 * the maximum of exponential parts grows as ln N. A rank that is late while the others wait for the
 * network delays nobody, so exposed traffic of the shards is left out. ZeRO-2 that gathers in
 * the first of several micro-batches and scatters in the last waits in these only. */
double clg_shard_wait_share(const clg_scenario *scenario, const clg_layout *layout) {
    double parts = (double)clg_layout_gpus(layout) / scenario->machine.node.gpus;
    bool always = layout->zero == 3 || !clg_gradients_whole(layout, &scenario->stack);
    double share =
        parts <= 1 || layout->zero < 2 ? 0 : scenario->stack.sigma.shard_jitter * log(parts);
    return always ? share : share / (double)layout->accumulation;
}
