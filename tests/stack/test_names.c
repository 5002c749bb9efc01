/* Stacks as people name them. */
#include "stack/names.h"
#include "stack/stack.h"
#include "test.h"

/* How people name what they run, without a date. */
static void as_written(clg_arena *arena) {
    static const char *const written[][2] = {{"PyTorch FSDP2", "torchtitan-2025"},
                                             {"PyTorch 2.5", "pytorch"},
                                             {"FSDP1", "fsdp-2024"},
                                             {"HF Trainer + DeepSpeed ZeRO3", "transformers"},
                                             {"Hugging Face Transformers 4.41", "transformers"},
                                             {"TRL SFTTrainer", "transformers"},
                                             {"LLaMA-Factory 0.9 + DeepSpeed", "transformers"},
                                             {"ms-swift 3.0", "transformers"},
                                             {"Unsloth", "unknown"},
                                             {"torchtune 0.5", "torchtune-2025"},
                                             {"nanoGPT", "pytorch-compiled"},
                                             {"picotron", "pytorch"},
                                             {"NeMo-RL, Megatron", "megatron-2024"},
                                             {"torchtitan v0.1.0", "torchtitan-2025"},
                                             {"TinyLlama (lit-gpt)", "litgpt"},
                                             {"MosaicML LLM Foundry 0.7", "fsdp-2024"},
                                             {"Megatron-LM (dev)", "megatron-2024"},
                                             {"Megatron-Core 0.7", "megatron-2024@2024-06"},
                                             {"mcore-0.11", "megatron-2024@2025-03"},
                                             {"NVIDIA NeMo Framework 24.07", "nemo-2024@2024-07"},
                                             {"NeMo 25.04", "nemo-2024@2025-04"},
                                             {"NeMo Megatron 22.11", "megatron-2022@2022-11"},
                                             {"NeMo 26.02", "megatron-2026@2026-02"},
                                             {"Pai-Megatron-Patch", "megatron-2024"},
                                             {"Megatron-2024", "megatron-2024"},
                                             {"GPT-NeoX 2.0", "megatron-deepspeed-2022"},
                                             {"MaxText (JAX)", "maxtext-2024"},
                                             {"mlperf-2024", "mlperf@2024-06"},
                                             {"jax + flax", "maxtext-2024"},
                                             {"ColossalAI 0.4", "unknown"},
                                             {"PaddleNLP", "unknown"},
                                             {"veRL SFT", "transformers-fsdp"},
                                             {"OpenRLHF", "transformers"},
                                             {"custom", "unknown"},
                                             {"in-house", "unknown"},
                                             {"n/a", "unknown"}};
    clg_stack stack;
    clg_error error = {0};
    CASE("among makers, versions and asides; a version may name the release");
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        CHECK_TEXT(clg_stack_named_like(arena, written[i][0], NULL, false), written[i][1]);
        CHECK(clg_stack_find(arena, written[i][0], &stack, &error) == CLG_OK);
    }
    CHECK_TEXT(clg_stack_named_like(arena, "NeMo 25.04", "2026-07", true), "nemo-2024@2025-04");
    CHECK(!clg_stack_named_like(arena, "", NULL, true));
    CHECK(!clg_stack_named_like(arena, " ,()", NULL, true));
    CHECK(!clg_stack_named_like(arena, "-0.1 25.13", NULL, true));
}

static void misspelt(clg_arena *arena) {
    static const char *const wrong[][2] = {{"megatron-2062", "megatron-2022"},
                                           {"deepsped", "deepspeed"},
                                           {"torchtitn", "torchtitan"},
                                           {"axolotle", "axolotl"}};
    clg_stack stack;
    CASE("a near miss is an error with the nearest names");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        clg_error error = {0};
        CHECK(clg_stack_find(arena, wrong[i][0], &stack, &error) == CLG_BAD_INPUT);
        CHECK(strstr(error.mend, wrong[i][1]) != NULL);
    }
    CASE("loosely, words end at hyphens too");
    CHECK_TEXT(clg_stack_named_like(arena, "my-megatron-fork", "2024-02", true),
               "megatron-2024@2024-02");
    CHECK(!clg_stack_named_like(arena, "my-megatron-fork", "2024-02", false));
    CASE("LLaMA-Factory prepares 4-bit models itself, without PEFT's casts to fp32");
    clg_error none = {0};
    const char *factory = clg_stack_named_like(arena, "llama-factory", "2024-04", true);
    CHECK(clg_stack_find(arena, factory, &stack, &none) == CLG_OK);
    CHECK(!stack.precision.single_beside_frozen && !stack.precision.widens_rest);
    CHECK(stack.memory.fresh_gradients);
}

int main(void) {
    clg_arena arena = {0};
    clg_error error = {0};
    clg_stack stack;
    CASE("by generation: FSDP of 2023, of 2024, and what came after");
    CHECK_TEXT(clg_stack_named(&arena, "pytorch-fsdp", "2023-12"), "fsdp-2023@2023-12");
    CHECK_TEXT(clg_stack_named(&arena, "pytorch-fsdp", "2024-01"), "fsdp-2024@2024-01");
    CHECK_TEXT(clg_stack_named(&arena, "pytorch-fsdp", NULL), "pytorch");
    CHECK_TEXT(clg_stack_named(&arena, "lightning", "2023-11"), "pytorch@2023-11");
    CHECK_TEXT(clg_stack_named(&arena, "lightning", "2026-03"), "pytorch@2026-03");
    CHECK_TEXT(clg_stack_named(&arena, "ddp", NULL), "pytorch");
    CASE("case and marks do not matter; versions are left out where that is asked for");
    CHECK_TEXT(clg_stack_named(&arena, "Megatron_LM", "2024-03"), "megatron-2024@2024-03");
    CHECK(!clg_stack_named(&arena, "deepspeed-0.14.2", "2024-03"));
    CHECK_TEXT(clg_stack_named_like(&arena, "deepspeed-0.14.2", "2024-03", false),
               "transformers@2024-03");
    CHECK(!clg_stack_named_like(&arena, "of nobody", "2024-03", true));
    as_written(&arena);
    misspelt(&arena);
    CHECK_TEXT(clg_stack_named(&arena, "mlperf-2023", "2023-11"), "mlperf@2023-11");
    CASE("found like any other, and a name for unknown software stays unknown");
    CHECK(clg_stack_find(&arena, "accelerate@2024-02", &stack, &error) == CLG_OK);
    CHECK(stack.known && strcmp(stack.name, "transformers") == 0);
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
