//! Relational logic in operators, so that formulas can be written as they are read: `(r & s) >> t`
//! in place of three calls of constructors.
//!
//! | here | Alloy | the constructor |
//! | --- | --- | --- |
//! | `a \| b` | `a + b` | [`Logic::union`] |
//! | `a & b` | `a & b` | [`Logic::intersection`] |
//! | `a - b` | `a - b` | [`Logic::difference`] |
//! | `a >> b` | `a . b` | [`Logic::join`] |
//! | `a * b` | `a -> b` | [`Logic::product`] |
//! | `f & g`, `f \| g`, `!f` | `f and g`, `f or g`, `not f` | [`Logic::and`], [`Logic::or`], [`Logic::not`] |
//!
//! Everything else is a method, as in `r.closure().within(s)`, or made by the notation:
//! [`Notation::for_all`], [`Notation::all`] of many formulas, [`Notation::constant`] sets.
//!
//! ```
//! use margay_solver::{Atom, Backend, Bounds, Encoding, SolverLimits, Logic, Notation, SessionOutcome, Session, TupleSet, Universe};
//!
//! let mut logic = Logic::new();
//! let (parent, person) = (logic.relation("parent", 2), logic.relation("Person", 1));
//! let notation = Notation::new(&mut logic);
//! let [up, people] = [parent, person].map(|relation| notation.relation(relation));
//! // Nobody is an ancestor of themselves, and somebody has a grandparent.
//! let family = up.closure().irreflexive() & (up >> up).some() & up.within(people * people);
//! let family = family.formula();
//!
//! let mut bounds = Bounds::new(Universe::new(["Ada", "Bob", "Cyd"]));
//! bounds.exactly(person, TupleSet::from_tuples(1, (0..3).map(|i| [Atom(i)])));
//! bounds.between(parent, TupleSet::new(2), TupleSet::from_tuples(2, (0..9).map(|i| [Atom(i / 3), Atom(i % 3)])));
//! let mut session = Session::new(bounds, Encoding::default(), &Backend::default());
//! session.assert(&logic, family);
//! let SessionOutcome::Sat(found) = session.solve(&[], &SolverLimits::default())? else { panic!("there are such families") };
//! assert_eq!(found.display(&logic).to_string().lines().count(), 2);
//! # Ok::<(), margay_solver::SolverFailure>(())
//! ```

use std::cell::RefCell;
use std::ops::{BitAnd, BitOr, Mul, Not, Shr, Sub};

use crate::logic::{CardinalityComparison, Expr, Formula, Logic, QuantifiedVariable, Relation};
use crate::tuples::TupleSet;

/// An arena that operators write into. It holds the arena until it is dropped; what was made stays.
#[derive(Debug)]
pub struct Notation<'l>(RefCell<&'l mut Logic>);

/// An expression in operators.
#[derive(Debug, Clone, Copy)]
pub struct ExprNotation<'n, 'l> {
    notation: &'n Notation<'l>,
    expr: Expr,
}

/// A formula in operators.
#[derive(Debug, Clone, Copy)]
pub struct FormulaNotation<'n, 'l> {
    notation: &'n Notation<'l>,
    formula: Formula,
}

impl<'l> Notation<'l> {
    /// Operators over an arena.
    pub fn new(logic: &'l mut Logic) -> Self {
        Self(RefCell::new(logic))
    }

    /// A declared relation.
    pub fn relation(&self, relation: Relation) -> ExprNotation<'_, 'l> {
        self.expr(self.0.borrow_mut().rel(relation))
    }

    /// An expression that constructors made.
    pub fn expr(&self, expr: Expr) -> ExprNotation<'_, 'l> {
        ExprNotation { notation: self, expr }
    }

    /// A formula that constructors made.
    pub fn formula(&self, formula: Formula) -> FormulaNotation<'_, 'l> {
        FormulaNotation { notation: self, formula }
    }

    /// A new variable, and the variable as a set of one atom.
    pub fn variable(&self, name: &str) -> (QuantifiedVariable, ExprNotation<'_, 'l>) {
        let mut logic = self.0.borrow_mut();
        let variable = logic.variable(name);
        (variable, self.expr(logic.var(variable)))
    }

    /// `iden`: every atom with itself.
    pub fn identity(&self) -> ExprNotation<'_, 'l> {
        self.expr(self.0.borrow_mut().identity())
    }

    /// `univ`: every atom.
    pub fn universe(&self) -> ExprNotation<'_, 'l> {
        self.expr(self.0.borrow_mut().universe())
    }

    /// A set of tuples that every instance has as it is.
    pub fn constant(&self, tuples: TupleSet) -> ExprNotation<'_, 'l> {
        self.expr(self.0.borrow_mut().constant(tuples))
    }

    /// All of these; of none it is true.
    #[track_caller]
    pub fn all<'n>(
        &'n self,
        formulas: impl IntoIterator<Item = FormulaNotation<'n, 'l>>,
    ) -> FormulaNotation<'n, 'l> {
        let formulas: Vec<Formula> = formulas.into_iter().map(|f| f.formula).collect();
        self.formula(self.0.borrow_mut().and(formulas))
    }

    /// One of these, or more; of none it is false.
    #[track_caller]
    pub fn any<'n>(
        &'n self,
        formulas: impl IntoIterator<Item = FormulaNotation<'n, 'l>>,
    ) -> FormulaNotation<'n, 'l> {
        let formulas: Vec<Formula> = formulas.into_iter().map(|f| f.formula).collect();
        self.formula(self.0.borrow_mut().or(formulas))
    }

    /// `{ v1: e1, ... | f }`
    #[track_caller]
    pub fn comprehension<'n>(
        &'n self,
        declarations: &[(QuantifiedVariable, ExprNotation<'n, 'l>)],
        body: FormulaNotation<'n, 'l>,
    ) -> ExprNotation<'n, 'l> {
        let declarations: Vec<(QuantifiedVariable, Expr)> =
            declarations.iter().map(|&(v, domain)| (v, domain.expr)).collect();
        self.expr(self.0.borrow_mut().comprehension(&declarations, body.formula))
    }

    /// `all v1: e1, ... | f`
    #[track_caller]
    pub fn for_all<'n>(
        &'n self,
        declarations: &[(QuantifiedVariable, ExprNotation<'n, 'l>)],
        body: FormulaNotation<'n, 'l>,
    ) -> FormulaNotation<'n, 'l> {
        let declarations: Vec<(QuantifiedVariable, Expr)> =
            declarations.iter().map(|&(v, domain)| (v, domain.expr)).collect();
        self.formula(self.0.borrow_mut().for_all(&declarations, body.formula))
    }

    /// `some v1: e1, ... | f`
    #[track_caller]
    pub fn exists<'n>(
        &'n self,
        declarations: &[(QuantifiedVariable, ExprNotation<'n, 'l>)],
        body: FormulaNotation<'n, 'l>,
    ) -> FormulaNotation<'n, 'l> {
        let declarations: Vec<(QuantifiedVariable, Expr)> =
            declarations.iter().map(|&(v, domain)| (v, domain.expr)).collect();
        self.formula(self.0.borrow_mut().exists(&declarations, body.formula))
    }
}

impl<'n, 'l> ExprNotation<'n, 'l> {
    /// `#e` compared with a number: `e.count(CardinalityComparison::AtMost, 2)`.
    #[track_caller]
    pub fn count(
        self,
        comparison: CardinalityComparison,
        number: usize,
    ) -> FormulaNotation<'n, 'l> {
        self.notation
            .formula(self.notation.0.borrow_mut().cardinality(self.expr, comparison, number))
    }
}

/// A method for each constructor: from expressions to an expression, or to a formula. Without a
/// function between that takes a closure: a panic would point into it, and not at the caller.
macro_rules! methods {
    ($($(#[$text:meta])* $name:ident($($other:ident),*) $kind:ident $constructor:ident;)*) => {
        impl<'n, 'l> ExprNotation<'n, 'l> {
            /// The handle of the expression.
            pub fn expr(self) -> Expr {
                self.expr
            }

            $($(#[$text])*
            #[track_caller]
            pub fn $name(self, $($other: Self),*) -> methods!(@type $kind) {
                self.notation.$kind(self.notation.0.borrow_mut().$constructor(self.expr, $($other.expr),*))
            })*
        }
    };
    (@type expr) => { ExprNotation<'n, 'l> };
    (@type formula) => { FormulaNotation<'n, 'l> };
}

methods! {
    /// `~r`
    transpose() expr transpose;
    /// `^r`
    closure() expr closure;
    /// `*r`
    reflexive_closure() expr reflexive_closure;
    /// The first columns.
    domain() expr domain;
    /// The last columns.
    range() expr range;
    /// `[s]`: the identity on a set.
    diagonal() expr diagonal;
    /// `a ++ b`
    override_with(other) expr override_with;
    /// `a in b`
    within(other) formula subset;
    /// `a = b`
    equals(other) formula equal;
    /// `some e`
    some() formula some;
    /// `no e`
    no() formula no;
    /// `one e`
    one() formula one;
    /// `lone e`: at most one tuple.
    lone() formula lone;
    /// The relation has no cycle.
    acyclic() formula acyclic;
    /// No atom is related to itself.
    irreflexive() formula irreflexive;
    /// The relation maps every member of `from` to exactly one of `to`, and nothing else to
    /// anything.
    function(from, to) formula function;
}

impl<'n, 'l> FormulaNotation<'n, 'l> {
    /// The handle of the formula.
    pub fn formula(self) -> Formula {
        self.formula
    }

    /// `f => g`
    #[track_caller]
    pub fn implies(self, other: Self) -> Self {
        self.notation.formula(self.notation.0.borrow_mut().implies(self.formula, other.formula))
    }

    /// `f <=> g`
    #[track_caller]
    pub fn iff(self, other: Self) -> Self {
        self.notation.formula(self.notation.0.borrow_mut().iff(self.formula, other.formula))
    }
}

/// An operator for a constructor of two expressions.
macro_rules! operators {
    ($($operator:ident $method:ident $constructor:ident;)*) => {
        $(impl $operator for ExprNotation<'_, '_> {
            type Output = Self;

            #[track_caller]
            fn $method(self, other: Self) -> Self {
                self.notation.expr(self.notation.0.borrow_mut().$constructor(self.expr, other.expr))
            }
        })*
    };
}

operators! {
    BitOr bitor union;
    BitAnd bitand intersection;
    Sub sub difference;
    Shr shr join;
    Mul mul product;
}

impl BitAnd for FormulaNotation<'_, '_> {
    type Output = Self;

    #[track_caller]
    fn bitand(self, other: Self) -> Self {
        self.notation.formula(self.notation.0.borrow_mut().and([self.formula, other.formula]))
    }
}

impl BitOr for FormulaNotation<'_, '_> {
    type Output = Self;

    #[track_caller]
    fn bitor(self, other: Self) -> Self {
        self.notation.formula(self.notation.0.borrow_mut().or([self.formula, other.formula]))
    }
}

impl Not for FormulaNotation<'_, '_> {
    type Output = Self;

    fn not(self) -> Self {
        self.notation.formula(self.notation.0.borrow_mut().not(self.formula))
    }
}
