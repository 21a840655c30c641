//! Tags, sets that list their elements, and what chooses by them: `match`, `forall`, `with .. from`
//! and conditions. All of it is decided while a model is typed: an execution knows none of it.

use super::Typing;
use super::scope::NameScope;
use super::value::{TypedExpr, TypedMeaning};
use crate::cat::ast::{
    CatComparison, CatCondition, CatExpr, CatInstruction, ExprKind, Ident, Pattern,
};
use crate::diagnostic::{Diagnostic, Span, nearest};
use crate::model::{DefinitionOrigin, Node};

/// What the name of the procedure begins with that says what holds of a relation that
/// `with x from f(..)` chooses.
const CHOSEN: &str = "chosen-";

/// What a `match` comes to.
enum MatchResult {
    /// An arm, with the names that it binds.
    Arm(usize, NameScope),
    /// Nothing is known of the value: each arm, with its names.
    Any(Vec<NameScope>),
    /// An error, which is reported.
    None,
}

impl Typing<'_> {
    /// `'x`
    pub(super) fn tag(&mut self, tag: &str, span: Span) -> TypedMeaning {
        if !self.tags.iter().any(|known| known == tag) {
            let mut error = Diagnostic::error(format!("unknown tag `'{tag}`")).at(
                &self.file,
                span,
                "no `enum` lists it",
            );
            error.help = nearest(tag, self.tags.iter().map(String::as_str))
                .map(|near| format!("did you mean `'{near}`?"));
            self.lacks(format!("the tag `'{tag}`"), error);
            return TypedMeaning::Unknown(None);
        }
        TypedMeaning::Tag(tag.into())
    }

    /// `enum t = 'a || 'b`
    pub(super) fn enumeration(&mut self, name: &Ident, tags: &[Ident], scope: &mut NameScope) {
        self.tags.extend(tags.iter().map(|t| t.text.clone()));
        let values = tags.iter().map(|t| TypedMeaning::Tag(t.text.as_str().into())).collect();
        let taken = self.base(&name.text).is_some();
        scope.bind(&name.text, TypedMeaning::List(distinct(values).into()), taken);
    }

    /// `{a, b}`
    pub(super) fn listed(&mut self, elements: &[CatExpr], scope: &NameScope) -> TypedMeaning {
        let values: Vec<TypedMeaning> = elements.iter().map(|e| self.value(e, scope)).collect();
        if values.iter().any(|v| matches!(v, TypedMeaning::Unknown(_))) {
            return TypedMeaning::Unknown(None);
        }
        TypedMeaning::List(distinct(values).into())
    }

    /// `a ++ b ++ S`
    pub(super) fn added(&mut self, exprs: &[CatExpr], scope: &NameScope) -> TypedMeaning {
        let [elements @ .., set] = exprs else { return TypedMeaning::Unknown(None) };
        let mut values: Vec<TypedMeaning> = elements.iter().map(|e| self.value(e, scope)).collect();
        let rest = self.value(set, scope);
        let Some(rest) = self.elements(set, rest) else { return TypedMeaning::Unknown(None) };
        values.extend(rest);
        if values.iter().any(|v| matches!(v, TypedMeaning::Unknown(_))) {
            return TypedMeaning::Unknown(None);
        }
        TypedMeaning::List(distinct(values).into())
    }

    /// `S | T`, `S & T`, `S \ T` of sets that list their elements.
    pub(super) fn listed_together(
        &mut self,
        operator: &str,
        exprs: &[CatExpr],
        values: &[TypedMeaning],
    ) -> TypedMeaning {
        let mut sets = Vec::new();
        for (expr, value) in exprs.iter().zip(values) {
            let Some(elements) = self.elements(expr, value.clone()) else {
                return TypedMeaning::Unknown(None);
            };
            sets.push(elements);
        }
        let (first, others) = (sets.remove(0), sets);
        if operator == "|" {
            return TypedMeaning::List(
                distinct(first.into_iter().chain(others.into_iter().flatten()).collect()).into(),
            );
        }
        let mut kept = first;
        for other in &others {
            let wanted = operator == "&";
            let decided: Option<Vec<bool>> =
                kept.iter().map(|v| contains(other, v).map(|found| found == wanted)).collect();
            let Some(decided) = decided else {
                self.lacks_comparison(exprs[0].span.to(exprs[exprs.len() - 1].span));
                return TypedMeaning::Unknown(None);
            };
            let mut decided = decided.into_iter();
            kept.retain(|_| decided.next().unwrap_or(false));
        }
        TypedMeaning::List(kept.into())
    }

    /// The elements of a set that lists them; `None` if it does not (reported) or nothing is known.
    fn elements(&mut self, expr: &CatExpr, value: TypedMeaning) -> Option<Vec<TypedMeaning>> {
        match value {
            TypedMeaning::List(elements) => Some(elements.to_vec()),
            TypedMeaning::Typed(typed) if self.is_empty_constant(&typed) => Some(Vec::new()),
            TypedMeaning::Unknown(_) => None,
            TypedMeaning::Typed(_) => {
                let error = Diagnostic::error(
                    "the elements of a set of events or pairs depend on the execution",
                );
                let error = error.at(
                    &self.file,
                    expr.span,
                    "expected a set that lists its elements, e.g. `{a, b}`",
                );
                self.lacks("elements of sets of events".into(), error);
                None
            }
            _ => {
                self.error_at(
                    expr.span,
                    "this is not a set",
                    "expected a set that lists its elements, e.g. `{a, b}`",
                );
                None
            }
        }
    }

    /// `0`, or `{}`: of no sort yet.
    fn is_empty_constant(&self, typed: &TypedExpr) -> bool {
        let empty = |id| matches!(self.arena.node(id), Node::Empty(_));
        typed.set.is_some_and(empty) && typed.relation.is_some_and(empty)
    }

    /// `match e with || 'tag -> e end`
    pub(super) fn match_expression(
        &mut self,
        expr: &CatExpr,
        arms: &[(Pattern, CatExpr)],
        scope: &NameScope,
    ) -> TypedMeaning {
        let patterns: Vec<&Pattern> = arms.iter().map(|(pattern, _)| pattern).collect();
        match self.choose(expr, &patterns, scope) {
            MatchResult::Arm(i, inner) => self.value(&arms[i].1, &inner),
            MatchResult::Any(inner) => {
                for ((_, body), inner) in arms.iter().zip(&inner) {
                    self.value(body, inner);
                }
                TypedMeaning::Unknown(None)
            }
            MatchResult::None => TypedMeaning::Unknown(None),
        }
    }

    /// `match e with || 'tag -> instructions end`
    pub(super) fn match_instruction(
        &mut self,
        expr: &CatExpr,
        arms: &[(Pattern, Vec<CatInstruction>)],
        span: Span,
        scope: &mut NameScope,
    ) {
        let patterns: Vec<&Pattern> = arms.iter().map(|(pattern, _)| pattern).collect();
        match self.choose(expr, &patterns, scope) {
            // What an arm defines stays, unless it has names of its own to take along.
            MatchResult::Arm(i, _) if !matches!(patterns[i], Pattern::Split(..)) => {
                self.instructions(&arms[i].1, scope)
            }
            MatchResult::Arm(i, mut inner) => {
                self.nested_instructions(&arms[i].1, &mut inner, span)
            }
            MatchResult::Any(inner) => {
                for ((_, body), mut inner) in arms.iter().zip(inner) {
                    self.nested_instructions(body, &mut inner, span);
                }
            }
            MatchResult::None => {}
        }
    }

    fn choose(&mut self, expr: &CatExpr, patterns: &[&Pattern], scope: &NameScope) -> MatchResult {
        let value = self.value(expr, scope);
        let with = |names: &[(&Ident, TypedMeaning)]| {
            let mut inner = scope.inner();
            names.iter().for_each(|(name, value)| inner.bind(&name.text, value.clone(), false));
            inner
        };
        if matches!(value, TypedMeaning::Unknown(_)) {
            let unknown = || TypedMeaning::Unknown(None);
            let scopes = patterns.iter().map(|p| match p {
                Pattern::Split(element, others) => {
                    with(&[(element, unknown()), (others, unknown())])
                }
                _ => with(&[]),
            });
            return MatchResult::Any(scopes.collect());
        }
        let by_elements = patterns.iter().any(|p| matches!(p, Pattern::Empty | Pattern::Split(..)));
        let elements = if by_elements { self.elements(expr, value.clone()) } else { None };
        if by_elements && elements.is_none() {
            return MatchResult::None;
        }
        for (i, pattern) in patterns.iter().enumerate() {
            match (pattern, &value, elements.as_deref()) {
                (Pattern::Any, ..) | (Pattern::Empty, _, Some([])) => {
                    return MatchResult::Arm(i, with(&[]));
                }
                (Pattern::Tag(wanted), TypedMeaning::Tag(tag), _) if wanted.text == **tag => {
                    return MatchResult::Arm(i, with(&[]));
                }
                (Pattern::Split(element, others), _, Some([first, rest @ ..])) => {
                    let rest = TypedMeaning::List(rest.into());
                    return MatchResult::Arm(i, with(&[(element, first.clone()), (others, rest)]));
                }
                _ => {}
            }
        }
        let what = match &value {
            TypedMeaning::Tag(tag) => format!("`'{tag}`"),
            _ => "this value".to_owned(),
        };
        self.error_at(expr.span, format!("no arm of this `match` is for {what}"), "matched here");
        MatchResult::None
    }

    /// `forall x in S do .. end`
    pub(super) fn for_all(
        &mut self,
        name: &Ident,
        set: &CatExpr,
        body: &[CatInstruction],
        span: Span,
        scope: &NameScope,
    ) {
        let value = self.value(set, scope);
        let elements = match value {
            // Nothing is known of the element either.
            TypedMeaning::Unknown(_) => Some(vec![TypedMeaning::Unknown(None)]),
            known => self.elements(set, known),
        };
        for element in elements.into_iter().flatten() {
            let mut inner = scope.inner();
            inner.bind(&name.text, element, false);
            self.nested_instructions(body, &mut inner, span);
        }
    }

    /// `with x from f(..)`: an execution has the relation already, as `f(..)`, and `chosen-f` says
    /// what holds of it.
    pub(super) fn with_from(
        &mut self,
        name: &Ident,
        from: &CatExpr,
        span: Span,
        scope: &mut NameScope,
    ) {
        if let ExprKind::Apply(function, arguments) = &from.kind
            && let ExprKind::Name(generator) = &function.kind
            && let holds = format!("{CHOSEN}{generator}")
            && matches!(scope.get(&holds), Some(TypedMeaning::Procedure(_)))
        {
            self.call(&Ident { text: holds, span: function.span }, arguments, span, scope);
            if let TypedMeaning::Typed(typed) = self.value(from, scope) {
                let place = self.place(span);
                let defined = self.define(&name.text, DefinitionOrigin::Let, typed, place);
                scope.bind(&name.text, TypedMeaning::Typed(defined), true);
            }
            return;
        }
        let generator = match &from.kind {
            ExprKind::Apply(function, _) => format!("{function}(..)"),
            _ => "..".to_owned(),
        };
        let error =
            Diagnostic::error(format!("`with {} from {generator}` is not supported", name.text));
        let error = error.at(&self.file, span, "an execution has no such relation");
        let help =
            "coherence orders are part of every execution: for one of them leave the line out";
        self.lacks(format!("`with .. from {generator}`"), error.help(help));
        scope.bind(&name.text, TypedMeaning::Unknown(None), true);
    }

    /// Does a condition hold?
    pub(super) fn holds(&mut self, condition: &CatCondition, scope: &NameScope) -> bool {
        match condition {
            CatCondition::Variant(name) => self.options.variants.contains(name),
            CatCondition::Not(inner) => !self.holds(inner, scope),
            CatCondition::And(all) => all.iter().all(|c| self.holds(c, scope)),
            CatCondition::Or(any) => any.iter().any(|c| self.holds(c, scope)),
            CatCondition::Compare(comparison, left, right) => {
                let (a, b) = (self.value(left, scope), self.value(right, scope));
                if matches!(a, TypedMeaning::Unknown(_)) || matches!(b, TypedMeaning::Unknown(_)) {
                    return false;
                }
                let result = match comparison {
                    CatComparison::Equal => equal(&a, &b),
                    CatComparison::In => self.elements(right, b).and_then(|set| contains(&set, &a)),
                    CatComparison::Subset => {
                        match (self.elements(left, a), self.elements(right, b)) {
                            (Some(a), Some(b)) => all(a.iter().map(|v| contains(&b, v))),
                            _ => return false,
                        }
                    }
                };
                result.unwrap_or_else(|| {
                    self.lacks_comparison(left.span.to(right.span));
                    false
                })
            }
        }
    }

    /// Reports a comparison whose outcome depends on the execution.
    fn lacks_comparison(&mut self, span: Span) {
        let error =
            Diagnostic::error("whether two sets or relations are equal depends on the execution");
        let error =
            error.at(&self.file, span, "only tags, and sets that list them, can be compared");
        self.lacks("conditions on sets and relations".into(), error);
    }
}

/// Are two values equal? `None` if that depends on the execution.
fn equal(a: &TypedMeaning, b: &TypedMeaning) -> Option<bool> {
    match (a, b) {
        (TypedMeaning::Tag(a), TypedMeaning::Tag(b)) => Some(a == b),
        (TypedMeaning::Typed(a), TypedMeaning::Typed(b))
            if (a.set, a.relation) == (b.set, b.relation) =>
        {
            Some(true)
        }
        (TypedMeaning::Tuple(a), TypedMeaning::Tuple(b)) if a.len() == b.len() => {
            all(a.iter().zip(b.iter()).map(|(a, b)| equal(a, b)))
        }
        (TypedMeaning::List(a), TypedMeaning::List(b)) => {
            all([all(a.iter().map(|v| contains(b, v))), all(b.iter().map(|v| contains(a, v)))])
        }
        (TypedMeaning::Typed(_), TypedMeaning::Typed(_))
        | (TypedMeaning::List(_), TypedMeaning::Typed(_))
        | (TypedMeaning::Typed(_), TypedMeaning::List(_)) => None,
        _ => Some(false),
    }
}

/// Is a value among others?
fn contains(set: &[TypedMeaning], value: &TypedMeaning) -> Option<bool> {
    let found: Vec<Option<bool>> = set.iter().map(|v| equal(v, value)).collect();
    if found.contains(&Some(true)) {
        Some(true)
    } else {
        all(found.into_iter().map(|f| f.map(|f| !f))).map(|_| false)
    }
}

/// Are all of these true, as far as that is known?
fn all(outcomes: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let outcomes: Vec<Option<bool>> = outcomes.into_iter().collect();
    if outcomes.contains(&Some(false)) {
        Some(false)
    } else {
        outcomes.into_iter().collect::<Option<Vec<bool>>>().map(|_| true)
    }
}

/// Each value once, as far as that is known.
fn distinct(values: Vec<TypedMeaning>) -> Vec<TypedMeaning> {
    let mut kept: Vec<TypedMeaning> = Vec::with_capacity(values.len());
    for value in values {
        if contains(&kept, &value) != Some(true) {
            kept.push(value);
        }
    }
    kept
}
