#!/bin/sh
# What `make install` leaves is enough for a program of others.
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
case $build in *sanitize*) echo "0 passed, 0 failed"; exit 0 ;; esac
place=$(mktemp -d); trap 'rm -rf "$place"' EXIT
passed=0; failed=0
check() { if [ "$2" = "$3" ]; then passed=$((passed + 1)); else echo "install: $1: '$2', not '$3'"; failed=$((failed + 1)); fi; }

make -s BUILD="$build" DESTDIR="$place" PREFIX=/usr install >/dev/null || exit 1
cat >"$place/asks.c" <<'PROGRAM'
#include <ceiling.h>
#include <stdio.h>
#include <string.h>
int main(void) {
    const char *request = "{\"command\":\"explain\",\"model\":\"gpt2\",\"gpus\":1}";
    ceiling_answer answer = ceiling_ask(request, strlen(request), NULL, NULL);
    fputs(answer.text, stdout);
    ceiling_release(&answer);
    return 0;
}
PROGRAM
# shellcheck disable=SC2046 -- the flags are words
flags="-I$place/usr/include -L$place/usr/lib $(sed -n 's/^Libs: -L[^ ]*//p' "$place/usr/lib/pkgconfig/ceiling.pc")"
${CC:-cc} -std=c17 -Wall -Wextra -o "$place/asks" "$place/asks.c" $flags
"$place/usr/bin/ceiling" explain gpt2 --gpus 1 --json >"$place/program"
"$place/asks" >"$place/library"
check "library and program print the same" "$(cksum <"$place/library")" "$(cksum <"$place/program")"
check "version of the package" "$(sed -n 's/^Version: //p' "$place/usr/lib/pkgconfig/ceiling.pc")" \
    "$("$place/usr/bin/ceiling" version | sed -n '1s/^ceiling \([^ ]*\).*/\1/p')"
check "manual page" "$(head -c 3 "$place/usr/share/man/man1/ceiling.1")" ".TH"
check "it tells of mpirun" "$(tr '\n' ' ' <"$place/usr/share/man/man1/ceiling.1" | grep -c 'Under mpirun every process')" 1
check "help does too" "$("$place/usr/bin/ceiling" trace --help | tr '\n' ' ' | tr -s ' ' | grep -c 'Under mpirun every process')" 1
if command -v mpirun >/dev/null 2>&1 && ! "$place/usr/bin/ceiling" version | grep -q 'processes: no'; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    check "installed, under mpirun" \
        "$(timeout 120 mpirun -n 2 "$place/usr/bin/ceiling" trace tests/fuzz/corpus/trace --json | cksum)" \
        "$("$build/ceiling" trace tests/fuzz/corpus/trace --json | cksum)"
else echo "skipped: the installed program under mpirun: no mpirun, or built where mpicc was not found"; fi
make -s BUILD="$build" DESTDIR="$place" PREFIX=/usr uninstall >/dev/null
rm -f "$place"/asks* "$place/library" "$place/program"
check "uninstalled" "$(find "$place" -type f)" ""
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
