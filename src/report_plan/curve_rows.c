/* curve_rows.c -- a scaling curve for programs: CSV and JSON. */
#include "report_plan/curve_report.h"

#include "report_plan/plan_json.h"

#include <math.h>

/* Of a job without a price nothing in dollars is known. */
static const char *dollars(clg_text *t, const clg_drawn *drawn, double value) {
    bool known = drawn->scenario->price.usd_per_s > 0 && isfinite(value);
    return known ? clg_arena_print(t->arena, "%.6g", value) : "";
}

static void add_rows(clg_text *t, const clg_drawn *drawn, const char *before) {
    const clg_curve *c = drawn->curve;
    for (int i = 0; i < c->count; i++) {
        const clg_scale_point *p = &c->point[i];
        const clg_evaluation *e = &p->plan;
        char words[160];
        if (!p->runs) continue;
        clg_layout_print(&e->layout, words, sizeof words);
        clg_text_print(t,
                       "%lld,%s,%lld,%.9g,%.9g,%.9g,%.9g,%.6g,%.6g,%.6g,%.6g,%.6g,%s,%.6g,"
                       "%.6g,%d,%.6g,%.6g,%s,%s,%.6g,%lld,%.9g,%.6g,%.9g,%.6g,%.6g,%s\n",
                       (long long)p->gpus, words, (long long)e->layout.global_batch, e->step_s,
                       e->step_p10_s, e->step_p90_s, e->tokens_per_s, p->efficiency,
                       p->communication_fraction, e->mfu, e->gpu_w, e->tokens_per_j,
                       dollars(t, drawn, e->usd_per_million_tokens), p->samples_ratio,
                       p->seconds_to_target / 3600, p->past_dp_cap, p->marginal_per_gpu,
                       p->marginal_per_w, dollars(t, drawn, p->marginal_per_usd_per_h),
                       dollars(t, drawn, p->usd_to_target), p->joules_to_target,
                       (long long)p->model->active_parameters, e->memory.total_bytes, e->cluster_w,
                       p->useful_tokens_per_s, p->outer_exposed_s, p->penalty.expected, before);
    }
}

void clg_report_curve_rows(clg_text *t, const clg_drawn *one, const clg_drawn *beside) {
    clg_text_print(t,
                   "gpus,layout,global_batch,step_s,step_p10_s,step_p90_s,tokens_per_s,"
                   "efficiency,communication_fraction,mfu,gpu_w,tokens_per_j,"
                   "usd_per_million_tokens,samples_needed_ratio,hours_to_target,past_dp_cap,"
                   "marginal_tokens_per_s_per_gpu,marginal_tokens_per_s_per_w,"
                   "marginal_tokens_per_s_per_usd_per_h,usd_to_target,energy_to_target_j,"
                   "active_parameters,memory_bytes,cluster_w,useful_tokens_per_s,outer_exposed_s,"
                   "loss_penalty,curve\n");
    add_rows(t, one, clg_name_of(clg_scale_mode_names, (int)one->curve->request.mode));
    if (beside) add_rows(t, beside, beside->key);
}

static void add_model(clg_json_writer *w, const clg_scale_point *p) {
    clg_json_open(w, "model", '{');
    clg_json_add_integer(w, "active_parameters", p->model->active_parameters);
    clg_json_add_integer(w, "layers", p->model->layers);
    clg_json_add_integer(w, "hidden", p->model->hidden);
    clg_json_add_number(w, "train_tokens", p->train_tokens);
    clg_json_add_number(w, "critical_batch_tokens", p->critical_tokens);
    clg_json_close(w, '}');
}

static void add_exposed(clg_json_writer *w, const clg_time_ledger *t) {
    clg_json_open(w, "exposed", '{');
    for (int i = CLG_FIRST_TRAFFIC; i <= CLG_LAST_TRAFFIC; i++)
        clg_json_add_number(w, clg_ledger_terms[i].column, t->term_s[i]);
    clg_json_close(w, '}');
}

/* What distance costs: seconds of every step, and loss over that of one place. */
static void add_sites(clg_json_writer *w, const clg_scale_point *p) {
    clg_json_add_number(w, "outer_exposed_s", p->outer_exposed_s);
    clg_json_add_number(w, "compute_utilization", 1 - p->outer_exposed_s / p->plan.step_s);
    clg_json_add_number(w, "loss_penalty", p->penalty.expected);
    clg_json_add_number(w, "loss_penalty_low", p->penalty.low);
    clg_json_add_number(w, "loss_penalty_high", p->penalty.high);
    clg_json_add_bool(w, "loss_penalty_beyond_trained", p->penalty.beyond);
}

static void add_point(clg_json_writer *w, const clg_curve *c, const clg_scenario *s,
                      const clg_scale_point *p) {
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
    clg_json_memory_total(w, e);
    if (c->request.useful) clg_json_add_number(w, "useful_tokens_per_s", p->useful_tokens_per_s);
    if (c->request.sites.sites > 1 || c->request.sites.inner_steps > 0) add_sites(w, p);
    clg_json_add_number(w, "cluster_w", e->cluster_w);
    clg_json_add_number(w, "efficiency", p->efficiency);
    clg_json_add_number(w, "communication_fraction", p->communication_fraction);
    clg_json_add_number(w, "bound_efficiency", p->bound_efficiency);
    add_exposed(w, &e->time);
    clg_json_add_number(w, "mfu", e->mfu);
    clg_json_add_number(w, "gpu_w", e->gpu_w);
    clg_json_add_number(w, "tokens_per_j", e->tokens_per_j);
    bool priced = s->price.usd_per_s > 0;
    clg_json_add_number(w, "usd_per_million_tokens",
                        priced ? e->usd_per_million_tokens : (double)NAN);
    clg_json_add_number(w, "samples_needed_ratio", p->samples_ratio);
    clg_json_add_number(w, "tokens_needed", p->tokens_needed);
    clg_json_add_number(w, "hours_to_target", p->seconds_to_target / 3600);
    clg_json_add_number(w, "usd_to_target", priced ? p->usd_to_target : (double)NAN);
    clg_json_add_number(w, "energy_to_target_j", p->joules_to_target);
    clg_json_add_number(w, "marginal_share", p->marginal_share);
    clg_json_add_number(w, "marginal_tokens_per_s_per_gpu", p->marginal_per_gpu);
    clg_json_add_number(w, "marginal_tokens_per_s_per_w", p->marginal_per_w);
    clg_json_add_number(w, "marginal_tokens_per_s_per_usd_per_h",
                        priced ? p->marginal_per_usd_per_h : (double)NAN);
    add_model(w, p);
    clg_json_add_bool(w, "past_critical_batch", p->past_critical_batch);
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

static void add_knee(clg_json_writer *w, const clg_curve *c, int knee, const char *why) {
    if (knee >= 0)
        clg_json_add_integer(w, "gpus", c->point[knee].gpus);
    else
        clg_json_add_null(w, "gpus");
    clg_json_add_string(w, "why", knee >= 0 ? why : "not reached");
}

static void add_knees(clg_json_writer *w, const clg_curve *c) {
    clg_arena *arena = w->text->arena;
    double share = c->request.knee_share;
    clg_json_open(w, "knee", '{');
    add_knee(w, c, c->knee,
             clg_arena_print(arena, "beyond it less than %.0f %% of added GPUs becomes progress%s",
                             100 * share,
                             c->knee_of_batch ? ": the larger batch needs more tokens" : ""));
    clg_json_open(w, "dollars", '{');
    add_knee(w, c, c->knee_usd,
             clg_arena_print(arena,
                             "beyond it work costs over %.1f times what it does at the cheapest "
                             "size",
                             1 / share));
    clg_json_close(w, '}');
    clg_json_open(w, "energy", '{');
    add_knee(w, c, c->knee_j,
             clg_arena_print(arena,
                             "beyond it work takes over %.1f times the energy of the thriftiest "
                             "size",
                             1 / share));
    clg_json_close(w, '}');
    clg_json_close(w, '}');
}

static void add_curve(clg_json_writer *w, const clg_drawn *drawn) {
    const clg_curve *c = drawn->curve;
    clg_json_add_string(w, "mode", clg_name_of(clg_scale_mode_names, (int)c->request.mode));
    clg_json_open(w, "points", '[');
    for (int i = 0; i < c->count; i++) add_point(w, c, drawn->scenario, &c->point[i]);
    clg_json_close(w, ']');
    clg_json_open(w, "dp_cap", '{');
    clg_json_add_number(w, "gpus", c->dp_cap_gpus);
    clg_json_add_number(w, "low_gpus", c->dp_cap_low_gpus);
    clg_json_add_number(w, "high_gpus", c->dp_cap_high_gpus);
    clg_json_add_number(w, "batch_tokens", c->critical.tokens);
    clg_json_add_string(w, "law", isinf(c->critical.tokens) ? NULL : c->critical.name);
    add_laws(w, &c->critical);
    clg_json_close(w, '}');
    add_knees(w, c);
}

static void add_machine(clg_json_writer *w, const clg_scenario *s) {
    clg_json_add_string(w, "gpu", s->machine.gpu.name);
    clg_json_add_string(w, "node", s->machine.node.name);
    clg_json_add_string(w, "fabric", s->machine.fabric.name);
    clg_json_add_number(w, "usd_per_gpu_h",
                        clg_price_known(&s->price) ? s->price.usd_per_s * 3600 : (double)NAN);
    clg_json_add_string(w, "price", s->price.provider);
    clg_json_add_string(w, "price_date", s->price.date);
}

void clg_json_scale(clg_json_writer *w, const clg_drawn *one, const clg_drawn *beside) {
    clg_json_open_answer(w, NULL, "scale");
    add_machine(w, one->scenario);
    clg_json_batch(w, one->space);
    add_curve(w, one);
    if (beside) {
        clg_json_open(w, beside->key, '{');
        add_machine(w, beside->scenario);
        add_curve(w, beside);
        clg_json_close(w, '}');
    }
    clg_json_close(w, '}');
}
