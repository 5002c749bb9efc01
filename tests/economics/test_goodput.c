/* Failures and checkpoints by hand, at the size of Llama 3's cluster. */
#include "economics/goodput.h"
#include "test.h"

int main(void) {
    clg_arena arena = {0};
    clg_error e = {0};
    clg_operations o;
    CASE("16,384 H100: a failure every 3.1 hours (419 in 54 days, arXiv:2407.21783)");
    CHECK(clg_operations_default(&arena, &o, &e) == CLG_OK);
    clg_goodput g = clg_goodput_of(&o, 16384, 405e9);
    CHECK_NEAR(g.mean_time_between_failures_s, 54 * 86400.0 / 419, 0.01);
    CASE("checkpoint of 405 B x 14 bytes at 2 TB/s: 2.8 s; Young: sqrt(2 x 2.84 x 11,153) = 252 s");
    CHECK_NEAR(g.checkpoint_s, 405e9 * 14 / (0.122e9 * 16384), 1e-9);
    CHECK_NEAR(g.interval_s, 252, 0.01);
    CASE("over 90 % of the time trains, as they report");
    CHECK(g.share > 0.90 && g.share < 0.96);
    CASE("no failures: nothing lost");
    o.failures_per_gpu_s = 0;
    CHECK(clg_goodput_of(&o, 16384, 405e9).share == 1);
    CASE("the interval is the best one: a little more or less loses more");
    o.failures_per_gpu_s = 1e-8;
    g = clg_goodput_of(&o, 1000, 70e9);
    double rate = 1e-5, d = g.checkpoint_s, tau = g.interval_s;
    CHECK(d / tau + rate * tau / 2 < d / (1.1 * tau) + rate * 1.1 * tau / 2);
    CHECK(d / tau + rate * tau / 2 < d / (0.9 * tau) + rate * 0.9 * tau / 2);
    CASE("owning: 40,000 USD over four years at 80 %, 1 kW at 0.08 USD/kWh and PUE 1.25");
    o.pue = 1.25, o.usd_per_joule = 0.08 / 3.6e6;
    clg_owning own = {.capex_usd = 40000, .life_s = 1461 * 86400.0, .utilization = 0.8};
    CHECK_NEAR(clg_owned_usd_per_s(&o, &own, 1000) * 3600, 40000 / (1461 * 24 * 0.8) + 0.1, 1e-9);
    const double year_s = 365.25 * 86400;
    CASE(
        "sold for a quarter after four years: 7,500 a year; at 10 % interest 1.1^-4 = 0.683013, so "
        "(40,000 - 6,830.13) x ln 1.1 / 0.316987 = 9,973.3 a year");
    own.residual_share = 0.25;
    CHECK_NEAR(clg_capital_usd_per_s(&own) * year_s, 7500, 1e-9);
    own.interest = 0.1;
    CHECK_NEAR(clg_capital_usd_per_s(&own) * year_s, 33169.8654 * 0.0953101798 / 0.3169865447,
               1e-7);
    clg_arena_clear(&arena);
    return DONE;
}
