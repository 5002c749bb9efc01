/* threads.h -- internal to cli/: the machine's cores, lent to the core. */
#ifndef CLG_CLI_THREADS_H
#define CLG_CLI_THREADS_H

#include "base/cores.h"

/* As many threads as there are cores; NULL where there is one only. */
const clg_cores *clg_threads(void);

/* At most so many, 1 or more; `most` has to live as long. */
clg_cores clg_threads_of(const int *most);

#endif
