#!/bin/sh
# Commands that demand --launch writes are read back as the replica that was simulated.
. tests/cli/round_trip

essence() {
	sed -n '/"replica": {/,/^  }/p; /"gpus": /p; /"usd_per_million_tokens"/p; /"capacity_tokens/p' "$1"
}

# shellcheck disable=SC2086
write_job() { "$ceiling" demand "$@" $demand --launch "$kind" -o "$work/job" --json; }
# shellcheck disable=SC2086
read_job() { "$ceiling" demand "$work"/job/* $demand --json; }

# round ENGINE NAME MODEL FLAGS...: --engine NAME written as ENGINE
round() {
	kind=$1 engine=$2
	shift 2
	comes_back "$@" --engine "$engine"
}

refuse() {
	kind=$1 words=$2
	shift 2
	refused "$kind" "$words" demand "$@" --rate 1req/s --span 60s
}

demand="--rate 4req/s --span 100s --prompt 1500tok --output 200tok --gpu h200-sxm"
for kind in vllm sglang trtllm; do
	round $kind $kind llama-3.3-70b --tp 4
	round $kind $kind llama-3.1-8b --cache fp8 --max-sequences 64 --max-tokens 4096 --no-prefix-cache
	round $kind $kind deepseek-v3 --tp 8 --ep 8 --memory-share 85%
	round $kind $kind deepseek-v3 --tp 1 --dp 8 --ep 8 --max-sequences 32
done
round vllm vllm llama-3.3-70b --tp 2 --pp 2 --weights fp8
round vllm vllm qwen3-30b-a3b --tp 1 --dp 4 --ep 4 --api-servers 1
round vllm vllm llama-3.1-8b --adapters 40 --adapter-rank 32
round sglang sglang llama-3.1-8b --adapters 40 --adapter-rank 32
round sglang sglang llama-3.3-70b --tp 2 --weights fp8

"$ceiling" demand llama-3.3-70b --rate 1req/s --span 60s --disaggregate 2:1 --launch sglang -o "$work/two" >"$work/out" 2>&1
if grep -q 'disaggregation-mode prefill' "$work/two/prefill.sh" && grep -q 'router' "$work/out" &&
	grep -q 'disaggregation-mode decode' "$work/two/decode.sh"; then passed=$((passed + 1)); else fail "two pools"; fi
"$ceiling" demand llama-3.1-8b --rate 1req/s --span 60s --launch sglang >"$work/out" 2>&1
if grep -q 'chunked-prefill-size 8192' "$work/out" && grep -q 'simulated as --engine sglang on' "$work/out"; then
	passed=$((passed + 1)); else fail "who launches SGLang asks of SGLang"; fi
"$ceiling" demand llama-3.1-8b --rate 1req/s --span 60s --launch sglang --engine vllm >"$work/out" 2>&1
if grep -q 'chunked-prefill-size 8192' "$work/out"; then passed=$((passed + 1)); else fail "a chunk of vLLM's tokens"; fi
"$ceiling" demand llama-3.1-8b --weights fp8 --rate 1req/s --span 60s --launch trtllm >"$work/out" 2>&1
if grep -q 'name a checkpoint in fp8' "$work/out"; then passed=$((passed + 1)); else fail "TensorRT-LLM loads what is stored"; fi
if grep -q -e '--extra_llm_api_options engine.yaml' "$work/out"; then passed=$((passed + 1)); else fail "a flag that TensorRT-LLM 1.0 has"; fi
round sglang sglang deepseek-v3 --tp 2 --dp 4 --ep 8
for kind in vllm sglang; do round $kind $kind deepseek-v3.2 --tp 8 --ep 8; done

# wrote WORDS ARGUMENT...: the commands of a demand have these words.
wrote() {
	words=$1
	shift
	"$ceiling" demand "$@" --rate 1req/s --span 60s >"$work/out" 2>&1
	if tr -s '\n ' '  ' <"$work/out" | grep -q -e "$words"; then passed=$((passed + 1)); else fail "$* writes '$words'"; fi
}

# An 8-bit cache is the default of models with an indexer; lengths end where the model's do.
wrote 'kv-cache-dtype bfloat16' deepseek-v3.2 --gpu h200-sxm --tp 8 --launch vllm
wrote 'kv-cache-dtype bf16' deepseek-v3.2 --gpu h200-sxm --tp 8 --launch sglang
wrote 'configuration says 8192: it does not start' llama-3-8b --prompt 9000tok --launch vllm
wrote 'enable_chunked_prefill: true' llama-3.1-8b --prompt 9000tok --launch trtllm
wrote 'context-length 9216 . --disaggregation-mode decode' llama-3.1-8b --prompt 9000tok --host-cache 90GB --disaggregate 1:1 --launch sglang
wrote 'later it warns' llama-3.1-8b --host-cache 1GB --launch sglang
refuse trtllm 'a GPU each' deepseek-v3 --gpu h200-sxm --tp 2 --dp 4 --ep 8
refuse trtllm 'adapters are not written' llama-3.1-8b --adapters 4 --engine vllm
refuse vllm 'takes the place' llama-3.1-8b --host-cache 90GB --disaggregate 1:1
refuse vllm 'ep is tp x dp' deepseek-v3 --gpu h200-sxm --tp 8 --ep 4
refuse trtllm 'file of their own' llama-3.1-8b --disaggregate 1:1
refuse megatron 'vllm' llama-3.1-8b
ended
