#!/bin/sh
# path_test.sh ATTEST CHECKER VERIFIED COQC DEVELOPMENT SAMPLE: certificates of `attest path`, whatever the loss, are
# verified by both checkers in the same words and refused by both, for the same reason, when a number claims more; they
# are printed back as they are; as theorems of Coq they compile, without hypotheses and on the allowed assumptions.
set -eu
attest=$1
checker=$2
verified=$3
coqc=$4
theories=$5/theories
sample=$6
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$here/export.sh"

cat >small.json <<'END'
{"X": [[[2, 0], [1, 0], [0, "1/3"]], [[0, 3], [0, 2], [0, 0]], [[5, 5]]], "Y": [1, 1, 1], "v": [1, "1/2"], "z": [[1], [1], [1]]}
END

# rejected INSTANCE EDIT: path.cert, edited by sed, is rejected by both for the same reason.
rejected() {
  sed "$2" path.cert >changed
  cmp -s path.cert changed && fail "nothing to change for $2"
  for program in "$checker" "$verified"; do
    status=0
    "$program" "$1" changed >out 2>"$(basename "$program").err" || status=$?
    [ $status -eq 1 ] || fail "$2: $program exits with $status"
  done
  for err in *.err; do sed -i 's/^attest-check[a-z-]*: //; s/ ([0-9]* over [0-9]* bits)//' "$err"; done
  cmp -s "$(basename "$checker").err" "$(basename "$verified").err" || { cat ./*.err; fail "$2: different reasons"; }
}

cat >labels.json <<'END'
{"X": [[[2, 0], [1, 0], [0, "1/3"]], [[0, 3], [0, 2], [0, 0]], [[5, 5]]], "y": [0, 0, 0], "z": [[1], [1], [1]]}
END

# paths INSTANCE LOSS...: the paths of these losses.
paths() {
  instance=$1
  shift
  for loss; do
    "$attest" path "$instance" --loss $loss -o path.cert >/dev/null
    "$checker" "$instance" path.cert --require regularisation-path >mine || fail "$instance, $loss: attest-check"
    "$verified" "$instance" path.cert --require regularisation-path >theirs || fail "$instance, $loss: the verified checker"
    cmp -s mine theirs || fail "$instance, $loss: different lines"
    "$verified" --print-parsed "$instance" path.cert >back
    "$here/same_certificate.py" path.cert back || fail "$instance, $loss: printed back differently"
    rejected "$instance" 's/rate-constant [^ ]*/rate-constant 1*2^-40/'
    rejected "$instance" 's/from-radius [^ ]*/from-radius 1*2^-40/'
    rejected "$instance" 's/from-radius [^ ]*/from-radius 0/'
    rejected "$instance" 's/regularisation-path problem 1 from [0-9]*/regularisation-path problem 1 from 2/'
    rejected "$instance" "s/^loss $loss/loss none/; /^claim [0-9]* smoothness/d"
  done
}
paths "$sample" logistic exponential correlation
paths small.json logistic exponential correlation
paths labels.json cross-entropy

for loss in logistic exponential correlation; do
  "$attest" path small.json --loss $loss -o small.cert >/dev/null
  "$attest" export --coq small.json small.cert -o small_$loss.v >/dev/null
  grep -q '^Theorem claim_[0-9]*_regularisation_path' small_$loss.v || fail "no theorem about the path"
  add_checked small_$loss
done
check_modules
# The constants are those that the computation is about.
sed 's|\(regularised logistic r w.*<= \)[^ ]*|\11|' small_logistic.v >false.v
cmp -s small_logistic.v false.v && fail 'nothing to change'
must_not_compile false.v 'another constant is stated'
