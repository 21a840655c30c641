//! What an instruction's event is in the target: its kind, order and scope, and the fences beside an access.

use margay_mappings::language::{Step, StepScope};
use margay_models::execution::{Kind, Order, Scope};
use margay_models::signature::{BaseRelation, BaseSet, Signature};

use super::roles::Builder;
use super::{X, Y, Z};
use crate::logic::{Atom, Lit, Pred, Term};

impl Builder<'_> {
    /// Kind and order of an instruction's event.
    pub(super) fn kind(&mut self, step: Step, write_half: bool, premise: &[Lit], x: Term, what: &str) {
        let (kind, order) = step.kind(write_half);
        let signature = self.mapping.target.signature;
        let mut sets = vec![match kind {
            Kind::Write | Kind::Init => BaseSet::W,
            Kind::Read => BaseSet::R,
            _ => BaseSet::F,
        }];
        if signature.has_orders() {
            sets.extend(order_set(signature, order, kind == Kind::Fence));
        }
        if step.volatile {
            sets.push(BaseSet::Volatile);
        }
        let with = |lit: Lit| premise.iter().copied().chain([lit]).collect::<Vec<_>>();
        for set in sets {
            if let Some(set) = self.target_set(set) {
                self.say(with(Lit::yes(Atom::unary(set, x))), what);
            }
        }
        if !step.volatile
            && let Some(volatile) = self.target_set(BaseSet::Volatile)
        {
            self.say(with(Lit::no(Atom::unary(volatile, x))), what);
        }
    }

    /// The scope of an instruction's event; `scope_of` has that of the source operation.
    pub(super) fn scope(&mut self, step: Step, premise: &[Lit], x: Term, scope_of: Term, scopes: &[(Scope, Pred)], what: &str) {
        if !self.mapping.target.signature.has_places() {
            return;
        }
        let with = |lit: Lit| premise.iter().copied().chain([lit]).collect::<Vec<_>>();
        let set_of = |scope: Scope| match scope {
            // Of warps only texts speak; mappings from and to those are not proved.
            Scope::Warp | Scope::Cta => BaseSet::Cta,
            Scope::Cluster => BaseSet::Cluster,
            Scope::Gpu => BaseSet::Gpu,
            Scope::Sys => BaseSet::Sys,
        };
        match step.scope {
            StepScope::None => {
                for scope in Scope::ALL {
                    if let Some(set) = self.target_set(set_of(scope)) {
                        self.say(with(Lit::no(Atom::unary(set, x))), what);
                    }
                }
            }
            StepScope::Named(scope) => {
                let set = self.target_set(set_of(scope)).expect("the signature has scopes");
                self.say(with(Lit::yes(Atom::unary(set, x))), what);
            }
            StepScope::Same if scopes.is_empty() => {
                let set = self.target_set(BaseSet::Sys).expect("the signature has scopes");
                self.say(with(Lit::yes(Atom::unary(set, x))), what);
            }
            StepScope::Same => {
                for &(scope, source) in scopes {
                    let set = self.target_set(set_of(scope)).expect("the signature has scopes");
                    let mut lits = with(Lit::yes(Atom::unary(set, x)));
                    lits.push(Lit::no(Atom::unary(source, scope_of)));
                    self.say(lits, what);
                }
            }
        }
    }

    /// A fence that a row adds to the operations of a role: there is one for each, and it belongs to one.
    pub(super) fn fence(&mut self, role: Pred, fence: Pred, place: Pred, step: Step, scopes: &[(Scope, Pred)], what: &str) {
        let (own, is_fence) = (Atom::binary(place, X, Y), Atom::unary(fence, Y));
        let all = self.theory.exprs.symbol(place);
        let (has, is) = (self.theory.end_name(all, false), self.theory.end_name(all, true));
        self.say(vec![Lit::no(Atom::unary(role, X)), Lit::yes(Atom::unary(has, X))], what);
        self.say(vec![Lit::no(is_fence), Lit::yes(Atom::unary(is, Y))], what);
        let premise = [Lit::no(own), Lit::no(is_fence)];
        self.say(premise.iter().copied().chain([Lit::yes(Atom::unary(role, X))]).collect(), what);
        // The role of an operation says what its fence at a place is.
        self.say(vec![Lit::no(own), Lit::no(Atom::unary(role, X)), Lit::yes(is_fence)], what);
        self.present(&[Lit::no(is_fence)], Y, true, what);
        // Kind and order follow from the role alone, the scope from the operation.
        self.kind(step, false, &[Lit::no(is_fence)], Y, what);
        self.scope(step, &premise, Y, X, scopes, what);
    }

    /// The instructions of a lowering follow each other in program order, and nothing comes between.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn adjacent(
        &mut self,
        role: Pred,
        is_rmw: bool,
        access: usize,
        steps: usize,
        fences: &[(usize, Pred, Pred)],
        what: &str,
    ) {
        let (po, rmw) = (self.po(), self.relation(BaseRelation::Rmw));
        // Premises under which a variable is the event of a step: the operation's first event is X.
        let event = |step: usize, at: Term, last: bool| -> (Vec<Lit>, Term) {
            if step != access {
                let own = fences.iter().find(|f| f.0 == step).expect("every other instruction is a fence").2;
                return (vec![Lit::no(Atom::binary(own, X, at))], at);
            }
            if is_rmw && last { (vec![Lit::no(Atom::binary(rmw, X, at))], at) } else { (Vec::new(), X) }
        };
        let other = Term::variable(3);
        for step in 1..steps {
            let (first, a) = event(step - 1, Y, true);
            let (second, b) = event(step, Z, false);
            let premise: Vec<Lit> = std::iter::once(Lit::no(Atom::unary(role, X))).chain(first).chain(second).collect();
            let with = |lits: &[Lit]| premise.iter().chain(lits).copied().collect::<Vec<_>>();
            let po = |s, t| Atom::binary(po, s, t);
            let equal = |s, t| Lit::yes(Atom::binary(Pred::EQUAL, s, t));
            self.say(with(&[Lit::yes(po(a, b))]), what);
            self.say(with(&[Lit::no(po(other, b)), equal(other, a), Lit::yes(po(other, a))]), what);
            self.say(with(&[Lit::no(po(a, other)), equal(other, b), Lit::yes(po(b, other))]), what);
        }
    }
}

/// The set of an order at the target.
fn order_set(signature: Signature, order: Order, fence: bool) -> Option<BaseSet> {
    Some(match order {
        Order::Plain if fence => return None,
        Order::Plain if BaseSet::Weak.is_in(signature) => BaseSet::Weak,
        Order::Plain => BaseSet::Na,
        Order::Rlx => BaseSet::Rlx,
        Order::Acq => BaseSet::Acq,
        Order::Rel => BaseSet::Rel,
        Order::AcqRel => BaseSet::AcqRel,
        Order::Sc => BaseSet::Sc,
        // Mappings to architectures that are texts are not asked about.
        Order::Tagged(_) => return None,
    })
}
