/* What a job's files only describe or name: engines in values of charts, parameters of scripts that
 * no file states, files that are not here. */
#include "job/fixture.h"

static void values_of_charts(void) {
    CASE("a chart whose values describe an engine");
    JOB("model=Qwen/Qwen2.5-14B-Instruct tp=4 gpus=4 gpu=a100-sxm-80gb memory-share=0.9 "
        "max-sequences=64 engine=vllm",
        "values.yaml",
        "servingEngineSpec:\n  modelSpec:\n  - name: q\n    modelURL: Qwen/Qwen2.5-14B-Instruct\n"
        "    requestGPU: 4\n    requestGPUType: a100-80gb\n    vllmConfig:\n"
        "      tensorParallelSize: 4\n      gpuMemoryUtilization: 0.9\n"
        "      enablePrefixCaching: true\n      extraArgs: [\"--max-num-seqs\", \"64\"]\n");
    CASE("an object of Kubernetes that names its model by address");
    JOB("model=org/Llama-3.1-8B-Instruct tp=8 gpus=8 gpu=h100-sxm cache=fp8", "model.yaml",
        "apiVersion: kubeai.org/v1\nkind: Model\nspec:\n  url: hf://org/Llama-3.1-8B-Instruct\n"
        "  engine: VLLM\n  args: [--tensor-parallel-size=8, --kv-cache-dtype=fp8]\n"
        "  resourceProfile: nvidia-gpu-h100:8\n");
    CASE("KServe: parallelism of its object, flags in a variable of the container");
    JOB("model=org/Qwen2.5-7B-Instruct dp=4 tp=2 ep=8 gpus-per-node=8 memory-share=0.95",
        "llm.yaml",
        "kind: LLMInferenceService\nspec:\n  model:\n    uri: hf://org/Qwen2.5-7B-Instruct\n"
        "  parallelism:\n    data: 4\n    expert: true\n    tensor: 2\n  template:\n"
        "    containers:\n    - name: main\n      env:\n      - name: VLLM_ADDITIONAL_ARGS\n"
        "        value: \"--gpu-memory-utilization 0.95\"\n      resources:\n        limits:\n"
        "          nvidia.com/gpu: \"8\"\n");
    JOB("model=org/Qwen2.5-7B-Instruct tp=2 ep= memory-share=", "llm.yaml",
        "kind: LLMInferenceService\nspec:\n  model:\n    uri: hf://org/Qwen2.5-7B-Instruct\n"
        "  parallelism:\n    expert: false\n    tensor: 2\n  template:\n    containers:\n"
        "    - env:\n      - name: VLLM_ADDITIONAL_ARGS\n        value: \"$(cat flags)\"\n");
    CASE("a chart whose image is told its command");
    JOB("model=org/Qwen2.5-7B-Instruct tp=2 engine=vllm", "values.yaml",
        "image:\n  repository: vllm/vllm-openai\n  tag: latest\n  command: [vllm, serve, "
        "org/Qwen2.5-7B-Instruct, --tensor-parallel-size, \"2\"]\n");
    CASE("applications of Ray Serve, in YAML and in Python");
    JOB("model=deepseek-ai/DeepSeek-R1 tp=8 pp=2 gpu=h100-sxm gpus=16", "serve.yaml",
        "applications:\n- args:\n    llm_configs:\n    - model_loading_config:\n"
        "        model_id: r1\n        model_source: deepseek-ai/DeepSeek-R1\n"
        "      accelerator_type: H100\n      engine_kwargs:\n        tensor_parallel_size: 8\n"
        "        pipeline_parallel_size: 2\n");
    JOB("model=deepseek-ai/DeepSeek-R1 tp=8 pp=2 gpu=h100-sxm gpus=16", "serve.py",
        "c = LLMConfig(model_loading_config=dict(model_id=\"r1\", "
        "model_source=\"deepseek-ai/DeepSeek-R1\"), accelerator_type=\"H100\",\n"
        "  engine_kwargs=dict(tensor_parallel_size=8, pipeline_parallel_size=2))\n");
}

static void clients_are_no_jobs(void) {
    CASE("the server of a page, not what asks it");
    JOB("model=org/Qwen2.5-7B-Instruct tp=4", "README.md",
        "```bash\nvllm serve org/Qwen2.5-7B-Instruct --tensor-parallel-size 4\n```\n"
        "```bash\nvllm bench serve --model other/model --dataset-name random --num-prompts 10 "
        "--random-input-len 1024 --random-output-len 8 --host a --port 1\n```\n");
}

/* Quotes and conditions of another language must not swallow the command below. */
static void fences_of_anything(void) {
    CASE("fences that name no language and are no script: an answer in Python, prose");
    JOB("micro-batch=16 seq=1024 zero=3", "README.md",
        "```\nSure:\n\ndef sort(a):\n    if len(a) <= 1:\n        return a\n    for x in a:\n"
        "        print(x)\n```\n```\nit doesn't end\n```\n```\ndeepspeed sft.py "
        "--model_max_length 1024 --per_device_train_batch_size 16 --deepspeed "
        "ds_zero3.json\n```\n");
}

/* Pods that a resource counts apart: a head and its groups, a leader and its workers. */
static void pods_apart(void) {
    CASE("a Ray cluster's head and workers hold the GPUs of one engine");
    JOB("model=/m/deepseek-r1 tp=16 gpus-per-node=8 nodes=2 gpus=16", "fleet.yaml",
        "apiVersion: x/v1\nkind: RayClusterFleet\nspec:\n  headGroupSpec:\n    template:\n"
        "      containers:\n      - command: [\"/bin/bash\", \"-lc\", \"--\"]\n"
        "        args: [\"vllm serve /m/deepseek-r1 --tensor-parallel-size 16\"]\n"
        "        resources: {limits: {nvidia.com/gpu: 8}}\n  workerGroupSpecs:\n"
        "  - replicas: 1\n    template:\n      containers:\n      - command: [\"ray\"]\n"
        "        resources: {limits: {nvidia.com/gpu: 8}}\n");
    CASE("a leader's ranks and its workers'");
    JOB("dp=2 gpus-per-node=1 nodes=2 gpus=2", "serving.yaml",
        "apiVersion: x/v1\nkind: ModelServing\nspec:\n  roles:\n  - entryTemplate:\n"
        "      containers:\n      - command: [vllm, serve, Qwen/Qwen3-8B, "
        "--data-parallel-size, \"2\"]\n        resources: {limits: {nvidia.com/gpu: \"1\"}}\n"
        "    workerReplicas: 1\n");
}

static void headers_of_pbs(void) {
    CASE("PBS: nodes of its header, and a sourced file whose name a parameter says");
    JOB("nodes=4 gpus-per-node=8 gpus=32 layers=40 tp=2", "job.sh",
        "#PBS -l select=4\n#PBS -l walltime=1:00:00\nNUM_GPUS_PER_NODE=8\n"
        "source ${DIR}/params/${PARAM_NAME}.sh\n"
        "mpirun -np $NP --npernode $NUM_GPUS_PER_NODE python pretrain_gpt.py ${ALL_PARAMS[@]}\n",
        "v3-13b.sh",
        "ALL_PARAMS=(--num-layers 40 --hidden-size 5120 --num-attention-heads 40 --seq-length 4096 "
        "--micro-batch-size 4 --global-batch-size 1024 --tensor-model-parallel-size 2)\n");
}

static void values_nobody_knows(void) {
    CASE("a DeepSpeed file that a variable names: its stage is not known");
    JOB("zero= micro-batch=2", "run.sh",
        "deepspeed train.py --model_name_or_path x --num_train_epochs 1 "
        "--per_device_train_batch_size 2 --deepspeed $CONFIG\n");
    CASE("a file that is here says itself what its name lets guess");
    JOB("zero=2 offload=", "run.sh",
        "deepspeed run_clm.py --deepspeed ds_offload.json --per_device_train_batch_size 2\n",
        "ds_offload.json", "{\"zero_optimization\": {\"stage\": 2}}");
    JOB("zero=2 offload=false", "run.sh",
        "deepspeed run_clm.py --deepspeed ds_zero2_no_offload.json --num_train_epochs 2\n");
    CASE("a kind of tokenizer is no vocabulary where another model's is named");
    JOB("vocab=", "run.sh",
        "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --hidden-size 64 "
        "--num-attention-heads 8 --tokenizer-type Llama2Tokenizer --tokenizer-model "
        "my-100k.model\n");
    JOB("vocab=32000", "run.sh",
        "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --hidden-size 64 "
        "--num-attention-heads 8 --tokenizer-type Llama2Tokenizer --tokenizer-model "
        "$D/tokenizer.model\n");
    CASE("nodes that only a template says");
    JOB("gpus-per-node=8 nodes=", "run.sh",
        "torchrun --nproc_per_node=8 --nnodes=$N train.py --model_name_or_path x "
        "--per_device_train_batch_size 1 --num_train_epochs 1\n");
}

static void files_not_here(void) {
    CASE("all that is trained stands in a file that is not here");
    REFUSED("give fft-8b.yaml together with it", "run.sh",
            "accelerate launch -m axolotl.cli.train -- examples/fft-8b.yaml\n");
    REFUSED("task.dstack.yml:3", "task.dstack.yml",
            "type: task\ncommands:\n  - accelerate launch -m axolotl.cli.train a/fft-8b.yaml\n"
            "resources:\n  gpu: MI300X\n");
}

static void arguments_of_recipes(void) {
    CASE("a recipe handed to partial, and what the parser of the command line says");
    JOB("nodes=2 gpus-per-node=8 gpus=16 cp=2 layers=12 hidden=768", "pretrain.py",
        "def parser():\n    p = argparse.ArgumentParser()\n"
        "    p.add_argument(\"--nodes\", type=int, default=2)\n"
        "    p.add_argument(\"--gpu-devices\", type=int, default=8)\n    return p\n"
        "args = parser().parse_args()\n"
        "recipe = partial(llm.llama31_8b.pretrain_recipe, num_nodes=args.nodes)(name=\"x\")\n"
        "recipe.trainer.devices = args.gpu_devices\n"
        "recipe.model = run.Config(llm.Llama3Config8B, num_layers=12, hidden_size=768)\n");
}

static void makefiles_and_notebooks(void) {
    CASE("recipes of a makefile: variables, a shell's own, functions, lines that go on");
    JOB("gpus=8 micro-batch=2 seq=1024 precision=fp16", "Makefile",
        "# trains\nBATCH ?= 2\nNGPU := 8\nexport SEQ = 1024 # tokens\n.PHONY: train\n"
        "train: data\n\t@echo $$HOME\n\t-torchrun --nproc_per_node=$(NGPU) run_clm.py \\\n"
        "\t  --model_name_or_path gpt2-xl --per_device_train_batch_size ${BATCH} \\\n"
        "\t  --block_size $(SEQ) --fp16 --do_train\n");
    JOB("micro-batch=", "train.mk",
        "all:\n\ttorchrun --nproc_per_node=8 run_clm.py --model_name_or_path gpt2-xl "
        "--per_device_train_batch_size $(word 2,3 4) --do_train --block_size 512\n");
    CASE("a value of a notebook says the notebook's line");
    static const char notebook[] =
        "{\"cells\": [{\"cell_type\": \"markdown\", \"source\": [\"batch_size=9\"]},\n"
        "{\"cell_type\": \"code\", \"outputs\": [{\"text\": \"r=99\"}], \"source\": [\n"
        "\"!pip install trl\\n\",\n\"args = SFTConfig(per_device_train_batch_size=4,\\n\",\n"
        "\"  gradient_accumulation_steps=8, max_length=2048)\\n\",\n"
        "\"model = AutoModelForCausalLM.from_pretrained('meta-llama/Llama-3.1-8B', "
        "load_in_4bit=True)\\n\",\n\"peft_config = LoraConfig(r=16, lora_alpha=32)\"]}]}\n";
    fixture f;
    const char *const files[] = {"a.ipynb", notebook, NULL, NULL};
    CHECK(fixture_read(&f, files));
    CHECK(fixture_is(&f, "micro-batch=4 accumulation=8 seq=2048 adapter=qlora adapter-rank=16"));
    CHECK(strncmp(f.job.field[CLG_JOB_MICRO_BATCH].from, "a.ipynb:4 ", 10) == 0);
    clg_arena_clear(&f.arena);
    CASE("nodes of an engine, each a pod with some of its GPUs");
    JOB("gpus=16 nodes=2 tp=16 ep=16", "a.yaml",
        "apiVersion: apps/v1\nkind: StatefulSet\nspec:\n  replicas: 2\n  template:\n    spec:\n"
        "      containers:\n      - command: [bash, -c]\n        args:\n        - |\n"
        "          python3 -m sglang.launch_server --model-path /m --tp-size 16 --nnodes 2 "
        "--ep-size 16\n        resources:\n          limits:\n            nvidia.com/gpu: 8\n");
}

static void newer_words_of_engines(void) {
    CASE("newer words of engines: short flags, subcommands");
    JOB("tp=2 dp=8 ep=16 weights=fp8", "a.sh",
        "vllm serve deepseek-ai/DeepSeek-V3 -tp 2 -dp 8 -ep -q fp8 --max-num-seqs 64\n");
    JOB("engine=sglang tp=1 dp=8 ep=8", "a.sh",
        "sglang serve --model-path deepseek-ai/DeepSeek-V3 --tp 8 --dp 8 --ep 8 "
        "--enable-dp-attention\n");
    JOB("engine=trtllm model=deepseek-ai/DeepSeek-V3 tp=8", "a.sh",
        "trtllm-serve serve deepseek-ai/DeepSeek-V3 --tp_size 8\n");
}

static void nodes_and_services(void) {
    CASE("a manifest's node: by a label, among affinities, as a machine that is rented");
#define POD                                                                                        \
    "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-openai:v0.11.0\n"       \
    "    args: [\"--model\", \"Qwen/Qwen3-32B\"]\n"
    JOB("gpu=l4", "a.yaml",
        POD "  nodeSelector:\n    cloud.google.com/gke-accelerator: nvidia-l4\n");
    JOB("gpu=h100-sxm", "a.yaml",
        POD "  nodeSelector:\n    node.kubernetes.io/instance-type: p5.48xlarge\n");
    JOB("gpu=l40s", "a.yaml",
        POD "  affinity:\n    nodeAffinity:\n      all:\n      - key: nvidia.com/gpu.product\n"
            "        operator: In\n        values: [NVIDIA-L40S]\n");
    JOB("gpu=", "a.yaml", POD "  nodeSelector:\n    pool: nvidia-l4\n");
    CASE("a folder's name says a GPU where it can be nothing else");
    JOB("gpu=", "runs/a10/a.yaml", POD);
    JOB("gpu=h100-sxm", "runs/h100/a.yaml", POD);
    CASE("Ray's service: engines in the text of its configuration, or as variables");
    JOB("model=Qwen/Qwen3-32B tp=4 gpu=h100-sxm", "a.yaml",
        "apiVersion: ray.io/v1\nkind: RayService\nspec:\n  serveConfigV2: |\n    applications:\n"
        "    - args:\n        llm_configs:\n        - model_loading_config: {model_source: "
        "Qwen/Qwen3-32B}\n          engine_kwargs: {tensor_parallel_size: 4}\n"
        "          accelerator_type: H100\n");
    JOB("model=Qwen/Qwen3-32B tp=2 pp=3", "a.yaml",
        "apiVersion: ray.io/v1\nkind: RayService\nspec:\n  serveConfigV2: |\n    applications:\n"
        "    - runtime_env:\n        env_vars:\n          MODEL_ID: Qwen/Qwen3-32B\n"
        "          TENSOR_PARALLELISM: \"2\"\n          PIPELINE_PARALLELISM: \"3\"\n");
    CASE("a server of Baseten's: its start command and its accelerators");
    JOB("model=Qwen/Qwen3-32B tp=4 gpus-per-node=4 gpu=h100-sxm", "config.yaml",
        "base_image: {image: x}\ndocker_server:\n  start_command: sh -c \"A=$(cat /b) vllm serve "
        "Qwen/Qwen3-32B --tensor-parallel-size 4\"\nresources:\n  accelerator: H100:4\n");
}

int main(void) {
    newer_words_of_engines();
    nodes_and_services();
    values_of_charts();
    clients_are_no_jobs();
    fences_of_anything();
    pods_apart();
    headers_of_pbs();
    values_nobody_knows();
    files_not_here();
    arguments_of_recipes();
    makefiles_and_notebooks();
    return DONE;
}
