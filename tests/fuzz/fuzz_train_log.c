/* A log of a training program: any bytes are a log or none, and what was kept is in order. */
#include "record/train_log.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    clg_arena arena = {0};
    clg_train_logs logs = {.arena = &arena};
    if (clg_train_log_read(&logs, "fuzz", (clg_slice){(const char *)data, size})) {
        const clg_train_log *l = &logs.log[0];
        assert(logs.count == 1 && l->steps > 0 && l->discarded < l->steps);
        assert(l->step_p10_s <= l->step_median_s && l->step_median_s <= l->step_p90_s);
    }
    clg_train_timers timers = clg_train_timers_read((clg_slice){(const char *)data, size});
    assert(timers.optimizer_s < 1e6 && timers.data_s < 1e6);
    clg_arena_clear(&arena);
    return 0;
}
