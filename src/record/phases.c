/* phases.c -- ranges into a tree of names, and who has each instant of the GPU. */
#include "record/phases.h"

#include "base/first.h"
#include "base/order.h"

#include "record/ns.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 1 << 12, MOST_DEPTH = 4, MOST_PHASES = 64, SMALLEST_PART = 200 };
enum { MOST_STEPS_OUT = 1 << 10 }; /* deeper ranges than anybody nests cost no more */

/* A name within the names around it. */
typedef struct node {
    uint32_t name;
    int32_t parent, depth;
    clg_phase sum;
    int64_t whole_ns; /* with idle time, and with what is inside */
} node;

/* A range among those of its thread. */
typedef struct nested {
    const clg_range *range;
    int32_t parent; /* in the list of all; -1: none */
    int32_t node;
} nested;

/* Ranges of one thread. */
typedef struct thread {
    uint64_t id;
    size_t first, count;
    int64_t covered_ns;
} thread;

typedef struct tree {
    clg_arena *arena; /* scratch */
    const clg_ranges *ranges;
    const clg_launches *launches;
    clg_trace *trace;
    nested *list;
    size_t count;
    thread *thread;
    size_t threads, thread_capacity;
    const thread *main; /* whose ranges cover most */
    node *node;         /* 0: outside of all ranges */
    size_t nodes, node_capacity;
    clg_map known; /* parent and name -> node */
} tree;

static int64_t end_of(const clg_range *r) { return r->start_ns + r->duration_ns; }

static int outer_first(const void *a, const void *b) {
    const clg_range *x = ((const nested *)a)->range, *y = ((const nested *)b)->range;
    if (x->thread != y->thread) return x->thread < y->thread ? -1 : 1;
    if (x->start_ns != y->start_ns) return x->start_ns < y->start_ns ? -1 : 1;
    if (x->duration_ns != y->duration_ns) return x->duration_ns > y->duration_ns ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

/* ---- ranges in ranges ---- */

static void nest_thread(tree *t, thread *own) {
    int32_t inner = -1;
    for (size_t i = own->first; i < own->first + own->count; i++) {
        const clg_range *r = t->list[i].range;
        while (inner >= 0 && end_of(t->list[inner].range) <= r->start_ns)
            inner = t->list[inner].parent;
        t->list[i].parent = inner;
        if (inner < 0) own->covered_ns = clg_ns_plus(own->covered_ns, r->duration_ns);
        inner = (int32_t)i;
    }
}

static void nest(tree *t) {
    t->list = clg_take(t->arena, t->ranges->count + 1, nested);
    t->count = t->ranges->count;
    for (size_t i = 0; i < t->count; i++) t->list[i].range = &t->ranges->range[i];
    clg_order(t->arena, t->list, t->count, sizeof *t->list, outer_first);
    for (size_t i = 0, next; i < t->count; i = next) {
        thread own = {.id = t->list[i].range->thread, .first = i};
        for (next = i; next < t->count && t->list[next].range->thread == own.id;) next++;
        own.count = next - i;
        nest_thread(t, &own);
        CLG_APPEND(t->arena, t->thread, t->threads, t->thread_capacity, own);
    }
    t->main = t->thread;
    for (size_t i = 1; i < t->threads; i++)
        if (t->thread[i].covered_ns > t->main->covered_ns) t->main = &t->thread[i];
}

/* The innermost range of a thread around a time, or -1. */
static int32_t range_at(const tree *t, const thread *own, int64_t at_ns) {
    size_t later;
    CLG_FIRST(later, own->first, own->first + own->count, t->list[later].range->start_ns > at_ns);
    int32_t at = later > own->first ? (int32_t)later - 1 : -1;
    int steps = 0;
    while (at >= 0 && end_of(t->list[at].range) <= at_ns && steps++ < MOST_STEPS_OUT)
        at = t->list[at].parent;
    return steps <= MOST_STEPS_OUT ? at : -1;
}

static const thread *thread_of(const tree *t, uint64_t id) {
    size_t at;
    CLG_FIRST(at, 0, t->threads, t->thread[at].id >= id);
    return at < t->threads && t->thread[at].id == id ? &t->thread[at] : NULL;
}

/* ---- names in names ---- */

static int32_t node_of(tree *t, int32_t parent, uint32_t name) {
    if (t->node[parent].depth >= MOST_DEPTH) return parent;
    uint64_t key = ((uint64_t)parent << 32 | name) + 1;
    uint32_t known = clg_map_get(&t->known, key, UINT32_MAX);
    if (known != UINT32_MAX) return (int32_t)known;
    if (t->nodes >= MOST_NODES) return parent;
    node fresh = {.name = name, .parent = parent, .depth = t->node[parent].depth + 1};
    clg_map_put(&t->known, key, (uint32_t)t->nodes);
    CLG_APPEND(t->arena, t->node, t->nodes, t->node_capacity, fresh);
    return (int32_t)t->nodes - 1;
}

/* What another thread does is part of what the main one does meanwhile: autograd runs the backward
 * pass on a thread of its own. */
static void grow_thread(tree *t, const thread *own) {
    for (size_t i = own->first; i < own->first + own->count; i++) {
        nested *n = &t->list[i];
        int32_t outer = n->parent >= 0   ? n->parent
                        : own == t->main ? -1
                                         : range_at(t, t->main, n->range->start_ns);
        n->node = node_of(t, outer >= 0 ? t->list[outer].node : 0, n->range->name);
        t->node[n->node].sum.calls++;
        t->node[n->node].sum.host_ns =
            clg_ns_plus(t->node[n->node].sum.host_ns, n->range->duration_ns);
    }
}

static void grow(tree *t) {
    node outside = {.parent = -1};
    CLG_APPEND(t->arena, t->node, t->nodes, t->node_capacity, outside);
    t->known.arena = t->arena;
    grow_thread(t, t->main);
    for (size_t i = 0; i < t->threads; i++)
        if (&t->thread[i] != t->main) grow_thread(t, &t->thread[i]);
}

/* ---- work ---- */

static int32_t node_of_event(const tree *t, size_t at) {
    const clg_launches *l = t->launches;
    uint32_t launch = l->of[at];
    const thread *own = launch == CLG_NO_LAUNCH ? NULL : thread_of(t, l->launch[launch].thread);
    int64_t at_ns = launch == CLG_NO_LAUNCH ? t->trace->timeline.events[at].start_ns
                                            : l->launch[launch].start_ns;
    int32_t range = own ? range_at(t, own, at_ns) : -1;
    if (range < 0) range = range_at(t, t->main, at_ns);
    return range >= 0 ? t->list[range].node : 0;
}

typedef struct piece {
    int64_t start_ns, end_ns;
    int32_t node;
} piece;

typedef struct pieces {
    piece *of;
    size_t count;
} pieces;

static int by_start(const void *a, const void *b) {
    const piece *x = a, *y = b;
    if (x->start_ns != y->start_ns) return x->start_ns < y->start_ns ? -1 : 1;
    if (x->end_ns != y->end_ns) return x->end_ns < y->end_ns ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* What was first has the time that it shares with others of its kind. */
static void part(clg_arena *scratch, pieces *p) {
    size_t kept = 0;
    int64_t until_ns = INT64_MIN;
    clg_order(scratch, p->of, p->count, sizeof *p->of, by_start);
    for (size_t i = 0; i < p->count; i++) {
        piece one = p->of[i];
        if (one.start_ns < until_ns) one.start_ns = until_ns;
        if (one.end_ns <= one.start_ns) continue;
        until_ns = one.end_ns;
        p->of[kept++] = one;
    }
    p->count = kept;
}

/* Work of some kinds in parts that do not overlap. */
static pieces pieces_of(const tree *t, const int32_t *owner, unsigned kinds) {
    const clg_timeline *line = &t->trace->timeline;
    pieces p = {clg_take(t->arena, line->count + 1, piece), 0};
    for (size_t i = 0; i < line->count; i++) {
        const clg_event *e = &line->events[i];
        if (kinds >> e->work & 1)
            p.of[p.count++] = (piece){e->start_ns, e->start_ns + e->duration_ns, owner[i]};
    }
    part(t->arena, &p);
    return p;
}

/* How much of a part lies outside of what hides it; `*at` moves on with parts in order. */
static int64_t outside(const piece *one, const pieces *hiding, size_t *at) {
    int64_t left_ns = one->end_ns - one->start_ns;
    while (*at < hiding->count && hiding->of[*at].end_ns <= one->start_ns) ++*at;
    for (size_t i = *at; i < hiding->count && hiding->of[i].start_ns < one->end_ns; i++) {
        const piece *h = &hiding->of[i];
        int64_t from_ns = h->start_ns > one->start_ns ? h->start_ns : one->start_ns;
        left_ns -= (h->end_ns < one->end_ns ? h->end_ns : one->end_ns) - from_ns;
    }
    return left_ns;
}

/* Compute hides communication, both hide copies; a gap belongs to what ends it. */
static void sum_up(tree *t, const int32_t *owner) {
    enum {
        COMPUTE = 1 << CLG_WORK_COMPUTE,
        TALK = 1 << CLG_WORK_COMMUNICATION,
        COPY = 1 << CLG_WORK_COPY
    };
    pieces compute = pieces_of(t, owner, COMPUTE), talk = pieces_of(t, owner, TALK);
    pieces copy = pieces_of(t, owner, COPY), busy = pieces_of(t, owner, COMPUTE | TALK);
    pieces all = pieces_of(t, owner, COMPUTE | TALK | COPY);
    size_t at = 0;
    for (size_t i = 0; i < compute.count; i++)
        t->node[compute.of[i].node].sum.compute_ns += compute.of[i].end_ns - compute.of[i].start_ns;
    for (size_t i = 0; i < talk.count; i++)
        t->node[talk.of[i].node].sum.exposed_communication_ns +=
            outside(&talk.of[i], &compute, &at);
    at = 0;
    for (size_t i = 0; i < copy.count; i++)
        t->node[copy.of[i].node].sum.exposed_copy_ns += outside(&copy.of[i], &busy, &at);
    for (size_t i = 1; i < all.count; i++)
        t->node[all.of[i].node].sum.idle_ns += all.of[i].start_ns - all.of[i - 1].end_ns;
}

/* Children were made after their parents. */
static void roll_up(tree *t) {
    for (size_t i = t->nodes; i-- > 0;) {
        node *n = &t->node[i];
        clg_phase *s = &n->sum;
        n->whole_ns = s->compute_ns + s->exposed_communication_ns + s->exposed_copy_ns + s->idle_ns;
        if (n->parent <= 0) continue;
        clg_phase *into = &t->node[n->parent].sum;
        into->compute_ns += s->compute_ns;
        into->exposed_communication_ns += s->exposed_communication_ns;
        into->exposed_copy_ns += s->exposed_copy_ns;
        into->idle_ns += s->idle_ns;
    }
}

/* ---- what is kept ---- */

static int longest_first(const void *a, const void *b) {
    const node *x = *(const node *const *)a, *y = *(const node *const *)b;
    if (x->parent != y->parent) return x->parent < y->parent ? -1 : 1;
    if (x->whole_ns != y->whole_ns) return x->whole_ns > y->whole_ns ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

/* -2: there is no room, or it is too little to matter. */
static int32_t keep_one(tree *t, const node *n, int32_t place) {
    clg_trace *trace = t->trace;
    const char *name = n == t->node ? "(outside)" : clg_range_name(t->ranges, n->name);
    if (trace->phase_count >= MOST_PHASES || n->whole_ns == 0 ||
        n->whole_ns < trace->ledger.span_ns / SMALLEST_PART)
        return -2;
    clg_phase *phase = &trace->phase[trace->phase_count++];
    *phase = n->sum;
    phase->parent = place;
    phase->name = clg_arena_copy(trace->timeline.arena, name, strlen(name));
    return (int32_t)trace->phase_count - 1;
}

/* Adds the children of a node that matter, each with its own behind it. `sorted`: by parent. */
static void keep(tree *t, const node **sorted, int32_t parent, int32_t place) {
    size_t at;
    CLG_FIRST(at, 0, t->nodes, sorted[at]->parent >= parent);
    for (; at < t->nodes && sorted[at]->parent == parent; at++) {
        int32_t kept = keep_one(t, sorted[at], place);
        if (kept < -1) return;
        keep(t, sorted, (int32_t)(sorted[at] - t->node), kept);
    }
}

static void keep_phases(tree *t) {
    const node **sorted = clg_take(t->arena, t->nodes, const node *);
    for (size_t i = 0; i < t->nodes; i++) sorted[i] = &t->node[i];
    qsort(sorted, t->nodes, sizeof *sorted, longest_first);
    t->trace->phase = clg_take(t->trace->timeline.arena, MOST_PHASES, clg_phase);
    keep(t, sorted, 0, -1);
    keep_one(t, &t->node[0], -1);
}

void clg_ranges_to_phases(clg_ranges *ranges, const clg_launches *launches, clg_trace *trace) {
    clg_arena scratch = {0};
    tree t = {.arena = &scratch, .ranges = ranges, .launches = launches, .trace = trace};
    size_t count = trace->timeline.count;
    if (ranges->count == 0 || count == 0) return;
    nest(&t);
    grow(&t);
    int32_t *owner = clg_take(&scratch, count, int32_t);
    for (size_t i = 0; i < count; i++) owner[i] = node_of_event(&t, i);
    sum_up(&t, owner);
    roll_up(&t);
    keep_phases(&t);
    clg_arena_clear(&scratch);
}

static void walk_time(clg_parcel *p, int64_t *ns) {
    *ns = clg_parcel_integer(p, *ns, INT64_MIN, INT64_MAX);
}

void clg_walk_phases(clg_parcel *p, clg_trace *t) {
    t->phase = clg_parcel_array(p, t->phase, &t->phase_count, sizeof *t->phase, 8);
    for (size_t i = 0; i < t->phase_count; i++) {
        clg_phase *f = &t->phase[i];
        f->name = clg_parcel_text(p, f->name);
        f->parent = (int32_t)clg_parcel_integer(p, f->parent, -1, (int64_t)i - 1);
        int64_t *times[] = {&f->calls,           &f->host_ns,
                            &f->compute_ns,      &f->exposed_communication_ns,
                            &f->exposed_copy_ns, &f->idle_ns};
        for (size_t k = 0; k < sizeof times / sizeof *times; k++) walk_time(p, times[k]);
    }
}
