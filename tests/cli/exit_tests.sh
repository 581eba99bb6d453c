#!/bin/sh
# exit_tests.sh ATTEST SAMPLE: what nothing foresees ends attest with a status of certify/STATUS.md: bad input with 2,
# standard output that cannot be written with 2, an abort or a fault of the processor with 1, internal error.
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

# Standard output that cannot be written: full, closed, read by nobody.
unwritten() {  # how, options...
  how=$1
  shift
  [ "$code" -eq 2 ] || fail "attest $*, output $how: exit $code instead of 2"
  [ "$(cat "$folder/err")" = 'attest: standard output cannot be written' ] || fail "attest $*, output $how: other words"
}
for options in --help --version 'certify --help' "info $sample" "info --json $sample" "certify --json $sample" \
               "run $sample --optimizer ngd --step 1/10 --steps 20000000 --time-limit 1" "verify $sample --time-limit 1"; do
  "$attest" $options >/dev/full 2>"$folder/err"; code=$?
  unwritten full $options
  "$attest" $options >&- 2>"$folder/err"; code=$?
  unwritten closed $options
  { sleep 0.3; "$attest" $options 2>"$folder/err"; echo $? >"$folder/status"; } | :
  until [ -s "$folder/status" ]; do sleep 0.1; done
  code=$(cat "$folder/status")
  rm "$folder/status"
  unwritten 'read by nobody' $options
done
# What -o names is written all the same.
"$attest" certify "$sample" -o "$folder/written.cert" >/dev/full 2>"$folder/err"; code=$?
unwritten full "certify $sample -o"
grep -q '^end problems ' "$folder/written.cert" || fail 'no certificate'
# Nothing is proved yet, and nobody writes what is to be read: the last resort.
mkfifo "$folder/pipe"
"$attest" info "$folder/pipe" --time-limit 1 >/dev/full 2>"$folder/err"; code=$?
unwritten full 'info PIPE --time-limit 1'

for signal in ABRT FPE SEGV BUS; do
  "$attest" run "$sample" --optimizer ngd --step 1/10 --steps 20000 >"$folder/out" 2>"$folder/err" &
  process=$!
  until grep -q '^attest' "/proc/$process/comm" && grep -q '^SigCgt:.*[1-9a-f]' "/proc/$process/status"; do
    sleep 0.1  # it has no handlers yet
  done
  sleep 0.5
  kill -s $signal $process
  wait $process
  code=$?
  [ "$code" -eq 1 ] || fail "signal $signal: exit $code instead of 1"
  grep -q 'attest: internal error: ' "$folder/err" || fail "signal $signal: no message"
done
[ "$failures" -eq 0 ]
