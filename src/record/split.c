/* split.c -- reading names of groups. */
#include "record/split.h"
#include "base/letters.h"

#include <stdlib.h>
#include <string.h>

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

static bool has_word(clg_slice text, const char *word) {
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= text.size; i++) {
        size_t same = 0;
        while (same < size && clg_lower(text.text[i + same]) == word[same]) same++;
        bool starts = i == 0 || !clg_is_letter(text.text[i - 1]);
        bool ends = i + size == text.size || !clg_is_letter(text.text[i + size]);
        if (same == size && starts && ends) return true;
    }
    return false;
}

clg_split clg_split_of_words(clg_slice description) {
    for (size_t i = 0; description.size && i < sizeof words / sizeof words[0]; i++)
        if (has_word(description, words[i].word)) return words[i].axis;
    return CLG_SPLIT_UNKNOWN;
}

/* The distance of the first two ranks of "2 [0, 8, 16]"; -1: not said. */
static int64_t stride_of(const char *ranks) {
    const char *open = strchr(ranks, '[');
    char *end;
    long long first = open ? strtoll(open + 1, &end, 10) : -1;
    if (first < 0 || first > INT32_MAX || *end != ',') return -1;
    long long second = strtoll(end + 1, NULL, 10);
    return second > first && second <= INT32_MAX ? second - first : -1;
}

/* Ranks of an axis lie as far apart as the axes before it have ranks. Experts are spread over the
 * data parallel ranks from the first on. */
static int64_t stride_of_axis(clg_split axis, const clg_degrees *d) {
    static const clg_split order[] = {CLG_SPLIT_TP, CLG_SPLIT_CP, CLG_SPLIT_DP, CLG_SPLIT_PP};
    int64_t stride = 1;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (order[i] == axis || (order[i] == CLG_SPLIT_DP && axis == CLG_SPLIT_EP)) break;
        if (d->of[order[i]] > 1 && d->of[order[i]] < INT32_MAX / stride) stride *= d->of[order[i]];
    }
    return stride;
}

/* The only axis with this many ranks at this distance (-1: any). */
static clg_split of_shape(int64_t size, int64_t stride, const clg_degrees *d) {
    clg_split found = CLG_SPLIT_UNKNOWN;
    for (int i = 1; i < CLG_SPLITS; i++) {
        if (d->of[i] < 2 || (size > 0 && d->of[i] != size)) continue;
        if (stride > 0 && stride_of_axis((clg_split)i, d) != stride) continue;
        if (found != CLG_SPLIT_UNKNOWN) return CLG_SPLIT_UNKNOWN;
        found = (clg_split)i;
    }
    return found;
}

static bool used(const clg_degrees *d, clg_split axis) { return d && d->of[axis] > 1; }

/* A kernel that is called SendRecv alone may be a send, a ring or an all-to-all. */
clg_split clg_split_of_call(clg_operation operation, int64_t group_size, const char *ranks,
                            const clg_degrees *d) {
    bool pair = operation == CLG_OPERATION_SEND || operation == CLG_OPERATION_RECEIVE;
    bool either = operation == CLG_OPERATION_SEND_RECEIVE;
    if (operation == CLG_OPERATION_DISPATCH || operation == CLG_OPERATION_COMBINE)
        return CLG_SPLIT_EP;
    if (pair && (!d || used(d, CLG_SPLIT_PP))) return CLG_SPLIT_PP;
    if (!d) return CLG_SPLIT_UNKNOWN;
    if (either && used(d, CLG_SPLIT_PP) && !used(d, CLG_SPLIT_EP) && !used(d, CLG_SPLIT_CP))
        return CLG_SPLIT_PP;
    if (operation == CLG_OPERATION_ALL_TO_ALL && !used(d, CLG_SPLIT_CP) && used(d, CLG_SPLIT_EP))
        return CLG_SPLIT_EP;
    clg_split found = of_shape(group_size, -1, d);
    return found != CLG_SPLIT_UNKNOWN ? found : of_shape(group_size, stride_of(ranks), d);
}
