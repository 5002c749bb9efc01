/* disaggregate.c -- first tokens here, the others there.
 *
 * Prompts are dealt in turn over the prefill replicas; what they computed is sent, and dealt in
 * turn over the decode replicas. The first token reaches the client when its sequence is admitted
 * there.
 *
 * In a closed loop arrivals depend on answers. Both pools are simulated again with arrivals from
 * the answers before, until these no longer move: nothing acts before its cause, so every pass
 * makes at least one more answer exact, and in most cases a whole round of the clients. */
#include "serve/replica.h"

#include <math.h>
#include <stdlib.h>

static const double settled_s = 1e-6;

/* A request on its way: when, and which of the demand. */
typedef struct passage {
    double when_s;
    int64_t request;
} passage;

typedef struct pools {
    clg_arena *arena;
    const clg_replica *replica;
    const clg_demand *demand; /* of this replica alone */
    clg_demand prompts, answers;
    clg_served *first, *rest; /* in order of arrival at each pool */
    passage *order;
    double *arrival_s, *finish_s; /* by request; finish < 0: refused */
    clg_serve_totals *sum;
} pools;

static int by_time(const void *a, const void *b) {
    const passage *x = a, *y = b;
    if (x->when_s != y->when_s) return x->when_s < y->when_s ? -1 : 1;
    return (x->request > y->request) - (x->request < y->request);
}

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

static void serve_prompts(pools *p) {
    const clg_replica *part = p->replica->prefill;
    clg_serve_rules rules = part->rules;
    rules.clients = 0;
    for (int64_t i = 0; i < p->demand->count; i++) {
        int64_t id = p->order[i].request;
        p->prompts.request[i] = p->demand->request[id];
        p->prompts.request[i].arrival_s = p->order[i].when_s;
        p->prompts.request[i].output_tokens = 1;
    }
    for (int k = 0; k < p->replica->prefills; k++) {
        clg_serve_totals t;
        clg_serve_simulate(p->arena, &part->cost, &rules, &p->prompts, k, p->replica->prefills,
                           p->first, &t);
        add(p->sum, &t, clg_replica_part_gpus(part));
    }
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

static void serve_answers(pools *p, int64_t count) {
    const clg_replica *r = p->replica;
    clg_serve_rules rules = r->rules;
    rules.clients = 0;
    rules.prefilled = true;
    rules.before_s = 0;
    for (int64_t i = 0; i < count; i++) {
        p->answers.request[i] = p->demand->request[p->order[i].request];
        p->answers.request[i].arrival_s = p->order[i].when_s;
    }
    p->answers.count = count;
    double busy = p->sum->busy_s;
    for (int k = 0; k < r->decodes; k++) {
        clg_serve_totals t;
        clg_serve_simulate(p->arena, &r->cost, &rules, &p->answers, k, r->decodes, p->rest, &t);
        add(p->sum, &t, clg_replica_part_gpus(r));
        add_marks(p->sum, &t, r->decodes);
    }
    double decoding = (p->sum->busy_s - busy) / (r->decodes * clg_replica_part_gpus(r));
    p->sum->sequence_s = decoding > 0 ? p->sum->sequence_s / decoding : 0; /* mean batch */
}

/* Arrivals in, answers out. */
static void pass(pools *p, clg_served *served) {
    const clg_replica *r = p->replica;
    int64_t n = p->demand->count, sent = 0;
    *p->sum = (clg_serve_totals){0};
    for (int64_t i = 0; i < n; i++) p->order[i] = (passage){p->arrival_s[i], i};
    qsort(p->order, (size_t)n, sizeof *p->order, by_time);
    serve_prompts(p);
    for (int64_t i = 0; i < n; i++) {
        passage here = p->order[i];
        served[here.request] = (clg_served){p->arrival_s[here.request], -1, -1};
        p->finish_s[here.request] = -1;
        if (p->first[i].finish_s < 0) continue;
        double tokens = p->demand->request[here.request].prompt_tokens;
        here.when_s = p->first[i].first_token_s + r->transfer_s + tokens * r->transfer_token_s;
        p->order[sent++] = here;
    }
    qsort(p->order, (size_t)sent, sizeof *p->order, by_time);
    serve_answers(p, sent);
    for (int64_t i = 0; i < sent; i++) {
        int64_t id = p->order[i].request;
        served[id].first_token_s = p->rest[i].first_token_s;
        served[id].finish_s = p->finish_s[id] = p->rest[i].finish_s;
    }
}

/* New arrivals of a closed loop; how far the farthest moved. */
static double ask_again(pools *p, int64_t clients) {
    int64_t n = p->demand->count, done = 0;
    double moved = 0;
    for (int64_t i = 0; i < n; i++)
        p->order[done++] = (passage){fmax(p->finish_s[i], p->arrival_s[i]), i};
    qsort(p->order, (size_t)done, sizeof *p->order, by_time);
    for (int64_t i = clients; i < n; i++) {
        double when = p->order[i - clients].when_s;
        moved = fmax(moved, fabs(when - p->arrival_s[i]));
        p->arrival_s[i] = when;
    }
    return moved;
}

static void settle(pools *p, const clg_served *served) {
    clg_serve_totals *t = p->sum;
    const clg_replica *r = p->replica;
    t->begin_s = p->demand->count > 0 ? p->arrival_s[0] + r->prefill->rules.before_s : 0;
    t->busy_s /= clg_replica_gpus(r);
    t->sequence_s *= t->busy_s;
    t->idle_s = t->end_s - t->begin_s - t->busy_s;
    for (int64_t i = 0; i < p->demand->count; i++) {
        bool refused = served[i].finish_s < 0;
        t->refused += refused;
        t->finished += !refused;
        t->prompt_tokens += refused ? 0 : p->demand->request[i].prompt_tokens;
        t->output_tokens += refused ? 0 : p->demand->request[i].output_tokens;
    }
}

static clg_demand room_for(clg_arena *arena, const clg_demand *d) {
    clg_demand room = *d;
    room.request = clg_take(arena, (size_t)d->count + 1, clg_arrival);
    return room;
}

static void serve(clg_arena *arena, const clg_replica *r, const clg_demand *d, clg_served *served,
                  clg_serve_totals *totals) {
    size_t n = (size_t)d->count + 1;
    pools p = {.arena = arena,
               .replica = r,
               .demand = d,
               .prompts = room_for(arena, d),
               .answers = room_for(arena, d),
               .first = clg_take(arena, n, clg_served),
               .rest = clg_take(arena, n, clg_served),
               .order = clg_take(arena, n, passage),
               .arrival_s = clg_take(arena, n, double),
               .finish_s = clg_take(arena, n, double),
               .sum = totals};
    int64_t clients = r->rules.clients;
    for (int64_t i = 0; i < d->count; i++)
        p.arrival_s[i] = d->request[clients > 0 && !d->apart ? 0 : i].arrival_s;
    pass(&p, served);
    int64_t passes = clients > 0 ? d->count : 0;
    for (int64_t i = 0; i < passes && ask_again(&p, clients) > settled_s; i++) pass(&p, served);
    settle(&p, served);
}

void clg_replica_serve(clg_arena *arena, const clg_replica *r, const clg_demand *d, int64_t first,
                       int64_t stride, clg_served *served, clg_serve_totals *totals) {
    if (!r->prefill) {
        clg_serve_simulate(arena, &r->cost, &r->rules, d, first, stride, served, totals);
        return;
    }
    clg_arena_mark mark = clg_arena_here(arena);
    clg_demand own = clg_demand_dealt(arena, d, first, stride);
    clg_served *of_own = clg_take(arena, (size_t)own.count + 1, clg_served);
    serve(arena, r, &own, of_own, totals);
    for (int64_t i = 0; i < own.count; i++) served[first + i * stride] = of_own[i];
    clg_arena_back_to(arena, mark);
}

/* The cache of a prompt goes over as many links as the smaller side has GPUs, after the prefill. */
void clg_replica_disaggregate(clg_replica *r, const clg_replica *prefill, int prefills,
                              int decodes) {
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
    r->prefill = prefill;
    r->prefills = prefills;
    r->decodes = decodes;
}
