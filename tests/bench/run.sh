#!/bin/sh
# run.sh [S1 ...]: builds what the benchmarks need and prints one table (see README.md). Peers need the Debian packages
# python3-numpy python3-sklearn python3-cvxopt libcgal-dev.
set -e
cd "$(dirname "$0")/../.."
cmake --preset release >/dev/null
targets='attest attest-check margin_kernel_bench'
cmake --build --preset release --target help | grep -q cgal_qp && targets="$targets cgal_qp"
cmake --build --preset release --target $targets >/dev/null
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
/usr/bin/python3 tests/bench/bench.py build/release/bin "$folder" "$@"
echo
build/release/bin/margin_kernel_bench
