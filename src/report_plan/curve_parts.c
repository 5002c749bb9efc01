/* curve_parts.c -- growth, useful tokens and sites, as text. */
#include "report_plan/curve_parts.h"

#include "report/number_words.h"
#include "units/units.h"
#include <math.h>

static const char *ladder(clg_text *t, const clg_growth *g) {
    if (g->models) return "a model per size, as named; tokens go with the parameters";
    if (g->exponent > 0)
        return clg_arena_print(t->arena,
                               "parameters and tokens go with GPUs^%.3g, the batch keeps work per "
                               "GPU and step",
                               g->exponent);
    for (const clg_name *name = clg_growth_names; name->name; name++)
        if (name->value == (int)g->batch)
            return clg_arena_print(t->arena, "%s: %s", name->name, name->help);
    return "";
}

void clg_report_grown(clg_text *t, const clg_curve *c) {
    clg_text_print(
        t, "\n   GPUs parameters  layers  hidden  tokens  critical batch   batch over it\n");
    for (int i = 0; i < c->count; i++) {
        const clg_scale_point *p = &c->point[i];
        clg_text_print(t, "%7lld", (long long)p->gpus);
        clg_text_pad(t, clg_words_quantity(t, (double)p->model->active_parameters, CLG_COUNT), 11,
                     true);
        clg_text_print(t, "%8d%8lld", p->model->layers, (long long)p->model->hidden);
        clg_text_pad(t, clg_words_quantity(t, p->train_tokens, CLG_COUNT), 8, true);
        bool walled = !isinf(p->critical_tokens);
        clg_text_pad(t, walled ? clg_words_quantity(t, p->critical_tokens, CLG_TOKENS) : "-", 16,
                     true);
        clg_text_pad(
            t, p->runs && walled ? clg_arena_print(t->arena, "%.2f", p->samples_ratio - 1) : "-",
            16, true);
        clg_text_print(t, "\n");
    }
    size_t from = t->size;
    clg_text_print(t,
                   "%s; efficiency compares useful flop/s, and tokens "
                   "bought are those of the first size's model that are as much work\n",
                   ladder(t, &c->request.growth));
    clg_text_fold(t, from, 0);
}

void clg_report_useful(clg_text *t, const clg_curve *c) {
    const clg_scale_point *first = NULL;
    if (!c->request.useful) return;
    clg_text_print(t, "\nuseful tokens: divided by the samples needed over those of a tiny batch, "
                      "1 + B/B_crit\n"
                      "   GPUs  tok/s samples useful  per GPU  %% of the first size's\n");
    for (int i = 0; i < c->count; i++) {
        const clg_scale_point *p = &c->point[i];
        if (!p->runs) continue;
        if (!first) first = p;
        double each = p->useful_tokens_per_s / (double)p->gpus;
        double work = (double)p->model->active_parameters / (double)first->model->active_parameters;
        clg_text_print(t, "%7lld", (long long)p->gpus);
        clg_text_pad(t, clg_words_quantity(t, p->plan.tokens_per_s, CLG_COUNT), 7, true);
        clg_text_print(t, " %7.2f", p->samples_ratio);
        clg_text_pad(t, clg_words_quantity(t, p->useful_tokens_per_s, CLG_COUNT), 7, true);
        clg_text_pad(t, clg_words_quantity(t, each, CLG_COUNT), 9, true);
        clg_text_print(t, " %6.1f\n",
                       100 * work * each / (first->useful_tokens_per_s / (double)first->gpus));
    }
}

/* Per cent to two digits; what rounds to nothing has no sign. */
static double percent(double share) { return fabs(share) < 5e-5 ? 0 : 100 * share; }

static void print_penalty(clg_text *t, const clg_loss_penalty *p) {
    clg_text_print(t, "   %+.2f %% (%+.2f to %+.2f)%s", percent(p->expected), percent(p->low),
                   percent(p->high), p->beyond ? " beyond" : "");
}

static double traffic_bytes(const clg_sites *s, double parameters) {
    return 2.0 * (s->sites - 1) / s->sites * parameters * s->exchange_bytes;
}

void clg_report_sites(clg_text *t, const clg_curve *c) {
    const clg_sites *s = &c->request.sites;
    bool beyond = false;
    if (s->sites < 2 && s->inner_steps == 0) return;
    clg_text_print(t, "\nsites    %d", s->sites);
    if (s->sites > 1)
        clg_text_print(t, ", %s between them, %g bits a parameter%s",
                       clg_words_quantity(t, s->bytes_per_s, CLG_BYTES_PER_S),
                       8 * s->exchange_bytes, s->streamed ? " behind the steps" : "");
    clg_text_print(t, s->inner_steps > 0 ? ", meeting every %d steps\n" : ", meeting every step\n",
                   s->inner_steps);
    clg_text_print(t, "   GPUs each sends   waits a step  computes   loss over one place's\n");
    for (int i = 0; i < c->count; i++) {
        const clg_scale_point *p = &c->point[i];
        if (!p->runs) continue;
        clg_text_print(t, "%7lld", (long long)p->gpus);
        clg_text_pad(
            t, clg_words_quantity(t, traffic_bytes(s, (double)p->model->parameters), CLG_BYTES), 11,
            true);
        clg_text_pad(t, clg_words_quantity(t, p->outer_exposed_s, CLG_SECONDS), 15, true);
        clg_text_print(t, "%8.1f %%", 100 * (1 - p->outer_exposed_s / p->plan.step_s));
        if (s->inner_steps > 0) print_penalty(t, &p->penalty);
        beyond = beyond || p->penalty.beyond;
        clg_text_print(t, "\n");
    }
    if (s->inner_steps > 0)
        clg_text_print(t, "the outer optimizer keeps 8 B a parameter and site more (weights and "
                          "momentum in fp32)\n");
    if (beyond)
        clg_text_print(t, "beyond: larger models or more sites than the laws were fitted on; they "
                          "count as the nearest\n");
}
