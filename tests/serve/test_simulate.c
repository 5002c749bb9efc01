/* test_simulate.c -- continuous batching: conservation, limits, and against a slow, obvious
 * simulator that visits every sequence in every iteration. */
#include "batching/batching.h"
#include "demand/random.h"
#include "test.h"

#include <stdlib.h>

enum { MOST = 400, SLOW_RANKS = 3 };

#define RULES(s, t, b, n, c)                                                                       \
    (clg_serve_rules) {                                                                            \
        .max_sequences = s, .max_tokens = t, .block_tokens = b, .blocks = n, .clients = c          \
    }
#define ASK(when, prompt, output)                                                                  \
    { .arrival_s = when, .prompt_tokens = prompt, .output_tokens = output }

/* ---- the obvious one */

typedef struct slow {
    int64_t target, done, generated, blocks;
    bool in_batch, finished, decoding, preempted;
    int rank;
    double first_s, finish_s;
} slow;

static int64_t slow_blocks(const clg_serve_rules *rules, int64_t tokens) {
    return (tokens + rules->block_tokens - 1) / rules->block_tokens;
}

/* Batch and queue are plain arrays in order; the queue's head is its first element. */
typedef struct slow_state {
    slow s[MOST];
    int batch[MOST], batch_count, queue[MOST], queue_count;
    int64_t free_blocks, preemptions, waited, unpolled;
    int ranks;
    bool prompted; /* the last iteration had prompts */
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
    s->preempted = true;
    s->target = d->request[id].prompt_tokens + s->generated;
    push_front(w->queue, &w->queue_count, id);
    w->preemptions++;
}

/* Whether prompts at the head of the queue, which could start, are held back. */
static bool slow_holds(const slow_state *w, const clg_serve_rules *rules, const clg_demand *d,
                       bool *could) {
    *could = false;
    int64_t tokens = 0, decoding = 0, blocks = w->free_blocks, prompts = 0, batch = w->batch_count;
    int64_t count = 0;
    for (int i = 0; i < w->batch_count; i++) {
        if (!w->s[w->batch[i]].decoding) return false;
        decoding++;
    }
    for (int i = 0; i < w->queue_count && batch < rules->max_sequences; i++, batch++) {
        const slow *s = &w->s[w->queue[i]];
        if (s->preempted) return false;
        int64_t answer = rules->reserve_output ? d->request[w->queue[i]].output_tokens : 0;
        blocks -= slow_blocks(rules, s->target + answer) + rules->sequence_blocks;
        if (blocks < 0) break;
        int64_t most = rules->max_tokens / w->ranks * w->ranks;
        if (rules->whole_prompts && prompts + s->target > most - decoding) break;
        prompts += s->target;
        count++;
    }
    *could = prompts > 0 && rules->max_tokens > decoding;
    tokens = decoding + prompts;
    if (rules->wait_ranks > 0)
        return decoding >= rules->wait_ranks && w->waited < rules->wait_iterations &&
               count < rules->wait_ranks;
    return decoding > 0 && w->waited < rules->wait_iterations && tokens < rules->wait_tokens;
}

static bool slow_grow(slow_state *w, const clg_serve_rules *rules, const clg_demand *d) {
    bool preempted = false;
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
    return preempted;
}

/* What an iteration has to do. */
typedef struct slow_batch {
    int decoders;
    double prefilled, chunks;
    bool late;
    struct {
        double decoders, context, pairs, prefilled, chunks, in_batch;
        bool cut; /* a prompt is not through */
    } on[SLOW_RANKS];
} slow_batch;

/* Token by token and rank by rank: the fullest, times their number. */
static double slow_fullest(const clg_iteration_cost *cost, const slow_batch *b, int ranks,
                           double *sequences, double *width) {
    double beside = 0;
    *sequences = *width = 0;
    for (int i = 0; i < ranks; i++) {
        double own = cost->context_s * (b->on[i].context + cost->context_pad * b->on[i].decoders);
        own += cost->pair_s * b->on[i].pairs;
        own += cost->state_s * b->on[i].decoders + cost->scan_s * b->on[i].prefilled;
        beside = fmax(beside, own * ranks);
        *sequences = fmax(*sequences, ranks * (b->on[i].decoders + b->on[i].chunks));
        *width = fmax(*width, ranks * (b->on[i].decoders + b->on[i].prefilled));
    }
    return beside;
}

/* Seconds of a batch. */
static double slow_seconds(const clg_iteration_cost *cost, const slow_batch *b, int ranks) {
    double sequences, width, beside = slow_fullest(cost, b, ranks, &sequences, &width);
    if (width > cost->max_tokens) width = cost->max_tokens;
    double seconds = cost->dense_s[(int)width] + beside;
    if (cost->shared_s && b->chunks > 0) { /* experts: tokens as they are, unless in a graph */
        double there = ceil(b->decoders + b->prefilled);
        seconds -= cost->shared_s[(int)width] - cost->shared_s[(int)there];
    }
    bool many = b->chunks > 0 && width > cost->graph_tokens;
    /* micro-batch by micro-batch: those with a chunk, or all, wait for their launches */
    double host = sequences * cost->loop_sequence_s;
    int stages = cost->stages > 1 ? cost->stages : 1;
    if (!many && !b->late) host += cost->loop_s;
    for (int i = 0; i < stages && (many || b->late); i++)
        host += b->late || i < b->chunks ? cost->eager_s : seconds / stages;
    if (seconds < host) seconds = host;
    seconds += sequences * cost->sequence_s;
    return seconds;
}

static void slow_finish(slow_state *w, const clg_demand *d, double now) {
    for (int i = w->batch_count - 1; i >= 0; i--) {
        int id = w->batch[i];
        if (!w->s[id].decoding || w->s[id].generated < d->request[id].output_tokens) continue;
        w->s[id].finished = true;
        w->s[id].finish_s = now;
        w->free_blocks += w->s[id].blocks;
        remove_at(w->batch, &w->batch_count, i);
    }
}

static int64_t slow_room(const slow_state *w, const clg_serve_rules *rules, const slow_batch *b,
                         int rank) {
    if (b->on[rank].cut) return 0;
    return rules->max_tokens / w->ranks - (int64_t)(b->on[rank].decoders + b->on[rank].prefilled);
}

/* The rank of those that take the prompt with fewest sequences, or whose turn it is; -1: none. */
static int slow_deal(const slow_state *w, const clg_serve_rules *rules, const slow_batch *b,
                     int id) {
    int best = -1;
    bool whole = rules->whole_prompts;
    for (int i = 0; i < w->ranks; i++) {
        int64_t room = slow_room(w, rules, b, i);
        if (room <= 0 || (whole && b->on[i].chunks > 0 && w->s[id].target > room)) continue;
        if (b->on[i].in_batch >= (rules->max_sequences + w->ranks - 1) / w->ranks) continue;
        if (rules->dealt_in_turn && !w->s[id].preempted && id % w->ranks == i) return i;
        if (best < 0 || b->on[i].in_batch < b->on[best].in_batch) best = i;
    }
    return best;
}

/* One iteration; returns its seconds. */
static double slow_iteration(slow_state *w, const clg_iteration_cost *cost,
                             const clg_serve_rules *rules, const clg_demand *d, double now,
                             bool held) {
    bool preempted = slow_grow(w, rules, d);
    int decoding[MOST];
    slow_batch b = {0};
    for (int i = 0; i < w->batch_count; i++)
        if (w->s[w->batch[i]].decoding) {
            decoding[b.decoders++] = w->batch[i];
            int64_t own = w->s[w->batch[i]].target + w->s[w->batch[i]].done;
            b.on[w->s[w->batch[i]].rank].decoders++;
            b.on[w->s[w->batch[i]].rank].context += (double)own;
            b.late = b.late || (cost->graph_context > 0 && own >= cost->graph_context);
        }
    for (int i = 0; i < w->batch_count; i++) b.on[w->s[w->batch[i]].rank].in_batch++;
    int completing[MOST], completed = 0;
    for (int i = 0;; i++) { /* prompts: those in the batch, then the queue */
        if (i >= w->batch_count) {
            if (preempted || w->queue_count == 0 || w->batch_count >= rules->max_sequences) break;
            if (held) break;
            int id = w->queue[0];
            int64_t need = slow_blocks(rules, w->s[id].target) + rules->sequence_blocks;
            if (need > w->free_blocks) break;
            int rank = slow_deal(w, rules, &b, id);
            if (rank < 0) break;
            w->s[id].rank = rank;
            b.on[rank].in_batch++;
            remove_at(w->queue, &w->queue_count, 0);
            w->free_blocks -= need;
            w->waited = 0;
            w->s[id].blocks = need;
            w->batch[w->batch_count++] = id;
        }
        slow *s = &w->s[w->batch[i]];
        if (s->decoding) continue;
        int64_t budget = slow_room(w, rules, &b, s->rank);
        int64_t q = s->target - s->done < budget ? s->target - s->done : budget;
        b.on[s->rank].pairs += (double)q * ((double)s->done + (double)q / 2);
        s->done += q;
        b.on[s->rank].prefilled += (double)q;
        b.on[s->rank].chunks++;
        b.on[s->rank].cut = s->done < s->target;
        b.prefilled += (double)q;
        b.chunks++;
        if (s->done == s->target) completing[completed++] = w->batch[i];
    }
    double seconds = slow_seconds(cost, &b, w->ranks);
    w->prompted = b.chunks > 0;
    now += seconds;
    for (int i = 0; i < b.decoders; i++) w->s[decoding[i]].generated++, w->s[decoding[i]].done++;
    for (int i = 0; i < completed; i++) {
        slow *s = &w->s[completing[i]];
        if (s->generated++ == 0) s->first_s = now;
        s->decoding = true;
        s->done = 0;
    }
    slow_finish(w, d, now);
    return seconds;
}

static void slow_simulate(const clg_iteration_cost *cost, const clg_serve_rules *rules,
                          const clg_demand *d, slow_state *w) {
    memset(w, 0, sizeof *w);
    w->ranks = cost->ranks > 1 ? cost->ranks : 1;
    w->free_blocks = rules->blocks;
    static double ready_s[MOST]; /* at the scheduler */
    double through_s = 0;        /* the front end, one after the other */
    for (int64_t i = 0; i < d->count; i++) {
        if (through_s < d->request[i].arrival_s) through_s = d->request[i].arrival_s;
        through_s +=
            rules->front.turn_s + d->request[i].prompt_tokens * rules->front.prompt_token_s;
        ready_s[i] = through_s + rules->front.before_s;
    }
    double now = ready_s[0], began = now, looked = now;
    int64_t next = 0;
    for (;;) {
        if (w->prompted || ++w->unpolled >= rules->poll_iterations) {
            w->unpolled = 0;
            looked = rules->overlapped ? began : now;
        }
        while (next < d->count && ready_s[next] <= looked) {
            w->s[next].target = d->request[next].prompt_tokens;
            w->queue[w->queue_count++] = (int)next++;
        }
        if (w->batch_count == 0 && w->queue_count == 0) {
            if (next == d->count) return;
            if (ready_s[next] > now) now = ready_s[next];
            began = now;
            w->prompted = true; /* an idle engine looks all the time */
            continue;
        }
        bool could, held = slow_holds(w, rules, d, &could);
        began = now;
        now += slow_iteration(w, cost, rules, d, now, held);
        if (held && could) w->waited++;
    }
}

/* ---- */

static double dense[4097], by_all[4097];

static clg_iteration_cost a_cost(void) {
    for (int t = 1; t <= 4096; t++) by_all[t] = 0.002 + 4e-6 * t;
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
    if (seed % 7 == 4) cost.stages = 3, cost.eager_s = 0.004, cost.graph_tokens = 30;
    if (seed % 4 == 2) cost.ranks = 3;
    if (seed % 8 == 6) rules.dealt_in_turn = true;
    if (seed % 8 == 2) cost.shared_s = by_all;
    if (seed % 4 == 1) cost.loop_s = 0.00505, cost.loop_sequence_s = 1.05e-5;
    if (seed % 5 == 3) cost.eager_s = 0.009, cost.graph_context = 350;
    if (seed % 3 == 2) cost.state_s = 3.1e-5, cost.scan_s = 1.7e-6, rules.sequence_blocks = 3;
    if (seed % 2 == 0) rules.overlapped = true;
    if (seed % 3 == 0)
        rules.front.turn_s = 0.004, rules.front.prompt_token_s = 2e-5, rules.front.before_s = 0.002;
    if (seed % 5 == 0) rules.wait_iterations = 6, rules.wait_tokens = 300;
    if (seed % 10 == 5) rules.wait_ranks = 3;
    if (seed % 11 == 3) rules.poll_iterations = 7;
    if (seed % 3 == 2) cost.context_pad = 77;
    if (seed % 7 == 0) rules.whole_prompts = true;
    clg_demand d = a_demand(arena, 300, rate, seed);
    clg_served *served = clg_take(arena, (size_t)d.count, clg_served);
    clg_serve_totals t;
    int64_t longest =
        (d.longest_tokens + rules.block_tokens) / rules.block_tokens + rules.sequence_blocks;
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

/* Two requests at once, 130 and 70 tokens: read one after the other, each in 3 ms and 0.11 ms a
 * token, so 17.3 ms and 28 ms after they ask, and 1.9 ms later at the scheduler; the first one's
 * prefill is over long before, and to hand its token on takes 2 ms of the same front end. */
static void check_front_end(clg_arena *arena) {
    clg_iteration_cost cost = a_cost();
    clg_arrival two[2] = {ASK(2, 130, 1), ASK(2, 70, 1)};
    clg_demand d = {.request = two, .count = 2};
    clg_serve_rules rules = RULES(8, 512, 16, 1000, 0);
    rules.front.turn_s = 0.003;
    rules.front.prompt_token_s = 0.11e-3;
    rules.front.before_s = 0.0019;
    rules.front.after_s = 0.4;
    rules.front.token_s = 0.002;
    clg_served served[2];
    clg_serve_totals t;
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
    double first = dense[130] + 1e-6 + 2e-10 * 130 * 65, second = dense[70] + 1e-6 + 2e-10 * 2450;
    CHECK_NEAR(served[0].first_token_s, 2 + 0.0192 + first + 0.4, 1e-12);
    CHECK_NEAR(served[1].first_token_s, 2 + 0.0299 + 0.002 + second + 0.4, 1e-12);
    CHECK_NEAR(served[1].finish_s, served[1].first_token_s + 0.002, 1e-12);
    CHECK(served[1].arrival_s == 2);
    CHECK_NEAR(t.begin_s, 2.0192, 1e-12);
    rules.front_ends = 2; /* the second waits for nobody, but is not before the first */
    double both = dense[200] + 2e-6 + 2e-10 * (130 * 65 + 2450);
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
    CHECK_NEAR(served[0].first_token_s, 2 + 0.0192 + both + 0.4, 1e-12);
    CHECK_NEAR(served[1].first_token_s, served[0].first_token_s, 1e-12);
}

/* Two tokens: the first is seen with the second one, which is where it was. */
static void check_late_output(clg_arena *arena) {
    clg_iteration_cost cost = a_cost();
    clg_arrival one[1] = {ASK(2, 130, 2)};
    clg_demand d = {.request = one, .count = 1};
    clg_serve_rules rules = RULES(8, 512, 16, 1000, 0);
    clg_served served[1], late[1];
    clg_serve_totals t;
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
    rules.late_output = true;
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, late, &t);
    CHECK(served[0].first_token_s < served[0].finish_s);
    CHECK_NEAR(late[0].first_token_s, served[0].finish_s, 1e-12);
    CHECK(late[0].finish_s == served[0].finish_s);
}

/* A ninth comes while tokens of eight wait: behind all of them, or behind one of each. */
static void check_own_queues(clg_arena *arena) {
    clg_iteration_cost cost = a_cost();
    clg_arrival ask[9];
    for (int i = 0; i < 9; i++) ask[i] = (clg_arrival)ASK(0, 10, 41);
    ask[8].arrival_s = 0.05;
    clg_demand d = {.request = ask, .count = 9};
    clg_serve_rules rules = RULES(9, 512, 16, 1000, 0);
    clg_served served[9], own[9];
    clg_serve_totals t;
    rules.front.token_s = 0.1;
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
    rules.own_queues = true;
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, own, &t);
    CHECK(served[8].first_token_s > 0.05 + 2 * 0.9);
    CHECK(own[8].first_token_s > 0.05 && own[8].first_token_s <= 0.15 + 0.9);
    CHECK_NEAR(own[0].finish_s, served[0].finish_s, 1e-9);
}

/* Eight requests of 11 tokens at once, a tenth of a second to hand a token on: iterations take
 * milliseconds, so that the last tokens wait for the 80 before them, 8 s since the first ones were
 * made; through two front ends 4 s. */
static void check_handing_on(clg_arena *arena) {
    clg_iteration_cost cost = a_cost();
    clg_arrival ask[8];
    for (int i = 0; i < 8; i++) ask[i] = (clg_arrival)ASK(0, 10, 11);
    clg_demand d = {.request = ask, .count = 8};
    clg_serve_rules rules = RULES(8, 512, 16, 1000, 0);
    clg_served served[8];
    clg_serve_totals t;
    rules.front.token_s = 0.1;
    for (int ends = 1; ends <= 2; ends++) {
        rules.front_ends = ends;
        clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
        double first = dense[80] + 8e-6 + 2e-10 * 8 * 50;
        CHECK_NEAR(served[7].first_token_s, first, 1e-12);
        CHECK_NEAR(t.end_s, first + 8. / ends, 1e-12);
        CHECK_NEAR(served[7].finish_s, t.end_s + 1.1, 1e-12);
        CHECK_NEAR(t.busy_s + t.idle_s, t.end_s, 1e-12);
    }
}

/* Little's law, exact in a closed loop: as long as there are requests left, as many as there are
 * clients are between asking and the last token, whatever is in front of and behind the engine. */
static void check_clients(clg_arena *arena) {
    clg_iteration_cost cost = a_cost();
    clg_demand d = a_demand(arena, 900, 50, 7);
    clg_served *served = clg_take(arena, (size_t)d.count, clg_served);
    clg_serve_rules rules = RULES(32, 256, 16, 100000, 11);
    rules.front.turn_s = 0.003;
    rules.front.before_s = 0.002;
    rules.front.prompt_token_s = 0.05e-3;
    rules.front.after_s = 0.001;
    rules.front.token_s = 0.13e-3;
    rules.overlapped = true;
    clg_serve_totals t;
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
    double last_ask_s = served[d.count - 1].arrival_s;
    for (int64_t i = 11; i < d.count; i += 7) {
        double now = served[i].arrival_s;
        int outstanding = 0;
        for (int64_t j = 0; j < d.count; j++)
            outstanding += served[j].arrival_s <= now && served[j].finish_s > now + 1e-9;
        CHECK(outstanding == 11 && now <= last_ask_s);
        CHECK(served[i].arrival_s >= served[i - 1].arrival_s);
    }
}

/* One decodes, steps of s = dense[1] and more by its context; another asks in the middle of the
 * second step. Scheduled between steps its prompt is in the third, overlapped in the fourth. */
static void check_overlap(clg_arena *arena) {
    clg_iteration_cost cost = a_cost();
    cost.context_s = 0;
    double step = dense[1] + 1e-6, prompt = dense[100] + 1e-6 + 2e-10 * 5000;
    clg_arrival two[2] = {ASK(0, 100, 40), ASK(prompt + 1.5 * step, 50, 1)};
    clg_demand d = {.request = two, .count = 2};
    clg_serve_rules rules = RULES(8, 512, 16, 1000, 0);
    clg_served served[2];
    clg_serve_totals t;
    double own = dense[51] + 2e-6 + 2e-10 * 1250;
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
    CHECK_NEAR(served[1].first_token_s, prompt + 2 * step + own, 1e-12);
    rules.overlapped = true;
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
    CHECK_NEAR(served[1].first_token_s, prompt + 3 * step + own, 1e-12);
    CHECK_NEAR(served[0].finish_s, prompt + 38 * step + own, 1e-12);
    CASE("new requests are looked for in every fifth step alone, and after prompts");
    rules.poll_iterations = 5;
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
    CHECK_NEAR(served[1].first_token_s, prompt + 5 * step + own, 1e-12);
    CHECK_NEAR(served[0].finish_s, prompt + 38 * step + own, 1e-12);
    rules.poll_iterations = 0;
    CASE("an idle engine is never a step behind");
    two[1].arrival_s = 9;
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
    CHECK_NEAR(served[1].first_token_s, 9 + dense[50] + 1e-6 + 2e-10 * 1250, 1e-12);
}

/* One decodes; prompts of 50 ask one by one. Held back for 7 steps, or until 130 tokens wait with
 * the decoding one: three prompts, of which the third asks in the fifth step. */
static void check_wait(clg_arena *arena) {
    clg_iteration_cost cost = a_cost();
    cost.context_s = cost.pair_s = 0;
    double step = dense[1] + 1e-6, prompt = dense[100] + 1e-6;
    clg_arrival four[4] = {ASK(0, 100, 99), ASK(prompt + 0.5 * step, 50, 1),
                           ASK(prompt + 2.5 * step, 50, 1), ASK(prompt + 4.5 * step, 50, 1)};
    clg_demand d = {.request = four, .count = 3};
    clg_serve_rules rules = RULES(8, 512, 16, 1000, 0);
    rules.wait_iterations = 7;
    rules.wait_tokens = 130;
    rules.reserve_output = true;
    clg_served served[4];
    clg_serve_totals t;
    CASE("held back as long as allowed");
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
    CHECK_NEAR(served[1].first_token_s, prompt + 8 * step + dense[101] + 3e-6, 1e-12);
    CHECK_NEAR(served[2].first_token_s, served[1].first_token_s, 1e-12);
    CASE("held back until enough have gathered");
    d.count = 4;
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
    CHECK_NEAR(served[1].first_token_s, prompt + 5 * step + dense[151] + 4e-6, 1e-12);
    CHECK_NEAR(served[3].first_token_s, served[1].first_token_s, 1e-12);
    CASE("static batches: nobody joins until the last of the 99 tokens is out");
    clg_serve_rules whole = rules;
    whole.wait_iterations = whole.wait_tokens = INT64_MAX;
    clg_serve_simulate(arena, &cost, &whole, &d, 0, 1, served, &t);
    CHECK_NEAR(served[0].finish_s, prompt + 98 * step, 1e-12);
    CHECK_NEAR(served[3].first_token_s, prompt + 98 * step + dense[150] + 3e-6, 1e-12);
    CHECK_NEAR(served[1].first_token_s, served[3].first_token_s, 1e-12);
    CASE("held back until each of two ranks could start one, while each decodes");
    rules.wait_ranks = 2; /* one decodes: not held back */
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
    CHECK_NEAR(served[1].first_token_s, prompt + step + dense[51] + 2e-6, 1e-12);
    clg_arrival five[4] = {ASK(0, 50, 99), ASK(0, 50, 99), ASK(0, 50, 1), ASK(0, 50, 1)};
    d.request = five; /* two decode from the second iteration on; the last asks in the fourth */
    double both = dense[100] + 2e-6, pair = dense[2] + 2e-6;
    five[2].arrival_s = both + 0.5 * pair, five[3].arrival_s = both + 2.5 * pair;
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
    CHECK_NEAR(served[2].first_token_s, both + 3 * pair + dense[102] + 4e-6, 1e-12);
    CHECK_NEAR(served[3].first_token_s, served[2].first_token_s, 1e-12);
    d.count = 3; /* nobody else asks: seven iterations */
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
    CHECK_NEAR(served[2].first_token_s, both + 8 * pair + dense[52] + 3e-6, 1e-12);
    d.request = four;
    CASE("whole prompts: two of 50 beside a decoding one do not share 100 tokens with it");
    rules = RULES(8, 100, 16, 1000, 0);
    four[2].arrival_s = four[3].arrival_s = four[1].arrival_s;
    d.count = 3;
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
    CHECK_NEAR(served[2].first_token_s, prompt + step + dense[100] + 3e-6 + dense[2] + 2e-6, 1e-12);
    rules.whole_prompts = true;
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
    CHECK_NEAR(served[1].first_token_s, prompt + step + dense[51] + 2e-6, 1e-12);
    CHECK_NEAR(served[2].first_token_s, prompt + step + 2 * (dense[51] + 2e-6), 1e-12);
}

/* One request of 100 tokens and 20 to answer. */
static clg_served alone(clg_arena *arena, const clg_iteration_cost *cost) {
    clg_arrival one = ASK(0, 100, 20);
    clg_demand d = {.request = &one, .count = 1};
    clg_serve_rules rules = RULES(8, 512, 16, 1000, 0);
    clg_served served;
    clg_serve_totals t;
    clg_serve_simulate(arena, cost, &rules, &d, 0, 1, &served, &t);
    return served;
}

/* 100 tokens of prompt, 20 of answer, graphs to 110: ten steps read 100 to 109 tokens and make a
 * context of at most 110, the other nine are launched kernel by kernel in 9 ms. */
static void check_graph_context(clg_arena *arena) {
    clg_iteration_cost cost = a_cost();
    cost.graph_context = 110;
    cost.graph_tokens = 4096;
    cost.eager_s = 0.009;
    clg_served served = alone(arena, &cost);
    double first = dense[100] + 1e-6 + 2e-10 * 5000;
    double fast = 10 * (dense[1] + 1e-6) + 1.3e-8 * (10 * 100 + 45), late = 9 * (0.009 + 1e-6);
    CHECK_NEAR(served.finish_s, first + fast + late, 1e-12);
}

/* The host needs 6.8 ms and .5 for the sequence: longer than the prompt's 6.361 ms and than steps
 * that read 100 to 114 tokens at 20 us each beside 5.01 ms; the other four are the GPU's. */
static void check_host(clg_arena *arena) {
    clg_iteration_cost cost = a_cost();
    cost.context_s = 2e-5;
    cost.graph_tokens = 4096;
    cost.loop_s = 0.0068;
    cost.loop_sequence_s = 0.0005;
    clg_served served = alone(arena, &cost);
    double gpu = 4 * (0.00501 + 1e-6) + 2e-5 * (115 + 116 + 117 + 118);
    CHECK_NEAR(served.first_token_s, 0.0073 + 1e-6, 1e-12);
    CHECK_NEAR(served.finish_s, 16 * (0.0073 + 1e-6) + gpu, 1e-12);
}

static void check_against_slow(clg_arena *arena) {
    int64_t preemptions = 0;
    CASE("against the obvious simulator: roomy");
    for (uint64_t seed = 1; seed <= 20; seed++)
        compare(arena, 2 + (double)seed, RULES(64, 512, 16, 100000, 0), seed, &preemptions);
    CHECK(preemptions == 0);
    CASE("against the obvious simulator: blocks run out");
    for (uint64_t seed = 1; seed <= 20; seed++)
        compare(arena, 10 * (double)seed, RULES(64, 512, 16, 150, 0), seed, &preemptions);
    CHECK(preemptions > 100);
    CASE("against the obvious simulator: few places, small chunks, blocks of one");
    for (uint64_t seed = 1; seed <= 20; seed++)
        compare(arena, 10 * (double)seed, RULES(8, 37, 1, 3000, 0), seed, &preemptions);
    CASE("conservation");
    for (uint64_t seed = 1; seed <= 10; seed++) {
        clg_demand d = a_demand(arena, 3000, 5 * (double)seed, seed);
        clg_serve_rules roomy = RULES(256, 2048, 16, 100000, 0);
        clg_serve_rules tight = RULES(32, 256, 16, 60, 0);
        clg_serve_rules loop = RULES(32, 256, 16, 100000, 7);
        conserve(arena, &roomy, &d);
        conserve(arena, &tight, &d);
        conserve(arena, &loop, &d);
    }
}

static void check_crowds(clg_arena *arena) {
    clg_iteration_cost cost = a_cost();
    clg_demand d;
    clg_serve_rules rules = RULES(8, 512, 16, 1000, 0);
    clg_serve_totals t;
    CASE("zero load: nobody waits for anybody");
    clg_arrival apart[3] = {ASK(0, 10, 5), ASK(100, 10, 5), ASK(200, 10, 5)};
    clg_served alone[3];
    d = (clg_demand){.request = apart, .count = 3};
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, alone, &t);
    CHECK_NEAR(alone[2].finish_s - 200, alone[0].finish_s, 1e-9);
    CHECK_NEAR(alone[1].first_token_s - 100, alone[0].first_token_s, 1e-9);
    CASE("infinite rate: idle never, the batch is full until the queue is empty");
    d = a_demand(arena, 2000, 1e9, 5);
    clg_served *all = clg_take(arena, 2000, clg_served);
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, all, &t);
    CHECK(t.idle_s < 1e-3 && t.full_tokens > 0 && t.full_s < t.end_s - t.begin_s);
    CHECK(t.sequence_s / t.busy_s > 7);
    CASE("a request that can never fit is refused, the others are served");
    clg_arrival mixed[3] = {ASK(0, 10, 5), ASK(0, 100000, 5), ASK(0, 10, 5)};
    d = (clg_demand){.request = mixed, .count = 3};
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, alone, &t);
    CHECK(t.refused == 1 && t.finished == 2 && alone[1].finish_s < 0);
    CASE("replicas share the requests");
    d = a_demand(arena, 1001, 10, 9);
    clg_served *shared = clg_take(arena, 1001, clg_served);
    int64_t finished = 0;
    for (int64_t first_of = 0; first_of < 3; first_of++) {
        clg_serve_simulate(arena, &cost, &rules, &d, first_of, 3, shared, &t);
        finished += t.finished;
    }
    CHECK(finished == d.count);
    for (int64_t i = 0; i < d.count; i++) CHECK(shared[i].finish_s > 0);
}

static void check_one_replica(clg_arena *arena) {
    CASE("batch 1: prefill and decodes one after the other");
    clg_iteration_cost cost = a_cost();
    clg_arrival one = ASK(3, 100, 50);
    clg_demand d = {.request = &one, .count = 1};
    clg_serve_rules rules = RULES(8, 512, 16, 1000, 0);
    clg_served served;
    clg_serve_totals t;
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, &served, &t);
    double first = dense[100] + 1e-6 + 2e-10 * 100 * 50;
    double rest = 49 * (dense[1] + 1e-6) + 1.3e-8 * (49 * 100 + 49 * 48 / 2);
    CHECK_NEAR(served.first_token_s, 3 + first, 1e-12);
    CHECK_NEAR(served.finish_s, 3 + first + rest, 1e-12);
    CHECK(t.iterations == 50 && t.idle_s == 0);
    CASE("launched kernel by kernel: only the prompt's iteration waits for the host");
    cost.eager_s = 0.5;
    cost.graph_tokens = 99;
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, &served, &t);
    CHECK_NEAR(served.first_token_s, 3 + 0.5 + 1e-6, 1e-12);
    CHECK_NEAR(served.finish_s - served.first_token_s, rest, 1e-12);
    cost.graph_tokens = 100;
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, &served, &t);
    CHECK_NEAR(served.first_token_s, 3 + first, 1e-12);
    CASE("four ranks: a lone prompt takes as long as four together");
    cost = a_cost();
    cost.ranks = 4;
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, &served, &t);
    CHECK_NEAR(served.first_token_s, 3 + dense[400] + 4e-6 + 2e-10 * 4 * 100 * 50, 1e-12);
    CASE("of experts that they share, one of the 100 tokens that are there, not of 400");
    cost.shared_s = by_all; /* 4 us a token: 300 less */
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, &served, &t);
    double lone = dense[400] - 300 * 4e-6 + 4e-6 + 2e-10 * 4 * 100 * 50;
    CHECK_NEAR(served.first_token_s, 3 + lone, 1e-12);
    rules.prefill_alone = true;
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, &served, &t);
    CHECK_NEAR(served.first_token_s, 3 + lone, 1e-12);
    rules.prefill_alone = false;
    cost = a_cost();
}

/* Three requests at once on two ranks, an iteration of each of 50 tokens. To who has fewest
 * sequences: 80 and 20 tokens, then 30 to the first with a place and room, the second. First
 * iteration: 50 of the 80, and 20 + 30: as 100 tokens; the other 30 alone on the first rank, beside
 * two that decode on the second: as 60. In a second, two contexts of 21 and 31 on one rank are read
 * while the first reads one of 81. */
static void check_ranks(clg_arena *arena) {
    clg_iteration_cost cost = a_cost();
    clg_arrival three[] = {ASK(0, 80, 3), ASK(0, 20, 4), ASK(0, 30, 4)};
    clg_demand d = {.request = three, .count = 3};
    clg_serve_rules rules = RULES(8, 100, 16, 1000, 0);
    clg_served served[3];
    clg_serve_totals t;
    cost.ranks = 2;
    CASE("two ranks: each its own share of an iteration, all as slow as the fullest");
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
    /* pairs 20 x 10 + 30 x 15 = 650 on the second, 50 x 25 = 1,250 on the first; 2 prompts */
    double first = dense[100] + 2 * 1250 * 2e-10 + 4e-6;
    CHECK_NEAR(served[1].first_token_s, first, 1e-12);
    CHECK_NEAR(served[2].first_token_s, first, 1e-12);
    /* 30 x (50 + 15) = 1,950 pairs, 390 ns, are less than contexts of 20 + 30, 650 ns */
    double second = first + dense[60] + 2 * 50 * 1.3e-8 + 4e-6;
    CHECK_NEAR(served[0].first_token_s, second, 1e-12);
    double third = second + dense[4] + 2 * 80 * 1.3e-8 + 4e-6; /* 80 on one, 21 + 31 on the other */
    CHECK_NEAR(served[1].finish_s, third + dense[4] + 2 * 81 * 1.3e-8 + 4e-6, 1e-12);
    CASE("dealt in turn: the third goes to the first rank, whose iteration is full");
    rules.dealt_in_turn = true;
    three[0].prompt_tokens = 50;
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
    CHECK_NEAR(served[2].first_token_s, dense[100] + 2 * 1250 * 2e-10 + 4e-6, 1e-12);
    three[0].prompt_tokens = 10; /* it has room for 30 more: 40 tokens and two prompts there */
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
    CHECK_NEAR(served[2].first_token_s, dense[80] + 2 * 500 * 2e-10 + 4e-6, 1e-12);
    CASE("prompts alone: 50 tokens of all ranks, 25 of each");
    rules.prefill_alone = true;
    rules.prompt_tokens = 50; /* 10 + 15 of 30 and 20, then 15: as 50 tokens, then as 30 */
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
    double cut = dense[50] + 2 * 200 * 2e-10 + 4e-6;
    CHECK_NEAR(served[1].first_token_s, cut, 1e-12);
    CHECK_NEAR(served[2].first_token_s, cut + dense[30] + 2 * 15 * 22.5 * 2e-10 + 2e-6, 1e-12);
    rules.prefill_alone = false;
    CASE("experts that ranks share see the 60 tokens that are there, not 80");
    cost.shared_s = by_all;
    clg_serve_simulate(arena, &cost, &rules, &d, 0, 1, served, &t);
    CHECK_NEAR(served[2].first_token_s, dense[80] - 20 * 4e-6 + 2 * 500 * 2e-10 + 4e-6, 1e-12);
}

int main(void) {
    clg_arena arena = {0};
    check_ranks(&arena);
    CASE("front end: one request after the other");
    check_front_end(&arena);
    check_late_output(&arena);
    check_own_queues(&arena);
    check_handing_on(&arena);
    CASE("closed loop: as many outstanding as clients");
    check_clients(&arena);
    CASE("overlapped scheduling: one iteration later");
    check_overlap(&arena);
    check_wait(&arena);
    CASE("contexts too long for a CUDA graph");
    check_graph_context(&arena);
    CASE("a host that is slower than the GPU");
    check_host(&arena);
    check_against_slow(&arena);
    check_one_replica(&arena);
    check_crowds(&arena);
    clg_arena_clear(&arena);
    return DONE;
}
