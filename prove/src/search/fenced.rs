//! Invariants where threads see writes at different times. What a thread has read is before what it
//! writes behind a fence, for every thread that reads that (Power: cumulativity), and nothing else
//! is. So a relation like `prop-base`, behind which the closure of an axiom may stand, says more
//! than that closure. A write that synchronises begins with what read it or what overwrote it; what
//! is before its fence begins there.

use super::finder::Finder;
use super::truncated::ends;
use margay_theorem::argument::edges;
use margay_theorem::argument::{Claim, Rule};
use margay_theorem::logic::{Meaning, Pred, TheoryExpr, TheoryExprId};
use margay_theorem::theory::{Theory, TheoryVocabulary};

/// A closure of an axiom, and a relation within it that it may stand behind.
#[derive(Clone, Copy)]
struct PassingRelation {
    closure: TheoryExprId,
    by_fences: TheoryExprId,
}

/// The names that members are made of.
struct MemberNames {
    po: TheoryExprId,
    /// Program order but that between the halves of an operation.
    apart: TheoryExprId,
    po_here: TheoryExprId,
    rmw: TheoryExprId,
    co: TheoryExprId,
    external: TheoryExprId,
    reads: TheoryExprId,
    writes: TheoryExprId,
    fences: TheoryExprId,
}

impl MemberNames {
    fn of(theory: &mut Theory) -> Option<Self> {
        let symbols = &theory.symbols;
        let names = [
            symbols.po(),
            symbols.loc(),
            symbols.rmw(),
            symbols.co(),
            symbols.rf(),
            symbols.int(),
            symbols.reads(),
            symbols.writes(),
            symbols.fences(),
        ];
        let [po, loc, rmw, co, rf, int, reads, writes, fences] = names;
        let [po, loc, rmw, co, rf, int] =
            [po?, loc?, rmw?, co?, rf?, int?].map(|p| theory.exprs.symbol(p));
        let [reads, writes, fences] = [reads?, writes?, fences?].map(|p| theory.exprs.symbol(p));
        let [reads, writes, fences] =
            [reads, writes, fences].map(|set| theory.exprs.make(TheoryExpr::Diagonal(set)));
        let po_here = theory.exprs.intersection(po, loc);
        let external = theory.exprs.make(TheoryExpr::Difference(rf, int));
        let apart = theory.exprs.make(TheoryExpr::Difference(po, rmw));
        Some(Self { po, apart, po_here, rmw, co, external, reads, writes, fences })
    }
}

impl Finder {
    /// Finds an invariant of a closure of the source where the target has relations that pass on
    /// what was seen by fences.
    pub(super) fn bounded_by_fences(&mut self, closure: Pred, relations: &[Pred]) -> bool {
        let passing = self.passing(relations);
        let own = self.theory.exprs.symbol(closure);
        let inner: Vec<Pred> = TheoryVocabulary::of(&self.theory, [own]).relations;
        for pair in passing {
            for &chain in inner.iter().filter(|&&p| p != closure) {
                self.bounded_read_by_read(chain, pair);
            }
            let members = members(&mut self.theory, closure, pair);
            if !members.is_empty() && self.bounded_by(closure, &members).is_ok() {
                return true;
            }
        }
        false
    }

    /// The relations that a closure of an axiom may stand behind, and that are within it. That it
    /// may is a lemma from then on.
    fn passing(&mut self, relations: &[Pred]) -> Vec<PassingRelation> {
        let mut found = Vec::new();
        for axiom in self.closures_of_axioms() {
            let closure = self.theory.exprs.symbol(axiom);
            for &relation in relations {
                if !matches!(self.theory.symbols.get(relation).meaning, Meaning::Defined(_)) {
                    continue;
                }
                let by_fences = self.theory.exprs.symbol(relation);
                let longer = self.theory.exprs.sequence(by_fences, closure);
                let claims = [Claim::Within(by_fences, closure), Claim::Within(longer, by_fences)];
                if claims.iter().all(|claim| self.holds(claim, 0, 0)) {
                    tracing::debug!("{} passes on what was seen", self.theory.text(by_fences));
                    for claim in claims {
                        self.step(vec![claim], Rule::Direct, true);
                    }
                    found.push(PassingRelation { closure, by_fences });
                }
            }
        }
        found
    }

    /// Finds an invariant of release sequences: program order, or the closure of an axiom up to the
    /// last read from another thread, which is communication at one location as well.
    fn bounded_read_by_read(
        &mut self,
        chain: Pred,
        PassingRelation { closure, .. }: PassingRelation,
    ) {
        let Meaning::Closure(step) = self.theory.symbols.get(chain).meaning else { return };
        let Some(names) = MemberNames::of(&mut self.theory) else { return };
        let rf = self.theory.symbols.rf();
        let edges = edges(&mut self.theory, step);
        let is_chain =
            |e: &TheoryExprId| matches!(self.theory.exprs.get(*e), TheoryExpr::Sequence(..));
        let own = TheoryVocabulary::of(&self.theory, edges.iter().copied()).relations;
        if edges.len() != 1
            || !edges.iter().all(is_chain)
            || !rf.is_some_and(|rf| own.contains(&rf))
        {
            return;
        }
        let exprs = &mut self.theory.exprs;
        let overwritten = exprs.sequence(names.co, names.external);
        let communication = exprs.union(names.external, overwritten);
        let both = exprs.intersection(closure, communication);
        let last = exprs.sequence(both, names.po_here);
        let behind = exprs.sequence(names.po, last);
        let members = [(0, names.po), (1, last), (2, behind)];
        // Of initial writes, too.
        let initial = members
            .map(|(rank, e)| super::candidate::initial(&mut self.theory, e).map(|e| (rank, e)));
        let all: Vec<(u8, TheoryExprId)> =
            members.into_iter().chain(initial.into_iter().flatten()).collect();
        let _ = self.bounded_by(chain, &all);
    }
}

/// The members of an invariant of happens-before.
fn members(
    theory: &mut Theory,
    of: Pred,
    PassingRelation { closure, by_fences }: PassingRelation,
) -> Vec<(u8, TheoryExprId)> {
    let Some(names) = MemberNames::of(theory) else { return Vec::new() };
    let MemberNames { po, apart, po_here, rmw, co, external, reads, writes, fences } = names;
    let (starts, stops) = ends(theory, of);
    if starts.is_empty() || stops.is_empty() {
        return Vec::new();
    }
    let mut found = vec![(0, po)];
    let mut add = |theory: &mut Theory, rank: u8, parts: [&[TheoryExprId]; 3]| {
        let identity = theory.exprs.identity();
        let all: Vec<TheoryExprId> = parts.concat();
        let member =
            all.into_iter().rev().fold(identity, |rest, part| theory.exprs.sequence(part, rest));
        found.push((rank, member));
    };
    for &start in &starts {
        // What is before a fence begins there; a write that synchronises begins with who reads it,
        // or what overwrites it, and so does the read half of its operation, which has no fence
        // between it and the write.
        let before: [&[TheoryExprId]; 4] = [
            &[apart, start, writes],
            &[start, fences, po, writes],
            &[po, start, fences, po, writes],
            &[apart, start, writes, po_here, writes],
        ];
        let seen: [&[TheoryExprId]; 4] = [
            &[external],
            &[co, external],
            &[by_fences, writes, closure],
            &[co, by_fences, writes, closure],
        ];
        let itself = [&[start, writes][..], &[rmw, start, writes]];
        let itself = itself
            .into_iter()
            .flat_map(|begin| seen.map(|seen| [begin, seen].concat()))
            .collect::<Vec<_>>();
        for &stop in &stops {
            let behind: [&[TheoryExprId]; 3] =
                [&[reads, stop], &[reads, po_here, reads, stop], &[reads, po, fences, stop]];
            for (rank, end) in (1..).zip(behind) {
                for (later, more) in [(0, &[][..]), (3, &[po][..])] {
                    let end = [end, more].concat();
                    for begin in before {
                        add(theory, rank + later, [begin, &[closure], &end]);
                    }
                    for begin in &itself {
                        add(theory, rank + later, [begin, &[], &end]);
                    }
                }
            }
        }
    }
    found.extend(super::candidate::from_initial(theory).map(|e| (9, e)));
    found.sort_by_key(|f| f.0);
    found
}
