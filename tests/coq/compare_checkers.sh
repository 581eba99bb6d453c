#!/bin/sh
# compare_checkers.sh CHECKER VERIFIED CORPUS STEP: the two checkers must agree on every STEP-th case of the corpus: the
# same exit code, the same lines, also with --json, and the same reason for a rejection or a mismatch.
checker=$1
verified=$2
corpus=$3
step=$4
set --
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
number=0
failures=0
same=0
beyond=0
# The sizes of the smoothness sum and of a path's constant depend on how they were rounded, and so do the numbers of a
# finite part. A claim about a run, its points, its path or later steps is refused without a reason.
same_reason() {
  numbers='/smoothness sum\|theorem against \(rate-constant\|that of residual\)\|against \(decay\|decoder-rate\|slope\)/s/ ([0-9]* over [0-9]* bits)//
    /(finite-part).*\(squared residuals\|dual value\)/s/: [^:]* is false$//'
  sed "$numbers" "$work/a.err" >"$work/a.said"
  sed "s/^attest-check-verified: /attest-check: /
    $numbers" "$work/b.err" >"$work/b.said"
  cmp -s "$work/a.said" "$work/b.said" || grep -q \
    -e 'claim [0-9]* (\(run\|run-finite-part\|path-inequality\|forever-from-point\|forever-from-run\|factored-forever\|regularisation-path\)), line [0-9]*: the check failed$' \
    -e 'claim [0-9]* (\(mirror-run\|token-ray\|token-run\|factored-run\|joint-run\)), line [0-9]*: a \(number is not proved to be in its band\|correlation with a solution\)' \
    -e "claim [0-9]* (mirror-forever), line [0-9]*: \(a slope is not positive\|T17's conditions, or what they imply, are not proved\)$" \
    -e 'claim [0-9]* (joint-forever), line [0-9]*: a condition of T20 or a number of what follows is not proved$' \
    -e 'claim [0-9]* (token-forever), line [0-9]*: a condition of T23 or a number of what follows is not proved$' \
    -e 'claim [0-9]* (token-shift), line [0-9]*: a token is not known to have less attention$' \
    -e '(factored-run), line [0-9]*: claim [0-9]* is not about the nuclear norm of its problem$' "$work/b.err"
}
report() { failures=$((failures + 1)); echo "$1: attest-check exit $mine, attest-check-verified exit $theirs: $2"; head -c 300 "$work/b.err"; }
for case in "$corpus"/correct/*.case "$corpus"/incorrect/*.case "$corpus"/malformed/*.case; do
  number=$((number + 1))
  [ $((number % step)) -eq 0 ] || continue
  { read -r _ instance && read -r _ certificate; } <"$case"
  instance=${case%/*}/$instance
  certificate=${case%/*}/$certificate
  timeout 120 "$checker" "$instance" "$certificate" >"$work/a" 2>"$work/a.err"
  mine=$?
  timeout 120 "$verified" "$instance" "$certificate" >"$work/b" 2>"$work/b.err"
  theirs=$?
  # Beyond the verified checker: no verdict of its own, whatever attest-check's is.
  if [ $theirs -eq 5 ] && grep -q 'not verified yet' "$work/b.err"; then
    [ -s "$work/b" ] && report "$case" 'lines without a verdict'
    beyond=$((beyond + 1))
  elif [ $mine -ne $theirs ]; then
    report "$case" 'different exit codes'
  elif ! cmp -s "$work/a" "$work/b"; then
    report "$case" 'different lines'
  elif { [ $mine -eq 1 ] || [ $mine -ge 4 ]; } && ! same_reason; then
    report "$case" 'different reasons'
  else
    same=$((same + 1))
    # What was parsed, printed back, is the certificate that was given.
    if [ $mine -eq 0 ] || [ $mine -eq 3 ]; then
      back=$work/back.$number.attest
      "$verified" --print-parsed "$instance" "$certificate" >"$back"
      "$verified" --print-parsed "$instance" "$back" | cmp -s - "$back" || report "$case" 'not printed in canonical form'
      set -- "$@" "$certificate" "$back"
      timeout 120 "$checker" --json "$instance" "$certificate" >"$work/a"
      timeout 120 "$verified" --json "$instance" "$certificate" | cmp -s - "$work/a" || report "$case" 'different JSON'
    fi
  fi
done
# The same words and numbers in the same places: a reader that swaps two of them is found here or in the lines above.
"$(dirname "$0")/same_certificate.py" "$@" >"$work/b.err" || report "$# certificates" 'printed back differently'
# Options.
case=--require
instance=$corpus/correct/$(sed -n 's/^instance //p' "$corpus/correct/collinear-tight-exact.case")
certificate=$corpus/correct/$(sed -n 's/^certificate //p' "$corpus/correct/collinear-tight-exact.case")
for options in '--require optimal' '--require optimal --require infeasible' '--require optimum' '--requires' '--require'; do
  "$checker" $options "$instance" "$certificate" >"$work/a" 2>/dev/null
  mine=$?
  "$verified" $options "$instance" "$certificate" >"$work/b" 2>"$work/b.err"
  theirs=$?
  [ $mine -eq $theirs ] && cmp -s "$work/a" "$work/b" || report "$options" 'different answers'
done
echo "$same agree, $beyond beyond the verified checker, $failures disagreements"
[ $failures -eq 0 ] && [ $same -gt 50 ]
