/* admission.c -- requests on their way to the scheduler, and who of them is admitted. */
#include "batching/lane.h"

/* A client that has its answer asks again; one that got more tokens is later than it finished. */
void clg_lane_client_asks(clg_lane *r, double when_s) {
    int64_t n = r->rules->clients, at = r->front.asks;
    if (n == 0) return;
    for (r->front.asks++; at > r->front.asked && r->front.asks_s[(at - 1) % n] > when_s; at--)
        r->front.asks_s[at % n] = r->front.asks_s[(at - 1) % n];
    r->front.asks_s[at % n] = when_s;
}

void clg_lane_take_arrivals(clg_lane *r) {
    for (double when; clg_lane_next_ask_s(r) <= clg_lane_seen_s(r) && /* the sooner to tell */
                      (when = clg_lane_next_arrival_s(r)) <= clg_lane_seen_s(r);) {
        r->served[clg_lane_index_of(r, r->requests.end)].arrival_s = clg_lane_next_ask_s(r);
        *clg_lane_front_of(r) = clg_lane_next_through_s(r);
        r->front.ready_s = when;
        r->requests.end++;
        r->front.asked++;
    }
}

/* Refuses what could never fit, however long it waited. */
void clg_lane_refuse_impossible(clg_lane *r) {
    while (r->preempted_count == 0 && r->requests.begin < r->requests.end) {
        int64_t index = clg_lane_index_of(r, r->requests.begin);
        const clg_arrival *q = clg_lane_request_at(r, index);
        if (clg_lane_blocks_of(r, (int64_t)q->prompt_tokens + q->output_tokens) <= r->rules->blocks)
            return;
        r->served[index].first_token_s = r->served[index].finish_s = -1;
        r->totals->refused++;
        clg_lane_note_through(r, index);
        clg_lane_client_asks(r, r->now_s + r->rules->front.after_s);
        r->requests.begin++;
    }
}

/* Whether the prompts that an iteration could take make as many tokens, or are as many, as is
 * waited for. */
static bool gathered(const clg_lane *r) {
    const clg_serve_rules *rules = r->rules;
    int64_t tokens = r->decoding, seats = rules->max_sequences - r->admitted, prompts = 0;
    int64_t blocks = r->free_blocks, most = 0;
    for (int i = 0; i < r->ranks; i++) most += clg_lane_room_of(r, i);
    int64_t ranks = rules->wait_ranks > 0 ? rules->wait_ranks : INT64_MAX;
    int64_t enough = rules->wait_ranks > 0 ? INT64_MAX : rules->wait_tokens;
    for (int64_t at = r->requests.begin; at < r->requests.end && seats > prompts; at++) {
        if (tokens >= enough || prompts >= ranks) return true;
        const clg_arrival *q = clg_lane_request_at(r, clg_lane_index_of(r, at));
        int64_t answer = rules->reserve_output ? q->output_tokens : 0;
        blocks -= clg_lane_blocks_of(r, q->prompt_tokens + answer);
        most -= q->prompt_tokens;
        if (blocks < 0 || (most < 0 && rules->whole_prompts)) break;
        tokens += q->prompt_tokens;
        prompts++;
    }
    return tokens >= enough || prompts >= ranks;
}

/* Whether prompts that could start are held back: others decode (by ranks: each may), too few have
 * gathered, and they have not waited long enough. */
bool clg_lane_held_back(const clg_lane *r) {
    const clg_serve_rules *rules = r->rules;
    int64_t decoding = rules->wait_ranks > 0 ? rules->wait_ranks : 1;
    return r->waited < rules->wait_iterations && r->decoding >= decoding &&
           !clg_lane_any_partial(r) && r->preempted_count == 0 && !gathered(r);
}

/* What of a prompt is in the cache, *read of it in the host's; its last token is always computed.
 */
static int64_t find_prefix(clg_lane *r, const clg_sequence *s, int64_t *read) {
    const clg_demand *d = r->demand;
    *read = 0;
    if (r->rules->cached_share > 0 && !r->rules->prefilled) {
        *read = (int64_t)(r->rules->read_share * ((double)s->target - 1));
        return (int64_t)(r->rules->cached_share * ((double)s->target - 1));
    }
    if (!r->prefix.tier) return 0;
    double each = clg_lane_prefix_tokens(r);
    double held = (double)(r->free_blocks + r->prompt_blocks) * r->rules->block_tokens;
    const clg_arrival *q = clg_lane_request_at(r, s->request);
    int64_t hits =
        clg_prefix_find(&r->prefix, d->prefix + q->block, q->blocks, (int64_t)(held / each), read);
    int64_t tokens = (int64_t)((double)hits * each);
    *read = (int64_t)((double)*read * each);
    if (*read >= s->target) *read = s->target - 1;
    return tokens < s->target ? tokens : s->target - 1;
}

/* Takes the head of the queue into the batch, its blocks with it. */
int clg_lane_admit(clg_lane *r, int rank) {
    int id;
    bool again = r->preempted_count > 0;
    if (again)
        id = r->preempted[--r->preempted_count];
    else {
        id = r->unused[--r->unused_count];
        int64_t index = clg_lane_index_of(r, r->requests.begin++);
        r->pool[id] = (clg_sequence){.request = index,
                                     .target = clg_lane_request_at(r, index)->prompt_tokens,
                                     .heap = CLG_NOBODY};
        r->served[index].first_token_s = r->served[index].finish_s = -1;
    }
    clg_sequence *s = &r->pool[id];
    int64_t read;
    s->rank = rank;
    s->done = find_prefix(r, s, &read);
    if (!again) { /* what a preempted one finds is what it had computed */
        r->totals->cached_tokens += s->done;
        r->totals->read_tokens += read;
    }
    r->free_blocks -= clg_lane_held(r, s);
    r->waited = 0;
    clg_lane_join(r, id);
    if (read == 0) return id;
    clg_lane_read_back(r, id, read);
    return CLG_NOBODY;
}
