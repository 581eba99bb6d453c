(* NormFaceKind: the claim `norm-face`, of all solutions in l_1 or l_infinity. What the claim cited shows, a
   norm-optimum whose bounds are one number, is checked with it. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Duality DualNorm ShortestVector SolutionFace Number Rows Entries TokenData
                           Claims MarginChecks OptimalityChecks EnclosureChecks Elimination RankChecks NormChecks
                           NormDistanceChecks FaceChecks ClaimKind NormKinds.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section NormFaceKind.
Variable N : number.

Record norm_face_data := NormFaceData {
  face_of : option (entrywise_data N);   (* of the claim cited; none: it is about another norm *)
  face_tight : seq (seq bool);           (* constraints with margin 1 at every solution *)
  face_modulus : N;
  face_entries : seq (nat * nat);        (* rows and columns: they tell all solutions from each other *)
  face_others : seq (seq (seq N) * N)    (* solutions beside the matrix of the claim cited *)
}.

(* Vectors with margins >= 1 of least norm. *)
Definition solutions (D : token_data N) (alpha : selection (problem D)) (known : entrywise_data N) :
    vec (coord (problem D)) -> Prop :=
  shortest (constraint alpha) (Delta alpha) (fun=> 1) (@norm_value (entrywise_norm_of known) (coord (problem D))).

(* The matrix of the claim cited is one; their dimension is between these bounds; they have these margins of 1. *)
Definition norm_face_says : claim_statement N norm_face_data := fun D alpha x =>
  if face_of x is Some known then
    [/\ solutions alpha known (matrix_real (entrywise_rows known) (real (entrywise_unit known))),
        affine_dimension_at_least (solutions alpha known) (size (face_others x)),
        affine_dimension_at_most (solutions alpha known) (size (face_entries x)) &
        forall t, in_mask (face_tight x) t -> forall w, solutions alpha known w -> margin alpha w t = 1]
  else False.

Definition one_or_largest (norm : entrywise_norm) : bool := if norm is PowerNorm _ _ then false else true.

(* Which entries of a matrix are not those of the first. *)
Definition different (D : token_data N) (first : seq (seq N)) (unit : N) (other : seq (seq N) * N) : seq bool :=
  [seq ~~ equals (mul (at_place first p) other.2) (mul (at_place other.1 p) unit) | p <- matrix_places D].
Definition how_many (n : nat) (masks : seq (seq bool)) : seq nat :=
  foldr (fun (mask : seq bool) counts => [seq (nat_of_bool bc.1 + bc.2)%nat | bc <- zip mask counts]) (nseq n 0%nat)
    masks.
Definition each_alone (n : nat) (masks : seq (seq bool)) : bool :=
  let counts := how_many n masks in all (fun mask => has (fun bc => bc.1 && (bc.2 == 1%nat)) (zip mask counts)) masks.

Definition is_other (D : token_data N) (picks : seq nat) (known : entrywise_data N) (other : seq (seq N) * N) : bool :=
  [&& shaped (left_dimension D) (right_dimension D) other.1, lt zero other.2,
      matrix_separates D picks other.1 other.2 &
      norm_check (entrywise_norm_of known) 0 other.1 other.2 (entrywise_high known)].

(* A constraint of the mask has a multiplier, or margin 1 at the only solution. *)
Definition is_tight (D : token_data N) (known : entrywise_data N) (one : bool) (bnm : bool * (N * N)) : bool :=
  let unit := mul (entrywise_unit known) (mul (token_unit D) (query_unit D)) in
  [|| ~~ bnm.1, lt zero bnm.2.1 | one && same bnm.2.2 unit].

Definition norm_face_check (D : token_data N) (picks : seq nat) (known : entrywise_data N) (x : norm_face_data) :
    bool :=
  let: NormFaceData _ mask modulus entries others := x in
  let lo := entrywise_low known in
  let hi := entrywise_high known in
  let v := entrywise_multipliers known in
  let rows := entrywise_rows known in
  [&& entrywise_check D picks known, one_or_largest (entrywise_norm_of known) &
      same (mul (fraction_num lo) (fraction_den hi)) (mul (fraction_num hi) (fraction_den lo))] &&
  [&& mask_ok D picks mask,
      constraints_all (is_tight D known (size entries == 0%nat)) picks
        (zip_rows mask (zip_rows (numerators v) (margins_of D picks rows))),
      determined_check D picks (entrywise_norm_of known) v (entrywise_dual known) modulus entries,
      all (is_other D picks known) others &
      each_alone (size (matrix_places D)) [seq different D rows (entrywise_unit known) other | other <- others]].

(* ---- entries of their own ---- *)

Lemma nth_how_many n masks i : all (fun m : seq bool => size m == n) masks -> (i < n)%nat ->
  size (how_many n masks) = n /\
  nth 0%nat (how_many n masks) i = \big[addn/0%nat]_(l < size masks) nth false (nth [::] masks l) i.
Proof.
elim: masks => [|m masks IH] /=; first by move=> _ il; rewrite size_nseq big_ord0 nth_nseq il.
case/andP=> /eqP sm sizes il; have [sc E] := IH sizes il; rewrite size_map size_zip sm sc minnn; split=> //.
by rewrite (nth_map (false, 0%nat)) ?size_zip ?sm ?sc ?minnn // nth_zip ?sm ?sc //= E big_ord_recl.
Qed.

Lemma each_alone_sound n masks : all (fun m : seq bool => size m == n) masks -> each_alone n masks ->
  forall l, (l < size masks)%nat -> exists2 i, (i < n)%nat & nth false (nth [::] masks l) i /\
    forall m, (m < size masks)%nat -> m <> l -> nth false (nth [::] masks m) i = false.
Proof.
move=> sizes H l ll; have sl := eqP (all_nthP [::] sizes l ll).
have /(has_nthP (false, 0%nat))[i] := all_nthP [::] H l ll.
rewrite size_zip sl leq_min => /andP[il ic]; have [sn E] := nth_how_many sizes il.
rewrite nth_zip ?sl ?sn //= E => /andP[own /eqP one]; exists i => //; split=> // m lm ml.
move: one; rewrite (bigD1 (Ordinal ll)) //= own add1n => -[] /eqP; rewrite sum_nat_eq0 => /forallP/(_ (Ordinal lm)).
have ne : Ordinal lm <> Ordinal ll by move/(f_equal (@nat_of_ord _)).
by move/implyP=> none; have := none (introN eqP ne); case: (nth false _ i).
Qed.

Lemma different_at (D : token_data N) first unit i : 0 < real unit -> (i < size (matrix_places D))%nat ->
  exists jk : coord (problem D), forall other, 0 < real other.2 ->
    if nth false (different D first unit other) i
    then @matrix_real N D other.1 (real other.2) jk <> @matrix_real N D first (real unit) jk
    else @matrix_real N D other.1 (real other.2) jk = @matrix_real N D first (real unit) jk.
Proof.
move=> u0 il; have := mem_nth (0%nat, 0%nat) il; set p := nth _ _ i => /allpairsP[[j k] [/= ji ki pE]].
rewrite mem_iota /= add0n in ji; rewrite mem_iota /= add0n in ki.
exists (Ordinal ji, Ordinal ki) => other o0; rewrite /different (nth_map (0%nat, 0%nat)) // -/p pE /at_place /=.
rewrite /matrix_real /entry2 /entry /=; set a := nth zero _ k; set b := nth zero (nth [::] other.1 j) k.
case: ifP => [/not_equals_real | /negbFE/equals_real]; rewrite !realM => ne.
  move=> E; apply: ne; apply: (Rmult_eq_reg_r (/ real unit * / real other.2)); last first.
    by apply: Rmult_integral_contrapositive; split; apply: Rinv_neq_0_compat; lra.
  have -> : real a * real other.2 * (/ real unit * / real other.2) = real a / real unit by field; lra.
  by rewrite -E; field; lra.
apply: (Rmult_eq_reg_r (real unit * real other.2)); last first.
  by apply: Rmult_integral_contrapositive; lra.
have -> : real b / real other.2 * (real unit * real other.2) = real b * real unit by field; lra.
by rewrite -ne; field; lra.
Qed.

(* ---- the claim ---- *)

Section Sound.
Variables (D : token_data N) (picks : seq nat) (Dok : data_ok D) (Pok : picks_ok D picks) (known : entrywise_data N).
Let alpha : selection (problem D) := selection_of Pok.
Let norm := entrywise_norm_of known.
Let lo := entrywise_low known.
Let hi := entrywise_high known.
Let bound := entrywise_dual known.
Let v := entrywise_multipliers known.
Let first := @matrix_real N D (entrywise_rows known) (real (entrywise_unit known)).
Let M : vec (coord (problem D)) := combine (constraint alpha) (@coefficient_of N D v) (Delta alpha).
Hypotheses (optimum : entrywise_check D picks known) (linear : one_or_largest norm).
Hypothesis exact : same (mul (fraction_num lo) (fraction_den hi)) (mul (fraction_num hi) (fraction_den lo)).
Notation matrix_place := ('I_(left_dimension D) * 'I_(right_dimension D))%type.
Notation nu := (fraction_real hi).
Notation B := (fraction_real bound).
Notation size_of := (@norm_value norm (coord (problem D))).
Implicit Types (w : vec (coord (problem D))).

Let parts : [/\ [/\ fraction_ok lo, fraction_ok hi & fraction_ok bound], 0 < real (fraction_num hi),
  0 < real (fraction_num bound), total_check D picks v lo bound &
  dual_norm_check norm (entrywise_bits known) (weights D picks v) (weight_unit D v) bound].
Proof.
move: optimum; rewrite /norm /lo /hi /bound /v; case: (known) => n l h rows unit u b bits r.
case/and5P=> /and3P[lok hok bok] /and3P[_ /lt_real h0 /lt_real b0] _ /andP[_ dual] /andP[total _].
by rewrite real0 in h0 b0.
Qed.

Let low : fraction_real lo = nu.
Proof.
have [[/fraction_den_gt0 l0 /fraction_den_gt0 h0 _] _ _ _ _] := parts; move/same_real: exact; rewrite !realM => E.
apply: (Rmult_eq_reg_r (real (fraction_den lo) * real (fraction_den hi))); last first.
  by apply: Rmult_integral_contrapositive; lra.
rewrite /fraction_real; have -> : real (fraction_num lo) / real (fraction_den lo) *
    (real (fraction_den lo) * real (fraction_den hi)) = real (fraction_num lo) * real (fraction_den hi) by field; lra.
by rewrite E; field; lra.
Qed.

Let nu0 : 0 < nu.
Proof. by have [[_ /fraction_den_gt0 h0 _] n0 _ _ _] := parts; exact: Rdiv_lt_0_compat. Qed.

Let said : [/\ forall w, separates alpha w -> nu <= size_of w, separates alpha first & size_of first <= nu].
Proof.
have [below [sep above] _] := entrywise_check_sound Dok Pok optimum.
by split=> // w; rewrite -low; exact: below.
Qed.

Let solution w : separates alpha w -> size_of w <= nu -> solutions alpha known w.
Proof. by have [below _ _] := said => sep above; split=> // w' /below; apply: Rle_trans. Qed.

Let least w : solutions alpha known w -> separates alpha w /\ size_of w <= nu.
Proof. by have [_ sep above] := said; case=> Hw short; split=> //; apply: Rle_trans (short _ sep) above. Qed.

Let vok : vector_ok D picks v.
Proof. by have [_ _ _ /and3P[]] := parts. Qed.

Let multiplier t : constraint alpha t -> 0 <= coefficient_of v t.
Proof. by have [_ _ _ /and3P[_ nn _] _] := parts => ct; exact: nonnegative_check_sound vok nn ct. Qed.

Let value : B * nu <= \sum_(t | constraint alpha t) coefficient_of v t.
Proof.
have [[look _ bok] _ _ total _] := parts; rewrite -low Rmult_comm; exact: total_check_real.
Qed.

Let weightsE : @matrix_real N D (weights D picks v) (real (weight_unit D v)) = M.
Proof. exact: weights_real. Qed.

Let along w : solutions alpha known w -> dot M w <= B * nu.
Proof.
have [[_ _ bok] _ b0 _ dual] := parts; have b1 := Rdiv_lt_0_compat _ _ b0 (fraction_den_gt0 bok).
case/least=> _ small.
have eok : exponent_ok norm (entrywise_bits known) by move: linear; rewrite /norm; case: (entrywise_norm_of known).
have := dual_norm_check_sound eok (weights_shaped Dok Pok vok) (weight_unit_gt0 Dok vok) bok b0 dual w.
rewrite weightsE => H; apply: Rle_trans H _; apply: Rmult_le_compat_l small; exact: Rlt_le.
Qed.

Let positive_multiplier t : in_mask (positive v) t -> constraint alpha t /\ 0 < coefficient_of v t.
Proof.
have /and3P[_ fv _] := vok; rewrite /in_mask /positive (at_token_map zero) // => /lt_real; rewrite real0 => p0.
have c0 : 0 < coefficient_of v t by exact: Rdiv_lt_0_compat p0 (denominator_gt0 vok).
split=> //; case: (boolP (constraint alpha t)) => // nt; have := coefficient_off vok nt; lra.
Qed.

Lemma tight_at_multipliers t w : in_mask (positive v) t -> solutions alpha known w -> margin alpha w t = 1.
Proof.
case/positive_multiplier=> ct c0 sw; have [sep _] := least sw.
exact: (tight_row multiplier value sep (along sw) ct c0).
Qed.

Lemma settled_entry w w' (jk : matrix_place) : solutions alpha known w -> solutions alpha known w' ->
  ~~ is_free_in D norm v bound (weights D picks v) (jk.1 : nat, jk.2 : nat) -> w jk = w' jk.
Proof.
case/least=> Hw sw /least[Hw' sw'] free; have [[_ _ bok] _ b0 _ dual] := parts.
have u0 := weight_unit_gt0 Dok vok; have sh := weights_shaped Dok Pok vok; have bd0 := fraction_den_gt0 bok.
have entryM : M jk = entry2 (weights D picks v) jk.1 jk.2 / real (weight_unit D v) by rewrite -weightsE.
move: linear sw sw' dual free; rewrite /is_free_in /at_place -/(entry2 _ _ _) /size_of.
case: norm => // _ sw sw' /= dual.
  have small k : Rabs (M k) <= B by rewrite -weightsE; exact: (max_norm_check sh u0 bok).
  move/not_le_real; rewrite (realM (magnitude _)) (realM (fraction_num _)) magnitude_real => strict.
  have short : Rabs (M jk) < B.
    rewrite entryM Rabs_div ?(Rabs_pos_eq (real (weight_unit D v))); try lra.
    apply: (Rmult_lt_reg_r (real (weight_unit D v) * real (fraction_den bound))); first exact: Rmult_lt_0_compat.
    have -> : B * (real (weight_unit D v) * real (fraction_den bound)) =
      real (fraction_num bound) * real (weight_unit D v).
      by rewrite /fraction_real; field; lra.
    have -> : Rabs (entry2 (weights D picks v) jk.1 jk.2) / real (weight_unit D v) *
      (real (weight_unit D v) * real (fraction_den bound)) =
      Rabs (entry2 (weights D picks v) jk.1 jk.2) * real (fraction_den bound) by field; lra.
    exact: strict.
  by rewrite (zero_entry multiplier value Hw small sw short) (zero_entry multiplier value Hw' small sw' short).
have small : sum_norm M <= B by rewrite -weightsE; exact: (sum_norm_check sh u0 bok).
move/not_equals_real; rewrite real0 => ne.
have ne' : M jk <> 0 by rewrite entryM => /Rmult_integral[// | z]; have := Rinv_0_lt_compat _ u0; lra.
exact: (same_entry multiplier value Hw Hw' small (Rlt_le _ _ nu0) sw sw' ne').
Qed.

Theorem face_dimension_at_most modulus entries : determined_check D picks norm v bound modulus entries ->
  affine_dimension_at_most (solutions alpha known) (size entries).
Proof.
move=> check; pose C : pred matrix_place := fun jk => (jk.1 : nat, jk.2 : nat) \in entries.
exists C; split.
  rewrite cardE -(size_map (fun jk : matrix_place => (jk.1 : nat, jk.2 : nat))); apply: uniq_leq_size.
    by rewrite map_inj_uniq ?enum_uniq // => -[j k] [j' k'] [/val_inj -> /val_inj ->].
  by move=> p /mapP[jk]; rewrite mem_enum => inC ->.
move=> w w' sw sw' same_there; apply: vec_ext => jk.
suff : (w - w')%V jk = 0 by rewrite /vsub; lra.
apply: (@determined_sound N D picks norm v bound Dok Pok (w - w')%V modulus entries check).
- move=> t it.
  by rewrite dotBr -/(margin alpha w t) -/(margin alpha w' t) !tight_at_multipliers //; ring.
- by move=> jk' free; rewrite /vsub (settled_entry sw sw' free); ring.
by move=> jk' inC; rewrite /vsub (same_there jk' inC); ring.
Qed.

Let primal : shaped (left_dimension D) (right_dimension D) (entrywise_rows known) /\ 0 < real (entrywise_unit known).
Proof.
move: optimum; case: (known) => n l h rows unit u b bits r.
by case/and5P=> _ _ /and4P[sh /lt_real u0 _ _] _ _; rewrite real0 in u0.
Qed.

Lemma first_solution : solutions alpha known first.
Proof. by have [_ sep above] := said; exact: solution. Qed.

Lemma other_solution other : is_other D picks known other ->
  0 < real other.2 /\ solutions alpha known (@matrix_real N D other.1 (real other.2)).
Proof.
have [[_ hok _] h0 _ _ _] := parts; case/and4P=> sh /lt_real; rewrite real0 => o0 sep small; split=> //.
apply: solution; first exact: matrix_separates_sound.
have eok : exponent_ok norm 0 by move: linear; rewrite /norm; case: (entrywise_norm_of known).
exact: (norm_check_sound eok sh o0 hok h0 small).
Qed.

Theorem face_dimension_at_least others : all (is_other D picks known) others ->
  each_alone (size (matrix_places D))
    [seq different D (entrywise_rows known) (entrywise_unit known) other | other <- others] ->
  affine_dimension_at_least (solutions alpha known) (size others).
Proof.
move=> all_others alone; have [_ u0] := primal; pose other l := nth ([::], zero) others l.
have is_other_at l : (l < size others)%nat -> is_other D picks known (other l) by exact: all_nthP.
set masks := map _ _ in alone; have sm : size masks = size others by rewrite size_map.
have sizes : all (fun m : seq bool => size m == size (matrix_places D)) masks.
  apply/(all_nthP [::]) => k; rewrite size_map => kl; by rewrite (nth_map ([::], zero)) // size_map.
have maskE l : (l < size others)%nat ->
    nth [::] masks l = different D (entrywise_rows known) (entrywise_unit known) (other l).
  by move=> ll; rewrite (nth_map ([::], zero)).
pose point l := @matrix_real N D (other l).1 (real (other l).2).
have [own H] : exists own : 'I_(size others) -> coord (problem D), forall l : 'I_(size others),
    point l (own l) <> first (own l) /\ forall m : 'I_(size others), m <> l -> point m (own l) = first (own l).
  apply: (@fin_all_exists _ (fun=> coord (problem D)) (fun (l : 'I_(size others)) jk =>
    point l jk <> first jk /\ forall m : 'I_(size others), m <> l -> point m jk = first jk)) => l.
  have ll : (l < size masks)%nat by rewrite sm.
  have [i il [mine others_agree]] := each_alone_sound sizes alone ll.
  have [jk at_jk] := different_at (entrywise_rows known) u0 il; exists jk; split.
    have [o0 _] := other_solution (is_other_at l (ltn_ord l)); have := at_jk _ o0.
    by rewrite -maskE // mine.
  move=> m ml; have [o0 _] := other_solution (is_other_at m (ltn_ord m)); have := at_jk _ o0.
  by rewrite -maskE // others_agree ?sm // => E; apply: ml; apply: val_inj.
apply: (dimension_by_entries (v := fun l => point l) (own := own) first_solution) => [l | l | l m ml].
- by have [_] := other_solution (is_other_at l (ltn_ord l)).
- by have [] := H l.
by have [_] := H l; apply.
Qed.

Theorem tight_everywhere mask (entries : seq (nat * nat)) : mask_ok D picks mask ->
  affine_dimension_at_most (solutions alpha known) (size entries) ->
  constraints_all (is_tight D known (size entries == 0%nat)) picks
    (zip_rows mask (zip_rows (numerators v) (margins_of D picks (entrywise_rows known)))) ->
  forall t, in_mask mask t -> forall w, solutions alpha known w -> margin alpha w t = 1.
Proof.
move=> mok most H t it w sw; have [sh u0] := primal; have /and3P[_ fv _] := vok; have [fm _] := andP mok.
have ct := mask_constraint Pok mok it; have fr := fits_margins Pok (entrywise_rows known).
have := constraints_allP (false, (zero, zero)) (fits_zip fm (fits_zip fv fr)) H ct.
rewrite at_token_zip //=; last exact: fits_zip.
rewrite at_token_zip //= /is_tight /= -/(in_mask mask t) it /= => /orP[pos | /andP[/eqP one /same_real tight]].
  by apply: tight_at_multipliers => //; rewrite /in_mask /positive (at_token_map zero).
have -> : w = first by apply: only_one sw first_solution; rewrite -one.
have xz0 := units_gt0 Dok; rewrite /first (margins_real Dok Pok t sh); last by lra.
have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok.
rewrite value_at_token tight !realM; field; lra.
Qed.
End Sound.

Theorem norm_face_check_sound (D : token_data N) picks (Dok : data_ok D) (Pok : picks_ok D picks) known x :
  face_of x = Some known -> norm_face_check D picks known x -> norm_face_says (selection_of Pok) x.
Proof.
case: x => of_claim mask modulus entries others /= -> /andP[/and3P[optimum linear exact]].
case/and5P=> mok tight determined all_others alone; rewrite /norm_face_says /=.
have most := face_dimension_at_most Dok Pok optimum linear exact determined; split=> //.
- exact: first_solution.
- exact: (face_dimension_at_least Dok Pok optimum linear exact all_others alone).
exact: (tight_everywhere Dok optimum linear exact mok most tight).
Qed.

Definition norm_face_claim_check : claim_checker N norm_face_data := fun quick D picks cited x =>
  if face_of x is Some known then accept (norm_face_check D picks known x) Nothing else None.

Theorem norm_face_holds : check_holds norm_face_says norm_face_claim_check.
Proof.
move=> quick D picks Dok Pok cited x f _; rewrite /norm_face_claim_check; case E: (face_of x) => [known |] //.
by move=> /acceptP[H <-]; split=> //; exact: norm_face_check_sound E H.
Qed.

Definition norm_face_kind : claim_kind N := ClaimKind norm_face_holds.
End NormFaceKind.
