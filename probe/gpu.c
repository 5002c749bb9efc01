/* gpu.c -- CUDA and HIP, opened at run time: the same names but for their beginnings.
 *
 * Never run on hardware yet (docs/measure.md). Left out: products in 8 bit. */
#include "backend.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* What differs between the two makers. Types of elements are those of library_types.h and of
 * hipblas.h / hip's library_types.h, which since ROCm 6 are CUDA's. */
typedef struct maker {
    const char *name, *runtime, *blas, *collectives; /* libraries */
    const char *prefix, *blas_prefix;                /* of functions */
    int single_compute;                              /* arithmetic and sums in fp32 */
} maker;

static const maker cuda = {"cuda", "libcudart.so", "libcublas.so", "libnccl.so.2", "cuda", "cublas",
                           68};
static const maker hip = {
    "hip", "libamdhip64.so", "libhipblas.so", "librccl.so.1", "hip", "hipblas", 2};

/* ncclUniqueId of nccl.h: 128 opaque bytes, passed by value. */
typedef struct unique_id {
    char bytes[128];
} unique_id;

/* Functions as the headers declare them, enumerations as int. */
static struct {
    int (*set_device)(int);
    int (*memory)(size_t *, size_t *);
    int (*allocate)(void **, size_t);
    int (*set)(void *, int, size_t);
    int (*copy)(void *, const void *, size_t, int, void *);
    int (*wait)(void);
    int (*runtime_version)(int *);
    int (*driver_version)(int *);
    int (*address)(char *, int, int); /* on PCI */
    int (*blas_version)(void *, int *);
    int (*collectives_version)(int *);
    int (*blas_open)(void **);
    int (*multiply)(void *, int, int, int, int, int, const void *, const void *, int, int,
                    const void *, int, int, const void *, void *, int, int, int, int);
    int (*unique)(unique_id *);
    int (*join)(void **, int, unique_id, int);
    int (*all_reduce)(const void *, void *, size_t, int, int, void *, void *);
    int (*all_gather)(const void *, void *, size_t, int, void *, void *);
    int (*reduce_scatter)(const void *, void *, size_t, int, int, void *, void *);
    int (*send)(const void *, size_t, int, int, void *, void *);
    int (*receive)(void *, size_t, int, int, void *, void *);
    int (*begin)(void);
    int (*end)(void);
} call;

static const maker *opened;
static void *blas;
static int place_of_mine;
static char said[200];

static const char *fails(const char *what, int status) {
    snprintf(said, sizeof said, "%s: status %d", what, status);
    return status == 0 ? NULL : said;
}

static bool find(void *library, const char *prefix, const char *name, void *function) {
    char full[80];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    return probe_find(library, full, function);
}

static bool find_runtime(void *library, const maker *m) {
    const char *p = m->prefix;
    find(library, p, "RuntimeGetVersion", &call.runtime_version);
    find(library, p, "DriverGetVersion", &call.driver_version);
    find(library, p, "DeviceGetPCIBusId", &call.address);
    return find(library, p, "SetDevice", &call.set_device) &&
           find(library, p, "MemGetInfo", &call.memory) &&
           find(library, p, "Malloc", &call.allocate) && find(library, p, "Memset", &call.set) &&
           find(library, p, "MemcpyAsync", &call.copy) &&
           find(library, p, "DeviceSynchronize", &call.wait);
}

static bool find_blas(void *library, const maker *m) {
    const char *p = m->blas_prefix;
    bool v2 = find(library, p, "Create_v2", &call.blas_open);
    find(library, p, v2 ? "GetVersion_v2" : "GetVersion", &call.blas_version);
    return (v2 || find(library, p, "Create", &call.blas_open)) &&
           find(library, p, m == &cuda ? "GemmEx" : "GemmEx_v2", &call.multiply);
}

static bool find_collectives(void *library) {
    find(library, "nccl", "GetVersion", &call.collectives_version);
    return find(library, "nccl", "GetUniqueId", &call.unique) &&
           find(library, "nccl", "CommInitRank", &call.join) &&
           find(library, "nccl", "AllReduce", &call.all_reduce) &&
           find(library, "nccl", "AllGather", &call.all_gather) &&
           find(library, "nccl", "ReduceScatter", &call.reduce_scatter) &&
           find(library, "nccl", "Send", &call.send) &&
           find(library, "nccl", "Recv", &call.receive) &&
           find(library, "nccl", "GroupStart", &call.begin) &&
           find(library, "nccl", "GroupEnd", &call.end);
}

/* Collectives may be missing; products and copies then stand alone. */
static const char *open_gpu(const maker *m, int place) {
    void *runtime = dlopen(m->runtime, RTLD_NOW), *products = dlopen(m->blas, RTLD_NOW);
    snprintf(said, sizeof said, "%s and %s are not here, or lack what the probe calls", m->runtime,
             m->blas);
    if (!find_runtime(runtime, m) || !find_blas(products, m)) return said;
    if (!find_collectives(dlopen(m->collectives, RTLD_NOW))) call.unique = NULL;
    opened = m;
    place_of_mine = place;
    const char *wrong = fails("choosing the device", call.set_device(place));
    return wrong ? wrong : fails("opening the product library", call.blas_open(&blas));
}

static const char *open_cuda(int place) { return open_gpu(&cuda, place); }
static const char *open_hip(int place) { return open_gpu(&hip, place); }

/* The driver's own call: the runtime's returns a structure that grows with its releases. */
static const char *device(void) {
    static char name[128];
    int (*get)(char *, int, int);
    bool nvidia = opened == &cuda;
    if (*name) return name;
    void *driver = dlopen(nvidia ? "libcuda.so.1" : "libamdhip64.so", RTLD_NOW);
    if (!find(driver, nvidia ? "cu" : "hip", "DeviceGetName", &get) ||
        get(name, sizeof name, place_of_mine) != 0)
        snprintf(name, sizeof name, "unknown");
    return name;
}

static const char *versions(void) {
    static char text[160];
    int runtime = 0, driver = 0, products = 0, collectives = 0;
    if (call.runtime_version) call.runtime_version(&runtime);
    if (call.driver_version) call.driver_version(&driver);
    if (call.blas_version) call.blas_version(blas, &products);
    if (call.collectives_version) call.collectives_version(&collectives);
    snprintf(text, sizeof text, "%s runtime %d, driver %d, products %d, collectives %d",
             opened->name, runtime, driver, products, collectives);
    return text;
}

static probe_health health(void) {
    static char pci[32];
    if (!*pci && (!call.address || call.address(pci, sizeof pci, place_of_mine) != 0))
        return probe_health_unknown;
    return opened == &cuda ? probe_health_nvml(pci) : probe_health_smi(pci);
}

static double memory_bytes(void) {
    size_t free_bytes = 0, all = 0;
    call.memory(&free_bytes, &all);
    return (double)all * ranks_all() / ranks_nodes(); /* of a node */
}

static void *allocate(size_t bytes) {
    void *memory = NULL;
    return call.allocate(&memory, bytes) == 0 && call.set(memory, 0, bytes) == 0 ? memory : NULL;
}

/* Row-major C = A B is column-major C' = B' A'. */
static const char *product(const probe_product *p, const void *a, const void *b, void *c) {
    static const int types[] = {0, 2, 14}; /* R_32F, R_16F, R_16BF */
    const float one = 1, zero = 0;
    int none = opened == &cuda ? 0 : 111, type = types[p->dtype];
    int heuristic = opened == &cuda ? -1 : 160;
    return fails("a product",
                 call.multiply(blas, none, none, p->n, p->m, p->k, &one, b, type, p->n, a, type,
                               p->k, &zero, c, type, p->n, opened->single_compute, heuristic));
}

static const char *copy(const void *from, void *to, size_t bytes) {
    enum { DEVICE_TO_DEVICE = 3 };
    return fails("a copy", call.copy(to, from, bytes, DEVICE_TO_DEVICE, NULL));
}

static const char *join(ranks_group *group) {
    unique_id id = {{0}};
    void **own = ranks_group_own(group);
    if (*own) return NULL;
    if (!call.unique) return "the library of collectives is not here";
    if (ranks_group_place(group) == 0) call.unique(&id);
    ranks_group_tell(group, &id, sizeof id);
    return fails("joining a group",
                 call.join(own, ranks_group_size(group), id, ranks_group_place(group)));
}

static int exchange(const ranks_group *group, void *comm, const char *from, char *to, size_t part) {
    enum { BYTES = 1 }; /* ncclUint8 */
    int status = call.begin();
    for (int rank = 0; rank < ranks_group_size(group) && status == 0; rank++) {
        status = call.send(from + part * (size_t)rank, part, BYTES, rank, comm, NULL);
        if (status == 0)
            status = call.receive(to + part * (size_t)rank, part, BYTES, rank, comm, NULL);
    }
    int ended = call.end();
    return status ? status : ended;
}

static int to_next(const ranks_group *group, void *comm, const void *from, void *to, size_t bytes) {
    enum { BYTES = 1 };
    int size = ranks_group_size(group), mine = ranks_group_place(group), status = call.begin();
    if (status == 0) status = call.send(from, bytes, BYTES, (mine + 1) % size, comm, NULL);
    if (status == 0) status = call.receive(to, bytes, BYTES, (mine + size - 1) % size, comm, NULL);
    int ended = call.end();
    return status ? status : ended;
}

static const char *collective(ranks_group *group, ranks_collective what, const void *from, void *to,
                              size_t bytes) {
    enum { FLOAT = 7, SUM = 0 };
    const char *wrong = join(group);
    if (wrong) return wrong;
    void *comm = *ranks_group_own(group);
    size_t all = bytes / 4, part = all / (size_t)ranks_group_size(group);
    int status = 0;
    if (what == RANKS_ALL_REDUCE) status = call.all_reduce(from, to, all, FLOAT, SUM, comm, NULL);
    if (what == RANKS_ALL_GATHER) status = call.all_gather(from, to, part, FLOAT, comm, NULL);
    if (what == RANKS_REDUCE_SCATTER)
        status = call.reduce_scatter(from, to, part, FLOAT, SUM, comm, NULL);
    if (what == RANKS_ALL_TO_ALL) status = exchange(group, comm, from, to, 4 * part);
    if (what == RANKS_SEND_RECEIVE) status = to_next(group, comm, from, to, bytes);
    return fails("a collective", status);
}

static const char *wait_for_it(void) { return fails("waiting for the device", call.wait()); }

#define GPU(symbol, name_)                                                                         \
    const probe_backend probe_##symbol = {.name = #symbol,                                         \
                                          .open = name_,                                           \
                                          .device = device,                                        \
                                          .versions = versions,                                    \
                                          .memory_bytes = memory_bytes,                            \
                                          .allocate = allocate,                                    \
                                          .product = product,                                      \
                                          .copy = copy,                                            \
                                          .collective = collective,                                \
                                          .wait = wait_for_it,                                     \
                                          .health = health,                                        \
                                          .has = {true, true, true}}
GPU(cuda, open_cuda);
GPU(hip, open_hip);
