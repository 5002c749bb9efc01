/* packed.h -- bytes in memory as a compressed file that can be read again from its start. */
#ifndef CLG_TESTS_PACKED_H
#define CLG_TESTS_PACKED_H

#include "cli/inflate.h"

#include <string.h>

typedef struct packed_bytes {
    const unsigned char *data;
    size_t size, at;
} packed_bytes;

static inline size_t packed_fill(void *context, char *to, size_t capacity) {
    packed_bytes *p = context;
    size_t size = p->size - p->at < capacity ? p->size - p->at : capacity;
    if (size) memcpy(to, p->data + p->at, size);
    p->at += size;
    return size;
}

static inline bool packed_back(void *context) {
    ((packed_bytes *)context)->at = 0;
    return true;
}

static inline clg_packed packed_source(packed_bytes *bytes) {
    return (clg_packed){{.fill = packed_fill, .context = bytes}, packed_back};
}

#endif
