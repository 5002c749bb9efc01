/* cpu.c -- a core as if it were a GPU: OpenBLAS for products, MPI for collectives. */
#include "backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef PROBE_BLAS
#include <cblas.h>
/* Of OpenBLAS; other libraries of this interface lack them. */
void openblas_set_num_threads(int threads);
char *openblas_get_config(void);
#endif

/* One core a rank: ranks stand for GPUs, and cores that two share tell nothing. */
static const char *open_cpu(int place) {
    (void)place;
#ifdef PROBE_BLAS
    openblas_set_num_threads(1);
#endif
    return NULL;
}

static const char *device(void) {
    static char name[128] = "CPU";
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        char *value = strchr(line, ':');
        if (!value || strncmp(line, "model name", 10) != 0) continue;
        value += 1 + strspn(value + 1, " ");
        snprintf(name, sizeof name, "%.*s", (int)strcspn(value, "\n"), value);
        break;
    }
    if (file) fclose(file);
    return name;
}

static const char *versions(void) {
    static char text[256];
#ifdef PROBE_BLAS
    snprintf(text, sizeof text, "%.120s, %.100s", openblas_get_config(), ranks_library());
#else
    snprintf(text, sizeof text, "no OpenBLAS, %.100s", ranks_library());
#endif
    return text;
}

static double memory_bytes(void) {
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

/* Touched, so that no reading pays for its pages. */
static void *allocate(size_t bytes) {
    void *memory = malloc(bytes);
    if (memory) memset(memory, 0, bytes);
    return memory;
}

static const char *product(const probe_product *p, const void *a, const void *b, void *c) {
#ifdef PROBE_BLAS
    if (p->dtype != PROBE_FP32) return "the cpu backend multiplies fp32 only";
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, p->m, p->n, p->k, 1, a, p->k, b, p->n, 0,
                c, p->n);
    return NULL;
#else
    (void)p, (void)a, (void)b, (void)c;
    return "built without OpenBLAS";
#endif
}

static const char *copy(const void *from, void *to, size_t bytes) {
    memcpy(to, from, bytes);
    return NULL;
}

static const char *collective(ranks_group *group, ranks_collective what, const void *from, void *to,
                              size_t bytes) {
    ranks_do(group, what, from, to, bytes);
    return NULL;
}

static const char *wait_for_it(void) { return NULL; }

const probe_backend probe_cpu = {.name = "cpu",
                                 .open = open_cpu,
                                 .device = device,
                                 .versions = versions,
                                 .memory_bytes = memory_bytes,
                                 .allocate = allocate,
                                 .product = product,
                                 .copy = copy,
                                 .collective = collective,
                                 .wait = wait_for_it,
                                 .health = probe_health_core,
                                 .shared = true,
#ifdef PROBE_BLAS
                                 .has = {true, false, false}
#endif
};
