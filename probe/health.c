/* health.c -- reads device managers. Names and numbers are those of nvml.h and rocm_smi.h.
 *
 * Left out: the clock of AMD GPUs (rsmi_frequencies_t differs between releases), why they are slow,
 * and everything where a library, a file or a right to it is missing: that is not known. */
#define _GNU_SOURCE /* sched_getcpu */
#include "health.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

const probe_health probe_health_unknown = {-1, -1, -1, -1};

bool probe_find(void *library, const char *name, void *function) {
    void *symbol = library ? dlsym(library, name) : NULL;
    memcpy(function, &symbol, sizeof symbol); /* ISO C has no cast from an object to a function */
    return symbol != NULL;
}

/* nvmlClocksThrottleReason... */
static int nvml_causes(unsigned long long reasons) {
    enum { SW_POWER_CAP = 0x4, HW_SLOWDOWN = 0x8, SW_THERMAL = 0x20, HW_THERMAL = 0x40 };
    enum { HW_POWER_BRAKE = 0x80 };
    return ((reasons & SW_POWER_CAP) ? PROBE_POWER_CAP : 0) |
           ((reasons & (SW_THERMAL | HW_THERMAL)) ? PROBE_HEAT : 0) |
           ((reasons & (HW_SLOWDOWN | HW_POWER_BRAKE)) ? PROBE_BRAKE : 0);
}

static void *nvml_device(void *library, const char *pci) {
    static void *device; /* of this process: opened once */
    static bool tried;
    int (*open)(void), (*by_address)(const char *, void **);
    if (tried) return device;
    tried = true;
    if (!probe_find(library, "nvmlInit_v2", &open) ||
        !probe_find(library, "nvmlDeviceGetHandleByPciBusId_v2", &by_address) || open() != 0 ||
        by_address(pci, &device) != 0)
        device = NULL;
    return device;
}

probe_health probe_health_nvml(const char *pci) {
    enum { SM_CLOCK = 1, OF_GPU = 0 };
    probe_health h = probe_health_unknown;
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW), *device = nvml_device(library, pci);
    int (*clock)(void *, int, unsigned *), (*degrees)(void *, int, unsigned *);
    int (*power)(void *, unsigned *), (*reasons)(void *, unsigned long long *);
    unsigned number;
    unsigned long long why;
    if (!device) return h;
    if (probe_find(library, "nvmlDeviceGetClockInfo", &clock) &&
        clock(device, SM_CLOCK, &number) == 0)
        h.clock_hz = 1e6 * number;
    if (probe_find(library, "nvmlDeviceGetPowerUsage", &power) && power(device, &number) == 0)
        h.watts = 1e-3 * number;
    if (probe_find(library, "nvmlDeviceGetTemperature", &degrees) &&
        degrees(device, OF_GPU, &number) == 0)
        h.celsius = number;
    if (probe_find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", &reasons) &&
        reasons(device, &why) == 0)
        h.causes = nvml_causes(why);
    return h;
}

/* Its index at the manager; -1: it is not there. */
static int64_t smi_device(void *library, const char *pci) {
    static int64_t device = -1;
    static bool tried;
    int (*open)(uint64_t), (*count)(uint32_t *), (*address)(uint32_t, uint64_t *);
    unsigned domain, bus, slot, function;
    uint32_t devices = 0;
    uint64_t id;
    if (tried) return device;
    tried = true;
    if (!probe_find(library, "rsmi_init", &open) ||
        !probe_find(library, "rsmi_dev_pci_id_get", &address) ||
        !probe_find(library, "rsmi_num_monitor_devices", &count) || open(0) != 0 ||
        count(&devices) != 0 || sscanf(pci, "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4)
        return device;
    uint64_t wanted = (uint64_t)domain << 32 | bus << 8 | slot << 3 | function;
    for (uint32_t i = 0; i < devices && device < 0; i++)
        if (address(i, &id) == 0 && id == wanted) device = i;
    return device;
}

probe_health probe_health_smi(const char *pci) {
    enum { JUNCTION = 1, CURRENT = 0, FIRST = 0 };
    probe_health h = probe_health_unknown;
    void *library = dlopen("librocm_smi64.so", RTLD_NOW);
    int64_t device = smi_device(library, pci);
    int (*average)(uint32_t, uint32_t, uint64_t *), (*power)(uint32_t, uint64_t *, int *), kind;
    int (*degrees)(uint32_t, uint32_t, int, int64_t *);
    uint64_t microwatts;
    int64_t millidegrees;
    if (device < 0) return h;
    uint32_t index = (uint32_t)device;
    if ((probe_find(library, "rsmi_dev_power_get", &power) &&
         power(index, &microwatts, &kind) == 0) ||
        (probe_find(library, "rsmi_dev_power_ave_get", &average) &&
         average(index, FIRST, &microwatts) == 0))
        h.watts = 1e-6 * (double)microwatts;
    if (probe_find(library, "rsmi_dev_temp_metric_get", &degrees) &&
        degrees(index, JUNCTION, CURRENT, &millidegrees) == 0)
        h.celsius = 1e-3 * (double)millidegrees;
    return h;
}

/* A number in a file of /sys; -1: it is not there. */
static double number_in(const char *path) {
    double number = -1;
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%lf", &number) != 1) number = -1;
    if (file) fclose(file);
    return number;
}

static double package_celsius(void) {
    char path[96], type[32];
    for (int zone = 0; zone < 16; zone++) {
        snprintf(path, sizeof path, "/sys/class/thermal/thermal_zone%d/type", zone);
        FILE *file = fopen(path, "r");
        bool package = file && fscanf(file, "%31s", type) == 1 && strcmp(type, "x86_pkg_temp") == 0;
        if (file) fclose(file);
        snprintf(path, sizeof path, "/sys/class/thermal/thermal_zone%d/temp", zone);
        double millidegrees = package ? number_in(path) : -1;
        if (millidegrees > 0) return 1e-3 * millidegrees;
    }
    return -1;
}

/* How often the core was slowed down for heat, since the last time it was asked. */
static int core_causes(const char *cpu) {
    static double before = -1; /* of this process */
    char path[96];
    snprintf(path, sizeof path, "%s/thermal_throttle/core_throttle_count", cpu);
    double now = number_in(path);
    bool more = before >= 0 && now > before;
    before = now;
    return now < 0 ? -1 : more ? PROBE_HEAT : 0;
}

probe_health probe_health_core(void) {
    char cpu[48], path[96];
    snprintf(cpu, sizeof cpu, "/sys/devices/system/cpu/cpu%d", sched_getcpu());
    snprintf(path, sizeof path, "%s/cpufreq/scaling_cur_freq", cpu);
    double kilohertz = number_in(path);
    return (probe_health){.clock_hz = kilohertz > 0 ? 1e3 * kilohertz : -1,
                          .watts = -1,
                          .celsius = package_celsius(),
                          .causes = core_causes(cpu)};
}
