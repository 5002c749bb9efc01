/* turns.c -- see the header.
 *
 * Of requests that only begin alike the beginning alone is listed: what else they leave in a cache
 * is never asked for again, and goes before what each of them asks for. */
#include "demand/turns.h"

#include "demand/random.h"

#include <math.h>

static const double most_listed = 3e7;

/* Tokens of all prompts and answers of a conversation, its beginning included. */
static double said_in(const clg_demand *d, int64_t first, int turns, double shared) {
    double sum = shared;
    for (int t = 0; t < turns; t++) {
        const clg_arrival *q = &d->request[(first + t) % d->count];
        sum += (double)q->prompt_tokens + q->output_tokens;
    }
    return sum;
}

/* Blocks as engines have them, wider in conversations that would be more than 128 of them and where
 * the list would be too long: up to half a block of each prompt is then not found. */
static int32_t block_for(double tokens, double conversations) {
    int32_t block = 16;
    while (tokens / block > most_listed || tokens / conversations / block > 128) block *= 2;
    return block;
}

static int64_t listed(const clg_demand *d, const clg_synthetic *s, int turns, int32_t block) {
    int64_t blocks = (int64_t)s->shared_tokens / block;
    for (int64_t i = 0; turns > 1 && i < d->count; i++)
        blocks += (int64_t)said_in(d, i, turns, s->shared_tokens) / block;
    return blocks;
}

/* One conversation's blocks: the shared ones, then its own. Returns the identity after its last. */
static uint32_t list_blocks(uint32_t *list, int64_t blocks, int64_t shared, uint32_t next) {
    for (int64_t i = 0; i < blocks; i++) list[i] = i < shared ? (uint32_t)i : next++;
    return next;
}

static int32_t tokens_of(double tokens) { return (int32_t)fmin(tokens, 2e9); }

/* Turns of the conversation that request `first` of `from` opens. */
static void add_turns(const clg_demand *from, const clg_synthetic *s, int turns, int64_t first,
                      uint32_t block, clg_random *gaps, clg_demand *to) {
    double said = s->shared_tokens, now_s = from->request[first].arrival_s;
    for (int t = 0; t < turns; t++) {
        const clg_arrival *q = &from->request[(first + t) % from->count];
        clg_arrival *r = &to->request[to->count++];
        *r = (clg_arrival){.arrival_s = now_s, .block = block};
        r->prompt_tokens = tokens_of(said + q->prompt_tokens);
        r->output_tokens = q->output_tokens;
        said += (double)q->prompt_tokens + q->output_tokens;
        r->blocks = (int32_t)((turns > 1 ? said : s->shared_tokens) / to->prefix_tokens);
        now_s += clg_random_gamma(gaps, 1) * s->turn_gap_s;
        if (from->span_s > 0) now_s = fmod(now_s, from->span_s);
    }
}

void clg_demand_converse(clg_arena *arena, const clg_synthetic *s, clg_demand *d) {
    int turns = s->turns > 1 ? s->turns : 1;
    if (turns == 1 && s->shared_tokens < 1) return;
    double tokens = s->shared_tokens;
    for (int64_t i = 0; turns > 1 && i < d->count; i++)
        tokens += said_in(d, i, turns, s->shared_tokens);
    clg_demand made = *d;
    made.prefix_tokens = turns > 1 ? block_for(tokens, (double)d->count) : 16;
    int64_t shared = (int64_t)s->shared_tokens / made.prefix_tokens, at = 0;
    uint32_t *list = clg_take(arena, (size_t)listed(d, s, turns, made.prefix_tokens) + 1, uint32_t);
    uint32_t next = list_blocks(list, turns > 1 ? 0 : shared, shared, (uint32_t)shared);
    clg_random gaps = {s->seed ^ 0x2545F4914F6CDD1Du};
    made.request = clg_take(arena, (size_t)(d->count * turns), clg_arrival);
    made.count = 0;
    for (int64_t i = 0; i < d->count; i++) {
        add_turns(d, s, turns, i, (uint32_t)at, &gaps, &made);
        if (turns == 1) continue;
        int64_t blocks = (int64_t)said_in(d, i, turns, s->shared_tokens) / made.prefix_tokens;
        next = list_blocks(list + at, blocks, shared, next);
        at += blocks;
    }
    made.prefix = list;
    made.prefixes = next;
    *d = made;
    clg_demand_finish(arena, d);
    d->moved = 0;
}
