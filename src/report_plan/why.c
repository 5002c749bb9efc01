/* why.c -- one row per printed number: what it is, its formula, whose it is, what goes in. */
#include "report_plan/why.h"

#include "dataset/kept.h"
#include "dataset/value.h"
#include "report/number_words.h"
#include "report_plan/operations_report.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct why_row {
    const char *name;
    size_t offset; /* of a double in clg_evaluation */
    clg_dimension dimension;
    const char *formula;
    const char *source;
    const char *inputs; /* "gpu.hbm node.link plan.step ...": members of the data files, and values
                           of the plan */
    const char *page;   /* of docs/ */
} why_row;

#define AT(member) offsetof(clg_evaluation, member)

#define EXPOSED                                                                                    \
    "sum of the operations below, less what hides under compute: at most the overlap share of "    \
    "each, while there is compute left to hide under"

static const why_row rows[] = {
    {"step", AT(step_s), CLG_SECONDS,
     "sum of the ledger: compute + exposed traffic (tp, cp, ep, dp, pp) + bubble + optimizer + "
     "host + straggler, for the busiest stage",
     "docs/design.md: one description of a step",
     "plan.compute plan.tp plan.cp plan.ep plan.dp plan.pp plan.bubble plan.optimizer plan.host "
     "plan.straggler",
     "design"},
    {"interval", AT(log_sigma), CLG_COUNT,
     "P10 = step / (1 + 1.2816 sigma), P90 = step x (1 + 1.2816 late); sigma from the residuals "
     "of runs of the stack, wider for exposed traffic, borrowed curves, unnamed software; late^2 = "
     "sigma^2 + sigma_late^2, and + sigma_experts^2 for a mixture",
     "fitted, see the stack file",
     "plan.nodes stack.sigma stack.sigma_experts stack.sigma_traffic stack.sigma_late "
     "stack.jitter",
     "accuracy"},
    {"mfu", AT(mfu), CLG_FRACTION,
     "(6 N + 12 layers hidden seq) x tokens per step / (step x GPUs x peak); N: active parameters; "
     "attention in full, nothing recomputed",
     "Chowdhery et al. 2022, arXiv:2204.02311, appendix B",
     "plan.active_parameters plan.layers plan.hidden plan.seq plan.tokens plan.model_flop "
     "plan.step plan.gpus gpu.peak",
     "flops"},
    {"hfu", AT(hfu), CLG_FRACTION,
     "flop of every executed matrix product and attention, recomputed ones included, causal "
     "attention by half / (step x GPUs x peak)",
     "Korthikanti et al. 2022, arXiv:2205.05198, section 5",
     "plan.executed_flop plan.step plan.gpus gpu.peak", "flops"},
    {"compute", AT(time.compute_s), CLG_SECONDS,
     "matrix products + attention + memory-bound kernels of the busiest stage, slowed where "
     "traffic runs beside them",
     "docs/kernels.md",
     "plan.matrix plan.attention plan.memory_bound gpu.hbm gpu.multiprocessors gpu.peak "
     "stack.overlap_slowdown",
     "kernels"},
    {"matrix", AT(matrix_s), CLG_SECONDS,
     "sum over products m x n x k: max(flop / (peak x share(shape)), bytes / HBM) + launch; the "
     "share from measured curves with tile and wave quantization",
     "data/kernel, fitted on measured products", "gpu.peak gpu.multiprocessors gpu.hbm", "kernels"},
    {"attention", AT(attention_s), CLG_SECONDS,
     "4 x queries x keys x heads x head_dim flop forward, 2.5 times that backward; causal work "
     "counted once",
     "Dao 2023, arXiv:2307.08691", "gpu.peak", "kernels"},
    {"memory-bound", AT(memory_bound_s), CLG_SECONDS,
     "bytes read and written / measured bandwidth, one kernel each, fewer when the stack fuses",
     "docs/kernels.md", "gpu.hbm stack.fused_norm stack.fused_elementwise", "kernels"},
    {"tp", AT(time.tp_exposed_s), CLG_SECONDS, EXPOSED,
     "Shoeybi et al. 2019, arXiv:1909.08053; Korthikanti et al. 2022, arXiv:2205.05198",
     "plan.tp_degree plan.seq plan.micro_batch plan.hidden plan.layers plan.micro_batches "
     "node.link node.nics node.nic fabric.rate stack.tensor_overlap stack.tensor_backward_overlap",
     "collectives"},
    {"cp", AT(time.cp_exposed_s), CLG_SECONDS, EXPOSED,
     "Liu et al. 2023, arXiv:2310.01889; Jacobs et al. 2023, arXiv:2309.14509",
     "node.link node.nics node.nic fabric.rate stack.context_overlap", "collectives"},
    {"ep", AT(time.ep_exposed_s), CLG_SECONDS, EXPOSED, "Lepikhin et al. 2020, arXiv:2006.16668",
     "node.link node.nics node.nic fabric.rate stack.expert_overlap", "collectives"},
    {"dp", AT(time.dp_exposed_s), CLG_SECONDS, EXPOSED,
     "Rajbhandari et al. 2019, arXiv:1910.02054; nccl-tests, PERFORMANCE.md",
     "plan.dp_degree plan.zero node.nics node.nic fabric.rate fabric.efficiency "
     "fabric.oversubscription stack.gradient_overlap stack.parameter_overlap",
     "collectives"},
    {"pp", AT(time.pp_exposed_s), CLG_SECONDS,
     "seq x micro-batch x hidden x 2 B / tp between stages, each way, per micro-batch and chunk",
     "Narayanan et al. 2021, arXiv:2104.04473, section 4.1",
     "plan.pp_degree plan.vpp plan.seq plan.micro_batch plan.hidden plan.tp_degree "
     "plan.micro_batches node.nics node.nic fabric.rate",
     "schedules"},
    {"bubble", AT(time.bubble_s), CLG_SECONDS,
     "idle time of the busiest stage when every pass is placed in order; for 1f1b with even stages "
     "(pp - 1)/(vpp x micro-batches) of the busy time",
     "Narayanan et al. 2021, arXiv:2104.04473, section 2.2",
     "plan.pp_degree plan.vpp plan.micro_batches plan.step", "schedules"},
    {"optimizer", AT(time.optimizer_s), CLG_SECONDS,
     "bytes of states, gradients and weights read and written / HBM bandwidth, plus the norm of "
     "the gradients",
     "docs/kernels.md", "gpu.hbm", "kernels"},
    {"host", AT(time.host_s), CLG_SECONDS,
     "launches that outlast their kernels + per step + per micro-batch costs of the host",
     "fitted per stack", "stack.host_launch_s stack.host_step_s stack.host_micro_batch_s",
     "kernels"},
    {"data-loading", AT(time.data_loading_s), CLG_SECONDS, "as given by --data-loading",
     "the question", "plan.data_loading", "flops"},
    {"straggler", AT(time.straggler_s), CLG_SECONDS,
     "expected maximum of nodes' step times over their mean: jitter x sqrt(2 ln nodes)",
     "extreme-value theory; jitter fitted per stack", "plan.nodes stack.jitter", "accuracy"},
    {"weights", AT(memory.weights_bytes), CLG_BYTES,
     "parameters of the stage / tp (experts / ep etp) x bytes; ZeRO-3: / shard group",
     "Rajbhandari et al. 2019, arXiv:1910.02054",
     "plan.parameters plan.pp_degree plan.tp_degree plan.zero", "memory"},
    {"gradients", AT(memory.gradients_bytes), CLG_BYTES,
     "parameters x bytes of the gradient type; ZeRO-2, 3: / shard group",
     "Rajbhandari et al. 2019, arXiv:1910.02054", "plan.zero plan.dp_degree stack.gradient",
     "memory"},
    {"optimizer-states", AT(memory.optimizer_bytes), CLG_BYTES,
     "parameters x (master 4 B + Adam 8 B); ZeRO-1, 2, 3: / shard group",
     "Rajbhandari et al. 2019, arXiv:1910.02054", "plan.zero plan.dp_degree stack.master_weights",
     "memory"},
    {"activations", AT(memory.activations_bytes), CLG_BYTES,
     "bytes each operation keeps for its backward x micro-batches alive at the peak; plain "
     "transformer: seq x batch x hidden x (10 + 24/tp) + scores, or 34/tp with sequence parallel",
     "Korthikanti et al. 2022, arXiv:2205.05198, table 2",
     "plan.seq plan.micro_batch plan.hidden plan.tp_degree plan.micro_batches", "memory"},
    {"buffers", AT(memory.buffers_bytes), CLG_BYTES,
     "workspaces, gathered FSDP layers and the gradient of the largest one; logits count as "
     "activations",
     "docs/memory.md", "stack.workspace_bytes", "memory"},
    {"reserve", AT(memory.reserved_bytes), CLG_BYTES,
     "what the allocator holds beyond what is allocated; a full GPU has most let go",
     "docs/memory.md", "stack.reserve_share", "memory"},
    {"power", AT(gpu_w), CLG_WATTS, "power limit x share of each activity, weighted by its time",
     "data/power", "gpu.tdp", "power"},
    {"cost", AT(usd_per_million_tokens), CLG_USD,
     "price per GPU-hour x GPUs / tokens per hour x 1e6; failures and idle time not included",
     "arithmetic", "price.price plan.gpus plan.tokens plan.step", "cost"}};
enum { ROWS = sizeof rows / sizeof rows[0] };

static const clg_json *object_of(const clg_scenario *s, const char *file) {
    const struct {
        const char *name;
        const clg_json *data;
    } files[] = {{"gpu", s->machine.gpu.data},
                 {"node", s->machine.node.data},
                 {"fabric", s->machine.fabric.data},
                 {"stack", s->stack.data},
                 {"price", s->price.data}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (strcmp(files[i].name, file) == 0) return files[i].data;
    return NULL;
}

static const why_row *row_of(const char *name) {
    for (int i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    return NULL;
}

static double value_of(const clg_evaluation *e, const why_row *row) {
    return *(const double *)((const char *)e + row->offset);
}

static const char *quantity(clg_text *t, double value, clg_dimension dimension) {
    char number[48];
    clg_quantity_print(value, dimension, 4, number, sizeof number);
    return clg_arena_print(t->arena, "%s", number);
}

/* What a plan puts into a formula. */
static const char *plan_value(clg_text *t, const clg_scenario *s, const clg_evaluation *e,
                              const char *name) {
    const clg_layout *l = &e->layout;
    double gpus = (double)clg_layout_gpus(l);
    const struct {
        const char *name;
        double value;
        clg_dimension dimension;
    } values[] = {{"parameters", (double)s->model.parameters, CLG_COUNT},
                  {"active_parameters", (double)s->model.active_parameters, CLG_COUNT},
                  {"layers", s->model.layers, CLG_COUNT},
                  {"hidden", (double)s->model.hidden, CLG_COUNT},
                  {"seq", (double)l->seq, CLG_COUNT},
                  {"tokens", clg_layout_tokens(l), CLG_COUNT},
                  {"model_flop", e->model_flop, CLG_FLOP},
                  {"executed_flop", e->executed_flop, CLG_FLOP},
                  {"gpus", gpus, CLG_COUNT},
                  {"nodes", ceil(gpus / s->machine.node.gpus), CLG_COUNT},
                  {"tp_degree", l->tp, CLG_COUNT},
                  {"pp_degree", l->pp, CLG_COUNT},
                  {"dp_degree", l->dp, CLG_COUNT},
                  {"vpp", l->vpp, CLG_COUNT},
                  {"zero", l->zero, CLG_COUNT},
                  {"micro_batch", l->micro_batch, CLG_COUNT},
                  {"micro_batches", (double)l->accumulation, CLG_COUNT},
                  {"memory_bound", e->memory_bound_s, CLG_SECONDS},
                  {"data_loading", e->time.data_loading_s, CLG_SECONDS}};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (strcmp(values[i].name, name) != 0) continue;
        double value = values[i].value;
        if (values[i].dimension == CLG_COUNT && value < 1e9)
            return clg_words_grouped(t, value); /* a degree is exact */
        return quantity(t, value, values[i].dimension);
    }
    const why_row *row = row_of(name);
    assert(row); /* every name that a row puts in is in values[] or in rows[] */
    return quantity(t, value_of(e, row), row->dimension);
}

/* The file a software file leaves a term to: its base, else the default, which states all. */
static const clg_json *base_stack(clg_arena *arena, const clg_json *stack) {
    const clg_json *base = stack ? clg_json_member(stack, "base") : NULL;
    const char *name = base && base->text ? base->text : "unknown";
    const clg_file *file = clg_dataset_find(clg_arena_print(arena, "stack/%s.json", name));
    const clg_json *root = NULL;
    clg_error none = {0};
    if (file) clg_dataset_parse(arena, file->path, file->text, file->size, &root, &none);
    return root;
}

/* A term of the software that its own file does not state. */
static void print_inherited(clg_text *t, const clg_scenario *s, const char *key) {
    enum { DEEPEST = 8 };
    const clg_json *stack = s->stack.data;
    for (int i = 0; i < DEEPEST; i++) {
        stack = base_stack(t->arena, stack);
        if (!stack || !clg_json_member(stack, key)) continue;
        clg_text_print(t, "  stack.%s = %s (left to the default)\n", key,
                       clg_value_why(t->arena, stack, key));
        return;
    }
    clg_text_print(t, "  stack.%s: not stated\n", key);
}

/* "gpu.peak" -> its value, unit, kind and source. */
static void print_input(clg_text *t, const clg_scenario *s, const char *path) {
    char words[96];
    snprintf(words, sizeof words, "%s", path);
    char *dot = strchr(words, '.');
    *dot = '\0';
    const clg_json *object = object_of(s, words);
    char *key = dot + 1;
    while (object && (dot = strchr(key, '.')) != NULL) {
        *dot = '\0';
        object = clg_json_member(object, key);
        key = dot + 1;
    }
    if (object && clg_json_member(object, key))
        clg_text_print(t, "  %s = %s\n", path, clg_value_why(t->arena, object, key));
    else if (strcmp(words, "stack") == 0)
        print_inherited(t, s, key);
    else
        clg_text_print(t, "  %s: not stated\n", path);
}

/* Behind the number, where its unit does not say it. */
static const char *tail_of(const why_row *row) {
    if (strcmp(row->name, "cost") == 0) return " per million tokens";
    return strcmp(row->name, "interval") == 0 ? " = sigma, of the log of the step" : "";
}

static void print_row(clg_text *t, const clg_scenario *s, const clg_evaluation *e,
                      const why_row *row) {
    size_t from = t->size;
    clg_text_print(t, "%s = %s%s\n\nformula\n  %s\nsource\n  %s\n", row->name,
                   quantity(t, value_of(e, row), row->dimension), tail_of(row), row->formula,
                   row->source);
    if (row->inputs[0]) clg_text_print(t, "inputs\n");
    for (const char *at = row->inputs; *at;) {
        size_t size = strcspn(at, " ");
        bool peak = size == strlen("gpu.peak") && memcmp(at, "gpu.peak", size) == 0;
        const char *precision = clg_name_of(clg_precision_names, (int)e->layout.precision);
        const char *path = clg_arena_print(t->arena, "%.*s%s%s", (int)size, at, peak ? "." : "",
                                           peak ? precision : "");
        if (strncmp(path, "plan.", 5) == 0)
            clg_text_print(t, "  %s = %s\n", path, plan_value(t, s, e, path + 5));
        else
            print_input(t, s, path);
        at += size + (at[size] == ' ');
    }
    clg_text_fold(t, from, 4);
    clg_report_terms(t, s, e, row->name);
    clg_text_print(t, "more\n  docs/%s.md\n", row->page);
}

clg_status clg_report_why(clg_text *t, const clg_scenario *s, const clg_evaluation *e,
                          const char *name, clg_error *error) {
    const char *names[ROWS];
    char all[512] = "one of";
    const why_row *row = row_of(name);
    if (row) {
        print_row(t, s, e, row);
        return CLG_OK;
    }
    for (int i = 0; i < ROWS; i++) {
        names[i] = rows[i].name;
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, " %s", names[i]);
    }
    const char *nearest = clg_name_nearest(names, ROWS, name);
    return clg_fail(error, CLG_BAD_INPUT,
                    nearest ? clg_arena_print(t->arena, "did you mean %s?", nearest) : all,
                    "no number is called '%.32s'", name);
}
