From Coq Require Import Classical List PArith NArith PeanoNat FMapPositive Bool.
From Coq.Init Require Import Byte.
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

  (* A value is shared by several existences, of which only the first whose guard G holds decides what it is. *)
  Lemma share : forall (G : Prop) A B,
    (exists y, A y) -> (exists y, B y) -> (~ G -> forall y, A y) -> exists y, A y /\ (G \/ B y).
  Proof. intros G A B [a ha] [b hb] idle. destruct (classic G) as [g|n]; eauto. Qed.

  (* What is not in a difference is not in the first, or it was taken away. *)
  Lemma not_taken : forall A B : Prop, ~ (A /\ ~ B) -> ~ A \/ B.
  Proof. intros A B h. destruct (classic B) as [b|n]; [right; exact b | left; intros a; apply h; auto]. Qed.

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

  (* The same with cycles cut before each edge of the second kind. *)
  Lemma acyclic_orders_before : forall e first second S,
    (forall x y, e x y -> first x y \/ second x y) ->
    irreflexive (closure first) ->
    irreflexive S -> (forall x y, seq S S x y -> S x y) ->
    (forall x y, second x y -> S x y) ->
    (forall x y, seq second (closure first) x y -> S x y) ->
    acyclic e.
  Proof.
    intros e first second S edges firsts strict trans one before.
    assert (step : forall x z y, S x z -> S z y -> S x y) by (intros x z y a b; apply trans; exists z; auto).
    assert (later : forall x z y, second x z -> closure first z y -> S x y) by (intros x z y a b; apply before; exists z; auto).
    assert (path : forall x y, closure e x y -> closure first x y \/
      exists z, (z = x \/ closure first x z) /\ S z y /\ (forall w, closure first y w -> S z w)).
    { intros x y p. induction p as [x y h|x z y p IH h]; destruct (edges _ _ h) as [f|s].
      - left. now apply closure_one.
      - right. exists x. repeat split; eauto.
      - destruct IH as [c|(u & c & a & b)].
        + left. eauto using closure_more.
        + right. exists u. repeat split; auto using closure_one. intros w d. apply b. eauto using closure_one, closure_trans.
      - right. destruct IH as [c|(u & c & a & b)].
        + exists z. repeat split; eauto.
        + exists u. repeat split; eauto. }
    intros x p. destruct (path _ _ p) as [c|(z & [->|c] & a & b)].
    - exact (firsts _ c).
    - exact (strict _ a).
    - exact (strict _ (b _ c)).
  Qed.
End Sets_and_relations.

(* ------------------------------------------------------------------------------------------------------------------------------ *)
(* Refutations of what is said of some events. *)
(* ------------------------------------------------------------------------------------------------------------------------------ *)

(* Numbers as text: letters are digits in base 26, the last one a small letter; a full stop ends a line of numbers. *)
Inductive letters := no_more | letter (b : byte) (rest : letters).
Fixpoint letters_of (bytes : list byte) : letters := match bytes with [] => no_more | b :: rest => letter b (letters_of rest) end.
Fixpoint bytes_of (t : letters) : list byte := match t with no_more => [] | letter b rest => b :: bytes_of rest end.
Declare Scope letters_scope.
Delimit Scope letters_scope with letters.
String Notation letters letters_of bytes_of : letters_scope.

Module Refutation.
  Definition clause : Type := list positive * list positive.
  Definition step : Type := clause * list positive.

  Section Meaning.
    Variable v : positive -> Prop.

    Fixpoint one_of (ps : list positive) : Prop :=
      match ps with [] => False | [p] => v p | p :: rest => v p \/ one_of rest end.
    Fixpoint implied (ns ps : list positive) : Prop :=
      match ns with [] => one_of ps | n :: rest => v n -> implied rest ps end.
    Definition holds (c : clause) : Prop := implied (fst c) (snd c).
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

  Fixpoint number_them (cs : list clause) (known : store) (next : positive) : store * positive :=
    match cs with [] => (known, next) | c :: rest => number_them rest (PositiveMap.add next c known) (Pos.succ next) end.

  Definition check (given : list clause) (steps : list step) : bool :=
    let (known, next) := number_them given (PositiveMap.empty clause) 1 in run known next steps.

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

    Lemma number_sound : forall cs known next,
      all_hold known -> (forall c, In c cs -> holds v c) -> all_hold (fst (number_them cs known next)).
    Proof.
      induction cs as [|c rest IH]; intros known next ok h; simpl in *; [exact ok|].
      apply IH; [apply all_hold_add|]; auto.
    Qed.

    Theorem sound : forall given steps, check given steps = true -> (forall c, In c given -> holds v c) -> False.
    Proof.
      intros given steps c h. unfold check in c.
      pose proof (number_sound given (PositiveMap.empty clause) 1) as n. destruct (number_them _ _ _) as [known next].
      apply run_sound in c; [exact c|]. apply n; [|exact h]. intros m d. rewrite PositiveMap.gempty. discriminate.
    Qed.
  End Soundness.

  (* Lines of numbers, from texts. *)
  Definition lines : Type := list (list positive).

  Definition digit (number : option positive) (d : positive) : positive :=
    match number with None => d | Some n => 26 * n + d end.

  (* The number so far, the numbers of the line and the lines so far, the last ones first. *)
  Fixpoint read_letters (t : letters) (number : option positive) (line : list positive) (so_far : lines) :
    option positive * list positive * lines :=
    match t with
    | no_more => (number, line, so_far)
    | letter b rest =>
        match Byte.to_N b with
        | Npos n =>
            if Pos.ltb 96 n then read_letters rest None (digit number (n - 96) :: line) so_far
            else if Pos.ltb 64 n then read_letters rest (Some (digit number (n - 64))) line so_far
            else read_letters rest None [] (rev line :: so_far)
        | N0 => read_letters rest None [] so_far
        end
    end.

  Fixpoint read_texts (ts : list letters) (number : option positive) (line : list positive) (so_far : lines) : lines :=
    match ts with
    | [] => rev so_far
    | t :: rest => let '(number, line, so_far) := read_letters t number line so_far in read_texts rest number line so_far
    end.

  Definition read_lines (ts : list letters) : lines := read_texts ts None [] [].

  (* An atom is a predicate at two events. Predicate 1 stands for a formula, whose number is in the place of the first event; 2 is equality. *)
  Definition atom : Type := positive * positive * positive.

  Fixpoint put (p rest : positive) : positive :=
    match p with xH => xO rest | xO q => xI (xO (put q rest)) | xI q => xI (xI (put q rest)) end.
  Fixpoint get (n : positive) : positive * positive :=
    match n with
    | xO rest => (1, rest)
    | xI (xO m) => let (q, rest) := get m in (xO q, rest)
    | xI (xI m) => let (q, rest) := get m in (xI q, rest)
    | _ => (1, 1)
    end%positive.

  Lemma get_put : forall p rest, get (put p rest) = (p, rest).
  Proof. induction p; intros rest; simpl; try rewrite IHp; reflexivity. Qed.

  (* The number of an atom in clauses. *)
  Definition number (a : atom) : positive := let '(p, x, y) := a in put p (put x y).
  Definition atom_of (n : positive) : atom := let (p, rest) := get n in let (x, y) := get rest in (p, x, y).

  Lemma atom_of_number : forall a, atom_of (number a) = a.
  Proof. intros [[p x] y]. unfold atom_of, number. now rewrite !get_put. Qed.

  Fixpoint atoms (line : list positive) : list atom :=
    match line with p :: x :: y :: rest => (p, x, y) :: atoms rest | _ => [] end.

  (* Literals: the predicate's number is doubled, and odd where the atom is denied. *)
  Definition literal : Type := bool * atom.
  Fixpoint literals (line : list positive) : list literal :=
    match line with
    | xO p :: x :: y :: rest => (true, (p, x, y)) :: literals rest
    | xI p :: x :: y :: rest => (false, (p, x, y)) :: literals rest
    | _ => []
    end.

  (* A formula is a conjunction of disjunctions. A text has each disjunction on a line, and an empty line behind each formula. *)
  Definition formula : Type := list (list literal).
  Fixpoint formulas (so_far : formula) (ls : lines) : list formula :=
    match ls with [] => [] | [] :: rest => rev so_far :: formulas [] rest | l :: rest => formulas (literals l :: so_far) rest end.

  Definition clause_of (more : list positive) (ls : list literal) : clause :=
    (more ++ map (fun l => number (snd l)) (filter (fun l => negb (fst l)) ls), map (fun l => number (snd l)) (filter fst ls)).

  (* A clause of all events: how many variables it has, what it supposes, and of what one holds. An event of it is a given one (even) or
     a variable (odd). *)
  Record general := General { variables : nat; premises : list atom; conclusions : list atom }.
  Definition general_of (ts : list letters) : general :=
    match read_lines ts with
    | [n] :: ps :: cs :: _ => General (pred (Pos.to_nat n)) (atoms ps) (atoms cs)
    | _ => General 0 [] [(2, 2, 2)%positive]
    end.

  Fixpoint extend {T : Type} (values : positive -> T) (next : positive) (more : list T) : positive -> T :=
    match more with [] => values | x :: rest => extend (fun n => if Pos.eqb n next then x else values n) (Pos.succ next) rest end.

  Record world (E : Type) := World { predicates : positive -> E -> E -> Prop; events : positive -> E; named : list formula }.
  Arguments World {E}. Arguments predicates {E}. Arguments events {E}. Arguments named {E}.

  (* Predicates by their numbers, and events by theirs. *)
  Inductive table (E : Type) := leaf | node (even : table E) (own : E -> E -> Prop) (odd : table E).
  Arguments leaf {E}. Arguments node {E}.
  Fixpoint find {E : Type} (t : table E) (n : positive) : E -> E -> Prop :=
    match t with
    | leaf => fun _ _ => False
    | node l p r => match n with xH => p | xO m => find l m | xI m => find r m end
    end.
  Definition listed {E : Type} (first : E) (all : list E) (n : positive) : E := nth (Nat.pred (Pos.to_nat n)) all first.

  Section In_a_world.
    Context {E : Type}.
    Variable w : world E.

    Definition atom_says (called : positive -> E) (props : positive -> Prop) (a : atom) : Prop :=
      let '(p, x, y) := a in
      match p with xH => props x | xO xH => called x = called y | _ => predicates w p (called x) (called y) end.

    Definition literal_says (props : positive -> Prop) (l : literal) : Prop :=
      if fst l then atom_says (events w) props (snd l) else ~ atom_says (events w) props (snd l).
    Fixpoint some_literal (props : positive -> Prop) (ls : list literal) : Prop :=
      match ls with [] => False | [l] => literal_says props l | l :: rest => literal_says props l \/ some_literal props rest end.
    Fixpoint formula_says (props : positive -> Prop) (f : formula) : Prop :=
      match f with [] => True | [c] => some_literal props c | c :: rest => some_literal props c /\ formula_says props rest end.

    (* What the formulas say that have a number; each may name earlier ones. *)
    Fixpoint props_of (fs : list formula) (next : positive) (props : positive -> Prop) : positive -> Prop :=
      match fs with
      | [] => props
      | f :: rest => props_of rest (Pos.succ next) (fun n => if Pos.eqb n next then formula_says props f else props n)
      end.
    Definition props : positive -> Prop := props_of (named w) 1 (fun _ => True).

    Definition meaning (n : positive) : Prop := atom_says (events w) props (atom_of n).

    Fixpoint all_say (fs : list formula) : Prop := match fs with [] => True | f :: rest => formula_says props f /\ all_say rest end.

    (* An event of a clause of all events. *)
    Definition at_variables (values : positive -> E) (n : positive) : E :=
      match n with xO e => events w e | xI x => values x | xH => events w 1%positive end.

    Fixpoint some_atom (called : positive -> E) (cs : list atom) : Prop :=
      match cs with [] => False | [a] => atom_says called props a | a :: rest => atom_says called props a \/ some_atom called rest end.
    Fixpoint implies (called : positive -> E) (ps cs : list atom) : Prop :=
      match ps with [] => some_atom called cs | a :: rest => atom_says called props a -> implies called rest cs end.
    Fixpoint for_all (count : nat) (next : positive) (values : positive -> E) (g : general) : Prop :=
      match count with
      | O => implies (at_variables values) (premises g) (conclusions g)
      | S rest => forall x : E, for_all rest (Pos.succ next) (fun n => if Pos.eqb n next then x else values n) g
      end.
    Definition generally (g : general) : Prop := for_all (variables g) 1 (fun _ => events w 1%positive) g.

    Record known := Known { clause_known : general; is_true : generally clause_known }.

    (* An instance: equal events are written with the smaller one first, and that an event is itself need not be supposed. *)
    Definition event_at (values : positive -> positive) (n : positive) : positive :=
      match n with xO e => e | xI x => values x | xH => 1%positive end.
    Definition ordered (a : atom) : atom :=
      let '(p, x, y) := a in
      match p with xO xH => if Pos.ltb y x then (p, y, x) else a | _ => a end.
    Definition instance_of (values : positive -> positive) (a : atom) : atom :=
      let '(p, x, y) := a in
      match p with xH => a | _ => ordered (p, event_at values x, event_at values y) end.
    Definition is_itself (a : atom) : bool := let '(p, x, y) := a in (Pos.eqb p 2 && Pos.eqb x y)%bool.
    Definition instance (g : general) (values : list positive) : clause :=
      let at_them := instance_of (extend (fun _ => 1%positive) 1 values) in
      (map number (filter (fun a => negb (is_itself a)) (map at_them (premises g))), map number (map at_them (conclusions g))).

    (* Events that are equal have the same atoms. *)
    Definition same (x y a b : positive) : bool :=
      (Pos.eqb a b || Pos.eqb a x && Pos.eqb b y || Pos.eqb a y && Pos.eqb b x)%bool.
    Definition congruence (line : list positive) : option clause :=
      match line with
      | [x; y; p; a; b; c; d] =>
          if (negb (Pos.eqb p 1) && (same x y a c && same x y b d || Pos.eqb p 2 && same x y a d && same x y b c))%bool
          then Some ([number (2%positive, x, y); number (p, a, b)], [number (p, c, d)])
          else None
      | _ => None
      end.

    Definition given_by (gs : list general) (line : list positive) : option clause :=
      match line with
      | xH :: rest => congruence rest
      | n :: values =>
          match nth_error gs (Nat.pred (Nat.pred (Pos.to_nat n))) with
          | Some g => if Nat.eqb (variables g) (length values) then Some (instance g values) else None
          | None => None
          end
      | [] => None
      end.
  End In_a_world.

  (* The clauses of formulas: a formula that has a number implies its disjunctions. *)
  Fixpoint clauses_of_named (fs : list formula) (next : positive) : list clause :=
    match fs with
    | [] => []
    | f :: rest => map (clause_of [number (1, next, 1)%positive]) f ++ clauses_of_named rest (Pos.succ next)
    end.
  Definition names_below (next : positive) (f : formula) : bool :=
    forallb (forallb (fun l => let '(p, x, _) := snd l in negb (Pos.eqb p 1) || Pos.ltb x next)%bool) f.
  Fixpoint in_order (fs : list formula) (next : positive) : bool :=
    match fs with [] => true | f :: rest => (names_below next f && in_order rest (Pos.succ next))%bool end.

  Fixpoint all_given (gs : list general) (ls : lines) : option (list clause) :=
    match ls with
    | [] => Some []
    | l :: rest =>
        match given_by gs l, all_given gs rest with Some c, Some cs => Some (c :: cs) | _, _ => None end
    end.

  (* A step is two lines: its clause, and the numbers of those that it follows from. *)
  Fixpoint steps_of (ls : lines) : list step :=
    match ls with c :: hints :: rest => (clause_of [] (literals c), hints) :: steps_of rest | _ => [] end.

  Definition refutes (named asserted : list formula) (gs : list general) (instances steps : lines) : bool :=
    (in_order named 1 &&
      match all_given gs instances with
      | None => false
      | Some cs => check (clauses_of_named named 1 ++ flat_map (map (clause_of [])) asserted ++ cs) (steps_of steps)
      end)%bool.

  Section What_is_refuted.
    Context {E : Type}.
    Variable w : world E.
    Let v := meaning w.

    Lemma meaning_number : forall a, v (number a) = atom_says w (events w) (props w) a.
    Proof. intros a. unfold v, meaning. now rewrite atom_of_number. Qed.

    Lemma meaning_some : forall ls,
      some_literal w (props w) ls <-> exists l, In l ls /\ literal_says w (props w) l.
    Proof.
      induction ls as [|l [|k rest] IH]; simpl in *.
      - firstorder.
      - split; [intros h; exists l; auto | intros (? & [<-|[]] & h); exact h].
      - rewrite IH. split.
        + intros [h|(m & i & h)]; eauto.
        + intros (m & [<-|i] & h); eauto.
    Qed.

    Lemma formula_all : forall ps f, formula_says w ps f <-> forall c, In c f -> some_literal w ps c.
    Proof.
      intros ps. induction f as [|c [|d rest] IH].
      - simpl. firstorder.
      - simpl. split; [intros h e [<-|[]]; exact h | intros h; apply h; auto].
      - change (formula_says w ps (c :: d :: rest)) with (some_literal w ps c /\ formula_says w ps (d :: rest)).
        rewrite IH. split.
        + intros [a b] e [<-|i]; [exact a | now apply b].
        + intros h. split; [|intros e i]; apply h; simpl in *; auto.
    Qed.

    (* The clause of a disjunction that holds where more does. *)
    Lemma clause_of_holds : forall more ls,
      ((forall n, In n more -> v n) -> some_literal w (props w) ls) -> holds v (clause_of more ls).
    Proof.
      intros more ls h. apply holds_true. unfold true_in, clause_of. simpl.
      destruct (classic (forall n, In n more -> v n)) as [k|k].
      - apply h, meaning_some in k. destruct k as ([[] a] & i & t); unfold literal_says in t; simpl in t.
        + right. exists (number a). rewrite meaning_number. split; [|exact t].
          apply in_map_iff. exists (true, a). split; [reflexivity | apply filter_In; auto].
        + left. exists (number a). rewrite meaning_number. split; [|exact t].
          apply in_or_app. right. apply in_map_iff. exists (false, a). split; [reflexivity | apply filter_In; auto].
      - left. apply not_all_ex_not in k. destruct k as [n k]. apply imply_to_and in k. exists n.
        split; [apply in_or_app; tauto | tauto].
    Qed.

    (* What a numbered formula says depends on earlier ones alone. *)
    Lemma props_of_keeps : forall fs next ps n, Pos.lt n next -> props_of w fs next ps n = ps n.
    Proof.
      induction fs as [|f rest IH]; intros next ps n before; simpl; [reflexivity|].
      rewrite IH by (eapply Pos.lt_trans; [exact before | apply Pos.lt_succ_diag_r]).
      destruct (Pos.eqb_spec n next) as [->|]; [destruct (Pos.lt_irrefl _ before) | reflexivity].
    Qed.

    Lemma atom_says_equal : forall a ps qs next,
      (let '(p, x, _) := a in negb (Pos.eqb p 1) || Pos.ltb x next)%bool = true ->
      (forall n, Pos.lt n next -> ps n = qs n) -> atom_says w (events w) ps a = atom_says w (events w) qs a.
    Proof.
      intros [[p x] y] ps qs next below equal. destruct p; try reflexivity. apply equal. now apply Pos.ltb_lt.
    Qed.

    Lemma some_literal_equal : forall ps qs c,
      (forall l, In l c -> literal_says w ps l = literal_says w qs l) -> some_literal w ps c = some_literal w qs c.
    Proof.
      intros ps qs. induction c as [|l [|k rest] IH]; intros h.
      - reflexivity.
      - simpl. apply h. simpl. auto.
      - change ((literal_says w ps l \/ some_literal w ps (k :: rest)) = (literal_says w qs l \/ some_literal w qs (k :: rest))).
        rewrite (h l) by (simpl; auto). rewrite IH; [reflexivity|]. intros m i. apply h. simpl in *. tauto.
    Qed.

    Lemma formula_equal : forall ps qs f,
      (forall c, In c f -> some_literal w ps c = some_literal w qs c) -> formula_says w ps f = formula_says w qs f.
    Proof.
      intros ps qs. induction f as [|c [|d rest] IH]; intros h.
      - reflexivity.
      - simpl. apply h. simpl. auto.
      - change ((some_literal w ps c /\ formula_says w ps (d :: rest)) = (some_literal w qs c /\ formula_says w qs (d :: rest))).
        rewrite (h c) by (simpl; auto). rewrite IH; [reflexivity|]. intros e i. apply h. simpl in *. tauto.
    Qed.

    Lemma formula_says_equal : forall f ps qs next, names_below next f = true ->
      (forall n, Pos.lt n next -> ps n = qs n) -> formula_says w ps f = formula_says w qs f.
    Proof.
      intros f ps qs next below equal. apply formula_equal. intros c i. apply some_literal_equal. intros [b a] j.
      apply (proj1 (forallb_forall _ _) below) in i. apply (proj1 (forallb_forall _ _) i) in j.
      unfold literal_says. simpl fst in *. simpl snd in *. now rewrite (atom_says_equal a ps qs next j equal).
    Qed.

    (* Each numbered formula says what it is. *)
    Lemma named_hold : forall fs next ps, in_order fs next = true -> props w = props_of w fs next ps ->
      forall c, In c (clauses_of_named fs next) -> holds v c.
    Proof.
      induction fs as [|f rest IH]; intros next ps order all c i; cbn [clauses_of_named in_order props_of] in *; [destruct i|].
      apply andb_prop in order. destruct order as [below order]. apply in_app_or in i. destruct i as [i|i].
      - apply in_map_iff in i. destruct i as (d & <- & i). apply clause_of_holds. intros h.
        specialize (h _ (or_introl eq_refl)). rewrite meaning_number in h. simpl in h.
        assert (before : forall n, Pos.lt n next -> ps n = props w n).
        { intros n b. rewrite all, props_of_keeps by (eapply Pos.lt_trans; [exact b | apply Pos.lt_succ_diag_r]).
          destruct (Pos.eqb_spec n next) as [->|]; [destruct (Pos.lt_irrefl _ b) | reflexivity]. }
        assert (says : formula_says w (props w) f).
        { rewrite <- (formula_says_equal f ps (props w) next below before).
          rewrite all in h. rewrite props_of_keeps in h by apply Pos.lt_succ_diag_r. now rewrite Pos.eqb_refl in h. }
        rewrite formula_all in says. apply says. exact i.
      - eapply IH; [exact order | exact all | exact i].
    Qed.

    Lemma asserted_hold : forall fs, all_say w fs -> forall c, In c (flat_map (map (clause_of [])) fs) -> holds v c.
    Proof.
      induction fs as [|f rest IH]; intros h c i; simpl in *; [destruct i|]. destruct h as [h more].
      apply in_app_or in i. destruct i as [i|i]; [|now apply IH].
      apply in_map_iff in i. destruct i as (d & <- & i). apply clause_of_holds. intros _.
      rewrite formula_all in h. now apply h.
    Qed.

    (* Instances. *)
    Lemma some_atom_in : forall called cs, some_atom w called cs -> exists a, In a cs /\ atom_says w called (props w) a.
    Proof.
      intros called. induction cs as [|a [|b rest] IH]; intros h.
      - destruct h.
      - exists a. simpl in *. auto.
      - change (atom_says w called (props w) a \/ some_atom w called (b :: rest)) in h. destruct h as [h|h].
        + exists a. simpl. auto.
        + destruct (IH h) as (c & i & t). exists c. simpl in *. auto.
    Qed.

    Lemma implies_or : forall called ps cs, implies w called ps cs ->
      (exists a, In a ps /\ ~ atom_says w called (props w) a) \/ exists a, In a cs /\ atom_says w called (props w) a.
    Proof.
      intros called ps cs. induction ps as [|a rest IH]; intros h; simpl in h.
      - right. now apply some_atom_in.
      - destruct (classic (atom_says w called (props w) a)) as [t|t].
        + destruct (IH (h t)) as [(b & i & no)|r]; [left; exists b; simpl; auto | auto].
        + left. exists a. simpl. auto.
    Qed.

    Lemma generally_at : forall g values next (called : list positive), length called = variables g ->
      for_all w (length called) next values g ->
      implies w (at_variables w (extend values next (map (events w) called))) (premises g) (conclusions g).
    Proof.
      intros g values next called _. revert values next.
      induction called as [|e rest IH]; intros values next h; simpl in *; [exact h|]. apply IH. apply h.
    Qed.

    Lemma extend_map : forall called values next n,
      events w (extend values next called n) = extend (fun m => events w (values m)) next (map (events w) called) n.
    Proof.
      induction called as [|e rest IH]; intros values next n; simpl; [reflexivity|]. rewrite IH.
      assert (same : forall r f g, (forall m, f m = g m) -> forall k m, extend (T := E) f k r m = extend g k r m).
      { induction r as [|x r IHr]; intros f g eq k m; simpl; [apply eq|]. apply IHr. intros q. destruct (Pos.eqb q k); auto. }
      apply same. intros m. destruct (Pos.eqb m next); reflexivity.
    Qed.

    Lemma ordered_says : forall a, atom_says w (events w) (props w) (ordered a) <-> atom_says w (events w) (props w) a.
    Proof.
      intros [[p x] y]. unfold ordered. destruct p as [p|[p|p|]|]; try tauto. destruct (Pos.ltb y x); [|tauto].
      simpl. split; intros ->; reflexivity.
    Qed.

    Lemma instance_says : forall called a,
      let values := extend (fun _ => 1%positive) 1 called in
      atom_says w (at_variables w (extend (fun _ => events w 1%positive) 1 (map (events w) called))) (props w) a <->
      atom_says w (events w) (props w) (instance_of values a).
    Proof.
      intros called [[p x] y] values.
      assert (at_them : forall n, at_variables w (extend (fun _ => events w 1%positive) 1 (map (events w) called)) n = events w (event_at values n)).
      { intros [n|n|]; simpl; try reflexivity. unfold values. now rewrite extend_map. }
      unfold instance_of. destruct p as [p|p|].
      - simpl. now rewrite !at_them.
      - rewrite ordered_says. simpl. now rewrite !at_them.
      - simpl. reflexivity.
    Qed.

    Lemma instance_holds : forall g called, length called = variables g -> generally w g -> holds v (instance g called).
    Proof.
      intros g called count h. unfold generally in h. rewrite <- count in h. apply generally_at in h; [|exact count].
      apply implies_or in h. apply holds_true. unfold instance, true_in. simpl.
      destruct h as [(a & i & no)|(a & i & t)]; [left | right];
        exists (number (instance_of (extend (fun _ => 1%positive) 1 called) a)); rewrite meaning_number, <- instance_says;
        (split; [|assumption]).
      - apply in_map. apply filter_In. split; [now apply in_map|]. rewrite instance_says in no.
        destruct (instance_of _ a) as [[p x] y]. unfold is_itself. apply negb_true_iff.
        destruct (Pos.eqb_spec p 2) as [->|]; [|reflexivity]. destruct (Pos.eqb_spec x y) as [->|]; [|reflexivity].
        destruct no. reflexivity.
      - apply in_map. now apply in_map.
    Qed.

    Lemma same_events : forall x y a b, events w x = events w y -> same x y a b = true -> events w a = events w b.
    Proof.
      intros x y a b eq h. unfold same in h. repeat rewrite orb_true_iff, ?andb_true_iff in h. rewrite ?andb_true_iff, ?Pos.eqb_eq in h.
      intuition congruence.
    Qed.

    Lemma congruence_holds : forall line c, congruence line = Some c -> holds v c.
    Proof.
      intros [|x [|y [|p [|a [|b [|c [|d [|]]]]]]]] k h; try discriminate. unfold congruence in h.
      destruct (negb (Pos.eqb p 1)) eqn:no_name; cbn [andb] in h; [|discriminate].
      destruct (_ || _)%bool eqn:fits in h; [|discriminate]. injection h as <-. apply holds_true. unfold true_in. cbn [fst snd In].
      destruct (classic (events w x = events w y)) as [eq|no].
      2:{ left. exists (number (2, x, y)%positive). rewrite meaning_number. split; [auto | exact no]. }
      destruct (classic (v (number (p, a, b)))) as [t|no]; [|left; exists (number (p, a, b)); auto].
      right. exists (number (p, c, d)). split; [auto|]. rewrite meaning_number in *. apply orb_prop in fits.
      destruct fits as [fits|fits].
      - apply andb_prop in fits. destruct fits as [f g]. apply (same_events _ _ _ _ eq) in f. apply (same_events _ _ _ _ eq) in g.
        destruct p as [p|p|]; [| |discriminate]; simpl in *; now rewrite <- f, <- g.
      - apply andb_prop in fits. destruct fits as [fits g]. apply andb_prop in fits. destruct fits as [two f].
        apply Pos.eqb_eq in two. subst p. apply (same_events _ _ _ _ eq) in f. apply (same_events _ _ _ _ eq) in g.
        simpl in *. congruence.
    Qed.

    Lemma given_hold : forall (gs : list (known w)) ls cs, all_given (map (clause_known w) gs) ls = Some cs ->
      forall c, In c cs -> holds v c.
    Proof.
      intros gs. induction ls as [|l rest IH]; intros cs h c i; simpl in h.
      - injection h as <-. destruct i.
      - destruct (given_by _ l) as [d|] eqn:first; [|discriminate]. destruct (all_given _ rest) as [ds|]; [|discriminate].
        injection h as <-. destruct i as [<-|i]; [|now apply (IH ds)].
        destruct l as [|n values]; [discriminate|].
        assert (by_clause : forall m, match nth_error (map (clause_known w) gs) m with
          | Some g => if Nat.eqb (variables g) (length values) then Some (instance g values) else None | None => None end = Some d ->
          holds v d).
        { intros m. rewrite nth_error_map. destruct (nth_error gs m) as [k|]; simpl; [|discriminate].
          destruct (Nat.eqb_spec (variables (clause_known w k)) (length values)) as [count|]; [|discriminate].
          intros [= <-]. apply instance_holds; [now symmetry | exact (is_true w k)]. }
        destruct n; simpl given_by in first; eauto using congruence_holds.
    Qed.

    Theorem refuted : forall asserted (gs : list (known w)) instances steps,
      refutes (named w) asserted (map (clause_known w) gs) instances steps = true -> all_say w asserted -> False.
    Proof.
      intros asserted gs instances steps r h. unfold refutes in r. apply andb_prop in r. destruct r as [order r].
      destruct (all_given _ instances) as [cs|] eqn:given; [|discriminate]. apply (sound v) in r; [exact r|].
      intros c i. apply in_app_or in i. destruct i as [i|i]; [|apply in_app_or in i; destruct i as [i|i]].
      - eapply named_hold; [exact order | reflexivity | exact i].
      - eapply asserted_hold; [exact h | exact i].
      - eapply given_hold; [exact given | exact i].
    Qed.
  End What_is_refuted.
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
Open Scope letters_scope.

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
  | |- _ -> False =>
      let h := fresh in intro h; apart;
      first [apply no; build | match goal with g : _ -> False |- False => solve [apply g; build] end]
  | |- _ => build
  end.
Ltac contradict :=
  apply NNPP; let no := fresh in intro no; opened;
  match goal with h : forall _, _ |- False => solve [eapply h; put_together no] end.
(* One of several holds, since the last does where the others do not; the last may be what a rule for two events gives. *)
Ltac deny :=
  lazymatch goal with
  | |- ?A \/ _ => destruct (classic A); [left; assumption | right; deny]
  | |- _ /\ _ => split; deny
  | |- _ -> _ => intro; apart; contradiction
  | |- _ => first [assumption | match goal with rule : forall _ _, _ -> _ |- _ => solve [apply rule; build] end]
  end.
(* Each pair of program order is one of the two halves of an operation, or none. *)
Ltac halves order rmw :=
  intros; opened; apart;
  repeat match goal with
  | h : order ?a ?b |- _ =>
      lazymatch goal with
      | _ : rmw a b |- _ => fail
      | _ : ~ rmw a b |- _ => fail
      | |- _ => destruct (classic (rmw a b))
      end
  end;
  build.
Ltac crush :=
  intros; opened; intros; apart;
  first
    [ lazymatch goal with |- _ \/ _ => solve [deny] end
    | solve [build]
    | solve [build_with_any]
    | solve [contradict]
    | match goal with h : forall _ _, _ -> _, p : _ |- exists _, _ => solve [apply h in p; opened; apart; build_with_any] end
    | solve [eauto 6]
    | match goal with h : _ |- _ => solve [eapply h; build] end
    | lazymatch goal with |- exists _, _ => solve [firstorder] | |- False => solve [firstorder] end
    | apply NNPP; let no := fresh in intro no; opened; first [solve [eauto 6] | solve [firstorder] ]
    | solve [eauto 12] ].
(* A clause of a definition in which a chain is supposed: the chain stays as it is. What is taken apart would have to be put together again, and
   where a definition has many parts the search for that does not end. *)
Ltac folded :=
  intros; cbv beta delta [set_union set_inter set_minus union inter minus product diagonal inverse from into not] in *;
  apply NNPP; let no := fresh in intro no; tauto.
Ltac idle no :=
  lazymatch goal with
  | |- _ /\ _ => split; idle no
  | |- _ \/ _ => right; idle no
  | |- _ => intros; exfalso; apply no; first [solve [build] | tauto]
  end.
