(* MirrorForeverKind: the claim `mirror-forever`, where a run of mirror descent goes from one of its steps on (T17). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid Selection EntrywiseDuality DualNorm Growth Schedules Number Rows Entries TokenData
                           Losses MarginChecks OptimalityChecks GramBound EnclosureChecks Interval Elementary
                           NormChecks NormDistanceChecks IntervalTables AttentionIntervals Runs Replay ReplaySound
                           RunChecks PathChecks ForeverChecks Mirror MirrorAngle MirrorIteration PowerIntervals
                           MirrorReplay MirrorRunChecks MirrorForeverChecks ClaimKind NormKinds MirrorRunKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section MirrorForeverKind.
Variable N : number.

Record mirror_forever_data := MirrorForeverData {
  lasting_support : nat;                     (* the claim that says so of what is below, for readers *)
  lasting_run : nat;                         (* the claim about the run *)
  lasting_exponent : positive * positive;    (* p = a/c *)
  lasting_from : nat;                        (* the claim about the solution *)
  lasting_loss : loss_name;
  lasting_specification : specification N;   (* of that run, *)
  lasting_step : nat;                        (* and the step of it *)
  lasting_rate : fraction N; lasting_growth : option (fraction N); lasting_unselected : fraction N;
  lasting_tokens : seq (seq bool);           (* all that may be tight at the solution *)
  lasting_multipliers : vector N; lasting_least : fraction N; lasting_hints : gram_hints N;
  lasting_floors : seq (seq (fraction N)); lasting_heights : seq (fraction N); lasting_slopes : seq (fraction N)
}.

(* From that step on, u the direction of the only shortest solution and height <Z,u>: the height rises, with normalised
   steps by at least the growth times the step size; the angle's defect is at most the rate over the height's power of
   order min(1, q - 1), the attention off a selected token at most what is said; heights grow without end, the direction
   of W goes to u and the attention of every selected token to 1. *)
Definition mirror_forever_says : claim_statement N mirror_forever_data := fun D alpha x =>
  let: (a, c) := lasting_exponent x in
  let p := exponent a c in
  let q := exponent a (a - c) in
  let z k := @mirror_trajectory N D (lasting_loss x) (lasting_specification x) a c (lasting_step x + k) in
  exists y, only_shortest alpha (@lp_norm (coord (problem D)) p) y /\
    let u := (/ lp_norm p y * y)%V in
    let height k := dot (z k) u in
    (forall k, [/\ forall i, 1 - attention (mirror q (z k)) (alpha i) <= fraction_real (lasting_unselected x),
      if lasting_growth x is Some g then
        height k + fraction_real g * sizes (lasting_specification x) (lasting_step x + k) <= height k.+1
      else height k < height k.+1,
      0 < height k &
      mirror_defect p q u (mirror q (z k)) <= fraction_real (lasting_rate x) / abs_power (height k) (Rmin 1 (q - 1))])
        /\
    [/\ is_lim_seq height p_infty,
        forall j, is_lim_seq (fun k => unit_of p (mirror q (z k)) j) (u j) &
        forall i, is_lim_seq (fun k => attention (mirror q (z k)) (alpha i)) 1].

Lemma same_mirror_trajectory (D : token_data N) l l' s s' a c : same_run l l' s s' ->
  @mirror_trajectory N D l s a c = mirror_trajectory l' s' a c.
Proof.
move=> same; have [sizesE startE] := same_run_parts same; have [/same_loss_eq <- _] := andP same.
by rewrite /mirror_trajectory /is_normalised (same_run_rule same) sizesE (startE D).
Qed.

Definition lasting_bits : Z := 192.

Definition mirror_forever_claim_check : claim_checker N mirror_forever_data := fun quick D picks cited x =>
  let: (a, c) := lasting_exponent x in
  let s := lasting_specification x in
  let f := cited (lasting_from x) in
  if (enclosed_solution lasting_bits a c f, cited (lasting_run x)) is (Some solution, MirrorFact e l r points) then
    if found_at (lasting_step x) points is Some dual then
      accept [&& Pos.eqb e.1 a, Pos.eqb e.2 c, same_run l (lasting_loss x) r s, specification_ok D s 0 &
        others_above_check D picks f (Some (PowerNorm a c)) (lasting_tokens x) &&
        mirror_forever_check quick D lasting_bits picks (lasting_loss x) a c (lasting_floors x) (lasting_tokens x)
          (lasting_multipliers x) (lasting_least x) (lasting_hints x) solution dual
          (eta s lasting_bits (of_natural N (lasting_step x).+1)) (lasting_heights x) (lasting_slopes x)
          (is_normalised s) (lasting_rate x) (lasting_unselected x) (lasting_growth x)] Nothing
    else None
  else None.

Theorem mirror_forever_holds : check_holds mirror_forever_says mirror_forever_claim_check.
Proof.
move=> quick D picks Dok Pok cited.
case=> sup ran [a c] from l s n rate growth off mask guess least hints floors hs ms f facts.
rewrite /mirror_forever_claim_check /=; case E: enclosed_solution => [sol | ] //.
have := facts ran; case: (cited ran) => // -[a' c'] l' r points passed.
case found: found_at => [dual | ] // /acceptP[/and5P[/= /Pos.eqb_eq aE /Pos.eqb_eq cE same sok /andP[above ok]] <-].
split=> //; subst a' c'; have ca : (c < a)%positive by have /and5P[/Pos.ltb_lt] := ok.
have [y [only Hy Hn]] := enclosed_solutionP (facts from) E; exists y; split=> //.
have fm : fits D mask by have /and5P[_ _ /and5P[/andP[]]] := ok.
have [y' [only' tight]] := others_above_sound Dok (facts from) fm (fun t mt => mt) above.
have yE : y = y' by exact: (proj2 only' _ (proj1 only)).
rewrite -yE in tight; have dual_in := passed _ (found_at_in found).
rewrite /= (same_mirror_trajectory D a c same) in dual_in.
have step0 : 0 < fraction_real (run_step s).
  have /and5P[ok1 /lt_real h _ _ _] := sok; rewrite real0 in h.
  exact: Rdiv_lt_0_compat h (fraction_den_gt0 ok1).
have size_in : contains (eta s lasting_bits (of_natural N n.+1)) (sizes s n).
  by apply: eta_contains; rewrite of_natural_real.
have eta_range k : 0 < sizes s (n + k) <= sizes s n.
  by split; [exact: step_size_gt0 | exact: step_size_decreasing].
have run k : @mirror_trajectory N D l s a c (n + k.+1) = MirrorIteration.mirror_moved (loss_of l) (exponent a (a - c))
    (is_normalised s) (fun k => sizes s (n + k)) k (@mirror_trajectory N D l s a c (n + k)).
  by rewrite addnS /mirror_trajectory /mirror_iterate /=.
have start : @mirror_trajectory N D l s a c (n + 0) = @mirror_trajectory N D l s a c n by rewrite addn0.
have [ever far] := mirror_forever_sound Dok only Hy Hn tight dual_in size_in ok eta_range start run.
split; last exact: far (later_steps_diverge (run_schedule s) step0 n).
by move=> k; have := ever k.
Qed.

Definition mirror_forever_kind : claim_kind N := ClaimKind mirror_forever_holds.
End MirrorForeverKind.
