/* Lists of GPU work (XLA, rocprofv3, databases): any bytes are traces whose ledgers add up, or a
 * sentence, and memory stays in proportion. */
#include "record/recording.h"

#include <assert.h>

enum { HEAD = 1 << 14 };

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    static clg_arena built_in;
    static clg_csv table;
    if (table.rows == 0) table = clg_trace_kernels(&built_in);
    clg_slice head = {(const char *)data, size < HEAD ? size : HEAD};
    clg_trace_memory memory = {(const char *)data, size, 0};
    clg_recording recording = {.file = "fuzz"};
    clg_recording_read("fuzz", head, clg_trace_from_memory(&memory), &table, &recording);
    for (int i = 0; recording.status == CLG_OK && i < recording.count; i++) {
        const clg_ledger *l = &recording.traces[i].ledger;
        assert(l->compute_ns + l->exposed_communication_ns + l->exposed_copy_ns + l->idle_ns ==
               l->span_ns);
    }
    for (size_t i = 0; i < recording.memory.count; i++) {
        const clg_memory_use *u = &recording.memory.use[i];
        int64_t rest = u->peak_bytes;
        for (int k = 0; k < CLG_HELD_KINDS; k++) rest -= u->at_peak[k];
        assert(u->least_bytes <= u->peak_bytes && (!u->kinds || rest == 0));
    }
    assert(recording.status == CLG_OK || recording.error.message[0]);
    assert(recording.arena.used_bytes <= 2000 * size + 4000000);
    clg_recording_end(&recording);
    return 0;
}
