#!/bin/sh
# compare_checkers.sh CHECKER VERIFIED CORPUS STEP: the two checkers must agree on every STEP-th case of the corpus: the same
# exit code and the same lines. Certificates with claims about runs are passed over: the verified checker refuses them by
# name. Where it leaves out claims of the kind smoothness (exit 2, s PARTIAL, one `u` line each), what it did verify
# must be lines that attest-check prints, unless attest-check rejects the certificate for a claim of this kind.
checker=$1
verified=$2
corpus=$3
step=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
number=0
failures=0
same=0
partial=0
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
  if [ $theirs -eq 2 ] && grep -q 'the verified checker does not support the claim kind \(stationary\|run\|forever-from-point\|forever-from-run\)$' "$work/b.err"; then
    continue
  elif grep -qx 's PARTIAL' "$work/b"; then
    partial=$((partial + 1))
    [ $theirs -eq 2 ] || report "$case" 'PARTIAL without exit 2'
    if grep '^u ' "$work/b" | grep -qv '^u claim [0-9]* smoothness: not verified$'; then
      report "$case" 'a claim of a supported kind was left out'
    fi
    if [ $mine -eq 0 ] || [ $mine -eq 3 ]; then
      grep '^v ' "$work/a" | grep -v '^v claim [0-9]* smoothness ' >"$work/a.v"
      grep '^v ' "$work/b" >"$work/b.v"
      cmp -s "$work/a.v" "$work/b.v" || report "$case" 'different lines'
    else
      grep -q 'claim [0-9]* (smoothness)' "$work/a.err" || report "$case" 'only one rejects'
    fi
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
echo "$same agree, $partial agree on what the verified checker supports, $failures disagreements"
[ $failures -eq 0 ] && [ $same -gt 50 ] && [ $partial -gt 5 ]
