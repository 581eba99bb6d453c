#!/bin/sh
# Certificates as theorems: export_test.sh ATTEST COQC DEVELOPMENT SAMPLE CORPUS EXPORTED_HASH
#
# Exported files must state one theorem a claim, without hypotheses, compile against the compiled development
# (DEVELOPMENT/theories), rest on the allowed assumptions only, and carry the hash of the instance, which EXPORTED_HASH
# (proofs/coq/exported_hash.py) computes from their numbers. A file with one changed number must not compile.
set -eu

attest=$1
coqc=$2
theories=$3/theories
sample=$4
corpus=$5
exported_hash=$6
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$here/export.sh"

# An instance with as many sequences, tokens and coordinates as given; the numbers come from a fixed linear congruence.
make_instance() {
  awk -v n="$1" -v T="$2" -v d="$3" 'function next_number() { state = (state * 16807) % 2147483647; return state / 2147483647 - 0.5 }
    function vector(k) { out = "["; for (j = 0; j < k; j++) out = out (j ? "," : "") sprintf("%.17g", next_number()); return out "]" }
    BEGIN { state = 20
      printf "{\"X\": ["; for (i = 0; i < n; i++) { printf i ? ",[" : "["; for (t = 0; t < T; t++) printf "%s%s", t ? "," : "", vector(d); printf "]" }
      printf "], \"z\": ["; for (i = 0; i < n; i++) printf "%s%s", i ? "," : "", vector(d)
      printf "], \"Y\": ["; for (i = 0; i < n; i++) printf "%s%d", i ? "," : "", i % 2 ? -1 : 1
      printf "], \"v\": %s}\n", vector(d) }'
}

# certify_and_export NAME INSTANCE OPTIONS...: NAME.cert and NAME.v.
certify_and_export() {
  name=$1
  instance=$2
  shift 2
  "$attest" certify "$instance" -o "$name.cert" "$@" >/dev/null
  "$attest" export --coq "$instance" "$name.cert" -o "$name.v" >"$name.said"
  # Every claim is exported or named as left out, on standard output and in the file.
  claims=$(grep -c '^claim ' "$name.cert")
  stated=$(claims_of "$name.v" | wc -l)
  left_out=$(grep -c '^c claim .* not exported' "$name.said" || true)
  [ "$claims" -eq $((stated + left_out)) ] || fail "$name: $claims claims, $stated stated, $left_out left out"
  [ "$left_out" -eq "$(grep -c '^(\* claim .*: not exported: ' "$name.v" || true)" ] || fail "$name: left out silently"
  hash_is_stated "$name.v" "$instance"
}

# The file carries the instance's hash, and its numbers are those that the hash is about.
hash_is_stated() {
  hash=$("$attest" info "$2" | sed -n 's/^sha256 *//p')
  [ ${#hash} -eq 64 ] || fail "attest info says no hash of $2"
  grep -qF "Definition instance_sha256 : string := \"$hash\"%string." "$1" || fail "$1 does not carry the hash $hash"
  [ "$("$exported_hash" "$1")" = "$hash" ] || fail "$1 spells out other numbers than $2"
}

# A rank that is one too large in the claim and in its statement.
must_fail_rank() {
  name=$1
  rank=$(sed -n 's/.*rank_is \([0-9]*\) wstar.*/\1/p' "$name.v")
  [ -n "$rank" ] || fail "$name: no rank is stated"
  sed "s/rank_is $rank wstar/rank_is $((rank + 1)) wstar/; s/:= Rank \([0-9]*\) \([0-9]*\) $rank /:= Rank \1 \2 $((rank + 1)) /" "$name.v" >changed.v
  [ "$(diff "$name.v" changed.v | grep -c '^>')" -eq 2 ] || fail "$name: the rank is not stated twice"
  reject_file changed.v "$name with a rank that is too large"
}

# The first digit of the first line that matches becomes another; the file must no longer compile.
must_fail() {
  name=$1
  pattern=$2
  awk -v pattern="$pattern" '!done && $0 ~ pattern { at = match($0, /:: -?[0-9]/) + RLENGTH - 1
      $0 = substr($0, 1, at - 1) (substr($0, at, 1) + 1) % 10 substr($0, at + 1); done = 1 } { print }' "$name.v" >changed.v
  cmp -s "$name.v" changed.v && fail "$name: nothing matches $pattern"
  reject_file changed.v "$name with a changed number at $pattern"
}

certify_and_export sample "$sample" --form enclosure --loss logistic
compile sample.v || { cat sample.v.out; fail 'sample.v does not compile'; }
add_checked sample
grep -q '^Theorem claim_[0-9]*_locally_optimal :$' sample.v || fail 'the sample is not stated to be locally optimal'

grep -q 'vdist (gradient logistic' sample.v || fail 'no smoothness constant is stated'
sed 's/^\(Definition beta_[0-9]* := fraction_of\) .*/\1 [:: 1] [:: 0; 1]./' sample.v >changed.v
cmp -s sample.v changed.v && fail 'sample.v defines no smoothness constant'
reject_file changed.v 'a smoothness constant of 2^-62'

make_instance 6 8 10 >small.json
certify_and_export enclosure small.json --form enclosure
add_checked enclosure
grep -q 'LowerEigenvalue' enclosure.v || fail 'no rank is bounded by an eigenvalue'
must_fail_rank enclosure
grep -q 'multipliers alpha_1 wstar lamstar' enclosure.v || fail 'the enclosure is not stated'
must_fail enclosure '^Definition norm_squared_lo_1'

make_instance 3 3 3 >tiny.json
certify_and_export exact_form tiny.json --form exact
add_checked exact_form
grep -q 'max_margin alpha_1 (W alpha_1 (values multipliers_1))' exact_form.v || fail 'the optimum is not stated'
grep -q 'LowerModulus' exact_form.v || fail 'no rank is bounded modulo a prime'
must_fail_rank exact_form
must_fail exact_form 'row_of'
must_fail exact_form '^Definition norm_squared_1'

# Every setting, every claim kind in every form, several problems: one file, a module for each certificate.
add_module() {
  name=$1
  "$attest" export --coq "$2" "$3" -o "$name.v" >"$name.said"
  grep -q 'not exported' "$name.said" && { cat "$name.said"; fail "$name is not exported completely"; }
  add_checked "$name"
  hash_is_stated "$name.v" "$2"
}
add_case() { add_module "$1" "$corpus/$(sed -n 's/^instance //p' "$corpus/$2.case")" "$corpus/$2.attest"; }
add_case prompt integers53-p-exact
add_case gap query-last-s-gap
add_case self_attention query-last-s-lambda-min
add_case infeasible narrow-c-exact
add_case small_eigenvalue near-infeasible60-lambda-min
add_case cross_attention any-choice11-c-lambda-min
add_case no_constraints single-tokens-p-exact
add_case spanning infeasible-spanning-plane
add_case spanning_line infeasible-spanning-by-elimination
add_case margin_at_most margin-at-most
add_case conflicts conflicts-two
add_case separable_without separable-without-two
add_case robust_prompt robust-radius-gap
add_case robust_cross robust-radius-cross
add_case robust_self robust-radius-self
add_case joint rows-joint
add_case decoder rows-decoder
add_case decoder_spanning rows-decoder-spanning
add_case relaxed rows-relaxed
add_case relaxed_ball rows-relaxed-ball
add_case relaxed_gap rows-relaxed-gap
add_case relaxed_margin rows-relaxed-margin
add_case relaxed_not_strict rows-relaxed-not-strict
add_case sets rows-sets
add_case sets_ball rows-sets-ball
add_case sets_infeasible rows-sets-infeasible
add_case attention_stage next-token-attention
add_case feed_forward_stage next-token-feed-forward
add_case cycle next-token-cycle
add_case embeddings next-token-embeddings
add_case equal_embeddings sentences-equal-embeddings
add_case component_form sentences-component-form
add_case stage_ball sentences-lambda-min
add_case stage_ball_embeddings sentences-lambda-min-embeddings
add_case finite_part rows-finite-dependent
add_case finite_part_beside rows-finite-one-beside-solution
add_case finite_part_groups rows-finite-dependent-groups
add_case finite_part_none rows-finite-none
for norm in l1 l2 l3 l7-4 l7-4-without-distance linf nuclear nuclear-rank-one all-listed; do
  add_case "norm_$(echo $norm | tr - _)" norm-$norm
done
printf '{"X":[[[1,0],[0,1],[0.5,0.25]],[[0.25,1],[1,-1],[0,0.5]]],"z":[[1,0.5],[0.25,1]],"Y":[1,-1],"v":[1,0.125]}' >selections.json
"$attest" selections selections.json -o selections.cert >/dev/null
[ "$(grep -c '^problem ' selections.cert)" -gt 1 ] || fail 'there is one locally optimal selection only'
add_module several selections.json selections.cert
check_modules
for word in 'feasible alpha' '~ feasible alpha' max_margin 'multipliers alpha_1 wstar lamstar' 'support alpha_1 wstar t' strictly_complementary \
            multiplier_vanishes locally_optimal '~ locally_optimal' globally_optimal '~ globally_optimal' score_tie rank_is gradient \
            'InfeasibleSpanning 0' 'separates alpha_1 w -> 1 <= fraction_real bound_1 * vnorm w' '(#|left_out| < 2)%nat' 'notin [:: 0; 2]%nat' 'queries i = (TokenData.z' 'vdist (queries i) (TokenData.z' \
            'sensed_max_margin alpha_1 senses_1' 'sensed_feasible alpha_1 senses_1' 'sensed_multiplier_vanishes alpha_1 senses_1 t' 'notin [:: 1]%nat)' 'RelaxedGroups [:: 1]' 'SelectedSets [:: [:: 0; 1]; [:: 1]]' \
            'R := lp_norm (7 / 4) in' 'R := @sum_norm _ in' 'R := @max_norm _ in' 'R := @nuclear_norm ' '@rank_at_most ' \
            'finite_part alpha_1 senses_1 rho w' '~ exists w, shares_attention alpha_1 senses_1 rho w' \
            'exists z, only_shortest alpha_1 norm z' 'norm (w - z)%V <= fraction_real distance_1' 'margin alpha_1 z t = 1 -> 0 < gap alpha_1 t' \
            'Theorem alpha_2_selects : selects alpha_2 selection_2'; do
  grep -qF "$word" modules.v || fail "nothing is stated with $word"
done

# A bound that the combination does not prove.
"$attest" export --coq "$corpus/$(sed -n 's/^instance //p' "$corpus/margin-at-most.case")" "$corpus/margin-at-most.attest" -o bound.v >/dev/null
sed 's/^\(Definition bound_1 := fraction_of \[:: 1\]\) .*/\1 [:: 12800]./' bound.v >changed.v
cmp -s bound.v changed.v && fail 'bound.v defines no bound'
reject_file changed.v 'a smaller bound of the margin'

# A ratio that its combination contradicts.
"$attest" export --coq "$corpus/$(sed -n 's/^instance //p' "$corpus/rows-finite-dependent.case")" "$corpus/rows-finite-dependent.attest" -o ratio.v >/dev/null
sed 's/Some (fraction_of \[:: 8\]/Some (fraction_of [:: 9]/' ratio.v >changed.v
cmp -s ratio.v changed.v && fail 'ratio.v has no ratio 8'
reject_file changed.v 'a ratio that is no power of its base'
check_rejected ratio.v

# A number that is not the instance's.
sed 's/^\(Definition v : .*:: -\{0,1\}\)\([0-9]\)/\11\2/' exact_form.v >changed.v
cmp -s exact_form.v changed.v && fail 'no entry of v is changed'
"$exported_hash" changed.v >hash.said 2>hash.err && fail 'a file with another v has the hash of the instance'
grep -q 'the file says' hash.err || fail 'exported_hash.py does not say that the hashes differ'

# What cannot be exported says so.
"$attest" export --coq tiny.json enclosure.cert -o other.v 2>other.err && fail 'exports a certificate of another instance'
grep -q 'another instance' other.err || fail 'does not say that the certificate is for another instance'
[ ! -e other.v ] || fail 'writes a file for another instance'

# Claims of kinds that Coq does not know are left out by name; where none is left, nothing is written.
for name in rows-joint-forever rows-joint-forever-alone; do
  status=0
  "$attest" export --coq "$corpus/$(sed -n 's/^instance //p' "$corpus/$name.case")" "$corpus/$name.attest" -o left.v \
    --force >left.out 2>left.err || status=$?
  sed -n 's/^c claim \([0-9]*\) \([a-z-]*\) not exported: attest export does not know .*/\1 \2/p' left.out >left.claims
  case $status in
    0) [ ! -s left.claims ] || compile left.v || fail "$name: what is left does not compile" ;;
    3) [ -s left.claims ] && [ ! -e left.v ] || fail "$name: status 3 without a claim that is not known, or a file" ;;
    *) fail "$name: status $status" ;;
  esac
  while [ $status = 0 ] && read -r number kind; do
    grep -q "^(\* claim $number, $kind: not exported: attest export does not know" left.v || fail "$name: claim $number is not named"
    ! grep -q "Theorem claim_${number}_" left.v || fail "$name: claim $number is a theorem"
  done <left.claims
  rm -f left.v
done
