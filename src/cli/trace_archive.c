/* trace_archive.c -- members of tar (POSIX.1-1988, and the long names of GNU) and of zip (PKWARE
 * appnote 4.3). Left out: zip64, encryption, pax names longer than the header holds. */
#include "cli/trace_archive.h"

#include "cli/inflate.h"
#include "record/intern.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 512, HEAD_BYTES = 1 << 14, MOST_MEMBERS = 1 << 16 };

/* ---- sources in sources ---- */

/* A source whose first bytes were looked at. */
typedef struct headed {
    clg_trace_source inner;
    char head[HEAD_BYTES];
    size_t at, size;
} headed;

static size_t fill_headed(void *context, char *to, size_t capacity) {
    headed *h = context;
    size_t size = h->size - h->at;
    if (size == 0) return h->inner.fill(h->inner.context, to, capacity);
    if (size > capacity) size = capacity;
    memcpy(to, h->head + h->at, size);
    h->at += size;
    return size;
}

static clg_slice look(headed *h, clg_trace_source inner) {
    size_t got;
    h->inner = inner;
    h->at = h->size = 0;
    while (h->size < HEAD_BYTES &&
           (got = inner.fill(inner.context, h->head + h->size, HEAD_BYTES - h->size)) > 0)
        h->size += got;
    return (clg_slice){h->head, h->size};
}

/* The next bytes of a source, and no more. */
typedef struct part {
    clg_trace_source inner;
    int64_t left;
} part;

static size_t fill_part(void *context, char *to, size_t capacity) {
    part *p = context;
    if ((int64_t)capacity > p->left) capacity = (size_t)p->left;
    size_t got = capacity ? p->inner.fill(p->inner.context, to, capacity) : 0;
    p->left -= (int64_t)got;
    return got;
}

static bool fill_whole(clg_trace_source source, char *to, size_t size) {
    size_t got = 0, more;
    while (got < size && (more = source.fill(source.context, to + got, size - got)) > 0)
        got += more;
    return got == size;
}

/* ---- tar ---- */

bool clg_archive_is_tar(clg_slice head) {
    return head.size >= BLOCK && memcmp(head.text + 257, "ustar", 5) == 0;
}

/* Octal, or base 256 where the first bit is set; -1: neither. */
static int64_t size_of(const char *field) {
    int64_t size = 0;
    bool binary = (unsigned char)field[0] & 0x80;
    for (int i = binary ? 4 : 0; i < 12; i++) {
        unsigned char c = (unsigned char)field[i];
        if (!binary && (c == ' ' || c == '\0')) continue;
        if (!binary && (c < '0' || c > '7')) return -1;
        if (size > INT64_MAX / 512) return -1;
        size = binary ? size * 256 + c : size * 8 + (c - '0');
    }
    return size;
}

typedef struct tar {
    clg_arena *arena; /* what lives on: names */
    const char *path;
    char longer[4096]; /* the name of the next member, where it is long */
} tar;

static const char *name_of(tar *t, const char *header) {
    if (t->longer[0]) return clg_arena_print(t->arena, "%s:%s", t->path, t->longer);
    bool prefixed = header[345] && memcmp(header + 257, "ustar\0", 6) == 0;
    return clg_arena_print(t->arena, "%s:%.155s%s%.100s", t->path, prefixed ? header + 345 : "",
                           prefixed ? "/" : "", header);
}

void clg_archive_hand_member(const char *name, clg_trace_source source, clg_member_reader *read,
                             void *context) {
    clg_arena scratch = {0};
    headed *outer = clg_take(&scratch, 1, headed), *inner = clg_take(&scratch, 1, headed);
    clg_member_file m = {name, look(outer, source), {.fill = fill_headed, .context = outer}};
    bool gzip = clg_slice_starts(m.head, "\x1f\x8b");
    clg_packed packed = {m.source, NULL};
    clg_inflation *inflation = gzip ? clg_inflation_start(&scratch, packed, true, true) : NULL;
    if (inflation) {
        m.head = look(inner, clg_inflation_source(inflation));
        m.source.context = inner;
    }
    read(context, &m);
    if (inflation) clg_inflation_stop(inflation);
    clg_arena_clear(&scratch);
}

/* Past what is left of a member and to the next block. */
static bool skip(part *p, int64_t size) {
    char block[BLOCK];
    while (p->left > 0)
        if (fill_part(p, block, sizeof block) == 0) return false;
    size_t rest = (size_t)((BLOCK - size % BLOCK) % BLOCK);
    return fill_whole(p->inner, block, rest);
}

void clg_archive_read_tar(clg_arena *arena, const char *path, clg_trace_source source,
                          clg_member_reader *read, void *context) {
    tar t = {.arena = arena, .path = path};
    char header[BLOCK + 1] = "";
    for (int members = 0; members < MOST_MEMBERS && fill_whole(source, header, BLOCK);) {
        int64_t size = size_of(header + 124);
        if (size < 0 || header[0] == '\0') break;
        char type = header[156];
        part p = {source, size};
        if (type == 'L') {
            size_t length = size < (int64_t)sizeof t.longer ? (size_t)size : sizeof t.longer - 1;
            if (!fill_whole((clg_trace_source){.fill = fill_part, .context = &p}, t.longer, length))
                break;
            t.longer[length] = '\0';
        } else if (type == '0' || type == '\0') {
            clg_trace_source own = {.fill = fill_part, .context = &p};
            if (size > 0) clg_archive_hand_member(name_of(&t, header), own, read, context);
            members++;
        }
        if (type != 'L' && type != 'x' && type != 'g') t.longer[0] = '\0';
        if (!skip(&p, size)) break;
    }
}

/* ---- zip ---- */

static uint32_t number(const unsigned char *at, int bytes) {
    uint32_t value = 0;
    for (int i = bytes; i-- > 0;) value = value << 8 | at[i];
    return value;
}

/* The directory at the end, within its last 65 kB; -1: none. */
static long directory_of(FILE *file, uint32_t *entries) {
    enum { TAIL = 65557, RECORD = 22 };
    static const unsigned char mark[] = {'P', 'K', 5, 6};
    unsigned char tail[TAIL];
    if (fseek(file, 0, SEEK_END) != 0) return -1;
    long size = ftell(file), from = size > TAIL ? size - TAIL : 0;
    if (size < RECORD || fseek(file, from, SEEK_SET) != 0) return -1;
    size_t got = fread(tail, 1, TAIL, file);
    for (size_t at = got < RECORD ? 0 : got - RECORD + 1; at-- > 0;)
        if (memcmp(tail + at, mark, sizeof mark) == 0) {
            *entries = number(tail + at + 10, 2);
            return (long)number(tail + at + 16, 4);
        }
    return -1;
}

static bool next_entry(FILE *file, clg_arena *arena, const char *path, clg_zip_member *m) {
    enum { ENTRY = 46 };
    unsigned char entry[ENTRY];
    if (fread(entry, 1, ENTRY, file) != ENTRY || memcmp(entry, "PK\1\2", 4) != 0) return false;
    size_t length = number(entry + 28, 2);
    char *name = clg_arena_take(arena, length + 1, 1);
    if (fread(name, 1, length, file) != length) return false;
    *m = (clg_zip_member){.name = clg_arena_print(arena, "%s:%s", path, name),
                          .at = (int64_t)number(entry + 42, 4),
                          .size = (int64_t)number(entry + 20, 4)};
    return fseek(file, (long)(number(entry + 30, 2) + number(entry + 32, 2)), SEEK_CUR) == 0;
}

size_t clg_archive_zip_members(clg_arena *arena, const char *path, clg_zip_member **members) {
    size_t count = 0, capacity = 0;
    uint32_t entries = 0;
    FILE *file = fopen(path, "rb");
    char magic[4] = "";
    *members = NULL;
    if (!file) return 0;
    bool zip = fread(magic, 1, 4, file) == 4 && memcmp(magic, "PK\3\4", 4) == 0;
    long at = zip ? directory_of(file, &entries) : -1;
    if (at < 0 || fseek(file, at, SEEK_SET) != 0) entries = 0;
    for (uint32_t i = 0; i < entries; i++) {
        clg_zip_member m;
        if (!next_entry(file, arena, path, &m)) break;
        if (m.size > 0) CLG_APPEND(arena, *members, count, capacity, m);
    }
    fclose(file);
    return count > 1 ? count : 0;
}
