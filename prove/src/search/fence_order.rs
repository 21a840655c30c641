//! The order of all events that the fences of a source are taken with, where the source chooses
//! one: it keeps what the target orders, since what is kept has no cycle.

use margay_theorem::argument::{Claim, ClaimStep, Property, Rule};
use margay_theorem::logic::{Pred, TheoryExprId};
use margay_theorem::theory::mapping::KeptOrder;

use super::around::between;
use super::finder::Finder;

impl Finder {
    /// Shows that what is to be kept is a strict order, so that no edge of it is left out, and then
    /// that closures of the source are within the order; or, where the target lets a read pass a
    /// write before it, that they lie along program order up to a write or fence, along the order
    /// up to a read or fence, and along program order behind it.
    pub fn keep_order(&mut self, of: KeptOrder, closures: &[Pred]) {
        let chain = self.theory.exprs.symbol(of.closure);
        let within = Claim::Pairs { of: of.closure, property: Property::Within(of.kept) };
        for (claim, rule) in [
            (within, Rule::Induction(vec![of.closure])),
            (Claim::Irreflexive(chain), Rule::Direct),
            (Claim::Within(of.kept, of.order), Rule::Direct),
        ] {
            let step = ClaimStep { claims: vec![claim], rule, known: true };
            if self.try_step(&step, 0, 2).is_err() {
                return;
            }
            self.step(step.claims, step.rule, true);
        }
        let along = self.along_the_order(&of);
        for &closure in closures {
            if self.bounded_by(closure, &[(0, of.order)]).is_ok()
                || self.bounded_by(closure, &along).is_ok()
            {
                self.within_order.insert(closure);
            }
        }
    }

    fn along_the_order(&mut self, of: &KeptOrder) -> Vec<(u8, TheoryExprId)> {
        let theory = &mut self.theory;
        let symbols = &theory.symbols;
        let names = [symbols.po(), symbols.reads(), symbols.writes()];
        let [Some(po), Some(reads), Some(writes)] = names else { return Vec::new() };
        let [po, reads, writes] = [po, reads, writes].map(|p| theory.exprs.symbol(p));
        let [from, to] = [writes, reads].map(|set| theory.exprs.union(set, of.fences));
        let inner = between(theory, Some(from), of.order, Some(to));
        let before = theory.exprs.sequence(po, inner);
        let behind = theory.exprs.sequence(inner, po);
        let both = theory.exprs.sequence(before, po);
        vec![(0, po), (1, inner), (2, before), (2, behind), (3, both)]
    }
}
