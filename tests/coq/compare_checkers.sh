#!/bin/sh
# compare_checkers.sh CHECKER VERIFIED CORPUS STEP: the two checkers must agree on every STEP-th case of the corpus: the same
# exit code and the same lines. Certificates with claims about all later steps are passed over: the verified checker refuses
# them by name.
checker=$1
verified=$2
corpus=$3
step=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
number=0
failures=0
same=0
report() { failures=$((failures + 1)); echo "$1: attest-check exit $mine, attest-check-verified exit $theirs: $2"; head -c 300 "$work/b.err"; }
for case in "$corpus"/correct/*.case "$corpus"/incorrect/*.case "$corpus"/malformed/*.case; do
  number=$((number + 1))
  [ $((number % step)) -eq 0 ] || continue
  folder=$(dirname "$case")
  instance=$folder/$(sed -n 's/^instance //p' "$case")
  certificate=$folder/$(sed -n 's/^certificate //p' "$case")
  timeout 20 "$checker" "$instance" "$certificate" >"$work/a" 2>"$work/a.err"
  mine=$?
  timeout 20 "$verified" "$instance" "$certificate" >"$work/b" 2>"$work/b.err"
  theirs=$?
  if [ $theirs -eq 2 ] && grep -q 'the verified checker does not support the claim kind \(stationary\|forever-from-point\|forever-from-run\)$' "$work/b.err"; then
    continue
  elif [ $mine -ne $theirs ]; then
    report "$case" 'different exit codes'
  elif ! cmp -s "$work/a" "$work/b"; then
    report "$case" 'different lines'
  else
    same=$((same + 1))
    # What was parsed, printed back, is the certificate that was given.
    if [ $mine -eq 0 ] || [ $mine -eq 3 ]; then
      "$verified" --print-parsed "$instance" "$certificate" >"$work/back.attest"
      timeout 20 "$verified" "$instance" "$work/back.attest" | cmp -s - "$work/b" || report "$case" 'printed back differently'
    fi
  fi
done
echo "$same agree, $failures disagreements"
[ $failures -eq 0 ] && [ $same -gt 50 ]
