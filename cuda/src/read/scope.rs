//! What names are within functions and templates, and where they are declared: two variables that
//! are alike in one scope are an error.

use std::rc::Rc;

use super::declaration_scope::{DeclarationScope, ScopedName};
use super::{DeclaredItem, ItemEntry, ProgramReader};
use crate::lex::{CudaRefusal, CudaSpan};
use crate::tree::{FunctionTree, ParameterTree, StructureTree};

/// The error of a name that is declared again.
pub(super) fn declared_again(name: &str, at: CudaSpan, first: CudaSpan) -> CudaRefusal {
    CudaRefusal::new(
        at,
        format!("`{name}` is declared a second time"),
        "give one of them another name, or take it out",
    )
    .beside(first, "here it is declared first")
}

/// Are two parameters of a function alike?
pub(super) fn are_parameters_apart(parameters: &[ParameterTree]) -> Result<(), CudaRefusal> {
    for (n, second) in parameters.iter().enumerate() {
        if let Some(first) = parameters[..n].iter().find(|p| p.name == second.name) {
            return Err(declared_again(&second.name, second.at, first.at));
        }
    }
    Ok(())
}

impl ProgramReader {
    /// Is a name one of a template here?
    pub(super) fn is_template(&self, name: &str) -> bool {
        match self.scopes.iter().rev().find_map(|scope| scope.kind(name)) {
            Some(kind) => kind == ScopedName::Template,
            None => self.templates.contains(name),
        }
    }

    /// Is something of the program defined a second time? What is only declared may be declared
    /// again, and functions of other parameters are others.
    pub(super) fn is_defined_once(
        &self,
        name: &str,
        item: &DeclaredItem,
    ) -> Result<(), CudaRefusal> {
        let same =
            |entry: &&ItemEntry| !entry.is_of_library && entry.namespace[..] == self.namespace[..];
        let mut all = self.items.get(name).into_iter().flatten().filter(same);
        let found = match item {
            DeclaredItem::Variable(second) if second.template.is_none() => {
                all.find_map(|entry| match &entry.item {
                    DeclaredItem::Variable(first) if first.template.is_none() => {
                        let is_again = !first.is_extern && !second.is_extern;
                        is_again.then_some((second.at, first.at))
                    }
                    _ => None,
                })
            }
            DeclaredItem::Function(second) if second.body.is_some() => {
                all.find_map(|entry| match &entry.item {
                    DeclaredItem::Function(first) if first.body.is_some() => {
                        self.are_alike(first, second).then_some((second.at, first.at))
                    }
                    _ => None,
                })
            }
            _ => None,
        };
        found.map_or(Ok(()), |(second, first)| Err(declared_again(name, second, first)))
    }

    /// Have two functions, which are no templates, parameters of the same types, as they are
    /// written?
    fn are_alike(&self, first: &FunctionTree, second: &FunctionTree) -> bool {
        let types = |function: &FunctionTree| -> Vec<String> {
            let of = |p: &ParameterTree| {
                let text: String = self.text(p.at).split_whitespace().collect::<Vec<_>>().join(" ");
                text.split('=')
                    .next()
                    .unwrap_or_default()
                    .trim_end()
                    .trim_end_matches(&*p.name)
                    .replace(' ', "")
            };
            function.parameters.iter().map(of).collect()
        };
        let are_plain = [first, second].iter().all(|f| {
            f.template.is_none()
                && f.specialises.is_none()
                && f.of_owner.is_none()
                && f.at.written == 0
        });
        are_plain && first.at != second.at && types(first) == types(second)
    }

    pub(super) fn enter_function(
        &mut self,
        function: &FunctionTree,
        owner: Option<&StructureTree>,
    ) {
        let templates = owner
            .and_then(|o| o.template.as_deref())
            .into_iter()
            .chain(function.template.as_deref());
        let mut scope = DeclarationScope::of_template(templates.flatten());
        for (name, _) in owner.into_iter().flat_map(|o| &o.aliases) {
            scope.add(name.clone(), ScopedName::Type);
        }
        scope.add_parameters(&function.parameters);
        self.scopes.push(scope);
    }

    /// Declares a type in the innermost scope.
    pub(super) fn scoped_type(&mut self, name: Rc<str>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.add(name, ScopedName::Type);
        }
    }

    /// Declares a variable in the innermost scope.
    pub(super) fn scoped_value(
        &mut self,
        name: Rc<str>,
        at: CudaSpan,
        is_extern: bool,
    ) -> Result<(), CudaRefusal> {
        let Some((scope, around)) = self.scopes.split_last_mut() else { return Ok(()) };
        let around = around.last().filter(|around| around.has_parameters);
        let known = [Some(&*scope), around].into_iter().flatten().find_map(|s| s.names.get(&name));
        if let Some((ScopedName::Value, Some(first))) = known
            && !is_extern
        {
            return Err(declared_again(&name, at, *first));
        }
        scope.names.insert(name, (ScopedName::Value, Some(at)));
        Ok(())
    }
}
