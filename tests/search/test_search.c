/* The search against brute force: the same best plans to the last layout, the same count. */
#include "evaluate/interval.h"
#include "search/walk.h"
#include "space.h"

static clg_arena arena;

static void agree(const char *name, const char *model, const char *gpu, int gpus, int batch,
                  const char *stack) {
    CASE(name);
    clg_scenario s = plan_scenario(&arena, model, gpu, stack, gpus);
    if (strcmp(stack, "unknown") == 0) s.stack.stages.uneven = true;
    clg_space space = {.gpus = gpus,
                       .seq = 4096,
                       .global_batch = batch,
                       .precision = CLG_BF16,
                       .attention = {.count = 1, .value = {CLG_FLASH2}},
                       .keep = 5};
    clg_found quick, brute;
    clg_error e = {0};
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &quick, &e) == CLG_OK);
    space.exhaustive = true;
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &brute, &e) == CLG_OK);
    CHECK(quick.layouts == brute.layouts && quick.complete && brute.complete);
    CHECK(quick.priced < brute.priced);
    CHECK(quick.layouts == quick.priced + quick.cut[CLG_CUT_MEMORY] + quick.cut[CLG_CUT_TIME] +
                               quick.cut[CLG_CUT_LAZIER] + quick.cut[CLG_CUT_SAME]);
    CHECK(quick.count == brute.count && quick.count > 0);
    for (int i = 0; i < quick.count; i++) {
        char a[160], b[160];
        clg_layout_print(&quick.best[i].layout, a, sizeof a);
        clg_layout_print(&brute.best[i].layout, b, sizeof b);
        CHECK_TEXT(a, b);
        CHECK(quick.best[i].step_s == brute.best[i].step_s);
        CHECK(same_split(&quick.best[i].layout, &brute.best[i].layout));
    }
}

static bool is_whole(int context, const clg_scenario *s, const clg_layout *layout) {
    (void)s;
    return layout->tp == context && layout->recompute_layers == 0;
}

/* What may not be is not in the space: the best of the rest, as a fixed axis finds it. */
static void only_some(void) {
    CASE("layouts of a predicate: tp 2 alone, as --tp 2");
    clg_scenario s = plan_scenario(&arena, "llama-3-8b", "h100-sxm", "megatron-2024", 16);
    clg_space some = {.gpus = 16, .seq = 8192, .global_batch = 64, .keep = 1}, fixed = some;
    clg_found a, b;
    clg_error e = {0};
    some.may = is_whole, some.may_context = 2;
    fixed.tp = (clg_axis_values){.count = 1, .value = {2}};
    CHECK(clg_search(&arena, &s, &some, (clg_progress){0}, &a, &e) == CLG_OK);
    CHECK(clg_search(&arena, &s, &fixed, (clg_progress){0}, &b, &e) == CLG_OK);
    CHECK(a.count == 1 && a.complete && a.best[0].layout.tp == 2);
    CHECK(a.best[0].layout.recompute_layers == 0 && a.best[0].step_s >= b.best[0].step_s);
}

static bool is_unsplit_mixture(int context, const clg_scenario *s, const clg_layout *layout) {
    (void)context, (void)s;
    return layout->tp > 1 && !layout->sp;
}

/* Megatron-Core raises where tensor ranks of a mixture have no sequence parallelism; of dense
 * models, and where it is asked for, such layouts are priced. */
static void experts_need_sequence(void) {
    CASE("experts beside tp: no layout without sequence parallelism where the stack refuses it");
    clg_space space = {.gpus = 8, .seq = 4096, .global_batch = 32, .keep = 1};
    space.may = is_unsplit_mixture;
    clg_found found;
    clg_error e = {0};
    clg_scenario s = plan_scenario(&arena, "mixtral-8x7b", "h200-sxm", "megatron-2024", 8);
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &found, &e) != CLG_OK ||
          found.count == 0);
    e = (clg_error){0};
    s.stack.experts.sequence = false;
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &found, &e) == CLG_OK &&
          found.count == 1);
    s.stack.experts.sequence = true;
    space.sp = (clg_axis_values){.count = 1, .value = {0}};
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &found, &e) == CLG_OK &&
          found.count == 1);
    space.sp.count = 0;
    s = plan_scenario(&arena, "llama-3-8b", "h100-sxm", "megatron-2024", 8);
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &found, &e) == CLG_OK &&
          found.count == 1);
}

static bool is_had(void *context, const clg_layout *layout, int layers, bool balanced) {
    (void)layers, (void)balanced;
    const clg_stack *stack = context;
    return clg_stack_lacks(stack, layout) == NULL;
}

/* Every built-in stack on a mixture and a dense model, everything left open. */
static void check_software(void) {
    static const char *const models[] = {"mixtral-8x7b", "llama-3-8b"};
    int count;
    const clg_file *files = clg_dataset_folder("stack/", &count);
    CASE("left open, no layout has what the software lacks; asked for, it is priced, and said");
    for (int i = 0; i < 2 * count; i++) {
        const char *path = files[i / 2].path + strlen("stack/");
        const char *name = clg_arena_copy(&arena, path, strlen(path) - strlen(".json"));
        clg_scenario s = plan_scenario(&arena, models[i % 2], "h100-sxm", name, 16);
        clg_space space = {
            .gpus = 16, .seq = 4096, .global_batch = 64, .precision = CLG_BF16, .keep = 1};
        CHECK(clg_walk(&s, &space, NULL, is_had, &s.stack));
    }
    clg_scenario s = plan_scenario(&arena, "llama-3-8b", "h100-sxm", "fsdp-2024", 16);
    clg_space space = {.gpus = 16,
                       .seq = 4096,
                       .global_batch = 64,
                       .precision = CLG_BF16,
                       .pp = {.count = 1, .value = {4}},
                       .keep = 1};
    clg_found found;
    clg_error e = {0};
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &found, &e) == CLG_OK);
    CHECK(found.count == 1 && found.best[0].layout.schedule == CLG_1F1B);
    space.schedule = (clg_axis_values){.count = 1, .value = {CLG_DUALPIPE}};
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &found, &e) == CLG_OK);
    CHECK(found.count == 1 && found.best[0].layout.schedule == CLG_DUALPIPE);
    CHECK_TEXT(clg_stack_lacks(&s.stack, &found.best[0].layout), "dualpipe");
}

/* 8 layers a chunk, of which none, one, ... may be recomputed: none does not fit, all is slower. */
static void check_part_recomputed(void) {
    CASE("some layers recomputed: as few as fit, and brute force agrees");
    clg_scenario s = plan_scenario(&arena, "llama-3.1-405b", "h100-sxm", "megatron-2024", 16384);
    clg_space space = {.gpus = 16384,
                       .seq = 8192,
                       .global_batch = 2048,
                       .precision = CLG_BF16,
                       .attention = {.count = 1, .value = {CLG_FLASH2}},
                       .tp = {.count = 1, .value = {8}},
                       .pp = {.count = 1, .value = {16}},
                       .cp = {.count = 1, .value = {1}},
                       .keep = 4};
    clg_found quick, brute, whole;
    clg_error e = {0};
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &quick, &e) == CLG_OK);
    space.exhaustive = true;
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &brute, &e) == CLG_OK);
    CHECK(quick.layouts == brute.layouts && quick.layouts == brute.priced);
    for (int i = 0; i < 4; i++) {
        CHECK(quick.best[i].step_s == brute.best[i].step_s);
        CHECK(quick.best[i].layout.recompute_layers == brute.best[i].layout.recompute_layers);
    }
    CHECK(quick.best[0].layout.recompute_layers > 0);
    space.recompute = (clg_axis_values){.count = 1, .value = {CLG_RECOMPUTE_FULL}};
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &whole, &e) == CLG_OK);
    CHECK(whole.best[0].layout.recompute_layers == 0);
    CHECK(whole.best[0].step_s > quick.best[0].step_s && whole.layouts < quick.layouts);
}

static void same_plan(const clg_evaluation *a, const clg_evaluation *b) {
    char one[160], two[160];
    clg_layout_print(&a->layout, one, sizeof one);
    clg_layout_print(&b->layout, two, sizeof two);
    CHECK_TEXT(one, two);
    CHECK(a->step_s == b->step_s);
}

/* Quick and brute force give the same plans under a risk, none of them above it; where there are
 * none, the nearest is above it. The gamble is what a search by the prediction alone finds. */
static void agree_at(const clg_scenario *s, clg_space space) {
    clg_found quick, brute, bold;
    clg_error e = {0};
    space.gamble = true;
    if (clg_search(&arena, s, &space, (clg_progress){0}, &quick, &e) != CLG_OK) return;
    space.exhaustive = true;
    CHECK(clg_search(&arena, s, &space, (clg_progress){0}, &brute, &e) == CLG_OK);
    space.exhaustive = false;
    CHECK(quick.count == brute.count && quick.layouts == brute.layouts);
    CHECK(quick.layouts == quick.priced + quick.cut[CLG_CUT_MEMORY] + quick.cut[CLG_CUT_TIME] +
                               quick.cut[CLG_CUT_LAZIER] + quick.cut[CLG_CUT_SAME]);
    for (int i = 0; i < quick.count; i++) {
        same_plan(&quick.best[i], &brute.best[i]);
        CHECK(clg_evaluation_chance_out(&quick.best[i]) <= space.risk + 1e-9);
    }
    if (quick.count == 0) CHECK(clg_evaluation_chance_out(&quick.nearest) > space.risk - 1e-9);
    space.risk = 0.5;
    space.keep = 1;
    CHECK(clg_search(&arena, s, &space, (clg_progress){0}, &bold, &e) == CLG_OK);
    bool faster =
        bold.count > 0 && (quick.count == 0 || bold.best[0].step_s < quick.best[0].step_s);
    CHECK(quick.has_gamble == faster && brute.has_gamble == faster);
    if (!faster) return;
    same_plan(&quick.gamble, &bold.best[0]);
    same_plan(&brute.gamble, &bold.best[0]);
    CHECK(clg_evaluation_chance_out(&quick.gamble) > 0 && quick.gamble.fits);
}

/* Between a gamble and a best that is much slower: each is what a search within a twentieth less
 * memory than the one before finds. */
static void check_between(void) {
    CASE("what lies between a gamble and a plan that takes twice as long and more");
    clg_scenario s = plan_scenario(&arena, "qwen3-30b-a3b", "h100-sxm", "torchtitan-2025", 8);
    clg_space space = space_of(8, 4096, 1024, 1);
    clg_found found, less;
    clg_error e = {0};
    space.risk = 0.12, space.gamble = true;
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &found, &e) == CLG_OK);
    CHECK(found.has_gamble && found.gamble.step_s < 0.8 * found.best[0].step_s);
    CHECK(found.between_count > 0);
    space.risk = 0.5, space.gamble = false;
    const clg_evaluation *last = &found.gamble;
    for (int i = 0; i < found.between_count; i++, last = &found.between[i - 1]) {
        space.memory_bytes = 0.95 * last->memory.needed_bytes * clg_crowding(&s, &last->layout);
        CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &less, &e) == CLG_OK);
        same_plan(&found.between[i], &less.best[0]);
        double chance = clg_evaluation_chance_out(&found.between[i]);
        CHECK(chance < clg_evaluation_chance_out(last) && chance > 0.1);
        CHECK(found.between[i].step_s < found.best[0].step_s);
    }
}

/* Deterministic and without order. */
static unsigned next(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Models, GPUs, sizes, batches, sequences and risks drawn at random. */
static void check_risk(void) {
    static const char *const models[] = {"llama-2-7b", "llama-2-13b", "mixtral-8x7b", "llama-3-8b",
                                         "gpt2-xl"};
    static const char *const gpus[] = {"h100-sxm", "a100-sxm-40gb", "v100-sxm-32gb", "mi300x"};
    static const int sizes[] = {4, 8, 12, 16, 24};
    static const double risks[] = {0.001, 0.02, 0.1, 0.25, 0.4, 0.5};
    unsigned state = 7;
    CASE("under a risk: brute force agrees, over random jobs, and the gamble is found");
    for (int i = 0; i < 16; i++) {
        int size = sizes[next(&state) % 5];
        clg_scenario s = plan_scenario(&arena, models[next(&state) % 5], gpus[next(&state) % 4],
                                       i % 6 == 5 ? "unknown" : "megatron-2024", size);
        clg_precision precision = s.machine.gpu.peak_flop_per_s[CLG_BF16] > 0 ? CLG_BF16 : CLG_FP16;
        clg_space space = space_of(size, 1024 << next(&state) % 4, 12 << next(&state) % 4, 3);
        space.precision = precision;
        space.risk = risks[next(&state) % 6];
        agree_at(&s, space);
    }
}

/* The limit is where the chance crosses the risk, whatever they are. */
static void check_limit(void) {
    CASE("the limit of a risk: the chance there is the risk, and above it more");
    clg_scenario s = plan_scenario(&arena, "llama-2-7b", "h100-sxm", "megatron-2024", 8);
    static const double risks[] = {0.001, 0.01, 0.1, 0.3, 0.5, 0.9};
    for (int i = 0; i < 6; i++) {
        clg_evaluation e = {.capacity_bytes = 8e10};
        double limit = clg_memory_limit_bytes(&s, e.capacity_bytes, risks[i]);
        double wide = 1 + 1.2816 * s.stack.sigma.memory;
        e.memory.total_bytes = e.memory.needed_bytes = limit;
        e.memory_p90_bytes = limit * wide;
        if (risks[i] <= 0.5)
            CHECK_NEAR(clg_evaluation_chance_out(&e), risks[i], 1e-9);
        else
            CHECK_NEAR(limit, e.capacity_bytes, 1e-14);
        e.memory.total_bytes = e.memory.needed_bytes = limit * 1.001;
        e.memory_p90_bytes = limit * 1.001 * wide;
        CHECK(clg_evaluation_chance_out(&e) > risks[i] || risks[i] > 0.5);
    }
    CHECK_NEAR(clg_memory_limit_bytes(&s, 8e10, 0.1), 8e10 / (1 + 1.2816 * s.stack.sigma.memory),
               1e-3);
    s.stack.sigma.memory = 0;
    CHECK_NEAR(clg_memory_limit_bytes(&s, 8e10, 0.001), 8e10, 1e-14);
}

static clg_evaluation made(int tp, int pp, double step_s) {
    return (clg_evaluation){.layout = {.tp = tp, .cp = 1, .pp = pp}, .step_s = step_s};
}

/* 32 ranks at 1.000 s, 16 at 1.008 and 1.009 s, 8 at 1.011 s: the second, never beyond 1 %. */
static void check_tie(void) {
    CASE("of plans within 1 % the one with the fewest ranks comes first, the rest in order");
    clg_evaluation best[] = {made(8, 4, 1.000), made(4, 4, 1.008), made(8, 2, 1.009),
                             made(4, 2, 1.011)};
    clg_found found = {.best = best, .count = 4};
    clg_found_choose_of_tie(&found);
    CHECK(found.of_tie && best[0].layout.tp == 4 && best[0].layout.pp == 4);
    CHECK(best[1].step_s == 1.000 && best[2].step_s == 1.009 && best[3].step_s == 1.011);
    clg_evaluation apart[] = {made(8, 4, 1.000), made(4, 2, 1.011)};
    found = (clg_found){.best = apart, .count = 2};
    clg_found_choose_of_tie(&found);
    CHECK(!found.of_tie && apart[0].layout.pp == 4);
    found = (clg_found){.best = NULL, .count = 0};
    clg_found_choose_of_tie(&found);
    CHECK(!found.of_tie);
}

static clg_evaluation needing(int tp, double step_s, double bytes) {
    clg_evaluation e = made(tp, 1, step_s);
    e.memory.total_bytes = e.memory.needed_bytes = e.memory_p90_bytes = bytes;
    e.capacity_bytes = 80e9;
    return e;
}

/* An interval without width: what is over 80 GB runs out, what is under it does not. */
static void check_safe_of_tie(void) {
    CASE("of plans within 1 % one whose memory will do comes before one whose may not");
    clg_evaluation best[] = {needing(2, 1.000, 81e9), needing(8, 1.005, 60e9),
                             needing(4, 1.006, 70e9), needing(1, 1.007, 82e9)};
    clg_found found = {.best = best, .count = 4};
    clg_found_choose_of_tie(&found);
    CHECK(found.of_tie && best[0].layout.tp == 4);
    CHECK(best[1].layout.tp == 2 && best[2].layout.tp == 8 && best[3].layout.tp == 1);
}

static void check_risks(void) {
    check_tie();
    check_safe_of_tie();
    check_limit();
    check_risk();
    check_between();
}

/* Models, clusters and software as they differ in what the search shares and rules out. */
static void as_brute_force(void) {
    agree("a dense model on 16 GPUs", "llama-2-7b", "h100-sxm", 16, 64, "megatron-2024");
    agree("a dense model that needs splitting", "llama-2-70b", "a100-sxm-80gb", 32, 32,
          "megatron-2024");
    agree("a mixture of experts", "mixtral-8x7b", "h100-sxm", 16, 32, "megatron-2024");
    agree("a cluster that is no power of two", "llama-2-13b", "h100-sxm", 24, 48, "megatron-2024");
    agree("every schedule", "llama-2-7b", "h100-sxm", 16, 64, "unknown");
    agree("what autocast casts where nothing is sharded", "qwen3-4b", "h100-sxm", 8, 64,
          "transformers");
    agree("a router that learns", "qwen3-30b-a3b", "b200-sxm", 16, 64, "torchtitan-2025");
    agree("every schedule, experts", "mixtral-8x7b", "h100-sxm", 16, 32, "unknown");
}

int main(void) {
    only_some();
    experts_need_sequence();
    check_risks();
    as_brute_force();
    CASE("nothing fits: the nearest says what is missing");
    clg_scenario s = plan_scenario(&arena, "llama-3.1-405b", "a100-sxm-40gb", "megatron-2024", 8);
    clg_space space = {.gpus = 8,
                       .seq = 4096,
                       .global_batch = 8,
                       .precision = CLG_BF16,
                       .attention = {.count = 1, .value = {CLG_FLASH2}},
                       .keep = 1};
    clg_found found;
    clg_error e = {0};
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &found, &e) == CLG_OK);
    CHECK(found.count == 0 && found.has_nearest);
    CHECK(found.nearest.memory.needed_bytes > found.nearest.capacity_bytes);
    CASE("the nearest: no layout that is priced needs less");
    double least_bytes = found.nearest.memory.needed_bytes;
    space.exhaustive = true;
    clg_search(&arena, &s, &space, (clg_progress){0}, &found, &e);
    CHECK(found.layouts == found.priced);
    CHECK_NEAR(found.nearest.memory.needed_bytes, least_bytes, 1e-12);
    space.exhaustive = false;
    CASE("a fixed axis is kept; one without a legal layout is an error");
    s = plan_scenario(&arena, "llama-2-7b", "h100-sxm", "megatron-2024", 16);
    space = (clg_space){.gpus = 16,
                        .seq = 4096,
                        .global_batch = 64,
                        .precision = CLG_BF16,
                        .attention = {.count = 1, .value = {CLG_FLASH2}},
                        .tp = {.count = 1, .value = {4}},
                        .keep = 3};
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &found, &e) == CLG_OK);
    for (int i = 0; i < found.count; i++) CHECK(found.best[i].layout.tp == 4);
    space.tp = (clg_axis_values){.count = 1, .value = {3}};
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &found, &e) == CLG_BAD_INPUT);
    e = (clg_error){0};
    CASE("the rule of the field comes out: tensor parallel stays inside the box");
    s = plan_scenario(&arena, "llama-3-70b", "h100-sxm", "megatron-2024", 512);
    space = (clg_space){.gpus = 512,
                        .seq = 8192,
                        .global_batch = 512,
                        .precision = CLG_BF16,
                        .attention = {.count = 1, .value = {CLG_FLASH2}},
                        .keep = 8};
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &found, &e) == CLG_OK);
    for (int i = 0; i < found.count; i++) CHECK(found.best[i].layout.tp <= 8);
    check_software();
    check_part_recomputed();
    clg_arena_clear(&arena);
    return DONE;
}
