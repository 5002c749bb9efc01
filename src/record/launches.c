/* launches.c -- sizes from launches, and why the GPU was idle. */
#include "record/launches.h"

#include "base/first.h"
#include "base/order.h"

#include "record/ns.h"
#include "record/split.h"

#include <string.h>

void clg_launches_find(clg_launches *l, const clg_trace *t) {
    l->of = clg_take(l->arena, t->timeline.count + 1, uint32_t);
    for (size_t i = 0; i < t->timeline.count; i++) {
        int32_t number = t->timeline.events[i].detail;
        l->of[i] = number < 0
                       ? CLG_NO_LAUNCH
                       : clg_map_get(&l->by_correlation, (uint64_t)number + 1, CLG_NO_LAUNCH);
    }
}

static int by_thread_and_start(const void *a, const void *b) {
    const clg_recorded *x = a, *y = b;
    if (x->thread != y->thread) return x->thread < y->thread ? -1 : 1;
    if (x->start_ns != y->start_ns) return x->start_ns < y->start_ns ? -1 : 1;
    return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns); /* the outer one first */
}

/* Whether what started so comes behind a launch, in order of thread and start. */
static inline bool behind(uint64_t thread, int64_t start_ns, const clg_recorded_launch *launch) {
    return thread != launch->thread ? thread > launch->thread : start_ns > launch->start_ns;
}

/* How many recorded operators start at or before a launch. */
static size_t before(const clg_launches *l, const clg_recorded_launch *launch) {
    size_t at;
    const clg_recorded *r = l->recorded;
    CLG_FIRST(at, 0, l->recorded_count, behind(r[at].thread, r[at].start_ns, launch));
    return at;
}

static void fill(clg_trace_description *what, const clg_trace_description *from) {
    if (from->operation != CLG_OPERATION_UNKNOWN &&
        (what->operation == CLG_OPERATION_UNKNOWN || what->operation == CLG_OPERATION_SEND_RECEIVE))
        what->operation = from->operation;
    if (what->bytes < 0) {
        what->bytes = from->bytes;
        what->bytes_per_rank = from->bytes_per_rank;
    }
    if (what->group_size < 0) what->group_size = from->group_size;
    if (what->sequence < 0) what->sequence = from->sequence;
    if (what->source < 0) what->source = from->source;
    if (what->target < 0) what->target = from->target;
    if (!what->grouped && from->grouped) {
        what->grouped = true;
        what->group = from->group;
        what->group_name = from->group_name;
    }
    if (what->axis == CLG_SPLIT_UNKNOWN) what->axis = from->axis;
}

/* Operators nest a few deep: nccl:all_reduce in record_param_comms in c10d::allreduce_. */
enum { NESTED = 8 };

static void describe(clg_launches *l, clg_trace_call *call) {
    uint32_t index = clg_map_get(&l->by_correlation, (uint64_t)call->correlation + 1, UINT32_MAX);
    if (call->correlation < 0 || index == UINT32_MAX) return;
    const clg_recorded_launch *launch = &l->launch[index];
    size_t at = before(l, launch);
    for (int tries = 0; tries < NESTED && at > 0; tries++) {
        const clg_recorded *r = &l->recorded[--at];
        if (r->thread != launch->thread) break;
        if (r->end_ns >= launch->start_ns) fill(&call->what, &r->what);
    }
}

void clg_launches_describe(clg_launches *l, clg_trace *trace) {
    if (l->recorded_count)
        clg_order(l->arena, l->recorded, l->recorded_count, sizeof *l->recorded,
                  by_thread_and_start);
    for (size_t i = 0; i < trace->call_count; i++) {
        clg_trace_description *what = &trace->calls[i].what;
        describe(l, &trace->calls[i]);
        if (!what->bytes_per_rank) continue;
        int64_t ranks = what->group_size > 0 ? what->group_size : trace->world_size;
        bool fits = ranks > 0 && what->bytes < INT64_MAX / ranks;
        what->bytes = fits ? what->bytes * ranks : -1;
        what->bytes_per_rank = false;
    }
}

static int by_thread_and_time(const void *a, const void *b) {
    const clg_product *x = a, *y = b;
    if (x->thread != y->thread) return x->thread < y->thread ? -1 : 1;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* The product in whose operator a launch lies; operators of products do not nest. */
static clg_product *product_around(const clg_launches *l, const clg_recorded_launch *launch) {
    size_t at;
    const clg_product *of = l->product;
    CLG_FIRST(at, 0, l->product_count, behind(of[at].thread, of[at].start_ns, launch));
    clg_product *p = at > 0 ? &l->product[at - 1] : NULL;
    return p && p->thread == launch->thread && launch->start_ns < p->end_ns ? p : NULL;
}

const clg_product *clg_launches_product(const clg_launches *l, const clg_recorded_launch *launch) {
    return l->product_count > 0 ? product_around(l, launch) : NULL;
}

static clg_product *product_of(const clg_launches *l, const clg_trace *t, size_t at) {
    bool may = l->product_count > 0 && t->timeline.events[at].work == CLG_WORK_COMPUTE;
    return may && l->of[at] != CLG_NO_LAUNCH ? product_around(l, &l->launch[l->of[at]]) : NULL;
}

/* Kernels that are products by name do the work of an operator together (splits, gradients); where
 * none is, the longest did it. */
static void offer_kernel(const clg_trace *t, size_t at, clg_product *p, int64_t *longest_ns) {
    const clg_event *e = &t->timeline.events[at];
    bool named = t->kernels[e->name].product;
    if (p->named && !named) return;
    if (named && !p->named) p->kernel_ns = *longest_ns = 0;
    p->named = named;
    if (named)
        p->kernel_ns = clg_ns_plus(p->kernel_ns, e->duration_ns);
    else if (e->duration_ns > p->kernel_ns)
        p->kernel_ns = e->duration_ns;
    if (e->duration_ns <= *longest_ns) return;
    *longest_ns = e->duration_ns;
    p->event = (uint32_t)at;
}

/* Forward convolutions whose stride and padding nobody recorded, from backward ones of the same
 * tensors. */
static void find_outputs(clg_launches *l) {
    clg_map known = {.arena = l->arena}; /* convolution -> product with its pixels */
    for (size_t i = 0; i < l->product_count; i++)
        if (l->product[i].pixels > 0) clg_map_put(&known, l->product[i].convolution, (uint32_t)i);
    for (size_t i = 0; i < l->product_count; i++) {
        clg_product *p = &l->product[i];
        if (!p->convolution || p->pixels > 0) continue;
        uint32_t at = clg_map_get(&known, p->convolution, UINT32_MAX);
        if (at != UINT32_MAX) p->flop = 2 * p->weights * l->product[at].pixels;
    }
}

/* The FLOPs of an operator go to its kernels by their time. */
void clg_launches_price(clg_trace *t, size_t at, const clg_product *p) {
    const clg_event *e = &t->timeline.events[at];
    clg_trace_kernel *k = &t->kernels[e->name];
    t->priced_ns = clg_ns_plus(t->priced_ns, e->duration_ns);
    k->flop += p->flop * ((double)e->duration_ns / (double)p->kernel_ns);
    k->flop_ns = clg_ns_plus(k->flop_ns, e->duration_ns);
    k->precision = p->precision;
}

static void price(clg_trace *t, size_t at, const clg_product *p) {
    const clg_event *e = &t->timeline.events[at];
    bool product = t->kernels[e->name].product;
    bool counts = p && p->flop > 0 && p->kernel_ns > 0 && (p->named ? product : at == p->event);
    if (product || counts) t->product_ns = clg_ns_plus(t->product_ns, e->duration_ns);
    if (counts) clg_launches_price(t, at, p);
}

static void keep_products(const clg_launches *l, clg_trace *t) {
    t->product = clg_take(t->timeline.arena, l->product_count, clg_product);
    for (size_t i = 0; i < l->product_count; i++) {
        const clg_product *p = &l->product[i];
        if (p->kernel_ns == 0 || p->flop <= 0) continue;
        t->flop[p->precision] += p->flop;
        t->product[t->product_count++] = *p;
    }
}

void clg_launches_multiply(clg_launches *l, clg_trace *t) {
    size_t count = t->timeline.count;
    if (l->product_count)
        clg_order(l->arena, l->product, l->product_count, sizeof *l->product, by_thread_and_time);
    int64_t *longest_ns = clg_take(l->arena, l->product_count + 1, int64_t);
    clg_product **around = clg_take(l->arena, count + 1, clg_product *);
    find_outputs(l);
    for (size_t i = 0; i < count; i++) {
        clg_product *p = around[i] = product_of(l, t, i);
        if (p) offer_kernel(t, i, p, &longest_ns[p - l->product]);
    }
    for (size_t i = 0; i < l->product_count; i++) {
        clg_product *p = &l->product[i];
        if (p->kernel_ns == 0) continue;
        const char *name = t->timeline.names[t->timeline.events[p->event].name];
        p->precision = (uint8_t)clg_product_precision(p, name);
    }
    for (size_t i = 0; i < count; i++) price(t, i, around[i]);
    if (l->product_count) keep_products(l, t);
}

void clg_launches_keep(const clg_launches *l, clg_trace *t) {
    if (l->count == 0 || t->timeline.count == 0) return;
    t->launch_ns = clg_take(t->timeline.arena, t->timeline.count, int64_t);
    for (size_t i = 0; i < t->timeline.count; i++) {
        uint32_t launch = l->of[i];
        t->launch_ns[i] = launch == CLG_NO_LAUNCH ? INT64_MIN : l->launch[launch].start_ns;
    }
}

/* An event, by its place in the timeline. */
typedef struct begun {
    int64_t start_ns, end_ns;
    size_t at;
} begun;

static int by_start(const void *a, const void *b) {
    const begun *x = a, *y = b;
    if (x->start_ns != y->start_ns) return x->start_ns < y->start_ns ? -1 : 1;
    return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

static begun *in_order(clg_arena *scratch, const clg_timeline *t) {
    begun *events = clg_take(scratch, t->count + 1, begun);
    for (size_t i = 0; i < t->count; i++) {
        const clg_event *e = &t->events[i];
        events[i] = (begun){e->start_ns, e->start_ns + e->duration_ns, i};
    }
    clg_order(scratch, events, t->count, sizeof *events, by_start);
    return events;
}

/* Each gap was the host's fault until the launch of what came after it began. */
static size_t add_late_launches(clg_arena *scratch, const clg_trace *t, int class,
                                clg_sweep_part *parts, size_t count) {
    const begun *events = in_order(scratch, &t->timeline);
    int64_t busy_until_ns = INT64_MAX;
    for (size_t i = 0; i < t->timeline.count; i++) {
        const begun *e = &events[i];
        int64_t launched_ns = t->launch_ns[e->at];
        if (launched_ns > e->start_ns) launched_ns = e->start_ns;
        if (launched_ns > busy_until_ns) /* never of what is not known */
            parts[count++] = (clg_sweep_part){busy_until_ns, launched_ns, class};
        if (i == 0 || e->end_ns > busy_until_ns) busy_until_ns = e->end_ns;
    }
    return count;
}

clg_sweep_part *clg_trace_holdups(clg_arena *arena, const clg_trace *t, int first, size_t *count) {
    clg_arena scratch = {0};
    size_t most = t->stretch_count + t->timeline.count + 1;
    clg_sweep_part *parts = clg_take(arena, most, clg_sweep_part);
    *count = 0;
    for (size_t i = 0; i < t->stretch_count; i++) {
        const clg_stretch *s = &t->stretch[i];
        parts[(*count)++] =
            (clg_sweep_part){s->start_ns, s->start_ns + s->duration_ns, first + s->work};
    }
    if (t->launch_ns)
        *count = add_late_launches(&scratch, t, first + CLG_HOLDUPS - 1, parts, *count);
    clg_arena_clear(&scratch);
    return parts;
}

/* GPU work hides what the host did meanwhile. */
void clg_trace_split_idle(clg_arena *scratch, clg_trace *t) {
    enum { HELD_UP = 1 };
    const clg_timeline *line = &t->timeline;
    t->idle_launch_ns = -1;
    if (!t->launch_ns || line->count == 0) return;
    clg_arena_mark mark = clg_arena_here(scratch);
    size_t held;
    const clg_sweep_part *holdups = clg_trace_holdups(scratch, t, HELD_UP, &held);
    clg_sweep_part *parts = clg_take(scratch, held + line->count, clg_sweep_part);
    memcpy(parts, holdups, held * sizeof *parts);
    for (size_t i = 0; i < line->count; i++) {
        const clg_event *e = &line->events[i];
        parts[held + i] = (clg_sweep_part){e->start_ns, e->start_ns + e->duration_ns, 0};
    }
    clg_span span = {t->ledger.start_ns, t->ledger.start_ns + t->ledger.span_ns};
    clg_sweep_sum sum;
    clg_sweep_spans(scratch, parts, held + line->count, &span, 1, &sum);
    t->idle_loading_ns = sum.own_ns[HELD_UP + CLG_HOST_LOADER];
    t->idle_allocator_ns = sum.own_ns[HELD_UP + CLG_HOST_ALLOCATOR];
    t->idle_launch_ns = sum.own_ns[HELD_UP + CLG_HOLDUPS - 1];
    clg_arena_back_to(scratch, mark);
}
