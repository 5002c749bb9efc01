/* rates.c -- FLOPs of shapes over time and over peak. */
#include "trace/rates.h"

#include "calibrate/samples.h"
#include "machine/machine.h"

double clg_trace_peak_flop_per_s(const char *gpu, clg_precision precision) {
    const char *name = gpu ? clg_samples_gpu(gpu) : NULL;
    clg_arena scratch = {0};
    clg_error ignored = {0};
    clg_gpu found;
    double peak = 0;
    if (name && clg_gpu_find(&scratch, name, &found, &ignored) == CLG_OK)
        peak = found.peak_flop_per_s[precision];
    clg_arena_clear(&scratch);
    return peak;
}

clg_trace_rate clg_trace_rate_of(const clg_trace *t) {
    clg_trace_rate rate = {-1, -1, -1, -1};
    double flop = 0, busy_s = 0, span_s = (double)t->ledger.span_ns * 1e-9;
    bool known = true;
    for (int p = 0; p < CLG_PRECISIONS; p++) {
        if (t->flop[p] <= 0) continue;
        double peak = clg_trace_peak_flop_per_s(t->gpu, (clg_precision)p);
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

double clg_trace_efficiency(const char *gpu, const clg_trace_kernel *k) {
    double peak = k->flop_ns > 0 ? clg_trace_peak_flop_per_s(gpu, (clg_precision)k->precision) : 0;
    return peak > 0 ? k->flop / ((double)k->flop_ns * 1e-9) / peak : -1;
}
