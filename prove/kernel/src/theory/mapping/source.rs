//! The base names of the source, by what its events have become.

use margay_models::execution::{Order, Scope};
use margay_models::model::CheckKind;
use margay_models::signature::{BaseRelation, BaseSet, Operation, RelationKind};

use super::instructions::carries;
use super::roles::{EventRole, OperationPart, RoleBuilder};
use crate::logic::{Meaning, Pred, TheoryExpr, TheoryExprId};
use crate::theory::{BaseMeaning, SentenceReason, Translated};

/// What a base set of the source is.
enum SetMeaning {
    /// The events of this set.
    Is(TheoryExprId),
    /// It follows from others, and [`Theory::complete`](crate::theory::Theory::complete) adds it.
    Follows,
    /// No event is in it, whatever the execution, for this reason.
    Empty(&'static str),
}

/// Why a source orders no fences.
const NOT_ORDERED: &str = "no operation of what is asked about is a fence that it orders, or becomes one that the target orders";

/// Why nothing of a source is in the names that PTX alone has.
const OF_PTX: &str = "PTX alone has it, and no model of PTX can be the source of a mapping";

impl RoleBuilder<'_> {
    /// A set of the source: the events of some roles, and perhaps initial writes.
    fn source_set(
        &mut self,
        name: &str,
        init: bool,
        of: impl Fn(&EventRole<'_>) -> bool,
    ) -> TheoryExprId {
        let mut all: Vec<TheoryExprId> = Vec::new();
        if init {
            all.push(self.target.sets[&BaseSet::Iw]);
        }
        let roles: Vec<Pred> = self.roles.iter().filter(|r| of(r)).map(|r| r.pred).collect();
        for role in roles {
            all.push(self.theory.exprs.symbol(role));
        }
        let body = self.theory.exprs.union_all(all);
        if matches!(self.theory.exprs.get(body), TheoryExpr::Empty | TheoryExpr::Symbol(_)) {
            return body;
        }
        let name = format!("{}.{name}", self.mapping.source.name);
        let pred = self.theory.symbols.declare(&name, 1, Meaning::Defined(body));
        self.theory.exprs.symbol(pred)
    }

    pub(super) fn source_base(
        &mut self,
        scopes: &[(Scope, Pred)],
        target: &Translated,
    ) -> BaseMeaning {
        let universe = self.theory.exprs.make(TheoryExpr::All);
        let universe = if self.added.is_empty() {
            universe
        } else {
            let added: Vec<Pred> = self.added.clone();
            let added: Vec<TheoryExprId> =
                added.into_iter().map(|p| self.theory.exprs.symbol(p)).collect();
            let added = self.theory.exprs.union_all(added);
            let pred = self.theory.symbols.declare("added", 1, Meaning::Defined(added));
            let added = self.theory.exprs.symbol(pred);
            let rest = self.theory.exprs.make(TheoryExpr::Difference(universe, added));
            let pred = self.theory.symbols.declare("source", 1, Meaning::Defined(rest));
            self.theory.exprs.symbol(pred)
        };
        let mut base = BaseMeaning::new(universe);
        self.source_sets(&mut base, scopes);
        self.source_relations(&mut base, scopes, target);
        let name = format!("{}.rb", self.mapping.source.name);
        let from_reads = self.theory.complete(&mut base, &name);
        self.theory.of_source.push(from_reads);
        base
    }

    /// What each set of the source's signature is.
    fn source_sets(&mut self, base: &mut BaseMeaning, scopes: &[(Scope, Pred)]) {
        // Reads first, then fences and orders, then what has no order: searches look at symbols as
        // they come.
        let rank = |set: &BaseSet| match set {
            BaseSet::R | BaseSet::Rmw => 0,
            BaseSet::F | BaseSet::Mfence => 1,
            BaseSet::Na | BaseSet::Weak => 3,
            BaseSet::Atomic => 4,
            _ => 2,
        };
        let mut all: Vec<BaseSet> = BaseSet::all(self.mapping.source.signature).collect();
        all.sort_by_key(rank);
        for set in all {
            match self.meaning(set, base, scopes) {
                SetMeaning::Is(value) => {
                    if self.theory.exprs.get(value) == TheoryExpr::Empty {
                        base.empty.push((set.name(), "no row of what is asked about makes one"));
                    }
                    base.sets.insert(set, value);
                }
                SetMeaning::Empty(why) => {
                    base.empty.push((set.name(), why));
                    let nothing = self.theory.exprs.make(TheoryExpr::Empty);
                    base.sets.insert(set, nothing);
                }
                SetMeaning::Follows => {}
            }
        }
    }

    /// What a set of the source is. Every base set has a case here: one without would be a name
    /// without a meaning.
    fn meaning(
        &mut self,
        set: BaseSet,
        base: &BaseMeaning,
        scopes: &[(Scope, Pred)],
    ) -> SetMeaning {
        let order = |r: &EventRole<'_>| match r.part {
            OperationPart::Whole => r.construct.order,
            OperationPart::ReadHalf => r.construct.read_order(),
            OperationPart::WriteHalf => r.construct.write_order(),
        };
        let name = set.name();
        SetMeaning::Is(match set {
            BaseSet::Universe | BaseSet::M => return SetMeaning::Follows,
            BaseSet::R if self.adds_reads() => self.source_set(name, false, |r| {
                r.construct.operation == Operation::Read || r.part == OperationPart::ReadHalf
            }),
            BaseSet::Rmw if self.adds_reads() => {
                self.source_set(name, false, |r| r.part != OperationPart::Whole)
            }
            BaseSet::R | BaseSet::W | BaseSet::Iw | BaseSet::Rmw => self.target.sets[&set],
            BaseSet::F => {
                self.source_set(name, false, |r| r.construct.operation == Operation::Fence)
            }
            BaseSet::Mfence => base.sets[&BaseSet::F],
            BaseSet::Rlx => self.source_set(name, false, |r| order(r) == Order::Rlx),
            BaseSet::Acq => self.source_set(name, false, |r| order(r) == Order::Acq),
            BaseSet::Rel => self.source_set(name, false, |r| order(r) == Order::Rel),
            BaseSet::AcqRel => self.source_set(name, false, |r| order(r) == Order::AcqRel),
            BaseSet::Sc => self.source_set(name, false, |r| order(r) == Order::Sc),
            BaseSet::Na | BaseSet::Weak => self.source_set(name, true, |r| {
                order(r) == Order::Plain && r.construct.operation != Operation::Fence
            }),
            BaseSet::Atomic => self.source_set(name, false, |r| order(r) != Order::Plain),
            BaseSet::Tag(tag) => self.source_set(name, false, |r| carries(order(r), tag)),
            BaseSet::Cta | BaseSet::Cluster | BaseSet::Gpu | BaseSet::Sys | BaseSet::Level(_) => {
                match scopes.iter().find(|s| set.scope() == Some(s.0)) {
                    Some(&(_, pred)) => self.theory.exprs.symbol(pred),
                    None => {
                        return SetMeaning::Empty(
                            "no operation of what is asked about has this scope",
                        );
                    }
                }
            }
            BaseSet::Gen => {
                self.theory.exprs.union(base.sets[&BaseSet::R], self.target.sets[&BaseSet::W])
            }
            BaseSet::B
            | BaseSet::Wait
            | BaseSet::Alias
            | BaseSet::Sur
            | BaseSet::Tex
            | BaseSet::Con
            | BaseSet::Async
            | BaseSet::Tensormap
            | BaseSet::Shared
            | BaseSet::Global
            | BaseSet::Mbarrier
            | BaseSet::Red
            | BaseSet::Xchg
            | BaseSet::Volatile
            | BaseSet::Mmio => return SetMeaning::Empty(OF_PTX),
        })
    }

    /// What each relation of the source's signature is.
    fn source_relations(
        &mut self,
        base: &mut BaseMeaning,
        scopes: &[(Scope, Pred)],
        target: &Translated,
    ) {
        let signature = self.mapping.source.signature;
        let everything = self.theory.exprs.make(TheoryExpr::Product(base.universe, base.universe));
        // Of dependencies the target's are the first guess; of relations of whole threads the
        // fences that rows add are left out.
        for relation in BaseRelation::all(signature) {
            use RelationKind::{Asynchronous, Barrier, Derived, Level};
            let of_target = self.target.relations.get(relation);
            let symbol = match relation.kind() {
                // A level that the source does not speak of needs no symbol.
                Level(level) if !scopes.is_empty() || self.mapping.source.mentions_level(level) => {
                    self.level(level)
                }
                Level(_) => None,
                _ if relation.is_of_whole_threads() => self.target.symbols.get(relation),
                _ if relation.is_of_addresses() => {
                    base.relations.insert(relation, self.target.relations.loc());
                    None
                }
                Barrier | Asynchronous => {
                    self.no_pairs(base, relation, OF_PTX);
                    None
                }
                // Coherence order, and what is made of it, come last.
                Derived(_) => None,
                _ if relation.speaks_of_coherence() => None,
                _ if relation.orders_fences() => {
                    match self.order_of_fences(relation, base, target) {
                        Some(order) => base.relations.insert(relation, order),
                        None => self.no_pairs(base, relation, NOT_ORDERED),
                    }
                    None
                }
                // What scopes say of each other comes last, too.
                _ if relation.compares_scopes() => {
                    if scopes.is_empty() {
                        self.no_pairs(
                            base,
                            relation,
                            "no operation of what is asked about has a scope",
                        );
                    }
                    None
                }
                _ => {
                    if let Some(whole) = of_target {
                        let within = if self.adds_reads() {
                            self.theory.exprs.intersection(whole, everything)
                        } else {
                            whole
                        };
                        base.relations.insert(relation, within);
                    }
                    None
                }
            };
            if let Some(symbol) = symbol {
                let whole = self.theory.exprs.symbol(symbol);
                let within = self.theory.exprs.intersection(whole, everything);
                base.relations.insert(relation, within);
            }
        }
        self.source_dependencies(base, everything);
        let co = self.target.relations.co();
        let mo = if self.mapping.target.signature.total_coherence() {
            co
        } else {
            let pred = self.theory.symbols.declare("mo", 2, Meaning::Base);
            self.theory.of_source.push(pred);
            let mo = self.theory.exprs.symbol(pred);
            let rest = self.theory.exprs.make(TheoryExpr::Difference(co, mo));
            let reason =
                SentenceReason::WellFormed("modification-order-extends-coherence-order".to_owned());
            self.theory.assume_check(CheckKind::Empty, rest, false, false, &reason);
            mo
        };
        base.relations.set_co(mo);
        if !scopes.is_empty() {
            let inclusion = self.inclusion(base, scopes);
            base.relations.set_sr(inclusion);
        }
    }

    /// Nothing is in a relation of the source.
    fn no_pairs(&mut self, base: &mut BaseMeaning, relation: BaseRelation, why: &'static str) {
        base.empty.push((relation.name(), why));
        let nothing = self.theory.exprs.make(TheoryExpr::Empty);
        base.relations.insert(relation, nothing);
    }

    /// `sr` of the source: both have a scope, and each scope includes the other's thread.
    fn inclusion(&mut self, base: &BaseMeaning, scopes: &[(Scope, Pred)]) -> TheoryExprId {
        let all = self.theory.exprs.make(TheoryExpr::All);
        let init = self.target.sets[&BaseSet::Iw];
        let threads = self.theory.exprs.make(TheoryExpr::Difference(all, init));
        let mut parts = Vec::new();
        for &(scope, pred) in scopes {
            let of = self.theory.exprs.symbol(pred);
            let part = match self.level(scope) {
                Some(symbol) => {
                    let (from, near) = (
                        self.theory.exprs.make(TheoryExpr::Product(of, all)),
                        self.theory.exprs.symbol(symbol),
                    );
                    self.theory.exprs.intersection(from, near)
                }
                None => self.theory.exprs.make(TheoryExpr::Product(of, threads)),
            };
            parts.push(part);
        }
        let one_way = self.theory.exprs.union_all(parts);
        let name = &self.mapping.source.name;
        let one_way =
            self.theory.symbols.declare(&format!("{name}.includes"), 2, Meaning::Defined(one_way));
        let one_way = self.theory.exprs.symbol(one_way);
        let other_way = self.theory.exprs.make(TheoryExpr::Inverse(one_way));
        let both = self.theory.exprs.intersection(one_way, other_way);
        let everything = self.theory.exprs.make(TheoryExpr::Product(base.universe, base.universe));
        let both = self.theory.exprs.intersection(both, everything);
        let both = self.theory.symbols.declare(&format!("{name}.sr"), 2, Meaning::Defined(both));
        self.theory.exprs.symbol(both)
    }

    /// A location is atomic or plain, where the language knows the difference.
    pub(super) fn locations_have_one_type(&mut self, base: &BaseMeaning) {
        if self.mapping.source.signature.tabular().is_some() {
            return;
        }
        let loc = base.relations.loc();
        let (Some(&plain), Some(&atomic)) =
            (base.sets.get(&BaseSet::Na), base.sets.get(&BaseSet::Atomic))
        else {
            return;
        };
        let init = base.sets[&BaseSet::Iw];
        let plain = self.theory.exprs.make(TheoryExpr::Difference(plain, init));
        let mixed = self.theory.exprs.make(TheoryExpr::Product(plain, atomic));
        let mixed = self.theory.exprs.intersection(mixed, loc);
        let reason = SentenceReason::WellFormed("a-location-is-atomic-or-plain".to_owned());
        self.theory.assume_check(CheckKind::Empty, mixed, false, false, &reason);
    }
}
