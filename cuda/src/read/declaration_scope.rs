//! The names of a block, or of what stands around one.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::lex::CudaSpan;
use crate::tree::{ParameterTree, TemplateParameter};

/// What a name is within a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScopedName {
    Type,
    Value,
    /// A template of types.
    Template,
}

/// The names of a block, or of what stands around one.
#[derive(Debug, Default)]
pub(super) struct DeclarationScope {
    pub(super) names: FxHashMap<Rc<str>, (ScopedName, Option<CudaSpan>)>,
    /// Are parameters of a function among them? The block of the function may not declare them
    /// again.
    pub(super) has_parameters: bool,
}

impl DeclarationScope {
    /// The names of the parameters of a template.
    pub fn of_template<'p>(parameters: impl IntoIterator<Item = &'p TemplateParameter>) -> Self {
        let mut scope = Self::default();
        for parameter in parameters {
            let kind = match parameter {
                TemplateParameter::Template(..) => ScopedName::Template,
                _ if parameter.is_type() => ScopedName::Type,
                _ => ScopedName::Value,
            };
            scope.add(parameter.name().clone(), kind);
        }
        scope
    }

    pub fn add(&mut self, name: Rc<str>, kind: ScopedName) {
        self.names.insert(name, (kind, None));
    }

    /// Adds the parameters of a function.
    pub fn add_parameters(&mut self, parameters: &[ParameterTree]) {
        self.has_parameters = true;
        for parameter in parameters {
            self.names.insert(parameter.name.clone(), (ScopedName::Value, Some(parameter.at)));
        }
    }

    pub fn kind(&self, name: &str) -> Option<ScopedName> {
        self.names.get(name).map(|(kind, _)| *kind)
    }
}
