#!/bin/sh
# exit_tests.sh ATTEST SAMPLE: what nothing foresees ends attest with a status of certify/STATUS.md: bad input with 2, an abort
# or a fault of the processor with 1, internal error.
attest=$1
sample=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failures=0
fail() { echo "$*"; head -c 300 "$folder/err"; failures=$((failures + 1)); }

mkdir -p "$folder/nested/X.npy" "$folder/dangling" "$folder/empty"
ln -s "$folder/absent" "$folder/dangling/X.npy"
ln -s loop "$folder/loop"
for path in "$folder/nested" "$folder/dangling" "$folder/empty" "$folder/loop" "$folder/absent" /proc/self/mem /dev/null; do
  "$attest" info "$path" >"$folder/out" 2>"$folder/err" </dev/null
  code=$?
  [ "$code" -eq 2 ] || fail "info $path: exit $code instead of 2"
done
for signal in ABRT FPE SEGV BUS; do
  "$attest" run "$sample" --optimizer ngd --step 1/10 --steps 20000 >"$folder/out" 2>"$folder/err" &
  process=$!
  sleep 0.5
  kill -s $signal $process
  wait $process
  code=$?
  [ "$code" -eq 1 ] || fail "signal $signal: exit $code instead of 1"
  grep -q 'attest: internal error: ' "$folder/err" || fail "signal $signal: no message"
done
[ "$failures" -eq 0 ]
