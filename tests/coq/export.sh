# What the tests of exported files share; source it with coqc and theories set, in an empty folder.
allowed='ClassicalDedekindReals\.sig_not_dec|ClassicalDedekindReals\.sig_forall_dec|FunctionalExtensionality\.functional_extensionality_dep|Classical_Prop\.classic|(PrimInt63|Uint63|Sint63|Int63)\.[A-Za-z0-9_]+'

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
compile() { "$coqc" -q -w none -Q "$theories" Attest "$1" >"$1.out" 2>&1; }

# The file compiles, and what its Print Assumptions print is allowed.
compile_and_check() {
  compile "$1" || { cat "$1.out"; fail "$1 does not compile"; }
  grep -q '^Axioms:' "$1.out" || fail "$1: no assumptions printed"
  bad=$(sed -n 's/^\([A-Z][A-Za-z0-9_]*\.[A-Za-z0-9_.]*\).*/\1/p' "$1.out" | grep -vxE "$allowed" || true)
  [ -z "$bad" ] || fail "$1 rests on $bad"
}

must_not_compile() {
  compile "$1" && fail "$1 compiles: $2"
  grep -q 'Error' "$1.out" || fail "$1: no error: $2"
}
