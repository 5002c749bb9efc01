/* memory_snapshot.c -- snapshots of PyTorch's allocator (torch.cuda.memory._dump_snapshot): what it
 * holds, and the last allocations and frees with the calls that made them.
 *
 * The history is a ring: what was held before it began follows from what is held at its end. Kinds
 * are told by who allocated (the frames of an allocation), so `autograd` is all that a backward
 * pass took, gradients too. Left out: the history of blocks as of torch 1.x. */
#include "record/recording.h"

#include "record/memory_origin.h"

#include <string.h>

enum { MOST_DEVICES = 1024, MICROSECOND_NS = 1000 };
static const int64_t most_bytes = INT64_C(1) << 50, most_moved_bytes = INT64_C(1) << 60;

/* What an entry of the history does to the bytes allocated and reserved. */
static const struct {
    const char *name;
    int allocated, reserved;
} actions[] = {{"alloc", 1, 0},
               {"free_requested", -1, 0},
               {"segment_alloc", 0, 1},
               {"segment_free", 0, -1},
               {"segment_map", 0, 1},
               {"segment_unmap", 0, -1},
               {"oom", 0, 0}};
enum { ACTIONS = sizeof actions / sizeof *actions, OUT_OF_MEMORY = ACTIONS - 1 };

typedef struct change {
    int action; /* row of actions; -1: none of them */
    int64_t address, size, at_ns, free_bytes;
    clg_pickle_items *frames; /* NULL: not said */
} change;

/* An allocation that is alive. */
typedef struct holding {
    int64_t bytes;
    clg_memory_origin by;
} holding;

typedef struct snapshot {
    clg_arena *arena; /* what lives on */
    clg_arena scratch;
    clg_pickle_value segments, histories;
    size_t budget; /* values that may still be looked at: as many as there are bytes */
    clg_memory_origins origins;
    change *change; /* of one device */
    size_t count, capacity;
    int64_t final_allocated, final_reserved;
    int64_t whole; /* segments read to their end, of all devices */
    bool timed;
} snapshot;

static bool spend(snapshot *s, size_t values) {
    bool enough = s->budget >= values;
    s->budget = enough ? s->budget - values : 0;
    return enough;
}

static int64_t sane(int64_t bytes) { return bytes > 0 && bytes < most_bytes ? bytes : 0; }

static holding holding_of(snapshot *s, int64_t bytes, clg_pickle_items *frames) {
    return (holding){bytes, clg_memory_origin_of(&s->origins, frames)};
}

/* ---- reading ---- */

static clg_pickle_items *list_of(clg_pickle_value v) {
    return v.kind == CLG_PICKLE_LIST ? v.is.items : NULL;
}

static change change_of(clg_pickle_value entry) {
    change c = {.action = 0,
                .address = clg_pickle_integer(entry, "addr", 0),
                .size = sane(clg_pickle_integer(entry, "size", 0)),
                .at_ns = clg_pickle_integer(entry, "time_us", -1),
                .frames = list_of(clg_pickle_member(entry, "frames"))};
    clg_slice action = clg_pickle_text(entry, "action");
    while (c.action < ACTIONS && !clg_slice_is(action, actions[c.action].name)) c.action++;
    if (c.action == ACTIONS) c.action = -1;
    c.free_bytes = clg_pickle_integer(entry, "device_free", c.address);
    c.at_ns = c.at_ns < 0 || c.at_ns > INT64_MAX / MICROSECOND_NS ? -1 : c.at_ns * MICROSECOND_NS;
    return c;
}

/* Up to where what was moved could no longer be summed. */
static void read_history(snapshot *s, clg_pickle_value list) {
    int64_t moved_bytes = 0;
    s->count = 0;
    s->timed = true;
    for (size_t i = 0; i < clg_pickle_count(list); i++) {
        clg_pickle_value entry = list.is.items->item[i];
        if (entry.kind != CLG_PICKLE_DICT) continue;
        if (!spend(s, entry.is.items->count + 1)) return;
        change c = change_of(entry);
        if (c.action < 0) continue;
        moved_bytes += c.size;
        if (moved_bytes > most_moved_bytes) return;
        s->timed = s->timed && c.at_ns >= 0;
        CLG_APPEND(&s->scratch, s->change, s->count, s->capacity, c);
    }
}

/* A block that is held, as it was asked for, or 0. */
static int64_t held_bytes(clg_pickle_value block) {
    int64_t size = clg_pickle_integer(block, "size", 0);
    if (!clg_slice_is(clg_pickle_text(block, "state"), "active_allocated")) return 0;
    return sane(clg_pickle_integer(block, "requested_size", size));
}

typedef void each_block(void *context, int64_t address, int64_t bytes, clg_pickle_items *frames);

/* False: not all of them could be looked at. Blocks of old versions have no address: it follows
 * from the sizes of those before. */
static bool walk_blocks(snapshot *s, clg_pickle_value segment, each_block *each, void *context) {
    bool whole = true;
    clg_pickle_value blocks = clg_pickle_member(segment, "blocks");
    int64_t at = sane(clg_pickle_integer(segment, "address", 0));
    for (size_t k = 0; k < clg_pickle_count(blocks); k++) {
        clg_pickle_value block = blocks.is.items->item[k];
        if (block.kind != CLG_PICKLE_DICT) continue;
        whole = whole && spend(s, block.is.items->count + 1);
        if (!whole) break;
        at = sane(clg_pickle_integer(block, "address", at));
        int64_t bytes = held_bytes(block);
        if (bytes > 0) each(context, at, bytes, list_of(clg_pickle_member(block, "frames")));
        at += sane(clg_pickle_integer(block, "size", 0));
    }
    return whole;
}

/* Calls `each` for what a device holds at the end: how many segments, and of them `*whole`. */
static int64_t walk_segments(snapshot *s, int64_t device, each_block *each, void *context,
                             int64_t *whole) {
    int64_t count = 0;
    for (size_t i = 0; i < clg_pickle_count(s->segments); i++) {
        clg_pickle_value segment = s->segments.is.items->item[i];
        if (segment.kind != CLG_PICKLE_DICT || !spend(s, segment.is.items->count + 1)) continue;
        if (clg_pickle_integer(segment, "device", 0) != device) continue;
        count++;
        each(context, -1, sane(clg_pickle_integer(segment, "total_size", 0)), NULL);
        *whole += walk_blocks(s, segment, each, context);
    }
    return count;
}

static void sum_block(void *context, int64_t address, int64_t bytes, clg_pickle_items *frames) {
    snapshot *s = context;
    int64_t *sum = address < 0 ? &s->final_reserved : &s->final_allocated;
    *sum = sane(*sum + bytes);
    (void)frames;
}

/* ---- over time ---- */

/* What a sum was before the changes that led to `final`, where nothing may be below zero. */
static int64_t before(const snapshot *s, int64_t final, bool reserved) {
    int64_t sum = 0, least = 0;
    for (size_t i = 0; i < s->count; i++) {
        int sign = reserved ? actions[s->change[i].action].reserved
                            : actions[s->change[i].action].allocated;
        sum += sign * s->change[i].size;
        if (sum < least) least = sum;
    }
    return final - sum > -least ? final - sum : -least;
}

/* The first point is what was held before; the first change to reach the peak is `*peak`. */
static clg_memory_use sum_up(snapshot *s, size_t *peak) {
    clg_memory_point *point = clg_take(&s->scratch, s->count + 1, clg_memory_point);
    int64_t now = before(s, s->final_allocated, false), most = now;
    int64_t reserved = before(s, s->final_reserved, true), most_reserved = reserved;
    point[0] = (clg_memory_point){s->count > 0 && s->timed ? s->change[0].at_ns : 0, now};
    *peak = 0;
    for (size_t i = 0; i < s->count; i++) {
        const change *c = &s->change[i];
        now += actions[c->action].allocated * c->size;
        reserved += actions[c->action].reserved * c->size;
        if (reserved > most_reserved) most_reserved = reserved;
        if (now > most) *peak = i + 1;
        if (now > most) most = now;
        point[i + 1] = (clg_memory_point){s->timed ? c->at_ns : (int64_t)i + 1, now};
    }
    clg_memory_use use = clg_memory_use_of(point, s->count + 1);
    use.reserved_bytes = most_reserved;
    use.changes = (int64_t)s->count;
    if (!s->timed || s->count == 0) use.span_ns = use.peak_ns = -1;
    return use;
}

/* What is alive, as the changes go by. */
typedef struct replay {
    snapshot *s;
    clg_map place; /* address -> 1 + row of live; 0: freed */
    holding *live;
    size_t count, capacity;
    clg_memory_use *use;
    int64_t *at_site, known;
} replay;

static void hold_at_peak(replay *r, const holding *h) {
    r->use->at_peak[h->by.kind] += h->bytes;
    r->at_site[h->by.site] += h->bytes;
    r->known += h->bytes;
}

static void follow(replay *r, const change *c) {
    int sign = actions[c->action].allocated;
    uint64_t key = (uint64_t)c->address + 1;
    if (sign == 0 || key == 0) return;
    if (sign > 0) {
        holding h = holding_of(r->s, c->size, c->frames);
        CLG_APPEND(&r->s->scratch, r->live, r->count, r->capacity, h);
    }
    if (sign > 0 || clg_map_get(&r->place, key, 0) > 0)
        clg_map_put(&r->place, key, sign > 0 ? (uint32_t)r->count : 0);
}

static void hold_all(replay *r) {
    for (size_t i = 0; i < r->place.capacity; i++)
        if (r->place.keys[i] && r->place.values[i])
            hold_at_peak(r, &r->live[r->place.values[i] - 1]);
}

/* What is held at the end and was not allocated within the history was held at the peak too. */
static void hold_block(void *context, int64_t address, int64_t bytes, clg_pickle_items *frames) {
    replay *r = context;
    if (address < 0 || clg_map_get(&r->place, (uint64_t)address + 1, 0) > 0) return;
    holding h = holding_of(r->s, bytes, frames);
    if (r->known + bytes <= r->use->peak_bytes) hold_at_peak(r, &h);
}

/* Sites are numbered as they are met: all have to be before they can be summed over. */
static void meet_sites(snapshot *s) {
    for (size_t i = 0; i < s->count; i++) clg_memory_origin_of(&s->origins, s->change[i].frames);
}

static void meet_block(void *context, int64_t address, int64_t bytes, clg_pickle_items *frames) {
    snapshot *s = context;
    clg_memory_origin_of(&s->origins, frames);
    (void)address;
    (void)bytes;
}

static void name_sites(replay *r) {
    clg_memory_use *u = r->use;
    for (; u->sites < CLG_MEMORY_SITES; u->sites++) {
        size_t most = 0;
        for (size_t i = 1; i < r->s->origins.site.count; i++)
            if (r->at_site[i] > (most ? r->at_site[most] : 0)) most = i;
        if (most == 0) return;
        const char *name = r->s->origins.site.texts[most];
        u->site[u->sites] =
            (clg_memory_site){clg_arena_copy(r->s->arena, name, strlen(name)), r->at_site[most]};
        r->at_site[most] = 0;
    }
}

static void tell_peak(snapshot *s, int64_t device, clg_memory_use *use, size_t peak) {
    replay r = {.s = s, .use = use, .place.arena = &s->scratch};
    int64_t met = 0; /* what is left out was counted before */
    meet_sites(s);
    walk_segments(s, device, meet_block, s, &met);
    r.at_site = clg_take(&s->scratch, s->origins.site.count, int64_t);
    for (size_t i = 0; i < peak; i++) follow(&r, &s->change[i]);
    hold_all(&r);
    for (size_t i = peak; i < s->count; i++) follow(&r, &s->change[i]);
    walk_segments(s, device, hold_block, &r, &met);
    use->kinds = r.known > use->at_peak[CLG_HELD_UNKNOWN] && r.known <= use->peak_bytes;
    use->at_peak[CLG_HELD_UNKNOWN] += use->peak_bytes - r.known;
    if (use->kinds) name_sites(&r);
}

/* Of failed requests the largest. */
static void tell_refusals(const snapshot *s, clg_memory_use *use) {
    for (size_t i = 0; i < s->count; i++) {
        const change *c = &s->change[i];
        if (c->action != OUT_OF_MEMORY || c->size <= use->refused_bytes) continue;
        use->refused_bytes = c->size;
        use->free_bytes = sane(c->free_bytes);
    }
}

static void read_device(snapshot *s, clg_recording *into, size_t device) {
    clg_pickle_value none = {0};
    bool recorded = device < clg_pickle_count(s->histories);
    size_t peak;
    s->final_allocated = s->final_reserved = 0;
    read_history(s, recorded ? s->histories.is.items->item[device] : none);
    int64_t held = walk_segments(s, (int64_t)device, sum_block, s, &s->whole);
    if (held == 0 && s->count == 0) return;
    clg_memory_use use = sum_up(s, &peak);
    use.file = into->file;
    use.rank = (int32_t)device;
    tell_peak(s, (int64_t)device, &use, peak);
    tell_refusals(s, &use);
    CLG_APPEND(&into->arena, into->memory.use, into->memory.count, into->memory.capacity, use);
}

/* Of devices beyond those that were looked for, or when the budget was spent. */
static void tell_left_out(const snapshot *s, clg_memory_uses *memory) {
    int64_t all = (int64_t)clg_pickle_count(s->segments);
    for (size_t i = 0; i < memory->count; i++) memory->use[i].left_out = all - s->whole;
}

/* Each device is looked for among all segments: there are as many as the histories say. */
static void read_devices(snapshot *s, clg_recording *into) {
    size_t devices = clg_pickle_count(s->histories);
    if (devices == 0) devices = 1;
    for (size_t i = 0; i < devices && i < MOST_DEVICES; i++) {
        clg_arena_mark mark = clg_arena_here(&s->scratch);
        s->change = NULL;
        s->capacity = 0;
        read_device(s, into, i);
        clg_arena_back_to(&s->scratch, mark);
    }
    tell_left_out(s, &into->memory);
    if (into->memory.count == 1) into->memory.use[0].rank = clg_trace_rank_of_name(into->file);
}

static clg_status read(clg_recording *into, clg_trace_source source, const clg_csv *kernels) {
    (void)kernels;
    snapshot s = {.arena = &into->arena};
    clg_arena named = {0}; /* of all devices */
    clg_pickle_value root;
    const char *why = NULL;
    clg_slice data = clg_source_whole(&s.scratch, source);
    clg_memory_origins_begin(&s.origins, &named);
    s.budget = 8 * data.size;
    if (clg_pickle_read(&s.scratch, data, &root, &why)) {
        s.segments = clg_pickle_member(root, "segments");
        s.histories = clg_pickle_member(root, "device_traces");
        read_devices(&s, into);
    }
    clg_arena_clear(&named);
    clg_arena_clear(&s.scratch);
    if (into->memory.count > 0) return CLG_OK;
    return clg_recording_refuse(into, "give what torch.cuda.memory._dump_snapshot wrote",
                                why ? why : "this pickle holds no snapshot of GPU memory");
}

/* PROTO and a version. */
static bool probe(clg_slice head) {
    return head.size > 2 && (unsigned char)head.text[0] == 0x80 && head.text[1] >= 2 &&
           head.text[1] <= 5;
}

const clg_reader clg_reader_memory_snapshot = {"memory snapshot", probe, read};
