/* leave_out.c -- refits the stacks without each fold and predicts it. */
#include "validate/leave_out.h"

#include "validate/row.h"
#include "validate/score.h"

#include <math.h>
#include <string.h>

const clg_name clg_fold_names[] = {
    {"source", CLG_FOLD_SOURCE, "all runs of a paper, page or grid"},
    {"model", CLG_FOLD_MODEL, "all runs of models with these layers, width and experts"},
    {"generation", CLG_FOLD_GENERATION, "all runs on GPUs of a generation"},
    {NULL, 0, NULL}};

struct clg_leave_out_rows {
    const clg_csv **table; /* [runs] */
    int *row;              /* [runs] of its table */
    const clg_validation *validation;
    clg_stack_run *known; /* [runs] scenario NULL: in no fit */
    const char **key[CLG_FOLD_KINDS];
    clg_stack standard;
    clg_stack_fitting *fitting;
    clg_stacks whole;
};

/* The change of a prediction: whose terms, and whose curves. */
typedef struct unseen {
    const clg_stacks *stacks; /* NULL: none fitted */
    const clg_stack *standard;
    bool generic;
    bool *new_stack; /* out; may be NULL */
} unseen;

static const char *put(const void *context, clg_arena *arena, clg_scenario *scenario) {
    const unseen *u = context;
    clg_error error = {0};
    bool had = clg_stacks_apply(u->stacks, u->standard, &scenario->stack);
    if (u->new_stack) *u->new_stack = !had;
    if (u->generic &&
        clg_kernels_generic(arena, &scenario->machine.gpu, &scenario->kernels, &error) != CLG_OK)
        return "no other generation has curves";
    return NULL;
}

static int experts_of(const clg_model *model) {
    int most = 0;
    for (int i = 0; i < model->kinds; i++)
        if (model->kind[i].mlp.kind == CLG_MLP_MOE && model->kind[i].mlp.experts > most)
            most = model->kind[i].mlp.experts;
    return most;
}

/* Tables name a model differently, or not at all: its shape says which it is. */
static const char *model_key(clg_arena *arena, const clg_model *m) {
    int experts = experts_of(m);
    if (experts == 0) return clg_arena_print(arena, "%d x %d", m->layers, (int)m->hidden);
    return clg_arena_print(arena, "%d x %d, %d experts", m->layers, (int)m->hidden, experts);
}

/* A row's scenario and complete layout with no term fitted, so that what the blanks become does not
 * depend on its fold. */
static void begin_row(clg_arena *arena, clg_leave_out_rows *r, int i) {
    const clg_run *run = &r->validation->run[i];
    clg_scenario *scenario = clg_take(arena, 1, clg_scenario);
    clg_evaluation evaluation;
    unseen none = {.standard = &r->standard};
    clg_stack stack;
    for (int kind = 0; kind < CLG_FOLD_KINDS; kind++) r->key[kind][i] = "";
    if (!clg_run_timed(run)) return;
    if (clg_validate_plan(arena, put, &none, r->table[i], r->row[i], scenario, &evaluation)) return;
    r->key[CLG_FOLD_SOURCE][i] = run->source;
    r->key[CLG_FOLD_MODEL][i] = model_key(arena, &scenario->model);
    r->key[CLG_FOLD_GENERATION][i] = scenario->machine.gpu.generation;
    if (run->held_out || clg_row_stack(arena, r->table[i], r->row[i], &stack)) return;
    scenario->stack = stack;
    r->known[i] = (clg_stack_run){scenario, evaluation.layout, run->measured_step_s, run->source};
}

clg_status clg_leave_out_begin(clg_arena *arena, const clg_csv *tables, int count,
                               const clg_validation *validation, clg_validate_tell tell,
                               void *context, clg_leave_out_rows **rows, clg_error *error) {
    clg_leave_out_rows *r = clg_take(arena, 1, clg_leave_out_rows);
    size_t runs = (size_t)validation->runs + 1;
    int at = 0;
    *r = (clg_leave_out_rows){.validation = validation};
    r->table = clg_take(arena, runs, const clg_csv *);
    r->row = clg_take(arena, runs, int);
    r->known = clg_take(arena, runs, clg_stack_run);
    for (int kind = 0; kind < CLG_FOLD_KINDS; kind++)
        r->key[kind] = clg_take(arena, runs, const char *);
    if (clg_stack_find(arena, "unknown", &r->standard, error) != CLG_OK) return error->status;
    for (int i = 0; i < count; i++)
        for (int row = 0; row < tables[i].rows; row++) {
            r->table[at] = &tables[i];
            r->row[at] = row;
            if (tell) tell(context, at, validation->runs);
            begin_row(arena, r, at++);
        }
    if (clg_stacks_begin(arena, r->known, validation->runs, &r->fitting, error) != CLG_OK)
        return error->status;
    clg_stacks_fit(arena, r->fitting, NULL, NULL, &r->whole);
    *rows = r;
    return CLG_OK;
}

/* What becomes of the runs of a kind of folds. */
typedef struct scoring {
    clg_arena *arena;
    clg_leave_out_rows *rows;
    clg_run *unseen, *generic; /* [runs] as predicted without their fold */
    bool *counts, *new_stack;  /* [runs] in a fold; of a stack without other runs */
    const char **name;         /* [folds] */
    int folds;
    clg_miss **miss; /* [1 + folds][runs] without their own fold; and without that one too */
} scoring;

static void predict_row(clg_leave_out_rows *r, int i, const unseen *how, clg_run *run) {
    clg_arena scratch = {0};
    clg_scenario *scenario = clg_take(&scratch, 1, clg_scenario);
    clg_evaluation e;
    *run = r->validation->run[i];
    run->reason = clg_validate_plan(&scratch, put, how, r->table[i], r->row[i], scenario, &e)
                      ? "not predicted"
                      : NULL;
    if (!run->reason) {
        e.stages = NULL;
        e.caveats = NULL;
        run->predicted = e;
        run->error = e.step_s / run->measured_step_s - 1;
    }
    clg_arena_clear(&scratch);
}

/* The model to beat, fitted to what is not left out. */
static void fill_constant(const scoring *s, const bool *others, int i) {
    clg_run *run = &s->unseen[i];
    int count = s->rows->validation->runs;
    double rate = clg_best_rate(s->rows->validation->run, others, count, run->group);
    run->baseline_step_s = rate > 0 ? run->model_flop / rate / (double)run->gpus : 0;
}

static void predict_fold(const scoring *s, const clg_stacks *stacks, const bool *inside,
                         const bool *others, bool generation) {
    int count = s->rows->validation->runs;
    for (int i = 0; i < count; i++) {
        if (!inside[i]) continue;
        unseen how = {stacks, &s->rows->standard, false, &s->new_stack[i]};
        predict_row(s->rows, i, &how, &s->unseen[i]);
        fill_constant(s, others, i);
        how.generic = true;
        if (generation) predict_row(s->rows, i, &how, &s->generic[i]);
    }
}

/* Mean error on the runs that have a constant to compare with. */
static double beside_constant(const scoring *s, const bool *counts) {
    double sum = 0;
    int known = 0;
    for (int i = 0; i < s->rows->validation->runs; i++) {
        const clg_run *r = &s->unseen[i];
        if (!counts[i] || !clg_run_timed(r) || !(r->baseline_step_s > 0)) continue;
        sum += fabs(r->error);
        known++;
    }
    return known > 0 ? sum / known : (double)NAN;
}

static clg_fold score_fold(const scoring *s, const bool *counts, const char *name,
                           bool generation) {
    const clg_validation *v = s->rows->validation;
    clg_fold f = {.name = name};
    for (int i = 0; i < v->runs; i++) f.new_stack += counts[i] && s->new_stack[i];
    f.in_sight = clg_score_runs(s->arena, v->run, counts, v->runs, name);
    f.unseen = clg_score_runs(s->arena, s->unseen, counts, v->runs, name);
    f.beside_constant = beside_constant(s, counts);
    if (generation) f.generic = clg_score_runs(s->arena, s->generic, counts, v->runs, name);
    return f;
}

/* Folds in the order of their first run. */
static int find_folds(const scoring *s, clg_fold_kind kind, const char **names) {
    const clg_validation *v = s->rows->validation;
    int count = 0;
    for (int i = 0; i < v->runs; i++) {
        const char *key = s->rows->key[kind][i];
        bool seen = !*key || v->run[i].held_out;
        for (int j = 0; j < count && !seen; j++) seen = strcmp(names[j], key) == 0;
        if (!seen) names[count++] = key;
    }
    return count;
}

/* Its runs, and all others that may be fitted on. */
static void split(const scoring *s, clg_fold_kind kind, const char *name, bool *inside,
                  bool *others) {
    const clg_validation *v = s->rows->validation;
    for (int i = 0; i < v->runs; i++) {
        bool may = *s->rows->key[kind][i] && !v->run[i].held_out;
        inside[i] = may && strcmp(s->rows->key[kind][i], name) == 0;
        others[i] = may && !inside[i];
    }
}

static void predict_one(const scoring *s, clg_fold_kind kind, const char *name) {
    clg_arena scratch = {0};
    int runs = s->rows->validation->runs;
    clg_stacks stacks;
    bool *inside = clg_take(&scratch, (size_t)runs + 1, bool);
    bool *others = clg_take(&scratch, (size_t)runs + 1, bool);
    split(s, kind, name, inside, others);
    for (int i = 0; i < runs; i++) s->counts[i] = s->counts[i] || inside[i];
    clg_stacks_fit(&scratch, s->rows->fitting, inside, &s->rows->whole, &stacks);
    predict_fold(s, &stacks, inside, others, kind == CLG_FOLD_GENERATION);
    clg_arena_clear(&scratch);
}

static clg_miss miss_of(const clg_run *r) {
    return (clg_miss){log(r->predicted.step_s / r->measured_step_s), r->predicted.doubt, r->stack,
                      r->source};
}

/* Errors of all runs, each without its own fold: where the widths for every fold start from. */
static void note_misses(const scoring *s) {
    int runs = s->rows->validation->runs;
    s->miss[0] = clg_take(s->arena, (size_t)runs + 1, clg_miss);
    for (int i = 0; i < runs; i++)
        if (s->counts[i] && clg_run_timed(&s->unseen[i])) s->miss[0][i] = miss_of(&s->unseen[i]);
    for (int fold = 1; fold <= s->folds; fold++) {
        s->miss[fold] = clg_take(s->arena, (size_t)runs + 1, clg_miss);
        memcpy(s->miss[fold], s->miss[0], (size_t)runs * sizeof **s->miss);
    }
}

static bool share_stack(const scoring *s, const bool *a, const bool *b) {
    const clg_validation *v = s->rows->validation;
    for (int i = 0; i < v->runs; i++) {
        if (!a[i] || strcmp(v->run[i].stack, s->rows->standard.name) == 0) continue;
        for (int j = 0; j < v->runs; j++)
            if (b[j] && strcmp(v->run[i].stack, v->run[j].stack) == 0) return true;
    }
    return false;
}

static void note_pair(const scoring *s, const clg_stacks *stacks, const bool *rows,
                      clg_miss *miss) {
    unseen how = {stacks, &s->rows->standard, false, NULL};
    for (int i = 0; i < s->rows->validation->runs; i++) {
        clg_run run;
        if (!rows[i]) continue;
        predict_row(s->rows, i, &how, &run);
        if (clg_run_timed(&run)) miss[i] = miss_of(&run);
    }
}

/* Generations are too few to be left out two at a time, little would be left to fit: without one,
 * the others are predicted without their source. */
static void note_sources(const scoring *s, int fold) {
    clg_arena scratch = {0};
    int runs = s->rows->validation->runs;
    const char **name = clg_take(&scratch, (size_t)runs + 1, const char *);
    bool *in_fold = clg_take(&scratch, (size_t)runs + 1, bool);
    bool *in_source = clg_take(&scratch, (size_t)runs + 1, bool);
    bool *both = clg_take(&scratch, (size_t)runs + 1, bool);
    bool *others = clg_take(&scratch, (size_t)runs + 1, bool);
    int sources = find_folds(s, CLG_FOLD_SOURCE, name);
    split(s, CLG_FOLD_GENERATION, s->name[fold], in_fold, others);
    for (int k = 0; k < sources; k++) {
        clg_stacks stacks;
        int left = 0;
        split(s, CLG_FOLD_SOURCE, name[k], in_source, others);
        for (int i = 0; i < runs; i++) {
            both[i] = in_fold[i] || in_source[i];
            in_source[i] = in_source[i] && !in_fold[i];
            left += in_source[i];
        }
        if (left == 0) continue;
        clg_stacks_fit(&scratch, s->rows->fitting, both, &s->rows->whole, &stacks);
        note_pair(s, &stacks, in_source, s->miss[fold + 1]);
    }
    clg_arena_clear(&scratch);
}

/* Two folds of one stack say of each other's errors what they are: each is predicted without both
 * before it widens the other's interval. Folds that only share a family, or the mean of all, are
 * not: that would be another square of the work. */
static void note_pairs(const scoring *s, clg_fold_kind kind, clg_validate_tell tell,
                       void *context) {
    size_t runs = (size_t)s->rows->validation->runs + 1;
    for (int a = 0; a < s->folds; a++) {
        if (tell) tell(context, s->folds + a, 2 * s->folds);
        if (kind == CLG_FOLD_GENERATION) note_sources(s, a);
        for (int b = a + 1; b < s->folds && kind != CLG_FOLD_GENERATION; b++) {
            clg_arena scratch = {0};
            clg_stacks stacks;
            bool *in_a = clg_take(&scratch, runs, bool), *in_b = clg_take(&scratch, runs, bool);
            bool *both = clg_take(&scratch, runs, bool), *others = clg_take(&scratch, runs, bool);
            split(s, kind, s->name[a], in_a, others);
            split(s, kind, s->name[b], in_b, others);
            if (share_stack(s, in_a, in_b)) {
                for (size_t i = 0; i + 1 < runs; i++) both[i] = in_a[i] || in_b[i];
                clg_stacks_fit(&scratch, s->rows->fitting, both, &s->rows->whole, &stacks);
                note_pair(s, &stacks, in_b, s->miss[a + 1]);
                note_pair(s, &stacks, in_a, s->miss[b + 1]);
            }
            clg_arena_clear(&scratch);
        }
    }
}

static void widen(const scoring *s, const clg_interval_widths *widths, const bool *inside,
                  clg_run *runs) {
    for (int i = 0; i < s->rows->validation->runs; i++) {
        clg_run *r = &runs[i];
        clg_stack stack = s->rows->standard;
        if (!inside[i] || !r->stack || !clg_run_timed(r)) continue;
        clg_interval_widths_apply(widths, r->stack, &stack);
        clg_evaluation_widen(&r->predicted, clg_doubt_sigma(&r->predicted.doubt, &stack));
    }
}

static clg_fold score_one(const scoring *s, clg_fold_kind kind, int fold) {
    int runs = s->rows->validation->runs;
    clg_interval_widths widths;
    bool *inside = clg_take(s->arena, (size_t)runs + 1, bool);
    bool *others = clg_take(s->arena, (size_t)runs + 1, bool);
    split(s, kind, s->name[fold], inside, others);
    clg_widths_fit(s->arena, s->miss[fold + 1], others, runs, &s->rows->standard, &widths);
    widen(s, &widths, inside, s->unseen);
    widen(s, &widths, inside, s->generic);
    return score_fold(s, inside, s->name[fold], kind == CLG_FOLD_GENERATION);
}

/* Runs in no fit, by the terms fitted to all others and the widths of all folds. */
static clg_fold score_held_out(const scoring *s, const clg_interval_widths *widths) {
    const clg_validation *v = s->rows->validation;
    bool *inside = clg_take(s->arena, (size_t)v->runs + 1, bool);
    bool *others = clg_take(s->arena, (size_t)v->runs + 1, bool);
    for (int i = 0; i < v->runs; i++) {
        inside[i] = *s->rows->key[CLG_FOLD_SOURCE][i] && v->run[i].held_out;
        others[i] = *s->rows->key[CLG_FOLD_SOURCE][i] && !v->run[i].held_out;
    }
    predict_fold(s, &s->rows->whole, inside, others, false);
    widen(s, widths, inside, s->unseen);
    return score_fold(s, inside, "held out", false);
}

void clg_leave_out_score(clg_arena *arena, clg_leave_out_rows *rows, clg_fold_kind kind,
                         clg_validate_tell tell, void *context, clg_leave_out *scores) {
    size_t runs = (size_t)rows->validation->runs + 1;
    scoring s = {.arena = arena, .rows = rows};
    clg_leave_out l = {.kind = kind, .stacks = rows->whole};
    s.unseen = clg_take(arena, runs, clg_run);
    memcpy(s.unseen, rows->validation->run, (runs - 1) * sizeof *s.unseen);
    s.generic = clg_take(arena, runs, clg_run);
    s.counts = clg_take(arena, runs, bool);
    s.new_stack = clg_take(arena, runs, bool);
    s.name = clg_take(arena, runs, const char *);
    s.folds = find_folds(&s, kind, s.name);
    s.miss = clg_take(arena, (size_t)s.folds + 1, clg_miss *);
    for (int i = 0; i < s.folds; i++) {
        if (tell) tell(context, i, 2 * s.folds);
        predict_one(&s, kind, s.name[i]);
    }
    note_misses(&s);
    note_pairs(&s, kind, tell, context);
    l.fold = clg_take(arena, (size_t)s.folds + 1, clg_fold);
    for (; l.folds < s.folds; l.folds++) {
        l.fold[l.folds] = score_one(&s, kind, l.folds);
        l.folds_in_sight += l.fold[l.folds].in_sight.mape / s.folds;
        l.folds_unseen += l.fold[l.folds].unseen.mape / s.folds;
    }
    l.all = score_fold(&s, s.counts, "all", kind == CLG_FOLD_GENERATION);
    clg_widths_fit(arena, s.miss[0], s.counts, rows->validation->runs, &rows->standard, &l.widths);
    l.held_out = score_held_out(&s, &l.widths);
    l.run = s.unseen;
    l.new_stack = s.new_stack;
    *scores = l;
}
