(* TokenTrees: matrices of which few entries are not 0, as trees of intervals by the entries' keys (TokenPlaces.v): sums
   over tokens, the norm, and a step. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks Interval
                           IntervalTables TokenPlaces.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Trees.
Variables (N : number) (P : Z).
Notation interval := (interval N).
Implicit Types (T V : tree N) (k : positive).

(* The sum of squares. *)
Fixpoint tree_squares T : interval :=
  if T is Node l v h then iadd P (tree_squares l) (iadd P (imul P v v) (tree_squares h)) else interval0 N.

(* T + r V *)
Fixpoint tree_moved (r : interval) T V : tree N :=
  if V is Node l v h then
    Node (tree_moved r (low_of T) l) (iadd P (value_of T) (imul P r v)) (tree_moved r (high_of T) h)
  else T.

Definition put_row T (keys : seq positive) (row : seq interval) : tree N :=
  foldl (fun T kI => tree_with (fun J => iadd P J kI.2) kI.1 T) T (zip keys row).

(* Each number added at its key. *)
Definition put_table (keys : seq (seq positive)) (m : seq (seq interval)) : tree N :=
  foldl (fun T kI => put_row T kI.1 kI.2) Leaf (zip keys m).

(* ---- what a tree contains ---- *)

Lemma zero_only (x : R) : contains (interval0 N) x -> x = 0.
Proof. by case; rewrite real0; lra. Qed.

Lemma low_at T k : tree_at k (low_of T) = tree_at (xO k) T.
Proof. by case: T => [|l v h] //=; exact: leaf_at. Qed.

Lemma high_at T k : tree_at k (high_of T) = tree_at (xI k) T.
Proof. by case: T => [|l v h] //=; exact: leaf_at. Qed.

Lemma tree_moved_at r T V k (a x y : R) : contains r a -> contains (tree_at k T) x -> contains (tree_at k V) y ->
  contains (tree_at k (tree_moved r T V)) (x + a * y).
Proof.
move=> Hr; elim: V T k => [|l IHl v h IHh] T k HT /=.
  by rewrite leaf_at => /zero_only ->; rewrite Rmult_0_r Rplus_0_r.
case: k HT => [k|k|] HT HV /=.
- by apply: IHh HV; rewrite high_at.
- by apply: IHl HV; rewrite low_at.
by apply: iadd_contains; [case: T HT | exact: imul_contains].
Qed.

Lemma put_row_at n T keys row k (x : R) (F : 'I_n -> R) : size keys = n -> size row = n ->
  (forall s : 'I_n, contains (nth (Everything N) row s) (F s)) -> contains (tree_at k T) x ->
  contains (tree_at k (put_row T keys row)) (x + \sum_(s < n) if Pos.eqb (nth xH keys s) k then F s else 0).
Proof.
elim: keys n T row x F => [|key keys IH] [|n] T [|I row] x F //= => [_ _ _|[sk] [sr] H HT].
  by rewrite big_ord0 Rplus_0_r.
rewrite big_ord_recl -Rplus_assoc.
have HI : contains I (F ord0) := H ord0.
rewrite /put_row /= -/(put_row _ keys row).
apply: (IH n _ row _ (fun s => F (lift ord0 s)) sk sr (fun s => H (lift ord0 s))).
rewrite tree_at_with /= Pos.eqb_sym; case: Pos.eqb; last by rewrite Rplus_0_r.
exact: iadd_contains.
Qed.

Lemma put_rows_at n T keys m k (x : R) (G : 'I_n -> R) : size keys = n -> size m = n ->
  (forall i : 'I_n, forall T' y, contains (tree_at k T') y ->
     contains (tree_at k (put_row T' (nth [::] keys i) (nth [::] m i))) (y + G i)) -> contains (tree_at k T) x ->
  contains (tree_at k (foldl (fun T kI => put_row T kI.1 kI.2) T (zip keys m))) (x + \sum_(i < n) G i).
Proof.
elim: keys n T m x G => [|row keys IH] [|n] T [|I m] x G //= => [_ _ _|[sk] [sm] H HT].
  by rewrite big_ord0 Rplus_0_r.
rewrite big_ord_recl -Rplus_assoc; apply: (IH n _ m _ (fun i => G (lift ord0 i)) sk sm).
  by move=> i; exact: (H (lift ord0 i)).
exact: (H ord0).
Qed.

(* ---- the sum of squares ---- *)

Let is_low k : bool := if k is xO _ then true else false.
Let is_one k : bool := if k is xH then true else false.
Let is_high k : bool := if k is xI _ then true else false.
Let rest k : positive := if k is (xO k' | xI k') then k' else xH.

Lemma tree_squares_sum T (A : finType) (p : pred A) (f : A -> positive) (F : A -> R) :
  (forall a b, p a -> p b -> f a = f b -> a = b) ->
  (forall k, contains (tree_at k T) (\sum_(a | p a && Pos.eqb (f a) k) F a)) ->
  contains (tree_squares T) (\sum_(a | p a) F a * F a).
Proof.
elim: T p f => [|l IHl v h IHh] p f inj H /=.
  rewrite big1 => [|a pa]; first exact: contains0.
  have := H (f a); rewrite leaf_at => /zero_only; rewrite (bigD1 a) /=; last by rewrite pa Pos.eqb_refl.
  rewrite big1 => [|b /andP[/andP[pb /Pos.eqb_eq E] ne]]; first by rewrite Rplus_0_r => ->; ring.
  by case/eqP: ne; exact: inj.
have -> : \sum_(a | p a) F a * F a = (\sum_(a | p a && is_low (f a)) F a * F a) +
    ((\sum_(a | p a && is_one (f a)) F a * F a) + \sum_(a | p a && is_high (f a)) F a * F a).
  rewrite (bigID (fun a => is_low (f a))) /=; congr (_ + _); rewrite (bigID (fun a => is_one (f a))) /=.
  by congr (_ + _); apply: eq_bigl => a; case: (f a) => *; rewrite ?andbT ?andbF.
apply: iadd_contains; [|apply: iadd_contains].
- apply: (IHl _ (fun a => rest (f a))) => [a b /andP[pa la] /andP[pb lb]|k].
    move: la lb (inj a b pa pb); case: (f a) => // x; case: (f b) => // y _ _ /= one e.
    by apply: one; rewrite e.
  have := H (xO k); congr contains; apply: eq_bigl => a; case: (f a) => * //=; by rewrite ?andbT ?andbF.
- have := H xH => /= Hv; set s := \sum_(_ | _) F _ in Hv.
  suff -> : \sum_(a | p a && is_one (f a)) F a * F a = s * s by exact: imul_contains.
  have E a : p a && Pos.eqb (f a) 1 = p a && is_one (f a) by case: (f a).
  rewrite /s (eq_bigl _ _ E); have [a Pa|none] := pickP (fun a => p a && is_one (f a)); last first.
    by rewrite !big_pred0 //; ring.
  have alone b : p b && is_one (f b) && (b != a) = false.
    apply/negbTE/negP => /andP[/andP[pb ob] /eqP]; apply; have /andP[pa oa] := Pa; apply: inj => //.
    by move: oa ob; case: (f a) => //; case: (f b).
  by rewrite !(bigD1 a Pa) /= !big_pred0 //; ring.
apply: (IHh _ (fun a => rest (f a))) => [a b /andP[pa la] /andP[pb lb]|k].
  move: la lb (inj a b pa pb); case: (f a) => // x; case: (f b) => // y _ _ /= one e.
  by apply: one; rewrite e.
have := H (xI k); congr contains; apply: eq_bigl => a; case: (f a) => * //=; by rewrite ?andbT ?andbF.
Qed.
End Trees.

(* ---- matrices ---- *)

Section Entries.
Variables (N : number) (D : token_data N) (picks : seq nat) (pairs : seq (nat * nat)) (P : Z).
Hypotheses (Dok : data_ok D) (Sok : token_stage_ok D picks pairs).
Implicit Types (w v : vec (coord (problem D))) (k : positive) (T V : tree N).

Definition at_key w k : R := \sum_(jk | Pos.eqb (@coordinate_key N D jk) k) w jk.

(* 0 where nothing has the key. *)
Definition tree_encloses T w : Prop := forall k, contains (tree_at k T) (at_key w k).

Lemma at_own_key w jk : at_key w (coordinate_key jk) = w jk.
Proof.
rewrite /at_key (bigD1 jk) ?Pos.eqb_refl //= big1 ?Rplus_0_r // => jk' /andP[/Pos.eqb_eq E ne].
by case/eqP: ne; exact: coordinate_key_inj.
Qed.

Lemma tree_entry T w jk : tree_encloses T w -> contains (tree_at (coordinate_key jk) T) (w jk).
Proof. by move=> H; rewrite -at_own_key. Qed.

Lemma leaf_encloses : tree_encloses Leaf vzero.
Proof. by move=> k; rewrite leaf_at /at_key big1 //; exact: contains0. Qed.

Lemma tree_moved_encloses I T V w v (r : R) : contains I r -> tree_encloses T w -> tree_encloses V v ->
  tree_encloses (tree_moved P I T V) (w + r * v)%V.
Proof.
move=> HI HT HV k; have -> : at_key (w + r * v)%V k = at_key w k + r * at_key v k.
  by rewrite /at_key sum_mull -sumD.
exact: tree_moved_at.
Qed.

Lemma tree_norm_contains T w : tree_encloses T w -> contains (isqrt P (tree_squares P T)) (vnorm w).
Proof.
move=> HT; apply: isqrt_contains; apply: (tree_squares_sum P (p := predT) (f := @coordinate_key N D)) => [a b _ _|k].
  exact: coordinate_key_inj.
exact: HT.
Qed.

Lemma combined_at_key (F : token (problem D) -> R) k : at_key (combine predT F (@feature (problem D))) k =
  \sum_(t : token (problem D)) if Pos.eqb (at_token xH (key_table D) t) k then F t else 0.
Proof.
rewrite /at_key /combine big_mkcond.
rewrite (eq_bigr (fun jk => \sum_(t : token (problem D))
    if Pos.eqb (@coordinate_key N D jk) k then F t * feature t jk else 0)) => [|jk _]; last first.
  by case: Pos.eqb => //; rewrite big1.
rewrite exchange_big; apply: eq_bigr => t _; rewrite (key_at Dok Sok).
rewrite (bigD1 (token_coordinate Dok Sok t)) // (place_feature Dok Sok) eqxx Rmult_1_r big1 => [|jk].
  exact: Rplus_0_r.
by move=> /andP[_ /negbTE ne]; rewrite (place_feature Dok Sok) ne Rmult_0_r; case: Pos.eqb.
Qed.

Theorem put_table_encloses m (F : token (problem D) -> R) : encloses m F ->
  tree_encloses (put_table P (key_table D) m) (combine predT F (@feature (problem D))).
Proof.
case=> fm Hm k; rewrite combined_at_key (@sum_tokens N D).
have fk : fits D (key_table D) by exact: fits_keys.
have [/eqP sk _] := andP fk; have [/eqP sm _] := andP fm.
rewrite -[X in contains _ X]Rplus_0_l.
apply: (put_rows_at sk sm) => [i T y HT|]; last by rewrite leaf_at; exact: contains0.
by apply: put_row_at HT; [exact: fits_row fk (ltn_ord i) | exact: fits_row fm (ltn_ord i) |
  move=> s; exact: (Hm (token_of s))].
Qed.
End Entries.
