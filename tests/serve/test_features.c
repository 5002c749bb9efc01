/* test_features.c -- prefix caching, disaggregation, speculation, expert parallelism and the rules
 * of engines: nothing is lost, and each moves the way it must. */
#include "batching/prefix.h"
#include "demand.h"
#include "measured/measured.h"
#include "plan.h"
#include "serve/serve_answer.h"

#include <stdio.h>
#include <string.h>

typedef struct world {
    clg_arena arena;
    clg_scenario scenario;
} world;

static void build(world *w, const char *model, const char *gpu) {
    *w = (world){0};
    w->scenario = plan_scenario(&w->arena, model, gpu, NULL, 0);
}

static clg_demand at_rate(world *w, double rate, double span_s, double prompt, double output) {
    return demand_at_rate(&w->arena, rate, span_s, prompt, output, 0.5, 3);
}

static clg_replica replica_of(world *w, const clg_demand *d, const char *engine,
                              clg_replica_choice c) {
    clg_replica r = {0};
    clg_error error = {0};
    clg_engine e;
    CHECK(clg_engine_find(&w->arena, engine, &e, &error) == CLG_OK);
    c.weights = c.compute = c.cache = CLG_BF16;
    CHECK(clg_replica_prepare(&w->arena, &w->scenario, &e, &c, d, &r, &error) == CLG_OK);
    return r;
}

/* Serves, and checks what holds for every replica. */
static clg_fleet serve(world *w, const clg_replica *r, const clg_demand *d,
                       clg_serve_totals *totals) {
    clg_served *served = clg_take(&w->arena, (size_t)d->count, clg_served);
    clg_serve_totals t;
    clg_fleet f;
    clg_serve_target target = {1, 1, 0.5};
    clg_replica_serve(&w->arena, r, d, served, &t);
    CHECK(t.finished + t.refused == d->count);
    CHECK(t.refused > 0 || t.output_tokens == d->output_tokens);
    CHECK(t.refused > 0 || t.prompt_tokens == d->prompt_tokens);
    CHECK(t.made_tokens == t.output_tokens);
    CHECK_NEAR(t.busy_s + t.idle_s, t.end_s - t.begin_s, 1e-9);
    CHECK(t.busy_s > 0 && t.idle_s > -1e-9);
    for (int64_t i = 0; i < d->count; i++)
        CHECK(served[i].finish_s < 0 || (served[i].arrival_s < served[i].first_token_s &&
                                         served[i].first_token_s <= served[i].finish_s));
    *totals = t;
    clg_fleet_run(&w->arena, r, d, 1, &target, &f);
    return f;
}

static void check_prefix_list(void) {
    clg_arena arena = {0};
    clg_prefix_cache c;
    const uint32_t a[] = {0, 1, 2}, b[] = {0, 1, 3}, n[] = {4, 5};
    int64_t read;
    CASE("the least recently used block goes first, chains from their end");
    clg_prefix_open(&arena, &c, 6, 0);
    CHECK(clg_prefix_find(&c, a, 3, 100, &read) == 0);
    clg_prefix_keep(&c, a, 3);
    CHECK(c.count == 3 && clg_prefix_find(&c, b, 3, 100, &read) == 2);
    clg_prefix_keep(&c, n, 2);
    CHECK(c.count == 5 && clg_prefix_find(&c, a, 3, 4, &read) == 2); /* 2 was the oldest */
    CHECK(clg_prefix_find(&c, n, 2, 2, &read) == 0 && c.count == 2);
    CHECK(clg_prefix_find(&c, a, 2, 0, &read) == 0 && c.count == 0 && c.oldest == -1 &&
          c.newest == -1);
    clg_arena_clear(&arena);
}

/* Prompts that share two blocks of 512 tokens, and long answers. */
static clg_demand all_at_once_alike(world *w) {
    static char text[1 << 14];
    clg_demand d;
    clg_error error = {0};
    size_t used =
        (size_t)snprintf(text, sizeof text, "timestamp_ms,input_length,output_length,hash_ids\n");
    for (int i = 0; i < 100; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d,1030,500,1 2 1%02d\n", i, i);
    CHECK(clg_demand_read(&w->arena, "t", text, used, &d, &error) == CLG_OK);
    return d;
}

static void check_prefix_caching(world *w) {
    CASE("prefix caching: computed and found are the prompt, and first tokens come sooner");
    static char text[1 << 18];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "timestamp_ms,input_length,output_length,"
                                   "hash_ids\n");
    for (int i = 0; i < 800; i++) /* 40 conversations that grow by a block a turn */
        used += (size_t)snprintf(text + used, sizeof text - used, "%d,%d,40,9%02d 8%02d 7%d\n",
                                 i * 120, 1100 + 512 * (i / 40 % 2), i % 40, i % 40, i);
    clg_demand d;
    clg_error error = {0};
    CHECK(clg_demand_read(&w->arena, "t", text, used, &d, &error) == CLG_OK);
    CHECK(d.prefix && d.prefix_tokens == 512 && d.request[0].blocks == 2);
    CHECK(d.prefixes == 80 + 400);
    clg_replica on = replica_of(w, &d, "vllm", (clg_replica_choice){.tp = 1});
    clg_replica off =
        replica_of(w, &d, "vllm", (clg_replica_choice){.tp = 1, .no_prefix_cache = true});
    clg_serve_totals with, without;
    clg_fleet fast = serve(w, &on, &d, &with), slow = serve(w, &off, &d, &without);
    CHECK(with.prefilled_tokens + with.cached_tokens == d.prompt_tokens);
    CHECK(without.cached_tokens == 0 && without.prefilled_tokens == d.prompt_tokens);
    CHECK(with.cached_tokens == (800 - 40) * 1024);
    CHECK(fast.ttft_s.mean < slow.ttft_s.mean && fast.found.cached > 0.7);
    on.rules.blocks = 300; /* room for little more than who is there */
    serve(w, &on, &d, &without);
    CHECK(without.cached_tokens < with.cached_tokens / 2);
    CASE("who is preempted finds what it had computed: that is no prompt found");
    d = all_at_once_alike(w);
    on.rules.blocks = 700;
    fast = serve(w, &on, &d, &with);
    CHECK(with.preemptions > 10 && with.cached_tokens == (d.count - 1) * 1024);
    CHECK(fast.found.cached < 1);
}

static void check_disaggregation(world *w) {
    clg_demand d = at_rate(w, 12, 300, 2000, 200);
    clg_replica_choice split = {.tp = 1, .prefills = 1, .decodes = 1};
    clg_serve_totals one, two;
    CASE("disaggregation: decoding is not held up by prompts, and the cache is sent");
    clg_replica whole = replica_of(w, &d, "vllm", (clg_replica_choice){.tp = 1});
    clg_replica apart = replica_of(w, &d, "vllm", split);
    clg_fleet together = serve(w, &whole, &d, &one), parts = serve(w, &apart, &d, &two);
    CHECK(clg_replica_gpus(&apart) == 2 && apart.transfer_token_s > 0);
    CHECK(two.prefilled_tokens == d.prompt_tokens);
    CHECK(parts.tpot_s.p99 < together.tpot_s.p99);
    CASE("a slower link makes first tokens later, and nothing else");
    apart.transfer_token_s *= 100;
    clg_fleet slow = serve(w, &apart, &d, &two);
    CHECK(slow.ttft_s.mean > parts.ttft_s.mean + 0.05);
    CASE("more prefill replicas shorten the wait under load");
    clg_demand busy = at_rate(w, 22, 200, 2000, 50);
    clg_replica few = replica_of(w, &busy, "vllm", split);
    split.prefills = 2;
    clg_replica many = replica_of(w, &busy, "vllm", split);
    CHECK(serve(w, &many, &busy, &two).ttft_s.p99 < serve(w, &few, &busy, &two).ttft_s.p99);
    CASE("the floor of two pools is that of the slower one: no batch, cached or not, is above it");
    clg_demand_means means = clg_demand_means_of(&busy);
    clg_serve_question question = {.replica = &few, .demand = &busy, .target = {9e9, 9e9, 0.5}};
    clg_serve_answer lean, rich;
    clg_serve_capacity(&w->arena, &question, &lean);
    question.replica = &many;
    clg_serve_capacity(&w->arena, &question, &rich);
    CHECK(lean.floor_tokens_per_s >= lean.offline_tokens_per_s);
    CHECK(rich.floor_tokens_per_s >= rich.offline_tokens_per_s);
    CHECK_NEAR(rich.floor_tokens_per_s, 2 * lean.floor_tokens_per_s, 1e-9); /* prompts are slower */
    CHECK(clg_replica_steady_tokens_per_s(&many, &means, 1) < rich.floor_tokens_per_s);
    CASE("closed loop over two pools: as many outstanding as clients, to the microsecond");
    clg_demand loop = at_rate(w, 1e9, 1e-6, 500, 60);
    apart.rules.clients = 8;
    clg_served *served = clg_take(&w->arena, (size_t)loop.count, clg_served);
    clg_replica_serve(&w->arena, &apart, &loop, served, &two);
    CHECK(two.finished == loop.count);
    for (int64_t i = 0; i < loop.count; i += 7) {
        int outstanding = 0;
        for (int64_t j = 0; j < loop.count; j++)
            outstanding += served[j].arrival_s <= served[i].arrival_s &&
                           served[j].finish_s > served[i].arrival_s + 1e-5; /* settled */
        CHECK(outstanding <= 8);
    }
}

static void check_speculation(world *w) {
    clg_demand d = at_rate(w, 2, 300, 500, 200);
    clg_serve_totals t;
    CASE("speculation: accepted tokens shorten answers, refused ones lengthen them");
    clg_replica_choice c = {.tp = 1};
    clg_replica as_is = replica_of(w, &d, "vllm", c);
    double plain = serve(w, &as_is, &d, &t).tpot_s.mean;
    c.drafted = 3;
    c.accepted = 0.8;
    clg_replica good = replica_of(w, &d, "vllm", c);
    CHECK_NEAR(good.cost.gained, 1 + 0.8 + 0.64 + 0.512, 1e-12);
    double faster = serve(w, &good, &d, &t).tpot_s.mean;
    CHECK(faster < 0.6 * plain && faster > plain / good.cost.gained);
    c.accepted = 0;
    clg_replica bad = replica_of(w, &d, "vllm", c);
    CHECK(bad.cost.gained == 1 && serve(w, &bad, &d, &t).tpot_s.mean > plain);
    CASE("speculation gains less where the batch is full");
    c.accepted = 0.8;
    clg_demand burst = at_rate(w, 1e9, 2e-6, 300, 200);
    clg_replica full = replica_of(w, &burst, "vllm", (clg_replica_choice){.tp = 1});
    clg_replica guess = replica_of(w, &burst, "vllm", c);
    double base = serve(w, &full, &burst, &t).output_tokens_per_s;
    CHECK(serve(w, &guess, &burst, &t).output_tokens_per_s / base < plain / faster);
}

static void check_speculated_prefixes(world *w) {
    CASE("speculation finds as much of conversations in the cache: lengths differ, tokens do not");
    clg_synthetic talk = demand_steady(1, 400, 500, 100, 0, 1);
    talk.turns = 5;
    talk.turn_gap_s = 5;
    clg_demand d = demand_made(&w->arena, talk);
    clg_serve_totals plain, drafted;
    clg_replica as_is = replica_of(w, &d, "vllm", (clg_replica_choice){.tp = 1});
    clg_replica guess =
        replica_of(w, &d, "vllm", (clg_replica_choice){.tp = 1, .drafted = 3, .accepted = 0.7});
    serve(w, &as_is, &d, &plain);
    serve(w, &guess, &d, &drafted);
    CHECK(plain.cached_tokens > plain.prompt_tokens / 2);
    CHECK_NEAR((double)drafted.cached_tokens, (double)plain.cached_tokens, 0.01);
    CHECK_NEAR((double)(drafted.prefilled_tokens + drafted.cached_tokens),
               (double)drafted.prompt_tokens, 0.01);
}

static void check_rules(world *w) {
    clg_demand d = at_rate(w, 1e9, 1e-6, 400, 300);
    clg_serve_totals eager, careful;
    CASE("room reserved for the whole answer: never preempted");
    clg_replica_choice tight = {.tp = 1, .blocks = 1500};
    clg_replica vllm = replica_of(w, &d, "vllm", tight);
    tight.blocks = 750; /* of 32 tokens: as much */
    clg_replica trtllm = replica_of(w, &d, "trtllm", tight);
    serve(w, &vllm, &d, &eager);
    serve(w, &trtllm, &d, &careful);
    CHECK(eager.preemptions > 0 && careful.preemptions == 0);
    CHECK(careful.prefilled_tokens == d.prompt_tokens);
    CASE("prompts in iterations of their own: first tokens sooner, the others later");
    clg_demand load = at_rate(w, 15, 200, 1500, 150);
    clg_replica mixed = replica_of(w, &load, "vllm", (clg_replica_choice){.tp = 1});
    clg_replica alone = mixed;
    alone.rules.prefill_alone = true;
    clg_fleet m = serve(w, &mixed, &load, &eager), a = serve(w, &alone, &load, &careful);
    CHECK(a.ttft_s.mean < m.ttft_s.mean && a.tpot_s.mean > m.tpot_s.mean);
}

static void check_experts(void) {
    static world w;
    build(&w, "qwen3-235b-a22b", "h200-sxm");
    clg_demand d = at_rate(&w, 1e9, 0.3e-6, 500, 100);
    clg_serve_totals t;
    CASE("expert parallelism: as many weights a GPU, and nothing is lost");
    clg_replica split = replica_of(&w, &d, "vllm", (clg_replica_choice){.tp = 8});
    clg_replica grouped = replica_of(&w, &d, "vllm", (clg_replica_choice){.tp = 8, .ep = 8});
    CHECK_NEAR(split.room.weight_bytes, grouped.room.weight_bytes, 1e-9);
    serve(&w, &grouped, &d, &t);
    CASE("attention on ranks that share out sequences: no copies of keys and values");
    clg_replica shared =
        replica_of(&w, &d, "vllm", (clg_replica_choice){.tp = 1, .dp = 8, .ep = 8});
    CHECK(clg_replica_gpus(&shared) == 8 && shared.room.weight_bytes > grouped.room.weight_bytes);
    CHECK(shared.cost.context_s < split.cost.context_s); /* 4 heads of keys on 8 ranks */
    CASE("vLLM pads prompts to the fullest rank, SGLang's experts see the tokens that are there");
    clg_replica bare =
        replica_of(&w, &d, "sglang", (clg_replica_choice){.tp = 1, .dp = 8, .ep = 8});
    CHECK(!shared.cost.shared_s && bare.cost.shared_s);
    CASE("SGLang's limit of prompts is that of all ranks, vLLM's that of each");
    CHECK(bare.rules.prompt_tokens == 8192 && shared.rules.prompt_tokens == 0);
    CHECK(bare.rules.dealt_in_turn && !shared.rules.dealt_in_turn);
    serve(&w, &shared, &d, &t);
    CASE("an expert group that does not divide the GPUs is a sentence");
    clg_engine e;
    clg_replica r;
    clg_error error = {0};
    clg_replica_choice odd = {.tp = 8, .ep = 3, .weights = CLG_BF16, .compute = CLG_BF16};
    CHECK(clg_engine_find(&w.arena, "vllm", &e, &error) == CLG_OK);
    CHECK(clg_replica_prepare(&w.arena, &w.scenario, &e, &odd, &d, &r, &error) == CLG_BAD_INPUT);
    clg_arena_clear(&w.arena);
}

/* Between two points a straight line, below the first its seconds, above the last the last slope;
 * a group between two curves takes the wider one. */
static void check_reduce_curve(void) {
    clg_serve_curves c = {.reduces = 2};
    c.reduce[0] = (clg_reduce_curve){2, 3, {1000, 3000, 7000}, {5e-6, 6e-6, 14e-6}};
    c.reduce[1] = (clg_reduce_curve){8, 2, {1000, 3000}, {9e-6, 11e-6}};
    CHECK_NEAR(clg_reduce_curve_s(&c, 2, 10), 5e-6, 1e-15);
    CHECK_NEAR(clg_reduce_curve_s(&c, 2, 2500), 5.75e-6, 1e-15);
    CHECK_NEAR(clg_reduce_curve_s(&c, 2, 9000), 18e-6, 1e-15);
    CHECK_NEAR(clg_reduce_curve_s(&c, 4, 2000), 10e-6, 1e-15);
    CHECK_NEAR(clg_reduce_curve_s(&c, 16, 2000), 10e-6, 1e-15);
    c.reduces = 0;
    CHECK(isinf(clg_reduce_curve_s(&c, 2, 10)));
}

static void check_measured(void) {
    static const char text[] =
        "model,gpu,tp,weights,cache,prompt_tokens,output_tokens,requests,client,output_tokens_per_"
        "s\n"
        "llama-3.1-70b,h100-sxm,4,fp8,fp8,2048,128,3000,trtllm-bench,1000\n"
        "llama-3.1-70b,h100-sxm,0.5,fp8,fp8,2048,128,3000,trtllm-bench,1000\n"
        "some-70b,h100-sxm,4,fp8,fp8,2048,128,3000,trtllm-bench,1000\n"
        "llama-3.1-8b,h100-sxm,1,fp8,fp8,128,128,-3,trtllm-bench,1000\n";
    clg_arena arena = {0};
    clg_csv csv;
    clg_error error = {0};
    clg_measured_table t;
    CASE("measured rows are predicted from their plan, others say why not");
    CHECK(clg_csv_parse(&arena, "dir/overview.csv", text, strlen(text), &csv, &error) == CLG_OK);
    CHECK(clg_measured_score_all(&arena, &csv, 1, (clg_progress){0}, &t, &error) == CLG_OK);
    CHECK(t.rows == 4 && !t.row[0].reason && t.row[1].reason && t.row[2].reason && t.row[3].reason);
    CHECK(strcmp(t.row[0].source, "overview") == 0);
    double rate = t.row[0].predicted[CLG_MEASURE_RATE];
    CHECK(rate > 100 && rate < 10000);
    const clg_measured_score *all = &t.score[t.scores - 1];
    CHECK(all->rows == 4 && all->scored == 1);
    CHECK_NEAR(all->mape, rate > 1000 ? rate / 1000 - 1 : 1 - rate / 1000, 1e-9);
    clg_arena_clear(&arena);
}

int main(void) {
    CASE("curve of the engine's all-reduce");
    check_reduce_curve();
    static world w;
    check_prefix_list();
    build(&w, "llama-3.1-8b", "h100-sxm");
    check_prefix_caching(&w);
    check_disaggregation(&w);
    check_speculation(&w);
    check_speculated_prefixes(&w);
    check_rules(&w);
    clg_arena_clear(&w.arena);
    check_experts();
    check_measured();
    return DONE;
}
