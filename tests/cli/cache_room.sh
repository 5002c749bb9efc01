#!/bin/sh
# Room for the cache against what vLLM 0.11 logged on an H100 of 79.18 GiB: llm-d-planner
# docs/empirical-vllm-memory-results.md (e50305a), column KV Cache, within 3 % (one and a half GiB at most).
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect

# room MODEL TP FORMAT GIB BYTES: of a GPU, and the bytes a token keeps there
room() {
    expect 0 out '"blocks"' demand "$1" --gpu h100-sxm --tp "$2" --weights "$3" --engine vllm-0.11 \
        --memory-share 0.9 --rate 0.05req/s --prompt 200tok --output 50tok --json
    blocks=$(sed -n 's/.*"blocks": *\([0-9]*\).*/\1/p' "$scratch/out" | head -1)
    check "$1 on $2: $blocks blocks, logged $4 GiB" \
        "awk -v b=${blocks:-0} 'BEGIN { r = b * 16 * $5 / 2^30 / $4; exit !(r > 0.97 && r < 1.03) }'"
}
room llama-3.1-8b 1 bf16 51.38 131072
room llama-3.1-70b 2 fp8 32.00 163840
room qwen3-0.6b 1 bf16 64.45 114688
room qwen3-32b 1 bf16 4.45 262144
room qwen3-32b 2 bf16 34.49 131072
finish
