#!/bin/sh
# Jobs over the life of a cluster, ladders of growth, sites: as people and scripts use them.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect
jobs=$scratch/jobs.csv
cat >"$jobs" <<'END'
name,model,tokens,steps,gpu_hours,arrival_h,deadline_h,priority,min_gpus,max_gpus,every_h,owner
base,llama-3.1-8b,20G,,,0,400,1,8,,,a
tune,data/model/llama-2-7b.json,,500,,24,60,0,8,32,168,b
eval,,,,40,10,,2,8,8,24,b
END
expect 0 out '^knee ' portfolio "$jobs" --gpus 8..64 --horizon 60d --seed 3
check "a column for somebody else is named" 'grep -q "not read: owner" "$scratch/out"'
check "fits 100 columns" 'fits <"$scratch/out"'
expect 0 out 'owned, 4 years .* held rented' portfolio "$jobs" --gpus 8,16 --capex 35kUSD
check "a line of money for each size" '[ "$(grep -c "^ *\(8\|16\) .* kUSD  *[0-9][0-9]*  *[0-9][0-9]*$" "$scratch/out")" = 2 ]'
check "money fits 100 columns" 'fits <"$scratch/out"'
expect 0 out '^knee ' portfolio "$jobs" --gpus 8,16 --svg "$scratch/fill.svg"
check "a picture of how full" 'grep -q "16 GPUs: .* % taken" "$scratch/fill.svg" && tail -1 "$scratch/fill.svg" | grep -q "</svg>"'
expect 0 out '"marginal_fill": ' portfolio "$jobs" --gpus 8,16 --json --budget 100kUSD --horizon 60d
check "odds of both" 'grep -A3 "\"odds\"" "$scratch/out" | grep -q "\"deadline\": [01]" &&
    grep -A3 "\"odds\"" "$scratch/out" | grep -q "\"budget\": [01]"'
cp "$scratch/out" "$scratch/first"
"$ceiling" portfolio "$jobs" --gpus 8,16 --json --budget 100kUSD --horizon 60d >"$scratch/again" 2>/dev/null
check "the same seed, the same bytes" 'cmp -s "$scratch/first" "$scratch/again"'
"$ceiling" portfolio "$jobs" --gpus 8,16 --csv >"$scratch/rows" 2>/dev/null
check "as many fields in every row" '[ "$(awk -F, "{print NF}" "$scratch/rows" | sort -u | wc -l)" = 1 ]'
# 8 GPUs hold no state of a 70B: they are no knee, however full the other job keeps them
printf 'name,model,tokens,gpu_hours,arrival_h,min_gpus,max_gpus\nsmall,,,100,0,8,8\nlarge,llama-3-70b,2G,,0,64,64\n' >"$scratch/two.csv"
expect 0 out '^never    1 job runs on no size that 8 GPUs have' portfolio "$scratch/two.csv" --gpus 8,16,64,128
check "the knee runs every job" 'grep -q "^knee     64 GPUs" "$scratch/out"'
printf 'JobID|JobName|Submit|Start|End|ElapsedRaw|AllocTRES\n1|a|2024-01-01T00:00:00|2024-01-01T00:01:00|2024-01-01T01:01:00|3600|gres/gpu=8\n' >"$scratch/sacct"
expect 0 out 'recorded: mean 1.00 min' portfolio "$scratch/sacct" --gpus 8
expect 1 err '^ceiling: --price: ' portfolio "$jobs" --gpus 8 --price x
sed 's/llama-3.1-8b/llama-3.1-9b/' "$jobs" >"$scratch/odd.csv"
expect 1 err 'odd.csv:2:1: model: ' portfolio "$scratch/odd.csv" --gpus 8
expect 0 out '^serving  ' portfolio "$jobs" --gpus 16 --horizon 10d --serve llama-3.1-8b --rate 30req/s --span 1d --peak 1.8
expect 0 out '"serving_share": 0\.[0-9]' portfolio "$jobs" --gpus 16 --horizon 10d --serve llama-3.1-8b --rate 30req/s --json
expect 1 err 'lives of' portfolio "$jobs" --gpus 8 --horizon 20000d --draws 10000
expect 2 err 'gpus is missing' portfolio "$jobs"
expect 1 err 'no-such-file' portfolio no-such-file --gpus 8

expect 0 out '^h100-sxm,[0-9]*,.*,1$' size llama-3.1-8b --tokens 1T --deadline 30d --gpu h100-sxm --csv --svg "$scratch/size.svg"
check "as many fields in every row" '[ "$(awk -F, "{print NF}" "$scratch/out" | sort -u | wc -l)" = 1 ]'
check "one is taken, and drawn large" '[ "$(grep -c ",1$" "$scratch/out")" = 1 ] && grep -q "r=\"8\"" "$scratch/size.svg"'
expect 0 out '^tp[0-9]+ pp[0-9]+ .*dp[0-9]+ zero' plan llama-3.1-8b --gpus 8 --csv --top 3
check "three plans" '[ "$(wc -l <"$scratch/out")" = 4 ]'
expect 0 out '^b200-sxm,8,' size llama-3.1-8b --tokens 1T --deadline 30d --gpu b200-sxm,h200-sxm,b200-sxm --max-gpus 16 --csv
expect 1 err "of the term 'on-demand' is known of v100-sxm-32gb" size llama-3.1-8b --tokens 1T --deadline 30d --gpu b200-sxm,v100-sxm-32gb
expect 0 out '"odds": ' size llama-3.1-8b --tokens 1T --deadline 30d --gpu h100-sxm --json
expect 0 out '^odds  .* to be in time' size llama-3.1-8b --tokens 1T --deadline 30d --budget 1MUSD --gpu h100-sxm

expect 0 out '^  reserved, 1 year .* 78 %' size llama-3.1-8b --tokens 1T --deadline 30d --gpu h100-sxm --compare-terms
check "fits 100 columns" 'grep -A6 "^terms" "$scratch/out" | fits'
expect 0 out '^fabric   over plain Ethernet ' size llama-3.1-8b --tokens 1T --deadline 30d --gpu h100-sxm --against-fabric ethernet-100
expect 0 out '^network  200 Gbit/s per GPU' size llama-3.1-8b --tokens 1T --deadline 30d --gpu a100
expect 0 out '"worth_usd_per_gpu_h": [0-9]' size llama-3.1-8b --tokens 1T --deadline 30d --gpu h100-sxm --against-fabric ethernet-100 --json
expect 0 out '^regret   against [0-9]* x h100-sxm .* cheaper' size llama-3.1-8b --tokens 1T --deadline 30d --gpu h100-sxm
expect 0 out 'odds to be in time with 0 spares: [0-9]* %, 1 spare: ' size llama-3.1-8b --tokens 1T --deadline 30d --gpu h100-sxm --repair 10d
expect 0 out '^storage  4.00 TB of token ids, 10 checkpoints of 112 GB kept: .* USD to ' size llama-3.1-8b --tokens 1T --deadline 30d --gpu h100-sxm
expect 0 out 'by region 0.0[0-9] to 0.[0-9]' size llama-3.1-8b --tokens 1T --deadline 30d --gpu h100-sxm --capex 40kUSD --electricity texas --compare-terms
check "size fits 100 columns" 'fits <"$scratch/out"'
expect 1 err 'electricity: no price .* one of: texas' size llama-3.1-8b --tokens 1T --deadline 30d --electricity narnia
expect 0 out '^spares   [1-9] nodes*: ' size llama-3.1-8b --tokens 1T --deadline 30d --gpu h100-sxm --repair 10d
expect 0 out '^  owned, 4 years .* your own' size llama-3.1-8b --tokens 1T --deadline 30d --gpu h100-sxm --capex 40kUSD --residual 25% --interest 10% --compare-terms
expect 1 err 'residual: .*out of range' size llama-3.1-8b --tokens 1T --deadline 30d --gpu h100-sxm --capex 40kUSD --residual 120%
expect 0 out '"pays_above_utilization": ' size llama-3.1-8b --tokens 1T --deadline 30d --gpu h100-sxm --compare-terms --json
expect 0 out '"useful_tokens_per_s": ' scale llama-2-7b --gpus 64,128 --useful --json
expect 0 out 'constant-work: ' scale llama-2-7b --gpus 64,128 --mode grow --useful
check "useful tokens are shown" 'grep -q "^useful tokens" "$scratch/out"'
check "fits 100 columns" 'grep -v █ "$scratch/out" | fits'
expect 0 out 'GPUs.0.7' scale llama-2-7b --gpus 64,128 --mode grow --grow 0.7
expect 0 out 'a model per size' scale megatron-1.7b --gpus 32,64 --mode grow --grow megatron-1.7b:512,megatron-3.6b:512 \
    --gpu a100-sxm-80gb --seq 2048
cp data/model/megatron-3.6b.json "$scratch/own.json"
expect 0 out '"marginal_tokens_per_s_per_gpu": [1-9]' scale megatron-1.7b --gpus 32,64,128 --mode grow --seq 2048 --json \
    --grow "megatron-1.7b:512,$scratch/own.json:512,data/model/megatron-7.5b.json"
check "a larger model's tokens count as more" '! grep -q "\"marginal_tokens_per_s_per_gpu\": -" "$scratch/out"'
check "a path is a model" 'grep -q "active_parameters\": 356" "$scratch/out"'
expect 1 err 'none.json: No such file' scale llama-2-7b --gpus 8,16 --mode grow --grow "llama-2-7b,$scratch/none.json"
expect 1 err "no model's name" scale llama-2-7b --gpus 8,16 --mode grow --grow llama-2-7b,:8
expect 1 err '2 models for 3 sizes' scale llama-2-7b --gpus 8,16,32 --mode grow --grow llama-2-7b,llama-2-13b
expect 0 out '"outer_exposed_s": ' scale llama-2-7b --gpus 64,128 --diloco 100 --sites 2 --between 100Gbit/s --json
check "and the loss it costs" 'grep -q "\"loss_penalty\": " "$scratch/out"'
expect 0 out '^sites    2' scale llama-2-7b --gpus 64,128 --diloco 100 --sites 2 --between 10Gbit/s
expect 2 err 'sites need a link' scale llama-2-7b --gpus 64 --sites 2
printf 'name,gpu_hours,min_gpus,team,quota_gpus\na,80,8,red,8\nb,80,8,red,\nc,80,8,blue,\n' >"$scratch/teams.csv"
expect 0 out '"period_h": 20' portfolio "$scratch/teams.csv" --gpus 24 --json
check "the quotas are said" 'grep -q "\"team\": \"red\"" "$scratch/out"'
expect 0 out '^quotas   of 1 team, 8 GPUs together: red 8' portfolio "$scratch/teams.csv" --gpus 24
finish
