/* leave_out.c -- refits the stacks without each fold and predicts it. */
#include "validate/leave_out.h"

#include "evaluate/interval.h"
#include "validate/left_rows.h"
#include "validate/score.h"

#include <math.h>
#include <string.h>

const clg_name clg_fold_names[] = {
    {"source", CLG_FOLD_SOURCE, "all runs of a paper, page or grid"},
    {"model", CLG_FOLD_MODEL, "all runs of models with these layers, width and experts"},
    {"generation", CLG_FOLD_GENERATION, "all runs on GPUs of a generation"},
    {NULL, 0, NULL}};

/* What becomes of the runs of a kind of folds. */
typedef struct scoring {
    clg_arena *arena;
    clg_leave_out_rows *rows;
    clg_fold_kind kind;
    clg_run *unseen, *generic; /* [runs] as predicted without their fold */
    bool *counts, *new_stack;  /* [runs] in a fold; of a stack without other runs */
    const char **name;         /* [folds] */
    int *fold_of, *source_of;  /* [runs] -1: none */
    int folds, sources;
    clg_stacks *fit;    /* [folds] */
    clg_fold *score;    /* [folds] */
    const char **stack; /* [stacks] that are known by name */
    bool *has;          /* [folds][stacks] */
    int stacks;
    clg_miss **miss; /* [1 + folds][runs] without their own fold; and without that one too */
} scoring;

static void predict_row(const clg_leave_out_rows *r, int i, const clg_unseen *how, clg_run *run) {
    clg_arena scratch = {0};
    clg_scenario *scenario = clg_take(&scratch, 1, clg_scenario);
    clg_evaluation e;
    *run = r->validation->run[i];
    run->reason =
        clg_unseen_predict(&scratch, r->plan[i], how, scenario, &e) ? "not predicted" : NULL;
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
                         const bool *others) {
    int count = s->rows->validation->runs;
    for (int i = 0; i < count; i++) {
        if (!inside[i]) continue;
        clg_unseen how = {stacks, &s->rows->standard, false, &s->new_stack[i]};
        predict_row(s->rows, i, &how, &s->unseen[i]);
        fill_constant(s, others, i);
        how.generic = true;
        if (s->kind == CLG_FOLD_GENERATION) predict_row(s->rows, i, &how, &s->generic[i]);
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

static clg_fold score_fold(const scoring *s, clg_arena *arena, const bool *counts,
                           const char *name) {
    const clg_validation *v = s->rows->validation;
    clg_fold f = {.name = name};
    for (int i = 0; i < v->runs; i++) f.new_stack += counts[i] && s->new_stack[i];
    f.in_sight = clg_score_runs(arena, v->run, counts, v->runs, name);
    f.unseen = clg_score_runs(arena, s->unseen, counts, v->runs, name);
    f.beside_constant = beside_constant(s, counts);
    if (s->kind == CLG_FOLD_GENERATION)
        f.generic = clg_score_runs(arena, s->generic, counts, v->runs, name);
    return f;
}

/* Folds in the order of their first run, and the fold of every run that may be fitted on. */
static int find_folds(const clg_leave_out_rows *rows, clg_fold_kind kind, const char **names,
                      int *fold_of) {
    int count = 0;
    for (int i = 0; i < rows->validation->runs; i++) {
        const char *key = rows->key[kind][i];
        fold_of[i] = -1;
        if (!*key || rows->validation->run[i].held_out) continue;
        for (int j = 0; j < count && fold_of[i] < 0; j++)
            if (strcmp(names[j], key) == 0) fold_of[i] = j;
        if (fold_of[i] < 0) names[fold_of[i] = count++] = key;
    }
    return count;
}

/* Which stacks a fold has runs of. Those nobody knows are not one stack. */
static void find_stacks(scoring *s) {
    const clg_validation *v = s->rows->validation;
    s->stack = clg_take(s->arena, (size_t)v->runs + 1, const char *);
    int *of = clg_take(s->arena, (size_t)v->runs + 1, int);
    for (int i = 0; i < v->runs; i++) {
        of[i] = -1;
        if (s->fold_of[i] < 0 || strcmp(v->run[i].stack, s->rows->standard.name) == 0) continue;
        for (int k = 0; k < s->stacks && of[i] < 0; k++)
            if (strcmp(s->stack[k], v->run[i].stack) == 0) of[i] = k;
        if (of[i] < 0) s->stack[of[i] = s->stacks++] = v->run[i].stack;
    }
    s->has = clg_take(s->arena, (size_t)(s->folds * s->stacks) + 1, bool);
    for (int i = 0; i < v->runs; i++)
        if (of[i] >= 0) s->has[s->fold_of[i] * s->stacks + of[i]] = true;
}

static bool share_stack(const scoring *s, int a, int b) {
    for (int k = 0; k < s->stacks; k++)
        if (s->has[a * s->stacks + k] && s->has[b * s->stacks + k]) return true;
    return false;
}

static bool *runs_of(clg_arena *arena, const scoring *s, int fold) {
    bool *inside = clg_take(arena, (size_t)s->rows->validation->runs + 1, bool);
    for (int i = 0; i < s->rows->validation->runs; i++) inside[i] = s->fold_of[i] == fold;
    return inside;
}

/* All others that may be fitted on. */
static bool *others_of(clg_arena *arena, const scoring *s, int fold) {
    bool *others = clg_take(arena, (size_t)s->rows->validation->runs + 1, bool);
    for (int i = 0; i < s->rows->validation->runs; i++)
        others[i] = s->fold_of[i] >= 0 && s->fold_of[i] != fold;
    return others;
}

static void predict_one(void *context, int fold, clg_arena *arena) {
    const scoring *s = context;
    bool *inside = runs_of(arena, s, fold), *others = others_of(arena, s, fold);
    clg_stacks_without without = {inside, inside, {&s->rows->whole}};
    clg_stacks_fit(arena, s->rows->fitting, &without, &s->fit[fold]);
    predict_fold(s, &s->fit[fold], inside, others);
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

static void note_pair(const scoring *s, const clg_stacks *stacks, const bool *rows,
                      clg_miss *miss) {
    clg_unseen how = {stacks, &s->rows->standard, false, NULL};
    for (int i = 0; i < s->rows->validation->runs; i++) {
        clg_run run;
        if (!rows[i]) continue;
        predict_row(s->rows, i, &how, &run);
        if (clg_run_timed(&run)) miss[i] = miss_of(&run);
    }
}

/* Generations are too few to be left out two at a time, little would be left to fit: without one,
 * the others are predicted without their source. */
static void note_source(void *context, int index, clg_arena *arena) {
    const scoring *s = context;
    int fold = index / s->sources, source = index % s->sources, runs = s->rows->validation->runs;
    bool *both = clg_take(arena, (size_t)runs + 1, bool), *left = runs_of(arena, s, fold);
    int count = 0;
    for (int i = 0; i < runs; i++) {
        bool in_source = s->source_of[i] == source;
        both[i] = left[i] || in_source;
        left[i] = !left[i] && in_source;
        count += left[i];
    }
    if (count == 0) return;
    clg_stacks stacks;
    clg_stacks_without without = {both, left, {&s->rows->whole, &s->fit[fold]}};
    clg_stacks_fit(arena, s->rows->fitting, &without, &stacks);
    note_pair(s, &stacks, left, s->miss[fold + 1]);
}

/* Two folds of one stack say of each other's errors what they are: each is predicted without both
 * before it widens the other's interval. Folds that only share a family, or the mean of all, are
 * not: that would be another square of the work. */
static void note_folds(void *context, int index, clg_arena *arena) {
    const scoring *s = context;
    int a = index / s->folds, b = index % s->folds, runs = s->rows->validation->runs;
    if (b <= a || !share_stack(s, a, b)) return;
    bool *in_a = runs_of(arena, s, a), *in_b = runs_of(arena, s, b);
    bool *both = clg_take(arena, (size_t)runs + 1, bool);
    for (int i = 0; i < runs; i++) both[i] = in_a[i] || in_b[i];
    clg_stacks stacks;
    clg_stacks_without without = {both, both, {&s->rows->whole, &s->fit[a], &s->fit[b]}};
    clg_stacks_fit(arena, s->rows->fitting, &without, &stacks);
    note_pair(s, &stacks, in_b, s->miss[a + 1]);
    note_pair(s, &stacks, in_a, s->miss[b + 1]);
}

/* Pieces of work that leave nothing in their arenas. */
typedef struct passing {
    clg_piece *piece;
    scoring *of;
} passing;

static void pass(void *context, int index, clg_arena *arena) {
    const passing *p = context;
    p->piece(p->of, index, arena);
    clg_arena_clear(arena);
}

static void pass_each(scoring *s, clg_progress progress, int count, clg_piece *piece) {
    passing p = {piece, s};
    clg_arena scratch = {0};
    clg_cores_each(progress, &scratch, count, pass, &p);
    clg_arena_clear(&scratch);
}

static void widen(const scoring *s, const clg_interval_widths *widths, const bool *inside,
                  clg_run *runs) {
    for (int i = 0; i < s->rows->validation->runs; i++) {
        clg_run *r = &runs[i];
        clg_stack stack = s->rows->standard;
        if (!inside[i] || !r->stack || !clg_run_timed(r)) continue;
        clg_interval_widths_apply(widths, r->stack, &stack);
        clg_evaluation_widen(&r->predicted, clg_doubt_sides(&r->predicted.doubt, &stack));
    }
}

static void score_one(void *context, int fold, clg_arena *arena) {
    const scoring *s = context;
    clg_interval_widths widths;
    bool *inside = runs_of(arena, s, fold), *others = others_of(arena, s, fold);
    clg_widths_fit(arena, s->miss[fold + 1], others, s->rows->validation->runs, &s->rows->standard,
                   &widths);
    widen(s, &widths, inside, s->unseen);
    widen(s, &widths, inside, s->generic);
    s->score[fold] = score_fold(s, arena, inside, s->name[fold]);
}

/* Runs in no fit, by the terms fitted to all others and the widths of all folds. */
static clg_fold score_held_out(scoring *s, const clg_interval_widths *widths) {
    const clg_validation *v = s->rows->validation;
    bool *inside = clg_take(s->arena, (size_t)v->runs + 1, bool);
    bool *others = clg_take(s->arena, (size_t)v->runs + 1, bool);
    for (int i = 0; i < v->runs; i++) {
        inside[i] = *s->rows->key[CLG_FOLD_SOURCE][i] && v->run[i].held_out;
        others[i] = *s->rows->key[CLG_FOLD_SOURCE][i] && !v->run[i].held_out;
    }
    clg_fold_kind kind = s->kind;
    s->kind = CLG_FOLD_SOURCE; /* nothing of them with the curves of another generation */
    predict_fold(s, &s->rows->whole, inside, others);
    widen(s, widths, inside, s->unseen);
    clg_fold fold = score_fold(s, s->arena, inside, "held out");
    s->kind = kind;
    return fold;
}

static scoring begin_kind(clg_arena *arena, clg_leave_out_rows *rows, clg_fold_kind kind) {
    size_t runs = (size_t)rows->validation->runs + 1;
    scoring s = {.arena = arena, .rows = rows, .kind = kind};
    s.unseen = clg_take(arena, runs, clg_run);
    memcpy(s.unseen, rows->validation->run, (runs - 1) * sizeof *s.unseen);
    s.generic = clg_take(arena, runs, clg_run);
    s.counts = clg_take(arena, runs, bool);
    s.new_stack = clg_take(arena, runs, bool);
    s.name = clg_take(arena, runs, const char *);
    s.fold_of = clg_take(arena, runs, int);
    s.source_of = clg_take(arena, runs, int);
    s.sources = find_folds(rows, CLG_FOLD_SOURCE, s.name, s.source_of);
    s.folds = find_folds(rows, kind, s.name, s.fold_of);
    find_stacks(&s);
    for (size_t i = 0; i + 1 < runs; i++) s.counts[i] = s.fold_of[i] >= 0;
    s.fit = clg_take(arena, (size_t)s.folds + 1, clg_stacks);
    s.score = clg_take(arena, (size_t)s.folds + 1, clg_fold);
    s.miss = clg_take(arena, (size_t)s.folds + 1, clg_miss *);
    return s;
}

void clg_leave_out_score(clg_arena *arena, clg_leave_out_rows *rows, clg_fold_kind kind,
                         clg_progress progress, clg_leave_out *scores) {
    scoring s = begin_kind(arena, rows, kind);
    clg_leave_out l = {.kind = kind, .stacks = rows->whole, .fold = s.score, .folds = s.folds};
    clg_cores_each(progress, arena, s.folds, predict_one, &s);
    note_misses(&s);
    if (kind == CLG_FOLD_GENERATION)
        pass_each(&s, progress, s.folds * s.sources, note_source);
    else
        pass_each(&s, progress, s.folds * s.folds, note_folds);
    pass_each(&s, progress, s.folds, score_one);
    for (int i = 0; i < s.folds; i++) {
        l.folds_in_sight += l.fold[i].in_sight.mape / s.folds;
        l.folds_unseen += l.fold[i].unseen.mape / s.folds;
    }
    l.all = score_fold(&s, arena, s.counts, "all");
    clg_widths_fit(arena, s.miss[0], s.counts, rows->validation->runs, &rows->standard, &l.widths);
    l.held_out = score_held_out(&s, &l.widths);
    l.run = s.unseen;
    *scores = l;
}
