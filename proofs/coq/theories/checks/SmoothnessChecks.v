(* SmoothnessChecks: the verified checker's upper bound of T6's Lipschitz constant of the gradient of the training
   loss.

   Score ranges and diameters of the groups are exact integers; the slopes and curvatures of the loss on those ranges,
   and the sum, are enclosed by interval arithmetic. Arguments of the exponential are cut off at 4096, where e^-u is
   negligible. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Losses Smoothness Number Rows TokenData MarginChecks GramBound Interval
                           Elementary IntervalTables AttentionIntervals.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- bounds of |l'| and of the Lipschitz constant of l' on a range of scores ---- *)

Definition cut_off : R := 4096.

Definition slope_most (l : loss_name) (lo : R) : R :=
  match l with
  | Logistic => / (1 + exp (Rmin lo cut_off))
  | Exponential => exp (- Rmin lo cut_off)
  | Correlation | CrossEntropy => 1
  end.

(* The least |u| of the range, or less. *)
Definition nearest (lo hi : R) : R := Rmin (Rmax (Rmax 0 lo) (- hi)) cut_off.

Definition curvature_most (l : loss_name) (lo hi : R) : R :=
  match l with
  | Logistic => let q := exp (- nearest lo hi) in q / ((1 + q) * (1 + q))
  | Exponential => exp (- Rmin lo cut_off)
  | Correlation | CrossEntropy => 0
  end.

Lemma slope_most_bound l lo hi x : everywhere l -> lo <= x <= hi -> Rabs (dloss (loss_of l) x) <= slope_most l lo.
Proof.
have cut := Rmin_l lo cut_off; move=> + H; have H' : Rmin lo cut_off <= x <= hi by lra.
by case: l => // _; [exact: logistic_slope H' | exact: exponential_slope H' | exact: correlation_slope].
Qed.

Lemma nearest_ge0 lo hi : 0 <= nearest lo hi.
Proof.
apply: Rmin_glb; last by rewrite /cut_off; lra.
exact: Rle_trans (Rmax_l 0 lo) (Rmax_l _ _).
Qed.

Lemma nearest_le lo hi u : lo <= u <= hi -> nearest lo hi <= Rabs u.
Proof.
move=> [h1 h2]; apply: Rle_trans (Rmin_l _ _) _; apply: Rmax_lub; first apply: Rmax_lub.
- exact: Rabs_pos.
- by have := Rle_abs u; lra.
- by have := Rle_abs (- u); rewrite Rabs_Ropp; lra.
Qed.

Lemma curvature_most_bound l lo hi x y : everywhere l -> lo <= x <= hi -> lo <= y <= hi ->
  Rabs (dloss (loss_of l) x - dloss (loss_of l) y) <= curvature_most l lo hi * Rabs (x - y).
Proof.
have cut := Rmin_l lo cut_off; move=> + Hx Hy; case: l => //= _; last exact: correlation_curvature.
  exact: (logistic_curvature (nearest_ge0 lo hi) (@nearest_le lo hi) Hx Hy).
by apply: (@exponential_curvature _ hi); lra.
Qed.

Lemma curvature_most_ge0 l lo hi : 0 <= curvature_most l lo hi.
Proof.
case: l => /=; [| exact/Rlt_le/exp_pos | lra | lra].
by have := exp_pos (- nearest lo hi) => q0; apply/Rlt_le/Rdiv_lt_0_compat => //; apply: Rmult_lt_0_compat; lra.
Qed.

(* beta is a Lipschitz constant of the gradient of the training loss. *)
Definition gradient_lipschitz_with (p : selection_problem) (l : loss_name) (beta : R) : Prop :=
  forall w w' : vec (coord p), vdist (gradient (loss_of l) w') (gradient (loss_of l) w) <= beta * vdist w' w.

Section Intervals.
Variables (N : number) (P : Z).
Implicit Types (I J : interval N).

Definition whole_number (n : nat) : interval N := exactly (of_nat N n).

Lemma whole_number_contains n : contains (whole_number n) (INR n).
Proof. by rewrite -(of_nat_real N n); exact: exactly_contains. Qed.

Definition cut I : interval N := imin P I (dyadic one 12).

Lemma cut_contains I x : contains I x -> contains (cut I) (Rmin x cut_off).
Proof.
move=> H; apply: imin_contains => //; have := @dyadic_contains N one 12; rewrite real1 Rmult_1_l.
by rewrite (_ : power 12 = cut_off) // /power /cut_off /=; ring.
Qed.
Definition slope_most_interval (l : loss_name) (lo : interval N) : interval N :=
  match l with
  | Logistic => idiv P (interval1 N) (iadd P (interval1 N) (iexp P (cut lo)))
  | Exponential => iexp P (iopp (cut lo))
  | Correlation | CrossEntropy => interval1 N
  end.

Lemma slope_most_contains l I lo : contains I lo -> contains (slope_most_interval l I) (slope_most l lo).
Proof.
move/cut_contains => H; case: l => /=; [| | exact: contains1 | exact: contains1].
  rewrite -[/ _]Rmult_1_l; apply: idiv_contains; first exact: contains1.
  by apply: iadd_contains; [exact: contains1 | exact: iexp_contains].
by apply: iexp_contains; exact: iopp_contains.
Qed.

Definition curvature_most_interval (l : loss_name) (lo hi : interval N) : interval N :=
  match l with
  | Logistic =>
      let q := iexp P (iopp (cut (imax P (imax P (interval0 N) lo) (iopp hi)))) in
      let one_more := iadd P (interval1 N) q in idiv P q (imul P one_more one_more)
  | Exponential => iexp P (iopp (cut lo))
  | Correlation | CrossEntropy => interval0 N
  end.

Lemma curvature_most_contains l I J lo hi : contains I lo -> contains J hi ->
  contains (curvature_most_interval l I J) (curvature_most l lo hi).
Proof.
move=> HI HJ; case: l => /=; [| | exact: contains0 | exact: contains0].
  have q : contains (iexp P (iopp (cut (imax P (imax P (interval0 N) I) (iopp J))))) (exp (- nearest lo hi)).
    apply/iexp_contains/iopp_contains/cut_contains/imax_contains; last exact: iopp_contains.
    by apply: imax_contains => //; exact: contains0.
  have more := iadd_contains P (contains1 N) q.
  by apply: idiv_contains => //; exact: imul_contains.
by apply/iexp_contains/iopp_contains; exact: cut_contains.
Qed.
End Intervals.

(* ---- exact ranges and distances ---- *)

Section Exact.
Variable N : number.
Implicit Types (row u v : seq N) (rows : seq (seq N)).

Definition least_entry row : N := foldr (@smaller N) (head zero row) row.
Definition greatest_entry row : N := foldr (@greater N) (head zero row) row.

Lemma least_le row j : (j < size row)%nat -> real (least_entry row) <= entry row j.
Proof.
rewrite /least_entry; move: (head zero row) => a; elim: row j => [|b row IH] [|j] //= jl; rewrite smaller_real.
  exact: Rmin_l.
by apply: Rle_trans (Rmin_r _ _) _; exact: IH.
Qed.

Lemma le_most row j : (j < size row)%nat -> entry row j <= real (greatest_entry row).
Proof.
rewrite /greatest_entry; move: (head zero row) => a; elim: row j => [|b row IH] [|j] //= jl; rewrite greater_real.
  exact: Rmax_l.
by apply: Rle_trans (Rmax_r _ _); exact: IH.
Qed.

(* ||u - v||^2 *)
Definition distance2 u v : N := let w := axpy (opp one) u v in dot_rows w w.

Fixpoint diameter2 rows : N :=
  if rows is row :: rows' then foldr (fun u m => greater (distance2 row u) m) (diameter2 rows') rows' else zero.

Variable d : nat.

Lemma distance2_real u v : size u = d -> size v = d ->
  real (distance2 u v) = \sum_(j < d) (entry u j - entry v j) * (entry u j - entry v j).
Proof.
move=> su sv; rewrite /distance2 (@dot_rows_real _ _ _ d) ?size_axpy ?su ?sv ?minnn //; apply: eq_bigr => j _.
by rewrite entry_axpy ?su ?sv // realN real1; ring.
Qed.

Lemma diameter2_spec rows : all (fun row => size row == d) rows -> 0 <= real (diameter2 rows) /\
  forall s t, (s < size rows)%nat -> (t < size rows)%nat ->
    real (distance2 (nth [::] rows s) (nth [::] rows t)) <= real (diameter2 rows).
Proof.
elim: rows => [|row rows IH] /=; first by rewrite real0; split=> //; lra.
case/andP=> /eqP sr Hr; have [IH0 IHd] := IH Hr.
have fold_le (us : seq (seq N)) m : real m <= real (foldr (fun u k => greater (distance2 row u) k) m us) /\
    forall t, (t < size us)%nat -> real (distance2 row (nth [::] us t)) <=
      real (foldr (fun u k => greater (distance2 row u) k) m us).
  elim: us => [|u us [IHm IHu]] /=; first by split=> //; lra.
  rewrite greater_real; split; first by apply: Rle_trans IHm (Rmax_r _ _).
  by case=> [_ | t tl]; [apply: Rmax_l | apply: Rle_trans (IHu t tl) (Rmax_r _ _)].
have [base first] := fold_le rows (diameter2 rows).
split=> [|[|s] [|t]]; first by lra.
- by move=> _ _; rewrite (distance2_real sr sr) sum0 => [|j _]; [lra | ring].
- by move=> _ tl; apply: first.
- move=> sl _; apply: Rle_trans (first s sl); right.
  have ss : size (nth [::] rows s) = d by apply/eqP; apply: (all_nthP [::] Hr).
  by rewrite /= (distance2_real ss sr) (distance2_real sr ss); apply: eq_bigr => j _; ring.
- by move=> sl tl; apply: Rle_trans base; apply: IHd.
Qed.
End Exact.

(* ---- the bound ---- *)

Section Bound.
Variables (N : number) (D : token_data N) (picks : seq nat) (P : Z) (l : loss_name).
Implicit Types (q : sequence N).

Definition feature_diameter2 q : N := mul (diameter2 (token_rows q)) (dot_rows (query_row q) (query_row q)).

(* M1 G D^2 / (6 sqrt 3) + M0 G^2 D^2 / 16 *)
Definition group_term q : interval N :=
  let low := least_entry (score_row q) in
  let high := greatest_entry (score_row q) in
  let spread := sub high low in
  let length := feature_diameter2 q in
  if same spread zero || same length zero then interval0 N
  else
    let lo := ratio P (score_unit D) low in
    let hi := ratio P (score_unit D) high in
    let G := ratio P (score_unit D) spread in
    let units := mul (token_unit D) (query_unit D) in
    let D2 := ratio P (mul units units) length in
    let six_root_three := imul P (whole_number N 6) (isqrt P (whole_number N 3)) in
    iadd P (idiv P (imul P (imul P (slope_most_interval P l lo) G) D2) six_root_three)
           (idiv P (imul P (imul P (curvature_most_interval P l lo hi) (imul P G G)) D2) (whole_number N 16)).

Definition smoothness_interval : interval N :=
  isum P [seq imul P (group_share D P) (group_term q) | q <- sequences D].

Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Notation group := (data_group D).

Definition low_score (i : group) : R := real (least_entry (score_row (sequence_at D i))) / real (score_unit D).
Definition high_score (i : group) : R := real (greatest_entry (score_row (sequence_at D i))) / real (score_unit D).
Definition diameter_of (i : group) : R :=
  sqrt (real (feature_diameter2 (sequence_at D i)) / (real (token_unit D) * real (query_unit D) *
    (real (token_unit D) * real (query_unit D)))).

Lemma score_between (t : token (problem D)) : low_score (tag (t : data_token D)) <= score t <=
  high_score (tag (t : data_token D)).
Proof.
have u0 := Rinv_0_lt_compat _ (score_unit_gt0 Dok); have /and4P[_ _ /eqP ss _] :=
  sequences_ok Dok (ltn_ord (tag (t : data_token D))).
have tl : (tagged (t : data_token D) < size (score_row (sequence_at D (tag (t : data_token D)))))%nat by rewrite ss;
  apply: ltn_ord.
by split; apply: Rmult_le_compat_r; try lra; [apply: least_le | apply: le_most].
Qed.

Lemma feature_distance (t u : token (problem D)) : group_of t = group_of u ->
  vnorm (feature t - feature u)%V <= diameter_of (tag (t : data_token D)).
Proof.
case: t => i s; case: u => j r /= ij; move: r; rewrite -{j}ij => r; apply: sqrt_le_1_alt.
have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok.
have /and4P[Hr /eqP sq _ _] := sequences_ok Dok (ltn_ord i).
pose xd (k : 'I_(left_dimension D)) := / real (token_unit D) *
  (entry2 (token_rows (sequence_at D i)) s k - entry2 (token_rows (sequence_at D i)) r k).
pose zd (k : 'I_(right_dimension D)) := / real (query_unit D) * entry (query_row (sequence_at D i)) k.
have E : (outer (@x N D (token_of s)) (z i) - outer (@x N D (token_of r)) (z i))%V = outer xd zd.
  by apply: vec_ext => k; rewrite /vsub /outer /x /z /xd /zd /=; field; lra.
rewrite [X in vnorm2 X]E /vnorm2 dot_outer /feature_diameter2 realM (@dot_rows_real _ _ _ (right_dimension D)) ?sq //.
have size_row (k : 'I_(length_of D i)) : size (nth [::] (token_rows (sequence_at D i)) k) = left_dimension D.
  by apply/eqP; apply: (all_nthP [::] Hr).
have [_ /(_ s r (ltn_ord s) (ltn_ord r))] := diameter2_spec Hr; rewrite (distance2_real (size_row s) (size_row r)).
set a := \sum_(k < _) _; set b := \sum_(k < right_dimension D) _ => le_a.
have b0 : 0 <= b by apply: sum_ge0 => k _; apply: Rle_0_sqr.
have -> : dot xd xd = / real (token_unit D) * / real (token_unit D) * a.
  by rewrite /dot /a sum_mull; apply: eq_bigr => k _; rewrite /xd /entry2; ring.
have -> : dot zd zd = / real (query_unit D) * / real (query_unit D) * b.
  by rewrite /dot /b sum_mull; apply: eq_bigr => k _; rewrite /zd; ring.
have -> : / real (token_unit D) * / real (token_unit D) * a * (/ real (query_unit D) * / real (query_unit D) * b) =
          a * b / (real (token_unit D) * real (query_unit D) * (real (token_unit D) * real (query_unit D)))
            by field; lra.
apply: Rmult_le_compat_r; last exact: Rmult_le_compat_r.
by apply/Rlt_le/Rinv_0_lt_compat/Rmult_lt_0_compat; apply: Rmult_lt_0_compat.
Qed.

Let M1 i := slope_most l (low_score i).
Let M0 i := curvature_most l (low_score i) (high_score i).
Let G i := high_score i - low_score i.

Lemma diameter_square (i : group) : diameter_of i * diameter_of i =
  real (feature_diameter2 (sequence_at D i)) / (real (token_unit D) * real (query_unit D) *
    (real (token_unit D) * real (query_unit D))).
Proof.
have x0 := token_unit_gt0 Dok; have z0 := query_unit_gt0 Dok; have /and4P[Hr _ _ _] := sequences_ok Dok (ltn_ord i).
apply: sqrt_sqrt; apply: Rmult_le_pos; last by apply/Rlt_le/Rinv_0_lt_compat/Rmult_lt_0_compat;
  apply: Rmult_lt_0_compat.
rewrite /feature_diameter2 realM; apply: Rmult_le_pos; first by have [] := diameter2_spec Hr.
by rewrite (@dot_rows_real _ _ _ (size (query_row (sequence_at D i)))) //; apply: sum_ge0 => k _; apply: Rle_0_sqr.
Qed.

Lemma group_term_contains (i : group) : contains (group_term (sequence_at D i))
  (M1 i * G i * (diameter_of i * diameter_of i) / (6 * sqrt 3) + M0 i * (G i * G i) *
    (diameter_of i * diameter_of i) / 16).
Proof.
have su0 := score_unit_gt0 Dok.
have GE : G i = real (sub (greatest_entry (score_row (sequence_at D i))) (least_entry (score_row (sequence_at D i))))
  / real (score_unit D).
  by rewrite /G /high_score /low_score realB; field; lra.
rewrite /group_term; case: ifP => [/orP[] /same_real E | _].
- have -> : G i = 0 by rewrite GE E real0 /Rdiv Rmult_0_l.
  by rewrite !(Rmult_0_r, Rmult_0_l) /Rdiv !Rmult_0_l Rplus_0_r; exact: contains0.
- by rewrite diameter_square E real0 /Rdiv !(Rmult_0_r, Rmult_0_l) Rplus_0_r; exact: contains0.
have n6 := whole_number_contains N 6; have n3 := whole_number_contains N 3; have n16 := whole_number_contains N 16.
have [e6 [e3 e16]] : INR 6 = 6 /\ INR 3 = 3 /\ INR 16 = 16 by rewrite !INR_IZR_INZ.
rewrite e6 in n6; rewrite e3 in n3; rewrite e16 in n16.
have D2 : contains (ratio P (mul (mul (token_unit D) (query_unit D)) (mul (token_unit D) (query_unit D)))
  (feature_diameter2 (sequence_at D i)))
    (diameter_of i * diameter_of i) by rewrite diameter_square -!realM; exact: ratio_contains.
have lo := ratio_contains P (score_unit D) (least_entry (score_row (sequence_at D i))).
have hi := ratio_contains P (score_unit D) (greatest_entry (score_row (sequence_at D i))).
have g : contains (ratio P (score_unit D) (sub (greatest_entry (score_row (sequence_at D i)))
  (least_entry (score_row (sequence_at D i))))) (G i).
  by rewrite GE; exact: ratio_contains.
apply: iadd_contains; apply: idiv_contains => //; do ?[apply: imul_contains => //].
- exact: slope_most_contains.
- exact: isqrt_contains.
- exact: curvature_most_contains.
Qed.

Notation T6_constant := (smoothness (p := problem D) low_score high_score diameter_of M1 M0).

Lemma smoothness_interval_contains : contains smoothness_interval T6_constant.
Proof.
rewrite /smoothness /smoothness_interval; apply: isum_contains; first by rewrite size_map.
move=> i; rewrite (nth_map (no_sequence N)) //; apply: imul_contains; first exact: group_share_contains.
exact: group_term_contains.
Qed.

Hypothesis all_outputs : everywhere l.

(* The upper end of the interval bounds T6's constant, so anything above it is a Lipschitz constant. *)
Theorem smoothness_interval_sound : exists2 b, contains smoothness_interval b &
  forall beta, b <= beta -> gradient_lipschitz_with (problem D) l beta.
Proof.
exists T6_constant; first exact: smoothness_interval_contains.
move=> beta le w w'; apply: (smoothness_sound (selection_of Pok) (l := loss_of l) _ _ _ _ _ le)
  => [t | t u | i v | i v v' | i].
- exact: score_between.
- exact: feature_distance.
- exact: slope_most_bound all_outputs.
- exact: curvature_most_bound all_outputs.
- exact: curvature_most_ge0.
Qed.

(* Steps of gradient descent that are short against it decrease the loss. *)
Theorem smoothness_interval_descent : exists2 b, contains smoothness_interval b &
  forall (w : vec (coord (problem D))) eta, 0 <= eta -> eta * b <= 1 ->
    training_loss (loss_of l) (w - eta * gradient (loss_of l) w)%V <=
    training_loss (loss_of l) w - eta / 2 * vnorm2 (gradient (loss_of l) w).
Proof.
exists T6_constant; first exact: smoothness_interval_contains.
move=> w eta eta0; apply: (descent_step (selection_of Pok) (l := loss_of l)
  _ _ _ _ _ (fun _ _ => everywhere_domain _ all_outputs) w eta0)
  => [t | t u | i v | i v v' | i].
- exact: score_between.
- exact: feature_distance.
- exact: slope_most_bound all_outputs.
- exact: curvature_most_bound all_outputs.
- exact: curvature_most_ge0.
Qed.

Definition smoothness_check (beta : fraction N) : bool :=
  fraction_ok beta && certainly_le (imul P smoothness_interval (exactly (fraction_den beta)))
    (exactly (fraction_num beta)).

Theorem smoothness_check_sound beta : smoothness_check beta ->
  gradient_lipschitz_with (problem D) l (fraction_real beta).
Proof.
case/andP=> /fraction_den_gt0 b0 H; have [b Hb sound] := smoothness_interval_sound; apply: sound.
have := certainly_le_real (imul_contains P Hb (exactly_contains (fraction_den beta)))
  (exactly_contains (fraction_num beta)) H.
move=> le; apply: (Rmult_le_reg_r (real (fraction_den beta))) => //.
by rewrite /fraction_real /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r //; lra.
Qed.
End Bound.
