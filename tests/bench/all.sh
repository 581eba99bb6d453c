#!/bin/sh
# all.sh: the bars of RESULTS.md with their peers, one table after the other: some twenty minutes on a machine that does
# nothing else (see README.md). Builds what is missing.
set -e
cd "$(dirname "$0")/../.."
build=build/release
cmake --preset release >/dev/null
cmake --build --preset release --target attest attest-check attest-check-verified attest_python bench_runs >/dev/null
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
table() {
  printf '\n## %s\n\n' "$1"
  shift
  "$@" || echo "status $? of $*"
}
date
echo "commit $(git rev-parse --short HEAD), load $(cut -d' ' -f1-3 /proc/loadavg)"
table 'Margins and their peers' tests/bench/run.sh S1 S2 S3
table 'Runs and their checks beside a NumPy loop' /usr/bin/python3 tests/bench/runs.py $build/bin S1 S2 S3
table 'One core and two, S4' /usr/bin/python3 tests/bench/bars.py $build/bin "$folder" threads
table 'The verified checker and Coq' /usr/bin/python3 tests/bench/verified.py $build "$folder" S1 S2 S3
table 'The verified checker, runs' /usr/bin/python3 tests/bench/verified.py $build "$folder" runs
table 'One step, and whole runs' $build/bin/bench_runs
table 'PyTorch' /usr/bin/python3 tests/bench/run_bench_torch.py
table 'Other norms beside cvxopt and L-BFGS-B' /usr/bin/python3 tests/bench/norms.py $build/bin/attest "$folder" 3
table 'Mirror descent beside a NumPy loop' /usr/bin/python3 tests/bench/mirror.py $build/bin/attest "$folder" 3
table 'K and Q beside a NumPy loop' /usr/bin/python3 tests/bench/factors.py $build/bin/attest "$folder" 2
table 'From Python' env PYTHONPATH=$build/python /usr/bin/python3 tests/bench/python_bench.py
date
