/* health.h -- clocks, watts, degrees and what slows a device down, as its manager says. */
#ifndef PROBE_HEALTH_H
#define PROBE_HEALTH_H

#include <stdbool.h>

/* The function `name` of an opened library (NULL: none) into *function, a pointer to it; NULL and
 * false where it is not there. */
bool probe_find(void *library, const char *name, void *function);

/* Why a device runs slower than it could, a bit each. */
enum { PROBE_POWER_CAP = 1, PROBE_HEAT = 2, PROBE_BRAKE = 4, PROBE_CAUSES = 3 };

/* What is not known is below 0; of `causes`, all of it. */
typedef struct probe_health {
    double clock_hz, watts, celsius;
    int causes;
} probe_health;

extern const probe_health probe_health_unknown;

/* Of the device at a PCI address ("0000:0a:00.0"): by NVML and ROCm SMI, opened at run time. Never
 * run on hardware yet. */
probe_health probe_health_nvml(const char *pci);
probe_health probe_health_smi(const char *pci);

/* Of the core this runs on: /sys, as far as it is there. */
probe_health probe_health_core(void);

#endif
