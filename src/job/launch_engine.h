/* launch_engine.h -- a replica as the commands that start it under a serving engine.
 *
 * What is written is read back as the replica that was simulated (tests/cli/launch_engine.sh). An
 * engine is one file of data/trainer to be read, and a row of launch_engine.c to be written. */
#ifndef CLG_JOB_LAUNCH_ENGINE_H
#define CLG_JOB_LAUNCH_ENGINE_H

#include "job/launch.h"
#include "serve/replica.h"

/* Engines that are written, ended by a NULL name. */
extern const clg_name clg_engine_command_names[];

/* `choice`: what was asked of the replica, the engine's own defaults where it says nothing;
 * `replicas`: copies that share the demand. */
clg_launch clg_launch_engine_of(clg_arena *arena, int engine, const clg_replica *replica,
                                const clg_replica_choice *choice, int64_t replicas);

#endif
