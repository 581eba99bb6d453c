#!/bin/sh
# forever_test.sh CHECKER VERIFIED: claims about all later steps whose constants are known by hand (those of
# tests/unit/proofs/runs/forever_tests.cpp), accepted and with one line changed: both checkers must print and return the
# same. The claims of each theorem stand in forever/.
checker=$1
verified=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cases=0
failures=0

# write INSTANCE BODY: the certificate of a body of claims; its hash is taken from the checker's complaint about a wrong
# one.
write() {
  zeros=0000000000000000000000000000000000000000000000000000000000000000
  header() { printf 'attest-certificate 1\nproducer test 1\ninstance sha256 %s\n' "$1"; }
  { header $zeros; cat "$2"; } >"$work/c"
  hash=$("$checker" "$1" "$work/c" 2>&1 | sed -n 's/.*this one is \([0-9a-f]*\).*/\1/p')
  { header "$hash"; cat "$2"; } >"$work/c"
  echo "end problems $(grep -c '^problem ' "$work/c") claims $(grep -c '^claim ' "$work/c") lines $(($(wc -l <"$work/c") + 1))" >>"$work/c"
}

# agree STATUS WHAT: both checkers return STATUS for the certificate and print the same lines.
agree() {
  cases=$((cases + 1))
  "$checker" "$instance" "$work/c" >"$work/a" 2>"$work/a.err"
  mine=$?
  "$verified" "$instance" "$work/c" >"$work/b" 2>"$work/b.err"
  theirs=$?
  if [ $mine -ne "$1" ] || [ $theirs -ne "$1" ] || ! cmp -s "$work/a" "$work/b"; then
    failures=$((failures + 1))
    echo "$2: expected $1, attest-check $mine, attest-check-verified $theirs"
    cat "$work/a.err" "$work/b.err"
  fi
}

# base NAME: the body is accepted by both, and printed back as it was given.
base() {
  name=$1
  write "$instance" "$work/body"
  agree 0 "$name"
  "$verified" --print-parsed "$instance" "$work/c" | sed 's/^producer .*/producer test 1/' | cmp -s - "$work/c" || {
    failures=$((failures + 1))
    echo "$name: printed back differently"
  }
}

# change STATUS FROM TO: the last base with one line replaced.
change() {
  grep -qxF -- "$2" "$work/body" || { failures=$((failures + 1)); echo "$name: no line $2"; }
  awk -v from="$2" -v to="$3" '$0 == from { print to; next } { print }' "$work/body" >"$work/changed"
  write "$instance" "$work/changed"
  agree "$1" "$name: $3"
}

# What several theorems speak about, and the claim of its optimum. better: a token that the direction leaves behind;
# three: another, far along u, with a small gap.
echo '{"X": [[[2], [1]]], "Y": [1], "v": [1], "z": [[1]]}' >"$work/one.json"
echo '{"X": [[[0, 0], [-1, -1], [-3, 0.5]]], "Y": [1], "v": [0, 1], "z": [[1]]}' >"$work/better.json"
echo '{"X": [[[0, 0], [-1, -1], [-5, "-1/20"], [-3, 0.5]]], "Y": [1], "v": [0, 1], "z": [[1]]}' >"$work/three.json"
one() {
  printf 'problem 1\nsetting cross-attention\nnorm euclidean\nloss %s\nselection 1 0\n' "$1"
  printf 'claim 1 optimal problem 1 norm-squared 1\nvector multipliers 1 over 1\n0 1 1\n'
}
two() {
  printf 'problem 1\nsetting cross-attention\nnorm euclidean\nloss %s\nselection 1 0\n' "$1"
  printf 'claim 1 optimal problem 1 norm-squared 1*2^-1\nvector multipliers 1 over 2^1\n0 1 1\n'
}

for theorem in absorbing local bounded residual lock_in; do
  . "$(dirname "$0")/forever/$theorem.sh"
done

echo "$cases cases, $failures failures"
[ $failures -eq 0 ] && [ $cases -gt 250 ]
