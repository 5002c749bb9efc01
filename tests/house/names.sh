#!/bin/sh
# src/ switches on properties: outside comments, where sources are cited, it names no model, engine, product or
# generation of one. What still does stands below, with how many lines; the numbers only fall.
cd "$(dirname "$0")/../.." || exit 1
names='llama|mixtral|mistral|deepseek|qwen|gpt-?oss|minimax|kimi|glm-?[0-9]|gemma|nemotron|falcon|megatron|nanotron|torchtitan|maxtext|vllm|sglang|tensorrt|trtllm|trt-llm|triton|cutlass|cublas|flashinfer|deepep|deepgemm|inferencex|gpustack|dstack|mlperf|sageserve|dynamo|aiconfigurator|blackwell|hopper|ampere|volta|cdna[0-9]'
allowed='
api/answer_demand.c 1
cli/command_demand.c 1
cli/command_diagnose.c 1
cli/command_explain.c 1
cli/command_improve.c 1
cli/command_plan.c 1
cli/command_read.c 3
cli/command_scale.c 1
cli/command_size.c 1
cost/kernel.c 6
job/command.c 1
job/odd.c 4
job/odd.h 4
job/odd_megatron.c 1
job/odd_sizes.c 2
job/odd_torch.c 2
layout/layout.c 1
model/family.c 60
model/family.h 1
model/read.c 3
model/state.c 4
record/train_log.c 6
report/launch.c 13
scaling/ladder.c 1
schedule/dualpipe.c 1
serve/demand_read.c 4
stack/stack.c 2
api/params.def 5
'
code() { # without comments
    awk '{ line = $0; out = ""
        while (line != "") {
            if (inside) { at = index(line, "*/"); if (!at) { line = ""; break } line = substr(line, at + 2); inside = 0; continue }
            at = index(line, "/*"); if (!at) { out = out line; line = "" } else { out = out substr(line, 1, at - 1); line = substr(line, at + 2); inside = 1 }
        }
        print out }' "$1"
}
passed=0; failed=0
for file in src/*/*.[ch] src/*/*.def; do
    [ -f "$file" ] || continue
    found=$(code "$file" | grep -ciE "$names")
    may=$(printf '%s\n' "$allowed" | awk -v f="${file#src/}" '$1 == f { print $2 }')
    if [ "$found" -gt "${may:-0}" ]; then
        echo "$file: $found lines name models or products, ${may:-0} may:"
        code "$file" | grep -iE "$names" | head -5
        failed=$((failed + 1))
    elif [ "$found" -lt "${may:-0}" ]; then
        echo "$file: $found lines are left, $may are allowed: lower it in $0"; passed=$((passed + 1))
    else passed=$((passed + 1)); fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
