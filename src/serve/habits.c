/* habits.c -- see the header. */
#include "serve/habits.h"

#include "dataset/open.h"

#include <math.h>

clg_status clg_serving_habits_read(clg_arena *arena, clg_serving_habits *h, clg_error *error) {
    const clg_value_field fields[] = {{"load", CLG_BYTES_PER_S, &h->load_bytes_per_s},
                                      {"start", CLG_SECONDS, &h->start_s},
                                      {"host_cache", CLG_BYTES, &h->host_bytes},
                                      {"window_answers", CLG_COUNT, &h->window_answers},
                                      {"limit_least", CLG_COUNT, &h->limit_least},
                                      {"limit_most", CLG_COUNT, &h->limit_most}};
    return CLG_DATASET_NUMBERS(arena, "operations", "serving", fields, error);
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
