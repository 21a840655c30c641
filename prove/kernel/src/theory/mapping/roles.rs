//! The roles of events: what each construct's row makes, with what its lowering puts beside it, and
//! that every event has one role.

use margay_language::{Lowering, Mapping, Row, ScopePattern};
use margay_models::execution::Scope;
use margay_models::signature::{BaseSet, Construct, Operation};

use super::beside::{BesideEvent, BesidePlace, beside};
use super::fence_order::{ChosenOrder, KeptOrder};
use super::{EVERY_EVENT_HAS_A_ROLE, ExecutionSelection, ONE_ROLE, X, Y};
use crate::logic::{EventAtom, EventTerm, Lit, Pred, TheoryExprId};
use crate::theory::{BaseMeaning, SentenceReason, Theory, Translated};

/// A part of a source operation that is an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OperationPart {
    Whole,
    ReadHalf,
    WriteHalf,
}

/// What an event of the source is, and which of the row's lowerings it has.
#[derive(Debug, Clone)]
pub(super) struct EventRole<'a> {
    pub(super) pred: Pred,
    pub(super) construct: Construct,
    pub(super) part: OperationPart,
    pub(super) row: &'a Row,
    pub(super) lowering: &'a Lowering,
}

/// The roles of all constructs, without what is known of them.
pub(super) fn roles<'a>(
    theory: &mut Theory,
    mapping: &'a Mapping,
    selection: &ExecutionSelection,
) -> Vec<EventRole<'a>> {
    let mut roles = Vec::new();
    for row in mapping.rows.iter().filter(|r| selection.constructs.contains(&r.construct)) {
        let mut name = row.construct.name(mapping.source.signature);
        if let ScopePattern::Named(scope) = row.scope {
            name = format!("{name}.{}", scope.name());
        }
        for (k, lowering) in distinct(&row.alternatives) {
            let name =
                if row.alternatives.len() > 1 { format!("{name}/{}", k + 1) } else { name.clone() };
            let parts: &[(OperationPart, &str)] = match row.construct.operation {
                Operation::Rmw => {
                    &[(OperationPart::ReadHalf, ":read"), (OperationPart::WriteHalf, ":write")]
                }
                _ => &[(OperationPart::Whole, "")],
            };
            for &(part, suffix) in parts {
                let (pred, _) = theory.declare_set(&format!("{name}{suffix}"));
                roles.push(EventRole { pred, construct: row.construct, part, row, lowering });
            }
        }
    }
    roles
}

/// The lowerings that differ in what they emit, with their numbers. Types and pairs of orders, for
/// which a row is written again, make no difference to a proof. (Nor does it whether a
/// compare-exchange fails. To take it for the load that it is made the search for libcu++'s table
/// slower, 35 s in place of 14, and others hardly faster.)
fn distinct(alternatives: &[Lowering]) -> Vec<(usize, &Lowering)> {
    let mut found: Vec<(usize, &Lowering)> = Vec::new();
    for (number, own) in alternatives.iter().enumerate() {
        if !found.iter().any(|(_, known)| emit_the_same(known, own)) {
            found.push((number, own));
        }
    }
    found
}

/// Do two lowerings differ at most in which uses they are for?
fn emit_the_same(a: &Lowering, b: &Lowering) -> bool {
    a.steps == b.steps && a.dependencies == b.dependencies
}

/// A theory that learns what the rows make.
pub(super) struct RoleBuilder<'a> {
    pub(super) mapping: &'a Mapping,
    pub(super) theory: Theory,
    pub(super) target: BaseMeaning,
    pub(super) roles: Vec<EventRole<'a>>,
    /// The roles of the fences and reads that rows add.
    pub(super) added: Vec<Pred>,
    /// From the first event of an operation to each event that its row adds, by the place of that:
    /// the first before the access, the second before it, ..., the first behind it.
    pub(super) places: Vec<(BesidePlace, Pred)>,
    /// The roles that have an event at a place.
    pub(super) owners: Vec<(Pred, Pred)>,
    /// "The threads of both events share this level", for levels that the target does not speak of.
    pub(super) levels: Vec<(Scope, Pred)>,
    /// Which order the source's fences are taken with.
    pub(super) chosen: Option<ChosenOrder>,
    /// That order, where it keeps what the target orders.
    pub(super) kept: Option<KeptOrder>,
}

impl RoleBuilder<'_> {
    pub(super) fn say(&mut self, lits: Vec<Lit>, what: &str) {
        self.theory.assume_clause(lits, &SentenceReason::Row(what.to_owned()));
    }

    /// The symbol of a base set of the target, if it can have members.
    pub(super) fn target_set(&self, set: BaseSet) -> Option<Pred> {
        self.target.sets.get(&set).and_then(|&e| self.theory.as_symbol(e))
    }

    /// Makes the roles' facts, and the base names of the source.
    pub(super) fn facts(
        &mut self,
        selection: &ExecutionSelection,
        target: &Translated,
    ) -> BaseMeaning {
        let source_scopes = self.source_scopes();
        for i in 0..self.roles.len() {
            self.events_of(i, &source_scopes);
        }
        self.one_role_each();
        self.rmw_halves(&source_scopes);
        self.carried_dependencies();
        let base = self.source_base(&source_scopes, target);
        if selection.typed {
            self.locations_have_one_type(&base);
        }
        base
    }

    fn source_scopes(&mut self) -> Vec<(Scope, Pred)> {
        let scopes = self.mapping.scopes();
        let name = &self.mapping.source.name;
        let all: Vec<(Scope, Pred)> = scopes
            .into_iter()
            .map(|s| (s, self.theory.declare_set(&format!("{name}.{}", s.name())).0))
            .collect();
        for (i, &(_, a)) in all.iter().enumerate() {
            for &(_, b) in &all[i + 1..] {
                self.say(
                    vec![Lit::no(EventAtom::unary(a, X)), Lit::no(EventAtom::unary(b, X))],
                    "one scope",
                );
            }
        }
        all
    }

    /// What an event of a role is in the target, and what is beside it.
    fn events_of(&mut self, i: usize, scopes: &[(Scope, Pred)]) {
        let EventRole { pred, construct, part, row, lowering } = self.roles[i].clone();
        let what = self.theory.symbols.name(pred).to_owned();
        let premise = Lit::no(EventAtom::unary(pred, X));
        // The scope in the source.
        let has_scope = construct.has_scope(self.mapping.source.signature);
        match row.scope {
            ScopePattern::Named(scope) => {
                let own = scopes
                    .iter()
                    .filter(|s| s.0 == scope)
                    .map(|s| Lit::yes(EventAtom::unary(s.1, X)));
                self.say(std::iter::once(premise).chain(own).collect(), &what);
            }
            ScopePattern::Any(_) if has_scope && !scopes.is_empty() => {
                let any = scopes.iter().map(|s| Lit::yes(EventAtom::unary(s.1, X)));
                self.say(std::iter::once(premise).chain(any).collect(), &what);
            }
            ScopePattern::Any(_) => {
                for &(_, scope) in scopes {
                    self.say(vec![premise, Lit::no(EventAtom::unary(scope, X))], &what);
                }
            }
        }
        let Some(step) = lowering.steps.get(lowering.access().unwrap_or(0)) else {
            // What is not there is in no set.
            for set in BaseSet::all(self.mapping.target.signature) {
                if let Some(set) = self.target_set(set) {
                    self.say(vec![premise, Lit::no(EventAtom::unary(set, X))], &what);
                }
            }
            self.present(&[premise], X, false, &what);
            return;
        };
        self.present(&[premise], X, true, &what);
        let exchange = lowering.stores_by_exchange(construct.operation);
        self.kind(*step, part == OperationPart::WriteHalf || exchange, &[premise], X, &what);
        self.scope(*step, &[premise], X, X, scopes, &what);
        self.exchange(i, &what);
        if part == OperationPart::Whole {
            self.no_half(&[premise], X, !exchange, &what);
        }
        if part == OperationPart::WriteHalf {
            return;
        }
        let (others, access, all) = beside(lowering, construct.operation);
        let mut places = Vec::new();
        for BesideEvent { number, step, place } in others {
            let word = if place.is_read { "read" } else { "fence" };
            let added = self.theory.declare_set(&format!("{what}:{word}{}", number + 1)).0;
            self.added.push(added);
            let own = self.place(place);
            self.owners.push((own, pred));
            self.beside(pred, added, own, step, scopes, &what);
            if place.is_read {
                self.unused_read(added, own, step.operation == Operation::Rmw, &what);
            }
            places.push((number, own));
        }
        self.adjacent(pred, part == OperationPart::ReadHalf, access, all, &places, &what);
        self.dependent(pred, lowering, &what);
    }

    /// Which read-modify-writes are exchanges the source operation says, where its row does not.
    fn exchange(&mut self, i: usize, what: &str) {
        let EventRole { pred, part, row, lowering, .. } = self.roles[i].clone();
        if part == OperationPart::Whole || !self.mapping.target.mentions_set(BaseSet::Xchg) {
            return;
        }
        let Some(exchanges) = self.target_set(BaseSet::Xchg) else { return };
        let is_one = |x| EventAtom::unary(exchanges, x);
        // All lowerings that emit the same are one role.
        let of: Vec<&Lowering> =
            row.alternatives.iter().filter(|l| emit_the_same(l, lowering)).collect();
        let premise = Lit::no(EventAtom::unary(pred, X));
        if !of.iter().any(|l| l.may_exchange()) {
            self.say(vec![premise, Lit::no(is_one(X))], what);
        }
        if !of.iter().any(|l| l.may_compute()) {
            self.say(vec![premise, Lit::yes(is_one(X))], what);
        }
        if part == OperationPart::ReadHalf {
            let half = Lit::no(EventAtom::binary(self.target.symbols.rmw(), X, Y));
            self.say(vec![half, Lit::no(is_one(X)), Lit::yes(is_one(Y))], "halves");
            self.say(vec![half, Lit::yes(is_one(X)), Lit::no(is_one(Y))], "halves");
        }
    }

    /// The whole program order, that of source operations that become nothing included.
    pub(super) fn po(&self) -> Pred {
        self.target.symbols.po()
    }

    /// Where some operations become nothing: is this one there?
    pub(super) fn present(&mut self, premise: &[Lit], x: EventTerm, there: bool, what: &str) {
        if let Some(emitted) = self.theory.as_symbol(self.target.universe) {
            let lit = EventAtom::unary(emitted, x);
            self.say(
                premise
                    .iter()
                    .copied()
                    .chain([if there { Lit::yes(lit) } else { Lit::no(lit) }])
                    .collect(),
                what,
            );
        }
    }

    /// Every event is an initial write or has one role.
    fn one_role_each(&mut self) {
        let init = self.target_set(BaseSet::Iw).expect("every signature has it");
        let all: Vec<Pred> = std::iter::once(init)
            .chain(self.roles.iter().map(|r| r.pred))
            .chain(self.added.iter().copied())
            .collect();
        self.say(
            all.iter().map(|&p| Lit::yes(EventAtom::unary(p, X))).collect(),
            EVERY_EVENT_HAS_A_ROLE,
        );
        for (i, &a) in all.iter().enumerate() {
            for &b in &all[i + 1..] {
                self.say(
                    vec![Lit::no(EventAtom::unary(a, X)), Lit::no(EventAtom::unary(b, X))],
                    ONE_ROLE,
                );
            }
        }
        for (_, own) in self.places.clone() {
            let owners = self
                .owners
                .iter()
                .filter(|o| o.0 == own)
                .map(|o| Lit::yes(EventAtom::unary(o.1, X)));
            let lits =
                std::iter::once(Lit::no(EventAtom::binary(own, X, Y))).chain(owners).collect();
            self.say(lits, "operations with an event at a place");
        }
        // Sets that no row has a member in.
        let exprs: Vec<(BaseSet, TheoryExprId)> =
            self.target.sets.iter().map(|(&s, &e)| (s, e)).collect();
        for (set, expr) in exprs {
            let Some(pred) = self.theory.as_symbol(expr) else { continue };
            let made = self.theory.facts.iter().any(|f| {
                matches!(f.reason, SentenceReason::Row(_))
                    && f.clause.lits.iter().any(|l| l.positive && l.atom.pred == pred)
            });
            if !made
                && !matches!(
                    set,
                    BaseSet::Iw
                        | BaseSet::Rmw
                        | BaseSet::Xchg
                        | BaseSet::Weak
                        | BaseSet::Na
                        | BaseSet::Atomic
                        | BaseSet::Mfence
                )
            {
                self.say(vec![Lit::no(EventAtom::unary(pred, X))], "no row has it");
            }
        }
    }

    /// The two halves of a read-modify-write are of one operation.
    fn rmw_halves(&mut self, scopes: &[(Scope, Pred)]) {
        let rmw = self.target.symbols.rmw();
        let pair = Lit::no(EventAtom::binary(rmw, X, Y));
        for pair_of_roles in self.roles.clone().windows(2) {
            let [read, write] = pair_of_roles else { continue };
            if read.part != OperationPart::ReadHalf {
                continue;
            }
            let (r, w) = (EventAtom::unary(read.pred, X), EventAtom::unary(write.pred, Y));
            self.say(vec![pair, Lit::no(r), Lit::yes(w)], "halves");
            self.say(vec![pair, Lit::yes(r), Lit::no(w)], "halves");
            let all = self.target.relations.rmw();
            let (domain, range) =
                (self.theory.end_name(all, false), self.theory.end_name(all, true));
            self.say(vec![Lit::no(r), Lit::yes(EventAtom::unary(domain, X))], "halves");
            self.say(vec![Lit::no(w), Lit::yes(EventAtom::unary(range, Y))], "halves");
        }
        for &(_, scope) in scopes {
            let (x, y) = (EventAtom::unary(scope, X), EventAtom::unary(scope, Y));
            self.say(vec![pair, Lit::no(x), Lit::yes(y)], "halves");
            self.say(vec![pair, Lit::yes(x), Lit::no(y)], "halves");
        }
    }
}
