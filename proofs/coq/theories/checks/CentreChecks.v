(* CentreChecks: T15's centre at one point, enclosed, of any head from a table of its factors' limits (BalancedCentre.v;
   RUNS.md section 5, "The centre").

   pull is a combination of the active constraints near the residual e_0 that the balancing centre leaves at the
   point; least bounds the eigenvalues of their Gram matrix from below. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Direction ActiveStep BoundedSelection BalancedCentre Saturation
                           Enclosure Number Rows Entries TokenData MarginChecks OptimalityChecks GramBound
                           EnclosureChecks Interval Elementary IntervalTables AttentionIntervals ReferenceIntervals
                           RegionIntervals ForeverChecks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Centre.
Variables (N : number) (D : token_data N) (P : Z) (picks : seq nat).
Hypotheses (Dok : data_ok D) (Pok : picks_ok D picks).
Let alpha : selection (problem D) := selection_of Pok.
Notation interval := (interval N).
Notation Q := (constraint alpha).
Implicit Types (t : token (problem D)) (m : seq (seq interval)).

(* limit_in: b_inf_c on S; the others as in BalancedCentre.v. *)
Variables (f : enclosed_reference N) (w : point N) (limit_in : seq (seq interval)).
Variables (least : fraction N) (hints : gram_hints N) (pull : vector N).

(* A sum over the active constraints. *)
Definition active_sum m : interval := isum P (group_sums P (within (active_in f) (interval0 N) m)).

Definition log_limit_in : seq (seq interval) :=
  combine_tables (fun I J => ilog P (idiv P I J)) limit_in (weights_in f).
Definition mean_limit_in : interval := active_sum (combine_tables (imul P) (weights_in f) log_limit_in).
Definition wanted_in : seq (seq interval) :=
  combine_tables (fun I J => isub P I (isub P J mean_limit_in)) (excess_margins P f w) log_limit_in.
Definition missing_in : seq (seq interval) :=
  combine_tables (isub P) wanted_in (exact_table P (margin_unit D pull) (margins D picks pull)).
Definition centre_slack_in : interval :=
  isqrt P (idiv P (active_sum (map_rows (fun I => imul P I I) missing_in)) (fraction_in P least)).
Definition pulled_square_in : interval :=
  let unit := weight_unit D pull in ratio P (mul unit unit) (energy pull (margins D picks pull)).
(* <w_0 - y_0 u, pulled> *)
Definition start_pulled_in : interval :=
  active_sum (combine_tables (imul P) (exact_table P (denominator pull) (numerators pull)) (excess_margins P f w)).

(* At least x_0 = ||e_0||, and ||p||. *)
Definition start_distance_in : interval := iadd P (isqrt P pulled_square_in) centre_slack_in.
Definition centre_norm_in : interval :=
  let square := imul P (point_residual w) (point_residual w) in
  iadd P (isqrt P (iadd P (isub P square (imul P (interval2 N) start_pulled_in)) pulled_square_in)) centre_slack_in.

Definition centre_check : bool :=
  [&& is_positive (fraction_in P least), gram_check (wide N) D picks (active_in f) hints least,
    vector_ok D picks pull &
      all_within (fun a => same a zero) (map_rows negb (active_in f)) (numerators pull)].

Variables (l : loss_name) (ws w0 : vec (coord (problem D))) (lam binf : token (problem D) -> R).
Notation u := (margin_direction ws).
Notation gamma := (Saturation.margin_value ws).
Notation mu := (multiplier_weights alpha lam).
Notation S := (Direction.active Q mu).
Notation values := (@coefficient_of N D pull).
Notation y0 := (Direction.height u w0).
Hypothesis reference_in : reference_encloses Pok f ws lam.
Hypothesis dir : direction Q (Delta alpha) u gamma mu.
Hypothesis point_in : point_encloses Pok ws l w w0.
Hypotheses (limit_in_encloses : encloses limit_in binf) (limit_gt0 : forall t, S t -> 0 < binf t).
Hypothesis checked : centre_check.

Lemma in_active t : in_mask (active_in f) t = S t.
Proof. by have [_ _ _ _ [_ ->]] := reference_in. Qed.

Lemma fits_active : fits D (active_in f).
Proof. by have [_ _ _ _ []] := reference_in. Qed.

Lemma active_sum_contains m F : fits D m -> (forall t, S t -> contains (at_token (Everything N) m t) (F t)) ->
  contains (active_sum m) (\sum_(t | S t) F t).
Proof.
move=> fm Hm; rewrite (eq_bigl (in_mask (active_in f))) => [|t]; last by rewrite in_active.
rewrite big_mkcond; apply: table_sum_contains; apply: (within_encloses fits_active (contains0 N) fm) => t it.
by apply: Hm; rewrite -in_active.
Qed.

Lemma weights_in_active : fits D (weights_in f) /\ forall t, S t ->
  contains (at_token (Everything N) (weights_in f) t) (mu t).
Proof. by have [_ _ _ [fw Hw] _] := reference_in; split=> // t; have := Hw t; rewrite in_active => + St;
  rewrite St. Qed.

Lemma at_token_combine g m m' t : fits D m -> fits D m' ->
  at_token (Everything N) (combine_tables g m m') t = g (at_token (Everything N) m t) (at_token (Everything N) m' t).
Proof. by move=> fm fm'; rewrite (at_token_map (Everything N, Everything N)) ?at_token_zip //; exact: fits_zip. Qed.

Lemma fits_combine g m m' : fits D m -> fits D m' -> fits D (combine_tables g m m').
Proof. by move=> fm fm'; apply: fits_map; exact: fits_zip. Qed.

Lemma log_limit_in_active : fits D log_limit_in /\
  forall t, S t -> contains (at_token (Everything N) log_limit_in t) (log_limit mu binf t).
Proof.
have [fl Hl] := limit_in_encloses; have [fw Hw] := weights_in_active.
split=> [|t St]; first exact: fits_combine.
by rewrite at_token_combine //; exact (ilog_contains P (idiv_contains P (Hl t) (Hw t St))).
Qed.

Lemma mean_limit_contains : contains mean_limit_in (mean_limit Q mu binf).
Proof.
have [fl Hl] := log_limit_in_active; have [fw Hw] := weights_in_active.
apply: (active_sum_contains (fits_combine _ fw fl)) => t St.
by rewrite at_token_combine //; exact (imul_contains P (Hw t St) (Hl t St)).
Qed.

Lemma pull_off t : ~~ S t -> values t = 0.
Proof.
move=> St; have /and4P[_ _ vok H] := checked; have /and3P[_ fv _] := vok.
have fn : fits D (map_rows negb (active_in f)) by apply: fits_map; exact: fits_active.
have it : in_mask (map_rows negb (active_in f)) t.
  by rewrite /in_mask (at_token_map false) ?fits_active // -/(in_mask _ _) in_active.
have /same_real E := all_withinP zero fn fv H it.
by rewrite /coefficient_of /coefficient /entry -/(at_token zero (numerators pull) t) E real0 /Rdiv Rmult_0_l.
Qed.

Lemma pulled_combination : pulled Q (Delta alpha) mu values = W alpha values.
Proof.
apply: vec_ext => j; rewrite /pulled /W /combine [LHS]big_mkcond [RHS]big_mkcond; apply: eq_bigr => t _.
case St: (S t); first by case/activeP: St => ->.
by rewrite (pull_off (negbT St)) Rmult_0_l; case: (Q t).
Qed.

Lemma missing_in_active : fits D missing_in /\ forall t, S t ->
  contains (at_token (Everything N) missing_in t) (missing Q (Delta alpha) u gamma mu w0 binf values t).
Proof.
have [fl Hl] := log_limit_in_active; have [fe He] := excess_margins_enclose P reference_in point_in.
have /and4P[_ _ vok _] := checked.
have [fm Hm] : encloses (exact_table P (margin_unit D pull) (margins D picks pull)) (margin alpha (W alpha values)).
  by apply: exact_table_encloses => [|t]; [exact: fits_margins
    | rewrite (MarginChecks.margin_of_matrix Dok Pok t vok)].
have fw : fits D wanted_in by exact: fits_combine.
split=> [|t St]; first exact: fits_combine.
rewrite (at_token_combine _ _ fw fm) at_token_combine // /missing pulled_combination; apply: isub_contains;
  last exact: Hm.
exact (isub_contains P (He t) (isub_contains P (Hl t St) mean_limit_contains)).
Qed.

Lemma centre_slack_contains :
  contains centre_slack_in (centre_slack Q (Delta alpha) u gamma mu w0 binf (fraction_real least) values).
Proof.
have [fm Hm] := missing_in_active; apply: isqrt_contains; apply: idiv_contains (fraction_in_contains P least).
apply: (active_sum_contains (fits_map _ fm)) => t St.
by rewrite (at_token_map (Everything N)) //; exact (imul_contains P (Hm t St) (Hm t St)).
Qed.

Lemma pulled_square_contains : contains pulled_square_in (vnorm2 (pulled Q (Delta alpha) mu values)).
Proof.
have /and4P[_ _ vok _] := checked.
by rewrite pulled_combination /pulled_square_in (energy_value Dok Pok vok); exact: ratio_contains.
Qed.

Lemma inner_contains : contains start_pulled_in (dot (w0 - y0 * u)%V (pulled Q (Delta alpha) mu values)).
Proof.
have [fe He] := excess_margins_enclose P reference_in point_in; have /and4P[_ _ vok _] := checked.
have /and3P[_ fv _] := vok; have fc : fits D (exact_table P (denominator pull) (numerators pull)) by exact: fits_map.
rewrite dotC dot_combinel; apply: active_sum_contains => [|t St]; first exact: fits_combine.
rewrite at_token_combine // dotBr dotZr -/(Direction.slope (Delta alpha) u t) (active_slope dir St) (Rmult_comm y0).
apply: imul_contains; last exact: He.
by rewrite /exact_table (at_token_map zero) //; exact: ratio_contains.
Qed.

Theorem centre_check_sound : exists centre x n,
  [/\ dot centre u = 0, forall t, S t -> binf t * exp (- dot (Delta alpha t) centre) =
    exp (mean_limit Q mu binf) * mu t,
      contains start_distance_in x /\ vnorm (residual u centre w0) <= x & contains centre_norm_in n /\
        vnorm centre <= n].
Proof.
have /and4P[l0 gram _ _] := checked; have [_ _ Hr _] := point_in.
have least_gt0 : 0 < fraction_real least := is_positive_real (fraction_in_contains P least) l0.
have at_least : gram_at_least S (Delta alpha) (fraction_real least).
  have -> : S = @in_mask N D (active_in f).
    by apply: FunctionalExtensionality.functional_extensionality => t; rewrite in_active.
  exact: gram_check_sound gram.
have [centre [orth balance start bound]] := balanced_centre dir w0 limit_gt0 values least_gt0 at_least.
eexists centre, _, _; split; [exact: orth | exact: balance | split; [ | exact: start] | split; [ | exact: bound]].
  exact (iadd_contains P (isqrt_contains P pulled_square_contains) centre_slack_contains).
apply: iadd_contains centre_slack_contains; rewrite /vnorm vnorm2B; apply: isqrt_contains.
apply: iadd_contains pulled_square_contains; apply: isub_contains;
  last exact (imul_contains P (contains2 N) inner_contains).
by rewrite -vnorm_sqr; exact: imul_contains.
Qed.
End Centre.
