//! The syntax tree of a .cat text. Equality ignores spans: two trees are equal if they say the
//! same.

use crate::diagnostic::Span;
use crate::model::{CheckKind, Role};

/// A whole file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CatFile {
    /// The architecture on the first line, e.g. `PTX`.
    pub architecture: Option<Ident>,
    /// The quoted title behind it.
    pub title: Option<String>,
    /// What follows.
    pub instructions: Vec<CatInstruction>,
}

/// A name in the text.
#[derive(Debug, Clone, Eq)]
pub struct Ident {
    /// As it is written.
    pub text: String,
    /// Where it is.
    pub span: Span,
}

impl PartialEq for Ident {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

#[derive(Debug, Clone, Eq)]
pub struct CatInstruction {
    /// Which instruction, with its parts.
    pub kind: InstructionKind,
    /// Where it is.
    pub span: Span,
}

impl PartialEq for CatInstruction {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InstructionKind {
    /// `let [rec] a = e and b = f`
    Let(Bindings),
    /// `[role] [~]acyclic e [as name]`
    Check {
        /// `flag`, `undefined_unless`, `assert`, or nothing.
        role: Role,
        /// `~`
        negated: bool,
        /// Which property: no cycle, no loop, or no member.
        kind: CheckKind,
        /// What must have it.
        expr: CatExpr,
        /// The name behind `as`.
        name: Option<Ident>,
    },
    /// `include "file"`
    Include(String),
    /// `show e [as name], ..`: accepted, and without effect.
    Show(Vec<(CatExpr, Option<Ident>)>),
    /// `unshow e, ..`: accepted, and without effect.
    Unshow(Vec<CatExpr>),
    /// `procedure [rec] p(x) = .. end`
    Procedure {
        /// `rec`
        recursive: bool,
        /// The name that `call` uses.
        name: Ident,
        parameters: Vec<Ident>,
        /// What it does.
        body: Vec<CatInstruction>,
    },
    /// `call p(e)`
    Call {
        /// The procedure.
        name: Ident,
        arguments: Vec<CatExpr>,
    },
    /// `if "variant" .. else .. end`
    If {
        condition: CatCondition,
        /// What counts if it holds.
        then: Vec<CatInstruction>,
        /// What counts otherwise.
        otherwise: Vec<CatInstruction>,
    },
    /// `with x from e`: the name stands for one of the relations that e generates.
    With {
        /// The name that stands for the chosen relation.
        name: Ident,
        /// What generates them.
        from: CatExpr,
    },
    /// `forall x in e do .. end`
    ForAll {
        /// The name of the element.
        name: Ident,
        /// The set of elements.
        set: CatExpr,
        /// What counts for each of them.
        body: Vec<CatInstruction>,
    },
    /// `match e with || 'tag -> .. end`
    Match {
        /// What is looked at.
        expr: CatExpr,
        /// What counts for which value; the first that fits.
        arms: Vec<(Pattern, Vec<CatInstruction>)>,
    },
    /// `enum t = 'a || 'b`
    Enum {
        /// The name for all of them.
        name: Ident,
        /// The tags, without their quotes.
        tags: Vec<Ident>,
    },
}

/// What an arm of a `match` is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// `'x`, without the quote.
    Tag(Ident),
    /// `_`
    Any,
    /// `{}`
    Empty,
    /// `e ++ S`: an element, and the others.
    Split(Ident, Ident),
}

/// `[rec] a = e and f(x) = g`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bindings {
    /// `rec`
    pub recursive: bool,
    /// At least one.
    pub bindings: Vec<Binding>,
}

/// `a = e`, `f(x, y) = e`
#[derive(Debug, Clone, Eq)]
pub struct Binding {
    /// The name that is bound.
    pub name: Ident,
    /// The parameters if it is a function.
    pub parameters: Option<Vec<Ident>>,
    /// What it is bound to.
    pub body: CatExpr,
    /// From the name to the end of the body.
    pub span: Span,
}

impl PartialEq for Binding {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.parameters, &self.body) == (&other.name, &other.parameters, &other.body)
    }
}

/// A condition: on the variants that the caller chose, or on tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CatCondition {
    /// `"variant"`
    Variant(String),
    /// `~c`
    Not(Box<CatCondition>),
    /// `c && d`
    And(Vec<CatCondition>),
    /// `c || d`
    Or(Vec<CatCondition>),
    /// `a = b`, `a subset b`, `a in b`
    Compare(CatComparison, Box<CatExpr>, Box<CatExpr>),
}

impl CatCondition {
    /// The expressions that it compares, left to right.
    pub fn operands(&self) -> Vec<&CatExpr> {
        match self {
            Self::Variant(_) => Vec::new(),
            Self::Not(inner) => inner.operands(),
            Self::And(all) | Self::Or(all) => all.iter().flat_map(Self::operands).collect(),
            Self::Compare(_, a, b) => vec![a, b],
        }
    }
}

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CatComparison {
    /// `=`
    Equal,
    /// `subset`
    Subset,
    /// `in`
    In,
}

#[derive(Debug, Clone, Eq)]
pub struct CatExpr {
    /// Which expression, with its operands.
    pub kind: ExprKind,
    /// Where it is, without enclosing parentheses.
    pub span: Span,
    /// How many expressions are within each other, this one included.
    height: u32,
}

impl CatExpr {
    /// An expression at a place.
    pub fn new(kind: ExprKind, span: Span) -> Self {
        let height = 1 + kind.children().into_iter().map(|e| e.height).max().unwrap_or(0);
        Self { kind, span, height }
    }

    /// How many expressions are within each other, this one included; what the parser returns has
    /// at most [`super::MAX_HEIGHT`].
    pub fn height(&self) -> usize {
        self.height as usize
    }
}

impl PartialEq for CatExpr {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

/// The kinds of expressions. Lists have at least two members; a member that is itself a list of the
/// same kind was in parentheses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExprKind {
    /// `rf`
    Name(String),
    /// `0` or `{}`
    Empty,
    /// `_`
    Universe,
    /// `a | b | c`
    Union(Vec<CatExpr>),
    /// `a; b; c`
    Sequence(Vec<CatExpr>),
    /// `a \ b \ c`, that is `(a \ b) \ c`
    Difference(Vec<CatExpr>),
    /// `a & b & c`
    Intersection(Vec<CatExpr>),
    /// `A * B`
    Product(Box<CatExpr>, Box<CatExpr>),
    /// `~a`
    Complement(Box<CatExpr>),
    /// `r^-1`
    Inverse(Box<CatExpr>),
    /// `r+`
    Closure(Box<CatExpr>),
    /// `r*`
    ReflexiveClosure(Box<CatExpr>),
    /// `r?`
    Optional(Box<CatExpr>),
    /// `[A]`
    Diagonal(Box<CatExpr>),
    /// `f(a, b)`, `f a`
    Apply(Box<CatExpr>, Vec<CatExpr>),
    /// `let [rec] a = e in f`
    LetIn(Bindings, Box<CatExpr>),
    /// `fun x -> e`, `fun (x, y) -> e`
    Function(Vec<Ident>, Box<CatExpr>),
    /// `if "variant" then e else f`
    If(CatCondition, Box<CatExpr>, Box<CatExpr>),
    /// `try e with f`
    Try(Box<CatExpr>, Box<CatExpr>),
    /// `'x`, without the quote
    Tag(String),
    /// `{a, b}`; at least one
    List(Vec<CatExpr>),
    /// `(a, b)`
    Tuple(Vec<CatExpr>),
    /// `a ++ b ++ S`: the set with more elements
    Add(Vec<CatExpr>),
    /// `match e with || 'tag -> .. end`
    Match(Box<CatExpr>, Vec<(Pattern, CatExpr)>),
}

impl ExprKind {
    /// The expressions that it is made of, left to right.
    pub fn children(&self) -> Vec<&CatExpr> {
        match self {
            Self::Name(_) | Self::Empty | Self::Universe | Self::Tag(_) => Vec::new(),
            Self::Union(es)
            | Self::Sequence(es)
            | Self::Difference(es)
            | Self::Intersection(es)
            | Self::List(es)
            | Self::Tuple(es)
            | Self::Add(es) => es.iter().collect(),
            Self::If(condition, a, b) => {
                condition.operands().into_iter().chain([&**a, &**b]).collect()
            }
            Self::Product(a, b) | Self::Try(a, b) => vec![a, b],
            Self::Match(e, arms) => {
                std::iter::once(&**e).chain(arms.iter().map(|(_, body)| body)).collect()
            }
            Self::Complement(e)
            | Self::Inverse(e)
            | Self::Closure(e)
            | Self::ReflexiveClosure(e)
            | Self::Optional(e)
            | Self::Diagonal(e)
            | Self::Function(_, e) => vec![e],
            Self::Apply(function, arguments) => {
                std::iter::once(&**function).chain(arguments).collect()
            }
            Self::LetIn(bindings, body) => {
                bindings.bindings.iter().map(|b| &b.body).chain([&**body]).collect()
            }
        }
    }
}
