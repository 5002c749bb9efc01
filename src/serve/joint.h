/* joint.h -- several models on one fleet of nodes: replicas of all packed together, small models on
 * the same GPUs, one spare node, and replicas that move with the hour.
 *
 * Models that share a GPU take turns on it by slices of time, without MPS. A replica under
 * continuous batching nearly always has some work, so each is sized as if the others always had:
 * its iterations take as many times as long as there are models (no model is served worse than
 * that, by fair slices, and a fleet comes out larger rather than smaller). Each keeps its weights
 * and workspace; what is left of the memory is divided equally among their caches. Left out:
 * sharing by replicas of several GPUs or by some replicas of a model only, the host's time, and
 * states of layers that keep them. Which models share is chosen from the least loaded up, and not
 * proven best. Nor is it looked at which nodes a fast link joins, where a group spans several. */
#ifndef CLG_SERVE_JOINT_H
#define CLG_SERVE_JOINT_H

#include "serve/packing.h"
#include "serve/serve_answer.h"

enum { CLG_JOINT_MODELS = 64, CLG_SHARERS = 8 };

/* How much the models have in common. */
typedef enum clg_joint_stage {
    CLG_JOINT_APART, /* nodes of its own for each */
    CLG_JOINT_NODES, /* GPUs of its own */
    CLG_JOINT_GPUS,  /* some on the same GPUs */
    CLG_JOINT_STAGES
} clg_joint_stage;

typedef struct clg_joint_model {
    const char *name;
    const clg_serve_question *question; /* of a demand in time */
    const clg_serve_answer *answer;     /* alone */
    /* Filled: */
    int pool;                        /* whose GPUs it shares where those are shared; -1: nobody's */
    int64_t alone_nodes;             /* whole ones */
    double load_gpus;                /* that its mean demand would keep full, offline */
    double held_gpus;                /* of the fleet taken; of shared ones its part of their load */
    int64_t replicas, lost_replicas; /* of it, and of those the most on one node */
    double lost_share;               /* served within the target without them */
    double usd_per_s, alone_usd_per_s; /* whole nodes, empty GPUs by what is held; 0: no price */
} clg_joint_model;

/* Models on the same GPUs: one replica of each on every one of them. */
typedef struct clg_joint_pool {
    int member[CLG_SHARERS], members;
    int64_t gpus, slow_gpus; /* slow: at P90 of the engine's errors, with the margin */
} clg_joint_pool;

typedef struct clg_joint_count {
    int64_t nodes, gpus; /* gpus: that replicas hold */
    int64_t bound;       /* no packing of them takes fewer nodes */
} clg_joint_count;

/* Replicas that are moved between windows: a replica loads its weights in the window before the
 * one it is for, and the fleet is as large as the fullest window. */
typedef struct clg_joint_moved {
    bool known; /* all models have the same windows, and a start takes less than one */
    double window_s, mean_nodes;
    int64_t most_nodes, starts; /* starts: in the span */
} clg_joint_moved;

typedef struct clg_joint {
    clg_joint_model *model; /* [models] */
    int models, node_gpus;
    clg_joint_pool pool[CLG_JOINT_MODELS];
    int pools;
    clg_joint_count stage[CLG_JOINT_STAGES];
    clg_joint_stage taken;         /* the first of those with the fewest nodes */
    int64_t low_nodes, high_nodes; /* so packed at P10 and P90 of the engine's errors; high 0: a
                                      target is missed by any fleet then, or by CLG_PACK_NODES */
    int64_t hot_nodes;   /* on which every model meets its target without any one of them, with
                            replicas more of those that do not; 0: not found */
    clg_packing packing; /* of the taken one */
    int kinds, *owner;   /* [kinds] of the packing: a model, or models + a pool */
    clg_joint_moved moved;
    double usd_per_s; /* all of its nodes; 0: no price */
} clg_joint;

/* Packs models that were answered alone, on nodes of one kind; `model` stays the caller's.
 * CLG_BAD_INPUT where they take more than CLG_PACK_NODES nodes. */
clg_status clg_joint_make(clg_arena *arena, clg_joint_model *model, int models,
                          const clg_cores *cores, clg_joint *joint, clg_error *error);

/* Replicas, or parts of those of several nodes, that stand on a node; `owner` as above. */
int64_t clg_joint_on_node(const clg_joint *joint, int64_t node, int owner);

/* The replica of a model on a GPU that it shares, `scale` times as slow again; false: their weights
 * or its longest request do not fit. */
bool clg_joint_replica(clg_arena *arena, const clg_joint_model *model, int index, const int *member,
                       int members, double scale, clg_replica *replica);

#endif
