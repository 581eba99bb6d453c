#!/bin/sh
# tidy.sh [PATH...]: clang-tidy (package clang-tidy) with the repository's checks on the sources below the paths
# (default: numerics proofs certify), by hand; about half an hour of one core for all. Quiet, or it fails.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
[ $# -gt 0 ] || set -- numerics proofs certify
cmake -S . -B build/tidy -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DATTEST_COQ=OFF >/dev/null
git ls-files "$@" | grep '\.cpp$' |
  xargs -n 4 -P "$(nproc)" clang-tidy -p build/tidy --quiet --warnings-as-errors='*' 2>/dev/null
