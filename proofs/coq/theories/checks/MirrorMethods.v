(* MirrorMethods: what T17's conditions at heights take from how entries are bounded (MIRROR.md sections 11, 13): a
   record of what is computed of a piece of heights, and one of what that means. MirrorSoftHeights.v has them for
   P <= 2, MirrorFirmHeights.v for P > 2. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection EntrywiseDuality DualNorm PowerInequalities UniformConvexity Direction
                           Growth Gibbs FactorRange Number Rows TokenData MarginChecks OptimalityChecks EnclosureChecks
                           Interval Elementary NormChecks NormDistanceChecks IntervalTables AttentionIntervals
                           ReferenceIntervals Replay ForeverChecks LocalFactors Mirror MirrorRay MirrorMoves
                           MirrorEntries MirrorBend MirrorRegion MirrorRun MirrorHeights MirrorPieces MirrorCosts
                           PowerIntervals MirrorReplay MirrorRunChecks MirrorFactors MirrorTables MirrorSetting.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.
Local Opaque contains.

(* ---- computed ---- *)

Section Methods.
Variable N : number.
Notation interval := (interval N).
Notation table := (seq (seq interval)).

(* How far margins are from those on the ray, and kappa over the height; kappa itself beyond the last height. *)
Record piece_part := PiecePart { part_ok : bool; part_reach : table; part_bent : interval }.

Record piece_method := PieceMethod {
  (* Of a bound of the gap over y^p and the ray's entries; beyond the last height of that height, the share and steep,
     too. *)
  method_part : interval -> table -> piece_part;
  method_last_part : interval -> table -> interval -> interval -> interval -> piece_part;
  (* What a step costs: between heights from E, the ray, y_k, zeta(y_{k+1}); beyond from share, steep, the ray, Y and
     its height; and rho, the step's length and its weight. *)
  method_price : interval -> table -> interval -> interval -> interval -> interval -> interval -> interval;
  method_last_price :
    interval -> interval -> table -> interval -> interval -> interval -> interval -> interval -> interval;
  (* r, of whose power of the height the allowance is a function; (p - 1) r - p. *)
  method_power : positive * positive; method_falls : Z * positive;
  (* What the ray's offset costs over the height's power, from heights, their zetas and a height below those of Y on. *)
  method_offset : seq interval -> seq interval -> interval -> interval
}.
End Methods.

(* ---- what is known of the point ---- *)

Section Known.
Variables (N : number) (D : token_data N) (P : Z) (a c : positive) (s : mirror_setting N) (first : interval N).
Notation vector := (vec (coord (problem D))).
Let p := exponent a c.
Let q := exponent a (a - c).
Variables (Q : pred (token (problem D))) (Delta : token (problem D) -> vector) (u v : vector) (gamma : R).
Variables (mu : token (problem D) -> R) (b : vector -> token (problem D) -> R) (f : factor_bounds (token (problem D))).
Variables (beta G longest spread lost eta h0 : R) (low : token (problem D) -> R).
Notation n := (mirror p u).
Notation K := (log_floor Q mu (factor_low f)).
Notation C0 := (gibbs_gap Q Delta u v (factor_kept f) gamma mu (factor_high f) (factor_low f) h0).

Record mirror_known : Prop := MirrorKnown {
  known_direction : mirror_direction Q Delta p u gamma mu;
  known_range : factor_range Q Delta b low f;
  known_kept : forall t, active Q mu t -> factor_kept f t;
  known_centred : dot n v = 0;
  known_setting : setting_encloses a c s Q (factor_kept f) Delta u v gamma beta K C0 G longest spread lost eta
    (most_total f low) low (factor_size f);
  known_curve : curve_factor p beta;
  known_first : contains first h0;
  known_sizes : forall t, Q t -> ~~ factor_kept f t -> 0 <= factor_size f t;
  known_slopes : 0 <= G /\ forall t, Q t -> ~~ factor_kept f t -> dot (Delta t) u <= G;
  known_longest : forall t, Q t -> lp_norm q (Delta t) <= longest;
  known_spread : forall t, factor_kept f t -> 2 * lp_norm q (Delta t - gamma * n)%V <= spread
}.
End Known.

(* ---- what is computed means ---- *)

Section Sound.
Variables (N : number) (D : token_data N) (a c : positive) (heights slopes : seq (fraction N)) (normalised : bool).
Notation interval := (interval N).
Notation anything := (@Everything N).
Notation table := (seq (seq interval)).
Notation vector := (vec (coord (problem D))).
Let p := exponent a c.
Let q := exponent a (a - c).
Variables (Q : pred (token (problem D))) (Delta : token (problem D) -> vector) (u v : vector) (gamma : R).
Variables (mu : token (problem D) -> R) (b : vector -> token (problem D) -> R) (f : factor_bounds (token (problem D))).
Variables (G eta h0 : R) (low : token (problem D) -> R).
Notation n := (mirror p u).
Notation zeta := (ray_height p u v).
Notation piece := (mirror_piece (token (problem D))).

Definition height_at (k : nat) : R := if k is j.+1 then fraction_real (nth (fraction_zero N) heights j) else h0.
Definition slope_real (k : nat) : R := fraction_real (nth (fraction_zero N) slopes k).
Notation Y := height_at.
Notation m := slope_real.
Let K_ := size heights.
Notation Yend := (Y K_).

Definition piece_proper : Prop := [/\ 0 < Y 0, forall k, (k < K_)%nat -> Y k <= Y k.+1, 0 < zeta (Y 0) &
  forall k, (k <= K_)%nat -> 0 <= m k].

Definition moves_to (y E_ : R) (reach : token (problem D) -> R) : Prop := forall z, zeta y = dot z u ->
  mirror_gap p q (ray u v y) z <= E_ * abs_power y p ->
  forall t, Q t -> Rabs (dot (Delta t) (mirror q z - ray u v y)%V) <= y * reach t.

(* Of a piece between heights, and of the one beyond the last. *)
Definition part_means (part : interval -> table -> piece_part N) : Prop := forall I E_ m_ lo hi,
  0 < lo <= hi -> contains I E_ -> 0 <= E_ -> (forall y, lo <= y <= hi -> matrix_encloses m_ (unit_ray u v y)) ->
  part_ok (part I m_) -> exists reach bent,
  [/\ encloses (part_reach (part I m_)) reach, contains (part_bent (part I m_)) bent, 0 <= bent,
      forall t, Q t -> 0 <= reach t &
      forall y, lo <= y <= hi -> moves_to y E_ reach /\ forall z, zeta y = dot z u ->
        mirror_gap p q (ray u v y) z <= E_ * abs_power y p -> dot n (mirror q z) - y <= y * bent].

Definition last_part_means (r : R) (last_part : interval -> table -> interval -> interval -> interval -> piece_part N) :
    Prop := forall I E_ m_ yI shI share stI steep flat, piece_proper -> contains I E_ -> 0 <= E_ ->
  contains yI Yend -> contains shI share -> contains stI steep ->
  (forall y, Yend <= y -> matrix_encloses m_ (unit_ray u v y)) -> matrix_encloses m_ u ->
  last_level p u v r K_ Y m share steep flat E_ -> part_ok (last_part I m_ yI shI stI) ->
  exists reach kappa bend, [/\ encloses (part_reach (last_part I m_ yI shI stI)) reach,
    contains (part_bent (last_part I m_ yI shI stI)) kappa, forall t, Q t -> 0 <= reach t,
    forall y, Yend <= y -> moves_to y E_ reach &
    [/\ forall y z, Yend <= y -> zeta y = dot z u -> mirror_gap p q (ray u v y) z <=
          allowance p u v r K_ Y m (dot z u) -> dot n (mirror q z) - y <= bend y,
        forall y, Yend <= y -> bend y <= kappa * (y / Yend) &
        forall y, Yend <= y -> bend y <= kappa * beyond_grown p u v r K_ Y flat y]].

Variable M : piece_method N.
(* What the cost of piece k means: of share, steep and flat. *)
Variable priced : R -> R -> R -> nat -> piece -> R -> Prop.
Notation r := (exponent (method_power M).1 (method_power M).2).
Notation weight := (weight_of gamma f low normalised G eta).
Notation fits := (fits_rule Q Delta q b normalised eta).

Record method_sound : Prop := MethodSound {
  sound_power : [/\ 1 <= r, (p - 1) * r <= p & quotient (method_falls M).1 (method_falls M).2 = (p - 1) * r - p];
  sound_part : part_means (method_part M);
  sound_last_part : last_part_means r (method_last_part M);
  sound_price : forall share steep flat k m_ EI yI zI rhoI rho lI len wI w, piece_proper -> (k < K_)%nat ->
    (forall y, Y k <= y <= Y k.+1 -> matrix_encloses m_ (unit_ray u v y)) ->
    contains EI (rise_to (height_power p u v r Y) m k.+1) -> contains yI (Y k) -> contains zI (zeta (Y k.+1)) ->
    contains rhoI rho -> 0 <= rho -> contains lI len -> contains wI w -> exists2 x,
    contains (method_price M EI m_ yI zI rhoI lI wI) x &
    forall d_ : piece, piece_length d_ = len -> piece_ratio d_ = rho -> piece_cost d_ = x ->
      priced share steep flat k d_ w;
  sound_last_price : forall shI share stI steep m_ flat yI hI rhoI rho lI len wI w, piece_proper ->
    contains shI share -> contains stI steep -> contains yI Yend -> contains hI (end_height p K_ Y flat) ->
    (forall y, Yend <= y -> matrix_encloses m_ (unit_ray u v y)) -> contains rhoI rho -> 0 <= rho ->
    contains lI len -> contains wI w -> exists2 x, contains (method_last_price M shI stI m_ yI hI rhoI lI wI) x &
    forall d_ : piece, piece_length d_ = len -> piece_ratio d_ = rho -> piece_cost d_ = x ->
      priced share steep flat K_ d_ w;
  sound_offset : forall share steep flat E_ ys zetas hI, piece_proper ->
    last_level p u v r K_ Y m share steep flat E_ -> (forall k, (k <= K_)%nat -> contains (nth anything ys k) (Y k)) ->
    (forall k, (k <= K_)%nat -> contains (nth anything zetas k) (zeta (Y k))) -> contains hI (end_height p K_ Y flat) ->
    exists2 x, contains (method_offset M ys zetas hI) x &
      0 <= x /\ forall y, Y 0 <= y -> centre_cost p q u v y <= x * abs_power (zeta y) r;
  sound_costs : forall (D_ : nat -> piece) share steep flat energy bend,
    let k_ := pieces_bounds Q Delta p u v gamma mu f r K_ Y m D_ G flat bend in
    let at_ y := D_ (piece_of K_ Y y) in let near := near_ray p q u v k_ in
    piece_proper -> last_level p u v r K_ Y m share steep flat energy ->
    mirror_shape Q Delta p q u v gamma mu f low k_ ->
    (forall y, Y 0 <= y -> 0 <= mirror_ratio k_ y /\ mirror_ratio k_ y <= piece_ratio (at_ y)) ->
    0 <= piece_ratio (D_ K_) -> (forall k, (k <= K_)%nat -> 0 <= piece_length (D_ k)) ->
    (forall y z tau, near y z -> fits tau z -> normalised_fits Q Delta q b (piece_length (at_ y)) tau z) ->
    (forall k, (k <= K_)%nat -> 0 < weight (piece_ratio (D_ k))) ->
    (forall y z tau, near y z -> fits tau z -> tau * mirror_total Delta q b f z <= weight (piece_ratio (at_ y))) ->
    (forall k, (k <= K_)%nat -> priced share steep flat k (D_ k) (weight (piece_ratio (D_ k)))) ->
    forall y z tau, near y z -> fits tau z ->
      dual_divergence q (mirror q z) z (z + tau * mirror_field Q Delta q b z)%V <=
      tau * mirror_total Delta q b f z * (mirror_cost k_ y + mirror_entropy Q Delta q mu b f z)
}.
End Sound.
