/* test_stored.c -- the format of published weights, as config.json files of that form say it. */
#include "model/config.h"
#include "model/model.h"
#include "test.h"

#include <string.h>

/* "-": a format that is none of ours. */
static const char *format_of(const char *quantization) {
    static char text[400];
    clg_arena arena = {0};
    clg_error error = {0};
    clg_json *root;
    clg_precision stored;
    const char *method;
    snprintf(text, sizeof text, "{%s}", quantization);
    CHECK(clg_json_parse(&arena, "c", text, strlen(text), &root, &error) == CLG_OK);
    const clg_config config = {"c", root, NULL, NULL, NULL};
    const char *name = clg_config_stored(&config, &stored, &method)
                           ? clg_name_of(clg_precision_names, (int)stored)
                           : "-";
    clg_arena_clear(&arena);
    return name;
}

#define GROUP                                                                                      \
    "\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"group_0\": {\"weights\": "    \
    "{\"num_bits\": 8, \"type\": \"float\", "

static bool in_blocks(const char *quantization) {
    clg_arena arena = {0};
    clg_model model;
    clg_error error = {0};
    const char *text = clg_arena_print(
        &arena,
        "{\"model_type\": \"qwen3\", \"hidden_size\": 256, \"num_hidden_layers\": 2, "
        "\"num_attention_heads\": 4, \"vocab_size\": 1000, \"intermediate_size\": 512, "
        "\"quantization_config\": {%s}}",
        quantization);
    CHECK(clg_model_read(&arena, "c", text, strlen(text), &model, &error) == CLG_OK);
    bool blocks = model.stored == CLG_FP8 && model.stored_blocks;
    clg_arena_clear(&arena);
    return blocks;
}

int main(void) {
    static const struct {
        const char *quantization, *format;
    } rows[] = {
        {"", "bf16"},
        {"\"quantization_config\": null", "bf16"},
        {"\"quantization_config\": {\"quant_method\": \"fp8\", \"fmt\": \"e4m3\"}", "fp8"},
        {"\"quantization_config\": {\"quant_method\": \"fbgemm_fp8\"}", "fp8"},
        {"\"quantization_config\": {\"quant_method\": \"mxfp4\"}", "mxfp4"},
        {"\"quantization_config\": {\"quant_method\": \"modelopt\", \"quant_algo\": \"NVFP4\"}",
         "nvfp4"},
        {"\"quantization_config\": {\"quant_method\": \"compressed-tensors\", \"config_groups\": "
         "{\"group_0\": {\"weights\": {\"num_bits\": 8, \"type\": \"float\"}}}}",
         "fp8"},
        {"\"quantization_config\": {\"quant_method\": \"compressed-tensors\", \"config_groups\": "
         "{\"group_0\": {\"weights\": {\"num_bits\": 4, \"type\": \"float\", \"group_size\": "
         "16}}}}",
         "nvfp4"},
        {"\"quantization_config\": {\"quant_method\": \"compressed-tensors\", \"config_groups\": "
         "{\"group_0\": {\"weights\": {\"num_bits\": 4, \"type\": \"int\", \"group_size\": 32}}}}",
         "int4"},
        {"\"quantization_config\": {\"quant_method\": \"awq\", \"bits\": 4}", "int4"},
        {"\"quantization_config\": {\"quant_method\": \"gptq\", \"bits\": 4}", "int4"},
        {"\"quantization_config\": {\"quant_method\": \"gptq\", \"bits\": 3}", "-"},
        {"\"quantization_config\": {\"config_groups\": {\"g\": {\"weights\": 3}}}", "-"},
        {"\"quantization_config\": 8", "-"}};
    CASE("said in the text model of a multimodal one");
    clg_arena arena = {0};
    clg_model model;
    clg_error error = {0};
    static const char text[] =
        "{\"text_config\": {\"model_type\": \"qwen3\", \"hidden_size\": 256, "
        "\"num_hidden_layers\": 2, \"num_attention_heads\": 4, \"vocab_size\": 1000, "
        "\"intermediate_size\": 512, \"quantization_config\": {\"quant_method\": \"fp8\"}}}";
    CHECK(clg_model_read(&arena, "c", text, sizeof text - 1, &model, &error) == CLG_OK);
    CHECK(model.stored == CLG_FP8 && !model.stored_unknown && !model.stored_blocks);
    CASE("a scale for each block is said as weight_block_size, or as a strategy of groups");
    CHECK(in_blocks("\"quant_method\": \"fp8\", \"weight_block_size\": [128, 128]"));
    CHECK(in_blocks(GROUP "\"strategy\": \"block\"}}}"));
    CHECK(!in_blocks(GROUP "\"strategy\": \"channel\"}}}"));
    clg_arena_clear(&arena);
    CASE("each way to say it");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(format_of(rows[i].quantization), rows[i].format) != 0) {
            printf("%s: %s, not %s\n", rows[i].quantization, format_of(rows[i].quantization),
                   rows[i].format);
            CHECK(false);
        }
    CHECK(true);
    return DONE;
}
