/* stack.c -- reads data/stack/<name>.json. */
#include "stack/stack.h"

#include "stack/names.h"

#include "dataset/dataset.h"
#include "dataset/value.h"

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
                                       {NULL, 0, NULL}};

static const char *const LATEST = "9999-12"; /* every release there is */
static const char *const DEFAULT_FILE = "stack/unknown.json";

/* A number or a switch of the file and where it goes. */
typedef struct field {
    const char *key;
    clg_dimension dimension;
    size_t offset;
    bool flag;
} field;

#define NUMBER(key, dimension)                                                                     \
    { #key, dimension, offsetof(clg_stack, key), false }
#define SWITCH(key)                                                                                \
    { #key, CLG_COUNT, offsetof(clg_stack, key), true }

static const field fields[] = {NUMBER(host_launch_s, CLG_SECONDS),
                               NUMBER(host_step_s, CLG_SECONDS),
                               NUMBER(host_micro_batch_s, CLG_SECONDS),
                               NUMBER(host_experts_s, CLG_SECONDS),
                               NUMBER(host_cast_s, CLG_SECONDS),
                               NUMBER(host_expert_s, CLG_SECONDS),
                               NUMBER(host_copy_s, CLG_SECONDS),
                               NUMBER(pipeline_launches, CLG_COUNT),
                               SWITCH(fused_norm),
                               SWITCH(fused_activation),
                               SWITCH(fused_clamp),
                               SWITCH(fused_residual),
                               SWITCH(fused_rotary),
                               SWITCH(fused_softmax),
                               SWITCH(fused_cross_entropy),
                               SWITCH(fused_norm_beside_flash2),
                               SWITCH(fused_accumulation),
                               SWITCH(gathered_loss),
                               SWITCH(selective_by_operation),
                               SWITCH(selective_by_product),
                               SWITCH(recompute_stops_early),
                               SWITCH(dropout),
                               SWITCH(fused_optimizer),
                               SWITCH(current_scaling),
                               SWITCH(grouped_experts),
                               SWITCH(fused_experts),
                               SWITCH(recompute_activation),
                               SWITCH(recompute_latent),
                               SWITCH(recompute_experts),
                               SWITCH(narrow_activations),
                               NUMBER(kernel_slowdown, CLG_COUNT),
                               SWITCH(expert_dedup),
                               SWITCH(experts_in_rows),
                               SWITCH(stages_by_cost),
                               SWITCH(reduces_whole),
                               SWITCH(sums_whole),
                               SWITCH(broadcast_weights),
                               NUMBER(bucket_parameters, CLG_COUNT),
                               NUMBER(bucket_parameters_per_rank, CLG_COUNT),
                               NUMBER(gradient_overlap, CLG_FRACTION),
                               NUMBER(parameter_overlap, CLG_FRACTION),
                               NUMBER(tensor_overlap, CLG_FRACTION),
                               NUMBER(tensor_backward_overlap, CLG_FRACTION),
                               NUMBER(expert_overlap, CLG_FRACTION),
                               NUMBER(context_overlap, CLG_FRACTION),
                               SWITCH(narrow_gathers),
                               SWITCH(context_merged),
                               SWITCH(scatter_gather),
                               SWITCH(send_overlap),
                               NUMBER(overlap_slowdown, CLG_COUNT),
                               NUMBER(traffic_slowdown, CLG_COUNT),
                               NUMBER(jitter, CLG_COUNT),
                               NUMBER(shard_jitter, CLG_COUNT),
                               NUMBER(sigma, CLG_COUNT),
                               NUMBER(sigma_nodes, CLG_COUNT),
                               NUMBER(sigma_step_s, CLG_SECONDS),
                               NUMBER(sigma_experts, CLG_COUNT),
                               NUMBER(sigma_traffic, CLG_COUNT),
                               NUMBER(sigma_borrowed, CLG_COUNT),
                               NUMBER(sigma_memory, CLG_COUNT),
                               NUMBER(validated_gpus, CLG_COUNT),
                               NUMBER(context_bytes, CLG_BYTES),
                               NUMBER(workspace_bytes, CLG_BYTES),
                               NUMBER(reserve_share, CLG_FRACTION),
                               NUMBER(loss_kept_bytes, CLG_BYTES),
                               NUMBER(loss_peak_bytes, CLG_BYTES),
                               NUMBER(loss_shard_peak_bytes, CLG_BYTES),
                               SWITCH(kept_projection),
                               SWITCH(kept_outputs),
                               NUMBER(kept_gathers, CLG_FRACTION),
                               SWITCH(sharded_masters),
                               SWITCH(whole_embedding),
                               SWITCH(resharded_root),
                               SWITCH(fp16_gradients),
                               SWITCH(narrow_reductions),
                               SWITCH(flat_update),
                               SWITCH(gradient_copy),
                               SWITCH(gradient_buckets),
                               SWITCH(scatters_each_backward),
                               SWITCH(scatters_in_pipelines),
                               SWITCH(master_weights),
                               SWITCH(master_remainders),
                               SWITCH(sequence_parallel),
                               SWITCH(expert_tensor)};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static bool known_key(const char *key) {
    static const char *const words[] = {
        "name",       "title",   "date",       "gradient", "attention", "source", "notes",
        "schedules",  "base",    "from",       "releases", "moments",   "prints", "family",
        "fabric",     "recipes", "models",     "gpus",     "until",     "as",     "shardings",
        "recomputes", "assumes", "current_on", "vendors"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i], key) == 0) return true;
    for (int i = 0; i < FIELDS; i++)
        if (strcmp(fields[i].key, key) == 0) return true;
    return false;
}

static clg_status refuse_unknown_keys(const clg_json *root, const char *file, clg_error *error) {
    const char *names[FIELDS];
    for (int i = 0; i < FIELDS; i++) names[i] = fields[i].key;
    for (const clg_json *c = root->first; c; c = c->next) {
        if (known_key(c->key)) continue;
        const char *nearest = clg_name_nearest(names, FIELDS, c->key);
        clg_error_at(error, file, c->line, c->column, c->key);
        char mend[160];
        snprintf(mend, sizeof mend, "%s%s%s", nearest ? "did you mean " : "remove it",
                 nearest ? nearest : "", nearest ? "?" : "");
        return clg_fail(error, CLG_BAD_INPUT, mend, "not a term of a software stack");
    }
    return CLG_OK;
}

static clg_status read_fields(const clg_json *root, const char *file, bool required,
                              clg_stack *stack, clg_error *error) {
    for (int i = 0; i < FIELDS; i++) {
        char *into = (char *)stack + fields[i].offset;
        clg_status status =
            fields[i].flag
                ? clg_value_flag(root, fields[i].key, required, file, (bool *)(void *)into, error)
                : clg_value_read(root, fields[i].key, fields[i].dimension, required, file,
                                 (double *)(void *)into, error);
        if (status != CLG_OK) return status;
    }
    return CLG_OK;
}

static clg_status read_words(const clg_json *root, const char *file, clg_stack *stack,
                             clg_error *error) {
    const char *gradient = clg_name_of(clg_precision_names, (int)stack->gradient);
    const char *moments = NULL, *prints = clg_name_of(clg_memory_names, (int)stack->prints);
    int precision, kind;
    if (clg_json_string(root, "name", stack->name, &stack->name, file, error) != CLG_OK ||
        clg_json_string(root, "title", stack->title, &stack->title, file, error) != CLG_OK ||
        clg_json_string(root, "date", stack->date, &stack->date, file, error) != CLG_OK ||
        clg_json_string(root, "attention", stack->attention, &stack->attention, file, error) !=
            CLG_OK ||
        clg_json_string(root, "family", stack->family, &stack->family, file, error) != CLG_OK ||
        clg_json_string(root, "fabric", stack->fabric, &stack->fabric, file, error) != CLG_OK ||
        clg_json_string(root, "assumes", stack->assumes, &stack->assumes, file, error) != CLG_OK ||
        clg_json_string(root, "moments", NULL, &moments, file, error) != CLG_OK ||
        clg_json_string(root, "prints", prints, &prints, file, error) != CLG_OK ||
        clg_name_value(clg_memory_names, "kind of memory", prints, &kind, error) != CLG_OK ||
        clg_json_string(root, "gradient", gradient, &gradient, file, error) != CLG_OK ||
        clg_name_value(clg_precision_names, "gradient precision", gradient, &precision, error) !=
            CLG_OK)
        return CLG_BAD_INPUT;
    const clg_json *vendors = clg_json_member(root, "vendors");
    if (vendors) stack->vendors = vendors;
    stack->gradient = (clg_precision)precision;
    stack->prints = (clg_memory_kind)kind;
    if (!moments) return CLG_OK;
    if (clg_name_value(clg_precision_names, "precision of moments", moments, &precision, error) !=
        CLG_OK)
        return CLG_BAD_INPUT;
    stack->moments = (clg_precision)precision;
    return CLG_OK;
}

bool clg_stack_on_reference(const clg_stack *stack) {
    return stack->fabric && strcmp(stack->fabric, "reference") == 0;
}

/* A network or a stack that is not built in would only show when a table of runs is read. */
static clg_status known_file(const clg_json *root, const char *file, const char *key,
                             const char *folder, clg_error *error) {
    char path[96], mend[64];
    const clg_json *node = clg_json_member(root, key);
    if (!node) return CLG_OK;
    const char *name = node->kind == CLG_JSON_STRING ? node->text : "";
    if (strcmp(key, "fabric") == 0 && strcmp(name, "reference") == 0) return CLG_OK;
    snprintf(path, sizeof path, "%s/%.60s.json", folder, name);
    if (clg_dataset_find(path)) return CLG_OK;
    clg_error_at(error, file, node->line, node->column, key);
    snprintf(mend, sizeof mend, "'ceiling show %ss' lists them", folder);
    return clg_fail(error, CLG_BAD_INPUT, mend, "unknown %s '%.60s'", folder, name);
}

/* ["1f1b", "interleaved"]: what the stack can run; the default states every set. */
static clg_status read_set(const clg_json *root, const char *file, const char *key,
                           const clg_name *names, bool required, unsigned *set, clg_error *error) {
    const clg_json *list = clg_json_member(root, key);
    if (!list && !required) return CLG_OK;
    if (!list || list->kind != CLG_JSON_ARRAY) {
        clg_error_at(error, file, list ? list->line : 0, list ? list->column : 0, key);
        return clg_fail(error, CLG_BAD_INPUT, "write a list, like [\"tp\"]", "no list of names");
    }
    *set = 0;
    for (const clg_json *word = list->first; word; word = word->next) {
        int kind;
        bool named = word->kind == CLG_JSON_STRING;
        if (named && clg_name_value(names, key, word->text, &kind, error) == CLG_OK) {
            *set |= 1u << kind;
            continue;
        }
        clg_error_at(error, file, word->line, word->column, key);
        return named ? CLG_BAD_INPUT
                     : clg_fail(error, CLG_BAD_INPUT, "write names in quotes", "no name");
    }
    return CLG_OK;
}

static clg_status read_sets(const clg_json *root, const char *file, bool required, clg_stack *stack,
                            clg_error *error) {
    if (read_set(root, file, "schedules", clg_schedule_names, required, &stack->schedules, error) !=
            CLG_OK ||
        read_set(root, file, "shardings", clg_sharding_names, required, &stack->shardings, error) !=
            CLG_OK)
        return CLG_BAD_INPUT;
    return read_set(root, file, "recomputes", clg_recompute_names, required, &stack->recomputes,
                    error);
}

/* A file states what differs from its base; the default states everything. */
static clg_status read_onto(const clg_json *root, const char *file, bool complete, clg_stack *stack,
                            clg_error *error) {
    if (refuse_unknown_keys(root, file, error) != CLG_OK ||
        read_fields(root, file, complete, stack, error) != CLG_OK ||
        read_words(root, file, stack, error) != CLG_OK ||
        known_file(root, file, "fabric", "fabric", error) != CLG_OK ||
        known_file(root, file, "as", "stack", error) != CLG_OK ||
        read_sets(root, file, complete, stack, error) != CLG_OK)
        return CLG_BAD_INPUT;
    stack->data = root;
    stack->file = file;
    return CLG_OK;
}

/* Whether a list has the name, or what comes before a hyphen in it: "gpt-oss" has gpt-oss-120b. */
static bool lists(const clg_json *list, const char *name) {
    for (const clg_json *word = list->first; word; word = word->next) {
        size_t size = word->kind == CLG_JSON_STRING ? strlen(word->text) : 0;
        if (size > 0 && strncmp(word->text, name, size) == 0 && (!name[size] || name[size] == '-'))
            return true;
    }
    return false;
}

/* A recipe's terms over the stack; it keeps its own name, date and file. */
static clg_status read_recipe(const clg_json *recipe, const char *file, clg_stack *stack,
                              clg_error *error) {
    const clg_stack before = *stack;
    if (read_onto(recipe, file, false, stack, error) != CLG_OK) return CLG_BAD_INPUT;
    stack->name = before.name;
    stack->title = before.title;
    stack->date = before.date;
    stack->data = before.data;
    stack->file = before.file;
    if (clg_json_member(recipe, "attention")) stack->attention_final = true;
    return CLG_OK;
}

/* Recipes are laid over later, when model and GPU are known; faults in them show at once. */
static clg_status read_recipes(const clg_json *root, const char *file, clg_stack *stack,
                               clg_error *error) {
    const clg_json *list = clg_json_member(root, "recipes");
    if (!list) return CLG_OK;
    for (const clg_json *recipe = list->first; recipe; recipe = recipe->next) {
        clg_stack scratch = *stack;
        const clg_json *models = clg_json_member(recipe, "models");
        if (!models || models->kind != CLG_JSON_ARRAY || !models->first) {
            clg_error_at(error, file, recipe->line, recipe->column, "recipes");
            return clg_fail(error, CLG_BAD_INPUT, "add \"models\": [\"gpt-oss\"]",
                            "a recipe without its models");
        }
        if (read_recipe(recipe, file, &scratch, error) != CLG_OK) return CLG_BAD_INPUT;
    }
    stack->recipes = list;
    stack->recipes_file = file;
    stack->recipes_month = stack->date;
    return CLG_OK;
}

/* From its first month to its last, where it names them; without a month: all. */
static bool is_of_month(const clg_json *recipe, const char *month) {
    const clg_json *from = clg_json_member(recipe, "from"),
                   *until = clg_json_member(recipe, "until");
    if (!month) return true;
    if (from && from->text && strncmp(from->text, month, 7) > 0) return false;
    return !until || !until->text || strncmp(until->text, month, 7) >= 0;
}

clg_status clg_stack_recipe(clg_arena *arena, clg_stack *stack, const char *model, const char *gpu,
                            clg_error *error) {
    const clg_json *list = model && gpu ? stack->recipes : NULL;
    for (const clg_json *recipe = list ? list->first : NULL; recipe; recipe = recipe->next) {
        const char *as = NULL;
        const clg_json *gpus = clg_json_member(recipe, "gpus");
        if (!is_of_month(recipe, stack->recipes_month) ||
            !lists(clg_json_member(recipe, "models"), model) || (gpus && !lists(gpus, gpu)))
            continue;
        if (read_recipe(recipe, stack->recipes_file, stack, error) != CLG_OK ||
            clg_json_string(recipe, "as", NULL, &as, stack->recipes_file, error) != CLG_OK)
            return CLG_BAD_INPUT;
        if (as) return clg_stack_find(arena, as, stack, error);
    }
    return CLG_OK;
}

/* What changed in the releases up to `month` ("2026-04"; NULL: the file's own date), oldest first.
 * Months compare as words. */
static clg_status read_releases(const clg_json *root, const char *file, const char *month,
                                clg_stack *stack, clg_error *error) {
    const clg_json *list = clg_json_member(root, "releases");
    const char *name = stack->name, *date = stack->date, *until = month ? month : stack->date;
    for (const clg_json *release = list ? list->first : NULL; release; release = release->next) {
        const char *from = NULL;
        if (clg_json_string(release, "from", NULL, &from, file, error) != CLG_OK)
            return CLG_BAD_INPUT;
        if (!from) {
            clg_error_at(error, file, release->line, release->column, "releases");
            return clg_fail(error, CLG_BAD_INPUT, "add \"from\": \"YYYY-MM\"",
                            "a release without its month");
        }
        if (strncmp(from, until ? until : "", 7) > 0) continue;
        if (read_onto(release, file, false, stack, error) != CLG_OK) return CLG_BAD_INPUT;
    }
    stack->name = name;
    stack->date = month ? month : date;
    stack->data = root;
    return read_recipes(root, file, stack, error);
}

static clg_status read_default(clg_arena *arena, const char *month, clg_stack *stack,
                               clg_error *error) {
    const clg_file *file = clg_dataset_find(DEFAULT_FILE);
    clg_stack read = {
        .gradient = CLG_FP32, .moments = CLG_PRECISIONS, .prints = CLG_MEMORY_RESERVED};
    clg_json *root;
    if (!file) return clg_fail(error, CLG_BAD_INPUT, NULL, "%s is not built in", DEFAULT_FILE);
    if (clg_json_parse(arena, file->path, file->text, file->size, &root, error) != CLG_OK ||
        read_onto(root, file->path, true, &read, error) != CLG_OK ||
        read_releases(root, file->path, month, &read, error) != CLG_OK)
        return CLG_BAD_INPUT;
    *stack = read;
    return CLG_OK;
}

/* What a file leaves out is as in its "base", a built-in stack, or as in the default, both as of
 * their own dates: their later releases are not this stack's. */
static clg_status read_base(clg_arena *arena, const clg_json *root, const char *file,
                            clg_stack *stack, clg_error *error) {
    const char *base = NULL;
    if (clg_json_string(root, "base", NULL, &base, file, error) != CLG_OK) return CLG_BAD_INPUT;
    if (!base) {
        clg_status read = read_default(arena, NULL, stack, error);
        stack->recipes = NULL; /* whose runs those are that name no software */
        return read;
    }
    const clg_json *node = clg_json_member(root, "base");
    clg_status status = clg_stack_find(arena, base, stack, error);
    if (status != CLG_OK) clg_error_at(error, file, node->line, node->column, "base");
    return status;
}

static clg_status read_file(clg_arena *arena, const char *file, const char *text, size_t size,
                            const char *month, clg_stack *stack, clg_error *error) {
    clg_stack read;
    clg_json *root;
    if (clg_json_parse(arena, file, text, size, &root, error) != CLG_OK) return CLG_BAD_INPUT;
    if (root->kind != CLG_JSON_OBJECT) {
        clg_error_at(error, file, root->line, root->column, NULL);
        return clg_fail(error, CLG_BAD_INPUT, "write {...}", "a stack is an object");
    }
    if (read_base(arena, root, file, &read, error) != CLG_OK ||
        read_onto(root, file, false, &read, error) != CLG_OK ||
        read_releases(root, file, month, &read, error) != CLG_OK)
        return CLG_BAD_INPUT;
    read.known = true;
    *stack = read;
    return CLG_OK;
}

clg_status clg_stack_read(clg_arena *arena, const char *file, const char *text, size_t size,
                          clg_stack *stack, clg_error *error) {
    return read_file(arena, file, text, size, NULL, stack, error);
}

/* "2026-04" */
static bool is_month(const char *word) {
    for (int i = 0; i < 7; i++)
        if (i == 4 ? word[i] != '-' : word[i] < '0' || word[i] > '9') return false;
    return word[7] == 0;
}

/* Factors that only make longer. */
static bool slows(const char *key) {
    return strcmp(key, "kernel_slowdown") == 0 || strcmp(key, "overlap_slowdown") == 0 ||
           strcmp(key, "traffic_slowdown") == 0;
}

static clg_status set_flag(bool *into, const char *name, const char *value, clg_error *error) {
    bool on = strcmp(value, "true") == 0;
    if (!on && strcmp(value, "false") != 0)
        return clg_fail(error, CLG_BAD_INPUT, "write true or false", "'%.32s' is no value of %s",
                        value, name);
    *into = on;
    return CLG_OK;
}

clg_status clg_stack_set(clg_stack *stack, const char *name, const char *value, clg_error *error) {
    const char *names[FIELDS], *near[CLG_NAMES_NEAR];
    for (int i = 0; i < FIELDS; i++) {
        names[i] = fields[i].key;
        if (strcmp(name, fields[i].key) != 0) continue;
        void *into = (char *)stack + fields[i].offset;
        if (fields[i].flag) return set_flag(into, name, value, error);
        double number;
        if (clg_quantity(value, fields[i].dimension, &number, error) != CLG_OK)
            return CLG_BAD_INPUT;
        bool fraction = fields[i].dimension == CLG_FRACTION, one = slows(fields[i].key);
        if (number >= one && number <= (fraction ? 1 : 1e12)) {
            memcpy(into, &number, sizeof number);
            return CLG_OK;
        }
        return clg_fail(error, CLG_BAD_INPUT,
                        fraction ? "give 0 to 1"
                        : one    ? "give 1 or more"
                                 : "give 0 or more",
                        "%s of '%.32s' is out of range", name, value);
    }
    char ask[320];
    int found = clg_name_near(names, FIELDS, name, near, 4);
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
    for (int i = 0; i < FIELDS; i++)
        if (!fields[i].flag && strcmp(fields[i].key, name) == 0)
            return (double *)(void *)((char *)stack + fields[i].offset);
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
                  {l->tp > 1, CLG_SHARD_TP},
                  {l->cp > 1, CLG_SHARD_CP + (int)l->cp_kind},
                  {l->ep > 1, CLG_SHARD_EP},
                  {l->etp > 1, CLG_SHARD_ETP}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (wanted[i].wanted && !clg_stack_has(stack->shardings, wanted[i].sharding))
            return clg_name_of(clg_sharding_names, wanted[i].sharding);
    if (l->pp > 1 && !clg_stack_has(stack->schedules, (int)l->schedule))
        return clg_name_of(clg_schedule_names, (int)l->schedule);
    return clg_stack_has(stack->recomputes, (int)l->recompute)
               ? NULL
               : clg_name_of(clg_recompute_names, (int)l->recompute);
}

/* The last month in which anything of a file changed. */
static const char *newest(const clg_json *root) {
    static const char *const lists[] = {"releases", "recipes"};
    const clg_json *date = clg_json_member(root, "date");
    const char *last = date && date->text ? date->text : "";
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const clg_json *list = clg_json_member(root, lists[i]);
        for (const clg_json *one = list ? list->first : NULL; one; one = one->next) {
            const clg_json *from = clg_json_member(one, "from");
            if (from && from->text && strcmp(from->text, last) > 0) last = from->text;
        }
    }
    return last;
}

static bool names_vendor(const clg_json *list, const char *vendor) {
    for (const clg_json *word = list ? list->first : NULL; word; word = word->next)
        if (vendor && word->text && strcmp(word->text, vendor) == 0) return true;
    return false;
}

bool clg_stack_runs_on(const clg_stack *stack, const char *vendor) {
    return !stack->vendors || !vendor || names_vendor(stack->vendors, vendor);
}

clg_status clg_stack_current(clg_arena *arena, const char *vendor, clg_stack *stack,
                             clg_error *error) {
    int count;
    const clg_file *files = clg_dataset_folder("stack/", &count);
    for (int i = 0; i < count; i++) {
        clg_json *root;
        const clg_file *file = &files[i];
        if (clg_json_parse(arena, file->path, file->text, file->size, &root, error) != CLG_OK)
            return CLG_BAD_INPUT;
        if (!names_vendor(clg_json_member(root, "current_on"), vendor)) continue;
        clg_status status =
            read_file(arena, file->path, file->text, file->size, newest(root), stack, error);
        stack->chosen = "none was named, the current one here";
        return status;
    }
    clg_status status = read_default(arena, LATEST, stack, error);
    stack->chosen = "none was named, none is known for these GPUs";
    return status;
}

clg_status clg_stack_find(clg_arena *arena, const char *name, clg_stack *stack, clg_error *error) {
    int count;
    const char *month = strchr(name, '@');
    if (month) {
        name = clg_arena_copy(arena, name, (size_t)(month - name));
        if (!is_month(++month))
            return clg_fail(error, CLG_BAD_INPUT, "write the month as megatron-2026@2026-04",
                            "'%.16s' is no month", month);
        month = clg_arena_copy(arena, month, 7);
    }
    const clg_file *files = clg_dataset_folder("stack/", &count);
    const char *path = clg_arena_print(arena, "stack/%s.json", name);
    const clg_file *file = clg_dataset_find(path);
    if (file && strcmp(path, DEFAULT_FILE) != 0)
        return read_file(arena, file->path, file->text, file->size, month, stack, error);
    if (strcmp(path, DEFAULT_FILE) == 0) return read_default(arena, month, stack, error);
    const char *other = clg_stack_named(arena, name, month);
    if (other)
        return clg_stack_find(arena, month ? clg_arena_print(arena, "%s@%s", other, month) : other,
                              stack, error);
    const char **names = clg_take(arena, (size_t)count, const char *);
    for (int i = 0; i < count; i++)
        names[i] = clg_arena_copy(arena, files[i].path + 6, strlen(files[i].path) - 11);
    const char *near[CLG_NAMES_NEAR];
    char ask[240];
    int found = clg_name_near(names, count, name, near, CLG_NAMES_NEAR);
    clg_name_ask(near, found, "", ask, sizeof ask);
    return clg_fail(error, CLG_BAD_INPUT,
                    found > 0 ? clg_arena_print(arena, "%s 'unknown' takes the default", ask)
                              : "'unknown' takes the default; 'ceiling show stacks' lists them",
                    "unknown stack '%.64s'", name);
}

clg_status clg_stack_trainer(clg_arena *arena, const char *model, const char *gpu, clg_stack *stack,
                             clg_error *error) {
    clg_status status = read_default(arena, LATEST, stack, error);
    if (status == CLG_OK) status = clg_stack_recipe(arena, stack, model, gpu, error);
    stack->chosen = "none was named, its trainer has what is asked";
    return status;
}
