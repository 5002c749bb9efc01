#!/bin/sh
# Files of a job: as an answer, and in MODEL's place.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect

cat >"$scratch/train.sh" <<'X'
#!/bin/bash
#SBATCH --nodes=2
#SBATCH --gres=gpu:a100:8
torchrun --nproc_per_node 8 --nnodes $SLURM_NNODES pretrain_gpt.py --num-layers 32 \
  --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 --vocab-size 50257 --bf16 \
  --micro-batch-size 2 --global-batch-size 64 --tensor-model-parallel-size 4 \
  --sequence-parallel --use-distributed-optimizer
X
cat >"$scratch/sft.yaml" <<'X'
model_name_or_path: /models/Llama-3.1-8B-Instruct
stage: sft
finetuning_type: full
template: llama3
dataset: a
cutoff_len: 4096
per_device_train_batch_size: 1
gradient_accumulation_steps: 4
bf16: true
deepspeed: ds_z3.json
X
printf '{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}' >"$scratch/ds_z3.json"
printf 'trainer:\n  devices: eight\nexp_manager: {}\nmodel:\n  num_layers: 2\n' >"$scratch/bad.yaml"

expect 0 out '^  tp +4 +train.sh:[0-9]+ --tensor-model-parallel-size$' read "$scratch/train.sh"
expect 0 out '^  gpu +a100-sxm-80gb +train.sh:3 #SBATCH --gres$' read "$scratch/train.sh"
expect 0 out 'Nothing is missing to plan it' read "$scratch/train.sh"
expect 0 out '"format": "megatron"' read --json "$scratch/train.sh"
expect 0 out '^  global-batch: --global-batch' read "$scratch/sft.yaml" "$scratch/ds_z3.json"
expect 0 out '^  zero +3 +ds_z3.json:1 ' read "$scratch/sft.yaml" "$scratch/ds_z3.json"
printf '%s\n' 'python wrap.py --num_nodes 8 --gpus 8 -- accelerate launch --num_processes 8 sft.py --unheard 3 \' \
  '--model_name_or_path meta-llama/Llama-2-7b-hf --per_device_train_batch_size 1' >"$scratch/wrapped.sh"
expect 0 out 'neither time nor memory of a step: unheard$' read "$scratch/wrapped.sh" # the wrapper's flags are not
expect 1 err 'bad.yaml:2 trainer.devices: .eight. is not understood; write a number' read "$scratch/bad.yaml"
expect 1 err 'no trainer.s keys' read README.md
expect 2 err 'needs FILE' read

expect 0 out '^layout   tp 4 with sequence parallel . pp 1 . dp 4, ZeRO-1$' explain "$scratch/train.sh"
expect 0 out 'A100 SXM4 80 GB' explain "$scratch/train.sh"
expect 0 out '^layout   tp 8 .* dp 2' explain "$scratch/train.sh" --tp 8
expect 0 out '^machine  16 x NVIDIA H200' explain "$scratch/train.sh" --gpu h200-sxm
expect 0 out '^layout   tp 1 . pp 1 . dp 16, ZeRO-3$' explain "$scratch/sft.yaml" "$scratch/ds_z3.json" --gpus 16
expect 0 out '64 sequences x 4,096' explain "$scratch/sft.yaml" "$scratch/ds_z3.json" --gpus 16
expect 0 out 'Llama 3.1 70B' explain llama-3.1-70b "$scratch/sft.yaml" "$scratch/ds_z3.json" --gpus 64
expect 0 out 'layouts' plan "$scratch/train.sh"
expect 2 err 'one argument too many' explain llama-2-7b llama-2-13b --gpus 8
# ---- tasks of SkyPilot: what they ask for, and the command that they run; a recipe beside it ----
cat >"$scratch/sft.yaml" <<'X'
resources:
  accelerators: {H200:8, H100:8}  # either
num_nodes: 4
envs:
  SIZE: 8B  # or 70B
  TOKEN:
setup: |
  tune download meta-llama/Llama-3.1-70B --output-dir /tmp/x
run: |
  if [ "${SKYPILOT_NODE_RANK}" == "0" ]; then echo begins; fi
  NP=$(($SKYPILOT_NUM_GPUS_PER_NODE * $SKYPILOT_NUM_NODES))
  accelerate launch --config_file /sft/fsdp.yaml --num_machines $SKYPILOT_NUM_NODES \
    --num_processes $NP /sft/train.py --model_id meta-llama/Llama-3.1-$SIZE
X
printf '%s\n' 'distributed_type: FSDP' 'fsdp_config:' '  fsdp_sharding_strategy: FULL_SHARD' 'mixed_precision: bf16' \
    'num_machines: 1' 'num_processes: 8' >"$scratch/fsdp.yaml"
expect 0 out '^  gpu +h200-sxm +sft.yaml:2 gpus-per-node$' read "$scratch/sft.yaml" "$scratch/fsdp.yaml"
expect 0 out '^  gpus +32 +sft.yaml:13 --num_processes$' read "$scratch/sft.yaml" "$scratch/fsdp.yaml"
expect 0 out '^  model +meta-llama/Llama-3.1-8B +sft.yaml:13 --model_id$' read "$scratch/sft.yaml" "$scratch/fsdp.yaml"
expect 0 out '^  zero +3 +fsdp.yaml:3 ' read "$scratch/sft.yaml" "$scratch/fsdp.yaml"
printf '%s\n' 'resources:' '  accelerators: A100:8' 'run: tune run --nproc_per_node $SKYPILOT_NUM_GPUS_PER_NODE lora_finetune_distributed \' \
    '    model_dir=/tmp/Meta-Llama-3.1-8B-Instruct batch_size=2 gradient_accumulation_steps=4' >"$scratch/task.yml"
expect 0 out '^  gpu +a100-sxm-40gb ' read "$scratch/task.yml"
expect 0 out '^  nodes +1 +task.yml:[0-9]+ nodes$' read "$scratch/task.yml"
expect 0 out '^  model +/tmp/Meta-Llama-3.1-8B-Instruct ' read "$scratch/task.yml"
expect 0 out '^  global-batch +64 ' read "$scratch/task.yml"
# Manifests of Kubernetes: a text that a shell is handed, a list of words, a list in brackets.
head='apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nspec:\n  Worker:\n    replicas: 4\n    containers:\n    - name: t\n'
tail='      resources: {limits: {nvidia.com/gpu: 8}}\n'
printf "$head"'      command: ["/bin/bash", "-c"]\n      args:\n        - |\n          torchrun --nproc_per_node 8 run_clm.py \\\n'\
'            --model_name_or_path meta-llama/Llama-2-7b-hf --block_size 4096 --bf16\n'"$tail" >"$scratch/pod-text.yaml"
printf "$head"'      command:\n      - torchrun\n      - --nproc_per_node=8\n      - run_clm.py\n      - --model_name_or_path\n'\
'      - "meta-llama/Llama-2-7b-hf"\n      - --block_size=4096\n      - --bf16=True\n'"$tail" >"$scratch/pod-words.yaml"
printf "$head"'      command: ["torchrun"]\n      args: ["--nproc_per_node=8", "run_clm.py", "--model_name_or_path", '\
'"meta-llama/Llama-2-7b-hf", "--block_size", "4096", "--bf16"]\n'"$tail" >"$scratch/pod-list.yaml"
for pod in text words list; do
    expect 0 out '^A job of Hugging Face Trainer .*llama-2-7b$' read "$scratch/pod-$pod.yaml"
    expect 0 out '^  gpus +32 ' read "$scratch/pod-$pod.yaml"
    expect 0 out "^  seq +4096 +pod-$pod.yaml:[0-9]+ --block_size$" read "$scratch/pod-$pod.yaml"
done
# srun that starts Python itself: a task for every GPU.
printf '%s\n' 'srun -p llm -N 2 -n 16 --ntasks-per-node=8 --gpus-per-task=1 python train.py --config config.py' >"$scratch/tasks.sh"
printf '%s\n' 'data = dict(seq_len=2048, micro_num=4, micro_bsz=1, tokenizer_path="meta-llama/Llama-2-7b-hf")' \
    'parallel = dict(zero1=dict(size=-1), tensor=dict(size=1, mode="mtp"), pipeline=dict(size=1))' >"$scratch/config.py"
expect 0 out '^  gpus +16 +tasks.sh:1 --n$' read "$scratch/tasks.sh" "$scratch/config.py"
expect 0 out '^A job of InternEvo .*llama-2-7b$' read "$scratch/tasks.sh" "$scratch/config.py"
# ---- logs ----
log=tests/fuzz/corpus/train_log/megatron
expect 0 out '"format": "log:megatron"' read --json $log
expect 0 out '"step_s": 2.1,' read --json $log
expect 0 out 'log of hugging face: 2 reports' read tests/fuzz/corpus/train_log/hf
expect 0 out '"format": "log:wandb"' read --json tests/fuzz/corpus/train_log/wandb.jsonl
printf '%s\n' 'torchrun --nproc-per-node 8 pretrain_gpt.py --tensor-model-parallel-size 2 --num-layers 2' >"$scratch/job.sh"
expect 0 out '"format": "log:megatron"' read --json "$scratch/job.sh" $log
expect 0 out '"tp": 2' read --json "$scratch/job.sh" $log
expect 1 err 'no trainer' read README.md
"$ceiling" explain llama-2-7b --gpus 16 --tp 4 --json >"$scratch/plan.json"
expect 0 out 'a log tells no terms' trace $log --plan "$scratch/plan.json"
expect 0 out '"measured_step_s": 2.1,' trace $log --plan "$scratch/plan.json" --json

expect 0 out '^launch +the best that accelerate can run' plan llama-3-8b --gpus 64 --seq 8192 --global-batch 4Mtok --stack pytorch --launch accelerate -o "$scratch/best"
check "it is written and read back: one rank a copy" '"$ceiling" read "$scratch/best/accelerate.yaml" "$scratch/best/train.sh" | grep -q "^  tp  *1 "'
check "what it costs, for programs" '"$ceiling" plan llama-3-8b --gpus 64 --seq 8192 --global-batch 4Mtok --stack pytorch --launch accelerate --json | grep -q "not_for_the_best"'
# ---- files that are none: each says what it is, where, and what to do ----
printf 'base_model: a\n\tsequence_len: 2\n' >"$scratch/tab.yaml"
expect 1 err 'tab.yaml:2:1: a tab indents the line; write spaces' read "$scratch/tab.yaml"
printf 'sequence_len: 2\nbase_model: "meta\nmicro_batch_size: 1\n' >"$scratch/quote.yaml"
expect 1 err 'quote.yaml:2:13: a quote is not closed; close it' read "$scratch/quote.yaml"
printf '\377\376b\000' >"$scratch/wide.yaml"
expect 1 err 'it is UTF-16; save it as UTF-8' read "$scratch/wide.yaml"
expect 1 err 'curl -LO URL' read https://example.com/train.yaml
printf 'step 1\ntorch.OutOfMemoryError: CUDA out of memory.\n' >"$scratch/crash.log"
expect 1 err 'it ran out of GPU memory' read "$scratch/crash.log"
expect 1 err 'it ran out of GPU memory' diagnose llama-2-7b --gpus 8 --log "$scratch/crash.log"
{ cat $log; echo 'torch.OutOfMemoryError: CUDA out of memory.'; } >"$scratch/end.log"
expect 0 out '^  end +it ran out of GPU memory$' read "$scratch/end.log"
expect 0 out '"end": "it ran out of GPU memory"' read --json "$scratch/end.log"
head -c 17000000 /dev/zero | tr '\0' x >"$scratch/huge.log"
expect 1 err 'no steps of a known trainer' diagnose llama-2-7b --gpus 8 --log "$scratch/huge.log"
expect 1 err 'larger than 16 MiB' explain "$scratch/huge.log" --gpus 8
# A server is no training job.
echo 'vllm serve mistralai/Mistral-7B-Instruct-v0.2 --tensor-parallel-size 2' >"$scratch/serve.sh"
for command in plan explain improve "diagnose --measured 50%:util"; do
    expect 1 err 'start a server of vLLM, no training; ask what it serves: ceiling demand FILES' $command "$scratch/serve.sh" --gpus 8
done
expect 0 out '^replica  Mistral 7B' demand "$scratch/serve.sh" --rate 1req/s

finish
