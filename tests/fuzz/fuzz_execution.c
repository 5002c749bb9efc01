/* A graph of operators in JSON or protobuf: any bytes are one or none. */
#include "record/recording.h"
#include "report_recorded/trace_report.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    clg_arena arena = {0};
    clg_executions list = {.arena = &arena};
    clg_trace_memory memory = {(const char *)data, size, 0};
    clg_slice text = {(const char *)data, size};
    clg_reader_of(text);
    bool json = clg_execution_read_json(&list, "fuzz", clg_trace_from_memory(&memory));
    bool chakra = clg_execution_read_chakra(&list, "fuzz.7.et", text);
    assert(list.count == (size_t)json + (size_t)chakra);
    clg_text report = {.arena = &arena};
    clg_json_writer writer = {.text = &report};
    clg_report_executions(&report, &list);
    clg_json_executions(&writer, &list);
    clg_arena_clear(&arena);
    return 0;
}
