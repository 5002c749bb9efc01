/* test_pools.c -- prompts in one pool and answers in another: by hand, and against one pool after
 * the other where nobody waits for answers. */
#include "batching/batching.h"
#include "demand/random.h"
#include "test.h"

#include <stdlib.h>

enum { MOST = 16, REQUESTS = 300 };

/* A second for prompts, however many; 100 ms for whoever decodes. */
static double dense[MOST + 1], decode[MOST + 1], step_s = 0.1;

static clg_iteration_cost flat_cost(void) {
    for (int i = 0; i <= MOST; i++) dense[i] = 1, decode[i] = step_s;
    return (clg_iteration_cost){
        .dense_s = dense, .max_tokens = MOST, .decode_s = decode, .decodes = MOST};
}

static clg_serve_rules rules_of(int sequences) {
    return (clg_serve_rules){.max_sequences = sequences,
                             .max_tokens = MOST,
                             .block_tokens = 16,
                             .blocks = 1000,
                             .prefill_alone = true};
}

static void simulate(clg_arena *arena, int prompts, int answers, int64_t clients,
                     const clg_demand *d, clg_served *served) {
    clg_iteration_cost cost = flat_cost();
    clg_serve_rules first = rules_of(1), rest = rules_of(MOST);
    clg_serve_totals one[4], two[4];
    rest.prefilled = true;
    clg_pools pools = {
        {&cost, &first, prompts, one}, {&cost, &rest, answers, two}, clients, 0.5, 0.004};
    clg_pools_simulate(arena, &pools, d, served);
}

/* Four prompts of two clients, one after the other on one GPU: through at 1, 2, 3 and 4, sent in
 * 0.5 + 0.004 x tokens, and two tokens more in 0.2 where nobody else is. The third is asked when
 * the first is answered, at 1.74. */
static void check_by_hand(clg_arena *arena) {
    clg_arrival asked[4] = {{.prompt_tokens = 10, .output_tokens = 3},
                            {.prompt_tokens = 10, .output_tokens = 3},
                            {.prompt_tokens = 10, .output_tokens = 3},
                            {.prompt_tokens = 10, .output_tokens = 3}};
    clg_demand d = {.request = asked, .count = 4, .clients = 2};
    clg_served served[4];
    CASE("two clients, one GPU for prompts, two for answers");
    simulate(arena, 1, 2, 2, &d, served);
    const double arrival[] = {0, 0, 1.74, 2.74}, first[] = {1.54, 2.54, 3.54, 4.54};
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(served[i].arrival_s, arrival[i], 1e-12);
        CHECK_NEAR(served[i].first_token_s, first[i], 1e-12);
        CHECK_NEAR(served[i].finish_s, first[i] + 0.2, 1e-12);
    }
    CASE("who comes while another one decodes is taken in when an iteration ends, not when all do");
    asked[0].prompt_tokens = 9; /* there at 1.536, decodes to 3.536; the next is there at 2.54 */
    asked[0].output_tokens = 21;
    d.count = 2;
    simulate(arena, 1, 1, 2, &d, served);
    CHECK_NEAR(served[0].first_token_s, 1.536, 1e-12);
    CHECK_NEAR(served[0].finish_s, 3.536, 1e-12);
    CHECK_NEAR(served[1].first_token_s, 2.636, 1e-12);
    CASE("what fits in no cache is refused, and its client asks again");
    asked[0].prompt_tokens = 16 * 1000 + 1;
    d.count = 3;
    simulate(arena, 1, 1, 1, &d, served);
    CHECK(served[0].finish_s < 0);
    CHECK_NEAR(served[1].first_token_s, 1.54, 1e-12);
    CHECK_NEAR(served[2].arrival_s, 1.74, 1e-12);
}

static int by_time(const void *a, const void *b) {
    const clg_arrival *x = a, *y = b;
    return (x->arrival_s > y->arrival_s) - (x->arrival_s < y->arrival_s);
}

/* Answers of the second pool, in order of their arrival there. */
static void one_after_the_other(clg_arena *arena, const clg_demand *d, int prompts, int answers,
                                clg_arrival *sent, clg_served *served) {
    clg_iteration_cost cost = flat_cost();
    clg_serve_rules first = rules_of(1), rest = rules_of(MOST);
    clg_demand part = *d;
    clg_serve_totals t;
    rest.prefilled = true;
    part.request = sent;
    for (int i = 0; i < d->count; i++) sent[i] = d->request[i], sent[i].output_tokens = 1;
    for (int k = 0; k < prompts; k++)
        clg_serve_simulate(arena, &cost, &first, &part, k, prompts, served, &t);
    for (int i = 0; i < d->count; i++) {
        sent[i].arrival_s = served[i].first_token_s + 0.5 + 0.004 * sent[i].prompt_tokens;
        sent[i].output_tokens = d->request[i].output_tokens;
    }
    qsort(sent, (size_t)d->count, sizeof *sent, by_time);
    for (int k = 0; k < answers; k++)
        clg_serve_simulate(arena, &cost, &rest, &part, k, answers, served, &t);
}

static void check_open_loop(clg_arena *arena, int prompts, int answers, uint64_t seed) {
    clg_random random = {seed};
    clg_arrival request[REQUESTS], sent[REQUESTS];
    clg_served served[REQUESTS], apart[REQUESTS];
    clg_demand d = {.request = request, .count = REQUESTS};
    step_s = 0.1 + 1e-4 * 3.14159; /* no prompt comes just when an iteration ends */
    double now_s = 0, first = 0, last = 0, firsts = 0, lasts = 0;
    for (int i = 0; i < REQUESTS; i++) {
        now_s += clg_random_gamma(&random, 1) * 0.6;
        request[i] = (clg_arrival){.arrival_s = now_s,
                                   .prompt_tokens = 1 + (int32_t)(15 * clg_random_unit(&random)),
                                   .output_tokens = 1 + (int32_t)(40 * clg_random_unit(&random))};
    }
    simulate(arena, prompts, answers, 0, &d, served);
    one_after_the_other(arena, &d, prompts, answers, sent, apart);
    for (int i = 0; i < REQUESTS; i++) {
        first += served[i].first_token_s, last += served[i].finish_s;
        firsts += apart[i].first_token_s, lasts += apart[i].finish_s;
    }
    CHECK_NEAR(first, firsts, 1e-9);
    CHECK_NEAR(last, lasts, 1e-9);
}

/* Six prompts of a block each, which a run before sent too, dealt to two GPUs in turn: of the first
 * three, two are in the cache of the first GPU and one in that of the second, but for the last
 * token. */
static void check_seen(clg_arena *arena) {
    enum { N = 6, TOKENS = 16 };
    clg_arrival asked[N];
    uint32_t block[N];
    for (uint32_t i = 0; i < N; i++) {
        asked[i] =
            (clg_arrival){.prompt_tokens = TOKENS, .output_tokens = 1, .block = i, .blocks = 1};
        block[i] = i;
    }
    clg_demand d = {.request = asked, .count = N};
    d.prefix = block;
    d.prefixes = N;
    d.prefix_tokens = TOKENS;
    clg_iteration_cost cost = flat_cost();
    clg_serve_rules first = rules_of(1), rest = rules_of(MOST);
    clg_serve_totals one[2], two[1];
    clg_served served[N];
    rest.prefilled = true;
    clg_pools pools = {{&cost, &first, 2, one}, {&cost, &rest, 1, two}, 0, 0, 0};
    CASE("what a run before sent is in the cache of the GPU it was dealt to");
    clg_pools_simulate(arena, &pools, &d, served);
    CHECK(one[0].cached_tokens == 0 && one[1].cached_tokens == 0);
    first.prompts_seen = 3;
    clg_pools_simulate(arena, &pools, &d, served);
    CHECK(one[0].cached_tokens == 2 * (TOKENS - 1) && one[1].cached_tokens == TOKENS - 1);
}

int main(void) {
    clg_arena arena = {0};
    check_by_hand(&arena);
    check_seen(&arena);
    CASE("requests as they come: one pool after the other");
    for (uint64_t seed = 1; seed <= 8; seed++)
        check_open_loop(&arena, 1 + (int)seed % 3, 1 + (int)seed % 4, seed);
    clg_arena_clear(&arena);
    return DONE;
}
