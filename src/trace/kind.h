/* kind.h -- what a file is, from its first bytes. */
#ifndef CLG_TRACE_KIND_H
#define CLG_TRACE_KIND_H

#include "trace/scan.h"

typedef enum clg_trace_kind {
    CLG_KIND_JSON,      /* may be a Chrome trace */
    CLG_KIND_STAGES,    /* JSON: an operation timeline of a pipeline job */
    CLG_KIND_EXECUTION, /* JSON: a graph of operators */
    CLG_KIND_CHAKRA,    /* such a graph in protobuf */
    CLG_KIND_NSYS,      /* SQLite: an export of Nsight Systems */
    CLG_KIND_TEXT       /* may be a log, after pages of a launcher's messages */
} clg_trace_kind;

/* From the start of the (inflated) file. */
clg_trace_kind clg_trace_kind_of(clg_slice head);

#endif
