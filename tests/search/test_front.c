/* The front of memory against brute force, over small random spaces: each plan is the fastest of
 * all that need a tenth less than the one before, and after the last there is none. */
#include "evaluate/interval.h"
#include "search/search.h"

#include "plan.h"

static clg_arena arena;

/* Deterministic and without order. */
static unsigned next(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static clg_axis_values one(int value) { return (clg_axis_values){.count = 1, .value = {value}}; }

/* Up to 12 GPUs, some axes held. */
static clg_space drawn(unsigned *state, int gpus, bool experts) {
    static const int attentions[] = {CLG_FLASH2, CLG_UNFUSED};
    static const int schedules[] = {CLG_1F1B, CLG_GPIPE, CLG_INTERLEAVED, CLG_ZB_H1};
    clg_space space = {.gpus = gpus,
                       .seq = 1024 << next(state) % 3,
                       .global_batch = 8 << next(state) % 3,
                       .precision = CLG_BF16,
                       .keep = 1 + (int)(next(state) % 3),
                       .front = 2 + (int)(next(state) % 5)};
    space.attention = one(attentions[next(state) % 4 == 0]);
    space.cp = one(1);
    if (next(state) % 2) space.schedule = one(schedules[next(state) % 4]);
    if (next(state) % 2) space.tp = one(1 << next(state) % 2);
    if (experts) space.etp = one(1);
    if (next(state) % 3 == 0) space.risk = 0.1;
    return space;
}

/* The fastest plan that needs no more than so many bytes, every layout priced. */
static bool fastest(const clg_scenario *s, clg_space space, double most_bytes,
                    clg_evaluation *best) {
    clg_found found;
    clg_error e = {0};
    space.exhaustive = true, space.keep = 1, space.front = 0, space.memory_bytes = most_bytes;
    CHECK(clg_search(&arena, s, &space, (clg_progress){0}, &found, &e) == CLG_OK);
    CHECK(found.priced == found.layouts);
    if (found.count > 0) *best = found.best[0];
    return found.count > 0;
}

/* Plans on the front; each as brute force has it. */
static int agree(const clg_scenario *s, const clg_space *space) {
    clg_found found;
    clg_error e = {0};
    if (clg_search(&arena, s, space, (clg_progress){0}, &found, &e) != CLG_OK) return 0;
    double most = INFINITY;
    for (int i = 0; i < found.front_count; i++) {
        clg_evaluation best;
        char a[160], b[160];
        bool any = fastest(s, *space, isinf(most) ? 0 : most, &best);
        CHECK(any);
        if (!any) return i;
        clg_layout_print(&found.front[i].layout, a, sizeof a);
        clg_layout_print(&best.layout, b, sizeof b);
        CHECK_TEXT(a, b);
        CHECK(found.front[i].step_s == best.step_s);
        most = 0.9 * found.front[i].memory.needed_bytes * clg_crowding(s, &found.front[i].layout);
    }
    clg_evaluation none;
    if (found.front_count < space->front && found.front_count > 0)
        CHECK(!fastest(s, *space, most, &none));
    return found.front_count;
}

int main(void) {
    static const char *const models[] = {"gpt2-xl", "llama-3.2-1b", "llama-2-7b", "olmoe-1b-7b"};
    static const char *const gpus[] = {"h100-sxm", "a100-sxm-40gb", "l40s"};
    static const int sizes[] = {2, 4, 6, 8, 12};
    unsigned state = 11;
    int plans = 0;
    CASE("small random spaces: the front is what brute force finds");
    for (int i = 0; i < 40; i++) {
        clg_arena_mark mark = clg_arena_here(&arena);
        int size = sizes[next(&state) % 5], which = (int)(next(&state) % 4);
        clg_scenario s = plan_scenario(&arena, models[which], gpus[next(&state) % 3],
                                       i % 4 == 3 ? "unknown" : "megatron-2024", size);
        clg_space space = drawn(&state, size, which == 3);
        plans += agree(&s, &space);
        clg_arena_back_to(&arena, mark);
    }
    CHECK(plans > 24);
    clg_arena_clear(&arena);
    return DONE;
}
