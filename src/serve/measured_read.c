/* measured_read.c -- forms of published serving tables. */
#include "serve/measured_row.h"

#include "model/preset.h"
#include "serve/bench_limits.h"
#include "serve/recipe.h"
#include "serve/workload.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const clg_name clg_measure_names[] = {{"ttft", CLG_MEASURE_TTFT, "to the first token"},
                                      {"tpot", CLG_MEASURE_TPOT, "per output token"},
                                      {"answer", CLG_MEASURE_ANSWER, "whole answer"},
                                      {"throughput", CLG_MEASURE_RATE, "output tokens/s"},
                                      {NULL, 0, NULL}};

typedef clg_cell_reader reader;

/* ---- cells, shared with the plain form */

const char *clg_cell_word(const reader *r, const char *column) {
    const char *field = clg_csv_field(r->table, r->row, column);
    return field ? field : "";
}

double clg_cell_number(const reader *r, const char *column, double otherwise) {
    const char *field = clg_cell_word(r, column);
    char *end;
    if (!*field) return otherwise;
    double value = strtod(field, &end);
    return *end || !isfinite(value) || fabs(value) > 1e12 ? otherwise : value;
}

int clg_cell_degree(const reader *r, const char *column) {
    double value = clg_cell_number(r, column, 1);
    if (value == 0) return 1;
    return value >= 1 && value <= 4096 ? (int)value : -1;
}

void clg_cell_measure(reader *r, clg_measure what, double value) {
    if (value > 0) r->into->measured[what] = value;
}

const char *clg_check_lengths(const clg_serve_plan *p) {
    if (!(p->prompt_tokens >= 1) || !(p->output_tokens >= 1)) return "lengths are not given";
    if (p->prompt_tokens > 1e6 || p->output_tokens > 1e6) return "lengths are absurd";
    if (p->clients < 0 || p->clients > 1 << 20 || p->requests < 1 || p->requests > 1 << 24)
        return "clients are not given, or absurd";
    return NULL;
}

const char *clg_check_part(const clg_part *p) {
    if (p->tp < 0 || p->pp < 0 || p->dp < 0 || p->ep < 0 || p->copies < 0)
        return "a degree is absurd";
    if (p->tp > 16) return "tp over 16: GPUs of a whole system, its degrees are not given";
    if (p->tp * p->dp % p->ep != 0) return "expert groups do not divide the GPUs";
    return NULL;
}

/* ---- names */

/* Lower case letters and digits only, at most `size` - 1 of them. */
static void squeeze(const char *from, char *into, size_t size) {
    size_t n = 0;
    for (; *from && n + 1 < size; from++)
        if (isalnum((unsigned char)*from)) into[n++] = (char)tolower((unsigned char)*from);
    into[n] = 0;
}

/* The built-in model whose squeezed name is the longest beginning of the squeezed words. */
static const char *model_in(clg_arena *arena, const char *words) {
    static const struct {
        const char *called, *name;
    } alike[] = {{"deepseekr1distillllama8b", "llama-3.1-8b"},
                 {"deepseekr1distillllama70b", "llama-3.1-70b"},
                 {"deepseekr1distillqwen7b", "qwen2.5-7b"},
                 {"deepseekr1distillqwen14b", "qwen2.5-14b"},
                 {"deepseekr1distillqwen32b", "qwen2.5-32b"},
                 {"deepseekr1distill", NULL},
                 {"deepseekr1", "deepseek-v3"},
                 {"glm46", "glm-4.5"}, /* the same shape */
                 {"llama70b", "llama-2-70b"},
                 {"llama3370b", "llama-3.1-70b"},
                 {"metallama318b", "llama-3.1-8b"},
                 {"metallama3170b", "llama-3.1-70b"}};
    char squeezed[128], known[64];
    const char *slash = strrchr(words, '/'), *best = NULL;
    int count;
    size_t most = 0;
    squeeze(slash ? slash + 1 : words, squeezed, sizeof squeezed);
    for (size_t i = 0; i < sizeof alike / sizeof alike[0]; i++)
        if (strncmp(squeezed, alike[i].called, strlen(alike[i].called)) == 0) return alike[i].name;
    const char *const *names = clg_model_names(arena, &count);
    for (int i = 0; i < count; i++) {
        squeeze(names[i], known, sizeof known);
        size_t n = strlen(known);
        if (n > most && strncmp(squeezed, known, n) == 0) {
            most = n;
            best = names[i];
        }
    }
    return best;
}

/* The GPU that words speak of; boards that are not built in are none. */
static const char *gpu_in(const char *words) {
    static const struct {
        const char *called, *name;
    } known[] = {{"rtxpro6000", "rtx-pro-6000"},
                 {"h100pcie", "h100-pcie"},
                 {"pcie", NULL},
                 {"h100nvl", "h100-nvl"},
                 {"superchip96", "gh200-96gb"},
                 {"superchip144", "gh200-144gb"},
                 {"gh200", NULL},
                 {"l40s", "l40s"},
                 {"rtx4090", "rtx-4090"},
                 {"a4048gb", "a40"},
                 {"gb300", "gb300"},
                 {"gb200", "gb200"},
                 {"b300", "b300-sxm"},
                 {"b200", "b200-sxm"},
                 {"h200", "h200-sxm"},
                 {"h100", "h100-sxm"},
                 {"h800", "h800-sxm"},
                 {"a10040", "a100-sxm-40gb"},
                 {"a100", "a100-sxm-80gb"},
                 {"mi300x", "mi300x"},
                 {"mi325x", "mi325x"},
                 {"mi355x", "mi355x"}};
    char squeezed[128];
    squeeze(words, squeezed, sizeof squeezed);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strstr(squeezed, known[i].called)) return known[i].name;
    return NULL;
}

static const char *engine_in(const char *words, const char *version) {
    char squeezed[512];
    squeeze(words, squeezed, sizeof squeezed);
    if (strstr(squeezed, "trt")) return strncmp(version, "1.0", 3) == 0 ? "trtllm-1.0" : "trtllm";
    return strstr(squeezed, "sglang") ? "sglang" : "vllm";
}

/* Weights of a format in words; keys and values are kept in fp8 with them, as recipes do. */
static void read_formats(clg_serve_plan *p, const char *words) {
    char squeezed[64];
    bool released = p->model && strncmp(p->model, "gpt-oss", 7) == 0; /* experts in mxfp4 only */
    squeeze(words, squeezed, sizeof squeezed);
    p->weights = strstr(squeezed, "mxfp4") || released ? CLG_MXFP4
                 : strstr(squeezed, "fp4")             ? CLG_NVFP4
                 : strstr(squeezed, "fp8")             ? CLG_FP8
                                                       : CLG_BF16;
    p->cache = p->weights == CLG_BF16 ? CLG_BF16 : CLG_FP8;
}

static const char *read_names(reader *r, const char *model, const char *gpu, const char *engine,
                              const char *version) {
    clg_serve_plan *p = &r->into->plan;
    p->model = model_in(r->arena, model);
    p->gpu = gpu_in(gpu);
    p->engine = engine_in(engine, version);
    if (!p->model) return clg_arena_print(r->arena, "model '%.60s' is not built in", model);
    if (!p->gpu) return clg_arena_print(r->arena, "GPU '%.60s' is not built in", gpu);
    return NULL;
}

/* ---- forms */

static clg_part part_of(const reader *r, const char *prefix) {
    clg_arena *a = r->arena;
    clg_part part = {clg_cell_degree(r, clg_arena_print(a, "%stp_size", prefix)),
                     clg_cell_degree(r, clg_arena_print(a, "%spp_size", prefix)),
                     clg_cell_degree(r, clg_arena_print(a, "%sattention_dp_size", prefix)),
                     clg_cell_degree(r, clg_arena_print(a, "%smoe_ep_size", prefix)), 1};
    if (*prefix) part.copies = clg_cell_degree(r, clg_arena_print(a, "%snum_workers", prefix));
    return part;
}

/* Sweeps of aiconfigurator's own, by file instead of image. */
static bool own_sweep(const reader *r) {
    const char *from = clg_cell_word(r, "silicon_data_source"), *file = strstr(from, ".csv;");
    const char *folder = strchr(from, '/');
    return file && folder && folder < file;
}

/* InferenceX configures tp GPUs and ep of them (its configs/nvidia-master.yaml); the sample writes
 * tp in both columns of expert groups' degrees and multiplies: tp 64 = 8 x 8 on boxes of 8, dp 16 =
 * 4 x 4, and tp 4 dp 4 ep 16 where 4 GPUs share sequences and experts out. */
static void undo_products(const reader *r, clg_part *part) {
    int experts_tp = clg_cell_degree(r, "moe_tp_size"),
        experts_ep = clg_cell_degree(r, "moe_ep_size");
    if (experts_tp > 1 && experts_ep > 1) {
        int *gpus = part->dp > 1 ? &part->dp : &part->tp;
        if (*gpus == experts_tp * experts_ep) *gpus = experts_tp;
    } else if (part->tp > 1 && part->dp == part->tp && part->ep == part->tp * part->dp) {
        part->ep = part->dp;
        part->tp = 1;
    }
}

/* SGLang's recipes for DeepSeek share sequences out with the DeepEP backend, which shares experts
 * out over as many ranks whatever --ep-size says (its server_args.py: ep_size = tp_size). */
static void share_experts(const clg_serve_plan *p, clg_part *part) {
    if (strcmp(p->engine, "sglang") == 0 && part->dp > 1 && part->ep == 1)
        part->ep = part->tp * part->dp;
}

/* MiniMax-M2.5 on B200. In 8 bit up to vLLM 0.17 with the 16-bit cache and 95 % of memory; from
 * 0.19 on with an 8-bit cache and 90 % (InferenceX pull requests 947 and 1010 of 2026-04, as
 * vllm-project/recipes pull request 321 lists them). In 4 bit the checkpoint brings an 8-bit cache,
 * which vLLM's "auto" takes (recipe nvfp4_experts_only-fp8_kv of nvidia/MiniMax-M2.5-NVFP4). */
static void read_minimax(const reader *r, clg_serve_plan *p) {
    const char *version = clg_cell_word(r, "backend_version");
    bool old = strncmp(version, "0.", 2) == 0 && atoi(version + 2) < 18;
    if (!p->gpu || strcmp(p->gpu, "b200-sxm") != 0) return;
    if (p->weights == CLG_NVFP4 || (p->weights == CLG_FP8 && !old)) p->cache = CLG_FP8;
    if (p->weights == CLG_FP8 && old) p->memory_share = 0.95;
}

/* What InferenceX's public launch scripts set (github SemiAnalysisAI/InferenceX, benchmarks/, read
 * 2026-11): gpt-oss on Hopper, MiniMax on Hopper and Kimi run with the 16-bit cache that is the
 * default; the TensorRT-LLM ones with iterations of 16,384 or 20,000 tokens. The sweeps of
 * aiconfigurator's own (by file instead of image) set nothing. */
static void read_recipe(const reader *r, clg_serve_plan *p) {
    bool hopper = p->gpu && p->gpu[0] == 'h', own = own_sweep(r);
    const char *model = p->model ? p->model : "";
    bool minimax = strncmp(model, "minimax", 7) == 0;
    bool plain =
        (strncmp(model, "gpt-oss", 7) == 0 && hopper) || minimax || strncmp(model, "kimi", 4) == 0;
    if (plain || own) p->cache = CLG_BF16;
    if (!own && minimax) read_minimax(r, p);
    if (!own && strcmp(p->engine, "trtllm") == 0)
        p->max_tokens = strncmp(model, "gpt-oss", 7) == 0 ? 20000 : 16384;
}

/* GLM-5 on SGLang: iterations of 32,768 tokens, 85 % of memory, 90 % in 4 bit; in 8 bit as many
 * sequences as clients (glm5_fp8_b200.sh, glm5_fp8_b300.sh, glm5_fp4_b200.sh, commits 4eca3fe,
 * 5632483, 405c601). */
static void read_glm(clg_serve_plan *p) {
    if (!p->model || strncmp(p->model, "glm-5", 5) != 0 || strcmp(p->engine, "sglang") != 0) return;
    p->max_tokens = 32768;
    p->memory_share = p->weights == CLG_NVFP4 ? 0.9 : 0.85;
    if (p->weights == CLG_FP8) p->max_sequences = (int)fmin(fmax((double)p->clients, 0), 65536);
}

/* vLLM's graphs when its configuration says up to 2,048 (vllm/config/vllm.py). */
static const clg_graph_sizes graphs_to_2048 = {
    .count = 5, .to = {2, 4, 8, 256, 2048}, .step = {1, 2, 4, 8, 16}};

/* What InferenceX's scripts for vLLM set of graphs and iterations (benchmarks/single_node, read
 * 2026-11): gpt-oss max-cudagraph-capture-size 2048, MiniMax on B200 from 0.19 on that and
 * iterations of two prompts; Kimi and MiniMax before neither. */
static void read_graphs(const reader *r, clg_serve_plan *p) {
    const char *model = p->model ? p->model : "";
    bool vllm = strcmp(p->engine, "vllm") == 0 && !own_sweep(r);
    bool minimax = strcmp(clg_cell_word(r, "backend_version"), "0.19.0") == 0 &&
                   strncmp(model, "minimax", 7) == 0;
    if (!vllm || (!minimax && strncmp(model, "gpt-oss", 7) != 0)) return;
    p->graphs = &graphs_to_2048;
    p->graph_tokens = 2048;
    if (minimax) p->max_tokens = (int)(2 * p->prompt_tokens);
}

static bool is_one_of(const char *word, const char *const *words) {
    while (*words && strcmp(word, *words) != 0) words++;
    return *words != NULL;
}

/* InferenceX's MiniMax in 8 bit before vLLM 0.19 (its pull request 947, 2026-04): the script asked
 * `EP_SIZE -ge 1`, so that experts are shared out whatever the sample says. On B200 it switched
 * FlashInfer and DeepGEMM off, which leaves Triton; on Hopper vLLM takes DeepGEMM unless tensor
 * parallel by 8 (vLLM pull request 29346), then Triton. */
static void read_early_minimax(const reader *r, clg_serve_plan *p) {
    static const char *const versions[] = {"0.16.0", "0.17.0", "0.18.0", NULL};
    bool early = is_one_of(clg_cell_word(r, "backend_version"), versions);
    if (!p->model || strncmp(p->model, "minimax", 7) != 0 || p->weights != CLG_FP8) return;
    if (!early || own_sweep(r) || p->part.dp > 1) return;
    bool hopper = p->gpu && p->gpu[0] == 'h';
    p->expert_kernels = hopper && p->part.tp != 8 ? CLG_EXPERTS_DEEPGEMM : CLG_EXPERTS_TRITON;
    if (p->part.ep == 1) p->part.ep = p->part.tp;
}

/* gpt-oss on TensorRT-LLM on H200 is configured with "EP=TP" (InferenceX's nvidia-master.yaml);
 * runs from before images were noted down say 1 of groups of experts, and take as long. */
static void read_early_gpt_oss(const reader *r, clg_serve_plan *p) {
    bool h200 = p->gpu && strcmp(p->gpu, "h200-sxm") == 0 && strcmp(p->engine, "trtllm") == 0;
    if (!p->model || strncmp(p->model, "gpt-oss", 7) != 0 || !h200) return;
    if (!*clg_cell_word(r, "backend_version") && !own_sweep(r) && p->part.dp == 1 &&
        p->part.ep == 1)
        p->part.ep = p->part.tp;
}

/* Llama 3 70B on TensorRT-LLM, its scripts of 2025 (70b_fp4_b200_trt_slurm.sh, the same for fp8):
 * for 1,024 tokens in and out on fewer than 8 GPUs, batch_wait_max_tokens_ratio 0.9 and
 * batch_wait_timeout_iters 20. Of what is not in the scripts: max_num_tokens comes from outside
 * and is taken as in the others. */
static void read_waiting(const reader *r, clg_serve_plan *p) {
    bool script = strcmp(p->engine, "trtllm") == 0 && p->model &&
                  strcmp(p->model, "llama-3.1-70b") == 0 && !*clg_cell_word(r, "backend_version");
    if (!script || p->max_tokens <= 0) return;
    if (p->prompt_tokens != 1024 || p->output_tokens != 1024 || p->part.tp >= 8) return;
    p->wait_iterations = 20;
    p->wait_tokens = (int64_t)(0.9 * p->max_tokens);
}

/* gpt-oss on vLLM on H100: InferenceX configures up to 64 clients (nvidia-master.yaml), its script
 * sets the server for as many sequences and ten requests each. In runs said to be of 512 clients
 * each waits for four answers of others before its own: the server took a tenth of the requests. */
static bool server_limited(const clg_serve_plan *p) {
    bool script = p->model && strncmp(p->model, "gpt-oss", 7) == 0 && p->gpu &&
                  strcmp(p->gpu, "h100-sxm") == 0 && strcmp(p->engine, "vllm") == 0;
    return script && p->clients > 64;
}

/* Degrees and limits of the one public recipe that fits, which are right where they differ from the
 * row's: exports of 2025 had placeholders for what the scripts said. */
static const char *take_recipe(reader *r, const clg_recipe *c) {
    clg_serve_plan *p = &r->into->plan;
    clg_error error = {0};
    if (c->drafted > 0 && clg_recipe_gained(r->arena, c->drafted, &p->gained, &error) != CLG_OK)
        return "disaggregated, and what speculation gives is not known";
    p->drafted = c->drafted;
    p->memory_share = c->memory_share;
    p->graph_most = c->graph_most;
    p->prefill = c->prefill;
    p->part = c->part;
    p->prefill_tokens = c->prefill_tokens * c->prefill.dp;
    p->decode_sequences = c->batch * c->part.dp;
    r->into->recipe = c->line;
    r->into->date = clg_cell_word(r, "measured_at");
    return NULL;
}

/* Disaggregated rows: with the public recipes of InferenceX, data/recipe. */
static const char *read_split(reader *r) {
    clg_serve_plan *p = &r->into->plan;
    bool given =
        *clg_cell_word(r, "prefill_num_workers") && *clg_cell_word(r, "decode_num_workers");
    clg_recipe found;
    clg_error error = {0};
    int count = 0;
    p->prefill = part_of(r, "prefill_");
    clg_recipe_row row = {
        p->model,         p->gpu,           p->engine,  p->weights,
        p->prompt_tokens, p->output_tokens, p->clients, clg_cell_word(r, "measured_at"),
        p->prefill,       p->part};
    if (!given) row.prefill.copies = row.part.copies = 0;
    if (p->model && p->gpu && !own_sweep(r) &&
        clg_recipes_find(r->arena, &row, 1, &found, &count, &error) != CLG_OK)
        return "the recipes that are built in cannot be read";
    if (count == 1) return take_recipe(r, &found);
    if (given) return NULL;
    return count == 0 ? "disaggregated, no copies given, and no public recipe fits"
                      : "disaggregated, no copies given, and more than one public recipe fits";
}

/* Sweeps of aiconfigurator's own write the clients of one of several copies as the batch: 448
 * clients and 14 of Qwen3 32B on pairs of GPUs, 320 and 40 of DeepSeek on eights, 64 GPUs both. */
static const char *read_copies(const reader *r, clg_serve_plan *p) {
    double clients = clg_cell_number(r, "silicon_concurrency", 0);
    double batch = clg_cell_number(r, "batch_size", 0);
    if (!own_sweep(r)) return NULL;
    if (clients <= 0) return "how many clients asked is not given";
    if (batch <= 0 || batch >= clients || p->part.dp > 1) return NULL;
    p->clients = (int64_t)batch;
    p->requests = 10 * p->clients;
    return NULL;
}

/* InferenceX: ten requests per client, lengths even from .8 of the nominal ones up. */
static const char *read_silicon(reader *r) {
    clg_serve_plan *p = &r->into->plan;
    const char *reason =
        read_names(r, clg_cell_word(r, "model_path"), clg_cell_word(r, "system"),
                   clg_cell_word(r, "backend"), clg_cell_word(r, "backend_version"));
    bool split = strcmp(clg_cell_word(r, "mode"), "disagg") == 0;
    clg_cell_measure(r, CLG_MEASURE_TTFT, clg_cell_number(r, "silicon_ttft_ms", 0) / 1e3);
    clg_cell_measure(r, CLG_MEASURE_TPOT, clg_cell_number(r, "silicon_tpot_ms", 0) / 1e3);
    read_formats(p, *clg_cell_word(r, "precision") ? clg_cell_word(r, "precision")
                                                   : clg_cell_word(r, "gemm_quant_mode"));
    read_recipe(r, p);
    p->prompt_tokens = clg_cell_number(r, "isl", 0);
    p->output_tokens = clg_cell_number(r, "osl", 0);
    p->clients =
        (int64_t)clg_cell_number(r, "silicon_concurrency", clg_cell_number(r, "batch_size", 0));
    p->requests =
        (split && p->clients > 64 ? 4 : 10) * p->clients; /* ten; fewer rounds settle too */
    p->shortest = 0.8;
    p->random_tokens = true;
    read_graphs(r, p);
    p->part = part_of(r, split ? "decode_" : "");
    if (!split && !own_sweep(r)) undo_products(r, &p->part);
    read_early_minimax(r, p);
    read_early_gpt_oss(r, p);
    read_waiting(r, p);
    if (!own_sweep(r)) read_glm(p);
    const char *unknown = split ? read_split(r) : read_copies(r, p);
    share_experts(p, &p->part);
    share_experts(p, &p->prefill);
    if (reason || (reason = unknown)) return reason;
    if (!own_sweep(r) && server_limited(p))
        return "more clients than its script configures, which limits the server to how many is "
               "not given";
    if ((reason = clg_check_part(&p->part)) || (split && (reason = clg_check_part(&p->prefill))))
        return reason;
    return clg_check_lengths(p);
}

static bool has_experts(const clg_model *m) {
    for (int k = 0; k < m->kinds; k++)
        if (m->kind[k].mlp.kind == CLG_MLP_MOE) return true;
    return false;
}

static const clg_graph_sizes bench_graphs = {
    13,
    {1, 2, 4, 8, 16, 32, 64, 128, 256, 384, 512, 1024, 2048},
    {1, 1, 2, 4, 8, 16, 32, 64, 128, 128, 128, 512, 1024}};

void clg_measured_bench(clg_arena *arena, clg_serve_plan *p, bool graphs) {
    clg_model model;
    clg_gpu gpu;
    clg_error error = {0};
    if (clg_model_find(arena, p->model, &model, &error) != CLG_OK ||
        clg_gpu_find(arena, p->gpu, &gpu, &error) != CLG_OK)
        return;
    if (p->memory_share <= 0) p->memory_share = 0.95;
    if (graphs) p->graphs = &bench_graphs;
    clg_bench_limits limits =
        clg_trtllm_bench_limits(&model, &gpu, p->part.tp * p->part.dp * p->part.pp, p->weights,
                                p->cache, p->prompt_tokens, p->output_tokens, p->memory_share);
    p->max_sequences = limits.sequences * p->part.dp;
    p->max_tokens = limits.tokens * p->part.dp;
}

/* Models of experts on several GPUs: with attention data parallelism. */
static void share_sequences(clg_arena *arena, clg_serve_plan *p) {
    clg_model model;
    clg_error error = {0};
    int tp = p->part.tp;
    if (tp > 1 && clg_model_find(arena, p->model, &model, &error) == CLG_OK && has_experts(&model))
        p->part = (clg_part){1, 1, tp, tp, 1};
}

/* TensorRT-LLM's overview: all requests at once. */
static const char *read_overview(reader *r) {
    clg_serve_plan *p = &r->into->plan;
    const char *reason =
        read_names(r, clg_cell_word(r, "model"), clg_cell_word(r, "gpu"), "trtllm", "1.0");
    clg_cell_measure(r, CLG_MEASURE_RATE, clg_cell_number(r, "total_out_tok_s", 0));
    read_formats(p, clg_cell_word(r, "dtype"));
    p->prompt_tokens = clg_cell_number(r, "isl", 0);
    p->output_tokens = clg_cell_number(r, "osl", 0);
    p->requests = (int64_t)fmin(clg_cell_number(r, "num_requests", 0), 6000);
    p->in_process = true; /* trtllm-bench */
    p->part = (clg_part){clg_cell_degree(r, "tp"), 1, 1, 1, 1};
    if (reason || (reason = clg_check_part(&p->part)) || (reason = clg_check_lengths(p)))
        return reason;
    share_sequences(r->arena, p);
    clg_measured_bench(r->arena, p, true);
    return NULL;
}

/* TensorRT-LLM 0.6: one batch; throughput per GPU but for the L40S. */
static const char *read_static(reader *r) {
    clg_serve_plan *p = &r->into->plan;
    const char *unit = clg_cell_word(r, "gpu_and_unit");
    const char *reason = read_names(r, clg_cell_word(r, "model"), unit, "trtllm", "");
    p->part = (clg_part){clg_cell_degree(r, "tp"), 1, 1, 1, 1};
    clg_cell_measure(r, CLG_MEASURE_TTFT, clg_cell_number(r, "first_token_ms", 0) / 1e3);
    clg_cell_measure(r, CLG_MEASURE_RATE, clg_cell_number(r, "throughput", 0) * p->part.tp);
    read_formats(p, unit);
    p->prompt_tokens = clg_cell_number(r, "input_len", 0);
    p->output_tokens = clg_cell_number(r, "output_len", 0);
    p->requests = (int64_t)clg_cell_number(r, "batch", 0);
    p->engine = "trtllm-0.6";
    p->fits = true;
    p->in_process = true; /* gptManagerBenchmark */
    p->max_sequences = (int)fmin((double)p->requests, 65536);
    if (reason || (reason = clg_check_part(&p->part))) return reason;
    return clg_check_lengths(p);
}

static const char *read_batch(reader *r, const char *batch, const char *prompt,
                              const char *output) {
    clg_serve_plan *p = &r->into->plan;
    p->prompt_tokens = clg_cell_number(r, prompt, 0);
    p->output_tokens = clg_cell_number(r, output, 0);
    p->requests = (int64_t)clg_cell_number(r, batch, 0);
    p->whole_batch = true;
    p->max_sequences = (int)fmin(fmax((double)p->requests, 0), 65536);
    const char *reason = clg_check_part(&p->part);
    return reason ? reason : clg_check_lengths(p);
}

/* NeMo's page: two GPUs in a row. */
static const char *read_nemo(reader *r) {
    bool second = r->part == 1;
    const char *reason =
        read_names(r, clg_cell_word(r, "model"), second ? "h100" : "a100", "trtllm", "");
    const char *column = second ? "latency_ms_h100_80gb" : "latency_ms_a100_80gb_sxm4";
    clg_cell_measure(r, CLG_MEASURE_ANSWER, clg_cell_number(r, column, 0) / 1e3);
    r->into->plan.part = (clg_part){clg_cell_degree(r, "tp"), 1, 1, 1, 1};
    return reason ? reason : read_batch(r, "batch", "input_len", "output_len");
}

/* SageServe's profiles: prompt_time, the decoding of all tokens after it, and both. Of a batch
 * prompt_time does not grow with the number of prompts: it is that of the first one, and what
 * follows has the prompts of the others in it, so the whole alone can be compared. */
static const char *read_profiled(reader *r) {
    const char *reason =
        read_names(r, clg_cell_word(r, "model"), clg_cell_word(r, "hardware"), "vllm", "");
    r->into->plan.engine = "vllm-v0"; /* profiles of 2024 */
    double tokens = clg_cell_number(r, "token_size", 0),
           batch = clg_cell_number(r, "batch_size", 0);
    if (batch <= 1) clg_cell_measure(r, CLG_MEASURE_TTFT, clg_cell_number(r, "prompt_time", 0));
    if (batch <= 1 && tokens > 1)
        clg_cell_measure(r, CLG_MEASURE_TPOT, clg_cell_number(r, "token_time", 0) / tokens);
    clg_cell_measure(r, CLG_MEASURE_ANSWER, clg_cell_number(r, "e2e_time", 0));
    r->into->plan.part = (clg_part){clg_cell_degree(r, "tensor_parallel"), 1, 1, 1, 1};
    return reason ? reason : read_batch(r, "batch_size", "prompt_size", "token_size");
}

/* Answers that end by themselves: of those as long as they may be and shorter ones alike, so that
 * their mean is what was made; a run lasts as long as the longest. Prompts stay as they are. */
static void end_early(clg_serve_plan *p, double mean, double most) {
    if (most <= mean || mean <= most / 2) return;
    p->shortest = 2 * mean / most - 1;
    p->output_tokens = most;
    p->prompt_tokens = 2 * p->prompt_tokens / (1 + p->shortest);
}

/* Sweeps over clients. */
static const char *read_sweep(reader *r) {
    clg_serve_plan *p = &r->into->plan;
    const char *reason = read_names(r, clg_cell_word(r, "model"), clg_cell_word(r, "gpu"),
                                    clg_cell_word(r, "engine"), "");
    p->clients =
        (int64_t)clg_cell_number(r, "concurrency", clg_cell_number(r, "concurrent_requests", 0));
    double requests = clg_cell_number(r, "n_requests", fmax(10.0 * (double)p->clients, 100));
    double made = clg_cell_number(r, "total_out_tokens", 0),
           output = clg_cell_number(r, "output_len", 0);
    p->medians = true;
    clg_cell_measure(r, CLG_MEASURE_TTFT, clg_cell_number(r, "ttft_p50_ms", 0) / 1e3);
    clg_cell_measure(r, CLG_MEASURE_TPOT, clg_cell_number(r, "tpot_p50_ms", 0) / 1e3);
    clg_cell_measure(r, CLG_MEASURE_RATE, clg_cell_number(r, "out_tok_s", 0));
    p->prompt_tokens = clg_cell_number(r, "input_len", 0);
    p->output_tokens = made > 0 && requests > 0 ? made / requests : output;
    end_early(p, p->output_tokens, clg_cell_number(r, "output_len_max", 0));
    p->requests = (int64_t)requests;
    p->part = (clg_part){clg_cell_degree(r, "n_gpus"), 1, 1, 1, 1};
    if (reason || (reason = clg_check_part(&p->part))) return reason;
    return clg_check_lengths(p);
}

/* The number after a flag of a command line, "-tp 2" and "-tp=2"; `otherwise` when it is not there.
 */
static double flag_of(const char *line, const char *flag, double otherwise) {
    size_t n = strlen(flag);
    for (const char *at = strstr(line, flag); at; at = strstr(at + 1, flag)) {
        bool whole = (at == line || at[-1] == ' ') && (at[n] == ' ' || at[n] == '=');
        double value = whole ? strtod(at + n + 1, NULL) : 0;
        if (value > 0 && value <= 1 << 20) return value;
    }
    return otherwise;
}

/* The same of flags that engines call differently; 0: none is there. */
static double any_flag_of(const char *line, const char *const *flags) {
    double value = 0;
    for (; *flags; flags++) value = flag_of(line, *flags, value);
    return value;
}

/* SGLang: "--enable-dp-attention" and how many ranks; without a number versions differ. */
static int sharing_ranks(const char *line) {
    if (!strstr(line, "dp-attention")) return 1;
    return (int)flag_of(line, "--dp-size", flag_of(line, "--dp", 0));
}

static const char *unknown_flag(const char *line) {
    static const char *const flags[] = {"speculative",   "mtp",
                                        "eagle",         "lmcache",
                                        "hicache",       "--quantization",
                                        "AWQ",           "GPTQ",
                                        "Int4",          "W4A16",
                                        "W8A8",          "offload",
                                        "enforce-eager", "disable-cuda-graph",
                                        "two-batch"};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (strstr(line, flags[i])) return flags[i];
    return sharing_ranks(line) < 1 ? "dp-attention without ranks" : NULL;
}

/* Degrees and limits that the command sets; "-tp" is vLLM's, "--tp" SGLang's, "--tp_size"
 * TensorRT-LLM's. */
static void read_flags(clg_serve_plan *p, const char *line) {
    static const char *const tp[] = {
        "-tp", "--tensor-parallel-size", "--tp", "--tp_size", "--tp-size", NULL};
    static const char *const pp[] = {"-pp", "--pipeline-parallel-size", "--pp_size", "--pp-size",
                                     NULL};
    static const char *const sequences[] = {"--max-num-seqs", "--max-running-requests",
                                            "--max_batch_size", NULL};
    static const char *const tokens[] = {"--max-num-batched-tokens", "--chunked-prefill-size",
                                         "--max_num_tokens", NULL};
    static const char *const share[] = {"--gpu-memory-utilization", "--mem-fraction-static",
                                        "--kv_cache_free_gpu_memory_fraction", NULL};
    double group = any_flag_of(line, tp), stages = any_flag_of(line, pp);
    p->part = (clg_part){group > 0 ? (int)group : 1, stages > 0 ? (int)stages : 1, 1, 1, 1};
    bool sent = strstr(line, "--moe-a2a-backend") != NULL; /* DeepEP: a group of each rank */
    if (strstr(line, "--enable-expert-parallel") || sent) p->part.ep = p->part.tp;
    p->part.ep = (int)flag_of(line, "--ep-size", flag_of(line, "--ep_size", p->part.ep));
    int ranks = sharing_ranks(line); /* of the tensor-parallel ones */
    if (ranks > 1 && p->part.tp % ranks == 0) p->part.dp = ranks, p->part.tp /= ranks;
    p->max_sequences = (int)any_flag_of(line, sequences);
    p->max_tokens = (int)any_flag_of(line, tokens);
    p->memory_share = any_flag_of(line, share);
    if (p->memory_share >= 1) p->memory_share = 0;
}

/* Whether a row of another GPU or model before this one has the same figures: a page that was
 * copied. */
static bool figures_copied(const reader *r) {
    static const char *const figures[] = {"dur_s", "ttft_mean", "ttft_p99", "tpot_mean"};
    for (reader other = {r->arena, r->table, 0, 0, NULL}; other.row < r->row; other.row++) {
        bool same = true;
        for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
            same = same && *clg_cell_word(r, figures[i]) &&
                   strcmp(clg_cell_word(r, figures[i]), clg_cell_word(&other, figures[i])) == 0;
        if (same && (strcmp(clg_cell_word(r, "gpu_doc"), clg_cell_word(&other, "gpu_doc")) != 0 ||
                     strcmp(clg_cell_word(r, "model"), clg_cell_word(&other, "model")) != 0))
            return true;
    }
    return false;
}

/* Chats of ShareGPT vary in length; random prompts are all alike, and slow to tokenize. */
static bool is_whole(double mean) { return fabs(mean - round(mean)) < 1e-6; }

static void read_load(const reader *r, clg_serve_plan *p) {
    double requests = clg_cell_number(r, "n_req", 0);
    const char *label = clg_cell_word(r, "nearest_label");
    p->requests = (int64_t)requests;
    p->prompt_tokens = clg_cell_number(r, "tot_in", 0) / fmax(requests, 1);
    p->output_tokens = clg_cell_number(r, "tot_out", 0) / fmax(requests, 1);
    p->clients = (int64_t)clg_cell_number(r, "max_conc", 0);
    bool whole = is_whole(p->prompt_tokens) || is_whole(p->output_tokens); /* chats never are */
    p->random_tokens = whole || strstr(label, "random") != NULL;
    p->spread = p->random_tokens ? 0 : 1;
}

/* A page of one model, or of several that are told apart by the command: the word with a slash. */
static const char *model_of(const reader *r, const char *line) {
    const char *page = clg_cell_word(r, "model"), *slash = strchr(line, '/');
    if (!slash || model_in(r->arena, page)) return page;
    const char *begin = slash;
    while (begin > line && begin[-1] != ' ') begin--;
    return clg_arena_copy(r->arena, begin, strcspn(begin, " "));
}

/* Whether a model is published in 8 bit. */
static bool released_narrow(const reader *r, const char *name) {
    clg_model model;
    clg_error error = {0};
    return name && clg_model_find(r->arena, name, &model, &error) == CLG_OK &&
           model.stored == CLG_FP8;
}

/* GPUStack's lab: degrees and limits are in the command that started the engine, limits that were
 * tried one after the other in the label beside the figures. */
static const char *read_command(reader *r) {
    clg_serve_plan *p = &r->into->plan;
    const char *label = clg_cell_word(r, "nearest_label"),
               *command = clg_cell_word(r, "serving_command");
    const char *line =
        strncmp(label, "--", 2) == 0 ? clg_arena_print(r->arena, "%s %s", label, command) : command;
    const char *odd = unknown_flag(line);
    const char *reason = read_names(r, model_of(r, line), clg_cell_word(r, "gpu_doc"), line, "");
    p->medians = clg_cell_number(r, "ttft_mean", 0) <= 0;
    clg_cell_measure(r, CLG_MEASURE_TTFT,
                     clg_cell_number(r, p->medians ? "ttft_p50" : "ttft_mean", 0) / 1e3);
    clg_cell_measure(r, CLG_MEASURE_TPOT,
                     clg_cell_number(r, p->medians ? "tpot_p50" : "tpot_mean", 0) / 1e3);
    clg_cell_measure(r, CLG_MEASURE_RATE, clg_cell_number(r, "out_tok_s", 0));
    p->weights = strstr(p->model ? p->model : "", "gpt-oss") ? CLG_MXFP4
                 : strstr(line, "FP8") || released_narrow(r, p->model) ? CLG_FP8
                                                                       : CLG_BF16;
    p->cache = strstr(line, "kv-cache-dtype") && strstr(line, "fp8_e4m3") ? CLG_FP8 : CLG_BF16;
    read_flags(p, line);
    read_load(r, p);
    if (reason) return reason;
    if (strstr(label, "Backend Parameters") && !strstr(label, "Optimized"))
        return "the command beside it is the page's last one, not its own";
    if (!*line) return "the command that started the engine is not given";
    if (odd) return clg_arena_print(r->arena, "'%s' of the engine is not modelled", odd);
    if (figures_copied(r)) return "the same figures stand on another GPU's page";
    if ((reason = clg_check_part(&p->part))) return reason;
    return clg_check_lengths(p);
}

/* The same run: a table lists requests one after the other. */
static bool same_run(const reader *r, int row) {
    reader other = *r;
    other.row = row;
    return strcmp(clg_cell_word(&other, "hardware"), clg_cell_word(r, "hardware")) == 0 &&
           strcmp(clg_cell_word(&other, "model"), clg_cell_word(r, "model")) == 0;
}

/* A run of single requests: when each was put in, began, and ended. Its means are scored. */
static const char *sum_requests(reader *r, clg_arrival *request) {
    double first = 0, each = 0, whole = 0;
    int64_t decoded = 0, count = r->into->plan.requests;
    for (int64_t i = 0; i < count; i++) {
        reader one = *r;
        one.row = r->row + (int)i;
        double put = clg_cell_number(&one, "queued_s", -1),
               begun = clg_cell_number(&one, "first_token_s", -1);
        double ended = clg_cell_number(&one, "last_token_s", -1),
               tokens = clg_cell_number(&one, "output_toks", 0);
        double prompt = clg_cell_number(&one, "input_toks", 0);
        if (put < 0 || begun < put || ended < begun || !(tokens >= 1 && tokens < 1e6) ||
            !(prompt >= 1 && prompt < 1e6))
            return "a request of the run has no lengths, or times that do not rise";
        if (i > 0 && put < request[i - 1].arrival_s) return "requests of the run are not in order";
        request[i] = (clg_arrival){
            .arrival_s = put, .prompt_tokens = (int32_t)prompt, .output_tokens = (int32_t)tokens};
        first += begun - put;
        whole += ended - put;
        if (tokens > 1) each += (ended - begun) / (tokens - 1), decoded++;
    }
    clg_cell_measure(r, CLG_MEASURE_TTFT, first / (double)count);
    clg_cell_measure(r, CLG_MEASURE_ANSWER, whole / (double)count);
    if (decoded > 0) clg_cell_measure(r, CLG_MEASURE_TPOT, each / (double)decoded);
    return NULL;
}

/* LLMServingSim's bench runs: 128 sequences and 2,048 tokens an iteration, Qwen3 32B on two GPUs
 * (meta.json beside the requests, github casys-kaist/LLMServingSim@5daddb21). */
static const char *read_requests(reader *r) {
    clg_serve_plan *p = &r->into->plan;
    const char *reason =
        read_names(r, clg_cell_word(r, "model"), clg_cell_word(r, "hardware"), "vllm", "");
    if (r->row > 0 && same_run(r, r->row - 1)) return ""; /* of the run above */
    p->requests = 1;
    while (r->row + (int)p->requests < r->table->rows && same_run(r, r->row + (int)p->requests))
        p->requests++;
    clg_arrival *request = clg_take(r->arena, (size_t)p->requests, clg_arrival);
    p->request = request;
    p->max_sequences = 128;
    p->max_tokens = 2048;
    p->in_process = true;
    p->part.tp = p->model && strcmp(p->model, "qwen3-32b") == 0 ? 2 : 1;
    return reason ? reason : sum_requests(r, request);
}

/* The workload whose name is the longest beginning of the benchmark's. */
static const char *workload_in(clg_arena *arena, const char *words) {
    const char *const *names = clg_workload_names(arena), *best = NULL;
    char squeezed[128], known[64];
    size_t most = 0;
    squeeze(clg_arena_print(arena, "mlperf%.100s", words), squeezed, sizeof squeezed);
    for (; *names; names++) {
        squeeze(*names, known, sizeof known);
        size_t n = strlen(known);
        if (n > most && strncmp(squeezed, known, n) == 0) {
            most = n;
            best = *names;
        }
    }
    return best;
}

/* Submitters' harness: NVIDIA's (_TRT) builds engines in rounds of 2024; others run vLLM. */
static const char *mlperf_engine(reader *r, const char *system) {
    bool built = strncmp(clg_cell_word(r, "round"), "v4", 2) == 0;
    bool own = strstr(system, "LLM") || strstr(clg_cell_word(r, "accelerator"), "AMD") ||
               strstr(clg_cell_word(r, "submitter"), "RedHat");
    if (own) return "vllm";
    return built ? "trtllm-0.17" : "trtllm";
}

/* MLPerf Inference: layout and format are what a search finds best, or what NVIDIA's submission
 * sets on that GPU. */
static const char *read_mlperf(reader *r) {
    clg_serve_plan *p = &r->into->plan;
    const char *system = clg_cell_word(r, "system"), *scenario = clg_cell_word(r, "scenario");
    bool offline = strcmp(scenario, "Offline") == 0, chat = strcmp(scenario, "Interactive") == 0;
    clg_workload workload;
    clg_error error = {0};
    clg_cell_measure(r, CLG_MEASURE_RATE,
                     clg_cell_number(r, offline ? "tokens_per_s" : "completed_tokens_per_s", 0));
    p->workload = workload_in(r->arena, clg_cell_word(r, "model"));
    if (p->workload && chat && !strstr(p->workload, "interactive"))
        p->workload = clg_arena_print(r->arena, "%s-interactive", p->workload);
    p->gpu = gpu_in(clg_cell_word(r, "accelerator"));
    p->engine = mlperf_engine(r, system);
    p->timed = !offline;
    p->box_gpus = clg_cell_degree(r, "accelerators_per_node");
    p->boxes = clg_cell_degree(r, "nodes");
    p->requests = 1;
    if (!p->workload || clg_workload_find(r->arena, p->workload, &workload, &error) != CLG_OK)
        return clg_arena_print(r->arena, "workload '%.60s' is not built in",
                               clg_cell_word(r, "model"));
    p->model = workload.model;
    if (!p->gpu)
        return clg_arena_print(r->arena, "GPU '%.60s' is not built in",
                               clg_cell_word(r, "accelerator"));
    if (strcmp(clg_cell_word(r, "category"), "open") == 0)
        return "the open division may change the model";
    if (strstr(system, "MaxQ")) return "run below the GPU's power limit, by how much is not given";
    if (p->box_gpus < 1 || p->boxes < 1) return "a number of GPUs is absurd";
    return NULL;
}

/* Points of InferenceX's pages: GPUs of a copy, engine and degrees are not beside them. */
static const char *read_chart(reader *r) {
    const char *reason = read_names(r, clg_cell_word(r, "model"), clg_cell_word(r, "gpu"), "", "");
    clg_cell_measure(r, CLG_MEASURE_RATE, clg_cell_number(r, "tok_s_per_gpu", 0));
    return reason ? reason : "a point of a chart: engine, degrees and GPUs are not given";
}

/* InferSim's page: tokens/s of a GPU that prefills and of one that decodes. */
static const char *read_pools(reader *r) {
    const char *reason = read_names(r, clg_cell_word(r, "model"), clg_cell_word(r, "gpu"), "", "");
    clg_cell_measure(r, CLG_MEASURE_RATE, clg_cell_number(r, "decode_tgs_actual", 0));
    return reason ? reason : "rates of pools: lengths, batch and degrees are not given";
}

typedef struct form {
    const char *column[2]; /* that only this form has */
    const char *(*read)(clg_cell_reader *r);
    int parts;         /* predictions per line */
    const char *aside; /* no measurement: what the lines are */
} form;

static const form forms[] = {
    {{"prompt_tokens", "output_tokens_per_s"}, clg_measured_plain, 1, NULL},
    {{"silicon_tpot_ms", "model_path"}, read_silicon, 1, NULL},
    {{"total_out_tok_s", "num_requests"}, read_overview, 1, NULL},
    {{"gpu_and_unit", "throughput"}, read_static, 1, NULL},
    {{"latency_ms_h100_80gb", "batch"}, read_nemo, 2, NULL},
    {{"prompt_time", "token_time"}, read_profiled, 1, NULL},
    {{"serving_command", "ttft_p50"}, read_command, 1, NULL},
    {{"queued_s", "first_token_s"}, read_requests, 1, NULL},
    {{"accelerators_per_node", "scenario"}, read_mlperf, 1, NULL},
    {{"concurrency", "ttft_p50_ms"}, read_sweep, 1, NULL},
    {{"concurrent_requests", "ttft_p50_ms"}, read_sweep, 1, NULL},
    {{"interactivity_tok_s_user", "tok_s_per_gpu"}, read_chart, 1, NULL},
    {{"prefill_tgs_actual", "decode_tgs_actual"}, read_pools, 1, NULL},
    {{"arrival", "input_toks"}, NULL, 1, "arrivals of a trace, for ceiling demand --trace"},
    {{"gen_throughput", "kv_cache_pct"}, NULL, 1, "an engine's log, second by second"},
    {{"metric", "vllm_ms"}, NULL, 1, "statistics over requests that stand in another table"},
    {{"engine_kwargs", "dataset"}, NULL, 1, "how the runs of another table were started"}};

static bool has_column(const clg_csv *table, const char *name) {
    for (int i = 0; i < table->columns; i++)
        if (strcmp(table->column[i], name) == 0) return true;
    return false;
}

static const form *form_of(const clg_csv *table) {
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (has_column(table, forms[i].column[0]) && has_column(table, forms[i].column[1]))
            return &forms[i];
    return NULL;
}

bool clg_measured_recognised(const clg_csv *table) { return form_of(table) != NULL; }

static const char *group_of(clg_arena *arena, const clg_serve_plan *p) {
    if (p->workload)
        return clg_arena_print(arena, "%s %s %s %s", p->workload, p->gpu ? p->gpu : "?", p->engine,
                               p->timed ? "server" : "offline");
    return clg_arena_print(arena, "%s %s %s %s%s", p->model ? p->model : "?", p->gpu ? p->gpu : "?",
                           p->engine, clg_name_of(clg_precision_names, (int)p->weights),
                           p->prefill.copies > 0 ? " disaggregated" : "");
}

/* The name of the file alone. */
static const char *source_of(clg_arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path, *dot = strstr(name, ".csv");
    return clg_arena_copy(arena, name, dot ? (size_t)(dot - name) : strlen(name));
}

const char *clg_measured_read(clg_arena *arena, const clg_csv *table, int row, int part,
                              clg_measured *into, bool *more) {
    const form *f = form_of(table);
    reader r = {arena, table, row, part, into};
    *into = (clg_measured){.source = source_of(arena, table->name)};
    into->plan.shortest = 1;
    into->plan.weights = into->plan.cache = CLG_BF16;
    into->plan.part = (clg_part){1, 1, 1, 1, 1};
    for (int i = 0; i < CLG_MEASURES; i++)
        into->measured[i] = into->predicted[i] = into->low[i] = into->high[i] = into->roofline[i] =
            into->constant[i] = (double)NAN;
    into->rho = (double)NAN;
    *more = f && part + 1 < f->parts;
    const char *id = clg_cell_word(&r, "id");
    into->id = *id ? id : clg_arena_print(arena, "%s:%d", into->source, table->row[row].line);
    into->plan.engine = "vllm";
    into->aside = f && f->aside;
    const char *reason = !f ? "no known form of serving table" : f->aside ? f->aside : f->read(&r);
    into->group = group_of(arena, &into->plan);
    bool any = false;
    for (int i = 0; i < CLG_MEASURES; i++) any = any || isfinite(into->measured[i]);
    return reason ? reason : any ? NULL : "nothing is measured";
}
