#!/bin/sh
# equal_tokens_test.sh ATTEST CHECKER VERIFIED COQC DEVELOPMENT: data with equal tokens and counts. What `attest`
# certifies of them (margins, smoothness, runs, all later steps, stationary points, the regularisation path) both
# checkers accept in the same words; with the counts changed, and the hash with them, both reject it. Theorems about
# such data compile.
set -eu
attest=$1
checker=$2
verified=$3
coqc=$4
theories=$5/theories
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$here/export.sh"
accepted=0
refused=0

# Words of three letters, some twice; the same classes with counts alone; a group of one class beside a better token.
x='[[1,0,0],[0,1,0],[1,0,0],[0,0,1],[0,1,0]]'
printf '{"X":[%s,[[0,1,0],[0,0,1]]],"Y":[1,1],"v":[3,2,1],"z":[[1],[2]]%s}' "$x" '' >repeated.json
printf '{"X":[%s,[[0,1,0],[0,0,1]]],"Y":[1,1],"v":[3,2,1],"z":[[1],[2]]%s}' "$x" ',"counts":[1,2,3,1,2,2,1]' >counted.json
printf '{"X":[%s,[[0,1,0],[0,0,1]]],"Y":[1,1],"v":[3,2,1],"z":[[1],[2]]%s}' "$x" ',"counts":[1,9,1,9,9,1,9]' >changed.json
plane='"X":[[[0,0],[-1,-1],[-2,1],[0,0],[-1,-1]]],"Y":[1],"v":[1,0],"z":[[1]],"counts"'
printf '{%s:[1,3,2,2,4]}' "$plane" >plane.json
printf '{%s:[1,90,80,1,70]}' "$plane" >plane_changed.json
local='"X":[[[0,0],[-1,-1],[-3,"1/2"],[0,0],[-1,-1]]],"Y":[1],"v":[0,1],"z":[[1]],"counts"'
printf '{%s:[1,3,2,2,4]}' "$local" >local.json
printf '{%s:[1,90,80,1,70]}' "$local" >local_changed.json
twins='"X":[[[0,0],[-1,0],[0,0]],[[0,0],[-1,0],[-1,0]]],"Y":[1,1],"v":[1,0],"z":[[1],[-1]]'
printf '{%s,"counts":[2,4,2,4,3,1]}' "$twins" >twins.json
printf '{%s,"counts":[2,5,2,4,3,1]}' "$twins" >twins_changed.json
printf '[[40],[21]]' >far.json
printf '[[20],[20]]' >near.json
printf '[[0],[3]]' >three.json

both() {  # instance, certificate
  mine=0
  theirs=0
  "$checker" "$1" "$2" >a 2>a.err || mine=$?
  "$verified" "$1" "$2" >b 2>b.err || theirs=$?
}

# agree INSTANCE WORDS...: the certificate c, in which each of the words occurs, is accepted by both in the same words.
agree() {
  instance=$1
  shift
  for words in "$@"; do grep -q -- "$words" c || fail "$instance: nothing is said of $words"; done
  both "$instance" c
  [ $mine -eq 0 ] && [ $theirs -eq 0 ] || { cat a.err b.err; fail "$instance, $*: exits $mine and $theirs"; }
  cmp -s a b || fail "$instance, $*: different lines"
  accepted=$((accepted + 1))
}

# refuse CHANGED WORDS...: of the claims in the certificate c that depend on counts only the one with the words (one a
# time) is kept, and the hash becomes that of the instance CHANGED, of which both reject it.
refuse() {
  changed=$1
  shift
  hash=$("$attest" info "$changed" | sed -n 's/^sha256 *//p')
  for words in "$@"; do
    "$here/keep_claims.py" c "$hash" "$words" >kept || fail "$changed: no claim with $words"
    both "$changed" kept
    [ $mine -eq 1 ] && [ $theirs -eq 1 ] || { cat a.err b.err; fail "$changed, $words: exits $mine and $theirs"; }
    refused=$((refused + 1))
  done
}

for instance in repeated.json counted.json; do
  for loss in logistic exponential correlation; do
    "$attest" certify $instance --loss $loss -o c >/dev/null
    agree $instance ' smoothness '
    "$attest" path $instance --loss $loss -o c >/dev/null
    agree $instance ' regularisation-path '
    refuse changed.json ' regularisation-path '
    for rule in gd ngd polyak; do
      "$attest" run $instance --optimizer $rule --step 1/2 --steps 8 --loss $loss -o c >/dev/null
      agree $instance ' run problem ' ' path-inequality '
      refuse changed.json ' run problem '
    done
    "$attest" run $instance --optimizer ngd --step 3/4 --steps 200 --until-forever --loss $loss -o c >/dev/null
    agree $instance ' forever-from-run ' '^rate '
  done
done
"$attest" run plane.json --optimizer gd --step 1/4 --steps 0 --init @far.json -o c >/dev/null
agree plane.json 'theorem lock-in' 'theorem absorbing' 'theorem residual' 'theorem bounded'
refuse plane_changed.json 'theorem lock-in' 'theorem absorbing' 'theorem residual' 'theorem bounded'
"$attest" run local.json --optimizer ngd --step 1/10 --steps 0 --init @near.json -o c >/dev/null
agree local.json 'theorem local' 'theorem residual' 'theorem bounded'
refuse local_changed.json 'theorem local' 'theorem residual' 'theorem bounded'
"$attest" run twins.json --optimizer gd --step 1 --steps 5 --init @three.json -o c >/dev/null
agree twins.json ' stationary '
refuse twins_changed.json ' stationary '
echo "$accepted certificates accepted by both, $refused rejected by both"

# Theorems: a run with its claim about all later steps, the regularisation path, a stationary point.
export_to() {
  "$attest" export --coq "$2" c -o "$1.v" >said
  grep -q 'not exported' said && { cat said; fail "$1 is not exported completely"; }
  add_checked "$1"
}
export_to stationary twins.json
"$attest" run plane.json --optimizer gd --step 1/4 --steps 0 --init @far.json -o c >/dev/null
export_to later plane.json
"$attest" path counted.json -o c >/dev/null
export_to path counted.json
"$attest" run repeated.json --optimizer ngd --step 1/2 --steps 2 -o c >/dev/null
export_to run repeated.json
check_modules
# Another count: the computation does not say what is stated.
sed '/^Definition counts/,/^$/ s/\[:: 4\]/[:: 4000]/' later.v >other.v
cmp -s later.v other.v && fail 'no count to change'
must_not_compile other.v 'a count is changed'
