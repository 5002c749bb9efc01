/* inflate.c -- deflate (RFC 1951) in gzip (RFC 1952) or bare, by one of two libraries. */
#include "cli/inflate.h"

#include <zlib.h>

#ifdef CLG_ISAL
#include <isa-l/igzip_lib.h>
#endif

enum { INPUT_BYTES = 1 << 18, SINK_BYTES = 1 << 14, MOST_OUTPUT = 1 << 30 };

/* What a step came to. SPOILT: the stream is whole but its checksum is wrong. */
typedef enum outcome { OUTCOME_MORE, OUTCOME_END, OUTCOME_FAULT, OUTCOME_SPOILT } outcome;

struct clg_inflation {
    clg_packed packed;
    bool gzip, fast, dry, over; /* dry: the packed bytes are all read */
    z_stream zlib;
#ifdef CLG_ISAL
    struct inflate_state isal;
#endif
    int64_t given; /* bytes handed out */
    size_t at, size;
    unsigned char input[INPUT_BYTES];
};

/* ---- zlib ---- */

static bool zlib_start(clg_inflation *f) {
    enum { WINDOW_BITS = 15, GZIP = 16 };
    return inflateInit2(&f->zlib, f->gzip ? WINDOW_BITS + GZIP : -WINDOW_BITS) == Z_OK;
}

/* What it made before it met damage is kept. */
static outcome zlib_step(clg_inflation *f, char *to, size_t capacity, size_t *made) {
    f->zlib.next_in = f->input + f->at;
    f->zlib.avail_in = (uInt)(f->size - f->at);
    f->zlib.next_out = (Bytef *)to;
    f->zlib.avail_out = (uInt)capacity;
    int code = inflate(&f->zlib, Z_NO_FLUSH);
    f->at = f->size - f->zlib.avail_in;
    *made = capacity - f->zlib.avail_out;
    if (code == Z_STREAM_END) return OUTCOME_END;
    return code == Z_OK || code == Z_BUF_ERROR ? OUTCOME_MORE : OUTCOME_FAULT;
}

/* ---- ISA-L ---- */

#ifdef CLG_ISAL

bool clg_inflation_fast(void) { return true; }

/* It takes reserved flags in the header of a member for granted; zlib must refuse them. */
static bool isal_member(clg_inflation *f) {
    enum { FLAGS = 3, RESERVED = 0xe0 };
    const unsigned char *header = f->input + f->at;
    isal_inflate_reset(&f->isal);
    f->isal.crc_flag = f->gzip ? ISAL_GZIP : ISAL_DEFLATE;
    return !f->gzip || (f->size - f->at > FLAGS && !(header[FLAGS] & RESERVED));
}

static outcome isal_step(clg_inflation *f, char *to, size_t capacity, size_t *made) {
    f->isal.next_in = f->input + f->at;
    f->isal.avail_in = (uint32_t)(f->size - f->at);
    f->isal.next_out = (uint8_t *)to;
    f->isal.avail_out = (uint32_t)capacity;
    int code = isal_inflate(&f->isal);
    f->at = f->size - f->isal.avail_in;
    *made = capacity - f->isal.avail_out;
    if (code == ISAL_INCORRECT_CHECKSUM) return OUTCOME_SPOILT;
    if (code < 0) return OUTCOME_FAULT;
    return f->isal.block_state == ISAL_BLOCK_FINISH ? OUTCOME_END : OUTCOME_MORE;
}

#else

bool clg_inflation_fast(void) { return false; }

static bool isal_member(clg_inflation *f) { return f == NULL; }

static outcome isal_step(clg_inflation *f, char *to, size_t capacity, size_t *made) {
    return zlib_step(f, to, capacity, made);
}

#endif

/* ---- either ---- */

static bool refill(clg_inflation *f) {
    f->at = 0;
    f->size = f->packed.source.fill(f->packed.source.context, (char *)f->input, INPUT_BYTES);
    f->dry = f->size == 0;
    return !f->dry;
}

static size_t inflate_some(clg_inflation *f, char *to, size_t capacity);

/* The whole stream again by zlib, up to what was handed out. */
static void read_again(clg_inflation *f) {
    char sink[SINK_BYTES];
    int64_t left = f->given;
    f->given = 0;
    f->fast = false;
    f->dry = false;
    f->over = !f->packed.rewind(f->packed.source.context) || !refill(f);
    while (left > 0 && !f->over) {
        size_t want = left < SINK_BYTES ? (size_t)left : SINK_BYTES;
        size_t got = inflate_some(f, sink, want);
        f->over |= got == 0;
        left -= (int64_t)got;
    }
}

/* gzip files may be joined; anything else behind the end is left alone. */
static void next_member(clg_inflation *f) {
    f->over = !f->gzip || (f->at == f->size && !refill(f)) || f->input[f->at] != 0x1f;
    if (f->over) return;
    if (!f->fast)
        f->over = inflateReset(&f->zlib) != Z_OK;
    else if (!isal_member(f))
        read_again(f);
}

/* Some text, or none where it ends. */
static size_t inflate_some(clg_inflation *f, char *to, size_t capacity) {
    size_t made = 0;
    while (!f->over && made == 0) {
        if (f->at == f->size && !f->dry) refill(f);
        size_t before = f->at;
        outcome got = (f->fast ? isal_step : zlib_step)(f, to, capacity, &made);
        bool moved = made > 0 || f->at > before || (f->at == f->size && !f->dry);
        if (got == OUTCOME_MORE && !moved) got = OUTCOME_FAULT; /* cut */
        if (f->fast && got == OUTCOME_FAULT) made = 0;
        f->given += (int64_t)made;
        if (f->fast && got == OUTCOME_FAULT)
            read_again(f);
        else if (got == OUTCOME_END)
            next_member(f);
        else
            f->over = got != OUTCOME_MORE;
    }
    return made;
}

static size_t fill(void *context, char *to, size_t capacity) {
    return inflate_some(context, to, capacity < MOST_OUTPUT ? capacity : MOST_OUTPUT);
}

clg_inflation *clg_inflation_start(clg_arena *arena, clg_packed packed, bool gzip, bool plainly) {
    clg_inflation *f = clg_take(arena, 1, clg_inflation);
    f->packed = packed;
    f->gzip = gzip;
    if (!zlib_start(f)) return NULL;
    refill(f);
    f->fast = clg_inflation_fast() && packed.rewind && !plainly && isal_member(f);
    return f;
}

clg_trace_source clg_inflation_source(clg_inflation *f) {
    return (clg_trace_source){.fill = fill, .context = f};
}

void clg_inflation_stop(clg_inflation *f) { inflateEnd(&f->zlib); }
