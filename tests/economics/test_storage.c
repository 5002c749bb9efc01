/* What a plan asks of storage, by hand. */
#include "economics/electricity.h"
#include "economics/storage.h"
#include "plan.h"

static clg_arena arena;

int main(void) {
    clg_scenario s = plan_scenario(&arena, "llama-3.1-8b", "h100-sxm", "megatron-2026", 64);
    clg_evaluation e = {.step_s = 2, .tokens_per_s = 64 * 4096 / 2.0};
    e.layout = plan_layout(4096);
    e.layout.dp = 64;
    e.layout.global_batch = 64;
    e.trained_parameters = 8e9;
    clg_operations o = {.failures_per_gpu_s = 1e-8,
                        .checkpoint_bytes_per_s = 1e8,
                        .checkpoint_parameter_bytes = 14,
                        .token_bytes = 4};
    CASE("64 sequences in 2 s: 32 a second, 131,072 tokens of 4 bytes");
    clg_storage r = clg_storage_of(&o, &s, &e);
    CHECK_NEAR(r.samples_per_s, 32, 1e-12);
    CHECK_NEAR(r.read_bytes_per_s, 524288, 1e-12);
    CASE("8e9 parameters of 14 bytes: 112 GB, 14 GB of each of 8 nodes, 17.5 s at 6.4 GB/s");
    CHECK_NEAR(r.checkpoint_bytes, 112e9, 1e-12);
    CHECK_NEAR(r.node_bytes, 14e9, 1e-12);
    CHECK_NEAR(r.bytes_per_s, 6.4e9, 1e-12);
    CHECK_NEAR(r.checkpoint_s, 17.5, 1e-12);
    CASE("a failure in 1.5625e6 s: every sqrt(2 x 17.5 x 1.5625e6) = 7,395.1 s, 0.2366 % of the "
         "time");
    CHECK_NEAR(r.interval_s, 7395.1, 1e-5);
    CHECK_NEAR(r.share, 17.5 / 7395.1, 1e-5);
    CASE("1 % where a write takes 2 M 1e-4 = 312.5 s: 358.4 MB/s; there it is 1 %");
    CHECK_NEAR(r.one_percent_bytes_per_s, 112e9 / 312.5, 1e-9);
    o.checkpoint_bytes_per_s = r.one_percent_bytes_per_s / 64;
    r = clg_storage_of(&o, &s, &e);
    CHECK_NEAR(r.share, 0.01, 1e-9);
    CASE("without failures nothing is written");
    o.failures_per_gpu_s = 0;
    r = clg_storage_of(&o, &s, &e);
    CHECK(r.interval_s == 0 && r.share == 0 && r.one_percent_bytes_per_s == 0);
    CASE("keeping 4 TB of tokens and ten checkpoints of 112 GB for a twelfth of a year");
    clg_storage_prices prices;
    clg_error error = {0};
    CHECK(clg_storage_prices_read(&arena, &prices, &error) == CLG_OK);
    clg_storage_bill b = clg_storage_bill_of(&prices, &o, 1e12, 8e9, 365.25 * 86400 / 12);
    CHECK_NEAR(b.low_usd, 5.12 * 7.99, 1e-9);
    CHECK_NEAR(b.high_usd, 5.12 * 102, 1e-9);
    CASE("4 TB in and 16 GB of weights out: nothing, or 112 USD/TB");
    CHECK(b.out_low_usd == 0);
    CHECK_NEAR(b.out_high_usd, 4.016 * 112, 1e-9);
    CASE("electricity by region: the cheapest, the dearest, one that is not known");
    double low, high, usd_per_joule;
    clg_electricity_band(&arena, &low, &high);
    CHECK(low < high && clg_electricity_find(&arena, "texas", &usd_per_joule, &error) == CLG_OK);
    CHECK(usd_per_joule >= low && usd_per_joule <= high);
    CHECK(clg_electricity_find(&arena, "nowhere", &usd_per_joule, &error) == CLG_BAD_INPUT);
    clg_arena_clear(&arena);
    return DONE;
}
