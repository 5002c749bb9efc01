/* odd.c -- what no table of keys says: one function per format that needs one. */
#include "job/odd.h"

#include <string.h>

static const struct {
    const char *format;
    void (*odd)(clg_reading *reading);
} odds[] = {{"megatron", clg_odd_megatron},
            {"megatron-deepspeed", clg_odd_megatron},
            {"primus", clg_odd_megatron},
            {"ms-swift-megatron", clg_odd_made_again},
            {"torchtitan", clg_odd_torchtitan},
            {"torchtune", clg_odd_torchtune},
            {"gpt-neox", clg_odd_gpt_neox},
            {"llm-foundry", clg_odd_foundry},
            {"olmo-core", clg_odd_olmo},
            {"maxtext", clg_odd_maxtext},
            {"bridge", clg_odd_recipe},
            {"trl", clg_odd_trl},
            {"hf", clg_odd_hugging_face},
            {"axolotl", clg_odd_axolotl},
            {"nemo", clg_odd_recipe},
            {"nanotron", clg_odd_nanotron},
            {"vllm", clg_odd_vllm},
            {"sglang", clg_odd_sglang},
            {"trtllm", clg_odd_trtllm},
            {"kempnerforge", clg_odd_kempnerforge}};

void clg_job_odd(clg_reading *r, const char *format) {
    for (size_t i = 0; i < sizeof odds / sizeof odds[0]; i++)
        if (strcmp(odds[i].format, format) == 0) odds[i].odd(r);
}

double clg_odd_number(clg_reading *r, const char *keys, double otherwise) {
    clg_found_key key = clg_job_key(r, r->main, keys);
    double number;
    return key.node && clg_job_number(key.node, &number) ? number : otherwise;
}

int clg_odd_whole(const clg_reading *r, clg_job_field field) {
    double number = clg_job_value_or(r, field, 1);
    return number >= 0 && number <= 1e6 ? (int)number : 0;
}

void clg_odd_stage_layers(clg_reading *r, const int *layers, int chunks, const char *why) {
    const char *words = "";
    double all = 0;
    if (chunks > 256) return;
    for (int i = 0; i < chunks; i++) {
        if (layers[i] < 0) return;
        words = clg_arena_print(r->arena, "%s%s%d", words, i > 0 ? "," : "", layers[i]);
        all += layers[i];
    }
    if (chunks > 0 && all == clg_job_get(r, CLG_JOB_LAYERS))
        clg_job_put_word(r, CLG_JOB_STAGE_LAYERS, words, NULL, why);
}

const char *clg_odd_word(clg_reading *r, const char *keys, const char *otherwise) {
    clg_found_key key = clg_job_key(r, r->main, keys);
    return key.node && *clg_job_word(key.node) ? clg_job_word(key.node) : otherwise;
}
