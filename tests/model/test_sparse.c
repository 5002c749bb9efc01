/* Sparse attention in a config.json: exact counts against published totals, which layers choose,
 * and what is refused. */
#include "prediction.h"
#include "preset.h"
#include "test.h"

#include <string.h>

static clg_arena arena;

static bool reads(const char *json, clg_model *model) {
    clg_error error = {0};
    return clg_model_read(&arena, "test", json, strlen(json), model, &error) == CLG_OK;
}

/* By hand: queries 1,536 x 64 x 128, key 7,168 x 128, its LayerNorm 2 x 128, weights 7,168 x 64. */
static void by_hand(void) {
    CASE("DeepSeek V3.2 is V3 and 61 indexers of 12,582,912 + 917,504 + 256 + 458,752");
    clg_model sparse = preset(&arena, "deepseek-v3.2"), dense = preset(&arena, "deepseek-v3");
    CHECK(sparse.parameters - dense.parameters == 61 * 13959424LL);
    CHECK(sparse.active_parameters - dense.active_parameters == 61 * 13959424LL);
    CHECK(sparse.kind[0].parameters.replicated - dense.kind[0].parameters.replicated == 13959424);
    CHECK_NEAR(clg_model_flop_per_token(&sparse, 4096) - clg_model_flop_per_token(&dense, 4096),
               6 * 61 * 13959424.0, 1e-6);
}

/* Totals of the repositories' safetensors, prediction module included. DeepSeek's holds copies of
 * embedding and head (2 x 129,280 x 7,168), GLM's does not; GLM-5.2's index says 1,506,659,919,872
 * bytes: two a parameter, and two more for each of 76 x 256 routing biases. */
static void published(void) {
    CASE("published totals: DeepSeek V3.2, GLM-5, GLM-5.2");
    clg_model m = preset(&arena, "deepseek-v3.2");
    CHECK(m.parameters + prediction_parameters(&m) + 2LL * 129280 * 7168 == 685355329792LL);
    m = preset(&arena, "glm-5");
    CHECK(m.parameters + prediction_parameters(&m) == 753864139008LL);
    m = preset(&arena, "glm-5.2");
    CHECK(m.parameters + prediction_parameters(&m) == 753329940480LL);
    CHECK(2 * (m.parameters + prediction_parameters(&m)) + 2 * 76 * 256 == 1506659919872LL);
    /* GLM-4.5's and 4.7's modules hold copies (2 x 151,552 x 5,120), 4.6's does not. */
    CASE("published totals of models with a prediction module: GLM-4.5, 4.6, 4.7, 4.7 Flash");
    m = preset(&arena, "glm-4.6");
    CHECK(m.parameters + prediction_parameters(&m) == 356785898816LL);
    CHECK(m.parameters + prediction_parameters(&m) + 2LL * 151552 * 5120 == 358337791296LL);
    CHECK(preset(&arena, "glm-4.5").parameters == m.parameters &&
          preset(&arena, "glm-4.7").parameters == m.parameters);
    m = preset(&arena, "glm-4.7-flash");
    CHECK(m.parameters + prediction_parameters(&m) + 2LL * 154880 * 2048 == 31221488576LL);
    /* The vision tower: 32 layers of 4 x 1280^2 + 2 x 1280 x 5120 + 4 x 1280 + 5120 + 1280 + 4 x
     * 1280, patches 3 x 2 x 14^2 x 1280, a norm 2 x 1280; projector 1280 x 6144 + 6144^2, merger 4
     * x 6144^2 + 6144^2, with biases 4 x 6144 */
    CASE("published total: MiniMax-M3, its vision tower added by hand");
    long long layer = 4 * 1280 * 1280 + 2 * 1280 * 5120 + 4 * 1280 + 5120 + 1280 + 4 * 1280;
    long long vision = 32 * layer + 3 * 2 * 14 * 14 * 1280 + 2 * 1280;
    vision += 1280LL * 6144 + 6 * 6144LL * 6144 + 4 * 6144;
    CHECK(preset(&arena, "minimax-m3").parameters + vision == 427040140160LL);
}

static int count(const clg_model *m, bool shared) {
    int n = 0;
    for (int i = 0; i < m->layers; i++) {
        const clg_indexer *one = &m->kind[m->layer_kind[i]].attention.indexer;
        n += one->heads > 0 && one->shared == shared;
    }
    return n;
}

static void layers(void) {
    CASE("GLM-5.2: 21 of 78 layers choose, layers 0 to 2, 6, 10 and so on");
    clg_model m = preset(&arena, "glm-5.2");
    CHECK(count(&m, false) == 21 && count(&m, true) == 57);
    for (int i = 0; i < m.layers; i++)
        CHECK(m.kind[m.layer_kind[i]].attention.indexer.shared == (i > 2 && (i - 2) % 4 != 0));
    CASE("MiniMax-M3: three dense layers, 57 that choose 16 blocks of 128 keys");
    m = preset(&arena, "minimax-m3");
    CHECK(count(&m, false) == 57 && m.kind[m.layer_kind[2]].attention.indexer.heads == 0);
    CHECK(m.kind[m.layer_kind[3]].attention.indexer.top_k == 2048);
    CHECK(m.kind[m.layer_kind[2]].mlp.kind == CLG_MLP_DENSE &&
          m.kind[m.layer_kind[3]].mlp.kind == CLG_MLP_MOE);
}

#define SIZES                                                                                      \
    "\"hidden_size\": 60, \"num_hidden_layers\": 5, \"num_attention_heads\": 3, "                  \
    "\"vocab_size\": 11, \"kv_lora_rank\": 7, \"qk_nope_head_dim\": 6, \"qk_rope_head_dim\": 2, "  \
    "\"v_head_dim\": 5, \"q_lora_rank\": 13, \"intermediate_size\": 17"

static void forms(void) {
    clg_model m;
    CASE("who shares: a list, a pattern, every third from the second on");
    CHECK(reads("{\"model_type\": \"glm_moe_dsa\", " SIZES ", \"index_n_heads\": 2, "
                "\"index_head_dim\": 4, \"index_topk\": 9, \"indexer_types\": [\"full\", "
                "\"shared\", \"full\", \"shared\", \"shared\"]}",
                &m));
    CHECK(count(&m, true) == 3 && m.kind[m.layer_kind[2]].attention.indexer.top_k == 9);
    CHECK(reads("{\"model_type\": \"glm_moe_dsa\", " SIZES ", \"index_n_heads\": 2, "
                "\"index_head_dim\": 4, \"index_topk\": 9, \"index_topk_pattern\": \"FSSSF\"}",
                &m));
    CHECK(count(&m, true) == 3 && !m.kind[m.layer_kind[4]].attention.indexer.shared);
    CHECK(reads("{\"model_type\": \"glm_moe_dsa\", " SIZES ", \"index_n_heads\": 2, "
                "\"index_head_dim\": 4, \"index_topk\": 9, \"index_topk_freq\": 3}",
                &m));
    /* offset 2: layers 0, 1 and 4 */
    CHECK(count(&m, true) == 2 && m.kind[m.layer_kind[3]].attention.indexer.shared);
    CASE("without an indexer attention is dense; half of one is refused");
    CHECK(reads("{\"model_type\": \"deepseek_v32\", " SIZES "}", &m));
    CHECK(m.kinds == 1 && m.kind[0].attention.indexer.heads == 0);
    CHECK(!reads("{\"model_type\": \"deepseek_v32\", " SIZES ", \"index_n_heads\": 2}", &m));
    CHECK(!reads("{\"model_type\": \"deepseek_v32\", " SIZES ", \"index_n_heads\": 2, "
                 "\"index_head_dim\": 4}",
                 &m));
    CHECK(!reads("{\"model_type\": \"deepseek_v32\", " SIZES ", \"index_n_heads\": 2.5}", &m));
    CASE("MiniMax-M3's own file names its language model after M2");
    CHECK(reads("{\"model_type\": \"minimax_m3_vl\", \"text_config\": {\"model_type\": "
                "\"minimax_m2\", \"qk_norm_type\": \"per_head\", \"hidden_size\": 60, "
                "\"num_hidden_layers\": 2, \"num_attention_heads\": 4, \"head_dim\": 15, "
                "\"vocab_size\": 11, \"intermediate_size\": 17}}",
                &m));
    CHECK(m.kind[0].attention.query_key_norm && !m.kind[0].attention.norm_over_heads);
}

int main(void) {
    by_hand();
    published();
    layers();
    forms();
    clg_arena_clear(&arena);
    return DONE;
}
