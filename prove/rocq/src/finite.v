
(* ------------------------------------------------------------------------------------------------------------------------------ *)
(* Executions of a few events: what holds of them is computed.                                                                      *)
(* ------------------------------------------------------------------------------------------------------------------------------ *)

From Coq Require Eqdep_dec.
(* What is computed is found by the words that it is made of, and not by what these mean. *)
#[global] Typeclasses Opaque no_events all_events set_union set_inter set_minus no_pairs all_pairs union inter minus seq product diagonal
  inverse from into domain range no_event empty irreflexive acyclic.

Module Finite.
  (* Sets and relations of numbers. *)
  Definition table : Type := list (list bool).
  Definition has (s : list bool) (i : nat) : bool := nth i s false.
  Definition get (t : table) (i j : nat) : bool := nth j (nth i t []) false.
  Definition numbers (n : nat) : list nat := List.seq 0 n.
  Definition listed (n : nat) (f : nat -> bool) : list bool := map f (numbers n).
  Definition tabled (n : nat) (f : nat -> nat -> bool) : table := map (fun i => map (f i) (numbers n)) (numbers n).
  Definition of_list (n : nat) (all : list nat) : list bool := listed n (fun i => existsb (Nat.eqb i) all).
  Definition of_pairs (n : nat) (all : list (nat * nat)) : table :=
    tabled n (fun i j => existsb (fun p => (Nat.eqb i (fst p) && Nat.eqb j (snd p))%bool) all).

  Lemma nth_numbers : forall (A : Type) (f : nat -> A) n i d, i < n -> nth i (map f (numbers n)) d = f i.
  Proof.
    intros A f n i d h. rewrite (nth_indep _ d (f 0)) by (unfold numbers; now rewrite map_length, seq_length).
    rewrite map_nth. unfold numbers. now rewrite seq_nth.
  Qed.
  Lemma has_listed : forall n f i, i < n -> has (listed n f) i = f i.
  Proof. intros. now apply nth_numbers. Qed.
  Lemma get_tabled : forall n f i j, i < n -> j < n -> get (tabled n f) i j = f i j.
  Proof. intros n f i j h k. unfold get, tabled. rewrite (nth_numbers _ _ _ _ _ h). now apply nth_numbers. Qed.
  Lemma in_numbers : forall n i, In i (numbers n) <-> i < n.
  Proof. intros n i. unfold numbers. rewrite in_seq. split; [intros [_ h]; exact h|intros h; split; [apply Nat.le_0_l|exact h]]. Qed.

  (* Each event has a number, and each number below the size an event. *)
  Class Numbered (E : Type) : Type := {
    size : nat;
    number : E -> nat;
    number_below : forall x, number x < size;
    number_of_one : forall k, k < size -> exists x, number x = k;
    number_apart : forall x y, number x = number y -> x = y
  }.

  Section Computed.
  Context {E : Type} {N : Numbered E}.

  Lemma some_number : forall f, (exists x : E, f (number x) = true) <-> existsb f (numbers size) = true.
  Proof.
    intros f. rewrite existsb_exists. split.
    - intros [x h]. exists (number x). rewrite in_numbers. split; [apply number_below|exact h].
    - intros (k & h & t). rewrite in_numbers in h. destruct (number_of_one k h) as [x <-]. eauto.
  Qed.
  Lemma all_numbers : forall f, (forall x : E, f (number x) = true) <-> forallb f (numbers size) = true.
  Proof.
    intros f. rewrite forallb_forall. split.
    - intros h k i. rewrite in_numbers in i. destruct (number_of_one k i) as [x <-]. apply h.
    - intros h x. apply h. rewrite in_numbers. apply number_below.
  Qed.

  (* A set that is computed, and a relation. *)
  Class Members (A : E -> Prop) : Type := { members : list bool; is_member : forall x, A x <-> has members (number x) = true }.
  Class Rows (r : E -> E -> Prop) : Type := { rows : table; is_pair : forall x y, r x y <-> get rows (number x) (number y) = true }.

  Lemma member_by : forall (A : E -> Prop) f, (forall x, A x <-> f (number x) = true) ->
    forall x, A x <-> has (listed size f) (number x) = true.
  Proof. intros A f h x. rewrite has_listed; auto using number_below. Qed.
  Lemma pair_by : forall (r : E -> E -> Prop) f, (forall x y, r x y <-> f (number x) (number y) = true) ->
    forall x y, r x y <-> get (tabled size f) (number x) (number y) = true.
  Proof. intros r f h x y. rewrite get_tabled; auto using number_below. Qed.

  Definition members_by (A : E -> Prop) f h : Members A := {| members := listed size f; is_member := member_by A f h |}.
  Definition rows_by (r : E -> E -> Prop) f h : Rows r := {| rows := tabled size f; is_pair := pair_by r f h |}.

  (* The same, with a table that was computed before. *)
  Definition same_members {A : E -> Prop} (S : Members A) (t : list bool) (h : members = t) : Members A.
  Proof. exists t. intros x. rewrite <- h. apply is_member. Defined.
  Definition same_rows {r : E -> E -> Prop} (S : Rows r) (t : table) (h : rows = t) : Rows r.
  Proof. exists t. intros x y. rewrite <- h. apply is_pair. Defined.

  Ltac booleans := repeat first [rewrite Bool.andb_true_iff | rewrite Bool.orb_true_iff | rewrite Bool.negb_true_iff
    | rewrite <- Bool.not_true_iff_false].

  #[global] Instance members_none : Members no_events.
  Proof. refine (members_by _ (fun _ => false) _). intros x. unfold no_events. split; [easy|discriminate]. Defined.
  #[global] Instance members_all : Members all_events.
  Proof. refine (members_by _ (fun _ => true) _). intros x. unfold all_events. now split. Defined.
  #[global] Instance members_union (A B : E -> Prop) (S : Members A) (T : Members B) : Members (set_union A B).
  Proof.
    refine (members_by _ (fun i => (has (members (A := A)) i || has (members (A := B)) i)%bool) _).
    intros x. booleans. rewrite <- !is_member. reflexivity.
  Defined.
  #[global] Instance members_inter (A B : E -> Prop) (S : Members A) (T : Members B) : Members (set_inter A B).
  Proof.
    refine (members_by _ (fun i => (has (members (A := A)) i && has (members (A := B)) i)%bool) _).
    intros x. booleans. rewrite <- !is_member. reflexivity.
  Defined.
  #[global] Instance members_minus (A B : E -> Prop) (S : Members A) (T : Members B) : Members (set_minus A B).
  Proof.
    refine (members_by _ (fun i => (has (members (A := A)) i && negb (has (members (A := B)) i))%bool) _).
    intros x. booleans. rewrite <- !is_member. reflexivity.
  Defined.
  #[global] Instance members_domain (r : E -> E -> Prop) (S : Rows r) : Members (domain r).
  Proof.
    refine (members_by _ (fun i => existsb (fun j => get (rows (r := r)) i j) (numbers size)) _).
    intros x. rewrite <- some_number. unfold domain. split; intros [y h]; exists y; now apply is_pair.
  Defined.
  #[global] Instance members_range (r : E -> E -> Prop) (S : Rows r) : Members (range r).
  Proof.
    refine (members_by _ (fun i => existsb (fun j => get (rows (r := r)) j i) (numbers size)) _).
    intros x. rewrite <- (some_number (fun j => get rows j (number x))). unfold range.
    split; intros [y h]; exists y; now apply is_pair.
  Defined.

  #[global] Instance rows_none : Rows no_pairs.
  Proof. refine (rows_by _ (fun _ _ => false) _). intros x y. unfold no_pairs. split; [easy|discriminate]. Defined.
  #[global] Instance rows_all : Rows all_pairs.
  Proof. refine (rows_by _ (fun _ _ => true) _). intros x y. unfold all_pairs. now split. Defined.
  #[global] Instance rows_equal : Rows (@eq E).
  Proof.
    refine (rows_by _ Nat.eqb _). intros x y. rewrite Nat.eqb_eq. split; [now intros <-|apply number_apart].
  Defined.
  #[global] Instance rows_union (r s : E -> E -> Prop) (R : Rows r) (S : Rows s) : Rows (union r s).
  Proof.
    refine (rows_by _ (fun i j => (get (rows (r := r)) i j || get (rows (r := s)) i j)%bool) _).
    intros x y. booleans. rewrite <- !is_pair. reflexivity.
  Defined.
  #[global] Instance rows_inter (r s : E -> E -> Prop) (R : Rows r) (S : Rows s) : Rows (inter r s).
  Proof.
    refine (rows_by _ (fun i j => (get (rows (r := r)) i j && get (rows (r := s)) i j)%bool) _).
    intros x y. booleans. rewrite <- !is_pair. reflexivity.
  Defined.
  #[global] Instance rows_minus (r s : E -> E -> Prop) (R : Rows r) (S : Rows s) : Rows (minus r s).
  Proof.
    refine (rows_by _ (fun i j => (get (rows (r := r)) i j && negb (get (rows (r := s)) i j))%bool) _).
    intros x y. booleans. rewrite <- !is_pair. reflexivity.
  Defined.
  #[global] Instance rows_seq (r s : E -> E -> Prop) (R : Rows r) (S : Rows s) : Rows (seq r s).
  Proof.
    refine (rows_by _ (fun i j => existsb (fun k => (get (rows (r := r)) i k && get (rows (r := s)) k j)%bool) (numbers size)) _).
    intros x y. rewrite <- (some_number (fun k => (get (rows (r := r)) (number x) k && get (rows (r := s)) k (number y))%bool)).
    unfold seq. split; intros [z h]; exists z; revert h; booleans; rewrite <- !is_pair; trivial.
  Defined.
  #[global] Instance rows_product (A B : E -> Prop) (S : Members A) (T : Members B) : Rows (product A B).
  Proof.
    refine (rows_by _ (fun i j => (has (members (A := A)) i && has (members (A := B)) j)%bool) _).
    intros x y. booleans. rewrite <- !is_member. reflexivity.
  Defined.
  #[global] Instance rows_diagonal (A : E -> Prop) (S : Members A) : Rows (diagonal A).
  Proof.
    refine (rows_by _ (fun i j => (Nat.eqb i j && has (members (A := A)) i)%bool) _).
    intros x y. booleans. rewrite <- is_member, Nat.eqb_eq. unfold diagonal.
    split; intros [h m]; split; trivial; [now rewrite h|now apply number_apart].
  Defined.
  #[global] Instance rows_inverse (r : E -> E -> Prop) (R : Rows r) : Rows (inverse r).
  Proof. refine (rows_by _ (fun i j => get (rows (r := r)) j i) _). intros x y. exact (is_pair (r := r) y x). Defined.
  #[global] Instance rows_from (A : E -> Prop) (r : E -> E -> Prop) (S : Members A) (R : Rows r) : Rows (from A r).
  Proof.
    refine (rows_by _ (fun i j => (has (members (A := A)) i && get (rows (r := r)) i j)%bool) _).
    intros x y. booleans. rewrite <- is_member, <- is_pair. reflexivity.
  Defined.
  #[global] Instance rows_into (r : E -> E -> Prop) (A : E -> Prop) (R : Rows r) (S : Members A) : Rows (into r A).
  Proof.
    refine (rows_by _ (fun i j => (get (rows (r := r)) i j && has (members (A := A)) j)%bool) _).
    intros x y. booleans. rewrite <- is_member, <- is_pair. reflexivity.
  Defined.

  (* A closure: the table is squared, and that nothing is missing is computed, too. *)
  Fixpoint closed_by (n k : nat) (t : table) : table :=
    match k with
    | 0 => t
    | S k => closed_by n k (tabled n (fun i j => (get t i j || existsb (fun m => (get t i m && get t m j)%bool) (numbers n))%bool))
    end.
  Definition closed (c t : table) : bool := forallb (fun i => forallb (fun j =>
    (implb (get t i j) (get c i j) && forallb (fun m => implb (get c i m && get t m j)%bool (get c i j)) (numbers size))%bool)
    (numbers size)) (numbers size).

  Lemma closed_by_sound : forall (r : E -> E -> Prop) k t,
    (forall x y, get t (number x) (number y) = true -> closure r x y) ->
    forall x y, get (closed_by size k t) (number x) (number y) = true -> closure r x y.
  Proof.
    intros r k. induction k as [|k IH]; intros t h x y; [apply h|]. apply IH. clear x y. intros x y.
    rewrite get_tabled by apply number_below. booleans. intros [a|a]; [now apply h|].
    rewrite <- (some_number (fun m => (get t (number x) m && get t m (number y))%bool)) in a. destruct a as [z a].
    revert a. booleans. intros [a b]. apply closure_trans with z; now apply h.
  Qed.
  Lemma closed_holds : forall (r : E -> E -> Prop) c t, closed c t = true ->
    (forall x y, r x y -> get t (number x) (number y) = true) -> forall x y, closure r x y -> get c (number x) (number y) = true.
  Proof.
    intros r c t h pairs. unfold closed in h. rewrite <- all_numbers in h.
    assert (all : forall x y : E, implb (get t (number x) (number y)) (get c (number x) (number y)) = true /\
      forall z : E, implb (get c (number x) (number z) && get t (number z) (number y))%bool (get c (number x) (number y)) = true).
    { intros x y. specialize (h x). rewrite <- all_numbers in h. specialize (h y). rewrite Bool.andb_true_iff in h.
      destruct h as [a b]. split; [exact a|]. rewrite <- all_numbers in b. exact b. }
    intros x y p. induction p as [x y a|x z y p IH a].
    - destruct (all x y) as [b _]. now rewrite (pairs _ _ a) in b.
    - destruct (all x y) as [_ b]. specialize (b z). now rewrite IH, (pairs _ _ a) in b.
  Qed.
  Definition rows_closure {r : E -> E -> Prop} (R : Rows r) (c : table) (all : closed c (rows (r := r)) = true)
    (same : closed_by size 6 (rows (r := r)) = c) : Rows (closure r).
  Proof.
    exists c. intros x y. split.
    - apply (closed_holds r _ _ all). intros a b. apply is_pair.
    - rewrite <- same. apply closed_by_sound. intros a b h. apply closure_one. now apply is_pair.
  Defined.

  (* A recursive relation: the least table that a step does not enlarge. *)
  Definition in_table (t : table) : E -> E -> Prop := fun x y => get t (number x) (number y) = true.
  #[global] Instance rows_in_table (t : table) : Rows (in_table t).
  Proof. exists t. now intros x y. Defined.
  Definition none : table := [].
  Fixpoint repeated (k : nat) (step : table -> table) (t : table) : table :=
    match k with 0 => t | S k => repeated k step (step t) end.
  Lemma repeated_sound : forall (r : E -> E -> Prop) (F : (E -> E -> Prop) -> E -> E -> Prop) (S : forall t, Rows (F (in_table t))),
    (forall s : E -> E -> Prop, (forall x y, s x y -> r x y) -> forall x y, F s x y -> r x y) ->
    forall k t, (forall x y, in_table t x y -> r x y) ->
    forall x y, in_table (repeated k (fun t => rows (Rows := S t)) t) x y -> r x y.
  Proof.
    intros r F S step k. induction k as [|k IH]; intros t h; [exact h|]. apply IH. intros x y a.
    apply (step (in_table t) h). apply is_pair. exact a.
  Qed.
  Lemma none_in : forall (r : E -> E -> Prop) x y, in_table none x y -> r x y.
  Proof. intros r x y h. unfold in_table, get, none in h. destruct (number x), (number y); discriminate h. Qed.
  (* The lemma about a step, and that a table has all. *)
  Definition rows_least (r : E -> E -> Prop) (F : (E -> E -> Prop) -> E -> E -> Prop) (S : forall t, Rows (F (in_table t))) (t : table)
    (within : forall x y, r x y -> in_table t x y)
    (step : forall s : E -> E -> Prop, (forall x y, s x y -> r x y) -> forall x y, F s x y -> r x y)
    (same : repeated (size * size) (fun t => rows (Rows := S t)) none = t) : Rows r.
  Proof.
    exists t. intros x y. split; [apply within|]. intros h. rewrite <- same in h.
    exact (repeated_sound r F S step _ _ (none_in r) x y h).
  Defined.

  (* Sentences whose truth is computed. *)
  Class Is (x : E) (k : nat) : Prop := is_number : number x = k.
  Class Holds (P : Prop) (b : bool) : Prop := holds : P <-> b = true.
  Lemma by_computing : forall P b, Holds P b -> b = true -> P.
  Proof. intros P b [_ h]. exact h. Qed.

  #[global] Instance holds_member A (S : Members A) x k (X : Is x k) : Holds (A x) (has (members (A := A)) k).
  Proof. unfold Holds. rewrite <- X. apply is_member. Qed.
  #[global] Instance holds_pair r (R : Rows r) x y k l (X : Is x k) (Y : Is y l) : Holds (r x y) (get (rows (r := r)) k l).
  Proof. unfold Holds. rewrite <- X, <- Y. apply is_pair. Qed.
  #[global] Instance holds_equal (x y : E) k l (X : Is x k) (Y : Is y l) : Holds (x = y) (Nat.eqb k l).
  Proof. unfold Holds. rewrite <- X, <- Y, Nat.eqb_eq. split; [now intros <-|apply number_apart]. Qed.
  #[global] Instance holds_false : Holds False false.
  Proof. unfold Holds. split; [easy|discriminate]. Qed.
  #[global] Instance holds_not P b (H : Holds P b) : Holds (~ P) (negb b).
  Proof. unfold Holds in *. rewrite H. booleans. reflexivity. Qed.
  #[global] Instance holds_and P Q b c (H : Holds P b) (I : Holds Q c) : Holds (P /\ Q) (if b then c else false).
  Proof. unfold Holds in *. rewrite H, I. destruct b; split; try tauto; easy. Qed.
  #[global] Instance holds_or P Q b c (H : Holds P b) (I : Holds Q c) : Holds (P \/ Q) (if b then true else c).
  Proof. unfold Holds in *. rewrite H, I. destruct b; split; try tauto; intros [h|h]; easy. Qed.
  #[global] Instance holds_implied P Q b c (H : Holds P b) (I : Holds Q c) : Holds (P -> Q) (if b then c else true).
  Proof. unfold Holds in *. rewrite H, I. destruct b; split; intros; auto; easy. Qed.
  #[global] Instance holds_all (P : E -> Prop) (b : nat -> bool) (H : forall x k, Is x k -> Holds (P x) (b k)) :
    Holds (forall x, P x) (forallb b (numbers size)).
  Proof. unfold Holds. rewrite <- all_numbers. split; intros h x; apply (H x (number x) eq_refl), h. Qed.
  #[global] Instance holds_no_event A (S : Members A) : Holds (no_event A) (forallb (fun i => negb (has (members (A := A)) i)) (numbers size)).
  Proof. unfold Holds. rewrite <- all_numbers. split; intros h x; specialize (h x); revert h; booleans; now rewrite <- is_member. Qed.
  #[global] Instance holds_irreflexive r (R : Rows r) :
    Holds (irreflexive r) (forallb (fun i => negb (get (rows (r := r)) i i)) (numbers size)).
  Proof. unfold Holds. rewrite <- all_numbers. split; intros h x; specialize (h x); revert h; booleans; now rewrite <- is_pair. Qed.
  #[global] Instance holds_acyclic r (R : Rows (closure r)) :
    Holds (acyclic r) (forallb (fun i => negb (get (rows (r := closure r)) i i)) (numbers size)).
  Proof. exact (holds_irreflexive (closure r) R). Qed.
  #[global] Instance holds_empty r (R : Rows r) :
    Holds (empty r) (forallb (fun i => forallb (fun j => negb (get (rows (r := r)) i j)) (numbers size)) (numbers size)).
  Proof.
    unfold Holds. rewrite <- all_numbers. split; intros h x.
    - rewrite <- all_numbers. intros y. specialize (h x y). revert h. booleans. now rewrite <- is_pair.
    - intros y. specialize (h x). rewrite <- all_numbers in h. specialize (h y). revert h. booleans. now rewrite <- is_pair.
  Qed.
  End Computed.

  (* What is below a number. *)
  Definition below (n : nat) : Type := { k : nat | Nat.ltb k n = true }.
  #[global] Instance numbered_below (n : nat) : Numbered (below n).
  Proof.
    refine {| size := n; number := fun x => proj1_sig x |}.
    - intros [k h]. now apply Nat.ltb_lt.
    - intros k h. rewrite <- Nat.ltb_lt in h. now exists (exist _ k h).
    - intros [k h] [l i] e. simpl in e. subst l. f_equal. apply Eqdep_dec.UIP_dec, Bool.bool_dec.
  Defined.

  (* Takes a pair of a relation apart, down to the names that it is made of. *)
  Ltac apart p :=
    unfold union, inter, minus, seq, product, diagonal, inverse, from, into, set_union, set_inter, set_minus in p;
    repeat match goal with
    | h : _ /\ _ |- _ => destruct h
    | h : _ \/ _ |- _ => destruct h
    | h : exists _, _ |- _ => destruct h
    | h : ?x = ?y |- _ => subst x || subst y
    end.

  Ltac computes := eapply by_computing; [typeclasses eauto|vm_compute; reflexivity].
End Finite.
