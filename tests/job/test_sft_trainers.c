/* Trainers known by few keys: slime, prime-rl, ColossalAI, Levanter, FSDP of AWS's samples. */
#include "job/fixture.h"

#define SIZES                                                                                      \
    "--num-layers 36 --hidden-size 2560 --ffn-hidden-size 9728 --num-attention-heads 32 "          \
    "--group-query-attention --num-query-groups 8 --vocab-size 151936 --swiglu "

static void slime(void) {
    CASE("slime: fine-tuning is read, learning by reward is not");
    JOB("gpus=16 nodes=2 gpus-per-node=8 tp=2 sp=true global-batch=128 micro-batch= recompute=full "
        "precision=bf16 zero=1 layers=36",
        "run.sh",
        "ray job submit --address=http://127.0.0.1:8265 -- python3 train_async.py "
        "--actor-num-nodes 2 --actor-num-gpus-per-node 8 " SIZES
        "--rollout-function-path slime.rollout.sft_rollout.generate_rollout --rollout-batch-size "
        "128 --global-batch-size 128 --loss-type sft_loss --tensor-model-parallel-size 2 "
        "--sequence-parallel --recompute-granularity full --recompute-method uniform "
        "--recompute-num-layers 1 --use-dynamic-batch-size --max-tokens-per-gpu 9216\n");
    REFUSED("reinforcement learning", "run.sh",
            "python3 train.py --actor-num-nodes 1 --actor-num-gpus-per-node 8 " SIZES
            "--rollout-batch-size 32 --n-samples-per-prompt 8 --advantage-estimator grpo\n");
}

static void prime(void) {
    CASE("prime-rl: fine-tuning, with its defaults");
    JOB("model=PrimeIntellect/Qwen3-1.7B gpus=4 zero=3 seq=1024 global-batch=64 micro-batch=1 "
        "recompute=full gradient=fp32 adapter=lora adapter-rank=8 offload=true",
        "sft.toml",
        "max_steps = 20\n[deployment]\nnum_train_gpus = 4\n[model]\nname = "
        "\"PrimeIntellect/Qwen3-1.7B\"\n[model.lora]\nrank = 8\n[data]\nseq_len = 1024\n"
        "batch_size = 64\n[optim]\nlr = 1e-5\n");
    JOB("nodes=2 gpus-per-node=8 gpus=16", "sft.toml",
        "[deployment]\ntype = \"multi_node\"\nnum_train_nodes = 2\n[model]\nname = \"x/y-1.7B\"\n"
        "[data]\nseq_len = 1024\nbatch_size = 64\n");
    REFUSED("reinforcement learning", "rl.toml",
            "[deployment]\nnum_train_gpus = 4\n[orchestrator]\nbatch_size = 64\n[model]\n"
            "name = \"x\"\n[data]\nseq_len = 1024\n");
}

static void colossal(void) {
    CASE("ColossalAI: its starter tells it, short flags of its benchmark");
    JOB("model=llama-2-70b tp=4 pp=2 micro-batch=1 seq=4096 recompute=full attention=flash2 zero=0 "
        "gpus-per-node=8 nodes=4 global-batch=32",
        "3d.sh",
        "#SBATCH --nodes=4\ncolossalai run --nproc_per_node 8 --hostfile hosts benchmark.py -c 70b "
        "-p 3d -g -x -b 8 --tp 4 --pp 2 --mbs 1\n");
    JOB("model= zero=2 micro-batch=8 accumulation=8 precision=bf16 recompute=full", "sft.sh",
        "P=\"\"\ncolossalai run --nproc_per_node 8 --hostfile hosts train.py --pretrained $P "
        "--plugin "
        "\"zero2\" --accumulation_steps 8 --micro_batch_size 8 --mixed_precision \"bf16\" "
        "--use_grad_checkpoint --use_flash_attn\n");
}

static void levanter(void) {
    CASE("Levanter: sizes and axes");
    JOB("layers=32 hidden=4096 ffn=11008 heads=32 kv-heads=8 seq=4096 tp=2 micro-batch=2 "
        "global-batch=1024 precision=bf16 recompute=full zero=3 gated=true",
        "llama.yaml",
        "data:\n  tokenizer: meta-llama/Llama-2-7b-hf\nmodel:\n  type: llama\n  hidden_dim: 4096\n"
        "  intermediate_dim: 11008\n  num_heads: 32\n  num_kv_heads: 8\n  num_layers: 32\n"
        "  seq_len: 4096\ntrainer:\n  mp: p=f32,c=bfloat16\n  model_axis_size: 2\n"
        "  per_device_parallelism: 2\n  train_batch_size: 1024\noptimizer:\n  type: adam\n");
}

static void aws(void) {
    CASE("FSDP of AWS's samples: bf16 and checkpoints unless told otherwise");
    JOB("layers=80 hidden=8192 seq=8192 micro-batch=1 precision=bf16 recompute=full zero=3 gpus=32",
        "run.sbatch",
        "#SBATCH --nodes=4\nsrun torchrun --nproc_per_node=8 --nnodes=$SLURM_JOB_NUM_NODES "
        "train.py "
        "--max_context_width=8192 --num_key_value_heads=8 --intermediate_size=28672 "
        "--hidden_width=8192 --num_layers=80 --num_heads=64 --model_type=llama_v3 "
        "--train_batch_size=1 --sharding_strategy=full --offload_activations=1\n");
}

static void flags_of_llama_recipes(void) {
    CASE("llama-recipes: FSDP and what it makes again by one flag, pure bf16, an adapter's "
         "defaults");
    JOB("micro-batch=64 zero=3 recompute=full precision=bf16 gradient=bf16 adapter=none gpus=2",
        "a.sh",
        "torchrun --nnodes 1 --nproc_per_node 2 finetuning.py --batch_size_training 64 "
        "--enable_fsdp --model_name openlm-research/open_llama_3b_v2 --pure_bf16\n");
    JOB("micro-batch=4 seq=4096 zero=3 adapter=lora adapter-rank=8 adapter-targets=q_proj,v_proj",
        "a.sh",
        "torchrun --nproc_per_node 8 examples/finetuning.py --enable_fsdp --low_cpu_fsdp "
        "--batch_size_training 4 --model_name meta-llama/Llama-2-70b-hf --use_peft "
        "--fsdp_config.fsdp_activation_checkpointing\n");
    JOB("zero=0 recompute=none adapter=qlora base-precision=nf4", "a.sh",
        "python -m llama_recipes.finetuning --use_peft --peft_method lora --quantization 4bit "
        "--batch_size_training 2 --model_name meta-llama/Llama-3.1-8B\n");
}

static void a_key_that_every_script_has_tells_nothing(void) {
    CASE("a key that every script has tells nothing: TRL's defaults are not the Trainer's");
    JOB("recompute=none micro-batch=14 accumulation=2", "sft_finetune.sh",
        "deepspeed --include localhost:0,1 finetune.py --model_name_or_path x/y "
        "--output_dir out --per_device_train_batch_size 14 --per_device_eval_batch_size 32 "
        "--bf16 --gradient_accumulation_steps 2 --evaluation_strategy steps\n");
}

int main(void) {
    slime();
    prime();
    colossal();
    levanter();
    aws();
    flags_of_llama_recipes();
    a_key_that_every_script_has_tells_nothing();
    return DONE;
}
