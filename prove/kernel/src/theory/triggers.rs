//! Clauses by the symbols of their premises, for whoever looks for instances of them. Nothing rests
//! on it: a checker makes the instances that a refutation names.

use crate::ground::Structure;
use crate::logic::{EventAtom, Lit, Pred};

/// A premise of a clause.
#[derive(Debug, Clone, Copy)]
struct Premise {
    /// The number of the clause.
    of: u32,
    /// Its number among the literals.
    literal: u32,
    /// What must be so for the clause to be violated, of some of its other literals.
    tests: [Option<PremiseTest>; TESTS],
}

/// So many other literals are looked at before the clause itself is. Most clauses have no more.
const TESTS: usize = 6;

/// What must be so of another literal's symbol, where a premise is about two events (twice the same
/// of a set).
#[derive(Debug, Clone, Copy)]
struct PremiseTest {
    pred: Pred,
    kind: TestedPlaces,
}

/// The number is that of one of the two events.
#[derive(Debug, Clone, Copy)]
enum TestedPlaces {
    /// The literal is about these two, and its atom must hold, or must not.
    Pair(u8, u8, bool),
    /// It is about this one and an event that is not known yet.
    From(u8),
    /// The other way round.
    To(u8),
    /// It is about events that are not known yet.
    Any,
}

impl PremiseTest {
    /// What a literal of a clause needs if the clause is to be violated where `own` is a premise
    /// that holds; `None` where nothing can be said.
    fn of(own: &Lit, other: &Lit) -> Option<Self> {
        let place = |term| own.atom.args.iter().position(|&t| t == term).map(|at| at as u8);
        let [from, to] = other.atom.args.map(place);
        let kind = match (from, to, other.positive) {
            (Some(from), Some(to), positive) => TestedPlaces::Pair(from, to, !positive),
            (_, _, true) => return None,
            (Some(from), None, _) => TestedPlaces::From(from),
            (None, Some(to), _) => TestedPlaces::To(to),
            (None, None, _) => TestedPlaces::Any,
        };
        Some(Self { pred: other.atom.pred, kind })
    }

    #[inline]
    fn may_hold(self, [a, b]: [usize; 2], structure: &Structure) -> bool {
        let Self { pred, kind } = self;
        let at = |place: u8| if place == 0 { a } else { b };
        // What was named since the structure was made is true of nothing.
        match kind {
            TestedPlaces::Pair(from, to, holds) => {
                (structure.has(pred) && structure.row(pred, at(from)) >> at(to) & 1 == 1) == holds
            }
            _ if !structure.has(pred) => false,
            TestedPlaces::From(from) => structure.row(pred, at(from)) != 0,
            TestedPlaces::To(to) => structure.column(pred, at(to)) != 0,
            TestedPlaces::Any => !structure.is_empty(pred),
        }
    }
}

/// Premises of one symbol in clauses that have another one, too: most clauses have one that is true
/// of nothing, and are not looked at.
#[derive(Debug, Clone)]
struct PremiseGroup {
    other: Pred,
    premises: Vec<Premise>,
}

/// Clauses by the symbols of their premises: an atom that becomes true may violate those that have
/// it.
#[derive(Debug, Clone, Default)]
pub struct Triggers {
    /// For each symbol the premises that it has.
    premises: Vec<Vec<PremiseGroup>>,
}

impl Triggers {
    /// Adds a clause with its number.
    pub fn add(&mut self, number: usize, lits: &[Lit]) {
        let negative = || lits.iter().enumerate().filter(|(_, l)| !l.positive);
        for (literal, lit) in negative() {
            let own = lit.atom.pred;
            let other = negative().map(|(_, l)| l.atom.pred).find(|&p| p != own).unwrap_or(own);
            if self.premises.len() <= own.index() {
                self.premises.resize(own.index() + 1, Vec::new());
            }
            let groups = &mut self.premises[own.index()];
            // A pair is asked first, since it leaves the least open; a clause is the same whatever
            // the order.
            let others = lits.iter().enumerate().filter(|(at, _)| *at != literal);
            let mut tests: Vec<PremiseTest> =
                others.filter_map(|(_, other)| PremiseTest::of(lit, other)).collect();
            tests.sort_by_key(|t| match t.kind {
                TestedPlaces::Pair(..) => 0,
                TestedPlaces::From(_) | TestedPlaces::To(_) => 1,
                TestedPlaces::Any => 2,
            });
            let premise = Premise {
                of: u32::try_from(number).expect("so many clauses fit into no memory"),
                literal: literal as u32,
                tests: std::array::from_fn(|at| tests.get(at).copied()),
            };
            match groups.iter_mut().find(|g| g.other == other) {
                Some(group) => group.premises.push(premise),
                None => groups.push(PremiseGroup { other, premises: vec![premise] }),
            }
        }
    }

    /// Takes a clause away.
    pub fn remove(&mut self, number: usize, lits: &[Lit]) {
        for lit in lits.iter().filter(|l| !l.positive) {
            for group in &mut self.premises[lit.atom.pred.index()] {
                group.premises.retain(|p| p.of as usize != number);
            }
        }
    }

    /// The premises that a symbol has, in clauses that may be violated where it is true of these
    /// events: clause and literal. Events that are equal stand in either order, so nothing is asked
    /// of theirs.
    pub fn of<'a>(
        &'a self,
        atom: EventAtom,
        structure: &'a Structure,
    ) -> impl Iterator<Item = (usize, usize)> + 'a {
        let groups = self.premises.get(atom.pred.index()).into_iter().flatten();
        let may_hold = |p: Pred| structure.has(p) && !structure.is_empty(p);
        let is_equality = atom.pred == Pred::EQUAL;
        let at = atom.args.map(|t| t.index());
        let passes = move |p: &&Premise| {
            is_equality || p.tests.iter().map_while(|t| *t).all(|t| t.may_hold(at, structure))
        };
        let all =
            groups.filter(move |g| may_hold(g.other)).flat_map(|g| &g.premises).filter(passes);
        all.map(|p| (p.of as usize, p.literal as usize))
    }
}
