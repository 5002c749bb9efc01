/* headroom.h -- how sure a fleet is: the chance that it holds its target, the rate it holds it to,
 * and what is left of it without a node. */
#ifndef CLG_SERVE_HEADROOM_H
#define CLG_SERVE_HEADROOM_H

#include "serve/cliff.h"

enum { CLG_GROWN = 3 };
extern const int clg_grown_months[CLG_GROWN];

typedef struct clg_serve_headroom {
    bool known;            /* of a demand in time */
    double busiest_s;      /* of a demand of more than CLG_HEADROOM_REQUESTS requests all else is of
                              its busiest part, which lasts so long; 0: of all of it */
    double chance;         /* that this fleet meets the target, by the engine's errors */
    int64_t buy_replicas;  /* of a fleet that was sized: its own where that is sure enough, else as
                              many as P90 asks for, up to CLG_HEADROOM_WORTH times; 0: no fleet */
    double buy_chance;     /* that those meet it */
    clg_serve_cliff cliff; /* where there are none */
    double next_ratio;     /* of the demand's rate, to which the fleet meets the target with the
                              margin; at most CLG_HEADROOM_MOST; below 1: it is too small; 0:
                              it holds none of it */
    double next_months;    /* until then by the growth that was asked for; infinite: never */
    int64_t grown_replicas[CLG_GROWN]; /* fleets for the demand in clg_grown_months; of a fleet
                                          that was sized; 0: not asked for */
    double lead_ratio;     /* of the demand when GPUs ordered now have come, to that now */
    int64_t lead_replicas; /* that hold it as sure as those to buy; 0: not asked for, or none */
    int64_t
        lost_replicas; /* that stand on one node, or share it; all of a fleet that has no more */
    double lost_share; /* of requests served within the target without them */
    double lost_ttft_s, lost_tpot_s; /* what nine in ten then do not exceed; 0: nobody is served */
} clg_serve_headroom;

enum { CLG_HEADROOM_REQUESTS = 60000, CLG_HEADROOM_MOST = 8 };

void clg_serve_headroom_of(clg_arena *arena, const clg_serve_question *question,
                           const clg_serve_answer *answer, clg_serve_headroom *headroom);

/* So many times the demand: requests come faster, users are more. */
clg_demand clg_demand_grown(clg_arena *arena, const clg_demand *demand, double ratio);

/* The chance that so many replicas meet the target, where iterations are as much longer or shorter
 * than predicted as the engine's tokens/s were off: log-normal, P90 at `tenth` times. */
double clg_fleet_chance(clg_arena *arena, const clg_serve_question *question, int64_t replicas,
                        double tenth);

#endif
