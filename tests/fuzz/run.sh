#!/bin/sh
# run.sh [--seconds S | --runs N] [--seed K] [--build FOLDER] [--build-only | --no-build | --statistics]
#        [--unoptimised] [TARGET...]
# Builds the fuzz targets (clang, libFuzzer, address and undefined-behaviour sanitizers) and runs each for S seconds
# (default 10) or for N inputs, from the seeds in tests/corpus and tests/fuzz/seeds and from what earlier runs have
# found worth keeping (FOLDER/corpus). Prints a line a target, and adds one to FOLDER/statistics; an input that ends a
# target otherwise than by a documented refusal, or takes more than 25 s or 2 GB, is kept in FOLDER/crashes, and the
# exit status is 1. With --statistics: only the sums over all runs so far. With --unoptimised: targets that take two
# thirds of the time to build and more for an input, for a test that runs them for a moment.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$root/build/fuzz
seconds=10
runs=
seed=1
build=yes
fuzz=yes
flags=
while [ $# -gt 0 ]; do
  case $1 in
    --seconds) seconds=$2; shift ;;
    --runs) runs=$2; shift ;;
    --seed) seed=$2; shift ;;
    --build) folder=$2; shift ;;
    --build-only) fuzz=no ;;
    --no-build) build=no ;;
    --statistics) build=no fuzz=sum ;;
    --unoptimised) flags='-DCMAKE_CXX_FLAGS_FUZZ=-O0 -gline-tables-only' ;;
    -*) sed -n '2,10s/^# //p' "$0" >&2; exit 2 ;;
    *) break ;;
  esac
  shift
done

if [ "$build" = yes ]; then
  command -v clang++ >/dev/null || { echo "clang++ is missing (certify/scripts/setup.sh --tests installs it)" >&2; exit 2; }
  generator=
  command -v ninja >/dev/null && generator=-GNinja
  cmake --preset fuzz -S "$root" -B "$folder" $generator ${flags:+"$flags"} >/dev/null
  cmake --build "$folder" -j 2
fi
if [ "$fuzz" = sum ]; then
  awk '{ inputs[$1] += $2; crashes[$1] += $3 != 0; all += $2 }
       END { for (t in inputs) print t ": " inputs[t] " inputs, " crashes[t] " runs ended by a crash"
             print "all: " all " inputs" }' "$folder/statistics"
  exit
fi
[ "$fuzz" = yes ] || exit 0

corpus=$root/tests/corpus
# copy FILE...: into the new folder of seeds, under names of their own.
copy() {
  for file in "$@"; do
    from=${file%/*}
    cp "$file" "$into.new/${from##*/}-${file##*/}"
  done
}
# seeds TARGET: the target's first inputs, made from the corpus.
seeds() {
  into=$folder/seeds/$1
  [ ! -d "$into" ] || return 0
  mkdir -p "$into.new"
  case $1 in
    zip) copy "$corpus"/*/*.npz ;;
    gzip) copy "$corpus"/*/*.gz ;;
    safetensors) copy "$corpus"/*/*.safetensors ;;
    json) copy "$corpus"/*/*.json ;;
    npy) python3 - "$into.new" "$corpus"/correct/*.npz <<'END'
import sys, zipfile
into, *archives = sys.argv[1:]
for number, path in enumerate(archives):
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            with open(f"{into}/{number}-{name}", "wb") as file:
                file.write(archive.read(name))
END
      ;;
    instance) copy "$corpus"/*/*.npz "$corpus"/*/*.safetensors "$corpus"/*/*.json "$corpus"/*/*.json.gz ;;
    certificate) copy "$root"/tests/fuzz/seeds/plane-*.attest "$corpus"/*/*.attest "$corpus"/*/*.attest.gz ;;
    check)
      for case in "$root"/tests/fuzz/seeds/*.case "$corpus"/correct/*.case "$corpus"/incorrect/*.case; do
        from=${case%/*}
        { read -r _ instance && read -r _ certificate; } <"$case"
        case $certificate in *.gz) continue ;; esac
        cat "$from/$instance" "$from/$certificate" >"$into.new/${from##*/}-${case##*/}"
      done
      ;;
    *) echo "no such target: $1" >&2; exit 2 ;;
  esac
  mv "$into.new" "$into"
}

[ $# -gt 0 ] || set -- zip npy safetensors json gzip instance certificate check
failed=0
for target in "$@"; do
  seeds "$target"
  mkdir -p "$folder/corpus/$target" "$folder/crashes/$target"
  log=$folder/$target.log
  length=4096
  [ "$target" != check ] || length=16384
  # Of a thousand seeds with thousands of edges each, counting how rare those are (-entropic) takes most of the time.
  if [ -n "$runs" ]; then bound="-runs=$runs"; else bound="-max_total_time=$seconds"; fi
  status=0
  "$folder/bin/fuzz_$target" -seed="$seed" "$bound" -entropic=0 -max_len=$length -timeout=25 \
    -rss_limit_mb=2048 -malloc_limit_mb=1024 -print_final_stats=1 \
    -artifact_prefix="$folder/crashes/$target/" "$folder/corpus/$target" "$folder/seeds/$target" >"$log" 2>&1 || status=$?
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  kept=$(sed -n 's/.* cov: *\([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  echo "$target: ${executions:-0} inputs, ${kept:-0} edges covered, exit $status"
  echo "$target ${executions:-0} $status" >>"$folder/statistics"
  [ $status -eq 0 ] || { failed=1; tail -n 60 "$log"; }
done
exit $failed
