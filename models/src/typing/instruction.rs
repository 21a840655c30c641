//! Instructions: definitions, checks, includes, procedures.

use std::rc::Rc;

use super::Typing;
use super::scope::NameScope;
use super::value::{Procedure, TypedMeaning};
use crate::cat;
use crate::cat::ast::{CatExpr, CatInstruction, Ident, InstructionKind};
use crate::diagnostic::{Diagnostic, Span};
use crate::model::{Check, CheckKind, DefinitionOrigin, Sort};

/// How many files one model may include, and how deep.
const MAX_INCLUDES: usize = 200;

impl Typing<'_> {
    /// Types instructions, one after the other.
    pub(super) fn instructions(&mut self, instructions: &[CatInstruction], scope: &mut NameScope) {
        for instruction in instructions {
            if self.exhausted.is_some() || self.errors.len() >= super::MAX_ERRORS {
                return;
            }
            match &instruction.kind {
                InstructionKind::Let(bindings) => self.bind_all(bindings, scope),
                InstructionKind::Check { .. } => self.check(instruction, scope),
                InstructionKind::Include(path) => self.include(path, instruction.span, scope),
                // What is shown in pictures is not the model's business here, and the names may be
                // ones that only herd7 has.
                InstructionKind::Show(_) | InstructionKind::Unshow(_) => {}
                InstructionKind::Procedure { .. } => self.procedure(instruction, scope),
                InstructionKind::Call { name, arguments } => {
                    self.call(name, arguments, instruction.span, scope)
                }
                InstructionKind::If { condition, then, otherwise } => {
                    let chosen = if self.holds(condition, scope) { then } else { otherwise };
                    self.instructions(chosen, scope);
                }
                InstructionKind::With { name, from } => {
                    self.with_from(name, from, instruction.span, scope)
                }
                InstructionKind::ForAll { name, set, body } => {
                    self.for_all(name, set, body, instruction.span, scope)
                }
                InstructionKind::Match { expr, arms } => {
                    self.match_instruction(expr, arms, instruction.span, scope)
                }
                InstructionKind::Enum { name, tags } => self.enumeration(name, tags, scope),
            }
        }
    }

    fn check(&mut self, instruction: &CatInstruction, scope: &NameScope) {
        let InstructionKind::Check { role, negated, kind, expr, name } = &instruction.kind else {
            return;
        };
        let Ok(typed) = self.operand(expr, scope) else { return };
        let id = match kind {
            CheckKind::Empty => typed.relation.or(typed.set),
            CheckKind::Acyclic | CheckKind::Irreflexive => typed.relation,
        };
        let Some(id) = id else {
            self.wrong_sort(&kind.to_string(), Sort::Relation, expr, Sort::Set);
            return;
        };
        self.checks.push(Check {
            name: name.as_ref().map(|n| n.text.clone()),
            kind: *kind,
            negated: *negated,
            role: *role,
            expr: id,
            text: expr.to_string(),
            place: self.place(instruction.span),
        });
    }

    fn include(&mut self, path: &str, span: Span, scope: &mut NameScope) {
        self.included += 1;
        if self.included > MAX_INCLUDES {
            self.exhaust(span, format!("more than {MAX_INCLUDES} files are included"));
            return;
        }
        let source = match self
            .dialect
            .include(path)
            .map_or_else(|| self.includes.open(&self.file, path), Ok)
        {
            Ok(source) => source,
            Err(reason) => {
                let error = Diagnostic::error(format!("cannot include `{path}`: {reason}")).at(
                    &self.file,
                    span,
                    "included here",
                );
                return self.lacks(format!("the file `{path}`"), error);
            }
        };
        if self.including.contains(&source.name) {
            self.error_at(
                span,
                format!("`{}` includes itself", source.name),
                "included here while it is being read",
            );
            return;
        }
        let parsed = cat::parse(&source);
        self.missing.extend(parsed.missing);
        for error in parsed.errors {
            let place = self.place(span);
            self.error(error.at(&place.file, place.span, "included here"));
        }
        // The header of an included file is of no account: the model's own says what executions it
        // speaks of.
        self.including.push(source.name.clone());
        let file = std::mem::replace(&mut self.file, source);
        self.instructions(&parsed.file.instructions, scope);
        self.file = file;
        self.including.pop();
    }

    /// A procedure's body is checked here once, with arguments of which nothing is known.
    fn procedure(&mut self, instruction: &CatInstruction, scope: &mut NameScope) {
        let InstructionKind::Procedure { recursive, name, parameters, body } = &instruction.kind
        else {
            return;
        };
        let span = instruction.span;
        let broken = !self.dialect.is_lazy() && {
            let before = self.checkpoint();
            let mut inner = scope.inner();
            if *recursive {
                inner.bind(&name.text, TypedMeaning::Unknown(None), false);
            }
            for parameter in parameters {
                inner.bind(&parameter.text, TypedMeaning::Unknown(None), false);
            }
            self.nested_instructions(body, &mut inner, span);
            let errors = self.rollback(&before);
            let broken = !errors.is_empty();
            self.errors.extend(errors);
            broken
        };
        let captured = scope.capture();
        self.captured.push(captured.clone());
        let procedure = Procedure {
            name: name.text.as_str().into(),
            parameters: parameters.iter().map(|p| p.text.clone()).collect(),
            body: body.clone(),
            scope: captured,
            file: self.file.clone(),
            place: self.place(span),
            broken,
            recursive: *recursive,
        };
        let taken = self.base(&name.text).is_some();
        scope.bind(&name.text, TypedMeaning::Procedure(Rc::new(procedure)), taken);
    }

    /// `call p(e)`: the checks of the procedure's body become checks of the model.
    pub(super) fn call(
        &mut self,
        name: &Ident,
        arguments: &[CatExpr],
        span: Span,
        scope: &NameScope,
    ) {
        let procedure = match scope.get(&name.text) {
            Some(TypedMeaning::Procedure(procedure)) => procedure,
            Some(TypedMeaning::Unknown(_)) => return,
            Some(_) => {
                return self.error_at(
                    name.span,
                    format!("`{}` is not a procedure", name.text),
                    "called here",
                );
            }
            None => return self.unknown_procedure(name, scope),
        };
        let mut values: Vec<TypedMeaning> =
            arguments.iter().map(|a| self.value(a, scope)).collect();
        if let [TypedMeaning::Tuple(members)] = values.as_slice()
            && procedure.parameters.len() > 1
        {
            values = members.to_vec();
        }
        if values.len() != procedure.parameters.len() {
            let (needed, found) = (procedure.parameters.len(), values.len());
            return self.wrong_arity(&procedure.name, needed, found, span, Some(&procedure.place));
        }
        if procedure.broken {
            return;
        }
        let mut inner = procedure.scope.inner();
        if procedure.recursive {
            inner.bind(&procedure.name, TypedMeaning::Procedure(procedure.clone()), false);
        }
        for (parameter, value) in procedure.parameters.iter().zip(values) {
            inner.bind(parameter, value, false);
        }
        self.calls.push((name.text.clone(), self.place(span)));
        let file = std::mem::replace(&mut self.file, procedure.file.clone());
        self.nested_instructions(&procedure.body, &mut inner, procedure.place.span);
        self.file = file;
        self.calls.pop();
    }

    fn unknown_procedure(&mut self, name: &Ident, scope: &NameScope) {
        let mut error = Diagnostic::error(format!("unknown procedure `{}`", name.text)).at(
            &self.file,
            name.span,
            "called here",
        );
        let known = scope.names();
        let known = known
            .iter()
            .map(String::as_str)
            .filter(|n| matches!(scope.get(n), Some(TypedMeaning::Procedure(_))));
        error.help = crate::diagnostic::nearest(&name.text, known)
            .map(|near| format!("did you mean `{near}`?"));
        self.lacks(format!("the procedure `{}`", name.text), error);
    }

    /// The body of a procedure: its definitions are its own.
    pub(super) fn nested_instructions(
        &mut self,
        body: &[CatInstruction],
        scope: &mut NameScope,
        span: Span,
    ) {
        // A call costs several frames of the machine's stack.
        const COST: usize = 4;
        if self.depth + COST >= super::MAX_DEPTH {
            let message =
                format!("nested more than {} deep once procedures are expanded", super::MAX_DEPTH);
            return self.exhaust(span, message);
        }
        self.depth += COST;
        let origin = std::mem::replace(&mut self.origin, DefinitionOrigin::Local);
        self.instructions(body, scope);
        self.origin = origin;
        self.depth -= COST;
    }
}
