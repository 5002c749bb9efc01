/* Later generations of known families: what they add is counted, or refused by name. */
#include "prediction.h"
#include "preset.h"
#include "test.h"

static clg_arena arena;

static clg_status read(const char *text, clg_error *error) {
    clg_model model;
    *error = (clg_error){0};
    return clg_model_read(&arena, "config.json", text, strlen(text), &model, error);
}

/* Nemotron 3 Super by hand. Mamba: 4096 x (2 x 8192 + 2048 + 128) in, 10240 x (4 + 1) of the
 * convolution, 3 x 128 + 8192 + 8192 x 4096 out, a norm. Attention: 2 x 4096 x (4096 + 256).
 * Experts: 512 of 2 x 1024 x 2688 on the latent width, 2 x 4096 x 1024 there and back, the shared
 * one of 2 x 4096 x 5376, 512 x 4096 of the router. */
static void latent_experts(void) {
    long long h = 4096, expert = 2 * 1024 * 2688;
    long long mamba = h * (2 * 8192 + 2048 + 128) + 10240 * 5 + 3 * 128 + 8192 + 8192 * h + h;
    long long attention = 2 * h * (h + 256) + h;
    long long beside = 2 * h * 1024 + 2 * h * 5376 + 512 * h + h;
    long long edges = 2 * 131072 * h + h;
    CASE("Nemotron 3 Super and its 22 of 512 experts by hand; their cards' 120 and 550 B");
    clg_model m = preset(&arena, "nemotron-3-super-120b-a12b");
    long long rest = edges + 40 * mamba + 8 * attention + 40 * beside;
    CHECK(m.parameters == rest + 40 * 512 * expert);
    CHECK(m.active_parameters == rest + 40 * 22 * expert);
    CHECK_NEAR((double)m.parameters, 120e9, 0.01);
    CHECK(prediction_parameters(&m) == attention + beside + 512 * expert + 2 * h * h + 3 * h);
    CHECK_NEAR((double)preset(&arena, "nemotron-3-ultra-550b-a55b").parameters, 550e9, 0.01);
}

static const char *with(const char *family, const char *more) {
    return clg_arena_print(&arena,
                           "{\"model_type\": \"%s\", \"hidden_size\": 64, "
                           "\"num_hidden_layers\": 2, \"num_attention_heads\": 4, "
                           "\"head_dim\": 16, \"intermediate_size\": 128, "
                           "\"vocab_size\": 100%s}",
                           family, more);
}

/* A known family with a field that makes it another model. */
static void unpriced(void) {
    static const char *const on[] = {"\"is_encoder_decoder\": true", "\"moe_layer_freq\": 2",
                                     "\"altup_num_inputs\": 4",
                                     "\"layer_types\": [\"retention\", \"full_attention\"]"};
    static const char *const off[] = {
        "\"num_kv_shared_layers\": 0",         "\"hc_mult\": 1",
        "\"is_encoder_decoder\": false",       "\"block_configs\": null",
        "\"moe_layer_freq\": [1, 1]",          "\"swa_head_dim\": 16",
        "\"time_step_limit\": [0.0, Infinity]"};
    clg_error error;
    CASE("fields that change the model are refused by name where they are on, not left out");
    for (size_t i = 0; i < sizeof on / sizeof on[0]; i++) {
        const char *text = with("llama", clg_arena_print(&arena, ", %s", on[i]));
        CHECK(read(text, &error) == CLG_BAD_INPUT);
        CHECK(
            strstr(error.message, "not modelled") &&
            strstr(on[i], strrchr(error.field, '.') ? strrchr(error.field, '.') + 1 : error.field));
    }
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++)
        CHECK(read(with("llama", clg_arena_print(&arena, ", %s", off[i])), &error) == CLG_OK);
    CASE("an architecture that is not known says which of its parts has no model here");
    CHECK(read(with("mine_text", ", \"altup_num_inputs\": 4"), &error) == CLG_BAD_INPUT);
    CHECK(strstr(error.message, "cannot map; not modelled: several residual streams"));
    CHECK(read(with("xlm-roberta", ", \"type_vocab_size\": 1"), &error) == CLG_BAD_INPUT);
    CHECK(strstr(error.message, "not modelled: an encoder"));
    CHECK(read(with("mine_text", ", \"layer_types_own\": [1]"), &error) == CLG_BAD_INPUT);
    CHECK(strstr(error.message, "no meaning here has: layer_types_own"));
    CASE("a list of one number per layer is that number where all are the same");
    CHECK(read(with("llama", ", \"max_position_embeddings\": [2, 2]"), &error) == CLG_OK);
    CHECK(read(with("llama", ", \"max_position_embeddings\": [2, 4]"), &error) == CLG_BAD_INPUT);
    CASE("without a number the list of layers says how many; Python's Infinity is nothing stated");
    CHECK(read("{\"model_type\": \"nemotron_h\", \"hidden_size\": 64, \"num_attention_heads\": 4, "
               "\"vocab_size\": 100, \"mamba_num_heads\": 8, \"layers_block_type\": [\"mamba\", "
               "\"attention\", \"mlp\"], \"time_step_limit\": [0.0, Infinity, NaN, -Infinity]}",
               &error) == CLG_OK);
}

/* A field of sizes or parts of layers that no reader asks for may make it another model. */
static void unread(void) {
    clg_error error = {0};
    clg_model m;
    const char *text = with("llama", ", \"second_mlp_size\": 99, \"use_cache\": true, "
                                     "\"pretraining_tp\": 2, \"num_heads\": 4, "
                                     "\"vision_layers\": 9, \"extra_expert_dim\": 0");
    CASE("what nothing reads is named; other names of what is read, and what is off, are not");
    CHECK(clg_model_read(&arena, "config.json", text, strlen(text), &m, &error) == CLG_OK);
    CHECK(m.unread && strcmp(m.unread, "second_mlp_size") == 0);
    CASE("presets have no such field");
    int count;
    const char *const *names = clg_model_names(&arena, &count);
    for (int i = 0; i < count; i++) {
        clg_model model = preset(&arena, names[i]);
        if (model.unread) printf("%s: %s\n", names[i], model.unread);
        CHECK(!model.unread);
    }
    CASE("layers that are idle, and tables of layers, make no mixture of experts");
    m = preset(&arena, "llama-3.2-11b-vision");
    CHECK(m.active_parameters < m.parameters && !clg_model_experts(&m));
    m = preset(&arena, "gemma-4-26b-a4b");
    CHECK(clg_model_experts(&m));
}

int main(void) {
    unread();
    latent_experts();
    unpriced();
    clg_arena_clear(&arena);
    return DONE;
}
