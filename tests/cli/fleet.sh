#!/bin/sh
# Several models on one fleet: a table of them, as people and scripts use it.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect
models=$scratch/models.csv
cat >"$models" <<'END'
name;Model;rate;prompt;output;ttft;tpot;tp;owner
chat;llama-3.1-8b;6req/s;1ktok;200tok;1s;50ms;2;a
tags;qwen3-0.6b;1req/s;300tok;5tok;500ms;100ms;;b
guard;llama-3.2-1b;1req/s;300tok;5tok;500ms;100ms;;b
END
few="--span 2min --gpus 8"
expect 1 err 'it takes a table: name,model,rate' fleet llama-3.3-70b
expect 2 err 'one argument too many; it takes a table' fleet llama-3.3-70b qwen3-32b --rate 5req/s
expect 0 out '^takes    1 node = 8 GPUs .*saves 2 nodes' fleet "$models" $few
check "no fleet to buy is named" "grep -Eq '^buy      [0-9]+ nodes? = [0-9]+ GPUs, .* with 90 % chance' $scratch/out"
check "a column for somebody else is named" 'grep -q "not read: owner" "$scratch/out"'
check "all on one node" 'grep -q "^nodes    1 x 1 chat, 1 tags, 1 guard" "$scratch/out"'
check "GPUs that are there" 'grep -q "^there    1 node .*0 nodes left" "$scratch/out"'
check "fits 100 columns" 'fits <"$scratch/out"'
expect 0 out '"saved_nodes": 2' fleet "$models" $few --json
check "small ones could share" 'grep -A3 "\"same_gpus\"" "$scratch/out" | grep -q "\"held_gpus\": 3"'
cp "$scratch/out" "$scratch/first"
"$ceiling" fleet "$models" $few --json >"$scratch/again" 2>/dev/null
check "the same bytes" 'cmp -s "$scratch/first" "$scratch/again"'
printf 'model,rate,tp\nllama-3.1-8b,6req/s,8\n%s\n' "$(for i in 1 2 3 4 5 6 7 8 9; do echo qwen3-0.6b,1req/s,; done)" >"$scratch/many.csv"
expect 0 out '^shared\*  . GPUs*.* for qwen3-0.6b' fleet "$scratch/many.csv" --span 2min
printf 'arrival_s,prompt_tokens,output_tokens\n0,900,20\n30,300,40\n60,500,10\n' >"$scratch/asked.csv"
printf 'hour,req_per_min\n0,30\n1,90\n' >"$scratch/day.csv"
printf 'model,trace,profile\nqwen3-0.6b,%s,\nqwen3-0.6b,,%s\n' "$scratch/asked.csv" "$scratch/day.csv" >"$scratch/files.csv"
expect 0 out '^takes    1 node' fleet "$scratch/files.csv" --spread 0.2
printf 'model,rate,adapters,adapter-rank\nllama-3.1-8b,2req/s,40,16\nqwen3-0.6b,2req/s,,\n' >"$scratch/many.csv"
expect 0 out '^takes    1 node' fleet "$scratch/many.csv" --span 2min
expect 0 out '^chat,llama-3.1-8b,h100-sxm,bf16,2,1,' fleet "$models" $few --csv
expect 0 out '^all      1 node of .*: .* an hour; all on h100-sxm .*; all on h200-sxm' fleet "$models" --span 2min --gpu h100-sxm:8,h200
check "each kind, and what elsewhere costs" 'grep -q "^         chat  .* <.*  h[12]00-sxm: +" "$scratch/out"'
check "fits 100 columns" 'fits <"$scratch/out"'
expect 0 out 'TOO FEW: 0 nodes of h100-sxm are there' fleet "$models" --span 2min --gpu h100-sxm:4
expect 0 out '"proved": true' fleet "$models" --span 2min --gpu h100-sxm:8,h200 --json
expect 0 out '^tags,qwen3-0.6b,h[12]00-sxm,bf16,1,1,' fleet "$models" --span 2min --gpu h100-sxm,h200 --csv
expect 2 err 'h100-sxm twice' fleet "$models" --gpu h100-sxm,h100:8
expect 2 err 'no --node, no --gpus' fleet "$models" --gpu h100-sxm,h200 --gpus 8
bad() { printf "$1" >"$scratch/bad.csv"; shift; expect "$@"; }
bad 'model,rate\nllama-3.1-9b,1req/s\n' 1 err 'bad.csv:2:' fleet "$scratch/bad.csv"
bad 'model,rate\nllama-3.1-8b,1req/s\nllama-3.1-8b,x\n' 1 err 'bad.csv:3:2: rate: ' fleet "$scratch/bad.csv"
bad 'model,trace\nllama-3.1-8b,none.csv\n' 1 err 'none.csv: ' fleet "$scratch/bad.csv"
bad 'model,rate\n,1req/s\n' 1 err 'bad.csv:2:1: a row without model' fleet "$scratch/bad.csv"
bad 'name,rate\na,1req/s\n' 1 err "no column 'model'" fleet "$scratch/bad.csv"
bad 'model,rat\na,1req/s\n' 1 err "no column 'rat'; did you mean 'rate'" fleet "$scratch/bad.csv"
bad 'model,qps\na,1\n' 1 err "1:2: there is no column 'qps'; columns are flags: give --rate" fleet "$scratch/bad.csv"
bad 'model,gpu\na,h100\n' 1 err "'gpu' is no column; give it as a flag" fleet "$scratch/bad.csv"
bad 'model,lead-time\na,12weeks\n' 1 err "'lead-time' is no column; give it as a flag" fleet "$scratch/bad.csv"
bad 'model,rate\nqwen3-0.6b,1req/s\n' 2 err 'no model has; add --growth' fleet "$scratch/bad.csv" --span 2min --lead-time 12weeks
bad "name,rate\n$(seq 70 | sed 's/$/,1req\/s/')\n" 1 err "no column 'model'" fleet "$scratch/bad.csv"
bad 'model,rate\n' 1 err 'no model is in it' fleet "$scratch/bad.csv"
bad 'model,rate\nllama-3.1-8b,1e9req/s\n' 1 err 'bad.csv:2:.*all come at once' fleet "$scratch/bad.csv"
printf 'name,model,rate,tp,growth\nchat,llama-3.1-8b,40req/s,4,60%%\ntags,qwen3-0.6b,1req/s,,\n' >"$scratch/grow.csv"
expect 0 out '^growth   chat \+60 % a month, packed anew: 2 nodes are due in [1-4] months*, 3 in' fleet "$scratch/grow.csv" --span 2min --lead-time 12weeks
check "what to order" 'grep -qE "^order    in 84.0 d demand takes [2-4] nodes: order [1-3] today" "$scratch/out"'
check "fits 100 columns" 'fits <"$scratch/out"'
expect 0 out '"month": 12,' fleet "$scratch/grow.csv" --span 2min --json
printf 'name,model,clients,turns,rate\nchat,llama-3.1-8b,60,5,\ntags,qwen3-0.6b,,,2req/s\n' >"$scratch/users.csv"
expect 0 out '^takes    1 node' fleet "$scratch/users.csv" --turn-gap 20s --span 5min
printf 'model,clients\nllama-3.1-8b,60\n' >"$scratch/users.csv"
expect 1 err 'users.csv:2:1: clients who always wait .*; say how often each asks' fleet "$scratch/users.csv"
expect 0 out '^takes .* GPUs .P10 [0-9]* – P90 [0-9]* nodes?.' fleet "$scratch/models.csv"
printf 'name,model,weights,rate,prompt,output,ttft,tpot\nchat,llama-3.3-70b,fp8,2req/s,4ktok,300tok,600ms,50ms\n' >"$scratch/cliff.csv"
expect 0 out '^buy      loosen first the target of chat, or measure one replica' fleet "$scratch/cliff.csv" --spread 0.5 --span 10min
finish
