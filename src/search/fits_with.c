/* fits_with.c -- the search again with one thing given up. */
#include "search/fits_with.h"

typedef bool change(clg_scenario *scenario, clg_space *space);

static bool narrow_moments(clg_scenario *scenario, clg_space *space) {
    (void)scenario;
    if (space->optimizer != CLG_ADAM || space->adapter.kind != CLG_ADAPTER_NONE) return false;
    space->optimizer = CLG_ADAM_8BIT;
    return true;
}

static bool no_masters(clg_scenario *scenario, clg_space *space) {
    if (!scenario->stack.precision.master_weights || space->adapter.kind != CLG_ADAPTER_NONE)
        return false;
    scenario->stack.precision.master_weights = false;
    scenario->stack.gradient = CLG_BF16;
    return space->precision != CLG_FP16; /* fp16 weights alone do not train: updates vanish */
}

static bool both(clg_scenario *scenario, clg_space *space) {
    return narrow_moments(scenario, space) && no_masters(scenario, space);
}

static bool on_host(clg_scenario *scenario, clg_space *space) {
    (void)scenario;
    if (space->offload || space->adapter.kind != CLG_ADAPTER_NONE) return false;
    return space->offload = true;
}

static bool adapt(clg_space *space, const char *kind) {
    clg_error none = {0};
    space->offload = false;
    return clg_adapter_read(kind, 0, NULL, NULL, &space->adapter, &none) == CLG_OK;
}

static bool adapters(clg_scenario *scenario, clg_space *space) {
    (void)scenario;
    return space->adapter.kind == CLG_ADAPTER_NONE && adapt(space, "lora");
}

/* Adapters as they are, beside layers of 4 bits. */
static bool narrow_base(clg_scenario *scenario, clg_space *space) {
    (void)scenario;
    if (space->adapter.kind == CLG_ADAPTER_NONE) return adapt(space, "qlora");
    if (clg_base_bytes(space->adapter.base) <= clg_base_bytes(CLG_BASE_NF4)) return false;
    space->adapter.base = CLG_BASE_NF4;
    return true;
}

static const struct {
    const char *flags, *of_adapters, *remark;
    change *make;
} changes[CLG_FITS_WITH] = {
    {"--optimizer adam8bit", NULL, "moments of 8 bit", narrow_moments},
    {"--master none --gradient bf16", NULL, "weights and moments in bf16 alone", no_masters},
    {"--optimizer adam8bit --master none --gradient bf16", NULL, "both", both},
    {"--offload", NULL, "optimizer states and update on the host", on_host},
    {"--adapter lora", NULL, "rank 16 beside the frozen model", adapters},
    {"--adapter qlora", "--base-precision nf4", "frozen layers of 4 bit", narrow_base}};

/* The fastest within the risk, else within twice as much, up to a half. */
static bool fastest(clg_arena *arena, const clg_scenario *scenario, clg_space *space,
                    clg_evaluation *plan) {
    if (clg_search_fastest(arena, scenario, space, plan)) return true;
    while (space->risk > 0 && space->risk <= 0.25) {
        space->risk *= 2;
        if (clg_search_fastest(arena, scenario, space, plan)) return true;
    }
    return false;
}

int clg_fit_with(clg_arena *arena, const clg_scenario *scenario, const clg_scenario *narrow,
                 const clg_space *space, clg_fits_with into[CLG_FITS_WITH]) {
    int count = 0;
    if (space->gpus > scenario->machine.node.gpus) return 0;
    for (int i = 0; i < CLG_FITS_WITH; i++) {
        bool of_four_bits = changes[i].make == narrow_base;
        clg_scenario other = narrow && of_four_bits ? *narrow : *scenario;
        clg_space changed = *space;
        clg_evaluation plan;
        if (!changes[i].make(&other, &changed) || !fastest(arena, &other, &changed, &plan))
            continue; /* software without it: the next one may do */
        bool tuned = space->adapter.kind != CLG_ADAPTER_NONE && changes[i].of_adapters;
        into[count++] = (clg_fits_with){.flags = tuned ? changes[i].of_adapters : changes[i].flags,
                                        .remark = changes[i].remark,
                                        .gamble = changed.risk > space->risk,
                                        .plan = plan};
    }
    return count;
}
