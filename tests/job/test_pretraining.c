/* Configurations in the style of trainers that pretrain: fields as their own sources read them. */
#include "job/fixture.h"

static void deepspeed_scripts_with_a_here_document(void) {
    CASE("Megatron-DeepSpeed: a script that writes its DeepSpeed JSON");
    JOB("layers=24 hidden=2048 ffn=5504 kv-heads=4 zero=2 tp=2 pp=1 gpus=16 dp=8 micro-batch=4 "
        "global-batch=64 accumulation=2 precision=bf16 recompute=full attention=unfused",
        "run.sh",
        "ZERO=2\nNNODES=2\ncat <<EOT > ds.json\n"
        "{\"train_micro_batch_size_per_gpu\": 4, \"zero_optimization\": {\"stage\": $ZERO}}\nEOT\n"
        "ARGS=\"--deepspeed --deepspeed_config=ds.json\"\n"
        "ARGS=\"--no-pipeline-parallel $ARGS\"\n"
        "if [ \"${RECOMPUTE:-true}\" = \"true\" ]; then "
        "ARGS=\"--deepspeed-activation-checkpointing "
        "$ARGS\"; fi\n"
        "deepspeed --num_gpus 8 --num_nodes $NNODES pretrain_gpt.py --num-layers 24 --hidden-size "
        "2048 --ffn-hidden-size 5504 --num-attention-heads 16 --num-key-value-heads 4 --swiglu "
        "--tensor-model-parallel-size 2 --micro-batch-size 4 --global-batch-size 64 --bf16 "
        "--seq-length 2048 $ARGS\n");
}

static void deepspeed_shares_out_states_of_bf16(void) {
    CASE("Megatron-DeepSpeed: ZeRO-0 in bf16 is BF16_Optimizer's, which shares out states");
    JOB("zero=1 precision=bf16", "run.sh",
        "deepspeed --num_gpus 8 pretrain_gpt.py --deepspeed --zero-stage 0 --num-layers 24 "
        "--hidden-size 2048 --num-attention-heads 16 --micro-batch-size 4 --global-batch-size 64 "
        "--bf16 --seq-length 2048\n");
    JOB("zero=0 precision=fp16", "run.sh",
        "deepspeed --num_gpus 8 pretrain_gpt.py --deepspeed --zero-stage 0 --num-layers 24 "
        "--hidden-size 2048 --num-attention-heads 16 --micro-batch-size 4 --global-batch-size 64 "
        "--fp16 --seq-length 2048\n");
}

static void nemo_yaml_with_references(void) {
    CASE("NeMo: references of the launcher, relative and computed");
    JOB("layers=96 hidden=12288 ffn=49152 vocab=50257 gpus=1024 nodes=128 tp=4 pp=8 vpp=6 "
        "schedule=interleaved sp=true dp=32 zero=1 micro-batch=1 global-batch=2048 seq=2048 "
        "precision=bf16 recompute=none",
        "gpt.yaml",
        "run:\n  name: gpt3_175b\ntrainer:\n  num_nodes: 128\n  devices: 8\n  precision: bf16\n"
        "exp_manager:\n  x: ${multiply:${training.model.tensor_model_parallel_size}, 2}\n"
        "model:\n  mcore_gpt: true\n  micro_batch_size: 1\n  global_batch_size: 2048\n"
        "  tensor_model_parallel_size: 4\n  pipeline_model_parallel_size: 8\n"
        "  virtual_pipeline_model_parallel_size: 6\n  encoder_seq_length: 2048\n  num_layers: 96\n"
        "  hidden_size: 12288\n  ffn_hidden_size: ${multiply:4, ${.hidden_size}}\n"
        "  num_attention_heads: 96\n  sequence_parallel: true\n"
        "  activations_checkpoint_granularity: null\n  tokenizer:\n    type: GPT2BPETokenizer\n"
        "  optim:\n    name: distributed_fused_adam\n");
}

static void nemo_recipe(void) {
    CASE("NeMo 2: a recipe in Python, what is set on it, and what it sets itself");
    JOB("model=llm.llama3_8b.pretrain_recipe layers=32 nodes=2 gpus-per-node=8 gpus=16 tp=4 pp=2 "
        "cp=2 seq=8192 micro-batch=1 global-batch=512",
        "pretrain.py",
        "import nemo_run as run\nfrom nemo.collections import llm\n"
        "def configure():\n    recipe = llm.llama3_8b.pretrain_recipe(\n        num_nodes=2,\n"
        "        num_gpus_per_node=8,\n    )\n"
        "    recipe.trainer.strategy.tensor_model_parallel_size = 4\n"
        "    recipe.trainer.strategy.pipeline_model_parallel_size = 2\n"
        "    recipe.data.micro_batch_size = 1\n    recipe.data.global_batch_size = 512\n"
        "    return recipe\nrun.run(configure(), executor=run.LocalExecutor())\n");
}

static void bridge_recipe(void) {
    CASE("Megatron-Bridge: the first of several recipes, its GPUs by its name");
    JOB("gpus=32 gpu=h100-sxm tp=4 pp=4 vpp=5 cp=2 dp=1 micro-batch=1 global-batch=512 seq=8192 "
        "precision=bf16 recompute=none zero=1",
        "llama.py",
        "def llama3_70b_pretrain_32gpu_h100_bf16_config() -> ConfigContainer:\n"
        "    cfg = _pretrain_common()\n"
        "    cfg.model = AutoBridge.from_hf_pretrained(\"meta-llama/Meta-Llama-3-70B\")\n"
        "    cfg.model.tensor_model_parallel_size = 4\n"
        "    cfg.model.pipeline_model_parallel_size = 4\n"
        "    cfg.model.virtual_pipeline_model_parallel_size = 5\n"
        "    cfg.model.context_parallel_size = 2\n    cfg.dataset.seq_length = 8192\n"
        "    cfg.train.global_batch_size = 512\n    cfg.train.micro_batch_size = 1\n"
        "    cfg.model.recompute_granularity = None\n    return cfg\n"
        "def llama3_70b_sft_64gpu_h100_bf16_config() -> ConfigContainer:\n"
        "    cfg.model.tensor_model_parallel_size = 8\n");
}

static void bridge_without_graphs(void) {
    CASE("Megatron-Bridge: its library's recipes launch kernels one by one, and say so");
    JOB("tp=4 ep=4 stack=megatron-eager-2026", "qwen.py",
        "def qwen3_30b_a3b_pretrain_config() -> ConfigContainer:\n"
        "    cfg = _pretrain_common()\n"
        "    cfg.model = AutoBridge.from_hf_pretrained(\"Qwen/Qwen3-30B-A3B\")\n"
        "    cfg.model.tensor_model_parallel_size = 4\n"
        "    cfg.model.expert_model_parallel_size = 4\n"
        "    cfg.model.cuda_graph_impl = \"none\"\n"
        "    cfg.train.global_batch_size = 512\n    return cfg\n");
}

static void torchtitan_old_and_new(void) {
    CASE("torchtitan: key names of 2024");
    JOB("model=llama2-70B layers=80 tp=8 sp=true pp=1 micro-batch=16 seq=4096 recompute=full "
        "zero=3 "
        "precision=bf16 optimizer=adam gpus=",
        "llama2_70b.toml",
        "[model]\nname = \"llama2\"\nflavor = \"70B\" # of three\n[optimizer]\nname = \"AdamW\"\n"
        "[training]\nbatch_size = 16\nseq_len = 4_096\ndata_parallel_degree = -1\n"
        "tensor_parallel_degree = 8\npipeline_parallel_degree = 1\n"
        "[activation_checkpoint]\nmode = 'full'\n");
    CASE("torchtitan: key names of 2025, replicas of shards, a pipeline's micro-batch");
    JOB("layers=126 tp=8 pp=2 vpp=2 schedule=interleaved gpus=256 dp=16 hsdp=8 zero=2 "
        "micro-batch=1 "
        "global-batch=32 accumulation=2 seq=8192 precision=fp8 recompute=selective",
        "llama3_405b.toml",
        "job.description = \"405B\"\n[model]\nname = \"llama3\"\nflavor = \"405B\"\n"
        "converters = [\"float8\"]\n[training]\nlocal_batch_size = 2\nseq_len = 8192\n"
        "[parallelism]\ndata_parallel_replicate_degree = 2\ndata_parallel_shard_degree = 8\n"
        "tensor_parallel_degree = 8\npipeline_parallel_degree = 2\n"
        "pipeline_parallel_schedule = \"Interleaved1F1B\"\n");
}

static void torchtitan_in_python(void) {
    static const char registry[] =
        "def _packed() -> int:\n    return 1\n\n\n"
        "def llama3_debugmodel() -> Trainer.Config:\n"
        "    return Trainer.Config(model_spec=model_registry(\"debugmodel\"))\n\n\n"
        "def llama3_70b() -> Trainer.Config:\n"
        "    model_spec = model_registry(\"70B\")\n"
        "    return Trainer.Config(\n"
        "        training=TrainingConfig(\n"
        "            num_tokens_per_microbatch_per_dp_rank=8 * 8192,\n"
        "            max_context_length=8192,\n            steps=1000,\n        ),\n"
        "        parallelism=ParallelismConfig(tensor_parallel_degree=8),\n"
        "        activation_checkpoint=FullAC.Config(),\n"
        "        validator=Validator.Config(steps=7),\n    )\n\n\n"
        "def llama3_70b_fp8() -> Trainer.Config:\n"
        "    config = llama3_70b()\n"
        "    config.compile = CompileConfig(enable=True)\n"
        "    config.model_spec = model_registry(\"70B\", "
        "converters=[Float8LinearConverter.Config()])\n"
        "    config.activation_checkpoint = SelectiveAC.Config()\n"
        "    return config\n";
    CASE("torchtitan in python: the recipe that is asked for, and what it calls");
    JOB("hidden=8192 tp=8 micro-batch=8 seq=8192 recompute=full precision=bf16 "
        "accumulation=1 stack=torchtitan-eager-2025",
        "config_registry.py", registry);
    JOB("hidden=8192 tp=8 gpus=32 dp=2 pp=2 micro-batch=8 accumulation=4 global-batch=64 "
        "recompute=selective precision=fp8 stack=torchtitan-2025 tokens=524288000",
        "run.sh",
        "torchrun --nnodes 4 --nproc_per_node 8 -m torchtitan.train --module llama3 "
        "--config llama3_70b_fp8 --parallelism.pipeline_parallel_degree 2 "
        "--parallelism.num_pp_microbatches 4\n",
        "config_registry.py", registry);
    JOB("hidden=8192 tp=8 micro-batch=8 seq=8192 recompute=full", "run.sh",
        "torchrun --nproc_per_node 8 -m torchtitan.train --module llama3 --config llama3_70b\n");
#define MINE(loss)                                                                                 \
    "def mine() -> Trainer.Config:\n    return Trainer.Config(\n        loss=" loss ",\n"          \
    "        training=TrainingConfig(max_context_length=8192),\n    )\n"
    JOB("recompute=selective term=loss_chunks=8", "mine.py", MINE("ChunkedLossWrapper.Config()"));
    JOB("term=loss_chunks=4", "mine.py", MINE("ChunkedLossWrapper.Config(num_chunks=4)"));
    JOB("tp=4 recompute=none", "run.sh",
        "torchrun --nproc_per_node 8 -m torchtitan.train --module llama3 --config llama3_70b "
        "--parallelism.tensor_parallel_degree 4 activation-checkpoint:none\n");
}

static void shares_of_layers_and_files_around(void) {
    CASE("shares of layers, and a job within what submits it");
    JOB("recompute=full recompute-layers=8 layers=32 micro-batch=2 global-batch=1024", "a.yaml",
        "model: {d_model: 4096, n_heads: 32, n_layers: 32, mlp_hidden_size: 22016, "
        "max_sequence_length: 4096, vocab_size: 100278, activation_type: swiglu}\n"
        "global_train_batch_size: 1024\ndevice_train_microbatch_size: 2\n"
        "activation_checkpointing: one_in_four\nprecision: amp_bf16\n"
        "fsdp: {wrapping_strategy: by_block}\n");
    JOB("gpus=16 seq=4096 global-batch=16 micro-batch=1 optimizer=lion zero=3", "mcli.yaml",
        "name: a\ncompute: {gpus: 16}\ncommand: composer train.py p.yaml\nparameters:\n"
        "  variables: {max_seq_len: 4096}\n  max_seq_len: ${variables.max_seq_len}\n"
        "  model: {pretrained_model_name_or_path: meta-llama/Llama-3.1-70B}\n"
        "  optimizer: {name: decoupled_lionw}\n  global_train_batch_size: 16\n"
        "  device_train_microbatch_size: 1\n  precision: amp_bf16\n"
        "  fsdp_config: {sharding_strategy: FULL_SHARD}\n");
}

static void manifests(void) {
    CASE("manifests of Kubernetes say the machine");
    JOB("gpus=32 gpus-per-node=8 nodes=4 tp=2", "job.yaml",
        "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nspec:\n  pytorchReplicaSpecs:\n"
        "    Master:\n      replicas: 1\n      template: {spec: {containers: [{resources: "
        "{limits: {nvidia.com/gpu: 8}}}]}}\n"
        "    Worker:\n      replicas: 3\n",
        "train.sh",
        "torchrun pretrain_gpt.py --num-layers 8 --hidden-size 64 --num-attention-heads 4 "
        "--tensor-model-parallel-size 2\n");
}

static void neox(void) {
    CASE("GPT-NeoX: a gated width is a third of what is written");
    JOB("layers=32 hidden=4096 ffn=11008 gated=true tied=false tp=2 pp=1 zero=1 micro-batch=4 "
        "accumulation=8 seq=2048 precision=bf16 recompute=full attention=flash2",
        "7B.yml",
        "{\"pipe_parallel_size\": 0, \"model-parallel-size\": 2, \"num_layers\": 32,\n"
        "\"hidden_size\": 4096, \"intermediate_size\": 32768, \"num_attention_heads\": 32,\n"
        "\"seq_length\": 2048, \"pos_emb\": \"rotary\", \"no_weight_tying\": true,\n"
        "\"norm\": \"rmsnorm\", \"activation\": \"swiglu\", \"mlp_multiple_of\": 256,\n"
        "\"attention_config\": [[[\"flash\"], 32]], \"bf16\": {\"enabled\": true},\n"
        "\"zero_optimization\": {\"stage\": 1}, \"train_micro_batch_size_per_gpu\": 4,\n"
        "\"gradient_accumulation_steps\": 8, \"checkpoint_activations\": true,}\n");
}

static void foundry(void) {
    CASE("llm-foundry: variables, and the size of the file");
    JOB("layers=32 hidden=4096 ffn=16384 heads=32 vocab=50368 seq=2048 micro-batch=8 "
        "global-batch=1024 zero=3 recompute=full precision=bf16 attention=flash2",
        "mpt.yaml",
        "variables:\n  max_seq_len: 2048\nmax_seq_len: ${variables.max_seq_len}\nmodel:\n"
        "  name: mpt_causal_lm\n  d_model: 4096\n  n_heads: 32\n  n_layers: 32\n"
        "  expansion_ratio: 4\n  vocab_size: 50368\n  attn_config:\n    attn_impl: flash\n"
        "train_loader:\n  name: text\nglobal_train_batch_size: 1024\n"
        "device_train_microbatch_size: 8\nprecision: amp_bf16\nfsdp_config:\n"
        "  sharding_strategy: FULL_SHARD\n  activation_checkpointing: true\n");
}

static void nanotron(void) {
    CASE("nanotron: degrees give the GPUs");
    JOB("layers=28 hidden=2048 dp=4 tp=2 pp=2 schedule=1f1b sp=true gpus=16 zero=1 micro-batch=3 "
        "accumulation=5 global-batch=60 seq=4096 gated=true tied=true recompute=none",
        "tiny.yaml",
        "data_stages: []\ngeneral:\n  project: debug\nmodel:\n  dtype: bfloat16\n  model_config:\n"
        "    hidden_size: 2048\n    intermediate_size: 11008\n    num_attention_heads: 16\n"
        "    num_hidden_layers: 28\n    num_key_value_heads: 2\n    tie_word_embeddings: true\n"
        "    vocab_size: 128256\noptimizer:\n  zero_stage: 1\nparallelism:\n  dp: 4\n  pp: 2\n"
        "  pp_engine: 1f1b\n  tp: 2\n  tp_mode: REDUCE_SCATTER\ntokens:\n"
        "  batch_accumulation_per_replica: 5\n  micro_batch_size: 3\n  sequence_length: 4096\n");
}

static void olmo(void) {
    CASE("OLMo: gate and input are written together");
    JOB("layers=32 hidden=4096 ffn=11008 seq=4096 global-batch=1024 micro-batch=2 zero=3 "
        "precision=bf16",
        "olmo.yaml",
        "model:\n  d_model: 4096\n  n_heads: 32\n  n_layers: 32\n  mlp_hidden_size: 22016\n"
        "  activation_type: swiglu\n  include_bias: false\n  weight_tying: false\n"
        "  max_sequence_length: 4096\n  vocab_size: 100278\n  embedding_size: 100352\n"
        "global_train_batch_size: 1024\ndevice_train_microbatch_size: 2\nprecision: amp_bf16\n"
        "fsdp:\n  wrapping_strategy: by_block\n  sharding_strategy: FULL_SHARD\n");
    CASE("OLMo-core: a script in Python, batches in tokens");
    JOB("layers=32 seq=4096 global-batch=1024 micro-batch=2 zero=3 precision=bf16 recompute=full",
        "olmo.py",
        "SEQUENCE_LENGTH = 4096\nGLOBAL_BATCH_SIZE = 1024 * SEQUENCE_LENGTH\n"
        "def build_model(common):\n    return TransformerConfig.olmo2_7B(vocab_size=100352)\n"
        "def build_train():\n    return TransformerTrainModuleConfig(\n"
        "        rank_microbatch_size=2 * 4096,\n        optim=AdamWConfig(lr=3e-4),\n"
        "        dp_config=TransformerDataParallelConfig(\n            "
        "name=DataParallelType.hsdp,\n"
        "            param_dtype=DType.bfloat16),\n"
        "        ac_config=TransformerActivationCheckpointingConfig(\n"
        "            mode=TransformerActivationCheckpointingMode.full))\n");
}

static void maxtext(void) {
    CASE("MaxText: axes inside and between machines");
    JOB("model=llama3.1-405b gpus=1024 dp=1024 zero=3 micro-batch=1 global-batch=1024 seq=8192 "
        "recompute=full attention=cudnn",
        "128vm.sh",
        "python3 -m maxtext.train base.yml model_name=llama3.1-405b attention=cudnn_flash_te \\\n"
        "  remat_policy=full per_device_batch_size=1.0 max_target_length=8192 \\\n"
        "  dcn_fsdp_parallelism=128 ici_fsdp_parallelism=8 dataset_type=synthetic\n");
    CASE("MaxText: little kept is nearly full recomputation, all products are not");
    JOB("model=llama2-70b recompute=full", "qkv.sh",
        "python3 -m maxtext.train base.yml model_name=llama2-70b remat_policy=save_qkv_proj\n");
    JOB("model=llama2-70b recompute=selective", "minimal.sh",
        "python3 -m maxtext.train base.yml model_name=llama2-70b remat_policy=minimal\n");
}

static void primus(void) {
    CASE("Primus: overrides within a module, an environment's defaults");
    JOB("model=llama3.1_8B.yaml layers=32 gpu=mi300x tp=1 micro-batch=4 global-batch=128 seq=8192 "
        "precision=fp8 zero=1",
        "configs/MI300X/llama.yaml",
        "work_group: ${PRIMUS_TEAM:amd}\nexp_name: ${PRIMUS_EXP_NAME:x}\nworkspace: ./output\n"
        "modules:\n  pre_trainer:\n    framework: megatron\n    model: llama3.1_8B.yaml\n"
        "    overrides:\n      micro_batch_size: 4\n      global_batch_size: ${GBS:128}\n"
        "      seq_length: 8192\n      tensor_model_parallel_size: ${PRIMUS_TP:1}\n"
        "      pipeline_model_parallel_size: 1\n      fp8: hybrid\n");
}

static void olmo_and_stable(void) {
    CASE("OLMoE: experts half as wide as written, one that is shared (allenai/OLMoE, Apache-2.0)");
    JOB("layers=16 hidden=2048 experts=32 experts-per-token=3 expert-ffn=2048 shared-ffn=2048 "
        "micro-batch=8 global-batch=1024 zero=3",
        "olmoe.yml",
        "model:\n  d_model: 2048\n  n_heads: 16\n  n_layers: 16\n  mlp_ratio: 2\n"
        "  weight_tying: false\n  include_bias: false\n  block_type: moe\n"
        "  activation_type: swiglu\n  max_sequence_length: 4096\n  vocab_size: 50280\n"
        "  embedding_size: 50304\n  moe_top_k: 3\n  moe_shared_expert: true\n"
        "  moe_num_experts: 32\n  moe_dropless: true\nglobal_train_batch_size: 1024\n"
        "device_train_microbatch_size: 8\nprecision: amp_bf16\ndistributed_strategy: fsdp\n"
        "fsdp:\n  sharding_strategy: FULL_SHARD\n");
    CASE("GPT-NeoX of 2023: a gated MLP's width, steps as \"gas\" (Stability-AI/StableLM, "
         "Apache-2.0)");
    JOB("layers=40 hidden=5120 ffn=13824 gated=true kv-heads=8 tp=2 pp=1 accumulation=8 "
        "precision=bf16 recompute=full zero=1",
        "stablelm-2-12b.yml",
        "{\n  \"pipe-parallel-size\": 0,\n  \"model-parallel-size\": 2,\n  \"num-layers\": 40,\n"
        "  \"hidden-size\": 5120,\n  \"num-attention-heads\": 32,\n  \"num_kv_heads\": 8,\n"
        "  \"seq-length\": 4096,\n  \"mlp_multiple_of\": 256,\n  \"mlp_type\": \"gated\",\n"
        "  \"no-weight-tying\": true, # as published\n  \"zero_optimization\": {\"stage\": 1,},\n"
        "  \"train_micro_batch_size_per_gpu\": 1,\n  \"gas\": 8,\n"
        "  \"checkpoint-activations\": true,\n  \"precision\": \"bfloat16\",\n}\n");
}

static void filled_in(void) {
    CASE("a template: what is filled in later is not known, the rest is");
    JOB("micro-batch=1 accumulation=8 adapter=lora adapter-rank=8 recompute=full gpus=",
        "lora_phi3.yaml",
        "model:\n  _component_: torchtune.models.phi3.lora_phi3_mini\n  lora_rank: 8\n"
        "checkpointer:\n  checkpoint_dir: {{model_dir}}\n  checkpoint_files: [\n    a-1.bin,\n"
        "    a-2.bin\n  ]\n{% if long %}\n{%- endif %}\nbatch_size: 1\n"
        "gradient_accumulation_steps: 8\nenable_activation_checkpointing: True\n"
        "output_dir: {{log_dir}}/out\nmetric_logger:\n  _component_: "
        "torchtune.training.metric_logging.{{metric_logger}}\n");
}

static void megablocks_experts(void) {
    CASE("megablocks: experts over data-parallel ranks; positions that nobody gives are empty");
    JOB("experts=64 experts-per-token=1 ep=8 dp=8 gpus=8 micro-batch=8 optimizer=adafactor",
        "dmoe.sh",
        "NUM_EXPERTS=64\nif [ -n \"${3}\" ]; then\n    NUM_EXPERTS=$3;\nfi\nB=${6}\nB=${B:-8}\n"
        "MOE=\"\\\n--moe-num-experts=${NUM_EXPERTS} \\\n--moe-top-k=1\"\n"
        "torchrun --nproc_per_node 8 --nnodes 1 third_party/Megatron-LM/pretrain_gpt.py ${MOE} "
        "--num-layers 24 --hidden-size 1536 --num-attention-heads 16 --seq-length 1024 "
        "--micro-batch-size $B --global-batch-size 512 --optimizer adafactor --fp16 "
        "--moe-expert-model-parallelism --use-flash-attn |& tee train.log\n");
}

static void stages_of_torchtitan(void) {
    static const char toml[] = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[parallelism]\n"
                               "pipeline_parallel_degree = 4\n"
                               "pipeline_parallel_schedule = \"1F1B\"\n";
    char text[512];
    CASE("torchtitan: embedding and head count as a layer each, 34 over 4; the rest stand first");
    JOB("stage-layers=8,9,8,7 vpp=1", "train.toml", toml);
    snprintf(text, sizeof text,
             "%spipeline_parallel_first_stage_less_layers = 0\n"
             "pipeline_parallel_last_stage_less_layers = 0\n",
             toml);
    JOB("stage-layers= vpp=1", "train.toml", text);
    snprintf(text, sizeof text, "%spipeline_parallel_layers_per_stage = 5\n", toml);
    JOB("vpp=2 stage-layers=4,5,4,4,4,4,4,3", "train.toml", text);
}

/* Trainers of one file each: names that no other has, and what they stand for. */
static void lesser_known(void) {
    CASE("LitGPT: sizes of the file, the batch in sequences, FSDP");
    JOB("layers=16 hidden=2048 ffn=5632 heads=32 kv-heads=4 vocab=32000 seq=2048 micro-batch=4 "
        "global-batch=512 zero=3 precision=bf16 recompute=none gated=true",
        "a.yaml",
        "model:\n  name: mine\n  block_size: 2048\n  padded_vocab_size: 32000\n  n_layer: 16\n"
        "  n_head: 32\n  n_embd: 2048\n  n_query_groups: 4\n  intermediate_size: 5632\n"
        "  mlp_class_name: LLaMAMLP\ntokenizer_dir: checkpoints/x\ntrain:\n"
        "  global_batch_size: 512\n  micro_batch_size: 4\n  lr_warmup_steps: 2000\n"
        "  max_seq_length: null\n  max_norm: 1.0\n");
    CASE("Oumi: a section each for model, training and FSDP");
    JOB("model=meta-llama/Llama-3.1-8B zero=3 micro-batch=2 accumulation=4 seq=8192 "
        "recompute=full precision=bf16 offload=true adapter=lora adapter-rank=64",
        "a.yaml",
        "model:\n  model_name: meta-llama/Llama-3.1-8B\n  model_max_length: 8192\n"
        "  torch_dtype_str: bfloat16\ntraining:\n  trainer_type: TRL_SFT\n  use_peft: true\n"
        "  per_device_train_batch_size: 2\n  gradient_accumulation_steps: 4\n"
        "  enable_gradient_checkpointing: true\npeft:\n  lora_r: 64\nfsdp:\n"
        "  enable_fsdp: true\n  cpu_offload: true\n");
    CASE("Meta Lingua: batches of one rank, shards and copies");
    JOB("layers=25 hidden=2048 heads=16 seq=8192 micro-batch=1 accumulation=16 zero=3 tp=1 "
        "precision=bf16 recompute=selective dp=16 hsdp=8",
        "a.yaml",
        "grad_acc_steps: 16\ndistributed:\n  fsdp_type: full_shard\n  dp_shard: 8\n"
        "  dp_replicate: 2\n  selective_activation_checkpointing: true\n  tp_size: 1\nmodel:\n"
        "  dim: 2048\n  n_layers: 25\n  n_heads: 16\ndata:\n  batch_size: 1\n  n_views: 2\n"
        "  seq_len: 8192\n");
    CASE("InternEvo: tables within tables, sizes by constants; isp splits the sequence");
    JOB("layers=32 hidden=4096 heads=32 vocab=103168 seq=4096 micro-batch=2 accumulation=4 tp=1 "
        "cp=4 cp-kind=ulysses pp=2 zero=1 recompute=full precision=bf16",
        "a.py",
        "SEQ_LEN = 4096\nHIDDEN = 4096\ndata = dict(\n    seq_len=SEQ_LEN,\n    micro_num=4,\n"
        "    micro_bsz=2,\n)\nmodel = dict(\n    checkpoint=True,\n"
        "    num_attention_heads=32,\n    hidden_size=HIDDEN,\n    num_layers=32,\n"
        "    vocab_size=103168,\n    dtype=\"torch.bfloat16\",\n)\nparallel = dict(\n"
        "    zero1=dict(size=-1),\n    tensor=dict(size=4, mode=\"isp\"),\n"
        "    pipeline=dict(size=2, interleaved_overlap=True),\n    weight=dict(size=4),\n)\n");
    CASE("XTuner: a model that is a table, accumulation by its own name");
    JOB("model=meta-llama/Meta-Llama-3-8B seq=2048 micro-batch=1 accumulation=16 precision=fp16 "
        "adapter=lora adapter-rank=32 recompute=full",
        "a.py",
        "path = \"meta-llama/Meta-Llama-3-8B\"\nmax_length = 2048\npack_to_max_length = True\n"
        "batch_size = 1\naccumulative_counts = 16\nmodel = dict(\n    type=SupervisedFinetune,\n"
        "    llm=dict(type=A.from_pretrained, pretrained_model_name_or_path=path),\n"
        "    lora=dict(type=LoraConfig, r=32),\n)\n"
        "optim_wrapper = dict(optimizer=dict(type=AdamW, lr=1e-4), dtype=\"float16\")\n");
    CASE("TRL in Python: the model is what from_pretrained is given, the rank what PEFT is");
    JOB("model=Qwen/Qwen2.5-3B-Instruct seq=2048 micro-batch=2 accumulation=4 adapter=qlora "
        "adapter-rank=32 precision=bf16",
        "a.py",
        "model, tok = FastLanguageModel.from_pretrained(\n    \"Qwen/Qwen2.5-3B-Instruct\",\n"
        "    max_seq_length=2048, load_in_4bit=True)\n"
        "model = FastLanguageModel.get_peft_model(model, r=32)\n"
        "SFTTrainer(model=model, args=SFTConfig(per_device_train_batch_size=2,\n"
        "    gradient_accumulation_steps=4)).train()\n");
}

static void files_in_manifests(void) {
    CASE("a ConfigMap's files, and what a later document runs");
    JOB("layers=80 tp=2 micro-batch=10 gpus=32 dp=16 recompute=full", "job.yaml",
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  llama.toml: |\n    [model]\n"
        "    name = \"llama3\"\n    flavor = \"70B\"\n    [training]\n    local_batch_size = 10\n"
        "    seq_len = 8192\n    [parallelism]\n    tensor_parallel_degree = 2\n"
        "    [activation_checkpoint]\n    mode = \"full\"\n---\napiVersion: kubeflow.org/v1\n"
        "kind: PyTorchJob\nspec:\n  template:\n    containers:\n    - command:\n"
        "      - /bin/bash\n      - -c\n      - |\n        torchrun --nproc_per_node=8 \\\n"
        "          --nnodes=4 -m torchtitan.train --job.config_file /config/llama.toml\n");
    CASE("a list with remarks, a group's size, a manifest's own variables");
    JOB("tp=8 pp=2 nodes=2 gpus-per-node=8", "lws.yaml",
        "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nspec:\n"
        "  leaderWorkerTemplate:\n    size: 2\n    leaderTemplate:\n      containers:\n"
        "      - env:\n        - name: SIZE\n          value: 405B\n        command:\n"
        "        - python3\n        - -m\n        - vllm.entrypoints.openai.api_server\n"
        "        - --model\n        - meta-llama/Llama-3.1-$(SIZE)-Instruct\n"
        "        - --tensor-parallel-size\n        - \"8\" # of a node\n"
        "        - --pipeline-parallel-size\n        - $(LWS_GROUP_SIZE)\n"
        "        resources: {limits: {nvidia.com/gpu: \"8\"}}\n");
    CASE("compose: what its image's program is given");
    JOB("tp=4 max-sequences=128", "compose.yml",
        "services:\n  a:\n    image: vllm/vllm-openai:v0.8.5\n    command: >\n"
        "      --model Qwen/Qwen2.5-72B-Instruct\n      --tensor-parallel-size 4\n"
        "      --max-num-seqs 128\n");
    JOB("tp=2", "run.sh",
        "docker run --gpus all -p 8000:8000 --ipc=host vllm/vllm-openai:latest "
        "--model mistralai/Mistral-7B-v0.1 --tensor-parallel-size 2\n");
    CASE("a task of dstack");
    JOB("gpus=8 gpu=h100-sxm nodes=1 seq=512 micro-batch=8", "a.dstack.yml",
        "type: task\nenv:\n  - ID=meta-llama/Llama-3.1-8B\ncommands:\n  - pip install trl\n"
        "  - accelerate launch train.py\n    --model_name_or_path $ID\n    --max_seq_len 512\n"
        "    --per_device_train_batch_size 8 --bf16 True\nresources:\n  gpu: H100:8\n");
    JOB("tp=8", "b.dstack.yml",
        "type: service\ncommands:\n  - |\n    vllm serve openai/gpt-oss-120b \\\n"
        "      --tensor-parallel $DSTACK_GPUS_NUM\nresources:\n  gpu: MI300X:8\n");
}

static void scripts_that_write_what_they_start(void) {
    CASE("a script printed by cat, written by echo and started");
    JOB("model=llama3_70b gpus=32 gpu=h100-sxm tp=4 pp=4 vpp=2 precision=fp8 global-batch=512",
        "launch.sh",
        "work=$(cat <<- EOM\n  if [ \"\\$RANK\" -eq \"0\" ]; then env ; fi ;\n"
        "  numactl --membind=0 python scripts/performance/run_script.py --gpu h100 \\\n"
        "    --model_recipe_name llama3_70b --num_gpus 32 --compute_dtype fp8_cs \\\n"
        "    --global_batch_size 512 --tensor_model_parallel_size 4 \\\n"
        "    --pipeline_model_parallel_size 4 --virtual_pipeline_model_parallel_size 2\nEOM\n)\n"
        "echo \"$work\" > work.sh\ntorchrun --nproc-per-node=8 --no-python bash work.sh\n");
}

static void sections_of_flagscale(void) {
    CASE("FlagScale: Megatron's flags in sections, of equals the trainer that others are based on");
    JOB("layers=80 tp=8 pp=4 sp=true zero=1 seq=8192 precision=bf16 micro-batch=1 gpus=32",
        "train.yaml",
        "experiment:\n  task: {type: train, backend: megatron}\n  runner: {nnodes: 4, "
        "nproc_per_node: 8}\n",
        "70b.yaml",
        "system:\n  tensor_model_parallel_size: 8\n  pipeline_model_parallel_size: 4\n"
        "  sequence_parallel: True\n  use_distributed_optimizer: True\n  precision: {bf16: True}\n"
        "model:\n  num_layers: 80\n  hidden_size: 8192\n  num_attention_heads: 64\n"
        "  seq_length: 8192\n  micro_batch_size: 1\n");
    CASE("FlagScale: the width of the feed-forward layers, up to multiple_of");
    JOB("hidden=4096 ffn=11008 tp=1", "train.yaml",
        "experiment:\n  task: {type: train, backend: megatron}\n  runner: {nnodes: 4, "
        "nproc_per_node: 8}\n",
        "7b.yaml",
        "system:\n  tensor_model_parallel_size: 1\n  precision: {bf16: True}\n"
        "model:\n  num_layers: 32\n  hidden_size: 4096\n  num_attention_heads: 32\n"
        "  swiglu: true\n  multiple_of: 256\n  seq_length: 2048\n  micro_batch_size: 2\n");
    JOB("tp=2", "a.sh",
        "python p.py --tensor-model-parallel-size 2 --num-layers 2 --hidden-size 64 "
        "--num-attention-heads 4 --micro-batch-size 1\n");
}

static void a_shape_changed_by_hand(void) {
    CASE("run_clm with sizes of its own is not the model whose configuration it starts from");
    JOB("model= layers= micro-batch=4", "run.sh",
        "torchrun --nproc_per_node 8 run_clm.py --config_name gpt2 --config_overrides "
        "\"n_embd=1600,n_head=25,n_layer=48\" --per_device_train_batch_size 4\n");
}

int main(void) {
    a_shape_changed_by_hand();
    olmo_and_stable();
    filled_in();
    megablocks_experts();
    deepspeed_scripts_with_a_here_document();
    deepspeed_shares_out_states_of_bf16();
    nemo_yaml_with_references();
    nemo_recipe();
    bridge_recipe();
    bridge_without_graphs();
    torchtitan_old_and_new();
    torchtitan_in_python();
    shares_of_layers_and_files_around();
    manifests();
    neox();
    foundry();
    nanotron();
    olmo();
    maxtext();
    primus();
    stages_of_torchtitan();
    lesser_known();
    files_in_manifests();
    scripts_that_write_what_they_start();
    sections_of_flagscale();
    return DONE;
}
