/* test_answer.c -- the product is the price, more load is cheaper tokens, and costs against
 * published measurements. */
#include "demand.h"
#include "plan.h"
#include "serve/serve_answer.h"

typedef struct world {
    clg_arena arena;
    clg_scenario scenario;
    clg_engine engine;
    double sigma_rate; /* instead of that of data/; 0: that one */
} world;

static void build(world *w, const char *model, const char *gpu) {
    clg_error error = {0};
    *w = (world){0};
    w->scenario = plan_scenario(&w->arena, model, gpu, NULL, 0);
    CHECK(clg_engine_find(&w->arena, "vllm", &w->engine, &error) == CLG_OK);
    w->scenario.price.usd_per_s = 3.0 / 3600;
}

static clg_demand at_rate(world *w, double rate, double span_s, double prompt, double output) {
    return demand_at_rate(&w->arena, rate, span_s, prompt, output, 0.3, 1);
}

static clg_replica replica_of(world *w, const clg_demand *d, clg_precision weights, int tp) {
    clg_replica r;
    clg_error error = {0};
    clg_replica_choice c = {.tp = tp, .weights = weights, .compute = weights, .cache = CLG_BF16};
    CHECK(clg_replica_prepare(&w->arena, &w->scenario, &w->engine, &c, d, &r, &error) == CLG_OK);
    if (w->sigma_rate > 0) r.sigma.rate = w->sigma_rate;
    return r;
}

static clg_serve_answer answer_of(world *w, const clg_demand *d, const clg_api_price *api,
                                  int64_t replicas) {
    clg_replica r = replica_of(w, d, CLG_BF16, 1);
    clg_serve_answer a;
    clg_error error = {0};
    clg_serve_question q = {.replica = &r,
                            .demand = d,
                            .target = {2, 0.2, 0.99},
                            .api = api,
                            .replicas = replicas,
                            .cold_start_s = 60,
                            .full_share = 0.5};
    CHECK(clg_serve_answer_make(&w->arena, &q, (clg_serve_progress){0}, &a, &error) == CLG_OK);
    return a;
}

static clg_serve_answer answer(world *w, const clg_demand *d, const clg_api_price *api) {
    return answer_of(w, d, api, 0);
}

/* Mean time per output token of a closed loop. */
static double tpot_ms(const char *model, const char *gpu, clg_precision weights, int tp,
                      double prompt, double output, int64_t clients) {
    static world w;
    build(&w, model, gpu);
    clg_demand d = at_rate(&w, 1e6, 1e-6 * (double)clients * 8, prompt, output);
    clg_replica r = replica_of(&w, &d, weights, tp);
    clg_fleet f;
    clg_serve_target target = {1, 1, 0.5};
    r.rules.clients = clients;
    clg_fleet_run(&w.arena, &r, &d, 1, &target, &f);
    clg_arena_clear(&w.arena);
    return 1e3 * f.tpot_s.mean;
}

static void newest_price(clg_arena *arena) {
    CASE("of several prices of one model the newest is the default, with what is found in a cache");
    clg_api_price price;
    clg_error error;
    CHECK(clg_api_price_default(arena, "deepseek-v3", &price, &error) == CLG_OK);
    CHECK(strcmp(price.date, "2025-09") == 0);
    CHECK_NEAR(price.usd_per_output_token, 1.68e-6, 1e-12);
    CHECK_NEAR(price.usd_per_cached_token, 0.07e-6, 1e-12);
    CHECK(clg_api_price_default(arena, "gpt-oss-120b", &price, &error) == CLG_OK);
    CHECK(!strcmp(price.name, "openrouter-gpt-oss-120b")); /* "2026", beside a dearer of 2026-06 */
    CHECK(clg_api_price_default(arena, "gpt2", &price, &error) == CLG_OK && !price.name);
}

/* The fleet sized for an engine whose iterations are as slow as the end of the interval says. */
static int64_t replicas_where(world *w, const clg_demand *d, double scale) {
    clg_replica r = replica_of(w, d, CLG_BF16, 1);
    clg_replica slow = clg_replica_slowed(&w->arena, &r, scale);
    clg_serve_answer a;
    clg_error error = {0};
    clg_serve_question q = {
        .replica = &slow, .demand = d, .target = {2, 0.2, 0.99}, .full_share = 0.5};
    CHECK(clg_serve_answer_make(&w->arena, &q, (clg_serve_progress){0}, &a, &error) == CLG_OK);
    return a.fleet.replicas;
}

static void doubts(world *w) {
    CASE("P90 of errors with deviation .25: e to 1.28155 x .25 = 1.3777 times; none: the point");
    w->sigma_rate = 0.25;
    clg_demand d = at_rate(w, 90, 600, 800, 150);
    clg_serve_answer a = answer(w, &d, NULL);
    CHECK_NEAR(a.doubt.rate, 1.37767, 1e-5);
    CHECK_NEAR(a.slow.scale * a.fast.scale, 1, 1e-12);
    CASE("both ends are the fleets that engines so fast and so slow would need");
    CHECK(a.fast.replicas == replicas_where(w, &d, 1 / 1.37767));
    CHECK(a.slow.replicas == replicas_where(w, &d, 1.37767));
    CHECK(a.fast.replicas < a.fleet.replicas && a.fleet.replicas < a.slow.replicas);
    CHECK_NEAR(a.slow.usd_per_million / a.usd_per_million,
               (double)a.slow.replicas / (double)a.fleet.replicas, 1e-9);
    CASE("a given fleet keeps its price, and serves fewer well where iterations are slower");
    clg_serve_answer given = answer_of(w, &d, NULL, a.fast.replicas);
    CHECK(given.slow.replicas == a.fast.replicas);
    CHECK_NEAR(given.slow.usd_per_million, given.usd_per_million, 1e-12);
    CHECK(given.slow.well_served < given.fast.well_served);
    w->sigma_rate = 1e-12;
    a = answer(w, &d, NULL);
    CHECK_NEAR(a.doubt.rate, 1, 1e-9);
    CHECK(a.fast.replicas == a.fleet.replicas && a.slow.replicas == a.fleet.replicas);
}

static clg_serve_sigma sigma_of(world *w, const char *model, double borrowed) {
    clg_serve_sigma sigma = {0};
    clg_model m;
    clg_error error = {0};
    CHECK(clg_model_find(&w->arena, model, &m, &error) == CLG_OK);
    CHECK(clg_serve_sigma_of(&w->arena, &m, borrowed, &sigma, &error) == CLG_OK);
    return sigma;
}

static void distances(world *w) {
    CASE("the less a model is like those that are known, the wider");
    clg_serve_sigma dense = sigma_of(w, "llama-3.1-8b", 0),
                    mixture = sigma_of(w, "gpt-oss-120b", 0);
    clg_serve_sigma latent = sigma_of(w, "deepseek-v3", 0), sparse = sigma_of(w, "minimax-m3", 0);
    CHECK(dense.first <= mixture.first && mixture.first < latent.first);
    CHECK(dense.token < mixture.token && mixture.token < latent.token);
    CHECK(dense.rate < mixture.rate && mixture.rate < latent.rate && sparse.rate == latent.rate);
    CASE("kernels of another GPU: .23 and .3 are .3780; of experts more: .33 and .55 are .6414");
    CHECK_NEAR(sigma_of(w, "llama-3.1-8b", 0.3).rate, 0.3780, 1e-3);
    CHECK_NEAR(sigma_of(w, "gpt-oss-120b", 0.3).rate, 0.6414, 1e-3);
}

static void factors(world *w, const clg_api_price *api) {
    CASE("the product of the factors is what is paid");
    double last = INFINITY;
    for (double rate = 0.1; rate < 200; rate *= 10) {
        clg_demand d = at_rate(w, rate, 1800, 800, 150);
        clg_serve_answer a = answer(w, &d, api);
        double product = 1;
        double needed = 0, seconds = 0;
        for (int64_t i = 0; i < a.windows; i++) {
            needed += a.window[i].needed * a.window[i].seconds;
            seconds += a.window[i].seconds;
            CHECK(a.window[i].needed <= a.windows_most && a.window[i].steady >= 0);
        }
        CHECK_NEAR(seconds, d.span_s, 1e-9);
        CHECK_NEAR(needed, a.windows_mean * d.span_s, 1e-9);
        for (int i = 0; i < CLG_FACTORS; i++) product *= a.factor[i];
        double paid =
            a.usd_per_s * (double)a.fleet.replicas * d.span_s * 1e6 / (double)d.output_tokens;
        CHECK_NEAR(product, paid, 1e-9);
        CHECK_NEAR(a.usd_per_million, paid, 1e-9);
        CHECK(a.meets && a.usd_per_million < last);
        CHECK(a.factor[CLG_FACTOR_BATCH] > 1 && a.factor[CLG_FACTOR_GRANULARITY] >= 1);
        CHECK(a.rho > 0 && a.rho < 1 && a.mfu < a.fleet.busy_share && a.mfu > 0);
        CHECK(a.usd_per_useful_eflop > a.peak_usd_per_eflop);
        CHECK(a.ttft_low_s < a.ttft_high_s);
        last = a.usd_per_million;
    }
}

static void falling_behind(world *w, const clg_api_price *api) {
    CASE("a fleet that falls behind is paid until its last answer");
    clg_demand flood = at_rate(w, 100, 300, 800, 150);
    clg_serve_answer late = answer_of(w, &flood, api, 1);
    double product = 1;
    for (int i = 0; i < CLG_FACTORS; i++) product *= late.factor[i];
    CHECK(late.rho > 1.2 && !late.meets && late.fleet.span_s > flood.span_s * 1.1);
    CHECK_NEAR(late.usd_per_million,
               late.usd_per_s * late.fleet.span_s * 1e6 / (double)flood.output_tokens, 1e-9);
    CHECK_NEAR(product, late.usd_per_million, 1e-9);
    CHECK(late.usd_per_million > late.factor[CLG_FACTOR_FLOOR]);
}

static void break_even(world *w, const clg_api_price *api) {
    CASE("break-even: at that load a replica costs what the API asks");
    clg_demand d = at_rate(w, 5, 600, 800, 150);
    clg_serve_answer a = answer(w, &d, api);
    double at_break_even = a.break_even_share * a.offline_tokens_per_s;
    CHECK_NEAR(1e6 * a.usd_per_s / at_break_even, a.api_usd_per_million, 1e-9);
}

static void duty(world *w, const clg_api_price *api) {
    CASE("a fleet of one at half the duty costs twice as much");
    clg_synthetic s = demand_steady(2, 86400, 500, 100, 0, 1);
    clg_demand all = demand_made(&w->arena, s);
    s.requests_per_s = 1;
    s.duty = 0.5;
    clg_demand half = demand_made(&w->arena, s);
    CHECK_NEAR(answer(w, &half, api).usd_per_million / answer(w, &all, api).usd_per_million, 2,
               0.01);
}

static void too_large(void) {
    CASE("too large for one GPU is a sentence");
    static world big;
    clg_error error = {0};
    build(&big, "llama-3.1-70b", "h100-sxm");
    clg_demand d = at_rate(&big, 5, 600, 800, 150);
    clg_replica r;
    clg_replica_choice one = {.tp = 1, .weights = CLG_BF16, .compute = CLG_BF16, .cache = CLG_BF16};
    CHECK(clg_replica_prepare(&big.arena, &big.scenario, &big.engine, &one, &d, &r, &error) ==
          CLG_BAD_INPUT);
    one.tp = 3;
    CHECK(clg_replica_prepare(&big.arena, &big.scenario, &big.engine, &one, &d, &r, &error) ==
          CLG_BAD_INPUT);
    clg_arena_clear(&big.arena);
}

static void silicon(void) {
    /* InferenceX silicon rows (2026): milliseconds per output token, TensorRT-LLM and vLLM. */
    CASE("time per token against silicon");
    CHECK_NEAR(tpot_ms("llama-3.1-8b", "h100-sxm", CLG_BF16, 1, 1024, 256, 8), 7.55, 0.15);
    CHECK_NEAR(tpot_ms("llama-3.1-8b", "h100-sxm", CLG_BF16, 1, 1024, 256, 128), 23.09, 0.15);
    CHECK_NEAR(tpot_ms("llama-3.1-8b", "h100-sxm", CLG_BF16, 2, 4096, 256, 32), 14.27, 0.15);
    CHECK_NEAR(tpot_ms("llama-3.1-70b", "h100-sxm", CLG_FP8, 4, 1024, 1024, 16), 13.19, 0.15);
    CHECK_NEAR(tpot_ms("llama-3.1-70b", "h100-sxm", CLG_FP8, 8, 1024, 8192, 8), 9.81, 0.15);
    CHECK_NEAR(tpot_ms("llama-3.1-70b", "b200-sxm", CLG_NVFP4, 8, 8192, 1024, 16), 8.80, 0.15);
}

int main(void) {
    static world w;
    build(&w, "llama-3.1-8b", "h100-sxm");
    const clg_api_price api = {.name = "x",
                               .title = "x",
                               .date = "x",
                               .usd_per_input_token = 2e-7,
                               .usd_per_output_token = 6e-7};
    newest_price(&w.arena);
    factors(&w, &api);
    falling_behind(&w, &api);
    break_even(&w, &api);
    duty(&w, &api);
    distances(&w);
    doubts(&w);
    too_large();
    silicon();
    clg_arena_clear(&w.arena);
    return DONE;
}
