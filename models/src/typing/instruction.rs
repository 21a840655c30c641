//! Instructions: definitions, checks, includes, procedures, variants.

use std::rc::Rc;

use super::scope::Scope;
use super::value::{Procedure, Value};
use super::{Options, Typing};
use crate::cat::ast::{Condition, Expr, Ident, Instruction, InstructionKind};
use crate::cat::{self};
use crate::diagnostic::{Diagnostic, Span};
use crate::model::{Check, CheckKind, Origin, Sort};

/// How many files one model may include, and how deep.
const MAX_INCLUDES: usize = 200;

impl Options {
    /// Does a condition on variants hold?
    pub(super) fn holds(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Variant(name) => self.variants.contains(name),
            Condition::Not(inner) => !self.holds(inner),
            Condition::And(all) => all.iter().all(|c| self.holds(c)),
            Condition::Or(any) => any.iter().any(|c| self.holds(c)),
        }
    }
}

impl Typing<'_> {
    /// Types instructions, one after the other.
    pub(super) fn instructions(&mut self, instructions: &[Instruction], scope: &mut Scope) {
        for instruction in instructions {
            if self.exhausted.is_some() || self.errors.len() >= super::MAX_ERRORS {
                return;
            }
            match &instruction.kind {
                InstructionKind::Let(bindings) => self.bind_all(bindings, scope),
                InstructionKind::Check { .. } => self.check(instruction, scope),
                InstructionKind::Include(path) => self.include(path, instruction.span, scope),
                // What is shown in pictures is not the model's business here, and the names may be ones that only herd7 has.
                InstructionKind::Show(_) | InstructionKind::Unshow(_) => {}
                InstructionKind::Procedure { name, parameters, body } => {
                    self.procedure(name, parameters, body, instruction.span, scope);
                }
                InstructionKind::Call { name, arguments } => self.call(name, arguments, instruction.span, scope),
                InstructionKind::If { condition, then, otherwise } => {
                    let chosen = if self.options.holds(condition) { then } else { otherwise };
                    self.instructions(chosen, scope);
                }
            }
        }
    }

    fn check(&mut self, instruction: &Instruction, scope: &Scope) {
        let InstructionKind::Check { role, negated, kind, expr, name } = &instruction.kind else { return };
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

    fn include(&mut self, path: &str, span: Span, scope: &mut Scope) {
        self.included += 1;
        if self.included > MAX_INCLUDES {
            self.exhaust(span, format!("more than {MAX_INCLUDES} files are included"));
            return;
        }
        let source = match self.includes.open(&self.file, path) {
            Ok(source) => source,
            Err(reason) => {
                self.error_at(span, format!("cannot include `{path}`: {reason}"), "included here");
                return;
            }
        };
        if self.including.contains(&source.name) {
            self.error_at(span, format!("`{}` includes itself", source.name), "included here while it is being read");
            return;
        }
        let parsed = cat::parse(&source);
        for error in parsed.errors {
            let place = self.place(span);
            self.error(error.at(&place.file, place.span, "included here"));
        }
        // The header of an included file is of no account: the model's own says what executions it speaks of.
        self.including.push(source.name.clone());
        let file = std::mem::replace(&mut self.file, source);
        self.instructions(&parsed.file.instructions, scope);
        self.file = file;
        self.including.pop();
    }

    /// A procedure's body is checked here once, with arguments of which nothing is known.
    fn procedure(&mut self, name: &Ident, parameters: &[Ident], body: &[Instruction], span: Span, scope: &mut Scope) {
        let before = self.checkpoint();
        let mut inner = scope.inner();
        for parameter in parameters {
            inner.bind(&parameter.text, Value::Unknown(None), false);
        }
        self.nested_instructions(body, &mut inner, span);
        let errors = self.rollback(&before);
        let broken = !errors.is_empty();
        self.errors.extend(errors);
        let captured = scope.capture();
        self.captured.push(captured.clone());
        let procedure = Procedure {
            name: name.text.as_str().into(),
            parameters: parameters.iter().map(|p| p.text.clone()).collect(),
            body: body.to_vec(),
            scope: captured,
            file: self.file.clone(),
            place: self.place(span),
            broken,
        };
        let taken = self.base(&name.text).is_some();
        scope.bind(&name.text, Value::Procedure(Rc::new(procedure)), taken);
    }

    /// `call p(e)`: the checks of the procedure's body become checks of the model.
    fn call(&mut self, name: &Ident, arguments: &[Expr], span: Span, scope: &Scope) {
        let procedure = match scope.get(&name.text) {
            Some(Value::Procedure(procedure)) => procedure,
            Some(Value::Unknown(_)) => return,
            Some(_) => return self.error_at(name.span, format!("`{}` is not a procedure", name.text), "called here"),
            None => return self.unknown_procedure(name, scope),
        };
        if arguments.len() != procedure.parameters.len() {
            let (needed, found) = (procedure.parameters.len(), arguments.len());
            return self.wrong_arity(&procedure.name, needed, found, span, Some(&procedure.place));
        }
        let values: Vec<Value> = arguments.iter().map(|a| self.value(a, scope)).collect();
        if procedure.broken {
            return;
        }
        let mut inner = procedure.scope.inner();
        for (parameter, value) in procedure.parameters.iter().zip(values) {
            inner.bind(parameter, value, false);
        }
        self.calls.push((name.text.clone(), self.place(span)));
        let file = std::mem::replace(&mut self.file, procedure.file.clone());
        self.nested_instructions(&procedure.body, &mut inner, procedure.place.span);
        self.file = file;
        self.calls.pop();
    }

    fn unknown_procedure(&mut self, name: &Ident, scope: &Scope) {
        let mut error = Diagnostic::error(format!("unknown procedure `{}`", name.text)).at(&self.file, name.span, "called here");
        let known = scope.names();
        let known = known.iter().map(String::as_str).filter(|n| matches!(scope.get(n), Some(Value::Procedure(_))));
        error.help = crate::diagnostic::nearest(&name.text, known).map(|near| format!("did you mean `{near}`?"));
        self.error(error);
    }

    /// The body of a procedure: its definitions are its own.
    fn nested_instructions(&mut self, body: &[Instruction], scope: &mut Scope, span: Span) {
        // A call costs several frames of the machine's stack.
        const COST: usize = 4;
        if self.depth + COST >= super::MAX_DEPTH {
            let message = format!("nested more than {} deep once procedures are expanded", super::MAX_DEPTH);
            return self.exhaust(span, message);
        }
        self.depth += COST;
        let origin = std::mem::replace(&mut self.origin, Origin::Local);
        self.instructions(body, scope);
        self.origin = origin;
        self.depth -= COST;
    }
}
