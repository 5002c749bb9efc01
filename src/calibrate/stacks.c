/* stacks.c -- a joint fit of the terms of software stacks.
 *
 * Two rounds: each stack alone, then drawn to the mean of all. That is the least-squares answer of
 * a random effect per stack and one per source (Laird & Ware, Biometrics 38(4):963-974, 1982) with
 * the squares replaced by the loss of terms.h; the spreads are stated below, not fitted in turn. */
#include "calibrate/stacks.h"

#include "base/real.h"
#include "calibrate/stack_means.h"
#include "evaluate/interval.h"

#include <math.h>
#include <string.h>

/* Log-spreads: of sources about their stack; the others are in stack_means.h. Rounded; of 0.01 to
 * 0.5 for a stack and 0.01 to 0.5 for a family they leave the least error on sources left out, and
 * half or twice of each changes it by less than a fiftieth. */
static const double SOURCE_SPREAD = 0.06;

/* What may be fitted, between physical bounds: kernels are not faster than the best ones alone, nor
 * twice as slow; a share is a share. `start` where the default has nothing to start from. */
static const clg_fit_term kinds[] = {
    {.name = "kernel_slowdown", .unit = "", .unit_si = 1, .least = 1, .most = 2, .start = 1.1},
    {.name = "gradient_overlap", .unit = "1", .unit_si = 1, .least = 0.02, .most = 1},
    {.name = "parameter_overlap", .unit = "1", .unit_si = 1, .least = 0.02, .most = 1},
    {.name = "expert_overlap", .unit = "1", .unit_si = 1, .least = 0.02, .most = 1, .start = 0.3},
    {.name = "host_launch_s",
     .unit = "us",
     .unit_si = 1e-6,
     .least = 1e-6,
     .most = 2e-4,
     .start = 3e-5},
    {.name = "rank_launches", .unit = "", .unit_si = 1, .least = 0.1, .most = 50, .start = 1},
    {.name = "host_experts_s", .unit = "ms", .unit_si = 1e-3, .least = 1e-5, .most = 0.1},
    {.name = "host_expert_s", .unit = "us", .unit_si = 1e-6, .least = 1e-7, .most = 1e-3}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };
_Static_assert((int)KINDS <= (int)CLG_STACK_TERMS, "a stack may state all of them");

/* Seconds of a run at slowdowns from 1 to 2: between them it is all but straight. */
enum { NODES = 9, MOST_OF_SOURCE = 64 };

typedef struct known_run {
    const clg_stack_run *run;
    double *seconds; /* [NODES]; NULL: more than the slowdown moves it */
    double variance; /* of everything but the stack */
    unsigned moves;  /* bit per term of its stack */
} known_run;

struct clg_stack_fitting {
    const clg_stack_run *runs;
    known_run *known; /* [count] */
    double *nodes;    /* [count][NODES] */
    int *of;          /* [count] its stack, -1: none */
    int count;
    clg_stack standard;
    clg_stack_terms *stack; /* as they start */
    int stacks;
};

/* The runs of one stack that a fit looks at. */
typedef struct chosen {
    const clg_stack_fitting *fitting;
    const clg_stack_terms *terms;
    const known_run **run;
    double *measured_s, *weight;
    int count, sources;
    double readings;
} chosen;

static bool is_fitted(const clg_json *stated) {
    const clg_json *kind = clg_json_member(stated, "kind");
    return kind && kind->text && strcmp(kind->text, "fitted") == 0;
}

/* Line of the file where a stack states a fitted term; 0 for the slowdown, which all have. -1: it
 * is not fitted. */
static int line_of(const clg_stack *stack, int kind) {
    if (kind == 0) return 0;
    const clg_json *stated = clg_stack_states(stack, kinds[kind].name);
    return is_fitted(stated) ? stated->line : -1;
}

/* A stack that names no family is one of its own. */
static const char *family_name(const clg_stack *stack) {
    return stack->family ? stack->family : stack->name;
}

static int find_stack(const clg_stack_terms *list, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].stack, name) == 0) return i;
    return -1;
}

/* The term of a stack at that line, added if it is new. */
static int term_at(clg_stack_fitting *f, clg_stack_terms *s, const clg_stack *stack, int kind,
                   int line) {
    clg_stack mine = *stack, standard = f->standard;
    for (int i = 0; i < s->terms; i++)
        if (s->term[i].line == line && strcmp(s->term[i].term.name, kinds[kind].name) == 0)
            return i;
    if (s->terms == CLG_STACK_TERMS) return -1;
    clg_stack_term *t = &s->term[s->terms];
    *t = (clg_stack_term){.term = kinds[kind], .line = line};
    t->term.from = *clg_stack_number(&standard, kinds[kind].name);
    t->term.to = t->term.from;
    t->built_in = *clg_stack_number(&mine, kinds[kind].name);
    return s->terms++;
}

/* Terms that were fitted become those of the default. */
static void put_aside(const clg_stack *standard, clg_stack *stack) {
    clg_stack from = *standard;
    for (int kind = 0; kind < KINDS; kind++)
        if (line_of(stack, kind) >= 0)
            *clg_stack_number(stack, kinds[kind].name) = *clg_stack_number(&from, kinds[kind].name);
}

/* A run's step with some terms of its stack at `values`; the others as the default has them. */
static double step_s(const clg_stack_fitting *f, const known_run *k, const clg_stack_terms *s,
                     const double *values, clg_evaluation *evaluation) {
    clg_arena scratch = {0};
    clg_scenario scenario = *k->run->scenario;
    clg_error error = {0};
    put_aside(&f->standard, &scenario.stack);
    for (int i = 0; i < s->terms; i++)
        if (k->moves & 1u << i)
            *clg_stack_number(&scenario.stack, s->term[i].term.name) = values[i];
    clg_status status =
        clg_evaluate(&scratch, &scenario, &k->run->layout, false, NULL, evaluation, &error);
    clg_arena_clear(&scratch);
    return status == CLG_OK ? evaluation->step_s : (double)NAN;
}

static double node_slowdown(int node) {
    return kinds[0].least + (kinds[0].most - kinds[0].least) * node / (NODES - 1);
}

/* Terms a run has nothing for, as those of experts where there are none: its step is the same at
 * both bounds. */
static void drop_idle(const clg_stack_fitting *f, known_run *k, const clg_stack_terms *s) {
    double values[CLG_STACK_TERMS];
    clg_evaluation evaluation;
    for (int i = 0; i < s->terms; i++) values[i] = s->term[i].term.from;
    for (int i = 1; i < s->terms; i++) {
        if (!(k->moves & 1u << i)) continue;
        values[i] = s->term[i].term.least;
        double least_s = step_s(f, k, s, values, &evaluation);
        values[i] = s->term[i].term.most;
        double most_s = step_s(f, k, s, values, &evaluation);
        values[i] = s->term[i].term.from;
        if (memcmp(&least_s, &most_s, sizeof least_s) == 0) k->moves &= ~(1u << i);
    }
}

static void fill_nodes(void *context, int run, clg_arena *arena) {
    const clg_stack_fitting *f = context;
    (void)arena;
    known_run *k = &f->known[run];
    clg_evaluation evaluation;
    if (f->of[run] < 0) return;
    drop_idle(f, k, &f->stack[f->of[run]]);
    if (k->moves & ~1u) return; /* more than the slowdown */
    k->seconds = &f->nodes[(size_t)run * NODES];
    for (int i = 0; i < NODES; i++) {
        double slowdown = node_slowdown(i);
        k->seconds[i] = step_s(f, k, &f->stack[f->of[run]], &slowdown, &evaluation);
    }
}

static double predict(const void *context, const double *values, int sample) {
    const chosen *c = context;
    const known_run *k = c->run[sample];
    clg_evaluation evaluation;
    if (!k->seconds) return step_s(c->fitting, k, c->terms, values, &evaluation);
    double at = (values[0] - node_slowdown(0)) / (node_slowdown(1) - node_slowdown(0));
    int below = at < 0 ? 0 : at > NODES - 2 ? NODES - 2 : (int)at;
    return k->seconds[below] + (at - below) * (k->seconds[below + 1] - k->seconds[below]);
}

/* Its stack, its terms, and the variance of the rest: experts, exposed traffic, borrowed curves. */
static void begin_run(clg_stack_fitting *f, int i) {
    known_run *k = &f->known[i];
    clg_evaluation evaluation = {0};
    f->of[i] = -1;
    k->run = &f->runs[i];
    if (!f->runs[i].scenario || !f->runs[i].scenario->stack.known) return;
    const clg_stack *stack = &f->runs[i].scenario->stack;
    int at = find_stack(f->stack, f->stacks, stack->name);
    if (at < 0)
        f->stack[at = f->stacks++] =
            (clg_stack_terms){.stack = stack->name, .family = family_name(stack)};
    clg_stack_terms *s = &f->stack[at];
    for (int kind = 0; kind < KINDS; kind++) {
        int line = line_of(stack, kind), term = line < 0 ? -1 : term_at(f, s, stack, kind, line);
        if (term >= 0) k->moves |= 1u << term;
    }
    clg_stack_terms none = {0};
    if (!isfinite(step_s(f, k, &none, NULL, &evaluation))) return;
    clg_stack rest = *stack;
    rest.sigma.step = CLG_RUN_SPREAD;
    rest.sigma.late = 0; /* of software seen for the first time */
    clg_sides sides = clg_doubt_sides(&evaluation.doubt, &rest);
    k->variance = (clg_square(sides.early) + clg_square(sides.late)) / 2;
    f->of[i] = at;
}

clg_status clg_stacks_begin(clg_arena *arena, const clg_stack_run *runs, int count,
                            const clg_cores *cores, clg_stack_fitting **fitting, clg_error *error) {
    clg_stack_fitting *f = clg_take(arena, 1, clg_stack_fitting);
    *f = (clg_stack_fitting){.runs = runs, .count = count};
    f->known = clg_take(arena, (size_t)count + 1, known_run);
    f->nodes = clg_take(arena, ((size_t)count + 1) * NODES, double);
    f->of = clg_take(arena, (size_t)count + 1, int);
    f->stack = clg_take(arena, (size_t)count + 1, clg_stack_terms);
    if (clg_stack_find(arena, "unknown", &f->standard, error) != CLG_OK) return error->status;
    for (int i = 0; i < count; i++) begin_run(f, i);
    clg_cores_each((clg_progress){.cores = cores}, arena, count, fill_nodes, f);
    *fitting = f;
    return CLG_OK;
}

static bool takes_part(const clg_stack_fitting *f, const bool *left_out, int stack, int run) {
    return f->of[run] == stack && !(left_out && left_out[run]);
}

/* At most so many of a source, evenly: a grid says little more by all its layouts. */
static void choose_source(chosen *c, const bool *left_out, int stack, const char *source) {
    const clg_stack_fitting *f = c->fitting;
    int all = 0, seen = 0, first = c->count;
    double sum = 0;
    for (int i = 0; i < f->count; i++)
        all += takes_part(f, left_out, stack, i) && strcmp(f->runs[i].source, source) == 0;
    int stride = (all + MOST_OF_SOURCE - 1) / MOST_OF_SOURCE;
    for (int i = 0; i < f->count; i++) {
        if (!takes_part(f, left_out, stack, i) || strcmp(f->runs[i].source, source) != 0) continue;
        if (seen++ % stride != 0) continue;
        c->run[c->count] = &f->known[i];
        c->measured_s[c->count] = f->runs[i].step_s;
        c->weight[c->count] = 1 / f->known[i].variance;
        sum += c->weight[c->count++];
    }
    double shared = 1 / (1 + clg_square(SOURCE_SPREAD) * sum);
    for (int i = first; i < c->count; i++) c->weight[i] *= shared;
    c->readings += sum * shared * clg_square(CLG_RUN_SPREAD);
    c->sources++;
}

static chosen choose(clg_arena *arena, const clg_stack_fitting *f, const bool *left_out,
                     int stack) {
    chosen c = {.fitting = f, .terms = &f->stack[stack]};
    c.run = clg_take(arena, (size_t)f->count + 1, const known_run *);
    c.measured_s = clg_take(arena, (size_t)f->count + 1, double);
    c.weight = clg_take(arena, (size_t)f->count + 1, double);
    for (int i = 0; i < f->count; i++) {
        bool first = takes_part(f, left_out, stack, i);
        for (int j = 0; j < i && first; j++)
            first = !takes_part(f, left_out, stack, j) ||
                    strcmp(f->runs[j].source, f->runs[i].source) != 0;
        if (first) choose_source(&c, left_out, stack, f->runs[i].source);
    }
    return c;
}

static void solve(clg_arena *arena, const chosen *c, clg_stack_prior slowdown, clg_stack_terms *s) {
    clg_fit_term terms[CLG_STACK_TERMS];
    clg_terms_fit fit;
    double rounding = 0.05;
    clg_problem problem = {.predict = predict,
                           .context = c,
                           .measured_s = c->measured_s,
                           .weight = c->weight,
                           .all_at_once = true,
                           .samples = c->count,
                           .samples_per_term = 1,
                           .rounding = rounding,
                           .pull = clg_square(CLG_RUN_SPREAD) / (2 * c->readings * rounding),
                           .most_calls = 60 * s->terms,
                           .most_fitted = c->count};
    for (int i = 0; i < s->terms; i++) terms[i] = c->terms->term[i].term;
    terms[0].spread = 1e3;
    if (slowdown.spread > 0) {
        terms[0].from = terms[0].start = clg_exp(slowdown.mean);
        terms[0].spread = slowdown.spread;
    }
    clg_terms_solve(arena, &problem, terms, s->terms, &fit);
    for (int i = 0; i < s->terms; i++) s->term[i].term = terms[i];
}

/* Whether two fits leave out the same runs of a stack. */
static bool same_without(const clg_stack_fitting *f, const bool *a, const bool *b, int stack) {
    for (int i = 0; i < f->count; i++)
        if (f->of[i] == stack && (a && a[i]) != (b && b[i])) return false;
    return true;
}

/* Whether a stack is that of a run whose prediction is wanted. */
static bool is_wanted(const clg_stack_fitting *f, const bool *wanted, int stack) {
    for (int i = 0; i < f->count && wanted; i++)
        if (wanted[i] && f->runs[i].scenario && f->of[i] == stack) return true;
    return !wanted;
}

static void fit_stack(clg_arena *scratch, const clg_stack_fitting *f, const bool *left_out,
                      clg_stack_prior slowdown, int stack, clg_stack_terms *fitted) {
    chosen c = choose(scratch, f, left_out, stack);
    double alone = fitted->alone;
    *fitted = f->stack[stack];
    fitted->runs = c.count;
    fitted->sources = c.sources;
    fitted->readings = c.readings;
    if (c.count > 0) solve(scratch, &c, slowdown, fitted);
    fitted->alone = slowdown.spread > 0 ? alone : fitted->term[0].term.to;
}

/* Each alone, where no other fit knows it already. */
static void fit_alone(clg_arena *scratch, const clg_stack_fitting *f, const clg_stacks_without *w,
                      clg_stacks *fitted) {
    for (int i = 0; i < f->stacks; i++) {
        const clg_stacks *same = NULL;
        for (int k = 0; k < CLG_STACKS_KNOWN && !same; k++)
            if (w->known[k] && same_without(f, w->left_out, w->known[k]->left_out, i))
                same = w->known[k];
        if (same)
            fitted->stack[i] = same->stack[i];
        else
            fit_stack(scratch, f, w->left_out, (clg_stack_prior){0}, i, &fitted->stack[i]);
    }
}

/* Drawn to the mean: those that are wanted, of which anything is left out. */
static void fit_drawn(clg_arena *scratch, const clg_stack_fitting *f, const clg_stacks_without *w,
                      clg_stacks *fitted) {
    const clg_stacks *whole = w->known[0];
    for (int i = 0; i < f->stacks; i++) {
        clg_stack_terms *s = &fitted->stack[i];
        if (whole && same_without(f, w->left_out, whole->left_out, i)) continue;
        if (is_wanted(f, w->wanted, i))
            fit_stack(scratch, f, w->left_out, clg_stacks_prior(fitted, s->stack, s->family), i, s);
    }
}

void clg_stacks_fit(clg_arena *arena, const clg_stack_fitting *fitting,
                    const clg_stacks_without *without, clg_stacks *stacks) {
    clg_arena scratch = clg_arena_beside(arena);
    clg_stacks fitted = {.count = fitting->stacks, .left_out = without->left_out};
    fitted.stack = clg_take(arena, (size_t)fitting->stacks + 1, clg_stack_terms);
    fit_alone(&scratch, fitting, without, &fitted);
    fitted.kernel_slowdown = clg_stacks_mean(&fitted, fitting->standard.kernels.slowdown);
    fit_drawn(&scratch, fitting, without, &fitted);
    clg_arena_clear(&scratch);
    *stacks = fitted;
}

bool clg_stacks_apply(const clg_stacks *stacks, const clg_stack *standard, clg_stack *stack) {
    int at = stacks && stack->known ? find_stack(stacks->stack, stacks->count, stack->name) : -1;
    const clg_stack_terms *s = at >= 0 ? &stacks->stack[at] : NULL;
    int line[KINDS];
    for (int kind = 0; kind < KINDS; kind++) line[kind] = line_of(stack, kind);
    put_aside(standard, stack);
    if (stacks)
        stack->kernels.slowdown =
            stack->known ? clg_exp(clg_stacks_prior(stacks, stack->name, family_name(stack)).mean)
                         : stacks->kernel_slowdown;
    if (!s || s->runs == 0) return false;
    for (int i = 0; i < s->terms; i++)
        for (int kind = 0; kind < KINDS; kind++)
            if (line[kind] == s->term[i].line &&
                strcmp(kinds[kind].name, s->term[i].term.name) == 0)
                *clg_stack_number(stack, kinds[kind].name) = s->term[i].term.to;
    return true;
}
