/* Files of models with pooled keys: which layers pool, by ratios and by names, and what is refused
 * rather than taken for a model without. */
#include "base/text.h"
#include "model/model.h"

#include "test.h"

static clg_arena arena;
static clg_error error;

static clg_status read_as(const char *family, const char *more, clg_model *model) {
    const char *text =
        clg_arena_print(&arena,
                        "{\"model_type\": \"%s\", \"hidden_size\": 64, \"num_hidden_layers\": 3, "
                        "\"num_attention_heads\": 4, \"num_key_value_heads\": 1, \"head_dim\": 16, "
                        "\"intermediate_size\": 128, \"vocab_size\": 100, \"q_lora_rank\": 8, "
                        "\"sliding_window\": 32, \"index_n_heads\": 2, \"index_head_dim\": 8, "
                        "\"index_topk\": 4%s}",
                        family, more);
    error = (clg_error){0};
    return clg_model_read(&arena, "config.json", text, strlen(text), model, &error);
}

static clg_attention layer(const clg_model *m, int depth) {
    return m->kind[m->layer_kind[depth]].attention;
}

static void pools(const clg_model *m, int every, int chosen, int heavy) {
    CHECK(layer(m, 0).pooling.every == every && layer(m, 1).pooling.every == chosen &&
          layer(m, 2).pooling.every == heavy);
    CHECK(layer(m, 0).indexer.heads == 0 && layer(m, 1).indexer.heads == 2 &&
          layer(m, 2).indexer.heads == 0);
    CHECK(layer(m, 1).pooling.series == 2 && layer(m, 2).pooling.series == 1);
}

static void read_layers(void) {
    static const char names[] = "\"layer_types\": [\"sliding_attention\", "
                                "\"compressed_sparse_attention\", "
                                "\"heavily_compressed_attention\"]";
    clg_model m;
    CASE("ratios by layer; those of 4 are chosen from");
    CHECK(read_as("deepseek_v4", ", \"compress_ratios\": [0, 4, 128]", &m) == CLG_OK);
    pools(&m, 0, 4, 128);
    CASE("names of layers with the usual rates, and with rates of their own, the same for both");
    CHECK(read_as("deepseek_v4", clg_arena_print(&arena, ", %s", names), &m) == CLG_OK);
    pools(&m, 0, 4, 128);
    CHECK(read_as("deepseek_v4",
                  clg_arena_print(&arena,
                                  ", %s, \"compress_rates\": {\"compressed_sparse_attention\": 8, "
                                  "\"heavily_compressed_attention\": 8}",
                                  names),
                  &m) == CLG_OK);
    pools(&m, 0, 8, 8);
}

static void refused(void) {
    static const struct {
        const char *family, *more, *says;
    } rows[] = {
        {"deepseek_v4", ", \"compress_ratios\": [0, 4]", "no list of all layers"},
        {"deepseek_v4", ", \"compress_ratios\": \"4\"", "no list of all layers"},
        {"deepseek_v4", ", \"compress_ratios\": {\"a\": 4, \"b\": 4, \"c\": 4}",
         "no list of all layers"},
        {"deepseek_v4", ", \"compress_ratios\": [0, 4, [128]]", "another number"},
        {"deepseek_v4", ", \"compress_ratios\": [0, 4, -128]", "another number"},
        {"deepseek_v4", ", \"layer_types\": [\"heavily_compressed_attention\"]",
         "no list of all layers"},
        {"deepseek_v4", ", \"compress_ratios\": [0, 4, 128], \"o_groups\": 3", "no multiple"},
        {"deepseek_v4", ", \"compress_ratios\": [0, 4, 128], \"o_groups\": 1e18", "out of range"},
        {"deepseek_v4", ", \"compress_ratios\": [0, 4, 128], \"hc_mult\": 65", "out of range"},
        {"deepseek_v4", ", \"compress_ratios\": [0, 4, 128], \"hc_mult\": \"4\"", "whole number"},
        {"llama", ", \"o_lora_rank\": 8", "without pooled keys"},
        {"deepseek_v3",
         ", \"kv_lora_rank\": 8, \"qk_nope_head_dim\": 8, \"qk_rope_head_dim\": 8, "
         "\"v_head_dim\": 8, \"compress_ratios\": [0, 4, 128]",
         "latent attention"}};
    clg_model m;
    CASE("lists of other lengths, other kinds of values, and other models are refused");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK(read_as(rows[i].family, rows[i].more, &m) == CLG_BAD_INPUT);
        CHECK(strstr(error.message, rows[i].says));
    }
    CASE("what is off changes nothing");
    CHECK(read_as("llama", ", \"o_lora_rank\": null, \"compress_ratios\": [], \"hc_mult\": 1",
                  &m) == CLG_OK);
    CHECK(!layer(&m, 0).shared_values && m.streams == 1);
}

/* 65,536 heads x 2^20 of the hidden width x 2^20 of the rank are 2^56 a layer. */
static void too_large(void) {
    clg_model m;
    CASE("sizes in range whose product is not countable are refused before they are counted");
    static const char text[] =
        "{\"model_type\": \"deepseek_v4\", \"hidden_size\": 1048576, \"num_hidden_layers\": 1000, "
        "\"num_attention_heads\": 65536, \"num_key_value_heads\": 1, \"head_dim\": 1, "
        "\"intermediate_size\": 1, \"vocab_size\": 1, \"layer_types\": null, \"o_groups\": 65536, "
        "\"o_lora_rank\": 1048576, \"compress_ratios\": [";
    clg_text all = {.arena = &arena};
    clg_text_print(&all, "%s", text);
    for (int i = 0; i < 1000; i++) clg_text_print(&all, "%s128", i ? ", " : "");
    clg_text_print(&all, "]}");
    error = (clg_error){0};
    CHECK(clg_model_read(&arena, "config.json", all.data, all.size, &m, &error) == CLG_BAD_INPUT);
    CHECK(strstr(error.message, "10^16"));
}

int main(void) {
    read_layers();
    refused();
    too_large();
    clg_arena_clear(&arena);
    return DONE;
}
