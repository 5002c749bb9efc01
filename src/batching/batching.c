/* batching.c -- speculation: lengths in units of what an iteration gains. */
#include "batching/lane.h"

#include <math.h>

clg_arrival clg_request_in_units(const clg_arrival *request, double unit) {
    clg_arrival q = *request;
    q.prompt_tokens = (int32_t)ceil(q.prompt_tokens / unit);
    q.output_tokens = 1 + (int32_t)ceil((q.output_tokens - 1) / unit);
    return q;
}

/* Lengths in units of what an iteration gains. */
static clg_demand in_units(clg_arena *arena, const clg_demand *d, double unit) {
    clg_demand scaled = *d;
    scaled.request = clg_take(arena, (size_t)d->count + 1, clg_arrival);
    for (int64_t i = 0; i < d->count; i++)
        scaled.request[i] = clg_request_in_units(&d->request[i], unit);
    return scaled;
}

clg_iteration_cost clg_cost_in_units(const clg_iteration_cost *c) {
    clg_iteration_cost cost = *c;
    if (c->drafted <= 0) return cost;
    cost.context_s *= c->gained;
    cost.mixed_s *= c->gained;
    cost.context_pad /= c->gained;
    cost.pair_s *= c->gained * c->gained;
    cost.scan_s *= c->gained;
    cost.graph_context = (int64_t)ceil((double)c->graph_context / c->gained);
    return cost;
}

clg_serve_rules clg_rules_in_units(const clg_serve_rules *r, double unit) {
    clg_serve_rules rules = *r;
    if (unit == 1.0) return rules;
    double tokens = (double)r->blocks * r->block_tokens / unit;
    rules.block_tokens = (int)fmax(1, floor(r->block_tokens / unit));
    rules.blocks = (int64_t)(tokens / rules.block_tokens);
    rules.front.token_s *= unit;
    rules.late_token_s *= unit;
    rules.front.prompt_token_s *= unit;
    rules.read_token_s *= unit;
    rules.host_tokens /= unit;
    rules.unit_tokens = unit;
    rules.wait_tokens = (int64_t)ceil((double)r->wait_tokens / unit);
    return rules;
}

static int64_t scaled_by(int64_t units, double ratio) {
    return (int64_t)((double)units * ratio + 0.5);
}

/* Totals in tokens again, those of the finished exact. */
void clg_totals_in_tokens(const clg_demand *d, int64_t first, int64_t stride,
                          const clg_served *served, double unit, clg_serve_totals *t) {
    int64_t units = t->output_tokens;
    t->prompt_tokens = t->output_tokens = 0;
    for (int64_t i = first; i < d->count; i += stride) {
        if (served[i].finish_s < 0) continue;
        t->prompt_tokens += d->request[i].prompt_tokens;
        t->output_tokens += d->request[i].output_tokens;
    }
    double ratio = units > 0 ? (double)t->output_tokens / (double)units : unit;
    t->made_tokens = scaled_by(t->made_tokens, ratio);
    t->warm_tokens = scaled_by(t->warm_tokens, ratio);
    t->full_tokens = scaled_by(t->full_tokens, ratio);
    t->prefilled_tokens = scaled_by(t->prefilled_tokens, unit);
    t->cached_tokens = scaled_by(t->cached_tokens, unit);
    t->read_tokens = scaled_by(t->read_tokens, unit);
}

void clg_serve_simulate(clg_arena *arena, const clg_iteration_cost *cost,
                        const clg_serve_rules *rules, const clg_demand *demand, int64_t first,
                        int64_t stride, clg_served *served, clg_serve_totals *totals) {
    if (cost->drafted <= 0) {
        clg_lane_run(arena, cost, rules, demand, first, stride, served, totals);
        return;
    }
    clg_arena_mark mark = clg_arena_here(arena);
    clg_demand scaled = in_units(arena, demand, cost->gained);
    clg_iteration_cost unit_cost = clg_cost_in_units(cost);
    clg_serve_rules unit_rules = clg_rules_in_units(rules, cost->gained);
    clg_lane_run(arena, &unit_cost, &unit_rules, &scaled, first, stride, served, totals);
    clg_totals_in_tokens(demand, first, stride, served, cost->gained, totals);
    clg_arena_back_to(arena, mark);
}
