/* gpu.c -- a GPU that is none: what the probe opens at run time, so that its calls are made without
 * hardware. Products and copies are done in main memory; the manager says what a test can look for.
 * It shows that names are found and arguments arrive, not that they are those of the real
 * libraries. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int copy_of(void *to, const void *from, size_t bytes) {
    return memmove(to, from, bytes) == NULL;
}
static int version(int *into) { return *into = 12080, 0; }

/* cudart, amdhip64 */
#define RUNTIME(p)                                                                                 \
    int p##SetDevice(int device) { return device != 0; }                                           \
    int p##MemGetInfo(size_t *left, size_t *all) { return *left = *all = (size_t)1 << 34, 0; }     \
    int p##Malloc(void **into, size_t bytes) { return *into = malloc(bytes), *into == NULL; }      \
    int p##Memset(void *at, int value, size_t bytes) { return memset(at, value, bytes) == NULL; }  \
    int p##MemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream) {         \
        return kind != 3 || stream != NULL || copy_of(to, from, bytes);                            \
    }                                                                                              \
    int p##DeviceSynchronize(void) { return 0; }                                                   \
    int p##RuntimeGetVersion(int *into) { return version(into); }                                  \
    int p##DriverGetVersion(int *into) { return version(into); }                                   \
    int p##DeviceGetPCIBusId(char *into, int size, int device) {                                   \
        return snprintf(into, (size_t)size, "0000:0a:00.0") >= size || device != 0;                \
    }
RUNTIME(cuda)
RUNTIME(hip)

static int name(char *into, int size) {
    return snprintf(into, (size_t)size, "NVIDIA H200") >= size;
}
int cuDeviceGetName(char *into, int size, int device) { return device != 0 || name(into, size); }
int hipDeviceGetName(char *into, int size, int device) { return device != 0 || name(into, size); }

/* Column-major C' = B' A' of which only the first number is made: k products of zeroes. */
static int multiply(int m, int n, int k, void *c) {
    return m < 1 || n < 1 || k < 1 || memset(c, 0, 2) == NULL;
}
#define BLAS(create, version_of, gemm, none)                                                       \
    int create(void **into) { return *into = into, 0; }                                            \
    int version_of(void *handle, int *into) { return handle == NULL || version(into); }            \
    int gemm(void *handle, int left, int right, int m, int n, int k, const void *one,              \
             const void *b, int b_type, int b_width, const void *a, int a_type, int a_width,       \
             const void *zero, void *c, int c_type, int c_width, int compute, int heuristic) {     \
        (void)compute;                                                                             \
        (void)heuristic;                                                                           \
        return !handle || left != none || right != none || !one || !zero || !a || !b ||            \
               a_type != b_type || b_type != c_type || b_width != m || a_width != k ||             \
               c_width != m || multiply(m, n, k, c);                                               \
    }
BLAS(cublasCreate_v2, cublasGetVersion_v2, cublasGemmEx, 0)
BLAS(hipblasCreate, hipblasGetVersion, hipblasGemmEx_v2, 111)

/* nvidia-ml: heat where FAKE_HEAT is set, else the power cap */
int nvmlInit_v2(void) { return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **into) {
    static int device;
    return *into = &device, strcmp(pci, "0000:0a:00.0");
}
int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz) {
    return *mhz = 1740, device == NULL || clock != 1;
}
int nvmlDeviceGetPowerUsage(void *device, unsigned *mw) { return *mw = 698000, device == NULL; }
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *degrees) {
    return *degrees = 61, device == NULL || sensor != 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *why) {
    return *why = getenv("FAKE_HEAT") ? 0x40 : 0x4, device == NULL;
}

/* rocm_smi64: two devices, the second is ours */
int rsmi_init(uint64_t flags) { return flags != 0; }
int rsmi_num_monitor_devices(uint32_t *count) { return *count = 2, 0; }
int rsmi_dev_pci_id_get(uint32_t device, uint64_t *id) {
    return *id = device == 1 ? 0x0a << 8 : 0x0b << 8, device > 1;
}
int rsmi_dev_power_ave_get(uint32_t device, uint32_t sensor, uint64_t *microwatts) {
    return *microwatts = 712000000, device != 1 || sensor != 0;
}
int rsmi_dev_temp_metric_get(uint32_t device, uint32_t sensor, int metric, int64_t *millidegrees) {
    return *millidegrees = 58000, device != 1 || sensor != 1 || metric != 0;
}
