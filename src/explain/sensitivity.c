/* sensitivity.c -- each resource a tenth better, the same layout priced again. */
#include "explain/sensitivity.h"

#include <math.h>

static const double MORE = 1.1;

static void more_tensor(clg_scenario *s) {
    for (int p = 0; p < CLG_PRECISIONS; p++) s->machine.gpu.peak_flop_per_s[p] *= MORE;
}

static void more_hbm(clg_scenario *s) { s->machine.gpu.hbm_bytes_per_s *= MORE; }

static void more_link(clg_scenario *s) {
    s->machine.node.link_bytes_per_s *= MORE;
    s->machine.gpu.fast_link_bytes_per_s *= MORE;
}

static void more_fabric(clg_scenario *s) {
    s->machine.fabric.bytes_per_s *= MORE;
    s->machine.fabric.gpu_bytes_per_s *= MORE;
    s->machine.node.nic_bytes_per_s *= MORE;
}

/* Of the network itself: its latencies come from curves, not from node and fabric. */
static void less_latency(clg_scenario *s) {
    s->network.base_s /= MORE;
    s->network.base_slow_s /= MORE;
    s->network.fast.latency_s /= MORE;
    s->network.slow.latency_s /= MORE;
}

static void faster_host(clg_scenario *s) {
    s->stack.host.launch_s /= MORE;
    s->stack.host.step_s /= MORE;
    s->stack.host.micro_batch_s /= MORE;
}

static void steadier(clg_scenario *s) { s->stack.sigma.jitter /= MORE; }

clg_status clg_sensitivities(clg_arena *arena, const clg_scenario *scenario,
                             const clg_layout *layout, clg_sensitivity into[CLG_RESOURCES],
                             clg_error *error) {
    static const struct {
        const char *name;
        void (*better)(clg_scenario *scenario);
        bool derived; /* changes what clg_scenario_prepare makes */
    } resources[CLG_RESOURCES] = {{"tensor-core rate", more_tensor, false},
                                  {"HBM bandwidth", more_hbm, false},
                                  {"NVLink or xGMI bandwidth", more_link, false},
                                  {"fabric bandwidth", more_fabric, false},
                                  {"latency of links and fabric", less_latency, true},
                                  {"speed of the host", faster_host, false},
                                  {"steadiness (less jitter)", steadier, false}};
    clg_evaluation now, then;
    if (clg_evaluate(arena, scenario, layout, false, NULL, &now, error) != CLG_OK)
        return error->status;
    for (int i = 0; i < CLG_RESOURCES; i++) {
        clg_scenario better = *scenario;
        if (!resources[i].derived) resources[i].better(&better);
        if (clg_scenario_prepare(arena, &better, error) != CLG_OK) return error->status;
        if (resources[i].derived) resources[i].better(&better);
        if (clg_evaluate(arena, &better, layout, false, NULL, &then, error) != CLG_OK)
            return error->status;
        into[i] = (clg_sensitivity){resources[i].name, log(now.step_s / then.step_s) / log(MORE)};
    }
    return CLG_OK;
}
