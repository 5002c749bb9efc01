/* odds.c -- sums over equal shares of what is doubted; the step's part in closed form. */
#include "economics/odds.h"

#include "base/real.h"
#include "dataset/open.h"
#include "economics/spares.h"

#include <math.h>

clg_status clg_doubts_default(clg_arena *arena, const clg_price *price, clg_doubts *d,
                              clg_error *error) {
    double low = 0, high = 0;
    const clg_value_field fields[] = {{"failure_sigma", CLG_COUNT, &d->failure_sigma},
                                      {"common_share", CLG_FRACTION, &d->common_share}};
    if (CLG_DATASET_NUMBERS(arena, "operations", "doubts", fields, error) != CLG_OK)
        return error->status;
    d->price_low = d->price_high = price->usd_per_s;
    if (clg_price_known(price) && clg_price_on_demand(price) &&
        clg_price_band(arena, price->gpu, &low, &high) > 0)
        d->price_high = fmax(high, price->usd_per_s);
    return CLG_OK;
}

/* Wall seconds over useful ones, where failures come `often` times as often as expected and their
 * number and depth are `z` deviations off: a sum of many losses of tau/2 on average, spread evenly
 * over 0 to tau (variance of one, with its restart: tau^2 / 12 + its mean squared). */
static double stretch(const clg_venture *v, const clg_operations *o, double often, double z) {
    clg_goodput g = clg_goodput_of(o, v->gpus, v->parameters);
    double rate = o->failures_per_gpu_s * v->gpus * often, tau = g.interval_s;
    if (!(rate > 0)) return 1;
    double written = 1 + g.checkpoint_s / tau, mean = tau / 2 + clg_down_s(o);
    double failures = rate * v->useful_s * written;
    double lost = failures * mean + z * sqrt(failures * (tau * tau / 12 + mean * mean));
    return written + fmax(0, lost) / v->useful_s;
}

enum { OFTEN = 16, LUCK = 8, STOPS = 8, LENGTHS = 4, PRICES = 8 };

/* The number of events that no more than a `share` of cases stay below, where `mean` are expected:
 * Poisson; of many the normal distribution. */
static double poisson_quantile(double mean, double share) {
    static const double MANY = 200;
    if (mean > MANY) return fmax(0, floor(mean + clg_normal_quantile(share) * sqrt(mean) + 0.5));
    double term = clg_exp(-mean), below = term, n = 0;
    while (below < share && n < 4 * MANY) below += term *= mean / ++n;
    return n;
}

/* Together n lengths of mean 1 that are spread exponentially: Wilson & Hilferty, PNAS 17:684, 1931.
 */
static double lengths(double n, double z) {
    double root = 1 - 1 / (9 * n) + z / (3 * sqrt(n));
    return n * fmax(0, root) * root * root;
}

/* The mean of clg_factor_below over how long the job stands still for want of a node. */
static double below(clg_sides sides, const clg_stops *stops, double wall_s, double limit_s) {
    double sum = 0;
    if (!(stops->share > 0)) return clg_factor_below(sides, limit_s / wall_s);
    for (int i = 0; i < STOPS; i++) {
        double n = poisson_quantile(stops->per_s * wall_s, (i + 0.5) / STOPS);
        for (int k = 0; k < LENGTHS; k++) {
            double still_s =
                n > 0 ? stops->mean_length_s * lengths(n, clg_normal_middle(k, LENGTHS)) : 0;
            sum += clg_factor_below(sides, limit_s / (wall_s + still_s));
        }
    }
    return sum / (STOPS * LENGTHS);
}

/* The chance that seconds x `usd_per_s` is at most `limit`; 1 USD/s asks for seconds. */
static double chance(const clg_venture *v, const clg_operations *o, double failure_sigma,
                     double usd_per_s, double limit) {
    const clg_sides even = {failure_sigma, failure_sigma};
    double sum = 0;
    for (int i = 0; i < OFTEN; i++) {
        double often = clg_factor_at(even, clg_normal_middle(i, OFTEN));
        clg_stops stops = {0};
        if (v->spares >= 0) stops = clg_stops_of(o, v->gpus, v->spares, often);
        for (int k = 0; k < LUCK; k++) {
            double wall_s = v->useful_s * stretch(v, o, often, clg_normal_middle(k, LUCK));
            sum += below(v->sides, &stops, wall_s, limit / usd_per_s);
        }
    }
    return sum / (OFTEN * LUCK);
}

/* With the price anywhere from its low to `high`. */
static double chance_of_budget(const clg_venture *v, const clg_operations *o, const clg_doubts *d,
                               double high, double budget_usd) {
    double sum = 0;
    int prices = high > d->price_low ? PRICES : 1;
    for (int i = 0; i < prices; i++) {
        double usd_per_s = d->price_low + (high - d->price_low) * (i + 0.5) / prices;
        sum += chance(v, o, d->failure_sigma, usd_per_s * v->gpus, budget_usd);
    }
    return sum / prices;
}

clg_odds clg_odds_of(const clg_venture *v, const clg_operations *o, const clg_doubts *d,
                     double deadline_s, double budget_usd) {
    clg_odds odds = {NAN, NAN, NAN};
    if (deadline_s > 0) odds.deadline = chance(v, o, d->failure_sigma, 1, deadline_s);
    if (!(budget_usd > 0 && d->price_low > 0)) return odds;
    odds.budget = chance_of_budget(v, o, d, d->price_high, budget_usd);
    odds.budget_at_price = chance_of_budget(v, o, d, d->price_low, budget_usd);
    return odds;
}
