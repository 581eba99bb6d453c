#!/bin/sh
# Certificates about paths, label margins, mirror descent, factors and heads other than the scalar one as theorems:
# export_kinds_test.sh ATTEST COQC DEVELOPMENT CORPUS EXPORTED_HASH
#
# As export_test.sh: theorems without hypotheses that compile, rest on the allowed assumptions and speak of the
# instance's numbers. What Coq does not check is left out in words; a statement that says more than the data, or says it
# together with the data, does not compile.
set -eu

attest=$1
coqc=$2
theories=$3/theories
corpus=$4
exported_hash=$5
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$here/export.sh"

# add NAME CASE LEFT_OUT: NAME.v, of a case of the corpus, with that many claims left out in words.
add() {
  name=$1
  instance=$corpus/$(sed -n 's/^instance //p' "$corpus/$2.case")
  "$attest" export --coq "$instance" "$corpus/$2.attest" -o "$name.v" >"$name.said"
  left_out=$(grep -c '^c claim .* not exported' "$name.said" || true)
  [ "$left_out" -eq "$3" ] || { cat "$name.said"; fail "$name: $left_out claims are left out"; }
  [ "$(claims_of "$name.v" | wc -l)" -eq $(($(grep -c '^claim ' "$corpus/$2.attest") - left_out)) ] ||
    fail "$name: not every other claim is stated"
  add_checked "$name"
  hash=$("$attest" info "$instance" | sed -n 's/^sha256 *//p')
  [ "$("$exported_hash" "$name.v")" = "$hash" ] || fail "$name.v spells out other numbers than the instance"
}

add shares run-finite-one 0
add shares_steps run-finite-two-steps 0
add shares_ball run-finite-from-ball 0
add shares_alone run-finite-without-angle 0
add shares_single run-finite-single 0
add shares_gap run-finite-from-gap 1
add face norm-face-square 0
add face_at_most norm-face-one-or-more 0
add face_only norm-face-corner 0
add face_cube norm-face-cube 0
add residual path-residual-exact 0
add residual_ball path-residual-enclosed 0
add mirror norm-mirror-l7-4 0
add mirror_inequality norm-mirror-inequality 0
add mirror_alone norm-mirror-alone 0
add mirror_later norm-mirror-forever-l7-4 0
add mirror_later_plain norm-mirror-forever-plain-steps 0
add mirror_later_above_two norm-mirror-forever-l3 0
add mirror_later_above_two_plain norm-mirror-forever-l3-plain-steps 0
add factors norm-factored-run 0
add factors_column norm-factored-alone 0
add factors_later norm-factored-forever 0
add label_margins rows-label-margins 0
add label_margins_split rows-label-margins-split 0
add joint_path rows-joint-path 0
add joint_path_tight rows-joint-path-tight 0
add joint_path_plain rows-joint-path-feasible 0
add classifier head-classifier 0
add other_class head-classifier-other-class 0
add classifier_margins head-margins-classifier 0
add units head-relu 0
add kink head-relu-kink 0
add run_classifier run-classifier 0
add run_units run-relu 0
add cross_entropy cross-entropy 0
add cross_entropy_later cross-entropy-later 0
add cross_entropy_paths cross-entropy-paths 0
add cross_entropy_factored cross-entropy-factored 0
add cross_entropy_scores cross-entropy-scores 0
add trained_classifier trained-classifier 0
add polyak_classifier polyak-classifier 0
add trained_units trained-relu 0
add later_classifier later-classifier 0
add later_units later-relu 0
add bounded_units bounded-relu 0
add bounded_classifier bounded-classifier-local 0
add residual_classifier residual-classifier 0
add residual_units residual-relu 0
add path_classifier path-classifier 0
add path_units path-relu-mixed 0
add ray training-ray 0
add attended training-run 0
add attended_alone training-run-alone 0
add attended_counted training-run-counted 0
add attended_later training-later 0
add shifted training-shift 0
add shifted_alone training-shift-alone 0
add stages next-token-both 0
check_modules

for words in 'iterate logistic least GradientSteps (step_size Constant (4)) W0_2 in' \
             'finite_part_of alpha_2 senses_2 (w 2%nat) fin /\' \
             '(forall t, equal_row alpha_2 senses_2 t -> 9 / 50 (* about 0.18 *) < attention (w 0%nat) t)' \
             'sensed_max_margin alpha_2 senses_2 wmm /\ 0 < c /\ 2.9 <= c <= 3.1 /\' 'r w -> vnorm (w - dot w u * u)%V <= 0.1875 ' \
             'affine_dimension_at_least solves 2%nat' 'affine_dimension_at_most solves 0%nat &' \
             'forall t, member tight_2 t -> forall w, solves w -> margin alpha_1 w t = 1]' \
             'mirror_iterate logistic q true (step_size Constant (1 / 10)) (mirror p vzero) in' \
             'only_shortest alpha_1 (lp_norm p) y /\' 'dual_divergence q (w t) (z t) (z t.+1) / lp_norm p (w t))' \
             '(forall t, height t + 1 / 3 * (step_size Constant (1 / 10)) (0 + t)%nat <= height t.+1) /\' \
             '(forall j, is_lim_seq (fun t => (/ lp_norm p (w t) * w t)%V j) (u j)) /\' '(forall t, height t < height t.+1) /\' \
             'logistic w)%V true (step_size Constant (1 / 10))' '<= family_norm (left_factor (s 10%nat)) <=' \
             'balance_norm (s 6%nat) <=' 'separates alpha_1 y /\' '401 / 1000 * (size t / 2) <= margin alpha_1 (w t) c' \
             '4 / 5 * norm (w t) <= margin alpha_1 (w t) c * norm w' \
             'dot (labelled_output s i) u <= / vnorm v - 1 / 8 (* about 0.125 *) * (1 - s (chosen_1 i' \
             "jointly_regularised (@labelled_value _ instance) logistic r radius v w ->" \
             'sensed_max_margin alpha_3 senses_3 wstar /\ 0 < vnorm wstar &' '(forall t, constraint alpha_1 t -> 0 < output_gap instance alpha_1 t)' \
             '~ (forall t, constraint alpha_1 t -> 0 < output_gap instance alpha_1 t)' 'forall t, support alpha_1 wstar t -> 0 < output_gap instance alpha_1 t)' \
             'let h : head attention_problem := class_layer_head instance data y U U_denominator in' 'bias bias_denominator r r_denominator Logistic in' \
             'head_iterate h least GradientSteps (step_size Constant (1 / 8)) W0_3 in' 'vnorm (head_gradient h (w 4%nat)) <=' 'head_loss h (w t.+1) < head_loss h (w t)' \
             'iterate cross_entropy least GradientSteps (step_size Constant (1)) W0_' 'TargetTokens big_integers y' \
             'regularised cross_entropy r w -> 1 - dot w wstar / (vnorm wstar * r) <= 2.5 ' \
             'w t = (INR t * (1 / 5) / vnorm wstar * wstar)%V)' 'let h := token_head next y c in' \
             'let c := INR 40 * (1 / 5) / sqrt (INR (paired_tokens pairs) * (V - 1) / V) in' \
             '2.9888 <= vnorm (w 10%nat) <= 2.9889 /\' 'let z n := w (40 + n)%nat in' 'height 0%nat + 1039 / 4000 * INR n - ' \
             'predicts_next pairs wstar [:: 6; 0; 9; 1]%nat 3' \
             '(forall t, (19 <= t)%nat -> attends_most pairs (w t) [:: 6; 0; 1]%nat 3)' 'Module Feed_forward_stage.'; do
  grep -qF -- "$words" modules.v || fail "nothing is stated with $words"
done

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
reject shares 's/2.9 <= c <= 3.1/2.9 <= c <= 2.95/'
reject shares 's/2.9 <= c <= 3.1/2.9 <= c <= 2.95/' '/^Definition shares_4/,/\.$/s/(fraction_of \[:: 31\] \[:: 10\])/(fraction_of [:: 295] [:: 100])/'
reject shares 's/0.24 <= vnorm2 fin/0.25 <= vnorm2 fin/'
reject face 's/at_least solves 2%nat/at_least solves 3%nat/'
reject face 's/at_most solves 2%nat/at_most solves 1%nat/'
reject face 's/at_most solves 2%nat/at_most solves 1%nat/' '/^Definition face_2/,/\.$/s/\[:: (0, 1); (1, 0)\]%nat/[:: (0, 1)]%nat/'
reject shares 's/ (w 0%nat) t < 1 \/ 50 / (w 0%nat) t < 1 \/ 500 /'
reject shares_alone 's/finite_part_of alpha_2 senses_2 (w 0%nat)/finite_part_of alpha_2 senses_2 (w 2%nat)/'
reject residual 's/<= 0.1875 (/<= 0.0875 (/'
reject residual 's/<= 0.1875 (/<= 0.0875 (/' 's/^\(Definition residual_[0-9]* .*fraction_of \[::\) 1875\]/\1 875]/'
reject mirror_inequality 's/0.0906 <= training_loss/0.0907 <= training_loss/'
reject mirror_inequality 's/(1 + 1.25 \*/(1 + 0.25 */'
reject mirror_later 's/height t + 1 \/ 3 /height t + 1 \/ 2 /'
reject mirror_later 's/height t + 1 \/ 3 /height t + 1 /' 's/^\(Definition growth_4 .*fraction_of\) \[:: 1\] \[:: 3\]/\1 [:: 1] [:: 1]/'
reject mirror_later_above_two 's/let q := 3 \/ 2 in let z (t/let q := 2 in let z (t/;s/let p := 3 \/ 1 in let q := 3 \/ 2 in$/let p := 3 \/ 1 in let q := 2 in/'
reject mirror_later_above_two_plain 's/1 - attention (w t) (alpha_1 i) <= 0.0625/1 - attention (w t) (alpha_1 i) <= 0.062/'
reject mirror_later_above_two_plain 's/<= 4 \/ abs_power/<= 1 \/ 100 \/ abs_power/' 's/^\(Definition rate_4 .*fraction_of\) \[:: 4\] \[:: 1\]/\1 [:: 1] [:: 100]/'
reject factors 's/1.436 <= vnorm (w 0/1.437 <= vnorm (w 0/'
reject factors_later 's/401 \/ 1000 \* (size/402 \/ 1000 * (size/'
reject factors_later 's/401 \/ 1000 \* (size/402 \/ 1000 * (size/' 's/^\(Definition slope_4 .*fraction_of\) \[:: 401\]/\1 [:: 402]/'
reject factors_later 's/ 4 \/ 5 \* norm/ 5 \/ 5 * norm/'
reject label_margins 's/vnorm v - 1 \/ 8 /vnorm v - 1 \/ 4 /'
reject label_margins 's/vnorm v - 1 \/ 8 /vnorm v - 8 /' 's/^\(Definition nu_3 .*fraction_of\) \[:: 1\] \[:: 8\]/\1 [:: 8] [:: 1]/'
reject joint_path 's/radius) <= 10 \/ radius/radius) <= 9 \/ radius/'
reject joint_path 's/radius) <= 10 \/ radius/radius) <= 1 \/ radius/' 's/(fraction_of \[:: 10\] \[:: 1\])/(fraction_of [:: 1] [:: 1])/'
reject run_units 's/4.875 <= vnorm (w 4/4.975 <= vnorm (w 4/'
reject run_units 's/bias_denominator r r_denominator Logistic in/bias_denominator r r_denominator Exponential in/'
reject classifier 's/^Definition y : seq nat := \[:: 0\]/Definition y : seq nat := [:: 1]/'
reject cross_entropy_later 's/iterate cross_entropy least/iterate logistic least/'
reject cross_entropy_factored 's/83 \/ 200 \* (size/84 \/ 200 * (size/'
reject cross_entropy_paths 's/(vnorm wstar \* r) <= 2.5/(vnorm wstar * r) <= 1.5/'
reject ray 's/(INR t \* (1 \/ 5)/(INR t * (1 \/ 4)/'
reject attended 's/2.9888 <= vnorm/2.9889 <= vnorm/'
reject attended 's/let c := INR 40/let c := INR 41/'
reject attended_later 's/1039 \/ 4000 \* INR n/1040 \/ 4000 * INR n/'
reject shifted 's/(19 <= t)%nat/(18 <= t)%nat/'
reject shifted_alone 's/9; 1\]%nat 3/9; 1]%nat 4/'
check_rejected shares.v
