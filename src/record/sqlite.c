/* sqlite.c -- b-trees of tables and their records. */
#include "record/sqlite.h"

#include <string.h>

enum { DEEPEST_TREE = 20, LEAF = 13, INTERIOR = 5, HEADER_BYTES = 100, LONGEST_RECORD = 1 << 24 };

static uint32_t big(const unsigned char *p, int bytes) {
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++) value = value << 8 | p[i];
    return value;
}

bool clg_sqlite_open(clg_sqlite *f, clg_arena *arena, const char *data, size_t size) {
    *f = (clg_sqlite){.arena = arena, .data = (const unsigned char *)data, .size = size};
    if (size < HEADER_BYTES || memcmp(data, "SQLite format 3", 16) != 0) return false;
    f->page_bytes = big(f->data + 16, 2) == 1 ? 65536 : big(f->data + 16, 2);
    f->usable_bytes = f->page_bytes - f->data[20];
    return f->page_bytes >= 512 && f->usable_bytes >= 480;
}

void clg_sqlite_close(clg_sqlite *f) { clg_arena_clear(&f->rows); }

/* 1 to 9 bytes, seven bits each, the last one whole. Returns what follows it; NULL past `end`. */
static const unsigned char *varint(const unsigned char *p, const unsigned char *end,
                                   uint64_t *value) {
    *value = 0;
    for (int i = 0; p && i < 9; i++) {
        if (p >= end) return NULL;
        unsigned char byte = *p++;
        if (i == 8) {
            *value = *value << 8 | byte;
            break;
        }
        *value = *value << 7 | (byte & 0x7f);
        if (byte < 0x80) break;
    }
    return p;
}

static const unsigned char *page_of(clg_sqlite *f, uint32_t number) {
    if (number == 0 || number > f->size / f->page_bytes || f->pages_left == 0) {
        f->damaged = true;
        return NULL;
    }
    f->pages_left--;
    f->walked++;
    return f->data + (size_t)(number - 1) * f->page_bytes;
}

/* How much of a record lies in its leaf (format 2, section 1.6). */
static size_t local_bytes(const clg_sqlite *f, uint64_t size) {
    uint64_t most = f->usable_bytes - 35;
    if (size <= most) return (size_t)size;
    uint64_t least = (f->usable_bytes - 12) * 32 / 255 - 23;
    uint64_t fitting = least + (size - least) % (f->usable_bytes - 4);
    return (size_t)(fitting <= most ? fitting : least);
}

/* Whether enough overflow pages follow; looked at before memory is taken for them. */
static bool chain_reaches(clg_sqlite *f, uint32_t next, uint64_t size) {
    for (size_t at = 0; at < size; at += f->usable_bytes - 4) {
        const unsigned char *page = page_of(f, next);
        if (!page) return false;
        next = big(page, 4);
    }
    return true;
}

/* The record whole: in its leaf, or gathered from overflow pages. */
static const unsigned char *record(clg_sqlite *f, const unsigned char *p,
                                   const unsigned char *page_end, uint64_t size) {
    size_t local = local_bytes(f, size);
    bool spills = local < size;
    if (size > LONGEST_RECORD || (size_t)(page_end - p) < local + (spills ? 4 : 0)) return NULL;
    if (!spills) return p;
    uint32_t next = big(p + local, 4);
    if (!chain_reaches(f, next, size - local)) return NULL;
    unsigned char *whole = clg_arena_take(&f->rows, (size_t)size, 1);
    memcpy(whole, p, local);
    for (size_t at = local; at < size;) {
        const unsigned char *page = f->data + (size_t)(next - 1) * f->page_bytes;
        size_t part = f->usable_bytes - 4 < size - at ? f->usable_bytes - 4 : (size_t)size - at;
        memcpy(whole + at, page + 4, part);
        at += part;
        next = big(page, 4);
    }
    return whole;
}

static int64_t integer(const unsigned char *p, size_t bytes) {
    uint64_t value = bytes > 0 && p[0] >= 0x80 ? UINT64_MAX : 0;
    for (size_t i = 0; i < bytes; i++) value = value << 8 | p[i];
    return (int64_t)value;
}

/* Serial types: 0 NULL, 1..6 integers, 7 double, 8 and 9 the constants, then blobs and texts. */
static size_t bytes_of_type(uint64_t type) {
    static const unsigned char sizes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
    return type < 12 ? sizes[type] : (size_t)((type - 12) / 2);
}

static clg_sqlite_value value_of(uint64_t type, const unsigned char *p, size_t size) {
    clg_sqlite_value value = {.null = true};
    if (type >= 1 && type <= 6) value = (clg_sqlite_value){.integer = integer(p, size)};
    if (type == 8 || type == 9) value = (clg_sqlite_value){.integer = type == 9};
    if (type >= 13 && type % 2 == 1)
        value = (clg_sqlite_value){.text = true, .string = {(const char *)p, size}};
    return value;
}

static bool decode(const unsigned char *p, size_t size, clg_sqlite_row *row) {
    const unsigned char *end = p + size;
    uint64_t header, type;
    const unsigned char *types = varint(p, end, &header);
    if (!types || header > size) return false;
    const unsigned char *body = p + header, *types_end = body;
    row->columns = 0;
    while (types < types_end && row->columns < CLG_SQLITE_COLUMNS) {
        types = varint(types, types_end, &type);
        if (!types || bytes_of_type(type) > (size_t)(end - body)) return false;
        row->value[row->columns++] = value_of(type, body, bytes_of_type(type));
        body += bytes_of_type(type);
    }
    return true;
}

typedef struct walk {
    clg_sqlite *file;
    clg_sqlite_visit *visit;
    void *context;
    clg_sqlite_row row;
} walk;

static bool read_cell(walk *w, const unsigned char *cell, const unsigned char *end) {
    uint64_t size, id;
    cell = varint(cell, end, &size);
    cell = varint(cell, end, &id);
    if (!cell) return false;
    clg_arena_mark mark = clg_arena_here(&w->file->rows);
    const unsigned char *whole = record(w->file, cell, end, size);
    bool read = whole && decode(whole, (size_t)size, &w->row);
    w->row.id = (int64_t)id;
    if (read) w->visit(w->context, &w->row);
    clg_arena_back_to(&w->file->rows, mark);
    return read;
}

static void walk_page(walk *w, uint32_t number, int depth) {
    const unsigned char *page = page_of(w->file, number);
    if (!page || depth > DEEPEST_TREE) {
        w->file->damaged = true;
        return;
    }
    const unsigned char *end = page + w->file->usable_bytes;
    const unsigned char *header = number == 1 ? page + HEADER_BYTES : page;
    uint32_t cells = big(header + 3, 2);
    bool interior = header[0] == INTERIOR;
    const unsigned char *pointers = header + (interior ? 12 : 8);
    bool sound = (interior || header[0] == LEAF) && (size_t)(end - pointers) >= 2 * (size_t)cells;
    for (uint32_t i = 0; sound && i < cells; i++) {
        uint32_t at = big(pointers + 2 * i, 2);
        if ((size_t)at + 4 > w->file->usable_bytes)
            sound = false;
        else if (interior)
            walk_page(w, big(page + at, 4), depth + 1);
        else if (!read_cell(w, page + at, end))
            w->file->damaged = true;
    }
    if (!sound) w->file->damaged = true;
    if (sound && interior) walk_page(w, big(header + 8, 4), depth + 1);
}

void clg_sqlite_each(clg_sqlite *f, const clg_sqlite_table *table, clg_sqlite_visit *visit,
                     void *context) {
    walk *w = clg_take(f->arena, 1, walk);
    *w = (walk){.file = f, .visit = visit, .context = context};
    f->pages_left = f->size / f->page_bytes;
    walk_page(w, table->root, 0);
}

typedef struct search {
    clg_arena *arena;
    const char *name;
    clg_sqlite_table *table;
    int skipped; /* tables whose names only begin so, to pass over; -1: the whole name */
    bool found;
} search;

/* sqlite_master: type, name, tbl_name, rootpage, sql. */
static void match(void *context, const clg_sqlite_row *row) {
    search *s = context;
    if (s->found || row->columns < 5 || !clg_slice_is(row->value[0].string, "table")) return;
    clg_slice name = row->value[1].string;
    if (s->skipped < 0 ? !clg_slice_is(name, s->name) : !clg_slice_starts(name, s->name)) return;
    if (s->skipped > 0) {
        s->skipped--;
        return;
    }
    s->found = true;
    s->table->root = (uint32_t)row->value[3].integer;
    clg_slice schema = row->value[4].string;
    if (!schema.text) schema.text = "";
    s->table->schema = (clg_slice){clg_arena_copy(s->arena, schema.text, schema.size), schema.size};
}

static bool find(clg_sqlite *f, search s) {
    clg_sqlite_table master = {.root = 1};
    clg_sqlite_each(f, &master, match, &s);
    return s.found;
}

bool clg_sqlite_find(clg_sqlite *f, const char *name, clg_sqlite_table *table) {
    return find(f, (search){f->arena, name, table, -1, false});
}

bool clg_sqlite_find_nth(clg_sqlite *f, const char *prefix, int skipped, clg_sqlite_table *table) {
    return find(f, (search){f->arena, prefix, table, skipped, false});
}

static const char *past_comment(const char *p, const char *end) {
    while (end - p >= 2 && p[0] == '-' && p[1] == '-') {
        while (p < end && *p != '\n') p++;
        while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')) p++;
    }
    return p;
}

/* Columns are the words that begin the parts between commas at depth one. */
int clg_sqlite_column(const clg_sqlite_table *table, const char *name) {
    const char *p = table->schema.text, *end = p + table->schema.size;
    int depth = 0, column = -1;
    bool begins = false;
    for (; p < end; p++) {
        if (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r') continue;
        const char *past = past_comment(p, end);
        if (past != p) {
            p = past - 1;
            continue;
        }
        if (begins) {
            const char *word = p + (*p == '"' || *p == '[' || *p == '`');
            size_t size = strlen(name);
            column++;
            if ((size_t)(end - word) > size && memcmp(word, name, size) == 0 &&
                strchr(" \"]`\n\t,)", word[size]))
                return column;
        }
        begins = (*p == '(' && depth == 0) || (*p == ',' && depth == 1);
        if (*p == '(') depth++;
        if (*p == ')') depth--;
    }
    return -1;
}
