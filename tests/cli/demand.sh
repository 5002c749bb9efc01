#!/bin/sh
# `ceiling demand` as people use it: traces as they come, what cannot be served, and what an answer
# that costs money must say.
# Takes minutes.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect
trace() { printf 'arrival_s,prompt_tokens,output_tokens\n' >"$scratch/$1"; cat >>"$scratch/$1"; }

printf '5,100,20\n1,100,20\n3,100,20\n' | trace unsorted.csv
printf '0,100,20\n1,-5,20\n2,100,0\n3,1e30,20\n4,abc,2\n5,100,20\n' | trace broken.csv
printf '0,100,20\n1,9000000,20\n2,100,20\n' | trace never.csv
printf '0,9000000,20\n' | trace only_never.csv
: | trace empty.csv
printf 'foo,bar\n1,2\n' >"$scratch/alien.csv"
printf 'service,hour,req_per_min\nchat,0,60\ncode,0,600\nchat,1,30\n' >"$scratch/profile.csv"
m=llama-3.1-8b; t="--trace $scratch"

expect 0 out '1 row out of order sorted in' demand $m $t/unsorted.csv
expect 0 out 'left out 4 rows: 1 unreadable, 1 negative, 1 without prompt or output, 1 absurd' \
    demand $m $t/broken.csv
expect 0 out '"rows_left_out": 4' demand $m $t/broken.csv --json
expect 1 err 'no fleet serves 99% of requests: 1 of 3 are longer than the cache.*--within 66.6%' demand $m $t/never.csv --tp 1
expect 0 out 'refused, because they can never fit in the cache: 1$' demand $m $t/never.csv --tp 1 --within 66%
expect 1 err 'no request fits in a cache of [0-9]+ tokens' demand $m $t/only_never.csv --tp 1
expect 1 err 'no request can be read; 0 rows were left out' demand $m $t/empty.csv
expect 1 err 'no columns of arrival, prompt and output length' demand $m $t/alien.csv
expect 1 err 'No such file' demand $m $t/nothere.csv

# Pooled keys are kept in 8 bit unless asked otherwise, and SGLang then runs 256 sequences, all ranks together.
v4="deepseek-v4-flash --rate 1req/s --span 60s --gpu b200-sxm --tp 1"
expect 0 out 'cache fp8' demand $v4
expect 0 out 'cache bf16' demand $v4 --cache bf16
expect 0 out 'at most 256 sequences' demand $v4 --dp 4 --ep 4 --engine sglang
expect 0 out '0.980 per million out' demand $v4
expect 2 err '--prompt is for made-up requests' demand $m $t/unsorted.csv --prompt 1ktok
expect 0 out 'service chat; 1 row of other services left out' demand $m \
    --profile "$scratch/profile.csv"
expect 0 out 'service code; 2 rows of other services left out' demand $m \
    --profile "$scratch/profile.csv" --service code
expect 1 err "no service 'cod' in it; did you mean code" demand $m \
    --profile "$scratch/profile.csv" --service cod
expect 1 err '--span: .0s. is out of range; give 1ms to 36525d' demand $m --rate 5req/s --span 0s
# 47 requests within 2.00 s, answered in 6.52 s: no rate, so no factor may come from one.
brief="demand $m --gpu h100-sxm --rate 20req/s --prompt 1ktok --output 500tok --span 2s"
expect 0 out '^note     requests come sooner than one is answered alone: a batch, paid until its last' $brief
expect 0 out 'bursts  *x 1\.00 ' $brief
expect 0 out 'idle hours  *x 1\.00 ' $brief
expect 0 out 'load .rho. [45][0-9]\.[0-9] % of capacity$' $brief
expect 0 out '^bill     [^,]* an hour$' $brief
expect 1 err 'longer --window' demand $m --rate 5req/s --span 20s --window 1ns
expect 2 err 'api-input is given and --api-output is not' demand $m --rate 5req/s --span 20s --api-input 1USD/Mtok
expect 0 out '^bill     .* an hour, .* in 30 days' demand $m --rate 5req/s --span 20s
expect 0 out 'by the API' demand $m --rate 5req/s --span 20s
# 35 kUSD over four years are 0.998 USD an hour; 700 W and an eighth of the host's at 0.2073 USD/kWh and PUE 1.25 some 0.25
expect 0 out 'GPU at .1\.2[0-9]/h: your own' demand $m --rate 5req/s --span 20s --capex 35kUSD --electricity eu
expect 2 err 'drop --capex, or --price' demand $m --rate 5req/s --span 20s --capex 35kUSD --price 2USD/h
expect 0 out '^         for .3\.20 an hour, .2,304 in 30 days; the API takes ' demand $m --rate 5req/s --span 5min
expect 0 out 'by the API' demand deepseek-r1 --gpu h200-sxm --rate 1req/s --span 20s
expect 0 out "'qwen3-embedding-4b' taken as qwen3-4b" demand qwen3-embedding-4b --rate 5req/s --span 20s --output 1tok
expect 0 out 'all alike' demand $m --rate 5req/s --span 20s
expect 0 out "api-prices. by --api-price" demand llama-3.1-70b --rate 5req/s --span 20s
expect 0 out 'cost     .0 at 0.00 USD/GPU-h' demand $m --rate 5req/s --span 20s --price 0USD/h
expect 0 out 'there is no break-even' demand $m --rate 5req/s --span 20s --api-input 0USD/Mtok --api-output 0USD/Mtok
expect 1 err 'alien.csv:1: no column of rates' demand $m --profile "$scratch/alien.csv"
printf 'model,window_start_s,total_rate_req_s\na,0,2\na,600,4\nb,0,9\n' >"$scratch/windows.csv"
expect 0 out 'a second over 20.0 min' demand $m --profile "$scratch/windows.csv"
gzip -c "$scratch/unsorted.csv" >"$scratch/packed.csv.gz"
expect 0 out '3 requests' demand $m $t/packed.csv.gz
head -c 40 "$scratch/packed.csv.gz" >"$scratch/cut.csv.gz"
expect 1 err 'damaged or cut short' demand $m $t/cut.csv.gz
printf '0,100,20\n0,100,20\n0,100,20\n9,100,20\n' | trace ties.csv
expect 0 out '2 requests' demand $m $t/ties.csv --requests 2
expect 0 out '^replica .* 16 x h100-sxm: tp 8, pp 2, weights fp8' demand deepseek-v3 --rate 1req/s
expect 1 err 'does not fit.*a GPU with more memory' demand deepseek-v3 --rate 1req/s --tp 8 --pp 1
expect 1 err 'does not fit: tp 1 x pp 1 needs' demand llama-3.1-405b --tp 1 --rate 1req/s
expect 1 err 'a --rate of 0 is no demand; give --rate 5req/s' demand $m --rate 0req/s
expect 1 err 'came within the 1 h .*; raise --rate, or --span' demand $m --rate 1e-6req/s
expect 2 err '2 replicas of 4 GPUs are not --gpus 4; leave one' demand $m --tp 4 --rate 1req/s --replicas 2 --gpus 4
expect 2 err 'no demand is given' demand $m
expect 2 err 'give --clients 100 .* says up to how much it is held' demand $m --gpus 8
expect 2 err 'does not say when they come; give --rate 20000req/day' demand $m --requests 2M --span 1d
expect 1 err "'5,5req/s' has a comma: decimals take a point" demand $m --rate 5,5req/s
expect 1 err "'tok/s' is a rate; give the time of one: 40ms" demand $m --rate 5req/s --tpot 25tok/s
expect 2 err "'t.csv' is one argument too many; requests are --trace FILE" demand $m t.csv
expect 2 err 'give --requests 1000000 --prompt .* 2 billion tokens by then' demand $m --tokens 2B --deadline 8h
# logs as people export them: other names and order, ISO times, semicolons, milliseconds since 1970
printf 'created_at;model;usage_output;usage_input\n2026-01-05T08:00:00Z;x;120;812\n2026-01-05T08:00:30Z;x;20;12\n' >"$scratch/own.csv"
expect 0 out '2 requests, 0.0333 a second over 1.00 min' demand $m --trace "$scratch/own.csv"
printf '{"ts":1767600000123,"input_tokens":5,"completion_tokens":7}\n{"ts":1767600030123,"input_tokens":5,"completion_tokens":7}\n' >"$scratch/own.jsonl"
expect 0 out '2 requests, 0.0333 a second over 1.00 min' demand $m --trace "$scratch/own.jsonl"
expect 1 err "no columns of .* in the header 'foo,bar'" demand $m --trace "$scratch/alien.csv"
expect 1 err 'no fleet meets 1.00 ms.* alone on a replica 0% are served so' demand $m --rate 1req/s \
    --ttft 1ms
near="demand llama-3.3-70b --weights fp8 --tp 4 --rate 3req/s --prompt 20ktok --output 400tok --spread 0.4 --tpot 60ms"
expect 0 out '^needs    1?[0-9] replicas = ' $near --ttft 4s
expect 0 out 'share in time .*\[99%: [45][0-9]\].* 99.9%: none' $near --ttft 4s
expect 0 out 'in any fleet 0.7%' $near --ttft 4s
expect 1 err 'nearest met: --ttft 5.*, or --within 99.2%' $near --ttft 4s --within 99.9%
expect 0 out '"late_alone": 0.00[67]' $near --ttft 4s --json
expect 0 out '9[0-9].[0-9] % of prompt tokens were in the prefix cache' demand $m --rate 4req/s --span 5min \
    --prompt 200tok --shared-prefix 4ktok
expect 0 out 'of prompt tokens were in the prefix cache' demand $m --rate 4req/s --span 5min --turns 5 --turn-gap 5s
expect 1 err '--turns: .5000. is out of range; give 1 to 1000' demand $m --rate 4req/s --turns 5000
expect 2 err '--turns is for made-up requests' demand $m $t/unsorted.csv --turns 3
expect 0 out 'THINNED to 1 in 2 requests' demand $m $t/ties.csv --requests 2
expect 0 out '2 requests, 0.167 a second over 12.0 s' demand $m $t/ties.csv --requests 2
expect 0 out '100 requests, 0.0278 a second over 1.00 h' demand $m --rate 1req/s --requests 100
expect 1 err '4 clients are fewer than 8 replicas' demand $m --tp 1 --clients 4 --gpus 8
expect 0 out 'with [67]\.[0-9] sequences' demand $m --tp 1 --clients 64 --gpus 8 --requests 800
expect 0 out ' requests, 0.2[23][0-9]* a second over 1.00 d' demand $m --rate 20,000req/day --peak 2
expect 0 out ' requests, 3[56]\.[0-9] a second over 1.00 h' demand $m --rate 20req/s --peak 1.8 --span 1h
expect 0 out ' requests, 3[56]\.[0-9] a second over 1.00 h' demand $m --rate 20req/s --peak 1.8 --span 1h --peak-at 23h
expect 2 err '--peak-at says more of --peak' demand $m --rate 20req/s --peak-at 3h
expect 0 out ' a second over 7.00 d' demand $m --rate 500req/day --weekend 30%
expect 1 err '--peak: .30. is out of range; give 1 to 20' demand $m --rate 1req/s --peak 30
expect 1 err '--clients: .0. is out of range' demand $m --clients 0
expect 1 err '--within: .0%. is out of range; give 0.1% to 100%' demand $m --rate 1req/s --within 0%
expect 1 err '--prompt: .0tok. is out of range; give 1tok to 10Mtok' demand $m --rate 1req/s --prompt 0tok
expect 2 err 'give --rate 5req/s' demand $m --qps 5
expect 1 err 'beside them of the 78.1 GB that the engine takes' demand llama-3.3-70b --tp 1 --rate 1req/s
expect 0 out '^growth +.25 % a month: .* due in [0-9.]+ months; [0-9]+ GPUs? in 3 months, ' demand $m --rate 4req/s --growth 25%
expect 0 out "^frontier GPUs by target, all else as asked, in the busiest [0-9]" demand $m --rate 20req/s --span 1h
expect 0 out 'all by the busiest [0-9.]+ min$' demand $m --rate 40req/s
expect 0 out 'autoscaled at 70 % of their rate +0.[0-9]+ +1 .* 100.00 %$' demand $m --rate 1req/s --duty 30% \
    --span 1d --least-replicas 0
expect 1 err 'longer --scale-window' demand $m --rate 0.001req/s --span 1000d --scale-window 1s
expect 0 out '^quality  weights in int4 lose some 2 % of scores' demand $m --rate 1req/s --weights int4
expect 0 out '^quality  weights in fp8 would lose nothing .*: --search$' demand $m --rate 1req/s --span 1min
expect 0 out '^note     so many at once wait: --ttft 2s' demand $m --clients 20000 --requests 20000
expect 0 out '^quality  what weights in mxfp4 lose is not known' demand $m --rate 1req/s --weights mxfp4
expect 0 out '"quality_loss": 0,' demand $m --rate 1req/s --weights fp8 --json
expect 0 out 'per million tokens, prompts and answers' demand $m --rate 50req/s --span 5min --prompt 400tok --output 1tok
expect 0 out '^scaling  an autoscaler at 70 % saves nothing' demand $m --rate 100req/s --span 2min --prompt 400tok \
    --output 1tok --ttft 300ms
expect 1 err 'did you mean vllm' demand $m --rate 1req/s --engine vlm

expect 2 err 'number of requests' demand $m --deadline 8h
expect 1 err 'no fleet is done' demand $m --deadline 3min --requests 1000000 --cold-start 3min
expect 2 err 'leave one of them out' demand $m --deadline 3h --requests 100 --rate 3req/s
expect 2 err '--nightly is of a job that has a --deadline' demand $m --rate 3req/s --nightly 8h
expect 0 out 'by 72 h from now, 8 h of each day' demand $m --requests 1000000 --deadline 3d --nightly 8h
expect 0 out 'the last answer comes [0-9.]+ h from now' demand $m --requests 1000000 --deadline 3d --nightly 8h
expect 0 out 'interruptions expected .assumed rate., done in [0-9.]+ h at work' demand llama-3.3-70b --weights fp8 --tp 2 --requests 5000000 --prompt 2ktok --output 300tok --deadline 3d --nightly 8h
expect 2 err '--ttft is for requests that come in time' demand $m --deadline 3h --requests 100 --ttft 1s
expect 2 err '--accept is a share of proposed' demand $m --rate 3req/s --accept 80%
expect 0 out 'given    2 replicas = 8 GPUs, 8 clients each' demand $m --tp 4 --clients 16 --gpus 9
expect 0 out '1 of the GPUs given make no replica of 4' demand $m --tp 4 --clients 16 --gpus 9
expect 0 out '^ +given +[$]0.13 .*by you$' demand $m --deadline 3h --requests 1000 --price 2USD/h --cold-start 3min
expect 0 out 'held all day for one such job; never pays' demand $m --deadline 3h --requests 1000 --price 2USD/h --cold-start 3min
# windows hold many answers, and scaling never needs more than the fleet that stays
long="demand $m --rate 1req/s --output 8ktok --tpot 30ms"
expect 0 out 'answers take long beside' $long --span 2min
check 'answers of minutes leave no windows of seconds' '! "$ceiling" $long --span 5min 2>/dev/null | grep -q "scaled over"'
expect 0 out 'hardware floor +\$0' demand $m --rate 8req/s --span 10min --turns 10 --prompt 1ktok --output 300tok
# other cores, same bytes (tests/api/test_any_order.c has more of it)
cores="demand $m --rate 8req/s --span 20min --search --levers"
expect 0 out '^levers' $cores; cp "$scratch/out" "$scratch/all"
if command -v taskset >/dev/null 2>&1; then
    taskset -c 0 "$ceiling" $cores >"$scratch/one" 2>"$scratch/err"; got=$?
    check "on one core: status $got, $(diff "$scratch/all" "$scratch/one" | head -5) $(cat "$scratch/err")" \
        "[ $got = 0 ] && cmp -s $scratch/all $scratch/one"
fi
expect 0 out '^       > .* tp 8.* !  .*' demand llama-3.3-70b --rate 3req/s --prompt 20ktok --output 400tok --spread 0.4 \
    --tpot 60ms --ttft 2.5s --search
check "a search sizes past a cliff without a word" "grep -q '!: at a cliff: as slow as one' $scratch/out && fits <$scratch/out"
quick="demand $m --rate 4req/s --span 20min --levers --compare-gpus --search"
"$ceiling" $quick --svg "$scratch/a.svg" >"$scratch/out" 2>"$scratch/err"
check "boxes of marketplaces are not marked" "grep -q 'rtx-4090 fp8^' $scratch/out && grep -q '\^: boxes of other people' $scratch/out"
check "no line is wider than 100 columns" 'fits <"$scratch/out"'
check "no row of the search was taken" "[ \$(grep -c '^       > ' $scratch/out) = 1 ]"
check "fp8 is not what a search takes" "grep -q 'weights fp8' $scratch/out"
check "a lossy format comes without a word" "grep -q 'q: int4 loses some 2 %' $scratch/out"
check "terms of price are mixed" "! sed -n '/^gpus/,/reserved/p' $scratch/out | grep -q survey"
check "GPUs without a price are dropped without a word" \
    "grep -q 'not ranked, no price known.*: a10' $scratch/out && tr -s '\n ' ' ' <$scratch/out | grep -q 'no products in bf16: .*v100'"
check "GPUs have no MFU" "sed -n '/^gpus/,\$p' $scratch/out | grep -Eq 'h100-sxm [a-z0-9]+ +1 +[0-9,]+ +[0-9]+% +[$]0[.]'"
check "where one GPU of each does, formats are not the cheaper ones" \
    "sed -n '/^gpus/,\$p' $scratch/out | grep -q 'h100-sxm fp8 ' && ! sed -n '/^gpus/,\$p' $scratch/out | grep -q 'h100-sxm bf16'"
check "operations have no price" "grep -q 'Mtok is [$][0-9.]* for 10^18 useful operations' $scratch/out"
"$ceiling" demand deepseek-v3 --rate 2req/s --span 5min --compare-gpus >"$scratch/apart" 2>/dev/null
check "a copy of the model spans boxes without a network" \
    "tr -s '\n ' ' ' <$scratch/apart | grep -q 'without a network between them: .*l4' && ! grep -q '^ *l4 fp8' $scratch/apart"
check "a GPU without bf16 is compared" "! sed -n '/^gpus/,\$p' $scratch/out | grep -q 'v100.*%'"
check "a search counts other GPUs than the answer" "[ \$(awk '\$1 == \">\" {print \$(NF - 1)}' $scratch/out) = \$(sed -n 's/^needs .* = \([0-9]*\) GPU.*/\1/p' $scratch/out) ]"
"$ceiling" demand $m --clients 16 --requests 300 >"$scratch/loop" 2>/dev/null
check "a closed loop is said to fill GPUs" "grep -q 'closed loop: 16 clients keep 1 GPU at' $scratch/loop && ! grep -q 'this demand keeps' $scratch/loop"
# users of whom a target is asked: their fleet, by who each has beside him
users="demand $m --prompt 1ktok --output 200tok --ttft 500ms --tpot 20ms"
expect 0 out '^needs    [2-9] replicas = .* for 500 ms to the first token and 20.0 ms each' $users --clients 200
expect 0 out 'NOT MET' $users --clients 400 --gpus 1
expect 0 out '^       > .* [$][0-9.]+$' $users --clients 100 --search
expect 1 err 'no fleet meets 1.00 ms' demand $m --clients 9 --ttft 1ms
expect 0 out 'load .rho. [0-9][0-9]\.[0-9] %' demand $m --clients 45 --shared-prefix 3ktok --prompt 300tok
# users who read before they ask again come at a rate, and conversations go on in order
expect 0 out ': 60 users who ask every 20 s' demand $m --clients 60 --turns 5 --turn-gap 20s --span 20min
check "60 users every 20 s are 3 requests a second" "grep -q ' requests, [23]\.[0-9]* a second' $scratch/out"
check "what was said before is found" "[ \$(sed -n 's/^ *\([0-9]*\)\.. % of prompt tokens were.*/\1/p' $scratch/out) -gt 60 ]"
check "room for more is told in users" "grep -q 'the next GPUs are due at [0-9more than]* users' $scratch/out"
expect 0 out 'a node lost .8 GPUs.: 100.00%' demand deepseek-v3 --gpu mi300x --rate 8req/s --prompt 2ktok --output 500tok --ttft 3s --tpot 60ms
check "a lost node fits 100 columns" 'fits <"$scratch/out"'
expect 0 out 'closed loop: 1 client keeps 1 GPU at' demand $m --clients 1 --requests 20
expect 0 out '100.00% are served within that$' demand $m --rate 2req/s --output 1tok --span 5min
expect 2 err 'ask without an end; give --turn-gap 30s' demand $m --clients 60 --turn-gap 0s
expect 2 err 'or --clients 500 who' demand $m --rate 5req/s --turn-gap 9s
expect 2 err 'give --clients 500 --turn-gap 30s' demand $m --users 500
expect 0 out '^given    1 replica; --ttft or --tpot asks' demand $m --clients 9 --requests 90
"$ceiling" demand $m --rate 4req/s --span 5min --search --weights bf16 >"$scratch/bf16" 2>/dev/null
check "a format that was asked for is left" "grep -q 'weights bf16' $scratch/bf16"
"$ceiling" demand $m --requests 3000000 --deadline 8h --spread 0.5 >"$scratch/job" 2>/dev/null
check "a job has no fleet, bill or term" "grep -q '^needs .*done in' $scratch/job && grep -q 'on-demand .*/Mtok out' $scratch/job && grep -q 'pays above' $scratch/job"
check "no line is wider than 100 columns" 'fits <"$scratch/job"'
ranks="demand qwen3-30b-a3b --gpu h200-sxm --rate 1e9req/s --prompt 128tok --output 128tok --requests 4000 --dp 8 --ep 8"
most() { sed -n 's/.* output tokens\/s of \([0-9,]*\) at most.*/\1/p' | tr -d ,; }
many=$("$ceiling" $ranks 2>/dev/null | most) one=$("$ceiling" $ranks --api-servers 1 2>/dev/null | most)
check "one API server hands on 1/46 us = 21,739 tokens/s, not $one; eight more, not $many" "[ $one -le 21740 ] && [ $many -gt $one ]"
check "limits are not those of a rank" "'$ceiling' $ranks --max-sequences 32 2>/dev/null | grep -q 'at most 256 sequences'"
"$ceiling" demand $m --rate 4req/s --span 5min --disaggregate 2:1 --speculate 3 --api-input 9USD/Mtok \
    --api-output 9USD/Mtok >"$scratch/wide" 2>/dev/null
check "no line is wider than 100 columns" 'fits <"$scratch/wide"'
check "the GPU's price has no date" "grep -qE 'GPU at .[0-9.]+/h: .*, 20[0-9-]+' $scratch/out"
check "no comparator" "grep -qE '^api .*\(20[0-9-]+\)' $scratch/out"
check "no interval of the first token" "grep -q 'iterations 5 % faster' $scratch/out"
check "no picture" "grep -q '</svg>' $scratch/a.svg"
for words in 'cost against batch' 'Load through the span' 'factor by factor' 'Break-even'; do
    check "the picture says nothing of $words" "grep -q '$words' $scratch/a.svg"
done
check "labels outside the picture" \
    "awk -F'x=\"' '/<text x=/ {split(\$2, a, \"\\\"\"); if (a[1] > 1080 || a[1] < 0) exit 1}' $scratch/a.svg"

"$ceiling" demand $m --rate 2000req/s --span 1min --prompt 4ktok --replicas 2 \
    --price 2USD/h >"$scratch/out" 2>&1
check "a given fleet is called a need" "grep -q '^given    2 replicas = 2 GPUs' $scratch/out"
check "a price of one's own has a date" "! grep -q 'given by you, given' $scratch/out"
check "overload is not said" "grep -qE 'load \(rho\) [0-9]{3,}' $scratch/out"

"$ceiling" demand $m --rate 5req/s --requests 1 >"$scratch/single"
check 'one request alone has a cost in every factor' '! grep -q "nan\|inf" "$scratch/single"'
users="$m --clients 200 --prompt 1ktok --output 200tok --ttft 500ms --tpot 20ms"
expect 0 out '^bill     .* an hour, .* in 30 days; by the API .* an hour in which all of them ask$' demand $users
expect 0 out '^         the next GPUs are due at [23][0-9]* users, 1\.[0-9]* x this demand$' demand $users
expect 0 out '^growth   .* GPUs in 3 months' demand $users --growth 20%
expect 0 out '"next_at_clients": [23][0-9.]*,' demand $users --json
expect 0 out '^order    in 84.0 d demand is 1.65 x: [5-9] GPUs then hold it .*; order [1-5] more than to buy$' demand $users --growth 20% --lead-time 12weeks
expect 0 out '"lead_gpus": [5-9],' demand $users --growth 20% --lead-time 12weeks --json
head=$("$ceiling" demand $users --csv | head -1)
check "a row of CSV has as many cells as its header" \
    '"$ceiling" demand $users --csv | awk -F, "{if (NR > 1 && NF != n) exit 1; n = NF} END {exit NR != 2}"'
check "cells are called as in JSON" 'echo "$head" | grep -q "gpus_p90,buy_gpus,.*usd_per_million_tokens,usd_per_h"'
expect 0 out '^note     a request of 200,200 tokens is longer than the 131,072 that the model' demand $m --rate 0.01req/s --prompt 200ktok --ttft 60s
check "that note fits 100 columns" 'fits <"$scratch/out"'
expect 0 out '\$[0-9.]* for 10\^18 useful operations; \$1\.[0-9]* were the GPU at its peak' demand $m --rate 5req/s --price 3.85USD/h
expect 0 out '^levers,as asked,on-demand,1,' demand $m --rate 5req/s --levers --csv
check "batches that nobody joins make fewer tokens" \
    'awk -F, "/^levers,as asked/ {a = \$8} /^levers,static batches/ {s = \$8} END {exit !(s > 0 && s < a)}" "$scratch/out"'
check "so does a host that works between iterations" \
    'awk -F, "/^levers,as asked/ {a = \$8} /^levers,host not overlapped/ {s = \$8} END {exit !(s > 0 && s < a)}" "$scratch/out"'
expect 0 out 'two-batch overlap' demand deepseek-v3 --engine sglang --gpu h200-sxm --tp 1 --dp 8 --ep 8 \
    --rate 2req/s --span 1min --levers
expect 0 out '^llama-3.1-8b,h100-sxm,bf16,spot,' demand $m --requests 100000 --deadline 2h --csv
expect 0 out '^         with the margin it is held for [0-9]* users, 0\.[0-9]* x this demand$' demand $m --clients 900 --tpot 20ms --gpus 2
expect 0 out '^         with the margin it is held for [0-9.]* requests/s, 0\.[0-9]* x' demand $m --rate 40req/s --span 5min --gpus 1
expect 0 out '^power    at most 10.0 kW with cooling .PUE 1.25.*; 5.00 kW hold 4 GPUs: TOO FEW$' demand $m --rate 40req/s --span 5min --gpus 8 --power 5kW
expect 0 out 'GPU at .*coreweave, spot' demand $m --rate 5req/s --span 1min --price spot
expect 1 err 'no spot price of l4 is known; give 2.5USD/h' demand $m --gpu l4 --rate 5req/s --price spot
check "a whole is no 1e+02%" '! "$ceiling" demand $m --gpu l40s --weights fp8 --rate 10req/s --ttft 1s --tpot 60ms | grep -q "e+0"'
expect 0 out '^growth +.10 % a month: ' demand $m --rate 4req/s --span 2min --growth 10%/month
expect 1 err "'%/moon' is no growth; write it like 10%, 10%/month or 200%/year" demand $m --rate 4req/s --growth 10%/moon
expect 1 err "'15' is out of range; give -50% to 100%: 15%, or 0.15" demand $m --rate 5req/s --growth 15
expect 1 err "'99' is out of range; give 0.1% to 100%: 99%, or 0.99" demand $m --rate 5req/s --within 99
expect 1 err "api-price: there is no api-price 'gpt-4o'; 'ceiling show api-prices' lists them" demand $m --rate 5req/s --api-price gpt-4o
expect 0 out ', 3.8[0-9]* a second over' demand $m --rate '10M req/month'
expect 0 out ', 4.[0-9]* a second over' demand $m --rate 300rpm
expect 2 err 'give --output 1tok; --api-servers' demand $m --rate 5req/s --embedding
expect 2 err 'lead-time says more of --growth' demand $m --rate 5req/s --lead-time 12weeks
expect 0 out '^frontier GPUs by target' demand $users
first=$(sed -n 's/^         each token *[0-9.]* ms: \([0-9]*\) .*/\1/p' "$scratch/out")
last=$(sed -n 's/^         each token .*: \([0-9]*\)$/\1/p' "$scratch/out")
check "users hold a target by a chance; a quarter of the time takes more than $first GPUs, not $last" \
    'grep -q "^buy .* chance" "$scratch/out" && [ "$last" -gt "$first" ]'
expect 0 out 'not the GPU binds but the process that takes requests in' demand qwen3-0.6b --rate 600req/s --prompt 100tok --output 1tok --span 1min
check "one process is not said to bind a chat" '! "$ceiling" demand $m --rate 5req/s | grep -q api-servers'
expect 2 err 'the model comes first, without a flag' plan --model $m --gpus 8
expect 0 out 'of the weights 40 adapters of rank 16: 84 MB each' demand $m --rate 5req/s --adapters 40
expect 1 err 'beside experts are not modelled; give --adapter-targets attention' demand qwen3-30b-a3b --rate 1req/s --adapters 4
expect 1 err 'not known for TensorRT-LLM.*leave --engine out' demand $m --rate 1req/s --adapters 4 --engine trtllm
expect 2 err 'give --adapters 40, all held on each GPU' demand $m --rate 1req/s --max-loras 4
expect 2 err 'or --adapters 40 to serve' demand $m --rate 1req/s --adapter-rank 8
expect 1 err "^ceiling: --ttft: '0s' is out of range" demand $m --rate 5req/s --ttft 0s
expect 0 out '^buy      1 GPU: it holds' demand $m --rate 5req/s
expect 2 err 'clients ask when they have their answer' demand $m --clients 8 --rate 5req/s
"$ceiling" demand $m --requests 1000000 --deadline 8h >"$scratch/bill" 2>&1
check "a bill fits 100 columns" 'fits <"$scratch/bill"'
# The decision comes first; a node lost says how late, not only how many: a token in 46 ms for 30
expect 0 out '^         a node lost .8 GPUs.: [0-9.]*% are served in time, nine in ten within [0-9.]* ms and [0-9.]* ms each$' demand gpt-oss-120b --clients 1000 --turn-gap 6s --span 2min --prompt 1500tok --output 300tok --ttft 1s --tpot 30ms
expect 0 out '^         a node lost .* in time, nine in ten within [0-9.]* s$' demand llama-3.1-8b --rate 400req/s --span 1min --prompt 2ktok --output 1tok --ttft 500ms
check "what to buy stands before why" '[ "$(sed -n "s/^\(needs\|buy\|latency\|cost\) .*/\1/p" "$scratch/out" | tr "\n" " ")" = "needs buy latency cost " ]'
# A classifier's answer is one token: no token comes after it
expect 0 out '^cost .* per million answers of one token' demand qwen3-8b --rate 100req/s --span 1min --prompt 512tok --output 1tok --ttft 1s
check "nothing of tokens after" '! grep -qE "each token|a token .p50.|1.00 s to the first token and" "$scratch/out"'
finish
