//! The diagnostics of typing: what is wrong, where, and what to do about it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Typing;
use super::scope::NameScope;
use super::value::{RecursiveUse, TypedExpr, TypedMeaning};
use crate::cat::ast::{CatExpr, ExprKind, Ident};
use crate::cat::keywords;
use crate::diagnostic::{Diagnostic, SourceFile, SourcePlace, Span, nearest};
use crate::dialect::{self, ModelArchitecture, NameDialect};
use crate::model::{Check, Sort};
use crate::signature::{BaseRelation, BaseSet, Signature, architecture};

/// How many names a message lists before it only counts.
const LISTED: usize = 10;

/// The error for an architecture that Margay's own models do not have.
pub(super) fn unknown_architecture(source: &Arc<SourceFile>, name: &Ident) -> Diagnostic {
    let known = || dialect::MARGAY.architectures.iter().flat_map(|a| a.words()).copied();
    // Every name of two letters is near `do` or `as`.
    let keyword = nearest(&name.text, keywords().filter(|_| name.text.len() > 2));
    let texts = architecture::built_in_words();
    let words = known().chain(texts.iter().map(String::as_str));
    let help = match (nearest(&name.text, words.clone()), keyword) {
        (Some(near), _) | (None, Some(near)) => format!("did you mean `{near}`?"),
        (None, None) => format!(
            "known are {}; without a name the model is for plain reads, writes and fences, and `{}.arch` beside it would describe an architecture of your own",
            words.map(|a| format!("`{a}`")).collect::<Vec<_>>().join(", "),
            name.text
        ),
    };
    Diagnostic::error(format!("unknown architecture `{}`", name.text))
        .at(source, name.span, "the first word of a model names its architecture")
        .help(help)
}

/// The error for a mapping (the file format of `margay check`) where a model is expected.
pub(super) fn mapping_file(source: &Arc<SourceFile>, word: &Ident) -> Diagnostic {
    Diagnostic::error(format!("{} is a mapping, and a model is expected", source.name))
        .at(source, word.span, "mappings begin with this word")
        .help("name a model; `margay check` and `margay prove` ask about a mapping, and `margay extract --against` compares a compiler with one")
}

/// The error for a model of another tool that needs what Margay lacks. It points at the first thing
/// that is missing, where one of the errors knows its place.
pub(super) fn refusal(
    source: &SourceFile,
    dialect: &NameDialect,
    of: Option<&ModelArchitecture>,
    missing: &[String],
    errors: &[Diagnostic],
) -> Diagnostic {
    let (_, path) = dialect::split_prefix(&source.name);
    let architecture = of.map_or(String::new(), |a| format!(" ({})", a.name()));
    let error = Diagnostic::error(format!(
        "{path} cannot be answered: as {}'s{architecture} it needs {}",
        dialect.tool,
        some(missing)
    ));
    let first =
        missing.first().and_then(|what| errors.iter().find(|e| e.message.contains(what.as_str())));
    match first {
        Some(first) => {
            Diagnostic { labels: first.labels.clone(), help: first.help.clone(), ..error }
        }
        None => error,
    }
}

/// The error for a model of an architecture that another tool has and Margay has not.
pub(super) fn foreign(source: &SourceFile, dialect: &NameDialect, word: &str) -> Diagnostic {
    let (_, path) = dialect::split_prefix(&source.name);
    Diagnostic::error(format!(
        "{path} cannot be answered: it is a model of {}'s for `{word}`, which Margay has no tests for",
        dialect.tool
    ))
}

/// The first names of a list, and how many more there are.
fn some(names: &[String]) -> String {
    let listed = names[..names.len().min(LISTED)].join(", ");
    match names.len().saturating_sub(LISTED) {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}

impl Typing<'_> {
    /// Reports an error; within a function or procedure it says from where that was reached.
    pub(super) fn error(&mut self, mut error: Diagnostic) {
        if self.exhausted.is_some() {
            return;
        }
        if let Some((name, place)) = self.calls.last() {
            error = error.at(&place.file, place.span, format!("within this use of `{name}`"));
        }
        if self.errors.len() < super::MAX_ERRORS && !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    /// Reports an error at a place of the current file.
    pub(super) fn error_at(
        &mut self,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) {
        let error = Diagnostic::error(message).at(&self.file.clone(), span, label);
        self.error(error);
    }

    /// Reports that a limit is exceeded, once.
    pub(super) fn exhaust(&mut self, span: Span, message: String) {
        if self.exhausted.is_none() {
            let help = "no model needs as much: perhaps functions or procedures use each other many times over";
            self.exhausted =
                Some(Diagnostic::error(message).at(&self.file, span, "reached here").help(help));
        }
    }

    /// Reports what Margay lacks; of models in another tool's dialect that is all that is said.
    pub(super) fn lacks(&mut self, what: String, error: Diagnostic) {
        self.error(error);
        if !self.missing.contains(&what) {
            self.missing.push(what);
        }
    }

    /// Reports a name that means nothing.
    pub(super) fn unknown_name(&mut self, name: &str, span: Span, scope: &NameScope) {
        if self.dialect.is_lazy() {
            let what = format!("`{name}`");
            if !self.missing.contains(&what) {
                let mut error = Diagnostic::error(format!("unknown name `{name}`"));
                error = error.at(&self.file, span, "neither defined above nor a base name");
                error.help = self.near(name, scope).map(|near| format!("did you mean `{near}`?"));
                self.lacks(what, error);
            } else {
                // One error for a name is enough, but whoever tries an expression must see that it
                // has one.
                self.error_at(span, format!("unknown name `{name}`"), "");
            }
            return;
        }
        if self.quiet > 0 || self.errors.len() >= super::MAX_ERRORS {
            // Nobody will read it: leave the search for a similar name out.
            return self.error_at(span, format!("unknown name `{name}`"), "");
        }
        let elsewhere = [Signature::C, Signature::PTX, Signature::PLAIN].into_iter().find(|&s| {
            BaseSet::from_name(name, s).is_some() || BaseRelation::from_name(name, s).is_some()
        });
        let help = if let Some(signature) = elsewhere {
            let (here, there) = (self.signature, signature);
            Some(format!(
                "{there} executions have it, {here} executions have not; the first word of the file says which are meant"
            ))
        } else {
            self.near(name, scope).map(|near| format!("did you mean `{near}`?"))
        };
        let mut error = Diagnostic::error(format!("unknown name `{name}`"));
        error = error.at(
            &self.file,
            span,
            format!("neither defined above nor a base name of {} executions", self.signature),
        );
        error.help = help;
        self.error(error);
    }

    /// The known name that is most like this one.
    fn near(&self, name: &str, scope: &NameScope) -> Option<String> {
        let mut known = scope.names();
        let bases = BaseSet::names(self.signature).chain(BaseRelation::names(self.signature));
        known.extend(bases.filter(|n| *n != "_" && self.architecture.knows(n)).map(str::to_owned));
        known.extend(keywords().map(str::to_owned));
        nearest(name, known.iter().map(String::as_str)).map(str::to_owned)
    }

    /// Reports operands of different sorts.
    pub(super) fn mixed(
        &mut self,
        operator: &str,
        first: (&CatExpr, Sort),
        second: (&CatExpr, Sort),
    ) {
        let what = |e: &CatExpr, sort: Sort| match named(e) {
            Some(name) => format!("`{name}` is a {sort}"),
            None => format!("this is a {sort}"),
        };
        let mut error = Diagnostic::error(format!(
            "`{operator}` cannot combine a {} and a {}",
            first.1, second.1
        ))
        .at(&self.file, second.0.span, what(second.0, second.1))
        .at(&self.file, first.0.span, what(first.0, first.1));
        error.help =
            Some("`[S]` makes a relation of a set, `S * T` one of two sets, `domain r` and `range r` a set of a relation".into());
        self.error(error);
    }

    /// Reports an operand of the wrong sort.
    pub(super) fn wrong_sort(
        &mut self,
        operator: &str,
        needed: Sort,
        operand: &CatExpr,
        found: Sort,
    ) {
        let what = named(operand).map_or_else(|| "this".to_owned(), |name| format!("`{name}`"));
        let help = match (operator, found) {
            ("*", Sort::Relation) => Some(
                "`*` in front of an operand is the product of two sets; for a closure write `(r*); s`",
            ),
            ("^-1", Sort::Set) => Some(
                "`^-1` binds tighter than the product (not so in Dartagnan): write `(A * B)^-1`",
            ),
            (_, Sort::Set) => Some("`[S]` makes a relation of a set"),
            (_, Sort::Relation) => Some("`domain r` and `range r` make a set of a relation"),
        };
        let mut error = Diagnostic::error(format!("`{operator}` needs a {needed}, not a {found}"));
        error = error.at(&self.file, operand.span, format!("{what} is a {found}"));
        error.help = help.map(str::to_owned);
        self.error(error);
    }

    /// Reports a function or procedure where a set or relation is needed.
    pub(super) fn not_a_value(&mut self, expr: &CatExpr, value: &TypedMeaning) {
        let (what, place, help) = match value {
            TypedMeaning::Function(f) => {
                ("function", Some(f.place.clone()), "give it its arguments")
            }
            TypedMeaning::Procedure(p) => {
                ("procedure", Some(p.place.clone()), "procedures are used by `call`")
            }
            TypedMeaning::Projection(_) => ("function", None, "give it its argument"),
            TypedMeaning::Tag(_) => {
                ("tag", None, "tags can be compared, matched and listed, e.g. `{'a, 'b}`")
            }
            TypedMeaning::List(_) => {
                ("set of listed elements", None, "`forall` and `match` look at its elements")
            }
            TypedMeaning::Tuple(_) => ("tuple", None, "functions and procedures take tuples"),
            TypedMeaning::Typed(_) | TypedMeaning::Unknown(_) => return,
        };
        let text = named(expr).map_or_else(|| "this".to_owned(), |name| format!("`{name}`"));
        let mut error = Diagnostic::error(format!("{text} is a {what}, not a set or a relation"))
            .at(&self.file, expr.span, "used here");
        if let Some(place) = place {
            error = error.at(&place.file, place.span, "defined here");
        }
        self.error(error.help(help));
    }

    /// Reports the wrong number of arguments.
    pub(super) fn wrong_arity(
        &mut self,
        name: &str,
        needed: usize,
        found: usize,
        span: Span,
        defined: Option<&SourcePlace>,
    ) {
        let count = |n: usize| format!("{n} argument{}", if n == 1 { "" } else { "s" });
        let mut error =
            Diagnostic::error(format!("`{name}` takes {}, not {}", count(needed), found));
        error = error.at(&self.file, span, format!("{} here", count(found)));
        if let Some(place) = defined {
            error = error.at(&place.file, place.span, "defined here");
        }
        self.error(error);
    }

    /// Reports a recursive name where a larger relation would make a smaller one.
    pub(super) fn not_monotone(&mut self, operator: &str, operand: &CatExpr, value: &TypedExpr) {
        let Some(RecursiveUse { name, place, defined, .. }) = value.depends.clone() else { return };
        let negative = if operator == "~" {
            "under `~`".to_owned()
        } else {
            format!("on the right side of `{operator}`")
        };
        let label = match named(operand) {
            Some(n) if n == &*name => format!("`{name}` itself occurs {negative}"),
            Some(n) => format!("`{n}`, which depends on `{name}`, occurs {negative}"),
            None => format!("this depends on `{name}` and occurs {negative}"),
        };
        let mut error =
            Diagnostic::error(format!("the recursive definition of `{name}` is not monotone"));
        let here = self.place(operand.span);
        error = error.at(&here.file, here.span, label);
        if place != here {
            error = error.at(&place.file, place.span, format!("`{name}` is used here"));
        }
        error =
            error.at(&defined.file, defined.span, format!("`{name}` is defined by recursion here"));
        self.error(error.help("a recursive definition is a least fixpoint: it may only grow with the names that it defines"));
    }

    /// Reports a model that allows everything; other tools take it.
    pub(super) fn has_no_checks(&mut self) {
        let end = Span::new(self.file.text.len(), self.file.text.len());
        if self.dialect.is_lazy() {
            let warning = Diagnostic::warning("the model has no checks: it allows every execution");
            return self.warnings.push(warning.at(
                &self.file,
                end,
                "expected a check before the end",
            ));
        }
        let error = Diagnostic::error("the model has no checks").at(
            &self.file,
            end,
            "expected a check before the end",
        );
        self.errors.push(
            error.help(
                "a model allows what its checks allow, e.g. `acyclic po | rf | co | fr as sc`",
            ),
        );
    }

    /// Says in whose dialect the model was read if nobody said it, and which names stand for
    /// nothing.
    pub(super) fn warn_of_dialect(&mut self, guessed: Option<&str>) {
        let (_, path) = dialect::split_prefix(&self.file.name);
        let NameDialect { name, tool, .. } = self.dialect;
        if let Some(why) = guessed {
            let message = format!(
                "{path} is read as a model of {tool}'s ({}), for {why}",
                self.architecture.name()
            );
            let help = format!(
                "name it `{name}:{path}` if that is right, or e.g. `margay:{path}`; the file can say it: `(* dialect: {name} *)`"
            );
            self.warnings.push(Diagnostic::warning(message).help(help));
        }
        if !self.absent.is_empty() {
            let names: Vec<String> = self.absent.iter().map(|n| format!("`{n}`")).collect();
            let message = format!(
                "{path} uses {}: no test that Margay reads has such events, so that it is empty",
                some(&names)
            );
            self.warnings.push(Diagnostic::warning(message));
        }
    }

    /// Warns of checks that share a name.
    pub(super) fn warn_of_equal_names(&mut self) {
        let mut named: FxHashMap<&str, &Check> = FxHashMap::default();
        for check in &self.checks {
            let Some(name) = &check.name else { continue };
            if let Some(first) = named.insert(name, check) {
                let warning = Diagnostic::warning(format!("two checks are named `{name}`"))
                    .at(&check.place.file, check.place.span, "again")
                    .at(&first.place.file, first.place.span, "before");
                self.warnings.push(warning);
            }
        }
    }
}

/// The name, if the expression is one.
fn named(expr: &CatExpr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name),
        _ => None,
    }
}
