/* pairs.c -- finds rows that differ in one thing, and the term that would close their gap. */
#include "validate/pairs.h"

#include "base/quantile.h"
#include "validate/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a plan is. Columns of one group change together and count as one thing. */
typedef struct plan_column {
    const char *column, *group;
} plan_column;

static const plan_column PLAN[] = {{"model", "model"},
                                   {"layers", "model"},
                                   {"hidden", "model"},
                                   {"ffn", "model"},
                                   {"gated", "model"},
                                   {"heads", "model"},
                                   {"kv_heads", "model"},
                                   {"head_dim", "model"},
                                   {"vocab", "model"},
                                   {"tied", "model"},
                                   {"experts", "model"},
                                   {"experts_per_token", "model"},
                                   {"shared_experts", "model"},
                                   {"expert_ffn", "model"},
                                   {"dense_layers", "model"},
                                   {"seq", "seq"},
                                   {"gpu", "gpu"},
                                   {"gpus", "gpus"},
                                   {"gpus_per_node", "gpus"},
                                   {"inter_gbit_per_s_per_gpu", "fabric"},
                                   {"stack", "stack"},
                                   {"date", "stack"},
                                   {"precision", "precision"},
                                   {"attention", "attention"},
                                   {"recompute", "recompute"},
                                   {"zero", "zero"},
                                   {"shard_group", "zero"},
                                   {"tp", "tp"},
                                   {"sp", "sp"},
                                   {"cp", "cp"},
                                   {"ep", "ep"},
                                   {"etp", "ep"},
                                   {"pp", "pp"},
                                   {"vpp", "vpp"},
                                   {"schedule", "vpp"},
                                   {"micro_batch", "micro_batch"},
                                   {"global_batch", "global_batch"}};
enum { COLUMNS = sizeof PLAN / sizeof *PLAN };

/* What looking for pairs reads. */
typedef struct finder {
    clg_arena *arena;
    const clg_validation *v;
    const char ***field; /* [runs][COLUMNS] */
} finder;

static void read_fields(finder *f, const clg_csv *tables, int count) {
    int run = 0;
    f->field = clg_take(f->arena, (size_t)f->v->runs + 1, const char **);
    for (int i = 0; i < count; i++)
        for (int row = 0; row < tables[i].rows; row++, run++) {
            f->field[run] = clg_take(f->arena, COLUMNS, const char *);
            for (int c = 0; c < COLUMNS; c++) {
                const char *word = clg_csv_field(&tables[i], row, PLAN[c].column);
                f->field[run][c] = word ? word : "";
            }
        }
}

static double tokens_of(const clg_run *r) { return clg_layout_tokens(&r->predicted.layout); }

/* A batch that grows with the GPUs is the same work for each of them, and one that keeps the
 * tokens when the sequence changes the same step. */
static bool follows(const clg_run *a, const clg_run *b, const char *group, const char *changed) {
    if (strcmp(group, "global_batch") != 0) return false;
    if (strcmp(changed, "gpus") == 0)
        return fabs(tokens_of(a) / (double)a->gpus / (tokens_of(b) / (double)b->gpus) - 1) < 1e-9;
    return strcmp(changed, "seq") == 0 || strcmp(changed, "micro_batch") == 0;
}

/* The one group in which two rows differ, as the place of its first column that does; -1: several,
 * or none. */
static int difference(const finder *f, int a, int b) {
    const clg_run *ra = &f->v->run[a], *rb = &f->v->run[b];
    int found = -1;
    for (int c = 0; c < COLUMNS; c++) {
        if (strcmp(f->field[a][c], f->field[b][c]) == 0) continue;
        if (found < 0)
            found = c;
        else if (strcmp(PLAN[found].group, PLAN[c].group) != 0 &&
                 !follows(ra, rb, PLAN[c].group, PLAN[found].group))
            return -1;
    }
    return found;
}

/* Numbers by size, a blank before all; words by letters. */
static int compare(const char *a, const char *b) {
    char *end_a, *end_b;
    double x = strtod(a, &end_a), y = strtod(b, &end_b);
    if (*a && *b && !*end_a && !*end_b) return (x > y) - (x < y);
    return strcmp(a, b);
}

static double per_token(const clg_run *r, double step_s) {
    return step_s * (double)r->gpus / tokens_of(r);
}

/* The factor on a term at which the predicted ratio is the measured one: (A + x a) / (B + x b) = m
 * with x = factor - 1. 0: no positive factor does it. */
static double closing_factor(const clg_run *from, const clg_run *to, int term, double measured) {
    double a = per_token(to, to->predicted.step_s), b = per_token(from, from->predicted.step_s);
    double ta = per_token(to, to->predicted.time.term_s[term]),
           tb = per_token(from, from->predicted.time.term_s[term]);
    double slope = ta - measured * tb;
    if (fabs(slope) < 1e-6 * a) return 0;
    double factor = 1 + (measured * b - a) / slope;
    return factor > 0 && isfinite(factor) ? factor : 0;
}

/* Of the terms that close the gap, the one that does it with the fewest seconds: halving the
 * compute does what doubling all else would, but moves more. */
static void name_term(const clg_run *from, const clg_run *to, clg_pair *pair) {
    double least = INFINITY;
    for (int term = 0; term < CLG_LEDGER_TERMS; term++) {
        double factor = closing_factor(from, to, term, pair->measured);
        double moved = fabs(factor - 1) * (per_token(to, to->predicted.time.term_s[term]) +
                                           per_token(from, from->predicted.time.term_s[term]));
        if (factor <= 0 || moved >= least) continue;
        least = moved;
        pair->term = clg_ledger_terms[term].key;
        pair->factor = factor;
    }
}

/* The row with the next value in the same column, all else the same; -1: none. */
static int next_of(const finder *f, int a, int column) {
    int next = -1;
    for (int b = 0; b < f->v->runs; b++) {
        const clg_run *r = &f->v->run[b];
        if (b == a || !clg_run_timed(r) || strcmp(r->source, f->v->run[a].source) != 0) continue;
        if (difference(f, a, b) != column) continue;
        if (compare(f->field[b][column], f->field[a][column]) <= 0) continue;
        if (next < 0 || compare(f->field[b][column], f->field[next][column]) < 0) next = b;
    }
    return next;
}

static clg_pair pair_of(const finder *f, int a, int b, int column) {
    const clg_run *from = &f->v->run[a], *to = &f->v->run[b];
    clg_pair p = {.from = a,
                  .to = b,
                  .column = PLAN[column].column,
                  .before = f->field[a][column],
                  .after = f->field[b][column]};
    p.measured = per_token(to, to->measured_step_s) / per_token(from, from->measured_step_s);
    p.predicted = per_token(to, to->predicted.step_s) / per_token(from, from->predicted.step_s);
    name_term(from, to, &p);
    return p;
}

void clg_pairs_find(clg_arena *arena, const clg_csv *tables, int count, const clg_validation *v,
                    clg_pairs *pairs) {
    finder f = {.arena = arena, .v = v};
    size_t room = 0;
    *pairs = (clg_pairs){0};
    read_fields(&f, tables, count);
    for (int a = 0; a < v->runs; a++)
        for (int column = 0; column < COLUMNS && clg_run_timed(&v->run[a]); column++) {
            int b = next_of(&f, a, column);
            if (b < 0) continue;
            CLG_APPEND(arena, pairs->pair, pairs->count, room, pair_of(&f, a, b, column));
        }
}

static bool same_sum(const clg_validation *v, const clg_pair *p, const clg_pair_sum *s) {
    return strcmp(v->run[p->from].source, s->source) == 0 && strcmp(p->column, s->column) == 0;
}

static int close_by(const clg_validation *v, const clg_pairs *pairs, const clg_pair_sum *s,
                    const char *term, double *factors) {
    int count = 0;
    for (int i = 0; i < pairs->count; i++) {
        const clg_pair *p = &pairs->pair[i];
        if (same_sum(v, p, s) && p->term && strcmp(p->term, term) == 0)
            factors[count++] = p->factor;
    }
    return count;
}

static void name_most(clg_arena *arena, const clg_validation *v, const clg_pairs *pairs,
                      clg_pair_sum *s) {
    double *factors = clg_take(arena, (size_t)pairs->count + 1, double);
    for (int term = 0; term < CLG_LEDGER_TERMS; term++) {
        int closed = close_by(v, pairs, s, clg_ledger_terms[term].key, factors);
        if (closed <= s->closed) continue;
        clg_sort(factors, (size_t)closed);
        s->closed = closed;
        s->term = clg_ledger_terms[term].key;
        s->factor = clg_quantile(factors, closed, 0.5);
    }
}

int clg_pairs_sum(clg_arena *arena, const clg_validation *v, const clg_pairs *pairs,
                  clg_pair_sum **sums) {
    int count = 0;
    clg_pair_sum *all = clg_take(arena, (size_t)pairs->count + 1, clg_pair_sum);
    for (int i = 0; i < pairs->count; i++) {
        const clg_pair *p = &pairs->pair[i];
        int at = 0;
        while (at < count && !same_sum(v, p, &all[at])) at++;
        if (at == count)
            all[count++] = (clg_pair_sum){.source = v->run[p->from].source, .column = p->column};
        double gap = log(p->predicted / p->measured);
        all[at].pairs++;
        all[at].absolute += fabs(gap);
        all[at].mean += gap;
    }
    for (int i = 0; i < count; i++) {
        all[i].absolute /= all[i].pairs;
        all[i].mean /= all[i].pairs;
        name_most(arena, v, pairs, &all[i]);
    }
    *sums = all;
    return count;
}
