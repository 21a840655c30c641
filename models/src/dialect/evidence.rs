//! What a syntax tree says about its author: the names that it uses and does not define, and the
//! files that it includes.

use std::collections::BTreeSet;

use crate::cat::ast::{
    Bindings, CatExpr, CatFile, CatInstruction, ExprKind, Ident, InstructionKind, Pattern,
};
use crate::model::CheckKind;

/// What is to be seen in a file.
#[derive(Debug, Default)]
pub(super) struct DialectEvidence {
    /// The names that are used, and defined nowhere in the file, in the order of the text.
    pub free: Vec<String>,
    /// The files that it includes, in the order of the text.
    pub includes: Vec<String>,
    /// Is a relation chosen by `with .. from ..`?
    pub generates: bool,
    /// The names of checks.
    pub checks: BTreeSet<String>,
    /// Is `sync_barrier` defined by `syncbar`?
    pub defines_sync_barrier: bool,
    /// Must `sync_fence` contain something?
    pub sync_fence_contains: bool,
    /// Is the inverse of `sync_fence` used?
    pub inverts_sync_fence: bool,
    /// The names that are used, defined or not.
    used: Vec<String>,
    /// The names that are defined, parameters among them.
    bound: BTreeSet<String>,
}

impl DialectEvidence {
    /// Looks at a file.
    pub(super) fn of(file: &CatFile) -> Self {
        let mut evidence = Self::default();
        evidence.instructions(&file.instructions);
        let mut seen = BTreeSet::new();
        for name in std::mem::take(&mut evidence.used) {
            if !evidence.bound.contains(&name) && seen.insert(name.clone()) {
                evidence.free.push(name);
            }
        }
        evidence
    }

    /// The names that a text defines.
    pub(super) fn defined(file: &CatFile) -> BTreeSet<String> {
        let mut evidence = Self::default();
        evidence.instructions(&file.instructions);
        evidence.bound
    }

    /// Does the file use a name that it does not define?
    pub(super) fn uses(&self, name: &str) -> bool {
        self.free.iter().any(|free| free == name)
    }

    fn instructions(&mut self, instructions: &[CatInstruction]) {
        for instruction in instructions {
            self.instruction(&instruction.kind);
        }
    }

    fn instruction(&mut self, kind: &InstructionKind) {
        match kind {
            InstructionKind::Let(bindings) => self.bindings(bindings),
            InstructionKind::Check { kind, expr, name, .. } => {
                self.checks.extend(name.iter().map(|n| n.text.clone()));
                if *kind == CheckKind::Empty
                    && let ExprKind::Difference(parts) = &expr.kind
                {
                    self.sync_fence_contains |=
                        parts[1..].iter().any(|e| mentions(e, "sync_fence"));
                }
                self.expr(expr);
            }
            InstructionKind::Include(path) => self.includes.push(path.clone()),
            // Without effect.
            InstructionKind::Show(_) | InstructionKind::Unshow(_) => {}
            InstructionKind::Procedure { name, parameters, body, .. } => {
                self.bind(name);
                parameters.iter().for_each(|p| self.bind(p));
                self.instructions(body);
            }
            InstructionKind::Call { arguments, .. } => arguments.iter().for_each(|a| self.expr(a)),
            InstructionKind::If { condition, then, otherwise } => {
                condition.operands().into_iter().for_each(|e| self.expr(e));
                self.instructions(then);
                self.instructions(otherwise);
            }
            InstructionKind::With { name, from } => {
                self.generates = true;
                self.bind(name);
                self.expr(from);
            }
            InstructionKind::ForAll { name, set, body } => {
                self.bind(name);
                self.expr(set);
                self.instructions(body);
            }
            InstructionKind::Match { expr, arms } => {
                self.expr(expr);
                for (pattern, body) in arms {
                    self.pattern(pattern);
                    self.instructions(body);
                }
            }
            InstructionKind::Enum { name, .. } => self.bind(name),
        }
    }

    fn bind(&mut self, name: &Ident) {
        self.bound.insert(name.text.clone());
    }

    fn pattern(&mut self, pattern: &Pattern) {
        if let Pattern::Split(element, others) = pattern {
            self.bind(element);
            self.bind(others);
        }
    }

    fn bindings(&mut self, bindings: &Bindings) {
        for binding in &bindings.bindings {
            let its_own =
                binding.parameters.is_none() && mentions(&binding.body, &binding.name.text);
            // `let co = co+` uses the name before it defines it.
            if bindings.recursive || !its_own {
                self.bind(&binding.name);
            }
            binding.parameters.iter().flatten().for_each(|p| self.bind(p));
            self.defines_sync_barrier |=
                binding.name.text == "sync_barrier" && mentions(&binding.body, "syncbar");
            self.expr(&binding.body);
        }
    }

    fn expr(&mut self, expr: &CatExpr) {
        match &expr.kind {
            ExprKind::Name(name) => self.used.push(name.clone()),
            ExprKind::LetIn(bindings, _) => {
                self.bindings(bindings);
                let ExprKind::LetIn(_, body) = &expr.kind else { return };
                return self.expr(body);
            }
            ExprKind::Function(parameters, _) => parameters.iter().for_each(|p| self.bind(p)),
            ExprKind::Match(_, arms) => arms.iter().for_each(|(pattern, _)| self.pattern(pattern)),
            ExprKind::Inverse(inner) => self.inverts_sync_fence |= mentions(inner, "sync_fence"),
            _ => {}
        }
        expr.kind.children().into_iter().for_each(|e| self.expr(e));
    }
}

/// Does a name occur in an expression?
fn mentions(expr: &CatExpr, wanted: &str) -> bool {
    let mut open = vec![expr];
    while let Some(next) = open.pop() {
        if matches!(&next.kind, ExprKind::Name(name) if name == wanted) {
            return true;
        }
        open.extend(next.kind.children());
    }
    false
}
