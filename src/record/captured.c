/* captured.c -- replays among captured launches. */
#include "record/captured.h"

#include "base/order.h"
#include "record/ns.h"

#include <string.h>

enum { NO_PRODUCT = -1, MOST_SEARCHES = 64, MOST_KERNELS = 1 << 16, MOST_COMPARED = 1 << 26 };

/* ---- keeping ---- */

typedef struct idle_launch {
    const clg_recorded_launch *launch;
    size_t place;
} idle_launch;

static int by_time(const void *a, const void *b) {
    const idle_launch *x = a, *y = b;
    if (x->launch->start_ns != y->launch->start_ns)
        return x->launch->start_ns < y->launch->start_ns ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static const char *copy_of(const clg_trace *t, const char *text) {
    return clg_arena_copy(t->timeline.arena, text, strlen(text));
}

void clg_captured_keep(const clg_launches *l, clg_trace *t) {
    clg_arena scratch = {0};
    idle_launch *idle = clg_take(&scratch, l->count + 1, idle_launch);
    bool *ran = clg_take(&scratch, l->count + 1, bool);
    const char **names = clg_take(&scratch, l->kernels.count + 1, const char *); /* once each */
    size_t count = 0, products = 0;
    for (size_t i = 0; i < t->timeline.count; i++)
        if (l->of[i] != CLG_NO_LAUNCH) ran[l->of[i]] = true;
    for (size_t i = 0; i < l->count; i++)
        if (!ran[i] && l->launch[i].kernel) idle[count++] = (idle_launch){&l->launch[i], i};
    clg_order(&scratch, idle, count, sizeof *idle, by_time);
    t->captured = (clg_captures){.launch = clg_take(t->timeline.arena, count + 1, clg_captured),
                                 .product = clg_take(t->timeline.arena, count + 1, clg_product)};
    const clg_product *last = NULL;
    for (size_t i = 0; i < count; i++) {
        const clg_product *p = clg_launches_product(l, idle[i].launch);
        const char **name = &names[idle[i].launch->kernel - 1];
        if (!*name) *name = copy_of(t, l->kernels.texts[idle[i].launch->kernel - 1]);
        if (p && p != last) t->captured.product[products++] = *p;
        t->captured.launch[i] = (clg_captured){*name, p ? (int32_t)products - 1 : NO_PRODUCT};
        last = p;
    }
    t->captured.count = count;
    t->captured.product_count = products;
    clg_arena_clear(&scratch);
}

/* ---- lending ---- */

/* Kernels of one launch. */
typedef struct run {
    int32_t launch;
    int64_t start_ns;
    size_t at;
} run;

static int by_launch(const void *a, const void *b) {
    const run *x = a, *y = b;
    if (x->launch != y->launch) return x->launch < y->launch ? -1 : 1;
    if (x->start_ns != y->start_ns) return x->start_ns < y->start_ns ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

typedef struct lending {
    clg_arena scratch;
    const clg_captures *from;
    clg_trace *to;
    uint32_t *has;   /* [from->count] names, as numbers */
    uint32_t *named; /* [names of `to`] the same */
    uint32_t *wants; /* of the replay in hand */
    uint32_t *fall;  /* of it: where a search goes on that failed (Knuth, Morris, Pratt 1977) */
    clg_map known;   /* hash of such -> its place in `has`, and one; 0: none */
    int searches;
    size_t compared; /* launches, of places that fit a replay */
    size_t capacity; /* of to->product */
} lending;

static void number_names(lending *l) {
    clg_intern names = {.arena = &l->scratch};
    const clg_timeline *line = &l->to->timeline;
    l->has = clg_take(&l->scratch, l->from->count, uint32_t);
    l->named = clg_take(&l->scratch, (size_t)line->name_count + 1, uint32_t);
    for (size_t i = 0; i < l->from->count; i++) {
        const char *name = l->from->launch[i].kernel;
        l->has[i] = clg_intern_keep(&names, (clg_slice){name, strlen(name)});
    }
    for (uint32_t i = 0; i < line->name_count; i++)
        l->named[i] = clg_intern_keep(&names, (clg_slice){line->names[i], strlen(line->names[i])});
}

static double flop_of(const clg_captures *from, size_t at) {
    int32_t product = from->launch[at].product;
    return product == NO_PRODUCT ? 0 : from->product[product].flop;
}

static bool alike(const clg_captures *from, size_t a, size_t b, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (flop_of(from, a + i) != flop_of(from, b + i)) return false;
    return true;
}

static void prepare(lending *l, size_t count) {
    uint32_t fits = 0;
    l->fall[0] = 0;
    for (size_t i = 1; i < count; i++) {
        while (fits > 0 && l->wants[i] != l->wants[fits]) fits = l->fall[fits - 1];
        fits += l->wants[i] == l->wants[fits];
        l->fall[i] = fits;
    }
}

/* Where the captured launches are those of the replay, and one; 0: nowhere, in places that differ,
 * or in more than can be compared. */
static uint32_t search(lending *l, size_t count) {
    uint32_t fits = 0, found = 0;
    prepare(l, count);
    for (size_t i = 0; i < l->from->count; i++) {
        while (fits > 0 && (fits == count || l->has[i] != l->wants[fits])) fits = l->fall[fits - 1];
        fits += l->has[i] == l->wants[fits];
        if (fits < count) continue;
        size_t place = i + 1 - count;
        if (found && l->compared > MOST_COMPARED) return 0;
        if (found && !alike(l->from, found - 1, place, count)) return 0;
        l->compared += count;
        if (!found) found = (uint32_t)place + 1;
    }
    return found;
}

static uint32_t place_of(lending *l, size_t count) {
    clg_slice all = {(const char *)l->wants, count * sizeof *l->wants};
    uint64_t key = clg_trace_hash(all, count);
    uint32_t known = clg_map_get(&l->known, key, UINT32_MAX);
    if (known != UINT32_MAX) return known;
    uint32_t place = l->searches++ < MOST_SEARCHES ? search(l, count) : 0;
    clg_map_put(&l->known, key, place);
    return place;
}

/* The FLOPs of an operator go to its kernels that are products by name, by their time; where none
 * is, to the longest. */
static void give(lending *l, const run *runs, size_t count, const clg_product *captured) {
    clg_trace *t = l->to;
    clg_product p = *captured;
    size_t longest = runs[0].at;
    p.kernel_ns = 0;
    p.named = false;
    for (size_t i = 0; i < count; i++) {
        const clg_event *e = &t->timeline.events[runs[i].at];
        p.named = p.named || t->kernels[e->name].product;
        if (e->duration_ns > t->timeline.events[longest].duration_ns) longest = runs[i].at;
    }
    for (size_t i = 0; i < count; i++) {
        const clg_event *e = &t->timeline.events[runs[i].at];
        bool counts = p.named ? t->kernels[e->name].product : runs[i].at == longest;
        if (counts) p.kernel_ns = clg_ns_plus(p.kernel_ns, e->duration_ns);
    }
    if (p.kernel_ns == 0 || p.flop <= 0) return;
    p.event = (uint32_t)longest;
    p.precision =
        (uint8_t)clg_product_precision(&p, t->timeline.names[t->timeline.events[longest].name]);
    for (size_t i = 0; i < count; i++) {
        const clg_event *e = &t->timeline.events[runs[i].at];
        bool named = t->kernels[e->name].product;
        if (p.named ? !named : runs[i].at != longest) continue;
        if (!named) t->product_ns = clg_ns_plus(t->product_ns, e->duration_ns);
        clg_launches_price(t, runs[i].at, &p);
    }
    t->lent = true;
    t->flop[p.precision] += p.flop;
    CLG_APPEND(t->timeline.arena, t->product, t->product_count, l->capacity, p);
}

static void replay(lending *l, const run *runs, size_t count) {
    const clg_timeline *line = &l->to->timeline;
    for (size_t i = 0; i < count; i++) l->wants[i] = l->named[line->events[runs[i].at].name];
    uint32_t place = place_of(l, count);
    for (size_t i = 0, next; place && i < count; i = next) {
        int32_t product = l->from->launch[place - 1 + i].product;
        for (next = i + 1; next < count && l->from->launch[place - 1 + next].product == product;)
            next++;
        if (product != NO_PRODUCT) give(l, runs + i, next - i, &l->from->product[product]);
    }
}

void clg_captured_lend(const clg_trace *from, clg_trace *to) {
    lending l = {.from = &from->captured, .to = to, .capacity = to->product_count};
    size_t count = 0;
    if (from->captured.product_count == 0 || to->timeline.count == 0 || to->lent) return;
    run *runs = clg_take(&l.scratch, to->timeline.count, run);
    l.known.arena = &l.scratch;
    l.wants = clg_take(&l.scratch, MOST_KERNELS, uint32_t);
    l.fall = clg_take(&l.scratch, MOST_KERNELS, uint32_t);
    for (size_t i = 0; i < to->timeline.count; i++) {
        const clg_event *e = &to->timeline.events[i];
        if (e->detail >= 0 && e->work != CLG_WORK_COPY)
            runs[count++] = (run){e->detail, e->start_ns, i};
    }
    number_names(&l);
    clg_order(&l.scratch, runs, count, sizeof *runs, by_launch);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && runs[next].launch == runs[i].launch;) next++;
        if (next - i > 1 && next - i <= MOST_KERNELS) replay(&l, runs + i, next - i);
    }
    clg_arena_clear(&l.scratch);
}

/* ---- travelling ---- */

static void walk_product(clg_parcel *p, clg_product *x) {
    int64_t *fields[] = {&x->batch, &x->m, &x->n, &x->k};
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
        *fields[k] = clg_parcel_integer(p, *fields[k], INT64_MIN, INT64_MAX);
    x->flop = clg_parcel_number(p, x->flop);
    x->precision = (uint8_t)clg_parcel_integer(p, x->precision, 0, CLG_PRECISIONS - 1);
}

void clg_walk_captured(clg_parcel *p, clg_trace *t) {
    clg_captures *c = &t->captured;
    c->product = clg_parcel_array(p, c->product, &c->product_count, sizeof *c->product, 13);
    for (size_t i = 0; i < c->product_count; i++) walk_product(p, &c->product[i]);
    c->launch = clg_parcel_array(p, c->launch, &c->count, sizeof *c->launch, 2);
    for (size_t i = 0; i < c->count; i++) {
        c->launch[i].kernel = clg_parcel_text(p, c->launch[i].kernel);
        c->launch[i].product = (int32_t)clg_parcel_integer(p, c->launch[i].product, NO_PRODUCT,
                                                           (int64_t)c->product_count - 1);
    }
}
