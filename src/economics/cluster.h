/* cluster.h -- which cluster: GPU kinds and counts against a deadline, a budget, a power limit. */
#ifndef CLG_ECONOMICS_CLUSTER_H
#define CLG_ECONOMICS_CLUSTER_H

#include "economics/goodput.h"
#include "economics/odds.h"
#include "search/search.h"

enum { CLG_CLUSTERS = 640, CLG_KINDS = 64 };

/* A kind of machine to consider, made ready. `price.usd_per_s` 0: not considered for money. */
typedef struct clg_offer {
    clg_scenario scenario;
} clg_offer;

/* Limits; 0: none. */
typedef struct clg_limits {
    double deadline_s, budget_usd, power_w;
} clg_limits;

typedef struct clg_cluster {
    const clg_offer *offer;
    int64_t gpus;
    clg_evaluation plan;
    clg_goodput goodput;
    double seconds; /* wall time to the tokens, losses included */
    double usd;     /* rent of that time; 0 without a price */
    double joules;  /* cooling included */
    double power_w; /* while training, cooling included */
    bool meets;     /* all limits */
    clg_odds odds;  /* of meeting the deadline, the budget; NAN where not asked or not weighed */
    bool on_front;  /* nothing considered is faster and cheaper */
} clg_cluster;

typedef struct clg_clusters {
    clg_cluster cluster[CLG_CLUSTERS];
    int count;
    int best;    /* meets all limits: cheapest within a deadline, else fastest; -1: none */
    int nearest; /* when none meets them: the one that misses by the least factor; -1: none runs */
    double missed_factor; /* of the nearest: its worst ratio to a limit */
    /* Scale up or out: of every kind the fewest GPUs that take no longer than the deadline, or
     * than the best. Fewest GPUs first. */
    int equal[CLG_KINDS];
    int equal_count;
    double equal_seconds;
} clg_clusters;

/* Plans every offer at every size (doubling from one node to `most_gpus`), then sizes
 * between: the best kind from half its size to its double, others below the size fast enough. */
clg_status clg_size(clg_arena *arena, const clg_offer *offers, int count, const clg_space *space,
                    const clg_operations *operations, const clg_limits *limits, double tokens,
                    int64_t most_gpus, clg_progress progress, clg_clusters *clusters,
                    clg_error *error);

#endif
