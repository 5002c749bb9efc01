/* Lines as people paste them: threads and repositories that anyone can look up, cut to the reports
 * that the expected values are counted from by hand. */
#include "training_log.h"

static void torchtitan(void) {
    CASE("pytorch/torchtitan 3393: one rank, a report a step");
    clg_train_log l = log_of(
        "[rank0]:[titan] 2026-05-18 16:04:46,338 - root - INFO - step: 14  loss:  3.24405  "
        "grad_norm:  0.8319  memory:  9.46GiB(64.99%)  tps: 7,282  tflops: 0.52  mfu: 0.17%\n"
        "[rank0]:[titan] 2026-05-18 16:04:47,456 - root - INFO - step: 15  loss:  3.10680  "
        "grad_norm:  0.8587  memory:  9.46GiB(64.99%)  tps: 7,334  tflops: 0.53  mfu: 0.17%\n"
        "[rank0]:[titan] 2026-05-18 16:04:48,577 - root - INFO - step: 16  loss:  3.05047  "
        "grad_norm:  0.5443  memory:  9.46GiB(64.99%)  tps: 7,313  tflops: 0.52  mfu: 0.17%\n"
        "[rank0]:[titan] 2026-05-18 16:04:49,702 - root - INFO - step: 17  loss:  3.14459  "
        "grad_norm:  0.5303  memory:  9.46GiB(64.99%)  tps: 7,282  tflops: 0.52  mfu: 0.17%\n");
    CHECK_TEXT(l.trainer, "torchtitan");
    CHECK(l.by_clock);
    CHECK_NEAR(l.step_median_s, 1.121, 1e-9); /* 1.118, 1.121, 1.125 */
    CHECK_NEAR(l.tokens_per_s_per_gpu, 7313, 1e-12);
    CHECK_NEAR(l.flop_per_s_per_gpu, 0.52e12, 1e-12);
    CHECK_NEAR(l.memory_bytes, 9.46 * 1073741824, 1e-9);
    CASE("pytorch/torchtitan 2389: ranks repeat a step, none says which it is");
    l = log_of("[titan] 2026-02-24 19:46:17,508 - root - INFO - step:  4  loss:  7.62585  "
               "grad_norm: 26.6250  memory: 66.91GiB(37.51%)  tps: 10,050  tflops: 314.71  mfu: "
               "13.99%\n"
               "[titan] 2026-02-24 19:46:17,508 - root - INFO - step:  4  loss:  7.62585  "
               "grad_norm: 26.6250  memory: 66.91GiB(37.51%)  tps: 10,049  tflops: 314.68  mfu: "
               "13.99%\n"
               "[titan] 2026-02-24 19:46:19,145 - root - INFO - step:  5  loss:  7.07623  "
               "grad_norm: 46.5000  memory: 66.91GiB(37.51%)  tps: 10,007  tflops: 313.36  mfu: "
               "13.93%\n");
    CHECK(l.steps == 2 && l.discarded == 1 && l.restarts == 0);
    CHECK_NEAR(l.step_median_s, 1.637, 1e-9);
    CHECK_NEAR(l.memory_bytes, 66.91 * 1073741824, 1e-9);
    CASE("pytorch/torchtitan 1287: ten steps a report, other lines between");
    l = log_of("[rank0]:[titan] 2025-06-16 22:30:50,322 - root - INFO - step: 200  loss:  6.1384  "
               "memory: 49.66GiB(52.28%)  tps: 5,856  tflops: 339.16  mfu: 34.29%\n"
               "[rank0]:[titan] 2025-06-16 22:30:50,758 - root - INFO - Dumping profiler traces at "
               "step 200\n"
               "[rank0]:[titan] 2025-06-16 22:31:04,970 - root - INFO - step: 210  loss:  6.0388  "
               "memory: 49.66GiB(52.28%)  tps: 5,593  tflops: 323.92  mfu: 32.75%\n"
               "[rank0]:[titan] 2025-06-16 22:31:18,934 - root - INFO - step: 220  loss:  6.0348  "
               "memory: 49.66GiB(52.28%)  tps: 5,868  tflops: 339.82  mfu: 34.36%\n"
               "[rank0]:[titan] 2025-06-16 22:31:32,895 - root - INFO - step: 230  loss:  5.9670  "
               "memory: 49.66GiB(52.28%)  tps: 5,869  tflops: 339.88  mfu: 34.37%\n"
               "[rank0]:[titan] 2025-06-16 22:31:46,869 - root - INFO - step: 240  loss:  5.8311  "
               "memory: 49.66GiB(52.28%)  tps: 5,864  tflops: 339.59  mfu: 34.34%\n");
    CHECK_NEAR(l.step_median_s, 1.3974, 1e-9); /* 1.4648, 1.3964, 1.3961, 1.3974 */
    CHECK_NEAR(l.tokens_per_s_per_gpu, 5868, 1e-12);
}

static void megatron(void) {
    CASE("epfLLM/Megatron-LLM 11");
    clg_train_log l = log_of(
        " iteration      122/  250000 | consumed samples:       124928 | elapsed time per "
        "iteration (ms): 86545.2 | learning rate: 9.150E-06 | global batch size:  1024 | lm loss: "
        "2.504220E+00 | loss scale: 1.0 | grad norm: 0.231 | number of skipped iterations:   0 | "
        "number of nan iterations:   0 |\n"
        " iteration      123/  250000 | consumed samples:       125952 | elapsed time per "
        "iteration (ms): 87871.6 | learning rate: 9.225E-06 | global batch size:  1024 | lm loss: "
        "2.493043E+00 | loss scale: 1.0 |\n"
        " iteration      124/  250000 | consumed samples:       126976 | elapsed time per "
        "iteration (ms): 89474.8 | learning rate: 9.300E-06 | global batch size:  1024 |\n"
        " iteration      125/  250000 | consumed samples:       128000 | elapsed time per "
        "iteration (ms): 89075.2 | learning rate: 9.375E-06 | global batch size:  1024 |\n");
    CHECK_NEAR(l.step_median_s, 89.0752, 1e-12);
    CHECK(l.batch == 1024 && l.first_step == 122 && l.last_step == 125);
    CASE("NVIDIA/Megatron-LM 756: a clock before the words");
    l = log_of(" [2024-04-06 02:59:36] iteration       43/     100 | consumed samples:         "
               "5504 | elapsed time per iteration (ms): 5444.9 | throughput per GPU "
               "(TFLOP/s/GPU): 239.8 | learning rate: 8.600000E-06 | global batch size:   128 | "
               "lm loss: 1.825991E+00 | load_balancing_loss: 1.019746E+00 |\n"
               " [2024-04-06 02:59:41] iteration       44/     100 | consumed samples:         "
               "5632 | elapsed time per iteration (ms): 5533.8 | throughput per GPU "
               "(TFLOP/s/GPU): 236.0 | learning rate: 8.800000E-06 | global batch size:   128 |\n"
               " [2024-04-06 02:59:47] iteration       45/     100 | consumed samples:         "
               "5760 | elapsed time per iteration (ms): 5718.6 | throughput per GPU "
               "(TFLOP/s/GPU): 228.4 | learning rate: 9.000000E-06 | global batch size:   128 |\n");
    CHECK_NEAR(l.step_p10_s, 5.5338, 1e-12);
    CHECK_NEAR(l.step_p90_s, 5.7186, 1e-12);
    CHECK_NEAR(l.flop_per_s_per_gpu, 236.0e12, 1e-12); /* of two the later by nearest rank */
    CASE("bigscience gpt2-meg-ds-3d: DeepSpeed counts a world of its own");
    l = log_of("using world size: 64, data-parallel-size: 1, tensor-model-parallel size: 4, "
               "pipeline-model-parallel size: 16 \n"
               "  seq_length ...................................... 1024\n"
               "[2021-06-10 20:47:51,887] [INFO] [config.py:904:print]   world_size "
               "................... 1\n"
               " iteration        2/    1000 | consumed samples:         2048 | elapsed time per "
               "iteration (ms): 141096.8 | learning rate: 3.750E-05 | global batch size:  1024 | "
               "lm-loss: 1.244502E+01 | loss scale: -1.0 |\n"
               " iteration        3/    1000 | consumed samples:         3072 | elapsed time per "
               "iteration (ms): 137138.4 | learning rate: 5.625E-05 | global batch size:  1024 | "
               "lm-loss: 4.103157E+01 | loss scale: -1.0 |\n");
    CHECK(l.gpus == 64);
    CHECK_NEAR(l.tokens_per_s_per_gpu, 1024.0 * 1024 / 137.1384 / 64, 1e-9);
}

static void nanotron(void) {
    CASE("huggingface/nanotron 390: K behind milliseconds");
    clg_train_log l =
        log_of("10/17/2025 16:31:56 [INFO|DP=0|PP=0|TP=0]: iteration: 327281 / 378950 | "
               "consumed_tokens: 85.8G | elapsed_time_per_iteration_ms: 11.5K | tokens_per_sec: "
               "22.8K | tokens_per_sec_per_gpu: 11.4K | global_batch_size: 64 | lm_loss: 2.38 | "
               "lr: 1e-05 | model_tflops_per_gpu: 38.3 | hardware_tflops_per_gpu: 38.3 | "
               "grad_norm: 1.25\n"
               "10/17/2025 16:32:07 [INFO|DP=0|PP=0|TP=0]: iteration: 327282 / 378950 | "
               "consumed_tokens: 85.8G | elapsed_time_per_iteration_ms: 11.5K | tokens_per_sec: "
               "22.8K | tokens_per_sec_per_gpu: 11.4K | global_batch_size: 64 | lm_loss: 2.35 | "
               "lr: 1e-05 | model_tflops_per_gpu: 38.3 | hardware_tflops_per_gpu: 38.3\n");
    CHECK_NEAR(l.step_median_s, 11.5, 1e-12);
    CHECK_NEAR(l.tokens_per_s, 22800, 1e-12);
    CHECK_NEAR(l.tokens_per_s_per_gpu, 11400, 1e-12);
    CHECK_NEAR(l.flop_per_s_per_gpu, 38.3e12, 1e-12);
    CASE("huggingface/nanotron 23: memory in the first record only");
    l = log_of("01/17/2024 13:47:27 [INFO|DP=0|PP=0|TP=0|ip-26-0-160-225]: iteration: 991 / 1000 | "
               "consumed_tokens: 634K | elapsed_time_per_iteration_ms: 45 | tokens_per_sec: 14.2K "
               "| tokens_per_sec_per_gpu: 1.78K | global_batch_size: 20 | lm_loss: 10.6 | "
               "model_tflops_per_gpu: 0.00869 | cuda_memory_allocated: 75.2M | "
               "cuda_max_memory_reserved: 547M | hd_total_memory_tb: 312G\n"
               "01/17/2024 13:47:27 [INFO|DP=0|PP=0|TP=0|ip-26-0-160-225]: iteration: 992 / 1000 | "
               "consumed_tokens: 635K | elapsed_time_per_iteration_ms: 41.2 | tokens_per_sec: "
               "15.5K | tokens_per_sec_per_gpu: 1.94K | global_batch_size: 20 |\n"
               "01/17/2024 13:47:27 [INFO|DP=0|PP=0|TP=0|ip-26-0-160-225]: iteration: 993 / 1000 | "
               "consumed_tokens: 636K | elapsed_time_per_iteration_ms: 39.4 | tokens_per_sec: "
               "16.2K | tokens_per_sec_per_gpu: 2.03K | global_batch_size: 20 |\n"
               "01/17/2024 13:47:27 [INFO|DP=0|PP=0|TP=0|ip-26-0-160-225]: iteration: 994 / 1000 | "
               "consumed_tokens: 636K | elapsed_time_per_iteration_ms: 43.2 | tokens_per_sec: "
               "14.8K | tokens_per_sec_per_gpu: 1.85K |\n");
    CHECK_NEAR(l.step_median_s, 0.0412, 1e-12);
    CHECK_NEAR(l.memory_bytes, 547e6, 1e-12);
    CHECK(l.memory_reserved);
}

static void nemo(void) {
    CASE("NVIDIA/NeMo-Framework-Launcher 55: a bar without a time of the step");
    clg_train_log l = log_of(
        "Epoch 0:   1%|          | 794/77225 [9:07:17<878:01:48, 41.36s/it, loss=3.1, v_num=, "
        "reduced_train_loss=3.090, global_step=793.0, consumed_samples=1.62e+6]\n"
        "Epoch 0:   1%|          | 795/77225 [9:07:58<878:01:48, 41.36s/it, loss=3.1, v_num=, "
        "reduced_train_loss=3.090, global_step=794.0, consumed_samples=1.63e+6]\n");
    CHECK_TEXT(l.trainer, "nemo");
    CHECK_NEAR(l.step_median_s, 32878.0 / 795, 1e-12); /* its clock: shown are 41.36 s */
    CASE("NVIDIA-BioNeMo/bionemo-recipes 740");
    l = log_of("Training epoch 0, iteration 120/149 | lr: 3e-05 | consumed_samples: 121 | "
               "global_batch_size: 1 | global_step: 120 | reduced_train_loss: 1.233 | "
               "train_step_timing in s: 0.03146 | val_loss: 4.106\n"
               "Training epoch 0, iteration 121/149 | lr: 3e-05 | consumed_samples: 122 | "
               "global_batch_size: 1 | global_step: 121 | reduced_train_loss: 1.288 | "
               "train_step_timing in s: 0.03163 | val_loss: 4.106\n"
               "Training epoch 0, iteration 122/149 | lr: 3e-05 | consumed_samples: 123 | "
               "global_batch_size: 1 | global_step: 122 | reduced_train_loss: 1.333 | "
               "train_step_timing in s: 0.03215 | val_loss: 4.106\n"
               "Training epoch 0, iteration 123/149 | lr: 3e-05 | consumed_samples: 124 | "
               "global_batch_size: 1 | global_step: 123 | reduced_train_loss: 1.245 | "
               "train_step_timing in s: 0.03157 | val_loss: 4.106\n");
    CHECK_NEAR(l.step_median_s, 0.03163, 1e-12);
    CHECK(l.first_step == 120 && l.last_step == 123);
}

static void deepspeed(void) {
    CASE("deepspeedai/DeepSpeedExamples step1 opt-1.3b: a report of ten steps, by its clock");
    clg_train_log l =
        log_of("[2023-04-18 01:46:59,171] [INFO] [timer.py:199:stop] "
               "epoch=0/micro_step=10/global_step=10, RunningAvgSamplesPerSec=173.4455644119137, "
               "CurrSamplesPerSec=171.97903593624417, MemAllocated=3.96GB, "
               "MaxMemAllocated=22.95GB\n"
               "[2023-04-18 01:47:06,590] [INFO] [logging.py:96:log_dist] [Rank 0] step=20, "
               "skipped=6, lr=[9.649913847830647e-06], mom=[(0.9, 0.95)]\n"
               "[2023-04-18 01:47:06,619] [INFO] [timer.py:199:stop] "
               "epoch=0/micro_step=20/global_step=20, RunningAvgSamplesPerSec=172.66319574149418, "
               "CurrSamplesPerSec=171.4073346136102, MemAllocated=3.96GB, "
               "MaxMemAllocated=22.95GB\n"
               "[2023-04-18 01:47:14,074] [INFO] [timer.py:199:stop] "
               "epoch=0/micro_step=30/global_step=30, RunningAvgSamplesPerSec=172.38095135217128, "
               "CurrSamplesPerSec=171.8685942346471, MemAllocated=3.96GB, "
               "MaxMemAllocated=22.95GB\n");
    CHECK_TEXT(l.trainer, "deepspeed");
    CHECK_NEAR(l.step_p10_s, 0.7448, 1e-9);
    CHECK_NEAR(l.step_p90_s, 0.7455, 1e-9);
    CHECK_NEAR(l.memory_bytes, 22.95 * 1073741824, 1e-9);
    CASE("deepspeedai/DeepSpeed 1825: the words of 2022, a notebook's lines between");
    l = log_of("[2022-03-11 02:06:58,985] [INFO] [timer.py:189:stop] 0/40, "
               "SamplesPerSec=83.48609168106144, MemAllocated=0.26GB, MaxMemAllocated=9.02GB\n"
               "<IPython.core.display.HTML object>\n"
               "[2022-03-11 02:07:14,130] [INFO] [logging.py:69:log_dist] [Rank 0] step=50, "
               "skipped=2, lr=[5e-05], mom=[[0.9, 0.999]]\n"
               "[2022-03-11 02:07:14,130] [INFO] [timer.py:189:stop] 0/50, "
               "SamplesPerSec=83.73838805358588, MemAllocated=0.26GB, MaxMemAllocated=9.02GB\n"
               "<IPython.core.display.HTML object>\n"
               "[2022-03-11 02:07:29,274] [INFO] [timer.py:189:stop] 0/60, "
               "SamplesPerSec=83.8, MemAllocated=0.26GB, MaxMemAllocated=9.02GB\n");
    CHECK_NEAR(l.step_median_s, 1.5145, 1e-9);
    CHECK(l.first_step == 40 && l.last_step == 60);
    CASE("deepspeedai/DeepSpeed 2629: another program's prefix");
    l = log_of("stdout: [2022-12-20 08:26:26,101] [INFO] [timer.py:197:stop] 0/17, "
               "RunningAvgSamplesPerSec=158.31157878546472, CurrSamplesPerSec=159.628891629629, "
               "MemAllocated=1.75GB, MaxMemAllocated=2.6GB\n"
               "stdout: [2022-12-20 08:26:26,325] [INFO] [timer.py:197:stop] 0/18, "
               "RunningAvgSamplesPerSec=157.41495682912333, CurrSamplesPerSec=145.0889530760849, "
               "MemAllocated=1.75GB, MaxMemAllocated=2.6GB\n"
               "stdout: [2022-12-20 08:26:26,531] [INFO] [timer.py:197:stop] 0/19, "
               "RunningAvgSamplesPerSec=157.4379014217289, CurrSamplesPerSec=157.80592669930536, "
               "MemAllocated=1.75GB, MaxMemAllocated=2.6GB\n"
               "stdout: [2022-12-20 08:26:26,741] [INFO] [timer.py:197:stop] 0/20, "
               "RunningAvgSamplesPerSec=157.30644223355802, CurrSamplesPerSec=155.10475468488542, "
               "MemAllocated=1.75GB, MaxMemAllocated=2.62GB\n");
    CHECK_NEAR(l.step_median_s, 0.210, 1e-9); /* 0.224, 0.206, 0.210 */
    CHECK_NEAR(l.memory_bytes, 2.62 * 1073741824, 1e-9);
    CASE("deepspeedai/DeepSpeed 255: the words of 2020");
    l = log_of("[INFO 2020-06-08 05:26:19] 0/2650, SamplesPerSec=13.19749106827976\n"
               "[INFO 2020-06-08 05:26:34] 0/2700, SamplesPerSec=13.198177991591365\n");
    CHECK_NEAR(l.step_median_s, 0.3, 1e-9);
}

static void maxtext(void) {
    CASE("AI-Hypercomputer/maxtext 8: the words of 2023");
    clg_train_log l =
        log_of("completed step: 15107, seconds: 2.167, TFLOP/s: 36.722, loss: 2.191\n"
               "completed step: 15108, seconds: 2.164, TFLOP/s: 36.771, loss: 2.173\n"
               "completed step: 15109, seconds: 2.166, TFLOP/s: 36.739, loss: 2.191\n");
    CHECK_NEAR(l.step_p10_s, 2.164, 1e-12);
    CHECK_NEAR(l.flop_per_s_per_gpu, 36.771e12, 1e-12);
    CASE("AI-Hypercomputer/maxtext 4847: a first step that only began");
    l = log_of("I0811 21:54:55.531340 138304841739136 metric_logger.py:226] completed step: 1, "
               "seconds: 0.631, TFLOP/s/device: 5688.282, Tokens/s/device: 311629.521, "
               "total_weights: 1572864, loss: 12.979\n"
               "I0811 21:55:06.119312 138304841739136 metric_logger.py:226] completed step: 2, "
               "seconds: 10.228, TFLOP/s/device: 350.869, Tokens/s/device: 19222.175, "
               "total_weights: 1572864, loss: 12.980\n"
               "I0811 21:55:16.704861 138304841739136 metric_logger.py:226] completed step: 3, "
               "seconds: 10.344, TFLOP/s/device: 346.932, Tokens/s/device: 19006.461, "
               "total_weights: 1572864, loss: 12.979\n");
    CHECK_NEAR(l.step_p10_s, 10.228, 1e-12);
    CHECK_NEAR(l.step_p90_s, 10.344, 1e-12);
    CHECK_NEAR(l.flop_per_s_per_gpu, 350.869e12, 1e-12);
}

static void hugging_face(void) {
    CASE("bigscience gpt2-hf-ds: bars");
    clg_train_log l = log_of("***** Running training *****\n  Total optimization steps = 16\n"
                             "  0%|          | 0/16 [00:00<?, ?it/s]\n"
                             "  6%|6         | 1/16 [00:58<14:41, 58.76s/it]\n"
                             " 12%|#2        | 2/16 [02:00<13:54, 59.61s/it]\n"
                             " 19%|#8        | 3/16 [03:00<12:56, 59.72s/it]\n"
                             " 25%|##5       | 4/16 [03:59<11:53, 59.45s/it]\n");
    CHECK_TEXT(l.trainer, "hugging face");
    /* (59.72 x 0.657 - 0.7 x 59.61 x 0.51) / 0.3, between 60.2 and 58.9; its clock says 60 */
    CHECK_NEAR(l.step_median_s, 59.8509, 1e-6);
}

static void runs_in_one_file(void) {
    CASE("NVlabs/COAT ToolBench: two runs kept by hand in one file, a bar of each: the later one");
    clg_train_log l = log_of("  0%|          | 3/11720 [00:49<52:47:58, 16.22s/it]\n"
                             "{'loss': 0.65, 'epoch': 0.0}\n"
                             "  2%|2         | 100/5861 [12:51<12:22:41,  7.73s/it]\n");
    CHECK_NEAR(l.step_median_s, 7.73, 1e-12);
}

/* The second sample, taken in November 2026. */
static void bars(void) {
    CASE("IntelAI's azure text classification: a container's prefix, an evaluation's bar between");
    clg_train_log l =
        log_of("nlp-1  | {'eval_loss': 0.608, 'eval_runtime': 46.8883, 'epoch': 3.0}\n"
               "nlp-1  | 100%|##########| 690/690 [31:31<00:00,  2.27s/it]\n"
               "nlp-1  | 100%|##########| 108/108 [00:46<00:00,  2.32it/s]\n"
               "nlp-1  | {'train_runtime': 1891.9, 'train_steps_per_second': 0.365}\n"
               "nlp-1  | 100%|##########| 690/690 [31:31<00:00,  2.27s/it]\n"
               "nlp-1  | 100%|##########| 690/690 [31:31<00:00,  2.74s/it]\n");
    CHECK(l.steps == 1 && l.restarts == 0);
    CHECK_NEAR(l.step_median_s, 2.27, 1e-12);
    CASE("mlcommons/training llama2_70b_lora: what is shown lags behind a pause, what took it not");
    l = log_of("  1%|          | 4/440 [01:21<2:25:18, 20.00s/it]{'loss': 4.16, 'epoch': 0.01}\n"
               "  1%|          | 5/440 [01:40<2:23:40, 19.82s/it]{'loss': 3.61, 'epoch': 0.01}\n"
               "  1%|          | 6/440 [03:40<5:03:48, 57.11s/it]{'loss': 3.44, 'epoch': 0.01}\n"
               "  2%|          | 7/440 [04:00<3:57:09, 44.92s/it]{'loss': 3.31, 'epoch': 0.02}\n");
    CHECK(l.step_median_s < 21 && l.step_p90_s > 100);
}

static void forks(void) {
    CASE("argonne-lcf/Megatron-DeepSpeed cooldown.md: \"=\" for colons, DeepSpeed's timer between");
    clg_train_log l = log_of(
        "[2025-11-10 09:43:36,161992][I][megatron/training_log:402:training_log]  iteration=  "
        "136004/  136100 | consumed_samples=   835608576 | elapsed_time_per_iteration_ms=3415.3 | "
        "global_batch_size= 6144 | lm loss=12.316531 | actual_seqlen= 8192 |\n"
        "[2025-11-10 09:43:39,573] [INFO] [timer.py:264:stop] epoch=0/micro_step=5/global_step=5, "
        "RunningAvgSamplesPerSec=2443.9, CurrSamplesPerSec=2553.4, MaxMemAllocated=39.0GB\n"
        "[2025-11-10 09:43:39,582716][I][megatron/training_log:402:training_log]  iteration=  "
        "136005/  136100 | consumed_samples=   835614720 | elapsed_time_per_iteration_ms=3420.2 | "
        "global_batch_size= 6144 | lm loss=11.967899 | actual_seqlen= 8192 |\n");
    CHECK_TEXT(l.trainer, "megatron-deepspeed");
    CHECK(l.last_step == 136005 && l.batch == 6144 && l.seq == 8192);
    CHECK_NEAR(l.step_median_s, 3.4202, 1e-12);
    CHECK_NEAR(l.tokens_per_s, 6144 * 8192 / 3.4202, 1e-9);
    CHECK_NEAR(l.memory_bytes, 39.0 * 1073741824, 1e-9);
    CASE("AI-Hypercomputer/gpu-recipes dllogger.json: names in quotes");
    l = log_of(
        "DLLL {\"datetime\": \"2024-09-28 01:53:12.473701\", \"type\": \"LOG\", \"step\": 48, "
        "\"data\": {\"global_step\": 48.0, \"train_step_timing in s\": 25.31, \"epoch\": 0}}\n"
        "DLLL {\"datetime\": \"2024-09-28 01:53:37.883186\", \"type\": \"LOG\", \"step\": 49, "
        "\"data\": {\"global_step\": 49.0, \"train_step_timing in s\": 25.32, \"epoch\": 0}}\n");
    CHECK_TEXT(l.trainer, "nemo");
    CHECK(l.last_step == 49);
    CHECK_NEAR(l.step_median_s, 25.32, 1e-12);
    CASE("OLMo 1B on Azure: peak memory in 10^6 bytes, with commas");
    l = log_of("[2024-04-17 09:42:26] INFO     [olmo.train:816, rank=0] [step=1/739328]\n"
               "    System/Peak GPU Memory (MB)=42,133\n"
               "[2024-04-17 09:42:38] INFO     [olmo.train:816, rank=0] [step=2/739328]\n"
               "    throughput/device/tokens_per_second=45,538\n"
               "    throughput/device/batches_per_second=0.0869\n"
               "    System/Peak GPU Memory (MB)=43,309\n");
    CHECK_NEAR(l.memory_bytes, 43309e6, 1e-12);
    CHECK_NEAR(l.tokens_per_s_per_gpu, 45538, 1e-12);
    CASE("karpathy/nanoGPT 110");
    l = log_of("iter 1631: loss 4.0863, time 561.94ms\niter 1632: loss 3.7441, time 563.15ms\n"
               "step 1633: train loss 3.9, val loss 3.9\niter 1633: loss 3.9848, time 562.11ms, "
               "mfu 33.1%\n");
    CHECK(l.steps == 3 && l.first_step == 1631);
    CHECK_NEAR(l.step_median_s, 0.56315, 1e-12); /* of 563.15 and 562.11 */
    CASE("modelscope/ms-swift: memory beside the loss");
    l = log_of(
        "{'train_runtime': 183.4332, 'train_steps_per_second': 0.512, 'memory(GiB)': 6.5}\n");
    CHECK_NEAR(l.memory_bytes, 6.5 * 1073741824, 1e-12);
}

static void logs_of_2025(void) {
    clg_train_log l;
    CASE("modelscope/ms-swift 4291: no bars, the mean speed since the start");
    l = log_of("2025-05-21T03:50:19.02Z {'loss': 0.42, 'memory(GiB)': 76.72, "
               "'train_speed(iter/s)': 0.2, 'global_step/max_steps': '295/4491'}\n"
               "2025-05-21T03:50:42.01Z {'loss': 0.42, 'memory(GiB)': 76.72, "
               "'train_speed(iter/s)': 0.25, 'global_step/max_steps': '300/4491'}\n");
    CHECK(strcmp(l.trainer, "ms-swift") == 0 && l.first_step == 295 && l.last_step == 300);
    CHECK_NEAR(l.step_median_s, 4, 1e-12);
    CHECK_NEAR(l.memory_bytes, 76.72 * 1073741824, 1e-12);
    CASE("the same as it stands: 23 s between two reports of five steps, while the mean is 5.15");
    l = log_of(
        "{'loss': 0.42, 'train_speed(iter/s)': 0.193983, 'global_step/max_steps': '295/4491', "
        "'elapsed_time': '25m 15s'}\n"
        "{'loss': 0.42, 'train_speed(iter/s)': 0.194334, 'global_step/max_steps': '300/4491', "
        "'elapsed_time': '25m 38s'}\n");
    CHECK_NEAR(l.step_median_s, (300 / 0.194334 - 295 / 0.193983) / 5, 1e-9);
    CASE("KellerJordan/modded-nanogpt, a record of track 3: means since the start tell 345 ms");
    l = log_of("step:125/3040 val_loss:4.51317 train_time:76.628s step_avg:613.02ms\n"
               "step:250/3040 val_loss:4.09994 train_time:119.756s step_avg:479.02ms\n");
    CHECK(strcmp(l.trainer, "nanogpt") == 0 && l.first_step == 125);
    CHECK_NEAR(l.step_median_s, (250 * 0.47902 - 125 * 0.61302) / 125, 1e-9);
    CASE("karpathy/nanochat 147");
    l = log_of("step 00004/21400 (0.02%) | loss: 8.89 | dt: 989.44ms | tok/sec: 529,882 | mfu: "
               "74\nstep 00005/21400 (0.02%) | loss: 8.53 | dt: 991.09ms | tok/sec: 529,000\n");
    CHECK(l.first_step == 4);
    CHECK_NEAR(l.step_median_s, 0.99109, 1e-12);
    CHECK_NEAR(l.tokens_per_s, 529000, 1e-12);
    CASE("meta-pytorch/torchtune 1734: its file, tokens and memory");
    l = log_of("Step 1 | loss:2.76 lr:2e-05 tokens_per_second_per_gpu:766.5\n"
               "Step 2 | loss:2.56 lr:2e-05 tokens_per_second_per_gpu:866.5 "
               "peak_memory_reserved:14.5\n");
    CHECK(strcmp(l.trainer, "torchtune") == 0);
    CHECK_NEAR(l.tokens_per_s_per_gpu, 866.5, 1e-12);
    CHECK_NEAR(l.memory_bytes, 14.5 * 1073741824, 1e-12);
}

int main(void) {
    torchtitan();
    megatron();
    nanotron();
    nemo();
    deepspeed();
    maxtext();
    hugging_face();
    runs_in_one_file();
    bars();
    forks();
    logs_of_2025();
    clg_arena_clear(&arena);
    return DONE;
}
