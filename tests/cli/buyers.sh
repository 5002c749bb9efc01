#!/bin/sh
# Decisions others published, asked as a newcomer would: the current software where none is named,
# the rest left to the program. A row says whether the published figure lies within P10 - P90: as at
# the first look (2026-11), all but the row that is told its software and the users, whom no fleet
# was sized for then. SHOW=1 prints them.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect

# first KEY: as JSON has it first
first() { sed -n "s/^ *\"$1\": \([-0-9.e+]*\),*$/\1/p" | head -1; }

# lies NAME INSIDE PUBLISHED LOW HIGH: within a tenth of the interval, or at most twice off
lies() {
    room=1.1
    [ "$2" = in ] || room=2
    check "FAIL $1: published $3, here P10 to P90 is $4 to $5" \
        "awk -v p=$3 -v l=${4:-0} -v h=${5:-0} -v r=$room 'BEGIN {exit !(p * r >= l && p <= r * h)}'"
    [ -z "$SHOW" ] || echo "$1: published $3, here $4 to $5"
}

# Training: tokens/s of a GPU over the whole run, so stops and restarts are in the published figure.
while IFS='|' read -r name inside published command; do
    "$ceiling" $command --json >"$scratch/plan" 2>/dev/null
    rate=$(first tokens_per_s_per_gpu <"$scratch/plan") step=$(first step_s <"$scratch/plan")
    low=$(awk -v r="$rate" -v s="$step" -v b="$(first step_p90_s <"$scratch/plan")" 'BEGIN {print r * s / b}')
    high=$(awk -v r="$rate" -v s="$step" -v b="$(first step_p10_s <"$scratch/plan")" 'BEGIN {print r * s / b}')
    lies "$name" "$inside" "$published" "$low" "$high"
done <<'ROWS'
OLMo 3 7B (muxup.com 2025q4, of Ai2's report)|in|7700|plan olmo-3-7b --gpus 1024 --seq 8192
OLMo 3 32B (the same)|in|1900|plan olmo-3-32b --gpus 1024 --seq 8192
DeepSeek-V3, 14.8 T in 2.664 M H800 hours (docs.lit.ai, of arXiv:2412.19437)|in|1543|plan deepseek-v3 --gpu h800-sxm --gpus 2048 --global-batch 15360 --precision fp8
Llama 2 70B, 1,720,320 A100 hours for 2 T (arXiv:2307.09288)|in|323|plan llama-2-70b --gpu a100-sxm-80gb --gpus 2048
Llama 2 7B, 184,320 hours (the same)|in|3014|plan llama-2-7b --gpu a100-sxm-80gb --gpus 1024
Llama 3.1 405B, 30.84 M H100 hours for 15.6 T: software of 2024, 10 % stops|out|140.5|plan llama-3.1-405b --gpus 16384 --seq 8192 --global-batch 16Mtok
SmolLM3, nanotron (tzafon.ai, of Hugging Face's blog)|out|14000|plan smollm3-3b --gpus 384 --global-batch 2.36Mtok
the same, told the software|in|14000|plan smollm3-3b --gpus 384 --global-batch 2.36Mtok --stack nanotron-2025 --tp 2 --pp 1 --cp 1
GPT-2 124M on 8 A100 in 90 min, llm.c: kernels of its own|out|231000|plan gpt2 --gpu a100-sxm-80gb --gpus 8 --seq 1024 --global-batch 512
ROWS

# Serving: 200 users on pairs of H100, 5,000 tokens/s (luzbetak.github.io, LLM-Inference-Service); one
# A100 makes 3,000 to 6,000 tokens/s of an 8B (blog.rajpoot.dev, 2026)
made() { "$ceiling" demand "$@" --json | first output_tokens_per_s; }
"$ceiling" demand llama-3.3-70b --weights fp8 --clients 200 --prompt 500tok --output 200tok --ttft 600ms --tpot 40ms \
    --within 95% >"$scratch/users"
gpus=$(sed -n 's/^         P10 \([0-9]*\) – P90 \([0-9]*\) GPUs.*/\1 \2/p' "$scratch/users")
lies "200 users, GPUs that make 5,000 tokens/s" in 6 "${gpus% *}" "${gpus#* }"
lies "8B on an A100, tokens/s" in "$(made llama-3.1-8b --gpu a100-sxm-80gb --tp 1 --clients 128 --prompt 500tok --output 500tok)" 3000 6000

# Adapters: 40 customers of fewer than 5 requests a minute on two A100 (dev.to, marcuswwchen, 2026; lengths
# assumed); 1,000 ShareGPT requests with 4 of rank 8 on an A100 at 2,578 tokens/s (vLLM pull request 11613, seen
# before it was asked)
"$ceiling" demand llama-3.1-8b --gpu a100-sxm-80gb --rate 3.3req/s --prompt 1500tok --output 300tok --adapters 40 \
    --tpot 60ms >"$scratch/adapters"
gpus=$(sed -n 's/^         P10 \([0-9]*\) – P90 \([0-9]*\) GPUs.*/\1 \2/p' "$scratch/adapters")
lies "40 adapters, A100" in 2 "${gpus% *}" "${gpus#* }"
# Questions with answers of 2025 and 2026, written down before they were asked.
# A bank's assistant, 200 requests at once and bursts of twice that: six nodes of eight H200, two of them spare
# (aisle.sanjana-mohan.com, enterprise). A help desk, 20 at once and bursts of 1.5: three L40S, one of them spare
# (the same, departmental). Of the first, 24 Pflop/s are prompts: 37 % of the peak of 32 of them, before any answer.
users() {
    "$ceiling" demand "$@" --within 95% | sed -n 's/^         P10 \([0-9]*\) – P90 \([0-9]*\) GPUs.*/\1 \2/p'
}
gpus=$(users llama-3.1-70b --weights fp8 --gpu h200-sxm --prompt 4ktok --output 300tok --clients 400 --ttft 500ms \
    --tpot 40ms)
lies "400 at a bank's assistant, H200" out 32 "${gpus% *}" "${gpus#* }"
gpus=$(users qwen3-14b --weights fp8 --gpu l40s --prompt 1500tok --output 250tok --clients 30 --ttft 1s --tpot 50ms)
lies "30 at a help desk, L40S" in 2 "${gpus% *}" "${gpus#* }"
# One client of a box of eight B200 under SGLang, 1 k in and out: time a token (gist, BenHamm, 2026-02); GLM-5 is
# without speculation. 8B on A100 40 GB under vLLM 0.23: 75 tokens/s decoding (johnmusgrave.com)
while IFS='|' read -r name inside published command; do
    "$ceiling" demand $command --clients 1 >"$scratch/one"
    token=$(sed -n 's/^         each token after .*ms   *\([0-9.]*\) ms – \([0-9.]*\) ms$/\1 \2/p' "$scratch/one")
    lies "$name, ms a token" "$inside" "$published" "${token% *}" "${token#* }"
done <<'ROWS'
Qwen3 235B on 8 B200|in|6.70|qwen3-235b-a22b --gpu b200-sxm --tp 8 --prompt 1ktok --output 1ktok --engine sglang
gpt-oss 120B on 8 B200|in|2.41|gpt-oss-120b --gpu b200-sxm --tp 8 --prompt 1ktok --output 1ktok --engine sglang
Kimi K2 on 8 B200|in|7.54|kimi-k2 --gpu b200-sxm --tp 8 --prompt 1ktok --output 1ktok --engine sglang
GLM-5 on 8 B200|in|20.22|glm-5 --gpu b200-sxm --tp 8 --weights fp8 --prompt 1ktok --output 1ktok --engine sglang
8B on one A100 of 40 GB|in|13.3|llama-3.1-8b --gpu a100-sxm-40gb --prompt 1024tok --output 128tok
ROWS
# Of several clients, as measured, ms a token; lengths of the 8B assumed (aihardwareindex.com, of Koyeb's tables;
# lambda.ai, qwen3-coder-next, TTFT 2 to 4 s, whose B200 make 16 ms where 7.1 to 16.9 is said; millstoneai.com, 2026-01)
while IFS='|' read -r name inside published command; do
    "$ceiling" demand $command >"$scratch/some"
    token=$(sed -n 's/^         each token after .*ms   *\([0-9.]*\) ms – \([0-9.]*\) ms$/\1 \2/p' "$scratch/some")
    lies "$name, ms a token" "$inside" "$published" "${token% *}" "${token#* }"
done <<'ROWS'
8B, 32 on an L40S|in|28.5|llama-3.1-8b --gpu l40s --tp 1 --clients 32 --prompt 500tok --output 500tok
8B, 32 on an A100|in|16.6|llama-3.1-8b --gpu a100-sxm-80gb --tp 1 --clients 32 --prompt 500tok --output 500tok
Qwen3-Coder-Next, 32 on 4 H100|in|16|qwen3-coder-next --gpu h100-sxm --tp 4 --clients 32 --requests 64 --prompt 8ktok --output 1ktok
Qwen3-Coder-Next, 32 on 4 A100|in|26|qwen3-coder-next --gpu a100-sxm-80gb --tp 4 --clients 32 --requests 64 --prompt 8ktok --output 1ktok
gpt-oss 120B, 4 on an H100|in|7.83|gpt-oss-120b --gpu h100-sxm --tp 1 --clients 4 --prompt 1ktok --output 1ktok
gpt-oss 120B, 4 on an RTX PRO 6000|in|11.1|gpt-oss-120b --gpu rtx-pro-6000 --tp 1 --clients 4 --prompt 1ktok --output 1ktok
ROWS
# 80 calls of 14 turns in 4.2 minutes, p95 of a turn 1.34 s: two RTX 4090 that also hear and speak (gigagpu.com, lengths
# assumed). 70B in 16 bit for 32 users of 8 k: four H100, eight L40S (servnetuk.com, by memory alone)
gpus=$(users llama-3.1-8b --gpu rtx-4090 --weights fp8 --cache fp8 --rate 4.4req/s --span 10min --shared-prefix 1500tok \
    --prompt 60tok --output 60tok --turns 14 --turn-gap 18s --ttft 300ms --tpot 30ms)
lies "80 calls, RTX 4090" out 2 "${gpus% *}" "${gpus#* }"
gpus=$(users llama-3.3-70b --gpu h100-sxm --weights bf16 --clients 32 --prompt 7ktok --output 1ktok --ttft 5s --tpot 100ms)
lies "32 users of 8 k, H100" in 4 "${gpus% *}" "${gpus#* }"
# 70B in fp8 on one H100 PCIe, 2,100 tokens/s of 16 sequences (llmversus.com, 2026): its weights alone take 35 ms to
# read, 457 tokens/s; here its cache has no room for 16
most=$(made llama-3.3-70b --weights fp8 --gpu h100-pcie --tp 1 --clients 16 --prompt 1ktok --output 500tok)
check "FAIL 16 sequences of a 70B on one H100 PCIe make $most tokens/s, over the 457 that reading it allows" \
    "awk -v m=${most:-1e9} 'BEGIN {exit !(m <= 457)}'"
rate=$(made llama-2-7b --gpu a100-sxm-80gb --requests 1000 --rate 1e9req/s --prompt 224tok --output 235tok --spread 0.8 \
    --engine vllm-0.8 --adapters 4 --adapter-rank 8)
lies "a 7B with adapters, tokens/s" in 2578 "${rate%.*}" "${rate%.*}"
# Who takes requests in binds embeddings: a tenth of the time was the model's (Snowflake, 2025, H200, vLLM)
one=$(made qwen3-0.6b --gpu h200-sxm --rate 1e9req/s --requests 4000 --prompt 50tok --output 1tok --api-servers 1)
many=$(made qwen3-0.6b --gpu h200-sxm --rate 1e9req/s --requests 4000 --prompt 50tok --output 1tok --api-servers 64)
times=$(awk -v m="$many" -v o="$one" 'BEGIN {print m / o}')
lies "short texts embedded, times as many with more processes" out 16 "$times" "$times"
finish
