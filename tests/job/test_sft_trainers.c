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

static void kempnerforge(void) {
    CASE("KempnerForge: its own names of degrees; widths as it rounds them");
    JOB("layers=40 hidden=5120 ffn=17920 heads=40 kv-heads=8 gpus=32 dp=4 tp=4 pp=2 zero=3 "
        "micro-batch=1 accumulation=8 global-batch=32 seq=4096 recompute=full precision=bf16 "
        "gradient=fp32 stack=torchtitan-eager-2025",
        "mine.toml",
        "[model]\ndim = 5120\nn_layers = 40\nn_heads = 40\nn_kv_heads = 8\nvocab_size = 128256\n"
        "ffn_dim_multiplier = 1.3\n[train]\nbatch_size = 1\nseq_len = 4096\ngrad_accum_steps = 8\n"
        "compile_model = false\nactivation_checkpointing = \"full\"\n[distributed]\ndp_shard = 4\n"
        "tp = 4\npp = 2\npp_schedule = \"1f1b\"\n");
}

static void factory(void) {
    CASE("LLaMA-Factory: its Megatron back end; what no plan counts");
#define FACTORY                                                                                    \
    "model_name_or_path: Qwen/Qwen3-8B\nstage: sft\nfinetuning_type: full\ncutoff_len: 4096\n"
    JOB("stack=megatron-2026 pp=4 zero=1", "a.yaml",
        FACTORY "pipeline_model_parallel_size: 4\nuse_distributed_optimizer: true\n");
    REFUSED("leave use_badam out", "a.yaml", FACTORY "use_badam: true\n");
    REFUSED("on the host", "a.yaml", FACTORY "use_kt: true\n");
    JOB("optimizer=adam stack=transformers", "a.yaml", FACTORY "use_badam: false\n");
    JOB("optimizer=adamw_torch_4bit", "a.yaml", FACTORY "optim: adamw_torch_4bit\n");
}

static void olmo(void) {
    CASE("OLMo-core: float8 that is on, experts over all ranks, one copy of the shards");
    JOB("precision=fp8 ep= nodes=8 gpus=64 hsdp= micro-batch=2 zero=3", "a.py",
        "SEQUENCE_LENGTH = 4096\ndef build(common):\n"
        "    return TransformerTrainModuleConfig(\n"
        "        rank_microbatch_size=2 * 4096,\n"
        "        dp_config=TransformerDataParallelConfig(name=DataParallelType.hsdp, "
        "num_replicas=1),\n"
        "        ep_config=TransformerExpertParallelConfig(degree=-1),\n"
        "        float8_config=Float8Config(ao=AOFloat8LinearConfig.recommended()),\n    )\n"
        "config = partial(build_config, num_nodes=8)\n");
    JOB("seq=32768 micro-batch=1 accumulation=2 cp=2 cp-kind=ulysses recompute=selective gpus=32 "
        "global-batch=32",
        "a.sh",
        "torchrun --nnodes=4 --nproc_per_node=8 open_instruct/olmo_core_finetune.py "
        "--config_name olmo3_7B --max_seq_length 32768 --per_device_train_batch_size 1 "
        "--gradient_accumulation_steps 2 --activation_memory_budget 0.5 --cp_degree 2 "
        "--cp_strategy ulysses\n");
}

static void moments(void) {
    CASE("Megatron's optimizer that knows of precision; an expert a token where none is said");
    JOB("gradient=bf16 moments=bf16", "a.sh",
        "torchrun pretrain_gpt.py " SIZES "--use-precision-aware-optimizer --main-grads-dtype bf16 "
        "--exp-avg-dtype bf16 --bf16\n");
    JOB("moments=", "a.sh", "torchrun pretrain_gpt.py " SIZES "--exp-avg-dtype bf16 --bf16\n");
    JOB("gradient=bf16 moments=bf16 zero=1", "a.yaml",
        "work_group: a\nexp_name: b\nmodules:\n  pre_trainer:\n    framework: megatron\n"
        "    model: llama3_8B.yaml\n    overrides:\n      use_precision_aware_optimizer: true\n"
        "      main_grads_dtype: bf16\n      exp_avg_dtype: bf16\n");
    JOB("experts=8 experts-per-token=1", "a.yml",
        "{\"pipe_parallel_size\": 1, \"model_parallel_size\": 1, \"num_layers\": 12, "
        "\"hidden_size\": 768, \"num_attention_heads\": 12, \"seq_length\": 2048, "
        "\"moe_num_experts\": 8, \"train_micro_batch_size_per_gpu\": 4}\n");
}

static void bridge(void) {
    CASE("recipes of Megatron-Bridge: narrow moments are theirs, and a file goes over them");
#define BRIDGE                                                                                     \
    "from megatron.bridge.recipes.deepseek import deepseek_v3_pretrain_config\n"                   \
    "from megatron.bridge.training.pretrain import pretrain\n"                                     \
    "cfg = deepseek_v3_pretrain_config()\ncfg.train.global_batch_size = 512\n"
    JOB("moments=bf16 gradient=bf16 tp=2 pp=16 ep=64 global-batch=512", "a.py", BRIDGE);
    JOB("moments=fp32 gradient=bf16", "a.py",
        BRIDGE "cfg.optimizer.exp_avg_dtype = torch.float32\n");
    JOB("optimizer=muon gradient=fp32", "a.py",
        "from megatron.bridge.recipes.kimi import kimi_k2_pretrain_config\n"
        "cfg = kimi_k2_pretrain_config()\ncfg.train.global_batch_size = 512\n");
}

static void torchtune(void) {
    CASE("torchtune: adapters of the MLP are a switch beside the list");
#define TUNE                                                                                       \
    "model:\n  _component_: torchtune.models.llama3_1.lora_llama3_1_8b\n"                          \
    "  lora_attn_modules: ['q_proj', 'v_proj']\n  lora_rank: 8\nbatch_size: 2\n"                   \
    "checkpointer:\n  _component_: torchtune.training.FullModelHFCheckpointer\n"
    JOB("adapter-targets=q_proj,v_proj,gate_proj,up_proj,down_proj", "a.yaml", TUNE "  x: 1\n",
        "b.yaml", "model:\n  apply_lora_to_mlp: True\n");
    JOB("adapter-targets=q_proj,v_proj", "a.yaml", TUNE);
}

static void shapes(void) {
    CASE("a model whose heads are of another width than hidden / heads; GPUs that follow from "
         "nodes");
    fixture f;
    const char *const file[] = {
        "a.sh",
        "#SBATCH --nodes=16\n#SBATCH --gpus-per-node=8\nNUM_GPUS=$(count_them)\ntorchrun "
        "pretrain_gpt.py --num-layers 46 --hidden-size 4096 --num-attention-heads 96 "
        "--kv-channels 128 --seq-length 4096 --vocab-size 50304 --bf16\n",
        NULL, NULL};
    CHECK(fixture_read(&f, file));
    CHECK(fixture_is(&f, "gpus=128"));
    for (int i = 0; i < f.job.doubts.count; i++)
        CHECK(strcmp(f.job.doubts.note[i].key, "hidden") != 0);
    for (int i = 0; i < f.job.open.count; i++) CHECK(f.job.open.note[i].field != CLG_JOB_GPUS);
    clg_arena_clear(&f.arena);
}

static void deploy(void) {
    CASE("ms-swift's server before vLLM: vLLM's names behind a prefix, limits of its own");
    JOB("engine=vllm tp=2 dp=2 gpus-per-node=4 max-sequences=256 memory-share=0.8", "a.sh",
        "CUDA_VISIBLE_DEVICES=0,1,2,3 swift deploy --model Qwen/Qwen2.5-7B-Instruct "
        "--infer_backend vllm --vllm_tensor_parallel_size 2 --vllm_data_parallel_size 2 "
        "--vllm_gpu_memory_utilization 0.8\n");
    JOB("engine=transformers", "a.sh", "swift deploy --model Qwen/Qwen2.5-7B-Instruct\n");
    REFUSED("sglang.launch_server", "a.sh",
            "swift deploy --model Qwen/Qwen2.5-7B-Instruct --infer_backend sglang\n");
}

static void sixteen_bits_alone(void) {
    CASE("weights of 16 bit without an fp32 copy: said, or the trainer's own way");
    JOB("master=none gradient=bf16 gpus=8 term=updates_in_backward=true", "a.toml",
        "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\ndtype = \"bfloat16\"\n"
        "local_batch_size = 1\nseq_len = 4096\n[optimizer]\nearly_step_in_backward = true\n"
        "[parallelism]\ndata_parallel_shard_degree = 8\n");
    JOB("stack=torchtune-2024 term=updates_in_backward=true", "a.yaml",
        "model:\n  _component_: torchtune.models.llama3_1.llama3_1_8b\ntokenizer:\n"
        "  max_seq_len: 2048\nbatch_size: 1\ndtype: bf16\noptimizer_in_bwd: True\n");
    JOB("stack=pytorch", "a.yaml",
        "model:\n  _component_: torchtune.models.llama3_1.llama3_1_8b\ntokenizer:\n"
        "  max_seq_len: 2048\nbatch_size: 1\ndtype: fp32\n");
    JOB("master=none gradient=bf16", "a.yaml",
        "model_name_or_path: meta-llama/Llama-3.1-8B\nstage: sft\nfinetuning_type: full\n"
        "pure_bf16: true\ncutoff_len: 2048\nper_device_train_batch_size: 1\n");
    JOB("master=none gradient=bf16 zero=0", "a.sh",
        "NPROC_PER_NODE=8 swift sft --model Qwen/Qwen3-8B --train_type full --torch_dtype "
        "bfloat16\n");
    JOB("master= gradient= zero=0", "a.sh",
        "NPROC_PER_NODE=8 swift sft --model Qwen/Qwen3-8B --train_type full --torch_dtype "
        "float32\n");
    JOB("master= gradient= zero=3", "a.sh",
        "NPROC_PER_NODE=8 swift sft --model Qwen/Qwen3-8B --train_type full --deepspeed zero3\n");
    JOB("master= gradient= adapter=lora", "a.sh",
        "NPROC_PER_NODE=8 swift sft --model Qwen/Qwen3-8B --train_type lora\n");
    static const char clm[] =
        "run_clm.py --model_name_or_path meta-llama/Llama-3.1-8B --torch_dtype bfloat16 --bf16 "
        "--per_device_train_batch_size 1 --block_size 2048 --num_train_epochs 1\n";
    char command[512];
    snprintf(command, sizeof command, "torchrun --nproc_per_node 8 %s", clm);
    JOB("master=none gradient=bf16 zero=0", "a.sh", command);
    snprintf(command, sizeof command, "accelerate launch --use_fsdp --num_processes 8 %s", clm);
    JOB("master= gradient= zero=3", "a.sh", command);
}

static void made_again(void) {
    CASE("Megatron-Bridge: what is made again beside the core");
    JOB("recompute=selective model=/m/NVIDIA-Nemotron-3-Nano-30B-A3B-Base-BF16 "
        "term=recompute_experts=true,recompute_latent=true",
        "a.yaml",
        "train:\n  train_iters: 10\n  global_batch_size: 64\nmodel:\n  recompute_granularity: "
        "selective\n  recompute_modules: [\"core_attn\", \"moe\", \"shared_experts\", "
        "\"mla_up_proj\"]\n  tensor_model_parallel_size: 2\ncheckpoint:\n"
        "  pretrained_checkpoint: /m/NVIDIA-Nemotron-3-Nano-30B-A3B-Base-BF16\n");
}

static void ends_that_count(void) {
    CASE("Megatron-Bridge: embedding and loss count as layers, said or by the recipe");
#define RECIPE                                                                                     \
    "from megatron.bridge.recipes.llama import llama31_405b_pretrain_config\n"                     \
    "cfg = llama31_405b_pretrain_config()\ncfg.train.global_batch_size = 512\n"                    \
    "cfg.model.pipeline_model_parallel_size = 8\n"                                                 \
    "cfg.model.virtual_pipeline_model_parallel_size = None\n"
    JOB("stage-layers=15,16,16,16,16,16,16,15", "a.py", RECIPE);
    JOB("stage-layers=15,16,16,16,16,16,16,15", "a.py",
        RECIPE "cfg.model.account_for_embedding_in_pipeline_split = True\n");
    JOB("stage-layers=", "a.py",
        RECIPE "cfg.model.account_for_embedding_in_pipeline_split = False\n"
               "cfg.model.account_for_loss_in_pipeline_split = False\n");
}

/* Reads one file and compares, its trainer too. */
#define JOB_OF(trainer, expected, name, content)                                                   \
    do {                                                                                           \
        fixture g_;                                                                                \
        CHECK(fixture_read(&g_, (const char *[]){name, content, NULL, NULL}));                     \
        CHECK_TEXT(g_.job.format, trainer);                                                        \
        CHECK(fixture_is(&g_, expected));                                                          \
        clg_arena_clear(&g_.arena);                                                                \
    } while (0)

static void arctic(void) {
    CASE("ArcticTraining: DeepSpeed's stage in its own file");
    JOB_OF("arctic-training",
           "model=Qwen/Qwen3-30B-A3B zero=2 offload=true ep=8 cp=2 "
           "cp-kind=ulysses seq=32000 micro-batch=1 recompute=full precision=bf16",
           "sft.yaml",
           "type: sft\nmicro_batch_size: 1\narctic_moe: true\nexpert_parallel_size: 8\n"
           "sequence_parallel_size: 2\ndeepspeed:\n  zero_optimization:\n    stage: 2\n"
           "    offload_optimizer: {device: cpu}\nmodel:\n  name_or_path: Qwen/Qwen3-30B-A3B\n"
           "data:\n  sources: [a]\n  pack_samples: true\n  max_length: 32_000\n");
    REFUSED("speculator", "spec.yaml",
            "type: speculator\nmicro_batch_size: 1\nmodel:\n  name_or_path: x/y-8B\ndata:\n"
            "  sources: [a]\n  dl_num_workers: 1\n");
}

static void veomni(void) {
    CASE("VeOmni: names of now and of 2025");
    JOB_OF(
        "veomni",
        "ep=8 cp=1 zero=3 seq=8192 global-batch=32 micro-batch=1 recompute=full "
        "gradient=fp32",
        "v3.yaml",
        "model:\n  ops_implementation: {attn_implementation: flash_attention_2}\ndata:\n"
        "  datasets_type: iterable\n  max_seq_len: 8192\n  dyn_bsz_buffer_size: 200\ntrain:\n"
        "  accelerator:\n    ulysses_size: 1\n    ep_size: 8\n    fsdp_config: {fsdp_mode: fsdp2}\n"
        "  gradient_checkpointing: {enable: true}\n  global_batch_size: 32\n"
        "  micro_batch_size: 1\n  optimizer: {type: adamw}\n");
    JOB_OF(
        "veomni", "cp=4 zero=0 recompute=none offload=true", "old.yaml",
        "model:\n  model_path: x/y-8B\ndata:\n  datasets_type: mapping\n  max_seq_len: 4096\n"
        "train:\n  data_parallel_mode: ddp\n  ulysses_parallel_size: 4\n"
        "  enable_gradient_checkpointing: false\n  enable_fsdp_offload: true\n  use_wandb: false\n"
        "  micro_batch_size: 1\n");
}

static void open_instruct(void) {
    CASE("open-instruct: not TRL's defaults");
    JOB_OF("open-instruct",
           "model=meta-llama/Meta-Llama-3-8B recompute=none micro-batch=1 "
           "accumulation=4 seq=4096 adapter=none",
           "tulu.yaml",
           "model_name_or_path: meta-llama/Meta-Llama-3-8B\ndataset_mixer: {a: 10}\n"
           "max_seq_length: 4096\nper_device_train_batch_size: 1\ngradient_accumulation_steps: 4\n"
           "lr_scheduler_type: linear\nnum_train_epochs: 2\ndataset_mix_dir: /o\n"
           "keep_last_n_checkpoints: 1\n");
    JOB_OF("open-instruct", "second-model=reference reference=precomputed recompute=full gpus=8",
           "dpo.sh",
           "accelerate launch --mixed_precision bf16 --num_processes 8 "
           "open_instruct/dpo_tune_cache.py --model_name_or_path x/y-8B --max_seq_length 2048 "
           "--per_device_train_batch_size 1 --beta 5 --activation_memory_budget 0.1\n");
}

/* A key that trainers share does not lend one's defaults to another's file. */
static void strangers(void) {
    CASE("a trainer that nobody knows");
    JOB("micro-batch=1 seq= recompute= zero= stack=", "new.yaml",
        "micro_batch_size: 1\nparallelism:\n  tensor_ways: 8\n  expert_ways: 4\nnet:\n"
        "  checkpoint_layers: 3\n  max_tokens: 9\n");
    CASE("what a trainer leaves aside hides no modules that are trained");
    fixture f;
    CHECK(fixture_read(&f, (const char *[]){"lora.yaml",
                                            "base_model: x/y-8B\nadapter: lora\nlora_r: 8\n"
                                            "sequence_len: 2048\nmicro_batch_size: 1\n"
                                            "lora_modules_to_save: [embed_tokens, lm_head]\n"
                                            "saves_per_epoch: 1\n",
                                            NULL}));
    bool said = false;
    for (int i = 0; i < f.job.ignored.count; i++)
        if (strcmp(f.job.ignored.note[i].key, "lora_modules_to_save") == 0)
            said = strstr(f.job.ignored.note[i].why, "trained whole") != NULL;
    CHECK(said);
    clg_arena_clear(&f.arena);
}

int main(void) {
    arctic();
    veomni();
    open_instruct();
    strangers();
    ends_that_count();
    sixteen_bits_alone();
    made_again();
    slime();
    prime();
    colossal();
    levanter();
    aws();
    flags_of_llama_recipes();
    a_key_that_every_script_has_tells_nothing();
    kempnerforge();
    factory();
    olmo();
    moments();
    bridge();
    torchtune();
    shapes();
    deploy();
    return DONE;
}
