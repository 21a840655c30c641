//! What a step of an argument claims, and by which rule.

use std::fmt;

use margay_models::model::CheckKind;
use serde::{Deserialize, Serialize};

use super::edges::edges_by_halves;
use super::property::Property;
use crate::logic::{Exprs, Pred, TheoryExpr, TheoryExprId};
use crate::theory::{SentenceReason, Theory};

/// A sentence about all executions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Claim {
    /// Each pair of a closure or recursive relation has a property.
    Pairs {
        /// The relation.
        of: Pred,
        property: Property,
    },
    /// One relation contains another one.
    Within(TheoryExprId, TheoryExprId),
    /// No event is related to itself.
    Irreflexive(TheoryExprId),
    /// There is nothing in a set (`true`) or a relation.
    Empty(TheoryExprId, bool),
    /// There is no cycle.
    Acyclic(TheoryExprId),
}

/// Where the rule of orders cuts a cycle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cut {
    /// Behind each edge of the second kind: pieces are edges of the first kind with one of the
    /// second behind them.
    #[default]
    Behind,
    /// Before each edge of the second kind: pieces are an edge of the second kind with edges of the
    /// first behind it.
    Before,
}

/// Why a rule does not show a claim, whatever was proved before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleRefusal {
    /// Orders: an edge of the relation is of neither kind, or there is no order for the second.
    EdgesLeftOut,
    /// Orders: the claim is another one than that there is no cycle.
    OrdersForAcyclicAlone,
    /// Through: what is claimed to be within is not the sequence of the rule's parts.
    ThroughOtherSequence,
    /// Through: the claim is another one than that a relation contains another.
    ThroughForWithinAlone,
}

impl fmt::Display for RuleRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::EdgesLeftOut => "the two kinds of edges are not all edges of the relation",
            Self::OrdersForAcyclicAlone => "the rule of orders is for `acyclic` alone",
            Self::ThroughOtherSequence => {
                "the rule is for a sequence of the two relations that it names"
            }
            Self::ThroughForWithinAlone => "the rule is for what is within a relation",
        })
    }
}

impl std::error::Error for RuleRefusal {}

/// Why a claim holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// By what is known, of any events.
    Direct,
    /// By induction over the rules of the relations.
    Induction(Vec<Pred>),
    /// There is no cycle of two kinds of edges, since the first kind has none, and a strict order
    /// contains each edge of the second kind, also with any number of the first on one side of it:
    /// a cycle, cut on the other side of each edge of the second kind, would be one of the order.
    Orders {
        /// Where a cycle is cut.
        cut: Cut,
        /// The strict order; none is needed without a second kind.
        order: Option<TheoryExprId>,
        /// The first kind.
        first: Vec<TheoryExprId>,
        /// The second kind.
        second: Vec<TheoryExprId>,
    },
    /// `a; b` is within c, since a is within A, b within B, and `A; B` within c.
    Through {
        /// a, b
        parts: [TheoryExprId; 2],
        /// A, B; a part may be its own.
        between: [TheoryExprId; 2],
    },
}

/// A step of an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimStep {
    pub claims: Vec<Claim>,
    /// Why.
    pub rule: Rule,
    /// Do the claims become facts that later steps use?
    pub known: bool,
}

impl Rule {
    /// Does the rule leave obligations? If not, its claims follow from earlier ones
    /// ([`Theory::supports`]).
    pub fn has_obligations(&self) -> bool {
        matches!(self, Rule::Direct | Rule::Induction(_))
    }

    /// The rule in a word.
    pub fn name(&self) -> &'static str {
        match self {
            Rule::Direct => "direct",
            Rule::Induction(_) => "induction",
            Rule::Orders { .. } => "orders",
            Rule::Through { .. } => "through",
        }
    }
}

impl Cut {
    /// Both.
    pub const ALL: [Self; 2] = [Cut::Behind, Cut::Before];

    /// The piece of a cycle that has edges of the first kind and one of the second.
    pub fn piece(self, exprs: &mut Exprs, chain: TheoryExprId, edge: TheoryExprId) -> TheoryExprId {
        match self {
            Cut::Behind => exprs.sequence(chain, edge),
            Cut::Before => exprs.sequence(edge, chain),
        }
    }
}

impl Claim {
    /// The claim in the notation of .cat.
    pub fn text(&self, theory: &Theory) -> String {
        match self {
            Claim::Pairs { of, property } => property.text(theory, *of),
            Claim::Within(a, b) => format!("{} in {}", theory.text(*a), theory.text(*b)),
            Claim::Irreflexive(e) => format!("irreflexive {}", theory.text(*e)),
            Claim::Empty(e, _) => format!("empty {}", theory.text(*e)),
            Claim::Acyclic(e) => format!("acyclic {}", theory.text(*e)),
        }
    }

    /// The claim that a check makes.
    pub fn of_check(kind: CheckKind, expr: TheoryExprId, is_set: bool) -> Self {
        match kind {
            CheckKind::Acyclic => Claim::Acyclic(expr),
            CheckKind::Irreflexive => Claim::Irreflexive(expr),
            CheckKind::Empty => Claim::Empty(expr, is_set),
        }
    }
}

impl Theory {
    /// Makes the claims of a proved step known.
    pub fn learn(&mut self, number: usize, step: &ClaimStep) {
        if !step.known {
            return;
        }
        for (own, claim) in step.claims.iter().enumerate() {
            let reason = SentenceReason::Lemma(number, own);
            match claim {
                Claim::Pairs { of, property } => {
                    property.assume(self, *of, &reason);
                    if let Property::Within(bound) = property
                        && self.opened(*bound).1 > 0
                    {
                        self.bounds.insert(*of, ((number, own), *bound));
                    }
                }
                Claim::Within(a, b) => {
                    let rest = self.exprs.make(TheoryExpr::Difference(*a, *b));
                    self.assume_check(CheckKind::Empty, rest, false, false, &reason);
                }
                Claim::Irreflexive(e) => {
                    self.assume_check(CheckKind::Irreflexive, *e, false, false, &reason)
                }
                Claim::Empty(e, is_set) => {
                    self.assume_check(CheckKind::Empty, *e, *is_set, false, &reason)
                }
                Claim::Acyclic(_) => {}
            }
        }
    }

    /// The claims by which a claim holds, of a rule that leaves no obligations.
    ///
    /// # Errors
    /// Why the rule does not show the claim.
    pub fn supports(&mut self, rule: &Rule, claim: &Claim) -> Result<Vec<Claim>, RuleRefusal> {
        match (rule, claim) {
            (Rule::Direct | Rule::Induction(_), _) => Ok(Vec::new()),
            (Rule::Orders { cut, order, first, second }, Claim::Acyclic(r)) => {
                let needed = self.orders_need(*r, *order, [first, second], *cut);
                needed.ok_or(RuleRefusal::EdgesLeftOut)
            }
            (Rule::Orders { .. }, _) => Err(RuleRefusal::OrdersForAcyclicAlone),
            (&Rule::Through { parts, between }, &Claim::Within(whole, bound)) => {
                let [own, other] = [parts, between].map(|[a, b]| self.exprs.sequence(a, b));
                // Parentheses do not matter.
                if self.exprs.sequence_parts(own) != self.exprs.sequence_parts(whole) {
                    return Err(RuleRefusal::ThroughOtherSequence);
                }
                // What is its own needs no claim.
                let all = [(other, bound), (parts[0], between[0]), (parts[1], between[1])];
                Ok(all
                    .into_iter()
                    .filter(|(a, b)| a != b)
                    .map(|(a, b)| Claim::Within(a, b))
                    .collect())
            }
            (Rule::Through { .. }, _) => Err(RuleRefusal::ThroughForWithinAlone),
        }
    }

    /// The claims that the rule of orders needs, and whether the two kinds are all edges of the
    /// relation.
    fn orders_need(
        &mut self,
        r: TheoryExprId,
        order: Option<TheoryExprId>,
        [first, second]: [&[TheoryExprId]; 2],
        cut: Cut,
    ) -> Option<Vec<Claim>> {
        let is_edge = |e: &TheoryExprId| first.contains(e) || second.contains(e);
        for (edge, parts) in edges_by_halves(self, r) {
            if !first.contains(&r) && !is_edge(&edge) && !parts.iter().all(is_edge) {
                return None;
            }
        }
        let mut needed = Vec::new();
        if let Some(order) = order {
            let twice = self.exprs.sequence(order, order);
            needed.extend([Claim::Irreflexive(order), Claim::Within(twice, order)]);
            needed.extend(second.iter().map(|&e| Claim::Within(e, order)));
        } else if !second.is_empty() {
            return None;
        }
        if !first.is_empty() {
            let union = self.exprs.union_all(first.iter().copied());
            let chain = self.closure_name(union);
            let chain = self.exprs.symbol(chain);
            needed.push(Claim::Irreflexive(chain));
            if let Some(order) = order {
                for &edge in second {
                    let both = cut.piece(&mut self.exprs, chain, edge);
                    needed.push(Claim::Within(both, order));
                }
            }
        }
        Some(needed)
    }
}
