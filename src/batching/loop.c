/* loop.c -- the event loop. Rules and formula: batching.h. */
#include "batching/lane.h"

#include <assert.h>
#include <math.h>

static void pass_time(clg_lane *r, double seconds) {
    r->now_s += seconds;
    r->totals->busy_s += seconds;
    r->totals->sequence_s += seconds * r->admitted;
}

/* Iterations that only decode are about to pass: when new requests are last looked for in them
 * (counted as in SGLang managers/scheduler_recv_skipper.py). */
static void look_while_decoding(clg_lane *r, clg_pace p, int64_t steps) {
    int64_t poll = r->rules->poll_iterations > 1 ? r->rules->poll_iterations : 1;
    int64_t since = (r->unpolled + steps) % poll, last = steps - since;
    r->unpolled = since;
    if (last > 0)
        r->seen_s =
            r->now_s + clg_lane_stretch_s(p, (double)(last - (r->rules->overlapped ? 1 : 0)));
}

/* One iteration is about to pass, with prompts: then new requests are always looked for. */
static void look_beside(clg_lane *r, int prompts, double seconds) {
    if (prompts == 0 && ++r->unpolled < r->rules->poll_iterations) return;
    r->seen_s = r->now_s + (r->rules->overlapped ? 0 : seconds);
    r->unpolled = 0;
}

static void finish_due(clg_lane *r) {
    while (r->decoding > 0 && r->heap[0].finish_step == r->step) clg_lane_finish(r, r->heap[0].id);
}

/* When a stretch must stop: a prompt is read back, or the next arrival could be admitted at once or
 * ends the wait of others; infinite: never. */
static double stop_s(const clg_lane *r, bool waiting) {
    bool matters = (waiting || !clg_lane_anybody_waits(r)) && r->admitted < r->rules->max_sequences;
    double read_s = clg_lane_next_read_s(r);
    double arrival_s = clg_smaller(clg_lane_next_arrival_s(r), r->requests.known_until_s);
    return matters ? clg_smaller(arrival_s, read_s) : read_s;
}

/* Steps, at most `most`, until what comes then can be admitted. */
static int64_t steps_to(const clg_lane *r, clg_pace p, int64_t most, double when_s) {
    double gap = when_s - r->now_s;
    int64_t steps = gap > 0 ? clg_lane_steps_until(p, gap, most) : 1;
    int64_t poll = r->rules->poll_iterations;
    if (gap > 0 && steps < most && r->rules->overlapped) steps++;
    if (poll > 1) steps += (poll - (r->unpolled + steps) % poll) % poll;
    return steps < most ? steps : most;
}

static void lengthen_contexts(clg_lane *r, int64_t steps) {
    for (int i = 0; i < r->ranks; i++) r->rank[i].context += steps * r->rank[i].decoding;
}

/* Decoding alone, up to the next event; waiting: while prompts are held back. */
static void decode_stretch(clg_lane *r, bool waiting) {
    int64_t steps = r->heap[0].finish_step - r->step, taken;
    if (waiting && r->rules->wait_iterations - r->waited < steps)
        steps = r->rules->wait_iterations - r->waited;
    if (waiting && clg_lane_grows(r)) steps = 1; /* blocks that go may end what is waited for */
    clg_pace p = clg_lane_pace_of(r, &steps);
    double when_s = stop_s(r, waiting);
    if (isfinite(when_s)) steps = steps_to(r, p, steps, when_s);
    int64_t possible = clg_lane_steps_with_blocks(r, steps, &taken);
    if (possible == 0) {
        while (clg_lane_due_now(r) > r->free_blocks) clg_lane_preempt_youngest(r);
        possible = 1;
        taken = clg_lane_due_now(r);
        p = clg_lane_pace_of(r, &possible);
    }
    r->free_blocks -= taken;
    double seconds = clg_lane_stretch_s(p, (double)possible);
    look_while_decoding(r, p, possible);
    pass_time(r, seconds);
    clg_lane_hand_on(r, r->decoding, (double)possible, seconds);
    lengthen_contexts(r, possible);
    r->totals->made_tokens += possible * r->decoding;
    r->totals->iterations += possible;
    r->step += possible;
    if (waiting) r->waited += possible;
    finish_due(r);
}

/* What the prompts of one iteration add to it. */
typedef struct chunk_sum {
    int64_t tokens;
    int sequences, completing;
} chunk_sum;

static void prefill_chunk(clg_lane *r, int id, chunk_sum *sum) {
    clg_sequence *s = &r->pool[id];
    clg_rank *rank = &r->rank[s->rank];
    int64_t budget = clg_lane_room_of(r, s->rank), left = s->target - s->done;
    assert(left >= 0);
    int64_t q = left < budget ? left : budget;
    rank->pairs += (double)q * ((double)s->done + (double)q / 2);
    rank->chunk += q;
    rank->prompts++;
    sum->tokens += q;
    sum->sequences++;
    s->done += q;
    rank->partial = s->done < s->target ? id : CLG_NOBODY;
    if (rank->partial == CLG_NOBODY) r->completing[sum->completing++] = id;
}

static void first_token(clg_lane *r, int64_t request) {
    clg_served *s = &r->served[request];
    s->first_token_s = clg_lane_first_handed_s(r);
    r->totals->late +=
        s->first_token_s + r->rules->front.after_s - s->arrival_s > r->rules->late_first_s;
}

/* A prompt that is through has made its next token, and decodes or is done. */
static void complete_prompt(clg_lane *r, int id) {
    clg_sequence *s = &r->pool[id];
    const clg_arrival *q = clg_lane_request_at(r, s->request);
    s->generated++;
    r->totals->made_tokens++;
    if (r->prefix.tier) clg_prefix_keep(&r->prefix, r->demand->prefix + q->block, q->blocks);
    if (s->generated == 1) first_token(r, s->request);
    if (s->generated == q->output_tokens)
        clg_lane_finish(r, id);
    else
        clg_lane_decode_begin(r, id);
}

/* The next prompt that an iteration has room for: one that was read back, else the head of the
 * queue; CLG_NOBODY: none. */
static int next_prompt(clg_lane *r, bool may_admit) {
    int id = clg_lane_next_read(r);
    if (id != CLG_NOBODY) {
        const clg_sequence *s = &r->pool[id];
        if (!clg_lane_takes(r, s->rank, s->target - s->done)) return CLG_NOBODY;
        clg_lane_end_read(r);
        return id;
    }
    while (may_admit && id == CLG_NOBODY) {
        clg_lane_refuse_impossible(r);
        int rank = clg_lane_next_rank(r);
        if (rank == CLG_NOBODY || (r->rules->prefilled && r->preempted_count == 0)) break;
        id = clg_lane_admit(r, rank);
    }
    return id;
}

static chunk_sum gather_chunks(clg_lane *r, bool may_admit) {
    chunk_sum sum = {0};
    for (int i = 0; i < r->ranks; i++)
        if (r->rank[i].partial != CLG_NOBODY) prefill_chunk(r, r->rank[i].partial, &sum);
    for (int id; (id = next_prompt(r, may_admit)) != CLG_NOBODY;) prefill_chunk(r, id, &sum);
    return sum;
}

/* Seconds of the prompts that were gathered, with the sequences that decode or without; the next
 * iteration has none yet. */
static double gathered_s(clg_lane *r, const chunk_sum *sum) {
    const clg_iteration_cost *c = r->cost;
    bool alone = r->rules->prefill_alone;
    int crowd = clg_lane_crowd(r, alone);
    double widest = clg_lane_widest(r, alone), rise_s;
    double there = clg_lane_width_of(r, alone ? 0 : r->decoding, (double)sum->tokens);
    int64_t one = 1;
    double seconds = clg_lane_dense_of(r, widest) + clg_lane_beside_s(r, alone, &rise_s, &one);
    if (sum->sequences > 0) seconds -= clg_lane_shared_less_s(r, widest, there);
    int launched = clg_lane_launched_of(r, sum->sequences, widest);
    for (int i = 0; i < r->ranks; i++)
        r->rank[i].prompts = 0, r->rank[i].chunk = 0, r->rank[i].pairs = 0;
    return clg_lane_hosted_s(c, seconds, launched, crowd) + crowd * c->sequence_s;
}

/* One iteration that decodes and prefills. */
static void mixed_iteration(clg_lane *r) {
    int64_t before = r->totals->preemptions;
    while (clg_lane_due_now(r) > r->free_blocks) clg_lane_preempt_youngest(r);
    r->free_blocks -= clg_lane_due_now(r);
    chunk_sum sum = gather_chunks(r, r->totals->preemptions == before);
    if (sum.sequences + r->decoding == 0) return; /* all read from the host first */
    double seconds = gathered_s(r, &sum);
    look_beside(r, sum.sequences, seconds);
    pass_time(r, seconds);
    clg_lane_hand_on(r, r->decoding + sum.completing, 1, seconds);
    lengthen_contexts(r, 1);
    r->totals->made_tokens += r->decoding;
    r->totals->prefilled_tokens += sum.tokens;
    r->totals->iterations++;
    r->step++;
    finish_due(r);
    for (int i = 0; i < sum.completing; i++) complete_prompt(r, r->completing[i]);
}

/* One iteration of prompts while decoding sequences stand still. */
static void prefill_iteration(clg_lane *r) {
    chunk_sum sum = gather_chunks(r, true);
    if (sum.sequences == 0) return;
    double seconds = gathered_s(r, &sum);
    look_beside(r, sum.sequences, seconds);
    pass_time(r, seconds);
    clg_lane_hand_on(r, sum.completing, 1, seconds);
    r->totals->prefilled_tokens += sum.tokens;
    r->totals->iterations++;
    for (int i = 0; i < sum.completing; i++) complete_prompt(r, r->completing[i]);
}

/* Prompts that were computed elsewhere start to decode as soon as there is room. */
static void take_prefilled(clg_lane *r) {
    while (r->rules->prefilled && r->preempted_count == 0 && !clg_lane_any_partial(r)) {
        clg_lane_refuse_impossible(r);
        int rank = clg_lane_next_rank(r);
        if (rank == CLG_NOBODY) break;
        int id = clg_lane_admit(r, rank);
        r->pool[id].done = r->pool[id].target;
        complete_prompt(r, id);
    }
}

static void wait_for_arrival(clg_lane *r) {
    double gap = clg_smaller(clg_lane_next_arrival_s(r), clg_lane_next_read_s(r)) - r->now_s;
    assert(isfinite(gap));
    if (gap > 0) {
        r->totals->idle_s += gap;
        clg_lane_hand_on(r, 0, 1, gap);
        r->now_s += gap;
    }
    r->seen_s = r->now_s;
    r->unpolled = 0;
}

/* Of a prompt that came before, whole or its beginning. */
static int32_t seen_blocks(const clg_lane *r, const clg_arrival *q) {
    int64_t seen = r->rules->tokens_seen;
    int64_t blocks = (int64_t)((double)seen / clg_lane_prefix_tokens(r));
    return seen > 0 && blocks < q->blocks ? (int32_t)blocks : q->blocks;
}

/* Conversations that go on are there, as far as there is room. */
static void keep_said_before(clg_lane *r) {
    if (!r->demand->said_s) return;
    for (int64_t i = r->requests.count - 1; i >= 0; i--) {
        const clg_arrival *q = clg_lane_request_at(r, clg_lane_index_of(r, i));
        int32_t blocks = clg_demand_said_before(r->demand, q);
        const uint32_t *block = r->demand->prefix + q->block;
        bool kept = blocks == 0 || r->prefix.tier[block[blocks - 1]] != CLG_PREFIX_GONE;
        if (!kept) clg_prefix_keep(&r->prefix, block, blocks);
    }
}

/* Left out: answers of the run before, which push prompts out too. */
static void open_prefixes(clg_arena *arena, clg_lane *r) {
    clg_prefix_open(arena, &r->prefix, r->demand->prefixes,
                    (int64_t)(r->rules->host_tokens / clg_lane_prefix_tokens(r)));
    for (int64_t i = 0; i < r->requests.count && clg_lane_index_of(r, i) < r->rules->prompts_seen;
         i++) {
        const clg_arrival *q = clg_lane_request_at(r, clg_lane_index_of(r, i));
        clg_prefix_keep(&r->prefix, r->demand->prefix + q->block, seen_blocks(r, q));
    }
    keep_said_before(r);
}

static void prepare(clg_arena *arena, clg_lane *r) {
    size_t n = (size_t)r->rules->max_sequences;
    r->pool = clg_take(arena, n, clg_sequence);
    r->unused = clg_take(arena, n, int);
    r->heap = clg_take(arena, n, clg_due);
    r->preempted = clg_take(arena, n, int);
    r->completing = clg_take(arena, n, int);
    r->due = clg_take(arena, (size_t)r->rules->block_tokens, int64_t);
    r->host.reading = clg_take(arena, n, int);
    clg_lane_open_ranks(arena, r);
    r->host.free_s = clg_take(arena, (size_t)r->ranks, double);
    for (size_t i = 0; i < n; i++) r->unused[i] = (int)(n - 1 - i);
    r->unused_count = (int)n;
    r->oldest = r->youngest = CLG_NOBODY;
    r->free_blocks = r->rules->blocks;
    double begin_s =
        r->requests.count > 0 ? clg_lane_request_at(r, r->requests.first)->arrival_s : 0;
    r->front.free_s = clg_take(arena, (size_t)clg_lane_front_ends(r), double);
    for (int i = 0; i < clg_lane_front_ends(r); i++) r->front.free_s[i] = begin_s;
    r->front.ready_s = begin_s;
    r->front.asks_s = clg_take(arena, (size_t)r->rules->clients + 1, double);
    for (int64_t i = 0; i < r->rules->clients; i++) clg_lane_client_asks(r, begin_s);
    r->totals->begin_s = r->seen_s = r->now_s =
        r->requests.count > 0 ? clg_lane_next_arrival_s(r) : 0;
    if (r->demand->prefix && !r->rules->no_prefix_cache && !r->rules->prefilled &&
        r->rules->cached_share <= 0)
        open_prefixes(arena, r);
}

/* What an iteration after the first takes a sequence, on the mean. */
static double iteration_s(const clg_served *s, double tokens) {
    return tokens > 1 ? (s->finish_s - s->first_token_s) / (tokens - 1) : 0;
}

/* Front end: a request is seen `before_s` late, and its answer reaches the client later still. */
void clg_lane_add_front_end(const clg_lane *r, int64_t index) {
    clg_served *s = &r->served[index];
    if (s->finish_s < 0) return;
    double tokens = clg_lane_request_at(r, index)->output_tokens;
    if (r->rules->late_output) s->first_token_s += iteration_s(s, tokens);
    s->first_token_s += r->rules->front.after_s;
    s->finish_s += r->rules->front.after_s + r->rules->front.token_s * tokens;
}

/* Between the two marks the batch is as full as it gets, and mixed as in the long run. */
static void note_marks(clg_lane *r) {
    double since_s = clg_lane_handed_s(r) - r->totals->begin_s;
    if (r->warms && 4 * r->requests.begin >= r->requests.count) {
        r->warms = false;
        r->totals->warm_s = since_s;
        r->totals->warm_tokens = r->totals->made_tokens;
    }
    if (!r->fills || r->requests.end < r->requests.count || clg_lane_anybody_waits(r)) return;
    r->fills = false;
    r->totals->full_s = since_s;
    r->totals->full_tokens = r->totals->made_tokens;
}

static void iterate(clg_lane *r) {
    bool prompts =
        clg_lane_any_partial(r) || clg_lane_next_read(r) != CLG_NOBODY || clg_lane_admissible(r);
    if (prompts && clg_lane_held_back(r))
        decode_stretch(r, true);
    else if (prompts && r->rules->prefill_alone)
        prefill_iteration(r);
    else if (prompts)
        mixed_iteration(r);
    else if (r->decoding > 0)
        decode_stretch(r, false);
    else if (r->totals->finished + r->totals->refused < r->requests.known)
        wait_for_arrival(r);
}

static bool gave_up(const clg_lane *r) {
    return r->rules->give_up_at > 0 && r->totals->late >= r->rules->give_up_at;
}

void clg_lane_open(clg_arena *arena, clg_lane *r) {
    r->warms = r->fills = true;
    *r->totals = (clg_serve_totals){0};
    prepare(arena, r);
}

void clg_lane_step(clg_lane *r) {
    r->totals->events++;
    clg_lane_take_arrivals(r);
    clg_lane_refuse_impossible(r);
    note_marks(r);
    take_prefilled(r);
    iterate(r);
}

void clg_lane_close(clg_lane *r) {
    r->totals->idle_s += r->front.behind_s;
    r->totals->end_s = clg_lane_handed_s(r);
}

void clg_lane_run(clg_arena *arena, const clg_iteration_cost *cost, const clg_serve_rules *rules,
                  const clg_demand *demand, int64_t first, int64_t stride, clg_served *served,
                  clg_serve_totals *totals) {
    clg_arena_mark mark = clg_arena_here(arena);
    clg_lane r = {.cost = cost,
                  .rules = rules,
                  .demand = demand,
                  .requests = {.first = first, .stride = stride},
                  .served = served,
                  .totals = totals};
    r.requests.count = first < demand->count ? (demand->count - first + stride - 1) / stride : 0;
    r.requests.known = r.requests.count;
    r.requests.known_until_s = INFINITY;
    clg_lane_open(arena, &r);
    while (totals->finished + totals->refused < r.requests.count && !gave_up(&r)) clg_lane_step(&r);
    clg_lane_close(&r);
    for (int64_t at = 0; at < r.requests.begin; at++)
        clg_lane_add_front_end(&r, clg_lane_index_of(&r, at));
    for (int64_t at = r.requests.begin; at < r.requests.count; at++)
        served[clg_lane_index_of(&r, at)].finish_s = -1;
    clg_arena_back_to(arena, mark);
}
