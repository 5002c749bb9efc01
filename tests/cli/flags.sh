#!/bin/sh
# Flags that no other test gives: each moves the number that it is about, the right way.
# Takes minutes.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect

# sum KEY ARGUMENT...: of all numbers of that name in the answer; nothing where there is none
sum() {
    key=$1; shift
    "$ceiling" "$@" --json 2>"$scratch/err" |
        awk -v key="\"$key\":" '$1 == key && $2 != "null," { sum += $2; any = 1 } END { if (any) printf "%.9g\n", sum }'
}
# moves KEY SIGN FLAG ARGUMENT...: the flag makes the number larger (+), smaller (-)
moves() {
    key=$1; sign=$2; flag=$3; shift 3
    without=$(sum "$key" "$@"); with=$(sum "$key" "$@" $flag)
    check "$flag: $key $without becomes $with, not $sign" \
        "awk -v a='$without' -v b='$with' 'BEGIN { exit !(a != \"\" && b != \"\" && (\"$sign\" == \"+\" ? b - a : a - b) > 1e-9 * (a < 0 ? -a : a)) }'"
}

job="llama-3-8b --gpus 16 --global-batch 64"
moves step_s + '--reference model' explain $job
"$ceiling" scale llama-3-8b --gpus 8..128 --global-batch 256 --knee 95% >"$scratch/out"
check "the knee comes earlier where more has to be well spent" 'grep -q "knee.* 64 GPUs" "$scratch/out"'

beside="scale llama-3-8b --gpus 16,64 --global-batch 256 --against-gpu a100-sxm-80gb"
moves usd_per_million_tokens + '--against-price 9USD/h' $beside
moves tokens_per_s - '--against-node a100-pcie-80gb-8' $beside

cluster="size llama-3-8b --tokens 1T --deadline 30d --gpu h100-sxm --max-gpus 64 --seq 8192 --global-batch 4Mtok"
moves node_usd + '--restart 1h' $cluster
moves node_usd + '--swap 2h' $cluster
check "--carbon: grams a kWh" '[ "$(sum carbon_g $cluster --carbon 350gCO2/kWh | cut -c1-3)" -gt 0 ]'
check "no carbon without it" '[ -z "$(sum carbon_g $cluster)" ]'
moves usd_per_gpu_h + '--pue 2' $cluster --capex 40kUSD
moves usd_per_gpu_h + '--life 365d' $cluster --capex 40kUSD
moves usd_per_gpu_h + '--utilization 40%' $cluster --capex 40kUSD

serving="demand llama-3.1-8b --rate 5req/s --span 1min"
moves blocks - '--blocks 2000' $serving
moves api_usd_per_30_days - '--api-cached 0.01USD/Mtok' $serving --shared-prefix 1ktok --api-input 1USD/Mtok --api-output 1USD/Mtok
moves mfu + --in-turn demand llama-3.1-8b --rate 20req/s --span 1min --prompt 2ktok --replicas 4 --turns 4 --turn-gap 2s
scaled="demand llama-3.1-8b --rate 20req/s --peak 2 --peak-at 6h --span 1d --window 30min --ttft 1s"
moves replicas_mean + '--scale-at 30%' $scaled
moves replicas_mean + '--scale-in 4h' $scaled
moves cold_start_s + '--load-bandwidth 100MB/s' $scaled

rows=data/runs/megatron-documentation.csv
head -3 data/first-looks.csv >"$scratch/ledger.csv"
"$ceiling" validate --first-look --ledger "$scratch/ledger.csv" --commit 1a2b3c4 $rows >"$scratch/out" 2>&1
check "--ledger, --commit: a line for each source" 'tail -1 "$scratch/ledger.csv" | grep -q "^20[0-9-]*,1a2b3c4,"'
expect 0 out 'pair' validate --pairs $rows
# sixteen boxes of one GPU: no fast link, a network card each, a host's share of power; a box that is named stays whole
expect 0 out '^machine  16 x .*, 1 per node' plan llama-2-7b --gpu h100-pcie --gpus 16x1 --fabric ethernet-25 --global-batch 1Mtok
check "a card for each" 'grep -q "^network  25 Gbit/s per GPU" "$scratch/out" && ! grep -q "^layout   tp [2-9]" "$scratch/out"'
expect 1 err 'a node of dgx-h100 has 8 GPUs' plan llama-2-7b --node dgx-h100 --gpus 16x1
expect 1 err 'a node of .* has 8 GPUs' plan llama-2-7b --gpus 2x16
expect 1 err 'give how many alone: 64, or 8x8; --gpu says' plan llama-3-8b --gpus 64xH100
expect 1 err 'how many there are is --gpus 64' plan llama-3-8b --gpus 8 --gpu 8xH100
finish
