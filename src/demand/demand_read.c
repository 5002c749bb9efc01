/* demand_read.c -- traces: CSV with a header or JSON Lines, told apart by the names of columns.
 *
 * Reads without building a table, because a week of traffic is tens of millions of rows. */
#include "demand/demand.h"

#include "base/json.h"
#include "base/letters.h"
#include "base/real.h"
#include "dataset/kept.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One way of naming columns, a line of data/request-logs.csv: each by one of several names, "a|b",
 * in whatever case. Times are scaled to seconds. */
typedef struct dialect {
    const char *title, *names[3]; /* of arrival, prompt and output */
    double scale;
} dialect;

enum { CELLS = 256 };

typedef struct span {
    const char *text;
    size_t size;
} span;

static span trim(span s) {
    while (s.size > 0 && (*s.text == ' ' || *s.text == '"')) s.text++, s.size--;
    while (s.size > 0 && strchr(" \"\r", s.text[s.size - 1])) s.size--;
    return s;
}

/* Splits a line outside quotes; cells past CELLS are dropped, no format has them. */
static int split(span line, char separator, span cell[CELLS]) {
    int count = 0;
    bool quoted = false;
    const char *begin = line.text, *end = line.text + line.size;
    for (const char *at = begin;; at++) {
        if (at < end && *at == '"') quoted = !quoted;
        if (at < end && (quoted || *at != separator)) continue;
        if (count < CELLS) cell[count++] = trim((span){begin, (size_t)(at - begin)});
        if (at >= end) return count;
        begin = at + 1;
    }
}

static span next_line(const char **at, const char *end) {
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    span line = {*at, (size_t)((newline ? newline : end) - *at)};
    *at = newline ? newline + 1 : end;
    return line;
}

/* Digits with at most one point; advances. False when there is none. */
static bool take_decimal(span *s, double *value) {
    double whole = 0, place = 1;
    bool any = false, point = false;
    for (; s->size > 0; s->text++, s->size--) {
        char c = *s->text;
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (c < '0' || c > '9') break;
        any = true;
        whole = whole * 10 + (c - '0');
        if (point) place *= 10;
    }
    *value = whole / place;
    return any;
}

/* Plain number with sign and exponent, all of the cell. */
static bool number_of(span s, double *value) {
    double exponent = 0;
    bool minus = s.size > 0 && *s.text == '-', small = false;
    if (minus || (s.size > 0 && *s.text == '+')) s.text++, s.size--;
    if (!take_decimal(&s, value)) return false;
    if (s.size > 1 && (*s.text == 'e' || *s.text == 'E')) {
        s.text++, s.size--;
        small = *s.text == '-';
        if (*s.text == '-' || *s.text == '+') s.text++, s.size--;
        if (!take_decimal(&s, &exponent)) return false;
    }
    if (exponent > 0) *value *= clg_pow(10, small ? -exponent : exponent);
    if (minus) *value = -*value;
    return s.size == 0;
}

/* Days from 1970-01-01 (Hinnant, "chrono-compatible low-level date algorithms"). */
static double days_of(double year, double month, double day) {
    if (month <= 2) year--;
    double era = floor(year / 400), of_era = year - era * 400;
    double of_year = floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
    return era * 146097 + of_era * 365 + floor(of_era / 4) - floor(of_era / 100) + of_year - 719468;
}

/* "2023-11-16 18:17:03.9799600", with T and a trailing zone (traces keep one zone) allowed. */
static bool date_of(span s, double *seconds) {
    double part[6];
    static const char after[] = "-- ::";
    for (int i = 0; i < 6; i++) {
        if (!take_decimal(&s, &part[i])) return false;
        if (i == 5) break;
        bool right = s.size > 0 && (*s.text == after[i] || (i == 2 && *s.text == 'T'));
        if (!right) return false;
        s.text++, s.size--;
    }
    *seconds = days_of(part[0], part[1], part[2]) * 86400 + part[3] * 3600 + part[4] * 60 + part[5];
    return true;
}

/* Identities of prompt blocks as the trace writes them, in order of rows. */
typedef struct identities {
    uint64_t *id;
    int64_t count;
    size_t room;
} identities;

enum { PREFIX_TOKENS = 512, PREFIX_MOST = 1 << 20 }; /* hash_ids: one per 512 tokens */

typedef struct reader {
    clg_arena *arena;
    clg_demand *demand;
    identities blocks;
    int hashes;              /* column of them, -1: none */
    size_t room;             /* of requests */
    const dialect *dialects; /* known ones, in order */
    int dialect_count;
    const dialect *dialect; /* the one that fits */
    int column[3];
    char separator;
} reader;

static void read_dialects(reader *r) {
    clg_csv csv = clg_dataset_csv(r->arena, "request-logs.csv");
    dialect *all = clg_take(r->arena, (size_t)csv.rows + 1, dialect);
    for (int i = 0; i < csv.rows; i++)
        all[i] = (dialect){clg_csv_field(&csv, i, "title"),
                           {clg_csv_field(&csv, i, "arrival"), clg_csv_field(&csv, i, "prompt"),
                            clg_csv_field(&csv, i, "output")},
                           atof(clg_csv_field(&csv, i, "seconds"))};
    r->dialects = all;
    r->dialect_count = csv.rows;
}

static void append(reader *r, double arrival_s, double prompt, double output) {
    clg_demand *d = r->demand;
    clg_arrival one = {
        .arrival_s = arrival_s, .prompt_tokens = (int32_t)prompt, .output_tokens = (int32_t)output};
    CLG_APPEND(r->arena, d->request, d->count, r->room, one);
}

static void add_identity(reader *r, uint64_t id) {
    identities *b = &r->blocks;
    CLG_APPEND(r->arena, b->id, b->count, b->room, id);
    r->demand->request[r->demand->count - 1].blocks++;
}

/* Whole numbers with anything else between them, to the request read last. Only as many as its
 * prompt fills: the last, partial block belongs to nobody else. */
static void take_hashes(reader *r, span cell) {
    clg_arrival *q = &r->demand->request[r->demand->count - 1];
    int64_t most = q->prompt_tokens / PREFIX_TOKENS;
    if (r->blocks.count + most >= UINT32_MAX) return;
    q->block = (uint32_t)r->blocks.count;
    for (size_t i = 0; i < cell.size && q->blocks < most && q->blocks < PREFIX_MOST; i++) {
        size_t from = i;
        uint64_t id = 0;
        for (; i < cell.size && clg_is_digit(cell.text[i]); i++)
            id = id * 10 + (uint64_t)(cell.text[i] - '0');
        if (i > from) add_identity(r, id);
    }
}

/* Seconds since 1970, also where they are written in ms, us or ns. */
static double since_1970_s(double time) {
    for (int i = 0; i < 3 && time > 1e11 && time < 1e19; i++) time /= 1000;
    return time;
}

/* Judges a row: kept, or counted under the first thing wrong with it. */
static bool take_row(reader *r, const span cell[3]) {
    clg_demand_losses *lost = &r->demand->lost;
    double arrival, prompt, output;
    bool readable = number_of(cell[0], &arrival);
    if (readable)
        arrival = since_1970_s(arrival * r->dialect->scale);
    else
        readable = date_of(cell[0], &arrival);
    readable = readable && number_of(cell[1], &prompt) && number_of(cell[2], &output);
    if (!readable || !isfinite(arrival))
        lost->unreadable++;
    else if (arrival < 0 || prompt < 0 || output < 0)
        lost->negative++;
    else if (arrival > CLG_DEMAND_SECONDS || prompt > CLG_DEMAND_TOKENS ||
             output > CLG_DEMAND_TOKENS)
        lost->absurd++;
    else if (prompt < 1 || output < 1)
        lost->empty++;
    else {
        append(r, arrival, prompt, output);
        return true;
    }
    return false;
}

static bool is_same(span word, const char *name, size_t size) {
    if (word.size != size) return false;
    for (size_t i = 0; i < size; i++)
        if (tolower((unsigned char)word.text[i]) != tolower((unsigned char)name[i])) return false;
    return true;
}

/* Whether a word is one of "a|b|c". */
static bool is_among(span word, const char *names) {
    for (const char *at = names;; at++) {
        size_t size = strcspn(at, "|");
        if (is_same(word, at, size)) return true;
        at += size;
        if (!*at) return false;
    }
}

static int find_column(const span *cell, int count, const char *names) {
    for (int i = 0; i < count; i++)
        if (is_among(cell[i], names)) return i;
    return -1;
}

/* What a header is written with: a semicolon or a tab where it has no comma. */
static char separator_of(span header) {
    if (memchr(header.text, ',', header.size)) return ',';
    return memchr(header.text, ';', header.size)    ? ';'
           : memchr(header.text, '\t', header.size) ? '\t'
                                                    : ',';
}

static clg_status choose_columns(reader *r, const char *name, span header, clg_error *error) {
    span cell[CELLS];
    r->separator = separator_of(header);
    int count = split(header, r->separator, cell), found = 0;
    for (int i = 0; i < r->dialect_count && found < 3; i++) {
        r->dialect = &r->dialects[i];
        found = 0;
        for (int k = 0; k < 3; k++) {
            r->column[k] = find_column(cell, count, r->dialect->names[k]);
            found += r->column[k] >= 0;
        }
    }
    r->hashes = find_column(cell, count, "hash_ids");
    if (found == 3) return CLG_OK;
    header = trim(header);
    clg_error_at(error, name, 1, 0, NULL);
    return clg_fail(error, CLG_BAD_INPUT,
                    "name them arrival_s,prompt_tokens,output_tokens, or as a known log "
                    "does (docs/formats.md)",
                    "no columns of arrival, prompt and output length in the header '%.*s'",
                    header.size < 80 ? (int)header.size : 80, header.text);
}

static void read_csv_rows(reader *r, const char *at, const char *end) {
    static const span none = {"", 0};
    span cell[CELLS];
    while (at < end) {
        span line = next_line(&at, end);
        if (trim(line).size == 0) continue;
        int count = split(line, r->separator, cell);
        span row[3];
        for (int i = 0; i < 3; i++) row[i] = r->column[i] < count ? cell[r->column[i]] : none;
        bool kept = take_row(r, row);
        if (kept && r->hashes >= 0 && r->hashes < count) take_hashes(r, cell[r->hashes]);
    }
}

static span member(const clg_json *object, const char *names) {
    for (const clg_json *m = object->first; m; m = m->next)
        if ((m->kind == CLG_JSON_NUMBER || m->kind == CLG_JSON_STRING) &&
            is_among((span){m->key, strlen(m->key)}, names))
            return (span){m->text, m->text_size};
    return (span){NULL, 0};
}

/* The dialect whose three names the object has, and what they hold; NULL for none. */
static const dialect *dialect_of(const reader *r, const clg_json *object, span row[3]) {
    for (int i = 0; i < r->dialect_count && object->kind == CLG_JSON_OBJECT; i++) {
        for (int k = 0; k < 3; k++) row[k] = member(object, r->dialects[i].names[k]);
        if (row[0].text && row[1].text && row[2].text) return &r->dialects[i];
    }
    return NULL;
}

static void read_json_line(reader *r, clg_arena *scratch, const char *name, span line) {
    clg_error ignored = {0};
    clg_json *root = NULL;
    bool good = clg_json_parse(scratch, name, line.text, line.size, &root, &ignored) == CLG_OK;
    span row[3];
    const dialect *d = good ? dialect_of(r, root, row) : NULL;
    if (!d) {
        r->demand->lost.unreadable++;
        return;
    }
    r->dialect = d;
    bool kept = take_row(r, row);
    const clg_json *hashes = clg_json_member(root, "hash_ids");
    if (!kept || !hashes || hashes->kind != CLG_JSON_ARRAY) return;
    const clg_arrival *q = &r->demand->request[r->demand->count - 1];
    int64_t most = q->prompt_tokens / PREFIX_TOKENS;
    r->demand->request[r->demand->count - 1].block = (uint32_t)r->blocks.count;
    for (const clg_json *id = hashes->first; id && q->blocks < most; id = id->next) {
        double value;
        bool whole = id->kind == CLG_JSON_NUMBER &&
                     number_of((span){id->text, id->text_size}, &value) && value >= 0 &&
                     value < 1e15;
        if (!whole || r->blocks.count >= INT32_MAX) return;
        add_identity(r, (uint64_t)value);
    }
}

static void read_json_lines(reader *r, const char *name, const char *at, const char *end) {
    clg_arena scratch = {0};
    while (at < end) {
        span line = next_line(&at, end);
        if (trim(line).size == 0) continue;
        clg_arena_mark mark = clg_arena_here(&scratch);
        read_json_line(r, &scratch, name, line);
        clg_arena_back_to(&scratch, mark);
    }
    clg_arena_clear(&scratch);
}

static int by_identity(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Numbers identities from 0 up. */
static void settle_prefixes(reader *r) {
    identities *b = &r->blocks;
    if (b->count == 0) return;
    clg_demand *d = r->demand;
    uint64_t *sorted = clg_take(r->arena, (size_t)b->count, uint64_t);
    uint32_t *prefix = clg_take(r->arena, (size_t)b->count, uint32_t);
    memcpy(sorted, b->id, (size_t)b->count * sizeof *sorted);
    qsort(sorted, (size_t)b->count, sizeof *sorted, by_identity);
    d->prefixes = 0;
    for (int64_t i = 0; i < b->count; i++)
        if (i == 0 || sorted[i] != sorted[d->prefixes - 1]) sorted[d->prefixes++] = sorted[i];
    for (int64_t i = 0; i < b->count; i++) {
        const uint64_t *at =
            bsearch(&b->id[i], sorted, (size_t)d->prefixes, sizeof *sorted, by_identity);
        prefix[i] = (uint32_t)(at - sorted);
    }
    d->prefix = prefix;
    d->prefix_tokens = PREFIX_TOKENS;
}

/* Times from the first request; the demand covers the time between first and last. */
static clg_status settle(clg_arena *arena, const char *name, clg_demand *d, const char *title,
                         clg_error *error) {
    if (d->count == 0) {
        clg_error_at(error, name, 0, 0, NULL);
        return clg_fail(error, CLG_BAD_INPUT, "check its columns and lengths",
                        "no request can be read; %lld rows were left out",
                        (long long)clg_demand_lost(d));
    }
    clg_demand_finish(arena, d);
    double first = d->request[0].arrival_s;
    for (int64_t i = 0; i < d->count; i++) d->request[i].arrival_s -= first;
    d->span_s = d->request[d->count - 1].arrival_s;
    if (d->count > 1) d->span_s *= (double)d->count / ((double)d->count - 1);
    const char *slash = strrchr(name, '/');
    d->title = clg_arena_print(arena, "%s %s", title, slash ? slash + 1 : name);
    return CLG_OK;
}

clg_status clg_demand_read(clg_arena *arena, const char *name, const char *text, size_t size,
                           clg_demand *demand, clg_error *error) {
    const char *at = text, *end = text + size;
    *demand = (clg_demand){0};
    reader r = {.arena = arena, .demand = demand, .hashes = -1};
    read_dialects(&r);
    if (size > 0 && memchr(text, '\0', size))
        return clg_fail(error, CLG_BAD_INPUT, "give CSV or JSON Lines", "%s is no text", name);
    if (size >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0) at += 3;
    while (at < end && strchr(" \t\r\n", *at)) at++;
    if (at < end && *at == '{')
        read_json_lines(&r, name, at, end);
    else {
        if (choose_columns(&r, name, next_line(&at, end), error) != CLG_OK) return error->status;
        read_csv_rows(&r, at, end);
    }
    settle_prefixes(&r);
    return settle(arena, name, demand, r.dialect ? r.dialect->title : "trace", error);
}
