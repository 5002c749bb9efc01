/* stacks.c -- a joint fit of the terms of software stacks.
 *
 * Two rounds: each stack alone, then drawn to the mean of all. That is the least-squares answer of
 * a random effect per stack and one per source (Laird & Ware, Biometrics 38(4):963-974, 1982) with
 * the squares replaced by the loss of terms.h; the spreads are stated below, not fitted in turn. */
#include "calibrate/stacks.h"

#include "base/real.h"
#include "calibrate/minimize.h"

#include <math.h>
#include <string.h>

/* Log-spreads: of single runs about their source's mean, of sources about their stack, of stacks
 * about their family, of families about each other. Rounded; of 0.01 to 0.5 for a stack and 0.01 to
 * 0.5 for a family these leave the least error on sources left out, and half or twice of each
 * changes it by less than a fiftieth. */
static const double RUN_SPREAD = 0.06, SOURCE_SPREAD = 0.06, STACK_SPREAD = 0.03,
                    FAMILY_SPREAD = 0.1;

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
    {.name = "pipeline_launches", .unit = "", .unit_si = 1, .least = 0.1, .most = 50, .start = 1},
    {.name = "host_experts_s", .unit = "ms", .unit_si = 1e-3, .least = 1e-5, .most = 0.1},
    {.name = "host_expert_s", .unit = "us", .unit_si = 1e-6, .least = 1e-7, .most = 1e-3}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };
_Static_assert((int)KINDS <= (int)CLG_STACK_TERMS, "a stack may state all of them");

/* Seconds of a run at slowdowns from 1 to 2: between them it is all but straight. */
enum { NODES = 9, MOST_OF_SOURCE = 64 };

typedef struct known_run {
    const clg_stack_run *run;
    double *seconds; /* [NODES]; NULL: not evaluated yet */
    double variance; /* of everything but the stack */
    unsigned moves;  /* bit per term of its stack */
} known_run;

struct clg_stack_fitting {
    const clg_stack_run *runs;
    known_run *known; /* [count] */
    int *of;          /* [count] its stack, -1: none */
    int count;
    clg_stack standard;
    clg_stack_terms *stack; /* as they start */
    int stacks;
    clg_arena *arena;
};

/* The runs of one stack that a fit looks at. */
typedef struct chosen {
    clg_stack_fitting *fitting;
    const clg_stack_terms *terms;
    known_run **run;
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
static double step_s(clg_stack_fitting *f, const known_run *k, const clg_stack_terms *s,
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

static void fill_nodes(clg_stack_fitting *f, known_run *k, const clg_stack_terms *s) {
    clg_evaluation evaluation;
    k->seconds = clg_take(f->arena, NODES, double);
    for (int i = 0; i < NODES; i++) {
        double slowdown = node_slowdown(i);
        k->seconds[i] = step_s(f, k, s, &slowdown, &evaluation);
    }
}

static double predict(const void *context, const double *values, int sample) {
    const chosen *c = context;
    known_run *k = c->run[sample];
    clg_evaluation evaluation;
    if (c->terms->terms > 1) return step_s(c->fitting, k, c->terms, values, &evaluation);
    if (!k->seconds) fill_nodes(c->fitting, k, c->terms);
    double at = (values[0] - node_slowdown(0)) / (node_slowdown(1) - node_slowdown(0));
    int below = at < 0 ? 0 : at > NODES - 2 ? NODES - 2 : (int)at;
    return k->seconds[below] + (at - below) * (k->seconds[below + 1] - k->seconds[below]);
}

static double square(double x) { return x * x; }

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
    rest.sigma = RUN_SPREAD;
    k->variance = square(clg_doubt_sigma(&evaluation.doubt, &rest));
    f->of[i] = at;
}

clg_status clg_stacks_begin(clg_arena *arena, const clg_stack_run *runs, int count,
                            clg_stack_fitting **fitting, clg_error *error) {
    clg_stack_fitting *f = clg_take(arena, 1, clg_stack_fitting);
    *f = (clg_stack_fitting){.runs = runs, .count = count, .arena = arena};
    f->known = clg_take(arena, (size_t)count + 1, known_run);
    f->of = clg_take(arena, (size_t)count + 1, int);
    f->stack = clg_take(arena, (size_t)count + 1, clg_stack_terms);
    if (clg_stack_find(arena, "unknown", &f->standard, error) != CLG_OK) return error->status;
    for (int i = 0; i < count; i++) begin_run(f, i);
    *fitting = f;
    return CLG_OK;
}

static bool takes_part(const clg_stack_fitting *f, const bool *left_out, int stack, int run) {
    return f->of[run] == stack && !(left_out && left_out[run]);
}

/* At most so many of a source, evenly: a grid says little more by all its layouts. */
static void choose_source(chosen *c, const bool *left_out, int stack, const char *source) {
    clg_stack_fitting *f = c->fitting;
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
    double shared = 1 / (1 + square(SOURCE_SPREAD) * sum);
    for (int i = first; i < c->count; i++) c->weight[i] *= shared;
    c->readings += sum * shared * square(RUN_SPREAD);
    c->sources++;
}

static chosen choose(clg_arena *arena, clg_stack_fitting *f, const bool *left_out, int stack) {
    chosen c = {.fitting = f, .terms = &f->stack[stack]};
    c.run = clg_take(arena, (size_t)f->count + 1, known_run *);
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

/* Where the slowdown of a stack may lie before its own runs are looked at. */
typedef struct prior {
    double mean, spread; /* of the logarithm; spread 0: anywhere */
} prior;

static void solve(clg_arena *arena, const chosen *c, prior slowdown, clg_stack_terms *s) {
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
                           .pull = square(RUN_SPREAD) / (2 * c->readings * rounding),
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
    s->left = fit.after;
}

/* Stacks whose code is one another's say something of each other. */
static bool same_family(const clg_stack_terms *a, const char *family) {
    return strcmp(a->family, family) == 0;
}

/* A mean of logarithms, each by how sure it is. */
typedef struct mean {
    double sum, weights;
} mean;

static void add(mean *m, double value, double variance) {
    m->sum += value / variance;
    m->weights += 1 / variance;
}

static double value_of(const mean *m) { return m->sum / m->weights; }

/* Of the slowdowns in a stack's family, fitted alone, without its own. */
static mean family_of(const clg_stacks *stacks, const char *family, const char *without) {
    mean m = {0};
    for (int i = 0; i < stacks->count; i++) {
        const clg_stack_terms *s = &stacks->stack[i];
        if (s->runs == 0 || !same_family(s, family)) continue;
        if (without && strcmp(s->stack, without) == 0) continue;
        add(&m, log(s->alone), square(STACK_SPREAD) + square(RUN_SPREAD) / s->readings);
    }
    return m;
}

/* ln-mean of all families; the default's where there are none. */
static double mean_slowdown(const clg_stack_fitting *f, const clg_stacks *stacks) {
    mean all = {0};
    for (int i = 0; i < stacks->count; i++) {
        bool first = stacks->stack[i].runs > 0;
        for (int j = 0; j < i && first; j++)
            first = stacks->stack[j].runs == 0 ||
                    !same_family(&stacks->stack[j], stacks->stack[i].family);
        if (!first) continue;
        mean m = family_of(stacks, stacks->stack[i].family, NULL);
        add(&all, value_of(&m), square(FAMILY_SPREAD) + 1 / m.weights);
    }
    return all.weights > 0 ? clg_exp(value_of(&all)) : f->standard.kernel_slowdown;
}

/* From the other years of its family, and from all families. */
static prior prior_of(const clg_stacks *stacks, const char *name, const char *family) {
    mean m = family_of(stacks, family, name);
    add(&m, log(stacks->kernel_slowdown), square(FAMILY_SPREAD));
    return (prior){value_of(&m), sqrt(square(STACK_SPREAD) + 1 / m.weights)};
}

static bool touches(const clg_stack_fitting *f, const bool *left_out, int stack) {
    for (int i = 0; i < f->count && left_out; i++)
        if (f->of[i] == stack && left_out[i]) return true;
    return false;
}

/* One round over the stacks of which runs are left out, or over all: alone, or drawn to the mean.
 */
static void fit_round(clg_arena *scratch, clg_stack_fitting *f, const bool *left_out,
                      const clg_stacks *whole, bool drawn, clg_stacks *fitted) {
    for (int i = 0; i < f->stacks; i++) {
        clg_stack_terms *s = &fitted->stack[i];
        if (whole && !touches(f, left_out, i)) {
            *s = whole->stack[i];
            continue;
        }
        chosen c = choose(scratch, f, left_out, i);
        double alone = s->alone;
        *s = f->stack[i];
        s->runs = c.count;
        s->sources = c.sources;
        s->readings = c.readings;
        if (c.count > 0)
            solve(scratch, &c, drawn ? prior_of(fitted, s->stack, s->family) : (prior){0}, s);
        s->alone = drawn ? alone : s->term[0].term.to;
    }
}

void clg_stacks_fit(clg_arena *arena, clg_stack_fitting *fitting, const bool *left_out,
                    const clg_stacks *whole, clg_stacks *stacks) {
    clg_arena scratch = {0};
    clg_stacks fitted = {.count = fitting->stacks};
    fitted.stack = clg_take(arena, (size_t)fitting->stacks + 1, clg_stack_terms);
    fit_round(&scratch, fitting, left_out, whole, false, &fitted);
    fitted.kernel_slowdown = mean_slowdown(fitting, &fitted);
    fit_round(&scratch, fitting, left_out, whole, true, &fitted);
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
        stack->kernel_slowdown =
            stack->known ? clg_exp(prior_of(stacks, stack->name, family_name(stack)).mean)
                         : stacks->kernel_slowdown;
    if (!s || s->runs == 0) return false;
    for (int i = 0; i < s->terms; i++)
        for (int kind = 0; kind < KINDS; kind++)
            if (line[kind] == s->term[i].line &&
                strcmp(kinds[kind].name, s->term[i].term.name) == 0)
                *clg_stack_number(stack, kinds[kind].name) = s->term[i].term.to;
    return true;
}
