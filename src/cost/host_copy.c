/* host_copy.c -- see the header. */
#include "cost/host_copy.h"

#include "dataset/dataset.h"
#include "dataset/kept.h"
#include "dataset/value.h"

clg_status clg_host_copy_rate(clg_arena *arena, const clg_gpu *gpu, double *bytes_per_s,
                              clg_error *error) {
    const clg_file *file = clg_dataset_find("exchange/host-copies.json");
    const clg_json *root;
    double share;
    if (!file) return clg_fail(error, CLG_BAD_INPUT, NULL, "copies from hosts are not built in");
    if (clg_dataset_parse(arena, file->path, file->text, file->size, &root, error) != CLG_OK ||
        clg_value_read(root, "share", CLG_FRACTION, true, file->path, &share, error) != CLG_OK)
        return error->status;
    *bytes_per_s = share * gpu->pcie_bytes_per_s;
    return clg_value_done(root, file->path, error);
}
