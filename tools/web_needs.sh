#!/bin/sh
# Says which Debian packages `make web` still needs; status 1 when there are any.
cc=${WASM_CC:-clang}
missing=''
command -v "$cc" >/dev/null 2>&1 || missing="$missing clang"
command -v wasm-ld >/dev/null 2>&1 || missing="$missing lld"
command -v gzip >/dev/null 2>&1 || missing="$missing gzip"
[ -f /usr/include/wasm32-wasi/stdio.h ] || missing="$missing wasi-libc"
if command -v "$cc" >/dev/null 2>&1; then
    builtins=$("$cc" --target=wasm32-wasi --print-libgcc-file-name)
    major=$("$cc" -dumpversion | cut -d. -f1)
    [ -f "$builtins" ] || missing="$missing libclang-rt-$major-dev-wasm32"
else
    missing="$missing libclang-rt-dev-wasm32"
fi
[ -z "$missing" ] && exit 0
echo "make web needs:$missing. As root:" >&2
echo "    apt-get install --no-install-recommends$missing" >&2
exit 1
