/* test_plain.c -- our own form of serving measurements: what a row plans, which cells are refused,
 * and that what is asked for is what is served. */
#include "measured/measured.h"
#include "test.h"

static clg_csv table_of(clg_arena *arena, const char *columns, const char *cells) {
    clg_csv table = {0};
    clg_error error = {0};
    const char *text = clg_arena_print(arena, "%s\n%s\n", columns, cells);
    CHECK(clg_csv_parse(arena, "folder/rows.csv", text, strlen(text), &table, &error) == CLG_OK);
    CHECK(clg_measured_recognised(&table));
    return table;
}

static const char *read_row(clg_arena *arena, const char *columns, const char *cells,
                            clg_measured *row) {
    clg_csv table = table_of(arena, columns, cells);
    return clg_measured_read(arena, &table, 0, row);
}

#define KNOWN "model,gpu,prompt_tokens,output_tokens,output_tokens_per_s"

static void test_release(clg_arena *arena) {
    clg_measured row;
    const clg_serve_plan *p = &row.plan;
    CASE("an engine in the release of the row's date, unless it names its own month");
    CHECK(!read_row(arena, KNOWN ",date,requests,engine", "llama-2-7b,l40s,9,9,1,2025-06,9,vllm",
                    &row));
    CHECK_TEXT(p->engine, "vllm-0.8");
    CHECK(!read_row(arena, KNOWN ",date,requests,engine",
                    "llama-2-7b,l40s,9,9,1,2025-06,9,vllm@2026-02", &row));
    CHECK_TEXT(p->engine, "vllm-0.14");
    CHECK(!read_row(arena, KNOWN ",date,requests,engine",
                    "llama-2-7b,l40s,9,9,1,2025-06,9,vllm@2026-06", &row));
    CHECK_TEXT(p->engine, "vllm");
    CHECK(!read_row(arena, KNOWN ",date,requests", "llama-2-7b,l40s,9,9,1,2024-12-31,9", &row));
    CHECK_TEXT(p->engine, "vllm-v0");
}

static void test_row(clg_arena *arena) {
    clg_measured row;
    const clg_serve_plan *p = &row.plan;
    CASE("every column where it belongs; what is blank is the default");
    const char *reason =
        read_row(arena,
                 "id,source,held_out," KNOWN ",engine,weights,cache,tp,pp,dp,ep,clients,requests,"
                 "prompts,max_sequences,max_tokens,memory_share,drafted,gained,ttft_ms,tpot_ms,"
                 "answer_s",
                 "a,paper,1,llama-3.1-70b,h200-sxm,700,90,1234.5,sglang,fp8,bf16,4,2,,,37,111,"
                 "random,64,4096,0.85,3,2.61,250,12.5,3.75",
                 &row);
    CHECK(!reason && row.held_out);
    CHECK_TEXT(row.id, "a");
    CHECK(!row.year);
    CHECK_TEXT(row.source, "paper");
    CHECK_TEXT(p->engine, "sglang");
    CHECK(p->weights == CLG_FP8 && p->cache == CLG_BF16);
    CHECK(p->part.tp == 4 && p->part.pp == 2 && p->part.dp == 1 && p->part.ep == 1);
    CHECK(p->prefill.copies == 0 && p->load.clients == 37 && p->load.requests == 111 &&
          p->drafted == 3);
    CHECK(p->limits.max_sequences == 64 && p->limits.max_tokens == 4096 && p->load.random_tokens &&
          !p->manner.in_process);
    CHECK_NEAR(p->limits.memory_share, 0.85, 1e-12);
    CHECK_NEAR(p->gained, 2.61, 1e-12);
    CHECK_NEAR(row.measured[CLG_MEASURE_TTFT], 0.25, 1e-12);
    CHECK_NEAR(row.measured[CLG_MEASURE_TPOT], 0.0125, 1e-12);
    CHECK_NEAR(row.measured[CLG_MEASURE_ANSWER], 3.75, 1e-12);
    CHECK_NEAR(row.measured[CLG_MEASURE_RATE], 1234.5, 1e-12);
    CASE("a source without a name is the file; two pools; runs that settle");
    reason =
        read_row(arena,
                 KNOWN ",tp,ep,prefill_tp,prefill_dp,prefill_ep,prefill_copies,decode_copies,"
                       "clients,requests,client,phase",
                 "deepseek-v3,h100-sxm,900,100,1,8,8,4,2,8,3,2,2000,90000,engine,decode", &row);
    CHECK(!reason && !row.held_out && p->manner.in_process && p->load.prefilled &&
          p->load.requests == 20000);
    CHECK_TEXT(row.source, "rows");
    CHECK(p->part.copies == 2 && p->prefill.copies == 3 && p->prefill.tp == 4);
    CHECK(p->prefill.dp == 2 && p->prefill.ep == 8);
}

static void test_loads(clg_arena *arena) {
    clg_measured row;
    const clg_serve_plan *p = &row.plan;
    const char *reason;
    CASE("lengths even from .8 of the longest: their mean is .9 of it");
    reason =
        read_row(arena, KNOWN ",shortest,requests", "llama-3.1-8b,h100-sxm,900,450,1,0.8,10", &row);
    CHECK(!reason);
    CHECK_NEAR(p->load.prompt_tokens, 1000, 1e-12);
    CHECK_NEAR(p->load.output_tokens, 500, 1e-12);
    CASE("time of a whole batch");
    reason =
        read_row(arena, KNOWN ",requests,batch_s", "llama-3.1-8b,h100-sxm,900,450,,64,7.5", &row);
    CHECK(!reason && p->manner.whole_batch);
    CHECK_NEAR(row.measured[CLG_MEASURE_ANSWER], 7.5, 1e-12);
    CASE("requests that come one by one, of few prompts, sampled from the likeliest");
    reason = read_row(arena, KNOWN ",requests,requests_per_s,distinct,sampling",
                      "llama-3.1-8b,h100-sxm,900,450,1,64,2.5,17,filtered", &row);
    CHECK(!reason && p->load.distinct == 17 && p->filtered);
    CHECK_NEAR(p->load.requests_per_s, 2.5, 1e-12);
    CASE("a benchmark is named, and nothing else of the plan");
    reason = read_row(arena, KNOWN ",workload,scenario,gpus,engine",
                      ",b200-sxm,,,98000,mlperf-llama2-70b,server,8,trtllm", &row);
    CHECK(!reason && p->box.timed && p->box.gpus == 8 && p->box.boxes == 1);
    CHECK_TEXT(p->model, "llama-2-70b");
}

static void test_seen(clg_arena *arena) {
    clg_measured row;
    const clg_serve_plan *p = &row.plan;
    CASE("prompts whose beginning an earlier run sent");
    const char *reason = read_row(arena, KNOWN ",requests,seen,seen_tokens",
                                  "llama-3.1-8b,h100-sxm,2048,128,1,8,8,1024", &row);
    CHECK(!reason && p->load.seen == 8 && p->load.seen_tokens == 1024);
    CHECK(read_row(arena, KNOWN ",requests,seen_tokens", "llama-3.1-8b,h100-sxm,2048,128,1,8,1024",
                   &row));
}

static void test_manner(clg_arena *arena) {
    clg_measured row;
    const clg_serve_plan *p = &row.plan;
    CASE("an engine's graphs, kernels and waiting; medians; a batch that fits");
    const char *reason = read_row(
        arena,
        KNOWN ",requests,statistic,graphs,graph_tokens,experts,wait_iterations,wait_tokens,fits",
        "gpt-oss-20b,h100-sxm,900,450,1,64,median,2:1 8:2 512:16,2048,whole,20,900,1", &row);
    CHECK(!reason && p->manner.medians && p->limits.graph_tokens == 2048 && p->manner.fits);
    CHECK(p->expert_kernels == CLG_EXPERTS_WHOLE && p->limits.wait_iterations == 20);
    CHECK(p->limits.wait_tokens == 900 && p->limits.wait_ranks == 0);
    CHECK(clg_graph_padded(p->limits.graphs, 7) == 8 &&
          clg_graph_padded(p->limits.graphs, 17) == 24);
    CHECK(clg_graph_padded(p->limits.graphs, 513) == 0);
    CASE("no graphs at all is not the engine's graphs");
    CHECK(!read_row(arena, KNOWN ",requests,graph_most", "llama-2-7b,l40s,9,9,1,9,0", &row));
    CHECK(p->limits.graph_most == CLG_NO_GRAPHS && p->limits.graph_tokens == CLG_NO_GRAPHS);
    CHECK(!read_row(arena, KNOWN ",requests,graph_most", "llama-2-7b,l40s,9,9,1,9,", &row));
    CHECK(p->limits.graph_most == 0 && p->limits.graph_tokens == 0 &&
          p->limits.poll_iterations == 0);
    CHECK(!p->no_prefix_cache);
    CHECK(!read_row(arena, KNOWN ",requests,no_prefix_cache", "llama-2-7b,l40s,9,9,1,9,1", &row));
    CHECK(p->no_prefix_cache);
    CHECK(!read_row(arena, KNOWN ",requests,poll_iterations", "llama-2-7b,l40s,9,9,1,9,30", &row));
    CHECK(p->limits.poll_iterations == 30);
    CASE("a benchmark brings limits it reckons, a share of memory, graphs, and waits for ranks");
    reason =
        read_row(arena, KNOWN ",weights,cache,requests,dp,ep,client",
                 "deepseek-v3,b200-sxm,1024,1024,1,nvfp4,fp8,64,4,4,trtllm-bench-balanced", &row);
    CHECK(!reason && p->manner.in_process && p->limits.wait_iterations == 60 &&
          p->limits.wait_ranks == 4);
    CHECK(p->limits.max_sequences == 4 * 384 && p->limits.max_tokens == 4 * 2048);
    CHECK_NEAR(p->limits.memory_share, 0.95, 1e-12);
    CHECK(clg_graph_padded(p->limits.graphs, 600) == 1024);
    CASE("several boxes of a benchmark");
    reason = read_row(arena, KNOWN ",workload,scenario,gpus,boxes",
                      ",b200-sxm,,,98000,mlperf-llama2-70b,offline,8,3", &row);
    CHECK(!reason && !p->box.timed && p->box.boxes == 3);
    CASE("requests as they came");
    reason = read_row(arena, KNOWN ",requests,arrivals",
                      "llama-3.1-8b,h100-sxm,900,450,1,3,0.25:10:7 0.25:20:1 4e1:30:9", &row);
    CHECK(!reason && p->load.request && p->load.request[2].prompt_tokens == 30);
    CHECK_NEAR(p->load.request[2].arrival_s, 40, 0);
    CHECK(p->load.request[0].output_tokens == 7 && p->load.request[1].output_tokens == 1);
    CASE("a row may say itself why it cannot be predicted; no engine: the default");
    reason = read_row(arena, KNOWN ",requests,reason",
                      "llama-3.1-8b,h100-sxm,900,450,1,8,limits are not given", &row);
    CHECK_TEXT(reason ? reason : "", "limits are not given");
    CHECK_TEXT(p->engine, "vllm");
}

static void test_refused(clg_arena *arena) {
    static const struct {
        const char *column, *cell, *reason;
    } bad[] = {
        {"tp", "four", "tp 'four' is not a number"},
        {"ttft_ms", "12,5", "ttft_ms '12,5' is not a number"},
        {"held_out", "yes", "held_out 'yes' is not a number"},
        {"clients", "1e13", "clients '1e13' is not a number"},
        {"tp", "17", "tp over 16: GPUs of a whole system, its degrees are not given"},
        {"dp", "-3", "a degree is absurd"},
        {"ep", "3", "expert groups do not divide the GPUs"},
        {"weights", "fp7", "'fp7' is no weights of numbers"},
        {"cache", "int", "'int' is no cache of numbers"},
        {"attention_weights", "fp8", "attention_weights: bf16, or as weights"},
        {"shortest", "1.2", "shortest: a share from 0 to 1"},
        {"spread", "-1", "spread: a deviation over the mean, 0 to 10"},
        {"client", "curl", "no client is known as 'curl'"},
        {"phase", "prefill", "no phase is known as 'prefill'"},
        {"gained", "0.5", "gained: from 1 to the drafted tokens and one"},
        {"gained", "1.5", "gained: from 1 to the drafted tokens and one"}, /* of none drafted */
        {"drafted", "65", "drafted: tokens an iteration, 0 to 64"},
        {"requests_per_s", "-1", "requests_per_s is absurd"},
        {"memory_share", "1.5", "memory_share: a share from 0 to 1"},
        {"distinct", "-1", "distinct: prompts, 0 to 6000"},
        {"distinct", "6001", "distinct: prompts, 0 to 6000"},
        {"distinct", "all", "distinct 'all' is not a number"},
        {"sampling", "greedy", "no sampling is known as 'greedy'"},
        {"statistic", "mode", "no statistic is known as 'mode'"},
        {"prompts", "poems", "no prompts is known as 'poems'"},
        {"experts", "lay", "no experts are known as 'lay'"},
        {"graphs", "8:1 4:1", "graphs: pairs to:step whose ends rise, as 8:1 64:8"},
        {"graphs", "8", "graphs: pairs to:step whose ends rise, as 8:1 64:8"},
        {"graphs", "8:0", "graphs: pairs to:step whose ends rise, as 8:1 64:8"},
        {"arrivals", "0:1:1",
         "arrivals: second:prompt:output of each request, seconds that rise"}, /* of eight */
        {"arrivals", "1:1:1 0:1:1 2:1:1 2:1:1 2:1:1 2:1:1 2:1:1 2:1:1",
         "arrivals: second:prompt:output of each request, seconds that rise"},
        {"workload", "mlperf-bert", "workload 'mlperf-bert' is not built in"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        clg_measured row;
        CASE(bad[i].column);
        const char *reason = read_row(
            arena, clg_arena_print(arena, KNOWN ",requests,%s", bad[i].column),
            clg_arena_print(arena, "llama-3.1-8b,h100-sxm,900,450,1,8,\"%s\"", bad[i].cell), &row);
        CHECK_TEXT(reason ? reason : "", bad[i].reason);
    }
    clg_measured row;
    CASE("clients that wait, and a rate that does not");
    const char *reason = read_row(arena, KNOWN ",clients,requests,requests_per_s",
                                  "llama-3.1-8b,h100-sxm,900,450,1,8,80,2", &row);
    CHECK_TEXT(reason ? reason : "", "clients that wait and a rate that does not: give one");
    CASE("nothing is measured; no requests; no lengths");
    reason = read_row(arena, KNOWN ",requests", "llama-3.1-8b,h100-sxm,900,450,,8", &row);
    CHECK_TEXT(reason ? reason : "", "nothing is measured");
    reason = read_row(arena, KNOWN, "llama-3.1-8b,h100-sxm,900,450,1", &row);
    CHECK_TEXT(reason ? reason : "", "clients are not given, or absurd");
    reason = read_row(arena, KNOWN ",requests", "llama-3.1-8b,h100-sxm,900,,1,8", &row);
    CHECK_TEXT(reason ? reason : "", "lengths are not given");
}

/* 2 x (32.8e9 - .8e9) flop x 15,500 tokens x 0.9 x 448 / seconds = 1.98e15 on one H100. */
static void test_peak(clg_arena *arena) {
    static const char columns[] = "model,gpu,weights,cache,prompt_tokens,output_tokens,shortest,"
                                  "clients,requests,ttft_ms,tpot_ms,output_tokens_per_s";
    clg_csv t = {0};
    clg_measured_table m;
    clg_error error = {0};
    const char *text =
        clg_arena_print(arena,
                        "%s\nqwen3-32b,h100-sxm,fp8,fp8,13500,450,0.8,448,4480,150000,100,\n"
                        "qwen3-32b,h100-sxm,fp8,fp8,13500,450,0.8,448,4480,170000,100,\n",
                        columns);
    CASE("clients served faster than the GPUs multiply; by hand, either side of the peak");
    CHECK(clg_csv_parse(arena, "rows.csv", text, strlen(text), &t, &error) == CLG_OK);
    CHECK(clg_measured_score_all(arena, &t, 1, (clg_progress){0}, &m, &error) == CLG_OK &&
          m.rows == 2);
    CHECK(m.row[0].reason && strstr(m.row[0].reason, "multiply"));
    CHECK(!m.row[1].reason);
}

/* As cores that take the last piece first. */
static bool backwards(void *host, int count, void (*work_on)(void *work, int index), void *work,
                      clg_tell *tell, void *told) {
    (void)host, (void)tell, (void)told;
    for (int i = count; i-- > 0;) work_on(work, i);
    return true;
}

static void test_any_order(clg_arena *arena) {
    static const clg_cores last_first = {backwards, NULL};
    clg_csv table = table_of(
        arena, "gpu,engine,weights,prompt_tokens,workload,scenario,gpus,boxes,output_tokens_per_s",
        "h100-sxm,trtllm,fp8,,mlperf-llama2-70b,offline,8,1,30000\n"
        "h100-sxm,trtllm,fp8,,mlperf-llama2-70b,offline,8,3,90000\n"
        "a100-sxm-40gb,trtllm,bf16,,mlperf-llama2-70b,offline,1,1,30000\n"
        "a100-sxm-40gb,trtllm,bf16,,mlperf-llama2-70b,offline,1,1,30000");
    clg_error error = {0};
    clg_measured_table t, u;
    CASE("rows in any order; a box searched once serves the rows after it, and refuses for them");
    CHECK(clg_measured_score_all(arena, &table, 1, (clg_progress){0}, &t, &error) == CLG_OK);
    CHECK(clg_measured_score_all(arena, &table, 1, (clg_progress){.cores = &last_first}, &u,
                                 &error) == CLG_OK);
    CHECK(u.rows == 4);
    for (int i = 0; i < 4; i++) {
        CHECK_TEXT(t.row[i].reason ? t.row[i].reason : "", u.row[i].reason ? u.row[i].reason : "");
        if (!t.row[i].reason)
            CHECK(t.row[i].predicted[CLG_MEASURE_RATE] == u.row[i].predicted[CLG_MEASURE_RATE]);
    }
    CHECK(!u.row[1].reason);
    CHECK_NEAR(u.row[1].predicted[CLG_MEASURE_RATE], 3 * u.row[0].predicted[CLG_MEASURE_RATE],
               1e-12);
    CHECK(u.row[3].reason && strcmp(u.row[3].reason, u.row[2].reason) == 0);
}

static clg_measured predicted(clg_arena *arena, const char *columns, const char *cells) {
    clg_csv table = table_of(arena, columns, cells);
    clg_error error = {0};
    clg_measured_table t;
    CHECK(clg_measured_score_all(arena, &table, 1, (clg_progress){0}, &t, &error) == CLG_OK);
    CHECK_TEXT(t.row[0].reason ? t.row[0].reason : "", "");
    return t.row[0];
}

static void test_served(clg_arena *arena) {
    const double *served;
    CASE("far below what a GPU can do: as many tokens as are asked for, Poisson or not");
    clg_measured calm =
        predicted(arena, KNOWN ",requests,requests_per_s", "llama-3.1-8b,h100-sxm,200,50,1,4000,3");
    served = calm.predicted;
    CHECK_NEAR(served[CLG_MEASURE_RATE], 150, 0.03);
    CASE("Little: there are rate x answer of them, over those that fit");
    CHECK(calm.rho > 0 && calm.rho < 0.05);
    CASE("a model without any load: answer = first token + 49 more");
    double answer = served[CLG_MEASURE_TTFT] + 49 * served[CLG_MEASURE_TPOT];
    CHECK_NEAR(served[CLG_MEASURE_ANSWER], answer, 0.02);
    CASE("prompts that come with their cache: no prefill, the same decoding");
    const char *one = "llama-3.1-70b,h100-sxm,4000,200,1,4,1,8";
    clg_measured whole = predicted(arena, KNOWN ",tp,clients,requests", one);
    clg_measured decode = predicted(arena, KNOWN ",tp,clients,requests,phase",
                                    clg_arena_print(arena, "%s,decode", one));
    CHECK(decode.predicted[CLG_MEASURE_TTFT] < whole.predicted[CLG_MEASURE_TTFT] / 5);
    CHECK_NEAR(decode.predicted[CLG_MEASURE_TPOT], whole.predicted[CLG_MEASURE_TPOT], 0.01);
    CASE("twice the tokens an iteration, of three drafted: between 1.3 and 2 times the rate");
    clg_measured drafted = predicted(arena, KNOWN ",tp,clients,requests,drafted,gained",
                                     clg_arena_print(arena, "%s,3,2", one));
    double gain = whole.predicted[CLG_MEASURE_TPOT] / drafted.predicted[CLG_MEASURE_TPOT];
    CHECK(gain > 1.3 && gain <= 2.0001);
    CASE("all of them accepted: four tokens an iteration");
    drafted = predicted(arena, KNOWN ",tp,clients,requests,drafted,gained",
                        clg_arena_print(arena, "%s,3,4", one));
    CHECK(whole.predicted[CLG_MEASURE_TPOT] / drafted.predicted[CLG_MEASURE_TPOT] > 3);
    CASE("prompts that come again are in the cache, as many as it holds; 16 tokens a block");
    const char *columns = KNOWN ",requests,requests_per_s,distinct,spread";
    const char *alone = "llama-3.1-8b,h200-sxm,8000,2,1,300,0.05";
    clg_measured none = predicted(arena, columns, clg_arena_print(arena, "%s,,0.2", alone));
    clg_measured some = predicted(arena, columns, clg_arena_print(arena, "%s,3,0.2", alone));
    clg_measured all = predicted(arena, columns, clg_arena_print(arena, "%s,300,0.2", alone));
    double cold = none.predicted[CLG_MEASURE_TTFT], warm = some.predicted[CLG_MEASURE_TTFT];
    CHECK(warm < cold / 5);
    CHECK_NEAR(all.predicted[CLG_MEASURE_TTFT], cold, 1e-9);
    CASE("and not where it holds less than they are: the oldest is gone when it comes again");
    const char *small = "llama-2-7b,a100-sxm-40gb,3000,2,1,300,0.05";
    none = predicted(arena, columns, clg_arena_print(arena, "%s,,", small));
    some = predicted(arena, columns, clg_arena_print(arena, "%s,30,", small));
    CHECK_NEAR(some.predicted[CLG_MEASURE_TTFT] / none.predicted[CLG_MEASURE_TTFT], 1, 1e-9);
    CASE("one batch, all of it in memory: 13.5 GB of weights and 60 x 128 to 2,176 tokens of "
         "524,288 "
         "B at 2.04 TB/s, no faster");
    clg_measured batch = predicted(arena, KNOWN ",requests,max_sequences,fits,client,engine",
                                   "llama-7b,a100-sxm-80gb,128,2048,1,60,60,1,engine,trtllm-0.6");
    double least = (13.5e9 + 60 * 1152 * 524288.0) / 2.04e12;
    CHECK(batch.predicted[CLG_MEASURE_RATE] < 60 / least);
    CHECK(batch.predicted[CLG_MEASURE_RATE] > 60 / (1.5 * least));
    CASE("clients over what fits: more than all of the room is wanted");
    clg_measured full = predicted(arena, KNOWN ",clients,requests",
                                  "llama-3.1-8b,a100-sxm-80gb,6000,500,1,500,1000");
    CHECK(full.rho > 1);
}

static void test_attention(clg_arena *arena) {
    clg_measured row;
    const clg_serve_plan *p = &row.plan;
    CASE("a checkpoint that keeps attention in 16 bit");
    const char *reason = read_row(arena, KNOWN ",requests,weights,attention_weights",
                                  "llama-3.1-405b,h100-sxm,900,450,1,10,fp8,bf16", &row);
    CHECK(!reason && p->weights == CLG_FP8 && p->wide_attention);
    reason = read_row(arena, KNOWN ",requests,weights,attention_weights",
                      "llama-3.1-405b,h100-sxm,900,450,1,10,fp8,fp8", &row);
    CHECK(!reason && !p->wide_attention);
    CASE("the year of its software");
    reason =
        read_row(arena, KNOWN ",requests,date", "llama-3.1-8b,h100-sxm,900,450,1,8,2026-02", &row);
    CHECK_TEXT(row.year, "2026");
}

/* 36 layers of 4,096: products 4,096, 4,096, 4,096 and 12,288 deep, 96 + 96 steps of 128 of 2.2 us,
 * 15.2 ms, where tiles that share the depth take 3 to 4. */
static void test_checkpoint(clg_arena *arena) {
    CASE("a checkpoint that is named after its format has its weights in blocks");
    const char *columns = KNOWN ",engine,weights,clients,requests";
    const char *rest = "mi300x,600,421,1,sglang@2026-01,fp8,1,10";
    clg_measured plain = predicted(arena, columns, clg_arena_print(arena, "qwen3-8b,%s", rest));
    clg_measured blocks =
        predicted(arena, columns, clg_arena_print(arena, "Qwen3-8B-FP8,%s", rest));
    double more = blocks.predicted[CLG_MEASURE_TPOT] - plain.predicted[CLG_MEASURE_TPOT];
    CHECK(more > 0.011 && more < 36 * (96 + 96) * 2.2e-6);
}

static void test_means(clg_arena *arena) {
    CASE("ten answers of any length: those drawn are scaled to the mean that is printed");
    clg_measured ten = predicted(arena, KNOWN ",tp,clients,requests,shortest",
                                 "llama-3.1-70b,h100-sxm,600,421,1,4,1,10,0");
    const double *served = ten.predicted;
    double answer = served[CLG_MEASURE_TTFT] + 420 * served[CLG_MEASURE_TPOT];
    CHECK_NEAR(served[CLG_MEASURE_ANSWER], answer, 0.02);
    CASE("attention in 16 bit: 126 layers x 2 x (16,384 + 1,024) x 16,384 B over 8 GPUs are 8.98 "
         "GB, the room of 63.7 sequences of 2,186 tokens x 64,512 B");
    const char *large = "llama-3.1-405b,h200-sxm,2048,276,1,vllm,8,fp8,bf16,1,4";
    const char *columns = KNOWN ",engine,tp,weights,cache,clients,requests,attention_weights";
    clg_measured narrow = predicted(arena, columns, clg_arena_print(arena, "%s,", large));
    clg_measured wide = predicted(arena, columns, clg_arena_print(arena, "%s,bf16", large));
    CHECK_NEAR(1 / narrow.rho - 1 / wide.rho, 63.7, 0.03);
    CHECK(wide.predicted[CLG_MEASURE_TPOT] > narrow.predicted[CLG_MEASURE_TPOT]);
}

int main(void) {
    clg_arena arena = {0};
    test_release(&arena);
    test_row(&arena);
    test_loads(&arena);
    test_seen(&arena);
    test_manner(&arena);
    test_peak(&arena);
    test_refused(&arena);
    test_attention(&arena);
    test_any_order(&arena);
    test_served(&arena);
    test_checkpoint(&arena);
    test_means(&arena);
    clg_arena_clear(&arena);
    return DONE;
}
