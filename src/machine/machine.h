/* machine.h -- GPUs, nodes, fabrics, software stacks and prices, as data files describe them.
 *
 * Every number comes from a file in data/ (or the user's own file of the same form) that states its
 * unit, source and kind (dataset/value.h reads them); `data` keeps the parsed file so that any
 * number can be asked for its source. All bandwidths: one direction, per GPU, unless the name says
 * otherwise. Zero means "does not have it" where a GPU lacks a precision or a node lacks a link. */
#ifndef CLG_MACHINE_MACHINE_H
#define CLG_MACHINE_MACHINE_H

#include "base/json.h"
#include "op/op.h"

typedef struct clg_gpu {
    const char *name, *title, *vendor, *generation;
    const char *reported_as; /* by its driver, where the title has not these words; NULL: it has */
    const char *usual_for; /* beginning of names of which it is the one that is meant; NULL: none */
    const char *asked;     /* such a beginning, where it was found by one; NULL: it was not */
    const char *attention; /* the first attention kernel made for it; NULL: any of them */
    const char *attention_newest; /* the last one that runs on it; NULL: any of them */
    const char *lender;      /* GPU whose kernels stand in; NULL: the timed one of its generation */
    const char *link_curve;  /* file of data/collective: collectives timed over its fast links */
    const char *link_lender; /* where none were: the file that stands in; NULL: the default's */
    const char *node;        /* the vendor's reference box, by name */
    double memory_bytes;     /* as sold */
    double memory_usable_bytes;             /* what the driver leaves to a program */
    double hbm_bytes_per_s;                 /* peak */
    double peak_flop_per_s[CLG_PRECISIONS]; /* dense; 0: not supported */
    int multiprocessors;                    /* SMs or CUs */
    double clock_hz;                        /* boost */
    double fast_link_bytes_per_s;           /* NVLink, xGMI: one direction, per GPU */
    double pcie_bytes_per_s;                /* one direction */
    double tdp_w, idle_w;
    const clg_json *data;
} clg_gpu;

typedef struct clg_node {
    const char *name, *title, *gpu, *fabric; /* default GPU and fabric by name */
    int gpus;                                /* GPUs in the box */
    int domain;                   /* GPUs that reach each other at fast-link speed (NVL72: 72) */
    double link_bytes_per_s;      /* fast link, one direction, per GPU; 0: over PCIe */
    const char *link_curve;       /* file of data/collective; NULL: the GPU's */
    double link_latency_s;        /* one hop, as a collective sees it; 0: the curve of its links */
    bool link_switched;           /* through a switch (any pair at full rate), not a fixed mesh */
    double link_pair_bytes_per_s; /* of a fixed mesh: one GPU to one other; 0: the whole link */
    bool link_reduces;            /* the switch reduces (NVLS) */
    int nics;
    double nic_bytes_per_s; /* one NIC, one direction */
    double host_w;          /* the box without its GPUs, training */
    double rated_w;         /* power supply rating of the box */
    double gpu_limit_w;     /* of a GPU in this box, where the board takes more; 0: its tdp_w */
    double host_time;       /* of the same work over that of an x86 host; 0: as one */
    double update_time;     /* of an update on the host over that of a DGX-2; 0: as one */
    const clg_json *data;
    const char *file;
} clg_node;

typedef struct clg_fabric {
    const char *name, *title, *technology;
    double bytes_per_s; /* of a port, one direction, line rate; 0: as fast as the NICs */
    double ports;       /* per GPU; 0: one for every NIC, at most one per GPU */
    double box_ports;   /* of a node sold with another fabric: its host's own cards; 0: not said */
    double gpu_bytes_per_s;  /* a GPU's share where it is stated, over ports and NICs; 0: not */
    double efficiency;       /* achievable share of line rate, large messages, two nodes */
    double latency_s;        /* one hop between nodes; 0: the curve of its technology */
    double oversubscription; /* 1: full bisection */
    double tail;             /* growth of collective time per doubling of nodes beyond two */
    bool assumed;            /* nobody named it: that of the maker's reference box */
    double half_ranks;       /* ranks of a group at which its rate is half of that of a few; 0: rate
                                does not depend on ranks */
    const clg_json *data;
} clg_fabric;

typedef struct clg_price {
    const char *name, *title, *provider, *gpu, *term, *date;
    const char *lone; /* why its boxes make no cluster; NULL: they do */
    double usd_per_s; /* per GPU; 0 is a price too where it is known */
    const clg_json *data;
} clg_price;

clg_status clg_gpu_read(clg_arena *arena, const char *file, const char *text, size_t size,
                        clg_gpu *gpu, clg_error *error);
clg_status clg_node_read(clg_arena *arena, const char *file, const char *text, size_t size,
                         clg_node *node, clg_error *error);
clg_status clg_fabric_read(clg_arena *arena, const char *file, const char *text, size_t size,
                           clg_fabric *fabric, clg_error *error);
clg_status clg_price_read(clg_arena *arena, const char *file, const char *text, size_t size,
                          clg_price *price, clg_error *error);

/* By canonical name, from the built-in data; an unknown name is CLG_BAD_INPUT with the nearest. */
clg_status clg_gpu_find(clg_arena *arena, const char *name, clg_gpu *gpu, clg_error *error);
/* The built-in name, in `arena`, of a GPU as drivers and people print it, with a remark in brackets
 * behind it or without; NULL: none. */
const char *clg_gpu_name(clg_arena *arena, const char *printed);
clg_status clg_node_find(clg_arena *arena, const char *name, clg_node *node, clg_error *error);
clg_status clg_fabric_find(clg_arena *arena, const char *name, clg_fabric *fabric,
                           clg_error *error);
/* The default node of a GPU: the vendor's reference box. */
clg_status clg_node_default(clg_arena *arena, const clg_gpu *gpu, clg_node *node, clg_error *error);
/* Where boxes of this GPU are known that are smaller than *node and hold `gpus` of them, the
 * smallest of those takes its place: eight V100 are a mesh, sixteen have switches. */
clg_status clg_node_of_size(clg_arena *arena, const clg_gpu *gpu, int gpus, clg_node *node,
                            clg_error *error);

/* The same box with another number of GPUs; nothing where `gpus` is not positive. */
void clg_node_resize(clg_node *node, int gpus);
clg_status clg_price_find(clg_arena *arena, const char *name, clg_price *price, clg_error *error);

/* Whether there is one at all: read or given, were it 0. */
bool clg_price_known(const clg_price *price);

/* Whether it can be had by the hour, without a term: only such prices are alike enough to compare
 * kinds of GPU by. */
bool clg_price_on_demand(const clg_price *price);

/* Whether the machines may be taken back. */
bool clg_price_spot(const clg_price *price);

/* Whether it is paid for a term, used or not: "reserved, 1 year". */
bool clg_price_held(const clg_price *price);

/* The built-in prices of a GPU, in order of their files. */
const clg_price *clg_prices_of(clg_arena *arena, const char *gpu, int *count);

/* The cheapest of them that binds one so, of boxes that make a cluster where there are such; NULL:
 * there is none. */
const clg_price *clg_price_cheapest(const clg_price *prices, int count, const char *term);

/* The cheapest on-demand price of a GPU in the built-in data, of boxes that make a cluster where
 * there are such, the cheapest of any term where there is none on demand; CLG_BAD_INPUT when there
 * is no price at all. */
clg_status clg_price_default(clg_arena *arena, const clg_gpu *gpu, clg_price *price,
                             clg_error *error);

/* What a price binds one to, in the words of the data: "on-demand", "spot", "reserved, 1 year". */
extern const clg_name clg_price_terms[];

/* The cheapest of a term of clg_price_terms; false: none is known. */
bool clg_price_of_term(clg_arena *arena, const clg_gpu *gpu, int term, clg_price *price);

/* The least and the most that is asked on demand for a GPU in the built-in data; returns how many
 * prices there are, 0 with nothing written. */
int clg_price_band(clg_arena *arena, const char *gpu, double *low_usd_per_s,
                   double *high_usd_per_s);

/* One GPU kind in one node kind on one fabric. */
typedef struct clg_machine {
    clg_gpu gpu;
    clg_node node;
    clg_fabric fabric;
    int gpus; /* of the job */
} clg_machine;

/* Refuses a node that contradicts itself; clg_node_read asks it. */
clg_status clg_node_check(clg_arena *arena, const clg_node *node, clg_error *error);

/* Refuses one whose links are faster than its GPU's, whose NICs than the ports of its fabric, or
 * whose power supply is smaller than its GPUs. For a node in its own file, with what it names:
 * a question may put any fabric beside it. */
clg_status clg_machine_check(clg_arena *arena, const clg_machine *machine, clg_error *error);

/* Refuses a file of links measured on another machine ("gpu", "fabric"); one that names none is
 * taken for any, and a machine without a name takes any. */
clg_status clg_machine_owns(const clg_machine *machine, const clg_json *root, const char *file,
                            clg_error *error);

/* Ports that a node has on its fabric. */
double clg_machine_ports(const clg_machine *machine);

/* A GPU's share of what leaves its node, all GPUs at once, at line rate: the NICs of the node or
 * its ports, whichever carry less, over its GPUs. */
double clg_machine_line_bytes_per_s(const clg_machine *machine);

/* Bytes/s one GPU can send to other nodes (line rate x efficiency / oversubscription). */
double clg_machine_inter_bytes_per_s(const clg_machine *machine);

/* Group of `ranks` ranks whose neighbours are `stride` ranks apart, ranks filling domains in
 * order: how many share a domain. Degrees that do not divide the domain are rounded the slow way.
 */
clg_group clg_machine_group(const clg_machine *machine, int ranks, int stride);

#endif
