/* frontier.h -- what fleet each target would take, and what makes the asked one dear. */
#ifndef CLG_SERVE_FRONTIER_H
#define CLG_SERVE_FRONTIER_H

#include "serve/serve_answer.h"

typedef enum clg_frontier_axis {
    CLG_FRONTIER_WITHIN,
    CLG_FRONTIER_FIRST,
    CLG_FRONTIER_TOKEN
} clg_frontier_axis;

typedef struct clg_frontier_point {
    clg_frontier_axis axis; /* what differs from the target asked for; else as that */
    clg_serve_target target;
    bool asked;
    int64_t replicas;   /* 0: no fleet meets it */
    double alone_share; /* of requests in time with nobody beside them */
} clg_frontier_point;

enum { CLG_FRONTIER_POINTS = 16, CLG_FRONTIER_REQUESTS = 60000 };

/* A fleet is at a cliff where twice as many late ones would halve it, or almost. */
typedef struct clg_frontier {
    int count; /* of points, by axis and from loose to tight; 0: not worked out */
    clg_frontier_point point[CLG_FRONTIER_POINTS];
    double busiest_s; /* of a demand of more than CLG_FRONTIER_REQUESTS requests all here is of
                         its busiest part, which lasts so long; 0: of all of it */
    int64_t asked;    /* replicas for the asked target; 0: no fleet meets it in that part */
    int64_t loose_replicas; /* with twice as many late ones allowed */
    double loose_share;
    bool cliff;
    /* Of requests in the fleet that is one replica smaller, iterations longer by the margin; and
     * in any fleet. 0 for a fleet of one. */
    double late_first, late_token, late_alone;
} clg_frontier;

/* Of an answer whose fleet was sized; where a fleet is given: nothing. */
void clg_serve_frontier(clg_arena *arena, const clg_serve_question *question,
                        const clg_serve_answer *answer, clg_frontier *frontier);

#endif
