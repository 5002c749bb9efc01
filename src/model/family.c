/* family.c -- the architectures people train, one row each.
 *
 * Traits follow the modelling code published with the weights (Hugging Face transformers, or the
 * remote code of the repository); tests/model checks the parameter counts against model cards. */
#include "model/family.h"

#include <string.h>

enum {
    LLAMA = CLG_GATED | CLG_OUT_WITH_QKV,
    QWEN2 = CLG_GATED | CLG_QKV_BIAS | CLG_WINDOW_OFF,
    QWEN3 = CLG_GATED | CLG_HEAD_NORMS | CLG_WINDOW_OFF | CLG_OUT_WITH_QKV,
    QWEN3_NEXT = QWEN3 | CLG_OUTPUT_GATE | CLG_DELTA,
    GEMMA = CLG_GATED | CLG_TIED | CLG_OUT_WITH_QKV,
    BIASED = CLG_LAYER_NORM | CLG_NORM_BIAS | CLG_QKV_BIAS | CLG_OUT_BIAS | CLG_MLP_BIAS,
    LATENT = CLG_GATED | CLG_LATENT | CLG_OUT_WITH_QKV
};

static const clg_family families[] = {
    {"llama", LLAMA},
    {"llama4_text", LLAMA},
    {"mistral", LLAMA},
    {"ministral", LLAMA},
    {"mistral3", LLAMA},
    {"ministral3", LLAMA},
    {"mixtral", LLAMA},
    {"yi", LLAMA},
    {"internlm2", LLAMA},
    {"baichuan", LLAMA},
    {"smollm3", LLAMA | CLG_TIED},
    {"granite", LLAMA},
    {"granitemoe", LLAMA},
    {"granitemoeshared", LLAMA},
    {"phi3", LLAMA},
    {"phimoe", LLAMA | CLG_LAYER_NORM | CLG_NORM_BIAS},
    {"seed_oss", CLG_GATED},
    {"ernie4_5", LLAMA},
    {"ernie4_5_moe", LLAMA | CLG_ROUTER_BIAS},
    {"dots1", CLG_GATED | CLG_HEAD_NORMS | CLG_ROUTER_BIAS},
    {"glm", CLG_GATED},
    {"glm4", CLG_GATED | CLG_FOUR_NORMS},
    {"chatglm", CLG_GATED},
    {"qwen2", QWEN2},
    {"qwen2_vl", QWEN2},
    {"qwen2_vl_text", QWEN2},
    {"qwen2_5_vl", QWEN2},
    {"qwen2_5_vl_text", QWEN2},
    {"qwen2_moe", QWEN2 | CLG_SHARED_GATE},
    {"qwen3", QWEN3},
    {"qwen3_vl_text", QWEN3},
    {"qwen3_moe", QWEN3},
    {"qwen3_vl_moe_text", QWEN3},
    {"qwen3_next", QWEN3_NEXT | CLG_SHARED_GATE},
    {"qwen3_5_text", QWEN3_NEXT},
    {"qwen3_5_moe_text", QWEN3_NEXT | CLG_SHARED_GATE},
    {"gemma", GEMMA},
    {"gemma2", GEMMA | CLG_FOUR_NORMS},
    {"gemma3_text", GEMMA | CLG_FOUR_NORMS | CLG_HEAD_NORMS},
    {"deepseek_v2", LATENT},
    {"deepseek_v3", LATENT | CLG_ROUTER_BIAS},
    {"deepseek_v32", LATENT | CLG_ROUTER_BIAS},
    {"glm_moe_dsa", LATENT | CLG_ROUTER_BIAS},
    {"kimi_k2", LATENT | CLG_ROUTER_BIAS},
    {"kimi_linear", LATENT | CLG_ROUTER_BIAS | CLG_KIMI_DELTA | CLG_NO_POSITIONS},
    {"nemotron_h", CLG_MAMBA | CLG_ONE_PART | CLG_NO_POSITIONS},
    {"granitemoehybrid", LLAMA | CLG_MAMBA | CLG_TIED},
    {"glm4_moe", CLG_GATED | CLG_ROUTER_BIAS},
    {"glm4_moe_lite", LATENT | CLG_ROUTER_BIAS},
    {"bailing_moe", CLG_GATED | CLG_HEAD_NORMS | CLG_ROUTER_BIAS},
    {"gpt_oss",
     CLG_GATED | CLG_QKV_BIAS | CLG_OUT_BIAS | CLG_MLP_BIAS | CLG_ROUTER_BIAS | CLG_SINKS},
    {"minimax_text_01", CLG_GATED},
    {"minimax", CLG_GATED},
    {"minimax_m1", CLG_GATED},
    {"minimax_m2", CLG_GATED | CLG_WIDE_NORMS | CLG_ROUTER_BIAS},
    {"minimax_m3_vl_text", CLG_GATED | CLG_HEAD_NORMS | CLG_ROUTER_BIAS},
    {"olmo", CLG_GATED | CLG_LAYER_NORM | CLG_NORM_PLAIN},
    {"olmo2", CLG_GATED | CLG_WIDE_NORMS},
    {"olmo3", CLG_GATED | CLG_WIDE_NORMS},
    {"olmoe", CLG_GATED | CLG_WIDE_NORMS},
    {"nemotron", CLG_LAYER_NORM | CLG_NORM_BIAS},
    {"stablelm", CLG_GATED | CLG_LAYER_NORM | CLG_NORM_BIAS},
    {"starcoder2", BIASED | CLG_TIED},
    {"cohere", CLG_GATED | CLG_LAYER_NORM | CLG_PARALLEL | CLG_ONE_NORM | CLG_TIED},
    {"cohere2", CLG_GATED | CLG_LAYER_NORM | CLG_PARALLEL | CLG_ONE_NORM | CLG_TIED},
    {"dbrx", CLG_GATED | CLG_LAYER_NORM},
    {"gpt2", BIASED | CLG_POSITIONS | CLG_TIED},
    {"gpt_bigcode", BIASED | CLG_POSITIONS | CLG_TIED},
    {"gpt_neox", BIASED | CLG_PARALLEL},
    {"gptj",
     CLG_LAYER_NORM | CLG_NORM_BIAS | CLG_MLP_BIAS | CLG_HEAD_BIAS | CLG_PARALLEL | CLG_ONE_NORM},
    {"phi", BIASED | CLG_PARALLEL | CLG_ONE_NORM | CLG_HEAD_BIAS},
    {"opt", BIASED | CLG_POSITIONS | CLG_POSITIONS_TWO | CLG_TIED},
    {"bloom", BIASED | CLG_ALIBI | CLG_EMBEDDING_NORM | CLG_TIED},
    {"falcon", CLG_LAYER_NORM | CLG_NORM_BIAS | CLG_PARALLEL | CLG_TIED},
    {"RefinedWeb", CLG_LAYER_NORM | CLG_NORM_BIAS | CLG_PARALLEL | CLG_TIED},
    {"mpt", CLG_LAYER_NORM | CLG_ALIBI | CLG_TIED},
    {"palm", CLG_GATED | CLG_LAYER_NORM | CLG_PARALLEL | CLG_ONE_NORM | CLG_TIED},
    {"generic", CLG_GATED | CLG_OUT_WITH_QKV},
    {NULL, 0}};

/* What the classes of transformers assume where a text_config says nothing: multimodal models are
 * saved with only what differs (configuration_*.py of transformers 4.50). */
static const struct {
    const char *type, *json;
} defaults[] = {
    {"gemma3_text", "{\"vocab_size\": 262208, \"hidden_size\": 2304, \"num_hidden_layers\": 26, "
                    "\"intermediate_size\": 9216, \"num_attention_heads\": 8, \"head_dim\": 256, "
                    "\"num_key_value_heads\": 4, \"max_position_embeddings\": 131072}"},
    {"mistral", "{\"vocab_size\": 32000, \"hidden_size\": 4096, \"num_hidden_layers\": 32, "
                "\"intermediate_size\": 14336, \"num_attention_heads\": 32, "
                "\"num_key_value_heads\": 8, \"max_position_embeddings\": 131072}"},
    {"llama", "{\"vocab_size\": 32000, \"hidden_size\": 4096, \"num_hidden_layers\": 32, "
              "\"intermediate_size\": 11008, \"num_attention_heads\": 32}"},
    {"qwen2", "{\"vocab_size\": 151936, \"hidden_size\": 4096, \"num_hidden_layers\": 32, "
              "\"intermediate_size\": 22016, \"num_attention_heads\": 32}"}};

const char *clg_family_defaults(const char *type) {
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
        if (strcmp(defaults[i].type, type) == 0) return defaults[i].json;
    return NULL;
}

const clg_family *clg_families(void) { return families; }

const clg_family *clg_family_find(const char *type) {
    for (const clg_family *f = families; f->type; f++)
        if (strcmp(f->type, type) == 0) return f;
    return NULL;
}
