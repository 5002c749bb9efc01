#!/bin/sh
# Fine-tuning from the command line: what is frozen takes less, and what is misspelt is refused.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect
job="explain llama-3-8b --gpus 1 --gpu l40s --seq 2048 --micro-batch 1 --global-batch 16 --recompute full --stack pytorch"

expect 0 out 'does not fit|needs' $job
expect 0 out '"base_precision": "nf4"' $job --adapter qlora --json
expect 0 out '"fits": true' $job --adapter qlora --json
expect 0 out '"kind": "lora"' $job --adapter lora --adapter-rank 8 --adapter-targets q_proj,v_proj --json
# Megatron-Bridge stores no base in 4 bits: who names no software gets what does, also as what would fit
expect 0 out '^software Hugging Face .*transformers: none was named, the usual one beside 4' plan llama-3-8b --gpu 4090 --gpus 1 --seq 2048 --global-batch 16 --adapter qlora
step=$(sed -n 's/^step     \([^ ]* [a-z]*\) .*/\1/p' "$scratch/out")
check "100 M tokens of adapters, not 1 T" "grep -q '^         100 Mtok take [0-9.]* h$' $scratch/out"
expect 0 out "^    .* step $step: " plan llama-3-8b --gpu 4090 --gpus 1 --seq 2048 --global-batch 16
expect 0 out '^software Megatron-Bridge' plan llama-3-8b --gpu 4090 --gpus 1 --seq 2048 --global-batch 16 --adapter lora
expect 0 out '^         1.00 Gtok take .* and .* USD, without failures' explain llama-3-8b --gpus 8 --tokens 1G
check "of tokens that were given, only these" "! grep -q '1 T tokens' $scratch/out"
expect 1 err 'adapter.*did you mean .*lora' $job --adapter lara
expect 1 err 'module' $job --adapter lora --adapter-targets q_prog
expect 0 out 'adapter up' $job --adapter lora --csv
# 0.176 B of trained parameters (one adapter beside q, k and v, one beside gate and up) times 14 bytes, not 70.6 B
expect 0 out '10 checkpoints of 2.46 GB kept' size llama-3-70b --tokens 1G --deadline 2d --gpu h100-sxm --adapter lora --max-gpus 64
expect 0 out 'so many are let for so short a time is not modelled: --max-gpus$' size llama-3-8b --tokens 20G --global-batch 4Mtok --deadline 3h --gpu h100-sxm --max-gpus 512
expect 0 out '^take     64 x ' size llama-3-8b --tokens 20G --global-batch 4Mtok --budget 50kUSD --gpu h100-sxm --max-gpus 512
# 50 kUSD over what the run costs, as many times 8.03 G x 20 G tokens; a twentieth of it is the square of the parameters
usd=$(sed -n 's/^take .* h, \([0-9.]*\) kUSD .*/\1/p' "$scratch/out")
check "how large a model the budget allows" "awk -v u=$usd -v n=\"\$(sed -n 's/^largest .* train \([0-9.]*\)B parameters.*/\1/p' $scratch/out)\" 'BEGIN {want = sqrt(8.03 * 20 * 50 / u / 20); exit !(n > 0.99 * want && n < 1.01 * want)}'"
check "faster ones are let by few" 'grep -q "more than 8 nodes for less than 1.00 d, which few let$" "$scratch/out"'
# 100 M tokens in 24 steps of 4 Mtok would take 837 M: as asked it is 64 sequences a step, 2.8e19 flop, some hours of 8 H100
expect 0 out '^batch    262 ktok, up to the critical batch of 100M tokens' size llama-3.3-70b --adapter lora --tokens 100M \
    --deadline 1d --gpu h100-sxm
check "tokens are asked for anew" "! grep -q '^needs' $scratch/out && grep -Eq '^take     (8|16) x .*: [1-4][.][0-9]* h, ' $scratch/out"
finish
