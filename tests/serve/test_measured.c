/* test_measured.c -- published tables of serving: what is read of a row, and why one is left out.
 */
#include "serve/measured.h"
#include "test.h"

#include <math.h>

static clg_csv table_of(clg_arena *arena, const char *text) {
    clg_csv table = {0};
    clg_error error = {0};
    CHECK(clg_csv_parse(arena, "lab.csv", text, strlen(text), &table, &error) == CLG_OK);
    return table;
}

static clg_measured row_of(clg_arena *arena, const clg_csv *table, int row) {
    clg_measured into;
    bool more = false;
    into = (clg_measured){0};
    const char *reason = clg_measured_read(arena, table, row, 0, &into, &more);
    into.reason = reason;
    return into;
}

#define HEAD                                                                                       \
    "model,gpu_doc,serving_command,nearest_label,n_req,dur_s,tot_in,tot_out,out_tok_s,max_conc,"   \
    "ttft_mean,ttft_p50,ttft_p99,tpot_mean,tpot_p50\n"

static void test_commands(clg_arena *arena) {
    clg_csv t = table_of(
        arena,
        HEAD "gpt-oss-120b,h100,vllm serve x -tp=2 --max-num-seqs 300,--max-num-batched-tokens "
             "4096,1000,20,215000,196000,7000,,4000,3000,9000,50,40\n"
             "gpt-oss-120b,a100,python3 -m sglang.launch_server --tp-size 4 --ep-size 4 "
             "--mem-fraction-static 0.7,random 128 input,500,21,64000,2000,90,4,,3100,9000,,41\n"
             "qwen3-32b,h100,trtllm-serve x --max_num_tokens 900 --tp_size 2,ShareGPT,10,22,2150,"
             "1960,70,,1,1,2,3,4\n"
             "qwen3-32b,h200,trtllm-serve x,ShareGPT,10,22,2150,1960,70,,1,1,2,3,4\n"
             "qwen3-32b,h200,trtllm-serve x --quantization y,ShareGPT,10,23,2150,1960,70,,1,1,2,3,"
             "4\n"
             "qwen3-32b,h200,,ShareGPT,10,23,2150,1960,70,,1,1,2,3,4\n");
    CASE("degrees, limits and formats of the command that started the engine");
    clg_measured a = row_of(arena, &t, 0), b = row_of(arena, &t, 1), c = row_of(arena, &t, 2);
    CHECK(!a.reason && a.plan.part.tp == 2 && a.plan.part.ep == 1);
    CHECK(a.plan.max_sequences == 300 && a.plan.weights == CLG_MXFP4);
    CHECK(strcmp(a.plan.engine, "vllm") == 0 && strcmp(b.plan.engine, "sglang") == 0);
    CHECK(!b.reason && b.plan.part.tp == 4 && b.plan.part.ep == 4 && b.plan.clients == 4);
    CHECK_NEAR(b.plan.memory_share, 0.7, 1e-12);
    CHECK(!c.reason && c.plan.part.tp == 2 && c.plan.max_tokens == 900);
    CASE("a limit in the label is one that was tried");
    CHECK(a.plan.max_tokens == 4096 && b.plan.max_tokens == 0);
    CASE("means are compared, medians where there are none");
    CHECK_NEAR(a.measured[CLG_MEASURE_TTFT], 4, 1e-12);
    CHECK_NEAR(a.measured[CLG_MEASURE_TPOT], 0.05, 1e-12);
    CHECK_NEAR(b.measured[CLG_MEASURE_TTFT], 3.1, 1e-12);
    CHECK_NEAR(b.measured[CLG_MEASURE_TPOT], 0.041, 1e-12);
    CASE("random prompts are alike, chats are not");
    CHECK(b.plan.random_tokens && b.plan.spread <= 0);
    CHECK(!c.plan.random_tokens || c.plan.spread <= 0);
    CASE("figures of another GPU's page, a format that is not modelled, no command");
    clg_measured copied = row_of(arena, &t, 3);
    CHECK(copied.reason && strstr(copied.reason, "another GPU's page"));
    CHECK(strstr(row_of(arena, &t, 4).reason, "--quantization"));
    CHECK(strstr(row_of(arena, &t, 5).reason, "command"));
}

static void test_asides(clg_arena *arena) {
    CASE("arrivals, logs and summaries are no measurements, and are counted in no score");
    clg_csv tables[3] = {
        table_of(arena, "file,idx,arrival,input_toks,output_toks\nx,0,5,10,10\n"),
        table_of(arena, "metric,vllm_ms\nTTFT,5\n"),
        table_of(arena, HEAD "qwen3-32b,h100,vllm serve x,random,2,1,256,8,8,,90,90,99,30,30\n")};
    for (int i = 0; i < 2; i++) {
        clg_measured row = row_of(arena, &tables[i], 0);
        CHECK(row.aside && row.reason);
    }
    clg_measured_table t;
    clg_error error = {0};
    CHECK(clg_measured_score_all(arena, tables, 3, NULL, NULL, &t, &error) == CLG_OK);
    CHECK(t.rows == 3 && t.row[0].aside && !t.row[2].aside && !t.row[2].reason);
    for (int i = 0; i < t.scores; i++) CHECK(t.score[i].rows == 1 && t.score[i].scored == 1);
    CHECK(t.scores == 3 * 3); /* three measures of the group, the source, and all */
    CASE("points of charts lack the plan");
    clg_csv chart = table_of(arena, "model,gpu,interactivity_tok_s_user,tok_s_per_gpu\n"
                                    "DeepSeek R1,MI300X,23,725\n");
    clg_measured point = row_of(arena, &chart, 0);
    CHECK(!point.aside && strstr(point.reason, "not given"));
    CHECK_NEAR(point.measured[CLG_MEASURE_RATE], 725, 1e-12);
}

static void test_copies(clg_arena *arena) {
    CASE("one measurement in three exports: the row that can be predicted stays");
    clg_csv t = table_of(
        arena,
        "id,silicon_tpot_ms,silicon_ttft_ms,model_path,system,backend,precision,mode,isl,osl,"
        "silicon_concurrency,tp_size,prefill_num_workers,prefill_tp_size,decode_num_workers,"
        "decode_tp_size,silicon_data_source\n"
        "a,40.00001,900.001,meta/Llama-3.1-70B,h100_sxm,vllm,fp8,disagg,64,8,2,,,4,,4,x\n"
        "b,40.0,900,meta/Llama-3.1-70B,h100_sxm,vllm,fp8,disagg,64,8,2,,1,4,1,4,x\n"
        "c,40.0,900,meta/Llama-3.1-70B,h100_sxm,vllm,fp8,disagg,64,8,2,,1,4,1,4,x\n"
        "d,40.0,900,meta/Llama-3.1-70B,h200_sxm,vllm,fp8,disagg,64,8,2,,1,4,1,4,x\n"
        "e,40.1,900,meta/Llama-3.1-70B,h100_sxm,vllm,fp8,disagg,64,8,2,,,4,,4,x\n");
    clg_measured_table m;
    clg_error error = {0};
    CHECK(clg_measured_score_all(arena, &t, 1, NULL, NULL, &m, &error) == CLG_OK && m.rows == 5);
    CHECK(m.row[0].aside && !m.row[1].aside && m.row[2].aside);
    CHECK(!m.row[1].reason && !m.row[3].reason && !m.row[3].aside);
    CHECK(!m.row[4].aside && strstr(m.row[4].reason, "no public recipe"));
    CHECK(m.score[m.scores - 1].rows == 3 && m.score[m.scores - 1].scored == 2);
}

static void test_doubles(clg_arena *arena) {
    CASE("two figures of one day, one public recipe: neither is known to be of it");
    clg_csv t = table_of(
        arena,
        "id,silicon_tpot_ms,silicon_ttft_ms,model_path,system,backend,precision,mode,isl,osl,"
        "silicon_concurrency,prefill_tp_size,prefill_num_workers,decode_tp_size,"
        "decode_num_workers,measured_at,silicon_data_source\n"
        "a,9,4000,deepseek-ai/DeepSeek-R1,gb300,trtllm,fp4,disagg,8192,1024,72,2,,8,,2026-02-03,x\n"
        "b,7,4000,deepseek-ai/DeepSeek-R1,gb300,trtllm,fp4,disagg,8192,1024,72,2,,8,,2026-02-04,x\n"
        "c,4,2000,deepseek-ai/DeepSeek-R1,gb300,trtllm,fp4,disagg,8192,1024,33,2,,8,,2026-02-03,x\n"
        "d,6,2000,deepseek-ai/DeepSeek-R1,gb300,trtllm,fp4,disagg,8192,1024,33,2,,8,,2026-02-03,x\n"
        "e,6,2000,deepseek-ai/DeepSeek-R1,gb300,trtllm,fp4,disagg,8192,1024,34,2,,8,,2026-02-03,x\n"
        "f,6,2000,deepseek-ai/"
        "DeepSeek-R1,gb300,trtllm,fp4,disagg,8192,1024,5,2,,8,,2026-02-03,x\n");
    clg_measured_table m;
    clg_error error = {0};
    CHECK(clg_measured_score_all(arena, &t, 1, NULL, NULL, &m, &error) == CLG_OK && m.rows == 6);
    CHECK(!m.row[0].reason && !m.row[1].reason);
    CHECK(m.row[2].reason && strstr(m.row[2].reason, "only public recipe") && m.row[3].reason);
    CHECK(strstr(m.row[4].reason, "no public recipe"));
    CHECK(strstr(m.row[5].reason, "more than one public recipe"));
    const clg_serve_plan *p = &m.row[0].plan;
    CHECK(p->part.copies == 3 && p->decode_sequences == 16 && p->drafted == 0);
    CHECK(p->prefill.dp == 2 && p->prefill_tokens == 2 * 16384);
    p = &m.row[2].plan;
    CHECK(p->drafted == 3 && p->decode_sequences == 8);
    CHECK_NEAR(p->gained, 2.5, 1e-12);
}

static void test_names(clg_arena *arena) {
    static const struct {
        const char *model, *gpu, *as, *on;
    } names[] = {{"zai-org/GLM-4.6-FP8", "h100", "glm-4.5", "h100-sxm"},
                 {"deepseek-ai/DeepSeek-R1-Distill-Qwen-14B", "A40 48GB", "qwen2.5-14b", "a40"},
                 {"LLaMA 70B", "L40S FP8", "llama-2-70b", "l40s"},
                 {"DeepSeek-R1", "H100-NVL-94GB", "deepseek-v3", "h100-nvl"},
                 {"GPT-J 6B", "H100-PCIe-80GB", "gpt-j-6b", "h100-pcie"},
                 {"GPT-J 6B", "GH200 Grace Hopper Superchip 144GB", "gpt-j-6b", "gh200-144gb"},
                 {"zhipuai/GLM-5", "RTX 4090", "glm-5", "rtx-4090"},
                 {"zai-org/GLM-5.2-FP8", "h200", "glm-5.2", "h200-sxm"},
                 {"DeepSeek-V3.2-Exp", "a100", "deepseek-v3.2", "a100-sxm-80gb"},
                 {"GPT-J 6B", "A30 PCIe", "gpt-j-6b", NULL}};
    CASE("names of models and boards as people write them; none is guessed");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        clg_csv t =
            table_of(arena, clg_arena_print(arena, "model,gpu,concurrency,ttft_p50_ms\n%s,%s,1,5\n",
                                            names[i].model, names[i].gpu));
        clg_measured row = row_of(arena, &t, 0);
        const char *as = row.plan.model ? row.plan.model : "",
                   *on = row.plan.gpu ? row.plan.gpu : "";
        CHECK(strcmp(as, names[i].as ? names[i].as : "") == 0);
        if (names[i].as) CHECK(strcmp(on, names[i].on ? names[i].on : "") == 0);
        CHECK(row.reason && row.plan.medians);
    }
}

static void test_peak(clg_arena *arena) {
    CASE("clients served faster than the GPUs multiply; by hand, either side of the peak");
    /* 2 x (32.8e9 - .8e9) flop x 15,500 tokens x 0.9 x 448 / seconds = 1.98e15 on one H100 */
    clg_csv t = table_of(
        arena,
        "id,silicon_tpot_ms,silicon_ttft_ms,model_path,system,backend,precision,mode,isl,osl,"
        "silicon_concurrency,tp_size,silicon_data_source\n"
        "a,100,150000,Qwen/Qwen3-32B,h100_sxm,vllm,fp8,agg,15000,500,448,1,x\n"
        "b,100,170000,Qwen/Qwen3-32B,h100_sxm,vllm,fp8,agg,15000,500,448,1,x\n");
    clg_measured_table m;
    clg_error error = {0};
    CHECK(clg_measured_score_all(arena, &t, 1, NULL, NULL, &m, &error) == CLG_OK && m.rows == 2);
    CHECK(m.row[0].reason && strstr(m.row[0].reason, "multiply"));
    CHECK(!m.row[1].reason);
}

int main(void) {
    clg_arena arena = {0};
    test_peak(&arena);
    test_copies(&arena);
    test_doubles(&arena);
    test_names(&arena);
    test_commands(&arena);
    test_asides(&arena);
    clg_arena_clear(&arena);
    return DONE;
}
