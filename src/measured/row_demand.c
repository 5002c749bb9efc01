/* row_demand.c -- see the header. */
#include "measured/row_demand.h"

#include "base/real.h"
#include "demand/random.h"

#include <math.h>

static const uint64_t seed = 11;

/* So many lengths of a table, one of each of as many equal parts of its texts, in random order
 * (Fisher and Yates; Durstenfeld 1964): the longest of a few hundred drawn one by one, which ends a
 * run of all at once, would else be luck. */
static double *lengths_of(clg_arena *arena, const clg_length_ends *ends, int64_t count,
                          clg_random *random) {
    double *length = clg_take(arena, (size_t)count + 1, double);
    for (int64_t i = 0; i < count; i++) {
        int64_t at = (int64_t)(clg_random_unit(random) * (double)(i + 1));
        length[i] = length[at];
        length[at] = round(clg_length_at(ends, ((double)i + 0.5) / (double)count));
    }
    return length;
}

static double length_of(const clg_serve_plan *p, double nominal, clg_random *random) {
    double share = p->load.shortest + (1 - p->load.shortest) * clg_random_unit(random);
    if (p->load.spread > 0) {
        double sigma = sqrt(clg_log1p(p->load.spread * p->load.spread));
        share = clg_exp(sigma * clg_random_normal(random) - sigma * sigma / 2);
    }
    return fmax(1, round(nominal * share));
}

/* Identities of the blocks of so many different prompts; those that come again are found in the
 * cache. A block that is not full is not kept (vLLM v1 kv_cache_manager). */
static void name_blocks(clg_arena *arena, clg_demand *d, int64_t distinct, int32_t block_tokens) {
    int64_t count = 0;
    for (int64_t i = 0; i < distinct; i++) count += d->request[i].prompt_tokens / block_tokens;
    uint32_t *prefix = clg_take(arena, (size_t)count + 1, uint32_t);
    for (int64_t i = 0; i < count; i++) prefix[i] = (uint32_t)i;
    d->prefix = prefix;
    d->prefixes = count;
    d->prefix_tokens = block_tokens;
    uint32_t next = 0;
    for (int64_t i = 0; i < d->count; i++) {
        clg_arrival *q = &d->request[i];
        q->blocks = q->prompt_tokens / block_tokens;
        q->block = i < distinct ? next : d->request[i - distinct].block;
        if (i < distinct) next += (uint32_t)q->blocks;
    }
}

/* Tables print the mean of the lengths they drew, and draw as few as ten: ours are scaled to it. */
static void keep_means(const clg_serve_plan *p, clg_demand *d) {
    double prompts = 0, outputs = 0, share = p->load.spread > 0 ? 1 : (1 + p->load.shortest) / 2;
    double count = (double)d->count;
    for (int64_t i = 0; i < d->count; i++) {
        prompts += d->request[i].prompt_tokens / count;
        outputs += d->request[i].output_tokens / count;
    }
    for (int64_t i = 0; i < d->count; i++) {
        clg_arrival *q = &d->request[i];
        q->prompt_tokens =
            (int32_t)fmax(1, round(q->prompt_tokens * share * p->load.prompt_tokens / prompts));
        q->output_tokens =
            (int32_t)fmax(1, round(q->output_tokens * share * p->load.output_tokens / outputs));
    }
}

clg_demand clg_row_demand(clg_arena *arena, const clg_serve_plan *p, double block_tokens) {
    int64_t distinct =
        p->load.distinct < p->load.requests || p->load.seen > 0 ? p->load.distinct : 0;
    if (p->load.seen > 0 && distinct == 0) distinct = p->load.requests;
    clg_demand d = {.count = p->load.requests, .clients = (double)p->load.clients};
    clg_random random = {seed}, gaps = {seed + 1};
    double now_s = 0, *prompt = NULL, *output = NULL;
    if (p->load.lengths) {
        prompt = lengths_of(arena, &p->load.lengths->prompt, p->load.requests, &random);
        output = lengths_of(arena, &p->load.lengths->output, p->load.requests, &random);
    }
    d.request = clg_take(arena, (size_t)p->load.requests, clg_arrival);
    for (int64_t i = 0; i < d.count; i++) {
        if (p->load.request) {
            d.request[i] = p->load.request[i];
            continue;
        }
        bool again = distinct > 0 && i >= distinct;
        d.request[i].prompt_tokens =
            again ? d.request[i - distinct].prompt_tokens
                  : (int32_t)(prompt ? prompt[i] : length_of(p, p->load.prompt_tokens, &random));
        d.request[i].output_tokens =
            (int32_t)(output ? output[i] : length_of(p, p->load.output_tokens, &random));
        d.request[i].arrival_s = now_s;
        if (p->load.requests_per_s > 0)
            now_s += clg_random_gamma(&gaps, 1) / p->load.requests_per_s;
    }
    if (!p->load.request && (p->load.shortest < 1 || p->load.spread > 0 || p->load.lengths))
        keep_means(p, &d);
    if (distinct > 0) name_blocks(arena, &d, distinct, (int32_t)block_tokens);
    clg_demand_finish(arena, &d);
    return d;
}
