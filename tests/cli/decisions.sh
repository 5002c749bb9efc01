#!/bin/sh
# The five decisions of docs/economics.md: answers an engineer would sign, with room for better constants.
ceiling=${BUILD:-build}/ceiling
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# number JSON KEY: the first of that name
number() { sed -n "s/.*\"$2\": \([-0-9.e+]*\),*$/\1/p" "$1" | head -1; }

# top JSON KEY: of the answer itself
top() { sed -n "s/^  \"$2\": \([-0-9.e+]*\),*$/\1/p" "$1" | head -1; }

# within WHAT VALUE LOW HIGH
within() {
	if [ -n "$2" ] && awk -v v="$2" -v l="$3" -v h="$4" 'BEGIN {exit !(v >= l && v <= h)}'; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $1: $2, not $3 to $4"
	fi
}

ask() {
	file=$1
	shift
	"$ceiling" demand "$@" --json >"$work/$file" 2>"$work/error" || cat "$work/error" >"$work/$file"
}

large="llama-3.3-70b --weights fp8"
# 300 tokens out and some 450 in: 500 to 1,500 a second on an H100
ask chat $large --tp 4 --rate 500req/s --span 20s --prompt 300tok --output 300tok --spread 0.8 --turns 6 \
	--turn-gap 10s --ttft 1s --tpot 50ms
within "chat, GPUs" "$(top "$work/chat" gpus)" 100 300
within "chat, found of prompts" "$(number "$work/chat" prompt_cached_share)" 0.6 0.85

# 8.5 Pflop/s of prompts: ten GPUs at 45 % of 1.98 Pflop/s, two to six times that under the target
ask rag $large --tp 8 --rate 3req/s --span 20min --prompt 20ktok --output 400tok --spread 0.4 --ttft 4s --tpot 60ms \
	--within 95%
within "retrieval, GPUs" "$(top "$work/rag" gpus)" 20 60

# 30 turns of 3 k tokens on 10 k that all share: all but 2.5 k of 57 k was said before
agents="deepseek-v3.1 --gpu h200-sxm --tp 8 --rate 4req/s --span 20min --shared-prefix 10ktok --turns 30
	--turn-gap 15s --prompt 2500tok --output 500tok --spread 0.5 --ttft 5s --tpot 50ms --within 95%"
ask agents $agents
within "agents, found of prompts" "$(number "$work/agents" prompt_cached_share)" 0.85 0.96
within "agents, GPUs" "$(top "$work/agents" gpus)" 48 160
# 12 k tokens/s of long answers are past a cliff: chances of larger fleets, a target that is held, a measurement
ask long deepseek-r1 --gpu h200-sxm --rate 3req/s --span 20min --prompt 1ktok --output 4ktok --ttft 5s --tpot 60ms
for word in fleets looser client_alone_s; do
	within "long answers past a cliff: $word" "$(grep -c "\"$word\"" "$work/long")" 1 1
done
ask blind $agents --no-prefix-cache
# who thinks for a minute is dropped from the GPUs; from the hosts he is read back, and fewer nodes do
thinkers=$(echo $agents | sed 's/turn-gap 15s/turn-gap 60s/')
ask slow $thinkers
ask host $thinkers --host-cache 200GB
within "agents, read back" "$(number "$work/host" prompt_read_share)" 0.04 0.4
within "agents, GPUs saved" "$(($(top "$work/slow" gpus) - $(top "$work/host" gpus)))" 8 96
within "agents without a cache are refused" "$(grep -c 'no fleet meets' "$work/blind")" 1 1

# what a GPU makes times GPU-hours is what was asked for, and a tenth of the GPUs take ten times as long
ask night $large --tp 2 --requests 5000000 --prompt 2ktok --output 300tok --spread 0.6 --deadline 10h
ask nights $large --tp 2 --requests 5000000 --prompt 2ktok --output 300tok --spread 0.6 --deadline 100h
hours() { awk -v s="$(number "$1" run_s)" -v g="$(sed -n '/"job"/,/}/s/.*"gpus": \([0-9]*\),*/\1/p' "$1" | head -1)" 'BEGIN {print s * g / 3600}'; }
within "batch, GPU-hours" "$(hours "$work/night")" 500 1100
within "batch, the same at leisure" "$(hours "$work/nights")" 500 1100

ask small llama-3.1-8b --rate 0.5req/s --span 12h --burstiness 0.2 --duty 40% --prompt 1ktok --output 250tok --spread 1 \
	--ttft 1s --tpot 50ms
within "start-up, GPUs" "$(top "$work/small" gpus)" 1 1
within "start-up, load" "$(number "$work/small" rho)" 0.005 0.06
within "start-up, own over API" "$(awk -v o="$(number "$work/small" usd_per_30_days)" -v a="$(number "$work/small" api_usd_per_30_days)" 'BEGIN {if (a > 0) print o / a}')" 20 200
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
