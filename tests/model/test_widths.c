/* Layers of one model that differ in heads, widths and parts: counts by hand and of model cards. */
#include "preset.h"
#include "test.h"

static clg_arena arena;

static clg_status read(const char *text, clg_model *model, clg_error *error) {
    *error = (clg_error){0};
    return clg_model_read(&arena, "config.json", text, strlen(text), model, error);
}

static const clg_layer_kind *layer(const clg_model *m, int i) { return &m->kind[m->layer_kind[i]]; }

/* Gemma 4 31B by hand: of 60 layers each sixth has 32 heads of 512 and 4 key heads that serve as
 * values, the others 32 of 256 and 16 of each; three matrices of 5376 x 21504; four norms, and two
 * of a head's width. Its card: 30.7 B. */
static void gemma_4(void) {
    long long h = 5376, mlp = 3 * h * 21504 + 4 * h;
    long long slides = 2 * h * 32 * 256 + 2 * h * 16 * 256 + 2 * 256;
    long long whole = 2 * h * 32 * 512 + h * 4 * 512 + 2 * 512;
    CASE("Gemma 4 31B by hand");
    clg_model m = preset(&arena, "gemma-4-31b");
    CHECK(m.parameters == 262144 * h + h + 60 * mlp + 50 * slides + 10 * whole);
    CHECK_NEAR((double)m.parameters, 30.7e9, 0.002);
    CHECK(layer(&m, 4)->attention.window == 1024 && layer(&m, 5)->attention.window == 0);
    CHECK(layer(&m, 5)->attention.kv_heads == 4 && layer(&m, 5)->attention.keys_serve);
    CASE("26B-A4B: a dense MLP beside experts; its card's 25.2 B, 3.8 B a token");
    m = preset(&arena, "gemma-4-26b-a4b");
    CHECK_NEAR((double)m.parameters, 25.2e9, 0.002);
    CHECK_NEAR((double)m.active_parameters, 3.8e9, 0.01);
    CHECK(layer(&m, 0)->mlp.shared_ffn == 2112 && layer(&m, 0)->norms == 7);
}

/* E2B: 20 of 35 layers have no keys and values and twice the MLP; a table of 35 x 256 a token. Its
 * card: 2.3 B effective, 5.1 B with embeddings and the towers of 0.15 and 0.3 B. */
static void borrowing(void) {
    long long h = 1536, p = 256, table = 262144LL * 35 * p;
    long long inputs = 35 * (3 * h * p + h) + p;
    long long norms = 35 * 4 * h + h, heads = 28 * 256 + 7 * 512;
    long long queries = 2 * h * 8 * heads;
    long long keys = 2 * h * (12 * 256 + 3 * 512) + 12 * 256 + 3 * 512;
    long long mlp = 3 * h * 6144 * (15 + 2 * 20);
    CASE("Gemma 4 E2B by hand");
    clg_model m = preset(&arena, "gemma-4-e2b");
    CHECK(m.parameters == 262144 * h + table + inputs + norms + queries + heads + keys + mlp);
    CHECK_NEAR((double)m.active_parameters, 2.3e9, 0.02);
    CHECK_NEAR((double)m.parameters, 4.65e9, 0.01);
    CHECK(!layer(&m, 14)->attention.borrows && layer(&m, 15)->attention.borrows);
    CASE("E4B: 4.5 B effective, 8 B with embeddings and towers");
    m = preset(&arena, "gemma-4-e4b");
    CHECK_NEAR((double)m.active_parameters, 4.6e9, 0.01);
    CHECK_NEAR((double)m.parameters, 7.5e9, 0.01);
}

/* Every layer's keys are 192 wide and its values 128; of those with a window 8 key heads, 4 of the
 * rest; one sink per head where there is a window. Its card: 309 B, 15 B a token. */
static void mimo(void) {
    long long h = 4096, out = 64 * 128 * h, queries = h * 64 * 192, expert = 3 * h * 2048;
    long long slides = queries + out + h * 8 * (192 + 128) + 64;
    long long whole = queries + out + h * 4 * (192 + 128);
    CASE("MiMo-V2-Flash by hand");
    clg_model m = preset(&arena, "mimo-v2-flash");
    CHECK(m.parameters == 2 * 152576 * h + h + 39 * slides + 9 * whole + 48 * 2 * h +
                              3 * h * 16384 + 47 * (256 * expert + 256 * h + 256));
    CHECK_NEAR((double)m.parameters, 309e9, 0.002);
    CHECK_NEAR((double)m.active_parameters, 15e9, 0.04);
    CHECK(!layer(&m, 1)->attention.chunked && layer(&m, 1)->attention.window == 128);
    CASE("Step 3.5 Flash: 96 heads with a window, 64 without, a gate a head; its card's 196 B");
    m = preset(&arena, "step-3.5-flash");
    CHECK_NEAR((double)m.parameters, 196e9, 0.006);
    CHECK(layer(&m, 1)->attention.heads == 96 && layer(&m, 0)->attention.heads == 64);
    CHECK(layer(&m, 1)->attention.gate_dim == 1 && layer(&m, 2)->mlp.kind == CLG_MLP_DENSE);
}

/* Safetensors of the repository: 49,867,145,216. */
static void searched(void) {
    CASE("blocks of an architecture search: no attention in 31 of 80 layers, MLPs of many widths");
    clg_model m = preset(&arena, "llama-3.3-nemotron-super-49b");
    int attending = 0;
    for (int i = 0; i < m.layers; i++)
        attending += layer(&m, i)->attention.kind == CLG_ATTENTION_GROUPED;
    CHECK(attending == 49 && m.parameters == 49867145216);
    CHECK(layer(&m, 1)->mlp.ffn == 28672 && layer(&m, 1)->norms == 2);
    CASE("parts of blocks that are not modelled are named");
    clg_error error;
    CHECK(
        read("{\"model_type\": \"nemotron-nas\", \"hidden_size\": 64, \"num_hidden_layers\": 1, "
             "\"num_attention_heads\": 4, \"vocab_size\": 100, \"block_configs\": [{\"attention\":"
             " {\"replace_with_linear\": true}, \"ffn\": {\"ffn_mult\": 1}}]}",
             &m, &error) == CLG_BAD_INPUT);
    CHECK(strstr(error.message, "attention.replace_with_linear"));
}

/* Eight of 40 layers attend to a picture; of text they are parameters alone. */
static void idle(void) {
    clg_model m, plain;
    clg_error error;
    static const char *const sizes =
        "\"hidden_size\": 4096, \"num_attention_heads\": 32, \"num_key_value_heads\": 8, "
        "\"intermediate_size\": 14336, \"vocab_size\": 128256, ";
    CASE("layers of cross attention: the work of Llama 3.1 8B, and the parameters of 40 layers");
    CHECK(read(clg_arena_print(&arena,
                               "{\"model_type\": \"mllama\", \"text_config\": {\"model_type\": "
                               "\"mllama_text_model\", %s\"num_hidden_layers\": 40, "
                               "\"cross_attention_layers\": [3, 8, 13, 18, 23, 28, 33, 38]}}",
                               sizes),
               &m, &error) == CLG_OK);
    CHECK(read(clg_arena_print(&arena, "{\"model_type\": \"llama\", %s\"num_hidden_layers\": 32}",
                               sizes),
               &plain, &error) == CLG_OK);
    CHECK(m.active_parameters == plain.parameters);
    long long whole = (plain.parameters - 2 * 128256LL * 4096 - 4096) / 32;
    CHECK(m.parameters == plain.parameters + 8 * (whole + 2 * 128 + 2));
    CHECK(clg_model_flop_per_token(&m, 8192) == clg_model_flop_per_token(&plain, 8192));
}

/* Kimi K3 by hand: of 93 layers 24 attend with latents and a gate as wide as their results, the
 * others keep a state whose gate is of full rank; 92 have 896 experts on half the hidden width, a
 * norm of what they give; each part mixes earlier blocks. NVIDIA-NeMo/Automodel: 2.8 T, 104 B. */
static void kimi_k3(void) {
    long long h = 7168, w = 96 * 128, half = 3584, expert = 3 * half * 3072;
    long long latent =
        h * 1536 + 1536 + 1536 * 96 * 192 + h * 576 + 512 + 512 * 96 * 256 + 2 * w * h;
    long long state = 5 * h * w + 3 * 4 * w + h * 96 + h * 128 + 128 * w + 96 + w + 128;
    long long experts = 896 * expert + 2 * h * half + half + 896 * h + 896 + 3 * h * 6144;
    CASE("Kimi K3 by hand");
    clg_model m = preset(&arena, "kimi-k3");
    CHECK(m.parameters == 2 * 163840 * h + 3 * h + 93 * 6 * h + 24 * latent + 69 * state +
                              3 * h * 33792 + 92 * experts);
    CHECK_NEAR((double)m.parameters, 2.8e12, 0.01);
    CHECK_NEAR((double)m.active_parameters, 104e9 + 163840.0 * (double)h, 0.002);
    CASE("blocks of 12 layers: one to begin with, eight at the end");
    CHECK_NEAR(clg_mixed_blocks(&m), (12 * (1 + 2 + 3 + 4 + 5 + 6 + 7) + 9 * 8) / 93.0, 1e-12);
    clg_model plain = preset(&arena, "kimi-k2");
    CHECK(clg_mixed_blocks(&plain) == 0);
}

/* Ten of 16 layers convolve: 3 h^2 in, h^2 out, 3 taps; six attend, with norms of heads; MLPs of
 * 2/3 of 12288. The total of its safetensors stands in the preset. */
static void convolving(void) {
    long long h = 2048, mlp = 3 * h * 8192 + 2 * h;
    CASE("LFM2 1.2B by hand");
    clg_model m = preset(&arena, "lfm2-1.2b");
    CHECK(m.parameters == 65536 * h + h + 16 * mlp + 10 * (4 * h * h + 3 * h) +
                              6 * (2 * h * h + 2 * h * 512 + 2 * 64));
    const clg_attention *a = &layer(&m, 0)->attention;
    CHECK(a->state == CLG_STATE_CONVOLUTION && clg_state_values(a) == 0);
    CHECK(clg_state_channels(a) == h && clg_state_columns(a) == 3 * h);
    CHECK_NEAR(clg_model_flop_per_token(&m, 4096),
               6.0 * (double)m.active_parameters + 12.0 * 6 * 2048 * 4096, 1e-15);
}

/* Cards: 33 B with 3 B a token, 118 B with 8 B. */
static void heads_of_layers(void) {
    CASE("Laguna lists the heads of each layer");
    clg_model m = preset(&arena, "laguna-xs.2");
    CHECK(layer(&m, 0)->attention.heads == 48 && layer(&m, 1)->attention.heads == 64);
    CHECK_NEAR((double)m.parameters, 33.4e9, 0.005);
    CHECK_NEAR((double)m.active_parameters, 3e9, 0.01);
    CHECK_NEAR((double)preset(&arena, "laguna-s-2.1").parameters, 118e9, 0.005);
    CASE("Llama 3.2 90B Vision: Llama 3.1 70B and 20 layers beside");
    m = preset(&arena, "llama-3.2-90b-vision");
    CHECK(m.active_parameters == preset(&arena, "llama-3.1-70b").parameters);
}

/* Files as their repositories had them, before transformers gave the sizes other names. */
static void older_names(void) {
    static const struct {
        const char *name, *json;
        double total;
    } file[] = {
        {"OLMo 1B: gate and up together, eight times the hidden width",
         "{\"model_type\": \"olmo\", \"d_model\": 2048, \"n_heads\": 16, \"n_layers\": 16, "
         "\"mlp_hidden_size\": null, \"mlp_ratio\": 8, \"vocab_size\": 50280, "
         "\"embedding_size\": 50304, \"weight_tying\": true}",
         1176764416.0},
        {"Qwen 72B: gate and up together",
         "{\"model_type\": \"qwen\", \"hidden_size\": 8192, \"intermediate_size\": 49152, "
         "\"num_attention_heads\": 64, \"num_hidden_layers\": 80, \"no_bias\": true, "
         "\"vocab_size\": 152064}",
         72287920128.0},
        {"InternLM 7B: biases of attention alone",
         "{\"model_type\": \"internlm\", \"bias\": true, \"hidden_size\": 4096, "
         "\"intermediate_size\": 11008, \"num_attention_heads\": 32, "
         "\"num_hidden_layers\": 32, \"vocab_size\": 103168}",
         7321948160.0},
        {"DeepSeekMoE 16B",
         "{\"model_type\": \"deepseek\", \"first_k_dense_replace\": 1, \"hidden_size\": 2048, "
         "\"intermediate_size\": 10944, \"moe_intermediate_size\": 1408, "
         "\"n_routed_experts\": 64, \"n_shared_experts\": 2, \"num_experts_per_tok\": 6, "
         "\"num_attention_heads\": 16, \"num_hidden_layers\": 28, \"vocab_size\": 102400}",
         16375728128.0}};
    clg_model m;
    clg_error error;
    for (size_t i = 0; i < sizeof file / sizeof file[0]; i++) {
        CASE(file[i].name);
        CHECK(read(file[i].json, &m, &error) == CLG_OK);
        CHECK_NEAR((double)m.parameters, file[i].total, 0);
    }
    CASE("a language model without a model_type of its own goes by that of the whole");
    CHECK(read("{\"model_type\": \"minimax_m3_vl\", \"text_config\": {\"hidden_size\": 64, "
               "\"num_hidden_layers\": 1, \"num_attention_heads\": 4, \"vocab_size\": 100}}",
               &m, &error) == CLG_OK);
}

/* One number a layer, as a list. */
static void listed(void) {
    clg_model m;
    clg_error error;
    const char *form = "{\"model_type\": \"llama\", \"hidden_size\": 64, \"num_hidden_layers\": 2, "
                       "\"num_attention_heads\": 4, \"head_dim\": 16, \"vocab_size\": 100, "
                       "\"num_key_value_heads\": %s, \"intermediate_size\": %s}";
    CASE("widths as lists of layers");
    CHECK(read(clg_arena_print(&arena, form, "[4, 2]", "[128, 256]"), &m, &error) == CLG_OK);
    CHECK(m.kinds == 2 && layer(&m, 1)->attention.kv_heads == 2 && layer(&m, 1)->mlp.ffn == 256);
    CASE("lists that end before the layers do, and heads that share no key, are refused");
    CHECK(read(clg_arena_print(&arena, form, "[4]", "128"), &m, &error) == CLG_BAD_INPUT);
    CHECK(strstr(error.message, "ends before"));
    CHECK(read(clg_arena_print(&arena, form, "[4, 3]", "128"), &m, &error) == CLG_BAD_INPUT);
    CHECK(strstr(error.message, "no multiple"));
}

int main(void) {
    gemma_4();
    borrowing();
    mimo();
    searched();
    idle();
    kimi_k3();
    convolving();
    heads_of_layers();
    older_names();
    listed();
    clg_arena_clear(&arena);
    return DONE;
}
