/* leftovers.c -- every key that no field was read from, with the reason it was left aside. */
#include "base/letters.h"
#include "job/reading.h"

#include <string.h>

enum { MOST_NOTES = 400, DEEPEST = 70 };

/* Parts of keys that tend to change time or memory: left aside, they are named apart. */
static const char *const weighty[] = {"parallel",
                                      "batch_size",
                                      "recompute",
                                      "checkpoint_activ",
                                      "offload",
                                      "shard",
                                      "overlap",
                                      "fp8",
                                      "quant",
                                      "fusion",
                                      "compile",
                                      "flash",
                                      "expert",
                                      "moe",
                                      "packing",
                                      "zero",
                                      "prefetch",
                                      "bucket",
                                      "liger",
                                      "lora",
                                      "peft",
                                      "vision",
                                      "freeze",
                                      "accumulat",
                                      "tp_size",
                                      "pp_size",
                                      "seq_len",
                                      "seq_length",
                                      "max_len",
                                      "max_length",
                                      "context_len",
                                      "context_width",
                                      "grad_checkp",
                                      "gradient_ch",
                                      "num_gpus",
                                      "num_train_gpus",
                                      "num_nodes",
                                      "activation_c",
                                      "precision",
                                      "micro_batch",
                                      "max_tokens",
                                      "sliding",
                                      "window",
                                      "eager",
                                      "graph",
                                      "speculat",
                                      "total_tokens",
                                      "prefill",
                                      "kv_cache",
                                      "attention_backend",
                                      "attn_backend",
                                      "page_size",
                                      "linear_attention",
                                      "attention_variant",
                                      "output_gate",
                                      "layer_pattern",
                                      "layer_wise",
                                      "wgrad",
                                      "transformer_impl",
                                      NULL};

/* Parts of keys that matter whatever words a trainer leaves aside: none of them is a checkpoint. */
static const char *const loud[][2] = {
    {"modules_to_save", "not modelled: modules trained whole beside the adapter, more memory"},
    {"additional_target", "not modelled: modules trained whole beside the adapter, more memory"},
    {"gradient_checkpointing.enable", "not modelled: it may change time or memory"},
    {"activation_memory_budget", "not modelled: it may change time or memory"}};

/* "max-num-seqs" and "max_num_seqs" are one. */
static const char *underscored(clg_arena *arena, const char *key) {
    char *copy = clg_arena_copy(arena, key, strlen(key));
    for (char *c = copy; *c; c++)
        if (*c == '-') *c = '_';
    return copy;
}

static bool is_used(const clg_reading *r, const clg_json *node) {
    for (int i = 0; i < r->used_count; i++)
        if (r->used[i] == node) return true;
    return false;
}

/* Of "distributed.tp" the last word, alone, says as much as a part of a longer one. */
static bool is_degree(const char *key) {
    static const char *const words[] = {"tp", "pp", "cp", "ep", "dp", "sp", "fsdp"};
    const char *dot = strrchr(key, '.'), *last = dot ? dot + 1 : key;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(last, words[i]) == 0) return true;
    return false;
}

static bool is_weighty(const char *key) {
    if (is_degree(key)) return true;
    for (int i = 0; weighty[i]; i++)
        if (clg_job_has(key, weighty[i])) return true;
    return false;
}

static bool is_small(char c) { return c >= 'a' && c <= 'z'; }

static bool begins_with(const char *text, const char *part) {
    while (*part && clg_lower(*text) == clg_lower(*part)) text++, part++;
    return !*part;
}

/* Whether a word of the key begins with the part: "load" of "load_dir", none of "offload". */
static bool has_word(const char *key, const char *part) {
    for (const char *at = key; *at; at++) {
        bool within = at > key && clg_is_letter(at[-1]) && clg_is_letter(*at) &&
                      !(is_small(at[-1]) && !is_small(*at));
        if (!within && begins_with(at, part)) return true;
    }
    return false;
}

static const char *reason(const clg_reading *r, const clg_json *format, const char *written) {
    const clg_json *quiet = clg_json_member(format, "ignored");
    const char *key = underscored(r->arena, written);
    for (size_t i = 0; i < sizeof loud / sizeof loud[0]; i++)
        if (clg_job_has(key, loud[i][0])) return loud[i][1];
    for (const clg_json *one = quiet ? quiet->first : NULL; one; one = one->next)
        if (has_word(key, underscored(r->arena, one->key))) return one->text;
    if (is_weighty(key)) return "not modelled: it may change time or memory";
    return "taken to change neither time nor memory of a step";
}

/* A Python assignment is kept under several keys: it is used when one of them is. */
static bool is_beside_used(const clg_reading *r, const clg_job_source *source,
                           const clg_json *node) {
    if (!source->name || !clg_job_has(source->name, ".py")) return false;
    for (int i = 0; i < r->used_count; i++)
        if (r->used[i]->line == node->line) return true;
    return false;
}

static void leaf(clg_reading *r, const clg_job_source *source, const clg_json *node,
                 const char *path) {
    if (is_used(r, node) || is_beside_used(r, source, node) || strncmp(path, "calls.", 6) == 0 ||
        r->job->ignored.count >= MOST_NOTES)
        return;
    clg_json only = *node;
    only.key = path;
    clg_found_key key = {&only, source, path};
    const char *from = clg_job_from(r, &key);
    clg_job_note_down(r->arena, &r->job->ignored, path, from, reason(r, source->format, path), -1);
}

static void walk(clg_reading *r, const clg_job_source *source, const clg_json *node,
                 const char *path, int depth) {
    if (depth > DEEPEST || is_used(r, node)) return;
    if (node->kind != CLG_JSON_OBJECT) {
        leaf(r, source, node, path);
        return;
    }
    for (const clg_json *child = node->first; child; child = child->next)
        walk(r, source, child,
             *path ? clg_arena_print(r->arena, "%s.%s", path, child->key) : child->key, depth + 1);
}

/* Of the keys under a node that tend to matter, those that a field was read from, and those left.
 */
static void weigh(const clg_reading *r, const clg_job_source *source, const clg_json *node,
                  int depth, clg_job_weight *weight) {
    if (depth > DEEPEST) return;
    const clg_json *quiet = clg_json_member(source->format, "ignored");
    bool leaf = node->kind != CLG_JSON_OBJECT && node->key;
    for (const clg_json *one = quiet ? quiet->first : NULL; one && leaf; one = one->next)
        leaf = !clg_job_has(node->key, one->key);
    if (leaf && is_used(r, node))
        weight->read++;
    else if (leaf && is_weighty(underscored(r->arena, node->key)) &&
             !is_beside_used(r, source, node)) {
        if (weight->left++ == 0) weight->first = node->key;
    }
    for (const clg_json *child = node->kind == CLG_JSON_OBJECT ? node->first : NULL; child;
         child = child->next)
        weigh(r, source, child, depth + 1, weight);
}

clg_job_weight clg_job_weigh(const clg_reading *r) {
    clg_job_weight weight = {0};
    for (int i = 0; i < r->sources; i++)
        if (r->source[i].format == r->main && !r->source[i].launcher)
            weigh(r, &r->source[i], r->source[i].root, 0, &weight);
    return weight;
}

void clg_job_leftovers(clg_reading *r) {
    for (int i = 0; i < r->sources; i++) walk(r, &r->source[i], r->source[i].root, "", 0);
}
