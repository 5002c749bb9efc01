/* test_simulate.c -- continuous batching: conservation, limits, and against a slow, obvious
 * simulator that visits every sequence in every iteration. */
#include "serve/random.h"
#include "serve/simulate.h"
#include "test.h"

#include <stdlib.h>

enum { MOST = 400 };

#define RULES(s, t, b, n, c)                                                                       \
    (clg_serve_rules) {                                                                            \
        .max_sequences = s, .max_tokens = t, .block_tokens = b, .blocks = n, .clients = c          \
    }
#define ASK(when, prompt, output)                                                                  \
    { .arrival_s = when, .prompt_tokens = prompt, .output_tokens = output }

/* ---- the obvious one */

typedef struct slow {
    int64_t target, done, generated, blocks;
    bool in_batch, finished, decoding;
    double first_s, finish_s;
} slow;

static int64_t slow_blocks(const clg_serve_rules *rules, int64_t tokens) {
    return (tokens + rules->block_tokens - 1) / rules->block_tokens;
}

/* Batch and queue are plain arrays in order; the queue's head is its first element. */
typedef struct slow_state {
    slow s[MOST];
    int batch[MOST], batch_count, queue[MOST], queue_count;
    int64_t free_blocks, preemptions;
} slow_state;

static void remove_at(int *list, int *count, int at) {
    for (int i = at; i + 1 < *count; i++) list[i] = list[i + 1];
    --*count;
}

static void push_front(int *list, int *count, int id) {
    for (int i = *count; i > 0; i--) list[i] = list[i - 1];
    list[0] = id;
    ++*count;
}

static void slow_preempt(slow_state *w, const clg_demand *d) {
    int id = w->batch[--w->batch_count];
    slow *s = &w->s[id];
    w->free_blocks += s->blocks;
    s->blocks = 0;
    s->done = 0;
    s->decoding = s->in_batch = false;
    s->target = d->request[id].prompt_tokens + s->generated;
    push_front(w->queue, &w->queue_count, id);
    w->preemptions++;
}

/* One iteration; returns its seconds. */
static double slow_iteration(slow_state *w, const clg_iteration_cost *cost,
                             const clg_serve_rules *rules, const clg_demand *d, double now) {
    bool preempted = false;
    int decoding[MOST], decoders = 0;
    double context = 0, pairs = 0, prefilled = 0, chunks = 0;
    for (int i = 0; i < w->batch_count; i++) { /* a block for each decoding one, oldest first */
        slow *s = &w->s[w->batch[i]];
        if (!s->decoding) continue;
        int64_t have = s->target + s->done; /* done counts decode steps while decoding */
        bool gone = false;
        while (have % rules->block_tokens == 0 && w->free_blocks == 0 && !gone) {
            gone = w->batch_count - 1 == i;
            slow_preempt(w, d);
            preempted = true;
        }
        if (gone) break;
        if (have % rules->block_tokens == 0) w->free_blocks--, s->blocks++;
    }
    for (int i = 0; i < w->batch_count; i++)
        if (w->s[w->batch[i]].decoding) {
            decoding[decoders++] = w->batch[i];
            context += (double)(w->s[w->batch[i]].target + w->s[w->batch[i]].done);
        }
    int64_t budget = rules->max_tokens - decoders;
    int completing[MOST], completed = 0;
    for (int i = 0;; i++) { /* prompts: those in the batch, then the queue */
        if (budget <= 0) break;
        if (i >= w->batch_count) {
            if (preempted || w->queue_count == 0 || w->batch_count >= rules->max_sequences) break;
            int id = w->queue[0];
            int64_t need = slow_blocks(rules, w->s[id].target);
            if (need > w->free_blocks) break;
            remove_at(w->queue, &w->queue_count, 0);
            w->free_blocks -= need;
            w->s[id].blocks = need;
            w->batch[w->batch_count++] = id;
        }
        slow *s = &w->s[w->batch[i]];
        if (s->decoding) continue;
        int64_t q = s->target - s->done < budget ? s->target - s->done : budget;
        pairs += (double)q * ((double)s->done + (double)q / 2);
        s->done += q;
        budget -= q;
        prefilled += (double)q;
        chunks++;
        if (s->done == s->target) completing[completed++] = w->batch[i];
    }
    double crowd = 1; /* prompts of the fullest rank on every rank */
    if (cost->ranks > 1 && chunks > 0) crowd = ceil(chunks / cost->ranks) * cost->ranks / chunks;
    double width = ceil(decoders + prefilled * crowd);
    if (width > cost->max_tokens) width = cost->max_tokens;
    double seconds =
        cost->dense_s[(int)width] + cost->context_s * context + cost->pair_s * pairs * crowd;
    if (chunks > 0 && decoders + prefilled * crowd > cost->graph_tokens && seconds < cost->eager_s)
        seconds = cost->eager_s;
    seconds += (decoders + chunks) * cost->sequence_s;
    now += seconds;
    for (int i = 0; i < decoders; i++) w->s[decoding[i]].generated++, w->s[decoding[i]].done++;
    for (int i = 0; i < completed; i++) {
        slow *s = &w->s[completing[i]];
        if (s->generated++ == 0) s->first_s = now;
        s->decoding = true;
        s->done = 0;
    }
    for (int i = w->batch_count - 1; i >= 0; i--) {
        int id = w->batch[i];
        if (!w->s[id].decoding || w->s[id].generated < d->request[id].output_tokens) continue;
        w->s[id].finished = true;
        w->s[id].finish_s = now;
        w->free_blocks += w->s[id].blocks;
        remove_at(w->batch, &w->batch_count, i);
    }
    return seconds;
}

static void slow_simulate(const clg_iteration_cost *cost, const clg_serve_rules *rules,
                          const clg_demand *d, slow_state *w) {
    memset(w, 0, sizeof *w);
    w->free_blocks = rules->blocks;
    double now = d->request[0].arrival_s;
    int64_t next = 0;
    for (;;) {
        while (next < d->count && d->request[next].arrival_s <= now) {
            w->s[next].target = d->request[next].prompt_tokens;
            w->queue[w->queue_count++] = (int)next++;
        }
        if (w->batch_count == 0 && w->queue_count == 0) {
            if (next == d->count) return;
            now = d->request[next].arrival_s;
            continue;
        }
        now += slow_iteration(w, cost, rules, d, now);
    }
}

/* ---- */

static double dense[4097];

static clg_iteration_cost a_cost(void) {
    for (int t = 1; t <= 4096; t++) dense[t] = 0.005 + 1e-5 * t + (t > 64 ? 1e-5 * (t - 64) : 0);
    return (clg_iteration_cost){.dense_s = dense,
                                .max_tokens = 4096,
                                .sequence_s = 1e-6,
                                .context_s = 1.3e-8,
                                .pair_s = 2e-10};
}

static clg_demand a_demand(clg_arena *arena, int64_t count, double rate, uint64_t seed) {
    clg_synthetic s = {.requests_per_s = rate,
                       .span_s = 2 * (double)count / rate,
                       .burstiness = .5,
                       .peak_over_mean = 1,
                       .duty = 1,
                       .prompt_tokens = 300,
                       .output_tokens = 60,
                       .spread = 1,
                       .most = count,
                       .seed = seed};
    clg_demand d;
    clg_error error = {0};
    CHECK(clg_demand_make(arena, &s, &d, &error) == CLG_OK);
    return d;
}

static void compare(clg_arena *arena, double rate, clg_serve_rules rules, uint64_t seed,
                    int64_t *preemptions) {
    static slow_state w;
    clg_iteration_cost cost = a_cost();
    if (seed % 3 == 1) cost.eager_s = 0.011, cost.graph_tokens = 40;
    if (seed % 4 == 2) cost.ranks = 3;
    clg_demand d = a_demand(arena, 300, rate, seed);
    clg_served *served = clg_take(arena, (size_t)d.count, clg_served);
    clg_serve_totals t;
    int64_t longest = (d.longest_tokens + rules.block_tokens) / rules.block_tokens;
    if (rules.blocks < longest) rules.blocks = longest;
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
    slow_simulate(&cost, &rules, &d, &w);
    CHECK(t.preemptions == w.preemptions);
    for (int64_t i = 0; i < d.count; i++) {
        CHECK_NEAR(served[i].first_token_s, w.s[i].first_s, 1e-9);
        CHECK_NEAR(served[i].finish_s, w.s[i].finish_s, 1e-9);
    }
    CHECK(t.events < t.iterations || t.iterations == 0);
    *preemptions += t.preemptions;
}

static void conserve(clg_arena *arena, const clg_serve_rules *rules, const clg_demand *d) {
    clg_iteration_cost cost = a_cost();
    clg_served *served = clg_take(arena, (size_t)d->count, clg_served);
    clg_serve_totals t;
    clg_serve_simulate(arena, &cost, rules, d, 0, 1, served, &t);
    CHECK(t.finished + t.refused == d->count);
    CHECK(t.made_tokens == t.output_tokens);
    CHECK_NEAR(t.busy_s + t.idle_s, t.end_s - t.begin_s, 1e-9);
    if (t.refused == 0) CHECK(t.output_tokens == d->output_tokens);
    if (t.refused == 0) CHECK(t.prompt_tokens == d->prompt_tokens);
    CHECK(t.prefilled_tokens >= t.prompt_tokens);
    if (t.preemptions == 0) CHECK(t.prefilled_tokens == t.prompt_tokens);
    for (int64_t i = 0; i < d->count; i++)
        CHECK(served[i].finish_s < 0 || (served[i].arrival_s < served[i].first_token_s &&
                                         served[i].first_token_s <= served[i].finish_s));
}

int main(void) {
    clg_arena arena = {0};
    int64_t preemptions = 0;
    CASE("against the obvious simulator: roomy");
    for (uint64_t seed = 1; seed <= 20; seed++)
        compare(&arena, 2 + (double)seed, RULES(64, 512, 16, 100000, 0), seed, &preemptions);
    CHECK(preemptions == 0);
    CASE("against the obvious simulator: blocks run out");
    for (uint64_t seed = 1; seed <= 20; seed++)
        compare(&arena, 10 * (double)seed, RULES(64, 512, 16, 150, 0), seed, &preemptions);
    CHECK(preemptions > 100);
    CASE("against the obvious simulator: few places, small chunks, blocks of one");
    for (uint64_t seed = 1; seed <= 20; seed++)
        compare(&arena, 10 * (double)seed, RULES(8, 37, 1, 3000, 0), seed, &preemptions);
    CASE("conservation");
    for (uint64_t seed = 1; seed <= 10; seed++) {
        clg_demand d = a_demand(&arena, 3000, 5 * (double)seed, seed);
        clg_serve_rules roomy = RULES(256, 2048, 16, 100000, 0);
        clg_serve_rules tight = RULES(32, 256, 16, 60, 0);
        clg_serve_rules loop = RULES(32, 256, 16, 100000, 7);
        conserve(&arena, &roomy, &d);
        conserve(&arena, &tight, &d);
        conserve(&arena, &loop, &d);
    }
    CASE("batch 1: prefill and decodes one after the other");
    clg_iteration_cost cost = a_cost();
    clg_arrival one = ASK(3, 100, 50);
    clg_demand d = {.request = &one, .count = 1};
    clg_serve_rules rules = RULES(8, 512, 16, 1000, 0);
    clg_served served;
    clg_serve_totals t;
    clg_serve_simulate(&arena, &cost, &rules, &d, 0, 1, &served, &t);
    double first = dense[100] + 1e-6 + 2e-10 * 100 * 50;
    double rest = 49 * (dense[1] + 1e-6) + 1.3e-8 * (49 * 100 + 49 * 48 / 2);
    CHECK_NEAR(served.first_token_s, 3 + first, 1e-12);
    CHECK_NEAR(served.finish_s, 3 + first + rest, 1e-12);
    CHECK(t.iterations == 50 && t.idle_s == 0);
    CASE("launched kernel by kernel: only the prompt's iteration waits for the host");
    cost.eager_s = 0.5;
    cost.graph_tokens = 99;
    clg_serve_simulate(&arena, &cost, &rules, &d, 0, 1, &served, &t);
    CHECK_NEAR(served.first_token_s, 3 + 0.5 + 1e-6, 1e-12);
    CHECK_NEAR(served.finish_s - served.first_token_s, rest, 1e-12);
    cost.graph_tokens = 100;
    clg_serve_simulate(&arena, &cost, &rules, &d, 0, 1, &served, &t);
    CHECK_NEAR(served.first_token_s, 3 + first, 1e-12);
    CASE("four ranks: a lone prompt takes as long as four together");
    cost = a_cost();
    cost.ranks = 4;
    clg_serve_simulate(&arena, &cost, &rules, &d, 0, 1, &served, &t);
    CHECK_NEAR(served.first_token_s, 3 + dense[400] + 1e-6 + 2e-10 * 4 * 100 * 50, 1e-12);
    cost = a_cost();
    CASE("zero load: nobody waits for anybody");
    clg_arrival apart[3] = {ASK(0, 10, 5), ASK(100, 10, 5), ASK(200, 10, 5)};
    clg_served alone[3];
    d = (clg_demand){.request = apart, .count = 3};
    clg_serve_simulate(&arena, &cost, &rules, &d, 0, 1, alone, &t);
    CHECK_NEAR(alone[2].finish_s - 200, alone[0].finish_s, 1e-9);
    CHECK_NEAR(alone[1].first_token_s - 100, alone[0].first_token_s, 1e-9);
    CASE("infinite rate: idle never, the batch is full until the queue is empty");
    d = a_demand(&arena, 2000, 1e9, 5);
    clg_served *all = clg_take(&arena, 2000, clg_served);
    clg_serve_simulate(&arena, &cost, &rules, &d, 0, 1, all, &t);
    CHECK(t.idle_s < 1e-3 && t.full_tokens > 0 && t.full_s < t.end_s - t.begin_s);
    CHECK(t.sequence_s / t.busy_s > 7);
    CASE("a request that can never fit is refused, the others are served");
    clg_arrival mixed[3] = {ASK(0, 10, 5), ASK(0, 100000, 5), ASK(0, 10, 5)};
    d = (clg_demand){.request = mixed, .count = 3};
    clg_serve_simulate(&arena, &cost, &rules, &d, 0, 1, alone, &t);
    CHECK(t.refused == 1 && t.finished == 2 && alone[1].finish_s < 0);
    CASE("replicas share the requests");
    d = a_demand(&arena, 1001, 10, 9);
    clg_served *shared = clg_take(&arena, 1001, clg_served);
    int64_t finished = 0;
    for (int64_t first_of = 0; first_of < 3; first_of++) {
        clg_serve_simulate(&arena, &cost, &rules, &d, first_of, 3, shared, &t);
        finished += t.finished;
    }
    CHECK(finished == d.count);
    for (int64_t i = 0; i < d.count; i++) CHECK(shared[i].finish_s > 0);
    clg_arena_clear(&arena);
    return DONE;
}
