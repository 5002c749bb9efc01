/* search.c -- how fast the search is, as ratios inside one run: against brute force over the same
 * space (small enough for it), and layouts per second on the large ones.
 * Build and run: make bench */
#include "search/search.h"
#include "model/preset.h"

#include <stdio.h>
#include <time.h>

static clg_arena arena;

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static clg_scenario scenario(const char *model, const char *gpu, int gpus) {
    clg_scenario s = {.expert_imbalance = 1};
    clg_error e = {0};
    clg_model_find(&arena, model, &s.model, &e);
    clg_gpu_find(&arena, gpu, &s.machine.gpu, &e);
    clg_node_default(&arena, &s.machine.gpu, &s.machine.node, &e);
    clg_fabric_find(&arena, s.machine.node.fabric, &s.machine.fabric, &e);
    clg_stack_find(&arena, "unknown", &s.stack, &e);
    s.machine.gpus = gpus;
    clg_scenario_prepare(&arena, &s, &e);
    return s;
}

/* Seconds of one complete search; *found says what it decided. */
static double search_s(const clg_scenario *s, const clg_space *space, clg_found *found) {
    clg_error e = {0};
    double start = now_s();
    clg_search(&arena, s, space, (clg_progress){0}, found, &e);
    return now_s() - start;
}

static void large(const char *model, const char *gpu, int gpus, int64_t seq, int64_t batch) {
    clg_scenario s = scenario(model, gpu, gpus);
    clg_space space = {.gpus = gpus,
                       .seq = seq,
                       .global_batch = batch,
                       .precision = CLG_BF16,
                       .attention = {1, {CLG_FLASH2}},
                       .keep = 8};
    clg_found found;
    double seconds = search_s(&s, &space, &found);
    printf("%-16s on %6d %-14s %8lld layouts, %5lld priced, %.2f s: %.2f M layouts/s\n", model,
           gpus, gpu, (long long)found.layouts, (long long)found.priced, seconds,
           (double)found.layouts / seconds / 1e6);
}

int main(void) {
    clg_scenario s = scenario("llama-2-13b", "h100-sxm", 32);
    clg_space space = {.gpus = 32,
                       .seq = 4096,
                       .global_batch = 64,
                       .precision = CLG_BF16,
                       .attention = {1, {CLG_FLASH2}},
                       .keep = 8};
    clg_found quick, brute;
    double bounded = search_s(&s, &space, &quick);
    space.exhaustive = true;
    double priced = search_s(&s, &space, &brute);
    printf(
        "llama-2-13b on 32 h100-sxm, every schedule: search %.3f s, brute force %.2f s: %.0f times "
        "(%lld layouts, %.1f us each priced in full)\n",
        bounded, priced, priced / bounded, (long long)brute.layouts,
        priced / (double)brute.layouts * 1e6);
    large("gpt3-175b", "a100-sxm-80gb", 4096, 2048, 1536);
    large("llama-3.1-405b", "h100-sxm", 16384, 8192, 2048);
    large("deepseek-v3", "h800-sxm", 2048, 4096, 15360);
    clg_arena_clear(&arena);
    return 0;
}
