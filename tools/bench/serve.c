/* serve.c -- how fast serving is simulated, as ratios inside one run: requests per second on one
 * core against the same rules stepped one iteration at a time, on traces and on a made-up week.
 * Build and run: make bench SERVING="azure_llm_2023_conv.csv ..." */
#include "model/preset.h"
#include "serve/serve_answer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static clg_arena arena;

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Roomy memory, every iteration on its own: decode first, prompts in order. No heap, no blocks:
 * what the plainest event loop per iteration costs. Returns the time of the last answer. */
static double stepped(const clg_iteration_cost *c, const clg_serve_rules *r, const clg_demand *d) {
    int *left = calloc((size_t)d->count, sizeof *left),
        *done = calloc((size_t)d->count, sizeof *done);
    int64_t *batch = calloc((size_t)r->max_sequences, sizeof *batch), count = 0, next = 0;
    double now = d->request[0].arrival_s;
    while (next < d->count || count > 0) {
        if (count == 0 && d->request[next].arrival_s > now) now = d->request[next].arrival_s;
        while (next < d->count && d->request[next].arrival_s <= now && count < r->max_sequences) {
            left[next] = d->request[next].output_tokens;
            batch[count++] = next++;
        }
        double context = 0, pairs = 0;
        int64_t decoding = 0, prefill = 0, chunks = 0;
        for (int64_t i = 0; i < count; i++) {
            const clg_arrival *q = &d->request[batch[i]];
            if (done[batch[i]] < q->prompt_tokens) continue;
            decoding++;
            context += q->prompt_tokens + q->output_tokens - left[batch[i]];
        }
        for (int64_t i = 0; i < count; i++) {
            const clg_arrival *q = &d->request[batch[i]];
            int at = done[batch[i]], chunk = q->prompt_tokens - at;
            if (chunk == 0) {
                left[batch[i]]--;
                continue;
            }
            if (chunk > r->max_tokens - decoding - prefill)
                chunk = (int)(r->max_tokens - decoding - prefill);
            if (chunk <= 0) continue;
            prefill += chunk;
            chunks++;
            pairs += (double)chunk * (at + chunk / 2.0);
            done[batch[i]] += chunk;
            if (done[batch[i]] == q->prompt_tokens) left[batch[i]]--;
        }
        double seconds =
            c->dense_s[decoding + prefill] + c->context_s * context + c->pair_s * pairs;
        if (prefill > 0 && decoding + prefill > c->graph_tokens)
            seconds = fmax(seconds, c->eager_s);
        now += seconds + (double)(decoding + chunks) * c->sequence_s;
        for (int64_t i = 0; i < count;)
            if (left[batch[i]] == 0)
                batch[i] = batch[--count];
            else
                i++;
    }
    free(left);
    free(done);
    free(batch);
    return now;
}

enum { ROUNDS = 20 };

/* Memory without end where it is compared with the stepped loop, which knows no blocks. */
static void run(const clg_replica *r, const char *name, const clg_demand *d, int64_t replicas) {
    clg_arena_mark mark = clg_arena_here(&arena);
    clg_served *served = clg_take(&arena, (size_t)d->count, clg_served);
    clg_serve_totals t;
    double events = 0, iterations = 0;
    int rounds = replicas == 1 ? ROUNDS : 1;
    clg_serve_rules rules = r->rules;
    if (replicas == 1) rules.blocks = 1 << 30;
    double start = now_s();
    for (int64_t i = 0; i < replicas * rounds; i++) {
        clg_serve_simulate(&arena, &r->cost, &rules, d, i % replicas, replicas, served, &t);
        events += (double)t.events;
        iterations += (double)t.iterations;
    }
    double ours = (now_s() - start) / rounds, slow = 0;
    if (replicas == 1) {
        start = now_s();
        double end = 0;
        for (int i = 0; i < rounds; i++) end = stepped(&r->cost, &rules, d);
        slow = (now_s() - start) / rounds;
        if (fabs(end / t.end_s - 1) > 0.02) printf("the two disagree: %g s, %g s\n", end, t.end_s);
    }
    printf("%-32.32s %9lld requests, %lld replicas, %6.3f s: %5.2f M requests/s, %.1f iterations "
           "in an event",
           name, (long long)d->count, (long long)replicas, ours, (double)d->count / ours / 1e6,
           iterations / events);
    if (slow > 0) printf("; stepped %.3f s, %.1f times", slow, slow / ours);
    printf("\n");
    clg_arena_back_to(&arena, mark);
}

static const char *slurp(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*size + 1);
    *size = fread(text, 1, *size, file);
    fclose(file);
    return text;
}

static clg_demand made_up(double rate, double span_s, double peak) {
    clg_synthetic s = {.requests_per_s = rate,
                       .span_s = span_s,
                       .burstiness = 1,
                       .duty = 1,
                       .peak_over_mean = peak,
                       .prompt_tokens = 1155,
                       .output_tokens = 211,
                       .spread = 1,
                       .seed = 1};
    clg_demand d = {0};
    clg_error e = {0};
    clg_demand_make(&arena, &s, &d, &e);
    return d;
}

int main(int count, char **word) {
    clg_scenario s = {.expert_imbalance = 1};
    clg_machine *m = &s.machine;
    clg_error e = {0};
    clg_engine engine;
    clg_replica r;
    clg_replica_choice c = {.tp = 1, .compute = CLG_BF16, .weights = CLG_BF16, .cache = CLG_BF16};
    if (clg_model_find(&arena, "llama-3.1-8b", &s.model, &e) != CLG_OK ||
        clg_gpu_find(&arena, "h100-sxm", &m->gpu, &e) != CLG_OK ||
        clg_node_default(&arena, &m->gpu, &m->node, &e) != CLG_OK ||
        clg_fabric_find(&arena, m->node.fabric, &m->fabric, &e) != CLG_OK ||
        clg_scenario_prepare(&arena, &s, &e) != CLG_OK ||
        clg_engine_find(&arena, "vllm", &engine, &e) != CLG_OK)
        return 1;
    m->gpus = m->node.gpus;
    clg_demand hour = made_up(5, 3600, 1), week = made_up(73, 7 * 86400, 1.9);
    if (clg_replica_prepare(&arena, &s, &engine, &c, &hour, &r, &e) != CLG_OK) return 1;
    run(&r, "an hour at 5 a second", &hour, 1);
    for (int i = 1; i < count; i++) {
        size_t size;
        const char *text = slurp(word[i], &size);
        clg_demand d;
        if (text && clg_demand_read(&arena, word[i], text, size, &d, &e) == CLG_OK) {
            d.prefix = NULL;
            run(&r, d.title, &d, 1);
        }
    }
    run(&r, "a week at 73 a second", &week, 8);
    clg_arena_clear(&arena);
    return 0;
}
