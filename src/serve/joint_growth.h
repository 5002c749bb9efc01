/* joint_growth.h -- when a joint fleet outgrows its nodes: each model sized for its demand in a
 * month, and all packed anew, by the month.
 *
 * Fleets meet the target with the margin, as those of today do; requests are today's, as much
 * faster as growth makes them. Left out: that a fleet moved less would keep more nodes. */
#ifndef CLG_SERVE_JOINT_GROWTH_H
#define CLG_SERVE_JOINT_GROWTH_H

#include "serve/joint.h"

enum { CLG_JOINT_MONTHS = 12 };

typedef struct clg_joint_then {
    int64_t nodes; /* 0: more than CLG_PACK_NODES */
    int64_t replicas[CLG_JOINT_MODELS];
} clg_joint_then;

typedef struct clg_joint_growth {
    bool known;                             /* some model grows */
    clg_joint_then month[CLG_JOINT_MONTHS]; /* after 1, 2, .. of them */
    double lead_s;                          /* until an order's nodes come; 0: not said */
    clg_joint_then lead;                    /* then */
} clg_joint_growth;

void clg_joint_grow(clg_arena *arena, const clg_joint *joint, const clg_cores *cores,
                    clg_joint_growth *growth);

#endif
