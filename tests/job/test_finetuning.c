/* Configurations in the style of trainers that fine-tune; several files that make one job. */
#include "job/fixture.h"

static const char llama_factory[] =
    "model_name_or_path: meta-llama/Meta-Llama-3-8B-Instruct\nstage: sft\ndo_train: true\n"
    "finetuning_type: lora\nlora_target: all\ndataset: identity\ntemplate: llama3\n"
    "per_device_train_batch_size: 1\ngradient_accumulation_steps: 8\nbf16: true\n"
    "deepspeed: examples/deepspeed/ds_z3_config.json\n";

static void llama_factory_defaults(void) {
    CASE("LLaMA-Factory: what it leaves out is its own");
    JOB("layers=32 adapter=lora adapter-rank=8 adapter-targets=all-linear recompute=full seq=2048 "
        "zero=3 "
        "micro-batch=1 accumulation=8 precision=bf16 gpus= dp=",
        "sft.yaml", llama_factory);
    CASE("LLaMA-Factory: a DeepSpeed file with \"auto\" beside it, and accelerate's");
    JOB("zero=2 gpus=4 dp=4 global-batch=32 micro-batch=1 precision=bf16", "sft.yaml",
        llama_factory, "ds_z2.json",
        "{\"train_micro_batch_size_per_gpu\": \"auto\", \"gradient_accumulation_steps\": \"auto\","
        "\"bf16\": {\"enabled\": \"auto\"}, \"zero_optimization\": {\"stage\": 2}}",
        "accelerate.yaml",
        "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_machines: 1\n"
        "num_processes: 4\n");
}

static void hugging_face(void) {
    CASE("Hugging Face: a command line, and the launcher's own flags");
    JOB("layers=32 gpus=4 dp=4 zero=3 precision=bf16 micro-batch=2 accumulation=16 "
        "global-batch=128 seq=1024 recompute=none adapter=none",
        "run.sh",
        "accelerate launch --mixed_precision bf16 --num_machines 1 --num_processes 4 \\\n"
        "  --use_deepspeed --deepspeed_config_file configs/stage3.conf run_clm.py \\\n"
        "  --model_name_or_path meta-llama/Llama-2-7b-hf --block_size 1024 --do_train \\\n"
        "  --per_device_train_batch_size 2 --gradient_accumulation_steps $((128 / 4 / 2))\n");
    CASE("Hugging Face: a wrapper's nodes around a start that knows of none");
    JOB("gpus=64 nodes=8 gpus-per-node=8 dp=64 global-batch=128", "run.sh",
        "python wrap.py --num_nodes 8 --gpus 8 -- accelerate launch --num_processes 8 sft.py "
        "--model_name_or_path meta-llama/Llama-2-7b-hf --per_device_train_batch_size 1 "
        "--gradient_accumulation_steps 2 --gradient_checkpointing\n");
    CASE("Hugging Face: processes that are all of the wrapper's nodes, or of nodes said within");
    JOB("gpus=64 nodes=8 gpus-per-node=8", "run.sh",
        "python wrap.py --num_nodes 8 --gpus 8 -- accelerate launch --num_processes 64 sft.py "
        "--model_name_or_path meta-llama/Llama-2-7b-hf --per_device_train_batch_size 1 "
        "--gradient_accumulation_steps 2 --gradient_checkpointing\n");
    JOB("gpus=8 nodes=2", "run.sh",
        "python wrap.py --num_nodes 8 --gpus 8 -- accelerate launch --num_machines 2 "
        "--num_processes 8 sft.py --model_name_or_path meta-llama/Llama-2-7b-hf "
        "--per_device_train_batch_size 1 --gradient_accumulation_steps 2 "
        "--gradient_checkpointing\n");
    CASE("Hugging Face: adapters as scripts of one's own name them");
    JOB("adapter=lora adapter-targets=all-linear adapter-rank=8", "run.sh",
        "python supervised_finetuning.py --model_name_or_path Qwen/Qwen2.5-7B --use_peft True "
        "--target_modules all --lora_rank 8 --per_device_train_batch_size 2 --num_train_epochs "
        "1\n");
    JOB("adapter=lora", "run.sh",
        "deepspeed train_mem.py --lora_enable True --model_name_or_path a/llama-2-7b "
        "--per_device_train_batch_size 2 --num_train_epochs 1 --lr_scheduler_type cosine\n");
    CASE("Hugging Face: defaults of the trainer, GPUs by what is visible");
    JOB("model=my/model micro-batch=8 accumulation=1 precision=fp32 recompute=none gpus=2 "
        "gpus-per-node=2 adapter=qlora base-precision=nf4",
        "run.sh",
        "CUDA_VISIBLE_DEVICES=0,1 python run_clm.py --model_name_or_path my/model --do_train \\\n"
        "  --load_in_4bit True --num_train_epochs 3 --lr_scheduler_type cosine\n");
}

static void axolotl(void) {
    CASE("axolotl: QLoRA over FSDP with offload");
    JOB("layers=80 adapter=qlora adapter-rank=8 adapter-targets=all-linear base-precision=nf4 "
        "zero=3 "
        "offload=true seq=512 micro-batch=1 accumulation=4 recompute=full precision=bf16 "
        "optimizer=adam attention=flash2",
        "70b.yaml",
        "base_model: casperhansen/llama-3-70b-fp16\nload_in_4bit: true\nadapter: qlora\n"
        "sequence_len: 512\nsample_packing: false\nlora_r: 8\nlora_target_linear: true\n"
        "gradient_accumulation_steps: 4\nmicro_batch_size: 1\noptimizer: adamw_torch_fused\n"
        "bf16: auto\ngradient_checkpointing: true\nattn_implementation: flash_attention_2\n"
        "fsdp:\n  - full_shard\n  - auto_wrap\nfsdp_config:\n  fsdp_offload_params: true\n"
        "  fsdp_sharding_strategy: FULL_SHARD\n");
}

static void torchtune(void) {
    CASE("torchtune: the model by its builder, one device by the recipe's name");
    JOB("layers=32 gpus=1 zero=0 adapter=qlora adapter-rank=64 adapter-targets=q_proj,v_proj "
        "base-precision=nf4 optimizer=adam8bit micro-batch=2 accumulation=8 seq=4096 "
        "recompute=full precision=bf16 gradient=bf16",
        "8B_qlora_single_device.yaml",
        "model:\n  _component_: torchtune.models.llama3_1.qlora_llama3_1_8b\n  lora_rank: 64\n"
        "  lora_attn_modules: ['q_proj', 'v_proj']\ntokenizer:\n"
        "  _component_: torchtune.models.llama3.llama3_tokenizer\n  max_seq_len: 4096\n"
        "optimizer:\n  _component_: bitsandbytes.optim.PagedAdamW8bit\nbatch_size: 2\n"
        "gradient_accumulation_steps: 8\nenable_activation_checkpointing: True\ndtype: bf16\n");
}

static void trl(void) {
    CASE("TRL: on by default what the plain trainer leaves off");
    JOB("layers=32 adapter=lora adapter-rank=32 seq=2048 recompute=full precision=bf16 "
        "micro-batch=4 accumulation=2",
        "dpo.yaml",
        "model_name_or_path: alignment-handbook/zephyr-7b-sft-full\ndataset_mixer:\n  x: 1.0\n"
        "use_peft: true\nlora_r: 32\nbeta: 0.01\nmax_length: 2048\nmax_prompt_length: 512\n"
        "per_device_train_batch_size: 4\ngradient_accumulation_steps: 2\nnum_train_epochs: 1\n");
}

static void command_lines(void) {
    CASE("overrides as Hydra has them");
    JOB("layers=32 hidden=4096 ffn=11008 gpus=16 nodes=2 tp=4 pp=2 dp=2 sp=true zero=1 "
        "micro-batch=1 "
        "global-batch=128 accumulation=64 seq=4096 precision=bf16",
        "pretrain.sh",
        "python megatron_gpt_pretraining.py --config-name=llama trainer.devices=8 \\\n"
        " trainer.num_nodes=2 +trainer.precision=bf16 model.micro_batch_size=1 ~model.foo \\\n"
        " model.global_batch_size=128 ++model.tensor_model_parallel_size=4 \\\n"
        " model.pipeline_model_parallel_size=2 model.sequence_parallel=True model.num_layers=32 "
        "\\\n"
        " model.hidden_size=4096 model.ffn_hidden_size=11008 model.num_attention_heads=32 \\\n"
        " model.encoder_seq_length=4096 model.optim.name=distributed_fused_adam\n");
    CASE("torchtune's own starter under Slurm");
    JOB("layers=80 gpu=h100-sxm gpus=32 nodes=4 dp=32 zero=3 micro-batch=4 accumulation=2 "
        "global-batch=256 seq=4096 recompute=full",
        "tune.sh",
        "#!/bin/bash\n#SBATCH -N 4\n#SBATCH --gpus-per-node=8\n#SBATCH -C h100\n"
        "tune run --nnodes $SLURM_JOB_NUM_NODES --nproc_per_node 8 full_finetune_distributed \\\n"
        " --config llama3_1/70B_full batch_size=4 gradient_accumulation_steps=2 dtype=bf16 \\\n"
        " tokenizer.max_seq_len=4096 enable_activation_checkpointing=True \\\n"
        " model._component_=torchtune.models.llama3_1.llama3_1_70b\n");
    CASE("LLaMA-Factory's own starter, GPUs by what is visible on each of two nodes");
    JOB("layers=28 gpus=8 dp=8 zero=2 micro-batch=2 accumulation=4 global-batch=64 seq=4096 "
        "recompute=full adapter=none",
        "sft.sh",
        "FORCE_TORCHRUN=1 NNODES=2 CUDA_VISIBLE_DEVICES=0,1,2,3 llamafactory-cli train \\\n"
        " --model_name_or_path Qwen/Qwen2.5-7B --stage sft --finetuning_type full --bf16 \\\n"
        " --template qwen --cutoff_len 4096 --per_device_train_batch_size 2 \\\n"
        " --gradient_accumulation_steps 4 --deepspeed ds_z2.json\n");
    CASE("a submitter in front of the launcher");
    JOB("layers=36 precision=bf16 gpus=16 nodes=2 micro-batch=1 accumulation=4", "submit.sh",
        "python submit.py --cluster big --budget mine -- accelerate launch --mixed_precision bf16 "
        "--num_machines 2 --num_processes 16 dpo.py --model_name_or_path Qwen/Qwen3-4B "
        "--per_device_train_batch_size 1 --gradient_accumulation_steps 4 --max_seq_length 1024 "
        "--lr_scheduler_type linear --num_train_epochs 1\n");
}

static void scripts_of_ones_own(void) {
    CASE("a script of one's own has the defaults of the library it is written with");
    JOB("recompute=none precision=bf16 zero=3 micro-batch=2", "run.sh",
        "torchrun --nproc_per_node=$1 train.py --model_name_or_path path/to/model --bf16 true "
        "--per_device_train_batch_size 2 --gradient_accumulation_steps 1 --num_train_epochs 1 "
        "--deepspeed configs/zero3.json --lr_scheduler_type cosine --evaluation_strategy no\n");
    JOB("gpus=16 nodes=4 zero=3 precision=fp16", "submit.sh",
        "#SBATCH --nodes=4\n#SBATCH --gres=gpu:4\n"
        "srun accelerate launch --config_file fsdp.yaml --num_processes $((SLURM_NNODES * 4)) "
        "complete_nlp_example.py --mixed_precision fp16\n",
        "fsdp.yaml", "distributed_type: FSDP\nfsdp_config: {fsdp_sharding_strategy: FULL_SHARD}\n");
    JOB("pp=4 ep=2 tp=1 recompute=full zero=1 micro-batch=1", "a.yaml",
        "model_name_or_path: Qwen/Qwen3-30B-A3B\nfinetuning_type: full\nstage: sft\n"
        "cutoff_len: 4096\ntemplate: qwen3\nper_device_train_batch_size: 1\nbf16: true\n"
        "tensor_model_parallel_size: 1\npipeline_model_parallel_size: 4\n"
        "expert_model_parallel_size: 2\nuse_distributed_optimizer: true\n"
        "recompute_granularity: full\n");
}

static void second_models(void) {
    CASE("a second model is said, and priced");
    fixture f;
    const char *const files[] = {
        "a.yaml",
        "model_name_or_path: meta-llama/Llama-3.1-8B\nstage: dpo\nfinetuning_type: full\n"
        "cutoff_len: 2048\ntemplate: llama3\npref_beta: 0.1\npref_loss: sigmoid\n",
        NULL, NULL};
    CHECK(fixture_read(&f, files));
    CHECK(fixture_is(&f, "second-model=reference reference=model"));
    bool said = false;
    for (int i = 0; i < f.job.doubts.count; i++)
        said = said || strstr(f.job.doubts.note[i].why, "batches count pairs");
    CHECK(said);
    clg_arena_clear(&f.arena);
    JOB("second-model=", "a.yaml",
        "model_name_or_path: meta-llama/Llama-3.1-8B\nstage: dpo\nfinetuning_type: full\n"
        "cutoff_len: 2048\ntemplate: llama3\npref_loss: orpo\n");
    JOB("second-model=reference", "a.yaml",
        "base_model: Qwen/Qwen2.5-0.5B\nrl: dpo\nsequence_len: 2048\nmicro_batch_size: 2\n");
    JOB("reference=precomputed optimizer=adam8bit", "a.yaml",
        "base_model: Qwen/Qwen2.5-0.5B\nrl: dpo\nsequence_len: 2048\nmicro_batch_size: 2\n"
        "precompute_ref_log_probs: true\noptimizer: paged_adamw_8bit\n");
    JOB("optimizer=lion8bit", "a.sh",
        "python run_clm.py --model_name_or_path gpt2 --per_device_train_batch_size 2 "
        "--optim paged_lion_8bit --block_size 1024\n");
    JOB("optimizer=adafactor", "a.yaml",
        "base_model: Qwen/Qwen2.5-0.5B\nsequence_len: 2048\nmicro_batch_size: 2\n"
        "optimizer: adafactor\n");
}

static void swift(void) {
    CASE("swift");
    JOB("model=Qwen/Qwen2.5-7B-Instruct gpus-per-node=4 cp=4 cp-kind=ulysses seq=8192 zero=3 "
        "micro-batch=1 accumulation=8 precision=bf16 recompute=full adapter=none adapter-rank= "
        "layers=28",
        "a.sh",
        "NPROC_PER_NODE=4 \\\nCUDA_VISIBLE_DEVICES=0,1,2,3 \\\nswift rlhf --rlhf_type dpo "
        "--model Qwen/Qwen2.5-7B-Instruct --tuner_type full --torch_dtype bfloat16 "
        "--per_device_train_batch_size 1 --gradient_accumulation_steps 8 --deepspeed zero3 "
        "--max_length 8192 --sequence_parallel_size 4\n");
    JOB("adapter=qlora base-precision=nf4 adapter-rank=8 adapter-targets=all-linear", "a.sh",
        "swift sft --model Qwen/Qwen2.5-7B-Instruct --train_type lora --quant_bits 4 "
        "--torch_dtype bfloat16 --max_length 2048\n");
    REFUSED("reinforcement", "a.sh",
            "swift rlhf --rlhf_type grpo --model Qwen/Qwen2.5-7B --torch_dtype bfloat16\n");
}

static void trainers_of_2026(void) {
    CASE("NeMo Automodel");
    JOB("layers=16 micro-batch=8 global-batch=64 zero=3 tp=2 cp=1 recompute=selective "
        "precision=bf16 adapter=lora adapter-rank=8 adapter-targets=all-linear seq=4096 hsdp=2",
        "sft.yaml",
        "recipe: TrainFinetuneRecipeForNextTokenPrediction\nstep_scheduler:\n  global_batch_size: "
        "64\n  local_batch_size: 8\nmodel:\n  _target_: "
        "nemo_automodel.NeMoAutoModelForCausalLM.from_pretrained\n  "
        "pretrained_model_name_or_path: meta-llama/Llama-3.2-1B\ndistributed:\n  strategy: "
        "fsdp2\n  tp_size: 2\n  cp_size: 1\n  dp_replicate_size: 2\n  activation_checkpointing: "
        "selective\npeft:\n  _target_: nemo_automodel.components._peft.lora.PeftConfig\n  "
        "match_all_linear: True\npacked_sequence:\n  packed_sequence_size: 4096\n");
    CASE("verl: what it leaves out is its own");
    JOB("layers=24 micro-batch=4 global-batch=256 seq=1024 recompute=full cp=2 cp-kind=ulysses "
        "zero=3 gpus=4 adapter=none",
        "sft.sh",
        "torchrun --standalone --nnodes=1 --nproc_per_node=4 -m verl.trainer.fsdp_sft_trainer "
        "data.micro_batch_size=4 model.partial_pretrain=Qwen/Qwen2.5-0.5B-Instruct "
        "ulysses_sequence_parallel_size=2\n");
    REFUSED("reinforcement learning", "ppo.sh",
            "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo "
            "actor_rollout_ref.model.path=a/b data.train_batch_size=1024\n");
    CASE("OpenRLHF: its command in a here-document; names of before and after 2026");
    JOB("layers=32 micro-batch=2 global-batch=256 seq=4096 zero=3 recompute=full adapter=lora "
        "adapter-rank=16 adapter-targets=all-linear attention=flash2",
        "sft.sh",
        "read -r -d '' training_commands <<EOF\nopenrlhf.cli.train_sft \\\n  --data.max_len 4096 "
        "\\\n  --train.batch_size 256 --train.micro_batch_size 2 --ds.zero_stage 3 \\\n  "
        "--model.model_name_or_path meta-llama/Meta-Llama-3-8B --ds.lora.rank 16 "
        "--model.gradient_checkpointing_enable\nEOF\nif [[ ${1} != \"slurm\" ]]; then\n  deepspeed "
        "--module $training_commands\nfi\n");
    JOB("micro-batch=4 global-batch=64 seq=2048 zero=2 recompute=none adapter=none", "sft.sh",
        "deepspeed --module openrlhf.cli.train_sft --max_len 2048 --train_batch_size 64 "
        "--micro_train_batch_size 4 --pretrain meta-llama/Meta-Llama-3-8B\n");
    CASE("NeMo's launcher: keys within a group that is chosen by name");
    JOB("global-batch=128 precision=fp8 nodes=4", "run.sh",
        "python3 launcher_scripts/main.py training=llama/llama2_13b stages=[training] "
        "training.trainer.num_nodes=4 training.model.global_batch_size=128 "
        "training.model.fp8=True\n");
}

static void kto(void) {
    CASE("KTO trains no pairs: that is said");
    static const char *const stages[] = {"kto", "dpo"};
    for (int s = 0; s < 2; s++) {
        char text[256];
        snprintf(text, sizeof text,
                 "model_name_or_path: a/llama-2-7b\nstage: %s\ndo_train: true\n"
                 "finetuning_type: lora\ntemplate: x\ncutoff_len: 512\n",
                 stages[s]);
        fixture f;
        bool said = false;
        CHECK(fixture_read(&f, (const char *[]){"a.yaml", text, NULL}));
        for (int i = 0; i < f.job.doubts.count; i++)
            said = said || strncmp(f.job.doubts.note[i].why, "KTO", 3) == 0;
        CHECK(said == (s == 0));
        clg_arena_clear(&f.arena);
    }
}

static void unknown_trainers(void) {
    CASE("a trainer that no key tells is a doubt that is said");
    fixture f;
    CHECK(fixture_read(&f, (const char *[]){"mine.yaml",
                                            "model:\n  dim: 1024\n  n_layers: 8\n  n_heads: 8\n"
                                            "distributed:\n  tp_size: 1\ndata:\n  seq_len: 4\n"
                                            "optim:\n  name: adamw\n",
                                            NULL}));
    bool said = false;
    for (int i = 0; i < f.job.doubts.count; i++)
        said = said || strcmp(f.job.doubts.note[i].key, "trainer") == 0;
    CHECK(said);
    clg_arena_clear(&f.arena);
    CHECK(fixture_read(&f, (const char *[]){"sft.yaml", llama_factory, NULL}));
    for (int i = 0; i < f.job.doubts.count; i++)
        CHECK(strcmp(f.job.doubts.note[i].key, "trainer") != 0);
    clg_arena_clear(&f.arena);
}

static void strangers(void) {
    CASE("a trainer that lacks most keys that matter: what it says, and none of its defaults");
    JOB("gpus-per-node=4 micro-batch= zero= recompute= adapter= seq=", "sft.sh",
        "torchrun --nproc_per_node 4 train.py --dataset a --beta 1 --wrapper two --batch_size 8 "
        "--max_len 2048 --grad_checkpoint --lora_rank 32 --accumulation_steps 2 --bf16 True\n");
    CASE("keys that some trainer has, and none that says anything");
    REFUSED("no trainer's keys", "sft.toml",
            "[deployment]\nnum_gpus = 2\n[net]\nname = \"x/y-1.7B\"\n[text]\n"
            "seq_len = 1024\nbatch = 64\nmicro = 1\n[optim]\nlr = 1e-5\n");
}

static void peft_scripts(void) {
    CASE("PEFT's own training script: its names of 4-bit bases and of lengths");
    JOB("adapter=qlora base-precision=nf4 adapter-rank=8 seq=2048 micro-batch=2", "run.sh",
        "accelerate launch train.py --model_name_or_path meta-llama/Llama-2-70b-hf "
        "--max_seq_len 2048 --packing True --bf16 True --per_device_train_batch_size 2 "
        "--use_peft_lora True --lora_r 8 --use_4bit_quantization True\n");
}

static void eight_bit_bases(void) {
    CASE("axolotl: an 8-bit base, whatever is said of 4 bits before");
    JOB("adapter=qlora base-precision=int8 adapter-rank=8", "lora.yml",
        "base_model: meta-llama/Llama-2-7b\nload_in_8bit: true\nload_in_4bit: false\n"
        "adapter: lora\nlora_r: 8\nsequence_len: 512\nmicro_batch_size: 1\n");
}

static void swift_on_megatron(void) {
    CASE("ms-swift's Megatron: its own command, and its defaults");
    JOB("tp=2 ep=8 gpus=8 nodes=1 micro-batch=4 global-batch=16 seq=2048 precision=fp8 zero=1 "
        "recompute=full adapter=none",
        "run.sh",
        "NPROC_PER_NODE=8 \\\nmegatron sft --model Qwen/Qwen3-30B-A3B --fp8_format e4m3 "
        "--tensor_model_parallel_size 2 --expert_model_parallel_size 8 --micro_batch_size 4 "
        "--recompute_granularity full --max_length 2048\n");
    CASE("a trainer's own command on the devices that are visible");
    JOB("gpus=1 nodes=1 global-batch=4 adapter=lora optimizer=muon", "a.sh",
        "CUDA_VISIBLE_DEVICES=0 swift sft --model Qwen/Qwen2.5-7B --tuner_type lora --optimizer "
        "muon "
        "--per_device_train_batch_size 1 --gradient_accumulation_steps 4 --max_length 512\n");
}

static void other_kinds_of_job(void) {
    CASE("reinforcement learning and diffusion are refused in a sentence");
    REFUSED(
        "reinforcement learning", "ppo.yaml",
        "model_name_or_path: a/b\nstage: ppo\nfinetuning_type: lora\ntemplate: x\ndataset: y\n");
    REFUSED("reinforcement learning", "g.sh",
            "trl grpo --model_name_or_path a/b --num_generations 8 --max_prompt_length 512 "
            "--per_device_train_batch_size 1\n");
    REFUSED("reinforcement learning", "run.sh",
            "python train.py --tensor-model-parallel-size 2 --rollout-batch-size 32 "
            "--num-layers 4 --hidden-size 64 --num-attention-heads 4 --micro-batch-size 1\n");
    REFUSED("diffusion", "flux.toml",
            "[model]\nname = \"flux\"\nflavor = \"flux-dev\"\n[training]\nlocal_batch_size = 1\n");
    REFUSED("no trainer's keys", "x.yaml", "a: 1\nb: 2\n");
}

static void litgpt(void) {
    CASE("LitGPT: one GPU keeps what layers leave, several do them again; weights in bf16 alone");
    JOB("gpus-per-node=1 adapter=qlora adapter-rank=32 base-precision=nf4 recompute=none "
        "stack=litgpt "
        "micro-batch=8 seq=512",
        "qlora.yaml",
        "checkpoint_dir: checkpoints/TinyLlama/TinyLlama-1.1B\nprecision: bf16-true\n"
        "quantize: bnb.nf4\ndevices: 1\nlora_r: 32\nlora_query: true\ntrain:\n"
        "  global_batch_size: 8\n  micro_batch_size: 8\n  max_seq_length: 512\n");
    JOB("gpus-per-node=4 adapter=lora recompute=full zero=3", "lora.yaml",
        "checkpoint_dir: checkpoints/TinyLlama/TinyLlama-1.1B\nprecision: bf16-true\n"
        "devices: 4\nlora_r: 32\nlora_query: true\ntrain:\n  global_batch_size: 32\n"
        "  micro_batch_size: 8\n  max_seq_length: 512\n");
}

int main(void) {
    llama_factory_defaults();
    hugging_face();
    axolotl();
    torchtune();
    trl();
    command_lines();
    scripts_of_ones_own();
    second_models();
    swift();
    trainers_of_2026();
    kto();
    unknown_trainers();
    strangers();
    peft_scripts();
    swift_on_megatron();
    eight_bit_bases();
    other_kinds_of_job();
    litgpt();
    return DONE;
}
