/* cliff.h -- what a buyer can do where no fleet worth its money is sure to hold the target: which
 * target one does hold, and which measurement of one replica says what to buy. */
#ifndef CLG_SERVE_CLIFF_H
#define CLG_SERVE_CLIFF_H

#include "serve/serve_answer.h"

/* Fleets beyond so many times the sized one are not worth their money: replicas but a little slower
 * meet the target with hardly any load. */
enum { CLG_HEADROOM_WORTH = 3, CLG_SLACKS = 3, CLG_LARGER = 4 };

typedef struct clg_slack {
    clg_serve_target target; /* the asked one, one of its times longer */
    int64_t replicas;        /* that hold it at P90 of the iterations; 0: none worth its money */
} clg_slack;

typedef struct clg_larger {
    int64_t replicas;
    double chance; /* that they meet the target */
    double bears;  /* times what iterations are predicted to take, at which they just do */
} clg_larger;

typedef struct clg_serve_cliff {
    bool known;                    /* the target is at a cliff */
    clg_larger larger[CLG_LARGER]; /* from the sized fleet to the largest that is worth its money */
    bool by_first;                 /* the first token is what comes late then; else the others */
    clg_slack slack[CLG_SLACKS];   /* from the tightest */
    double alone_s;                /* median of that time for a client alone on a replica */
} clg_serve_cliff;

/* Of a fleet that was sized, and is not sure enough to meet the target. */
void clg_serve_cliff_of(clg_arena *arena, const clg_serve_question *question,
                        const clg_serve_answer *answer, clg_serve_cliff *cliff);

#endif
