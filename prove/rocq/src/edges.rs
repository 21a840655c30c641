//! A pair of a relation, by the edges that the relation is a union of: the tactics that go through
//! each of them, in the order of [`edges`](margay_theorem::argument::edges). (One lemma that a
//! relation is the union of its edges, proved by a tactic, took minutes for the order of seq_cst.)

use super::failure::RocqFailure;
use super::proven::{both, either};
use super::writer::RocqWriter;
use margay_theorem::argument::edges;
use margay_theorem::logic::{EventTerm, Meaning, TheoryExpr, TheoryExprId};

/// Tactics that refute a pair of an edge, of which the term is the proof.
pub type Leaf<'a> =
    &'a mut dyn FnMut(&mut RocqWriter, TheoryExprId, &str) -> Result<String, RocqFailure>;

/// The names of a pair's ends.
type EndNames<'a> = [&'a str; 2];

impl RocqWriter {
    /// Tactics that prove False: from `term`, that a pair is in a relation, and what refutes each
    /// of its edges.
    pub fn by_edges(
        &mut self,
        r: TheoryExprId,
        ends: EndNames<'_>,
        term: &str,
        leaf: Leaf<'_>,
    ) -> Result<String, RocqFailure> {
        // What has too many edges is one.
        if edges(&mut self.theory, r) == [r] {
            return leaf(self, r, term);
        }
        match self.theory.exprs.get(r) {
            TheoryExpr::Union(a, b) => {
                let [left, right] = [self.fresh("f"), self.fresh("g")];
                let first = self.by_edges(a, ends, &left, leaf)?;
                let second = self.by_edges(b, ends, &right, leaf)?;
                Ok(either(term, [&left, &first], [&right, &second]))
            }
            TheoryExpr::Sequence(a, b)
                if ![a, b]
                    .iter()
                    .any(|&e| matches!(self.theory.exprs.get(e), TheoryExpr::Diagonal(_))) =>
            {
                let [between, pair] = [self.fresh("d"), self.fresh("q")];
                let both_ends = [[ends[0], &between], [&between, ends[1]]];
                let inner = self.by_pairs(r, both_ends, &pair, leaf)?;
                Ok(format!("destruct {term} as ({between} & {pair}).\n{inner}"))
            }
            TheoryExpr::Sequence(..) | TheoryExpr::Intersection(..) => {
                self.by_pairs(r, [ends, ends], term, leaf)
            }
            TheoryExpr::Inverse(a) => {
                self.by_edges(a, [ends[1], ends[0]], term, &mut |w, edge, term| {
                    let text = format!("{}⁻¹", w.text.within(&w.theory, edge, 2));
                    w.made(TheoryExpr::Inverse(edge), &text, ends, term, leaf)
                })
            }
            TheoryExpr::Symbol(p) if !self.theory.is_local(p) => {
                match self.theory.symbols.get(p).meaning {
                    Meaning::Defined(body) => self.by_edges(body, ends, term, leaf),
                    _ => leaf(self, r, term),
                }
            }
            TheoryExpr::Empty => Ok(format!("exact {term}.")),
            _ => leaf(self, r, term),
        }
    }

    /// Each edge of one relation with each of another: of a sequence, whose ends meet, or of an
    /// intersection.
    fn by_pairs(
        &mut self,
        whole: TheoryExprId,
        ends: [EndNames<'_>; 2],
        term: &str,
        leaf: Leaf<'_>,
    ) -> Result<String, RocqFailure> {
        let whole = self.theory.exprs.get(whole);
        let (TheoryExpr::Sequence(a, b) | TheoryExpr::Intersection(a, b)) = whole else {
            return Err(RocqFailure::mismatch("this is no pair of relations"));
        };
        let [left, right] = [self.fresh("f"), self.fresh("g")];
        let [from, to] = [ends[0][0], ends[1][1]];
        let meets = ends[0][1];
        // What restricts to a set is one edge, and its proof says that an event is in the set.
        let inner = self.by_edges(a, ends[0], &left, &mut |w, l, left| {
            w.by_edges(b, ends[1], &right, &mut |w, r, right| {
                let text = |e: TheoryExprId| w.text.within(&w.theory, e, 2);
                let set = |e: TheoryExprId| match w.theory.exprs.get(e) {
                    TheoryExpr::Diagonal(set) => Some(w.text.within(&w.theory, set, 1)),
                    _ => None,
                };
                let pair = format!("(conj {left} {right})");
                let (expr, term, text) = match whole {
                    TheoryExpr::Intersection(..) => (
                        TheoryExpr::Intersection(l, r),
                        pair,
                        format!("({} ∩ {})", text(l), text(r)),
                    ),
                    _ => {
                        let made = TheoryExpr::Sequence(l, r);
                        match (set(a), set(b)) {
                            (Some(set), _) => (made, pair, format!("({set} ◁ {})", text(r))),
                            (None, Some(set)) => (made, pair, format!("({} ▷ {set})", text(l))),
                            (None, None) => (
                                made,
                                format!("(ex_intro _ {meets} {pair})"),
                                format!("({} ⨾ {})", text(l), text(r)),
                            ),
                        }
                    }
                };
                w.made(expr, &text, [from, to], &term, leaf)
            })
        })?;
        Ok(both(term, [&left, &right], &inner))
    }

    /// Goes on with what a relation is normalised to: one edge, several, or none. `text` is the
    /// relation as it stands.
    fn made(
        &mut self,
        relation: TheoryExpr,
        text: &str,
        ends: EndNames<'_>,
        term: &str,
        leaf: Leaf<'_>,
    ) -> Result<String, RocqFailure> {
        let made = self.theory.exprs.make(relation);
        self.text.names.extend(&self.theory);
        let term = self.again(text, made, ends, term);
        self.by_members(made, &term, leaf)
    }

    /// That a pair is in a relation that was normalised, from the relation as it stands.
    pub fn again(
        &mut self,
        text: &str,
        made: TheoryExprId,
        ends: EndNames<'_>,
        term: &str,
    ) -> String {
        let wanted = match self.theory.exprs.get(made) {
            TheoryExpr::Empty => "False".to_owned(),
            _ => format!("{} e0 e1", self.text.within(&self.theory, made, 2)),
        };
        let given = format!("{text} e0 e1");
        if given == wanted {
            return term.to_owned();
        }
        let lemma = self.entails(&[EventTerm::event(0), EventTerm::event(1)], &given, &wanted);
        format!("({lemma} {} {} {term})", ends[0], ends[1])
    }

    /// By cases of `term`, which proves that a pair is in it: `leaf` writes the proof for a member
    /// that is no union.
    pub fn by_members(
        &mut self,
        union: TheoryExprId,
        term: &str,
        leaf: Leaf<'_>,
    ) -> Result<String, RocqFailure> {
        match self.theory.exprs.get(union) {
            TheoryExpr::Empty => Ok(format!("exact {term}.")),
            TheoryExpr::Union(a, b) => {
                let [left, right] = [self.fresh("u"), self.fresh("v")];
                let first = self.by_members(a, &left, leaf)?;
                let second = self.by_members(b, &right, leaf)?;
                Ok(either(term, [&left, &first], [&right, &second]))
            }
            _ => leaf(self, union, term),
        }
    }

    /// A name that no other pair of this step has.
    fn fresh(&mut self, letter: &str) -> String {
        self.fresh += 1;
        format!("{letter}{}", self.fresh)
    }

    /// That a pair is in a union, from its member.
    pub fn as_member(
        &self,
        union: TheoryExprId,
        member: TheoryExprId,
        term: &str,
    ) -> Option<String> {
        if union == member {
            return Some(term.to_owned());
        }
        let TheoryExpr::Union(a, b) = self.theory.exprs.get(union) else { return None };
        let left = self.as_member(a, member, term).map(|t| format!("(or_introl {t})"));
        left.or_else(|| self.as_member(b, member, term).map(|t| format!("(or_intror {t})")))
    }
}
