//! Functions: a function is expanded where it is applied, and the result is a definition of its
//! own, so that explanations can name it.

use std::rc::Rc;

use super::Typing;
use super::scope::NameScope;
use super::value::{Projection, TypedExpr, TypedFunction, TypedMeaning};
use crate::cat::ast::{CatExpr, ExprKind, Ident};
use crate::diagnostic::{Diagnostic, SourcePlace};
use crate::model::{DefinitionOrigin, Node};

impl Typing<'_> {
    /// A function with the scope of its definition. Its body is checked here once, with arguments
    /// of which nothing is known.
    pub(super) fn closure(
        &mut self,
        name: Rc<str>,
        parameters: &[Ident],
        body: &CatExpr,
        scope: &NameScope,
        place: SourcePlace,
        recursive: bool,
    ) -> Rc<TypedFunction> {
        let broken = !self.dialect.is_lazy() && {
            let before = self.checkpoint();
            let mut inner = scope.inner();
            if recursive {
                inner.bind(&name, TypedMeaning::Unknown(None), false);
            }
            for parameter in parameters {
                inner.bind(&parameter.text, TypedMeaning::Unknown(None), false);
            }
            self.value(body, &inner);
            let errors = self.rollback(&before);
            let broken = !errors.is_empty();
            self.errors.extend(errors);
            broken
        };
        let scope = scope.capture();
        self.captured.push(scope.clone());
        self.next_function += 1;
        let parameters = parameters.iter().map(|p| p.text.clone()).collect();
        Rc::new(TypedFunction {
            id: self.next_function,
            name,
            parameters,
            body: body.clone(),
            scope,
            place,
            broken,
            recursive,
        })
    }

    /// `f(a, b)`, where `expr` is the whole application.
    pub(super) fn application(
        &mut self,
        expr: &CatExpr,
        function: &CatExpr,
        arguments: &[CatExpr],
        scope: &NameScope,
    ) -> TypedMeaning {
        match self.value(function, scope) {
            TypedMeaning::Function(f) => self.apply(expr, &f, arguments, scope),
            TypedMeaning::Projection(projection) => {
                let (name, node): (_, fn(_) -> _) = match projection {
                    Projection::Domain => ("domain", Node::Domain),
                    Projection::Range => ("range", Node::Range),
                };
                match arguments {
                    [argument] => self.projection(name, argument, node, scope),
                    _ => {
                        self.wrong_arity(name, 1, arguments.len(), expr.span, None);
                        TypedMeaning::Unknown(None)
                    }
                }
            }
            TypedMeaning::Typed(typed) => {
                // A mistyped keyword looks like an argument: that is the better error.
                let errors = self.errors.len();
                for argument in arguments {
                    self.value(argument, scope);
                }
                if self.errors.len() > errors {
                    return TypedMeaning::Unknown(None);
                }
                let what = typed.sort().map_or("set or relation".to_owned(), |s| s.to_string());
                let text = if let ExprKind::Name(name) = &function.kind {
                    format!("`{name}`")
                } else {
                    "this".to_owned()
                };
                let mut error = Diagnostic::error(format!("{text} is a {what}, not a function"));
                error =
                    error.at(&self.file, function.span, "applied like a function to what follows");
                self.error(error.help("an operator is missing between the two, perhaps `;`"));
                TypedMeaning::Unknown(None)
            }
            other @ (TypedMeaning::Procedure(_)
            | TypedMeaning::Tag(_)
            | TypedMeaning::List(_)
            | TypedMeaning::Tuple(_)) => {
                self.not_a_value(function, &other);
                TypedMeaning::Unknown(None)
            }
            TypedMeaning::Unknown(_) => {
                // Errors in the arguments do not depend on the function.
                for argument in arguments {
                    self.value(argument, scope);
                }
                TypedMeaning::Unknown(None)
            }
        }
    }

    fn apply(
        &mut self,
        expr: &CatExpr,
        function: &Rc<TypedFunction>,
        arguments: &[CatExpr],
        scope: &NameScope,
    ) -> TypedMeaning {
        let mut values: Vec<TypedMeaning> =
            arguments.iter().map(|a| self.value(a, scope)).collect();
        // A tuple is all arguments at once.
        if let [TypedMeaning::Tuple(members)] = values.as_slice()
            && function.parameters.len() > 1
        {
            values = members.to_vec();
        }
        if values.len() != function.parameters.len() {
            let (needed, found) = (function.parameters.len(), values.len());
            self.wrong_arity(&function.name, needed, found, expr.span, Some(&function.place));
            return TypedMeaning::Unknown(None);
        }
        if function.broken {
            return TypedMeaning::Unknown(None);
        }
        let key = key(function, &values);
        if let Some(known) = key.as_ref().and_then(|k| self.applications.get(k)) {
            return TypedMeaning::Typed(known.clone());
        }
        let mut inner = function.scope.inner();
        if function.recursive {
            inner.bind(&function.name, TypedMeaning::Function(function.clone()), false);
        }
        for (parameter, value) in function.parameters.iter().zip(values) {
            inner.bind(parameter, value, false);
        }
        let call = (function.name.to_string(), self.place(expr.span));
        self.calls.push(call);
        let file = std::mem::replace(&mut self.file, function.place.file.clone());
        let value = self.value(&function.body, &inner);
        self.file = file;
        self.calls.pop();
        let TypedMeaning::Typed(typed) = value else { return value };
        let typed = self.define(
            &expr.to_string(),
            DefinitionOrigin::Application,
            typed,
            function.place.clone(),
        );
        if let Some(key) = key.filter(|_| typed.depends.is_none()) {
            self.application_log.push(key.clone());
            self.applications.insert(key, typed.clone());
        }
        TypedMeaning::Typed(typed)
    }
}

/// What the result of an application depends on, if that can be compared.
fn key(function: &TypedFunction, arguments: &[TypedMeaning]) -> Option<super::ApplicationKey> {
    let arguments = arguments.iter().map(|a| match a {
        TypedMeaning::Typed(TypedExpr { set, relation, depends: None }) => Some((*set, *relation)),
        _ => None,
    });
    Some((function.id, arguments.collect::<Option<_>>()?))
}
