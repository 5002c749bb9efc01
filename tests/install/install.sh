#!/bin/sh
# What `make install` leaves is enough for a program of others.
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
case $build in *sanitize*) echo "0 passed, 0 failed"; exit 0 ;; esac
place=$(mktemp -d); trap 'rm -rf "$place"' EXIT
passed=0; failed=0
check() { if [ "$2" = "$3" ]; then passed=$((passed + 1)); else echo "install: $1: '$2', not '$3'"; failed=$((failed + 1)); fi; }

# Flags of others leave those that the code needs; what runs while building is of this machine.
flags=$(make -n BUILD="$place/none" CFLAGS=-O3 CPPFLAGS=-DTHEIRS CC="${CC:-cc}" HOSTCC=hostcc 2>/dev/null)
check "flags of others" "$(printf '%s\n' "$flags" | grep -c -- "-DTHEIRS -O3 -std=c17 .*-ffp-contract=off.*base/json\.c")" 1
check "a host compiler" "$(printf '%s\n' "$flags" | grep -c '^hostcc .*pack\.c')" 1
check "no warning is an error outside CI" "$(WERROR='' make -n BUILD="$place/none" 2>/dev/null | grep -c -- -Werror)" 0
make -s BUILD="$build" WITH_MPI=yes MPICC=/nowhere >/dev/null 2>&1; check "MPI is demanded" $? 2

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
pc=$place/usr/lib/pkgconfig/ceiling.pc
libs() { sed -n "s/^$1: //p" "$pc" | sed 's/-L[^ ]*//'; }
ask() { # WHAT LIBRARY-OR-FLAGS...
    what=$1; shift
    ${CC:-cc} -std=c17 -Wall -Wextra -o "$place/asks" "$place/asks.c" "-I$place/usr/include" "$@"
    LD_LIBRARY_PATH=$place/usr/lib DYLD_LIBRARY_PATH=$place/usr/lib "$place/asks" >"$place/library"
    check "$what and program print the same" "$(cksum <"$place/library")" "$(cksum <"$place/program")"
}
"$place/usr/bin/ceiling" explain gpt2 --gpus 1 --json >"$place/program"
# shellcheck disable=SC2046 -- the flags are words
ask "shared library" "-L$place/usr/lib" $(libs Libs)
# shellcheck disable=SC2046
ask "static library" "$place/usr/lib/libceiling.a" $(libs Libs.private)
check "optional parts stay inside" "$(grep -c 'mpi\|isal\|-lz' "$pc")" 0
if [ -f "$place/usr/lib/libceiling.so" ] && command -v nm >/dev/null 2>&1; then
    check "symbols" "$(nm -D --defined-only "$place/usr/lib/libceiling.so" | sed -n 's/.* T \([^@]*\).*/\1/p' | tr '\n' ' ')" \
        "$(sed -n 's/.*global: //p' src/api/library.map | tr -d ';') "
    version=$("$place/usr/bin/ceiling" version | sed -n '1s/^ceiling \([^ ]*\).*/\1/p')
    check "version of the library" "$(readlink "$place/usr/lib/libceiling.so.${version%%.*}")" "libceiling.so.$version"
fi
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
else echo "skipped: the installed program under mpirun: no mpirun, or built without MPI"; fi
make -s BUILD="$build" DESTDIR="$place" PREFIX=/usr uninstall >/dev/null
rm -f "$place"/asks* "$place/library" "$place/program"
check "uninstalled" "$(find "$place" -type f -o -type l)" ""
make -s BUILD="$build" DESTDIR="$place" PREFIX=/usr libdir=/usr/lib64 mandir=/m bindir=/b install >/dev/null
check "directories of others" "$(cd "$place" && ls -d b/ceiling m/man1/ceiling.1 usr/lib64/libceiling.a usr/lib64/pkgconfig/ceiling.pc)" \
    "$(printf '%s\n' b/ceiling m/man1/ceiling.1 usr/lib64/libceiling.a usr/lib64/pkgconfig/ceiling.pc)"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
