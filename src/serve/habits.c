/* habits.c -- see the header. */
#include "serve/habits.h"

#include "dataset/open.h"
#include "dataset/value.h"

#include <math.h>

clg_status clg_serving_habits_read(clg_arena *arena, clg_serving_habits *h, clg_error *error) {
    const clg_file *file;
    const clg_json *root;
    const clg_value_field fields[] = {{"load", CLG_BYTES_PER_S, &h->load_bytes_per_s},
                                      {"start", CLG_SECONDS, &h->start_s},
                                      {"host_cache", CLG_BYTES, &h->host_bytes},
                                      {"window_answers", CLG_COUNT, &h->window_answers}};
    if (clg_dataset_open(arena, "operations", "serving", &file, &root, error) != CLG_OK ||
        clg_value_fields(root, file->path, fields, sizeof fields / sizeof fields[0], error) !=
            CLG_OK)
        return error->status;
    return clg_value_done(root, file->path, error);
}

static double read_s(const clg_replica *r, const clg_serving_habits *h) {
    double gpus = fmin(clg_replica_part_gpus(r), r->scenario->machine.node.gpus);
    return r->room.weight_bytes * gpus / h->load_bytes_per_s;
}

double clg_replica_cold_start_s(const clg_replica *r, const clg_serving_habits *h) {
    double read = read_s(r, h);
    if (r->prefill) read = fmax(read, read_s(r->prefill, h));
    return read + h->start_s;
}
