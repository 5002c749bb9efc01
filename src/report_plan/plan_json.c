/* plan_json.c -- answers as JSON. */
#include "report_plan/plan_json.h"

#include "evaluate/difference.h"
#include "evaluate/interval.h"
#include "layout/batch.h"
#include "report_plan/plan_text.h"
#include "report_plan/storage_report.h"
#include "scaling/laws.h"
#include "schedule/schedule.h"

#include <math.h>

static void add_model(clg_json_writer *w, const clg_model *m) {
    clg_json_open(w, "model", '{');
    clg_json_add_string(w, "name", m->name);
    clg_json_add_integer(w, "parameters", m->parameters);
    clg_json_add_integer(w, "active_parameters", m->active_parameters);
    clg_json_add_integer(w, "layers", m->layers);
    clg_json_add_integer(w, "hidden", m->hidden);
    clg_json_close(w, '}');
}

static void add_machine(clg_json_writer *w, const clg_scenario *s, const clg_layout *l) {
    clg_json_open(w, "machine", '{');
    clg_json_add_string(w, "gpu", s->machine.gpu.name);
    clg_json_add_integer(w, "gpus", clg_layout_gpus(l));
    clg_json_add_integer(w, "gpus_per_node", s->machine.node.gpus);
    clg_json_add_integer(w, "domain", s->machine.node.domain);
    clg_json_add_string(w, "node", s->machine.node.name);
    clg_json_add_string(w, "fabric", s->machine.fabric.name);
    clg_json_add_number(w, "fabric_bytes_per_s_per_gpu", clg_machine_line_bytes_per_s(&s->machine));
    clg_json_add_string(w, "stack", s->stack.name);
    clg_json_add_string(w, "stack_title", s->stack.title);
    clg_json_add_bool(w, "stack_named", !s->stack.chosen);
    clg_json_add_string(w, "stack_assumes", s->stack.assumes);
    clg_json_close(w, '}');
}

static void add_time(clg_json_writer *w, const clg_time_ledger *t) {
    clg_json_open(w, "time", '{');
    for (int i = 0; i < CLG_LEDGER_TERMS; i++)
        clg_json_add_number(w, clg_ledger_terms[i].key, t->term_s[i]);
    clg_json_close(w, '}');
}

/* Members of an open object: the chance of running out of memory; "memory" in short, with it. */
static void add_chance_out(clg_json_writer *w, const clg_evaluation *e) {
    /* To six digits after the point, the accuracy it has; it is no more certain than its spread. */
    clg_json_add_number(w, "chance_out", floor(clg_evaluation_chance_out(e) * 1e6 + 0.5) / 1e6);
}

static void add_total(clg_json_writer *w, const clg_evaluation *e) {
    clg_json_add_number(w, "total_bytes", e->memory.total_bytes);
    clg_json_add_number(w, "total_p10_bytes", e->memory_p10_bytes);
    clg_json_add_number(w, "total_p90_bytes", e->memory_p90_bytes);
    clg_json_add_number(w, "capacity_bytes", e->capacity_bytes);
    add_chance_out(w, e);
}

void clg_json_memory_total(clg_json_writer *w, const clg_evaluation *e) {
    clg_json_open(w, "memory", '{');
    add_total(w, e);
    clg_json_close(w, '}');
}

static void add_memory(clg_json_writer *w, const clg_scenario *s, const clg_evaluation *e) {
    const char *says[CLG_SOFTWARE_KEEPS];
    int keeps = clg_software_keeps(w->text->arena, s, &e->layout, says);
    clg_json_open(w, "memory", '{');
    for (int i = 0; i < CLG_MEMORY_PARTS; i++)
        clg_json_add_number(w, clg_memory_parts[i].key, e->memory.part_bytes[i]);
    add_total(w, e);
    clg_json_add_bool(w, "fits", e->fits);
    clg_json_add_integer(w, "stage", e->fullest_stage);
    clg_json_open(w, "assumes", '[');
    for (int i = 0; i < keeps; i++) clg_json_add_string(w, NULL, says[i]);
    clg_json_close(w, ']');
    clg_json_close(w, '}');
}

static void add_power_and_cost(clg_json_writer *w, const clg_scenario *s, const clg_evaluation *e) {
    clg_json_open(w, "power", '{');
    clg_json_add_number(w, "gpu_w", e->gpu_w);
    clg_json_add_number(w, "cluster_w", e->cluster_w);
    clg_json_add_number(w, "step_j", e->step_j);
    clg_json_add_number(w, "tokens_per_j", e->tokens_per_j);
    clg_json_close(w, '}');
    bool priced = clg_price_known(&s->price);
    clg_json_open(w, "cost", '{');
    clg_json_add_number(w, "usd_per_h", priced ? e->usd_per_h : (double)NAN);
    clg_json_add_number(w, "usd_per_million_tokens",
                        priced ? e->usd_per_million_tokens : (double)NAN);
    clg_json_add_number(w, "usd_per_gpu_h", priced ? s->price.usd_per_s * 3600 : (double)NAN);
    clg_json_add_string(w, "price", priced ? s->price.provider : NULL);
    clg_json_add_string(w, "price_date", priced ? s->price.date : NULL);
    clg_json_close(w, '}');
}

void clg_json_batch(clg_json_writer *w, const clg_space *space) {
    double tokens = (double)space->global_batch * (double)space->seq, asked = space->batch_tokens;
    clg_json_open(w, "batch", '{');
    clg_json_add_integer(w, "sequences", space->global_batch);
    clg_json_add_number(w, "tokens", tokens);
    clg_json_add_number(w, "asked_tokens", asked > 0 ? asked : tokens);
    clg_json_add_number(w, "tolerance", asked > 0 ? CLG_BATCH_TOLERANCE : 0);
    clg_json_close(w, '}');
}

/* What tokens that were asked for take. */
static void add_run(clg_json_writer *w, const clg_scenario *s, const clg_evaluation *e,
                    double tokens) {
    clg_critical_batch critical;
    double usd = clg_price_known(&s->price) ? e->usd_per_million_tokens * tokens / 1e6 : NAN;
    if (tokens <= 0) return;
    clg_json_open(w, "run", '{');
    clg_json_add_number(w, "tokens", tokens);
    clg_json_add_number(w, "seconds", tokens / e->tokens_per_s);
    clg_json_add_number(w, "usd", usd);
    clg_json_add_number(
        w, "as_good_tokens",
        clg_tokens_as_good(w->text->arena, &s->model, tokens, &e->layout, &critical));
    clg_json_close(w, '}');
}

static void explain_in_open(clg_json_writer *w, const clg_scenario *s, const clg_evaluation *e) {
    add_model(w, &s->model);
    add_machine(w, s, &e->layout);
    clg_json_layout(w, &e->layout);
    clg_json_add_number(w, "step_s", e->step_s);
    clg_json_add_number(w, "step_p10_s", e->step_p10_s);
    clg_json_add_number(w, "step_p90_s", e->step_p90_s);
    clg_json_add_number(w, "tokens_per_s", e->tokens_per_s);
    clg_json_add_number(w, "tokens_per_s_per_gpu", e->tokens_per_s_per_gpu);
    clg_json_add_number(w, "mfu", e->mfu);
    clg_json_add_number(w, "hfu", e->hfu);
    clg_json_add_number(w, "model_flop_per_s_per_gpu", e->model_flop_per_s_per_gpu);
    clg_json_add_number(w, "executed_flop_per_s_per_gpu", clg_executed_flop_per_s_per_gpu(e));
    add_time(w, &e->time);
    add_memory(w, s, e);
    add_power_and_cost(w, s, e);
    clg_json_add_string(w, "bound_by", clg_name_of(clg_wall_names, (int)e->bound_by));
    clg_json_add_string(w, "caveats", e->caveats);
}

void clg_json_explain(clg_json_writer *w, const char *key, const clg_scenario *s,
                      const clg_evaluation *e) {
    clg_json_open_answer(w, key, "explain");
    explain_in_open(w, s, e);
    clg_json_close(w, '}');
}

static void add_fits_with(clg_json_writer *w, const clg_fits_with *fits_with, int fitting) {
    clg_json_open(w, "fits_with", '[');
    for (int i = 0; i < fitting; i++) {
        const clg_evaluation *e = &fits_with[i].plan;
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "flags", fits_with[i].flags);
        clg_json_add_string(w, "remark", fits_with[i].remark);
        clg_json_add_number(w, "memory_bytes", e->memory.total_bytes);
        add_chance_out(w, e);
        clg_json_add_number(w, "step_s", e->step_s);
        clg_json_layout(w, &e->layout);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

void clg_json_explained(clg_json_writer *w, const clg_scenario *s, const clg_space *space,
                        const clg_evaluation *e, double tokens, const clg_fits_with *fits_with,
                        int fitting) {
    clg_json_open_answer(w, NULL, "explain");
    explain_in_open(w, s, e);
    add_run(w, s, e, tokens);
    clg_json_batch(w, space);
    clg_json_storage(w, s, e);
    if (!e->fits) add_fits_with(w, fits_with, fitting);
    clg_json_close(w, '}');
}

static void add_search(clg_json_writer *w, const clg_found *f, double seconds) {
    clg_json_open(w, "search", '{');
    clg_json_add_integer(w, "layouts", f->layouts);
    clg_json_add_integer(w, "priced", f->priced);
    clg_json_open(w, "cut", '{');
    for (int i = 0; i < CLG_CUTS; i++)
        clg_json_add_integer(w, clg_name_of(clg_cut_names, i), f->cut[i]);
    clg_json_close(w, '}');
    clg_json_add_number(w, "seconds", seconds);
    clg_json_add_bool(w, "complete", f->complete);
    clg_json_close(w, '}');
}

static void add_nearest(clg_json_writer *w, const clg_scenario *s, const clg_found *f,
                        const clg_evaluation *on_more) {
    clg_json_add_null(w, "best");
    if (!f->has_nearest) {
        clg_json_add_null(w, "nearest");
        return;
    }
    clg_json_open(w, "nearest", '{');
    clg_json_add_string(w, "missing", "memory");
    double limit_bytes = f->limit_bytes / clg_crowding(s, &f->nearest.layout);
    clg_json_add_number(w, "missing_bytes", f->nearest.memory.needed_bytes - limit_bytes);
    clg_json_explain(w, "plan", s, &f->nearest);
    if (on_more)
        clg_json_explain(w, "on_more_gpus", s, on_more);
    else
        clg_json_add_null(w, "on_more_gpus");
    clg_json_close(w, '}');
}

static void add_families(clg_json_writer *w, const clg_scenario *s, const clg_planned *planned) {
    clg_json_open(w, "families", '[');
    for (int i = 0; i < planned->families; i++) {
        const clg_layout_family *family = &planned->family[i];
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "family", family->name);
        if (family->runs)
            clg_json_explain(w, "plan", s, &family->plan);
        else
            clg_json_add_null(w, "plan");
        clg_json_add_string(w, "why", family->why);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

/* How sure it is that the best is faster than each of the alternatives, and how many are a tie. */
static void add_chances(clg_json_writer *w, const clg_found *f) {
    clg_difference d;
    clg_error none = {0};
    int ties = 0;
    if (clg_difference_find(w->text->arena, &d, &none) != CLG_OK) return;
    clg_json_open(w, "chance_best_is_faster", '[');
    for (int i = 1; i < f->count; i++) {
        clg_json_add_number(w, NULL, clg_difference_faster(&d, &f->best[0], &f->best[i]));
        ties += clg_difference_tie(&d, &f->best[i], &f->best[0]);
    }
    clg_json_close(w, ']');
    clg_json_add_integer(w, "ties", ties);
    clg_json_add_bool(w, "chosen_of_tie", f->of_tie);
}

void clg_json_plan(clg_json_writer *w, const clg_scenario *s, const clg_space *space,
                   const clg_planned *planned, double seconds) {
    const clg_found *f = planned->found;
    clg_json_open_answer(w, NULL, "plan");
    if (f->count > 0)
        clg_json_explain(w, "best", s, &f->best[0]);
    else
        add_nearest(w, s, f, planned->on_more);
    if (f->count > 0) add_run(w, s, &f->best[0], planned->tokens);
    if (f->count == 0) add_fits_with(w, planned->fits_with, planned->fitting);
    if (planned->not_written) {
        clg_json_open(w, "launch", '{');
        clg_json_add_string(w, "not_for_the_best", planned->not_written);
        clg_json_add_number(w, "best_step_s", planned->unwritten_step_s);
        clg_json_close(w, '}');
    }
    clg_json_add_number(w, "risk", space->risk);
    clg_json_batch(w, space);
    if (f->has_gamble)
        clg_json_explain(w, "gamble", s, &f->gamble);
    else
        clg_json_add_null(w, "gamble");
    clg_json_open(w, "alternatives", '[');
    for (int i = 1; i < f->count; i++) clg_json_explain(w, NULL, s, &f->best[i]);
    clg_json_close(w, ']');
    add_chances(w, f);
    add_families(w, s, planned);
    clg_json_open(w, "pareto", '[');
    for (int i = 0; i < f->front_count; i++) {
        const clg_evaluation *e = &f->front[i];
        clg_json_open(w, NULL, '{');
        clg_json_layout(w, &e->layout);
        clg_json_add_number(w, "step_s", e->step_s);
        clg_json_add_number(w, "total_bytes", e->memory.total_bytes);
        add_chance_out(w, e);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
    add_search(w, f, seconds);
    clg_json_close(w, '}');
}
