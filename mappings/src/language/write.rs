//! Mappings and their rows as text, in the syntax that [`super::parse`] reads.

use std::fmt;

use margay_models::execution::{Order, Scope};
use margay_models::signature::{Construct, Operation, Signature};

use super::{Form, Lowering, Mapping, Row, ScopePattern, Step, StepScope};

impl Step {
    /// The instruction as the target's programmers write it; `variable` is the row's scope variable.
    pub fn text(&self, target: Signature, variable: &str) -> String {
        let scope = match self.scope {
            StepScope::None => None,
            StepScope::Same => Some(variable),
            StepScope::Named(scope) => Some(scope.name()),
        };
        if target != Signature::Ptx {
            let operation = if self.failed { Operation::Rmw } else { self.operation };
            let name = Construct { operation, order: self.order }.name(target);
            return scope.map_or(name.clone(), |s| format!("{name}.{s}"));
        }
        let mnemonic = match self.operation {
            Operation::Read if self.failed => "atom",
            Operation::Read => "ld",
            Operation::Write => "st",
            Operation::Rmw => "atom",
            Operation::Fence => "fence",
        };
        if self.volatile {
            return format!("{mnemonic}.volatile");
        }
        let order = match self.order {
            Order::Plain => "weak",
            Order::Rlx => "relaxed",
            Order::Acq => "acquire",
            Order::Rel => "release",
            Order::AcqRel => "acq_rel",
            Order::Sc => "sc",
        };
        match scope {
            Some(scope) => format!("{mnemonic}.{order}.{scope}"),
            None => format!("{mnemonic}.{order}"),
        }
    }
}

impl Lowering {
    /// The instructions, separated by ` ; `.
    pub fn text(&self, target: Signature, variable: &str) -> String {
        if self.steps.is_empty() {
            return "nothing".to_owned();
        }
        self.steps.iter().map(|s| s.text(target, variable)).collect::<Vec<_>>().join(" ; ")
    }
}

impl Row {
    /// The left-hand side: `R.SC.s`, `CAS.SC.s`.
    pub fn head(&self, source: Signature, form: Form) -> String {
        let mut name = self.construct.name(source);
        if let Some(operation) = form.name() {
            let suffix = name.find('.').map_or("", |dot| &name[dot..]).to_owned();
            name = format!("{operation}{suffix}");
        }
        match &self.scope {
            ScopePattern::Any(None) => name,
            ScopePattern::Any(Some(variable)) => format!("{name}.{variable}"),
            ScopePattern::Named(scope) => format!("{name}.{}", Scope::name(*scope)),
        }
    }

    /// The forms that the row has lowerings for.
    pub fn forms(&self) -> Vec<Form> {
        let mut forms: Vec<Form> = self.alternatives.iter().map(|l| l.form).collect();
        forms.sort_unstable();
        forms.dedup();
        forms
    }

    /// A lowering as a right-hand side of this row.
    pub fn lowering_text(&self, target: Signature, lowering: &Lowering) -> String {
        let variable = match &self.scope {
            ScopePattern::Any(Some(variable)) => variable.as_str(),
            _ => "s",
        };
        lowering.text(target, variable)
    }

    /// The right-hand side for a form.
    pub fn body(&self, target: Signature, form: Form) -> String {
        let lowerings = self.alternatives.iter().filter(|l| l.form == form);
        lowerings.map(|l| self.lowering_text(target, l)).collect::<Vec<_>>().join(" or ")
    }
}

impl fmt::Display for Mapping {
    /// The whole mapping as a text that reads back as the same rows.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "mapping \"{}\" from {} to {}", self.title, self.source.name, self.target.name)?;
        let lines: Vec<(String, String)> = self
            .rows
            .iter()
            .flat_map(|row| row.forms().into_iter().map(move |form| (row, form)))
            .map(|(row, form)| (row.head(self.source.signature, form), row.body(self.target.signature, form)))
            .collect();
        let width = lines.iter().map(|(head, _)| head.len()).max().unwrap_or(0);
        for (head, body) in lines {
            writeln!(f, "{head:width$} => {body}")?;
        }
        Ok(())
    }
}
