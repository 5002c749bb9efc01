/* recorded_job.c -- collectives over ranks.
 *
 * An instance is (group, sequence): the number that PyTorch counts in the group where every call
 * tells it, else the n-th call of the group on its rank, which is wrong where ranks began to record
 * at different calls. Sends and receives count apart, by their pair where they tell it. Transfer is
 * the shortest duration over ranks: the last to arrive waits for nobody. It needs no common clock;
 * who arrived last does, so clocks that differ by more than collectives end apart are aligned at
 * their ends. */
#include "trace/matching.h"

#include "record/ns.h"

#include <stdlib.h>
#include <string.h>

static int by_rank(const void *a, const void *b) {
    const clg_trace *x = a, *y = b;
    uint32_t p = (uint32_t)x->rank, q = (uint32_t)y->rank; /* unknown (-1) last */
    if (p != q) return p < q ? -1 : 1;
    return strcmp(x->file, y->file);
}

/* Why these files cannot be ranks of one job, or NULL. */
static const char *no_job(const clg_trace *traces, int count) {
    if (count < 2) return count ? "one rank was given" : "no traces were given";
    for (int i = 0; i < count; i++) {
        if (traces[i].rank < 0) return "a file does not tell its rank";
        if (i > 0 && traces[i].rank == traces[i - 1].rank) return "two files have the same rank";
        if (i > 0 && traces[i].world_size > 0 && traces[0].world_size > 0 &&
            traces[i].world_size != traces[0].world_size)
            return "the files are of jobs of different size";
    }
    return NULL;
}

static clg_trace_collective opened(const clg_trace *t, const clg_trace_call *call, uint32_t group,
                                   uint32_t sequence) {
    return (clg_trace_collective){.group = t->groups.texts[call->what.group_name],
                                  .name = t->timeline.names[call->name],
                                  .group_key = group,
                                  .sequence = sequence,
                                  .operation = call->what.operation,
                                  .bytes = call->what.bytes,
                                  .group_size = call->what.group_size,
                                  .transfer_ns = -1,
                                  .skew_ns = -1,
                                  .bus_bytes_per_s = -1,
                                  .last = -1};
}

typedef struct instances {
    clg_intern groups;     /* over all traces; pairs of sends are groups of their own */
    clg_map by_key;        /* (group, sequence) */
    int64_t *first_number; /* [groups] smallest Seq; -1: they count by order */
    clg_trace_collective *collectives;
    size_t count, capacity;
} instances;

static bool is_pair(const clg_trace_call *call) {
    return call->what.operation == CLG_OPERATION_SEND ||
           call->what.operation == CLG_OPERATION_RECEIVE;
}

/* The group of a call over all traces. A sender knows itself and its target, a receiver likewise.
 * `words` is for the while, and not the arena of the groups, which keep their own copy. */
static uint32_t group_of(clg_arena *words, instances *in, const clg_trace *t,
                         const clg_trace_call *call) {
    const char *group = t->groups.texts[call->what.group];
    clg_slice text = {group, strlen(group)};
    if (!is_pair(call)) return clg_intern_add(&in->groups, text);
    bool sends = call->what.operation == CLG_OPERATION_SEND;
    int32_t source = call->what.source, target = call->what.target;
    if (sends && source < 0) source = t->rank;
    if (!sends && target < 0) target = t->rank;
    clg_arena_mark mark = clg_arena_here(words);
    const char *pair = source >= 0 && target >= 0
                           ? clg_arena_print(words, "%s from %d to %d", group, source, target)
                           : clg_arena_print(words, "%s between two", group);
    uint32_t key = clg_intern_add(&in->groups, (clg_slice){pair, strlen(pair)});
    clg_arena_back_to(words, mark);
    return key;
}

/* Groups whose calls all tell their number, no two of a rank the same. */
static void find_numbers(clg_matching *m, instances *in, const uint32_t *keys) {
    clg_map seen = {.arena = &m->scratch}; /* (trace, group, number) */
    in->first_number = clg_take(&m->scratch, in->groups.count + 1, int64_t);
    for (size_t g = 0; g < in->groups.count; g++) in->first_number[g] = INT64_MAX;
    size_t at = 0;
    for (int i = 0; i < m->job->count; i++)
        for (size_t c = 0; c < m->job->traces[i].call_count; c++) {
            uint32_t g = keys[at++];
            const clg_trace_call *call = &m->job->traces[i].calls[c];
            int64_t number = is_pair(call) ? -1 : call->what.sequence;
            if (in->first_number[g] < 0) continue;
            int64_t own[] = {i, g, number};
            uint64_t key = clg_trace_hash((clg_slice){(const char *)own, sizeof own}, 0);
            bool unique = number >= 0 && number <= UINT32_MAX &&
                          clg_map_get(&seen, key, UINT32_MAX) == UINT32_MAX;
            if (!unique)
                in->first_number[g] = -1;
            else {
                clg_map_put(&seen, key, 1);
                if (number < in->first_number[g]) in->first_number[g] = number;
            }
        }
}

/* The calls of one trace, group by group. Without a job every trace is its own. */
static void enrol(clg_matching *m, instances *in, int trace, const uint32_t *keys, size_t *at) {
    clg_trace *t = &m->job->traces[trace];
    uint32_t *next = clg_take(&m->scratch, in->groups.count + 1, uint32_t);
    for (size_t i = 0; i < t->call_count; i++) {
        clg_trace_call *call = &t->calls[i];
        uint32_t key = keys[*at], sequence = next[key]++;
        if (in->first_number[key] >= 0)
            sequence = (uint32_t)(call->what.sequence - in->first_number[key]);
        uint64_t both = ((uint64_t)key << 32 | sequence) + 1;
        if (m->job->unmatched) both += (uint64_t)trace * UINT64_C(0x9E3779B97F4A7C15);
        uint32_t index = clg_map_get(&in->by_key, both, UINT32_MAX);
        if (index == UINT32_MAX) {
            index = (uint32_t)in->count;
            clg_map_put(&in->by_key, both, index);
            clg_trace_collective c = opened(t, call, key, sequence);
            CLG_APPEND(m->arena, in->collectives, in->count, in->capacity, c);
        }
        in->collectives[index].ranks++;
        call->instance = (int32_t)index;
        m->members[(*at)++] = (clg_member_call){index, trace, call};
    }
}

/* Counting sort by instance keeps the order of traces. */
static void gather(clg_matching *m) {
    clg_recorded_job *job = m->job;
    size_t total = (size_t)job->collective_count;
    m->first = clg_take(&m->scratch, total + 2, size_t);
    for (size_t i = 0; i < m->count; i++) m->first[m->members[i].instance + 1]++;
    for (size_t i = 0; i < total; i++) m->first[i + 1] += m->first[i];
    size_t *next = clg_take(&m->scratch, total + 1, size_t);
    memcpy(next, m->first, total * sizeof *next);
    clg_member_call *sorted = clg_take(&m->scratch, m->count + 1, clg_member_call);
    for (size_t i = 0; i < m->count; i++) sorted[next[m->members[i].instance]++] = m->members[i];
    m->members = sorted;
}

static void collect(clg_matching *m) {
    instances in = {.groups.arena = &m->scratch, .by_key.arena = &m->scratch};
    clg_arena words = {0};
    clg_recorded_job *job = m->job;
    size_t calls = 0, at = 0;
    for (int i = 0; i < job->count; i++) calls += job->traces[i].call_count;
    m->members = clg_take(&m->scratch, calls + 1, clg_member_call);
    uint32_t *keys = clg_take(&m->scratch, calls + 1, uint32_t);
    for (int i = 0; i < job->count; i++)
        for (size_t c = 0; c < job->traces[i].call_count; c++)
            keys[at++] = group_of(&words, &in, &job->traces[i], &job->traces[i].calls[c]);
    clg_arena_clear(&words);
    find_numbers(m, &in, keys);
    at = 0;
    for (int i = 0; i < job->count; i++) enrol(m, &in, i, keys, &at);
    m->count = at;
    job->collectives = in.collectives;
    job->collective_count = (int)in.count;
    gather(m);
}

/* ---- arrivals ---- */

static int64_t arrival_ns(const clg_matching *m, const clg_member_call *at) {
    return clg_ns_minus(at->call->start_ns, m->job->offset_ns[at->trace]);
}

/* A send and its receive are two ends of one. */
static bool agrees(const clg_trace_collective *c, const clg_member_call *at) {
    bool pair = c->operation == CLG_OPERATION_SEND || c->operation == CLG_OPERATION_RECEIVE;
    if (pair) return is_pair(at->call);
    return at->call->what.operation == c->operation &&
           (at->call->what.bytes < 0 || c->bytes < 0 || at->call->what.bytes == c->bytes ||
            c->operation != CLG_OPERATION_ALL_REDUCE);
}

/* Sizes as far as any rank tells them; whether the ranks mean the same collective. */
static bool reconcile(const clg_matching *m, clg_trace_collective *c, size_t first, size_t last) {
    bool same = true;
    for (size_t i = first; i < last; i++) {
        const clg_trace_description *what = &m->members[i].call->what;
        same = same && agrees(c, &m->members[i]);
        if (c->group_size < 0) c->group_size = what->group_size;
        if (c->bytes < 0) c->bytes = what->bytes;
    }
    if (is_pair(m->members[first].call)) c->group_size = 2;
    if (c->group_size < 0) c->group_size = m->job->traces[m->members[first].trace].world_size;
    if (c->group_size < 0 && !m->job->unmatched) c->group_size = m->job->count;
    return same;
}

static void blame(clg_matching *m, const clg_trace_collective *c, size_t first, size_t last,
                  int64_t by_ns) {
    clg_straggler *s = &m->job->stragglers[c->last];
    s->last_arrivals++;
    s->caused_skew_ns = clg_ns_plus(s->caused_skew_ns, c->skew_ns);
    for (size_t i = first; i < last; i++)
        s->caused_wait_ns =
            clg_ns_plus(s->caused_wait_ns, clg_ns_minus(by_ns, arrival_ns(m, &m->members[i])));
}

static void measure(clg_matching *m, clg_trace_collective *c, size_t first, size_t last) {
    int64_t earliest_ns = INT64_MAX, latest_ns = INT64_MIN, shortest_ns = INT64_MAX;
    for (size_t i = first; i < last; i++) {
        int64_t at_ns = arrival_ns(m, &m->members[i]);
        int64_t duration_ns = m->members[i].call->duration_ns;
        if (at_ns < earliest_ns) earliest_ns = at_ns;
        if (at_ns > latest_ns) {
            latest_ns = at_ns;
            c->last = m->members[i].trace;
        }
        if (duration_ns < shortest_ns) shortest_ns = duration_ns;
    }
    c->start_ns = earliest_ns;
    c->transfer_ns = shortest_ns;
    c->skew_ns = clg_ns_minus(latest_ns, earliest_ns);
    double factor = clg_trace_bus_factor(c->operation, c->group_size);
    if (c->bytes > 0 && factor > 0 && shortest_ns > 0)
        c->bus_bytes_per_s =
            (int64_t)((double)c->bytes * factor / ((double)shortest_ns / 1e9) + 0.5);
    for (size_t i = first; i < last; i++) m->members[i].call->transfer_ns = shortest_ns;
    blame(m, c, first, last, latest_ns);
}

static void judge(clg_matching *m) {
    clg_recorded_job *job = m->job;
    for (int i = 0; i < job->collective_count; i++) {
        clg_trace_collective *c = &job->collectives[i];
        size_t first = m->first[i], last = m->first[i + 1];
        bool same = reconcile(m, c, first, last);
        c->start_ns = arrival_ns(m, &m->members[first]);
        if (!same)
            job->mismatched++;
        else if (c->ranks > 1 && c->ranks == c->group_size)
            measure(m, c, first, last);
    }
}

static int worst_first(const void *a, const void *b) {
    const clg_straggler *x = a, *y = b;
    if (x->caused_wait_ns != y->caused_wait_ns)
        return x->caused_wait_ns > y->caused_wait_ns ? -1 : 1;
    if (x->last_arrivals != y->last_arrivals) return x->last_arrivals > y->last_arrivals ? -1 : 1;
    return x->trace - y->trace;
}

static void rank_stragglers(clg_recorded_job *job) {
    if (job->count > 1)
        qsort(job->stragglers, (size_t)job->count, sizeof *job->stragglers, worst_first);
    while (job->straggler_count < job->count &&
           job->stragglers[job->straggler_count].last_arrivals > 0)
        job->straggler_count++;
}

void clg_job_match(clg_arena *arena, clg_trace *traces, int count, clg_recorded_job *job) {
    if (count > 1) qsort(traces, (size_t)count, sizeof *traces, by_rank);
    *job = (clg_recorded_job){.traces = traces, .count = count, .unmatched = no_job(traces, count)};
    job->offset_ns = clg_take(arena, (size_t)count, int64_t);
    job->waiting_ns = clg_take(arena, (size_t)count, int64_t);
    job->axis = clg_arena_take(arena, (size_t)count, sizeof *job->axis);
    job->stragglers = clg_take(arena, (size_t)count, clg_straggler);
    for (int i = 0; i < count; i++) job->stragglers[i].trace = i;
    clg_matching m = {.arena = arena, .job = job};
    collect(&m);
    if (!job->unmatched) clg_align_clocks(&m);
    judge(&m);
    rank_stragglers(job);
    clg_arena_clear(&m.scratch);
    clg_job_split(job, NULL);
}
