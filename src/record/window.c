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
    return (clg_trace_source){fill_from_memory, memory, memory};
}

/* Another part of the text in memory, as long as what would be copied. */
static void look_on(clg_window *w) {
    clg_trace_memory *m = w->source.memory;
    size_t left = m->size - m->at, want = w->capacity - w->size;
    if (m->size) w->data = m->text + m->at - w->size;
    w->final = left < want;
    m->at += left < want ? left : want;
    w->size += left < want ? left : want;
}

static void widen(clg_window *w) {
    w->capacity = w->capacity ? w->capacity * 2 : FIRST_BYTES;
    if (!w->source.memory) w->room = clg_arena_take(w->arena, w->capacity, 1);
}

/* Moves what is left to the front, and adds to it. */
static void copy_on(clg_window *w) {
    if (w->size && w->data != w->room) memmove(w->room, w->data, w->size);
    w->data = w->room;
    while (w->size < w->capacity) {
        size_t got = w->source.fill(w->source.context, w->room + w->size, w->capacity - w->size);
        w->final = got == 0;
        if (w->final) break;
        w->size += got;
    }
}

bool clg_window_more(clg_window *w) {
    if (w->final) return false;
    w->offset += (int64_t)w->at;
    w->size -= w->at;
    if (w->data) w->data += w->at;
    w->at = 0;
    if (w->size >= MOST_BYTES) return false;
    if (w->capacity == 0 || (w->size * 2 > w->capacity && w->capacity < MOST_BYTES)) widen(w);
    size_t before = w->size;
    if (w->source.memory)
        look_on(w);
    else
        copy_on(w);
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
