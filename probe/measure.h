/* measure.h -- one operation timed: warm-up, readings, the slowest rank's time, one line of JSON.
 */
#ifndef PROBE_MEASURE_H
#define PROBE_MEASURE_H

#include "backend.h"

#include <stdio.h>

enum { PROBE_READINGS = 32 };

typedef enum probe_kind { PROBE_COLLECTIVE, PROBE_PRODUCT, PROBE_COPY } probe_kind;

typedef struct probe_work {
    probe_kind kind;
    ranks_collective collective;
    ranks_group *group;
    probe_product product;
    double bytes; /* of a collective as nccl-tests counts; of a copy read and written together */
} probe_work;

typedef struct probe_timing {
    double seconds[PROBE_READINGS];
    int readings;
    double median_s;
    probe_health health; /* of the worst rank: slowest clock, most watts and degrees, all causes */
} probe_timing;

typedef struct probe_bench {
    const probe_backend *backend;
    char *from, *to;
    size_t room, next; /* operands move through the room, so that none is still in a cache */
    double stall_s;    /* most that one operation may take */
    double end_s;      /* of the clock: no measurement starts after it */
    double each_s;     /* time for one measurement */
    int causes;        /* of slowness that any measurement met; -1: none was known */
    const char *words; /* added to every line of JSON, "" or ",\"key\":..." */
} probe_bench;

double probe_now_s(void);

/* A member of an object. Names come from drivers: what JSON would have to escape is left out. */
void probe_write_string(FILE *file, const char *key, const char *value);

/* Ends this process, and with it the job, where it is not called again within so many seconds: a
 * rank that died leaves the others waiting in a library that knows no limit. 0: no limit. */
void probe_watch(double seconds);

/* NULL, or what is wrong: the same on all ranks. */
const char *probe_measure(probe_bench *bench, const probe_work *work, probe_timing *timing);

bool probe_late(const probe_bench *bench);

/* On rank 0, to standard output. */
void probe_print(const probe_bench *bench, const probe_work *work, const probe_timing *timing);
void probe_print_step(const probe_bench *bench, const probe_timing *timing);

#endif
