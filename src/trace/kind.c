/* kind.c -- telling files apart by content: names of recordings promise nothing. */
#include "trace/kind.h"

#include <string.h>

static bool contains(clg_slice text, const char *word) {
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= text.size; i++)
        if (memcmp(text.text + i, word, size) == 0) return true;
    return false;
}

clg_trace_kind clg_trace_kind_of(clg_slice head) {
    if (clg_slice_starts(head, "SQLite format 3")) return CLG_KIND_NSYS;
    if (clg_slice_starts(head, "\xef\xbb\xbf")) head = (clg_slice){head.text + 3, head.size - 3};
    clg_scan s = {head.text, head.text + head.size};
    clg_scan_separators(&s);
    if (s.at < s.end && *s.at == '{') return CLG_KIND_JSON;
    if (s.at < s.end && *s.at == '[') { /* lines of logs begin with [rank0] or [2024-08-01] */
        s.at++;
        clg_scan_separators(&s);
        if (s.at == s.end || *s.at == '{' || *s.at == ']') return CLG_KIND_JSON;
    }
    /* The head of a trace may be what is damaged. */
    return contains(head, "\"ph\"") ? CLG_KIND_JSON : CLG_KIND_TEXT;
}
