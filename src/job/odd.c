/* odd.c -- what no table of keys says: one function per format that needs one. */
#include "job/odd.h"

#include <string.h>

static const struct {
    const char *format;
    void (*odd)(clg_reading *reading);
} odds[] = {{"megatron", clg_odd_megatron}};

void clg_job_odd(clg_reading *r, const char *format) {
    for (size_t i = 0; i < sizeof odds / sizeof odds[0]; i++)
        if (strcmp(odds[i].format, format) == 0) odds[i].odd(r);
}
