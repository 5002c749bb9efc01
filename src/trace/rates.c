/* rates.c -- FLOPs of shapes over time and over peak. */
#include "trace/rates.h"

#include "machine/machine.h"
#include "record/ns.h"

#include <stdlib.h>

/* Dense peak of the GPU that a trace names, from data/gpu; 0: no such GPU or precision. */
static double peak_flop_per_s(const char *gpu, clg_precision precision) {
    clg_arena scratch = {0};
    clg_error ignored = {0};
    clg_gpu found;
    double peak = 0;
    if (gpu && *gpu && clg_gpu_find(&scratch, gpu, &found, &ignored) == CLG_OK)
        peak = found.peak_flop_per_s[precision];
    clg_arena_clear(&scratch);
    return peak;
}

int64_t clg_trace_wall_ns(const clg_trace *t) {
    return t->steps_ns > t->ledger.span_ns && t->ledger.span_ns > 0 ? t->steps_ns
                                                                    : t->ledger.span_ns;
}

clg_trace_rate clg_trace_rate_of(const clg_trace *t) {
    clg_trace_rate rate = {-1, -1, -1, -1};
    double flop = 0, busy_s = 0, span_s = (double)clg_trace_wall_ns(t) * 1e-9;
    bool known = true;
    for (int p = 0; p < CLG_PRECISIONS; p++) {
        if (t->flop[p] <= 0) continue;
        double peak = peak_flop_per_s(t->gpu, (clg_precision)p);
        flop += t->flop[p];
        known = known && peak > 0;
        busy_s += peak > 0 ? t->flop[p] / peak : 0;
    }
    if (t->product_ns > 0) rate.priced = (double)t->priced_ns / (double)t->product_ns;
    if (flop <= 0 || span_s <= 0) return rate;
    rate.flop = flop;
    rate.flop_per_s = flop / span_s;
    if (known && rate.priced >= CLG_TRACE_PRICED_LEAST) rate.utilization = busy_s / span_s;
    return rate;
}

static int by_number(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Whether a launch is among those, in order, more than once. */
static bool several(const int32_t *launch, size_t count, int32_t wanted) {
    const int32_t *found = bsearch(&wanted, launch, count, sizeof *launch, by_number);
    return found && ((found > launch && found[-1] == wanted) ||
                     (found + 1 < launch + count && found[1] == wanted));
}

clg_trace_unpriced clg_trace_unpriced_of(const clg_trace *t) {
    clg_trace_unpriced u = {0};
    clg_arena scratch = {0};
    int64_t longest_ns = 0;
    size_t count = 0;
    int32_t *launch = clg_take(&scratch, t->timeline.count + 1, int32_t);
    for (size_t i = 0; i < t->timeline.count; i++)
        if (t->timeline.events[i].detail >= 0) launch[count++] = t->timeline.events[i].detail;
    if (count) qsort(launch, count, sizeof *launch, by_number);
    for (size_t i = 0; i < t->timeline.count; i++) {
        const clg_event *e = &t->timeline.events[i];
        if (e->detail >= 0 && t->kernels[e->name].product && several(launch, count, e->detail))
            u.graph_ns = clg_ns_plus(u.graph_ns, e->duration_ns);
    }
    for (uint32_t i = 0; i < t->timeline.name_count; i++) {
        int64_t left_ns =
            t->kernels[i].product ? t->kernels[i].total_ns - t->kernels[i].flop_ns : 0;
        if (left_ns <= longest_ns) continue;
        longest_ns = left_ns;
        u.longest = t->timeline.names[i];
    }
    clg_arena_clear(&scratch);
    return u;
}

double clg_trace_efficiency(const char *gpu, const clg_trace_kernel *k) {
    double peak = k->flop_ns > 0 ? peak_flop_per_s(gpu, (clg_precision)k->precision) : 0;
    return peak > 0 ? k->flop / ((double)k->flop_ns * 1e-9) / peak : -1;
}
