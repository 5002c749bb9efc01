/* curve.c -- a scaling curve as text, CSV and JSON. */
#include "report/curve.h"

#include "base/version.h"
#include "report/json.h"
#include "units/units.h"

#include <math.h>

static const char *quantity(clg_text *t, double si, clg_dimension dimension) {
    char out[48];
    clg_quantity_print(si, dimension, 3, out, sizeof out);
    return clg_arena_print(t->arena, "%s", out);
}

static void bar(clg_text *t, double share, int width) {
    int full = (int)(share * width + 0.5);
    for (int i = 0; i < full && i < width; i++) clg_text_print(t, "█");
}

/* Short enough for a column: degrees only. */
static const char *short_layout(clg_text *t, const clg_layout *l) {
    return clg_arena_print(t->arena, "tp%d%s%s pp%d dp%d z%d mb%d", l->tp,
                           l->cp > 1 ? clg_arena_print(t->arena, " cp%d", l->cp) : "",
                           l->ep > 1 ? clg_arena_print(t->arena, " ep%d", l->ep) : "", l->pp, l->dp,
                           l->zero, l->micro_batch);
}

static void print_point(clg_text *t, const clg_curve *c, int i) {
    const clg_scale_point *p = &c->point[i];
    clg_text_print(t, "%7lld ", (long long)p->gpus);
    if (!p->runs) {
        clg_text_print(t, " %.80s\n", p->why);
        return;
    }
    const clg_evaluation *e = &p->plan;
    clg_text_pad(t, short_layout(t, &e->layout), 27, false);
    clg_text_print(t, " %6lld ", (long long)e->layout.global_batch);
    clg_text_pad(t, quantity(t, e->step_s, CLG_SECONDS), 8, true);
    clg_text_pad(t, quantity(t, e->tokens_per_s, CLG_COUNT), 7, true);
    clg_text_print(t, " %5.1f %5.1f %5.1f %5.0f", 100 * p->efficiency, 100 * p->bound_efficiency,
                   100 * e->mfu, e->gpu_w);
    if (p->usd_to_target > 0)
        clg_text_print(t, "%7.3g", e->usd_per_million_tokens);
    else
        clg_text_print(t, "      -");
    clg_text_pad(t, quantity(t, p->seconds_to_target, CLG_SECONDS), 8, true);
    clg_text_print(t, "%s\n", i == c->knee ? " <" : p->past_dp_cap ? " *" : "");
}

static void print_walls(clg_text *t, const clg_curve *c) {
    const clg_critical_batch *b = &c->critical;
    clg_text_print(t, "\ncritical batch");
    if (isinf(b->tokens))
        clg_text_print(t, "   none assumed: no wall\n");
    else {
        clg_text_print(t, "   %s (%s)", quantity(t, b->tokens, CLG_TOKENS), b->name);
        if (b->low_tokens < b->high_tokens)
            clg_text_print(t, ", laws say %s to %s", quantity(t, b->low_tokens, CLG_TOKENS),
                           quantity(t, b->high_tokens, CLG_TOKENS));
        clg_text_print(t, "\n");
        for (int i = 0; i < b->count && b->low_tokens < b->high_tokens; i++)
            clg_text_print(t, "                 %s  %s\n",
                           quantity(t, b->law[i].tokens, CLG_TOKENS), b->law[i].title);
        clg_text_print(t,
                       "DP cap           %.0f GPUs (*: past it): dp <= B_crit/(micro-batch x seq), "
                       "times GPUs per copy\n",
                       c->dp_cap_gpus);
    }
    if (c->knee >= 0)
        clg_text_print(t,
                       "knee             %lld GPUs (<): beyond it less than %.0f %% of added "
                       "GPUs becomes progress\n",
                       (long long)c->point[c->knee].gpus, 100 * c->request.knee_share);
    else
        clg_text_print(t,
                       "knee             not reached: every step up turns at least %.0f %% of "
                       "its GPUs into progress\n",
                       100 * c->request.knee_share);
}

static void print_chart(clg_text *t, const clg_curve *c) {
    clg_text_print(t, "\nefficiency, %% of tokens/s per GPU at the first size\n");
    for (int i = 0; i < c->count; i++) {
        const clg_scale_point *p = &c->point[i];
        if (!p->runs) continue;
        clg_text_print(t, "%7lld %5.1f ", (long long)p->gpus, 100 * p->efficiency);
        bar(t, p->efficiency, 60);
        clg_text_print(t, "\n");
    }
}

void clg_report_curve(clg_text *t, const clg_scenario *s, const clg_curve *c) {
    clg_text_print(t, "model    %s, %s tokens to train on\n", s->model.title,
                   quantity(t, c->request.train_tokens, CLG_COUNT));
    clg_text_print(t, "machine  %s, %s, software %s\n", s->machine.gpu.title,
                   s->machine.fabric.title, s->stack.title);
    clg_text_print(t, "mode     %s: %s\n\n",
                   clg_name_of(clg_scale_mode_names, (int)c->request.mode),
                   clg_scale_mode_names[c->request.mode].help);
    clg_text_print(t, "   GPUs layout                       batch    step  tok/s  eff. 1/1+c   MFU "
                      "W/GPU $/Mtok  target\n");
    clg_text_print(
        t, "                                      seqs                    %%     %%     %%\n");
    int running = 0;
    for (int i = 0; i < c->count; i++) {
        print_point(t, c, i);
        running += c->point[i].runs;
    }
    if (running == 0) {
        clg_text_print(t, "\nNo size runs: try more GPUs, another batch, or fewer flags.\n");
        return;
    }
    print_chart(t, c);
    print_walls(t, c);
    if (s->price.usd_per_s > 0)
        clg_text_print(t, "price            %.2f USD/GPU-h (%s, %s%s%s), without failures\n",
                       s->price.usd_per_s * 3600, s->price.provider, s->price.term,
                       s->price.date ? ", " : "", s->price.date ? s->price.date : "");
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

void clg_report_curve_rows(clg_text *t, const clg_curve *c) {
    clg_text_print(t, "gpus,layout,global_batch,step_s,step_p10_s,step_p90_s,tokens_per_s,"
                      "efficiency,communication_fraction,mfu,gpu_w,tokens_per_j,"
                      "usd_per_million_tokens,samples_needed_ratio,hours_to_target,past_dp_cap\n");
    for (int i = 0; i < c->count; i++) {
        const clg_scale_point *p = &c->point[i];
        const clg_evaluation *e = &p->plan;
        char words[160];
        if (!p->runs) continue;
        clg_layout_print(&e->layout, words, sizeof words);
        clg_text_print(t,
                       "%lld,%s,%lld,%.9g,%.9g,%.9g,%.9g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,"
                       "%.6g,%d\n",
                       (long long)p->gpus, words, (long long)e->layout.global_batch, e->step_s,
                       e->step_p10_s, e->step_p90_s, e->tokens_per_s, p->efficiency,
                       p->communication_fraction, e->mfu, e->gpu_w, e->tokens_per_j,
                       e->usd_per_million_tokens, p->samples_ratio, p->seconds_to_target / 3600,
                       p->past_dp_cap);
    }
}

static void add_point(clg_json_writer *w, const clg_scenario *s, const clg_scale_point *p) {
    const clg_evaluation *e = &p->plan;
    clg_json_open(w, NULL, '{');
    clg_json_add_integer(w, "gpus", p->gpus);
    if (!p->runs) {
        clg_json_add_null(w, "layout");
        clg_json_add_string(w, "why", p->why);
        clg_json_close(w, '}');
        return;
    }
    clg_json_layout(w, &e->layout);
    clg_json_add_integer(w, "global_batch", e->layout.global_batch);
    clg_json_add_number(w, "step_s", e->step_s);
    clg_json_add_number(w, "step_p10_s", e->step_p10_s);
    clg_json_add_number(w, "step_p90_s", e->step_p90_s);
    clg_json_add_number(w, "tokens_per_s", e->tokens_per_s);
    clg_json_add_number(w, "efficiency", p->efficiency);
    clg_json_add_number(w, "communication_fraction", p->communication_fraction);
    clg_json_add_number(w, "bound_efficiency", p->bound_efficiency);
    clg_json_add_number(w, "mfu", e->mfu);
    clg_json_add_number(w, "gpu_w", e->gpu_w);
    clg_json_add_number(w, "tokens_per_j", e->tokens_per_j);
    bool priced = s->price.usd_per_s > 0;
    clg_json_add_number(w, "usd_per_million_tokens",
                        priced ? e->usd_per_million_tokens : (double)NAN);
    clg_json_add_number(w, "samples_needed_ratio", p->samples_ratio);
    clg_json_add_number(w, "hours_to_target", p->seconds_to_target / 3600);
    clg_json_add_number(w, "usd_to_target", priced ? p->usd_to_target : (double)NAN);
    clg_json_add_number(w, "marginal_share", p->marginal_share);
    clg_json_add_bool(w, "past_dp_cap", p->past_dp_cap);
    clg_json_close(w, '}');
}

static void add_laws(clg_json_writer *w, const clg_critical_batch *b) {
    clg_json_open(w, "laws", '[');
    for (int i = 0; i < b->count; i++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "name", b->law[i].name);
        clg_json_add_number(w, "batch_tokens", b->law[i].tokens);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

void clg_json_scale(clg_json_writer *w, const clg_scenario *s, const clg_curve *c) {
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "kind", "scale");
    clg_json_add_string(w, "ceiling", CLG_VERSION);
    clg_json_add_string(w, "mode", clg_name_of(clg_scale_mode_names, (int)c->request.mode));
    clg_json_open(w, "points", '[');
    for (int i = 0; i < c->count; i++) add_point(w, s, &c->point[i]);
    clg_json_close(w, ']');
    clg_json_open(w, "dp_cap", '{');
    clg_json_add_number(w, "gpus", c->dp_cap_gpus);
    clg_json_add_number(w, "batch_tokens", c->critical.tokens);
    clg_json_add_string(w, "law", isinf(c->critical.tokens) ? NULL : c->critical.name);
    add_laws(w, &c->critical);
    clg_json_close(w, '}');
    clg_json_open(w, "knee", '{');
    if (c->knee >= 0)
        clg_json_add_integer(w, "gpus", c->point[c->knee].gpus);
    else
        clg_json_add_null(w, "gpus");
    clg_json_add_string(w, "why",
                        c->knee >= 0 ? clg_arena_print(w->text->arena,
                                                       "beyond it less than %.0f %% of added GPUs "
                                                       "becomes progress",
                                                       100 * c->request.knee_share)
                                     : "not reached");
    clg_json_close(w, '}');
    clg_json_close(w, '}');
}
