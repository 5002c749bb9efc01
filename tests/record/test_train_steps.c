/* Steps of training logs: what does not count, memory, changes, exports. */
#include "training_log.h"

#define BAR(step, at, rate) "\r  1%|1         | " step "/500 [" at "<10:00, " rate "s/it]"

static void hugging_face(void) {
    CASE("Hugging Face: bars of other work, losses glued to bars, the mean at the end");
    clg_train_log l = log_of(
        "Map:  10%|#  | 10/100 [00:01<00:10,  9.00it/s]\n***** Running training *****\n"
        "  Total train batch size (w. parallel, distributed & accumulation) = 64\n"
        "  Total optimization steps = 500\n" BAR("1", "00:09", " 9.00") BAR("2", "00:11", " 2.50")
            BAR("3", "00:13", " 2.00") "{'loss': 1.9, 'grad_norm': 1.0, 'epoch': 0.01}" BAR(
                "3", "00:13", " 2.00") BAR("4", "00:15", " 2.00")
                BAR("5", "00:17", " 2.10") "\n 40%|##| 4/10 [00:01<00:02, 3.5it/s]\n"
                                           "{'train_runtime': 1100.0, 'train_samples_per_second': "
                                           "29.1, 'train_steps_per_second': 0.45}\n");
    CHECK_TEXT(l.format, "hf");
    CHECK(l.steps == 5 && l.last_step == 5 && l.batch == 64);
    CHECK_NEAR(l.step_median_s, 2.0, 1e-12);
    CASE("only the mean");
    l = log_of("{'loss': 1.9, 'epoch': 0.01}\n{'train_runtime': '1000.0', "
               "'train_steps_per_second': '0.5', 'epoch': 1.0}\n");
    CHECK_TEXT(l.format, "hf");
    CHECK_NEAR(l.step_median_s, 2.0, 1e-12);
    CASE("axolotl: the same, and memory");
    l = log_of("[INFO] [axolotl.train] starting\n{'loss': 1.9, 'memory/max_allocated (GiB)': 40.5, "
               "'memory/device_reserved (GiB)': 60.0, 'epoch': 0.01}\n"
               "{'train_runtime': 1000.0, 'train_steps_per_second': 0.25}\n");
    CHECK_TEXT(l.format, "axolotl");
    CHECK_NEAR(l.step_median_s, 4.0, 1e-12);
    CHECK_NEAR(l.memory_bytes, 60.0 * 1073741824, 1e-12);
}

/* One of Lightning's bars: `elapsed` since it began, `rate` the mean since then. */
#define LIT(step, elapsed, rate)                                                                   \
    "\rEpoch 0:  12%|#2        | " step "/1000 [" elapsed "<20:00, " rate "it/s, v_num=3]"

static void lightning(void) {
    CASE("Lightning: bars show means, their clock tells steps; the first is warm-up");
    clg_train_log l =
        log_of("GPU available: True (cuda), used: True\n"
               "Sanity Checking DataLoader 0: 100%|##| 2/2 [00:01<00:00, 1.05it/s]\n" LIT(
                   "1", "00:40", " 0.03") LIT("31", "01:40", " 0.31") LIT("61", "02:40", " 0.38")
                   LIT("91", "03:40", " 0.41") LIT("92", "03:42", " 0.41"));
    CHECK_TEXT(l.trainer, "lightning");
    CHECK_NEAR(l.step_median_s, 2.0, 1e-12); /* 60 s for 30 steps, though 2.4 s on the mean */
    CASE("validation's bars are others; an epoch's bar begins again; rates too small to print");
    l = log_of("Epoch 0: 10%|#| 8/80 [17:04<8:57:59, 0.01it/s, v_num=a]\n"
               "Validation DataLoader 0: 50%|##  | 5/10 [01:02<00:02,  9.10it/s]\n"
               "Validation DataLoader 0: 90%|##  | 9/10 [01:02<00:02,  9.10it/s]\n");
    CHECK_NEAR(l.step_median_s, 128.0, 1e-12);
    l = log_of("Epoch 0: 100%|#| 311/311 [00:13<00:00, 23.54it/s, v_num=422]\n"
               "Epoch 1: 100%|#| 311/311 [00:13<00:00, 25.00it/s, v_num=422]\n");
    CHECK_NEAR(l.step_median_s, 0.04, 1e-12);
    CASE("bars glued to one line; rich's bars");
    l = log_of("Epoch 0:   0%|   | 0/260 [00:00<?, ?it/s]Epoch 0:   3%|#  | 8/260 [17:04<8:57:59, "
               "0.01it/s, v_num=2]\n");
    CHECK_NEAR(l.step_median_s, 128.0, 1e-12);
    l = log_of("GPU available: True (cuda), used: True\n"
               "Epoch 0/9  --- 10/1000 0:00:20 \xe2\x80\xa2 0:15:01 0.50it/s v_num: 3.000\n"
               "Epoch 0/9  --- 40/1000 0:01:20 \xe2\x80\xa2 0:15:01 0.50it/s v_num: 3.000\n"
               "Epoch 0/9  --- 70/1000 0:02:20 \xe2\x80\xa2 0:15:01 0.50it/s v_num: 3.000\n");
    CHECK_TEXT(l.format, "lightning");
    CHECK_NEAR(l.step_median_s, 2.0, 1e-12);
}

static void records(void) {
    CASE("llm-foundry: a record over several lines");
    clg_train_log l =
        log_of("[epoch=0][batch=10/4800]:\n\t Train time/batch: 9\n"
               "\t Train memory/peak_reserved_mem: 25.1000\n"
               "\t Train throughput/batches_per_sec: 0.2500\n"
               "\t Train throughput/tokens_per_sec: 262144.0\n"
               "\t Train throughput/device/tokens_per_sec: 32768.0\n"
               "\t Train throughput/device/flops_per_sec: 210000000000000.0\n"
               "[epoch=0][batch=20/4800]:\n\t Train throughput/batches_per_sec: 0.5000\n"
               "\t Train throughput/tokens_per_sec: 524288.0\n"
               "\t Train throughput/device/tokens_per_sec: 65536.0\n"
               "\t Train throughput/device/flops_per_sec: 420000000000000.0\n");
    CHECK_TEXT(l.format, "llm-foundry");
    CHECK(l.steps == 2 && l.first_step == 10 && l.last_step == 20);
    CHECK_NEAR(l.step_median_s, 2.0, 1e-12);
    CHECK_NEAR(l.tokens_per_s, 524288, 1e-12);
    CHECK_NEAR(l.tokens_per_s_per_gpu, 65536, 1e-12);
    CHECK_NEAR(l.flop_per_s_per_gpu, 420e12, 1e-12);
    CHECK_NEAR(l.memory_bytes, 25.1e9, 1e-12);
    CASE("Megatron: two records in a line, memory of every rank");
    l = log_of(
        " iteration 1/ 9 | elapsed time per iteration (ms): 9000.0 | global batch size: 8 |"
        " iteration 2/ 9 | elapsed time per iteration (ms): 1000.0 | global batch size: 8 |\n"
        "[Rank 0] (after 2 iterations) memory (MB) | allocated: 10.0 | max allocated: 20.0 "
        "| reserved: 25.0 | max reserved: 30.5\n[Rank 7] (after 2 iterations) memory (MB) | "
        "allocated: 10.0 | max allocated: 21.0 | reserved: 25.0 | max reserved: 31.5\n");
    CHECK(l.steps == 2 && l.last_step == 2 && l.memory_reserved);
    CHECK_NEAR(l.step_median_s, 1.0, 1e-12);
    CHECK_NEAR(l.memory_bytes, 31.5 * 1048576, 1e-12);
    CASE("torchtitan without time stamps: from tokens, batch and mesh");
    l = log_of("Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=4, cp=1, "
               "tp=2, ep=4, etp=1\nTrainer is initialized with local batch size 2, global batch "
               "size 16, gradient accumulation steps 2, sequence length 4096, total steps 10\n"
               "step:  1  loss:  8.2  memory: 40.00GiB(50.0%)  tps: 4,096  tflops: 100.00\n"
               "step:  2  loss:  8.2  memory: 42.00GiB(50.0%)  tps: 8,192  tflops: 200.00\n");
    CHECK(l.gpus == 8 && l.batch == 16 && l.seq == 4096);
    CHECK_NEAR(l.step_median_s, 1.0, 1e-12);
    CHECK_NEAR(l.memory_bytes, 42.0 * 1073741824, 1e-12);
    CASE("nanotron's batch in tokens");
    l = log_of("[rank0]: iteration: 1 / 15 | time_per_iteration_ms: 2K | tokens_per_sec: 524K | "
               "global_batch_size: 1.05M | sequence_length: 4096\n");
    CHECK_NEAR(l.step_median_s, 2.0, 1e-12);
    CHECK(l.batch == -1 || l.batch < 300);
}

/* Steps of `ms` at every index. */
static clg_train_log made(int count, double (*ms)(int)) {
    clg_text text = {.arena = &arena};
    for (int i = 0; i < count; i++)
        clg_text_print(&text, " iteration %d/ 900 | elapsed time per iteration (ms): %.1f |\n",
                       i + 1, ms(i));
    return log_of(text.data);
}

static double even(int i) { return 1000 + (i % 5); }
static double jump(int i) { return (i < 60 ? 1000 : 1500) + (i % 5); }
static double ramp(int i) { return 1000 + i * 2; }

static void steadiness(void) {
    CASE("even steps neither change nor drift");
    clg_train_log l = made(200, even);
    CHECK(l.before_s < 0 && l.drift < 0.002 && l.drift > -0.002);
    CASE("a sudden change is found where it is, to a block of the log");
    l = made(200, jump);
    CHECK(l.change_step >= 58 && l.change_step <= 65);
    CHECK_NEAR(l.before_s, 1.002, 2e-3);
    CHECK_NEAR(l.after_s, 1.502, 2e-3);
    CASE("drift is no sudden change");
    l = made(200, ramp);
    CHECK(l.before_s < 0);
    CHECK(l.drift > 0.30 && l.drift < 0.36); /* 400 ms of 1200 */
    CASE("restarts: the first step after one is not counted");
    l = log_of(" iteration 1/ 9 | elapsed time per iteration (ms): 1000.0 |\n"
               " iteration 2/ 9 | elapsed time per iteration (ms): 1000.0 |\n"
               " iteration 3/ 9 | elapsed time per iteration (ms): 1000.0 |\n"
               " iteration 2/ 9 | elapsed time per iteration (ms): 9000.0 |\n"
               " iteration 3/ 9 | elapsed time per iteration (ms): 1000.0 |\n");
    CHECK(l.restarts == 1);
    CHECK_NEAR(l.step_p90_s, 1.0, 1e-12);
    CASE("memory before the first step is that of building the model");
    l = log_of("[INFO] MA 0.4 GB         Max_MA 0.97 GB         CA 1.36 GB         Max_CA 1 GB\n"
               " iteration 1/ 9 | elapsed time per iteration (ms): 1000.0 |\n"
               " iteration 2/ 9 | elapsed time per iteration (ms): 1000.0 |\n");
    CHECK(l.memory_bytes < 0);
    CASE("ranks that say the same again are no restarts: with stamps, without, and in bars");
    l = log_of("[titan] 2026-02-24 19:46:17,508 - INFO - step:  1  loss: 7.6  memory: 6.0GiB(3%)  "
               "tps: 10,050  tflops: 314.71  mfu: 13.99%\n"
               "[titan] 2026-02-24 19:46:19,145 - INFO - step:  2  loss: 7.6  memory: 6.0GiB(3%)  "
               "tps: 10,050  tflops: 314.71  mfu: 13.99%\n"
               "[titan] 2026-02-24 19:46:17,509 - INFO - step:  1  loss: 7.6  memory: 6.0GiB(3%)  "
               "tps: 10,050  tflops: 314.71  mfu: 13.99%\n"
               "[titan] 2026-02-24 19:46:20,145 - INFO - step:  3  loss: 7.6  memory: 6.0GiB(3%)  "
               "tps: 10,050  tflops: 314.71  mfu: 13.99%\n"
               "[titan] 2026-02-24 19:46:19,146 - INFO - step:  2  loss: 7.6  memory: 6.0GiB(3%)  "
               "tps: 10,050  tflops: 314.71  mfu: 13.99%\n");
    CHECK(l.restarts == 0 && l.steps == 3);
    l = log_of(" iteration 1/ 9 | elapsed time per iteration (ms): 1001.0 |\n"
               " iteration 2/ 9 | elapsed time per iteration (ms): 1000.0 |\n"
               " iteration 3/ 9 | elapsed time per iteration (ms): 1010.0 |\n"
               " iteration 1/ 9 | elapsed time per iteration (ms): 1002.0 |\n"
               " iteration 2/ 9 | elapsed time per iteration (ms): 1000.0 |\n"
               " iteration 3/ 9 | elapsed time per iteration (ms): 1010.0 |\n");
    CHECK(l.restarts == 0 && l.steps == 3);
    l = log_of("***** Running training *****\n  Total optimization steps = 4\n"
               " 25%| | 1/4 [03:45<11:15, 225.28s/it]\n 50%| | 2/4 [07:15<07:21, 220.73s/it]\n"
               " 75%| | 3/4 [10:50<03:39, 219.16s/it]\n100%| | 4/4 [14:31<00:00, 219.64s/it]\n"
               " 25%| | 1/4 [03:45<11:16, 225.37s/it]\n 50%| | 2/4 [07:15<07:21, 220.79s/it]\n"
               " 75%| | 3/4 [10:50<03:39, 219.20s/it]\n100%| | 4/4 [14:31<00:00, 219.67s/it]\n");
    CHECK(l.restarts == 0 && l.steps == 4);
}

static void exports(void) {
    CASE("TensorBoard's CSV: the file's name tells the scalar; else its clock");
    const char *csv = "Wall time,Step,Value\n100.0,1,9.0\n102.0,2,2.0\n104.0,3,2.0\n";
    clg_train_log l = log_named("run-iteration-time.csv", csv);
    CHECK_TEXT(l.format, "tensorboard");
    CHECK_NEAR(l.step_median_s, 2.0, 1e-12);
    l = log_named("loss.csv", "Wall time,Step,Value\n100,10,9\n120,20,8\n140,30,7\n");
    CHECK(l.by_clock);
    CHECK_NEAR(l.step_median_s, 2.0, 1e-12);
    l = log_named("loss.json", "[[100.0, 1, 9.5], [103.0, 2, 9.0], [106.0, 3, 8.0]]");
    CHECK_NEAR(l.step_median_s, 3.0, 1e-12);
    CASE("W&B: history, JSON Lines, and columns of named runs");
    l = log_of("_step,_runtime,train/loss,memory/max_reserved(GiB)\n1,30,2,50\n2,33,2,51\n3,36,2,"
               "51\n");
    CHECK_TEXT(l.format, "wandb");
    CHECK_NEAR(l.step_median_s, 3.0, 1e-12);
    CHECK_NEAR(l.memory_bytes, 51 * 1073741824.0, 1e-12);
    l = log_of("{\"_step\": 1, \"_timestamp\": 1700000000.5}\n"
               "{\"_step\": 2, \"_timestamp\": 1700000004.5}\n");
    CHECK_NEAR(l.step_median_s, 4.0, 1e-12);
    l = log_of("\"Step\",\"run-7 - iteration-time\"\n1,9.5\n2,2.5\n3,2.5\n");
    CHECK_NEAR(l.step_median_s, 2.5, 1e-12);
    CASE("LLaMA-Factory's trainer_log.jsonl");
    l = log_of("{\"current_steps\": 10, \"total_steps\": 100, \"elapsed_time\": \"0:00:40\"}\n"
               "{\"current_steps\": 20, \"total_steps\": 100, \"elapsed_time\": \"0:01:10\"}\n");
    CHECK_TEXT(l.format, "hf");
    CHECK_NEAR(l.step_median_s, 3.0, 1e-12);
}

int main(void) {
    hugging_face();
    lightning();
    records();
    steadiness();
    exports();
    CASE("tables of other things, and other bars, are no logs");
    clg_train_logs logs = {.arena = &arena};
    const char *other[] = {"Step,Value\n1,2\n", "[[1,2],[3,4]]", "{\"_step\": 1}",
                           "Loading: 10%|#  | 10/100 [00:01<00:10,  9.00it/s]\n"};
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
        CHECK(!clg_train_log_read(&logs, "x", (clg_slice){other[i], strlen(other[i])}));
    clg_arena_clear(&arena);
    return DONE;
}
