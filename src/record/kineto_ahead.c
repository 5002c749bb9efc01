/* kineto_ahead.c -- events of a long text, scanned by many and taken in order by one.
 *
 * Rounds: while the events of one buffer are taken, those of the next are scanned and the one after
 * is filled. A buffer is scanned in chunks, each from the first place that looks like an event; the
 * guess holds only where the chunk before has ended just there, so that what is taken is what one
 * scan from top to bottom would give. At the first guess that fails, and at anything that is no
 * whole event, it is over: the window goes on from there. */
#include "record/kineto.h"

#include <string.h>

enum {
    CHUNK_BYTES = 1 << 17,
    FRESH_BYTES = 16 * CHUNK_BYTES, /* at once from the source */
    TAIL_BYTES = 4 * CHUNK_BYTES,   /* of an event that the next buffer ends, at most */
    CHUNKS = (TAIL_BYTES + FRESH_BYTES) / CHUNK_BYTES,
    BUFFERS = 3
};

typedef struct kept {
    const char *at;
    clg_trace_event event;
    clg_kineto_verdict verdict;
    size_t told; /* place of its arguments; NONE: it points to what lives on */
} kept;
#define NONE SIZE_MAX

typedef struct chunk {
    clg_arena arena;
    const char *from, *until;  /* events that begin in it are scanned */
    const char *began, *ended; /* where the first does (NULL: none), and what follows the last */
    kept *event;               /* those of use; the others are counted */
    size_t count, capacity;
    clg_trace_arguments *told;
    size_t told_count, told_capacity;
    int64_t others;
    bool stopped; /* at what is no whole event */
} chunk;

typedef struct buffer {
    char *room;             /* TAIL_BYTES + FRESH_BYTES; NULL: the text is in memory */
    const char *text, *end; /* in either */
    int64_t offset;         /* of `text` in the recording */
    chunk chunk[CHUNKS];
    int chunks;
} buffer;

typedef struct ahead {
    clg_kineto *reader;
    buffer *taken, *scanned, *filled; /* taken: NULL in the first round */
    clg_trace_source source;
    bool over; /* the source is */
} ahead;

/* ---- scanning ---- */

static void keep(chunk *c, const char *at, const clg_trace_event *e,
                 const clg_kineto_verdict *verdict, const clg_trace_arguments *room) {
    kept k = {at, *e, *verdict, NONE};
    if (e->args == room) {
        k.told = c->told_count;
        CLG_APPEND(&c->arena, c->told, c->told_count, c->told_capacity, *room);
    }
    CLG_APPEND(&c->arena, c->event, c->count, c->capacity, k);
}

/* The first place from `at` on that looks like an event; NULL: none before `until`. */
static const char *guess(const char *at, const char *until, const char *end) {
    bool whole;
    while (at < until && (at = memchr(at, '{', (size_t)(until - at))) != NULL) {
        if (clg_scan_event_here(at, end, &whole)) return at;
        at++;
    }
    return NULL;
}

static void scan_chunk(chunk *c, const char *end) {
    clg_scan s = {c->began, end};
    clg_scan_separators(&s);
    while (!c->stopped && s.at < c->until) {
        const char *at = s.at;
        clg_trace_event event;
        clg_trace_arguments room;
        clg_kineto_verdict verdict;
        c->stopped = *at != '{' || clg_trace_event_scan(&s, &event, &room) != CLG_SCAN_OK;
        if (c->stopped) {
            s.at = at;
            break;
        }
        if (clg_kineto_judge(&event, &verdict))
            keep(c, at, &event, &verdict, &room);
        else
            c->others++;
        clg_scan_separators(&s);
    }
    c->ended = s.at;
}

/* ---- taking ---- */

static void take_chunk(clg_kineto *r, const buffer *b, const chunk *c) {
    r->trace->events_read += c->others;
    r->events_seen |= c->others > 0;
    for (size_t i = 0; i < c->count; i++) {
        kept *k = &c->event[i];
        if (k->told != NONE) k->event.args = &c->told[k->told];
        clg_kineto_take(r, &k->event, &k->verdict, b->offset + (k->at - b->text));
    }
}

static void take_buffer(clg_kineto *r, const buffer *b) {
    for (int i = 0; i < b->chunks; i++) take_chunk(r, b, &b->chunk[i]);
}

/* Leaves the chunks that follow one another, and says where what comes next begins. */
static const char *join(buffer *b) {
    int valid = 1;
    while (valid < b->chunks && !b->chunk[valid - 1].stopped &&
           b->chunk[valid].began == b->chunk[valid - 1].ended)
        valid++;
    b->chunks = valid;
    return b->chunk[valid - 1].ended;
}

/* ---- filling ---- */

static size_t pass_over(clg_trace_memory *m, size_t most) {
    size_t size = m->size - m->at < most ? m->size - m->at : most;
    m->at += size;
    return size;
}

static void fill(ahead *a, buffer *b) {
    size_t most = FRESH_BYTES;
    char *to = b->room ? b->room + (b->end - b->room) : NULL;
    if (b->room) most = (size_t)(b->room + TAIL_BYTES + FRESH_BYTES - to);
    for (size_t got; !a->over && most > 0; most -= got) {
        got = to ? a->source.fill(a->source.context, to, most) : pass_over(a->source.memory, most);
        a->over = got == 0;
        b->end += got;
        if (to) to += got;
    }
}

static void cut(buffer *b) {
    const char *at = b->text;
    b->chunks = 0;
    do {
        chunk *c = &b->chunk[b->chunks++];
        c->from = at;
        at = b->end - at > CHUNK_BYTES ? at + CHUNK_BYTES : b->end;
        c->until = at;
        c->count = c->told_count = 0;
        c->others = 0;
        c->stopped = false;
    } while (at < b->end);
}

/* ---- rounds ---- */

static void piece(void *work, int index) {
    ahead *a = work;
    if (index == 0) {
        if (a->taken) take_buffer(a->reader, a->taken);
    } else if (index == 1)
        fill(a, a->filled);
    else {
        chunk *c = &a->scanned->chunk[index - 2];
        c->began = index == 2 ? c->from : guess(c->from, c->until, a->scanned->end);
        c->ended = c->began;
        if (c->began) scan_chunk(c, a->scanned->end);
    }
}

/* Puts what the scanned buffer has left before what has been filled; false: it is too much. */
static bool carry(const buffer *from, const char *next, buffer *to) {
    size_t left = (size_t)(from->end - next);
    if (left > TAIL_BYTES) return false;
    if (to->room && left) memcpy(to->room + TAIL_BYTES - left, next, left);
    to->text = to->room ? to->room + TAIL_BYTES - left : next;
    to->offset = from->offset + (next - from->text);
    return true;
}

static void empty(const ahead *a, buffer *b) {
    const clg_trace_memory *m = a->source.memory;
    b->text = b->end = b->room ? b->room + TAIL_BYTES : m->text + m->at;
}

/* One round; false when it was the last: then `next` is where the window has to go on. An event
 * that the buffer's end cuts goes on in the next one. */
static bool round_of(ahead *a, const char **next) {
    const clg_cores *cores = a->reader->cores;
    cut(a->scanned);
    empty(a, a->filled);
    cores->each(cores->host, 2 + a->scanned->chunks, piece, a, NULL, NULL);
    *next = join(a->scanned);
    bool more = a->filled->end > a->filled->text && *next > a->scanned->text;
    return more && carry(a->scanned, *next, a->filled);
}

/* What was read ahead and not taken, then the source. */
typedef struct rest {
    clg_slice text[2];
    clg_trace_source source;
} rest;

static size_t fill_from_rest(void *context, char *to, size_t capacity) {
    rest *left = context;
    clg_slice *t = left->text[0].size ? &left->text[0] : &left->text[1];
    size_t size = t->size < capacity ? t->size : capacity;
    if (size == 0) return left->source.fill(left->source.context, to, capacity);
    memcpy(to, t->text, size);
    *t = (clg_slice){t->text + size, t->size - size};
    return size;
}

static void resume(ahead *a, const char *next) {
    clg_window *w = &a->reader->window;
    const buffer *s = a->scanned, *f = a->filled;
    w->offset = s->offset + (next - s->text);
    w->at = w->size = 0;
    w->data = next;
    if (a->source.memory) {
        a->source.memory->at = (size_t)(next - a->source.memory->text);
        return;
    }
    w->data = w->room;
    rest *left = clg_take(&a->reader->scratch, 1, rest);
    *left =
        (rest){{{next, (size_t)(s->end - next)}, {f->text, (size_t)(f->end - f->text)}}, a->source};
    w->source = (clg_trace_source){.fill = fill_from_rest, .context = left};
}

static void turn(ahead *a) {
    buffer *free = a->taken ? a->taken : a->filled + 1;
    a->taken = a->scanned;
    a->scanned = a->filled;
    a->filled = free;
}

/* With what the window holds. */
static void start(ahead *a, const clg_window *w) {
    buffer *b = a->scanned;
    size_t size = w->size - w->at;
    empty(a, b);
    b->offset = w->offset + (int64_t)w->at;
    b->end += b->room ? size : 0;
    if (b->room)
        memcpy(b->room + TAIL_BYTES, w->data + w->at, size);
    else
        b->text = w->data + w->at;
    fill(a, b);
}

void clg_kineto_read_ahead(clg_kineto *r) {
    clg_window *w = &r->window;
    size_t size = w->size - w->at;
    if (w->final || size > FRESH_BYTES) return;
    buffer *buffers = clg_take(&r->scratch, BUFFERS, buffer);
    ahead a = {.reader = r, .scanned = &buffers[0], .filled = &buffers[1], .source = w->source};
    for (int i = 0; i < BUFFERS && !w->source.memory; i++)
        buffers[i].room = clg_arena_take(&r->scratch, TAIL_BYTES + FRESH_BYTES, 1);
    start(&a, w);
    const char *next;
    while (round_of(&a, &next)) turn(&a);
    take_buffer(r, a.scanned);
    resume(&a, next);
    for (int i = 0; i < BUFFERS * CHUNKS; i++)
        clg_arena_clear(&buffers[i / CHUNKS].chunk[i % CHUNKS].arena);
}
