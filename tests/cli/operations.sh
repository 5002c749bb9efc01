#!/bin/sh
# What --explain-number and --csv of explain say of operations.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect
moe="mixtral-8x7b --gpus 64 --seq 4096 --global-batch 256 --ep 8"

expect 0 out 'none: this plan has no such traffic' explain $moe --tp 1 --explain-number tp
expect 0 out 'dispatch .*all-to-all, .*8 ranks' explain $moe --tp 1 --explain-number ep
expect 0 out '(all-gather|all-reduce) by [a-z-]+: base' explain llama-3-8b --gpus 16 --tp 8 --sp 1 --seq 4096 \
    --global-batch 64 --explain-number tp
expect 0 out '^stage,block,pass,operation,' explain $moe --tp 1 --csv
"$ceiling" explain $moe --tp 2 --explain-number tp >"$scratch/tp"
check "fits 100 columns" 'fits <"$scratch/tp"'
"$ceiling" explain $moe --tp 2 --csv >"$scratch/rows"
check "as many fields in every row" '[ "$(awk -F, "{print NF}" "$scratch/rows" | sort -u | wc -l)" = 1 ]'
expect 0 out '^0,update,,update on the host,host,fp32,' explain llama-3-8b --gpus 8 --zero 1 --offload --csv
expect 0 out 'Rajbhandari' explain llama-3-8b --gpus 8 --explain-number gradients
finish
