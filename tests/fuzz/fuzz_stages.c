/* An operation timeline: any bytes are one or none, and its replays are times. */
#include "report_recorded/trace_report.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    clg_arena arena = {0};
    clg_stages_list list = {.arena = &arena};
    clg_trace_memory memory = {(const char *)data, size, 0};
    if (clg_stages_read(&list, "fuzz", clg_trace_from_memory(&memory))) {
        const clg_stages *s = &list.file[0];
        assert(list.count == 1 && s->steps > 0 && s->replicas > 0 && s->stages > 0);
        clg_text text = {.arena = &arena};
        clg_json_writer writer = {.text = &text};
        clg_report_operations(&text, &list, 8);
        clg_json_stages(&writer, &list);
    }
    clg_arena_clear(&arena);
    return 0;
}
