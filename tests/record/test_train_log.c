/* Logs of training programs, in the words of each. */
#include "record/recording.h"
#include "training_log.h"

static bool refused(const char *text) {
    clg_train_logs logs = {.arena = &arena};
    return !clg_train_log_read(&logs, "log", (clg_slice){text, strlen(text)});
}

#define MEGATRON(step, ms)                                                                         \
    " [2025-11-28 18:48:17] iteration " step "/    5000 | consumed samples:        51200 | "       \
    "elapsed time per iteration (ms): " ms " | throughput per GPU (TFLOP/s/GPU): 400.5 | "         \
    "learning rate: 1.0E-05 | global batch size:   128 | lm loss: 6.68E+00 |\n"
#define TITAN(rank, second, step)                                                                  \
    "[rank" rank "]:[titan] 2025-02-28 23:59:" second " - root - INFO - \x1b[31mstep: " step       \
    "  \x1b[32mloss:  8.2304  \x1b[33mmemory: 0.93GiB(0.98%)  \x1b[34mtps: 7,254  "                \
    "\x1b[36mtflops: 423.10  \x1b[35mmfu: 42.78%\x1b[39m\n"
#define NANOTRON(step, ms)                                                                         \
    "[default0]:07/31/2024 12:00:00 [INFO|DP=0|PP=0|TP=0|ip-1]: iteration: " step " / 15 | "       \
    "consumed_tokens: 10.5M | elapsed_time_per_iteration_ms: " ms " | tokens_per_sec: 428K | "     \
    "tokens_per_sec_per_gpu: 53.5K | global_batch_size: 1.02K | lm_loss: 10.5 | lr: 0.0003 | "     \
    "model_tflops_per_gpu: 411 | hardware_tflops_per_gpu: 411\n"

static void programs_by_people(void) {
    clg_train_log l;
    CASE("nanotron: numbers for people");
    l = log_of(NANOTRON("1", "9.05K") NANOTRON("2", "2.45K") NANOTRON("3", "2.45K"));
    CHECK_TEXT(l.trainer, "nanotron");
    CHECK_NEAR(l.step_median_s, 2.45, 1e-12);
    CHECK_NEAR(l.tokens_per_s, 428e3, 1e-12);
    CHECK_NEAR(l.tokens_per_s_per_gpu, 53.5e3, 1e-12);
    CASE("DeepSpeed: timer with the batch from the printed configuration");
    l = log_of("[2023-11-07 01:50:08,040] [INFO] [config.py:972:print]   train_batch_size "
               "............. 256\n[2023-11-07 01:55:23,714] [INFO] [timer.py:260:stop] "
               "epoch=0/micro_step=40/global_step=10, RunningAvgSamplesPerSec=25.0, "
               "CurrSamplesPerSec=25.6, MemAllocated=4.32GB, MaxMemAllocated=38.49GB\n");
    CHECK_TEXT(l.trainer, "deepspeed");
    CHECK_NEAR(l.step_median_s, 10, 1e-12);
    CASE("DeepSpeed pipelines");
    l = log_of("steps: 200 loss: 5.5508 iter time (s): 0.936 samples/sec: 136.706\n");
    CHECK_NEAR(l.step_median_s, 0.936, 1e-12);
    CASE("NeMo: progress bar, and lines");
    l = log_of("Epoch 0: :   1%| | 1/100 [00:30<1:00, reduced_train_loss=10.5, global_step=0.000, "
               "consumed_samples=256.0, train_step_timing in s=31.30]\rEpoch 0: :   2%| | 2/100 "
               "[00:33<1:00, global_step=1.000, train_step_timing in s=3.130]\rEpoch 0: :   2%| | "
               "2/100 [00:33<1:00, global_step=1.000, train_step_timing in s=3.130]\n");
    CHECK_TEXT(l.trainer, "nemo");
    CHECK(l.steps == 2 && l.discarded == 1);
    CHECK_NEAR(l.step_median_s, 3.13, 1e-12);
    l = log_of("Training epoch 0, iteration 1/249 | lr: 3.9e-06 | global_batch_size: 8 | "
               "global_step: 1 | reduced_train_loss: 1.653 | train_step_timing in s: 2.505 | "
               "TFLOPS_per_GPU: 612.3 | consumed_samples: 16\n");
    CHECK(l.first_step == 1 && l.batch == 8);
    CHECK_NEAR(l.flop_per_s_per_gpu, 612.3e12, 1e-12);
}

static void programs(void) {
    CASE("Megatron-LM");
    clg_train_log l = log_of("  seq_length ...................................... 4096\n"
                             "  world_size ...................................... 16\n" MEGATRON(
                                 "      10", "9000.0") MEGATRON("      20", "2000.0")
                                 MEGATRON("      30", "2100.0") MEGATRON("      40", "2048.0"));
    CHECK_TEXT(l.trainer, "megatron-lm");
    CHECK(l.steps == 4 && l.discarded == 1 && l.first_step == 10 && l.last_step == 40);
    CHECK_NEAR(l.step_median_s, 2.048, 1e-12);
    CHECK_NEAR(l.step_p10_s, 2.0, 1e-12);
    CHECK_NEAR(l.step_p90_s, 2.1, 1e-12);
    CHECK_NEAR(l.tokens_per_s, 128 * 4096 / 2.048, 1e-12);
    CHECK_NEAR(l.tokens_per_s_per_gpu, 16000, 1e-12);
    CHECK_NEAR(l.flop_per_s_per_gpu, 400.5e12, 1e-12);
    CASE("Megatron-DeepSpeed, with DeepSpeed's own timer between");
    l = log_of("[2024-03-07 15:27:02,646] [INFO] [timer.py:260:stop] "
               "epoch=0/micro_step=199/global_step=199, RunningAvgSamplesPerSec=58.7, "
               "CurrSamplesPerSec=61.3, MemAllocated=6.01GB\n"
               " iteration      199/  317892 | consumed samples:       152832 | elapsed time per "
               "iteration (ms): 14287.5 | global batch size:   768 | actual seqlen:  4096 | "
               "samples per second: 53.753 | tokens per gpu per second (tgs): 1146.733 | TFLOPs: "
               "69.85 |\n");
    CHECK_TEXT(l.trainer, "megatron-deepspeed");
    CHECK_NEAR(l.step_median_s, 14.2875, 1e-12);
    CHECK_NEAR(l.tokens_per_s_per_gpu, 1146.733, 1e-12);
    CHECK_NEAR(l.flop_per_s_per_gpu, 69.85e12, 1e-12);
    CASE("GPT-NeoX");
    l = log_of(" samples/sec: 51.234 | iteration       10/      50 | elapsed time per iteration "
               "(ms): 9876.5 | learning rate: 1.234E-04 | approx flops per GPU: 150.3TFLOPS |\n");
    CHECK_TEXT(l.trainer, "gpt-neox");
    CHECK_NEAR(l.flop_per_s_per_gpu, 150.3e12, 1e-12);
    CHECK(l.tokens_per_s == -1 && l.discarded == 0);
    CASE("torchtitan: colours, two ranks, time from the stamps, over midnight");
    l = log_of(
        "[rank0]:[titan] 2025-02-28 23:59:00,000 - root - INFO - Building 2-D device mesh "
        "with ['dp_shard', 'tp'], [4, 2]\n" TITAN("0", "30,500", " 1") TITAN("1", "30,501", " 1")
            TITAN("0", "50,500", "11") TITAN(
                "1", "50,502",
                "11") "[rank0]:[titan] 2025-03-01 00:00:11,500 - root - INFO - step: 21  loss: 8 "
                      "memory: 1GiB(1%)  tps: 7,300  tflops: 424  mfu: 43%\n");
    CHECK_TEXT(l.trainer, "torchtitan");
    CHECK(l.steps == 3 && l.by_clock && l.gpus == 8 && l.last_step == 21);
    CHECK_NEAR(l.step_p10_s, 2.0, 1e-12);
    CHECK_NEAR(l.step_p90_s, 2.1, 1e-12);
    CHECK_NEAR(l.tokens_per_s_per_gpu, 7300, 1e-12);
    CHECK_NEAR(l.tokens_per_s, 58400, 1e-12);
    programs_by_people();
}

static void timers(void) {
    CASE("timers inside a step: the slowest rank's, the middle of all reports");
    static const char text[] =
        "time (ms) | fwd_microstep: 376.60 | bwd_microstep: 864.56 | step_microstep: 9.90\n"
        "time (ms) | fwd: 376.60 | bwd: 864.56 | bwd_allreduce: 57.62 | step: 22880.87\n"
        "(min, max) time across ranks (ms):\n"
        "    batch-generator ................................: (1.00, 250.00)\n"
        "    optimizer ......................................: (40.10, 41.20)\n"
        "max time across ranks (ms):\n"
        "    optimizer ......................................: 41.30\n"
        "    optimizer-clip-main-grad .......................: (5000.00, 5000.00)\n";
    clg_train_timers t = clg_train_timers_read((clg_slice){text, sizeof text - 1});
    CHECK_NEAR(t.optimizer_s, 0.0413, 1e-12);
    CHECK_NEAR(t.data_s, 0.25, 1e-12);
    t = clg_train_timers_read((clg_slice){text, 160});
    CHECK_NEAR(t.optimizer_s, 22.88087, 1e-12);
    CHECK(t.data_s < 0);
    t = clg_train_timers_read((clg_slice){NULL, 0});
    CHECK(t.optimizer_s < 0 && t.data_s < 0);
}

int main(void) {
    programs();
    timers();
    CASE("other texts are none");
    CHECK(refused("") && refused("step: 3\nhttps: 4 memory: 3\n") && refused("{\"ph\": 1}"));
    CASE("logs are no JSON");
    const char *line = "[rank0]:[titan] 2025-02-28 23:59:00,000 - root";
    CHECK(strcmp(clg_reader_of((clg_slice){line, strlen(line)})->name, "log") == 0);
    CHECK(strcmp(clg_reader_of((clg_slice){"[{\"ph\"", 6})->name, "kineto") == 0);
    clg_arena_clear(&arena);
    return DONE;
}
