#!/bin/sh
# Files that --launch writes are read back as the plan that was priced, time and memory too.
. tests/cli/round_trip

# What a plan is: its layout, its step and its memory.
essence() {
	sed -n '/"machine": {/,/}/p; /"layout": {/,/}/p; /"step_s"/p; /"total_bytes"/p' "$1" |
		sed 's/"gpu":.*//'
}

# shellcheck disable=SC2086
write_job() { "$ceiling" explain "$@" $on --launch "$kind" -o "$work/job"; }
# shellcheck disable=SC2086
read_job() { "$ceiling" explain "$work"/job/* $on; }

# round KIND STACK GPU MODEL FLAGS...
round() {
	kind=$1 on="--stack $2 --gpu $3 --json"
	shift 3
	comes_back "$@"
}

# changed KIND STACK GPU FLAGS...: the job of the last round, read, changed as improve's flags do, written and read again.
changed() {
	kind=$1 stack=$2 gpu=$3
	shift 3
	rm -rf "$work/first"
	mv "$work/job" "$work/first"
	round "$kind" "$stack" "$gpu" "$work"/first/* "$@"
}

refuse() {
	kind=$1 words=$2
	shift 2
	refused "$kind" "$words" explain "$@"
}

# says FILE WORDS...: each stands in a file of the last round.
says() {
	file=$work/job/$1
	shift
	for words in "$@"; do
		if grep -q -e "$words" "$file"; then passed=$((passed + 1)); else fail "$kind: '$words' is not written"; fi
	done
}

dense="llama-3-8b --gpus 64 --hsdp 0 --seq 8192 --global-batch 128 --micro-batch 1"
m="megatron megatron-2024 h100-sxm"
# shellcheck disable=SC2086
{
	round $m $dense --tp 4 --pp 2 --vpp 2 --zero 1
	round $m $dense --tp 2 --pp 4 --zero 0 --recompute full
	changed $m --zero 1 --recompute selective --vpp 2
	round $m $dense --tp 8 --cp 2 --zero 1 --recompute selective
	round $m $dense --tp 4 --zero 3
	round $m $dense --tp 4 --pp 2 --zero 1 --precision fp8
	round $m $dense --tp 2 --pp 4 --zero 1 --vpp 1 --stage-layers 8,9,9,6
	round $m $dense --tp 2 --pp 4 --zero 1 --vpp 2 --stage-layers balanced
	round $m $dense --tp 1 --pp 4 --zero 1 --gradient fp32 --recompute full --recompute-layers 2
	round $m $dense --tp 4 --pp 2 --zero 1 --order tp-cp-pp-dp
	round $m $dense --tp 8 --zero 1 --offload
	round $m llama-3-8b --gpus 64 --seq 8192 --global-batch 128 --micro-batch 1 --tp 4 --pp 1 --zero 1 --hsdp 4
	round $m llama-3.1-405b --gpus 1024 --seq 8192 --global-batch 256 --micro-batch 1 --tp 8 --pp 16 --zero 1
	round $m mixtral-8x7b --gpus 64 --seq 4096 --global-batch 128 --micro-batch 1 --tp 2 --pp 2 --ep 8 --etp 1 --zero 1
	round $m deepseek-v3 --gpus 512 --hsdp 0 --seq 4096 --global-batch 1024 --micro-batch 1 --tp 2 --pp 8 --ep 32 --etp 1 --zero 1 --recompute full
	round $m moonlight-16b-a3b --gpus 64 --hsdp 0 --seq 4096 --global-batch 256 --micro-batch 1 --tp 1 --pp 1 --ep 8 --etp 1 --zero 1
	round $m $dense --tp 4 --pp 2 --zero 1 --moments bf16
	refuse megatron 'distributed optimizer' $dense --tp 4 --zero 0 --moments bf16 --stack megatron-2024
	# Norms of heads, biases of queries alone, groups and gates of experts, no rotation: all are flags.
	for model in qwen3-8b qwen2.5-7b glm-4.5-air qwen1.5-moe-a2.7b deepseek-v2 ling-mini-2.0 hunyuan-a13b gpt3-13b; do
		round $m $model --gpus 512 --global-batch 1024 --seq 2048 --micro-batch 1
	done
	round megatron megatron-2026 h100-sxm $dense --tp 4 --pp 2 --zero 1 --recompute selective
	says train.sh --tp-comm-overlap --cross-entropy-loss-fusion '--hidden-dropout 0.0' --eval-interval --no-create-attention-mask-in-dataloader
	round megatron megatron-2026 h100-sxm $dense --tp 4 --pp 2 --zero 0 --precision fp8
	says train.sh '--fp8-recipe tensorwise' '^  --overlap-grad-reduce$'
	round megatron megatron-2026 h100-sxm $dense --tp 1 --pp 1 --zero 3
	says train.sh --init-model-with-meta-device
	# Heads that do not divide the width; tokens sent once.
	moe="glm-4.7-flash --gpus 64 --hsdp 0 --seq 4096 --global-batch 128 --micro-batch 1 --tp 2 --sp 1 --pp 1 --cp 1 --ep 8 --etp 1 --zero 1 --recompute full"
	round $m $moe
	says train.sh '--kv-channels 256' '--moe-token-dispatcher-type alltoall'
	round megatron megatron-2026 h100-sxm $moe
	says train.sh '--moe-token-dispatcher-type flex --moe-enable-deepep'
	round megatron megatron-2026 gb200 $moe
	says train.sh 'backend hybridep'
	refuse megatron 'want --sp 1' mixtral-8x7b --gpus 64 --seq 4096 --global-batch 128 --micro-batch 1 --tp 2 --sp 0 --pp 2 --ep 8 --etp 1 --zero 1 --stack megatron-2024
	t="torchtitan torchtitan-2025 h100-sxm"
	round $t $dense --tp 1 --pp 1 --zero 3 --recompute full
	changed $t --recompute none --precision fp8
	round $t $dense --tp 4 --pp 1 --zero 2 --recompute selective
	round $t $dense --tp 2 --pp 4 --zero 2 --schedule 1f1b --recompute none
	round $t $dense --tp 2 --pp 4 --vpp 2 --zero 3 --schedule interleaved --recompute none
	round $t llama-3-8b --gpus 64 --seq 8192 --global-batch 128 --micro-batch 1 --tp 1 --pp 1 --cp 1 --zero 3 --hsdp 8 --precision fp8 --recompute none
	round $t $dense --tp 2 --pp 4 --vpp 2 --zero 2 --schedule zb-v --recompute none
	round torchtitan torchtitan-eager-2025 h100-sxm $dense --tp 1 --pp 1 --cp 2 --zero 3 --recompute full
	x="deepseek-v3 --gpus 64 --hsdp 0 --seq 4096 --global-batch 128 --micro-batch 1 --tp 1 --pp 1 --cp 1 --etp 1 --zero 3"
	round $t $x --ep 16 --precision fp8
	says train.toml 'filter_fqns = ."output", "router.gate"' 'quantize.grouped_mm.float8' 'enable_fsdp_float8_all_gather = true'
	refuse torchtitan 'divide what one set' deepseek-v3 --gpus 64 --hsdp 8 --seq 4096 --global-batch 128 --micro-batch 1 --tp 1 --pp 1 --cp 1 --ep 16 --etp 1 --zero 3 --stack torchtitan-2025
	refuse torchtitan 'share nothing' $dense --tp 8 --pp 1 --cp 1 --zero 0 --stack torchtitan-2025
	refuse torchtitan 'whole sequences' deepseek-v3 --gpus 64 --hsdp 0 --seq 4096 --global-batch 128 --micro-batch 1 --tp 1 --pp 1 --cp 2 --ep 16 --etp 1 --zero 3 --stack torchtitan-2025
	p="torchtitan-2026 torchtitan-2025 h100-sxm"
	round $p $x --ep 16 --precision fp8
	says plan.py 'Float8GroupedExpertsConverter.Config' 'filter_fqns=."lm_head"'
	round $p $dense --tp 1 --pp 1 --zero 3 --recompute full
	changed $p --recompute selective --zero 2
	round $p $dense --tp 4 --pp 1 --zero 2 --recompute selective
	round $p $dense --tp 2 --pp 4 --vpp 2 --zero 3 --schedule interleaved --recompute none
	round $p llama-3-8b --gpus 64 --seq 8192 --global-batch 128 --micro-batch 1 --tp 1 --pp 1 --cp 1 --zero 3 --hsdp 8 --precision fp8 --recompute none
	round $p deepseek-v3 --gpus 512 --hsdp 0 --seq 4096 --global-batch 512 --micro-batch 1 --tp 1 --pp 8 --cp 1 --ep 8 --etp 1 --zero 3 --schedule 1f1b --recompute full
	if grep -q 'disable_cuda_graphs = True' "$work/job/plan.py"; then passed=$((passed + 1)); else fail 'graphs with pipelines are refused'; fi
	round torchtitan-2026 torchtitan-eager-2025 h100-sxm $dense --tp 8 --pp 1 --zero 3 --recompute full
	d="pytorch h100-sxm llama-3-8b --gpus 16 --seq 4096 --global-batch 64 --micro-batch 1 --tp 1 --pp 1 --cp 1"
	round deepspeed $d --zero 3 --recompute full
	changed deepspeed pytorch h100-sxm --zero 2 --micro-batch 2
	round deepspeed $d --zero 2 --recompute none --gradient fp32
	round deepspeed $d --zero 2 --recompute full --offload
	round deepspeed $d --zero 2 --recompute full --precision fp16 --gradient bf16
	round deepspeed $d --zero 1 --recompute full --optimizer adam8bit
	round accelerate $d --zero 3 --recompute full
	changed accelerate pytorch h100-sxm --recompute none --optimizer adam8bit
	round accelerate $d --zero 2 --recompute none
	round accelerate $d --zero 3 --hsdp 8 --recompute full
	round accelerate $d --zero 0 --recompute full
	says train.sh '--model_name_or_path .* --dtype float32'
	round accelerate $d --zero 3 --recompute full --precision fp32
	says train.sh '--model_name_or_path .* --dtype float32'

	job8="llama-3-8b --gpus 8 --seq 2048 --global-batch 64 --micro-batch 2 --tp 1 --pp 1 --cp 1 --recompute full --stack pytorch"
	l="pytorch a100-sxm-80gb llama-3-8b --gpus 8 --seq 2048 --global-batch 64 --micro-batch 2 --tp 1 --pp 1 --cp 1 --recompute full"
	round deepspeed $l --zero 2 --adapter lora
	round deepspeed $l --zero 3 --adapter lora --adapter-rank 64 --adapter-targets q_proj,v_proj
	round deepspeed $l --zero 1 --adapter qlora --adapter-rank 32
	round accelerate $l --zero 0 --adapter qlora --base-precision int8
	refuse accelerate 'no base of 8-bit' $job8 --zero 3 --adapter qlora --base-precision int8
	for kind in accelerate deepspeed; do
		round $kind $l --zero 3 --adapter qlora
		says train.sh 'bnb_4bit_quant_storage bfloat16'
	done
	round accelerate $l --zero 3 --adapter lora
	if grep -q 'loss_type nll' "$work/job/train.sh"; then passed=$((passed + 1)); else fail "TRL 1.7 takes the loss in chunks"; fi
	if grep -q 'gradient_checkpointing false' "$work/job/train.sh"; then passed=$((passed + 1)); else fail "TRL checkpoints unless told"; fi
	round accelerate $d --zero 3 --adapter lora --recompute none
	round accelerate $l --zero 0 --adapter dora --adapter-targets attention

	b="bridge megatron-2026 h100-sxm"
	round $b $dense --tp 4 --pp 2 --vpp 2 --cp 1 --zero 1 --recompute none
	round $b $dense --tp 2 --pp 4 --cp 1 --zero 1 --recompute full --precision fp8
	changed $b --recompute none --vpp 2
	round $b $dense --tp 8 --pp 1 --cp 2 --cp-kind ring --zero 1 --recompute selective
	round $b qwen3-30b-a3b --hsdp 0 --gpus 64 --seq 4096 --global-batch 128 --micro-batch 1 --tp 2 --pp 2 --vpp 1 --cp 1 --ep 8 --etp 1 --zero 1 --recompute none
	round $b deepseek-v3 --hsdp 0 --gpus 512 --seq 4096 --global-batch 1024 --micro-batch 1 --tp 2 --pp 1 --vpp 1 --cp 1 --ep 64 --etp 1 --zero 1 --recompute full
	round $b $dense --tp 2 --pp 4 --cp 1 --zero 1 --recompute full --moments bf16
	for m in qwen2.5-7b qwen3-1.7b qwen2.5-0.5b; do round $b $m --gpus 64 --hsdp 0 --seq 4096 --global-batch 64 --micro-batch 1 --tp 2 --pp 1 --cp 1 --zero 1 --recompute none; done
	round $b llama-3.1-405b --gpus 576 --hsdp 0 --seq 4096 --global-batch 512 --micro-batch 1 --tp 8 --pp 9 --vpp 1 --cp 1 --zero 1 --recompute full
	round $b qwen3-30b-a3b --hsdp 0 --gpus 64 --seq 4096 --global-batch 128 --micro-batch 1 --tp 1 --pp 1 --vpp 1 --cp 1 --ep 8 --etp 1 --zero 1 --recompute full
	says recipe.py 'cuda_graph_impl = "none"'
	round bridge megatron-2024 h100-sxm qwen3-30b-a3b --hsdp 0 --gpus 64 --seq 4096 --global-batch 128 --micro-batch 1 --tp 1 --pp 1 --vpp 1 --cp 1 --ep 8 --etp 1 --zero 1 --recompute none
	says recipe.py 'dispatcher_type = "alltoall"'
	refuse bridge 'want --sp 1' qwen3-30b-a3b --hsdp 0 --gpus 64 --seq 4096 --global-batch 128 --micro-batch 1 --tp 2 --sp 0 --pp 1 --cp 1 --ep 8 --etp 1 --zero 1 --recompute none --stack megatron-2026
	refuse bridge 'no recipe' mistral-7b --gpus 64 --global-batch 64
	refuse torchtitan 'DualPipeV' $dense --stack torchtitan-2025 --tp 1 --pp 4 --vpp 1 --schedule dualpipe --zero 2
	refuse torchtitan-2026 'none of this model' qwen3-8b --gpus 64 --global-batch 64 --stack torchtitan-2025 --tp 1 --pp 1 --cp 1 --zero 3 --micro-batch 1 --recompute none --hsdp 0
	refuse torchtitan 'two chunks' $dense --stack torchtitan-2025 --tp 2 --pp 4 --vpp 1 --schedule zb-h1 --zero 2
	refuse torchtitan 'another stack' $dense --tp 4 --zero 3 --stack megatron-2024
	refuse deepspeed 'in the format of the weights' $dense --tp 1 --pp 1 --cp 1 --zero 0 --stack pytorch --gradient fp32
	refuse deepspeed 'on the host it has Adam and Lion' $dense --tp 1 --pp 1 --cp 1 --zero 2 --stack pytorch --optimizer sgd --offload
	refuse deepspeed 'tp, pp, cp and ep' $dense --tp 4 --zero 1 --stack pytorch
	refuse megatron '1f1b' $dense --tp 2 --pp 4 --schedule zb-h1 --zero 1
	refuse megatron 'flags that are not written' olmo-2-7b --gpus 64 --global-batch 64
	refuse megatron 'caps no logits' gemma-2-9b --gpus 64 --global-batch 64
	refuse megatron '8-bit' $dense --tp 2 --zero 1 --optimizer adam8bit
	refuse megatron 'adapters' $dense --tp 1 --zero 1 --adapter lora
	refuse accelerate 'zero 2 or 3' llama-3-8b --gpus 16 --stack pytorch --tp 1 --pp 1 --cp 1 --zero 1 --micro-batch 1 --global-batch 64 --recompute full
}

# Who names a trainer and no software is answered for that trainer.
for kind in megatron torchtitan torchtitan-2026 deepspeed accelerate; do
	rm -rf "$work/job"
	"$ceiling" plan llama-3-8b --gpus 16 --seq 8192 --global-batch 64 --launch $kind -o "$work/job" >"$work/out" 2>&1
	if [ -e "$work/job/train.sh" ] && grep -q '^software .*(\(megatron-2024\|torchtitan\|transformers\)' "$work/out"; then
		passed=$((passed + 1)); else fail "--launch $kind alone: $(tail -2 "$work/out")"; fi
done

# Where the best plan is none for the trainer, the best that it can run is written.
rm -rf "$work/job"
"$ceiling" plan llama-3-70b --gpus 64 --stack megatron-2026 --launch bridge -o "$work/job" >"$work/out" 2>&1
if [ -e "$work/job/train.sh" ] && grep -q 'the best that bridge can run' "$work/out"; then
	passed=$((passed + 1)); else fail "a plan for bridge: $(tail -2 "$work/out")"; fi
ended
