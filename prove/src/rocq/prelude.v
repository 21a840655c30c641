From Coq Require Import Classical List PArith FMapPositive.
Import ListNotations.

(* ------------------------------------------------------------------------------------------------------------------------------ *)
(* Sets and relations, as in .cat. A set is a predicate of one event, a relation one of two.                                        *)
(* ------------------------------------------------------------------------------------------------------------------------------ *)

Section Sets_and_relations.
  Context {E : Type}.
  Implicit Types A B : E -> Prop.
  Implicit Types r s e first second S : E -> E -> Prop.

  Definition no_events : E -> Prop := fun _ => False.
  Definition all_events : E -> Prop := fun _ => True.
  Definition set_union A B : E -> Prop := fun x => A x \/ B x.
  Definition set_inter A B : E -> Prop := fun x => A x /\ B x.
  Definition set_minus A B : E -> Prop := fun x => A x /\ ~ B x.
  Definition no_pairs : E -> E -> Prop := fun _ _ => False.
  Definition all_pairs : E -> E -> Prop := fun _ _ => True.
  Definition union r s : E -> E -> Prop := fun x y => r x y \/ s x y.
  Definition inter r s : E -> E -> Prop := fun x y => r x y /\ s x y.
  Definition minus r s : E -> E -> Prop := fun x y => r x y /\ ~ s x y.
  Definition seq r s : E -> E -> Prop := fun x y => exists z, r x z /\ s z y.
  Definition product A B : E -> E -> Prop := fun x y => A x /\ B y.
  Definition diagonal A : E -> E -> Prop := fun x y => x = y /\ A x.
  Definition inverse r : E -> E -> Prop := fun x y => r y x.
  Definition from A r : E -> E -> Prop := fun x y => A x /\ r x y. (* [A]; r *)
  Definition into r A : E -> E -> Prop := fun x y => r x y /\ A y. (* r; [A] *)
  Definition domain r : E -> Prop := fun x => exists y, r x y.
  Definition range r : E -> Prop := fun x => exists y, r y x.

  (* r+, the least transitive relation that contains r *)
  Inductive closure (r : E -> E -> Prop) : E -> E -> Prop :=
  | closure_one : forall x y, r x y -> closure r x y
  | closure_more : forall x z y, closure r x z -> r z y -> closure r x y.

  Definition no_event A : Prop := forall x, ~ A x.
  Definition empty r : Prop := forall x y, ~ r x y.
  Definition irreflexive r : Prop := forall x, ~ r x x.
  Definition acyclic r : Prop := irreflexive (closure r).

  Lemma closure_trans : forall r x z y, closure r x z -> closure r z y -> closure r x y.
  Proof. intros r x z y a b. induction b; eauto using closure_more. Qed.

  Lemma acyclic_irreflexive : forall r, acyclic r -> irreflexive r.
  Proof. intros r h x p. exact (h x (closure_one _ _ _ p)). Qed.

  Lemma closure_of_none_at : forall x y, closure no_pairs x y -> False.
  Proof. intros x y p. now induction p. Qed.

  Lemma closure_of_none : irreflexive (closure no_pairs).
  Proof. intros x p. exact (closure_of_none_at _ _ p). Qed.

  Lemma closure_last : forall r x y, closure r x y -> r x y \/ exists z, closure r x z /\ r z y.
  Proof. intros r x y []; eauto. Qed.

  (* Each step is one of t or of s, and t is transitive: before a last step of t there is one of s, or nothing. *)
  Lemma closure_ends : forall r t s x y, closure r x y ->
    (forall a b, r a b -> t a b \/ s a b) -> (forall a b c, t a b -> t b c -> t a c) ->
    ((s x y \/ exists z, closure r x z /\ s z y) \/ t x y) \/
    exists z, (s x z \/ exists w, closure r x w /\ s w z) /\ t z y.
  Proof.
    intros r t s x y p edges trans. induction p as [x y h|x z y p IH h]; destruct (edges _ _ h) as [f|f]; eauto 6.
    destruct IH as [[a|a]|(w & a & b)]; eauto 6.
  Qed.

  (* A contradiction, from what holds and what refutes each of its parts: as applications these are checked faster than as matches. *)
  Definition both {A B : Prop} (p : A /\ B) (refuted : A -> B -> False) : False := match p with conj a b => refuted a b end.
  Definition either {A B : Prop} (p : A \/ B) (first : A -> False) (second : B -> False) : False :=
    match p with or_introl a => first a | or_intror b => second b end.
  Definition some {A : E -> Prop} (p : exists x, A x) (refuted : forall x, A x -> False) : False :=
    match p with ex_intro _ x a => refuted x a end.

  (* A value is shared by several existences, of which only the first whose guard G holds decides what it is. *)
  Lemma share : forall (G : Prop) A B,
    (exists y, A y) -> (exists y, B y) -> (~ G -> forall y, A y) -> exists y, A y /\ (G \/ B y).
  Proof. intros G A B [a ha] [b hb] idle. destruct (classic G) as [g|n]; eauto. Qed.

  Lemma equal_one : forall A x y, x = y -> A x -> A y.
  Proof. intros A x y <-; trivial. Qed.

  Lemma equal_two : forall r a b c d, a = c -> b = d -> r a b -> r c d.
  Proof. intros r a b c d <- <-; trivial. Qed.

  (* No cycle of two kinds of edges: the first kind has none, and a strict order S contains each edge of the second kind, also behind
     any number of the first. A cycle, cut behind each edge of the second kind, would be one of S. *)
  Lemma acyclic_first : forall r, irreflexive (closure r) -> acyclic r.
  Proof. intros r h. exact h. Qed.

  Lemma acyclic_orders : forall e first second S,
    (forall x y, e x y -> first x y \/ second x y) ->
    irreflexive (closure first) ->
    irreflexive S -> (forall x y, seq S S x y -> S x y) ->
    (forall x y, second x y -> S x y) ->
    (forall x y, seq (closure first) second x y -> S x y) ->
    acyclic e.
  Proof.
    intros e first second S edges firsts strict trans one behind.
    assert (step : forall x z y, S x z -> S z y -> S x y) by (intros x z y a b; apply trans; exists z; auto).
    assert (later : forall x z y, closure first x z -> second z y -> S x y) by (intros x z y a b; apply behind; exists z; auto).
    assert (path : forall x y, closure e x y -> closure first x y \/
      exists z, S x z /\ (forall w, closure first w x -> S w z) /\ (z = y \/ closure first z y)).
    { intros x y p. induction p as [x y h|x z y p IH h]; destruct (edges _ _ h) as [f|s].
      - left. now apply closure_one.
      - right. exists y. repeat split; eauto.
      - destruct IH as [c|(u & a & b & c)].
        + left. eauto using closure_more.
        + right. exists u. repeat split; auto. right. destruct c as [->|c]; eauto using closure_one, closure_more.
      - right. exists y. destruct IH as [c|(u & a & b & c)].
        + repeat split; eauto using closure_trans.
        + assert (S u y) by (destruct c as [->|c]; eauto). repeat split; eauto. }
    intros x p. destruct (path _ _ p) as [c|(z & a & b & [->|c])].
    - exact (firsts _ c).
    - exact (strict _ a).
    - exact (strict _ (b _ c)).
  Qed.
End Sets_and_relations.

(* ------------------------------------------------------------------------------------------------------------------------------ *)
(* Refutations. Atoms are numbered; a clause says that its premises imply one of its conclusions. A step names clauses (those given    *)
(* first, then those of earlier steps) from which its own clause follows by unit propagation along them.                              *)
(* ------------------------------------------------------------------------------------------------------------------------------ *)

Module Refutation.
  Inductive atoms := none | node (even : atoms) (own : Prop) (odd : atoms).

  Fixpoint atom (t : atoms) (n : positive) : Prop :=
    match t with
    | none => True
    | node l p r => match n with xH => p | xO m => atom l m | xI m => atom r m end
    end.

  Definition clause : Type := list positive * list positive.
  Definition step : Type := clause * list positive.

  Section Meaning.
    Variable v : positive -> Prop.

    Fixpoint one_of (ps : list positive) : Prop :=
      match ps with [] => False | [p] => v p | p :: rest => v p \/ one_of rest end.
    Fixpoint implied (ns ps : list positive) : Prop :=
      match ns with [] => one_of ps | n :: rest => v n -> implied rest ps end.
    Definition holds (c : clause) : Prop := implied (fst c) (snd c).
    Fixpoint all (cs : list clause) : Prop :=
      match cs with [] => True | c :: rest => holds c /\ all rest end.
  End Meaning.

  Definition values := PositiveMap.t bool.
  Definition store := PositiveMap.t clause.

  (* What a clause says under an assignment. *)
  Inductive status := open | satisfied | unit (n : positive) (b : bool) | violated.

  Fixpoint look (a : values) (b : bool) (ns : list positive) (so_far : status) : status :=
    match ns with
    | [] => so_far
    | n :: rest =>
        match PositiveMap.find n a with
        | Some c => if Bool.eqb c b then satisfied else look a b rest so_far
        | None =>
            match so_far with
            | violated => look a b rest (unit n b)
            | unit m c => if (Pos.eqb m n && Bool.eqb b c)%bool then look a b rest so_far else open
            | _ => so_far
            end
        end
    end.

  Definition read (a : values) (c : clause) : status :=
    match look a false (fst c) violated with
    | satisfied => satisfied
    | open => open
    | so_far => look a true (snd c) so_far
    end.

  Fixpoint propagate (known : store) (a : values) (hints : list positive) : bool :=
    match hints with
    | [] => false
    | h :: rest =>
        match PositiveMap.find h known with
        | None => false
        | Some c =>
            match read a c with
            | violated => true
            | unit n b => propagate known (PositiveMap.add n b a) rest
            | _ => propagate known a rest
            end
        end
    end.

  Fixpoint assign (b : bool) (ns : list positive) (a : values) : values :=
    match ns with [] => a | n :: rest => assign b rest (PositiveMap.add n b a) end.

  (* The negation of a clause; None if it contradicts itself. *)
  Definition negation (c : clause) : values := assign false (snd c) (assign true (fst c) (PositiveMap.empty bool)).

  Fixpoint run (known : store) (next : positive) (steps : list step) : bool :=
    match steps with
    | [] => false
    | (c, hints) :: rest =>
        if propagate known (negation c) hints
        then match c with ([], []) => true | _ => run (PositiveMap.add next c known) (Pos.succ next) rest end
        else false
    end.

  Fixpoint number (cs : list clause) (known : store) (next : positive) : store * positive :=
    match cs with [] => (known, next) | c :: rest => number rest (PositiveMap.add next c known) (Pos.succ next) end.

  Definition check (given : list clause) (steps : list step) : bool :=
    let (known, next) := number given (PositiveMap.empty clause) 1 in run known next steps.

  Section Soundness.
    Variable v : positive -> Prop.

    Definition says (n : positive) (b : bool) : Prop := if b then v n else ~ v n.
    Definition agrees (a : values) : Prop := forall n b, PositiveMap.find n a = Some b -> says n b.

    Lemma agrees_add : forall a n b, agrees a -> says n b -> agrees (PositiveMap.add n b a).
    Proof.
      intros a n b ok own m c. destruct (Pos.eq_dec m n) as [->|other].
      - rewrite PositiveMap.gss. intros [= <-]. exact own.
      - rewrite PositiveMap.gso by exact other. apply ok.
    Qed.

    Lemma one_of_some : forall ps, one_of v ps <-> exists p, In p ps /\ v p.
    Proof.
      induction ps as [|p [|q rest] IH]; simpl in *.
      - firstorder.
      - split; [intros h; exists p; auto | intros (q & [->|[]] & h); exact h].
      - rewrite IH. split.
        + intros [h|(r & i & h)]; eauto.
        + intros (r & [->|i] & h); eauto.
    Qed.

    Lemma implied_all : forall ns ps, implied v ns ps <-> ((forall n, In n ns -> v n) -> one_of v ps).
    Proof.
      induction ns as [|n rest IH]; intros ps; simpl.
      - firstorder.
      - rewrite IH. split.
        + intros h k. apply h; auto.
        + intros h a k. apply h. intros m [<-|i]; auto.
    Qed.

    (* A literal of the clause that is true, seen from its negation. *)
    Definition true_in (c : clause) : Prop := (exists n, In n (fst c) /\ ~ v n) \/ (exists p, In p (snd c) /\ v p).

    Lemma holds_true : forall c, holds v c <-> true_in c.
    Proof.
      intros [ns ps]. unfold holds, true_in. simpl. rewrite implied_all, one_of_some. split.
      - intros h. destruct (classic (forall n, In n ns -> v n)) as [k|k]; [right; auto|].
        left. apply not_all_ex_not in k. destruct k as [n k]. exists n. apply imply_to_and in k. exact k.
      - intros [(n & i & no)|h] k; [elim no; auto | exact h].
    Qed.

    Definition left (so_far : status) (rest : Prop) : Prop :=
      match so_far with violated => rest | unit n b => rest \/ says n b | _ => True end.

    Lemma look_sound : forall a b ns so_far Q, agrees a ->
      left so_far ((exists n, In n ns /\ says n b) \/ Q) -> left (look a b ns so_far) Q.
    Proof.
      intros a b ns. induction ns as [|n rest IH]; intros so_far Q ok h; simpl.
      - assert (none : ~ exists n, In n [] /\ says n b) by (intros (? & [] & _)).
        destruct so_far; simpl in *; tauto.
      - destruct (PositiveMap.find n a) as [c|] eqn:found.
        + apply ok in found. destruct (Bool.eqb c b) eqn:same; [exact I|]. apply IH; [exact ok|].
          assert (no : ~ says n b) by (destruct c, b; simpl in *; try discriminate; auto).
          assert (move : (exists m, In m (n :: rest) /\ says m b) -> exists m, In m rest /\ says m b).
          { intros (m & [<-|i] & t); [contradiction | eauto]. }
          destruct so_far; simpl left in *; tauto.
        + assert (move : (exists m, In m (n :: rest) /\ says m b) -> says n b \/ exists m, In m rest /\ says m b).
          { intros (m & [<-|i] & t); eauto. }
          destruct so_far as [| |m c|]; simpl left in h; try exact I.
          * destruct (Pos.eqb m n && Bool.eqb b c)%bool eqn:same; [|exact I].
            apply andb_prop in same. destruct same as [e f]. apply Pos.eqb_eq in e. apply Bool.eqb_prop in f. subst.
            apply IH; [exact ok|]. simpl left. tauto.
          * apply IH; [exact ok|]. simpl left. tauto.
    Qed.

    Lemma read_sound : forall a c, agrees a -> holds v c -> left (read a c) False.
    Proof.
      intros a c ok h. apply holds_true in h. unfold read.
      assert (first : left (look a false (fst c) violated) (exists p, In p (snd c) /\ says p true)).
      { apply look_sound; [exact ok|]. exact h. }
      destruct (look a false (fst c) violated); try exact I; apply look_sound; auto; simpl left in *; tauto.
    Qed.

    Definition all_hold (known : store) : Prop := forall n c, PositiveMap.find n known = Some c -> holds v c.

    Lemma propagate_sound : forall known hints a, all_hold known -> agrees a -> propagate known a hints = true -> False.
    Proof.
      intros known hints. induction hints as [|h rest IH]; intros a ok ag; simpl; [discriminate|].
      destruct (PositiveMap.find h known) as [c|] eqn:found; [|discriminate].
      pose proof (read_sound a c ag (ok _ _ found)) as r.
      destruct (read a c); simpl in r; eauto. intros p. apply (IH _ ok) in p; [exact p|].
      apply agrees_add; [exact ag | tauto].
    Qed.

    Lemma agrees_assign : forall b ns a, agrees a -> (forall n, In n ns -> says n b) -> agrees (assign b ns a).
    Proof.
      intros b ns. induction ns as [|n rest IH]; intros a ag h; simpl; [exact ag|].
      apply IH; [apply agrees_add|]; simpl in *; auto.
    Qed.

    Lemma step_sound : forall known c hints, all_hold known -> propagate known (negation c) hints = true -> holds v c.
    Proof.
      intros known c hints ok p. apply NNPP. intros no. rewrite holds_true in no. unfold true_in in no.
      apply (propagate_sound _ _ _ ok) in p; [exact p|]. unfold negation. repeat apply agrees_assign.
      - intros n b. rewrite PositiveMap.gempty. discriminate.
      - intros n i. simpl. apply NNPP. intros h. apply no. eauto.
      - intros n i h. apply no. eauto.
    Qed.

    Lemma all_hold_add : forall known n c, all_hold known -> holds v c -> all_hold (PositiveMap.add n c known).
    Proof.
      intros known n c ok h m d. destruct (Pos.eq_dec m n) as [->|other].
      - rewrite PositiveMap.gss. intros [= <-]. exact h.
      - rewrite PositiveMap.gso by exact other. apply ok.
    Qed.

    Lemma run_sound : forall steps known next, all_hold known -> run known next steps = true -> False.
    Proof.
      induction steps as [|[c hints] rest IH]; intros known next ok; simpl; [discriminate|].
      destruct (propagate known (negation c) hints) eqn:p; [|discriminate].
      pose proof (step_sound _ _ _ ok p) as h.
      destruct c as [[|n ns] [|q ps]]; [intros _; exact h | | |]; intros r; eapply IH; try exact r; apply all_hold_add; auto.
    Qed.

    Lemma number_sound : forall cs known next, all_hold known -> all v cs -> all_hold (fst (number cs known next)).
    Proof.
      induction cs as [|c rest IH]; intros known next ok h; simpl in *; [exact ok|].
      apply IH; [apply all_hold_add|]; tauto.
    Qed.

    Theorem sound : forall given steps, check given steps = true -> all v given -> False.
    Proof.
      intros given steps c h. unfold check in c.
      pose proof (number_sound given (PositiveMap.empty clause) 1) as n. destruct (number _ _ _) as [known next].
      apply run_sound in c; [exact c|]. apply n; [|exact h]. intros m d. rewrite PositiveMap.gempty. discriminate.
    Qed.
  End Soundness.
End Refutation.

Declare Scope cat_scope.
Notation "A ∪₁ B" := (set_union A B) (at level 50, left associativity) : cat_scope.
Notation "A ∩₁ B" := (set_inter A B) (at level 40, left associativity) : cat_scope.
Notation "A \₁ B" := (set_minus A B) (at level 40, left associativity) : cat_scope.
Notation "r ∪ s" := (union r s) (at level 50, left associativity) : cat_scope.
Notation "r ∩ s" := (inter r s) (at level 40, left associativity) : cat_scope.
Notation "r \ s" := (minus r s) (at level 40, left associativity) : cat_scope.
Notation "r ⨾ s" := (seq r s) (at level 45, right associativity) : cat_scope.
Notation "A × B" := (product A B) (at level 40, left associativity) : cat_scope.
Notation "⦗ A ⦘" := (diagonal A) (format "⦗ A ⦘") : cat_scope.
Notation "A ◁ r" := (from A r) (at level 45, right associativity) : cat_scope. (* [A]; r *)
Notation "r ▷ A" := (into r A) (at level 45, no associativity) : cat_scope. (* r; [A] *)
Notation "r ⁻¹" := (inverse r) (at level 1, format "r ⁻¹") : cat_scope.
Notation "r ⁺" := (closure r) (at level 1, format "r ⁺") : cat_scope.
Open Scope cat_scope.

(* Tactics: small facts are proved by taking what is supposed apart, and putting what is claimed together. *)
Ltac opened :=
  cbv beta delta [empty no_event irreflexive acyclic not no_events all_events set_union set_inter set_minus no_pairs all_pairs union inter
    minus seq product diagonal inverse from into domain range] in *.
Ltac apart :=
  repeat match goal with
  | h : _ /\ _ |- _ => destruct h
  | h : _ \/ _ |- _ => destruct h
  | h : exists _, _ |- _ => destruct h
  | h : False |- _ => destruct h
  | h : True |- _ => clear h
  end; subst.
Ltac build :=
  lazymatch goal with
  | |- _ /\ _ => split; build
  | |- exists _, _ => eexists; build
  | |- _ \/ _ => (left; build) + (right; build)
  | |- _ => multimatch goal with h : _ |- _ => exact h | |- _ => reflexivity end
  end.
(* The same, where an event that nothing is asked of may be any. *)
Ltac build_with_any := unshelve build; assumption.
(* What is claimed is denied, and a supposition says that this cannot be: its premises are put together, and its denials follow. *)
Ltac put_together no :=
  lazymatch goal with
  | |- _ /\ _ => split; put_together no
  | |- exists _, _ => eexists; put_together no
  | |- _ -> False => let h := fresh in intro h; apart; apply no; build
  | |- _ => build
  end.
Ltac contradict :=
  apply NNPP; let no := fresh in intro no; opened;
  match goal with h : forall _, _ |- False => solve [eapply h; put_together no] end.
Ltac crush :=
  intros; opened; intros; apart;
  first
    [ solve [build]
    | solve [build_with_any]
    | solve [contradict]
    | match goal with h : forall _ _, _ -> _, p : _ |- exists _, _ => solve [apply h in p; opened; apart; build_with_any] end
    | solve [eauto 6]
    | match goal with h : _ |- _ => solve [eapply h; build] end
    | lazymatch goal with |- exists _, _ => solve [firstorder] | |- False => solve [firstorder] end
    | apply NNPP; let no := fresh in intro no; opened; first [solve [eauto 6] | solve [firstorder] ]
    | solve [eauto 12] ].
Ltac idle no :=
  lazymatch goal with
  | |- _ /\ _ => split; idle no
  | |- _ \/ _ => right; idle no
  | |- _ => intros; exfalso; apply no; first [solve [build] | tauto]
  end.
