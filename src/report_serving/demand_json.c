/* demand_json.c -- serving economics as JSON: the answer, and tables of replicas. */
#include "report_serving/demand_report.h"
#include "serve/offline.h"

#include "report_serving/demand_parts.h"
#include "serve/format.h"

#include <math.h>

static void json_percentiles(clg_json_writer *w, const char *key, const clg_percentiles *p) {
    clg_json_open(w, key, '{');
    clg_json_add_number(w, "p50", p->p50);
    clg_json_add_number(w, "p90", p->p90);
    clg_json_add_number(w, "p99", p->p99);
    clg_json_add_number(w, "mean", p->mean);
    clg_json_close(w, '}');
}

static void json_who(clg_json_writer *w, const clg_demand *d) {
    clg_json_open(w, "demand", '{');
    clg_json_add_integer(w, "requests", d->count);
    clg_json_add_number(w, "span_s", d->span_s);
    clg_json_add_number(w, "mean_rate_per_s", clg_demand_rate_per_s(d));
    clg_json_add_number(w, "peak_over_mean", clg_demand_peak_over_mean(d));
    clg_json_add_integer(w, "rows_left_out", clg_demand_lost(d));
    clg_json_close(w, '}');
}

static void json_replica(clg_json_writer *w, const clg_replica *r) {
    clg_json_open(w, "replica", '{');
    clg_json_add_integer(w, "gpus", clg_replica_gpus(r));
    clg_json_add_string(w, "gpu", r->scenario->machine.gpu.name);
    clg_json_add_string(w, "engine", r->engine.name);
    clg_json_open(w, "layout", '{');
    clg_json_add_integer(w, "tp", r->layout.tp);
    clg_json_add_integer(w, "dp", r->layout.dp);
    clg_json_add_integer(w, "ep", r->layout.ep);
    clg_json_add_integer(w, "prefill_replicas", r->prefills);
    clg_json_add_integer(w, "decode_replicas", r->decodes);
    clg_json_add_number(w, "tokens_gained", r->cost.drafted > 0 ? r->cost.gained : 1);
    clg_json_add_integer(w, "pp", r->layout.pp);
    clg_json_add_string(w, "weights", clg_name_of(clg_precision_names, (int)r->layout.weights));
    clg_json_add_number(w, "quality_loss",
                        clg_format_loss(w->text->arena, &r->scenario->model,
                                        &r->scenario->machine.gpu, r->layout.weights));
    clg_json_add_string(w, "cache", clg_name_of(clg_precision_names, (int)r->layout.cache));
    clg_json_add_integer(w, "blocks", r->rules.blocks);
    if (r->layout.adapters > 0) {
        clg_json_add_integer(w, "adapters", r->layout.adapters);
        clg_json_add_integer(w, "adapter_rank", r->layout.adapter.rank);
        clg_json_add_number(w, "adapter_bytes", r->room.adapter_bytes);
    }
    if (r->room.state_bytes > 0) {
        clg_json_add_number(w, "state_bytes", r->room.state_bytes);
        clg_json_add_integer(w, "state_blocks", r->rules.sequence_blocks);
    }
    clg_json_close(w, '}');
    clg_json_close(w, '}');
}

static void json_factors(clg_json_writer *w, const clg_serve_answer *a) {
    double sum = 1;
    clg_json_open(w, "factors", '[');
    for (int i = 0; i < CLG_FACTORS && a->usd_per_s > 0; i++) {
        sum *= a->factor[i];
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "name", clg_name_of(clg_factor_names, i));
        clg_json_add_number(w, "factor", i == 0 ? 1 : a->factor[i]);
        clg_json_add_number(w, "usd_per_million_tokens", sum);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

static void json_break_even(clg_json_writer *w, const clg_serve_question *s,
                            const clg_serve_answer *a) {
    const clg_api_price *api = s->api && s->api->name ? s->api : NULL;
    clg_json_open(w, "break_even", '{');
    clg_json_add_number(w, "utilization", a->break_even_share);
    clg_json_add_number(w, "requests_per_s", a->break_even_per_s);
    if (api) {
        clg_json_open(w, "api", '{');
        clg_json_add_string(w, "name", api->name);
        clg_json_add_number(w, "usd_per_million_input", 1e6 * api->usd_per_input_token);
        clg_json_add_number(w, "usd_per_million_output", 1e6 * api->usd_per_output_token);
        clg_json_add_string(w, "date", api->date);
        clg_json_close(w, '}');
    } else
        clg_json_add_null(w, "api");
    clg_json_close(w, '}');
}

static void json_pair(clg_json_writer *w, const char *key, double low, double high) {
    clg_json_open(w, key, '[');
    clg_json_add_number(w, NULL, low);
    clg_json_add_number(w, NULL, high);
    clg_json_close(w, ']');
}

/* P10 and P90; null where no fleet meets the target. */
static void json_intervals(clg_json_writer *w, const clg_serve_question *s,
                           const clg_serve_answer *a) {
    const clg_serve_doubt *d = &a->doubt;
    const clg_serve_bound *fast = &a->fast, *slow = &a->slow;
    const double never = (double)NAN, gpus = clg_replica_gpus(s->replica);
    double few = fast->attainable ? (double)fast->replicas : never;
    double many = slow->attainable ? (double)slow->replicas : never;
    double most = a->offline_tokens_per_s * (double)a->fleet.replicas;
    bool priced = clg_price_known(&s->replica->scenario->price);
    clg_json_open(w, "p10_p90", '{');
    json_pair(w, "replicas", few, many);
    json_pair(w, "gpus", few * gpus, many * gpus);
    json_pair(w, "well_served_share", slow->well_served, fast->well_served);
    json_pair(w, "ttft_p50_s", a->fleet.ttft_s.p50 / d->first, a->fleet.ttft_s.p50 * d->first);
    json_pair(w, "tpot_p50_s", a->fleet.tpot_s.p50 / d->token, a->fleet.tpot_s.p50 * d->token);
    json_pair(w, "e2e_p50_s", a->fleet.e2e_s.p50 / d->token, a->fleet.e2e_s.p50 * d->token);
    json_pair(w, "capacity_tokens_per_s", most / d->rate, most * d->rate);
    json_pair(w, "gpus_kept_full", clg_serve_kept_full(s, a, fast),
              clg_serve_kept_full(s, a, slow));
    json_pair(w, "usd_per_million_tokens", priced ? fast->usd_per_million : never,
              priced ? slow->usd_per_million : never);
    json_pair(w, "break_even_utilization", a->break_even_share * fast->scale,
              a->break_even_share * slow->scale);
    clg_json_close(w, '}');
}

static void json_iteration(clg_json_writer *w, const clg_serve_question *s,
                           const clg_serve_answer *a) {
    clg_iteration one = clg_report_iteration(s, a);
    clg_json_open(w, "iteration", '{');
    clg_json_add_number(w, "sequences", one.sequences);
    clg_json_add_number(w, "context_tokens", one.context_tokens);
    clg_json_add_number(w, "seconds", one.seconds);
    clg_json_open(w, "parts", '[');
    for (int i = 0; i < CLG_ITERATION_PARTS; i++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_string(w, "name", clg_iteration_part_names[i].name);
        clg_json_add_number(w, "seconds", one.part[i]);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
    clg_json_close(w, '}');
}

static void json_scaled(clg_json_writer *w, const clg_serve_question *s,
                        const clg_serve_answer *a) {
    clg_json_add_number(w, "cold_start_s", s->cold_start_s);
    clg_json_open(w, "reactive", '[');
    for (int i = 0; i < a->scaled_count; i++) {
        const clg_scaled_fleet *f = &a->scaled[i];
        clg_json_open(w, NULL, '{');
        clg_json_add_number(w, "scale_at", f->share);
        clg_json_add_number(w, "replicas_mean", f->replicas_mean);
        clg_json_add_integer(w, "replicas_most", f->most);
        clg_json_add_integer(w, "starts", f->starts);
        clg_json_add_number(w, "share_in_time", f->well_served);
        clg_json_add_number(w, "late_first", f->late_first);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
}

/* Replicas on average when scaled by window, seen ahead, and by an autoscaler. */
static void json_windows(clg_json_writer *w, const clg_serve_question *s,
                         const clg_serve_answer *a) {
    clg_json_open(w, "autoscaled", '{');
    clg_json_add_integer(w, "windows", a->windows);
    clg_json_add_number(w, "replicas_mean", a->windows_mean);
    clg_json_add_number(w, "replicas_most", a->windows_most);
    json_scaled(w, s, a);
    clg_json_open(w, "window", '[');
    for (int64_t i = 0; a->window && i < a->windows; i++) {
        clg_json_open(w, NULL, '{');
        clg_json_add_number(w, "begin_s", a->window[i].begin_s);
        clg_json_add_number(w, "seconds", a->window[i].seconds);
        clg_json_add_number(w, "replicas_of_demand", a->window[i].steady);
        clg_json_add_number(w, "replicas_needed", a->window[i].needed);
        clg_json_close(w, '}');
    }
    clg_json_close(w, ']');
    clg_json_close(w, '}');
}

/* Dollars of the fleet by the hour, and of the demand in 30 days where it comes in time. */
static void json_bill(clg_json_writer *w, const clg_serve_question *s, const clg_serve_answer *a) {
    clg_bill b = clg_bill_of(s, a);
    clg_json_open(w, "bill", '{');
    clg_json_add_number(w, "usd_per_h", b.usd_per_h);
    clg_json_add_number(w, "usd_per_30_days", b.usd_per_month);
    clg_json_add_number(w, "autoscaled_usd_per_30_days", b.scaled_usd_per_month);
    clg_json_add_number(w, "api_usd_per_30_days", b.api_usd_per_month);
    clg_json_add_number(w, "api_usd_per_h", b.api_usd_per_h);
    clg_json_close(w, '}');
}

static void json_target(clg_json_writer *w, const clg_serve_target *target) {
    clg_json_open(w, "target", '{');
    clg_json_add_number(w, "ttft_s", target->ttft_s);
    clg_json_add_number(w, "tpot_s", target->tpot_s);
    clg_json_add_number(w, "share", target->share);
    clg_json_close(w, '}');
}

static void json_price(clg_json_writer *w, const clg_price *price) {
    bool known = clg_price_known(price);
    clg_json_open(w, "price", '{');
    clg_json_add_number(w, "usd_per_gpu_h", known ? 3600 * price->usd_per_s : (double)NAN);
    if (known && price->provider) clg_json_add_string(w, "provider", price->provider);
    if (known && price->term) clg_json_add_string(w, "term", price->term);
    if (known && price->date) clg_json_add_string(w, "date", price->date);
    clg_json_close(w, '}');
}

void clg_json_demand(clg_json_writer *w, const clg_serve_question *s, const clg_serve_answer *a) {
    json_who(w, s->demand);
    json_target(w, &s->target);
    json_replica(w, s->replica);
    clg_json_add_integer(w, "replicas", a->fleet.replicas);
    clg_json_add_integer(w, "gpus", a->fleet.replicas * clg_replica_gpus(s->replica));
    clg_json_add_number(w, "utilization", a->fleet.busy_share);
    clg_json_add_number(w, "mfu", a->mfu);
    clg_json_add_number(w, "usd_per_useful_eflop", a->usd_per_useful_eflop);
    json_percentiles(w, "ttft_s", &a->fleet.ttft_s);
    json_pair(w, "ttft_p99_interval_s", a->ttft_low_s, a->ttft_high_s);
    json_percentiles(w, "tpot_s", &a->fleet.tpot_s);
    json_percentiles(w, "e2e_s", &a->fleet.e2e_s);
    json_iteration(w, s, a);
    clg_json_add_number(w, "prompt_cached_share", a->fleet.found.cached);
    clg_json_add_number(w, "prompt_read_share", a->fleet.found.read);
    clg_json_add_number(w, "rho", a->rho);
    clg_json_add_number(w, "output_tokens_per_s", a->fleet.output_tokens_per_s);
    clg_json_add_number(w, "usd_per_million_tokens",
                        clg_price_known(&s->replica->scenario->price) ? a->usd_per_million
                                                                      : (double)NAN);
    json_price(w, &s->replica->scenario->price);
    json_factors(w, a);
    json_break_even(w, s, a);
    json_intervals(w, s, a);
    clg_json_add_number(w, "gpus_kept_full", a->gpus_kept_full);
    clg_json_add_bool(w, "meets_target", a->meets);
    clg_json_add_integer(w, "requests_refused", a->fleet.refused);
    clg_json_add_number(w, "capacity_tokens_per_s",
                        a->offline_tokens_per_s * (double)a->fleet.replicas);
    json_windows(w, s, a);
    json_bill(w, s, a);
    clg_json_add_number(w, "power_w",
                        (double)(a->fleet.replicas * clg_replica_gpus(s->replica)) *
                            clg_serve_gpu_w(s));
}

static void add_lever(clg_json_writer *w, const clg_lever *l) {
    clg_json_open(w, NULL, '{');
    clg_json_add_string(w, "name", l->name);
    clg_json_add_bool(w, "fits", l->fits);
    if (l->fits) {
        clg_json_add_integer(w, "gpus", l->gpus);
        clg_json_add_string(w, "price", l->price ? l->price : "");
        clg_json_add_number(w, "output_tokens_per_s_per_gpu", l->offline_tokens_per_s);
        clg_json_add_number(w, "usd_per_million_tokens_full", l->usd_per_million);
        clg_json_add_number(w, "mfu_full", l->mfu);
        clg_json_add_number(w, "usd_per_useful_eflop_full", l->usd_per_useful_eflop);
        clg_json_add_number(w, "break_even_utilization", l->break_even_share);
        clg_json_add_number(w, "break_even_requests_per_s", l->break_even_per_s);
        clg_json_add_number(w, "half_full_requests_per_s", l->half_price_per_s);
        clg_json_add_number(w, "fixed_price_requests_per_s", l->fixed_price_per_s);
        clg_json_add_number(w, "usd_per_h", l->usd_per_h);
        clg_json_add_number(w, "gpus_needed", l->gpus_all);
        if (l->gpus_fleet > 0) clg_json_add_number(w, "gpus_fleet", l->gpus_fleet);
        clg_json_add_number(w, "quality_loss", l->loss);
        clg_json_add_bool(w, "chosen", l->chosen);
        clg_json_add_bool(w, "borrowed_kernels", l->borrowed);
        clg_json_add_string(w, "term", clg_name_of(clg_price_terms, l->term));
    }
    clg_json_close(w, '}');
}

void clg_json_levers(clg_json_writer *w, const char *key, const clg_lever *row, int count) {
    clg_json_open(w, key, '[');
    for (int i = 0; i < count; i++) add_lever(w, &row[i]);
    clg_json_close(w, ']');
}

void clg_json_unranked(clg_json_writer *w, const clg_unranked *left) {
    clg_json_open(w, "gpus_not_ranked", '{');
    if (left->unpriced) clg_json_add_string(w, "no_price", left->unpriced);
    if (left->unfit) clg_json_add_string(w, "too_small", left->unfit);
    if (left->narrow) clg_json_add_string(w, "no_bf16", left->narrow);
    if (left->apart) clg_json_add_string(w, "no_network", left->apart);
    clg_json_close(w, '}');
}
