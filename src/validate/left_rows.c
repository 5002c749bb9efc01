/* left_rows.c -- reads every timed row once, to be predicted with many fits. */
#include "validate/left_rows.h"

#include "validate/row.h"
#include "validate/score.h"

static const char *put(const void *context, clg_arena *arena, clg_scenario *scenario) {
    const clg_unseen *u = context;
    clg_error error = {0};
    bool had = clg_stacks_apply(u->stacks, u->standard, &scenario->stack);
    if (u->new_stack) *u->new_stack = !had;
    if (u->generic &&
        clg_kernels_generic(arena, &scenario->machine.gpu, &scenario->kernels, &error) != CLG_OK)
        return "no other generation has curves";
    return NULL;
}

const char *clg_unseen_predict(clg_arena *arena, const clg_plan *plan, const clg_unseen *how,
                               clg_scenario *scenario, clg_evaluation *evaluation) {
    return clg_plan_predict(arena, plan, put, how, scenario, evaluation);
}

/* Tables name a model differently, or not at all: its shape says which it is. */
static const char *model_key(clg_arena *arena, const clg_model *m) {
    const clg_mlp *experts = clg_model_experts(m);
    if (!experts) return clg_arena_print(arena, "%d x %d", m->layers, (int)m->hidden);
    return clg_arena_print(arena, "%d x %d, %d experts", m->layers, (int)m->hidden,
                           experts->experts);
}

/* A row's scenario and complete layout with no term fitted, so that what the blanks become does not
 * depend on its fold. */
static void begin_row(clg_leave_out_rows *r, int i, clg_arena *arena) {
    const clg_run *run = &r->validation->run[i];
    clg_plan *plan = clg_take(arena, 1, clg_plan);
    clg_scenario *scenario = clg_take(arena, 1, clg_scenario);
    clg_evaluation evaluation;
    clg_unseen none = {.standard = &r->standard};
    for (int kind = 0; kind < CLG_FOLD_KINDS; kind++) r->key[kind][i] = "";
    if (!clg_run_timed(run) || clg_plan_read(arena, r->table[i], r->row[i], plan)) return;
    clg_arena scratch = clg_arena_beside(arena);
    bool predicted = !clg_unseen_predict(&scratch, plan, &none, scenario, &evaluation);
    clg_arena_clear(&scratch);
    if (!predicted) return;
    r->plan[i] = plan;
    r->key[CLG_FOLD_SOURCE][i] = run->source;
    r->key[CLG_FOLD_MODEL][i] = model_key(arena, &scenario->model);
    r->key[CLG_FOLD_GENERATION][i] = scenario->machine.gpu.generation;
    scenario->stack = plan->scenario.stack;
    if (!run->held_out)
        r->known[i] =
            (clg_stack_run){scenario, evaluation.layout, run->measured_step_s, run->source};
}

/* Many rows share an arena, half of whose last block may be empty. */
enum { ROWS_OF_PIECE = 32 };

static void begin_rows(void *context, int piece, clg_arena *arena) {
    clg_leave_out_rows *r = context;
    int last = (piece + 1) * ROWS_OF_PIECE;
    if (last > r->validation->runs) last = r->validation->runs;
    for (int i = piece * ROWS_OF_PIECE; i < last; i++) begin_row(r, i, arena);
}

clg_status clg_leave_out_begin(clg_arena *arena, const clg_csv *tables, int count,
                               const clg_validation *validation, clg_progress progress,
                               clg_leave_out_rows **rows, clg_error *error) {
    clg_leave_out_rows *r = clg_take(arena, 1, clg_leave_out_rows);
    size_t runs = (size_t)validation->runs + 1;
    *r = (clg_leave_out_rows){.validation = validation};
    r->table = clg_take(arena, runs, const clg_csv *);
    r->row = clg_take(arena, runs, int);
    r->plan = clg_take(arena, runs, clg_plan *);
    r->known = clg_take(arena, runs, clg_stack_run);
    for (int kind = 0; kind < CLG_FOLD_KINDS; kind++)
        r->key[kind] = clg_take(arena, runs, const char *);
    if (clg_stack_find(arena, "unknown", &r->standard, error) != CLG_OK) return error->status;
    clg_rows_of_tables(tables, count, r->table, r->row);
    clg_cores_each(progress, arena, (validation->runs + ROWS_OF_PIECE - 1) / ROWS_OF_PIECE,
                   begin_rows, r);
    if (clg_stacks_begin(arena, r->known, validation->runs, progress.cores, &r->fitting, error) !=
        CLG_OK)
        return error->status;
    clg_stacks_fit(arena, r->fitting, &(clg_stacks_without){0}, &r->whole);
    *rows = r;
    return CLG_OK;
}
