//! `let` and `let rec`. The sorts of recursive names are found by typing their bodies with nothing
//! known of the names until no more is learnt. A `let rec` within another one that depends on it
//! becomes part of it: by Bekić's lemma nested least fixpoints are one simultaneous least fixpoint,
//! and so do definitions made inside of it.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Typing;
use super::scope::NameScope;
use super::value::{RecursiveUse, TypedExpr, TypedMeaning};
use crate::cat::ast::{Binding, Bindings};
use crate::diagnostic::{Diagnostic, Span};
use crate::model::{DefId, Definition, GroupId, Node, Sort};

impl Typing<'_> {
    /// Binds the names of a `let`.
    pub(super) fn bind_all(&mut self, bindings: &Bindings, scope: &mut NameScope) {
        self.refuse_doubles(&bindings.bindings);
        if bindings.recursive {
            self.bind_recursive(&bindings.bindings, scope);
            return;
        }
        // All right sides see the names from before.
        let values: Vec<TypedMeaning> =
            bindings.bindings.iter().map(|b| self.bound_value(b, scope)).collect();
        for (binding, value) in bindings.bindings.iter().zip(values) {
            self.bind(scope, &binding.name.text, value);
        }
    }

    fn bind(&mut self, scope: &mut NameScope, name: &str, value: TypedMeaning) {
        let taken = self.base(name).is_some();
        scope.bind(name, value, taken);
    }

    fn bound_value(&mut self, binding: &Binding, scope: &NameScope) -> TypedMeaning {
        let place = self.place(binding.span);
        if let Some(parameters) = &binding.parameters {
            let name = binding.name.text.as_str().into();
            return TypedMeaning::Function(self.closure(
                name,
                parameters,
                &binding.body,
                scope,
                place,
                false,
            ));
        }
        match self.value(&binding.body, scope) {
            TypedMeaning::Typed(typed) => {
                TypedMeaning::Typed(self.define(&binding.name.text, self.origin, typed, place))
            }
            other => other,
        }
    }

    /// Reports names that one `let` defines twice.
    fn refuse_doubles(&mut self, bindings: &[Binding]) {
        let mut names: FxHashMap<&str, Span> = FxHashMap::default();
        for binding in bindings {
            if let Some(first) = names.insert(&binding.name.text, binding.name.span) {
                let error = Diagnostic::error(format!(
                    "`{}` is defined twice in one `let`",
                    binding.name.text
                ));
                self.error(
                    error.at(&self.file, binding.name.span, "again").at(&self.file, first, "first"),
                );
            }
        }
    }

    fn bind_recursive(&mut self, bindings: &[Binding], scope: &mut NameScope) {
        if let [binding] = bindings
            && let Some(parameters) = &binding.parameters
        {
            let place = self.place(binding.span);
            let function = self.closure(
                binding.name.text.as_str().into(),
                parameters,
                &binding.body,
                scope,
                place,
                true,
            );
            return self.bind(scope, &binding.name.text, TypedMeaning::Function(function));
        }
        if let Some(function) = bindings.iter().find(|b| b.parameters.is_some()) {
            let error = Diagnostic::error(format!(
                "`{}` is a recursive function among other definitions",
                function.name.text
            ));
            let error = error.at(
                &self.file,
                function.name.span,
                "only one recursive function can be defined by a `let`",
            );
            self.lacks(
                "functions that use each other in a `let rec`".into(),
                error.help("write a `let rec` for the function alone"),
            );
            for binding in bindings {
                self.bind(scope, &binding.name.text, TypedMeaning::Unknown(None));
            }
            return;
        }
        let sorts = self.recursive_sorts(bindings, scope);
        let level = self.open.len();
        let first = self.definitions.len();
        let mut inner = scope.inner();
        let mut members = Vec::new();
        for (binding, &sort) in bindings.iter().zip(&sorts) {
            let id = DefId::from(self.definitions.len());
            let place = self.place(binding.span);
            // The body follows below.
            let body = self.intern(Node::Empty(sort), sort);
            let name = binding.name.text.clone();
            self.definitions.push(Definition {
                name,
                origin: self.origin,
                sort,
                body,
                group: None,
                place: place.clone(),
            });
            let node = self.intern(Node::Definition(id), sort);
            let defined = self.place(binding.name.span);
            let depends = Some(RecursiveUse {
                level,
                name: Rc::from(binding.name.text.as_str()),
                place,
                defined,
            });
            inner.bind(
                &binding.name.text,
                TypedMeaning::Typed(TypedExpr { depends, ..TypedExpr::new(sort, node) }),
                false,
            );
            members.push(id);
        }
        self.open.push(members);
        let mut outermost: Option<RecursiveUse> = None;
        let mut known = vec![true; bindings.len()];
        for (i, (binding, &sort)) in bindings.iter().zip(&sorts).enumerate() {
            match self.operand(&binding.body, &inner) {
                Ok(typed) => match typed.of(sort) {
                    Some(body) => {
                        self.definitions[first + i].body = body;
                        let outer = typed.depends.filter(|d| d.level < level);
                        outermost = super::value::outer(outermost, outer);
                    }
                    None => {
                        let found = typed.sort().unwrap_or(sort);
                        let name = &binding.name;
                        let error = Diagnostic::error(format!(
                            "`{}` is used as a {sort} but defined as a {found}",
                            name.text
                        ));
                        let error =
                            error.at(&self.file, binding.body.span, format!("this is a {found}"));
                        self.error(error.at(
                            &self.file,
                            name.span,
                            format!("used as a {sort} in its own `let rec`"),
                        ));
                        known[i] = false;
                    }
                },
                Err(_) => known[i] = false,
            }
        }
        let members = self.open.pop().unwrap_or_default();
        match &outermost {
            Some(outer) => self.open[outer.level].extend(members),
            None => {
                let group = GroupId::from(self.groups.len());
                for member in &members {
                    self.definitions[member.index()].group = Some(group);
                    let node = self
                        .intern(Node::Definition(*member), self.definitions[member.index()].sort);
                    self.arena.set_body(node, self.definitions[member.index()].body);
                }
                self.groups.push(members);
            }
        }
        for (i, (binding, &sort)) in bindings.iter().zip(&sorts).enumerate() {
            let node = self.intern(Node::Definition(DefId::from(first + i)), sort);
            let typed = TypedExpr { depends: outermost.clone(), ..TypedExpr::new(sort, node) };
            let value = if known[i] {
                TypedMeaning::Typed(typed)
            } else {
                TypedMeaning::Unknown(Some(sort))
            };
            self.bind(scope, &binding.name.text, value);
        }
    }

    /// The sorts of recursive names; a relation where nothing says otherwise.
    fn recursive_sorts(&mut self, bindings: &[Binding], scope: &NameScope) -> Vec<Sort> {
        let mut sorts: Vec<Option<Sort>> = vec![None; bindings.len()];
        loop {
            let before = self.checkpoint();
            self.quiet += 1;
            let mut inner = scope.inner();
            for (binding, &sort) in bindings.iter().zip(&sorts) {
                inner.bind(&binding.name.text, TypedMeaning::Unknown(sort), false);
            }
            let found: Vec<Option<Sort>> = bindings
                .iter()
                .map(|b| match self.value(&b.body, &inner) {
                    TypedMeaning::Typed(typed) => typed.sort(),
                    TypedMeaning::Unknown(sort) => sort,
                    _ => None,
                })
                .collect();
            self.quiet -= 1;
            self.rollback(&before);
            let learnt: Vec<Option<Sort>> =
                sorts.iter().zip(&found).map(|(old, new)| old.or(*new)).collect();
            if learnt == sorts {
                return sorts.into_iter().map(|s| s.unwrap_or(Sort::Relation)).collect();
            }
            sorts = learnt;
        }
    }
}
