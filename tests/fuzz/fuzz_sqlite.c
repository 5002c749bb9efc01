/* An SQLite export of Nsight Systems: any bytes are traces or a sentence. */
#include "record/nsys.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    static clg_arena built_in;
    static clg_csv table;
    clg_arena arena = {0};
    clg_error error = {0};
    clg_trace *traces;
    int count;
    if (table.rows == 0) table = clg_trace_kernels(&built_in);
    clg_slice text = {(const char *)data, size};
    if (clg_nsys_read(&arena, "fuzz", text, &table, &traces, &count, &error) == CLG_OK)
        for (int i = 0; i < count; i++) {
            const clg_ledger *l = &traces[i].ledger;
            assert(l->compute_ns + l->exposed_communication_ns + l->exposed_copy_ns + l->idle_ns ==
                   l->span_ns);
        }
    else
        assert(error.message[0]);
    clg_arena_clear(&arena);
    return 0;
}
