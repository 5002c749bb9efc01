/* cluster.h -- which cluster: GPU kinds and counts against a deadline, a budget, a power limit. */
#ifndef CLG_ECONOMICS_CLUSTER_H
#define CLG_ECONOMICS_CLUSTER_H

#include "economics/contracts.h"
#include "economics/goodput.h"
#include "economics/odds.h"
#include "scaling/laws.h"
#include "search/search.h"

enum { CLG_CLUSTERS = 640, CLG_KINDS = 64 };

/* A kind of machine to consider, made ready. `price.usd_per_s` 0: not considered for money. */
typedef struct clg_offer {
    clg_scenario scenario;
    clg_space space; /* of every size: what its own software leaves open; its GPUs are not read */
} clg_offer;

/* Limits, of time and money at P90 of the step; 0: none. */
typedef struct clg_limits {
    double deadline_s, budget_usd, power_w;
} clg_limits;

typedef struct clg_cluster {
    const clg_offer *offer;
    int64_t gpus;
    clg_evaluation plan;
    clg_goodput goodput;
    double seconds; /* wall time to the target, losses included */
    double usd;     /* rent of that time; 0 without a price */
    double late;    /* P90 over these two */
    double joules;  /* cooling included */
    double power_w; /* while training, cooling included */
    bool meets;     /* all limits */
    clg_odds odds;  /* of meeting the deadline, the budget; NAN where not asked or not weighed */
    /* Doubled from half its size, less than the knee's share of the GPUs became progress; or it
     * costs over 1 / share times the cheapest of its kind. */
    bool past_knee;
    bool on_front; /* nothing considered is faster and cheaper */
} clg_cluster;

typedef struct clg_clusters {
    clg_cluster cluster[CLG_CLUSTERS];
    int count;
    int best; /* meets all limits: cheapest within a deadline, else fastest that is not brief, of
                 those at most `dear_share` above the cheapest where a budget is the limit; -1: none
               */
    int cheapest; /* that meets all limits, this side of the knee; -1: none has a price */
    int nearest;  /* when none meets them: the one that misses by the least factor; -1: none runs */
    double missed_factor; /* of the nearest: its worst ratio to a limit */
    clg_critical_batch critical;
    double batch_tokens, tokens_needed; /* a step's; to the target at that batch */
    /* Scale up or out: of every kind the fewest GPUs that take no longer than the deadline, or
     * than the best. Fewest GPUs first. */
    int equal[CLG_KINDS];
    int equal_count;
    double equal_seconds;
    clg_term_row term[CLG_TERM_ROWS]; /* of the best, or nearest, where asked for */
    int terms;
} clg_clusters;

/* What is asked. */
typedef struct clg_sizing {
    const clg_offer *offer; /* [offers], all of one batch */
    int offers;
    const char *left_out; /* kinds that are rented by the box only; NULL: none */
    clg_operations operations;
    double taken_back_per_gpu_s; /* of machines at spot prices: clg_spot_interruptions */
    clg_limits limits;
    double tokens;          /* the target: see clg_tokens_needed */
    double critical_tokens; /* measured critical batch; 0: from the laws; INFINITY: no wall */
    double knee_share;      /* 0..1 */
    int64_t most_gpus;
} clg_sizing;

/* Plans every offer at every size (doubling from one node to `most_gpus`), then sizes
 * between: the best kind from half its size to its double, others below the size fast enough. The
 * best is past the knee only where nothing before it meets the limits. */
clg_status clg_size(clg_arena *arena, const clg_sizing *sizing, clg_progress progress,
                    clg_clusters *clusters, clg_error *error);

/* One offer at one size, which need not be in `clusters`; false: it does not run there. `cluster`
 * keeps the offer. No limits, knees or odds are weighed. */
bool clg_cluster_plan(clg_arena *arena, const clg_sizing *sizing, const clg_clusters *clusters,
                      const clg_offer *offer, int64_t gpus, clg_cluster *cluster);

/* More nodes than are let by the hour, for less than they are let for (data/operations). */
bool clg_cluster_is_brief(const clg_operations *operations, const clg_cluster *cluster);

/* Without a deadline, within a budget: more than `dear_share` above the cheapest. */
bool clg_cluster_is_dear(const clg_sizing *sizing, const clg_clusters *clusters,
                         const clg_cluster *cluster);

#endif
