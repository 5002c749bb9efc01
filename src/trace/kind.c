/* kind.c -- telling files apart by content: names of recordings promise nothing. */
#include "trace/kind.h"

#include "trace/execution.h"

#include <string.h>

static bool contains(clg_slice text, const char *word) {
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= text.size; i++)
        if (memcmp(text.text + i, word, size) == 0) return true;
    return false;
}

/* Any text that begins like JSON. */
static clg_trace_kind kind_of_json(clg_slice head) {
    bool stages = contains(head, "ward-compute\"") && contains(head, "\"seq_id\"");
    if (stages) return CLG_KIND_STAGES;
    if (contains(head, "\"traceEvents\"") || contains(head, "\"ph\"")) return CLG_KIND_JSON;
    bool graph = contains(head, "\"workload_graph\"") ||
                 (contains(head, "\"schema\"") && contains(head, "\"nodes\""));
    return graph ? CLG_KIND_EXECUTION : CLG_KIND_JSON;
}

clg_trace_kind clg_trace_kind_of(clg_slice head) {
    if (clg_slice_starts(head, "SQLite format 3")) return CLG_KIND_NSYS;
    if (clg_slice_starts(head, "\xef\xbb\xbf")) head = (clg_slice){head.text + 3, head.size - 3};
    clg_scan s = {head.text, head.text + head.size};
    clg_scan_separators(&s);
    if (s.at < s.end && *s.at == '{') return kind_of_json(head);
    if (s.at < s.end && *s.at == '[') { /* lines of logs begin with [rank0] or [2024-08-01] */
        s.at++;
        clg_scan_separators(&s);
        if (s.at == s.end || *s.at == '{' || *s.at == ']') return kind_of_json(head);
    }
    if (clg_execution_is_chakra(head)) return CLG_KIND_CHAKRA;
    /* The head of a trace may be what is damaged. */
    return contains(head, "\"ph\"") ? CLG_KIND_JSON : CLG_KIND_TEXT;
}
