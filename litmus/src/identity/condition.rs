//! What a test asks, in parts: what concerns one register of one thread goes with that thread, the
//! rest comes at the end.

use crate::test::{ConditionOperand, NumberComparison, Proposition, Quantifier, Test, Variable};
use crate::unfold::{SymbolNode, Unfolding};

/// `register == value`, a conjunct.
#[derive(Debug, Clone)]
pub(super) struct ConditionAtom {
    /// Of the condition or the filter?
    pub part: char,
    pub thread: usize,
    pub register: String,
    pub comparison: NumberComparison,
    pub value: i64,
}

/// What a test asks.
#[derive(Debug, Clone, Default)]
pub(super) struct ConditionQuestion {
    pub atoms: Vec<ConditionAtom>,
    /// Conjuncts of another form: about locations, disjunctions.
    pub others: Vec<(char, Proposition)>,
}

impl ConditionQuestion {
    /// That of a test: the states that the condition asks about (`forall` asks about those that
    /// violate it).
    pub fn of(test: &Test, unfolding: &Unfolding) -> Self {
        let mut question = Self::default();
        let negated = test.condition.quantifier == Quantifier::Forall;
        let asked = unfolding.asked();
        let parts = [
            ('q', Some((&asked.condition, negated))),
            ('f', asked.filter.as_ref().map(|f| (f, false))),
        ];
        for (part, asked) in parts {
            let Some((proposition, negated)) = asked else { continue };
            for conjunct in conjuncts(normal(proposition, negated)) {
                question.add(part, conjunct, unfolding);
            }
        }
        question
    }

    fn add(&mut self, part: char, conjunct: Proposition, unfolding: &Unfolding) {
        if let Proposition::Compare { comparison, left, right } = &conjunct {
            match (left, right) {
                (
                    ConditionOperand::Variable(Variable::Register { thread, name }),
                    ConditionOperand::Integer(value),
                ) => {
                    let (thread, register) = (thread.index(), name.clone());
                    return self.atoms.push(ConditionAtom {
                        part,
                        thread,
                        register,
                        comparison: *comparison,
                        value: *value,
                    });
                }
                (
                    ConditionOperand::Variable(Variable::Location(name)),
                    ConditionOperand::Integer(value),
                ) if *comparison == NumberComparison::Equal
                    && only_write(unfolding, name) == Some(*value) =>
                {
                    return;
                }
                _ => {}
            }
        }
        if conjunct != Proposition::True {
            self.others.push((part, conjunct));
        }
    }
}

/// The value of the only write to a location, if every execution has just that one.
fn only_write(unfolding: &Unfolding, name: &str) -> Option<i64> {
    let physical = unfolding.physical(name)?;
    let mut found = None;
    for t in 0..unfolding.threads().len() {
        let (paths, symbols) = unfolding.thread(t);
        for path in paths {
            for e in &path.events {
                let Some(symbol) = e.value else { continue };
                let here = e.data.location.map(|l| unfolding.locations()[usize::from(l)].physical)
                    == Some(physical);
                if here && (found.is_some() || paths.len() > 1) {
                    return None;
                }
                if here {
                    let SymbolNode::Constant(n) = symbols.node(symbol) else { return None };
                    found = Some(n);
                }
            }
        }
    }
    found
}

/// Without `Not`, flat, with variables left of numbers.
fn normal(p: &Proposition, negated: bool) -> Proposition {
    let many = |parts: &[Proposition], and: bool| {
        let mut flat = Vec::new();
        for p in parts {
            match (normal(p, negated), and) {
                (Proposition::And(inner), true) | (Proposition::Or(inner), false) => {
                    flat.extend(inner)
                }
                (Proposition::True, true) | (Proposition::False, false) => {}
                (other, _) => flat.push(other),
            }
        }
        match (flat.len(), and) {
            (0, true) => Proposition::True,
            (0, false) => Proposition::False,
            (1, _) => flat.remove(0),
            (_, true) => Proposition::And(flat),
            (_, false) => Proposition::Or(flat),
        }
    };
    match p {
        Proposition::True | Proposition::False => {
            if (*p == Proposition::True) != negated {
                Proposition::True
            } else {
                Proposition::False
            }
        }
        Proposition::Not(p) => normal(p, !negated),
        Proposition::And(parts) => many(parts, !negated),
        Proposition::Or(parts) => many(parts, negated),
        Proposition::Compare { comparison, left, right } => {
            let comparison = if negated { comparison.opposite() } else { *comparison };
            let variable = |o: &ConditionOperand| matches!(o, ConditionOperand::Variable(_));
            let (comparison, left, right) = if !variable(left) && variable(right) {
                (comparison.mirrored(), right.clone(), left.clone())
            } else {
                (comparison, left.clone(), right.clone())
            };
            Proposition::Compare { comparison, left, right }
        }
    }
}

fn conjuncts(p: Proposition) -> Vec<Proposition> {
    match p {
        Proposition::And(parts) => parts,
        other => vec![other],
    }
}
