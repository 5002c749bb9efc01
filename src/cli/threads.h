/* threads.h -- internal to cli/: the machine's cores, lent to the core. */
#ifndef CLG_CLI_THREADS_H
#define CLG_CLI_THREADS_H

#include "base/cores.h"

/* Threads of one of the `processes` that divide a machine's cores: as many as `asked`, 0: a core
 * each; 1 to `most`. */
int clg_thread_count(long cores, int processes, int asked, int most);

/* As many threads as there are cores; NULL where there is one only. */
const clg_cores *clg_threads(void);

/* A few threads that stay for work of many short rounds: nothing is started before the first, and a
 * thread that gets no processor holds up no round that it took no piece of. */
typedef struct clg_crew clg_crew;

/* `most` with the caller, 1 or more. */
clg_crew *clg_crew_of(clg_arena *arena, int most);
clg_cores clg_crew_cores(clg_crew *crew);
void clg_crew_end(clg_crew *crew); /* before the arena is given back */

#endif
