(* JointRunKind: the claim `joint-run`, where decoder and attention are at some of their steps when they are trained
   together (JOINT.md section 1). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Claims Senses SensedClaims JointModel JointAscent Number Rows Entries
                           TokenData Losses Instances EqualTokens MergedTokens MarginChecks OptimalityChecks
                           EnclosureChecks Interval IntervalTables AttentionIntervals Runs RunChecks MirrorReplay
                           MirrorRunChecks SensedChecks DecoderData LabelMarginsChecks LabelledValues GroupValues
                           JointIteration ClaimKind Posed JointPathParts JointReplay.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- correlations, of a point that is near the solution ---- *)

Section Correlations.
Variables (N : number) (P : Z).
Notation interval := (interval N).

Definition length_root_in (I : interval) : interval := if is_zero I then interval0 N else isqrt P I.

Lemma length_root_in_contains I x : contains I x -> contains (length_root_in I) (sqrt x).
Proof.
move=> H; rewrite /length_root_in; case: ifP => [/(is_zero_real H) -> | _]; last exact: isqrt_contains.
by rewrite sqrt_0; exact: contains0.
Qed.

(* Of x: its length and product with the point; the point's square and how far the solution is from it. *)
Definition correlation_check (length product square radius : interval) (b : claimed_band N) : bool :=
  let lengths := imul P length (iadd P (length_root_in square) (symmetric radius)) in
  is_positive lengths && between_ends P b
    (isub P (interval1 N) (idiv P (iadd P product (symmetric (imul P radius length))) lengths)).

Definition correlates (J : finType) (b : claimed_band N) (x y : vec J) : Prop :=
  0 < vnorm x * vnorm y /\ in_band (band_real b) (1 - dot x y / (vnorm x * vnorm y)).

Lemma correlation_check_sound (J : finType) (x y c : vec J) r length product square radius b :
  contains length (vnorm x) -> contains product (dot x c) -> contains square (dot c c) -> contains radius r ->
  vnorm (c - y)%V <= r -> correlation_check length product square radius b -> correlates b x y.
Proof.
move=> Hl Hp Hs Hr near /andP[pos H].
have Hn : contains (iadd P (length_root_in square) (symmetric radius)) (vnorm y).
  have -> : vnorm y = sqrt (dot c c) + (vnorm y - vnorm c) by rewrite -/(vnorm2 c) -/(vnorm c); ring.
  apply: iadd_contains; first exact: length_root_in_contains.
  apply: (symmetric_contains Hr); apply: Rle_trans near.
  have a := vnorm_sub_ge c y; have b1 := vnorm_sub_ge y c.
  have E : vnorm (y - c)%V = vnorm (c - y)%V by rewrite -vnormN; congr vnorm; vec_ring.
  by apply: Rabs_le; lra.
have HL := imul_contains P Hl Hn; split; first exact: is_positive_real HL pos.
apply: between_ends_real H; apply: isub_contains; first exact: contains1.
apply: idiv_contains => //.
have -> : dot x y = dot x c + dot x (y - c)%V by rewrite dotBr; ring.
apply: iadd_contains => //; apply: (symmetric_contains (imul_contains P Hr Hl)).
apply: Rle_trans (cauchy_schwarz _ _) _; rewrite Rmult_comm; apply: Rmult_le_compat_r; first exact: vnorm_ge0.
by apply: Rle_trans near; right; rewrite -vnormN; congr vnorm; vec_ring.
Qed.
End Correlations.

(* ---- what is claimed ---- *)

Record pair_checkpoint (N : number) := PairCheckpoint {
  pair_at_step : nat;
  pair_norm_claim : claimed_band N; pair_decoder_norm_claim : claimed_band N; pair_loss_claim : claimed_band N;
  pair_corr_claim : option (claimed_band N); pair_decoder_corr_claim : option (claimed_band N)
}.

Record joint_run_data (N : number) := JointRunData {
  pair_solution : option nat;            (* the claim about the attention's solution *)
  pair_decoder_solution : option nat;    (* and the one about the decoder's, on the same selection *)
  pair_trained : pair_training N;
  pair_steps : nat;
  pair_checkpoints : seq (pair_checkpoint N);
  pair_precision : Z                     (* a guess *)
}.

Section Said.
Variables (N : number) (I : instance N) (q : posing) (sel : seq nat).
Notation D := (data_of I).
Notation g := (@labelled_value N I).

(* Of the problem's rows. *)
Definition posed_max_margin (alpha : selection (problem D)) ws : Prop :=
  match q with
  | Attention | Decoding => max_margin alpha ws
  | _ => sensed_max_margin alpha (@posed_sense N D q) ws
  end.

Variable x : joint_run_data N.
Notation T := (pair_trained x).
Notation l := (loss_of (trained_loss T)).

(* At every checkpoint both are where it says, and as close to the solutions as it says, which are cited. *)
Definition joint_run_holds_of : Prop :=
  [/\ forall k, List.In k (pair_checkpoints x) -> let vw := pair_trajectory I T (pair_at_step k) in
        [/\ in_band (band_real (pair_norm_claim k)) (vnorm vw.2),
            in_band (band_real (pair_decoder_norm_claim k)) (vnorm vw.1) &
            in_band (band_real (pair_loss_claim k)) (joint_loss g l vw.1 vw.2)],
      if pair_solution x is Some _ then
        exists (alpha : selection (problem D)) ws, [/\ selects alpha sel, posed_max_margin alpha ws &
          forall k b, List.In k (pair_checkpoints x) -> pair_corr_claim k = Some b ->
            correlates b (pair_trajectory I T (pair_at_step k)).2 ws]
      else forall k, List.In k (pair_checkpoints x) -> pair_corr_claim k = None &
      if pair_decoder_solution x is Some _ then
        exists (beta : selection (problem (decoder_data I sel))) (vs : vec [finType of 'I_(token_dimension I) * 'I_1]),
          [/\ selects beta (decoder_picks I), max_margin beta vs &
          forall k b, List.In k (pair_checkpoints x) -> pair_decoder_corr_claim k = Some b ->
            correlates b (pair_trajectory I T (pair_at_step k)).1 vs]
      else forall k, List.In k (pair_checkpoints x) -> pair_decoder_corr_claim k = None].
End Said.

(* ---- how it is checked ---- *)

Section Check.
Variables (N : number) (P : Z) (I : instance N) (sel : seq nat) (T : pair_training N).
Variables (data : token_data N) (groups : seq (labelled_group N)).
Notation interval := (interval N).

(* Entries of a point near a solution, its square, and how far it is at most. *)
Record nearby_solution (A : Type) := NearbySolution {
  nearby_point : A; nearby_square : interval; nearby_distance : interval
}.

Definition nearby_matrix (E : token_data N) (picks : seq nat) (vr : vector N * interval) :
    nearby_solution (seq (seq interval)) :=
  let m := exact_matrix P (weight_unit E vr.1) (weights E picks vr.1) in NearbySolution m (matrix_product P m m) vr.2.

Definition near_row (E : token_data N) (picks : seq nat) (vr : vector N * interval) : nearby_solution (seq interval) :=
  let r := [seq ratio P (weight_unit E vr.1) (nth zero row 0) | row <- weights E picks vr.1] in
  NearbySolution r (row_product P r r) vr.2.

Definition near_check (A : Type) (product : A -> interval) (length : interval) (near : option (nearby_solution A))
    (b : option (claimed_band N)) : bool :=
  if b is Some b then
    if near is Some n then correlation_check P length (product (nearby_point n)) (nearby_square n) (nearby_distance n) b
    else false
  else true.

Variable attention : option (nearby_solution (seq (seq interval))).
Variable decoder : option (nearby_solution (seq interval)).

Definition pair_checkpoint_check (s : pair_state N) (v : pair_look N) (k : pair_checkpoint N) : bool :=
  let norm := length_root_in P (matrix_product P (pair_matrix s) (pair_matrix s)) in
  let decoder_norm := length_root_in P (row_product P (pair_decoder s) (pair_decoder s)) in
  [&& between_ends P (pair_norm_claim k) norm, between_ends P (pair_decoder_norm_claim k) decoder_norm,
      between_ends P (pair_loss_claim k) (pair_loss_in T P data v),
      near_check (matrix_product P (pair_matrix s)) norm attention (pair_corr_claim k) &
      near_check (row_product P (pair_decoder s)) decoder_norm decoder (pair_decoder_corr_claim k)].

(* The pairs at its checkpoints, the last ones first. *)
Fixpoint pair_follow (ks : seq (pair_checkpoint N)) (n t : nat) (s : pair_state N)
    (passed : seq (nat * pair_state N)) : option (seq (nat * pair_state N)) :=
  let v := look_at_pair sel T P data groups s in
  if all (fun k => (pair_at_step k != t) || pair_checkpoint_check s v k) ks then
    let passed' := if has (fun k => pair_at_step k == t) ks then (t, s) :: passed else passed in
    if n is m.+1 then pair_follow ks m t.+1 (pair_advance I sel T P data groups s v) passed' else Some passed'
  else None.

Definition last_pair (ks : seq (pair_checkpoint N)) : nat := foldr (fun k => maxn (pair_at_step k)) 0%nat ks.
End Check.

Section Kind.
Variable N : number.
Implicit Types (f : fact N) (x : joint_run_data N).

(* The solution's vector, of a problem of this form, and how far it is. *)
Definition posed_close (P : Z) (q : posing) f : option (vector N * interval N) :=
  match q with
  | RelaxedGroups _ | SelectedSets _ => sensed_close_solution P f
  | _ => close_solution P f
  end.

Definition decoder_close (P : Z) (sel : seq nat) (pf : option (posed * fact N)) : option (vector N * interval N) :=
  if pf is Some (Posed Decoding sel', f) then if sel' == sel then close_solution P f else None else None.

(* Nothing where nothing is cited; none where what is cited is no solution. *)
Definition cited_near (A : Type) (k : option nat) (find : nat -> option A) : option (option A) :=
  if k is Some k then omap Some (find k) else Some None.

Definition learnable (l : loss_name) : bool := if l is CrossEntropy then false else true.

Definition joint_run_check (I : instance N) (q : posing) (sel : seq nat) (D : token_data N) (cited : nat -> fact N)
    (others : nat -> option (posed * fact N)) x : option (seq (nat * pair_state N)) :=
  let P := pair_precision x in
  let E := decoder_data I sel in
  let ks := pair_checkpoints x in
  let groups := all_groups_in I P sel (token_data_of I) in
  if [&& has_decoder I, lt zero (tokens_unit I) & learnable (trained_loss (pair_trained x))] then
    if cited_near (pair_solution x) (fun k => omap (nearby_matrix P D sel) (posed_close P q (cited k)))
      is Some attention then
      if cited_near (pair_decoder_solution x)
          (fun k => omap (near_row P E (decoder_picks I)) (decoder_close P sel (others k))) is Some decoder then
        pair_follow P I sel (pair_trained x) D groups attention decoder ks (last_pair ks) 0
          (first_pair I (pair_trained x) P D) [::]
      else None
    else None
  else None.

Definition joint_run_says : posed_statement N (joint_run_data N) := fun I p D alpha x =>
  joint_run_holds_of I (posing_of p) (selected_tokens p) x.

Definition joint_run_claim_check : posed_checker N (joint_run_data N) := fun quick I p D picks cited others x =>
  if posing_of p is Decoding then None
  else omap (PairFact (pair_trained x)) (joint_run_check I (posing_of p) (selected_tokens p) D cited others x).

Lemma last_pair_ge (ks : seq (pair_checkpoint N)) k : List.In k ks -> (pair_at_step k <= last_pair ks)%nat.
Proof.
rewrite /last_pair; elim: ks => //= k' ks IH [<- | /IH le]; first exact: leq_maxl.
exact: leq_trans le (leq_maxr _ _).
Qed.

(* ---- soundness ---- *)

Section Follow.
Variables (I : instance N) (sel : seq nat) (T : pair_training N) (P : Z).
Notation D := (data_of I).
Notation groups := (all_groups_in I P sel (token_data_of I)).
Notation g := (@labelled_value N I).
Notation column := (vec [finType of 'I_(token_dimension I) * 'I_1]).
Hypotheses (Iok : instance_ok I) (MDok : data_ok D) (Sok : picks_ok D sel) (unit_gt0 : 0 < real (tokens_unit I)).
Hypotheses (dec : has_decoder I) (known : learnable (trained_loss T)).
Variable attention : option (nearby_solution N (seq (seq (interval N)))).
Variable decoder : option (nearby_solution N (seq (interval N))).

Let losses : trained_loss T <> CrossEntropy. Proof. by move: known; case: (trained_loss T). Qed.

Definition near_row_of (n : nearby_solution N (seq (interval N))) (vs : column) : Prop :=
  exists c r, [/\ row_contains (nearby_point n) c, contains (nearby_square n) (dot c c),
    contains (nearby_distance n) r & vnorm (c - vs)%V <= r].
Definition near_matrix_of (n : nearby_solution N (seq (seq (interval N)))) (ws : vec (coord (problem D))) : Prop :=
  exists c r, [/\ matrix_encloses (nearby_point n) c, contains (nearby_square n) (dot c c),
    contains (nearby_distance n) r & vnorm (c - ws)%V <= r].

Definition pair_holds_at (k : pair_checkpoint N) : Prop := let vw := pair_trajectory I T (pair_at_step k) in
  [/\ in_band (band_real (pair_norm_claim k)) (vnorm vw.2),
      in_band (band_real (pair_decoder_norm_claim k)) (vnorm vw.1),
      in_band (band_real (pair_loss_claim k)) (joint_loss g (loss_of (trained_loss T)) vw.1 vw.2),
      forall b, pair_corr_claim k = Some b -> exists2 n, attention = Some n & forall ws, near_matrix_of n ws ->
        correlates b vw.2 ws &
      forall b, pair_decoder_corr_claim k = Some b -> exists2 n, decoder = Some n & forall vs, near_row_of n vs ->
        correlates b vw.1 vs].

Lemma pair_checkpoint_sound s k : pair_encloses s (pair_trajectory I T (pair_at_step k)) ->
  pair_checkpoint_check P T D attention decoder s (look_at_pair sel T P D groups s) k -> pair_holds_at k.
Proof.
rewrite /pair_holds_at; case: (pair_trajectory I T (pair_at_step k)) => v w at_s.
have [/= Hv Hw] := at_s; case/and5P=> Hn Hd Hl Ha Hdec.
have Hwn := length_root_in_contains P (matrix_product_contains P Hw Hw).
have Hvn := length_root_in_contains P (row_product_contains P Hv Hv).
split=> /=.
- exact: between_ends_real Hwn Hn.
- exact: between_ends_real Hvn Hd.
- apply: between_ends_real Hl.
  exact: (pair_loss_in_contains (T := T) (groups := groups) (erefl D) erefl Iok MDok Sok unit_gt0 at_s losses).
- move=> b bE; move: Ha; rewrite bE /near_check; case: attention => // n H; exists n => // ws [c [r [Hc Hcc Hr near]]].
  exact: correlation_check_sound Hwn (matrix_product_contains P Hw Hc) Hcc Hr near H.
move=> b bE; move: Hdec; rewrite bE /near_check; case: decoder => // n H; exists n => // vs [c [r [Hc Hcc Hr near]]].
exact: correlation_check_sound Hvn (row_product_contains P Hv Hc) Hcc Hr near H.
Qed.

Lemma pair_follow_sound ks n t s passed points : real (pair_clock s) = INR t.+1 ->
  pair_encloses s (pair_trajectory I T t) -> pairs_enclosed I T passed ->
  pair_follow P I sel T D groups attention decoder ks n t s passed = Some points ->
  pairs_enclosed I T points /\
  forall k, List.In k ks -> (t <= pair_at_step k <= t + n)%nat -> pair_holds_at k.
Proof.
have here ks' t' s' k : pair_encloses s' (pair_trajectory I T t') -> all (fun k => (pair_at_step k != t') ||
    pair_checkpoint_check P T D attention decoder s' (look_at_pair sel T P D groups s') k) ks' -> List.In k ks' ->
    pair_at_step k = t' -> pair_holds_at k.
  move=> at_s Hall kin E; have := proj1 (List.forallb_forall _ ks') Hall k kin; rewrite E eqxx /= => H.
  by apply: (pair_checkpoint_sound _ H); rewrite E.
elim: n t s passed => [|n IH] t s passed ck at_s kept /=; case: ifP => // Hall;
  set passed' := (if has _ _ then _ else _).
  have kept' : pairs_enclosed I T passed'.
    by rewrite /passed'; case: ifP => // _ t' s' /= [[<- <-] // | /kept].
  move=> [<-]; split=> // k kin; rewrite addn0 -eqn_leq => /eqP E; exact: here at_s Hall kin (esym E).
have kept' : pairs_enclosed I T passed'.
  by rewrite /passed'; case: ifP => // _ t' s' /= [[<- <-] // | /kept].
move=> next; suff H : real (pair_clock (pair_advance I sel T P D groups s (look_at_pair sel T P D groups s))) =
    INR t.+2 /\
    pair_encloses (pair_advance I sel T P D groups s (look_at_pair sel T P D groups s)) (pair_trajectory I T t.+1).
  have [known_last later] := IH _ _ _ (proj1 H) (proj2 H) kept' next; split=> // k kin.
  case/andP; rewrite leq_eqVlt => /orP[/eqP E _ | lt le]; first exact: here at_s Hall kin (esym E).
  by apply: later => //; rewrite lt addSnnS.
split; first by rewrite /= realD ck real1 -S_INR.
have H v w : pair_encloses s (v, w) ->
    pair_encloses (pair_advance I sel T P D groups s (look_at_pair sel T P D groups s))
    (pair_moved (rule_normalised (decoder_rule T)) (pair_step_size (decoder_rule T) t) v
       (value_gradient g (loss_of (trained_loss T)) v w),
     pair_moved (rule_normalised (attention_rule T)) (pair_step_size (attention_rule T) t) w
       (attention_gradient g (loss_of (trained_loss T)) v w)).
  move=> at_vw.
  exact: (@pair_advance_encloses N I sel T P D groups erefl erefl Iok MDok Sok unit_gt0 s v w at_vw t ck).
by move: at_s => /=; case: (pair_trajectory I T t) => v w; exact: H.
Qed.
End Follow.

Lemma posed_close_sound (P : Z) (I : instance N) q sel (Sok : picks_ok (data_of I) sel) f v r :
  posed_fact q sel (selection_of Sok) f -> posed_close P q f = Some (v, r) ->
  exists ws y, [/\ vector_ok (data_of I) sel v, posed_max_margin q (selection_of Sok) ws, contains r y &
    vnorm (W (selection_of Sok) (@coefficient_of N (data_of I) v) - ws)%V <= y].
Proof.
have senses : @sense_at N (data_of I) (senses_of (data_of I) q) = @posed_sense N (data_of I) q.
  by apply: FunctionalExtensionality.functional_extensionality => t; rewrite senses_meaning.
have sensed : sensed_fact_meaning sel (selection_of Sok) (senses_of (data_of I) q) f ->
    sensed_close_solution P f = Some (v, r) ->
    exists ws y, [/\ vector_ok (data_of I) sel v,
      sensed_max_margin (selection_of Sok) (@posed_sense N (data_of I) q) ws,
      contains r y & vnorm (W (selection_of Sok) (@coefficient_of N (data_of I) v) - ws)%V <= y].
  by rewrite -senses; exact: sensed_close_solutionP.
by move: sensed; case: q {senses} => [||gs|sets] /= sensed; try (exact: sensed);
  move=> facts close; have [ws [y [vok M Hy near]]] := close_solutionP facts close; exists ws, y.
Qed.

Theorem joint_run_kind_holds : pair_check_holds joint_run_says joint_run_claim_check.
Proof.
move=> quick I E0 [q sel] D picks Dok Pok cited others x f [_ ordered] facts all_known.
have known k pf : others k = Some pf -> fact_about I E0 pf by case/all_known.
rewrite /joint_run_claim_check /joint_run_says /= => checked.
have [attends [points accepted fE]] : q <> Decoding /\ exists2 points, joint_run_check I q sel D cited others x =
    Some points & PairFact (pair_trained x) points = f.
  by case: q checked {facts ordered Pok} => [||gs|sets] //=; case: joint_run_check => // points [<-]; split=> //;
    exists points.
have form : posing_of (Posed q sel) = q by [].
move: accepted; rewrite /joint_run_check; case: ifP => // /and3P[dec unit0 learns] follows.
have [Iok MDok Sok _ [ED Ep]] := ordered dec.
have dataE : D = data_of I by rewrite ED /posed_data /posed_data_in /=; case: (q) attends.
have picksE : picks = sel by rewrite Ep /posed_picks /=; case: (q) attends.
clear ED Ep; subst D picks f.
have unit : 0 < real (tokens_unit I) by have := lt_real unit0; rewrite real0.
set T := pair_trained x in learns follows *; set P := pair_precision x in follows.
move: follows; case EA: (cited_near (pair_solution x) _) => [attention|] //.
case ED: (cited_near (pair_decoder_solution x) _) => [decoder|] // follow.
have first : pair_encloses (first_pair I T P (data_of I)) (pair_trajectory I T 0).
  by apply: first_pair_encloses dec.
have [||enclosed at_checkpoints] := pair_follow_sound Iok MDok Sok unit learns (t := 0) _ first _ follow.
- by rewrite /= real1.
- by [].
have holds k : List.In k (pair_checkpoints x) -> pair_holds_at I T attention decoder k.
  by move=> kin; apply: (at_checkpoints k kin); rewrite leq0n add0n; exact: last_pair_ge.
suff said : joint_run_holds_of I q sel x by split=> //; split=> //; case: (q).
split.
- by move=> k /holds[].
- move: EA; case: (pair_solution x) => [j|] /= => [|[AE] k /holds[_ _ _ Ha _]]; last first.
    by case kE: (pair_corr_claim k) => [b|] //; have [n] := Ha b kE; rewrite -AE.
  case C: (posed_close P q (cited j)) => [[v r]|] //= -[AE].
  have [ws [y [vok M Hy near]]] := posed_close_sound (facts j) C.
  exists (selection_of Pok), ws; split=> [||k b kin kE]; first exact: selection_of_selects; first exact: M.
  have [_ _ _ Ha _] := holds k kin; have [n nE] := Ha b kE; apply.
  move: nE; rewrite -AE => -[<-]; exists (W (selection_of Pok) (@coefficient_of N (data_of I) v)), y.
  have E : matrix_encloses (exact_matrix P (weight_unit (data_of I) v) (weights (data_of I) sel v))
      (W (selection_of Pok) (@coefficient_of N (data_of I) v)).
    rewrite -(weights_real Dok Pok vok); apply: exact_matrix_encloses; exact: (weights_shaped Dok Pok vok).
  by split=> //; exact: matrix_product_contains.
move: ED; case: (pair_decoder_solution x) => [j|] /= => [|[DE] k /holds[_ _ _ _ Hd]]; last first.
  by case kE: (pair_decoder_corr_claim k) => [b|] //; have [n] := Hd b kE; rewrite -DE.
case O: (others j) => [[[q' sel'] f']|] //=; case: q' O => //= O; case: eqP => // same; subst sel'.
case C: (close_solution P f') => [[v r]|] //= -[DE].
have [Eok [Pok' H]] : data_ok (decoder_data I sel) /\ exists Pok' : picks_ok (decoder_data I sel) (decoder_picks I),
    fact_meaning (decoder_picks I) (selection_of Pok') f'.
  by have [Pok' [Eok H]] := known _ _ O; split=> //; exists Pok'.
have [ws [y [vok M Hy near]]] := close_solutionP H C.
exists (selection_of Pok'), ws; split=> [||k b kin kE]; first exact: selection_of_selects; first exact: M.
have [_ _ _ _ Hd] := holds k kin; have [n nE] := Hd b kE; apply.
move: nE; rewrite -DE => -[<-]; exists (W (selection_of Pok') (@coefficient_of N (decoder_data I sel) v)), y.
have E : row_contains [seq ratio P (weight_unit (decoder_data I sel) v) (nth zero row 0)
    | row <- weights (decoder_data I sel) (decoder_picks I) v]
    (W (selection_of Pok') (@coefficient_of N (decoder_data I sel) v)).
  have sh := weights_shaped Eok Pok' vok; have /eqP sw := proj1 (andP sh).
  split=> [|i]; first by rewrite size_map sw.
  by rewrite (nth_map [::]) ?sw // -(weights_real Eok Pok' vok); exact: ratio_contains.
by split=> //; exact: row_product_contains.
Qed.

Definition joint_run_kind : posed_kind N := PairKind joint_run_kind_holds.
End Kind.
