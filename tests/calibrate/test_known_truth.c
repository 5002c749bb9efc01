/* A cluster whose links between nodes carry a fifth less and whose products are a tenth faster,
 * read with 3 % of noise: the fit says so, and leaves alone what nobody measured. */
#include "plan.h"
#include "synthetic.h"

static clg_arena arena;
static clg_scenario s;

/* Large messages between nodes; one pair of nodes in `lossy` takes three times as long. */
static void read_links(const clg_network *truth, int lossy, clg_samples *samples) {
    for (int nodes = 2; nodes <= 8; nodes *= 2)
        for (double bytes = 268435456; bytes < 2e10; bytes *= 2) {
            clg_sample x = {.kind = CLG_SAMPLE_COLLECTIVE,
                            .collective = CLG_ALL_GATHER,
                            .ranks = 8 * nodes,
                            .nodes = nodes,
                            .bytes = bytes,
                            .gpu = ""};
            clg_collective_best(truth, x.collective, (clg_group){x.ranks, 8}, bytes, &x.seconds);
            x.seconds *= synthetic_noise(samples->count, 0.03, lossy);
            clg_samples_add(&arena, samples, &x);
        }
}

static clg_calibration fit_links(int lossy, clg_network *fitted) {
    clg_network truth = s.network;
    truth.slow.bytes_per_s *= 0.8;
    clg_samples samples = {0};
    clg_calibration list[2];
    int count = 0;
    read_links(&truth, lossy, &samples);
    *fitted = s.network;
    clg_calibrate_network(&arena, &s.machine, fitted, &samples, list, &count);
    CHECK(count == 1);
    return list[0];
}

int main(void) {
    s = plan_scenario(&arena, "llama-3.1-8b", "h100-sxm", "megatron-2026", 64);
    clg_network n;
    CASE("a fifth less between nodes");
    fit_links(0, &n);
    CHECK_NEAR(n.slow.bytes_per_s, 0.8 * s.network.slow.bytes_per_s, 0.03);
    CASE("what large messages do not tell, and links inside a node, stay to the bit");
    CHECK(n.base_slow_s == s.network.base_slow_s && n.slow.latency_s == s.network.slow.latency_s);
    CHECK(n.base_s == s.network.base_s && n.fast.bytes_per_s == s.network.fast.bytes_per_s);
    CHECK(n.in_switch_bytes_per_s == s.network.in_switch_bytes_per_s);
    CASE("a lossy link in one reading of seven hardly moves it, and widens the interval");
    clg_network lossy;
    clg_calibration clean = fit_links(0, &n), dirty = fit_links(7, &lossy);
    CHECK_NEAR(lossy.slow.bytes_per_s, 0.8 * s.network.slow.bytes_per_s, 0.06);
    CHECK(dirty.sigma_to > clean.sigma_to);

    CASE("products a tenth faster; other precisions and kernels are not in it");
    clg_kernels truth = s.kernels;
    truth.gemm[CLG_BF16].efficiency *= 1.1;
    truth.gemm[CLG_BF16].sustained = 1; /* timed alone */
    clg_samples samples = {0};
    clg_calibration list[CLG_PRECISIONS];
    int count = 0;
    synthetic_products(&arena, &s.machine.gpu, &truth, 0.03, 0, &samples);
    clg_calibrate_gemm(&arena, &s.machine.gpu, &s.kernels, &samples, list, &count);
    CHECK(count == 1 && strcmp(list[0].part, "bf16") == 0);
    clg_gemm_curve *own = &s.kernels.gemm[CLG_BF16];
    double *const into[] = {&own->efficiency, &own->launch_s,   &own->hbm_efficiency,
                            &own->k_overhead, &own->tail_share, &own->medium_tile,
                            &own->small_tile};
    double before_s = clg_gemm_s(&s.machine.gpu, &s.kernels, CLG_BF16, 8192, 8192, 8192, 1);
    double kept = own->sustained;
    for (int i = 0; i < list[0].terms; i++) *into[i] = list[0].term[i].to;
    own->sustained = 1;
    for (double m = 512; m <= 8192; m *= 4)
        CHECK_NEAR(clg_gemm_s(&s.machine.gpu, &s.kernels, CLG_BF16, m, 8192, 4096, 1),
                   clg_gemm_s(&s.machine.gpu, &truth, CLG_BF16, m, 8192, 4096, 1), 0.02);
    CHECK_NEAR(before_s / clg_gemm_s(&s.machine.gpu, &s.kernels, CLG_BF16, 8192, 8192, 8192, 1),
               1.1 / kept, 0.03);
    clg_arena_clear(&arena);
    return DONE;
}
