/* kineto_event.c -- what the events of a PyTorch profiler trace mean: each into the part of the
 * recording that it belongs to. Left out: annotations and synchronization, which are no work. */
#include "base/letters.h"
#include "record/kineto.h"
#include "record/ns.h"
#include "record/split.h"

#include <string.h>

enum { MOST_TRACKS = 65535 };

void clg_kineto_lose(clg_kineto *r, int64_t byte, int64_t lost, const char *reason) {
    clg_trace *t = r->trace;
    t->damaged = true;
    t->events_lost += lost;
    clg_trace_damage *last = t->damages ? &t->damage[t->damages - 1] : NULL;
    if (last && strcmp(last->reason, reason) == 0)
        last->lost += lost; /* one line for a run of the same */
    else if (t->damages < CLG_TRACE_DAMAGES)
        t->damage[t->damages++] = (clg_trace_damage){byte, lost, reason};
}

static uint64_t thread_of(const clg_trace_event *e) {
    return clg_trace_hash(e->tid, clg_trace_hash(e->pid, 0));
}

static int32_t correlation_of(const clg_trace_event *e) {
    int64_t value = clg_scan_integer(e->correlation, -1);
    return value >= 0 && value < INT32_MAX ? (int32_t)value : -1;
}

static uint16_t track_of(clg_kineto *r, const clg_trace_event *e) {
    uint64_t key = clg_trace_hash(e->device, thread_of(e));
    uint32_t known = clg_map_get(&r->tracks, key, UINT32_MAX);
    if (known != UINT32_MAX) return (uint16_t)known;
    clg_timeline *t = &r->trace->timeline;
    if (t->track_count >= MOST_TRACKS) return MOST_TRACKS - 1;
    bool number = e->tid.size > 0 && clg_is_digit(*e->tid.text);
    size_t capacity = t->track_capacity;
    const char *name = clg_arena_print(r->arena, "%s%.*s", number ? "stream " : "",
                                       (int)(e->tid.size < 64 ? e->tid.size : 64), e->tid.text);
    clg_track track = {name, 0};
    CLG_APPEND(r->arena, t->tracks, t->track_count, capacity, track);
    t->track_capacity = (uint32_t)capacity;
    clg_map_put(&r->tracks, key, t->track_count - 1);
    int64_t device = clg_scan_integer(e->device, clg_scan_integer(e->pid, 0));
    CLG_APPEND(&r->scratch, r->device, r->device_count, r->device_capacity, device);
    return (uint16_t)(t->track_count - 1);
}

/* The kernel's row of the table by name, classified when it is new. */
static clg_trace_kernel *kernel_of(clg_kineto *r, const clg_trace_event *e, uint32_t *name) {
    size_t known = r->names.count;
    *name = clg_intern_add(&r->names, e->name);
    clg_trace *t = r->trace;
    if (r->names.count == known) return &t->kernels[*name];
    bool copy = e->use == CLG_EVENT_COPY;
    clg_trace_kernel row = clg_trace_kernel_named(r->table, r->names.texts[*name], copy);
    CLG_APPEND(r->arena, t->kernels, known, r->kernel_capacity, row);
    return &t->kernels[*name];
}

/* Size of the buffer that bandwidth refers to: the full array. */
static int64_t bytes_said(const clg_trace_arguments *a, clg_operation operation) {
    clg_slice count = operation == CLG_OPERATION_ALL_GATHER ? a->out_elements : a->in_elements;
    int64_t elements = clg_scan_integer(count, -1);
    int bytes = clg_trace_element_bytes(a->data_type);
    return elements >= 0 && elements < INT64_MAX / 8 && bytes > 0 ? elements * bytes : -1;
}

uint32_t clg_kineto_group_of(clg_kineto *r, clg_slice name, clg_slice ranks) {
    clg_arena_mark mark = clg_arena_here(&r->scratch);
    size_t size = name.size + ranks.size + 1;
    char *both = clg_arena_take(&r->scratch, size, 1);
    if (name.size) memcpy(both, name.text, name.size);
    both[name.size] = ' ';
    if (ranks.size) memcpy(both + name.size + 1, ranks.text, ranks.size);
    uint32_t index = clg_intern_add(&r->trace->groups, (clg_slice){both, size});
    clg_arena_back_to(&r->scratch, mark);
    return index;
}

static void name_group(clg_kineto *r, const clg_trace_arguments *a, clg_trace_description *what) {
    if (a->group_name.size == 0 && a->group_ranks.size == 0) return;
    what->grouped = true;
    what->group = clg_kineto_group_of(r, a->group_name, a->group_ranks);
    what->group_name =
        clg_intern_add(&r->trace->groups, a->group_name.size ? a->group_name : a->group_ranks);
}

/* record_param_comms of older versions lists: tensor, sequence, group, rank, operation, in split,
 * out split, world size. */
static int64_t world_of_inputs(clg_slice inputs) {
    size_t end = inputs.size;
    while (end > 0 && inputs.text[end - 1] != '"') end--;
    size_t start = end ? end - 1 : 0;
    while (start > 0 && inputs.text[start - 1] != '"') start--;
    if (start == 0 || end <= start) return -1;
    return clg_scan_integer((clg_slice){inputs.text + start, end - 1 - start}, -1);
}

static int32_t rank_said(clg_slice text) {
    int64_t value = clg_scan_integer(text, -1);
    return value >= 0 && value < INT32_MAX ? (int32_t)value : -1;
}

static clg_trace_description describe(clg_kineto *r, const clg_trace_arguments *a) {
    clg_trace_description what = {.bytes = -1,
                                  .group_size = clg_scan_integer(a->group_size, -1),
                                  .sequence = clg_scan_integer(a->sequence, -1),
                                  .source = rank_said(a->source),
                                  .target = rank_said(a->target)};
    if (a->collective.size) what.operation = clg_trace_operation(a->collective);
    what.bytes = bytes_said(a, what.operation);
    what.axis = (uint8_t)clg_split_of_words(a->group_description);
    name_group(r, a, &what);
    return what;
}

static void take_gpu(clg_kineto *r, const clg_trace_event *e, int64_t start_ns,
                     int64_t duration_ns) {
    uint32_t name;
    clg_trace_kernel *row = kernel_of(r, e, &name);
    row->total_ns = clg_ns_plus(row->total_ns, duration_ns);
    row->count++;
    clg_event event = {start_ns, duration_ns,      name, track_of(r, e), (uint8_t)row->work,
                       -1,       correlation_of(e)};
    clg_timeline_add(&r->trace->timeline, event);
    if (row->work != CLG_WORK_COMMUNICATION) return;
    clg_trace_arguments room;
    clg_trace_call call = {.event = (uint32_t)(r->trace->timeline.count - 1),
                           .instance = -1,
                           .start_ns = start_ns,
                           .duration_ns = duration_ns,
                           .transfer_ns = -1,
                           .name = name,
                           .correlation = event.detail,
                           .what = describe(r, clg_trace_event_arguments(e, &room))};
    if (call.what.operation == CLG_OPERATION_UNKNOWN) call.what.operation = row->operation;
    if (!call.what.grouped) {
        /* Nothing says who took part: collectives of one stream are in one order on all ranks. */
        const char *stream = r->trace->timeline.tracks[event.track].name;
        call.what.group = call.what.group_name =
            clg_intern_add(&r->trace->groups, (clg_slice){stream, strlen(stream)});
    }
    clg_trace *t = r->trace;
    CLG_APPEND(r->arena, t->calls, t->call_count, t->call_capacity, call);
}

static void take_host(clg_kineto *r, clg_host_work work, int64_t start_ns, int64_t duration_ns) {
    clg_trace *t = r->trace;
    clg_stretch stretch = {start_ns, duration_ns, (uint8_t)work};
    if (duration_ns > 0)
        CLG_APPEND(r->arena, t->stretch, t->stretch_count, t->stretch_capacity, stretch);
}

/* Calls of the runtime or driver that take memory or give it back, and so wait for the GPU. */
static bool allocates(clg_slice name) {
    if (clg_slice_starts(name, "cudaLaunch")) return false; /* nearly all that are asked about */
    return clg_slice_starts(name, "cudaMalloc") || clg_slice_starts(name, "cudaFree") ||
           clg_slice_starts(name, "cudaHostAlloc") || clg_slice_starts(name, "cuMemCreate") ||
           clg_slice_starts(name, "cuMemRelease") || clg_slice_starts(name, "cuMemMap") ||
           clg_slice_starts(name, "cuMemUnmap") || clg_slice_starts(name, "hipMalloc") ||
           clg_slice_starts(name, "hipFree") || clg_slice_starts(name, "hipHostMalloc");
}

static void take_launch(clg_kineto *r, const clg_trace_event *e, int64_t start_ns,
                        int64_t duration_ns) {
    if (allocates(e->name)) take_host(r, CLG_HOST_ALLOCATOR, start_ns, duration_ns);
    int32_t correlation = correlation_of(e);
    if (correlation < 0) return;
    clg_launches *l = &r->launches;
    uint64_t key = (uint64_t)correlation + 1;
    if (clg_map_add(&l->by_correlation, key, (uint32_t)l->count) < l->count) return;
    clg_recorded_launch launch = {thread_of(e), start_ns, 0};
    if (e->kernel.size) launch.kernel = clg_intern_add(&l->kernels, e->kernel) + 1;
    CLG_APPEND(&r->scratch, l->launch, l->count, l->capacity, launch);
}

static void take_recorded(clg_kineto *r, const clg_trace_event *e, int64_t start_ns,
                          int64_t duration_ns) {
    clg_recorded recorded = {thread_of(e), start_ns, start_ns + duration_ns, describe(r, e->args)};
    clg_trace_description *what = &recorded.what;
    if (clg_slice_starts(e->name, "nccl:")) {
        what->operation = clg_trace_operation(e->name);
        if (what->bytes < 0) {
            what->bytes = clg_trace_tensor_bytes(e->args->dims, e->args->types);
            what->bytes_per_rank = what->bytes >= 0 && what->operation == CLG_OPERATION_ALL_GATHER;
        }
    } else if (what->group_size < 0)
        what->group_size = world_of_inputs(e->args->inputs);
    clg_launches *l = &r->launches;
    CLG_APPEND(&r->scratch, l->recorded, l->recorded_count, l->recorded_capacity, recorded);
}

/* "ProfilerStep#7" */
static void take_step(clg_kineto *r, const clg_trace_event *e, int64_t start_ns,
                      int64_t duration_ns) {
    enum { WORD = sizeof "ProfilerStep#" - 1, MOST_STEPS = 1 << 20 };
    clg_trace *t = r->trace;
    t->steps++;
    t->steps_ns = clg_ns_plus(t->steps_ns, duration_ns);
    if (t->step_count >= MOST_STEPS || duration_ns <= 0) return;
    clg_slice number = {e->name.text + WORD, e->name.size > WORD ? e->name.size - WORD : 0};
    clg_trace_step step = {
        .number = clg_scan_integer(number, -1), .start_ns = start_ns, .duration_ns = duration_ns};
    CLG_APPEND(r->arena, t->step, t->step_count, t->step_capacity, step);
}

static void take_product(clg_kineto *r, const clg_trace_event *e, int64_t start_ns,
                         int64_t duration_ns) {
    clg_launches *l = &r->launches;
    clg_product product;
    if (!clg_product_of(e->name, e->args->dims, e->args->types, e->args->inputs, &product)) return;
    product.thread = thread_of(e);
    product.start_ns = start_ns;
    product.end_ns = start_ns + duration_ns;
    CLG_APPEND(&r->scratch, l->product, l->product_count, l->product_capacity, product);
}

static void take_loader(clg_kineto *r, int64_t start_ns, int64_t duration_ns) {
    r->trace->loading_ns = clg_ns_plus(r->trace->loading_ns, duration_ns);
    take_host(r, CLG_HOST_LOADER, start_ns, duration_ns);
}

/* What is wrong with the times of an event, or NULL. */
static const char *read_times(const clg_trace_event *e, bool gpu, int64_t *start_ns,
                              int64_t *duration_ns) {
    *duration_ns = 0;
    if (!clg_scan_decimal(e->start, 3, start_ns)) return "a start that is no number";
    if (*start_ns > CLG_TRACE_LATEST_NS || *start_ns < -CLG_TRACE_LATEST_NS)
        return "a start out of range";
    if (e->duration.size == 0) return gpu ? "no duration" : NULL;
    if (!clg_scan_decimal(e->duration, 3, duration_ns)) return "a duration that is no number";
    if (*duration_ns > CLG_TRACE_LONGEST_NS) return "a duration over a day";
    if (*duration_ns < 0) *duration_ns = 0;
    return NULL;
}

bool clg_kineto_judge(const clg_trace_event *e, clg_kineto_verdict *v) {
    *v = (clg_kineto_verdict){.counted = e->phase.size > 0};
    bool gpu = e->use == CLG_EVENT_KERNEL || e->use == CLG_EVENT_COPY;
    if (!v->counted)
        v->fault = "an object without phase";
    else if (e->use != CLG_EVENT_OTHER)
        v->fault = read_times(e, gpu, &v->start_ns, &v->duration_ns);
    return v->fault || e->use != CLG_EVENT_OTHER;
}

void clg_kineto_take(clg_kineto *r, const clg_trace_event *e, const clg_kineto_verdict *v,
                     int64_t byte) {
    r->events_seen |= v->counted;
    if (v->fault) {
        clg_kineto_lose(r, byte, 1, v->fault);
        return;
    }
    r->trace->events_read++;
    switch (e->use) {
    case CLG_EVENT_OTHER:
        return;
    case CLG_EVENT_KERNEL:
    case CLG_EVENT_COPY:
        take_gpu(r, e, v->start_ns, v->duration_ns);
        return;
    case CLG_EVENT_LAUNCH:
        take_launch(r, e, v->start_ns, v->duration_ns);
        return;
    case CLG_EVENT_COLLECTIVE:
        take_recorded(r, e, v->start_ns, v->duration_ns);
        return;
    case CLG_EVENT_PRODUCT:
        take_product(r, e, v->start_ns, v->duration_ns);
        return;
    case CLG_EVENT_STEP:
        take_step(r, e, v->start_ns, v->duration_ns);
        return;
    case CLG_EVENT_LOADER:
        take_loader(r, v->start_ns, v->duration_ns);
        return;
    case CLG_EVENT_RANGE:
        clg_ranges_add(&r->ranges, e->name, thread_of(e), v->start_ns, v->duration_ns);
        return;
    case CLG_EVENT_MEMORY:
        clg_kineto_take_memory(r, e, v->start_ns);
    }
}
