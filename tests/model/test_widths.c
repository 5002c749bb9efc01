/* Layers of one model that differ in heads, widths and parts: counts by hand and of model cards. */
#include "model/preset.h"
#include "test.h"

static clg_arena arena;

static clg_model find(const char *name) {
    clg_model model = {0};
    clg_error error = {0};
    CHECK(clg_model_find(&arena, name, &model, &error) == CLG_OK);
    return model;
}

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
    clg_model m = find("gemma-4-31b");
    CHECK(m.parameters == 262144 * h + h + 60 * mlp + 50 * slides + 10 * whole);
    CHECK_NEAR((double)m.parameters, 30.7e9, 0.002);
    CHECK(layer(&m, 4)->attention.window == 1024 && layer(&m, 5)->attention.window == 0);
    CHECK(layer(&m, 5)->attention.kv_heads == 4 && layer(&m, 5)->attention.keys_serve);
    CASE("26B-A4B: a dense MLP beside experts; its card's 25.2 B, 3.8 B a token");
    m = find("gemma-4-26b-a4b");
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
    clg_model m = find("gemma-4-e2b");
    CHECK(m.parameters == 262144 * h + table + inputs + norms + queries + heads + keys + mlp);
    CHECK_NEAR((double)m.active_parameters, 2.3e9, 0.02);
    CHECK_NEAR((double)m.parameters, 4.65e9, 0.01);
    CHECK(!layer(&m, 14)->attention.borrows && layer(&m, 15)->attention.borrows);
    CASE("E4B: 4.5 B effective, 8 B with embeddings and towers");
    m = find("gemma-4-e4b");
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
    clg_model m = find("mimo-v2-flash");
    CHECK(m.parameters == 2 * 152576 * h + h + 39 * slides + 9 * whole + 48 * 2 * h +
                              3 * h * 16384 + 47 * (256 * expert + 256 * h + 256));
    CHECK_NEAR((double)m.parameters, 309e9, 0.002);
    CHECK_NEAR((double)m.active_parameters, 15e9, 0.04);
    CHECK(!layer(&m, 1)->attention.chunked && layer(&m, 1)->attention.window == 128);
    CASE("Step 3.5 Flash: 96 heads with a window, 64 without, a gate a head; its card's 196 B");
    m = find("step-3.5-flash");
    CHECK_NEAR((double)m.parameters, 196e9, 0.006);
    CHECK(layer(&m, 1)->attention.heads == 96 && layer(&m, 0)->attention.heads == 64);
    CHECK(layer(&m, 1)->attention.gate_dim == 1 && layer(&m, 2)->mlp.kind == CLG_MLP_DENSE);
}

/* Safetensors of the repository: 49,867,145,216. */
static void searched(void) {
    CASE("blocks of an architecture search: no attention in 31 of 80 layers, MLPs of many widths");
    clg_model m = find("llama-3.3-nemotron-super-49b");
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
    listed();
    clg_arena_clear(&arena);
    return DONE;
}
