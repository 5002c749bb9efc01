/* launches.c -- sizes from launches, and why the GPU was idle. */
#include "record/launches.h"

#include "record/ns.h"
#include "record/split.h"

#include <stdlib.h>

static int by_thread_and_start(const void *a, const void *b) {
    const clg_recorded *x = a, *y = b;
    if (x->thread != y->thread) return x->thread < y->thread ? -1 : 1;
    if (x->start_ns != y->start_ns) return x->start_ns < y->start_ns ? -1 : 1;
    return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns); /* the outer one first */
}

/* How many recorded operators start at or before a launch, in order of thread and start. */
static size_t before(const clg_launches *l, const clg_launch *launch) {
    size_t low = 0, high = l->recorded_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const clg_recorded *r = &l->recorded[middle];
        bool earlier = r->thread != launch->thread ? r->thread < launch->thread
                                                   : r->start_ns <= launch->start_ns;
        if (earlier)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
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
    const clg_launch *launch = &l->launch[index];
    size_t at = before(l, launch);
    for (int tries = 0; tries < NESTED && at > 0; tries++) {
        const clg_recorded *r = &l->recorded[--at];
        if (r->thread != launch->thread) break;
        if (r->end_ns >= launch->start_ns) fill(&call->what, &r->what);
    }
}

void clg_launches_describe(clg_launches *l, clg_trace *trace) {
    if (l->recorded_count)
        qsort(l->recorded, l->recorded_count, sizeof *l->recorded, by_thread_and_start);
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
static clg_product *product_around(const clg_launches *l, const clg_launch *launch) {
    size_t low = 0, high = l->product_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const clg_product *p = &l->product[middle];
        bool earlier = p->thread != launch->thread ? p->thread < launch->thread
                                                   : p->start_ns <= launch->start_ns;
        if (earlier)
            low = middle + 1;
        else
            high = middle;
    }
    clg_product *p = low > 0 ? &l->product[low - 1] : NULL;
    return p && p->thread == launch->thread && launch->start_ns < p->end_ns ? p : NULL;
}

static void offer_kernel(clg_launches *l, const clg_trace *t, size_t at) {
    const clg_event *e = &t->timeline.events[at];
    if (e->work != CLG_WORK_COMPUTE || e->detail < 0) return;
    uint32_t index = clg_map_get(&l->by_correlation, (uint64_t)e->detail + 1, UINT32_MAX);
    clg_product *p = index == UINT32_MAX ? NULL : product_around(l, &l->launch[index]);
    if (!p || e->duration_ns <= p->kernel_ns) return;
    p->kernel_ns = e->duration_ns;
    p->event = (uint32_t)at;
}

void clg_launches_multiply(clg_launches *l, clg_trace *t) {
    if (l->product_count == 0) return;
    qsort(l->product, l->product_count, sizeof *l->product, by_thread_and_time);
    for (size_t i = 0; i < t->timeline.count; i++) offer_kernel(l, t, i);
    t->product = clg_take(t->timeline.arena, l->product_count, clg_product);
    for (size_t i = 0; i < l->product_count; i++) {
        clg_product p = l->product[i];
        if (p.kernel_ns == 0) continue;
        uint32_t name = t->timeline.events[p.event].name;
        clg_trace_kernel *kernel = &t->kernels[name];
        p.precision = (uint8_t)clg_product_precision(&p, t->timeline.names[name]);
        kernel->flop += p.flop;
        kernel->flop_ns = clg_ns_plus(kernel->flop_ns, p.kernel_ns);
        kernel->precision = p.precision;
        t->flop[p.precision] += p.flop;
        t->product[t->product_count++] = p;
    }
}

void clg_launches_keep(const clg_launches *l, clg_trace *t) {
    if (l->count == 0 || t->timeline.count == 0) return;
    t->launch_ns = clg_take(t->timeline.arena, t->timeline.count, int64_t);
    for (size_t i = 0; i < t->timeline.count; i++) {
        int32_t correlation = t->timeline.events[i].detail;
        uint32_t index = correlation < 0 ? UINT32_MAX
                                         : clg_map_get(&l->by_correlation,
                                                       (uint64_t)correlation + 1, UINT32_MAX);
        t->launch_ns[i] = index == UINT32_MAX ? INT64_MIN : l->launch[index].start_ns;
    }
}

static int by_start(const void *a, const void *b) {
    const clg_event *x = a, *y = b;
    if (x->start_ns != y->start_ns) return x->start_ns < y->start_ns ? -1 : 1;
    return (x->duration_ns > y->duration_ns) - (x->duration_ns < y->duration_ns);
}

static void add_clipped(clg_timeline *t, const clg_ledger *ledger, int64_t start_ns, int64_t end_ns,
                        clg_work work) {
    int64_t last_ns = ledger->start_ns + ledger->span_ns;
    if (start_ns < ledger->start_ns) start_ns = ledger->start_ns;
    if (end_ns > last_ns) end_ns = last_ns;
    if (end_ns > start_ns)
        clg_timeline_add(
            t, (clg_event){start_ns, end_ns - start_ns, 0, 0, (uint8_t)work, 0xff, -1, -1});
}

/* The gap before an event was the host's fault until the launch of the event began. */
static void add_late_launch(const clg_launches *l, clg_timeline *t, const clg_ledger *ledger,
                            const clg_event *event, int64_t idle_since_ns) {
    uint32_t index = clg_map_get(&l->by_correlation, (uint64_t)event->detail + 1, UINT32_MAX);
    if (event->detail < 0 || index == UINT32_MAX) return;
    int64_t launched_ns = l->launch[index].start_ns;
    if (launched_ns > event->start_ns) launched_ns = event->start_ns;
    add_clipped(t, ledger, idle_since_ns, launched_ns, CLG_WORK_COPY);
}

/* Busy time plays compute, loading communication and late launches copies: the same sweep that
 * makes the ledger then gives their exposed parts, each nanosecond once. */
void clg_launches_split_idle(clg_launches *l, clg_trace *trace) {
    trace->idle_launch_ns = -1;
    if (l->count == 0 || trace->timeline.count == 0) return;
    clg_timeline t = {.arena = l->arena};
    clg_timeline_track(&t, "gpu", 0);
    size_t count = trace->timeline.count;
    clg_event *events = clg_take(l->arena, count, clg_event);
    for (size_t i = 0; i < count; i++) events[i] = trace->timeline.events[i];
    qsort(events, count, sizeof *events, by_start);
    int64_t busy_until_ns = events[0].start_ns;
    for (size_t i = 0; i < count; i++) {
        const clg_event *e = &events[i];
        if (e->start_ns > busy_until_ns) add_late_launch(l, &t, &trace->ledger, e, busy_until_ns);
        clg_timeline_add(
            &t, (clg_event){e->start_ns, e->duration_ns, 0, 0, CLG_WORK_COMPUTE, 0xff, -1, -1});
        if (e->start_ns + e->duration_ns > busy_until_ns)
            busy_until_ns = e->start_ns + e->duration_ns;
    }
    for (size_t i = 0; i < l->loading_count; i++)
        add_clipped(&t, &trace->ledger, l->loading[i].start_ns,
                    l->loading[i].start_ns + l->loading[i].duration_ns, CLG_WORK_COMMUNICATION);
    clg_ledger split = clg_timeline_ledger(l->arena, &t, 0);
    trace->idle_loading_ns = split.exposed_communication_ns;
    trace->idle_launch_ns = split.exposed_copy_ns;
}
