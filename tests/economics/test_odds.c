/* Odds against simulated truths: of what is said to happen in 70 % of cases, 70 % do. */
#include "base/normal.h"
#include "demand/random.h"
#include "economics/contracts.h"
#include "economics/odds.h"
#include "portfolio/life.h"
#include "test.h"

static clg_arena arena;

static clg_operations operations(void) {
    clg_operations o;
    clg_error e = {0};
    CHECK(clg_operations_default(&arena, &o, &e) == CLG_OK);
    return o;
}

/* Seconds in which the job stands still for want of a node while it works for `works_s`: nodes fail
 * by chance and come back after a time that is spread exponentially; all are well at first. */
static double still_s(double out_per_s, double repair_s, int spares, double works_s,
                      clg_random *random) {
    double back[64], now = 0, still = 0;
    int out = 0;
    while (works_s > 0 && out_per_s > 0) {
        double next = -log(clg_random_unit(random)) / out_per_s, first = INFINITY;
        int which = -1;
        for (int i = 0; i < out; i++)
            if (back[i] - now < first) first = back[which = i] - now;
        double passes = fmin(next, first);
        bool stands = out > spares;
        if (!stands && passes >= works_s) return still;
        if (stands)
            still += passes;
        else
            works_s -= passes;
        now += passes;
        if (next < first && out < 64)
            back[out++] = now - repair_s * log(clg_random_unit(random));
        else if (which >= 0)
            back[which] = back[--out];
    }
    return still;
}

/* A truth drawn as the odds believe the world to be: seconds it really took. */
static double truth(const clg_venture *v, const clg_operations *o, const clg_doubts *d,
                    clg_random *random) {
    clg_goodput g = clg_goodput_of(o, v->gpus, v->parameters);
    clg_job_size size = {.useful_s = v->useful_s,
                         .interval_s = g.interval_s,
                         .checkpoint_s = g.checkpoint_s,
                         .restart_s = clg_down_s(o),
                         .failures_per_s = o->failures_per_gpu_s * v->gpus};
    double factor = clg_factor_at(v->sides, clg_normal_quantile(clg_random_unit(random)));
    clg_sides even = {d->failure_sigma, d->failure_sigma};
    double often = clg_factor_at(even, clg_normal_quantile(clg_random_unit(random)));
    double wall_s = clg_life_stretch(&size, factor, often, 0, &(clg_random){random->state}).wall_s;
    random->state += 1;
    if (v->spares < 0) return wall_s;
    double out_per_s = o->failures_per_gpu_s * v->gpus * often * o->node_share;
    return wall_s + still_s(out_per_s, o->repair_s, v->spares, wall_s, random);
}

enum { BINS = 10, CASES = 6000 };

/* Ventures of many sizes, lengths and doubts with limits from hopeless to safe. */
static void check_calibrated(bool budget, int most_spares) {
    clg_operations o = operations();
    clg_doubts d = {.failure_sigma = 0.7, .price_low = 2 / 3600.0, .price_high = 4 / 3600.0};
    clg_random random = {budget ? 99 : 42};
    if (most_spares >= 0) o.repair_s = 6 * 3600;
    double said[BINS] = {0}, came[BINS] = {0}, count[BINS] = {0};
    for (int i = 0; i < CASES; i++) {
        double u = clg_random_unit(&random), w = clg_random_unit(&random);
        clg_venture v = {.useful_s = (1 + 60 * u) * 86400,
                         .sides = {0.02 + 0.3 * w, 0.02 + 0.6 * w},
                         .gpus = 8 << (int)((most_spares < 0 ? 12 : 10) * clg_random_unit(&random)),
                         .parameters = 70e9,
                         .spares = most_spares < 0 ? -1 : i % (most_spares + 1)};
        double limit = v.useful_s * (0.6 + 1.2 * clg_random_unit(&random));
        double usd_per_s = budget ? v.gpus * d.price_low * 1.5 : 1;
        clg_odds odds = clg_odds_of(&v, &o, &d, budget ? 0 : limit, budget ? limit * usd_per_s : 0);
        double p = budget ? odds.budget : odds.deadline;
        double paid =
            budget
                ? v.gpus * (d.price_low + (d.price_high - d.price_low) * clg_random_unit(&random))
                : 1;
        int bin = p >= 1 ? BINS - 1 : (int)(p * BINS);
        said[bin] += p;
        came[bin] += truth(&v, &o, &d, &random) * paid <= limit * usd_per_s;
        count[bin]++;
    }
    for (int b = 0; b < BINS; b++) {
        double mean = said[b] / count[b], noise = sqrt(mean * (1 - mean) / count[b]);
        CHECK(count[b] > 100);
        CHECK(fabs(came[b] / count[b] - mean) < 3.5 * noise + 0.01);
    }
}

static void check_limits(void) {
    clg_operations o = operations();
    clg_doubts d = {.failure_sigma = 0, .price_low = 1, .price_high = 1};
    clg_venture v = {
        .useful_s = 1000, .sides = {0.2, 0.1}, .gpus = 8, .parameters = 7e9, .spares = -1};
    o.failures_per_gpu_s = 0;
    CASE("without failures and at a price that is signed, the step alone decides");
    CHECK_NEAR(clg_odds_of(&v, &o, &d, 1000, 0).deadline, 0.5, 1e-12);
    CHECK_NEAR(clg_odds_of(&v, &o, &d, 1128.16, 0).deadline, 0.9, 1e-4);
    CHECK_NEAR(clg_odds_of(&v, &o, &d, 1000 / 1.25632, 0).deadline, 0.1, 1e-4);
    CHECK_NEAR(clg_odds_of(&v, &o, &d, 0, 8000).budget, 0.5, 1e-12);
    CASE("no limit, no odds");
    CHECK(isnan(clg_odds_of(&v, &o, &d, 0, 8000).deadline));
    CHECK(isnan(clg_odds_of(&v, &o, &d, 10, 0).budget));
    CASE("a price anywhere between one and three times: the middle is met half the time");
    v.sides = (clg_sides){0, 0};
    d.price_high = 3;
    CHECK_NEAR(clg_odds_of(&v, &o, &d, 0, 2 * 8000).budget, 0.5, 1e-12);
    CASE("failures lower the odds");
    clg_operations often = operations();
    v.sides = (clg_sides){0.1, 0.1};
    v.gpus = 16384;
    CHECK(clg_odds_of(&v, &often, &d, 1000, 0).deadline < 0.5);
}

/* Held at half the price: GPUs needed more than half of the time are held. */
static void check_mix(void) {
    clg_price hourly = {.usd_per_s = 2, .term = "on-demand", .gpu = "none"};
    clg_terms terms = {.hourly = &hourly, .held = {{.usd_per_s = 1}}, .helds = 1, .cheapest = 0};
    const double needed[] = {1, 0.9, 0.6, 0.4, 0.1, 0};
    clg_mix mix = clg_mix_of(&terms, needed, 6);
    CASE("the mix holds what is needed often, rents the rest while it is");
    CHECK(mix.held_gpus == 3 && mix.most_gpus == 2);
    CHECK_NEAR(mix.usd_per_s, 3 + 2 * 0.5, 1e-12);
    CHECK_NEAR(mix.hourly_usd_per_s, 2 * 3.0, 1e-12);
    CASE("GPUs of one's own are held where they cost less than those reserved");
    clg_price owned = {.usd_per_s = 0.5, .term = "owned, 4 years", .gpu = "none"};
    terms.held[0].term = "reserved, 1 year";
    clg_terms_own(&terms, &owned);
    CHECK(terms.helds == 2 && terms.cheapest == 1);
    CHECK(clg_mix_of(&terms, needed, 6).held_gpus == 4);
    CASE("with no held price known all is rented; without any price nothing is said");
    terms.cheapest = -1;
    CHECK(clg_mix_of(&terms, needed, 6).held_gpus == 0);
    hourly.usd_per_s = 0;
    CHECK(isnan(clg_mix_of(&terms, needed, 6).usd_per_s));
}

/* 100 GPUs for a week of training: 1 USD/h held for a year, 2 by the hour, 0.5 taken back often. */
static void check_terms(void) {
    clg_price hourly = {.usd_per_s = 2 / 3600.0, .term = "on-demand", .gpu = "none"};
    clg_terms terms = {.hourly = &hourly,
                       .held = {{.usd_per_s = 1 / 3600.0, .term = "reserved, 3 years"}},
                       .helds = 1,
                       .spot = {.usd_per_s = 0.5 / 3600.0, .term = "spot"}};
    clg_operations o = operations();
    clg_term_row rows[CLG_TERM_ROWS];
    const double week_s = 7 * 86400;
    CASE("terms: a run by the hour costs its hours; held GPUs are signed for three years of 365.25 "
         "days");
    clg_error e = {0};
    int filled;
    CHECK(clg_terms_rows(&arena, &terms, &o, 100, 7e9, week_s, rows, &filled, &e) == CLG_OK);
    CHECK(filled == 3);
    double share = clg_goodput_of(&o, 100, 7e9).share;
    CHECK_NEAR(rows[0].usd, 100 * 168 * 2 / share, 1e-9);
    CHECK_NEAR(rows[1].usd, rows[0].usd / 2, 1e-12);
    CHECK_NEAR(rows[1].committed_usd, 100 * 3 * 365.25 * 24, 1e-9);
    CHECK_NEAR(rows[1].pays_above, 0.5, 1e-12);
    CASE("spot trains a smaller share of its time, and costs that time");
    CHECK(rows[2].share < 0.95 * rows[0].share);
    CHECK_NEAR(rows[2].usd, rows[2].seconds / 3600 * 100 * 0.5, 1e-9);
    CHECK_NEAR(rows[2].seconds * rows[2].share, week_s, 1e-9);
    CASE("terms of a GPU in data/price: each once, the cheapest of it");
    clg_gpu gpu;
    clg_price price;
    CHECK(clg_gpu_find(&arena, "h100-sxm", &gpu, &e) == CLG_OK);
    CHECK(clg_price_default(&arena, &gpu, &price, &e) == CLG_OK);
    clg_terms_find(&arena, &price, &terms);
    CHECK(terms.helds >= 1 && terms.cheapest == 0 && terms.spot.term);
    for (int i = 1; i < terms.helds; i++)
        CHECK(strcmp(terms.held[i].term, terms.held[0].term) != 0);
}

int main(void) {
    check_limits();
    CASE("calibrated on simulated truths: deadlines");
    check_calibrated(false, -1);
    CASE("with few spares: no node, one or two");
    check_calibrated(false, 2);
    CASE("calibrated on simulated truths: budgets");
    check_calibrated(true, -1);
    check_mix();
    check_terms();
    clg_arena_clear(&arena);
    return DONE;
}
