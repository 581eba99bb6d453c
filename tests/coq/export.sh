# What the tests of exported files share; source it with coqc and theories set, in an empty folder.
allowed='ClassicalDedekindReals\.sig_not_dec|ClassicalDedekindReals\.sig_forall_dec|FunctionalExtensionality\.functional_extensionality_dep|Classical_Prop\.classic|(PrimInt63|Uint63|Sint63|Int63)\.[A-Za-z0-9_]+'

# The theorems about claims in an exported file.
claims_of() { sed -n 's/^Theorem \(claim_[0-9a-z_]*\) .*/\1/p' "$1"; }

# Commands for the end of an exported file (or of a module that holds it): every theorem about a claim is stated
# without hypotheses; all_claims mentions all of them. (Not as a tuple: of its type each part would be written and
# compared again with every further one.)
check_theorems() {
  echo 'Ltac no_hypothesis T :='
  echo '  lazymatch T with'
  echo '  | context [selects] => fail 0 "a hypothesis about the tokens of a selection"'
  echo '  | context [best] => fail 0 "a hypothesis about the best scores"'
  echo '  | forall _ : selection _, _ => fail 0 "any selection"'
  echo '  | ?A -> _ => lazymatch type of A with Prop => fail 0 "a hypothesis" | _ => idtac end'
  echo '  | _ => idtac'
  echo '  end.'
  echo 'Goal True.'
  for theorem in $(claims_of "$1"); do echo "let T := type of $theorem in no_hypothesis T."; done
  # The tactic itself.
  echo 'Fail (let T := type of alpha_1_unique in no_hypothesis T).'
  echo 'Fail no_hypothesis (globally_optimal alpha_1 -> feasible alpha_1).'
  echo 'Fail no_hypothesis (exists w : vec (coord attention_problem),'
  echo '  forall b : selection attention_problem, best b -> w = vzero).'
  echo 'exact I. Qed.'
  echo "Definition all_claims := $(claims_of "$1" | sed 's/.*/let _ := & in/' | tr '\n' ' ')tt."
}

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
compile() { "$coqc" -q -w none -Q "$theories" Attest "$1" >"$1.out" 2>&1; }

# The file compiles, and what all its theorems named rest on together is allowed: compile_and_check FILE THEOREMS.
compile_and_check() {
  { echo "Definition everything := $2."; echo 'Print Assumptions everything.'; } >>"$1"
  compile "$1" || { cat "$1.out"; fail "$1 does not compile"; }
  grep -q '^Axioms:' "$1.out" || fail "$1: no assumptions printed"
  bad=$(awk 'listed && /^[A-Za-z_]/ { sub(/ .*/, ""); print } /^Axioms:/ { listed = 1 }' "$1.out" | grep -vxE "$allowed" || true)
  [ -z "$bad" ] || fail "$1 rests on $bad"
}

# Exported files as modules of one, modules.v: what they rest on is asked once, which takes longer than the rest.
modules=
add_checked() {
  { echo "Module $1."; cat "$1.v"; check_theorems "$1.v"; echo "End $1."; } >>modules.v
  modules="$modules, $1.all_claims"
}
check_modules() { compile_and_check modules.v "(${modules#, })"; }

must_not_compile() {
  compile "$1" && fail "$1 compiles: $2"
  grep -q 'Error' "$1.out" || fail "$1: no error: $2"
}

# Files that must not compile, all in one process: loading the libraries takes longer than most of them. Each begins
# where the libraries are loaded, and a sound file is loaded before and after them.
#   reject_file FILE WHAT      a copy is kept
#   check_rejected SOUND       loads them, between two copies of SOUND
rejected=0
reject_file() {
  rejected=$((rejected + 1))
  cp "$1" "rejected_$rejected.v"
  echo "$2" >"rejected_$rejected.what"
}
check_rejected() {
  sed -n '/^From /,/\.$/p' "$1" >session
  libraries=$(grep -c '^From ' session)
  cp "$1" rejected_0.v
  cp "$1" "rejected_$((rejected + 1)).v"
  for number in $(seq 0 $((rejected + 1))); do
    printf 'Definition attempt_%d := tt.\nLoad "rejected_%d.v".\nAbort All.\nBackTo %d.\n' "$number" "$number" $((libraries + 1))
  done >>session
  "$(dirname "$coqc")/coqtop" -q -w none -Q "$theories" Attest <session >session.out 2>&1 || fail 'coqtop ends with an error'
  # Numbers of attempts that were begun, and of those with an error.
  sed -n 's/.*attempt_\([0-9]*\) is defined.*/\1/p' session.out >begun
  awk '/attempt_[0-9]* is defined/ { sub(/.*attempt_/, ""); number = $1 } /^(Error|Anomaly)/ { print number }' session.out |
    sort -nu >with_error
  seq 0 $((rejected + 1)) | cmp -s - begun || fail 'not every changed file was loaded'
  seq 1 "$rejected" | diff - with_error >differences && return
  for number in $(sed -n 's/^< //p' differences); do echo "rejected_$number.v compiles: $(cat "rejected_$number.what")"; done
  fail "$1: changed files that compile, or it does not"
}
