/* inflate.h -- compressed text as a source: gzip, also several joined, and the bare deflate stream
 * of a zip member.
 *
 * ISA-L where the build found it, zlib otherwise. What comes out is zlib's answer in either case:
 * where ISA-L meets damage or a cut, around which the two differ by bytes, zlib reads the stream
 * again from its start. One case is left: what damage made a block with an incomplete Huffman code
 * zlib refuses whole, and ISA-L has handed out up to the first code that is none. */
#ifndef CLG_CLI_INFLATE_H
#define CLG_CLI_INFLATE_H

#include "record/window.h"

/* Compressed bytes. `rewind` goes back to the first one; NULL or false where that cannot be, as on
 * a pipe, which zlib reads alone. */
typedef struct clg_packed {
    clg_trace_source source;
    bool (*rewind)(void *context);
} clg_packed;

typedef struct clg_inflation clg_inflation;

/* Lives in `arena`, and until it is stopped. `plainly`: by zlib. NULL: no memory. */
clg_inflation *clg_inflation_start(clg_arena *arena, clg_packed packed, bool gzip, bool plainly);
clg_trace_source clg_inflation_source(clg_inflation *inflation);
void clg_inflation_stop(clg_inflation *inflation);

/* Whether ISA-L is part of this build. */
bool clg_inflation_fast(void);

#endif
