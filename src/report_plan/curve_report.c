/* curve_report.c -- a scaling curve as text. */
#include "report_plan/curve_report.h"

#include "report/number_words.h"
#include "report/price_words.h"
#include "report_plan/curve_parts.h"
#include "report_plan/plan_text.h"
#include "units/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void bar(clg_text *t, double share, int width) {
    int full = (int)(share * width + 0.5);
    for (int i = 0; i < full && i < width; i++) clg_text_print(t, "█");
}

/* "1.30" beside "1.69": in the unit of the step printed before it. */
static const char *same_unit(clg_text *t, const char *step, double share) {
    double value = strtod(step, NULL) * share;
    return clg_arena_print(t->arena, "%.*f", value < 10 ? 2 : value < 100 ? 1 : 0, value);
}

static void print_step(clg_text *t, const clg_evaluation *e) {
    const char *step = clg_words_quantity(t, e->step_s, CLG_SECONDS);
    clg_text_pad(t, step, 8, true);
    clg_text_pad(t,
                 clg_arena_print(t->arena, "%s-%s", same_unit(t, step, e->step_p10_s / e->step_s),
                                 same_unit(t, step, e->step_p90_s / e->step_s)),
                 10, true);
}

/* A large batch takes its columns from the layout, which seldom needs all of its own. */
static void print_batch(clg_text *t, const clg_evaluation *e) {
    enum { BOTH = 33 };
    const char *batch = clg_arena_print(t->arena, " %5lld", (long long)e->layout.global_batch);
    clg_text_pad(t, clg_words_layout(t, &e->layout), BOTH - (int)strlen(batch), false);
    clg_text_print(t, "%s ", batch);
}

static void print_point(clg_text *t, const clg_curve *c, int i) {
    const clg_scale_point *p = &c->point[i];
    clg_text_print(t, "%7lld ", (long long)p->gpus);
    if (!p->runs) {
        clg_text_print(t, " %.80s\n", p->why);
        return;
    }
    const clg_evaluation *e = &p->plan;
    print_batch(t, e);
    print_step(t, e);
    clg_text_print(t, "%6.1f", e->memory.total_bytes / 1e9);
    clg_text_pad(t, clg_words_chance_out(t, e), 5, true);
    clg_text_pad(t, clg_words_quantity(t, e->tokens_per_s, CLG_COUNT), 7, true);
    clg_text_print(t, " %5.1f %5.1f", 100 * p->efficiency, 100 * e->mfu);
    clg_text_pad(t, clg_words_quantity(t, p->seconds_to_target, CLG_SECONDS), 8, true);
    clg_text_print(t, "%s\n",
                   p->past_critical_batch ? i == c->knee ? "<*" : " *"
                   : i == c->knee         ? " <"
                                          : "");
}

/* What the mark of a row says: its batch, not its GPUs. */
static void print_samples(clg_text *t, const clg_curve *c) {
    const clg_scale_point *most = NULL;
    for (int i = 0; i < c->count; i++) {
        const clg_scale_point *p = &c->point[i];
        if (!p->runs || !p->past_critical_batch) continue;
        if (!most || p->tokens_needed / p->train_tokens > most->tokens_needed / most->train_tokens)
            most = p;
    }
    if (!most) return;
    double more = most->tokens_needed / most->train_tokens - 1;
    clg_text_print(t, "*                the batch is past the critical one: up to ");
    if (more < 0.995)
        clg_text_print(t, "%.1f %% more tokens for the target\n", 100 * more);
    else
        clg_text_print(t, "%.3g times the tokens for the target\n", 1 + more);
}

static void print_walls(clg_text *t, const clg_curve *c) {
    const clg_critical_batch *b = &c->critical;
    clg_text_print(t, "\ncritical batch");
    if (isinf(b->tokens))
        clg_text_print(t, "   none assumed: no wall\n");
    else {
        clg_text_print(t, "   %s (%s)", clg_words_quantity(t, b->tokens, CLG_TOKENS), b->name);
        if (b->low_tokens < b->high_tokens)
            clg_text_print(t, ", laws say %s to %s",
                           clg_words_quantity(t, b->low_tokens, CLG_TOKENS),
                           clg_words_quantity(t, b->high_tokens, CLG_TOKENS));
        clg_text_print(t, "\n");
        for (int i = 0; i < b->count && b->low_tokens < b->high_tokens; i++)
            clg_text_print(t, "                 %s  %s\n",
                           clg_words_quantity(t, b->law[i].tokens, CLG_TOKENS), b->law[i].title);
        if (c->request.mode != CLG_GROW)
            clg_text_print(t, "DP cap           %.0f GPUs: %s\n", c->dp_cap_gpus,
                           c->request.mode == CLG_WEAK
                               ? "there the batch, which grows with them, is the critical one"
                               : "dp <= B_crit/(micro-batch x seq), times GPUs per copy");
        print_samples(t, c);
    }
}

/* A knee may lie beyond what was asked. */
static const char *beyond_asked(clg_text *t, const clg_curve *c) {
    return clg_arena_print(t->arena, " with %lld GPUs: ask for more",
                           (long long)c->point[c->count - 1].gpus);
}

static void print_knee(clg_text *t, const clg_curve *c, int knee, const char *name,
                       const char *beyond, double number) {
    clg_text_pad(t, name, 17, false);
    if (knee < 0)
        clg_text_print(t, "not reached%s\n", name[0] == ' ' ? "" : beyond_asked(t, c));
    else {
        clg_text_print(t, "%lld GPUs%s: beyond it ", (long long)c->point[knee].gpus,
                       knee == c->knee && name[0] != ' ' ? " (<)" : "");
        clg_text_print(t, beyond, number);
    }
}

static void print_knees(clg_text *t, const clg_drawn *one) {
    const clg_curve *c = one->curve;
    double share = c->request.knee_share;
    print_knee(t, c, c->knee, "knee", "less than %.0f %% of added GPUs becomes progress\n",
               100 * share);
    if (c->knee_of_batch)
        clg_text_print(t,
                       "                 (steps stay fast; the larger batch needs more tokens)\n");
    if (one->scenario->price.usd_per_s > 0)
        print_knee(t, c, c->knee_usd, "  in dollars",
                   "work costs over %.1f times what it does at the cheapest size\n", 1 / share);
    print_knee(t, c, c->knee_j, "  in energy",
               "work takes over %.1f times the energy of the thriftiest size\n", 1 / share);
}

/* Beside the bars: what the step up to each size bought, and what the target takes there. */
static void print_chart(clg_text *t, const clg_drawn *one) {
    const clg_curve *c = one->curve;
    bool priced = one->scenario->price.usd_per_s > 0;
    clg_text_print(t, "\n        tok/s bought per added  to the target        W/ 1/1+c\n"
                      "   GPUs     GPU    W     $/h      USD    MWh $/Mtok  GPU   %%  %% of the "
                      "first size's efficiency\n");
    for (int i = 0; i < c->count; i++) {
        const clg_scale_point *p = &c->point[i];
        if (!p->runs) continue;
        clg_text_print(t, "%7lld", (long long)p->gpus);
        clg_text_pad(t, clg_words_quantity(t, p->marginal_per_gpu, CLG_COUNT), 8, true);
        clg_text_print(t, "%6.2f", p->marginal_per_w);
        clg_text_pad(t, priced ? clg_words_quantity(t, p->marginal_per_usd_per_h, CLG_COUNT) : "-",
                     8, true);
        clg_text_pad(t, priced ? clg_words_quantity(t, p->usd_to_target, CLG_COUNT) : "-", 9, true);
        clg_text_pad(t, clg_words_quantity(t, p->joules_to_target / 3.6e9, CLG_COUNT), 8, true);
        clg_text_pad(
            t, priced ? clg_arena_print(t->arena, "%.3g", p->plan.usd_per_million_tokens) : "-", 7,
            true);
        clg_text_print(t, "%5.0f%6.1f %5.1f ", p->plan.gpu_w, 100 * p->bound_efficiency,
                       100 * p->efficiency);
        bar(t, p->efficiency, 25);
        clg_text_print(t, "\n");
    }
}

static void print_half(clg_text *t, const clg_drawn *d, int i) {
    const clg_scale_point *p = &d->curve->point[i];
    if (!p->runs) {
        clg_text_pad(t, "does not run", 41, true);
        return;
    }
    clg_text_pad(t, clg_words_quantity(t, p->plan.tokens_per_s, CLG_COUNT), 8, true);
    clg_text_print(t, " %5.1f %5.1f", 100 * p->efficiency, 100 * p->plan.mfu);
    if (d->scenario->price.usd_per_s > 0)
        clg_text_print(t, "%8.3g", p->plan.usd_per_million_tokens);
    else
        clg_text_print(t, "       -");
    clg_text_pad(t, clg_words_quantity(t, p->seconds_to_target, CLG_SECONDS), 9, true);
    clg_text_print(t, "%4.0f", p->plan.gpu_w);
}

static void print_beside(clg_text *t, const clg_drawn *one, const clg_drawn *beside) {
    clg_text_print(t, "\nside by side\n        | ");
    clg_text_pad(t, one->label, 40, false);
    clg_text_print(t, " | ");
    clg_text_pad(t, beside->label, 40, false);
    clg_text_print(
        t, "\n   GPUs |   tok/s eff.%%  MFU%%  $/Mtok   target   W |   tok/s eff.%%  MFU%%  "
           "$/Mtok   target   W\n");
    for (int i = 0; i < one->curve->count; i++) {
        clg_text_print(t, "%7lld |", (long long)one->curve->point[i].gpus);
        print_half(t, one, i);
        clg_text_print(t, " |");
        print_half(t, beside, i);
        clg_text_print(t, "\n");
    }
}

static void print_price(clg_text *t, const clg_scenario *s) {
    size_t from = t->size;
    if (clg_price_known(&s->price))
        clg_text_print(t, "price            %.2f USD/GPU-h %s (%s), without failures\n",
                       s->price.usd_per_s * 3600, s->machine.gpu.name,
                       clg_words_price_band(t->arena, &s->price));
    clg_text_fold(t, from, 17);
}

/* How many sizes run. */
static int print_table(clg_text *t, const clg_curve *c) {
    int running = 0;
    clg_text_print(
        t, "   GPUs layout                      batch    step   P10-P90    GB  out  tok/s  eff."
           "   MFU  target\n"
           "                                     seqs                          %%"
           "            %%     %%\n");
    for (int i = 0; i < c->count; i++) {
        print_point(t, c, i);
        running += c->point[i].runs;
    }
    return running;
}

void clg_report_curve(clg_text *t, const clg_drawn *one, const clg_drawn *beside) {
    const clg_scenario *s = one->scenario;
    const clg_curve *c = one->curve;
    size_t from = t->size;
    clg_text_print(t, "model    %s, %s tokens to train on (%.3g a parameter%s)\n",
                   clg_words_model(t, &s->model),
                   clg_words_quantity(t, c->request.train_tokens, CLG_COUNT),
                   c->request.train_tokens / (double)s->model.active_parameters,
                   s->model.active_parameters < s->model.parameters ? " at work" : "");
    clg_text_print(t, "machine  %s, %s\n", clg_words_gpu(t, &s->machine.gpu),
                   s->machine.fabric.title);
    clg_report_software(t, s);
    clg_text_print(t, "mode     %s: %s\n", clg_name_of(clg_scale_mode_names, (int)c->request.mode),
                   clg_scale_mode_names[c->request.mode].help);
    clg_report_batch(t, one->space);
    clg_text_print(t, "\n");
    clg_text_fold(t, from, 9);
    if (print_table(t, c) == 0) {
        clg_text_print(t, "\nNo size runs: try more GPUs, another batch, or fewer flags.\n");
        return;
    }
    if (c->request.mode == CLG_GROW) clg_report_grown(t, c);
    clg_report_useful(t, c);
    clg_report_sites(t, c);
    print_chart(t, one);
    if (beside) print_beside(t, one, beside);
    print_walls(t, c);
    print_knees(t, one);
    print_price(t, s);
    if (beside && strcmp(beside->key, "against") == 0) print_price(t, beside->scenario);
}

void clg_report_sensitivity(clg_text *t, const clg_sensitivity *r, int64_t gpus) {
    clg_text_print(t,
                   "\nwhat would move it at %lld GPUs: speed gained per unit of each, layout "
                   "held\n",
                   (long long)gpus);
    for (int i = 0; i < CLG_RESOURCES; i++) {
        clg_text_print(t, "  ");
        clg_text_pad(t, r[i].resource, 30, false);
        clg_text_print(t, "%5.2f ", r[i].elasticity);
        bar(t, r[i].elasticity, 50);
        clg_text_print(t, "\n");
    }
}
