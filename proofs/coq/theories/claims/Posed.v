(* Posed: the problems that a certificate poses about an instance, and kinds of claims about them.

   A problem is a selection's, the decoder's on selected tokens, or a selection's with rows of other senses. A kind says
   what its claims mean of each form: of selections only, or of all; the decoder's problem is one of token data
   (DecoderData.v). *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Number Rows Entries TokenData Instances MergedTokens Claims Senses
                           SensedClaims MarginChecks OptimalityChecks EnclosureChecks SensedChecks Interval RunChecks
                           DecoderData JointIteration ClaimKind.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

(* ---- problems ---- *)

Inductive posing :=
| Attention
| Decoding
| RelaxedGroups (groups : seq nat)            (* their rows are >= 0 *)
| SelectedSets (sets : seq (seq nat)).        (* one a group: rows of its tokens are = 0 *)

Record posed := Posed { posing_of : posing; selected_tokens : seq nat (* of sets the first *) }.

Definition sense_in (q : posing) (i : nat) : nat -> sense :=
  match q with
  | RelaxedGroups groups => if i \in groups then fun=> AtLeastZero else fun=> AtLeastOne
  | SelectedSets sets => let chosen := nth [::] sets i in fun t => if t \in chosen then EqualToZero else AtLeastOne
  | _ => fun=> AtLeastOne
  end.

Section Senses.
Variables (N : number) (D : token_data N) (q : posing).

(* The senses of the tokens of each sequence, from sequence i on. *)
Fixpoint senses_from (i : nat) (qs : seq (sequence N)) : seq (seq sense) :=
  if qs is s :: qs' then mkseq (sense_in q i) (size (token_rows s)) :: senses_from i.+1 qs' else [::].

Definition senses_of : seq (seq sense) := senses_from 0 (sequences D).

Lemma fits_senses : fits D senses_of.
Proof.
rewrite /fits /senses_of; elim: (sequences D) 0%nat => //= s qs IH i; have /andP[E H] := IH i.+1.
by rewrite size_mkseq eqSS eqxx E H.
Qed.

Lemma nth_senses_from i qs k : (k < size qs)%nat ->
  nth [::] (senses_from i qs) k = mkseq (sense_in q (i + k)) (size (token_rows (nth (no_sequence N) qs k))).
Proof. by elim: qs i k => //= s qs IH i [|k] kl /=; rewrite ?addn0 // IH // addSnnS. Qed.

Theorem senses_meaning (t : token (problem D)) :
  sense_at senses_of t = sense_in q (tag (t : data_token D)) (tagged (t : data_token D)).
Proof. by rewrite /sense_at /at_token nth_senses_from // nth_mkseq. Qed.
End Senses.

Section Posed.
Variables (N : number) (I : instance N).

(* The data of a problem, `D` that of the instance. *)
Definition posed_data_in (D : token_data N) (p : posed) : token_data N :=
  if posing_of p is Decoding then decoder_data I (selected_tokens p) else D.
Definition posed_data (p : posed) : token_data N := posed_data_in (data_of I) p.

Definition posed_picks (p : posed) : seq nat := if posing_of p is Decoding then decoder_picks I else selected_tokens p.

Definition posed_ok_in (D : token_data N) (p : posed) : bool :=
  let E := posed_data_in D p in
  [&& picks_ok D (selected_tokens p), data_ok E, picks_ok E (posed_picks p) &
      if posing_of p is Decoding then has_decoder I else true].
End Posed.

(* ---- facts about them ---- *)

Section Facts.
Variables (N : number) (D : token_data N) (picks : seq nat) (alpha : selection (problem D)) (senses : seq (seq sense)).
Notation values v := (@coefficient_of N D v).
Notation sense_of := (@sense_at N D senses).

(* What is established of a problem whose rows have senses; no claim cites the others. *)
Definition sensed_fact_meaning (f : fact N) : Prop :=
  match f with
  | ExactFact v w m => [/\ vector_ok D picks v, w = weights D picks v, m = margins D picks v &
                        sensed_solution_with alpha sense_of (W alpha (values v)) (values v)]
  | BallFact v w m mask r q high =>
      [/\ vector_ok D picks v, w = weights D picks v, mask_ok D picks mask, fraction_ok r &
          exists lo hi, sensed_ball_enclosure alpha sense_of (@in_mask N D mask) (values v) lo hi
                          (fraction_real r * fraction_real r) (fraction_real q)]
  | SupportFact mask (Some v) => [/\ vector_ok D picks v,
                                  sensed_support_check D picks senses v (margins D picks v) mask &
                                  sensed_solution_with alpha sense_of (W alpha (values v)) (values v)]
  | SupportFact mask None => sensed_strictly_complementary alpha sense_of
  | _ => True
  end.
End Facts.

Definition posed_fact (N : number) (D : token_data N) (q : posing) picks (alpha : selection (problem D)) (f : fact N) :
    Prop :=
  match q with
  | Attention | Decoding => fact_meaning picks alpha f
  | _ => sensed_fact_meaning picks alpha (senses_of D q) f
  end.

(* A vector whose combination is as close to the solution as the interval says. *)
Definition sensed_close_solution (N : number) (P : Z) (f : fact N) : option (vector N * interval N) :=
  if f is GapFact _ _ _ _ then None else close_solution P f.

Lemma sensed_close_solutionP (N : number) (D : token_data N) picks (alpha : selection (problem D)) senses P f v r :
  sensed_fact_meaning picks alpha senses f -> sensed_close_solution P f = Some (v, r) ->
  exists ws y, [/\ vector_ok D picks v, sensed_max_margin alpha (@sense_at N D senses) ws, contains r y &
    vnorm (W alpha (@coefficient_of N D v) - ws)%V <= y].
Proof.
case: f => // [u m m' | u m m' mask rr z high] /=.
  move=> [vok _ _ [M _]] [<- <-]; exists (W alpha (@coefficient_of N D u)), 0.
  split=> //; first exact: contains0.
  by rewrite (_ : (_ - _)%V = vzero) ?vnorm0; [right | vec_ring].
move=> [vok _ mok rok [lo [hi [ws [lam [[M _] _ _ [near _] _]]]]]] [<- <-].
rewrite -square_real // in near; exists ws, (sqrt (fraction_real (square rr))); split=> //.
  exact: (isqrt_contains _ (claimed_contains _ (square rr))).
exact: (sqrt_le_1_alt _ _ near).
Qed.

(* A fact about some problem of the certificate, E the data of the instance. *)
Definition fact_about (N : number) (I : instance N) (E : token_data N) (pf : posed * fact N) : Prop :=
  exists Pok : picks_ok (posed_data_in I E pf.1) (posed_picks I pf.1),
    data_ok (posed_data_in I E pf.1) /\ posed_fact (posing_of pf.1) (posed_picks I pf.1) (selection_of Pok) pf.2.

(* Where decoder and attention of the instance are. *)
Definition pairs_known (N : number) (I : instance N) (f : fact N) : Prop :=
  if f is PairFact T points then pairs_enclosed I T points else True.

(* Only an instance with a decoder has decoder's problems, the others are about its data E; where it has one, E, D and
   picks are those that it poses in order. *)
Definition poses (N : number) (I : instance N) (E : token_data N) (p : posed) (D : token_data N) picks : Prop :=
  (if posing_of p is Decoding then has_decoder I else D = E) /\
  (has_decoder I -> [/\ instance_ok I, data_ok (data_of I), picks_ok (data_of I) (selected_tokens p), E = data_of I &
     D = posed_data I p /\ picks = posed_picks I p]).

(* ---- kinds ---- *)

Definition posed_statement (N : number) (data : Type) : Type :=
  instance N -> posed -> forall D : token_data N, selection (problem D) -> data -> Prop.

(* cited k is what claim k has established about this problem, others k what it has about its own. *)
Definition posed_checker (N : number) (data : Type) : Type :=
  entries N -> instance N -> posed -> token_data N -> seq nat -> (nat -> fact N) ->
  (nat -> option (posed * fact N)) -> data -> option (fact N).

Definition posed_check_holds (N : number) (data : Type) (says : posed_statement N data) (check : posed_checker N data) :
    Prop :=
  forall quick I E p (D : token_data N) picks (Dok : data_ok D) (Pok : picks_ok D picks) cited others x f,
  poses I E p D picks -> (forall k, posed_fact (posing_of p) picks (selection_of Pok) (cited k)) ->
  (forall k pf, others k = Some pf -> fact_about I E pf) -> check quick I p D picks cited others x = Some f ->
  says I p D (selection_of Pok) x /\ posed_fact (posing_of p) picks (selection_of Pok) f.

(* The same of claims that rest on pairs or hand them on. *)
Definition pair_check_holds (N : number) (data : Type) (says : posed_statement N data) (check : posed_checker N data) :
    Prop :=
  forall quick I E p (D : token_data N) picks (Dok : data_ok D) (Pok : picks_ok D picks) cited others x f,
  poses I E p D picks -> (forall k, posed_fact (posing_of p) picks (selection_of Pok) (cited k)) ->
  (forall k pf, others k = Some pf -> fact_about I E pf /\ pairs_known I pf.2) ->
  check quick I p D picks cited others x = Some f ->
  says I p D (selection_of Pok) x /\ posed_fact (posing_of p) picks (selection_of Pok) f /\ pairs_known I f.

Record posed_kind (N : number) := PairKind {
  posed_kind_data : Type;
  posed_says : posed_statement N posed_kind_data;
  posed_check : posed_checker N posed_kind_data;
  posed_holds : pair_check_holds posed_says posed_check
}.

(* Kinds that have nothing to do with pairs hand none on. *)
Section Unpaired.
Variables (N : number) (data : Type) (says : posed_statement N data) (check : posed_checker N data).

Definition unpaired (f : fact N) : fact N := if f is PairFact _ _ then Nothing else f.

Definition unpaired_check : posed_checker N data := fun quick I p D picks cited others x =>
  omap unpaired (check quick I p D picks cited others x).

Lemma unpaired_holds : posed_check_holds says check -> pair_check_holds says unpaired_check.
Proof.
move=> holds quick I E p D picks Dok Pok cited others x f posed own known; rewrite /unpaired_check.
case checked: (check _ _ _ _ _ _ _ _) => [h|] //= [<-].
have [|said Hh] := holds quick I E p D picks Dok Pok cited others x h posed own _ checked.
  by move=> k pf /known[].
by split=> //; split; [case: h Hh {checked} => //; case: (posing_of p) | case: h {Hh checked}].
Qed.

Definition PosedKind (holds : posed_check_holds says check) : posed_kind N := PairKind (unpaired_holds holds).
End Unpaired.

(* A kind of claim about rows with senses. *)
Definition sensed_statement (N : number) (data : Type) : Type :=
  forall D : token_data N, selection (problem D) -> (token (problem D) -> sense) -> data -> Prop.
Definition sensed_checker (N : number) (data : Type) : Type :=
  entries N -> token_data N -> seq nat -> seq (seq sense) -> (nat -> fact N) -> data -> option (fact N).

Definition sensed_check_holds (N : number) (data : Type) (says : sensed_statement N data)
    (check : sensed_checker N data) : Prop :=
  forall quick (D : token_data N) picks (Dok : data_ok D) (Pok : picks_ok D picks) senses (Sok : fits D senses)
    cited x f,
  (forall k, sensed_fact_meaning picks (selection_of Pok) senses (cited k)) ->
  check quick D picks senses cited x = Some f ->
  says D (selection_of Pok) (@sense_at N D senses) x /\ sensed_fact_meaning picks (selection_of Pok) senses f.

(* ---- which problems a kind is about ---- *)

Section Forms.
Variables (N : number) (K : claim_kind N).
Notation data := (kind_data K).

(* Selections only. *)
Definition attention_says : posed_statement N data := fun I p D alpha x =>
  if posing_of p is Attention then kind_says alpha x else False.

Definition posed_attention_check : posed_checker N data := fun quick I p D picks cited others x =>
  if posing_of p is Attention then kind_check quick D picks cited x else None.

Theorem attention_holds : posed_check_holds attention_says posed_attention_check.
Proof. by move=> quick I E [[] sel] //= D picks Dok Pok cited others x f _ facts _; apply: kind_holds. Qed.

Definition attention_kind : posed_kind N := PosedKind attention_holds.

(* Any rows: what it says of senses, how that is checked and why that holds. *)
Variables (says : sensed_statement N data) (check : sensed_checker N data) (holds : sensed_check_holds says check).

Definition rows_says : posed_statement N data := fun I p D alpha x =>
  match posing_of p with
  | Attention | Decoding => kind_says alpha x
  | q => says alpha (fun t => sense_in q (tag (t : data_token D)) (tagged (t : data_token D))) x
  end.

Definition rows_check : posed_checker N data := fun quick I p D picks cited others x =>
  match posing_of p with
  | Attention | Decoding => kind_check quick D picks cited x
  | q => check quick D picks (senses_of D q) cited x
  end.

Theorem rows_holds : posed_check_holds rows_says rows_check.
Proof.
move=> quick I E [q sel] D picks Dok Pok cited others x f _; rewrite /rows_says /rows_check /= => facts _.
have senses : (fun t => sense_in q (tag (t : data_token D)) (tagged (t : data_token D))) =
               @sense_at N D (senses_of D q).
  by apply: FunctionalExtensionality.functional_extensionality => t; rewrite senses_meaning.
case: q facts senses => /= [||groups|sets] facts senses checked; try exact: kind_holds checked.
  by rewrite senses; exact: holds (fits_senses D _) _ _ _ facts checked.
by rewrite senses; exact: holds (fits_senses D _) _ _ _ facts checked.
Qed.

Definition rows_kind : posed_kind N := PosedKind rows_holds.
End Forms.
