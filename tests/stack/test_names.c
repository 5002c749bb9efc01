/* Stacks as people name them. */
#include "stack/names.h"
#include "stack/stack.h"
#include "test.h"

int main(void) {
    clg_arena arena = {0};
    clg_error error = {0};
    clg_stack stack;
    CASE("by generation: FSDP of 2023, of 2024, and what came after");
    CHECK_TEXT(clg_stack_named(&arena, "pytorch-fsdp", "2023-12"), "fsdp-2023");
    CHECK_TEXT(clg_stack_named(&arena, "pytorch-fsdp", "2024-01"), "fsdp-2024");
    CHECK_TEXT(clg_stack_named(&arena, "pytorch-fsdp", NULL), "pytorch");
    CASE("case and marks do not matter; versions are left out where that is asked for");
    CHECK_TEXT(clg_stack_named(&arena, "Megatron_LM", "2024-03"), "megatron-2024");
    CHECK(!clg_stack_named(&arena, "deepspeed-0.14.2", "2024-03"));
    CHECK_TEXT(clg_stack_named_like(&arena, "deepspeed-0.14.2", "2024-03"), "pytorch");
    CHECK(!clg_stack_named_like(&arena, "of nobody", "2024-03"));
    CASE("found like any other, and a name for unknown software stays unknown");
    CHECK(clg_stack_find(&arena, "accelerate@2024-02", &stack, &error) == CLG_OK);
    CHECK(stack.known && strcmp(stack.name, "pytorch") == 0);
    CHECK(clg_stack_find(&arena, "paddle", &stack, &error) == CLG_OK && !stack.known);
    CASE("every name is of a stack that is there");
    static const char *const months[] = {"2020-01", "2023-06", "2024-06", "2026-06"};
    static const char *const names[] = {"fsdp",     "deepspeed", "megatron-lm", "nemo",
                                        "composer", "jax",       "internlm",    "oneflow"};
    for (int i = 0; i < 8; i++)
        for (int m = 0; m < 4; m++) {
            const char *at = clg_arena_print(&arena, "%s@%s", names[i], months[m]);
            CHECK(clg_stack_find(&arena, at, &stack, &error) == CLG_OK);
        }
    clg_arena_clear(&arena);
    return DONE;
}
