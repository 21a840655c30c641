//! Unit propagation: what follows from literals that are known or tried, and from which clauses.

use super::ClauseDerivation;
use super::clauses::{ClausePlace, HEAD, LiteralCode, state};

/// No clause: the literal was assumed to see what follows.
pub(super) const TRIED: ClausePlace = ClausePlace(u32::MAX);

/// Behind every clause.
pub(super) const END: ClausePlace = ClausePlace(u32::MAX);

/// The value of a literal that is known to be true for good.
pub(super) const KNOWN: i8 = 2;

/// A clause that is to be looked at when a literal becomes false.
#[derive(Clone, Copy)]
pub(super) struct ClauseWatch {
    pub clause: ClausePlace,
    /// Another literal of the clause: where it is true, there is nothing to do.
    pub blocker: LiteralCode,
}

/// The mark of a watch whose clause was given and is its two literals alone: it need not be looked
/// at.
pub(super) const BOTH: u32 = 1 << 31;

impl ClauseWatch {
    /// The other literal, and is the clause these two alone?
    fn blocker(self) -> (LiteralCode, bool) {
        (LiteralCode(self.blocker.0 & !BOTH), self.blocker.0 & BOTH != 0)
    }
}

impl ClauseDerivation {
    pub(super) fn value(&self, code: LiteralCode) -> i8 {
        self.values[code.at()]
    }

    pub(super) fn assign(&mut self, literal: LiteralCode, reason: ClausePlace) {
        self.values[literal.at()] = 1;
        self.values[(!literal).at()] = -1;
        self.reasons[literal.variable()] = reason;
        self.trail.push(literal);
    }

    /// Looks at the clauses in which a literal that became false is watched, without those that
    /// wait and are not before a place: the clause that is false, if there is one. What they imply
    /// is tried, or, of what is known, noted.
    pub(super) fn visit<const FOR_GOOD: bool>(
        &mut self,
        falsified: LiteralCode,
        before: ClausePlace,
    ) -> Option<ClausePlace> {
        let mut list = std::mem::take(&mut self.watches[falsified.at()]);
        let (mut at, mut kept, mut conflict) = (0, 0, None);
        while let Some(&watch) = list.get(at) {
            at += 1;
            let mut keep = |watch| {
                list[kept] = watch;
                kept += 1;
            };
            let (blocker, both) = watch.blocker();
            match self.value(blocker) {
                // The clause says nothing any more.
                KNOWN => continue,
                1 => {
                    keep(watch);
                    continue;
                }
                value if both => {
                    keep(watch);
                    if value < 0 {
                        conflict = Some(watch.clause);
                        break;
                    }
                    self.imply::<FOR_GOOD>(blocker, watch.clause);
                    continue;
                }
                _ => {}
            }
            let place = watch.clause.0 as usize;
            let word = self.clauses.words[place];
            match word & state::MASK {
                state::GONE => continue,
                state::WAITING if watch.clause >= before => {
                    keep(watch);
                    continue;
                }
                _ => {}
            }
            let first = place + HEAD;
            if self.clauses.words[first] == falsified.0 {
                self.clauses.words.swap(first, first + 1);
            }
            let other = LiteralCode(self.clauses.words[first]);
            let watch = ClauseWatch { clause: watch.clause, blocker: other };
            if self.value(other) > 0 {
                keep(watch);
                continue;
            }
            let end = first + (word >> 2) as usize;
            if let Some(free) =
                (first + 2..end).find(|&k| self.values[self.clauses.words[k] as usize] >= 0)
            {
                self.clauses.words.swap(first + 1, free);
                self.watches[self.clauses.words[first + 1] as usize].push(watch);
                continue;
            }
            keep(watch);
            if self.value(other) < 0 {
                conflict = Some(watch.clause);
                break;
            }
            self.imply::<FOR_GOOD>(other, watch.clause);
        }
        list.copy_within(at.., kept);
        list.truncate(list.len() - (at - kept));
        self.watches[falsified.at()] = list;
        conflict
    }

    /// A clause says that a literal is true.
    fn imply<const FOR_GOOD: bool>(&mut self, literal: LiteralCode, place: ClausePlace) {
        if FOR_GOOD {
            self.units.push((literal, place));
        } else {
            self.assign(literal, place);
        }
    }

    /// The clauses that a clause of these literals follows from, in an order for unit propagation;
    /// those that wait are before a place.
    ///
    /// A solver names the literal first by which it left the conflict. What follows from that with
    /// the others was the conflict; what follows from the others alone says at most why the clause
    /// is so short. So the former is looked at first; it suffices for most clauses.
    pub(super) fn explain(
        &mut self,
        literals: &[LiteralCode],
        lead: Option<LiteralCode>,
        before: ClausePlace,
    ) -> Option<Vec<ClausePlace>> {
        if let Some(&holds) = literals.iter().find(|&&l| self.value(l) > 0) {
            return Some(vec![self.reasons[holds.variable()]]);
        }
        let known = self.trail.len();
        let lead = lead.filter(|&lead| self.value(lead) == 0);
        for literal in literals.iter().copied().filter(|&l| Some(l) != lead) {
            if self.value(literal) == 0 {
                self.assign(!literal, TRIED);
            }
        }
        // What was tried is looked at first, so that each clause is watched where it should be;
        // what follows from that waits.
        let mut conflict = None;
        let (mut at, tried) = (self.head, self.trail.len());
        while conflict.is_none() && at < tried {
            conflict = self.visit::<false>(!self.trail[at], before);
            at += 1;
        }
        let mark = self.begin_marks();
        let mut deferred = std::mem::take(&mut self.deferred);
        deferred.clear();
        let (mut next, mut late) = (tried, 0);
        if let Some(lead) = lead.filter(|_| conflict.is_none()) {
            if self.value(lead) > 0 {
                conflict = Some(self.reasons[lead.variable()]);
            } else if self.value(lead) < 0 {
                // That it is false is what the clause supposes, and needs no reason.
                self.reasons[lead.variable()] = TRIED;
            } else {
                self.marks[lead.variable()] = mark;
                self.assign(!lead, TRIED);
                deferred.extend(&self.trail[next..self.trail.len() - 1]);
                next = self.trail.len() - 1;
            }
        }
        while conflict.is_none() {
            let literal = if let Some(&literal) = self.trail.get(next) {
                next += 1;
                if lead.is_some() && !self.follows_lead(literal) {
                    deferred.push(literal);
                    continue;
                }
                literal
            } else if let Some(&literal) = deferred.get(late) {
                late += 1;
                literal
            } else {
                break;
            };
            conflict = self.visit::<false>(!literal, before);
        }
        self.deferred = deferred;
        let used = conflict.map(|conflict| self.used(conflict, known, literals));
        for literal in self.trail.drain(known..) {
            self.values[literal.at()] = 0;
            self.values[(!literal).at()] = 0;
        }
        used
    }

    /// A mark that no variable has.
    fn begin_marks(&mut self) -> u32 {
        if self.mark == u32::MAX {
            self.marks.fill(0);
            self.mark = 0;
        }
        self.mark += 1;
        self.mark
    }

    /// Does a literal that was implied follow from the first of a clause, too? Marked if so.
    fn follows_lead(&mut self, literal: LiteralCode) -> bool {
        let variable = literal.variable();
        if self.marks[variable] == self.mark {
            return true;
        }
        let reason = self.reasons[variable];
        let follows = reason != TRIED
            && self.clauses.literals(reason).any(|l| self.marks[l.variable()] == self.mark);
        if follows {
            self.marks[variable] = self.mark;
        }
        follows
    }

    /// What led to a clause that is false: units that are known, then what followed from what was
    /// tried, in that order.
    fn used(
        &mut self,
        conflict: ClausePlace,
        known: usize,
        literals: &[LiteralCode],
    ) -> Vec<ClausePlace> {
        let mark = self.begin_marks();
        // Of the clause's own literals nothing need be known.
        for literal in literals {
            if self.reasons[literal.variable()] != TRIED {
                self.marks[literal.variable()] = mark;
            }
        }
        let (mut units, mut steps) = (Vec::new(), Vec::new());
        let mut take = |this: &mut Self, place: ClausePlace| {
            let first = place.0 as usize + HEAD;
            for at in first..first + this.clauses.length(place) {
                let variable = LiteralCode(this.clauses.words[at]).variable();
                if this.marks[variable] != mark {
                    this.marks[variable] = mark;
                    let reason = this.reasons[variable];
                    if reason != TRIED && this.clauses.length(reason) == 1 {
                        units.push(reason);
                    }
                }
            }
            steps.push(place);
        };
        take(self, conflict);
        for at in (known..self.trail.len()).rev() {
            let variable = self.trail[at].variable();
            let reason = self.reasons[variable];
            if self.marks[variable] == mark && reason != TRIED && reason != conflict {
                take(self, reason);
            }
        }
        units.extend(steps.into_iter().rev());
        units
    }
}
