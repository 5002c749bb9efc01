/* ranks.h -- the processes of a job and what they tell each other: MPI, or one process without it.
 */
#ifndef PROBE_RANKS_H
#define PROBE_RANKS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ranks_group ranks_group; /* of ranks: all of the job's groups of one shape at once */

typedef enum ranks_collective {
    RANKS_ALL_REDUCE,
    RANKS_ALL_GATHER,
    RANKS_REDUCE_SCATTER,
    RANKS_ALL_TO_ALL,
    RANKS_SEND_RECEIVE,
    RANKS_COLLECTIVES
} ranks_collective;

void ranks_start(int *count, char ***words);
void ranks_end(void);
int ranks_mine(void);
int ranks_all(void);
int ranks_nodes(void);
int ranks_on_my_node(void); /* my place among them */
const char *ranks_library(void);

/* What rank 0 holds goes to all. */
void ranks_tell(void *data, size_t bytes);
/* The largest of each number over all ranks. */
void ranks_most(double *values, int count);
void ranks_meet(void);

/* Groups of `size` ranks, `stride` apart; NULL where they do not fit the job. The same answer for
 * the same question: groups are kept. */
ranks_group *ranks_group_of(int size, int stride);
int ranks_group_size(const ranks_group *group);
int ranks_group_nodes(const ranks_group *group); /* of the widest such group */
int ranks_group_place(const ranks_group *group); /* mine in it */
/* What the group's first rank holds goes to the group. */
void ranks_group_tell(const ranks_group *group, void *data, size_t bytes);
void **ranks_group_own(ranks_group *group); /* for what a backend keeps of it */

/* As MPI counts elements in an int. */
#define RANKS_MOST_BYTES (4.0 * 2147483647)

/* Over main memory, floats; `bytes` is the full buffer of a rank, as nccl-tests counts size. */
void ranks_do(const ranks_group *group, ranks_collective what, const void *from, void *to,
              size_t bytes);

#endif
