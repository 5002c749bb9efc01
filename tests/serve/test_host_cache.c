/* test_host_cache.c -- prompts that the GPU's cache drops are read back from the host's memory. */
#include "batching/batching.h"
#include "batching/prefix.h"
#include "demand.h"
#include "demand/random.h"
#include "test.h"

static void tiers(clg_arena *arena) {
    const uint32_t a[] = {0, 1, 2}, n[] = {3, 4, 5, 6};
    int64_t read;
    clg_prefix_cache c;
    CASE("what leaves the GPU is read from the host, and the newest of all that fit are there");
    clg_prefix_open(arena, &c, 7, 6);
    clg_prefix_keep(&c, a, 3);
    clg_prefix_keep(&c, n, 4);
    CHECK(clg_prefix_find(&c, a, 3, 5, &read) == 2); /* 1 was on the host, 2 in neither */
    CHECK(read == 1 && c.count == 6 && c.kept == 6);
    CASE("read once, it is on the GPU again");
    CHECK(clg_prefix_find(&c, a, 2, 100, &read) == 2 && read == 0);
    CASE("a host smaller than the GPU's cache adds nothing: it keeps the same blocks");
    clg_prefix_open(arena, &c, 7, 2);
    clg_prefix_keep(&c, a, 3);
    clg_prefix_keep(&c, n, 4);
    CHECK(clg_prefix_find(&c, a, 3, 4, &read) == 0 && c.kept == 4 && c.count == 4);
}

/* ---- the obvious one: when each block was used last, and whether it is on the GPU */

enum { BLOCKS = 40 };
typedef struct slow {
    int64_t used[BLOCKS], now; /* 0: gone */
    bool here[BLOCKS];
} slow;

static int oldest_of(const slow *s, bool here_alone) {
    int found = -1;
    for (int i = 0; i < BLOCKS; i++)
        if (s->used[i] > 0 && (s->here[i] || !here_alone) &&
            (found < 0 || s->used[i] < s->used[found]))
            found = i;
    return found;
}

static int64_t count_of(const slow *s, bool here_alone) {
    int64_t count = 0;
    for (int i = 0; i < BLOCKS; i++) count += s->used[i] > 0 && (s->here[i] || !here_alone);
    return count;
}

static void slow_keep(slow *s, const uint32_t *block, int64_t blocks) {
    for (int64_t i = blocks - 1; i >= 0; i--) {
        s->used[block[i]] = ++s->now;
        s->here[block[i]] = true;
    }
}

static int64_t slow_find(slow *s, const uint32_t *block, int64_t blocks, int64_t room, int64_t host,
                         int64_t *read) {
    int64_t hits = 0;
    *read = 0;
    while (count_of(s, true) > room) s->here[oldest_of(s, true)] = false;
    while (count_of(s, false) > host && !s->here[oldest_of(s, false)])
        s->used[oldest_of(s, false)] = 0;
    for (; hits < blocks && s->used[block[hits]] > 0; hits++) *read += !s->here[block[hits]];
    slow_keep(s, block, hits);
    return hits;
}

static void against_slow(clg_arena *arena) {
    CASE("as a list of when each block was used last, by 20,000 chances");
    clg_random random = {7};
    for (int64_t host = 0; host < BLOCKS; host += 13) {
        clg_prefix_cache c;
        slow s = {0};
        clg_prefix_open(arena, &c, BLOCKS, host);
        for (int i = 0; i < 5000; i++) {
            uint32_t chain[4], tree = (uint32_t)(clg_random_unit(&random) * (BLOCKS / 4));
            for (uint32_t k = 0; k < 4; k++) chain[k] = 4 * tree + k;
            int64_t blocks = 1 + (int64_t)(clg_random_unit(&random) * 4), read, slowly;
            int64_t room = (int64_t)(clg_random_unit(&random) * BLOCKS);
            int64_t hits = clg_prefix_find(&c, chain, blocks, room, &read);
            CHECK(hits == slow_find(&s, chain, blocks, room, host, &slowly) && read == slowly);
            if (clg_random_unit(&random) < 0.5) continue;
            clg_prefix_keep(&c, chain, blocks);
            slow_keep(&s, chain, blocks);
        }
        CHECK(c.kept == count_of(&s, false) && c.count == count_of(&s, true));
    }
}

/* ---- one replica, every iteration a second */

enum { TOKENS = 100 };
static double dense[TOKENS + 1];

static clg_iteration_cost a_second(int ranks) {
    for (int i = 0; i <= TOKENS; i++) dense[i] = 1;
    return (clg_iteration_cost){.dense_s = dense, .max_tokens = TOKENS, .ranks = ranks};
}

/* Prompts of 20, 20 and 69 tokens in blocks of 10, then the first two again with 5 tokens more. */
static clg_demand again(void) {
    static clg_arrival request[] = {
        {.arrival_s = 0, .prompt_tokens = 20, .output_tokens = 1, .block = 0, .blocks = 2},
        {.arrival_s = 5, .prompt_tokens = 20, .output_tokens = 1, .block = 2, .blocks = 2},
        {.arrival_s = 10, .prompt_tokens = 69, .output_tokens = 1, .block = 4, .blocks = 7},
        {.arrival_s = 20, .prompt_tokens = 25, .output_tokens = 1, .block = 0, .blocks = 2},
        {.arrival_s = 20, .prompt_tokens = 25, .output_tokens = 1, .block = 2, .blocks = 2}};
    static const uint32_t prefix[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    return (clg_demand){.request = request,
                        .count = 5,
                        .prefix = prefix,
                        .prefixes = 11,
                        .prefix_tokens = 10,
                        .span_s = 30};
}

/* Four at a time, seven blocks of ten tokens. */
static clg_serve_rules seven_blocks(void) {
    return (clg_serve_rules){
        .max_sequences = 4, .max_tokens = TOKENS, .block_tokens = 10, .blocks = 7};
}

static void by_hand(clg_arena *arena) {
    clg_demand d = again();
    clg_served served[5];
    clg_serve_totals t;
    clg_serve_rules rules = seven_blocks();
    rules.host_tokens = 1000;
    rules.read_token_s = 0.25;
    clg_iteration_cost one = a_second(1), two = a_second(2);
    CASE("70 tokens drop 40 from the GPU: 20 are read in 5 s, over one link one after the other");
    clg_serve_simulate(arena, &one, &rules, &d, 0, 1, served, &t);
    CHECK(t.read_tokens == 40 && t.cached_tokens == 40 && t.prefilled_tokens == 159 - 40);
    CHECK_NEAR(served[3].first_token_s, 20 + 5 + 1, 1e-12);
    CHECK_NEAR(served[4].first_token_s, 20 + 10 + 1, 1e-12);
    CHECK_NEAR(t.busy_s + t.idle_s, t.end_s - t.begin_s, 1e-12);
    CASE("two ranks have a link each");
    clg_serve_simulate(arena, &two, &rules, &d, 0, 1, served, &t);
    CHECK_NEAR(served[3].first_token_s, 26, 1e-12);
    CHECK_NEAR(served[4].first_token_s, 26, 1e-12);
    CASE("without a host they are computed again, at once here");
    rules.host_tokens = 0;
    clg_serve_simulate(arena, &one, &rules, &d, 0, 1, served, &t);
    CHECK(t.read_tokens == 0 && t.cached_tokens == 0);
    CHECK_NEAR(served[4].first_token_s, 21, 1e-12);
    CASE("a share of every prompt: read before it is computed, as much as is said");
    rules.cached_share = 0.5;
    rules.read_share = 0.25;
    clg_serve_simulate(arena, &one, &rules, &d, 0, 1, served, &t);
    CHECK(t.read_tokens == 4 + 4 + 17 + 6 + 6 && t.cached_tokens == 9 + 9 + 34 + 12 + 12);
    CHECK_NEAR(served[2].first_token_s, 10 + 17 * 0.25 + 1, 1e-12);
}

/* Room for all prompts, or for 7 blocks: of the run before both short prompts and the first three
 * blocks of the long one, which drops the short ones when it comes. */
static void seen_before(clg_arena *arena) {
    clg_demand d = again();
    clg_served served[5];
    clg_serve_totals t;
    clg_serve_rules rules = seven_blocks();
    rules.blocks = 70;
    rules.prompts_seen = d.count;
    clg_iteration_cost one = a_second(1);
    CASE("prompts that came before are in the cache, but for the last token of each");
    clg_serve_simulate(arena, &one, &rules, &d, 0, 1, served, &t);
    CHECK(t.cached_tokens == 19 + 19 + 68 + 20 + 20);
    CASE("the first of them alone: its own 19 tokens more than nothing seen");
    rules.prompts_seen = 0;
    clg_serve_simulate(arena, &one, &rules, &d, 0, 1, served, &t);
    int64_t unseen = t.cached_tokens;
    rules.prompts_seen = 1;
    clg_serve_simulate(arena, &one, &rules, &d, 0, 1, served, &t);
    CHECK(t.cached_tokens == unseen + 19);
    CASE("their first ten tokens, of a run with shorter prompts: a block of each, then as unseen");
    rules.prompts_seen = d.count;
    rules.tokens_seen = 10;
    clg_serve_simulate(arena, &one, &rules, &d, 0, 1, served, &t);
    CHECK(t.cached_tokens == unseen + 3 * 10);
    rules.tokens_seen = 0;
    CASE("as far as there is room");
    rules.prompts_seen = d.count;
    rules.blocks = 7;
    clg_serve_simulate(arena, &one, &rules, &d, 0, 1, served, &t);
    CHECK(t.cached_tokens == 19 + 19 + 30);
    rules.prompts_seen = 0;
    clg_serve_simulate(arena, &one, &rules, &d, 0, 1, served, &t);
    CHECK(t.cached_tokens == 0);
}

static void who_decodes_goes_on(clg_arena *arena) {
    CASE("others decode while a prompt is read: a token a second, and it joins when it is there");
    clg_demand d = again();
    clg_arrival *q = clg_take(arena, 5, clg_arrival);
    for (int i = 0; i < 5; i++) q[i] = d.request[i];
    q[3].blocks = 0; /* like no other */
    q[3].output_tokens = 12;
    q[4].arrival_s = 20.5;
    d.request = q;
    clg_served served[5];
    clg_serve_totals t;
    clg_serve_rules rules = seven_blocks();
    rules.host_tokens = 1000;
    rules.read_token_s = 0.23;
    clg_iteration_cost one = a_second(1);
    clg_serve_simulate(arena, &one, &rules, &d, 0, 1, served, &t);
    CHECK(t.read_tokens == 20 && t.preemptions == 0);
    CHECK_NEAR(served[3].finish_s, 20 + 12, 1e-12);
    CHECK_NEAR(served[4].first_token_s, 27, 1e-12); /* seen at 21, read until 25.6, in that of 26 */
}

static void all_is_found(clg_arena *arena) {
    CASE("a host without end finds what a GPU without end does, whoever is preempted or waits");
    clg_synthetic s = demand_steady(0.02, 40000, 60, 10, 0.5, 3);
    s.turns = 5;
    s.turn_gap_s = 300;
    clg_demand d = demand_made(arena, s);
    clg_served *served = clg_take(arena, (size_t)d.count, clg_served);
    clg_serve_totals host, gpu;
    clg_serve_rules rules = {
        .max_sequences = 8, .max_tokens = TOKENS, .block_tokens = 16, .blocks = 400};
    clg_iteration_cost one = a_second(1);
    rules.blocks = (int64_t)1 << 30;
    clg_serve_simulate(arena, &one, &rules, &d, 0, 1, served, &gpu);
    rules.blocks = 40;
    rules.host_tokens = 1e12;
    clg_serve_simulate(arena, &one, &rules, &d, 0, 1, served, &host);
    CHECK(host.finished == d.count && host.read_tokens > host.cached_tokens / 4);
    CHECK_NEAR((double)host.cached_tokens, (double)gpu.cached_tokens, 0.02);
    CASE("none is lost where blocks are few and reading slow");
    rules.blocks = 30;
    rules.read_token_s = 0.2;
    clg_serve_simulate(arena, &one, &rules, &d, 0, 1, served, &host);
    CHECK(host.finished + host.refused == d.count);
    for (int64_t i = 0; i < d.count; i++)
        CHECK(served[i].finish_s < 0 || served[i].first_token_s > served[i].arrival_s);
}

int main(void) {
    clg_arena arena = {0};
    tiers(&arena);
    against_slow(&arena);
    by_hand(&arena);
    seen_before(&arena);
    who_decodes_goes_on(&arena);
    all_is_found(&arena);
    clg_arena_clear(&arena);
    return DONE;
}
