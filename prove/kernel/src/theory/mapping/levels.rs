//! The levels of the hierarchy of threads (warp, cta, cluster, gpu) by which scopes of the source
//! include threads.

use margay_models::execution::Scope;
use margay_models::model::CheckKind;
use margay_models::signature::{BaseRelation, BaseSet};

use super::roles::RoleBuilder;
use crate::logic::{Meaning, Pred, TheoryExpr, TheoryExprId};
use crate::theory::SentenceReason;

impl RoleBuilder<'_> {
    /// "The threads of both events share this level": the target's relation, or one of the source's
    /// own. `None` for the level that all threads share.
    pub(super) fn level(&mut self, scope: Scope) -> Option<Pred> {
        if scope == Scope::Sys {
            return None;
        }
        let target =
            BaseRelation::all(self.mapping.target.signature).find(|r| r.level() == Some(scope));
        if let Some(relation) = target {
            return Some(self.target.symbols[relation]);
        }
        if let Some(&(_, known)) = self.levels.iter().find(|(level, _)| *level == scope) {
            return Some(known);
        }
        let name = format!("{}.same-{}", self.mapping.source.name, scope.name());
        let pred = self.theory.symbols.declare(&name, 2, Meaning::Base);
        self.levels.push((scope, pred));
        let own = self.theory.exprs.symbol(pred);
        self.assume_equivalence(own);
        Some(pred)
    }

    /// A level is an equivalence on threads that each thread is within.
    fn assume_equivalence(&mut self, same: TheoryExprId) {
        let exprs = &mut self.theory.exprs;
        let all = exprs.make(TheoryExpr::All);
        let threads = exprs.make(TheoryExpr::Difference(all, self.target.sets[&BaseSet::Iw]));
        let placed = exprs.make(TheoryExpr::Product(threads, threads));
        let one_thread = exprs.intersection(self.target.relations.int(), placed);
        let (back, twice) = (exprs.make(TheoryExpr::Inverse(same)), exprs.sequence(same, same));
        for (within, name) in [
            (TheoryExpr::Difference(same, placed), "a-level-is-of-threads"),
            (TheoryExpr::Difference(one_thread, same), "a-thread-is-within-each-level"),
            (TheoryExpr::Difference(back, same), "a-level-is-symmetric"),
            (TheoryExpr::Difference(twice, same), "a-level-is-transitive"),
        ] {
            let outside = self.theory.exprs.make(within);
            let reason = SentenceReason::WellFormed(name.to_owned());
            self.theory.assume_check(CheckKind::Empty, outside, false, false, &reason);
        }
    }
}
