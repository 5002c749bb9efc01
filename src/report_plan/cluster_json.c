/* cluster_json.c -- which cluster, as JSON. */
#include "report_plan/cluster_report.h"

#include "report/price_words.h"
#include "report_plan/contracts_report.h"
#include "report_plan/owning_report.h"
#include "report_plan/plan_json.h"
#include <math.h>

static void add_odds(clg_json_writer *w, const clg_odds *odds) {
    if (!isnan(odds->deadline) || !isnan(odds->budget)) clg_json_odds(w, odds);
}

static void add_cluster(clg_json_writer *w, const char *key, const clg_cluster *c) {
    const clg_scenario *s = &c->offer->scenario;
    clg_json_open(w, key, '{');
    clg_json_add_string(w, "gpu", s->machine.gpu.name);
    clg_json_add_integer(w, "gpus", c->gpus);
    clg_json_add_string(w, "fabric", s->machine.fabric.name);
    clg_json_layout(w, &c->plan.layout);
    clg_json_add_number(w, "seconds", c->seconds);
    clg_json_add_number(w, "seconds_p10", c->seconds * c->plan.step_p10_s / c->plan.step_s);
    clg_json_add_number(w, "seconds_p90", c->seconds * c->plan.step_p90_s / c->plan.step_s);
    clg_json_add_number(w, "usd", c->usd > 0 ? c->usd : (double)NAN);
    clg_json_add_number(w, "usd_per_gpu_h",
                        s->price.usd_per_s > 0 ? s->price.usd_per_s * 3600 : (double)NAN);
    clg_json_add_string(w, "price", s->price.provider);
    clg_json_add_string(w, "price_date", s->price.date);
    clg_json_add_number(w, "power_w", c->power_w);
    clg_json_add_number(w, "energy_j", c->joules);
    clg_json_add_number(w, "goodput", c->goodput.share);
    clg_json_add_number(w, "checkpoint_interval_s", c->goodput.interval_s);
    clg_json_add_number(w, "step_s", c->plan.step_s);
    clg_json_add_number(w, "step_p10_s", c->plan.step_p10_s);
    clg_json_add_number(w, "step_p90_s", c->plan.step_p90_s);
    clg_json_memory_total(w, &c->plan);
    clg_json_add_number(w, "mfu", c->plan.mfu);
    clg_json_add_number(w, "exposed_communication_share", clg_exposed_share(&c->plan));
    add_odds(w, &c->odds);
    clg_json_add_bool(w, "meets", c->meets);
    clg_json_add_bool(w, "past_knee", c->past_knee);
    clg_json_add_bool(w, "on_front", c->on_front);
    clg_json_close(w, '}');
}

static void add_target(clg_json_writer *w, const clg_clusters *all, const clg_sizing *ask) {
    const clg_price *price = &all->cluster[all->best >= 0 ? all->best : 0].offer->scenario.price;
    clg_json_add_number(w, "tokens", ask->tokens);
    clg_json_add_number(w, "tokens_needed", all->tokens_needed);
    clg_json_add_number(w, "critical_batch_tokens", all->critical.tokens);
    clg_json_add_number(w, "samples_needed_ratio",
                        clg_samples_ratio(all->batch_tokens, all->critical.tokens));
    clg_json_add_string(w, "price_term", clg_price_known(price) ? price->term : NULL);
    clg_json_add_integer(w, "max_gpus", ask->most_gpus);
}

void clg_json_size(clg_json_writer *w, const clg_clusters *all, const clg_sizing *ask,
                   const clg_owning *own, const clg_worth *worth, double grams_per_joule) {
    clg_json_open_answer(w, NULL, "size");
    add_target(w, all, ask);
    clg_json_batch(w, &ask->offer[0].space);
    if (all->best >= 0)
        add_cluster(w, "best", &all->cluster[all->best]);
    else
        clg_json_add_null(w, "best");
    if (all->best < 0 && all->nearest >= 0) add_cluster(w, "nearest", &all->cluster[all->nearest]);
    int chosen = all->best >= 0 ? all->best : all->nearest;
    if (chosen >= 0) add_odds(w, &all->cluster[chosen].odds);
    if (all->best >= 0) {
        const clg_cluster *best = &all->cluster[all->best];
        if (own->capex_usd > 0) clg_json_owning(w, best, &ask->operations, own);
        if (grams_per_joule > 0) clg_json_add_number(w, "carbon_g", best->joules * grams_per_joule);
    }
    clg_json_worth(w, worth);
    if (all->terms > 0) clg_json_contracts(w, all->term, all->terms);
    clg_json_open(w, "equal_time", '[');
    for (int i = 0; i < all->equal_count; i++) add_cluster(w, NULL, &all->cluster[all->equal[i]]);
    clg_json_close(w, ']');
    clg_json_open(w, "clusters", '[');
    for (int i = 0; i < all->count; i++) add_cluster(w, NULL, &all->cluster[i]);
    clg_json_close(w, ']');
    clg_json_close(w, '}');
}
