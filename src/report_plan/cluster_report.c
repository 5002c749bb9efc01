/* cluster_report.c -- which cluster, as text. */
#include "report_plan/cluster_report.h"

#include "report/number_words.h"
#include "report/price_words.h"
#include "report_plan/balance_report.h"
#include "report_plan/contracts_report.h"
#include "report_plan/owning_report.h"
#include "report_plan/plan_text.h"
#include "units/units.h"
#include <math.h>

static void print_row(clg_text *t, const clg_cluster *c, const char *mark) {
    clg_text_print(t, "%s ", mark);
    clg_text_pad(t, c->offer->scenario.machine.gpu.name, 14, false);
    clg_text_print(t, "%7lld ", (long long)c->gpus);
    clg_text_pad(t, clg_words_quantity(t, c->seconds, CLG_SECONDS), 8, true);
    clg_text_pad(t, c->usd > 0 ? clg_words_quantity(t, c->usd, CLG_USD) : "-", 10, true);
    clg_text_pad(t, clg_words_quantity(t, c->power_w, CLG_WATTS), 9, true);
    clg_text_print(t, " %6.0f %5.1f %5.1f", c->joules / 3.6e9, 100 * c->plan.mfu,
                   100 * c->goodput.share);
    clg_text_pad(t, clg_words_chance_out(t, &c->plan), 6, true);
    clg_text_print(t, "  %.32s\n", clg_words_layout(t, &c->plan.layout));
}

static void print_header(clg_text *t) {
    clg_text_print(
        t, "  GPU               GPUs     time      rent    power    MWh   MFU good-   out  layout\n"
           "                                                               %%  put%%     %%\n");
}

static void print_limits(clg_text *t, const clg_sizing *ask) {
    const clg_limits *l = &ask->limits;
    clg_text_print(
        t, "job      %s tokens in steps of %s", clg_words_quantity(t, ask->tokens, CLG_COUNT),
        clg_words_quantity(
            t, (double)ask->offer[0].space.global_batch * (double)ask->offer[0].space.seq,
            CLG_TOKENS));
    if (l->deadline_s > 0)
        clg_text_print(t, ", within %s", clg_words_quantity(t, l->deadline_s, CLG_SECONDS));
    if (l->budget_usd > 0)
        clg_text_print(t, ", for at most %s", clg_words_quantity(t, l->budget_usd, CLG_USD));
    if (l->power_w > 0)
        clg_text_print(t, ", drawing at most %s", clg_words_quantity(t, l->power_w, CLG_WATTS));
    clg_text_print(t, "\n");
}

static void print_target(clg_text *t, const clg_clusters *all, const clg_sizing *ask) {
    if (all->tokens_needed <= ask->tokens) return;
    clg_text_print(t,
                   "needs    %s tokens: the batch is %.2g times the critical one (%s, %s; "
                   "--critical-batch), and samples past that buy less\n",
                   clg_words_quantity(t, all->tokens_needed, CLG_COUNT),
                   all->batch_tokens / all->critical.tokens,
                   clg_words_quantity(t, all->critical.tokens, CLG_TOKENS), all->critical.name);
}

/* "38.4 d": the run were its step so long, goodput as it is. */
static const char *at_step(clg_text *t, const clg_cluster *c, double step_s, double whole,
                           clg_dimension dimension) {
    return clg_words_quantity(t, whole * step_s / c->plan.step_s, dimension);
}

/* Prices are by the hour, of a box; many boxes are not let for hours. */
static void print_short(clg_text *t, const clg_clusters *all, const clg_sizing *ask,
                        const clg_cluster *c) {
    bool faster = false;
    if (clg_cluster_is_brief(&ask->operations, c)) {
        clg_text_print(t, "         whether so many are let for so short a time is not modelled: "
                          "--max-gpus\n");
        return;
    }
    for (int i = 0; i < all->count && ask->limits.deadline_s <= 0; i++)
        faster |= all->cluster[i].meets && !all->cluster[i].past_knee &&
                  !clg_cluster_is_dear(ask, all, &all->cluster[i]) &&
                  all->cluster[i].seconds < c->seconds &&
                  clg_cluster_is_brief(&ask->operations, &all->cluster[i]);
    if (faster)
        clg_text_print(t,
                       "         faster ones below are more than %.0f nodes for less than %s, "
                       "which few let\n",
                       ask->operations.short_nodes,
                       clg_words_quantity(t, ask->operations.short_rent_s, CLG_SECONDS));
}

/* Which of those that the budget pays was taken, where nothing says how long it may take. */
static void print_undated(clg_text *t, const clg_clusters *all, const clg_sizing *ask) {
    if (ask->limits.deadline_s > 0 || ask->limits.budget_usd <= 0 || all->cheapest < 0) return;
    const clg_cluster *c = &all->cluster[all->cheapest];
    clg_text_print(t, "         no --deadline: the fastest at most %.0f %% dearer than %lld x %s, ",
                   100 * ask->operations.dear_share, (long long)c->gpus,
                   c->offer->scenario.machine.gpu.name);
    clg_text_print(t, "cheapest: %s, %s\n", clg_words_quantity(t, c->seconds, CLG_SECONDS),
                   clg_words_quantity(t, c->usd, CLG_USD));
}

/* Time and rent move with the step; a limit that only the median keeps is said to be so. */
static void print_interval(clg_text *t, const clg_cluster *c) {
    const clg_evaluation *e = &c->plan;
    clg_text_print(t, "         P10-P90 %s to %s",
                   at_step(t, c, e->step_p10_s, c->seconds, CLG_SECONDS),
                   at_step(t, c, e->step_p90_s, c->seconds, CLG_SECONDS));
    if (c->usd > 0)
        clg_text_print(t, ", %s to %s at that price", at_step(t, c, e->step_p10_s, c->usd, CLG_USD),
                       at_step(t, c, e->step_p90_s, c->usd, CLG_USD));
    clg_text_print(t, "\n         step %s (P10 %s - P90 %s), %.1f GB (runs out %s %%), %s\n",
                   clg_words_quantity(t, e->step_s, CLG_SECONDS),
                   clg_words_quantity(t, e->step_p10_s, CLG_SECONDS),
                   clg_words_quantity(t, e->step_p90_s, CLG_SECONDS), e->memory.total_bytes / 1e9,
                   clg_words_chance_out(t, e), clg_words_layout(t, &e->layout));
}

/* A cluster that meets the limits, at most a tenth slower and at least a tenth cheaper, the
 * cheapest of them; the other way round within a deadline. */
static const clg_cluster *nearly_as_good(const clg_clusters *all, const clg_limits *l) {
    const clg_cluster *best = &all->cluster[all->best], *other = NULL;
    bool by_money = l->deadline_s > 0;
    for (int i = 0; i < all->count; i++) {
        const clg_cluster *c = &all->cluster[i];
        if (!c->meets || !(c->usd > 0) || !(best->usd > 0)) continue;
        double mine = by_money ? c->usd / best->usd : c->seconds / best->seconds;
        double theirs = by_money ? c->seconds / best->seconds : c->usd / best->usd;
        if (mine > 1.1 || theirs > 0.9) continue;
        if (other && (by_money ? c->seconds >= other->seconds : c->usd >= other->usd)) continue;
        other = c;
    }
    return other;
}

/* What the whole budget would buy: the soonest that is let for so long. */
static const clg_cluster *soonest(const clg_clusters *all, const clg_sizing *ask) {
    const clg_cluster *best = &all->cluster[all->best];
    for (int i = 0; i < all->count; i++) {
        const clg_cluster *c = &all->cluster[i];
        if (c->meets && !c->past_knee && !clg_cluster_is_brief(&ask->operations, c) &&
            c->seconds < best->seconds)
            best = c;
    }
    return best == &all->cluster[all->best] ? NULL : best;
}

static void print_other(clg_text *t, const clg_clusters *all, const clg_sizing *ask) {
    bool undated = ask->limits.deadline_s <= 0 && ask->limits.budget_usd > 0;
    const clg_cluster *best = &all->cluster[all->best];
    const clg_cluster *c = undated ? soonest(all, ask) : nearly_as_good(all, &ask->limits);
    if (!c) return;
    clg_text_print(t, "or       %lld x %s: %s (%+.0f %%), %s (%+.0f %%)\n", (long long)c->gpus,
                   c->offer->scenario.machine.gpu.title,
                   clg_words_quantity(t, c->seconds, CLG_SECONDS),
                   100 * (c->seconds / best->seconds - 1), clg_words_quantity(t, c->usd, CLG_USD),
                   100 * (c->usd / best->usd - 1));
}

/* What P10 and P90 say as a chance, with failures and the price in it. */
static void print_odds(clg_text *t, const clg_odds *odds) {
    bool timed = !isnan(odds->deadline), paid = !isnan(odds->budget);
    size_t from = t->size;
    if (!timed && !paid) return;
    clg_text_print(t, "odds     ");
    if (timed) clg_text_print(t, "%s to be in time", clg_words_chance(t, odds->deadline));
    if (paid)
        clg_text_print(t, "%s%s to stay in the budget at this price", timed ? ", " : "",
                       clg_words_chance(t, odds->budget_at_price));
    if (paid && odds->budget < odds->budget_at_price)
        clg_text_print(t, ", %s before it is signed", clg_words_chance(t, odds->budget));
    clg_text_print(t, " (step, failures, spares%s)\n", paid ? ", price" : "");
    clg_text_fold(t, from, 9);
}

/* What is rented is a network too: all here is for this one. */
static void print_promise(clg_text *t, const clg_machine *m) {
    size_t from = t->size;
    clg_text_print(t, "network  ");
    clg_report_network(t, m);
    clg_text_fold(t, from, 9);
    if (m->fabric.assumed)
        clg_text_print(t, "         the reference box's: see that the offer has it (--fabric names "
                          "another)\n");
}

static void print_choice(clg_text *t, const clg_clusters *all, const clg_sizing *ask,
                         const clg_cluster *c) {
    const clg_scenario *s = &c->offer->scenario;
    size_t from = t->size;
    clg_text_print(t, "\ntake     %lld x %s: %s", (long long)c->gpus,
                   clg_words_gpu(t, &s->machine.gpu),
                   clg_words_quantity(t, c->seconds, CLG_SECONDS));
    if (c->usd > 0)
        clg_text_print(t, ", %s at %.2f USD/GPU-h (%s)", clg_words_quantity(t, c->usd, CLG_USD),
                       s->price.usd_per_s * 3600, clg_words_price_band(t->arena, &s->price));
    clg_text_print(t, "\n");
    print_interval(t, c);
    print_undated(t, all, ask);
    print_short(t, all, ask, c);
    clg_text_fold(t, from, 9);
    print_promise(t, &s->machine);
    print_odds(t, &c->odds);
    if (!isfinite(c->goodput.mean_time_between_failures_s)) {
        clg_text_print(t, "losses   none: no failures are assumed, so no checkpoints\n");
        return;
    }
    size_t losses = t->size;
    clg_text_print(
        t,
        "losses   a failure%s every %s, a checkpoint of %s every %s: %.1f %% of the time "
        "trains\n",
        clg_price_spot(&c->offer->scenario.price) ? " or a machine taken back (how often: assumed)"
                                                  : "",
        clg_words_quantity(t, c->goodput.mean_time_between_failures_s, CLG_SECONDS),
        clg_words_quantity(t, c->goodput.checkpoint_s, CLG_SECONDS),
        clg_words_quantity(t, c->goodput.interval_s, CLG_SECONDS), 100 * c->goodput.share);
    clg_text_fold(t, losses, 9);
}

/* Up: fewer, larger GPUs. Out: more of the smaller. */
static void print_equal(clg_text *t, const clg_clusters *all) {
    if (all->equal_count < 2) return;
    clg_text_print(
        t,
        "\nscale up or out: the fewest GPUs of each kind that finish in %s\n"
        "  GPU               GPUs  nodes     time      rent    power    MWh   MFU traffic\n"
        "                                                                     %%       %%\n",
        clg_words_quantity(t, all->equal_seconds, CLG_SECONDS));
    for (int i = 0; i < all->equal_count; i++) {
        const clg_cluster *c = &all->cluster[all->equal[i]];
        const clg_machine *m = &c->offer->scenario.machine;
        clg_text_print(t, "%s ", all->equal[i] == all->best ? ">" : " ");
        clg_text_pad(t, m->gpu.name, 14, false);
        clg_text_print(t, "%7lld%7.0f", (long long)c->gpus, ceil((double)c->gpus / m->node.gpus));
        clg_text_pad(t, clg_words_quantity(t, c->seconds, CLG_SECONDS), 9, true);
        clg_text_pad(t, c->usd > 0 ? clg_words_quantity(t, c->usd, CLG_USD) : "-", 10, true);
        clg_text_pad(t, clg_words_quantity(t, c->power_w, CLG_WATTS), 9, true);
        clg_text_print(t, " %6.0f %5.1f %7.1f\n", c->joules / 3.6e9, 100 * c->plan.mfu,
                       100 * clg_exposed_share(&c->plan));
    }
}

/* "--deadline 12d --budget 34.2MUSD": of the limits that the nearest misses what it would meet, at
 * P90 and rounded up. */
static void print_mend(clg_text *t, const clg_cluster *c, const clg_limits *l) {
    const struct {
        const char *flag;
        double limit, needed;
        clg_dimension dimension;
    } rows[] = {{"deadline", l->deadline_s, c->seconds * c->late, CLG_SECONDS},
                {"budget", l->budget_usd, c->usd * c->late, CLG_USD},
                {"power", l->power_w, c->power_w, CLG_WATTS}};
    const double up = 1.005; /* three digits are printed */
    clg_text_print(t, "Give it");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].limit > 0 && rows[i].needed > rows[i].limit)
            clg_text_print(t, " --%s %s", rows[i].flag,
                           clg_words_quantity(t, up * rows[i].needed, rows[i].dimension));
}

static void print_miss(clg_text *t, const clg_clusters *all, const clg_limits *l) {
    const clg_cluster *c = &all->cluster[all->nearest];
    clg_text_print(t, "\nNo cluster meets all of it. The nearest misses by %.4g times:\n",
                   all->missed_factor);
    print_header(t);
    print_row(t, c, " ");
    size_t from = t->size;
    print_mend(t, c, l);
    clg_text_print(t, ", or make it smaller: with %.2g %% of the tokens it would fit",
                   100 / all->missed_factor);
    if (l->power_w > 0 && c->power_w > l->power_w) clg_text_print(t, " (power would not)");
    clg_text_print(t, ".\n");
    clg_text_fold(t, from, 0);
}

/* Of those on the front and the best, the slowest that is faster than `seconds`; NULL: none. The
 * earlier where two are alike. */
static const clg_cluster *next_faster(const clg_clusters *all, double seconds) {
    const clg_cluster *next = NULL;
    for (int i = 0; i < all->count; i++) {
        const clg_cluster *c = &all->cluster[i];
        if (!(c->on_front || i == all->best) || c->seconds >= seconds) continue;
        if (!next || c->seconds > next->seconds) next = c;
    }
    return next;
}

/* From the slowest to the fastest, and so from the cheapest to the dearest. */
static void print_front(clg_text *t, const clg_clusters *all) {
    print_header(t);
    for (const clg_cluster *c = next_faster(all, INFINITY); c; c = next_faster(all, c->seconds))
        print_row(t, c,
                  c - all->cluster == all->best ? ">"
                  : !c->meets                   ? " "
                  : c->past_knee                ? "+"
                                                : "*");
}

static void print_footer(clg_text *t, const clg_clusters *all, const clg_sizing *ask) {
    const clg_price *price = &all->cluster[all->best >= 0 ? all->best : 0].offer->scenario.price;
    size_t from = t->size;
    clg_text_print(t, "%d clusters of up to %s GPUs planned", all->count,
                   clg_words_count(t, ask->most_gpus));
    if (clg_price_known(price)) clg_text_print(t, "; prices compared: %s", price->term);
    clg_text_print(t,
                   "; power with cooling (PUE %.2f); rent without storage and egress; limits hold "
                   "at P90\n",
                   ask->operations.pue);
    clg_text_fold(t, from, 0);
    from = t->size;
    if (ask->left_out)
        clg_text_print(t, "left out, rented by the box without a network (--gpu prices them): %s\n",
                       ask->left_out);
    clg_text_fold(t, from, 2);
}

void clg_report_clusters(clg_text *t, const clg_clusters *all, const clg_sizing *ask,
                         const clg_owning *own, const clg_worth *worth, double grams_per_joule) {
    const clg_scenario *s = &all->cluster[0].offer->scenario;
    size_t from = t->size;
    clg_text_print(t, "model    %s\n", clg_words_model(t, &s->model));
    print_limits(t, ask);
    clg_report_batch(t, &ask->offer[0].space);
    print_target(t, all, ask);
    clg_text_fold(t, from, 9);
    if (all->best >= 0) {
        const clg_cluster *best = &all->cluster[all->best];
        print_choice(t, all, ask, best);
        clg_report_worth(t, worth);
        print_other(t, all, ask);
        clg_report_balance(t, ask, best);
        clg_report_owning(t, best, &ask->operations, own);
        if (all->terms > 0) clg_report_contracts(t, all->term, all->terms);
        if (grams_per_joule > 0)
            clg_text_print(t, "carbon   %.0f t CO2 for the electricity\n",
                           best->joules * grams_per_joule / 1e6);
    } else if (all->nearest >= 0)
        print_miss(t, all, &ask->limits);
    else
        clg_text_print(t, "\nNo price is known, so no cluster can be held against a budget: give "
                          "--price 2.5USD/h.\n");
    print_equal(t, all);
    clg_text_print(t, "\nfaster or cheaper (nothing here beats the others in both; * meets every "
                      "limit, + past the knee)\n");
    print_front(t, all);
    print_footer(t, all, ask);
}
