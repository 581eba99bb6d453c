#!/bin/sh
# check_tidy.sh [PATH...]: clang-tidy (package clang-tidy) with the repository's checks on all that a build compiles below
# the paths (default: everything), by hand; some two hours of one core for everything. Quiet, or it fails.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
[ $# -gt 0 ] || set -- numerics proofs certify tests
cmake -S . -B build/tidy -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DATTEST_COQ=OFF >/dev/null
compiled=$(sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' build/tidy/compile_commands.json | sort -u)
for path in "$@"; do
  printf '%s\n' "$compiled" | grep -F "$root/${path%/}"
done | xargs -n 1 -P "${JOBS:-$(nproc)}" nice clang-tidy -p build/tidy --quiet --warnings-as-errors='*' 2>/dev/null
