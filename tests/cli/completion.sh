#!/usr/bin/env bash
# What is typed is completed: commands, flags, their values, models and kinds; files elsewhere.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect
# shellcheck disable=SC1090
. <("$ceiling" completion)

# typed WANTED WORD...: with the last word under the cursor, WANTED is among the proposals
typed() {
    wanted=$1; shift
    COMP_WORDS=(ceiling "$@"); COMP_CWORD=$#; COMPREPLY=()
    _ceiling
    check "ceiling $*: '$wanted' is not proposed" '[[ " ${COMPREPLY[*]} " == *" $wanted "* ]]'
}
typed validate va
typed --global-batch plan llama-3-70b --glo
typed h100-sxm plan llama-3-70b --gpu h1
typed a100-sxm-80gb scale llama-3-70b --against-gpu a100
typed zb-h1 explain llama-3-70b --gpus 64 --schedule zb
typed llama-3.1-405b plan llama-3.1
typed stacks show st
typed README.md trace READ
check "a value of another flag is proposed" '[[ " ${COMPREPLY[*]} " != *" h100-sxm "* ]]'
finish
