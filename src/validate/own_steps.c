/* own_steps.c -- fits each source's own smallest runs and predicts its others. */
#include "validate/own_steps.h"

#include "calibrate/calibrate.h"
#include "validate/score.h"

#include <math.h>
#include <string.h>

enum { FEWEST_LEFT = 3 }; /* runs to score that make a mean */

typedef struct scoring {
    const clg_validation *validation;
    const clg_csv **table; /* [runs] */
    int *row;              /* [runs] of its table */
    int *member;           /* [members] runs of the group at hand, those on few GPUs first */
    int members;
    bool one_model; /* a group is of one model and sequence length */
} scoring;

static double flop_per_token(const clg_run *run) {
    const clg_layout *l = &run->predicted.layout;
    return run->model_flop / clg_layout_tokens(l);
}

static bool same_group(const scoring *s, const clg_run *a, const clg_run *b) {
    if (s->one_model && fabs(flop_per_token(a) / flop_per_token(b) - 1) > 1e-9) return false;
    return clg_run_timed(a) && clg_run_timed(b) && strcmp(a->source, b->source) == 0 &&
           strcmp(a->stack, b->stack) == 0 && strcmp(a->group, b->group) == 0;
}

/* The runs like this one, or none: the group began at an earlier run. */
static void gather(scoring *s, int first) {
    const clg_run *run = s->validation->run;
    s->members = 0;
    for (int i = 0; i < s->validation->runs; i++) {
        if (!same_group(s, &run[first], &run[i])) continue;
        if (i < first) return;
        int at = s->members++;
        for (; at > 0 && run[s->member[at - 1]].gpus > run[i].gpus; at--)
            s->member[at] = s->member[at - 1];
        s->member[at] = i;
    }
}

static clg_measured_step step_of(clg_arena *arena, const scoring *s, int run) {
    clg_plan *plan = clg_take(arena, 1, clg_plan);
    clg_scenario *scenario = clg_take(arena, 1, clg_scenario);
    clg_evaluation evaluation = {0};
    clg_arena scratch = clg_arena_beside(arena);
    if (!clg_plan_read(arena, s->table[run], s->row[run], plan))
        clg_plan_predict(&scratch, plan, NULL, NULL, scenario, &evaluation);
    clg_arena_clear(&scratch);
    return (clg_measured_step){scenario, evaluation.layout,
                               s->validation->run[run].measured_step_s};
}

static void score_constant(clg_arena *arena, const scoring *s, clg_own_source *source) {
    const clg_validation *v = s->validation;
    bool *own = clg_take(arena, (size_t)v->runs, bool);
    for (int i = 0; i < v->runs; i++) own[i] = false;
    for (int i = 0; i < CLG_OWN_STEPS; i++) own[s->member[i]] = true;
    double rate = clg_best_rate(v->run, own, v->runs, v->run[s->member[0]].group);
    for (int i = CLG_OWN_STEPS; i < s->members; i++) {
        const clg_run *run = &v->run[s->member[i]];
        double seconds = run->model_flop / rate / (double)run->gpus;
        source->constant += fabs(seconds / run->measured_step_s - 1);
    }
}

static void score_group(const scoring *s, clg_own_source *source) {
    clg_arena arena = {0};
    clg_measured_step *step = clg_take(&arena, (size_t)s->members, clg_measured_step);
    for (int i = 0; i < s->members; i++) step[i] = step_of(&arena, s, s->member[i]);
    for (int own = 1; own <= CLG_OWN_STEPS; own++) {
        clg_calibration fitted;
        clg_calibrate_steps(&arena, step, own, &fitted);
        for (int i = CLG_OWN_STEPS; i < s->members; i++)
            source->after[own - 1] +=
                fabs(clg_calibrate_step_s(&fitted, &step[i]) / step[i].step_s - 1);
    }
    for (int i = CLG_OWN_STEPS; i < s->members; i++)
        source->before += fabs(s->validation->run[s->member[i]].error);
    score_constant(&arena, s, source);
    source->runs += s->members - CLG_OWN_STEPS;
    clg_arena_clear(&arena);
}

static void finish(clg_own_source *source) {
    source->before /= source->runs;
    source->constant /= source->runs;
    for (int i = 0; i < CLG_OWN_STEPS; i++) source->after[i] /= source->runs;
}

/* The source of a run, added when it is new. */
static clg_own_source *source_of(clg_own_steps *scores, const clg_run *run) {
    for (int i = 0; i < scores->sources; i++)
        if (strcmp(scores->source[i].source, run->source) == 0) return &scores->source[i];
    clg_own_source *source = &scores->source[scores->sources++];
    *source = (clg_own_source){.source = run->source, .held_out = true};
    return source;
}

/* The groups, and what each adds to its source. */
typedef struct groups {
    scoring *group;
    clg_own_source *sum;
    int count;
} groups;

static void score_one(void *context, int index, clg_arena *arena) {
    const groups *g = context;
    (void)arena;
    score_group(&g->group[index], &g->sum[index]);
}

static void add(clg_own_source *source, const clg_own_source *more) {
    source->before += more->before;
    source->constant += more->constant;
    for (int i = 0; i < CLG_OWN_STEPS; i++) source->after[i] += more->after[i];
    source->runs += more->runs;
}

static int *kept(clg_arena *arena, const int *member, int members) {
    int *copy = clg_take(arena, (size_t)members, int);
    memcpy(copy, member, (size_t)members * sizeof *copy);
    return copy;
}

void clg_own_steps_score(clg_arena *arena, const clg_csv *tables, int count,
                         const clg_validation *validation, bool one_model, clg_progress progress,
                         clg_own_steps *scores) {
    size_t runs = (size_t)validation->runs + 1;
    scoring s = {.validation = validation,
                 .one_model = one_model,
                 .table = clg_take(arena, runs, const clg_csv *),
                 .row = clg_take(arena, runs, int),
                 .member = clg_take(arena, runs, int)};
    clg_own_steps all = {clg_take(arena, runs, clg_own_source), 0};
    groups g = {clg_take(arena, runs, scoring), clg_take(arena, runs, clg_own_source), 0};
    clg_rows_of_tables(tables, count, s.table, s.row);
    for (int i = 0; i < validation->runs; i++) {
        gather(&s, i);
        if (s.members < CLG_OWN_STEPS + FEWEST_LEFT) continue;
        g.group[g.count] = s;
        g.group[g.count++].member = kept(arena, s.member, s.members);
    }
    clg_cores_each(progress, arena, g.count, score_one, &g);
    for (int i = 0; i < g.count; i++) {
        const clg_run *run = &validation->run[g.group[i].member[0]];
        clg_own_source *source = source_of(&all, run);
        source->held_out = source->held_out && run->held_out;
        add(source, &g.sum[i]);
    }
    for (int i = 0; i < all.sources; i++) finish(&all.source[i]);
    *scores = all;
}
