/* by_name.c -- the row of a kernel that is met for the first time. */
#include "record/trace.h"

clg_trace_kernel clg_trace_kernel_named(const clg_csv *table, const char *name, bool copy) {
    clg_kernel_class class = {.copies = copy};
    if (!copy) class = clg_trace_classify(table, name);
    clg_trace_kernel row = {.work = class.copies ? CLG_WORK_COPY : CLG_WORK_COMPUTE};
    if (class.copies) return row;
    if (class.communicates) row.work = CLG_WORK_COMMUNICATION;
    row.operation = class.operation;
    row.product = class.product;
    row.suspicious = !class.communicates && clg_trace_suspicious(name);
    return row;
}
