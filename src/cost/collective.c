/* collective.c -- what a collective costs in the latency-bandwidth model on two link levels.
 *
 *   time = base + hops + wire bytes / rate + (ramp / rate) * n / (n + ramp)
 *
 * The last term is the loss of the middle sizes, where protocols switch and pipelines fill: it
 * vanishes for small messages and is a constant for large ones. `bytes` is what nccl-tests prints
 * as size. Left out: reduction arithmetic, and traffic of other jobs on the fabric.
 *
 * To add an algorithm: one time function and one row of algorithms[]. */
#include "cost/collective.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static int ceil_log2(int n) {
    int bits = 0;
    while ((1LL << bits) < n) bits++;
    return bits;
}

/* Without a switch a rank's links lead to fixed neighbours, and only those to members of the group
 * carry its traffic. */
static double fast_rate(const clg_network *w, clg_group g) {
    int near = g.ranks < g.per_domain ? g.ranks : g.per_domain;
    double meshed = w->pair_bytes_per_s * (near - 1);
    return meshed > 0 && meshed < w->fast.bytes_per_s ? meshed : w->fast.bytes_per_s;
}

/* One ring through all ranks crosses every domain once; rings that start at each of a domain's
 * ranks use all their NICs at once. So a rank's ring rate is the slower of its fast link and its
 * domain's NICs together. */
static double ring_rate(const clg_network *w, clg_group g) {
    double inside = fast_rate(w, g);
    if (clg_group_domains(g) == 1) return inside;
    if (g.per_domain == 1) return w->slow.bytes_per_s;
    double out = w->slow.bytes_per_s * g.per_domain;
    return out < inside ? out : inside;
}

static double base_s(const clg_network *w, clg_group g) {
    return clg_group_domains(g) > 1 ? w->base_slow_s : w->base_s;
}

/* Steps of one trip round the ring: those inside domains and those between them. */
static double round_s(const clg_network *w, clg_group g) {
    int slow = clg_group_domains(g) > 1 ? clg_group_domains(g) : 0;
    int steps = g.ranks - 1, fast = steps - slow;
    if (fast < 0) fast = 0;
    if (slow > steps) slow = steps;
    return fast * w->fast.latency_s + slow * w->slow.latency_s;
}

/* Bytes on a rank's wire at the rate, and the ramp of middle sizes; congestion grows with domains.
 */
static double wire_s(const clg_network *w, clg_group g, double wire, double bytes, double rate) {
    double ramp = clg_group_domains(g) > 1 ? w->ramp_slow_bytes : w->ramp_bytes;
    double share = bytes > 0 ? bytes / (bytes + ramp) : 0;
    double tail = 1;
    int domains = clg_group_domains(g);
    if (domains > 2) tail += w->tail * (ceil_log2(domains) - 1);
    if (domains > 1 && w->half_ranks > 0) tail *= 1 + g.ranks / w->half_ranks;
    return (wire + wire / (bytes > 0 ? bytes : 1) * ramp * share) / rate * tail;
}

/* What a collective is on a ring: trips round it, and bytes on a rank's wire over the buffer. */
typedef struct ring {
    int trips;
    double wire_share;
} ring;

static ring ring_of(clg_collective collective, int ranks) {
    double others = (double)(ranks - 1) / ranks;
    if (collective == CLG_ALL_REDUCE) return (ring){2, 2 * others};
    if (collective == CLG_BROADCAST) return (ring){1, 1};
    return (ring){1, others};
}

/* What a protocol adds to trips of a ring that carries `wire` bytes in `carried_s` without one. */
static double framed_s(const clg_protocol *p, clg_group g, int trips, double wire,
                       double carried_s) {
    int domains = clg_group_domains(g), steps = g.ranks - 1;
    int slow = domains < steps ? domains : steps;
    double extra = (steps - slow) * p->fast_extra_s + slow * p->slow_extra_s;
    double moved = carried_s / p->payload;
    if (domains > 2 && p->most_bytes_per_s > 0) moved = fmax(moved, wire / p->most_bytes_per_s);
    return trips * extra + moved;
}

/* Between domains the fastest protocol is taken, as NCCL does: long rings of thin slices are bound
 * by the hops of the protocols that carry more. *row: which; -1 inside a domain, whose curve was
 * measured over all of them. */
static double ring_best_s(const clg_network *w, clg_group g, ring r, double bytes, int *row) {
    double wire = r.wire_share * bytes, best = -1;
    double fixed = base_s(w, g) + r.trips * round_s(w, g);
    double carried = wire_s(w, g, wire, bytes, ring_rate(w, g));
    *row = -1;
    for (int i = 0; clg_group_domains(g) > 1 && i < CLG_PROTOCOLS; i++) {
        if (w->protocol[i].payload <= 0) continue;
        double seconds = framed_s(&w->protocol[i], g, r.trips, wire, carried);
        if (best >= 0 && seconds >= best) continue;
        best = seconds;
        *row = i;
    }
    return fixed + (best < 0 ? carried : best);
}

static double ring_s(const clg_network *w, clg_group g, clg_collective collective, double bytes) {
    int row;
    return ring_best_s(w, g, ring_of(collective, g.ranks), bytes, &row);
}

static double ring_all_gather_s(const clg_network *w, clg_group g, double bytes) {
    return ring_s(w, g, CLG_ALL_GATHER, bytes);
}

static double ring_all_reduce_s(const clg_network *w, clg_group g, double bytes) {
    return ring_s(w, g, CLG_ALL_REDUCE, bytes);
}

/* A tree hands a message on block by block, up to the root and down again: beside the wire's time
 * each level between domains costs a hop and one block through its NICs. */
static double levels_s(const clg_network *w, const clg_protocol *p, clg_group g, double bytes) {
    int levels = ceil_log2(clg_group_domains(g));
    double block = bytes < p->block_bytes ? bytes : p->block_bytes;
    double leaving = w->slow.bytes_per_s * g.per_domain;
    return 2 * levels * (w->slow.latency_s + p->slow_extra_s + block / leaving);
}

/* A chain inside each domain and a double binary tree between them, as NCCL builds it. */
static double tree_framed_s(const clg_network *w, const clg_protocol *p, clg_group g,
                            double bytes) {
    double wire = 2 * bytes, block = bytes < p->block_bytes ? bytes : p->block_bytes;
    double chain = w->fast.latency_s + p->fast_extra_s + block / fast_rate(w, g);
    double moved = wire_s(w, g, wire, bytes, ring_rate(w, g)) / p->payload;
    if (clg_group_domains(g) > 2 && p->most_bytes_per_s > 0)
        moved = fmax(moved, wire / p->most_bytes_per_s);
    return base_s(w, g) + 2 * (g.per_domain - 1) * chain + levels_s(w, p, g, bytes) + moved;
}

/* Between domains by the fastest protocol, in *row; inside one as rings. */
static double tree_best_s(const clg_network *w, clg_group g, double bytes, int *row) {
    static const clg_protocol bare = {.payload = 1};
    double best = -1;
    *row = -1;
    for (int i = 0; clg_group_domains(g) > 1 && i < CLG_PROTOCOLS; i++) {
        if (w->tree[i].payload <= 0) continue;
        double seconds = tree_framed_s(w, &w->tree[i], g, bytes);
        if (best >= 0 && seconds >= best) continue;
        best = seconds;
        *row = i;
    }
    return best < 0 ? tree_framed_s(w, &bare, g, bytes) : best;
}

static double tree_all_reduce_s(const clg_network *w, clg_group g, double bytes) {
    int row;
    return tree_best_s(w, g, bytes, &row);
}

/* The switch adds: every rank sends and receives the buffer once. Across domains two binary trees
 * each carry half of what a domain reduced, up to the parent and down to the children; an inner
 * domain of one tree is a leaf of the other, so the busiest sends 1/2 + 2/2 + 1/2 of it over its
 * NICs. Two domains are a parent and a child, and the other way round: 1/2 + 1/2. */
static double in_switch_all_reduce_s(const clg_network *w, clg_group g, double bytes) {
    if (!w->fast.reduces || g.per_domain < 3) return -1;
    int domains = clg_group_domains(g);
    double inside = wire_s(w, g, bytes, bytes, w->in_switch_bytes_per_s);
    const clg_protocol *p = &w->switch_tree;
    double hops = 2 * w->fast.latency_s, outside = 0;
    if (domains > 1) {
        hops += p->fast_extra_s + levels_s(w, p, g, bytes);
        double leaving = (domains == 2 ? 1 : 2) * bytes;
        outside = wire_s(w, g, leaving, bytes, w->slow.bytes_per_s * g.per_domain);
    }
    return base_s(w, g) + hops + (inside > outside ? inside : outside);
}

/* Every rank sends its share to every other: the part for other domains through its own NIC, one
 * message after the other. Nothing is passed on, so the group's length does not slow the wire. */
static double direct_all_to_all_s(const clg_network *w, clg_group g, double bytes) {
    int others = g.ranks - g.per_domain;
    double far = bytes * others / g.ranks;
    double near = bytes * (g.per_domain - 1) / g.ranks;
    clg_network direct = *w;
    direct.half_ranks = 0;
    double near_s = near > 0 ? wire_s(&direct, g, near, bytes, fast_rate(w, g)) : 0;
    double far_s = far > 0 ? wire_s(&direct, g, far, bytes, w->slow.bytes_per_s) : 0;
    double steps = far > 0 ? ceil_log2(clg_group_domains(g)) * w->slow.latency_s : 0;
    double messages = others * w->peer_s;
    double hops = w->fast.latency_s + (messages > steps ? messages : steps);
    return base_s(w, g) + hops + (near_s > far_s ? near_s : far_s);
}

/* A pipelined chain through all ranks, one for each of a domain's NICs: every byte passes every
 * rank once. */
static double broadcast_s(const clg_network *w, clg_group g, double bytes) {
    return ring_s(w, g, CLG_BROADCAST, bytes);
}

static double send_s(const clg_network *w, clg_group g, double bytes) {
    const clg_link *link = clg_group_domains(g) > 1 ? &w->slow : &w->fast;
    double rate = link == &w->fast ? fast_rate(w, g) : link->bytes_per_s;
    return base_s(w, g) + link->latency_s + bytes / rate;
}

static const clg_algorithm algorithms[] = {
    {CLG_ALL_REDUCE, "ring", "base + 2(p-1)a + 2(p-1)/p n/B",
     "Patarasuk & Yuan, J. Parallel Distrib. Comput. 69(2):117-124, 2009", ring_all_reduce_s},
    {CLG_ALL_REDUCE, "double-tree", "base + 2(g-1)(a + b/B) + 2 log2(d)(a' + b/gB') + 2n/B",
     "Sanders, Speck & Traff, Parallel Computing 35:581-594, 2009", tree_all_reduce_s},
    {CLG_ALL_REDUCE, "in-switch", "base + 2a + 2 log2(d)(a' + b/gB') + n/B_switch",
     "NVLink SHARP: Klenk et al., ISCA 2020, doi 10.1109/ISCA45697.2020.00085",
     in_switch_all_reduce_s},
    {CLG_ALL_GATHER, "ring", "base + (p-1)a + (p-1)/p n/B",
     "Patarasuk & Yuan, J. Parallel Distrib. Comput. 69(2):117-124, 2009", ring_all_gather_s},
    {CLG_REDUCE_SCATTER, "ring", "base + (p-1)a + (p-1)/p n/B",
     "Patarasuk & Yuan, J. Parallel Distrib. Comput. 69(2):117-124, 2009", ring_all_gather_s},
    {CLG_BROADCAST, "ring", "base + (p-1)a + n/B", "pipelined chain, as NCCL", broadcast_s},
    {CLG_ALL_TO_ALL, "direct", "base + a log2(d) + max(near/B, far/B')",
     "pairwise exchange; Thakur, Rabenseifner & Gropp, IJHPCA 19(1):49-66, 2005",
     direct_all_to_all_s},
    {CLG_SEND_RECEIVE, "direct", "base + a + n/B", "latency-bandwidth model", send_s}};
enum { ALGORITHMS = sizeof algorithms / sizeof algorithms[0] };

const clg_algorithm *clg_algorithms(int *count) {
    *count = ALGORITHMS;
    return algorithms;
}

const clg_algorithm *clg_collective_best(const clg_network *network, clg_collective collective,
                                         clg_group group, double bytes, double *seconds) {
    const clg_algorithm *best = NULL;
    *seconds = 0;
    for (int i = 0; i < ALGORITHMS; i++) {
        if (algorithms[i].collective != collective) continue;
        double s = group.ranks > 1 ? algorithms[i].time_s(network, group, bytes) : 0;
        if (s < 0 || (best && s >= *seconds)) continue;
        best = &algorithms[i];
        *seconds = s;
    }
    assert(best); /* every collective has a row; tests check it */
    return best;
}

const char *const clg_protocol_names[CLG_PROTOCOLS] = {"ll", "ll128", "simple"};

const char *clg_collective_protocol(const clg_network *network, const clg_algorithm *algorithm,
                                    clg_group group, double bytes) {
    int row = -1;
    if (group.ranks < 2) return NULL;
    if (algorithm->time_s == tree_all_reduce_s)
        tree_best_s(network, group, bytes, &row);
    else if (strcmp(algorithm->name, "ring") == 0)
        ring_best_s(network, group, ring_of(algorithm->collective, group.ranks), bytes, &row);
    return row < 0 ? NULL : clg_protocol_names[row];
}

double clg_bus_bytes_per_s(clg_collective collective, int ranks, double bytes, double seconds) {
    double factor = collective == CLG_ALL_REDUCE ? 2.0 * (ranks - 1) / ranks
                    : collective == CLG_SEND_RECEIVE || collective == CLG_BROADCAST
                        ? 1
                        : (double)(ranks - 1) / ranks;
    return bytes / seconds * factor;
}
