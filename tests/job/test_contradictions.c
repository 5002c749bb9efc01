/* What files say that no job can mean: it stands under "Look at". */
#include "job/fixture.h"

/* Some note of what is odd has this part. */
static bool is_said(const char *part, const char *const *files) {
    fixture f;
    bool said = false;
    CHECK(fixture_read(&f, files));
    for (int i = 0; i < f.job.doubts.count; i++)
        said = said || strstr(f.job.doubts.note[i].why, part);
    clg_arena_clear(&f.arena);
    return said;
}

#define SAID(part, ...) CHECK(is_said(part, (const char *const[]){__VA_ARGS__, NULL, NULL}))
#define UNSAID(part, ...) CHECK(!is_said(part, (const char *const[]){__VA_ARGS__, NULL, NULL}))

/* A key is left aside as what may matter. */
static bool is_weighty(const char *key, const char *const *files) {
    fixture f;
    bool weighty = false;
    CHECK(fixture_read(&f, files));
    for (int i = 0; i < f.job.ignored.count; i++)
        weighty = weighty || (strstr(f.job.ignored.note[i].key, key) &&
                              strstr(f.job.ignored.note[i].why, "may change time"));
    clg_arena_clear(&f.arena);
    return weighty;
}

#define WEIGHTY(key, ...) CHECK(is_weighty(key, (const char *const[]){__VA_ARGS__, NULL, NULL}))

#define SIZES                                                                                      \
    "--hidden-size 4096 --num-attention-heads 32 --vocab-size 50257 --seq-length 2048 --bf16 "

static void environment(void) {
    CASE("NCCL told to leave out RDMA; told not to");
    SAID("over sockets", "a.sh",
         "export NCCL_IB_DISABLE=1\ntorchrun pretrain_gpt.py --num-layers 2 " SIZES);
    SAID("through its memory", "a.sh",
         "NCCL_P2P_DISABLE=1 torchrun pretrain_gpt.py --num-layers 2 " SIZES);
    UNSAID("over sockets", "a.sh",
           "export NCCL_IB_DISABLE=0\ntorchrun pretrain_gpt.py --num-layers 2 " SIZES);
    UNSAID(
        "over sockets", "a.sh",
        "export NCCL_IB_DISABLE=1 FI_PROVIDER=efa\ntorchrun pretrain_gpt.py --num-layers 2 " SIZES);
}

static void several(void) {
    CASE("kinds of layers by pattern");
    SAID("its kinds of layers are not read", "a.sh",
         "python pretrain_gpt.py --num-layers 4 --hidden-size 64 --num-attention-heads 4 "
         "--hybrid-layer-pattern \"M*M*\"\n");
    CASE("one program started twice: with other arguments, or on other nodes");
    SAID("1 more command starts vllm serve otherwise", "a.sh",
         "vllm serve meta-llama/Llama-3.1-8B -tp 2 --max-num-seqs 64\nvllm serve Qwen/Qwen3-8B\n");
    UNSAID("otherwise", "a.sh",
           "vllm serve Qwen/Qwen3-8B --port 1 -tp 2\nvllm serve Qwen/Qwen3-8B --port 2 -tp 2\n");
    CASE("engines of one chart");
    SAID("1 more command starts vllm serve", "values.yaml",
         "servingEngineSpec:\n  modelSpec:\n  - name: a\n    modelURL: Qwen/Qwen3-8B\n"
         "    requestGPU: 1\n  - name: b\n    modelURL: Qwen/Qwen3-32B\n    requestGPU: 2\n");
    CASE("a condition on an argument that nobody gives; one that asks whether it is there");
    SAID(
        "asks for $1 of the script", "a.sh",
        "L=2\nif [ \"$1\" = big ]; then L=80; fi\ntorchrun pretrain_gpt.py --num-layers $L " SIZES);
    UNSAID("of the script", "a.sh",
           "L=2\nif [ -n \"$1\" ]; then L=$1; fi\ntorchrun pretrain_gpt.py --num-layers $L " SIZES);
    CASE("two configurations of one trainer");
    SAID("a.yaml says another micro_batch_size", "a.yaml",
         "base_model: Qwen/Qwen3-8B\nmicro_batch_size: 1\nsequence_len: 4096\n", "b.yaml",
         "base_model: Qwen/Qwen3-8B\nmicro_batch_size: 4\nsequence_len: 4096\n");
    CASE("what no field is read from, and changes time: graphs that are off, windows");
    WEIGHTY("enforce-eager", "a.sh", "vllm serve Qwen/Qwen3-8B -tp 2 --enforce-eager\n");
    WEIGHTY("window", "a.sh", "torchrun pretrain_gpt.py --window-size 4096 --num-layers 2 " SIZES);
    CASE("ORPO compares pairs without a second model");
    SAID("named after ORPO", "a.yaml",
         "model_name_or_path: Qwen/Qwen3-8B\nbeta: 0.05\nmax_length: 2048\n"
         "per_device_train_batch_size: 1\noutput_dir: data/x-orpo\nbf16: true\n"
         "max_prompt_length: 512\n");
    CASE("a configuration that a word names");
    SAID("llama2_70b.yaml is named and not here", "a.sh",
         "python3 launcher_scripts/main.py stages=[training] training=llama/llama2_70b "
         "training.trainer.num_nodes=16\n");
    SAID("mpt-7b.yaml is named and not here", "a.sh",
         "composer --world_size 16 --verbose train/train.py yamls/${1:-mpt-7b}.yaml "
         "max_duration=3ba\n");
}

static void counts(void) {
    CASE("a stage of ZeRO that is none, a degree below none, one that leaves it to the trainer");
    SAID("no stage 9", "ds.json",
         "{\"zero_optimization\": {\"stage\": 9}, \"train_batch_size\": 8}");
    SAID("less than none", "a.sh",
         "torchrun pretrain_gpt.py --num-layers 2 --context-parallel-size -2 " SIZES);
    UNSAID("less than none", "a.toml",
           "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[parallelism]\n"
           "data_parallel_shard_degree = -1\n[training]\nlocal_batch_size = 1\n");
    SAID("counted from 1", "a.sh",
         "torchrun pretrain_gpt.py --num-layers 2 --tensor-model-parallel-size 0 " SIZES);
}

static void multiples(void) {
    CASE("heads over tp, layers over stages, a batch over micro-batches");
    SAID("32 do not divide by tp = 5", "a.sh",
         "torchrun pretrain_gpt.py --num-layers 2 --tensor-model-parallel-size 5 " SIZES);
    SAID("7 do not divide by pp = 2", "a.sh",
         "torchrun pretrain_gpt.py --num-layers 7 --pipeline-model-parallel-size 2 " SIZES);
    SAID("64 do not divide by micro-batch = 3", "a.sh",
         "torchrun pretrain_gpt.py --num-layers 2 --micro-batch-size 3 --global-batch-size "
         "64 " SIZES);
    SAID("needs a multiple of 16", "a.sh",
         "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 "
         "--tensor-model-parallel-size 8 --pipeline-model-parallel-size 2 " SIZES);
}

static void memory(void) {
    CASE("by hand: 175 B x 16 bytes over 8 GPUs are 349 GB each; 1,024 GPUs have them");
    const char *few = "deepspeed --num_gpus 8 --num_nodes 1 pretrain_gpt.py --num-layers 96 "
                      "--hidden-size 12288 --num-attention-heads 96 --vocab-size 50257 "
                      "--seq-length 2048 --bf16 --zero-stage 3\n";
    const char *many = "deepspeed --num_gpus 8 --num_nodes 128 pretrain_gpt.py --num-layers 96 "
                       "--hidden-size 12288 --num-attention-heads 96 --vocab-size 50257 "
                       "--seq-length 2048 --bf16 --zero-stage 3\n";
    SAID("349 GB for each of 8 GPUs", "run-175b.sh", few);
    UNSAID("for each of", "run-175b.sh", many);
}

static void words_of_keys(void) {
    CASE("a key is what its words say: \"lr\" is none of \"allreduce\", \"tp\" alone is a degree");
    WEIGHTY("accumulate-allreduce", "a.sh",
            "torchrun pretrain_gpt.py --num-layers 2 " SIZES
            "--accumulate-allreduce-grads-in-fp32\n");
    WEIGHTY("tp", "a.yaml", "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 2048\ntp: 4\n");
}

static void losses(void) {
    CASE("TRL's loss in chunks: slower than priced, said; where nothing names it, with its logits");
#define TRL "--model_name_or_path Qwen/Qwen3-8B --per_device_train_batch_size 1 --max_length 4096 "
    SAID("TRL 1.7 and later", "a.sh", "accelerate launch -m trl.scripts.sft " TRL "\n");
    SAID("chunked_nll multiplies the head in fp32", "a.sh",
         "accelerate launch -m trl.scripts.sft " TRL "--loss_type chunked_nll\n");
    JOB("seq=4096 term=loss_chunks=16,loss_wide_head=true", "a.sh",
        "accelerate launch -m trl.scripts.sft " TRL "--loss_type chunked_nll\n");
    UNSAID("chunked_nll", "a.sh", "accelerate launch -m trl.scripts.sft " TRL "--loss_type nll\n");
    UNSAID("chunked_nll", "a.sh",
           "accelerate launch -m trl.scripts.sft " TRL "--use_liger_kernel true\n");
    UNSAID("chunked_nll", "a.sh", "accelerate launch -m trl.scripts.dpo " TRL "--beta 0.1\n");
}

int main(void) {
    environment();
    several();
    counts();
    multiples();
    memory();
    words_of_keys();
    losses();
    return DONE;
}
