//! Dependencies that rows make: `addr`, `data` and `ctrl` behind an access that reads.

use margay_language::{Dependency, Lowering};
use margay_models::model::CheckKind;
use margay_models::signature::BaseSet;

use super::roles::RoleBuilder;
use super::{X, Y, Z};
use crate::logic::{EventAtom, Lit, Meaning, Pred, TheoryExpr, TheoryExprId};
use crate::theory::{BaseMeaning, SentenceReason};

impl RoleBuilder<'_> {
    /// The target's symbol of a kind of dependencies, if it has them.
    fn dependency(&self, dependency: Dependency) -> Option<Pred> {
        self.target.symbols.get(dependency.relation())
    }

    /// Where a row has the word, what comes behind its read in the thread depends on it, but for
    /// the write of its own read-modify-write and what it puts before the word.
    pub(super) fn dependent(&mut self, role: Pred, lowering: &Lowering, what: &str) {
        let (po, rmw) = (self.target.symbols.po(), self.target.symbols.rmw());
        for (dependency, first) in lowering.dependencies.iter() {
            let Some(depends) = self.dependency(dependency) else { continue };
            let near =
                |p: &&(super::beside::BesidePlace, Pred)| p.0.behind && p.0.distance <= first;
            let near: Vec<Pred> = self.places.iter().filter(near).map(|p| p.1).collect();
            for of in self.dependents(dependency) {
                let mut lits =
                    vec![Lit::no(EventAtom::unary(role, X)), Lit::no(EventAtom::binary(po, X, Y))];
                lits.extend(of.map(|set| Lit::no(EventAtom::unary(set, Y))));
                lits.push(Lit::yes(EventAtom::binary(rmw, X, Y)));
                lits.extend(near.iter().map(|&place| Lit::yes(EventAtom::binary(place, X, Y))));
                lits.extend(
                    self.theory
                        .as_symbol(self.target.universe)
                        .map(|emitted| Lit::no(EventAtom::unary(emitted, Y))),
                );
                lits.push(Lit::yes(EventAtom::binary(depends, X, Y)));
                self.say(lits, what);
            }
        }
    }

    /// What can depend in this way: accesses, writes, or all events (`None`).
    fn dependents(&self, dependency: Dependency) -> Vec<Option<Pred>> {
        match dependency {
            Dependency::Addr => {
                [BaseSet::R, BaseSet::W].into_iter().map(|s| self.target_set(s)).collect()
            }
            Dependency::Data => vec![self.target_set(BaseSet::W)],
            Dependency::Ctrl => vec![None],
        }
    }

    /// What an operation depends on, that depends on as well which its row puts beside it: on a
    /// branch all, on an address the reads.
    pub(super) fn carried_dependencies(&mut self) {
        if self.mapping.target.signature.tabular().is_none() {
            return;
        }
        for dependency in [Dependency::Addr, Dependency::Ctrl] {
            let Some(depends) = self.dependency(dependency) else { continue };
            for (place, own) in self.places.clone() {
                if dependency == Dependency::Ctrl || place.is_read {
                    let lits = [
                        Lit::no(EventAtom::binary(depends, X, Y)),
                        Lit::no(EventAtom::binary(own, Y, Z)),
                    ];
                    self.say(
                        lits.into_iter()
                            .chain([Lit::yes(EventAtom::binary(depends, X, Z))])
                            .collect(),
                        "what depends",
                    );
                }
            }
        }
    }

    /// The dependencies of the source: those of the target, without what rows add; where rows make
    /// some, or the target has none, these are relations of their own.
    pub(super) fn source_dependencies(&mut self, base: &mut BaseMeaning, everything: TheoryExprId) {
        for dependency in Dependency::ALL {
            let relation = dependency.relation();
            if !relation.is_in(self.mapping.source.signature) {
                continue;
            }
            let target = self.dependency(dependency);
            let made = self.roles.iter().any(|r| r.lowering.dependencies.get(dependency).is_some());
            let value = match target {
                Some(_) if !made && (relation.is_of_whole_threads() || !self.adds_reads()) => {
                    continue;
                }
                Some(symbol) if !made => {
                    let symbol = self.theory.exprs.symbol(symbol);
                    self.theory.exprs.intersection(symbol, everything)
                }
                target => {
                    let name = format!("{}.{}", self.mapping.source.name, relation.name());
                    let own = self.theory.symbols.declare(&name, 2, Meaning::Base);
                    let own = self.theory.exprs.symbol(own);
                    let rest = self.theory.exprs.make(TheoryExpr::Difference(own, everything));
                    let reason =
                        SentenceReason::WellFormed("dependencies-are-of-operations".to_owned());
                    self.theory.assume_check(CheckKind::Empty, rest, false, false, &reason);
                    if let Some(target) = target {
                        let target = self.theory.exprs.symbol(target);
                        let rest = self.theory.exprs.make(TheoryExpr::Difference(own, target));
                        let reason = SentenceReason::WellFormed("dependencies-stay".to_owned());
                        self.theory.assume_check(CheckKind::Empty, rest, false, false, &reason);
                    }
                    own
                }
            };
            base.relations.insert(relation, value);
        }
    }
}
