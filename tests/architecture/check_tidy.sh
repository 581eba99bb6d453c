#!/bin/sh
# check_tidy.sh [PATH...]: clang-tidy (package clang-tidy) with the repository's checks on all that a build compiles
# below the paths, each source alone; without paths on everything, all but the tests in groups of 16, most of an hour of
# one core. By hand, no test. Quiet, or it fails.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
grouped=OFF
type=Release
checks=
[ $# -gt 0 ] || { grouped=ON; type=Quick; checks=-bugprone-suspicious-include,; }  # a group includes its sources
cmake -S . -B build/tidy -DCMAKE_BUILD_TYPE=$type -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DATTEST_COQ=OFF -DCMAKE_UNITY_BUILD=$grouped -DCMAKE_UNITY_BUILD_BATCH_SIZE=16 \
  >/dev/null
compiled=$(sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' build/tidy/compile_commands.json | sort -u)
# Tests put words together as they are read, and break lines of certificates where they are long.
in_tests=-performance-inefficient-string-concatenation,-bugprone-suspicious-missing-comma
for path in "${@:-.}"; do
  printf '%s\n' "$compiled" | grep -F "$root/${path#.}"
done | while read -r source; do
  case $source in
    */tests/*) echo "--checks=$checks$in_tests $source" ;;
    *) echo "${checks:+--checks=$checks} $source" ;;
  esac
done | xargs -r -L 1 -P "${JOBS:-$(nproc)}" nice clang-tidy -p build/tidy --quiet --warnings-as-errors='*' 2>/dev/null
