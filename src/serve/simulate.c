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
    double *asks_s;        /* closed loop: [clients] ring of when free clients ask, in order */
    int64_t asks, asked;   /* put in, taken out */
    double *front_free_s;  /* [front_ends] when each is through with all that it has */
    double ready_s;        /* when the last that reached the scheduler did */
    int64_t waited;        /* iterations that prompts were held back */
    double seen_s;         /* who came later is not in the next iteration */
    clg_prefix_cache prefix;
    double now_s;
} replica;

static int64_t blocks_of(const replica *r, int64_t tokens) {
    return clg_serve_blocks(r->rules, tokens);
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
    r->prompt_blocks -= blocks_of(r, s->target) - r->rules->sequence_blocks;
    if (r->partial == id) r->partial = NOBODY;
}

static void join(replica *r, int id) {
    sequence *s = &r->pool[id];
    s->previous = r->youngest;
    s->next = NOBODY;
    *(r->youngest == NOBODY ? &r->oldest : &r->pool[r->youngest].next) = id;
    r->youngest = id;
    r->prompt_blocks += blocks_of(r, s->target) - r->rules->sequence_blocks;
    r->admitted++;
}

/* A client that has its answer asks again; one that got more tokens is later than it finished. */
static void client_asks(replica *r, double when_s) {
    int64_t n = r->rules->clients, at = r->asks;
    if (n == 0) return;
    for (r->asks++; at > r->asked && r->asks_s[(at - 1) % n] > when_s; at--)
        r->asks_s[at % n] = r->asks_s[(at - 1) % n];
    r->asks_s[at % n] = when_s;
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
    client_asks(r, r->now_s + r->rules->after_s + r->rules->token_s * q->output_tokens);
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

/* When the next request is asked; never, while all clients wait for answers. Closed loop: a client
 * asks when it has its answer, whatever the trace says. */
static double next_ask_s(const replica *r) {
    if (r->end >= r->count) return INFINITY;
    if (r->rules->clients > 0)
        return r->asked < r->asks ? r->asks_s[r->asked % r->rules->clients] : INFINITY;
    return request_at(r, index_of(r, r->end))->arrival_s;
}

static int front_ends(const replica *r) {
    return r->rules->front_ends > 1 ? r->rules->front_ends : 1;
}

/* The front end that the next request is dealt to. */
static double *front_of(const replica *r) { return &r->front_free_s[r->end % front_ends(r)]; }

/* When the next request leaves its front end, after those dealt to it before. */
static double next_through_s(const replica *r) {
    if (r->rules->prefilled) return next_ask_s(r); /* came through that of the other pool */
    double tokens = request_at(r, index_of(r, r->end))->prompt_tokens;
    return fmax(next_ask_s(r), *front_of(r)) + r->rules->turn_s + tokens * r->rules->prompt_token_s;
}

/* When the next request reaches the scheduler, none before one that asked earlier. */
static double next_arrival_s(const replica *r) {
    if (!isfinite(next_ask_s(r))) return INFINITY;
    return fmax(next_through_s(r) + r->rules->before_s, r->ready_s);
}

static void take_arrivals(replica *r) {
    double seen_s = r->rules->overlapped ? r->seen_s : r->now_s;
    for (double when; (when = next_arrival_s(r)) <= seen_s;) {
        r->served[index_of(r, r->end)].arrival_s = next_ask_s(r);
        *front_of(r) = next_through_s(r);
        r->ready_s = when;
        r->end++;
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
        client_asks(r, r->now_s + r->rules->after_s);
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

/* Whether the prompts that an iteration could take make as many tokens, or are as many, as is
 * waited for. */
static bool gathered(const replica *r) {
    const clg_serve_rules *rules = r->rules;
    int64_t tokens = r->decoding, seats = rules->max_sequences - r->admitted, prompts = 0;
    int64_t blocks = r->free_blocks, most = budget_of(r, 0, rules->prefill_alone);
    int64_t ranks = rules->wait_ranks > 0 ? rules->wait_ranks : INT64_MAX;
    int64_t enough = rules->wait_ranks > 0 ? INT64_MAX : rules->wait_tokens;
    for (int64_t at = r->begin; at < r->end && seats > prompts; at++) {
        if (tokens >= enough || prompts >= ranks) return true;
        const clg_arrival *q = request_at(r, index_of(r, at));
        int64_t answer = rules->reserve_output ? q->output_tokens : 0;
        blocks -= blocks_of(r, q->prompt_tokens + answer);
        most -= q->prompt_tokens;
        if (blocks < 0 || (most < 0 && rules->whole_prompts)) break;
        tokens += q->prompt_tokens;
        prompts++;
    }
    return tokens >= enough || prompts >= ranks;
}

/* Whether prompts that could start are held back: others decode (by ranks: each may), too few have
 * gathered, and they have not waited long enough. */
static bool held_back(const replica *r) {
    const clg_serve_rules *rules = r->rules;
    int64_t decoding = rules->wait_ranks > 0 ? rules->wait_ranks : 1;
    return r->waited < rules->wait_iterations && r->decoding >= decoding && r->partial == NOBODY &&
           r->preempted_count == 0 && !gathered(r);
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
    r->waited = 0;
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

/* Decoding: `steps` take steps x first + rise x steps (steps - 1) / 2. */
typedef struct pace {
    double first_s, rise_s;
} pace;

static double stretch_s(pace p, double steps) {
    return steps * p.first_s + p.rise_s * steps * (steps - 1) / 2;
}

/* Steps until the longest context is too long for a CUDA graph; 0: one is. */
static int64_t steps_in_graph(const replica *r) {
    int64_t least = INT64_MAX;
    for (int i = 0; i < r->decoding; i++) {
        int64_t left = r->cost->graph_context - cached(r, &r->pool[r->heap[i]]);
        if (left <= 0) return 0;
        if (left < least) least = left;
    }
    return least;
}

static int stages_of(const clg_iteration_cost *c) { return c->stages > 1 ? c->stages : 1; }

/* Seconds of an iteration of so many seconds of kernels, which the host puts together while the GPU
 * runs the one before. Of its micro-batches, one a stage, so many are `launched` kernel by kernel
 * on every stage; the others are replayed from a graph. */
static double hosted_s(const clg_iteration_cost *c, double kernels, int launched, int sequences) {
    double each = sequences * c->loop_sequence_s;
    if (launched == 0) return fmax(kernels, c->loop_s + each);
    double replayed = kernels * (stages_of(c) - launched) / stages_of(c);
    return fmax(kernels, replayed + launched * c->eager_s + each);
}

/* Attention of the sequences that decode, over their contexts. */
static double contexts_s(const replica *r) {
    return r->cost->context_s * ((double)r->context + r->cost->context_pad * r->decoding);
}

/* The pace of decoding, which holds for *steps steps or fewer: until a context is too long for a
 * graph, or kernels take longer than the host. */
static pace pace_of(const replica *r, int64_t *steps) {
    const clg_iteration_cost *c = r->cost;
    double beside = r->decoding * c->sequence_s;
    double kernels = decode_of(r) + contexts_s(r) + c->state_s * r->decoding;
    pace graph = {kernels + beside, c->context_s * r->decoding};
    int64_t most = c->graph_context > 0 ? steps_in_graph(r) : *steps;
    if (most > 0 && most < *steps) *steps = most;
    double host = hosted_s(c, 0, most == 0 ? stages_of(c) : 0, r->decoding);
    if (kernels >= host) return graph;
    double until = graph.rise_s > 0 ? ceil((host - kernels) / graph.rise_s) : (double)*steps;
    if (until < (double)*steps) *steps = (int64_t)fmax(until, 1);
    return (pace){host + beside, 0};
}

/* Steps, at most `most`, until at least `seconds` have passed. */
static int64_t steps_until(pace p, double seconds, int64_t most) {
    if (stretch_s(p, (double)most) <= seconds) return most;
    double slope = p.rise_s, w = p.first_s - slope / 2;
    double guess = slope > 0 ? (sqrt(w * w + 2 * slope * seconds) - w) / slope : seconds / w;
    int64_t k = (int64_t)fmin(fmax(ceil(guess), 1), (double)most);
    while (k > 1 && stretch_s(p, (double)(k - 1)) >= seconds) k--;
    while (k < most && stretch_s(p, (double)k) < seconds) k++;
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

/* Some iterations; `before_last_s`: all but the last of them. */
static void pass_time(replica *r, double seconds, double before_last_s) {
    r->seen_s = r->now_s + before_last_s;
    r->now_s += seconds;
    r->totals->busy_s += seconds;
    r->totals->sequence_s += seconds * r->admitted;
}

static void finish_due(replica *r) {
    while (r->decoding > 0 && r->pool[r->heap[0]].finish_step == r->step) finish(r, r->heap[0]);
}

/* Whether the next arrival could be admitted at once, or ends the wait of others, so that a
 * stretch must stop for it. */
static bool arrival_matters(const replica *r, bool waiting) {
    return isfinite(next_arrival_s(r)) && (waiting || !anybody_waits(r)) &&
           r->admitted < r->rules->max_sequences;
}

/* Steps, at most `most`, until the next arrival can be admitted. */
static int64_t steps_to_arrival(const replica *r, pace p, int64_t most) {
    double gap = next_arrival_s(r) - r->now_s;
    if (gap <= 0) return 1;
    int64_t steps = steps_until(p, gap, most);
    return steps < most && r->rules->overlapped ? steps + 1 : steps;
}

/* Decoding alone, up to the next event; waiting: while prompts are held back. */
static void decode_stretch(replica *r, bool waiting) {
    int64_t steps = r->pool[r->heap[0]].finish_step - r->step, taken;
    if (waiting && r->rules->wait_iterations - r->waited < steps)
        steps = r->rules->wait_iterations - r->waited;
    if (waiting && grows(r)) steps = 1; /* blocks that go may end what is waited for */
    pace p = pace_of(r, &steps);
    if (arrival_matters(r, waiting)) steps = steps_to_arrival(r, p, steps);
    int64_t possible = steps_with_blocks(r, steps, &taken);
    if (possible == 0) {
        while (due_now(r, 0) > r->free_blocks) preempt_youngest(r);
        possible = 1;
        taken = due_now(r, 0);
        p = pace_of(r, &possible);
    }
    r->free_blocks -= taken;
    pass_time(r, stretch_s(p, (double)possible), stretch_s(p, (double)(possible - 1)));
    r->context += possible * r->decoding;
    r->totals->made_tokens += possible * r->decoding;
    r->totals->iterations += possible;
    r->step += possible;
    if (waiting) r->waited += possible;
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
    for (int64_t room; may_admit && r->partial == NOBODY &&
                       (room = budget_of(r, sum.tokens, r->rules->prefill_alone)) > 0;) {
        refuse_impossible(r);
        if (!admissible(r) || (r->rules->prefilled && r->preempted_count == 0)) break;
        if (r->rules->whole_prompts && sum.sequences > 0 && next_target(r) > room) break;
        prefill_chunk(r, admit(r), &sum);
    }
    return sum;
}

/* Micro-batches whose kernels are launched one by one: all, where a context is too long for a
 * graph; those with a prompt, where there are many tokens. */
static int launched_of(const replica *r, int prompts, double tokens) {
    const clg_iteration_cost *c = r->cost;
    if (c->graph_context > 0 && steps_in_graph(r) == 0) return stages_of(c);
    if (prompts == 0 || tokens <= c->graph_tokens) return 0;
    return prompts < stages_of(c) ? prompts : stages_of(c);
}

/* One iteration that decodes and prefills. */
static void mixed_iteration(replica *r) {
    const clg_iteration_cost *c = r->cost;
    int64_t before = r->totals->preemptions;
    while (due_now(r, 0) > r->free_blocks) preempt_youngest(r);
    r->free_blocks -= due_now(r, 0);
    chunk_sum sum = gather_chunks(r, r->totals->preemptions == before);
    double crowd = crowding(r, sum.sequences), tokens = crowd * (double)sum.tokens;
    double seconds = dense_of(r, tokens) + contexts_s(r) + c->pair_s * sum.pairs * crowd;
    seconds += c->state_s * r->decoding + c->scan_s * tokens;
    int sequences = r->decoding + sum.sequences;
    int launched = launched_of(r, sum.sequences, width_of(r, tokens));
    seconds = hosted_s(c, seconds, launched, sequences);
    pass_time(r, seconds + sequences * c->sequence_s, 0);
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
    double seconds = c->dense_s[tokens] + c->pair_s * sum.pairs * crowd;
    seconds += c->scan_s * crowd * (double)sum.tokens;
    int prompts = sum.sequences < stages_of(c) ? sum.sequences : stages_of(c);
    seconds = hosted_s(c, seconds, tokens > c->graph_tokens ? prompts : 0, sum.sequences);
    pass_time(r, seconds + sum.sequences * c->sequence_s, 0);
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
    if (gap > 0) {
        r->totals->idle_s += gap;
        r->now_s += gap;
    }
    r->seen_s = r->now_s;
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
    double begin_s = r->count > 0 ? request_at(r, r->first)->arrival_s : 0;
    r->front_free_s = clg_take(arena, (size_t)front_ends(r), double);
    for (int i = 0; i < front_ends(r); i++) r->front_free_s[i] = begin_s;
    r->ready_s = begin_s;
    r->asks_s = clg_take(arena, (size_t)r->rules->clients + 1, double);
    for (int64_t i = 0; i < r->rules->clients; i++) client_asks(r, begin_s);
    r->totals->begin_s = r->seen_s = r->now_s = r->count > 0 ? next_arrival_s(r) : 0;
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
    if (prompts && held_back(r))
        decode_stretch(r, true);
    else if (prompts && r->rules->prefill_alone)
        prefill_iteration(r);
    else if (prompts)
        mixed_iteration(r);
    else if (r->decoding > 0)
        decode_stretch(r, false);
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
    cost.context_pad /= c->gained;
    cost.pair_s *= c->gained * c->gained;
    cost.scan_s *= c->gained;
    cost.graph_context = (int64_t)ceil((double)c->graph_context / c->gained);
    return cost;
}

static clg_serve_rules rules_in_units(const clg_serve_rules *r, double unit) {
    clg_serve_rules rules = *r;
    double tokens = (double)r->blocks * r->block_tokens / unit;
    rules.block_tokens = (int)fmax(1, floor(r->block_tokens / unit));
    rules.blocks = (int64_t)(tokens / rules.block_tokens);
    rules.token_s *= unit;
    rules.prompt_token_s *= unit;
    rules.wait_tokens = (int64_t)ceil((double)r->wait_tokens / unit);
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
