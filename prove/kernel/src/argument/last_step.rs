//! A closure, taken apart at the end of its chains. Whoever searches, checks or writes for Rocq
//! does it in this one way.

use margay_models::model::CheckKind;

use crate::logic::{Meaning, Pred, TheoryExpr, TheoryExprId};
use crate::theory::{Sentence, SentenceReason, Theory};

/// What the end of a chain is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastStep {
    /// What contains the closure.
    pub ends: TheoryExprId,
    /// Where two steps are told apart: the transitive step, all others, and the sentence that says
    /// that it is transitive.
    pub parts: Option<(TheoryExprId, TheoryExprId, usize)>,
}

impl LastStep {
    /// The end of the chains of a closure `r+`: `r | r+; r`. Where r is `t | s` with a transitive t
    /// (program order in happens-before), two steps of t in a row are one, so what comes before a
    /// last step of t is no other step of t: `s | r+; s | t | s; t | (r+; s); t`. That tells what
    /// an obligation would else have to show by an induction of its own. `None` if it is no
    /// closure.
    pub fn of(theory: &mut Theory, closure: Pred) -> Option<Self> {
        let Meaning::Closure(step) = theory.symbols.get(closure).meaning else { return None };
        let whole = theory.exprs.symbol(closure);
        let parts = theory.exprs.union_parts(step);
        let transitive = parts.iter().find_map(|&p| Some((p, theory.transitivity(p)?)));
        let (Some((transitive, sentence)), true) = (transitive, parts.len() > 1) else {
            let longer = theory.exprs.sequence(whole, step);
            return Some(Self { ends: theory.exprs.union(step, longer), parts: None });
        };
        let others = theory.exprs.union_all(parts.into_iter().filter(|&p| p != transitive));
        let longer = theory.exprs.sequence(whole, others);
        let other_last = theory.exprs.union(others, longer);
        let transitive_last = theory.exprs.sequence(other_last, transitive);
        let ends = theory.exprs.union_all([other_last, transitive, transitive_last]);
        Some(Self { ends, parts: Some((transitive, others, sentence)) })
    }
}

impl Theory {
    /// The number of the condition on executions that says that a relation is transitive:
    /// `empty (r; r) \ r`.
    pub fn transitivity(&self, r: TheoryExprId) -> Option<usize> {
        let own = match self.as_symbol(r).map(|p| self.symbols.get(p).meaning) {
            Some(Meaning::Base) => r,
            Some(Meaning::Defined(body)) => body,
            _ => return None,
        };
        let says = |s: &(Sentence, SentenceReason)| {
            let TheoryExpr::Difference(twice, once) = self.exprs.get(s.0.expr) else {
                return false;
            };
            s.0.kind == CheckKind::Empty
                && matches!(s.1, SentenceReason::WellFormed(_))
                && [r, own].contains(&once)
                && self.exprs.get(twice) == TheoryExpr::Sequence(once, once)
        };
        self.sentences.iter().position(says)
    }
}
