/* collective.h -- seconds a collective takes on the links its group really crosses.
 *
 * Inside a domain over the fast link, across domains over the NICs, hierarchically when a group has
 * several ranks in each of several domains. `bytes` is the nccl-tests "size": the buffer one rank
 * holds (all-gather and reduce-scatter: the full, gathered buffer). Every row of algorithms is one
 * function, formula text and source; the best one wins, ties to the earlier row.
 * Curves (data/collective/): per technology, latency per hop, achievable share of the link by
 * message size, fitted to nccl-tests logs, with range and residuals. */
#ifndef CLG_COST_COLLECTIVE_H
#define CLG_COST_COLLECTIVE_H

#include "dataset/dataset.h"
#include "machine/machine.h"

/* A link level as a collective sees it after protocol and ramp: time of one hop carrying n bytes =
 * latency_s + n / bytes_per_s. */
typedef struct clg_link {
    double latency_s;
    double bytes_per_s; /* achievable, one direction, per GPU */
    bool reduces;       /* the switch reduces in flight (NVLS, SHARP) */
} clg_link;

/* How messages are framed: what is payload, and what a hop costs beyond the link's. */
typedef struct clg_protocol {
    double payload; /* share of the bytes on the wire, 0..1 */
    double fast_extra_s, slow_extra_s;
    double most_bytes_per_s; /* of a rank's payload over more than two domains; 0: as the links */
    double block_bytes;      /* a tree's domain sends on what it has received of so much */
} clg_protocol;

enum { CLG_PROTOCOLS = 3 };
extern const char *const clg_protocol_names[CLG_PROTOCOLS];

/* The two link levels of a machine, and what grows with scale. */
typedef struct clg_network {
    clg_link fast;           /* inside a domain */
    double pair_bytes_per_s; /* of a mesh without a switch: between two ranks; 0: the whole link */
    clg_link slow;           /* between domains: per GPU, all GPUs of a node talking at once */
    double in_switch_bytes_per_s;       /* buffer bytes/s of an in-switch all-reduce */
    double base_s, base_slow_s;         /* fixed cost of a collective inside, and across domains */
    double ramp_bytes, ramp_slow_bytes; /* middle sizes lose the time of about this many bytes */
    clg_protocol protocol[CLG_PROTOCOLS]; /* of rings; payload 0: the row is not used */
    clg_protocol tree[CLG_PROTOCOLS];     /* of trees between domains */
    clg_protocol switch_tree;             /* of trees above switches that add */
    double peer_s;                        /* all-to-all: per rank in other domains */
    double exchange;   /* bytes between domains take so many times as long where a training step
                          exchanges its experts' tokens; 0: as alone */
    double tail;       /* growth of wire time per doubling of domains beyond two */
    double half_ranks; /* wire time across domains grows by ranks / half_ranks; 0: not */
    double sigma_fast, sigma_slow; /* log-residuals */
    bool borrowed; /* no collective was timed over such fast links: another curve stands in */
} clg_network;

clg_status clg_network_find(clg_arena *arena, const clg_machine *machine, clg_network *network,
                            clg_error *error);

/* Lays the user's own file over a machine's network: {"fast": {...}, "slow": {...}}, each of the
 * form of data/collective, "slow" also with the fabric's efficiency and tail, and with only the
 * values that differ (`ceiling fit` writes one). On failure *network is untouched. */
clg_status clg_network_overlay(clg_arena *arena, const clg_file *file, const clg_machine *machine,
                               clg_network *network, clg_error *error);

typedef struct clg_algorithm {
    clg_collective collective;
    const char *name, *formula, *source;
    /* Seconds, or a negative number where the algorithm does not apply to the group. */
    double (*time_s)(const clg_network *network, clg_group group, double bytes);
} clg_algorithm;

const clg_algorithm *clg_algorithms(int *count);

/* The fastest algorithm; its seconds in *seconds. ranks 1 gives 0 s. Never NULL for ranks > 1. */
const clg_algorithm *clg_collective_best(const clg_network *network, clg_collective collective,
                                         clg_group group, double bytes, double *seconds);

/* How the messages of a ring or tree between domains are framed: "ll", "ll128", "simple". NULL
 * where curves do not tell protocols apart: inside a domain, and of other algorithms. */
const char *clg_collective_protocol(const clg_network *network, const clg_algorithm *algorithm,
                                    clg_group group, double bytes);

/* Bus bandwidth as nccl-tests defines it, from bytes and seconds. */
double clg_bus_bytes_per_s(clg_collective collective, int ranks, double bytes, double seconds);

#endif
