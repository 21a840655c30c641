//! Steps as text: expressions by the names of their symbols, so that whoever reads the same models
//! and mapping can read them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::claim::{Claim, ClaimStep, Cut, Rule};
use super::property::Property;
use crate::logic::{EventTerm, Lit, Meaning, Pred, TheoryExpr, TheoryExprId};
use crate::theory::Theory;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WrittenExpr {
    /// Nothing.
    Empty,
    /// Every event, or every pair of events.
    All,
    /// A symbol that has a name in the models, in the rows, or in the theory.
    Name(String),
    /// `r+`
    Closure(Box<WrittenExpr>),
    /// `domain r`
    Domain(Box<WrittenExpr>),
    /// `range r`
    Range(Box<WrittenExpr>),
    /// `a | b`
    Union(Box<[WrittenExpr; 2]>),
    /// `a & b`
    And(Box<[WrittenExpr; 2]>),
    /// `a \ b`
    Minus(Box<[WrittenExpr; 2]>),
    /// `a; b`
    Seq(Box<[WrittenExpr; 2]>),
    /// `A * B`
    Product(Box<[WrittenExpr; 2]>),
    /// `[A]`
    On(Box<WrittenExpr>),
    /// `r^-1`
    Inverse(Box<WrittenExpr>),
}

/// A literal of a property: a symbol, the numbers of two variables, and whether it holds.
pub type WrittenLit = (WrittenExpr, [u8; 2], bool);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WrittenClaim {
    /// Of each pair of a relation one of the literals holds; variables 0 and 1 are the pair.
    Pairs(WrittenExpr, Vec<WrittenLit>),
    /// Each pair of a recursive relation is in another one.
    Bound(WrittenExpr, WrittenExpr),
    /// One relation contains another one.
    Within(WrittenExpr, WrittenExpr),
    /// `irreflexive`
    Irreflexive(WrittenExpr),
    /// `empty`, of a set or not.
    Empty(WrittenExpr, bool),
    /// `acyclic`
    Acyclic(WrittenExpr),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WrittenRule {
    /// By what is known.
    Direct,
    Induction(Vec<WrittenExpr>),
    /// By two orders.
    Orders {
        /// Where a cycle is cut, where that is not behind the edges of the second kind.
        #[serde(default, skip_serializing_if = "is_behind")]
        cut: Cut,
        /// The strict order.
        order: Option<WrittenExpr>,
        /// The first kind of edges.
        first: Vec<WrittenExpr>,
        /// The second kind of edges.
        second: Vec<WrittenExpr>,
    },
    /// Through a relation between.
    Through {
        /// The parts of the sequence.
        parts: [WrittenExpr; 2],
        /// What contains each.
        between: [WrittenExpr; 2],
    },
}

/// Is a cycle cut where it is cut if nothing is said?
fn is_behind(cut: &Cut) -> bool {
    *cut == Cut::default()
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenStep {
    pub claims: Vec<WrittenClaim>,
    pub rule: WrittenRule,
    /// Are the claims facts for later steps?
    pub known: bool,
}

/// Why a written step says nothing in a theory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnreadStep {
    /// A property speaks of more variables than there are.
    TooManyVariables,
    /// An expression stands where only a symbol can.
    NoSymbol,
    /// The symbol of a set, where that of a relation is expected: its name.
    SetSymbol(String),
    /// An operator has a set on one side, and a relation on the other.
    MixedSorts,
    /// A set where a relation is expected.
    SetForRelation,
    /// A relation where a set is expected.
    RelationForSet,
    /// An expression within more than `MAX_DEPTH` others.
    TooDeep,
    /// The theory would have more than `MAX_SYMBOLS` symbols.
    TooManySymbols,
    /// The theory has no symbol of this name.
    UnknownName(String),
}

impl fmt::Display for UnreadStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooManyVariables => "a property has too many variables",
            Self::NoSymbol => "an expression stands where a symbol is expected",
            Self::SetSymbol(name) => {
                return write!(f, "`{name}` is a set where a relation is expected");
            }
            Self::MixedSorts => "an expression mixes sets and relations",
            Self::SetForRelation => "a set stands where a relation is expected",
            Self::RelationForSet => "a relation stands where a set is expected",
            Self::TooDeep => "an expression is too deep",
            Self::TooManySymbols => {
                return write!(f, "it speaks of more than {MAX_SYMBOLS} relations");
            }
            Self::UnknownName(name) => return write!(f, "there is no set or relation `{name}`"),
        })
    }
}

impl std::error::Error for UnreadStep {}

/// How deep written expressions may be.
const MAX_DEPTH: usize = 400;

/// How many sets and relations a theory may have before an expression is read.
const MAX_SYMBOLS: usize = 30_000;

impl WrittenStep {
    /// Writes a step.
    pub fn of(theory: &Theory, step: &ClaimStep) -> Self {
        let e = |e: &TheoryExprId| write(theory, *e);
        let claim = |c: &Claim| match c {
            Claim::Pairs { of, property: Property::Clause(lits) } => {
                let lit = |l: &Lit| {
                    let args = l
                        .atom
                        .args
                        .map(|t| t.as_variable().expect("properties are about variables"));
                    (symbol(theory, l.atom.pred), args, l.positive)
                };
                WrittenClaim::Pairs(symbol(theory, *of), lits.iter().map(lit).collect())
            }
            Claim::Pairs { of, property: Property::Within(bound) } => {
                WrittenClaim::Bound(symbol(theory, *of), e(bound))
            }
            Claim::Within(a, b) => WrittenClaim::Within(e(a), e(b)),
            Claim::Irreflexive(a) => WrittenClaim::Irreflexive(e(a)),
            Claim::Empty(a, is_set) => WrittenClaim::Empty(e(a), *is_set),
            Claim::Acyclic(a) => WrittenClaim::Acyclic(e(a)),
        };
        let rule = match &step.rule {
            Rule::Direct => WrittenRule::Direct,
            Rule::Induction(group) => {
                WrittenRule::Induction(group.iter().map(|&p| symbol(theory, p)).collect())
            }
            Rule::Orders { cut, order, first, second } => WrittenRule::Orders {
                cut: *cut,
                order: order.as_ref().map(e),
                first: first.iter().map(e).collect(),
                second: second.iter().map(e).collect(),
            },
            Rule::Through { parts, between } => WrittenRule::Through {
                parts: parts.each_ref().map(e),
                between: between.each_ref().map(e),
            },
        };
        Self { claims: step.claims.iter().map(claim).collect(), rule, known: step.known }
    }

    /// Reads a step.
    ///
    /// # Errors
    /// A name that the theory does not have, or a symbol that is not of the right kind.
    pub fn read(&self, theory: &mut Theory) -> Result<ClaimStep, UnreadStep> {
        let claims = self.claims.iter().map(|c| read_claim(theory, c)).collect::<Result<_, _>>()?;
        let all = |theory: &mut Theory, list: &[WrittenExpr]| {
            list.iter().map(|e| relation(theory, e)).collect::<Result<Vec<_>, _>>()
        };
        let rule = match &self.rule {
            WrittenRule::Direct => Rule::Direct,
            WrittenRule::Induction(group) => Rule::Induction(
                group.iter().map(|e| read_symbol(theory, e, 2)).collect::<Result<_, _>>()?,
            ),
            WrittenRule::Orders { cut, order, first, second } => Rule::Orders {
                cut: *cut,
                order: order.as_ref().map(|e| relation(theory, e)).transpose()?,
                first: all(theory, first)?,
                second: all(theory, second)?,
            },
            WrittenRule::Through { parts: [a, b], between: [c, d] } => Rule::Through {
                parts: [relation(theory, a)?, relation(theory, b)?],
                between: [relation(theory, c)?, relation(theory, d)?],
            },
        };
        Ok(ClaimStep { claims, rule, known: self.known })
    }
}

fn read_claim(theory: &mut Theory, claim: &WrittenClaim) -> Result<Claim, UnreadStep> {
    Ok(match claim {
        WrittenClaim::Pairs(of, lits) => {
            let of = read_symbol(theory, of, 2)?;
            let mut read = Vec::new();
            for (e, [a, b], positive) in lits {
                if *a > 16 || *b > 16 {
                    return Err(UnreadStep::TooManyVariables);
                }
                let arity = if a == b { 0 } else { 2 };
                let pred = read_symbol(theory, e, arity)?;
                let atom = theory.atom(pred, EventTerm::variable(*a), EventTerm::variable(*b));
                read.push(Lit { atom, positive: *positive });
            }
            Claim::Pairs { of, property: Property::Clause(read) }
        }
        WrittenClaim::Bound(of, bound) => {
            let of = read_symbol(theory, of, 2)?;
            Claim::Pairs { of, property: Property::Within(relation(theory, bound)?) }
        }
        WrittenClaim::Within(a, b) => Claim::Within(relation(theory, a)?, relation(theory, b)?),
        WrittenClaim::Irreflexive(a) => Claim::Irreflexive(relation(theory, a)?),
        WrittenClaim::Acyclic(a) => Claim::Acyclic(relation(theory, a)?),
        WrittenClaim::Empty(a, is_set) => {
            let read = expression(theory, a)?;
            read.sort.of(if *is_set { ReadSort::Set } else { ReadSort::Relation })?;
            Claim::Empty(read.id, *is_set)
        }
    })
}

/// A symbol by its name or by what it is the closure, domain or range of; sequences have no other
/// name.
fn symbol(theory: &Theory, pred: Pred) -> WrittenExpr {
    let symbol = theory.symbols.get(pred);
    let inner = |e: TheoryExprId| Box::new(write(theory, e));
    match symbol.meaning {
        Meaning::Base | Meaning::Defined(_) | Meaning::Fixpoint(..) => {
            WrittenExpr::Name(symbol.name.clone())
        }
        Meaning::Closure(r) => WrittenExpr::Closure(inner(r)),
        Meaning::Domain(r) => WrittenExpr::Domain(inner(r)),
        Meaning::Range(r) => WrittenExpr::Range(inner(r)),
        Meaning::Sequence(a, b) => WrittenExpr::Seq(Box::new([write(theory, a), write(theory, b)])),
    }
}

fn write(theory: &Theory, id: TheoryExprId) -> WrittenExpr {
    let two = |a: TheoryExprId, b: TheoryExprId| Box::new([write(theory, a), write(theory, b)]);
    match theory.exprs.get(id) {
        TheoryExpr::Empty => WrittenExpr::Empty,
        TheoryExpr::All => WrittenExpr::All,
        TheoryExpr::Symbol(p) => symbol(theory, p),
        TheoryExpr::Union(a, b) => WrittenExpr::Union(two(a, b)),
        TheoryExpr::Intersection(a, b) => WrittenExpr::And(two(a, b)),
        TheoryExpr::Difference(a, b) => WrittenExpr::Minus(two(a, b)),
        TheoryExpr::Sequence(a, b) => WrittenExpr::Seq(two(a, b)),
        TheoryExpr::Product(a, b) => WrittenExpr::Product(two(a, b)),
        TheoryExpr::Diagonal(a) => WrittenExpr::On(Box::new(write(theory, a))),
        TheoryExpr::Inverse(a) => WrittenExpr::Inverse(Box::new(write(theory, a))),
    }
}

fn read_symbol(theory: &mut Theory, e: &WrittenExpr, arity: u8) -> Result<Pred, UnreadStep> {
    let read = expression(theory, e)?;
    let pred = match e {
        // A sequence is no symbol where a part of it is a restriction.
        WrittenExpr::Seq(parts) => {
            let [a, b] = [expression(theory, &parts[0])?, expression(theory, &parts[1])?];
            theory.sequence_name(a.id, b.id)
        }
        _ => theory.as_symbol(read.id).ok_or(UnreadStep::NoSymbol)?,
    };
    let own = theory.symbols.get(pred);
    if arity != 0 && own.arity != arity {
        return Err(UnreadStep::SetSymbol(own.name.clone()));
    }
    Ok(pred)
}

fn relation(theory: &mut Theory, e: &WrittenExpr) -> Result<TheoryExprId, UnreadStep> {
    let read = expression(theory, e)?;
    read.sort.of(ReadSort::Relation)?;
    Ok(read.id)
}

/// Is an expression a set or a relation?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReadSort {
    Set,
    Relation,
    /// Nothing, or everything: it may be either.
    Either,
}

impl ReadSort {
    /// The sort of two operands that must be of one.
    fn and(self, other: Self) -> Result<Self, UnreadStep> {
        match (self, other) {
            (Self::Either, sort) | (sort, Self::Either) => Ok(sort),
            (one, two) if one == two => Ok(one),
            _ => Err(UnreadStep::MixedSorts),
        }
    }

    /// It must be of this sort.
    fn of(self, wanted: Self) -> Result<(), UnreadStep> {
        match self.and(wanted) {
            Ok(_) => Ok(()),
            Err(_) if wanted == Self::Relation => Err(UnreadStep::SetForRelation),
            Err(_) => Err(UnreadStep::RelationForSet),
        }
    }
}

/// An expression that was read, and its sort.
struct ReadExpr {
    id: TheoryExprId,
    sort: ReadSort,
}

fn expression(theory: &mut Theory, e: &WrittenExpr) -> Result<ReadExpr, UnreadStep> {
    expression_within(theory, e, 0)
}

/// Every part is looked at, those of closures included: of a set that stands where a relation is
/// expected the definitions would say something else.
fn expression_within(
    theory: &mut Theory,
    e: &WrittenExpr,
    depth: usize,
) -> Result<ReadExpr, UnreadStep> {
    use ReadSort::{Either, Relation, Set};
    if depth > MAX_DEPTH {
        return Err(UnreadStep::TooDeep);
    }
    if theory.symbols.len() > MAX_SYMBOLS {
        return Err(UnreadStep::TooManySymbols);
    }
    let mut one = |e: &WrittenExpr| expression_within(theory, e, depth + 1);
    // Operands of one sort, which is that of the whole.
    let mut alike = |make: fn(TheoryExprId, TheoryExprId) -> TheoryExpr,
                     parts: &[WrittenExpr; 2]| {
        let [a, b] = [one(&parts[0])?, one(&parts[1])?];
        Ok::<_, UnreadStep>((make(a.id, b.id), a.sort.and(b.sort)?))
    };
    let (expr, sort) = match e {
        WrittenExpr::Empty => (TheoryExpr::Empty, Either),
        WrittenExpr::All => (TheoryExpr::All, Either),
        WrittenExpr::Name(name) => {
            let pred =
                theory.symbols.shown(name).ok_or_else(|| UnreadStep::UnknownName(name.clone()))?;
            (
                TheoryExpr::Symbol(pred),
                if theory.symbols.get(pred).arity == 1 { Set } else { Relation },
            )
        }
        WrittenExpr::Union(parts) => alike(TheoryExpr::Union, parts)?,
        WrittenExpr::And(parts) => alike(TheoryExpr::Intersection, parts)?,
        WrittenExpr::Minus(parts) => alike(TheoryExpr::Difference, parts)?,
        WrittenExpr::Seq(parts) => {
            let (expr, sort) = alike(TheoryExpr::Sequence, parts)?;
            sort.of(Relation)?;
            (expr, Relation)
        }
        WrittenExpr::Product(parts) => {
            let (expr, sort) = alike(TheoryExpr::Product, parts)?;
            sort.of(Set)?;
            (expr, Relation)
        }
        WrittenExpr::On(a) => {
            let a = one(a)?;
            a.sort.of(Set)?;
            (TheoryExpr::Diagonal(a.id), Relation)
        }
        WrittenExpr::Inverse(a)
        | WrittenExpr::Closure(a)
        | WrittenExpr::Domain(a)
        | WrittenExpr::Range(a) => {
            let a = one(a)?;
            a.sort.of(Relation)?;
            match e {
                WrittenExpr::Inverse(_) => (TheoryExpr::Inverse(a.id), Relation),
                WrittenExpr::Closure(_) => {
                    (TheoryExpr::Symbol(theory.closure_name(a.id)), Relation)
                }
                _ => (
                    TheoryExpr::Symbol(theory.end_name(a.id, matches!(e, WrittenExpr::Range(_)))),
                    Set,
                ),
            }
        }
    };
    Ok(ReadExpr { id: theory.exprs.make(expr), sort })
}
