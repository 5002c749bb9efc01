/* pools.c -- two pools at once: prompts are computed in one, sent, and answered in the other.
 *
 * Each replica is a lane that is taken from event to event. What comes first of all happens next:
 * a request is asked, a prompt arrives where it is answered, or the lane moves that could let one
 * through soonest. So no lane looks at arrivals that are not known yet, and a client of a closed
 * loop asks again in time order (conservative simulation: Chandy and Misra 1979).
 *
 * The first token reaches the client when its sequence is admitted where it is answered. */
#include "batching/lane.h"

/* Who is on the way, earliest first. */
typedef struct passage {
    double when_s;
    int64_t request;
} passage;

typedef struct queue {
    passage *item;
    int64_t count;
} queue;

/* One lane, in its own units; its requests by number and as asked. */
typedef struct port {
    clg_lane lane;
    clg_iteration_cost cost;
    clg_serve_rules rules;
    clg_demand asked, scaled;
    double unit, next_s; /* next_s: before then nobody gets through */
    int64_t *request;
    bool open;
} port;

typedef struct pair {
    clg_arena *arena;
    const clg_pools *pools;
    const clg_demand *demand;
    clg_served *served;
    port *prompts, *answers;
    queue asks, sent;
    int64_t asked, dealt, through;
} pair;

static bool before(passage a, passage b) {
    return a.when_s != b.when_s ? a.when_s < b.when_s : a.request < b.request;
}

static void put(queue *q, passage p) {
    int64_t at = q->count++;
    for (int64_t up; at > 0 && before(p, q->item[up = (at - 1) / 2]); at = up)
        q->item[at] = q->item[up];
    q->item[at] = p;
}

static passage take(queue *q) {
    passage first = q->item[0], last = q->item[--q->count];
    int64_t at = 0;
    for (int64_t least; (least = 2 * at + 1) < q->count; at = least) {
        if (least + 1 < q->count && before(q->item[least + 1], q->item[least])) least++;
        if (!before(q->item[least], last)) break;
        q->item[at] = q->item[least];
    }
    q->item[at] = last;
    return first;
}

static double head_s(const queue *q) { return q->count > 0 ? q->item[0].when_s : INFINITY; }

/* No earlier does a sequence that decodes finish: others that come make it later. */
static double decoded_s(const clg_lane *r) {
    int64_t steps = r->heap[0].finish_step - r->step, taken;
    clg_pace p = clg_lane_pace_of(r, &steps);
    int64_t possible = clg_lane_steps_with_blocks(r, steps, &taken);
    return r->now_s + clg_lane_stretch_s(p, (double)(possible > 0 ? possible : 1));
}

/* Before then the lane lets nobody through, and what has arrived by then decides how it goes on. */
static double next_of(const clg_lane *r) {
    bool prompts =
        clg_lane_any_partial(r) || clg_lane_next_read(r) != CLG_NOBODY || clg_lane_admissible(r);
    if (prompts || (r->decoding == 0 && clg_lane_anybody_waits(r))) return r->now_s;
    double arrival_s = clg_larger(clg_lane_next_arrival_s(r), clg_lane_seen_s(r));
    double other_s = clg_smaller(arrival_s, clg_lane_next_read_s(r));
    return r->decoding > 0 ? clg_smaller(decoded_s(r), other_s) : other_s;
}

/* Of so many requests that are dealt in turn. */
static int64_t share_of(int64_t requests, int lane, int lanes) {
    return lane < requests ? (requests - lane + lanes - 1) / lanes : 0;
}

/* What a run before left in the cache is there when the lane opens, before it is asked again: dealt
 * as now, which a router that goes on in turn does where the runs' requests divide evenly. */
static void tell_seen(const clg_pool *pool, int lane, const clg_demand *d, port *p) {
    p->rules.prompts_seen = share_of(pool->rules->prompts_seen, lane, pool->lanes);
    for (int64_t i = 0; i < p->rules.prompts_seen && i < p->scaled.count; i++)
        p->scaled.request[i] = clg_request_in_units(&d->request[lane + i * pool->lanes], p->unit);
}

static void make_port(clg_arena *arena, const clg_pool *pool, int lane, const clg_demand *d,
                      port *p) {
    int64_t n = share_of(d->count, lane, pool->lanes);
    p->unit = pool->cost->drafted > 0 ? pool->cost->gained : 1;
    p->cost = clg_cost_in_units(pool->cost);
    p->rules = clg_rules_in_units(pool->rules, p->unit);
    p->asked = p->scaled = *d;
    p->asked.count = p->scaled.count = n;
    p->asked.request = clg_take(arena, (size_t)n + 1, clg_arrival);
    p->scaled.request = clg_take(arena, (size_t)n + 1, clg_arrival);
    p->request = clg_take(arena, (size_t)n + 1, int64_t);
    p->next_s = INFINITY;
    tell_seen(pool, lane, d, p);
    p->lane = (clg_lane){.cost = &p->cost,
                         .rules = &p->rules,
                         .demand = &p->scaled,
                         .requests = {.stride = 1, .count = n},
                         .served = clg_take(arena, (size_t)n + 1, clg_served),
                         .totals = &pool->totals[lane],
                         .through = clg_take(arena, (size_t)n + 1, int64_t)};
    pool->totals[lane] = (clg_serve_totals){0};
}

static port *make_ports(clg_arena *arena, const clg_pool *pool, const clg_demand *d) {
    port *list = clg_take(arena, (size_t)pool->lanes, port);
    for (int i = 0; i < pool->lanes; i++) make_port(arena, pool, i, d, &list[i]);
    return list;
}

/* Tells a lane of its next request. */
static void hand_to(clg_arena *arena, port *p, const clg_arrival *q, int64_t request) {
    int64_t at = p->lane.requests.known++;
    p->asked.request[at] = *q;
    p->scaled.request[at] = clg_request_in_units(q, p->unit);
    p->request[at] = request;
    if (!p->open) clg_lane_open(arena, &p->lane);
    p->open = true;
    p->next_s = next_of(&p->lane);
}

/* The next that is asked; the prompt alone. */
static void ask(pair *p) {
    int64_t id = p->asked++;
    clg_arrival q = p->demand->request[id];
    q.arrival_s = take(&p->asks).when_s;
    q.output_tokens = 1;
    p->served[id] = (clg_served){q.arrival_s, -1, -1};
    hand_to(p->arena, &p->prompts[id % p->pools->prompts.lanes], &q, id);
}

static void arrive(pair *p) {
    passage here = take(&p->sent);
    clg_arrival q = p->demand->request[here.request];
    q.arrival_s = here.when_s;
    hand_to(p->arena, &p->answers[p->dealt++ % p->pools->answers.lanes], &q, here.request);
}

static void end(pair *p, double when_s) {
    p->through++;
    if (p->pools->clients > 0 && p->asked + p->asks.count < p->demand->count)
        put(&p->asks, (passage){when_s, 0});
}

/* A prompt is computed: it is sent, or could never fit. */
static void send(pair *p, const port *from, int64_t index) {
    const clg_served *s = &from->lane.served[index];
    int64_t id = from->request[index];
    if (s->finish_s < 0) {
        end(p, from->lane.now_s + from->rules.front.after_s);
        return;
    }
    double tokens = p->demand->request[id].prompt_tokens;
    double sent_s = p->pools->transfer_s + tokens * p->pools->transfer_token_s;
    put(&p->sent, (passage){s->first_token_s + sent_s, id});
}

static void answer(pair *p, const port *from, int64_t index) {
    const clg_served *s = &from->lane.served[index];
    clg_served *whole = &p->served[from->request[index]];
    whole->first_token_s = s->first_token_s;
    whole->finish_s = s->finish_s;
    end(p, s->finish_s < 0 ? from->lane.now_s + from->rules.front.after_s : s->finish_s);
}

static void step(pair *p, port *at, double known_until_s,
                 void (*pass_on)(pair *, const port *, int64_t)) {
    clg_lane *r = &at->lane;
    r->requests.known_until_s = known_until_s;
    clg_lane_step(r);
    for (int64_t i = 0; i < r->through_count; i++) {
        clg_lane_add_front_end(r, r->through[i]);
        pass_on(p, at, r->through[i]);
    }
    r->through_count = 0;
    at->next_s = next_of(r);
}

static port *soonest(port *list, int lanes) {
    port *best = list;
    for (int i = 1; i < lanes; i++)
        if (list[i].next_s < best->next_s) best = &list[i];
    return best;
}

/* Whoever another lane of a closed loop lets through could ask again, and come to this one. */
static double others_s(const pair *p, const port *one) {
    double least = INFINITY;
    for (int i = 0; i < p->pools->answers.lanes && p->pools->clients > 0; i++)
        if (&p->answers[i] != one) least = clg_smaller(least, p->answers[i].next_s);
    return least;
}

static void advance(pair *p) {
    port *prompts = soonest(p->prompts, p->pools->prompts.lanes);
    port *answers = soonest(p->answers, p->pools->answers.lanes);
    double asks_s = head_s(&p->asks), sent_s = head_s(&p->sent);
    double lanes_s = clg_smaller(prompts->next_s, answers->next_s);
    double known_s = clg_smaller(clg_smaller(asks_s, sent_s), prompts->next_s);
    if (asks_s <= clg_smaller(sent_s, lanes_s))
        ask(p);
    else if (sent_s <= lanes_s)
        arrive(p);
    else if (prompts->next_s <= answers->next_s)
        step(p, prompts, clg_smaller(asks_s, answers->next_s), send);
    else
        step(p, answers, clg_smaller(known_s, others_s(p, answers)), answer);
}

static void close_ports(port *list, int lanes) {
    for (int i = 0; i < lanes; i++) {
        port *p = &list[i];
        if (!p->open) continue;
        clg_lane_close(&p->lane);
        p->asked.count = p->lane.requests.known;
        if (p->unit != 1.0)
            clg_totals_in_tokens(&p->asked, 0, 1, p->lane.served, p->unit, p->lane.totals);
    }
}

void clg_pools_simulate(clg_arena *arena, const clg_pools *pools, const clg_demand *demand,
                        clg_served *served) {
    clg_arena_mark mark = clg_arena_here(arena);
    size_t n = (size_t)demand->count + 1;
    pair p = {.arena = arena, .pools = pools, .demand = demand, .served = served};
    p.prompts = make_ports(arena, &pools->prompts, demand);
    p.answers = make_ports(arena, &pools->answers, demand);
    p.asks.item = clg_take(arena, n, passage);
    p.sent.item = clg_take(arena, n, passage);
    int64_t first =
        pools->clients > 0 && pools->clients < demand->count ? pools->clients : demand->count;
    for (int64_t i = 0; i < first; i++)
        put(&p.asks, (passage){demand->request[pools->clients > 0 ? 0 : i].arrival_s, i});
    while (p.through < demand->count) advance(&p);
    close_ports(p.prompts, pools->prompts.lanes);
    close_ports(p.answers, pools->answers.lanes);
    clg_arena_back_to(arena, mark);
}
