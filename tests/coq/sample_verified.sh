#!/bin/sh
# sample_verified.sh ATTEST CHECKER VERIFIED SAMPLE: every certificate that `attest certify` writes about the sample, by
# default and with each form and loss, is verified whole by the verified checker, with the lines that attest-check
# prints; with the rank or the smoothness constant changed for the worse, both reject it.
set -eu
attest=$1
checker=$2
verified=$3
sample=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# verify NAME OPTIONS...: certifies into NAME, which both checkers must accept.
verify() {
  name=$1
  shift
  "$attest" certify "$sample" -o "$name" "$@" >/dev/null
  "$checker" "$sample" "$name" >mine || fail "$name: attest-check exits with $?"
  "$verified" "$sample" "$name" >theirs || fail "$name: attest-check-verified exits with $?"
  grep -qx 's VERIFIED' theirs || fail "$name: not verified"
  cmp -s mine theirs || fail "$name: different lines"
  grep -q '^claim [0-9]* rank ' "$name" || fail "$name: no rank claim"
}

# rejected NAME EDIT: the certificate, edited by sed, is rejected by both.
rejected() {
  sed "$2" "$1" >changed
  cmp -s "$1" changed && fail "$1: nothing to change for $2"
  for program in "$checker" "$verified"; do
    status=0
    "$program" "$sample" changed >out 2>err || status=$?
    [ $status -eq 1 ] || fail "$1, $2: $program exits with $status"
  done
}

verify default
for form in exact enclosure; do
  for loss in logistic correlation; do
    verify "$form-$loss" --form $form --loss $loss
    grep -q '^claim [0-9]* smoothness ' "$form-$loss" || fail "$form-$loss: no smoothness claim"
    rejected "$form-$loss" 's/^\(claim [0-9]* smoothness problem 1 beta\) .*/\1 1*2^-60/'
  done
done
for name in default enclosure-logistic; do
  rank=$(sed -n 's/^claim [0-9]* rank .* equals //p' "$name")
  for other in $((rank - 1)) $((rank + 1)) 0; do
    rejected "$name" "s/^\(claim [0-9]* rank .* equals\) .*/\1 $other/"
  done
done
rejected default 's/^lower modulus .*/lower modulus 2147483645/'
rejected enclosure-logistic 's/^\(lower lambda-min\) [^ ]*/\1 1/'
