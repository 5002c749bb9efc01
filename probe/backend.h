/* backend.h -- what the probe needs of a machine. One row of the table in main.c a backend. */
#ifndef PROBE_BACKEND_H
#define PROBE_BACKEND_H

#include "health.h"
#include "ranks.h"

typedef enum probe_dtype { PROBE_FP32, PROBE_FP16, PROBE_BF16, PROBE_DTYPES } probe_dtype;
extern const char *const probe_dtype_names[PROBE_DTYPES];

/* Sizes of C[m,n] = A[m,k] B[k,n]. */
typedef struct probe_product {
    int m, n, k;
    probe_dtype dtype;
} probe_product;

/* Every function that can fail returns what is wrong, or NULL. Work may be queued: wait() ends it.
 */
typedef struct probe_backend {
    const char *name;
    const char *(*open)(int place_on_node);
    const char *(*device)(void);   /* as its driver names it */
    const char *(*versions)(void); /* of the libraries that do the work */
    double (*memory_bytes)(void);
    void *(*allocate)(size_t bytes); /* zeroed; NULL: no room */
    const char *(*product)(const probe_product *product, const void *a, const void *b, void *c);
    const char *(*copy)(const void *from, void *to, size_t bytes);
    const char *(*collective)(ranks_group *group, ranks_collective what, const void *from, void *to,
                              size_t bytes);
    const char *(*wait)(void);
    probe_health (*health)(void); /* while it works */
    bool has[PROBE_DTYPES];
    bool shared; /* with other programs, whose turns show in the readings */
} probe_backend;

extern const probe_backend probe_cpu, probe_cuda, probe_hip;

#endif
