/* launch_engine.c -- see the header. Flags are those of vLLM 0.11 and later, SGLang 0.5 and later,
 * TensorRT-LLM 1.0 and later; where each was read stands in data/trainer. No written file was
 * started on hardware. Left out: ports, names, chat templates, images. */
#include "job/launch_engine.h"

#include <math.h>

enum { VLLM, SGLANG, TRTLLM };

const clg_name clg_engine_command_names[] = {{"vllm", VLLM, "vLLM: vllm serve"},
                                             {"sglang", SGLANG, "SGLang: sglang.launch_server"},
                                             {"trtllm", TRTLLM, "TensorRT-LLM: trtllm-serve"},
                                             {NULL, 0, NULL}};

typedef enum part { BOTH, PROMPTS, ANSWERS } part;

typedef struct engine_job {
    const clg_replica *replica;
    const clg_replica_choice *choice;
    const char *model;
    int64_t context; /* of the longest request, rounded up */
} engine_job;

/* A flag and its value, on a line of its own. */
static void flag(clg_text *t, const char *name, double value) {
    clg_text_print(t, " \\\n    %s %.10g", name, value);
}

static void word(clg_text *t, const char *name, bool when) {
    if (when) clg_text_print(t, " \\\n    %s", name);
}

static int ranks_of(const engine_job *j) { return j->replica->layout.dp; }

static int stage_gpus(const engine_job *j) { return j->replica->layout.tp * ranks_of(j); }

/* Only where the checkpoint is wider: 8-bit weights can be made as it is loaded. */
static bool narrows_to_fp8(const engine_job *j) {
    return j->replica->layout.weights == CLG_FP8 && j->replica->scenario->model.stored != CLG_FP8;
}

/* Models that choose keys by an indexer have an 8-bit cache unless told not to (vLLM
 * config/cache.py; SGLang server_args.py, on Blackwell). */
static bool asks_wide_cache(const engine_job *j) {
    const clg_model *m = &j->replica->scenario->model;
    return j->replica->layout.cache != CLG_FP8 && m->kind[m->kinds - 1].attention.indexer.heads > 0;
}

/* Ranks that room is made for: the least of them that holds the adapters'. */
static int rank_room(const engine_job *j) {
    static const int ranks[] = {8, 16, 32, 64, 128, 256, 320, 512};
    int i = 0, last = (int)(sizeof ranks / sizeof ranks[0]) - 1;
    while (i < last && ranks[i] < j->choice->adapter.rank) i++;
    return ranks[i];
}

/* ---- vLLM: degrees and limits are of a rank */

static void vllm(clg_text *t, const engine_job *j, part which) {
    const clg_serving_layout *l = &j->replica->layout;
    const clg_replica_choice *c = j->choice;
    clg_text_print(t, "vllm serve %s", j->model);
    flag(t, "--tensor-parallel-size", l->tp);
    if (l->pp > 1) flag(t, "--pipeline-parallel-size", l->pp);
    if (l->dp > 1) flag(t, "--data-parallel-size", l->dp);
    if (c->front_ends > 0) flag(t, "--api-server-count", c->front_ends);
    word(t, "--enable-expert-parallel", l->ep > 1);
    flag(t, "--max-num-seqs", j->replica->rules.max_sequences / l->dp);
    flag(t, "--max-num-batched-tokens", j->replica->rules.max_tokens / l->dp);
    flag(t, "--max-model-len", (double)j->context);
    if (c->memory_share > 0) flag(t, "--gpu-memory-utilization", c->memory_share);
    if (c->blocks > 0) flag(t, "--num-gpu-blocks-override", (double)(c->blocks / l->dp));
    word(t, "--enable-lora", c->adapters > 0);
    if (c->adapters > 0) flag(t, "--max-loras", c->adapters);
    if (c->adapters > 0) flag(t, "--max-lora-rank", rank_room(j));
    word(t, "--quantization fp8", narrows_to_fp8(j));
    word(t, "--kv-cache-dtype fp8", l->cache == CLG_FP8);
    word(t, "--kv-cache-dtype bfloat16", asks_wide_cache(j));
    word(t, "--no-enable-prefix-caching", c->no_prefix_cache);
    if (c->host_bytes > 0) /* GiB of all GPUs of a rank */
        flag(t, "--kv-offloading-size", floor(c->host_bytes * l->tp * l->pp / 0x1p30));
    word(t, "--kv-offloading-backend native", c->host_bytes > 0);
    word(t, "--kv-transfer-config '{\"kv_connector\":\"NixlConnector\",\"kv_role\":\"kv_both\"}'",
         which != BOTH);
    clg_text_print(t, "\n");
}

/* ---- SGLang: degrees and limits are of all ranks */

static void sglang(clg_text *t, const engine_job *j, part which) {
    const clg_serving_layout *l = &j->replica->layout;
    const clg_replica_choice *c = j->choice;
    clg_text_print(t, "python -m sglang.launch_server --model-path %s", j->model);
    flag(t, "--tp-size", stage_gpus(j));
    if (l->pp > 1) flag(t, "--pp-size", l->pp);
    if (l->dp > 1) flag(t, "--dp-size", l->dp);
    word(t, "--enable-dp-attention", l->dp > 1);
    if (l->ep > 1) flag(t, "--ep-size", l->ep);
    flag(t, "--max-running-requests", j->replica->rules.max_sequences);
    const clg_serve_rules *rules =
        &j->replica->rules; /* another engine's have one limit for both */
    flag(t, "--chunked-prefill-size",
         rules->prompt_tokens > 0 ? rules->prompt_tokens : rules->max_tokens);
    flag(t, "--context-length", (double)j->context);
    if (c->memory_share > 0) flag(t, "--mem-fraction-static", c->memory_share);
    word(t, "--enable-lora", c->adapters > 0);
    if (c->adapters > 0) flag(t, "--max-loras-per-batch", c->adapters);
    if (c->adapters > 0) flag(t, "--max-lora-rank", c->adapter.rank);
    word(t, "--lora-target-modules all", c->adapters > 0);
    word(t, "--quantization fp8", narrows_to_fp8(j));
    word(t, "--kv-cache-dtype fp8_e4m3", l->cache == CLG_FP8);
    word(t, "--kv-cache-dtype bf16", asks_wide_cache(j));
    word(t, "--disable-radix-cache", c->no_prefix_cache);
    bool hosts = c->host_bytes > 0 && which != ANSWERS; /* they keep no prompts: server_args.py */
    word(t, "--enable-hierarchical-cache", hosts);
    if (hosts) flag(t, "--hicache-size", floor(c->host_bytes / 1e9)); /* GB of a GPU */
    word(t, "--disaggregation-mode prefill", which == PROMPTS);
    word(t, "--disaggregation-mode decode", which == ANSWERS);
    clg_text_print(t, "\n");
}

/* ---- TensorRT-LLM: degrees are of all ranks, limits of one; the rest is a file, whose part on the
 * cache some versions take in place of the flags' (llm_utils.py: update_llm_args_with_extra_dict)
 */

/* A prompt of more tokens is an error where prompts are not cut (llm.py: _check_arguments). */
static bool outgrows_iteration(const engine_job *j) {
    return j->replica->longest_tokens > j->replica->rules.max_tokens / ranks_of(j);
}

static void trtllm(clg_text *t, const engine_job *j, part which) {
    const clg_serving_layout *l = &j->replica->layout;
    (void)which;
    clg_text_print(t, "trtllm-serve %s", j->model);
    flag(t, "--tp_size", stage_gpus(j));
    if (l->pp > 1) flag(t, "--pp_size", l->pp);
    if (l->ep > 1) flag(t, "--ep_size", l->ep);
    flag(t, "--max_batch_size", j->replica->rules.max_sequences / l->dp);
    flag(t, "--max_num_tokens", j->replica->rules.max_tokens / l->dp);
    flag(t, "--max_seq_len", (double)j->context);
    word(t, "--extra_llm_api_options engine.yaml", true); /* 1.0 knows no --config */
    clg_text_print(t, "\n");
}

static void trtllm_file(clg_text *t, const engine_job *j) {
    clg_text_print(t,
                   "enable_attention_dp: %s\nkv_cache_config:\n  dtype: %s\n"
                   "  enable_block_reuse: %s\n",
                   ranks_of(j) > 1 ? "true" : "false",
                   j->replica->layout.cache == CLG_FP8 ? "fp8" : "auto",
                   j->choice->no_prefix_cache ? "false" : "true");
    if (j->choice->memory_share > 0)
        clg_text_print(t, "  free_gpu_memory_fraction: %.9g\n", j->choice->memory_share);
    if (j->choice->host_bytes > 0) /* of a GPU */
        clg_text_print(t, "  host_cache_size: %.0f\n", j->choice->host_bytes);
    if (outgrows_iteration(j)) clg_text_print(t, "enable_chunked_prefill: true\n");
}

/* ---- */

static void (*const writers[])(clg_text *, const engine_job *, part) = {vllm, sglang, trtllm};

static void add_script(clg_launch *launch, int engine, const engine_job *j, const char *name,
                       part which, int64_t copies) {
    clg_text *t = clg_launch_file(launch, name);
    int gpus = clg_replica_part_gpus(j->replica);
    clg_text_print(t, "#!/bin/bash\n# %lld of these, on %d GPU%s each\n", (long long)copies, gpus,
                   gpus == 1 ? "" : "s");
    writers[engine](t, j, which);
}

static void refuse(clg_launch *launch, int engine, const clg_replica *r,
                   const clg_replica_choice *c) {
    const clg_serving_layout *l = &r->layout;
    clg_launch_refuse(launch, engine == VLLM && l->ep > 1 && l->ep != l->tp * l->dp,
                      "vLLM shares experts out over all GPUs of a stage or none: --ep is tp x dp");
    clg_launch_refuse(launch, engine == TRTLLM && r->prefill,
                      "its disaggregated servers are described in a file of their own");
    clg_launch_refuse(launch, engine != VLLM && c->front_ends > 0,
                      "--api-servers is a flag of vLLM");
    clg_launch_refuse(launch, engine == TRTLLM && l->dp > 1 && l->tp > 1,
                      "its ranks of attention have a GPU each: --tp 1");
    clg_launch_refuse(launch, engine == TRTLLM && c->adapters > 0, "adapters are not written");
    clg_launch_refuse(launch, engine == VLLM && r->prefill && c->host_bytes > 0,
                      "its host cache takes the place of what sends caches between pools");
    clg_launch_refuse(launch, engine != VLLM && c->blocks > 0, "--blocks is not written");
}

/* Of the host's memory for prompts, against what GPUs hold themselves. */
static bool less_than_a_gpu(const clg_replica *r) {
    const clg_serve_rules *rules = &r->rules;
    return rules->host_tokens > 0 &&
           rules->host_tokens <= (double)rules->blocks * rules->block_tokens;
}

/* Of the longest request, in steps, but no more than the model has. */
static int64_t context_of(const clg_replica *r) {
    int64_t steps = 1024 * (int64_t)ceil((double)r->longest_tokens / 1024);
    int64_t most = r->scenario->model.max_seq;
    return most >= r->longest_tokens && most < steps ? most : steps;
}

static void say(clg_launch *launch, int engine, const clg_replica *r, const clg_replica_choice *c,
                int64_t replicas, const char *hub) {
    const clg_scenario *s = r->scenario;
    bool long_ones = s->model.max_seq > 0 && r->longest_tokens > s->model.max_seq;
    const char *format = clg_name_of(clg_precision_names, (int)r->layout.weights);
    bool made = r->layout.weights == CLG_FP8 && engine != TRTLLM; /* as it is loaded */
    bool other = r->layout.weights != s->model.stored && !made;
    clg_launch_say(launch, !hub, "the model has no address: put its path in");
    clg_launch_say(launch, other,
                   clg_arena_print(launch->arena, "name a checkpoint in %s instead of it", format));
    clg_launch_say(
        launch, long_ones,
        clg_arena_print(launch->arena,
                        "requests are of up to %lld tokens, and the model's "
                        "configuration says %lld: it does not start without a longer one",
                        (long long)r->longest_tokens, (long long)s->model.max_seq));
    clg_launch_say(
        launch, engine == SGLANG && less_than_a_gpu(r),
        "SGLang of 2026-04 does not start with less host cache than a GPU's own; later it warns");
    clg_launch_say(launch, c->drafted > 0,
                   "speculation: add the engine's flags for your draft model");
    clg_launch_say(launch, r->prefill != NULL,
                   "a router that sends prompts to one pool and answers to the other comes before");
    clg_launch_say(launch, c->adapters > 0,
                   "name your adapters: --lora-modules or --lora-paths NAME=PATH ...");
    clg_launch_say(launch, replicas > 1 && !r->prefill,
                   "a balancer that keeps a conversation on its copy comes before them");
    clg_launch_say(launch, clg_replica_part_gpus(r) > s->machine.node.gpus,
                   "a copy spans nodes: add the engine's flags for that");
    clg_launch_say(launch, true,
                   clg_arena_print(launch->arena, "simulated as --engine %s on --gpu %s",
                                   r->engine.name, s->machine.gpu.name));
}

clg_launch clg_launch_engine_of(clg_arena *arena, int engine, const clg_replica *r,
                                const clg_replica_choice *c, int64_t replicas) {
    clg_launch launch = {.arena = arena};
    const char *hub = clg_launch_hub(arena, &r->scenario->model);
    engine_job j = {r, c, hub ? hub : r->scenario->model.name, context_of(r)};
    refuse(&launch, engine, r, c);
    if (r->prefill) {
        engine_job first = j;
        first.replica = r->prefill;
        add_script(&launch, engine, &first, "prefill.sh", PROMPTS, replicas * r->prefills);
        add_script(&launch, engine, &j, "decode.sh", ANSWERS, replicas * r->decodes);
    } else
        add_script(&launch, engine, &j, "serve.sh", BOTH, replicas);
    if (engine == TRTLLM) trtllm_file(clg_launch_file(&launch, "engine.yaml"), &j);
    say(&launch, engine, r, c, replicas, hub);
    return launch;
}
