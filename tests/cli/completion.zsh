# What zsh's completion proposes: completion.zsh FILE WORD..., the last word under the cursor. Its
# own functions print what they are given.
_describe() { local -a given; given=("${(@P)2}"); print -l -- "${given[@]}" }
_files() { print -- FILES }
compdef() { : }
source "$1"
shift
words=(ceiling "$@")
CURRENT=$#words
_ceiling
