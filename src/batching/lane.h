/* lane.h -- internal to batching/: what is done to a replica while it is simulated, and asked. */
#ifndef CLG_BATCHING_LANE_H
#define CLG_BATCHING_LANE_H

#include "batching/lane_state.h"

#include <math.h>

/* fmax and fmin of numbers, without a call each. */
static inline double clg_larger(double a, double b) { return a > b ? a : b; }
static inline double clg_smaller(double a, double b) { return a < b ? a : b; }

/* Decoding: `steps` take steps x first + rise x steps (steps - 1) / 2. */
typedef struct clg_pace {
    double first_s, rise_s;
} clg_pace;

static inline int64_t clg_lane_blocks_of(const clg_lane *r, int64_t tokens) {
    return clg_serve_blocks(r->rules, tokens);
}

static inline int64_t clg_lane_index_of(const clg_lane *r, int64_t at) {
    return r->requests.first + at * r->requests.stride;
}

static inline const clg_arrival *clg_lane_request_at(const clg_lane *r, int64_t index) {
    return &r->demand->request[index];
}

/* Of a block of prefixes, in what lengths are counted in. */
static inline double clg_lane_prefix_tokens(const clg_lane *r) {
    double unit = r->rules->unit_tokens > 0 ? r->rules->unit_tokens : 1;
    return r->demand->prefix_tokens / unit;
}

/* Tokens a sequence has in the cache. */
static inline int64_t clg_lane_cached(const clg_lane *r, const clg_sequence *s) {
    return s->heap == CLG_NOBODY ? s->target : s->target + r->step - s->start_step;
}

/* Blocks a sequence holds. */
static inline int64_t clg_lane_held(const clg_lane *r, const clg_sequence *s) {
    if (!r->rules->reserve_output) return clg_lane_blocks_of(r, clg_lane_cached(r, s));
    const clg_arrival *q = clg_lane_request_at(r, s->request);
    return clg_lane_blocks_of(r, (int64_t)q->prompt_tokens + q->output_tokens);
}

/* Without blocks in reserve a decoding sequence takes them as it grows. */
static inline int64_t clg_lane_grows(const clg_lane *r) { return r->rules->reserve_output ? 0 : 1; }

/* ---- what the loop asks all the time */

/* Quotient of whole numbers that are not negative: short ones take less time. */
static inline int64_t clg_lane_over(int64_t a, int64_t b) {
    return (a | b) >> 32 == 0 ? (int64_t)((uint32_t)a / (uint32_t)b) : a / b;
}

/* Place in the ring of blocks that fall due, so many steps ahead. */
static inline int64_t clg_lane_place(const clg_lane *r, int64_t ahead) {
    int64_t size = r->rules->block_tokens, step = r->step + ahead;
    int64_t turn = step - clg_lane_over(step, size) * size;
    return turn > 0 ? size - turn : 0;
}

static inline int64_t clg_lane_due_now(const clg_lane *r) { return r->due[clg_lane_place(r, 0)]; }

static inline int clg_lane_front_ends(const clg_lane *r) {
    return r->rules->front_ends > 1 ? r->rules->front_ends : 1;
}

/* When the next request is asked; never, while all clients wait for answers. Closed loop: a client
 * asks when it has its answer, whatever the trace says. */
static inline double clg_lane_next_ask_s(const clg_lane *r) {
    if (r->requests.end >= r->requests.known) return INFINITY;
    if (r->rules->clients > 0)
        return r->front.asked < r->front.asks ? r->front.asks_s[r->front.asked % r->rules->clients]
                                              : INFINITY;
    return clg_lane_request_at(r, clg_lane_index_of(r, r->requests.end))->arrival_s;
}

/* The front end that the next request is dealt to. */
static inline double *clg_lane_front_of(const clg_lane *r) {
    int ends = clg_lane_front_ends(r);
    return &r->front.free_s[ends > 1 ? r->requests.end % ends : 0];
}

/* When the next request leaves its front end, after those dealt to it before. */
static inline double clg_lane_next_through_s(const clg_lane *r) {
    if (r->rules->prefilled)
        return clg_lane_next_ask_s(r); /* came through that of the other pool */
    double tokens = clg_lane_request_at(r, clg_lane_index_of(r, r->requests.end))->prompt_tokens;
    return clg_larger(clg_lane_next_ask_s(r), *clg_lane_front_of(r)) + r->rules->front.turn_s +
           tokens * r->rules->front.prompt_token_s;
}

/* When the next request reaches the scheduler, none before one that asked earlier. */
static inline double clg_lane_next_arrival_s(const clg_lane *r) {
    if (!isfinite(clg_lane_next_ask_s(r))) return INFINITY;
    return clg_larger(clg_lane_next_through_s(r) + r->rules->front.before_s, r->front.ready_s);
}

static inline bool clg_lane_anybody_waits(const clg_lane *r) {
    return r->preempted_count > 0 || r->requests.begin < r->requests.end;
}

/* When the next prompt is read back; never, while none is. */
static inline double clg_lane_next_read_s(const clg_lane *r) {
    return r->host.count > 0 ? r->pool[r->host.reading[r->host.count - 1]].ready_s : INFINITY;
}

/* What came later than that is not in the iteration that is put together now. */
static inline double clg_lane_seen_s(const clg_lane *r) {
    return r->rules->overlapped || r->rules->poll_iterations > 1 ? r->seen_s : r->now_s;
}

static inline int64_t clg_lane_next_target(const clg_lane *r) {
    if (r->preempted_count > 0) return r->pool[r->preempted[r->preempted_count - 1]].target;
    return clg_lane_request_at(r, clg_lane_index_of(r, r->requests.begin))->prompt_tokens;
}

/* Blocks the head of the queue is admitted with. */
static inline int64_t clg_lane_next_blocks(const clg_lane *r) {
    int64_t tokens = clg_lane_next_target(r);
    if (r->rules->reserve_output && r->preempted_count == 0)
        tokens += clg_lane_request_at(r, clg_lane_index_of(r, r->requests.begin))->output_tokens;
    return clg_lane_blocks_of(r, tokens);
}

/* Tokens of an iteration of a rank, or of all: decoding sequences, and of prompts. */
static inline double clg_lane_width_of(const clg_lane *r, int decoding, double chunk) {
    const clg_iteration_cost *c = r->cost;
    if (c->drafted <= 0) return decoding + chunk;
    return decoding * (c->drafted + 1) + chunk * c->gained;
}

static inline double clg_lane_dense_of(const clg_lane *r, double tokens) {
    int width = (int)ceil(tokens);
    return r->cost->dense_s[width < r->cost->max_tokens ? width : r->cost->max_tokens];
}

static inline int clg_lane_stages_of(const clg_iteration_cost *c) {
    return c->stages > 1 ? c->stages : 1;
}

/* Seconds of an iteration of so many seconds of kernels, which the host puts together while the GPU
 * runs the one before. Of its micro-batches, one a stage, so many are `launched` kernel by kernel
 * on every stage; the others are replayed from a graph. */
static inline double clg_lane_hosted_s(const clg_iteration_cost *c, double kernels, int launched,
                                       int sequences) {
    double each = sequences * c->loop_sequence_s;
    if (launched == 0) return clg_larger(kernels, c->loop_s + each);
    double replayed = kernels * (clg_lane_stages_of(c) - launched) / clg_lane_stages_of(c);
    return clg_larger(kernels, replayed + launched * c->eager_s + each);
}

/* When a token that is made now comes to its turn. Front ends hand tokens on one by one, and the
 * engine does not wait for them: there are queues between the processes. */
static inline double clg_lane_handed_s(const clg_lane *r) { return r->now_s + r->front.behind_s; }

/* The first of a request, before which queues of their own let one token of every other pass. */
static inline double clg_lane_first_handed_s(const clg_lane *r) {
    if (!r->rules->own_queues) return clg_lane_handed_s(r);
    return r->now_s + clg_smaller(r->front.behind_s, r->front.pending_s);
}

/* A front end that handed tokens on for so long read no requests meanwhile: one loop does both
 * (vLLM's api_server and AsyncLLM, SGLang's TokenizerManager), by turns where there is too much of
 * both. Requests that stand before it come through later. */
static inline void clg_lane_hold_up(clg_lane *r, double handing_s, double seconds) {
    if (handing_s <= 0 || r->rules->prefilled || clg_lane_next_ask_s(r) >= r->now_s) return;
    double held_s = clg_smaller(handing_s, seconds / 2);
    for (int i = 0; i < clg_lane_front_ends(r); i++) r->front.free_s[i] += held_s;
}

/* Steps of so many tokens each took so many seconds: all but the last one's were handed on
 * meanwhile, or wait. */
static inline void clg_lane_hand_on(clg_lane *r, double tokens, double steps, double seconds) {
    double each_s = tokens * r->rules->front.token_s / clg_lane_front_ends(r);
    r->front.behind_s =
        clg_larger(0, r->front.behind_s + r->front.pending_s + each_s * (steps - 1) - seconds);
    r->front.pending_s = each_s;
    clg_lane_hold_up(r, each_s * steps, seconds);
}

/* One is through; index: of the request. */
static inline void clg_lane_note_through(clg_lane *r, int64_t index) {
    if (r->through) r->through[r->through_count++] = index;
}

static inline double clg_lane_stretch_s(clg_pace p, double steps) {
    return steps * p.first_s + p.rise_s * steps * (steps - 1) / 2;
}

/* ---- sequences.c: those in the batch */

void clg_lane_decode_begin(clg_lane *r, int id);
void clg_lane_join(clg_lane *r, int id);
void clg_lane_finish(clg_lane *r, int id);
void clg_lane_preempt_youngest(clg_lane *r);

/* ---- admission.c: requests as they come, and who is admitted */

void clg_lane_client_asks(clg_lane *r, double when_s);
void clg_lane_take_arrivals(clg_lane *r);
void clg_lane_refuse_impossible(clg_lane *r);
bool clg_lane_held_back(const clg_lane *r);
int clg_lane_admit(clg_lane *r, int rank); /* CLG_NOBODY: it reads from the host first */

/* ---- dealing.c: who is dealt where, and what the fullest rank has */

void clg_lane_open_ranks(clg_arena *arena, clg_lane *r);
int clg_lane_rank_of_many(const clg_lane *r);

/* Prompt units that still fit on a rank. */
static inline int64_t clg_lane_room_of(const clg_lane *r, int rank) {
    const clg_iteration_cost *c = r->cost;
    int decoding = r->rules->prefill_alone ? 0 : r->rank[rank].decoding;
    int64_t taken = r->rank[rank].chunk;
    if (c->drafted <= 0) return r->most_tokens - decoding - taken;
    return (int64_t)((r->most_tokens - clg_lane_width_of(r, decoding, 0)) / c->gained) - taken;
}

static inline bool clg_lane_takes(const clg_lane *r, int rank, int64_t prompt) {
    int64_t room = clg_lane_room_of(r, rank);
    bool whole = r->rules->whole_prompts && r->rank[rank].prompts > 0;
    return r->rank[rank].partial == CLG_NOBODY && room > 0 && (!whole || prompt <= room);
}

/* Whether a rank has a place among its sequences, and tokens for the head of the queue. */
static inline bool clg_lane_open_to_next(const clg_lane *r, int rank) {
    return r->rank[rank].admitted < r->seats && clg_lane_takes(r, rank, clg_lane_next_target(r));
}

/* Of the head of the queue; CLG_NOBODY: none now. */
static inline int clg_lane_next_rank(const clg_lane *r) {
    if (!clg_lane_anybody_waits(r) || r->admitted >= r->rules->max_sequences ||
        clg_lane_next_blocks(r) > r->free_blocks)
        return CLG_NOBODY;
    if (r->ranks > 1) return clg_lane_rank_of_many(r);
    return clg_lane_open_to_next(r, 0) ? 0 : CLG_NOBODY;
}

static inline bool clg_lane_admissible(const clg_lane *r) {
    return clg_lane_next_rank(r) != CLG_NOBODY;
}

static inline bool clg_lane_any_partial(const clg_lane *r) {
    for (int i = 0; i < r->ranks; i++)
        if (r->rank[i].partial != CLG_NOBODY) return true;
    return false;
}

/* Sequences of an iteration of a rank: with those that decode, unless prompts are computed alone.
 */
static inline int clg_lane_sequences_of(const clg_rank *rank, bool alone) {
    return (alone ? 0 : rank->decoding) + rank->prompts;
}

static inline double clg_lane_width_on(const clg_lane *r, const clg_rank *rank, bool alone) {
    return clg_lane_width_of(r, alone ? 0 : rank->decoding, (double)rank->chunk);
}

/* Contexts and states of those that decode, query-key pairs and states of prompts. */
static inline double clg_lane_beside_of(const clg_iteration_cost *c, const clg_rank *rank,
                                        bool alone) {
    double prompts = c->pair_s * rank->pairs + c->scan_s * (double)rank->chunk;
    if (alone) return prompts;
    double tokens = (double)rank->context + c->context_pad * rank->decoding;
    double context_s = c->context_s + (rank->chunk > 0 ? c->mixed_s : 0);
    return context_s * tokens + c->state_s * rank->decoding + prompts;
}

int clg_lane_crowd_of_many(const clg_lane *r, bool alone);
double clg_lane_widest_of_many(const clg_lane *r, bool alone);
double clg_lane_beside_many_s(const clg_lane *r, bool alone, double *rise_s, int64_t *steps);

/* Of an iteration, had each rank what the fullest has: sequences, tokens, and what contexts and
 * prompts add to it, for *steps steps or fewer; alone: without the sequences that decode. */
static inline int clg_lane_crowd(const clg_lane *r, bool alone) {
    return r->ranks > 1 ? clg_lane_crowd_of_many(r, alone) : clg_lane_sequences_of(r->rank, alone);
}

static inline double clg_lane_widest(const clg_lane *r, bool alone) {
    return r->ranks > 1 ? clg_lane_widest_of_many(r, alone) : clg_lane_width_on(r, r->rank, alone);
}

static inline double clg_lane_beside_s(const clg_lane *r, bool alone, double *rise_s,
                                       int64_t *steps) {
    if (r->ranks > 1) return clg_lane_beside_many_s(r, alone, rise_s, steps);
    *rise_s = r->cost->context_s * r->rank->decoding;
    return clg_lane_beside_of(r->cost, r->rank, alone);
}

/* ---- reading.c: prompts that are read back from the host's memory */

void clg_lane_read_back(clg_lane *r, int id, int64_t tokens);
int clg_lane_next_read(const clg_lane *r); /* who is through, CLG_NOBODY: no one */
void clg_lane_end_read(clg_lane *r);

/* ---- pace.c: how long iterations take */

double clg_lane_shared_less_s(const clg_lane *r, double crowded, double there);
clg_pace clg_lane_pace_of(const clg_lane *r, int64_t *steps);
int64_t clg_lane_steps_until(clg_pace p, double seconds, int64_t most);
int64_t clg_lane_steps_with_blocks(const clg_lane *r, int64_t most, int64_t *taken);
int clg_lane_launched_of(const clg_lane *r, int prompts, double tokens);

/* ---- batching.c: lengths and times in units of what an iteration gains */

clg_arrival clg_request_in_units(const clg_arrival *request, double unit);
clg_iteration_cost clg_cost_in_units(const clg_iteration_cost *cost);
clg_serve_rules clg_rules_in_units(const clg_serve_rules *rules, double unit);
void clg_totals_in_tokens(const clg_demand *demand, int64_t first, int64_t stride,
                          const clg_served *served, double unit, clg_serve_totals *totals);

/* ---- loop.c: all of it, in such units, or event by event */

void clg_lane_open(clg_arena *arena, clg_lane *r);
void clg_lane_step(clg_lane *r);
void clg_lane_close(clg_lane *r);
void clg_lane_add_front_end(const clg_lane *r, int64_t index); /* to the times of one that is
                                                                  through */

void clg_lane_run(clg_arena *arena, const clg_iteration_cost *cost, const clg_serve_rules *rules,
                  const clg_demand *demand, int64_t first, int64_t stride, clg_served *served,
                  clg_serve_totals *totals);

#endif
