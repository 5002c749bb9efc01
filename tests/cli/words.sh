#!/bin/sh
# Words that people bring from elsewhere: values, flags and commands under other names.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect

# answer FLAG VALUE: of the smallest job that takes the flag, what it says but for how long it took
answer() {
    case $1 in
    weights | cache | engine) set -- demand llama-3.1-8b --clients 2 --requests 4 --gpu h100-sxm "--$1" "$2" ;;
    schedule) set -- explain llama-3-8b --gpus 16 --pp 2 --global-batch 32 "--$1" "$2" ;;
    *) set -- explain llama-3-8b --gpus 16 --tp 2 --pp 1 --global-batch 32 "--$1" "$2" ;;
    esac
    "$ceiling" "$@" 2>&1
}

# Every word of data/value-words.csv means its value, or says what to do instead.
tail -n +2 data/value-words.csv >"$scratch/rows"
while IFS=, read -r flag word value mend; do
    answer "$flag" "$word" >"$scratch/word"
    if [ -n "$value" ]; then
        answer "$flag" "$value" >"$scratch/value"
        check "--$flag $word is not as $value" 'cmp -s "$scratch/word" "$scratch/value" && ! grep -q "^ceiling: " "$scratch/word"'
    else
        check "--$flag $word does not say what to do" '[ -n "$mend" ] && grep -q "^ceiling: --$flag: unknown" "$scratch/word"'
    fi
done <"$scratch/rows"

job="llama-3-8b --gpus 16 --global-batch 32"
expect 1 err "'vllm-omni'; did you mean vllm" demand llama-3.1-8b --clients 2 --engine vllm-omni
expect 0 out '12.5 Gbit/s per GPU.* Ethernet' plan $job --fabric 100GbE
expect 0 out '100 Gbit/s per GPU between nodes' plan $job --fabric 100Gb
expect 0 out '^ *GPU: 800 for 8 GPUs|rate given per GPU: 800 for 8 GPUs' plan $job --fabric 100Gb
expect 0 out 'Qwen3.5 27B .*taken as qwen3.5-27b' plan qwen3.6-27b --gpus 16 --global-batch 32
expect 0 out '20.0B tokens.*100 kUSD' size llama-2-7b --tokens 2e10 --budget 100k --max-gpus 16 --gpu h100-sxm
expect 1 err 'a number without a unit' size llama-2-7b --tokens 15
expect 2 err 'ceiling demand llama-3.1-8b --rate' serve llama-3-70b
expect 2 err 'ceiling explain MODEL' memory llama-3-70b
expect 2 err 'samples x their tokens x epochs' plan $job --epochs 3
expect 2 err '--weights int4' demand llama-3.1-8b --awq
finish
