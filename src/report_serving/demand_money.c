/* demand_money.c -- what a demand costs: the product of factors, the bill, the API beside it. */
#include "report_serving/demand_parts.h"
#include "serve/offline.h"

#include "report/number_words.h"
#include "report/price_words.h"

#include <math.h>
#include <string.h>

const char *clg_words_usd(clg_text *t, double value) {
    if (!isfinite(value)) return "-";
    if (value >= 1000) return clg_arena_print(t->arena, "$%s", clg_words_grouped(t, value));
    return clg_arena_print(t->arena,
                           value < 0.1   ? "$%.4f"
                           : value < 100 ? "$%.3f"
                                         : "$%.0f",
                           value);
}

/* Nothing for a fleet whose size is given: it costs what it costs. */
static const char *cost_interval(clg_text *t, const clg_serve_answer *a) {
    if (a->slow.attainable && a->slow.usd_per_million <= a->fast.usd_per_million) return "";
    return clg_arena_print(
        t->arena, " (P10 %s – P90 %s)", clg_words_usd(t, a->fast.usd_per_million),
        a->slow.attainable ? clg_words_usd(t, a->slow.usd_per_million) : clg_words_no_fleet);
}

static void print_factors(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    double sum = 1;
    clg_text_print(
        t, "cost     %s per million %s%s, as a product:\n", clg_words_usd(t, a->usd_per_million),
        clg_answers_of_one(s) ? "answers of one token" : "output tokens", cost_interval(t, a));
    for (int i = 0; i < CLG_FACTORS; i++) {
        sum *= a->factor[i];
        const char *factor = i == 0 ? "" : clg_arena_print(t->arena, "x %.2f", a->factor[i]);
        clg_text_print(t, "         %-20s %8s %10s   %s\n", clg_name_of(clg_factor_names, i),
                       factor, clg_words_usd(t, sum), clg_factor_names[i].help);
    }
}

/* The highest steady rate of one replica within the target, in requests. */
static double target_per_s(const clg_serve_answer *a) {
    double output = a->break_even_share * a->offline_tokens_per_s / a->break_even_per_s;
    return a->target_tokens_per_s / output;
}

static void print_verdict(clg_text *t, const clg_serve_answer *a) {
    if (isnan(a->break_even_share)) {
        clg_text_print(t, "         one of the two costs nothing: there is no break-even\n");
        return;
    }
    bool late = a->break_even_per_s > target_per_s(a) * (1 + 1e-9);
    if (late && a->break_even_share <= 1)
        clg_text_print(
            t,
            "         a replica would pay above %.3g requests/s; within the "
            "target it serves %.3g at most:\n"
            "         the API is cheaper %s; here %s against %s\n",
            a->break_even_per_s, target_per_s(a),
            a->usd_per_million < a->api_usd_per_million ? "where that rate lasts" : "at any demand",
            clg_words_usd(t, a->usd_per_million), clg_words_usd(t, a->api_usd_per_million));
    else if (a->break_even_share > 1)
        clg_text_print(t,
                       "         even a full replica costs more: the API is cheaper at any "
                       "demand (%.3g x)\n",
                       a->break_even_share);
    else
        clg_text_print(t,
                       "         a replica pays above %.1f %% of its capacity (P10 %.1f – P90 "
                       "%.1f), %.3g requests/s\n"
                       "         here it %s: %s against %s\n",
                       100 * a->break_even_share, 100 * a->break_even_share * a->fast.scale,
                       100 * a->break_even_share * a->slow.scale, a->break_even_per_s,
                       a->usd_per_million < a->api_usd_per_million ? "pays" : "does not",
                       clg_words_usd(t, a->usd_per_million),
                       clg_words_usd(t, a->api_usd_per_million));
}

const char *clg_report_api(clg_arena *arena, const clg_api_price *api) {
    if (strcmp(api->date, "given") == 0) return api->title;
    return clg_arena_print(arena, "%s (%s)", api->title, api->date);
}

/* "$15.40", "$11,088": dollars of a bill. */
const char *clg_words_bill(clg_text *t, double dollars) {
    if (dollars >= 1000) return clg_arena_print(t->arena, "$%s", clg_words_grouped(t, dollars));
    return clg_arena_print(t->arena, "$%.2f", dollars);
}

clg_bill clg_bill_of(const clg_serve_question *s, const clg_serve_answer *a) {
    const double none = (double)NAN;
    double usd_per_s = a->usd_per_s * (double)a->fleet.replicas;
    if (!clg_price_known(&s->replica->scenario->price)) usd_per_s = none;
    clg_bill b = {3600 * usd_per_s, none, none, none, none};
    bool compared = s->api && s->api->name, users = s->demand->apart;
    if ((!clg_demand_in_time(s->demand) && !users) || a->brief) return b;
    b.usd_per_month = CLG_MONTH_S * usd_per_s;
    double made_per_s =
        users ? a->fleet.output_tokens_per_s : (double)s->demand->output_tokens / s->demand->span_s;
    if (compared) b.api_usd_per_h = 3600 * made_per_s * a->api_usd_per_million / 1e6;
    if (users) return b;
    const clg_scaled_fleet *scaled = clg_scaled_in_time(s, a);
    if (scaled) b.scaled_usd_per_month = CLG_MONTH_S * a->usd_per_s * scaled->replicas_mean;
    if (compared) b.api_usd_per_month = CLG_MONTH_S / 3600 * b.api_usd_per_h;
    return b;
}

/* What is paid, whoever serves it. */
static void print_bill(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    clg_bill b = clg_bill_of(s, a);
    size_t from = t->size;
    clg_text_print(t, "bill     %s an hour", clg_words_bill(t, b.usd_per_h));
    if (isfinite(b.usd_per_month))
        clg_text_print(t, ", %s in 30 days%s", clg_words_bill(t, b.usd_per_month),
                       s->demand->apart ? "" : " of this demand");
    if (b.scaled_usd_per_month < CLG_SCALED_MOST * b.usd_per_month)
        clg_text_print(t, "; autoscaled in time %s", clg_words_bill(t, b.scaled_usd_per_month));
    if (isfinite(b.api_usd_per_month))
        clg_text_print(t, "; by the API %s", clg_words_bill(t, b.api_usd_per_month));
    else if (isfinite(b.api_usd_per_h))
        clg_text_print(t, "; by the API %s an hour in which all of them ask",
                       clg_words_bill(t, b.api_usd_per_h));
    clg_text_print(t, "\n");
    clg_text_fold(t, from, 9);
}

static void print_power(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    double each = clg_serve_gpu_w(s);
    double gpus = (double)a->fleet.replicas * clg_replica_gpus(s->replica);
    clg_text_print(t, "power    at most %s with cooling (PUE %.3g), boards at their limit",
                   clg_words_quantity(t, gpus * each, CLG_WATTS), s->pue);
    if (s->power_w > 0)
        clg_text_print(t, "; %s hold %s GPUs%s", clg_words_quantity(t, s->power_w, CLG_WATTS),
                       clg_words_grouped(t, floor(s->power_w / each)),
                       gpus * each > s->power_w ? ": TOO FEW" : "");
    clg_text_print(t, "\n");
}

/* Replicas that a window does not need, on work that can wait. */
static void print_filled(clg_text *t, const clg_serve_answer *a) {
    double fleet = (double)a->fleet.replicas, idle = fleet - a->windows_mean;
    double filled_per_s = idle * a->offline_tokens_per_s;
    if (a->windows <= 1 || idle < 0.005 * fleet) return;
    double both = 1e6 * fleet * a->usd_per_s / (a->fleet.output_tokens_per_s + filled_per_s);
    clg_text_print(t,
                   "         replicas idle by window (%.0f %% of hours) as batch work: %s a "
                   "day; both then %s\n",
                   100 * idle / fleet, clg_words_quantity(t, 86400 * filled_per_s, CLG_TOKENS),
                   clg_words_usd(t, both));
}

/* Where prompts are nearly all that is computed, output alone says little. */
static void print_both(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    static const double mostly = 10; /* prompt tokens for each of an answer */
    clg_demand_means m = clg_demand_means_of(s->demand);
    if (m.prompt_tokens < mostly * m.output_tokens) return;
    clg_text_print(t, "         %s per million tokens, prompts and answers\n",
                   clg_words_usd(t, a->usd_per_million * m.output_tokens /
                                        (m.prompt_tokens + m.output_tokens)));
}

static void print_costs(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    const clg_price *price = &s->replica->scenario->price;
    if (!clg_price_known(price)) {
        clg_text_print(t, "cost     no price known for this GPU: give --price 2.5USD/h\n");
        return;
    }
    if (a->usd_per_s <= 0) {
        clg_text_print(t, "cost     $0 at %.2f USD/GPU-h (%s)\n", 0.0, price->provider);
        return;
    }
    print_factors(t, s, a);
    clg_text_print(t, "         were the idle capacity sold as batch work, %s\n",
                   clg_words_usd(t, a->factor[CLG_FACTOR_FLOOR] * a->factor[CLG_FACTOR_BATCH]));
    print_both(t, s, a);
    clg_text_print(t, "         %s for 10^18 useful operations; %s were the GPU at its peak\n",
                   clg_words_usd(t, a->usd_per_useful_eflop),
                   clg_words_usd(t, a->peak_usd_per_eflop));
    print_filled(t, a);
    size_t from = t->size;
    clg_text_print(t, "         GPU at $%.2f/h: %s\n", 3600 * price->usd_per_s,
                   clg_words_price_band(t->arena, price));
    clg_text_fold(t, from, 9);
    print_bill(t, s, a);
    if (!s->api || !s->api->name) {
        clg_text_print(t,
                       "api      none known for this model: take one of 'ceiling show api-prices' "
                       "by --api-price,\n         or give --api-input and --api-output\n");
        return;
    }
    clg_text_print(t,
                   "api      %s\n         $%.3g in, $%.3g out per million; this mix %s per "
                   "million out\n",
                   clg_report_api(t->arena, s->api), 1e6 * s->api->usd_per_input_token,
                   1e6 * s->api->usd_per_output_token, clg_words_usd(t, a->api_usd_per_million));
    print_verdict(t, a);
}

void clg_report_money(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    print_costs(t, s, a);
    print_power(t, s, a);
}
