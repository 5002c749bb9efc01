/* joint_share.h -- internal to serve/: which models share GPUs, and how many those are. */
#ifndef CLG_SERVE_JOINT_SHARE_H
#define CLG_SERVE_JOINT_SHARE_H

#include "serve/joint.h"

/* Puts models of one GPU each into pools, the least loaded first, each into the first pool where
 * that saves a GPU. Fills `pool` of models and of the joint fleet; pools have two members and more.
 */
void clg_joint_share(clg_arena *arena, clg_joint *joint);

#endif
