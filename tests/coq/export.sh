# What the tests of exported files share; source it with coqc and theories set, in an empty folder.
allowed='ClassicalDedekindReals\.sig_not_dec|ClassicalDedekindReals\.sig_forall_dec|FunctionalExtensionality\.functional_extensionality_dep|Classical_Prop\.classic|(PrimInt63|Uint63|Sint63|Int63)\.[A-Za-z0-9_]+'

# The theorems about claims in an exported file.
claims_of() { sed -n 's/^Theorem \(claim_[0-9a-z_]*\) .*/\1/p' "$1"; }

# Commands for the end of an exported file (or of a module that holds it): every theorem about a claim is stated
# without hypotheses; all of them are all_claims.
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
  echo "Definition all_claims := ($(claims_of "$1" | tr '\n' ' ' | sed 's/ $//; s/ /, /g'))."
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
