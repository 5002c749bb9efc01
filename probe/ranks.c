/* ranks.c -- MPI where it was found at build; else one process. */
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_GROUPS = 32 };

struct ranks_group {
    int size, stride, nodes, place;
    void *own;
#ifdef PROBE_MPI
    void *comm; /* MPI_Comm, whose type is the library's */
#endif
};

static ranks_group kept[MOST_GROUPS]; /* of this process, as MPI's own state is */
static int groups;

int ranks_group_size(const ranks_group *group) { return group->size; }
int ranks_group_nodes(const ranks_group *group) { return group->nodes; }
int ranks_group_place(const ranks_group *group) { return group->place; }
void **ranks_group_own(ranks_group *group) { return &group->own; }

#ifdef PROBE_MPI
#include <mpi.h>

static int node_of_mine, place_on_node, nodes;

static MPI_Comm comm_of(const ranks_group *group) { return *(MPI_Comm *)group->comm; }

/* Ranks that share memory are a node; nodes are numbered as their first ranks are. */
static void find_nodes(void) {
    MPI_Comm node, firsts;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &place_on_node);
    MPI_Comm_split(MPI_COMM_WORLD, place_on_node == 0 ? 0 : 1, 0, &firsts);
    int number[2] = {0, 0};
    if (place_on_node == 0) {
        MPI_Comm_rank(firsts, &number[0]);
        MPI_Comm_size(firsts, &number[1]);
    }
    MPI_Bcast(number, 2, MPI_INT, 0, node);
    node_of_mine = number[0];
    nodes = number[1];
    MPI_Comm_free(&firsts);
    MPI_Comm_free(&node);
}

void ranks_start(int *count, char ***words) {
    MPI_Init(count, words);
    find_nodes();
}

void ranks_end(void) { MPI_Finalize(); }

int ranks_mine(void) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int ranks_all(void) {
    int all;
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    return all;
}

int ranks_nodes(void) { return nodes; }
int ranks_on_my_node(void) { return place_on_node; }

const char *ranks_library(void) {
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, ",\n")] = '\0';
    return text;
}

void ranks_tell(void *data, size_t bytes) {
    MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

void ranks_most(double *values, int count) {
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

void ranks_meet(void) { MPI_Barrier(MPI_COMM_WORLD); }

static int nodes_of(MPI_Comm comm) {
    int size, different = 0, most;
    MPI_Comm_size(comm, &size);
    int *node = malloc((size_t)size * sizeof *node);
    if (!node) return 1;
    MPI_Allgather(&node_of_mine, 1, MPI_INT, node, 1, MPI_INT, comm);
    for (int i = 0; i < size; i++) {
        bool seen = false;
        for (int k = 0; k < i; k++) seen = seen || node[k] == node[i];
        different += !seen;
    }
    free(node);
    MPI_Allreduce(&different, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static bool split(ranks_group *group) {
    int mine = ranks_mine(), span = group->size * group->stride;
    int color = mine / span * group->stride + mine % group->stride;
    MPI_Comm *comm = malloc(sizeof *comm);
    if (!comm) return false;
    MPI_Comm_split(MPI_COMM_WORLD, color, mine, comm);
    group->comm = comm;
    MPI_Comm_rank(*comm, &group->place);
    group->nodes = nodes_of(*comm);
    return true;
}

void ranks_group_tell(const ranks_group *group, void *data, size_t bytes) {
    MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, comm_of(group));
}

static void to_next(const ranks_group *group, const void *from, void *to, int count) {
    int next = (group->place + 1) % group->size,
        last = (group->place + group->size - 1) % group->size;
    MPI_Sendrecv(from, count, MPI_FLOAT, next, 0, to, count, MPI_FLOAT, last, 0, comm_of(group),
                 MPI_STATUS_IGNORE);
}

void ranks_do(const ranks_group *group, ranks_collective what, const void *from, void *to,
              size_t bytes) {
    MPI_Comm comm = comm_of(group);
    int all = (int)(bytes / sizeof(float)), part = all / group->size;
    if (part < 1) part = 1;
    if (what == RANKS_ALL_REDUCE) MPI_Allreduce(from, to, all, MPI_FLOAT, MPI_SUM, comm);
    if (what == RANKS_ALL_GATHER) MPI_Allgather(from, part, MPI_FLOAT, to, part, MPI_FLOAT, comm);
    if (what == RANKS_REDUCE_SCATTER)
        MPI_Reduce_scatter_block(from, to, part, MPI_FLOAT, MPI_SUM, comm);
    if (what == RANKS_ALL_TO_ALL) MPI_Alltoall(from, part, MPI_FLOAT, to, part, MPI_FLOAT, comm);
    if (what == RANKS_SEND_RECEIVE) to_next(group, from, to, all);
}

#else

void ranks_start(int *count, char ***words) { (void)count, (void)words; }
void ranks_end(void) {}
int ranks_mine(void) { return 0; }
int ranks_all(void) { return 1; }
int ranks_nodes(void) { return 1; }
int ranks_on_my_node(void) { return 0; }
const char *ranks_library(void) { return "no MPI"; }
void ranks_tell(void *data, size_t bytes) { (void)data, (void)bytes; }
void ranks_most(double *values, int count) { (void)values, (void)count; }
void ranks_meet(void) {}
static bool split(ranks_group *group) {
    group->nodes = 1;
    return true;
}
void ranks_group_tell(const ranks_group *group, void *data, size_t bytes) {
    (void)group, (void)data, (void)bytes;
}
void ranks_do(const ranks_group *group, ranks_collective what, const void *from, void *to,
              size_t bytes) {
    (void)group, (void)what;
    memmove(to, from, bytes);
}

#endif

ranks_group *ranks_group_of(int size, int stride) {
    for (int i = 0; i < groups; i++)
        if (kept[i].size == size && kept[i].stride == stride) return &kept[i];
    if (size < 1 || stride < 1 || size > ranks_all() || stride > ranks_all() ||
        ranks_all() % (size * stride) != 0 || groups == MOST_GROUPS)
        return NULL;
    kept[groups] = (ranks_group){.size = size, .stride = stride};
    return split(&kept[groups]) ? &kept[groups++] : NULL;
}
