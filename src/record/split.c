/* split.c -- reading names of groups. */
#include "record/split.h"

const clg_name clg_split_names[] = {{"other", CLG_SPLIT_UNKNOWN, NULL},
                                    {"tp", CLG_SPLIT_TP, NULL},
                                    {"cp", CLG_SPLIT_CP, NULL},
                                    {"ep", CLG_SPLIT_EP, NULL},
                                    {"dp", CLG_SPLIT_DP, NULL},
                                    {"pp", CLG_SPLIT_PP, NULL},
                                    {NULL, 0, NULL}};

/* First match wins: a data-parallel group of experts, or of ranks with their context parts, moves
 * gradients. Words of Megatron-LM parallel_state and of torch DeviceMesh. */
static const struct {
    const char *word;
    clg_split axis;
} words[] = {{"data", CLG_SPLIT_DP},     {"dp", CLG_SPLIT_DP},        {"ddp", CLG_SPLIT_DP},
             {"fsdp", CLG_SPLIT_DP},     {"replicate", CLG_SPLIT_DP}, {"shard", CLG_SPLIT_DP},
             {"pipeline", CLG_SPLIT_PP}, {"pp", CLG_SPLIT_PP},        {"expert", CLG_SPLIT_EP},
             {"ep", CLG_SPLIT_EP},       {"context", CLG_SPLIT_CP},   {"cp", CLG_SPLIT_CP},
             {"tensor", CLG_SPLIT_TP},   {"tp", CLG_SPLIT_TP}};

static char small(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool letter(char c) { return small(c) >= 'a' && small(c) <= 'z'; }

static bool has_word(clg_slice text, const char *word) {
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= text.size; i++) {
        size_t same = 0;
        while (same < size && small(text.text[i + same]) == word[same]) same++;
        bool starts = i == 0 || !letter(text.text[i - 1]);
        bool ends = i + size == text.size || !letter(text.text[i + size]);
        if (same == size && starts && ends) return true;
    }
    return false;
}

clg_split clg_split_of_words(clg_slice description) {
    for (size_t i = 0; description.size && i < sizeof words / sizeof words[0]; i++)
        if (has_word(description, words[i].word)) return words[i].axis;
    return CLG_SPLIT_UNKNOWN;
}

clg_split clg_split_of_call(clg_operation operation, int64_t group_size,
                            const clg_degrees *degrees) {
    bool tokens = operation == CLG_OPERATION_DISPATCH || operation == CLG_OPERATION_COMBINE ||
                  operation == CLG_OPERATION_ALL_TO_ALL;
    bool pair = operation == CLG_OPERATION_SEND || operation == CLG_OPERATION_RECEIVE ||
                operation == CLG_OPERATION_SEND_RECEIVE;
    if (tokens) return CLG_SPLIT_EP;
    if (pair && (!degrees || degrees->of[CLG_SPLIT_PP] > 1)) return CLG_SPLIT_PP;
    clg_split found = CLG_SPLIT_UNKNOWN;
    for (int i = 1; degrees && i < CLG_SPLITS; i++) {
        if (degrees->of[i] < 2 || (group_size > 0 && degrees->of[i] != group_size)) continue;
        if (found != CLG_SPLIT_UNKNOWN) return CLG_SPLIT_UNKNOWN;
        found = (clg_split)i;
    }
    return found;
}
