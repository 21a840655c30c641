
(* ------------------------------------------------------------------------------------------------------------------------------ *)
(* Of finitely many events there is a strict total order that keeps a relation, but for edges that lie on a cycle of it. What is   *)
(* supposed of the order that the fences of a source are taken with is no more than this, so it can be supposed of any execution.   *)
(* ------------------------------------------------------------------------------------------------------------------------------ *)

Module Extension.
Section Extension.
  Context {E : Type}.
  Implicit Types r keep order more last : E -> E -> Prop.

  Definition strict r : Prop := (forall x, ~ r x x) /\ (forall x y z, r x y -> r y z -> r x z).

  Lemma one_pair : forall r a b, strict r ->
    exists more, strict more /\ (forall x y, r x y -> more x y) /\ (a = b \/ more a b \/ more b a).
  Proof.
    intros r a b sound. assert (known := sound). destruct known as [irreflexive transitive].
    destruct (classic (a = b)) as [same|apart]; [exists r; auto|].
    destruct (classic (r b a)) as [back|ahead]; [exists r; auto|].
    exists (fun x y => r x y \/ ((x = a \/ r x a) /\ (b = y \/ r b y))).
    split; [|split; [auto | right; left; right; auto]]. split.
    - intros x [loop|[first second]]; [exact (irreflexive x loop)|].
      destruct first as [->|first], second as [second|second].
      + now apply apart.
      + exact (ahead second).
      + subst x. exact (ahead first).
      + exact (ahead (transitive _ _ _ second first)).
    - intros x y z [h|[h1 h2]] [k|[k1 k2]].
      + left. exact (transitive _ _ _ h k).
      + right. split; [|exact k2]. destruct k1 as [->|k1]; right; [exact h | exact (transitive _ _ _ h k1)].
      + right. split; [exact h1|]. destruct h2 as [<-|h2]; right; [exact k | exact (transitive _ _ _ h2 k)].
      + right. split; [exact h1 | exact k2].
  Qed.

  Lemma all_pairs_of : forall pairs r, strict r ->
    exists more, strict more /\ (forall x y, r x y -> more x y) /\ (forall a b, In (a, b) pairs -> a = b \/ more a b \/ more b a).
  Proof.
    intros pairs r sound. induction pairs as [|[a b] pairs IH].
    - exists r. split; [exact sound|]. split; [auto|]. intros a b [].
    - destruct IH as (more & is_strict & keeps & total).
      destruct (one_pair more a b is_strict) as (last & last_is_strict & keeps_more & this).
      exists last. split; [exact last_is_strict|]. split; [auto|].
      intros x y [e|further].
      + injection e as <- <-. exact this.
      + destruct (total x y further) as [same|[one|other]]; auto.
  Qed.

  Theorem there_is_an_order : forall (events : list E) keep, (forall e, In e events) ->
    exists order, irreflexive order /\ empty (minus (seq order order) order) /\
      empty (minus (minus all_pairs (@eq E)) (union order (inverse order))) /\
      empty (minus (minus keep (inverse (closure keep))) order).
  Proof.
    intros events keep all.
    destruct (all_pairs_of (list_prod events events) (fun x y => closure keep x y /\ ~ closure keep y x)) as (order & is_strict & keeps & total).
    - split; [intros x [h k]; exact (k h)|].
      intros x y z [h k] [h' k']. split; [exact (closure_trans _ _ _ _ h h')|].
      intros back. apply k. exact (closure_trans _ _ _ _ h' back).
    - destruct is_strict as [irreflexive transitive]. exists order.
      split; [exact irreflexive|]. split; [|split].
      + intros x y [(z & h & k) no]. exact (no (transitive _ _ _ h k)).
      + intros x y [[_ apart] no]. destruct (total x y) as [same|[one|other]].
        * apply in_prod; apply all.
        * exact (apart same).
        * apply no. left. exact one.
        * apply no. right. exact other.
      + intros x y [[h no_cycle] no]. apply no. apply keeps. split; [exact (closure_one _ _ _ h) | exact no_cycle].
  Qed.
End Extension.
End Extension.
