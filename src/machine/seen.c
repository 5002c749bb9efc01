/* seen.c -- reads data/fabric-seen.csv. */
#include "machine/seen.h"

#include "dataset/kept.h"

#include <stdlib.h>
#include <string.h>

/* Keeps the rates in order; beyond the last place the nearest one takes the system. */
static void add(clg_seen *seen, double bytes_per_s) {
    int at = 0;
    while (at < seen->count && seen->bytes_per_s[at] < bytes_per_s) at++;
    bool there = at < seen->count && seen->bytes_per_s[at] == bytes_per_s;
    if (!there && seen->count == CLG_SEEN) {
        there = true;
        at -= at == seen->count;
    }
    if (!there) {
        for (int i = seen->count++; i > at; i--) {
            seen->bytes_per_s[i] = seen->bytes_per_s[i - 1];
            seen->share[i] = seen->share[i - 1];
        }
        seen->bytes_per_s[at] = bytes_per_s;
        seen->share[at] = 0;
    }
    seen->share[at] += 1;
}

clg_seen clg_seen_find(clg_arena *arena, const char *generation) {
    clg_csv csv = clg_dataset_csv(arena, "fabric-seen.csv");
    double systems = 0;
    clg_seen seen = {0};
    for (int i = 0; i < csv.rows; i++) {
        if (strcmp(clg_csv_field(&csv, i, "generation"), generation) != 0) continue;
        add(&seen, strtod(clg_csv_field(&csv, i, "gbit_per_s_per_gpu"), NULL) * 1e9 / 8);
        systems++;
    }
    for (int i = 0; i < seen.count; i++) seen.share[i] /= systems;
    return seen;
}
