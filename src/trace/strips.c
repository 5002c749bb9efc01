/* strips.c -- bins of a sweep. */
#include "trace/strips.h"

#include "record/ns.h"
#include "trace/parts.h"

enum { MOST_CELLS = 40000, LEAST_BINS = 100, MOST_BINS = 8000 };

static clg_span extent(const clg_recorded_job *job) {
    clg_span all = {INT64_MAX, INT64_MIN};
    for (int i = 0; i < job->count; i++) {
        const clg_ledger *l = &job->traces[i].ledger;
        if (l->span_ns == 0) continue;
        int64_t start_ns = clg_ns_minus(l->start_ns, job->offset_ns[i]);
        int64_t end_ns = clg_ns_plus(start_ns, l->span_ns);
        if (start_ns < all.start_ns) all.start_ns = start_ns;
        if (end_ns > all.end_ns) all.end_ns = end_ns;
    }
    return all;
}

static uint8_t most_of(const clg_sweep_sum *s) {
    int64_t ns[CLG_STRIP_KINDS] = {[CLG_STRIP_COMPUTE] = s->own_ns[CLG_PART_COMPUTE],
                                   [CLG_STRIP_COPY] = s->own_ns[CLG_PART_COPY],
                                   [CLG_STRIP_IDLE] = s->none_ns};
    int most = CLG_STRIP_IDLE;
    for (int a = 0; a < CLG_SPLITS; a++) {
        ns[CLG_STRIP_TRANSFER] += s->own_ns[CLG_PART_TRANSFER + a];
        ns[CLG_STRIP_WAITING] += s->own_ns[CLG_PART_WAITING + a];
    }
    for (int k = 0; k < CLG_STRIP_KINDS; k++)
        if (ns[k] > ns[most]) most = k;
    return (uint8_t)most;
}

static void fill(clg_arena *scratch, const clg_trace *t, int64_t start_ns, const clg_strips *s,
                 uint8_t *strip) {
    size_t count, bins = (size_t)s->bins;
    clg_span *spans = clg_take(scratch, bins + 1, clg_span);
    clg_sweep_sum *sums = clg_take(scratch, bins + 1, clg_sweep_sum);
    const clg_sweep_part *parts = clg_parts_of(scratch, t, NULL, &count);
    for (size_t i = 0; i < bins; i++) {
        int64_t from_ns = clg_ns_plus(start_ns, (int64_t)i * s->bin_ns);
        spans[i] = (clg_span){from_ns, clg_ns_plus(from_ns, s->bin_ns)};
    }
    clg_sweep_spans(scratch, parts, count, spans, bins, sums);
    for (size_t i = 0; i < bins; i++) strip[i] = most_of(&sums[i]);
}

clg_strips clg_job_strips(clg_arena *arena, const clg_recorded_job *job) {
    clg_strips s = {0};
    clg_span all = extent(job);
    if (all.end_ns <= all.start_ns) return s;
    int bins = MOST_CELLS / job->count;
    bins = bins < LEAST_BINS ? LEAST_BINS : bins > MOST_BINS ? MOST_BINS : bins;
    int64_t span_ns = clg_ns_minus(all.end_ns, all.start_ns);
    s.bin_ns = span_ns / bins + (span_ns % bins != 0);
    s.bins = (int)(span_ns / s.bin_ns) + (span_ns % s.bin_ns != 0);
    s.strip = clg_take(arena, (size_t)job->count * (size_t)s.bins, uint8_t);
    clg_arena scratch = {0};
    for (int i = 0; i < job->count; i++) {
        clg_arena_mark mark = clg_arena_here(&scratch);
        fill(&scratch, &job->traces[i], clg_ns_plus(all.start_ns, job->offset_ns[i]), &s,
             s.strip + (size_t)i * (size_t)s.bins);
        clg_arena_back_to(&scratch, mark);
    }
    clg_arena_clear(&scratch);
    return s;
}
