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

/* What is written down turn by turn; lists of NULL: only counted. */
typedef struct talk {
    const clg_demand *from; /* the requests that open conversations, and whose lengths are taken */
    double shared, gap_s;
    int turns;
    clg_demand *to;
    uint32_t *list;
    double *said_s;
    int64_t listed;
    uint32_t known; /* identities given */
} talk;

static int64_t shared_blocks(const talk *t) { return (int64_t)t->shared / t->to->prefix_tokens; }

/* The next `blocks` of a conversation, said at a time. */
static void say(talk *t, int64_t blocks, double time_s) {
    for (int64_t i = 0; i < blocks; i++, t->listed++, t->known++) {
        if (!t->list) continue;
        t->list[t->listed] = t->known;
        t->said_s[t->known] = time_s;
    }
}

/* A list of its own for who begins, or goes on with what was said before the demand begins. */
static void begin(talk *t, int64_t blocks) {
    for (int64_t i = 0; i < shared_blocks(t); i++, t->listed++)
        if (t->list) t->list[t->listed] = (uint32_t)i;
    if (blocks > shared_blocks(t)) say(t, blocks - shared_blocks(t), -1);
}

static int32_t tokens_of(double tokens) { return (int32_t)fmin(tokens, 2e9); }

/* Turns of the conversation that request `first` opens. Who is not through when the demand ends is
 * at its beginning in the middle of another one that is as long. */
static void add_turns(talk *t, int64_t first, clg_random *gaps) {
    double said = t->shared, now_s = t->from->request[first].arrival_s, span_s = t->from->span_s;
    uint32_t block = (uint32_t)t->listed;
    int64_t held = 0;
    begin(t, 0);
    for (int i = 0; i < t->turns; i++) {
        const clg_arrival *q = &t->from->request[(first + i) % t->from->count];
        double prompt = said + q->prompt_tokens;
        said = prompt + q->output_tokens;
        int64_t blocks = (int64_t)said / t->to->prefix_tokens;
        held = held > shared_blocks(t) ? held : shared_blocks(t);
        say(t, blocks - held, now_s);
        held = blocks;
        if (t->list)
            t->to->request[t->to->count] =
                (clg_arrival){now_s, tokens_of(prompt), q->output_tokens, block, (int32_t)blocks};
        t->to->count++;
        now_s += clg_random_gamma(gaps, 1) * t->gap_s;
        if (span_s <= 0 || now_s < span_s || i + 1 == t->turns) continue;
        now_s = fmod(now_s, span_s);
        block = (uint32_t)t->listed;
        begin(t, held);
    }
}

static void converse(talk *t, uint64_t seed) {
    clg_random gaps = {seed ^ 0x2545F4914F6CDD1Du};
    t->listed = t->to->count = 0;
    t->known = (uint32_t)shared_blocks(t);
    for (int64_t i = 0; i < t->from->count; i++) add_turns(t, i, &gaps);
}

/* All begin with the same blocks, and nothing else of them is found again. */
static void begin_alike(clg_arena *arena, double shared, clg_demand *d) {
    d->prefix_tokens = 16;
    int64_t blocks = (int64_t)shared / d->prefix_tokens;
    uint32_t *list = clg_take(arena, (size_t)blocks + 1, uint32_t);
    for (int64_t i = 0; i < blocks; i++) list[i] = (uint32_t)i;
    for (int64_t i = 0; i < d->count; i++) {
        d->request[i].prompt_tokens = tokens_of(shared + d->request[i].prompt_tokens);
        d->request[i].blocks = (int32_t)blocks;
    }
    d->prefix = list;
    d->prefixes = blocks;
    clg_demand_finish(arena, d);
}

void clg_demand_converse(clg_arena *arena, const clg_synthetic *s, clg_demand *d) {
    int turns = s->turns > 1 ? s->turns : 1;
    if (turns == 1 && s->shared_tokens < 1) return;
    if (turns == 1) {
        begin_alike(arena, s->shared_tokens, d);
        return;
    }
    double tokens = s->shared_tokens;
    for (int64_t i = 0; i < d->count; i++) tokens += said_in(d, i, turns, s->shared_tokens);
    clg_demand made = *d;
    made.prefix_tokens = block_for(tokens, (double)d->count);
    talk t = {.from = d, .shared = s->shared_tokens, .gap_s = s->turn_gap_s, .turns = turns};
    t.to = &made;
    for (converse(&t, s->seed); (double)t.listed > 2 * most_listed; converse(&t, s->seed))
        made.prefix_tokens *= 2; /* who goes on long after the demand ends is listed each time */
    made.request = clg_take(arena, (size_t)made.count, clg_arrival);
    made.prefix = t.list = clg_take(arena, (size_t)t.listed + 1, uint32_t);
    made.said_s = t.said_s = clg_take(arena, (size_t)t.known + 1, double);
    for (uint32_t i = 0; i < (uint32_t)shared_blocks(&t); i++) t.said_s[i] = -1;
    converse(&t, s->seed);
    made.prefixes = t.known;
    *d = made;
    clg_demand_finish(arena, d);
    d->moved = 0;
}
