//! Invariants around the closure of an axiom. `acyclic a | b` of the target is about `(a | b)+`, a
//! relation that its model has no name for. Machines order what threads communicate, in program
//! order on either side: an invariant of happens-before has members like
//! `po; [W]; (a | b)+; [R]; po`.

use margay_models::model::CheckKind;

use super::candidate::from_initial;
use super::finder::Finder;
use super::truncated::ends;
use margay_theorem::argument::edges;
use margay_theorem::argument::{Property, X, Y};
use margay_theorem::logic::{EventAtom, Lit, Meaning, Pred, TheoryExpr, TheoryExprId};
use margay_theorem::theory::{SentenceReason, Theory, TheoryVocabulary};

/// The rank of what is tried where nothing else will do.
const LAST: u8 = 9;

/// Members for an invariant, each with its rank.
type Members = Vec<(u8, TheoryExprId)>;

impl Finder {
    /// The closures of which an axiom says that they have no loop.
    pub(super) fn closures_of_axioms(&mut self) -> Vec<Pred> {
        let is_axiom = |reason: &SentenceReason| matches!(reason, SentenceReason::Axiom(_));
        let acyclic = self
            .theory
            .sentences
            .iter()
            .filter(|(s, reason)| s.kind == CheckKind::Acyclic && is_axiom(reason));
        let about: Vec<TheoryExprId> = acyclic.map(|(s, _)| s.expr).collect();
        let mut found: Vec<Pred> = about.into_iter().map(|e| self.theory.closure_name(e)).collect();
        found.dedup();
        found.iter().for_each(|&p| self.theory.explain(p));
        found
    }

    /// Has a target names for closures or recursive relations?
    pub(super) fn names_closures(&self, relations: &[Pred]) -> bool {
        let is_recursive = |p: &Pred| {
            matches!(
                self.theory.symbols.get(*p).meaning,
                Meaning::Closure(_) | Meaning::Fixpoint(..)
            )
        };
        relations.iter().any(is_recursive)
    }

    /// Finds an invariant of a closure of the source around the closure of one axiom.
    pub(super) fn bounded_around(&mut self, closure: Pred) -> bool {
        let axioms = self.closures_of_axioms();
        let synchronising: Vec<Members> = axioms
            .iter()
            .map(|&axiom| synchronising(&mut self.theory, closure, axiom))
            .filter(|c| !c.is_empty())
            .collect();
        if synchronising.iter().any(|c| self.bounded_by(closure, c).is_ok()) {
            return true;
        }
        // Perhaps what is known of release sequences does not tell enough.
        if !synchronising.is_empty() {
            let own = self.theory.exprs.symbol(closure);
            let inner = TheoryVocabulary::of(&self.theory, [own]).relations;
            let chains =
                inner.into_iter().filter(|&p| p != closure && self.bounded_as_chain(p)).count();
            if chains > 0 && synchronising.iter().any(|c| self.bounded_by(closure, c).is_ok()) {
                return true;
            }
        }
        axioms.iter().any(|&axiom| {
            let candidates = around(&mut self.theory, axiom);
            self.bounded_by(closure, &candidates).is_ok()
        })
    }

    /// Finds an invariant of a closure of one kind of edge that is made of communication: release
    /// sequences are chains of read-modify-writes. That they stay at a location, in coherence
    /// order, is a lemma of its own.
    fn bounded_as_chain(&mut self, closure: Pred) -> bool {
        let Meaning::Closure(step) = self.theory.symbols.get(closure).meaning else { return false };
        let symbols = &self.theory.symbols;
        let [Some(rf), Some(co), Some(loc)] = [symbols.rf(), symbols.co(), symbols.loc()] else {
            return false;
        };
        let edges = edges(&mut self.theory, step);
        let is_chain =
            |e: &TheoryExprId| matches!(self.theory.exprs.get(*e), TheoryExpr::Sequence(..));
        if edges.len() != 1
            || !edges.iter().all(is_chain)
            || !TheoryVocabulary::of(&self.theory, edges).relations.contains(&rf)
        {
            return false;
        }
        let within =
            |r: Pred| (closure, Property::Clause(vec![Lit::yes(EventAtom::binary(r, X, Y))]));
        self.guess(&[closure], vec![within(co), within(loc)], 0);
        let candidates = communicating(&mut self.theory);
        self.bounded_by(closure, &candidates).is_ok()
    }
}

/// Restricts both ends of a relation.
pub(super) fn between(
    theory: &mut Theory,
    from: Option<TheoryExprId>,
    r: TheoryExprId,
    to: Option<TheoryExprId>,
) -> TheoryExprId {
    let [from, to] = [from, to].map(|set| match set {
        Some(set) => theory.exprs.make(TheoryExpr::Diagonal(set)),
        None => theory.exprs.identity(),
    });
    let behind = theory.exprs.sequence(r, to);
    theory.exprs.sequence(from, behind)
}

/// The members around a closure: program order, and the closure between accesses, with program
/// order on either side or on both.
fn around(theory: &mut Theory, closure: Pred) -> Members {
    let symbols = &theory.symbols;
    let names = [symbols.po(), symbols.reads(), symbols.writes(), symbols.initial_writes()];
    let [Some(po), Some(reads), Some(writes), Some(initial)] = names else { return Vec::new() };
    let [po, reads, writes, initial, closure] =
        [po, reads, writes, initial, closure].map(|p| theory.exprs.symbol(p));
    let mut found = vec![(0, po)];
    for from in [Some(writes), Some(reads), Some(initial), None] {
        for to in [Some(reads), Some(writes), None] {
            let inner = between(theory, from, closure, to);
            let before = theory.exprs.sequence(po, inner);
            let behind = theory.exprs.sequence(inner, po);
            let both = theory.exprs.sequence(before, po);
            found.extend([(1, inner), (2, behind)]);
            if from != Some(initial) {
                found.extend([(2, before), (3, both)]);
            }
        }
    }
    found.extend(from_initial(theory).map(|e| (LAST, e)));
    found
}

/// The members for chains of read-modify-writes: program order, or all up to the last read from
/// another thread, and program order behind it.
fn communicating(theory: &mut Theory) -> Members {
    let symbols = &theory.symbols;
    let names = [symbols.po(), symbols.co(), symbols.rf(), symbols.int(), symbols.initial_writes()];
    let [Some(po), Some(co), Some(rf), Some(int), Some(initial)] = names else { return Vec::new() };
    let [po, co, rf, int, initial] = [po, co, rf, int, initial].map(|p| theory.exprs.symbol(p));
    let initial = theory.exprs.make(TheoryExpr::Diagonal(initial));
    let external = theory.exprs.make(TheoryExpr::Difference(rf, int));
    let last = theory.exprs.sequence(external, po);
    let overwritten = theory.exprs.sequence(co, last);
    let mut found = vec![(0, po)];
    for (rank, member) in [(1, last), (2, overwritten)] {
        found.extend([(rank, member), (rank, theory.exprs.sequence(initial, member))]);
    }
    found
}

/// The members around a closure that say where synchronisation begins and ends: at a release, or at
/// a fence before the write that is read; at an acquire, at a fence behind the read, or at an
/// acquire behind it. What a release writes may be overwritten before it is read.
fn synchronising(theory: &mut Theory, of: Pred, closure: Pred) -> Members {
    let symbols = &theory.symbols;
    let names = [
        symbols.po(),
        symbols.co(),
        symbols.rf(),
        symbols.loc(),
        symbols.int(),
        symbols.reads(),
        symbols.writes(),
        symbols.fences(),
    ];
    let [
        Some(po),
        Some(co),
        Some(rf),
        Some(loc),
        Some(int),
        Some(reads),
        Some(writes),
        Some(fences),
    ] = names
    else {
        return Vec::new();
    };
    let [po, co, rf, loc, int, closure] =
        [po, co, rf, loc, int, closure].map(|p| theory.exprs.symbol(p));
    let [reads, writes, fences] = [reads, writes, fences].map(|p| theory.exprs.symbol(p));
    let po_here = theory.exprs.intersection(po, loc);
    let external = theory.exprs.make(TheoryExpr::Difference(rf, int));
    let [reads, writes, fences] =
        [reads, writes, fences].map(|set| theory.exprs.make(TheoryExpr::Diagonal(set)));
    let (starts, stops) = ends(theory, of);
    let mut found = Vec::new();
    for &start in &starts {
        for &stop in &stops {
            for begin in [vec![start, writes], vec![start, fences, po, writes]] {
                // Of a release sequence an acquire may read what its own thread wrote: the read
                // from another thread is before that.
                let inside = [external, po_here, reads, stop];
                let ends = [
                    (0, vec![closure, reads, stop]),
                    (0, vec![closure, reads, po, fences, stop]),
                    (1, inside.to_vec()),
                    (2, [&[closure, writes][..], &inside].concat()),
                ];
                for (longer, end) in ends {
                    for (overwritten, before, behind) in
                        (0..8).map(|k: u8| (k >> 2 & 1, k >> 1 & 1, k & 1))
                    {
                        let times = |r: TheoryExprId, times: u8| vec![r; usize::from(times)];
                        let parts =
                            [times(po, before), begin.clone(), times(co, overwritten), end.clone()];
                        let parts = parts
                            .into_iter()
                            .flatten()
                            .chain(times(po, behind))
                            .rev()
                            .collect::<Vec<_>>();
                        let identity = theory.exprs.identity();
                        let member = parts
                            .into_iter()
                            .fold(identity, |rest, part| theory.exprs.sequence(part, rest));
                        found.push((1 + 2 * (overwritten + longer) + before + behind, member));
                    }
                }
            }
        }
    }
    if !found.is_empty() {
        found.push((0, po));
        found.extend(from_initial(theory).map(|e| (LAST, e)));
    }
    found.sort_by_key(|f| f.0);
    found
}
