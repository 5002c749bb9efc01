#!/bin/sh
# `ceiling assert`: what holds, what fails, and files that are no scenarios.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect

printf '%s\n' '- name: a small model' '  ask: ceiling explain gpt2 --gpus 8 --tp 2 --micro-batch 4' '  expect:' \
    '    layout.tp: 2' '    layout.dp: "> 3"' '    memory.fits: true' '    step_s: 0.1s .. 100s' >"$scratch/good.yaml"
expect 0 out 'ok   layout.tp  *2, expected 2' assert "$scratch/good.yaml"
expect 0 out '4 hold, 0 fail' assert "$scratch/good.yaml"
expect 0 out '"held": 8' assert "$scratch/good.yaml" "$scratch/good.yaml" --json

sed 's/layout.tp: 2/layout.tp: 4/; s/memory.fits/memory.nothing/' "$scratch/good.yaml" >"$scratch/bad.yaml"
expect 3 out 'FAIL layout.tp  *2, expected 4' assert "$scratch/bad.yaml"
expect 3 out "FAIL memory.nothing  *not there: 'memory' is" assert "$scratch/bad.yaml"
printf '%s\n' '- ask: explain gpt2 --gpus 8 --stakc x' '  expect: {step_s: 1}' >"$scratch/flag.yaml"
expect 3 out 'did you mean --stack' assert "$scratch/flag.yaml"

printf '%s\n' '- ask: explain gpt2 --gpus 8' '  expect: {step_s: "< fast"}' >"$scratch/words.yaml"
expect 1 err "words.yaml:2:20: step_s: '< fast' is no expectation" assert "$scratch/words.yaml"
printf '%s\n' 'ask: explain gpt2' >"$scratch/map.yaml"
expect 1 err 'map.yaml:1:.*this is no list' assert "$scratch/map.yaml"
printf '%s\n' '- ask: explain gpt2' >"$scratch/none.yaml"
expect 1 err 'none.yaml:1:3: an entry without a question' assert "$scratch/none.yaml"
printf '%s\n' '- ask: serve --stdio' '  expect: {a: 1}' >"$scratch/serve.yaml"
expect 3 out 'gives no JSON' assert "$scratch/serve.yaml"
printf '%s\n' "- ask: assert $scratch/self.yaml" '  expect: {failed: 0}' >"$scratch/self.yaml"
expect 3 out 'a scenario cannot ask for scenarios' assert "$scratch/self.yaml"
printf '%s\n' "- ask: plan '" '  expect: {a: 1}' >"$scratch/quote.yaml"
expect 3 out 'FAIL ask' assert "$scratch/quote.yaml"
finish
