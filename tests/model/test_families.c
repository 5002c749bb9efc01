/* config.json files as their repositories have them, against the parameters that cards print; and
 * architectures that are refused, by what no part here has. */
#include "model/model.h"
#include "test.h"

#include <string.h>

static clg_arena arena;

static clg_status read(const char *text, clg_model *model, clg_error *error) {
    *error = (clg_error){0};
    return clg_model_read(&arena, "config.json", text, strlen(text), model, error);
}

static double parameters(const char *text) {
    clg_model model;
    clg_error error;
    return read(text, &model, &error) == CLG_OK ? (double)model.parameters : 0;
}

static void counts(void) {
    CASE("GPT-Neo 1.3B: 24 x (12 h^2 + 10 h) + (50257 + 2048) h + 2 h, h = 2048; windows in turn");
    const char *neo = "{\"model_type\": \"gpt_neo\", \"hidden_size\": 2048, \"num_layers\": 6, "
                      "\"num_heads\": 16, \"intermediate_size\": null, \"vocab_size\": 50257, "
                      "\"max_position_embeddings\": 2048, \"window_size\": 256, "
                      "\"attention_types\": [[[\"global\", \"local\"], 3]], \"attention_layers\": "
                      "[\"global\", \"local\", \"global\", \"local\", \"global\", \"local\"]}";
    clg_model model;
    clg_error error;
    CHECK(read(neo, &model, &error) == CLG_OK);
    /* LayerNorms 4 h, the output's bias h, those of the MLP 5 h */
    CHECK(model.parameters == 6 * (12LL * 2048 * 2048 + 10 * 2048) + 52305LL * 2048 + 2 * 2048);
    CHECK(model.kind[model.layer_kind[0]].attention.window == 0);
    CHECK(model.kind[model.layer_kind[1]].attention.window == 256);
    CASE("Hunyuan Large (arXiv:2411.02265): keys and values of every second layer; 389 B");
    const char *hunyuan =
        "{\"model_type\": \"hunyuan\", \"hidden_size\": 6400, \"num_hidden_layers\": 64, "
        "\"num_attention_heads\": 80, \"num_key_value_heads\": 8, \"attention_head_dim\": 80, "
        "\"intermediate_size\": 18304, \"num_experts\": 16, \"moe_topk\": 1, "
        "\"num_shared_expert\": 1, \"use_cla\": true, \"cla_share_factor\": 2, "
        "\"use_qk_norm\": true, \"vocab_size\": 128512, \"tie_word_embeddings\": true}";
    CHECK(read(hunyuan, &model, &error) == CLG_OK);
    CHECK_NEAR((double)model.parameters, 389e9, 0.002);
    CHECK(!model.kind[model.layer_kind[0]].attention.borrows);
    CHECK(model.kind[model.layer_kind[1]].attention.borrows);
}

static void states(void) {
    CASE("Mamba-Codestral 7B: 64 x (4096 x 18560 in, 10240 x 5, 3 x 128, 8192 + 8192 x 4096 out, "
         "a norm): 7,285,403,648");
    CHECK(parameters("{\"model_type\": \"mamba2\", \"hidden_size\": 4096, \"num_hidden_layers\": "
                     "64, \"state_size\": 128, \"conv_kernel\": 4, \"head_dim\": 64, "
                     "\"num_heads\": 128, \"n_groups\": 8, \"vocab_size\": 32768, "
                     "\"tie_word_embeddings\": false}") == 7285403648.0);
    CASE("Bamba 9B: three layers of 32 attend; its card's 9.78 B");
    CHECK_NEAR(parameters("{\"model_type\": \"bamba\", \"hidden_size\": 4096, "
                          "\"num_hidden_layers\": 32, \"num_attention_heads\": 32, "
                          "\"num_key_value_heads\": 8, \"intermediate_size\": 14336, "
                          "\"attn_layer_indices\": [9, 18, 27], \"mamba_d_state\": 128, "
                          "\"mamba_d_conv\": 4, \"mamba_n_heads\": 128, \"mamba_d_head\": 64, "
                          "\"mamba_n_groups\": 1, \"vocab_size\": 128256}"),
               9.78e9, 0.001);
}

static void mixtures(void) {
    CASE("K-EXAONE 236B, Solar Open 102.6B, Ling-flash 2.0 103B by their cards");
    CHECK_NEAR(parameters("{\"model_type\": \"exaone_moe\", \"hidden_size\": 6144, "
                          "\"num_hidden_layers\": 48, \"num_attention_heads\": 64, "
                          "\"num_key_value_heads\": 8, \"head_dim\": 128, \"intermediate_size\": "
                          "18432, \"moe_intermediate_size\": 2048, \"num_experts\": 128, "
                          "\"num_experts_per_tok\": 8, \"num_shared_experts\": 1, "
                          "\"first_k_dense_replace\": 1, \"vocab_size\": 153600}"),
               236e9, 0.005);
    CHECK_NEAR(parameters("{\"model_type\": \"solar_open\", \"hidden_size\": 4096, "
                          "\"num_hidden_layers\": 48, \"num_attention_heads\": 64, "
                          "\"num_key_value_heads\": 8, \"head_dim\": 128, "
                          "\"moe_intermediate_size\": 1280, \"n_routed_experts\": 128, "
                          "\"num_experts_per_tok\": 8, \"n_shared_experts\": 1, "
                          "\"vocab_size\": 196608}"),
               102.6e9, 0.005);
    CHECK_NEAR(parameters("{\"model_type\": \"bailing_moe_v2\", \"hidden_size\": 4096, "
                          "\"num_hidden_layers\": 32, \"num_attention_heads\": 32, "
                          "\"num_key_value_heads\": 4, \"head_dim\": 128, \"intermediate_size\": "
                          "9216, \"moe_intermediate_size\": 1024, \"num_experts\": 256, "
                          "\"num_experts_per_tok\": 8, \"num_shared_experts\": 1, "
                          "\"first_k_dense_replace\": 1, \"vocab_size\": 157184}"),
               103e9, 0.005);
    CASE(
        "Aria's language model: 64 experts and two shared ones of one width, 24.9 B with its eyes");
    CHECK_NEAR(parameters("{\"model_type\": \"aria\", \"text_config\": {\"model_type\": "
                          "\"aria_text\", \"hidden_size\": 2560, \"num_hidden_layers\": 28, "
                          "\"num_attention_heads\": 20, \"num_key_value_heads\": 20, "
                          "\"intermediate_size\": 1664, \"moe_num_experts\": 64, \"moe_topk\": "
                          "6, \"moe_num_shared_experts\": 2, \"vocab_size\": 100352}}"),
               24.9e9, 0.02);
}

static void refused(void) {
    static const struct {
        const char *text, *lacks;
    } files[] = {
        {"{\"model_type\": \"falcon_mamba\", \"state_size\": 16}", "Mamba-1"},
        {"{\"model_type\": \"zamba2\", \"n_mamba_heads\": 112}", "weights serve many places"},
        {"{\"model_type\": \"rwkv7\"}", "recurrences of RWKV"},
        {"{\"model_type\": \"ernie4_5_moe_vl\", \"moe_num_experts\": [64, 64]}", "of two widths"},
        {"{\"model_type\": \"minicpmo\"}", "that a version names"},
        {"{\"model_type\": \"jamba\", \"attn_layer_period\": 8}", "Mamba-1 beside attention"},
        {"{\"model_type\": \"longcat_flash\", \"zero_expert_num\": 256}", "do nothing"},
    };
    CASE("an architecture that is refused is refused by what is not modelled");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        clg_model model;
        clg_error error;
        CHECK(read(files[i].text, &model, &error) == CLG_BAD_INPUT);
        CHECK(strstr(error.message, "not modelled: ") && strstr(error.message, files[i].lacks));
    }
}

int main(void) {
    counts();
    states();
    mixtures();
    refused();
    clg_arena_clear(&arena);
    return DONE;
}
