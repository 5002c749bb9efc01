#!/bin/sh
# `ceiling collective`: names as libraries write them, sizes, refusals, formats that agree.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect

expect 0 out 'in-switch' collective all-reduce --gpus 8..2048 --bytes 64MiB
expect 0 out '"collective": "all-gather"' collective AllGather --gpus 16 --json
expect 0 out '"protocol": "ll128"' collective all_gather --gpus 64 --bytes 64MiB --json
expect 0 out '"protocol": null' collective all_gather --gpus 8 --json
expect 0 out '^reduce-scatter,16,2,1024,' collective all-gather,reduce-scatter --gpus 8,16 --bytes 1KiB..4KiB --csv
expect 1 err 'did you mean .*all-reduce' collective all-redcue --gpus 8
expect 1 err 'needs two GPUs' collective all-reduce --gpus 1
expect 1 err 'smaller one first' collective all-reduce --gpus 8 --bytes 1GiB..1MiB
expect 1 err 'unit' collective all-reduce --gpus 8 --bytes 64
expect 2 err 'gpus is missing' collective all-reduce
"$ceiling" collective all-reduce --gpus 8..64 --svg "$scratch/bus.svg" >"$scratch/text"
check "the picture has a line" 'grep -q "<path fill=\"none\" stroke-width" "$scratch/bus.svg"'
check "the table fits 100 columns" 'fits <"$scratch/text"'
finish
