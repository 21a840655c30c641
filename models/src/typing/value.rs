//! What a name or an expression stands for while a model is typed.

use std::rc::Rc;
use std::sync::Arc;

use super::scope::NameScope;
use crate::cat::ast::{CatExpr, CatInstruction};
use crate::diagnostic::{SourceFile, SourcePlace};
use crate::model::{ExprId, Sort};

/// The meaning of an expression.
#[derive(Debug, Clone)]
pub(super) enum TypedMeaning {
    /// A set or a relation.
    Typed(TypedExpr),
    Function(Rc<TypedFunction>),
    Procedure(Rc<Procedure>),
    /// `domain` or `range`, as a function.
    Projection(Projection),
    /// `'x`
    Tag(Rc<str>),
    /// `{a, b}`: a set that lists its elements.
    List(Rc<[TypedMeaning]>),
    /// `(a, b)`
    Tuple(Rc<[TypedMeaning]>),
    /// Nothing is known but perhaps the sort: behind an error, or while the sorts of recursive
    /// names are looked for.
    Unknown(Option<Sort>),
}

/// A set or a relation; `0`, `_` and what is made of them alone can still be either.
#[derive(Debug, Clone)]
pub(super) struct TypedExpr {
    pub(super) set: Option<ExprId>,
    pub(super) relation: Option<ExprId>,
    /// The recursive name that it depends on, while that one is being defined.
    pub(super) depends: Option<RecursiveUse>,
}

impl TypedExpr {
    /// A value of one sort.
    pub(super) fn new(sort: Sort, id: ExprId) -> Self {
        match sort {
            Sort::Set => Self { set: Some(id), relation: None, depends: None },
            Sort::Relation => Self { set: None, relation: Some(id), depends: None },
        }
    }

    /// As a set or a relation, if it can be one.
    pub(super) fn of(&self, sort: Sort) -> Option<ExprId> {
        match sort {
            Sort::Set => self.set,
            Sort::Relation => self.relation,
        }
    }

    /// Its sort; `None` if it can be either.
    pub(super) fn sort(&self) -> Option<Sort> {
        match (self.set, self.relation) {
            (Some(_), None) => Some(Sort::Set),
            (None, Some(_)) => Some(Sort::Relation),
            _ => None,
        }
    }
}

/// An occurrence of a recursive name within its own definition.
#[derive(Debug, Clone)]
pub(super) struct RecursiveUse {
    /// The `let rec` that is being typed, counted from the outermost one; of several the outermost.
    pub(super) level: usize,
    pub(super) name: Rc<str>,
    /// Where it occurs.
    pub(super) place: SourcePlace,
    /// Where it is defined.
    pub(super) defined: SourcePlace,
}

/// Of two dependences the one on the outer `let rec`.
pub(super) fn outer(a: Option<RecursiveUse>, b: Option<RecursiveUse>) -> Option<RecursiveUse> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.level < a.level { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// A function with the scope of its definition.
#[derive(Debug)]
pub(super) struct TypedFunction {
    /// A number of its own.
    pub(super) id: usize,
    /// The name to show.
    pub(super) name: Rc<str>,
    pub(super) parameters: Vec<String>,
    pub(super) body: CatExpr,
    /// The names that the body may use.
    pub(super) scope: NameScope,
    /// Where it is defined.
    pub(super) place: SourcePlace,
    /// Were there errors in the body whatever the arguments are? They are reported once.
    pub(super) broken: bool,
    /// May the body apply the function itself?
    pub(super) recursive: bool,
}

/// A procedure with the scope of its definition.
#[derive(Debug)]
pub(super) struct Procedure {
    /// The name to show.
    pub(super) name: Rc<str>,
    pub(super) parameters: Vec<String>,
    pub(super) body: Vec<CatInstruction>,
    /// The names that the body may use.
    pub(super) scope: NameScope,
    /// The file that the body is in.
    pub(super) file: Arc<SourceFile>,
    /// Where it is defined.
    pub(super) place: SourcePlace,
    /// As in [`TypedFunction::broken`].
    pub(super) broken: bool,
    /// May the body call the procedure itself?
    pub(super) recursive: bool,
}

/// The functions that are part of the language.
#[derive(Debug, Clone, Copy)]
pub(super) enum Projection {
    /// `domain r`
    Domain,
    /// `range r`
    Range,
}
