/* protobuf.h -- messages of Protocol Buffers, field by field, where they lie (protobuf.dev,
 * "Encoding"). Groups, which nobody writes any more, end a message. */
#ifndef CLG_RECORD_PROTOBUF_H
#define CLG_RECORD_PROTOBUF_H

#include "record/scan.h"

typedef struct clg_field {
    int number;
    uint64_t value;  /* of numbers: varints, and as many bits as are fixed */
    clg_slice bytes; /* of what has a length, and of fixed numbers */
} clg_field;

/* Takes a number off the front; false where there is none. */
bool clg_protobuf_varint(clg_slice *from, uint64_t *value);

/* Takes bytes off the front; false, and nothing moves, where there are fewer. */
bool clg_protobuf_take(clg_slice *from, uint64_t size, clg_slice *out);

/* The next field of a message; false at its end and where it is no message. */
bool clg_protobuf_next(clg_slice *from, clg_field *field);

#endif
