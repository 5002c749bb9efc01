/* window.c -- fetching text. */
#include "record/window.h"

#include <string.h>

enum { FIRST_BYTES = 1 << 17, MOST_BYTES = 1 << 24 };

static size_t fill_from_memory(void *context, char *to, size_t capacity) {
    clg_trace_memory *m = context;
    size_t size = m->size - m->at < capacity ? m->size - m->at : capacity;
    if (size) memcpy(to, m->text + m->at, size);
    m->at += size;
    return size;
}

clg_trace_source clg_trace_from_memory(clg_trace_memory *memory) {
    return (clg_trace_source){fill_from_memory, memory};
}

static void slide(clg_window *w) {
    w->offset += (int64_t)w->at;
    w->size -= w->at;
    if (w->size && w->at) memmove(w->data, w->data + w->at, w->size);
    w->at = 0;
}

static void widen(clg_window *w) {
    size_t capacity = w->capacity ? w->capacity * 2 : FIRST_BYTES;
    char *data = clg_arena_take(w->arena, capacity, 1);
    if (w->size) memcpy(data, w->data, w->size);
    w->data = data;
    w->capacity = capacity;
}

bool clg_window_more(clg_window *w) {
    if (w->final) return false;
    slide(w);
    if (w->size >= MOST_BYTES) return false;
    if (w->capacity == 0 || (w->size * 2 > w->capacity && w->capacity < MOST_BYTES)) widen(w);
    size_t before = w->size;
    while (w->size < w->capacity) {
        size_t got = w->source.fill(w->source.context, w->data + w->size, w->capacity - w->size);
        w->final = got == 0;
        if (w->final) break;
        w->size += got;
    }
    return w->size > before;
}

char clg_window_next(clg_window *w) {
    for (;;) {
        clg_scan scan = clg_window_scan(w);
        clg_scan_separators(&scan);
        w->at = (size_t)(scan.at - w->data);
        if (scan.at < scan.end) return *scan.at;
        if (!clg_window_more(w)) return 0;
    }
}

clg_scan clg_window_scan(const clg_window *w) {
    if (!w->data) return (clg_scan){"", ""};
    return (clg_scan){w->data + w->at, w->data + w->size};
}
