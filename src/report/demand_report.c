/* demand_report.c -- serving economics: who asks, what serves, how fast, what it costs and why. */
#include "report/demand_report.h"

#include "report/number_words.h"
#include "report/price_report.h"
#include "units/units.h"

#include <math.h>
#include <string.h>

/* Above this share of capacity a point says nothing: 5 % in the cost of an iteration is 100 % in
 * the wait (W = 1/(mu - lambda)). */
static const double trusted_load = 0.95;

enum { PAGE_COLUMNS = 100 };

static const char *usd(clg_text *t, double value) {
    if (!isfinite(value)) return "-";
    return clg_arena_print(t->arena,
                           value < 0.1   ? "$%.4f"
                           : value < 100 ? "$%.3f"
                                         : "$%.0f",
                           value);
}

static bool timed(const clg_serve_question *question) {
    return question->demand->span_s > 0 && question->demand->clients <= 0;
}

static void print_rate(clg_text *t, const clg_demand *d) {
    if (d->clients > 0)
        clg_text_print(t, "%.0f clients in a closed loop\n", d->clients);
    else if (d->span_s <= 0)
        clg_text_print(t, "all at once\n");
    else
        clg_text_print(t, "%.3g a second over %s, busiest %s %.2f x the mean\n",
                       clg_demand_rate_per_s(d), clg_words_quantity(t, d->span_s, CLG_SECONDS),
                       clg_demand_peak_s(d) >= 60
                           ? "minute"
                           : clg_words_quantity(t, clg_demand_peak_s(d), CLG_SECONDS),
                       clg_demand_peak_over_mean(d));
}

/* Rows that were left out, by reason. */
static void print_lost(clg_text *t, const clg_demand *d) {
    const clg_demand_losses *l = &d->lost;
    const struct {
        int64_t count;
        const char *why;
    } rows[] = {{l->unreadable, "unreadable"},
                {l->negative, "negative"},
                {l->empty, "without prompt or output"},
                {l->absurd, "absurd"}};
    int64_t lost = clg_demand_lost(d);
    const char *between = ": ";
    if (lost == 0) return;
    clg_text_print(t, "         left out %s row%s", clg_words_grouped(t, (double)lost),
                   lost == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].count == 0) continue;
        clg_text_print(t, "%s%s %s", between, clg_words_grouped(t, (double)rows[i].count),
                       rows[i].why);
        between = ", ";
    }
    clg_text_print(t, "\n");
}

/* Whether every request is as long as the first: the tails of real ones are missing. */
static bool alike(const clg_demand *d) {
    for (int64_t i = 1; i < d->count; i++)
        if (d->request[i].prompt_tokens != d->request[0].prompt_tokens ||
            d->request[i].output_tokens != d->request[0].output_tokens)
            return false;
    return d->count > 1;
}

static void print_demand(clg_text *t, const clg_demand *d) {
    clg_demand_means m = clg_demand_means_of(d);
    clg_text_print(t, "demand   %s\n         %s request%s, ", d->title ? d->title : "made up",
                   clg_words_grouped(t, (double)d->count), d->count == 1 ? "" : "s");
    print_rate(t, d);
    clg_text_print(t, "         %s tokens in and %s out each%s; %s out in all\n",
                   clg_words_grouped(t, m.prompt_tokens), clg_words_grouped(t, m.output_tokens),
                   alike(d) ? ", all alike (--spread)" : "",
                   clg_words_quantity(t, (double)d->output_tokens, CLG_TOKENS));
    print_lost(t, d);
    if (d->moved > 0)
        clg_text_print(t, "         %lld %s out of order sorted in\n", (long long)d->moved,
                       d->moved == 1 ? "row" : "rows");
}

/* Two parts of a line that is broken between them where it would be wider than a page. */
static void print_parts(clg_text *t, const char *first, const char *second) {
    bool wide = strlen(first) + 1 + strlen(second) > PAGE_COLUMNS;
    clg_text_print(t, "%s%s%s\n", first, wide ? "\n         " : " ", second);
}

static void print_ranks(clg_text *t, const clg_replica *r) {
    const char *experts = clg_arena_print(t->arena, "experts in %d groups", r->layout.ep);
    if (r->layout.dp > 1)
        clg_text_print(t, "         attention on %d ranks that share out sequences%s%s\n",
                       r->layout.dp, r->layout.ep > 1 ? ", " : "", r->layout.ep > 1 ? experts : "");
    else if (r->layout.ep > 1)
        clg_text_print(t, "         %s\n", experts);
}

static const char *short_name(clg_text *t, const clg_gpu *gpu) {
    if (!gpu->asked) return gpu->name;
    return clg_arena_print(t->arena, "%s (taken for '%s')", gpu->name, gpu->asked);
}

static void print_replica(clg_text *t, const clg_replica *r) {
    const clg_model *m = &r->scenario->model;
    print_parts(
        t,
        clg_arena_print(t->arena, "replica  %s on %d x %s: tp %d, pp %d, weights %s, cache %s,",
                        m->title ? m->title : m->name, clg_replica_gpus(r),
                        short_name(t, &r->scenario->machine.gpu), r->layout.tp, r->layout.pp,
                        clg_name_of(clg_precision_names, (int)r->layout.weights),
                        clg_name_of(clg_precision_names, (int)r->layout.cache)),
        r->engine.title);
    print_ranks(t, r);
    if (r->prefill)
        clg_text_print(
            t,
            "         %d x %d GPUs make first tokens, %d x %d the others\n"
            "         the cache of a prompt goes over in %s and %s per thousand tokens\n",
            r->prefills, clg_replica_part_gpus(r->prefill), r->decodes, clg_replica_part_gpus(r),
            clg_words_quantity(t, r->transfer_s, CLG_SECONDS),
            clg_words_quantity(t, 1000 * r->transfer_token_s, CLG_SECONDS));
    if (r->cost.drafted > 0)
        clg_text_print(t, "         %.0f tokens proposed an iteration, %.2f gained\n",
                       r->cost.drafted, r->cost.gained);
    print_parts(t,
                clg_arena_print(
                    t->arena, "         %.1f GB of weights a GPU; cache of %s tokens in %s blocks;",
                    r->room.weight_bytes / 1e9,
                    clg_words_grouped(t, (double)r->rules.blocks * r->rules.block_tokens),
                    clg_words_grouped(t, (double)r->rules.blocks)),
                clg_arena_print(t->arena, "at most %s sequences",
                                clg_words_grouped(t, r->rules.max_sequences)));
    if (r->room.state_bytes > 0)
        clg_text_print(
            t, "         %.1f MB a GPU for the states of a sequence%s\n", r->room.state_bytes / 1e6,
            r->rules.sequence_blocks > 0
                ? clg_arena_print(t->arena, ", %d blocks of the cache", r->rules.sequence_blocks)
                : "");
}

/* What is said of the end of an interval that no fleet reaches. */
static const char *const no_fleet = "no fleet";

static const char *fleet_gpus(clg_text *t, const clg_serve_question *s, const clg_serve_bound *b) {
    if (!b->attainable) return no_fleet;
    double gpus = (double)b->replicas * clg_replica_gpus(s->replica);
    return clg_words_grouped(t, gpus);
}

static void print_sized(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    if (s->replicas > 0) return;
    clg_text_print(t,
                   "         P10 %s – P90 %s GPUs, by how far off this engine's tokens/s were on "
                   "other tables\n",
                   fleet_gpus(t, s, &a->fast), fleet_gpus(t, s, &a->slow));
}

/* How a given fleet would do at both ends; one that is sized meets the target by its size. */
static const char *by_given(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    if (s->replicas == 0) return "";
    return clg_arena_print(t->arena, " (P10 %.4g%% – P90 %.4g%%)", 100 * a->slow.well_served,
                           100 * a->fast.well_served);
}

static void print_needs(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    int gpus = clg_replica_gpus(s->replica);
    clg_text_print(
        t,
        "%-8s %s replica%s = %s GPU%s for %s to the first token and %s each, "
        "%.3g%% of requests\n",
        s->replicas > 0 ? "given" : "needs", clg_words_grouped(t, (double)a->fleet.replicas),
        a->fleet.replicas == 1 ? "" : "s", clg_words_grouped(t, (double)a->fleet.replicas * gpus),
        a->fleet.replicas * gpus == 1 ? "" : "s",
        clg_words_quantity(t, s->target.ttft_s, CLG_SECONDS),
        clg_words_quantity(t, s->target.tpot_s, CLG_SECONDS), 100 * s->target.share);
    print_sized(t, s, a);
    clg_text_print(t, "         %s: %.2f%% are served within both%s\n",
                   a->meets ? "met" : "NOT MET", 100 * a->fleet.well_served, by_given(t, s, a));
    if (a->windows > 1)
        clg_text_print(t,
                       "         scaled over %lld windows: %.2f replicas on average, %.0f at "
                       "most; with cold starts %.2f\n",
                       (long long)a->windows, a->windows_mean, a->windows_most, a->lagged_mean);
    if (a->fleet.refused > 0)
        clg_text_print(t, "         refused, because they can never fit in the cache: %s\n",
                       clg_words_grouped(t, (double)a->fleet.refused));
}

static void print_times(clg_text *t, const char *name, const clg_percentiles *p, double doubt) {
    clg_text_print(t, "         %-22s %10s %10s %10s   %s – %s\n", name,
                   clg_words_quantity(t, p->p50, CLG_SECONDS),
                   clg_words_quantity(t, p->p90, CLG_SECONDS),
                   clg_words_quantity(t, p->p99, CLG_SECONDS),
                   clg_words_quantity(t, p->p50 / doubt, CLG_SECONDS),
                   clg_words_quantity(t, p->p50 * doubt, CLG_SECONDS));
}

static void print_latency(clg_text *t, const clg_serve_answer *a) {
    clg_text_print(t, "latency  %-22s %10s %10s %10s   P10 – P90 of the p50\n", "", "p50", "p90",
                   "p99");
    print_times(t, "first token", &a->fleet.ttft_s, a->doubt.first);
    print_times(t, "each token after", &a->fleet.tpot_s, a->doubt.token);
    print_times(t, "whole answer", &a->fleet.e2e_s, a->doubt.token);
    clg_text_print(t,
                   "         p99 to the first token with iterations 5 %% faster %s, 5 %% slower "
                   "%s\n",
                   clg_words_quantity(t, a->ttft_low_s, CLG_SECONDS),
                   clg_words_quantity(t, a->ttft_high_s, CLG_SECONDS));
    if (a->rho > trusted_load)
        clg_text_print(t,
                       "         at %.0f %% of capacity waits are no forecast: trust the interval "
                       "only\n",
                       100 * a->rho);
}

double clg_serve_kept_full(const clg_serve_question *s, const clg_serve_answer *a,
                           const clg_serve_bound *b) {
    double loaded = a->rho * (double)a->fleet.replicas * b->scale;
    return floor(loaded / s->full_share) * clg_replica_gpus(s->replica);
}

clg_iteration clg_report_iteration(const clg_serve_question *s, const clg_serve_answer *a) {
    const clg_replica *r = s->replica;
    int pools = r->prefill ? r->decodes : 1;
    return clg_replica_iteration(r, a->fleet.mean_sequences / pools,
                                 clg_demand_means_of(s->demand).context_tokens);
}

/* Where the time of a token goes, in the batch of the busy fleet. Parts of less than half a per
 * cent are left out. */
static void print_iteration(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    clg_iteration one = clg_report_iteration(s, a);
    clg_text_print(t, "token    %s an iteration of %.0f decoding with %s tokens each, no prompt:\n",
                   clg_words_quantity(t, one.seconds, CLG_SECONDS), one.sequences,
                   clg_words_grouped(t, one.context_tokens));
    for (int i = 0; i < CLG_ITERATION_PARTS; i++) {
        double share = one.part[i] / one.seconds;
        if (share < 0.005) continue;
        clg_text_print(t, "         %-22s %10s %5.1f %%   %s\n", clg_iteration_part_names[i].name,
                       clg_words_quantity(t, one.part[i], CLG_SECONDS), 100 * share,
                       clg_iteration_part_names[i].help);
    }
    clg_text_print(t, "         with prompts read in between%s %s a token (p50)\n",
                   s->replica->cost.drafted > 0 ? " and drafts taken" : "",
                   clg_words_quantity(t, a->fleet.tpot_s.p50, CLG_SECONDS));
}

static void print_use(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    double fleet = (double)a->fleet.replicas;
    clg_text_print(t,
                   "use      busy %.1f %% of the time with %.1f sequences; MFU %.2f %%; load "
                   "(rho) %.1f %% of capacity\n",
                   100 * a->fleet.busy_share, a->fleet.mean_sequences, 100 * a->mfu, 100 * a->rho);
    if (a->fleet.cached_share > 0)
        clg_text_print(t,
                       "         %.1f %% of prompt tokens were in the prefix cache; capacity is "
                       "with as many\n",
                       100 * a->fleet.cached_share);
    double most = fleet * a->offline_tokens_per_s;
    clg_text_print(t, "         %s output tokens/s of %s at most (P10 %s – P90 %s)\n",
                   clg_words_grouped(t, a->fleet.output_tokens_per_s), clg_words_grouped(t, most),
                   clg_words_grouped(t, most / a->doubt.rate),
                   clg_words_grouped(t, most * a->doubt.rate));
    clg_text_print(t,
                   "         this demand keeps %.0f GPU%s (P10 %.0f – P90 %.0f) above %.0f %% "
                   "load\n",
                   a->gpus_kept_full, a->gpus_kept_full == 1.0 ? "" : "s",
                   clg_serve_kept_full(s, a, &a->fast), clg_serve_kept_full(s, a, &a->slow),
                   100 * s->full_share);
}

/* Nothing for a fleet whose size is given: it costs what it costs. */
static const char *cost_interval(clg_text *t, const clg_serve_answer *a) {
    if (a->slow.attainable && a->slow.usd_per_million <= a->fast.usd_per_million) return "";
    return clg_arena_print(t->arena, " (P10 %s – P90 %s)", usd(t, a->fast.usd_per_million),
                           a->slow.attainable ? usd(t, a->slow.usd_per_million) : no_fleet);
}

static void print_factors(clg_text *t, const clg_serve_answer *a) {
    double sum = 1;
    clg_text_print(t, "cost     %s per million output tokens%s, as a product:\n",
                   usd(t, a->usd_per_million), cost_interval(t, a));
    for (int i = 0; i < CLG_FACTORS; i++) {
        sum *= a->factor[i];
        const char *factor = i == 0 ? "" : clg_arena_print(t->arena, "x %.2f", a->factor[i]);
        clg_text_print(t, "         %-20s %8s %10s   %s\n", clg_name_of(clg_factor_names, i),
                       factor, usd(t, sum), clg_factor_names[i].help);
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
        clg_text_print(t,
                       "         a replica would pay above %.3g requests/s; within the latency "
                       "target it serves %.3g at most:\n"
                       "         the API is cheaper at any demand; here %s against %s\n",
                       a->break_even_per_s, target_per_s(a), usd(t, a->usd_per_million),
                       usd(t, a->api_usd_per_million));
    else if (a->break_even_share > 1)
        clg_text_print(t,
                       "         even a full replica costs more: the API is cheaper at any "
                       "demand (%.1f x)\n",
                       a->break_even_share);
    else
        clg_text_print(t,
                       "         a replica pays above %.1f %% of its capacity (P10 %.1f – P90 "
                       "%.1f), %.3g requests/s\n"
                       "         here it %s: %s against %s\n",
                       100 * a->break_even_share, 100 * a->break_even_share * a->fast.scale,
                       100 * a->break_even_share * a->slow.scale, a->break_even_per_s,
                       a->usd_per_million < a->api_usd_per_million ? "pays" : "does not",
                       usd(t, a->usd_per_million), usd(t, a->api_usd_per_million));
}

const char *clg_report_api(clg_arena *arena, const clg_api_price *api) {
    if (strcmp(api->date, "given") == 0) return api->title;
    return clg_arena_print(arena, "%s (%s)", api->title, api->date);
}

/* "$15.40", "$11,088": dollars of a bill. */
static const char *bill(clg_text *t, double dollars) {
    if (dollars >= 1000) return clg_arena_print(t->arena, "$%s", clg_words_grouped(t, dollars));
    return clg_arena_print(t->arena, "$%.2f", dollars);
}

clg_bill clg_bill_of(const clg_serve_question *s, const clg_serve_answer *a) {
    const double month_s = 30 * 86400.0, none = (double)NAN;
    double usd_per_s = a->usd_per_s * (double)a->fleet.replicas;
    if (!clg_price_known(&s->replica->scenario->price)) usd_per_s = none;
    clg_bill b = {3600 * usd_per_s, none, none, none};
    if (!timed(s)) return b;
    b.usd_per_month = month_s * usd_per_s;
    if (a->windows > 1) b.scaled_usd_per_month = month_s * a->usd_per_s * a->lagged_mean;
    double output_per_s = (double)s->demand->output_tokens / s->demand->span_s;
    if (s->api && s->api->name)
        b.api_usd_per_month = month_s * output_per_s * a->api_usd_per_million / 1e6;
    return b;
}

/* What is paid, whoever serves it. */
static void print_bill(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    clg_bill b = clg_bill_of(s, a);
    size_t from = t->size;
    clg_text_print(t, "bill     %s an hour", bill(t, b.usd_per_h));
    if (isfinite(b.usd_per_month))
        clg_text_print(t, ", %s in 30 days of this demand", bill(t, b.usd_per_month));
    if (isfinite(b.scaled_usd_per_month) && a->windows_most > 1)
        clg_text_print(t, "; scaled by window %s", bill(t, b.scaled_usd_per_month));
    if (isfinite(b.api_usd_per_month))
        clg_text_print(t, "; by the API %s", bill(t, b.api_usd_per_month));
    clg_text_print(t, "\n");
    clg_text_fold(t, from, 9);
}

static void print_money(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    const clg_price *price = &s->replica->scenario->price;
    if (!clg_price_known(price)) {
        clg_text_print(t, "cost     no price known for this GPU: give --price 2.5USD/h\n");
        return;
    }
    if (a->usd_per_s <= 0) {
        clg_text_print(t, "cost     $0 at %.2f USD/GPU-h (%s)\n", 0.0, price->provider);
        return;
    }
    print_factors(t, a);
    clg_text_print(t, "         were the idle capacity sold as batch work, %s\n",
                   usd(t, a->factor[CLG_FACTOR_FLOOR] * a->factor[CLG_FACTOR_BATCH]));
    clg_text_print(t, "         GPU at $%.2f/h: %s\n", 3600 * price->usd_per_s,
                   clg_words_price_band(t->arena, price));
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
                   1e6 * s->api->usd_per_output_token, usd(t, a->api_usd_per_million));
    print_verdict(t, a);
}

static void print_caveats(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    const clg_replica *r = s->replica;
    if (r->curves.borrowed)
        clg_text_print(t, "note     kernel times are borrowed from %s\n", r->curves.file);
    if (a->fleet.simulated < a->fleet.replicas)
        clg_text_print(t,
                       "note     %lld of the replicas were simulated; the others are dealt "
                       "requests alike\n",
                       (long long)a->fleet.simulated);
    if (a->rho > 1 && timed(s))
        clg_text_print(t,
                       "note     the fleet falls behind: it is paid %s longer, until its last "
                       "answer\n",
                       clg_words_quantity(t, a->fleet.span_s - s->demand->span_s, CLG_SECONDS));
    if (a->fleet.preemptions > 0)
        clg_text_print(t, "note     the cache ran full: %s preemptions\n",
                       clg_words_grouped(t, (double)a->fleet.preemptions));
}

void clg_report_demand(clg_text *t, const clg_serve_question *s, const clg_serve_answer *a) {
    print_demand(t, s->demand);
    print_replica(t, s->replica);
    if (timed(s)) print_needs(t, s, a);
    print_latency(t, a);
    print_iteration(t, s, a);
    print_use(t, s, a);
    print_money(t, s, a);
    print_caveats(t, s, a);
}

static const char *per_cent(clg_text *t, double share) {
    return isfinite(share) ? clg_arena_print(t->arena, "%.1f %%", 100 * share) : "-";
}

static const char *number(clg_text *t, double value) {
    return isfinite(value) ? clg_arena_print(t->arena, "%.3g", value) : "-";
}

void clg_report_levers(clg_text *t, const clg_lever *lever, int count) {
    clg_text_print(t, "levers   %-22s %5s %12s %12s %12s %14s\n", "", "GPUs", "tokens/s/GPU",
                   "$/Mtok full", "break-even", "half full at");
    for (int i = 0; i < count; i++) {
        const clg_lever *l = &lever[i];
        if (!l->fits)
            clg_text_print(t, "         %-22s does not fit\n", l->name);
        else
            clg_text_print(t, "         %-22s %5d %12s %12s %12s %8s req/s\n", l->name, l->gpus,
                           clg_words_grouped(t, l->offline_tokens_per_s),
                           usd(t, l->usd_per_million), per_cent(t, l->break_even_share),
                           number(t, l->half_price_per_s));
    }
}

/* "mi355x*r": borrowed kernels, a contract. */
static const char *marked(clg_text *t, const clg_lever *l) {
    return clg_arena_print(t->arena, "%s%s%s", l->name, l->borrowed ? "*" : "",
                           l->contract ? "r" : "");
}

static void print_marks(clg_text *t, const clg_lever *row, int count) {
    bool borrowed = false, contract = false;
    for (int i = 0; i < count; i++) {
        borrowed |= row[i].borrowed;
        contract |= row[i].contract;
    }
    if (borrowed)
        clg_text_print(t, "         *: kernel times borrowed from another GPU, a guess\n");
    if (contract)
        clg_text_print(t, "         r: reserved for a term; the others are paid by the hour\n");
}

void clg_report_gpus(clg_text *t, const char *title, const clg_lever *row, int count) {
    int widest = (int)strlen("cheapest first");
    bool compared = false;
    for (int i = 0; i < count; i++) {
        int width = (int)strlen(marked(t, &row[i]));
        if (width > widest) widest = width;
        compared |= isfinite(row[i].break_even_share);
    }
    clg_text_print(t, "%-8s %-*s %4s %9s %8s %s%7s  %s\n", title, widest, "cheapest first", "GPUs",
                   "tok/s/GPU", "$/Mtok", compared ? "pays at " : "", "$/h all", "a GPU, per hour");
    for (int i = 0; i < count; i++) {
        const clg_lever *l = &row[i];
        const char *even = clg_arena_print(t->arena, "%7s ", per_cent(t, l->break_even_share));
        clg_text_print(t, "         %-*s %4d %9s %8s %s%7s  %s\n", widest, marked(t, l), l->gpus,
                       clg_words_grouped(t, l->offline_tokens_per_s), usd(t, l->usd_per_million),
                       compared ? even : "",
                       isfinite(l->usd_per_h) ? bill(t, l->usd_per_h) : "misses",
                       l->price ? l->price : "");
    }
    clg_text_print(t, "         $/Mtok: a full replica at the target; $/h all: GPUs for the mean "
                      "of the demand\n");
    if (compared)
        clg_text_print(t,
                       "         pays at: load, of what it can do, above which it beats the API\n");
    print_marks(t, row, count);
}
