#!/bin/sh
# Certificates of runs as theorems: export_runs_test.sh ATTEST COQC DEVELOPMENT SMALL
#
# Runs of every rule, schedule and loss, stationary points, and claims about all later steps from a matrix and from a
# run, must compile and rest on the allowed assumptions only; statements and data with a changed number must not. SMALL
# is an instance.
set -eu

attest=$1
coqc=$2
theories=$3/theories
small=$4
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$here/export.sh"

# produce NAME INSTANCE OPTIONS of attest run: NAME.v.
produce() {
  name=$1
  instance=$2
  shift 2
  "$attest" run "$instance" "$@" -o "$name.attest" >/dev/null
  "$attest" export --coq "$instance" "$name.attest" -o "$name.v" >"$name.said"
  grep -q 'not exported' "$name.said" && { cat "$name.said"; fail "$name is not exported completely"; }
  grep -q '^Theorem claim_[0-9]*_run' "$name.v" || grep -q 'forever-from-point\|stationary' "$name.v" || fail "$name states nothing about a run"
}

add() {
  produce "$@"
  add_checked "$name"
}

echo '{"X": [[[2], [1]]], "Y": [1], "v": [1], "z": [[1]]}' >one.json
echo '[[5]]' >five.json
add gd_zero "$small" --optimizer gd --step 1/2 --steps 2 --init zero
add ngd_inverse "$small" --optimizer ngd --step 1/10 --schedule inverse --steps 2 --init random:3
add gd_root "$small" --optimizer gd --step 1/3 --schedule invsqrt --loss exponential --steps 2 --init random:3
add polyak_run "$small" --optimizer polyak --step 1/2 --schedule inverse --steps 2 --init zero
add ngd_root "$small" --optimizer ngd --step 2 --schedule invsqrt --loss correlation --steps 2 --init zero
add later_ngd one.json --optimizer ngd --step 1/8 --steps 0 --init @five.json
add later_gd one.json --optimizer gd --step 1/8 --schedule invsqrt --steps 0 --init @five.json
add later_polyak one.json --optimizer polyak --step 1/8 --steps 0 --init @five.json --loss exponential
add later_local one.json --optimizer ngd --step 1/8 --steps 0 --init zero
add later_run one.json --optimizer polyak --step 1/8 --steps 2 --init zero
echo '{"X": [[[1], [2]]], "Y": [1], "v": [1], "z": [[0]], "alpha": [0]}' >still.json
echo '{"X": [[[0, 0], [-1, 0]], [[0, 0], [-1, 0]]], "Y": [1, 1], "v": [1, 0], "z": [[1], [-1]]}' >twins.json
echo '[[0], [3]]' >three.json
add still still.json --optimizer gd --step 1 --steps 2 --init zero
add twins twins.json --optimizer gd --step 1 --steps 2 --init @three.json
check_modules
for theorem in Absorbing AbsorbingResidual Local LocalResidual LockIn Bounded; do grep -q "(${theorem}Evidence" modules.v || fail "$theorem is missing"; done
for words in 'let least := least_loss best_tokens logistic in' 'iterate logistic least GradientSteps (step_size Constant (1 / 2)) vzero in' \
             'iterate logistic least NormalisedSteps (step_size Inverse (1 / 10)) W0_' 'PolyakSteps (step_size Inverse (1 / 2))' \
             'iterate correlation least NormalisedSteps (step_size InverseRoot (2)) vzero in' '<= one_minus_corr wstar (w 2%nat) <=' \
             'training_loss logistic (w t.+1) < training_loss logistic (w t)' '* (1 / sqrt (INR t))' 'vnorm2 (across t.+1) - vnorm2 (across t) <= M * (y t.+1 - y t)' \
             'exp (gamma * y 0%nat) + G * Growth.total (step_size InverseRoot (1 / 8)) s <= exp (gamma * y s)' \
             'exists2 centre : vec (coord attention_problem), dot centre u = 0 &' 'is_lim_seq (fun s => cosine u (w s)) 1' '1 / 2 < attention (w s) (alpha_1 i)' 'bound s := sqrt (E + M * (y s - y 0%nat))' \
             'bound s := sqrt (E + M * (y (1 + s)%nat - y 1%nat))' 'vec (coord attention_problem) := vzero in gradient logistic w = vzero' \
             ':= W0_4 in gradient logistic w = vzero'; do
  grep -qF -- "$words" modules.v || fail "nothing is stated with $words"
done

# That no step divides by 0 is stated for all steps of claims about later ones, where steps divide.
for name in later_ngd later_polyak later_local later_run; do
  theorems=$(claims_of $name.v | grep -c _forever_)
  defined=$(grep -c '^    (forall s, 0 < vnorm (gradient [a-z]* (w s))) /.$' $name.v || true)
  [ "$theorems" -gt 0 ] && [ "$defined" -eq "$theorems" ] ||
    fail "$name: $theorems theorems about all later steps, $defined defined iterations"
done
grep -q '^    (forall s, 0 < vnorm (gradient' later_gd.v && fail 'gradient descent does not divide'

# reject NAME CHANGE...: NAME.v after changes by sed, each of which changes something, does not compile.
reject() {
  name=$1
  shift
  cp "$name.v" changed.v
  for change in "$@"; do
    cp changed.v before.v
    sed "$change" before.v >changed.v
    cmp -s before.v changed.v && fail "$name: $change changes nothing"
  done
  reject_file changed.v "$name after $*"
}

# A statement that says more than the data; data and statement that say something false together.
reject gd_zero 's/(step_size Constant (1 \/ 2))/(step_size Constant (1 \/ 3))/'
reject gd_zero 's/^\(Definition step_[0-9]* := fraction_of \[:: 1\]\) .*/\1 [:: 3]./' 's/(step_size Constant (1 \/ 2))/(step_size Constant (1 \/ 3))/'
reject gd_zero 's/0 <= vnorm (w 0%nat) <= 0/0 <= vnorm (w 1%nat) <= 0/'
reject later_ngd 's/1 \/ 2 < attention/2 \/ 3 < attention/'
height='s/ \/ 2305843009213693952/ \/ 1305843009213693952/'   # y_0 >= 5 becomes y_0 >= 8.8
reject later_ngd "$height"
reject later_ngd "$height" 's/\[:: 2305843009213693952\]/[:: 1305843009213693952]/'
residual=$(sed -n 's/^claim \([0-9]*\) .* theorem residual .*/\1/p' later_local.attest)
height="/^Theorem claim_${residual}_/,\$s/^    -\([0-9]* .* <= y 0%nat\)/    \1/"   # y_0 >= 0, less a rounding, becomes y_0 > 0
reject later_local "$height"
reject later_local "$height" "/^Definition said_$residual /s/:: -/:: /"
reject later_local 's/\((LocalResidualEvidence (fraction_of [^)]*)\) (fraction_of [^)]*)/\1 (fraction_of [:: 2] [:: 1])/'   # an eigenvalue of 1
reject later_ngd 's/\((AbsorbingResidualEvidence (fraction_of [^)]*)\) (fraction_of [^)]*)/\1 (fraction_of [:: 2] [:: 1])/'
reject twins 's/in gradient logistic w = vzero/in gradient exponential w = vzero/'
reject twins 's/numbers \[:: \[::\]\]; numbers \[:: \[:: 3\]\]/numbers [:: [:: 1]]; numbers [:: [:: 3]]/'   # W_0 = (1, 3)
reject later_run 's/NormalisedSteps\|PolyakSteps/GradientSteps/g'
# Nothing grows: later steps may not be defined.
growth='s| let G := [0-9]* / [0-9]* (\* about [0-9.e-]* \*) in$| let G := 0 in|'
reject later_ngd "$growth" \
  's/ false (fraction_of [^()]*) (Some 0%nat)\.$/ false (fraction_of [::] [:: 1]) (Some 0%nat)./'
check_rejected gd_zero.v
