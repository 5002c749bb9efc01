/* What a person writes behind --measured may be any bytes. */
#include "diagnose/observe.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    clg_arena arena = {0};
    clg_error error = {0};
    clg_machine machine = {0};
    clg_observations seen = {0};
    clg_evaluation plan = {.model_flop = 1e18, .step_s = 1};
    plan.layout = (clg_layout){.dp = 8, .tp = 1, .cp = 1, .pp = 1, .global_batch = 8, .seq = 4096};
    machine.gpu.peak_flop_per_s[plan.layout.precision] = 1e15;
    clg_observe(&plan, &machine, clg_arena_copy(&arena, (const char *)data, size), &seen, &error);
    clg_arena_clear(&arena);
    return 0;
}
