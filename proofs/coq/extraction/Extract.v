(* Extract: the verified checker as an OCaml program over Zarith's integers.

   Booleans, options, pairs and lists become OCaml's own; nat becomes int (indices and sizes of lists in memory),
   machine words become int too, and Z becomes Integer.t, Zarith's integers. That these stand for Coq's types is trusted
   (ocaml/EXTRACTION.md). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import ZArith Rdefinitions ClassicalDedekindReals Extraction ExtrOcamlBasic ExtrOcamlNatInt
  ExtrOCamlInt63.
From Attest Require Import Number Rows Entries Words TokenData Instances EqualTokens MergedTokens MarginChecks GramBound
  RankChecks SmoothnessChecks Replay OutputValues OutputGaps HeadReplay SensedChecks SensedEnclosureChecks
  SensedSpanningChecks LabelSmoothness ClassSmoothness Posed RatioFactors LeastNormChecks FinitePartChecks Certificates
  TextData TextCertificates.

Extraction Language OCaml.

Extract Inductive positive => "Integer.t"
  [ "(fun p -> Integer.succ (Integer.shift_left p 1))" "(fun p -> Integer.shift_left p 1)" "Integer.one" ]
  "Integer.match_positive".
Extract Inductive Z => "Integer.t" [ "Integer.zero" "" "Integer.neg" ] "Integer.match_integer".

Extract Constant Z.add => "Integer.add".
Extract Constant Z.sub => "Integer.sub".
Extract Constant Z.mul => "Integer.mul".
Extract Constant Z.leb => "Integer.leq".
Extract Constant Z.ltb => "Integer.lt".
Extract Constant Z.eqb => "Integer.equal".
Extract Constant Z.div => "Integer.floor_quotient".
Extract Constant Z.sqrt => "Integer.floor_root".
Extract Constant Z.opp => "Integer.neg".
Extract Constant Z.abs => "Integer.abs".
Extract Constant Z.succ => "Integer.succ".
Extract Constant Z.pred => "Integer.pred".
Extract Constant Z.max => "Integer.max".
Extract Constant Z.min => "Integer.min".
Extract Constant Z.even => "Integer.is_even".
Extract Constant Z.log2 => "Integer.floor_log".
Extract Constant Z_bits => "Integer.bits".
Extract Constant Z.shiftl => "Integer.shift".
Extract Constant Z.shiftr => "(fun a k -> Integer.shift a (Integer.neg k))".
Extract Constant Z.of_nat => "Integer.of_int".
Extract Constant Z.to_nat => "Integer.to_natural".

(* The integer that a machine word is (ExtrOCamlInt63, uint63.ml). *)
Extract Constant Sint63.to_Z => "Integer.of_int".

(* Equality of nat and of bool, as OCaml has it. *)
Extract Constant eqn => "(fun (a : int) (b : int) -> a = b)".

(* The meaning of an integer in R is a field of `integers` that no computation uses; nor does any use the axiom that R
   is built from. *)
Extract Constant IZR => "(fun _ -> Obj.magic ())".
Extract Constant ClassicalDedekindReals.sig_forall_dec => "(fun _ -> assert false)".

Extraction "verified.ml" integers check_certificate first_rejected check_text stage_instance stage_data vocabulary
  data_of representatives token_data_of integer_words wide distance short_pair weights weight_unit column_data
  column_mask first_orbit near_orbit advance output_model head_look head_advance sign_table claim_problem posed_data_in
  posed_picks senses_of asked_total inequalities nonzero_mask raised sensed_dual_value smoothness_interval
  label_smoothness_in class_smoothness_in class_values exponents_of logarithms_in residuals_in dual_in.
