/* test_model_names.c -- the preset that a name or path of a job speaks of. */
#include "job/job.h"
#include "test.h"

static clg_arena arena;

static bool is(const char *word, const char *preset) {
    const char *found = clg_job_preset_in(&arena, word);
    return preset ? found && strcmp(found, preset) == 0 : !found;
}

int main(void) {
    CASE("a part of a name without a size stands for one size of a model, not for the others");
    CHECK(is("configs/nemotron3-nano", "nemotron-3-nano-30b-a3b"));
    CHECK(is("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "nemotron-3-nano-30b-a3b"));
    CHECK(is("nvidia/NVIDIA-Nemotron-3-Nano-4B-BF16", NULL));
    CASE("a point between figures tells models apart");
    CHECK(is("facebook/opt-13b", "opt-13b") && is("models/opt-1.3b", "opt-1.3b"));
    CASE("presets whose own name says no size go by any");
    CHECK(is("deepseek2-236b", "deepseek-v2") && is("llama4-17b-16e", "llama-4-scout"));
    CASE("a version merged of two of its shape, in a form of the files");
    CHECK(is("axolotl-quants/DeepSeek-V2.5-bnb-nf4-bf16", "deepseek-v2"));
    CASE("names that plan takes for a model are so in files");
    CHECK(is("/models/mistralai/Mistral-Nemo-Instruct-2407", "mistral-nemo-12b"));
    clg_arena_clear(&arena);
    return DONE;
}
