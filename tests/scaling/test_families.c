/* The best of each family: what it says of its degrees, none faster than the best of all, and the
 * best of all in one of them. Ties, and recomputing that saves nothing. */
#include "plan.h"
#include "scaling/families.h"

#include <string.h>

static clg_arena arena;

static clg_space space_of(const clg_scenario *s, int64_t seq, int64_t batch) {
    return (clg_space){.gpus = s->machine.gpus,
                       .seq = seq,
                       .global_batch = batch,
                       .precision = CLG_BF16,
                       .attention = {.count = 1, .value = {CLG_FLASH2}},
                       .risk = 0.1,
                       .keep = 8};
}

static void check_job(const char *model, const char *stack, int gpus, int64_t seq, int64_t batch,
                      int expected) {
    clg_scenario s = plan_scenario(&arena, model, "h100-sxm", stack, gpus);
    clg_space space = space_of(&s, seq, batch);
    clg_layout_family family[CLG_LAYOUT_FAMILIES];
    clg_found all;
    clg_error e = {0};
    CHECK(clg_search(&arena, &s, &space, (clg_progress){0}, &all, &e) == CLG_OK);
    bool shards = strcmp(stack, "torchtitan-2025") == 0;
    int count = clg_layout_families(&arena, &s, &space, (clg_progress){0}, family);
    CHECK(count == expected);
    for (int i = 0; i < count; i++) {
        const clg_layout *l = &family[i].plan.layout;
        if (!family[i].runs) continue;
        CHECK(family[i].plan.step_s >= all.best[0].step_s);
        CHECK(!strstr(family[i].name, "DP") || !!strstr(family[i].name, "FSDP") == shards);
        if (strcmp(family[i].name, "FSDP") == 0) CHECK(l->tp * l->pp * l->cp * l->ep == 1);
        if (strstr(family[i].name, "FSDP")) CHECK(l->zero >= 2);
        if (strcmp(family[i].name, "TP + PP") == 0) CHECK(l->pp > 1 && l->cp * l->ep == 1);
        if (strcmp(family[i].name, "+ CP") == 0) CHECK(l->cp > 1 && l->ep == 1);
        if (strcmp(family[i].name, "+ EP") == 0) CHECK(l->ep > 1);
    }
    /* Runners-up: each plan differs from the others in more than recomputing for nothing. */
    for (int i = 0; i < all.count; i++)
        for (int k = 0; k < all.count; k++) {
            clg_layout a = all.best[i].layout, b = all.best[k].layout;
            if (a.recompute != CLG_RECOMPUTE_NONE || b.recompute != CLG_RECOMPUTE_SELECTIVE)
                continue;
            b.recompute = a.recompute;
            bool saves = all.best[k].memory.total_bytes < all.best[i].memory.total_bytes;
            char one[160], two[160];
            clg_layout_print(&a, one, sizeof one);
            clg_layout_print(&b, two, sizeof two);
            CHECK(saves || strcmp(one, two) != 0);
        }
}

int main(void) {
    CASE("a dense model: four families; a mixture: five");
    check_job("llama-2-7b", "megatron-2024", 32, 4096, 128, 4);
    check_job("llama-2-70b", "megatron-2024", 64, 4096, 128, 4);
    check_job("mixtral-8x7b", "megatron-2024", 32, 4096, 64, 5);
    CASE("axes that were asked for leave fewer families");
    clg_scenario s = plan_scenario(&arena, "llama-2-7b", "h100-sxm", "megatron-2024", 32);
    clg_space space = space_of(&s, 4096, 128);
    clg_layout_family family[CLG_LAYOUT_FAMILIES];
    space.tp = (clg_axis_values){.count = 1, .value = {2}};
    space.cp = (clg_axis_values){.count = 1, .value = {1}};
    CHECK(clg_layout_families(&arena, &s, &space, (clg_progress){0}, family) == 2);
    CHECK_TEXT(family[0].name, "TP + DP");
    CHECK(family[0].plan.layout.tp == 2 && family[1].plan.layout.tp == 2);
    CASE("software that shards: FSDP, not DP");
    check_job("llama-2-7b", "torchtitan-2025", 32, 4096, 128, 4);
    clg_arena_clear(&arena);
    return DONE;
}
