/* measure_files.c -- the scripts of chosen measurements: one for the shell, lists for the probe, a
 * table of steps to fill in. nccl-tests and rccl-tests take the same words (their README.md). */
#include "report_recorded/measure_report.h"

#include "model/preset.h"
#include "report_plan/operations_report.h"

#include <math.h>
#include <string.h>

typedef struct writing {
    clg_arena *arena;
    const clg_measure_ask *ask;
    const clg_agenda *agenda;
    clg_measure_files files;
    bool timed, stepped; /* results of scripts, a table of steps */
} writing;

static clg_text *file(writing *w, const char *name) {
    clg_text *text = &w->files.text[w->files.count];
    *text = (clg_text){.arena = w->arena};
    w->files.name[w->files.count++] = name;
    return text;
}

static bool is_amd(const writing *w) {
    return strcmp(w->ask->scenario->machine.gpu.vendor, "amd") == 0;
}

/* Ranks are started by Slurm inside an allocation, else by mpirun; whatever hangs is ended. */
static void head(writing *w, clg_text *t) {
    clg_text_print(
        t,
        "#!/bin/bash\n"
        "# Chosen by ceiling measure, the most telling per GPU-hour first; results/ gets what they "
        "say.\n"
        "# Needs ceiling-probe (PROBE) and, for collectives, %s-tests built with MPI=1 (TESTS: "
        "their folder), else the\n"
        "# probe does them. Slurm starts ranks inside an allocation, else mpirun on the hosts of "
        "HOSTFILE.\n"
        "cd \"$(dirname \"$0\")\" && mkdir -p results || exit 1\n"
        "PROBE=${PROBE:-ceiling-probe} BACKEND=${BACKEND:-%s} TESTS=${TESTS:+$TESTS/}\n"
        "failed=0\n"
        "has() { command -v \"$TESTS$1\" >/dev/null; }\n"
        "# run RESULT SECONDS NODES RANKS_PER_NODE COMMAND...\n"
        "run() {\n"
        "    result=results/$1 limit=$2 nodes=$3 each=$4; shift 4; echo \"$result\"\n"
        "    if [ -n \"${SLURM_JOB_ID:-}\" ]; then\n"
        "        start=(srun -N \"$nodes\" --ntasks-per-node=\"$each\")\n"
        "    else\n"
        "        start=(mpirun -n $((nodes * each)) --map-by \"ppr:$each:node\" "
        "${HOSTFILE:+--hostfile "
        "\"$HOSTFILE\"})\n"
        "    fi\n"
        "    if timeout -k 10 \"$limit\" \"${start[@]}\" \"$@\" >.part; then mv .part \"$result\"\n"
        "    else echo \"$result: status $?, left out\" >&2; failed=1; rm -f .part; fi\n"
        "}\n"
        "probe() { run \"$1.jsonl\" \"$2\" \"$3\" \"$4\" \"$PROBE\" --backend \"$BACKEND\" --time "
        "%.0f --replay \"$1.csv\"; }\n\n",
        is_amd(w) ? "rccl" : "nccl", is_amd(w) ? "hip" : "cuda", w->agenda->probe_s);
}

/* Twice what it should take, and a minute. */
static int limit_s(const clg_measurement *m) { return (int)ceil(2 * m->seconds) + 60; }

static bool is_product(const clg_priced_operation *row) {
    return row->op->kind == CLG_OP_GEMM && row->times > 0;
}

static bool is_stream(const clg_priced_operation *row) {
    return (row->op->kind == CLG_OP_MEMORY || row->op->kind == CLG_OP_OPTIMIZER) &&
           row->op->hbm_bytes > 1 && row->times > 0;
}

/* What a layer's replay does: kernels, and traffic inside the tensor group. */
static bool is_layer(const clg_priced_operation *row) {
    return is_product(row) || is_stream(row) ||
           (row->op->kind == CLG_OP_COLLECTIVE && row->op->axis == CLG_AXIS_TP &&
            row->op->group.ranks > 1);
}

static void replay(writing *w, clg_text *script, const clg_measurement *m, const char *stem,
                   bool (*keep)(const clg_priced_operation *row)) {
    const clg_operations_table *all = &w->agenda->operations;
    clg_priced_operation *row = clg_take(w->arena, (size_t)all->count + 1, clg_priced_operation);
    clg_operations_table kept = {all->stage, 0, row};
    for (int i = 0; i < all->count; i++)
        if (keep(&all->row[i])) row[kept.count++] = all->row[i];
    clg_report_operation_rows(file(w, clg_arena_print(w->arena, "%s.csv", stem)), &kept);
    clg_text_print(script, "probe %s %d 1 %d\n", stem, limit_s(m), m->gpus);
    w->timed = true;
}

/* How nccl-tests splits the GPUs into groups that all work at once: neighbours, or one of every so
 * many. NULL: there is one group. */
static const char *split(const writing *w, const clg_measurement *m, int each) {
    int step = each / m->group.per_domain;
    if (m->gpus == m->group.ranks) return NULL;
    if (m->group.ranks == m->group.per_domain)
        return clg_arena_print(w->arena, "DIV %d", m->group.ranks);
    return clg_arena_print(w->arena, "MOD %d", step > 0 ? step : 1);
}

/* The same messages for the probe, whose groups are neighbours on axis tp and else reach across. */
static void list_messages(writing *w, const clg_measurement *m, const char *stem) {
    enum { MOST = CLG_COLLECTIVES * 32 };
    clg_priced_operation *row = clg_take(w->arena, MOST, clg_priced_operation);
    clg_operations_table table = {0, 0, row};
    bool inside = m->group.ranks == m->group.per_domain;
    for (int i = 0; i < CLG_COLLECTIVES; i++)
        for (double bytes = m->least_bytes;
             m->collective[i] && bytes <= m->most_bytes && table.count < MOST; bytes *= 2) {
            clg_op *op = clg_take(w->arena, 1, clg_op);
            *op = (clg_op){.kind = CLG_OP_COLLECTIVE,
                           .name = "message",
                           .count = 1,
                           .collective = (clg_collective)i,
                           .axis = inside ? CLG_AXIS_TP : CLG_AXIS_DP,
                           .group = m->group,
                           .bytes = bytes};
            clg_priced_operation *message = &row[table.count++];
            *message = (clg_priced_operation){.block = "group", .op = op, .times = 1};
            clg_collective_best(&w->ask->scenario->network, op->collective, op->group, bytes,
                                &message->seconds);
        }
    clg_report_operation_rows(file(w, clg_arena_print(w->arena, "%s.csv", stem)), &table);
}

static const char *const programs[CLG_COLLECTIVES] = {
    [CLG_ALL_REDUCE] = "all_reduce",         [CLG_ALL_GATHER] = "all_gather",
    [CLG_REDUCE_SCATTER] = "reduce_scatter", [CLG_ALL_TO_ALL] = "alltoall",
    [CLG_SEND_RECEIVE] = "sendrecv",         [CLG_BROADCAST] = "broadcast"};

static const char *first_program(const clg_measurement *m) {
    int first = 0;
    while (first < CLG_COLLECTIVES - 1 && !m->collective[first]) first++;
    return programs[first];
}

static void collectives(writing *w, clg_text *script, const clg_measurement *m) {
    int each = m->gpus / m->nodes;
    const char *groups = split(w, m, each);
    const char *stem = clg_arena_print(w->arena, "collectives-%d-ranks-%d-a-node", m->group.ranks,
                                       m->group.per_domain);
    list_messages(w, m, stem);
    clg_text_print(script, "if has %s_perf; then\n", first_program(m));
    for (int i = 0; i < CLG_COLLECTIVES; i++) {
        if (!m->collective[i]) continue;
        clg_text_print(script, "    run %s-%s.log %d %d %d env", programs[i], stem, limit_s(m),
                       m->nodes, each);
        if (groups) clg_text_print(script, " NCCL_TESTS_SPLIT='%s'", groups);
        clg_text_print(script, " \"${TESTS}%s_perf\" -b %.0f -e %.0f -f 2 -g 1 -w 1 -n 20\n",
                       programs[i], m->least_bytes, m->most_bytes);
    }
    clg_text_print(script, "else\n    probe %s %d %d %d\nfi\n", stem, limit_s(m), m->nodes, each);
    w->timed = true;
}

const char *clg_measure_folder(clg_arena *arena, const clg_measurement *m) {
    return clg_arena_print(arena, "step-plan-%d-nodes-%d", m->plan + 1, m->nodes);
}

/* A built-in model goes by its name, another by its shape. */
static void model_columns(writing *w, clg_text *t) {
    const clg_model *m = &w->ask->scenario->model;
    const clg_layer_kind *last = &m->kind[m->layer_kind[m->layers - 1]];
    clg_error none = {0};
    clg_model found;
    clg_text_print(t, "%s,", m->name);
    if (clg_model_find(w->arena, m->name, &found, &none) == CLG_OK) {
        clg_text_print(t, ",,,,,,,,,,,");
        return;
    }
    const clg_mlp *mlp = &last->mlp;
    bool mixed = mlp->kind == CLG_MLP_MOE;
    clg_text_print(t, "%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d", (int)m->layers, (int)m->hidden,
                   (int)mlp->ffn, mlp->gated, (int)last->attention.heads,
                   (int)last->attention.kv_heads, (int)last->attention.head_dim, (int)m->vocab,
                   m->tied, mixed ? (int)mlp->experts : 0, mixed ? (int)mlp->experts_per_token : 0,
                   mixed ? (int)mlp->expert_ffn : 0);
}

static void step_row(writing *w, clg_text *t, const clg_measurement *m, int number) {
    const clg_scenario *s = w->ask->scenario;
    const clg_layout *l = &m->layout;
    clg_text_print(t, "%d,measured,", number);
    model_columns(w, t);
    clg_text_print(t, ",%lld,%s,%d,%d,%s,%s,%s,%d,%d,%d,%d,%d,%d,%d,%s,%d,%lld,,ok\n",
                   (long long)l->seq, s->machine.gpu.name, m->gpus, s->machine.node.gpus,
                   s->stack.name, clg_name_of(clg_precision_names, (int)l->precision),
                   clg_name_of(clg_recompute_names, (int)l->recompute), l->dp, l->zero, l->tp,
                   l->cp, l->ep, l->pp, l->vpp, clg_name_of(clg_schedule_names, (int)l->schedule),
                   l->micro_batch, (long long)l->global_batch);
}

/* Steps are run by the trainer that the job is run by; its medians are written into a table. */
static void steps(writing *w, clg_text *script) {
    clg_text *table = NULL;
    for (int i = 0; i < w->agenda->count; i++) {
        const clg_measurement *m = &w->agenda->chosen[i];
        if (m->kind != CLG_MEASURE_STEP) continue;
        if (!table) {
            table = file(w, "steps.csv");
            clg_text_print(table, "id,source,model,layers,hidden,ffn,gated,heads,kv_heads,head_dim,"
                                  "vocab,tied,experts,experts_per_token,expert_ffn,seq,gpu,gpus,"
                                  "gpus_per_node,stack,precision,recompute,dp,zero,tp,cp,ep,pp,vpp,"
                                  "schedule,micro_batch,global_batch,step_s,status\n");
            clg_text_print(script, "\n# Steps: run these with your trainer (files of --launch: "
                                   "step-plan-*), write the median into step_s of steps.csv.\n");
            w->stepped = true;
        }
        char layout[160];
        clg_layout_print(&m->layout, layout, sizeof layout);
        clg_text_print(script, "echo 'step %d: %d steps on %d GPUs, %s, batch %lld: %.4g s each'\n",
                       i + 1, w->agenda->steps, m->gpus, layout, (long long)m->layout.global_batch,
                       m->step_s);
        step_row(w, table, m, i + 1);
    }
}

static void add(writing *w, clg_text *script, const clg_measurement *m) {
    if (m->kind == CLG_MEASURE_PRODUCTS) replay(w, script, m, "products", is_product);
    if (m->kind == CLG_MEASURE_STREAMS) replay(w, script, m, "memory", is_stream);
    if (m->kind == CLG_MEASURE_LAYER) replay(w, script, m, "layer", is_layer);
    if (m->kind == CLG_MEASURE_COLLECTIVES) collectives(w, script, m);
}

clg_measure_files clg_measure_files_of(clg_arena *arena, const clg_measure_ask *ask,
                                       const clg_agenda *agenda, const char *flags) {
    writing *w = clg_take(arena, 1, writing);
    *w = (writing){.arena = arena, .ask = ask, .agenda = agenda};
    clg_text *script = file(w, "measure.sh");
    head(w, script);
    for (int i = 0; i < agenda->count; i++) add(w, script, &agenda->chosen[i]);
    steps(w, script);
    w->files.fit =
        clg_arena_print(arena, "ceiling fit%s%s%s -o mine.json", w->timed ? " results/*" : "",
                        w->stepped ? " steps.csv" : "", flags);
    clg_text_print(script, "\n# %s\nexit $failed\n", w->files.fit);
    return w->files;
}
