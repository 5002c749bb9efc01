/* stack.c -- the terms of a stack: by name, overridden, and what it can run. */
#include "stack/stack.h"

#include "stack/terms.h"

#include <stdio.h>
#include <string.h>

const clg_name clg_memory_names[] = {
    {"allocated", CLG_MEMORY_ALLOCATED, "tensors: torch.cuda.max_memory_allocated"},
    {"reserved", CLG_MEMORY_RESERVED, "the allocator: torch.cuda.max_memory_reserved"},
    {"device", CLG_MEMORY_DEVICE, "everything on the device: nvidia-smi"},
    {NULL, 0, NULL}};

const clg_name clg_sharding_names[] = {{"zero-0", CLG_SHARD_ZERO, "nothing is sharded"},
                                       {"zero-1", CLG_SHARD_ZERO + 1, "optimizer states"},
                                       {"zero-2", CLG_SHARD_ZERO + 2, "gradients too"},
                                       {"zero-3", CLG_SHARD_ZERO + 3, "weights too"},
                                       {"tp", CLG_SHARD_TP, "products"},
                                       {"cp-ring", CLG_SHARD_CP + CLG_CONTEXT_RING, "sequences"},
                                       {"cp-gather", CLG_SHARD_CP + CLG_CONTEXT_GATHER, NULL},
                                       {"cp-ulysses", CLG_SHARD_CP + CLG_CONTEXT_ULYSSES, NULL},
                                       {"ep", CLG_SHARD_EP, "experts"},
                                       {"etp", CLG_SHARD_ETP, "products of experts"},
                                       {"sp", CLG_SHARD_SP, "what lies between products"},
                                       {NULL, 0, NULL}};

const clg_name clg_selective_names[] = {
    {"attention", CLG_SELECTIVE_ATTENTION, "the attention core is done again"},
    {"operations", CLG_SELECTIVE_OPERATIONS, "attention and every other product are kept"},
    {"between-products", CLG_SELECTIVE_BETWEEN, "linear products are kept"},
    {"mlp", CLG_SELECTIVE_MLP, "attention's linear products are kept"},
    {"after-heads", CLG_SELECTIVE_HEADS, "queries, keys and values are kept"},
    {NULL, 0, NULL}};

const clg_name clg_zero_one_names[] = {
    {"shards", CLG_ZERO_ONE_SHARDS, "gradients scattered beside the backward, weights gathered"},
    {"sums-after", CLG_ZERO_ONE_SUMS_AFTER, "whole gradients all-reduced after the backward"},
    {"broadcasts", CLG_ZERO_ONE_BROADCASTS, "whole gradients all-reduced, weights broadcast"},
    {NULL, 0, NULL}};

const clg_name clg_scatters_names[] = {
    {"once", CLG_SCATTERS_ONCE, "a step"},
    {"each-backward", CLG_SCATTERS_EACH, "with pipelines once a step"},
    {"sums-each-backward", CLG_SCATTERS_SUMS, "the same; ZeRO-2 all-reduces whole gradients"},
    {"anywhere", CLG_SCATTERS_ANYWHERE, "in every backward, with pipelines too"},
    {NULL, 0, NULL}};
const clg_name clg_expert_rows_names[] = {
    {"as-they-lie", CLG_ROWS_AS_THEY_LIE, "sorted rows, one call"},
    {"padded", CLG_ROWS_PADDED, "one batch, as long an expert as the busiest"},
    {"looped", CLG_ROWS_LOOPED, "a loop over experts, kernel by kernel"},
    {"indexed", CLG_ROWS_INDEXED, "one call, rows moved by tensor operations"},
    {"picked", CLG_ROWS_PICKED, "the same, rows not padded"},
    {"added", CLG_ROWS_ADDED, "one call, rows picked and added by index"},
    {NULL, 0, NULL}};
_Static_assert(sizeof(clg_selective) == sizeof(int) && sizeof(clg_zero_one) == sizeof(int) &&
                   sizeof(clg_scatters) == sizeof(int) && sizeof(clg_expert_rows) == sizeof(int),
               "behaviours are read as int");

const clg_term clg_terms[] = {
#define GROUP(group)
#define TERM(group, member, key, dimension, flag, words)                                           \
    {#key, dimension, offsetof(clg_stack, group.member), flag, words},
#define NUMBER(group, member, key, dimension, meaning)                                             \
    TERM(group, member, key, CLG_##dimension, false, NULL)
#define SWITCH(group, member, key, meaning) TERM(group, member, key, CLG_COUNT, true, NULL)
#define WORD(group, member, key, meaning)                                                          \
    TERM(group, member, key, CLG_COUNT, false, clg_##key##_names)
#define END(group)
#include "stack/terms.def"
};
const int clg_term_count = sizeof clg_terms / sizeof clg_terms[0];
_Static_assert(sizeof clg_terms / sizeof clg_terms[0] <= CLG_TERMS_MOST, "raise CLG_TERMS_MOST");

/* Factors that only make longer. */
static bool slows(const char *key) {
    return strcmp(key, "kernel_slowdown") == 0 || strcmp(key, "overlap_slowdown") == 0 ||
           strcmp(key, "traffic_slowdown") == 0;
}

bool clg_term_takes(const clg_term *term, double number) {
    return number >= slows(term->key) && number <= (term->dimension == CLG_FRACTION ? 1 : 1e12);
}

const char *clg_term_range(const clg_term *term) {
    return term->dimension == CLG_FRACTION ? "give 0 to 1"
           : slows(term->key)              ? "give 1 or more"
                                           : "give 0 or more";
}

static clg_status set_flag(bool *into, const char *name, const char *value, clg_error *error) {
    bool on = strcmp(value, "true") == 0;
    if (!on && strcmp(value, "false") != 0)
        return clg_fail(error, CLG_BAD_INPUT, "write true or false", "'%.32s' is no value of %s",
                        value, name);
    *into = on;
    return CLG_OK;
}

static clg_status set_word(void *into, const clg_term *term, const char *value, clg_error *error) {
    int word;
    if (clg_name_value(term->words, term->key, value, &word, error) != CLG_OK) return CLG_BAD_INPUT;
    memcpy(into, &word, sizeof word);
    return CLG_OK;
}

clg_status clg_stack_set(clg_stack *stack, const char *name, const char *value, clg_error *error) {
    const char *names[CLG_TERMS_MOST], *near[CLG_NAMES_NEAR];
    for (int i = 0; i < clg_term_count; i++) {
        names[i] = clg_terms[i].key;
        if (strcmp(name, clg_terms[i].key) != 0) continue;
        void *into = (char *)stack + clg_terms[i].offset;
        if (clg_terms[i].flag) return set_flag(into, name, value, error);
        if (clg_terms[i].words) return set_word(into, &clg_terms[i], value, error);
        double number;
        if (clg_quantity(value, clg_terms[i].dimension, &number, error) != CLG_OK)
            return CLG_BAD_INPUT;
        if (!clg_term_takes(&clg_terms[i], number))
            return clg_fail(error, CLG_BAD_INPUT, clg_term_range(&clg_terms[i]),
                            "%s of '%.32s' is out of range", name, value);
        memcpy(into, &number, sizeof number);
        return CLG_OK;
    }
    char ask[320];
    int found = clg_name_near(names, clg_term_count, name, near, 4);
    clg_name_ask(near, found, "", ask, sizeof ask);
    return clg_fail(error, CLG_BAD_INPUT,
                    found > 0 ? ask : "'ceiling show stacks unknown' lists them",
                    "'%.64s' is no term of a software stack", name);
}

clg_status clg_stack_set_all(clg_stack *stack, const char *text, clg_error *error) {
    while (text && *text) {
        char name[64], value[64];
        size_t size = strcspn(text, ","), before = strcspn(text, "=");
        if (before == 0 || before >= size || before >= sizeof name ||
            size - before - 1 >= sizeof value)
            return clg_fail(error, CLG_BAD_INPUT, "write it like tensor_overlap=0.8",
                            "'%.32s' is no NAME=VALUE", text);
        snprintf(name, sizeof name, "%.*s", (int)before, text);
        snprintf(value, sizeof value, "%.*s", (int)(size - before - 1), text + before + 1);
        if (clg_stack_set(stack, name, value, error) != CLG_OK) return CLG_BAD_INPUT;
        text += size + (text[size] == ',');
    }
    return CLG_OK;
}

double *clg_stack_number(clg_stack *stack, const char *name) {
    for (int i = 0; i < clg_term_count; i++)
        if (!clg_terms[i].flag && !clg_terms[i].words && strcmp(clg_terms[i].key, name) == 0)
            return (double *)(void *)((char *)stack + clg_terms[i].offset);
    return NULL;
}

const clg_json *clg_stack_states(const clg_stack *stack, const char *name) {
    const clg_json *stated = clg_json_member(stack->data, name);
    const clg_json *list = clg_json_member(stack->data, "releases");
    for (const clg_json *release = list ? list->first : NULL; release; release = release->next) {
        const clg_json *from = clg_json_member(release, "from"), *own;
        if (!from || !from->text || strncmp(from->text, stack->date ? stack->date : "", 7) > 0)
            continue;
        own = clg_json_member(release, name);
        stated = own ? own : stated;
    }
    return stated;
}

bool clg_stack_has(unsigned set, int one) { return (set >> one & 1u) != 0; }

const char *clg_stack_lacks(const clg_stack *stack, const clg_layout *l) {
    const struct {
        bool wanted;
        int sharding;
    } wanted[] = {{l->dp * l->cp > 1, CLG_SHARD_ZERO + l->zero},
                  {l->tp > 1 && !l->sp, CLG_SHARD_TP},
                  {l->cp > 1, CLG_SHARD_CP + (int)l->cp_kind},
                  {l->ep > 1, CLG_SHARD_EP},
                  {l->etp > 1, CLG_SHARD_ETP},
                  {l->sp && l->tp > 1, CLG_SHARD_SP}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (wanted[i].wanted && !clg_stack_has(stack->shardings, wanted[i].sharding))
            return clg_name_of(clg_sharding_names, wanted[i].sharding);
    if (l->pp > 1 && !clg_stack_has(stack->schedules, (int)l->schedule))
        return clg_name_of(clg_schedule_names, (int)l->schedule);
    return clg_stack_has(stack->recomputes, (int)l->recompute)
               ? NULL
               : clg_name_of(clg_recompute_names, (int)l->recompute);
}

bool clg_stack_on_reference(const clg_stack *stack) {
    return stack->fabric && strcmp(stack->fabric, "reference") == 0;
}

static bool names_word(const clg_json *list, const char *vendor) {
    for (const clg_json *word = list ? list->first : NULL; word; word = word->next)
        if (vendor && word->text && strcmp(word->text, vendor) == 0) return true;
    return false;
}

bool clg_stack_runs_on(const clg_stack *stack, const char *vendor) {
    return !stack->vendors || !vendor || names_word(stack->vendors, vendor);
}
