/* protobuf.c -- the wire format: keys, varints, lengths. */
#include "record/protobuf.h"

bool clg_protobuf_varint(clg_slice *from, uint64_t *value) {
    *value = 0;
    for (int i = 0; i < 10 && from->size > 0; i++) {
        unsigned char byte = (unsigned char)*from->text;
        *from = (clg_slice){from->text + 1, from->size - 1};
        *value |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (byte < 0x80) return true;
    }
    return false;
}

bool clg_protobuf_take(clg_slice *from, uint64_t size, clg_slice *out) {
    if (size > from->size) return false;
    *out = (clg_slice){from->text, (size_t)size};
    *from = (clg_slice){from->text + size, from->size - (size_t)size};
    return true;
}

static bool fixed(clg_slice *from, unsigned size, clg_field *f) {
    if (!clg_protobuf_take(from, size, &f->bytes)) return false;
    for (unsigned i = 0; i < size; i++)
        f->value |= (uint64_t)(unsigned char)f->bytes.text[i] << (8 * i);
    return true;
}

bool clg_protobuf_next(clg_slice *from, clg_field *f) {
    uint64_t key, size;
    *f = (clg_field){0};
    if (!clg_protobuf_varint(from, &key) || key >> 3 == 0 || key >> 3 > 1 << 20) return false;
    f->number = (int)(key >> 3);
    switch (key & 7) {
    case 0:
        return clg_protobuf_varint(from, &f->value);
    case 1:
        return fixed(from, 8, f);
    case 2:
        return clg_protobuf_varint(from, &size) && clg_protobuf_take(from, size, &f->bytes);
    case 5:
        return fixed(from, 4, f);
    default:
        return false;
    }
}
