(* DominationChecks: from which later step on every selected token has more than half of its group's attention.

   After n steps the height has grown by at least Y (from the claimed growth); from then on the claimed path bound
   keeps every margin above its least value over the rest of the path (lowest_margin), and sum e^-margin < 1 in every
   group. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Claims Direction Path Growth Region Saturation LockIn Runs Forever Number
                           Rows TokenData MarginChecks OptimalityChecks EnclosureChecks Interval Elementary
                           IntervalTables AttentionIntervals ReferenceIntervals RegionIntervals ForeverChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Domination.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation Q := (constraint alpha).
Variables (l : loss_name) (f : enclosed_reference N) (w : point N) (s : step_rule N) (first : nat) (c : conclusion N).

(* A lower bound of the sum of the first n later steps. *)
Definition total_in (n : nat) : interval :=
  let S := fraction_in P (spec_step s) in
  let early := exactly (of_natural N first.+1) in let late := exactly (of_natural N (first + n).+1) in
  match spec_schedule s with
  | Constant => imul P S (exactly (of_natural N n))
  | Inverse => imul P S (isub P (ilog P late) (ilog P early))
  | InverseRoot => imul P (imul P (interval2 N) S) (isub P (isqrt P late) (isqrt P early))
  end.

(* y_n - y_0 is at least this; it is never negative. *)
Definition rise_in (n : nat) : interval :=
  let grown := imul P (fraction_in P (said_growth c)) (total_in n) in
  let risen :=
    if said_logarithmic c then
      let start := iexp P (iopp (imul P (margin_in f) (point_height w))) in
      idiv P (ilog P (iadd P (interval1 N) (imul P grown start))) (margin_in f)
    else grown in
  imax P risen (interval0 N).

Definition late_margins (n : nat) : seq (seq interval) :=
  let M := fraction_in P (said_path c) in
  let rise := rise_in n in
  let square := iadd P (fraction_in P (said_excess c)) (imul P M rise) in   (* x^2 after n steps *)
  let x := isqrt P square in
  let least slope spread :=
    let z := imax P x (idiv P (imul P spread M) (imul P (interval2 N) slope)) in
    isub P (imul P slope (iadd P rise (idiv P (isub P (imul P z z) square) M))) (imul P spread z) in
  combine_tables (iadd P) (point_margins w) (combine_tables least (slopes_in f)
    (map_rows (isqrt P) (square_spreads D P picks f))).

(* Given lower bounds of the margins after n later steps. *)
Definition late_odds (margins : seq (seq interval)) : seq interval :=
  group_sums P (within (constraint_mask D picks) (interval0 N)
    (by_copies D P picks (map_rows (fun I => iexp P (iopp I)) margins))).

Definition growth_nonnegative : bool := certainly_le (interval0 N) (fraction_in P (said_growth c)).

Definition dominates_with (late : nat -> seq (seq interval)) : bool :=
  if said_dominates c is Some n then growth_nonnegative && all (fun o => certainly_lt o (interval1 N))
    (late_odds (late n)) else true.

Definition domination_check : bool := dominates_with late_margins.

Variables (ws w0 : vec (coord (problem D))) (lam : token (problem D) -> R).
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation centre := (w0 - Direction.height u w0 * u)%V.
Notation M := (fraction_real (said_path c)).
Notation E := (fraction_real (said_excess c)).
Notation G := (fraction_real (said_growth c)).
Notation eta := (later_steps (spec_schedule s) (fraction_real (spec_step s)) first).
Notation y0 := (Direction.height u w0).
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis dir : direction Q (Delta alpha) u gamma mu.
Hypothesis point_in : point_encloses Pok ws l w w0.
Hypotheses (M_gt0 : 0 < M) (E_ge0 : 0 <= E) (step_gt0 : 0 < fraction_real (spec_step s)).

Lemma total_in_contains n : contains (total_in n)
  (total_lower (spec_schedule s) (fraction_real (spec_step s)) first n).
Proof.
have Hs := fraction_in_contains P (spec_step s).
have Hn k : contains (exactly (of_natural N k)) (INR k) by rewrite -(of_natural_real N); exact: exactly_contains.
rewrite /total_in /total_lower; case: (spec_schedule s).
- exact (imul_contains P Hs (Hn n)).
- exact (imul_contains P Hs (isub_contains P (ilog_contains P (Hn (first + n).+1)) (ilog_contains P (Hn first.+1)))).
exact (imul_contains P (imul_contains P (contains2 N) Hs)
         (isub_contains P (isqrt_contains P (Hn (first + n).+1)) (isqrt_contains P (Hn first.+1)))).
Qed.

Definition risen (n : nat) : R :=
  let grown := G * total_lower (spec_schedule s) (fraction_real (spec_step s)) first n in
  if said_logarithmic c then ln (1 + grown * exp (- (gamma * y0))) / gamma else grown.
Definition rise (n : nat) : R := Rmax (risen n) 0.

Lemma rise_in_contains n : contains (rise_in n) (rise n).
Proof.
have [_ Hg _ _ _] := reference_in; have [_ Hh _ _] := point_in.
have Hgrown := imul_contains P (fraction_in_contains P (said_growth c)) (total_in_contains n).
rewrite /rise_in /rise /risen; apply: imax_contains; last exact: contains0.
case: (said_logarithmic c) => //.
exact (idiv_contains P (ilog_contains P (iadd_contains P (contains1 N) (imul_contains P Hgrown
         (iexp_contains P (iopp_contains (imul_contains P Hg Hh)))))) Hg).
Qed.

(* The least margin at heights of at least y_0 + rise n on the path. *)
Definition late_margin (n : nat) t : R :=
  let square := E + M * rise n in let z := Rmax (sqrt square) (Direction.spread (Delta alpha) u t * M /
    (2 * slope (Delta alpha) u t)) in
  margin alpha w0 t + (slope (Delta alpha) u t * (rise n + (z * z - square) / M) -
    Direction.spread (Delta alpha) u t * z).

Lemma late_margins_enclose n : encloses (late_margins n) (late_margin n).
Proof.
have [_ _ Hs _ _] := reference_in; have [Hm _ _ _] := point_in.
have HM := fraction_in_contains P (said_path c); have HR := rise_in_contains n.
have HE := iadd_contains P (fraction_in_contains P (said_excess c)) (imul_contains P HM HR).
have Hd : encloses (map_rows (isqrt P) (square_spreads D P picks f)) (Direction.spread (Delta alpha) u).
  apply: (map_encloses (square_spreads_enclose P Dok reference_in)) => t I HI.
  by have := isqrt_contains P HI; rewrite sqrt_square //; exact: spread_ge0.
apply: (combine_encloses (G := fun t => late_margin n t - margin alpha w0 t) Hm) => [ | t I J HI HJ]; last first.
  by rewrite -(Rplus_minus (margin alpha w0 t) (late_margin n t)); exact: iadd_contains.
apply: (combine_encloses Hs Hd) => t I J HI HJ.
have -> : late_margin n t - margin alpha w0 t =
  let square := E + M * rise n in let z := Rmax (sqrt square) (Direction.spread (Delta alpha) u t * M /
    (2 * slope (Delta alpha) u t)) in
  slope (Delta alpha) u t * (rise n + (z * z - square) / M) - Direction.spread (Delta alpha) u t * z.
  by rewrite /late_margin; move: (margin _ _ _) (_ - _ * Rmax _ _) => a b; lra.
have Hz := imax_contains P (isqrt_contains P HE) (idiv_contains P (imul_contains P HJ HM)
  (imul_contains P (contains2 N) HI)).
exact (isub_contains P (imul_contains P HI (iadd_contains P HR
  (idiv_contains P (isub_contains P (imul_contains P Hz Hz) HE) HM)))
         (imul_contains P HJ Hz)).
Qed.

Section Later.
Variable z : nat -> vec (coord (problem D)).
Hypothesis grows : forall n, if said_logarithmic c then exp (gamma * y0) + G * Growth.total eta n <=
  exp (gamma * Direction.height u (z n))
                             else y0 + G * Growth.total eta n <= Direction.height u (z n).

Lemma height_rises k : 0 <= G -> y0 <= Direction.height u (z k).
Proof.
move=> G0; have GT := Rmult_le_pos _ _ G0 (total_ge0 (fun j => Rlt_le _ _ (later_steps_gt0 (spec_schedule s) step_gt0
  first j)) k).
have g0 := dir_margin_gt0 dir; have := grows k; case: (said_logarithmic c) => h; last by lra.
by apply: Rnot_lt_le => lt; have := exp_increasing _ _ (Rmult_lt_compat_l _ _ _ g0 lt); lra.
Qed.

Lemma risen_le n k : 0 <= G -> (n <= k)%nat -> y0 + risen n <= Direction.height u (z k).
Proof.
move=> G0 nk; have g0 := dir_margin_gt0 dir.
have T : total_lower (spec_schedule s) (fraction_real (spec_step s)) first n <= Growth.total eta k.
  exact (Rle_trans _ _ _ (total_lower_le (spec_schedule s) step_gt0 first n)
    (total_later_mono (spec_schedule s) step_gt0 first nk)).
have GT := Rmult_le_compat_l _ _ _ G0 T; have up := height_rises k G0; have := grows k; rewrite /risen.
case: (said_logarithmic c) => h; last by apply: Rle_trans h; exact: Rplus_le_compat_l GT.
set a := G * total_lower _ _ _ _ in GT *; have e0 := exp_pos (gamma * y0); have e1 := exp_pos (- (gamma * y0)).
have i0 := Rinv_0_lt_compat _ g0.
suff H : ln (1 + a * exp (- (gamma * y0))) <= gamma * Direction.height u (z k) - gamma * y0.
  have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ i0) H.
  have -> : (gamma * Direction.height u (z k) - gamma * y0) * / gamma = Direction.height u (z k) - y0 by field; lra.
  by rewrite /Rdiv; lra.
have ee : exp (gamma * y0) * exp (- (gamma * y0)) = 1 by rewrite -exp_plus Rplus_opp_r exp_0.
have B : 1 + a * exp (- (gamma * y0)) <= exp (gamma * Direction.height u (z k)) * exp (- (gamma * y0)).
  rewrite -ee -Rmult_plus_distr_r; apply: Rmult_le_compat_r; first lra.
  exact: Rle_trans (Rplus_le_compat_l _ _ _ GT) h.
case: (Rle_lt_dec (1 + a * exp (- (gamma * y0))) 0) => pos.
  rewrite /ln; case: Rlt_dec => p; first by case: (Rle_not_lt _ _ pos p).
  by have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ g0) up; lra.
rewrite -exp_plus in B.
have -> : gamma * Direction.height u (z k) - gamma * y0 =
  ln (exp (gamma * Direction.height u (z k) + - (gamma * y0))).
  by rewrite ln_exp; ring.
exact: ln_le_ln.
Qed.

Lemma rise_le n k : 0 <= G -> (n <= k)%nat -> y0 + rise n <= Direction.height u (z k).
Proof.
move=> G0 nk; have h1 := risen_le G0 nk; have h2 := height_rises k G0; rewrite /rise.
by rewrite /Rmax; case: Rle_dec => _; lra.
Qed.

Section Late.
Variables (late : nat -> seq (seq interval)) (margins : nat -> token (problem D) -> R).
Hypothesis enclosed : forall n, encloses (late n) (margins n).
Hypothesis below : forall n k t, 0 <= rise n -> y0 + rise n <= Direction.height u (z k) -> Q t ->
  margins n t <= margin alpha (z k) t.

Lemma late_odds_enclose n : @column_encloses N D (late_odds (late n))
  (fun i => \sum_(t : token (problem D) | group_of t == i)
    (if in_mask (constraint_mask D picks) t then copies alpha t * exp (- margins n t) else 0)).
Proof.
have H : encloses (map_rows (fun I => iexp P (iopp I)) (late n)) (fun t => exp (- margins n t)).
  by apply: (map_encloses (enclosed n)) => t I HI; exact (iexp_contains P (iopp_contains HI)).
have [fo Ho] := by_copies_encloses P Dok Pok H.
exact (group_sums_enclose P (within_encloses (F := fun t => copies alpha t * exp (- margins n t))
  (fits_constraint_mask Pok) (contains0 N) fo (fun t _ => Ho t))).
Qed.

Lemma group_dominates n k (i : data_group D) : growth_nonnegative ->
  certainly_lt (nth (Everything N) (late_odds (late n)) i) (interval1 N) -> (n <= k)%nat ->
    1 / 2 < attention (z k) (alpha i).
Proof.
move=> G0 odds nk; have G_ge0 := certainly_le_real (contains0 N) (fraction_in_contains P (said_growth c)) G0.
have rise_ge0 : 0 <= rise n by exact: Rmax_r.
have later := rise_le G_ge0 nk; have [_ Hsum] := late_odds_enclose n.
have lt1 := certainly_lt_real (Hsum i) (contains1 N) odds.
have le : Saturation.odds alpha (z k) i <= \sum_(t : token (problem D) | group_of t == i)
    (if in_mask (constraint_mask D picks) t then copies alpha t * exp (- margins n t) else 0).
  rewrite -big_mkcondr; apply: Rle_trans (odds_le (low := margins n) _) _ => [t /andP[Qt _]|].
    exact: below.
  by right; apply: eq_bigl => t; rewrite /others (in_constraint_mask Pok) andbC.
have o0 := odds_ge0 alpha (z k) i; rewrite (attention_selected alpha (z k) i) /Rdiv Rmult_1_l.
by apply: Rinv_lt_contravar; [apply: Rmult_lt_0_compat; lra | lra].
Qed.

Lemma dominates_with_sound : dominates_with late -> forall n, said_dominates c = Some n ->
  forall k i, (n <= k)%nat -> 1 / 2 < attention (z k) (alpha i).
Proof.
move=> checked n dE k i; move: checked; rewrite /dominates_with dE => /andP[G0 odds].
by apply: (group_dominates G0); have [so _] := late_odds_enclose n; have := all_nthP (Everything N) odds i;
  rewrite so => /(_ (ltn_ord i)).
Qed.
End Late.

(* On the path that the conclusion claims. *)
Hypothesis on_path : forall n, vnorm2 (residual u centre (z n)) <= E + M * (Direction.height u (z n) - y0).

Lemma late_margin_le n k t : 0 <= rise n -> y0 + rise n <= Direction.height u (z k) -> Q t ->
  late_margin n t <= margin alpha (z k) t.
Proof.
move=> r0 later Qt; have g0 := slope_gt0 dir Qt; have d0 := spread_ge0 (Delta alpha) u t.
have sq0 : 0 <= E + M * rise n by have := Rmult_le_pos _ _ (Rlt_le _ _ M_gt0) r0; lra.
have orth := centre_orthogonal dir w0.
have x2 : vnorm (residual u centre (z k)) * vnorm (residual u centre (z k)) <=
    sqrt (E + M * rise n) * sqrt (E + M * rise n) + M * (Direction.height u (z k) - (y0 + rise n)).
  by rewrite vnorm_sqr sqrt_sqrt //; have := on_path k; lra.
have low := lowest_margin_le (dot (Delta alpha t) centre) g0 d0 M_gt0 (sqrt_pos _) later (vnorm_ge0 _) x2.
apply: Rle_trans (margin_lower dir orth (z k) t); apply: Rle_trans low; right.
rewrite /lowest_margin /late_margin dotBr dotZr -/(slope (Delta alpha) u t) -/(margin alpha w0 t) sqrt_sqrt //; ring.
Qed.

Theorem dominates_sound : domination_check -> forall n, said_dominates c = Some n ->
  forall k i, (n <= k)%nat -> 1 / 2 < attention (z k) (alpha i).
Proof. by apply: (dominates_with_sound late_margins_enclose) => n k t; exact: late_margin_le. Qed.
End Later.
End Domination.
