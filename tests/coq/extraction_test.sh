#!/bin/sh
# The extraction directives against Coq: extraction_test.sh COQC OCAMLFIND DEVELOPMENT PROOFS_COQ
#
# Coq's virtual machine computes every function that Extract.v replaces by OCaml's, and the conversions of
# machine words, at the edges of their ranges; the program extracted with Extract.v's directives must print the
# same numbers.
set -eu

coqc=$1
ocamlfind=$2
theories=$3/theories
source=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Every function that a directive replaces is computed below.
covered='Z.add Z.sub Z.mul Z.leb Z.ltb Z.eqb Z.div Z.sqrt Z.opp Z.abs Z.succ Z.pred Z.max Z.min Z.even Z.log2
  Z_bits Z.shiftl Z.shiftr Z.of_nat Z.to_nat Sint63.to_Z eqn'
never='IZR ClassicalDedekindReals.sig_forall_dec'   # in no computation
for name in $(sed -n 's/^Extract Constant \([A-Za-z0-9_.]*\) .*/\1/p' "$source/extraction/Extract.v"); do
  case " $(echo $covered $never) " in
    *" $name "*) ;;
    *) echo "FAILED: no test of the directive for $name" >&2; exit 1 ;;
  esac
done

sed '/^Extraction "verified.ml"/,$d' "$source/extraction/Extract.v" >directives
cat directives - >Results.v <<'END'
Local Open Scope Z_scope.
Definition samples : seq Z :=
  [:: 0; 1; -1; 2; -2; 3; -3; 5; -7; 1000; 16777216; -16777217; 2305843009213693951;
      4611686018427387903; -4611686018427387903; 4611686018427387904; -4611686018427387904; -4611686018427387905;
      9223372036854775807; 9223372036854775808; 9223372036854775813; -9223372036854775809; 18446744073709551616;
      1000000000000000000000000000057; -1000000000000000000000000000058].
Definition others : seq Z :=
  [:: 0; 1; -1; 2; -3; 7; 4611686018427387903; -4611686018427387904; 9223372036854775813;
      -1000000000000000000000000000058].
Definition counts : seq Z := [:: 0; 1; -1; 3; -3; 61; -61; 62; -62; 63; -63; 64; 200; -200].
Definition of_bool (b : bool) : Z := if b then 1 else 0.
(* 2p and 2p + 1 of a positive number, and back. *)
Definition halves (a : Z) : seq Z :=
  match a with
  | Z0 => [:: 0]
  | Zpos p => [:: 1; Zpos p~0; Zpos p~1; match p with xH => 0 | xO q => Zpos q | xI q => Zneg q end]
  | Zneg p => [:: 2; Zneg p~0; Zneg p~1; match p with xH => 0 | xO q => Zpos q | xI q => Zneg q end]
  end.
Definition of_one (a : Z) : seq Z :=
  [:: Z.opp a; Z.abs a; Z.succ a; Z.pred a; Z.sqrt a; Z.log2 a; Z_bits a; of_bool (Z.even a);
      Z.of_nat (Z.to_nat (Z.min a 100)); Sint63.to_Z (word_of_integer a); of_bool (short_word (word_of_integer a));
      of_bool (eqn (Z.to_nat (Z.min a 50)) (Z.to_nat (Z.min 2 a)))] ++ halves a.
Definition of_two (a b : Z) : seq Z :=
  let v := word_of_integer a in let w := word_of_integer b in
  [:: Z.add a b; Z.sub a b; Z.mul a b; of_bool (Z.leb a b); of_bool (Z.ltb a b); of_bool (Z.eqb a b);
      Z.div a b; Z.max a b; Z.min a b; Sint63.to_Z (PrimInt63.add v w); Sint63.to_Z (PrimInt63.sub v w);
      Sint63.to_Z (PrimInt63.mul v w); of_bool (PrimInt63.lesb v w)].
Definition shifted (a k : Z) : seq Z := [:: Z.shiftl a k; Z.shiftr a k].
Definition each (f : Z -> seq Z) (s : seq Z) : seq Z := flatten (map f s).
Definition about (a : Z) : seq Z := of_one a ++ each (of_two a) others ++ each (shifted a) counts.
Definition results : seq Z := each about samples.
Set Printing Depth 100000.
Extraction "extracted.ml" results.
END
# One sample at a time: Coq prints long lists slowly.
i=0
while [ $i -lt 25 ]; do
  echo "Eval vm_compute in about (nth 0 samples $i)."
  i=$((i + 1))
done >>Results.v
"$coqc" -q -w none -Q "$theories" Attest Results.v >printed
grep -v '^ *:' printed | tr -d '[] \n' | tr ';=' '\n\n' | sed 's/^:*//; /^$/d' |
  grep -x -e '-\{0,1\}[0-9]*' >coq.numbers

cp "$source/ocaml/integer.ml" "$source/ocaml/uint63.ml" .
echo 'let () = List.iter (fun a -> print_endline (Z.to_string a)) Extracted.results' >print.ml
"$ocamlfind" ocamlopt -w -a -package zarith -linkpkg integer.ml uint63.ml extracted.mli extracted.ml print.ml \
  -o print
./print >ocaml.numbers

[ "$(wc -l <coq.numbers)" -gt 4000 ] || { echo "FAILED: only $(wc -l <coq.numbers) numbers" >&2; exit 1; }
diff coq.numbers ocaml.numbers >differences || {
  head differences >&2
  echo 'FAILED: the extracted program differs from Coq' >&2
  exit 1
}
echo "$(wc -l <coq.numbers) numbers agree"
