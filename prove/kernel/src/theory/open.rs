//! Opening an expression at a pair of events: what must be there for the pair to be in the
//! relation, with a new event for each place where a sequence meets. The branches of a union share
//! their new events.

use super::Theory;
use crate::logic::clause::MAX_EVENTS;
use crate::logic::form::MOST_DISTRIBUTED;
use crate::logic::{
    EventAtom, EventTerm, Lit, Meaning, Pred, TheoryExpr, TheoryExprId, TheoryFormula,
};

/// New events have numbers below this one, which leaves some for the events that a property speaks
/// of, and for those that exist.
pub const MOST_OPENED: usize = MAX_EVENTS / 2 - 20;

/// What becomes of a symbol when it is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// It stays as it is.
    Keep,
    /// This is opened in its place.
    Replace(TheoryExprId),
    /// It stays, and what is known to contain it is opened as well.
    Within(TheoryExprId),
}

/// How symbols are treated, and how far new events are numbered.
pub struct Opening<'a> {
    /// What to do with a symbol, within those that were replaced already.
    pub treat: &'a dyn Fn(&Theory, Pred, &[Pred]) -> Treatment,
    /// The number of the next new event.
    pub next: usize,
    /// The symbols that were replaced by what is being opened, outermost first.
    pub within: Vec<Pred>,
    /// New events are variables, and there are at most so many in all; where one more would be
    /// needed, the sequence stays a symbol. Such a formula is taken apart into clauses or cases:
    /// what would have more of them than are made stays as it is, too.
    pub variables: Option<usize>,
    /// As many symbols are opened yet; the others stay. A definition that is used twice is opened
    /// twice, and so are those in it.
    pub left: usize,
}

/// The most symbols that are opened of one expression.
pub const MOST_SYMBOLS: usize = 20_000;

impl Theory {
    /// Opens an expression; afterwards `opening.next` is behind the events that were used.
    pub fn open(
        &mut self,
        id: TheoryExprId,
        s: EventTerm,
        t: EventTerm,
        opening: &mut Opening<'_>,
    ) -> TheoryFormula {
        let start = opening.next;
        let form = self.open_whole(id, s, t, opening);
        // Of what is opened the cases are made; a union of many sequences has few of them, and more
        // clauses than could be counted.
        if opening.variables.is_some() && form.size().cases > MOST_DISTRIBUTED {
            opening.next = start;
            return self.form(id, s, t);
        }
        form
    }

    fn open_whole(
        &mut self,
        id: TheoryExprId,
        s: EventTerm,
        t: EventTerm,
        opening: &mut Opening<'_>,
    ) -> TheoryFormula {
        match self.exprs.get(id) {
            TheoryExpr::Union(a, b) => {
                let start = opening.next;
                let left = self.open(a, s, t, opening);
                let end = std::mem::replace(&mut opening.next, start);
                let right = self.open(b, s, t, opening);
                opening.next = opening.next.max(end);
                TheoryFormula::or([left, right])
            }
            TheoryExpr::Intersection(a, b) => {
                TheoryFormula::and([self.open(a, s, t, opening), self.open(b, s, t, opening)])
            }
            TheoryExpr::Difference(a, b) => {
                let left = self.open(a, s, t, opening);
                let right = self.open_negated(b, s, t, opening);
                TheoryFormula::and([left, right])
            }
            TheoryExpr::Sequence(a, b) => match (self.exprs.get(a), self.exprs.get(b)) {
                (TheoryExpr::Diagonal(set), _) => {
                    TheoryFormula::and([self.open(set, s, s, opening), self.open(b, s, t, opening)])
                }
                (_, TheoryExpr::Diagonal(set)) => {
                    TheoryFormula::and([self.open(a, s, t, opening), self.open(set, t, t, opening)])
                }
                _ => {
                    let between = match opening.variables {
                        None if opening.next < MOST_OPENED => EventTerm::event(opening.next),
                        // Rather unopened than with two events of one number.
                        None => return self.form(id, s, t),
                        Some(most) if opening.next < most => {
                            EventTerm::variable(opening.next as u8)
                        }
                        Some(_) => return self.form(id, s, t),
                    };
                    opening.next += 1;
                    TheoryFormula::and([
                        self.open(a, s, between, opening),
                        self.open(b, between, t, opening),
                    ])
                }
            },
            TheoryExpr::Inverse(a) => self.open(a, t, s, opening),
            TheoryExpr::Product(a, b) => {
                TheoryFormula::and([self.open(a, s, s, opening), self.open(b, t, t, opening)])
            }
            TheoryExpr::Diagonal(a) => {
                let same = TheoryFormula::lit(Lit::yes(EventAtom::binary(Pred::EQUAL, s, t)));
                TheoryFormula::and([same, self.open(a, s, s, opening)])
            }
            TheoryExpr::Symbol(p) if p != Pred::EQUAL => {
                match (opening.treat)(self, p, &opening.within) {
                    Treatment::Keep => self.form(id, s, t),
                    _ if opening.left == 0 => self.form(id, s, t),
                    Treatment::Replace(other) => self.open_for(p, other, s, t, opening),
                    Treatment::Within(other) => {
                        let own = self.form(id, s, t);
                        TheoryFormula::and([own, self.open_for(p, other, s, t, opening)])
                    }
                }
            }
            TheoryExpr::Empty | TheoryExpr::All | TheoryExpr::Symbol(_) => self.form(id, s, t),
        }
    }

    /// Opens "the pair is not in the relation". That a pair is not in `c \ d` may be so because it
    /// is in d: there are the events in the middle of d's sequences. Where a definition takes away
    /// nothing of this kind it stays a symbol.
    fn open_negated(
        &mut self,
        id: TheoryExprId,
        s: EventTerm,
        t: EventTerm,
        opening: &mut Opening<'_>,
    ) -> TheoryFormula {
        match self.takes_away(id) {
            Some((from, away)) => {
                let left = self.form(from, s, t).negated();
                TheoryFormula::or([left, self.open(away, s, t, opening)])
            }
            None => self.form(id, s, t).negated(),
        }
    }

    /// The c and d of an expression that is `c \ d` or is defined so, if there is a sequence with
    /// an event in the middle in d.
    pub fn takes_away(&self, id: TheoryExprId) -> Option<(TheoryExprId, TheoryExprId)> {
        match self.exprs.get(id) {
            TheoryExpr::Difference(a, b) => self.has_sequence(b).then_some((a, b)),
            TheoryExpr::Symbol(p) => self.takes_away(self.body(p)?),
            _ => None,
        }
    }

    /// Is an expression, without its definitions, a sequence with an event in the middle, or made
    /// of one?
    fn has_sequence(&self, id: TheoryExprId) -> bool {
        match self.exprs.get(id) {
            TheoryExpr::Sequence(a, b) => {
                let restricts =
                    |e: TheoryExprId| matches!(self.exprs.get(e), TheoryExpr::Diagonal(_));
                !(restricts(a) || restricts(b)) || self.has_sequence(a) || self.has_sequence(b)
            }
            TheoryExpr::Union(a, b) | TheoryExpr::Intersection(a, b) => {
                self.has_sequence(a) || self.has_sequence(b)
            }
            TheoryExpr::Difference(a, _) | TheoryExpr::Inverse(a) => self.has_sequence(a),
            TheoryExpr::Empty
            | TheoryExpr::All
            | TheoryExpr::Symbol(_)
            | TheoryExpr::Product(..)
            | TheoryExpr::Diagonal(_) => false,
        }
    }

    fn open_for(
        &mut self,
        symbol: Pred,
        other: TheoryExprId,
        s: EventTerm,
        t: EventTerm,
        opening: &mut Opening<'_>,
    ) -> TheoryFormula {
        opening.left -= 1;
        opening.within.push(symbol);
        let form = self.open(other, s, t, opening);
        opening.within.pop();
        form
    }

    /// The definition of a symbol that has one and is not recursive.
    pub fn body(&self, pred: Pred) -> Option<TheoryExprId> {
        match self.symbols.get(pred).meaning {
            Meaning::Defined(body) => Some(body),
            _ => None,
        }
    }
}
