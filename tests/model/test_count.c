/* Parameter counts: every preset against its published total, exact to the parameter. */
#include "base/json.h"
#include "dataset/dataset.h"
#include "model/family.h"
#include "prediction.h"
#include "preset.h"
#include "test.h"

static clg_arena arena;

/* GPT-2 by hand: vocab, positions, 12 layers of 4 d^2 + 8 d^2 weights and 13 d biases and norms. */
static void gpt2_by_hand(void) {
    CASE("GPT-2 counted by hand");
    long long d = 768, layer = 12 * d * d + 13 * d;
    CHECK(preset(&arena, "gpt2").parameters == 50257 * d + 1024 * d + 12 * layer + 2 * d);
    CASE(
        "what its code makes of an activation, and drops out, from its file; Megatron's says none");
    CHECK(preset(&arena, "gpt2").gelu_in_steps && preset(&arena, "gpt2").attention_dropout);
    CHECK(preset(&arena, "opt-1.3b").hidden_dropout &&
          !preset(&arena, "opt-1.3b").attention_dropout);
    CHECK(!preset(&arena, "gpt3-175b").gelu_in_steps &&
          !preset(&arena, "gpt3-175b").hidden_dropout);
}

/* Llama 3 8B by hand: q and o are d x d, k and v are d x 1024, three d x 14336 matrices. */
static void llama_by_hand(void) {
    CASE("Llama 3 8B counted by hand");
    long long d = 4096, layer = 2 * d * d + 2 * d * 1024 + 3 * d * 14336 + 2 * d;
    CHECK(preset(&arena, "llama-3-8b").parameters == 2 * 128256 * d + 32 * layer + d);
}

static void published(void) {
    int files, presets, compared = 0;
    const char *const *names = clg_model_names(&arena, &presets);
    const clg_file *file = clg_dataset_folder("model/", &files);
    for (int i = 0; i < presets; i++) {
        CASE(names[i]);
        clg_json *root = NULL;
        clg_error error = {0};
        CHECK(clg_json_parse(&arena, names[i], file[i].text, file[i].size, &root, &error) ==
              CLG_OK);
        const clg_json *label = clg_json_member(root, "ceiling");
        const clg_json *total = clg_json_member(label, "published_parameters");
        CHECK(clg_json_member(label, "source") != NULL);
        clg_model model = preset(&arena, names[i]);
        if (!total) continue;
        compared++;
        CHECK_NEAR((double)model.parameters, total->number, 0);
    }
    CASE("at least 60 presets, most against a published total");
    CHECK(presets >= 60 && compared >= 60);
}

static void active(void) {
    CASE("active parameters: DeepSeek V3 37 B, Mixtral 8x7B 12.9 B, Qwen3 235B 22 B, Kimi K2 32 B");
    CHECK_NEAR((double)preset(&arena, "deepseek-v3").active_parameters, 37.5e9, 0.01);
    CHECK_NEAR((double)preset(&arena, "mixtral-8x7b").active_parameters, 12.9e9, 0.01);
    CHECK_NEAR((double)preset(&arena, "qwen3-235b-a22b").active_parameters, 22.2e9, 0.01);
    CHECK_NEAR((double)preset(&arena, "kimi-k2").active_parameters, 32.9e9, 0.01);
    CASE("exactly, of Qwen3.5 397B-A17B as counted from its tensors; Granite's 9 B");
    CHECK(preset(&arena, "qwen3.5-397b-a17b").active_parameters == 17349040896);
    CHECK_NEAR((double)preset(&arena, "granite-4.0-h-small").active_parameters, 9e9, 0.03);
}

/* Approximate totals of model cards that print no exact one. */
static void cards(void) {
    static const struct {
        const char *name;
        double total;
    } card[] = {{"llama-4-scout", 107.8e9},    {"llama-4-maverick", 400.7e9},
                {"kimi-k2", 1026e9},           {"glm-4.5", 353e9},
                {"minimax-text-01", 456e9},    {"minimax-m2", 229e9},
                {"nemotron-4-340b", 341e9},    {"palm-540b", 540.35e9},
                {"gopher-280b", 280e9},        {"chinchilla-70b", 70e9},
                {"gpt3-175b", 174.6e9},        {"mt-nlg-530b", 530e9},
                {"megatron-1008b", 1008e9},    {"megatron-145.6b", 145.6e9},
                {"gemma-3-27b", 27e9},         {"command-r-plus", 103.8e9},
                {"nemotron-h-8b", 8.1e9},      {"nemotron-h-56b", 56.3e9},
                {"granite-4.0-h-tiny", 6.94e9}};
    for (size_t i = 0; i < sizeof card / sizeof card[0]; i++) {
        CASE(card[i].name);
        CHECK_NEAR((double)preset(&arena, card[i].name).parameters, card[i].total, 0.004);
    }
}

/* 6 N + 12 layers hidden seq: the number PaLM's appendix B divides by. */
static void flop(void) {
    CASE("flop per token as MFU counts them");
    clg_model m = preset(&arena, "gpt3-175b");
    CHECK_NEAR(clg_model_flop_per_token(&m, 2048), 6.0 * 174604259328.0 + 12.0 * 96 * 12288 * 2048,
               1e-12);
}

static void windows(void) {
    CASE("gpt-oss alternates windows, Gemma 3 has five local layers to one global");
    clg_model m = preset(&arena, "gpt-oss-20b");
    CHECK(m.kind[0].mlp.biases && m.kind[0].mlp.clamped);
    clg_model plain = preset(&arena, "mixtral-8x7b");
    CHECK(!plain.kind[0].mlp.biases && !plain.kind[0].mlp.clamped);
    CHECK(m.kinds == 2 && m.kind[m.layer_kind[0]].attention.window == 128);
    CHECK(m.kind[m.layer_kind[1]].attention.window == 0);
    m = preset(&arena, "gemma-3-1b");
    int global = 0;
    for (int i = 0; i < m.layers; i++) global += m.kind[m.layer_kind[i]].attention.window == 0;
    CHECK(global == 4);
    CASE("DeepSeek V3 has three dense layers and one prediction layer");
    m = preset(&arena, "deepseek-v3");
    int dense = 0;
    for (int i = 0; i < m.layers; i++) dense += m.kind[m.layer_kind[i]].mlp.kind == CLG_MLP_DENSE;
    CHECK(dense == 3 && m.prediction_layers == 1);
    CHECK_NEAR((double)prediction_parameters(&m), 11.6e9, 0.01);
}

/* config.json files of models that are no presets, with what the files leave out left out, against
 * the totals their repositories state (safetensors metadata on huggingface.co). */
static const struct {
    const char *name, *json;
    double total;
} file[] = {{"Qwen2-VL 7B, its language model",
             "{\"hidden_size\": 3584, \"intermediate_size\": 18944, \"model_type\": "
             "\"qwen2_vl\", \"num_attention_heads\": 28, \"num_hidden_layers\": 28, "
             "\"num_key_value_heads\": 4, \"vocab_size\": 152064, \"vision_config\": "
             "{\"hidden_size\": 3584}}",
             7615616512.0},
            {"Mistral Small 3.1, nested",
             "{\"model_type\": \"mistral3\", \"text_config\": {\"head_dim\": 128, "
             "\"hidden_size\": 5120, \"intermediate_size\": 32768, \"model_type\": "
             "\"mistral\", \"num_attention_heads\": 32, \"num_hidden_layers\": 40, "
             "\"num_key_value_heads\": 8, \"sliding_window\": null, \"vocab_size\": "
             "131072}}",
             23572403200.0},
            {"Gemma 3 4B as published: the class's defaults left out",
             "{\"model_type\": \"gemma3\", \"text_config\": {\"hidden_size\": 2560, "
             "\"intermediate_size\": 10240, \"model_type\": \"gemma3_text\", "
             "\"num_hidden_layers\": 34, \"sliding_window\": 1024}}",
             3880263168.0},
            {"Phi-3.5 MoE",
             "{\"attention_bias\": true, \"hidden_size\": 4096, "
             "\"intermediate_size\": 6400, \"lm_head_bias\": true, \"model_type\": "
             "\"phimoe\", \"num_attention_heads\": 32, \"num_experts_per_tok\": 2, "
             "\"num_hidden_layers\": 32, \"num_key_value_heads\": 8, "
             "\"num_local_experts\": 16, \"vocab_size\": 32064}",
             41873153344.0},
            {"Phi-4 mini",
             "{\"hidden_size\": 3072, \"intermediate_size\": 8192, \"model_type\": "
             "\"phi3\", \"num_attention_heads\": 24, \"num_hidden_layers\": 32, "
             "\"num_key_value_heads\": 8, \"tie_word_embeddings\": true, "
             "\"vocab_size\": 200064}",
             3836021760.0},
            {"Seed-OSS 36B",
             "{\"attention_bias\": true, \"head_dim\": 128, \"hidden_size\": 5120, "
             "\"intermediate_size\": 27648, \"model_type\": \"seed_oss\", "
             "\"num_attention_heads\": 80, \"num_hidden_layers\": 64, "
             "\"num_key_value_heads\": 8, \"vocab_size\": 155136}",
             36151104512.0},
            {"dots.llm1",
             "{\"model_type\": \"dots1\", \"vocab_size\": 152064, \"hidden_size\": "
             "4096, \"intermediate_size\": 10944, \"moe_intermediate_size\": 1408, "
             "\"num_hidden_layers\": 62, \"num_attention_heads\": 32, "
             "\"n_shared_experts\": 2, \"n_routed_experts\": 128, "
             "\"num_experts_per_tok\": 6, \"first_k_dense_replace\": 1, \"head_dim\": "
             "128}",
             142774381696.0},
            {"ERNIE 4.5 21B-A3B",
             "{\"hidden_size\": 2560, \"intermediate_size\": 12288, \"model_type\": "
             "\"ernie4_5_moe\", \"num_attention_heads\": 20, \"num_key_value_heads\": "
             "4, \"num_hidden_layers\": 28, \"vocab_size\": 103424, "
             "\"moe_num_experts\": 64, \"moe_num_shared_experts\": 2, "
             "\"moe_layer_start_index\": 1, \"moe_intermediate_size\": 1536, "
             "\"moe_k\": 6, \"tie_word_embeddings\": true}",
             21825437888.0},
            {"GLM-4 9B as ChatGLM wrote it",
             "{\"model_type\": \"chatglm\", \"add_qkv_bias\": true, "
             "\"ffn_hidden_size\": 13696, \"hidden_size\": 4096, \"kv_channels\": "
             "128, \"multi_query_attention\": true, \"multi_query_group_num\": 2, "
             "\"num_attention_heads\": 32, \"num_layers\": 40, \"padded_vocab_size\": "
             "151552}",
             9399951360.0},
            {"GLM-4 9B 0414",
             "{\"attention_bias\": true, \"head_dim\": 128, \"hidden_size\": 4096, "
             "\"intermediate_size\": 13696, \"model_type\": \"glm4\", "
             "\"num_attention_heads\": 32, \"num_hidden_layers\": 40, "
             "\"num_key_value_heads\": 2, \"vocab_size\": 151552}",
             9400279040.0},
            {"InternLM2 20B",
             "{\"hidden_size\": 6144, \"intermediate_size\": 16384, \"model_type\": "
             "\"internlm2\", \"num_attention_heads\": 48, \"num_hidden_layers\": 48, "
             "\"num_key_value_heads\": 8, \"vocab_size\": 92544}",
             19861149696.0},
            {"EXAONE 3.5 7.8B",
             "{\"model_type\": \"exaone\", \"hidden_size\": 4096, \"intermediate_size\": 14336, "
             "\"num_layers\": 32, \"num_attention_heads\": 32, \"num_key_value_heads\": 8, "
             "\"head_dim\": 128, \"vocab_size\": 102400}",
             7818448896.0},
            {"MiniCPM3 4B: latent attention, tied, the width of values not said",
             "{\"model_type\": \"minicpm3\", \"hidden_size\": 2560, \"intermediate_size\": 6400, "
             "\"num_hidden_layers\": 62, \"num_attention_heads\": 40, \"num_key_value_heads\": 40, "
             "\"q_lora_rank\": 768, \"kv_lora_rank\": 256, \"qk_nope_head_dim\": 64, "
             "\"qk_rope_head_dim\": 32, \"vocab_size\": 73448}",
             4073875968.0},
            {"GLM-4.1V 9B, without its tower",
             "{\"model_type\": \"glm4v\", \"text_config\": {\"model_type\": \"glm4v_text\", "
             "\"attention_bias\": true, \"hidden_size\": 4096, \"intermediate_size\": 13696, "
             "\"num_attention_heads\": 32, \"num_hidden_layers\": 40, "
             "\"num_key_value_heads\": 2, \"vocab_size\": 151552}}",
             9400279040.0},
            {"Qwen3-Omni 30B-A3B: the thinker's text is Qwen3 30B-A3B with 128 more rows twice",
             "{\"model_type\": \"qwen3_omni_moe\", \"thinker_config\": {\"text_config\": "
             "{\"model_type\": \"qwen3_omni_moe_text\", \"hidden_size\": 2048, "
             "\"intermediate_size\": 768, \"moe_intermediate_size\": 768, "
             "\"num_hidden_layers\": 48, \"num_attention_heads\": 32, "
             "\"num_key_value_heads\": 4, \"head_dim\": 128, \"num_experts\": 128, "
             "\"num_experts_per_tok\": 8, \"vocab_size\": 152064}}}",
             30532122624.0 + 2 * 128 * 2048},
            {"DeepSeek-OCR: DeepSeek's type with heads of its own, use_mla off",
             "{\"model_type\": \"deepseek_vl_v2\", \"language_config\": {\"use_mla\": false, "
             "\"hidden_size\": 1280, \"intermediate_size\": 6848, \"kv_lora_rank\": null, "
             "\"moe_intermediate_size\": 896, \"n_routed_experts\": 64, \"n_shared_experts\": 2, "
             "\"num_attention_heads\": 10, \"num_experts_per_tok\": 6, \"num_hidden_layers\": 12, "
             "\"num_key_value_heads\": 10, \"q_lora_rank\": null, \"qk_nope_head_dim\": 0, "
             "\"qk_rope_head_dim\": 0, \"v_head_dim\": 0, \"first_k_dense_replace\": 1, "
             "\"vocab_size\": 129280}}",
             2.0 * 129280 * 1280 + 1280 + 12 * (4.0 * 1280 * 1280 + 2 * 1280) + 3.0 * 1280 * 6848 +
                 11 * (66 * 3.0 * 1280 * 896 + 1280 * 64)},
            {"StarCoder 15B",
             "{\"model_type\": \"gpt_bigcode\", \"multi_query\": true, \"n_embd\": "
             "6144, \"n_head\": 48, \"n_inner\": 24576, \"n_layer\": 40, "
             "\"n_positions\": 8192, \"vocab_size\": 49152}",
             15517456384.0},
            {"OPT 350M: a narrow embedding, no last norm",
             "{\"do_layer_norm_before\": false, \"ffn_dim\": 4096, \"hidden_size\": "
             "1024, \"max_position_embeddings\": 2048, \"model_type\": \"opt\", "
             "\"num_attention_heads\": 16, \"num_hidden_layers\": 24, \"vocab_size\": "
             "50272, \"word_embed_proj_dim\": 512}",
             331196416.0},
            {"BLOOM 560M, n_embed",
             "{\"model_type\": \"bloom\", \"n_embed\": 1024, \"n_layer\": 24, "
             "\"num_attention_heads\": 16, \"vocab_size\": 250880}",
             559214592.0},
            {"Pythia 70M",
             "{\"model_type\": \"gpt_neox\", \"hidden_size\": 512, "
             "\"intermediate_size\": 2048, \"num_attention_heads\": 8, "
             "\"num_hidden_layers\": 6, \"vocab_size\": 50304}",
             70426624.0}};

static void files(void) {
    for (size_t i = 0; i < sizeof file / sizeof file[0]; i++) {
        clg_model model = {0};
        clg_error error = {0};
        CASE(file[i].name);
        CHECK(clg_model_read(&arena, "config.json", file[i].json, strlen(file[i].json), &model,
                             &error) == CLG_OK);
        CHECK_NEAR((double)model.parameters, file[i].total, 0);
    }
}

static clg_status read(const char *text, clg_error *error) {
    clg_model model;
    *error = (clg_error){0};
    return clg_model_read(&arena, "config.json", text, strlen(text), &model, error);
}

static int layers_of(const clg_model *m, clg_attention_kind kind) {
    int count = 0;
    for (int i = 0; i < m->layers; i++) count += m->kind[m->layer_kind[i]].attention.kind == kind;
    return count;
}

/* Every tensor of a layer of Qwen3.5 35B-A3B as its safetensors files list them: in_proj_qkv
 * [8192, 2048], z [4096, 2048], a and b [32, 2048], conv1d [8192, 1, 4], A_log and dt_bias [32],
 * norm [128], out_proj [2048, 4096]; and q_proj [8192, 2048] of 16 heads of 256, which is twice
 * their width. */
static void delta(void) {
    CASE("Qwen3.5 35B-A3B: the tensors of a Gated DeltaNet layer, one by one");
    clg_model m = preset(&arena, "qwen3.5-35b-a3b");
    const clg_layer_parameters *p = &m.kind[m.layer_kind[0]].parameters;
    long long tensors = (8192 + 4096 + 32 + 32) * 2048LL + 8192 * 4 + 32 + 32 + 2048 * 4096LL;
    CHECK(p->attention == tensors);
    CHECK(p->replicated == 128 + 2 * 2048 + 256 * 2048 + 2048);
    CASE("and of an attention layer with its output gate");
    p = &m.kind[m.layer_kind[3]].parameters;
    CHECK(p->attention == 8192 * 2048LL + 2 * 512 * 2048 + 2048 * 4096LL);
    CHECK(p->replicated == 2 * 256 + 2 * 2048 + 256 * 2048 + 2048);
    CHECK(layers_of(&m, CLG_ATTENTION_LINEAR) == 30 && layers_of(&m, CLG_ATTENTION_GROUPED) == 10);
    CASE("its prediction module");
    CHECK(prediction_parameters(&m) == 844640768);
    clg_model large = preset(&arena, "qwen3.5-397b-a17b");
    CHECK(prediction_parameters(&large) == 6595568128);
    CASE("a state is heads x 128 x 128 values, and 3 of each of 8,192 channels");
    const clg_attention *a = &m.kind[m.layer_kind[0]].attention;
    CHECK(clg_state_values(a) == 32 * 128 * 128 && clg_state_channels(a) == 8192);
    CHECK(clg_state_columns(a) == 8192 + 4096 + 64 && clg_state_gate_rank(a) == 0);
}

static void mamba(void) {
    CASE("Nemotron 3 Nano: 23 Mamba-2, 6 attention, 23 layers of experts, one part each");
    clg_model m = preset(&arena, "nemotron-3-nano-30b-a3b");
    CHECK(layers_of(&m, CLG_ATTENTION_LINEAR) == 23 && layers_of(&m, CLG_ATTENTION_GROUPED) == 6);
    CHECK(layers_of(&m, CLG_ATTENTION_NONE) == 23 && m.kinds == 3);
    for (int i = 0; i < m.kinds; i++)
        CHECK(m.kind[i].norms == 1 && (m.kind[i].attention.kind == CLG_ATTENTION_NONE) ==
                                          (m.kind[i].mlp.kind == CLG_MLP_MOE));
    const clg_attention *a = &m.kind[m.layer_kind[0]].attention;
    CHECK(a->state == CLG_STATE_SPACE && a->heads == 64 && a->kv_heads == 8 && a->chunk == 128);
    CHECK(clg_state_columns(a) == 2 * 4096 + 2 * 8 * 128 + 64); /* in_proj: 10,304 rows */
    CASE("the same layers as a list of words");
    clg_error error = {0};
    clg_model listed = {0};
    const char *text =
        "{\"model_type\": \"nemotron_h\", \"hidden_size\": 64, \"num_hidden_layers\": 4, "
        "\"num_attention_heads\": 4, \"vocab_size\": 100, \"mamba_num_heads\": 8, "
        "\"mamba_head_dim\": 16, \"intermediate_size\": 100, "
        "\"layers_block_type\": [\"mamba\", \"attention\", \"mlp\", \"mamba\"]}";
    CHECK(clg_model_read(&arena, "list", text, strlen(text), &listed, &error) == CLG_OK);
    CHECK(listed.kinds == 3 && listed.layer_kind[0] == listed.layer_kind[3]);
    CASE("Granite 4 has both parts in a layer; Kimi Linear counts its layers from 1");
    m = preset(&arena, "granite-4.0-h-small");
    CHECK(m.kinds == 2 && m.kind[0].norms == 2 && !m.kind[m.layer_kind[5]].attention.rotary);
    m = preset(&arena, "kimi-linear-48b-a3b");
    CHECK(m.kind[m.layer_kind[3]].attention.kind == CLG_ATTENTION_LATENT);
    CHECK(layers_of(&m, CLG_ATTENTION_LATENT) == 7 && layers_of(&m, CLG_ATTENTION_LINEAR) == 20);
    CASE("a pattern of the wrong length, of strange letters, none");
    const char *head = "{\"model_type\": \"nemotron_h\", \"hidden_size\": 64, "
                       "\"num_hidden_layers\": 4, \"num_attention_heads\": 4, "
                       "\"vocab_size\": 100, \"mamba_num_heads\": 8";
    static const char *const tails[] = {", \"hybrid_override_pattern\": \"MM*\"}",
                                        ", \"hybrid_override_pattern\": \"MMX*\"}", "}"};
    for (int i = 0; i < 3; i++) {
        CHECK(read(clg_arena_print(&arena, "%s%s", head, tails[i]), &error) == CLG_BAD_INPUT);
        CHECK(strstr(error.mend, "M (mamba)") != NULL);
    }
}

/* MFU of a stack of states: attention of the layers that attend, 6 or 4 flop per value of a state
 * and pass elsewhere. Qwen3.5 35B-A3B: 10 of 40 layers attend, 30 states of 32 x 128 x 128. */
static void state_flop(void) {
    CASE("flop per token of Qwen3.5 35B-A3B and Nemotron 3 Nano by hand");
    clg_model m = preset(&arena, "qwen3.5-35b-a3b");
    double states = 3 * 30 * 6.0 * 524288;
    CHECK_NEAR(clg_model_flop_per_token(&m, 4096),
               6.0 * 3454988928.0 + 12.0 * 10 * 2048 * 4096 + states, 1e-15);
    m = preset(&arena, "nemotron-3-nano-30b-a3b");
    states = 3 * 23 * 4.0 * 64 * 64 * 128;
    CHECK_NEAR(clg_model_flop_per_token(&m, 8192),
               6.0 * 3580073408.0 + 12.0 * 6 * 2688 * 8192 + states, 1e-15);
}

static void families(void) {
    clg_families all = clg_families_read(&arena);
    CASE("every line of the table of families is read");
    CHECK(all.count > 70);
    CASE("a line by hand");
    const clg_family *f = clg_family_find(&all, "gemma2");
    CHECK(f && f->traits == (CLG_GATED | CLG_TIED | CLG_OUT_WITH_QKV | CLG_FOUR_NORMS));
    CHECK(f && f->window_every == 2);
    CHECK(clg_family_find(&all, "gemma") != f && !clg_family_find(&all, "gemma9"));
}

static void faults(void) {
    clg_error error;
    CASE("an unknown architecture names its fields and the way out");
    CHECK(read("{\"model_type\": \"x9\", \"state_size\": 128}", &error) == CLG_BAD_INPUT);
    CHECK(strstr(error.message, "state_size") && strstr(error.mend, "generic"));
    CASE("fields that are mapped, or shape nothing, are not named");
    CHECK(read("{\"model_type\": \"x9\", \"num_experts\": 8, \"rms_norm_eps\": 1e-5, \"conv\": 4}",
               &error) == CLG_BAD_INPUT);
    CHECK(strstr(error.message, "conv") && !strstr(error.message, "num_experts") &&
          !strstr(error.message, "eps"));
    CASE("what the advice says works: DeepSeek V3.2 by hand is V3 without its indexer");
    CHECK(
        read(
            "{\"model_type\": \"generic\", \"first_k_dense_replace\": 3, \"hidden_size\": 7168, "
            "\"intermediate_size\": 18432, \"kv_lora_rank\": 512, \"moe_intermediate_size\": 2048, "
            "\"n_routed_experts\": 256, \"n_shared_experts\": 1, \"num_attention_heads\": 128, "
            "\"num_experts_per_tok\": 8, \"num_hidden_layers\": 61, \"q_lora_rank\": 1536, "
            "\"qk_nope_head_dim\": 128, \"qk_rope_head_dim\": 64, \"v_head_dim\": 128, "
            "\"index_topk\": 2048, \"vocab_size\": 129280}",
            &error) == CLG_OK);
    CASE("a missing size is named");
    CHECK(read("{\"model_type\": \"llama\", \"hidden_size\": 64}", &error) == CLG_BAD_INPUT);
    CHECK(strstr(error.message, "layers") && error.line == 1);
    CASE("a size out of range has a place");
    CHECK(read("{\"model_type\": \"llama\",\n\"hidden_size\": -4}", &error) == CLG_BAD_INPUT);
    CHECK(error.line == 2 && strcmp(error.field, "hidden_size") == 0);
    CASE("generic by hand");
    CHECK(read("{\"model_type\": \"generic\", \"hidden_size\": 64, \"num_hidden_layers\": 2, "
               "\"num_attention_heads\": 4, \"vocab_size\": 100}",
               &error) == CLG_OK);
    CASE("an unknown preset has a nearest");
    clg_model model;
    error = (clg_error){0};
    CHECK(clg_model_find(&arena, "llama-3-8B", &model, &error) == CLG_BAD_INPUT);
    CHECK(strstr(error.mend, "llama-3-8b") != NULL);
}

int main(void) {
    gpt2_by_hand();
    llama_by_hand();
    published();
    active();
    cards();
    flop();
    windows();
    delta();
    mamba();
    state_flop();
    files();
    families();
    faults();
    clg_arena_clear(&arena);
    return DONE;
}
