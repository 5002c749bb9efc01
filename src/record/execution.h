/* execution.h -- what a program executed, as graphs of operators: PyTorch execution traces and
 * Chakra.
 *
 * They tell what communicates how much with whom, and Chakra how long nodes took, but not when on
 * a GPU: no ledger comes of them. Beside traces of the same rank they lend sizes and groups to
 * kernels that do not tell theirs. Formats: PyTorch execution_trace_observer.cpp, schemas 1.0 and
 * 1.1; Chakra et_def.proto (mlcommons/chakra), length-delimited protobuf, and its JSON. */
#ifndef CLG_RECORD_EXECUTION_H
#define CLG_RECORD_EXECUTION_H

#include "record/trace.h"

/* One collective, send or receive, in the order of the file. */
typedef struct clg_execution_call {
    clg_operation operation;
    int64_t bytes, group_size; /* -1: unknown */
    int64_t duration_ns;       /* -1: not said */
    const char *group;         /* NULL: not said */
} clg_execution_call;

typedef struct clg_execution {
    const char *file, *format; /* "PyTorch execution trace", "Chakra" */
    int32_t rank;              /* -1: not said */
    int64_t nodes, communications;
    int64_t compute_ns, communication_ns; /* on the GPU; -1: no durations */
    clg_execution_call *call;
    size_t calls, capacity;
    int64_t lent; /* calls of traces that it helped */
    bool damaged;
} clg_execution;

typedef struct clg_executions {
    clg_arena *arena;
    clg_execution *file;
    size_t count, capacity;
} clg_executions;

/* For readers: a node took so long on the GPU; -1 and 0: not said. */
void clg_execution_took(clg_execution *execution, bool communicates, int64_t duration_ns);

/* From JSON of either kind; false when no graph of operators is in it. */
bool clg_execution_read_json(clg_executions *list, const char *file, clg_trace_source source);

/* From Chakra's protobuf. */
bool clg_execution_read_chakra(clg_executions *list, const char *file, clg_slice data);

/* Gives the calls of a trace the sizes and groups that they lack, operation by operation, where the
 * numbers of calls agree. Returns how many were helped. */
int64_t clg_execution_lend(const clg_execution *execution, clg_trace *trace);

#endif
