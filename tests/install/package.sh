#!/bin/sh
# The Debian packages build, install into an empty root and run. Needs debhelper and dh-python. Compiles little again:
# the copies of the tree and of what was built keep their dates. They are copies because the packages are built without
# MPI, and other tests run what is built with it.
# Takes minutes.
cd "$(dirname "$0")/../.." || exit 1
build=$(cd "${BUILD:-build}" && pwd)
case $build in *sanitize*) echo "0 passed, 0 failed"; exit 0 ;; esac
for need in dpkg-buildpackage dh dh_python3 git; do
    command -v $need >/dev/null 2>&1 || { echo "skipped: Debian packages: no $need"; echo "0 passed, 0 failed"; exit 0; }
done
[ -f "$build/ceiling.html" ] || { echo "skipped: Debian packages: no page was built"; echo "0 passed, 0 failed"; exit 0; }
place=$(mktemp -d); trap 'rm -rf "$place"' EXIT
passed=0; failed=0
check() { if [ "$2" = "$3" ]; then passed=$((passed + 1)); else echo "package: $1: '$2', not '$3'"; failed=$((failed + 1)); fi; }

mkdir "$place/tree"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp -p --parents -t "$place/tree" || exit 1
mkdir "$place/build"
cp -a "$build/obj" "$build/probe" "$build/wasm" "$build"/pack "$build"/page "$build"/part-* "$build"/*.a "$build"/dataset_table.c \
    "$build"/ceiling* "$place/build" || exit 1
(cd "$place/tree" && BUILD=$place/build WERROR='' MAKEFLAGS='' dpkg-buildpackage -b -nc -d -us -uc) >"$place/log" 2>&1 || {
    tail -20 "$place/log"; echo "0 passed, 1 failed"; exit 1; }

root=$place/root; mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"; : >"$root/var/lib/dpkg/status"
put="dpkg --root=$root --log=$place/dpkg.log --force-depends --force-not-root --force-script-chrootless --force-bad-path"
for package in libceiling0 libceiling-dev ceiling ceiling-probe; do
    $put -i "$place/${package}_"*.deb >>"$place/log" 2>&1; check "$package installs" $? 0
done
version=$("$build/ceiling" version | sed -n '1s/^ceiling \([^ ]*\).*/\1/p')
check "its version" "$(dpkg-query --admindir="$root/var/lib/dpkg" -W -f '${Version}' ceiling)" "$version"
check "the program answers as the one built" "$("$root/usr/bin/ceiling" explain gpt2 --gpus 1 | cksum)" \
    "$("$build/ceiling" explain gpt2 --gpus 1 | cksum)"
check "the probe lists what it can time" "$("$root/usr/bin/ceiling-probe" --help >/dev/null 2>&1; echo $?)" 0
check "page, manual, completion" "$(cd "$root/usr/share" && ls ceiling/ceiling.html man/man1/ceiling.1.gz bash-completion/completions/ceiling fish/vendor_completions.d/ceiling.fish zsh/vendor-completions/_ceiling)" \
    "$(printf '%s\n' bash-completion/completions/ceiling ceiling/ceiling.html fish/vendor_completions.d/ceiling.fish man/man1/ceiling.1.gz zsh/vendor-completions/_ceiling)"
check "the program needs no MPI" "$(dpkg-deb -f "$place"/ceiling_*.deb Depends | grep -c mpi)" 0
dpkg-deb -x "$place"/python3-ceiling_*.deb "$root"
check "Python asks the installed library" "$(CEILING_LIBRARY=$(ls "$root"/usr/lib/*/libceiling.so.0) \
    PYTHONPATH=$root/usr/lib/python3/dist-packages python3 -B -c 'import ceiling; print(ceiling.version())')" "$version"
$put -r ceiling-probe ceiling libceiling-dev libceiling0 >>"$place/log" 2>&1
check "removed" "$(find "$root/usr/bin" "$root/usr/include" -type f 2>/dev/null)" ""
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
