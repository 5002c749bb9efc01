/* stages_graph.h -- internal to record/: one step of a pipeline job, and what waits for what in it.
 */
#ifndef CLG_RECORD_STAGES_GRAPH_H
#define CLG_RECORD_STAGES_GRAPH_H

#include "record/stages.h"

enum { CLG_STAGE_MOST_BEFORE = 4 };

/* Operations of one worker in one step: kind k is op[first[k]] to op[first[k + 1] - 1]. */
typedef struct clg_stage_worker {
    int first[CLG_STAGE_KINDS + 1];
} clg_stage_worker;

typedef struct clg_stage_node {
    int before[CLG_STAGE_MOST_BEFORE], befores;
    int party, next_of_party; /* -1: alone; a list of those that start together */
} clg_stage_node;

typedef struct clg_stage_party {
    int members, arrived, newest;
    int64_t latest_ns;
} clg_stage_party;

/* One step. */
typedef struct clg_stage_graph {
    clg_arena *scratch;
    const clg_stages *all;
    const clg_stage_op *op;
    int count;
    clg_stage_worker *workers; /* [replicas x stages] */
    clg_stage_node *nodes;
    clg_stage_party *parties;
    int party_count;
    int *order; /* every operation behind all it waits for */
    int64_t *end_ns;
} clg_stage_graph;

/* Fills workers, nodes, parties and order from the operations, all in `scratch`; false: operations
 * wait for each other. */
bool clg_stage_graph_build(clg_stage_graph *g);

#endif
