(* OutputValues: the heads of several outputs that instances have, and what encloses them.

   Of a token the outputs are those of its row of X, of equal tokens those of their mean row, by their counts
   (EqualTokens.v). A model is what a replay asks of a head: how much more slope each token has than the reference, and
   the loss above that of the selected tokens, from enclosures of the attention. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz ZArith.
From Attest Require Import Euclid Selection Losses Heads HeadRanges ClassifierHead UnitsHead Number Rows TokenData
                           Instances EqualTokens MergedTokens MarginChecks OptimalityChecks EnclosureChecks Interval
                           Elementary IntervalTables AttentionIntervals LabelledValues OutputHeads.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Values.
Variables (N : number) (I : instance N).
Notation raw := (token_data_of I).
Notation d := (token_dimension I).
Notation classes_of i := (class_places (sequence_at raw i)).

(* Coordinate j of the mean of the rows x_it of these tokens. *)
Definition mean_coordinate (i : nat) (places : seq nat) (j : nat) : R :=
  (\sum_(t <- places) row_count I i t * X I i t j) / \sum_(t <- places) row_count I i t.

(* Row u of a layer times the mean row of token s of the merged data. *)
Definition layer_product (layer : seq (seq N)) (unit : N) (i s u : nat) : R :=
  \sum_(j < d) entry2 layer u j / real unit * mean_coordinate i (nth [::] (classes_of i) s) j.

Section Heads.
Variable D : token_data N.
Notation token := (token (problem D)).
Notation at_token f := (fun (t : token) u => f (tag (t : data_token D) : nat) (tagged (t : data_token D) : nat) u).

Definition class_layer_head (classes : seq nat) (layer : seq (seq N)) (unit : N) : head (problem D) :=
  @classifier_head (problem D) [finType of 'I_(size layer).-1.+1]
    (at_token (fun i s u => layer_product layer unit i s u))
    (fun i => inord (nth 0%nat classes (i : data_group D))).

Definition unit_layer_head (labels : seq bool) (layer : seq (seq N)) (unit : N) (bias : seq N) (bias_unit : N)
    (second : seq N) (second_unit : N) (l : loss_name) : head (problem D) :=
  @units_head (problem D) [finType of 'I_(size layer)] (fun i => Y labels (i : data_group D))
    (fun u => entry second u / real second_unit)
    (at_token (fun i s u => layer_product layer unit i s u + entry bias u / real bias_unit)) (loss_of l).

(* The head of the instance: cross-entropy of a classifier, of ReLU units a loss of every output. *)
Definition output_head (l : loss_name) : option (head (problem D)) :=
  match token_scoring I with
  | SeveralOutputs (ClassLayer classes layer unit) =>
      if everywhere l then None else Some (class_layer_head classes layer unit)
  | SeveralOutputs (UnitLayer labels layer unit bias bu second su) =>
      if everywhere l then Some (unit_layer_head labels layer unit bias bu second su l) else None
  | _ => None
  end.
End Heads.

(* ---- computed ---- *)

Variable P : Z.
Notation interval := (interval N).

(* The denominator and the numerators of a token's products. *)
Definition numerators_in (unit : N) layer rows (c : seq (member N)) : N * seq N :=
  let counts := counts_in c in
  let total := class_sum I counts [seq nth [::] rows (member_place a) | a <- c] in
  (mul (mul (sum_row counts) (tokens_unit I)) unit, [seq opp (dot_rows total r) | r <- layer]).

Definition class_numbers (unit : N) layer (own : nat) rows (c : seq (member N)) : seq interval :=
  let un := numerators_in unit layer rows c in
  let a := nth zero un.2 own in [seq ratio P un.1 (sub b a) | b <- un.2].

Definition class_values (classes : seq nat) layer unit : seq (seq (seq interval)) :=
  [seq [seq class_numbers unit layer x.1.2 x.1.1 c | c <- EqualTokens.classes x.2]
  | x <- zip (zip (tokens I) classes) (sequences raw)].

Definition unit_numbers (unit : N) layer (bias : seq interval) rows (c : seq (member N)) : seq interval :=
  let un := numerators_in unit layer rows c in [seq iadd P (ratio P un.1 ab.1) ab.2 | ab <- zip un.2 bias].

Definition unit_values layer unit (bias : seq N) (bias_unit : N) : seq (seq (seq interval)) :=
  let b := [seq ratio P bias_unit a | a <- bias] in
  [seq [seq unit_numbers unit layer b x.1 c | c <- EqualTokens.classes x.2] | x <- zip (tokens I) (sequences raw)].

Definition label_weights (labels : seq bool) (second : seq N) (second_unit : N) : seq (seq interval) :=
  [seq [seq ratio P second_unit (if y then a else opp a) | a <- second] | y <- labels].

Record head_model := HeadModel {
  model_gaps : seq nat -> seq (seq interval) -> seq (seq interval);
  model_excess : seq nat -> seq (seq interval) -> seq interval
}.

Definition class_model classes layer unit : head_model :=
  let k := size layer in
  let v := class_values classes layer unit in
  HeadModel (fun refs a => by_group refs a v (class_gaps P k))
            (fun picks a => [seq class_excess P k x.1.1 x.1.2 x.2 | x <- zip (zip v a) picks]).

Definition unit_model labels layer unit bias bu second su l : head_model :=
  let k := size layer in
  let v := zip (label_weights labels second su) (unit_values layer unit bias bu) in
  HeadModel (fun refs a => by_group refs a v (units_gaps P k l))
            (fun picks a => [seq units_excess P k l x.1.1 x.1.2 x.2 | x <- zip (zip v a) picks]).

Definition output_model (l : loss_name) : option head_model :=
  match token_scoring I with
  | SeveralOutputs (ClassLayer classes layer unit) => Some (class_model classes layer unit)
  | SeveralOutputs (UnitLayer labels layer unit bias bu second su) =>
      Some (unit_model labels layer unit bias bu second su l)
  | _ => None
  end.

(* One label a sequence, rows of one length, and the data of the instance are D's in number. *)
Definition layer_ok (D : token_data N) : bool :=
  [&& instance_ok I, data_ok (merged raw), lt zero (tokens_unit I),
      [seq size (token_rows q) | q <- sequences D] == [seq size (EqualTokens.classes q) | q <- sequences raw] &
      match token_scoring I with
      | SeveralOutputs (ClassLayer classes layer unit) =>
          [&& lt zero unit, (0 < size layer)%nat, all (fun row => size row == d) layer,
              size classes == size (tokens I) & all (fun c => c < size layer)%nat classes]
      | SeveralOutputs (UnitLayer labels layer unit bias _ second _) =>
          [&& lt zero unit, all (fun row => size row == d) layer, size bias == size layer,
              size second == size layer & size labels == size (tokens I)]
      | _ => false
      end].

(* ---- what that means ---- *)

Section Rows.
Hypotheses (Iok : instance_ok I) (MDok : data_ok (merged raw)) (unit_gt0 : 0 < real (tokens_unit I)).
Variables (layer : seq (seq N)) (unit : N).
Hypotheses (layer_unit_gt0 : 0 < real unit) (sized : all (fun row => size row == d) layer).

Lemma numerators_contain i s (c := nth [::] (EqualTokens.classes (sequence_at raw i)) s)
    (un := numerators_in unit layer (nth [::] (tokens I) i) c) :
  (i < size (tokens I))%nat -> (s < size (classes_of i))%nat -> [/\ 0 < real un.1, size un.2 = size layer &
    forall u, (u < size layer)%nat -> real (nth zero un.2 u) / real un.1 = layer_product layer unit i s u].
Proof.
move=> il sl; have cE : c = [seq member_at (sequence_at raw i) t | t <- nth [::] (classes_of i) s].
  by rewrite /c classes_at (nth_map [::]).
have [ss E] := class_sum_real Iok il sl; have T := class_total I i s; have T0 := class_total_gt0 MDok il sl.
rewrite /un /numerators_in cE /= -/(rows_in I i _); set total := class_sum _ _ _ in ss E *.
rewrite !realM T; set cnt := \sum_(t <- _) _ in T0 *.
split; [by do 2?apply: Rmult_lt_0_compat | by rewrite size_map | move=> u ul].
have sr : size (nth [::] layer u) = d by apply/eqP; apply: (all_nthP [::] sized).
rewrite (nth_map [::]) // realN (@dot_rows_real _ _ _ d) ?ss ?sr // /layer_product /mean_coordinate -/cnt.
transitivity ((\sum_(j < d) (\sum_(t <- nth [::] (classes_of i) s) row_count I i t *
    entry2 (nth [::] (tokens I) i) t j) * entry (nth [::] layer u) j) / (cnt * real (tokens_unit I) * real unit)).
  congr (_ / _); rewrite -sumN; apply: eq_bigr => j _; rewrite E; ring.
rewrite /Rdiv sum_mulr; apply: eq_bigr => j _.
have -> : \sum_(t <- nth [::] (classes_of i) s) row_count I i t * X I i t j =
    (\sum_(t <- nth [::] (classes_of i) s) row_count I i t * entry2 (nth [::] (tokens I) i) t j) *
      / real (tokens_unit I).
  by rewrite sum_mulr; apply: eq_bigr => t _; rewrite /X /Rdiv Rmult_assoc.
by rewrite /entry2; field; lra.
Qed.

Lemma class_numbers_contain i s own : (i < size (tokens I))%nat -> (s < size (classes_of i))%nat ->
  (own < size layer)%nat ->
  numbers_in (size layer) (class_numbers unit layer own (nth [::] (tokens I) i)
    (nth [::] (EqualTokens.classes (sequence_at raw i)) s))
    (fun u => layer_product layer unit i s u - layer_product layer unit i s own).
Proof.
move=> il sl ol; have [u0 sn E] := numerators_contain il sl; split=> [|u ul]; first by rewrite size_map.
rewrite (nth_map zero) ?sn // -!E //; move: u0; set un := numerators_in _ _ _ _ => u0.
have -> : real (nth zero un.2 u) / real un.1 - real (nth zero un.2 own) / real un.1 =
    real (sub (nth zero un.2 u) (nth zero un.2 own)) / real un.1 by rewrite realB; field; lra.
exact: ratio_contains.
Qed.

Lemma unit_numbers_contain i s (bias : seq N) (bu : N) : (i < size (tokens I))%nat -> (s < size (classes_of i))%nat ->
  size bias = size layer ->
  numbers_in (size layer) (unit_numbers unit layer [seq ratio P bu a | a <- bias] (nth [::] (tokens I) i)
    (nth [::] (EqualTokens.classes (sequence_at raw i)) s))
    (fun u => layer_product layer unit i s u + entry bias u / real bu).
Proof.
move=> il sl sb; have [u0 sn E] := numerators_contain il sl; split=> [|u ul].
  by rewrite size_map size_zip size_map sn sb minnn.
rewrite (nth_map (zero, Everything N)) ?size_zip ?size_map ?sn ?sb ?minnn // nth_zip ?size_map ?sn ?sb //=.
by apply: iadd_contains; [rewrite -E //; exact: ratio_contains | rewrite (nth_map zero) ?sb //; exact: ratio_contains].
Qed.
End Rows.

Section Models.
Variables (D : token_data N) (name : loss_name) (h : head (problem D)) (model : head_model).
Hypotheses (Dok : data_ok D) (layered : layer_ok D) (head_is : output_head D name = Some h)
  (model_is : output_model name = Some model).

Let Iok : instance_ok I. Proof. by case/and5P: layered. Qed.
Let MDok : data_ok (merged raw). Proof. by case/and5P: layered. Qed.
Let unit_gt0 : 0 < real (tokens_unit I). Proof. by case/and5P: layered => _ _ /lt_real; rewrite real0. Qed.

Lemma layered_groups : size (sequences D) = size (tokens I).
Proof.
by have /and5P[_ _ _ /eqP E _] := layered; have := congr1 size E; rewrite !size_map sequences_size.
Qed.

Lemma layered_length (i : data_group D) : length_of D i = size (classes_of i).
Proof.
have il : (i < size (sequences D))%nat := ltn_ord i.
have /and5P[_ _ _ /eqP E _] := layered; have := congr1 (fun s => nth 0%nat s i) E.
rewrite (nth_map (no_sequence N)) // (nth_map (no_sequence N)); last by rewrite sequences_size -layered_groups.
by rewrite -/(length_of D i) => ->; rewrite classes_at size_map.
Qed.

Lemma layered_lt (i : data_group D) : (i < size (tokens I))%nat.
Proof. by rewrite -layered_groups; exact: ltn_ord. Qed.

(* A table of a row of intervals for each class of each sequence. *)
Lemma classes_enclose (A : Type) (a0 : A) (c : seq A) (f : A -> seq (member N) -> seq interval) k
    (F : token (problem D) -> nat -> R) : size c = size (tokens I) ->
  (forall (i : data_group D) s, (s < size (classes_of i))%nat -> numbers_in k
     (f (nth a0 c i) (nth [::] (EqualTokens.classes (sequence_at raw i)) s)) (fun u =>
       if insub s is Some s' then F (token_of (s' : 'I_(length_of D i))) u else 0)) ->
  numbers_enclose k [seq [seq f x.1 y | y <- EqualTokens.classes x.2] | x <- zip c (sequences raw)] F.
Proof.
move=> sc H; have sz : size (zip c (sequences raw)) = size (sequences D).
  by rewrite size_zip sc sequences_size minnn layered_groups.
have at_ (i : data_group D) :
  nth [::] [seq [seq f x.1 y | y <- EqualTokens.classes x.2] | x <- zip c (sequences raw)] i =
    [seq f (nth a0 c i) y | y <- EqualTokens.classes (sequence_at raw i)].
  rewrite (nth_map (a0, no_sequence N)) ?sz ?ltn_ord // nth_zip //; last by rewrite sc sequences_size.
have sizes (i : data_group D) : size (EqualTokens.classes (sequence_at raw i)) = length_of D i.
  by rewrite layered_length classes_at size_map.
split=> [|[i s]]; last first.
  have sl : (s < size (classes_of i))%nat by rewrite -layered_length; exact: ltn_ord.
  by rewrite /at_token /= at_ (nth_map [::]) ?sizes ?ltn_ord //; have := H i s sl; rewrite valK.
rewrite /fits size_map sz eqxx; apply/(all_nthP ([::], no_sequence N)) => i.
rewrite size_zip size_map sz minnn => il; rewrite nth_zip ?size_map ?sz //=.
by apply/eqP; rewrite (at_ (Ordinal il)) size_map (sizes (Ordinal il)).
Qed.

(* ---- the numbers of every token ---- *)

Section Class.
Variables (classes : seq nat) (layer : seq (seq N)) (unit : N).
Hypothesis scored : token_scoring I = SeveralOutputs (ClassLayer classes layer unit).

(* G and y *)
Definition class_number (t : token (problem D)) (u : 'I_(size layer).-1.+1) : R :=
  layer_product layer unit (tag (t : data_token D)) (tagged (t : data_token D)) u.
Definition class_label (i : data_group D) : 'I_(size layer).-1.+1 := inord (nth 0%nat classes i).

Lemma class_layer_count : size layer = (size layer).-1.+1.
Proof. by have := layered; rewrite /layer_ok scored => /and5P[_ _ _ _ /and5P[_ k0 _ _ _]]; rewrite prednK. Qed.

Lemma class_values_enclose : numbers_enclose (D := D) (size layer).-1.+1 (class_values classes layer unit) (fun t u =>
  if insub u is Some u' then class_number t u' - class_number t (class_label (tag (t : data_token D))) else 0).
Proof.
have := layered; rewrite /layer_ok scored => /and5P[_ _ _ _ /and5P[/lt_real]].
rewrite real0 => lu0 k0 sized /eqP sc cl; have kE := class_layer_count.
apply: (classes_enclose (a0 := ([::], 0%nat)) (c := zip (tokens I) classes)
  (f := fun x z => class_numbers unit layer x.2 x.1 z)); first by rewrite size_zip sc minnn.
move=> i s sl; rewrite nth_zip ?sc //=; have il := layered_lt i.
have ol : (nth 0%nat classes i < size layer)%nat by apply: (all_nthP 0%nat cl); rewrite sc.
have [sr Hr] := class_numbers_contain Iok MDok unit_gt0 lu0 sized il sl ol.
have sD : (s < length_of D i)%nat by rewrite layered_length.
split=> [|u ul]; first by rewrite sr.
by rewrite !insubT /class_number /class_label inordK -?kE //; apply: Hr; rewrite kE.
Qed.
End Class.

Section Unit.
Variables (labels : seq bool) (layer : seq (seq N)) (unit : N) (bias : seq N) (bu : N) (second : seq N) (su : N).
Hypothesis scored : token_scoring I = SeveralOutputs (UnitLayer labels layer unit bias bu second su).

(* z and r *)
Definition unit_number (t : token (problem D)) (u : 'I_(size layer)) : R :=
  layer_product layer unit (tag (t : data_token D)) (tagged (t : data_token D)) u + entry bias u / real bu.
Definition unit_effect (u : 'I_(size layer)) : R := entry second u / real su.

Lemma unit_values_enclose : numbers_enclose (D := D) (size layer) (unit_values layer unit bias bu) (fun t u =>
  if insub u is Some u' then unit_number t u' else 0).
Proof.
have := layered; rewrite /layer_ok scored => /and5P[_ _ _ _ /and5P[/lt_real]].
rewrite real0 => lu0 sized /eqP sb _ _; apply: (classes_enclose (a0 := [::]) (c := tokens I)
  (f := fun x z => unit_numbers unit layer [seq ratio P bu a | a <- bias] x z)) => // i s sl; have il := layered_lt i.
have [sr Hr] := unit_numbers_contain Iok MDok unit_gt0 lu0 sized bu il sl sb.
have sD : (s < length_of D i)%nat by rewrite layered_length.
by split=> // u ul; rewrite !insubT; exact: Hr.
Qed.

Lemma label_weights_enclose : size (label_weights labels second su) = size (sequences D) /\
  forall i : data_group D, numbers_in (size layer) (nth [::] (label_weights labels second su) i)
    (fun u => if insub u is Some u' then Y labels i * unit_effect u' else 0).
Proof.
have := layered; rewrite /layer_ok scored => /and5P[_ _ _ _ /and5P[_ _ _ /eqP ss /eqP sy]].
split=> [|i]; first by rewrite size_map sy layered_groups.
rewrite (nth_map false) ?sy ?layered_lt //; split=> [|u ul]; first by rewrite size_map.
rewrite (nth_map zero) ?ss // insubT /unit_effect /Y /entry /=; case: (nth false labels i).
  by rewrite Rmult_1_l; exact: ratio_contains.
have := ratio_contains P su (opp (nth zero second u)); rewrite realN; congr contains; rewrite /Rdiv; ring.
Qed.
End Unit.

Variables (picks : seq nat) (Pok : picks_ok D picks).

(* What a replay asks of a model. *)
Theorem output_model_encloses :
  (forall refs (Rok : picks_ok D refs) w a, encloses a (attention w) ->
     encloses (model_gaps model refs a) (slope_gap (selection_of Rok) h w)) /\
  (forall w a, encloses a (attention w) -> column_encloses (D := D) (model_excess model picks a)
     (fun i => head_value h i (attention w) - head_value h i (chosen (selection_of Pok)))).
Proof.
move: head_is model_is; rewrite /output_head /output_model.
case E: (token_scoring I) => [labels v u|s u|t|[classes layer unit | labels layer unit bias bu second su]] //;
  case: ifP => // _ [<-] [<-].
  have kE := class_layer_count E; have values := class_values_enclose E; have sv := numbers_size values.
  split=> [refs Rok w a Ha | w a Ha]; rewrite /= kE; first exact: (class_gaps_enclose P Rok Ha values).
  have [/andP[/eqP sa _] _] := Ha; have [/eqP sp _] := andP Pok.
  apply: (column_map (e0 := (([::], [::]), 0%nat))) => [|i]; first by rewrite !size_zip sv sa sp !minnn.
  rewrite !nth_zip ?size_zip ?sv ?sa ?sp ?minnn //; exact: (class_excess_contains P Pok Ha values).
have values := unit_values_enclose E; have weights := label_weights_enclose E.
have sv := numbers_size values; have sw := proj1 weights.
split=> [refs Rok w a Ha | w a Ha]; first exact: (units_gaps_enclose P Rok Ha name values weights).
have [/andP[/eqP sa _] _] := Ha; have [/eqP sp _] := andP Pok.
apply: (column_map (e0 := ((([::], [::]), [::]), 0%nat))) => [|i]; first by rewrite !size_zip sv sw sa sp !minnn.
rewrite !nth_zip ?size_zip ?sv ?sw ?sa ?sp ?minnn //.
exact: (units_excess_contains P Pok Ha name values weights).
Qed.
End Models.
End Values.
