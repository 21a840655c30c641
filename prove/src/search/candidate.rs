//! What an invariant may be made of: relations, and sequences of two.

use super::finder::Finder;
use super::truncated;
use margay_theorem::ground::{Structure, matches};
use margay_theorem::logic::form::normalised;
use margay_theorem::logic::{Clause, EventTerm, Lit, Meaning, Pred, TheoryExpr, TheoryExprId};
use margay_theorem::theory::{StopSignal, Theory};

/// A relation that a union may be made of.
#[derive(Debug, Clone)]
pub struct CandidateRelation {
    pub expr: TheoryExprId,
    /// How early it is tried.
    pub rank: u8,
    /// Does it relate initial writes alone?
    pub initial: bool,
    /// "The pair of events 0 and 1 is not in it."
    pub absent: Vec<Clause>,
    /// "It is", with variables for the events between.
    cases: Vec<(Vec<Lit>, u8)>,
}

impl CandidateRelation {
    pub fn new(theory: &mut Theory, expr: TheoryExprId, rank: u8) -> Self {
        let (form, events) = theory.opened(expr);
        for lit in form.lits() {
            theory.explain(lit.atom.pred);
        }
        let mut values = vec![EventTerm::event(0), EventTerm::event(1)];
        values.extend((0..events).map(EventTerm::variable));
        let form = form.with(&values);
        let absent = form.negated().clauses().into_iter().filter_map(normalised);
        let absent = absent.map(|(lits, variables)| Clause { lits, variables }).collect();
        let cases = form.cases().into_iter().map(|lits| (lits, events)).collect();
        Self { expr, rank, initial: is_initial(theory, expr), absent, cases }
    }

    /// Each of some relations with its rank, until the search is to end.
    pub fn all(theory: &mut Theory, of: &[(u8, TheoryExprId)]) -> Vec<Self> {
        let mut all = Vec::with_capacity(of.len());
        for &(rank, expr) in of {
            if theory.stop.is_raised() {
                break;
            }
            all.push(Self::new(theory, expr, rank));
        }
        all
    }

    /// Is the pair of events 0 and 1 in it, as the structure has it?
    pub fn holds(&self, structure: &Structure, stop: &StopSignal) -> bool {
        self.cases.iter().any(|(lits, variables)| {
            let mut any = false;
            matches(structure, *variables, lits, stop, &mut |_| {
                any = true;
                false
            });
            any
        })
    }
}

/// The relations that a union may be made of: those given, and sequences of two, those with
/// closures first. `[IW]; r` is for what begins at an initial write.
pub fn candidates(theory: &mut Theory, vocabulary: &[TheoryExprId]) -> Vec<(u8, TheoryExprId)> {
    let mut found = Vec::new();
    for &first in vocabulary {
        found.push(first);
        found.extend(initial(theory, first));
        for &second in vocabulary {
            found.push(theory.exprs.sequence(first, second));
        }
    }
    let mut found: Vec<(u8, TheoryExprId)> =
        found.into_iter().map(|e| (rank(theory, e), e)).collect();
    found.sort_by_key(|f| f.0);
    found
}

/// `[IW]; r`.
pub fn initial(theory: &mut Theory, r: TheoryExprId) -> Option<TheoryExprId> {
    let init = theory.symbols.named("IW")?;
    let init = theory.exprs.symbol(init);
    let init = theory.exprs.make(TheoryExpr::Diagonal(init));
    Some(theory.exprs.sequence(init, r))
}

/// From each initial write to each event that is none: initial writes may happen before everything
/// else.
pub(super) fn from_initial(theory: &mut Theory) -> Option<TheoryExprId> {
    let init = theory.symbols.named("IW")?;
    let init = theory.exprs.symbol(init);
    let all = theory.exprs.make(TheoryExpr::All);
    let rest = theory.exprs.make(TheoryExpr::Difference(all, init));
    Some(theory.exprs.make(TheoryExpr::Product(init, rest)))
}

/// Is it `[IW]; r`, or `IW * s`?
fn is_initial(theory: &Theory, e: TheoryExprId) -> bool {
    let set = match theory.exprs.get(e) {
        TheoryExpr::Sequence(a, _) => match theory.exprs.get(a) {
            TheoryExpr::Diagonal(set) => set,
            _ => return false,
        },
        TheoryExpr::Product(set, _) => set,
        _ => return false,
    };
    theory.as_symbol(set).is_some_and(|p| theory.symbols.name(p) == "IW")
}

/// Which kind of member is tried first: closures, which compose with themselves, then what is
/// recursive, then sequences with one of them.
pub(super) fn rank(theory: &Theory, e: TheoryExprId) -> u8 {
    let meaning = |e: TheoryExprId| theory.as_symbol(e).map(|p| theory.symbols.get(p).meaning);
    let recursive =
        |e: TheoryExprId| matches!(meaning(e), Some(Meaning::Closure(_) | Meaning::Fixpoint(..)));
    match theory.exprs.get(e) {
        TheoryExpr::Sequence(_, b) if is_initial(theory, e) => rank(theory, b),
        TheoryExpr::Sequence(a, b) if recursive(a) || recursive(b) => 2,
        TheoryExpr::Sequence(..) => 4,
        _ if matches!(meaning(e), Some(Meaning::Closure(_))) => 0,
        _ if recursive(e) => 1,
        _ => 3,
    }
}

impl Finder {
    /// What the invariant of a closure of the source may be made of. `places`: the relations from
    /// operations to their fences.
    pub(super) fn candidates(
        &mut self,
        closure: Pred,
        relations: &[Pred],
        places: &[Pred],
    ) -> Vec<(u8, TheoryExprId)> {
        let closures: Vec<Pred> = relations
            .iter()
            .copied()
            .filter(|&p| matches!(self.theory.symbols.get(p).meaning, Meaning::Closure(_)))
            .collect();
        let cut = truncated::candidates(&mut self.theory, closure, &closures);
        if !cut.is_empty() {
            let po = self.theory.symbols.po();
            let whole = po
                .into_iter()
                .chain(closures)
                .map(|p| (0, self.theory.exprs.symbol(p)))
                .collect::<Vec<_>>();
            return whole.into_iter().chain(cut).collect();
        }
        let mut vocabulary: Vec<TheoryExprId> =
            relations.iter().map(|&p| self.theory.exprs.symbol(p)).collect();
        for &place in places {
            let place = self.theory.exprs.symbol(place);
            let back = self.theory.exprs.make(TheoryExpr::Inverse(place));
            vocabulary.extend([place, back]);
        }
        candidates(&mut self.theory, &vocabulary)
    }

    /// What the closure of edges that stay at one location may be within: closures of the source at
    /// one location, also behind a fence. The second list has the same before a fence, and between
    /// two, for operations that have their fences behind them.
    pub(super) fn order_candidates(&mut self, closures: &[Pred]) -> [Vec<(u8, TheoryExprId)>; 2] {
        let symbols = &self.theory.symbols;
        let names = [symbols.loc(), symbols.fences()];
        let [Some(loc), Some(fence)] = names else { return [Vec::new(), Vec::new()] };
        let [loc, fence] = [loc, fence].map(|p| self.theory.exprs.symbol(p));
        let fence = self.theory.exprs.make(TheoryExpr::Diagonal(fence));
        let mut found = [Vec::new(), Vec::new()];
        for &closure in closures {
            let whole = self.theory.exprs.symbol(closure);
            let here = self.theory.exprs.intersection(whole, loc);
            for (rank, end) in [(0, here), (1, whole)] {
                found[0].push((rank, end));
                for &before in closures {
                    let before = self.theory.exprs.symbol(before);
                    let both = self.theory.exprs.sequence(before, end);
                    found[0].push((rank, self.theory.exprs.sequence(fence, both)));
                    let back = self.theory.exprs.sequence(before, fence);
                    let to_fence = self.theory.exprs.sequence(end, back);
                    found[1].push((rank, to_fence));
                    let between = self.theory.exprs.sequence(both, back);
                    found[1].push((rank, self.theory.exprs.sequence(fence, between)));
                }
            }
        }
        found.iter_mut().for_each(|all| all.sort_by_key(|f| f.0));
        found
    }
}

/// What a chain of edges may be within: an edge, or two of them.
pub(super) fn chains(theory: &mut Theory, edges: &[TheoryExprId]) -> Vec<(u8, TheoryExprId)> {
    let mut found: Vec<(u8, TheoryExprId)> = edges.iter().map(|&e| (0, e)).collect();
    for &a in edges {
        found.extend(edges.iter().map(|&b| (1, theory.exprs.sequence(a, b))));
    }
    let initial: Vec<(u8, TheoryExprId)> =
        found.iter().filter_map(|&(rank, e)| Some((rank, initial(theory, e)?))).collect();
    found.extend(initial);
    found.sort_by_key(|f| f.0);
    found
}
