/* simulate.c -- the event loop. Rules and formula: simulate.h. */
#include "serve/simulate.h"

#include "serve/prefix.h"

#include <assert.h>
#include <math.h>

enum { NOBODY = -1 };

/* A sequence in the batch, or preempted and waiting to come back. */
typedef struct sequence {
    int64_t request;
    int64_t start_step;  /* iteration its decoding began at */
    int64_t finish_step; /* iteration its last token is made in */
    int64_t target;      /* tokens to prefill: the prompt, and output that preemption lost */
    int64_t done;        /* of them */
    int64_t generated;   /* output tokens when decoding (re)started */
    int previous, next;  /* in order of admission */
    int heap;            /* place in the heap; NOBODY: not decoding */
} sequence;

typedef struct replica {
    const clg_iteration_cost *cost;
    const clg_serve_rules *rules;
    const clg_demand *demand;
    int64_t stride, begin, end; /* next to admit and one past the last that arrived, in strides */
    int64_t count, first;
    clg_served *served;
    clg_serve_totals *totals;
    sequence *pool;
    int *unused, unused_count;
    int *heap, decoding;             /* by finish step */
    int *preempted, preempted_count; /* a stack: the last one is first to come back */
    int *completing;                 /* prompts that end in this iteration */
    int oldest, youngest, admitted;  /* list of sequences in the batch */
    int partial;                     /* whose prompt is being prefilled over several iterations */
    int64_t *due; /* [block_tokens] decoding sequences by when they need a block */
    int64_t free_blocks, context, step, outstanding;
    int64_t prompt_blocks; /* that sequences in the batch hold for their prompts */
    double *asks_s;        /* closed loop: [clients] ring of when free clients ask */
    int64_t asks, asked;   /* put in, taken out */
    clg_prefix_cache prefix;
    double now_s;
} replica;

static int64_t blocks_of(const replica *r, int64_t tokens) {
    return (tokens + r->rules->block_tokens - 1) / r->rules->block_tokens;
}

static int64_t index_of(const replica *r, int64_t at) { return r->first + at * r->stride; }

static const clg_arrival *request_at(const replica *r, int64_t index) {
    return &r->demand->request[index];
}

/* Tokens a sequence has in the cache. */
static int64_t cached(const replica *r, const sequence *s) {
    return s->heap == NOBODY ? s->target : s->target + r->step - s->start_step;
}

/* Blocks a sequence holds. */
static int64_t held(const replica *r, const sequence *s) {
    if (!r->rules->reserve_output) return blocks_of(r, cached(r, s));
    const clg_arrival *q = request_at(r, s->request);
    return blocks_of(r, (int64_t)q->prompt_tokens + q->output_tokens);
}

/* Without blocks in reserve a decoding sequence takes them as it grows. */
static int64_t grows(const replica *r) { return r->rules->reserve_output ? 0 : 1; }

/* ---- the heap of finishes */

static bool earlier(const replica *r, int a, int b) {
    return r->pool[r->heap[a]].finish_step < r->pool[r->heap[b]].finish_step;
}

static void swap(replica *r, int a, int b) {
    int x = r->heap[a];
    r->heap[a] = r->heap[b];
    r->heap[b] = x;
    r->pool[r->heap[a]].heap = a;
    r->pool[r->heap[b]].heap = b;
}

static void sift(replica *r, int at) {
    while (at > 0 && earlier(r, at, (at - 1) / 2)) {
        swap(r, at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
    for (;;) {
        int least = at, left = 2 * at + 1;
        if (left < r->decoding && earlier(r, left, least)) least = left;
        if (left + 1 < r->decoding && earlier(r, left + 1, least)) least = left + 1;
        if (least == at) return;
        swap(r, at, least);
        at = least;
    }
}

/* ---- sequences in and out */

/* The ring of due blocks turns with the steps: a sequence stays where it was put. */
static int64_t *due_of(replica *r, const sequence *s) {
    int64_t size = r->rules->block_tokens, key = (s->target - s->start_step) % size;
    return &r->due[key < 0 ? key + size : key];
}

static int64_t due_now(const replica *r, int64_t ahead) {
    int64_t size = r->rules->block_tokens;
    return r->due[(size - (r->step + ahead) % size) % size];
}

static void decode_begin(replica *r, int id) {
    sequence *s = &r->pool[id];
    s->start_step = r->step;
    s->finish_step = r->step + request_at(r, s->request)->output_tokens - s->generated;
    s->heap = r->decoding;
    r->heap[r->decoding++] = id;
    sift(r, s->heap);
    r->context += s->target;
    *due_of(r, s) += grows(r);
}

static void decode_end(replica *r, int id) {
    sequence *s = &r->pool[id];
    int at = s->heap;
    r->context -= cached(r, s);
    *due_of(r, s) -= grows(r);
    swap(r, at, --r->decoding);
    if (at < r->decoding) sift(r, at);
    s->heap = NOBODY;
}

static void leave(replica *r, int id) {
    sequence *s = &r->pool[id];
    *(s->previous == NOBODY ? &r->oldest : &r->pool[s->previous].next) = s->next;
    *(s->next == NOBODY ? &r->youngest : &r->pool[s->next].previous) = s->previous;
    r->admitted--;
    r->prompt_blocks -= blocks_of(r, s->target);
    if (r->partial == id) r->partial = NOBODY;
}

static void join(replica *r, int id) {
    sequence *s = &r->pool[id];
    s->previous = r->youngest;
    s->next = NOBODY;
    *(r->youngest == NOBODY ? &r->oldest : &r->pool[r->youngest].next) = id;
    r->youngest = id;
    r->prompt_blocks += blocks_of(r, s->target);
    r->admitted++;
}

/* A client that has its answer asks again; the front end passes it on. */
static void client_asks(replica *r, double when_s) {
    if (r->rules->clients > 0) r->asks_s[r->asks++ % r->rules->clients] = when_s;
}

static void finish(replica *r, int id) {
    sequence *s = &r->pool[id];
    int64_t blocks = held(r, s);
    if (s->heap != NOBODY) decode_end(r, id);
    r->free_blocks += blocks;
    leave(r, id);
    r->unused[r->unused_count++] = id;
    const clg_arrival *q = request_at(r, s->request);
    r->served[s->request].finish_s = r->now_s;
    r->totals->finished++;
    r->totals->prompt_tokens += q->prompt_tokens;
    r->totals->output_tokens += q->output_tokens;
    r->outstanding--;
    client_asks(r, r->now_s + r->rules->after_s + r->rules->before_s);
}

/* The youngest gives its blocks back and will compute everything again. */
static void preempt_youngest(replica *r) {
    int id = r->youngest;
    sequence *s = &r->pool[id];
    int64_t blocks = held(r, s);
    if (s->heap != NOBODY) {
        s->generated += r->step - s->start_step;
        decode_end(r, id);
    }
    r->free_blocks += blocks;
    leave(r, id);
    s->target = request_at(r, s->request)->prompt_tokens + s->generated;
    s->done = 0;
    r->preempted[r->preempted_count++] = id;
    r->totals->preemptions++;
}

/* ---- the queue */

/* When the next request reaches the scheduler; never, while all clients wait for answers. */
static double next_arrival_s(const replica *r) {
    if (r->end >= r->count) return INFINITY;
    if (r->rules->clients > 0)
        return r->asked < r->asks ? r->asks_s[r->asked % r->rules->clients] : INFINITY;
    return request_at(r, index_of(r, r->end))->arrival_s + r->rules->before_s;
}

/* Closed loop: a client asks when it has its answer, whatever the trace says. */
static void take_arrivals(replica *r) {
    for (double when; (when = next_arrival_s(r)) <= r->now_s;) {
        r->served[index_of(r, r->end++)].arrival_s = when - r->rules->before_s;
        r->asked++;
        r->outstanding++;
    }
}

static bool anybody_waits(const replica *r) { return r->preempted_count > 0 || r->begin < r->end; }

/* Refuses what could never fit, however long it waited. */
static void refuse_impossible(replica *r) {
    while (r->preempted_count == 0 && r->begin < r->end) {
        int64_t index = index_of(r, r->begin);
        const clg_arrival *q = request_at(r, index);
        if (blocks_of(r, (int64_t)q->prompt_tokens + q->output_tokens) <= r->rules->blocks) return;
        r->served[index].first_token_s = r->served[index].finish_s = -1;
        r->totals->refused++;
        r->outstanding--;
        client_asks(r, r->now_s);
        r->begin++;
    }
}

static int64_t next_target(const replica *r) {
    if (r->preempted_count > 0) return r->pool[r->preempted[r->preempted_count - 1]].target;
    return request_at(r, index_of(r, r->begin))->prompt_tokens;
}

/* Blocks the head of the queue is admitted with. */
static int64_t next_blocks(const replica *r) {
    int64_t tokens = next_target(r);
    if (r->rules->reserve_output && r->preempted_count == 0)
        tokens += request_at(r, index_of(r, r->begin))->output_tokens;
    return blocks_of(r, tokens);
}

/* Tokens of an iteration. */
static double width_of(const replica *r, double chunk) {
    const clg_iteration_cost *c = r->cost;
    if (c->drafted <= 0) return r->decoding + chunk;
    return r->decoding * (c->drafted + 1) + chunk * c->gained;
}

/* Prompt units that still fit in an iteration. */
static int64_t budget_of(const replica *r, int64_t taken, bool alone) {
    const clg_iteration_cost *c = r->cost;
    double unit = c->drafted > 0 ? c->gained : 1;
    double decoding = alone ? 0 : width_of(r, 0);
    return (int64_t)((r->rules->max_tokens - decoding) / unit) - taken;
}

static bool admissible(const replica *r) {
    return anybody_waits(r) && r->admitted < r->rules->max_sequences &&
           budget_of(r, 0, r->rules->prefill_alone) > 0 && next_blocks(r) <= r->free_blocks;
}

/* What of a prompt is in the cache; its last token is always computed. */
static int64_t find_prefix(replica *r, const sequence *s) {
    const clg_demand *d = r->demand;
    if (!r->prefix.resident) return 0;
    int64_t room = (r->free_blocks + r->prompt_blocks) * r->rules->block_tokens / d->prefix_tokens;
    const clg_arrival *q = request_at(r, s->request);
    int64_t hits = clg_prefix_find(&r->prefix, d->prefix + q->block, q->blocks, room);
    int64_t tokens = hits * d->prefix_tokens;
    return tokens < s->target ? tokens : s->target - 1;
}

/* Takes the head of the queue into the batch, its blocks with it. */
static int admit(replica *r) {
    int id;
    if (r->preempted_count > 0)
        id = r->preempted[--r->preempted_count];
    else {
        id = r->unused[--r->unused_count];
        int64_t index = index_of(r, r->begin++);
        r->pool[id] = (sequence){
            .request = index, .target = request_at(r, index)->prompt_tokens, .heap = NOBODY};
        r->served[index].first_token_s = -1;
    }
    sequence *s = &r->pool[id];
    s->done = find_prefix(r, s);
    r->totals->cached_tokens += s->done;
    r->free_blocks -= held(r, s);
    join(r, id);
    return id;
}

/* ---- iterations */

static double dense_of(const replica *r, double chunk) {
    int tokens = (int)ceil(width_of(r, chunk));
    return r->cost->dense_s[tokens < r->cost->max_tokens ? tokens : r->cost->max_tokens];
}

/* An iteration of decoding sequences alone. */
static double decode_of(const replica *r) {
    const clg_iteration_cost *c = r->cost;
    return c->decode_s && r->decoding <= c->decodes ? c->decode_s[r->decoding] : dense_of(r, 0);
}

/* Tokens and pairs of prompts count as if every rank had what the fullest has. */
static double crowding(const replica *r, int prompts) {
    int ranks = r->cost->ranks > 1 ? r->cost->ranks : 1;
    return prompts > 0 ? (double)ranks * ((prompts + ranks - 1) / ranks) / prompts : 1;
}

/* An iteration with prompts: kernels that are launched one by one may wait for the host. */
static double prompts_s(const replica *r, double tokens, double seconds) {
    return tokens > r->cost->graph_tokens ? fmax(seconds, r->cost->eager_s) : seconds;
}

static double stretch_s(const replica *r, double steps) {
    const clg_iteration_cost *c = r->cost;
    double b = r->decoding, one = decode_of(r) + b * c->sequence_s;
    return steps * (one + c->context_s * (double)r->context) +
           c->context_s * b * steps * (steps - 1) / 2;
}

/* Steps, at most `most`, until at least `seconds` have passed. */
static int64_t steps_until(const replica *r, double seconds, int64_t most) {
    if (stretch_s(r, (double)most) <= seconds) return most;
    double slope = r->cost->context_s * r->decoding, w = stretch_s(r, 1) - slope / 2;
    double guess = slope > 0 ? (sqrt(w * w + 2 * slope * seconds) - w) / slope : seconds / w;
    int64_t k = (int64_t)fmin(fmax(ceil(guess), 1), (double)most);
    while (k > 1 && stretch_s(r, (double)(k - 1)) >= seconds) k--;
    while (k < most && stretch_s(r, (double)k) < seconds) k++;
    return k;
}

/* Steps, at most `most`, before a decoding sequence finds no block; what they take in *taken. */
static int64_t steps_with_blocks(const replica *r, int64_t most, int64_t *taken) {
    int64_t size = r->rules->block_tokens, turns = most / size, k = 0;
    *taken = 0;
    if (!grows(r)) return most;
    if (turns > 0 && turns * r->decoding > r->free_blocks) turns = r->free_blocks / r->decoding;
    k = turns * size;
    *taken = turns * r->decoding;
    for (int64_t i = 0; i < size && k < most; i++, k++) {
        int64_t need = due_now(r, k);
        if (*taken + need > r->free_blocks) break;
        *taken += need;
    }
    return k;
}

static void pass_time(replica *r, double seconds) {
    r->now_s += seconds;
    r->totals->busy_s += seconds;
    r->totals->sequence_s += seconds * r->admitted;
}

static void finish_due(replica *r) {
    while (r->decoding > 0 && r->pool[r->heap[0]].finish_step == r->step) finish(r, r->heap[0]);
}

/* Whether the next arrival could be admitted at once, so that a stretch must stop for it. */
static bool arrival_matters(const replica *r) {
    return isfinite(next_arrival_s(r)) && !anybody_waits(r) &&
           r->admitted < r->rules->max_sequences;
}

/* Decoding alone, up to the next event. */
static void decode_stretch(replica *r) {
    int64_t steps = r->pool[r->heap[0]].finish_step - r->step, taken;
    if (arrival_matters(r)) steps = steps_until(r, next_arrival_s(r) - r->now_s, steps);
    int64_t possible = steps_with_blocks(r, steps, &taken);
    if (possible == 0) {
        while (due_now(r, 0) > r->free_blocks) preempt_youngest(r);
        possible = 1;
        taken = due_now(r, 0);
    }
    r->free_blocks -= taken;
    pass_time(r, stretch_s(r, (double)possible));
    r->context += possible * r->decoding;
    r->totals->made_tokens += possible * r->decoding;
    r->totals->iterations += possible;
    r->step += possible;
    finish_due(r);
}

/* What the prompts of one iteration add to it. */
typedef struct chunk_sum {
    int64_t tokens;
    double pairs;
    int sequences, completing;
} chunk_sum;

static void prefill_chunk(replica *r, int id, chunk_sum *sum) {
    sequence *s = &r->pool[id];
    int64_t budget = budget_of(r, sum->tokens, r->rules->prefill_alone), left = s->target - s->done;
    int64_t q = left < budget ? left : budget;
    sum->pairs += (double)q * ((double)s->done + (double)q / 2);
    sum->tokens += q;
    sum->sequences++;
    s->done += q;
    r->partial = s->done < s->target ? id : NOBODY;
    if (r->partial == NOBODY) r->completing[sum->completing++] = id;
}

/* A prompt that is through has made its next token, and decodes or is done. */
static void complete_prompt(replica *r, int id) {
    sequence *s = &r->pool[id];
    const clg_arrival *q = request_at(r, s->request);
    s->generated++;
    r->totals->made_tokens++;
    if (r->prefix.resident) clg_prefix_keep(&r->prefix, r->demand->prefix + q->block, q->blocks);
    if (s->generated == 1) r->served[s->request].first_token_s = r->now_s;
    if (s->generated == q->output_tokens)
        finish(r, id);
    else
        decode_begin(r, id);
}

static chunk_sum gather_chunks(replica *r, bool may_admit) {
    chunk_sum sum = {0};
    if (r->partial != NOBODY) prefill_chunk(r, r->partial, &sum);
    while (may_admit && r->partial == NOBODY &&
           budget_of(r, sum.tokens, r->rules->prefill_alone) > 0) {
        refuse_impossible(r);
        if (!admissible(r) || (r->rules->prefilled && r->preempted_count == 0)) break;
        prefill_chunk(r, admit(r), &sum);
    }
    return sum;
}

/* One iteration that decodes and prefills. */
static void mixed_iteration(replica *r) {
    const clg_iteration_cost *c = r->cost;
    int64_t before = r->totals->preemptions;
    while (due_now(r, 0) > r->free_blocks) preempt_youngest(r);
    r->free_blocks -= due_now(r, 0);
    chunk_sum sum = gather_chunks(r, r->totals->preemptions == before);
    double crowd = crowding(r, sum.sequences), tokens = crowd * (double)sum.tokens;
    double seconds =
        dense_of(r, tokens) + c->context_s * (double)r->context + c->pair_s * sum.pairs * crowd;
    pass_time(r, prompts_s(r, width_of(r, tokens), seconds) +
                     (r->decoding + sum.sequences) * c->sequence_s);
    r->context += r->decoding;
    r->totals->made_tokens += r->decoding;
    r->totals->prefilled_tokens += sum.tokens;
    r->totals->iterations++;
    r->step++;
    finish_due(r);
    for (int i = 0; i < sum.completing; i++) complete_prompt(r, r->completing[i]);
}

/* One iteration of prompts while decoding sequences stand still. */
static void prefill_iteration(replica *r) {
    const clg_iteration_cost *c = r->cost;
    chunk_sum sum = gather_chunks(r, true);
    double unit = c->drafted > 0 ? c->gained : 1, crowd = crowding(r, sum.sequences);
    int tokens = (int)fmin(ceil((double)sum.tokens * unit * crowd), c->max_tokens);
    pass_time(r, prompts_s(r, tokens, c->dense_s[tokens] + c->pair_s * sum.pairs * crowd) +
                     sum.sequences * c->sequence_s);
    r->totals->prefilled_tokens += sum.tokens;
    r->totals->iterations++;
    for (int i = 0; i < sum.completing; i++) complete_prompt(r, r->completing[i]);
}

/* Prompts that were computed elsewhere start to decode as soon as there is room. */
static void take_prefilled(replica *r) {
    while (r->rules->prefilled && r->preempted_count == 0 && r->partial == NOBODY &&
           (refuse_impossible(r), admissible(r))) {
        int id = admit(r);
        r->pool[id].done = r->pool[id].target;
        complete_prompt(r, id);
    }
}

static void wait_for_arrival(replica *r) {
    double gap = next_arrival_s(r) - r->now_s;
    assert(isfinite(gap));
    if (gap <= 0) return;
    r->totals->idle_s += gap;
    r->now_s += gap;
}

static void prepare(clg_arena *arena, replica *r) {
    size_t n = (size_t)r->rules->max_sequences;
    r->pool = clg_take(arena, n, sequence);
    r->unused = clg_take(arena, n, int);
    r->heap = clg_take(arena, n, int);
    r->preempted = clg_take(arena, n, int);
    r->completing = clg_take(arena, n, int);
    r->due = clg_take(arena, (size_t)r->rules->block_tokens, int64_t);
    for (size_t i = 0; i < n; i++) r->unused[i] = (int)(n - 1 - i);
    r->unused_count = (int)n;
    r->oldest = r->youngest = r->partial = NOBODY;
    r->free_blocks = r->rules->blocks;
    r->now_s = r->count > 0 ? request_at(r, r->first)->arrival_s + r->rules->before_s : 0;
    r->totals->begin_s = r->now_s;
    r->asks_s = clg_take(arena, (size_t)r->rules->clients + 1, double);
    for (int64_t i = 0; i < r->rules->clients; i++) client_asks(r, r->now_s);
    if (r->demand->prefix && !r->rules->no_prefix_cache && !r->rules->prefilled)
        clg_prefix_open(arena, &r->prefix, r->demand->prefixes);
}

/* Front end: a request is seen `before_s` late, and its answer reaches the client later still. */
static void add_front_end(const replica *r) {
    for (int64_t at = 0; at < r->count; at++) {
        clg_served *s = &r->served[index_of(r, at)];
        if (s->finish_s < 0) continue;
        double tokens = request_at(r, index_of(r, at))->output_tokens;
        s->first_token_s += r->rules->after_s;
        s->finish_s += r->rules->after_s + r->rules->token_s * tokens;
    }
}

/* Between the two marks the batch is as full as it gets, and mixed as in the long run. */
static void note_marks(replica *r, bool *warm, bool *full) {
    double since_s = r->now_s - r->totals->begin_s;
    if (*warm && 4 * r->begin >= r->count) {
        *warm = false;
        r->totals->warm_s = since_s;
        r->totals->warm_tokens = r->totals->made_tokens;
    }
    if (!*full || r->end < r->count || anybody_waits(r)) return;
    *full = false;
    r->totals->full_s = since_s;
    r->totals->full_tokens = r->totals->made_tokens;
}

static void iterate(replica *r) {
    bool prompts = r->partial != NOBODY || admissible(r);
    if (prompts && r->rules->prefill_alone)
        prefill_iteration(r);
    else if (prompts)
        mixed_iteration(r);
    else if (r->decoding > 0)
        decode_stretch(r);
    else if (r->totals->finished + r->totals->refused < r->count)
        wait_for_arrival(r);
}

static void simulate(clg_arena *arena, const clg_iteration_cost *cost, const clg_serve_rules *rules,
                     const clg_demand *demand, int64_t first, int64_t stride, clg_served *served,
                     clg_serve_totals *totals) {
    clg_arena_mark mark = clg_arena_here(arena);
    replica r = {.cost = cost,
                 .rules = rules,
                 .demand = demand,
                 .first = first,
                 .stride = stride,
                 .served = served,
                 .totals = totals};
    bool warm = true, full = true;
    *totals = (clg_serve_totals){0};
    r.count = first < demand->count ? (demand->count - first + stride - 1) / stride : 0;
    prepare(arena, &r);
    while (totals->finished + totals->refused < r.count) {
        totals->events++;
        take_arrivals(&r);
        refuse_impossible(&r);
        note_marks(&r, &warm, &full);
        take_prefilled(&r);
        iterate(&r);
    }
    totals->end_s = r.now_s;
    add_front_end(&r);
    clg_arena_back_to(arena, mark);
}

/* Lengths in units of what an iteration gains. */
static clg_demand in_units(clg_arena *arena, const clg_demand *d, double unit) {
    clg_demand scaled = *d;
    scaled.prefix = NULL;
    scaled.request = clg_take(arena, (size_t)d->count + 1, clg_arrival);
    for (int64_t i = 0; i < d->count; i++) {
        clg_arrival *q = &scaled.request[i];
        *q = d->request[i];
        q->prompt_tokens = (int32_t)ceil(q->prompt_tokens / unit);
        q->output_tokens = 1 + (int32_t)ceil((q->output_tokens - 1) / unit);
    }
    return scaled;
}

static clg_iteration_cost cost_in_units(const clg_iteration_cost *c) {
    clg_iteration_cost cost = *c;
    cost.context_s *= c->gained;
    cost.pair_s *= c->gained * c->gained;
    return cost;
}

static clg_serve_rules rules_in_units(const clg_serve_rules *r, double unit) {
    clg_serve_rules rules = *r;
    double tokens = (double)r->blocks * r->block_tokens / unit;
    rules.block_tokens = (int)fmax(1, floor(r->block_tokens / unit));
    rules.blocks = (int64_t)(tokens / rules.block_tokens);
    rules.token_s *= unit;
    return rules;
}

static int64_t scaled_by(int64_t units, double ratio) {
    return (int64_t)((double)units * ratio + 0.5);
}

/* Totals in tokens again, those of the finished exact. */
static void in_tokens(const clg_demand *d, int64_t first, int64_t stride, const clg_served *served,
                      double unit, clg_serve_totals *t) {
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
}

void clg_serve_simulate(clg_arena *arena, const clg_iteration_cost *cost,
                        const clg_serve_rules *rules, const clg_demand *demand, int64_t first,
                        int64_t stride, clg_served *served, clg_serve_totals *totals) {
    if (cost->drafted <= 0) {
        simulate(arena, cost, rules, demand, first, stride, served, totals);
        return;
    }
    clg_arena_mark mark = clg_arena_here(arena);
    clg_demand scaled = in_units(arena, demand, cost->gained);
    clg_iteration_cost unit_cost = cost_in_units(cost);
    clg_serve_rules unit_rules = rules_in_units(rules, cost->gained);
    simulate(arena, &unit_cost, &unit_rules, &scaled, first, stride, served, totals);
    in_tokens(demand, first, stride, served, cost->gained, totals);
    clg_arena_back_to(arena, mark);
}
