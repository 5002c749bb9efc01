/* networks.c -- what a network that nobody named may do to a step. */
#include "evaluate/advice.h"

#include "evaluate/compose.h"
#include "evaluate/interval.h"
#include "machine/seen.h"
#include "units/units.h"

#include <math.h>

static bool is_open(const clg_scenario *s) {
    return s->machine.fabric.assumed && s->machine.gpus > s->machine.node.domain;
}

/* Seconds of the same layout at another rate per GPU; 0: it cannot be priced. */
static double step_at(clg_arena *scratch, const clg_scenario *scenario, const clg_layout *layout,
                      double bytes_per_s) {
    clg_error error = {0};
    clg_evaluation other = {0};
    clg_scenario *narrow = clg_arena_room(scratch, 1, sizeof *narrow);
    *narrow = *scenario;
    narrow->machine.fabric.assumed = false;
    narrow->machine.fabric.gpu_bytes_per_s = bytes_per_s;
    clg_priced *priced = clg_arena_room(scratch, 1, sizeof *priced);
    if (clg_network_find(scratch, &narrow->machine, &narrow->network, &error) != CLG_OK) return 0;
    clg_price_blocks(narrow, layout, NULL, priced);
    clg_wanted step = {0};
    return clg_compose(scratch, narrow, layout, priced, step, &other, &error) == CLG_OK
               ? other.step_s
               : 0;
}

void clg_evaluate_networks(clg_arena *arena, const clg_scenario *scenario, clg_evaluation *e) {
    clg_arena scratch = clg_arena_beside(arena);
    double variance = 0, slowest_s = 0, step_s = 1;
    if (!is_open(scenario)) return;
    clg_seen seen = clg_seen_find(arena, scenario->machine.gpu.generation);
    for (int i = 0; i < seen.count && step_s > 0; i++) {
        step_s = step_at(&scratch, scenario, &e->layout, seen.bytes_per_s[i]);
        clg_arena_back_to(&scratch, (clg_arena_mark){0});
        double off = log(step_s / e->step_s);
        variance += seen.share[i] * off * off;
        if (i == 0) slowest_s = step_s;
    }
    clg_arena_clear(&scratch);
    if (seen.count == 0 || !(step_s > 0)) return;
    e->doubt.open = sqrt(variance);
    clg_evaluation_widen(e, clg_doubt_sides(&e->doubt, &scenario->stack));
    char slowest[48];
    clg_quantity_print(slowest_s, CLG_SECONDS, 3, slowest, sizeof slowest);
    const char *said = clg_arena_print(
        arena,
        "no network named: that of the reference box is taken (--fabric names another); of systems "
        "of this generation %.0f %% have %.3g Gbit/s per GPU: %s a step",
        100 * seen.share[0], seen.bytes_per_s[0] * 8e-9, slowest);
    e->caveats = e->caveats ? clg_arena_print(arena, "%s; %s", said, e->caveats) : said;
}
