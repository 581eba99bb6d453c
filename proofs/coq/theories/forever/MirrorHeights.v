(* MirrorHeights: what T17 allows of the gap by height, linear between finitely many heights (MIRROR.md section 7), and
   what T17 asks at a height, for p <= 2, from bounds of the ray's entries there (section 11). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection Duality EntrywiseDuality DualNorm PowerInequalities UniformConvexity
                           Direction Gibbs Progress Growth Inside FactorRange Mirror PowerGap MirrorRay MirrorMoves
                           MirrorCurve MirrorEntries MirrorBend MirrorRegion MirrorRun MirrorSpread.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- a function that is linear between X_0, ..., X_K and beyond, and 0 up to X_0 ---- *)

Section PiecewiseLinear.
Variables (K : nat) (X m : nat -> R).
Hypothesis rising : forall k, (k < K)%nat -> X k <= X k.+1.

Definition clipped (lo hi x : R) : R := Rmin (Rmax x lo) hi - lo.
Definition beyond (lo x : R) : R := Rmax x lo - lo.
Definition rise_by_slopes (x : R) : R := \big[Rplus/0]_(k < K) (m k * clipped (X k) (X k.+1) x) + m K * beyond (X K) x.

Local Ltac ends := rewrite /clipped /beyond; repeat match goal with
  | |- context [Rmax ?a ?b] =>
      case: (Rle_lt_dec a b) => ?; [rewrite !(@Rmax_right a b); [|lra..] | rewrite !(@Rmax_left a b); [|lra..]]
  | |- context [Rmin ?a ?b] =>
      case: (Rle_lt_dec a b) => ?; [rewrite !(@Rmin_left a b); [|lra..] | rewrite !(@Rmin_right a b); [|lra..]]
  end; lra.

Lemma clipped_le lo hi x x' : lo <= hi -> x <= x' -> clipped lo hi x <= clipped lo hi x'.
Proof.
by move=> lh xx; ends.
Qed.

Lemma beyond_le lo x x' : x <= x' -> beyond lo x <= beyond lo x'.
Proof. by move=> xx; ends. Qed.

Lemma clipped_same lo hi x x' : lo <= hi -> x <= x' -> x' <= lo \/ hi <= x -> clipped lo hi x = clipped lo hi x'.
Proof.
by move=> lh xx; ends.
Qed.

Lemma beyond_split lo hi x : lo <= hi -> beyond lo x = clipped lo hi x + beyond hi x.
Proof. by move=> lh; ends. Qed.

Lemma clipped_sum n x : (n <= K)%nat ->
  \big[Rplus/0]_(k < n) clipped (X k) (X k.+1) x + beyond (X n) x = beyond (X 0) x.
Proof.
elim: n => [|n IH] le; first by rewrite big_ord0 Rplus_0_l.
by rewrite big_ord_recr /= -(IH (ltnW le)) (beyond_split x (rising le)); exact: Rplus_assoc.
Qed.

Lemma beyond_first x : X 0 <= x -> beyond (X 0) x = x - X 0.
Proof. by move=> le; rewrite /beyond Rmax_left. Qed.

(* At least as steep as every piece between x and x'. *)
Lemma rise_steep s x x' : X 0 <= x <= x' ->
  (forall k, (k <= K)%nat -> X k < x' -> ((k < K)%nat -> x < X k.+1) -> s <= m k) ->
  s * (x' - x) <= rise_by_slopes x' - rise_by_slopes x.
Proof.
move=> [lo xx] steep.
have -> : x' - x = beyond (X 0) x' - beyond (X 0) x by rewrite !beyond_first; lra.
rewrite -!(clipped_sum _ (leqnn K)) /rise_by_slopes.
have first : s * (\big[Rplus/0]_(k < K) clipped (X k) (X k.+1) x' - \big[Rplus/0]_(k < K) clipped (X k) (X k.+1) x) <=
    \big[Rplus/0]_(k < K) (m k * clipped (X k) (X k.+1) x') - \big[Rplus/0]_(k < K) (m k * clipped (X k) (X k.+1) x).
  rewrite -!sumB sum_mull; apply: sum_le => k _; have kK := ltn_ord k; have up := rising kK.
  case: (Rle_lt_dec x' (X k)) => [le | gt].
    by rewrite (clipped_same up xx (or_introl le)); lra.
  case: (Rle_lt_dec (X k.+1) x) => [le | lt].
    by rewrite (clipped_same up xx (or_intror le)); lra.
  have := steep k (ltnW kK) gt (fun _ => lt); have := clipped_le up xx => c s_le.
  have := Rmult_le_compat_r (clipped (X k) (X k.+1) x' - clipped (X k) (X k.+1) x) _ _ ltac:(lra) s_le; lra.
suff last : s * (beyond (X K) x' - beyond (X K) x) <= m K * (beyond (X K) x' - beyond (X K) x) by lra.
have c := beyond_le (X K) xx; case: (Rle_lt_dec x' (X K)) => [le | gt].
  have -> : beyond (X K) x' - beyond (X K) x = 0 by rewrite /beyond !Rmax_right; lra.
  by rewrite !Rmult_0_r; right.
apply: Rmult_le_compat_r; first lra.
by apply: steep => //; rewrite ltnn.
Qed.

Lemma rise_at_first : rise_by_slopes (X 0) = 0.
Proof.
have flat : beyond (X 0) (X 0) = 0 by rewrite /beyond Rmax_left; lra.
have up k : (k <= K)%nat -> X 0 <= X k.
  elim: k => [|k IH] le; first by right.
  exact: Rle_trans (IH (ltnW le)) (rising le).
rewrite /rise_by_slopes sum0 => [|k _].
  by rewrite /beyond Rmax_right; [ring | exact: up].
have := up k (ltnW (ltn_ord k)) => h; have := rising (ltn_ord k) => h'.
by rewrite /clipped Rmax_right // Rmin_left //; ring.
Qed.

Hypothesis slopes : forall k, (k <= K)%nat -> 0 <= m k.

Lemma rise_mono x x' : X 0 <= x <= x' -> rise_by_slopes x <= rise_by_slopes x'.
Proof.
by move=> xx; have := rise_steep xx (s := 0) (fun k le _ _ => slopes le); lra.
Qed.

Lemma rise_ge0 x : X 0 <= x -> 0 <= rise_by_slopes x.
Proof. by move=> x0; rewrite -rise_at_first; apply: rise_mono; lra. Qed.

(* No steeper than M. *)
Lemma rise_flat M x : X 0 <= x -> (forall k, (k <= K)%nat -> m k <= M) -> rise_by_slopes x <= M * (x - X 0).
Proof.
move=> x0 flat; rewrite -beyond_first // -(clipped_sum x (leqnn K)) /rise_by_slopes Rmult_plus_distr_l sum_mull.
have part lo hi : lo <= hi -> 0 <= clipped lo hi x.
  by move=> lh; ends.
apply: Rplus_le_compat.
  by apply: sum_le => k _; apply: Rmult_le_compat_r (part _ _ (rising (ltn_ord k))) (flat _ (ltnW (ltn_ord k))).
apply: Rmult_le_compat_r (flat _ (leqnn K)); by rewrite /beyond; have := Rmax_r x (X K); lra.
Qed.

(* Up to X_n: the first n pieces. *)
Definition rise_to (n : nat) : R := \big[Rplus/0]_(i < n) (m i * (X i.+1 - X i)).

Lemma rise_le_to k x : (k < K)%nat -> X 0 <= x <= X k.+1 -> rise_by_slopes x <= rise_to k.+1.
Proof.
move=> kK [x0 xk].
have up i j : (i <= j)%nat -> (j <= K)%nat -> X i <= X j.
  elim: j => [|j IH]; first by rewrite leqn0 => /eqP -> _; right.
  rewrite leq_eqVlt => /orP[/eqP -> _ | lt le]; first by right.
  exact: Rle_trans (IH lt (ltnW le)) (rising le).
have last : beyond (X K) x = 0 by rewrite /beyond Rmax_right; [ring | exact: Rle_trans xk (up _ _ kK (leqnn K))].
rewrite /rise_by_slopes last Rmult_0_r Rplus_0_r.
have eK : K = (k.+1 + (K - k.+1))%nat by rewrite subnKC.
pose F i := m i * clipped (X i) (X i.+1) x.
have -> : \big[Rplus/0]_(i < K) (m i * clipped (X i) (X i.+1) x) = \big[Rplus/0]_(0 <= i < K) F i by rewrite big_mkord.
rewrite (big_cat_nat _ _ _ (leq0n k.+1) kK) /=.
have -> : \big[Rplus/0]_(k.+1 <= i < K) F i = 0.
  rewrite big_nat; apply: big1 => i /andP[ki iK]; rewrite /F.
  have -> : clipped (X i) (X i.+1) x = 0.
    have h : x <= X i := Rle_trans _ _ _ xk (up _ _ ki (ltnW iK)).
    by rewrite /clipped Rmax_right // Rmin_left; [ring | exact: rising].
  exact: Rmult_0_r.
rewrite Rplus_0_r big_mkord; apply: sum_le => i _.
have iK : (i < K)%nat := leq_trans (ltn_ord i) kK.
by apply: Rmult_le_compat_l (slopes (ltnW iK)) _; rewrite /clipped; have := Rmin_r (Rmax x (X i)) (X i.+1); lra.
Qed.

Lemma rise_beyond x : X K <= x -> rise_by_slopes x = rise_to K + m K * (x - X K).
Proof.
move=> xK; have up i j : (i <= j)%nat -> (j <= K)%nat -> X i <= X j.
  elim: j => [|j IH]; first by rewrite leqn0 => /eqP -> _; right.
  rewrite leq_eqVlt => /orP[/eqP -> _ | lt le]; first by right.
  exact: Rle_trans (IH lt (ltnW le)) (rising le).
rewrite /rise_by_slopes /beyond Rmax_left //; congr (_ + _); apply: eq_bigr => i _; congr (_ * _).
have h : X i.+1 <= x := Rle_trans _ _ _ (up _ _ (ltn_ord i) (leqnn K)) xK.
by have := rising (ltn_ord i) => h'; rewrite /clipped Rmax_left ?Rmin_right; lra.
Qed.
End PiecewiseLinear.

(* ---- heights along the ray ---- *)

Section Heights.
Variables (J : finType) (p q : R) (u v : vec J).
Hypotheses (p1 : 1 < p) (conj : / p + / q = 1) (u_unit : lp_sum p u = 1) (centred : dot (mirror p u) v = 0).
Let q1 : 1 < q := conjugate_gt1 p1 conj.
Notation n := (mirror p u).
Notation ray := (ray u v).
Notation ray_height := (ray_height p u v).

Lemma ray_height_mono y y' : y <= y' -> ray_height y <= ray_height y'.
Proof.
move=> yy; have := mirror_gap_exchange p q (ray y) (ray y') (mirror p (ray y')) (mirror p (ray y)).
rewrite !(mirror_gap_self p1 conj) ray_shift dotZr dotBl -/(ray_height y) -/(ray_height y').
have := mirror_gap_ge0 p1 conj (ray y) (mirror p (ray y')); have := mirror_gap_ge0 p1 conj (ray y') (mirror p (ray y)).
case: (Req_EM_T y y') => [-> | ne] h1 h2; first by right.
by move=> E; apply: (Rmult_le_reg_l (y' - y)); lra.
Qed.

Lemma ray_along y : dot n (ray y) = y.
Proof. by rewrite /ray dotDr dotZr centred mirror_dot u_unit; ring. Qed.

(* a/y *)
Definition unit_ray (y : R) : vec J := fun j => u j + v j / y.

Lemma unit_ray_scale y : y <> 0 -> ray y = (y * unit_ray y)%V.
Proof. by move=> y0; apply: vec_ext => j; rewrite /ray /unit_ray /vadd /vscale; field. Qed.

Lemma mirror_scale y (w : vec J) : 0 < y -> mirror p (y * w)%V = (abs_power y (p - 1) * mirror p w)%V.
Proof. by move=> y0; apply: vec_ext => j; rewrite /mirror /vscale signed_power_scale. Qed.

Lemma ray_height_scale y : 0 < y -> ray_height y = abs_power y (p - 1) * dot (mirror p (unit_ray y)) u.
Proof. by move=> y0; rewrite /ray_height unit_ray_scale ?mirror_scale ?dotZl; lra. Qed.

(* ---- one height ---- *)

Variables (y : R) (alpha sigma : vec J) (E : R).
Hypothesis y0 : 0 < y.

(* Lemma 9's numbers for an entry: any for which this holds. *)
Definition entry_numbers (al s : R) : Prop := 0 < al /\ exists T T', [/\ 0 <= T, 0 <= T',
  2 * E / (p - 1) * abs_power (2 * al) (2 - p) <= T * T /\ 2 * E / (p - 1) * abs_power (4 / 3) (2 - p) <= abs_power T p,
  2 * E / (p - 1) * abs_power (al + 2 / 3 * T) (2 - p) <= T' * T' &
  abs_power (al + 2 / 3 * T') (2 - p) <= (p - 1) * s].

Hypothesis p2 : p <= 2.
Hypothesis numbers : forall j, entry_numbers (alpha j) (sigma j).
Hypothesis entries : forall j, Rabs (unit_ray y j) <= alpha j.
Variable z : vec J.
Hypotheses (same_height : ray_height y = dot z u) (gap_le : mirror_gap p q (ray y) z <= E * abs_power y p).
Let w := mirror q z.
Let unit_w : vec J := (/ y * w)%V.

Let wE : w = (y * unit_w)%V.
Proof. by apply: vec_ext => j; rewrite /unit_w /vscale; field; lra. Qed.

Let conj' : / q + / p = 1. Proof. by lra. Qed.
Let zE : z = mirror p w. Proof. by rewrite /w (mirror_inverse q1 conj'). Qed.

Lemma unit_gap_eq : mirror_gap p q (ray y) z = abs_power y p * mirror_gap p q (unit_ray y) (mirror p unit_w).
Proof. by rewrite zE wE unit_ray_scale ?mirror_gap_scale //; lra. Qed.

Lemma unit_gap_le : mirror_gap p q (unit_ray y) (mirror p unit_w) <= E.
Proof.
have yp : 0 < abs_power y p by apply: abs_power_gt0; lra.
by apply: (Rmult_le_reg_l (abs_power y p)) => //; rewrite -unit_gap_eq; lra.
Qed.

Lemma unit_level : dot (mirror p unit_w) u = dot (mirror p (unit_ray y)) u.
Proof.
have yp : 0 < abs_power y (p - 1) by apply: abs_power_gt0; lra.
apply: (Rmult_eq_reg_l (abs_power y (p - 1))); last lra.
by rewrite -ray_height_scale // same_height zE wE mirror_scale // dotZl.
Qed.

Lemma unit_soft j : 0 <= sigma j /\ (unit_w j - unit_ray y j) * (unit_w j - unit_ray y j) <=
  2 * sigma j * power_gap p (unit_w j) (unit_ray y j).
Proof.
have [al0 [T [T' [T0 T0' [near far] closer soft]]]] := numbers j.
have le : power_gap p (unit_w j) (unit_ray y j) <= E.
  apply: Rle_trans unit_gap_le; rewrite (mirror_gap_sum p1 conj) (bigD1 j) //=.
  suff : 0 <= \sum_(i | i != j) power_gap p (unit_w i) (unit_ray y i) by lra.
  by apply: sum_ge0 => i _; exact: power_gap_ge0.
split.
  apply: (Rmult_le_reg_l (p - 1)); first lra.
  by rewrite Rmult_0_r; apply: Rle_trans soft; exact: abs_power_ge0.
have xT := entry_within p1 p2 al0 (entries j) le T0 near far.
have xT' := entry_closer p1 p2 al0 (entries j) le xT T0' closer.
exact: (entry_soft p1 p2 al0 (entries j) xT' soft).
Qed.

Lemma height_moves h : Rabs (dot h (w - ray y)%V) <= y * sqrt (2 * E * \sum_j h j * h j * sigma j).
Proof.
have -> : (w - ray y)%V = (y * (unit_w - unit_ray y))%V by rewrite wE unit_ray_scale; [vec_ring | lra].
rewrite dotZr Rabs_mult (Rabs_pos_eq y); last lra.
by apply: Rmult_le_compat_l (soft_moves p1 conj unit_soft unit_gap_le h); lra.
Qed.

Variables (beta r : R).
Hypotheses (factor : curve_factor p beta) (r0 : 0 <= r).

Lemma height_bend : dot n w - y = y * dot n (unit_w - unit_ray y)%V.
Proof.
have -> : dot n w - y = dot n (w - ray y)%V by rewrite dotBr ray_along.
have -> : (w - ray y)%V = (y * (unit_w - unit_ray y))%V by rewrite wE unit_ray_scale; [vec_ring | lra].
by rewrite dotZr.
Qed.

(* kappa, with the gap as it is *)
Theorem height_bends_near : (forall j, bend_near u (unit_ray y) r j) -> dot n w - y <=
  y * (sqrt (2 * E * \sum_j bend_slope p u (unit_ray y) j * bend_slope p u (unit_ray y) j * sigma j) +
       beta / (p - 1) * r * E).
Proof.
move=> near; rewrite height_bend; apply: Rmult_le_compat_l; first lra.
exact: (bend_all_near p1 conj factor r0 unit_level unit_gap_le unit_soft near).
Qed.

Theorem height_bends_mixed (lambda : R) (near : pred J) : 0 < lambda ->
  (forall j, near j -> bend_near u (unit_ray y) r j) -> dot n w - y <= y * (beta / (p - 1) * r * E + lambda * E +
    (\sum_(j | near j) bend_slope p u (unit_ray y) j * bend_slope p u (unit_ray y) j * sigma j) / (2 * lambda) +
    \sum_(j | ~~ near j) whole_cost p u sigma lambda j).
Proof.
move=> l0 near_ok; rewrite height_bend; apply: Rmult_le_compat_l; first lra.
exact: (bend_mixed p1 conj factor r0 unit_level unit_gap_le unit_soft p2 l0 near_ok).
Qed.
End Heights.

(* ---- pieces of heights, and what is allowed of the gap on them ---- *)

(* A linear function is at most what it is at one of two ends. *)
Lemma linear_le (s t x lo hi b : R) : lo <= x <= hi -> s * lo + t <= b -> s * hi + t <= b -> s * x + t <= b.
Proof.
move=> [lx xh] H1 H2; case: (Rle_lt_dec 0 s) => s0.
  by have := Rmult_le_compat_l _ _ _ s0 xh; lra.
by have := Rmult_le_compat_neg_l s _ _ (Rlt_le _ _ s0) lx; lra.
Qed.

(* The number of the piece of y, of n from k on. *)
Fixpoint piece_from (Y : nat -> R) (n k : nat) (y : R) : nat :=
  if n is n'.+1 then if Rle_dec y (Y k.+1) then k else piece_from Y n' k.+1 y else k.

Lemma piece_fromP Y n k y : Y k <= y -> let i := piece_from Y n k y in
  [/\ (k <= i <= k + n)%nat, Y i <= y & (i < k + n)%nat -> y <= Y i.+1].
Proof.
elim: n k => [|n IH] k le /=; first by rewrite addn0 leqnn ltnn.
case: Rle_dec => [h | h] /=; first by rewrite leqnn leq_addr.
have [/andP[lo hi] above below] := IH k.+1 (Rlt_le _ _ (Rnot_le_lt _ _ h)); rewrite addSnnS in hi below.
by rewrite (ltnW lo) hi.
Qed.

Section Allowance.
Variables (J : finType) (p q : R) (u v : vec J) (r : R) (K : nat) (Y m : nat -> R).
Hypotheses (p1 : 1 < p) (conj : / p + / q = 1) (r1 : 1 <= r).
Hypotheses (Y_gt0 : 0 < Y 0) (Y_rises : forall k, (k < K)%nat -> Y k <= Y k.+1) (ahead : 0 < ray_height p u v (Y 0)).
Hypothesis slopes : forall k, (k <= K)%nat -> 0 <= m k.
Notation ray_height := (ray_height p u v).

Definition height_power (i : nat) : R := abs_power (ray_height (Y i)) r.
Notation X := height_power.
Definition allowance (h : R) : R := rise_by_slopes K X m (abs_power h r).
Notation A := allowance.

Definition in_piece (k : nat) (y : R) : Prop := Y k <= y /\ ((k < K)%nat -> y <= Y k.+1).
Definition piece_of (y : R) : nat := piece_from Y K 0 y.

Lemma piece_ofP y : Y 0 <= y -> (piece_of y <= K)%nat /\ in_piece (piece_of y) y.
Proof. by move=> /(piece_fromP K)[/andP[_ le] lo hi]; rewrite add0n in le hi; split. Qed.

Lemma Y_mono i j : (i <= j)%nat -> (j <= K)%nat -> Y i <= Y j.
Proof.
elim: j => [|j IH]; first by rewrite leqn0 => /eqP -> _; right.
rewrite leq_eqVlt => /orP[/eqP -> _ | lt le]; first by right.
exact: Rle_trans (IH lt (ltnW le)) (Y_rises le).
Qed.

Lemma Y_pos k : (k <= K)%nat -> 0 < Y k.
Proof. by move=> kK; have := Y_mono (leq0n k) kK; lra. Qed.

Lemma ray_height_rises y y' : y <= y' -> ray_height y <= ray_height y'.
Proof. exact: (ray_height_mono u v p1 conj). Qed.

Lemma height_ahead y : Y 0 <= y -> 0 < ray_height y.
Proof. by move/ray_height_rises; lra. Qed.

Lemma power_of_height_le y y' : 0 <= y <= y' -> abs_power y r <= abs_power y' r.
Proof. by move=> le; apply: abs_power_le; lra. Qed.

Lemma height_power_rises k : (k < K)%nat -> X k <= X k.+1.
Proof.
move=> kK; apply: power_of_height_le; split; last exact: ray_height_rises (Y_rises kK).
exact/Rlt_le/height_ahead/(Y_mono (leq0n k) (ltnW kK)).
Qed.

Lemma height_power_first y : Y 0 <= y -> X 0 <= abs_power (ray_height y) r.
Proof. by move=> le; apply: power_of_height_le; split; [lra | exact: ray_height_rises]. Qed.

Lemma allowance_ge0 y : Y 0 <= y -> 0 <= A (ray_height y).
Proof. by move=> le; apply: (rise_ge0 height_power_rises slopes); exact: height_power_first. Qed.

(* By the largest slope. *)
Lemma pieces_allowance_le M h : (forall k, (k <= K)%nat -> m k <= M) -> ray_height (Y 0) <= h ->
  A h <= M * abs_power h r.
Proof.
move=> flatter h0; have x0 : X 0 <= abs_power h r by apply: power_of_height_le; lra.
have := rise_flat height_power_rises x0 flatter.
have M0 : 0 <= M by have := flatter 0%nat (leq0n K); have := slopes (leq0n K); lra.
by rewrite /allowance; have := Rmult_le_pos _ _ M0 (abs_power_ge0 (ray_height (Y 0)) r); rewrite /height_power; lra.
Qed.
End Allowance.
