/* kernels.h -- what a kernel is, by its name: the one table is data/trace/. */
#ifndef CLG_RECORD_KERNELS_H
#define CLG_RECORD_KERNELS_H

#include "base/csv.h"
#include "base/name.h"
#include "record/scan.h"

typedef enum clg_operation {
    CLG_OPERATION_UNKNOWN,
    CLG_OPERATION_ALL_REDUCE,
    CLG_OPERATION_ALL_GATHER,
    CLG_OPERATION_REDUCE_SCATTER,
    CLG_OPERATION_ALL_TO_ALL,
    CLG_OPERATION_SEND_RECEIVE, /* grouped sends and receives: the shape is not in the name */
    CLG_OPERATION_BROADCAST,
    CLG_OPERATION_REDUCE,
    CLG_OPERATION_SEND,
    CLG_OPERATION_RECEIVE,
    CLG_OPERATION_BARRIER,
    CLG_OPERATION_DISPATCH, /* of tokens to experts */
    CLG_OPERATION_COMBINE
} clg_operation;
extern const clg_name clg_operation_names[];

/* The table of kernels by what they do. */
clg_csv clg_trace_kernels(clg_arena *arena);

/* What the name of a kernel tells. */
typedef struct clg_kernel_class {
    bool communicates, product, copies;
    clg_operation operation; /* of what communicates, as far as the name says */
} clg_kernel_class;
clg_kernel_class clg_trace_classify(const clg_csv *table, const char *kernel);

/* Whether a kernel that is in no table looks as if it should be. */
bool clg_trace_suspicious(const char *kernel);

/* The operation in any of the spellings in use: all_reduce, AllReduce, _allgather_base. */
clg_operation clg_trace_operation(clg_slice text);

/* Bus bandwidth over algorithm bandwidth of n ranks (nccl-tests, doc/PERFORMANCE.md); 0: none. */
double clg_trace_bus_factor(clg_operation operation, int64_t ranks);

/* Bytes of an element: "Float", "c10::Half", "BFloat16"; 0 when unknown. */
int clg_trace_element_bytes(clg_slice type);

/* Bytes of the tensors in "Input Dims" and "Input type"; -1 when they do not tell. */
int64_t clg_trace_tensor_bytes(clg_slice dims, clg_slice types);

#endif
