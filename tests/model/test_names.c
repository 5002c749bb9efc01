/* test_names.c -- the names that models are asked for by: presets, others of the same shape, and
 * those of which nobody says how large they are. */
#include "base/csv.h"
#include "dataset/kept.h"
#include "model/preset.h"
#include "test.h"

#include <string.h>

static bool is(clg_arena *arena, const char *word, const char *preset) {
    const char *named = clg_model_named(arena, word);
    return preset ? named && strcmp(named, preset) == 0 : !named;
}

static void others(clg_arena *arena) {
    CASE("a model of the shape of another, as on the hub and as in Ollama");
    CHECK(is(arena, "qwen2.5-coder-32b", "qwen2.5-32b"));
    CHECK(is(arena, "qwen2.5-coder:32b", "qwen2.5-32b"));
    CHECK(is(arena, "Qwen/Qwen2.5-Coder-7B-Instruct", "qwen2.5-7b"));
    CHECK(is(arena, "Qwen3-30B-A3B-Thinking-2507", "qwen3-30b-a3b"));
    CHECK(is(arena, "deepseek-ai/DeepSeek-R1-Distill-Llama-70B", "llama-3.3-70b"));
    CHECK(is(arena, "mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b"));
    CASE("a date within a name");
    CHECK(is(arena, "OLMo-2-1124-7B", "olmo-2-7b"));
    CHECK(is(arena, "allenai/OLMo-2-0325-32B-Instruct", "olmo-2-32b"));
    CHECK(is(arena, "olmo-2-11245-7b", NULL) && is(arena, "olmo-2-1124-8b", NULL));
    CASE("a point between figures tells models apart");
    CHECK(is(arena, "opt-13b", "opt-13b") && is(arena, "OPT_13B", "opt-13b"));
    CHECK(is(arena, "facebook/opt-1.3b", "opt-1.3b") && is(arena, "gpt3-13b", "gpt3-13b"));
    int count;
    const char *const *names = clg_model_names(arena, &count);
    for (int i = 0; i < count; i++) CHECK(is(arena, names[i], names[i]));
    CASE("the place on the Hub that a preset's file comes from names it");
    for (int i = 0; i < count; i++) {
        static const char site[] = "https://huggingface.co/";
        clg_model one;
        clg_error error = {0};
        CHECK(clg_model_find(arena, names[i], &one, &error) == CLG_OK);
        const char *at = strstr(one.source, site), *slash = at ? strchr(at + 23, '/') : NULL;
        if (!slash) continue;
        at += sizeof site - 1;
        size_t size = (size_t)(slash - at) + 1 + strcspn(slash + 1, "/ \t,;");
        CHECK(is(arena, clg_arena_copy(arena, at, size), names[i]));
    }
    CASE("a version that the name does not say is another model");
    CHECK(is(arena, "step-3", NULL));
    CHECK(is(arena, "devstral", NULL));
    CHECK(is(arena, "step-3.5", "step-3.5-flash"));
    CASE("who gave another name is told");
    clg_model taken;
    clg_error refused = {0};
    CHECK(clg_model_asked(arena, "Qwen/Qwen3.6-27B", &taken, &refused) == CLG_OK);
    CHECK(taken.asked && strcmp(taken.asked, "Qwen3.6-27B") == 0);
    CHECK(clg_model_asked(arena, "Llama 2 70B", &taken, &refused) == CLG_OK && !taken.asked);
    CHECK(clg_model_asked(arena, "Qwen/Qwen3-32B-FP8", &taken, &refused) == CLG_OK && !taken.asked);
    CASE("every row names a preset, and by a name that no preset has");
    clg_error error = {0};
    clg_model model;
    clg_csv csv = clg_dataset_csv(arena, "model-names.csv");
    for (int i = 0; i < csv.rows; i++) {
        CHECK(clg_model_find(arena, csv.row[i].field[1], &model, &error) == CLG_OK);
        CHECK(clg_model_find(arena, csv.row[i].field[0], &model, &error) != CLG_OK);
        CHECK(is(arena, csv.row[i].field[0], csv.row[i].field[1]));
        CHECK(csv.row[i].field[2][0] != '\0');
    }
}

/* "?": the preset is stored in a format that is none of ours. */
static const char *stored_as(clg_arena *arena, const char *word, const char *preset) {
    clg_model model;
    clg_error error = {0};
    if (clg_model_asked(arena, word, &model, &error) != CLG_OK) return NULL;
    if (strcmp(model.name, preset) != 0) return model.name;
    return model.stored_unknown ? "?" : clg_name_of(clg_precision_names, (int)model.stored);
}

static void formats(clg_arena *arena) {
    static const struct {
        const char *word, *preset, *stored;
    } rows[] = {{"qwen3-32b", "qwen3-32b", "bf16"},
                {"Qwen/Qwen3-32B-FP8", "qwen3-32b", "fp8"},
                {"Qwen3-32B-FP8-Static-PerTensor", "qwen3-32b", "fp8"},
                {"RedHatAI/Meta-Llama-3.1-8B-Instruct-FP8-dynamic", "llama-3.1-8b", "fp8"},
                {"Meta-Llama-3.1-8B", "llama-3.1-8b", "bf16"},
                {"nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "nemotron-3-nano-30b-a3b", "bf16"},
                {"nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4", "nemotron-3-nano-30b-a3b", "nvfp4"},
                {"nvidia/DeepSeek-R1-0528-FP4", "deepseek-r1", "nvfp4"},
                {"llama-3.1-70b-instruct-awq", "llama-3.1-70b", "int4"},
                {"Qwen2.5-7B-Instruct-GPTQ-Int4", "qwen2.5-7b", "int4"},
                {"Qwen2.5-Coder-7B-Instruct-AWQ", "qwen2.5-7b", "int4"},
                {"RedHatAI/Llama-3.3-70B-Instruct-quantized.w4a16", "llama-3.3-70b", "int4"},
                {"Qwen2.5-7B-Instruct-GPTQ-Int8", "qwen2.5-7b", "?"},
                {"unsloth/llama-3.1-8b-bnb-4bit", "llama-3.1-8b", "?"},
                {"Qwen/Qwen3-8B-GGUF", "qwen3-8b", "?"},
                {"gpt-oss-120b", "gpt-oss-120b", "mxfp4"},
                {"gpt-oss-120b-BF16", "gpt-oss-120b", "bf16"}};
    CASE("a name says the format of the weights beside the architecture");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_TEXT(stored_as(arena, rows[i].word, rows[i].preset), rows[i].stored);
    CASE("of 8 bit with a scale for each block, for each product");
    clg_model model;
    clg_error error = {0};
    CHECK(clg_model_asked(arena, "Qwen3-32B-FP8", &model, &error) == CLG_OK && model.stored_blocks);
    CHECK(clg_model_asked(arena, "Qwen3-32B-FP8-dynamic", &model, &error) == CLG_OK);
    CHECK(model.stored == CLG_FP8 && !model.stored_blocks);
    CHECK(clg_model_asked(arena, "deepseek-v3", &model, &error) == CLG_OK && model.stored_blocks);
    CASE("every line of the table is a precision, nothing, or said to be another");
    clg_csv csv = clg_dataset_csv(arena, "model-name-parts.csv");
    for (int i = 0; i < csv.rows; i++) {
        const char *weights = csv.row[i].field[2];
        bool known = !*weights || strcmp(weights, "other") == 0;
        for (const clg_name *row = clg_precision_names; row->name && !known; row++)
            known = strcmp(row->name, weights) == 0;
        CHECK(known && csv.row[i].field[4][0] != '\0');
    }
}

static void unpublished(clg_arena *arena) {
    static const char *const asked[] = {"gpt-4o",  "GPT-4.1-mini",      "o3",
                                        "o4-mini", "claude-3.5-sonnet", "google/gemini-2.5-pro"};
    clg_error error = {0};
    clg_model model;
    CASE("no sizes are published: its maker is named, no other model is");
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        CHECK(clg_model_find(arena, asked[i], &model, &error) == CLG_BAD_INPUT);
        CHECK(strstr(error.message, "publishes no sizes") && !strstr(error.mend, "did you mean"));
    }
    CASE("names that only begin alike are asked about as ever");
    CHECK(clg_model_find(arena, "gpt-44", &model, &error) == CLG_BAD_INPUT);
    CHECK(strstr(error.message, "there is no built-in model"));
    CHECK(clg_model_find(arena, "gpt-oss-20b", &model, &error) == CLG_OK);
}

int main(void) {
    clg_arena arena = {0};
    others(&arena);
    formats(&arena);
    unpublished(&arena);
    clg_arena_clear(&arena);
    return DONE;
}
