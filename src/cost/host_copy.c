/* host_copy.c -- see the header. */
#include "cost/host_copy.h"

#include "dataset/open.h"

clg_status clg_host_copy_rate(clg_arena *arena, const clg_gpu *gpu, double *bytes_per_s,
                              clg_error *error) {
    double share;
    const clg_value_field fields[] = {{"share", CLG_FRACTION, &share}};
    if (CLG_DATASET_NUMBERS(arena, "exchange", "host-copies", fields, error) != CLG_OK)
        return error->status;
    *bytes_per_s = share * gpu->pcie_bytes_per_s;
    return CLG_OK;
}
