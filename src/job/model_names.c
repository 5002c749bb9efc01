/* model_names.c -- the model of a job: a preset under one of its names, or sizes. */
#include "base/letters.h"
#include "base/text.h"
#include "dataset/dataset.h"
#include "dataset/kept.h"
#include "job/reading.h"
#include "model/preset.h"

#include <string.h>

enum { LONGEST = 160 };

/* Letters and digits of a name; at[i] is where the i-th stands in it. */
static size_t squash(const char *name, char *out, int *at) {
    size_t size = 0;
    for (int i = 0; name[i] && size + 1 < LONGEST; i++)
        if (clg_is_letter(name[i]) || clg_is_digit(name[i])) {
            if (at) at[size] = i;
            out[size++] = clg_lower(name[i]);
        }
    out[size] = '\0';
    return size;
}

/* Whether a squashed name stands in the name, as whole words: "llama-3-8b" in
 * "Meta-Llama-3-8B-Instruct", not in "TinyLlama-3-8Bx". */
static bool stands_in(const char *part, size_t size, const char *name) {
    char all[LONGEST];
    int at[LONGEST];
    size_t whole = squash(name, all, at);
    for (size_t i = 0; size > 0 && i + size <= whole; i++) {
        if (memcmp(all + i, part, size) != 0) continue;
        int first = at[i], last = at[i + size - 1];
        bool before = first == 0 ||
                      !(clg_is_letter(name[first - 1]) || clg_is_digit(name[first - 1])) ||
                      (clg_is_digit(name[first - 1]) && clg_is_letter(name[first]));
        bool split = clg_is_digit(name[first]) && first > 1 && name[first - 1] == '.' &&
                     clg_is_digit(name[first - 2]);
        char next = name[last + 1];
        bool after = !clg_is_letter(next) && !clg_is_digit(next) &&
                     !(next == '.' && clg_is_digit(name[last + 2]));
        if (before && !split && after) return true;
    }
    return false;
}

/* A size that a name says, "30b" or "1.7b" as a word of its own; its length, 0: there is none. */
static size_t size_in(const char *name, const char **at) {
    for (const char *c = name; *c; c++) {
        bool inside = c > name && (clg_is_letter(c[-1]) || clg_is_digit(c[-1]) || c[-1] == '.');
        size_t figures = strspn(c, "0123456789.");
        if (inside || !clg_is_digit(*c) || clg_lower(c[figures]) != 'b') continue;
        if (clg_is_letter(c[figures + 1]) || clg_is_digit(c[figures + 1])) continue;
        *at = c;
        return figures;
    }
    return 0;
}

/* A part without a size stands in names of all sizes of a model ("nemotron3-nano"). */
static bool other_size(const char *part, const char *preset, const char *name) {
    const char *at, *said, *has;
    size_t size = size_in(name, &said), own = preset ? size_in(preset, &has) : 0;
    if (size_in(part, &at) > 0 || size == 0 || own == 0) return false;
    return size != own || memcmp(said, has, size) != 0;
}

/* Letter by letter, marks too: "opt-13b" stands so in "opt-13b", "opt-1.3b" does not. */
static bool is_spelled(const char *part, const char *name) {
    size_t size = strlen(part);
    for (; *name; name++) {
        size_t i = 0;
        while (i < size && clg_lower(name[i]) == part[i]) i++;
        if (i == size) return true;
    }
    return false;
}

/* The longest preset, or other name of one, that stands in a name. */
static const char *preset_in(clg_arena *arena, const char *name) {
    int count;
    size_t longest = 0;
    const char *best = NULL;
    char part[LONGEST];
    const char *const *names = clg_model_names(arena, &count);
    for (int i = 0; i < count; i++) {
        size_t size = squash(names[i], part, NULL);
        if (size < longest || !stands_in(part, size, name)) continue;
        if (size > longest || is_spelled(names[i], name)) longest = size, best = names[i];
    }
    const clg_file *file = clg_dataset_find("trainer/names.json");
    const clg_json *root;
    clg_error none = {0};
    if (!file ||
        clg_dataset_parse(arena, file->path, file->text, file->size, &root, &none) != CLG_OK)
        return best;
    const clg_json *others = clg_json_member(root, "names");
    for (const clg_json *one = others ? others->first : NULL; one; one = one->next) {
        size_t size = squash(one->key, part, NULL);
        if (size < longest || !stands_in(part, size, name)) continue;
        const char *preset = *one->text ? one->text : NULL;
        if (!other_size(one->key, preset, name)) longest = size, best = preset;
    }
    return best;
}

const char *clg_job_gpu_in(clg_arena *arena, const char *text) {
    const clg_file *file = clg_dataset_find("trainer/names.json");
    const clg_json *root;
    clg_error none = {0};
    size_t longest = 0;
    const char *best = NULL;
    char part[LONGEST];
    if (!file ||
        clg_dataset_parse(arena, file->path, file->text, file->size, &root, &none) != CLG_OK)
        return NULL;
    const clg_json *all = clg_json_member(root, "gpus");
    for (const clg_json *one = all ? all->first : NULL; one; one = one->next) {
        size_t size = squash(one->key, part, NULL);
        if (size > longest && stands_in(part, size, text)) longest = size, best = one->text;
    }
    return best;
}

/* ModelScope's folders have "___" for a dot. */
static const char *with_dots(clg_arena *arena, const char *text, size_t size) {
    clg_text out = {.arena = arena};
    for (const char *at = text, *end = text + size; at < end; at++)
        if (end - at > 2 && memcmp(at, "___", 3) == 0)
            clg_text_print(&out, "."), at += 2;
        else
            clg_text_add(&out, at, 1);
    return out.data ? out.data : "";
}

/* The part of a path that says which model: the last that names one. */
const char *clg_job_preset_in(clg_arena *arena, const char *word) {
    const char *placed = clg_model_of_place(arena, word);
    if (placed) return placed;
    const char *end = word + strlen(word);
    while (end > word) {
        const char *start = end;
        while (start > word && start[-1] != '/') start--;
        if (end > start && end - start < LONGEST) {
            const char *part = with_dots(arena, start, (size_t)(end - start));
            const char *found = preset_in(arena, part);
            if (!found) found = clg_model_named(arena, part);
            if (found) return found;
        }
        end = start > word ? start - 1 : word;
    }
    return NULL;
}

static void describe(clg_reading *r, const clg_model *m, const char *why) {
    const clg_layer_kind *first = &m->kind[m->layer_kind[0]];
    const clg_layer_kind *last = &m->kind[m->layer_kind[m->layers - 1]];
    const struct {
        clg_job_field field;
        double value;
    } sizes[] = {{CLG_JOB_LAYERS, m->layers},
                 {CLG_JOB_HIDDEN, (double)m->hidden},
                 {CLG_JOB_HEADS, last->attention.heads},
                 {CLG_JOB_KV_HEADS, last->attention.kv_heads},
                 {CLG_JOB_HEAD_DIM, last->attention.head_dim},
                 {CLG_JOB_VOCAB, (double)m->vocab},
                 {CLG_JOB_FFN, (double)(first->mlp.ffn ? first->mlp.ffn : last->mlp.ffn)},
                 {CLG_JOB_EXPERTS, last->mlp.experts},
                 {CLG_JOB_EXPERTS_PER_TOKEN, last->mlp.experts_per_token},
                 {CLG_JOB_EXPERT_FFN, (double)last->mlp.expert_ffn},
                 {CLG_JOB_SHARED_FFN, (double)last->mlp.shared_ffn},
                 {CLG_JOB_PREDICTION_LAYERS, m->prediction_layers}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i].value > 0) clg_job_put(r, sizes[i].field, sizes[i].value, NULL, why);
    clg_job_put(r, CLG_JOB_TIED, m->tied, NULL, why);
}

static void take_preset(clg_reading *r, const char *preset) {
    clg_model model;
    clg_error none = {0};
    if (clg_model_find(r->arena, preset, &model, &none) != CLG_OK) return;
    r->job->preset = preset;
    describe(r, &model, clg_arena_print(r->arena, "of %s, built in", preset));
}

static bool by_config(clg_reading *r) {
    clg_model model;
    clg_error none = {0};
    if (!r->config || clg_model_read(r->arena, r->config->name, r->config->text, r->config->size,
                                     &model, &none) != CLG_OK)
        return false;
    r->job->config = clg_arena_copy(r->arena, r->config->text, r->config->size);
    describe(r, &model, clg_arena_print(r->arena, "of %s", r->config->name));
    return true;
}

/* ---- sizes as a config.json ---- */

static void number(clg_reading *r, clg_json_writer *w, const char *key, clg_job_field field) {
    double value = clg_job_value_or(r, field, 0);
    if (value > 0) clg_json_add_integer(w, key, (int64_t)value);
}

static void flag(clg_reading *r, clg_json_writer *w, const char *key, clg_job_field field) {
    if (clg_job_has_field(r, field)) clg_json_add_bool(w, key, r->job->field[field].number != 0);
}

static void by_sizes(clg_reading *r) {
    static const clg_job_field needed[] = {CLG_JOB_LAYERS, CLG_JOB_HIDDEN, CLG_JOB_HEADS,
                                           CLG_JOB_VOCAB};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (clg_job_value_or(r, needed[i], 0) < 1) return;
    clg_text text = {.arena = r->arena};
    clg_json_writer writer = {.text = &text}, *w = &writer;
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "model_type", "generic");
    number(r, w, "num_hidden_layers", CLG_JOB_LAYERS);
    number(r, w, "hidden_size", CLG_JOB_HIDDEN);
    number(r, w, "num_attention_heads", CLG_JOB_HEADS);
    number(r, w, "num_key_value_heads", CLG_JOB_KV_HEADS);
    if (!clg_job_has_field(r, CLG_JOB_KV_RANK)) number(r, w, "head_dim", CLG_JOB_HEAD_DIM);
    number(r, w, "intermediate_size", CLG_JOB_FFN);
    number(r, w, "vocab_size", CLG_JOB_VOCAB);
    number(r, w, "max_position_embeddings", CLG_JOB_SEQ);
    number(r, w, "num_experts", CLG_JOB_EXPERTS);
    if (clg_job_get(r, CLG_JOB_EXPERTS) > 0) {
        number(r, w, "num_experts_per_tok", CLG_JOB_EXPERTS_PER_TOKEN);
        number(r, w, "moe_intermediate_size", CLG_JOB_EXPERT_FFN);
        number(r, w, "shared_expert_intermediate_size", CLG_JOB_SHARED_FFN);
        number(r, w, "first_k_dense_replace", CLG_JOB_DENSE_LAYERS);
        number(r, w, "n_group", CLG_JOB_EXPERT_GROUPS);
        number(r, w, "topk_group", CLG_JOB_EXPERT_GROUPS_MET);
        flag(r, w, "shared_gate", CLG_JOB_SHARED_GATE);
    }
    number(r, w, "q_lora_rank", CLG_JOB_QUERY_RANK);
    number(r, w, "kv_lora_rank", CLG_JOB_KV_RANK);
    number(r, w, "qk_rope_head_dim", CLG_JOB_ROPE_DIM);
    number(r, w, "qk_nope_head_dim", CLG_JOB_NOPE_DIM);
    number(r, w, "v_head_dim", CLG_JOB_VALUE_DIM);
    number(r, w, "num_nextn_predict_layers", CLG_JOB_PREDICTION_LAYERS);
    flag(r, w, "router_bias", CLG_JOB_ROUTER_BIAS);
    flag(r, w, "gated_mlp", CLG_JOB_GATED);
    flag(r, w, "layer_norm", CLG_JOB_LAYER_NORM);
    flag(r, w, "learned_positions", CLG_JOB_POSITIONS);
    flag(r, w, "linear_bias", CLG_JOB_BIASES);
    if (clg_job_value_or(r, CLG_JOB_ROTARY, 1) == 0)
        clg_json_add_string(w, "position_embedding_type", "nope");
    flag(r, w, "query_key_value_bias", CLG_JOB_QKV_BIAS);
    flag(r, w, "use_qk_norm", CLG_JOB_HEAD_NORMS);
    flag(r, w, "tie_word_embeddings", CLG_JOB_TIED);
    clg_json_close(w, '}');
    clg_model model;
    clg_error none = {0};
    if (clg_model_read(r->arena, "sizes", text.data, text.size, &model, &none) == CLG_OK)
        r->job->config = text.data;
    else
        clg_job_note_down(r->arena, &r->job->doubts, "model", NULL,
                          clg_arena_print(r->arena, "its sizes make no model: %s", none.message),
                          -1);
}

static void follow_sizes(clg_reading *r) {
    if (clg_job_get(r, CLG_JOB_HEADS) > 0)
        clg_job_put(r, CLG_JOB_KV_HEADS, clg_job_get(r, CLG_JOB_HEADS), NULL,
                    "every head has keys and values of its own");
}

void clg_job_model(clg_reading *r) {
    const clg_job_value *name = &r->job->field[CLG_JOB_MODEL];
    bool sized = r->job->field[CLG_JOB_LAYERS].from && r->job->field[CLG_JOB_HIDDEN].from;
    if (!sized && by_config(r)) return;
    const char *word = name->text;
    if (!sized && !word && clg_job_has_field(r, CLG_JOB_FAMILY)) {
        const clg_job_value *size = &r->job->field[CLG_JOB_SIZE];
        word = clg_arena_print(r->arena, "%s-%s", r->job->field[CLG_JOB_FAMILY].text,
                               size->text ? size->text : "");
        clg_job_put_word(r, CLG_JOB_MODEL, word,
                         size->from ? size->from : r->job->field[CLG_JOB_FAMILY].from, NULL);
    }
    const char *preset = !sized && word ? clg_job_preset_in(r->arena, word) : NULL;
    if (preset)
        take_preset(r, preset);
    else {
        follow_sizes(r);
        by_sizes(r);
    }
}
