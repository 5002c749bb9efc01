/* A log of nccl-tests: any bytes are rows or none. */
#include "record/nccl_log.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    clg_arena arena = {0};
    clg_nccl_rows rows = {.arena = &arena};
    size_t read = clg_nccl_log_read(&rows, "fuzz", (clg_slice){(const char *)data, size});
    assert(read == rows.count);
    for (size_t i = 0; i < rows.count; i++) assert(rows.row[i].bytes >= 0);
    clg_arena_clear(&arena);
    return 0;
}
