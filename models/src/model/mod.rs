//! The typed model: what a .cat text means once names are resolved, functions and procedures are
//! inlined, and every expression is known to be a set or a relation. The judge evaluates it,
//! `lower` translates it, `explain` unfolds it.

mod axioms;
mod display;
mod ends;
mod node;
mod ordered;
mod query;
mod races;

pub use ends::End;
pub use node::{Arena, DefId, ExprId, GroupId, Node, Sort};
pub use races::{DATA_RACE, RaceMeaning};

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::diagnostic::{Diagnostic, SourceFile, SourcePlace};
use crate::dialect::NameDialect;
use crate::signature::Signature;

/// A memory model.
#[derive(Debug, Clone)]
pub struct Model {
    /// The name to show and to find it by: the file's name without folder and extension.
    pub name: String,
    /// The quoted title of the header, if there is one.
    pub title: Option<String>,
    /// Whose definitions its base names have.
    pub dialect: &'static NameDialect,
    /// The executions that it speaks of.
    pub signature: Signature,
    /// The text that was read; included files are reached through the places of definitions and
    /// checks.
    pub source: Arc<SourceFile>,
    /// Every expression, shared; children come before parents, except that bodies of recursive
    /// definitions refer to [`Node::Definition`]s of their own group.
    pub arena: Arena,
    /// Named expressions: `let`s, and the applications of functions, in the order of the text.
    pub definitions: Vec<Definition>,
    /// The mutually recursive definitions of each `let rec`, including those that were made inside
    /// of it and depend on it.
    pub groups: Vec<Vec<DefId>>,
    /// The checks, in the order of the text.
    pub checks: Vec<Check>,
    /// Where the operands of unions are written: a union and an operand, which may be written in
    /// several places.
    pub(crate) branches: FxHashMap<(ExprId, ExprId), Vec<SourcePlace>>,
    /// The word of the architecture whose tests another tool's model is for, where their events
    /// carry tags and this reading knows none.
    pub machine: Option<&'static str>,
    /// The reading for these tests.
    pub(crate) of_tests: Option<Arc<Model>>,
}

/// What a successful reading returns.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// What the text says, typed, with its includes.
    pub model: Model,
    /// What is probably not as meant.
    pub warnings: Vec<Diagnostic>,
}

/// An expression with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The name to show; for the application of a function its text with the arguments, e.g.
    /// `fencerel(F)`.
    pub name: String,
    /// How it came about.
    pub origin: DefinitionOrigin,
    /// Set or relation.
    pub sort: Sort,
    /// What it stands for.
    pub body: ExprId,
    /// The `let rec` that it belongs to; its value is then part of a least fixpoint.
    pub group: Option<GroupId>,
    /// Where the definition is (for an application: the function's definition).
    pub place: SourcePlace,
}

/// How a definition came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DefinitionOrigin {
    /// `let` in the model or in a file that it includes.
    Let,
    /// `let .. in` within an expression.
    Local,
    /// The application of a function.
    Application,
    /// A name that models expect without defining it, e.g. `rfe` (see [`crate::dialect`]).
    StandardLibrary,
}

/// What a check asks of its expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CheckKind {
    /// `acyclic r`
    Acyclic,
    /// `irreflexive r`
    Irreflexive,
    /// `empty e`
    Empty,
}

/// What becomes of an execution by a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// No keyword: an execution that fails the test is not allowed.
    Axiom,
    /// `flag`: an execution that passes the test is reported, and stays allowed.
    Flag,
    /// `undefined_unless`: an execution that fails the test makes the program undefined, and stays
    /// allowed.
    UndefinedUnless,
    /// Of no text: that the relation `data-race` of a model is asked for
    /// ([`Model::asking_for_races`]). An execution that passes the test has a race; it stays
    /// allowed, and its program is as defined as any.
    Race,
    /// `assert`: an execution that fails the test shows that the model is not as its author
    /// thought; it stays allowed.
    Assert,
}

/// A check: `[role] [~]kind expr [as name]`.
#[derive(Debug, Clone)]
pub struct Check {
    /// The name behind `as`.
    pub name: Option<String>,
    /// Which property: no cycle, no loop, or no member.
    pub kind: CheckKind,
    /// Is the property negated (`~`)?
    pub negated: bool,
    /// What the outcome of the test means.
    pub role: Role,
    /// What must have the property.
    pub expr: ExprId,
    /// The expression as the text has it, in one line.
    pub text: String,
    /// Where the check is.
    pub place: SourcePlace,
}

impl Check {
    /// The name to show: the one behind `as`, or else the test itself.
    pub fn display_name(&self) -> String {
        self.name.clone().unwrap_or_else(|| {
            format!("{}{} {}", if self.negated { "~" } else { "" }, self.kind, self.text)
        })
    }
}

impl fmt::Display for CheckKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Acyclic => "acyclic",
            Self::Irreflexive => "irreflexive",
            Self::Empty => "empty",
        })
    }
}

impl fmt::Display for Role {
    /// The keyword; nothing for an axiom.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Axiom => "",
            Self::Flag | Self::Race => "flag",
            Self::UndefinedUnless => "undefined_unless",
            Self::Assert => "assert",
        })
    }
}
