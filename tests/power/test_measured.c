/* Draw against measurements: the runs the shares were fitted on, and runs left out of the fit.
 *
 * MLPerf Training Power v4.0 and v4.1 (node watts, mean over run_start..run_stop and over runs),
 * OLMo et al. 2025 (arXiv:2501.00656, table 19: GPU energy), Patterson et al. 2021
 * (arXiv:2104.10350, table 4), Fernandez et al. 2024 (arXiv:2411.13055). */
#include "api/request.h"
#include "test.h"

#include <stdio.h>

static clg_arena arena;

typedef struct run {
    const char *model, *gpu, *node, *stack, *precision, *gpus, *seq, *batch;
    int tp, cp, pp, vpp, micro_batch;
} run;

static clg_evaluation evaluate(const run *r) {
    clg_request request = {.model = r->model};
    clg_scenario s;
    clg_space space;
    clg_error e = {0};
    clg_evaluation answer = {0};
    request.value[CLG_PARAM_GPU] = r->gpu;
    request.value[CLG_PARAM_NODE] = r->node;
    request.value[CLG_PARAM_STACK] = r->stack;
    request.value[CLG_PARAM_PRECISION] = r->precision;
    request.value[CLG_PARAM_GPUS] = r->gpus;
    request.value[CLG_PARAM_SEQ] = r->seq;
    request.value[CLG_PARAM_GLOBAL_BATCH] = r->batch;
    CHECK(clg_request_read(&arena, &request, true, &s, &space, &e) == CLG_OK);
    int model_ranks = r->tp * r->cp * r->pp;
    clg_layout l = {.tp = r->tp,
                    .sp = r->tp > 1,
                    .cp = r->cp,
                    .ep = 1,
                    .etp = 1,
                    .pp = r->pp,
                    .vpp = r->vpp,
                    .dp = (int)space.gpus / model_ranks,
                    .zero = r->pp > 1 || r->tp > 1 ? 1 : 2,
                    .schedule = r->vpp > 1 ? CLG_INTERLEAVED : CLG_1F1B,
                    .micro_batch = r->micro_batch,
                    .global_batch = space.global_batch,
                    .accumulation =
                        space.global_batch / ((int)space.gpus / model_ranks * r->micro_batch),
                    .seq = space.seq,
                    .precision = space.precision,
                    .optimizer = space.optimizer,
                    .attention = (clg_attention_kernel)space.attention.value[0]};
    if (clg_evaluate(&arena, &s, &l, false, NULL, &answer, &e) != CLG_OK) puts(e.message);
    return answer;
}

enum {
    LORA_8,
    LORA_64,
    GPT3_512,
    FSDP_128,
    OLMO_13B,
    GPT3_V100,
    LORA_B200,
    FSDP_128_ONE,
    FSDP_2048_ONE
};

static const run runs[] = {
    {"llama-2-70b", "h100-sxm", "dgx-h100", "mlperf-2024", "fp8", "8", "8192", "8", 4, 1, 1, 1, 1},
    {"llama-2-70b", "h100-sxm", "dgx-h100", "mlperf-2024", "fp8", "64", "8192", "8", 4, 2, 1, 1, 1},
    {"gpt3-175b", "h100-sxm", "dgx-h100", "mlperf-2024", "fp8", "512", "2048", "2048", 4, 1, 8, 6,
     2},
    {"llama-2-7b", "h100-sxm", "dgx-h100", "fsdp-2024", "bf16", "128", "4096", "256", 1, 1, 1, 1,
     2},
    {"olmo-2-13b", "h100-sxm", "dgx-h100", "fsdp-2024", "bf16", "1024", "4096", "2048", 1, 1, 1, 1,
     1},
    {"gpt3-175b", "v100-sxm-32gb", "dgx-2", "megatron-2021", "fp16", "9984", "2048", "1560", 8, 1,
     16, 1, 1},
    {"llama-2-70b", "b200-sxm", "dgx-b200", "mlperf-2025", "fp8", "8", "8192", "8", 1, 1, 1, 1, 1},
    {"llama-2-7b", "h100-sxm", "dgx-h100", "fsdp-2024", "bf16", "128", "4096", "128", 1, 1, 1, 1,
     1},
    {"llama-2-7b", "h100-sxm", "dgx-h100", "fsdp-2024", "bf16", "2048", "4096", "2048", 1, 1, 1, 1,
     1}};

/* Watts of a box of eight with its host. */
static double box_w(int row, double host_w) { return 8 * evaluate(&runs[row]).gpu_w + host_w; }

/* The runs of data/power/phases.json. The host of the liquid-cooled Supermicro box is its lowest
 * reading, 2,520 W, less eight idle GPUs of about 100 W. */
static void fitted(void) {
    const double host_w = 1720;
    CASE("fitted: LoRA of a 70B on 8 H100, 7,160 W at the wall: -1 %");
    CHECK_NEAR(box_w(LORA_8, host_w), 7160, 0.02);
    CASE("fitted: GPT-3 on 512 H100, 6,849 W a box: +2 %");
    CHECK_NEAR(box_w(GPT3_512, host_w), 6849, 0.02);
    CASE("fitted: FSDP on 128 and 2,048 H100, 658 and 620 W a GPU: 0 and +1 %");
    CHECK_NEAR(evaluate(&runs[FSDP_128_ONE]).gpu_w, 658, 0.01);
    CHECK_NEAR(evaluate(&runs[FSDP_2048_ONE]).gpu_w, 620, 0.015);
}

static void held_out(void) {
    CASE("held out: 76 % of the rated 10.2 kW in training (host fitted to it, GPUs not): 0 to 3 %");
    CHECK_NEAR(box_w(FSDP_128, 2400), 0.76 * 10200, 0.03);
    CASE("held out: LoRA on 64 H100 in air-cooled Dell boxes, 7,105 W: +5 %");
    CHECK_NEAR(box_w(LORA_64, 2400) / 7105, 1.05, 0.03);
    CASE("held out: the same in Supermicro boxes, 5,815 W: +17 %, waiting is drawn too dear there");
    CHECK_NEAR(box_w(LORA_64, 1720) / 5815, 1.17, 0.03);
    CASE("held out: LoRA on 8 B200, 9,580 W with a host of 2,080 W: within 4 %");
    CHECK_NEAR(box_w(LORA_B200, 2080), 9580, 0.04);
    CASE(
        "held out: GPU energy of OLMo 2 13B, 257 MWh for 5.6 T tokens (speed predicted too): -6 %");
    clg_evaluation olmo = evaluate(&runs[OLMO_13B]);
    CHECK_NEAR(olmo.gpu_w / olmo.tokens_per_s_per_gpu * 5.6e12 / 3.6e9 / 257, 0.94, 0.04);
    CASE("held out: GPT-3 on V100, 330 W a GPU with everything (layout not published): +16 %");
    CHECK_NEAR((evaluate(&runs[GPT3_V100]).gpu_w + 2500.0 / 16) / 330, 1.16, 0.04);
}

int main(void) {
    fitted();
    held_out();
    clg_arena_clear(&arena);
    return DONE;
}
