#!/bin/sh
# The program as people and scripts use it: exit status, streams, and what an answer must contain.
# Takes minutes.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect

small="explain llama-2-7b --gpus 16 --seq 4096 --global-batch 64"

expect 0 out 'usage: ceiling COMMAND' help
expect 0 out 'usage: ceiling COMMAND' --help
for word in $("$ceiling" help | awk '/^  [a-z]/ { print $1 }'); do
    check "help of $word fits 100 columns" '"$ceiling" "$word" --help 2>&1 | fits'
done
for word in models gpus prices api-prices nodes stacks; do
    check "the list of $word fits 100 columns" '"$ceiling" show "$word" 2>&1 | fits'
done
check "a long complaint fits 100 columns" '"$ceiling" plan 2>&1 | fits'
expect 2 err "'-gpus' is no flag; flags start with --" plan llama-3-8b -gpus 8
expect 1 err 'how many there are is --gpus 64' plan llama-3-8b --gpu 64
expect 1 err "'infiniband'; say which: ib-edr" plan llama-3-8b --gpus 8 --fabric infiniband
expect 1 err '^ceiling: --against-fabric: unknown fabric' scale llama-3-8b --gpus 8,16 --against-fabric nowhere
expect 1 err '^ceiling: --sp: .yes. is no number; give 0 to 1' explain llama-3-8b --gpus 8 --sp yes
expect 1 err 'write it like 2s$' demand llama-3-8b --rate 1req/s --ttft 2
expect 0 out 'constant-work|to train on' scale llama-3-8b --gpus 8,16 --mode grow --grow constantwork
expect 1 err '^ceiling: absent.sh: No such file or directory' plan absent.sh
expect 1 err 'it may be strong, weak, grow, both' scale llama-3-8b --gpus 8 --mode weakly
expect 0 out '^ceiling [0-9]' --version
expect 0 out '--global-batch N\|TOKENS' plan --help
expect 0 out '^\.TH CEILING' man
expect 0 out 'complete -o' completion
expect 0 out 'llama-3.1-405b +405853388800' show models
expect 2 err "'h200' is nothing to show; did you mean h200-sxm" show h200
expect 0 out 'hbm +3.35 TB/s, vendor' show gpus h100-sxm
expect 0 out '^api-prices +[0-9]+$' show
expect 0 out '^megatron +Megatron-LM$' show trainers
expect 0 out '^gpus h100-sxm$' show h100-sxm
expect 0 out 'hbm +3.35 TB/s, vendor' show gpu h100-sxm
expect 0 out 'openrouter-llama-3.3-70b +0.100 +0.320 +2026-06' show api-prices
expect 0 out 'every value has unit, source and kind' check
expect 0 out 'where the step goes' $small
expect 0 out '"kind": "explain"' $small --json
expect 0 out 'formula' $small --explain-number bubble
expect 0 out 'plan.model_flop = ' $small --explain-number mfu
expect 0 out 'stack.jitter = 0.015, assumed.*' $small --explain-number straggler
expect 0 out ' USD per million tokens$' $small --explain-number cost
expect 1 err 'no number is called' $small --explain-number nonsense --timeline "$scratch/unasked.json"
check "nothing is written where a number is not known" '[ ! -e "$scratch/unasked.json" ]'
expect 0 out 'layouts' plan llama-2-7b --gpus 8
expect 0 out '"best": null' plan llama-3.1-405b --gpus 8 --json
expect 0 out 'No layout fits' plan llama-3.1-405b --gpus 8
check "a plan far too large fits 100 columns" '"$ceiling" plan llama-3-8b --gpus 8 --seq 10Mtok | fits'
expect 0 out '^On 128 GPUs one fits: tp' plan llama-3.1-405b --gpus 64
expect 0 out '"on_more_gpus": .$' plan llama-3.1-405b --gpus 64 --json
expect 0 out 'Nor does one on up to 64 times' plan llama-3.1-405b --gpus 8 --pp 1 --tp 1 --dp 8
expect 0 out 'chance that it runs out of memory +([<1-9]|10)1? %' plan llama-3-70b --gpus 512 --seq 8192 --global-batch 4Mtok --stack megatron-2024
expect 0 out 'runs out of memory with a chance of [1-4][0-9] % .--risk 10%' plan llama-3-70b --gpus 512 --seq 8192 --global-batch 4Mtok --stack megatron-2024
expect 0 out '"chance_out": 0.[2-4]' plan llama-3-70b --gpus 512 --seq 8192 --global-batch 4Mtok --stack megatron-2024 --json
expect 0 out 'chance that it runs out of memory +[2-4][0-9] %' plan llama-3-70b --gpus 512 --seq 8192 --global-batch 4Mtok --stack megatron-2024 --risk 50%
expect 0 out 'nothing is safe: the safest runs out' scale llama-3-70b --gpus 16 --seq 8192 --global-batch 4Mtok --stack unknown
expect 1 err '60%.* is out of range; give 0.01% to 50%' plan llama-3-8b --gpus 8 --risk 60%
expect 0 out '^needs .*the batch is [0-9.]+ times the critical one' size llama-3-8b --tokens 1T --deadline 30d --gpu h100-sxm --seq 8192 --global-batch 64Mtok
expect 0 out 'losses   none: no failures are assumed' size llama-2-7b --tokens 100B --deadline 30d --gpu h100-sxm --failures 0
expect 0 out 'clusters of up to 64 GPUs planned; prices compared: on-demand' size llama-2-7b --tokens 10B --budget 1MUSD --gpu h100-sxm --max-gpus 64
expect 0 out '^left out, rented by the box .*a10 gh200' size llama-2-7b --tokens 10B --budget 1MUSD --max-gpus 16
expect 0 out '^take .*RTX 4090' size llama-2-7b --tokens 10B --budget 1MUSD --gpu rtx-4090 --max-gpus 16
expect 0 out 'boxes of hosts of others' size llama-2-7b --tokens 10B --budget 1MUSD --gpu rtx-4090 --max-gpus 16
expect 0 out 'hyperstack, on-demand' plan llama-3.1-8b --gpu h100-pcie --gpus 8
expect 0 out '"price_term": "reserved, 1 year"' size llama-2-7b --tokens 100B --deadline 30d --rent reserved-1-year --max-gpus 64 --json
expect 1 err "no price of the term 'spot' is known" size llama-2-7b --tokens 100B --deadline 30d --gpu v100-sxm-32gb --precision fp16 --rent spot
expect 2 err 'price already says what a GPU costs' size llama-2-7b --tokens 100B --deadline 30d --rent on-demand --price 2USD/h
expect 0 out '^losses   a failure or a machine taken back .how often: assumed. every [0-9.]+ h' size llama-3.1-8b --tokens 200B --deadline 14d --seq 8192 --gpu h100-sxm --price spot --max-gpus 64 --compare-terms
check "the cluster at spot prices trains as the term says" \
    '[ "$(sed -n "s/^take .*GB: \([0-9.]* d, [0-9.]* kUSD\) .*/\1/p" "$scratch/out" | tr -d ,)" = "$(sed -n "s/^  spot  *2.46 *\([0-9.]* d [0-9.]* kUSD\) .*/\1/p" "$scratch/out")" ]'
expect 0 out '^or +[0-9]+ x .* d \(-[0-9]+ %\), 1[0-9.]+ kUSD' size llama-3.1-8b --tokens 200B --budget 20kUSD --gpu l40s,h100-sxm --max-gpus 512
expect 0 out 'coreweave, spot,' size llama-2-7b --tokens 100B --deadline 30d --price spot --max-gpus 64
expect 0 out '^ +as good a model takes .* the batch is [0-9.]+ times the critical one' plan llama-3-8b --gpus 64 --seq 8192 --global-batch 64Mtok --tokens 1T
expect 0 out '"as_good_tokens": 2[.]8[0-9]*e.13$' plan llama-3-8b --gpus 64 --seq 8192 --global-batch 64Mtok --tokens 10T --json
expect 0 out '"as_good_tokens": 1e.12$' explain llama-3-8b --gpus 64 --seq 8192 --tokens 1T --json
expect 0 out '^ +1 Ttok take [0-9.]+ d, [0-9,]+ GPU-days' plan llama-3-8b --gpus 64
expect 0 out 'have 100 Gbit/s per GPU: [0-9.]+ min a step' plan llama-3-8b --gpus 64 --seq 8192 --global-batch 256Mtok
expect 0 out '^\*  .*the batch is past the critical one: up to' scale llama-3-8b --gpus 64 --seq 8192 --global-batch 64Mtok
expect 0 out '^batch +3.00 Mtok, taken as 384 sequences of 8,192, .4.9 %: they divide best within 5 %' plan llama-3-8b --gpus 64 --seq 8192 --global-batch 3Mtok
expect 0 out '"asked_tokens": 3000000,' scale llama-3-8b --gpus 64 --seq 8192 --global-batch 3Mtok --json
expect 0 out '^job +366 sequences' plan llama-3-8b --gpus 8 --seq 8192 --global-batch 366
expect 1 err 'global-batch: less than one sequence of 8192 tokens' plan llama-3-8b --gpus 8 --seq 8192 --global-batch 1ktok
expect 0 out 'a batch without a unit counts sequences' explain llama-2-7b --gpus 16 --global-batch 100000
expect 0 out '^memory   DOES NOT FIT: .* of 83.8 GB; what follows' explain llama-3.1-405b --gpus 8 --tp 8 --pp 1
# How sure it is that the best plan is the best.
expect 0 out 'chance that the best is really faster than the last of these: [5-9][0-9] %' plan llama-3-8b \
    --gpus 16 --seq 8192 --global-batch 64
expect 0 out '^No layout fits with a chance' plan llama-3-70b --gpus 16 --gpu a100-sxm-80gb --global-batch 64
check "what fits by a gamble alone fits 100 columns" 'fits <"$scratch/out"'
expect 0 out '^This is a tie with the best: each' plan llama-3-8b --gpus 16 --seq 8192 --global-batch 64 --top 2
expect 0 out 'really faster than this: [5-9][0-9] %$' plan llama-3-8b --gpus 16 --seq 8192 --global-batch 64 --top 2
expect 0 out '"chance_best_is_faster": .$' plan llama-3-8b --gpus 16 --seq 8192 --global-batch 64 --json
expect 0 out '^  --optimizer adam8bit: moments of 8 bit, beyond --risk$' plan gpt2-xl --gpus 1 --gpu rtx4090
tie="llama-3.1-405b --gpus 1024 --seq 4096"
expect 0 out '^chosen   of a tie: tp4.sp cp2 pp32 .* is 0\.[0-9] % faster by' plan $tie
check "the certificate stays true" 'grep -q "none is faster by this model but those of the tie" "$scratch/out"'
check "the faster one is shown" 'grep -q "^tp4+sp cp2 pp32 .* -0\.[0-9] %" "$scratch/out"'
expect 0 out '^layout   tp 8 with sequence parallel . pp 16' plan $tie --top 1
expect 0 out '^layout   tp 8 with sequence parallel . pp 16' explain $tie
expect 0 out '"chosen_of_tie": true' plan $tie --json
# Runs that ran fit, whose software nobody named: Llama 3 405B and DeepSeek-V3 as published.
expect 0 out 'its trainer holds it; megatron' explain llama-3.1-405b --gpus 16384 --seq 8192 \
    --global-batch 2048 --tp 8 --pp 16 --cp 1 --dp 128 --vpp 8 --schedule interleaved --recompute none \
    --zero 1 --micro-batch 1
# Whose software: named, the current one, the one that trained the model; what it lacks; what it keeps.
expect 0 out '^software Megatron-Core .*.megatron-2024.: ' plan llama-2-7b --gpus 8 --stack megatron-2024
expect 0 out '^software .*: none was named, the current one here.: ' plan llama-2-7b --gpus 8
expect 0 out '"stack_named": false' plan llama-2-7b --gpus 8 --json
expect 0 out '^software torchtitan' plan llama-2-7b --gpus 8 --gpu mi300x
expect 0 out 'is not known to run on this vendor' explain llama-2-7b --gpus 8 --gpu mi300x --stack megatron-2026
expect 0 out 'PyTorch FSDP of 2024 is not known to have dualpipe' explain llama-2-7b --gpus 16 --pp 4 --schedule dualpipe --stack fsdp-2024
expect 0 out '^As it is, it fits under --stack llama3-2024' explain llama-3.1-405b --gpus 16384 --seq 8192 --global-batch 2048 --tp 8 --pp 16 --cp 1 --dp 128 --vpp 8 --schedule interleaved --recompute none --zero 1 --micro-batch 1 --stack megatron-2024
expect 0 out 'assumed: gradients in fp32, whole until' explain llama-2-7b --gpus 16 --zero 1 --stack megatron-2024
check 'a search under fsdp-2024 answers no pipelines' '! grep -qE "dualpipe|interleaved" <<END
$("$ceiling" plan llama-3-70b --gpus 512 --seq 8192 --global-batch 512 --stack fsdp-2024 2>/dev/null)
END'

expect 0 out 'DP cap' scale llama-2-7b --gpus 8..64 --seq 4096 --global-batch 256
expect 0 out '"kind": "scale"' scale llama-2-7b --gpus 8,24 --json --mode weak --global-batch 48
expect 0 out '^gpus,layout,' scale llama-2-7b --gpus 8..16 --csv
expect 0 out 'none assumed' scale llama-2-7b --gpus 8..16 --critical-batch none
expect 0 out 'parameters  layers  hidden' scale llama-2-7b --gpus 8..64 --mode grow --global-batch 256
expect 0 out '"weak": ' scale llama-2-7b --gpus 8..32 --mode both --global-batch 64 --json
expect 0 out '"against": ' scale llama-2-7b --gpus 8..32 --against-gpu a100-sxm-80gb --json
expect 0 out 'ib-ndr +\| ethernet-100' scale llama-2-7b --gpus 8..32 --against-fabric ethernet-100
expect 0 out 'marginal_tokens_per_s_per_w' scale llama-2-7b --gpus 8..32 --csv
expect 0 out '^8,.*,strong' scale llama-2-7b --gpus 8 --gpu mi100 --csv
check 'without a price no dollars' 'awk -F, "NR == 1 { for (i = 1; i <= NF; i++) if (\$i ~ /usd/) at[i] } NR > 1 { for (i in at) if (\$i != \"\") exit 1 }" "$scratch/out"'
expect 2 err 'two curves' scale llama-2-7b --gpus 8 --mode both --against-gpu a100-sxm-80gb
expect 1 err 'one kind of layer' scale deepseek-v3 --gpus 512..1024 --mode grow
expect 1 err 'against-gpu|did you mean' scale llama-2-7b --gpus 8 --against-gpu h100-smx
expect 1 err 'smaller one first' scale llama-2-7b --gpus 64..8
expect 1 err 'strong or weak|strong, weak|did you mean|may be' scale llama-2-7b --gpus 8 --mode stron

expect 0 out '^ +P10-P90 .* d to .* at that price' size llama-2-7b --tokens 1T --deadline 60d --gpu h100-sxm
expect 0 out '^or +[0-9]+ x .* \(.[0-9]+ %\), .*USD \(.[0-9]+ %\)' size llama-2-7b --tokens 1T --deadline 300d --gpu h100-sxm
expect 0 out '^take ' size llama-2-7b --tokens 1T --deadline 60d --gpu h100-sxm
expect 0 out 'scale up or out' size llama-2-7b --tokens 200B --deadline 30d
expect 0 out 'written off in 4 years' size llama-2-7b --tokens 200B --deadline 30d --gpu h100-sxm --capex 40kUSD
expect 0 out '"break_even_utilization"' size llama-2-7b --tokens 200B --power 100kW --gpu h100-sxm --capex 40kUSD --json
expect 0 out '"equal_time"' size llama-2-7b --tokens 200B --power 100kW --gpu h100-sxm --json
expect 0 out '"kind": "size"' size llama-2-7b --tokens 1T --budget 1MUSD --gpu h100-sxm --json
expect 0 out '^Give it --budget [0-9.]+ [kM]USD, or make it smaller: with 0\.[0-9]+ %' size llama-2-70b --tokens 15T --budget 10kUSD --gpu h100-sxm
expect 2 err 'there is no limit' size llama-2-7b --tokens 1T
expect 2 err '--tokens is missing' size llama-2-7b --deadline 3d

expect 0 out 'tensor-model-parallel-size 4' $small --tp 4 --launch megatron
expect 0 out 'pipeline-model-parallel-layout "E.t.t.' explain llama-3.1-405b --gpus 2048 --tp 8 --pp 16 --vpp 8 --launch megatron
expect 0 out 'fp8-recipe mxfp8' $small --gpu b200-sxm --precision mxfp8 --launch megatron
expect 0 out 'not this plan: it does not ship this model' $small --tp 4 --launch torchtitan
expect 0 out 'tensor_parallel_degree = 4' explain llama-3-8b --gpus 16 --stack torchtitan-2025 --tp 4 --pp 1 --cp 1 --zero 3 --launch torchtitan
expect 1 err 'trainer' $small --launch make

# what a GPU, a box and a knob cannot be
expect 1 err 'but in fp32 tf32 fp16 bf16: --precision bf16' plan llama-2-7b --gpus 8 --gpu a100-sxm-80gb --precision fp8
expect 1 err 'v100-sxm-32gb does not multiply in bf16, but in fp32 fp16: --precision fp16' plan llama-2-7b --gpus 8 --gpu v100-sxm-32gb --precision bf16
expect 0 out 'a step, fp16$' plan llama-2-7b --gpus 8 --gpu v100-sxm-32gb
expect 1 err 'does not multiply in nvfp4' scale llama-2-7b --gpus 8..16 --gpu a100-sxm-80gb --precision nvfp4
expect 1 err 'does not multiply in bf16' size llama-2-7b --tokens 1T --deadline 60d --gpu v100-sxm-32gb --precision bf16
expect 0 out 'ZeRO' plan mixtral-8x7b --gpus 64 --gpu v100-sxm-32gb --precision fp16
expect 1 err 'dgx-h100 holds h100-sxm, not a100-sxm-80gb' plan llama-2-7b --gpus 8 --gpu a100-sxm-80gb --node dgx-h100
expect 0 out 'A100' plan llama-2-7b --gpus 8 --node dgx-a100
expect 1 err '--data-loading: .*out of range' $small --data-loading -5s
expect 1 err '--imbalance: .*out of range' $small --imbalance 50%
expect 1 err '--fabric: .*out of range' $small --fabric 0Gbit/s
expect 1 err '--top: .*out of range' plan llama-2-7b --gpus 8 --top 65
expect 2 err '--json and --csv are two forms' scale llama-2-7b --gpus 8 --csv --json
expect 2 err '--json and --explain-number are two forms' $small --json --explain-number bubble
expect 2 err 'unknown --color' $small --color red
expect 0 out 'cp 2 \(ulysses\)' $small --cp 2 --cp-kind ulysses
expect 0 out 'recompute full \(4 layers a chunk\)' $small --recompute-layers 4
expect 0 out 'ranks in the order dp-tp-cp-pp' $small --tp 4 --order dp-tp-cp-pp
expect 0 out 'layers of the chunks 10,12,10' explain llama-2-7b --gpus 6 --pp 3 --stage-layers 10,12,10 --global-batch 48
expect 0 out 'layers of the chunks 8,9,9,6' explain llama-3-8b --gpus 64 --pp 4 --vpp 1 --stack megatron-2026 --stage-layers balanced
expect 1 err 'stage-layers is 31 layers' explain llama-2-7b --gpus 6 --pp 3 --stage-layers 10,11,10 --global-batch 48
expect 1 err 'stage-layers: .x. is no number' $small --stage-layers 10,x
expect 1 err 'unknown order' $small --order pp-first
expect 0 out '"order": "tp-cp-pp-dp"' plan llama-2-7b --gpus 16 --fix order=tp-cp-pp-dp --json
expect 0 out 'optimizer states' $small --gradient bf16 --master none --moments bf16 --cross-entropy fused
expect 0 out 'step' $small --term tensor_overlap=0.8,fused_norm=false
expect 1 err 'did you mean tensor_overlap' $small --term tensor_overlp=0.8
expect 1 err 'no NAME=VALUE' $small --term tensor_overlap
expect 1 err 'give 0 to 1' $small --term tensor_overlap=8
expect 1 err 'full recompute only' $small --recompute-layers 4 --recompute none
expect 1 err 'hsdp 4' $small --zero 0 --dp 16 --hsdp 4
expect 0 out '"vpp": 8' explain llama-3.1-405b --gpus 256 --tp 8 --pp 16 --vpp 8 --global-batch 64 --json
expect 0 out 'No size runs' scale gpt3-175b --gpus 1
expect 0 out 'No price is known' size llama-2-7b --tokens 1T --budget 1MUSD --gpu h100-hbm2e-500w

# bad usage: 2; bad input: 1; one sentence each, with what would be right
expect 2 err "did you mean 'plan'" plam llama-2-7b
expect 2 err 'did you mean --gpus' plan llama-2-7b --gpsu 8
expect 2 err 'did you mean --global-batch' plan llama-2-7b --batch 8
expect 2 err 'did you mean --tp' plan llama-2-7b --tensor-model-parallel-size 8
expect 2 err "2,000 who ask 10 times a day are --rate 20000req/day" demand llama-2-7b --users 3M
expect 2 err 'takes no --nodes; give --gpus 2x8, nodes by GPUs of each' plan llama-2-7b --nodes 4
expect 0 out '^machine +16 x ' plan llama-2-7b --gpus 2x8
expect 0 out '^machine +1,024 x ' plan llama-2-7b --gpus 1,024
expect 1 err "'2x16', but a node of dgx-h100 has 8 GPUs" plan llama-2-7b --gpus 2x16
expect 0 out '^machine  16 x .*, 4 per node$' plan llama-2-7b --gpus 4x4
expect 1 err "'128,256' is a list, or one number" plan llama-2-7b --gpus 128,256
expect 1 err 'write 1024 for 1,024' scale llama-2-7b --gpus 1,024
expect 0 out ' at 2.00 USD/GPU-h' plan llama-2-7b --gpus 8 --price '$2'
expect 0 out '^batch +1.00 Mtok' plan llama-2-7b --gpus 8 --global-batch '1M tokens'
expect 2 err "'ceiling plan', 'ceiling explain', 'ceiling scale' take it" read none.sh --gpu a100
expect 1 err 'did you mean .*a100-sxm-80gb' plan llama-2-7b --gpus 8 --gpu a100-sxm-81gb
expect 1 err 'fail-above: .3. is out of range; give 0% to 100%' \
    trace tests/recorded/two-hosts --against tests/recorded/two-hosts --fail-above 3
expect 2 err 'give --zero 3' plan llama-2-7b --fsdp
expect 2 err "see 'ceiling plan --help'" plan llama-2-7b --zzzz
expect 1 err '8-64.* is no number of GPUs; write 8..65536' scale llama-2-7b --gpus 8-64
expect 2 err 'adapter-rank says more of --adapter, which is not given; add --adapter lora' \
    explain llama-2-7b --gpus 8 --adapter-rank 64
expect 2 err 'add --mode grow' scale llama-2-7b --gpus 8 --grow chinchilla
expect 2 err 'add --host-cache 100GB' demand llama-2-7b --rate 1req/s --host-bandwidth 6GB/s
expect 2 err 'needs a value' plan llama-2-7b --gpus ''
expect 1 err 'did you mean h100-sxm' plan llama-2-7b --gpus 8 --gpu h100-smx
expect 1 err 'did you mean' plan deepseek-ai/DeepSeek-V3.9 --gpus 8
expect 0 out 'Llama 3.1 8B: ' plan meta-llama/Llama-3.1-8B-Instruct --gpus 8
expect 0 out 'Llama 3 8B: ' plan meta-llama/Meta-Llama-3-8B --gpus 8
expect 0 out 'Mistral 7B v0.1: ' plan mistralai/Mistral-7B-v0.1 --gpus 8
expect 1 err 'did you mean llama-3-8b' plan configs/llama-3-8b.sh --gpus 8
mkdir -p "$scratch/mine" && cp data/model/mistral-7b.json "$scratch/mine/config.json"
expect 0 out '7.24B' plan "$scratch/mine" --gpus 8 --seq 1024
printf '{"model_type": "gpt2",\n}' >"$scratch/mine/config.json"
expect 1 err ':2:1: a comma before the closing bracket; take the comma away' plan "$scratch/mine" --gpus 8
expect 0 out 'Llama 2 7B: ' plan Llama-2-7b-chat-hf --gpus 8
expect 0 out 'H200 SXM' plan llama-2-7b --gpus 8 --gpu H200
expect 1 err 'drop one of the two' plan llama-2-7b --gpus 8 --tp 2 --fix tp=4
expect 1 err 'GB. is no unit' plan llama-2-7b --gpus 8 --fabric 400GB
expect 0 out 'network  400 Gbit/s' plan llama-2-7b --gpus 8 --fabric 400Gb/s
expect 0 out 'network  100 Gbit/s .*a port per GPU' $small --fabric ethernet-100 --nics 8
expect 0 out 'network  12.5 Gbit/s .*1 port of 100 Gbit/s' $small --fabric ethernet-100
expect 0 out 'network  400 Gbit/s .*8 NICs of 400 Gbit/s' $small --fabric ib-xdr
expect 0 out 'data parallel .*NVLink of the nodes' explain llama-2-7b --gpus 64 --seq 4096 --global-batch 64
expect 0 out 'no collectives were timed over links of mi250x' $small --node frontier
expect 1 err '--nics: a rate given to --fabric is per GPU already' $small --fabric 25Gbit/s --nics 2
expect 1 err "--nics: '0' is out of range; give 1 to 1024" $small --nics 0
sed 's/ib-ndr/ib-hdr/' data/node/dgx-h100.json >"$scratch/node.json"; mkdir "$scratch/node"
mv "$scratch/node.json" "$scratch/node/"
expect 1 err 'node.json:[0-9]+:[0-9]+: nic: 8 NICs carry 3200 Gbit/s, the ports of ib-hdr only 1600' check "$scratch/node/node.json"
expect 1 err 'give 1 to 1000000' plan llama-2-7b --gpus 8 --tp 0
expect 2 err '--gpus 512' plan llama-2-7b
expect 2 err "'plan' needs MODEL" plan
expect 2 err 'given twice|give it once' plan llama-2-7b --gpus 8 --gpus 8
expect 2 err 'needs a value' plan llama-2-7b --gpus
expect 1 err 'did you mean llama-2-7b' plan llama-2-7c --gpus 8
expect 1 err 'did you mean h100-sxm' plan llama-2-7b --gpus 8 --gpu h100-sxn
expect 1 err '--deadline: .*without a unit' size llama-2-7b --tokens 1T --deadline 30
expect 0 out 'at 1.80 USD/GPU-h .*reserved, 3 years' $small --gpu mi325x
expect 0 out 'at 2.50 USD/GPU-h .*reserved, 1 year' $small --price reserved-h100-sxm
expect 1 err 'price of h100-sxm, not of mi300x' $small --gpu mi300x --price nebius-h100-sxm
expect 1 err "--price: .*did you mean nebius-h100-sxm" $small --price nebius-h100-sx
expect 0 out 'at 3.85 USD/GPU-h .*2026-09-25; others' $small --price nebius-h100
expect 0 out 'no other known' $small --gpu mi300x
expect 0 out 'cost     .0 per million tokens at 0.00 USD/GPU-h .given by you' $small --price 0USD/h
expect 0 out '"usd_per_gpu_h": 0,' $small --price 0USD/h --json
expect 0 out 'at 2.50 USD/GPU-h .given by you' $small --price '$2.5/h'
expect 0 out 'spheron-gb200 +gb200 +4.54 +2026-03-17 +on-demand' show prices
expect 0 out 'v100-sxm-32gb +32.0 +125 +900' show gpus
expect 1 err 'no number' plan llama-2-7b --gpus eight
expect 1 err "'-8' is out of range; give 1 to 1000000" plan llama-2-7b --gpus -8
expect 1 err "'8.5' is no whole number" plan llama-2-7b --gpus 8.5
expect 1 err "'1e30' is out of range" plan llama-2-7b --gpus 1e30
expect 1 err 'sequences \(1024\) or tokens \(4Mtok\)' plan llama-2-7b --gpus 8 --global-batch 4GB
expect 1 err '--tokens: .0tok. is out of range' scale llama-2-7b --gpus 8 --tokens 0tok
expect 2 err 'for example: ceiling plan' plan
expect 0 out '^usage: ceiling params$' params --help
expect 1 err 'is no layout|legal' plan llama-2-7b --gpus 8 --tp 3
expect 1 err 'No such file' plan nowhere/config.json --gpus 8
expect 1 err 'directory' plan tests/ --gpus 8
expect 1 err '^ceiling: src: this is a directory; name a file in it' plan src --gpus 8
: >"$scratch/empty.json"
expect 1 err 'empty.json:1:1: it is empty' plan "$scratch/empty.json" --gpus 8
expect 1 err 'that it is to be in is not there; make it first' explain llama-2-7b --gpus 8 --launch megatron -o "$scratch/no/job"
expect 1 err 'empty.json: --out: a file has this name' explain llama-2-7b --gpus 8 --launch megatron -o "$scratch/empty.json"
expect 1 err "unknown fabric '-5Gbit/s'.*or say how fast" plan llama-2-7b --gpus 8 --fabric -5Gbit/s
printf 'id,step\0\n' >"$scratch/binary.csv"
expect 1 err 'binary.csv:1:1: it is no text' validate "$scratch/binary.csv"
expect 1 err 'binary.csv is no text; give CSV' demand llama-3.1-8b --trace "$scratch/binary.csv"
expect 1 err 'ep 4 shares out experts, and the model has none: leave it out' explain llama-2-7b --gpus 8 --ep 4
expect 1 err 'has none: give zero 3' explain llama-2-7b --gpus 8 --hsdp 16
expect 1 err 'at least 2 stages: raise pp' explain llama-2-7b --gpus 8 --pp 1 --schedule zb-v
expect 1 err 'it may be gpipe, 1f1b' plan llama-2-7b --gpus 8 --schedule 2f2b

printf '{"model_type": "llama", "hidden_size": 4096,\n "num_hidden_layers": }' >"$scratch/broken.json"
expect 1 err 'broken.json:2:23' plan "$scratch/broken.json" --gpus 8
printf '{"model_type": "strange", "attention_hidden_size": 4096}' >"$scratch/strange.json"
expect 1 err 'attention_hidden_size.*generic' plan "$scratch/strange.json" --gpus 8
printf '\357\273\277' | cat - data/model/llama-2-7b.json >"$scratch/marked.json"
expect 0 out '6.74B' explain "$scratch/marked.json" --gpus 16 --global-batch 64
mkdir -p "$scratch/gpu" && sed 's/"unit": "TB\/s", //' data/gpu/h100-sxm.json >"$scratch/gpu/mine.json"
expect 1 err 'mine.json:[0-9]+:[0-9]+: hbm' check "$scratch/gpu/mine.json"
sed 's/"h100-sxm"/"mine"/' data/gpu/h100-sxm.json >"$scratch/gpu/mine.json"
expect 0 out 'every value' check "$scratch/gpu/mine.json"
expect 0 out 'where the step goes' $small --gpu "$scratch/gpu/mine.json"

# own config.json, standard input, timeline, tables
expect 0 out '7.25B|7.24B' explain data/model/mistral-7b.json --gpus 8
check 'config on standard input' '"$ceiling" explain - --gpus 8 <data/model/mistral-7b.json | grep -q step'
expect 0 out 'step' $small --pp 2 --timeline "$scratch/step.json"
check 'the timeline is there, whole' 'tail -c 3 "$scratch/step.json" | grep -q "[]}]"'
[ -c /dev/full ] && expect 1 err 'No space left' $small --timeline /dev/full
expect 1 err '^ceiling: -: .*give the file a name' $small --timeline -
check 'no file is called -' '[ ! -e ./- ]'
check 'a device is written to, not replaced' '[ ! -e /dev/full ] || [ -c /dev/full ]'
[ -c /dev/full ] && check 'a full disk is status 1' '! "$ceiling" $small >/dev/full 2>/dev/null'
check 'a closed pipe is no crash' '"$ceiling" scale llama-2-7b --gpus 8 2>/dev/null | head -1 | grep -q model'
check 'nothing from outside steers the terminal' '! "$ceiling" plan "$(printf "\033[31mx\377")" --gpus 8 2>&1 | grep -q "$(printf "\033")"'
check 'no partial file is left' '! ls "$scratch" | grep -q part'
printf 'id,source,gpus\n1,x,8\n' >"$scratch/runs.csv"
expect 0 out '"verdict": "skipped"' validate --json "$scratch/runs.csv"
printf 'id,source,gpus,tp\n1,x,8,eight\n' >"$scratch/word.csv"
expect 0 out "tp: 'eight' is no number" validate "$scratch/word.csv"
printf 'id,source,gpus\n' >"$scratch/bare.csv"
expect 1 err 'no runs are in' validate "$scratch/bare.csv"
expect 2 err 'groups is of tables of serving; leave it out' validate --groups "$scratch/runs.csv"
expect 2 err 'leave-out is of tables of training runs' validate --serving --leave-out source "$scratch/runs.csv"
expect 2 err 'svg is of tables of training runs' validate --serving --svg "$scratch/x.svg" "$scratch/runs.csv"
printf 'a,b\n1\n' >"$scratch/uneven.csv"
expect 1 err 'uneven.csv:2' validate "$scratch/uneven.csv"

# the same bytes every time, lines of at most 100 columns
"$ceiling" $small --json >"$scratch/a"; "$ceiling" $small --json >"$scratch/b"
check 'output is deterministic' 'cmp -s "$scratch/a" "$scratch/b"'
"$ceiling" plan llama-3-70b --gpus 64 >"$scratch/wide" 2>/dev/null
$ceiling scale llama-3-70b --gpus 64..1024 >>"$scratch/wide"
"$ceiling" scale llama-2-7b --gpus 8..65536 --mode grow --global-batch 1024 >>"$scratch/wide"
"$ceiling" scale llama-2-7b --gpus 8..65536 --against-gpu b200-sxm --against-fabric ethernet-100 >>"$scratch/wide"
"$ceiling" size llama-2-7b --tokens 200B --deadline 30d --capex 40kUSD >>"$scratch/wide" 2>/dev/null
for m in deepseek-v3 llama-4-maverick; do
    for c in "plan $m --gpus 512" "explain $m --gpus 512 --tp 8" "scale $m --gpus 256..16384"; do
        "$ceiling" $c --gpu mi300x --global-batch 4096 >>"$scratch/wide" 2>/dev/null
    done
done
for c in plan explain scale show validate check; do "$ceiling" $c --help >>"$scratch/wide"; done
check 'text fits 100 columns' 'fits <"$scratch/wide"'
check 'no colour without a terminal' '! grep -q "$(printf "\033")" "$scratch/wide"'
# Recordings: the fuzz corpus has small ones, whole and damaged, of two ranks.
recorded=tests/fuzz/corpus/trace
mkdir "$scratch/job"
cp $recorded/whole "$scratch/job/rank0.json"
sed 's/"rank": 0/"rank": 1/; s/"ts": "12.125", "dur": 8.5/"ts": 15, "dur": 5.625/' $recorded/whole >"$scratch/job/rank1.json"
gzip -9 "$scratch/job/rank1.json"
"$ceiling" $small --json >"$scratch/plan.json"
expect 0 out 'rank 1 +1 +2.88 us' trace "$scratch/job"
expect 0 out 'no straggler' trace "$scratch/job"
expect 0 out '"without_straggler_s": 0.0000[0-9]+' trace "$scratch/job" --json
expect 0 out '^0,.*rank0.json,5,0.000050000,' trace "$scratch/job" --csv
expect 0 out 'loses most' trace "$scratch/job" --plan "$scratch/plan.json"
expect 0 out 'not that job: its steps would take' trace "$scratch/job" --plan "$scratch/plan.json"
expect 0 out 'GPU work that changed most' trace "$scratch/job" --against "$scratch/job/rank0.json"
expect 1 err 'no plan is in it' trace "$scratch/job" --plan "$scratch/job/rank0.json"
expect 0 out 'rank' trace "$scratch/job" --svg "$scratch/t.svg" --timeline "$scratch/t.json"
check 'a picture of ranks' 'grep -q "rank 1" "$scratch/t.svg"'
check 'a merged timeline' 'grep -q "\"name\":\"rank 1\"" "$scratch/t.json"'
"$ceiling" trace "$scratch/t.json" --json >"$scratch/again.json"
check 'what was written can be read, rank by rank' '[ "$(grep -c "\"events\": 4" "$scratch/again.json")" = 2 ]'
expect 0 out 'rank' trace "$scratch/job" --timeline "$scratch/t.tar"
check 'a tar of ranks' 'tar tf "$scratch/t.tar" | grep -q "^rank-1.json$"'
mkdir "$scratch/untarred" && tar xf "$scratch/t.tar" -C "$scratch/untarred"
expect 0 out 'two-by-two' trace tests/fuzz/corpus/stages/two-by-two
expect 0 out 'stragglers make the job 1.1327 times as long' trace tests/fuzz/corpus/stages/two-by-two
expect 0 out '"slowdown": 1.1327' trace tests/fuzz/corpus/stages/two-by-two --json
expect 0 out 'Chakra of rank 3: 4 operators, 2 communicate' trace tests/fuzz/corpus/execution/chakra.3.et
expect 0 out '"format": "PyTorch execution trace"' trace tests/fuzz/corpus/execution/pytorch-1.1 --json
check 'threads change nothing' '"$ceiling" trace "$scratch/job" --json --threads 1 >"$scratch/1" && "$ceiling" trace "$scratch/job" --json --threads 8 >"$scratch/2" && cmp -s "$scratch/1" "$scratch/2"'
expect 0 out 'events? lost at byte' trace $recorded/truncated
expect 0 out 'log of megatron-lm: 3 reports, the first 1 discarded' trace tests/fuzz/corpus/train_log/megatron
expect 0 out '"trainer": "torchtitan"' trace tests/fuzz/corpus/train_log/titan --json
expect 1 err 'no profiler recording' trace Makefile
mkdir "$scratch/nothing"
expect 1 err 'no files are in .*/nothing' trace "$scratch/nothing"
expect 1 err "--top: 'x' is no number" trace "$scratch/job" --top x
expect 1 err '--threads: .*give 1 to' trace "$scratch/job" --threads 0
printf '#  size count type redop root time algbw   busbw #wrong\n 268435456 4194304 float none -1 XXXXX XXX XXX N/A\n' >"$scratch/template.txt"
expect 1 err 'whose rows hold no numbers' trace "$scratch/template.txt"

# without a page beside it, a sentence says how to have one (with one: tests/web/report.sh)
expect 2 err 'report.pdf: --out: a report is a page; give report.html' $small -o report.pdf
mkdir "$scratch/alone"; cp "$ceiling" "$scratch/alone/ceiling"; built=$ceiling; ceiling=$scratch/alone/ceiling
expect 1 err "make web" web -o "$scratch/page.html"
expect 1 err "make web" $small -o "$scratch/report.html"
check "nothing was written" '[ ! -e "$scratch/page.html" ] && [ ! -e "$scratch/report.html" ]'
ceiling=$built
printf 'model,gpu,gpus,seq,global_batch,step_s,source\nnosuch,h100-sxm,8,4096,128,7.5,mine\n' >"$scratch/own.csv"
expect 0 out "^  row 1: there is no built-in model 'nosuch'" validate "$scratch/own.csv"
finish
