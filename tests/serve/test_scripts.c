/* test_scripts.c -- rows of published tables read as they ran: layouts that scripts chose, kernels
 * they asked for, limits that are not given. */
#include "serve/measured.h"
#include "test.h"

#include <string.h>

static const char silicon[] = "id,silicon_data_source,silicon_concurrency,backend,backend_version,"
                              "model_path,system,precision,mode,isl,osl,tp_size,"
                              "attention_dp_size,moe_tp_size,moe_ep_size,silicon_ttft_ms,"
                              "silicon_tpot_ms,batch_size\n";

/* One row of the InferenceX sample; the reason it is skipped, or NULL. */
static const char *read_row(clg_arena *arena, const char *line, clg_measured *row) {
    char text[1024];
    clg_csv table;
    clg_error error = {0};
    bool more;
    snprintf(text, sizeof text, "%s%s\n", silicon, line);
    const char *copy = clg_arena_copy(arena, text, strlen(text));
    CHECK(clg_csv_parse(arena, "inferencex", copy, strlen(copy), &table, &error) == CLG_OK);
    return clg_measured_read(arena, &table, 0, 0, row, &more);
}

#define MINIMAX(VERSION, SYSTEM, TP)                                                               \
    "a,db-dump,8,vllm," VERSION ",MiniMaxAI/MiniMax-M2.5," SYSTEM ",fp8,agg,1024,1024," TP         \
    ",1," TP ",1,80,9,"
#define GPT_OSS(CLIENTS, ENGINE, VERSION, SYSTEM, TP, TP_OF_EXPERTS, EP)                           \
    "a,source_file," CLIENTS "," ENGINE "," VERSION ",openai/gpt-oss-120b," SYSTEM                 \
    ",fp4,agg,1024,1024," TP ",1," TP_OF_EXPERTS "," EP ",80,9,"

static void test_minimax(clg_arena *arena) {
    static const struct {
        const char *line;
        int tp, ep;
        clg_expert_kernels kernels;
    } rows[] = {{MINIMAX("0.16.0", "h200_sxm", "4"), 4, 4, CLG_EXPERTS_DEEPGEMM},
                {MINIMAX("0.18.0", "h200_sxm", "8"), 8, 8, CLG_EXPERTS_TRITON},
                {MINIMAX("0.17.0", "b200_sxm", "2"), 2, 2, CLG_EXPERTS_TRITON},
                {MINIMAX("0.19.0", "b200_sxm", "2"), 2, 1, CLG_EXPERTS_TIMED}};
    CASE("MiniMax in 8 bit: experts shared out and computed as its script had it");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        clg_measured row;
        CHECK(read_row(arena, rows[i].line, &row) == NULL);
        CHECK(row.plan.part.tp == rows[i].tp && row.plan.part.ep == rows[i].ep);
        CHECK(row.plan.expert_kernels == rows[i].kernels);
    }
}

static void test_graph_sizes(clg_arena *arena) {
    clg_measured row;
    const clg_serve_plan *p = &row.plan;
    CASE("graphs up to 2,048 tokens and iterations of two prompts, as scripts for vLLM set them");
    CHECK(!read_row(arena, MINIMAX("0.19.0", "b200_sxm", "2"), &row));
    CHECK(p->graph_tokens == 2048 && p->max_tokens == 2048);
    CHECK(clg_graph_padded(p->graphs, 300) == 304 && clg_graph_padded(p->graphs, 2049) == 0);
    CHECK(!read_row(arena, MINIMAX("0.17.0", "b200_sxm", "2"), &row));
    CHECK(p->graph_tokens == 0 && p->max_tokens == 0 && !p->graphs);
    CHECK(!read_row(arena, GPT_OSS("8", "vllm", "0.15.1", "b200_sxm", "2", "2", "1"), &row));
    CHECK(p->graph_tokens == 2048 && p->max_tokens == 0);
    CHECK(!read_row(arena, GPT_OSS("8", "trtllm", "", "b200_sxm", "2", "2", "1"), &row));
    CHECK(p->graph_tokens == 0);
}

static void test_gpt_oss(clg_arena *arena) {
    clg_measured row;
    CASE("gpt-oss on TensorRT-LLM on H200: as many groups of experts as GPUs");
    CHECK(!read_row(arena, GPT_OSS("8", "trtllm", "", "h200_sxm", "4", "4", "1"), &row));
    CHECK(row.plan.part.tp == 4 && row.plan.part.ep == 4);
    CHECK(
        !read_row(arena, GPT_OSS("8", "trtllm", "gpt-oss-dev", "h200_sxm", "16", "4", "4"), &row));
    CHECK(row.plan.part.tp == 4 && row.plan.part.ep == 4);
    CHECK(!read_row(arena, GPT_OSS("8", "trtllm", "", "b200_sxm", "4", "4", "1"), &row));
    CHECK(row.plan.part.ep == 1);
    CASE("more clients than the script lets the server take at once");
    CHECK(!read_row(arena, GPT_OSS("64", "vllm", "0.18.0", "h100_sxm", "4", "4", "1"), &row));
    const char *reason =
        read_row(arena, GPT_OSS("512", "vllm", "0.11.2", "h100_sxm", "4", "4", "1"), &row);
    CHECK(reason && strstr(reason, "more clients than its script"));
    CHECK(!read_row(arena, GPT_OSS("512", "vllm", "0.18.0", "b200_sxm", "4", "4", "1"), &row));
}

#define GLM(GPU, FORMAT)                                                                           \
    "a,db-dump,32,sglang,nightly,zhipuai/GLM-5," GPU "," FORMAT ",agg,1024,1024,8,1,8,1,80,9,"

static void test_glm(clg_arena *arena) {
    clg_measured row;
    CASE("GLM-5 on SGLang: iterations, memory and sequences as its scripts have them");
    CHECK(!read_row(arena, GLM("b200_sxm", "fp8"), &row));
    CHECK(row.plan.max_tokens == 32768 && row.plan.max_sequences == 32);
    CHECK_NEAR(row.plan.memory_share, 0.85, 1e-15);
    CHECK(row.plan.cache == CLG_FP8 && row.plan.part.tp == 8 && row.plan.part.ep == 1);
    CHECK(!read_row(arena, GLM("b200_sxm", "fp4"), &row));
    CHECK(row.plan.max_sequences == 0 && row.plan.weights == CLG_NVFP4);
    CHECK_NEAR(row.plan.memory_share, 0.9, 1e-15);
}

/* One row of GPUStack's lab. */
static const char *read_lab(clg_arena *arena, const char *model, const char *command,
                            const char *label, clg_measured *row) {
    const char *text = clg_arena_print(
        arena,
        "model,gpu_doc,serving_command,nearest_label,n_req,tot_in,tot_out,out_tok_s,ttft_mean,"
        "ttft_p50\n%s,h200,%s,%s,100,100000,50000,9,5,5\n",
        model, command, label);
    clg_csv table;
    clg_error error = {0};
    bool more;
    CHECK(clg_csv_parse(arena, "lab", text, strlen(text), &table, &error) == CLG_OK);
    return clg_measured_read(arena, &table, 0, 0, row, &more);
}

static void test_lab(clg_arena *arena) {
    clg_measured row;
    CASE("DeepSeek is published in 8 bit; ranks that share sequences are of the tensor-parallel "
         "ones");
    CHECK(
        !read_lab(arena, "deepseek-v3.2", "vllm serve deepseek-ai/DeepSeek-V3.2 -tp 8", "", &row));
    CHECK(row.plan.weights == CLG_FP8 && row.plan.cache == CLG_BF16 && row.plan.part.dp == 1);
    CHECK(!read_lab(arena, "deepseek-v3.2",
                    "sglang.launch_server --model deepseek-ai/DeepSeek-V3.2 --tp-size 8 --dp 4 "
                    "--enable-dp-attention --kv-cache-dtype fp8_e4m3",
                    "", &row));
    CHECK(row.plan.part.tp == 2 && row.plan.part.dp == 4 && row.plan.part.ep == 1);
    CHECK(row.plan.cache == CLG_FP8);
    CHECK(!read_lab(arena, "glm-5.2",
                    "sglang.launch_server --model-path zai-org/GLM-5.2-FP8 --tp-size=8 --dp-size=8 "
                    "--enable-dp-attention --moe-a2a-backend=deepep",
                    "", &row));
    CHECK(row.plan.part.tp == 1 && row.plan.part.dp == 8 && row.plan.part.ep == 8);
    CASE("how many ranks share is not guessed, nor which command made the figures");
    const char *reason = read_lab(
        arena, "deepseek-v3.2", "sglang.launch_server --tp-size 8 --enable-dp-attention", "", &row);
    CHECK(reason && strstr(reason, "dp-attention without ranks"));
    reason = read_lab(arena, "deepseek-v3.2", "vllm serve deepseek-ai/DeepSeek-V3.2 -tp 8",
                      "Baseline Backend Parameters:N/A", &row);
    CHECK(reason && strstr(reason, "not its own"));
    CHECK(!read_lab(arena, "deepseek-v3.2", "vllm serve deepseek-ai/DeepSeek-V3.2 -tp 8",
                    "Optimized Backend Parameters:", &row));
}

static void test_static(clg_arena *arena) {
    static const char text[] = "gpu_and_unit,model,batch,tp,input_len,output_len,throughput,kind,"
                               "first_token_ms\n"
                               "A100 FP16 (tok/s),LLaMA 7B,60,1,128,2048,1928,throughput,\n";
    clg_csv table;
    clg_error error = {0};
    clg_measured row;
    bool more;
    CASE("one batch of TensorRT-LLM 0.6: all of it in memory");
    CHECK(clg_csv_parse(arena, "static", text, sizeof text - 1, &table, &error) == CLG_OK);
    CHECK(!clg_measured_read(arena, &table, 0, 0, &row, &more));
    CHECK(row.plan.fits && strcmp(row.plan.engine, "trtllm-0.6") == 0);
    clg_measured_table scored;
    CHECK(clg_measured_score_all(arena, &table, 1, NULL, NULL, &scored, &error) == CLG_OK);
    /* 13.5 GB of weights and 60 x 128 to 2,176 tokens of 524,288 B at 2.04 TB/s: no faster */
    double least = (13.5e9 + 60 * 1152 * 524288.0) / 2.04e12;
    CHECK(scored.row[0].predicted[CLG_MEASURE_RATE] < 60 / least);
    CHECK(scored.row[0].predicted[CLG_MEASURE_RATE] > 60 / (1.5 * least));
}

#define OWN(CLIENTS, DP, BATCH)                                                                    \
    "a,source_file=gb200/trtllm/1.3.0rc5/qwen.csv; x," CLIENTS                                     \
    ",trtllm,1.3.0rc5,nvidia/Qwen3-32B-NVFP4,gb200,fp4,agg,15000,500,2," DP ",,,746,13.7," BATCH

static void test_copies(clg_arena *arena) {
    clg_measured row;
    CASE("aiconfigurator's own sweeps: clients of one of several copies; how many must be given");
    CHECK(!read_row(arena, OWN("448", "1", "14"), &row));
    CHECK(row.plan.clients == 14 && row.plan.requests == 140);
    CHECK(!read_row(arena, OWN("7", "1", "7"), &row));
    CHECK(row.plan.clients == 7);
    CHECK(!read_row(arena, OWN("7", "", ""), &row));
    CHECK(row.plan.clients == 7);
    CHECK(!read_row(arena, OWN("28", "2", "14"), &row)); /* a batch is that of a rank */
    CHECK(row.plan.clients == 28);
    const char *reason = read_row(arena, OWN("", "1", "14"), &row);
    CHECK(reason && strstr(reason, "not given"));
}

int main(void) {
    clg_arena arena = {0};
    test_minimax(&arena);
    test_gpt_oss(&arena);
    test_glm(&arena);
    test_lab(&arena);
    test_graph_sizes(&arena);
    test_static(&arena);
    test_copies(&arena);
    clg_arena_clear(&arena);
    return DONE;
}
