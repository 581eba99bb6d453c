(* PositiveDefinite: a positive definite Gram matrix has a solution for every right-hand side, by Schur complements. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Psatz.
From Coquelicot Require Import Coquelicot.
From Attest Require Import Euclid.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Section Solve.
Variables (J I : finType) (D : I -> vec J).

(* Vectors that are independent on the rows of s, with any prescribed products:
   some combination of them attains them. *)
Lemma gram_solve_seq (s : seq I) : uniq s ->
  (forall x : I -> R, (exists c, c \in s /\ x c <> 0) -> 0 < vnorm2 (combine (mem s) x D)) ->
  forall b : I -> R, exists x : I -> R, forall c, c \in s -> dot (D c) (combine (mem s) x D) = b c.
Proof.
elim: s => [|e s IH] /= uniq_s definite b; first by exists (fun=> 0).
case/andP: uniq_s => es uniq_s.
have extend (x : I -> R) (t : R) :
    combine (mem (e :: s)) (fun c => if c == e then t else x c) D = (t * D e + combine (mem s) x D)%V.
  apply: vec_ext => j; rewrite /combine /vadd /vscale (bigD1 e) /=; last by rewrite inE eqxx.
  rewrite eqxx; congr (_ + _); apply: eq_big => c; rewrite !inE.
    by case: (altP (c =P e)) => [-> | _] /=; rewrite ?andbT //; apply/esym/negbTE.
  by case/andP=> _ /negbTE ->.
have definite_s (x : I -> R) : (exists c, c \in s /\ x c <> 0) -> 0 < vnorm2 (combine (mem s) x D).
  case=> c [cs xc]; have := definite (fun d => if d == e then 0 else x d).
  rewrite extend (_ : (0%R * D e + combine (mem s) x D)%V = combine (mem s) x D); last by vec_ring.
  apply; exists c; split; first by rewrite inE cs orbT.
  by case: (altP (c =P e)) => // ce; move: es; rewrite -ce cs.
have [x Hx] := IH uniq_s definite_s b.
have [y Hy] := IH uniq_s definite_s (fun c => dot (D c) (D e)).
(* residual of D e after projection onto the span of the others *)
pose res := (D e - combine (mem s) y D)%V.
have res_orth c : c \in s -> dot (D c) res = 0 by move=> cs; rewrite dotBr Hy //; lra.
have res_span (z : I -> R) : dot (combine (mem s) z D) res = 0.
  by rewrite dot_combinel; apply: sum0 => c cs; rewrite res_orth //; ring.
have res_pos : 0 < dot (D e) res.
  have := definite (fun c => if c == e then 1 else - y c).
  rewrite extend => H.
  have E : (1%R * D e + combine (mem s) (fun c => - y c)%R D)%V = res.
    rewrite /res; apply: vec_ext => j; rewrite /vadd /vsub /vscale /combine.
    have -> : \sum_(c | mem s c) - y c * D c j = - \sum_(c | mem s c) y c * D c j.
      by rewrite -sumN; apply: eq_bigr => c _; ring.
    ring.
  rewrite E in H.
  have : 0 < vnorm2 res.
    apply: H; exists e; split; first by rewrite inE eqxx.
    by rewrite eqxx; lra.
  by rewrite /vnorm2 {1}/res dotBl res_span; lra.
pose t := (b e - dot (D e) (combine (mem s) x D)) / dot (D e) res.
exists (fun c => if c == e then t else x c - t * y c) => c.
have -> : combine (mem (e :: s)) (fun d => if d == e then t else x d - t * y d) D =
          (combine (mem s) x D + t * res)%V.
  rewrite extend combine_sub combine_scale /res; vec_ring.
rewrite dotDr dotZr inE => /orP[/eqP -> | cs]; first by rewrite /t; field; lra.
by rewrite res_orth // Hx //; ring.
Qed.

Theorem gram_solve (A : pred I) :
  (forall x : I -> R, (exists c, A c /\ x c <> 0) -> 0 < vnorm2 (combine A x D)) ->
  forall b : I -> R, exists x : I -> R, forall c, A c -> dot (D c) (combine A x D) = b c.
Proof.
move=> definite b.
have mem_A (x : I -> R) : combine (mem (enum A)) x D = combine A x D.
  by apply: vec_ext => j; apply: eq_bigl => c; apply: mem_enum.
have [|x Hx] := @gram_solve_seq (enum A) (enum_uniq A) _ b.
  move=> x [c [cA xc]]; rewrite mem_A; apply: definite; exists c; split=> //.
  by rewrite mem_enum in cA.
by exists x => c Ac; rewrite -mem_A Hx // mem_enum.
Qed.
End Solve.
