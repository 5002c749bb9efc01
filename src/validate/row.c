/* row.c -- reads the plan columns of one measured run. */
#include "validate/row.h"

#include "base/name.h"
#include "base/word_list.h"
#include "model/preset.h"
#include "schedule/schedule.h"
#include "stack/names.h"
#include "validate/degrees.h"
#include "validate/notes.h"
#include "validate/words.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *clg_row_word(const clg_csv *csv, int row, const char *column) {
    const char *word = clg_csv_field(csv, row, column);
    return word ? word : "";
}

double clg_row_number(const clg_csv *csv, int row, const char *column, double otherwise) {
    const char *word = clg_row_word(csv, row, column);
    char *end;
    if (!*word) return otherwise;
    double number = strtod(word, &end);
    end += strspn(end, " ");
    return *end || !isfinite(number) || fabs(number) > 1e15 ? (double)NAN : number;
}

int clg_row_integer(const clg_csv *csv, int row, const char *column, int otherwise) {
    double number = clg_row_number(csv, row, column, otherwise);
    return number <= 2e9 && number >= -2e9 ? (int)number : otherwise;
}

/* The first plan column that should hold a number and holds something else, as a sentence. */
static const char *no_number(clg_arena *arena, const clg_csv *csv, int row) {
    static const char columns[] =
        "gated tied layers hidden ffn heads kv_heads head_dim vocab experts experts_per_token "
        "shared_experts expert_ffn dense_layers seq gpus gpus_per_node inter_gbit_per_s_per_gpu dp "
        "zero shard_group tp sp cp ep etp pp vpp micro_batch global_batch adapter_rank";
    const char *left = columns;
    for (const char *column; (column = clg_list_next(arena, &left, ' ')) != NULL;)
        if (isnan(clg_row_number(csv, row, column, 0)))
            return clg_arena_print(arena, "%s: '%.32s' is no number", column,
                                   clg_row_word(csv, row, column));
    return NULL;
}

static int experts_of(const clg_model *model) {
    const clg_mlp *mlp = clg_model_experts(model);
    return mlp ? mlp->experts : 0;
}

static bool has_shape(const clg_model *m, const clg_model_shape *s) {
    return m->hidden == s->hidden && m->kind[0].attention.heads == s->heads &&
           experts_of(m) == s->experts && s->layers <= m->layers && s->layers >= 1;
}

/* The built-in mixture of this shape, where a table leaves the name blank. */
static bool find_shape(clg_arena *arena, const clg_model_shape *s, clg_model *m) {
    int count;
    const char *const *names = clg_model_names(arena, &count);
    for (int i = 0; i < count; i++) {
        clg_error error = {0};
        if (clg_model_find(arena, names[i], m, &error) == CLG_OK && has_shape(m, s) &&
            m->vocab == s->vocab)
            return true;
    }
    return false;
}

/* A mixture that is a known model knows more of itself than a table's columns: latent heads,
 * windows, prediction modules. Cut to fewer layers it keeps its kinds of layers. */
static bool known_model(clg_arena *arena, const clg_model_shape *s, bool named, clg_model *model) {
    clg_error error = {0};
    clg_model m;
    if (s->experts < 2) return false;
    if (!named && !find_shape(arena, s, &m)) return false;
    if (named && clg_model_find(arena, s->name, &m, &error) != CLG_OK) return false;
    if (!has_shape(&m, s)) return false;
    if (s->layers < m.layers) {
        uint8_t *kinds = clg_take(arena, (size_t)s->layers, uint8_t);
        int skipped = 0; /* dense layers that were cut */
        for (int i = 0; i < m.layers; i++)
            skipped += m.kind[m.layer_kind[i]].mlp.kind == CLG_MLP_DENSE;
        skipped -= s->dense_layers;
        if (skipped < 0 || skipped > m.layers - s->layers) skipped = 0;
        for (int i = 0; i < s->layers; i++) kinds[i] = m.layer_kind[i + skipped];
        m.layer_kind = kinds;
        m.layers = s->layers;
        m.prediction_layers = 0;
        clg_model_count(&m);
    }
    *model = m;
    return true;
}

static const char *read_model(clg_arena *arena, const clg_csv *csv, int row, clg_model *model) {
    clg_error error = {0};
    const char *name = clg_row_word(csv, row, "model");
    if (*name && !*clg_row_word(csv, row, "layers")) { /* by name alone: a built-in model */
        const char *preset = clg_model_named(arena, name);
        return clg_model_find(arena, preset ? preset : name, model, &error) == CLG_OK
                   ? NULL
                   : clg_error_words(arena, &error);
    }
    clg_model_shape s = {.name = *name ? name : clg_row_word(csv, row, "id")};
    s.layers = clg_row_integer(csv, row, "layers", 0);
    s.heads = clg_row_integer(csv, row, "heads", 0);
    s.kv_heads = clg_row_integer(csv, row, "kv_heads", 0);
    s.head_dim = clg_row_integer(csv, row, "head_dim", 0);
    s.hidden = clg_row_integer(csv, row, "hidden", 0);
    s.ffn = clg_row_integer(csv, row, "ffn", 0);
    s.vocab = clg_row_integer(csv, row, "vocab", 0);
    s.gated = clg_row_integer(csv, row, "gated", 0) != 0;
    s.tied = clg_row_integer(csv, row, "tied", 0) != 0;
    s.experts = clg_row_integer(csv, row, "experts", 0);
    s.experts_per_token = clg_row_integer(csv, row, "experts_per_token", 0);
    s.shared_experts = clg_row_integer(csv, row, "shared_experts", 0);
    s.dense_layers = clg_row_integer(csv, row, "dense_layers", 0);
    s.expert_ffn = clg_row_integer(csv, row, "expert_ffn", 0);
    if (known_model(arena, &s, *name != 0, model)) return NULL;
    if (clg_model_from_shape(arena, &s, model, &error) != CLG_OK)
        return clg_error_words(arena, &error);
    return NULL;
}

/* "roce-*": a technology without its rate. Ports are as fast as the box's cards, or those of 200
 * Gbit/s where no fabric is that fast. */
static const char *at_card_rate(clg_arena *arena, const char *said, const clg_node *node) {
    size_t stem = said ? strcspn(said, "*") : 0;
    if (!said || !said[stem]) return said;
    clg_fabric fabric;
    clg_error none = {0};
    const char *name =
        clg_arena_print(arena, "%.*s%.0f", (int)stem, said, node->nic_bytes_per_s * 8e-9);
    if (clg_fabric_find(arena, name, &fabric, &none) == CLG_OK) return name;
    return clg_arena_print(arena, "%.*s200", (int)stem, said);
}

/* A table that does not say its network is of the one its stack's published runs had, else of that
 * of the GPU's reference box; in a box of another size a GPU has the share it has there. */
static const char *read_machine(clg_arena *arena, const clg_csv *csv, int row,
                                const clg_stack *stack, clg_machine *machine) {
    clg_error error = {0};
    if (clg_gpu_find(arena, clg_notes_gpu(arena, csv, row), &machine->gpu, &error) != CLG_OK ||
        clg_node_default(arena, &machine->gpu, &machine->node, &error) != CLG_OK)
        return clg_error_words(arena, &error);
    int box = clg_row_integer(csv, row, "gpus_per_node", 0);
    bool smaller = box > 0 && box < machine->node.gpus;
    if (smaller && clg_node_of_size(arena, &machine->gpu, box, &machine->node, &error) != CLG_OK)
        return clg_error_words(arena, &error);
    bool silent = !*clg_row_word(csv, row, "inter_gbit_per_s_per_gpu");
    bool named = silent && stack->fabric && !clg_stack_on_reference(stack);
    const char *said = at_card_rate(arena, clg_notes_fabric(arena, csv, row), &machine->node);
    const char *fabric = said ? said : named ? stack->fabric : machine->node.fabric;
    if (clg_fabric_find(arena, fabric, &machine->fabric, &error) != CLG_OK)
        return clg_error_words(arena, &error);
    double rate = clg_row_number(csv, row, "inter_gbit_per_s_per_gpu", 0) * 1e9 / 8;
    machine->fabric.gpu_bytes_per_s = rate > 0 ? rate : clg_machine_line_bytes_per_s(machine);
    clg_node_resize(&machine->node, box);
    machine->gpus = clg_row_integer(csv, row, "gpus", 0);
    return machine->gpus > 0 ? NULL : "gpus is missing";
}

bool clg_row_network_open(clg_arena *arena, const clg_csv *csv, int row,
                          const clg_scenario *scenario) {
    const clg_machine *m = &scenario->machine;
    return m->gpus > m->node.domain && !scenario->stack.fabric &&
           !*clg_row_word(csv, row, "inter_gbit_per_s_per_gpu") &&
           !clg_notes_fabric(arena, csv, row);
}

/* Recipes go by the names of data/, not by how a row spells them. */
static clg_status take_recipe(clg_arena *arena, const clg_csv *csv, int row, clg_stack *stack,
                              clg_error *error) {
    clg_gpu gpu;
    clg_error none = {0};
    const char *model = clg_row_word(csv, row, "model"), *preset = clg_model_named(arena, model);
    const char *board = clg_notes_gpu(arena, csv, row);
    if (clg_gpu_find(arena, board, &gpu, &none) == CLG_OK) board = gpu.name;
    return clg_stack_recipe(arena, stack, preset ? preset : model, board, error);
}

/* "transformers" as "transformers-fsdp", where the row says who shards; such a stack need not be.
 */
static const char *sharded(clg_arena *arena, const clg_csv *csv, int row, const char *stack,
                           const char *dated) {
    const char *by = clg_notes_sharder(arena, csv, row);
    int name = (int)strcspn(stack, "@");
    const char *month = stack[name] ? stack + name : dated;
    return *by ? clg_arena_print(arena, "%.*s-%s%s", name, stack, by, month) : "";
}

/* The stack of a row; names beyond the built-in ones take the default and its wider interval. Why
 * there is none, or NULL. */
static const char *stack_of_row(clg_arena *arena, const clg_csv *csv, int row, clg_stack *stack) {
    clg_error error = {0};
    const char *name = clg_notes_stack(arena, csv, row), *month = clg_row_word(csv, row, "date");
    const char *dated = strlen(month) >= 7 ? clg_arena_print(arena, "@%.7s", month) : "";
    if (strchr(name, '@')) dated = "";
    const char *like = clg_stack_named_like(arena, name, *dated ? dated + 1 : NULL, true);
    const char *const wanted[] = {sharded(arena, csv, row, like ? like : name, dated),
                                  *name ? clg_arena_print(arena, "%s%s", name, dated) : "",
                                  name,
                                  like ? like : "",
                                  clg_arena_print(arena, "unknown%s", dated),
                                  "unknown"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        error = (clg_error){0};
        if (!*wanted[i] || clg_stack_find(arena, wanted[i], stack, &error) != CLG_OK) continue;
        if (take_recipe(arena, csv, row, stack, &error) != CLG_OK)
            return clg_error_words(arena, &error);
        if (clg_notes_terms(arena, clg_row_word(csv, row, "notes"), stack, &error) != CLG_OK)
            return clg_error_words(arena, &error);
        return NULL;
    }
    return clg_error_words(arena, &error);
}

void clg_row_fix(clg_axis_values *axis, double value) {
    if (isnan(value)) return;
    axis->count = 1;
    axis->value[0] = value >= 0 && value <= 1 << 20 ? (int)value : -1;
}

/* A named value, or the fallback when the column is blank; a word that is neither is not taken for
 * anything. A remark in parentheses may follow the name. */
static const char *fix_name(clg_arena *arena, clg_axis_values *axis, const clg_name *names,
                            const char *what, const char *word, int fallback) {
    int value = fallback;
    clg_error error = {0};
    const char *name = clg_arena_copy(arena, word, strcspn(word, " ("));
    if (*name && clg_name_value(names, what, name, &value, &error) != CLG_OK)
        return clg_error_words(arena, &error);
    clg_row_fix(axis, value);
    return NULL;
}

/* Degrees that nothing can be split into, from broken rows. */
static bool degrees_are_sane(const clg_space *s) {
    const clg_axis_values *axes[] = {&s->tp,  &s->cp,  &s->pp, &s->ep,
                                     &s->etp, &s->vpp, &s->dp, &s->micro_batch};
    for (size_t a = 0; a < sizeof axes / sizeof axes[0]; a++)
        if (axes[a]->count > 0 && axes[a]->value[0] < 1) return false;
    return s->zero.value[0] >= 0 && s->zero.value[0] <= 3 && s->hsdp.value[0] >= 0;
}

/* Stacks that cannot fold experts apart from the dense layers split each of them by tp as well,
 * where so many ranks there are; a table with more expert ranks was folded. */
static int expert_tensor(clg_arena *arena, const clg_scenario *scenario, const clg_space *space,
                         const char *notes) {
    int64_t tp = space->tp.value[0], home = tp * space->ep.value[0], pp = space->pp.value[0];
    if (experts_of(&scenario->model) == 0) return 1;
    int said = clg_notes_expert_tensor(arena, notes, (int)tp);
    if (said > 0 || !scenario->stack.experts.tensor) return said > 0 ? said : 1;
    return home > 0 && pp > 0 && scenario->machine.gpus / pp % home == 0 ? (int)tp : 1;
}

/* A table that prints only how fast tokens go (blanks.c). */
static bool open_batch(const clg_csv *csv, int row) {
    return !*clg_row_word(csv, row, "step_s") && *clg_row_word(csv, row, "tokens_per_s_per_gpu");
}

static const char *read_words(clg_arena *arena, const clg_csv *csv, int row,
                              const clg_scenario *scenario, clg_space *space) {
    int at = 0, vpp = space->vpp.count ? space->vpp.value[0] : 1;
    const char *schedule = clg_words_say(arena, clg_row_word(csv, row, "notes"), "schedule", &at);
    if (!schedule) schedule = clg_row_word(csv, row, "schedule");
    const char *recompute = clg_notes_recompute(arena, csv, row), *reason;
    bool said = *recompute || clg_adapter_recomputes(&space->adapter);
    reason = fix_name(arena, &space->schedule, clg_schedule_names, "schedule", schedule,
                      vpp > 1 ? CLG_INTERLEAVED : CLG_1F1B);
    if (!reason && said)
        reason = fix_name(arena, &space->recompute, clg_recompute_names, "recompute", recompute,
                          CLG_RECOMPUTE_FULL);
    if (reason) return reason;
    return fix_name(arena, &space->attention, clg_attention_kernel_names, "attention",
                    clg_notes_attention(arena, csv, row), (int)clg_scenario_attention(scenario));
}

/* What trainers do where a table says nothing: sp with tp, ZeRO-1 unless stated. */
static const char *read_space(clg_arena *arena, const clg_csv *csv, int row,
                              const clg_scenario *scenario, clg_space *space) {
    int precision;
    clg_error error = {0};
    const char *word = clg_row_word(csv, row, "precision");
    const char *usual = scenario->machine.gpu.peak_flop_per_s[CLG_BF16] > 0 ? "bf16" : "fp16";
    if (clg_name_value(clg_precision_names, "precision", *word ? word : usual, &precision,
                       &error) != CLG_OK)
        return "unknown precision";
    space->precision = (clg_precision)precision;
    space->gpus = scenario->machine.gpus;
    space->seq = clg_row_integer(csv, row, "seq", 0);
    space->global_batch = clg_row_integer(csv, row, "global_batch", 0);
    if (space->seq < 1) return "seq is missing";
    if (space->global_batch < 1 && !open_batch(csv, row)) return "global_batch is missing";
    clg_degrees_read(csv, row, &scenario->stack, space);
    int ranks = space->tp.value[0] * space->cp.value[0];
    clg_row_fix(&space->cp_kind, clg_notes_context(arena, csv, row, &scenario->model, ranks));
    clg_row_fix(&space->ep, clg_row_integer(csv, row, "ep", 1));
    /* Nothing is sharded over one GPU: not said, it is plain. */
    bool alone = clg_row_integer(csv, row, "gpus", 0) == 1;
    clg_row_fix(&space->zero, clg_row_number(csv, row, "zero", alone ? 0 : 1));
    clg_row_fix(&space->hsdp, clg_row_number(csv, row, "shard_group", 0));
    clg_row_fix(&space->sp,
                clg_row_number(csv, row, "sp",
                               space->tp.value[0] > 1 &&
                                   clg_stack_has(scenario->stack.shardings, CLG_SHARD_SP)));
    const char *notes = clg_row_word(csv, row, "notes");
    clg_row_fix(&space->etp,
                clg_row_number(csv, row, "etp", expert_tensor(arena, scenario, space, notes)));
    /* A table that prints the micro-batch or the schedule would print the chunks. */
    bool one_chunk = space->pp.value[0] <= 1 || *clg_row_word(csv, row, "schedule") ||
                     *clg_row_word(csv, row, "micro_batch");
    clg_row_fix(&space->vpp, clg_row_number(csv, row, "vpp", one_chunk ? 1 : (double)NAN));
    clg_row_fix(&space->micro_batch, clg_row_number(csv, row, "micro_batch", (double)NAN));
    if (clg_adapter_read(
            clg_row_word(csv, row, "adapter"), clg_row_number(csv, row, "adapter_rank", 0),
            clg_row_word(csv, row, "adapter_targets"), clg_row_word(csv, row, "base_precision"),
            &space->adapter, &error) != CLG_OK)
        return "unknown adapter, module or base precision";
    space->keep = 1;
    if (!degrees_are_sane(space)) return "a degree of parallelism is no number of 1 or more";
    const char *reason = read_words(arena, csv, row, scenario, space);
    if (!reason) reason = clg_degrees_other_gpus(arena, space);
    bool mixture = experts_of(&scenario->model) > 0;
    clg_degrees_open(csv, row, &scenario->stack, mixture, space);
    return reason;
}

/* A complete layout when every axis has one value. */
static void fill_layout(const clg_space *s, clg_layout *l) {
    *l = (clg_layout){.seq = s->seq, .global_batch = s->global_batch, .precision = s->precision};
    l->adapter = s->adapter;
    l->tp = s->tp.value[0];
    l->sp = l->tp > 1 && s->sp.value[0] != 0;
    l->cp = s->cp.value[0];
    l->cp_kind = (clg_context_kind)s->cp_kind.value[0];
    l->ep = s->ep.value[0];
    l->etp = s->etp.value[0];
    l->pp = s->pp.value[0];
    l->vpp = s->vpp.count ? s->vpp.value[0] : 1;
    l->schedule = (clg_schedule_kind)s->schedule.value[0];
    l->zero = s->zero.value[0];
    l->hsdp = s->hsdp.value[0];
    l->recompute = (clg_recompute)s->recompute.value[0];
    l->attention = s->attention.value[0];
    l->dp = s->dp.count ? s->dp.value[0] : (int)(s->gpus / ((int64_t)l->tp * l->cp * l->pp));
    l->micro_batch = s->micro_batch.count ? s->micro_batch.value[0] : 0;
    if (l->global_batch == 0) l->global_batch = (int64_t)l->dp * l->micro_batch;
    if (l->dp > 0 && l->micro_batch > 0)
        l->accumulation = s->global_batch / ((int64_t)l->dp * l->micro_batch);
    if (l->schedule == CLG_INTERLEAVED && l->vpp == 1) l->schedule = CLG_1F1B;
    if (l->schedule == CLG_1F1B && l->vpp > 1) l->schedule = CLG_INTERLEAVED;
}

const char *clg_row_read(clg_arena *arena, const clg_csv *csv, int row, clg_scenario *scenario,
                         clg_space *space, clg_layout *layout) {
    clg_error error = {0};
    *scenario = (clg_scenario){.expert_imbalance = 1};
    *space = (clg_space){.keep = 1};
    const char *reason = no_number(arena, csv, row);
    if (!reason) reason = read_model(arena, csv, row, &scenario->model);
    if (reason) return reason;
    clg_notes_model(arena, clg_row_word(csv, row, "notes"), &scenario->model);
    reason = stack_of_row(arena, csv, row, &scenario->stack);
    if (*clg_notes_attention(arena, csv, row)) scenario->stack.kernels.masked_windows = false;
    if (!reason) reason = read_machine(arena, csv, row, &scenario->stack, &scenario->machine);
    if (!reason) reason = read_space(arena, csv, row, scenario, space);
    if (reason) return reason;
    if (clg_scenario_prepare(arena, scenario, &error) != CLG_OK)
        return clg_error_words(arena, &error);
    fill_layout(space, layout);
    clg_notes_layout(arena, clg_row_word(csv, row, "notes"), scenario->model.layers, layout);
    return NULL;
}
