/* memory_profile.c -- what torch.profiler's export_memory_timeline writes as JSON: changes one by
 * one (*.raw.json: time, action, bytes, kind), or sums at times ([times, [[0, bytes by kind]]]).
 * Numbers of actions and kinds as in torch/profiler/_memory_profiler.py. The picture that it writes
 * is not read. */
#include "record/recording.h"

#include <string.h>

typedef struct profile {
    clg_arena scratch;
    clg_memory_point *point;
    size_t count, capacity;
    int64_t of[CLG_HELD_KINDS], total_bytes, peak_bytes;
    int64_t at_peak[CLG_HELD_KINDS];
} profile;

/* More than any GPU has, so that sums cannot run over. */
static const int64_t most_bytes = INT64_C(1) << 50;

static bool number(clg_scan *s, int64_t *value) {
    clg_slice text;
    clg_scan_separators(s);
    return s->at < s->end && *s->at != '[' && *s->at != ']' &&
           clg_scan_value(s, &text) == CLG_SCAN_OK && clg_scan_decimal(text, 0, value);
}

static bool bracket(clg_scan *s, char which) {
    clg_scan_separators(s);
    if (s->at == s->end || *s->at != which) return false;
    s->at++;
    return true;
}

static void note(profile *p, int64_t at_ns) {
    if (p->total_bytes > p->peak_bytes) {
        p->peak_bytes = p->total_bytes;
        memcpy(p->at_peak, p->of, sizeof p->of);
    }
    clg_memory_point point = {at_ns, p->total_bytes};
    CLG_APPEND(&p->scratch, p->point, p->count, p->capacity, point);
}

/* [time, action, bytes, kind]; a tensor that may change its kind is taken away and added. */
static bool take_change(profile *p, clg_scan *s) {
    enum { VERSION = 3 };
    int64_t at_ns, action, bytes, kind;
    if (!number(s, &at_ns) || !number(s, &action) || !number(s, &bytes) || !number(s, &kind) ||
        !bracket(s, ']'))
        return false;
    if (kind < 0 || kind >= CLG_HELD_KINDS) kind = CLG_HELD_UNKNOWN;
    if (bytes > most_bytes || bytes < -most_bytes || at_ns > INT64_MAX / 2 || at_ns < -1)
        return false;
    int64_t now = p->of[kind] + bytes;
    if (now > most_bytes || now < -most_bytes) return false;
    p->of[kind] = now;
    p->total_bytes += bytes;
    if (action != VERSION || bytes >= 0) note(p, at_ns);
    return true;
}

static bool read_changes(profile *p, clg_scan *s) {
    while (bracket(s, '['))
        if (!take_change(p, s)) return false;
    return bracket(s, ']');
}

/* [[times], [[0, bytes of each kind]]] */
static bool read_sums(profile *p, clg_scan *s) {
    int64_t *time = NULL, value;
    size_t count = 0, capacity = 0, at = 0;
    while (number(s, &value)) CLG_APPEND(&p->scratch, time, count, capacity, value);
    if (!bracket(s, ']') || !bracket(s, '[')) return false;
    for (; at < count && bracket(s, '['); at++) {
        p->total_bytes = 0;
        if (!number(s, &value)) return false;
        for (int k = 0; k < CLG_HELD_KINDS; k++) {
            if (!number(s, &value) || value < 0 || value > most_bytes) return false;
            p->of[k] = value;
            p->total_bytes += value;
        }
        if (!bracket(s, ']')) return false;
        note(p, time[at]);
    }
    return at == count && bracket(s, ']') && bracket(s, ']');
}

/* The first change of a file of changes has four numbers; the times of the other kind are first. */
static bool are_changes(clg_scan s) {
    int64_t value;
    int count = 0;
    bracket(&s, '[');
    while (count <= 4 && number(&s, &value)) count++;
    return count == 4 && bracket(&s, ']') && (bracket(&s, '[') ? number(&s, &value) : true);
}

/* What was there before has no time: it gets the first that there is. */
static void give_times(profile *p) {
    size_t first = 0;
    while (first < p->count && p->point[first].at_ns < 0) first++;
    int64_t at_ns = first < p->count ? p->point[first].at_ns : 0;
    for (size_t i = 0; i < first; i++) p->point[i].at_ns = at_ns;
    if (first > 1) { /* one point for all of it: the last */
        memmove(p->point, p->point + first - 1, (p->count - first + 1) * sizeof *p->point);
        p->count -= first - 1;
    }
}

static bool read_profile(profile *p, clg_slice data) {
    clg_scan s = {data.text, data.text + data.size};
    if (!bracket(&s, '[')) return false;
    if (are_changes(s)) return read_changes(p, &s);
    return bracket(&s, '[') && read_sums(p, &s);
}

/* ---- as a reader ---- */

/* [[ and a number */
static bool probe(clg_slice head) {
    clg_scan s = {head.text, head.text + head.size};
    int64_t value;
    return bracket(&s, '[') && bracket(&s, '[') && number(&s, &value) && number(&s, &value);
}

static clg_status read(clg_recording *into, clg_trace_source source, const clg_csv *kernels) {
    (void)kernels;
    clg_arena text = {0};
    clg_slice data = clg_source_whole(&text, source);
    profile *p = clg_take(&text, 1, profile);
    bool whole = read_profile(p, data);
    bool found = p->count > 0;
    if (found) {
        give_times(p);
        clg_memory_use use = clg_memory_use_of(p->point, p->count);
        use.file = into->file;
        use.rank = clg_trace_rank_of_name(into->file);
        use.kinds = p->peak_bytes == use.peak_bytes;
        memcpy(use.at_peak, p->at_peak, sizeof use.at_peak);
        CLG_APPEND(&into->arena, into->memory.use, into->memory.count, into->memory.capacity, use);
    }
    clg_arena_clear(&p->scratch);
    clg_arena_clear(&text);
    if (found && whole) return CLG_OK;
    into->memory.count = 0;
    return clg_recording_refuse(into, "export it again", "a memory timeline that breaks off");
}

const clg_reader clg_reader_memory_profile = {"memory profile", probe, read};
