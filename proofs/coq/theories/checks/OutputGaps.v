(* OutputGaps: the signs of the gaps of heads of several outputs (GRAMMAR.md section 2).

   The gap of a token is how much more slope it has than the selected one where all attention is on the selected tokens.
   Of ReLU units it is compared exactly. A classifier's is a sum of exponentials of rational numbers with rational
   coefficients: enclosures tell its sign, and it vanishes where the coefficients of each exponent do. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Losses Heads ClassifierHead UnitsHead Number Rows TokenData Instances
                           EqualTokens MergedTokens MarginChecks OptimalityChecks EnclosureChecks Interval Elementary
                           IntervalTables AttentionIntervals LabelledValues OutputHeads OutputValues.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- other gaps than those of the scores ---- *)

Section Gaps.
Variables (p : selection_problem) (alpha : selection p) (g : token p -> R).

(* The problem whose score gaps are g. *)
Definition with_gaps : selection_problem :=
  SelectionProblem (@group_of p) (@feature p) (fun t => - g t) (@multiplicity_gt0 p) (@weight_gt0 p).
Definition gap_selection : selection with_gaps := @Selection with_gaps alpha (@group_of_pick p alpha).

Hypothesis selected_gap : forall i, g (alpha i) = 0.

Lemma with_gaps_gap t : gap gap_selection t = g t.
Proof. by rewrite /gap /selected /= selected_gap; ring. Qed.
End Gaps.

(* ---- the gaps of the instance's head ---- *)

Section Instance.
Variables (N : number) (I : instance N).
Notation raw := (token_data_of I).
Notation d := (token_dimension I).
Notation classes_of i := (class_places (sequence_at raw i)).

Section Units.
Variables (D : token_data N) (alpha : selection (problem D)) (k : nat) (y : data_group D -> R) (r : 'I_k -> R).
Variable z : token (problem D) -> 'I_k -> R.
Notation best t := (alpha (group_of t)).

(* A unit with an effect is on its kink at the selected token. *)
Definition kinked (t : token (problem D)) : bool :=
  [exists u : 'I_k, ~~ Req_EM_T (r u) 0 && Req_EM_T (z (best t) u) 0].
(* But for the size of the loss's slope. *)
Definition units_gap (t : token (problem D)) : R :=
  if kinked t then 0
  else y (group_of t) * \sum_(u : 'I_k | Rlt_dec 0 (z (best t) u)) r u * (z (best t) u - z t u).
End Units.

Section Heads.
Variables (D : token_data N) (alpha : selection (problem D)).
Notation token := (token (problem D)).
Notation at_token f := (fun (t : token) u => f (tag (t : data_token D) : nat) (tagged (t : data_token D) : nat) u).

Definition output_gap (t : token) : R :=
  match token_scoring I with
  | SeveralOutputs (ClassLayer classes layer unit) =>
      @classifier_limit (problem D) [finType of 'I_(size layer).-1.+1]
        (at_token (fun i s u => layer_product I layer unit i s u))
        (fun i => inord (nth 0%nat classes (i : data_group D))) alpha t
  | SeveralOutputs (UnitLayer labels layer unit bias bu second su) =>
      units_gap alpha (fun i : data_group D => Y labels i) (fun u : 'I_(size layer) => entry second u / real su)
        (at_token (fun i s u => layer_product I layer unit i s u + entry bias u / real bu)) t
  | _ => 0
  end.

Lemma output_gap_selected i : output_gap (alpha i) = 0.
Proof.
rewrite /output_gap; case: (token_scoring I) => // -[classes layer unit | labels layer unit bias bu second su].
  rewrite /classifier_limit; apply: sum0 => u _; rewrite /class_change /class_start group_of_pick; ring.
rewrite /units_gap; case: ifP => // _; rewrite group_of_pick sum0 ?Rmult_0_r // => u _; ring.
Qed.
End Heads.

(* ---- signs ---- *)

(* Pairs of an exponent and a coefficient, all over the same denominators. *)
Implicit Types (xs : seq (N * N)).

Definition total_of xs : N := foldr (fun x t => add x.2 t) zero xs.

(* The coefficients of each exponent add up to 0. *)
Fixpoint cancel (fuel : nat) xs : bool :=
  match fuel, xs with
  | _, [::] => true
  | O, _ => false
  | k.+1, x :: _ => same (total_of (filter (fun z => same x.1 z.1) xs)) zero &&
                    cancel k (filter (fun z => ~~ same x.1 z.1) xs)
  end.

Lemma total_of_real xs : real (total_of xs) = \sum_(x <- xs) real x.2.
Proof. by elim: xs => [|x xs IH]; rewrite ?big_nil ?real0 // big_cons [total_of _]/= realD IH. Qed.

Lemma cancel_sound (f : N -> R) fuel xs : (forall a b, same a b -> f a = f b) -> cancel fuel xs ->
  \sum_(x <- xs) f x.1 * real x.2 = 0.
Proof.
move=> fs; elim: fuel xs => [|n IH] [|x xs] //; rewrite ?big_nil //.
rewrite -[cancel _ _]/(same (total_of (filter (fun z => same x.1 z.1) (x :: xs))) zero &&
  cancel n (filter (fun z => ~~ same x.1 z.1) (x :: xs))).
move: (x :: xs) => ys /andP[/same_real + /IH others]; rewrite real0 total_of_real big_filter => total.
rewrite (bigID (fun z => same x.1 z.1)) /= -[X in _ + X]big_filter others Rplus_0_r.
rewrite (eq_bigr (fun z => f x.1 * real z.2)) => [|z /fs -> //].
by rewrite -sum_mull total Rmult_0_r.
Qed.

Definition powers_in (P : Z) (unit : N) xs : interval N :=
  isum P [seq imul P (iexp P (ratio P unit x.1)) (exactly x.2) | x <- xs].

Lemma powers_contain P unit xs : contains (powers_in P unit xs) (\sum_(x <- xs) exp (real x.1 / real unit) * real x.2).
Proof.
rewrite /powers_in; elim: xs => [|x xs IH]; rewrite ?big_nil; first exact: contains0.
rewrite big_cons; apply: iadd_contains => //; apply: imul_contains; last exact: exactly_contains.
by apply: iexp_contains; exact: ratio_contains.
Qed.

(* How the sum compares with 0; open where these bits do not tell. *)
Definition powers_sign (unit : N) xs : option comparison :=
  let at_bits P := let J := powers_in P unit xs in
    if is_positive J then Some Gt else if is_positive (iopp J) then Some Lt else None in
  if at_bits 192%Z is Some c then Some c
  else if cancel (size xs) xs then Some Eq else at_bits 3072%Z.

(* What a sign says of a number. *)
Definition sign_of (o : option comparison) (x : R) : Prop :=
  match o with Some Gt => 0 < x | Some Eq => x = 0 | Some Lt => x < 0 | None => True end.

Lemma powers_sign_sound unit xs : sign_of (powers_sign unit xs) (\sum_(x <- xs) exp (real x.1 / real unit) * real x.2).
Proof.
set x := \sum_(x <- xs) _; have H P : contains (powers_in P unit xs) x := powers_contain P unit xs.
have at_bits P : sign_of (if is_positive (powers_in P unit xs) then Some Gt
    else if is_positive (iopp (powers_in P unit xs)) then Some Lt else None) x.
  case: ifP => [/(is_positive_real (H P)) // | _]; case: ifP => //= /(is_positive_real (iopp_contains (H P))).
  by lra.
rewrite /powers_sign; case E: (if is_positive _ then _ else _) => [c|]; first by rewrite -E; exact: at_bits.
case: ifP => [zero_sum | _]; last exact: at_bits.
by apply: (@cancel_sound (fun a => exp (real a / real unit)) _ _ _ zero_sum) => a b /same_real ->.
Qed.

(* ---- of tokens: the denominator and the numerators of the best one's products and of another's ---- *)

Implicit Types (best other : N * seq N).

Definition class_terms (own : nat) best other : seq (N * N) :=
  let b := nth zero best.2 own in
  let o := nth zero other.2 own in
  [seq let h := sub x.1 b in (h, sub (mul (sub x.2 o) best.1) (mul h other.1)) | x <- zip best.2 other.2].

Definition class_sign (own : nat) best other : option comparison := powers_sign best.1 (class_terms own best other).

Definition unit_inputs (bias : seq N) (bu : N) best : seq N :=
  [seq add (mul x.1 bu) (mul x.2 best.1) | x <- zip best.2 bias].

(* Of one unit: what it is given, its r and the two numerators. *)
Definition unit_part (ua ut : N) (x : N * N * (N * N)) : N :=
  if lt zero x.1.1 then mul x.1.2 (sub (mul x.2.1 ut) (mul x.2.2 ua)) else zero.

Definition unit_sign (second bias : seq N) (bu : N) (label : bool) best other : option comparison :=
  let z := unit_inputs bias bu best in
  if all (fun x => [|| same x.2 zero, lt zero x.1 | lt x.1 zero]) (zip z second) then
    let total := sum_row [seq unit_part best.1 other.1 x | x <- zip (zip z second) (zip best.2 other.2)] in
    let gap := if label then total else opp total in
    if lt zero gap then Some Gt else if lt gap zero then Some Lt else if same gap zero then Some Eq else None
  else if has (fun x => same x.1 zero && (lt zero x.2 || lt x.2 zero)) (zip z second) then Some Eq else None.

Definition sign_row (A : Type) (sign : A -> N * seq N -> N * seq N -> option comparison) (unit : N) layer
  (rows : seq (seq N))
    (own : A) (pick : nat) (q : sequence N) : seq (option comparison) :=
  let all := [seq numerators_in I unit layer rows c | c <- EqualTokens.classes q] in
  let best := nth (one, [::]) all pick in [seq sign own best x | x <- all].

Definition sign_table_of (A : Type) sign (unit : N) layer (owns : seq A) (picks : seq nat)
  : seq (seq (option comparison)) :=
  [seq sign_row sign unit layer x.1.1.1 x.1.1.2 x.1.2 x.2
  | x <- zip (zip (zip (tokens I) owns) picks) (sequences raw)].

Definition sign_table (picks : seq nat) : seq (seq (option comparison)) :=
  match token_scoring I with
  | SeveralOutputs (ClassLayer classes layer unit) => sign_table_of class_sign unit layer classes picks
  | SeveralOutputs (UnitLayer labels layer unit bias bu second su) =>
      if lt zero bu && lt zero su then sign_table_of (unit_sign second bias bu) unit layer labels picks else [::]
  | _ => [::]
  end.

Lemma sign_scaled o (a x : R) : 0 < a -> sign_of o (a * x) -> sign_of o x.
Proof.
move=> a0; case: o => [[]|] //= H; last by apply: (Rmult_lt_reg_l a) => //; lra.
  by case: (Rmult_integral _ _ H) => // ?; lra.
by apply: (Rmult_lt_reg_l a) => //; lra.
Qed.

(* ---- soundness ---- *)

Section Sound.
Variables (D : token_data N) (picks : seq nat).
Hypotheses (layered : layer_ok I D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation token := (token (problem D)).
Notation all_products layer unit i s u := (layer_product I layer unit i s u).

Let Iok : instance_ok I. Proof. by case/and5P: layered. Qed.
Let MDok : data_ok (merged raw). Proof. by case/and5P: layered. Qed.
Let unit_gt0 : 0 < real (tokens_unit I). Proof. by case/and5P: layered => _ _ /lt_real; rewrite real0. Qed.

Lemma sign_table_of_at (A : Type) (own0 : A) sign unit layer (owns : seq A) j r : let q := sequence_at raw j in
  let at_ s := numerators_in I unit layer (nth [::] (tokens I) j) (nth [::] (EqualTokens.classes q) s) in
  size owns = size (tokens I) -> size picks = size (tokens I) -> (j < size (tokens I))%nat ->
  (nth 0%nat picks j < size (EqualTokens.classes q))%nat -> (r < size (EqualTokens.classes q))%nat ->
  nth None (nth [::] (sign_table_of sign unit layer owns picks) j) r =
    sign (nth own0 owns j) (at_ (nth 0%nat picks j)) (at_ r).
Proof.
move=> q at_ so sp jl pl rl; rewrite /sign_table_of (nth_map ((([::], own0), 0%nat), no_sequence N)); last first.
  by rewrite !size_zip so sp sequences_size !minnn.
rewrite !nth_zip ?size_zip ?so ?sp ?sequences_size ?minnn //= /sign_row.
by rewrite (nth_map (one, [::])) ?size_map // !(nth_map [::]).
Qed.

Lemma sign_at (A : Type) (own0 : A) sign unit layer (owns : seq A) (t : token) : size owns = size (tokens I) ->
  let i := tag (t : data_token D) in
  let at_ s := numerators_in I unit layer (nth [::] (tokens I) i) (nth [::] (EqualTokens.classes (sequence_at raw i)) s)
  in at_token None (sign_table_of sign unit layer owns picks) t =
     sign (nth own0 owns i) (at_ (nth 0%nat picks i)) (at_ (tagged (t : data_token D))).
Proof.
move=> so; have [/eqP sp _] := andP Pok; have sD := layered_groups layered; case: t => i s /=.
have sizes : size (EqualTokens.classes (sequence_at raw i)) = length_of D i.
  by rewrite (layered_length layered) classes_at size_map.
apply: (sign_table_of_at own0) => //; [by rewrite sp | exact: layered_lt layered i | | ]; rewrite sizes.
  exact: picks_lt.
exact: ltn_ord.
Qed.

Theorem class_sign_sound classes layer unit (t : token) :
  token_scoring I = SeveralOutputs (ClassLayer classes layer unit) ->
  sign_of (at_token None (sign_table picks) t) (output_gap alpha t).
Proof.
move=> E; have := layered; rewrite /layer_ok /output_gap /sign_table E => /and5P[_ _ _ _ /and5P[/lt_real]].
rewrite real0 => lu0 k0 sized /eqP sc cl; rewrite (sign_at 0%nat) //=.
set i := tag (t : data_token D); set s := tagged (t : data_token D); set own := nth 0%nat classes i.
have il : (i < size (tokens I))%nat := layered_lt layered i.
have ol : (own < size layer)%nat by apply: (all_nthP 0%nat cl); rewrite sc.
have pl : (nth 0%nat picks i < size (classes_of i))%nat by rewrite -(layered_length layered); exact: picks_lt.
have sl : (s < size (classes_of i))%nat by rewrite -(layered_length layered); exact: ltn_ord.
have [a0 sa Ea] := numerators_contain Iok MDok unit_gt0 lu0 sized il pl.
have [t0 st Et] := numerators_contain Iok MDok unit_gt0 lu0 sized il sl.
move: a0 sa Ea t0 st Et; move: (numerators_in _ _ _ _ (nth [::] _ (nth 0%nat picks i))) => best.
move: (numerators_in _ _ _ _ (nth [::] _ s)) => other a0 sa Ea t0 st Et.
have kE : (size layer).-1.+1 = size layer by rewrite prednK.
set G := (fun t : token => fun u : 'I_(size layer).-1.+1 => _); set y := fun i : data_group D => _.
have yE : (y i : nat) = own by rewrite /y inordK // kE.
pose Z := \sum_v exp (class_start G y alpha i v); have Z0 : 0 < Z := exp_sum_gt0 _ (y i).
apply: (@sign_scaled _ (real best.1 * real other.1 * Z)).
  by apply: Rmult_lt_0_compat => //; exact: Rmult_lt_0_compat.
have bestE v : (v < size layer)%nat ->
    real (nth zero best.2 v) = real best.1 * layer_product I layer unit i (nth 0%nat picks i) v.
  by move=> vl; rewrite -Ea //; field; lra.
have otherE v : (v < size layer)%nat -> real (nth zero other.2 v) = real other.1 * layer_product I layer unit i s v.
  by move=> vl; rewrite -Et //; field; lra.
pose start u :=
  layer_product I layer unit i (nth 0%nat picks i) u - layer_product I layer unit i (nth 0%nat picks i) own.
pose change u := layer_product I layer unit i s u - layer_product I layer unit i s own - start u.
have termsE : \sum_(x <- class_terms own best other) exp (real x.1 / real best.1) * real x.2 =
    \sum_(u < size layer) exp (start u) * (real best.1 * real other.1 * change u).
  rewrite /class_terms big_map (big_nth (zero, zero)) size_zip sa st minnn big_mkord; apply: eq_bigr => u _.
  rewrite nth_zip ?sa ?st //= !realB !realM !realB !bestE ?otherE //; congr (exp _ * _).
    by rewrite /start; field; lra.
  by rewrite /change /start; ring.
have := powers_sign_sound best.1 (class_terms own best other); rewrite termsE; congr (sign_of _ _).
have -> : \sum_(u < size layer) exp (start u) * (real best.1 * real other.1 * change u) =
    \sum_(u < (size layer).-1.+1) exp (start u) * (real best.1 * real other.1 * change u) by rewrite kE.
have startE v : class_start G y alpha i v = start v by rewrite /class_start /G yE.
rewrite /classifier_limit sum_mull; apply: eq_bigr => u _.
have -> : class_change G y alpha t u = change u by rewrite /class_change -/i startE /G yE.
by rewrite /class_limit -/i -/Z startE; field; lra.
Qed.

Theorem unit_sign_sound labels layer unit bias bu second su (t : token) :
  token_scoring I = SeveralOutputs (UnitLayer labels layer unit bias bu second su) -> lt zero bu -> lt zero su ->
  sign_of (at_token None (sign_table picks) t) (output_gap alpha t).
Proof.
move=> E pb ps; have b0 := lt_real pb; have s0 := lt_real ps; rewrite !real0 in b0 s0.
have := layered; rewrite /layer_ok /output_gap /sign_table E pb ps => /and5P[_ _ _ _ /and5P[/lt_real]].
rewrite real0 => lu0 sized /eqP sb /eqP ss /eqP sy; rewrite (sign_at false) //=.
set i := tag (t : data_token D); set s := tagged (t : data_token D).
have il : (i < size (tokens I))%nat := layered_lt layered i.
have pl : (nth 0%nat picks i < size (classes_of i))%nat by rewrite -(layered_length layered); exact: picks_lt.
have sl : (s < size (classes_of i))%nat by rewrite -(layered_length layered); exact: ltn_ord.
have [a0 sa Ea] := numerators_contain Iok MDok unit_gt0 lu0 sized il pl.
have [t0 st Et] := numerators_contain Iok MDok unit_gt0 lu0 sized il sl.
move: a0 sa Ea t0 st Et; move: (numerators_in _ _ _ _ (nth [::] _ (nth 0%nat picks i))) => best.
move: (numerators_in _ _ _ _ (nth [::] _ s)) => other a0 sa Ea t0 st Et.
set zf := (fun t : token => fun u : 'I_(size layer) => _); set r := (fun u : 'I_(size layer) => _).
set yf := fun i : data_group D => _.
have sz : size (unit_inputs bias bu best) = size layer by rewrite size_map size_zip sa sb minnn.
have inputE (u : 'I_(size layer)) : real (nth zero (unit_inputs bias bu best) u) =
    real best.1 * real bu * zf (alpha i) u.
  rewrite (nth_map (zero, zero)) ?size_zip ?sa ?sb ?minnn // nth_zip ?sa ?sb // realD !realM /zf /= -Ea //.
  by rewrite /entry; field; lra.
have c0 : 0 < real best.1 * real bu by exact: Rmult_lt_0_compat.
have secondE (u : 'I_(size layer)) : real (nth zero second u) = real su * r u by rewrite /r /entry; field; lra.
have at_u (u : 'I_(size layer)) : nth (zero, zero) (zip (unit_inputs bias bu best) second) u =
    (nth zero (unit_inputs bias bu best) u, nth zero second u) by rewrite nth_zip ?sz ?ss.
have szs : size (zip (unit_inputs bias bu best) second) = size layer by rewrite size_zip sz ss minnn.
have gi : alpha (group_of t) = alpha i by [].
rewrite /unit_sign; case: ifP => [decided | _]; last first.
  case: ifP => // /(has_nthP (zero, zero))[u]; rewrite szs => ul; have := at_u (Ordinal ul) => /= ->.
  rewrite /= => /andP[/same_real z0 r0] /=; rewrite /units_gap; suff -> : kinked alpha r zf t by [].
  have ze := inputE (Ordinal ul); have re := secondE (Ordinal ul); rewrite /= z0 real0 in ze; rewrite /= in re.
  rewrite /kinked; apply/existsP; exists (Ordinal ul); rewrite gi; apply/andP; split.
    case: Req_EM_T => //= rz; rewrite rz Rmult_0_r in re.
    by case/orP: r0 => /lt_real; rewrite real0 re; lra.
  case: Req_EM_T => //= zn; case: zn; apply: (Rmult_eq_reg_l (real best.1 * real bu)); last by lra.
  by rewrite -ze; ring.
have side (u : 'I_(size layer)) : r u = 0 \/ (lt zero (nth zero (unit_inputs bias bu best) u) /\ 0 < zf (alpha i) u) \/
    zf (alpha i) u < 0.
  have := all_nthP (zero, zero) decided u; rewrite szs => /(_ (ltn_ord u)); rewrite at_u /=; have ze := inputE u.
  case/or3P=> [/same_real | pos | /lt_real]; rewrite ?real0 ?secondE ?inputE.
  - by move=> z; left; case: (Rmult_integral _ _ z) => [h | //]; lra.
  - right; left; split=> //; have := lt_real pos; rewrite real0 ze => z.
    by apply: (Rmult_lt_reg_l (real best.1 * real bu)) => //; rewrite Rmult_0_r; exact: z.
  move=> z; right; right; apply: (Rmult_lt_reg_l (real best.1 * real bu)) => //; rewrite Rmult_0_r; exact: z.
have free : kinked alpha r zf t = false.
  apply/negbTE/negP => /existsP[u /andP[]]; rewrite gi; case: Req_EM_T => //= r0 _; case: Req_EM_T => //= z0 _.
  by case: (side u) => [// | [[_ +] | +]]; rewrite z0; lra.
set total := sum_row _.
have totalE : real total = real su * real best.1 * real other.1 *
    \sum_(u : 'I_(size layer) | Rlt_dec 0 (zf (alpha i) u)) r u * (zf (alpha i) u - zf t u).
  rewrite /total sum_row_real size_map !size_zip sz ss sa st !minnn sum_mull [RHS]big_mkcond.
  apply: eq_bigr => u _; rewrite /entry (nth_map ((zero, zero), (zero, zero))) ?size_zip ?sz ?ss ?sa ?st ?minnn //.
  rewrite !nth_zip ?size_zip ?sz ?ss ?sa ?st ?minnn // /unit_part /=.
  have diff : real su * real best.1 * real other.1 * (r u * (zf (alpha i) u - zf t u)) = real (mul (nth zero second u)
      (sub (mul (nth zero best.2 u) other.1) (mul (nth zero other.2 u) best.1))).
    rewrite realM realB !realM secondE /zf /= -/i -/s -Ea // -Et //; field; lra.
  case: (side u) => [r0 | [[on pos] | neg]].
  - have zero_part : real (mul (nth zero second u)
        (sub (mul (nth zero best.2 u) other.1) (mul (nth zero other.2 u) best.1))) = 0.
      by rewrite realM secondE r0 Rmult_0_r Rmult_0_l.
    by case: ifP => _; rewrite ?zero_part ?real0; case: Rlt_dec => //= _; rewrite r0; ring.
  - by rewrite on -diff; case: Rlt_dec => //= h; case: h; exact: pos.
  case: ifP => [/lt_real | _]; last first.
    by rewrite real0; case: Rlt_dec => //= h; case: (Rlt_asym _ _ h neg).
  by rewrite real0 inputE => z; have := Rmult_lt_compat_l _ _ _ c0 neg; lra.
have k0 : 0 < real su * real best.1 * real other.1 by do 2?apply: Rmult_lt_0_compat.
rewrite /units_gap free gi /yf -/i; set S := \sum_(u | _) _ in totalE *.
have gapE : real (if nth false labels i then total else opp total) =
    real su * real best.1 * real other.1 * (Y labels i * S).
  by rewrite /Y; case: (nth false labels i); rewrite ?realN totalE; ring.
case: ifP => [/lt_real | _]; first by rewrite real0 gapE => H; apply: (@sign_scaled (Some Gt) _ _ k0).
case: ifP => [/lt_real | _]; first by rewrite real0 gapE => H; apply: (@sign_scaled (Some Lt) _ _ k0).
by case: ifP => // /same_real; rewrite real0 gapE => H; apply: (@sign_scaled (Some Eq) _ _ k0).
Qed.

Theorem sign_table_sound (t : token) : fits D (sign_table picks) ->
  sign_of (at_token None (sign_table picks) t) (output_gap alpha t).
Proof.
move=> fitted; have := layered; rewrite /layer_ok.
case E: (token_scoring I) =>
  [labels v unit|scores unit|targets|[classes layer unit|labels layer unit bias bu second su]];
  try by case/and5P.
  by move=> _; exact: class_sign_sound E.
move=> _; case b0 : (lt zero bu); last first.
  move: fitted; rewrite /sign_table E b0 /= => /andP[/eqP sizes _].
  by case: t => i s; have : (i < 0)%nat by rewrite [X in (_ < X)%nat]sizes; exact: ltn_ord.
case s0 : (lt zero su); first exact: unit_sign_sound E b0 s0.
move: fitted; rewrite /sign_table E b0 s0 /= => /andP[/eqP sizes _].
by case: t => i s; have : (i < 0)%nat by rewrite [X in (_ < X)%nat]sizes; exact: ltn_ord.
Qed.
End Sound.
End Instance.
