/* adapter.c -- words of fine-tuning: kinds, formats, and what modules are called. */
#include "layout/adapter.h"

#include "op/op.h"

#include <stdio.h>
#include <string.h>

const clg_name clg_adapter_names[] = {{"none", CLG_ADAPTER_NONE, "all weights are trained"},
                                      {"lora", CLG_ADAPTER_LORA, "low-rank matrices, base frozen"},
                                      {"qlora", CLG_ADAPTER_QLORA, "the same, base in 4 or 8 bit"},
                                      {"dora", CLG_ADAPTER_DORA, "lora and a norm a column"},
                                      {NULL, 0, NULL}};

const clg_name clg_base_names[] = {{"bf16", CLG_BASE_BF16, NULL},
                                   {"fp16", CLG_BASE_BF16, NULL},
                                   {"int8", CLG_BASE_INT8, NULL},
                                   {"nf4", CLG_BASE_NF4, NULL},
                                   {"fp4", CLG_BASE_NF4, NULL},
                                   {"int4", CLG_BASE_INT4, NULL},
                                   {"gptq-int4", CLG_BASE_INT4, NULL},
                                   {"awq-int4", CLG_BASE_INT4, NULL},
                                   {NULL, 0, NULL}};

/* nf4: a 4-bit value and 0.127 bit of doubly quantized scales (arXiv:2305.14314, section 3); int8:
 * a scale a row, nothing; the others as op.c has them. */
double clg_base_scale_bytes(clg_base_format format) {
    static const double nf4_bits = 0.127;
    return format == CLG_BASE_NF4 ? nf4_bits / 8 : 0;
}

double clg_base_bytes(clg_base_format format) {
    switch (format) {
    case CLG_BASE_INT8:
        return 1;
    case CLG_BASE_NF4:
        return 0.5 + clg_base_scale_bytes(format);
    case CLG_BASE_INT4:
        return clg_precision_bytes(CLG_INT4);
    case CLG_BASE_BF16:
        break;
    }
    return clg_precision_bytes(CLG_BF16);
}

/* One kernel reads the stored value and writes the wide one (bitsandbytes, kDequantizeBlockwise),
 * after two over the scales of 64 each: a byte to fp32, and their mean added (functional.py,
 * dequantize_4bit, nested): written 4, read and written 4 + 4.
 * Groups of 4 bit are unpacked by elementary kernels where they are trained beside (AutoGPTQ,
 * qlinear_cuda_old.py, `trainable`): a shift to 32 bit, a cast to 8, a mask, less the zero, times
 * the scale: 0.5 + 4, 4 + 1, 1 + 1, 1 + 1, 1 + 2 bytes. */
clg_widening clg_base_widening(clg_base_format format) {
    enum { OF_A_SCALE = 64, WIDE = 2 };
    static const double scales = (4.0 + 4 + 4) / OF_A_SCALE;
    static const double unpacked = (0.5 + 4) + (4 + 1) + (1 + 1) + (1 + 1) + (1 + 2);
    if (format == CLG_BASE_NF4) return (clg_widening){clg_base_bytes(format) + WIDE + scales, 3};
    if (format == CLG_BASE_INT4) return (clg_widening){unpacked, 5};
    return (clg_widening){0, 0};
}

bool clg_adapter_recomputes(const clg_adapter *a) {
    return a->kind != CLG_ADAPTER_NONE && a->base != CLG_BASE_BF16;
}

enum {
    QKV = CLG_TARGET_QUERY | CLG_TARGET_KEY | CLG_TARGET_VALUE,
    ATTENTION = QKV | CLG_TARGET_OUTPUT,
    MLP = CLG_TARGET_GATE | CLG_TARGET_UP | CLG_TARGET_DOWN
};

/* Modules of Hugging Face models, of Megatron, and groups of them. Two families disagree on w1 to
 * w3: up and gate are w1 and w2, or w3 and w1 beside w2 for down. As here both have all their
 * matrices when all are named, and as many of the same sizes when two are. */
static const clg_name modules[] = {{"all-linear", CLG_TARGET_ALL, NULL},
                                   {"all", CLG_TARGET_ALL, NULL},
                                   {"attention", ATTENTION, NULL},
                                   {"mlp", MLP, NULL},
                                   {"q_proj", CLG_TARGET_QUERY, NULL},
                                   {"k_proj", CLG_TARGET_KEY, NULL},
                                   {"v_proj", CLG_TARGET_VALUE, NULL},
                                   {"o_proj", CLG_TARGET_OUTPUT, NULL},
                                   {"output_proj", CLG_TARGET_OUTPUT, NULL},
                                   {"gate_proj", CLG_TARGET_GATE, NULL},
                                   {"up_proj", CLG_TARGET_UP, NULL},
                                   {"down_proj", CLG_TARGET_DOWN, NULL},
                                   {"qkv_proj", QKV, NULL},
                                   {"query_key_value", QKV, NULL},
                                   {"linear_qkv", QKV, NULL},
                                   {"c_attn", QKV, NULL},
                                   {"W_pack", QKV, NULL},
                                   {"Wqkv", QKV, NULL},
                                   {"wqkv", QKV, NULL},
                                   {"c_proj", CLG_TARGET_OUTPUT | CLG_TARGET_DOWN, NULL},
                                   {"linear_proj", CLG_TARGET_OUTPUT, NULL},
                                   {"gate_up_proj", CLG_TARGET_GATE | CLG_TARGET_UP, NULL},
                                   {"linear_fc1", CLG_TARGET_GATE | CLG_TARGET_UP, NULL},
                                   {"linear_fc2", CLG_TARGET_DOWN, NULL},
                                   {"dense", CLG_TARGET_OUTPUT, NULL},
                                   {"dense_h_to_4h", CLG_TARGET_GATE | CLG_TARGET_UP, NULL},
                                   {"dense_4h_to_h", CLG_TARGET_DOWN, NULL},
                                   {"out_proj", CLG_TARGET_OUTPUT, NULL},
                                   {"wo", CLG_TARGET_OUTPUT, NULL},
                                   {"fc1", CLG_TARGET_UP, NULL},
                                   {"fc2", CLG_TARGET_DOWN, NULL},
                                   {"w1", CLG_TARGET_UP, NULL},
                                   {"w2", CLG_TARGET_GATE, NULL},
                                   {"w3", CLG_TARGET_DOWN, NULL},
                                   {NULL, 0, NULL}};

clg_status clg_adapter_targets(const char *words, unsigned *targets, clg_error *error) {
    char word[48];
    *targets = 0;
    while (*words) {
        size_t size = strcspn(words, " ,;+");
        int value;
        if (size >= sizeof word)
            return clg_fail(error, CLG_BAD_INPUT, "say all-linear, or q_proj v_proj",
                            "a module's name of %zu letters", size);
        snprintf(word, sizeof word, "%.*s", (int)size, words);
        if (size > 0 && clg_name_value(modules, "module", word, &value, error) != CLG_OK)
            return CLG_BAD_INPUT;
        if (size > 0) *targets |= (unsigned)value;
        words += size + (words[size] != '\0');
    }
    if (*targets) return CLG_OK;
    return clg_fail(error, CLG_BAD_INPUT, "say all-linear, or q_proj v_proj", "no module is named");
}

static bool said(const char *word) { return word && *word; }

clg_status clg_adapter_read(const char *kind, double rank, const char *targets, const char *base,
                            clg_adapter *a, clg_error *error) {
    enum { USUAL_RANK = 16, MOST_RANK = 4096 }; /* what is usual; a bound on nonsense */
    int value = CLG_ADAPTER_NONE, format;
    *a = (clg_adapter){0};
    if (said(kind) && clg_name_value(clg_adapter_names, "adapter", kind, &value, error) != CLG_OK)
        return CLG_BAD_INPUT;
    if (value == CLG_ADAPTER_NONE) return CLG_OK;
    format = value == CLG_ADAPTER_QLORA ? CLG_BASE_NF4 : CLG_BASE_BF16;
    if (said(base) && clg_name_value(clg_base_names, "format", base, &format, error) != CLG_OK)
        return CLG_BAD_INPUT;
    if (rank <= 0) rank = USUAL_RANK;
    if (!(rank >= 1 && rank <= MOST_RANK))
        return clg_fail(error, CLG_BAD_INPUT, "give 1 to 4096", "an adapter's rank of %g", rank);
    a->kind = (clg_adapter_kind)value;
    a->rank = (int)rank;
    a->base = (clg_base_format)format;
    return clg_adapter_targets(said(targets) ? targets : "all-linear", &a->targets, error);
}
