/* stack_means.c -- means of stacks, of their families, of all. */
#include "calibrate/stack_means.h"

#include "base/real.h"

#include <math.h>
#include <string.h>

/* Log-spreads: of stacks about their family, of families about each other. */
static const double STACK_SPREAD = 0.03, FAMILY_SPREAD = 0.1;

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
        add(&m, log(s->alone), clg_square(STACK_SPREAD) + clg_square(CLG_RUN_SPREAD) / s->readings);
    }
    return m;
}

/* ln-mean of all families; the default's where there are none. */
double clg_stacks_mean(const clg_stacks *stacks, double standard) {
    mean all = {0};
    for (int i = 0; i < stacks->count; i++) {
        bool first = stacks->stack[i].runs > 0;
        for (int j = 0; j < i && first; j++)
            first = stacks->stack[j].runs == 0 ||
                    !same_family(&stacks->stack[j], stacks->stack[i].family);
        if (!first) continue;
        mean m = family_of(stacks, stacks->stack[i].family, NULL);
        add(&all, value_of(&m), clg_square(FAMILY_SPREAD) + 1 / m.weights);
    }
    return all.weights > 0 ? clg_exp(value_of(&all)) : standard;
}

/* From the other years of its family, and from all families. */
clg_stack_prior clg_stacks_prior(const clg_stacks *stacks, const char *name, const char *family) {
    mean m = family_of(stacks, family, name);
    add(&m, log(stacks->kernel_slowdown), clg_square(FAMILY_SPREAD));
    return (clg_stack_prior){value_of(&m), sqrt(clg_square(STACK_SPREAD) + 1 / m.weights)};
}
