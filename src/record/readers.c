/* readers.c -- telling files apart by content: names of recordings promise nothing. */
#include "record/recording.h"

/* In order of asking: the last takes what nobody else does. */
#define READERS(READER)                                                                            \
    READER(memory_snapshot)                                                                        \
    READER(database)                                                                               \
    READER(stages)                                                                                 \
    READER(execution)                                                                              \
    READER(xplane)                                                                                 \
    READER(chakra)                                                                                 \
    READER(xla_view)                                                                               \
    READER(rocprof)                                                                                \
    READER(rocprof_csv)                                                                            \
    READER(memory_profile)                                                                         \
    READER(kineto)                                                                                 \
    READER(log)

#define DECLARED(name) extern const clg_reader clg_reader_##name;
READERS(DECLARED)
#define LISTED(name) &clg_reader_##name,
static const clg_reader *const readers[] = {READERS(LISTED)};

const clg_reader *clg_reader_of(clg_slice head) {
    size_t count = sizeof readers / sizeof readers[0], i = 0;
    while (i + 1 < count && !readers[i]->probe(head)) i++;
    return readers[i];
}

void clg_recording_read(const char *file, clg_slice head, clg_trace_source source,
                        const clg_csv *kernels, clg_recording *into) {
    into->file = file;
    into->status = clg_reader_of(head)->read(into, source, kernels);
}

void clg_recording_end(clg_recording *recording) { clg_arena_clear(&recording->arena); }

/* ---- for readers ---- */

clg_slice clg_source_whole(clg_arena *arena, clg_trace_source source) {
    enum { BLOCK = 1 << 16, MOST_BYTES = 1 << 30 };
    clg_text all = {.arena = arena};
    char *block = clg_arena_take(arena, BLOCK, 1);
    size_t got;
    while (all.size < MOST_BYTES && (got = source.fill(source.context, block, BLOCK)) > 0)
        clg_text_add(&all, block, got);
    return (clg_slice){all.data ? all.data : "", all.size};
}

/* Lines of logs begin with [rank0] or [2024-08-01]. */
bool clg_head_is_json(clg_slice head) {
    if (clg_slice_starts(head, "\xef\xbb\xbf")) head = (clg_slice){head.text + 3, head.size - 3};
    clg_scan s = {head.text, head.text + head.size};
    clg_scan_separators(&s);
    if (s.at == s.end || *s.at != '[') return s.at < s.end && *s.at == '{';
    s.at++;
    clg_scan_separators(&s);
    return s.at == s.end || *s.at == '{' || *s.at == ']';
}

clg_status clg_recording_refuse(clg_recording *into, const char *mend, const char *why) {
    clg_error_at(&into->error, into->file, 0, 0, NULL);
    return clg_fail(&into->error, CLG_BAD_INPUT, mend, "%s", why);
}
