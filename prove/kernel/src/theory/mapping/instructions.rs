//! What an instruction's event is in the target: its kind, order and scope, and the fences beside
//! an access.

use margay_language::{LoweringStep, StepScope};
use margay_models::execution::{Kind, Order, Scope};
use margay_models::signature::{BaseSet, Signature, Tag};

use super::roles::RoleBuilder;
use super::{X, Y, Z};
use crate::logic::{EventAtom, EventTerm, Lit, Pred};

impl RoleBuilder<'_> {
    /// Kind and order of an instruction's event.
    pub(super) fn kind(
        &mut self,
        step: LoweringStep,
        write_half: bool,
        premise: &[Lit],
        x: EventTerm,
        what: &str,
    ) {
        let (kind, order) = step.kind(write_half);
        let signature = self.mapping.target.signature;
        let mut sets = vec![match kind {
            Kind::Write | Kind::Init => BaseSet::W,
            Kind::Read => BaseSet::R,
            _ => BaseSet::F,
        }];
        if let Some(architecture) = signature.tabular() {
            let (own, others) = architecture.tags().partition(|&tag| carries(order, tag));
            sets.extend(Vec::into_iter(own).map(BaseSet::Tag));
            self.without_tags(others, premise, x, what);
        } else if signature.has_orders() {
            sets.extend(order_set(signature, order, kind == Kind::Fence));
        }
        if step.volatile {
            sets.push(BaseSet::Volatile);
        }
        let with = |lit: Lit| premise.iter().copied().chain([lit]).collect::<Vec<_>>();
        for set in sets {
            if let Some(set) = self.target_set(set) {
                self.say(with(Lit::yes(EventAtom::unary(set, x))), what);
            }
        }
        if !step.volatile
            && let Some(volatile) = self.target_set(BaseSet::Volatile)
        {
            self.say(with(Lit::no(EventAtom::unary(volatile, x))), what);
        }
    }

    /// An instruction carries the tags that its text gives it, and no other.
    fn without_tags(&mut self, tags: Vec<Tag>, premise: &[Lit], x: EventTerm, what: &str) {
        for tag in tags {
            if let Some(set) = self.target_set(BaseSet::Tag(tag)) {
                self.say(
                    premise.iter().copied().chain([Lit::no(EventAtom::unary(set, x))]).collect(),
                    what,
                );
            }
        }
    }

    /// The set of the target's operations of a scope.
    fn scope_set(&self, scope: Scope) -> Option<Pred> {
        let set = match (self.mapping.target.signature.tabular(), scope) {
            (Some(architecture), _) => {
                BaseSet::Level(architecture.levels().find(|l| l.scope() == scope)?)
            }
            // Of warps only such texts speak.
            (_, Scope::Warp) => return None,
            (_, Scope::Cta) => BaseSet::Cta,
            (_, Scope::Cluster) => BaseSet::Cluster,
            (_, Scope::Gpu) => BaseSet::Gpu,
            (_, Scope::Sys) => BaseSet::Sys,
        };
        self.target_set(set)
    }

    /// The scope of an instruction's event; `scope_of` has that of the source operation.
    pub(super) fn scope(
        &mut self,
        step: LoweringStep,
        premise: &[Lit],
        x: EventTerm,
        scope_of: EventTerm,
        scopes: &[(Scope, Pred)],
        what: &str,
    ) {
        if !self.mapping.target.signature.has_places() {
            return;
        }
        let with = |lit: Lit| premise.iter().copied().chain([lit]).collect::<Vec<_>>();
        match step.scope {
            StepScope::None => {
                for set in
                    Scope::ALL.iter().filter_map(|&scope| self.scope_set(scope)).collect::<Vec<_>>()
                {
                    self.say(with(Lit::no(EventAtom::unary(set, x))), what);
                }
            }
            StepScope::Named(scope) => {
                if let Some(set) = self.scope_set(scope) {
                    self.say(with(Lit::yes(EventAtom::unary(set, x))), what);
                }
            }
            StepScope::Same if scopes.is_empty() => {
                if let Some(set) = self.scope_set(Scope::Sys) {
                    self.say(with(Lit::yes(EventAtom::unary(set, x))), what);
                }
            }
            StepScope::Same => {
                for &(scope, source) in scopes {
                    let Some(set) = self.scope_set(scope) else { continue };
                    let mut lits = with(Lit::yes(EventAtom::unary(set, x)));
                    lits.push(Lit::no(EventAtom::unary(source, scope_of)));
                    self.say(lits, what);
                }
            }
        }
    }

    /// A fence or read that a row adds to the operations of a role: there is one for each, and it
    /// belongs to one.
    pub(super) fn beside(
        &mut self,
        role: Pred,
        fence: Pred,
        place: Pred,
        step: LoweringStep,
        scopes: &[(Scope, Pred)],
        what: &str,
    ) {
        let (own, is_fence) = (EventAtom::binary(place, X, Y), EventAtom::unary(fence, Y));
        let all = self.theory.exprs.symbol(place);
        let (has, is) = (self.theory.end_name(all, false), self.theory.end_name(all, true));
        self.say(
            vec![Lit::no(EventAtom::unary(role, X)), Lit::yes(EventAtom::unary(has, X))],
            what,
        );
        self.say(vec![Lit::no(is_fence), Lit::yes(EventAtom::unary(is, Y))], what);
        let premise = [Lit::no(own), Lit::no(is_fence)];
        self.say(
            premise.iter().copied().chain([Lit::yes(EventAtom::unary(role, X))]).collect(),
            what,
        );
        // The role of an operation says what its fence at a place is.
        self.say(vec![Lit::no(own), Lit::no(EventAtom::unary(role, X)), Lit::yes(is_fence)], what);
        self.present(&[Lit::no(is_fence)], Y, true, what);
        // Kind and order follow from the role alone, the scope from the operation.
        self.kind(step, false, &[Lit::no(is_fence)], Y, what);
        self.scope(step, &premise, Y, X, scopes, what);
    }

    /// The instructions of a lowering follow each other in program order, and nothing comes
    /// between.
    pub(super) fn adjacent(
        &mut self,
        role: Pred,
        is_rmw: bool,
        access: usize,
        steps: usize,
        fences: &[(usize, Pred)],
        what: &str,
    ) {
        let (po, rmw) = (self.target.symbols.po(), self.target.symbols.rmw());
        // Premises under which a variable is the event of a step: the operation's first event is X.
        let event = |step: usize, at: EventTerm, last: bool| -> (Vec<Lit>, EventTerm) {
            if step != access {
                let own = fences
                    .iter()
                    .find(|f| f.0 == step)
                    .expect("every other event has a place beside it")
                    .1;
                return (vec![Lit::no(EventAtom::binary(own, X, at))], at);
            }
            if is_rmw && last {
                (vec![Lit::no(EventAtom::binary(rmw, X, at))], at)
            } else {
                (Vec::new(), X)
            }
        };
        let other = EventTerm::variable(3);
        for step in 1..steps {
            let (first, a) = event(step - 1, Y, true);
            let (second, b) = event(step, Z, false);
            let premise: Vec<Lit> = std::iter::once(Lit::no(EventAtom::unary(role, X)))
                .chain(first)
                .chain(second)
                .collect();
            let with = |lits: &[Lit]| premise.iter().chain(lits).copied().collect::<Vec<_>>();
            let po = |s, t| EventAtom::binary(po, s, t);
            let equal = |s, t| Lit::yes(EventAtom::binary(Pred::EQUAL, s, t));
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
        // What carries tags has no order.
        Order::Tagged(_) => return None,
    })
}

/// Does an event of this order carry the tag?
pub(super) fn carries(order: Order, tag: Tag) -> bool {
    matches!(order, Order::Tagged(tags) if tags.contains(tag))
}
