/* disaggregate.c -- first tokens here, the others there: batching's two pools as one replica. */
#include "serve/replica.h"

#include <math.h>

static void add(clg_serve_totals *sum, const clg_serve_totals *t, double gpus) {
    sum->busy_s += t->busy_s * gpus;
    sum->prefilled_tokens += t->prefilled_tokens;
    sum->cached_tokens += t->cached_tokens;
    sum->read_tokens += t->read_tokens;
    sum->iterations += t->iterations;
    sum->events += t->events;
    sum->preemptions += t->preemptions;
    sum->end_s = fmax(sum->end_s, t->end_s);
}

/* Tokens through and when, where the batch is as full as it gets. */
static void add_marks(clg_serve_totals *sum, const clg_serve_totals *t, int64_t parts) {
    sum->warm_s += t->warm_s / (double)parts;
    sum->full_s += t->full_s / (double)parts;
    sum->warm_tokens += t->warm_tokens;
    sum->full_tokens += t->full_tokens;
    sum->sequence_s += t->sequence_s;
    sum->made_tokens += t->made_tokens;
}

static void add_pools(const clg_replica *r, const clg_pools *pools, clg_serve_totals *sum) {
    double decoding_s = 0;
    *sum = (clg_serve_totals){0};
    for (int k = 0; k < pools->prompts.lanes; k++)
        add(sum, &pools->prompts.totals[k], clg_replica_part_gpus(r->prefill));
    for (int k = 0; k < pools->answers.lanes; k++) {
        const clg_serve_totals *t = &pools->answers.totals[k];
        add(sum, t, clg_replica_part_gpus(r));
        add_marks(sum, t, pools->answers.lanes);
        decoding_s += t->busy_s;
    }
    sum->sequence_s = decoding_s > 0 ? sum->sequence_s / decoding_s : 0; /* mean batch */
}

static void settle(const clg_replica *r, const clg_demand *d, const clg_served *served,
                   clg_serve_totals *t) {
    t->begin_s = d->count > 0 ? served[0].arrival_s + r->prefill->rules.front.before_s : 0;
    t->busy_s /= clg_replica_gpus(r);
    t->sequence_s *= t->busy_s;
    t->idle_s = t->end_s - t->begin_s - t->busy_s;
    for (int64_t i = 0; i < d->count; i++) {
        bool refused = served[i].finish_s < 0;
        t->refused += refused;
        t->finished += !refused;
        t->prompt_tokens += refused ? 0 : d->request[i].prompt_tokens;
        t->output_tokens += refused ? 0 : d->request[i].output_tokens;
    }
}

static void serve_apart(clg_arena *arena, const clg_replica *r, const clg_demand *d,
                        clg_served *served, clg_serve_totals *totals) {
    clg_serve_rules first = r->prefill->rules, rest = r->rules;
    first.clients = rest.clients = 0;
    rest.prefilled = true;
    rest.front.before_s = 0;
    clg_pools pools = {.prompts = {&r->prefill->cost, &first, r->prefills,
                                   clg_take(arena, (size_t)r->prefills, clg_serve_totals)},
                       .answers = {&r->cost, &rest, r->decodes,
                                   clg_take(arena, (size_t)r->decodes, clg_serve_totals)},
                       .clients = r->rules.clients,
                       .transfer_s = r->transfer_s,
                       .transfer_token_s = r->transfer_token_s};
    clg_pools_simulate(arena, &pools, d, served);
    add_pools(r, &pools, totals);
    settle(r, d, served, totals);
}

void clg_replica_serve(clg_arena *arena, const clg_replica *r, const clg_demand *d,
                       clg_served *served, clg_serve_totals *totals) {
    if (!r->prefill) {
        clg_serve_simulate(arena, &r->cost, &r->rules, d, 0, 1, served, totals);
        return;
    }
    clg_arena_mark mark = clg_arena_here(arena);
    serve_apart(arena, r, d, served, totals);
    clg_arena_back_to(arena, mark);
}

/* The cache of a prompt goes over as many links as the smaller side has GPUs, after the prefill. */
void clg_replica_disaggregate(clg_replica *r, clg_replica *prefill, int prefills, int decodes) {
    const clg_scenario *s = r->scenario;
    int links = clg_replica_part_gpus(r), other = clg_replica_part_gpus(prefill);
    if (other < links) links = other;
    clg_group pair = clg_machine_group(&s->machine, 2, other);
    double bytes = r->room.cache_bytes_per_token * r->layout.tp * r->layout.pp / links, nothing,
           much;
    double tokens = 4096; /* long enough for the rate, short enough to be a prompt */
    clg_collective_best(&s->network, CLG_SEND_RECEIVE, pair, 1, &nothing);
    clg_collective_best(&s->network, CLG_SEND_RECEIVE, pair, bytes * tokens, &much);
    double state = r->room.state_bytes * r->layout.tp * r->layout.pp / links;
    r->transfer_s = nothing + (bytes > 0 ? state / bytes * (much - nothing) / tokens : 0);
    r->transfer_token_s = (much - nothing) / tokens;
    if (prefill->engine.plain_graphs > 0) prefill->cost.graph_tokens = 0;
    r->prefill = prefill;
    r->prefills = prefills;
    r->decodes = decodes;
}
